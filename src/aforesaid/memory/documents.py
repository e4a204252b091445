"""Documents that people wrote for their agents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from aforesaid._util.lazy import Lazy
from aforesaid.memory.base import Base
from aforesaid.types import Scope

if TYPE_CHECKING:
    from aforesaid.documents import loader as authoring
else:
    authoring = Lazy("aforesaid.documents.loader")


class Documents(Base):
    """Rules and lore from authored documents."""

    def load(
        self,
        path: str | Path,
        *,
        text: str | None = None,
        user: str | None = None,
        project: str | None = None,
        scope: Scope | None = None,
    ) -> authoring.Loaded:
        """Load a document of rules; again after an edit, to replace what changed. `text` instead of the file's own.

        Hard rules that outgrow their share of a prompt are refused, with the numbers, and nothing changes.
        """
        words = authoring.read(path) if text is None else text
        return self._engine.run(
            lambda request: authoring.load(request, str(path), words, self._owner(user, project, scope))
        )

    def unload(
        self, path: str | Path, *, user: str | None = None, project: str | None = None, scope: Scope | None = None
    ) -> authoring.Loaded:
        """Take a document out again."""
        return self._engine.run(lambda request: authoring.unload(request, str(path), self._owner(user, project, scope)))

    def lint(self, path: str | Path, *, text: str | None = None) -> authoring.Authored:
        """What a document's lines would be to an agent: tiers, tokens, and rules that disagree; nothing is stored."""
        return authoring.parse_document(
            self._engine.request(), str(path), authoring.read(path) if text is None else text
        )
