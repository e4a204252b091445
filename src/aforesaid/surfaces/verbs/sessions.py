"""Verbs for sessions: begin and end one, summarise its older turns and read them again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from aforesaid.surfaces.formats import records as shown
from aforesaid.surfaces.formats.values import to_json
from aforesaid.surfaces.turn_files import turns_of
from aforesaid.surfaces.verbs import arguments as arg
from aforesaid.surfaces.verbs.declare import Argument, Verb
from aforesaid.surfaces.verbs.documents import document_name

if TYPE_CHECKING:
    from aforesaid.memory import Memory

ONE_SESSION = Argument("session", positional=True, required=True)


def bootstrap(memory: Memory, session: str, files: Sequence[str] = (), **given: Any) -> Any:
    """Prepare a session with the turns of these files."""
    return memory.sessions.bootstrap(
        session, turns=(item.turn for file in files for item in turns_of(file, session)), **given
    )


BOOTSTRAP = Verb(
    "bootstrap", "sessions.bootstrap", "Prepare a session.",
    """Loads its documents, stores earlier turns and starts the model; safe to repeat.

    A document that cannot be loaded is named, and its earlier rules stay. The exit code is 1 then.
    """,
    (
        ONE_SESSION, *arg.WHO, arg.AGENT,
        Argument(
            "documents", "A document with rules; may be repeated.", many=True, metavar="FILE", flags=("--document",),
            parse=lambda paths: [document_name(path) for path in paths],
        ),
        Argument("files", "A file with earlier turns; may be repeated.", many=True, metavar="FILE", flags=("--from",)),
    ),
    "aforesaid bootstrap today --user ana --project shop --document AGENTS.md --from earlier.jsonl",
    grant="write", effect="adds", opens="make", embeds=True, call=bootstrap,
    to_json=lambda begun, view: {**to_json(begun), "ingested": shown.ingest_json(begun.ingested)},
    fails=lambda begun, view: bool(begun.failed),
)  # fmt: skip
COMPACT = Verb(
    "compact", "sessions.compact", "Summarise the older turns of a session.",
    """The turns stay, and `expand` shows them.

    The most recent turns are left as they are. Rules that a person gave ("from now on, always …") are kept word for
    word.
    """,
    (Argument("session", metavar="SESSION...", positional=True, required=True, many=True), arg.USER),
    "aforesaid compact monday tuesday --user ana",
    grant="write", effect="adds", embeds=True, each="session", progress="Summarising",
)  # fmt: skip
EXPAND = Verb(
    "expand",
    "sessions.expand",
    "Show the turns under a summary.",
    "Exactly as they were stored, oldest first.",
    (replace(arg.ID, metavar=""), *arg.WHERE),
    "aforesaid expand summary-1f0c9a52d3b7e684 --user ana",
    to_text=lambda turns, view: shown.turns_text(turns),
)
END = Verb(
    "end", "sessions.end", "Close a session: finish embedding and summarise it.",
    "The session can continue later.",
    (ONE_SESSION, arg.USER),
    "aforesaid end today --user ana",
    grant="write", effect="adds", embeds=True, progress="Summarising",
)  # fmt: skip

VERBS = (BOOTSTRAP, COMPACT, EXPAND, END)
