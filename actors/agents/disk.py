"""What a turn makes of the disk: what it refuses is kept for later, and nothing changes meanwhile.

Every append that the disk takes has the kept records before its own, so that nothing is out of
order, and the first one that it takes ends the trouble.
"""

from actors.agents import calls, children, switching
from actors.agents.effects import RetryWrites
from actors.agents.settling import close, proceed, start_ready, unrecorded
from actors.agents.state import CallStage, TurnStage
from actors.agents.step import Transition
from messages.transcript import Appended, AppendFailed, AppendTimeout
from messages.turns import PersistenceChanged, PersistenceStatus


def synced(step: Transition, message: Appended) -> None:
    """Go on with what waited for it; what was refused before is on disk with it."""
    turn = step.turn
    step.set(synced=max(turn.synced, message.id))
    if message.id > turn.refused:
        _changed(step, "well")
    took = switching.recorded(step)
    calls.run_recorded(step)
    if took and step.turn.stage is TurnStage.ACTING and not step.turn.stopping:
        start_ready(step)


def refused(step: Transition, message: AppendFailed) -> None:
    """Go on without a record, but with no effect that needs one.

    What was sent since is refused with it, so that its failure, which comes later, is no news.
    """
    turn = step.turn
    if message.id <= max(turn.synced, turn.refused):
        return
    step.set(refused=turn.written)
    _changed(step, "failing", message.detail)
    switching.refused(step, message.detail)
    _end_what_was_to_start(step)


def _end_what_was_to_start(step: Transition) -> None:
    lost = [call for call in step.turn.calls if call.stage is CallStage.STARTING]
    for call in lost:
        children.not_started(step, call)
        close(step, call, "denied", unrecorded(step.turn))
    if lost:
        proceed(step)


def late(step: Transition, message: AppendTimeout) -> None:
    """Try again to write what was refused; say that it takes long."""
    turn = step.turn
    if turn.disk.state == "failing":
        step.set(written=turn.written + 1)
        step.do(RetryWrites(step.turn.written))
    elif message.id > turn.synced:
        _changed(step, "slow")


def _changed(step: Transition, state: PersistenceStatus, detail: str = "") -> None:
    """Tell people once; why it fails may be worded in several ways."""
    if step.turn.disk.state != state:
        news = PersistenceChanged(state=state, detail=detail)
        step.set(disk=news)
        step.report(news)
