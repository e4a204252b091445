"""Reads question sets as their authors publish them. Each module here reads one format."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, Literal, get_args

from aforesaid.bench.quality.files import folder_format, read_rows, rows_format
from aforesaid.bench.quality.types import Dataset
from aforesaid.errors import InputError
from aforesaid.types import check_choice

Format = Literal["longmemeval", "locomo", "squad", "beir", "beam"]
FORMATS: tuple[Format, ...] = get_args(Format)


def load(path: Path, form: str = "auto", *, pool: int = 0) -> Dataset:
    """Read a file or folder. `auto` detects the format; `pool` fills up LongMemEval haystacks."""
    if not path.exists():
        raise InputError(f"There is no file or folder {path}.", "Check the path.")
    check_choice(form, ("auto", *FORMATS), "format")
    rows = None if path.is_dir() else read_rows(path)
    found = form if form != "auto" else folder_format(path) if rows is None else rows_format(path, rows)
    if pool and found != "longmemeval":
        raise InputError(f"{path} is {found}: only LongMemEval can be pooled.", "Leave out --pool.")
    try:
        dataset = _read(found, path, rows, pool)
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(
            f"{path} does not have the shape of {found}: {type(error).__name__} {error}.",
            "Take the file as its authors publish it, or name another --format.",
        ) from error
    if not dataset.questions:
        raise InputError(f"{path} holds no question with evidence.", f"Left out were {dict(dataset.skipped)}.")
    return dataset


def _read(form: str, path: Path, rows: list[Any] | None, pool: int) -> Dataset:
    module = import_module(f"aforesaid.bench.quality.formats.{form}")
    if form == "beir":
        dataset: Dataset = module.read(path)
    elif form == "beam" and rows is None:
        dataset = module.read_folder(path)
    elif rows is None:
        raise InputError(f"{path} is a folder, and {form} comes as a file.", "Name the file inside it.")
    else:
        name = path.name.split(".")[0] or path.name
        dataset = module.read(name, rows, **({"pool": pool} if pool else {}))
    return dataset
