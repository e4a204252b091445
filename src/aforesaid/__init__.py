"""aforesaid: a local-first memory and context engine for LLM agents.

`Memory` is where to begin. The other names are what its methods take, return and raise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from aforesaid.compaction.compact import CompactReport
    from aforesaid.deletion.forget import ForgetReceipt
    from aforesaid.documents.loader import LoadReport, ParsedDocument
    from aforesaid.embed.base import Embedder
    from aforesaid.engine.thresholds import ModelReport
    from aforesaid.errors import (
        AforesaidError,
        ConflictError,
        ContextGoneError,
        DeniedError,
        EmbedderChangedError,
        EmbedError,
        FormatError,
        InputError,
        NotFoundError,
        PolicyError,
        ProvenanceError,
        StoreError,
    )
    from aforesaid.governance.apply_policy import PolicyReport, PolicyValidation, RevisionReport
    from aforesaid.governance.audit import AuditReport
    from aforesaid.governance.promotion import RollbackReport
    from aforesaid.importers.report import ImporterReport
    from aforesaid.learning.calibrate import CalibrationReport, GateReport
    from aforesaid.learning.feedback import FeedbackReport
    from aforesaid.learning.gate_log import GateEntry, GateReplay
    from aforesaid.learning.labels import GateLabel, Label
    from aforesaid.maintenance.backups import BackupFile, BackupRotation
    from aforesaid.maintenance.export import ImportReport
    from aforesaid.maintenance.reindex import ReindexReport, ReindexStatus
    from aforesaid.maintenance.restore import RestoreReport
    from aforesaid.memory import Memory
    from aforesaid.memory.calibration import RelevanceLabel
    from aforesaid.memory.governance import SweepReport
    from aforesaid.memory.sessions import BootstrapReport, EndReport
    from aforesaid.notes.indexer import Indexer, IndexReport
    from aforesaid.notes.search import NoteLines, NotesResult
    from aforesaid.notes.state import NotesRoot
    from aforesaid.policy.repository import AdoptedPolicy
    from aforesaid.policy.values import Policy
    from aforesaid.retrieval.activation import ActiveContext
    from aforesaid.retrieval.search_log import SearchStats
    from aforesaid.settings import Settings
    from aforesaid.store.protocols import Store, StoreProblem, StoreStats
    from aforesaid.text.extract.reader import Readers
    from aforesaid.types import (
        Clock,
        Context,
        Event,
        Filter,
        Freshness,
        Hit,
        IngestReport,
        Outcome,
        Progress,
        Provenance,
        Record,
        SearchResult,
        TimeLike,
        Turn,
    )

_MODULES = {  # public names by the module that defines them
    "compaction.compact": "CompactReport",
    "deletion.forget": "ForgetReceipt",
    "documents.loader": "LoadReport ParsedDocument",
    "embed.base": "Embedder",
    "engine.thresholds": "ModelReport",
    "errors": "AforesaidError ConflictError ContextGoneError DeniedError EmbedError EmbedderChangedError "
    "FormatError InputError NotFoundError PolicyError ProvenanceError StoreError",
    "governance.apply_policy": "PolicyReport PolicyValidation RevisionReport",
    "governance.audit": "AuditReport",
    "governance.promotion": "RollbackReport",
    "importers.report": "ImporterReport",
    "learning.calibrate": "CalibrationReport GateReport",
    "learning.feedback": "FeedbackReport",
    "learning.gate_log": "GateEntry GateReplay",
    "learning.labels": "GateLabel Label",
    "maintenance.backups": "BackupFile BackupRotation",
    "maintenance.export": "ImportReport",
    "maintenance.reindex": "ReindexReport ReindexStatus",
    "maintenance.restore": "RestoreReport",
    "memory": "Memory",
    "memory.calibration": "RelevanceLabel",
    "memory.governance": "SweepReport",
    "memory.sessions": "BootstrapReport EndReport",
    "notes.indexer": "Indexer IndexReport",
    "notes.search": "NoteLines NotesResult",
    "notes.state": "NotesRoot",
    "policy.repository": "AdoptedPolicy",
    "policy.values": "Policy",
    "retrieval.activation": "ActiveContext",
    "retrieval.search_log": "SearchStats",
    "settings": "Settings",
    "store.protocols": "Store StoreProblem StoreStats",
    "text.extract.reader": "Readers",
    "types": "Clock Context Event Filter Freshness Hit IngestReport Outcome "
    "Progress Provenance Record SearchResult TimeLike Turn",
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = [
    "ActiveContext", "AdoptedPolicy", "AforesaidError", "AuditReport", "BackupFile", "BackupRotation",
    "BootstrapReport", "CalibrationReport", "Clock", "CompactReport", "ConflictError", "Context", "ContextGoneError",
    "DeniedError", "EmbedError", "Embedder", "EmbedderChangedError", "EndReport", "Event", "FeedbackReport", "Filter",
    "ForgetReceipt", "FormatError", "Freshness", "GateEntry", "GateLabel", "GateReplay", "GateReport", "Hit",
    "ImportReport", "ImporterReport", "IndexReport", "Indexer", "IngestReport", "InputError", "Label", "LoadReport",
    "Memory", "ModelReport", "NotFoundError", "NoteLines", "NotesResult", "NotesRoot", "Outcome", "ParsedDocument",
    "Policy", "PolicyError", "PolicyReport", "PolicyValidation", "Progress", "Provenance", "ProvenanceError",
    "Readers", "Record", "ReindexReport", "ReindexStatus", "RelevanceLabel", "RestoreReport", "RevisionReport",
    "RollbackReport", "SearchResult", "SearchStats", "Settings", "Store", "StoreError", "StoreProblem", "StoreStats",
    "SweepReport", "TimeLike", "Turn",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import a public name on first use, because importing numpy takes longer than the rest of the package."""
    if name not in _HOMES:
        raise AttributeError(f"module 'aforesaid' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"aforesaid.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
