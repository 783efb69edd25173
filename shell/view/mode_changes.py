"""The mode, as the person changes it: what Shift-Tab and `/mode` tell whom. Pure."""

from dataclasses import replace
from typing import assert_never

from actors.permissions.mode_order import find_strictest_mode, is_stricter
from actors.tools.plan_mode import PLAN_AGENT
from messages.permissions import ChangeMode, ChangeModeFailed, ModeChanged
from messages.policy import PermissionMode
from messages.turns import AgentSwitched, SessionConfigured, SwitchAgent, SwitchAgentFailed
from shell.view.screen_state import PendingMode, PrintNotice, ScreenState, ScreenUpdate, SendCommand

_MEANS: dict[PermissionMode, str] = {
    "plan": "the agent only looks, and writes nothing but its plan",
    "default": "changes ask, and so do commands that do more than look",
    "auto-edit": "edits in the workspace do not ask; other changes ask, and so do commands",
    "yolo": "nothing asks but what is protected; what a rule denies stays denied",
}


def get_effective_mode(session: SessionConfigured) -> PermissionMode:
    """Say which mode is at work: the session's, or the stricter one of who has it."""
    return find_strictest_mode(session.mode, session.max_mode)


def choose_mode(state: ScreenState, mode: PermissionMode) -> ScreenUpdate:
    """Work in another mode; to plan, another agent takes the session."""
    if state.session is None:
        return state, ()
    planning = get_requested_mode(state, state.session) == "plan"
    if mode == "plan":
        return _wishing(state, mode), (SendCommand(SwitchAgent(agent=PLAN_AGENT)),)
    back = (SendCommand(SwitchAgent()),) if planning else ()
    return _wishing(state, mode, mode), (SendCommand(ChangeMode(mode=mode)), *back)


def choose_mode_by_name(state: ScreenState, mode: PermissionMode) -> ScreenUpdate:
    """Work in the mode that the person named; once it is so, they read what it means."""
    state, told = choose_mode(state, mode)
    return replace(state, pending_mode=replace(state.pending_mode, is_named_by_user=True)), told


def describe_mode(mode: PermissionMode) -> str:
    """Say in a line what a mode does to what asks."""
    return f"The mode is {mode}: {_MEANS[mode]}."


def cycle_mode(state: ScreenState) -> ScreenUpdate:
    """Go on to the next stop of Shift-Tab: default, auto-edit, plan, and back to what was before.

    An auto-edit that was only passed on the way is none that plan leads back to; and nothing here
    leads to yolo.
    """
    session = state.session
    if session is None:
        return state, ()
    below = state.pending_mode.session_mode or session.mode
    match get_requested_mode(state, session):
        case "default":
            begun, told = choose_mode(state, "auto-edit")
            return replace(
                begun, pending_mode=replace(begun.pending_mode, is_passing_through=True)
            ), told
        case "auto-edit" if state.pending_mode.is_passing_through:
            stepped = SendCommand(ChangeMode(mode="default"))
            return _wishing(state, "plan", "default"), (
                stepped,
                SendCommand(SwitchAgent(agent=PLAN_AGENT)),
            )
        case "auto-edit":
            return choose_mode(state, "plan")
        case "plan" if below != "yolo":
            return _wishing(state, below), (SendCommand(SwitchAgent()),)
        case _:
            return choose_mode(state, "default")


def get_requested_mode(state: ScreenState, session: SessionConfigured) -> PermissionMode:
    """Say which mode will be at work when all that the person set is so."""
    return state.pending_mode.mode or get_effective_mode(session)


def _wishing(
    state: ScreenState, mode: PermissionMode, session: PermissionMode | None = None
) -> ScreenState:
    return replace(
        state, pending_mode=PendingMode(mode, session or state.pending_mode.session_mode)
    )


def apply_mode_event(
    state: ScreenState, event: AgentSwitched | SwitchAgentFailed | ModeChanged | ChangeModeFailed
) -> ScreenUpdate:
    """Take in what came of it."""
    if state.session is None:
        return state, ()
    match event:
        case AgentSwitched():
            news = {"agent": event.agent, "max_mode": event.max_mode}
            return _with(state, news), (PrintNotice(_has_it(event)),)
        case ModeChanged():
            told = _held_back(state.session, event) or _meant(state, event)
            return _with(state, {"mode": event.mode}), told
        case SwitchAgentFailed():
            problem = f"{event.agent} goes on: {event.detail}."
        case ChangeModeFailed() if event.in_effect:
            problem = f"Mode {event.mode} holds in this run, but could not be kept: {event.detail}."
            state = _with(state, {"mode": event.mode})
        case ChangeModeFailed():
            problem = f"Mode {event.mode} could not be kept, and does not hold: {event.detail}."
        case _:
            assert_never(event)
    return replace(state, pending_mode=PendingMode()), (PrintNotice(problem, "warn"),)


def _has_it(event: AgentSwitched) -> str:
    """Tell a person what the model is told at more length."""
    if event.max_mode == "plan":
        return (
            f"{event.agent} has the session: it looks and plans, and changes nothing but its plan."
            " /build or Shift-Tab goes back."
        )
    return f"{event.agent} has the session; it changes and runs what you allow."


def _held_back(session: SessionConfigured, event: ModeChanged) -> tuple[PrintNotice, ...]:
    """Say so where who has the session works in a stricter mode, whatever is set."""
    if _plans(session) or not is_stricter(session.max_mode, event.mode):
        return ()
    told = f"{session.agent} works in mode {session.max_mode} at the loosest, by its definition"
    return (PrintNotice(f"Mode {event.mode} is set, but {told}.", "warn"),)


def _meant(state: ScreenState, event: ModeChanged) -> tuple[PrintNotice, ...]:
    return (PrintNotice(describe_mode(event.mode)),) if state.pending_mode.is_named_by_user else ()


def _plans(session: SessionConfigured) -> bool:
    return session.max_mode == "plan"


def _with(state: ScreenState, news: dict[str, str]) -> ScreenState:
    """Note it; what the person wanted is forgotten once it is so."""
    assert state.session is not None  # noqa: S101  (the caller looked)
    session = state.session.model_copy(update=news)
    wish = state.pending_mode
    if wish.session_mode == session.mode:
        wish = replace(wish, session_mode=None, is_named_by_user=False)
    is_so = wish.mode == get_effective_mode(session) or (
        wish.mode == session.mode and not _plans(session)
    )
    if is_so and wish.session_mode is None:
        wish = replace(wish, mode=None)
    return replace(state, session=session, pending_mode=wish)
