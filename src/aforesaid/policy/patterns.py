"""The regular expressions of a policy, compiled by RE2: matching time is linear for every pattern and text."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from aforesaid.errors import RuleError

MAX_CHARS = 1000  # a pattern for a ticket number has twenty
_SAMPLES = ("", " a ")  # texts that show whether a pattern matches the empty text
_SYNTAX = "Look-around and back-references are not part of RE2 syntax."


def compile_pattern(pattern: str) -> Any:
    """The pattern as an RE2 object with the methods of `re.Pattern`; raises RuleError if it cannot be used."""
    re2 = import_module("re2")  # it has no type hints, and is slow to import
    if len(pattern) > MAX_CHARS:
        raise RuleError(f"the pattern has {len(pattern)} characters, over {MAX_CHARS}.", "Split it into several.")
    options = re2.Options()
    options.log_errors = False
    try:
        expression = re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0].decode(errors="replace") if isinstance(error.args[0], bytes) else str(error)
        raise RuleError(f"the pattern cannot be read: {reason}.", _SYNTAX) from None
    if any(found.start() == found.end() for sample in _SAMPLES for found in expression.finditer(sample)):
        raise RuleError("the pattern matches the empty text.", "Make it match at least one character.")
    return expression
