from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.sessions.damage import describe_damage
from actors.sessions.errors import LogDamagedError, LogError
from actors.sessions.log_reader import (
    find_last_session_opened,
    parse_damaged_log,
    parse_log,
    read_log,
)
from actors.sessions.session_log import SessionLog
from messages.address import PRIMARY
from messages.journal import Appended, SessionHeader, SessionOpened
from messages.serialization import JournalLine, encode_line
from tests.actors.sessions.sample_records import (
    NOW_S,
    SESSION_HEADER,
    SESSION_OPENED,
    encode_record,
    fixed_clock,
    make_log_lines,
    make_turn_started,
)

pytestmark = pytest.mark.quick

LINES = make_log_lines(6)
PATH = Path("s.jsonl")
HUGE_LINE = b'{"type":"turn_started","prompt":"' + b"x" * 5_000_000 + b'"}\n'
NON_RECORD_LINE = encode_line(JournalLine(3, NOW_S, PRIMARY, Appended(id=3)))


def add_checksum(body: bytes) -> bytes:
    """Return a line with a valid checksum, whatever its content."""
    import zlib  # noqa: PLC0415  (only here: the code under test has its own)

    return body + b',"crc":"%08x"}\n' % zlib.crc32(body)


UNKNOWN_TYPE_LINE = add_checksum(b'{"type":"from_the_future","seq":3,"t":1.0,"by":"/primary"')

DAMAGED_LOGS = {
    "a flipped byte": LINES[2].replace(b"prompt 3", b"prompt 4"),
    "a torn line before another one": LINES[2][:-9] + b"\n",
    "a block of NUL bytes": b"\0" * 4096 + b"\n",
    "invalid UTF-8": b'{"prompt":"\xff\xfe"}\n',
    "a huge line": HUGE_LINE,
    "an empty line": b"\n",
    "not JSON": b"hello\n",
    "a line without a checksum": b'{"type":"turn_started","turn":1,"prompt":""}\n',
    "a record of an unknown type": UNKNOWN_TYPE_LINE,
    "a message that is not a record": NON_RECORD_LINE,
    "a gap in the sequence": encode_record(4, make_turn_started(3)),
    "a repeated record": LINES[1],
    "a sequence number out of range": add_checksum(
        b'{"type":"session_header","seq":1e999,"t":1,"by":"/"'
    ),
    "a record without an author": add_checksum(
        b'{"type":"turn_started","turn":1,"prompt":"","seq":3,"t":1'
    ),
    "deep nesting": add_checksum(b'{"a":' + b"[" * 100_000),
}


@pytest.mark.parametrize("damaged", DAMAGED_LOGS.values(), ids=DAMAGED_LOGS.keys())
def test_damage_in_the_middle_is_reported_with_its_place(tmp_path: Path, damaged: bytes) -> None:
    path = tmp_path / "s.jsonl"
    data = b"".join([*LINES[:2], damaged, *LINES[3:]])
    path.write_bytes(data)
    for attempt in (lambda: read_log(path), lambda: SessionLog.open(path, fixed_clock)):
        with pytest.raises(LogDamagedError, match="line 3 of 6") as raised:
            attempt()
        assert f"(byte {len(LINES[0]) + len(LINES[1])})" in raised.value.detail
        assert raised.value.detail.endswith("greenroom --fork s")
    assert path.read_bytes() == data
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("damaged", DAMAGED_LOGS.values(), ids=DAMAGED_LOGS.keys())
def test_records_before_and_after_damage_can_be_read(damaged: bytes) -> None:
    contents = parse_damaged_log(PATH, b"".join([*LINES[:2], damaged, *LINES[3:]]))
    assert [line.seq for line in contents.lines] == [1, 2, 4, 5, 6]
    damage = contents.damage[0]
    assert (damage.index, damage.line, damage.first_seq, damage.last_seq) == (2, 3, 3, 3)
    assert contents.torn == b""


def test_each_damaged_place_is_named_with_its_records() -> None:
    lines = make_log_lines(10)
    damaged = [
        lines[0].replace(b"project", b"prospect"),
        *lines[1:3],
        b"\0\n",
        b"\0\n",
        lines[5],
        b"a note\n",
        *lines[6:8],
        lines[9],
    ]
    contents = parse_damaged_log(PATH, b"".join(damaged))
    assert [line.seq for line in contents.lines] == [2, 3, 6, 7, 8, 10]
    assert describe_damage(contents.damage) == (
        "Record 1 (session header) cannot be read: the checksum does not match. "
        "Records 4 to 5 cannot be read: the checksum does not match. "
        "Line 7 is not a record of this session: the checksum does not match. "
        "1 more damaged place."
    )
    assert contents.damage[3].describe() == (
        "Record 9 cannot be read: found record 10 where record 9 was expected."
    )


def test_damage_and_an_unfinished_group_are_distinguished() -> None:
    contents = parse_damaged_log(PATH, b"".join([*LINES[:2], b"\0\n", LINES[3], LINES[4][:30]]))
    assert [line.seq for line in contents.lines] == [1, 2, 4]
    assert [damage.line for damage in contents.damage] == [3]
    assert contents.torn == LINES[4][:30]


TORN_LOGS = {
    "half a line": LINES[5][:40],
    "a line without its newline": LINES[5][:-1],
    "a last line with a wrong checksum": LINES[5].replace(b"prompt 6", b"prompt 7"),
    "a block of NUL bytes": b"\0" * 4096,
    "invalid UTF-8": b"\xff\xfe",
    "a huge tail": HUGE_LINE[:-2],
}


@pytest.mark.parametrize("torn", TORN_LOGS.values(), ids=TORN_LOGS.keys())
def test_torn_bytes_are_separated_from_valid_records(torn: bytes) -> None:
    valid = b"".join(LINES[:5])
    contents = parse_log(PATH, valid + torn)
    assert [line.seq for line in contents.lines] == [1, 2, 3, 4, 5]
    assert (contents.torn, contents.valid_bytes) == (torn, len(valid))
    assert contents.torn_file is None


@pytest.mark.parametrize(
    "last", [UNKNOWN_TYPE_LINE, NON_RECORD_LINE, encode_record(4, make_turn_started(3))]
)
def test_an_unknown_complete_last_line_is_damage(last: bytes) -> None:
    with pytest.raises(LogDamagedError, match="line 3 of 3"):
        parse_log(PATH, b"".join([*LINES[:2], last]))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"\0" * 512,
        b"hello",
        b'{"role":"user","content":"hi"}\n',
        encode_record(1, SESSION_OPENED),
    ],
    ids=["empty", "a newline", "NUL bytes", "text", "a foreign record", "no session header"],
)
def test_a_file_without_a_session_header_is_rejected(data: bytes) -> None:
    with pytest.raises(LogError, match="not a session file"):
        parse_log(PATH, data)


def test_a_stored_format_1_session_can_be_read(tmp_path: Path) -> None:
    """The file is never regenerated: it is what users have on disk."""
    path = tmp_path / "s.jsonl"
    path.write_bytes((Path(__file__).parent / "format-1.jsonl").read_bytes())
    log, contents = SessionLog.open(path, fixed_clock)
    log.close()
    assert [type(record).__name__ for record in contents.records] == [
        "SessionHeader",
        "SessionOpened",
        "TurnStarted",
        "ReplyCompleted",
        "ExecApprovalRequest",
        "ApprovalDecided",
        "SessionSettings",
        "ToolStarted",
        "ToolEnded",
        "ReplyCompleted",
        "TurnCompleted",
    ]


def test_a_future_format_is_rejected_by_its_number() -> None:
    future = SessionHeader(format=2, session_id="s", workspace="/")
    with pytest.raises(LogError, match="format 2, but this version reads up to format 1"):
        parse_log(PATH, encode_record(1, future) + encode_record(2, SESSION_OPENED))


@pytest.mark.parametrize(
    ("name", "reason"), [("none", "No such file"), ("folder", "not a regular file")]
)
def test_a_file_that_cannot_be_read_says_why(tmp_path: Path, name: str, reason: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(LogError, match=reason):
        read_log(tmp_path / name)


@given(
    st.lists(st.sampled_from([*LINES, b"\n", b"\0", b"{}\n", b'"crc":"', *DAMAGED_LOGS.values()])),
    st.binary(max_size=30),
)
def test_any_file_content_is_read_or_rejected(parts: list[bytes], tail: bytes) -> None:
    data = b"".join(parts) + tail
    try:
        contents = parse_log(PATH, data)
    except LogError as error:
        assert "\n" not in error.detail  # noqa: PT017  (both outcomes are right)
    else:
        assert data.endswith(contents.torn)
        assert b"".join(map(encode_line, contents.lines)) == data[: contents.valid_bytes]


def test_the_last_run_is_found_before_torn_bytes() -> None:
    second = SessionOpened(run=2, pid=7, version="0")
    assert (
        find_last_session_opened(
            b"".join(
                [*LINES, encode_record(7, second), encode_record(8, make_turn_started(1))[:30]]
            )
        )
        == second
    )
    assert find_last_session_opened(b'{"type":"session_opened"\n') is None
    assert find_last_session_opened(encode_record(1, SESSION_HEADER)) is None
