"""The host process: its root actor is an agent, at the address that it has in the program.

Everything outside the agent's subtree is reached over the link. The host has no key, no model
client, no journal and no permission engine.
"""

import asyncio
import os
import queue
import signal
import socket
import time
from contextlib import suppress
from typing import Literal

from actors.agents.subagent_factory import DefaultSubagentFactory
from actors.placement import wire
from actors.placement.frames import FrameDecoder, FrameKind, LinkError
from actors.placement.host_model import HostModel
from actors.placement.link import Link
from actors.placement.wire import HostSandbox, HostSession, HostSpec, ModelCall
from actors.prompt_context.environment import EnvironmentReader
from actors.runtime.actor import ActorFactory, UnexpectedMessageError
from actors.runtime.mailbox import MailboxItem
from actors.runtime.system import ActorSystem
from actors.sandbox.sandbox import Sandbox
from actors.snapshots.snapshot_store import SnapshotStore
from actors.tools.local_command_runner import LocalCommandRunner
from actors.tools.tool import ToolContext
from actors.tools.toolbox import BUILT_IN_TOOLS
from messages.child_lifecycle import ChildEnded
from messages.envelope import Envelope
from messages.serialization import MESSAGE_MODULES, encode, message_adapter, message_types_in
from messages.supervision import PeerRestarted

STOP_TIMEOUT_S = 1.0
"""Time for the agent and its commands to stop before the process ends."""
_CHUNK_BYTES = 256 * 1024
_HostEnd = Literal["ended", "stopped", "lost"]
"""ended: the agent ended · stopped: the program said so · lost: the link is closed."""


def warm_up() -> None:
    """Prepare what every host needs, in the process that hosts are forked from."""
    message_adapter()
    for module in MESSAGE_MODULES:
        for message_type in message_types_in(module):
            message_type.model_rebuild()  # its validator is built on first use otherwise
    wire.make_hello()
    wire.spec_adapter()
    wire.call_adapter()
    wire.event_adapter()


def run_host(connection: socket.socket) -> int:
    """Run the agent that arrives over the link until it ends; return the exit status."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the program stops its hosts itself
    received = bytearray()
    spec = _receive_spec(connection, received)
    return 0 if spec is None else Host(spec, connection, bytes(received)).run()


def _receive_spec(connection: socket.socket, received: bytearray) -> HostSpec | None:
    """Wait for the spec; None: the program has closed the link. `received` is all that was read."""
    decoder = FrameDecoder()
    while data := connection.recv(_CHUNK_BYTES):
        received += data
        for frame in decoder.feed(data):
            if frame.kind is FrameKind.SPEC:
                return wire.spec_adapter().validate_json(frame.body)
    return None


class Host:
    """One agent and its subtree, connected to the program."""

    inbox_types = None
    """Messages to all addresses outside the subtree are passed on."""

    def __init__(self, spec: HostSpec, connection: socket.socket, received: bytes) -> None:
        """Prepare to run the agent that `spec` describes."""
        self._connection = connection
        self._received = received
        self._ends: queue.SimpleQueue[_HostEnd] = queue.SimpleQueue()
        self._link = Link(wire.make_hello(), self._on_frame)
        self._model = HostModel(self._send_call)
        self._system = ActorSystem(
            make_agent_factory(spec, self._model), spec.started.child, outside=self
        )

    def run(self) -> int:
        """Run until the agent has ended, and the program knows; return the exit status."""
        loop = self._system.event_loop
        loop.call_soon(lambda: loop.create_task(self._communicate, "link"))
        self._system.add_end_callback(self._on_agent_ended)
        end = self._ends.get()
        if end != "ended":
            self._system.stop(STOP_TIMEOUT_S)
            return 0
        with suppress(queue.Empty):  # the link closes behind the report of the end
            self._ends.get(timeout=STOP_TIMEOUT_S)
        return 0

    def post(self, item: MailboxItem) -> bool:
        """Pass on a message to an actor in the program."""
        if not isinstance(item, Envelope):
            return False
        self._send(FrameKind.ENVELOPE, wire.encode_envelope(item))
        return True

    def _send(self, kind: FrameKind, body: bytes) -> None:
        try:
            self._link.send(kind, body)
        except LinkError:  # the program does not read any more
            self._ends.put("lost")

    def _send_call(self, call: ModelCall) -> None:
        self._send(FrameKind.MODEL_CALL, wire.call_adapter().dump_json(call))

    async def _communicate(self) -> None:
        try:
            reader, writer = await asyncio.open_unix_connection(sock=self._connection)
            await self._link.run(reader, writer, self._received)
        finally:
            self._ends.put("lost")

    def _on_agent_ended(self, end: ChildEnded) -> None:
        self._send(FrameKind.END, encode(end))
        loop = self._system.event_loop
        loop.call_soon(lambda: loop.create_task(self._link.flush, "flush"))
        self._ends.put("ended")

    def _on_frame(self, kind: FrameKind, body: bytes) -> None:
        match kind:
            case FrameKind.ENVELOPE:
                self._deliver(wire.decode_envelope(body))
            case FrameKind.MODEL_EVENT:
                self._model.on_event(wire.decode(wire.event_adapter(), body))
            case FrameKind.STOP:
                self._ends.put("stopped")
            case _:
                pass  # the spec, which has been read

    def _deliver(self, envelope: Envelope) -> None:
        message = envelope.message
        if isinstance(message, PeerRestarted):
            self._system.notify_watchers(message.peer, message.incarnation)
            return
        with suppress(UnexpectedMessageError):  # a fault in the program, which has the sender
            self._system.deliver(envelope)


def make_agent_factory(spec: HostSpec, model: HostModel) -> ActorFactory:
    """Return the factory of a host's agent, the same as in the program but for its ports."""
    session = spec.session
    factory = DefaultSubagentFactory(
        definitions=session.definitions,
        kind_definitions=session.kind_definitions,
        tools=BUILT_IN_TOOLS,
        instructions=session.instructions,
        model=model,
        gates=model,
        tool_context=_make_tool_context(session),
        session_configured=session.session_configured,
        limits=session.limits,
        compaction=session.compaction,
        max_depth=session.max_depth,
        run=session.run,
        environment=_make_environment_reader(session),
        snapshots=_make_snapshot_store(spec),
    )
    return factory.make_factory(
        spec.started, spec.task, spec.ancestors, has_records=spec.has_records
    )


def _make_tool_context(session: HostSession) -> ToolContext:
    workspace = session.workspace
    projects = (workspace.root, *workspace.added_folders)
    sandbox = None if session.sandbox is None else _make_sandbox(session.sandbox)
    return ToolContext(
        workspace=workspace,
        observed_files={},
        command_runner=LocalCommandRunner(os.environ, projects, sandbox),
        output_folder=session.output_folder,
        help_text=str,  # only the primary agent has the tool
        plan_file=session.plan_file,
        ripgrep_path=session.ripgrep_path,
    )


def _make_snapshot_store(spec: HostSpec) -> SnapshotStore | None:
    """Return a store with an index of its own, because the program uses the session's."""
    session, folder = spec.session, spec.session.snapshot_folder
    if folder is None:
        return None
    name = f"{session.session_configured.session_id}-{spec.started.child.name}"
    return SnapshotStore(session.workspace.root, folder, name, time.time)  # noqa: TID251  (as below)


def _make_sandbox(sandbox: HostSandbox) -> Sandbox:
    return Sandbox(
        sandbox.workspace,
        sandbox.settings,
        sandbox.state_folder,
        os.environ,
        sandbox.protected,
    )


def _make_environment_reader(session: HostSession) -> EnvironmentReader | None:
    if not session.has_environment:
        return None
    return EnvironmentReader(session.workspace, session.is_trusted, time.time)  # noqa: TID251  (a process has one wall clock)
