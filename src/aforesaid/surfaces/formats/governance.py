"""Policies, candidates, task contexts and rollbacks as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from aforesaid.surfaces.formats.columns import clip, one_line, snippet, table, visible
from aforesaid.surfaces.formats.records import counted, stamp
from aforesaid.types import SUPERSEDED_BY, Record

if TYPE_CHECKING:  # these rooms import numpy
    from aforesaid.governance.apply_policy import PolicyReport, PolicyValidation, RevisionReport
    from aforesaid.governance.promotion import RollbackReport
    from aforesaid.policy.repository import AdoptedPolicy
    from aforesaid.retrieval.activation import ActiveContext


def policy_text(report: PolicyReport) -> str:
    """The changed rules, then the changed records, then the warnings."""
    head = f"in force: {report.adopted.version} (number {report.adopted.number})" if report.adopted else "dry run"
    changes = [f"  {change.path}: {_value(change.before)} → {_value(change.after)}" for change in report.changes]
    records = (
        f"{counted(report.records, 'record')}: {report.withheld} withheld, {report.released} released, "
        f"{report.expiring} with a new time to live"
    )
    redact = "contain text that the policy redacts: `aforesaid validate --stored --mend` removes it"
    unclean = [f"{report.unclean} {redact}"] if report.unclean else []
    doubts = map("doubtful: {}".format, report.doubts)
    return "\n".join([head, *(changes or ["  nothing changes"]), records, *unclean, *doubts])


def _value(value: object) -> str:
    return "–" if value is None else one_line(str(value))


def history_text(found: Sequence[AdoptedPolicy]) -> str:
    """One policy a line."""
    rows = [(str(each.number), each.version, stamp(each.time), each.digest[:12], each.by) for each in found]
    return "\n".join(table(rows)) or "No policy was given."


def validation_text(found: PolicyValidation) -> str:
    """The text after redaction, its privacy class, and the rules that it breaks."""
    rows = (
        ("redacted", found.found),
        ("not allowed to be kept", found.write),
        ("kept, but hidden", found.read),
    )
    lines = [f"{label}: {', '.join(names)}" for label, names in rows if names]
    return "\n".join([visible(found.text), f"class {found.boundary}", *lines])


def revision_text(revision: RevisionReport) -> str:
    """The result of a check of all stored records."""
    kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(revision.kinds.items()))
    found = f"{revision.unclean} contain text to redact{f' ({kinds})' if kinds else ''}"
    return f"{counted(revision.records, 'record')}: {found}, {revision.mended} mended"


def kept_text(record: Record) -> str:
    """A record that was just stored, in one line."""
    until = f" until {stamp(record.expires)}" if record.expires else ""
    redacted = f"; redacted: {', '.join(record.redactions)}" if record.redactions else ""
    return f"kept {record.id}{until}{redacted}"


def rollback_text(done: RollbackReport) -> str:
    """The claim that ended, the one that is valid again, and the records that may be wrong now."""
    lines = [f"ended {done.ended.id}"]
    lines += [f"valid again: {done.restored.id}"] if done.restored else []
    lines += [f"stale: {', '.join(done.stale)}"] if done.stale else []
    lines += [f"marked in active contexts: {', '.join(done.contexts)}"] if done.contexts else []
    return "\n".join(lines)


def active_text(context: ActiveContext, columns: int) -> str:
    """The items by rank, each with its reason; then how long the context is kept."""
    lines = []
    for item in context.items:
        record = item.record
        head = f"{item.rank:>2}. {item.score:.3f}  {record.claim_type or record.kind}  {visible(record.id)}"
        lines += [clip(head, columns), "    " + snippet(record.text, columns - 4, ""), "    " + item.reason]
    uses = "" if context.uses_left is None else f", {counted(context.uses_left, 'more use')}"
    below = f"; {context.below_threshold} below the threshold" if context.below_threshold else ""
    return "\n".join([*lines, f"{context.id}: {context.intent}, until {stamp(context.expires)}{uses}{below}"])


def versions_text(found: Sequence[Record], columns: int) -> str:
    """One version a line: when it was valid, and its text."""
    rows = []
    for record in found:
        old = record.valid_to is not None or SUPERSEDED_BY in record.meta
        until = stamp(record.valid_to) if record.valid_to else ""
        rows.append(("×" if old else " ", stamp(record.time), until, one_line(record.id), one_line(record.text)))
    return "\n".join(clip(line, columns) for line in table(rows))
