"""`aforesaid observe`, `distill`, `promote`, `rollback`, `activate` and their like: the governed way."""

from __future__ import annotations

from datetime import datetime

import click

from aforesaid.surfaces.cli.app import App
from aforesaid.surfaces.cli.options import caller, page, time_option, verb
from aforesaid.surfaces.formats import common as shown
from aforesaid.surfaces.formats import governance as told
from aforesaid.types import BOUNDARIES, CLAIM_TYPES, SCOPES, Boundary, ClaimType, Provenance, Scope

SCOPE = click.option("--scope", type=click.Choice(SCOPES), default="user", show_default=True, help="Who shares it.")
BOUNDARY = click.option(
    "--boundary", type=click.Choice(BOUNDARIES), default="internal", show_default=True, help="How private."
)
TYPE = click.option(
    "--type", "claim", type=click.Choice(CLAIM_TYPES), default="fact", show_default=True, help="What it is."
)
REVIEWER = click.option("--reviewer", "reviewers", multiple=True, metavar="NAME", help="Who looked at it; repeatable.")
NOW = time_option("--now", "As if it were this time.  [default: the clock]")


@verb("observe", 'aforesaid observe "the log says port 5433" --user ana --mode redact --url https://ci.example/1')
@click.argument("text", nargs=-1, required=True)
@caller("user", "project", "session")
@SCOPE
@BOUNDARY
@click.option("--mode", type=click.Choice(("raw", "redact", "digest")), help="How it is kept.  [default: the policy's]")
@click.option(
    "--ttl-days", type=float, metavar="DAYS", help="How long it lives.  [default: the policy's, or a setting]"
)
@click.option("--who", metavar="NAME", help="Where it comes from: who,")
@click.option("--file", "file", metavar="PATH", help="which file,")
@click.option("--url", metavar="URL", help="which page.")
@click.option("--trusted", is_flag=True, help="Nobody else had a hand in the words.")
@click.pass_obj
def observe(
    app: App, text: tuple[str, ...], user: str | None, project: str | None, session: str | None, scope: Scope,
    boundary: Boundary, mode: str | None, ttl_days: float | None, who: str | None, file: str | None, url: str | None,
    trusted: bool,
) -> None:  # fmt: skip
    """Keep something that was seen, for a while. It can be found, distilled into a candidate, and goes by itself."""
    source = Provenance(who=who, method="observe", file=file, url=url)
    with app.open() as memory:
        record = memory.governance.observe(
            " ".join(text), user=user, project=project, session=session, scope=scope, source=source,
            mode=mode, ttl_days=ttl_days, boundary=boundary, tainted=not trusted,  # type: ignore[arg-type]
        )  # fmt: skip
    app.say(shown.plain(record), told.kept_text(record))


@verb("distill", 'aforesaid distill observation-1f0c9a52d3b7e684 --as "Staging runs on port 5433." --user ana')
@click.argument("sources", nargs=-1, required=True, metavar="ID...")
@click.option("--as", "text", required=True, metavar="TEXT", help="What they tell us, in a sentence.")
@caller("user", "project")
@SCOPE
@TYPE
@BOUNDARY
@click.pass_obj
def distill(
    app: App, sources: tuple[str, ...], text: str, user: str | None, project: str | None, scope: Scope,
    claim: ClaimType, boundary: Boundary,
) -> None:  # fmt: skip
    """Make a candidate from observations or turns. Nobody finds it until it is promoted."""
    with app.open(existing=True) as memory:
        record = memory.governance.distill(
            sources, text, user=user, project=project, scope=scope, type=claim, boundary=boundary
        )
    app.say(shown.plain(record), f"{'known as' if not record.withheld else 'candidate'} {record.id}")


@verb("candidates", "aforesaid candidates --user ana")
@caller("user", "project")
@page(50)
@click.pass_obj
def candidates(app: App, user: str | None, project: str | None, limit: int, offset: int) -> None:
    """List what waits to be promoted. Newest first."""
    with app.open(existing=True, any_embedder=True) as memory:
        found = memory.governance.candidates(user=user, project=project, limit=limit + offset)[offset:]
    app.say([shown.plain(each) for each in found], shown.list_text(found, app.columns) if found else "Nothing waits.")


@verb("promote", "aforesaid promote claim-1f0c9a52d3b7e684 --user ana --reviewer bo")
@click.argument("id_", metavar="ID")
@caller("user", "project")
@REVIEWER
@click.pass_obj
def promote(app: App, id_: str, user: str | None, project: str | None, reviewers: tuple[str, ...]) -> None:
    """Make a candidate durable. A global one needs a reviewer, unless the policy says otherwise."""
    with app.open(existing=True) as memory:
        record = memory.governance.promote(id_, user=user, project=project, reviewers=reviewers)
    app.say(shown.plain(record), f"promoted {record.id}")


@verb("upsert", 'aforesaid upsert "Deploys happen on Fridays." --who ops --user ana')
@click.argument("text", nargs=-1, required=True)
@caller("user", "project")
@SCOPE
@TYPE
@BOUNDARY
@REVIEWER
@click.option("--who", metavar="NAME", help="Where it comes from: who,")
@click.option("--file", "file", metavar="PATH", help="which file,")
@click.option("--url", metavar="URL", help="which page,")
@click.option("--source", "sources", multiple=True, metavar="ID", help="which records; repeatable.")
@click.pass_obj
def upsert(
    app: App, text: tuple[str, ...], user: str | None, project: str | None, scope: Scope, claim: ClaimType,
    boundary: Boundary, reviewers: tuple[str, ...], who: str | None, file: str | None, url: str | None,
    sources: tuple[str, ...],
) -> None:  # fmt: skip
    """Store a claim that is distilled already. It must say where it comes from."""
    with app.open() as memory:
        keys = tuple(memory.get(name, user=user, project=project).key for name in sources)
        record = memory.governance.upsert(
            " ".join(text), provenance=Provenance(who=who, file=file, url=url, sources=keys), user=user,
            project=project, scope=scope, type=claim, boundary=boundary, reviewers=reviewers,
        )  # fmt: skip
    app.say(shown.plain(record), told.kept_text(record))


@verb("rollback", 'aforesaid rollback claim-1f0c9a52d3b7e684 --reason "wrong port" --user ana')
@click.argument("id_", metavar="ID")
@click.option("--reason", required=True, metavar="TEXT", help="What was wrong.")
@click.option("--by", default="", metavar="NAME", help="Who says so.")
@caller("user", "project")
@click.pass_obj
def rollback(app: App, id_: str, reason: str, by: str, user: str | None, project: str | None) -> None:
    """End a claim without deleting it. What it had replaced holds again; what was made of it is marked stale."""
    with app.open(existing=True) as memory:
        done = memory.governance.rollback(id_, reason=reason, user=user, project=project, by=by)
    app.say(shown.plain(done), told.rollback_text(done))


@verb("activate", 'aforesaid activate "deploy the shop" --intent resume_task --user ana')
@click.argument("query", nargs=-1)
@caller("user", "project", "session")
@click.option(
    "--intent", default="resume_task", show_default=True,
    help="What for: resume_task, debug_incident, design_decision or policy_check.",
)  # fmt: skip
@click.option("--limit", type=click.IntRange(1), metavar="N", help="How many items.  [default: a setting]")
@click.option("--minutes", type=float, metavar="N", help="How long it lives.  [default: a setting]")
@click.option("--max-uses", type=click.IntRange(1), metavar="N", help="How often it may be read.  [default: always]")
@click.option("--again", metavar="ID", help="Read a saved one instead.")
@NOW
@click.pass_obj
def activate(
    app: App, query: tuple[str, ...], user: str | None, project: str | None, session: str | None, intent: str,
    limit: int | None, minutes: float | None, max_uses: int | None, again: str | None, now: datetime | None,
) -> None:  # fmt: skip
    """Find what an intent wants to know, and save it for a while. Ranked by `pce`, within the intent's quotas."""
    if bool(query) == bool(again):
        raise click.UsageError("Give a query, or --again with the id of a saved context.")
    with app.open(existing=True) as memory:
        if again:
            context = memory.governance.active(again, user=user, project=project, now=now)
        else:
            context = memory.activate(
                " ".join(query), intent=intent, user=user, project=project, session=session, limit=limit,  # type: ignore[arg-type]
                ttl_minutes=minutes, max_uses=max_uses, now=now,
            )  # fmt: skip
    app.say(shown.plain(context), told.active_text(context, app.columns))


@verb("history", "aforesaid history claim-1f0c9a52d3b7e684 --user ana")
@click.argument("id_", metavar="ID")
@caller("user", "project", "session")
@click.pass_obj
def history(app: App, id_: str, user: str | None, project: str | None, session: str | None) -> None:
    """List every version of what a record says. Oldest first; × marks what was replaced."""
    with app.open(existing=True, any_embedder=True) as memory:
        found = memory.history(id_, user=user, project=project, session=session)
    app.say([shown.plain(each) for each in found], told.versions_text(found, app.columns))


@verb("sweep", "aforesaid sweep")
@NOW
@click.pass_obj
def sweep(app: App, now: datetime | None) -> None:
    """Delete for good what has expired. Observations, what the policy limits in time, active contexts."""
    with app.open(existing=True, any_embedder=True) as memory:
        swept = memory.governance.sweep(now)
    app.say(
        shown.plain(swept),
        f"{shown.counted(swept.records, 'record')} and {shown.counted(swept.contexts, 'active context')} gone",
    )
