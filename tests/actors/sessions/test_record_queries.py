"""Facts about a whole session, found in its records."""

import pytest

from actors.sessions.record_queries import find_last_run_number, find_last_settings
from messages.journal import SessionOpened
from messages.permissions import SessionSettings
from messages.policy import Rule
from messages.turns import TurnStarted

pytestmark = pytest.mark.quick


def test_the_last_settings_and_run_are_found() -> None:
    grant = Rule(permission="edit", pattern="a.py", action="allow")
    first, second = SessionSettings(), SessionSettings(grants=(grant,))
    runs = [SessionOpened(run=run, pid=1, version="1") for run in (1, 2)]
    records = (runs[0], first, runs[1], second, TurnStarted(turn=1, prompt="go on"))

    assert find_last_settings(records) == second
    assert find_last_run_number(records) == 2
    assert (find_last_settings(()), find_last_run_number(())) == (None, 0)
