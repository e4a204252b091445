"""Names of people where the text introduces them, and dates of birth behind the words for them.

A capitalised word alone is never taken for a name: without a model that would be a guess. A Japanese name stands after
氏名 and the like, before と申します, or is a common family name with an honorific.
"""

from __future__ import annotations

import re

from aforesaid.text.extract.pii.folded import BLOT
from aforesaid.text.extract.spans import Accept, SpanRow, Table, TextView
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
TITLE = re.compile(
    rf"(?<![^\W_])(?:Mrs?\.?|Ms\.?|Miss|Dr\.?|Prof\.?|Professor|Herr|Frau|Mme|Monsieur|Señora?|Mx\.?) ({_FULL})"
)
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
_FAMILY = "|".join(sorted(listed("japanese family names"), key=len, reverse=True))
_KANJI = "一-龥々ヶ"
_JAPANESE = (
    rf"(?:[{_KANJI}]{{1,4}} [{_KANJI}ぁ-んァ-ンー]{{1,4}}|[ァ-ンー]{{2,8}}[・ ][ァ-ンー]{{2,8}}|[{_KANJI}]{{2,6}}"
    r"|[ァ-ンー]{2,10}|[A-Z][a-z]{1,15}(?: [A-Z][a-z]{1,15}){0,2})"
)
_JAPANESE_FAMILY = rf"(?:{_FAMILY})(?: ?[{_KANJI}]{{1,3}}| [ぁ-ん]{{2,4}}| [ァ-ンー]{{2,5}})?"
_STOP = r"(?=[。、,.\n)」』(/|]| |\Z|です|と|で|様|さん|で、)"
JAPANESE_HINTS = (
    *("名", "氏", "様", "申し", "もうし", "さん", "先生", "くん", "君", "ちゃん", "私は", "僕は", "俺は", "わたしは"),
    *("フリガナ", "ふりがな", "担当", "責任者", "連絡者", "契約者", "申込者", "受取人"),
)
JAPANESE_NAMES = (
    re.compile(
        rf"(?:氏名|フルネーム|契約者名?|お?客様名|申込者|受取人|送付先名|口座名義人?|名義人?)(?: ?\([^"
        rf"()\n]{{1,10}}\))?(?: ?[:=]|は) ?\"?({_JAPANESE}){_STOP}"
    ),
    re.compile(
        r"(?:フリガナ|ふりがな|氏名\(カナ\)|氏名カナ) ?[:=]? ?([ァ-ンー]{2,8} [ァ-ンー]{2,8}"
        r"|[ぁ-ん]{2,8} [ぁ-ん]{2,8})(?![ァ-ンーぁ-ん])"
    ),
    re.compile(
        rf"(?:名前|担当者?|責任者|連絡者|宛名)(?: ?[:=]|は| ) ?({_JAPANESE_FAMILY}|[{_KANJI}]{{1,3}} [{_KANJI}]{{1,3}}"
        rf"(?![{_KANJI}])){_STOP}"
    ),
    re.compile(rf"名前は ?({_JAPANESE})(?:です|と申します|といいます|と言います|だ。)"),
    re.compile(rf"(?<![{_KANJI}ァ-ンーA-Za-z])({_JAPANESE})と(?:申します|申し上げます|もうします)"),
    re.compile(rf"(?:私|僕|俺|わたし)(?:は|の名前は) ?({_JAPANESE_FAMILY})(?:です|といいます|と言います|と申します)"),
    re.compile(
        rf"(?<![{_KANJI}])((?:{_FAMILY})(?: ?[{_KANJI}]{{1,3}}(?=さん|様|氏))?) ?"
        r"(?:さん|様(?![式子々態相変])|氏(?!名)|先生|くん|君|ちゃん)"
    ),
)
JAPANESE_NOT_NAMES = re.compile(
    r"未定|不明|匿名|非公開|必須|任意|入力|記入|変数|関数|同上|本人|仮|なし|無し|ユーザー?|サーバー?|テスト|ゲスト"
    r"|管理者|担当者|下記|以下|上記|次|何"
)


def _introduces(view: TextView, match: re.Match[str]) -> bool:
    if match[0].startswith("his is"):
        return SPEAKS.match(view.text, match.end()) is not None
    return INTRODUCES.search(view.before(match.start(1))) is not None


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


def _is_labelled(view: TextView, match: re.Match[str]) -> bool:
    """Whether a name follows a label such as `Full name:`. After `Name:` alone it may be a file or a company."""
    label = LABEL.search(view.before(match.start()))
    parts = match[1].split()
    if label is None or not all(map(_is_name, parts)):
        return False
    capital = view.text[match.start() - len(label[0])].isupper()
    return bool(SURE.search(label[0])) or parts[0] in GIVEN or (len(parts) > 1 and capital)


def _is_japanese_name(_: TextView, match: re.Match[str]) -> bool:
    return not JAPANESE_NOT_NAMES.match(match[1])


def _name(pattern: re.Pattern[str], hints: tuple[str, ...], accept: Accept | None = None) -> SpanRow:
    """A row for a name that is cut off before the first word that is no name."""
    return SpanRow("name", pattern, accept, hints, group=1, trim=_trimmed)


BIRTHS: Table = (
    SpanRow(
        "date-of-birth",
        BORN,
        hints=(
            *("birth", "born", "dob", "d.o.b", "bday", "生", "誕生日"),
            *("geburt", "geboren", "naissance", "nacimiento", "né"),
        ),
        needs="digit",
        group=None,
        small=True,
    ),
)
NAMES: Table = (
    _name(INTRODUCED, ("name is ", "name's ", "name: ", "called ", "all me ", "go by ", "his is "), _introduces),
    SpanRow("name", SMALL_LETTERS, hints=("my name",), group=1, small=True),
    _name(I_AM, ("I'm ", "I am ", "ear ", "it's me")),
    _name(TITLE, ("Mr", "Ms", "Miss", "Dr", "Prof", "Herr", "Frau", "Mme", "Monsieur", "Señor", "Mx")),
    SpanRow("name", LABELLED, _is_labelled, (":", "="), group=1),
    _name(CLOSED, ("egards", "incerely", "est,", "est\n", "est wishes", "ours ", "heers", "hank", "armly")),
    _name(BEFORE_MAIL, (" <",)),
    *(SpanRow("name", pattern, _is_japanese_name, JAPANESE_HINTS, group=1) for pattern in JAPANESE_NAMES),
)
