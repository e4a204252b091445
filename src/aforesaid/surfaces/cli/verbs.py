"""The commands by name: each is imported when it is asked for, so that help and completion stay quick."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module

import click


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a command is, and what it does in one line."""

    module: str
    function: str
    help: str


VERBS = {
    "ingest": Entry("ingest", "ingest", "Take the turns of a conversation."),
    "remember": Entry("remember", "remember", "Store a claim on purpose."),
    "search": Entry("search", "search", "Find records, best first."),
    "show": Entry("search", "show", "Show one record whole, or lines of a note."),
    "list": Entry("search", "list_", "List records, newest first."),
    "assemble": Entry("search", "assemble", "Print the context for a prompt."),
    "feedback": Entry("learning", "feedback", "Say what a record was worth."),
    "calibrate": Entry("learning", "calibrate", "Fit scores, or the gate's threshold, to labels."),
    "gate": Entry("learning", "gate", "Show what the gate decided, and what other weights would."),
    "activate": Entry("governance", "activate", "Find what an intent wants to know, and save it for a while."),
    "history": Entry("governance", "history", "List every version of what a record says."),
    "load": Entry("documents", "load", "Load documents with rules for the agent."),
    "lint": Entry("documents", "lint", "Show what a document's lines are to the agent."),
    "index": Entry("notes", "index", "Bring the index of folders of notes up to date."),
    "watch": Entry("documents", "watch", "Load documents and index folders, and again whenever they change."),
    "bootstrap": Entry("sessions", "bootstrap", "Get ready for a session."),
    "compact": Entry("sessions", "compact", "Summarise the older turns of a session."),
    "expand": Entry("sessions", "expand", "Show the raw turns under a summary."),
    "end": Entry("sessions", "end", "Leave a session in order."),
    "hook": Entry("hook", "hook", "Answer an event of a coding agent."),
    "install": Entry("install", "install", "Set up a coding agent to use this memory."),
    "observe": Entry("governance", "observe", "Keep something that was seen, for a while."),
    "distill": Entry("governance", "distill", "Make a candidate from observations or turns."),
    "candidates": Entry("governance", "candidates", "List what waits to be promoted."),
    "promote": Entry("governance", "promote", "Make a candidate durable."),
    "upsert": Entry("governance", "upsert", "Store a claim that is distilled already."),
    "rollback": Entry("governance", "rollback", "End a claim without deleting it."),
    "policy": Entry("policy", "policy", "Show or change the policy."),
    "validate": Entry("policy", "validate", "Show what the policy makes of a text, or of all that is stored."),
    "sweep": Entry("governance", "sweep", "Delete for good what has expired."),
    "forget": Entry("remember", "forget", "Delete records for good."),
    "export": Entry("maintenance", "export", "Write the whole memory as JSON lines."),
    "import": Entry("importing", "import_", "Take in what is there already: transcripts, exports, other memories."),
    "backup": Entry("backup", "backup", "Copy the store to another file."),
    "stats": Entry("maintenance", "stats", "Say what the store holds."),
    "verify": Entry("maintenance", "verify", "Look for damage."),
    "audit": Entry("audit", "audit", "Show what happened, newest first."),
    "reindex": Entry("maintenance", "reindex", "Make the vectors that are missing."),
    "mcp": Entry("mcp", "mcp", "Serve the memory to agents that speak MCP."),
    "daemon": Entry("daemon", "daemon", "Keep a store warm for hosts."),
    "doctor": Entry("doctor", "doctor", "Look for what is broken."),
    "settings": Entry("settings", "settings", "List every setting."),
    "models": Entry("models", "models", "Fetch, find, check or remove the local model."),
    "completion": Entry("settings", "completion", "Print a script for shell completion."),
    "bench": Entry("bench", "bench", "Measure how good and how fast it is."),
    "demo": Entry("demo", "demo", "Show the whole job on an invented conversation."),
}  # in the order in which a newcomer meets them


class Verbs(UserDict[str, click.Command]):
    """All commands as a mapping that imports them one by one."""

    def __getitem__(self, name: str) -> click.Command:
        if name not in self.data:
            entry = VERBS[name]
            module = import_module(f"aforesaid.surfaces.cli.{entry.module}")
            self.data[name] = getattr(module, entry.function)
        return self.data[name]

    def __contains__(self, name: object) -> bool:
        return name in VERBS

    def __iter__(self) -> Iterator[str]:
        return iter(VERBS)

    def __len__(self) -> int:
        return len(VERBS)
