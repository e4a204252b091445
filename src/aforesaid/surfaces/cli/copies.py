"""`aforesaid backup` into a folder: named by the time, a number of copies kept, once or again and again."""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from aforesaid.errors import AforesaidError
from aforesaid.surfaces.formats.report import size
from aforesaid.surfaces.formats.values import to_json

if TYPE_CHECKING:
    from aforesaid.surfaces.cli.app import App
    from aforesaid.surfaces.verbs.declare import Verb

DEFAULT_KEEP = 8
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
DURATION = re.compile(r"(\d+)([smhd])")


def seconds(text: str) -> int:
    """A duration as it is typed: 30m, 6h, 1d."""
    found = DURATION.fullmatch(text.strip())
    if found is None or not int(found[1]):
        raise click.BadParameter(f"{text!r} is not a duration; write 30m, 6h or 1d.", param_hint="'--every'")
    return int(found[1]) * SECONDS[found[2]]


def rotated(app: App, verb: Verb, values: Mapping[str, Any]) -> int:
    """Make one copy in a folder and delete the oldest there. The store is open only meanwhile."""
    with app.open_for(verb, values) as memory:
        made = memory.maintenance.rotate(values["path"], keep=values["keep"] or DEFAULT_KEEP)
    gone = f"; deleted {len(made.deleted)} old" if made.deleted else ""
    app.say(to_json(made), f"copied {size(made.bytes)} to {made.file}{gone}")
    return 0


def repeated(app: App, verb: Verb, values: Mapping[str, Any]) -> int:
    """Make copies until interrupted. One that fails is reported, and the next is tried at its time."""
    pause, stop = seconds(values["every"]), threading.Event()
    rotated(app, verb, values)  # a mistake in the arguments ends it at once
    with suppress(ValueError):  # not in the main thread
        signal.signal(signal.SIGTERM, lambda *_: stop.set())
    app.note(f"the next copy is made in {values['every']}; stop with ctrl-c")
    while not stop.wait(pause):
        try:
            rotated(app, verb, values)
        except AforesaidError as error:
            app.note(f"{error.message} {error.remedy}".strip())
    return 0
