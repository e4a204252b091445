"""Invisible and control characters, which a prompt must not hold."""

from __future__ import annotations

import re

# Some scripts and emoji need invisible characters: `kept`.
_JOINING = "\u0600-\u08ff\u0900-\u0dff\u0e00-\u109f\u1780-\u18af\ufb50-\ufdff\ufe70-\ufefc"  # scripts that need joiners
_RTL = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_EMOJI = "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_PICTURE = f"[{_EMOJI}][\ufe0e\ufe0f]?[\U0001f3fb-\U0001f3ff]?"
_NATIONS = "|".join("".join(chr(0xE0000 + ord(c)) for c in name) for name in ("gbeng", "gbsct", "gbwls"))
UNSEEN = re.compile(
    "(?P<kept>"
    f"\U0001f3f4(?:{_NATIONS})\U000e007f"  # the three flags that use tag characters
    f"|{_PICTURE}(?:\u200d{_PICTURE})*"
    "|[0-9#*]\ufe0f\u20e3"  # keycaps
    f"|[{_HAN}][\ufe00-\ufe02\U000e0100-\U000e01ef]"  # one variant of an ideograph, which names need
    "|[\u1820-\u1878][\u180b-\u180d]"  # one variant of a Mongolian letter
    f"|[\u200c\u200d](?<=[{_JOINING}].)"
    f"|[\u200e\u200f\u061c](?<=[{_RTL}].)"
    ")|(?P<control>"
    "\x1b\\[[0-?]*+[ -/]*+[@-~]|\x1b\\][^\x07\x1b\n]*+(?:\x07|\x1b\\\\)"  # terminal colours, titles and links
    "|[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f]++|(?P<broken>[\ud800-\udfff]++)"
    ")|(?P<hidden>"
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]++)"
)
