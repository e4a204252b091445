"""Cosine thresholds for the model in use: the settings give places, the model's scale turns them into cosines."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from aforesaid.embed.scale import Ends, ModelScale, derive_scale, shipped_scale
from aforesaid.engine.request import Request
from aforesaid.errors import StoreBusyError, StoreReadOnlyError
from aforesaid.math.cascade import tiers_for
from aforesaid.settings import Settings
from aforesaid.store.protocols import Slot, ValueKind
from aforesaid.types import Progress

LITERAL = "literal"  # the value of search.thresholds that takes the numbers of the settings as cosines


@dataclass(frozen=True, slots=True)
class DerivedThreshold:
    """A cosine threshold of the settings: its place between unrelated (0) and related texts (1), and its cosine."""

    setting: str
    place: float
    cosine: float


@dataclass(frozen=True, slots=True)
class ModelReport:
    """A measured model: the cosines of unrelated and related pairs by what is compared, and the thresholds they give.

    `stored` says whether the measurement was kept; `used` whether search.thresholds asks for derived thresholds.
    """

    model: str
    ends: Mapping[str, Ends]
    thresholds: tuple[DerivedThreshold, ...]
    stored: bool
    used: bool


def with_thresholds(request: Request) -> Request:
    """The request with every cosine threshold of its settings derived for its embedder (spec 3).

    A model that was never measured is measured now, and the result is stored. Raises EmbedError for a model that cannot
    tell related texts from unrelated ones. Without embeddings the request stays as it is.
    """
    if request.scale is not None or request.arm.embedder is None or request.settings.search.thresholds == LITERAL:
        return request
    scale = model_scale(request)
    if scale is None or not scale.prefixes.keys() >= _lower_tiers(request, scale):
        scale = measure_model(request) or scale
    return replace(request, scale=scale, settings=derived_settings(request.settings, scale)) if scale else request


def model_scale(request: Request) -> ModelScale | None:
    """The scale of the request's embedder, if it is stored or comes with the package."""
    arm = request.arm
    if arm.scale is None and arm.embedder is not None:
        stored = request.store.values.get(_slot(arm.embedder.name))
        arm.scale = ModelScale.from_json(stored) if stored else shipped_scale(arm.embedder.name)
    return arm.scale


def measure_model(request: Request, progress: Progress | None = None, *, keep: bool = True) -> ModelScale | None:
    """Measure the request's embedder and store its scale; None when embeddings are unavailable."""
    embedder = request.arm.embedder
    if embedder is None or request.arm.embed(["ready?"]) is None:
        return None
    before = model_scale(request)
    scale = derive_scale(embedder, progress, request.settings.cascade)
    if not keep:
        return scale
    if before is not None:  # other settings may use other tiers
        scale = replace(scale, prefixes={**before.prefixes, **scale.prefixes})
    request.arm.scale = scale
    with suppress(StoreReadOnlyError, StoreBusyError):  # then every process measures it again
        request.store.values.put(_slot(scale.model), scale.to_json())
    return scale


def model_report(settings: Settings, scale: ModelScale, *, stored: bool) -> ModelReport:
    """What a measured model makes of the settings; thresholds of tiers that the model does not have are left out."""
    pairs = zip(settings.rows(), derived_settings(settings, scale).rows(), strict=True)
    derived = [(given.name, given.value, found.value) for given, found in pairs if given.value != found.value]
    ends = {name: getattr(scale, name) for name in ("query", "slot", "align", "support")}
    ends |= {f"query, {width} dimensions": found for width, found in scale.prefixes.items()}
    return ModelReport(
        scale.model,
        ends,
        tuple(DerivedThreshold(name, float(place), float(cosine)) for name, place, cosine in derived),
        stored,
        settings.search.thresholds != LITERAL,
    )


def derived_settings(settings: Settings, scale: ModelScale) -> Settings:
    """The settings with cosines in place of the places between unrelated and related pairs."""
    cascade, libra, time, compact = settings.cascade, settings.libra, settings.time, settings.compact
    return replace(
        settings,
        cascade=replace(
            cascade,
            exit1=_exit(scale, cascade.tier1_dimensions, cascade.exit1),
            exit2=_exit(scale, cascade.tier2_dimensions, cascade.exit2),
        ),
        libra=replace(libra, theta1=scale.query.cosine(libra.theta1)),
        time=replace(
            time,
            slot_cosine=scale.slot.cosine(time.slot_cosine),
            recovery_cosine=scale.query.cosine(time.recovery_cosine),
        ),
        compact=replace(
            compact, align=scale.align.cosine(compact.align), support=scale.support.cosine(compact.support)
        ),
    )


def _exit(scale: ModelScale, width: int, place: float) -> float:
    """The cosine at which a tier may answer (spec 3, L4).

    A tier that cannot tell the nearest record from the others answers only with an identical one. A model without that
    tier never asks, so the place stays as it is.
    """
    ends = scale.prefixes.get(width)
    if ends is None:
        return place
    return ends.cosine(place) if ends.apart else 1.0


def _lower_tiers(request: Request, scale: ModelScale) -> set[int]:
    """The tiers below the full vectors. The scale knows their length; a remote embedder may have to ask."""
    return set(tiers_for(len(scale.centre), request.arm.matryoshka, request.settings.cascade)[:-1])


def _slot(model: str) -> Slot:
    return Slot(ValueKind.SCALE, "", name=model)
