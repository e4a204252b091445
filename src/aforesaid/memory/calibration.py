"""`memory.calibration`: scores of the `pce` profile as probabilities, and cosine thresholds for the model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from aforesaid.engine.request import Request
from aforesaid.engine.thresholds import ModelReport, measure_model, model_report
from aforesaid.errors import EmbedError
from aforesaid.learning import calibrate
from aforesaid.learning.feedback import raw_scores
from aforesaid.learning.labels import Label, feedback_labels
from aforesaid.math.calibration import Method
from aforesaid.memory.handle import Handle
from aforesaid.memory.visibility import find_visible
from aforesaid.types import Progress, Record


@dataclass(frozen=True, slots=True)
class RelevanceLabel:
    """A judged record: whether it is relevant to a query or, for the gate, whether it should be durable."""

    id: str
    relevant: bool
    query: str = ""
    session: str | None = None


class CalibrationHandle(Handle):
    """The calibration of one tenant: fit, reset, measure_model."""

    def fit(
        self,
        labels: Iterable[Label | RelevanceLabel] | None = None,
        *,
        method: Method = "isotonic",
        side: calibrate.Side = "both",
        dry_run: bool = False,
        force: bool = False,
        user: str | None = None,
        project: str | None = None,
        progress: Progress | None = None,
    ) -> calibrate.CalibrationReport:
        """Fit the scores of the `pce` profile to labels. Return the error before and after.

        A fit that is worse than the raw scores on held-out labels is not kept, unless `force` is set.

        Args:
            labels: Judged records, or their scores; by default the labels from `feedback`.
            method: `isotonic` or `platt`.
            side: Which score to fit: `text`, `vector` or `both`.
            force: Keep the fit even if it is worse.

        Raises:
            InputError: A label is not valid, or there are too few.
        """
        request = self._engine.request()
        found = feedback_labels(request) if labels is None else _labels(request, labels, user, project, progress)
        return self._engine.run(
            lambda request: calibrate.calibrate(request, found, method, side, dry_run=dry_run, force=force)
        )

    def measure_model(self, *, dry_run: bool = False, progress: Progress | None = None) -> ModelReport:
        """Measure what the cosines of the embedding model mean, and store it.

        Cosine thresholds are places between unrelated and related texts; the measured scale turns them into cosines.
        The default model comes with its scale, and any other is measured when it is first needed.

        Args:
            dry_run: Report only; store nothing.
            progress: Called with (done, total) while texts are embedded.

        Returns:
            The cosines of unrelated and related pairs by what is compared, and what each threshold becomes.

        Raises:
            EmbedError: There are no embeddings, or the model cannot tell related texts from unrelated ones.
        """
        request = self._engine.request()
        scale = measure_model(request, progress, keep=not dry_run)
        if scale is None:
            raise EmbedError(f"There are no embeddings to measure: {request.arm.off}.", "Set embed.provider.")
        return model_report(request.settings, scale, stored=not dry_run)

    def reset(self) -> tuple[str, ...]:
        """Go back to raw scores. Return the names of the stored fits that were removed."""
        return self._engine.run(lambda request: calibrate.reset(request, gate=False))


def _labels(
    request: Request,
    given: Iterable[Label | RelevanceLabel],
    user: str | None,
    project: str | None,
    progress: Progress | None,
) -> list[Label]:
    """Return labels with scores. A judged record gets the scores that its query gives it now."""
    judged: dict[str, list[tuple[Record, bool]]] = {}
    found: list[Label] = []
    for each in given:
        if isinstance(each, RelevanceLabel):
            record = find_visible(request, each.id, user=user, project=project, session=each.session, least_chars=None)
            judged.setdefault(each.query, []).append((record, each.relevant))
        else:
            found.append(each)
    for done, (query, records) in enumerate(judged.items(), 1):
        scores = raw_scores(request, query, [record.key for record, _ in records])
        for record, relevant in records:
            found.append(Label(*scores[record.key], relevant, query))
        if progress is not None:
            progress(done, len(judged))
    return found
