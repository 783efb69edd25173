"""Everything around a turn, random but legal: journal, model, tools, engine, broker and people.

A world is made of a seed and plays the same each time. What has been delivered may be delivered
again, and everything that is on its way may overtake everything of another sender.
"""

from collections import deque
from collections.abc import Callable
from random import Random
from typing import Any, cast

from actors.agents.turn.agent_state import AgentState, RestoredState, TurnStage
from actors.agents.turn.effects import (
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
)
from messages.content import ContentBlock, TextBlock, ThinkingBlock
from messages.journal import Append, Appended, AppendFailed, Record
from messages.model_events import ModelFailureReason
from messages.policy import Action
from messages.tool_calls import CallPlan, ToolOutput
from messages.turns import CancelTurn, SetModel, StartTurn
from tests.actors.agents.turn import message_builders
from tests.actors.agents.turn.message_builders import (
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
    """What the recorder of the agent does, for a world without actors."""

    incarnation = 1

    def __init__(self, journal: deque[Append | Record]) -> None:
        """Put appends where the journal finds them."""
        self._journal = journal
        self.append_timeout: AppendTimeout | None = None

    def tell(self, _to: Address, append: Append) -> None:
        self._journal.append(append)

    def schedule(self, _delay_s: float, late: AppendTimeout) -> None:
        self.append_timeout = late


class RandomEnvironment:
    """One agent's surroundings; `play` takes random steps, `drain` brings all to an end."""

    def __init__(
        self,
        seed: int,
        *,
        step: Advance = advance,
        disk_may_fail: bool = False,
        limits: Limits = NO_LIMITS,
    ) -> None:
        """Begin with an agent without a past; `failing`: the disk may refuse."""
        self.random = Random(seed)  # noqa: S311  (it has to be the same each time)
        self.advance = step
        self.disk_may_fail = disk_may_fail
        self.invariants = TurnInvariants(RetryInvariants(limits=limits))
        self.state = make_state(limits=limits)
        self.disk_records: list[Record] = []
        self.delivered_messages: list[TurnMessage] = []
        self._unsynced: deque[Append | Record] = deque()
        """Of the agent; plain records are the broker's."""
        self._lost: set[int] = set()
        """Appends that the disk refused."""
        self._hands = JournalClientActor(self._unsynced)
        self._recorder = JournalClient(
            cast("Actor[Any]", self._hands), JOURNAL, retries_failed=True
        )
        self._mail: dict[str, deque[TurnMessage]] = {}
        self._model: tuple[int, bool] | None = None
        self._wait: int | None = None
        """The failed request that waits to be sent again."""
        self._clock: StartTimer | None = None
        self._clock_held = False
        self._works: dict[str, tuple[CallPlan | None, bool]] = {}
        self._versions: dict[str, int] = {}
        self._parked: dict[str, ApprovalRequest] = {}
        self._shown: list[str] = []
        self._calls = 0
        self._next_prompt = 1
        self._trouble = True

    def resume(self, past: RestoredState) -> None:
        """Begin with the records of an earlier run instead."""
        self.disk_records = list(past.records)
        self.invariants.load_records(past.records)
        self._next_prompt = past.state.turn_number + 1
        self._calls = 1_000 * past.state.run
        self.state, effects = resume_turn(past)
        self._take(None, effects)

    def run_random_steps(self, steps: int) -> None:
        """Do random things."""
        for _ in range(steps):
            self.random.choice(self._choices())()

    def run_to_idle(self) -> None:
        """No new prompts, cancels or faults: everything must come to its end."""
        self._trouble = False
        for _ in range(2_000):
            choices = self._choices()
            if not choices:
                break
            self.random.choice(choices)()
        assert not self._choices(), "it does not come to its end"
        assert self.state.stage is TurnStage.IDLE, f"it hangs in {self.state.stage}"
        self.invariants.check_idle()

    def crash(self) -> tuple[Record, ...]:
        """Tell what is on disk when the program dies now: all that was synced, perhaps more."""
        more = [record for each in self._unsynced for record in get_records(each)]
        return (*self.disk_records, *more[: self.random.randint(0, len(more))])

    def deliver(self, message: TurnMessage) -> None:
        """Let the turn take one message."""
        self.delivered_messages.append(message)
        self.invariants.on_message(message)
        if isinstance(message, Appended | AppendFailed | AppendTimeout):
            self._recorder.on_append_answered(message)
        self.state, effects = self.advance(self.state, message)
        self._take(message, effects)

    def _take(self, message: TurnMessage | None, effects: tuple[Effect, ...]) -> None:
        self.invariants.check_effects(message, effects)
        for effect in effects:
            self._do(effect)
        writes = [each for each in effects if isinstance(each, WriteRecord | RetryWrites)]
        if writes:
            records = (each.record for each in writes if isinstance(each, WriteRecord))
            self._recorder.write(*records, append_id=writes[-1].append_id)

    def _do(self, effect: Effect) -> None:
        match effect:
            case (
                SendModelRequest()
                | CancelModelRequest()
                | ScheduleRetry()
                | StartTimer()
                | PauseTimer()
            ):
                self._converse(effect)
            case PlanCall():
                self._works[effect.call_id] = (None, False)
            case RunCall():
                self._works[effect.call_id] = (effect.plan, False)
            case CancelCall():
                self._works[effect.call_id] = (self._works[effect.call_id][0], True)
            case CheckRead() | EvaluateCall():
                said = message_builders.make_decision(effect.id, self.random.choice(DECISIONS))
                self._post("engine", said)
            case RequestApproval():
                self._park(effect)
            case WithdrawSubtree():
                self._withdraw()
            case _:
                pass

    def _converse(
        self,
        effect: SendModelRequest | CancelModelRequest | ScheduleRetry | StartTimer | PauseTimer,
    ) -> None:
        match effect:
            case SendModelRequest():
                self._model = (effect.request_number, False)
            case CancelModelRequest() if self._model is not None:
                self._model = (self._model[0], True)
            case ScheduleRetry():
                self._wait = effect.request_number
            case StartTimer():
                self._clock, self._clock_held = effect, False
            case PauseTimer():
                self._clock_held = True
            case CancelModelRequest():  # a wait ends in its own time, which is any time here
                pass

    def _choices(self) -> list[EnvironmentStep]:
        choices = [self._forward(box) for box in self._mail.values() if box]
        choices += [self._sync] if self._unsynced else []
        choices += [self._look_at_the_disk] if self._hands.append_timeout and not choices else []
        choices += [self._speak] if self._model is not None else []
        choices += [self._rested] if self._wait is not None else []
        choices += [self._tick] if self._clock and (self._trouble or self._clock_held) else []
        choices += [self._finish(call_id) for call_id in self._works]
        choices += [self._answer(each) for each in self._shown]
        trouble = [self._prompt, self._cancel, self._repeat, self._choose_model]
        choices += trouble if self._trouble else []
        return choices

    def _post(self, box: str, message: TurnMessage) -> None:
        self._mail.setdefault(box, deque()).append(message)

    def _forward(self, box: deque[TurnMessage]) -> EnvironmentStep:
        return lambda: self.deliver(box.popleft())

    def _chance(self, of: float) -> bool:
        return self.random.random() < of

    # People, and what comes twice.

    def _prompt(self) -> None:
        if self._chance(0.15):
            self._next_prompt += 1
            self.deliver(StartTurn(turn=self._next_prompt - 1, text="go on"))

    def _cancel(self) -> None:
        if self._chance(0.06):
            running = max(1, self.state.turn_number)
            ahead = self.random.choice([0, 0, 0, 1, 2])
            self.deliver(CancelTurn(turn=running + ahead))

    def _repeat(self) -> None:
        """Deliver something again; only works end once, which is the runtime's promise."""
        works = ToolPlanned | ToolSucceeded | ToolFailed | TurnTimerStopped
        old = [each for each in self.delivered_messages if not isinstance(each, works)]
        if old and self._chance(0.4):
            self.deliver(self.random.choice(old[-6:] if self._chance(0.7) else old))

    def _choose_model(self) -> None:
        if self._chance(0.02):
            self.deliver(SetModel(model=self.random.choice(["big", "small"])))

    # Time.

    def _rested(self) -> None:
        """End a wait; that a stopped one comes at once changes nothing about its order."""
        request, self._wait = self._wait, None
        if request is not None:
            self.deliver(RetryDelayElapsed(request_number=request))

    def _tick(self) -> None:
        """Let some time go by; a clock that was held may still run out just before."""
        clock = self._clock
        if clock is not None and (self._clock_held or self._chance(0.05)):
            self._clock = None
            up = not self._clock_held or (self._trouble and self._chance(0.03))
            left_s = 0.0 if up else clock.remaining_s * self.random.uniform(0.5, 1)
            self.deliver(TurnTimerStopped(turn=clock.turn, remaining_s=left_s))

    # The disk.

    def _sync(self) -> None:
        """Settle some of what waits, as one write: all of it or nothing."""
        if self._chance(0.1):
            self._look_at_the_disk()
        refuses = self.disk_may_fail and self._trouble and self._chance(0.05)
        for _ in range(self.random.randint(1, len(self._unsynced))):
            waiting = self._unsynced.popleft()
            refused = refuses or (isinstance(waiting, Append) and waiting.after_id in self._lost)
            if not refused:
                self.disk_records += get_records(waiting)
            if not isinstance(waiting, Append):
                self._broker_synced(waiting, refused=refused)
            elif refused:
                self._lost.add(waiting.id)
                self._post("journal", AppendFailed(id=waiting.id, detail="disk full"))
            else:
                self._post("journal", Appended(id=waiting.id))

    def _look_at_the_disk(self) -> None:
        late, self._hands.append_timeout = self._hands.append_timeout, None
        if late is not None:
            self.deliver(late)

    def _broker_synced(self, record: Record, *, refused: bool) -> None:
        if isinstance(record, ApprovalDecided):
            if self._parked.pop(record.id, None) is not None:
                self._post("broker", _refusal(record.id) if refused else record)
        elif isinstance(record, ExecApprovalRequest | PatchApprovalRequest):
            if refused and self._parked.pop(record.id, None) is not None:
                self._post("broker", _refusal(record.id))
            elif record.id in self._parked:
                self._shown.append(record.id)

    # The broker.

    def _park(self, asked: RequestApproval) -> None:
        request = message_builders.make_approval_request(asked, self.state.turn_number)
        self._parked[asked.id] = request
        self._unsynced.append(request)

    def _withdraw(self) -> None:
        for approval in self._parked:
            self._unsynced.append(ApprovalWithdrawn(id=approval))
        self._parked.clear()
        self._shown.clear()

    def _answer(self, approval: str) -> EnvironmentStep:
        return lambda: self._answered(approval)

    def _answered(self, approval: str) -> None:
        self._shown.remove(approval)
        by_rule = message_builders.approve(approval).model_copy(update={"decided_by": "rule"})
        answers = [
            message_builders.approve(approval),
            message_builders.deny(approval, "use the other file"),
            by_rule,
        ]
        if self._chance(0.1):
            del self._parked[approval]
            self._post("broker", _refusal(approval))
        else:
            self._unsynced.append(self.random.choice(answers))

    # The model.

    def _speak(self) -> None:
        if self._model is None:
            return
        (request, stopped), self._model = self._model, None
        if stopped and self._chance(0.7):
            cut = ModelFailed(
                request_number=request, reason="cancelled", detail="", partial_text="I was"
            )
            self.deliver(cut)
        elif self._trouble and self._chance(0.25):
            self.deliver(self._fault(request))
        else:
            self.deliver(self._reply(request))

    def _fault(self, request: int) -> ModelFailed:
        reasons: tuple[ModelFailureReason, ...] = ("cut_off", "overloaded", "rate_limited")
        return ModelFailed(
            request_number=request,
            reason=self.random.choice(reasons),
            detail="why",
            partial_text=self.random.choice(["", " \n", "I have"]),
            usage=USAGE,
            retry=self._chance(0.8),
            retry_after_s=self.random.choice([0, 0, 7, 3600]),
        )

    def _reply(self, request: int) -> ModelReplied:
        thought, text = ThinkingBlock(thinking="hm", signature="s"), TextBlock(text="I will")
        blank_text = TextBlock(text=" ")
        some: list[ContentBlock] = [
            each for each in (thought, text, blank_text) if self._chance(0.3)
        ]
        most = 5 if self._trouble else 1
        uses = [self._use() for _ in range(self.random.randint(0, most))]
        if len(uses) > 1 and self._chance(0.03):
            uses[1] = uses[0]
        odd = self.random.choice(UNEXPECTED_STOP_REASONS) if self._chance(0.1) else ""
        return message_builders.make_reply(request, *some, *uses, stop_reason=odd)

    def _use(self) -> ContentBlock:
        self._calls += 1
        return message_builders.make_tool_use(
            f"c{self._calls}", self.random.choice([READ_TOOL, WRITE_TOOL])
        )

    # The tools.

    def _finish(self, call_id: str) -> EnvironmentStep:
        return lambda: self._finished(call_id)

    def _finished(self, call_id: str) -> None:
        plan, stopped = self._works.pop(call_id)
        if stopped and self._chance(0.7):
            self._fail(call_id, "cancelled")
        elif self._chance(0.1):
            self._fail(call_id, self.random.choice(["rejected", "crashed"]))
        elif plan is None:
            version = self._versions.setdefault(call_id, self.random.choice([1, 1, 2]))
            patched = len(call_id) > len("c1") and call_id.endswith(("1", "2", "3"))
            new = message_builders.make_plan(call_id, version, has_patch=patched)
            if call_id.endswith(("2", "5", "8")):  # the same again after a resume
                peeked = "seen.txt" if call_id.endswith("2") else ""
                new = new.model_copy(update={"unread_file": "secret.txt", "rejection": peeked})
            self.deliver(ToolPlanned(call_id=call_id, plan=new))
        elif self._chance(0.2):
            self._versions[call_id] += 1
            self._fail(call_id, "target_changed")
        else:
            output = ToolOutput(text="", is_error=self._chance(0.3))
            self.deliver(ToolSucceeded(call_id=call_id, output=output))

    def _fail(self, call_id: str, reason: str) -> None:
        message = {"call_id": call_id, "reason": reason, "detail": "why"}
        self.deliver(ToolFailed.model_validate(message))


def _refusal(approval: str) -> ApprovalUnavailable:
    return ApprovalUnavailable(id=approval, agent=PRIMARY, reason="nobody is there")


def get_records(waiting: Append | Record) -> tuple[Record, ...]:
    """List what would be written."""
    return waiting.records if isinstance(waiting, Append) else (waiting,)
