"""A state folder that cannot be used is told in one line that says which, and what to do."""

from collections.abc import Callable
from pathlib import Path

import pytest

from shell.cli.agents_command import run_agents_command
from shell.cli.arguments import CheckOptions, SessionsOptions, StartError
from shell.cli.internal_error import log_internal_error
from shell.cli.permissions_check import run_permissions_check
from shell.cli.sessions_command import run_sessions_command
from shell.process.state_folder import open_state_folder

pytestmark = pytest.mark.quick

UNKNOWN_HOME = {"GREENROOM_HOME": "~nobody-has-this-name/greenroom"}
UNKNOWN_HOME_ERROR = (
    "the state folder cannot be used: Could not determine home directory; GREENROOM_HOME names "
    "another"
)


@pytest.mark.parametrize(
    "run",
    [
        lambda: open_state_folder(UNKNOWN_HOME),
        lambda: run_agents_command(UNKNOWN_HOME, as_json=False),
        lambda: run_permissions_check(
            CheckOptions(tool="bash", target="ls"), UNKNOWN_HOME, Path.cwd()
        ),
        lambda: run_sessions_command(SessionsOptions("list"), UNKNOWN_HOME, 0.0),
    ],
    ids=["to work", "agents", "permissions check", "sessions"],
)
def test_the_home_of_nobody_is_told_by_whatever_needs_it(run: Callable[[], object]) -> None:
    with pytest.raises(StartError) as caught:
        run()
    assert (caught.value.args, caught.value.exit_status) == ((UNKNOWN_HOME_ERROR,), 2)


def test_what_is_no_folder_is_named(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.touch()
    with pytest.raises(StartError, match=r"cannot be used: .*/taken: File exists; GREENROOM_HOME"):
        open_state_folder({"GREENROOM_HOME": str(taken)})


def test_of_a_fault_that_cannot_be_kept_nothing_more_is_promised() -> None:
    told = "a fault of Greenroom: ZeroDivisionError: by zero; nothing more of it is kept, since "
    assert (
        log_internal_error(ZeroDivisionError("by zero"), UNKNOWN_HOME) == told + UNKNOWN_HOME_ERROR
    )
