"""How an approval prompt is answered: keys, the cursor, and keys that come too early."""

import pytest

from messages.approvals import ApprovalDecision, ShowApproval, SubmitDecision
from messages.permissions import ChangeMode
from messages.policy import PermissionMode
from messages.tool_calls import AgentSwitchProposal
from messages.user_questions import Choice, UserQuestion
from tests.shell import sample_events
from tests.shell.screen_harness import ScreenHarness, run_on_screen

UP, DOWN, ENTER = "\x1b[A", "\x1b[B", "\r"
COMMAND_ID, EDIT_ID = "/primary/explore-2#1@1", "/primary#9@1"
ACCEPT_EDITS = "e  Yes, and accept edits from now on"
DIFF = "--- a/app.py\n+++ b/app.py\n@@ -1 +1 @@\n-old\n+new\n"


async def show(screen: ScreenHarness, approval: ShowApproval, **session: object) -> None:
    screen.put_events(sample_events.session_configured(**session), approval)
    await screen.wait_for_text("y  Yes, once")


def edit_approval(*decisions: ApprovalDecision) -> ShowApproval:
    approval = sample_events.patch_approval(DIFF)
    changes = {"available_decisions": decisions, "reason": "it writes to app.py"}
    return approval.model_copy(update={"request": approval.request.model_copy(update=changes)})


@pytest.mark.parametrize(
    ("keys", "decision"),
    [
        ((ENTER,), "once"),
        ((DOWN, ENTER), "session"),
        ((DOWN, DOWN, ENTER), "no"),
        ((UP, ENTER), "no"),
        ((DOWN, UP, ENTER), "once"),
    ],
)
def test_arrows_and_enter_answer_an_armed_prompt(
    keys: tuple[str, ...], decision: ApprovalDecision
) -> None:
    async def script(screen: ScreenHarness) -> None:
        await show(screen, sample_events.exec_approval())
        await screen.wait_until_armed()
        for key in keys:
            await screen.press_key(key)
        await screen.wait_for_no_text("y  Yes, once")
        assert screen.posted == [SubmitDecision(id=COMMAND_ID, decision=decision)]

    run_on_screen(script)


def test_enter_never_answers_before_the_prompt_arms() -> None:
    async def script(screen: ScreenHarness) -> None:
        await show(screen, sample_events.exec_approval())
        await screen.press_key(ENTER)
        screen.emulator.send_acknowledgment()
        await screen.wait_until_armed()
        screen.type(DOWN + ENTER)  # a burst
        await screen.wait_for_text("❯ a  Yes")  # noqa: RUF001  (as the user sees it)
        assert screen.posted == []

    run_on_screen(script, acknowledges=False)


@pytest.mark.parametrize("key", ["y", "a", "n"])
def test_an_early_answer_key_is_dropped_and_starts_no_draft(key: str) -> None:
    async def script(screen: ScreenHarness) -> None:
        await show(screen, sample_events.exec_approval())
        await screen.press_key(key)
        await screen.wait_for_text("One moment")
        assert screen.parts.draft_input.text == ""
        screen.emulator.send_acknowledgment()
        await screen.wait_until_armed()
        assert screen.posted == []
        await screen.press_key("y")
        await screen.wait_for_no_text("y  Yes, once")
        assert screen.posted == [SubmitDecision(id=COMMAND_ID, decision="once")]

    run_on_screen(script, acknowledges=False)


def test_other_early_keys_and_open_drafts_are_kept() -> None:
    async def script(screen: ScreenHarness) -> None:
        await show(screen, sample_events.exec_approval())
        for key in "wy":
            await screen.press_key(key)
        await screen.wait_for_text("> wy")
        assert screen.posted == []

    run_on_screen(script, acknowledges=False)


def test_accepting_edits_decides_once_and_changes_the_mode() -> None:
    async def script(screen: ScreenHarness) -> None:
        await show(screen, edit_approval("once", "session", "no"))
        assert ACCEPT_EDITS in screen.text
        await screen.wait_until_armed()
        await screen.press_key("e")
        await screen.wait_for_no_text("y  Yes, once")
        assert screen.posted == [
            SubmitDecision(id=EDIT_ID, decision="once"),
            ChangeMode(mode="auto-edit"),
        ]

    run_on_screen(script)


@pytest.mark.parametrize(
    ("mode", "max_mode", "decisions"),
    [
        ("default", "default", ("once", "session", "no")),
        ("default", "plan", ("once", "session", "no")),
        ("auto-edit", "yolo", ("once", "session", "no")),
        ("default", "yolo", ("once", "no")),
    ],
)
def test_accepting_edits_is_offered_only_where_it_helps(
    mode: PermissionMode, max_mode: PermissionMode, decisions: tuple[ApprovalDecision, ...]
) -> None:
    async def script(screen: ScreenHarness) -> None:
        await show(screen, edit_approval(*decisions), mode=mode, max_mode=max_mode)
        assert ACCEPT_EDITS not in screen.text
        await screen.wait_until_armed()
        await screen.press_key("e")
        assert screen.posted == []

    run_on_screen(script)


def test_a_reason_that_says_nothing_is_omitted() -> None:
    async def script(screen: ScreenHarness) -> None:
        approval = sample_events.exec_approval()
        changes = {"reason": "it is not allowed by any rule"}
        request = approval.request.model_copy(update=changes)
        await show(screen, approval.model_copy(update={"request": request}))
        assert "asks because" not in screen.text
        assert "1 of 1" not in screen.text

    run_on_screen(script)


def test_a_plan_is_shown_as_rendered_markdown() -> None:
    async def script(screen: ScreenHarness) -> None:
        question = UserQuestion(
            text="The plan:\n\n# Steps\n\n- **first** `x`\n", choices=(Choice(label="Yes"),)
        )
        approval = sample_events.question_approval(question)
        proposal = AgentSwitchProposal(agent="", confirming_reply="Yes", plan_exists=True)
        request = approval.request.model_copy(update={"switch_proposal": proposal})
        screen.put_events(
            sample_events.session_configured(), approval.model_copy(update={"request": request})
        )
        await screen.wait_for_text("│ Steps")
        assert "•" in screen.text
        assert "**" not in screen.text

    run_on_screen(script)
