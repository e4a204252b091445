"""Detects texts that tell the reader what to do, in English and Japanese.

Directives are: commands; prohibitions; obligations of "you"; rules on the reader's work ("All commits must be signed");
passive duties without a doer ("The cache must be cleared first"). Not directives are: questions; quotations and
reports; the past; guesses ("you must have seen"); outcomes ("you should see"); permissions; pointers ("See the guide");
invitations ("let's"); duties of a machine ("The server must restart").
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from aforesaid.text.analyze import UNSPACED
from aforesaid.text.extract.imperatives import english as imperatives_en
from aforesaid.text.extract.imperatives import japanese as imperatives_ja
from aforesaid.text.sentences import sentences

SENTENCE_CHARS = 1000  # rules are short: only the beginning of a longer sentence is read
_HEADING = re.compile(r"^ {0,3}#{1,6}(?:[ \t][^\n]*)?$", re.MULTILINE)
_SPOKEN = re.compile(
    r"(`+)(?!`)([^`\n]{1,300})(?<!`)\1(?!`)|\"([^\"\n]{1,300})\"|“([^“”\n]{1,300})”|「([^「」\n]{1,300})」|『([^『』\n]{1,300})』"
    r"|(?<![\w'])'([^'\n]{1,300})'(?![\w'])"
)
_LINK = re.compile(r"!?\[([^\[\]\n]{0,300})\]\([^()\n]{0,500}\)")
_MARKUP = re.compile(r"\*+|~~|(?<!\w)_+|_+(?!\w)")
_WRAP = re.compile(rf"(?<=[{UNSPACED}、。])[ \t]*\n[ \t]*(?=[{UNSPACED}])")
_SPACE = re.compile(r"\s+")
_MASK = re.compile(r"Qq([0-9]{1,7})qQ")
_LATIN = re.compile(r"[A-Za-z]")
_KANA = re.compile(r"[ぁ-んァ-ヶ一-龥]")


@dataclass(frozen=True, slots=True)
class Prose:
    """The sentences of a paragraph. Code and quotations are masked, because they are no commands."""

    sentences: tuple[str, ...]
    masked: tuple[str, ...]

    def unmask(self, text: str) -> str:
        """Part of a sentence with its code and quotations restored."""
        return _MASK.sub(lambda found: f" {self._at(int(found[1]))} ", text)

    def _at(self, index: int) -> str:
        return self.masked[index] if index < len(self.masked) else ""


def is_directive(text: str) -> bool:
    """Whether a text tells its reader what to do or not to do."""
    return any(_is_directive(sentence) for sentence in read_prose(text).sentences)


def read_prose(text: str) -> Prose:
    """The sentences of a Markdown text without markup, headings and fenced code. Wrapped lines are joined."""
    text = _HEADING.sub("\n", _without_fences(text))
    masked: list[str] = []

    def mask(found: re.Match[str]) -> str:
        masked.append(next(group for group in found.groups()[1:] if group is not None))
        return f"Qq{len(masked) - 1}qQ"

    plain = _MARKUP.sub("", _LINK.sub(r"\1", _SPOKEN.sub(mask, text))).replace("’", "'")
    paragraphs = re.split(r"\n[ \t]*\n", plain)
    found = tuple(sentence[:SENTENCE_CHARS] for part in paragraphs for sentence in sentences(_unwrap(part)))
    return Prose(found, tuple(masked))


def _without_fences(text: str) -> str:
    if "```" not in text and "~~~" not in text:
        return text
    return "\n".join(_outside_fences(text.split("\n")))


def _outside_fences(lines: list[str]) -> Iterator[str]:
    fence = ""
    for line in lines:
        start = line.lstrip()[:3]
        if start in ("```", "~~~") and (not fence or fence == start):
            fence = "" if fence else start
        elif not fence:
            yield line


def _unwrap(paragraph: str) -> str:
    return _SPACE.sub(" ", _WRAP.sub("", paragraph)).strip()


def _is_directive(sentence: str) -> bool:
    if sentence.rstrip("\"'”’)）」』 ").endswith(("?", "？")):
        return False
    if _LATIN.search(sentence) and imperatives_en.is_directive(sentence):
        return True
    return bool(_KANA.search(sentence)) and imperatives_ja.is_directive(sentence)
