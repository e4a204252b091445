"""Generates pages of docs/ from the code: `python -m aforesaid.surfaces.reference_pages docs`."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from aforesaid import errors
from aforesaid.settings import Settings

WIDTH = 88
EFFECTS = {
    "none": "nothing",
    "notes": "logs that it was used",
    "adds": "adds or updates records",
    "destroys": "**deletes or ends records**",
    "governs": "**the policy**, with the grant `admin`",
}
TOOLS_BEGIN, TOOLS_END = "<!-- tools: begin -->", "<!-- tools: end -->"


def settings_page() -> str:
    """Every setting as a table, group by group."""
    lines = [
        "# Settings",
        "",
        "A row `gate.threshold` is `threshold` under `[gate]` in a TOML file, `AFORESAID_GATE_THRESHOLD` in the",
        "environment, `--set gate.threshold=…` on the command line and a key of `Settings.load(arguments=…)`; the",
        "later wins. The file is `--config`, else `$AFORESAID_CONFIG`, else `aforesaid.toml` in your configuration",
        "folder. `aforesaid settings` prints the current values and where each comes from.",
        "",
        "A *place* is a threshold between unrelated texts (0) and related texts (1); [Models](models.md) says how it",
        "becomes a cosine. Letters such as T, H, ω or S_final name the terms of a formula in",
        "[Mathematics](mathematics.md).",
    ]
    group = ""
    for row in Settings().rows():
        if row.name.split(".")[0] != group:
            group = row.name.split(".")[0]
            title = (inspect.getdoc(type(getattr(Settings(), group))) or "").splitlines()[0]
            lines += ["", f"## {group}", "", title, "", "| name | default | range | |", "|---|---|---|---|"]
        span = row.range.replace("|", "\\|")
        lines.append(f"| `{row.name}` | {row.default!r} | {span} | {row.help} |")
    return "\n".join(lines) + "\n"


def errors_page() -> str:
    """The tree of errors and what each means."""
    from aforesaid.surfaces.cli import exit_code

    tree = (errors.__doc__ or "").split("\n\n")[1]
    lines = [
        "# Errors",
        "",
        "Every error that aforesaid raises on purpose is an `AforesaidError`. Its message names the wrong value, and",
        "`error.remedy` says what to do.",
        "",
        "```text",
        tree,
        "```",
        "",
        "| error | meaning | exit code |",
        "|---|---|---|",
    ]
    for name, kind in vars(errors).items():
        if inspect.isclass(kind) and issubclass(kind, errors.AforesaidError):
            lines.append(f"| `{name}` | {inspect.getdoc(kind)} | {exit_code(kind)} |")
    return "\n".join(lines) + "\n"


def commands_page() -> str:
    """The help of every command."""
    from aforesaid.surfaces.cli import main

    lines = []
    for name, text in _helps(main):
        title = "# Command line" if name == "aforesaid" else f"## {name}"
        lines += [title, "", "```text", text, "```", ""]
    return "\n".join(lines)


def _helps(command: click.Command, above: click.Context | None = None) -> Iterator[tuple[str, str]]:
    """The full name and the output of `--help` of a command and of all commands below it."""
    width = {"terminal_width": WIDTH, "max_content_width": WIDTH}
    context = command.make_context(command.name, [], parent=above, resilient_parsing=True, **width)
    yield context.command_path, "\n".join(line.rstrip() for line in command.get_help(context).splitlines())
    if isinstance(command, click.Group):
        for name in sorted(command.list_commands(context)):
            below = command.get_command(context, name)
            assert below is not None
            yield from _helps(below, context)


def tool_table() -> str:
    """The table of MCP tools."""
    from aforesaid.surfaces.verbs import all_tools

    lines = ["| tool | minimal | grant | changes | purpose |", "|---|---|---|---|---|"]
    for verb, tool in all_tools():
        mark, purpose = "●" if tool.minimal else "", tool.description.partition(". ")[0]
        lines.append(f"| `{verb.tool_name}` | {mark} | {verb.grant} | {EFFECTS[verb.effect]} | {purpose}. |")
    return "\n".join(lines)


PAGES = {"settings.md": settings_page, "errors.md": errors_page, "cli.md": commands_page}


def main(folder: str) -> None:
    """Write the pages into a folder."""
    for name, page in PAGES.items():
        (Path(folder) / name).write_text(page(), encoding="utf-8")
    mcp = Path(folder) / "mcp.md"
    before, _, rest = mcp.read_text(encoding="utf-8").partition(TOOLS_BEGIN)
    after = rest.partition(TOOLS_END)[2]
    mcp.write_text(f"{before}{TOOLS_BEGIN}\n{tool_table()}\n{TOOLS_END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
