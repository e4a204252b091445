"""MCP tools made from the table of verbs: their parameters, and how a call becomes a call of the memory."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, NotRequired, get_args

from pydantic import Field, WithJsonSchema
from typing_extensions import TypedDict

from aforesaid.surfaces.mcp import special
from aforesaid.surfaces.mcp.answers import SHAPES, filled, typed
from aforesaid.surfaces.mcp.caller import ToolCall
from aforesaid.surfaces.verbs import all_verbs
from aforesaid.surfaces.verbs.declare import Argument, Grant, Kind, Tool, ToolForm, Verb

Profile = Literal["minimal", "full"]
PROFILES: tuple[Profile, ...] = get_args(Profile)
TYPES: Mapping[Kind, Any] = {"integer": int, "number": float, "flag": bool}  # everything else is a text
WHO = {
    "user": "The user whose memory to use; leave empty for the usual one.",
    "project": "The project; leave empty for the usual one.",
}


class TurnIn(TypedDict):
    """A turn as a model sends it."""

    role: str
    text: str
    time: NotRequired[str]
    id: NotRequired[str]


ONE_TURN = {
    "type": "object",
    "properties": {
        "role": {"type": "string", "description": "user, assistant, tool or system."},
        "text": {"type": "string", "description": "What was said."},
        "time": {"type": "string", "description": "When; now if left out."},
        "id": {"type": "string", "description": "A name; made from the text if left out."},
    },
    "required": ["role", "text"],
}

TOOLS = [(verb, verb.tool) for verb in all_verbs() if verb.tool is not None]
TOOLS.sort(key=lambda row: not row[1].minimal)


def offered(profile: Profile, grants: Iterable[Grant]) -> list[tuple[Verb, Tool]]:
    """The tools of a profile that a caller with these grants may use."""
    granted = set(grants)
    return [(verb, tool) for verb, tool in TOOLS if (profile == "full" or tool.minimal) and verb.grant in granted]


def hints(verb: Verb, tool: Tool) -> dict[str, bool]:
    """The annotations of the protocol."""
    return {
        "readOnlyHint": verb.effect == "none",
        "destructiveHint": verb.effect in ("destroys", "governs"),
        "idempotentHint": tool.repeatable,
        "openWorldHint": False,
    }


def signature(verb: Verb, tool: Tool, trusted: bool) -> inspect.Signature:
    """The parameters as the SDK reads them. None is a union: an optional one has a default of its own type."""
    parameters = [_parameter(argument, form) for argument, form in _arguments(verb)]
    if trusted:  # the client may name the user and the project
        parameters += [_keyword(name, Annotated[str, Field(description=text)], "") for name, text in WHO.items()]
    return inspect.Signature(parameters, return_annotation=typed(tool.answer, SHAPES[tool.answer]))


def run(verb: Verb, tool: Tool, call: ToolCall, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Run a tool for a caller."""
    values = {each.name: _given(each, arguments[form.name or each.name]) for each, form in _arguments(verb)}
    for name in _names(values.get(tool.owned)):
        special.check_owned(call, name, values.get("session"))
    chosen = verb.chosen(values)
    values = {**chosen.taken(values), **tool.fixed}
    values |= {name: getattr(call, name) for name in WHO if chosen.has(name)}
    if tool.run:
        found = getattr(special, tool.run)(call, **{name: value for name, value in values.items() if value is not None})
    else:
        found = chosen.run(call.memory, values)
    return filled(SHAPES[tool.answer], found)


def _arguments(verb: Verb) -> list[tuple[Argument, ToolForm]]:
    return [(argument, argument.tool) for argument in verb.all_arguments() if argument.tool is not None]


def _given(argument: Argument, value: Any) -> Any:
    """None for an empty optional value."""
    return None if value in ("", ()) and not argument.required else value


def _names(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else value or ()


def _parameter(argument: Argument, form: ToolForm) -> inspect.Parameter:
    text = form.help or argument.help
    name = form.name or argument.name
    if argument.kind == "turns":
        bounds = {"minItems": form.least, "maxItems": form.most, "description": text}
        # Spelled out, because some hosts cannot read a reference to a definition.
        schema = WithJsonSchema({"type": "array", **bounds, "items": ONE_TURN})
        length = Field(min_length=form.least, max_length=form.most, description=text)
        return _keyword(name, Annotated[tuple[TurnIn, ...], length, schema])
    choices = form.choices or argument.choices
    kind: Any = Literal[choices] if choices else TYPES.get(argument.kind, str)
    kind = tuple[kind, ...] if argument.many else kind
    number = kind in (int, float)
    least, most = form.least or None, form.most or None
    limits: Any = {"ge": least, "le": most} if number else {"min_length": least, "max_length": most}
    annotation = Annotated[kind, Field(description=text, **limits)]
    if form.required or (argument.required and form.default is None):
        return _keyword(name, annotation)
    default = next((each for each in (form.default, argument.default) if each is not None), None)
    empty: Any = () if argument.many else False if kind is bool else ""
    return _keyword(name, annotation, empty if default is None else default)


def _keyword(name: str, annotation: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)
