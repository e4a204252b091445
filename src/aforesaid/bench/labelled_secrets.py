"""Score the reader of secrets on labelled texts: how many secrets it finds, and how many finds are none.

A file has one text a line; lines that begin with `# ` name a group.

    ⟦…⟧     a secret. A text without one must stay as it is
    ‹a36›   36 invented characters: a letters and digits, u capitals and digits, U base32, l small letters and digits,
            h hexadecimal, b base64, d digits, f full-width letters and digits
    ·       nothing. It keeps scanners of source code from finding the invented keys
    \\n \\t \\uXXXX \\\\   as in JSON
"""

from __future__ import annotations

import json
import re
import string
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from aforesaid.bench.measuring import Figures
from aforesaid.errors import FormatError
from aforesaid.text.extract.secrets import find_secrets
from aforesaid.text.extract.spans import Span

LETTERS = string.ascii_letters + string.digits
ALPHABETS = {
    "a": LETTERS,
    "u": string.ascii_uppercase + string.digits,
    "U": string.ascii_uppercase + "234567",
    "l": string.ascii_lowercase + string.digits,
    "h": "0123456789abcdef",
    "b": LETTERS + "+/",
    "d": string.digits,
    "f": "".join(chr(ord(char) + 0xFEE0) for char in LETTERS),
}
FILLER = re.compile(r"‹([auUlhbdf])(\d{1,3})›")
ESCAPE = re.compile(r"\\(?:[nt\\]|u[0-9a-f]{4})")
MARK = re.compile(r"⟦([^⟧]+)⟧")
SPACE = re.compile(r"[\s\W]*")  # between the marked secret and the end of a find: quotes, line breaks, brackets


@dataclass(frozen=True, slots=True)
class LabelledText:
    """A text, the group it belongs to, and where its secrets stand."""

    text: str
    group: str
    secrets: tuple[tuple[int, int], ...]


def read_labelled(lines: str) -> list[LabelledText]:
    """The texts of a file. The invented characters are the same at every reading."""
    found, group = [], ""
    for line in lines.splitlines():
        if line.startswith("# "):
            group = line[2:]
        elif line.strip():
            found.append(_labelled(line, group))
    return found


def _labelled(line: str, group: str) -> LabelledText:
    random = Random(line)
    filled = FILLER.sub(lambda match: "".join(random.choices(ALPHABETS[match[1]], k=int(match[2]))), line)
    written = ESCAPE.sub(lambda match: str(json.loads(f'"{match[0]}"')), filled.replace("·", ""))
    text, places = "", []
    for index, part in enumerate(MARK.split(written)):
        if index % 2:
            places.append((len(text), len(text) + len(part)))
        text += part
    if "⟦" in text or "⟧" in text:
        raise FormatError(f"A mark is not closed: {line[:60]!r}.", "Write ⟦ before and ⟧ behind each secret.")
    return LabelledText(text, group, tuple(places))


def score(texts: Sequence[LabelledText], find: Callable[[str], Sequence[Span]] = find_secrets) -> Figures:
    """Recall over the secrets, precision over the finds.

    A secret is found when nothing of it stays readable, up to quotes and the like at its ends. A find is right when it
    overlaps a secret. `tight` counts the finds that take nothing but the secret.
    """
    missed, false, secrets, finds, tight = [], [], 0, 0, 0
    for labelled in texts:
        spans = find(labelled.text)
        secrets, finds = secrets + len(labelled.secrets), finds + len(spans)
        missed += [
            f"{labelled.group}: {labelled.text!r}"
            for place in labelled.secrets
            if not _is_covered(labelled.text, place, spans)
        ]
        wrong = [span for span in spans if not any(_overlap(span, place) for place in labelled.secrets)]
        false += [f"{labelled.group}: {span.kind} {labelled.text[span.start : span.end]!r}" for span in wrong]
        tight += sum((span.start, span.end) in labelled.secrets for span in spans)
    return {
        "texts": len(texts),
        "without_secret": sum(not labelled.secrets for labelled in texts),
        "secrets": secrets,
        "recall": 1 - len(missed) / max(secrets, 1),
        "precision": 1 - len(false) / max(finds, 1),
        "tight": tight / max(finds - len(false), 1),
        "missed": missed,
        "false_alarms": false,
    }


def _overlap(span: Span, place: tuple[int, int]) -> bool:
    return span.start < place[1] and place[0] < span.end


def _is_covered(text: str, place: tuple[int, int], spans: Sequence[Span]) -> bool:
    position, end = place
    for span in spans:
        gap = SPACE.match(text, position, end)
        if span.start <= (gap.end() if gap else position) and position < span.end:
            position = span.end
    return position >= end or SPACE.fullmatch(text, position, end) is not None


def measure(paths: Sequence[Path]) -> Iterator[Figures]:
    """The figures of each file."""
    for path in paths:
        yield {"file": path.name, **score(read_labelled(path.read_text(encoding="utf-8")))}
