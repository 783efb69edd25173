"""The mode, as the person changes it: what Shift-Tab and `/mode` tell whom. Pure."""

from dataclasses import replace
from typing import assert_never

from actors.permissions.modes import is_stricter, strictest_mode
from actors.tools.planning import PLANNER
from messages.permissions import ChangeMode, ChangeModeFailed, ModeChanged
from messages.rules import PermissionMode
from messages.turns import AgentSwitched, SessionConfigured, SwitchAgent, SwitchAgentFailed
from shell.view.state import PendingMode, PrintNotice, ScreenUpdate, SendCommand, State

_MEANS: dict[PermissionMode, str] = {
    "plan": "the agent only looks, and writes nothing but its plan",
    "default": "changes ask, and so do commands that do more than look",
    "auto-edit": "edits in the workspace do not ask; other changes ask, and so do commands",
    "yolo": "nothing asks but what is protected; what a rule denies stays denied",
}


def mode_of(session: SessionConfigured) -> PermissionMode:
    """Say which mode is at work: the session's, or the stricter one of who has it."""
    return strictest_mode(session.mode, session.max_mode)


def chosen(state: State, mode: PermissionMode) -> ScreenUpdate:
    """Work in another mode; to plan, another agent takes the session."""
    if state.session is None:
        return state, ()
    planning = wanted(state, state.session) == "plan"
    if mode == "plan":
        return _wishing(state, mode), (SendCommand(SwitchAgent(agent=PLANNER)),)
    back = (SendCommand(SwitchAgent()),) if planning else ()
    return _wishing(state, mode, mode), (SendCommand(ChangeMode(mode=mode)), *back)


def named(state: State, mode: PermissionMode) -> ScreenUpdate:
    """Work in the mode that the person named; once it is so, they read what it means."""
    state, told = chosen(state, mode)
    return replace(state, wish=replace(state.wish, named=True)), told


def meaning(mode: PermissionMode) -> str:
    """Say in a line what a mode does to what asks."""
    return f"The mode is {mode}: {_MEANS[mode]}."


def cycled(state: State) -> ScreenUpdate:
    """Go on to the next stop of Shift-Tab: default, auto-edit, plan, and back to what was before.

    An auto-edit that was only passed on the way is none that plan leads back to; and nothing here
    leads to yolo.
    """
    session = state.session
    if session is None:
        return state, ()
    below = state.wish.session or session.mode
    match wanted(state, session):
        case "default":
            begun, told = chosen(state, "auto-edit")
            return replace(begun, wish=replace(begun.wish, passing=True)), told
        case "auto-edit" if state.wish.passing:
            stepped = SendCommand(ChangeMode(mode="default"))
            return _wishing(state, "plan", "default"), (
                stepped,
                SendCommand(SwitchAgent(agent=PLANNER)),
            )
        case "auto-edit":
            return chosen(state, "plan")
        case "plan" if below != "yolo":
            return _wishing(state, below), (SendCommand(SwitchAgent()),)
        case _:
            return chosen(state, "default")


def wanted(state: State, session: SessionConfigured) -> PermissionMode:
    """Say which mode will be at work when all that the person set is so."""
    return state.wish.mode or mode_of(session)


def _wishing(state: State, mode: PermissionMode, session: PermissionMode | None = None) -> State:
    return replace(state, wish=PendingMode(mode, session or state.wish.session))


def received(
    state: State, event: AgentSwitched | SwitchAgentFailed | ModeChanged | ChangeModeFailed
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
        case ChangeModeFailed() if event.holds:
            problem = f"Mode {event.mode} holds in this run, but could not be kept: {event.detail}."
            state = _with(state, {"mode": event.mode})
        case ChangeModeFailed():
            problem = f"Mode {event.mode} could not be kept, and does not hold: {event.detail}."
        case _:
            assert_never(event)
    return replace(state, wish=PendingMode()), (PrintNotice(problem, "warn"),)


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


def _meant(state: State, event: ModeChanged) -> tuple[PrintNotice, ...]:
    return (PrintNotice(meaning(event.mode)),) if state.wish.named else ()


def _plans(session: SessionConfigured) -> bool:
    return session.max_mode == "plan"


def _with(state: State, news: dict[str, str]) -> State:
    """Note it; what the person wanted is forgotten once it is so."""
    assert state.session is not None  # noqa: S101  (the caller looked)
    session = state.session.model_copy(update=news)
    wish = state.wish
    if wish.session == session.mode:
        wish = replace(wish, session=None, named=False)
    is_so = wish.mode == mode_of(session) or (wish.mode == session.mode and not _plans(session))
    if is_so and wish.session is None:
        wish = replace(wish, mode=None)
    return replace(state, session=session, wish=wish)
