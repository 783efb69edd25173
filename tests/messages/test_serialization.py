import importlib
import json
import pkgutil
from types import ModuleType
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import messages
from messages.address import Address
from messages.base import Message
from messages.journal import Appended
from messages.serialization import (
    MESSAGE_MODULES,
    DecodeError,
    JournalLine,
    decode,
    decode_line,
    encode,
    encode_line,
    message_adapter,
    message_types_in,
)
from tests.messages.message_strategies import MESSAGE_TYPES, journal_lines

pytestmark = pytest.mark.quick

LINE_KEYS = {"seq", "t", "by", "crc"}
every_kind = pytest.mark.parametrize("kind", MESSAGE_TYPES, ids=lambda kind: kind.__name__)


LINE = JournalLine(7, 1_700_000_000.125, Address("/primary"), Appended(id=3))


def message_modules() -> list[ModuleType]:
    names = (info.name for info in pkgutil.iter_modules(messages.__path__, "messages."))
    return [importlib.import_module(name) for name in names]


def test_every_module_with_messages_is_in_message_modules() -> None:
    assert {module.__name__ for module in message_modules() if message_types_in(module)} == {
        module.__name__ for module in MESSAGE_MODULES
    }


def test_no_two_messages_share_a_type() -> None:
    types = [get_args(kind.model_fields["type"].annotation) for kind in MESSAGE_TYPES]
    assert len(set(types)) == len(types)


def test_the_default_type_is_the_only_one() -> None:
    types = {kind: kind.model_fields["type"] for kind in MESSAGE_TYPES}
    assert [
        kind for kind, field in types.items() if get_args(field.annotation) != (field.default,)
    ] == []


def test_every_message_is_frozen_and_forbids_extra_fields() -> None:
    configs = {kind: kind.model_config for kind in MESSAGE_TYPES}
    assert [kind for kind, config in configs.items() if config.get("frozen") is not True] == []
    assert [kind for kind, config in configs.items() if config.get("extra") != "forbid"] == []


def test_no_message_field_collides_with_journal_line_keys() -> None:
    assert [kind for kind in MESSAGE_TYPES if not LINE_KEYS.isdisjoint(kind.model_fields)] == []


@every_kind
@settings(max_examples=settings().max_examples * 15 // 100)
@given(data=st.data())
def test_every_message_survives_encoding_as_json_and_line(
    kind: type[Message], data: st.DataObject
) -> None:
    """One test for both formats, because drawing an example takes longer than encoding it."""
    line = data.draw(journal_lines(kind))
    encoded = encode(line.message)
    assert b"\n" not in encoded
    assert decode(encoded) == line.message
    assert encode(decode(encoded)) == encoded

    encoded_line = encode_line(line)
    assert encoded_line.index(b"\n") == len(encoded_line) - 1
    assert json.loads(encoded_line)["type"] == kind.model_fields["type"].default
    assert decode_line(encoded_line) == line


@settings(max_examples=2 * settings().max_examples)
@given(data=st.data())
def test_a_line_with_any_byte_changed_is_rejected(data: st.DataObject) -> None:
    encoded = bytearray(
        encode_line(data.draw(journal_lines(data.draw(st.sampled_from(MESSAGE_TYPES)))))
    )
    encoded[data.draw(st.integers(0, len(encoded) - 1))] ^= data.draw(st.integers(1, 255))
    with pytest.raises(DecodeError):
        decode_line(bytes(encoded))


def test_a_line_with_any_bit_flipped_is_rejected() -> None:
    encoded = encode_line(LINE)
    for position in range(len(encoded)):
        for bit in range(8):
            flipped = bytearray(encoded)
            flipped[position] ^= 1 << bit
            with pytest.raises(DecodeError):
                decode_line(bytes(flipped))


def test_no_prefix_of_a_line_is_valid() -> None:
    encoded = encode_line(LINE)
    for length in range(len(encoded) - 1):
        with pytest.raises(DecodeError):
            decode_line(encoded[:length])


@given(st.binary(max_size=200))
def test_invalid_json_is_rejected(data: bytes) -> None:
    with pytest.raises(DecodeError):
        decode(data)
    with pytest.raises(DecodeError):
        decode_line(data)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b'{"type":"appended"}',
        b'{"type":"no_such_message","id":1}',
        b'{"type":"appended","id":1,"extra":true}',
        b'{"type":"appended","id":"one"}',
        b'{"type":"appended","id":1} {"type":"appended","id":2}',
        b'{"type":"appended","id":1',
        b'{"type":"child_cancelled","child":"no/path"}',
        b'{"type":"turn_started","turn":1,"prompt":"\xff"}',
    ],
    ids=repr,
)
def test_invalid_messages_are_rejected(data: bytes) -> None:
    with pytest.raises(DecodeError):
        decode(data)


def test_a_decode_error_is_one_line_without_content() -> None:
    with pytest.raises(DecodeError) as caught:
        decode(b'{"type":"appended","id":"a secret\\nline"}')
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_message_without_journal_line_keys_is_rejected() -> None:
    assert isinstance(decode_line(encode_line(LINE)).message, Appended)
    message_only = encode(Appended(id=3))
    with pytest.raises(DecodeError):
        decode_line(message_only)


def test_the_message_adapter_is_built_once() -> None:
    assert message_adapter() is message_adapter()
