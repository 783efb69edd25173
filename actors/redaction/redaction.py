"""The keys that the environment holds for us, and how they stay out of everything that is written.

A server may quote a key in an error, a command may read the environment of the process above it,
a person may paste it: wherever the text comes from, the key is replaced before it is kept.
"""

from collections.abc import Mapping
from typing import TypeVar

from pydantic import ValidationError
from pydantic_core import to_json

from messages.base import Message
from messages.serialization import encode

M = TypeVar("M", bound=Message)
SECRET_VARIABLES = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
MIN_SECRET_CHARS = 8
"""A shorter value is a placeholder: to hide each `x` would garble every text."""
REDACTED = b"[secret]"


def read_secrets(environment: Mapping[str, str]) -> tuple[bytes, ...]:
    """List the keys to hide, the longest first, since one may begin with another."""
    values = {environment.get(name, "").strip() for name in SECRET_VARIABLES}
    kept = (value.encode("utf-8", "surrogateescape") for value in values)
    return tuple(
        sorted((key for key in kept if len(key) >= MIN_SECRET_CHARS), key=len, reverse=True)
    )


def redact(data: bytes, secrets: tuple[bytes, ...]) -> bytes:
    """Replace every key in plain bytes."""
    for secret in secrets:
        data = data.replace(secret, REDACTED)
    return data


def redact_message(message: M, secrets: tuple[bytes, ...]) -> M:
    """Replace every key in the texts of a message."""
    if not secrets:
        return message
    data = encode(message)
    clean = redact(
        data, tuple(to_json(secret.decode("ascii", "replace"))[1:-1] for secret in secrets)
    )
    if clean == data:
        return message
    try:
        return type(message).model_validate_json(clean)
    except ValidationError:  # a key like `turn_started`: what it would hide is no secret
        return message


class StreamRedactor:
    """Replaces keys in bytes that come in pieces; a key may lie across two of them."""

    def __init__(self, secrets: tuple[bytes, ...]) -> None:
        """Nothing has come yet."""
        self._secrets = secrets
        self._kept = b""

    def feed(self, piece: bytes) -> bytes:
        """Take a piece; returns what can be told by now."""
        data = redact(self._kept + piece, self._secrets)
        begun = _begun_bytes(data, self._secrets)
        self._kept = data[len(data) - begun :]
        return data[: len(data) - begun]

    def flush(self) -> bytes:
        """Tell what was kept back."""
        kept, self._kept = self._kept, b""
        return kept


def _begun_bytes(data: bytes, secrets: tuple[bytes, ...]) -> int:
    """Count the bytes at the end that may be the beginning of a key."""
    longest = max(map(len, secrets), default=1) - 1
    for count in range(min(longest, len(data)), 0, -1):
        if any(secret.startswith(data[-count:]) for secret in secrets):
            return count
    return 0
