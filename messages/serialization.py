"""Messages as bytes: one adapter there and back, and the journal's line around them.

An envelope on a link is `{"to", "sender", "message"}`; a journal line is the message's own object
plus `seq`, `t`, `by`, `group` behind the first of a group and, last, `crc`.
"""

import json
import zlib
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, Union, cast

from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core import from_json, to_json

from messages import (
    approvals,
    child_lifecycle,
    journal,
    model_events,
    permissions,
    subagents,
    supervision,
    turns,
)
from messages.address import Address
from messages.base import Message
from messages.envelope import Envelope

MESSAGE_MODULES = (
    child_lifecycle,
    approvals,
    model_events,
    permissions,
    subagents,
    supervision,
    journal,
    turns,
)
"""Every module that says something; a test holds this list against the folder."""

_CRC_MARK = b',"crc":"'
_CRC_CHARS = 8
_LINE_KEYS = ("seq", "t", "by", "group")


class DecodeError(ValueError):
    """Bytes that are not a message; the sender's fault, told in one line."""


class ChecksumError(DecodeError):
    """A line is not what was written: cut short, or changed."""


@dataclass(frozen=True, slots=True)
class JournalLine:
    """One record of a session file."""

    seq: int
    """Counts from 1 without gaps."""
    time_s: float
    """Wall clock, seconds since 1970."""
    recorded_by: Address
    """The actor that recorded it."""
    message: Message
    group: int = field(default=0, compare=False)
    """The number of the first record that was written and synced together with it; 0: its own."""


@cache
def message_adapter() -> TypeAdapter[Message]:
    """Build the one adapter for all message types, on first use."""
    kinds = tuple(kind for room in MESSAGE_MODULES for kind in message_types_in(room))
    union: Any = Annotated[Union[kinds], Field(discriminator="type")]  # noqa: UP007  (a tuple of classes)
    return TypeAdapter(union)


def message_types_in(room: object) -> list[type[Message]]:
    """List the concrete message classes that a module defines itself."""
    return [
        kind
        for kind in vars(room).values()
        if isinstance(kind, type)
        and issubclass(kind, Message)
        and "type" in kind.model_fields
        and kind.__module__ == getattr(room, "__name__", None)
    ]


def encode(message: Message) -> bytes:
    """Write a message as one JSON object without line breaks."""
    try:
        return message.__pydantic_serializer__.to_json(message)
    except ValueError:  # half of a surrogate pair passes for text, but is no UTF-8
        said = json.dumps(message.model_dump(), ensure_ascii=False, separators=(",", ":"))
        return said.encode("utf-8", "replace")


def decode(data: bytes | str) -> Message:
    """Read a message.

    Raises:
        DecodeError: garbage, an unknown type, an unknown field or a wrong value.
    """
    try:
        return message_adapter().validate_json(data)
    except ValidationError as error:
        raise DecodeError(_first(error)) from None


def encode_envelope(envelope: Envelope) -> bytes:
    """Write an envelope as one JSON object without line breaks, for a link."""
    to, sender = to_json(envelope.to), to_json(envelope.sender)
    return b'{"to":%s,"sender":%s,"message":%s}' % (to, sender, encode(envelope.message))


def decode_envelope(data: bytes | str) -> Envelope:
    """Read an envelope; whether its sender may say so is the link's to judge.

    Raises:
        DecodeError: garbage, an address that is none, or a message as `decode` refuses it.
    """
    try:
        value: object = from_json(data)
        fields = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
        if fields.keys() != {"to", "sender", "message"}:
            message = "not an envelope: it has to, sender and message"
            raise DecodeError(message)
        said = message_adapter().validate_python(fields["message"])
        return Envelope(Address(fields["to"]), Address(fields["sender"]), said)
    except ValidationError as error:
        raise DecodeError(_first(error)) from None
    except (ValueError, TypeError) as error:
        raise DecodeError(str(error)) from None


def encode_line(line: JournalLine) -> bytes:
    """Write a journal line, its line feed included."""
    stamps = b',"seq":%d,"t":%s,"by":%s' % (
        line.seq,
        to_json(round(line.time_s, 3)),
        to_json(line.recorded_by),
    )
    if line.group not in (0, line.seq):
        stamps += b',"group":%d' % line.group
    body = encode(line.message)[:-1] + stamps
    return body + _CRC_MARK + _checksum(body) + b'"}\n'


def decode_line(data: bytes) -> JournalLine:
    """Read a journal line, with or without its line feed.

    Raises:
        ChecksumError: it was cut short or changed.
        DecodeError: it was written so, and is not a message that we know.
    """
    if not has_valid_checksum(data):
        message = "checksum does not hold"
        raise ChecksumError(message)
    try:
        fields = from_json(data.rpartition(_CRC_MARK)[0] + b"}")
        stamps = {key: fields.pop(key) for key in _LINE_KEYS if key in fields}
        said = message_adapter().validate_python(fields, strict=False)
        seq, group = int(stamps["seq"]), int(stamps.get("group", 0))
        return JournalLine(seq, float(stamps["t"]), Address(stamps["by"]), said, group or seq)
    except ValidationError as error:
        raise DecodeError(_first(error)) from None
    except (ValueError, KeyError, TypeError, OverflowError) as error:
        raise DecodeError(str(error)) from None


def has_valid_checksum(data: bytes) -> bool:
    """Whether a journal line is what was written, to the last byte; its line feed may be gone."""
    body, mark, tail = data.rstrip(b"\n").rpartition(_CRC_MARK)
    return bool(mark) and tail == _checksum(body) + b'"}'


def _checksum(body: bytes) -> bytes:
    return b"%08x" % zlib.crc32(body)


def _first(error: ValidationError) -> str:
    problem = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in problem["loc"])
    return f"{where}: {problem['msg']}" if where else problem["msg"]
