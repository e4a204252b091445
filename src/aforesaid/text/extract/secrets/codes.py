"""One-time codes, PINs and recovery codes: digits that a sentence calls a code for somebody's account."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aforesaid.text.extract.spans import Span, TextView

NEAR = 120  # characters around such a word in which its code stands
HINTS = (
    *("code", "pin", "puk", "otp", "2fa", "código", "codice", "コード", "番号", "验证码", "驗證碼", "校验码", "动态码"),
    *("인증", "код", "kod", "sign in", "log in", "login", "confirm", "verify"),
)

_FOR = (
    r"(?:verification|security|log-?in|sign-?in|access|confirmation|authenticat(?:ion|or)|auth|one[- ]time|2fa|mfa|"
    r"otp|sms|recovery|backup|unlock|activation|reset|pairing|passcode|\d[- ]digit|alarm|door|gate|entry|safe|locker)"
)
_CODE = r"(?:code|pin|passcode|password|number|otp|tan)"
_OTHER = (  # codes that are no secret
    r"(?:zip|postal|error|status|exit|return|country|area|dialling|promo|discount|coupon|voucher|product|item|source|dress|"
    r"colou?r|hex|bar|qr|http|tax|sort|swift|order|booking|reference|ref|part|model|referral|employee|customer|course|class)"
)
_DIGITS = r"(?:g-)?\d{3}[ -]\d{3}|(?:g-)?\d{4,8}[#*]?"
_MIXED = r"(?=[a-z]{0,7}\d)(?=\d{0,7}[a-z])[a-z0-9]{6,8}"  # as in 7Q2K9X
_END = r"(?![\w-]|[.,:]\d|\s?(?:lines|of|rows|words|characters|ok|times|bytes|%))"
_IS = r"(?:\s(?:is|was|are)(?:\snow)?:?\s|\s?[:：=は]\s?)"
_WHOSE = r"(?:for|to|of|on|at|from|they|we|i|you|that)\s[a-z0-9 .'/_-]{1,40}?"

SMALL = (  # all of these see lower-cased text; the first group is the code
    rf"(?<![a-z]){_FOR}[ -]{_CODE}(?:\s{_WHOSE})?{_IS}({_DIGITS}|{_MIXED}){_END}",
    rf"(?<![a-z]){_FOR}[ -]{_CODE}\s({_DIGITS}){_END}",
    r"(?<![a-z])(?:your|my|the|this|dein|ihr|votre|ton|tu|su|seu|sua|il tuo|uw|je)\s(?:code|código|codice)"
    rf"(?:\s{_WHOSE})?(?:\s(?:is|was|says|reads|lautet|ist|est|es|é|è))?\s?:?\s(\d{{5,8}}|\d{{3}}[ -]\d{{3}}){_END}",
    rf"(?<![a-z])your\s(?!{_OTHER}\s)(?:(?!{_OTHER}\s)[a-z]{{2,15}}\s){{1,2}}code{_IS}({_DIGITS}){_END}",
    rf"(?<![a-z])code\s(?:for|to|of)\s(?:the\s)?(?:alarm|door|gate|safe|building|garage|lock|locker|house){_IS}({_DIGITS}){_END}",
    r"(?<![\w])(?:código|codice|код|kod)\s?[:：]\s?(\d{5,8}|\d{3}[ -]\d{3})(?![\w-])",
    r"(?<![a-z])(?:otp|totp|2fa|mfa)\s(?:secret|seed|key)(?:\sis)?\s?:?\s((?=[a-z2-7]{0,30}[2-7])[a-z2-7]{16,64})(?![a-z0-9])",
    rf"(?<![a-z])(?:otp|2fa|mfa|totp)(?:\s(?:code|is))?\s?:?\s({_DIGITS}){_END}",
    rf"(?<![a-z])(?:passcode|puk)(?:\s{_WHOSE})?(?:{_IS}|\s)(\d{{4,10}}){_END}",
    rf"(?<![a-z])pin(?:\s(?:number|code))?(?:\s{_WHOSE})?{_IS}(\d{{4,8}}){_END}",
    rf"(?<![a-z])(?:sim|card|bank|my|your|phone|voicemail|atm|debit|credit)[ -]pin\s(\d{{4,8}}){_END}",
    rf"(?<![\w.-])({_DIGITS}|{_MIXED})\sis\s(?:your|the|my)\s(?:[a-z0-9'-]{{1,20}}\s){{0,4}}{_CODE}(?![a-z])",
    r"(?<![a-z])(?:use|enter|type|input)\s(?:the code\s|code\s)?(\d{5,8}|\d{3}[ -]\d{3})\s(?:to|for|when|as)\s"
    r"(?:[a-z]{1,12}\s){0,2}(?:sign|log|login|confirm|verify|verification|complete|authenticate|reset|unlock|activate|register)",
    r"(?<![a-z])(?:recovery|backup|scratch|emergency)\scodes?(?:\s(?:is|are))?\s?:?\s"
    r"((?:(?=[a-z0-9-]{0,12}\d)[a-z0-9]{4,6}-[a-z0-9]{4,6}[\s,;]{0,3}){1,20})",
    r"code de (?:vérification|sécurité|confirmation|connexion|validation)\s?(?:est)?\s?:?\s(\d{4,8})",
    r"código de (?:verificación|verificação|acceso|acesso|seguridad|segurança|confirmación|confirmação)"
    r"\s?(?:es|é)?\s?:?\s(\d{4,8})",
    r"codice (?:di |d')?(?:verifica|accesso|sicurezza|conferma)\s?(?:è)?\s?:?\s(\d{4,8})",
    r"(?:bestätigungs|sicherheits|anmelde|freischalt|verifizierungs|verificatie|einmal|zugangs)-?(?:code|passwort)"
    r"\s?(?:lautet|ist|is)?\s?:?\s(\d{4,8})",
    r"(?:kod (?:weryfikacyjny|dostępu)|doğrulama kodu(?:nuz)?|kode verifikasi)\s?:?\s(\d{4,8})",
    r"(?:код (?:подтверждения|доступа|проверки|безопасности)|(?:проверочный|одноразовый) код)\s?[:—-]?\s(\d{4,8})",
    r"(?:認証|確認|ワンタイム|セキュリティ|ログイン)(?:コード|番号|パスワード)\s?[はが:：]?\s?(\d{4,8})",
    r"暗証番号\s?[はが:：]?\s?(\d{4,8})",
    r"(?:验证码|驗證碼|校验码|动态码|验证码为)\s?[是为為:：]?\s?(\d{4,8})",
    r"(?:인증\s?번호|인증\s?코드|보안\s?코드)\s?[는은:：]?\s?\[?(\d{4,8})",
)
_TABLE = [re.compile(pattern) for pattern in SMALL]


def one_time_codes(view: TextView) -> Iterator[Span]:
    """The codes and PINs of a text."""
    if not view.digit:
        return
    for place in view.near(HINTS, NEAR):
        for pattern in _TABLE:
            for match in pattern.finditer(view.small, *place):
                start, end = match.span(1)
                yield Span("code", start, start + len(view.small[start:end].rstrip(" ,;\n\t")))
