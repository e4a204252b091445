"""Click commands made from the table of verbs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sized
from contextlib import ExitStack
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from aforesaid.errors import AforesaidError, InputError
from aforesaid.surfaces.cli.app import App, progress
from aforesaid.surfaces.cli.options import Command, last_moment, moment
from aforesaid.surfaces.cli.wording import in_command_words
from aforesaid.surfaces.verbs.declare import DEFAULT_METAVARS, Argument, Verb, View

if TYPE_CHECKING:
    from aforesaid.memory import Memory

NOTHING_FOUND = 3


def group_of(name: str, text: str, verbs: Iterable[Verb]) -> click.Group:
    """A group with the verbs whose names begin with its name: `policy` has `policy show`."""
    commands = [command_of(verb) for verb in verbs if verb.on_command_line and verb.name.startswith(f"{name} ")]
    return click.Group(name, commands=commands, help=text)


def command_of(verb: Verb) -> click.Command:
    """The command of a verb."""
    arguments = [argument for argument in verb.all_arguments() if argument.kind != "turns"]

    @click.pass_context
    def run(ctx: click.Context, /, **values: Any) -> None:
        app = ctx.ensure_object(App)
        chosen = verb.mode_for(values)
        _check(ctx, verb, chosen, arguments, values)
        given = {each.name: _parsed(each, values[each.name]) for each in arguments}
        run_it = special(chosen.command) if chosen.command else run_verb
        try:
            code = run_it(app, chosen, given)
        except AforesaidError as error:
            error.remedy = in_command_words(error.remedy, verb)
            raise
        ctx.exit(code)

    name = verb.name.split()[-1]
    run.__name__ = name
    return Command(
        name, params=[_parameter(each, verb) for each in arguments], callback=run, help=verb.help,
        epilog=f"\b\nExample:\n  {verb.example}",
    )  # fmt: skip


def special(name: str) -> Callable[[App, Verb, Mapping[str, Any]], int]:
    """A hand-written function that runs a verb, by `module.function`."""
    module, _, function = name.partition(".")
    found: Callable[[App, Verb, Mapping[str, Any]], int] = getattr(
        import_module(f"aforesaid.surfaces.cli.{module}"), function
    )
    return found


def run_verb(app: App, verb: Verb, values: Mapping[str, Any]) -> int:
    """Run a verb and show its result; returns the exit code."""
    with ExitStack() as stack:
        memory = stack.enter_context(app.open_for(verb, values))
        more = {"progress": stack.enter_context(progress(verb.progress, hidden=app.json))} if verb.progress else {}
        found = verb.run(memory, verb.own_values(values), **more)
        return show(app, verb, found, values) or check_known(app, memory, verb, found, values)


def show(app: App, verb: Verb, found: Any, values: Mapping[str, Any]) -> int:
    """Print a result; returns the exit code."""
    view = View(values, str(app.path), app.tenant, app.columns)
    app.say(verb.to_json(found, view), verb.to_text(found, view) if verb.to_text and not app.json else None)
    if verb.note and (note := verb.note(found, view)):
        app.note(note)
    return 1 if verb.fails and verb.fails(found, view) else 0


def check_known(app: App, memory: Memory, verb: Verb, found: Any, values: Mapping[str, Any]) -> int:
    """NOTHING_FOUND if the result is empty because nothing is stored for a user, project or session that was named."""
    each = zip(values[verb.each], found, strict=True) if verb.each else [(None, found)]
    unknown = []
    for value, result in each:
        where = {**values, verb.each: value}
        named = {name: where[name] for name in ("user", "project", "session") if where.get(name)}
        if named and _nothing(result) and not memory.list(**named, superseded=True, limit=1):
            unknown.append(" and ".join(f"{name} {value!r}" for name, value in named.items()))
    for names in unknown:
        app.note(f"Nothing found for {names}.")
    return NOTHING_FOUND if unknown else 0


def _nothing(result: Any) -> bool:
    """Whether a result is about no record."""
    return (
        not len(result)
        if isinstance(result, Sized)
        else 0 in (getattr(result, name, None) for name in ("records", "turns"))
    )


def _check(
    ctx: click.Context, verb: Verb, chosen: Verb, arguments: Iterable[Argument], values: Mapping[str, Any]
) -> None:
    """Refuse options that the chosen mode does not have, and missing arguments that it needs."""
    allowed = {each.name for each in chosen.arguments}
    by = chosen.by.name if chosen.by else ""
    for argument in arguments:
        typed = ctx.get_parameter_source(argument.name) is ParameterSource.COMMANDLINE
        typed = typed and ctx.params.get(argument.name) != ()  # click 8.2 counts an empty list of words as typed
        if argument.name not in allowed and argument.name != by and typed:
            if chosen.by is None:
                raise click.UsageError(f"{argument.flag} goes with {_needed(verb, argument)}.", ctx)
            name = argument.name.upper() if argument.positional else argument.flag
            raise click.UsageError(f"{chosen.by.flag} cannot be combined with {name}.", ctx)
    for argument in arguments:
        if argument.positional and _is_empty(argument, values[argument.name]):
            raise InputError(f"{argument.name.upper()} is empty.", f"Example: {verb.example.splitlines()[0]}")
    for argument in chosen.arguments:
        if argument.required and not values.get(argument.name):
            raise click.MissingParameter(ctx=ctx, param=_parameter(argument, verb))


def _is_empty(argument: Argument, value: Any) -> bool:
    """Whether a typed text has no characters, or one in a list has none. The words of a sentence count together."""
    if argument.kind == "words":
        return bool(value) and not " ".join(value).strip()
    return any(isinstance(each, str) and not each.strip() for each in (value if argument.many else [value]))


def _needed(verb: Verb, argument: Argument) -> str:
    """The option that an argument of a mode needs."""
    return next(mode.by.flag for mode in verb.modes if mode.by and mode.has(argument.name))


def _parsed(argument: Argument, value: Any) -> Any:
    if argument.kind == "words":
        value = " ".join(value) or None
    return argument.parse(value) if argument.parse and value is not None else value


def _parameter(argument: Argument, verb: Verb) -> click.Parameter:
    """A click argument or option."""
    metavar = argument.metavar or DEFAULT_METAVARS.get(argument.kind)
    if argument.positional:
        many = argument.many or argument.kind == "words"
        required = argument.required and all(mode.has(argument.name) for mode in verb.modes)
        return click.Argument(
            [argument.name], type=_type(argument), nargs=-1 if many else 1, required=required,
            default=argument.default, metavar=metavar,
        )  # fmt: skip
    if argument.kind == "flag":
        on_off = bool(argument.flags and "/" in argument.flags[0])
        default = None if on_off else False
        return click.Option([*_flags(argument), argument.name], is_flag=True, default=default, help=argument.help)
    return click.Option(
        [*_flags(argument), argument.name], type=_type(argument), multiple=argument.many, required=argument.required,
        default=argument.default, show_default=bool(argument.default) and "[default:" not in argument.help,
        help=argument.help, envvar=argument.env or None, metavar=metavar,
    )  # fmt: skip


def _flags(argument: Argument) -> tuple[str, ...]:
    return argument.flags or (argument.flag,)


def _type(argument: Argument) -> Any:
    match argument.kind:
        case "integer":
            return click.IntRange(None if argument.least is None else int(argument.least))
        case "number":
            return float
        case "choice":
            return click.Choice(argument.choices)
        case "time":
            return moment
        case "end":
            return last_moment
    return str
