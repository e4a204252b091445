"""Nothing outside a caller's tenant, scopes, classes and purposes ever appears: not in hits, contexts, traces, events,
exports, errors or counts, by any profile or verb."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, is_dataclass
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as example_settings
from hypothesis import strategies as st

from aforesaid.embed.hashing import HashEmbedder
from aforesaid.errors import AforesaidError
from aforesaid.memory import Memory
from aforesaid.policy.document import read_policy
from aforesaid.policy.enforcement import visibility
from aforesaid.policy.values import Policy
from aforesaid.retrieval.search import PROFILES
from aforesaid.settings import Settings
from aforesaid.store.memory import DictStore
from aforesaid.store.sqlite import SQLiteStore
from aforesaid.surfaces.formats.values import to_json
from aforesaid.text.globs import admits
from aforesaid.types import BOUNDARIES, Boundary, Record, Turn
from support.cli import run
from support.clock import NOW

POLICY = """
version: "7"
boundary_classes:
  public: {allow: ["*"]}
  internal: {allow: ["answer", "tool:*"]}
  pii: {allow: ["compliance:*", "tool:mail"]}
  secret: {allow: ["compliance:*"]}
invariants:
  - {name: no-drafts, rule: "!meta.draft", on: [read]}
"""
WORDS = ("garden", "harbour", "manager", "budget")
PURPOSES = ("answer", "tool:mail", "tool:door", "compliance:audit", "nobody")

a_record = st.fixed_dictionaries(
    {
        "tenant": st.sampled_from(["default", "other"]),
        "user": st.sampled_from(["ana", "bo"]),
        "scope": st.sampled_from(["session", "user", "project", "global"]),
        "project": st.sampled_from(["p", "q"]),
        "boundary": st.sampled_from(BOUNDARIES),
        "kind": st.sampled_from(["turn", "claim", "summary", "node", "observation"]),
        "allow": st.sampled_from([None, None, ("tool:*",), ("answer", "compliance:*"), ()]),
        "words": st.lists(st.sampled_from(WORDS), min_size=1, max_size=3),
        "draft": st.booleans(),
        "expired": st.booleans(),
    }
)


def made(number: int, spec: dict[str, Any]) -> Record:
    scope = spec["scope"]
    return Record(
        id=f"r{number}",
        kind=spec["kind"],
        text=f"{' '.join(spec['words'])} mark{number:04}x",
        time=NOW - timedelta(days=number),
        tenant=spec["tenant"],
        scope=scope,
        user=spec["user"] if scope in ("session", "user") else None,
        project=spec["project"] if scope == "project" else None,
        session="s" if scope == "session" else None,
        role="user" if spec["kind"] == "turn" else None,
        boundary=spec["boundary"],
        allow=spec["allow"],
        withheld="policy: no-drafts" if spec["draft"] else "",
        expires=NOW if spec["expired"] else None,
        meta={"draft": True, "tier": 0, "order": number} if spec["draft"] else {"tier": 0, "order": number},
        durable=True,
    )


def may_see(record: Record, policy: Policy, purpose: str, user: str, project: str | None) -> bool:
    """The rules once more, as plainly as they can be said."""
    owners = {f"user:{user}", "global", *([f"project:{project}"] if project else [])}
    return (
        record.tenant == "default"
        and record.owner in owners
        and visibility(policy, record.boundary, purpose) != "deny"
        and (record.allow is None or admits(record.allow, purpose))
        and not record.withheld
        and record.expires is None
    )


@pytest.mark.parametrize("kind", ["dict", "sqlite"])
@example_settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(
    specs=st.lists(a_record, min_size=4, max_size=24),
    purpose=st.sampled_from(PURPOSES),
    user=st.sampled_from(["ana", "bo"]),
    project=st.sampled_from(["p", None]),
)
def test_nothing_leaks(kind: str, specs: list[dict[str, Any]], purpose: str, user: str, project: str | None) -> None:
    policy = read_policy(POLICY)
    records = [made(number, spec) for number, spec in enumerate(specs)]
    with TemporaryDirectory() as folder:
        store = DictStore() if kind == "dict" else SQLiteStore(Path(folder) / "m.db")
        with Memory(store, HashEmbedder(32), settings=Settings(), clock=lambda: NOW) as memory:
            memory.policy.apply(policy)
            embedder = HashEmbedder(32)
            store.put(records)
            store.add_space(embedder.name, embedder.dimensions)
            store.put_vectors([r.key for r in records], embedder.embed([r.text for r in records]))
            caller = memory.acting(purpose)
            forbidden = {
                f"mark{n:04}x" for n, r in enumerate(records) if not may_see(r, policy, purpose, user, project)
            }
            # An export is the tenant's, whoever asks; classes, purposes and invariants hold for it all the same.
            forbidden_to_all = {
                f"mark{n:04}x"
                for n, r in enumerate(records)
                if not may_see(r, policy, purpose, r.user or user, r.project or project)
            }
            allowed = len(records) - len(forbidden)
            for surface, answer in answers(caller, records, user, project):
                said = json.dumps(plain(answer), default=str)
                hidden = forbidden if surface != "export" else forbidden_to_all
                leaked = {mark for mark in hidden if mark in said}
                assert not leaked, f"{surface} shows {leaked}"
            everything = caller.search(
                "garden harbour manager budget", user=user, project=project, limit=100, boundaries=BOUNDARIES
            )
            assert len(everything) == allowed, "and nothing that may be seen is missing"
            assert everything.freshness.records <= allowed


def answers(memory: Memory, records: list[Record], user: str, project: str | None) -> Iterator[tuple[str, object]]:
    """What every reading verb says, errors included."""
    who: dict[str, Any] = {"user": user, "project": project}
    query = "garden harbour manager budget"
    for profile in PROFILES:
        yield profile, memory.search(query, **who, limit=50, profile=profile, boundaries=BOUNDARIES)
    for budget in (40, 400, 4000):
        yield "assemble", memory.assemble(query, **who, budget_tokens=budget)
        yield "assemble in a session", memory.assemble(query, **who, session="s", budget_tokens=budget)
    yield "list", memory.list(**who, limit=500, superseded=True)
    yield "list durable", memory.list(**who, limit=500, durable=True)
    context = memory.activate(query, **who)
    yield "activate", context
    yield "active", memory.governance.active(context.id, **who)
    yield "candidates", memory.governance.candidates(**who)
    yield "export", list(memory.export())
    yield "audit", memory.audit.events(limit=1000)
    yield "ledger", memory.gate.log(user=user)
    yield "history of the policy", [each.policy.version for each in memory.policy.history()]
    for record in records:
        for verb in (memory.get, memory.history, memory.sessions.expand):
            for name in (record.id, record.key):
                try:
                    yield verb.__name__, verb(name, **who)
                except AforesaidError as error:
                    yield f"{verb.__name__} error", str(error)


def plain(value: object) -> object:
    return asdict(value) if is_dataclass(value) and not hasattr(value, "hits") else to_json(value)


OF_THE_TENANT = ("export", "audit")  # show what all its users did


@pytest.mark.parametrize(("tenant", "user"), [("other", "ana"), ("default", "bo")])
def test_others_change_no_byte_of_an_answer(tmp_path: Path, tenant: str, user: str) -> None:
    """Another tenant, or another user of the same tenant, says the same words five hundred times."""
    alone, beside = (said_to_ana(tmp_path / name, tenant, user, name == "beside") for name in ("alone", "beside"))
    assert len(alone) > 40
    for (surface, expected), (_, found) in zip(alone, beside, strict=True):
        if tenant == "other" or surface not in OF_THE_TENANT:
            assert found == expected, surface


def said_to_ana(folder: Path, tenant: str, user: str, crowded: bool) -> list[tuple[str, str]]:
    """Everything that the reading verbs tell one user, while somebody else writes much or nothing."""
    folder.mkdir()
    with Memory(SQLiteStore(folder / "m.db"), HashEmbedder(32), settings=Settings(), clock=lambda: NOW) as memory:
        mine = []
        for n in range(6):
            text = f"In the {WORDS[n % 4]} my {WORDS[(n + 1) % 4]} costs {n} euros since 2026-04-0{n + 1}."
            if crowded:
                theirs = [
                    Turn(f"h{n}.{i}", "s", "user", f"{text} {WORDS[i % 4]} {'zeus ' * (i % 3)}", NOW) for i in range(84)
                ]
                memory.for_tenant(tenant).ingest(theirs, user=user)
                memory.for_tenant(tenant).search("garden", user=user)
            mine.append(Turn(f"t{n}", "s", "user", text, NOW - timedelta(days=9 - n)))
            memory.ingest(mine[-1:], user="ana")
        memory.remember("Her manager keeps a garden at the harbour.", user="ana")
        found = [(surface, plain(answer)) for surface, answer in answers(memory, memory.list(user="ana"), "ana", None)]
        asked = ("how much is the budget?", "zeus", "when did the manager pay for the harbour?")
        for profile in PROFILES:
            for query in asked:
                hits = memory.search(query, user="ana", profile=profile, limit=9)
                found.append((f"{profile}: {query}", [asdict(hits), list(hits)]))
        return [(surface, json.dumps(answer, default=str)) for surface, answer in found]


def test_nothing_leaks_on_the_command_line(path: Path) -> None:
    """The same verbs as a person types them."""
    kept: list[tuple[str, str, Boundary, list[str] | None]] = [
        ("default", "ana", "internal", None),
        ("default", "ana", "pii", None),
        ("default", "ana", "secret", None),
        ("default", "ana", "internal", ["tool:door"]),
        ("default", "bo", "internal", None),
        ("other", "ana", "internal", None),
    ]
    ids = []
    with Memory.open(path, embedder=HashEmbedder(), clock=lambda: NOW) as memory:
        memory.policy.apply(POLICY)
        for number, (tenant, user, boundary, allow) in enumerate(kept):
            text = f"The garden gate mark{number:04}x is green."
            made = memory.for_tenant(tenant).remember(text, user=user, boundary=boundary, allow=allow)
            ids.append(made.id)
    asked = [
        ["search", "garden gate", "--limit", "50", "--explain"],
        ["search", "garden gate", "--json"],
        ["list"],
        ["assemble", "garden gate", "--trace"],
        ["activate", "garden gate"],
        *([verb, id_] for id_ in ids for verb in ("show", "history")),
    ]
    said = "".join(run(path, *words, "--user", "ana", code=None).output for words in asked)
    said += run(path, "audit", "--json").output
    assert "mark0000x" in said
    assert not [mark for mark in (f"mark{number:04}x" for number in range(1, 6)) if mark in said]
    export = run(path, "export").output
    found = [number for number in range(6) if f"mark{number:04}x" in export]
    assert found == [0, 4], "an export is the tenant's, not a user's, and what the purpose may see"
