"""`memory.maintenance`: backup, new embeddings, and checks of the store."""

from __future__ import annotations

from pathlib import Path

from aforesaid.engine.engine import Engine
from aforesaid.maintenance.reindex import reindex
from aforesaid.memory.shared_args import with_shared_args
from aforesaid.store.protocols import StoreProblem
from aforesaid.types import Progress


@with_shared_args
class MaintenanceHandle:
    """Care for the store: backup, reindex, verify."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def backup(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Copy the store to a file while others go on using it.

        The store remembers the copy: what `Memory.forget` deletes later is deleted there too.

        Args:
            path: The new file.
            overwrite: Replace an existing file.

        Returns:
            The path of the copy.

        Raises:
            InputError: This store has no file, or the new file exists already.
        """
        return self._engine.store.maintenance.backup(path, overwrite=overwrite)

    def reindex(self, *, progress: Progress | None = None) -> int:
        """Embed every record that has no vector of the current embedder, then use these vectors for search.

        Returns:
            How many records were embedded.
        """
        return self._engine.run(lambda request: reindex(request, progress))

    def verify(self, *, repair: bool = False) -> list[StoreProblem]:
        """Check the store for damage.

        Args:
            repair: Rebuild the parts that can be derived from others, such as indexes.

        Returns:
            The problems found; an empty list means that all is well.
        """
        return self._engine.store.maintenance.verify(repair=repair)
