"""The MCP conformance suite against `aforesaid mcp --http`: every check passes, or fails for a reason written down."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path

import pytest

from real_hosts import programs
from real_hosts.expected_failures import EXPECTED
from real_hosts.home import Home
from real_hosts.served import served

VERSIONS = {"2025-06-18": 27, "2025-11-25": 33, "2026-07-28": 40}  # of the protocol, and the scenarios for each
WHOLE = frozenset(
    (
        "caching",
        "dns-rebinding-protection",
        "http-header-validation",
        "ping",
        "prompts-list",
        "resources-list",
        "sep-2164-resource-not-found",
        "server-initialize",
        "tools-list",
    )
)  # scenarios that need nothing of the suite's own server, and must pass as a whole
STAMP = len("-2026-11-16T11-04-44-683Z")  # behind the name of each scenario's folder

Checks = Mapping[str, Mapping[str, set[str]]]  # scenario → check → how it came out


def run(home: Home, version: str) -> Checks:
    """Every scenario of a version of the protocol."""
    folder = home.folder / "conformance"
    with served(home, "--rate", "1000") as address:
        command = (programs.NODE, programs.CONFORMANCE, "server", "--suite", "all", "--spec-version", version)
        home.run([*command, "--url", address, "--output-dir", folder], code=None)
    return {name(file): outcomes(file) for file in folder.glob("*/checks.json")}


def name(file: Path) -> str:
    """The scenario that a file tells of."""
    return file.parent.name.removeprefix("server-")[:-STAMP]


def outcomes(file: Path) -> Mapping[str, set[str]]:
    """How each check of a scenario came out."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for check in json.loads(file.read_text(encoding="utf-8")):
        found[check["id"]].add(check["status"])
    return found


@pytest.mark.parametrize("version", VERSIONS)
def test_what_fails_fails_for_a_reason(home: Home, version: str, capsys: pytest.CaptureFixture[str]) -> None:
    scenarios = run(home, version)
    assert len(scenarios) == VERSIONS[version]
    failed = {f"{scenario}/{check}" for scenario, checks in scenarios.items()
              for check, came in checks.items() if "FAILURE" in came}  # fmt: skip
    expected = {check for check in EXPECTED if check.partition("/")[0] in scenarios}
    assert failed - expected == set(), "unexpected failures"
    assert expected - failed == set(), "unexpected passes: take them out of expected_failures.py"
    whole = WHOLE & scenarios.keys()
    assert whole and not {check.partition("/")[0] for check in failed} & whole
    told = Counter(status for checks in scenarios.values() for came in checks.values() for status in came)
    with capsys.disabled():
        counts = f"{told['SUCCESS']} checks passed, {len(failed)} failed as expected, {told['WARNING']} warnings"
        print(f"\nconformance {version}: {counts}, {len(scenarios)} scenarios")  # noqa: T201
