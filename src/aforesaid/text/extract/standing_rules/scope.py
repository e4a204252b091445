"""Words that give a sentence a scope beyond the task at hand. Cheap to search: most messages have none of them."""

from __future__ import annotations

import re

from aforesaid.text.patterns import any_of

AHEAD = any_of(  # it holds from now on
    r"from (?:now|here|today|tomorrow|this (?:point|moment|day))(?: on(?:wards?)?)?(?: out| forward)?",
    r"(?:starting|beginning|effective|as of|as from) (?:now|today|tomorrow|immediately|right away|next \w+)",
    r"(?:going|moving) (?:forward|ahead)",
    r"in (?:the )?future",
    r"henceforth|henceforward|hereafter",
    r"for (?:all|any|every|each) (?:future|further|subsequent) \w+",
    r"until further notice",
)
EVERY_TIME_PHRASE = any_of(
    r"at all times|at no time|under no circumstances|without exception|no matter what",
    r"(?:every|each)(?: single)? time|whenever|any ?time (?:i|you|we)",
)
EVERY_TIME = rf"(?:always|never|{EVERY_TIME_PHRASE})"
BY_DEFAULT = any_of(
    r"by default|as a (?:general )?rule|in general|generally",
    r"unless (?:i|we|told|asked|instructed|stated|specified|otherwise|explicitly)\b[^,;.!?]{0,40}",
)
ASIDE = r"(?:ever|any ?more|no more|no longer)"  # "don't … ever", "no more …"
NEEDS = r"(?:needs?|gets?|requires?|ha(?:s|ve) to)"
BINDS = rf"(?:must|should|shall|may|{NEEDS})"
WITH = "(?:for|after|before|with|on|in|at)"
PERMISSION = r"without (?:my|our|asking|telling|checking|permission|approval|consent|a \w+)"
ANYTHING = r"(?:any(?:thing|one|body|where)? (?:i|you|we|of (?:my|your|our))\b|under any|ever)"
_STOP = r"(?:stop|quit|cease) (?:\w+ ){0,2}\w+ing"
_CLASS = any_of(  # a whole class of cases
    rf"(?:all|every|each|any|no)(?: [\w'/-]+){{1,5}} {BINDS}",
    r"(?:for|after|before|with|on|in|at|to|of) (?:every|each|all|any)",
    r"before (?:\w+ing|you \w+) any\w*",
    PERMISSION,
    ANYTHING,
)
_CASE = r"(?:when|if) (?:i|we|you|\w+ing)"
_CUSTOM = any_of(
    "we (?:only|just|don['’]t|do not|strictly|exclusively)",
    "rules?|conventions?|polic(?:y|ies)|guidelines?|standards?",
)
_JAPANESE = (
    "今後|これから|以後|以降|(?:次|次回|今日|明日|本日|今回|今)から|必ず|常に|決して|絶対|毎回|毎度|いつも|二度と|原則|基本的に|"
    "たび|度に|とき|時は|際|場合|全て|すべて|ように|禁止|なしに|ずに|ルール|規則|方針|では"
)
HAS_SCOPE = re.compile(
    rf"\b{any_of(AHEAD, EVERY_TIME, BY_DEFAULT, ASIDE, _STOP, _CLASS, _CASE, _CUSTOM)}\b|{_JAPANESE}", re.IGNORECASE
)
