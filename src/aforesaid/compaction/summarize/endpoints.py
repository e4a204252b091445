"""Summarisers that call a service with OpenAI's `/chat/completions`, or Ollama."""

from __future__ import annotations

import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from aforesaid._util.json_http import JsonPost, openai_post
from aforesaid.compaction.summarize.base import SummaryDraft, SummarySource, Tightness
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


class EndpointSummarizer(ABC):
    """What the services share: the prompt, the token limit, and errors."""

    def __init__(
        self, provider: str, model: str, post: JsonPost, count: Callable[[str], int], previous_tokens: int
    ) -> None:
        if not model.strip():
            raise SettingsError(f"No model is named, and {provider} has no default.", "Name the model to ask for.")
        self._name = f"{provider}:{model}"
        self._model = model
        self._post = post
        self._count = count
        self._previous_tokens = previous_tokens

    @property
    def name(self) -> str:
        """The provider and the model."""
        return self._name

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
        clean = [{"role": each["role"], "content": storable(each["content"])} for each in prompt]
        answer = self._post(self._body(clean, room + SPARE_TOKENS), ANSWER_BYTES)
        text, confidence = self._read(answer)
        text = fit(clean_answer(storable(text)), room, self._count)
        if not text:
            raise self._malformed("an empty summary")
        return SummaryDraft(text, "abstractive", confidence)

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

    @abstractmethod
    def _body(self, prompt: list[dict[str, str]], max_tokens: int) -> dict[str, Any]:
        """The request for these messages."""

    @abstractmethod
    def _read(self, answer: Any) -> tuple[str, float | None]:
        """The text of an answer, and the confidence of the decoder if known."""


class OpenAISummarizer(EndpointSummarizer):
    """A service with OpenAI's `/chat/completions`. The key comes from the environment variable `api_key_env`."""

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        api_key_env: str = "OPENAI_API_KEY",
        timeout_ms: int = 60_000,
        retries: int = 3,
        previous_tokens: int = PREVIOUS_TOKENS,
        count: Callable[[str], int] = estimate_tokens,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        key = os.environ.get(api_key_env, "") if api_key_env else ""
        post = openai_post(
            "/chat/completions", base_url, key, api_key_env, timeout_ms=timeout_ms, retries=retries, sleep=sleep
        )
        super().__init__("openai", model, post, count, previous_tokens)

    def _body(self, prompt: list[dict[str, str]], max_tokens: int) -> dict[str, Any]:
        body = {"model": self._model, "messages": prompt, "temperature": 0, "max_tokens": max_tokens}
        return {**body, "logprobs": True, "stream": False}

    def _read(self, answer: Any) -> tuple[str, float | None]:
        choices = answer.get("choices") if isinstance(answer, dict) else None
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
            raise self._malformed("no list of choices")
        return self._content(choices[0].get("message")), _confidence(choices[0].get("logprobs"))


class OllamaSummarizer(EndpointSummarizer):
    """A chat model of Ollama. The host defaults to OLLAMA_HOST, then to this machine."""

    def __init__(
        self,
        model: str,
        host: str | None = None,
        timeout_ms: int = 60_000,
        retries: int = 3,
        previous_tokens: int = PREVIOUS_TOKENS,
        count: Callable[[str], int] = estimate_tokens,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        url = ollama_url(host or os.environ.get("OLLAMA_HOST") or "")
        post = JsonPost(f"{url}/api/chat", timeout_ms=timeout_ms, retries=retries, sleep=sleep)
        super().__init__("ollama", model, post, count, previous_tokens)

    def _body(self, prompt: list[dict[str, str]], max_tokens: int) -> dict[str, Any]:
        options = {"temperature": 0, "num_predict": max_tokens}
        return {"model": self._model, "messages": prompt, "stream": False, "logprobs": True, "options": options}

    def _read(self, answer: Any) -> tuple[str, float | None]:
        if not isinstance(answer, dict):
            raise self._malformed("no message")
        return self._content(answer.get("message")), _confidence(answer.get("logprobs"))


def _confidence(found: Any) -> float | None:
    """exp(mean log p) of the tokens of an answer; None when the service does not send them."""
    tokens = found.get("content") if isinstance(found, dict) else found
    if not isinstance(tokens, list) or not tokens:
        return None
    logs = [token.get("logprob") if isinstance(token, dict) else None for token in tokens]
    if not all(isinstance(log, int | float) and not isinstance(log, bool) for log in logs):
        return None
    try:
        return decoder_confidence([min(max(float(log), MIN_LOGPROB), 0.0) for log in logs if log is not None])
    except (InputError, OverflowError):
        return None
