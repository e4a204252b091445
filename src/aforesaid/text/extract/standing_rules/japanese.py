"""Standing rules in Japanese sentences."""

from __future__ import annotations

import re

from aforesaid.text.extract.imperatives import japanese as imperatives
from aforesaid.text.extract.imperatives.japanese import END
from aforesaid.text.patterns import any_of

_AHEAD = re.compile(
    "今後|これから(?:は|先|も)|以後|(?:これ|それ|^)以降|(?:次|次回|今日|明日|本日|今回|今)から(?:は|、|ずっと)?"
)
_GENERAL = any_of(
    "必ず|常に|決して|絶対|毎回|毎度|いつも|二度と|原則|基本的に",
    "(?:る|う|く|す|つ|ぬ|む|ぐ|ぶ|の)(?:とき|時|際|場合|たび|度)(?:に|は|、)",
    "(?:全て|すべて)の",
    r"(?:許可|確認|承認|相談|断り)(?:[をも]?(?:得|取ら|せ)ず|なし)",
    "ようにして(?:ください|下さい|ほしい|欲しい|くれ|いただ)|ように(?:お願い|しなさい|すること)|ないように",
)
_SCOPE = re.compile(_GENERAL)
_ONCE = re.compile("今回(?!から)|今だけ|今日だけ|一度だけ|一回だけ|とりあえず|この件|このファイル|今のところ")
_ASKED_PLAINLY = re.compile(r"(?:ないで|[いえきしちりっん](?:て|で)|[てで]ね)[よね]?[\s)）]*[。！!]*$")
_HOUSE = any_of(
    "(?:うち|私たち|我々|弊社|当社|ここ|我が家)では",
    "この(?:プロジェクト|リポジトリ|チーム|会社|コード|現場)では",
)
_CUSTOM = re.compile(
    rf"{_HOUSE}[^。]{{0,60}}?(?:いつも|必ず|常に|絶対|決して|のみ|だけ)[^。]{{1,80}}(?:ます|ません|る|う|ない){END}"
)
_STATED = re.compile(r"^(?:[ぁ-んァ-ヶ一-龥]{1,10}の|新しい)?(?:ルール|規則|決まり|方針)(?:は|：|:)[^。]{2,}")
_PAST = re.compile(rf"昔|以前|当時|(?:ました|でした|ていた|だった|[っいんし]た){END}")
_REPORT = re.compile("と(?:言|い)(?:った|われ|って|う)|と書(?:い|か)|によると|らしい|そうです|だって")


def is_rule(sentence: str) -> bool:
    """Whether a Japanese sentence lays down a rule for the agent."""
    text = sentence.strip()
    if text.rstrip("」』）) ").endswith(("?", "？", "か。", "か")) or _PAST.search(text) or _REPORT.search(text):
        return False
    ahead = _AHEAD.search(text)
    if not ahead and _ONCE.search(text):
        return False
    if _CUSTOM.search(text) or _STATED.search(text):
        return True
    if not ahead and not _SCOPE.search(text):
        return False
    return imperatives.is_directive(text) or bool(_ASKED_PLAINLY.search(text))
