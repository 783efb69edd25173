"""Serialization of messages and journal lines to JSON, and back.

A journal line is the message's own object plus `seq`, `t` and `by`, `group` for all but the first
record of a group, and finally `crc`.
"""

import json
import zlib
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, Union

from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core import from_json, to_json

from messages import (
    approvals,
    child_lifecycle,
    compaction,
    journal,
    model_limits,
    permissions,
    reviews,
    snapshots,
    steering,
    subagents,
    supervision,
    turns,
)
from messages.address import Address
from messages.base import Message

MESSAGE_MODULES = (
    child_lifecycle,
    approvals,
    compaction,
    model_limits,
    permissions,
    steering,
    subagents,
    reviews,
    snapshots,
    supervision,
    journal,
    turns,
)
"""Every module that defines messages; a test compares this list with the folder."""

_CRC_KEY = b',"crc":"'
_LINE_KEYS = ("seq", "t", "by", "group")


class DecodeError(ValueError):
    """Bytes that are not a valid message; the text is one line."""


class ChecksumError(DecodeError):
    """A journal line was truncated or modified."""


@dataclass(frozen=True, slots=True)
class JournalLine:
    """One record of a session file."""

    seq: int
    """Counts from 1 without gaps."""
    time_s: float
    """Wall-clock time in seconds since the epoch."""
    recorded_by: Address
    """The actor that recorded it."""
    message: Message
    group: int = field(default=0, compare=False)
    """`seq` of the first record that was written together with this one; 0: this record's."""


@cache
def message_adapter() -> TypeAdapter[Message]:
    """Return the adapter for all message types, built on first use."""
    types = tuple(
        message_type for module in MESSAGE_MODULES for message_type in message_types_in(module)
    )
    union: Any = Annotated[Union[types], Field(discriminator="type")]  # noqa: UP007  (a tuple of classes)
    return TypeAdapter(union)


def message_types_in(module: object) -> list[type[Message]]:
    """Return the concrete message classes that are defined in a module."""
    return [
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, Message)
        and "type" in value.model_fields
        and value.__module__ == getattr(module, "__name__", None)
    ]


def encode(message: Message) -> bytes:
    """Encode a message as one JSON object without line breaks."""
    try:
        return message.__pydantic_serializer__.to_json(message)
    except ValueError:  # a lone surrogate is valid in a str, but cannot be encoded as UTF-8
        text = json.dumps(message.model_dump(), ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "replace")


def decode(data: bytes | str) -> Message:
    """Decode a message.

    Raises:
        DecodeError: invalid JSON, an unknown type or field, or an invalid value.
    """
    try:
        return message_adapter().validate_json(data)
    except ValidationError as error:
        raise DecodeError(_describe_first(error)) from None


def encode_line(line: JournalLine) -> bytes:
    """Encode a journal line, including its line feed."""
    stamps = b',"seq":%d,"t":%s,"by":%s' % (
        line.seq,
        to_json(round(line.time_s, 3)),
        to_json(line.recorded_by),
    )
    if line.group not in (0, line.seq):
        stamps += b',"group":%d' % line.group
    body = encode(line.message)[:-1] + stamps
    return body + _CRC_KEY + _checksum(body) + b'"}\n'


def decode_line(data: bytes) -> JournalLine:
    """Decode a journal line, with or without its line feed.

    Raises:
        ChecksumError: the line was truncated or modified.
        DecodeError: the line is intact, but is not a message of this version.
    """
    if not has_valid_checksum(data):
        problem = "the checksum does not match"
        raise ChecksumError(problem)
    try:
        fields = from_json(data.rpartition(_CRC_KEY)[0] + b"}")
        stamps = {key: fields.pop(key) for key in _LINE_KEYS if key in fields}
        message = message_adapter().validate_python(fields, strict=False)
        seq, group = int(stamps["seq"]), int(stamps.get("group", 0))
        return JournalLine(seq, float(stamps["t"]), Address(stamps["by"]), message, group or seq)
    except ValidationError as error:
        raise DecodeError(_describe_first(error)) from None
    except (ValueError, KeyError, TypeError, OverflowError) as error:
        raise DecodeError(str(error)) from None


def has_valid_checksum(data: bytes) -> bool:
    """Return whether a journal line, with or without its line feed, is exactly what was written."""
    body, key, tail = data.rstrip(b"\n").rpartition(_CRC_KEY)
    return bool(key) and tail == _checksum(body) + b'"}'


def _checksum(body: bytes) -> bytes:
    return b"%08x" % zlib.crc32(body)


def _describe_first(error: ValidationError) -> str:
    problem = error.errors(include_url=False, include_input=False)[0]
    if problem["type"] == "union_tag_invalid":  # pydantic's own text lists every known type
        return f"unknown type {problem.get('ctx', {}).get('tag')!r}"
    field_path = ".".join(str(part) for part in problem["loc"])
    return f"{field_path}: {problem['msg']}" if field_path else problem["msg"]
