"""Learning from use: what callers say of records, and what can be fitted to it; the gate's ledger."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from aforesaid._util.lazy import Lazy
from aforesaid.errors import InputError
from aforesaid.math.calibration import Method
from aforesaid.math.usefulness import Signal
from aforesaid.memory.base import Base, Time
from aforesaid.retrieval.search import Page
from aforesaid.types import Decision, Filter, Record, as_time, check_choice

if TYPE_CHECKING:
    from aforesaid.learning import calibrate as calibrating
    from aforesaid.learning import feedback as judging
    from aforesaid.learning import gate_log as ledger
    from aforesaid.learning import labels as labelling
else:
    calibrating = Lazy("aforesaid.learning.calibrate")
    judging = Lazy("aforesaid.learning.feedback")
    labelling = Lazy("aforesaid.learning.labels")
    ledger = Lazy("aforesaid.learning.gate_log")

DECISIONS: tuple[Decision, ...] = ("admit", "defer", "reject")

Row = tuple[float | None, float | None, bool]  # BM25, cosine, whether it was the right record


@dataclass(frozen=True, slots=True)
class RelevanceLabel:
    """A record by its name, and whether it is relevant to a query; for the gate, whether it should be durable."""

    id: str
    relevant: bool
    query: str = ""
    session: str | None = None


class Learning(Base):
    """Feedback, calibration and the ledger."""

    def feedback(
        self,
        id: str,  # noqa: A002 - the word people use
        signal: Signal,
        *,
        user: str | None = None,
        project: str | None = None,
        session: str | None = None,
        of: str | None = None,
        query: str | None = None,
        now: Time | None = None,
    ) -> judging.Feedback:
        """Say that a record was helpful, harmful or outdated, or a duplicate `of` another; once a minute counts.

        With the `query` it was found by, the scores are kept as a label for `calibrate`; the query itself is not.
        """
        record = self.get(id, user=user, project=project, session=session)
        other = self.get(of, user=user, project=project) if of is not None else None
        moment = as_time(now, "now") if now is not None else self._engine.clock()
        into = other.key if other is not None else None
        return self._engine.run(
            lambda request: judging.feedback(request, record.key, signal, moment, into=into, query=query)
        )

    def calibrate(
        self,
        labels: Iterable[Row | labelling.Label | RelevanceLabel] | None = None,
        *,
        method: Method = "isotonic",
        side: calibrating.Side = "both",
        dry_run: bool = False,
        force: bool = False,
        user: str | None = None,
        project: str | None = None,
        progress: ledger.Progress | None = None,
    ) -> calibrating.CalibrationReport:
        """Fit the scores of the `pce` profile to labels: those of feedback, or rows, or records judged for queries.

        What is worse than the raw scores on labels held out is not kept, unless forced.
        """
        if labels is None:
            found = labelling.feedback_labels(self._engine.request())
        else:
            found = self._labels(list(labels), user, project, progress)
        return self._engine.run(
            lambda request: calibrating.calibrate(request, found, method, side, dry_run=dry_run, force=force)
        )

    def calibrate_gate(
        self,
        labels: Iterable[tuple[float, bool] | labelling.GateLabel | RelevanceLabel] | None = None,
        *,
        dry_run: bool = False,
        user: str | None = None,
        project: str | None = None,
        progress: ledger.Progress | None = None,
    ) -> calibrating.GateReport:
        """Set the gate's threshold where a turn is as likely useful as not; without labels it stays as it is set."""
        if labels is None:
            found = labelling.feedback_gate_labels(self._engine.request())
        else:
            found = [self._gate_label(label, user, project) for label in labels]
        return self._engine.run(
            lambda request: calibrating.calibrate_gate(request, found, dry_run=dry_run, progress=progress)
        )

    def reset_calibration(self, *, gate: bool = False) -> tuple[str, ...]:
        """Go back to raw scores or, with `gate`, to the threshold of the settings; the names of what was there."""
        return self._engine.run(lambda request: calibrating.reset(request, gate=gate))

    def gate_ledger(
        self,
        *,
        user: str | None = None,
        session: str | None = None,
        decision: Decision | None = None,
        since: Time | None = None,
        until: Time | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> list[ledger.LedgerEntry]:
        """What the gate decided and from which terms, newest first; a turn that was forgotten is gone from it."""
        if decision is not None:
            check_choice(decision, DECISIONS, "decision")
        page = Page(limit, offset)
        every = ledger.entries(self._engine.request(), self._weighed(user, session, since, until))
        return list(islice((e for e in every if decision in (None, e.decision)), page.offset, page.end))

    def gate_replay(
        self,
        weights: Mapping[str, float],
        *,
        user: str | None = None,
        session: str | None = None,
        since: Time | None = None,
        until: Time | None = None,
        limit: int | None = None,
        progress: ledger.Progress | None = None,
    ) -> ledger.Replay:
        """What other `gate.*` settings would have decided, from the stored terms: the threshold and branch weights."""
        where = self._weighed(user, session, since, until)
        return ledger.replay(self._engine.request(), where, weights, limit=limit, progress=progress)

    def _weighed(self, user: str | None, session: str | None, since: Time | None, until: Time | None) -> Filter:
        return self.where(user=user, session=session, kinds=("turn",), since=since, until=until, superseded=True)

    def _labels(
        self,
        given: list[Row | labelling.Label | RelevanceLabel],
        user: str | None,
        project: str | None,
        progress: ledger.Progress | None,
    ) -> list[labelling.Label]:
        """Labels as they are; records that were judged get the scores that their query gives them now."""
        judged: dict[str, list[tuple[Record, bool]]] = {}
        found: list[labelling.Label] = []
        for each in given:
            if isinstance(each, RelevanceLabel):
                record = self.get(each.id, user=user, project=project, session=each.session)
                judged.setdefault(each.query, []).append((record, each.relevant))
            else:
                found.append(each if isinstance(each, labelling.Label) else _label(each))
        for done, (query, named) in enumerate(judged.items(), 1):
            scores = judging.raw_scores(self._engine.request(), query, [record.key for record, _ in named])
            for record, relevant in named:
                raw = scores[record.key]
                found.append(labelling.Label(raw.bm25, raw.cosine, relevant, query))
            if progress is not None:
                progress(done, len(judged))
        return found

    def _gate_label(
        self, label: tuple[float, bool] | labelling.GateLabel | RelevanceLabel, user: str | None, project: str | None
    ) -> labelling.GateLabel:
        if isinstance(label, labelling.GateLabel):
            return label
        if not isinstance(label, RelevanceLabel):
            score, useful = label
            return labelling.GateLabel(float(score), bool(useful))
        record = self.get(label.id, user=user, project=project, session=label.session)
        if record.gate is None or record.gate.decision == "defer":
            raise InputError(
                f"{record.id!r} has no G: the gate {'waits for its vector' if record.gate else 'did not weigh it'}.",
                "Leave it out of the labels; `aforesaid gate list` shows what was weighed.",
            )
        return labelling.GateLabel(record.gate.score, label.relevant, record.key)


def _label(row: Row) -> labelling.Label:
    try:
        bm25, cosine, relevant = row
        words, meaning = (None if value is None else float(value) for value in (bm25, cosine))
    except (TypeError, ValueError):
        raise InputError(f"{row!r} is not a label.", "Give (bm25, cosine, relevant); a score may be None.") from None
    return labelling.Label(words, meaning, bool(relevant))
