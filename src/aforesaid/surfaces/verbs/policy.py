"""Verbs for the policy: who may see a record, what is redacted, and how long records are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aforesaid.errors import InputError
from aforesaid.surfaces.formats import governance as shown
from aforesaid.surfaces.verbs import arguments as arg
from aforesaid.surfaces.verbs.declare import Argument, Tool, ToolForm, Verb, View
from aforesaid.types import KINDS

if TYPE_CHECKING:
    from aforesaid.memory import Memory


def show(memory: Memory, number: int | None = None) -> dict[str, Any]:
    """The policy of this number, or the current one, with its number in the history; 0 for the built-in defaults."""
    from aforesaid.policy.values import Policy
    from aforesaid.policy.write import write_policy

    found = [each for each in memory.policy.history() if number in (None, each.number)]
    if number is not None and not found:
        raise InputError(f"There is no policy number {number}.", "See `aforesaid policy history`.")
    if not found:
        return {"number": 0, "text": write_policy(Policy.default())}
    return {"number": found[0].number, "text": write_policy(found[0].policy)}


def check(memory: Memory, files: Sequence[str]) -> dict[str, Sequence[str]]:
    """The warnings about each file."""
    from aforesaid.memory.policy import read_policy_from
    from aforesaid.policy.review import policy_warnings

    return {name: policy_warnings(read_policy_from(Path(name))) for name in files}


def template(memory: Memory, name: str) -> dict[str, str]:
    """The text of a template."""
    from aforesaid.policy.document import template as text_of

    return {"name": name, "text": text_of(name)}


def _checked(found: Any, view: View) -> str:
    return "\n".join(f"{name}: {line}" for name, lines in found.items() for line in lines or ("fine",))


SHOW = Verb(
    "policy show", "policy.history", "Print a policy as YAML.",
    "The current one, or an earlier one.",
    (Argument("number", "Its number in the history.  [default: the current one]", "integer", least=1),),
    "aforesaid policy show > policy.yaml",
    call=show, to_text=lambda found, view: found["text"].rstrip(),
    note=lambda found, view: "" if found["number"] else "no policy was given; these are the built-in defaults",
)  # fmt: skip
APPLY = Verb(
    "policy apply", "policy.apply", "Put a policy in force.",
    """A bad file is refused with line numbers, and the old policy stays.

    The policy applies to every record at once. Text that it redacts in new records stays in old ones until
    `validate --stored --mend`.
    """,
    (
        Argument("policy", metavar="FILE", positional=True, required=True, parse=Path),
        Argument("dry_run", "Only report what would change.", "flag"),
        Argument("expected", "Refuse unless this version is in force (`none`: no policy).", metavar="VERSION"),
        Argument("by", "Who changes it.", default="", metavar="NAME"),
    ),
    "aforesaid policy apply policy.yaml --dry-run\n  aforesaid policy apply policy.yaml --expected 1.2.0",
    grant="admin", effect="governs", opens="make", embeds=True, progress="Applying the policy",
    note=lambda report, view: shown.UNCLEAN if report.unclean else "",
)  # fmt: skip
CHECK = Verb(
    "policy check", "", "Check policy files without a store.",
    "Shows every mistake with its line, and rules that are probably not intended.",
    (Argument("files", metavar="FILE...", positional=True, required=True, many=True),),
    "aforesaid policy check policy.yaml",
    opens="nothing", call=check, to_text=_checked,
)  # fmt: skip
HISTORY = Verb(
    "policy history", "policy.history", "List every policy that was in force, newest first.",
    example="aforesaid policy history",
    to_text=lambda found, view: shown.history_text(found),
)  # fmt: skip
TEMPLATE = Verb(
    "policy template", "", "Print a policy to start from: solo, team or organisation.",
    arguments=(
        Argument("name", kind="choice", positional=True, required=True, choices=("solo", "team", "organisation")),
    ),
    example="aforesaid policy template team > policy.yaml",
    opens="nothing", call=template, to_text=lambda found, view: found["text"].rstrip(),
)  # fmt: skip
VALIDATE = Verb(
    "validate", "policy.validate", "Show how the policy treats a text, or all stored records.",
    "The exit code is 1 when something is not allowed.",
    (
        arg.TEXT, *arg.WHO,
        replace(arg.SCOPE, help="The scope it would have.  [default: the project's if named, else the user's]"),
        Argument("kind", "The kind of record it would be.", "choice", default="claim", choices=KINDS),
        arg.TYPE, arg.BOUNDARY,
    ),
    'aforesaid validate "ring +351 912 345 678" --scope global\n  aforesaid validate --stored --mend',
    to_text=lambda found, view: shown.validation_text(found), fails=lambda found, view: not found.allowed,
    modes=(
        Verb(
            "revise", "policy.revise", "Check all stored records against the policy.",
            arguments=(Argument("mend", "With --stored: redact what is found, permanently.", "flag"),),
            grant="admin", effect="governs", embeds="mend", progress="Checking",
            fails=lambda found, view: found.unclean > found.mended,
            by=Argument("stored", "Check every stored record instead.", "flag"),
        ),
    ),
    tool=Tool(
        "Report what would happen to a text: what is redacted, how private it is, which rules it breaks. Nothing is "
        "stored. Use it before memory_remember when a text may hold secrets or personal data, or after a write was "
        "refused.",
        "ValidateAnswer",
    ),
)  # fmt: skip
POLICY = Verb(
    "policy", "policy.current", "Show the policy in force; with `admin`, try or apply another one.",
    arguments=(
        Argument("proposal", tool=ToolForm("Another policy as YAML, to see what it would change.", most=100_000)),
        Argument("apply", kind="flag", tool=ToolForm("Put the proposal in force, not only show its changes.")),
    ),
    example="memory_policy", effect="governs", on_command_line=False,
    tool=Tool(
        "Show the policy in force; with the grant `admin`, show what a proposal would change, or put it in force. Use "
        "it when something was refused and you must say why, or when the user wants the rules changed: show them the "
        "changes first.",
        "PolicyAnswer", run="policy",
    ),
)  # fmt: skip

VERBS = (SHOW, APPLY, CHECK, HISTORY, TEMPLATE, VALIDATE, POLICY)
GROUPS = {"policy": "Show or change the policy."}
