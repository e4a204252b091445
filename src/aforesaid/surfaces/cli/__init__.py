"""The `aforesaid` command: the group of all commands, and how errors become exit codes."""

from __future__ import annotations

import io
import json
import os
import sys
import traceback
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, NoReturn

import click

from aforesaid import __version__
from aforesaid.errors import AforesaidError, InputError, NotFoundError, SettingsError
from aforesaid.surfaces.cli.app import App
from aforesaid.surfaces.cli.commands import COMMANDS, command_named, summary_of
from aforesaid.surfaces.cli.options import global_options

FAILED, WRONG_INPUT, NOTHING_FOUND, INTERRUPTED, OUTPUT_CLOSED = 1, 2, 3, 130, 141

EPILOG = """\b
Exit codes:
  0    success
  1    failure of the store, the disk or the model; `verify` or `doctor` found a problem
  2    wrong input: an option, a value, the contents of a file, a setting
  3    nothing found: no record has this id, or nothing is stored for this user, project or session
  130  interrupted
  141  the reader of the output closed it

Errors go to stderr with a remedy; AFORESAID_DEBUG=1 adds the traceback. Try `aforesaid demo` first."""


class AforesaidGroup(click.Group):
    """The group of all commands. Turns every failure into one line and an exit code."""

    def main(self, args: Sequence[str] | None = None, *_: Any, **extra: Any) -> NoReturn:
        """Run a command and exit."""
        given = list(sys.argv[1:] if args is None else args)
        extra |= {"standalone_mode": False, "prog_name": "aforesaid"}
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):  # show characters that the encoding lacks as escapes
                stream.reconfigure(errors="backslashreplace")
        sys.exit(self._code(given, extra))

    def _code(self, given: list[str], extra: dict[str, Any]) -> int:
        try:
            code = super().main(given, **extra)
            if sys.stdout is not None:  # None when the shell closed it
                sys.stdout.flush()
            return code if isinstance(code, int) else 0
        except click.Abort:
            click.echo("interrupted", err=True)
            return INTERRUPTED
        except BrokenPipeError:
            return _output_closed()
        except Exception as error:  # noqa: BLE001 - nobody wants to read a traceback who did not ask for one
            _debug()
            return _report(error, as_json="--json" in given)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Made when it is needed."""
        return command_named(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As usual; the error for an unknown command names the nearest one."""
        name = args[0] if args else ""
        if name and name not in COMMANDS:
            near = get_close_matches(name, COMMANDS, 1)
            raise click.UsageError(f"No such command {name!r}." + (f" Did you mean {near[0]!r}?" if near else ""), ctx)
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As usual; the error for a command's option before the command says where to write it."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            later = f"Write {error.option_name} after the command."
            raise click.UsageError(f"No such option {error.option_name} before the command. {later}", ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """From the table, so that no command has to be built."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary_of(name)) for name in COMMANDS])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. A closed output has its own exit code."""
        if os.environ.get("NO_COLOR"):
            ctx.color = False
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            ctx.exit(_output_closed())


def _output_closed() -> int:
    """Send further output to nowhere, because it would fail again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return OUTPUT_CLOSED


def _debug() -> None:
    if os.environ.get("AFORESAID_DEBUG"):
        traceback.print_exc()


def _report(error: Exception, as_json: bool) -> int:
    """Print an error on stderr; returns the exit code."""
    from aforesaid.surfaces.formats.values import error_json, error_text

    if isinstance(error, click.ClickException):
        if not as_json:
            error.show()
            return WRONG_INPUT
        found: AforesaidError = InputError(error.format_message(), "See --help.")
    elif isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        found = AforesaidError(f"{where}{error.strerror or error}.", "Check the path, its permissions and the disk.")
    elif isinstance(error, AforesaidError):
        found = error
    else:
        what = f"{type(error).__name__}: {error}".rstrip(".")
        found = AforesaidError(
            f"Something unexpected failed: {what}.", "AFORESAID_DEBUG=1 shows where; please report it."
        )
    if as_json:
        click.echo(json.dumps(error_json(found), ensure_ascii=False), err=True)
    else:
        head, _, rest = error_text(found).partition(" ")
        click.echo(click.style(head, fg="red", bold=True) + " " + rest, err=True, color=_colour())
    return exit_code(type(found))


def exit_code(kind: type[AforesaidError]) -> int:
    """The exit code for a class of errors."""
    if issubclass(kind, NotFoundError):
        return NOTHING_FOUND
    return WRONG_INPUT if issubclass(kind, (InputError, SettingsError)) else FAILED


def _colour() -> bool | None:
    return False if os.environ.get("NO_COLOR") else None


@click.group(
    "aforesaid",
    cls=AforesaidGroup,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="aforesaid")
@click.pass_context
def main(ctx: click.Context) -> None:
    """A local-first memory for LLM agents. It stores what matters, finds it again, and explains why."""
    ctx.ensure_object(App)


main.params[:0] = global_options(hidden=False)
