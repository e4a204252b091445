"""English patterns of work done and things described, one row each: (signal, pattern); rows see lower-cased text."""

from __future__ import annotations

from aforesaid.text.patterns import after_none, word_row, words

_WHO = after_none("i we they he she team board", "have has did if")
DECISION = word_row(
    "action_decision",
    rf"{_WHO}(?:'ve| have| has|'d| had)?\s(?:finally |now |already |all |both |just )?"
    r"(?:decided|agreed|chose|chosen|opted|settled on|picked|concluded)\b(?! whether| if)",
    r"(?:i|we|they|team)\s(?:went with|ended up (?:choosing|going with|picking|using|with))\b",
    r"it was (?:decided|agreed)\b|decision\s?(?::|is |was )|the plan is to\b",
    r"(?:let's|let us|we'll|we will|i'll|i will|we're|we are|i'm|i am)\s(?:just |now )?(?:going to |gonna )?"
    r"(?:go(?:ing)? with|stick(?:ing)? (?:with|to)|use\b|adopt|switch(?:ing)? to|mov(?:e|ing) (?:\w{1,12} )?to|"
    r"standardi[sz]e on|drop(?:ping)?\b)",
)
_UNDONE = "not be being never yet get isn't wasn't hasn't haven't to newly not\\sbeen yet\\sbeen never\\sbeen"
_FIXED_THING = "width price rate size point income costs? assets? term schedule length position amount"
RESOLUTION = word_row(
    "action_resolution",
    rf"{after_none('fixed resolved solved patched', _UNDONE)}\b(?![\s-]{words(_FIXED_THING)})",
    r"(?:figured (?:it |this |that )?out|sorted (?:it |this )?out)\b|turned out (?:to be|that|the|we|i)\b",
    r"(?:the|our) (?:fix|solution|workaround|root cause|culprit) (?:is|was|turned out)\b|root cause\s?:",
    r"the (?:problem|issue|bug|error|crash|failure) was\b(?! not| never| solved)",
    r"(?:works|working|passes|green) (?:fine )?(?:now|again)\b",
)
_DONE = "shipped released deployed launched published merged finished completed"
MILESTONE = word_row(
    "action_milestone",
    rf"{after_none(_DONE, _UNDONE)}\b(?! product| in\b| by\b)|(?:went live|rolled out|signed off)\b",
    r"(?:i|we|she|he|they|tests|build|audit|team)(?:'ve| have)?\s(?:all )?passed\b(?! (?:away|by|out|on))",
    r"(?:is|are|it's) (?:now |finally )(?:live|out|done|in production|in prod)\b|we (?:hit|reached) (?:\d|our|the|a)\b",
)
_SWITCHES = "flag option setting mode plugin feature cache logging extension rule check"
_VALUES = "true false on off none"
CONFIGURATION = word_row(
    "action_configuration",
    rf"set(?:ting)?\s(?:the\s|our\s|my\s)?[\w.`-]{{2,30}}(?:\s[\w.`-]{{2,30}}){{0,2}}\sto\s(?:[`\"'\d/]|{words(_VALUES)}\b)",
    r"(?:we|i|now|is|are|was|were|been|has|have) (?:enabled|disabled|configured)\b",
    r"configured? (?:to|with|as|the|our|it)\b|defaults? to\b",
    rf"(?:enabled?|disabled?) (?:the )?[\w.`-]{{2,30}} {words(_SWITCHES)}",
    r"port \d{2,5}\b|env(?:ironment)? var(?:iable)?s?\b|config(?:uration)? (?:file|value|setting|key)s?\b",
)

ACRONYM = word_row("structure_definition", r"[A-Z][A-Z0-9]{1,9} stands for\b")
DEFINITION = word_row(
    "structure_definition",
    r"(?:is|are) defined as\b|by definition\b|we define\b|refers to (?:an?|the)\b",
)
DATA = word_row(
    "structure_data",
    r"(?:hash ?map|hash table|linked list|binary (?:search )?tree|priority queue|foreign key|primary key)\b",
    r"(?:array|list|dict|dictionary|map|set|tuple|table|struct)s? (?:of|with) "
    r"(?:ints?|integers?|strings?|objects?|records?|tuples?|columns?|floats?|bytes|keys?)\b",
    r"(?:database|table|avro|event|api|json) schema\b|schema (?:has|with|of|for|migration)\b|json object\b",
)
DEPENDENCY = word_row(
    "structure_dependency",
    r"(?:depends on|requires|pinned|upgraded?|bump(?:ed)?)\s(?:`?[\w@/.-]{2,30}`?\s){0,2}(?:to\s)?v?\d{1,4}\.\d",
    r"dependenc(?:y|ies)\b|depends on (?:`|the \w{2,20} (?:library|package|module|service|crate))",
)
TEST = word_row(
    "structure_test",
    r"(?:unit|integration|regression|smoke|end-to-end|e2e|property) tests?\b|test (?:suite|case|coverage|fixture)s?\b",
    r"tests (?:pass|fail|are (?:green|red))",
)

PROSE_ROWS = (DECISION, RESOLUTION, MILESTONE)
CASED_ROWS = (ACRONYM,)
TEXT_ROWS = (CONFIGURATION, DEFINITION, DATA, DEPENDENCY, TEST)
