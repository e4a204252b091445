"""Asks a chat model of a service with OpenAI's `/chat/completions`."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from aforesaid._util.json_http import OpenAIPost
from aforesaid.errors import EndpointError, SettingsError
from aforesaid.types import storable

ANSWER_BYTES = 1_000_000  # enough for a summary with its log probabilities

_FENCED = re.compile(r"\A\s*(`{3,}|~{3,})[^\n]{0,40}\n(?P<inside>.*?)\n?\s*\1\s*\Z", re.DOTALL)
_THOUGHT = re.compile(r"\A\s*<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)


class ChatModel:
    """One model of one service. URL and key default to OPENAI_BASE_URL and OPENAI_API_KEY."""

    def __init__(
        self,
        provider: str,
        model: str,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        timeout_ms: int = 60_000,
        retries: int = 3,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if not model.strip():
            raise SettingsError(f"No model is named, and {provider} has no default.", "Name the model to ask for.")
        self.name = f"{provider}:{model}"
        self._model = model
        self._post = OpenAIPost(
            "/chat/completions", base_url, api_key, timeout_ms=timeout_ms, retries=retries, sleep=sleep
        )

    def ask(self, messages: Sequence[Mapping[str, str]], max_tokens: int, **more: Any) -> tuple[str, Mapping[str, Any]]:
        """The text of the answer, and the whole choice. Raises EndpointError if there is none."""
        body = {
            "model": self._model,
            "messages": [{"role": each["role"], "content": storable(each["content"])} for each in messages],
            "temperature": 0,
            "max_tokens": max_tokens,
            "stream": False,
            **more,
        }
        answer = self._post(body, ANSWER_BYTES)
        choices = answer.get("choices") if isinstance(answer, dict) else None
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
            raise self.malformed("no list of choices")
        return storable(self._content(choices[0].get("message"))), choices[0]

    def malformed(self, what: str) -> EndpointError:
        """The error for an answer that cannot be used."""
        return EndpointError(f"{self._post.url} answered with {what}.", "Check that it serves a chat model.")

    def _content(self, message: Any) -> str:
        """The text of a message. Some services send it in parts."""
        content = message.get("content") if isinstance(message, dict) else None
        if isinstance(content, list):
            parts = [part.get("text") for part in content if isinstance(part, dict)]
            content = "".join(part for part in parts if isinstance(part, str))
        if not isinstance(content, str):
            raise self.malformed("no text in its message")
        return content


def plain_answer(answer: str) -> str:
    """An answer without the model's thoughts and without a code fence around it."""
    text = _THOUGHT.sub("", answer, count=1)
    fenced = _FENCED.match(text)
    return fenced["inside"] if fenced else text
