"""Approvals as a person meets them: nothing unseen is allowed, by no stray key."""

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


async def show_approval(here: ScreenHarness, command: str = "git push") -> None:
    here.put_events(sample_events.session_configured(), sample_events.exec_approval(command))
    await here.wait_for_text("y  Yes, once")


def test_it_shows_who_asks_where_why_the_whole_command_and_the_exact_rule() -> None:
    async def script(here: ScreenHarness) -> None:
        await show_approval(here, "git push \\\n  --force")
        assert here.rows[3:13] == [
            "primary › explore-2 wants to use bash · 1 of 1",  # noqa: RUF001  (as a person sees it)
            "in /home/x/project",
            "why: default: bash asks",
            "│ git push \\",
            "│   --force",
            "y  Yes, once",
            "a  Yes, and don't ask again this session for `bash git push`",
            "n  No     Tab  No, and say why     Esc  Decide later",
            "…",
            ">",
        ]
        assert here.rows[13].startswith("⚠ 1 needs approval")

    run_on_screen(script)


@pytest.mark.parametrize(("key", "answer"), [("y", "once"), ("a", "session"), ("n", "no")])
def test_an_armed_prompt_takes_its_answers(key: str, answer: ApprovalDecision) -> None:
    async def script(here: ScreenHarness) -> None:
        await show_approval(here)
        await here.wait_until_armed()
        here.type(key)
        await here.wait_for_no_text("y  Yes, once")
        assert here.posted == [SubmitDecision(id=FIRST, decision=answer)]

    run_on_screen(script)


def test_keys_before_it_is_armed_go_into_the_draft() -> None:
    async def script(here: ScreenHarness) -> None:
        await show_approval(here)
        here.type("yan")
        await here.wait_for_text("> yan")
        await here.wait_for_text("You have a draft; press Ctrl-Y to answer")
        assert here.posted == []

    run_on_screen(script)


def test_a_prompt_that_the_terminal_has_not_acknowledged_never_arms() -> None:
    async def script(here: ScreenHarness) -> None:
        await show_approval(here)
        here.type(CTRL_Y + "y")
        await here.wait_for_text("> y")
        here.type("\x7f")
        await here.wait_for_no_text("> y")
        here.emulator.send_acknowledgment()
        await here.wait_until_armed()
        assert here.posted == []
        here.type("y")
        await here.wait_for_no_text("y  Yes, once")

    run_on_screen(script, acknowledges=False)


def test_over_a_draft_only_ctrl_y_arms() -> None:
    async def script(here: ScreenHarness) -> None:
        here.put_events(sample_events.session_configured())
        here.type("half a thought")
        await here.wait_for_text("> half a thought")
        here.put_events(sample_events.exec_approval())
        await here.wait_for_text("Ctrl-Y to answer")
        here.type("y")
        await here.wait_for_text("half a thoughty")
        here.type(CTRL_Y)
        await here.wait_until_armed()
        await here.press_key("y")
        await here.wait_for_no_text("y  Yes, once")
        assert here.posted == [SubmitDecision(id=FIRST, decision="once")]
        assert "> half a thoughty" in here.text

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
def test_a_paste_never_answers(paste: str) -> None:
    async def script(here: ScreenHarness) -> None:
        await show_approval(here)
        await here.wait_until_armed()
        here.type(paste)
        await here.wait_until(lambda: not here.controller.approval_prompt.can_reject, "the paste")
        assert [message for message in here.posted if isinstance(message, SubmitDecision)] == []

    run_on_screen(script)


def test_nothing_is_allowed_before_its_end_was_on_the_screen() -> None:
    async def script(here: ScreenHarness) -> None:
        await show_approval(here, "echo " + "x" * 10_000 + "\nrm -rf /")
        await here.wait_until_armed()
        await here.press_key("y")
        await here.wait_for_text("Scroll to the end before you allow it: PgDn")
        here.type(" " * 30)
        await here.wait_for_text("│ rm -rf /")
        here.type(" y")
        await here.wait_for_text("> y")
        assert here.posted == []
        here.type("\x7f")
        await here.wait_until(
            lambda: here.controller.approval_prompt.can_allow, "the end to be acknowledged"
        )
        here.type("y")
        await here.wait_for_no_text("y  Yes, once")
        assert here.posted == [SubmitDecision(id=FIRST, decision="once")]

    run_on_screen(script)


def test_nothing_is_allowed_while_the_end_is_drawn_but_not_acknowledged() -> None:
    async def script(here: ScreenHarness) -> None:
        await show_approval(here, "echo " + "x" * 3_000 + "\nrm -rf /")
        here.emulator.send_acknowledgment()
        await here.wait_until_armed()
        here.type(PAGE_DOWN * 10)
        await here.wait_for_text("│ rm -rf /")
        await here.press_key("y")
        await here.press_key("n")
        await here.wait_for_no_text("y  Yes, once")
        assert here.posted == [SubmitDecision(id=FIRST, decision="no")]

    run_on_screen(script, acknowledges=False)


def test_what_is_long_may_be_refused_at_once() -> None:
    async def script(here: ScreenHarness) -> None:
        await show_approval(here, "x" * 10_000)
        await here.wait_until_armed()
        here.type("n")
        await here.wait_for_no_text("y  Yes, once")
        assert here.posted == [SubmitDecision(id=FIRST, decision="no")]

    run_on_screen(script)


def test_tab_says_no_with_a_reason() -> None:
    async def script(here: ScreenHarness) -> None:
        await show_approval(here)
        await here.wait_until_armed()
        here.type(TAB)
        await here.wait_for_text("no, because:")
        await here.wait_for_text("Enter sends the no with this reason")
        here.type("use a branch, yes?\r")
        await here.wait_for_no_text("y  Yes, once")
        assert here.posted == [
            SubmitDecision(id=FIRST, decision="no", feedback="use a branch, yes?")
        ]

    run_on_screen(script)


@pytest.mark.parametrize("key", [ESC, CTRL_C])
def test_esc_leaves_it_for_later_and_ctrl_y_brings_it_back(key: str) -> None:
    async def script(here: ScreenHarness) -> None:
        await show_approval(here)
        await here.wait_until_armed()
        here.type(key)
        await here.wait_for_no_text("y  Yes, once")
        assert here.posted == []
        await here.wait_for_text("⚠ 1 needs approval (Ctrl-Y)")
        here.type(CTRL_Y)
        await here.wait_for_text("y  Yes, once")
        await here.wait_until_armed()
        here.type("y")
        await here.wait_for_no_text("needs approval")
        assert here.posted == [SubmitDecision(id=FIRST, decision="once")]

    run_on_screen(script)


def test_one_ctrl_y_brings_a_request_back_and_answers_over_the_draft() -> None:
    async def script(here: ScreenHarness) -> None:
        await show_approval(here)
        here.type(ESC)
        await here.wait_for_no_text("y  Yes, once")
        here.type("half a thought")
        await here.wait_for_text("> half a thought")
        await here.press_key(CTRL_Y)
        await here.wait_until_armed()
        await here.press_key("y")
        await here.wait_for_no_text("y  Yes, once")
        assert here.posted == [SubmitDecision(id=FIRST, decision="once")]
        assert "> half a thought" in here.text

    run_on_screen(script)


def test_requests_come_first_in_first_out_and_each_arms_anew() -> None:
    async def script(here: ScreenHarness) -> None:
        here.put_events(sample_events.session_configured(), sample_events.exec_approval("git push"))
        here.put_events(sample_events.exec_approval("git tag v1", number=2))
        await here.wait_for_text("1 of 2")
        await here.wait_until_armed()
        here.type("y")
        await here.wait_for_text("│ git tag v1")
        here.type("y")
        await here.wait_for_text("> y")
        assert here.posted == [SubmitDecision(id=FIRST, decision="once")]
        here.type(CTRL_U)
        await here.wait_until_armed()
        here.type("n")
        await here.wait_for_no_text("y  Yes, once")
        assert here.posted == [
            SubmitDecision(id=FIRST, decision="once"),
            SubmitDecision(id=SECOND, decision="no"),
        ]

    run_on_screen(script)


def test_a_request_withdrawn_while_shown_says_so_and_its_reason_becomes_a_draft() -> None:
    async def script(here: ScreenHarness) -> None:
        await show_approval(here)
        await here.wait_until_armed()
        here.type(TAB + "because")
        await here.wait_for_text("no, because: because")
        here.put_events(DismissApproval(id=FIRST, outcome="withdrawn"))
        await here.wait_for_text("was withdrawn")
        assert "y  Yes, once" not in here.text
        assert "> because" in here.text
        assert here.posted == []

    run_on_screen(script)


def test_an_answer_that_the_request_does_not_allow_does_nothing() -> None:
    async def script(here: ScreenHarness) -> None:
        here.put_events(
            sample_events.session_configured(), sample_events.exec_approval(answers=("once", "no"))
        )
        await here.wait_for_text("y  Yes, once")
        assert "a  Yes, and don't ask again" not in here.text
        await here.wait_until_armed()
        await here.press_key("a")
        await here.press_key("n")
        await here.wait_for_no_text("y  Yes, once")
        assert here.posted == [SubmitDecision(id=FIRST, decision="no")]

    run_on_screen(script)


def test_a_window_that_is_too_low_takes_only_no_and_later() -> None:
    async def script(here: ScreenHarness) -> None:
        here.put_events(
            sample_events.session_configured(), sample_events.exec_approval("one\ntwo\nthree\nfour")
        )
        await here.wait_for_text("Enlarge the window to answer")
        await here.wait_until_armed()
        await here.press_key("y")
        await here.press_key("a")
        await here.press_key("n")
        await here.wait_for_no_text("Enlarge the window")
        assert here.posted == [SubmitDecision(id=FIRST, decision="no")]

    run_on_screen(script, rows=9)


def test_what_was_seen_whole_cannot_be_allowed_in_a_window_that_no_longer_shows_it() -> None:
    async def script(here: ScreenHarness) -> None:
        await show_approval(here, "one\ntwo\nthree\nfour")
        await here.wait_until_armed()
        assert here.controller.approval_prompt.can_allow
        here.emulator.screen.resize(9, 80)
        await here.resize(80)
        await here.wait_for_text("Enlarge the window")
        await here.press_key("y")
        await here.press_key("n")
        await here.wait_for_no_text("Enlarge the window")
        assert here.posted == [SubmitDecision(id=FIRST, decision="no")]

    run_on_screen(script)


def test_twenty_columns_and_five_rows_still_say_what_can_be_done() -> None:
    async def script(here: ScreenHarness) -> None:
        here.put_events(
            sample_events.session_configured(), sample_events.exec_approval("one\ntwo\nthree\nfour")
        )
        await here.wait_for_text("Enlarge the window")
        assert here.rows[-5:-1] == ["Enlarge the window", "to answer · n no ·", "Esc later", ">"]
        await here.wait_until_armed()
        await here.press_key("y")
        await here.press_key("n")
        await here.wait_for_no_text("Enlarge the window")
        assert here.posted == [SubmitDecision(id=FIRST, decision="no")]

    run_on_screen(script, rows=5, columns=20)


def test_a_diff_is_coloured_and_bound_to_its_path() -> None:
    async def script(here: ScreenHarness) -> None:
        diff = "--- a/app.py\n+++ b/app.py\n@@ -1 +1 @@\n-old\n+new\n"
        here.put_events(sample_events.session_configured(), sample_events.patch_approval(diff))
        await here.wait_for_text("change /home/x/project/app.py")
        old, new = here.rows.index("│ -old"), here.rows.index("│ +new")
        buffer = here.emulator.screen.buffer
        assert (buffer[old][2].fg, buffer[new][2].fg) == ("red", "green")
        assert here.rows[new + 1] == "y  Yes, once"

    run_on_screen(script)


def test_a_command_cannot_imitate_our_own_rows() -> None:
    async def script(here: ScreenHarness) -> None:
        await show_approval(here, "true\ny  Yes, once\n" + "z" * 90)
        assert here.rows.count("y  Yes, once") == 1
        assert "│ y  Yes, once" in here.rows
        assert "┆ " + "z" * 12 in here.rows

    run_on_screen(script)


def test_however_many_requests_wait_the_second_esc_interrupts_the_turn() -> None:
    async def script(here: ScreenHarness) -> None:
        here.put_events(sample_events.session_configured(), TurnStarted(turn=1, prompt="hello"))
        here.put_events(
            *(sample_events.exec_approval(f"command {n}", number=n) for n in range(1, 201))
        )
        await here.wait_for_text("1 of 200")
        here.type(ESC)
        await here.wait_for_text("⚠ 200 need approval (Ctrl-Y)")
        await here.press_key(ESC)
        await here.wait_for_text("Interrupting")
        assert here.posted == [InterruptTurn()]

    run_on_screen(script)


@pytest.mark.parametrize("seed", range(5))
def test_no_key_sent_before_a_prompt_is_seen_answers_it(seed: int) -> None:
    async def script(here: ScreenHarness) -> None:
        chance = random.Random(seed)  # noqa: S311  (a replayable sequence, no secret)
        here.put_events(sample_events.session_configured())
        await here.wait_for_text("primary")
        for number in range(1, 21):
            here.type("".join(chance.choices("yan" + CTRL_Y, k=3)))
            here.put_events(sample_events.exec_approval(f"command {number}", number=number))
            here.type("".join(chance.choices("yan", k=2)))
        await here.wait_until(
            lambda: len(here.controller.state.approvals.parked) == 20, "all requests"
        )
        assert here.posted == []

    run_on_screen(script)
