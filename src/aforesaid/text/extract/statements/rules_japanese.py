"""What a Japanese clause says of the speaker, a relative, a colleague or a thing: one rule a row."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from aforesaid.text.extract.statements.values import HELD, STATUS, UNLIKED, DraftStatement, Mood, times
from aforesaid.text.extract.statements.words_japanese import KIN, PLAIN, RELATIONS, TRAITS
from aforesaid.text.patterns import any_of

_SELF = "私|僕|俺|わたし|ぼく|自分|うち|私たち|我々|弊社|我が家"
_WHO = (
    f"(?:(?P<who>{_SELF}|{any_of(*KIN)}|[一-龥ァ-ヶーA-Za-z]{{1,10}}(?:さん|くん|君|ちゃん|先輩|"
    "氏))(?P<of>は|も|の|が)、?)?(?:今は|今|現在は?|もう|実は|今年|新しく)?、?"
)
_N = "(?P<v>[一-龥々ァ-ヶーA-Za-z・ .]{1,16}?)"
_X = "(?P<x>[^はがをにで、。\\s]{1,16})"
_TIME = any_of(
    "[0-9]{1,2}[月日時/:]",
    "[月火水木金土日]曜",
    "今日|明日|明後日|来週|再来週|来月|再来月|今週|今月|来年|来春|来夏|年内|年明け|午前|午後|正午|翌",
)
_WHEN = rf"(?P<v>(?:{_TIME})[^、。がはを]{{0,24}}?)"
_IS = (
    "(?:です|だ|である|だよ|ですよ|なんです|なんだ|ですね|になった|になりました|になります|に変わった|"
    "に変わりました|に代わった|に代わりました|に替わりました|に変更(?:になりました|しました|になった|"
    "した|されました|です)?|に決まりました|に上がった|に上がりました|に下がった|に下がりました|に増えた|"
    "に増えました|に減った|に減りました)"
)
_WAS = "(?P<past>でした|だった)"
_END = "(?=[。、！!ねよわ」 ]|$|んで|んだ|ので|けど|が|し、)"
_DONE = "(?:た|ました)"
_PROGRESS = "(?:います|いる|る|いました|いた|た)"


def who(match: re.Match[str], speaker: str) -> str:
    """Whom a clause is about: the speaker, unless it names a relative or somebody else."""
    who = match.groupdict().get("who")
    if not who or re.fullmatch(_SELF, who):
        return speaker
    return f"{speaker}'s {KIN[who]}" if who in KIN else re.sub("(?:さん|くん|君|ちゃん|先輩|氏)$", "", who)


Rule = Callable[[re.Match[str], str, bool], Iterator[DraftStatement]]


def _mood(match: re.Match[str], ended: bool = False) -> Mood:
    groups = match.groupdict()
    return "ends" if ended or groups.get("off") else "was" if groups.get("past") else "is"


def _name(value: str) -> str:
    return re.sub("(?:さん|先生|氏|様|君|くん|ちゃん|課長|部長)$", "", value.strip())


def _relation(match: re.Match[str], subject: str, change: bool) -> Iterator[DraftStatement]:
    relation, value = RELATIONS.get(match["x"]), _name(match["v"])
    if (
        relation
        and value
        and not re.match(_TIME, value)
        and re.search("[一-龥ァ-ヶA-Z]", value)
        and value not in TRAITS
    ):
        if match.groupdict().get("from"):
            yield DraftStatement(subject, relation, _name(match["from"]), "ends", True)
        yield DraftStatement(subject, relation, value, _mood(match), change)


def _home(match: re.Match[str], subject: str, change: bool) -> Iterator[DraftStatement]:
    place = re.sub("^(?:実家のある|新しい)", "", match["v"].strip())
    if place and not re.match(rf"{_TIME}|部屋|家$|新居$|マンション$|アパート$|隣|ここ|そこ", place):
        new = change or bool(match.groupdict().get("new"))
        yield DraftStatement(subject, "home", place, "plans" if match.groupdict().get("plan") else _mood(match), new)


def _simple(attribute: str, changed: bool = False, mood: Mood | None = None) -> Rule:
    def rule(match: re.Match[str], subject: str, change: bool) -> Iterator[DraftStatement]:
        value = match.groupdict().get("v") or ""
        yield DraftStatement(subject, attribute, value.strip(), mood or _mood(match), change or changed)

    return rule


def _each(attribute: str) -> Rule:
    """A rule for what one may have many of: each is an attribute of its own."""

    def rule(match: re.Match[str], subject: str, change: bool) -> Iterator[DraftStatement]:
        thing = _bare(match["x"])
        if thing and thing not in ("これ", "それ", "こと", "何", "の"):
            bad = UNLIKED if match.groupdict().get("bad") else HELD
            yield DraftStatement(
                subject, f"{attribute} {thing}", bad, _mood(match), change or bool(match.groupdict().get("off"))
            )

    return rule


def _bare(thing: str) -> str:
    thing = re.sub(
        "^(?:毎日|毎朝|毎晩|毎週|週に[0-9一二三]回|もう|いつも|最近|ずっと|ようやく|[0-9]+年間|"
        "[月火水木金土日]曜に?)の?",
        "",
        thing,
    )
    thing = re.sub("(?:するの|の)$", "", thing)
    return re.sub("^(?:走る|走って|走り)$", "走", re.sub("^(?:泳ぐ|泳いで)$", "泳", thing)).strip()


def _quit(match: re.Match[str], subject: str, change: bool) -> Iterator[DraftStatement]:
    """What one quits is a job or a habit; its name tells which it was."""
    yield DraftStatement(subject, "employer", match["v"], "ends", True)
    yield DraftStatement(subject, f"habit {_bare(match['v'])}", HELD, "ends", True)


def _switch(match: re.Match[str], subject: str, change: bool) -> Iterator[DraftStatement]:
    if source := match["from"]:
        yield DraftStatement(subject, f"habit {source.strip()}", HELD, "ends", True)
    yield DraftStatement(subject, f"habit {match['v'].strip()}", HELD, "is", True)


def _version(match: re.Match[str], subject: str, change: bool) -> Iterator[DraftStatement]:
    yield DraftStatement(
        subject, f"{match['x'].lower()} version", match["v"], "is", change or bool(match.groupdict().get("new"))
    )


def _thing(match: re.Match[str], subject: str, speaker_change: bool) -> Iterator[DraftStatement]:
    """A thing and its date, state or number: 会議は金曜日に変更."""
    thing, value = re.sub("^(?:その|この|例の|次の)", "", match["x"]), match["v"].strip()
    if thing in RELATIONS or thing in KIN or re.fullmatch(f"{_SELF}|今日|明日|昨日|ここ|これ|それ", thing):
        return
    plain = next((word for word in PLAIN if thing == word or thing.endswith(f"の{word}")), "")
    attribute = PLAIN.get(plain, "")
    about = thing.removesuffix(plain).rstrip("の") if plain else thing
    whose = subject if plain and (not about or re.fullmatch(_SELF, about)) else about
    past: Mood = "was" if match.groupdict().get("past") else "is"
    days, clock = times(value)
    if attribute and attribute not in ("deadline", "wake up"):
        if len(value) <= 40:
            yield DraftStatement(whose, attribute, value, past, speaker_change)
    elif (days or clock) and re.match(_TIME, value):
        moved = speaker_change or bool(match.groupdict().get("moved"))
        yield DraftStatement(whose, attribute or "date", value, "was" if past == "was" else "plans", moved)
    elif value in STATUS:
        yield DraftStatement(thing, "status", value, past, speaker_change)
    elif amount := re.fullmatch(
        "(?:約|およそ)?(?P<n>[0-9][0-9,.]*[万千億]?(?:円|ドル|人|名|個|台|件|kg|キロ|本|匹|%|回|GB|MB|冊|枚|"
        "軒|社|店舗))",
        value,
    ):
        yield DraftStatement(subject, f"{thing} count", amount["n"], past, speaker_change)


def _off(match: re.Match[str], subject: str, change: bool) -> Iterator[DraftStatement]:
    thing = re.sub("^(?:その|この|例の|次の)", "", match["x"])
    if "引っ越し" in thing or "引越" in thing:
        yield DraftStatement(subject, "home", "", "cancels", True)
    else:
        yield DraftStatement(thing, "date", "", "cancels", True)


def _later(match: re.Match[str], subject: str, change: bool) -> Iterator[DraftStatement]:
    yield DraftStatement(re.sub("^(?:その|この|例の|次の)", "", match["x"]), "date", "", "plans", True)


def _status(match: re.Match[str], subject: str, change: bool) -> Iterator[DraftStatement]:
    value = {"直": "直った", "壊れ": "壊れている", "落ち": "落ちている"}.get(match["v"], match["v"])
    yield DraftStatement(match["x"], "status", value, "is", change)


ROWS: tuple[tuple[re.Pattern[str], Rule], ...] = tuple(
    (re.compile(pattern), rule)
    for pattern, rule in (
        (
            f"{_WHO}(?:新しい)?{_X}[がは](?P<from>[一-龥ァ-ヶー]{{1,10}}(?:さん|先生)?)から{_N}(?:さん|"
            "先生)?に(?:変わ|代わ|替わ|なっ|交代)",
            _relation,
        ),
        (
            f"{_WHO}(?:新しい)?{_X}[はが](?:今は?|もう|現在は?)?、?{_N}(?:さん|先生|氏)?(?:{_IS}|{_WAS}|"
            "(?P<off>(?:では|じゃ)(?:なくなり|なくなっ|ありません|ない)))",
            _relation,
        ),
        (
            f"(?P<v>[一-龥ァ-ヶー]{{1,10}})(?:さん|先生)が(?:私の|"
            f"僕の)?(?:新しい)?(?P<x>{any_of(*RELATIONS)})(?:に(?:なっ|なり|就)|です)",
            _relation,
        ),
        (
            f"{_WHO}(?:[^、。はがをに]{{1,8}}で、?)?{_N}(?:に|へ)(?:[^、。はがをに]{{1,8}}で)?(?P<new>引っ?越し(?:し|を|て)?|移住し|転居し|"
            f"移り住ん)(?:{_DONE}|てき|て来|だ|しまし)",
            _home,
        ),
        (
            f"{_WHO}(?:{_TIME}[^、。]{{0,8}}(?:に|から)?)?、?{_N}(?:に|へ)(?P<plan>引っ?越(?:す|し(?:する|"
            "の)?予定|します|しする)|移住(?:する|します))",
            _home,
        ),
        (rf"{_WHO}(?:以前は?|昔は?|前は)、?{_N}に(?P<past>住んで)", _home),
        (rf"{_WHO}{_N}に住んで(?P<past>いました|いた|た)", _home),
        (rf"{_WHO}{_N}に住んで(?:い(?:ます|る)|る|おり)", _home),
        (rf"{_WHO}{_N}(?:在住|暮らし)(?:です|だ|をしています)", _home),
        (rf"{_WHO}{_N}(?:で働いて|に勤めて|に勤務して)(?P<past>いました|いた|た)", _simple("employer")),
        (rf"{_WHO}{_N}(?:で働いて|に勤めて|に勤務して)(?:い|る|おり)", _simple("employer")),
        (rf"{_WHO}{_N}(?:に|へ)(?:転職|入社|就職)し{_DONE}", _simple("employer", True)),
        (rf"{_WHO}(?:会社|仕事|職場)を(?:退職し|辞め|やめ|クビにな){_DONE}(?P<v>)", _simple("employer", True, "ends")),
        (rf"{_WHO}(?P<v>)(?:退職|転職)し{_DONE}", _simple("employer", True, "ends")),
        (rf"{_WHO}{_N}を退職し{_DONE}", _simple("employer", True, "ends")),
        (rf"{_WHO}{_N}を辞め{_DONE}", _quit),
        (
            f"{_WHO}(?P<v>[一-龥ァ-ヶー]{{2,12}}(?:師|士|者|員|家|医|エンジニア|デザイナー|長|マネージャー|"
            f"リーダー))(?:に昇進し|に昇格し|になり|になっ|として働){_DONE}?",
            _simple("role", True),
        ),
        (
            f"{_WHO}(?P<v>[一-龥ァ-ヶー]{{0,10}}(?:看護師|教師|医師|弁護士|会社員|公務員|エンジニア|デザイナー|"
            "学生|美容師|薬剤師|保育士))(?:です|だ|をして|として働いて)",
            _simple("role"),
        ),
        (rf"{_WHO}(?:もうすぐ)?(?P<v>[0-9]{{1,3}})[歳才](?:です|だ|になった|になりました|で){_END}?", _simple("age")),
        (
            f"{_WHO}(?:一番|いちばん)?好きな(?P<x>[^は、。]{{1,12}})は(?:今は?|"
            f"やっぱり)?、?(?P<v>[^、。]{{1,20}}?)(?:{_IS}|{_WAS}){_END}",
            lambda m, s, c: iter([DraftStatement(s, f"favourite {m['x']}", m["v"], _mood(m), c)]),
        ),
        (rf"{_WHO}(?P<v>独身|既婚)(?:です|だ|に戻)", _simple("relationship status")),
        (rf"{_WHO}(?:[^、。]{{0,12}}と)?(?P<v>結婚|離婚|婚約)し(?:{_DONE}|てい)", _simple("relationship status", True)),
        (rf"{_WHO}(?P<v>ベジタリアン|ヴィーガン|ビーガン)(?:です|だ|になっ|になり)", _simple("diet")),
        (rf"{_WHO}(?P<v>ベジタリアン|ヴィーガン|ビーガン)を(?:やめ|辞め)", _simple("diet", True, "ends")),
        (
            rf"{_WHO}(?P<x>[A-Za-z][\w.+#]{{1,20}}) ?(?:を|は)? ?(?P<v>[0-9]+(?:\.[0-9]+){{1,3}})(?:に(?P<new>上げ|"
            "アップグレード|更新|移行|アップデート)|を使|で動|です)",
            _version,
        ),
        (
            f"{_WHO}(?:(?P<from>[^、。はがをに]{{1,20}})から)?(?P<v>[^、。はがをから]{{1,20}})に(?:乗り換え|"
            f"切り替え|移行し|変え|替え|買い替え){_DONE}",
            _switch,
        ),
        (
            f"{_WHO}{_X}(?:は|が)(?:急遽|結局|[^、。はが]{{1,10}}(?:で|のため|により)、?)?(?:中止|キャンセル|"
            "取りやめ|白紙|無し|なし)(?:に|と|です|だ|され|し)",
            _off,
        ),
        (rf"{_WHO}{_X}を(?:中止|キャンセル|取りやめ)(?:に|し)", _off),
        (rf"{_WHO}{_X}(?:は|が)(?:なくなり|なくなっ|流れ){_DONE}", _off),
        (
            f"{_WHO}{_X}(?:は|が|を)(?:[^、。はが]{{1,10}}(?:で|のため|により)、?)?(?:(?:{_TIME})[^、。がはを]{{0,12}}から)?{_WHEN}(?P<moved>に(?:変更|延期|ずれ|"
            "早ま|前倒し|リスケ|移動|移り|変わ|なり|なっ|ずらし|振り替え)|(?:まで|へ)(?:延期|ずれ))",
            _thing,
        ),
        (rf"{_WHO}{_X}(?:は|が)(?:無期限|[^、。はが]{{1,10}}(?:で|のため|により)、?)?延期(?:に|です|され)", _later),
        (
            f"{_WHO}{_X}(?:は|が){_WHEN}(?:から|の予定|に(?:予定|決ま)|まで)?(?:です|だ|あり|ある|{_WAS}|の?予定|"
            "決ま|$)",
            _thing,
        ),
        (rf"{_WHO}{_X}(?:は|が)(?P<v>直|壊れ|落ち)(?:っ|り|て|ま)", _status),
        (
            f"{_WHO}{_X}(?:は|が)(?:もう|まだ|"
            f"ようやく)?(?P<v>{any_of(*sorted((w for w in STATUS if not w.isascii()), key=len, reverse=True))})(?:"
            f"です|だ|し|に|と|され|{_END})",
            _status,
        ),
        (rf"{_WHO}{_X}(?:は|が)(?P<v>[^、。はが]{{1,40}}?)(?:{_IS}|{_WAS}){_END}", _thing),
        (
            f"{_WHO}(?:もう)?{_X}(?:は|が)(?P<off>(?:好きでは|好きじゃ)(?:ない|なく|ありません)|嫌いになり|"
            "嫌いになっ|苦手になり|苦手になっ)",
            _each("like"),
        ),
        (rf"{_WHO}{_X}が(?:大|とても|すごく)?好き(?!な)", _each("like")),
        (rf"{_WHO}{_X}が(?:大|とても|すごく)?(?P<bad>嫌い|苦手)(?!な)", _each("like")),
        (rf"{_WHO}{_X}を(?:飼って|持って|所有して){_PROGRESS}", _each("own")),
        (rf"{_WHO}{_X}を(?P<off>売り|売っ|手放し|譲り|譲っ|処分し|解約し){_DONE}", _each("own")),
        (rf"{_WHO}{_X}が(?P<off>死ん|亡くな|死に)", _each("own")),
        (
            f"{_WHO}{_X}(?:を飲む|を食べる|を吸う|をする|に通う|を習う)?(?:の|こと)?(?:を|は)(?:もう|完全に|"
            f"とうとう)?(?P<off>やめ|辞め|卒業し|引退し|断ち){_DONE}",
            _each("habit"),
        ),
        (rf"{_WHO}{_X}は?(?:飲む|食べる|吸う|通う|習う)(?:の|こと)を(?P<off>やめ|辞め){_DONE}", _each("habit")),
        (
            f"{_WHO}(?:もう)?{_X}(?:は|を|に|には)(?P<off>(?:飲ま|食べ|吸わ|やら|し|通わ|使わ|乗ら)なくなっ|"
            "(?:飲んで|食べて|吸って|やって|して|通って|使って)(?:いません|いない|ない))",
            _each("habit"),
        ),
        (
            f"{_WHO}{_X}(?:を|に)(?:飲んで|食べて|習って|吸って|やって|して|続けて|使って|通って|始め|"
            f"乗って){_PROGRESS}",
            _each("habit"),
        ),
        (rf"{_WHO}毎(?:朝|日|晩|週)(?P<x>走って|泳いで|[^、。はがをに]{{1,10}}(?=して))", _each("habit")),
    )
)
