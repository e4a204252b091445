"""Verbs for reviewed knowledge: observe, distill, promote, roll back; and task contexts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from aforesaid.surfaces.formats import governance as shown
from aforesaid.surfaces.formats.records import kept_text, list_text
from aforesaid.surfaces.verbs import arguments as arg
from aforesaid.surfaces.verbs.declare import Argument, Tool, ToolForm, Verb
from aforesaid.types import Provenance, Record

if TYPE_CHECKING:
    from aforesaid.memory import Memory

INTENTS = ("resume_task", "debug_incident", "design_decision", "policy_check")


def observe(memory: Memory, trusted: bool = False, **given: Any) -> Record:
    """Store an observation with its source."""
    source = _source(given, method="observe")
    return memory.governance.observe(source=source, tainted=not trusted, **given)


def upsert(memory: Memory, sources: Sequence[str] = (), **given: Any) -> Record:
    """Store a claim with its source; the records it comes from are named by their ids."""
    owner = {name: given.get(name) for name in ("user", "project")}
    keys = tuple(memory.get(name, **owner).key for name in sources)
    return memory.governance.upsert(provenance=_source(given, sources=keys), **given)


def _source(given: dict[str, Any], **more: Any) -> Provenance:
    """Takes the arguments about the source out of the others."""
    return Provenance(**{name: given.pop(name, None) for name in ("who", "file", "url")}, **more)


def candidates(memory: Memory, limit: int = 50, offset: int = 0, **who: Any) -> Sequence[Record]:
    """One page of the candidates."""
    return memory.governance.candidates(limit=limit + offset, **who)[offset:]


OBSERVE = Verb(
    "observe", "governance.observe", "Store an observation for a limited time.",
    "It can be searched and distilled into a candidate, and it is deleted when its time is over.",
    (
        arg.TEXT, *arg.WHO,
        replace(arg.SESSION, help="The session it belongs to.", tool=ToolForm("The session it belongs to.")),
        replace(arg.SCOPE, tool=None), replace(arg.BOUNDARY, tool=None),
        Argument("mode", "How to store it.  [default: from the policy]", "choice", choices=("raw", "redact", "digest")),
        Argument("ttl_days", "How many days it is kept.  [default: from the policy]", "number", metavar="DAYS"),
        *arg.SOURCE,
        Argument("trusted", "The text contains nothing from outside.", "flag"),
    ),
    'aforesaid observe "the log says port 5433" --user ana --mode redact --url https://ci.example/1',
    grant="write", effect="adds", opens="make", embeds=True, call=observe,
    to_text=kept_text,
    tool=Tool(
        "Store something you saw, such as a tool's result, for a limited time and marked as coming from outside. Use "
        "it for evidence that may become knowledge later; memory_distill then states what it tells us.",
        "StoredAnswer", fixed={"scope": "user"},
    ),
)  # fmt: skip
DISTILL = Verb(
    "distill", "governance.distill", "Make a candidate from observations or turns.",
    "It stays hidden until it is promoted.",
    (
        Argument(
            "sources", metavar="ID...", positional=True, required=True, many=True,
            tool=ToolForm("Ids of the evidence.", least=1, most=arg.MAX_LIST),
        ),
        replace(arg.TEXT, kind="text", help="What they support.", positional=False, flags=("--as",), metavar="TEXT"),
        *arg.WHO, arg.SCOPE, arg.TYPE, arg.BOUNDARY,
    ),
    'aforesaid distill observation-1f0c9a52d3b7e684 --as "Staging runs on port 5433." --user ana',
    grant="write", effect="adds", embeds=True,
    to_text=lambda record, view: f"{'candidate' if record.withheld else 'known as'} {record.id}",
    tool=Tool(
        "Make a candidate for knowledge from observations or turns; searches do not find it until it is promoted. Use "
        "it when evidence supports a statement that should be reviewed first; memory_promote is next.",
        "StoredAnswer",
    ),
)  # fmt: skip
CANDIDATES = Verb(
    "candidates", "governance.candidates", "List candidates that wait for promotion.",
    "Newest first.",
    (*arg.WHO, *arg.PAGE_50),
    "aforesaid candidates --user ana",
    call=candidates, to_text=lambda found, view: list_text(found, view.columns) if found else "Nothing waits.",
)  # fmt: skip
PROMOTE = Verb(
    "promote", "governance.promote", "Make a candidate durable.",
    "A global one needs a reviewer, unless the policy says otherwise.",
    (arg.ID, *arg.WHO, arg.REVIEWERS),
    "aforesaid promote claim-1f0c9a52d3b7e684 --user ana --reviewer bo",
    grant="write", effect="adds", embeds=True, to_text=lambda record, view: f"promoted {record.id}",
    tool=Tool(
        "Make a candidate durable, so that searches find it. Use it after the user agreed. A candidate that needs a "
        "reviewer is refused here: a person promotes it at the command line.",
        "StoredAnswer", repeatable=False,
    ),
)  # fmt: skip
UPSERT = Verb(
    "upsert", "governance.upsert", "Store a claim that needs no review.",
    "It must say where it comes from.",
    (
        arg.TEXT, *arg.WHO, arg.SCOPE, arg.TYPE, arg.BOUNDARY, arg.REVIEWERS, *arg.SOURCE,
        Argument("sources", "A record it comes from; may be repeated.", many=True, metavar="ID", flags=("--source",)),
    ),
    'aforesaid upsert "Deploys happen on Fridays." --who ops --user ana',
    grant="write", effect="adds", opens="make", embeds=True, call=upsert,
    to_text=kept_text,
)  # fmt: skip
ROLLBACK = Verb(
    "rollback", "governance.rollback", "End a claim without deleting it.",
    "The claim that it replaced is valid again; records derived from it are marked stale.",
    (
        arg.ID,
        Argument(
            "reason", "What was wrong.", required=True, metavar="TEXT",
            tool=ToolForm("What was wrong with it.", least=1, most=1000),
        ),
        Argument("by", "Who says so.", default="", metavar="NAME"),
        *arg.WHO,
    ),
    'aforesaid rollback claim-1f0c9a52d3b7e684 --reason "wrong port" --user ana',
    grant="write", effect="destroys", embeds=True, to_text=lambda done, view: shown.rollback_text(done),
    tool=Tool(
        "End a claim that turned out wrong, without deleting it; the claim that it replaced is valid again. Use it "
        "for mistakes. When something merely changed, memory_remember with `replaces` keeps the history right.",
        "RollbackAnswer", repeatable=False, owned="id", fixed={"by": "mcp"},
    ),
)  # fmt: skip
ACTIVATE = Verb(
    "activate", "activate", "Collect memories for a task and save the list temporarily.",
    "Ranked by the profile `pce`, within the quotas of the intent.",
    (
        replace(arg.QUERY, tool=ToolForm("The task; leave empty with `again`.", most=arg.MAX_QUERY_CHARS, default="")),
        *arg.WHERE,
        arg.ACTIVE_SESSION,
        Argument(
            "intent", f"The purpose: {', '.join(INTENTS[:-1])} or {INTENTS[-1]}.", default="resume_task",
            tool=ToolForm("The purpose; it decides which scopes and types come first.", choices=INTENTS),
        ),
        arg.LIMIT,
        Argument("ttl_minutes", "How many minutes it is kept.  [default: a setting]", "number", flags=("--minutes",)),
        Argument("max_uses", "How often it may be read.  [default: always]", "integer", least=1),
        arg.NOW,
    ),
    'aforesaid activate "deploy the shop" --intent resume_task --user ana',
    effect="notes", embeds=True, to_text=lambda found, view: shown.active_text(found, view.columns),
    modes=(
        Verb(
            "active", "governance.active", "Read a saved list again.",
            arguments=(*arg.WHO, arg.NOW),
            effect="notes", embeds=True, to_text=lambda found, view: shown.active_text(found, view.columns),
            by=Argument(
                "id", "Read a saved list instead.", metavar="ID", flags=("--again",),
                tool=ToolForm("The id of a saved list, to read it again.", name="again"),
            ),
        ),
    ),
    tool=Tool(
        "Collect memories for a task and save the list under an id for a while. Use it to begin longer work that "
        "others will continue: give them the id. Give either a query or `again`.",
        "ActivateAnswer", repeatable=False,
    ),
)  # fmt: skip
SWEEP = Verb(
    "sweep", "governance.sweep", "Delete expired records permanently.",
    "Observations, records with a time limit from the policy, and saved task contexts.",
    (arg.NOW,),
    "aforesaid sweep",
    grant="admin", effect="destroys",
)  # fmt: skip

VERBS = (OBSERVE, DISTILL, CANDIDATES, PROMOTE, UPSERT, ROLLBACK, ACTIVATE, SWEEP)
