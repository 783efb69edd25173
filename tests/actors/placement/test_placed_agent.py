"""The actor at a placed agent's address, with a scripted host at the other end of the link."""

import asyncio
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random

import pytest

from actors.agents.definition.definition import BUILT_IN_DEFINITIONS, GENERAL_AGENT, build_profile
from actors.agents.kinds.kind_list import KIND_DEFINITIONS
from actors.agents.turn.compaction_state import CompactionSettings
from actors.agents.turn.limits import Limits
from actors.models.model_client import ModelError, ModelRequest, Reply, ReplyDelta
from actors.models.model_names import get_default_limits
from actors.models.request_gate import RequestGates
from actors.paths.workspace import Workspace
from actors.placement import wire
from actors.placement.fork_client import ForkClient, HostProcess
from actors.placement.frames import Frame, FrameDecoder, FrameKind, LinkNumbers, encode_frame
from actors.placement.host_policy import HostPolicy
from actors.placement.placed_agent import HostingPorts, PlacedAgent
from actors.placement.wire import Admit, HostSession, HostSpec, ModelCall, Send
from actors.runtime.system import ActorSystem
from messages.address import JOURNAL, PRIMARY, Address
from messages.base import Message
from messages.child_lifecycle import ChildCompleted, ChildFailed, FailureCause
from messages.content import TextBlock, Usage
from messages.envelope import Envelope
from messages.journal import Append, Appended
from messages.model_limits import ModelLimitsFound
from messages.permissions import SessionSettings
from messages.serialization import encode
from messages.subagents import AssignTask, CancelTask, SubagentStarted
from messages.turns import SessionConfigured
from tests.actors.sessions.sample_records import make_turn_started
from tests.probe import Probe, start_probe

pytestmark = pytest.mark.quick

AGENT = PRIMARY.child("worker-1")
INNER = AGENT.child("explore-1")
REPLY = Reply((TextBlock(text="Hi."),), "end_turn", Usage(), "m-1")
BUSY = ModelError("overloaded", "busy", is_retryable=True, retry_after_s=2.0)
TIMEOUT_S = 5.0


class EchoModel:
    """A model client that records its requests."""

    def __init__(self) -> None:
        self.requests: list[ModelRequest] = []

    async def stream(self, request: ModelRequest) -> AsyncIterator[ReplyDelta | Reply]:
        """Reply, or fail as the request's system prompt says."""
        self.requests.append(request)
        if request.system == "fail":
            raise BUSY
        yield ReplyDelta(text="Hi.")
        yield REPLY

    async def look_up_limits(self, model: str) -> ModelLimitsFound | None:
        """Return the same limits for every model."""
        return get_default_limits(model)


class ScriptedHost(ForkClient):
    """A host at the other end of a socket, written by the test."""

    def __init__(self) -> None:
        super().__init__({})
        self.program_end, self.connection = socket.socketpair()
        self.connection.settimeout(TIMEOUT_S)
        self.numbers, self.decoder = LinkNumbers(), FrameDecoder()
        self.was_killed = False
        self._is_forked = threading.Event()
        self._frames: list[Frame] = []

    async def fork_host(self) -> HostProcess:
        """Return a host that only seems to be a process."""
        self.program_end.setblocking(False)  # noqa: FBT003  (positional only)
        self.loop = asyncio.get_running_loop()
        self.ended = self.loop.create_future()
        self._is_forked.set()
        return HostProcess(self.program_end, 0, self.ended)

    def kill(self, host: HostProcess) -> None:
        """Report its end."""
        self.was_killed = True
        if not host.ended.done():
            host.ended.set_result(-9)

    # Called from the test's thread.

    def send(self, kind: FrameKind, body: bytes) -> None:
        with suppress(ConnectionError):  # the program has closed the link
            self.connection.sendall(encode_frame(self.numbers.number(kind, body)))

    def send_hello(self) -> None:
        self.send(FrameKind.HELLO, wire.make_hello().model_dump_json().encode())

    def send_message(self, to: Address, message: Message, sender: Address = AGENT) -> None:
        self.send(FrameKind.ENVELOPE, wire.encode_envelope(Envelope(to, sender, message)))

    def call_model(self, call: ModelCall) -> None:
        self.send(FrameKind.MODEL_CALL, wire.call_adapter().dump_json(call))

    def receive(self, kind: FrameKind) -> bytes:
        """Return the next body of this kind."""
        while True:
            while self._frames:
                frame = self._frames.pop(0)
                if self.numbers.accept(frame) and frame.kind is kind:
                    return frame.body
            data = self.connection.recv(65536)
            assert data, f"no {kind.name}"
            self._frames += self.decoder.feed(data)

    def wait_for_close(self) -> None:
        """Wait until the program closes the link, as a host does that has reported its end."""
        with suppress(ConnectionError):
            while self.connection.recv(65536):
                pass

    def exit(self, status: int) -> None:
        self.connection.close()
        assert self._is_forked.wait(TIMEOUT_S)
        self.loop.call_soon_threadsafe(self._report_end, status)

    def _report_end(self, status: int) -> None:
        if not self.ended.done():
            self.ended.set_result(status)


@dataclass
class Harness:
    """A placed agent below a probe at the primary agent's address."""

    system: ActorSystem
    primary: Probe
    journal: Probe
    host: ScriptedHost = field(default_factory=ScriptedHost)
    model: EchoModel = field(default_factory=EchoModel)

    def start(self) -> None:
        policy = HostPolicy(AGENT, lambda _type, _mode: build_profile(GENERAL_AGENT))
        gates = RequestGates(Random(1))  # noqa: S311  (must be repeatable)
        ports = HostingPorts(self.host, self.model, gates, lambda _: None)
        agent = partial(PlacedAgent, make_spec(), policy, ports)
        started: Future[Address] = Future()
        self.system.event_loop.call_soon(
            lambda: started.set_result(self.primary.start(agent, AGENT.name))
        )
        assert started.result(TIMEOUT_S) == AGENT

    def expect_failed(self, cause: FailureCause, detail: str) -> None:
        failed = self.primary.expect_kind(ChildFailed)
        assert (failed.child, failed.cause) == (AGENT, cause), failed
        assert detail in failed.detail


@pytest.fixture
def harness(system: ActorSystem) -> Iterator[Harness]:
    primary, journal = start_probe(system, "primary"), start_probe(system, "journal")
    started = Harness(system, primary, journal)
    started.start()
    yield started
    started.host.exit(0)
    started.host.program_end.close()


def make_spec() -> HostSpec:
    session = HostSession(
        definitions=BUILT_IN_DEFINITIONS,
        kind_definitions=KIND_DEFINITIONS,
        instructions=(),
        limits=Limits(),
        workspace=Workspace(Path("/w"), Path("/w")),
        output_folder=Path("/o"),
        plan_file=Path("/p"),
        ripgrep_path=None,
        session_configured=SessionConfigured(
            session_id="s",
            agent="build",
            model="m",
            mode="default",
            cwd="/w",
            is_scripted=False,
            next_turn=1,
        ),
        compaction=CompactionSettings(),
        max_depth=3,
        run=1,
        has_environment=False,
        is_trusted=False,
        snapshot_folder=None,
        sandbox=None,
    )
    started = SubagentStarted(
        child=AGENT,
        parent=PRIMARY,
        agent_type="general",
        depth=1,
        task_number=1,
        turn=1,
        call_id="c",
        description="work",
    )
    task = AssignTask(task_number=1, prompt="work")
    return HostSpec(session, started, task, (build_profile(GENERAL_AGENT),), has_records=False)


def test_a_host_gets_exactly_the_spec_of_its_agent(harness: Harness) -> None:
    harness.host.send_hello()
    body = harness.host.receive(FrameKind.SPEC)
    assert wire.spec_adapter().validate_json(body) == make_spec()


def test_messages_pass_in_both_directions_in_order(harness: Harness) -> None:
    host = harness.host
    host.send_hello()
    appends = [
        Append(id=number, records=(make_turn_started(number),)) for number in range(1, 5_001)
    ]
    for append in appends:
        host.send_message(JOURNAL, append, INNER)
    received = [harness.journal.next_from() for _ in appends]
    assert received == [(INNER, append) for append in appends]

    for append in appends:
        harness.journal.tell(INNER, Appended(id=append.id))
    for append in appends:
        envelope = wire.decode_envelope(host.receive(FrameKind.ENVELOPE))
        assert envelope == Envelope(INNER, JOURNAL, Appended(id=append.id))


def test_the_end_of_the_agent_comes_after_its_messages(harness: Harness) -> None:
    harness.host.send_hello()
    harness.host.send_message(PRIMARY, make_turn_started(1))
    harness.host.send(FrameKind.END, encode(ChildCompleted(child=AGENT, result="done")))
    harness.host.wait_for_close()
    harness.host.exit(0)
    harness.primary.expect(make_turn_started(1), ChildCompleted(child=AGENT, result="done"))


def test_nothing_is_accepted_after_the_end(harness: Harness) -> None:
    harness.host.send_hello()
    harness.host.send(FrameKind.END, encode(ChildCompleted(child=AGENT)))
    harness.host.send_message(PRIMARY, make_turn_started(1))
    assert isinstance(harness.primary.next(), ChildCompleted | ChildFailed)
    harness.primary.expect_nothing_more()


@pytest.mark.parametrize(
    ("status", "cause", "detail"),
    [
        (-9, "signal", "killed by SIGKILL, perhaps because memory ran out"),
        (-11, "signal", "killed by SIGSEGV"),
        (1, "exit", "ended with status 1"),
    ],
)
def test_the_end_of_a_host_process_is_a_typed_failure(
    harness: Harness, status: int, cause: FailureCause, detail: str
) -> None:
    harness.host.send_hello()
    harness.host.receive(FrameKind.SPEC)
    harness.host.exit(status)
    harness.expect_failed(cause, detail)


def send_forged_grant(host: ScriptedHost) -> None:
    host.send_message(JOURNAL, Append(id=1, records=(SessionSettings(mode="yolo"),)))


def send_unknown_type(host: ScriptedHost) -> None:
    head = b'{"to":"/journal","sender":"/primary/worker-1"}'
    host.send(FrameKind.ENVELOPE, b"%d %b" % (len(head), head) + b'{"type":"from_the_future"}')


def skip_a_number(host: ScriptedHost) -> None:
    host.numbers.number(FrameKind.ENVELOPE, b"")
    host.send_message(PRIMARY, make_turn_started(1))


def send_garbage(host: ScriptedHost) -> None:
    host.connection.sendall(b"hello?")


def tear_a_frame(host: ScriptedHost) -> None:
    host.connection.sendall(b"GR")
    host.connection.close()


FAULTS: dict[str, Callable[[ScriptedHost], None]] = {
    "a forged grant": send_forged_grant,
    "an unknown type": send_unknown_type,
    "a missing frame": skip_a_number,
    "garbage": send_garbage,
    "a torn frame": tear_a_frame,
    "a frame of the program": lambda host: host.send(FrameKind.STOP, b""),
    "a request that was not admitted": lambda host: host.call_model(
        Send(id=1, request=ModelRequest("m", "", (), (), 10))
    ),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
def test_a_host_that_breaks_the_rules_fails_once(
    harness: Harness, fault: Callable[[ScriptedHost], None]
) -> None:
    harness.host.send_hello()
    harness.host.receive(FrameKind.SPEC)
    fault(harness.host)

    harness.expect_failed("protocol", "")
    assert harness.host.was_killed
    harness.primary.expect_nothing_more()
    harness.journal.expect_nothing_more()


def test_a_host_of_another_version_is_refused(harness: Harness) -> None:
    harness.host.send(FrameKind.HELLO, b'{"version":99,"schema_hash":"x"}')
    harness.expect_failed("protocol", "it has version 99, not 1")


def test_a_host_chooses_no_headers_and_no_other_model(harness: Harness) -> None:
    host = harness.host
    host.send_hello()
    host.call_model(Admit(id=1, model="m-1"))
    assert b'"admitted"' in host.receive(FrameKind.MODEL_EVENT)
    headers = {"x-greenroom-subagent": "worker", "x-api-key": "other", "anthropic-beta": "all"}
    host.call_model(Send(id=1, request=ModelRequest("costly", "s", (), (), 10**9, None, headers)))
    assert b'"delta"' in host.receive(FrameKind.MODEL_EVENT)
    assert b'"replied"' in host.receive(FrameKind.MODEL_EVENT)

    (request,) = harness.model.requests
    assert request.model == "m-1"
    assert request.headers == {"x-greenroom-subagent": "worker"}
    assert request.max_tokens < 10**6


def test_a_failed_model_request_keeps_its_reason(harness: Harness) -> None:
    host = harness.host
    host.send_hello()
    host.call_model(Admit(id=1, model="m-1"))
    host.receive(FrameKind.MODEL_EVENT)
    host.call_model(Send(id=1, request=ModelRequest("m-1", "fail", (), (), 10)))

    failed = wire.event_adapter().validate_json(host.receive(FrameKind.MODEL_EVENT))
    assert failed == wire.Failed(
        id=1, reason="overloaded", detail="busy", is_retryable=True, retry_after_s=2.0
    )


def test_messages_before_the_start_wait_for_it(harness: Harness) -> None:
    harness.primary.tell(AGENT, CancelTask(task_number=1))
    harness.host.send_hello()
    envelope = wire.decode_envelope(harness.host.receive(FrameKind.ENVELOPE))
    assert envelope == Envelope(AGENT, PRIMARY, CancelTask(task_number=1))
