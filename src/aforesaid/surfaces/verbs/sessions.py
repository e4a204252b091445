"""Verbs for sessions, for documents with rules, and for folders of notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aforesaid.errors import InputError
from aforesaid.surfaces.formats import notes, records
from aforesaid.surfaces.formats.values import to_json
from aforesaid.surfaces.turn_files import turns_of
from aforesaid.surfaces.verbs import arguments as arg
from aforesaid.surfaces.verbs.declare import Argument, Verb

if TYPE_CHECKING:
    from aforesaid.memory import Memory


def document_name(path: str) -> str:
    """The name of a document: its path from the current folder, or the whole path when it lies elsewhere."""
    file, here = Path(path).resolve(), Path.cwd().resolve()
    return file.relative_to(here).as_posix() if file.is_relative_to(here) else file.as_posix()


def bootstrap(memory: Memory, session: str, files: Sequence[str] = (), **given: Any) -> Any:
    """Prepare a session with the turns of these files."""
    return memory.sessions.bootstrap(
        session, turns=(item.turn for file in files for item in turns_of(file, session)), **given
    )


def index(memory: Memory, path: Sequence[str] = (), name: str | None = None, **given: Any) -> Any:
    """Index folders; without one, list those that are indexed."""
    if name is not None and len(path) != 1:
        raise InputError("--name is for one folder.", "Give each folder its own call.")
    if not path:
        return memory.notes.roots(**{key: given[key] for key in ("user", "project") if key in given})
    return [memory.notes.index(each, name=name, **given) for each in path]


ONE_SESSION = Argument("session", positional=True, required=True)
FILES = Argument(
    "path", metavar="FILE...", positional=True, required=True, many=True,
    parse=lambda paths: [document_name(path) for path in paths],
)  # fmt: skip
FOLDERS = Argument("path", metavar="[FOLDER]...", positional=True, many=True)

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
    to_json=lambda begun, view: {**to_json(begun), "ingested": records.ingest_json(begun.ingested)},
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
    "expand", "sessions.expand", "Show the turns under a summary.",
    "Exactly as they were stored, oldest first.",
    (replace(arg.ID, metavar=""), *arg.WHERE),
    "aforesaid expand summary-1f0c9a52d3b7e684 --user ana",
    to_text=lambda turns, view: records.turns_text(turns),
)  # fmt: skip
END = Verb(
    "end", "sessions.end", "Close a session: finish embedding and summarise it.",
    "The session can continue later.",
    (ONE_SESSION, arg.USER),
    "aforesaid end today --user ana",
    grant="write", effect="adds", embeds=True, progress="Summarising",
)  # fmt: skip
LOAD = Verb(
    "load", "documents.load", "Load documents with rules for the agent.",
    """List items become hard rules, imperative sentences soft rules; the rest can be searched.

    Loading again replaces only what changed. A document whose hard rules do not fit their share of a prompt is refused.
    """,
    (FILES, *arg.WHO, arg.OWNER_SCOPE),
    "aforesaid load AGENTS.md docs/style.md --project shop",
    grant="write", effect="adds", opens="make", embeds=True, each="path",
    modes=(
        Verb(
            "unload", "documents.unload", "Remove documents.",
            arguments=(FILES, *arg.WHO, arg.OWNER_SCOPE),
            grant="write", effect="destroys", embeds=True, each="path",
            by=Argument("remove", "Remove the documents instead.", "flag"),
        ),
    ),
)  # fmt: skip
LINT = Verb(
    "lint", "documents.lint", "Show how the lines of a document are classified.",
    """Shows tiers, tokens, and rules that contradict each other; stores nothing.

    The exit code is 1 when rules contradict each other, or when the hard rules need more than their share of a prompt.
    """,
    (FILES,),
    "aforesaid lint AGENTS.md",
    opens="nothing", each="path",
    to_json=lambda found, view: [notes.lint_json(each) for each in found],
    to_text=lambda found, view: "\n\n".join(notes.lint_text(each, view.columns) for each in found),
    fails=lambda found, view: any(each.problems for each in found),
)  # fmt: skip
INDEX = Verb(
    "index", "notes.index", "Update the index of folders of notes.",
    """Without a folder, list the indexed ones.

    Only changed files are read and only new text is embedded; moved files keep their vectors. Left out are hidden
    folders, node_modules, logs, and everything that .gitignore and .aforesaidignore name.
    """,
    (
        FOLDERS, *arg.WHO, arg.OWNER_SCOPE,
        Argument("name", "The name of the indexed folder.  [default: the folder's own name]", metavar="NAME"),
        Argument("dry_run", "Only report what would be done.", "flag"),
    ),
    "aforesaid index ~/notes --user ana",
    grant="write", effect="adds", opens="make", embeds="path", call=index, progress="Indexing",
    to_json=notes.index_json,
    note=lambda found, view: "" if found else notes.NO_FOLDER,
    modes=(
        Verb(
            "unindex", "notes.unindex", "Remove folders from the index.",
            arguments=(replace(FOLDERS, required=True), *arg.WHO, arg.OWNER_SCOPE),
            grant="write", effect="destroys", each="path",
            to_json=notes.index_json,
            by=Argument("remove", "Remove the folders from the index instead. No file is touched.", "flag"),
        ),
    ),
)  # fmt: skip
WATCH = Verb(
    "watch", "notes.watch", "Load documents and index folders, and again whenever they change.",
    "Runs until interrupted; needs aforesaid[watch].",
    (Argument("paths", metavar="FILE|FOLDER...", positional=True, required=True, many=True), *arg.WHO, arg.OWNER_SCOPE),
    "aforesaid watch AGENTS.md ~/notes --project shop",
    grant="write", effect="adds", opens="make", embeds=True, command="special.watch",
)  # fmt: skip

VERBS = (BOOTSTRAP, COMPACT, EXPAND, END, LOAD, LINT, INDEX, WATCH)
