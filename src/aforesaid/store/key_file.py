"""The secret key of a store, in a file of its own: `notes.db` has `notes.db.key`, for its owner only.

With it a store makes the digests of secrets and seals its audit log. It is never part of the store or of a backup, so
that nobody who has only those can guess a password from its digest or rewrite the log.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path

from aforesaid._util.private_files import make_private
from aforesaid.errors import StoreError

KEY_BYTES = 32
SUFFIX = ".key"


def new_key() -> bytes:
    """A random key."""
    return secrets.token_bytes(KEY_BYTES)


def key_path(store: Path, setting: str = "") -> Path:
    """Where the key of a store is: where the setting `store.key_file` says, else beside the store."""
    return Path(setting).expanduser() if setting else store.with_name(store.name + SUFFIX)


def read_key(path: Path) -> bytes | None:
    """The key in a file; None when there is no file. Raises StoreError when the file holds no key."""
    try:
        found = bytes.fromhex(path.read_text(encoding="ascii").strip())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise StoreError(f"The key file {path} cannot be read: {type(error).__name__}.", REMEDY) from error
    if len(found) != KEY_BYTES:
        raise StoreError(f"The key file {path} holds no key.", REMEDY)
    return found


REMEDY = "Restore it from a copy, or delete it: then a new key is made, and `aforesaid doctor` says so."


def read_or_create_key(path: Path) -> bytes:
    """The key in a file. Several processes may create it at once: the first one wins."""
    found = read_key(path)
    if found is not None:
        make_private(path)
        return found
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)  # for its owner only
    except OSError as error:
        raise StoreError(f"The key file {path} cannot be written: {error}.", "Set store.key_file.") from error
    try:
        with os.fdopen(handle, "w", encoding="ascii") as stream:
            stream.write(new_key().hex() + "\n")
            stream.flush()
            os.fsync(stream.fileno())
        with suppress(FileExistsError):
            os.link(name, path)
    finally:
        Path(name).unlink(missing_ok=True)
    return read_key(path) or b""


def fingerprint(key: bytes) -> str:
    """Says which key it is, and nothing else about it."""
    return hmac.new(key, b"fingerprint", hashlib.sha256).hexdigest()[:16]
