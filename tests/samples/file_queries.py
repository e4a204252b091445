"""Questions that people put to their notes, by how they want to be searched: B exact first, C meaning first, A the rest.

B names something that has to be found as it is written: a file, a code, a key, a quotation. C gropes for something, or
asks for the broad picture. Everything else, an ordinary question about a known thing, is A.
"""

from __future__ import annotations

EXACT = """
EADDRINUSE
what did we do about SQLITE_BUSY last time
where do we set openclaw.json
the fix for ERR_MODULE_NOT_FOUND
memory/topics/deploy.md
what is in MEMORY.md about backups
notes on `git rebase --onto`
"the owl flies at midnight"
who said "ship it on Friday"
error 404 on the status page
HTTP 502 from the load balancer
where is /etc/nginx/sites-enabled mentioned
ticket OPS-4521
max_connections in the postgres notes
DATABASE_URL for staging
which notes mention README.md
docker-compose.yml for the media server
ModuleNotFoundError: No module named 'yaml'
the exact wording of the refund policy
~/.ssh/config host aliases
what does `retry_budget` do
TypeError in checkout
v2.3.1-rc.4 changelog.md
where did I write 0xDEADBEEF
getUserById()
search.hybrid.weight setting
.env values for the bot
CVE-2026-1234 mitigation
port in vite.config.ts
kubectl flags in `deploy.sh`
SQLITE_BUSYの対処
openclaw.jsonの場所
「明日の午後三時」と書いたメモ
`git stash` の使い方のメモ
エラーコード E1234 の原因
package.jsonのバージョンを上げた理由
/var/log/syslog に出ていた警告
ステータス503が出たときの手順
原文のままの契約書の文言
ENOENTが出る件
""".strip().splitlines()

SEMANTIC = """
what was that thing we said about the garden
that restaurant with the good noodles, what was it called
I can't remember the name of the plumber
something about a discount for early birds
do you remember the trick for the squeaky door
what have I been worrying about lately
give me an overview of the house project
summarise what I know about sleep
what do we know about the new neighbours
anything like a packing list?
what was the idea with the mirrors again
that one podcast about octopuses
catch me up on the kitchen renovation
what kinds of things do I usually forget when travelling
the thing with the double booking
what's been going on with the allotment
remember when we talked about moving abroad?
who was that guy with the sailing boat
recap the discussions on pricing
what was it I wanted to try for my back
everything about the tax move
forgot what the dentist recommended
somewhere I wrote about fear of flying
what are the big themes in my journal this spring
how do I generally feel after running
did we ever talk about getting a dog
what sort of books did I enjoy
I vaguely remember a plan for the attic
ideas along the lines of a community workshop
what was on my mind in the winter
あの店の名前なんだっけ
例の引っ越しの件ってどうなった話だっけ
旅行の計画について何か話したっけ
最近どんなことで悩んでいたかまとめて
睡眠について何を知っている？
なんか良いレシピの話があったよね
去年の日記の全体像を教えて
あの変わった方法、何だったかな
プロジェクトの状況をざっくり知りたい
健康について書いたことを振り返って
""".strip().splitlines()

HYBRID = """
when is Ana's birthday
which paint did we choose for the hallway
rent due date
how often do I water the ferns
Bo's shoe size
what did the vet say about Figo's diet
wifi password of the cabin
meeting with Kenji about the budget
recipe for lentil soup
what time does the pharmacy close on Saturdays
dishwasher model and warranty
flight to Lisbon in May
who looks after the plants in August
why did we leave the old bank
insurance renewal
steps to reset the router
address of the piano teacher
how much did the new roof cost
standup notes from Tuesday
goals for the third quarter
how do I restore a backup of the photo library
who reviewed the onboarding guide
did Mia finish the translation
deadline for the grant application
what is the plan if the server room floods
tyre pressure for the van
allergies of the children
500 guests or fewer at the wedding
room 404 at the hotel in Kyoto
node.js meetup on Thursday
アナの誕生日はいつ
玄関に選んだペンキの色
ゴミの日は何曜日
来週の会議の議題
歯医者の予約は何時
猫の薬の量
引っ越し業者の電話番号
誰が鍵を持っている
京都のホテルの住所
家賃の支払日
""".strip().splitlines()

# Harder on purpose. Measured once before the rules knew them (31 of 45); the rules were then mended on them.

BLIND_EXACT = """
grep my notes for TODO(ana)
the line that starts with "Dear Mr. Oyelaran"
what's the regex in parse_dates.py
anything on CORS_ALLOWED_ORIGINS?
why did systemd say status=203/EXEC
where's the thing about webpack.config.js
error: externally-managed-environment
which note has the SHA a1b2c3d4e5f6
the quote 'less but better'
Makefile target for docs
how do I call session.flush()
exit code 137 in CI
tsconfig.json paths と alias の設定
「一期一会」を引用したところ
AttributeError の直し方
""".strip().splitlines()

BLIND_SEMANTIC = """
I once wrote down a nice metaphor about rivers, where is it
what did I use to think about working from home
there was some app for tracking habits, which one
the gist of my talks with the therapist
how has my view on money changed
what's that word for the smell of rain
any patterns in when I get headaches
what do I tend to argue about with my brother
a film somebody recommended, with a lighthouse in it
tell me about my relationship with coffee
what else did I note in connection with grief
stuff like the standing desk experiment
前に読んだ、灯台が出てくる本のタイトルが思い出せない
仕事に対する考え方はどう変わってきた？
雨の匂いを表すあの言葉って何だっけ
""".strip().splitlines()

BLIND_HYBRID = """
that Tuesday's dinner bill
Ana's new phone number
things to buy for the barbecue
remember to renew the passport, by when?
the general practitioner's opening hours
is gate 12 or gate 21 ours
how long is the 401k transfer taking
who wrote the summary for the board
what is the next step with the landlord
the name of Mia's school
is the 2024 tax return done
section 8 of the lease
お隣さんに借りた本を返す日
この前の会議で決まった担当者
302号室の暖房の修理
""".strip().splitlines()

# Written after that, and measured as they stand: nothing was changed for these.

LAST_EXACT = """
what does line 40 of crontab.txt say
java.lang.OutOfMemoryError in the importer
which day did I note "Grandma's birthday cake"
where do I keep the id_ed25519 key notes
npm ERR! code ERESOLVE
the section on `chmod +x`
notes/2026/reading-list.md
how was FEATURE_DARK_MODE rolled out
JIRA PAY-118 decision
all mentions of api.example.com/v2/orders
Cannot read properties of undefined (reading 'map')
settings.gradle.kts の依存関係
「うるさい」という単語を使った日記
エラー500の調べ方
log4j2.xml のレベル
""".strip().splitlines()

LAST_SEMANTIC = """
what was the book with the blue cover that Ana lent me
I'm looking for something uplifting I wrote last summer
which ideas keep coming back in my writing
what do I really want from this job
how did I cope with stress before
the recipe thing with chickpeas, you know
what's my general attitude to deadlines
a broad picture of how the garden did this year
notes that have to do with loneliness
what was bothering Kenji again
have I written about forgiveness anywhere
what advice have I given myself about mornings
最近よく考えていることは何だろう
子どものころの思い出っぽい話
あれ、何て言うんだっけ、風通しのいい家の作り方
""".strip().splitlines()

LAST_HYBRID = """
when was the boiler last serviced
names of Bo's twins
where did we park at the airport
how many chairs fit around the table
the login page redesign: who owns it
the trip to Rome with Mia, what did we spend
next dentist appointment
is the garage key with the neighbours
which vaccine did Figo get in March
bus 42 timetable
questions for the notary on Monday
things Ana said about the contract
妹の新しい住所
車検はいつまで
次の飲み会の場所
""".strip().splitlines()
