"""Bearer tokens: a file of their hashes, each for a tenant and a user. The tokens themselves are not stored."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from aforesaid.errors import AforesaidError, SettingsError
from aforesaid.surfaces.mcp.caller import READ_WRITE, Caller
from aforesaid.surfaces.verbs.declare import Grant
from aforesaid.types import check_id

SHAPE = (
    'Write {"<sha256 of the token>": {"tenant": "t", "user": "ana", "grants": ["read", "write"]}}, '
    "as `aforesaid mcp --new-token` prints it."
)
Hash = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Name = Annotated[str, AfterValidator(check_id)]


class TokenEntry(BaseModel):
    """One entry of the file."""

    model_config = ConfigDict(extra="forbid")

    tenant: Name
    user: Name
    project: Name | None = None
    purpose: Name | None = None
    grants: Annotated[frozenset[Grant], Field(min_length=1)] = READ_WRITE


ENTRIES: TypeAdapter[dict[Hash, TokenEntry]] = TypeAdapter(Annotated[dict[Hash, TokenEntry], Field(min_length=1)])


def digest(token: str) -> str:
    """The hash of a token, as the file has it."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def new_token() -> str:
    """A random token."""
    return secrets.token_urlsafe(32)


def read_tokens(path: Path) -> dict[str, Caller]:
    """The caller of each token, by its hash."""
    try:
        found = ENTRIES.validate_json(path.read_bytes())
    except ValidationError as error:
        wrong = error.errors(include_url=False)[0]
        place = ", ".join(str(part)[:8] for part in wrong["loc"])
        raise SettingsError(f"{path} has wrong tokens ({place or 'the file'}): {wrong['msg']}.", SHAPE) from None
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error}.", SHAPE) from None
    return {name: Caller(**dict(entry)) for name, entry in found.items()}


class Tokens:
    """The tokens of a file. It is read again when it changes, so that a token can be revoked while the server runs."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._callers = read_tokens(path)
        self._seen = self._stamp()

    def caller(self, token: str) -> Caller | None:
        """The caller of a token; None for an unknown one. A file that became unreadable has no callers.

        Every token of the file is compared, so that the time says nothing about them.
        """
        now = self._stamp()
        if now != self._seen:
            try:
                self._callers = read_tokens(self._path)
            except AforesaidError:
                self._callers = {}
            self._seen = now
        given, found = digest(token), None
        for known, caller in self._callers.items():
            if hmac.compare_digest(known, given):
                found = caller
        return found

    def everything(self) -> frozenset[Grant]:
        """The grants of all tokens together."""
        return frozenset(grant for caller in self._callers.values() for grant in caller.grants)

    def _stamp(self) -> tuple[int, int]:
        try:
            found = self._path.stat()
        except OSError:
            return 0, 0
        return found.st_mtime_ns, found.st_size
