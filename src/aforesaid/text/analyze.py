"""Turns text into search terms. Every store uses the same analysis, so all of them match the same words.

Words are folded and stemmed. Scripts without spaces become character bigrams and single Han characters, which finds
Japanese far better than words do. In such a query a word in Latin letters is one term among a dozen bigrams, although
it is often the rarest. `query_terms` therefore repeats it, because a store counts every repeat.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Any

from aforesaid.text.patterns import listed
from aforesaid.types import AGENT_ROLES, Record

PLAIN_ROLES = AGENT_ROLES | {"user"}  # every other role is a speaker's name
MAX_QUERY_TERMS = 64  # a pasted page is still one query; its rarest words are among its first distinct ones
WORD_WEIGHT = 3  # repeats of a word in a query without spaces: about as many terms as a word has there
MAX_TERM_CHARS = 64  # longer "words" are blobs that nobody types again

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff々〆"
UNSPACED = HAN + "\u3040-\u30ff\u31f0-\u31ff\uac00-\ud7af\u1100-\u11ff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_PIECE = re.compile(rf"([{UNSPACED}]+)|((?:(?![{UNSPACED}])[^\W_])+(?:['’](?:(?![{UNSPACED}])[^\W_])+)*)")
_UNSPACED_RUN = re.compile(f"[{UNSPACED}]+")
_HAN = re.compile(f"[{HAN}]")
_MARKS = re.compile("[\u0300-\u036f]")

STOP_WORDS = listed("stop")


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    import Stemmer

    stemmer = Stemmer.Stemmer("english")
    stemmer.maxCacheSize = 50_000
    return stemmer


def searchable(record: Record) -> str:
    """The text that the index holds for a record: its own, with the speaker's name in front when the role is a name."""
    if record.role is None or record.role.lower() in PLAIN_ROLES:
        return record.text
    return f"{record.role}: {record.text}"


def terms(text: str) -> list[str]:
    """Every term of a text in order, with repeats, as an index holds them."""
    return _analyse(text)


def is_unspaced(text: str) -> bool:
    """Whether a text is mostly in scripts without spaces: at least two such characters per word of another script."""
    found = _PIECE.findall(text)
    unspaced = sum(len(run) for run, _ in found)
    return unspaced > 0 and unspaced >= 2 * sum(bool(word) for _, word in found)


def query_terms(text: str) -> list[str]:
    """The terms to look for, without stop words unless nothing else remains; important terms are repeated."""
    found = list(dict.fromkeys(_analyse(text)))
    kept = ([term for term in found if term not in _stop_stems()] or found)[:MAX_QUERY_TERMS]
    if not is_unspaced(text):
        return kept
    return [term for term in kept for _ in range(1 if _UNSPACED_RUN.match(term) else WORD_WEIGHT)]


@lru_cache(maxsize=1)
def _stop_stems() -> frozenset[str]:
    return frozenset(_stemmer().stemWords(sorted(STOP_WORDS))) | STOP_WORDS


def _analyse(text: str) -> list[str]:
    found: list[str] = []
    single: list[str] = []
    words: list[str] = []
    for match in _PIECE.finditer(unicodedata.normalize("NFKC", text).casefold()):
        unspaced, word = match.groups()
        if word is not None:
            words.append(_fold(word))
            continue
        found.extend(unspaced[i : i + 2] for i in range(len(unspaced) - 1))
        single.extend(unspaced if len(unspaced) == 1 else _HAN.findall(unspaced))
    found.extend(_stemmer().stemWords([word for word in words if word]))
    found.extend(single)
    return [term[:MAX_TERM_CHARS] for term in found]


def _fold(word: str) -> str:
    """One spelling for a word: without accents, possessive or apostrophe."""
    if not word.isascii():
        word = _MARKS.sub("", unicodedata.normalize("NFD", word)).replace("’", "'")
    return word.removesuffix("'s").replace("'", "")
