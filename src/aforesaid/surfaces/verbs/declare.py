"""What a verb is: one row that the command line, the MCP tools, the reference pages and the tests are made from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal

from aforesaid.surfaces.formats.values import to_json

if TYPE_CHECKING:
    from aforesaid.memory import Memory

Grant = Literal["read", "write", "admin"]
Effect = Literal["none", "notes", "adds", "destroys", "governs"]
Kind = Literal["text", "words", "integer", "number", "flag", "choice", "time", "end", "turns"]
Opens = Literal["make", "existing", "nothing"]

DEFAULT_METAVARS: Mapping[Kind, str] = {"integer": "N", "number": "N", "time": "TIME", "end": "TIME"}


@dataclass(frozen=True, slots=True)
class ToolForm:
    """How an argument differs in an MCP tool. Empty fields mean: as in the `Argument`."""

    help: str = ""
    name: str = ""
    default: Any = None
    choices: tuple[str, ...] = ()
    least: int = 0  # the smallest number, or the shortest text or list
    most: int = 0  # the largest number, or the longest text or list
    required: bool = False


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a verb. Its name is the name of the parameter of the `Memory` method.

    A `positional` argument has no flag on the command line. A `view` argument changes only what is shown and is not
    passed to `Memory`. `parse` turns the typed value into what the method takes. Without a `tool` form the MCP tool
    does not have the argument. The kind `words` joins several words to one text; `end` is a time where a date alone
    means the end of that day.
    """

    name: str
    help: str = ""
    kind: Kind = "text"
    default: Any = None
    required: bool = False
    positional: bool = False
    many: bool = False
    view: bool = False
    choices: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    metavar: str = ""
    least: float | None = None
    env: str = ""
    parse: Callable[[Any], Any] | None = None
    tool: ToolForm | None = None

    @property
    def flag(self) -> str:
        """How the command line calls it."""
        return self.flags[0] if self.flags else f"--{self.name.replace('_', '-')}"


@dataclass(frozen=True, slots=True)
class View:
    """What a formatter knows beside the result: the arguments, the store, the tenant and the width of a line."""

    given: Mapping[str, Any] = field(default_factory=dict)
    store: str = ""
    tenant: str = ""
    columns: int = 100


@dataclass(frozen=True, slots=True)
class Tool:
    """The MCP tool of a verb: what a model reads about it, and what it answers.

    `answer` names a shape of `surfaces.mcp.answers`. `owned` names the argument whose records must not be shared with
    everybody. `fixed` holds values that the model cannot choose. `run` names a special tool of `surfaces.mcp.tools`
    that replaces the plain call of the verb.
    """

    description: str
    answer: str
    name: str = ""
    minimal: bool = False
    repeatable: bool = True
    owned: str = ""
    fixed: Mapping[str, Any] = field(default_factory=dict)
    run: str = ""


@dataclass(frozen=True, slots=True)
class Verb:
    """One public verb.

    `method` is the dotted path of the `Memory` method; `call` replaces a plain call of it where the arguments need
    work. `each` names a repeated argument: the method is called once for each value. `modes` are verbs that share this
    verb's command and are chosen by an option (`by`). `command` names a function of `surfaces.cli` that runs the verb
    on the command line in place of the general one. `embeds` says whether vectors are compared or made, or
    which argument makes it so. Without `to_text` the text is made from the JSON form. `note` is shown on stderr;
    `fails` decides on exit code 1.
    """

    name: str
    method: str
    summary: str
    details: str = ""
    arguments: tuple[Argument, ...] = ()
    example: str = ""
    grant: Grant = "read"
    effect: Effect = "none"
    to_json: Callable[[Any, View], Any] = lambda found, view: to_json(found)
    to_text: Callable[[Any, View], str] | None = None
    note: Callable[[Any, View], str] | None = None
    fails: Callable[[Any, View], bool] | None = None
    call: Callable[..., Any] | None = None
    each: str = ""
    modes: tuple[Verb, ...] = ()
    by: Argument | None = None
    opens: Opens = "existing"
    embeds: bool | str = False
    progress: str = ""
    command: str = ""
    on_command_line: bool = True
    tool: Tool | None = None

    @property
    def help(self) -> str:
        """The whole help text."""
        return f"{self.summary} {self.details}".strip()

    @property
    def tool_name(self) -> str:
        """How MCP clients call it."""
        return self.tool.name if self.tool and self.tool.name else f"memory_{self.name}"

    def has(self, name: str) -> bool:
        """Whether there is an argument of this name."""
        return any(argument.name == name for argument in self.arguments)

    def all_arguments(self) -> Iterator[Argument]:
        """Its own arguments, then the option that chooses each mode and the arguments that only the mode has."""
        seen: set[str] = set()
        for verb in (self, *self.modes):
            for argument in (*((verb.by,) if verb.by else ()), *verb.arguments):
                if argument.name not in seen:
                    seen.add(argument.name)
                    yield argument

    def mode_for(self, values: Mapping[str, Any]) -> Verb:
        """The mode that these values ask for; this verb when they ask for none."""
        return next((mode for mode in self.modes if mode.by and values.get(mode.by.name)), self)

    def own_values(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The values of its own arguments. The option that chooses a mode counts if it holds more than yes or no."""
        names = {argument.name for argument in self.arguments}
        names |= {self.by.name} if self.by and self.by.kind != "flag" else set()
        return {name: value for name, value in values.items() if name in names}

    def run(self, memory: Memory, values: Mapping[str, Any], **more: Any) -> Any:
        """Call the method. What was not given keeps the method's own default."""
        views = {argument.name for argument in self.arguments if argument.view}
        given = {name: value for name, value in values.items() if name not in views and value not in (None, ())}
        call = partial(self.call, memory) if self.call else attrgetter(self.method)(memory)
        if self.each:
            return [call(**{**given, self.each: value}, **more) for value in given.pop(self.each, ())]
        return call(**given, **more)
