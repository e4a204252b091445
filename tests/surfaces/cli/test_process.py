"""The command as a process: start-up, pipes, signals, terminals."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from aforesaid.store.sqlite import SQLiteStore
from support.cli import TURNS, filled, jsonl, run
from support.processes import COMMAND, ENV, PATIENCE_SECONDS, wait_for


def call(*args: str, stdin: str | None = None, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *args],
        input=stdin,
        capture_output=True,
        text=True,
        errors="replace",
        env=ENV | env,
        timeout=PATIENCE_SECONDS,
        check=False,
    )


def start(*args: str) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    # A shell starts background jobs deaf to SIGINT, and a child inherits that.
    listen = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    return subprocess.Popen([*COMMAND, *args], stdin=pipe, stdout=pipe, stderr=pipe, env=ENV, preexec_fn=listen)


def records(store: Path) -> int:
    if not store.exists():
        return 0
    opened = SQLiteStore(store)
    try:
        return opened.maintenance.stats("default").records
    finally:
        opened.close()


def in_terminal(*args: str, answer: bytes = b"", **env: str) -> tuple[int, str]:
    """Run a command in a terminal of its own; its exit code and all that the terminal showed."""
    pid, terminal = pty.fork()
    if pid == 0:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.execve(sys.executable, [*COMMAND, *args], {**ENV, "COLUMNS": "80", "TERM": "xterm", **env})
    shown = b""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                piece = os.read(terminal, 65_536)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            shown += piece
            if answer and shown.rstrip().endswith(b"[y/N]:"):
                time.sleep(0.2)  # a signal in the instant before the answer is read would be noticed only after it
                os.write(terminal, answer)
                answer = b""
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown.decode()


@pytest.mark.parametrize("args", [["--help"], ["settings"], ["completion", "zsh"], ["search", "--help"], ["--version"]])
def test_quick_commands_do_not_import_numpy(args: list[str]) -> None:
    code = (
        "import sys; from aforesaid.surfaces.cli import main\n"
        f"try: main({args!r})\n"
        "except SystemExit as end: print(end.code, [n for n in ('numpy', 'onnxruntime') if n in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=ENV, check=True)
    assert done.stderr.strip() == "0 []"
    assert done.stdout


def test_the_entry_point_is_the_same() -> None:
    script = Path(sys.executable).with_name("aforesaid")
    assert subprocess.run([script, "--version"], capture_output=True, text=True, check=True).stdout.startswith(
        "aforesaid, "
    )


def test_a_reader_that_goes_away_is_no_error(path: Path) -> None:
    run(path, "ingest", stdin=jsonl(*({**TURNS[0], "id": f"t{i}", "text": "x" * 10_000} for i in range(40))))
    for args in (["export"], ["list", "--limit", "300", "--json"], ["--help"]):
        with start("--store", str(path), *args) as child:
            assert child.stdout
            assert child.stderr
            child.stdout.close()
            assert child.stderr.read() == b""
        assert child.returncode in (1, 141)
    shell = f"{sys.executable} -m aforesaid.surfaces.cli --store {path} export | head -c 20"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, env=ENV, check=True)
    assert (done.stdout, done.stderr) == ('{"aforesaid":1,"tena', "")


def test_a_full_disk_under_the_output_is_an_error(path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*COMMAND, "settings"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env=ENV,
            check=False,
        )
    assert done.returncode == 1
    assert "error: No space left on device." in done.stderr
    assert "Traceback" not in done.stderr


def test_turns_are_taken_as_they_come(path: Path) -> None:
    child = start("--store", str(path), "ingest", "--set", "ingest.batch=2")
    assert child.stdin
    for turn in TURNS[:3]:
        child.stdin.write(jsonl(turn).encode())
    child.stdin.flush()
    wait_for(lambda: records(path) == 2)
    assert child.poll() is None, "it waits for more"
    out, errors = child.communicate(jsonl(TURNS[3]).encode())
    assert child.returncode == 0, errors
    assert out.split()[:4] == [b"turns", b"4", b"stored", b"4"]
    assert records(path) == 4


def test_an_interruption_says_what_was_stored(path: Path) -> None:
    with start("--store", str(path), "ingest", "--set", "ingest.batch=1") as child:
        assert child.stdin
        assert child.stderr
        child.stdin.write(jsonl(*TURNS[:2]).encode())
        child.stdin.flush()
        wait_for(lambda: records(path) == 2)
        time.sleep(0.1)
        child.send_signal(signal.SIGINT)
        errors = child.stderr.read().decode()
    assert child.returncode == 130
    assert "2 turns had been stored before." in errors
    assert errors.endswith("interrupted\n")
    assert "Traceback" not in errors
    assert records(path) == 2


def test_standard_input_may_be_closed(path: Path) -> None:
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m aforesaid.surfaces.cli --store {path} ingest <&-"],
        capture_output=True, text=True, env=ENV, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "There is no standard input." in done.stderr


def test_output_in_another_encoding_is_readable(path: Path) -> None:
    run(path, "remember", "日本語 – naïve")
    for encoding in ("ascii", "latin-1", "cp932"):
        done = call("--store", str(path), "search", "naïve \udcff", PYTHONIOENCODING=encoding)
        assert done.returncode == 0, done.stderr
        assert "na" in done.stdout
    assert call("--store", str(path), "search", "naïve \udcff", "--json").returncode == 0
    assert "日本語" in call("--store", str(path), "export", PYTHONIOENCODING="ascii").stdout


def test_forget_asks_in_a_terminal(path: Path) -> None:
    filled(path)
    at = ("--store", str(path), "forget", "--user", "ana")
    code, shown = in_terminal(*at, "t1", answer=b"n\n")
    assert code == 1
    assert "t1  turn  no       I moved to Lisbon in May." in shown
    assert "Nothing was forgotten." in shown
    assert records(path) == 4
    code, shown = in_terminal(*at, "--session", "s1", answer=b"y\n")
    assert code == 0
    assert "records  3" in shown
    assert "forgot " in shown and "3 records" in shown
    code, shown = in_terminal(*at, "--everything", answer=b"\x03")
    assert code == 130
    assert "interrupted" in shown
    assert records(path) == 1


def test_a_terminal_gets_a_bar_and_colour_unless_it_says_no(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_text(jsonl(*TURNS))
    code, shown = in_terminal("--store", str(path), "ingest", str(file))
    assert code == 0
    assert "Storing turns  [####################################]  100%" in shown
    assert "stored     4" in shown
    assert "\x1b[" in in_terminal("--store", str(path), "doctor")[1]
    assert "\x1b[3" not in in_terminal("--store", str(path), "doctor", NO_COLOR="1")[1]
    assert "\x1b[31m" in in_terminal("--store", str(path), "show", "zz")[1]
    assert "\x1b[31m" not in in_terminal("--store", str(path), "show", "zz", NO_COLOR="1")[1]
    assert "[####" not in call("--store", str(path), "ingest", str(file)).stderr
