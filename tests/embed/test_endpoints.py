"""Embedding services, against a real server on loopback: what is sent, what is tried again, what is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aforesaid import Memory
from aforesaid.embed.endpoints import OllamaEmbedder, OpenAIEmbedder, ollama_url
from aforesaid.embed.hashing import HashEmbedder
from aforesaid.errors import AforesaidError, DimensionError, EndpointError, SettingsError
from support import loopback
from support.loopback import Reply, Service

KEY = "sk-test-0123456789abcdef"


def answer(path: str, body: Any) -> Reply:
    """What a service that works says."""
    return rows_reply([vector(text) for text in body["input"]])


def rows_reply(rows: list[list[float]]) -> Reply:
    data = [{"index": place, "embedding": row} for place, row in enumerate(rows)]
    return Reply(body={"data": data[::-1]})  # out of order, as the protocol allows


def vector(text: str) -> list[float]:
    return [float(len(text)), 1.0, float(sum(map(ord, text)) % 7)]


def unit(text: str) -> np.ndarray:
    return np.array(vector(text)) / np.linalg.norm(vector(text))


@pytest.fixture
def service() -> Iterator[Service]:
    with loopback.service(answer) as state:
        yield state


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "OLLAMA_HOST"):
        monkeypatch.delenv(name, raising=False)


def openai(service: Service, sleeps: list[float] | None = None, **options: Any) -> OpenAIEmbedder:
    sleep = sleeps.append if sleeps is not None else lambda _: None
    return OpenAIEmbedder("small", f"{service.url}/v1", KEY, sleep=sleep, **options)


def ollama(service: Service, **options: Any) -> OllamaEmbedder:
    return OllamaEmbedder("small", service.url, sleep=lambda _: None, **options)


Maker = Callable[..., OpenAIEmbedder | OllamaEmbedder]
both = pytest.mark.parametrize("make", [openai, ollama])


@both
def test_batches_in_order_as_unit_rows(service: Service, make: Maker) -> None:
    texts = [f"text {number}" * number for number in range(1, 8)]
    rows = make(service, batch=3).embed(texts)
    assert [len(body["input"]) for body in service.bodies] == [3, 3, 1]
    assert rows.dtype == np.float32
    assert np.allclose(rows, [unit(text) for text in texts], atol=1e-6)


def test_openai_sends_model_key_and_dimensions_only_when_set(service: Service) -> None:
    openai(service).embed(["a"])
    openai(service, dimensions=3).embed(["a"])
    assert service.paths == ["/v1/embeddings"] * 2
    assert service.bodies == [{"model": "small", "input": ["a"]}, {"model": "small", "input": ["a"], "dimensions": 3}]
    assert service.keys == [f"Bearer {KEY}"] * 2


def test_ollama_sends_no_key(service: Service) -> None:
    ollama(service).embed_query("a")
    assert (service.paths, service.keys) == (["/v1/embeddings"], [None])
    assert service.bodies == [{"model": "small", "input": ["a"]}]


def test_addresses_and_key_come_from_the_environment(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"{service.url}/other/")
    monkeypatch.setenv("OPENAI_API_KEY", "from-environment\n")
    monkeypatch.setenv("OLLAMA_HOST", service.url.removeprefix("http://"))
    OpenAIEmbedder("m").embed(["a"])
    OllamaEmbedder("m").embed(["a"])
    assert service.paths == ["/other/embeddings", "/v1/embeddings"]
    assert service.keys == ["Bearer from-environment", None]


def test_a_proxy_is_not_asked_for_this_machine(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert openai(service, retries=0).embed(["a"]).shape == (1, 3)


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:8080", "http://127.0.0.1:8080"),
        (":8080", "http://127.0.0.1:8080"),
        ("box.local", "http://box.local:11434"),
        ("[::1]", "http://[::1]:11434"),
        ("[::1]:99", "http://[::1]:99"),
        ("https://box.example/ollama/", "https://box.example/ollama"),
    ],
)
def test_ollama_hosts_as_people_write_them(host: str, url: str) -> None:
    assert ollama_url(host) == f"{url}/v1"


@both
def test_nothing_is_sent_before_it_is_needed(service: Service, make: Maker) -> None:
    embedder = make(service, dimensions=3)
    assert embedder.name.endswith(":small@3") and embedder.dimensions == 3
    assert embedder.embed([]).shape == (0, 3)
    assert service.bodies == []


@both
def test_unknown_dimensions_take_one_request(service: Service, make: Maker) -> None:
    embedder = make(service)
    assert (embedder.dimensions, embedder.dimensions, len(service.bodies)) == (3, 3, 1)


def test_empty_texts_do_not_spoil_a_batch_and_lone_surrogates_can_be_sent(service: Service) -> None:
    assert openai(service).embed(["", " \n", "x\ud800"]).shape == (3, 3)
    assert service.bodies[0]["input"] == [".", ".", "x\ufffd"]


def test_the_cache_saves_requests(service: Service) -> None:
    embedder = openai(service, cache_texts=10)
    embedder.embed(["a", "b"])
    assert np.allclose(embedder.embed(["b", "c"]), [unit("b"), unit("c")], atol=1e-6)
    assert [body["input"] for body in service.bodies] == [["a", "b"], ["c"]]


@both
@pytest.mark.parametrize("status", [429, 500, 503])
def test_passing_faults_are_tried_again(service: Service, make: Maker, status: int) -> None:
    service.script = [Reply(status)] * 2
    assert make(service, retries=2).embed(["a"]).shape == (1, 3)
    assert len(service.bodies) == 3


def test_waits_grow_and_retry_after_is_honoured(service: Service) -> None:
    sleeps: list[float] = []
    service.script = [
        Reply(500),
        Reply(500),
        Reply(429, headers={"Retry-After": "7"}),
        Reply(503, headers={"Retry-After": "soon"}),
    ]
    openai(service, sleeps, retries=4).embed(["a"])
    assert sleeps == [0.5, 1.0, 7.0, 4.0]


def test_a_service_that_asks_for_an_hour_is_reported(service: Service) -> None:
    sleeps: list[float] = []
    service.script = [Reply(429, headers={"Retry-After": "3600"})]
    with pytest.raises(EndpointError, match="429"):
        openai(service, sleeps).embed(["a"])
    assert sleeps == []


def test_retries_end(service: Service) -> None:
    service.script = [Reply(500, b"overloaded")] * 9
    with pytest.raises(EndpointError, match=r"HTTP 500: overloaded \(3 tries\)") as caught:
        openai(service, retries=2).embed(["a"])
    assert len(service.bodies) == 3 and "Keyword search works" in caught.value.remedy


@both
@pytest.mark.parametrize("status", [301, 400, 401, 404])
def test_refusals_are_not_tried_again(service: Service, make: Maker, status: int) -> None:
    service.script = [Reply(status, {"error": "no such model"}, {"Location": f"{service.url}/elsewhere"})]
    with pytest.raises(EndpointError, match=f"HTTP {status}.*no such model"):
        make(service).embed(["a"])
    assert len(service.bodies) == 1


@pytest.mark.parametrize(
    "reply",
    [
        Reply(401, f"Incorrect API key provided: {KEY}".encode()),
        Reply(500, ("x" * 190 + KEY).encode()),
        Reply(400, KEY.encode() * 1000),
    ],
)
def test_the_key_is_in_no_message(service: Service, reply: Reply) -> None:
    service.script = [reply]
    with pytest.raises(EndpointError) as caught:
        openai(service, retries=0).embed(["a"])
    assert KEY[:8] not in str(caught.value) + caught.value.message + repr(openai(service))


def test_no_connection_and_no_answer_in_time(service: Service) -> None:
    sleeps: list[float] = []
    with pytest.raises(EndpointError, match="no connection"):
        OllamaEmbedder("m", "http://127.0.0.1:9", retries=2, sleep=sleeps.append).embed(["a"])
    assert sleeps == [0.5, 1.0]
    service.script = [Reply(delay_seconds=0.4)]
    assert openai(service, timeout_ms=200, retries=9).embed(["a"]).shape == (1, 3)
    service.script = [Reply(delay_seconds=0.4)]
    with pytest.raises(EndpointError, match="in time"):
        openai(service, timeout_ms=100, retries=0).embed(["a"])


def test_a_dripping_answer_meets_the_time_limit(service: Service) -> None:
    service.script = [Reply(body=b" " * 1000, drip_seconds=0.02)]
    with pytest.raises(EndpointError, match="in time"):  # all of it would take twenty seconds, and be no JSON
        openai(service, timeout_ms=200, retries=0).embed(["a"])


def test_an_answer_cut_short_is_tried_again(service: Service) -> None:
    service.script = [Reply(body=b'{"data": [', headers={"Content-Length": "100"})]
    assert openai(service, retries=1).embed(["a"]).shape == (1, 3)


def test_an_endless_answer_is_cut_off(service: Service) -> None:
    service.script = [Reply(body=b" " * 700_000)]
    with pytest.raises(EndpointError, match="longer than"):
        openai(service).embed(["a"])


@pytest.mark.parametrize(
    "body",
    [
        b"<html>",
        b"",
        b"[" * 200_000,
        b"null",
        b"[]",
        {},
        {"data": None},
        {"data": [1]},
        {"data": []},
        {"data": [{"index": 0, "embedding": [1.0]}] * 2},
        {"data": [{"index": 1, "embedding": [1.0]}]},
        {"data": [{"index": [], "embedding": [1.0]}]},
        {"data": [{"index": 0}]},
        {"data": [{"embedding": [1.0]}, {"embedding": [1.0]}]},
        {"data": [{"index": 0, "embedding": "AAAA"}]},
        {"data": [{"index": 0, "embedding": ["x"]}]},
        {"data": [{"index": 0, "embedding": [10**400]}]},
    ],
)
def test_malformed_answers_are_endpoint_errors(service: Service, body: object) -> None:
    service.script = [Reply(body=body)]
    with pytest.raises(EndpointError):
        openai(service).embed(["a"])


ROWS = [[1.0, 2.0], [], [1.0] * 4, [[1.0]] * 3, [1.0, float("nan"), 3.0], [1.0, float("inf"), 3.0]]


@both
@pytest.mark.parametrize("row", ROWS)
def test_wrong_dimensions_and_nan_are_refused(service: Service, make: Maker, row: list[float]) -> None:
    embedder = make(service)
    embedder.embed(["first"])
    service.script = [rows_reply([row])]
    with pytest.raises(DimensionError, match="small"):
        embedder.embed(["second"])
    assert embedder.dimensions == 3


def test_ragged_vectors_and_unexpected_lengths_are_refused(service: Service) -> None:
    service.script = [rows_reply([[1.0], [1.0, 2.0]])]
    with pytest.raises(DimensionError):
        ollama(service).embed(["a", "b"])
    with pytest.raises(DimensionError, match="3 numbers, expected 5"):
        ollama(service, dimensions=5).embed(["a"])


def test_extreme_values_still_give_unit_rows(service: Service) -> None:
    service.script = [rows_reply([[3e200, 4e200, 0], [3e-200, 4e-200, 0], [0, 0, 0]])]
    rows = ollama(service).embed(["a", "b", "c"])
    assert np.allclose(rows, [[0.6, 0.8, 0], [0.6, 0.8, 0], [0, 0, 0]])


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "ftp://host", "host:80", "http://", "https://me:pw-secret@host", "http://h?a", "http://h h"],
)
def test_only_plain_http_addresses_are_taken(url: str) -> None:
    with pytest.raises(SettingsError) as caught:
        OpenAIEmbedder("m", url, "key")
    assert "pw-secret" not in str(caught.value)


def test_a_key_that_no_header_can_carry_is_refused_without_showing_it(service: Service) -> None:
    with pytest.raises(SettingsError) as caught:
        OpenAIEmbedder("m", service.url, "sk-secret\r\nX: y")
    assert "sk-secret" not in str(caught.value)


def test_a_model_must_be_named(service: Service) -> None:
    with pytest.raises(AforesaidError, match=r"embed\.model"):
        OpenAIEmbedder(" ", service.url)


def test_it_knows_which_models_are_nested() -> None:
    assert OpenAIEmbedder("text-embedding-3-small", api_key="k").matryoshka
    assert OllamaEmbedder("nomic-embed-text").matryoshka
    assert not OllamaEmbedder("all-minilm").matryoshka


def test_a_service_with_tiers_that_is_down_leaves_keyword_search(path: Path) -> None:
    words = HashEmbedder(384)

    def nested(path: str, body: Any) -> Reply:
        return rows_reply(words.embed(body["input"]).tolist())

    with loopback.service(nested) as up:
        embedder = OllamaEmbedder("nomic-embed-text", up.url, retries=0, sleep=lambda _: None)
        with Memory.open(path, embedder=embedder) as memory:
            memory.remember("The boiler was serviced in March.")
            [hit] = memory.search("boiler serviced in March", profile="libra-single")
            assert hit.parts["tier"] in (256, 384)
        address = up.url
    embedder = OllamaEmbedder("nomic-embed-text", address, retries=0, sleep=lambda _: None)
    with Memory.open(path, embedder=embedder) as memory:
        found = memory.search("boiler serviced in March", profile="libra-single")
        assert found.freshness.vector_off
        assert len(memory.search("boiler")) == 1
