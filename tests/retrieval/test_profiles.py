"""Every way of ranking: what it may see, that its parts make up its score, and what each is known for."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from datetime import timedelta

import numpy as np
import pytest

from aforesaid.embed.hashing import HashEmbedder
from aforesaid.math.calibration import Calibration
from aforesaid.memory import Memory
from aforesaid.retrieval.search import PROFILES
from aforesaid.settings import Settings
from aforesaid.store.memory import DictStore
from aforesaid.store.protocols import Slot, ValueKind
from aforesaid.types import Edge, Filter, Hit, Scored, Turn
from support.clock import NOW

DAY = timedelta(days=1)
RANKED_BY_VECTORS = ("libra", "libra-two-pass", "libra-single")


@pytest.fixture
def filled(memory: Memory) -> Memory:
    memory.ingest(
        [
            Turn("t1", "s1", "user", "I moved to Lisbon in May.", NOW - 30 * DAY),
            Turn("t2", "s1", "assistant", "How is Lisbon treating you?", NOW - 30 * DAY),
            Turn(
                "t3", "s2", "user", "The wedding was on 2026-05-20, two days after the exam on 2026-05-18.", NOW - DAY
            ),
            Turn("t4", "s2", "user", "Lisbon again: the move to Lisbon cost 900 euros.", NOW),
        ],
        user="ana",
    )
    memory.ingest([Turn("t1", "s1", "user", "Lisbon is where I keep my boat.", NOW)], user="bo")
    memory.remember("Ana lives in Lisbon since May.", user="ana", time=NOW - 400 * DAY)
    return memory


def score_of(hit: Hit, profile: str) -> float:
    """The score made again from the parts that the hit shows."""
    p = hit.parts
    if profile == "default":
        names = [name for name in p if f"weight_{name}" in p]
        fused = p["alpha"] * p["meaning"] + (1 - p["alpha"]) * p["words"]
        return fused + sum(p[f"weight_{name}"] * p[name] for name in names) + p.get("moved", 0.0)
    if profile == "libra-single":
        return (p["alpha"] * p["cos"] + p["beta"] * p["recency"] + p["gamma"] * p["scope"]) * p["quality"]
    if profile == "pce":
        fused = p["alpha"] * p["s_vec"] + (1 - p["alpha"]) * p["s_text"]
        g = (0.6 + 0.4 * p["utility"]) * (0.5 + 0.5 * p["confidence"]) * (0.3 + 0.7 * p["recency"])
        assert p["S"] == pytest.approx(fused, abs=1e-9)
        assert p["g"] == pytest.approx(g, abs=1e-5)
        return fused * g
    if profile == "openclaw":
        assert p["merged"] == pytest.approx(max(p["norm_vec"], p["norm_fts"]))
        return p["merged"] + p["boost"]
    if "parent" in p:
        return p["hop_decay"] * p["parent"]
    assert p["omega"] == pytest.approx(0.5 * p["r"] + 0.2 * p["f"] + 0.3 * p["a"])
    final = p["omega"] * p["cos"] * (1 + 0.3 * p["coverage"]) / 1.3 * p["quality"]
    if "xi" not in p:
        return final
    assert p["S_final"] == pytest.approx(final)
    return (1 - p["xi"]) * final + p["xi"] * (0.6 * final + 0.2 * p["anchors"] + 0.2 * p["gain"])


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("query", ["where in Lisbon", "how many days between the exam and the wedding?", "`Lisbon`"])
def test_the_parts_make_up_the_score(filled: Memory, profile: str, query: str) -> None:
    result = filled.search(query, user="ana", profile=profile, now=NOW)
    assert result.profile == profile
    for hit in result:
        assert hit.score == pytest.approx(score_of(hit, profile), abs=1e-6)
        assert "=" in hit.reason
        assert all(part.count("=") == 1 for part in hit.reason.split("; "))


@pytest.mark.parametrize("profile", PROFILES)
def test_nobody_elses_records_are_seen(filled: Memory, profile: str) -> None:
    for user, tenant in (("bo", "default"), (None, "default"), ("ana", "other")):
        result = filled.for_tenant(tenant).search("Lisbon", user=user, profile=profile, now=NOW)
        assert all(hit.record.user == user and hit.record.tenant == tenant for hit in result)
    assert [hit.record.text for hit in filled.search("Lisbon boat", user="bo", profile=profile, now=NOW)] == [
        "Lisbon is where I keep my boat."
    ]


@pytest.mark.parametrize("profile", PROFILES)
def test_the_same_question_gets_the_same_order(filled: Memory, profile: str) -> None:
    first, second = (filled.search("Lisbon move", user="ana", profile=profile, now=NOW) for _ in range(2))
    assert first == second
    assert len(first) > 0


@pytest.mark.parametrize("profile", PROFILES)
def test_an_empty_memory_answers(memory: Memory, profile: str) -> None:
    for query in ("Lisbon", "how long since the exam?", "猫", "?"):
        assert len(memory.search(query, profile=profile)) == 0


@pytest.mark.parametrize("profile", PROFILES)
def test_without_vectors_words_decide_or_nothing_is_found(filled: Memory, profile: str) -> None:
    mute = Memory(filled.store, None, settings=filled.settings, clock=lambda: NOW)
    result = mute.search("Lisbon", user="ana", profile=profile)
    assert "no search by meaning" in result.freshness.line
    if profile != "pce":  # its min–max over a handful of near-equal scores may leave nothing over the threshold
        assert (len(result) == 0) == (profile in RANKED_BY_VECTORS)


def test_libra_follows_registered_links(memory: Memory) -> None:
    core = memory.remember("The harbour opens at dawn.", user="ana", time=NOW, meta={"authority": 1.0})
    memory.ingest([Turn("mine", "s", "user", "zzz qqq", NOW)], user="ana")
    memory.ingest([Turn("theirs", "s", "user", "kkk vvv", NOW)], user="bo")
    for user, name in (("ana", "mine"), ("bo", "theirs")):
        memory.store.link([Edge(core.key, memory.get(name, user=user).key, "hop", NOW)])
    first, *rest = memory.search("The harbour opens at dawn.", user="ana", profile="libra-two-pass", now=NOW)
    assert first.record.key == core.key
    assert first.score == pytest.approx(0.8, abs=1e-6), "ω = 0.5·1 + 0.2·0 + 0.3·1, cosine and coverage 1"
    assert [hit.record.id for hit in rest] == ["mine"], "a link does not open what the filter closes"
    assert rest[0].score == pytest.approx(0.4, abs=1e-6)


def test_profiles_take_their_settings(filled: Memory) -> None:
    settings = Settings.load(environment={}, arguments={"pce.alpha": 0.1, "openclaw.boost_curated": 0.0})
    other = Memory(filled.store, HashEmbedder(64), settings=settings, clock=lambda: NOW)
    query = "moved to Lisbon in May"
    assert {hit.parts["alpha"] for hit in filled.search(query, user="ana", profile="pce", now=NOW)} == {0.65}
    assert {hit.parts["alpha"] for hit in other.search(query, user="ana", profile="pce", now=NOW)} == {0.1}


def test_libra_lets_the_old_fade_and_pce_less_so(filled: Memory) -> None:
    later = NOW + 365 * DAY
    libra = filled.search("Ana lives in Lisbon", user="ana", profile="libra-two-pass", now=later)
    pce = filled.search("Ana lives in Lisbon", user="ana", profile="pce", now=later)
    assert max(hit.score for hit in libra) < 0.05, "twelve half-lives of 30 days"
    assert max(hit.score for hit in pce) > 0.15


def test_libra_follows_links_between_documents_that_are_months_old(memory: Memory) -> None:
    guide = "# Guide\n\nThe harbour opens at dawn, see [the tide tables](tides.md).\n"
    for name, text in (("guide.md", guide), ("tides.md", "zzz qqq\n")):
        memory.documents.load(name, text=text, user="ana")
    query = "The harbour opens at dawn, see the tide tables."
    first, second = memory.search(query, user="ana", profile="libra", now=NOW + 75 * DAY)
    assert (first.record.session, second.record.session) == ("guide.md", "tides.md")
    assert first.parts["r"] == pytest.approx(0.5 ** (75 / 30))
    assert second.parts["parent"] == first.score, "only the link leads there"
    assert second.score == pytest.approx(0.5 * first.score)


def test_a_question_of_time_brings_the_dates_along(filled: Memory) -> None:
    result = filled.search("how many days between the exam and the wedding?", user="ana", profile="libra", now=NOW)
    assert result[0].record.id == "t3"
    assert result[0].parts["anchors"] > 0
    assert result[0].parts["xi"] == 1.0
    plain = filled.search("Lisbon", user="ana", profile="libra", now=NOW)
    assert plain.hits == filled.search("Lisbon", user="ana", profile="libra-two-pass", now=NOW).hits


def test_pce_keeps_one_of_the_same_words_and_two_of_an_entity(memory: Memory) -> None:
    for user_words in ("tea is fine", "tea is great", "tea is hot"):
        memory.remember(user_words, user="ana", meta={"entity": "tea"}, time=NOW)
    memory.ingest(
        [Turn("t1", "s", "user", "tea is fine", NOW), Turn("t2", "s2", "user", "tea is  fine", NOW)], user="ana"
    )
    texts = [" ".join(hit.record.text.split()) for hit in memory.search("tea is", user="ana", profile="pce", now=NOW)]
    assert len(texts) == len(set(texts))
    entity = [h for h in memory.search("tea is", user="ana", profile="pce", now=NOW) if h.record.meta.get("entity")]
    assert len(entity) <= 2


def test_pce_uses_a_fitted_calibration_and_falls_back_without(filled: Memory) -> None:
    raw = filled.search("move cost euros", user="ana", profile="pce", now=NOW)
    fitted = Calibration.fit("isotonic", [-1.0, 0.0, 1.0], [0.9, 0.9, 0.9], "none")
    slot = Slot(ValueKind.CALIBRATION, "default", name="calibration.vector")
    filled.store.values.put(slot, json.dumps(fitted.to_json()))
    flat = filled.search("move cost euros", user="ana", profile="pce", now=NOW)
    assert [hit.parts["s_vec"] for hit in flat] == pytest.approx([0.9] * len(flat))
    for unreadable in ("", "{not json", '{"kind": "?"}'):
        filled.store.values.put(slot, unreadable)
        assert filled.search("move cost euros", user="ana", profile="pce", now=NOW) == raw


def test_openclaw_chooses_its_mode_by_the_query(filled: Memory) -> None:
    modes = {
        filled.search(query, user="ana", profile="openclaw", now=NOW)[0].reason.split(";")[0]
        for query in ("`Lisbon`", "Lisbon move cost")
    }
    assert "mode=exact" in modes
    assert len(modes) == 2


def test_libra_counts_use_against_the_most_used_record_of_all(filled: Memory) -> None:
    for session in ("s9", "s10", "s11"):
        filled.assemble("The wedding and the exam", user="ana", session=session, budget_tokens=120, now=NOW)
    used = max(int(record.meta.get("uses", 0)) for record in filled.list(user="ana"))
    for hit in filled.search("Lisbon move", user="ana", profile="libra-two-pass", now=NOW):
        expected = math.log1p(hit.record.meta.get("uses", 0)) / math.log(2 + used)
        assert hit.parts["f"] == pytest.approx(expected)
    assert used == 3


class Unscored(DictStore):
    """A store that orders texts, but has no scores for them."""

    def text_search(self, terms: Sequence[str], where: Filter, limit: int) -> list[Scored]:
        return [Scored(hit.key, math.nan) for hit in super().text_search(terms, where, limit)]


def test_without_text_scores_the_rank_counts() -> None:
    with Memory(Unscored(), HashEmbedder(64), clock=lambda: NOW) as memory:
        for i, text in enumerate(("Lisbon, Lisbon.", "Lisbon and the sea and the boats.", "Nothing of it.")):
            memory.ingest([Turn(f"t{i}", "s", "user", text, NOW)], user="ana")
        found = {hit.record.id: hit for hit in memory.search("Lisbon", user="ana", profile="pce", now=NOW)}
        assert [found[name].parts["s_text"] for name in ("t0", "t1")] == [1 / 2, 1 / 3]
        for profile in ("default", "openclaw"):
            assert memory.search("Lisbon", user="ana", profile=profile, now=NOW).hits[0].record.id == "t0"
        label = memory.feedback("t0", "helpful", user="ana", query="Lisbon", now=NOW).label
        assert label is not None
        assert label["bm25"] is None


def test_a_platt_calibration_leaves_missing_scores_missing() -> None:
    assert np.isnan(Calibration("platt", "1", slope=3.0, intercept=-1.0).apply([None, 0.5])).tolist() == [True, False]
