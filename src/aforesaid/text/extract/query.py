"""Analyses a query without a model (spec 5.2, 5.8, P3, O1–O4): mode, α, keywords, variants.

A query that names a file or a code is exact, even if the rest of it is vague.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal, TypeAlias

from aforesaid.settings.rows import OpenclawRows, PceRows
from aforesaid.text.analyze import STOP_WORDS, query_terms
from aforesaid.text.extract.reader import guarded
from aforesaid.text.extract.secrets import find_secrets
from aforesaid.text.patterns import MONTH, any_of, listed, word_list, words

Mode: TypeAlias = Literal["hybrid", "exact", "semantic"]

PCE = PceRows()
OPENCLAW = OpenclawRows()
READ_CHARS = 4000  # we read only the beginning of a pasted page
FULL_PROSE = 8  # plain tokens around a code or quote from which α is at the top of its exact range
LONG_TOKENS = 12  # a sentence of this many tokens is long: α at the bottom of its long range
LONGEST_TOKENS = 24  # and from here on it is at the top
KEY_NOUNS = 2  # nouns for which we try singular or plural

# re.ASCII throughout: a Japanese particle right behind a file name then ends the word, as a blank does.
_EXTENSION = words(word_list("file extensions"))
_FOLDER = words(word_list("source folders"))
_PRODUCT = r"(?!(?:[Nn]ode|[Nn]ext|[Vv]ue|[Nn]uxt|[Tt]hree|[Dd]3|[Ee]xpress|[Rr]eact|[Bb]ackbone|[Cc]hart)\.js\b)"
_ERRNO = words(word_list("errno"))
_UNIT = (
    r"(?! ?(?:%|km|kg|cm|mm|m\b|g\b|ml|mb|gb|miles?|met(?:er|re)s?|people|guests|pages?|days?|hours?|min|dollars|"
    r"euros?|yen|usd|eur|calories|steps|words|times|items|円|人|ページ|号室|号線|個|件|日|年|回|歳|番地|メートル|キロ|グラム))"
)
_PLACE = (
    r"(?<![\w$€£¥.,:/-])(?<!room )(?<!Room )(?<!route )(?<!Route )(?<!flight )(?<!page )(?<!gate )(?<!number )"
    r"(?<!highway )(?<!unit )(?<!suite )(?<!about )(?<!Highway )(?<!Suite )(?<!building )"
)
_STATUS = "40[1345-9]|41[0-8]|42[1-9]|451|50[1-8]|511"
_STATUS_WORD = r"(?:HTTP|http|[Ss]tatus(?: code)?|[Ee]rrors?(?: code)?|[Cc]ode|エラー|ステータス(?:コード)?|コード)"

CODE = re.compile(
    any_of(
        r"`[^`]{1,400}`|```",
        r"https?://[^\s<>\"'`)\]}、。「」]{3,500}|\bwww\.[\w-]{1,63}\.[\w./-]{2,200}",
        r"(?<![\w/:.@])(?:~|\.{1,2})/[\w.@-]{1,100}(?:/[\w.@-]{0,100}){0,20}",  # ~/x, ./x, ../x
        r"(?<![\w/:.@)<>])/[A-Za-z_.][\w.@-]{1,100}(?:/[\w.@*-]{0,100}){0,20}",  # /home/x, /compact
        r"\b[A-Za-z]:\\[\w.-]{1,100}",
        rf"(?<![\w/.@-])(?:{_FOLDER})/[\w.@-]{{1,100}}(?:/[\w.@-]{{0,100}}){{0,20}}",
        rf"(?<![\w@.-]){_PRODUCT}(?:[\w-]{{1,60}}[/.]){{0,12}}[\w*-]{{1,60}}\.(?:{_EXTENSION})\b(?![@-]|\.\w)",
        rf"(?<![\w.])\*?\.(?:(?!(?:cc?|h|so)\b){_EXTENSION}|gitignore|bashrc|zshrc|npmrc|editorconfig)\b",
        r"(?<![\w/.])(?:Dockerfile|Makefile|CLAUDE\.md|package\.json)\b",
        rf"\b(?:{_ERRNO}|SIG(?:SEGV|KILL|TERM|ABRT|INT|HUP)|0x[0-9A-Fa-f]{{4,16}})\b",
        r"\b[A-Z][A-Z0-9]{1,40}(?:_[A-Z0-9]{1,40}){1,8}\b",  # SQLITE_BUSY, MAX_TOKENS
        r"\b(?:TS|CS|MSB|LNK|ORA-|PLS-|E|C|W)\d{4,5}\b|\bSQLSTATE\b|\bCVE-\d{4}-\d{3,7}\b",
        r"\b(?!SHA-|ISO-|AES-|RSA-|UTF-|IEEE-|GPT-|MP-|RFC-)[A-Z]{2,10}-\d{3,7}\b",  # a ticket
        r"\b[A-Za-z]{2,60}(?:(?<=[a-z])Error|(?<=[a-z])Exception)\b",
        rf"{_PLACE}(?:{_STATUS})\b{_UNIT}(?! [A-Z][a-z]+ (?:Street|St|Road|Rd|Avenue|Ave)\b)(?![-.,:/]\d)",
        rf"\b(?:exit|return) (?:code )?\d{{1,3}}\b|{_STATUS_WORD}[ :]{{0,2}}[1-5]\d\d\b",
        r"\b[1-5]\d\d ?(?:errors?\b|status\b|エラー|ステータス)",
        r"\b(?:TODO|FIXME|XXX)\b(?:\([\w-]{1,30}\)|:)|\b[a-z]{2,20}=\d{2,5}\b|\b(?:[Ee]rror|[Ff]atal): \w",
        r"\b[a-z]\w{0,40}_\w{1,40}\b|\b__\w{2,40}__\b",  # snake_case
        r"\b[a-z]{2,30}[A-Z][a-z]\w{0,60}\b",  # camelCase, but neither iPhone nor macOS
        r"\b[A-Za-z_]\w{0,60}(?:\.[A-Za-z_]\w{0,60}){0,6}\(\)|\b[A-Za-z]\w{1,40}::\w{1,40}",
        r"\b[a-z]{2,30}(?:\.[a-z_]{2,30}){2,8}\b",  # memory.search.limit
        r"\b(?!www\.)[a-z]{3,30}\.(?!(?:com|org|net|info|edu|gov)\b)[a-z]{4,30}\b(?!\.)",  # embed.dimensions
        r"\b(?:grep|ls|rm|tar|curl|git|ssh|docker|ps|chmod|sed|tail|rsync) -\w{1,20}",
        r"(?<![\w-])--[a-z][a-z-]{1,40}\b|(?<!\w)\$[A-Z_]{2,40}\b",
        r"\b(?=[a-f]{0,39}\d)(?=\d{0,39}[a-f])[0-9a-f]{7,40}\b|\b\d{1,3}(?:\.\d{1,3}){3}\b|\blocalhost:\d{2,5}\b",
    ),
    re.ASCII,
)
QUOTE = re.compile(
    r"(?<![0-9A-Za-z])\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|「[^」\n]{1,200}」|『[^』\n]{1,200}』|(?<!\w)'[^'\n]{2,100}'(?!\w)"
)
VERBATIM = re.compile(
    r"\b(?:exact (?:phrase|string|match|text|wording|words?|name|error|message|command|title|quote|spelling|value)"
    r"|verbatim|word for word)\b|一字一句|完全一致|原文のまま|正確な(?:文言|文字列|表現|コマンド|エラー)"
)

_THING = words(
    "things? ones? stuff places? ideas? movies? films? books? songs? restaurants? tools? guys? person people apps? "
    "sites? shows? tricks? words? games? trips? articles? recipes? shops? cafes? series"
)
_OUR = r"(?:we|i|you|they|he|she)"
SEMANTIC = re.compile(
    any_of(
        rf"\bwhat(?:'?s| was| were| is| are)? (?:that|those|the) (?:\w+ ){{0,2}}{_THING}\b(?! of the\b)",
        rf"\bthat (?:\w+ )?(?:thing|stuff|one|guy|place)\b|\bthe (?:thing|one) (?:with|where|that|about|{_OUR})\b",
        rf"\bwhat (?:was|is) it {_OUR} \w+|\b(?:what was|what's) (?:it|that) (?:again|called)\b|\bwhatchamacallit\b",
        r"\b(?:forg[eo]t(?:ten)?|can'?t (?:remember|recall)|don'?t remember) (?:what|the name|which|who|its)\b",
        r"\bdo (?:you|we) (?:remember|recall)\b|^remember (?:when|that|how|the time)\b|\bremind me what\b",
        r"\b(?:something|anything|someone|somewhere) (?:about|like|similar|along|related|to do|that|who|where|we|i)\b",
        r"\b(?:something|anything) (?:with|in) a\b|\bname of (?:that|this)\b|\bhow are things\b|\bcome up a lot\b",
        rf"\b(?:have|did|had) {_OUR} ever (?:talk|speak|spoke|chat|discuss|mention)|なんとか(?:って|と)いう|とかいう",
        rf"\b(?:what|who|where)(?:'s| was| were| is) (?:that|those) (?:\w+ ){{1,3}}(?:{_OUR}|that|who|with|about)\b",
        r"\bwhat (?:kind|sort|type)s? of \w+ (?:do|did|have) (?:i|we)\b|\bvaguely\b|\bon (?:my|our) mind\b",
        r"なんて(?:言|いう|名前)|まとめて(?:$|[。?!]|くだ|ほし)|どう(?:思|感じ)って",
        r"\balong the lines of\b|\b(?:some|any) (?:kind|sort) of\b|\bthings? like that\b|\bin general\b|\bkinda like\b",
        r"\beverything (?:about|on|you know|we)\b|\bwhat (?:do|did) (?:you|we) (?:already )?know about\b",
        rf"\bwhat (?:have|had) {_OUR} been\b|\bwhat(?:'s| is) (?:been )?(?:going on|new)\b|\bcatch me up\b",
        r"\b(?:overview|summary|gist|big picture) of\b|^(?:summari[sz]e|recap)\b|\bwhat kinds? of (?:things|stuff)\b",
        rf"\bwhat (?:did|do) {_OUR} (?:usually |generally )?(?:talk|chat|think|feel|care) about\b(?! \w+ \w+)",
        r"(?:何|なん)(?:だった)?(?:だっけ|でしたっけ|だったっけ|ていうんだっけ)|って何?(?:だっけ|でしたっけ)|だったかな",
        r"(?:あの|例の)[^。、?？]{0,12}(?:やつ|もの|こと|件|話|店|本|映画|曲|人|アプリ|サイト|ツール|方法|アイデア|場所)",
        r"(?:みたい|ような|っぽい)(?:な)?(?:もの|やつ|こと|話|の|感じ)|(?:思い出せ|覚えてい?な)|名前を?忘れ|(?:覚えて(?:い)?(?:る|ます))",
        r"(?:何か|なにか|なんか)(?:[^。、?？]{0,10})(?:話|言って|あった|なかった|いい|知って)|全体的に|ざっくり|大まかに",
        r"\bi once (?:wrote|noted|read|heard|had|made)\b|\bthere was (?:some|this|a) \w+|\b(?:stuff|things) like\b",
        r"\ba \w+ some(?:body|one) (?:recommended|mentioned|showed)\b|\b(?:patterns?|themes?) in (?:my|our|when)\b",
        rf"\b(?:big|recurring|common) (?:themes?|patterns?)\b|\bwhat else (?:did|do|have) {_OUR}\b",
        rf"\btell me about (?:my|our)\b|\b(?:do|did) {_OUR} (?:tend|use) to\b|\bhow do {_OUR} generally feel\b",
        r"\bhow (?:has|have|did) (?:my|our) [\w' ]{2,40} (?:change|evolve|shift)|(?:傾向|共通点)(?:は|が|ある)",
        r"(?:考え方?|気持ち|見方|関係|意識)(?:は|が|も)?[^。、]{0,8}(?:変わ|変化)",
        r"について(?:何|なに)を?(?:知って|話し)|(?:概要|全体像|あらまし)(?:を|は|$)|どんな(?:感じ|話|こと)|要約して|振り返って",
    )
)
_YEAR = r"(?:19|20)\d\d"
HISTORICAL = re.compile(
    rf"\b(?:histor(?:y|ical|ically)|originally|formerly|previously|in the past|years? ago|last year|used to|back then|"
    rf"at the time|back in|over the years|a long time ago|ages ago|old(?:er|est) (?:version|note|plan|decision)s?)\b"
    rf"|(?<![\w.-]){_YEAR}(?!\w|\.\d|-\d{{3}})|去年|昨年|一昨年|昔|以前|過去|当時|かつて|年前|履歴|経緯|{_YEAR}年|(?:令和|平成|昭和)"
)

_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
DATE = re.compile(
    r"(?:\b(?:in|on|since|from|before|after|by|during|until|around) (?:the )?)?"
    + any_of(
        rf"\b{_YEAR}[-/.]\d{{1,2}}[-/.]\d{{1,2}}\b|\b\d{{1,2}}[/.]\d{{1,2}}[/.](?:{_YEAR}|\d\d)\b|\b{_YEAR}[-/]\d{{2}}\b",
        rf"\b{_DAY}(?: of)? {MONTH}\b\.?(?:,? {_YEAR}\b)?|\b{MONTH}\.? {_DAY}\b(?:,? {_YEAR}\b)?",
        rf"\b{MONTH}\.?,? {_YEAR}\b",
        rf"(?:(?<![\d-]){_YEAR}|(?:令和|平成|昭和)(?:元|\d{{1,2}}))年(?:\d{{1,2}}月)?(?:\d{{1,2}}日)?(?:の|に|から|まで)?",
        r"(?<!\d)\d{1,2}月\d{1,2}日(?:の|に|から|まで)?",
        rf"(?<![\w.,$€£¥-]){_YEAR}(?![\w.,-]\d|\w)",
    ),
    re.IGNORECASE | re.ASCII,
)
PRIVATE = re.compile(
    any_of(
        r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){0,5}",  # an address
        r"(?<!\w)@\w{2,40}",  # a handle
        r"(?<!\w)\+?\(?\d(?:[ ().-]{0,2}\d){6,60}|\w{0,40}\d{7}\w*",  # a phone, a card, an account
        r"(?=[a-z_-]{0,40}\d)(?=\d{0,40}[a-z_-])[\w-]{16,}",  # a long id
        r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{10,}|\[secret:[^\]]{0,80}\]",
    ),
    re.IGNORECASE | re.ASCII,
)
_TOKEN = re.compile(
    r"[一-鿿㐀-䶿々〆]+|[ァ-ヺー]+|[ぁ-ゖ]{3,}|(?:(?![ぁ-ヺー一-鿿㐀-䶿々])[^\W_])+(?:[-'’_./](?:(?![ぁ-ヺー一-鿿])[^\W_])+)*"
)
_PUNCTUATION = re.compile(r"(?<![\w+#])[^\w\s]+|[^\w\s+#]+(?!\w)|[、。?!「」『』()]+")
_RARE = re.compile(r"\b(?:[A-Z]{2,}\d*|[A-Za-z]+\d+\w*|\d+[A-Za-z]+\w*|[A-Z][a-z]+[A-Z]\w*)\b", re.ASCII)
_COMMON = frozenset("OK AM PM TV US USA UK EU PC ID FAQ CEO HR IT AI TODO ASAP DIY API APP".split())  # noqa: SIM905
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th|s|am|pm|h|km|kg|cm|mm|m|g|k|x|d|gb|mb)", re.IGNORECASE)
_NO_NOUN = STOP_WORDS | listed("query not nouns")
_IRREGULAR = {
    "person": "people", "child": "children", "man": "men", "woman": "women", "foot": "feet", "tooth": "teeth",
    "mouse": "mice", "life": "lives", "knife": "knives", "wife": "wives", "leaf": "leaves", "shelf": "shelves",
}  # fmt: skip
_SINGULAR = {many: one for one, many in _IRREGULAR.items()}


@dataclass(frozen=True, slots=True)
class QueryAnalysis:
    """How to search for a query: mode, weight α of embeddings, keywords, other wordings, rare tokens."""

    text: str
    mode: Mode
    alpha: float
    keywords: tuple[str, ...]
    expansions: tuple[str, ...]
    historical: bool
    rare: tuple[str, ...]


def analyse(query: str, pce: PceRows = PCE, openclaw: OpenclawRows = OPENCLAW) -> QueryAnalysis:
    """Analyse a query (spec 5.2). An empty query is hybrid and has no keywords."""
    plain = QueryAnalysis(query, "hybrid", pce.alpha, tuple(query.split()), (), False, ())
    return guarded("query", lambda: _analysed(query, pce, openclaw), plain)


def _analysed(query: str, pce: PceRows, openclaw: OpenclawRows) -> QueryAnalysis:
    text = unicodedata.normalize("NFKC", query)[:READ_CHARS]
    return QueryAnalysis(
        text=query,
        mode=mode(text),
        alpha=alpha(text, pce),
        keywords=tuple(dict.fromkeys(query_terms(text))),
        expansions=expansions(query, openclaw.max_expansions),
        historical=HISTORICAL.search(text.lower()) is not None,
        rare=rare_tokens(text),
    )


def mode(text: str) -> Mode:
    """Exact for codes, quotes, paths and extensions; semantic for broad or vague questions; else hybrid (spec 5.8)."""
    lower = text.lower().replace("’", "'")
    if CODE.search(text) or QUOTE.search(text) or VERBATIM.search(lower):
        return "exact"
    return "semantic" if SEMANTIC.search(lower) else "hybrid"


def alpha(text: str, rows: PceRows = PCE) -> float:
    """α by the query's n tokens, of which m stand outside codes and quotes (spec 5.2, P3).

    n ≤ 2, or a code, quote or url: .3 + .2·min(m/8, 1). A sentence of n ≥ 12: .7 + .15·min((n−12)/12, 1). Else .65.
    """
    plain = count_tokens(QUOTE.sub(" ", CODE.sub(" ", text)))
    every = count_tokens(text)
    if every <= rows.short_tokens or CODE.search(text) or QUOTE.search(text):
        return _between(rows.alpha_exact_low, rows.alpha_exact_high, plain / FULL_PROSE)
    if every >= LONG_TOKENS:
        reach = (every - LONG_TOKENS) / (LONGEST_TOKENS - LONG_TOKENS)
        return _between(rows.alpha_long_low, rows.alpha_long_high, reach)
    return rows.alpha


def count_tokens(text: str) -> int:
    """Words; in Japanese runs of Han, runs of katakana, and runs of three or more hiragana (shorter are particles)."""
    return sum(1 for _ in _TOKEN.finditer(text))


def rare_tokens(text: str) -> tuple[str, ...]:
    """Tokens that may have to match exactly: codes, capitals, letters mixed with digits (spec O3)."""
    found = [match[0] for match in CODE.finditer(text)]
    if any(map(str.islower, text)) or not text.isascii():  # in a text of capitals only, they mean nothing
        found += [token for token in _RARE.findall(text) if token not in _COMMON and not _ORDINAL.fullmatch(token)]
    return tuple(dict.fromkeys(found))


def expansions(query: str, limit: int = OPENCLAW.max_expansions) -> tuple[str, ...]:
    """Variants: lower case without punctuation, without the date, one or two nouns in the other number (spec 5.8).

    They hold no addresses, phone numbers, long ids or secrets. At most `limit`, none equal to the query.
    """
    public = without_private(unicodedata.normalize("NFKC", query)[:READ_CHARS])
    plain, undated = _plain(public), _plain(DATE.sub(" ", public))
    tries = [plain, undated]
    tries += [re.sub(rf"(?<!\w){re.escape(noun)}(?!\w)", _other_number(noun), plain) for noun in _key_nouns(undated)]
    found = [text for text in dict.fromkeys(tries) if text and text != query and not _private_spans(text)]
    return tuple(found[: max(limit, 0)])


def _plain(text: str) -> str:
    """Lower case; punctuation inside a word stays (don't, node.js), as do the signs of c++ and c#."""
    return " ".join(_PUNCTUATION.sub(" ", text.lower()).split())


def _key_nouns(plain: str) -> list[str]:
    """The last one or two words that can be nouns: the head of an English phrase stands at its end."""
    found = [
        word
        for word in dict.fromkeys(re.findall(r"(?<![\w'./-])[a-z]{3,}(?![\w'./-])", plain))
        if word not in _NO_NOUN and not word.endswith(("ing", "ed", "ly", "ous", "ful", "est"))
    ]
    return found[-KEY_NOUNS:][::-1]


def _other_number(noun: str) -> str:
    """The plural of a singular noun or the singular of a plural one, by English spelling rules."""
    if other := _IRREGULAR.get(noun) or _SINGULAR.get(noun):
        return other
    if noun.endswith("s") and not noun.endswith(("ss", "us", "is")):
        if noun.endswith("ies") and len(noun) > 4:
            return noun[:-3] + "y"
        return noun[:-2] if noun.endswith(("sses", "xes", "zes", "ches", "shes")) else noun[:-1]
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "z", "ch", "sh")) else "s")


def _private_spans(text: str) -> list[tuple[int, int]]:
    dates = [match.span() for match in DATE.finditer(text)]
    spans = [match.span() for match in PRIVATE.finditer(text)]
    kept = [(a, b) for a, b in spans if not any(start <= a and b <= end for start, end in dates)]
    return sorted(kept + [(secret.start, secret.end) for secret in find_secrets(text)])


def without_private(text: str) -> str:
    """The text without addresses, phone numbers, long ids and secrets."""
    for start, end in reversed(_private_spans(text)):
        text = f"{text[:start]} {text[end:]}"
    return text


def _between(low: float, high: float, reach: float) -> float:
    return low + (high - low) * min(max(reach, 0.0), 1.0)
