"""Sentences of running text, in scripts with and without spaces."""

from __future__ import annotations

import re

from aforesaid.text.analyze import UNSPACED

_END = re.compile(r"(?<![.!?…])[.!?…]+[\"'”’)\]]{0,3}(?=\s)|[。！？]+[」』”’）)]{0,3}|\n+")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\"'“])(?:[A-Za-z]|[Dd]r|[Mm]rs?|[Mm]s|[Pp]rof|[Ss]t|[Ss]r|[Jj]r|vs|e\.g|i\.e|etc|approx|[Nn]o|[Ff]ig|"
    r"[Vv]ol|[Dd]ept|[Ii]nc|[Ll]td|[Cc]orp|[Jj]an|[Ff]eb|[Mm]ar|[Aa]pr|[Aa]ug|[Ss]ept?|[Oo]ct|[Nn]ov|[Dd]ec|[ap]\.m)\.$"
)
_UNSPACED = re.compile(f"[{UNSPACED}]")
LEAST_WORDS = 4  # shorter sentences ("That's great!") say nothing by themselves
LEAST_UNSPACED = 8  # the same in characters of scripts without spaces


def sentences(text: str) -> list[str]:
    """The sentences of a text in order, each without the space around it; lines end sentences too."""
    found, start = [], 0
    for end in _END.finditer(text):
        if _goes_on(text, end):
            continue
        found.append(text[start : end.end()].strip())
        start = end.end()
    found.append(text[start:].strip())
    return [sentence for sentence in found if sentence]


def _goes_on(text: str, end: re.Match[str]) -> bool:
    """Whether the sentence continues: the full stop ends an abbreviation, or lower case follows."""
    if end[0][0] not in ".…":
        return False
    following = text[end.end() : end.end() + 2].strip()[:1]
    return following.islower() or bool(_ABBREVIATION.search(text, max(0, end.start() - 12), end.start() + 1))


def passages(text: str, most: int) -> list[str]:
    """Sentences that get embeddings of their own, at most `most`; none when only one says something."""
    found = [sentence for sentence in sentences(text) if _says_something(sentence)]
    return found[:most] if len(found) > 1 else []


def _says_something(sentence: str) -> bool:
    return len(sentence.split()) >= LEAST_WORDS or len(_UNSPACED.findall(sentence)) >= LEAST_UNSPACED
