"""Finds rules in Japanese sentences, by their endings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from aforesaid.documents.deontic.rule import DeonticRule, Modality
from aforesaid.text.extract.imperatives import Prose
from aforesaid.text.patterns import any_of

_BAD = "(?:いけない|いけません|ならない|なりません|だめ|ダメ|駄目)(?:です|だ)?"
_PLEASE = "(?:ください|下さい|ほしい|欲しい|いただきたい|もらいたい|くれ)(?:です)?"
_ENDINGS: tuple[tuple[Modality, str], ...] = (
    ("obliged", rf"(?:なけれ|ね)ば{_BAD}|なくては{_BAD}|ないと{_BAD}"),
    (
        "permitted",
        "(?:て|で)も(?:よい|良い|いい|構わない|構いません|かまわない|かまいません|大丈夫)(?:です)?|(?:が|は)?(?:許可|許容)(?:されている|されています|する|します)",
    ),
    ("forbidden", rf"ないで(?:{_PLEASE})?|(?:て|で)は{_BAD}|(?:ちゃ|じゃ){_BAD}"),
    ("forbidden", "ない(?:こと|ように)(?:とする|です|する|します|してください|すること|しましょう|お願いします)?"),
    ("forbidden", "(?:べき|可)(?:では|じゃ|で)(?:ない|ありません)(?:です)?"),
    (
        "forbidden",
        "[はをが]?(?:禁止|厳禁|不可|NG)(?:です|だ|する|とする|とします|します|である|されている|されています)?",
    ),
    ("forbidden", "(?<=[るすくうつむぶぐぬ])な"),
    ("obliged", rf"(?:て|で){_PLEASE}|(?:を)?お願い(?:します|いたします)"),
    (
        "obliged",
        "(?<=[うくすつぬむぐぶる])(?:こと|ように)(?:とする|です|する|します|してください|すること|お願いします)?",
    ),
    ("obliged", "べき(?:だ|です|である)?|しろ|せよ|なさい|は必須(?:です|だ|とする|とします|である)?"),
)
ENDINGS = tuple((modality, re.compile(rf"(?:{ending})[よね]?[。！!.\s]*$")) for modality, ending in _ENDINGS)
_STRESSED = re.compile("必ず|常に|いつも|毎回|決して|絶対に?|二度と")
_SOFTENED = re.compile("必ず|常に|いつも|毎回|決して|絶対に?|二度と|できるだけ|なるべく|原則(?:として)?|極力")
_PLAIN = re.compile(r"(?P<no>ない|ません)[。！\s]*$|(?<=[うくすつぬむぐぶる])[。！\s]*$")
_TURNED = re.compile("(?:こと)?(?:を|は|も)?(?:避け|控え|やめ|止め|忘れ)[ぁ-ん]*$|忘れずに")
_USE = re.compile("(?:の|を)?(?:使用|利用)(?:し|する|すべ)?$|(?:の|を|は)?(?:使|つか)[わいうえおっ]?$")
_PARTICLE = re.compile("(?<=[^ぁ-ん])(には|では|から|まで|より|を|に|へ|で|が|は|も|、|,)")
_DEED = re.compile("(?<=[^ぁ-ん])の([一-龥]{2,4}|[ァ-ヶー]{2,10})$")  # "変更履歴の更新" is what is updated
_KANA = re.compile("[ぁ-ん]+")
_ROLE = {"には": "に", "へ": "に", "では": "で", "から": "から", "まで": "まで", "より": "より", "に": "に", "で": "で"}
_DOING = ("す", "し", "さ", "せ", "行", "おこな")
_SAID = re.compile("と(?:言|書|聞|述べ|話し|伝え|指示)")
_OPPOSITE: dict[Modality, Modality] = {"obliged": "forbidden", "forbidden": "obliged", "permitted": "permitted"}
_MACHINE = re.compile(any_of("サーバー?", "クライアント", "プロセス", "システム", "ワーカー", "ブラウザ") + "[はが]")


def rules_in(sentence: str, prose: Prose) -> Iterator[DeonticRule]:
    """The rule of a Japanese sentence, if there is one."""
    found = _read(sentence)
    if found is None or _SAID.search(sentence) or _MACHINE.match(sentence):
        return
    modality, action = found
    action = _SOFTENED.sub("", action)
    if turned := _TURNED.search(action):
        modality, action = _OPPOSITE[modality], action[: turned.start()] + action[turned.end() :]
    if named := _phrases(unicodedata.normalize("NFKC", prose.unmask(action)).casefold()):
        yield DeonticRule(modality, named, (), " ".join(prose.unmask(sentence).split()))


def _read(sentence: str) -> tuple[Modality, str] | None:
    for modality, ending in ENDINGS:
        if end := ending.search(sentence):
            return modality, sentence[: end.start()]
    if _STRESSED.search(sentence) and (plain := _PLAIN.search(sentence)):
        return ("forbidden" if plain["no"] else "obliged"), sentence[: plain.start()]
    return None


def _phrases(action: str) -> tuple[str, ...]:
    """The action as a set: the kanji of the verb, and every other phrase with its particle."""
    action = _DEED.sub(r"を\1", _USE.sub("", "".join(action.split())))
    parts = _PARTICLE.split(action)
    named = {
        phrase + _ROLE.get(role, "")
        for phrase, role in zip(parts[::2], [*parts[1::2], ""], strict=False)
        if phrase and role
    }
    verb = _verb(parts[-1]) if len(parts) % 2 else ""
    return tuple(sorted(named | {verb} - {""}))


def _verb(tail: str) -> str:
    stem = _KANA.sub("", tail)
    return stem or ("" if tail.startswith(_DOING) else tail[:2])
