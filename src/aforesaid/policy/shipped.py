"""The policy templates that come with aforesaid: commented YAML, ready to edit."""

from __future__ import annotations

from aforesaid.types import check_choice

TEMPLATES = ("solo", "team", "organisation")


def template(name: str) -> str:
    """The text of a policy template."""
    from importlib import resources  # slow to import

    check_choice(name, TEMPLATES, "template")
    return (resources.files("aforesaid.policy") / "templates" / f"{name}.yaml").read_text(encoding="utf-8")
