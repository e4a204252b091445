"""What a prompt's cache sees: most of a context is the same as the turn before."""

from __future__ import annotations

import random
from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path

import pytest

from aforesaid.embed.hashing import HashEmbedder
from aforesaid.errors import StoreBusyError, StoreFullError
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.store.memory import DictStore
from aforesaid.store.sqlite import SQLiteStore
from aforesaid.types import Context, Turn
from support.clock import NOW

TOPICS = ["the kitchen in Lisbon", "the train to Kyoto", "the cat and its food", "the rent of the flat", "the garden"]


def talk(memory: Memory, session: str, number: int, chance: random.Random) -> None:
    said = f"{chance.choice(TOPICS)}, number {number}: {' '.join(chance.choices('abcdefgh', k=12))}"
    memory.ingest(
        [
            Turn(f"{session}u{number}", session, "user", f"Tell me of {said}", NOW + timedelta(minutes=2 * number)),
            Turn(f"{session}a{number}", session, "assistant", f"Well: {said}", NOW + timedelta(minutes=2 * number + 1)),
        ],
        user="ana",
    )


def leading(old: str, new: str) -> int:
    return next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))


def test_most_of_a_context_is_the_same_as_the_turn_before() -> None:
    memory = Memory(DictStore(), HashEmbedder(64), settings=Settings(), clock=lambda: NOW)
    chance = random.Random(1)
    for number in range(20):
        talk(memory, "before", number, chance)
    shares, reported, naive = [], [], []
    last = last_naive = ""
    for number in range(50):
        query = f"what about {chance.choice(TOPICS)}?"
        context = memory.assemble(query, user="ana", session="now", budget_tokens=1500)
        ranked = sorted(
            (item for item in context.trace if item.part == "recall" and item.taken), key=lambda i: -(i.score or 0)
        )
        texts = {record.key: record.text for record in context.records}
        tail = [said["content"] for said in context.messages if said["content"] not in context.recall]
        plain = "\n".join([*(texts[item.key] for item in ranked), *tail[-8:]])
        if last:
            shares.append(leading(last, context.text) / len(context.text))
            naive.append(leading(last_naive, plain) / max(len(plain), 1))
            reported.append(context.kept_tokens / context.tokens)
        last, last_naive = context.text, plain
        talk(memory, "now", number, chance)
    mean, told, plainly = (sum(values) / len(values) for values in (shares, reported, naive))
    assert mean > 0.5 > plainly * 2, (mean, plainly)
    assert told == pytest.approx(mean, abs=0.08), "what is reported is what is there"


def test_what_stays_relevant_keeps_its_place(memory: Memory) -> None:
    memory.ingest(
        [Turn(f"{i}", f"s{i}", "user", f"Lisbon note {i}", NOW + timedelta(days=i)) for i in range(4)], user="ana"
    )
    first = memory.assemble("Lisbon note", user="ana", session="now", budget_tokens=600)
    memory.ingest([Turn("older", "s9", "user", "Lisbon note from long ago", NOW - timedelta(days=9))], user="ana")
    second = memory.assemble("Lisbon note", user="ana", session="now", budget_tokens=600)
    assert second.recall.startswith(first.recall.rsplit("\n", 1)[0]), "what is new comes last"
    assert "long ago" in second.recall


def shown_turns(context: Context) -> list[str]:
    return [item.id for item in context.trace if item.part == "tail" and item.taken]


def test_a_larger_budget_shows_more_recent_turns_again(memory: Memory) -> None:
    chance = random.Random(2)
    for number in range(60):
        talk(memory, "now", number, chance)

    def ask(budget: int, session: str | None = "now") -> Context:
        return memory.assemble("the garden", user="ana", session=session, budget_tokens=budget)

    small = ask(600)
    assert shown_turns(ask(600)) == shown_turns(small), "an equal budget keeps the tail"
    large = ask(32_000)
    assert len(shown_turns(small)) < 20 and len(shown_turns(large)) == 120, "all 120 turns fit 8,000 tokens"
    talk(memory, "now", 60, chance)
    again = ask(32_000)
    assert shown_turns(again)[:120] == shown_turns(large)
    assert again.kept_tokens > 0.9 * large.tokens, "an equal budget keeps the prompt cache"
    less = ask(20_000)
    assert shown_turns(less) == shown_turns(again), "a smaller budget keeps the tail while it fits"
    assert less.kept_tokens > 0.9 * again.tokens


class Broken(DictStore):
    """Fails as a full or locked disk does."""

    reads = writes = True

    def find(self, *args: object, **options: object) -> list:  # type: ignore[override, type-arg]
        if not self.reads:
            raise StoreBusyError("The store is locked.", "Try again.")
        return super().find(*args, **options)  # type: ignore[arg-type]

    def transaction(self) -> AbstractContextManager[None]:
        if not self.writes:
            raise StoreFullError("The disk is full.", "Make room.")
        return super().transaction()


def test_a_store_that_fails_leaves_the_callers_messages() -> None:
    store = Broken()
    memory = Memory(store, HashEmbedder(64), settings=Settings(), clock=lambda: NOW)
    memory.ingest([Turn("1", "s", "user", "I moved to Lisbon.", NOW)], user="ana")
    own = [{"role": "user", "content": "Where do I live?"}]

    def ask() -> Context:
        return memory.assemble("Lisbon", user="ana", session="t", budget_tokens=300, messages=own)

    whole = ask()
    assert "Lisbon" in whole.recall
    assert list(whole.messages)[-1:] == own
    store.writes = False
    unnoted = ask()
    assert "Lisbon" in unnoted.recall
    assert unnoted.degraded == "not noted as shown: The disk is full."
    store.reads = False
    bare = ask()
    assert (bare.recall, list(bare.messages)) == ("", own)
    assert bare.degraded == "memory is out of reach: The store is locked. Try again."
    assert bare.freshness is None


def test_a_file_that_is_gone_leaves_the_callers_messages(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "m.db")
    memory = Memory(store, HashEmbedder(64), settings=Settings(), clock=lambda: NOW)
    memory.ingest([Turn("1", "s", "user", "I moved to Lisbon.", NOW)], user="ana")
    store.close()
    (tmp_path / "m.db").write_bytes(b"not a database at all" * 500)
    context = memory.assemble("Lisbon", user="ana", messages=[{"role": "user", "content": "hi"}])
    assert list(context.messages) == [{"role": "user", "content": "hi"}]
    assert "memory is out of reach" in context.degraded


def test_own_messages_are_not_repeated_from_the_tail(memory: Memory) -> None:
    memory.ingest([Turn("1", "s", "user", "Hello there.", NOW), Turn("2", "s", "assistant", "Hi!", NOW)], user="ana")
    context = memory.assemble(
        "hello", user="ana", session="s", messages=[{"role": "assistant", "content": "Hi!"}], budget_tokens=200
    )
    assert [m["content"] for m in context.messages] == ["Hello there.", "Hi!"]
