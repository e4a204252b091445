"""`memory.maintenance`: backup, new embeddings, and checks of the store."""

from __future__ import annotations

from pathlib import Path

from aforesaid.embed.base import Embedder
from aforesaid.errors import InputError
from aforesaid.maintenance.backups import BackupFile, BackupRotation, backup_files, rotate
from aforesaid.maintenance.reindex import ReindexReport, ReindexStatus, cancel_reindex, reindex, reindex_status
from aforesaid.maintenance.repair import verify
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
            overwrite: Replace an existing backup. Nothing but a file of aforesaid is ever replaced.

        Raises:
            InputError: This store has no file, or the new file exists already.
        """
        self._engine.door.check_name(str(path), "The path")
        return self._engine.store.maintenance.backup(path, overwrite=overwrite)

    def backups(self) -> list[BackupFile]:
        """List the known backups of the store, oldest first."""
        return backup_files(self._engine.request())

    def rotate(self, folder: str | Path, *, keep: int = 8) -> BackupRotation:
        """Make a backup in a folder, named by the time, and delete older ones there. Return what was made and deleted.

        Args:
            folder: The folder. It must exist.
            keep: How many backups to keep there, with the new one.

        Raises:
            InputError: There is no such folder, or this store has no file.
        """
        request = self._engine.request()
        path = getattr(request.store, "path", None)
        self._engine.door.check_name(str(folder), "The folder")
        return rotate(request, Path(folder), keep, path.stem if path is not None else "memory")

    def reindex(
        self, embedder: Embedder | None = None, *, min_overlap: float = 0.0, progress: Progress | None = None
    ) -> ReindexReport:
        """Embed every record that has no vector of an embedder, then use its vectors for search.

        Others may read and write meanwhile. They search the old vectors until all new ones are there. If it is
        stopped or killed, call it again to continue. It covers all tenants of the store.

        Args:
            embedder: The new embedder; the memory's own if left out, which adds missing vectors.
            min_overlap: Switch only if old and new vectors share this part of the ten nearest records, from 0 to 1.
            progress: Called with (records that have a vector, records) after each batch.

        Returns:
            How many records were embedded, how alike the two models search, and whether search uses the new one.

        Raises:
            StoreError: Another process does this already.
            EmbedError: The embedder failed, or the reindex was cancelled.
        """
        if not 0 <= min_overlap <= 1:
            raise InputError(f"min_overlap is {min_overlap}.", "Give a number from 0 to 1.")
        chosen = embedder or self._engine.embedder.embedder
        if chosen is None:
            raise InputError("There is no embedder to reindex with.", "Set embed.provider.")
        return reindex(self._engine, chosen, progress, min_overlap)

    def reindex_status(self) -> ReindexStatus:
        """Count the vectors of each model, and say whether some process is making more."""
        return reindex_status(self._engine.store)

    def cancel_reindex(self) -> tuple[str, ...]:
        """Delete the vectors that `reindex` made and search does not use yet. Return the names of their models.

        A reindex that runs in another process stops at its next batch.
        """
        return cancel_reindex(self._engine.store)

    def verify(self, *, repair: bool = False) -> list[StoreProblem]:
        """Check the store and its event logs for damage. Return the problems found.

        Args:
            repair: Restore damaged records from their own row or from a known backup, compute derived data again, and
                drop what is lost. Each problem says what was done; an event `damage` names a dropped record.
        """
        return verify(self._engine, repair=repair)
