import stat
from pathlib import Path

import pytest

from actors.sessions.errors import StoreError
from actors.sessions.json_store import StoreContents, change_store, read_store

pytestmark = pytest.mark.quick


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "trust.json"


def write_private_file(path: Path, data: bytes) -> None:
    path.parent.mkdir(mode=0o700)
    path.write_bytes(data)
    path.chmod(0o600)


def test_stored_content_is_read_back_with_its_format(path: Path) -> None:
    assert read_store(path, 1) == StoreContents()
    change_store(path, 1, lambda _: {"a": 1})
    assert change_store(path, 1, lambda old: {**old.content, "b": 2}) == read_store(path, 1)
    assert read_store(path, 1) == StoreContents({"a": 1, "b": 2}, 1)


def test_a_store_is_private_and_leaves_no_temporary_file(path: Path) -> None:
    change_store(path, 1, lambda _: {"a": 1})
    change_store(path, 1, lambda _: {"a": 2})
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert {file.name for file in path.parent.iterdir()} == {"trust.json", "trust.json.lock"}


def test_an_older_format_is_upgraded_by_the_next_change(
    path: Path,
) -> None:
    change_store(path, 1, lambda _: {"a": 1})
    assert read_store(path, 2) == StoreContents({"a": 1}, 1)
    change_store(path, 2, lambda old: old.content)
    assert read_store(path, 2) == StoreContents({"a": 1}, 2)


def test_a_newer_format_is_rejected_and_left_unchanged(path: Path) -> None:
    change_store(path, 2, lambda _: {"a": 1})
    before = path.read_bytes()
    with pytest.raises(StoreError, match="format 2, but this version reads up to format 1"):
        read_store(path, 1)
    with pytest.raises(StoreError, match="format 2, but this version reads up to format 1"):
        change_store(path, 1, lambda _: {})
    assert path.read_bytes() == before


DAMAGED_CONTENTS = {
    "empty": b"",
    "cut short": b'{"format": 1, "a"',
    "NUL bytes": b"\0" * 512,
    "not an object": b"[1]",
    "no format": b'{"a": 1}',
    "a format that is not a number": b'{"format": true}',
    "invalid UTF-8": b'{"format": 1, "a": "\xff"}',
    "deep nesting": b'{"format": 1, "a": ' + b"[" * 100_000,
}


@pytest.mark.parametrize("data", DAMAGED_CONTENTS.values(), ids=DAMAGED_CONTENTS.keys())
def test_a_damaged_store_is_treated_as_empty_and_kept(path: Path, data: bytes) -> None:
    write_private_file(path, data)
    stored = read_store(path, 1)
    assert (stored.content, stored.format) == ({}, 0)
    assert "damaged and treated as empty" in stored.damage
    assert path.read_bytes() == data
    change_store(path, 1, lambda old: {**old.content, "new": 1})
    assert read_store(path, 1) == StoreContents({"new": 1}, 1)
    (damaged_file,) = path.parent.glob("trust.json.damaged-*")
    assert damaged_file.read_bytes() == data


def test_a_store_that_others_can_write_is_rejected(path: Path) -> None:
    write_private_file(path, b'{"format": 1}')
    path.chmod(0o666)
    with pytest.raises(StoreError, match="chmod 600"):
        read_store(path, 1)
    path.unlink()
    path.symlink_to("elsewhere")
    with pytest.raises(StoreError, match="a symbolic link"):
        read_store(path, 1)
