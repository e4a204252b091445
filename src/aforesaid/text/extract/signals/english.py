"""English patterns for what people say about themselves and their work, one row each: (signal, pattern).

The labelled sentences in the tests define the signals: a date is a point in time; a quantity is a number and what it
counts; a person is a name or a relation; a preference is a taste or a standing wish; an assertion is a fact about the
speaker or what is theirs, not a question or a request.

Rows see lower-cased text, `CASED_ROWS` the text as it is. Lookbehinds come after the first word of a pattern, so that
they are tried only where that word is.
"""

from __future__ import annotations

import re

from aforesaid.text.patterns import Row, after_none, by_letter, word_list, word_row, words

_KIN, _CLOSE = word_list("relations"), word_list("before relations")
_GIVEN_NAMES, _NOT_NAMES = by_letter(word_list("given names")), by_letter(word_list("not names"))

_SPAN = words("night day week weekend month year quarter spring summer fall autumn winter morning afternoon evening")
_UNITS = word_list("units")
_COUNTS = "two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty hundred"
_VERBS = words("is was has does as us this its his plus minus versus always less works seems means")
_PLURAL = rf"(?!{_VERBS}\b)(?:[a-z]{{2,15}}[ -])?(?!{_VERBS}\b)[a-z]{{1,20}}[^\Wsui\d_]s\b"
_LABELS = (
    "step version chapter item room section page line option figure table part level phase issue number python year"
)
_COUNTED = r"(?=\d)" + "".join(f"(?<!{label} )" for label in _LABELS.split())  # a number after these is a name
_NO_DATE = r"(?!\s(?:ago|later|earlier|from now)\b)"
QUANTITY = word_row(
    "natural_quantity",
    rf"\d[\d,.]{{0,12}}(?:\s?[%°]|[\s-]?{words(_UNITS)}\b{_NO_DATE})",
    rf"{_COUNTED}(?<![#.:/-])\d{{1,6}}(?:,\d{{3}}){{0,3}}\s{_PLURAL}",
    rf"{after_none(_COUNTS, 'the these those last next')}[\s-](?:{words(_UNITS)}\b|{_PLURAL}){_NO_DATE}",
    r"(?:an?|two|three|several)\s(?:dozen|hundred|thousand|million)\b|half (?:an hour|a dozen)\b",
    r"(?:once|twice|\w{3,6} times)\s(?:a|per|every|each)\s(?:day|week|month|year)\b",
    r"i(?:'m| am)\s\d{1,3}\b(?!\s?%)|turned \d{1,3}\b(?!\s?%)",
)
CURRENCY: Row = ("natural_quantity", re.compile(r"[$€£¥₹]\s?\d"))

_NOT_KIN = r"\b(?!\s(?:nodes?|process|class|element|component|table|row|commit|thread|window|key|library)|-)"
_FIRM = r"(?:Corp|Inc|Ltd|GmbH|LLC|Street|Avenue|University|Hospital)\b"
_NAME = rf"(?!{_NOT_NAMES}\b)[A-Z][a-zà-ÿ]{{1,14}}(?:[ -](?!{_FIRM})[A-Z][a-zà-ÿ]{{1,14}})?"
_SPOKE = "said says told asked texted emailed messaged replied mentioned promised invited married joked graduated"
_TO = "[Tt]ell [Aa]sk [Oo]wed? [Tt]hank met married dating told texted emailed invited me\\sand"
_WITH = "spoke talked talking chatted met meeting lunch dinner coffee drinks call breakfast date interview"
_KNOWN = "friend colleague co-?worker cousin neighbou?r roommate classmate teammate"
_MANY = "sons daughters kids children brothers sisters cousins"
PERSON = word_row(
    "natural_person",
    rf"(?:[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Tt]heir|[Yy]our)\s(?:{words(_CLOSE)}\s)?(?:step|great-)?{words(_KIN)}{_NOT_KIN}",
    rf"(?:two|three|four|\d)\s(?:older |younger |little )?{words(_MANY)}{_NOT_KIN}",
    rf"[Aa]n?\s(?:old |close |good |former |new )?{words(_KNOWN)}\b",
    rf"(?=[A-Z])(?<!to )(?<!in )(?<!from ){_NAME}"
    rf"(?:\s(?:also |just |already )?{words(_SPOKE)}\b|\sand\s(?:I|me)\s|'s\s{words(_KIN)}{_NOT_KIN})",
    rf"(?:{words(_TO)}|{words(_WITH)}\s(?:to|with))\s{_NAME}\b(?!\s{_FIRM})",
    r"(?:Mr|Mrs|Ms|Mx|Dr|Prof|Professor|Aunt|Uncle|Coach|Grandma|Grandpa|Detective|Senator|President)\.?\s[A-Z][a-z]",
    rf"(?:[Mm]y|[Hh]is|[Hh]er)\sname(?:'s|\sis)\s[A-Z]|(?:man|woman|guy|girl|boy|person)\s(?:named|called)\s{_NAME}",
    r"(?:Mom|Mum|Dad|Grandma|Grandpa)\b",
    rf"{_GIVEN_NAMES}\b(?!\s{_FIRM})",
)

_VERY = rf"(?:{words('really also just always generally usually still much absolutely personally actually do so')} )"
_STANDING = (
    "use call send reply answer write include add put start give respond address format ask deploy commit push run say"
)
_NO_REACTION = (  # "I like the idea" answers a proposal
    r"(?!\s(?:it(?! when)|that|this|these|how)\b|\s(?:the|these|those|your)\s(?:\w{1,15}\s){0,2}?"
    r"(?:ideas?|suggestions?|text|routine|schedule|plan|sound|options?|tips|recommendations?|one|approach|way)\b)"
)
PREFERENCE = word_row(
    "natural_preference",
    rf"(?:i|we)\s{_VERY}?(?:prefer|love|hate|enjoy|adore|dislike|loathe|detest)\b{_NO_REACTION}",
    rf"(?:{after_none('i', 'do would might')}|we)\s{_VERY}?like\b{_NO_REACTION}",
    r"(?:i|we)\s(?:don't|do not|never|can't|cannot|didn't)\s(?:really |particularly |even )?(?:like|stand|enjoy)\b",
    r"(?:i|we)(?:'d| would)\s(?:much )?(?:prefer|rather)\b",
    r"(?:my|our|his|her|their)\s(?:all-time |absolute )?(?:favou?rites?|go-to|preference)\b",
    r"favou?rite\s\w{2,20}\s(?:is|are|was)\b",
    r"(?:i'm|i am|we're|i've been|i was)\s(?:really |very |not |so |a |big |huge |quite ){0,3}"
    r"(?:into|fond of|obsessed with|keen on|fan of|partial to)\b",
    rf"(?:s?he|they|my\s(?:{words(_CLOSE)}\s)?{words(_KIN)})\s(?:really )?(?:loves?|prefers?|hates?|enjoys?|likes)\b",
    rf"(?:please|should)\s(?:always|never)\s{words(_STANDING)}\b",
    r"from now on\b|going forward\b|please (?:stop|don't|do not|avoid)\b|(?:not a|big|huge) fan of\b",
    r"please,? no (?!problem|worr|rush|need|offen|more questions)\w{3,20}\b",
    r"please (?:keep|make) (?:your|all|the) (?:answers?|repl(?:y|ies)|responses?|messages?)\b",
)
TASTE = word_row("natural_preference", rf"{_NAME}\s(?:really |also )?(?:loves|prefers|hates|enjoys|dislikes)\b")
STANDING: Row = (  # an order, not a habit: it opens its clause
    "natural_preference",
    re.compile(rf"(?:^|[.!?;:,]\s)(?:always|never)\s{words(_STANDING)}\b", re.MULTILINE),
)

# Requests and states of a conversation wear the clothes of a statement about oneself.
_ADVERB = (
    rf"(?:{words('just also really still currently a bit so not quite entirely now having some actually')} ){{0,3}}"
)
_ASKING = word_list("asking")
_BEING = rf"(?!{_ADVERB}{words(_ASKING)}\b)\w"
_TALK = word_list("talk")
_LEAD = rf"(?:{words('been also already just an? some another one two any this the these few couple of')} ){{0,2}}"
_HAVING = rf"(?!to\b)(?!{_LEAD}(?:\w{{1,12}}\s)?{words(_TALK)}\b)\w"
_DID = word_list("deeds")
_NOW = (
    rf"(?:{words('just also recently finally actually already currently usually often always never still once only')} )"
)
_TROUBLE = (
    "questions? problems? issues? doubts? ideas? errors? exceptions? warnings? trouble sure it that stuck confused"
)
_NO_FACT = rf"(?!\s(?:(?:an?|the|this|some|these)\s)?(?:\w{{1,12}}\s)?{words(_TROUBLE)}\b)"
_ASKED = "do did can could should would must may might if does will have had whether am are were was"
_I, _WE = after_none("i", _ASKED), after_none("we", _ASKED)
_TOOLS = word_list("not own")
_THING = rf"(?!{words(_TOOLS)}\b)[a-z]{{2,15}}"
ASSERTION = word_row(
    "natural_assertion",
    rf"{_I}(?:'m|\sam|\swas)\s{_BEING}|{_WE}(?:'re|\sare|\swere)\s{_BEING}",
    rf"(?:{_I}|{_WE})(?:'ve|\shave)\s{_HAVING}",
    rf"(?:{_I}|{_WE})\s{_NOW}?{words(_DID)}\b{_NO_FACT}",
    r"(?:i|we)\s(?:don't|do not|can't|cannot|no longer|stopped|used to)\s"
    r"(?:eat(?:ing)?|drink(?:ing)?|driv(?:e|ing)|own|speak|smok(?:e|ing)|work|live|have an? (?!idea|clue|question))",
    rf"(?:{after_none('my', 'is are was')}|our)\s(?:{_THING}[ -]){{0,2}}{_THING}(?:'s name)?\s"
    r"(?:is|are|was|were)\s(?!not working)\w",
    r"my name(?:'s| is)\b",
    rf"{_I}\s[a-z]{{2,10}}\s(?:[a-z']{{1,12}}\s){{0,5}}(?:every|each)\s(?:other )?(?:{_SPAN}|[a-z]{{3,6}}day)\b",
)

CALL_ME = word_row("natural_assertion", r"[Cc]all me [A-Z]")

# Work done and things described.
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

PROSE_ROWS = (QUANTITY, CURRENCY, PREFERENCE, STANDING, ASSERTION, DECISION, RESOLUTION, MILESTONE)
CASED_ROWS = (PERSON, TASTE, CALL_ME, ACRONYM)
TEXT_ROWS = (CONFIGURATION, DEFINITION, DATA, DEPENDENCY, TEST)
