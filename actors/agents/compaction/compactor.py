"""The actor of the `compact` kind: it writes the replacement for an agent's earlier messages.

It sends the agent's own request prefix and messages with one more instruction, so that the model
reads them from its cache. It runs beside the agent and changes nothing: the agent records what it
answers.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import assert_never

from actors.agents.compaction.ledger import add_permissions
from actors.agents.compaction.summary_plan import SummaryPlan
from actors.agents.compaction.summary_request import (
    SHRINK_SHARE,
    add_instruction,
    drop_rules,
    format_instruction,
    measure,
    read_block_text,
    read_summary,
    shrink,
)
from actors.agents.effect_handlers.event_publisher import ProgressThrottle
from actors.agents.effect_handlers.model_jobs import ModelRequestJob, RequestEvent, RetryDelay
from actors.agents.turn.conversation_history import without_thinking
from actors.agents.turn.history_splice import Json
from actors.agents.turn.retry import RetryState, get_backoff, get_retry_delay_s
from actors.agents.turn.self_messages import ModelFailed, ModelReplied, RetryDelayElapsed
from actors.models.model_client import ModelClient, ModelRequest
from actors.models.request_gate import Gate
from actors.runtime.actor import Actor, JobId
from messages.address import Address
from messages.compaction import CompactionMethod, SummaryFailed, SummaryWritten
from messages.content import Usage
from messages.permissions import GetPolicy, PolicySnapshot
from messages.subagents import (
    AssignTask,
    CancelTask,
    PromptRejected,
    SubscribeToAgent,
    UnsubscribeFromAgent,
)
from messages.supervision import PeerRestarted, Undelivered
from messages.turns import (
    Delta,
    ModelRetrying,
    ReplyCompleted,
    RequestInfo,
    RequestPaused,
    RequestResumed,
    TextDelta,
    TurnStarted,
)

MAX_SHRINKS = 4
"""Requests that are each made smaller because the one before was too long."""
MAX_UNUSABLE_REPLIES = 2
"""Replies without a summary: empty, refused, or with tool calls."""
NO_SUMMARY = "the model did not write a summary"
CANCELLED = "it was cancelled"
SUMMARIZE = "Summarize the conversation."
"""Shown to the user instead of the instruction."""
FIRST_TURN = 1

RequestInput = ModelReplied | ModelFailed | RetryDelayElapsed
"""What its own jobs report."""
UserInput = SubscribeToAgent | UnsubscribeFromAgent | CancelTask | AssignTask
"""What the user does on its page."""
PolicyInput = PolicySnapshot | PeerRestarted | Undelivered
CompactorInbox = RequestEvent | RequestInput | UserInput | PolicyInput


class Compactor(Actor[CompactorInbox]):
    """Writes one replacement, or reports why there is none; then it ends."""

    def __init__(
        self, plan: SummaryPlan, model: ModelClient, gate: Gate, permissions: Address
    ) -> None:
        """Follow `plan`, whose ledger lacks what the permission engine knows."""
        self._plan = plan
        self._ledger = plan.ledger
        self._model = model
        self._gate = gate
        self._permissions = permissions
        self._messages = plan.head
        self._is_remote = plan.tries_remote
        """The request asks the provider for a block; the first failure ends that."""
        self._usage = Usage()
        self._retry = RetryState()
        self._request_count = 0
        self._shrink_count = 0
        self._unusable_count = 0
        self._job: JobId | None = None
        self._is_cancelled = False
        self._progress = ProgressThrottle()
        self._subscribers: dict[Address, None] = {}

    def on_start(self) -> None:
        """Ask for the mode and the grants, which only the permission engine knows."""
        started = TurnStarted(turn=FIRST_TURN, prompt=SUMMARIZE, task_number=1)
        self.tell(self.address.parent, started)
        self.watch(self._permissions)
        self.tell(self._permissions, GetPolicy())

    def on_receive(self, message: CompactorInbox) -> None:
        """Dispatch one message to its conversation."""
        if isinstance(message, RequestPaused | RequestResumed):
            self.tell(self.address.parent, message)
        elif isinstance(message, Delta):
            self._publish_delta(message)
        elif isinstance(message, RequestInput):
            self._on_request_input(message)
        elif isinstance(message, UserInput):
            self._on_user_input(message)
        else:
            self._on_policy_input(message)

    def _on_request_input(self, message: RequestInput) -> None:
        match message:
            case ModelReplied():
                self._on_replied(message)
            case ModelFailed():
                self._on_failed(message)
            case RetryDelayElapsed():
                self._send()
            case _:
                assert_never(message)

    def _on_user_input(self, message: UserInput) -> None:
        match message:
            case SubscribeToAgent():
                self._subscribe()
            case UnsubscribeFromAgent():
                self._subscribers.pop(self.sender, None)
            case CancelTask():
                self._cancel()
            case AssignTask():
                self.tell(self.sender, PromptRejected(agent=self.address, reason="one_shot"))
            case _:
                assert_never(message)

    def _on_policy_input(self, message: PolicyInput) -> None:
        match message:
            case PolicySnapshot():
                self._on_policy(message)
            case PeerRestarted() if self._job is None:
                self.tell(self._permissions, GetPolicy())
            case PeerRestarted() | Undelivered():
                pass  # nothing is asked, or `PeerRestarted` follows
            case _:
                assert_never(message)

    def _on_policy(self, message: PolicySnapshot) -> None:
        """Send the request, unless no compaction can help."""
        if self._job is not None:
            return
        self._ledger = add_permissions(self._ledger, message.policy, self._plan.max_mode)
        overhead = self._plan.find_overhead(self._ledger)
        problem = self._plan.find_problem()
        if problem or overhead:
            self._fail(problem or overhead, is_final=not problem)
        else:
            self._send()

    def _send(self) -> None:
        if self._is_cancelled:
            self._fail(CANCELLED)
            return
        self._request_count += 1
        request = self._build_request()
        info = RequestInfo(
            number=self._request_count,
            prefix=self._plan.prefix,
            max_tokens=request.max_tokens,
            effort=request.effort,
        )
        on_event: Callable[[RequestEvent], None] = self.message_sink()
        job = ModelRequestJob(self._model, request, info, self._gate, on_event)
        self._job = self.start_job(job.run, job.on_failure)

    def _build_request(self) -> ModelRequest:
        if self._is_remote:
            instruction = format_instruction(self._plan.instructions)
            compaction: Json = {"type": "summarize", "instructions": instruction}
            return replace(self._plan.request, messages=self._messages, compaction=compaction)
        messages = add_instruction(self._messages, self._plan.instructions)
        return replace(self._plan.request, messages=messages)

    def _on_replied(self, reply: ModelReplied) -> None:
        self._publish_reply(reply)
        if self._is_cancelled:
            self._fail(CANCELLED)
            return
        if self._is_remote:
            self._on_block(reply.compaction_block)
            return
        if reply.stop_reason == "model_context_window_exceeded":
            self._send_smaller()
            return
        summary = read_summary(reply.content, reply.stop_reason, self._ledger)
        if summary:
            self._finish_with(summary)
            return
        self._unusable_count += 1
        if self._unusable_count < MAX_UNUSABLE_REPLIES:
            self._send()
        else:
            self._give_up(NO_SUMMARY)

    def _on_block(self, block: str) -> None:
        """Finish with the provider's block, unless it gains nothing."""
        text = read_block_text(block)
        if text and self._plan.is_small_enough(block):
            self._finish_with(drop_rules(text, self._ledger), block)
        else:
            self._is_remote = False
            self._send()

    def _on_failed(self, failed: ModelFailed) -> None:
        """Make the request smaller, repeat it after a delay, or give up."""
        self._usage += failed.usage
        if failed.reason == "compaction_rejected":
            self._messages = tuple(map(without_thinking, self._plan.plain_head))
        if self._is_cancelled:
            self._fail(CANCELLED)
        elif self._is_remote:
            self._is_remote = False
            self._publish_retry(failed, 1, 1, wait_s=0)
            self._send()
        elif failed.reason == "context_too_long":
            attempt = min(self._shrink_count + 1, MAX_SHRINKS)
            self._publish_retry(failed, attempt, MAX_SHRINKS, wait_s=0)
            self._send_smaller()
        else:
            self._retry_later(failed)

    def _retry_later(self, failed: ModelFailed) -> None:
        delay_s = get_retry_delay_s(failed, self._retry, str(self.address))
        if delay_s is None:
            self._fail(failed.detail)
            return
        self._retry = self._retry.with_failure(failed)
        attempt = self._retry.count_attempts(failed.reason)
        max_retries = get_backoff(failed.reason).max_retries
        self._publish_retry(failed, attempt, max_retries, wait_s=delay_s)
        delay = RetryDelay(failed.request_number, delay_s)
        self._job = self.start_job(delay.run, delay.on_failure)

    def _send_smaller(self) -> None:
        """Summarize less: first without old results, then without the oldest turns."""
        request = self._build_request()
        overhead_bytes = measure(request.system) + measure(request.tools)
        refused_bytes = overhead_bytes + measure(request.messages)
        instruction_bytes = measure(request.messages) - measure(self._messages)
        max_bytes = int(SHRINK_SHARE * refused_bytes) - overhead_bytes - instruction_bytes
        smaller = shrink(self._messages, max_bytes) if self._shrink_count < MAX_SHRINKS else ()
        self._shrink_count += 1
        if smaller:
            self._messages = smaller
            self._send()
        else:
            self._finish_with("")

    def _finish_with(self, summary: str, block: str = "") -> None:
        method: CompactionMethod = "remote" if block else "local" if summary else "ledger"
        compacted = self._plan.build_compacted(method, self._ledger, self._usage, summary, block)
        self.tell(self.address.parent, SummaryWritten(compacted=compacted))
        self.finish()

    def _give_up(self, detail: str) -> None:
        """Use the ledger alone if the agent waits; otherwise leave the conversation unchanged."""
        if self._plan.must_succeed:
            self._finish_with("")
        else:
            self._fail(detail)

    def _fail(self, detail: str, *, is_final: bool = False) -> None:
        failed = SummaryFailed(number=self._plan.number, detail=detail, is_final=is_final)
        self.tell(self.address.parent, failed)
        self.finish()

    def _cancel(self) -> None:
        """Cancel the running job; its outcome ends the compaction."""
        self._is_cancelled = True
        if self._job is None:
            self._fail(CANCELLED)
        else:
            self.cancel_job(self._job)

    def _publish_retry(
        self, failed: ModelFailed, attempt: int, max_attempts: int, *, wait_s: float
    ) -> None:
        self._progress = ProgressThrottle()
        retrying = ModelRetrying(
            turn=FIRST_TURN,
            attempt=attempt,
            max_attempts=max_attempts,
            wait_s=wait_s,
            reason=failed.reason,
            detail=failed.detail,
            usage=failed.usage,
            request=failed.request,
        )
        self.tell(self.address.parent, retrying)

    def _publish_reply(self, reply: ModelReplied) -> None:
        self._progress = ProgressThrottle()
        self._usage += reply.usage
        completed = ReplyCompleted(
            turn=FIRST_TURN,
            content=reply.content,
            stop_reason=reply.stop_reason,
            usage=reply.usage,
            model=reply.model,
            request=reply.request,
            task_number=1,
        )
        self.tell(self.address.parent, completed)

    def _publish_delta(self, delta: Delta) -> None:
        for subscriber in self._subscribers:
            self.tell(subscriber, delta)
        progress = self._progress.add(delta, FIRST_TURN)
        if progress is not None:
            self.tell(self.address.parent, progress)

    def _subscribe(self) -> None:
        self._subscribers[self.sender] = None
        if text := self._progress.text:
            self.tell(self.sender, TextDelta(text=text))
