"""The actor at the address of an agent that runs in a host process.

Its one job is the life of the link, so stopping it, cancelling it and reporting its end work as
for any other actor. It passes messages down unread and, if the host may send them, up.
"""

import asyncio
import logging
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Literal

from actors.models.model_client import ModelClient
from actors.models.request_gate import RequestGates
from actors.placement import wire
from actors.placement.fork_client import ForkClient, HostProcess
from actors.placement.frames import FrameKind, LinkError
from actors.placement.host_policy import HostPolicy
from actors.placement.link import Link, UnresponsiveError
from actors.placement.model_server import ModelServer
from actors.placement.wire import HostSpec, ModelEvent
from actors.runtime.actor import Actor, JobFailure
from actors.tools.await_helpers import run_to_completion, wait_with_timeout
from messages.address import JOURNAL, PERMISSIONS, Address
from messages.base import AnyMessage, Message
from messages.child_lifecycle import ChildCompleted, ChildFailed, FailureCause
from messages.envelope import Envelope

log = logging.getLogger("greenroom.placement")

STOP_GRACE_S = 0.5
"""Time for a host to stop before it is killed; its deadline as a subagent is at least 1 s."""
EXIT_REPORT_S = 1.0
"""How long the exit status of a host may take after its link has closed."""


class HostSent(Message):
    """Sent to itself: the host sent a message."""

    type: Literal["host_sent"] = "host_sent"
    to: Address
    sender: Address
    message: AnyMessage


class HostEnded(Message):
    """Outcome of the job: the link is closed, and the process has ended or was killed."""

    type: Literal["host_ended"] = "host_ended"
    cause: FailureCause | None
    """None: the agent ended normally."""
    detail: str = ""
    """The agent's result, or what failed."""


@dataclass(frozen=True, slots=True)
class HostingPorts:
    """What placed agents use in the program."""

    fork_client: ForkClient
    model: ModelClient
    gates: RequestGates
    on_silent: Callable[[Address], None]
    """Called when a host has not answered for some seconds."""


class PlacedAgent(Actor[Message]):
    """Stands for an agent in a host process, and for its subtree."""

    relays_subtree = True

    def __init__(self, spec: HostSpec, policy: HostPolicy, ports: HostingPorts) -> None:
        """Run the agent that `spec` describes; its host may send what `policy` allows."""
        self._spec = spec
        self._policy = policy
        self._ports = ports

    def on_start(self) -> None:
        """Start the host, and watch what its agents watch.

        After a crash of this actor, the agent may be in the middle of its work, so its parent
        decides whether to continue it.
        """
        if self.incarnation > 1:
            self.finish_failed("crash", "the link to its process crashed")
            return
        for peer in (JOURNAL, PERMISSIONS, self.address.parent):
            self.watch(peer)
        self._link = HostLink(self._spec, self._ports, self.message_sink())
        self.start_job(self._link.run, _to_host_ended)

    def on_receive(self, message: Message) -> None:
        """Pass on a message, up or down."""
        match message:
            case HostSent() if self.sender == self.address:
                self._pass_up(Envelope(message.to, message.sender, message.message))
            case HostEnded() if self.sender == self.address:
                self._end(message)
            case _:
                self._policy.on_passed_down(message)
                self._link.send_down(Envelope(self.receiver, self.sender, message))

    def _pass_up(self, envelope: Envelope) -> None:
        problem = self._policy.find_problem(envelope)
        if problem:
            self._link.grace_s = 0.0
            self.finish_failed("protocol", f"the host process failed: {problem}")
        else:
            self.relay(envelope.to, envelope.message, envelope.sender)

    def _end(self, end: HostEnded) -> None:
        if end.cause is None:
            self.finish(end.detail)
        else:
            self.finish_failed(end.cause, end.detail)


class HostLink:
    """The program's end of the link to one host; runs as the job of its actor."""

    def __init__(
        self, spec: HostSpec, ports: HostingPorts, to_actor: Callable[[Message], None]
    ) -> None:
        """Queue the spec; messages can be sent before the host is started."""
        self._spec = spec
        self._ports = ports
        self._to_actor = to_actor
        self.grace_s = STOP_GRACE_S
        """Time that the host gets to stop."""
        self._end: HostEnded | None = None
        on_silent = partial(ports.on_silent, spec.started.child)
        self._link = Link(wire.make_hello(), self._on_frame, on_silent)
        self._link.send(FrameKind.SPEC, wire.spec_adapter().dump_json(spec))
        self._models = ModelServer(ports.model, ports.gates, self._send_event, self._link.drain)

    def send_down(self, envelope: Envelope) -> None:
        """Send a message to an actor in the host."""
        self._send(FrameKind.ENVELOPE, wire.encode_envelope(envelope))

    async def run(self) -> HostEnded:
        """Start the host and serve it until it ends; nothing of it is left afterwards."""
        try:
            host = await self._ports.fork_client.fork_host()
        except OSError as error:
            return HostEnded(cause="start", detail=f"no host process could be started: {error}")
        problem: LinkError | None = None
        try:
            await self._serve(host)
        except LinkError as error:
            problem, self.grace_s = error, 0.0
        finally:
            await run_to_completion(self._end_host(host))
        if problem is not None:
            is_hung = isinstance(problem, UnresponsiveError)
            cause: FailureCause = "unresponsive" if is_hung else "protocol"
            return HostEnded(cause=cause, detail=f"the host process failed: {problem}")
        return self._end or _describe_exit(host)

    async def _serve(self, host: HostProcess) -> None:
        """Serve the host until its link closes.

        Raises:
            LinkError: something is wrong with the link, or with what came over it.
        """
        loop = asyncio.get_running_loop()
        reader, writer = await asyncio.open_unix_connection(sock=host.link)

        def close_link(ended: "asyncio.Future[int]") -> None:
            """Close the link of a process that has ended, if something else has it open."""
            if ended.exception() is None:
                loop.call_later(EXIT_REPORT_S, self._link.fail, None)

        host.ended.add_done_callback(close_link)
        try:
            await self._link.run(reader, writer)
        except OSError:
            pass  # as when it is closed
        finally:
            await self._models.close()
            with suppress(LinkError):
                self._link.send(FrameKind.STOP)
            writer.close()

    async def _end_host(self, host: HostProcess) -> None:
        """Wait until the process has ended, or kill it."""
        if await _has_ended(host, self.grace_s):
            return
        self._ports.fork_client.kill(host)
        await _has_ended(host, EXIT_REPORT_S)

    def _on_frame(self, kind: FrameKind, body: bytes) -> None:
        if self._end is not None:
            problem = "it sent a message after its end"
            raise LinkError(problem)
        match kind:
            case FrameKind.ENVELOPE:
                envelope = wire.decode_envelope(body)
                self._to_actor(
                    HostSent(to=envelope.to, sender=envelope.sender, message=envelope.message)
                )
            case FrameKind.MODEL_CALL:
                self._models.on_call(wire.decode(wire.call_adapter(), body))
            case FrameKind.END:
                end = wire.decode(wire.end_adapter(), body)
                self._end = _to_end(end)
                self._link.fail(None)  # nothing follows, and the host waits for this
            case _:
                problem = f"it may not send {kind.name}"
                raise LinkError(problem)

    def _send_event(self, event: ModelEvent) -> None:
        self._send(FrameKind.MODEL_EVENT, wire.event_adapter().dump_json(event))

    def _send(self, kind: FrameKind, body: bytes) -> None:
        """Send a frame; a failure ends the job, and so the actor."""
        try:
            self._link.send(kind, body)
        except LinkError as error:
            self._link.fail(error)


def _to_end(end: ChildCompleted | ChildFailed | Message) -> HostEnded:
    match end:
        case ChildFailed():
            return HostEnded(cause=end.cause, detail=end.detail)
        case ChildCompleted():
            return HostEnded(cause=None, detail=end.result)
        case _:
            return HostEnded(cause=None)


async def _has_ended(host: HostProcess, within_s: float) -> bool:
    """Wait for the end of a process; false if it is not known, without its fork server."""
    with suppress(OSError):
        return await wait_with_timeout(asyncio.shield(host.ended), within_s)
    return False


def _describe_exit(host: HostProcess) -> HostEnded:
    if not host.ended.done() or host.ended.exception() is not None:
        return HostEnded(cause="exit", detail="the host process ended")
    status = host.ended.result()
    if status >= 0:
        return HostEnded(cause="exit", detail=f"the host process ended with status {status}")
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    hint = ", perhaps because memory ran out" if -status == signal.SIGKILL else ""
    return HostEnded(cause="signal", detail=f"the host process was killed by {name}{hint}")


def _to_host_ended(failure: JobFailure) -> HostEnded:
    """Return the outcome of a job that was cancelled, or that failed because of a fault here."""
    if failure.kind == "cancelled":
        return HostEnded(cause=None)
    return HostEnded(cause="crash", detail=failure.detail)
