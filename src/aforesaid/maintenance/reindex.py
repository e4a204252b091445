"""Changes the embedding model while the store is in use, and embeds records that have no vector yet.

The vectors of the new model go into a space of their own: fill → compare → switch → remove the old space. Other
processes search the old space until the switch, which is one short transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from aforesaid.embed.base import Embedder
from aforesaid.engine.engine import Engine
from aforesaid.engine.kept_values import MODEL_CHANGE, VECTOR, calibration, drop_calibration
from aforesaid.engine.request import Request
from aforesaid.engine.thresholds import with_thresholds
from aforesaid.engine.vector_arm import VectorArm, active_space
from aforesaid.engine.writer import writing
from aforesaid.errors import EmbedError, InputError, StoreBusyError
from aforesaid.ingest.entity_quality import with_new_quality
from aforesaid.ingest.gate import decide_record, neighbours
from aforesaid.maintenance.compare_spaces import SpaceComparison, compare_spaces
from aforesaid.math.cascade import tiers_for
from aforesaid.store.protocols import Store
from aforesaid.text.analyze import searchable
from aforesaid.types import Filter, Progress, Record

JOB = "reindex"  # the name of the lock
BATCHES_AT_ONCE = 64  # read together: finding records without vectors takes time in a large store
ROUNDS = 8  # how often new records may delay the switch; the last ones are then embedded right after it
STATUS = "`aforesaid reindex --status` shows how far it is."


@dataclass(frozen=True, slots=True)
class SpaceStatus:
    """The vectors of one model: how many records of all tenants have one. Searches use the active one."""

    model: str
    dimensions: int
    active: bool
    vectors: int
    records: int

    @property
    def percent(self) -> int:
        """The share of records with a vector, rounded down."""
        return self.vectors * 100 // max(self.records, 1)


@dataclass(frozen=True, slots=True)
class ReindexStatus:
    """Whether a process makes new vectors now, and how many vectors each model has, the active model first."""

    running: bool
    spaces: tuple[SpaceStatus, ...]


@dataclass(frozen=True, slots=True)
class ReindexReport:
    """What `reindex` did. `comparison` is None when the model did not change.

    `switched` is False when the comparison stopped it; the new vectors are kept, and searches use the old ones.
    """

    model: str
    previous: str
    embedded: int
    switched: bool
    comparison: SpaceComparison | None = None


def reindex(
    engine: Engine, embedder: Embedder, progress: Progress | None = None, min_overlap: float = 0.0
) -> ReindexReport:
    """Embed every record that has no vector of this embedder, then switch search to these vectors.

    It can be stopped and resumed. One process at a time does it, and the others go on using the store.
    """
    with engine.store.exclusive(JOB) as mine:
        if not mine:
            raise StoreBusyError(f"Another reindex runs: {_progress_line(engine.store)}.", STATUS)
        return _Reindex(engine, embedder, progress).run(min_overlap)


def reindex_status(store: Store) -> ReindexStatus:
    """How far the vectors of each model are."""
    with store.exclusive(JOB) as idle:
        pass
    with store.snapshot():
        found = [(space, _coverage(store, space.name)) for space in store.spaces()]
    return ReindexStatus(
        not idle,
        tuple(
            SpaceStatus(space.name, space.dimensions, space.active, records - left, records)
            for space, (records, left) in found
        ),
    )


def cancel_reindex(store: Store) -> tuple[str, ...]:
    """Delete the vectors of every model but the active one, and return their names. A running reindex stops."""
    names = tuple(space.name for space in store.spaces() if not space.active)
    for name in names:
        store.drop_space(name)
    store.purge_spaces()
    return names


class _Reindex:
    """One run, for all tenants of the store."""

    def __init__(self, engine: Engine, embedder: Embedder, progress: Progress | None) -> None:
        self._engine, self._embedder, self._progress = engine, embedder, progress
        self._store, self._model = engine.store, embedder.name
        arm = VectorArm(embedder, redact=engine.readers.without_secrets)
        arm.space = embedder.name
        self._request = replace(engine.request(), arm=arm)
        self._done = 0

    def run(self, min_overlap: float) -> ReindexReport:
        store = self._store
        store.purge_spaces()  # what an interrupted run left
        store.add_space(self._model, self._embedder.dimensions)
        tiers = tiers_for(self._embedder.dimensions, self._request.arm.matryoshka, self._request.settings.cascade)
        store.keep_tiers(self._model, tiers[:-1])
        self._fill()
        previous = active_space(store) or self._model
        comparison = None
        if previous != self._model:
            with suppress(EmbedError):  # a model that cannot tell texts apart: searches with thresholds say so
                with_thresholds(self._request)  # measures the model, so that no search has to
            comparison = compare_spaces(self._engine, previous, self._embedder)
            if comparison.overlap < min_overlap:
                return ReindexReport(self._model, previous, self._done, switched=False, comparison=comparison)
            self._switch(previous, comparison)
        if self._engine.embedder.embedder is not self._embedder:
            self._engine.embedder.use(self._embedder)
        self._fill()  # what arrived during the switch
        store.purge_spaces()
        for tenant in store.tenants():
            _decide_deferred(replace(self._engine, tenant=tenant).request(), Filter(tenant=tenant))
        return ReindexReport(self._model, previous, self._done, switched=True, comparison=comparison)

    def _fill(self) -> int:
        """Embed what has no vector in this space. Returns how many records cannot have one, such as withheld ones."""
        store, batch = self._store, self._request.settings.ingest.batch
        total, left = _coverage(store, self._model)
        for tenant in store.tenants():
            where = Filter(tenant=tenant, echoes=True)
            while found := store.pending(where, batch * BATCHES_AT_ONCE, self._model):
                for start in range(0, len(found), batch):
                    embedded = self._embed(found[start : start + batch])
                    self._done += embedded
                    left = max(left - embedded, 0)
                    if self._progress is not None:
                        self._progress(total - left, total)
        return _coverage(store, self._model)[1]

    def _embed(self, page: Sequence[Record]) -> int:
        try:
            embedded = _embed_page(self._request, page, self._model)
        except InputError as error:
            if self._model in [space.name for space in self._store.spaces()]:
                raise
            raise EmbedError(f"The reindex to {self._model} was cancelled.", "Run it again to begin anew.") from error
        if embedded is None:
            records, left = _coverage(self._store, self._model)
            line = f"Stopped when {records - left} of {records} records had vectors of {self._model}"
            raise EmbedError(f"{line}: {self._request.arm.off}", "Run it again to continue.")
        return embedded

    def _switch(self, previous: str, comparison: SpaceComparison) -> None:
        """Make the new space active, in one short transaction and only if no record came since it was full."""
        store = self._store
        for round_ in range(ROUNDS):
            left = self._fill()
            with writing(self._request, check_policy=False) as writer:
                if _coverage(store, self._model)[1] > left and round_ < ROUNDS - 1:
                    continue
                store.activate_space(self._model)
                body = {"from": previous, "to": self._model, "overlap": round(comparison.overlap, 3)}
                for tenant in store.tenants():
                    request = replace(self._request, tenant=tenant)
                    if calibration(request, VECTOR):  # it was fitted to cosines of the old model
                        drop_calibration(request, VECTOR)
                    writer.commit(events=[request.event(MODEL_CHANGE, None, body)])
                return


def _coverage(store: Store, space: str) -> tuple[int, int]:
    """Records of all tenants, and those without a vector in a space."""
    found = [store.coverage(Filter(tenant), space) for tenant in store.tenants()]
    return sum(records for records, _ in found), sum(left for _, left in found)


def _progress_line(store: Store) -> str:
    filling = [space for space in reindex_status(store).spaces if not space.active]
    line = ", ".join(f"{space.vectors} of {space.records} records have vectors of {space.model}" for space in filling)
    return line or "it is about to begin or to end"


def embed_pending(request: Request, where: Filter) -> int:
    """Embed the records under a filter that have no vector; returns how many. Does nothing without an embedder."""
    if request.arm.embedder is None:
        return 0
    done = 0
    while page := request.store.pending(replace(where, echoes=True), request.settings.ingest.batch, request.arm.space):
        embedded = _embed_page(request, page)
        if not embedded:  # no embeddings, or the store switched to another model
            return done
        done += embedded
    if done:
        _decide_deferred(request.engine.request(), where)
    return done


def _embed_page(request: Request, page: Sequence[Record], space: str | None = None) -> int | None:
    """Embed records and store the vectors of those that did not change meanwhile; None without embeddings."""
    embedded = request.embed(page)
    if embedded is None:
        return None
    with writing(request, check_policy=False) as writer:
        now = {record.key: record for record in request.store.get([record.key for record in page])}
        kept = [
            place
            for place, record in enumerate(page)
            if record.key in now and searchable(now[record.key]) == searchable(record)
        ]
        writer.put_vectors([page[place].key for place in kept], embedded.select(kept), space)
    return len(kept)


def _decide_deferred(request: Request, where: Filter) -> None:
    """Decide the turns that the gate deferred because they had no vector, oldest first."""
    for record in request.store.find(replace(where, kinds=("turn",), durable=False)):
        if record.gate is None or record.gate.decision != "defer":
            continue
        vector = request.view.vectors([record.key]).get(record.key)
        if vector is None:
            continue
        [near] = neighbours(request, record, vector.reshape(1, -1))
        with writing(request, check_policy=False) as writer:
            decided = decide_record(request, record, near.durable, near.turns)
            writer.commit([with_new_quality(request, decided)])
