"""Verbs for the store as a whole: export, import, back up, check, and read the audit log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aforesaid.surfaces.formats import maintenance as shown
from aforesaid.surfaces.formats.records import page_json
from aforesaid.surfaces.formats.report import counted, size
from aforesaid.surfaces.formats.values import to_json
from aforesaid.surfaces.verbs import arguments as arg
from aforesaid.surfaces.verbs.declare import Argument, Verb

if TYPE_CHECKING:
    from aforesaid.maintenance.reindex import ReindexReport
    from aforesaid.memory import Memory

FORMATS = ("auto", "claude-code", "codex", "openclaw", "chatgpt", "mem0", "jsonl")


def stats(memory: Memory) -> dict[str, Any]:
    """Counts of the store, its spaces of vectors, and of searches if they are logged."""
    return {"stats": memory.stats(), "spaces": memory.store.spaces(), "searches": memory.audit.searches()}


def verify(memory: Memory, repair: bool = False) -> dict[str, Any]:
    """The problems of the store, and how many records were checked."""
    return {"problems": memory.maintenance.verify(repair=repair), "records": memory.stats().records}


def reindex(memory: Memory, progress: Any, model: str | None = None, min_overlap: float = 0.0) -> ReindexReport:
    """Make vectors with the embedder of the settings, or with another model of the same provider."""
    from aforesaid.embed import open_embedder

    embedder = open_embedder(memory.settings.changed({"embed.model": model}, "--model")) if model else None
    return memory.maintenance.reindex(embedder, min_overlap=min_overlap, progress=progress)


EXPORT = Verb(
    "export", "export", "Write the whole memory as JSON lines.",
    """To standard output, or to FILE.

    FILE appears only when it is complete.
    """,
    (
        Argument("file", positional=True, default="-"),
        Argument("no_vectors", "Leave out vectors; `reindex` makes them again.", "flag"),
    ),
    "aforesaid export backup.jsonl\n  aforesaid export --no-vectors | gzip > backup.jsonl.gz",
    grant="admin", progress="Exporting", command="special.export",
)  # fmt: skip
IMPORT = Verb(
    "import", "importers.run", "Import transcripts, exports and other memories.",
    """

    Transcripts of Claude Code, Codex and OpenClaw, exports of ChatGPT (also as .zip) and mem0, and JSON lines with role
    and content are recognised by their contents; a folder is searched for them. When you run it again, only new
    items are imported. An export of aforesaid itself is imported completely, or not at all when a line is bad.
    """,
    (
        Argument("path", metavar="[PATH]...", positional=True, many=True),
        Argument(
            "format", "The format; without a PATH, the program whose files to read.  [default: auto]", "choice",
            default="auto", choices=FORMATS, flags=("--format", "--from"),
        ),
        arg.USER, arg.PROJECT, *arg.SPAN,
        Argument("session", "Only sessions whose id matches.", metavar="GLOB"),
        Argument("include", "Also import: thinking, sidechains, branches (with commas).", default="", metavar="NAMES"),
        Argument("no_tools", "Leave out the calls of tools and their results.", "flag"),
        Argument("limit", "Stop after this many new turns and claims.", "integer", least=1),
        Argument("strict", "Stop at the first item that cannot be read.", "flag"),
        Argument("dry_run", "Only report what would be imported; store nothing.", "flag"),
    ),
    "aforesaid import --from claude-code --user ana\n  aforesaid import chatgpt-export.zip --user ana --dry-run\n"
    "  aforesaid import backup.jsonl",
    grant="admin", effect="adds", opens="make", embeds=True, progress="Importing", command="special.import_",
    to_json=shown.intake_json, to_text=lambda taken, view: shown.intake_text(taken, view.columns),
    fails=lambda taken, view: bool(taken.files) and all(file.state == "unreadable" for file in taken.files),
)  # fmt: skip
BACKUP = Verb(
    "backup", "maintenance.backup", "Copy the store to another file.",
    """Other programs may write meanwhile; the copy is a store of its own.

    Records that are forgotten later are removed from the copies too. With --keep, PATH is a folder: the copy is named
    by the time, and older copies there are deleted. With --every, this is repeated until you interrupt it.
    """,
    (
        Argument("path", metavar="PATH", positional=True, required=True),
        Argument("overwrite", "Overwrite an existing copy.", "flag", flags=("--force",)),
        Argument("keep", "Keep this many copies in the folder PATH (with --every: 8).", "integer", least=1, view=True),
        Argument("every", "Make a copy again and again: every 30m, 6h or 1d.", metavar="TIME", view=True),
    ),
    "aforesaid backup monday.db\n  aforesaid backup --every 6h --keep 8 copies/",
    grant="admin", command="special.backup",
    to_json=lambda made, view: {"file": str(made), "bytes": made.stat().st_size},
    to_text=lambda made, view: f"copied {size(made.stat().st_size)} to {view.given['path']}",
    modes=(
        Verb(
            "list_backups", "maintenance.backups", "List the known copies, oldest first.",
            grant="admin", to_json=lambda found, view: {"backups": to_json(found)},
            by=Argument("list", "List the known copies instead, oldest first.", "flag"),
        ),
    ),
)  # fmt: skip
RESTORE = Verb(
    "restore", "restore", "Replace the store by a copy of it.",
    """The copy is checked first. No program may use the store; its daemon is stopped.

    The old store is kept beside the new one. What was forgotten since the copy was made stays forgotten.
    """,
    (
        Argument("backup", metavar="BACKUP", positional=True, required=True),
        Argument("dry_run", "Check the copy and report; replace nothing.", "flag"),
        Argument("yes", "Do not ask.", "flag", view=True),
    ),
    "aforesaid restore monday.db --dry-run\n  aforesaid restore monday.db",
    grant="admin", effect="destroys", opens="nothing", command="special.restore",
)  # fmt: skip
STATS = Verb(
    "stats", "stats", "Show what the store holds.",
    "Records, vectors, bytes; with `search.log` on, also how many searches there were and how many fell back.",
    example="aforesaid stats",
    call=stats, to_json=shown.stats_json,
)  # fmt: skip
VERIFY = Verb(
    "verify", "maintenance.verify", "Check the store for damage.",
    "The exit code is 1 if some is left.",
    (Argument("repair", "Mend what can be mended, from the file or from backups; drop the rest.", "flag"),),
    "aforesaid verify --repair\n  aforesaid verify --audit",
    grant="admin", effect="governs", call=verify,
    note=shown.problems_note, fails=lambda found, view: any(not problem.mended for problem in found["problems"]),
    modes=(
        Verb(
            "verify_audit", "audit.verify", "Check the audit log.",
            arguments=(
                Argument("known", "With --audit: an earlier digest that must still be in the log.", metavar="DIGEST"),
                Argument("seal", "With --audit: seal an intact log with the store's key.", "flag"),
            ),
            grant="admin", fails=lambda log, view: not log.intact,
            by=Argument("audit", "Check the audit log instead: whether anybody changed or cut it.", "flag"),
        ),
    ),
)  # fmt: skip
AUDIT = Verb(
    "audit", "audit.events", "Show the audit log, newest first.",
    """`aforesaid verify --audit` checks that it was not changed.

    An export is the whole log, oldest first, with the digests that chain its events. It can be checked elsewhere.
    """,
    (
        Argument("topic", "Only this topic: ingest, recall, forget …", metavar="NAME"),
        Argument("subject", "Only this subject.", metavar="NAME"),
        Argument("request", "Only events of this request.", metavar="ID"),
        *arg.SPAN, *arg.PAGE_50,
    ),
    "aforesaid audit --topic forget --since 2026-05-01\n  aforesaid audit --export audit.jsonl",
    grant="admin",
    to_json=lambda found, view: {"tenant": view.tenant, **page_json("events")(found, view)}, to_text=shown.events_view,
    modes=(
        Verb(
            "export_audit", "audit.export", "Write the whole audit log as JSON lines.",
            grant="admin", command="special.export_audit",
            by=Argument("file", "Write the whole log as JSON lines (-: stdout).", metavar="FILE", flags=("--export",)),
        ),
        Verb(
            "prune_audit", "audit.prune", "Delete old events.",
            grant="admin", effect="destroys",
            to_json=lambda gone, view: {"pruned": gone},
            to_text=lambda gone, view: f"deleted {counted(gone, 'event')}",
            by=Argument("prune", "Delete events older than the policy keeps them.", "flag"),
        ),
    ),
)  # fmt: skip
REINDEX = Verb(
    "reindex", "maintenance.reindex", "Make missing vectors, or change the model.",
    """After a change of model, all vectors are made anew, while other programs go on searching the old ones.

    Before the switch, old and new vectors are compared. It can be stopped and resumed at any time.
    """,
    (
        Argument("model", "Change to this model of embed.provider.  [default: the settings]", metavar="NAME"),
        Argument(
            "min_overlap", "Switch only if both models share this part of the ten nearest records (0 to 1).", "number",
        ),
    ),
    "aforesaid reindex --model bge-m3 --min-overlap 0.4\n  aforesaid --set embed.provider=ollama "
    "--set embed.model=bge-m3 reindex\n  aforesaid reindex --status",
    grant="admin", effect="adds", call=reindex, progress="Embedding",
    to_text=shown.reindex_text, note=shown.reindex_note, fails=lambda report, view: not report.switched,
    modes=(
        Verb(
            "reindex_status", "maintenance.reindex_status", "Show how many vectors each model has.",
            to_json=shown.reindex_status_json,
            by=Argument("status", "Only show how many records have vectors of each model.", "flag"),
        ),
        Verb(
            "cancel_reindex", "maintenance.cancel_reindex", "Delete the vectors that search does not use yet.",
            grant="admin", effect="destroys",
            to_json=lambda gone, view: {"deleted": list(gone)},
            to_text=lambda gone, view: f"deleted the vectors of {', '.join(gone) or 'no model'}",
            by=Argument("cancel", "Delete the vectors that search does not use yet; stops a running reindex.", "flag"),
        ),
    ),
)  # fmt: skip

VERBS = (EXPORT, IMPORT, BACKUP, RESTORE, STATS, VERIFY, AUDIT, REINDEX)
