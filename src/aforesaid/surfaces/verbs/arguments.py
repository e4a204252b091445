"""Arguments that several verbs share."""

from __future__ import annotations

from dataclasses import replace

from aforesaid.surfaces.verbs.declare import Argument, ToolForm
from aforesaid.types import BOUNDARIES, CLAIM_TYPES, KINDS, SCOPES

MAX_QUERY_CHARS = 4000
MAX_TEXT_CHARS = 20_000  # of one claim; longer things are turns or files
MAX_LIST = 200  # turns or ids in one call

USER = Argument(
    "user", "The user whose memory to use.  [env: AFORESAID_USER]", metavar="NAME", env="AFORESAID_USER"
)  # fmt: skip
PROJECT = Argument("project", "The project; its shared records are included.", metavar="NAME")
SESSION = Argument(
    "session", "The session to look in.", metavar="NAME", tool=ToolForm("Only this session; leave empty for all.")
)  # fmt: skip
ACTIVE_SESSION = Argument(
    "active_session", "The session you are in. Filters nothing; its records may rank higher.", metavar="NAME",
    tool=ToolForm("The session you are in. Filters nothing; its records may rank higher."),
)  # fmt: skip
AGENT = Argument("agent", "The agent that takes part.", metavar="NAME")
WHO = (USER, PROJECT)
WHERE = (USER, PROJECT, SESSION)

ID = Argument(
    "id", metavar="ID", positional=True, required=True,
    tool=ToolForm("The id of a record, or its handle such as [m:8d50c0d7].", least=1),
)  # fmt: skip
QUERY = Argument(
    "query", kind="words", positional=True, required=True,
    tool=ToolForm("What to look for, in plain words.", least=1, most=MAX_QUERY_CHARS),
)  # fmt: skip
TEXT = Argument(
    "text", kind="words", positional=True, required=True,
    tool=ToolForm("One self-contained sentence.", least=1, most=MAX_TEXT_CHARS),
)  # fmt: skip
LIMIT = Argument(
    "limit", "Show at most this many.  [default: a setting]", "integer", least=1,
    tool=ToolForm("How many at most.", default=8, least=1, most=50),
)  # fmt: skip
LIMIT_50 = replace(LIMIT, help="Show at most this many.  [default: 50]", default=50)
MIN_CONFIDENCE = Argument(
    "min_confidence", "Leave out what is less likely part of an answer (0 to 1).", "number", default=0.0, least=0,
    tool=ToolForm("Leave out hits that are less likely part of an answer.", default=0.0, least=0, most=1),
)  # fmt: skip
OFFSET = Argument("offset", "Skip this many.", "integer", default=0, least=0)
PAGE_50 = (LIMIT_50, OFFSET)
IN_TOOL_TIME = ToolForm("A time such as 2026-05-03 or 2026-05-03T10:00Z; leave empty for none.")
SINCE = Argument("since", "Only from this time on. UTC unless it has a zone.", "time", tool=IN_TOOL_TIME)
UNTIL = Argument("until", "Only up to this time. A date alone means its end.", "end", tool=IN_TOOL_TIME)
SPAN = (SINCE, UNTIL)
NOW = Argument("now", "Act as if it were this time.  [default: the clock]", "time")

KIND_FILTER = Argument(
    "kinds", "Only this kind; may be repeated.", "choice", many=True, choices=KINDS, flags=("--kind",),
    tool=ToolForm("Only these kinds of record; leave empty for all.", most=len(KINDS)),
)  # fmt: skip
SCOPE_FILTER = Argument("scope", "Only this scope; may be repeated.", "choice", many=True, choices=SCOPES)
SCOPE = Argument(
    "scope", "Who shares it.  [default: the project if named, else the user]", "choice", choices=SCOPES,
    tool=ToolForm("Who shares it: only the user, or the project.", default="user", choices=("user", "project")),
)  # fmt: skip
TYPE = Argument(
    "type", "What kind of statement it is.", "choice", default="fact", choices=CLAIM_TYPES, tool=ToolForm()
)  # fmt: skip
BOUNDARY = Argument(
    "boundary", "How private it is.", "choice", default="internal", choices=BOUNDARIES,
    tool=ToolForm("How private it is. Personal data and secrets in the text raise it automatically."),
)  # fmt: skip
OWNER_SCOPE = Argument(
    "scope", "Who shares it.  [default: the project if named, else the user]", "choice",
    choices=("user", "project", "global"),
)  # fmt: skip
REVIEWERS = Argument(
    "reviewers", "Who reviewed it; may be repeated.", many=True, metavar="NAME", flags=("--reviewer",)
)  # fmt: skip
SOURCE = (
    Argument("who", "Who it comes from.", metavar="NAME"),
    Argument("file", "The file it comes from.", metavar="PATH"),
    Argument("url", "The page it comes from.", metavar="URL"),
)
