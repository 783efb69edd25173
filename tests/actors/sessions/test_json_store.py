import stat
from pathlib import Path

import pytest

from actors.sessions.errors import StoreError
from actors.sessions.json_store import StoreContents, change_store, read_store, replace_file

pytestmark = pytest.mark.quick


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "trust.json"


def test_what_is_stored_is_read_back_with_its_format(path: Path) -> None:
    assert read_store(path, 1) == StoreContents()
    change_store(path, 1, lambda _: {"a": 1})
    assert change_store(path, 1, lambda old: {**old.content, "b": 2}) == read_store(path, 1)
    assert read_store(path, 1) == StoreContents({"a": 1, "b": 2}, 1)


def test_a_replaced_file_is_its_owners_alone_and_leaves_nothing_beside_it(path: Path) -> None:
    replace_file(path, b"one")
    replace_file(path, b"two")
    assert path.read_bytes() == b"two"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert {each.name for each in path.parent.iterdir()} == {"trust.json", "trust.json.lock"}


def test_a_store_of_an_older_format_is_read_with_its_number_and_raised_by_the_next_change(
    path: Path,
) -> None:
    change_store(path, 1, lambda _: {"a": 1})
    assert read_store(path, 2) == StoreContents({"a": 1}, 1)
    change_store(path, 2, lambda old: old.content)
    assert read_store(path, 2) == StoreContents({"a": 1}, 2)


def test_a_store_of_a_newer_format_is_refused_and_left_alone(path: Path) -> None:
    change_store(path, 2, lambda _: {"a": 1})
    before = path.read_bytes()
    with pytest.raises(StoreError, match="format 2; this version knows up to 1"):
        read_store(path, 1)
    with pytest.raises(StoreError, match="format 2; this version knows up to 1"):
        change_store(path, 1, lambda _: {})
    assert path.read_bytes() == before


DAMAGED_CONTENTS = {
    "empty": b"",
    "cut short": b'{"format": 1, "a"',
    "NUL bytes": b"\0" * 512,
    "no object": b"[1]",
    "no format": b'{"a": 1}',
    "a format that is no number": b'{"format": true}',
    "invalid UTF-8": b'{"format": 1, "a": "\xff"}',
    "nesting without end": b'{"format": 1, "a": ' + b"[" * 100_000,
}


@pytest.mark.parametrize("data", DAMAGED_CONTENTS.values(), ids=DAMAGED_CONTENTS.keys())
def test_a_damaged_store_counts_as_empty_and_is_kept_aside(path: Path, data: bytes) -> None:
    replace_file(path, data)
    stored = read_store(path, 1)
    assert (stored.content, stored.format) == ({}, 0)
    assert "damaged, so it counts as empty" in stored.damage
    assert path.read_bytes() == data
    change_store(path, 1, lambda old: {**old.content, "new": 1})
    assert read_store(path, 1) == StoreContents({"new": 1}, 1)
    (aside,) = path.parent.glob("trust.json.damaged-*")
    assert aside.read_bytes() == data


def test_a_store_that_others_may_write_to_is_refused(path: Path) -> None:
    replace_file(path, b'{"format": 1}')
    path.chmod(0o666)
    with pytest.raises(StoreError, match="chmod it to 600"):
        read_store(path, 1)
    path.unlink()
    path.symlink_to("elsewhere")
    with pytest.raises(StoreError, match="a link"):
        read_store(path, 1)
