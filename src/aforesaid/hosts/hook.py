"""One event of a host: read → do what it asks for → answer. Whatever happens, the host goes on.

A thread works and the caller waits, no longer than the event may take: a model that loads or a lock that is held cannot
be interrupted, but the answer can be given without them. What was not finished is taken up at the next event.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from aforesaid.errors import FormatError
from aforesaid.hosts.log import note, told
from aforesaid.settings import Settings

MAX_STDIN_BYTES = 64 << 20  # of an event; a tool's whole output may be in it
TICK_SECONDS = 0.02
NOTHING: dict[str, Any] = {}


@dataclass(frozen=True, slots=True)
class HookOptions:
    """What the command line says of a hook; what it leaves open, the event says."""

    host: str = "auto"
    user: str | None = None
    project: str | None = None


@dataclass
class Work:
    """What a thread has come to so far."""

    limit: float
    answer: dict[str, Any] = field(default_factory=dict)
    about: str = "an event"
    outcome: str = ""


Responder = Callable[[Mapping[str, Any], Settings, HookOptions], tuple[dict[str, Any], str, str]]


def answered(
    read: Callable[[], bytes],
    settings: Callable[[], Settings],
    respond: Responder,
    wish: HookOptions,
    limit: float | None = None,
) -> tuple[dict[str, Any], bool]:
    """The answer to the event that `read` gives, and whether the work is over; if not, it is left behind.

    `limit` in seconds instead of the settings' own. Nothing is ever raised: what goes wrong is in the log.
    """
    began = time.monotonic()
    work = Work(limit if limit is not None else Settings().hooks.event_ms / 1000)

    def run() -> None:
        try:
            _work(work, read, settings, respond, wish, limit)
        except BaseException as error:  # noqa: BLE001 - an exit or a lack of memory is no reason to fail the host
            work.outcome = f"failed: {told(error)}"
            work.answer = NOTHING

    thread = threading.Thread(target=run, daemon=True, name="aforesaid-hook")
    thread.start()
    while thread.is_alive() and time.monotonic() - began < work.limit:
        thread.join(min(TICK_SECONDS, work.limit))
    over = not thread.is_alive()
    outcome = work.outcome if over else f"gave up after {work.limit:g} s"
    note(f"{work.about} {time.monotonic() - began:.2f} s {outcome}")
    return (work.answer if over else NOTHING), over


def _work(
    work: Work,
    read: Callable[[], bytes],
    settings: Callable[[], Settings],
    respond: Responder,
    wish: HookOptions,
    limit: float | None,
) -> None:
    payload = _payload(read())
    name = payload.get("hook_event_name")
    if name == "UserPromptSubmit":  # before anything slow, such as reading the settings
        work.limit = limit if limit is not None else Settings().hooks.prompt_ms / 1000
    rows = settings()
    if limit is None:
        work.limit = (rows.hooks.prompt_ms if name == "UserPromptSubmit" else rows.hooks.event_ms) / 1000
    work.answer, work.about, work.outcome = respond(payload, rows, wish)


def _payload(data: bytes) -> Mapping[str, Any]:
    """The event as an object; an empty one for anything else."""
    try:
        value = json.loads(data.decode("utf-8-sig", errors="replace")) if data.strip() else {}
    except (ValueError, RecursionError):
        raise FormatError("What came in is not JSON.", "A host hands its event over as one JSON object.") from None
    return value if isinstance(value, dict) else {}
