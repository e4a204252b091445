"""What speaks for a record beside its own score: its session, its neighbours, who said it, how and when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from recollect.math.support import nearness, session_best
from recollect.store.base import Glance, Surroundings
from recollect.text.aim import Aim, asking_share, ends_asking, named_speaker, personal_share, speaker_of
from recollect.types import AGENT_ROLES

LEAST_ASKING = 0.1  # share of a text that asks from which it is a question; less is the courtesy an agent closes with


@dataclass(frozen=True, slots=True)
class Scene:
    """The records that are weighed: their fused scores, the neighbours of the best of them, and what is asked."""

    fused: Mapping[str, float]
    around: Mapping[str, Surroundings]
    glances: Mapping[str, Glance]
    aim: Aim
    query: str


@dataclass(frozen=True, slots=True)
class Manner:
    """How a record is spoken: by whom, and how far it asks."""

    speaker: str | None
    agent: bool
    asks: float


def parts_of(scene: Scene, fade: float) -> dict[str, dict[str, float]]:
    """What else speaks for each record, and against it, every part in [0, 1]."""
    manners = {key: _manner(glance) for key, glance in scene.glances.items()}
    session = session_best(scene.fused, {key: glance.session for key, glance in scene.glances.items()})
    near = nearness(scene.fused, {key: (side.before, side.after) for key, side in scene.around.items()}, fade)
    answers = _answers(scene, manners)
    speaker = named_speaker(scene.query, {manner.speaker for manner in manners.values()})
    discount = scene.aim.agent_discount
    return {
        key: {
            "session": session[key],
            "near": near.get(key, 0.0),
            "answers": answers.get(key, 0.0),
            "date": scene.aim.covers(glance.time),
            "personal": personal_share(glance.text) if scene.aim.of_asker and not manners[key].agent else 0.0,
            "speaker": float(manners[key].speaker == speaker is not None),
            "asks": manners[key].asks,
            "agent": discount if manners[key].agent else 0.0,
        }
        for key, glance in scene.glances.items()
    }


def _manner(glance: Glance) -> Manner:
    speaker = speaker_of(glance.role, glance.text)
    return Manner(speaker, glance.role in AGENT_ROLES and speaker is None, asking_share(glance.text))


def _answers(scene: Scene, manners: Mapping[str, Manner]) -> dict[str, float]:
    """The score of the question that a turn replies to; what an agent replies counts only when that is asked for."""
    found: dict[str, float] = {}
    for key, beside in scene.around.items():
        if not beside.after or key not in manners or manners[key].asks < LEAST_ASKING:
            continue
        reply = manners.get(beside.after[0])
        if reply is None or (reply.agent and not scene.aim.of_agent) or not ends_asking(scene.glances[key].text):
            continue
        found[beside.after[0]] = scene.fused[key]
    return found
