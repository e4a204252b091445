"""Queries: the mode of a few hundred by hand, α and variants by their rules, laws over random text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.settings.rows import OpenclawRows, PceRows
from aforesaid.text.extract import query
from aforesaid.text.extract.query import READ_CHARS, Mode, analyse
from support.growth import is_linear

EXACT = r"""
why does vite.config.ts break
AttributeError in pipeline
what's in .gitignore
"late fee" in the contract
user_id column type
we saw a 504 last night
npm run build --watch
HTTP 400 from the api
`useEffect`の依存配列
Makefileの変更点
エラーコード 403
/var/log/syslog
`memory_search` returns nothing
what does `git rebase -i` do
the note that says "never deploy on Friday"
who said “ship it anyway”
find 'connection reset by peer' in my notes
EADDRINUSE when starting the gateway
404 on the login page
why do we get SQLITE_BUSY
error 500 after the upgrade
status code 302 on redirect
ECONNREFUSED postgres
openclaw.json
where is openclaw.json stored
all .md files about onboarding
/home/ada/projects/notes
what did I change in src/aforesaid/search.py
~/.zshrc alias for kubectl
C:\Users\ada\report.docx
the KeyError in the importer
NullPointerException in checkout
MAX_TOKENS setting
what is get_user_by_id for
getUserById signature
TS2345 in the build
CVE-2024-3094
PROJ-1423 status
exit code 137 in the worker
https://example.com/pricing what did we note about it
commit 3f2a9bc
what was that thing in config.yaml
do you remember the ENOENT problem
git push --force-with-lease
load_settings() default
127.0.0.1 refused
localhost:8080 does not answer
what is the exact wording of the refund clause
quote her verbatim
the 503 from the payment provider
retrieval.hybrid.alpha default
$DATABASE_URL on staging
Dockerfile for the worker
std::vector growth
0x80070005 on install
docs/architecture overview
what was that movie called "Stalker" or so
package.json scripts
HTTP 200 but empty body
「解約API」の仕様
『吾輩は猫である』を読んだ日
EADDRINUSEが出たときの対処
openclaw.jsonの設定
/etc/nginx/nginx.confを直した理由
404エラーの原因
エラー 500 の対応
`pytest -q`が失敗する
settings.pyのどこを変えた
SQLITE_BUSYの回避策
.envファイルの場所
正確な文言を教えて
あの映画のファイルmovie.mp4じゃなくてnotes.txt
TypeError: cannot read properties of undefined
which branch has feature_flags.ts
search for "blue whale"
ORA-00942 fix
where do we set embed.dimensions
grep -rn TODO
the function parse_header
SIGKILL after 30s
err 429 rate limit
got a 502 yesterday
README.md wording
tests/test_gate.py fails
npm ERR! code ERESOLVE
*.log retention
what does ERR_SSL_PROTOCOL mean
main.goのバグ
ECONNRESETの原因は?
500エラーが出た
src/index.tsを開いた理由
"単一障害点"という言葉
IndexError on empty list
what changed in schema.sql
the value of REDIS_URL
kernel panic 0xdeadbeef
renameColumn usage
error E0308
find "monthly retainer" clause
../shared/seeds folder
418 teapot joke in the api
package-lock.json conflict
Cargo.tomlの依存
ENOSPCになった
「検収」の定義
https://qiita.com/x の記事
""".strip().splitlines()

SEMANTIC = r"""
what was that article about coral reefs
who were those neighbours we had dinner with
where was that beach with the black sand
what sort of holidays have I enjoyed
do you remember the funny story with the goat
what was the name of that little bakery
anything we said about schools
I can't recall which vet we used
some kind of warranty issue with the fridge
what do you know about our finances
あの古い写真の話
例のレストランの場所
山で見た花、何だっけ
最近の出来事をまとめて
どんな話をしたか教えて
what was that podcast about sleep
who was that woman we met at the lake
where was that cabin we rented
have I mentioned anything about my parents
what's been on my mind lately
I vaguely recall a story with a fox
what sort of music do I like
remind me what we said about retirement
あのアプリの名前は?
なんて言ったっけ、あの料理
私のことをどう思ってる?
これまでの流れをまとめて
what was that thing we talked about with the garden
what was the thing about the insurance
what's that restaurant we liked in Lisbon
what was that book you recommended
that thing with the broken boiler
the one where we argued about tabs
something about a lighthouse
do you remember our trip to the coast
remember when the server room flooded
I forgot the name of the Italian place
I can't remember what she suggested for the party
what have we been working on
tell me everything about my sister
what do you know about me
catch me up on the kitchen renovation
give me an overview of the migration
summarize our discussions on pricing
what was it called again
anything related to my knee injury
someone who works with bees
some kind of agreement with the landlord
what kind of things do I enjoy
what's going on with the house
what was that idea for the newsletter
an idea along the lines of a shared calendar
what are those stuff we ordered for camping
what do we talk about
was there anything about allergies
that guy from the conference who builds boats
recap of the last months in general
あの店の名前なんだっけ
何だったっけ、あの本
あの映画のこと覚えてる?
例の件どうなった
なんか旅行の話してたよね
私について何を知っている?
プロジェクトの概要を教えて
名前を忘れたけど青い鳥のアプリ
キャンプみたいなことをした話
最近どんなことを話した?
全体的に健康の話をまとめて
前に言ってた方法が思い出せない
猫っぽいやつの話
京都で食べたあれって何だっけ
これまでの会話を要約して
what was that trick for cleaning pans
I don't remember which dentist we liked
what were those places we wanted to visit
tell me about that one time in Rome
what's the name of that show with the dragons
wasn't there something with a boat
how are things with my brother
what topics come up a lot with me
give me the gist of the contract talks
didn't we have some sort of plan for winter
what was the song that we danced to
have we ever talked about beekeeping
この前の面白いやつ何だっけ
あの赤い本
なんとかっていうカフェ
旅行について何か話した?
私の趣味ってどんな感じ
ざっくり言うと何を決めた?
what was that game we played with the cards
what was the place with the great noodles
do you recall our chat on moving abroad
there was something about taxes being late
what do you know about my work
the thing that annoyed Paul
what have I been worried about
I forgot what we named the boat
was it some sort of fungus
what kind of stuff makes me happy
あの海辺の店
歌の名前を忘れた
仕事の話、覚えてますか
なんか前に言ってたよね、猫のこと
""".strip().splitlines()

HYBRID = r"""
what is that worth in euros
who is the landlord
where is the spare key
what kind of cheese did Ana buy
is that included in the price
what was our hotel's address
that Tuesday meeting with Ben
the book club date
which song did the band open with
who was the speaker on Monday
妹の仕事は何
本屋の営業時間
映画のチケット代
誰が皿を洗った
荷物はいつ届く
dentist appointment time
what did Marco cook for dinner
who fixed the dishwasher
train ticket for 45 euros
Sarah's wedding dress
how do I reset the router
which hotel did we book in Rome
the meeting with Dr. Lee at 5:03
bus 402 to the station
is the garage door fixed
AC/DC concert tickets
iOS or Android
500 dollars for rent
父の誕生日
駐車場はどこ
先週の会議の結論
200円のパン
薬は一日何回飲む
when is Anna's birthday
what was the deadline for the tax return
which airline did I fly to Tokyo
what's the dog's name
how many guests are invited to the wedding
remember to buy milk
Internet of Things budget
what did the doctor say on Tuesday
my favourite colour
coffee order
we stayed in room 404
I walked 500 meters
101 dalmatians costume
he paid $404 for the tires
flight 417 to Denver
404 people signed up
node.js upgrade plan
Next.js or Remix for the shop
and/or clause in the lease
he/she pronouns in the form
24/7 support contract
meeting on 2024/05/03
the '90s playlist
it's Bob's turn and Ann's idea
iPhone or eBay purchase
macOS update schedule
COVID-19 vaccination date
UTF-8 or Latin-1
SHA-256 versus MD5
GPT-4 costs
e.g. the second option
5" nails or 6" nails
when exactly does the train leave
how exactly did we settle the dispute
TCP/IP course notes
A/B testing results
which database did we choose
who is responsible for the release
YouTube channel plans
what is our refund policy
where did I park the car
phone bill for March
the one-time payment from Carla
Dr. Smith appointment
what is the population of Lyon
rent is 1,500 euros
the .com bubble lecture
version 3.11 upgrade
did we choose red or blue for the hall
next steps for the audit
アンナの誕生日はいつ
京都の天気
会議は何時から
404号室の鍵
500円の切手
好きな色
税金の締め切り
犬の名前
東京への便はどの航空会社
医者は火曜日に何と言った
5月3日の予定
牛乳を買うのを覚えておいて
iPhoneの料金プラン
24時間対応の契約
担当者は誰
来週の予定を確認したい
家賃はいくら
what was the price of the sofa
who recommended the plumber
how long is the lease
when did we last change the oil
what is the wifi password at the cabin
does Tom like sushi
Anna's address in Berlin
409 guests were counted
12 Monkeys screening
win/loss record of the team
M.Sc. thesis topic
Vue.js conference
at 4:04 in the morning
the book I lent to Carla
forget the milk, buy bread
things to pack for Norway
something borrowed for the wedding
my blood type is A+
3.5% interest rate
JavaScript or TypeScript
is the one-bedroom still free
USB-C cable length
10/12 appointment
mother's maiden name
次の歯医者の予約
母の電話番号
あの日の天気は晴れ
本を3冊買った
404ページの小説
JavaScriptの勉強会
一番好きな映画
駅までの道
who won the chess game on Sunday
price of the 2019 Skoda
Paul's new phone number
is breakfast included
what time does the pharmacy close
Route 66 trip costs
407 Maple Street
what is the name of my cat
why did we cancel the subscription
train from Oslo to Bergen
how much did the roof cost
vegan recipes for Easter
Ph.D. defence date
is it 5 or 6 o'clock
I remember the garden
Sony WH-1000XM4 headphones
what did she mean by soon
猫のワクチン
会社の住所
昨日の夕食
どの本を借りた
500人の参加者
なぜ解約した
彼女の好きな花
""".strip().splitlines()

TABLE: list[tuple[Mode, str]] = [
    *(("exact", text) for text in EXACT),
    *(("semantic", text) for text in SEMANTIC),
    *(("hybrid", text) for text in HYBRID),
]
JAPANESE = re.compile("[ぁ-ヺ一-鿿]")


# -- mode --------------------------------------------------------------------------------------------------------------


def test_mode() -> None:
    wrong = [(want, got, text) for want, text in TABLE if (got := analyse(text).mode) != want]
    assert len(TABLE) >= 120 and sum(bool(JAPANESE.search(text)) for _, text in TABLE) >= 40
    assert 1 - len(wrong) / len(TABLE) >= 0.95, wrong


@pytest.mark.parametrize("mode", ["exact", "semantic", "hybrid"])
def test_no_mode_is_bought_with_another(mode: Mode) -> None:
    mine = [text for want, text in TABLE if want == mode]
    called = [text for _, text in TABLE if analyse(text).mode == mode]
    assert len(set(mine) & set(called)) / len(mine) >= 0.93 and len(set(mine) & set(called)) / len(called) >= 0.93


def test_exact_is_asked_first() -> None:
    assert analyse("what was that thing about the invoices").mode == "semantic"
    assert analyse("what was that thing in invoices.csv").mode == "exact"


def test_full_width_is_read_as_half_width() -> None:
    assert analyse("ＥＡＤＤＲＩＮＵＳＥ").mode == "exact"


# -- α -----------------------------------------------------------------------------------------------------------------


def test_alpha() -> None:
    assert analyse("which database did we choose").alpha == 0.65
    assert analyse("").alpha == pytest.approx(0.30)
    assert analyse("coffee").alpha == pytest.approx(0.3 + 0.2 * 1 / 8)  # short: ≤ 2 tokens
    assert analyse("coffee order").alpha == pytest.approx(0.3 + 0.2 * 2 / 8)
    assert analyse("`x`").alpha == pytest.approx(0.30)
    assert analyse("one two three four `x`").alpha == pytest.approx(0.40)
    assert analyse('she said "no" to me and to all of the other people').alpha == pytest.approx(0.50)
    assert analyse("see https://example.com/a").alpha == pytest.approx(0.325)
    assert analyse(" ".join(["word"] * 11)).alpha == 0.65
    assert analyse(" ".join(["word"] * 12)).alpha == pytest.approx(0.70)
    assert analyse(" ".join(["word"] * 18)).alpha == pytest.approx(0.775)
    assert analyse(" ".join(["word"] * 24)).alpha == analyse(" ".join(["word"] * 99)).alpha == pytest.approx(0.85)


def test_alpha_in_japanese() -> None:
    assert analyse("犬の名前").alpha == pytest.approx(0.35)  # 犬, 名前
    assert analyse("openclaw.jsonの設定").alpha < 0.5
    assert analyse("東京への便はどの航空会社だったか").alpha == 0.65
    long = (
        "先週の会議で田中さんが新しい料金プランについて説明したとき、来年の予算と採用計画をどうすると決めたのか教えて"
    )
    assert analyse(long).alpha >= 0.7


def test_alpha_comes_from_the_settings() -> None:
    rows = PceRows(alpha=0.6, alpha_exact_low=0.1, alpha_exact_high=0.1, alpha_long_high=0.9)
    assert analyse("which database did we choose", rows).alpha == 0.6
    assert analyse("coffee", rows).alpha == pytest.approx(0.1)
    assert analyse(" ".join(["word"] * 30), rows).alpha == pytest.approx(0.9)


@given(st.integers(0, 60))
def test_alpha_of_prose_rises_with_its_length(count: int) -> None:
    shorter, longer = (query.alpha(" ".join(["word"] * n)) for n in (count, count + 1))
    assert 0.3 <= shorter <= longer <= 0.85


# -- variants ----------------------------------------------------------------------------------------------------------


def test_expansions() -> None:
    assert analyse("Which boxes are in the Cellar?").expansions == (
        "which boxes are in the cellar",
        "which boxes are in the cellars",
        "which box are in the cellar",
    )
    assert analyse("Budget meeting in May 2024").expansions[:2] == ("budget meeting in may 2024", "budget meeting")
    assert "会議の議事録" in analyse("2024年5月3日の会議の議事録").expansions
    assert analyse("京都の天気？").expansions == ("京都の天気",)
    assert analyse("").expansions == () == analyse("?!").expansions
    assert analyse("Is it C++, or C#?").expansions[0] == "is it c++ or c#"
    assert analyse("the children", openclaw=OpenclawRows(max_expansions=0)).expansions == ()


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("invoice from 2024-05-03", "2024"),
        ("invoice of 3 May 2024", "may"),
        ("invoice on May 3rd, 2024", "3rd"),
        ("invoice in 2023", "2023"),
        ("invoice 03/05/2024", "2024"),
        ("令和6年5月の請求書", "令和"),
        ("5月3日の請求書", "5月"),
    ],
)
def test_a_query_is_also_tried_without_its_date(text: str, date: str) -> None:
    assert any(date not in variant and re.search("invoice|請求書", variant) for variant in analyse(text).expansions)


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("box", "boxes"),
        ("city", "cities"),
        ("day", "days"),
        ("class", "classes"),
        ("person", "people"),
        ("car", "cars"),
        ("church", "churches"),
    ],
)
def test_singular_and_plural(one: str, many: str) -> None:
    assert f"the red {many}" in analyse(f"the red {one}").expansions
    assert f"the red {one}" in analyse(f"the red {many}").expansions


SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.mark.parametrize(
    "private",
    [
        "bob@example.com",
        "Bob.Smith+tag@mail.example.co.uk",
        "+49 170 1234567",
        "(555) 123-4567",
        "090-1234-5678",
        "4111 1111 1111 1111",
        "DE89370400440532013000",
        "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
        "user8842119073",
        "@bobsmith",
        SECRET,
    ],
)
def test_no_private_identifier_in_a_variant(private: str) -> None:
    for text in (f"Invoices of {private} in May 2024?", private, f"{private}の請求書", f"Write to {private}, please!"):
        pieces = [piece for piece in re.split(r"[^0-9a-z]+", private.lower()) if len(piece) >= 3]
        for variant in analyse(text).expansions:
            assert not any(piece in variant for piece in pieces), (text, variant)


@given(st.one_of(st.text(max_size=80), st.text(alphabet="ab12 .,-@?'\"`/年月日の「」", max_size=60)))
def test_laws_over_any_text(text: str) -> None:
    got = analyse(text)
    assert got.text == text and got.mode in ("hybrid", "exact", "semantic")
    assert 0.3 <= got.alpha <= 0.85
    assert len(got.expansions) <= 4 and len(set(got.expansions)) == len(got.expansions)
    assert text not in got.expansions and "" not in got.expansions
    assert analyse(text) == got


@given(
    st.lists(
        st.sampled_from(["Invoices", "of", "in May 2024", "の", "?", "2023-04-05", "12", "the boxes"]), max_size=5
    ),
    st.from_regex(r"[a-z]{3,9}q[0-9]{2}x@[a-z]{3,8}\.(com|jp)", fullmatch=True),
    st.integers(1_000_000_000, 99_999_999_999),
    st.integers(0, 5),
)
def test_addresses_and_numbers_are_taken_out_of_any_query(parts: list[str], address: str, number: int, at: int) -> None:
    text = " ".join([*parts[:at], address, *parts[at:], str(number)])
    for variant in analyse(text).expansions:
        assert address.split("@")[0] not in variant and str(number)[-4:] not in variant


# -- the rest ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "what did we decide in 2019", "our old plans from years ago", "where did I live last year", "the history of the lease",
        "what did I use to eat, I used to like fish", "notes from 2021-03-04", "昔の住所", "去年の旅行", "2020年の予算", "以前の担当者",
    ],
)  # fmt: skip
def test_historical(text: str) -> None:
    assert analyse(text).historical


@pytest.mark.parametrize(
    "text",
    [
        "where do I live",
        "current budget",
        "room 2041b",
        "is it 3.2019 or so",
        "my oldest brother",
        "明日の予定",
        "住所は?",
    ],
)
def test_not_historical(text: str) -> None:
    assert not analyse(text).historical


def test_rare_tokens() -> None:
    assert analyse("that thing about the WH1000 and XKCD").rare == ("WH1000", "XKCD")
    assert analyse("what was the thing about GraphQL").rare == ("GraphQL",)
    assert analyse("the 3rd thing at 5pm on TV").rare == ()
    assert analyse("WHAT WAS THAT THING").rare == ()
    assert "EADDRINUSE" in analyse("EADDRINUSEが出た").rare


def test_keywords() -> None:
    assert analyse("What did we decide about the budgets?").keywords == ("decid", "budget")
    assert "会議" in analyse("会議の議事録").keywords
    assert analyse("").keywords == ()


@pytest.mark.parametrize("piece", ["a", "a.b/", "1 ", "あの", '"x ', "a_", "-1"])
def test_hostile_queries_are_read_in_linear_time(piece: str) -> None:
    assert is_linear(lambda chars: analyse(piece * (chars // len(piece))), READ_CHARS // 8, READ_CHARS)
