"""Stores the new turns of a transcript. Reading it again stores nothing twice."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from hashlib import blake2b

from aforesaid.engine.door import guarded_store
from aforesaid.errors import InputError
from aforesaid.hosts.hook import HookOptions
from aforesaid.hosts.types import Host, HostEvent
from aforesaid.importers.formats.growing_file import ReadPosition, new_lines
from aforesaid.importers.formats.items import ImportOptions
from aforesaid.memory import Memory
from aforesaid.store.protocols import Slot, ValueKind
from aforesaid.text.extract.reader import Readers
from aforesaid.types import Filter, Turn, owner_of


def store_new_turns(memory: Memory, host: Host, event: HostEvent, who: HookOptions) -> set[str]:
    """Store the turns that were added since the last event. Returns the sessions that have new turns.

    The position is saved after each batch, so that the next event continues there when the time runs out.
    """
    if event.transcript is None or not event.transcript.is_file():
        return set()
    slot, values = _position_slot(memory, event, who), guarded_store(memory.store, Readers()).values
    start = ReadPosition.parse(memory.store.values.get(slot))
    parser = host.parser(event.session, ImportOptions(memory.settings.imports.tool_chars))
    rows = memory.settings.ingest
    batch: list[Turn] = []
    sessions: set[str] = set()
    last = start
    for line in new_lines(event.transcript, start, parser, who.project):
        last = line.position
        batch += [item for item in line.items if isinstance(item, Turn) and len(item.text) <= rows.max_text_chars]
        if len(batch) >= rows.batch:
            sessions |= _store(memory, host, batch, replace(who, project=last.project))
            values.put(slot, last.dump())
            batch = []
    if last is not None and last != start:
        sessions |= _store(memory, host, batch, replace(who, project=last.project))
        values.put(slot, last.dump())
    return sessions


def _position_slot(memory: Memory, event: HostEvent, who: HookOptions) -> Slot:
    """Where the position in an event's transcript is kept. The name is a digest: it reveals no path and no user.

    It has no owner, so it outlives `forget`: forgotten turns are not read again from the transcript.
    """
    whose = f"{owner_of('user', who.user, None)}\x1f{event.transcript and event.transcript.resolve()}"
    digest = blake2b(whose.encode(errors="surrogatepass"), digest_size=16).hexdigest()
    return Slot(ValueKind.POSITION, memory.tenant, name=f"hook/{digest}")


def _store(memory: Memory, host: Host, turns: Sequence[Turn], who: HookOptions) -> set[str]:
    """Store the turns that are not stored yet. One that cannot be stored does not stop the others."""
    new = _not_stored(memory, host, turns, who)
    if not new:
        return set()
    store = partial(memory.ingest, user=who.user, project=who.project, agent=host.name)
    try:
        store(new)
    except InputError:
        for turn in new:
            with suppress(InputError):  # for example, stored before with other words
                store([turn])
    return {turn.session for turn in new}


def _not_stored(memory: Memory, host: Host, turns: Sequence[Turn], who: HookOptions) -> list[Turn]:
    """The turns that are not stored in any project, because an import may have stored them under another.

    Where ids are unique, a turn that is stored in any session is not new: a fork repeats the messages before it.
    """
    if not turns:
        return []
    mine = Filter(memory.tenant, (owner_of("user", who.user, None),), ids=tuple(turn.id for turn in turns), echoes=True)
    stored = memory.store.find(mine)
    if host.unique_ids:
        ids = {record.id for record in stored}
        return [turn for turn in turns if turn.id not in ids]
    elsewhere = {(record.session, record.id) for record in stored if record.project != who.project}
    return [turn for turn in turns if (turn.session, turn.id) not in elsewhere]
