"""The policies that come with aforesaid, to start from: commented text, ready to be edited."""

from __future__ import annotations

from aforesaid.types import check_choice

TEMPLATES = ("solo", "team", "organisation")


def template(name: str) -> str:
    """The text of a shipped policy."""
    from importlib import resources  # slow to import, and seldom needed

    check_choice(name, TEMPLATES, "template")
    return (resources.files("aforesaid.policy") / "templates" / f"{name}.yaml").read_text(encoding="utf-8")
