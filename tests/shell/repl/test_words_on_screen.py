"""What the person writes while something is asked: it is kept, and seen to be kept."""

import pytest

from messages.approvals import SubmitDecision
from messages.questions import UserQuestion
from tests.shell import reports
from tests.shell.on_screen import OnScreen, play

ESC, TAB, NEW_LINE, CTRL_Y = "\x1b", "\t", "\n", "\x19"
FIRST = "/primary/explore-2#1@1"
DRAFT = NEW_LINE.join(("one", "two", "three"))
LONG = "\n".join(f"line {number}" for number in range(30))


async def asked_over(here: OnScreen, draft: str, command: str = "git push") -> None:
    here.report(reports.session())
    here.type(draft)
    await here.shows(draft.rpartition(NEW_LINE)[2])
    here.report(reports.asked(command))
    await here.shows("y  once")


def test_a_draft_of_several_lines_is_seen_whole_below_a_request_where_there_is_room() -> None:
    async def script(here: OnScreen) -> None:
        await asked_over(here, DRAFT)
        await here.shows("> one\ntwo\nthree")
        assert "your draft" not in here.text

    play(script)


def test_where_a_request_leaves_no_room_its_last_row_says_what_draft_is_kept() -> None:
    async def script(here: OnScreen) -> None:
        await asked_over(here, DRAFT, LONG)
        await here.shows("· your draft of 3 lines: one")
        assert "│ line 0" in here.text
        here.type("!")
        await here.shows("three!")

    play(script, columns=120)


def test_a_draft_hides_no_row_of_a_request() -> None:
    async def script(here: OnScreen) -> None:
        await asked_over(here, NEW_LINE.join(DRAFT[0] * 20), "\n".join(LONG.split("\n")[:9]))
        await here.shows("│ line 8")
        assert "n  no" in here.text
        here.type(CTRL_Y)
        await here.armed()
        await here.press("y")
        await here.hides("y  once")
        assert here.posted == [SubmitDecision(id=FIRST, decision="once")]

    play(script)


def test_while_a_reason_is_written_the_draft_is_told_of() -> None:
    async def script(here: OnScreen) -> None:
        await asked_over(here, DRAFT)
        here.type(CTRL_Y)
        await here.armed()
        await here.press(TAB)
        await here.shows("Esc goes back · your draft of 3 lines: one")
        await here.press(ESC)
        await here.hides("your draft")

    play(script, columns=120)


def test_a_reason_that_was_left_is_there_again_for_who_comes_back_to_it() -> None:
    async def script(here: OnScreen) -> None:
        here.report(reports.session(), reports.asked(), reports.asked("rm x", number=2))
        await here.armed()
        await here.press(TAB)
        here.type("use a branch")
        await here.shows("no, because: use a branch")
        await here.press(ESC)
        await here.hides("no, because")
        await here.armed()
        await here.press(TAB)
        await here.shows("no, because: use a branch")
        here.type(", please\r")
        await here.shows("│ rm x")
        no = SubmitDecision(id=FIRST, decision="no", feedback="use a branch, please")
        assert here.posted == [no]
        await here.armed()
        await here.press(TAB)
        await here.shows("no, because:")
        assert not here.desk.view.side.text, "that was for another request"

    play(script)


def test_words_begun_for_one_question_are_not_there_for_the_next() -> None:
    async def script(here: OnScreen) -> None:
        questions = (UserQuestion(question="Which?"), UserQuestion(question="Why?"))
        here.report(reports.session(), reports.asked_questions(*questions))
        await here.shows("Which?")
        await here.armed()
        await here.press(TAB)
        here.type("this one")
        await here.shows("reply: this one")
        await here.press(ESC)
        await here.hides("reply: ")
        await here.armed()
        await here.press(TAB)
        await here.shows("reply: this one")
        await here.press("\r")
        await here.shows("Why?")
        await here.armed()
        await here.press(TAB)
        await here.shows("reply:")
        assert "this one" not in here.text

    play(script)


@pytest.mark.parametrize("keys", [ESC, "\x03"])
def test_a_reason_left_for_later_comes_back_with_its_request(keys: str) -> None:
    async def script(here: OnScreen) -> None:
        here.report(reports.session(), reports.asked())
        await here.armed()
        await here.press(TAB)
        here.type("not now")
        await here.shows("no, because: not now")
        await here.press(keys)
        await here.hides("no, because")
        await here.armed()
        await here.press(ESC)
        await here.hides("y  once")
        await here.press(CTRL_Y)
        await here.shows("press a key to answer")
        await here.press(TAB)
        await here.shows("no, because: not now")

    play(script)
