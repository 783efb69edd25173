"""Only secrets are redacted, wherever they occur."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import to_json

from actors.redaction.redaction import (
    StreamRedactor,
    read_secrets,
    redact,
    redact_json,
    redact_message,
)
from messages.turns import TurnStarted

pytestmark = pytest.mark.quick

SECRETS = (b"sk-ant-abcabcabc", b"abcabcab")


def test_secrets_come_from_the_environment_longest_first() -> None:
    environment = {
        "ANTHROPIC_API_KEY": " shortish1 ",
        "ANTHROPIC_AUTH_TOKEN": "a-much-longer-token",
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:80",
    }
    assert read_secrets(environment) == (b"a-much-longer-token", b"shortish1")
    assert read_secrets({"ANTHROPIC_API_KEY": "x"}) == ()


@pytest.mark.parametrize(
    ("name", "value", "secrets"),
    [
        ("GITHUB_TOKEN", "abcd1234", ["abcd1234"]),
        ("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG", ["wJalrXUtnFEMI/K7MDENG"]),
        ("PGPASSWORD", "Tr0ub4dor", ["Tr0ub4dor"]),
        ("MYSQL_PWD", "Tr0ub4dor", ["Tr0ub4dor"]),
        ("stripe_key_live", "four words with blanks", ["four words with blanks"]),
        ("ANYTHING", "ghp_0123456789abcdefghij", ["ghp_0123456789abcdefghij"]),
        ("ANYTHING", "eyJhbGciOi.eyJzdWIi.c2ln", ["eyJhbGciOi.eyJzdWIi.c2ln"]),
        ("DATABASE_URL", "postgres://me:p4ssw0rd@host/db", ["p4ssw0rd"]),
        ("HTTPS_PROXY", "http://me:@proxy:80", []),
        ("API_KEY", "1", []),
        ("API_KEY", "20231122", []),
        ("DB_PASSWORD", "postgres", []),
        ("SECRET_NAME", "max_tokens", []),
        ("SSH_KEY", "/etc/passwd", []),
        ("VAULT_KEY_URL", "https://vault.example.com/a1", []),
        ("PWD", "/home/me/project-1", []),
        ("HOME", "/home/me1", []),
        ("PATH", "/usr/bin:/bin1", []),
    ],
)
def test_a_name_or_a_shape_makes_a_value_a_secret(
    name: str, value: str, secrets: list[str]
) -> None:
    assert read_secrets({name: value}) == tuple(secret.encode() for secret in secrets)


def test_keys_are_redacted_from_json_as_it_writes_them() -> None:
    keys = ('say "pässword" 1'.encode(),)
    assert redact_json(to_json({"a": 'I say "pässword" 1.'}), keys) == b'{"a":"I [secret]."}'


@given(
    st.lists(st.sampled_from([*SECRETS, b"sk-ant-", b"abc", b"s", b"\xff\n", b""])),
    st.integers(1, 9),
)
def test_redacting_chunks_equals_redacting_all_data(parts: list[bytes], size: int) -> None:
    data = b"".join(parts)
    redactor = StreamRedactor(SECRETS)
    pieces = [redactor.feed(data[at : at + size]) for at in range(0, len(data), size)]
    redacted = b"".join(pieces) + redactor.flush()
    assert not any(key in redacted for key in SECRETS)
    if SECRETS[1] not in data:
        assert redacted == redact(data, SECRETS)


def test_data_that_cannot_be_a_key_is_not_held_back() -> None:
    redactor = StreamRedactor((b"sk-ant-1",))
    assert redactor.feed(b"plain text, no s") == b"plain text, no "
    assert redactor.feed(b"k-") == b""
    assert redactor.feed(b"x") == b"sk-x"
    assert redactor.flush() == b""


def test_a_redacted_message_keeps_its_type_without_the_key() -> None:
    message = TurnStarted(turn=1, prompt='Use "sk\\ant-1" and sk-plain-1.')
    keys = (b'"sk\\ant-1"', b"sk-plain-1")
    assert redact_message(message, keys).prompt == "Use [secret] and [secret]."
    assert redact_message(message, (b"not there",)) is message
    assert redact_message(message, (b"turn_started",)) is message
