"""`memory.documents`: rules that people wrote for their agents."""

from __future__ import annotations

from pathlib import Path

from aforesaid.documents import loader
from aforesaid.engine.engine import Engine
from aforesaid.memory.shared_args import with_shared_args
from aforesaid.memory.visibility import SHARED_SCOPES, record_owner
from aforesaid.types import Scope


@with_shared_args
class DocumentsHandle:
    """Files of rules such as `AGENTS.md`: load, unload, lint."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def load(
        self,
        path: str | Path,
        *,
        text: str | None = None,
        user: str | None = None,
        project: str | None = None,
        scope: Scope | None = None,
    ) -> loader.LoadReport:
        """Load a file of rules. Load it again after an edit to update the rules.

        Args:
            path: The file. It is also the document's name.
            text: The document's text, if it should not be read from the file.

        Returns:
            What was added, changed and removed.

        Raises:
            InputError: There is no such file, or its hard rules do not fit their share of a prompt.
        """
        words = loader.read(path) if text is None else text
        owner = record_owner(user, project, scope, SHARED_SCOPES)
        return self._engine.run(lambda request: loader.load(request, str(path), words, owner))

    def unload(
        self, path: str | Path, *, user: str | None = None, project: str | None = None, scope: Scope | None = None
    ) -> loader.LoadReport:
        """Remove a document's rules. The file stays.

        Args:
            path: The path that it was loaded with.

        Returns:
            What was removed.
        """
        owner = record_owner(user, project, scope, SHARED_SCOPES)
        return self._engine.run(lambda request: loader.unload(request, str(path), owner))

    def lint(self, path: str | Path, *, text: str | None = None) -> loader.ParsedDocument:
        """Show how a document would be read. Nothing is stored.

        Args:
            path: The file.
            text: The document's text, if it should not be read from the file.

        Returns:
            Its rules with their tiers and tokens, and rules that contradict each other.
        """
        return loader.parse_document(self._engine.request(), str(path), loader.read(path) if text is None else text)
