"""Small stories through public verbs. Each takes settings and returns what a caller sees, piece by piece."""

from __future__ import annotations

import copy
import functools
import json
import math
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from aforesaid.embed.hashing import HashEmbedder
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.store.memory import DictStore
from aforesaid.store.protocols import Store
from aforesaid.types import Filter, Record, Scored, SearchResult, Turn
from samples.import_files import CLAUDE_CODE, claude
from support.clock import NOW, standing_clock
from support.loopback import Reply, Service, service

DAY = timedelta(days=1)
PROFILES = ("default", "libra", "libra-two-pass", "libra-single", "pce", "openclaw")
Scenario = Callable[[Settings], Iterable[Any]]


class PrefixEmbedder(HashEmbedder):
    """A hashing embedder whose prefixes are searched first, as with a Matryoshka model. It keeps how often it is asked."""

    matryoshka = True

    def __init__(self) -> None:
        super().__init__(320)
        self.calls: list[int] = []

    def embed(self, texts: Sequence[str]) -> Any:
        self.calls.append(len(texts))
        return np.stack([_embed(text) for text in texts]) if texts else super().embed(texts)


@functools.cache
def _embed(text: str) -> Any:
    return HashEmbedder(320).embed([text])[0]


def fresh(settings: Settings, store: Store | None = None, embedder: PrefixEmbedder | None = None) -> Memory:
    """A memory, empty without a store."""
    return Memory(store or DictStore(), embedder or PrefixEmbedder(), settings=settings, clock=standing_clock)


TALK = (
    ("trip", "user", "I moved to Lisbon in May 2025. My sister Rosa lives in Porto and works as a nurse there."),
    ("trip", "assistant", "Lisbon is lovely in May. Have you seen the castle on the hill yet?"),
    ("trip", "user", "Yes, on 3 May 2026 and again on 9 May 2026 at noon. The castle tickets cost 14 euros."),
    ("trip", "user", "How long was the train ride from Lisbon to Porto?"),
    ("trip", "assistant", "The train ride from Lisbon to Porto takes three hours."),
    ("trip", "user", "Before the train ride to Porto I bought a blue suitcase."),
    ("trip", "user", "After the castle visit I went to the tea house with Rosa."),
    ("tea", "user", "My favourite tea is sencha. I drink it every morning before work."),
    ("tea", "assistant", "Sencha is a green tea. It is brewed at 70 degrees."),
    ("tea", "user", "What is my favourite tea?"),
    ("tea", "user", "The tea house closes at noon on Sunday."),
    ("tea", "Melanie", "Melanie: I painted a sunrise over the lake in 2022."),
    ("tea", "Caroline", "Caroline: The sunrise you painted hangs in my kitchen. Did you paint the lake from the shore?"),
    ("tea", "Melanie", "Melanie: From the boat, with the old brushes."),
    ("work", "user", "Run bin/deploy.sh again, ERR_CONN_RESET is gone."),
    ("work", "user", "bin/deploy.sh: ERR_CONN_RESET, ERR_CONN_RESET."),
    ("work", "user", "The deploy script `bin/deploy.sh` fails with ERR_CONN_RESET on staging."),
    ("work", "user", "The deploy script works again after the certificate was renewed on 12 April 2026."),
    ("work", "user", "京都の電車は時間どおりです。"),
    ("work", "user", "電車の切符を京都で買いました。"),
    ("work", "user", "I love the castle tickets and the train and the tea, the tea, the tea."),
    ("work", "user", "The castle. The train ride was long, and I slept. My brother Tom carried the blue suitcase home."),
)  # fmt: skip
QUERIES = (
    "What is my favourite tea?",
    "How long was the train ride to Porto?",
    "How many days were there between the castle visit and the train ride?",
    "When did I buy the suitcase, before or after the tea house?",
    "Which came first, the castle tickets or the deploy script?",
    "since when does Rosa live in Porto, and how long has she known Tom?",
    "castle on 3 May 2026",
    "what did Melanie paint",
    "museum hall harbour plan visit",
    "tea is taxed in this country",
    "do you remember something about the tea and the harbour of NASA?",
    "what did you tell me about green tea?",
    "京都の電車",
    "`bin/deploy.sh` ERR_CONN_RESET",
    "tea",
    "I would like to know everything that was ever said about castles, trains, suitcases and tea houses in Porto or Lisbon",
    "what was that thing about the kettle and the tea house?",
    "do you remember something about bringing a suitcase?",
    "kettle",
    "zebra quantum",
)
CLAIMS = (
    ("fact", "The castle is closed on Mondays.", 200),
    ("fact", "The castle is closed on Tuesdays in winter.", 10),
    ("task", "Buy castle tickets for Rosa.", 20),
    ("preference", "Ana prefers the window seat on the train.", 60),
    ("policy_hint", "Never book a train before noon.", 300),
    ("preference", "Ana likes the tea house and its sencha tea.", 5),
)
PLACES = ("Lisbon", "Kyoto", "Porto", "Bergen")
SIGNALS = (
    "```\nx = 1\n```",
    "Look at src/app.py.",
    "The call load_rows(path) raises ValueError E1234 in src/app.py.",
    "It broke in commit 1f0c9a52d3b7, see src/app.py.",
    "def load(path):\n    return 1",
    "$ pip install requests==2.31",
    "See https://example.org/docs and GET /v1/users.",
    "Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\nKeyError: 'x'",
    "The sum is d41d8cd98f00b204e9800998ecf8427e.",
    "On 3 May 2026 my sister Rosa paid 14 euros.",
    "I prefer tea to coffee. I live in Lisbon.",
    "We decided to use Postgres, see src/db.py.",
    "The crash in src/app.py is fixed.",
    "Version 2.0 of src/app.py is released.",
    "Set LOG_LEVEL=debug in src/app.toml.",
    'class Row:\n    """A row."""\n    id: int\n\ndef test_row():\n    assert Row()',
    "@dataclass\nclass Row:\n    names: dict[str, list[int]]\n\nimport numpy as np",
    "hello there",
    "The file src/a.py " + "and then some more words that say little about it " * 20,
)
PII_POLICY = "version: '1'\nredact: [{detect: email}]\n"
GUIDE = """# Tea

- Warm the kettle before brewing tea.

> You should serve sencha tea in small cups at the tea house.

The [brewing notes](BREWING.md) tell more about tea and the castle.
"""
BREWING = "# Brewing\n\nSencha wants 70 degrees and two minutes in the pot, on 3 May as on 9 May.\n"
NOTES = {
    "MEMORY.md": "# Me\n\nAna drinks sencha tea.\n",
    "memory/topics/tea.md": "# Tea\n\nThe tea house keeps sencha tea and a kettle.\n\n" + "Leaves rest in tins. " * 120,
    "memory/2024-01-05.md": "# Log\n\nBought tea and a kettle at the tea house.\n",
    "memory/2026-05-30.md": "# Log\n\nThe castle tickets were wrong; `bin/deploy.sh` failed.\n",
    "extra.rst": "Tea in another format.\n",
}  # fmt: skip


RULES = """# House

- Never spend more than 300 euros.
- Answer in English.

You should be brief. You must name the source of every number.

> You should always offer tea.
"""


@functools.cache
def corpus() -> DictStore:
    """One memory of everything: sessions, claims with feedback, documents, notes, summaries and guidance."""
    memory = fresh(Settings())
    said = [Turn(f"t{i}", *turn, NOW - (60 - 2 * i) * DAY) for i, turn in enumerate(TALK)]
    plans = [f"Plan {i}: visit hall {i} of the old harbour museum, and have tea there." for i in range(60)]
    plans[3] = "From now on, always answer in Portuguese when I ask about tea."
    plans[4] = "From now on, never mention the harbour before noon."
    memory.ingest(
        [*said, *(Turn(f"p{i}", "plan", "user", text, NOW - (70 - i) * DAY) for i, text in enumerate(plans))],
        user="ana",
    )
    for i, (kind, text, age) in enumerate(CLAIMS):
        meta: dict[str, Any] = {"quality": 0.3} if i % 2 else {"entity": "castle"}
        claim = memory.remember(text, user="ana", type=kind, time=NOW - age * DAY, meta=meta)  # type: ignore[arg-type]
        for signal in ("helpful",) * (i % 3) + ("harmful",) * (i % 2):
            memory.feedback(claim.id, signal, user="ana", now=NOW - (20 + i) * DAY)  # type: ignore[arg-type]
    for day in ("Monday", "Tuesday", "Sunday"):
        memory.remember(f"The castle opens late on {day}.", user="ana", meta={"entity": "castle"}, time=NOW - 3 * DAY)
    memory.remember("The tea fund of the project is 40 euros.", user="ana", project="club", scope="project")
    memory.remember("Tea is taxed in this country.", scope="global", time=NOW - 5 * DAY)
    for name, text in (("GUIDE.md", GUIDE), ("BREWING.md", BREWING), ("RULES.md", RULES)):
        memory.documents.load(name, text=text, user="ana")
    memory.sessions.compact("plan", user="ana")
    with tempfile.TemporaryDirectory() as folder:
        memory.notes.index(written(Path(folder), NOTES), user="ana", name="notes")
    memory.calibration.measure_model()
    assert isinstance(memory.store, DictStore)
    return memory.store


def written(folder: Path, files: dict[str, str]) -> Path:
    """Write these files, with a time that stands still."""
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        os.utime(file, (NOW.timestamp(), NOW.timestamp()))
    return folder


def searched(
    profile: str, limit: int | None = 8, session: str | None = None, store: Callable[[], Store] = corpus
) -> Scenario:
    """Ask every question with one profile."""

    def run(settings: Settings) -> Iterator[Any]:
        memory = fresh(settings, store())
        for text in QUERIES:
            result = memory.search(
                text, user="ana", project="club", session=session, limit=limit, now=NOW, profile=profile
            )
            yield _seen(result)

    return run


def _seen(result: SearchResult) -> Any:
    return [(hit.record.id, hit.score) for hit in result.hits], result.recovered


def logged(settings: Settings) -> Any:
    """The events of a search."""
    memory = fresh(settings, copy.deepcopy(corpus()))
    memory.search("tea", user="ana", now=NOW, profile="pce")
    return [event.topic for event in memory.audit.events(limit=5)]


class Approximate(DictStore):
    """A store like an approximate index under a filter: it finds a ninth of what was asked for."""

    def text_search(self, terms: Sequence[str], where: Filter, limit: int) -> list[Scored]:
        return super().text_search(terms, where, limit)[: limit // 9]


class Unscored(DictStore):
    """A store that orders texts, but has no scores for them."""

    def text_search(self, terms: Sequence[str], where: Filter, limit: int) -> list[Scored]:
        return [Scored(hit.key, math.nan) for hit in super().text_search(terms, where, limit)]


@functools.cache
def copied(kind: type[DictStore]) -> DictStore:
    """The corpus in another kind of store."""
    store = kind()
    store.__dict__.update(copy.deepcopy(corpus()).__dict__)
    return store


def gated(settings: Settings) -> Any:
    """Messages with every signal, some of them repeated: what the gate says to each."""
    memory = fresh(settings)
    texts = [*SIGNALS, *(f"I take the train at 8:15 to work{'!' * (i % 3)}" for i in range(14)), *SIGNALS]
    memory.ingest([Turn(f"g{i}", "s", "user", text, NOW) for i, text in enumerate(texts)], user="ana")
    return memory.gate.log(user="ana", limit=999)


def ingested(settings: Settings) -> Any:
    """Messages, one of them an agent's echo, and what is stored of them."""
    embedder = PrefixEmbedder()
    memory = fresh(settings, embedder=embedder)
    memory.policy.apply(PII_POLICY)
    memory.ingest([Turn(f"i{i}", *turn, NOW - (60 - i) * DAY) for i, turn in enumerate(TALK)], user="ana")
    memory.ingest(
        [Turn("m1", "m", "user", "I live in Berlin.", NOW), Turn("m2", "m", "user", "I live in Rome now.", NOW)],
        user="ana",
    )
    memory.ingest([Turn("m3", "m", "user", "Write to rosa.lind@example.org about it.", NOW)], user="ana")
    memory.ingest([Turn("m4", "m", "user", "From now on, always answer in Portuguese.", NOW)], user="ana")
    memory.assemble("the train ride from Lisbon to Porto", user="ana", session="echo", now=NOW)
    echo = "Well: the train ride from Lisbon to Porto takes three hours."
    memory.ingest([Turn("e1", "echo", "assistant", echo, NOW)], user="ana")
    found = memory.search("Where do I live? The train ride was long.", user="ana", now=NOW)
    return _records(memory), embedder.calls, _seen(found)


def assembled(settings: Settings) -> Any:
    """Contexts of one session, turn by turn, and of small budgets."""
    memory = fresh(settings, copy.deepcopy(corpus()))
    russian = "Я купила билеты в замок и синий чемодан для сестры."
    memory.ingest(
        [Turn("a1", "trip", "user", russian, NOW), Turn("a2", "trip", "user", "京都の電車の切符。", NOW)], user="ana"
    )
    memory.documents.load("RULES.md", text=RULES + "\n- Keep the castle tickets.\n", user="ana")
    asked = [("tea and the harbour", None), ("castle tickets", None), ("tea", 300), ("tea", 120), ("the museum", 5000)]
    return [
        (context.text, context.tokens, context.trace, context.degraded)
        for query, budget in asked
        for context in [memory.assemble(query, user="ana", session="trip", budget_tokens=budget, now=NOW)]
    ]


def recalled(settings: Settings) -> Any:
    """What a hook adds to prompts."""
    memory = fresh(settings, copy.deepcopy(corpus()))
    prompts = ("Where did I buy the castle tickets?", "sencha tea house", "the deploy script fails on staging again")
    return [memory.recall(prompt, user="ana", session=f"r{i}").text for i, prompt in enumerate(prompts)]


def compacted(settings: Settings) -> Any:
    """A long session, summarised by a model that repeats what it was sent, and by our own extracts."""
    texts = [
        f"On day {i} I went to {PLACES[i % 4]} and paid {7 * i} euros for the train. It was long." for i in range(40)
    ]
    said = "On day 2 I went to Porto and paid 14 euros for the train. Rain fell over Bergen."
    with _chat_model(said) as model:
        memory = fresh(settings)
        memory.ingest([Turn(f"c{i}", "c", "user", text, NOW + i * DAY) for i, text in enumerate(texts)], user="ana")
        report = memory.sessions.compact("c", user="ana")
        more = [Turn(f"d{i}", "d", "user", text, NOW + i * DAY) for i, text in enumerate(texts)]
        after = memory.sessions.after_turn(more, user="ana")
        return report, after, memory.list(user="ana", kinds=["summary"], limit=99), model.paths, model.bodies


@contextmanager
def _chat_model(said: str) -> Iterator[Service]:
    def answer(path: str, body: Any) -> Reply:
        tokens = {"content": [{"token": "x", "logprob": -0.5}]}
        return Reply(body={"choices": [{"message": {"role": "assistant", "content": said}, "logprobs": tokens}]})

    with service(answer) as model:
        where = {"OPENAI_BASE_URL": f"{model.url}/v1", "OPENAI_API_KEY": "k", "OLLAMA_HOST": model.url}
        with mock.patch.dict(os.environ, where):
            yield model


def reworded(settings: Settings) -> Any:
    """A question that a chat model may put in other words."""
    with _chat_model("closed fortress days\nfortress opening hours") as model:
        memory = fresh(settings, corpus())
        found = memory.search("when can I not visit the castle?", user="ana", profile="openclaw", now=NOW)
        return _seen(found), model.paths, model.bodies


def governed(settings: Settings) -> Any:
    """Observations that expire, a saved list of memories, and feedback."""
    memory = fresh(settings)
    memory.governance.observe("The build takes nine minutes.", user="ana", time=NOW)
    claim = memory.remember("The castle is closed on Mondays.", user="ana", time=NOW, meta={"quality": 0.8})
    active = memory.activate("the castle", user="ana", now=NOW)
    steps = [("helpful", 1), ("helpful", 2), ("harmful", 30), ("outdated", 60)]
    reports = [memory.feedback(claim.id, signal, user="ana", now=NOW + day * DAY) for signal, day in steps]  # type: ignore[arg-type]
    swept = memory.governance.sweep(NOW + 40 * DAY)
    return active, reports, swept, memory.get(claim.id, user="ana"), _records(memory)


def indexed(settings: Settings) -> Any:
    """A folder of notes, and what a question finds there."""
    embedder = PrefixEmbedder()
    memory = fresh(settings, embedder=embedder)
    with tempfile.TemporaryDirectory() as folder:
        report = memory.notes.index(written(Path(folder), NOTES), user="ana", name="notes")
        queries = ("sencha tea", "tins", "castle tickets", "`bin/deploy.sh`")
        found = [memory.notes.search(query, user="ana", now=NOW) for query in queries]
    texts = [[(each.text, each.score, each.tokens, each.tier) for each in result.snippets] for result in found]
    return report.chunks, report.skipped, texts, embedder.calls


def imported(settings: Settings) -> Any:
    """A transcript of a coding agent with a long tool result."""
    memory = fresh(settings)
    with tempfile.TemporaryDirectory() as folder:
        lines = [
            *CLAUDE_CODE,
            claude(99, "user", [{"type": "tool_result", "tool_use_id": "toolu_9", "content": "long " * 2000}]),
        ]
        file = Path(folder) / "projects" / "shop" / "session.jsonl"
        file.parent.mkdir(parents=True)
        file.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
        memory.importers.run(folder, user="ana", format="claude-code")
    return [record.text for record in _records(memory)]


def calibrated(settings: Settings) -> Any:
    """Labels from feedback, and what they teach the rankings and the gate."""
    memory = fresh(settings, copy.deepcopy(corpus()))
    for query in QUERIES[:4]:
        hits = memory.search(query, user="ana", limit=8, now=NOW).hits
        for i, hit in enumerate(hits):
            signal = "helpful" if i < 3 else "harmful"
            memory.feedback(hit.record.id, signal, user="ana", query=query, now=NOW + i * DAY)
    fits = [memory.calibration.fit(user="ana", method=method, force=True) for method in ("isotonic", "platt")]  # type: ignore[arg-type]
    return fits, memory.gate.calibrate(user="ana", dry_run=True), _seen(memory.search("tea", user="ana", profile="pce"))


def opened(settings: Settings) -> Any:
    """A memory in a file, with the embedder that the settings name."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.db"
        Memory.open(path, settings=settings).close()
        path.chmod(0o644)
        with Memory.open(path, settings=settings, clock=standing_clock) as memory:
            memory.ingest([Turn("o1", "s", "user", "I drink tea.", NOW)], user="ana")
            found = memory.search("tea", user="ana", now=NOW)
            return memory.store.spaces(), _seen(found), path.stat().st_mode


def _records(memory: Memory) -> list[Record]:
    return sorted(memory.store.find(Filter(memory.tenant, echoes=True, withheld=True)), key=lambda each: each.key)
