"""Reads plain transcripts, line by line: `Speaker: text` starts a turn, and the lines after it belong to it.

    # planning                          a session (also `## 2026-03-05 call` or `--- session: planning ---`)
    [2026-03-05 10:12] User: Hello.     a time before the speaker is optional; without a zone it is UTC
    Assistant: Good morning.            no time: that of the turn before, or the day in the session's heading
    It rained here.                     a continuation; so is everything inside a code fence

A heading inside a message is a session only if a speaker follows. A line with a space in front, a label such as
`Note:`, a URL or a clock time starts no turn.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from aforesaid.errors import FormatError, InputError
from aforesaid.text.patterns import listed
from aforesaid.types import Turn, as_time

ROLES = {
    **dict.fromkeys(("user", "human", "me", "you", "ユーザー"), "user"),
    **dict.fromkeys(("assistant", "ai", "bot", "agent", "claude", "chatgpt", "アシスタント"), "assistant"),
    **{role: role for role in ("system", "tool", "developer")},
}
LABELS = listed("labels")  # words before a colon that are hardly ever somebody's name
PARTICLES = frozenset(("da", "de", "del", "der", "di", "du", "la", "of", "the", "van", "von", "y"))
JAPANESE_CLAUSE = re.compile("[^\u3040-\u309f][のはをがにで]|です|ます")  # before a colon, but not a name
NAME_CHARS = 40
SESSION_CHARS = 200  # of a heading; ids are made of it, and have a limit

STAMP = re.compile(
    r"\[?(?P<day>\d{4}-\d\d-\d\d)"
    r"(?:[T ](?P<hour>\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)(?P<zone>Z|[+-]\d\d:?\d\d)?)?\]?[ \t,-]+"
)
CLOCK = re.compile(r"\[(?P<hour>\d{1,2}:\d\d(?::\d\d)?)\][ \t]+")
SPEAKER = re.compile(
    r"(?P<bold>\*\*)?(?P<name>[^\W\d_][\w.'’-]*(?: [\w.'’()-]+){0,3}?)(?(bold)\*{0,2})"
    r"(?:：|:(?=\s|\*\*|$))(?(bold)\*{0,2})\s*(?P<text>.*)"
)
HEADING = re.compile(r"#{1,6}\s+(?P<name>\S.*?)\s*#*$")
RULE = re.compile(r"-{2,}\s*session\s*:\s*(?P<name>\S.*?)\s*-{2,}$", re.IGNORECASE)
DAY = re.compile(r"\d{4}-\d\d-\d\d")
FENCE = re.compile(r"(?P<mark>`{3,}|~{3,})(?P<info>.*)")


@dataclass(frozen=True, slots=True)
class PlacedTurn:
    """A turn and the line it started on."""

    line: int
    turn: Turn


class Transcript:
    """Takes lines one by one and returns each turn when the next one starts. It can go on after an error."""

    def __init__(self, session: str) -> None:
        self._session = session
        self._counts: dict[str, int] = {}
        self._time: datetime | None = None
        self._role = ""
        self._start = 0  # line of the turn that is being read; 0 before the first
        self._lines: list[str] = []
        self._held: list[str] = []  # headings and blank lines that may turn out to open a session
        self._fence = ""
        self._fence_line = 0
        self._hidden = 0  # lines inside the open fence that look like turns
        self.line = 0

    def feed(self, line: str, number: int | None = None) -> PlacedTurn | None:
        """Take the next line, or the line of that number. Returns the turn that this line ends, if it ends one."""
        self.line = self.line + 1 if number is None else number
        line = line.rstrip("\r\n")
        if self._fence:
            self._inside_fence(line)
            return None
        if rule := RULE.match(line):
            return self._opened_session([rule["name"]])
        if HEADING.match(line) or (self._held and not line.strip()):
            self._held.append(line)
            return None
        speech = _speech(line, self._time)
        if speech is not None:
            return self._opened_turn(speech)
        self._continued(line)
        return None

    def end(self) -> PlacedTurn | None:
        """The last turn. Raises FormatError first if an unclosed code fence holds lines that look like turns."""
        if self._fence and self._hidden:
            line, self._fence = self._fence_line, ""
            raise FormatError(
                f"The code fence of line {line} is never closed, and hides {self._hidden} lines that look like turns.",
                "Close it.",
            )
        self._lines += self._held
        return self._finished()

    def _inside_fence(self, line: str) -> None:
        self._lines.append(line)
        mark = FENCE.match(line.strip())
        if mark and mark["mark"].startswith(self._fence) and not mark["info"].strip():
            self._fence = ""
        elif _speech(line, None) is not None:
            self._hidden += 1

    def _opened_turn(self, speech: _Speech) -> PlacedTurn | None:
        names = [heading["name"] for line in self._held if (heading := HEADING.match(line))]
        done = self._opened_session(names) if names else self._finished()
        self._time = speech.time or self._time
        self._role, self._start = speech.role, self.line
        self._continued(speech.text)
        return done

    def _opened_session(self, names: list[str]) -> PlacedTurn | None:
        done = self._finished()
        self._session = names[-1].replace("\x00", "")[:SESSION_CHARS]
        days = [day for name in names if (day := _day(name))]
        self._time = days[-1] if days else None
        return done

    def _continued(self, line: str) -> None:
        if not self._start:
            if line.strip():
                raise FormatError(
                    f"The line has no speaker: {line.strip()[:40]!r}.",
                    "Start turns with `Name: text`, sessions with `# name`.",
                )
            return
        self._lines += [*self._held, line]
        self._held = []
        if mark := FENCE.match(line.strip()):
            self._fence, self._fence_line, self._hidden = mark["mark"], self.line, 0

    def _finished(self) -> PlacedTurn | None:
        start, text = self._start, "\n".join(self._lines).strip()
        self._start, self._lines, self._held = 0, [], []
        if not start:
            return None
        number = self._counts[self._session] = self._counts.get(self._session, 0) + 1
        name = "-".join(self._session.split())
        return PlacedTurn(start, Turn(f"{name}-{number:04d}", self._session, self._role, text, self._time))


@dataclass(frozen=True, slots=True)
class _Speech:
    role: str
    text: str
    time: datetime | None


def _speech(line: str, day: datetime | None) -> _Speech | None:
    """The speaker, time and text of a line that starts a turn; None for other lines."""
    stamp = STAMP.match(line) or CLOCK.match(line)
    found = SPEAKER.match(line, stamp.end() if stamp else 0)
    if found is None or len(found["name"]) > NAME_CHARS:
        return None
    role = ROLES.get(found["name"].casefold())
    if role is None and _is_name(found["name"], after_hour=bool(stamp and stamp["hour"])):
        role = found["name"]
    return _Speech(role, found["text"], _moment(stamp, day)) if role else None


def _is_name(name: str, after_hour: bool) -> bool:
    """Whether the words before a colon can be a name. After a time of day a name may be in lower case."""
    words = name.split()
    if words[0].casefold().rstrip(".") in LABELS or JAPANESE_CLAUSE.search(name):
        return False
    return after_hour or not any(word[0].islower() and word not in PARTICLES for word in words)


def _moment(stamp: re.Match[str] | None, day: datetime | None) -> datetime | None:
    if stamp is None:
        return None
    found = stamp.groupdict()
    date = found.get("day") or (day.date().isoformat() if day else None)
    if date is None:
        return None
    hour = (found["hour"] or "00:00").rjust(5, "0")
    try:
        return as_time(f"{date}T{hour}{found.get('zone') or ''}")
    except InputError as error:
        raise FormatError(f"{stamp.group().strip()!r} is not a time.", "Write it like [2026-03-05 10:12].") from error


def _day(heading: str) -> datetime | None:
    found = DAY.search(heading)
    try:
        return as_time(found.group()) if found else None
    except InputError:  # a number that only looks like a day
        return None
