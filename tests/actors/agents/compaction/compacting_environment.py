"""A random environment of a turn in which conversations are compacted at any moment."""

from collections import Counter

from actors.agents.turn.agent_state import RestoredState
from actors.agents.turn.conversation_history import ConversationHistory
from actors.agents.turn.effects import Effect, SendModelRequest, StartCompactor, WriteRecord
from actors.agents.turn.history_splice import find_cut
from actors.agents.turn.self_messages import ModelFailed, ModelReplied
from actors.agents.turn.state_machine import TurnMessage
from messages.child_lifecycle import ChildCancelled, ChildCompleted, ChildFailed
from messages.compaction import Compacted, StartCompaction, SummaryFailed, SummaryWritten
from messages.content import Usage
from messages.journal import Record
from messages.subagents import SubagentEnded, SubagentStarted
from messages.turns import TurnEnded
from tests.actors.agents.conversation_assertions import assert_sendable
from tests.actors.agents.turn.random_environment import EnvironmentStep, RandomEnvironment
from tests.actors.agents.turn.retry_invariants import RetryInvariants
from tests.actors.agents.turn.test_history_splice import check_compaction, make_compacted

SIZES = (10, 10, 100_000, 120_000, 170_000)
"""Tokens of a conversation: small, above the threshold, and without any room left."""


class UncheckedRetries(RetryInvariants):
    """Retries are checked where no compaction repeats a request."""

    def check_effect(self, effect: Effect) -> None:
        pass

    def check_timer(self, effects: tuple[Effect, ...], *, is_user_asked: bool) -> None:
        pass

    def check_end(self, end: TurnEnded) -> None:
        pass


class CompactingEnvironment(RandomEnvironment):
    """Also starts compactions, and ends them in every way; checks each request and replacement."""

    def __init__(self, seed: int, *, disk_may_fail: bool = False) -> None:
        super().__init__(seed, disk_may_fail=disk_may_fail)
        self.invariants.retries = UncheckedRetries()
        self.history = ConversationHistory()
        self.compaction_count = 0
        self.ends: Counter[str] = Counter()
        self._compactor: tuple[StartCompactor, int] | None = None
        """The running compaction, and how many messages it replaces."""
        self._is_requesting = False

    def resume(self, restored: RestoredState) -> None:
        for record in restored.records:
            self.history.add(record)
            self._count(record)
        super().resume(restored)

    def run_to_idle(self) -> None:
        super().run_to_idle()
        starts = self.ends.pop("started", 0)
        assert starts == sum(self.ends.values()), "each compaction has one end"
        assert self.state.compaction.running is None
        assert self.state.compaction.ready is None

    def _apply(self, message: TurnMessage | None, effects: tuple[Effect, ...]) -> None:
        if isinstance(message, ModelReplied | ModelFailed):
            self._is_requesting = False
        for effect in effects:
            if isinstance(effect, WriteRecord):
                self._add(effect.record)
            elif isinstance(effect, StartCompactor):
                assert self._compactor is None, "two compactions at once"
                self._compactor = effect, find_cut(self.history.messages)
            elif isinstance(effect, SendModelRequest):
                assert_sendable(self.history.build_messages("p"))
                self._is_requesting = True
        super()._apply(message, effects)

    def _add(self, record: Record) -> None:
        self._count(record)
        if isinstance(record, Compacted):
            assert not self._is_requesting, "a reply to the replaced messages may still arrive"
            self.compaction_count += 1
            # The next request has another prefix, and prompts from before are in the ledger.
            self.invariants.sent_blocks.clear()
            self.invariants.prompts.in_next_request.clear()
            check_compaction(self.history, record)
        else:
            self.history.add(record)

    def _count(self, record: Record) -> None:
        if isinstance(record, SubagentStarted):
            self.ends["started"] += 1
        elif isinstance(record, SubagentEnded):
            self.ends[record.status] += 1

    def _list_steps(self) -> list[EnvironmentStep]:
        steps = super()._list_steps()
        steps += [self._end_compaction] if self._compactor is not None else []
        steps += [self._start_compaction] if self._has_disturbances else []
        return steps

    def _start_compaction(self) -> None:
        if self._chance(0.3):
            self.deliver(StartCompaction())

    def _end_compaction(self) -> None:
        """Report an outcome and the end of the subagent, or only its end."""
        if self._compactor is None:
            return
        (effect, cut), self._compactor = self._compactor, None
        if cut and self._chance(0.7):
            method = self.random.choice(("local", "ledger"))
            compacted = make_compacted(cut, "local" if method == "local" else "ledger")
            compacted = compacted.model_copy(
                update={
                    "number": effect.number,
                    "trigger": effect.trigger,
                    "summary": "summary",
                    "ledger": f"ledger {effect.number}",
                    "tokens_before": effect.context_tokens,
                    "tokens_after": effect.context_tokens // self.random.choice((1, 10)),
                }
            )
            self.deliver(SummaryWritten(compacted=compacted))
        elif self._chance(0.5):
            is_final = self._chance(0.1)
            self.deliver(SummaryFailed(number=effect.number, detail="no", is_final=is_final))
        ends = (
            ChildCompleted(child=effect.child),
            ChildCancelled(child=effect.child),
            ChildFailed(child=effect.child, cause="crash"),
        )
        self.deliver(self.random.choice(ends))

    def _build_failure(self, request_number: int) -> ModelFailed:
        failed = super()._build_failure(request_number)
        if self._chance(0.4):
            failed = failed.model_copy(update={"reason": "context_too_long", "retry": False})
        return failed

    def _build_reply(self, request_number: int) -> ModelReplied:
        reply = super()._build_reply(request_number)
        usage = Usage(input_tokens=self.random.choice(SIZES), output_tokens=2, requests=1)
        stop_reason = reply.stop_reason
        if self._has_disturbances and self._chance(0.05):
            stop_reason = "model_context_window_exceeded"
        return reply.model_copy(update={"usage": usage, "stop_reason": stop_reason})
