"""Menus, lists, pages and the history, as a person meets them."""

from pathlib import Path

from messages.approvals import DismissApproval, SubmitDecision
from messages.turns import TurnStarted
from shell.intents import (
    InterruptTurn,
    RunUserCommand,
    SendPrompt,
    StopUserCommand,
    UserCommandEnded,
)
from shell.repl.history import load
from shell.workplace import Workplace
from tests.shell import reports
from tests.shell.on_screen import OnScreen, play
from tests.shell.openings import asked, begun

ESC, TAB, CTRL_C, CTRL_O, CTRL_R, CTRL_U, CTRL_Y = (
    "\x1b",
    "\t",
    "\x03",
    "\x0f",
    "\x12",
    "\x15",
    "\x19",
)
UP, DOWN, PAGE_UP = "\x1b[A", "\x1b[B", "\x1b[5~"
PASTE, PASTED = "\x1b[200~", "\x1b[201~"


def test_a_slash_opens_a_menu_and_enter_runs_what_is_chosen() -> None:
    async def script(here: OnScreen) -> None:
        await begun(here)
        here.type("/")
        await here.shows("› /help")  # noqa: RUF001  (an arrow)
        here.type("stt")
        await here.shows("› /status")  # noqa: RUF001  (an arrow)
        await here.hides("› /help")  # noqa: RUF001  (an arrow)
        here.type("\r")
        await here.shows("session    s1")
        assert here.rows.count(">") == 1

    play(script)


def test_tab_completes_a_command_and_esc_only_closes_the_menu() -> None:
    async def script(here: OnScreen) -> None:
        await begun(here)
        await asked(here, "hello")
        here.type("/stt")
        await here.shows("› /status")  # noqa: RUF001  (an arrow)
        here.type(ESC)
        await here.hides("› /status")  # noqa: RUF001  (an arrow)
        assert InterruptTurn() not in here.posted
        here.type("\x7f")
        await here.shows("› /status")  # noqa: RUF001  (an arrow)
        here.type(TAB)
        await here.shows("> /status")
        await here.hides("Show the session")
        assert here.posted == [SendPrompt(text="hello")]

    play(script)


def test_what_was_offered_goes_with_what_was_typed() -> None:
    async def script(here: OnScreen) -> None:
        await begun(here)
        here.type("/he")
        await here.shows("› /help")  # noqa: RUF001  (an arrow)
        here.type(CTRL_C)
        await here.hides("> /he")
        assert "› /help" not in here.text  # noqa: RUF001  (an arrow)
        here.report(reports.asked())
        await here.shows("y  once")
        here.type("/mode\r")
        await here.shows("The mode is default: ")
        here.report(DismissApproval(id="/primary/explore-2#1@1", why="withdrawn"))
        await here.hides("y  once")
        assert "› /mode" not in here.text  # noqa: RUF001  (an arrow)

    play(script)


def test_at_completes_files_of_the_workspace_but_no_ignored_ones(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    for name in ("src/parser.py", "src/parser.log", "notes.txt"):
        (tmp_path / name).write_text("")
    (tmp_path / ".gitignore").write_text("*.log\n")

    async def script(here: OnScreen) -> None:
        await begun(here)
        here.type("look at @pars")
        await here.shows("› @src/parser.py")  # noqa: RUF001  (an arrow)
        assert "parser.log" not in here.text
        here.type("\r")
        await here.shows("> look at @src/parser.py")
        assert here.posted == []
        await asked(here, "now")
        assert here.posted == [SendPrompt(text="look at @src/parser.py now")]

    play(script, place=Workplace(cwd=tmp_path, root=tmp_path))


def test_a_path_or_a_comment_is_no_command() -> None:
    async def script(here: OnScreen) -> None:
        await begun(here)
        await asked(here, "/etc/hosts is wrong")
        assert here.posted == [SendPrompt(text="/etc/hosts is wrong")]

    play(script)


def test_up_and_ctrl_r_bring_back_what_was_said_in_any_session(tmp_path: Path) -> None:
    place = Workplace(history_file=tmp_path / "history.jsonl")

    async def first(here: OnScreen) -> None:
        await begun(here)
        await asked(here, "fix the parser")
        here.report(reports.completed())
        await here.hides("Thinking")
        here.type("/status\r")
        await here.shows("session    s1")

    async def second(here: OnScreen) -> None:
        await begun(here)
        here.type("half")
        await here.shows("> half")
        here.type(UP)
        await here.shows("> /status")
        here.type(UP)
        await here.shows("> fix the parser")
        here.type(DOWN + DOWN)
        await here.shows("> half")
        here.type(CTRL_R)
        await here.shows("What you said before · 2 of 2")
        here.type("pars")
        await here.shows("1 of 2")
        here.type("\r")
        await here.shows("> fix the parser")
        assert here.posted == []

    play(first, place=place)
    assert load(place.history_file) == ("fix the parser", "/status")
    play(second, place=place)


def test_up_takes_a_queued_message_before_it_goes_to_the_history() -> None:
    async def script(here: OnScreen) -> None:
        await begun(here)
        await asked(here, "one")
        here.type("two\r")
        await here.shows("» two")
        here.type(UP)
        await here.hides("» two")
        await here.shows("> two")
        here.type(CTRL_U + UP + UP)
        await here.shows("> one")

    play(script)


def test_a_long_paste_is_folded_and_sent_whole_and_one_backspace_takes_it_away() -> None:
    text = "\n".join(f"line {n}" for n in range(30))

    async def script(here: OnScreen) -> None:
        await begun(here)
        here.type(f"{PASTE}{text}{PASTED}")
        await here.shows("> [pasted 30 lines]")
        here.type("\x7f")
        await here.hides("pasted")
        here.type(f"look {PASTE}{text}{PASTED}")
        await here.shows("> look [pasted 30 lines]")
        here.type("\r")
        await here.shows("Thinking")
        assert here.posted == [SendPrompt(text=f"look {text}")]
        await here.shows("… +")

    play(script)


def test_an_own_command_runs_without_a_question_and_esc_ends_it_before_the_turn() -> None:
    async def script(here: OnScreen) -> None:
        await begun(here)
        await asked(here, "hello")
        here.type("!make test\r")
        await here.shows("! make test · 0s · Esc ends it")
        here.type("!another\r")
        await here.shows("`make test` still runs; Esc ends it.")
        await here.shows("> !another")
        here.type(CTRL_U + ESC)
        await here.shows("stopping")
        assert here.posted == [
            SendPrompt(text="hello"),
            RunUserCommand(command="make test"),
            StopUserCommand(),
        ]
        here.report(UserCommandEnded(command="make test", status="cancelled", text=""))
        await here.shows("cancelled")
        await here.shows("Esc interrupts")
        await here.press(ESC)
        await here.shows("Interrupting")
        assert here.posted[-1] == InterruptTurn()

    play(script)


def test_ctrl_o_shows_all_of_an_output_on_a_page_of_its_own_and_the_session_is_as_before() -> None:
    output = "\n".join(f"line {n}\x1b[2J" for n in range(100))

    async def script(here: OnScreen) -> None:
        await begun(here)
        await here.press(CTRL_O)
        await here.shows("there are no details yet")
        await asked(here, "hello")
        here.report(TurnStarted(turn=1, prompt="hello"), reports.tool_ended(output))
        await here.shows("… +92 lines (Ctrl-O)")
        here.type(CTRL_O)
        await here.shows("line 99^[[2J")
        assert here.rows[0].startswith("Details")
        here.type(PAGE_UP)
        await here.shows("line 60")
        here.report(reports.tool_ended("meanwhile"))
        here.type("y" + ESC)
        await here.shows("meanwhile")
        assert here.emulator.raw.count("\x1b[?1049h") == here.emulator.raw.count("\x1b[?1049l") == 1
        assert sum(row.startswith(">") for row in here.rows) == 1
        assert "> y" not in here.text

    play(script)


def test_a_request_waits_behind_a_page_and_takes_no_key_meant_for_it() -> None:
    async def script(here: OnScreen) -> None:
        await begun(here)
        here.report(TurnStarted(turn=1, prompt="x"), reports.tool_ended("one\n" * 50))
        await here.shows("(Ctrl-O)")
        here.type(CTRL_O)
        await here.shows("Details")
        here.report(reports.asked())
        await here.shows("⚠ 1 needs approval")
        await here.press("y")
        assert "y  once" not in here.text
        await here.press(CTRL_Y)
        await here.shows("y  once")
        await here.armed()
        assert here.posted == []
        await here.press("y")
        await here.hides("y  once")
        assert [type(message) for message in here.posted] == [SubmitDecision]

    play(script)


def test_a_list_over_a_request_takes_the_keys_and_disarms_it() -> None:
    async def script(here: OnScreen) -> None:
        await begun(here)
        await asked(here, "yes")
        here.type(CTRL_R)
        await here.shows("look for:")
        here.report(reports.asked())
        await here.shows("⚠ 1 needs approval")
        await here.press("y")
        await here.shows("look for: y")
        assert not here.desk.dialog.may_refuse
        here.type(ESC)
        await here.shows("y  once")
        await here.armed()
        assert [type(message) for message in here.posted] == [SendPrompt]

    play(script)


def test_a_question_that_nobody_sees_for_ten_seconds_rings_once() -> None:
    async def script(here: OnScreen) -> None:
        here.report(reports.session(), reports.asked())
        await here.armed()
        assert "\a" not in here.emulator.raw
        here.clock.ahead_s += 10
        here.inbox.put_notice("wake up")
        await here.until(lambda: "\a" in here.emulator.raw, "a ring")
        here.clock.ahead_s += 30
        await here.press(PAGE_UP)
        assert here.emulator.raw.count("\a") == 1

    play(script)


def test_a_question_that_was_seen_does_not_ring() -> None:
    async def script(here: OnScreen) -> None:
        here.report(reports.session(), reports.asked())
        await here.armed()
        await here.press(PAGE_UP)
        here.clock.ahead_s += 30
        await here.press(PAGE_UP)
        assert "\a" not in here.emulator.raw

    play(script)
