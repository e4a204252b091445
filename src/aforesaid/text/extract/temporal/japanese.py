"""Japanese questions about time: their patterns, one row each, and the nouns that are no event."""

from __future__ import annotations

import re

from aforesaid.text.patterns import Row

_LENGTH = r"の(?!期間|間|時間|日数)"  # どのくらいの値段 asks for something else


def _row(name: str, pattern: str) -> Row:
    return name, re.compile(pattern)


ROWS: tuple[Row, ...] = (
    _row("how_many_days", r"何(?:日(?!に|付)|週間|[かヶカヵケ箇]月|年(?:間|前|後|ぶり|経|た)|時間|分)|日数"),
    _row("how_long", rf"ど(?:の|れ)(?:[くぐ]らい|ほど)(?!{_LENGTH})|期間"),
    _row(
        "before_after",
        r"(?<![名午人当お手目駅])(?<!当たり)前(?![提向半面進歩例払置職者述])"
        r"|(?<![午最背今老産前])後(?![輩悔半任ろ継者方援述])|(?<=[たの])あと(?=に|で|、|は|何|ど|から|$)",
    ),
    _row("first", r"最初|初めて|はじめて|先に|(?:どちら|どっち)が(?:先|早)|一番(?:早|古)|より(?:早|前)"),
    _row("since_between", r"以来|以降|から[^。？?\n]{1,30}まで|の間(?!違)|てから"),
    _row("when_did", r"いつ(?!も|か(?!ら)|の間)|何(?:日に|年に|月(?!間)|曜日|時(?!間))|日付"),
)

_STOPS = """
    何日 何日間 何日前 何日後 何週間 何週間前 何年 何年前 何年間 何月 何時 何時間 何曜日 期間 日数 日付 最初 最後 以来
    以降 間 前 後 前後 以前 以後 時 時間 日 年 月 週 分 私 僕 俺 彼 彼女 自分 今日 昨日 明日 今 今年 去年 来年 先週
    今週 来週 先月 今月 来月 一番 最近 経過 場合 教 何か月 何ヶ月 何カ月
"""
STOPS = frozenset(_STOPS.split())
