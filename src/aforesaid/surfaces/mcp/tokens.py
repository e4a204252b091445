"""Bearer tokens: a file of their hashes, each for a tenant and a user. The tokens themselves are not stored."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aforesaid.errors import AforesaidError, InputError, SettingsError
from aforesaid.surfaces.mcp.caller import READ_WRITE, Caller
from aforesaid.surfaces.verbs.declare import GRANTS, Grant
from aforesaid.types import check_id

HASH = re.compile(r"[0-9a-f]{64}")
NAMES = ("tenant", "user", "project", "purpose")
SHAPE = 'Write {"<sha256 of the token>": {"tenant": "t", "user": "ana", "grants": ["read", "write"]}}.'


def digest(token: str) -> str:
    """The hash of a token, as the file has it."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def new_token() -> str:
    """A random token."""
    return secrets.token_urlsafe(32)


def read_tokens(path: Path) -> dict[str, Caller]:
    """The caller of each token, by its hash."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise SettingsError(f"{path} cannot be read as tokens: {error}.", SHAPE) from None
    if not isinstance(found, dict) or not found:
        raise SettingsError(f"{path} holds no tokens.", SHAPE)
    return {name: _caller(path, name, value) for name, value in found.items()}


def _caller(path: Path, name: str, value: Any) -> Caller:
    where = f"{path}, token {name[:8]}…"
    if not HASH.fullmatch(name):
        raise SettingsError(f"{where}: this is not a sha256 in hex.", "Make one with `aforesaid mcp --new-token`.")
    if not isinstance(value, Mapping) or not value.get("tenant") or not value.get("user"):
        raise SettingsError(f"{where}: the tenant or the user is missing.", SHAPE)
    if unknown := set(value) - {*NAMES, "grants"}:
        raise SettingsError(f"{where}: {', '.join(sorted(unknown))} is unknown.", SHAPE)
    try:
        names = {key: check_id(value[key], key) for key in NAMES if value.get(key) is not None}
    except InputError as error:
        raise SettingsError(f"{where}: {error.message}", error.remedy) from None
    return Caller(**names, grants=_grants(where, value.get("grants")))


def _grants(where: str, value: Any) -> frozenset[Grant]:
    if value is None:
        return READ_WRITE
    if not isinstance(value, list) or not value or any(each not in GRANTS for each in value):
        raise SettingsError(f"{where}: grants {value!r} cannot be used.", f"List some of: {', '.join(GRANTS)}.")
    return frozenset(value)


class Tokens:
    """The tokens of a file. It is read again when it changes, so that a token can be revoked while the server runs."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._callers = read_tokens(path)
        self._seen = self._stamp()

    def caller(self, token: str) -> Caller | None:
        """The caller of a token; None for an unknown one. A file that became unreadable has no callers."""
        now = self._stamp()
        if now != self._seen:
            try:
                self._callers = read_tokens(self._path)
            except AforesaidError:
                self._callers = {}
            self._seen = now
        return self._callers.get(digest(token))

    def everything(self) -> frozenset[Grant]:
        """The grants of all tokens together."""
        return frozenset(grant for caller in self._callers.values() for grant in caller.grants)

    def _stamp(self) -> tuple[int, int]:
        try:
            found = self._path.stat()
        except OSError:
            return 0, 0
        return found.st_mtime_ns, found.st_size
