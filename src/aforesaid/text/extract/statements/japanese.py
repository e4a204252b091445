"""Reads Japanese statements: splits a sentence into clauses and applies the first rule that matches."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator

from aforesaid.text.extract.statements.values import STATUS, YES, Mood, Statement, times
from aforesaid.text.patterns import any_of, word_groups

_SPLIT = re.compile(
    "。|！|、?(?:けれども?|けど|ですが|ますが|したが|だが|ので|から)、|(?<=[たるすいだ])が、|(?<=して)、|"
    "(?<=くて)、?|(?<=[てで])、|(?<=[でし])、(?=今)"
)
_UNREAL = re.compile(  # conditions, guesses, wishes, hearsay, fiction
    "もし|なら、|そう(?:です|だ|な)|ように(?![なし])|みたい|[っしいん][ただ]ら(?![しい])|れば、|かもしれ|だろう|でしょう|"
    "たい(?:です|な|と|けど|。|$)|ようか|かな(?:[。、]|$)|例えば|たとえば|小説|と(?:思う|思って|思った|考え|仮定)|らしい|"
    "迷って|検討|と(?:言って|聞い|話して)|ですか|ますか|べき|ほしい|ください|夢で"
)
_OPENER = re.compile(
    "(?:(?P<change>今は|現在[はの]?|今の|今[年月週日]から|これからは|今後は|今度|新しく|[0-9]{1,2}月から|先[月週]から|"
    "訂正[:：]?|変更[:：])|ところで|実は|実を言うと|ちなみに|あと|えっと|そういえば|最近|この前|先月|先週|昨日|先日|やっと|"
    "ついに|とうとう|残念ながら|結局|報告です|お知らせです|でも|だから|そして|それで|今|今日|今朝|お疲れ様です|こんにちは|"
    "去年|今年|昨年|[春夏秋冬](?:に|から)|すみません|ごめん(?:なさい)?|申し訳ありません|急ですが)[、,。:： ]?"
)
_CHANGED = re.compile(
    "になった|になりま|に[変代替]わ|に変更|[上下]が[っり]|増え|減[っり]|今は|今度|新しい|もう|現在|に決ま"
)

# Japanese words, and the English attributes under which statements are stored.
_KIN = word_groups("statement japanese family")
_RELATIONS = word_groups("statement japanese relations")
_PLAIN = word_groups("statement japanese plain nouns")
_TRAITS = frozenset("優秀 厳しい 親切 元気 病気 出張 出張中 休み 女性 男性 アメリカ人 日本人 医者 優しい".split())  # noqa: SIM905 - no names

_SELF = "私|僕|俺|わたし|ぼく|自分|うち|私たち|我々|弊社|我が家"
_WHO = (
    f"(?:(?P<who>{_SELF}|{any_of(*_KIN)}|[一-龥ァ-ヶーA-Za-z]{{1,10}}(?:さん|くん|君|ちゃん|先輩|氏))[はもの"
    "が]、?)?(?:今は|今|現在は?|もう|実は|今年|新しく)?、?"
)
_N = "(?P<v>[一-龥々ァ-ヶーA-Za-z・ .]{1,16}?)"  # a name
_X = "(?P<x>[^はがをにで、。\\s]{1,16})"  # a thing
_TIME = any_of(
    "[0-9]{1,2}[月日時/:]|[月火水木金土日]曜",
    "今日|明日|明後日|来週|再来週|来月|再来月|今週|今月|来年|来春|来夏|年内|年明け|午前|午後|正午|翌",
)
_WHEN = rf"(?P<v>(?:{_TIME})[^、。がはを]{{0,24}}?)"
_IS = (
    "(?:です|だ|である|だよ|ですよ|なんです|なんだ|ですね|に(?:なった|なりました|なります|[変代替]わった|[変代替]わりました|"
    "変更(?:になりました|しました|になった|した|されました|です)?|決まりました|[上下]がった|[上下]がりました|増えた|増えました|"
    "減った|減りました))"
)
_END = "(?=[。、！!ねよわ」 ]|$|んで|んだ|ので|けど|が|し、)"
_DONE = "(?:た|ました)"
_WHY = "(?:[^、。はが]{1,10}(?:で|のため|により)、?)?"
_COUNTED = re.compile(
    "(?:約|およそ)?([0-9][0-9,.]*[万千億]?(?:円|ドル|人|名|個|台|件|kg|キロ|本|匹|%|回|GB|MB|冊|枚|軒|社|店舗))"
)

Rule = Callable[[re.Match[str], str, bool], Iterator[Statement]]


def readings(sentence: str, speaker: str) -> Iterator[Statement]:
    """The statements of the clauses of a Japanese sentence, in order."""
    text = unicodedata.normalize("NFKC", sentence)[:600]
    if text.rstrip("」』) ").endswith(("?", "か。", "か")):
        return
    for clause in _SPLIT.split(text):
        yield from _clause(clause, speaker)


def _clause(clause: str, speaker: str) -> Iterator[Statement]:
    clause = clause.strip(" 、。!「」")
    change = False
    for _ in range(4):
        if not (opener := _OPENER.match(clause)):
            break
        change = change or bool(opener["change"])
        clause = clause[opener.end() :]
    if len(clause) < 3 or _UNREAL.search(clause):
        return
    change = change or _CHANGED.search(clause) is not None
    for pattern, rule in ROWS:
        if (match := pattern.match(clause)) and (found := list(rule(match, _subject(match, speaker), change))):
            yield from found
            return


def _subject(match: re.Match[str], speaker: str) -> str:
    """The subject of a clause: the speaker, unless it names somebody else."""
    who = match["who"]
    if not who or re.fullmatch(_SELF, who):
        return speaker
    return f"{speaker}'s {_KIN[who]}" if who in _KIN else re.sub("(?:さん|くん|君|ちゃん|先輩|氏)$", "", who)


def _relation(match: re.Match[str], subject: str, change: bool) -> Iterator[Statement]:
    """上司は田中さんです."""
    relation, value = _RELATIONS.get(match["x"]), re.sub("(?:さん|先生|[氏様君]|くん|ちゃん|[課部]長)$", "", match["v"])
    named = value not in _TRAITS and not re.match(_TIME, value) and re.search("[一-龥ァ-ヶA-Z]", value)
    if relation and named:
        yield Statement(subject, relation, value, "ends" if match["off"] else "is", change)


def _home(changed: bool = False) -> Rule:
    def rule(match: re.Match[str], subject: str, change: bool) -> Iterator[Statement]:
        place = re.sub("^(?:実家のある|新しい)", "", match["v"].strip())
        if place and not re.match(rf"{_TIME}|部屋|家$|新居$|マンション$|アパート$|隣|ここ|そこ", place):
            yield Statement(subject, "home", place, "is", change or changed)

    return rule


def _simple(attribute: str, changed: bool = False, mood: Mood = "is") -> Rule:
    def rule(match: re.Match[str], subject: str, change: bool) -> Iterator[Statement]:
        yield Statement(subject, attribute, match["v"].strip(), mood, change or changed)

    return rule


def _each(attribute: str, mood: Mood = "is") -> Rule:
    """A rule for habits and possessions, each of which is its own attribute."""

    def rule(match: re.Match[str], subject: str, change: bool) -> Iterator[Statement]:
        thing = _bare(match["x"])
        if thing and thing not in ("これ", "それ", "こと", "何", "の"):
            yield Statement(subject, f"{attribute} {thing}", YES, mood, change or mood == "ends")

    return rule


def _bare(thing: str) -> str:
    often = "毎[日朝晩週]|週に[0-9一二三]回|もう|いつも|最近|ずっと|ようやく|[0-9]+年間|[月火水木金土日]曜に?"
    thing = re.sub(f"^(?:{often})の?", "", thing)
    return re.sub("(?:するの|の)$", "", thing).strip()


def _quit(match: re.Match[str], subject: str, change: bool) -> Iterator[Statement]:
    """People quit jobs and habits. The older statement shows which one it was."""
    yield Statement(subject, "employer", match["v"], "ends", True)
    yield Statement(subject, f"habit {_bare(match['v'])}", YES, "ends", True)


def _switch(match: re.Match[str], subject: str, change: bool) -> Iterator[Statement]:
    if source := match["from"]:
        yield Statement(subject, f"habit {source.strip()}", YES, "ends", True)
    yield Statement(subject, f"habit {match['v'].strip()}", YES, "is", True)


def _favourite(match: re.Match[str], subject: str, change: bool) -> Iterator[Statement]:
    yield Statement(subject, f"favourite {match['x']}", match["v"], "is", change)


def _off(match: re.Match[str], subject: str, change: bool) -> Iterator[Statement]:
    yield Statement(_named(match["x"]), "date", "", "cancels", True)


def _status(match: re.Match[str], subject: str, change: bool) -> Iterator[Statement]:
    yield Statement(match["x"], "status", match["v"], "is", change)


def _named(thing: str) -> str:
    return re.sub("^(?:その|この|例の|次の)", "", thing)


def _thing(match: re.Match[str], subject: str, change: bool) -> Iterator[Statement]:
    """A thing and its date, state or number: 会議は金曜日に変更."""
    thing, value = _named(match["x"]), match["v"].strip()
    if thing in _RELATIONS or thing in _KIN or re.fullmatch(f"{_SELF}|今日|明日|昨日|ここ|これ|それ", thing):
        return
    plain = next((word for word in _PLAIN if thing == word or thing.endswith(f"の{word}")), "")
    attribute = _PLAIN.get(plain, "")
    about = thing.removesuffix(plain).rstrip("の") if plain else thing
    whose = subject if plain and (not about or re.fullmatch(_SELF, about)) else about
    if attribute and attribute != "deadline":
        yield Statement(whose, attribute, value, "is", change)
    elif any(times(value)) and re.match(_TIME, value):
        yield Statement(whose, attribute or "date", value, "plans", change or "moved" in match.re.groupindex)
    elif value in STATUS:
        yield Statement(thing, "status", value, "is", change)
    elif amount := _COUNTED.fullmatch(value):
        yield Statement(subject, f"{thing} count", amount[1], "is", change)


_STATUS_WORDS = any_of(*sorted((word for word in STATUS if not word.isascii()), key=len, reverse=True))
_DIET = "(?P<v>ベジタリアン|[ヴビ]ィ?ーガン)"
ROWS: tuple[tuple[re.Pattern[str], Rule], ...] = tuple(
    (re.compile(_WHO + pattern), rule)
    for pattern, rule in (
        (
            f"(?:新しい)?{_X}[はが](?:今は?|もう|現在は?)?、?{_N}(?:さん|先生|氏)?(?:{_IS}|"
            "(?P<off>(?:では|じゃ)(?:なくな[りっ]|ありません|ない)))",
            _relation,
        ),
        (
            f"(?:[^、。はがをに]{{1,8}}で、?)?{_N}[にへ](?:[^、。はがをに]{{1,8}}で)?(?:引っ?越し[しをて]?|移住し|転居し|移り住ん)"
            f"(?:{_DONE}|てき|て来|だ|しまし)",
            _home(True),
        ),
        (f"{_N}に住んで(?:い(?:ます|る)|る|おり)", _home()),
        (f"{_N}(?:で働いて|に勤めて|に勤務して)(?:い(?:ます|る)|る|おり)", _simple("employer")),
        (f"{_N}[にへ](?:転職|入社|就職)し{_DONE}", _simple("employer", True)),
        (f"(?P<v>)(?:会社|仕事|職場)を(?:退職し|辞め|やめ|クビにな){_DONE}", _simple("employer", True, "ends")),
        (f"{_N}を(?:退職し|辞め){_DONE}", _quit),
        ("(?:もうすぐ)?(?P<v>[0-9]{1,3})[歳才](?:です|だ|になった|になりました|で)", _simple("age")),
        (
            f"(?:一番|いちばん)?好きな(?P<x>[^は、。]{{1,12}})は(?:今は?|やっぱり)?、?(?P<v>[^、。]{{1,20}}?){_IS}{_END}",
            _favourite,
        ),
        ("(?P<v>独身|既婚)(?:です|だ|に戻)", _simple("relationship status")),
        (f"(?:[^、。]{{0,12}}と)?(?P<v>結婚|離婚|婚約)し(?:{_DONE}|てい)", _simple("relationship status", True)),
        (f"{_DIET}(?:です|だ|になっ|になり)", _simple("diet")),
        (f"{_DIET}を(?:やめ|辞め)", _simple("diet", True, "ends")),
        (
            "(?:(?P<from>[^、。はがをに]{1,20})から)?(?P<v>[^、。はがをから]{1,20})に(?:乗り換え|切り替え|移行し|変え|替え|買い替え)"
            f"{_DONE}",
            _switch,
        ),
        (f"{_X}[はが](?:急遽|結局|{_WHY})?(?:中止|キャンセル|取りやめ|白紙|無し|なし)(?:に|と|です|だ|され|し)", _off),
        (
            f"{_X}[はがを]{_WHY}(?:(?:{_TIME})[^、。がはを]{{0,12}}から)?{_WHEN}(?P<moved>に(?:変更|延期|ずれ|早ま|前倒し|リスケ|"
            "移動|移り|変わ|なり|なっ|ずらし|振り替え)|(?:まで|へ)(?:延期|ずれ))",
            _thing,
        ),
        (f"{_X}[はが](?:もう|まだ|ようやく)?(?P<v>{_STATUS_WORDS})(?:です|だ|し|に|と|され|{_END})", _status),
        (f"{_X}[はが](?P<v>[^、。はが]{{1,40}}?){_IS}{_END}", _thing),
        (f"{_X}を(?:飼って|持って|所有して)(?:い(?:ます|る)|る)", _each("own")),
        (f"{_X}を(?:売[りっ]|手放し|譲[りっ]|処分し|解約し){_DONE}", _each("own", "ends")),
        (f"{_X}が(?:死ん|亡くな|死に)", _each("own", "ends")),
        (
            f"{_X}(?:を飲む|を食べる|を吸う|をする|に通う|を習う)?(?:の|こと)?[をは](?:もう|完全に|とうとう)?(?:やめ|辞め|卒業し|引退し|"
            f"断ち){_DONE}",
            _each("habit", "ends"),
        ),
        (
            f"{_X}[をに](?:飲んで|食べて|習って|吸って|やって|して|続けて|使って|通って|始め|乗って)(?:い(?:ます|る)|[るた])",
            _each("habit"),
        ),
    )
)
