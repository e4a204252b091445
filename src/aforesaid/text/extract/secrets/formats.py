"""Secrets with a known shape: keys of providers, passwords in URLs, credentials in headers.

Patterns begin with a literal, which the regex engine finds fast, and look back only after it. Repeats are bounded or
possessive, so that no text makes a pattern slow.
"""

from __future__ import annotations

import re

from aforesaid.text.extract.secrets.labelled import RANDOM_CHARS, STAND_IN, is_jumbled, is_random
from aforesaid.text.extract.spans import Accept, SpanRow, Table, TextView
from aforesaid.text.patterns import word_set

OBJECTS = word_set("call chatcmpl file fc in msg req resp rs run sess step thread toolu ws pk id cus sub sha")  # ids
STAND_IN_PASSWORDS = word_set("password passwd pass pwd secret mypassword yourpassword x-oauth-basic")
NAMED_KEY = "key"  # the kind of a key of an unknown provider
MIN_KEY = 32  # characters behind the name of a provider; ids have up to 30
MIN_HEADER = 8  # characters of a credential in a header


def _key(kind: str, prefixes: str, body: str, before: str = "[A-Za-z0-9]") -> list[SpanRow]:
    """One row for each prefix: the prefix, nothing of the kind `before` it, and what follows."""
    found = [(prefix, re.escape(prefix)) for prefix in prefixes.split()]
    return [_row(kind, hint, f"({start}(?<!{before}{start}){body})") for hint, start in found]


def _row(kind: str, hints: str, pattern: str, accept: Accept | None = None) -> SpanRow:
    """A row whose first group is the secret."""
    return SpanRow(kind, re.compile(pattern), accept, tuple(hints.split()), group=1)


def _is_real(_: TextView, match: re.Match[str]) -> bool:
    return not STAND_IN.fullmatch(match[1]) or match[1].isalnum()


def _is_password(view: TextView, match: re.Match[str]) -> bool:
    return _is_real(view, match) and match[1].lower() not in STAND_IN_PASSWORDS


def _is_token_user(_: TextView, match: re.Match[str]) -> bool:
    return is_random(match[1])


def _is_provider_key(_: TextView, match: re.Match[str]) -> bool:
    """Whether it is a key: ids of objects have the same form and are shorter, or their name says so."""
    name, _sign, random = match[1].partition("_" if "_" in match[1] else "-")
    longest = max(re.findall(r"[A-Za-z0-9]+", random), key=len, default="")
    return name not in OBJECTS and len(longest) >= RANDOM_CHARS and len(random) >= MIN_KEY and is_random(longest)


def _is_credential(view: TextView, match: re.Match[str]) -> bool:
    return _is_real(view, match) and len(match[1]) >= MIN_HEADER and is_jumbled(match[1])


_ANY = r"[A-Za-z0-9_-]"
_DIGIT = r"(?=[A-Za-z0-9_-]{0,200}\d)"  # words joined by hyphens have none
_UPPER = r"(?=[A-Za-z0-9_-]{0,200}[A-Z])"
_JOINED = "[A-Za-z0-9-]"  # a prefix that ends in a hyphen does not start again inside its own key
_END = r"(?![A-Za-z0-9_-])"

KEYS: Table = (
    *_key("aws-access-key", "AKIA ASIA ABIA", rf"[A-Z0-9]{{16}}{_END}"),
    *_key("gcp-api-key", "AIza", rf"{_ANY}{{35}}{_END}"),
    *_key("google-oauth", "GOCSPX- ya29.", rf"{_ANY}{{20,}}+"),
    *_key("anthropic-key", "sk-ant-", rf"{_ANY}{{20,}}+"),
    *_key("openai-key", "sk-", rf"(?!ant-){_DIGIT}{_ANY}{{20,}}+", _JOINED),
    *_key("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"[A-Za-z0-9]{30,}+"),
    *_key("github-token", "github_pat_", r"[A-Za-z0-9_]{22,}+"),
    *_key("gitlab-token", "glpat- gldt- glrt- glptt- glcbt- glsoat-", rf"{_ANY}{{20,}}+"),
    *_key("slack-token", "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-", rf"{_DIGIT}[A-Za-z0-9-]{{10,}}+", _JOINED),
    _row(
        "slack-webhook", "hooks.slack.com/", r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_-]{20,}+)"
    ),
    *_key("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_ whsec_", r"[A-Za-z0-9]{16,}+"),
    *_key("npm-token", "npm_", rf"[A-Za-z0-9]{{36}}{_END}"),
    *_key("pypi-token", "pypi-", rf"{_DIGIT}{_UPPER}{_ANY}{{40,}}+", _JOINED),
    *_key("huggingface-token", "hf_ api_org_", rf"[A-Za-z0-9]{{30,}}+{_END}"),
    *_key("sendgrid-key", "SG.", rf"{_ANY}{{16,40}}\.{_ANY}{{16,80}}+"),
    *_key("twilio-key", "SK", rf"[0-9a-f]{{32}}{_END}"),
    _row("telegram-token", ":AA", rf"(?:(?<![\w-])|(?<=/bot))(\d{{8,10}}:AA{_ANY}{{30,36}}){_END}"),
    _row("discord-token", ".", rf"(?<![\w.-])([MNO]{_ANY}{{23,27}}\.{_ANY}{{6}}\.{_ANY}{{27,40}}){_END}"),
    _row("discord-webhook", "/api/webhooks/", rf"/api/webhooks/\d{{15,22}}/({_ANY}{{40,}}+)"),
    *_key("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", rf"[a-f0-9]{{64}}{_END}"),
    _row("azure-key", "AccountKey= AccessKey=", r"(?:Account|Access)Key=([A-Za-z0-9+/]{40,}+={0,2})"),
    _row("azure-sas", "sig=", r"[?&]sig=([A-Za-z0-9%+/_-]{30,}+={0,2})"),
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
    *_key("tailscale-key", "tskey-", rf"{_DIGIT}{_ANY}{{20,}}+", _JOINED),
    *_key("rubygems-key", "rubygems_", rf"[a-f0-9]{{48}}{_END}"),
    *_key("supabase-token", "sbp_", rf"[a-f0-9]{{40}}{_END}"),
    *_key("jwt", "eyJ", rf"{_ANY}{{8,}}+\.{_ANY}{{8,}}+\.{_ANY}{{8,}}+(?:\.{_ANY}{{8,}}+){{0,2}}"),
    *_key("google-oauth", "1//0", rf"{_ANY}{{30,}}+"),
    *_key("gitlab-token", "GR1348941", rf"{_ANY}{{20}}{_END}"),
    *_key("mapbox-token", "sk.eyJ", rf"{_ANY}{{20,}}+\.{_ANY}{{16,}}+"),
    *_key("dropbox-token", "sl.", rf"{_DIGIT}{_UPPER}{_ANY}{{60,}}+"),
    *_key("hubspot-token", "pat-na1- pat-eu1-", rf"[0-9a-f-]{{36}}{_END}"),
    *_key("doppler-token", "dp.st. dp.pt. dp.ct. dp.sa.", r"[A-Za-z0-9._-]{30,}+"),
    *_key("postman-key", "PMAK-", rf"[0-9a-f]{{24}}-[0-9a-f]{{34}}{_END}"),
    *_key("artifactory-key", "AKCp", rf"[A-Za-z0-9]{{60,}}+{_END}"),
    *_key("easypost-key", "EZAK EZTK", rf"[A-Za-z0-9]{{54}}{_END}"),
    *_key("facebook-token", "EAACEdEose0cBA EAAG EAAC EAAA", rf"{_DIGIT}[A-Za-z0-9]{{50,}}+"),
    *_key("pulumi-token", "pul-", rf"[0-9a-f]{{40}}{_END}"),
    *_key("bitcoin-key", "xprv yprv zprv tprv", rf"[1-9A-HJ-NP-Za-km-z]{{100,}}+{_END}"),
    *_key("token", "lsv2_pt_ lsv2_sk_ sntrys_ glc_ pscale_tkn_ pscale_pw_", r"[A-Za-z0-9+/=_.-]{30,}+"),
    _row("mailchimp-key", "-us", rf"(?<![A-Za-z0-9])([0-9a-f]{{32}}-us\d{{1,2}}){_END}"),
    _row("terraform-token", ".atlasv1.", rf"(?<![A-Za-z0-9])([A-Za-z0-9]{{14}}\.atlasv1\.{_ANY}{{60,}}+)"),
    _row("airtable-token", "pat", rf"(?<![A-Za-z0-9])(pat[A-Za-z0-9]{{14}}\.[0-9a-f]{{64}}){_END}"),
    _row("aws-signature", "Signature=", r"Signature=([0-9a-f]{64,}+)"),
    _row(
        "url-token",
        "= %3D",
        r"[?&#](?:[\w-]{0,20}(?:auth|token|key|secret|sig|signature|session|sid|jwt|code))=([A-Za-z0-9._~%+/-]{20,})",
        _is_token_user,
    ),
    _row("totp-secret", "otpauth://", r"otpauth://[^\s\"'<>]{0,200}?[?&]secret=([A-Z2-7]{16,}+)"),
    _row("azure-secret", "Q~", r"(?<![\w~.-])([A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34})(?![\w~-])"),
    SpanRow(  # figd_…, pcsk_…: a short name of the provider, and a long random part
        NAMED_KEY,
        re.compile(
            r"(?<![A-Za-z0-9_/.=+-])([a-z]{2,10}[_-](?:[a-z0-9]{1,6}[_-])?(?=[A-Za-z0-9_-]{32})[A-Za-z0-9_-]{32,200}+)"
        ),
        _is_provider_key,
        ("_", "-"),
        group=1,
    ),
)

SHAPES: Table = (
    _row("url-token", "://", r"://(?<=\w://)([A-Za-z0-9_-]{20,200}+)(?::[^\s/@]{0,40})?@", _is_token_user),
    _row(
        "url-password",
        "://",
        r"://(?<=\w://)[^\s:/@?#\"'<>]{0,100}:([^\s/?#\"'<>]{1,200})@(?=[\w\[$%{*])",
        _is_password,
    ),
    _row("url-password", "-u --user", r"\s(?:-u|--user)[ =][\"']?[\w.@-]{1,64}:([^\s\"']{3,200}+)", _is_password),
    _row("authorization", "earer BEARER", r"(?i:bearer)\s{1,3}([A-Za-z0-9._~+/=-]{16,}+)", _is_credential),
    _row(
        "authorization",
        "uthorization UTHORIZATION",
        r"(?i:authorization)[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:[A-Za-z][A-Za-z0-9-]{2,20}\s{1,3})?"
        r"([A-Za-z0-9._~+/=:-]{8,}+)",
        _is_credential,
    ),
)
