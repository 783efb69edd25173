"""Modes as a person changes them: what each key and command tells whom, without a screen."""

from typing import get_args

import pytest

from messages.base import Message
from messages.permissions import ChangeMode, ChangeModeFailed, ModeChanged
from messages.policy import PermissionMode, SessionMode
from messages.turns import AgentSwitched, SwitchAgent, SwitchAgentFailed
from shell.view import mode_changes
from shell.view.screen_state import PendingMode, PrintNotice, ScreenState, ScreenUpdate, SendCommand
from tests.shell import sample_events

pytestmark = pytest.mark.quick

TO_PLAN = SwitchAgent(agent="plan")
BACK = SwitchAgent()


class SimulatedModeSession:
    """A screen's state whose wishes are carried out one by one, in their order."""

    def __init__(self, mode: PermissionMode = "default") -> None:
        self.state = ScreenState(session=sample_events.session_configured(agent="build", mode=mode))
        self.told: list[Message] = []
        self.waiting: list[Message] = []

    @property
    def mode(self) -> PermissionMode:
        assert self.state.session is not None
        return mode_changes.get_effective_mode(self.state.session)

    def take(self, step: ScreenUpdate) -> list[Message]:
        """Do what the person wants; what was told for it."""
        self.state, effects = step
        told = [each.command for each in effects if isinstance(each, SendCommand)]
        self.told += told
        self.waiting += told
        return told

    def press(self) -> PermissionMode:
        """Press Shift-Tab and let all of it come to pass."""
        self.take(mode_changes.cycle_mode(self.state))
        self.settle()
        return self.mode

    def settle(self) -> None:
        while self.waiting:
            self.answer()

    def answer(self) -> None:
        """Carry out what was wanted first."""
        wanted = self.waiting.pop(0)
        if isinstance(wanted, ChangeMode):
            event: ModeChanged | AgentSwitched = ModeChanged(mode=wanted.mode, policy_version=2)
        else:
            plans = wanted == TO_PLAN
            event = AgentSwitched(
                id="s",
                agent="plan" if plans else "build",
                previous_agent="build",
                text="[switched]",
                max_mode="plan" if plans else "yolo",
            )
        self.state, _ = mode_changes.apply_mode_event(self.state, event)


def test_shift_tab_goes_round_by_default_auto_edit_and_plan() -> None:
    session = SimulatedModeSession()
    assert [session.press() for _ in range(6)] == ["auto-edit", "plan", "default"] * 2


def test_a_chosen_auto_edit_is_what_plan_leads_back_to() -> None:
    session = SimulatedModeSession("auto-edit")
    assert [session.press() for _ in range(3)] == ["plan", "auto-edit", "plan"]


@pytest.mark.parametrize("begun", get_args(SessionMode))
def test_shift_tab_never_leads_to_yolo(begun: SessionMode) -> None:
    """Also not back to it from plan, whatever waits for its answer meanwhile."""
    for answered in range(2**6):
        session = SimulatedModeSession(begun)
        for press in range(6):
            session.take(mode_changes.cycle_mode(session.state))
            if answered >> press & 1:
                session.settle()
        assert ChangeMode(mode="yolo") not in session.told
        session.settle()
        left = [each for each in session.told if isinstance(each, ChangeMode)]
        assert session.mode != "yolo" or not left


def test_yolo_and_then_plan_comes_back_by_build_alone() -> None:
    session = SimulatedModeSession("yolo")
    session.take(mode_changes.choose_mode(session.state, "plan"))
    session.settle()
    assert session.press() == "default"
    session = SimulatedModeSession("yolo")
    session.take(mode_changes.choose_mode(session.state, "plan"))
    session.settle()
    session.take((session.state, (SendCommand(BACK),)))  # what `/build` does
    session.settle()
    assert session.mode == "yolo"


def test_presses_that_come_before_any_answer_count_all_the_same() -> None:
    session = SimulatedModeSession()
    for _ in range(2):
        session.take(mode_changes.cycle_mode(session.state))
    assert session.told == [ChangeMode(mode="auto-edit"), ChangeMode(mode="default"), TO_PLAN]
    session.settle()
    assert session.mode == "plan"


def test_a_mode_that_is_set_while_planning_ends_the_planning_after_it_is_tighter() -> None:
    session = SimulatedModeSession("yolo")
    session.take(mode_changes.choose_mode(session.state, "plan"))
    session.settle()
    assert session.take(mode_changes.choose_mode(session.state, "default")) == [
        ChangeMode(mode="default"),
        BACK,
    ]


def test_the_footer_goes_on_with_what_holds_when_a_change_is_not_kept() -> None:
    session = SimulatedModeSession()
    session.take(mode_changes.choose_mode(session.state, "yolo"))
    refused = ChangeModeFailed(mode="yolo", detail="disk full")
    session.state, effects = mode_changes.apply_mode_event(session.state, refused)
    told = "Mode yolo could not be saved, so it does not apply: disk full."
    assert effects == (PrintNotice(told, "warn"),)
    assert session.mode == "default"

    session = SimulatedModeSession("yolo")
    refused = ChangeModeFailed(mode="default", detail="disk full", in_effect=True)
    session.state, effects = mode_changes.apply_mode_event(session.state, refused)
    told = "Mode default applies, but only to this run; it could not be saved: disk full."
    assert effects == (PrintNotice(told, "warn"),)
    assert session.mode == "default"


@pytest.mark.parametrize("mode", ["default", "auto-edit", "yolo"])
def test_a_mode_that_was_named_is_told_with_what_it_means_once_it_is_so(
    mode: SessionMode,
) -> None:
    session = SimulatedModeSession()
    session.take(mode_changes.choose_mode_by_name(session.state, mode))
    _, effects = mode_changes.apply_mode_event(
        session.state, ModeChanged(mode=mode, policy_version=2)
    )
    assert effects == (PrintNotice(mode_changes.describe_mode(mode)),)


def test_a_mode_that_shift_tab_comes_to_is_told_by_the_footer_alone() -> None:
    session = SimulatedModeSession()
    session.take(mode_changes.choose_mode_by_name(session.state, "yolo"))
    session.settle()
    session.take(mode_changes.cycle_mode(session.state))
    _, effects = mode_changes.apply_mode_event(
        session.state, ModeChanged(mode="default", policy_version=3)
    )
    assert effects == ()


def test_an_agent_that_works_in_a_stricter_mode_says_so_and_keys_go_on_from_what_is_set() -> None:
    session = SimulatedModeSession()
    begun = sample_events.session_configured(agent="careful", mode="default", max_mode="default")
    session.state = ScreenState(session=begun)
    session.take(mode_changes.choose_mode(session.state, "yolo"))
    changed = ModeChanged(mode="yolo", policy_version=2)
    session.state, effects = mode_changes.apply_mode_event(session.state, changed)
    why = "careful works in mode default at the loosest, by its definition"
    assert effects == (PrintNotice(f"Mode yolo is set, but {why}.", "warn"),)
    assert session.mode == "default"
    assert session.state.pending_mode == PendingMode()


def test_a_switch_that_is_none_says_who_goes_on() -> None:
    session = SimulatedModeSession()
    event = SwitchAgentFailed(agent="build", detail="build has the session already")
    session.state, effects = mode_changes.apply_mode_event(session.state, event)
    assert effects == (PrintNotice("build is still active: build has the session already.", "warn"),)
