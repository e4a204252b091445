"""Names of records: ids, keys, handles and starts of ids mean the same record for every verb, within the view."""

from __future__ import annotations

import pytest

from aforesaid.errors import InputError, NotFoundError
from aforesaid.memory import Memory
from aforesaid.memory.calibration import RelevanceLabel
from aforesaid.text.echo import handle
from aforesaid.types import Record, Turn
from support.clock import NOW

NAMES = ["nightly-build-0001", "nightly-build-0002", "tea", "teapot-blue"]


@pytest.fixture
def record(memory: Memory) -> Record:
    memory.ingest([Turn(name, "s", "user", f"The quokka likes {name}.", NOW) for name in NAMES], user="ana")
    memory.ingest([Turn("secret-of-bo-77", "s", "user", "The quokka of Bo.", NOW)], user="bo")
    return memory.get(NAMES[0], user="ana")


def ways(record: Record) -> list[str]:
    """Every name of the first record."""
    shown = handle(record.key)
    return [record.id, record.key, shown, shown[1:-1], record.key[:8], record.key[:15], "nightly-build-0001…"]


def test_every_verb_takes_every_name(memory: Memory, record: Record) -> None:
    for name in ways(record):
        assert memory.get(name, user="ana").key == record.key
        assert [each.key for each in memory.history(name, user="ana")] == [record.key]
        assert memory.feedback(name, "helpful", user="ana").id == record.id
        assert memory.forget([name], user="ana", dry_run=True).would[0].id == record.id
    [tea] = [each for each in memory.list(user="ana") if each.id == "tea"]
    assert memory.get("tea", user="ana") == tea, "a whole id comes before the start of another"
    assert memory.get("teap", user="ana").id == "teapot-blue"


def test_a_handle_in_a_context_leads_to_its_record(memory: Memory, record: Record) -> None:
    context = memory.assemble("what does the quokka like, nightly build 0001?", user="ana", session="new")
    for cited in context.citations:
        assert cited.handle in context.text
        assert memory.get(cited.handle, user="ana").id == cited.id


def test_a_name_of_several_records_lists_them(memory: Memory, record: Record) -> None:
    with pytest.raises(InputError) as raised:
        memory.get("nightly", user="ana")
    assert not isinstance(raised.value, NotFoundError)
    listed = [memory.get(name, user="ana") for name in NAMES[:2]]
    assert all(
        repr(each.id) in raised.value.message and handle(each.key)[1:-1] in raised.value.message for each in listed
    )
    with pytest.raises(InputError, match="Several"):
        memory.forget(["nightly-build-000"], user="ana")


def test_nothing_outside_the_view_is_matched_or_named(memory: Memory, record: Record) -> None:
    hidden = memory.get("secret-of-bo-77", user="bo")
    for name in (handle(hidden.key), hidden.key, hidden.key[:12], "secret-of-bo", "secret"):
        for call in (memory.get, memory.history, lambda given, **who: memory.forget([given], **who)):
            with pytest.raises(NotFoundError) as raised:
                call(name, user="ana")
            assert "bo-77" not in raised.value.message
    memory.ingest([Turn("nightly-build-0003", "s", "user", "Bo's.", NOW)], user="bo")
    with pytest.raises(InputError) as ambiguous:
        memory.get("nightly", user="ana")
    assert "0003" not in ambiguous.value.message
    assert memory.get("nightly", user="bo").id == "nightly-build-0003"


@pytest.mark.parametrize("name", ["nightly", "teapot", "t", "teap…"])
def test_deleting_needs_more_than_a_few_letters(memory: Memory, record: Record, name: str) -> None:
    for call in (
        lambda: memory.forget([name], user="ana"),
        lambda: memory.governance.rollback(name, reason="x", user="ana"),
        lambda: memory.remember("The quokka likes rain.", supersedes=name, user="ana"),
        lambda: memory.governance.distill([name], "The quokka likes rain.", user="ana"),
        lambda: memory.feedback("tea", "duplicate", of=name, user="ana"),
    ):
        with pytest.raises(InputError) as raised:
            call()
        assert "8 characters" in raised.value.remedy
    assert len(memory.list(user="ana")) == len(NAMES)


def test_labels_need_whole_names(memory: Memory, record: Record) -> None:
    for name in ("nightly-build-000", "teapot-blu"):
        with pytest.raises(NotFoundError):
            memory.gate.calibrate([RelevanceLabel(name, True)], user="ana")
        with pytest.raises(NotFoundError):
            memory.calibration.fit([RelevanceLabel(name, True, "tea")], user="ana")


def test_forgetting_by_a_safe_start_or_handle(memory: Memory, record: Record) -> None:
    assert memory.forget(["teapot-b"], user="ana").records == 1
    assert memory.forget([handle(record.key)], user="ana").records == 1
    assert sorted(each.id for each in memory.list(user="ana")) == [NAMES[1], "tea"]


def test_search_leaves_out_whatever_name_is_given(memory: Memory, record: Record) -> None:
    assert record.id in [hit.record.id for hit in memory.search("quokka nightly", user="ana")]
    for name in (record.id, record.key, handle(record.key)):
        found = [hit.record.id for hit in memory.search("quokka nightly", user="ana", exclude=[name])]
        assert found and record.id not in found
        assert memory.where(user="ana", exclude=[name]).exclude[-1] == record.key
    assert len(memory.search("quokka nightly", user="ana", exclude=["no-such-record", "[m:00000000]"])) == len(NAMES)


def test_an_id_in_two_sessions_is_excluded_in_both_and_found_by_handle(memory: Memory, record: Record) -> None:
    memory.ingest([Turn("tea", "s2", "user", "The quokka likes tea a lot.", NOW)], user="ana")
    assert "tea" not in [hit.record.id for hit in memory.search("quokka tea", user="ana", exclude=["tea"])]
    with pytest.raises(InputError, match="in session 's2'") as raised:
        memory.get("tea", user="ana")
    assert "session" in raised.value.remedy
    assert memory.get("tea", user="ana", session="s2").session == "s2"


def test_candidates_are_promoted_by_handle(memory: Memory, record: Record) -> None:
    candidate = memory.governance.distill(["tea"], "Ana's quokka likes tea.", user="ana")
    with pytest.raises(InputError, match="No candidate"):
        memory.governance.promote(candidate.id[:7], user="ana")
    assert memory.governance.promote(handle(candidate.key), user="ana").id == candidate.id
