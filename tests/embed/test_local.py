"""The local model: lazy, deterministic whatever the batch, equal to a plain run of its files, and checked."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from aforesaid.embed import open_embedder, weights
from aforesaid.embed.local import LocalEmbedder
from aforesaid.embed.model import QUERY_PREFIX, REFERENCE, check_numerics
from aforesaid.errors import EmbedError, InputError, ModelDamagedError, ModelMissingError
from aforesaid.settings import Settings

NAME = "snowflake-arctic-embed-s-int8@f93ff225"
TEXTS = [
    "Ana: I moved to Lisbon in May.",
    "The container runs out of memory. " * 12,
    "",
    "私は毎朝コーヒーを飲みます。",
    "ok",
    "def add(a, b):\n    return a + b",
]


@pytest.fixture(scope="module")
def embedder(model_folder: Path) -> LocalEmbedder:
    return LocalEmbedder(model_folder, threads=2)


@pytest.fixture
def other(model_folder: Path, tmp_path: Path) -> Path:
    """The same model with one more field in its file: other weights, as far as anyone can tell without running them."""
    copy = tmp_path / "other"
    (copy / "onnx").mkdir(parents=True)
    (copy / "onnx" / "model.onnx").write_bytes((model_folder / "model.onnx").read_bytes() + b"\x32\x05other")
    shutil.copy(model_folder / "tokenizer.json", copy)
    return copy


def plain(model_folder: Path, text: str, pool: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """The vector by the two libraries alone."""
    import onnxruntime
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(model_folder / "tokenizer.json"))
    ids = np.array([tokenizer.encode(text).ids])
    session = onnxruntime.InferenceSession(str(weights.model_file(model_folder)))
    feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    pooled = pool(session.run(["last_hidden_state"], feed)[0][0])
    return pooled / np.linalg.norm(pooled)


def run(code: str, **environment: str) -> str:
    clean = {name: value for name, value in os.environ.items() if name not in ("CI", "ORT_DISABLE_TELEMETRY")}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], env={**clean, **environment}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_importing_and_constructing_load_nothing() -> None:
    code = (
        "import sys; from aforesaid.embed import open_embedder; from aforesaid.settings import Settings;"
        "e = open_embedder(Settings()); print(e.name, e.dimensions);"
        "print([m for m in ('onnxruntime', 'tokenizers', 'urllib.request') if m in sys.modules])"
    )
    assert run(code, AFORESAID_CACHE="/nonexistent").splitlines() == [f"{NAME} 384", "[]"]


def test_vectors_are_those_of_the_plain_libraries(embedder: LocalEmbedder, model_folder: Path) -> None:
    expected = plain(model_folder, TEXTS[0], lambda states: states[0])
    assert np.allclose(embedder.embed(TEXTS[:1]), [expected], atol=1e-5)
    question = embedder.embed_query("where does she live?")
    expected = plain(model_folder, QUERY_PREFIX + "where does she live?", lambda states: states[0])
    assert question.shape == (384,) and np.allclose(question, expected, atol=1e-5)


def test_vectors_do_not_depend_on_batch_order_or_threads(embedder: LocalEmbedder, model_folder: Path) -> None:
    rows = embedder.embed(TEXTS)
    assert rows.shape == (len(TEXTS), 384) and rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    for threads in (1, 3):
        again = LocalEmbedder(model_folder, threads=threads, cache_texts=0)
        assert np.array_equal(again.embed(TEXTS[::-1]), rows[::-1])
        assert all(np.array_equal(again.embed([text])[0], row) for text, row in zip(TEXTS, rows, strict=True))


def test_meaning_is_found(embedder: LocalEmbedder) -> None:
    near, far = embedder.embed([TEXTS[0], TEXTS[1]]) @ embedder.embed_query("Where does Ana live?")
    assert near > far + 0.1


def test_long_texts_are_cut_at_max_tokens(model_folder: Path) -> None:
    short, full = LocalEmbedder(model_folder, max_tokens=16), LocalEmbedder(model_folder, max_tokens=8192)
    start = "word " * 14  # and the two tokens around every text
    assert np.array_equal(short.embed([start]), short.embed([start + "lion " * 50]))
    assert not np.array_equal(full.embed([start]), full.embed([start + "lion " * 50]))
    assert full.embed(["日本語" * 400_000]).shape == (1, 384)  # past the model's 512 positions, and fast


def test_any_text_gets_a_vector_and_what_is_not_text_is_refused(embedder: LocalEmbedder) -> None:
    rows = embedder.embed(["\ud800", "\x00", "\n" * 1000, "😀" * 100])
    assert np.isfinite(rows).all() and np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    with pytest.raises(InputError):
        embedder.embed("one text")
    with pytest.raises(InputError):
        embedder.embed_query(None)  # type: ignore[arg-type]


def test_an_empty_list_loads_nothing() -> None:
    assert LocalEmbedder(fetch=None).embed([]).shape == (0, 384)


def test_many_threads_load_once(model_folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AFORESAID_CACHE", str(tmp_path))
    fetched: list[int] = []

    def fetch() -> Path:
        fetched.append(1)
        return model_folder

    embedder = LocalEmbedder(fetch=fetch)
    rows: list[np.ndarray] = []
    threads = [threading.Thread(target=lambda: rows.append(embedder.embed(TEXTS[:1]))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(fetched) == 1 and len(rows) == 8 and all(np.array_equal(row, rows[0]) for row in rows)


def test_a_failed_fetch_is_not_repeated_but_weights_that_appear_are_used(
    model_folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("AFORESAID_CACHE", str(tmp_path))
    tries: list[int] = []

    def fetch() -> Path:
        tries.append(1)
        raise ModelMissingError("No registry.", "Look elsewhere.")

    embedder = LocalEmbedder(fetch=fetch)
    for _ in range(3):
        with pytest.raises(ModelMissingError, match=r"No registry\. Look elsewhere\."):
            embedder.embed(["a"])
    assert len(tries) == 1
    shutil.copytree(model_folder, weights.cache_folder())
    assert embedder.embed(["a"]).shape == (1, 384)


def test_no_weights_and_no_fetch_name_the_remedies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AFORESAID_CACHE", str(tmp_path))
    monkeypatch.setenv("AFORESAID_OFFLINE", "1")
    for embedder in (LocalEmbedder(fetch=None), LocalEmbedder()):
        with pytest.raises(ModelMissingError) as caught:
            embedder.embed(["a"])
        for word in ("aforesaid models pull", "AFORESAID_MODEL_PATH", "Keyword search works"):
            assert word in caught.value.remedy


def test_other_weights_are_named_by_their_hash_and_measured(
    other: Path, embedder: LocalEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AFORESAID_MODEL_PATH", str(other))
    own = LocalEmbedder()
    assert own.name == f"onnx@{weights.sha256_of(other / 'onnx' / 'model.onnx')[:8]}"
    assert own.dimensions == 384
    assert np.array_equal(own.embed(TEXTS[:1]), embedder.embed(TEXTS[:1]))
    assert np.array_equal(own.embed_query("a"), own.embed(["a"])[0])  # nothing says that they want a prefix
    assert check_numerics(own) is None


def test_other_weights_are_used_as_their_files_say(other: Path) -> None:
    (other / "1_Pooling").mkdir()
    (other / "1_Pooling" / "config.json").write_text('{"pooling_mode_mean_tokens": true}')
    (other / "config_sentence_transformers.json").write_text('{"prompts": {"query": "query: "}}')
    (other / "config.json").write_text('{"max_position_embeddings": 512}')
    own = LocalEmbedder(other, max_tokens=8192)
    mean = plain(other, "query: tea", lambda states: states.mean(axis=0))
    assert np.allclose(own.embed_query("tea"), mean, atol=1e-5)
    assert own.embed(["word " * 600]).shape == (1, 384)
    (other / "config.json").write_text("{")
    with pytest.raises(ModelDamagedError, match=r"config\.json"):
        assert LocalEmbedder(other).name


def test_a_text_too_long_for_other_weights_is_a_typed_error(other: Path) -> None:
    with pytest.raises(EmbedError, match=r"600 tokens.*embed\.max_tokens"):
        LocalEmbedder(other, max_tokens=600).embed(["word " * 700])


def test_the_default_weights_keep_their_name_in_any_folder(model_folder: Path) -> None:
    embedder = open_embedder(Settings.load(environment={}, arguments={"embed.model": str(model_folder)}))
    assert embedder is not None and embedder.name == NAME
    with pytest.raises(ModelMissingError, match="nowhere"):
        assert LocalEmbedder(Path("/nowhere")).name


@pytest.mark.parametrize(
    ("file", "damage"),
    [
        ("model.onnx", lambda raw: raw[:-1]),
        ("model.onnx", lambda raw: b"x" * len(raw)),
        ("tokenizer.json", lambda raw: b"x" * len(raw)),
    ],
)
def test_damaged_weights_are_refused_at_load(
    model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, damage: Callable[[bytes], bytes]
) -> None:
    monkeypatch.setenv("AFORESAID_CACHE", str(tmp_path))
    shutil.copytree(model_folder, weights.cache_folder())
    (weights.cache_folder() / file).write_bytes(damage((model_folder / file).read_bytes()))
    with pytest.raises(ModelDamagedError, match="aforesaid models pull"):
        LocalEmbedder(fetch=None).embed(["a"])


def test_numerics_hold_here(embedder: LocalEmbedder) -> None:
    worst = check_numerics(embedder)
    assert worst is not None and worst > 0.95


def test_vectors_that_collapsed_are_noticed(embedder: LocalEmbedder) -> None:
    class Collapsed:
        name, dimensions = embedder.name, 384

        def embed(self, texts: list[str]) -> np.ndarray:
            mean = embedder.embed(list(REFERENCE)).mean(axis=0)
            return np.tile(mean / np.linalg.norm(mean), (len(texts), 1))

        def embed_query(self, text: str) -> np.ndarray:
            return self.embed([text])[0]

    with pytest.raises(ModelDamagedError, match=r"embed\.provider"):
        check_numerics(Collapsed())


def test_wrong_arithmetic_is_noticed_at_load(model_folder: Path, tmp_path: Path) -> None:
    """A folder that the caller names is not compared with checksums: only the check of a vector sees wrong tokens."""
    folder = tmp_path / "model"
    shutil.copytree(model_folder, folder)
    file = folder / "tokenizer.json"
    table = json.loads(file.read_text())
    vocabulary = table["model"]["vocab"]
    vocabulary["lisbon"], vocabulary["potato"] = vocabulary["potato"], vocabulary["lisbon"]
    vocabulary["moved"], vocabulary["eleven"] = vocabulary["eleven"], vocabulary["moved"]
    file.write_text(json.dumps(table))
    with pytest.raises(ModelDamagedError, match="cosine"):
        LocalEmbedder(folder, fetch=None).embed(["a"])


def test_the_runtime_reports_to_nobody(model_folder: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    run(
        "from aforesaid.embed.local import LocalEmbedder; LocalEmbedder().embed(['a'])",
        HOME=str(home),
        XDG_CACHE_HOME=str(home / "cache"),
        AFORESAID_MODEL_PATH=str(model_folder),
    )
    assert [path for path in home.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"embed.provider": "hash"}, "hash-64-0"),
        ({"embed.provider": "hash", "embed.dimensions": 16}, "hash-16-0"),
        ({"embed.provider": "openai", "embed.model": "m"}, "openai:m"),
        ({"embed.provider": "openai", "embed.model": "m", "embed.dimensions": 512}, "openai:m@512"),
        ({"embed.provider": "ollama", "embed.model": "m"}, "ollama:m"),
        ({}, NAME),
    ],
)
def test_settings_choose_the_embedder(arguments: dict[str, object], name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AFORESAID_MODEL_PATH", raising=False)
    embedder = open_embedder(Settings.load(environment={}, arguments=arguments))
    assert embedder is not None and embedder.name == name


def test_off_is_no_embedder() -> None:
    assert open_embedder(Settings.load(environment={}, arguments={"embed.provider": "off"})) is None
