"""Removes the keys that the environment holds from text before it is stored or sent to a model.

A server can quote a key in an error, a command can print its environment, a file can contain a
key, and a user can paste it. Wherever the text comes from, the key is replaced. A key that is
encoded (base64, reversed, split) is not recognized.
"""

import os
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TypeVar

from pydantic import ValidationError
from pydantic_core import to_json

from messages.base import Message
from messages.serialization import encode

M = TypeVar("M", bound=Message)
SECRET_VARIABLES = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
MIN_SECRET_CHARS = 8
"""Shorter values are placeholders; replacing every `x` would garble all text."""
MIN_LONG_SECRET_CHARS = 16
"""From this length on, even a plain word is redacted if the variable's name sounds secret."""
REDACTED = b"[secret]"
_SECRET_NAME = re.compile(
    "TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|KEY|_PASS$|_PWD$", re.IGNORECASE
)
_SECRET_SHAPE = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY|(?:sk|rk|pk)[-_][\w-]{16,}$|gh[a-z]_\w{16,}$|github_pat_\w+$"
    r"|glpat-[\w-]{16,}$|npm_\w{16,}$|pypi-[\w-]{16,}$|hf_\w{16,}$|xox[a-z]-[\w-]{8,}$"
    r"|A[KS]IA[0-9A-Z]{12,}$|AIza[\w-]{30,}$|eyJ[\w-]+\.[\w-]+\.[\w-]*$"
)
"""The keys of well-known services, whatever the variable is called."""
_URL_PASSWORD = re.compile(r"://[^/@\s:]*:([^/@\s]+)@")
_PLAIN_WORD = re.compile(r"[a-z_-]+|[A-Z_-]+|[A-Z]?[a-z]+")


def read_secrets(environment: Mapping[str, str]) -> tuple[bytes, ...]:
    """Return the values to redact, longest first, because one can be a prefix of another.

    These are the provider's keys, values that look like keys, and others whose name says so.
    """
    values: set[str] = set()
    for name, value in environment.items():
        text = value.strip()
        if name in SECRET_VARIABLES or _SECRET_SHAPE.match(text):
            values.add(text)
        elif (url := _URL_PASSWORD.search(text)) is not None:
            values.update(filter(_can_be_secret, url.groups()))
        elif _SECRET_NAME.search(name) and _can_be_secret(text) and not _is_location(text):
            values.add(text)
    keys = {value.encode("utf-8", "surrogateescape") for value in values}
    return tuple(
        sorted((key for key in keys if len(key) >= MIN_SECRET_CHARS), key=len, reverse=True)
    )


def _can_be_secret(value: str) -> bool:
    """Whether a value is not a plain word or number, which ordinary text may contain."""
    if len(value) >= MIN_LONG_SECRET_CHARS:
        return True
    return len(value) >= MIN_SECRET_CHARS and not (value.isdigit() or _PLAIN_WORD.fullmatch(value))


def _is_location(value: str) -> bool:
    """Whether a value names a file or a server: `SSH_KEY=~/.ssh/id`."""
    return "://" in value or (value[0] in "/~." and os.path.lexists(os.path.expanduser(value)))  # noqa: PTH111  (never raises)


def redact(data: bytes, secrets: tuple[bytes, ...]) -> bytes:
    """Replace every key in the data."""
    for secret in secrets:
        data = data.replace(secret, REDACTED)
    return data


def redact_json(data: bytes, secrets: tuple[bytes, ...]) -> bytes:
    """Replace every key in the strings of JSON data."""
    return redact(data, _escape_secrets(secrets))


@lru_cache(maxsize=8)
def _escape_secrets(secrets: tuple[bytes, ...]) -> tuple[bytes, ...]:
    """Return the keys as JSON strings contain them."""
    return tuple(to_json(secret.decode("utf-8", "replace"))[1:-1] for secret in secrets)


def redact_message(message: M, secrets: tuple[bytes, ...]) -> M:
    """Replace every key in the string fields of a message."""
    if not secrets:
        return message
    data = encode(message)
    clean = redact_json(data, secrets)
    if clean == data:
        return message
    try:
        return type(message).model_validate_json(clean)
    except ValidationError:  # a "key" such as `turn_started` is part of the protocol, not a secret
        return message


class StreamRedactor:
    """Replaces keys in a stream of chunks; a key can span two of them."""

    def __init__(self, secrets: tuple[bytes, ...]) -> None:
        """Start with an empty buffer."""
        self._secrets = secrets
        self._held_back = b""

    def feed(self, chunk: bytes) -> bytes:
        """Add a chunk; return the data that cannot be part of a key anymore."""
        data = redact(self._held_back + chunk, self._secrets)
        held_bytes = _count_key_prefix_bytes(data, self._secrets)
        self._held_back = data[len(data) - held_bytes :]
        return data[: len(data) - held_bytes]

    def flush(self) -> bytes:
        """Return the data that was held back."""
        held_back, self._held_back = self._held_back, b""
        return held_back


def _count_key_prefix_bytes(data: bytes, secrets: tuple[bytes, ...]) -> int:
    """Return the number of trailing bytes that could be the beginning of a key."""
    return max((_count_prefix_bytes(data, secret) for secret in secrets), default=0)


def _count_prefix_bytes(data: bytes, secret: bytes) -> int:
    at = data.find(secret[:1], max(0, len(data) - len(secret) + 1))
    while at >= 0 and not secret.startswith(data[at:]):
        at = data.find(secret[:1], at + 1)
    return len(data) - at if at >= 0 else 0
