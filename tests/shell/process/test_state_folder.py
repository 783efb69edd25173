"""A state folder that cannot be used gives one line with the reason and what to do."""

from collections.abc import Callable
from pathlib import Path

import pytest

from shell.cli.agents_command import run_agents_command
from shell.cli.internal_error import log_internal_error
from shell.cli.permissions_check import run_permissions_check
from shell.cli.sessions_command import run_sessions_command
from shell.process.state_folder import open_state_folder
from shell.startup.errors import StartError
from shell.startup.options import CheckOptions, SessionsOptions

pytestmark = pytest.mark.quick

UNKNOWN_HOME = {"GREENROOM_HOME": "~nobody-has-this-name/greenroom"}
UNKNOWN_HOME_ERROR = (
    "cannot use the state folder: Could not determine home directory; set GREENROOM_HOME to use "
    "another one"
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
    ids=["session", "agents", "permissions check", "sessions"],
)
def test_every_command_reports_a_home_that_does_not_exist(run: Callable[[], object]) -> None:
    with pytest.raises(StartError) as caught:
        run()
    assert (caught.value.args, caught.value.exit_status) == ((UNKNOWN_HOME_ERROR,), 2)


def test_a_state_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.touch()
    with pytest.raises(StartError, match=r"/taken: File exists; set GREENROOM_HOME"):
        open_state_folder({"GREENROOM_HOME": str(taken)})


def test_an_internal_error_that_cannot_be_logged_says_so() -> None:
    line = log_internal_error(ZeroDivisionError("by zero"), UNKNOWN_HOME)
    reason = "internal error: ZeroDivisionError: by zero; it could not be logged: "
    assert line == reason + UNKNOWN_HOME_ERROR
