"""Watches a turn from outside: every message in, every effect out, and what must never be so."""

from collections import Counter
from dataclasses import dataclass, field

from actors.agents.turn.conversation_history import ConversationHistory
from actors.agents.turn.effects import (
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
    PersistenceChanged,
    ReplyCompleted,
    StartTurn,
    ToolEnded,
    ToolStarted,
    TurnCompleted,
    TurnFailed,
    TurnInterrupted,
    TurnStarted,
)
from tests.actors.agents.conversation_assertions import Json, assert_sendable, flatten
from tests.actors.agents.turn.message_builders import READ_ONLY_TOOLS
from tests.actors.agents.turn.retry_invariants import RetryInvariants


@dataclass
class TurnInvariants:
    """Keeps its own account and asserts; it knows nothing of the turn's state."""

    retries: RetryInvariants = field(default_factory=RetryInvariants)
    history: ConversationHistory = field(default_factory=ConversationHistory)
    tools: dict[str, str] = field(default_factory=dict[str, str])
    open_calls: set[str] = field(default_factory=set[str])
    """Calls without a result."""
    running_jobs: dict[str, str] = field(default_factory=dict[str, str])
    """Live works by call: `plan` or `run`."""
    request_number: int = 0
    is_thinking: bool = False
    evaluations: dict[str, tuple[str, CallPlan]] = field(
        default_factory=dict[str, tuple[str, CallPlan]]
    )
    latest_evaluation: dict[str, str] = field(default_factory=dict[str, str])
    """The last query of each call, until its verdict came."""
    open_requests: dict[str, tuple[str, CallPlan]] = field(
        default_factory=dict[str, tuple[str, CallPlan]]
    )
    approved_plans: dict[str, CallPlan] = field(default_factory=dict[str, CallPlan])
    unread_files: dict[str, str] = field(default_factory=dict[str, str])
    """Calls whose plans depend on a file that was not read, with what their refusal says."""
    read_checks: dict[str, str] = field(default_factory=dict[str, str])
    """The last question of each such call whether its file may be read."""
    readable_calls: set[str] = field(default_factory=set[str])
    allowed_plans: dict[str, CallPlan] = field(default_factory=dict[str, CallPlan])
    unsynced: dict[int, Record | None] = field(default_factory=dict[int, Record | None])
    """By mark; None: what the disk refused before."""
    synced_starts: set[str] = field(default_factory=set[str])
    """Changing calls whose start is on disk."""
    earlier_requests: dict[str, ApprovalRequest] = field(default_factory=dict[str, ApprovalRequest])
    """The last question of each call in an earlier run."""
    earlier_outcomes: dict[str, ApprovalDecided | ApprovalWithdrawn] = field(
        default_factory=dict[str, ApprovalDecided | ApprovalWithdrawn]
    )
    started_earlier: set[str] = field(default_factory=set[str])
    """Calls that began in an earlier run."""
    shown_calls: set[str] = field(default_factory=set[str])
    """Calls of an earlier run that a person was shown."""
    used_approval_ids: set[str] = field(default_factory=set[str])
    cancelled_turns: set[int] = field(default_factory=set[int])
    cancelled_before_start: set[int] = field(default_factory=set[int])
    prompts: list[int] = field(default_factory=list[int])
    end_counts: Counter[int] = field(default_factory=Counter[int])
    started_turns: set[int] = field(default_factory=set[int])
    recorded_ends: set[int] = field(default_factory=set[int])
    open_turn: int = 0
    persistence: str = "well"
    """What people were told of it."""
    failed_append_ids: set[int] = field(default_factory=set[int])
    """Marks that the disk refused, until it takes a later one."""
    sent_blocks: list[tuple[object, Json]] = field(default_factory=list[tuple[object, Json]])

    def load_records(self, records: tuple[Record, ...]) -> None:
        """Know what the disk knows."""
        for record in records:
            self.history.add(record)
            self._recalled(record)

    def _recalled(self, record: Record) -> None:
        match record:
            case TurnStarted():
                self.open_calls, self.open_turn = set(), record.turn
                self.started_turns.add(record.turn)
            case ReplyCompleted():
                uses = [block for block in record.content if isinstance(block, ToolUseBlock)]
                self.open_calls = {each.id for each in uses}
                self.tools.update({each.id: each.name for each in uses})
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
                for call_id, asked in self.earlier_requests.items():
                    if asked.id == record.id:
                        self.earlier_outcomes[call_id] = record
            case _:
                pass

    def check_idle(self) -> None:
        """Hold what must be so when nothing is under way."""
        assert self.open_turn == 0, "a turn was left open"
        assert self.persistence == "well", "nobody was told that the disk is well"
        assert (self.running_jobs, self.open_requests, self.unsynced) == ({}, {}, {}), (
            "something was left"
        )
        ended = [turn for turn in self.prompts if self.end_counts[turn] == 1]
        assert ended == self.prompts, "a prompt was lost"

    def on_message(self, message: TurnMessage) -> None:  # noqa: C901  (one case a message)
        """Take note of a message before the turn does."""
        self.retries.on_message(message, self.request_number if self.is_thinking else 0)
        match message:
            case StartTurn() if message.turn not in self.prompts:
                self.prompts.append(message.turn)
            case CancelTurn():
                self.cancelled_turns.add(message.turn)
                if message.turn not in self.started_turns:
                    self.cancelled_before_start.add(message.turn)
            case ModelReplied() | ModelFailed() if message.request_number == self.request_number:
                self.is_thinking = False
            case ToolPlanned() | ToolSucceeded() | ToolFailed():
                self.running_jobs.pop(message.call_id, None)
                if isinstance(message, ToolPlanned):
                    self._looked(message)
                if isinstance(message, ToolFailed) and message.reason == "target_changed":
                    self._forget(message.call_id)
            case PermissionDecision():
                self._judged(message)
            case ApprovalDecided() | ApprovalUnavailable():
                self._ended_question(message)
            case Appended() | AppendFailed():
                self._disk_said(message)
            case _:
                pass

    def check_effects(self, message: TurnMessage | None, effects: tuple[Effect, ...]) -> None:
        """Check what the turn wants done about it."""
        if isinstance(message, CancelTurn):
            self._check_order(effects)
        for effect in effects:
            self.retries.check_effect(effect)
            self._sees(effect)
        self.retries.check_timer(effects, is_user_asked=bool(self.open_requests))

    def _sees(self, effect: Effect) -> None:  # noqa: C901, PLR0912  (one case an effect)
        match effect:
            case WriteRecord() | RetryWrites():
                self._appended(effect)
            case PublishEvent():
                self._reported(effect)
            case SendModelRequest():
                self._asked_model(effect)
            case PlanCall():
                self._planned(effect)
                self._begin(effect.call_id, "plan")
            case CheckRead():
                self.read_checks[effect.call_id] = effect.id
                self.latest_evaluation.pop(effect.call_id, None)
            case EvaluateCall():
                assert self._knows(effect.call_id), "went by a file that may not be read"
                self.evaluations[effect.id] = (effect.call_id, effect.plan)
                self.latest_evaluation[effect.call_id] = effect.id
            case RequestApproval():
                self._asked(effect)
            case WithdrawSubtree():
                self.open_requests.clear()
            case RunCall():
                self._ran(effect)
            case CancelModelRequest():
                at_work = self.is_thinking or self.retries.pending_retry
                assert at_work, "stopped a request that has ended"
            case ScheduleRetry() | StartTimer() | PauseTimer() | LookUpLimits():
                pass
            case CancelCall():
                assert effect.call_id in self.running_jobs, "stopped a work that has ended"
            case _:
                assert isinstance(effect, RejectPrompt), "it has nobody below"

    def _appended(self, effect: WriteRecord | RetryWrites) -> None:
        self.unsynced[effect.append_id] = None
        if isinstance(effect, WriteRecord):
            self.unsynced[effect.append_id] = effect.record
            self.history.add(effect.record)
            self._written(effect.record)

    # What it hears.

    def _looked(self, message: ToolPlanned) -> None:
        self.readable_calls.discard(message.call_id)
        self.unread_files.pop(message.call_id, None)
        if message.plan.unread_file:
            self.unread_files[message.call_id] = message.plan.rejection

    def _knows(self, call_id: str) -> bool:
        """Whether nothing was looked into, or it may be read, or a person saw it already."""
        return call_id not in self.unread_files or call_id in self.readable_calls | self.shown_calls

    def _judged(self, verdict: PermissionDecision) -> None:
        for call_id, peek in self.read_checks.items():
            if peek == verdict.id and verdict.action == "allow":
                self.readable_calls.add(call_id)
        call_id, plan = self.evaluations.get(verdict.id, ("", None))
        if plan is None or self.latest_evaluation.get(call_id) != verdict.id:
            return
        del self.latest_evaluation[call_id]
        agreed = self.approved_plans.get(call_id) == plan or self._agreed_before(call_id, plan)
        if verdict.action == "allow" or (verdict.action == "ask" and agreed):
            self.allowed_plans[call_id] = plan

    def _agreed_before(self, call_id: str, plan: CallPlan) -> bool:
        answer, asked = self.earlier_outcomes.get(call_id), self.earlier_requests.get(call_id)
        yes = isinstance(answer, ApprovalDecided) and answer.decision != "no"
        by_person = isinstance(answer, ApprovalDecided) and answer.decided_by == "person"
        if asked is None or not (yes and by_person) or asked.requests != plan.requests:
            return False
        if isinstance(asked, PatchApprovalRequest):
            return plan.patch is not None and plan.patch.diff == asked.diff
        if isinstance(asked, QuestionRequest):
            return plan.questions == asked.questions
        return plan.patch is None and plan.full_text == asked.command

    def _ended_question(self, message: ApprovalDecided | ApprovalUnavailable) -> None:
        call_id, plan = self.open_requests.pop(message.id, ("", None))
        answer = message.decision if isinstance(message, ApprovalDecided) else "no"
        by_person = isinstance(message, ApprovalDecided) and message.decided_by == "person"
        if plan is not None and answer != "no" and by_person:
            self.approved_plans[call_id] = plan

    def _forget(self, call_id: str) -> None:
        for kept in (
            self.approved_plans,
            self.allowed_plans,
            self.latest_evaluation,
            self.earlier_requests,
            self.earlier_outcomes,
        ):
            kept.pop(call_id, None)

    def _disk_said(self, answer: Appended | AppendFailed) -> None:
        """Take note of what is on disk; what was sent behind a refused one is refused as well."""
        if isinstance(answer, AppendFailed):
            if answer.id in self.unsynced and answer.id not in self.failed_append_ids:
                self.failed_append_ids.update(self.unsynced)
            return
        for each in [each for each in self.unsynced if each <= answer.id]:
            record = self.unsynced.pop(each)
            self.failed_append_ids.discard(each)
            if isinstance(record, ToolStarted):
                self.synced_starts.add(record.call_id)
            if isinstance(record, TurnCompleted | TurnInterrupted | TurnFailed):
                self.recorded_ends.add(record.turn)

    # What it sees.

    def _planned(self, effect: PlanCall) -> None:
        assert effect.call_id in self.open_calls, "planned after its result"
        assert effect.call_id not in self.started_earlier, (
            "begins again what began in an earlier run"
        )
        answer = self.earlier_outcomes.get(effect.call_id)
        denied = isinstance(answer, ApprovalDecided) and answer.decision == "no"
        assert not denied, "begins though a person said no"

    def _asked(self, effect: RequestApproval) -> None:
        assert effect.id not in self.used_approval_ids, "an id is used twice"
        assert not self.failed_append_ids, "asked a person though the disk refuses"
        self.used_approval_ids.add(effect.id)
        open_before = self.earlier_requests.get(effect.call_id)
        if open_before is not None and effect.call_id not in self.earlier_outcomes:
            assert effect.id == open_before.id, "asks again under another id"
            del self.earlier_requests[effect.call_id]
        self.open_requests[effect.id] = (effect.call_id, effect.plan)

    def _check_order(self, effects: tuple[Effect, ...]) -> None:
        """Withdraw before abort."""
        stops = [isinstance(each, CancelModelRequest | CancelCall) for each in effects]
        withdraws = [isinstance(each, WithdrawSubtree) for each in effects]
        if True in withdraws and True in stops:
            assert withdraws.index(True) < stops.index(True), "stopped before it withdrew"

    def _begin(self, call_id: str, kind: str) -> None:
        assert call_id not in self.running_jobs, f"{call_id} has a work already"
        assert self.open_turn not in self.cancelled_turns, "began after its cancel"
        self.running_jobs[call_id] = kind

    def _ran(self, effect: RunCall) -> None:
        call_id = effect.call_id
        assert self.allowed_plans.pop(call_id, None) == effect.plan, "ran what nobody allowed"
        assert call_id in self.open_calls, "ran after its result"
        assert call_id not in self.started_earlier, "ran again what began in an earlier run"
        running = [each for each, kind in self.running_jobs.items() if kind == "run"]
        if self.tools[call_id] not in READ_ONLY_TOOLS:
            assert not running, "a changing call beside another"
            assert call_id in self.synced_starts, "a changing call before its start was on disk"
        assert all(self.tools[each] in READ_ONLY_TOOLS for each in running), (
            "beside a changing call"
        )
        self._begin(call_id, "run")

    def _asked_model(self, effect: SendModelRequest) -> None:
        settled = self.failed_append_ids.issuperset(self.unsynced)
        assert settled, "asked the model before all was on disk, or refused by it"
        assert not self.open_calls, "asked the model with calls open"
        assert not self.running_jobs, "asked the model while a call was at work"
        assert not self.is_thinking, "asked the model twice"
        assert self.open_turn not in self.cancelled_turns, "asked the model after the turn's cancel"
        messages = tuple(self.history.messages)
        assert_sendable(messages)
        now: list[tuple[object, Json]] = [(role, block) for role, block in flatten(messages)]
        assert now[: len(self.sent_blocks)] == self.sent_blocks, "the prefix changed"
        self.sent_blocks, self.is_thinking, self.request_number = now, True, effect.request_number

    def _written(self, record: Record) -> None:
        match record:
            case TurnStarted():
                assert self.open_turn == 0, "a turn began in another"
                assert record.turn not in self.cancelled_before_start, (
                    "began though it was cancelled before"
                )
                self.open_turn = record.turn
                self.started_turns.add(record.turn)
            case ReplyCompleted():
                assert not self.is_thinking, "took a reply that was not to the last request"
                uses = [block for block in record.content if isinstance(block, ToolUseBlock)]
                self.open_calls = {each.id for each in uses}
                self.tools.update({each.id: each.name for each in uses})
            case ToolEnded():
                assert record.call_id in self.open_calls, f"{record.call_id} has a result already"
                self.open_calls.discard(record.call_id)
                kinds = [self.running_jobs.get(record.call_id)]
                assert kinds == [None], "a result while its work is alive"
                secret = self.unread_files.get(record.call_id) or record
                told = record.text == secret and not self._knows(record.call_id)
                assert not told, "told what is in a file that may not be read"
            case TurnCompleted() | TurnInterrupted() | TurnFailed():
                self._closed(record)
            case _:
                pass

    def _closed(self, record: TurnCompleted | TurnInterrupted | TurnFailed) -> None:
        assert not self.open_calls, "ended with calls open"
        assert not self.running_jobs, "ended while something was at work"
        assert not self.is_thinking, "ended while the model was speaking"
        self.retries.check_end(record)
        assert not self.open_requests, "ended with a question open"
        if isinstance(record, TurnInterrupted):
            assert record.turn in self.cancelled_turns, "interrupted, and nobody had asked for it"

    def _reported(self, effect: PublishEvent) -> None:
        event = effect.event
        if isinstance(event, PersistenceChanged):
            self._disk_changed(event)
        if not isinstance(event, TurnCompleted | TurnInterrupted | TurnFailed):
            return
        self.end_counts[event.turn] += 1
        assert self.end_counts[event.turn] == 1, f"turn {event.turn} ended twice"
        if event.turn != self.open_turn:
            assert event.turn in self.cancelled_before_start, "ended without having begun"
            return
        refused = event in [self.unsynced[mark] for mark in self.failed_append_ids]
        assert refused or event.turn in self.recorded_ends, "reported before it was on disk"
        assert not self.running_jobs, "ended while something was at work"
        assert not self.open_requests, "ended with a question open"
        self.open_turn, self.open_calls, self.is_thinking = 0, set(), False

    def _disk_changed(self, news: PersistenceChanged) -> None:
        """Hold that people are told of each trouble once, and of its end."""
        assert news.state != self.persistence, "told twice of the disk"
        assert (news.state == "failing") == bool(self.failed_append_ids), "not told how the disk is"
        self.persistence = news.state
