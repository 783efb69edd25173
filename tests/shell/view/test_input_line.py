"""What the input line offers, remembers and folds, without a screen."""

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

pytestmark = pytest.mark.quick

COMMANDS = (("help", "List the commands."), ("status", "Show it."), ("review", "Review."))


def test_the_likeliest_comes_first_and_what_lacks_a_letter_does_not_come() -> None:
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
    ("before", "offered"),
    [("/", ["/help", "/status", "/review"]), ("/st", ["/status"]), ("/rvw", ["/review"])],
)
def test_a_slash_offers_commands_by_a_few_of_their_letters(before: str, offered: list[str]) -> None:
    found = completion_menu.build_command_menu(before, COMMANDS)
    assert found is not None
    assert [offer.text for offer in found.items] == offered


@pytest.mark.parametrize("before", ["", "a /st", "/etc/hosts", "/status now", "/zzz"])
def test_what_begins_no_command_offers_none(before: str) -> None:
    assert completion_menu.build_command_menu(before, COMMANDS) is None


@pytest.mark.parametrize(
    ("before", "wanted"), [("@", ""), ("see @sr", "sr"), ("me@home", None), ("@a b", None)]
)
def test_an_at_sign_that_begins_a_word_asks_for_files(before: str, wanted: str | None) -> None:
    assert completion_menu.find_mention(before) == wanted


def test_a_file_with_blanks_in_its_name_is_offered_in_quotes() -> None:
    found = completion_menu.build_file_menu("see @a", "a", ["a b.txt", "abc.txt"])
    assert found == Menu((MenuItem('@"a b.txt"'), MenuItem("@abc.txt")), word_start=4)


def test_the_menu_draws_what_is_around_the_choice_in_any_width() -> None:
    offers = tuple(MenuItem(f"/command{n}", "tells\x1b[2J") for n in range(30))
    rows = completion_menu.render_menu_rows(
        completion_menu.move_selection(Menu(offers, word_start=0), -1), 40, 8
    )
    assert len(rows) == 8
    assert rows[-2] == (("user", "› /command29  "), ("dim", "tells^[[2J"))  # noqa: RUF001
    for width in range(4, 40):
        assert all(len("".join(text for _, text in row)) <= width for row in rows if width >= 40)
    assert completion_menu.render_menu_rows(None, 40, 8) == []


def test_the_menu_says_how_many_more_there_are_where_not_all_are_shown() -> None:
    fifteen = Menu(tuple(MenuItem(f"/command{n}") for n in range(15)), word_start=0)
    eight = Menu(fifteen.items[: completion_menu.MAX_MENU_ROWS], word_start=0)
    rows = completion_menu.render_menu_rows(fifteen, 40, 20)
    assert len(rows) == completion_menu.MAX_MENU_ROWS + 1
    assert rows[-1] == (("dim", "  … 7 more: ↑ ↓ or type"),)
    assert len(completion_menu.render_menu_rows(eight, 40, 20)) == completion_menu.MAX_MENU_ROWS, (
        "all are there"
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


def test_a_long_offer_leaves_room_for_what_is_told_of_each() -> None:
    offers = (MenuItem("x" * 100, "1 min ago"), MenuItem("short", "2 h ago"))
    rows = completion_menu.render_menu_rows(Menu(offers, word_start=0), 40, 8)
    assert ["".join(part for _, part in row) for row in rows] == [
        "› " + "x" * 26 + "…  1 min ago",  # noqa: RUF001  (an arrow)
        "  short" + " " * 24 + "2 h ago",
    ]
    (long, _) = completion_menu.render_menu_rows(
        Menu((MenuItem("/mode", "y" * 99), MenuItem("/x")), word_start=0), 40, 8
    )
    assert "".join(part for _, part in long) == "› /mode  " + "y" * 30 + "…"  # noqa: RUF001  (an arrow)


def test_what_was_said_is_stepped_through_and_the_draft_comes_back() -> None:
    past = input_history.with_entry(
        input_history.with_entry(input_history.with_entry(InputHistory(), "one"), "two"), "two"
    )
    assert past.entries == ("one", "two")
    shown: list[str] = []
    for step in (input_history.step_back, input_history.step_back, input_history.step_back):
        if found := step(past, "draft"):
            past, text = found
            shown.append(text)
    while found := input_history.step_forward(past):
        past, text = found
        shown.append(text)
    assert shown == ["two", "one", "two", "draft"]
    assert past == InputHistory(("one", "two"))


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo], ids=["a folder", "a pipe"])
def test_a_history_that_is_no_file_is_none_and_ends_nothing(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    path = tmp_path / "history.jsonl"
    make(path)
    before = len([*Path("/dev/fd").iterdir()])
    history_file.append_entry(path, "one")
    assert history_file.load_entries(path) == ()
    assert len([*Path("/dev/fd").iterdir()]) == before


def test_lines_of_a_history_that_nobody_said_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    path.write_bytes(b"\xff\n" + b"[" * 200_000 + b'\n{"a": 1}\n"\\ud800"\n5\n"one"\n')
    assert history_file.load_entries(path) == ("?", "one")


def test_the_history_is_its_owners_alone_and_read_by_the_next_session(tmp_path: Path) -> None:
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
def test_what_looks_like_a_secret_is_not_written(tmp_path: Path, text: str) -> None:
    history_file.append_entry(tmp_path / "history.jsonl", text)
    assert not (tmp_path / "history.jsonl").exists()


def test_a_key_of_the_environment_is_written_without_it_whatever_it_looks_like(
    tmp_path: Path,
) -> None:
    file = tmp_path / "history.jsonl"
    history_file.append_entry(file, "mine is correct-horse", (b"correct-horse",))
    assert history_file.load_entries(file) == ("mine is [secret]",)


def test_a_history_that_is_damaged_or_a_link_stops_nobody(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    file.write_bytes(b'"one"\n{broken\n[1]\n\xff\n"two"\n')
    assert history_file.load_entries(file) == ("one", "two")
    (tmp_path / "link").symlink_to(file)
    assert history_file.load_entries(tmp_path / "link") == ()
    history_file.append_entry(tmp_path / "link", "three")
    assert history_file.load_entries(file) == ("one", "two")
    history_file.append_entry(tmp_path / "missing" / "history.jsonl", "four")


def test_the_history_does_not_grow_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history_file, "_MOST_BYTES", 10_000)
    file = tmp_path / "history.jsonl"
    for number in range(3_000):
        history_file.append_entry(file, f"number {number}")
    assert file.stat().st_size < 30_000
    assert history_file.load_entries(file)[-1] == "number 2999"
    assert len(history_file.load_entries(file)) <= history_file.MAX_ENTRIES


def test_a_long_paste_is_one_word_and_is_sent_whole() -> None:
    long = "\n".join(f"line {n}" for n in range(20))
    first, word = folded_pastes.fold(FoldedPastes(), long)
    assert word == "[pasted 20 lines]"
    second, other = folded_pastes.fold(first, "x" * 2_000)
    assert other == "[pasted 2,000 characters]"
    assert folded_pastes.fold(first, long.upper())[1] == "[pasted 20 lines #2]"
    assert (
        folded_pastes.unfold(second, f"look: {word} and {other}!")
        == f"look: {long} and {'x' * 2000}!"
    )
    assert folded_pastes.find_placeholder_before(second, f"look: {word}") == word
    assert folded_pastes.find_placeholder_before(second, "look") == ""
    assert folded_pastes.fold(second, "short\ntext") == (second, "short\ntext")


def test_a_pasted_text_that_names_another_paste_stays_what_it_is() -> None:
    first, word = folded_pastes.fold(FoldedPastes(), "a\n" * 20)
    both, other = folded_pastes.fold(first, f"{word}\n" * 20)
    assert folded_pastes.unfold(both, other) == f"{word}\n" * 20


def test_a_list_is_narrowed_by_typing_and_keeps_its_order() -> None:
    taken: list[int] = []
    opened = picker.create_picker(
        "Past", tuple(map(PickerItem, ("fix bug", "add test", "fix it"))), taken.append
    )
    narrowed = picker.filter_items(opened, "fix")
    assert narrowed.matches == (0, 2)
    assert picker.get_selected_index(picker.move_selection(narrowed, -1)) == 2
    assert picker.get_selected_index(picker.filter_items(opened, "adtst")) == 1
    assert picker.get_selected_index(picker.filter_items(opened, "zzz")) is None
    assert picker.render_picker_rows(narrowed, 80, 2) == [
        (("title", "Past · 2 of 3"),),
        (("user", "› fix bug"),),  # noqa: RUF001  (an arrow)
    ]


def test_the_end_of_what_is_chosen_is_shown_below_the_list_where_there_is_room() -> None:
    said = PickerItem("one", preview="> hello\nlong ago\x1b[2J")
    taken: list[int] = []
    listed = picker.create_picker("Past", (PickerItem("none"), said), taken.append)
    at_it = picker.move_selection(listed, 1)
    assert len(picker.render_picker_rows(listed, 80, 20)) == 3
    assert picker.render_picker_rows(at_it, 80, 20)[3:] == [
        (("dim", "│ > hello"),),
        (("dim", "│ long ago^[[2J"),),
    ]
    assert picker.render_picker_rows(at_it, 80, 4)[3:] == [(("dim", "│ long ago^[[2J"),)]
    assert len(picker.render_picker_rows(at_it, 80, 3)) == 3


def test_a_page_fills_its_height_and_scrolls_no_further_than_its_end() -> None:
    page = Pager(create_plain_page("Title", "\n".join(f"row {n}" for n in range(20))))
    rows = pager.render_page_rows(page, 40, 10)
    assert len(rows) == 10
    assert rows[1] == (("plain", "row 0"),)
    last = pager.scroll(page, 1_000, 40, 10)
    assert pager.render_page_rows(last, 40, 10)[-2] == (("plain", "row 19"),)
    assert pager.scroll(last, -1_000, 40, 10) == page
    assert len(pager.render_page_rows(Pager(create_plain_page("T", "x")), 4, 3)) == 3


def test_what_a_page_shows_draws_nothing_but_itself() -> None:
    rows = pager.render_page_rows(Pager(create_plain_page("T", "a\x1b[2Jb")), 40, 4)
    assert rows[1] == (("plain", "a^[[2Jb"),)


def test_of_details_the_newest_are_kept() -> None:
    details: tuple[FullOutput, ...] = ()
    for number in range(MAX_FULL_OUTPUTS + 5):
        details = with_full_output(details, FullOutput(f"t{number}", "x"))
    assert [detail.title for detail in details] == [f"t{n}" for n in range(5, MAX_FULL_OUTPUTS + 5)]
    details = with_full_output(
        with_full_output(details, FullOutput("big", "y" * 500_000)), FullOutput("empty", " \n")
    )
    assert [detail.title for detail in details] == ["big"]
    assert create_full_output_page(()) is None
