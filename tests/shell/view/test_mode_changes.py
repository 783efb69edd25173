"""Mode changes by the user: what each key and command sends, without a screen."""

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
    """A screen state whose commands are carried out one by one, in order."""

    def __init__(self, mode: PermissionMode = "default") -> None:
        self.state = ScreenState(session=sample_events.session_configured(agent="build", mode=mode))
        self.sent: list[Message] = []
        self.pending: list[Message] = []

    @property
    def mode(self) -> PermissionMode:
        assert self.state.session is not None
        return mode_changes.get_effective_mode(self.state.session)

    def apply(self, update: ScreenUpdate) -> list[Message]:
        """Apply an update; return the commands that it sends."""
        self.state, effects = update
        commands = [effect.command for effect in effects if isinstance(effect, SendCommand)]
        self.sent += commands
        self.pending += commands
        return commands

    def press(self) -> PermissionMode:
        """Press Shift-Tab and carry out all commands."""
        self.apply(mode_changes.cycle_mode(self.state))
        self.run_all()
        return self.mode

    def run_all(self) -> None:
        while self.pending:
            self.run_next()

    def run_next(self) -> None:
        """Carry out the oldest pending command."""
        command = self.pending.pop(0)
        if isinstance(command, ChangeMode):
            event: ModeChanged | AgentSwitched = ModeChanged(mode=command.mode, policy_version=2)
        else:
            plans = command == TO_PLAN
            event = AgentSwitched(
                id="s",
                agent="plan" if plans else "build",
                previous_agent="build",
                text="[switched]",
                max_mode="plan" if plans else "yolo",
            )
        self.state, _ = mode_changes.apply_mode_event(self.state, event)


def test_shift_tab_cycles_through_default_auto_edit_and_plan() -> None:
    session = SimulatedModeSession()
    assert [session.press() for _ in range(6)] == ["auto-edit", "plan", "default"] * 2


def test_leaving_plan_returns_to_a_chosen_auto_edit() -> None:
    session = SimulatedModeSession("auto-edit")
    assert [session.press() for _ in range(3)] == ["plan", "auto-edit", "plan"]


@pytest.mark.parametrize("initial", get_args(SessionMode))
def test_shift_tab_never_leads_to_yolo(initial: SessionMode) -> None:
    """It also never returns from plan to yolo, whichever answers are outstanding."""
    for answered_presses in range(2**6):
        session = SimulatedModeSession(initial)
        for press in range(6):
            session.apply(mode_changes.cycle_mode(session.state))
            if answered_presses >> press & 1:
                session.run_all()
        assert ChangeMode(mode="yolo") not in session.sent
        session.run_all()
        changes = [command for command in session.sent if isinstance(command, ChangeMode)]
        assert session.mode != "yolo" or not changes


def test_only_build_returns_from_plan_to_yolo() -> None:
    session = SimulatedModeSession("yolo")
    session.apply(mode_changes.choose_mode(session.state, "plan"))
    session.run_all()
    assert session.press() == "default"
    session = SimulatedModeSession("yolo")
    session.apply(mode_changes.choose_mode(session.state, "plan"))
    session.run_all()
    session.apply((session.state, (SendCommand(BACK),)))  # what `/build` does
    session.run_all()
    assert session.mode == "yolo"


def test_key_presses_before_any_answer_still_count() -> None:
    session = SimulatedModeSession()
    for _ in range(2):
        session.apply(mode_changes.cycle_mode(session.state))
    assert session.sent == [ChangeMode(mode="auto-edit"), ChangeMode(mode="default"), TO_PLAN]
    session.run_all()
    assert session.mode == "plan"


def test_setting_a_mode_in_plan_tightens_before_leaving() -> None:
    session = SimulatedModeSession("yolo")
    session.apply(mode_changes.choose_mode(session.state, "plan"))
    session.run_all()
    assert session.apply(mode_changes.choose_mode(session.state, "default")) == [
        ChangeMode(mode="default"),
        BACK,
    ]


def test_the_footer_keeps_the_effective_mode_after_a_failure() -> None:
    session = SimulatedModeSession()
    session.apply(mode_changes.choose_mode(session.state, "yolo"))
    failure = ChangeModeFailed(mode="yolo", detail="disk full")
    session.state, effects = mode_changes.apply_mode_event(session.state, failure)
    notice = "Mode yolo could not be saved, so it does not apply: disk full."
    assert effects == (PrintNotice(notice, "warn"),)
    assert session.mode == "default"

    session = SimulatedModeSession("yolo")
    failure = ChangeModeFailed(mode="default", detail="disk full", in_effect=True)
    session.state, effects = mode_changes.apply_mode_event(session.state, failure)
    notice = "Mode default applies, but only to this run; it could not be saved: disk full."
    assert effects == (PrintNotice(notice, "warn"),)
    assert session.mode == "default"


@pytest.mark.parametrize("mode", ["default", "auto-edit", "yolo"])
def test_a_named_mode_is_explained_once_it_applies(
    mode: SessionMode,
) -> None:
    session = SimulatedModeSession()
    session.apply(mode_changes.choose_mode_by_name(session.state, mode))
    _, effects = mode_changes.apply_mode_event(
        session.state, ModeChanged(mode=mode, policy_version=2)
    )
    assert effects == (PrintNotice(mode_changes.describe_mode(mode)),)


def test_shift_tab_shows_the_mode_only_in_the_footer() -> None:
    session = SimulatedModeSession()
    session.apply(mode_changes.choose_mode_by_name(session.state, "yolo"))
    session.run_all()
    session.apply(mode_changes.cycle_mode(session.state))
    _, effects = mode_changes.apply_mode_event(
        session.state, ModeChanged(mode="default", policy_version=3)
    )
    assert effects == ()


def test_a_stricter_max_mode_of_the_agent_is_announced() -> None:
    session = SimulatedModeSession()
    configured = sample_events.session_configured(
        agent="careful", mode="default", max_mode="default"
    )
    session.state = ScreenState(session=configured)
    session.apply(mode_changes.choose_mode(session.state, "yolo"))
    changed = ModeChanged(mode="yolo", policy_version=2)
    session.state, effects = mode_changes.apply_mode_event(session.state, changed)
    reason = "the definition of careful limits it to mode default"
    assert effects == (PrintNotice(f"Mode yolo is set, but {reason}.", "warn"),)
    assert session.mode == "default"
    assert session.state.pending_mode == PendingMode()


def test_a_failed_switch_names_the_active_agent() -> None:
    session = SimulatedModeSession()
    event = SwitchAgentFailed(agent="build", detail="build has the session already")
    session.state, effects = mode_changes.apply_mode_event(session.state, event)
    assert effects == (
        PrintNotice("build is still active: build has the session already.", "warn"),
    )
