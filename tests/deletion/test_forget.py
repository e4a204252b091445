"""What is forgotten is gone: from what can be found, and from every byte of every file, in every form of asking."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import settings as example_settings
from hypothesis import strategies as st

from aforesaid.deletion.forget import receipt_body
from aforesaid.embed.hashing import HashEmbedder
from aforesaid.engine.lineage import COVERS, EVIDENCE
from aforesaid.errors import InputError, NotFoundError
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.settings.rows import StoreRows
from aforesaid.store.protocols import Slot, ValueKind
from aforesaid.store.sqlite import SQLiteStore, schema
from aforesaid.types import Edge, EventFilter, Filter, Provenance, Record, Turn
from support.clock import NOW, standing_clock
from support.kills import killed_at_each_step
from support.requests import request_for

DAY = timedelta(days=1)
WHOLE = Filter(echoes=True, withheld=True)
TINY = StoreRows(synchronous="normal", segment_rows=16, sketch_from=0, lock_timeout_ms=500)


def mark(number: int) -> str:
    """A word that stands nowhere else, and that no stemmer changes."""
    return f"zqx{number:05d}vw"


def marks_in(folder: Path) -> set[str]:
    """Every mark in the bytes of any file: a search of its own, with nothing in common with the scanner."""
    found: set[str] = set()
    for file in folder.rglob("*"):
        if file.is_file():
            text = file.read_bytes().decode("latin-1").lower()
            parts = text.split("zqx")[1:]
            found |= {f"zqx{part[:7]}" for part in parts if part[5:7] == "vw" and part[:5].isdigit()}
    return found


def opened(path: Path, rows: StoreRows = TINY) -> Memory:
    return Memory(SQLiteStore(path, rows), HashEmbedder(32), settings=Settings(), clock=standing_clock)


@pytest.fixture
def store(path: Path) -> Iterator[Memory]:
    with opened(path) as memory:
        yield memory


def say(memory: Memory, *texts: str, user: str = "ana", session: str = "s1", first: int = 1) -> None:
    turns = [Turn(f"t{i}", session, "user", text, NOW - DAY + i * DAY / 1000) for i, text in enumerate(texts, first)]
    memory.ingest(turns, user=user)


def claim(memory: Memory, text: str, *evidence: Record, scope: str = "project") -> Record:
    """A claim with evidence, as distilling makes it."""
    made = memory.remember(text, user="ana", project="p", scope=scope)  # type: ignore[arg-type]
    keys = tuple(record.key for record in evidence)
    made = replace(made, provenance=Provenance("bo", "distill", keys))
    memory.store.put([made])
    memory.store.link([Edge(made.key, key, EVIDENCE, NOW) for key in keys])
    return made


def summary(memory: Memory, text: str, *sources: Record) -> Record:
    made = replace(
        sources[0], id=f"summary-{text}", kind="summary", text=text, role=None, provenance=Provenance("x", "extractive")
    )
    memory.store.put([made])
    memory.store.link([Edge(made.key, source.key, COVERS, NOW) for source in sources])
    return made


# Every form, on random corpora, against a model of its own

spoken = st.tuples(
    st.sampled_from(["ana", "bo", None]),
    st.sampled_from(["s1", "s2", "s3"]),
    st.integers(-40, 0),
    st.sampled_from(["likes tea in Lisbon", "paid 40 euros", "猫が好きです", "the build failed again"]),
)
forms = st.sampled_from(["ids", "user", "session", "before", "between", "query", "tenant"])


@example_settings(max_examples=25)
@given(st.lists(spoken, min_size=1, max_size=40), forms, st.integers(0, 39), st.booleans(), st.booleans())
# A record that is too long for a context: the log of that context holds only its owner.
@example([("bo", "s2", 0, "likes tea in Lisbon")], "ids", 0, False, True)
def test_every_form_leaves_no_byte(said: list[tuple], form: str, pick: int, backed_up: bool, long: bool) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with opened(folder / "m.db") as memory, closing(SQLiteStore(folder / "m.db", TINY)) as bystander:
            for number, (user, session, day, words) in enumerate(said):
                padding = " and so on and on" * 400 if long and number % 3 == 0 else ""
                text = f"{mark(number)} {words}{padding} {mark(number + 50)}."
                memory.ingest([Turn(f"t{number}", session, "user", text, NOW + day * DAY)], user=user)
            for user in ("ana", "bo"):
                memory.assemble("tea in Lisbon", user=user, session="s1", now=NOW)
            if backed_up:
                memory.maintenance.backup(folder / "copy.db")
            bystander.count(WHOLE)
            user, session, day, words = said[pick % len(said)]
            wanted = {
                "ids": ({"ids": [f"t{pick % len(said)}"], "user": user}, lambda n, s: n == pick % len(said)),
                "user": ({"user": user, "everything": True}, lambda n, s: s[0] == user),
                "session": ({"user": user, "session": session}, lambda n, s: s[:2] == (user, session)),
                "before": ({"user": user, "before": NOW + day * DAY}, lambda n, s: s[0] == user and s[2] <= day),
                "between": (
                    {"user": user, "session": session, "since": NOW + (day - 5) * DAY, "until": NOW + day * DAY},
                    lambda n, s: s[:2] == (user, session) and day - 5 <= s[2] <= day,
                ),
                "query": ({"user": user, "query": f"{words} please"}, lambda n, s: False),
                "tenant": ({"tenant": True}, lambda n, s: True),
            }
            arguments, gone = wanted[form]
            if form == "query":
                arguments["query"] = words
                gone = lambda n, s: s[0] == user and s[3] == words  # noqa: E731
            receipt = memory.forget(**arguments)
            expected = {number for number, each in enumerate(said) if gone(number, each)}
            assert receipt.records == len(expected)
            assert receipt.proven, receipt.proof
            left = set(range(len(said))) - expected
            assert marks_in(folder) == {mark(n + more) for n in left for more in (0, 50)}
            assert {record.id for record in memory.store.find(WHOLE)} == {f"t{n}" for n in left}
            assert memory.maintenance.verify() == []
            if backed_up:
                with closing(SQLiteStore(folder / "copy.db")) as copy:
                    assert copy.count(WHOLE) == len(left)
                    assert copy.maintenance.verify() == []
            for number in expected:
                if said[number][0] not in {said[n][0] for n in left} and said[number][0]:
                    owner = f"user:{said[number][0]}".encode()
                    assert not any(owner in file.read_bytes() for file in folder.iterdir())


# Through every derivation


def test_summaries_of_summaries_go(store: Memory, tmp_path: Path) -> None:
    say(store, *(f"{mark(i)} is the word of turn {i}" for i in range(6)))
    turns = store.store.find(Filter(kinds=("turn",)))
    low = [summary(store, f"{mark(i)} and {mark(i + 1)}", turns[i], turns[i + 1]) for i in (0, 2, 4)]
    high = summary(store, f"{mark(10)} of {mark(0)} and {mark(2)}", low[0], low[1])
    top = summary(store, f"{mark(11)} of {mark(0)}", high)
    receipt = store.forget([turns[0].id], user="ana")
    assert (receipt.records, receipt.derived, receipt.kinds) == (4, 3, {"summary": 3, "turn": 1})
    assert receipt.to_summarise == ("s1",)
    assert {record.key for record in store.store.find(WHOLE)} == {r.key for r in (*turns[1:], *low[1:])}
    assert store.store.get([high.key, top.key]) == []
    assert marks_in(tmp_path).isdisjoint({mark(0), mark(10), mark(11)})
    assert receipt.proven


def test_compacting_again_makes_a_summary_of_what_remains(tmp_path: Path) -> None:
    with opened(tmp_path / "m.db") as memory:
        say(memory, *(f"{mark(i)} took the train to Porto for {i} euros and wrote about it" for i in range(60)))
        memory.sessions.compact("s1", user="ana")
        before = memory.store.find(Filter(kinds=("summary",)))
        assert before
        receipt = memory.forget(["t1"], user="ana")
        assert receipt.to_summarise == ("s1",)
        assert mark(0) not in marks_in(tmp_path)
        assert memory.sessions.compact("s1", user="ana").summaries
        assert len(memory.store.find(Filter(kinds=("summary",)))) == len(before)
        assert memory.forget(session="s1", user="ana").to_summarise == ()
        assert marks_in(tmp_path) == set()


def test_a_claim_goes_with_its_last_source(store: Memory, tmp_path: Path) -> None:
    say(store, f"the {mark(1)} is in Porto", f"yes, {mark(2)} is in Porto too")
    one, other = store.store.find(Filter(kinds=("turn",)))
    made = claim(store, f"{mark(3)} stands in Porto", one, other)
    store.forget(["t1"], user="ana")
    [left] = store.store.get([made.key])
    assert left.provenance is not None
    assert left.provenance.sources == (other.key,)
    assert one.key.encode() not in (tmp_path / "store.db").read_bytes()
    assert store.forget(["t2"], user="ana").derived == 1
    assert store.store.count(WHOLE) == 0
    assert marks_in(tmp_path) == set()


def test_a_claim_in_the_words_of_the_forgotten_source_goes_at_once(store: Memory) -> None:
    say(store, "Well, the red boat sank in May, I think.", "Something sank in May.")
    one, other = store.store.find(Filter(kinds=("turn",)))
    quoted = claim(store, "The red boat sank in May.", one, other)
    both = claim(store, "sank in May", one, other)
    assert store.forget(["t1"], user="ana").records == 2
    assert store.store.get([quoted.key]) == []
    assert len(store.store.get([both.key])) == 1, "the other source says so too"


def test_a_whole_user_takes_along_what_others_hold_of_them(store: Memory, tmp_path: Path) -> None:
    say(store, f"my {mark(1)} is broken")
    store.ingest([Turn("rule", "s1", "user", f"From now on always say {mark(2)} first.", NOW)], user="ana")
    turns = store.store.find(Filter(kinds=("turn",)))
    from aforesaid.engine.rules import documents

    claim(store, f"{mark(3)} was broken", turns[0], scope="global")
    kept = store.remember(f"{mark(4)} is the project's", user="ana", project="p", scope="project")
    say(store, f"{mark(5)} is mine", user="bo", session="s2")
    store.store.values.put(Slot(ValueKind.USES, "default", "user:ana"), "3")
    receipt = store.forget(user="ana", everything=True)
    assert (receipt.records, receipt.kinds) == (4, {"claim": 1, "node": 1, "turn": 2})
    assert marks_in(tmp_path) == {mark(4), mark(5)}
    [left] = store.store.get([kept.key])
    assert left.provenance is not None
    assert left.provenance.who is None
    data = (tmp_path / "store.db").read_bytes()
    assert b"user:ana" not in data
    assert b'"ana"' not in data
    assert documents(request_for(store, 32), "user:ana") == {}
    assert not any(store.store.values.items(kind, "default", "user:ana") for kind in ValueKind)
    assert store.store.tenants() == ["default"]


def test_a_document_without_nodes_leaves_the_register(store: Memory) -> None:
    from aforesaid.engine.rules import documents

    say(store, "From now on always answer in verse.", "The sky is blue.")
    assert documents(request_for(store, 32), "user:ana")
    store.forget(["t1"], user="ana")
    assert documents(request_for(store, 32), "user:ana") == {}


def test_an_older_claim_holds_again(memory: Memory) -> None:
    names = ("Ines", "Jonas", "Kim")
    claims: list[Record] = []
    for days, name in enumerate(names):
        older = claims[-1].id if claims else None
        claims.append(
            memory.remember(f"The manager is {name}.", user="ana", time=NOW - (9 - days) * DAY, supersedes=older)
        )
    first, second, third = claims
    assert memory.get(first.id, user="ana").valid_to is not None

    memory.forget([second.id], user="ana")
    assert memory.get(first.id, user="ana").valid_to is not None, "what replaced its replacement is still there"
    assert [record.id for record in memory.list(user="ana")] == [third.id]

    receipt = memory.forget([third.id], user="ana")
    assert receipt.scrubbed["valid again"] == 1
    assert memory.get(first.id, user="ana").valid_to is None
    assert [record.id for record in memory.list(user="ana")] == [first.id]


def test_the_newest_of_a_chain_gives_way_to_the_one_before(memory: Memory) -> None:
    old = memory.remember("The manager is Ines.", user="ana", time=NOW - 2 * DAY)
    new = memory.remember("The manager is Jonas.", user="ana", time=NOW - DAY, supersedes=old.id)
    memory.forget([new.id], user="ana")
    assert memory.get(old.id, user="ana").valid_to is None


def test_what_nobody_may_see_is_forgotten_too(store: Memory, tmp_path: Path) -> None:
    plain = Record("plain", "turn", mark(0), NOW, user="ana", session="s")
    hidden = [
        replace(plain, id="withheld", text=mark(1), withheld="a rule"),
        replace(plain, id="expired", text=mark(2), expires=NOW - DAY),
        replace(plain, id="replaced", text=mark(3), valid_to=NOW - DAY),
        replace(plain, id="echo", text=mark(4), echo_of="nobody"),
        replace(plain, id="closed", text=mark(5), allow=("tool:mail",), boundary="secret"),
    ]
    store.store.put([plain, *hidden])
    assert store.forget(["withheld"], user="ana").records == 1
    assert store.forget(session="s", user="ana").records == 5
    assert marks_in(tmp_path) == set()


def test_what_an_agent_repeated_goes_along(store: Memory) -> None:
    said = Record("t1", "turn", "my locker code is 4711 at the pool", NOW, user="ana", session="s")
    echo = replace(said, id="t2", role="assistant", text="Your locker code is 4711 at the pool.", echo_of="t1")
    namesake = replace(said, id="t3", role="assistant", text="Trams run until midnight on Fridays.", echo_of="t1")
    other = replace(echo, user="bo")
    store.store.put([said, echo, namesake, other])
    assert store.forget(["t1"], user="ana").records == 2
    assert {r.key for r in store.store.find(WHOLE)} == {namesake.key, other.key}


# What else mentions them


CONTEXTS = (("default", "a"), ("default", "b"), ("elsewhere", "a"))


def test_the_log_and_saved_contexts_no_longer_name_them(store: Memory, tmp_path: Path) -> None:
    say(store, f"the {mark(1)} is in Porto", "trams run late")
    key, other = (store.get(name, user="ana").key for name in ("t1", "t2"))
    store.assemble("where is it in Porto?", user="ana", session="s9", now=NOW)
    a, b, c = (Slot(ValueKind.CONTEXT, tenant, "user:bob", name) for tenant, name in CONTEXTS)
    for slot, keys in ((a, [key, other]), (b, [other]), (c, [])):
        store.store.values.put(slot, json.dumps({"items": [[each] for each in keys]}))
    receipt = store.forget(["t1"], user="ana")
    assert receipt.scrubbed["settings"] == 1
    assert receipt.scrubbed["events"] >= 1
    assert receipt.proven
    assert store.store.values.get(a) is None
    assert store.store.values.get(b) is not None
    assert key.encode() not in b"".join(file.read_bytes() for file in tmp_path.iterdir())


def test_a_session_without_turns_leaves_the_log(store: Memory, tmp_path: Path) -> None:
    say(store, "one", session="the-secret-session")
    say(store, "two", session="another-session")
    receipt = store.forget(session="the-secret-session", user="ana")
    assert receipt.proven
    data = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"the-secret-session" not in data
    assert b"another-session" in data


def test_the_receipt_is_in_the_log_without_names(store: Memory) -> None:
    say(store, "one", "two")
    receipt = store.forget(session="s1", user="ana", reason="asked for by post")
    [event] = store.store.log.find(EventFilter("default", topic="forget"))
    assert event.body == receipt_body(receipt)
    assert event.body["reason"] == "asked for by post"
    assert event.body["by"] == ["session"]
    assert event.body["records"] == 2
    assert event.body["proven"] is True
    assert "s1" not in json.dumps(dict(event.body))
    assert "ana" not in json.dumps(dict(event.body))
    assert store.forget(session="s1", user="ana").records == 0
    assert len(store.store.log.find(EventFilter("default", topic="forget"))) == 2, "a receipt stays"


# Asking


def test_a_query_takes_what_holds_all_its_words_and_nothing_near(memory: Memory) -> None:
    say(memory, "I moved to Lisbon.", "I am moving out of Lisbon.", "I moved to Porto.", "Lisboa, the capital")
    say(memory, "I moved to Lisbon.", user="bo")
    would = memory.forget(query="moved Lisbon", user="ana", dry_run=True)
    assert [(each.id, each.kind, each.derived) for each in would.would] == [
        ("t1", "turn", False),
        ("t2", "turn", False),
    ]
    assert memory.stats().records == 5, "nothing was done"
    assert memory.store.log.find(EventFilter("default", topic="forget")) == []
    assert memory.forget(query="moved Lisbon", user="ana").records == 2
    assert {record.text for record in memory.list(user="ana")} == {"I moved to Porto.", "Lisboa, the capital"}
    assert memory.forget(query="moved Lisbon", user="ana").records == 0
    assert len(memory.list(user="bo")) == 1


def test_a_dry_run_tells_what_would_go_along_and_names_fifty(memory: Memory) -> None:
    say(memory, *(f"word {i}" for i in range(60)))
    summary(memory, "of one", memory.get("t1", user="ana"))
    would = memory.forget(["t1"], user="ana", dry_run=True)
    assert [each.derived for each in would.would] == [False, True]
    assert (would.records, would.derived, would.dry_run, would.proven) == (2, 1, True, False)
    would = memory.forget(everything=True, user="ana", dry_run=True)
    assert (would.records, len(would.would)) == (61, 50)


def test_what_is_asked_for_must_be_clear(memory: Memory) -> None:
    say(memory, "one")
    for wrong in (
        {},
        {"ids": ["t1"], "everything": True},
        {"tenant": True, "user": "ana"},
        {"tenant": True, "project": "p"},
        {"query": "", "user": "ana"},
        {"query": "?!", "user": "ana"},
        {"query": " ".join(f"w{i}" for i in range(99)), "user": "ana"},
        {"since": "once", "user": "ana"},
        {"session": "", "user": "ana"},
    ):
        with pytest.raises(InputError):
            memory.forget(**wrong)
    with pytest.raises(NotFoundError):
        memory.forget(["t1", "nobody"], user="ana")
    assert memory.stats().records == 1, "nothing was deleted"


def test_combinations_narrow(memory: Memory) -> None:
    for day in range(6):
        memory.ingest([Turn(f"t{day}", f"s{day % 2}", "user", f"tea {day}", NOW + day * DAY)], user="ana")
    receipt = memory.forget(session="s0", since=NOW + DAY, until=NOW + 3 * DAY, user="ana")
    assert receipt.records == 1
    assert receipt.what["by"] == ["session", "since", "until"]
    assert memory.forget(["t3"], before=NOW, user="ana").records == 0
    assert memory.forget(["t3"], query="coffee", user="ana").records == 0
    assert memory.forget(query="tea", session="s1", before=NOW + DAY, user="ana").records == 1
    assert sorted(record.id for record in memory.list(user="ana")) == ["t0", "t3", "t4", "t5"]


def test_a_tenant_is_forgotten_whole_and_alone(store: Memory, tmp_path: Path) -> None:
    say(store, mark(1))
    store.remember(mark(2), scope="global")
    store.remember(mark(3), project="p", scope="project")
    other = store.for_tenant("other")
    say(other, mark(4))
    receipt = store.forget(tenant=True)
    assert (receipt.records, receipt.proven) == (3, True)
    assert marks_in(tmp_path) == {mark(4)}
    assert other.stats().records == 1


# Backups


def test_a_backup_forgets_too_with_what_only_it_derived(store: Memory, tmp_path: Path) -> None:
    say(store, f"the {mark(1)} boat", f"the {mark(2)} boat")
    one = store.get("t1", user="ana")
    old = summary(store, f"of {mark(1)} once", one)
    copy = store.maintenance.backup(tmp_path / "copy.db")
    store.store.delete([old.key])
    receipt = store.forget(["t1"], user="ana")
    assert receipt.proven
    assert receipt.scrubbed["backups cleaned"] == 1
    assert str(copy) in receipt.proof.files  # type: ignore[union-attr]
    assert marks_in(tmp_path) == {mark(2)}
    with closing(SQLiteStore(copy)) as found:
        assert [record.id for record in found.find(WHOLE)] == ["t2"]
        assert found.maintenance.verify() == []


def test_a_backup_that_is_gone_is_forgotten_about(store: Memory, tmp_path: Path) -> None:
    say(store, "one", "two")
    store.maintenance.backup(tmp_path / "copy.db").unlink()
    assert store.forget(["t1"], user="ana").scrubbed["backups not found"] == 1
    assert "backups not found" not in store.forget(["t2"], user="ana").scrubbed


def test_a_backup_is_not_overwritten_unawares(store: Memory, tmp_path: Path) -> None:
    say(store, "one")
    store.maintenance.backup(tmp_path / "copy.db")
    with pytest.raises(InputError, match="already exists"):
        store.maintenance.backup(tmp_path / "copy.db")
    say(store, "two", first=2)
    store.maintenance.backup(tmp_path / "copy.db", overwrite=True)
    with closing(SQLiteStore(tmp_path / "copy.db")) as copy:
        assert copy.count(WHOLE) == 2
    with pytest.raises(InputError, match="the store itself"):
        store.maintenance.backup(store.store.path, overwrite=True)  # type: ignore[attr-defined]
    with pytest.raises(InputError, match="does not exist"):
        store.maintenance.backup(tmp_path / "no" / "copy.db")
    assert sorted(file.suffix for file in tmp_path.iterdir() if file.suffix == ".part") == []


def test_the_copy_from_before_a_migration_goes_when_it_holds_what_is_forgotten(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(path) as memory:
        say(memory, mark(1), mark(2))
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, "CREATE TABLE later (x);"))
    backup = tmp_path / f"store.db.v{len(schema.MIGRATIONS) - 1}.bak"
    with opened(path) as memory:
        assert backup.exists()
        assert str(backup) in [copy.path for copy in memory.store.maintenance.copies()]
        say(memory, f"{mark(3)} came later", first=3)
        receipt = memory.forget(["t3"], user="ana")
        assert backup.exists(), "it holds nothing of it"
        assert receipt.proven
        receipt = memory.forget(["t1"], user="ana")
        assert receipt.scrubbed["backups deleted"] == 1
        assert receipt.proven
        assert not backup.exists()
        assert marks_in(tmp_path) == {mark(2)}


def test_something_else_in_the_place_of_a_backup_is_left_alone_and_told(store: Memory, tmp_path: Path) -> None:
    say(store, f"the {mark(1)} boat sank in the harbour")
    copy = store.maintenance.backup(tmp_path / "copy.db")
    copy.write_text(f"my own notes: the {mark(1)} boat sank in the harbour")
    receipt = store.forget(["t1"], user="ana")
    assert not receipt.proven
    assert {trace.file for trace in receipt.proof.found} == {str(copy)}  # type: ignore[union-attr]
    assert str(copy) in receipt.remedy
    assert copy.exists()


# Other processes, and files that do not let go


def test_a_reader_of_the_past_is_told_of(path: Path, tmp_path: Path) -> None:
    with opened(path) as memory:
        say(memory, f"the {mark(1)} boat sank in the harbour")
        with closing(sqlite3.connect(path, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM records").fetchone()
            receipt = memory.forget(["t1"], user="ana")
            assert not receipt.proven
            assert "Close it" in receipt.remedy
            assert any(trace.what == "text" for trace in receipt.proof.found)  # type: ignore[union-attr]
            reader.execute("COMMIT")
        assert memory.store.log.find(EventFilter("default", topic="forget"))[0].body["proven"] is False
    assert marks_in(tmp_path) == set(), "it goes with the last user"


OTHER = """
import sys
from aforesaid.store.sqlite import SQLiteStore
from aforesaid.types import Filter
store = SQLiteStore(sys.argv[1])
print(len(store.find(Filter())), flush=True)
for line in sys.stdin:
    print(len(store.find(Filter())), len(store.text_search([line.strip()], Filter(), 9)), flush=True)
"""


def test_another_process_has_the_store_open(path: Path, tmp_path: Path) -> None:
    with opened(path) as memory:
        say(memory, f"the {mark(1)} boat", f"the {mark(2)} boat")
        other = subprocess.Popen(
            [sys.executable, "-c", OTHER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        with other:
            assert other.stdout is not None
            assert other.stdin is not None
            assert other.stdout.readline() == "2\n"
            assert memory.forget(["t1"], user="ana").proven
            assert marks_in(tmp_path) == {mark(2)}
            print(mark(1), file=other.stdin, flush=True)
            assert other.stdout.readline() == "1 0\n"
            other.stdin.close()
        assert other.returncode == 0


def test_what_lingers_between_pages_is_found_and_overwritten(path: Path, tmp_path: Path) -> None:
    with opened(path) as memory:
        say(memory, *(f"{mark(i)} was here {'and there ' * 60}" for i in range(40)))
        memory.maintenance.backup(tmp_path / "aside.db")
    (tmp_path / "aside.db").unlink()
    with closing(sqlite3.connect(path)) as careless:
        careless.execute("PRAGMA secure_delete = OFF")
        careless.execute("CREATE TABLE scratch (text)")
        for _ in range(300):  # more pages than what follows could take up again
            careless.execute("INSERT INTO scratch SELECT text FROM records WHERE id = 't1'")
        careless.commit()
        careless.execute("DROP TABLE scratch")
        careless.commit()
    with opened(path) as memory:
        receipt = memory.forget(["t1"], user="ana")
        assert receipt.proof is not None
        assert receipt.proof.rewritten
        assert receipt.proven
        assert mark(0) not in marks_in(tmp_path)
        assert memory.maintenance.verify() == []
        assert len(memory.search("here and there", user="ana", limit=50)) == 39


def neither(*_: object, **__: object) -> int:
    return 0


@pytest.mark.parametrize(
    ("part", "left"),
    [
        ("aforesaid.store.sqlite.log.SQLiteLog.erase", "key"),
        ("aforesaid.store.sqlite.postings.PostingWriter.remove", "word"),
        ("aforesaid.store.sqlite.segments.Segments.remove", "vector"),
        ("aforesaid.store.sqlite.values.SQLiteValues.drop", "key"),
    ],
)
def test_a_store_that_forgets_badly_is_found_out(
    store: Memory, monkeypatch: pytest.MonkeyPatch, part: str, left: str
) -> None:
    say(store, f"the {mark(1)} boat sank in the harbour, and the insurance paid", "trams run late")
    key = store.get("t1", user="ana").key
    store.assemble("where is the boat?", user="ana", session="s9", now=NOW)
    store.store.values.put(Slot(ValueKind.CONTEXT, "default", "user:bob", "a"), json.dumps({"items": [[key]]}))
    monkeypatch.setattr(part, neither)
    receipt = store.forget(["t1"], user="ana")
    assert receipt.proof is not None
    assert {trace.what for trace in receipt.proof.found} == {left}
    assert not receipt.proven
    assert receipt.remedy


def test_words_that_others_say_too_do_not_spoil_the_proof(store: Memory, tmp_path: Path) -> None:
    same = "The namespace of the deployment documents is confidential. By the way, my dentist moved to Porto."
    say(store, same, f"{same} {mark(1)}")
    say(store, same, user="bo")
    receipt = store.forget(everything=True, user="ana")
    assert receipt.proof is not None
    assert receipt.proof.found == ()
    assert receipt.proof.shared > 0
    assert marks_in(tmp_path) == set()
    assert [record.text for record in store.list(user="bo")] == [same]
    say(store, f"{mark(2)} documents")
    assert store.forget(["t1"], user="ana").proven, "words of the layout are nobody's"


def test_no_file_no_trace(memory: Memory) -> None:
    say(memory, "one")
    receipt = memory.forget(["t1"], user="ana")
    assert receipt.proven
    assert receipt.proof is not None
    assert receipt.proof.needles > 0


# Killed in the middle


def test_a_killed_forget_is_finished_by_the_next_process(tmp_path: Path) -> None:
    folder, aside = tmp_path / "here", tmp_path / "aside"
    with opened(folder_of(folder) / "m.db") as memory:
        say(memory, f"the {mark(1)} boat", f"the {mark(2)} boat")
        summary(memory, f"of {mark(1)}", memory.get("t1", user="ana"))
        memory.maintenance.backup(folder / "one.db")
        say(memory, f"the {mark(3)} boat", first=3)
        memory.maintenance.backup(folder / "two.db")
    shutil.copytree(folder, aside)

    def forget() -> None:
        with opened(folder / "m.db") as memory:
            memory.forget(["t1"], user="ana")

    def reset() -> None:
        shutil.rmtree(folder)
        shutil.copytree(aside, folder)

    outcomes = Counter[str]()
    for _ in killed_at_each_step(forget, reset, every=15, closely=10):
        with opened(folder / "m.db") as memory:  # a new process would do this first
            there = {record.id for record in memory.store.find(WHOLE)}
            if "t1" in there:
                assert "summary-of zqx00001vw" in there, "nothing was done"
                assert memory.forget(["t1"], user="ana").proven
                outcomes["before"] += 1
            else:
                with pytest.raises(NotFoundError):
                    memory.forget(["t1"], user="ana")
                outcomes["after"] += 1
            assert marks_in(folder) == {mark(2), mark(3)}
            assert not memory.store.values.items(ValueKind.FORGETTING, "default")
            assert memory.maintenance.verify() == []
            assert memory.store.log.find(EventFilter("default", topic="forget", limit=1))
    assert outcomes["before"] > 5
    assert outcomes["after"] > 5


def folder_of(path: Path) -> Path:
    path.mkdir(exist_ok=True)
    return path


def test_a_killed_forget_by_words_leaves_no_words_in_its_note(store: Memory, tmp_path: Path) -> None:
    say(store, f"the {mark(1)} boat", f"the {mark(2)} boat")
    store.maintenance.backup(tmp_path / "one.db")
    notes: list[str] = []
    store.store.maintenance.copies = lambda: notes.extend(  # type: ignore[method-assign]
        store.store.values.items(ValueKind.FORGETTING, "default").values()
    )
    with pytest.raises(TypeError):  # it dies before the backups
        store.forget(query=mark(1), user="ana")
    assert store.store.get([store.get("t2", user="ana").key])
    assert '"keys"' in notes[0]
    assert mark(1) not in notes[0]
    with opened(tmp_path / "store.db"):
        assert marks_in(tmp_path) == {mark(2)}


def test_a_backup_that_is_made_during_a_forget_holds_nothing_forgotten(tmp_path: Path) -> None:
    with opened(tmp_path / "m.db") as memory:
        say(memory, f"the {mark(1)} boat", f"the {mark(2)} boat")
        database = memory.store._database  # type: ignore[attr-defined]
        copy_file, once = database.backup, [True]

        def copy_and_forget(target: Path) -> None:
            copy_file(target)
            if once.pop() if once else False:
                thread = threading.Thread(target=lambda: memory.forget(["t1"], user="ana"))
                thread.start()
                thread.join()

        database.backup = copy_and_forget
        copy = memory.maintenance.backup(tmp_path / "copy.db")
        assert marks_in(tmp_path) == {mark(2)}
        assert [each.path for each in memory.store.maintenance.copies()] == [str(copy)]


def test_the_part_of_a_killed_backup_is_deleted_by_the_next_forget(tmp_path: Path) -> None:
    with opened(tmp_path / "m.db") as memory:
        say(memory, f"the {mark(1)} boat")
    copy, parts = tmp_path / "copy.db", 0

    def backup() -> None:
        with opened(tmp_path / "m.db") as memory:
            memory.maintenance.backup(copy)

    for _ in killed_at_each_step(backup, lambda: copy.unlink(missing_ok=True), every=1000, closely=16):
        parts += bool(list(tmp_path.glob(".copy.db.*.part")))
    assert parts
    with opened(tmp_path / "m.db") as memory:
        assert memory.forget(["t1"], user="ana").proven
        assert not list(tmp_path.glob(".copy.db.*"))
        assert marks_in(tmp_path) == set()
