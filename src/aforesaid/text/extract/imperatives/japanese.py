"""Patterns of Japanese directives, by the ending of the sentence."""

from __future__ import annotations

import re

from aforesaid.text.patterns import any_of, words

END = r"(?=[よねぞ]?[\s)）]*(?:[。！!.、]|$)|が、|（)"
_NOT_POINTER = r"(?<!参照して)(?<!ご覧)(?<!ご参照)(?<!見て)(?<!ごらん)"
_WISH = "(?:て|で)(?:ほしい|欲しい|(?:いただき|頂き|もらい)たい)(?:です)?"
REQUEST = rf"{_NOT_POINTER}(?:ください|下さい|{_WISH}|お願い(?:し|いたし)ます){END}"
NOMINAL = rf"[うくすつぬむぐぶるい](?<!という)(?<!ている)(?<!いい)(?<!良い)(?<!大きい)こと(?:とする|です)?{END}"
_EXPLAINS = re.compile(
    r"(?:の|点|目的|利点|役割|仕事|目標|理由|特徴|意味|狙い|問題|違い|コツ|強み|弱み)(?:は|が|とは)[^。]{0,60}こと(?:です|だ)?[。！]?$"
)
_OBLIGED = any_of(
    "(?:なけれ|ね)ば(?:ならない|なりません|いけない|いけません|ならぬ)",
    "なくては(?:ならない|なりません|いけない|いけません)",
    "ないと(?:いけない|いけません|だめ|ダメ)",
    "なきゃ(?:いけない|だめ|ダメ|ならない)",
)
OBLIGED = rf"{_OBLIGED}(?:です)?{END}"
FORBIDDEN = rf"(?:[てで]は|ちゃ|じゃ)(?:いけない|いけません|ならない|なりません|だめ|ダメ|駄目)(?:です|だ)?{END}"
BAN = rf"(?:禁止|厳禁|不可|NG)(?:です|だ|する|とする|とします|します|である|されている|されています)?{END}"
REQUIRED = rf"は必須(?:です|だ|とする|とします|である)?{END}"
DO_NOT = rf"[るすくうつむぶぐぬ]な(?<!うな)(?<!あるな)(?<!いるな)(?<!なるな)(?<!くるな){END}"
OUGHT = rf"べき(?:だ|です|である|(?:では|じゃ|で)(?:ない|ありません)(?:です)?)?{END}"
SO_THAT = rf"ように(?:する|します|しろ|せよ|お願い(?:します|いたします)?|心がける|注意する){END}"
ORDER = rf"(?:しろ|(?<!に)せよ|なさい|て(?:おけ|くれ|いけ)|でくれ){END}"
_SCENE = "(?:には|では|場合は|時は|際は|ときは|前は|後は|までは|からは)"
NO_SUBJECT = rf"^(?:(?![はが])[^。]|{_SCENE}){{0,120}}?"
SURELY = (
    rf"{NO_SUBJECT}(?:必ず|常に|いつも|毎回)[^。はが]{{1,80}}[うくすつぬむぐぶる](?<!ている)(?<!れる)(?<!ます){END}"
)
NEVER = rf"{NO_SUBJECT}(?:決して|絶対に?|二度と)[^。]{{1,80}}(?<!く)(?<!くは)(?<!では)(?<!じゃ)(?:ない|ません){END}"
_MACHINE = words(
    "サーバー? クライアント プロセス システム ワーカー ノード ブラウザ 端末 データベース カーネル ルーター"
)
_MACHINE_DUTY = re.compile(rf"{_MACHINE}[がは][^。]{{0,80}}(?:なければ|なくては|べき)")
_ROWS = (REQUEST, NOMINAL, OBLIGED, FORBIDDEN, BAN, REQUIRED, DO_NOT, OUGHT, SO_THAT, ORDER, SURELY, NEVER)
RULES = tuple(map(re.compile, _ROWS))


def is_directive(sentence: str) -> bool:
    """Whether a Japanese sentence commands, forbids or obliges its reader."""
    if _EXPLAINS.search(sentence) or _MACHINE_DUTY.search(sentence) or sentence.endswith(("か。", "か", "?", "？")):
        return False
    return any(rule.search(sentence) for rule in RULES)
