"""Scores a sentence for a summary by its facts and its wording, in English and Japanese."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from aforesaid.text.analyze import STOP_WORDS, terms
from aforesaid.text.extract.question import ASKING, FIRST_PERSON
from aforesaid.text.extract.reader import guarded
from aforesaid.text.patterns import any_of, listed, word_list, word_set, words
from aforesaid.text.sanitize import MARK

NAME, NUMBER, DATE, TERM = 1.0, 0.8, 0.8, 0.25  # what a new fact adds
DETAIL_CHARS = 7  # longer words are more specific and count a half more
SIGNALS = {  # what a signal of the gate adds
    "action_decision": 1.0,
    "action_configuration": 0.6,
    "action_resolution": 0.6,
    "action_milestone": 0.6,
    "natural_preference": 0.8,
    "natural_assertion": 0.6,
    "natural_person": 0.4,
    "natural_quantity": 0.3,
}
MAX_SIGNALS = 2.0
COMMITMENT, MONEY = 0.8, 0.5
ASKS, SMALL_TALK, INTRODUCES, ADDRESSED, DANGLING, MARKED = -2.0, -2.0, -3.0, -0.5, -0.4, -0.5
EMPTY, EMPTY_SHARE = -2.0, 0.4  # at this wording score or lower, facts count only this share
NICKNAME_CHARS = 3
SMALL_WORDS = 14  # a longer sentence that starts with thanks says something else too

_COMMITMENT = re.compile(
    any_of(
        r"\b(?:i|we)(?:'ll| will|(?:'m| am|'re| are) going to| plan to| promised?| agreed| need to)\b",
        r"\b(?:i'm|i am|we're|we are) (?:planning|signing up|applying|starting|moving|getting married)\b",
        r"\b(?:deadline|due (?:on|by)|scheduled|appointment|signed up|decided|booked)\b",
        r"ことにし(?:た|ました)|つもり(?:です|だ)|予定(?:です|だ|が)|約束し|決め(?:た|ました)|締め?切り|予約し",
    ),
    re.IGNORECASE,
)
_MONEY = re.compile(r"[$€£¥￥₹]\s?\d|\d\s?(?:dollars|euros?|pounds|yen|usd|eur|円|万円|ドル)", re.IGNORECASE)
_SMALL_TALK = re.compile(
    any_of(
        r"(?:(?:hey|hi|hello|wow|oh|yeah|yes|yep|aw+|haha|ok|okay|sure|no),? )?(?:\w+[,!] )?"
        + any_of(
            r"thank(?:s| you)|congrat\w*|(?:that|this|it|what)(?:'s| is| was| sounds| looks| must be| must have been)?"
            r" (?:so |really |such |super |very |just |absolutely |an? )*"
            + words(
                "great awesome amazing cool nice wonderful fantastic good lovely beautiful inspiring incredible sweet "
                "exciting tough fun perfect terrific interesting impressive gorgeous true right"
            ),
            r"sounds (?:so |really |like (?:an? )?)?(?:\w+ )?"
            + words("great good fun nice amazing awesome fantastic blast plan"),
            r"(?:so |really )?(?:glad|happy|sorry|proud|great|good|nice|lovely) (?:to|of|for|you|that|it|talking)",
            r"(?:looks|seems|sounds) like|i bet|thank (?:goodness|god)|woo+hoo|yay|must (?:be|have been)|don't worry",
            r"(?:i )?(?:totally |completely |couldn't |can't |really )?(?:agreed?\b|relate\b)",
            r"i'm (?:so |really |very |always )*(?:glad|happy|proud|sorry|here|excited) (?:for|to|of|that|you|it)",
            r"you(?:'re| are) (?:so |such |really |very |doing |always |truly |an? )*"
            + words("welcome awesome amazing great inspiring strong right kind sweet inspiration"),
            r"no (?:problem|worries)|take care|good luck|have (?:an? )?(?:great|good|nice|fun)|(?:good)?bye|see you",
            r"keep (?:it|up|going|me)|let me know|way to go|best of luck|looking forward|can't wait",
            r"(?:long time no|how (?:are|have) you|how's it|what's (?:up|new)|good (?:morning|evening|to)|well done)",
            r"(?:absolutely|definitely|exactly|totally|of course|certainly|for sure|sure thing|gotcha|got it)\b[!,.]",
        ),
        r"(?:ありがと|すごい|いいです?ね|なるほど|お疲れ|よろしく|こんにちは|おはよう|こんばんは|了解|はい、?|そうです(?:ね|か)|"
        r"楽しみ|良かった|よかった|おめでと|お元気|わかりました|承知|頑張って|どういたしまして|もちろん|ええ、|へえ|素敵)",
    ),
    re.IGNORECASE,
)
_ADDRESSED = re.compile(
    r"\s*(?:you|your|you're|you've|hope you|i hope you|it's (?:so |really )?important)\b", re.IGNORECASE
)
_DANGLING = re.compile(
    r"\s*(?:it|that|this|they|these|those|he|she|them|which|and|but|so|because|or|there)\b|[(（]|(?:それ|これ|あれ|その|そして|でも)",
    re.IGNORECASE,
)
_SPACED_NAME = re.compile(
    r"(?<![\w'’])(?:[A-Z][\w'’&-]{0,40}[a-zà-ÿ][\w&-]{0,40}|[A-Z][A-Z0-9&+-]{1,15})"
    r"(?: (?:of |the )?[A-Z][\w&-]{1,30}){0,3}"
)
_UNSPACED_NAME = re.compile(
    r"[ァ-ヶー]{3,}|[一-龥々]{1,4}(?=さん|ちゃん|くん|氏|先生|部長|社長)|[A-Za-z][A-Za-z0-9]{2,}"
)
_QUOTED = re.compile(r"[\"“]([^\"“”\n]{3,60})[\"”]|「([^」\n]{2,40})」|『([^』\n]{2,40})』")
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+){0,4}")
_COUNTS = "two three four five six seven eight nine ten eleven twelve dozen twenty thirty forty fifty hundred"
_WORD_NUMBER = re.compile(rf"\b{words(_COUNTS)}\b", re.IGNORECASE)
_IDENTIFIER = re.compile(r"(?<![\w./-])(?=[\w./-]{0,60}(?:/|_|\.[a-z]{2,4}\b))[\w./-]{3,160}+")
_TITLES = ("Dr.", "Mr.", "Mrs.", "Ms.", "Prof.", "St.")
_UNSPACED = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")
_GIVEN_NAMES = listed("given names")
_NOT_NAMES = STOP_WORDS | word_set(
    word_list("not names").casefold() + " i i'm i've i'll i'd ok lol wow mom dad btw yup dr mr mrs ms prof"
)
_VAGUE = frozenset(
    """really great good thing thank thanks awesome amazing love like get got make feel know think see time way lot want
    need help keep go come sound look hope glad cool nice wow yeah yes hey hi also even always never much more one
    new day people life world happy sure something someone everything anything important special wonderful support
    back take give look still ever share well right best definitely totally absolutely super pretty little bit kind try
    being remember appreciate awesom realli thing happi import inspir incred guess mean talk tell say said""".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class SentenceScore:
    """The facts of a sentence with their weights, and the score of its wording."""

    facts: dict[str, float]
    wording: float


def score_sentence(sentence: str, speakers: frozenset[str] = frozenset()) -> SentenceScore:
    """Score a sentence. Names of speakers are no facts, because the summary names them anyway."""
    facts, wording = facts_of(sentence, speakers), _wording(sentence)
    if wording <= EMPTY:
        facts = {fact: weight * EMPTY_SHARE for fact, weight in facts.items()}
    return SentenceScore(facts, wording)


def facts_of(text: str, speakers: frozenset[str] = frozenset()) -> dict[str, float]:
    """Names, numbers, dates and specific words of a text with their weights."""
    from aforesaid.text.extract.dates import time_expressions  # compiling its patterns takes a tenth of a second

    facts: dict[str, float] = {}
    bare = MARK.sub(" ", text)
    for term in _specific_terms(bare):
        facts[term] = TERM * (1.5 if len(term) >= DETAIL_CHARS else 1.0)
    facts |= {f"name {name}": NAME for name in names_of(bare, speakers)}
    facts |= {f"number {number}": NUMBER for number in numbers_of(bare)}
    dates = guarded("dates", lambda: time_expressions(bare[:2000]), ())
    return facts | {f"date {each.text.casefold()}": DATE for each in dates}


def names_of(text: str, speakers: frozenset[str] = frozenset()) -> frozenset[str]:
    """Names in a text, case folded: people, places, products, quoted titles, paths."""
    found: set[str] = set()
    for match in _SPACED_NAME.finditer(text):
        name = match[0].removesuffix("'s").removesuffix("’s")
        first, _, rest = name.partition(" ")
        if first.casefold() in _NOT_NAMES or (_starts_sentence(text, match.start()) and not _is_certain_name(first)):
            name = rest
        found.add(name.casefold())
    if _UNSPACED.search(text):
        found |= {match[0].casefold() for match in _UNSPACED_NAME.finditer(text)}
    found |= {next(filter(None, match.groups())).casefold() for match in _QUOTED.finditer(text)}
    found |= {match[0].casefold().rstrip("./-") for match in _IDENTIFIER.finditer(text)}
    return frozenset(name for name in found if len(name) > 1 and not _is_speaker(name, speakers))


def numbers_of(text: str) -> frozenset[str]:
    """The numbers of a text as written, in digits or words."""
    return frozenset(match[0].casefold() for pattern in (_NUMBER, _WORD_NUMBER) for match in pattern.finditer(text))


def speaker_names(roles: Iterable[str | None]) -> frozenset[str]:
    """The full and first names of the speakers."""
    named = {role.casefold() for role in roles if role}
    return frozenset(named | {name.split()[0] for name in named if name.split()})


def _is_speaker(name: str, speakers: frozenset[str]) -> bool:
    """Whether a name is a speaker's, in full or short (Mel for Melanie)."""
    return name in speakers or (len(name) >= NICKNAME_CHARS and any(full.startswith(name) for full in speakers))


def _starts_sentence(text: str, start: int) -> bool:
    """Whether a word starts a sentence, where every word has a capital."""
    before = text[max(0, start - 80) : start].rstrip(" \"'“‘(*-")
    return not before.strip() or (before[-1] in ".!?:…\n" and not before.endswith(_TITLES))


def _is_certain_name(word: str) -> bool:
    return word in _GIVEN_NAMES or word[1:] != word[1:].lower()


@lru_cache(maxsize=1)
def _empty_terms() -> frozenset[str]:
    return frozenset(terms(" ".join(sorted(STOP_WORDS | _VAGUE)))) | STOP_WORDS | _VAGUE


def _specific_terms(text: str) -> set[str]:
    return {term for term in terms(text) if len(term) > 1 and term not in _empty_terms() and not term.isdigit()}


def _wording(sentence: str) -> float:
    from aforesaid.text.extract.signals import NO_SIGNALS, read_signals

    plain = sentence.replace("’", "'").strip()
    if plain.rstrip("\"'”’)」』 ").endswith(ASKING):
        return ASKS
    if plain.endswith((":", "：")):
        return INTRODUCES
    if _SMALL_TALK.match(plain) and len(plain.split()) <= SMALL_WORDS and len(plain) < 90:
        return SMALL_TALK
    signals = guarded("signals", lambda: read_signals(plain), NO_SIGNALS)
    score = min(sum(SIGNALS.get(name, 0.0) for name in signals.present), MAX_SIGNALS)
    score += COMMITMENT if _COMMITMENT.search(plain) else 0.0
    score += MONEY if _MONEY.search(plain) else 0.0
    score += ADDRESSED if _ADDRESSED.match(plain) and not FIRST_PERSON.search(plain[:60]) else 0.0
    score += DANGLING if _DANGLING.match(plain) else 0.0
    return score + (MARKED if MARK.search(plain) else 0.0)
