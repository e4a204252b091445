"""The `aforesaid` command: every verb is one call of `Memory`; here are its way in and its ways out."""

from __future__ import annotations

import io
import json
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from aforesaid import __version__
from aforesaid.errors import AforesaidError, InputError, SettingsError
from aforesaid.surfaces.cli.app import App
from aforesaid.surfaces.cli.options import global_options
from aforesaid.surfaces.cli.verbs import VERBS, Verbs

FAILED, MISTAKEN, INTERRUPTED, UNREAD = 1, 2, 130, 141

EPILOG = """\b
Exit codes:
  0    fine
  1    it failed: the store, the disk, the model; `verify` and `doctor` found something
  2    a mistake in what was asked for: an option, a value, a file's contents, a setting
  130  interrupted
  141  whoever read the output went away

Errors go to stderr with a remedy; AFORESAID_DEBUG=1 adds the traceback. Try `aforesaid demo` first."""


class AforesaidGroup(click.Group):
    """The group that turns every failure into a line and an exit code."""

    def main(self, args: Sequence[str] | None = None, *_: Any, **extra: Any) -> NoReturn:
        """Run, and exit."""
        given = list(sys.argv[1:] if args is None else args)
        extra |= {"standalone_mode": False, "prog_name": "aforesaid"}
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):  # what a terminal's encoding lacks is shown as an escape
                stream.reconfigure(errors="backslashreplace")
        sys.exit(self._code(given, extra))

    def _code(self, given: list[str], extra: dict[str, Any]) -> int:
        try:
            code = super().main(given, **extra)
            if sys.stdout is not None:  # none when the shell closed it
                sys.stdout.flush()
            return code if isinstance(code, int) else 0
        except click.Abort:
            click.echo("interrupted", err=True)
            return INTERRUPTED
        except BrokenPipeError:
            return _unread()
        except (AforesaidError, click.ClickException, OSError) as error:
            _debug()
            return _report(error, as_json="--json" in given)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of the table."""
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """From the table: no command has to be imported to be listed."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in VERBS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a reader that went away is not for click to judge."""
        if os.environ.get("NO_COLOR"):
            ctx.color = False
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            ctx.exit(_unread())


def _unread() -> int:
    """Let nothing more be written, which would fail once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return UNREAD


def _debug() -> None:
    if os.environ.get("AFORESAID_DEBUG"):
        traceback.print_exc()


def _report(error: AforesaidError | click.ClickException | OSError, as_json: bool) -> int:
    """Say on stderr what went wrong, and which exit code that is."""
    from aforesaid.surfaces.formats.common import error_dict, error_text

    if isinstance(error, click.ClickException):
        if not as_json:
            error.show()
            return MISTAKEN
        found: AforesaidError = InputError(error.format_message(), "See --help.")
    elif isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        found = AforesaidError(f"{where}{error.strerror or error}.", "Check the path, its permissions and the disk.")
    else:
        found = error
    if as_json:
        click.echo(json.dumps(error_dict(found), ensure_ascii=False), err=True)
    else:
        head, _, rest = error_text(found).partition(" ")
        click.echo(click.style(head, fg="red", bold=True) + " " + rest, err=True, color=_colour())
    return MISTAKEN if isinstance(found, (InputError, SettingsError)) else FAILED


def _colour() -> bool | None:
    return False if os.environ.get("NO_COLOR") else None


@click.group(
    "aforesaid",
    cls=AforesaidGroup,
    commands=Verbs(),
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="aforesaid")
@click.pass_context
def main(ctx: click.Context) -> None:
    """A local-first memory for LLM agents: it keeps what matters, finds it again, and says why."""
    ctx.ensure_object(App)


main.params[:0] = global_options(hidden=False)
