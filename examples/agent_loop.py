"""An agent's turn with a memory around it: assemble before the model speaks, ingest after.

    python examples/agent_loop.py

`answer` stands in for your model; everything else is what a real loop does.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from aforesaid import Memory, Turn


def answer(messages: Sequence[Mapping[str, str]]) -> str:
    """Your model goes here: rules, recent turns, recalled history, and last what the user just said."""
    return f"(a model would answer here, from {len(messages)} messages)"


def main() -> None:
    """Two sessions: what is said in the first is known in the second."""
    with tempfile.TemporaryDirectory() as folder, Memory.open(Path(folder) / "agent.db") as memory:
        for session, said in (
            ("monday", "I'm allergic to cashews, and my sister Lena visits on 5 September."),
            ("monday", "Let's keep answers short."),
            ("thursday", "What should I cook when my sister comes?"),
        ):
            context = memory.assemble(said, user="ana", session=session, budget_tokens=400)
            reply = answer(context.chat({"role": "user", "content": said}))
            count = memory.stats().records
            memory.ingest(
                [
                    Turn(f"{count + 1}", session, "user", said),
                    Turn(f"{count + 2}", session, "assistant", reply),
                ],
                user="ana",
            )
            print(f"{session}: {said}\n  {reply}")
            for item in context.trace:
                print(f"    {item.part} {item.id}: {'taken' if item.taken else 'left out'} ({item.reason})")


if __name__ == "__main__":
    main()
