"""What the verbs of governance say: policies, candidates, contexts, rollbacks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from aforesaid.surfaces.formats.columns import clip, one_line, snippet, table, visible
from aforesaid.surfaces.formats.common import counted, plain, stamp
from aforesaid.types import SUPERSEDED_BY, Record

if TYPE_CHECKING:  # these rooms import numpy
    from aforesaid.governance.apply_policy import PolicyReport, Revision, Validation
    from aforesaid.governance.promotion import Rollback
    from aforesaid.policy.repository import Adopted
    from aforesaid.retrieval.activation import ActiveContext


def adopted_dict(adopted: Adopted) -> dict[str, Any]:
    """A policy's place in history, without its text."""
    return {name: plain(getattr(adopted, name)) for name in ("number", "version", "digest", "time", "by")}


def policy_dict(report: PolicyReport) -> dict[str, Any]:
    """What a policy changes."""
    counts = {name: getattr(report, name) for name in ("records", "withheld", "released", "expiring", "unclean")}
    adopted = adopted_dict(report.adopted) if report.adopted else None
    return {"adopted": adopted, "changes": plain(report.changes), "doubts": list(report.doubts), **counts}


def policy_text(report: PolicyReport) -> str:
    """What changes in the rules, then among the records, then what to look at."""
    head = f"in force: {report.adopted.version} (number {report.adopted.number})" if report.adopted else "dry run"
    changes = [f"  {change.path}: {_value(change.before)} → {_value(change.after)}" for change in report.changes]
    records = (
        f"{counted(report.records, 'record')}: {report.withheld} withheld, {report.released} released, "
        f"{report.expiring} with a new time to live"
    )
    unclean = (
        [f"{report.unclean} hold words that the policy takes out: `aforesaid validate --stored --mend` mends them"]
        if report.unclean
        else []
    )
    return "\n".join(
        [head, *(changes or ["  nothing changes"]), records, *unclean, *map("doubtful: {}".format, report.doubts)]
    )


def _value(value: object) -> str:
    return "–" if value is None else one_line(str(value))


def history_text(found: Sequence[Adopted]) -> str:
    """A line a policy."""
    rows = [(str(each.number), each.version, stamp(each.time), each.digest[:12], each.by) for each in found]
    return "\n".join(table(rows)) if rows else "No policy was given."


def validation_text(found: Validation) -> str:
    """What is left of a text, what was taken out, and what stands against it."""
    lines = [visible(found.text), f"class {found.boundary}"]
    lines += [f"taken out: {', '.join(found.found)}"] if found.found else []
    lines += [f"not allowed to be kept: {', '.join(found.write)}"] if found.write else []
    lines += [f"kept, but shown to nobody: {', '.join(found.read)}"] if found.read else []
    return "\n".join(lines)


def revision_text(revision: Revision) -> str:
    """What a look at stored records found."""
    kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(revision.kinds.items()))
    return (
        f"{counted(revision.records, 'record')}: {revision.unclean} hold what should go"
        f"{f' ({kinds})' if kinds else ''}, {revision.mended} mended"
    )


def kept_text(record: Record) -> str:
    """A record that was just kept, in a line."""
    until = f" until {stamp(record.expires)}" if record.expires else ""
    redacted = f"; taken out: {', '.join(record.redactions)}" if record.redactions else ""
    return f"kept {record.id}{until}{redacted}"


def rollback_text(done: Rollback) -> str:
    """What ended, what holds again, and what may be wrong now."""
    lines = [f"ended {done.ended.id}"]
    lines += [f"holds again: {done.restored.id}"] if done.restored else []
    lines += [f"stale: {', '.join(done.stale)}"] if done.stale else []
    lines += [f"active contexts told: {', '.join(done.contexts)}"] if done.contexts else []
    return "\n".join(lines)


def active_text(context: ActiveContext, columns: int) -> str:
    """The items by rank, each with its reason; then how long the context lives."""
    lines = []
    for item in context.items:
        head = (
            f"{item.rank:>2}. {item.score:.3f}  {item.record.claim_type or item.record.kind}  {visible(item.record.id)}"
        )
        lines += [clip(head, columns), "    " + snippet(item.record.text, columns - 4, ""), "    " + item.reason]
    uses = "" if context.uses_left is None else f", {counted(context.uses_left, 'more use')}"
    below = f"; {context.below_threshold} below the threshold" if context.below_threshold else ""
    return "\n".join([*lines, f"{context.id}: {context.intent}, until {stamp(context.expires)}{uses}{below}"])


def versions_text(found: Sequence[Record], columns: int) -> str:
    """A line a version: from when to when it held, what it says."""
    rows = []
    for record in found:
        old = record.valid_to is not None or SUPERSEDED_BY in record.meta
        until = stamp(record.valid_to) if record.valid_to else ""
        rows.append(("×" if old else " ", stamp(record.time), until, one_line(record.id), one_line(record.text)))
    return "\n".join(clip(line, columns) for line in table(rows))
