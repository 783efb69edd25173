"""The timers of the approval prompt, on a real loop."""

import asyncio

import pytest

from shell.repl.dialog import Dialog
from shell.view.arming import Shown
from shell.view.events import received
from shell.view.state import State
from tests.shell import reports

pytestmark = pytest.mark.quick

STATE = received(State(), reports.asked(), 0.0)[0]
SHOWN = Shown(STATE.requests.prompt_id, whole=True, end=True)


def after_the_quiet_time(*, draft: bool) -> Dialog:
    """Show a request, acknowledge it, and let the time pass in which nobody types."""

    async def pass_time() -> Dialog:
        loop = asyncio.get_running_loop()
        changes = asyncio.Queue[None]()
        dialog = Dialog(lambda: changes.put_nowait(None), lambda: draft, lambda: None)
        dialog.follow(STATE, loop.time())
        assert dialog.drawn(SHOWN)
        dialog.acknowledged(loop)
        await changes.get()  # the acknowledgement
        assert not dialog.may_refuse
        await changes.get()  # the end of the quiet time
        return dialog

    return asyncio.run(pass_time())


def test_it_arms_when_the_quiet_time_is_over() -> None:
    assert after_the_quiet_time(draft=False).may_allow


def test_a_pause_in_typing_does_not_arm_over_the_draft() -> None:
    dialog = after_the_quiet_time(draft=True)
    assert not dialog.may_refuse
    dialog.summoned()
    assert dialog.may_allow
    dialog.drafted()
    assert not dialog.may_refuse


def test_what_was_armed_before_a_stop_arms_anew_after_it() -> None:
    dialog = after_the_quiet_time(draft=False)
    dialog.forget(100.0)
    assert not dialog.may_refuse
    assert dialog.drawn(SHOWN), "the terminal is asked again"
