"""What people say in these tests, and how to look for it afterwards."""

from __future__ import annotations

from collections import Counter

from real_hosts.home import Home

FACT = "We deploy to Lisbon on Fridays, after the tide tables are in."
QUESTION = "On which day do we deploy, and to which city?"
ANSWER = "On Fridays, to Lisbon."
SECRET = "zanzibar-4711"
CONFIDENCE = f"The gate has a code. <private>It is {SECRET}.</private> Do not lose it."
TOLD = "This is the user's long-term memory."  # how the server's instructions begin


def said(home: Home) -> Counter[tuple[str, str]]:
    """Every turn in the store: by whom, what, how often."""
    records = home.records("--kind", "turn")
    return Counter((record["role"], " ".join(record["text"].split())) for record in records)


def betrayed(home: Home) -> list[str]:
    """Our files that hold the secret, in the store or beside it."""
    ours = [*home.folder.glob("memory.db*"), *(home.folder / ".local").rglob("*"), *(home.folder / "run").rglob("*")]
    assert home.store in ours
    return [file.name for file in ours if file.is_file() and SECRET.encode() in file.read_bytes()]
