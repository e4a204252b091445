"""`aforesaid backup`: a copy of the store that stays in its care."""

from __future__ import annotations

import click

from aforesaid.surfaces.cli.app import App
from aforesaid.surfaces.cli.options import verb
from aforesaid.surfaces.formats import common as shown


@verb("backup", "aforesaid backup monday.db")
@click.argument("file", metavar="PATH")
@click.option("--force", is_flag=True, help="Overwrite a file that is there.")
@click.pass_obj
def backup(app: App, file: str, force: bool) -> None:
    """Copy the store to another file. Others may go on writing; the copy is a store of its own.

    What is forgotten in the store later is forgotten in its copies too.
    """
    with app.open(existing=True, any_embedder=True) as memory:
        made = memory.maintenance.backup(file, overwrite=force)
    size = made.stat().st_size
    app.say({"file": str(made), "bytes": size}, f"copied {shown.size(size)} to {file}")
