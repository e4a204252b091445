"""What is new in a transcript → turns in the memory. Taken twice, it is there once."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from aforesaid.errors import InputError
from aforesaid.hosts.types import HookOwner, Host, HostEvent
from aforesaid.importers.formats.growing_file import ReadPosition, new_lines
from aforesaid.importers.formats.items import ImportedItem, ImportOptions
from aforesaid.memory import Memory
from aforesaid.store.protocols import Slot, ValueKind
from aforesaid.types import Filter, Turn, owner_of


def take_new(memory: Memory, host: Host, event: HostEvent, who: HookOwner) -> set[str]:
    """Store what the transcript says since the last look, and how far that was; the sessions that have something new.

    Batch by batch: when time runs out, the next look goes on behind the last batch that is on disk.
    """
    if event.transcript is None or not event.transcript.is_file():
        return set()
    slot = mark_slot(memory, event, who)
    mark = ReadPosition.parse(memory.store.values.get(slot))
    parser = host.parser(event.session, ImportOptions(memory.settings.imports.tool_chars))
    longest = memory.settings.ingest.max_text_chars
    waiting: list[Turn] = []
    sessions: set[str] = set()
    last = mark
    for line in new_lines(event.transcript, mark, parser, who.project):
        last = line.position
        found = (item.content for item in line.items if isinstance(item, ImportedItem))
        waiting += [turn for turn in found if isinstance(turn, Turn) and len(turn.text) <= longest]
        if len(waiting) >= memory.settings.ingest.batch:
            sessions |= _stored(memory, host, waiting, HookOwner(who.user, last.project))
            memory.store.values.put(slot, last.dump())
            waiting = []
    if last is not None and last != mark:
        sessions |= _stored(memory, host, waiting, HookOwner(who.user, last.project))
        memory.store.values.put(slot, last.dump())
    return sessions


def mark_slot(memory: Memory, event: HostEvent, who: HookOwner) -> Slot:
    """Where the position in an event's transcript is kept. The name is a digest: it reveals no path and no user.

    It has no owner, so it outlives `forget`: forgotten turns are not read again from the transcript.
    """
    whose = f"{owner_of('user', who.user, None)}\x1f{event.transcript and event.transcript.resolve()}"
    digest = blake2b(whose.encode(errors="surrogatepass"), digest_size=16).hexdigest()
    return Slot(ValueKind.POSITION, memory.tenant, name=f"hook/{digest}")


def _stored(memory: Memory, host: Host, turns: Sequence[Turn], who: HookOwner) -> set[str]:
    new = _unknown(memory, host, turns, who)
    try:
        _ingest(memory, host, new, who)
    except InputError:
        for turn in new:  # one of them is to blame
            try:
                _ingest(memory, host, [turn], who)
            except InputError:
                continue  # stored before with other words, or nothing that can be stored: the rest goes on
    return {turn.session for turn in new}


def _ingest(memory: Memory, host: Host, turns: Sequence[Turn], who: HookOwner) -> None:
    if turns:
        memory.ingest(turns, user=who.user, project=who.project, agent=host.name)


def _unknown(memory: Memory, host: Host, turns: Sequence[Turn], who: HookOwner) -> list[Turn]:
    """The turns that are not here, under whatever project: an import may have come first.

    Where ids are unique they are in no session either: a fork of a session repeats what was said before it.
    """
    if not turns:
        return []
    mine = Filter(memory.tenant, (owner_of("user", who.user, None),), ids=tuple(turn.id for turn in turns), echoes=True)
    known = memory.store.find(mine)
    if host.unique_ids:
        ids = {record.id for record in known}
        return [turn for turn in turns if turn.id not in ids]
    named = {(record.session, record.id) for record in known if record.project != who.project}
    return [turn for turn in turns if (turn.session, turn.id) not in named]
