"""Reads question sets as their authors publish them, compressed or not, and detects their format."""

from __future__ import annotations

import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

from aforesaid.bench.quality.conversations import read_beam, read_locomo, read_longmemeval
from aforesaid.bench.quality.documents import read_beir, read_squad
from aforesaid.bench.quality.types import Dataset
from aforesaid.errors import FormatError, InputError

COMPRESSED: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".xz": lzma.open}
KNOWN = "Known are LongMemEval, LoCoMo, SQuAD and BEAM files, BEAM folders, and BEIR folders with corpus.jsonl."
KEYS = {"locomo": {"qa", "conversation"}, "beam": {"chat", "probing_questions"}, "squad": {"data"}}
FORMATS: dict[str, Callable[[str, list[Any]], Dataset]] = {
    "longmemeval": read_longmemeval,
    "locomo": read_locomo,
    "squad": read_squad,
    "beir": read_beir,
    "beam": read_beam,
}


def load(path: Path, *, pool: int = 0) -> Dataset:
    """Read a file or folder. `pool` fills up LongMemEval haystacks."""
    if not path.exists():
        raise InputError(f"There is no file or folder {path}.", "Check the path.")
    form, rows = _folder(path) if path.is_dir() else _file(path)
    if pool and form != "longmemeval":
        raise InputError(f"{path} is {form}: only LongMemEval can be pooled.", "Leave out --pool.")
    name = path.name if path.is_dir() else path.name.split(".")[0] or path.name
    try:
        dataset = read_longmemeval(name, rows, pool) if pool else FORMATS[form](name, rows)
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(
            f"{path} does not have the shape of {form}: {type(error).__name__} {error}.",
            "Take the file as its authors publish it.",
        ) from error
    if not dataset.questions:
        raise InputError(f"{path} holds no question with evidence.", f"Left out were {dict(dataset.skipped)}.")
    return dataset


def read_text(path: Path) -> str:
    """The whole file as text. Raises FormatError when it is damaged or not text."""
    try:
        with COMPRESSED.get(path.suffix, open)(path, "rt", encoding="utf-8-sig") as stream:
            return str(stream.read())
    except (UnicodeDecodeError, EOFError, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise FormatError(f"{path} cannot be read: {error}.", "Fetch it again: UTF-8 text, gzip or xz.") from None


def read_rows(path: Path) -> list[Any]:
    """The values of a JSON file: the items of a list, the single value, or the value of each JSON line."""
    text = read_text(path)
    if any(suffix in (".jsonl", ".ndjson") for suffix in path.suffixes):
        return [_parsed(line, f"{path}:{number}") for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    value = _parsed(text, str(path))
    return value if isinstance(value, list) else [value]


def _parsed(text: str, place: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise FormatError(f"{place} is not JSON: {error}.", "Fetch the file again.") from None


def _file(path: Path) -> tuple[str, list[Any]]:
    """The format of a file, by its values, and the values."""
    rows = read_rows(path)
    keys = set(rows[0]) if rows and isinstance(rows[0], dict) else set()
    if "haystack_sessions" in keys or keys == {"session", "turns"}:
        return "longmemeval", rows
    for form, needed in KEYS.items():
        if needed <= keys:
            return form, rows
    raise InputError(f"{path} is of no known format.", KNOWN)


def _folder(path: Path) -> tuple[str, list[Any]]:
    """The format of a folder, by its files, and their values."""
    corpus = _find(path, "corpus.jsonl")
    if corpus is not None:
        judgements, queries = _judgements(path), _find(path, "queries.jsonl")
        if queries is None:
            raise InputError(f"{path} has no queries.jsonl.", "A BEIR folder holds it beside corpus.jsonl and qrels.")
        return "beir", [{"corpus": read_rows(corpus), "queries": read_rows(queries), "judgements": judgements}]
    rows = []
    for chat in sorted(path.rglob("chat.json"), key=_natural):
        questions = _find(chat.parent / "probing_questions", "probing_questions.json")
        if questions is not None:
            name = chat.parent.relative_to(path).as_posix() if chat.parent != path else path.name
            [asked] = read_rows(questions)
            rows.append({"conversation_id": name, "chat": read_rows(chat), "probing_questions": asked})
    if not rows:
        raise InputError(f"The folder {path} is of no known format.", f"{KNOWN} Or name one of its files.")
    return "beam", rows


def _find(folder: Path, name: str) -> Path | None:
    """A file of a folder, compressed or not; None when there is none."""
    return next((folder / (name + end) for end in ("", *COMPRESSED) if (folder / (name + end)).is_file()), None)


def _judgements(folder: Path) -> list[tuple[str, str, float]]:
    """Query, document and score from qrels/test.tsv, or from all files there. A header line has the score 0."""
    files = [path for end in ("", *COMPRESSED) for path in sorted((folder / "qrels").glob(f"*.tsv{end}"))]
    files = [path for path in files if path.name.startswith("test.tsv")] or files
    if not files:
        raise InputError(f"{folder} has no qrels/*.tsv.", "Fetch the judgements too.")
    judgements = []
    for path in files:
        for number, line in enumerate(read_text(path).splitlines(), 1):
            try:
                query, document, score = line.split("\t")
                judgements.append((query, document, 0.0 if score.strip() == "score" else float(score)))
            except ValueError:
                raise FormatError(
                    f"{path}:{number} is not `query-id, corpus-id, score` with tabs.", "Fetch it again."
                ) from None
    return judgements


def _natural(path: Path) -> list[tuple[int, str]]:
    """Sort key that puts 2 before 10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in path.parts]
