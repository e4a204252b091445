"""What secrets look like: keys of providers by their shape, and everything else by the word in front of it.

Patterns begin with a literal, which the engine can skip to, and look back only then. A repeat that can be tried again is
bounded, one that cannot is possessive: no text makes a rule slow.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Rule(NamedTuple):
    """The shape of one kind of key: substrings of which one must be there, and the pattern; group 1 is the secret."""

    kind: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]


def _key(kind: str, prefixes: str, body: str) -> list[Rule]:
    """One rule for each prefix: the prefix, at the start of a token, and what follows it."""
    found = prefixes.split()
    return [Rule(kind, (p,), re.compile(f"({re.escape(p)}(?<![A-Za-z0-9]{re.escape(p)}){body})")) for p in found]


def _rule(kind: str, hints: str, pattern: str) -> list[Rule]:
    return [Rule(kind, tuple(hints.split()), re.compile(pattern))]


_ANY = r"[A-Za-z0-9_-]"
_DIGIT = r"(?=[A-Za-z0-9_-]{0,200}\d)"  # words joined by hyphens have none
_UPPER = r"(?=[A-Za-z0-9_-]{0,200}[A-Z])"
_END = r"(?![A-Za-z0-9_-])"

PROVIDERS: tuple[Rule, ...] = (
    *_key("aws-access-key", "AKIA ASIA ABIA", rf"[A-Z0-9]{{16}}{_END}"),
    *_key("gcp-api-key", "AIza", rf"{_ANY}{{35}}{_END}"),
    *_key("google-oauth", "GOCSPX- ya29.", rf"{_ANY}{{20,}}+"),
    *_key("anthropic-key", "sk-ant-", rf"{_ANY}{{20,}}+"),
    *_key("openai-key", "sk-", rf"(?!ant-){_DIGIT}{_ANY}{{20,}}+"),
    *_key("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"[A-Za-z0-9]{30,}+"),
    *_key("github-token", "github_pat_", r"[A-Za-z0-9_]{22,}+"),
    *_key("gitlab-token", "glpat- gldt- glrt- glptt- glcbt- glsoat-", rf"{_ANY}{{20,}}+"),
    *_key("slack-token", "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-", rf"{_DIGIT}[A-Za-z0-9-]{{10,}}+"),
    *_rule(
        "slack-webhook", "hooks.slack.com/", r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_-]{20,}+)"
    ),
    *_key("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_ whsec_", r"[A-Za-z0-9]{16,}+"),
    *_key("npm-token", "npm_", rf"[A-Za-z0-9]{{36}}{_END}"),
    *_key("pypi-token", "pypi-", rf"{_DIGIT}{_UPPER}{_ANY}{{40,}}+"),
    *_key("huggingface-token", "hf_ api_org_", rf"[A-Za-z0-9]{{30,}}+{_END}"),
    *_key("sendgrid-key", "SG.", rf"{_ANY}{{16,40}}\.{_ANY}{{16,80}}+"),
    *_key("twilio-key", "SK", rf"[0-9a-f]{{32}}{_END}"),
    *_rule("telegram-token", ":AA", rf"(?<![\w-])(\d{{8,10}}:AA{_ANY}{{30,36}}){_END}"),
    *_rule("discord-token", ".", rf"(?<![\w.-])([MNO]{_ANY}{{23,27}}\.{_ANY}{{6}}\.{_ANY}{{27,40}}){_END}"),
    *_rule("discord-webhook", "/api/webhooks/", rf"/api/webhooks/\d{{15,22}}/({_ANY}{{40,}}+)"),
    *_key("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", rf"[a-f0-9]{{64}}{_END}"),
    *_rule("azure-key", "AccountKey= AccessKey=", r"(?:Account|Access)Key=([A-Za-z0-9+/]{40,}+={0,2})"),
    *_rule("azure-sas", "sig=", r"[?&]sig=([A-Za-z0-9%+/_-]{30,}+={0,2})"),
    *_key("shopify-token", "shpat_ shpss_ shpca_ shppa_", rf"[a-fA-F0-9]{{32}}{_END}"),
    *_key("vault-token", "hvs. hvb.", rf"{_ANY}{{24,}}+"),
    *_key("databricks-token", "dapi", rf"[a-f0-9]{{32}}{_END}"),
    *_key("age-key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{40,}+"),
    *_key("atlassian-token", "ATATT3", r"[A-Za-z0-9_=-]{40,}+"),
    *_key("docker-token", "dckr_pat_ dckr_oat_", rf"{_ANY}{{20,}}+"),
    *_key("square-token", "sq0atp- sq0csp-", rf"{_ANY}{{22,}}+"),
    *_key("notion-token", "ntn_", r"[A-Za-z0-9]{40,}+"),
    *_key("linear-key", "lin_api_", r"[A-Za-z0-9]{32,}+"),
    *_key("groq-key", "gsk_", r"[A-Za-z0-9]{40,}+"),
    *_key("xai-key", "xai-", r"[A-Za-z0-9]{40,}+"),
    *_key("grafana-token", "glsa_ glc_", r"[A-Za-z0-9_=]{30,}+"),
    *_key("newrelic-key", "NRAK-", rf"[A-Z0-9]{{27}}{_END}"),
    *_key("replicate-token", "r8_", rf"[A-Za-z0-9]{{37}}{_END}"),
    *_key("tailscale-key", "tskey-", rf"{_DIGIT}{_ANY}{{20,}}+"),
    *_key("rubygems-key", "rubygems_", rf"[a-f0-9]{{48}}{_END}"),
    *_key("supabase-token", "sbp_", rf"[a-f0-9]{{40}}{_END}"),
    *_key("jwt", "eyJ", rf"{_ANY}{{8,}}+\.{_ANY}{{8,}}+\.{_ANY}{{8,}}+(?:\.{_ANY}{{8,}}+){{0,2}}"),
)

# -- secrets by the word in front of them, on lower-cased text -----------------------------------------------------------

_STAGE = "prod|production|dev|staging|test|live|base|key|value|old|new|default|root|admin|user|db"
_NAME_END = rf"(?:[_-](?:{_STAGE})){{0,2}}\d{{0,2}}(?![a-z0-9_-])[\"'`\\\]]{{0,3}}"
_TYPE = r"(?:(?:str|string|&str|secretstr|optional\[str\])(?: \| none)?\s{0,2}=\s{0,2})?"
_ASSIGNED = rf"(?P<assigned>\s{{0,3}}(?:=>|:=|==?|:|＝|：|は|が|>)\s{{0,3}}){_TYPE}"
_FOR = r"(?:\s(?:for|to|of|on|at|i|we|you|that)\s[a-z0-9 .'/_-]{1,40}?)?"
_SPOKEN = rf"(?P<spoken>{_FOR}\s(?:is|was|are|ist|to|:)(?:\s(?:now|still|just|simply|set to))?\s?:?\s{{1,2}})"
_VALUE = r"(?:\\?[\"'`「『“](?P<quoted>[^\"'`\n「」『』“”]{1,200})|(?P<plain>[^\s\"'`<>「」『』“”]{1,200}))"
_NEXT = rf"(?={_NAME_END}(?:{_ASSIGNED}|{_SPOKEN}|(?P<beside>\s)){_VALUE})"
_PASSWORDS = "password|passwd|passphrase|passcode|pwd|contraseña|passwort|パスワード|パスフレーズ|暗証番号"
_SECRETS = (
    "secret(?:[ _-]?access)?(?:[ _-]?key)?|token|トークン|api[ _-]?key|apiキー|access[ _-]?key|アクセスキー|private[ _-]?key|"
    "auth[ _-]?key|encryption[ _-]?key|encryptionkey|signing[ _-]?key|credentials?|シークレット|秘密鍵"
)
KEYWORD_HINTS = tuple(["pass", "pwd", "pw", "contrase", "パス", "暗証", "secret", "token", "トークン", "key", "キー", "credential", "シークレット", "秘密鍵"])
_SHORT = "pass(?<![a-z]pass)|pw(?<![a-z]pw)"  # also a verb and an abbreviation of other things
KEYWORD = re.compile(rf"(?:(?P<password>{_PASSWORDS})|(?P<secret>{_SECRETS})|(?P<short>{_SHORT})){_NEXT}")
PIN = re.compile(r"(?<![a-z])(?:pin|pin code|暗証番号)(?: number)?(?:\s(?:is|was)\s|\s?[:：は]\s?)(\d{4,8})(?![\w.-])")
NEARBY = re.compile(
    rf"(?:{_PASSWORDS}|{_SECRETS})s?(?=(?P<gap>[^\n\[\]]{{1,40}}?)(?<![a-z0-9_+/-])(?P<run>[a-z0-9_+]{{20,}}+))"
)

SCHEMES: tuple[Rule, ...] = (
    *_rule("url-password", "://", r"://(?<=\w://)[^\s:/@?#\"'<>]{0,100}:([^\s/?#\"'<>]{1,200})@(?=[\w\[$%{*])"),
    *_rule(
        "authorization",
        "uthorization UTHORIZATION",
        r"(?i:authorization)[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?i:(?:bearer|basic|token|digest|apikey)\s{1,3})?([A-Za-z0-9._~+/=:-]{8,}+)",
    ),
    *_rule("authorization", "earer BEARER", r"(?i:bearer)\s{1,3}([A-Za-z0-9._~+/=-]{16,}+)"),
    *_rule("url-password", "-u --user", r"\s(?:-u|--user)[ =][\"']?[\w.@-]{1,64}:([^\s\"']{3,200}+)"),
)
