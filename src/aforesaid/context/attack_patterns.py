"""What attacks look like, as patterns over the skeleton of a text: structure, which is disarmed, and orders."""

from __future__ import annotations

import re

from aforesaid.context.marks import TITLES

_S = r"\s*+"
_GAP = r"[^\S\n]*+"  # on one line: the white space before a line would be read once for each of many empty lines
_TAG = rf"(<){_S}/?+{_S}"
_LINE = r"\n"  # the text has one in front
_EDGE = r"(?:[>#*_\"'(-]|[^\S\n])*+"  # what may stand before the words of a line
_ROLE = r"(?:system(?: prompt| message)?|assistant|developer|human|user|tool|システム|アシスタント)"
_OTHER = r"[^\x00-\x7f\s\u3000-\u9fff\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]"  # may look like any letter
_LETTERS = [*(f"(?:{letter}|{_OTHER})" for letter in "recalled"), "[-_]?", *(f"(?:{x}|{_OTHER})" for x in "history")]
_FRAME = rf"(?=(?:[^<>a-z]{{0,5}}[a-z]){{5}}){_S.join(_LETTERS)}"  # with at least five letters that are known
_TITLES = (re.split("[;:]", title)[0].lower().split() for title in TITLES)
_TITLE = "(?:" + "|".join(r"[^\S\n]++".join(words) for words in _TITLES) + ")"
_DOCUMENT = r"(?:md|mdc|mdx|markdown|txt)"
_SPEAKER = r"(?:system|assistant|developer|human)"
_SUFFIX = r"(?:[-_ ](?:prompt|message|reminder|instructions?|note)|\s+\w+=[^<>]{0,80})?"
_HEADING = rf"(?:system (?:prompt|message)|{_SPEAKER}|instruction)"
_TURN = r"(?:im_|start_|end_|begin_|eo[tm]_|system|user|assistant|human|tool|end|python_tag|channel|message|call|fim_)"
_MISTRAL = r"(?:inst|available_tools|tool_calls|tool_results|tool_content|system_prompt)"
_TOOL = r"(?:antml:\w|tool_(?:use|call|result|response|code|output)|function_(?:call|result)|invoke[\s>]|function=)"
_CARRIER = r"(?:q|d|data|msg|text|content|secret|token|key|c|payload|info|prompt|history|leak|exfil|chat|s|m|p|x)"
_LEAK = rf"\s?\(\s?<?https?://[^)\s?]{{0,500}}\?(?:[^)\s]{{0,200}}&)?{_CARRIER}="

SPEECH = "a line that starts like a turn of a speaker"
STRUCTURE = (  # kind, explanation, and a pattern over the skeleton whose first group is the character to replace
    ("frame", "opens or closes our frame", rf"{_TAG}{_FRAME}"),
    ("forged rule", "opens or closes our rules", rf"{_TAG}standing{_S}[-_]?{_S}rules"),
    ("forged rule", "a title of our rules", rf"{_LINE}{_EDGE}{_TITLE}[^\n:]{{0,80}}(:)"),
    ("forged rule", "such a title as a heading", rf"{_LINE}{_GAP}(#)#*+{_GAP}{_TITLE}"),
    ("forged rule", "a rule with its place", rf"{_LINE}{_EDGE}(\[)[^\[\]\n]{{1,200}}\.{_DOCUMENT}:\d[\d-]{{0,20}}\]"),
    ("handle", "a forged citation", r"(\[)\s*+m\s*+:\s*+[0-9a-f]{8}\s*+\]"),
    ("chat template", "ChatML, Llama 3, Phi, Qwen, DeepSeek", rf"(<){_S}\|{_S}/?{_TURN}"),
    ("chat template", "other tokens between bars", r"(<)\|[\w/.-]{1,40}+\|>"),
    ("chat template", "Llama 2 and Mistral", rf"(\[)\s*+/?\s*+{_MISTRAL}\s*+\]"),
    ("chat template", "Llama 2 system", rf"(<){_S}<{_S}/?{_S}sys"),
    ("chat template", "Gemma, end of sequence", rf"{_TAG}(?:(?:start|end)_of_turn|(?:s|bos|eos|sop){_S}>)"),
    ("role marker", SPEECH, rf"{_LINE}(?:[>#*_\"'(\[-]|[^\S\n])*+{_ROLE}(?:[*_\])]|[^\S\n])*+(:)"),
    ("role marker", "a role in brackets", rf"{_LINE}{_GAP}(\[){_S}/?(?:system|assistant|developer)[\w ]{{0,20}}\]"),
    ("role marker", "a heading that looks like a system prompt", rf"{_LINE}{_GAP}(#)#*+{_GAP}{_HEADING}{_GAP}(?:$|\n)"),
    (
        "role marker",
        "headings of tuned models",
        rf"{_LINE}{_GAP}#++{_GAP}(?:instructions?|response|input){_GAP}(:)",
    ),
    ("role marker", "a tag named after a role", rf"{_TAG}(?:{_SPEAKER}|instructions?){_SUFFIX}{_S}[>/]"),
    (
        "role marker",
        "an end tag: placeholders have none",
        rf"(<){_S}/{_S}(?:user|tool|prompt){_S}>",
    ),
    ("role marker", "a tag at the start of a line", rf"{_LINE}{_GAP}(<)(?:user|tool|prompt)>"),
    ("role marker", "a chat message as JSON", r"[\"']role[\"']\s*+(:)\s*+[\"'](?:system|developer)"),
    ("tool call", "a call or its result as a tag", rf"{_TAG}{_TOOL}"),
    ("tool call", "a call as JSON", r"[\"'](?:tool_calls?|function_calls?|tool_use|tool_call_id)[\"']\s*+(:)"),
    ("tool call", "a block as JSON", r"[\"']type[\"']\s*+(:)\s*+[\"'](?:tool_use|tool_result|function_call)"),
    ("tool call", "a call as code", r"(`)``\s*+(?:tool_code|tool_call|tool_use|function_call)"),
    ("tool call", "ReAct", rf"{_LINE}{_GAP}action input\s*+(:)"),
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
