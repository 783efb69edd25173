"""Mode changes by the user: what Shift-Tab and `/mode` send, and how the outcome is shown. Pure."""

from dataclasses import replace
from typing import assert_never

from actors.permissions.mode_order import find_strictest_mode, is_stricter
from actors.tools.plan_mode import PLAN_AGENT
from messages.permissions import ChangeMode, ChangeModeFailed, ModeChanged
from messages.policy import PermissionMode
from messages.turns import AgentSwitched, SessionConfigured, SwitchAgent, SwitchAgentFailed
from shell.view.screen_state import PendingMode, PrintNotice, ScreenState, ScreenUpdate, SendCommand

_DESCRIPTIONS: dict[PermissionMode, str] = {
    "plan": "the agent only reads, and writes nothing but its plan",
    "default": "changes need your approval, and so do commands that are not read-only",
    "auto-edit": "edits in the workspace need no approval; other changes and commands do",
    "yolo": "only protected files need your approval; deny rules still apply",
}


def get_effective_mode(session: SessionConfigured) -> PermissionMode:
    """Return the mode that applies: the stricter of the session's mode and the agent's max mode."""
    return find_strictest_mode(session.mode, session.max_mode)


def choose_mode(state: ScreenState, mode: PermissionMode) -> ScreenUpdate:
    """Request another mode; entering or leaving plan mode also switches the agent."""
    if state.session is None:
        return state, ()
    is_planning = get_requested_mode(state, state.session) == "plan"
    if mode == "plan":
        return _with_pending_mode(state, mode), (SendCommand(SwitchAgent(agent=PLAN_AGENT)),)
    leave_plan = (SendCommand(SwitchAgent()),) if is_planning else ()
    commands = (SendCommand(ChangeMode(mode=mode)), *leave_plan)
    return _with_pending_mode(state, mode, mode), commands


def choose_mode_by_name(state: ScreenState, mode: PermissionMode) -> ScreenUpdate:
    """Request the mode that the user named; a notice explains it once it applies."""
    state, effects = choose_mode(state, mode)
    return replace(state, pending_mode=replace(state.pending_mode, is_named_by_user=True)), effects


def describe_mode(mode: PermissionMode) -> str:
    """Return one line that explains what a mode asks about."""
    return f"Mode {mode}: {_DESCRIPTIONS[mode]}."


def cycle_mode(state: ScreenState) -> ScreenUpdate:
    """Request the next mode of Shift-Tab: default, auto-edit, plan, then back to the earlier mode.

    Leaving plan mode does not return to an auto-edit that the user only passed through. No step
    leads to yolo.
    """
    session = state.session
    if session is None:
        return state, ()
    session_mode = state.pending_mode.session_mode or session.mode
    match get_requested_mode(state, session):
        case "default":
            state, effects = choose_mode(state, "auto-edit")
            pending = replace(state.pending_mode, is_passing_through=True)
            return replace(state, pending_mode=pending), effects
        case "auto-edit" if state.pending_mode.is_passing_through:
            return _with_pending_mode(state, "plan", "default"), (
                SendCommand(ChangeMode(mode="default")),
                SendCommand(SwitchAgent(agent=PLAN_AGENT)),
            )
        case "auto-edit":
            return choose_mode(state, "plan")
        case "plan" if session_mode != "yolo":
            return _with_pending_mode(state, session_mode), (SendCommand(SwitchAgent()),)
        case _:
            return choose_mode(state, "default")


def can_accept_edits(state: ScreenState) -> bool:
    """Return whether the mode can be changed so that edits need no approval."""
    session = state.session
    if session is None or get_requested_mode(state, session) != "default":
        return False
    return not is_stricter(session.max_mode, "auto-edit")


def get_requested_mode(state: ScreenState, session: SessionConfigured) -> PermissionMode:
    """Return the mode that will apply once all pending changes have taken effect."""
    return state.pending_mode.mode or get_effective_mode(session)


def _with_pending_mode(
    state: ScreenState, mode: PermissionMode, session_mode: PermissionMode | None = None
) -> ScreenState:
    return replace(
        state, pending_mode=PendingMode(mode, session_mode or state.pending_mode.session_mode)
    )


def apply_mode_event(
    state: ScreenState, event: AgentSwitched | SwitchAgentFailed | ModeChanged | ChangeModeFailed
) -> ScreenUpdate:
    """Apply the outcome of a request for another mode or agent."""
    if state.session is None:
        return state, ()
    match event:
        case AgentSwitched():
            changes = {"agent": event.agent, "max_mode": event.max_mode}
            return _with_session_changes(state, changes), (PrintNotice(_describe_switch(event)),)
        case ModeChanged():
            notices = _warn_of_max_mode(state.session, event) or _explain_mode(state, event)
            return _with_session_changes(state, {"mode": event.mode}), notices
        case SwitchAgentFailed():
            problem = f"{event.agent} is still active: {event.detail}."
        case ChangeModeFailed() if event.in_effect:
            problem = (
                f"Mode {event.mode} applies, but only to this run; it could not be saved: "
                f"{event.detail}."
            )
            state = _with_session_changes(state, {"mode": event.mode})
        case ChangeModeFailed():
            problem = f"Mode {event.mode} could not be saved, so it does not apply: {event.detail}."
        case _:
            assert_never(event)
    return replace(state, pending_mode=PendingMode()), (PrintNotice(problem, "warn"),)


def _describe_switch(event: AgentSwitched) -> str:
    if event.max_mode == "plan":
        return (
            f"{event.agent} is active: it reads and plans, and changes nothing but its plan file."
            " /build or Shift-Tab leaves plan mode."
        )
    return f"{event.agent} is active."


def _warn_of_max_mode(session: SessionConfigured, event: ModeChanged) -> tuple[PrintNotice, ...]:
    """Warn if the active agent's max mode is stricter than the mode that was set."""
    if _is_planning(session) or not is_stricter(session.max_mode, event.mode):
        return ()
    reason = f"the definition of {session.agent} limits it to mode {session.max_mode}"
    return (PrintNotice(f"Mode {event.mode} is set, but {reason}.", "warn"),)


def _explain_mode(state: ScreenState, event: ModeChanged) -> tuple[PrintNotice, ...]:
    return (PrintNotice(describe_mode(event.mode)),) if state.pending_mode.is_named_by_user else ()


def _is_planning(session: SessionConfigured) -> bool:
    return session.max_mode == "plan"


def _with_session_changes(state: ScreenState, changes: dict[str, str]) -> ScreenState:
    """Update the session, and clear the pending mode as far as it now applies."""
    assert state.session is not None  # noqa: S101  (the caller checked)
    session = state.session.model_copy(update=changes)
    pending = state.pending_mode
    if pending.session_mode == session.mode:
        pending = replace(pending, session_mode=None, is_named_by_user=False)
    applies = pending.mode == get_effective_mode(session) or (
        pending.mode == session.mode and not _is_planning(session)
    )
    if applies and pending.session_mode is None:
        pending = replace(pending, mode=None)
    return replace(state, session=session, pending_mode=pending)
