"""`memory.documents`: rules that people wrote for their agents."""

from __future__ import annotations

from pathlib import Path

from aforesaid.context.rule_room import rule_problem
from aforesaid.documents import loader
from aforesaid.memory.handle import Handle
from aforesaid.memory.visibility import SHARED_SCOPES, record_owner, visible
from aforesaid.types import Scope
from aforesaid.types.checks import storable


class DocumentsHandle(Handle):
    """Files of rules such as `AGENTS.md`: load, unload, lint, check."""

    def load(
        self,
        path: str | Path,
        *,
        text: str | None = None,
        user: str | None = None,
        project: str | None = None,
        scope: Scope | None = None,
    ) -> loader.LoadReport:
        """Load a file of rules, or load it again after an edit. Return what was added, changed and removed.

        Args:
            path: The file. It is also the document's name.
            text: The document's text, if it should not be read from the file.

        Raises:
            InputError: There is no such file, or its hard rules do not fit their share of a prompt.
        """
        words = loader.read(path) if text is None else storable(text)
        owner = record_owner(user, project, scope, SHARED_SCOPES)
        return self._engine.run(lambda request: loader.load(request, str(path), words, owner))

    def unload(
        self, path: str | Path, *, user: str | None = None, project: str | None = None, scope: Scope | None = None
    ) -> loader.LoadReport:
        """Remove a document's rules and return them. The file stays.

        Args:
            path: The path that it was loaded with.
        """
        owner = record_owner(user, project, scope, SHARED_SCOPES)
        return self._engine.run(lambda request: loader.unload(request, str(path), owner))

    def problem(self, *, user: str | None = None, project: str | None = None) -> str:
        """Return why the hard rules that apply to a caller do not fit their share of a prompt; empty when they fit.

        Args:
            project: The project; its rules are included.
        """
        request = self._engine.request()
        return rule_problem(request, visible(request, user=user, project=project))

    def lint(self, path: str | Path, *, text: str | None = None) -> loader.ParsedDocument:
        """Return how a document would be read: its rules, and those that contradict each other. Nothing is stored.

        Args:
            text: The document's text, if it should not be read from the file.
        """
        return loader.parse_document(self._engine.request(), str(path), loader.read(path) if text is None else text)
