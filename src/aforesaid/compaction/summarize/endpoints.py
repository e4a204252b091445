"""Summarisers that call a service with OpenAI's `/chat/completions`: OpenAI itself, Ollama and many others."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from aforesaid._util.json_http import openai_post
from aforesaid.compaction.summarize import SummaryDraft, SummarySource, Tightness
from aforesaid.compaction.summarize.phrases import fit
from aforesaid.compaction.summarize.prompt import PREVIOUS_TOKENS, clean_answer, messages
from aforesaid.embed.endpoints import ollama_url
from aforesaid.errors import EndpointError, InputError, SettingsError
from aforesaid.math.summaries import decoder_confidence
from aforesaid.math.tokens import estimate_tokens
from aforesaid.types import storable

ANSWER_BYTES = 1_000_000  # enough for a summary with its log probabilities
SPARE_TOKENS = 64  # lets a model finish its sentence; the summary is then cut to the cap
MIN_LOGPROB = -100.0  # some services send -9999; one such token must not dominate the mean


class OpenAISummarizer:
    """A service with OpenAI's `/chat/completions`. URL and key default to OPENAI_BASE_URL and OPENAI_API_KEY."""

    provider = "openai"

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout_ms: int = 60_000,
        retries: int = 3,
        previous_tokens: int = PREVIOUS_TOKENS,
        count: Callable[[str], int] = estimate_tokens,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if not model.strip():
            raise SettingsError(f"No model is named, and {self.provider} has no default.", "Name the model to ask for.")
        self.name = f"{self.provider}:{model}"
        self._model = model
        self._post = openai_post(
            "/chat/completions", base_url, api_key, timeout_ms=timeout_ms, retries=retries, sleep=sleep
        )
        self._count = count
        self._previous_tokens = previous_tokens

    def summarize(
        self, sources: Sequence[SummarySource], cap_tokens: int, previous: str = "", *, tightness: Tightness = "normal"
    ) -> SummaryDraft:
        """The draft of the model, cut to the cap (half of it unless normal). Raises EndpointError if there is none."""
        room = cap_tokens if tightness == "normal" else cap_tokens // 2
        if room < 1 or not any(source.text.strip() for source in sources):
            return SummaryDraft("", "abstractive")
        prompt = messages(
            sources, room, previous, tightness=tightness, count=self._count, previous_tokens=self._previous_tokens
        )
        body = {
            "model": self._model,
            "messages": [{"role": each["role"], "content": storable(each["content"])} for each in prompt],
            "temperature": 0,
            "max_tokens": room + SPARE_TOKENS,
            "logprobs": True,
            "stream": False,
        }
        answer = self._post(body, ANSWER_BYTES)
        choices = answer.get("choices") if isinstance(answer, dict) else None
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
            raise self._malformed("no list of choices")
        text = fit(clean_answer(storable(self._content(choices[0].get("message")))), room, self._count)
        if not text:
            raise self._malformed("an empty summary")
        return SummaryDraft(text, "abstractive", _confidence(choices[0].get("logprobs")))

    def _malformed(self, what: str) -> EndpointError:
        return EndpointError(f"{self._post.url} answered with {what}.", "Check that it serves a chat model.")

    def _content(self, message: Any) -> str:
        """The text of a message. Some services send it in parts."""
        content = message.get("content") if isinstance(message, dict) else None
        if isinstance(content, list):
            parts = [part.get("text") for part in content if isinstance(part, dict)]
            content = "".join(part for part in parts if isinstance(part, str))
        if not isinstance(content, str):
            raise self._malformed("no text in its message")
        return content


class OllamaSummarizer(OpenAISummarizer):
    """A chat model that Ollama serves. The host defaults to OLLAMA_HOST, else this machine."""

    provider = "ollama"

    def __init__(self, model: str, host: str | None = None, **options: Any) -> None:
        super().__init__(model, ollama_url(host), api_key="", **options)


def _confidence(found: Any) -> float | None:
    """exp(mean log p) of the tokens of an answer; None when the service does not send them."""
    tokens = found.get("content") if isinstance(found, dict) else None
    if not isinstance(tokens, list) or not tokens:
        return None
    logs = [token.get("logprob") if isinstance(token, dict) else None for token in tokens]
    if not all(isinstance(log, int | float) and not isinstance(log, bool) for log in logs):
        return None
    try:
        return decoder_confidence([min(max(float(log), MIN_LOGPROB), 0.0) for log in logs if log is not None])
    except (InputError, OverflowError):
        return None
