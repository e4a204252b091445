"""English questions about time: their patterns, one row each, and the words that are no part of an event."""

from __future__ import annotations

from aforesaid.text.patterns import Row, word_row

ROWS: tuple[Row, ...] = (
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
