"""Everything that aforesaid raises on purpose, as one tree.

AforesaidError                     catch this to catch them all
├── InputError                     the caller's value cannot be used
│   ├── ConflictError              an id is taken by other content
│   ├── NotFoundError              nothing has that id
│   ├── FormatError                a line of a file cannot be read
│   ├── PolicyError                a policy file cannot be used; the message names the line
│   │   └── RuleError              a rule or pattern in it cannot be read
│   ├── UnknownClassError          a boundary class that nobody defined
│   ├── ProvenanceError            a promotion that does not say where it comes from, or who looked at it
│   └── ContextGoneError           an active context that expired, was used up or became stale
├── DeniedError                    the policy in force does not allow it
├── SettingsError                  a setting is unknown, of the wrong type or out of range
├── StoreError                     the database cannot do what was asked
│   ├── StoreBusyError             another process held the write lock too long
│   ├── StoreVersionError          the file was written by a newer aforesaid
│   ├── StoreCorruptError          the file is damaged or not ours
│   ├── StoreReadOnlyError         the file or its folder cannot be written
│   └── StoreFullError             no space is left on the disk
├── DaemonError                    the warm process of a store cannot be had, or refuses
├── EndpointError                  a service (embeddings, summaries) refused or did not answer
└── EmbedError                     no vectors can be had
    ├── ModelMissingError          the weights are not here and cannot be fetched
    ├── ModelDamagedError          the weights are not the ones that were pinned
    ├── EmbedderChangedError       the store's vectors come from another model
    └── DimensionError             a vector has the wrong length or holds NaN

Every message names the value that was wrong; `remedy` says what to do about it.
"""

from __future__ import annotations


class AforesaidError(Exception):
    """The base of every error raised on purpose."""

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(f"{message} {remedy}".strip())
        self.message = message
        self.remedy = remedy


class InputError(AforesaidError, ValueError):
    """The caller's value cannot be used."""


class ConflictError(InputError):
    """An id is taken by other content; raw turns never change."""


class NotFoundError(InputError, LookupError):
    """Nothing visible to the caller has that id."""


class FormatError(InputError):
    """A line of a file cannot be read."""


class PolicyError(InputError):
    """A policy file cannot be used; the one in force stays."""


class RuleError(PolicyError):
    """A rule or pattern of a policy cannot be read."""


class UnknownClassError(InputError):
    """A boundary class that nobody defined; what carries it is not shown."""


class ProvenanceError(InputError):
    """A promotion that does not say where it comes from, or that nobody reviewed."""


class ContextGoneError(InputError, LookupError):
    """An active context that expired, was used up or became stale."""


class DeniedError(AforesaidError):
    """The policy in force does not allow it."""


class SettingsError(AforesaidError, ValueError):
    """A setting is unknown, of the wrong type or out of range."""


class StoreError(AforesaidError):
    """The database cannot do what was asked."""


class StoreBusyError(StoreError):
    """Another process held the write lock for longer than the timeout."""


class StoreVersionError(StoreError):
    """The file was written by a newer aforesaid."""


class StoreCorruptError(StoreError):
    """The file is damaged, or is not a aforesaid store."""


class StoreReadOnlyError(StoreError):
    """The file or its folder cannot be written."""


class StoreFullError(StoreError):
    """No space is left on the disk."""


class DaemonError(AforesaidError):
    """The warm process of a store cannot be had, or refuses; the store itself is not touched by that."""


class EmbedError(AforesaidError):
    """No vectors can be had."""


class ModelMissingError(EmbedError):
    """The weights are not on this machine and cannot be fetched."""


class ModelDamagedError(EmbedError):
    """The weights are not the ones that were pinned."""


class EmbedderChangedError(EmbedError):
    """The store's vectors come from another model."""


class DimensionError(EmbedError):
    """A vector has the wrong length, or holds NaN or infinity."""


class EndpointError(AforesaidError):
    """A service for embeddings or summaries refused the request or did not answer."""
