"""Menus, lists, pages and the history, as a person meets them."""

from pathlib import Path

from messages.approvals import DismissApproval, SubmitDecision
from messages.turns import TurnStarted
from shell.console.ui_commands import (
    InterruptTurn,
    RunUserCommand,
    SendPrompt,
    StopUserCommand,
    UserCommandEnded,
)
from shell.repl.history_file import load_entries
from shell.sessions.session_context import SessionContext
from tests.shell import sample_events
from tests.shell.screen_harness import ScreenHarness, run_on_screen
from tests.shell.screen_setup import start_session, submit_prompt

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
    async def script(here: ScreenHarness) -> None:
        await start_session(here)
        here.type("/")
        await here.wait_for_text("› /help")  # noqa: RUF001  (an arrow)
        here.type("stt")
        await here.wait_for_text("› /status")  # noqa: RUF001  (an arrow)
        await here.wait_for_no_text("› /help")  # noqa: RUF001  (an arrow)
        here.type("\r")
        await here.wait_for_text("session    s1")
        assert here.rows.count(">") == 1

    run_on_screen(script)


def test_tab_completes_a_command_and_esc_only_closes_the_menu() -> None:
    async def script(here: ScreenHarness) -> None:
        await start_session(here)
        await submit_prompt(here, "hello")
        here.type("/stt")
        await here.wait_for_text("› /status")  # noqa: RUF001  (an arrow)
        here.type(ESC)
        await here.wait_for_no_text("› /status")  # noqa: RUF001  (an arrow)
        assert InterruptTurn() not in here.posted
        here.type("\x7f")
        await here.wait_for_text("› /status")  # noqa: RUF001  (an arrow)
        here.type(TAB)
        await here.wait_for_text("> /status")
        await here.wait_for_no_text("Show the session")
        assert here.posted == [SendPrompt(text="hello")]

    run_on_screen(script)


def test_what_was_offered_goes_with_what_was_typed() -> None:
    async def script(here: ScreenHarness) -> None:
        await start_session(here)
        here.type("/he")
        await here.wait_for_text("› /help")  # noqa: RUF001  (an arrow)
        here.type(CTRL_C)
        await here.wait_for_no_text("> /he")
        assert "› /help" not in here.text  # noqa: RUF001  (an arrow)
        here.put_events(sample_events.exec_approval())
        await here.wait_for_text("y  Yes, once")
        here.type("/mode\r")
        await here.wait_for_text("The mode is default: ")
        here.put_events(DismissApproval(id="/primary/explore-2#1@1", outcome="withdrawn"))
        await here.wait_for_no_text("y  Yes, once")
        assert "› /mode" not in here.text  # noqa: RUF001  (an arrow)

    run_on_screen(script)


def test_at_completes_files_of_the_workspace_but_no_ignored_ones(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    for name in ("src/parser.py", "src/parser.log", "notes.txt"):
        (tmp_path / name).write_text("")
    (tmp_path / ".gitignore").write_text("*.log\n")

    async def script(here: ScreenHarness) -> None:
        await start_session(here)
        here.type("look at @pars")
        await here.wait_for_text("› @src/parser.py")  # noqa: RUF001  (an arrow)
        assert "parser.log" not in here.text
        here.type("\r")
        await here.wait_for_text("> look at @src/parser.py")
        assert here.posted == []
        await submit_prompt(here, "now")
        assert here.posted == [SendPrompt(text="look at @src/parser.py now")]

    run_on_screen(script, session_context=SessionContext(cwd=tmp_path, workspace_root=tmp_path))


def test_a_path_or_a_comment_is_no_command() -> None:
    async def script(here: ScreenHarness) -> None:
        await start_session(here)
        await submit_prompt(here, "/etc/hosts is wrong")
        assert here.posted == [SendPrompt(text="/etc/hosts is wrong")]

    run_on_screen(script)


def test_up_and_ctrl_r_bring_back_what_was_said_in_any_session(tmp_path: Path) -> None:
    place = SessionContext(history_file=tmp_path / "history.jsonl")

    async def first(here: ScreenHarness) -> None:
        await start_session(here)
        await submit_prompt(here, "fix the parser")
        here.put_events(sample_events.turn_completed())
        await here.wait_for_no_text("Thinking")
        here.type("/status\r")
        await here.wait_for_text("session    s1")

    async def second(here: ScreenHarness) -> None:
        await start_session(here)
        here.type("half")
        await here.wait_for_text("> half")
        here.type(UP)
        await here.wait_for_text("> /status")
        here.type(UP)
        await here.wait_for_text("> fix the parser")
        here.type(DOWN + DOWN)
        await here.wait_for_text("> half")
        here.type(CTRL_R)
        await here.wait_for_text("Input history · 2 of 2")
        here.type("pars")
        await here.wait_for_text("1 of 2")
        here.type("\r")
        await here.wait_for_text("> fix the parser")
        assert here.posted == []

    run_on_screen(first, session_context=place)
    assert load_entries(place.history_file) == ("fix the parser", "/status")
    run_on_screen(second, session_context=place)


def test_up_takes_a_queued_message_before_it_goes_to_the_history() -> None:
    async def script(here: ScreenHarness) -> None:
        await start_session(here)
        await submit_prompt(here, "one")
        here.type("two\r")
        await here.wait_for_text("» two")
        here.type(UP)
        await here.wait_for_no_text("» two")
        await here.wait_for_text("> two")
        here.type(CTRL_U + UP + UP)
        await here.wait_for_text("> one")

    run_on_screen(script)


def test_a_long_paste_is_folded_and_sent_whole_and_one_backspace_takes_it_away() -> None:
    text = "\n".join(f"line {n}" for n in range(30))

    async def script(here: ScreenHarness) -> None:
        await start_session(here)
        here.type(f"{PASTE}{text}{PASTED}")
        await here.wait_for_text("> [pasted 30 lines]")
        here.type("\x7f")
        await here.wait_for_no_text("pasted")
        here.type(f"look {PASTE}{text}{PASTED}")
        await here.wait_for_text("> look [pasted 30 lines]")
        here.type("\r")
        await here.wait_for_text("Thinking")
        assert here.posted == [SendPrompt(text=f"look {text}")]
        await here.wait_for_text("… +")

    run_on_screen(script)


def test_an_own_command_runs_without_a_question_and_esc_ends_it_before_the_turn() -> None:
    async def script(here: ScreenHarness) -> None:
        await start_session(here)
        await submit_prompt(here, "hello")
        here.type("!make test\r")
        await here.wait_for_text("! make test · 0s · Esc to stop")
        here.type("!another\r")
        await here.wait_for_text("`make test` is still running. Press Esc to stop it.")
        await here.wait_for_text("> !another")
        here.type(CTRL_U + ESC)
        await here.wait_for_text("stopping")
        assert here.posted == [
            SendPrompt(text="hello"),
            RunUserCommand(command="make test"),
            StopUserCommand(),
        ]
        here.put_events(UserCommandEnded(command="make test", status="cancelled", text=""))
        await here.wait_for_text("cancelled")
        await here.wait_for_text("Esc to interrupt")
        await here.press_key(ESC)
        await here.wait_for_text("Interrupting")
        assert here.posted[-1] == InterruptTurn()

    run_on_screen(script)


def test_ctrl_o_shows_all_of_an_output_on_a_page_of_its_own_and_the_session_is_as_before() -> None:
    output = "\n".join(f"line {n}\x1b[2J" for n in range(100))

    async def script(here: ScreenHarness) -> None:
        await start_session(here)
        await here.press_key(CTRL_O)
        await here.wait_for_text("There is no output to show yet.")
        await submit_prompt(here, "hello")
        here.put_events(TurnStarted(turn=1, prompt="hello"), sample_events.tool_ended(output))
        await here.wait_for_text("… +92 lines (Ctrl-O)")
        here.type(CTRL_O)
        await here.wait_for_text("line 99^[[2J")
        assert here.rows[0].startswith("Details")
        here.type(PAGE_UP)
        await here.wait_for_text("line 60")
        here.put_events(sample_events.tool_ended("meanwhile"))
        here.type("y" + ESC)
        await here.wait_for_text("meanwhile")
        assert here.emulator.raw.count("\x1b[?1049h") == here.emulator.raw.count("\x1b[?1049l") == 1
        assert sum(row.startswith(">") for row in here.rows) == 1
        assert "> y" not in here.text

    run_on_screen(script)


def test_a_request_waits_behind_a_page_and_takes_no_key_meant_for_it() -> None:
    async def script(here: ScreenHarness) -> None:
        await start_session(here)
        here.put_events(TurnStarted(turn=1, prompt="x"), sample_events.tool_ended("one\n" * 50))
        await here.wait_for_text("(Ctrl-O)")
        here.type(CTRL_O)
        await here.wait_for_text("Details")
        here.put_events(sample_events.exec_approval())
        await here.wait_for_text("⚠ 1 needs approval")
        await here.press_key("y")
        assert "y  Yes, once" not in here.text
        await here.press_key(CTRL_Y)
        await here.wait_for_text("y  Yes, once")
        await here.wait_until_armed()
        assert here.posted == []
        await here.press_key("y")
        await here.wait_for_no_text("y  Yes, once")
        assert [type(message) for message in here.posted] == [SubmitDecision]

    run_on_screen(script)


def test_a_list_over_a_request_takes_the_keys_and_disarms_it() -> None:
    async def script(here: ScreenHarness) -> None:
        await start_session(here)
        await submit_prompt(here, "yes")
        here.type(CTRL_R)
        await here.wait_for_text("filter:")
        here.put_events(sample_events.exec_approval())
        await here.wait_for_text("⚠ 1 needs approval")
        await here.press_key("y")
        await here.wait_for_text("filter: y")
        assert not here.controller.approval_prompt.can_reject
        here.type(ESC)
        await here.wait_for_text("y  Yes, once")
        await here.wait_until_armed()
        assert [type(message) for message in here.posted] == [SendPrompt]

    run_on_screen(script)


def test_a_question_that_nobody_sees_for_ten_seconds_rings_once() -> None:
    async def script(here: ScreenHarness) -> None:
        here.put_events(sample_events.session_configured(), sample_events.exec_approval())
        await here.wait_until_armed()
        assert "\a" not in here.emulator.raw
        here.loop.offset_s += 10
        here.screen_events.put_notice("wake up")
        await here.wait_until(lambda: "\a" in here.emulator.raw, "a ring")
        here.loop.offset_s += 30
        await here.press_key(PAGE_UP)
        assert here.emulator.raw.count("\a") == 1

    run_on_screen(script)


def test_a_question_that_was_seen_does_not_ring() -> None:
    async def script(here: ScreenHarness) -> None:
        here.put_events(sample_events.session_configured(), sample_events.exec_approval())
        await here.wait_until_armed()
        await here.press_key(PAGE_UP)
        here.loop.offset_s += 30
        await here.press_key(PAGE_UP)
        assert "\a" not in here.emulator.raw

    run_on_screen(script)
