"""What an agent is told, and what it reports while a turn runs.

Reports marked *recorded* are journal lines too: they alone rebuild the conversation.
Long because it is all that is said of a turn.
"""

from typing import Literal

from pydantic import Field

from messages.base import Message, Value
from messages.content import ContentBlock, Usage
from messages.model_events import MAX_DURATION_S, LimitReason, ModelFailureReason
from messages.policy import PermissionMode
from messages.subagents import SubagentEnded, SubagentQueued, SubagentStarted
from messages.user_questions import Todo


class StartTurn(Message):
    """A person's (or parent's) message; starts turn `turn`, or waits until the running one ends."""

    notify_undelivered = True
    type: Literal["start_turn"] = "start_turn"
    turn: int = Field(ge=1)
    """Counted up by the sender, so that a cancel that overtakes its prompt still finds it."""
    text: str


class CancelTurn(Message):
    """Interrupt turn `turn` and whatever it started."""

    high_priority = True
    type: Literal["cancel_turn"] = "cancel_turn"
    turn: int


class SetModel(Message):
    """Use another model from the next request on."""

    type: Literal["set_model"] = "set_model"
    model: str = Field(min_length=1)


class SwitchAgent(Message):
    """Go on as another primary agent; answered by `AgentSwitched` or `SwitchAgentFailed`."""

    notify_undelivered = True
    type: Literal["switch_agent"] = "switch_agent"
    agent: str = ""
    """Empty: the one before this one."""


class AgentSwitched(Message):
    """Recorded: a user's message that no user wrote; from it on another agent has the session."""

    type: Literal["agent_switched"] = "agent_switched"
    id: str
    agent: str
    previous_agent: str
    """Whom the session goes back to."""
    synthetic: Literal[True] = True
    text: str
    """What the model reads."""
    max_mode: PermissionMode
    """The loosest mode that the agent works in."""


class SwitchAgentFailed(Message):
    """The agent stays who it is."""

    type: Literal["switch_agent_failed"] = "switch_agent_failed"
    agent: str
    detail: str


class InstructionFile(Value):
    """A file of instructions that is part of the system prompt."""

    path: str
    file_bytes: int
    truncated: bool = False
    """Only its beginning is."""


class SessionConfigured(Message):
    """An agent is ready: who it is and where it works."""

    type: Literal["session_configured"] = "session_configured"
    session_id: str
    session_file: str = ""
    """The session's, absolute."""
    agent: str
    model: str
    mode: PermissionMode
    """The session's when it began."""
    max_mode: PermissionMode = "yolo"
    """The loosest mode that the agent works in."""
    cwd: str
    is_scripted: bool
    """The model is a script, not a model."""
    next_turn: int
    running_turn: int | None = None
    """A turn that an earlier run left open, and that goes on now."""
    resumed: bool = False
    instruction_files: tuple[InstructionFile, ...] = ()
    """In the order of the prompt."""
    workspace_trusted: bool = False
    """The user trusts the workspace: what its files say counts."""


class TurnStarted(Message):
    """Recorded: the agent took up a prompt."""

    type: Literal["turn_started"] = "turn_started"
    turn: int
    prompt: str


class TextDelta(Message):
    """More text of the reply that is being streamed."""

    type: Literal["text_delta"] = "text_delta"
    text: str


class ThinkingDelta(Message):
    """More of the model's reasoning."""

    type: Literal["thinking_delta"] = "thinking_delta"
    text: str


class ToolInputDelta(Message):
    """More of the arguments of a call; they are told of whole, once nothing can cut them off."""

    type: Literal["tool_input_delta"] = "tool_input_delta"
    char_count: int = Field(ge=1)


Delta = TextDelta | ThinkingDelta | ToolInputDelta


class ReplyProgress(Message):
    """A subagent is at a reply: told at times in the place of its stream, which nobody above gets.

    When its text begins, and each time that so much more has come that people would want to know.
    """

    type: Literal["reply_progress"] = "reply_progress"
    turn: int
    char_count: int = Field(ge=0)
    """That have come of it: text, reasoning and arguments of calls."""
    has_text: bool
    """Its text has begun."""


class ReplyCompleted(Message):
    """Recorded: one whole reply of the model, exactly as it goes back in the next request."""

    type: Literal["reply_completed"] = "reply_completed"
    turn: int
    content: tuple[ContentBlock, ...]
    stop_reason: str
    usage: Usage
    model: str


class ModelChanged(Message):
    """Recorded: the agent's requests go to another model from now on."""

    type: Literal["model_changed"] = "model_changed"
    model: str


class ModelRetrying(Message):
    """Recorded: a request failed and is sent again after a wait; what had streamed is void."""

    type: Literal["model_retrying"] = "model_retrying"
    turn: int
    attempt: int
    """Counts the retries of this request, from 1."""
    max_attempts: int
    """After so many the turn fails."""
    wait_s: float = Field(ge=0, le=MAX_DURATION_S)
    reason: ModelFailureReason
    detail: str
    """For people: what happened, where."""
    partial_text: str = ""
    """Text of the reply that was cut off; it begins anew."""
    usage: Usage = Usage()
    """Of the failed request."""


class UsageChanged(Message):
    """How full the conversation is, and what the agent has used in all."""

    type: Literal["usage_changed"] = "usage_changed"
    context_tokens: int
    """The conversation as the last reply left it."""
    context_window_tokens: int
    """The longest conversation that the model takes."""
    total_usage: Usage
    """Of the whole session, earlier runs included."""


class ToolStarted(Message):
    """A call begins to run.

    Recorded before a changing one: when no end follows, its outcome is unknown.
    """

    type: Literal["tool_started"] = "tool_started"
    turn: int
    call_id: str
    tool: str
    title: str


ToolStatus = Literal["ok", "error", "denied", "cancelled", "unknown"]
"""ok · error: it ran or was refused, and the text says how · denied: by rule or person, never ran ·
cancelled · unknown: it began, and nobody knows how it ended."""


class ToolEnded(Message):
    """Recorded: the one result of one `tool_use`."""

    type: Literal["tool_ended"] = "tool_ended"
    turn: int
    call_id: str
    tool: str
    title: str
    target: str = ""
    """The first thing it would have touched; for `denials`."""
    status: ToolStatus
    text: str
    """What the model reads."""
    diff: str = ""
    """What it changed in a file, for people; a long one is cut, and says so."""


class TodosUpdated(Message):
    """Recorded: the agent's ledger of what is to be done; whole each time, the last one counts."""

    type: Literal["todos_updated"] = "todos_updated"
    turn: int
    todos: tuple[Todo, ...]


class TurnCompleted(Message):
    """Recorded: the model ended its turn."""

    type: Literal["turn_completed"] = "turn_completed"
    turn: int
    text: str
    stop_reason: str
    usage: Usage


class TurnInterrupted(Message):
    """Recorded: a person stopped the turn; everything it started has ended."""

    type: Literal["turn_interrupted"] = "turn_interrupted"
    turn: int
    partial_text: str = ""
    """Text of the reply that was cut off."""
    usage: Usage = Usage()


TurnFailureReason = (
    ModelFailureReason | LimitReason | Literal["max_tokens", "refusal", "stop_reason"]
)


class TurnFailed(Message):
    """Recorded: the turn could not go on; nothing is lost, a new prompt goes on from here."""

    type: Literal["turn_failed"] = "turn_failed"
    turn: int
    reason: TurnFailureReason
    detail: str
    partial_text: str = ""
    usage: Usage = Usage()


PersistenceStatus = Literal["well", "slow", "failing"]


class PersistenceChanged(Message):
    """The session's file is written again, takes long, or cannot be written.

    While it fails, nothing is changed whose record would be missing; what was said is kept, and
    written as soon as there is room.
    """

    type: Literal["persistence_changed"] = "persistence_changed"
    state: PersistenceStatus
    detail: str = ""
    """For people: which file, and why it fails."""


TurnEnded = TurnCompleted | TurnInterrupted | TurnFailed
UpwardEvent = (
    TurnStarted
    | ReplyProgress
    | ReplyCompleted
    | ModelChanged
    | AgentSwitched
    | SwitchAgentFailed
    | ModelRetrying
    | UsageChanged
    | ToolStarted
    | ToolEnded
    | TodosUpdated
    | TurnCompleted
    | TurnInterrupted
    | TurnFailed
    | SubagentStarted
    | SubagentQueued
    | SubagentEnded
    | PersistenceChanged
)
"""What goes up from agent to agent: every event but what streams, and who somebody is."""
AgentEvent = SessionConfigured | Delta | UpwardEvent
