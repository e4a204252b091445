"""The gate's patterns against labelled sentences: every sentence says all that should fire on it, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.math.gate import ACTION, NATURAL, SPECIFIC, STRUCTURE, TECHNICAL, natural
from aforesaid.text.extract.signals import MAX_CHARS, Signals, prose_of, read_signals
from support.growth import is_linear

# What every signal reaches on this table, which has been seen by whoever wrote the patterns: less is a regression.
PRECISION, RECALL = 0.95, 0.9

SHORT = {
    **{name.removeprefix("natural_"): name for name in NATURAL},
    **{name.removeprefix("action_"): name for name in ACTION},
    **{name.removeprefix("structure_"): name for name in STRUCTURE},
    **{name.removeprefix("technical_"): name for name in TECHNICAL},
    "call": "specific_function",
    "error": "specific_error",
    "git": "specific_git",
}

PROSE = [
    # dates and their doubles
    ("The dentist moved my appointment to March 3rd.", "date"),
    ("See you on Friday!", "date"),
    ("The lease ends 2025-08-31.", "date"),
    ("We met in 2019 at a conference.", "date assertion"),
    ("I started the job three weeks ago.", "date assertion"),
    ("The market opens at 9:30 am.", "date"),
    ("It happened on 12/05/2023.", "date"),
    ("The party is next Saturday.", "date"),
    ("Her flight lands in May.", "date"),
    ("You may leave now.", ""),
    ("The soldiers march through the city.", ""),
    ("He sat on the second chair.", ""),
    ("Write an essay of 2000 words about trees.", "quantity"),
    ("Is the support desk open 24/7?", ""),
    ("Upgrade to 1.2.3 when you can.", "dependency"),
    ("Use 1/2 of the dough first.", ""),
    ("This was the 3rd time it rained.", ""),
    ("The 21st century has been odd.", ""),
    ("Summer is warm and winter is cold.", ""),
    # quantities and their doubles
    ("The rent is $1,200.", "quantity"),
    ("It weighs 5 kg.", "quantity"),
    ("There are 14 chairs in the hall.", "quantity"),
    ("The battery lost 20% overnight.", "quantity"),
    ("She ran ten miles.", "quantity"),
    ("The course takes half an hour.", "quantity"),
    ("I'm 34 and live alone.", "quantity assertion"),
    ("Water the fern twice a week.", "quantity"),
    ("Turn to chapter 5 please.", ""),
    ("Step 2 is the hard one.", ""),
    ("Python 3 is fine for this.", ""),
    ("Room 204 has a nice view.", ""),
    ("Is option 4 any better?", ""),
    ("Which of the two shows is better?", ""),
    ("One could argue about that.", ""),
    ("She called me from gate B12.", ""),
    # persons and their doubles
    ("my manager Ana wants the report", "person"),
    ("Bob said it would rain.", "person"),
    ("my sister plays the cello", "person"),
    ("Dinner with Sarah was lovely.", "person"),
    ("Dr. Okafor called about the results.", "person"),
    ("Have you met Tomasz?", "person"),
    ("A friend of mine paints houses.", "person"),
    ("Ravi told us to wait.", "person"),
    ("My best friend snores.", "person"),
    ("Their kids are loud.", "person"),
    ("Mom loves gardening.", "person preference"),
    ("a woman named Ingeborg helped", "person"),
    ("Our package manager is slow.", "assertion"),
    ("Nobody said it was easy.", ""),
    ("The weather in Lisbon is mild.", ""),
    ("Paris and London are expensive.", ""),
    ("Every child process gets a copy.", ""),
    ("Python told me the list is empty.", ""),
    ("Please explain how photosynthesis works.", ""),
    ("Yesterday was quiet.", "date"),
    ("It said the file is gone.", ""),
    ("Their child nodes are sorted.", ""),
    ("Planning a trip to Norway and I need ideas.", ""),
    # preferences and their doubles
    ("I prefer tea over coffee.", "preference"),
    ("I really like hiking in the rain.", "preference"),
    ("I can't stand cilantro.", "preference"),
    ("Please no cilantro in any recipe, ever.", "preference"),
    ("Oh please, no problem at all.", ""),
    ("My favorite color is green.", "preference assertion"),
    ("I'd rather take the train.", "preference"),
    ("I'm a big fan of jazz.", "preference assertion"),
    ("Please always use metric units.", "preference"),
    ("Never call me before noon.", "preference"),
    ("From now on, answer in French.", "preference"),
    ("She hates loud bars.", "preference"),
    ("I don't like surprises.", "preference"),
    ("Priya prefers window seats.", "person preference"),
    ("What would you like for lunch?", ""),
    ("It looks like rain.", ""),
    ("I'd like to know the capital of Peru.", ""),
    ("Would I like Berlin?", ""),
    ("I like the idea of a shared list.", ""),
    ("Something like that would work.", ""),
    ("Which do you prefer, cats or dogs?", ""),
    ("Cats always land on their feet.", ""),
    # assertions and their doubles
    ("I moved to Lisbon.", "assertion"),
    ("I work as a nurse.", "assertion"),
    ("I'm allergic to peanuts.", "assertion"),
    ("I've been learning Portuguese.", "assertion"),
    ("I have a bakery downtown.", "assertion"),
    ("We use PostgreSQL for billing.", "assertion"),
    ("My dog is called Rex.", "assertion"),
    ("I no longer eat meat.", "assertion"),
    ("I recently bought a kayak.", "assertion"),
    ("i live near the harbour", "assertion"),
    ("I’m a teacher.", "assertion"),
    ("I'm looking for a good book.", ""),
    ("I have a question about taxes.", ""),
    ("Am I allowed to park here?", ""),
    ("How do I use chopsticks?", ""),
    ("What should I eat in Rome?", ""),
    ("I'm not sure what to do.", ""),
    ("I was wondering about the tides.", ""),
    ("Can we use salt instead?", ""),
    ("Tell me about volcanoes.", ""),
    ("I have to go now.", ""),
    ("If I live abroad, do taxes change?", ""),
    ("I got an error again.", ""),
    # actions and their doubles
    ("We decided to drop the mobile app.", "decision"),
    ("Let's go with option A.", "decision"),
    ("They agreed on a smaller scope.", "decision"),
    ("Have we decided yet?", ""),
    ("Help me decide whether to sell.", ""),
    ("The crash is fixed.", "resolution"),
    ("Turned out the cache was stale.", "resolution"),
    ("The root cause was a bad index.", "resolution"),
    ("Login works again.", "resolution"),
    ("The bug is not fixed.", ""),
    ("Use a fixed-width font.", ""),
    ("How can this be resolved?", ""),
    ("We shipped the new editor.", "milestone"),
    ("The migration is finally done.", "milestone"),
    ("The branch was merged.", "milestone"),
    ("Read the release notes.", ""),
    ("There is a merge conflict.", ""),
    ("It has not been released.", ""),
    ("Set the timeout to 30.", "configuration"),
    ("We enabled the cache.", "configuration"),
    ("It listens on port 8080.", "configuration"),
    ("Set out to sea at dawn.", ""),
    ("Disabled people deserve ramps.", ""),
]

CODE = [
    ("```\nx = 1\n```", "code_fence"),
    ("Look at src/app/main.py.", "path"),
    ("It lives in ~/notes/todo.md", "path"),
    ("open /etc/hosts please", "path"),
    ("edit C:\\Users\\ana\\plan.docx", "path"),
    ("Is Node.js fast?", ""),
    ("and/or, his/her, n/a, km/h", ""),
    ("Is yes/no enough?", ""),
    ("def load(path): pass", "function definition"),
    ("function add(a, b) { return a + b }", "function"),
    ("fn main() { run(); }", "function call"),
    ("the function of the liver", ""),
    ("Run git rebase main first.", "shell"),
    ("$ ls", "shell"),
    ("pip install httpx", "shell dependency"),
    ("make sure to go to bed", ""),
    ("Docs: https://example.org/guide", "url"),
    ("POST /v1/search returns nothing", "url"),
    ("It runs on localhost:3000", "url"),
    ("Traceback (most recent call last):\nKeyError: 'x'", "trace error"),
    ("TypeError: x is not a function", "trace error"),
    ("It leaves no trace in the snow.", ""),
    ("Deployed commit 3fa9c1d.", "hash git milestone"),
    ("sha256:" + "9f86d081884c7d65" * 4, "hash"),
    ("The number is 1234567.", ""),
    ("The facade was defaced.", ""),
    ("call store.add(item) then load()", "call"),
    ("Bring your friend(s) along.", "person"),
    ("It fails with ENOENT", "error"),
    ("HTTP 404 again", "error"),
    ("TS2304 in the build", "error"),
    ("see PR #42 on branch feature/login", "git"),
    ("class Store:\n    pass", "definition"),
    ("WAL stands for write-ahead log.", "definition"),
    ("A quorum is defined as a majority.", "definition"),
    ("It stands for freedom.", ""),
    ("The event schema has a primary key.", "data"),
    ("Use a hash map.", "data"),
    ("import numpy as np", "dependency"),
    ("requests==2.31 broke it", "dependency"),
    ("It depends on the weather.", ""),
    ("def test_add(): assert add(1, 2) == 3", "function definition test"),
    ("The integration tests are slow.", "test"),
    ("My blood test was fine.", "assertion"),
    ("/** Adds two numbers. */", "comment"),
    ("Write docstrings for it.", "comment"),
    ("LOG_LEVEL=debug", "configuration"),
    ("run it with --workers 4", "configuration"),
]

JAPANESE = [
    ("来週の金曜日に会議があります。", "date"),
    ("2023年5月に始まった。", "date"),
    ("会議は15時からです。", "date"),
    ("3日間ずっと雨だった。", "quantity"),
    ("日曜大工は楽しい。", ""),
    ("家賃は8万円です。", "quantity"),
    ("猫が三匹いる。", "quantity assertion"),
    ("第3回の講義はどこ?", ""),
    ("それで十分です。", ""),
    ("一番いい方法は?", ""),
    ("母は元気だ。", "person"),
    ("田中さんに聞いて。", "person"),
    ("上司から電話があった。", "person"),
    ("鈴木部長が来る。", "person"),
    ("たくさんあります。", ""),
    ("皆さん、こんにちは。", ""),
    ("大丈夫ですか?", ""),
    ("工夫が足りない。", ""),
    ("仕様を教えて。", ""),
    ("ちゃんと動く?", ""),
    ("母音とは何ですか?", ""),
    ("紅茶の方が好きです。", "preference"),
    ("辛いものは苦手です。", "preference"),
    ("今後は必ず日本語で答えてください。", "preference"),
    ("僕は犬派です。", "preference assertion"),
    ("何が好きですか?", ""),
    ("お好み焼きの作り方は?", ""),
    ("立派だと思う。", ""),
    ("好きな時に来て。", ""),
    ("私は看護師です。", "assertion"),
    ("京都に住んでいます。", "assertion"),
    ("犬を飼っている。", "assertion"),
    ("自転車を買いました。", "assertion"),
    ("卵アレルギーがあります。", "assertion"),
    ("どこに住んでいますか?", ""),
    ("私は何をすればいいですか?", ""),
    ("火山について教えて。", ""),
    ("昔ここに住んでいた人たちの話", ""),
    ("ギリシャに生まれた概念です。", ""),
    ("志位和夫が所属する党は?", ""),
    ("立憲君主制の国はどこ?", ""),
    ("昨日母が電話してきた。", "date person"),
    ("PostgreSQLを使うことにしました。", "decision"),
    ("案Bに決めました。", "decision"),
    ("どちらに決めたらいい?", ""),
    ("まだ決まっていない。", ""),
    ("不具合は修正しました。", "resolution"),
    ("原因は古いキャッシュだった。", "resolution"),
    ("原因は何ですか?", ""),
    ("直したい所がある。", ""),
    ("新版をリリースしました。", "milestone"),
    ("早くリリースしたい。", ""),
    ("ログを有効にした。", "configuration"),
    ("時間を有効に使う。", ""),
    ("環境変数を見て。", "configuration"),
    ("冪等とは何度やっても同じになることです。", "definition"),
    ("主キーがない。", "data"),
    ("古いライブラリを使うな。", "dependency"),
    ("単体テストがない。", "test"),
]

MIXED = [
    ("I've got two daughters and they both attend Lincoln High", "assertion person quantity"),
    ("My landlord raised the rent by 200 euros starting July 1", "date person quantity"),
    ("Remind me to call Tanaka-san tomorrow at 10", "date person"),
    ("Our standup is every Tuesday at 9:15", "assertion date"),
    ("I can't eat gluten, it makes me sick", "assertion"),
    ("When did the Berlin Wall fall?", ""),
    ("Who is the president of France?", ""),
    ("Explain the difference between TCP and UDP", ""),
    ("Marie asked if we could postpone", "person"),
    ("I usually drink two cups of coffee in the morning", "assertion quantity"),
    ("What's a good gift for my dad?", "person"),
    ("The quick brown fox jumps over the lazy dog", ""),
    ("We ended up choosing Rust for the parser", "decision"),
    ("After some debate the team went with Kafka", "decision"),
    ("The deploy failed with exit code 137", "error"),
    ("Fixed in commit a1b2c3d, see internal/server/handler.go", "resolution hash path git"),
    ('The API returns {"status": "ok"}', "data"),
    ("We pinned numpy to 1.26", "dependency"),
    ("Please stop apologising all the time", "preference"),
    ("My son turned 7 yesterday", "date person quantity"),
    ("I was born in Nairobi", "assertion"),
    ("I hold a PhD in chemistry", "assertion"),
    ("I quit smoking in 2018", "assertion date"),
    ("John Smith is our new CTO", "person"),
    ("We need 3 volunteers", "quantity"),
    ("Set DATABASE_URL=postgres://localhost/db", "configuration"),
    ("My phone number is 555-0134", "assertion"),
    ("I think therefore I am", ""),
    ("Do you have a favorite movie?", ""),
    ("Can you fix this bug?", ""),
    ("I fixed the bug", "resolution"),
    ("May I ask a question?", ""),
    ("hello", ""),
    ("The meeting with Acme Corp is at 3pm", "date"),
    ("I have two cats named Miso and Tofu", "assertion quantity"),
    ("My anniversary is June 14", "assertion date"),
    ("I hate it when the build breaks", "preference"),
    ("Let's use Redis for sessions", "decision"),
    ("We've decided against microservices", "decision"),
    ("I sing in a choir on Thursdays", "date assertion"),
    ("Honestly the ramen was the best part of Kyoto for me", "preference"),
    ("私の誕生日は6月14日です", "assertion date"),
    ("妻と二人の子供がいます", "person quantity assertion"),
    ("毎朝コーヒーを2杯飲みます", "quantity assertion"),
    ("来年の春に大阪へ引っ越す予定です", "date assertion"),
    ("佐藤さんからメールが来ました", "person"),
    ("この関数は何をしますか?", ""),
    ("天気はどうですか?", ""),
    ("朝は紅茶派です", "preference"),
    ("納豆が嫌いです", "preference"),
    ("バグを直してください", ""),
    ("本番にデプロイしました", "milestone"),
    ("今回はReactで行くことに決めた", "decision"),
    ("弟が結婚しました", "assertion person"),
    ("僕の趣味は写真です", "assertion preference"),
    ("息子は7歳です", "assertion person quantity"),
    ("納豆だけはどうしても食べられない", "preference"),
]
# Written after the patterns were, and scored before any of them was touched again: precision 0.94, recall 0.77.
LATER = [
    ("My flight to Oslo leaves on the 14th at 6am", "date assertion"),
    ("We adopted a beagle last spring", "date assertion"),
    ("I owe Farid 300 bucks", "person quantity"),
    ("My grandma turns 90 in August", "person quantity date"),
    ("I've been vegan since 2015", "date assertion"),
    ("My therapist suggested journaling", "person"),
    ("Can you suggest a name for my podcast?", ""),
    ("What time is it in Tokyo?", ""),
    ("I absolutely adore Studio Ghibli films", "preference"),
    ("Not a fan of crowded beaches", "preference"),
    ("I teach maths at a secondary school", "assertion"),
    ("Our second child is due in March", "person date assertion"),
    ("I weigh 72 kilos and I'm 180 cm tall", "quantity assertion"),
    ("Remember that I don't drink alcohol", "assertion"),
    ("Please keep your answers short", "preference"),
    ("Write me a poem about autumn", ""),
    ("Translate this to Spanish", ""),
    ("How many people live in Canada?", ""),
    ("I have no idea what this means", ""),
    ("I think the movie was too long", ""),
    ("Is 5 a prime number?", ""),
    ("The year 1066 matters in English history", "date"),
    ("My boss Helena is leaving in two weeks", "person date assertion"),
    ("I'd rather have the window seat", "preference"),
    ("We live on the third floor", "assertion"),
    ("I lost my keys again", "assertion"),
    ("Who won the World Cup in 1998?", "date"),
    ("Call the plumber tomorrow", "date"),
    ("My cat's name is Biscuit", "assertion"),
    ("I go running every morning", "assertion"),
    ("Tell Jonas I said hi", "person"),
    ("I can't find the remote", ""),
    ("What's the capital of Australia?", ""),
    ("I want to learn the guitar", ""),
    ("My daughter hates broccoli", "person preference"),
    ("I'm originally from Senegal", "assertion"),
    ("She works at the bakery", ""),
    ("I spent $40 on lunch", "quantity assertion"),
    ("Thanks, that helps a lot!", ""),
    ("The recipe needs 200 grams of flour", "quantity"),
    ("Next Tuesday won't work for me", "date"),
    ("Do I need a visa for Vietnam?", ""),
    ("I'm allergic to cats", "assertion"),
    ("Summers here are brutal", ""),
    ("We'll go with the blue tiles", "decision"),
    ("明後日、歯医者の予約があります", "date assertion"),
    ("妹が来年結婚します", "person date assertion"),
    ("私はコーヒーが飲めません", "assertion"),
    ("猫よりも犬が好き", "preference"),
    ("富士山の高さは?", ""),
    ("毎週水曜にジムに通っています", "date assertion"),
    ("佐々木先生に相談した", "person"),
    ("給料は月30万円です", "quantity"),
    ("この文を英訳して", ""),
    ("何時に始まりますか?", ""),
    ("大阪生まれの東京育ちです", "assertion"),
    ("子どもが二人います", "quantity assertion person"),
    ("敬語は使わないでください", "preference"),
    ("昨日の試合はどうだった?", "date"),
    ("弊社ではAWSを使っています", "assertion"),
]
TABLE = PROSE + CODE + JAPANESE + MIXED + LATER


def labels(signals: Signals) -> set[str]:
    return set(signals.present) | {name for name, count in signals.counts.items() if count}


def score() -> tuple[dict[str, tuple[float, float]], list[str]]:
    """Precision and recall of every signal over the whole table, and the sentences it is wrong on."""
    hits: dict[str, list[int]] = {name: [0, 0, 0] for name in SHORT.values()}  # right, too much, missed
    wrong = []
    for text, expected in TABLE:
        want = {SHORT[word] for word in expected.split()}
        got = labels(read_signals(text)) & set(SHORT.values())
        for name, (right, extra, missed) in hits.items():
            hits[name] = [
                right + (name in want and name in got),
                extra + (name in got and name not in want),
                missed + (name in want and name not in got),
            ]
        if want != got:
            wrong.append(f"{text!r}: extra {sorted(got - want)}, missed {sorted(want - got)}")
    rates = {n: (r / (r + e) if r + e else 1.0, r / (r + m) if r + m else 1.0) for n, (r, e, m) in hits.items()}
    return rates, wrong


def test_precision_and_recall_of_every_signal() -> None:
    rates, wrong = score()
    lines = [f"{name}: precision {p:.2f}, recall {r:.2f}" for name, (p, r) in rates.items()]
    assert all(p >= PRECISION and r >= RECALL for p, r in rates.values()), "\n".join([*lines, *wrong])
    assert len(wrong) <= len(TABLE) * 0.03, "\n".join(wrong)


def test_the_table_is_large_and_asks_for_every_signal() -> None:
    assert len(TABLE) >= 120
    asked = {SHORT[word] for _, expected in TABLE for word in expected.split()}
    assert asked == set(SHORT.values())


def test_names_of_signals_are_names_of_weights() -> None:
    signals = read_signals("I moved to Lisbon. See src/app.py")
    assert signals.present <= {*TECHNICAL, *NATURAL, *ACTION, *STRUCTURE}
    assert set(signals.counts) == set(SPECIFIC)


def test_counts_count() -> None:
    counts = read_signals("see a/b.py, src/c.py and https://x.org/a, https://x.org/b").counts
    assert counts["specific_path"] == 2
    assert counts["specific_url"] == 2


CODE_ALONE = [
    "```python\n# my sister Ana prefers 3 cats, we met on Monday\nI = 3\n```",
    "`I moved to Lisbon on Monday with my sister`",
    "~~~\nI love 20 dollars since 2019\n~~~",
    "```\nI live in Rome since 2019, says an unclosed fence",
    "deadline = '2024-05-03'\nowner = 'my sister Ana'\nrows = 20 * dollars;",
    "def pay(amount):\n    return amount * 20",
    "2024-05-03T10:00:00Z INFO my manager Bob said 20 dollars",
    "SELECT name FROM people WHERE born < '1990-01-01'",
]


@pytest.mark.parametrize("text", CODE_ALONE)
def test_code_alone_does_not_fire_dnl(text: str) -> None:
    assert natural(read_signals(text).present) == 0, read_signals(text).present


@given(st.text(max_size=200))
def test_no_fenced_text_fires_dnl(text: str) -> None:
    fenced = "```\n" + text.replace("`", "'") + "\n```"
    assert natural(read_signals(fenced).present) == 0


@given(st.text(max_size=300))
def test_any_text_has_signals_and_they_are_the_same_twice(text: str) -> None:
    assert read_signals(text) == read_signals(text)


def test_prose_keeps_words_and_drops_code() -> None:
    assert prose_of("Use `x = 1` at https://a.org/b in src/c.py today").split() == ["Use", "at", "in", "today"]


def test_only_the_beginning_of_a_long_text_is_read() -> None:
    assert read_signals("x " * MAX_CHARS + "I moved to Lisbon.").present == frozenset()


NASTY = [
    "my ",
    "a/",
    "1,",
    "I have a ",
    "a.b(",
    "my older ",
    "0f",
    "私は",
    "さん",
    "```",
    "`",
    "{",
    "--a",
    "A",
    "/a",
    "\n",
    " at x(",
    "I I'm ",
]


@pytest.mark.parametrize("piece", NASTY)
def test_hostile_text_is_read_in_linear_time(piece: str) -> None:
    assert is_linear(lambda chars: read_signals(piece * (chars // len(piece))), MAX_CHARS // 8, MAX_CHARS)
