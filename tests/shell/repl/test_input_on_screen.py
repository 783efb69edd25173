"""Menus, lists, pages and the history, as the user sees them."""

from pathlib import Path

from messages.approvals import DismissApproval, SubmitDecision
from messages.steering import PromptsReturned, ReturnedPrompt, WithdrawPrompts
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
from shell.view.full_output import FULL_OUTPUT_TITLE
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
PASTE_START, PASTE_END = "\x1b[200~", "\x1b[201~"


def test_enter_runs_the_command_selected_in_the_menu() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        screen.type("/")
        await screen.wait_for_text("› /help")  # noqa: RUF001  (an arrow)
        screen.type("stt")
        await screen.wait_for_text("› /status")  # noqa: RUF001  (an arrow)
        await screen.wait_for_no_text("› /help")  # noqa: RUF001  (an arrow)
        screen.type("\r")
        await screen.wait_for_text("session    s1")
        assert screen.rows.count(">") == 1

    run_on_screen(script)


def test_tab_completes_commands_and_esc_closes_the_menu() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        await submit_prompt(screen, "hello")
        screen.type("/stt")
        await screen.wait_for_text("› /status")  # noqa: RUF001  (an arrow)
        screen.type(ESC)
        await screen.wait_for_no_text("› /status")  # noqa: RUF001  (an arrow)
        assert InterruptTurn() not in screen.posted
        screen.type("\x7f")
        await screen.wait_for_text("› /status")  # noqa: RUF001  (an arrow)
        screen.type(TAB)
        await screen.wait_for_text("> /status")
        await screen.wait_for_no_text("Show session, model")
        assert screen.posted == [SendPrompt(turn=1, text="hello")]

    run_on_screen(script)


def test_the_menu_closes_when_its_text_is_gone() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        screen.type("/he")
        await screen.wait_for_text("› /help")  # noqa: RUF001  (an arrow)
        screen.type(CTRL_C)
        await screen.wait_for_no_text("> /he")
        assert "› /help" not in screen.text  # noqa: RUF001  (an arrow)
        screen.put_events(sample_events.exec_approval())
        await screen.wait_for_text("y  Yes, once")
        screen.type("/mode\r")
        await screen.wait_for_text("Mode default: ")
        screen.put_events(DismissApproval(id="/primary/explore-2#1@1", outcome="withdrawn"))
        await screen.wait_for_no_text("y  Yes, once")
        assert "› /mode" not in screen.text  # noqa: RUF001  (an arrow)

    run_on_screen(script)


def test_at_completes_workspace_files_that_are_not_ignored(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    for name in ("src/parser.py", "src/parser.log", "notes.txt"):
        (tmp_path / name).write_text("")
    (tmp_path / ".gitignore").write_text("*.log\n")

    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        screen.type("look at @pars")
        await screen.wait_for_text("› @src/parser.py")  # noqa: RUF001  (an arrow)
        assert "parser.log" not in screen.text
        screen.type("\r")
        await screen.wait_for_text("> look at @src/parser.py")
        assert screen.posted == []
        await submit_prompt(screen, "now")
        assert screen.posted == [SendPrompt(turn=1, text="look at @src/parser.py now")]

    run_on_screen(script, session_context=SessionContext(cwd=tmp_path, workspace_root=tmp_path))


def test_a_path_is_sent_and_not_run_as_a_command() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        await submit_prompt(screen, "/etc/hosts is wrong")
        assert screen.posted == [SendPrompt(turn=1, text="/etc/hosts is wrong")]

    run_on_screen(script)


def test_up_and_ctrl_r_recall_input_of_any_session(tmp_path: Path) -> None:
    context = SessionContext(history_file=tmp_path / "history.jsonl")

    async def first(screen: ScreenHarness) -> None:
        await start_session(screen)
        await submit_prompt(screen, "fix the parser")
        screen.put_events(sample_events.turn_completed())
        await screen.wait_for_no_text("Waiting for the model")
        screen.type("/status\r")
        await screen.wait_for_text("session    s1")

    async def second(screen: ScreenHarness) -> None:
        await start_session(screen)
        screen.type("half")
        await screen.wait_for_text("> half")
        screen.type(UP)
        await screen.wait_for_text("> /status")
        screen.type(UP)
        await screen.wait_for_text("> fix the parser")
        screen.type(DOWN + DOWN)
        await screen.wait_for_text("> half")
        screen.type(CTRL_R)
        await screen.wait_for_text("Input history · 2 of 2")
        screen.type("pars")
        await screen.wait_for_text("1 of 2")
        screen.type("\r")
        await screen.wait_for_text("> fix the parser")
        assert screen.posted == []

    run_on_screen(first, session_context=context)
    assert load_entries(context.history_file) == ("fix the parser", "/status")
    run_on_screen(second, session_context=context)


def test_up_takes_queued_messages_back_before_the_history() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        await submit_prompt(screen, "one")
        screen.type("two\r")
        await screen.wait_for_text("» two")
        screen.type(UP)
        await screen.wait_until(
            lambda: screen.posted[-1] == WithdrawPrompts(numbers=(2,)), "the withdrawal"
        )
        returned = ReturnedPrompt(number=2, text="two")
        screen.put_events(PromptsReturned(prompts=(returned,)))
        await screen.wait_for_no_text("» two")
        await screen.wait_for_text("> two")
        screen.type(CTRL_U + UP + UP)
        await screen.wait_for_text("> one")

    run_on_screen(script)


def test_one_backspace_deletes_a_folded_paste_completely() -> None:
    text = "\n".join(f"line {n}" for n in range(30))

    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        screen.type(f"{PASTE_START}{text}{PASTE_END}")
        await screen.wait_for_text("> [pasted 30 lines]")
        screen.type("\x7f")
        await screen.wait_for_no_text("pasted")
        screen.type(f"look {PASTE_START}{text}{PASTE_END}")
        await screen.wait_for_text("> look [pasted 30 lines]")
        screen.type("\r")
        await screen.wait_for_text("Waiting for the model")
        assert screen.posted == [SendPrompt(turn=1, text=f"look {text}")]
        await screen.wait_for_text("… +")

    run_on_screen(script)


def test_esc_stops_a_user_command_before_the_turn() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        await submit_prompt(screen, "hello")
        screen.type("!make test\r")
        await screen.wait_for_text("! make test · 0s · Esc to stop")
        screen.type("!another\r")
        await screen.wait_for_text("`make test` is still running. Press Esc to stop it.")
        await screen.wait_for_text("> !another")
        screen.type(CTRL_U + ESC)
        await screen.wait_for_text("stopping")
        assert screen.posted == [
            SendPrompt(turn=1, text="hello"),
            RunUserCommand(command="make test"),
            StopUserCommand(),
        ]
        screen.put_events(UserCommandEnded(command="make test", status="cancelled", text=""))
        await screen.wait_for_text("cancelled")
        await screen.wait_for_text("Esc to interrupt")
        await screen.press_key(ESC)
        await screen.wait_for_text("Interrupting")
        assert screen.posted[-1] == InterruptTurn()

    run_on_screen(script)


def test_ctrl_o_shows_full_output_on_a_page() -> None:
    output = "\n".join(f"line {n}\x1b[2J" for n in range(100))

    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        await screen.press_key(CTRL_O)
        await screen.wait_for_text("There is no output to show yet.")
        await submit_prompt(screen, "hello")
        screen.put_events(TurnStarted(turn=1, prompt="hello"), sample_events.tool_ended(output))
        await screen.wait_for_text("… +97 lines (Ctrl-O)")
        screen.type(CTRL_O)
        await screen.wait_for_text(FULL_OUTPUT_TITLE)
        assert screen.rows[0].startswith(FULL_OUTPUT_TITLE)
        assert "line 99^[[2J" in screen.text
        screen.type(PAGE_UP)
        await screen.wait_for_text("line 60")
        screen.put_events(sample_events.tool_ended("meanwhile"))
        screen.type("y" + ESC)
        await screen.wait_for_text("meanwhile")
        assert (
            screen.emulator.raw.count("\x1b[?1049h")
            == screen.emulator.raw.count("\x1b[?1049l")
            == 1
        )
        assert sum(row.startswith(">") for row in screen.rows) == 1
        assert "> y" not in screen.text

    run_on_screen(script)


def test_a_request_behind_a_page_receives_no_keys() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        screen.put_events(TurnStarted(turn=1, prompt="x"), sample_events.tool_ended("one\n" * 50))
        await screen.wait_for_text("(Ctrl-O)")
        screen.type(CTRL_O)
        await screen.wait_for_text(FULL_OUTPUT_TITLE)
        screen.put_events(sample_events.exec_approval())
        await screen.wait_for_text("⚠ 1 needs approval")
        await screen.press_key("y")
        assert "y  Yes, once" not in screen.text
        await screen.press_key(CTRL_Y)
        await screen.wait_for_text("y  Yes, once")
        await screen.wait_until_armed()
        assert screen.posted == []
        await screen.press_key("y")
        await screen.wait_for_no_text("y  Yes, once")
        assert [type(message) for message in screen.posted] == [SubmitDecision]

    run_on_screen(script)


def test_a_list_over_a_request_receives_the_keys() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        await submit_prompt(screen, "yes")
        screen.type(CTRL_R)
        await screen.wait_for_text("filter:")
        screen.put_events(sample_events.exec_approval())
        await screen.wait_for_text("⚠ 1 needs approval")
        await screen.press_key("y")
        await screen.wait_for_text("filter: y")
        assert not screen.parts.approval_prompt.can_reject
        screen.type(ESC)
        await screen.wait_for_text("y  Yes, once")
        await screen.wait_until_armed()
        assert [type(message) for message in screen.posted] == [SendPrompt]

    run_on_screen(script)


def test_an_unseen_request_rings_once_after_ten_seconds() -> None:
    async def script(screen: ScreenHarness) -> None:
        screen.put_events(sample_events.session_configured(), sample_events.exec_approval())
        await screen.wait_until_armed()
        assert "\a" not in screen.emulator.raw
        screen.loop.offset_s += 10
        screen.screen_events.put_notice("wake up")
        await screen.wait_until(lambda: "\a" in screen.emulator.raw, "a ring")
        screen.loop.offset_s += 30
        await screen.press_key(PAGE_UP)
        assert screen.emulator.raw.count("\a") == 1

    run_on_screen(script)


def test_a_request_that_was_seen_does_not_ring() -> None:
    async def script(screen: ScreenHarness) -> None:
        screen.put_events(sample_events.session_configured(), sample_events.exec_approval())
        await screen.wait_until_armed()
        await screen.press_key(PAGE_UP)
        screen.loop.offset_s += 30
        await screen.press_key(PAGE_UP)
        assert "\a" not in screen.emulator.raw

    run_on_screen(script)


def test_a_backslash_before_enter_adds_a_line() -> None:
    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        screen.type("one\\\rtwo\r")
        await screen.wait_for_text("Waiting for the model")
        assert screen.posted == [SendPrompt(turn=1, text="one\ntwo")]

    run_on_screen(script)


def test_a_recalled_message_folds_only_what_was_pasted() -> None:
    text = "\n".join(f"line {n}" for n in range(30))

    async def script(screen: ScreenHarness) -> None:
        await start_session(screen)
        screen.type(f"before {PASTE_START}{text}{PASTE_END} after\r")
        await screen.wait_for_text("Waiting for the model")
        screen.put_events(sample_events.turn_completed())
        await screen.wait_for_no_text("Waiting for the model")
        screen.type(f"new {PASTE_START}{text.upper()}{PASTE_END}{UP}")
        await screen.wait_for_text("> before [pasted 30 lines] after")
        screen.type("\x1b[B")
        await screen.wait_for_text("> new [pasted 30 lines]")
        screen.type("\r")
        await screen.wait_for_text("Waiting for the model")
        sent = [f"before {text} after", f"new {text.upper()}"]
        assert screen.posted == [SendPrompt(turn=n, text=t) for n, t in enumerate(sent, 1)]

    run_on_screen(script)
