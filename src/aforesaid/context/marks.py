"""The fixed words of a context: the titles of its rules, the marks of its records, and the sign of a quoted line."""

from __future__ import annotations

RULES = "Rules that hold:"
GUIDANCE = "Guidance, to be followed where it fits:"
ASKED = "Asked for by the user before; the newest holds where two disagree:"
TITLES = (RULES, GUIDANCE, ASKED)
OUTSIDE = "(from outside)"  # marks untrusted text: from a tool, a page or another person
CHANGED = "(changed since)"  # marks superseded records
QUOTE = ">"  # begins each line of a text that has several, so that none of them can look like a line of ours
INDENT = "  "  # begins the further lines of a rule
