"""Extractive summaries: what survives, what does not, and a cap that holds."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aforesaid.compaction.summarize import Summarizer, SummaryDraft, SummarySource, Tightness
from aforesaid.compaction.summarize.extractive import ExtractiveSummarizer
from aforesaid.compaction.summarize.phrases import fit, render, shorten, with_dates, without_fillers
from aforesaid.compaction.summarize.sentence_score import (
    facts_of,
    names_of,
    numbers_of,
    score_sentence,
    speaker_names,
)
from aforesaid.embed.base import Vectors
from aforesaid.embed.hashing import HashEmbedder
from aforesaid.math.tokens import estimate_tokens
from aforesaid.text.extract import dates, signals
from aforesaid.text.extract.reader import STRICT
from support.growth import is_linear

START = datetime(2026, 3, 5, 10, tzinfo=UTC)  # a Thursday
TALK = [
    ("Ana", "Hey Ben! How are you?"),
    ("Ben", "Hi Ana! Great, thanks for asking. What's new with you?"),
    ("Ana", "I moved to Lisbon yesterday. The rent is €1,150 a month, which is a lot!"),
    ("Ben", "Wow, that's amazing! So happy for you."),
    ("Ana", "Thanks! We decided to call the new cat Bartholomew."),
    ("Ben", "That's so cute. I love it!"),
    ("Ana", "My sister Marta is visiting on 12 April with her three kids."),
    ("Ben", "Sounds like fun. By the way, I signed up for a pottery class in Porto."),
    ("Ana", "Cool! Keep it up!"),
    ("Ben", "It is what keeps us going, you know. Take care!"),
]
FACTS = ["Lisbon", "1,150", "Bartholomew", "Marta", "12 April", "three kids", "pottery", "Porto"]


def sources(talk: Sequence[tuple[str | None, str]] = TALK) -> list[SummarySource]:
    return [SummarySource(text, role, START + timedelta(minutes=place)) for place, (role, text) in enumerate(talk)]


def no_vectors(_: Sequence[str]) -> Vectors | None:
    return None


EMBEDS = [None, no_vectors, HashEmbedder().embed]
every_embed = pytest.mark.parametrize("embed", EMBEDS, ids=["none", "no vectors", "hashing"])


@every_embed
def test_what_must_survive_survives_and_small_talk_does_not(
    embed: Callable[[Sequence[str]], Vectors | None] | None,
) -> None:
    draft = ExtractiveSummarizer(embed).summarize(sources(), 80, "", tightness="normal")
    assert [fact for fact in FACTS if fact not in draft.text] == []
    assert not any(filler in draft.text for filler in ("How are you", "Thanks", "amazing", "Keep it up", "Take care"))
    assert (draft.method, draft.decoder_confidence) == ("extractive", None)
    assert estimate_tokens(draft.text) <= 80


def test_it_reads_in_order_with_its_speakers_and_dates() -> None:
    text = ExtractiveSummarizer().summarize(sources(), 80).text
    assert text == (
        "Ana: I moved to Lisbon yesterday (2026-03-04). The rent is €1,150 a month, which is a lot! "
        "We decided to call the new cat Bartholomew. My sister Marta is visiting on 12 April with her three kids.\n"
        "Ben: I signed up for a pottery class in Porto."
    )
    assert "(2026-03-04)" not in ExtractiveSummarizer(dated=False).summarize(sources(), 80).text


def test_the_order_is_that_of_time_whatever_the_order_given() -> None:
    summarizer = ExtractiveSummarizer()
    assert summarizer.summarize(sources()[::-1], 80) == summarizer.summarize(sources(), 80)


def test_japanese() -> None:
    talk = [
        ("user", "こんにちは！お元気ですか？"),
        ("user", "先週、京都に引っ越しました。家賃は月8万円です。"),
        ("assistant", "すごいですね！楽しみですね。"),
        ("user", "来月からソニーで田中さんと働くことにしました。"),
        ("user", "歯医者の予約は3月12日の午後3時です。ありがとうございます。"),
    ]
    text = ExtractiveSummarizer().summarize(sources(talk), 70).text
    assert text.startswith("User: ") and "先週(2026-02-23/2026-03-01)、京都に引っ越しました。" in text
    assert all(fact in text for fact in ("8万円", "ソニー", "田中さん", "3月12日"))
    assert not any(filler in text for filler in ("こんにちは", "お元気", "すごい", "ありがとう"))
    assert "。 " not in text


def test_what_the_previous_summary_says_gives_way_to_what_is_new() -> None:
    summarizer = ExtractiveSummarizer()
    talk = [*TALK, ("Ana", "I moved to Lisbon yesterday."), ("Ana", "Our landlord Rui raised the rent to €1,300.")]
    before = summarizer.summarize(sources(), 80).text
    after = summarizer.summarize(sources(talk), 30, before).text
    assert "Rui" in after and "1,300" in after
    assert "Bartholomew" not in after and "Lisbon" not in after


def test_the_levels_get_tighter() -> None:
    summarizer = ExtractiveSummarizer()
    levels: list[Tightness] = ["normal", "aggressive", "bounded"]
    spent = [estimate_tokens(summarizer.summarize(sources(), 80, tightness=level).text) for level in levels]
    assert spent[0] > 40 >= spent[1] > 0 and 0 < spent[2] <= 40
    short = sources([("Ana", "I moved to Lisbon."), ("Ben", "I moved to Porto.")])
    whole = estimate_tokens("I moved to Lisbon.\nI moved to Porto.")
    assert 0 < estimate_tokens(summarizer.summarize(short, 80, tightness="bounded").text) <= whole // 2


def test_nothing_and_one_source() -> None:
    summarizer = ExtractiveSummarizer()
    assert summarizer.summarize([], 50) == SummaryDraft("", "extractive")
    assert summarizer.summarize(sources([("Ana", " \n")]), 50).text == ""
    assert summarizer.summarize(sources(), 0).text == ""
    assert summarizer.summarize(sources([("Ana", " Thanks! I moved. ")]), 50).text == "Thanks! I moved."
    assert summarizer.summarize(sources([("Ana", "ok"), ("Ben", "no")]), 50).text == "Ana: ok"


def test_where_no_sentence_fits_the_best_is_cut_at_a_word() -> None:
    assert ExtractiveSummarizer().summarize(sources(TALK[2:3]), 5).text == "I moved to Lisbon…"
    assert ExtractiveSummarizer().summarize(sources([(None, "京都に引っ越しました。" * 9)]), 5).text.endswith("…")


def test_repeats_and_payloads_are_said_once_and_never() -> None:
    noise = "Here is the dump:\n" + "QUJDREVGR0hJSktMTU5PUFFS" * 100
    code = "I fixed it in cache.py.\n```python\nx = 1\n```\nThe limit is 40 requests now."
    talk = [("Ana", noise), ("Ben", "The server is in Oslo."), ("Ana", "The server is in Oslo!"), ("Ben", code)]
    text = ExtractiveSummarizer().summarize(sources(talk), 60).text
    assert text.count("The server is in Oslo") == 1
    assert "QUJD" not in text and "x = 1" not in text
    assert "cache.py" in text and "40 requests" in text


def test_the_agent_gives_way_to_people() -> None:
    same = "I moved to {} with Marta in May 2025."
    talk = [("assistant", same.format("Lisbon")), ("user", same.format("Oslo"))]
    assert "Oslo" in ExtractiveSummarizer().summarize(sources(talk), 12).text


TEXTS = st.lists(
    st.sampled_from([text for _, text in TALK] + ["", "猫が二匹います。", "a" * 300, "no end", "1.", "?!"])
)
COUNTS: list[Callable[[str], int]] = [
    estimate_tokens,
    len,
    lambda text: len(text.split()),
    lambda text: -(-len(text) // 7),
]


@settings(max_examples=80)
@given(
    TEXTS,
    st.integers(0, 120),
    st.sampled_from(["normal", "aggressive", "bounded"]),
    st.sampled_from(COUNTS),
    st.sampled_from(["", "Ana moved to Lisbon.", "。"]),
    st.sampled_from([None, HashEmbedder().embed]),
)
def test_the_cap_holds_and_the_same_input_is_the_same_output(
    texts: list[str],
    cap: int,
    tightness: Tightness,
    count: Callable[[str], int],
    previous: str,
    embed: Callable[[Sequence[str]], Vectors | None] | None,
) -> None:
    given_sources = sources([("Ana" if place % 2 else None, text) for place, text in enumerate(texts)])
    summarizer = ExtractiveSummarizer(embed, count)
    draft = summarizer.summarize(given_sources, cap, previous, tightness=tightness)
    assert count(draft.text) <= cap
    assert draft == summarizer.summarize(given_sources, cap, previous, tightness=tightness)


@given(st.lists(st.text(max_size=80), max_size=8), st.integers(1, 60))
def test_any_text_can_be_summarised(texts: list[str], cap: int) -> None:
    draft = ExtractiveSummarizer().summarize(sources([("Ana", text) for text in texts]), cap)
    assert estimate_tokens(draft.text) <= cap


@pytest.mark.parametrize(
    "part", ["A-", "A ", 'A"', "a/", "Aa'", "1.", "so really ", "猫", "I went to A. ", "?\n", "1-"]
)
def test_hostile_sources_take_linear_time(part: str) -> None:
    assert is_linear(
        lambda repeats: ExtractiveSummarizer().summarize(sources([("Ana", part * repeats)] * 5), 200), 1000, 8000
    )


def test_it_is_a_summarizer() -> None:
    summarizer: Summarizer = ExtractiveSummarizer()
    assert summarizer.name == "extractive"


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("- We use Postgres.", "We use Postgres."),
        ("* **Notion**: it exports notes.", "Notion: it exports notes."),
        ("Yeah, I painted it.", "I painted it."),
        ("Wow, Ben, you did it.", "You did it."),
        ("Ben, the train left.", "The train left."),
        ("Porto, the city, is nice.", "Porto, the city, is nice."),
        ("Yes, on Friday.", "Yes, on Friday."),
    ],
)
def test_fillers_in_front_go(sentence: str, said: str) -> None:
    assert without_fillers(sentence, speaker_names(["Ben"])) == said


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("I left last week.", "I left last week (2026-02-23/2026-03-01)."),
        ("I left last year.", "I left last year (2025)."),
        ("We go next month.", "We go next month (2026-04)."),
        ("It was last summer.", "It was last summer (2025-06/08)."),
        ("We met on Friday.", "We met on Friday."),
        ("We met on 3 March 2024 at 5 pm.", "We met on 3 March 2024 at 5 pm."),
        ("昨日会いました。", "昨日(2026-03-04)会いました。"),
    ],
)
def test_days_that_depend_on_today_get_their_date(sentence: str, said: str) -> None:
    assert with_dates(sentence, SummarySource("", None, START)) == said


def test_a_day_is_one_of_the_time_zone_it_was_said_in() -> None:
    late = datetime(2026, 3, 5, 1, tzinfo=ZoneInfo("Asia/Tokyo"))
    assert with_dates("It was yesterday.", SummarySource("", None, late)) == "It was yesterday (2026-03-04)."
    naive = datetime(2026, 3, 5)  # noqa: DTZ001
    assert with_dates("It was yesterday.", SummarySource("", None, naive)) == "It was yesterday."


def test_lines_are_joined_by_speaker() -> None:
    said = [("ana", "One"), ("ana", "Two."), ("Ben", "三。"), ("Ben", "四。"), (None, "Five.")]
    assert render(said) == "Ana: One. Two.\nBen: 三。四。\nFive."


def test_texts_are_fitted_by_whole_sentences_then_by_words() -> None:
    text = "I moved to Lisbon. It rained all day. Then I slept."
    assert fit(text, 99, estimate_tokens) == text
    assert fit(text, 10, estimate_tokens) == "I moved to Lisbon. It rained all day."
    assert fit(text, 4, estimate_tokens) == "I moved to…"
    assert shorten("word", 0, estimate_tokens) == ""


def test_names_numbers_and_the_rest_of_a_sentence() -> None:
    speakers = speaker_names(["Melanie", "user"])
    text = "Mel, I saw Dr. Okafor at the Royal Albert Hall in May, and read “Dune” twice in src/app_main.py."
    assert {"okafor", "royal albert hall", "dune", "src/app_main.py"} <= names_of(text, speakers)
    assert not {"mel", "i", "i saw"} & names_of(text, speakers)
    assert numbers_of("Three of 1,150 at 10:30") == {"three", "1,150", "10:30"}
    assert "date 12 april" in facts_of("See you on 12 April.")
    good, bad = (
        score_sentence("We decided to rent in Lisbon for €900."),
        score_sentence("Did you decide to rent in Lisbon?"),
    )
    assert good.wording > 0 > bad.wording and sum(good.facts.values()) > sum(bad.facts.values())


def test_a_reader_that_fails_fails_no_summary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(STRICT)
    for module, name in ((dates, "resolve"), (dates, "time_expressions"), (signals, "read_signals")):
        monkeypatch.setattr(module, name, lambda *_: 1 / 0)
    assert with_dates("It was yesterday.", SummarySource("", None, START)) == "It was yesterday."
    assert "name lisbon" in score_sentence("We decided to rent in Lisbon yesterday.").facts


def test_importing_it_is_cheap() -> None:
    code = (
        "import sys, aforesaid.compaction.summarize.extractive, aforesaid.compaction.summarize.endpoints;"
        "print([name for name in ('aforesaid.text.extract.dates', 'aforesaid.text.extract.signals', 'onnxruntime') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_piece_without_an_end_gets_one_before_the_next() -> None:
    assert render([(None, "In rain (or snow)"), (None, "It says “yes.”"), (None, "Go")]) == (
        "In rain (or snow). It says “yes.” Go"
    )


def test_of_very_many_sentences_the_most_telling_are_compared() -> None:
    asked: list[int] = []

    def embed(texts: Sequence[str]) -> Vectors | None:
        asked.append(len(texts))
        return HashEmbedder().embed(texts)

    filler = " ".join(f"It is so number {number} nice." for number in range(400))
    text = ExtractiveSummarizer(embed).summarize(sources([("Ana", filler), ("Ben", "Marta paid Rui €90.")]), 40).text
    assert "Marta paid Rui €90." in text and asked[0] < 120
