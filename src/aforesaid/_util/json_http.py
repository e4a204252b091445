"""POSTs JSON over HTTP, with limits on time and size, retries after temporary errors, and no keys in messages."""

from __future__ import annotations

import http.client
import ipaddress
import json
import os
import re
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import IO, Any
from urllib.parse import urlsplit

from aforesaid.errors import EndpointError, SettingsError

OPENAI_URL = "https://api.openai.com/v1"
FIRST_WAIT_SECONDS = 0.5  # doubled after every attempt
MAX_WAIT_SECONDS = 60.0  # if a service asks to wait longer, the request fails
QUOTE_CHARS = 200  # of an error answer, in our message
REFUSAL_BYTES = 8_192
READ_BYTES = 65_536


class OpenAIPost:
    """Posts JSON to one path of a service with OpenAI's API. The key never appears in messages.

    URL and key default to OPENAI_BASE_URL and OPENAI_API_KEY.
    """

    def __init__(
        self,
        path: str,
        base_url: str | None,
        api_key: str | None,
        *,
        timeout_ms: int,
        retries: int,
        sleep: Callable[[float], None],
    ) -> None:
        base = (base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI_URL).strip().rstrip("/")
        key = (os.environ.get("OPENAI_API_KEY", "") if api_key is None else api_key).strip()
        if key and not re.fullmatch(r"[!-~]+", key):  # http.client would show the key in its error
            raise SettingsError("The API key contains invalid characters.", "Check OPENAI_API_KEY.")
        self.url = _checked_url(f"{base}{path}")
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"
        self._key = key
        self._timeout_seconds = timeout_ms / 1000
        self._retries = retries
        self._sleep = sleep

    def __call__(self, body: Mapping[str, Any], limit_bytes: int) -> Any:
        """The parsed answer. EndpointError if the service refuses, keeps failing or does not send JSON."""
        data = json.dumps(body).encode()
        wait = FIRST_WAIT_SECONDS
        for attempt in range(self._retries + 1):
            try:
                return self._parsed(self._once(data, limit_bytes))
            except _TemporaryError as fault:
                pause = wait if fault.wait_seconds is None else fault.wait_seconds
                if attempt == self._retries or pause > MAX_WAIT_SECONDS:
                    raise self._error(f"{fault.reason} ({attempt + 1} tries)") from None
            self._sleep(pause)
            wait = min(wait * 2, MAX_WAIT_SECONDS)
        raise AssertionError("unreachable: the last try returns or raises")

    def _once(self, data: bytes, limit_bytes: int) -> bytes:
        request = urllib.request.Request(self.url, data, self._headers, method="POST")
        deadline = time.monotonic() + self._timeout_seconds
        try:
            with self._opener.open(request, timeout=self._timeout_seconds) as response:
                return self._read(response, limit_bytes, deadline)
        except urllib.error.HTTPError as error:
            with error:
                raise self._refused(error) from None
        except (OSError, http.client.HTTPException) as error:
            cause = error.reason if isinstance(error, urllib.error.URLError) else error
            if isinstance(cause, ssl.SSLCertVerificationError):
                raise self._error(f"its certificate is not trusted: {cause.verify_message}") from None
            reason = "no answer in time" if isinstance(cause, TimeoutError) else f"no connection: {cause}"
            raise _TemporaryError(reason) from None

    def _read(self, response: http.client.HTTPResponse, limit_bytes: int, deadline: float) -> bytes:
        chunks, size = [], 0
        while chunk := response.read1(READ_BYTES):  # one wait per call, so that a slow answer meets the deadline
            chunks.append(chunk)
            size += len(chunk)
            if size > limit_bytes:
                raise self._error(f"the answer is longer than {limit_bytes} bytes")
            if time.monotonic() > deadline:
                raise _TemporaryError("no complete answer in time")
        promised = response.headers.get("Content-Length", "")
        if promised.isdigit() and size < int(promised):
            raise _TemporaryError("the connection broke in the middle of the answer")
        return b"".join(chunks)

    def _refused(self, error: urllib.error.HTTPError) -> Exception:
        reason = f"HTTP {error.code}{self._quote(error)}"
        if error.code == 429 or error.code >= 500:
            seconds = error.headers.get("Retry-After", "")  # in seconds; we ignore the rare form with a date
            return _TemporaryError(reason, float(seconds) if re.fullmatch(r"\d{1,9}", seconds) else None)
        return self._error(reason)

    def _quote(self, error: IO[bytes]) -> str:
        """The start of an error answer, on one line; empty if it cannot be read."""
        try:
            raw = error.read(REFUSAL_BYTES)
        except (OSError, http.client.HTTPException):
            return ""
        if len(raw) == REFUSAL_BYTES:  # a key cut in two at the end would not be recognised
            raw = raw[: REFUSAL_BYTES - len(self._key)]
        text = " ".join(self._hidden(raw.decode("utf-8", "replace")).split())
        return f": {text[:QUOTE_CHARS]}" if text else ""

    def _parsed(self, raw: bytes) -> Any:
        try:
            return json.loads(raw)
        except (ValueError, RecursionError):
            raise self._error("the answer is not JSON") from None

    def _error(self, reason: str) -> EndpointError:
        return EndpointError(
            self._hidden(f"{self.url}: {reason}."),
            "Check the address, the model and the key. Keyword search works without it.",
        )

    def _hidden(self, text: str) -> str:
        return text.replace(self._key, "***") if self._key else text

    @cached_property
    def _opener(self) -> urllib.request.OpenerDirector:
        handlers: list[urllib.request.BaseHandler] = [_NoRedirect()]
        if _is_loopback(self.url):  # no proxy for this machine
            handlers.append(urllib.request.ProxyHandler({}))
        return urllib.request.build_opener(*handlers)


class _TemporaryError(Exception):
    """An error that may be gone at the next attempt."""

    def __init__(self, reason: str, wait_seconds: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.wait_seconds = wait_seconds


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Refuses redirects: they would send the key to another address and turn the POST into a GET."""

    def redirect_request(self, *_: object) -> None:
        return None


def _checked_url(url: str) -> str:
    """The URL if it is plain http or https, else SettingsError (without the URL, which may contain a password)."""
    try:
        parts = urlsplit(url)
        plain = parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError:
        plain = False
    if not plain or "@" in url or "?" in url or "#" in url or not re.fullmatch(r"[!-~]+", url):
        raise SettingsError(
            "The endpoint's address is not a plain http or https one.", "Give it like https://host:port/v1."
        )
    return url


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
