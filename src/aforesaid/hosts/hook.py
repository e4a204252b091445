"""Runs one hook: read the event → handle it → answer. Whatever happens, the host goes on.

A thread does the work and the caller waits for it, up to the time limit of the event. A model that loads or a lock that
another process holds cannot be interrupted, but we can answer without them. The next event continues the work.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from aforesaid.errors import FormatError
from aforesaid.hosts.log import describe_error, write_log
from aforesaid.settings import Settings

MAX_STDIN_BYTES = 64 << 20  # an event may contain the whole output of a tool
TICK_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class HookOptions:
    """The options of `aforesaid hook`: the host, and the owner of what is stored. The event gives what is left out."""

    host: str = "auto"
    user: str | None = None
    project: str | None = None


@dataclass
class Work:
    """The state of the working thread."""

    limit_seconds: float
    answer: dict[str, Any] = field(default_factory=dict)
    about: str = "an event"
    outcome: str = ""


Responder = Callable[[Mapping[str, Any], Settings, HookOptions], tuple[dict[str, Any], str, str]]


def run_hook(
    read: Callable[[], bytes],
    settings: Callable[[], Settings],
    respond: Responder,
    options: HookOptions,
    limit_seconds: float | None = None,
) -> tuple[dict[str, Any], bool]:
    """Answer one event. Never raises: errors go to the log, and the answer is empty.

    Args:
        read: Returns the event as JSON.
        settings: Returns the settings.
        respond: Handles the event.
        options: The options of the command.
        limit_seconds: The time limit; by default the settings have one for each kind of event.

    Returns:
        The answer, and whether the thread has finished. If not, it still runs.
    """
    began = time.monotonic()
    work = Work(limit_seconds if limit_seconds is not None else Settings().hooks.event_ms / 1000)

    def run() -> None:
        try:
            payload = _payload(read())
            limit_ms = "prompt_ms" if payload.get("hook_event_name") == "UserPromptSubmit" else "event_ms"
            if limit_seconds is None:  # the default applies while the settings are read, which may be slow
                work.limit_seconds = getattr(Settings().hooks, limit_ms) / 1000
            rows = settings()
            if limit_seconds is None:
                work.limit_seconds = getattr(rows.hooks, limit_ms) / 1000
            work.answer, work.about, work.outcome = respond(payload, rows, options)
        except BaseException as error:  # noqa: BLE001 - not even an exit or a lack of memory may fail the host
            work.outcome = f"failed: {describe_error(error)}"

    thread = threading.Thread(target=run, daemon=True, name="aforesaid-hook")
    thread.start()
    while thread.is_alive() and time.monotonic() - began < work.limit_seconds:
        thread.join(min(TICK_SECONDS, work.limit_seconds))
    finished = not thread.is_alive()
    outcome = work.outcome if finished else f"gave up after {work.limit_seconds:g} s"
    write_log(f"{work.about} {time.monotonic() - began:.2f} s {outcome}")
    return (work.answer if finished else {}), finished


def _payload(data: bytes) -> Mapping[str, Any]:
    """Parse the event. Anything but an object counts as an empty one."""
    try:
        value = json.loads(data.decode("utf-8-sig", errors="replace")) if data.strip() else {}
    except (ValueError, RecursionError):
        raise FormatError("The event is not JSON.", "A host sends its event as one JSON object.") from None
    return value if isinstance(value, dict) else {}
