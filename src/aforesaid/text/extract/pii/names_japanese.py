"""Japanese names: behind 氏名 and the like, before と申します, and common family names with an honorific."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aforesaid.text.patterns import listed

_FAMILY = "|".join(sorted(listed("japanese family names"), key=len, reverse=True))
_KANJI = "一-龥々ヶ"
_FULL = (
    rf"(?:[{_KANJI}]{{1,4}} [{_KANJI}ぁ-んァ-ンー]{{1,4}}|[ァ-ンー]{{2,8}}[・ ][ァ-ンー]{{2,8}}|[{_KANJI}]{{2,6}}"
    r"|[ァ-ンー]{2,10}|[A-Z][a-z]{1,15}(?: [A-Z][a-z]{1,15}){0,2})"
)
_FULL_FAMILY = rf"(?:{_FAMILY})(?: ?[{_KANJI}]{{1,3}}| [ぁ-ん]{{2,4}}| [ァ-ンー]{{2,5}})?"
_STOP = r"(?=[。、,.\n)」』(/|]| |\Z|です|と|で|様|さん|で、)"

JAPANESE_HINTS = (
    *("名", "氏", "様", "申し", "もうし", "さん", "先生", "くん", "君", "ちゃん", "私は", "僕は", "俺は", "わたしは"),
    *("フリガナ", "ふりがな", "担当", "責任者", "連絡者", "契約者", "申込者", "受取人"),
)
NAMES = (
    re.compile(
        rf"(?:氏名|フルネーム|契約者名?|お?客様名|申込者|受取人|送付先名|口座名義人?|名義人?)(?: ?\([^"
        rf"()\n]{{1,10}}\))?(?: ?[:=]|は) ?\"?({_FULL}){_STOP}"
    ),
    re.compile(
        r"(?:フリガナ|ふりがな|氏名\(カナ\)|氏名カナ) ?[:=]? ?([ァ-ンー]{2,8} [ァ-ンー]{2,8}"
        r"|[ぁ-ん]{2,8} [ぁ-ん]{2,8})(?![ァ-ンーぁ-ん])"
    ),
    re.compile(
        rf"(?:名前|担当者?|責任者|連絡者|宛名)(?: ?[:=]|は| ) ?({_FULL_FAMILY}|[{_KANJI}]{{1,3}} [{_KANJI}]{{1,3}}"
        rf"(?![{_KANJI}])){_STOP}"
    ),
    re.compile(rf"名前は ?({_FULL})(?:です|と申します|といいます|と言います|だ。)"),
    re.compile(rf"(?<![{_KANJI}ァ-ンーA-Za-z])({_FULL})と(?:申します|申し上げます|もうします)"),
    re.compile(rf"(?:私|僕|俺|わたし)(?:は|の名前は) ?({_FULL_FAMILY})(?:です|といいます|と言います|と申します)"),
    re.compile(
        rf"(?<![{_KANJI}])((?:{_FAMILY})(?: ?[{_KANJI}]{{1,3}}(?=さん|様|氏))?) ?"
        r"(?:さん|様(?![式子々態相変])|氏(?!名)|先生|くん|君|ちゃん)"
    ),
)
NOT_NAMES = re.compile(
    r"未定|不明|匿名|非公開|必須|任意|入力|記入|変数|関数|同上|本人|仮|なし|無し|ユーザー?|サーバー?|テスト|ゲスト"
    r"|管理者|担当者|下記|以下|上記|次|何"
)


def japanese_names(text: str) -> Iterator[tuple[int, int]]:
    """Japanese names that the words around them show to be names."""
    for pattern in NAMES:
        for match in pattern.finditer(text):
            if not NOT_NAMES.match(match[1]):
                yield match.span(1)
