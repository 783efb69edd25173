"""Completion, history, pastes, lists and pages of the input line, without a screen."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from shell.repl import history_file
from shell.view import completion_menu, folded_pastes, fuzzy_match, input_history, pager, picker
from shell.view.completion_menu import Menu, MenuItem
from shell.view.folded_pastes import FoldedPastes
from shell.view.full_output import (
    MAX_FULL_OUTPUTS,
    FullOutput,
    create_full_output_page,
    with_full_output,
)
from shell.view.input_history import InputHistory
from shell.view.pager import Pager, create_plain_page
from shell.view.picker import PickerItem
from tests.shell.view.row_text import get_text, get_texts

pytestmark = pytest.mark.quick

COMMANDS = (("help", "List the commands."), ("status", "Show it."), ("review", "Review."))


def test_fuzzy_search_ranks_the_best_match_first() -> None:
    paths = ["tests/shell/test_menu.py", "shell/menu.py", "docs/my-menu.txt", "shell/m/e/n/u"]
    assert fuzzy_match.find_best_matches("menu", paths, 3) == [
        "shell/menu.py",
        "docs/my-menu.txt",
        paths[0],
    ]
    assert fuzzy_match.find_best_matches("MeNu", ["Menu"], 3) == ["Menu"]
    assert fuzzy_match.find_best_matches("xyz", paths, 3) == []
    assert fuzzy_match.find_best_matches("", paths, 2) == paths[:2]


@pytest.mark.parametrize(
    ("before", "items"),
    [("/", ["/help", "/status", "/review"]), ("/st", ["/status"]), ("/rvw", ["/review"])],
)
def test_a_slash_offers_commands_that_match_the_letters(before: str, items: list[str]) -> None:
    menu = completion_menu.build_command_menu(before, COMMANDS)
    assert menu is not None
    assert [item.text for item in menu.items] == items


@pytest.mark.parametrize("before", ["", "a /st", "/etc/hosts", "/status now", "/zzz"])
def test_text_that_starts_no_command_offers_none(before: str) -> None:
    assert completion_menu.build_command_menu(before, COMMANDS) is None


@pytest.mark.parametrize(
    ("before", "query"), [("@", ""), ("see @sr", "sr"), ("me@home", None), ("@a b", None)]
)
def test_an_at_sign_at_a_word_start_offers_files(before: str, query: str | None) -> None:
    assert completion_menu.find_mention(before) == query


def test_a_file_name_with_blanks_is_offered_in_quotes() -> None:
    menu = completion_menu.build_file_menu("see @a", "a", ["a b.txt", "abc.txt"])
    assert menu == Menu((MenuItem('@"a b.txt"'), MenuItem("@abc.txt")), word_start=4)


def test_the_menu_shows_the_items_around_the_selection() -> None:
    items = tuple(MenuItem(f"/command{n}", "help\x1b[2J") for n in range(30))
    menu = completion_menu.move_selection(Menu(items, word_start=0), -1)
    rows = completion_menu.render_menu_rows(menu, 40, 8)
    assert len(rows) == 8
    assert rows[-2] == (("user", "› /command29  "), ("dim", "help^[[2J"))  # noqa: RUF001
    for width in range(4, 41):
        texts = get_texts(completion_menu.render_menu_rows(menu, width, 8))
        assert max(map(len, texts)) <= width
    assert completion_menu.render_menu_rows(None, 40, 8) == []


def test_the_menu_counts_the_items_that_do_not_fit() -> None:
    fifteen = Menu(tuple(MenuItem(f"/command{n}") for n in range(15)), word_start=0)
    eight = Menu(fifteen.items[: completion_menu.MAX_MENU_ROWS], word_start=0)
    rows = completion_menu.render_menu_rows(fifteen, 40, 20)
    assert len(rows) == completion_menu.MAX_MENU_ROWS + 1
    assert rows[-1] == (("dim", "  … 7 more: ↑ ↓ or type"),)
    assert len(completion_menu.render_menu_rows(eight, 40, 20)) == completion_menu.MAX_MENU_ROWS, (
        "all items fit"
    )
    assert completion_menu.render_menu_rows(fifteen, 40, 3)[-1] == (
        ("dim", "  … 13 more: ↑ ↓ or type"),
    )
    assert completion_menu.render_menu_rows(fifteen, 12, 1) == [(("user", "› /command0"),)]  # noqa: RUF001  (an arrow)
    assert all(
        len(text) <= 10
        for row in completion_menu.render_menu_rows(fifteen, 10, 5)
        for _, text in row
    )


def test_a_long_item_leaves_room_for_the_descriptions() -> None:
    items = (MenuItem("x" * 100, "1 min ago"), MenuItem("short", "2 h ago"))
    rows = completion_menu.render_menu_rows(Menu(items, word_start=0), 40, 8)
    assert get_texts(rows) == [
        "› " + "x" * 26 + "…  1 min ago",  # noqa: RUF001  (an arrow)
        "  short" + " " * 24 + "2 h ago",
    ]
    (long, _) = completion_menu.render_menu_rows(
        Menu((MenuItem("/mode", "y" * 99), MenuItem("/x")), word_start=0), 40, 8
    )
    assert get_text(long) == "› /mode  " + "y" * 30 + "…"  # noqa: RUF001  (an arrow)


def test_stepping_through_the_history_ends_at_the_draft() -> None:
    history = input_history.with_entry(
        input_history.with_entry(input_history.with_entry(InputHistory(), "one"), "two"), "two"
    )
    assert history.entries == ("one", "two")
    shown: list[str] = []
    for step in (input_history.step_back, input_history.step_back, input_history.step_back):
        if result := step(history, "draft"):
            history, text = result
            shown.append(text)
    while result := input_history.step_forward(history):
        history, text = result
        shown.append(text)
    assert shown == ["two", "one", "two", "draft"]
    assert history == InputHistory(("one", "two"))


@pytest.mark.parametrize("create", [Path.mkdir, os.mkfifo], ids=["folder", "pipe"])
def test_a_history_that_is_no_file_is_ignored(
    tmp_path: Path, create: Callable[[Path], None]
) -> None:
    path = tmp_path / "history.jsonl"
    create(path)
    before = len([*Path("/dev/fd").iterdir()])
    history_file.append_entry(path, "one")
    assert history_file.load_entries(path) == ()
    assert len([*Path("/dev/fd").iterdir()]) == before


def test_invalid_lines_of_the_history_file_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    path.write_bytes(b"\xff\n" + b"[" * 200_000 + b'\n{"a": 1}\n"\\ud800"\n5\n"one"\n')
    assert history_file.load_entries(path) == ("?", "one")


def test_the_history_file_is_private_and_shared_between_sessions(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    for text in ("one\ntwo", "three"):
        history_file.append_entry(file, text)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert history_file.load_entries(file) == ("one\ntwo", "three")


@pytest.mark.parametrize(
    "text",
    [
        " begins with a blank",
        "use sk-ant-api03-aaaaaaaaaaaaaaaaaaaa",
        "ghp_0123456789abcdef0123",
        "password = hunter2",
        "API_KEY: abc",
        "-----BEGIN OPENSSH PRIVATE KEY-----",
        "x" * 5_000,
    ],
)
def test_input_that_looks_like_a_secret_is_not_stored(tmp_path: Path, text: str) -> None:
    history_file.append_entry(tmp_path / "history.jsonl", text)
    assert not (tmp_path / "history.jsonl").exists()


def test_a_secret_from_the_environment_is_redacted_in_history(
    tmp_path: Path,
) -> None:
    file = tmp_path / "history.jsonl"
    history_file.append_entry(file, "mine is correct-horse", (b"correct-horse",))
    assert history_file.load_entries(file) == ("mine is [secret]",)


def test_a_damaged_or_linked_history_file_is_tolerated(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    file.write_bytes(b'"one"\n{broken\n[1]\n\xff\n"two"\n')
    assert history_file.load_entries(file) == ("one", "two")
    (tmp_path / "link").symlink_to(file)
    assert history_file.load_entries(tmp_path / "link") == ()
    history_file.append_entry(tmp_path / "link", "three")
    assert history_file.load_entries(file) == ("one", "two")
    history_file.append_entry(tmp_path / "missing" / "history.jsonl", "four")


def test_the_history_file_has_a_maximum_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history_file, "_MAX_FILE_BYTES", 10_000)
    file = tmp_path / "history.jsonl"
    for number in range(3_000):
        history_file.append_entry(file, f"number {number}")
    assert file.stat().st_size < 30_000
    assert history_file.load_entries(file)[-1] == "number 2999"
    assert len(history_file.load_entries(file)) <= history_file.MAX_ENTRIES


def test_a_long_paste_is_folded_and_sent_in_full() -> None:
    long = "\n".join(f"line {n}" for n in range(20))
    first, placeholder = folded_pastes.fold(FoldedPastes(), long)
    assert placeholder == "[pasted 20 lines]"
    second, second_placeholder = folded_pastes.fold(first, "x" * 2_000)
    assert second_placeholder == "[pasted 2,000 characters]"
    assert folded_pastes.fold(first, long.upper())[1] == "[pasted 20 lines #2]"
    assert (
        folded_pastes.unfold(second, f"look: {placeholder} and {second_placeholder}!")
        == f"look: {long} and {'x' * 2000}!"
    )
    assert folded_pastes.find_placeholder_before(second, f"look: {placeholder}") == placeholder
    assert folded_pastes.find_placeholder_before(second, "look") == ""
    assert folded_pastes.fold(second, "short\ntext") == (second, "short\ntext")


def test_a_placeholder_inside_a_paste_is_not_unfolded() -> None:
    first, placeholder = folded_pastes.fold(FoldedPastes(), "a\n" * 20)
    both, second_placeholder = folded_pastes.fold(first, f"{placeholder}\n" * 20)
    assert folded_pastes.unfold(both, second_placeholder) == f"{placeholder}\n" * 20


def test_typing_filters_a_list_without_reordering_it() -> None:
    picked: list[int] = []
    opened = picker.create_picker(
        "History", tuple(map(PickerItem, ("fix bug", "add test", "fix it"))), picked.append
    )
    filtered = picker.filter_items(opened, "fix")
    assert filtered.matches == (0, 2)
    assert picker.get_selected_index(picker.move_selection(filtered, -1)) == 2
    assert picker.get_selected_index(picker.filter_items(opened, "adtst")) == 1
    assert picker.get_selected_index(picker.filter_items(opened, "zzz")) is None
    assert picker.render_picker_rows(filtered, 80, 2) == [
        (("title", "History · 2 of 3"),),
        (("user", "› fix bug"),),  # noqa: RUF001  (an arrow)
    ]


def test_the_selected_item_has_a_preview_below_the_list() -> None:
    item = PickerItem("one", preview="> hello\nlong ago\x1b[2J")
    picked: list[int] = []
    listed = picker.create_picker("History", (PickerItem("none"), item), picked.append)
    selected = picker.move_selection(listed, 1)
    assert len(picker.render_picker_rows(listed, 80, 20)) == 3
    assert picker.render_picker_rows(selected, 80, 20)[3:] == [
        (("dim", "│ > hello"),),
        (("dim", "│ long ago^[[2J"),),
    ]
    assert picker.render_picker_rows(selected, 80, 4)[3:] == [(("dim", "│ long ago^[[2J"),)]
    assert len(picker.render_picker_rows(selected, 80, 3)) == 3


def test_a_page_fills_its_height_and_stops_scrolling() -> None:
    page = Pager(create_plain_page("Title", "\n".join(f"row {n}" for n in range(20))))
    rows = pager.render_page_rows(page, 40, 10)
    assert len(rows) == 10
    assert rows[1] == (("plain", "row 0"),)
    last = pager.scroll(page, 1_000, 40, 10)
    assert pager.render_page_rows(last, 40, 10)[-2] == (("plain", "row 19"),)
    assert pager.scroll(last, -1_000, 40, 10) == page
    assert len(pager.render_page_rows(Pager(create_plain_page("T", "x")), 4, 3)) == 3


def test_a_page_makes_control_characters_in_text_visible() -> None:
    rows = pager.render_page_rows(Pager(create_plain_page("T", "a\x1b[2Jb")), 40, 4)
    assert rows[1] == (("plain", "a^[[2Jb"),)


def test_only_the_newest_full_outputs_are_kept() -> None:
    outputs: tuple[FullOutput, ...] = ()
    for number in range(MAX_FULL_OUTPUTS + 5):
        outputs = with_full_output(outputs, FullOutput(f"t{number}", "x"))
    assert [output.title for output in outputs] == [f"t{n}" for n in range(5, MAX_FULL_OUTPUTS + 5)]
    outputs = with_full_output(
        with_full_output(outputs, FullOutput("big", "y" * 500_000)), FullOutput("empty", " \n")
    )
    assert [output.title for output in outputs] == ["big"]
    assert create_full_output_page(()) is None


def test_pastes_with_the_same_placeholder_are_not_mixed_up() -> None:
    first, placeholder = folded_pastes.fold(FoldedPastes(), "a\n" * 20)
    second, same = folded_pastes.fold(FoldedPastes(), "b\n" * 20)
    other, _ = folded_pastes.fold(FoldedPastes(), "c\n" * 30)
    assert placeholder == same
    assert folded_pastes.merge(first, second) is None
    merged = folded_pastes.merge(first, other)
    assert merged is not None
    assert set(merged.text_by_placeholder) == {placeholder, "[pasted 30 lines]"}
