"""The state of an agent's current turn.

Idle → preparing prompt → recording prompt → thinking (→ retrying) → acting → recording results →
thinking … → recording end → idle. The recording stages wait until their records are on disk. Before
thinking, a conversation that is too long is compacted.
"""

from dataclasses import dataclass, replace
from enum import Enum, auto

from actors.agents.turn.agent_identity import AgentIdentity
from actors.agents.turn.limits import LimitReached, TimerState
from actors.agents.turn.prompt_queue import QueuedPrompt
from actors.agents.turn.retry import RetryState
from actors.agents.turn.with_changes import with_changes
from messages.approvals import ApprovalRequest
from messages.content import ToolUseBlock, Usage
from messages.policy import CommandSandbox, FileReadPolicy, PermissionRequest
from messages.subagents import SubagentStarted
from messages.tool_calls import AgentSwitchProposal, CallPlan, FileDigest
from messages.turns import (
    RequestInfo,
    ToolStatus,
    TurnEnded,
    TurnFailed,
    TurnFailureReason,
    TurnInterrupted,
)

MAX_TITLE_CHARS = 200


class TurnStage(Enum):
    """Stage of a turn."""

    IDLE = auto()
    PREPARING_PROMPT = auto()
    """The environment and the attachments are read; not every prompt needs any."""
    RECORDING_PROMPT = auto()
    THINKING = auto()
    RETRYING = auto()
    """A request failed and is sent again after a delay."""
    ACTING = auto()
    RECORDING_RESULTS = auto()
    PAUSED = auto()
    """The next request waits until the user has decided about a limit."""
    COMPACTING = auto()
    """The next request waits until the conversation is shorter."""
    RECORDING_END = auto()


class CallStage(Enum):
    """Stage of a tool call."""

    WAITING = auto()
    PLANNING = auto()
    CHECKING_READ = auto()
    """The permission engine decides whether the agent may read the file the plan depends on."""
    AWAITING_SLOT = auto()
    """It is evaluated when the agent has a concurrency slot again."""
    EVALUATING = auto()
    AWAITING_APPROVAL = auto()
    AWAITING_SPAWN = auto()
    """The supervisor decides whether a subagent may be started for it."""
    AWAITING_BUDGET = auto()
    """The user decides whether more subagents may be started."""
    AWAITING_SNAPSHOT = auto()
    """The workspace is kept as it is before the turn changes it."""
    STARTING = auto()
    """The record of its start is being written."""
    RUNNING = auto()
    DONE = auto()


WAITS_FOR_USER = (CallStage.AWAITING_APPROVAL, CallStage.AWAITING_BUDGET)


@dataclass(frozen=True)
class ToolCall:
    """One `tool_use` block and its progress toward its one result."""

    tool_use: ToolUseBlock
    is_changing: bool
    """Its tool may change something, so its start is recorded before it runs."""
    is_undecided: bool = False
    """The permission engine has yet to find out whether it only reads, as some commands do."""
    is_command: bool = False
    is_read_only_command: bool = False
    """It is a command, and the permission engine has found that it only reads."""
    stage: CallStage = CallStage.WAITING
    plan: CallPlan | None = None
    approval_id: str = ""
    """Id of its approval request; empty: none yet."""
    approval_reason: str = ""
    """Why it needs approval: the rule and source that decided."""
    is_approved: bool = False
    """The user approved exactly this plan, with these `resolved_requests`."""
    resolved_requests: tuple[PermissionRequest, ...] = ()
    """The permission requests the user was shown, links resolved."""
    recorded_approval: ApprovalRequest | None = None
    """After a resume: the request the user approved; it is valid if the new plan is the same."""
    final_result: tuple[ToolStatus, str] | None = None
    """After a resume: the result that the user's recorded answer gives the call."""
    switch_proposal: AgentSwitchProposal | None = None
    """After a resume: the switch that the recorded answer confirmed."""
    decision_id: str = ""
    """Id of its last permission evaluation; decisions with another id are late."""
    sandbox: CommandSandbox | None = None
    """The sandbox that the command was allowed or approved to run in."""
    read_policy: FileReadPolicy | None = None
    """Policy for each file it opens, where it opens many."""
    target_changes: int = 0
    """How often its target changed between plan and run."""
    start_append_id: int = 0
    """The append that must be on disk before it runs."""
    observed_files: tuple[FileDigest, ...] = ()
    """Files that it has read or written."""
    subagent_started: SubagentStarted | None = None
    """The subagent that runs it, if one does."""

    @property
    def runs_alone(self) -> bool:
        """It waits for all calls before it and blocks all calls after it."""
        return self.is_changing and not self.is_read_only_command

    @property
    def may_change_files(self) -> bool:
        """It is a change of a file, or a command that may do anything."""
        has_patch = self.plan is not None and self.plan.patch is not None
        return self.runs_alone and (has_patch or self.is_command)

    @property
    def title(self) -> str:
        """What the user sees of it, also before it is planned."""
        if self.plan:
            return self.plan.title
        texts = [value for value in self.tool_use.input.values() if isinstance(value, str)]
        return " ".join((self.tool_use.name, *texts[:1]))[:MAX_TITLE_CHARS]


def build_call(tool_use: ToolUseBlock, identity: AgentIdentity) -> ToolCall:
    """Return a call as it starts."""
    return ToolCall(
        tool_use,
        is_changing=tool_use.name not in identity.read_only_tools,
        is_undecided=tool_use.name in identity.command_tools,
        is_command=tool_use.name in identity.command_tools,
    )


@dataclass(frozen=True)
class TurnState:
    """The current turn, or the last one while the agent is idle."""

    number: int = 0
    task_number: int = 0
    """The task that the turn works on; 0: a prompt from the user."""
    stage: TurnStage = TurnStage.IDLE
    calls: tuple[ToolCall, ...] = ()
    """Calls of the last reply."""
    request_number: int = 0
    """Model requests so far, in all turns."""
    evaluation_count: int = 0
    """Permission evaluations so far, in all turns."""
    approval_count: int = 0
    """Approval requests so far, in all turns."""
    retry: RetryState = RetryState()  # noqa: RUF009  (frozen, so it may be shared)
    malformed_replies: int = 0
    """Consecutive replies with a call whose arguments were not valid JSON."""
    failed_request: RequestInfo = RequestInfo()  # noqa: RUF009  (as above)
    """The request whose failure ends the turn."""
    timer: TimerState = TimerState()  # noqa: RUF009  (as above)
    is_stopping: bool = False
    """The turn was cancelled and waits for what it started to end."""
    limit_reached: LimitReached | None = None
    """The limit that ends the turn; None while stopping: the user stopped it."""
    pending_end: TurnEnded | None = None
    """How the turn ends, once that is on disk."""
    usage: Usage = Usage()  # noqa: RUF009  (as above)

    @property
    def is_active(self) -> bool:
        """The turn has started and its end has not been decided."""
        return self.stage not in (TurnStage.IDLE, TurnStage.RECORDING_END)

    @property
    def has_open_approval(self) -> bool:
        """A call of the turn waits for the user's approval."""
        return any(call.stage is CallStage.AWAITING_APPROVAL for call in self.calls)

    @property
    def only_waits_for_others(self) -> bool:
        """Every unfinished call waits for a subagent or the user, or behind such a call."""
        if self.stage is not TurnStage.ACTING:
            return False
        waits_for_others = False
        for call in self.calls:
            is_run_by_subagent = call.stage is CallStage.RUNNING and call.subagent_started
            if is_run_by_subagent or call.stage in WAITS_FOR_USER:
                waits_for_others = True
            elif call.stage not in (CallStage.DONE, CallStage.WAITING):
                return False
        return waits_for_others

    @property
    def awaited_ids(self) -> frozenset[str]:
        """Ids of all evaluations and approval requests that the turn waits for."""
        evaluation_stages = (CallStage.CHECKING_READ, CallStage.EVALUATING)
        decision_ids = (call.decision_id for call in self.calls if call.stage in evaluation_stages)
        approval_ids = (
            call.approval_id for call in self.calls if call.stage is CallStage.AWAITING_APPROVAL
        )
        return frozenset((*decision_ids, *approval_ids))

    def find_call(self, call_id: str, *stages: CallStage) -> ToolCall | None:
        """Return the call with this id if it is in one of `stages`; otherwise a message is late."""
        for call in self.calls:
            if call.tool_use.id == call_id and call.stage in stages:
                return call
        return None

    def find_call_awaiting(self, approval_id: str) -> ToolCall | None:
        """Return the call that waits for an approval."""
        for call in self.calls:
            if call.stage is CallStage.AWAITING_APPROVAL and call.approval_id == approval_id:
                return call
        return None

    def with_call(self, new: ToolCall) -> "TurnState":
        """Return the turn with one call replaced."""
        call_id = new.tool_use.id
        calls = [new if call.tool_use.id == call_id else call for call in self.calls]
        return with_changes(self, calls=tuple(calls))

    def with_next_turn(self, prompt: QueuedPrompt, limit_s: float | None) -> "TurnState":
        """Return the state at the start of the next turn, whose time limit is `limit_s`."""
        return with_changes(
            self,
            number=prompt.turn,
            task_number=prompt.task_number,
            usage=Usage(),
            retry=RetryState(),
            malformed_replies=0,
            failed_request=RequestInfo(),
            timer=replace(self.timer, remaining_s=limit_s),
        )

    def with_end(self, end: TurnEnded) -> "TurnState":
        """Return the turn while its end is being recorded."""
        return with_changes(self, stage=TurnStage.RECORDING_END, pending_end=end)

    def without_turn(self) -> "TurnState":
        """Return the state after the turn: the agent is idle."""
        return with_changes(
            self,
            stage=TurnStage.IDLE,
            calls=(),
            is_stopping=False,
            limit_reached=None,
            pending_end=None,
        )

    def build_interruption(self, partial_text: str = "") -> TurnEnded:
        """Return the end of a turn that the user or a limit stopped."""
        limit = self.limit_reached
        if limit is not None:
            return self.build_failure(limit.reason, limit.detail, partial_text)
        return TurnInterrupted(
            turn=self.number,
            partial_text=partial_text,
            usage=self.usage,
            request=self.failed_request,
            task_number=self.task_number,
        )

    def build_failure(self, reason: TurnFailureReason, detail: str, partial_text: str) -> TurnEnded:
        """Return the end of a turn that failed."""
        return TurnFailed(
            turn=self.number,
            reason=reason,
            detail=detail,
            partial_text=partial_text,
            usage=self.usage,
            request=self.failed_request,
            task_number=self.task_number,
        )
