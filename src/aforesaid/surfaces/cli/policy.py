"""`aforesaid policy` and `validate`: who may see what, and what may be kept."""

from __future__ import annotations

from pathlib import Path

import click

from aforesaid.errors import InputError
from aforesaid.surfaces.cli.app import App, progress
from aforesaid.surfaces.cli.options import caller, verb
from aforesaid.surfaces.formats import common as shown
from aforesaid.surfaces.formats import governance as told
from aforesaid.types import BOUNDARIES, CLAIM_TYPES, KINDS, SCOPES, Boundary, ClaimType, Kind, Scope


@click.group()
def policy() -> None:
    """Show or change the policy. Who may see what, what is taken out, and for how long."""


@verb("show", "aforesaid policy show > policy.yaml")
@click.option("--number", type=click.IntRange(1), metavar="N", help="That one of the history.  [default: in force]")
@click.pass_obj
def show(app: App, number: int | None) -> None:
    """Print a policy as YAML. The one in force, or one of those before it."""
    from aforesaid.policy import Policy, write_policy

    with app.open(existing=True, any_embedder=True) as memory:
        found = [each for each in memory.policy.history() if number in (None, each.number)]
    if number is not None and not found:
        raise InputError(f"There is no policy number {number}.", "See `aforesaid policy history`.")
    text = write_policy(found[0].policy if found else Policy.default())
    if not found:
        app.note("no policy was given; this is what holds without one")
    app.say({"number": found[0].number if found else 0, "text": text}, text.rstrip())


@verb("apply", "aforesaid policy apply policy.yaml --dry-run\n  aforesaid policy apply policy.yaml --expected 1.2.0")
@click.argument("file", metavar="FILE")
@click.option("--dry-run", is_flag=True, help="Only tell what would change.")
@click.option("--expected", metavar="VERSION", help="Refuse unless this version is in force (`none`: no policy).")
@click.option("--by", default="", metavar="NAME", help="Who changes it.")
@click.pass_obj
def apply(app: App, file: str, dry_run: bool, expected: str | None, by: str) -> None:
    """Put a policy in force. A bad file is refused with its lines, and the old policy stays.

    Every record is judged by it at once. Words that it takes out of new records stay in old ones until
    `validate --stored --mend`.
    """
    with app.open() as memory, progress("Judging records", hidden=app.json) as move:
        report = memory.policy.apply(Path(file), expected=expected, dry_run=dry_run, by=by, progress=move)
    app.say(told.policy_dict(report), told.policy_text(report))


@verb("history", "aforesaid policy history")
@click.pass_obj
def history(app: App) -> None:
    """List every policy that was in force, newest first."""
    with app.open(existing=True, any_embedder=True) as memory:
        found = memory.policy.history()
    app.say([told.adopted_dict(each) for each in found], told.history_text(found))


@verb("check", "aforesaid policy check policy.yaml")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.pass_context
def check(ctx: click.Context, files: tuple[str, ...]) -> None:
    """Read policy files without a store. Every mistake with its line, and what is probably not meant."""
    from aforesaid.memory.policy import read_policy_from
    from aforesaid.policy import policy_warnings

    app = ctx.ensure_object(App)
    found = {name: policy_warnings(read_policy_from(Path(name))) for name in files}
    app.say(found, "\n".join(f"{name}: {line}" for name, lines in found.items() for line in lines or ("fine",)))


@verb("template", "aforesaid policy template team > policy.yaml")
@click.argument("name", type=click.Choice(("solo", "team", "organisation")))
@click.pass_obj
def template(app: App, name: str) -> None:
    """Print a policy to start from: solo, team or organisation."""
    from aforesaid.policy import template as text_of

    text = text_of(name)
    app.say({"name": name, "text": text}, text.rstrip())


for command in (show, apply, check, history, template):
    policy.add_command(command)


@verb("validate", 'aforesaid validate "ring +351 912 345 678" --scope global\n  aforesaid validate --stored --mend')
@click.argument("text", nargs=-1)
@caller("user", "project")
@click.option(
    "--scope", type=click.Choice(SCOPES), default="user", show_default=True, help="Of which scope it would be."
)
@click.option("--kind", type=click.Choice(KINDS), default="claim", show_default=True, help="Of which kind.")
@click.option(
    "--type", "claim", type=click.Choice(CLAIM_TYPES), default="fact", show_default=True, help="Of which type."
)
@click.option("--boundary", type=click.Choice(BOUNDARIES), default="internal", show_default=True, help="How private.")
@click.option("--stored", is_flag=True, help="Look at every stored record instead.")
@click.option("--mend", is_flag=True, help="With --stored: take out what is found, for good.")
@click.pass_context
def validate(
    ctx: click.Context,
    text: tuple[str, ...],
    user: str | None,
    project: str | None,
    scope: Scope,
    kind: Kind,
    claim: ClaimType,
    boundary: Boundary,
    stored: bool,
    mend: bool,
) -> None:
    """Show what the policy makes of a text, or of all that is stored. Ends with 1 when something is not allowed."""
    app = ctx.ensure_object(App)
    if stored == bool(text) or (mend and not stored):
        raise click.UsageError("Give a text, or --stored (and then --mend, if you like).")
    with app.open(any_embedder=not mend) as memory:
        if stored:
            with progress("Looking", hidden=app.json) as move:
                revision = memory.policy.revise(mend=mend, progress=move)
            app.say(shown.plain(revision), told.revision_text(revision))
            ctx.exit(1 if revision.unclean and not mend else 0)
        found = memory.policy.validate(
            " ".join(text), user=user, project=project, scope=scope, kind=kind, type=claim, boundary=boundary
        )
    app.say({**shown.plain(found), "allowed": found.allowed}, told.validation_text(found))
    ctx.exit(0 if found.allowed else 1)
