"""Patterns of questions about time in English and Japanese, one row each, and words that are no part of an event."""

from __future__ import annotations

import re

from aforesaid.text.patterns import Row, word_row

ENGLISH_ROWS: tuple[Row, ...] = (
    word_row("how_many_days", r"how\smany\s(?:more\s|whole\s|full\s)?(?:minute|hour|day|night|week|month|year)s\b"),
    word_row("how_long", r"how\s(?:long|much\stime)\b"),
    word_row("before_after", r"before\b|after(?:wards?)?\b(?!\sall\b)|prior\sto\b"),
    word_row(
        "first",
        r"first\b(?!\s(?:name|class|aid|person|floor|grade|language|lady)\b)|earli(?:er|est)\b|came\s(?:first|last)\b",
        r"(?:in\s)?(?:what|which)\sorder\b|sooner\b",
    ),
    word_row("since_between", r"since\b|between\b"),
    word_row(
        "when_did",
        r"when\s(?:did|was|were|is|are|will|do|does|have|has|had)\b",
        r"(?:what|which)\s(?:date|day|month|year)\b|what\stime\b",
    ),
)

# A phrase ends at these: they ask, join, stand for something, help a verb, or name a stretch of time.
_STOPS = """
    a about after afterwards again ago all already also am among an and another any anything are around as at be
    because been before being between both but by came can come could date day days did do does doing done during each
    earlier earliest elapse elapsed ever every everything exactly first following for from get go going gone got had
    happen happened happening happens has have having he her hers him his hour hours how i if in into is it its just
    last late later latest less long longer many me mine minute minutes month months more most much my next night
    nights no not now occur occurred of off on once one ones only or order other our ours out over own pass passed
    past please prior really recently said same say says she should since so some something soon sooner spend spent
    still take takes tell than that the their theirs them then there these they thing things this those through till
    time times to today tomorrow too took total until up us was we week weekend weeks went were what when where which
    while who whom whose why will with would year years yesterday you your yours
"""
STOPS = frozenset(_STOPS.split())
# A verb opens what happened and is not its name; the object that follows is.
_VERBS = """
    adopt adopted adopting ask asked ate attend attended became become began begin book booked bought bring brought
    build built buy call called change changed complete completed cook cooked create created decide decided eat end
    ended enter entered feel felt find finish finished fix fixed found gave give graduate graduated hear heard help
    helped hire hired join joined keep kept knew know known learn learned learning leave left like live lived living
    lose lost made make meet mention mentioned met move moved moving need open opened order ordered paid pay plan
    planned play played playing purchase purchased ran read reading receive received release released return returned
    run saw see seen sell send sent set show showed sign signed sold start started stop stopped studied study studying
    switch switched talk talked think thought took training travel traveled travelled tried try turn turned use used
    using visit visited wait waited waiting walk walked want wanted watch watched watching win won work worked working
    write written wrote
"""
VERBS = frozenset(_VERBS.split())
JOINS = frozenset(("of", "to", "in", "at", "with", "for", "from"))  # inside a phrase that an article opened
OPENERS = frozenset(("the", "my", "our", "his", "her", "their", "your", "a", "an"))

_LENGTH = r"の(?!期間|間|時間|日数)"  # どのくらいの値段 asks for something else


def _row(name: str, pattern: str) -> Row:
    return name, re.compile(pattern)


JAPANESE_ROWS: tuple[Row, ...] = (
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

_STOPS_JAPANESE = """
    何日 何日間 何日前 何日後 何週間 何週間前 何年 何年前 何年間 何月 何時 何時間 何曜日 期間 日数 日付 最初 最後 以来
    以降 間 前 後 前後 以前 以後 時 時間 日 年 月 週 分 私 僕 俺 彼 彼女 自分 今日 昨日 明日 今 今年 去年 来年 先週
    今週 来週 先月 今月 来月 一番 最近 経過 場合 教 何か月 何ヶ月 何カ月
"""
STOPS_JAPANESE = frozenset(_STOPS_JAPANESE.split())
