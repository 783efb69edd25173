"""Watches a turn from outside: every message in, every effect out, and what must never be so."""

from collections import Counter
from dataclasses import dataclass, field

from actors.agents.effects import (
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
    StopCall,
    WithdrawSubtree,
    WriteRecord,
)
from actors.agents.history import History
from actors.agents.turn import TurnMessage
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
from messages.models import ModelFailed, ModelReplied
from messages.permissions import PermissionDecision
from messages.tools import CallPlan, ToolFailed, ToolPlanned, ToolSucceeded
from messages.transcript import Appended, AppendFailed, Record
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
from tests.actors.agents.conversation import Json, assert_sendable, flat
from tests.actors.agents.patience import Patience
from tests.actors.agents.scripts import READING


@dataclass
class Observer:
    """Keeps its own account and asserts; it knows nothing of the turn's state."""

    patience: Patience = field(default_factory=Patience)
    history: History = field(default_factory=History)
    tools: dict[str, str] = field(default_factory=dict[str, str])
    owed: set[str] = field(default_factory=set[str])
    """Calls without a result."""
    works: dict[str, str] = field(default_factory=dict[str, str])
    """Live works by call: `plan` or `run`."""
    asked_model: int = 0
    thinking: bool = False
    queries: dict[str, tuple[str, CallPlan]] = field(
        default_factory=dict[str, tuple[str, CallPlan]]
    )
    current: dict[str, str] = field(default_factory=dict[str, str])
    """The last query of each call, until its verdict came."""
    parked: dict[str, tuple[str, CallPlan]] = field(default_factory=dict[str, tuple[str, CallPlan]])
    consented: dict[str, CallPlan] = field(default_factory=dict[str, CallPlan])
    looked_into: dict[str, str] = field(default_factory=dict[str, str])
    """Calls whose plans depend on a file that was not read, with what their refusal says."""
    peeks: dict[str, str] = field(default_factory=dict[str, str])
    """The last question of each such call whether its file may be read."""
    may_know: set[str] = field(default_factory=set[str])
    may_run: dict[str, CallPlan] = field(default_factory=dict[str, CallPlan])
    unsynced: dict[int, Record | None] = field(default_factory=dict[int, Record | None])
    """By mark; None: what the disk refused before."""
    started: set[str] = field(default_factory=set[str])
    """Changing calls whose start is on disk."""
    questions: dict[str, ApprovalRequest] = field(default_factory=dict[str, ApprovalRequest])
    """The last question of each call in an earlier run."""
    answers: dict[str, ApprovalDecided | ApprovalWithdrawn] = field(
        default_factory=dict[str, ApprovalDecided | ApprovalWithdrawn]
    )
    never: set[str] = field(default_factory=set[str])
    """Calls that began in an earlier run."""
    was_asked: set[str] = field(default_factory=set[str])
    """Calls of an earlier run that a person was shown."""
    minted: set[str] = field(default_factory=set[str])
    cancelled: set[int] = field(default_factory=set[int])
    overtaken: set[int] = field(default_factory=set[int])
    prompts: list[int] = field(default_factory=list[int])
    ends: Counter[int] = field(default_factory=Counter[int])
    begun: set[int] = field(default_factory=set[int])
    recorded_ends: set[int] = field(default_factory=set[int])
    open_turn: int = 0
    disk: str = "well"
    """What people were told of it."""
    refused: set[int] = field(default_factory=set[int])
    """Marks that the disk refused, until it takes a later one."""
    sent: list[tuple[object, Json]] = field(default_factory=list[tuple[object, Json]])

    def recall(self, records: tuple[Record, ...]) -> None:
        """Know what the disk knows."""
        for record in records:
            self.history.add(record)
            self._recalled(record)

    def _recalled(self, record: Record) -> None:
        match record:
            case TurnStarted():
                self.owed, self.open_turn = set(), record.turn
                self.begun.add(record.turn)
            case ReplyCompleted():
                uses = [block for block in record.content if isinstance(block, ToolUseBlock)]
                self.owed = {each.id for each in uses}
                self.tools.update({each.id: each.name for each in uses})
            case ToolStarted():
                self.never.add(record.call_id)
            case ToolEnded():
                self.owed.discard(record.call_id)
            case TurnCompleted() | TurnInterrupted() | TurnFailed():
                self.owed, self.open_turn = set(), 0
            case ExecApprovalRequest() | PatchApprovalRequest():
                self.never.discard(record.call_id)
                self.answers.pop(record.call_id, None)
                self.questions[record.call_id] = record
                self.was_asked.add(record.call_id)
            case ApprovalDecided() | ApprovalWithdrawn():
                for call_id, asked in self.questions.items():
                    if asked.id == record.id:
                        self.answers[call_id] = record
            case _:
                pass

    def at_rest(self) -> None:
        """Hold what must be so when nothing is under way."""
        assert self.open_turn == 0, "a turn was left open"
        assert self.disk == "well", "nobody was told that the disk is well"
        assert (self.works, self.parked, self.unsynced) == ({}, {}, {}), "something was left"
        ended = [turn for turn in self.prompts if self.ends[turn] == 1]
        assert ended == self.prompts, "a prompt was lost"

    def hears(self, message: TurnMessage) -> None:  # noqa: C901  (one case a message)
        """Take note of a message before the turn does."""
        self.patience.hears(message, self.asked_model if self.thinking else 0)
        match message:
            case StartTurn() if message.turn not in self.prompts:
                self.prompts.append(message.turn)
            case CancelTurn():
                self.cancelled.add(message.turn)
                if message.turn not in self.begun:
                    self.overtaken.add(message.turn)
            case ModelReplied() | ModelFailed() if message.request == self.asked_model:
                self.thinking = False
            case ToolPlanned() | ToolSucceeded() | ToolFailed():
                self.works.pop(message.call_id, None)
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

    def sees(self, message: TurnMessage | None, effects: tuple[Effect, ...]) -> None:
        """Check what the turn wants done about it."""
        if isinstance(message, CancelTurn):
            self._check_order(effects)
        for effect in effects:
            self.patience.sees(effect)
            self._sees(effect)
        self.patience.settles(effects, asking=bool(self.parked))

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
                self.peeks[effect.call_id] = effect.id
                self.current.pop(effect.call_id, None)
            case EvaluateCall():
                assert self._knows(effect.call_id), "went by a file that may not be read"
                self.queries[effect.id] = (effect.call_id, effect.plan)
                self.current[effect.call_id] = effect.id
            case RequestApproval():
                self._asked(effect)
            case WithdrawSubtree():
                self.parked.clear()
            case RunCall():
                self._ran(effect)
            case CancelModelRequest():
                at_work = self.thinking or self.patience.waiting
                assert at_work, "stopped a request that has ended"
            case ScheduleRetry() | StartTimer() | PauseTimer() | LookUpLimits():
                pass
            case StopCall():
                assert effect.call_id in self.works, "stopped a work that has ended"
            case _:
                assert isinstance(effect, RejectPrompt), "it has nobody below"

    def _appended(self, effect: WriteRecord | RetryWrites) -> None:
        self.unsynced[effect.mark] = None
        if isinstance(effect, WriteRecord):
            self.unsynced[effect.mark] = effect.record
            self.history.add(effect.record)
            self._written(effect.record)

    # What it hears.

    def _looked(self, message: ToolPlanned) -> None:
        self.may_know.discard(message.call_id)
        self.looked_into.pop(message.call_id, None)
        if message.plan.unread_file:
            self.looked_into[message.call_id] = message.plan.refusal

    def _knows(self, call_id: str) -> bool:
        """Whether nothing was looked into, or it may be read, or a person saw it already."""
        return call_id not in self.looked_into or call_id in self.may_know | self.was_asked

    def _judged(self, verdict: PermissionDecision) -> None:
        for call_id, peek in self.peeks.items():
            if peek == verdict.id and verdict.action == "allow":
                self.may_know.add(call_id)
        call_id, plan = self.queries.get(verdict.id, ("", None))
        if plan is None or self.current.get(call_id) != verdict.id:
            return
        del self.current[call_id]
        agreed = self.consented.get(call_id) == plan or self._agreed_before(call_id, plan)
        if verdict.action == "allow" or (verdict.action == "ask" and agreed):
            self.may_run[call_id] = plan

    def _agreed_before(self, call_id: str, plan: CallPlan) -> bool:
        answer, asked = self.answers.get(call_id), self.questions.get(call_id)
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
        call_id, plan = self.parked.pop(message.id, ("", None))
        answer = message.decision if isinstance(message, ApprovalDecided) else "no"
        by_person = isinstance(message, ApprovalDecided) and message.decided_by == "person"
        if plan is not None and answer != "no" and by_person:
            self.consented[call_id] = plan

    def _forget(self, call_id: str) -> None:
        for kept in (self.consented, self.may_run, self.current, self.questions, self.answers):
            kept.pop(call_id, None)

    def _disk_said(self, answer: Appended | AppendFailed) -> None:
        """Take note of what is on disk; what was sent behind a refused one is refused as well."""
        if isinstance(answer, AppendFailed):
            if answer.id in self.unsynced and answer.id not in self.refused:
                self.refused.update(self.unsynced)
            return
        for each in [each for each in self.unsynced if each <= answer.id]:
            record = self.unsynced.pop(each)
            self.refused.discard(each)
            if isinstance(record, ToolStarted):
                self.started.add(record.call_id)
            if isinstance(record, TurnCompleted | TurnInterrupted | TurnFailed):
                self.recorded_ends.add(record.turn)

    # What it sees.

    def _planned(self, effect: PlanCall) -> None:
        assert effect.call_id in self.owed, "planned after its result"
        assert effect.call_id not in self.never, "begins again what began in an earlier run"
        answer = self.answers.get(effect.call_id)
        denied = isinstance(answer, ApprovalDecided) and answer.decision == "no"
        assert not denied, "begins though a person said no"

    def _asked(self, effect: RequestApproval) -> None:
        assert effect.id not in self.minted, "an id is used twice"
        assert not self.refused, "asked a person though the disk refuses"
        self.minted.add(effect.id)
        open_before = self.questions.get(effect.call_id)
        if open_before is not None and effect.call_id not in self.answers:
            assert effect.id == open_before.id, "asks again under another id"
            del self.questions[effect.call_id]
        self.parked[effect.id] = (effect.call_id, effect.plan)

    def _check_order(self, effects: tuple[Effect, ...]) -> None:
        """Withdraw before abort."""
        stops = [isinstance(each, CancelModelRequest | StopCall) for each in effects]
        withdraws = [isinstance(each, WithdrawSubtree) for each in effects]
        if True in withdraws and True in stops:
            assert withdraws.index(True) < stops.index(True), "stopped before it withdrew"

    def _begin(self, call_id: str, kind: str) -> None:
        assert call_id not in self.works, f"{call_id} has a work already"
        assert self.open_turn not in self.cancelled, "began after its cancel"
        self.works[call_id] = kind

    def _ran(self, effect: RunCall) -> None:
        call_id = effect.call_id
        assert self.may_run.pop(call_id, None) == effect.plan, "ran what nobody allowed"
        assert call_id in self.owed, "ran after its result"
        assert call_id not in self.never, "ran again what began in an earlier run"
        running = [each for each, kind in self.works.items() if kind == "run"]
        if self.tools[call_id] not in READING:
            assert not running, "a changing call beside another"
            assert call_id in self.started, "a changing call before its start was on disk"
        assert all(self.tools[each] in READING for each in running), "beside a changing call"
        self._begin(call_id, "run")

    def _asked_model(self, effect: SendModelRequest) -> None:
        settled = self.refused.issuperset(self.unsynced)
        assert settled, "asked the model before all was on disk, or refused by it"
        assert not self.owed, "asked the model with calls open"
        assert not self.works, "asked the model while a call was at work"
        assert not self.thinking, "asked the model twice"
        assert self.open_turn not in self.cancelled, "asked the model after the turn's cancel"
        messages = tuple(self.history.messages)
        assert_sendable(messages)
        now: list[tuple[object, Json]] = [(role, block) for role, block in flat(messages)]
        assert now[: len(self.sent)] == self.sent, "the prefix changed"
        self.sent, self.thinking, self.asked_model = now, True, effect.request

    def _written(self, record: Record) -> None:
        match record:
            case TurnStarted():
                assert self.open_turn == 0, "a turn began in another"
                assert record.turn not in self.overtaken, "began though it was cancelled before"
                self.open_turn = record.turn
                self.begun.add(record.turn)
            case ReplyCompleted():
                assert not self.thinking, "took a reply that was not to the last request"
                uses = [block for block in record.content if isinstance(block, ToolUseBlock)]
                self.owed = {each.id for each in uses}
                self.tools.update({each.id: each.name for each in uses})
            case ToolEnded():
                assert record.call_id in self.owed, f"{record.call_id} has a result already"
                self.owed.discard(record.call_id)
                kinds = [self.works.get(record.call_id)]
                assert kinds == [None], "a result while its work is alive"
                secret = self.looked_into.get(record.call_id) or record
                told = record.text == secret and not self._knows(record.call_id)
                assert not told, "told what is in a file that may not be read"
            case TurnCompleted() | TurnInterrupted() | TurnFailed():
                self._closed(record)
            case _:
                pass

    def _closed(self, record: TurnCompleted | TurnInterrupted | TurnFailed) -> None:
        assert not self.owed, "ended with calls open"
        assert not self.works, "ended while something was at work"
        assert not self.thinking, "ended while the model was speaking"
        self.patience.ends(record)
        assert not self.parked, "ended with a question open"
        if isinstance(record, TurnInterrupted):
            assert record.turn in self.cancelled, "interrupted, and nobody had asked for it"

    def _reported(self, effect: PublishEvent) -> None:
        event = effect.event
        if isinstance(event, PersistenceChanged):
            self._disk_changed(event)
        if not isinstance(event, TurnCompleted | TurnInterrupted | TurnFailed):
            return
        self.ends[event.turn] += 1
        assert self.ends[event.turn] == 1, f"turn {event.turn} ended twice"
        if event.turn != self.open_turn:
            assert event.turn in self.overtaken, "ended without having begun"
            return
        refused = event in [self.unsynced[mark] for mark in self.refused]
        assert refused or event.turn in self.recorded_ends, "reported before it was on disk"
        assert not self.works, "ended while something was at work"
        assert not self.parked, "ended with a question open"
        self.open_turn, self.owed, self.thinking = 0, set(), False

    def _disk_changed(self, news: PersistenceChanged) -> None:
        """Hold that people are told of each trouble once, and of its end."""
        assert news.state != self.disk, "told twice of the disk"
        assert (news.state == "failing") == bool(self.refused), "not told how the disk is"
        self.disk = news.state
