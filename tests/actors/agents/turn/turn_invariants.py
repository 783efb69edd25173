"""Invariants of a turn, checked on every message in and every effect out."""

from collections import Counter
from dataclasses import dataclass, field

from actors.agents.turn.conversation_history import ConversationHistory
from actors.agents.turn.effects import (
    AskAboutLimit,
    CancelCall,
    CancelModelRequest,
    CheckRead,
    Effect,
    EvaluateCall,
    LookUpLimits,
    PauseTimer,
    PlanCall,
    PublishEvent,
    RejectPrompt,
    RequestApproval,
    RetryWrites,
    RunCall,
    ScheduleRetry,
    SendModelRequest,
    StartCompactor,
    StartTimer,
    WithdrawSubtree,
    WriteRecord,
)
from actors.agents.turn.self_messages import (
    ModelFailed,
    ModelReplied,
    ToolFailed,
    ToolPlanned,
    ToolSucceeded,
)
from actors.agents.turn.state_machine import TurnMessage
from messages.approvals import (
    ApprovalDecided,
    ApprovalRequest,
    ApprovalUnavailable,
    ApprovalWithdrawn,
    ExecApprovalRequest,
    PatchApprovalRequest,
    QuestionRequest,
)
from messages.content import ToolUseBlock
from messages.journal import Appended, AppendFailed, Record
from messages.permissions import PermissionDecision
from messages.tool_calls import CallPlan
from messages.turns import (
    CancelTurn,
    ModelRetrying,
    PersistenceChanged,
    ReplyCompleted,
    ToolEnded,
    ToolStarted,
    TurnCompleted,
    TurnFailed,
    TurnInterrupted,
    TurnStarted,
)
from tests.actors.agents.conversation_assertions import (
    Json,
    assert_sendable,
    flatten,
    omit_thinking,
)
from tests.actors.agents.turn.message_builders import COMMAND_TOOL, READ_ONLY_TOOLS
from tests.actors.agents.turn.prompt_invariants import PromptInvariants
from tests.actors.agents.turn.retry_invariants import RetryInvariants


@dataclass
class TurnInvariants:
    """Tracks the turn itself and asserts; it does not know the turn's state."""

    retries: RetryInvariants = field(default_factory=RetryInvariants)
    prompts: PromptInvariants = field(default_factory=PromptInvariants)
    history: ConversationHistory = field(default_factory=ConversationHistory)
    tools: dict[str, str] = field(default_factory=dict[str, str])
    open_calls: set[str] = field(default_factory=set[str])
    """Calls without a result."""
    running_jobs: dict[str, str] = field(default_factory=dict[str, str])
    """Running jobs by call: `plan` or `run`."""
    request_number: int = 0
    is_thinking: bool = False
    evaluations: dict[str, tuple[str, CallPlan]] = field(
        default_factory=dict[str, tuple[str, CallPlan]]
    )
    latest_evaluation: dict[str, str] = field(default_factory=dict[str, str])
    """The last evaluation of each call, until it is decided."""
    open_requests: dict[str, tuple[str, CallPlan]] = field(
        default_factory=dict[str, tuple[str, CallPlan]]
    )
    approved_plans: dict[str, CallPlan] = field(default_factory=dict[str, CallPlan])
    unread_files: dict[str, str] = field(default_factory=dict[str, str])
    """Calls whose plans depend on an unread file, with the text of their rejection."""
    read_checks: dict[str, str] = field(default_factory=dict[str, str])
    """The last read check of each such call."""
    readable_calls: set[str] = field(default_factory=set[str])
    allowed_plans: dict[str, CallPlan] = field(default_factory=dict[str, CallPlan])
    read_only_commands: set[str] = field(default_factory=set[str])
    """Commands that the engine allowed because they only read."""
    unsynced: dict[int, Record | None] = field(default_factory=dict[int, Record | None])
    """Records by append id; None: a retry of failed records."""
    synced_starts: set[str] = field(default_factory=set[str])
    """Changing calls whose start is on disk."""
    earlier_requests: dict[str, ApprovalRequest] = field(default_factory=dict[str, ApprovalRequest])
    """The last request of each call in an earlier run."""
    earlier_outcomes: dict[str, ApprovalDecided | ApprovalWithdrawn] = field(
        default_factory=dict[str, ApprovalDecided | ApprovalWithdrawn]
    )
    started_earlier: set[str] = field(default_factory=set[str])
    """Calls that started in an earlier run."""
    shown_calls: set[str] = field(default_factory=set[str])
    """Calls that the user was shown in an earlier run."""
    used_approval_ids: set[str] = field(default_factory=set[str])
    cancelled_turns: set[int] = field(default_factory=set[int])
    cancelled_before_start: set[int] = field(default_factory=set[int])
    end_counts: Counter[int] = field(default_factory=Counter[int])
    started_turns: set[int] = field(default_factory=set[int])
    recorded_ends: set[int] = field(default_factory=set[int])
    open_turn: int = 0
    persistence: str = "ok"
    """The last reported status."""
    failed_append_ids: set[int] = field(default_factory=set[int])
    """Failed appends, until a later one succeeds."""
    sent_blocks: list[tuple[object, Json]] = field(default_factory=list[tuple[object, Json]])

    def load_records(self, records: tuple[Record, ...]) -> None:
        """Start from the records of earlier runs."""
        for record in records:
            self.history.add(record)
            self.prompts.load_record(record)
            self._load_record(record)

    def _load_record(self, record: Record) -> None:
        self.retries.load_record(record)
        match record:
            case TurnStarted():
                self.open_calls, self.open_turn = set(), record.turn
                self.started_turns.add(record.turn)
            case ReplyCompleted():
                self._open_calls_of(record)
            case ToolStarted():
                self.started_earlier.add(record.call_id)
            case ToolEnded():
                self.open_calls.discard(record.call_id)
            case TurnCompleted() | TurnInterrupted() | TurnFailed():
                self.open_calls, self.open_turn = set(), 0
            case ExecApprovalRequest() | PatchApprovalRequest():
                self.started_earlier.discard(record.call_id)
                self.earlier_outcomes.pop(record.call_id, None)
                self.earlier_requests[record.call_id] = record
                self.shown_calls.add(record.call_id)
            case ApprovalDecided() | ApprovalWithdrawn():
                for call_id, request in self.earlier_requests.items():
                    if request.id == record.id:
                        self.earlier_outcomes[call_id] = record
            case _:
                pass

    def _open_calls_of(self, reply: ReplyCompleted) -> None:
        tools = {block.id: block.name for block in reply.content if isinstance(block, ToolUseBlock)}
        self.open_calls = set(tools)
        self.tools.update(tools)

    def check_idle(self) -> None:
        """Assert what holds when nothing is running."""
        assert self.open_turn == 0, "a turn was left open"
        assert self.persistence == "ok", "the end of a write failure was not reported"
        assert (self.running_jobs, self.open_requests, self.unsynced) == ({}, {}, {}), (
            "a job, request or append is left"
        )
        assert self.retries.limit_question is None, "a question is left"
        self.prompts.check_idle()

    def on_message(self, message: TurnMessage) -> None:
        """Track a message before the turn handles it."""
        self.retries.on_message(message, self.request_number if self.is_thinking else 0)
        self.prompts.on_message(message)
        match message:
            case CancelTurn():
                self.cancelled_turns.add(message.turn)
                if message.turn not in self.started_turns:
                    self.cancelled_before_start.add(message.turn)
            case ModelReplied() | ModelFailed() if message.request_number == self.request_number:
                self.is_thinking = False
            case ToolPlanned() | ToolSucceeded() | ToolFailed():
                self.running_jobs.pop(message.call_id, None)
                if isinstance(message, ToolPlanned):
                    self._on_planned(message)
                if isinstance(message, ToolFailed) and message.reason == "target_changed":
                    self._forget_decisions(message.call_id)
            case PermissionDecision():
                self._on_permission_decision(message)
            case ApprovalDecided() | ApprovalUnavailable():
                self._on_approval_outcome(message)
            case Appended() | AppendFailed():
                self._on_append_answered(message)
            case _:
                pass

    def check_effects(self, message: TurnMessage | None, effects: tuple[Effect, ...]) -> None:
        """Check the effects that the message caused."""
        if isinstance(message, CancelTurn):
            self._check_order(effects)
        for effect in effects:
            self.retries.check_effect(effect)
            self._check_effect(effect)
            self.prompts.check_effect(
                effect, is_turn_open=bool(self.open_turn), messages=self.history.messages
            )
        self.retries.check_timer(effects, is_user_asked=bool(self.open_requests))

    def _check_effect(self, effect: Effect) -> None:  # noqa: C901, PLR0912  (one case per effect)
        match effect:
            case WriteRecord() | RetryWrites():
                self._on_append(effect)
            case PublishEvent():
                self._check_event(effect)
            case SendModelRequest():
                self._check_model_request(effect)
            case PlanCall():
                self._check_plan(effect)
                self._start_job(effect.call_id, "plan")
            case CheckRead():
                self.read_checks[effect.call_id] = effect.id
                self.latest_evaluation.pop(effect.call_id, None)
            case EvaluateCall():
                assert self._may_use_file(effect.call_id), "used a file that may not be read"
                self.evaluations[effect.id] = (effect.call_id, effect.plan)
                self.latest_evaluation[effect.call_id] = effect.id
            case RequestApproval():
                self._check_approval_request(effect)
            case WithdrawSubtree():
                self.open_requests.clear()
            case RunCall():
                self._check_run(effect)
            case CancelModelRequest():
                is_open = self.is_thinking or self.retries.pending_retry
                assert is_open, "cancelled a request that has ended"
            case AskAboutLimit():
                assert effect.id not in self.used_approval_ids, "an id is used twice"
                self.used_approval_ids.add(effect.id)
            case ScheduleRetry() | StartTimer() | PauseTimer() | LookUpLimits() | StartCompactor():
                pass
            case CancelCall():
                assert effect.call_id in self.running_jobs, "cancelled a job that has ended"
            case _:
                assert isinstance(effect, RejectPrompt), "an effect on subagents without subagents"

    def _on_append(self, effect: WriteRecord | RetryWrites) -> None:
        self.unsynced[effect.append_id] = None
        if isinstance(effect, WriteRecord):
            self.unsynced[effect.append_id] = effect.record
            self.history.add(effect.record)
            self._check_record(effect.record)

    # Messages

    def _on_planned(self, message: ToolPlanned) -> None:
        self.readable_calls.discard(message.call_id)
        self.unread_files.pop(message.call_id, None)
        if message.plan.unread_file:
            self.unread_files[message.call_id] = message.plan.rejection

    def _may_use_file(self, call_id: str) -> bool:
        """Return whether no file was read, or the agent may read it, or the user has seen it."""
        return call_id not in self.unread_files or call_id in self.readable_calls | self.shown_calls

    def _on_permission_decision(self, decision: PermissionDecision) -> None:
        for call_id, check_id in self.read_checks.items():
            if check_id == decision.id and decision.action == "allow":
                self.readable_calls.add(call_id)
        call_id, plan = self.evaluations.get(decision.id, ("", None))
        if plan is None or self.latest_evaluation.get(call_id) != decision.id:
            return
        del self.latest_evaluation[call_id]
        self.read_only_commands.discard(call_id)
        if self.tools[call_id] == COMMAND_TOOL and decision.action == "allow":
            self.read_only_commands |= {call_id} if decision.changes_nothing else set()
        is_approved = self.approved_plans.get(call_id) == plan or self._was_approved_earlier(
            call_id, plan
        )
        if decision.action == "allow" or (decision.action == "ask" and is_approved):
            self.allowed_plans[call_id] = plan

    def _was_approved_earlier(self, call_id: str, plan: CallPlan) -> bool:
        outcome, request = self.earlier_outcomes.get(call_id), self.earlier_requests.get(call_id)
        if request is None or not _is_user_approval(outcome) or request.requests != plan.requests:
            return False
        if isinstance(request, PatchApprovalRequest):
            return plan.patch is not None and plan.patch.diff == request.diff
        if isinstance(request, QuestionRequest):
            return plan.questions == request.questions
        return plan.patch is None and plan.full_text == request.command

    def _on_approval_outcome(self, message: ApprovalDecided | ApprovalUnavailable) -> None:
        call_id, plan = self.open_requests.pop(message.id, ("", None))
        if plan is not None and _is_user_approval(message):
            self.approved_plans[call_id] = plan

    def _forget_decisions(self, call_id: str) -> None:
        for plans in (
            self.approved_plans,
            self.allowed_plans,
            self.latest_evaluation,
            self.earlier_requests,
            self.earlier_outcomes,
        ):
            plans.pop(call_id, None)

    def _on_append_answered(self, answer: Appended | AppendFailed) -> None:
        """Track what is on disk; appends sent after a failed one fail with it."""
        if isinstance(answer, AppendFailed):
            if answer.id in self.unsynced and answer.id not in self.failed_append_ids:
                self.failed_append_ids.update(self.unsynced)
            return
        for append_id in [unsynced_id for unsynced_id in self.unsynced if unsynced_id <= answer.id]:
            record = self.unsynced.pop(append_id)
            self.failed_append_ids.discard(append_id)
            if isinstance(record, ToolStarted):
                self.synced_starts.add(record.call_id)
            if isinstance(record, TurnCompleted | TurnInterrupted | TurnFailed):
                self.recorded_ends.add(record.turn)

    # Effects

    def _check_plan(self, effect: PlanCall) -> None:
        assert effect.call_id in self.open_calls, "planned after its result"
        assert effect.call_id not in self.started_earlier, "restarted a call of an earlier run"
        outcome = self.earlier_outcomes.get(effect.call_id)
        is_denied = isinstance(outcome, ApprovalDecided) and outcome.decision == "no"
        assert not is_denied, "planned a call that the user denied"

    def _check_approval_request(self, effect: RequestApproval) -> None:
        assert effect.id not in self.used_approval_ids, "an id is used twice"
        assert not self.failed_append_ids, "requested approval while writes fail"
        self.used_approval_ids.add(effect.id)
        earlier = self.earlier_requests.get(effect.call_id)
        if earlier is not None and effect.call_id not in self.earlier_outcomes:
            assert effect.id == earlier.id, "an open request got another id"
            del self.earlier_requests[effect.call_id]
        self.open_requests[effect.id] = (effect.call_id, effect.plan)

    def _check_order(self, effects: tuple[Effect, ...]) -> None:
        """Assert that approvals are withdrawn before anything is cancelled."""
        cancels = [isinstance(effect, CancelModelRequest | CancelCall) for effect in effects]
        withdraws = [isinstance(effect, WithdrawSubtree) for effect in effects]
        if True in withdraws and True in cancels:
            assert withdraws.index(True) < cancels.index(True), "cancelled before it withdrew"

    def _start_job(self, call_id: str, kind: str) -> None:
        assert call_id not in self.running_jobs, f"{call_id} has a job already"
        assert self.open_turn not in self.cancelled_turns, "started after the turn's cancel"
        self.running_jobs[call_id] = kind

    def _check_run(self, effect: RunCall) -> None:
        call_id = effect.call_id
        assert self.allowed_plans.pop(call_id, None) == effect.plan, (
            "ran a call that was not allowed"
        )
        assert call_id in self.open_calls, "ran after its result"
        assert call_id not in self.started_earlier, "reran a call of an earlier run"
        running = [job_id for job_id, kind in self.running_jobs.items() if kind == "run"]
        if self.tools[call_id] not in READ_ONLY_TOOLS:
            assert call_id in self.synced_starts, "a changing call before its start was on disk"
        if not self._only_reads(call_id):
            assert not running, "a changing call in parallel with another"
            first_open = next(tool_id for tool_id in self.tools if tool_id in self.open_calls)
            assert call_id == first_open, "a changing call before the calls before it had ended"
        assert all(map(self._only_reads, running)), "ran in parallel with a changing call"
        self._start_job(call_id, "run")

    def _only_reads(self, call_id: str) -> bool:
        return self.tools[call_id] in READ_ONLY_TOOLS or call_id in self.read_only_commands

    def _check_model_request(self, effect: SendModelRequest) -> None:
        is_settled = self.failed_append_ids.issuperset(self.unsynced)
        assert is_settled, "sent a model request while records were being written"
        assert not self.open_calls, "sent a model request with open calls"
        assert not self.running_jobs, "sent a model request while a job was running"
        assert not self.is_thinking, "sent two model requests"
        assert self.open_turn not in self.cancelled_turns, (
            "sent a model request after the turn's cancel"
        )
        messages = tuple(self.history.messages)
        assert_sendable(messages)
        blocks: list[tuple[object, Json]] = [(role, block) for role, block in flatten(messages)]
        assert blocks[: len(self.sent_blocks)] == self.sent_blocks, "the prefix changed"
        self.sent_blocks, self.is_thinking = blocks, True
        self.request_number = effect.request_number

    def _check_record(self, record: Record) -> None:
        match record:
            case ModelRetrying(reason="thinking_rejected"):
                self.sent_blocks = omit_thinking(self.sent_blocks)
            case TurnStarted():
                assert self.open_turn == 0, "a turn started within another"
                assert record.turn not in self.cancelled_before_start, (
                    "started a turn that was cancelled before"
                )
                self.open_turn = record.turn
                self.started_turns.add(record.turn)
            case ReplyCompleted():
                assert not self.is_thinking, "recorded a reply to another request"
                self._open_calls_of(record)
            case ToolEnded():
                assert record.call_id in self.open_calls, f"{record.call_id} has a result already"
                self.open_calls.discard(record.call_id)
                assert record.call_id not in self.running_jobs, "a result while its job is running"
                secret = self.unread_files.get(record.call_id) or record
                is_leaked = record.text == secret and not self._may_use_file(record.call_id)
                assert not is_leaked, "leaked the content of an unreadable file"
            case TurnCompleted() | TurnInterrupted() | TurnFailed():
                self._check_turn_end(record)
            case _:
                pass

    def _check_turn_end(self, record: TurnCompleted | TurnInterrupted | TurnFailed) -> None:
        assert not self.open_calls, "ended with open calls"
        assert not self.running_jobs, "ended while a job was running"
        assert not self.is_thinking, "ended during a model request"
        self.retries.check_end(record)
        assert not self.open_requests, "ended with an open approval request"
        if isinstance(record, TurnInterrupted):
            assert record.turn in self.cancelled_turns, "interrupted without a cancel"

    def _check_event(self, effect: PublishEvent) -> None:
        event = effect.event
        if isinstance(event, PersistenceChanged):
            self._check_persistence(event)
        if not isinstance(event, TurnCompleted | TurnInterrupted | TurnFailed):
            return
        self.end_counts[event.turn] += 1
        assert self.end_counts[event.turn] == 1, f"turn {event.turn} ended twice"
        if event.turn != self.open_turn:
            assert event.turn in self.cancelled_before_start, "ended without a start"
            return
        has_failed = event in [self.unsynced[append_id] for append_id in self.failed_append_ids]
        assert has_failed or event.turn in self.recorded_ends, "reported before it was on disk"
        assert not self.running_jobs, "ended while a job was running"
        assert not self.open_requests, "ended with an open approval request"
        self.open_turn, self.open_calls, self.is_thinking = 0, set(), False

    def _check_persistence(self, changed: PersistenceChanged) -> None:
        """Assert that each write failure and its end are reported once."""
        assert changed.state != self.persistence, "reported the same status twice"
        is_failing = changed.state == "failing"
        assert is_failing == bool(self.failed_append_ids), "reported a wrong status"
        self.persistence = changed.state


def _is_user_approval(
    outcome: ApprovalDecided | ApprovalUnavailable | ApprovalWithdrawn | None,
) -> bool:
    return (
        isinstance(outcome, ApprovalDecided)
        and outcome.decision != "no"
        and outcome.decided_by == "user"
    )
