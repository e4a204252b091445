"""Japanese addresses: prefecture, town and quarter, and the numbers of block and house."""

from __future__ import annotations

import re
from collections.abc import Iterator

MAX_CODE = 12  # characters of a postal code and the space behind it
MAX_NAME = 40  # characters from the prefecture to the first number

_PREFECTURES = (
    "北海道|東京都|大阪府|京都府|(?:青森|岩手|宮城|秋田|山形|福島|茨城|栃木|群馬|埼玉|千葉|神奈川|新潟|富山|石川"
    "|福井|山梨|長野|岐阜|静岡"
    "|愛知|三重|滋賀|兵庫|奈良|和歌山|鳥取|島根|岡山|広島|山口|徳島|香川|愛媛|高知|福岡|佐賀|長崎|熊本|大分|宮崎"
    "|鹿児島|沖縄)県"
)
_SIGN = "一-龥々〆ヶぁ-んァ-ンー"
NUMBERED = re.compile(  # a number behind a name, that goes on with at least one more sign of an address
    rf"(?P<number>[0-9](?<=[{_SIGN} ].)[0-9]{{0,3}}"
    r"(?:(?:丁目|番地の?|番|号|条[東西南北]?|[-ーの]) ?[0-9]{0,4}){1,6})"
    r"(?<![の条])(?![0-9年月日時分秒円%]|-[A-Za-z])"
    rf"(?P<house> ?[{_SIGN}A-Za-z・]{{2,20}}? ?[0-9]{{1,4}}(?:号室?|階|F(?![a-z])))?"
)
NAMES = re.compile(rf"(?: ?[{_SIGN}])++")  # read from the number backwards
PREFECTURE = re.compile(rf"(?:{_PREFECTURES}) ?[{_SIGN}]{{1,8}}?[市区町村郡]")
TOWN = re.compile(r"[一-龥々ヶ][一-龥々ヶー]{0,5}?[市区郡](?![場分画民長役内別立外間域])")
PLAIN_NUMBER = re.compile(r"[0-9]+[-ーの][0-9]+(?:号|番)?")
CODE = re.compile(r"〒? ?[0-9]{3}[-ー]?[0-9]{4}[ \n]{0,2}\Z")
NOT_TOWN = re.compile(r"地区|学区|選挙区|区域|行政区|工区|都市\Z|管区|鉱区")


def japanese_addresses(text: str) -> Iterator[tuple[int, int]]:
    """Addresses down to the house; without a prefecture only where town and number leave no doubt."""
    for match in NUMBERED.finditer(text):
        before = text[max(0, match.start() - MAX_NAME) : match.start()]
        names = NAMES.match(before[::-1])
        into = names and _start(names[0][::-1], match["number"])
        if names and into is not None:
            start = match.start() - len(names[0]) + into
            code = CODE.search(text[max(0, start - MAX_CODE) : start])
            yield start - len(code[0]) if code else start, match.start() + len(match[0].rstrip())


def _start(names: str, number: str) -> int | None:
    """Where in the names the address begins."""
    if prefecture := PREFECTURE.search(names):
        return prefecture.start()
    town = TOWN.search(names)
    if town is None or NOT_TOWN.search(town[0]) or PLAIN_NUMBER.fullmatch(number):
        return None
    return town.start()
