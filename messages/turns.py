"""Requests to an agent, and the events that it reports during a turn.

Events marked *recorded* are also journal records; the conversation is rebuilt from them alone.
"""

from typing import Literal

from pydantic import Field

from messages.base import Message, Value
from messages.compaction import Compacted, CompactionFailed
from messages.content import ContentBlock, Usage
from messages.effort import Effort
from messages.failure_reasons import MAX_DURATION_S, LimitReason, ModelFailureReason
from messages.policy import CommandSandbox, PermissionMode
from messages.reviews import ReviewEnded, ReviewStarted
from messages.snapshots import ChangesUndone, SnapshotFailed, SnapshotTaken
from messages.steering import PromptDelivered, PromptsReturned
from messages.subagents import (
    NotificationDelivered,
    SubagentBackgrounded,
    SubagentEnded,
    SubagentQueued,
    SubAgentSource,
    SubagentsPaused,
    SubagentStarted,
)
from messages.todos import Todo
from messages.tool_calls import FileDigest


class StartTurn(Message):
    """A message from the user; starts a turn, unless the running one can take it in before."""

    notify_undelivered = True
    type: Literal["start_turn"] = "start_turn"
    turn: int = Field(ge=1)
    """Assigned by the sender, so that a cancel that overtakes its prompt still applies to it.

    Greater than that of every earlier prompt, so that one that arrives twice is ignored."""
    text: str
    mentions: tuple[str, ...] = ()
    """Words that the user typed after an `@` and that may name files."""
    starts_turn: bool = False
    """It waits for the running turn and is never delivered to it, nor returned: a headless run has
    one prompt, and its result is that of the prompt's turn."""


class TurnNumberTaken(Message):
    """The agent has used the number of a prompt for a turn of its own; send it again."""

    type: Literal["turn_number_taken"] = "turn_number_taken"
    prompt: StartTurn
    next_turn: int


class CancelTurn(Message):
    """Interrupt turn `turn` and everything it started."""

    high_priority = True
    type: Literal["cancel_turn"] = "cancel_turn"
    turn: int


class SetModel(Message):
    """Use a different model, starting with the next request."""

    type: Literal["set_model"] = "set_model"
    model: str = Field(min_length=1)


class SetEffort(Message):
    """Use another effort, starting with the next request; None: the model's default."""

    type: Literal["set_effort"] = "set_effort"
    effort: Effort | None


class SwitchAgent(Message):
    """Continue as another primary agent; answered by `AgentSwitched` or `SwitchAgentFailed`."""

    notify_undelivered = True
    type: Literal["switch_agent"] = "switch_agent"
    agent: str = ""
    """Name of a definition; empty: the previous agent."""


class AgentSwitched(Message):
    """Recorded: a synthetic user message; from here on, another agent runs the session."""

    type: Literal["agent_switched"] = "agent_switched"
    id: str
    agent: str
    previous_agent: str
    """The agent to switch back to."""
    text: str
    """Shown to the model."""
    max_mode: PermissionMode
    """The loosest mode that the agent may use."""


class SwitchAgentFailed(Message):
    """The agent was not switched."""

    type: Literal["switch_agent_failed"] = "switch_agent_failed"
    agent: str
    detail: str


class InstructionFile(Value):
    """An instruction file that is part of the system prompt."""

    path: str
    file_bytes: int
    truncated: bool = False
    """Only the beginning of the file is included."""


class SessionConfigured(Message):
    """An agent is ready; describes the agent and its session."""

    type: Literal["session_configured"] = "session_configured"
    session_id: str
    session_file: str = ""
    """Absolute path of the session file."""
    agent: str
    model: str
    effort: Effort | None = None
    """None: the model's default."""
    mode: PermissionMode
    """The session's mode when the agent started."""
    max_mode: PermissionMode = "yolo"
    """The loosest mode that the agent may use."""
    cwd: str
    is_scripted: bool
    """The offline scripted model is used."""
    next_turn: int
    running_turn: int | None = None
    """A turn that an earlier run left unfinished and that continues now."""
    queued_prompts: tuple[int, ...] = ()
    """Numbers of the user's prompts that wait for the running turn."""
    resumed: bool = False
    instruction_files: tuple[InstructionFile, ...] = ()
    """In the order in which they appear in the prompt."""
    workspace_trusted: bool = False
    """The user trusts the workspace, so its settings and instructions apply."""
    subagent_source: SubAgentSource | None = None
    """What started this subagent; None: it is the primary agent."""


class Attachment(Value):
    """A file or folder that the user mentioned with `@`, as it was when the turn started."""

    mention: str
    """As the user wrote it, without the `@`."""
    summary: str = ""
    """How much is attached, for the user."""
    problem: str = ""
    """Why it is not attached, for the user; empty: it is."""
    text: str
    """For the model: the content, or why there is none."""
    observed_files: tuple[FileDigest, ...] = ()
    """As in `ToolEnded`."""


class TurnStarted(Message):
    """Recorded: the agent started a turn."""

    type: Literal["turn_started"] = "turn_started"
    turn: int
    prompt: str
    environment: str = ""
    """Describes the environment, or what changed in it, to the model; empty: nothing new."""
    attachments: tuple[Attachment, ...] = ()
    """Sent between the environment and the prompt."""
    task_number: int = 0
    """The subagent's task that the turn works on; 0: a prompt from the user."""
    has_prompt: bool = True
    """False: the agent started it itself, because background tasks ended."""


class TextDelta(Message):
    """More text of the reply that is streaming."""

    type: Literal["text_delta"] = "text_delta"
    text: str


class ThinkingDelta(Message):
    """More of the model's reasoning that is streaming."""

    type: Literal["thinking_delta"] = "thinking_delta"
    text: str


class ToolInputDelta(Message):
    """More characters of a tool call's arguments; the arguments follow when they are complete."""

    type: Literal["tool_input_delta"] = "tool_input_delta"
    char_count: int = Field(ge=1)


class ReplyActivity(Message):
    """Something of the reply arrived that adds nothing to show: its first event, or a ping.

    Sent for the first event, and then at most every few seconds.
    """

    type: Literal["reply_activity"] = "reply_activity"


class CommandOutput(Message):
    """The end of a running command's output so far; replaces what was reported before.

    Sent only to those who watch the agent, never up the tree.
    """

    type: Literal["command_output"] = "command_output"
    call_id: str
    text: str


Delta = TextDelta | ThinkingDelta | ToolInputDelta | ReplyActivity


class ReplyProgress(Message):
    """Progress of a subagent's streaming reply, reported instead of its deltas.

    Sent when the reply begins, when its text begins, and then each time it has grown noticeably.
    """

    type: Literal["reply_progress"] = "reply_progress"
    turn: int
    char_count: int = Field(ge=0)
    """Characters received so far: text, reasoning and tool arguments."""
    has_text: bool
    """The reply's text has begun."""


NO_USAGE = Usage()


def _is_no_usage(usage: Usage) -> bool:
    return usage == NO_USAGE


class RequestInfo(Value):
    """Describes a model request without its messages, which follow from earlier records."""

    number: int = 0
    """Counts the agent's model requests, from 1, over all turns and runs."""
    prefix: str = ""
    """Id of the `RequestPrefix` that was sent: model, system prompt and tools."""
    max_tokens: int = 0
    """Longest reply that was requested."""
    effort: Effort | None = None
    """None: the model's default."""
    duration_s: float = Field(default=0, ge=0, le=MAX_DURATION_S)
    """Time from sending the request to its outcome."""
    usage: Usage = Field(default=NO_USAGE, exclude_if=_is_no_usage)
    """Usage of a request that ended its turn without a reply; no other event reports it."""


class ReplyCompleted(Message):
    """Recorded: one complete reply, exactly as it is sent back in the next request."""

    type: Literal["reply_completed"] = "reply_completed"
    turn: int
    content: tuple[ContentBlock, ...]
    stop_reason: str
    usage: Usage
    model: str
    """As the server names it."""
    request: RequestInfo = RequestInfo()
    """The request that it answers."""
    task_number: int = 0
    """As in `TurnStarted`."""


class ModelChanged(Message):
    """Recorded: from now on, the agent's requests use another model."""

    type: Literal["model_changed"] = "model_changed"
    model: str


class EffortChanged(Message):
    """Recorded: from now on, the agent's requests use another effort."""

    type: Literal["effort_changed"] = "effort_changed"
    effort: Effort | None
    """None: the model's default."""


class ModelRetrying(Message):
    """Recorded: a request failed and will be retried; its partial reply is discarded.

    Not sent again, by reason: `thinking_rejected`: thinking of earlier replies ·
    `compaction_rejected`: that and the compaction block · `setting_rejected`: that setting.
    """

    type: Literal["model_retrying"] = "model_retrying"
    turn: int
    attempt: int
    """Number of this retry, from 1."""
    max_attempts: int
    """The turn fails after this many retries."""
    wait_s: float = Field(ge=0, le=MAX_DURATION_S)
    reason: ModelFailureReason
    detail: str
    """Shown to the user: what happened and where."""
    partial_text: str = ""
    """Text of the interrupted reply."""
    usage: Usage = Usage()
    """Usage of the failed request."""
    request: RequestInfo = RequestInfo()
    """The failed request."""


class RequestPaused(Message):
    """A request was not sent yet: the provider limits the requests of all agents.

    Reported again when the end of the wait changes; followed by `RequestResumed`, or by the end of
    the request.
    """

    type: Literal["request_paused"] = "request_paused"
    reason: ModelFailureReason
    detail: str
    """Shown to the user: the failure of another request that hit the limit."""
    wait_s: float = Field(ge=0, le=MAX_DURATION_S)
    """Time until the limit is checked again; 0: that is happening now."""


class RequestResumed(Message):
    """A paused request is being sent."""

    type: Literal["request_resumed"] = "request_resumed"


class UsageChanged(Message):
    """The size of the conversation and the agent's total usage."""

    type: Literal["usage_changed"] = "usage_changed"
    context_tokens: int
    """Size of the conversation after the last reply."""
    context_window_tokens: int
    """Size of the model's context window."""
    total_usage: Usage
    """Usage of the whole session, including earlier runs."""


class ToolStarted(Message):
    """A tool call begins to run.

    Recorded before a changing call runs: if no `ToolEnded` follows, its outcome is unknown.
    """

    type: Literal["tool_started"] = "tool_started"
    turn: int
    call_id: str
    tool: str
    title: str
    sandbox: CommandSandbox | None = None
    """For a command: the sandbox that it runs in; None: none."""


ToolStatus = Literal["ok", "error", "denied", "cancelled", "unknown"]
"""ok · error: it failed or was rejected; the text says why · denied: by a rule or the user, did not
run · cancelled · unknown: it started, but its outcome is not known."""


class ToolEnded(Message):
    """Recorded: the result of one `tool_use` block; there is exactly one."""

    type: Literal["tool_ended"] = "tool_ended"
    turn: int
    call_id: str
    tool: str
    title: str
    target: str = ""
    """The first target of the call, listed under `denials`."""
    status: ToolStatus
    text: str
    """Shown to the model."""
    diff: str = ""
    """The change to a file, shown to the user; truncated with a note if long."""
    observed_files: tuple[FileDigest, ...] = ()
    """Files that the call read or wrote, as the agent saw them last."""
    no_user: bool = False
    """The call was denied because it needs approval and no user could be asked."""


class TodosUpdated(Message):
    """Recorded: the agent's complete todo list; the last one applies."""

    type: Literal["todos_updated"] = "todos_updated"
    turn: int
    todos: tuple[Todo, ...]


class TurnCompleted(Message):
    """Recorded: the model ended the turn."""

    type: Literal["turn_completed"] = "turn_completed"
    turn: int
    text: str
    stop_reason: str
    usage: Usage
    task_number: int = 0
    """As in `TurnStarted`."""


class TurnInterrupted(Message):
    """Recorded: the user interrupted the turn; everything it started has ended."""

    type: Literal["turn_interrupted"] = "turn_interrupted"
    turn: int
    partial_text: str = ""
    """Text of the interrupted reply."""
    usage: Usage = Usage()
    request: RequestInfo = RequestInfo()
    """The request that was interrupted; number 0: none."""
    task_number: int = 0
    """As in `TurnStarted`."""


TurnFailureReason = (
    ModelFailureReason | LimitReason | Literal["max_tokens", "refusal", "unexpected_stop_reason"]
)


class TurnFailed(Message):
    """Recorded: the turn failed. Nothing is lost; a new prompt continues the conversation."""

    type: Literal["turn_failed"] = "turn_failed"
    turn: int
    reason: TurnFailureReason
    detail: str
    partial_text: str = ""
    usage: Usage = Usage()
    request: RequestInfo = RequestInfo()
    """The request that failed; number 0: none."""
    task_number: int = 0
    """As in `TurnStarted`."""


RequestOutcome = ReplyCompleted | ModelRetrying | TurnInterrupted | TurnFailed
"""Records that name the model request that they end, if they end one."""
PersistenceStatus = Literal["ok", "slow", "failing"]


class PersistenceChanged(Message):
    """Whether the session file can be written.

    While it cannot, no changing call runs, and records wait until it can be written again.
    """

    type: Literal["persistence_changed"] = "persistence_changed"
    state: PersistenceStatus
    detail: str = ""
    """Shown to the user: which file, and why writing fails."""


TurnEnded = TurnCompleted | TurnInterrupted | TurnFailed
UpwardEvent = (
    TurnStarted
    | ReplyProgress
    | ReplyCompleted
    | ModelChanged
    | EffortChanged
    | AgentSwitched
    | SwitchAgentFailed
    | ModelRetrying
    | RequestPaused
    | RequestResumed
    | UsageChanged
    | ToolStarted
    | ToolEnded
    | TodosUpdated
    | Compacted
    | CompactionFailed
    | PromptDelivered
    | PromptsReturned
    | TurnEnded
    | SubagentStarted
    | SubagentQueued
    | SubagentBackgrounded
    | SubagentsPaused
    | SubagentEnded
    | ReviewStarted
    | ReviewEnded
    | SnapshotTaken
    | SnapshotFailed
    | ChangesUndone
    | NotificationDelivered
    | PersistenceChanged
)
"""Events that an agent forwards to its parent: all except deltas and `SessionConfigured`."""
AgentEvent = SessionConfigured | Delta | CommandOutput | UpwardEvent
