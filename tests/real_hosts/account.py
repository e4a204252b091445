"""A real session told so that people can read it, with the times that were seen; kept where AFORESAID_TRANSCRIPTS says."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from real_hosts.home import Home
from real_hosts.story import TOLD
from real_hosts.visit import HookRun, Visit

VARIABLE = "AFORESAID_TRANSCRIPTS"
MOST = 700  # characters of one thing that was said


def keep(name: str, home: Home, visits: Iterable[Visit]) -> None:
    """Write the account and its numbers into the folder that was asked for; without one, nothing."""
    if VARIABLE not in os.environ:
        return
    folder, visits = Path(os.environ[VARIABLE]), list(visits)
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f"# {name}", "", *(line for number, visit in enumerate(visits, 1) for line in told(number, visit))]
    lines += ["## hook.log", "", "```text", home.log().strip(), "```", "", "## In the store afterwards", ""]
    lines += [f"- {each['kind']} {each['role'] or ''}: {short(each['text'])}" for each in home.records()]
    text = "\n".join(lines).replace(str(home.folder), "~")
    (folder / f"{name}.md").write_text(text + "\n", encoding="utf-8")
    times = json.dumps([numbers(visit) for visit in visits], indent=1)
    (folder / f"{name}.json").write_text(times + "\n", encoding="utf-8")


def told(number: int, visit: Visit) -> Iterator[str]:
    """One prompt and what came of it."""
    yield f"## {number}. {visit.prompt}"
    connected = f", the server was connected after {visit.connected_ms} ms" if visit.connected_ms else ""
    yield f"\nSession `{visit.session}`, {visit.seconds:.1f} s; the model was asked after {visit.asked_ms} ms{connected}."
    yield f"The server's instructions were in the first request: {'yes' if TOLD in visit.told[0] else 'no'}.\n"
    yield from (hooked(hook) for hook in visit.hooks)
    if visit.added:
        yield f"\nWhat the hook added to the prompt, as the model got it:\n\n```text\n{short(visit.added)}\n```"
    for tool in visit.tools:
        yield f"\nThe model called `{tool.tool}({tool.arguments})` and got, {tool.took_ms} ms later:\n"
        yield f"```json\n{short(tool.result)}\n```"
    yield f"\nIt answered: {visit.answer}\n"


def hooked(hook: HookRun) -> str:
    """A hook, and who says how long it took: the agent sees the whole process, our log begins behind its imports."""
    seen = "by our own log" if hook.code is None else f"seen by the agent, exit code {hook.code}"
    return f"- hook {hook.event}: {hook.took_ms} ms, {seen}"


def numbers(visit: Visit) -> dict[str, object]:
    """The times alone, in milliseconds."""
    return {
        "whole": round(visit.seconds * 1000),
        "connected": visit.connected_ms,
        "model asked": visit.asked_ms,
        "hooks": {hook.event: hook.took_ms for hook in visit.hooks},
        "tools": {tool.tool: tool.took_ms for tool in visit.tools},
    }


def short(text: str) -> str:
    """The beginning of a text."""
    return text if len(text) <= MOST else f"{text[:MOST]} … ({len(text)} characters)"
