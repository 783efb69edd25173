"""Approvals as a person meets them: nothing unseen is allowed, by no stray key."""

import random

import pytest

from messages.approvals import ApprovalDecision, DismissApproval, SubmitDecision
from messages.turns import TurnStarted
from shell.intents import InterruptTurn
from tests.shell import reports
from tests.shell.on_screen import OnScreen, play

ESC, TAB, CTRL_C, CTRL_U, CTRL_Y = "\x1b", "\t", "\x03", "\x15", "\x19"
PAGE_DOWN = "\x1b[6~"
FIRST, SECOND = "/primary/explore-2#1@1", "/primary/explore-2#2@1"


async def asked(here: OnScreen, command: str = "git push") -> None:
    here.report(reports.session(), reports.asked(command))
    await here.shows("y  once")


def test_it_shows_who_asks_where_why_the_whole_command_and_the_exact_rule() -> None:
    async def script(here: OnScreen) -> None:
        await asked(here, "git push \\\n  --force")
        assert here.rows[3:13] == [
            "primary › explore-2 asks: bash · 1 of 1",  # noqa: RUF001  (as a person sees it)
            "in /home/x/project",
            "why: default: bash asks",
            "│ git push \\",
            "│   --force",
            "y  once",
            "a  don't ask again in this session for `bash git push`",
            "n  no     Tab  no, with a reason     Esc  later",
            "…",
            ">",
        ]
        assert here.rows[13].startswith("⚠ 1 needs approval")

    play(script)


@pytest.mark.parametrize(("key", "answer"), [("y", "once"), ("a", "session"), ("n", "no")])
def test_an_armed_prompt_takes_its_answers(key: str, answer: ApprovalDecision) -> None:
    async def script(here: OnScreen) -> None:
        await asked(here)
        await here.armed()
        here.type(key)
        await here.hides("y  once")
        assert here.posted == [SubmitDecision(id=FIRST, decision=answer)]

    play(script)


def test_keys_before_it_is_armed_go_into_the_draft() -> None:
    async def script(here: OnScreen) -> None:
        await asked(here)
        here.type("yan")
        await here.shows("> yan")
        await here.shows("Ctrl-Y to answer: a draft is being typed")
        assert here.posted == []

    play(script)


def test_a_prompt_that_the_terminal_has_not_acknowledged_never_arms() -> None:
    async def script(here: OnScreen) -> None:
        await asked(here)
        here.type(CTRL_Y + "y")
        await here.shows("> y")
        here.type("\x7f")
        await here.hides("> y")
        here.emulator.answer()
        await here.armed()
        assert here.posted == []
        here.type("y")
        await here.hides("y  once")

    play(script, answers=False)


def test_over_a_draft_only_ctrl_y_arms() -> None:
    async def script(here: OnScreen) -> None:
        here.report(reports.session())
        here.type("half a thought")
        await here.shows("> half a thought")
        here.report(reports.asked())
        await here.shows("Ctrl-Y to answer")
        here.type("y")
        await here.shows("half a thoughty")
        here.type(CTRL_Y)
        await here.armed()
        await here.press("y")
        await here.hides("y  once")
        assert here.posted == [SubmitDecision(id=FIRST, decision="once")]
        assert "> half a thoughty" in here.text

    play(script)


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
    async def script(here: OnScreen) -> None:
        await asked(here)
        await here.armed()
        here.type(paste)
        await here.until(lambda: not here.desk.dialog.may_refuse, "the paste")
        assert [message for message in here.posted if isinstance(message, SubmitDecision)] == []

    play(script)


def test_nothing_is_allowed_before_its_end_was_on_the_screen() -> None:
    async def script(here: OnScreen) -> None:
        await asked(here, "echo " + "x" * 10_000 + "\nrm -rf /")
        await here.armed()
        await here.press("y")
        await here.shows("PgDn: read to the end before you allow it")
        here.type(" " * 30)
        await here.shows("│ rm -rf /")
        here.type(" y")
        await here.shows("> y")
        assert here.posted == []
        here.type("\x7f")
        await here.until(lambda: here.desk.dialog.may_allow, "the end to be acknowledged")
        here.type("y")
        await here.hides("y  once")
        assert here.posted == [SubmitDecision(id=FIRST, decision="once")]

    play(script)


def test_nothing_is_allowed_while_the_end_is_drawn_but_not_acknowledged() -> None:
    async def script(here: OnScreen) -> None:
        await asked(here, "echo " + "x" * 3_000 + "\nrm -rf /")
        here.emulator.answer()
        await here.armed()
        here.type(PAGE_DOWN * 10)
        await here.shows("│ rm -rf /")
        await here.press("y")
        await here.press("n")
        await here.hides("y  once")
        assert here.posted == [SubmitDecision(id=FIRST, decision="no")]

    play(script, answers=False)


def test_what_is_long_may_be_refused_at_once() -> None:
    async def script(here: OnScreen) -> None:
        await asked(here, "x" * 10_000)
        await here.armed()
        here.type("n")
        await here.hides("y  once")
        assert here.posted == [SubmitDecision(id=FIRST, decision="no")]

    play(script)


def test_tab_says_no_with_a_reason() -> None:
    async def script(here: OnScreen) -> None:
        await asked(here)
        await here.armed()
        here.type(TAB)
        await here.shows("no, because:")
        await here.shows("Enter sends the no with this reason")
        here.type("use a branch, yes?\r")
        await here.hides("y  once")
        assert here.posted == [
            SubmitDecision(id=FIRST, decision="no", feedback="use a branch, yes?")
        ]

    play(script)


@pytest.mark.parametrize("key", [ESC, CTRL_C])
def test_esc_leaves_it_for_later_and_ctrl_y_brings_it_back(key: str) -> None:
    async def script(here: OnScreen) -> None:
        await asked(here)
        await here.armed()
        here.type(key)
        await here.hides("y  once")
        assert here.posted == []
        await here.shows("⚠ 1 needs approval (Ctrl-Y)")
        here.type(CTRL_Y)
        await here.shows("y  once")
        await here.armed()
        here.type("y")
        await here.hides("needs approval")
        assert here.posted == [SubmitDecision(id=FIRST, decision="once")]

    play(script)


def test_one_ctrl_y_brings_a_request_back_and_answers_over_the_draft() -> None:
    async def script(here: OnScreen) -> None:
        await asked(here)
        here.type(ESC)
        await here.hides("y  once")
        here.type("half a thought")
        await here.shows("> half a thought")
        await here.press(CTRL_Y)
        await here.armed()
        await here.press("y")
        await here.hides("y  once")
        assert here.posted == [SubmitDecision(id=FIRST, decision="once")]
        assert "> half a thought" in here.text

    play(script)


def test_requests_come_first_in_first_out_and_each_arms_anew() -> None:
    async def script(here: OnScreen) -> None:
        here.report(reports.session(), reports.asked("git push"))
        here.report(reports.asked("git tag v1", number=2))
        await here.shows("1 of 2")
        await here.armed()
        here.type("y")
        await here.shows("│ git tag v1")
        here.type("y")
        await here.shows("> y")
        assert here.posted == [SubmitDecision(id=FIRST, decision="once")]
        here.type(CTRL_U)
        await here.armed()
        here.type("n")
        await here.hides("y  once")
        assert here.posted == [
            SubmitDecision(id=FIRST, decision="once"),
            SubmitDecision(id=SECOND, decision="no"),
        ]

    play(script)


def test_a_request_withdrawn_while_shown_says_so_and_its_reason_becomes_a_draft() -> None:
    async def script(here: OnScreen) -> None:
        await asked(here)
        await here.armed()
        here.type(TAB + "because")
        await here.shows("no, because: because")
        here.report(DismissApproval(id=FIRST, why="withdrawn"))
        await here.shows("was withdrawn")
        assert "y  once" not in here.text
        assert "> because" in here.text
        assert here.posted == []

    play(script)


def test_an_answer_that_the_request_does_not_allow_does_nothing() -> None:
    async def script(here: OnScreen) -> None:
        here.report(reports.session(), reports.asked(answers=("once", "no")))
        await here.shows("y  once")
        assert "a  don't ask again" not in here.text
        await here.armed()
        await here.press("a")
        await here.press("n")
        await here.hides("y  once")
        assert here.posted == [SubmitDecision(id=FIRST, decision="no")]

    play(script)


def test_a_window_that_is_too_low_takes_only_no_and_later() -> None:
    async def script(here: OnScreen) -> None:
        here.report(reports.session(), reports.asked("one\ntwo\nthree\nfour"))
        await here.shows("enlarge the window to answer")
        await here.armed()
        await here.press("y")
        await here.press("a")
        await here.press("n")
        await here.hides("enlarge the window")
        assert here.posted == [SubmitDecision(id=FIRST, decision="no")]

    play(script, rows=9)


def test_what_was_seen_whole_cannot_be_allowed_in_a_window_that_no_longer_shows_it() -> None:
    async def script(here: OnScreen) -> None:
        await asked(here, "one\ntwo\nthree\nfour")
        await here.armed()
        assert here.desk.dialog.may_allow
        here.emulator.screen.resize(9, 80)
        await here.resize(80)
        await here.shows("enlarge the window")
        await here.press("y")
        await here.press("n")
        await here.hides("enlarge the window")
        assert here.posted == [SubmitDecision(id=FIRST, decision="no")]

    play(script)


def test_twenty_columns_and_five_rows_still_say_what_can_be_done() -> None:
    async def script(here: OnScreen) -> None:
        here.report(reports.session(), reports.asked("one\ntwo\nthree\nfour"))
        await here.shows("enlarge the window")
        assert here.rows[-5:-1] == ["enlarge the window", "to answer · n no ·", "Esc later", ">"]
        await here.armed()
        await here.press("y")
        await here.press("n")
        await here.hides("enlarge the window")
        assert here.posted == [SubmitDecision(id=FIRST, decision="no")]

    play(script, rows=5, columns=20)


def test_a_diff_is_coloured_and_bound_to_its_path() -> None:
    async def script(here: OnScreen) -> None:
        diff = "--- a/app.py\n+++ b/app.py\n@@ -1 +1 @@\n-old\n+new\n"
        here.report(reports.session(), reports.asked_to_change(diff))
        await here.shows("change /home/x/project/app.py")
        old, new = here.rows.index("│ -old"), here.rows.index("│ +new")
        buffer = here.emulator.screen.buffer
        assert (buffer[old][2].fg, buffer[new][2].fg) == ("red", "green")
        assert here.rows[new + 1] == "y  once"

    play(script)


def test_a_command_cannot_imitate_our_own_rows() -> None:
    async def script(here: OnScreen) -> None:
        await asked(here, "true\ny  once\n" + "z" * 90)
        assert here.rows.count("y  once") == 1
        assert "│ y  once" in here.rows
        assert "┆ " + "z" * 12 in here.rows

    play(script)


def test_however_many_requests_wait_the_second_esc_interrupts_the_turn() -> None:
    async def script(here: OnScreen) -> None:
        here.report(reports.session(), TurnStarted(turn=1, prompt="hello"))
        here.report(*(reports.asked(f"command {n}", number=n) for n in range(1, 201)))
        await here.shows("1 of 200")
        here.type(ESC)
        await here.shows("⚠ 200 need approval (Ctrl-Y)")
        await here.press(ESC)
        await here.shows("Interrupting")
        assert here.posted == [InterruptTurn()]

    play(script)


@pytest.mark.parametrize("seed", range(5))
def test_no_key_sent_before_a_prompt_is_seen_answers_it(seed: int) -> None:
    async def script(here: OnScreen) -> None:
        chance = random.Random(seed)  # noqa: S311  (a replayable sequence, no secret)
        here.report(reports.session())
        await here.shows("primary")
        for number in range(1, 21):
            here.type("".join(chance.choices("yan" + CTRL_Y, k=3)))
            here.report(reports.asked(f"command {number}", number=number))
            here.type("".join(chance.choices("yan", k=2)))
        await here.until(lambda: len(here.desk.state.requests.parked) == 20, "all requests")
        assert here.posted == []

    play(script)
