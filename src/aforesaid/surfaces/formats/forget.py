"""What `forget` says: what went, what was cleaned besides, and the proof that it is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aforesaid.surfaces.formats.columns import one_line, table, visible
from aforesaid.surfaces.formats.common import counted, plain, size, stamp

if TYPE_CHECKING:  # these rooms import numpy
    from aforesaid.deletion.forget import Receipt

MOST_TRACES = 10  # places shown of those where something was found


def receipt_dict(receipt: Receipt) -> dict[str, Any]:
    """A receipt with every field, and whether it is proven."""
    proof = None if receipt.proof is None else {**plain(receipt.proof), "bytes": receipt.proof.bytes}
    return {**plain(receipt), "proof": proof, "proven": receipt.proven, "remedy": receipt.remedy}


def receipt_text(receipt: Receipt) -> str:
    """A receipt for people."""
    if receipt.dry_run:
        return _would_text(receipt)
    lines = [f"forgot {counted(receipt.records, 'record')} at {stamp(receipt.time)} UTC{_kinds(receipt)}"]
    if receipt.scrubbed:
        lines.append("also: " + ", ".join(f"{count} {name}" for name, count in receipt.scrubbed.items()))
    if receipt.to_summarise:
        names = ", ".join(map(visible, receipt.to_summarise))
        lines.append(f"without a summary now, until `aforesaid compact` makes one: {names}")
    return "\n".join([*lines, *_proof_lines(receipt)])


def _kinds(receipt: Receipt) -> str:
    if not receipt.kinds:
        return ""
    derived = f", {receipt.derived} of them made of the others" if receipt.derived else ""
    return ": " + ", ".join(f"{count} {kind}" for kind, count in receipt.kinds.items()) + derived


def _proof_lines(receipt: Receipt) -> list[str]:
    proof = receipt.proof
    if proof is None:
        return ["not proven: the files were not looked through"]
    looked = f"looked for {counted(proof.needles, 'trace')} in {counted(len(proof.files), 'file')}, {size(proof.bytes)}"
    if receipt.proven:
        return [f"proven: {looked}; none is left"]
    places = [f"  {visible(each.file)} at byte {each.offset}: {each.what}" for each in proof.found[:MOST_TRACES]]
    more = len(proof.found) - len(places)
    return [
        f"NOT PROVEN: {looked}; {len(proof.found)} found:",
        *places,
        *([f"  and {more} more"] if more else []),
        receipt.remedy,
    ]


def _would_text(receipt: Receipt) -> str:
    rows = [(one_line(each.id), each.kind, "made of the others" if each.derived else "") for each in receipt.would]
    more = receipt.records - len(rows)
    return "\n".join(
        [
            f"would forget {counted(receipt.records, 'record')}{_kinds(receipt)}",
            *(f"  {line}" for line in (table(rows) if rows else [])),
            *([f"  and {more} more"] if more else []),
        ]
    )
