"""Makes recalled text safe inside a prompt: it cannot close its frame or pose as another speaker.

text → remove hidden and control characters → join to one line → skeleton (how the text looks to a reader)
     → replace one character of each structural attack; orders to the model are only reported
"""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from html.entities import html5
from typing import NamedTuple

_PLAIN = re.compile(r"[\t\n\r -~]*+")  # printable ASCII: it has no hidden characters
LINE_END = "⏎"  # replaces line ends; rules use it as the start of a line
DISARMED = {"<": "‹", "[": "⟦", ":": "∶", "#": "♯", "!": "ǃ", "`": "ˋ"}  # Unicode normalisation does not undo these

# Invisible characters. Some scripts and emoji need them: `kept`.
_JOINING = "\u0600-\u08ff\u0900-\u0dff\u0e00-\u109f\u1780-\u18af\ufb50-\ufdff\ufe70-\ufefc"  # scripts that need joiners
_RTL = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_EMOJI = "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_PICTURE = f"[{_EMOJI}][\ufe0e\ufe0f]?[\U0001f3fb-\U0001f3ff]?"
_NATIONS = "|".join("".join(chr(0xE0000 + ord(c)) for c in name) for name in ("gbeng", "gbsct", "gbwls"))
_UNSEEN = re.compile(
    "(?P<kept>"
    f"\U0001f3f4(?:{_NATIONS})\U000e007f"  # the three flags that use tag characters
    f"|{_PICTURE}(?:\u200d{_PICTURE})*"
    "|[0-9#*]\ufe0f\u20e3"  # keycaps
    f"|[{_HAN}][\ufe00-\ufe02\U000e0100-\U000e01ef]"  # one variant of an ideograph, which names need
    "|[\u1820-\u1878][\u180b-\u180d]"  # one variant of a Mongolian letter
    f"|[\u200c\u200d](?<=[{_JOINING}].)"
    f"|[\u200e\u200f\u061c](?<=[{_RTL}].)"
    ")|(?P<control>"
    "\x1b\\[[0-?]*+[ -/]*+[@-~]|\x1b\\][^\x07\x1b\n]*+(?:\x07|\x1b\\\\)"  # terminal colours, titles and links
    "|[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f]++|(?P<broken>[\ud800-\udfff]++)"
    ")|(?P<hidden>"
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]++)"
)

# The skeleton: the text in plain lower-case letters, as a reader sees it.
_LOOKALIKE = str.maketrans(
    "асеһіјкмнорѕтухвԁԛԝαεηικνορτυχɑɡıʀᴇᴄᴀʟᴅʜɪꜱᴛᴏʏᴜɴᴍᴘ˂ᐸ❮❬⟨〈⧼›˃ᐳ❯❭⟩〉⧽‐‒–—−⁃⁄∕⧸╱∣❘ǀ│¦▁“”„‘’【】꞉ː˸׃",
    'acehijkmhopstyxbdqwaenikvoptuxagirecaldhistoyunmp<<<<<<<>>>>>>>>------////|||||_"""\'\'[]::::',
)
_AMP = r"(?:(?:amp|#0*+38|#x0*+26);?)"
_ESCAPE = re.compile(rf"&{_AMP}*+(#0*+\d{{1,7}}|#x0*+[0-9a-f]{{1,6}}|[a-z]{{2,31}});?|\\(?:u00|x)([0-9a-f]{{2}})")
_NAMES = {name.rstrip(";").lower(): sign for name, sign in sorted(html5.items(), key=lambda row: row[1].isascii())}


def _look(char: str) -> str:
    """The lower-case letters that a character looks like; "" for combining marks and invisible characters."""
    if char < "\x80":
        return char.lower()
    match = _UNSEEN.fullmatch(char)
    if unicodedata.category(char) in ("Mn", "Me") or (match and not match["kept"]):
        return ""
    base = "".join(part for part in unicodedata.normalize("NFKD", char) if not unicodedata.combining(part))
    plain = base if base.isascii() else unicodedata.normalize("NFKC", char)[:1]  # a few expand to a sentence
    return plain.casefold().translate(_LOOKALIKE)


def _skeleton(text: str) -> tuple[str, Sequence[int]]:
    """The skeleton of a text with escapes decoded, and for each of its characters the position in the text."""
    if text[1:].isascii() and "&" not in text and "\\" not in text:  # the usual case; text[0] is LINE_END
        return text.lower(), range(len(text))
    looks = {char: _look(char) for char in set(text)}
    pieces = [looks[char] for char in text]
    seen = "".join(pieces)
    origin: Sequence[int] = [place for place, piece in enumerate(pieces) for _ in piece]
    if "&" not in seen and "\\" not in seen:
        return seen, origin
    parts, places, done = [], [], 0
    for match in _ESCAPE.finditer(seen):
        code = chr(int(match[2], 16)) if match[2] else _NAMES.get(match[1]) or html.unescape(f"&{match[1]}")
        decoded = "".join(map(_look, code))
        parts += [seen[done : match.start()], decoded]
        places += [*origin[done : match.start()], *[origin[match.start()]] * len(decoded)]
        done = match.end()
    return "".join([*parts, seen[done:]]), [*places, *origin[done:]]


# Structural attacks: disarmed and reported.
_S = r"[\s⏎]*+"
_TAG = rf"(<){_S}/?+{_S}"
_LINE = LINE_END
_ROLE = r"(?:system(?: prompt| message)?|assistant|developer|human|user|tool|システム|アシスタント)"
_FRAME = _S.join([*"recalled", "[-_]?", *"history"])
_SPEAKER = r"(?:system|assistant|developer|human)"
_SUFFIX = r"(?:[-_ ](?:prompt|message|reminder|instructions?|note)|\s+\w+=[^<>]{0,80})?"
_HEADING = rf"(?:system (?:prompt|message)|{_SPEAKER}|instruction)"
_TURN = r"(?:im_|start_|end_|begin_|eo[tm]_|system|user|assistant|human|tool|end|python_tag|channel|message|call|fim_)"
_MISTRAL = r"(?:inst|available_tools|tool_calls|tool_results|tool_content|system_prompt)"
_TOOL = r"(?:antml:\w|tool_(?:use|call|result|response|code|output)|function_(?:call|result)|invoke[\s>]|function=)"
_CARRIER = r"(?:q|d|data|msg|text|content|secret|token|key|c|payload|info|prompt|history|leak|exfil|chat|s|m|p|x)"
_LEAK = rf"\s?\(\s?<?https?://[^)\s?]{{0,500}}\?(?:[^)\s]{{0,200}}&)?{_CARRIER}="

STRUCTURE = (  # kind, explanation, and a pattern over the skeleton whose first group is the character to replace
    ("frame", "opens or closes our frame", rf"{_TAG}{_FRAME}"),
    ("handle", "a forged citation", r"(\[)\s*+m\s*+:\s*+[0-9a-f]{8}\s*+\]"),
    ("chat template", "ChatML, Llama 3, Phi, Qwen, DeepSeek", rf"(<){_S}\|{_S}/?{_TURN}"),
    ("chat template", "other tokens between bars", r"(<)\|[\w/.-]{1,40}+\|>"),
    ("chat template", "Llama 2 and Mistral", rf"(\[)\s*+/?\s*+{_MISTRAL}\s*+\]"),
    ("chat template", "Llama 2 system", rf"(<){_S}<{_S}/?{_S}sys"),
    ("chat template", "Gemma, end of sequence", rf"{_TAG}(?:(?:start|end)_of_turn|(?:s|bos|eos|sop){_S}>)"),
    ("role marker", "a line that starts like a turn of a speaker", rf"{_LINE}[\s>#*_\"'(\[-]*+{_ROLE}[\s*_\])]*+(:)"),
    ("role marker", "a role in brackets", rf"{_LINE}\s*+(\[){_S}/?(?:system|assistant|developer)[\w ]{{0,20}}\]"),
    ("role marker", "a heading that looks like a system prompt", rf"{_LINE}\s*+(#)#*+\s*+{_HEADING}\s*+(?:$|⏎)"),
    (
        "role marker",
        "headings of tuned models",
        rf"{_LINE}\s*+#++\s*+(?:instructions?|response|input)\s*+(:)",
    ),
    ("role marker", "a tag named after a role", rf"{_TAG}(?:{_SPEAKER}|instructions?){_SUFFIX}{_S}[>/]"),
    (
        "role marker",
        "an end tag: placeholders have none",
        rf"(<){_S}/{_S}(?:user|tool|prompt){_S}>",
    ),
    ("role marker", "a tag at the start of a line", rf"{_LINE}\s*+(<)(?:user|tool|prompt)>"),
    ("role marker", "a chat message as JSON", r"[\"']role[\"']\s*+(:)\s*+[\"'](?:system|developer)"),
    ("tool call", "a call or its result as a tag", rf"{_TAG}{_TOOL}"),
    ("tool call", "a call as JSON", r"[\"'](?:tool_calls?|function_calls?|tool_use|tool_call_id)[\"']\s*+(:)"),
    ("tool call", "a block as JSON", r"[\"']type[\"']\s*+(:)\s*+[\"'](?:tool_use|tool_result|function_call)"),
    ("tool call", "a call as code", r"(`)``\s*+(?:tool_code|tool_call|tool_use|function_call)"),
    ("tool call", "ReAct", rf"{_LINE}\s*+action input\s*+(:)"),
    ("markdown image exfiltration", "an image URL that carries data", rf"(!)\[[^\[\]]{{0,200}}\]{_LEAK}"),
)

# Orders to the model: only reported, because users may talk about them.
_FEW = r"(?:(?!and\b|or\b)[\w'/-]+,? ){0,4}?"
_CANCEL = (
    r"(?:ignor(?:e|ing)|disregard|forget|overrid(?:e|ing)|overwrite|bypass|overrule|discard|violate|circumvent|disobey"
    r"|disable|drop|turn off|switch off|set aside|erase|replace|regardless of)"
)
_EARLIER = r"(?:previous(?:ly)?|prior|earlier|above|preceding|existing|initial|original|system|your|safety|content)"
_LAW = (
    r"(?:instructions?|rules|prompts?|guidelines?|guidance|directives?|commands|orders|polic(?:y|ies)|constraints"
    r"|programming|restrictions?|filters?|guardrails?|safeguards?|limitations|limits|training|protocols?)\b"
)
_STOP = r"(?:do not|don't|stop|no longer) (?:follow|obey|apply)(?:ing)?"
_TELL = r"(?:reveal|show(?: me)?|print|output|repeat|display|leak|dump|expose|disclose|recite|summari[sz]e|translate)"
_ASK = rf"(?:{_TELL}|share|(?:tell|give|send) me|what(?:'s| is| are| was| were| does))"
_MACHINE = r"(?:ai|a\.i\.|llm|language model|chat ?bot|assistant|gpt|claude|gemini|copilot|bot|agent)s?\b"
_FREE = r"(?:dan|jailbroken|unrestricted|unfiltered|uncensored|free from|not bound|without (?:any )?restrictions)\b"
_SAY = r"(?:respond|answer|reply|act|behave|obey|speak|output|ignore|comply|follow|pretend)\b"
_MODE = r"(?:dan|god|jailbreak|unrestricted|developer|debug|admin|sudo) mode\b"
_SECRETLY = r"without (?:telling|informing|notifying|asking|alerting) the user\b"
_DO = r"(?:send|upload|forward|e-?mail|delete|execute|run|post|transfer|fetch|call|append)\b"
_SECRET = r"(?:conversation|chat (?:log|history)|api keys?|credentials|passwords?|secrets|private keys?|system prompt)"
_WHERE = r"(?:https?:|(?:the following |this )?(?:url|address|server)\b|[\w.+-]{1,64}@)"
_CALL = r"(?<![\w,;] )(?:dear|(?:note|attention|message|notice|instructions?)[ :,]+(?:(?:to|for) )?(?:all |any )?)"
_GIVEN = r"(?:that )?(?:you (?:were|have|had|are|got)|above|before|so far)\b"
_JA_LAW = "(?:指示|命令|ルール|プロンプト|制約)"
_JA_CANCEL = "(?:無視|忘れ(?:て(?!しま|い)|ろ|なさい)|破棄|無効)"
_JA_BEFORE = "(?:これまで|今まで|以前|上記|以上|先ほど|前|元|全て|すべて)の"

_SPACED = (  # languages with spaces; each pattern must start at a word
    ("cancels earlier instructions", rf"{_CANCEL} {_FEW}{_EARLIER} {_FEW}{_LAW}"),
    ("cancels given instructions", rf"{_CANCEL} {_FEW}{_LAW} {_GIVEN}"),
    ("cancels the above", r"(?:ignore|disregard|forget) (?:all |the )*(?:above|preceding)(?= and\b|[.,:;!]|$)"),
    ("cancels all", r"(?:ignore|disregard|forget) (?:everything|all|anything) (?:you|above|before|prior)"),
    ("declares void", rf"(?:{_EARLIER} {_LAW}|{_LAW} above) (?:\w+ ){{0,2}}?(?:void|a test|obsolete|cancell?ed)"),
    ("exempts", rf"{_LAW} (?:do not|don't|no longer) apply to you\b|do anything now\b|you have no {_LAW}"),
    ("forbids to follow", rf"{_STOP} {_FEW}(?:{_LAW} {_GIVEN}|(?:your|previous|system) {_FEW}{_LAW})"),
    ("gives a new role", rf"you are (?:now|no longer) (?:in )?{_FEW}(?:{_MACHINE}|{_FREE}|{_MODE})"),
    (
        "pretend",
        rf"(?:pretend|act|behave|you are) (?:as|that|to be|like|an?) {_FEW}(?:{_FREE}|no {_FEW}{_LAW})",
    ),
    ("asks to be an AI", r"pretend (?:that you are|to be) (?:an? |my )?(?:\w+ )?(?:ai|chat ?bot|model)\b"),
    ("sets future behaviour", rf"from now on,? (?:you (?:will |must |should )?)?(?:only |always |never )?{_SAY}"),
    ("poses as the system", r"system (?:prompt|override|notice) ?:|(?:admin|developer|root) override\b"),
    ("poses as instructions", r"(?:new|updated|real|actual|hidden|true) (?:instructions?|orders|directives?) ?:"),
    ("asks for the prompt", rf"{_ASK}\b.{{0,40}}?\b(?:system|initial|hidden|original) (?:prompt|instructions)\b"),
    (
        "asks for its rules",
        rf"{_TELL} (?:all |of )*your (?:\w+ )?(?:prompt|instructions|guidelines|configuration)\b",
    ),
    ("asks to repeat", r"(?:repeat|print|output|recite) (?:all |the )*(?:text|words|everything) above(?! the\b)"),
    ("asks for silence", r"(?:do not|don't|never) (?:tell|inform|mention|notify|reveal|let) .{0,40}?\bthe user\b"),
    ("hides", r"(?:secret|hidden|hide (?:this|it)|conceal \w+) from the user\b"),
    ("acts without telling the user", rf"(?:^|(?<=[.!?:;,] )){_SECRETLY}|{_DO}.{{0,60}}? {_SECRETLY}"),
    (
        "addresses a reader",
        rf"{_MACHINE},? (?:that is )?(?:reading|processing) this(?: page| document|[,.:;!]|$)",
    ),
    (
        "addresses the AI",
        rf"{_CALL} ?{_MACHINE}(?!')|if you are an? (?:\w+ )?(?:ai|llm|language model|chat ?bot)\b",
    ),
    ("asks for a mode", rf"(?:enter|activate|switch to) {_MODE}|enable (?:dan|god|jailbreak|unrestricted) mode"),
    ("sends secrets away", rf"{_DO} {_FEW}{_SECRET} {_FEW}to {_WHERE}"),
    ("es, pt, it: cancels", rf"(?:ignor\w*|olvid\w+|esque\w+) {_FEW}(?:instrucciones|instrucoes|istruzioni)\b"),
    ("fr, de: cancels", rf"(?:ignor\w*|oubli\w+|vergiss|vergesst) {_FEW}(?:les instructions|anweisungen)\b"),
)
_UNSPACED = (  # languages without spaces
    ("ja: cancels", rf"{_JA_BEFORE}[^。]{{0,12}}{_JA_LAW}[^。]{{0,8}}{_JA_CANCEL}"),
    ("ja: asks for the prompt", "システムプロンプト(?:を|:|の(?:内容|全文))"),
    (
        "ja: asks for its rules",
        rf"(?:あなたの|内部の)[^。]{{0,8}}{_JA_LAW}[^。]{{0,6}}(?:出力|表示|公開|開示|教え)",
    ),
    (
        "ja: gives a new role",
        "(?:あなた|君|お前)は(?:今から|これから|今後|もう)[^。]{0,30}(?:ai|として|モード|制限)",
    ),
    ("ja: lifts limits", "(?:制限|制約)を[^。]{0,6}(?:解除し|無視)|(?:開発者|脱獄|dan)モード(?:に入|に切|で)"),
    ("ja: asks for silence", "ユーザーには?[^。]{0,10}(?:知らせ|伝え|教え|言わ|話さ|通知し)(?:ない|ず|るな)"),
    ("zh: cancels", "(?:忽略|无视|忘记|忽視)[^。]{0,12}(?:指令|指示|提示词|规则|規則|命令)"),
)
ORDERS = re.compile(rf"\b(?:{'|'.join(pattern for _, pattern in _SPACED)})")  # one pattern, one pass
ORDERS_UNSPACED = re.compile("|".join(pattern for _, pattern in _UNSPACED))


_STRUCTURE = tuple((kind, re.compile(pattern)) for kind, _, pattern in STRUCTURE)


def neutralised(text: str) -> str:
    """The text on one line, without invisible characters, with tags and role markers disarmed."""
    return _disarmed(text).text


def attempts(text: str) -> tuple[str, ...]:
    """The kinds of attacks in a text, without repetition."""
    found = _disarmed(text)
    flat = " ".join(found.seen.replace(LINE_END, " ").split())
    ordered = ORDERS.search(flat) or (not flat.isascii() and ORDERS_UNSPACED.search(flat))
    return (*found.attempts, "orders") if ordered else found.attempts


class _Disarmed(NamedTuple):
    text: str
    attempts: tuple[str, ...]
    seen: str


@lru_cache(maxsize=1024)  # the packer renders a text several times until a context fits
def _disarmed(text: str) -> _Disarmed:
    found: list[str] = []

    def drop(match: re.Match[str]) -> str:
        if match["kept"]:
            return match[0]
        found.append("hidden characters" if match["hidden"] else "control characters")
        return "\ufffd" if match["broken"] else ""

    clean = text if _PLAIN.fullmatch(text) else _UNSEEN.sub(drop, text)
    line = LINE_END + f" {LINE_END} ".join(part.strip() for part in clean.splitlines() if part.strip())
    seen, origin = _skeleton(line)
    replaced: dict[int, tuple[int, str]] = {}  # start → end and replacement
    for kind, pattern in _STRUCTURE:
        for match in pattern.finditer(seen):
            found.append(kind)
            place = origin[match.start(1)]
            after = bisect_right(origin, place)
            replaced[place] = (origin[after] if after < len(origin) else len(line), DISARMED[match[1]])
    parts, done = [], 1  # without the first LINE_END
    for start, (end, replacement) in sorted(replaced.items()):
        parts += [line[done:start], replacement]
        done = end
    return _Disarmed("".join([*parts, line[done:]]), tuple(dict.fromkeys(found)), seen)
