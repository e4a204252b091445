"""`memory.maintenance`: backup, new embeddings, and checks of the store."""

from __future__ import annotations

from pathlib import Path

from aforesaid.maintenance.reindex import reindex
from aforesaid.memory.handle import Handle
from aforesaid.store.protocols import StoreProblem
from aforesaid.types import Progress


class MaintenanceHandle(Handle):
    """Care for the store: backup, reindex, verify."""

    def backup(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Copy the store to a file while others go on using it. Return the path of the copy.

        The store remembers the copy: what `Memory.forget` deletes later is deleted there too.

        Args:
            path: The new file.
            overwrite: Replace an existing file.

        Raises:
            InputError: This store has no file, or the new file exists already.
        """
        return self._engine.store.maintenance.backup(path, overwrite=overwrite)

    def reindex(self, *, progress: Progress | None = None) -> int:
        """Embed every record that has no vector of the current embedder, use these vectors, and return how many."""
        return self._engine.run(lambda request: reindex(request, progress))

    def verify(self, *, repair: bool = False) -> list[StoreProblem]:
        """Check the store for damage. Return the problems found.

        Args:
            repair: Rebuild the parts that can be derived from others, such as indexes.
        """
        return self._engine.store.maintenance.verify(repair=repair)
