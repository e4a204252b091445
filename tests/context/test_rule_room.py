"""Hard rules and their share of a prompt: checked at load, at open, and for every budget (spec 6, L7.8)."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from aforesaid.embed.hashing import HashEmbedder
from aforesaid.errors import InputError
from aforesaid.memory import Memory
from aforesaid.settings import Settings
from aforesaid.store.sqlite import SQLiteStore
from support.cli import data, run
from support.clock import standing_clock

HEAVY = "\n".join(f"- Rule number {i} is a long one about everything in the shop." for i in range(60))
ROOMY = Settings().changed({"assemble.budget_tokens": 8000}, "test")


def opened(path: Path, settings: Settings, tenant: str = "default") -> Memory:
    store = SQLiteStore(path)
    return Memory(store, HashEmbedder(64), settings=settings, clock=standing_clock, tenant=tenant)


def loaded(path: Path) -> Path:
    """A memory whose rules fit the budget that it was made with, and not the usual one."""
    with opened(path, ROOMY) as memory:
        memory.documents.load("heavy.md", text=HEAVY, project="shop")
        memory.documents.load("light.md", text="- Be brief.\n", user="ana")
    return path


def test_opening_warns_and_goes_on(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    loaded(path)
    assert caplog.messages == [], "they fit"
    with opened(path, Settings()) as memory:
        [record] = caplog.records
        assert record.levelno == logging.WARNING
        assert record.getMessage().startswith("project:shop: the hard rules need ")
        assert "and 500 are reserved for them (assemble.hard = 0.25 of a budget of 2000). Turn" in record.getMessage()
        memory.for_tenant("other").list()
        memory.acting("tool:mail").list()
        assert len(caplog.records) == 1, "told once"
        memory.remember("The shop opens at nine.", project="shop")
        assert [hit.record.text for hit in memory.search("when does the shop open", project="shop", kinds=["claim"])]
        assert memory.documents.unload("heavy.md", project="shop").hard_tokens == 0
    caplog.clear()
    opened(path, Settings()).close()
    assert caplog.messages == []


def test_a_context_tells_the_numbers_for_its_own_budget(path: Path) -> None:
    with opened(loaded(path), ROOMY) as memory:
        whole = memory.assemble("shop", project="shop")
        assert whole.degraded == "" and whole.system.count("Rule number") == 60
        tight = memory.assemble("shop", project="shop", budget_tokens=2000)
        assert tight.system == whole.system, "hard rules are whole"
        needed = int(tight.degraded.split()[4])
        assert 500 < needed < 2000
        assert tight.degraded == (
            f"the hard rules need {needed} tokens, and 500 are reserved for them (assemble.hard = 0.25 of a budget of 2000)"
        )
        short = memory.assemble("shop", project="shop", budget_tokens=300)
        assert short.degraded == f"the hard rules need {needed} of 300 tokens and are left out" and not short.system
        assert memory.assemble("shop", project="shop", budget_tokens=4 * needed).degraded == ""
        assert memory.assemble("shop", project="shop", budget_tokens=4 * needed - 1).degraded


def test_a_caller_is_told_about_the_rules_that_apply_to_it(path: Path) -> None:
    with opened(loaded(path), Settings()) as memory:
        assert memory.documents.problem(user="ana") == ""
        assert memory.documents.problem(user="ana", project="shop").startswith("the hard rules need ")
        with pytest.raises(InputError, match=r"With more\.md, the hard rules need"):
            memory.documents.load("more.md", text="- And one more.\n", project="shop")


def test_the_command_line_and_doctor_tell(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (path.parent / "heavy.md").write_text(HEAVY)
    run(path, "--set", "assemble.budget_tokens=15000", "load", str(path.parent / "heavy.md"), "--project", "shop")
    assert caplog.messages == []
    found = data(run(path, "--json", "assemble", "the shop", "--project", "shop"))
    assert found["degraded"].startswith("the hard rules need ")
    assert caplog.messages[0].startswith("project:shop: the hard rules need ")
    checks = {check["name"]: check for check in data(run(path, "--json", "doctor"))["checks"]}
    assert checks["rules"]["state"] == "warn" and checks["rules"]["found"].startswith("project:shop: the hard rules")
    assert "assemble.hard" in checks["rules"]["remedy"]


def test_mcp_tells(path: Path) -> None:
    pytest.importorskip("mcp")
    from support.mcp_client import Talk

    with opened(loaded(path), Settings()) as memory:
        talk = Talk(memory)
        assert talk.call("memory_status")["problem"].startswith("the hard rules need ")
        found = talk.call("memory_assemble", query="the shop", budget_tokens=1500)
        assert "are reserved for them" in found["degraded"]
