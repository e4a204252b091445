"""MCP tools made from the table of verbs: their parameters, how a call becomes a call of the memory, special tools."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal, NotRequired, get_args

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult
from pydantic import Field, WithJsonSchema
from typing_extensions import TypedDict

from aforesaid.context.neutralize import neutralised_line
from aforesaid.errors import DeniedError, NotFoundError
from aforesaid.memory.lookup import SAFE_CHARS, choose, not_found
from aforesaid.surfaces.mcp.answers import CHANGE, SHAPES, filled, typed
from aforesaid.surfaces.mcp.caller import ToolCall
from aforesaid.surfaces.verbs import all_tools
from aforesaid.surfaces.verbs.declare import Argument, Grant, Kind, Tool, ToolForm, Verb
from aforesaid.types import KINDS, IngestReport, Record, Turn, as_time

TURN_CHARS = 16  # of the digest that names a turn without an id
MOST_CANDIDATES = 1000  # counted in a status
ALL = 1 << 30
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

TOOLS = all_tools()


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
    """The parameters and the answer as the SDK reads them.

    None is a union: an optional parameter has a default of its own type.
    """
    parameters = [_parameter(argument, form) for argument, form in _arguments(verb)]
    if trusted:  # the client may name the user and the project
        parameters += [_keyword(name, Annotated[str, Field(description=text)], "") for name, text in WHO.items()]
    parameters.append(_keyword("ctx", Context))
    answer = Annotated[CallToolResult, typed(tool.answer, SHAPES[tool.answer])]
    return inspect.Signature(parameters, return_annotation=answer)


def run(verb: Verb, tool: Tool, call: ToolCall, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Run a tool for a caller."""
    values = {each.name: _given(each, arguments[form.name or each.name]) for each, form in _arguments(verb)}
    if names := _names(values.get(tool.owned)):
        owned = [check_owned(call, name, values.get("session")).key for name in names]
        values[tool.owned] = owned if isinstance(values[tool.owned], tuple | list) else owned[0]
    chosen = verb.mode_for(values)
    values = {**chosen.own_values(values), **tool.fixed}
    values |= {name: getattr(call, name) for name in WHO if chosen.has(name)}
    if tool.run:
        found = SPECIAL[tool.run](call, **{name: value for name, value in values.items() if value is not None})
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


# Tools that need more than one call of the memory. Each gets the caller and the values, and returns the result.


def get(call: ToolCall, id: str, **where: Any) -> dict[str, Any]:  # noqa: A002 - the name in the schema
    """A record with its versions."""
    record = call.memory.get(id, **where)
    return {"record": record, "versions": call.memory.history(record.key, **where)}


def ingest(call: ToolCall, session: str, turns: Sequence[Mapping[str, str]], **who: Any) -> IngestReport:
    """Store turns and report progress."""
    return call.memory.ingest([_turn(session, each) for each in turns], progress=call.progress, **who)


def _turn(session: str, sent: Mapping[str, str]) -> Turn:
    """A turn; without an id its name is a digest of its text, so that the same turn is stored once."""
    role, text, time = sent["role"], sent["text"], sent.get("time", "")
    content = "\x1f".join((role, text, time)).encode("utf-8", "replace")
    name = sent.get("id", "") or f"turn-{hashlib.blake2b(content, digest_size=TURN_CHARS // 2).hexdigest()}"
    return Turn(name, session, role, text, as_time(time) if time else None)


def status(call: ToolCall, **who: Any) -> dict[str, Any]:
    """What the caller can see, and what this connection may do."""
    memory = call.memory
    where = memory.where(**who)
    kinds = {kind: memory.store.count(memory.where(**who, kinds=(kind,))) for kind in KINDS}
    adopted = memory.policy.current()
    spaces = [space.name for space in memory.store.spaces() if space.active]
    return {
        "user": call.user or "",
        "project": call.project or "",
        "purpose": where.purpose or "",
        "may": sorted(call.grants),
        "records": memory.store.count(where),
        "kinds": {kind: number for kind, number in kinds.items() if number},
        "candidates": len(memory.governance.candidates(**who, limit=MOST_CANDIDATES)),
        "policy": neutralised_line(adopted.version) if adopted else "",
        "embedder": spaces[0] if spaces else "",
        "problem": memory.documents.problem(**who),
    }


def policy(call: ToolCall, proposal: str = "", apply: bool = False) -> dict[str, Any]:
    """The policy in force, or what a proposal changes."""
    report = None
    if proposal:
        call.needs("admin")  # how many records match a rule tells what the records of others say
        report = call.memory.policy.apply(proposal, dry_run=not apply, by="mcp", progress=call.progress)
    adopted = call.memory.policy.current()
    return {
        "version": neutralised_line(adopted.version) if adopted else "",
        "text": "" if report else policy_text(call),
        "applied": report is not None and report.adopted is not None,
        "changes": [filled(CHANGE, each) for each in report.changes] if report else [],
        "warnings": [neutralised_line(each) for each in report.warnings] if report else [],
        **{name: getattr(report, name, 0) for name in ("withheld", "released", "unclean")},
    }


def policy_text(call: ToolCall) -> str:
    """The policy in force as YAML; empty when there is none."""
    from aforesaid.policy.write import write_policy

    adopted = call.memory.policy.current()
    return write_policy(adopted.policy) if adopted else ""


SPECIAL: Mapping[str, Callable[..., Any]] = {"get": get, "ingest": ingest, "status": status, "policy": policy}


def check_owned(call: ToolCall, name: str, session: str | None = None) -> Record:
    """The record of this name, unless it is a global one: only a person may end or delete those."""
    record = _seen(call, name, session)
    if record.scope == "global":
        raise DeniedError(
            f"{name!r} is shared with everybody; a model may not end or delete it.",
            "A person can, with `aforesaid rollback` or `aforesaid forget`.",
        )
    return record


def _seen(call: ToolCall, name: str, session: str | None) -> Record:
    try:
        seen = [call.memory.get(name, **call.owner, session=session)]
    except NotFoundError:
        seen = call.memory.governance.candidates(user=call.user, project=call.project, limit=ALL)
    record = choose(seen, name)
    if record is None:
        raise not_found(name, SAFE_CHARS)
    return record
