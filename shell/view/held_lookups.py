"""Holds lookups back until something else is printed, so that they share one row. Pure."""

from dataclasses import replace

from shell.view.grouped_lookups import PrintLookups, make_lookup
from shell.view.screen_state import (
    PrintCall,
    RestoreDraft,
    ScreenEffect,
    ScreenUpdate,
    SendCommand,
)


def hold_lookups(update: ScreenUpdate) -> ScreenUpdate:
    """Hold the lookups of an update back; print those held before what follows them.

    They are not held over the end of a turn, nor while the user is asked something.
    """
    state, effects = update
    is_holding = state.turn is not None and state.approvals.current is None
    if not effects and (is_holding or not state.lookups):
        return update
    held, printed = list(state.lookups), list[ScreenEffect]()
    for effect in effects:
        lookup = make_lookup(effect.ended) if isinstance(effect, PrintCall) else None
        if lookup:
            held.append(lookup)
            continue
        if held and not isinstance(effect, SendCommand | RestoreDraft):
            printed.append(PrintLookups(tuple(held)))
            held.clear()
        printed.append(effect)
    if held and not is_holding:
        printed.append(PrintLookups(tuple(held)))
        held.clear()
    return replace(state, lookups=tuple(held)), tuple(printed)
