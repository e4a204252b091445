"""Patterns of code, the same in every language, one row each: (signal, hints, pattern).

A pattern runs only when one of its hints is in the text; prose holds few of them. Every repeat has a bound, so that no
text makes a pattern slow.
"""

from __future__ import annotations

import re

from aforesaid.text.extract.spans import SpanRow
from aforesaid.text.patterns import any_of, word_list, words


def _row(name: str, hints: str, *parts: str) -> SpanRow:
    return SpanRow(name, re.compile(any_of(*parts), re.MULTILINE), hints=tuple(hints.split()))


def _hex(length: int) -> str:
    """`length` hex digits with no word in front. The digits come first, because the regex engine can skip to them."""
    return rf"[0-9a-f]{{{length}}}(?<![\w./#-][0-9a-f]{{{length}}})(?<!\d{{{length}}})"


DIGITS = "0 1 2 3 4 5 6 7 8 9"
URL = re.compile(r"https?://[^\s<>\"'`)\]}、。「」]{3,2000}|\bwww\.[\w-]{1,63}\.[\w./-]{2,200}")

_EXTENSIONS = words(word_list("file extensions"))
_PATH_HINTS = (
    "/ \\ .py .js .ts .go .rs .java .kt .rb .php .c .h .sh .sql .y .toml .ini .conf .env .json .xml .md .txt .csv .log "
    ".lock .db .pdf .doc .xls .png .jp .svg .zip .tar .gz .vue .proto .tf .git .bat .ps1 .s Dockerfile Makefile"
)
_FOLDERS = words(word_list("source folders"))
_NO_METHOD = r"(?<!GET /)(?<!PUT /)(?<!POST /)(?<!PATCH /)(?<!DELETE /)(?!api/|v\d/)"  # those are endpoints
_TAIL = r"(?:/[\w.@-]{1,100}){0,20}"
_GIT_WORD = "(?:commit|sha|revision|rev|cherry-pick|revert|reverted|bisect|checkout)"
_ERRNO = words(word_list("errno"))
_HTTP_TEXT = "(?:Not Found|Bad Request|Forbidden|Unauthorized|Internal Server|Bad Gateway|Service Unavail|Too Many)"
_DOTTED = r"(?:(?:\.|::|->)[A-Za-z_]\w{0,60})"

COUNT_ROWS = (
    _row(
        "specific_path",
        _PATH_HINTS,
        rf"(?:~|\.{{1,2}})/(?<![\w/:.@-]~/)(?<![\w/:@-]\./)[\w.@-]{{1,100}}{_TAIL}",  # ~/x, ./x, ../x
        rf"/(?<![\w/:.)@~>-]/){_NO_METHOD}[A-Za-z_.][\w.@-]{{1,100}}/[\w.@-]{{1,100}}{_TAIL}",  # /a/b
        r"\b[A-Za-z]:\\[\w.-]{1,100}(?:\\[\w. -]{1,100}){0,20}",  # C:\a\b
        rf"\b(?<![/.@-])(?:{_FOLDERS})/[\w.@-]{{1,100}}{_TAIL}",
        r"(?<![\w/.@-])(?=[\w@/.-]{1,200}\.[a-z])(?![A-Z][a-z]{1,8}\.js\b)(?:[\w@-]{1,60}[/.]){0,12}[\w@-]{1,60}"
        rf"\.(?:{_EXTENSIONS})\b(?![/(@-]|\.\w)",
        r"(?<![\w/.])(?:Dockerfile|Makefile|\.gitignore|\.env|\.bashrc|\.zshrc)\b",
    ),
    _row(
        "specific_function",
        "(",
        rf"(?<![\w.])(?<!def )(?<!function )(?<!fn )(?<!func )[A-Za-z_]\w{{1,60}}{_DOTTED}{{0,6}}\(\)",  # load(), a.b()
        rf"(?<![\w.])(?:[a-z]\w{{0,40}}_\w{{1,40}}|[a-z]{{1,30}}[A-Z]\w{{1,60}}|[A-Za-z_]\w{{0,60}}{_DOTTED}{{1,6}})"
        r"\([^\s()][^()\n]{0,120}\)",
    ),
    _row("specific_error", "Error Exception", r"Error\b(?<=[a-z]Error)|Exception\b(?<=[a-z]Exception)"),
    _row(
        "specific_error",
        f"{DIGITS} ERR_ SIG ENO EAC EPE EEX ECO ETI EAD EPI EIN EAG EBU",
        rf"\b(?:ERR_[A-Z_]{{3,40}}|SIG(?:SEGV|KILL|TERM|ABRT|INT)|0x8[0-9A-Fa-f]{{7}}|{_ERRNO}|[45]\d\d {_HTTP_TEXT})",
        r"\b(?:(?:TS|CS|MSB|LNK|SQLSTATE|ORA-|PLS-|E|C|W|F)\d{4,5}|(?:exit|return) code \d{1,3})\b",
        r"\b(?:HTTP|[Ss]tatus(?: code)?|[Ee]rror(?: code)?|エラー|ステータス)[ :]{0,2}[1-5]\d\d\b",
    ),
    _row(
        "specific_git",
        "commit コミット sha rev bisect checkout cherry HEAD origin/ stream/ refs/ # ! branch feat fix/ release/ tag",
        rf"\b{_GIT_WORD}:? `?[0-9a-f]{{7,39}}\b|コミット ?`?[0-9a-f]{{7,39}}\b",
        r"\b(?:HEAD(?:[~^]\d{0,3})?\b(?! /)|(?:origin|upstream|refs)/[\w./-]{1,100}|tag `?v\d{1,4}\.\d)",
        r"\b(?:PR|MR|[Pp]ull request|[Mm]erge request) ?[#!]\d{1,6}\b",
        r"\b(?:feature|feat|bugfix|hotfix|release)/[\w.-]{2,60}",
        r"\bbranch `?(?:[\w.-]{1,40}/[\w./-]{1,60}|main\b|master\b|develop\b)",
    ),
    _row("specific_git", DIGITS, rf"{_hex(40)}(?![\w-])"),
    _row(
        "specific_url",
        "/ :",
        r"\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) /[\w{}:./-]{0,200}|/(?<![\w.]/)(?:api|v\d)/[\w{}:./-]{1,200}",
        r"\b(?:localhost|\d{1,3}(?:\.\d{1,3}){3}):\d{2,5}\b",
        r"\b(?:github|gitlab|bitbucket|pypi|npmjs|docs|api)\.[a-z]{2,10}(?:\.[a-z]{2,5})?/[\w./-]{1,200}",
    ),
)

_SHELL_VERBS = any_of(
    r"git (?:add|am|bisect|blame|branch|checkout|cherry-pick|clone|commit|diff|fetch|init|log|merge|pull|push)\b",
    r"git (?:rebase|reset|restore|revert|show|stash|status|switch|tag)\b|uv (?:sync|run|add)\b|npx [\w@-]",
    r"(?:pip3?|uv pip|brew|apt(?:-get)?|dnf|yum|cargo|gem|go) install \S|npm (?:i|ci|install|run|start|test)\b",
    r"(?:yarn|pnpm) (?:add|install|run|dev|build)\b|cargo (?:build|run|test|check)\b|go (?:build|test|mod)\b(?! of)",
    r"docker[- ]compose\b|docker (?:build|exec|images|logs|ps|pull|push|run|stop)\b|helm (?:install|upgrade)\b",
    r"kubectl (?:apply|delete|describe|exec|get|logs)\b|terraform (?:apply|init|plan)\b|systemctl [a-z]|sudo [a-z]",
    r"curl (?:-|http)|wget http|chmod [0-7+]|chown [a-z]|mkdir -p|rm -[rf]|ls -[al]|grep -|tail -[fn]",
    r"python3? -m|python3? [\w./-]{1,60}\.py|node [\w./-]{1,60}\.js|export [A-Z_]{2,40}=|cd [~./]|ssh [\w.-]{1,40}@",
)
CODE_ROWS = (
    _row("technical_code_fence", "``` ~~~", r"^[ \t>]{0,8}(?:```|~~~)"),
    _row(
        "technical_function",
        "(",
        r"\b(?:def|function\*?|fn) \w{1,80}\s?[(<]|\bfunction ?\(|\bfunc (?:\([\w *]{1,60}\) )?\w{1,80}\(",
        r"\b(?:const|let|var) \w{1,80} = (?:async )?(?:\([^()\n]{0,200}\)|\w{1,40}) =>",
        r"\b(?:public|private|protected|static) [\w<>\[\], ]{1,80} \w{1,80}\([^()\n]{0,200}\) ?(?:\{|throws)",
        r"^(?:int|void|char|double|float|bool|auto|string) \*?\w{1,80}\([^()\n]{0,200}\) ?\{",
    ),
    _row(
        "technical_shell",
        "$ % ❯ git install npm yarn pnpm npx cargo go docker uv kubectl terraform helm systemctl curl wget chmod chown "
        "mkdir rm ls grep ssh tail python node export sudo cd",
        r"^[ \t]{0,8}(?:\$|%|❯) \w",
        rf"\b(?<![./-]){_SHELL_VERBS}",
    ),
    _row(
        "technical_trace",
        "Traceback File ) Exception panic goroutine Caused Error fault trace スタックトレース",
        r"Traceback \(most recent call last\)|\bFile \"[^\"\n]{1,300}\", line \d|\bException in thread \"",
        r"^\s{1,40}at [\w$.<>]{2,200} ?\([^()\n]{1,200}:\d|\bpanicked at\b|\bgoroutine \d{1,9} \[|^Caused by: \w",
        r"Error: \S(?<=[a-z]Error: .)|Exception: \S(?<=[a-z]Exception: .)",
        r"^panic: |\bSegmentation fault\b|\bstack ?trace\b|スタックトレース",
    ),
    _row("technical_hash", "md5: sha", r"\b(?:md5|sha1|sha256|sha512):[0-9a-f]{16,128}"),
    _row("technical_hash", DIGITS, rf"{_hex(32)}(?:[0-9a-f]{{8}}|[0-9a-f]{{32}})?(?![\w-])"),
    _row(
        "technical_hash", "commit sha rev bisect checkout", rf"\b{_GIT_WORD}:? `?(?=[a-f]{{0,38}}\d)[0-9a-f]{{7,40}}\b"
    ),
    _row("technical_hash", "コミット", r"コミット ?`?[0-9a-f]{7,40}\b"),
    # A short hash by itself changes between letters and digits three times or more; "5e10000" and "facade1" do not.
    _row(
        "technical_hash",
        DIGITS,
        r"[0-9a-f](?<![\w./#-][0-9a-f])(?=[0-9a-f]{6})(?=\d{0,9}[a-f]{1,9}\d{1,9}[a-f]|[a-f]{0,9}\d{1,9}[a-f]{1,9}\d)"
        r"[0-9a-f]{6,11}(?![\w-])",
    ),
    _row(
        "action_configuration",
        "_ -- : =",
        r"\b[A-Z][A-Z0-9]{0,40}_[A-Z0-9_]{1,60} ?= ?\S|--(?<![\w-]--)[a-z][\w-]{1,40}[= ][\w\"'/]",
        r"^[ \t]{0,40}[\w.-]{2,60}: (?:true|false|\d{1,9}|on|off|\"[^\"\n]{0,80}\")[ \t]{0,40}$",
    ),
    _row(
        "structure_definition",
        "class interface struct enum trait type CREATE #define def",
        r"^[ \t]{0,40}(?:export |pub |public |abstract |final |sealed )?(?:class|interface|struct|enum|trait|type)"
        r" [A-Za-z_]\w{0,80}[ \t]?(?:[({:=<]|extends|implements|$)",
        r"\bCREATE (?:TABLE|VIEW|FUNCTION|INDEX)\b|#define \w|\bdef \w{1,80}\(|\bclass [A-Z]\w{1,60}\b",
    ),
    _row(
        "structure_data",
        "{ [ < CREATE dataclass TypedDict NamedTuple",
        r"\b(?:struct|enum|interface) [A-Z]\w{0,80} ?\{|\bCREATE TABLE\b|@dataclass\b|\bTypedDict\b|\bNamedTuple\b",
        r"\{ ?\"[\w-]{1,60}\" ?: ",
        r"\b(?:list|dict|set|tuple|List|Dict|Map|HashMap|Vec|Array|Set|Record)[\[<][\w, \[\]<>]{1,60}[\]>]",
    ),
    _row(
        "structure_dependency",
        "import require install add :: include == >= ~= pyproject package.json Cargo go.mod Gemfile pom.xml ^ ~",
        r"^[ \t]{0,40}(?:import [\w.*]{1,80}(?: as \w{1,40})?;?[ \t]{0,9}$|import .{1,200} from ['\"])",
        r"^[ \t]{0,40}(?:from [\w.]{1,80} import \w|use [\w:]{2,80}::|#include [<\"])|\brequire\(['\"]",
        r"\b(?:pip3?|npm|yarn|cargo|poetry|uv|brew|apt(?:-get)?|gem) (?:install|add) \S",
        r"\b(?:requirements\.txt|package\.json|pyproject\.toml|Cargo\.toml|go\.mod|Gemfile|pom\.xml)\b",
        r"\b[a-z][\w-]{1,40}(?:==|>=|~=)\d|\"[\w@/-]{1,60}\": ?\"[\^~]\d",
    ),
    _row(
        "structure_test",
        "test Test assert expect( describe( it( jest mocha junit",
        r"\bassert(?:Equals?|True|That|Raises)?[ (][\w(\[\"']{1,60}(?: ==| is| in|\()|\bexpect\([\w(\[\"']",
        r"\b(?:describe|it|test)\(['\"]|@Test\b|\b(?:pytest|unittest|jest|vitest|mocha|junit)\b|\btest_\w{2,60}",
    ),
    _row(
        "structure_comment",
        '""" /** /// @ : docstring',
        r"\"\"\"|^[ \t]{0,40}(?:/\*\*|///)|@(?:param|returns?|throws|deprecated)\b|:(?:param|returns?|raises|rtype)\b",
        r"\bdocstrings?\b",
    ),
)
PATH = COUNT_ROWS[0].pattern

# What is not prose, though nobody fenced it: lines of code, logs and traces.
CODE_LINE = re.compile(
    any_of(
        r"^.*[;{}][ \t]*$|^.*(?:=>|->|\)) ?[{:][ \t]*$",
        r"^[ \t]*(?:\$|%|>>>|\.\.\.|//|/\*{1,2}|\*/|@[\w.]+\(?|#include|#define) .*$",
        r"^[ \t]*(?:async def|def|class|func|fn|function) \w.*[(:{].*$|^[ \t]*(?:const|let|var) \w+ ?[=:].*$",
        r"^[ \t]*(?:import [\w.]+(?: as \w+)?|from [\w.]+ import .*|(?:return|raise|assert|yield) [\w(\[\"'].*)$",
        r"^[ \t]*[A-Za-z_][\w.\[\]\"']{0,60} ?(?:[-+*/|]?=|:=)[^=\n].*$|^[ \t]*\"[\w.-]+\" ?: .*$",
        r"^[ \t]*</?[a-zA-Z][^>\n]{0,200}>.*$|^[ \t]*(?:File \"|at [\w$.]+\(|Traceback).*$",
        r"^[ \t]*(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE|ALTER TABLE|DROP) .*$",
        r"^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d.*$",
    ),
    re.MULTILINE,
)
FENCED = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
INLINE = re.compile(r"`[^`\n]{1,500}`")
