"""The timers of the approval prompt, on a real loop."""

import asyncio

import pytest

from shell.repl.prompt_arming import PromptArming
from shell.view.arming import DrawnRequest
from shell.view.event_reducer import apply_event
from shell.view.screen_state import ScreenState
from tests.shell import sample_events

pytestmark = pytest.mark.quick

STATE = apply_event(ScreenState(), sample_events.exec_approval(), 0.0)[0]
DRAWN = DrawnRequest(STATE.approvals.prompt_id, is_complete=True, shows_end=True)


def show_and_wait_quiet_period(*, has_draft: bool) -> PromptArming:
    """Show a request, acknowledge it, and wait for the end of the quiet period."""

    async def pass_time() -> PromptArming:
        loop = asyncio.get_running_loop()
        changes = asyncio.Queue[None]()
        prompt = PromptArming(lambda: changes.put_nowait(None), lambda: has_draft, lambda: None)
        prompt.update(STATE, loop.time())
        assert prompt.record_frame(DRAWN)
        prompt.on_acknowledged(loop)
        await changes.get()  # the acknowledgment
        assert not prompt.can_reject
        await changes.get()  # the end of the quiet period
        return prompt

    return asyncio.run(pass_time())


def test_the_prompt_arms_after_the_quiet_period() -> None:
    assert show_and_wait_quiet_period(has_draft=False).can_allow


def test_pausing_while_typing_does_not_arm_over_drafts() -> None:
    prompt = show_and_wait_quiet_period(has_draft=True)
    assert not prompt.can_reject
    prompt.focus()
    assert prompt.can_allow
    prompt.on_draft_edit()
    assert not prompt.can_reject


def test_a_reset_prompt_must_be_armed_again() -> None:
    prompt = show_and_wait_quiet_period(has_draft=False)
    prompt.reset(100.0)
    assert not prompt.can_reject
    assert prompt.record_frame(DRAWN), "a new acknowledgment is needed"
