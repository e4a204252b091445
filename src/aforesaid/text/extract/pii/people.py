"""Names of people where the text introduces them, and dates of birth behind the words for them.

A capitalised word alone is never taken for a name: without a model that would be a guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from aforesaid.text.extract.pii.folded import BLOT
from aforesaid.text.extract.pii.names_japanese import JAPANESE_HINTS, japanese_names
from aforesaid.text.extract.spans import SpanFinder, Table, TextView
from aforesaid.text.patterns import MONTH, listed, word_list, words

_WORD = r"[A-ZÀ-Þ](?:[A-Za-zÀ-ÿ]|['-](?=[A-Za-zÀ-ÿ])){1,24}+(?![A-Za-z0-9_])"
_PARTICLE = "van|von|de|da|del|der|la|bin|al"
_FULL = rf"(?:(?:{_WORD}|[A-Z]\.?|{_PARTICLE}) ){{0,3}}{_WORD}"
_AND_FAMILY = rf"(?: [A-Z]\.)?(?: (?:(?:{_PARTICLE}) ){{0,2}}{_WORD})?"
SHAPE = re.compile(  # no CamelCase but McDonald, no CAPITALS
    rf"[A-ZÀ-Þ][a-zà-ÿ]*(?:['-][A-ZÀ-Þ]?[a-zà-ÿ]+)*|(?:Mc|Mac|De|Di|La|Le|Fitz|Van)[A-Z][a-z]+|[A-Z]\.|{_PARTICLE}"
)
_GIVEN_NAMES = words(word_list("given names"))
_GIVEN = rf"{_GIVEN_NAMES}(?![A-Za-z0-9_])"
GIVEN = listed("given names")
NOBODY = listed("not names") | listed("pii not names")

INTRODUCED = re.compile(rf"(?:name is|name's|name:|called|all me|go by|his is) ({_FULL})")
INTRODUCES = re.compile(
    r"(?:(?:my|his|her) (?:full |real |legal |first |last |maiden |middle |given |family |sur)?name(?: is|'s|:)"
    r"|(?:i'm|i am|he is|she is|he's|she's) called|(?:please|just|can|may|friends|people) call me|i go by) \Z"
)
SPEAKS = re.compile(r" (?:speaking|calling|from|here)\b")
SMALL_LETTERS = re.compile(
    rf"my name(?: is|'s) ({_GIVEN_NAMES.lower()}(?![a-z0-9_'])(?: (?!(?:and|i|but|from|or|so|not|who|also"
    rf"|in|of|the|is|by|what|here|nice|this|please|how|can|my)\b)[a-z]{{2,15}}(?=[.,!?\n]|\Z| and\b| i\b))?)"
)
I_AM = re.compile(rf"(?:I'm|I am|[Dd]ear|it's me,) ({_GIVEN}{_AND_FAMILY})(?!'s)")
TITLE = re.compile(rf"(?:Mrs?\.?|Ms\.?|Miss|Dr\.?|Prof\.?|Professor|Herr|Frau|Mme|Monsieur|Señora?|Mx\.?) ({_FULL})")
LABELLED = re.compile(rf"[:=] ?[\"'*]{{0,3}} ?({_FULL})(?=[\"'*]{{0,3}}(?: ?[,;.\n|)}}<\"']| \(|\Z))")
LABEL = re.compile(
    r"(?:(?:full|first|last|given|family|middle|maiden|legal)[ _-]?name|(?:customer|patient|applicant|employee"
    r"|contact|cardholder|account holder"
    r"|guest|passenger|emergency contact|recipient|student|author|signed-off-by|co-authored-by|reviewed-by)[ _-]?"
    r"(?:name)?|surname|nom"
    r"|nombre|name(?<![a-z]name))[\"'*]{0,3}\Z"
)
SURE = re.compile(
    r"(?i)full|first|last|given|family|middle|maiden|legal|patient|applicant|cardholder|passenger|surname|emergency"
    r"|signed|co-auth|reviewed"
)
CLOSED = re.compile(
    rf"(?:[Rr]egards|[Ss]incerely(?: yours)?|[Bb]est(?: wishes)?|[Yy]ours (?:truly|faithfully|sincerely)|[Cc]heers"
    rf"|[Tt]hanks|[Tt]hank you|[Ww]armly),?\s{{0,2}}\n\s{{0,4}}({_FULL})(?=[ \t]{{0,4}}(?:\n|\Z|,))"
)
BEFORE_MAIL = re.compile(rf"(?<![A-Za-z]) ?({_WORD}(?: [A-Z]\.)?(?: {_WORD}){{1,2}}) <(?:[\w.+-]{{1,64}}@|{BLOT})")
HINTS = ("name is ", "name's ", "name: ", "called ", "call me ", "go by ", "this is ")
CLOSINGS = ("egards", "incerely", "est,", "est wishes", "Yours", "yours", "heers", "hank", "armly")
TITLES = ("Mr", "Ms", "Miss", "Dr", "Prof", "Herr", "Frau", "Mme", "Monsieur", "Señor", "Mx")

_DAY = r"(?:the )?[0-3]?[0-9](?:st|nd|rd|th)?"
_YEAR = r"(?:1[89]|20)[0-9]{2}"
_DATE = (
    rf"(?:{_YEAR}[-/.][01]?[0-9][-/.][0-3]?[0-9]|[0-3]?[0-9][-/.][0-3]?[0-9][-/.](?:{_YEAR}|[0-9]{{2}})|(?:19"
    rf"|20)[0-9]{{2}}[01][0-9][0-3][0-9]"
    rf"|{MONTH}\.? {_DAY}(?:,? {_YEAR})?|{_DAY}(?: of)? {MONTH}\.?(?:,? {_YEAR})?"
    rf"|(?:{_YEAR}|(?:明治|大正|昭和|平成|令和) ?(?:[0-9]{{1,2}}|元)) ?年 ?[01]?[0-9] ?月 ?[0-3]?[0-9] ?日"
    rf"|[01]?[0-9] ?月 ?[0-3]?[0-9] ?日"
    rf"|[mtshr][0-9]{{1,2}}[./-][01]?[0-9][./-][0-3]?[0-9])(?![0-9a-z])"
)
BORN = re.compile(
    rf"(?:(?<![a-z])(?:dob|d\.o\.b\.?|date[ _-]?of[ _-]?birth|birth[ _-]?(?:date|day)|bday|geburtsdatum|geboren am"
    rf"|né(?:e)? le|fecha de nacimiento|date de naissance)"
    rf"|dateofbirth|birthdate|birthday|生年月日|誕生日)[\"'`*]{{0,3}}(?: ?\([^()\n]{{1,12}}\))? ?(?:[:=]|は|が|is"
    rf"|was|falls|'s)?(?: ?on)? ?[\"'`*]{{0,3}} ?({_DATE})"
    rf"|(?<![a-z])born(?: on| in [a-z]{{3,20}} on)?:? ({_DATE})|({_DATE})[ ]?(?:生まれ|生(?![一-龥ぁ-ん]))"
)
BIRTH = (
    *("birth", "born", "dob", "d.o.b", "bday", "生", "誕生日"),
    *("geburt", "geboren", "naissance", "nacimiento", "né"),
)


def names(view: TextView) -> Iterator[tuple[int, int]]:
    """Names of people in introductions, greetings, labels and signatures."""
    text, small = view.text, view.small
    if any(hint in small for hint in HINTS):
        yield from _people(text, _introduced(view))
        if "my name" in small:
            yield from (match.span(1) for match in SMALL_LETTERS.finditer(small))
    if "I'm " in text or "I am " in text or "ear " in text or "it's me" in text:
        yield from _people(text, I_AM.finditer(text))
    if any(title in text for title in TITLES):
        titled = (match for match in TITLE.finditer(text) if not text[match.start() - 1 : match.start()].isalnum())
        yield from _people(text, titled)
    if ":" in text or "=" in text:
        yield from _labelled(view)
    if "\n" in text and any(closing in text for closing in CLOSINGS):
        yield from _people(text, CLOSED.finditer(text))
    if " <" in text:
        yield from _people(text, BEFORE_MAIL.finditer(text))
    if not text.isascii() and any(hint in text for hint in JAPANESE_HINTS):
        yield from japanese_names(text)


def _people(text: str, found: Iterable[re.Match[str]]) -> Iterator[tuple[int, int]]:
    for match in found:
        if span := _trimmed(text, *match.span(1)):
            yield span


def _introduced(view: TextView) -> Iterator[re.Match[str]]:
    for match in INTRODUCED.finditer(view.text):
        if match[0].startswith("his is"):
            if SPEAKS.match(view.text, match.end()):
                yield match
        elif INTRODUCES.search(view.before(match.start(1))):
            yield match


def _trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The name up to the first word that is no name; None if the first word is none."""
    taken = start
    for word in re.finditer(r"[^ ]+", text[start:end]):
        if not _is_name(word[0]):
            break
        taken = start + word.start() + len(word[0].removesuffix("'s"))
    return (start, taken) if taken > start else None


def _is_name(word: str) -> bool:
    first = re.split("['-]", word)[0].strip(".")
    return SHAPE.fullmatch(word) is not None and word.strip(".") not in NOBODY and first not in NOBODY


def _labelled(view: TextView) -> Iterator[tuple[int, int]]:
    """What follows a label such as `Full name:`. Behind `Name:` alone a file or a company may be named."""
    for match in LABELLED.finditer(view.text):
        label = LABEL.search(view.before(match.start()))
        parts = match[1].split()
        if label is None or not all(map(_is_name, parts)):
            continue
        capital = view.text[match.start() - len(label[0])].isupper()
        if SURE.search(label[0]) or parts[0] in GIVEN or (len(parts) > 1 and capital):
            yield match.span(1)


def birth_dates(view: TextView) -> Iterator[tuple[int, int]]:
    """Dates behind words for a birthday; a year alone is not enough."""
    if not view.digit or not any(word in view.small for word in BIRTH):
        return
    for match in BORN.finditer(view.small):
        yield next(match.span(group) for group in (1, 2, 3) if match[group])


BIRTHS: Table = (SpanFinder("date-of-birth", birth_dates),)
NAMES: Table = (SpanFinder("name", names),)
