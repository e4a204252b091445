"""Checks an exported audit log with hashlib alone."""

from __future__ import annotations

import hashlib
import json


def proved(lines: list[str]) -> bool:
    """Whether an export holds, by what the page of `aforesaid.governance.audit` says and nothing else."""

    def digest(value: object) -> str:
        return hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).hexdigest()

    head, *events, foot = [json.loads(line) for line in lines]
    before = head["anchor"]
    for event in events:
        if event["digest"]:
            content = event["body"]["content"] if event["erased"] else digest([event["subject"], event["body"]])
            if digest([before, event["time"], head["tenant"], event["topic"], content]) != event["digest"]:
                return False
            before = event["digest"]
    return bool(before == foot["head"] and len(events) == foot["events"])
