"""Agents in processes of their own behave as any other, and may die without harming others."""

import json
import os
import selectors
import signal
import threading
from pathlib import Path

import pytest

from tests.program.program_harness import (
    STREAM_JSON,
    TIMEOUT_S,
    CommandWatch,
    Program,
    request_messages,
)
from tests.program.repl_harness import kill_when_shown, open_repl, quit_repl
from tests.program.test_agent_definitions import define_agent, make_task
from tests.program.test_background_runs import BackgroundServer
from tests.scripted_server import (
    RecordedRequest,
    ScriptedResponse,
    ScriptedServer,
    respond_text,
    respond_tool_call,
)

PLACED = "mode: subagent\nplacement: process"
FREE = (*STREAM_JSON, "--permission-mode", "yolo")


def list_children(parent: int) -> list[int]:
    """Return the processes whose parent is this one."""
    children: list[int] = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        if int(fields[1]) == parent:
            children.append(int(folder.name))
    return children


class HostWatch:
    """The fork server of a running program and its only host."""

    def __init__(self, program_pid: int) -> None:
        self.server = next(
            child
            for child in list_children(program_pid)
            if b"fork_server" in Path(f"/proc/{child}/cmdline").read_bytes()
        )
        (self.host,) = list_children(self.server)
        self._ends = [os.pidfd_open(pid) for pid in (self.server, self.host)]

    def wait_for_ends(self) -> None:
        """Wait until both have ended, or fail."""
        for end in self._ends:
            with selectors.DefaultSelector() as selector:
                selector.register(end, selectors.EVENT_READ)
                assert selector.select(TIMEOUT_S), "a process is left"
            os.close(end)


class HostedServer(ScriptedServer):
    """Starts a placed agent and a local one, which is answered only when it is told to."""

    def __init__(self, command: str) -> None:
        super().__init__(respond=self._choose)
        self._command = command
        self.may_answer_sibling = threading.Event()

    def choose_response(self, request: RecordedRequest) -> ScriptedResponse:
        """Record a request and return its response."""
        response = super().choose_response(request)
        if request.headers.get("x-greenroom-subagent") == "general":
            assert self.may_answer_sibling.wait(20)
        return response

    def _choose(self, request: RecordedRequest) -> ScriptedResponse:
        match request.headers.get("x-greenroom-subagent"):
            case "worker":
                return respond_tool_call("bash", command=self._command)
            case "general":
                return respond_text("The sibling is done.")
            case _ if "tool_result" in json.dumps(request.body["messages"]):
                return respond_text("Done.")
            case _:
                return respond_text("", make_task("work", "worker"), make_task("look"))


def test_an_agent_works_in_a_process_of_its_own(program: Program) -> None:
    define_agent(program, "worker", PLACED)
    with program.serve(
        respond_text("", make_task("work", "worker")),
        respond_tool_call("bash", command="echo key:$ANTHROPIC_API_KEY; echo x > made.txt"),
        respond_text("", make_task("look", "explore")),
        respond_text("Explored."),
        respond_text("It works."),
        respond_text("Done."),
    ) as server:
        done = program.run("-p", "Go.", *FREE)

    assert (done.exit_status, done.result["result"]) == (0, "Done."), done.stderr
    assert "'content': 'key:', " in str(request_messages(server, 2))
    assert (program.repository / "made.txt").exists()
    assert "Explored." in str(request_messages(server, 4))
    assert "It works." in str(request_messages(server)[-1])


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_a_killed_host_fails_its_agent_and_no_other(
    program: Program, command_watch: CommandWatch, number: signal.Signals
) -> None:
    define_agent(program, "worker", PLACED)
    program.server = server = HostedServer(f"{command_watch.report_start}; sleep 60")
    with server:
        running = program.start("-p", "Go.", *FREE)
        command_watch.wait_for_output()
        watch = HostWatch(running.process.pid)
        assert b"ANTHROPIC" not in Path(f"/proc/{watch.host}/environ").read_bytes()
        os.kill(watch.host, number)
        seen = running.wait_for(f"was killed by {number.name}")
        command_watch.wait_for_close()
        server.may_answer_sibling.set()
        done = running.wait()
        results = str(request_messages(server))
    watch.wait_for_ends()

    assert seen.count('"type":"subagent_ended"') == 1
    assert (done.exit_status, done.result["result"]) == (0, "Done."), done.stderr
    assert "The sibling is done." in results
    assert "signal: the host process was killed" in results


def test_a_host_ends_with_the_killed_program(program: Program, command_watch: CommandWatch) -> None:
    define_agent(program, "worker", PLACED)
    program.server = server = HostedServer(f"{command_watch.report_start}; sleep 60")
    with server:
        running = program.start("-p", "Go.", *FREE)
        command_watch.wait_for_output()
        watch = HostWatch(running.process.pid)
        running.kill()
        server.may_answer_sibling.set()
        watch.wait_for_ends()
        command_watch.wait_for_close()


def test_a_stopped_program_leaves_no_host_behind(
    program: Program, command_watch: CommandWatch
) -> None:
    define_agent(program, "worker", PLACED)
    program.server = server = HostedServer(f"{command_watch.report_start}; sleep 60")
    with server:
        running = program.start("-p", "Go.", *FREE)
        command_watch.wait_for_output()
        watch = HostWatch(running.process.pid)
        running.send_signal(signal.SIGINT)
        server.may_answer_sibling.set()
        done = running.wait()
        watch.wait_for_ends()
        command_watch.wait_for_close()
    assert done.exit_status == 130, done.stderr


@pytest.mark.long
def test_a_hung_host_is_reported_and_then_killed(
    program: Program, command_watch: CommandWatch
) -> None:
    define_agent(program, "worker", PLACED)
    program.server = server = HostedServer(f"{command_watch.report_start}; sleep 60")
    with server:
        running = program.start("-p", "Go.", *FREE)
        command_watch.wait_for_output()
        watch = HostWatch(running.process.pid)
        os.kill(watch.host, signal.SIGSTOP)
        running.wait_for("unresponsive")
        command_watch.wait_for_close()
        server.may_answer_sibling.set()
        done = running.wait()
    watch.wait_for_ends()
    assert "/primary/worker-1 has stopped responding" in done.stderr
    assert done.exit_status == 0


def test_background_agents_run_where_the_configuration_says(program: Program) -> None:
    (program.state_folder / "config.toml").parent.mkdir(parents=True, exist_ok=True)
    (program.state_folder / "config.toml").write_text('background_placement = "process"\n')
    program.server = server = BackgroundServer()
    with server:
        running = program.start("-p", "Go.", *STREAM_JSON)
        running.wait_for('"type":"turn_completed"')
        server.wait_for_requests(3)
        watch = HostWatch(running.process.pid)
        server.may_answer_subagent.set()
        done = running.wait()
    watch.wait_for_ends()
    assert (done.exit_status, done.result["result"]) == (0, "Found it."), done.stderr


def test_an_approval_after_a_kill_runs_the_command_once_in_a_new_host(program: Program) -> None:
    define_agent(program, "worker", PLACED)
    with program.serve(
        respond_text("", make_task("work", "worker")),
        respond_tool_call("bash", command="echo x >> ran"),
        respond_text("Written."),
        respond_text("Done."),
    ):
        kill_when_shown(program, "Press a key to answer")
        with open_repl(program, "--continue") as terminal:
            terminal.wait_for_text("Press a key to answer")
            terminal.type("y")
            terminal.wait_for_text("Done.")
            quit_repl(terminal)
    assert (program.repository / "ran").read_text() == "x\n"


def test_the_request_of_a_killed_host_is_withdrawn(program: Program) -> None:
    define_agent(program, "worker", PLACED)
    with (
        program.serve(
            respond_text("", make_task("work", "worker")),
            respond_tool_call("bash", command="touch ran"),
            respond_text("It failed."),
        ),
        open_repl(program, "Work.") as terminal,
    ):
        terminal.wait_for_text("Press a key to answer")
        os.kill(HostWatch(terminal.pid).host, signal.SIGKILL)
        terminal.wait_for_no_text("Press a key to answer")
        terminal.wait_for_text("It failed.")
        quit_repl(terminal)
    assert not (program.repository / "ran").exists()
    assert "approval_withdrawn" in program.record_types()


def test_a_host_goes_on_when_its_fork_server_is_killed(program: Program) -> None:
    (program.state_folder / "config.toml").parent.mkdir(parents=True, exist_ok=True)
    (program.state_folder / "config.toml").write_text('background_placement = "process"\n')
    program.server = server = BackgroundServer()
    with server:
        running = program.start("-p", "Go.", *STREAM_JSON)
        running.wait_for('"type":"turn_completed"')
        server.wait_for_requests(3)
        watch = HostWatch(running.process.pid)
        os.kill(watch.server, signal.SIGKILL)
        server.may_answer_subagent.set()
        done = running.wait()
    watch.wait_for_ends()
    assert (done.exit_status, done.result["result"]) == (0, "Found it."), done.stderr
