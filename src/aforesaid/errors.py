"""All errors that aforesaid raises on purpose.

AforesaidError                     catch this to catch them all
├── InputError                     a value that you passed cannot be used
│   ├── ConflictError              the id belongs to a record with different content
│   ├── NotFoundError              no visible record has this id
│   ├── FormatError                a line of a file cannot be read
│   ├── PolicyError                a policy file is invalid; the message names the line
│   │   └── RuleError              a rule or pattern in it is invalid
│   ├── UnknownClassError          the boundary class does not exist
│   ├── ProvenanceError            a promotion has no source, or too few reviewers
│   └── ContextGoneError           the active context has expired, is used up or out of date
├── DeniedError                    the policy forbids the action
├── SettingsError                  a setting is unknown, has the wrong type or is out of range
├── StoreError                     a database operation failed
│   ├── StoreBusyError             another process held the write lock for too long
│   ├── StoreVersionError          a newer version of aforesaid wrote the file
│   ├── StoreCorruptError          the file is damaged or is not an aforesaid store
│   ├── StoreReadOnlyError         the file or its folder is not writable
│   └── StoreFullError             the disk is full
├── DaemonError                    the background process cannot be reached or refuses
├── EndpointError                  a service for embeddings or summaries failed
└── EmbedError                     embeddings are not available
    ├── ModelMissingError          the model is not on this machine and cannot be downloaded
    ├── ModelDamagedError          the model files do not match their checksums
    ├── EmbedderChangedError       the store's vectors come from a different model
    └── DimensionError             a vector has the wrong length, or contains NaN or infinity

Each message names the wrong value; `remedy` says what to do.
"""

from __future__ import annotations


class AforesaidError(Exception):
    """The base class of all errors that aforesaid raises on purpose."""

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(f"{message} {remedy}".strip())
        self.message = message
        self.remedy = remedy


class InputError(AforesaidError, ValueError):
    """A value that you passed cannot be used."""


class ConflictError(InputError):
    """The id belongs to a record with different content. Stored messages never change."""


class NotFoundError(InputError, LookupError):
    """No record that you may see has this id."""


class FormatError(InputError):
    """A line of a file cannot be read."""


class PolicyError(InputError):
    """A policy file is invalid. The active policy stays in force."""


class RuleError(PolicyError):
    """A rule or pattern of a policy is invalid."""


class UnknownClassError(InputError):
    """The boundary class does not exist. A record with such a class is never shown."""


class ProvenanceError(InputError):
    """A promotion has no source, or too few reviewers."""


class ContextGoneError(InputError, LookupError):
    """The active context has expired, is used up, or is out of date."""


class DeniedError(AforesaidError):
    """The policy forbids the action."""


class SettingsError(AforesaidError, ValueError):
    """A setting is unknown, has the wrong type or is out of range."""


class StoreError(AforesaidError):
    """A database operation failed."""


class StoreBusyError(StoreError):
    """Another process held the write lock longer than the timeout."""


class StoreVersionError(StoreError):
    """A newer version of aforesaid wrote the file."""


class StoreCorruptError(StoreError):
    """The file is damaged, or is not an aforesaid store."""


class StoreReadOnlyError(StoreError):
    """The file or its folder is not writable."""


class StoreFullError(StoreError):
    """The disk is full."""


class DaemonError(AforesaidError):
    """The background process cannot be reached or refuses. The store itself is not affected."""


class EmbedError(AforesaidError):
    """Embeddings are not available."""


class ModelMissingError(EmbedError):
    """The model is not on this machine and cannot be downloaded."""


class ModelDamagedError(EmbedError):
    """The model files do not match their checksums."""


class EmbedderChangedError(EmbedError):
    """The store's vectors come from a different model."""


class DimensionError(EmbedError):
    """A vector has the wrong length, or contains NaN or infinity."""


class EndpointError(AforesaidError):
    """A service for embeddings or summaries refused the request or did not answer."""
