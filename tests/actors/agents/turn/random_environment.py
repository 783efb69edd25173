"""A random but legal environment of a turn: journal, model, tools, engine, broker and user.

The same seed gives the same run. Delivered messages may be delivered again, and messages of
different senders may overtake each other.
"""

from collections import deque
from collections.abc import Callable
from random import Random
from typing import Any, cast

from actors.agents.turn.agent_state import AgentState, RestoredState
from actors.agents.turn.effects import (
    AskAboutLimit,
    CancelCall,
    CancelModelRequest,
    CheckRead,
    Effect,
    EvaluateCall,
    PauseTimer,
    PlanCall,
    RequestApproval,
    RetryWrites,
    RunCall,
    ScheduleRetry,
    SendModelRequest,
    StartTimer,
    WithdrawSubtree,
    WriteRecord,
)
from actors.agents.turn.limits import Limits
from actors.agents.turn.self_messages import (
    ModelFailed,
    ModelReplied,
    RetryDelayElapsed,
    ToolFailed,
    ToolPlanned,
    ToolSucceeded,
    TurnTimerStopped,
)
from actors.agents.turn.state_machine import TurnMessage, advance, resume_turn
from actors.agents.turn.turn_state import TurnStage
from actors.runtime.actor import Actor
from actors.sessions.append_timeout import AppendTimeout
from actors.sessions.journal_client import JournalClient
from messages.address import JOURNAL, PRIMARY, Address
from messages.approvals import (
    ApprovalDecided,
    ApprovalRequest,
    ApprovalUnavailable,
    ApprovalWithdrawn,
    ExecApprovalRequest,
    PatchApprovalRequest,
    QuestionRequest,
)
from messages.content import ContentBlock, TextBlock, ThinkingBlock
from messages.failure_reasons import ModelFailureReason
from messages.journal import Append, Appended, AppendFailed, Record
from messages.policy import Action
from messages.steering import WithdrawPrompts
from messages.tool_calls import CallPlan, ToolOutput
from messages.turns import CancelTurn, RequestInfo, SetModel, StartTurn
from tests.actors.agents.turn import message_builders
from tests.actors.agents.turn.message_builders import (
    COMMAND_TOOL,
    NO_LIMITS,
    READ_TOOL,
    USAGE,
    WRITE_TOOL,
    make_state,
)
from tests.actors.agents.turn.retry_invariants import RetryInvariants
from tests.actors.agents.turn.turn_invariants import TurnInvariants

Advance = Callable[[AgentState, TurnMessage], tuple[AgentState, tuple[Effect, ...]]]
EnvironmentStep = Callable[[], None]

DECISIONS: tuple[Action, ...] = ("allow", "ask", "ask", "deny")
UNEXPECTED_STOP_REASONS = ("max_tokens", "refusal", "pause_turn", "end_turn", "tool_use")


class JournalClientActor:
    """Stands in for the agent in its journal client, without actors."""

    incarnation = 1

    def __init__(self, journal: deque[Append | Record]) -> None:
        """Put appends into the journal's queue."""
        self._journal = journal
        self.append_timeout: AppendTimeout | None = None

    def tell(self, _to: Address, append: Append) -> None:
        self._journal.append(append)

    def schedule(self, _delay_s: float, timeout: AppendTimeout) -> None:
        self.append_timeout = timeout


class RandomEnvironment:
    """The environment of one agent: takes random steps, then runs everything to its end."""

    def __init__(
        self,
        seed: int,
        *,
        step: Advance = advance,
        disk_may_fail: bool = False,
        limits: Limits = NO_LIMITS,
    ) -> None:
        """Start with an agent without records; `disk_may_fail`: writes may fail."""
        self.random = Random(seed)  # noqa: S311  (must be repeatable)
        self.advance = step
        self.disk_may_fail = disk_may_fail
        self.invariants = TurnInvariants(RetryInvariants(limits=limits))
        self.state = make_state(limits=limits)
        self.disk_records: list[Record] = []
        self.delivered_messages: list[TurnMessage] = []
        self._unsynced: deque[Append | Record] = deque()
        """Appends of the agent and plain records of the broker."""
        self._failed_append_ids: set[int] = set()
        self._client_actor = JournalClientActor(self._unsynced)
        self._journal_client = JournalClient(
            cast("Actor[Any]", self._client_actor), JOURNAL, retries_failed=True
        )
        self._mailboxes: dict[str, deque[TurnMessage]] = {}
        self._open_request: tuple[int, bool] | None = None
        self._retrying_request: int | None = None
        """The failed request whose retry delay is running."""
        self._timer: StartTimer | None = None
        self._is_timer_paused = False
        self._jobs: dict[str, tuple[CallPlan | None, bool]] = {}
        self._plan_versions: dict[str, int] = {}
        self._parked_requests: dict[str, ApprovalRequest] = {}
        self._shown_ids: list[str] = []
        self._limit_questions: dict[str, AskAboutLimit] = {}
        self._call_count = 0
        self._next_prompt = 1
        self._has_disturbances = True

    def resume(self, restored: RestoredState) -> None:
        """Start from the records of an earlier run instead."""
        self.disk_records = list(restored.records)
        self.invariants.load_records(restored.records)
        self._next_prompt = restored.state.prompts.next_number
        self._call_count = 1_000 * restored.state.identity.run
        self.state, effects = resume_turn(restored)
        self._apply(None, effects)

    def run_random_steps(self, steps: int) -> None:
        """Take random steps."""
        for _ in range(steps):
            self.random.choice(self._list_steps())()

    def run_to_idle(self) -> None:
        """Run without new prompts, cancels or failures until nothing is left to do."""
        self._has_disturbances = False
        for _ in range(2_000):
            steps = self._list_steps()
            if not steps:
                break
            self.random.choice(steps)()
        assert not self._list_steps(), "the turn does not end"
        assert self.state.turn.stage is TurnStage.IDLE, f"the turn hangs in {self.state.turn.stage}"
        self.invariants.check_idle()

    def crash(self) -> tuple[Record, ...]:
        """Return what is on disk if the program dies now: all synced records, perhaps more."""
        unsynced = [record for waiting in self._unsynced for record in get_records(waiting)]
        return (*self.disk_records, *unsynced[: self.random.randint(0, len(unsynced))])

    def deliver(self, message: TurnMessage) -> None:
        """Deliver one message to the turn."""
        self.delivered_messages.append(message)
        self.invariants.on_message(message)
        if isinstance(message, Appended | AppendFailed | AppendTimeout):
            self._journal_client.on_append_answered(message)
        self.state, effects = self.advance(self.state, message)
        self._apply(message, effects)

    def _apply(self, message: TurnMessage | None, effects: tuple[Effect, ...]) -> None:
        self.invariants.check_effects(message, effects)
        for effect in effects:
            self._execute(effect)
        writes = [write for write in effects if isinstance(write, WriteRecord | RetryWrites)]
        if writes:
            records = (write.record for write in writes if isinstance(write, WriteRecord))
            self._journal_client.write(*records, append_id=writes[-1].append_id)

    def _execute(self, effect: Effect) -> None:
        match effect:
            case (
                SendModelRequest()
                | CancelModelRequest()
                | ScheduleRetry()
                | StartTimer()
                | PauseTimer()
            ):
                self._execute_model_effect(effect)
            case PlanCall():
                self._jobs[effect.call_id] = (None, False)
            case RunCall():
                self._jobs[effect.call_id] = (effect.plan, False)
            case CancelCall():
                self._jobs[effect.call_id] = (self._jobs[effect.call_id][0], True)
            case CheckRead() | EvaluateCall():
                action = self.random.choice(DECISIONS)
                decision = message_builders.make_decision(
                    effect.id, action, changes_nothing=self._chance(0.5)
                )
                self._post("engine", decision)
            case RequestApproval():
                self._park(effect)
            case AskAboutLimit():
                self._limit_questions[effect.id] = effect
                self._park(effect)
            case WithdrawSubtree():
                self._withdraw()
            case _:
                pass

    def _execute_model_effect(
        self,
        effect: SendModelRequest | CancelModelRequest | ScheduleRetry | StartTimer | PauseTimer,
    ) -> None:
        match effect:
            case SendModelRequest():
                self._open_request = (effect.request_number, False)
            case CancelModelRequest() if self._open_request is not None:
                self._open_request = (self._open_request[0], True)
            case ScheduleRetry():
                self._retrying_request = effect.request_number
            case StartTimer():
                self._timer, self._is_timer_paused = effect, False
            case PauseTimer():
                self._is_timer_paused = True
            case CancelModelRequest():  # a retry delay ends at any time here anyway
                pass

    def _list_steps(self) -> list[EnvironmentStep]:
        steps = [self._deliver_later(box) for box in self._mailboxes.values() if box]
        steps += [self._sync] if self._unsynced else []
        steps += (
            [self._deliver_append_timeout]
            if self._client_actor.append_timeout and not steps
            else []
        )
        steps += [self._end_request] if self._open_request is not None else []
        steps += [self._end_retry_delay] if self._retrying_request is not None else []
        steps += (
            [self._end_timer]
            if self._timer and (self._has_disturbances or self._is_timer_paused)
            else []
        )
        steps += [self._finish_later(call_id) for call_id in self._jobs]
        steps += [self._decide_later(approval_id) for approval_id in self._shown_ids]
        disturbances = [self._prompt, self._withdraw_prompts, self._cancel, self._repeat]
        disturbances += [self._set_model]
        steps += disturbances if self._has_disturbances else []
        return steps

    def _post(self, sender: str, message: TurnMessage) -> None:
        self._mailboxes.setdefault(sender, deque()).append(message)

    def _deliver_later(self, mailbox: deque[TurnMessage]) -> EnvironmentStep:
        return lambda: self.deliver(mailbox.popleft())

    def _chance(self, probability: float) -> bool:
        return self.random.random() < probability

    # The user, and repeated messages

    def _prompt(self) -> None:
        is_idle = self.state.turn.stage is TurnStage.IDLE
        if self._chance(0.8 if is_idle else 0.15):
            number, self._next_prompt = self._next_prompt, self._next_prompt + 1
            self.deliver(StartTurn(turn=number, text=f"prompt {number}"))

    def _withdraw_prompts(self) -> None:
        """Take back some of the last prompts, or one that never arrived."""
        if self._chance(0.05):
            first = max(1, self._next_prompt - self.random.randint(0, 3))
            numbers = tuple(range(first, max(first, self._next_prompt - 1) + 1))
            self.deliver(WithdrawPrompts(numbers=numbers))

    def _cancel(self) -> None:
        if self._chance(0.06):
            current = max(1, self.state.turn.number)
            offset = self.random.choice([0, 0, 0, 1, 2])
            self.deliver(CancelTurn(turn=current + offset))

    def _repeat(self) -> None:
        """Deliver a message again, except outcomes of jobs: the runtime delivers those once."""
        job_outcomes = ToolPlanned | ToolSucceeded | ToolFailed | TurnTimerStopped
        delivered = [
            message for message in self.delivered_messages if not isinstance(message, job_outcomes)
        ]
        if delivered and self._chance(0.4):
            candidates = delivered[-6:] if self._chance(0.7) else delivered
            self.deliver(self.random.choice(candidates))

    def _set_model(self) -> None:
        if self._chance(0.02):
            self.deliver(SetModel(model=self.random.choice(["big", "small"])))

    # Time

    def _end_retry_delay(self) -> None:
        """End a retry delay; a cancelled one ends the same way."""
        number, self._retrying_request = self._retrying_request, None
        if number is not None:
            self.deliver(RetryDelayElapsed(request_number=number))

    def _end_timer(self) -> None:
        """End the timer; one that is being paused may still run out just before."""
        timer = self._timer
        if timer is not None and (self._is_timer_paused or self._chance(0.05)):
            self._timer = None
            is_time_up = not self._is_timer_paused or (self._has_disturbances and self._chance(0.2))
            share = 0.0 if is_time_up else self.random.uniform(0.5, 1)
            remaining_s = timer.remaining_s * share
            self.deliver(TurnTimerStopped(turn=timer.turn, remaining_s=remaining_s))

    # The disk

    def _sync(self) -> None:
        """Write some of the waiting appends as one group: all of them or none."""
        if self._chance(0.1):
            self._deliver_append_timeout()
        fails = self.disk_may_fail and self._has_disturbances and self._chance(0.05)
        for _ in range(self.random.randint(1, len(self._unsynced))):
            waiting = self._unsynced.popleft()
            has_failed = fails or (
                isinstance(waiting, Append) and waiting.after_id in self._failed_append_ids
            )
            if not has_failed:
                self.disk_records += get_records(waiting)
            if not isinstance(waiting, Append):
                self._on_broker_record(waiting, has_failed=has_failed)
            elif has_failed:
                self._failed_append_ids.add(waiting.id)
                self._post("journal", AppendFailed(id=waiting.id, detail="disk full"))
            else:
                self._post("journal", Appended(id=waiting.id))

    def _deliver_append_timeout(self) -> None:
        timeout, self._client_actor.append_timeout = self._client_actor.append_timeout, None
        if timeout is not None:
            self.deliver(timeout)

    def _on_broker_record(self, record: Record, *, has_failed: bool) -> None:
        if isinstance(record, ApprovalDecided):
            if self._parked_requests.pop(record.id, None) is not None:
                self._post("broker", _build_unavailable(record.id) if has_failed else record)
        elif isinstance(record, ExecApprovalRequest | PatchApprovalRequest | QuestionRequest):
            if has_failed and self._parked_requests.pop(record.id, None) is not None:
                self._post("broker", _build_unavailable(record.id))
            elif record.id in self._parked_requests:
                self._shown_ids.append(record.id)

    # The broker

    def _park(self, effect: RequestApproval | AskAboutLimit) -> None:
        turn = self.state.turn.number
        if isinstance(effect, AskAboutLimit):
            request: ApprovalRequest = message_builders.make_limit_question(effect, turn)
        else:
            request = message_builders.make_approval_request(effect, turn)
        self._parked_requests[effect.id] = request
        self._unsynced.append(request)

    def _withdraw(self) -> None:
        for approval_id in self._parked_requests:
            self._unsynced.append(ApprovalWithdrawn(id=approval_id))
        self._parked_requests.clear()
        self._shown_ids.clear()

    def _decide_later(self, approval_id: str) -> EnvironmentStep:
        return lambda: self._decide(approval_id)

    def _decide(self, approval_id: str) -> None:
        self._shown_ids.remove(approval_id)
        by_rule = message_builders.approve(approval_id).model_copy(update={"decided_by": "rule"})
        decisions = [
            message_builders.approve(approval_id),
            message_builders.deny(approval_id, "use the other file"),
            by_rule,
        ]
        question = self._limit_questions.get(approval_id)
        if question is not None:
            extend, stop = message_builders.extend_limit, message_builders.stop_at_limit
            decisions = [extend(question), extend(question), stop(question), decisions[1]]
        if self._chance(0.1):
            del self._parked_requests[approval_id]
            self._post("broker", _build_unavailable(approval_id))
        else:
            self._unsynced.append(self.random.choice(decisions))

    # The model

    def _end_request(self) -> None:
        if self._open_request is None:
            return
        (request_number, is_cancelled), self._open_request = self._open_request, None
        if is_cancelled and self._chance(0.7):
            failed = ModelFailed(
                request=RequestInfo(number=request_number),
                reason="cancelled",
                detail="",
                partial_text="I was",
            )
            self.deliver(failed)
        elif self._has_disturbances and self._chance(0.25):
            self.deliver(self._build_failure(request_number))
        else:
            self.deliver(self._build_reply(request_number))

    def _build_failure(self, request_number: int) -> ModelFailed:
        reasons: tuple[ModelFailureReason, ...] = (
            "stream_interrupted",
            "overloaded",
            "rate_limited",
        )
        if self._chance(0.1):
            reasons = ("thinking_rejected",)
        return ModelFailed(
            request=RequestInfo(number=request_number),
            reason=self.random.choice(reasons),
            detail="why",
            partial_text=self.random.choice(["", " \n", "I have"]),
            usage=USAGE,
            retry=self._chance(0.8),
            retry_after_s=self.random.choice([0, 0, 7, 3600]),
        )

    def _build_reply(self, request_number: int) -> ModelReplied:
        thought, text = ThinkingBlock(thinking="hm", signature="s"), TextBlock(text="I will")
        blank_text = TextBlock(text=" ")
        content: list[ContentBlock] = [
            block for block in (thought, text, blank_text) if self._chance(0.3)
        ]
        max_calls = 5 if self._has_disturbances else 1
        tool_uses = [self._build_tool_use() for _ in range(self.random.randint(0, max_calls))]
        if len(tool_uses) > 1 and self._chance(0.03):
            tool_uses[1] = tool_uses[0]
        stop_reason = self.random.choice(UNEXPECTED_STOP_REASONS) if self._chance(0.1) else ""
        return message_builders.make_reply(
            request_number, *content, *tool_uses, stop_reason=stop_reason
        )

    def _build_tool_use(self) -> ContentBlock:
        self._call_count += 1
        return message_builders.make_tool_use(
            f"c{self._call_count}", self.random.choice([READ_TOOL, WRITE_TOOL, COMMAND_TOOL])
        )

    # The tools

    def _finish_later(self, call_id: str) -> EnvironmentStep:
        return lambda: self._finish_job(call_id)

    def _finish_job(self, call_id: str) -> None:
        plan, is_cancelled = self._jobs.pop(call_id)
        if is_cancelled and self._chance(0.7):
            self._fail(call_id, "cancelled")
        elif self._chance(0.1):
            self._fail(call_id, self.random.choice(["rejected", "crashed"]))
        elif plan is None:
            version = self._plan_versions.setdefault(call_id, self.random.choice([1, 1, 2]))
            has_patch = len(call_id) > len("c1") and call_id.endswith(("1", "2", "3"))
            plan = message_builders.make_plan(call_id, version, has_patch=has_patch)
            if call_id.endswith(("2", "5", "8")):  # the same again after a resume
                rejection = "seen.txt" if call_id.endswith("2") else ""
                plan = plan.model_copy(update={"unread_file": "secret.txt", "rejection": rejection})
            self.deliver(ToolPlanned(call_id=call_id, plan=plan))
        elif self._chance(0.2):
            self._plan_versions[call_id] += 1
            self._fail(call_id, "target_changed")
        else:
            output = ToolOutput(text="", is_error=self._chance(0.3))
            self.deliver(ToolSucceeded(call_id=call_id, output=output))

    def _fail(self, call_id: str, reason: str) -> None:
        message = {"call_id": call_id, "reason": reason, "detail": "why"}
        self.deliver(ToolFailed.model_validate(message))


def _build_unavailable(approval_id: str) -> ApprovalUnavailable:
    return ApprovalUnavailable(id=approval_id, agent=PRIMARY, reason="no user is there")


def get_records(waiting: Append | Record) -> tuple[Record, ...]:
    """Return the records that would be written."""
    return waiting.records if isinstance(waiting, Append) else (waiting,)
