"""The timers of the approval prompt, on a real loop."""

import asyncio

import pytest

from shell.repl.approval_prompt import ApprovalPrompt
from shell.view.arming import DrawnRequest
from shell.view.event_reducer import apply_event
from shell.view.screen_state import ScreenState
from tests.shell import sample_events

pytestmark = pytest.mark.quick

STATE = apply_event(ScreenState(), sample_events.exec_approval(), 0.0)[0]
SHOWN = DrawnRequest(STATE.approvals.prompt_id, is_complete=True, shows_end=True)


def show_and_wait_quiet_period(*, has_draft: bool) -> ApprovalPrompt:
    """Show a request, acknowledge it, and let the time pass in which nobody types."""

    async def pass_time() -> ApprovalPrompt:
        loop = asyncio.get_running_loop()
        changes = asyncio.Queue[None]()
        dialog = ApprovalPrompt(lambda: changes.put_nowait(None), lambda: has_draft, lambda: None)
        dialog.update(STATE, loop.time())
        assert dialog.record_frame(SHOWN)
        dialog.on_acknowledged(loop)
        await changes.get()  # the acknowledgement
        assert not dialog.can_reject
        await changes.get()  # the end of the quiet time
        return dialog

    return asyncio.run(pass_time())


def test_it_arms_when_the_quiet_time_is_over() -> None:
    assert show_and_wait_quiet_period(has_draft=False).can_allow


def test_a_pause_in_typing_does_not_arm_over_the_draft() -> None:
    dialog = show_and_wait_quiet_period(has_draft=True)
    assert not dialog.can_reject
    dialog.focus()
    assert dialog.can_allow
    dialog.on_draft_edit()
    assert not dialog.can_reject


def test_what_was_armed_before_a_stop_arms_anew_after_it() -> None:
    dialog = show_and_wait_quiet_period(has_draft=False)
    dialog.reset(100.0)
    assert not dialog.can_reject
    assert dialog.record_frame(SHOWN), "the terminal is asked again"
