"""Patterns of English directives."""

from __future__ import annotations

import re

from aforesaid.text.patterns import any_of, by_letter, words

# Verbs that open a command. Pointers and thoughts (see, note, consider, imagine) are no commands.
_PLAIN_VERBS = r"""accept add adhere adjust adopt agree align allow annotate answer append apply ask assert assign
assume attach attempt avoid batch be become begin break bring bump call capture choose clarify clone close collect
combine compare compile confirm connect consult contact continue convert copy craft create cross-check cut declare
dedupe defer define delete deliver demonstrate depend deprecate derive describe destroy detect determine disable
disallow discard disclose discuss do(?=\s(?:it|this|the|all|everything|your)\b) double-check download drop edit email
embed emit enable encode encrypt enforce ensure enter erase escalate escape evaluate examine exclude execute expand
explain export expose express extend extract fall feed fetch fill finish fix flag follow force forget generate get
give go group guard handle hard-code hardcode hide hold identify ignore implement import include indent inform
initialise initialize inject inspect install instrument investigate invoke isolate join justify keep lead lean leave
let leverage limit listen load localize lower maintain memoize mention merge migrate minimise minimize mirror mix
modify move nest normalize notify obey obtain omit optimise optimize overwrite parse pass paste perform persist pick
pin place populate prefer prefix prepare preserve prevent print prioritise prioritize proceed produce propagate
propose protect prove provide publish pull put quote raise re-run read rebase rebuild receive reduce refactor refer
refrain refuse regenerate reject reload rely remember remove rename render reorder repeat replace reply reproduce
require rerun reset resolve respect respond restart restore restrict retain rethrow retry return reuse revert review
rewrite roll rotate sanitise sanitize sanity-check save say(?!\syou) scan scrub seek select send serve shorten show
shut sign simplify skip sort spawn specify spell split stash stay stick stop strengthen strip strive structure submit
substitute summarise summarize surface switch sync tackle take(?!\sa\slook) talk teach tell think throw tidy translate
treat trigger truncate trust try tune turn type-check undo unify uninstall unset update upgrade upload use validate
verify wait walk watch weigh wire wrap write yield"""
# Verbs that are nouns too: a command only when no predicate follows.
_NOUN_VERBS = r"""access act address back(?=\sup) benchmark bind block branch build bypass cache change check(?!\sout)
cite clean clear code comment commit complete cover cross debug delay delegate deploy design display document draft
end favor favour filter focus format gate grant guide help hook index iterate label link lint list lock log make map
mark match mock monitor name open order pack park patch pause ping plan post practice process profile prompt push
query question queue record release report request reserve route run sample schedule scope seed separate set share
ship shout silence squash stage start step store stub style subclass support(?!\sfor) suppress tag target test touch
trace track train transfer trim type version view warn work"""
PLAIN_VERB = by_letter(_PLAIN_VERBS)
NOUN_VERB = by_letter(_NOUN_VERBS)
VERB = any_of(PLAIN_VERB, NOUN_VERB)
VERB_WORDS = tuple(f"{_PLAIN_VERBS} {_NOUN_VERBS}".split())
_NAMED = r"(?:Qq\d+qQ|[\w'./+#-]+)"  # a word, or masked code
_DETERMINER = words("the a an all any each every both this that these those your its it them their his her our no one")
_FINITE = words("is are was were has have had will would can could may might isn't aren't wasn't does did do")
_PREDICATE = any_of(
    _FINITE, words("lives? runs? takes? works? goes went ran took became comes? came contains? happens?")
)
_HINGE = words(
    "that which who when if before after unless until where what how so because while as than and or but then"
)
# Excludes a noun with a predicate: "Build artifacts are stored …", "Use of … has dropped"
_NOT_NOUN = rf"(?! of\b)(?!(?: (?!{_HINGE}\b){_NAMED}){{0,5}} {_PREDICATE}\b)"
_NOT_COMPOUND = r"(?![-/:]|s\b)"
# Excludes a plural with its verb ("Log files rotate daily"), unless the next word says where, when or how
_HOW = r"(?:\w+ly|often|twice|again|early|first|once|here|there|together|soon|later|only|always|yourself|Qq\d+qQ)"
_WHERE = words(
    "the a an all any each every both this that these those your its it to in on at by for from with without into onto "
    "of under over through via against between inside outside within until per behind next where when if before after "
    "unless so because while as than and or but then instead rather using not"
)
_NOT_LABEL = (
    r"(?!(?: [\w-]+){0,3} ?:)(?! \w+ed(?: (?:to|in|by|for|from|since|as|with|on|at)\b|[.!]?$))"  # "Test coverage: …"
)
_NOT_PLURAL = rf"(?! [a-z]+s (?!(?:{_HOW}|{_WHERE})\b)[a-z]+\b)"
_SURE = rf"{PLAIN_VERB}\b{_NOT_COMPOUND}(?! (?:of|is|are|was|were|has|had|us|cases?)\b)(?=[ .!,]|$)"
_SURE_NOUN = rf"{NOUN_VERB}\b{_NOT_COMPOUND}(?= {_DETERMINER}\b)"
COMMAND = any_of(_SURE, _SURE_NOUN, rf"{NOUN_VERB}\b{_NOT_COMPOUND}(?=[ .!,]|$){_NOT_LABEL}{_NOT_PLURAL}{_NOT_NOUN}")
_LEAD_WORD = words(
    "always never only just also then instead first second third finally next otherwise generally usually importantly "
    "critically please therefore thus afterwards afterward later additionally lastly still"
)
LEAD = rf"(?:{_LEAD_WORD},? ){{0,3}}"
_LABEL = r"(?:[A-Z][\w/-]{1,20}(?: [\w/-]{1,20}){0,2}(?::|\.| [-–—]) ?)"
_WHEN = words(
    "when whenever if before after unless for in on to once while where as by until during with without instead at "
    "given under inside within from wherever because since though although even"
)
CLAUSE = rf"(?:{_WHEN}\b[^,;.!?]{{1,140}}, (?:then )?)"
START = rf"^[\W_]{{0,6}}{_LABEL}?{CLAUSE}?{LEAD}"
_AFTER_BREAK = r"(?:[;:–—]|,? - |, (?:so|but|then)|\. )\s?(?:then |please |instead |just )?"
_NO_VERB = words(
    "had has was were did knew saw went got came took before mind again once a an the in on at there quite so more "
    "less too been really for having as i we they he she it is are will would could can end see note"
)
NOT_PAST = rf"(?!\w{{2,}}(?:ed|ing)\b)(?!{_NO_VERB}\b|take a look\b)"
BASE = rf"{NOT_PAST}(?!\w+[^s\W]s\b)[a-z][\w-]*\b"
_CALM = words("sure careful certain explicit concise brief honest polite consistent kind aware")
_NOT_BANNED = words(
    "one body longer matter doubt known such other more less wonder idea need problem changes? worries further big"
)
_HAPPENING = words("fail pass run exist remain depend matter apply work")
_OPENING = any_of(
    COMMAND,
    rf"(?:always|never|please|do not|don't),? (?:[^,.;]{{1,40}}, )?"
    rf"(?:ever |always |also |just |please |simply )?{BASE}",
    rf"(?:be {_CALM}|make (?:sure|certain)|take care|remember to|under no circumstances|at no time)\b",
    r"it(?: i|')s (?:forbidden|mandatory|prohibited)\b",
    rf"no (?!{_NOT_BANNED}\b)(?!(?:{_NAMED} ){{1,8}}?{_PREDICATE}\b)(?!{_NAMED} (?:{_NAMED} )?{_HAPPENING}\b)"
    rf"{_NAMED}(?: {_NAMED}){{0,8}}[.!]?$",
)
OPENING = START + _OPENING
BROKEN = _AFTER_BREAK + any_of(
    rf"(?:always|never|do not|don't|please|only) (?:ever |also )?{VERB}\b(?!s\b)",
    r"(?:make|be) sure\b",
    rf"(?:(?<=[;:–—] )|(?<=, so )){any_of(_SURE, _SURE_NOUN)}",
)
PLEASE = rf"\bplease (?:do not |don't |also |just )?(?!take a look){VERB}\b"
# Excludes "you" in a subordinate clause: "if you must", "what you should know"
_SCENES = ("if", "when", "whenever", "whether", "what", "how", "why", "where", "because", "until", "before", "after",
           "while", "once", "reason", "thing", "than")  # fmt: skip
_NOT_AFTER = "".join(f"(?<!{word} you)" for word in _SCENES)
_OUTCOME = words("see now get have notice find know hear feel already expect end recognize recognise")
_STATE = words("wondering thinking asking tired new kidding joking able aware familiar curious a an the in on at")
_DUTY_YOU = any_of(
    "must|shall|should|mustn't|shouldn't|ought to|may not|cannot|(?:will )?(?:need|have) to",
    "are (?:not )?(?:required|expected|obliged|allowed|permitted) to|are (?:not )?to|will (?:always|never|not)",
    "are (?:strictly |expressly )?forbidden (?:to|from)|are responsible for",
)
OBLIGED_YOU = (
    rf"\byou{_NOT_AFTER} (?:also |therefore |still |then |always |only )?{_DUTY_YOU} "
    r"(?:(?:also|always|never|not|only|ever|still|then|therefore) ){0,2}"
    rf"(?!{_OUTCOME}\b|be {_STATE}\b|\w+ have\b)\w+"
)
_NO_HABIT = words("know get forget have see find need had did really learn run")
HABIT_YOU = rf"(?:^|[,;] )you (?:always|never) (?!{_NO_HABIT}\b){VERB}\b(?!s\b)"
_DOER = (
    r"\b(?:agents?|assistants?|contributors?|developers?|authors?|reviewers?|maintainers?|engineers?|everyone|everybody|"
    r"anyone|nobody|no one|(?:the|this|a|any) (?:model|bot|writer|reader|committer))\b"
)
_MODAL = r"(?:must|should|shall|may not|(?:is|are) (?:expected|required) to|(?:is|are) not allowed to)"
_DEGREE = "(?: not| never| always| only| also| first)?"
DOER = rf"{_DOER}(?: \w+){{0,4}}? {_MODAL}{_DEGREE} (?!have \w+(?:ed|en|ne)\b|be {_STATE}\b){NOT_PAST}\w+"
# The reader's work
WORK_NOUN = words(
    r"commits? branch(?:es)? prs? (?:pull|merge)\srequests? tests? functions? methods? class(?:es)? modules? "
    "files? code comments? docstrings? migrations? changes? messages? names? variables? constants? imports? "
    "identifiers? titles? descriptions? answers? repl(?:y|ies) responses? summar(?:y|ies) patch(?:es)? "
    "fix(?:es)? features? documentation docs? guidelines? rules? conventions? settings? options? parameters? "
    "arguments? tables? columns? fixtures? schemas? examples? endpoints? errors? exceptions? logs? strings? "
    "lines? types? apis? dependenc(?:y|ies) releases? secrets? credentials? reviews? tickets? todos? scripts? "
    "quer(?:y|ies) entr(?:y|ies)"
)
PARTICIPLE = (
    r"(?:\w{2,}ed|written|kept|run|sent|put|set|made|done|built|read|left|shown|given|taken|hidden|split|held|chosen|"
    r"found|thrown|drawn|shut|cut|rewritten|rerun|told)"
)
_RULING = words(
    "have use start end pass follow include contain go live stay fit describe explain cover match carry read say state "
    "come take return raise name mention link refer compile import respect keep avoid work build"
)
_ALL = words("all every each any no new the a an your public private our these")
WORK = rf"^[\W_]{{0,6}}{_LABEL}?{CLAUSE}?(?:{_ALL} )?(?:[\w'-]+ ){{0,3}}?{WORK_NOUN}" + any_of(
    rf"(?:,? (?!must|should|shall)[\w'/.-]+){{0,6}}? (?:must|shall|may not){_DEGREE} (?!have (?:been|\w+ed)\b)\w+",
    rf"(?:,? (?!must|should|shall)[\w'/.-]+){{0,6}}? should{_DEGREE} "
    rf"(?:{_RULING}\b(?! about| roughly| a (?:few|minute|while))|be {PARTICIPLE}\b)",
    r"(?: [\w'/.-]+){0,6}? (?:is|are) (?:mandatory|required (?:for|in|on) (?:all|every|each|any)\b)",
)
PASSIVE = rf"\b(?:must|shall|may(?= not| never| only)){_DEGREE} be (?:\w+ly )?{PARTICIPLE}\b(?! to (?:it|this)\b)"
BAN = (
    r"\b(?:is|are) (?:strictly |absolutely |expressly |always )?(?:forbidden|prohibited|banned|disallowed|mandatory|"
    r"unacceptable|off[- ]limits|(?:not|never) (?:allowed|permitted|acceptable|ok|okay))\b"
)
DUTY = r"^\W{0,3}" + any_of(
    r"your (?:job|task|goal|role|duty|responsibility) is to\b",
    r"it(?: i|')s (?:important|essential|vital|critical|crucial) (?:to|that you)\b",
)
REPORT = re.compile(
    r"\b(?:said|says|claimed|wrote|thought|argued|insist(?:ed|s)|believed|complained|reads:|joked|remembered|warned|"
    r"(?:told|asked|tells) (?:us|me|him|her|them|everyone|everybody|people|the|every|new)|"
    r"(?:agreed|decided|suggested|recommended|promised|assumed|heard) (?:that|we|you|to)|"
    r"(?:we|you|i|they|it|he|she|people) used to)\b",
    re.IGNORECASE,
)
PAST = re.compile(
    r"\b(?:(?:was|were|had been) that|back then|years ago|last (?:year|week|month)|originally|in the past)\b",
    re.IGNORECASE,
)
_MODALS = ("must", "shall", "should", "may not", "required", "expected", "allowed", "mandatory")
_BANS = ("forbidden", "prohibited", "banned", "disallowed", "mandatory", "unacceptable", "limits", "not ", "never")
_BREAKS = (";", ":", "–", "—", " - ", ", so", ", but", ", then", ". ")
_ROWS: tuple[tuple[tuple[str, ...], str], ...] = (  # (one of these words must occur, pattern)
    (("",), OPENING),
    (_BREAKS, BROKEN),
    (("please",), PLEASE),
    (("you",), OBLIGED_YOU),
    (("you",), HABIT_YOU),
    (_MODALS, DOER),
    (_MODALS, WORK),
    ((" be ",), PASSIVE),
    (_BANS, BAN),
    (("your", "it"), DUTY),
)
_LEADING = re.compile(CLAUSE, re.IGNORECASE)
_EXAMPLE = re.compile(r"\W*(?:for (?:example|instance)|e\.g\.)", re.IGNORECASE)
RULES = tuple((needed, re.compile(row, re.IGNORECASE)) for needed, row in _ROWS)


def is_directive(sentence: str) -> bool:
    """Whether an English sentence commands, forbids or obliges its reader."""
    if _EXAMPLE.match(sentence):
        return False
    lowered = sentence.lower()
    for needed, rule in RULES:
        if not any(word in lowered for word in needed):
            continue
        if (found := rule.search(sentence)) and not PAST.search(sentence, 0, found.start()):
            scene = _LEADING.match(sentence)  # "Unless the user says so, …" is no report
            return not REPORT.search(sentence, scene.end() if scene else 0, found.end())
    return False
