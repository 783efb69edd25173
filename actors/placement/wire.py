"""What the frames of a link to a host process contain, and its JSON form."""

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core import from_json, to_json

from actors.agents.definition.definition import Definition
from actors.agents.definition.system_prompts import Instructions
from actors.agents.turn.compaction_state import CompactionSettings
from actors.agents.turn.limits import Limits
from actors.models.model_client import ModelRequest, Reply, ReplyDelta
from actors.paths.resolve import WorkspacePaths
from actors.paths.workspace import Workspace
from actors.placement.frames import Hello, LinkError
from actors.sandbox.policy import SandboxSettings
from messages import serialization
from messages.address import Address
from messages.base import Value
from messages.child_lifecycle import ChildEnded
from messages.envelope import Envelope
from messages.failure_reasons import ModelFailureReason
from messages.model_limits import ModelLimitsFound
from messages.policy import PermissionProfile
from messages.subagents import AssignTask, SubagentStarted
from messages.turns import RequestPaused, SessionConfigured

LINK_VERSION = 1
"""Changes with the frames and with what this module defines."""


@dataclass(frozen=True, slots=True)
class HostSession:
    """What a host knows of its session: no key, no port, no journal."""

    definitions: tuple[Definition, ...]
    kind_definitions: tuple[Definition, ...]
    instructions: tuple[Instructions, ...]
    limits: Limits
    workspace: Workspace
    output_folder: Path
    plan_file: Path
    ripgrep_path: str | None
    session_configured: SessionConfigured
    compaction: CompactionSettings
    max_depth: int
    run: int
    has_environment: bool
    """Prompts are accompanied by a description of the environment."""
    is_trusted: bool
    snapshot_folder: Path | None
    """Where the workspace is kept before and after each turn; None: it is not kept."""
    sandbox: "HostSandbox | None"
    """None: commands run without a sandbox."""


@dataclass(frozen=True, slots=True)
class HostSandbox:
    """What a host's `Sandbox` is created from."""

    workspace: WorkspacePaths
    settings: SandboxSettings
    state_folder: Path
    protected: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class HostSpec:
    """The agent that a host runs."""

    session: HostSession
    started: SubagentStarted
    task: AssignTask
    ancestors: tuple[PermissionProfile, ...]
    has_records: bool


# From a host: model requests. `id` counts the host's requests.


class Admit(Value):
    """Wait for the gate of a model; answered by any number of `Paused`, then `Admitted`."""

    op: Literal["admit"] = "admit"
    id: int
    model: str


class Send(Value):
    """Send an admitted request; answered by `Delta`s, then `Replied` or `Failed`."""

    op: Literal["send"] = "send"
    id: int
    request: ModelRequest


class Cancel(Value):
    """Forget a request, and close its connection."""

    op: Literal["cancel"] = "cancel"
    id: int


class LookUpLimits(Value):
    """Ask for a model's limits; answered by `LimitsFound`."""

    op: Literal["look_up_limits"] = "look_up_limits"
    id: int
    model: str


ModelCall = Admit | Send | Cancel | LookUpLimits


# To a host: what arrives for a model request.


class Paused(Value):
    """The gate is closed."""

    op: Literal["paused"] = "paused"
    id: int
    paused: RequestPaused


class Admitted(Value):
    """The request may be sent."""

    op: Literal["admitted"] = "admitted"
    id: int


class Delta(Value):
    """A part of the reply."""

    op: Literal["delta"] = "delta"
    id: int
    delta: ReplyDelta


class Replied(Value):
    """The complete reply."""

    op: Literal["replied"] = "replied"
    id: int
    reply: Reply


class Failed(Value):
    """The request ended without a reply; the fields are those of `ModelError`."""

    op: Literal["failed"] = "failed"
    id: int
    reason: ModelFailureReason
    detail: str
    is_retryable: bool
    retry_after_s: float


class LimitsFound(Value):
    """The model's limits; None: the server did not say."""

    op: Literal["limits_found"] = "limits_found"
    id: int
    limits: ModelLimitsFound | None


ModelEvent = Paused | Admitted | Delta | Replied | Failed | LimitsFound


@cache
def spec_adapter() -> TypeAdapter[HostSpec]:
    """Return the adapter for a host's spec."""
    return TypeAdapter(HostSpec)


@cache
def call_adapter() -> TypeAdapter[ModelCall]:
    """Return the adapter for what a host asks of the model."""
    return TypeAdapter(Annotated[ModelCall, Field(discriminator="op")])


@cache
def event_adapter() -> TypeAdapter[ModelEvent]:
    """Return the adapter for what a host is told of the model."""
    return TypeAdapter(Annotated[ModelEvent, Field(discriminator="op")])


@cache
def end_adapter() -> TypeAdapter[ChildEnded]:
    """Return the adapter for the end of a host's agent."""
    return TypeAdapter(Annotated[ChildEnded, Field(discriminator="type")])


def make_hello() -> Hello:
    """Return the hello of this program."""
    return Hello(version=LINK_VERSION, schema_hash=_get_schema_hash())


@cache
def _get_schema_hash() -> str:
    """Return a fingerprint of the names and fields of all message types."""
    types = [
        (message_type.__name__, sorted(message_type.model_fields))
        for module in serialization.MESSAGE_MODULES
        for message_type in serialization.message_types_in(module)
    ]
    return hashlib.sha256(to_json(sorted(types))).hexdigest()[:16]


def encode_envelope(envelope: Envelope) -> bytes:
    """Encode a message with its receiver and sender."""
    head = to_json({"to": envelope.to, "sender": envelope.sender})
    return b"%d %b%b" % (len(head), head, serialization.encode(envelope.message))


def decode_envelope(body: bytes) -> Envelope:
    """Decode a message with its receiver and sender.

    Raises:
        LinkError: it is none.
    """
    try:
        size, _, rest = body.partition(b" ")
        head: Any = from_json(rest[: int(size)])
        message = serialization.decode(rest[int(size) :])
        return Envelope(Address(head["to"]), Address(head["sender"]), message)
    except (ValueError, KeyError, TypeError) as error:
        problem = "a message cannot be read"
        raise LinkError(problem) from error


def decode(adapter: TypeAdapter[Any], body: bytes) -> Any:  # noqa: ANN401  (the adapter's type)
    """Decode another body.

    Raises:
        LinkError: it is not what the adapter describes.
    """
    try:
        return adapter.validate_json(body)
    except ValidationError as error:
        problem = "a message cannot be read"
        raise LinkError(problem) from error
