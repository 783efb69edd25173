"""No process of a command outlives the program, however both end."""

import signal
import sys
from collections.abc import Iterator

import pytest

from tests.program.program_harness import YOLO, CommandWatch, Program
from tests.scripted_server import respond_tool_call

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs a subreaper")

STOP_TIMEOUT_S = 10.0
ESCAPES = {
    "setsid": "setsid nohup sleep 300 >/dev/null 2>&1 &",
    "empty environment": "(env -i setsid sh -c 'sleep 300 &');",
    "double fork": "(env -i setsid sh -c '(env -i setsid sleep 300 &) &' &);",
}


@pytest.fixture
def default_signals() -> Iterator[None]:
    """Give new processes the default signals, which a script's background job ignores in part."""
    numbers = (signal.SIGINT, signal.SIGQUIT)
    handlers = [signal.getsignal(number) for number in numbers]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    yield
    for number, handler in zip(numbers, handlers, strict=True):
        signal.signal(number, handler)


@pytest.mark.usefixtures("default_signals")
@pytest.mark.parametrize("escape", ESCAPES.values(), ids=ESCAPES.keys())
@pytest.mark.parametrize(
    "number",
    [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGKILL, signal.SIGABRT],
)
def test_no_command_outlives_a_signal_to_the_program(
    program: Program, command_watch: CommandWatch, number: signal.Signals, escape: str
) -> None:
    # Every process inherits descriptor 3, so the watch sees when the last one has ended.
    command = f"exec 3>{command_watch.path}; {escape} echo at work >&3; trap '' TERM; sleep 300"
    with program.serve(respond_tool_call("bash", command=command)):
        running = program.start("-p", "Work.", *YOLO)
        command_watch.wait_for_output()
        running.send_signal(number)
        running.wait(STOP_TIMEOUT_S)
        command_watch.wait_for_close(STOP_TIMEOUT_S)
