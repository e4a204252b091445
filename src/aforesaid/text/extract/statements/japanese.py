"""Japanese statements: a sentence becomes clauses, and each clause is tried by the rules."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from aforesaid.text.extract.statements.rules_japanese import ROWS, who
from aforesaid.text.extract.statements.values import DraftStatement

_SPLIT = re.compile(
    "。|！|、?(?:けれども?|けど|ですが|ますが|したが|だが|ので|から)、|(?<=[たるすいだ])が、|(?<=して)、|"
    "(?<=くて)、?|(?<=[てで])、|(?<=[でし])、(?=今)"
)
_UNREAL = re.compile(
    "もし|なら、|そう(?:です|だ|な)|ように(?![なし])|みたい|[っしいん][ただ]ら(?![しい])|れば、|かもしれ|だろう|でしょう|たい(?:です|な|と|けど|。|$)|ようか|"
    "かな(?:[。、]|$)|例えば|たとえば|小説|"
    "と(?:思う|思って|思った|考え|仮定)|らしい|迷って|検討|と(?:言って|聞い|話して)|ですか|ますか|べき|"
    "ほしい|ください|夢で"
)
_OPENER = re.compile(
    "(?:(?P<change>今は|現在[はの]?|今の|今年から|今月から|今週から|今日から|これからは|今後は|今度|"
    "新しく|[0-9]{1,2}月から|先月から|先週から|"
    "訂正[:：]?|変更[:：])|ところで|実は|実を言うと|ちなみに|あと|えっと|そういえば|最近|この前|先月|"
    "先週|昨日|先日|やっと|ついに|とうとう|残念ながら|"
    "結局|報告です|お知らせです|でも|だから|そして|それで|今|今日|今朝|お疲れ様です|こんにちは|去年|今年|"
    "昨年|[春夏秋冬](?:に|から)|すみません|ごめん(?:なさい)?|申し訳ありません|急ですが)[、,。:： ]?"
)
_CHANGED = re.compile(
    "になった|になりま|に変わ|に代わ|に替わ|に変更|上がっ|上がり|下がっ|下がり|増え|減っ|減り|今は|今度|"
    "新しい|もう|現在|に決ま"
)


def readings(sentence: str, speaker: str) -> Iterator[DraftStatement]:
    """What the clauses of a Japanese sentence state."""
    text = unicodedata.normalize("NFKC", sentence)[:600]
    if text.rstrip("」』) ").endswith(("?", "か。", "か")):
        return
    for clause in _SPLIT.split(text):
        yield from _clause(clause, speaker)


def _clause(clause: str, speaker: str) -> Iterator[DraftStatement]:
    clause = clause.strip(" 、。!「」")
    change = False
    for _ in range(4):
        if not (opener := _OPENER.match(clause)) or not opener[0]:
            break
        change = change or bool(opener["change"])
        clause = clause[opener.end() :]
    if len(clause) < 3 or _UNREAL.search(clause):
        return
    change = change or _CHANGED.search(clause) is not None
    for pattern, rule in ROWS:
        if match := pattern.match(clause):
            found = list(rule(match, who(match, speaker), change))
            if found:
                yield from found
                return
