"""`aforesaid demo`: real commands on a small invented conversation, in a temporary store."""

from __future__ import annotations

import shlex
import tempfile
from dataclasses import replace
from importlib import resources
from pathlib import Path

import click

from aforesaid.surfaces.cli.app import App
from aforesaid.surfaces.cli.commands import command_named
from aforesaid.surfaces.cli.options import command

MARA = ("--user", "mara")
NOW = ("--now", "2026-08-21")  # the day after the conversation
STEPS = (
    ("1. Store a conversation. A gate marks what lasts; secrets are redacted.", ("ingest", "{conversation}", *MARA)),
    ("2. What lasts", ("gate", "list", "--decision", "admit", "--limit", "3", *MARA)),
    ("   Other turns are stored and found too.", ("gate", "list", "--decision", "reject", "--limit", "3", *MARA)),
    ("3. A secret was replaced by a digest.", ("search", "OPENAI_API_KEY", "--limit", "1", *MARA, *NOW)),
    ("4. Search by meaning and by word", ("search", "What is her rent budget now?", "--limit", "2", *MARA, *NOW)),
    ("   Among code and logs", ("search", "Why did the nightly job fail?", "--limit", "2", *MARA, *NOW)),
    ("   In another language", ("search", "歯医者の予約はいつですか？", "--limit", "2", *MARA, *NOW)),
    ("5. A prompt's context", ("assemble", "Which food is she allergic to?", "--budget", "300", *MARA, *NOW)),
)


@command("demo", "aforesaid demo")
@click.option("--keep", metavar="PATH", help="Keep the store in this file instead of a temporary folder.")
@click.pass_context
def demo(ctx: click.Context, keep: str | None) -> None:
    """Show the main features on an invented conversation. Gate, secrets, search, context."""
    with (
        tempfile.TemporaryDirectory(prefix="aforesaid-demo-") as folder,
        resources.as_file(resources.files("aforesaid.sample") / "conversation.jsonl") as conversation,
    ):
        store = Path(keep).expanduser() if keep else Path(folder) / "memory.db"
        app = replace(ctx.ensure_object(App), store=str(store))
        for title, words in STEPS:
            _run(ctx.find_root(), app, title, [word.format(conversation=conversation) for word in words])
    if keep:
        app.note(f'The store is {keep}: try `aforesaid --store {keep} search "when does Lena land?" --user mara`.')


def _run(root: click.Context, app: App, title: str, words: list[str]) -> None:
    """Show a command and run it."""
    if not app.json:
        click.echo(f"{click.style(title, bold=True)}\n$ {shlex.join(['aforesaid', *words])}")
    chosen = command_named(words[0])
    assert chosen is not None
    try:
        with chosen.make_context(words[0], words[1:], parent=root, obj=app) as inner:
            chosen.invoke(inner)
    except click.exceptions.Exit:  # how a command ends
        pass
    if not app.json:
        click.echo()
