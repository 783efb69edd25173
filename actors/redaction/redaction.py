"""Removes API keys from text before it is stored.

A server can quote a key in an error, a command can print its environment, and a user can paste a
key. Wherever the text comes from, the key is replaced before the text is stored.
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
"""Shorter values are placeholders; replacing every `x` would garble all text."""
REDACTED = b"[secret]"


def read_secrets(environment: Mapping[str, str]) -> tuple[bytes, ...]:
    """Return the keys to redact, longest first, because one can be a prefix of another."""
    values = {environment.get(name, "").strip() for name in SECRET_VARIABLES}
    keys = (value.encode("utf-8", "surrogateescape") for value in values)
    return tuple(
        sorted((key for key in keys if len(key) >= MIN_SECRET_CHARS), key=len, reverse=True)
    )


def redact(data: bytes, secrets: tuple[bytes, ...]) -> bytes:
    """Replace every key in the data."""
    for secret in secrets:
        data = data.replace(secret, REDACTED)
    return data


def redact_message(message: M, secrets: tuple[bytes, ...]) -> M:
    """Replace every key in the string fields of a message."""
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
    longest = max(map(len, secrets), default=1) - 1
    for count in range(min(longest, len(data)), 0, -1):
        if any(secret.startswith(data[-count:]) for secret in secrets):
            return count
    return 0
