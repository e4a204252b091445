"""The policies that come with recollect, to start from: commented text, ready to be edited."""

from __future__ import annotations

from recollect.types import check_choice

TEMPLATES = ("solo", "team", "organisation")


def template(name: str) -> str:
    """The text of a shipped policy."""
    from importlib import resources  # slow to import, and seldom needed

    check_choice(name, TEMPLATES, "template")
    return (resources.files("recollect.policy") / "templates" / f"{name}.yaml").read_text(encoding="utf-8")
