"""Secrets found and left alone, on labelled texts; every fake key is put together here so that no scanner trips over it."""

from __future__ import annotations

import hashlib
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.text.secrets import Redacted, Secret, find_secrets, redact_secrets

PRECISION, RECALL = 0.95, 0.95

ALNUM = "a8Kd03LmQz71TyXbV5nPw9RsE2uHj6GfC4"  # mixed, irregular, no meaning
HEX = "9f4c1e7ab2d8053f6e91c07d4ab8352e"
DIGITS = "4815162342"
LONG = ALNUM * 3


def fill(length: int) -> str:
    return LONG[:length]


def hexed(length: int) -> str:
    return (HEX * 3)[:length]


PEM_BODY = "\n".join([fill(64), fill(64), fill(40) + "=="])
JWT = ".".join(["ey" + "JhbGciOiJIUzI1NiJ9", "ey" + "JzdWIiOiIxMjM0In0", fill(43)])

# (text, the secret in it)
SHAPED = [
    ("AKIA" + "IOSFODNN7EXAMPLE", None),
    ("ASIA" + "Q3EGRZ7XPL2MNB4K", None),
    ("AI" + "za" + fill(35), None),
    ("GOC" + "SPX-" + fill(28), None),
    ("sk" + "-" + fill(48), None),
    ("sk" + "-proj-" + fill(60), None),
    ("sk" + "-svcacct-" + fill(40), None),
    ("sk" + "-ant-api03-" + fill(80), None),
    ("gh" + "p_" + fill(36), None),
    ("gh" + "o_" + fill(36), None),
    ("gh" + "s_" + fill(36), None),
    ("github" + "_pat_" + fill(22) + "_" + fill(59), None),
    ("gl" + "pat-" + fill(20), None),
    ("xo" + "xb-" + "123456789012-1234567890123-" + fill(24), None),
    ("xo" + "xp-" + "123456789012-" + fill(32), None),
    ("sk" + "_live_" + fill(24), None),
    ("rk" + "_live_" + fill(24), None),
    ("np" + "m_" + fill(36), None),
    ("py" + "pi-AgEIcHlwaS5vcmc" + fill(60), None),
    ("h" + "f_" + fill(34), None),
    ("SG" + "." + fill(22) + "." + fill(43), None),
    ("S" + "K" + hexed(32), None),
    ("12345678" + ":AA" + fill(33), None),
    ("M" + fill(23) + "." + fill(6) + "." + fill(27), None),
    ("do" + "p_v1_" + hexed(64), None),
    ("AGE-SECRET-" + "KEY-1" + fill(58).upper(), None),
    ("hv" + "s." + fill(24), None),
    ("da" + "pi" + hexed(32), None),
    ("shp" + "at_" + hexed(32), None),
    ("dckr" + "_pat_" + fill(27), None),
    ("gs" + "k_" + fill(52), None),
    (JWT, None),
    ("https://hooks.slack" + ".com/services/T0001/B0002/" + fill(24), "T0001/B0002/" + fill(24)),
    ("https://discord.com/api/webhooks/" + "1" * 18 + "/" + fill(68), fill(68)),
    ("AccountName=x;Account" + "Key=" + fill(86) + "==;EndpointSuffix=core.windows.net", fill(86) + "=="),
    ("https://x.blob.core.windows.net/c/b?sv=2022&si" + "g=" + fill(44), fill(44)),
    ("postgres" + "://app:s3cr3tPw@db.internal:5432/app", "s3cr3tPw"),
    ("redis" + "://:Tr0ub4dor@cache:6379/0", "Tr0ub4dor"),
    ("mongodb+srv" + "://ana:p%40ss@cluster0.example.net/db", "p%40ss"),
    ("https" + "://bob:" + fill(20) + "@git.example.org/repo.git", fill(20)),
    ("amqp" + "://guest:guest@localhost", "guest"),
    ("Authorization: Bearer " + fill(32), fill(32)),
    ("authorization: basic " + "YWRtaW46aHVudGVyMg==", "YWRtaW46aHVudGVyMg=="),
    ('curl -H "Authorization: token ' + fill(40) + '" https://api.example.org', fill(40)),
    ("It sends Bearer " + fill(40) + " in the header", fill(40)),
    ("curl -u admin:hunter2 https://example.org", "hunter2"),
    ("-----BEGIN RSA " + "PRIVATE KEY-----\n" + PEM_BODY + "\n-----END RSA " + "PRIVATE KEY-----", None),
    ("-----BEGIN " + "PRIVATE KEY-----\n" + PEM_BODY, None),
    ("-----BEGIN OPENSSH " + "PRIVATE KEY-----\\n" + fill(60) + "\\n-----END OPENSSH " + "PRIVATE KEY-----", None),
]
NAMED = [
    ("aws_secret_access_key = " + "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAMPLEK", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAMPLEK"),
    ("password = hunter2", "hunter2"),
    ("password: S3cure!Pass", "S3cure!Pass"),
    ("DB_PASSWORD=correcthorse9", "correcthorse9"),
    ("MYSQL_PASSWORD_PROD=zxcv!1234", "zxcv!1234"),
    ('"password": "hunter"', "hunter"),
    ("passwd='tiger99'", "tiger99"),
    ("pwd: qwerty123", "qwerty123"),
    ("SMTP_PASS=mail4me2", "mail4me2"),
    ('password: str = "hunter2hunter2"', "hunter2hunter2"),
    ('{"user": "bob", "password": "tr0ub4dor&3"}', "tr0ub4dor&3"),
    ('{\\"password\\": \\"tr0ub4dor\\"}', "tr0ub4dor"),
    ("?user=bob&password=abc123xyz&lang=en", "abc123xyz"),
    ("client_secret: " + fill(32), fill(32)),
    ("CLIENT_SECRET=" + hexed(32), hexed(32)),
    ("secret_key = '" + fill(50) + "'", fill(50)),
    ('SECRET_KEY_BASE="' + hexed(64) + '"', hexed(64)),
    ("api_key=" + fill(24), fill(24)),
    ("apikey: " + hexed(32), hexed(32)),
    ("X-API-Key: " + fill(30), fill(30)),
    ("apiKey: '" + fill(20) + "'", fill(20)),
    ('const token = "' + fill(30) + '";', fill(30)),
    ("ACCESS_TOKEN=" + fill(40), fill(40)),
    ("refresh_token: " + fill(64), fill(64)),
    ("auth_token => " + fill(32), fill(32)),
    ("TWILIO_AUTH_TOKEN=" + hexed(32), hexed(32)),
    ("private_key: " + fill(44), fill(44)),
    ("encryption_key=" + hexed(64), hexed(64)),
    ("api_key = 550e8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-446655440000"),
    ("my password is hunter2!", "hunter2!"),
    ("The wifi password is sunshine42.", "sunshine42"),
    ("The password for the guest network is blue-Fish-7", "blue-Fish-7"),
    ("password is: Pa55word", "Pa55word"),
    ("The password is swordfish.", "swordfish"),
    ('The password was "open sesame please now"', "open sesame please now"),
    ("log in with user bob and password hunter22", "hunter22"),
    ("Password:\nletmein99", "letmein99"),
    ("the token for prod is " + fill(24), fill(24)),
    ("here is our api key for staging, " + fill(32) + ", keep it safe", fill(32)),
    ("my secret key, do not share: " + fill(40), fill(40)),
    ("My PIN is 4821", "4821"),
    ("暗証番号は4821です", "4821"),
    ("パスワードは hunter2 です", "hunter2"),
    ("パスワードはhunter2です。", "hunter2"),
    ("パスワード: Sakura2024", "Sakura2024"),
    ("パスワードは「ひらけごま」です", "ひらけごま"),
    ("Wi-Fiのパスワード：abcd1234", "abcd1234"),
    ("APIキーは" + fill(32) + "です", fill(32)),
    ("トークン=" + fill(30), fill(30)),
    ("password: correct-horse-battery-staple", "correct-horse-battery-staple"),
    ("user: admin / pass: admin123", "admin123"),
    ("ssh root@10.0.0.1 # pw: toor1234", "toor1234"),
    ("please set the root password to Fr1day!", "Fr1day!"),
    ("login admin, password 'letmein'", "letmein"),
    ("The admin password is admin", "admin"),
    ("The password I use everywhere is Banana77", "Banana77"),
    ("<password>hunter2</password>", "hunter2"),
    ("spring.datasource.password=tiger", "tiger"),
    ("mysqldump --password hunter2", "hunter2"),
    ("machine github.com login bob password s3cr3tt0k3n", "s3cr3tt0k3n"),
    ("kubectl create secret generic db --from-literal=password=S3cret99", "S3cret99"),
    ("Authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"),
    ("新しいパスワードはTokyo#2024!です", "Tokyo#2024!"),
    ("パスワードは123456にしてください", "123456"),
    ("password: Motörhead77", "Motörhead77"),
    ("password=$ecret99!", "$ecret99!"),
    ("password: %h4rd%", "%h4rd%"),
]
# Written after the rules were, and scored before any was touched again: no false alarm in 40, 21 of 30 found.
LATER = [
    ("hey the staging db login is root / Winter#2023", "Winter#2023"),
    ("FTP pass = ftp!2020", "ftp!2020"),
    ("export STRIPE_SECRET=sk" + "_test_" + fill(24), "sk" + "_test_" + fill(24)),
    ("my netflix pw is Chill4ever", "Chill4ever"),
    ("the alarm code is 5543", "5543"),
    ("jenkins token: " + hexed(32), hexed(32)),
    ("use this bearer token " + fill(33), fill(33)),
    ("ENCRYPTION_KEY='" + fill(28) + "'", fill(28)),
    ("mysql" + "://root:toor@127.0.0.1/db", "toor"),
    ("password (temporary): Abc#12345", "Abc#12345"),
    ("Passwort: Geheim123", "Geheim123"),
    ("my password's hunter2", "hunter2"),
    ("I changed my password to Sunflower88", "Sunflower88"),
    ("here's the key: sk" + "-" + fill(56), "sk" + "-" + fill(56)),
    ('"client_secret":"' + fill(28) + '"', fill(28)),
    ("--api-key " + fill(28), fill(28)),
    ("api key " + fill(28), fill(28)),
    ("secret access key " + fill(40), fill(40)),
    ("PASSWORD='p@ss w0rd'", "p@ss w0rd"),
    ("ログインのパスワードはneko1234", "neko1234"),
    ("ルーターのパスワードは admin!99 にした", "admin!99"),
    ("user=sa;password=Str0ng!;database=x", "Str0ng!"),
    ("Server=x;Pwd=Abc12345;", "Abc12345"),
    ("token=" + fill(16), fill(16)),
    ("x-api-key: " + hexed(32), hexed(32)),
    ("basic auth is admin:s3cret", "s3cret"),
    ("ssh passphrase is purple monkey dishwasher", "purple monkey dishwasher"),
    ("OTP secret JBSWY3DPEHPK3PXP", "JBSWY3DPEHPK3PXP"),
    ("GH_TOKEN=ghp" + "_" + fill(36), "ghp" + "_" + fill(36)),
    ('set password "Tr1cky" for bob', "Tr1cky"),
]
POSITIVES = [(text, secret or text) for text, secret in SHAPED + NAMED + LATER]

NEGATIVES = [
    "",
    "hello world",
    "commit 3f2a9c81d04be57761aa02f9c3e48d15b6709e2c",
    "sha256:" + hexed(64),
    "the digest is " + hexed(64),
    "git checkout " + hexed(40),
    "request id 550e8400-e29b-41d4-a716-446655440000",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA" + LONG,
    "version 1.2.3-beta.4+build.77",
    "token_count = 512",
    "max_tokens: 4096",
    "tokens = 128000",
    "I need a password reset",
    "Forgot your password? Click here.",
    "the secret is to stir slowly",
    "The secret to good bread is time.",
    "the token bucket refills every second",
    "def get_token(self): ...",
    "def login(user, password): pass",
    "return self.token",
    "token = get_token()",
    "token = self._tokens.next()",
    "password = input('Password: ')",
    "password = getpass.getpass()",
    "password = os.environ['DB_PASSWORD']",
    "api_key = os.getenv('OPENAI_API_KEY')",
    "apiKey: process.env.API_KEY",
    "secret = config.get('secret')",
    "password: ${DB_PASSWORD}",
    "password: {{ .Values.db.password }}",
    "password: !vault |",
    "password = <your-password>",
    "API_KEY=<your-api-key>",
    "API_KEY=your-api-key-here",
    "api_key: YOUR_API_KEY",
    "password: ********",
    "password: xxxxxxxx",
    "password=changeme",
    "token: null",
    "secret: None",
    "password: true",
    "password: required",
    "password: string",
    "password: Optional[str]",
    "token: str",
    "connect(user=user, password=password)",
    "login(token=token)",
    "password=args.password",
    "password=db_password",
    "The password is wrong.",
    "The password is stored hashed.",
    "The password is case-sensitive",
    "Your password must be at least 8 characters",
    "Password: must contain a digit and a symbol",
    "password length: 12",
    "passwords are hashed with bcrypt",
    "password hash uses sha256",
    "The token is invalid or has expired.",
    "Tokenization splits text into tokens.",
    "an access token is short-lived",
    "see docs/secrets/rotation.md",
    "password_file: /run/secrets/db_password",
    "secret: projects/acme/secrets/db/versions/latest",
    "secret: arn:aws:secretsmanager:us-east-1:123456789012:secret:db",
    "mount it at /var/run/secrets/kubernetes.io/serviceaccount/token",
    "class TokenBucket:",
    "type Token = { kind: string }",
    "const tokenizer = new Tokenizer()",
    "the primary key is a uuid",
    "cache key: user:123:profile",
    "press any key: it works",
    "the key insight: caching 20000 rows",
    "Authorization: Bearer <token>",
    "Authorization: Bearer ${TOKEN}",
    "authorization is required for this",
    "the bearer of bad news",
    "postgres://localhost:5432/app",
    "https://example.com:8080/@user",
    "postgres" + "://user:${PASSWORD}@host/db",
    "postgres" + "://user:<password>@host/db",
    "mailto:bob@example.com",
    "grep for -----BEGIN RSA PRIVATE KEY----- in the repository",
    "-----BEGIN PUBLIC KEY-----\n" + PEM_BODY + "\n-----END PUBLIC KEY-----",
    "-----BEGIN CERTIFICATE-----\n" + PEM_BODY + "\n-----END CERTIFICATE-----",
    "pip install scikit-learn sk-learn-contrib",
    "sk-loading-spinner-animation-container-wide",
    "hf_model_name_or_path",
    "npm_config_registry",
    "the pin is rusty",
    "connect pin 13 to ground",
    "pinned at 1.2.3.4",
    "ISBN 978-3-16-148410-0",
    "call me at +81 3-1234-5678",
    "2024-05-03T10:00:00.000Z INFO started",
    "secret santa: Alice",
    "a secret garden",
    "パスワードを忘れました",
    "パスワードは忘れました",
    "パスワードはSlackで共有します",
    "トークンが無効です",
    "トークン数は512です",
    "秘密の場所",
    "パスワードの変更方法を教えて",
    "What is a JWT token: a signed string",
    "How do I hash a password: bcrypt or argon2?",
    "Set your API key: see https://example.com/docs",
    "expires_in: 3600, token_type: Bearer",
    "password manager: 1Password",
    "my secret: I love pineapple pizza",
    "Change password: Settings > Security",
    "fetch(url, {credentials: 'same-origin'})",
    "if password == confirm_password:",
    "token := lexer.Next()",
    "let token: Token = .init()",
    "pass: 12 of 14 tests",
    "pass: 12/14",
    "I will pass on that",
    "Monthly pass: $100/month",
    "keyword arguments to pass to `httpx2.request`.",
    "fastcgi_pass php:9000;",
    "2-Day Pass: ¥4,070",
    "Pass `stream=True` if you want chunks",
    "the password to authenticate\nwith the server",
    'Token: "#ddd0c0",',
    'tok = re.findall("token=([a-z0-9]+)", url)[0]',
    "the boarding pass is ready",
    'headers = {"Authorization": f"Bearer {token}"}',
    "the api-key header is x-api-key",
    "TOKEN=$(cat token.txt)",
    '<label for="password">Password:</label>',
    '<input type="password" name="password" placeholder="Enter your password">',
    "パスワードは8文字以上で入力してください",
    "パスワード：半角英数字8文字以上",
    "トークンは30分で切れます",
    "my password hint is my dog's name",
    "Passwords should be unique per site",
    "token ring networks are obsolete",
    "He kept the secret for 20 years",
    "The secret: practice daily",
    "API key authentication vs OAuth2",
    "Access tokens last 15 minutes",
    "I forgot my password again",
    "Your password will expire in 7 days",
    "private key cryptography uses RSA2048",
    "What's the password complexity requirement?",
    "Set up a passkey instead",
    "token ids are uint32",
    "assert token == expected_token",
    "password = form.cleaned_data['password']",
    "for token in tokens: print(token)",
    "The key is under the mat",
    "pass the salt",
    "Boarding pass: seat 12A",
    "secrets.token_hex(16)",
    "SECRET_KEY = env('SECRET_KEY')",
    "password: Field(..., min_length=8)",
    "credentials: aws-actions/configure-aws-credentials@v4",
    "uses: actions/checkout@8f4b7f84864484a7bf31766abe9204da3cbe65b3",
    "token: ${{ secrets.GITHUB_TOKEN }}",
    "const { password, ...rest } = user",
    "<PasswordInput value={password} />",
    "パスワードを8文字以上に設定してください",
    "合言葉は何ですか",
    "トークンの有効期限は1時間です",
    "order number 4815162342",
    "tracking 1Z999AA10123456784",
    "IBAN-free zone",
    "the pin number is wrong",
    "the status code is 5543",
    "the door code is 12 lines of C",
    "exit code: 1370",
    "Secret Hitler is a board game for 5-10 players",
    "password: see 1Password vault",
    "Keyboard shortcut key: Ctrl+C",
    "api_key: str = Field(default=None)",
    "max_token_length=2048",
    "token usage: 1532 prompt, 210 completion",
    "[secret:openai-key:1a2b3c4d]",
    "password=[secret:password:1a2b3c4d]",
    "Bearer [secret:authorization:1a2b3c4d]",
    "postgres" + "://user:[secret:url-password:1a2b3c4d]@host/db",
]


def measured() -> tuple[float, float, list[str]]:
    """Precision and recall over texts: a positive counts when exactly its secret is redacted, and nothing else."""
    right, wrong = 0, []
    for text, secret in POSITIVES:
        spans = [text[found.start : found.end] for found in find_secrets(text)]
        if spans == [secret]:
            right += 1
        else:
            wrong.append(f"{text!r}: wanted {secret!r}, got {spans}")
    alarms = [f"{text!r}: {find_secrets(text)}" for text in NEGATIVES if find_secrets(text)]
    return right / max(right + len(alarms), 1), right / len(POSITIVES), wrong + alarms


def test_precision_and_recall() -> None:
    precision, recall, wrong = measured()
    assert precision >= PRECISION and recall >= RECALL, "\n".join([f"{precision:.3f} {recall:.3f}", *wrong])


def test_the_sets_are_large() -> None:
    assert len(POSITIVES) >= 80
    assert len(NEGATIVES) >= 80


@pytest.mark.parametrize(("text", "secret"), [(text, secret or text) for text, secret in SHAPED + NAMED])
def test_the_secret_is_gone_and_the_rest_stays(text: str, secret: str) -> None:
    redacted = redact_secrets(f"before\n{text}\n\nand after that")
    assert redacted.text.count(secret) == text.count(secret) - 1  # a user may be named like the password
    assert redacted.text.startswith("before\n")
    assert redacted.text.endswith("\n\nand after that")
    assert len(redacted.kinds) == 1


def test_the_digest_is_of_the_secret_alone() -> None:
    digest = hashlib.sha256(b"hunter2").hexdigest()[:8]
    assert redact_secrets("password=hunter2 ok") == Redacted(f"password=[secret:password:{digest}] ok", ("password",))


def test_the_most_specific_kind_wins_and_touching_finds_become_one() -> None:
    key = "gh" + "p_" + fill(36)
    assert find_secrets(f"token={key}") == (Secret("github-token", 6, 6 + len(key)),)


def test_only_the_password_of_a_url_goes() -> None:
    assert redact_secrets("see postgres" + "://app:s3cr3tPw@db/x").text.startswith("see postgres://app:[secret:")


def test_a_cut_off_encrypted_key_goes_to_its_last_character() -> None:
    head = "-----BEGIN RSA " + "PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00AA\n\n"
    assert redact_secrets(f"{head}{fill(64)}\n{fill(64)}\n{fill(9)}").text.count("\n") == 0
    assert redact_secrets(f"{head}{fill(64)}\n\nThat is all I have.").text.endswith("\n\nThat is all I have.")


def test_several_secrets_in_order() -> None:
    text = f"password=hunter2, then api_key={fill(24)} and my PIN is 4821"
    assert redact_secrets(text).kinds == ("password", "api-key", "pin")


def test_a_value_longer_than_the_rules_look_goes_whole() -> None:
    value = fill(100) * 9
    assert redact_secrets(f"api_key={value} end").text.endswith("] end")
    assert value[-50:] not in redact_secrets(f'password="{value}" end').text


def test_lone_surrogates_and_growing_capitals_do_no_harm() -> None:
    assert redact_secrets("password=hunter2\ud800x").kinds == ("password",)
    assert redact_secrets("İİİ password=hunter2").text.startswith("İİİ password=[secret:")


PIECES = st.sampled_from(
    [text for text, _ in POSITIVES]
    + NEGATIVES
    + [
        "password",
        "=",
        ":",
        " is ",
        " ",
        "\n",
        '"',
        "'",
        "token",
        "は",
        "[",
        "]",
        "secret:",
        "://",
        "@",
        "hunter2",
        ALNUM,
        "&x=",
        "Bearer ",
    ]
)


@settings(max_examples=300)
@given(st.lists(PIECES, max_size=8).map("".join))
def test_redacting_twice_is_redacting_once(text: str) -> None:
    once = redact_secrets(text).text
    assert redact_secrets(once) == Redacted(once)


@given(st.lists(PIECES, max_size=8).map(" ".join))
def test_finds_are_in_order_inside_the_text_and_apart(text: str) -> None:
    edges = [edge for found in find_secrets(text) for edge in (found.start, found.end)]
    assert edges == sorted(edges)
    assert all(0 <= edge <= len(text) for edge in edges)


NASTY = ["sk-", "password=", "token ", "eyJa.", "-----BEGIN " + "PRIVATE KEY-----"]
NASTIER = [
    "a", "password is ", "://a:", "secret" * 3 + '"', "key: ", "data:a/b;base64,", "パスワードは", "[secret:", "xoxb-1",
    "1" * 9 + ":AA", "pwd:'", "Bearer ", "api_key = a1b2c3d4e5 ", "password for a ", "<password>", "aaaaaaaaaaaaaaaaaaa ",
]  # fmt: skip


def cpu_seconds(pieces: list[str], chars: int) -> float:
    start = time.process_time()
    for piece in pieces:
        redact_secrets(piece * (chars // len(piece)))
    return time.process_time() - start


def test_a_megabyte_of_each_nasty_text_is_read_within_a_second_in_all() -> None:
    assert any(cpu_seconds(NASTY, 1_000_000) < 1 for _ in range(3))  # a busy machine may spoil a try


def test_a_hundred_kilobytes_of_nastier_ones_too() -> None:
    assert any(cpu_seconds(NASTIER, 100_000) < 2 for _ in range(3))
