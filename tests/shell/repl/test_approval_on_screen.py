"""Approvals as the user sees them: no stray key allows anything that was not visible."""

import random

import pytest

from messages.approvals import ApprovalDecision, DismissApproval, SubmitDecision
from messages.turns import TurnStarted
from shell.console.ui_commands import InterruptTurn
from tests.shell import sample_events
from tests.shell.screen_harness import ScreenHarness, run_on_screen

ESC, TAB, CTRL_C, CTRL_U, CTRL_Y = "\x1b", "\t", "\x03", "\x15", "\x19"
PAGE_DOWN = "\x1b[6~"
FIRST, SECOND = "/primary/explore-2#1@1", "/primary/explore-2#2@1"


async def show_approval(screen: ScreenHarness, command: str = "git push") -> None:
    screen.put_events(sample_events.session_configured(), sample_events.exec_approval(command))
    await screen.wait_for_text("y  Yes, once")


def test_the_prompt_shows_requester_reason_command_and_exact_rule() -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_approval(screen, "git push \\\n  --force")
        assert screen.rows[3:13] == [
            "primary › explore-2 wants to run a command",  # noqa: RUF001  (as the user sees it)
            "in /home/x/project",
            "asks because default: bash asks",
            "│ git push \\",
            "│   --force",
            "❯ y  Yes, once",  # noqa: RUF001  (as the user sees it)
            "  a  Yes, and don't ask again this session for `bash git push`",
            "  n  No     Tab  No, and say why     Esc  Decide later",
            "One moment",
            ">",
        ]
        assert screen.rows[13].startswith("⚠ 1 needs approval")

    run_on_screen(script)


@pytest.mark.parametrize(("key", "decision"), [("y", "once"), ("a", "session"), ("n", "no")])
def test_an_armed_prompt_accepts_its_answer_keys(key: str, decision: ApprovalDecision) -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_approval(screen)
        await screen.wait_until_armed()
        screen.type(key)
        await screen.wait_for_no_text("y  Yes, once")
        assert screen.posted == [SubmitDecision(id=FIRST, decision=decision)]

    run_on_screen(script)


def test_keys_before_arming_go_into_the_draft() -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_approval(screen)
        screen.type("yan")
        await screen.wait_for_text("> yan")
        await screen.wait_for_text("You have a draft; press Ctrl-Y to answer")
        assert screen.posted == []

    run_on_screen(script)


def test_a_prompt_never_arms_without_the_terminals_acknowledgment() -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_approval(screen)
        screen.type(CTRL_Y + "y")
        await screen.wait_for_text("> y")
        screen.type("\x7f")
        await screen.wait_for_no_text("> y")
        screen.emulator.send_acknowledgment()
        await screen.wait_until_armed()
        assert screen.posted == []
        screen.type("y")
        await screen.wait_for_no_text("y  Yes, once")

    run_on_screen(script, acknowledges=False)


def test_only_ctrl_y_arms_a_prompt_over_drafts() -> None:
    async def script(screen: ScreenHarness) -> None:
        screen.put_events(sample_events.session_configured())
        screen.type("half a thought")
        await screen.wait_for_text("> half a thought")
        screen.put_events(sample_events.exec_approval())
        await screen.wait_for_text("press Ctrl-Y to answer")
        screen.type("y")
        await screen.wait_for_text("half a thoughty")
        screen.type(CTRL_Y)
        await screen.wait_until_armed()
        await screen.press_key("y")
        await screen.wait_for_no_text("y  Yes, once")
        assert screen.posted == [SubmitDecision(id=FIRST, decision="once")]
        assert "> half a thoughty" in screen.text

    run_on_screen(script)


@pytest.mark.parametrize(
    "paste",
    [
        "\x1b[200~y\x1b[201~",
        "\x1b[200~\x1b[201~y",
        "yes, do it",
        "y\ry\r",
        " y",
        CTRL_Y + "y",
        PAGE_DOWN + "a",
    ],
)
def test_a_paste_never_answers_an_approval_request(paste: str) -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_approval(screen)
        await screen.wait_until_armed()
        screen.type(paste)
        await screen.wait_until(lambda: not screen.parts.approval_prompt.can_reject, "the paste")
        assert [message for message in screen.posted if isinstance(message, SubmitDecision)] == []

    run_on_screen(script)


def test_a_long_command_needs_scrolling_to_its_end() -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_approval(screen, "echo " + "x" * 10_000 + "\nrm -rf /")
        await screen.wait_until_armed()
        await screen.press_key("y")
        await screen.wait_for_text("Scroll to the end before you allow it: PgDn")
        screen.type(" " * 30)
        await screen.wait_for_text("│ rm -rf /")
        screen.type(" y")
        await screen.wait_for_text("> y")
        assert screen.posted == []
        screen.type("\x7f")
        await screen.wait_until(
            lambda: screen.parts.approval_prompt.can_allow, "the end to be acknowledged"
        )
        screen.type("y")
        await screen.wait_for_no_text("y  Yes, once")
        assert screen.posted == [SubmitDecision(id=FIRST, decision="once")]

    run_on_screen(script)


def test_an_unacknowledged_end_does_not_permit_allowing() -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_approval(screen, "echo " + "x" * 3_000 + "\nrm -rf /")
        screen.emulator.send_acknowledgment()
        await screen.wait_until_armed()
        screen.type(PAGE_DOWN * 10)
        await screen.wait_for_text("│ rm -rf /")
        await screen.press_key("y")
        await screen.press_key("n")
        await screen.wait_for_no_text("y  Yes, once")
        assert screen.posted == [SubmitDecision(id=FIRST, decision="no")]

    run_on_screen(script, acknowledges=False)


def test_a_long_command_can_be_denied_at_once() -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_approval(screen, "x" * 10_000)
        await screen.wait_until_armed()
        screen.type("n")
        await screen.wait_for_no_text("y  Yes, once")
        assert screen.posted == [SubmitDecision(id=FIRST, decision="no")]

    run_on_screen(script)


def test_tab_denies_the_request_with_a_reason() -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_approval(screen)
        await screen.wait_until_armed()
        screen.type(TAB)
        await screen.wait_for_text("no, because:")
        await screen.wait_for_text("Enter sends No with this reason")
        screen.type("use a branch, yes?\r")
        await screen.wait_for_no_text("y  Yes, once")
        assert screen.posted == [
            SubmitDecision(id=FIRST, decision="no", feedback="use a branch, yes?")
        ]

    run_on_screen(script)


@pytest.mark.parametrize("key", [ESC, CTRL_C])
def test_esc_defers_a_request_and_ctrl_y_restores_it(key: str) -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_approval(screen)
        await screen.wait_until_armed()
        screen.type(key)
        await screen.wait_for_no_text("y  Yes, once")
        assert screen.posted == []
        await screen.wait_for_text("⚠ 1 needs approval (Ctrl-Y)")
        screen.type(CTRL_Y)
        await screen.wait_for_text("y  Yes, once")
        await screen.wait_until_armed()
        screen.type("y")
        await screen.wait_for_no_text("needs approval")
        assert screen.posted == [SubmitDecision(id=FIRST, decision="once")]

    run_on_screen(script)


def test_one_ctrl_y_restores_and_arms_over_the_draft() -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_approval(screen)
        screen.type(ESC)
        await screen.wait_for_no_text("y  Yes, once")
        screen.type("half a thought")
        await screen.wait_for_text("> half a thought")
        await screen.press_key(CTRL_Y)
        await screen.wait_until_armed()
        await screen.press_key("y")
        await screen.wait_for_no_text("y  Yes, once")
        assert screen.posted == [SubmitDecision(id=FIRST, decision="once")]
        assert "> half a thought" in screen.text

    run_on_screen(script)


def test_requests_are_answered_in_order_and_armed_separately() -> None:
    async def script(screen: ScreenHarness) -> None:
        screen.put_events(
            sample_events.session_configured(), sample_events.exec_approval("git push")
        )
        screen.put_events(sample_events.exec_approval("git tag v1", number=2))
        await screen.wait_for_text("1 of 2")
        await screen.wait_until_armed()
        screen.type("y")
        await screen.wait_for_text("│ git tag v1")
        screen.type("y")
        await screen.wait_for_text("> y")
        assert screen.posted == [SubmitDecision(id=FIRST, decision="once")]
        screen.type(CTRL_U)
        await screen.wait_until_armed()
        screen.type("n")
        await screen.wait_for_no_text("y  Yes, once")
        assert screen.posted == [
            SubmitDecision(id=FIRST, decision="once"),
            SubmitDecision(id=SECOND, decision="no"),
        ]

    run_on_screen(script)


def test_a_withdrawn_request_turns_its_reason_into_draft() -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_approval(screen)
        await screen.wait_until_armed()
        screen.type(TAB + "because")
        await screen.wait_for_text("no, because: because")
        screen.put_events(DismissApproval(id=FIRST, outcome="withdrawn"))
        await screen.wait_for_text("was withdrawn")
        assert "y  Yes, once" not in screen.text
        assert "> because" in screen.text
        assert screen.posted == []

    run_on_screen(script)


def test_an_unavailable_decision_is_neither_shown_nor_accepted() -> None:
    async def script(screen: ScreenHarness) -> None:
        screen.put_events(
            sample_events.session_configured(),
            sample_events.exec_approval(available_decisions=("once", "no")),
        )
        await screen.wait_for_text("y  Yes, once")
        assert "a  Yes, and don't ask again" not in screen.text
        await screen.wait_until_armed()
        await screen.press_key("a")
        await screen.press_key("n")
        await screen.wait_for_no_text("y  Yes, once")
        assert screen.posted == [SubmitDecision(id=FIRST, decision="no")]

    run_on_screen(script)


def test_an_answer_without_room_is_neither_shown_nor_accepted() -> None:
    async def script(screen: ScreenHarness) -> None:
        approval = sample_events.exec_approval(pattern="\u0301" * 300)
        screen.put_events(sample_events.session_configured(), approval)
        await screen.wait_for_text("y  Yes, once")
        await screen.wait_for_text("more answers in a larger window")
        assert "a  Yes" not in screen.text
        await screen.wait_until_armed()
        await screen.press_key("a")
        assert screen.posted == []
        await screen.press_key("y")
        assert screen.posted == [SubmitDecision(id=FIRST, decision="once")]

    run_on_screen(script)


def test_a_too_small_window_accepts_only_no_and_later() -> None:
    async def script(screen: ScreenHarness) -> None:
        screen.put_events(
            sample_events.session_configured(), sample_events.exec_approval("one\ntwo\nthree\nfour")
        )
        await screen.wait_for_text("Enlarge the window to answer")
        await screen.wait_until_armed()
        await screen.press_key("y")
        await screen.press_key("a")
        await screen.press_key("n")
        await screen.wait_for_no_text("Enlarge the window")
        assert screen.posted == [SubmitDecision(id=FIRST, decision="no")]

    run_on_screen(script, rows=9)


def test_shrinking_the_window_prevents_allowing_the_request() -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_approval(screen, "one\ntwo\nthree\nfour")
        await screen.wait_until_armed()
        assert screen.parts.approval_prompt.can_allow
        screen.emulator.screen.resize(9, 80)
        await screen.resize(80)
        await screen.wait_for_text("Enlarge the window")
        await screen.press_key("y")
        await screen.press_key("n")
        await screen.wait_for_no_text("Enlarge the window")
        assert screen.posted == [SubmitDecision(id=FIRST, decision="no")]

    run_on_screen(script)


def test_a_tiny_window_still_shows_the_available_keys() -> None:
    async def script(screen: ScreenHarness) -> None:
        screen.put_events(
            sample_events.session_configured(), sample_events.exec_approval("one\ntwo\nthree\nfour")
        )
        await screen.wait_for_text("Enlarge the window")
        assert screen.rows[-5:-1] == [
            "Enlarge the window",
            "to answer · n No ·",
            "Esc Decide later",
            ">",
        ]
        await screen.wait_until_armed()
        await screen.press_key("y")
        await screen.press_key("n")
        await screen.wait_for_no_text("Enlarge the window")
        assert screen.posted == [SubmitDecision(id=FIRST, decision="no")]

    run_on_screen(script, rows=5, columns=20)


def test_a_diff_is_colored_and_shows_its_path() -> None:
    async def script(screen: ScreenHarness) -> None:
        diff = "--- a/app.py\n+++ b/app.py\n@@ -1 +1 @@\n-old\n+new\n"
        screen.put_events(sample_events.session_configured(), sample_events.patch_approval(diff))
        await screen.wait_for_text("file /home/x/project/app.py")
        old, new = screen.rows.index("│    1 -old"), screen.rows.index("│    1 +new")
        buffer = screen.emulator.screen.buffer
        assert (buffer[old][7].fg, buffer[new][7].fg) == ("red", "green")
        assert screen.rows[new + 1] == "❯ y  Yes, once"  # noqa: RUF001

    run_on_screen(script)


def test_a_command_cannot_imitate_our_own_rows() -> None:
    async def script(screen: ScreenHarness) -> None:
        await show_approval(screen, "true\ny  Yes, once\n" + "z" * 90)
        assert [row for row in screen.rows if row[2:] == "y  Yes, once"] == [
            "❯ y  Yes, once",  # noqa: RUF001  (as the user sees it)
            "│ y  Yes, once",
        ][::-1]
        assert "│ y  Yes, once" in screen.rows
        assert "┆ " + "z" * 12 in screen.rows

    run_on_screen(script)


def test_a_second_esc_interrupts_despite_many_waiting_requests() -> None:
    async def script(screen: ScreenHarness) -> None:
        screen.put_events(sample_events.session_configured(), TurnStarted(turn=1, prompt="hello"))
        screen.put_events(
            *(sample_events.exec_approval(f"command {n}", number=n) for n in range(1, 201))
        )
        await screen.wait_for_text("1 of 200")
        screen.type(ESC)
        await screen.wait_for_text("⚠ 200 need approval (Ctrl-Y)")
        await screen.press_key(ESC)
        await screen.wait_for_text("Interrupting")
        assert screen.posted == [InterruptTurn()]

    run_on_screen(script)


@pytest.mark.parametrize("seed", range(5))
def test_keys_sent_before_a_prompt_never_answer_it(seed: int) -> None:
    async def script(screen: ScreenHarness) -> None:
        rng = random.Random(seed)  # noqa: S311  (a replayable sequence, no secret)
        screen.put_events(sample_events.session_configured())
        await screen.wait_for_text("primary")
        for number in range(1, 21):
            screen.type("".join(rng.choices("yan" + CTRL_Y, k=3)))
            screen.put_events(sample_events.exec_approval(f"command {number}", number=number))
            screen.type("".join(rng.choices("yan", k=2)))
        await screen.wait_until(
            lambda: len(screen.parts.event_pump.state.approvals.parked) == 20, "all requests"
        )
        assert screen.posted == []

    run_on_screen(script)
