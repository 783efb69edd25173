"""The console of a headless run: sends the prompt and forwards events to the main thread."""

from typing import assert_never

from actors.runtime.actor import Actor
from messages.address import APPROVALS, PRIMARY, is_subagent
from messages.approvals import ApproverAvailabilityChanged, DismissApproval, ShowApproval
from messages.compaction import Compacted, CompactionFailed
from messages.reviews import ReviewEnded, ReviewStarted, StartReview
from messages.snapshots import ChangesUndone, SnapshotFailed, SnapshotTaken
from messages.steering import PromptDelivered, PromptsReturned
from messages.subagents import (
    NotificationDelivered,
    SubagentBackgrounded,
    SubagentEnded,
    SubagentQueued,
    SubagentsPaused,
    SubagentStarted,
)
from messages.supervision import PeerRestarted, Undelivered
from messages.turns import (
    AgentSwitched,
    CommandOutput,
    EffortChanged,
    ModelChanged,
    ModelRetrying,
    PersistenceChanged,
    ReplyActivity,
    ReplyCompleted,
    ReplyProgress,
    RequestPaused,
    RequestResumed,
    SessionConfigured,
    StartTurn,
    SwitchAgentFailed,
    TextDelta,
    ThinkingDelta,
    TodosUpdated,
    ToolEnded,
    ToolInputDelta,
    ToolStarted,
    TurnCompleted,
    TurnEnded,
    TurnFailed,
    TurnInterrupted,
    TurnNumberTaken,
    TurnStarted,
    UsageChanged,
)
from shell.headless.event_queue import EventQueue, HeadlessEvent, QueuedEvent, RunEnded
from shell.headless.result import affects_result

NO_USER_REASON = "this run is headless, so there is no user to ask"

HeadlessInbox = HeadlessEvent | TurnNumberTaken | PeerRestarted | Undelivered


class HeadlessConsole(Actor[HeadlessInbox]):
    """Sends the prompt once the agent is ready, and queues events for the main thread."""

    drains_before_stop = True

    def __init__(
        self,
        prompt: str,
        queue: EventQueue,
        *,
        mentions: tuple[str, ...] = (),
        forward_all: bool = True,
    ) -> None:
        """With `forward_all`, queue every event at once.

        Otherwise queue only events that affect the result, and wake the main thread only when it
        has something to print.
        """
        self._prompt = prompt
        self._mentions = mentions
        self._queue = queue
        self._forward_all = forward_all

    def on_start(self) -> None:
        """Report that no user can answer, so that nothing waits for one."""
        self.watch(APPROVALS)
        self.announce_availability()

    def announce_availability(self) -> None:
        """Report to the broker whether a user can answer."""
        self.tell(APPROVALS, ApproverAvailabilityChanged(can_decide=False, reason=NO_USER_REASON))

    def on_receive(self, message: HeadlessInbox) -> None:  # noqa: C901  (one case per message)
        """Handle one message."""
        match message:
            case SessionConfigured():
                self.put_event(message)
                # Sent again after a crash of the agent or of this console; the agent ignores what
                # it knows.
                self.start_work(message)
            case ReviewEnded():
                self.on_review_ended(message)
            case TurnCompleted() | TurnInterrupted() | TurnFailed():
                self._on_turn_ended(message)
            case SubagentStarted() | SubagentEnded() | NotificationDelivered():
                if not is_subagent(self.sender):
                    self._queue.background.update(message)
                self.put_event(message)
            case TurnNumberTaken():
                turn = self._queue.prompt_turn = message.next_turn
                self.tell(PRIMARY, message.prompt.model_copy(update={"turn": turn}))
            case PeerRestarted():
                self.announce_availability()
            case ReplyProgress() | ReplyActivity() | CommandOutput():
                pass  # for the screen only
            case Undelivered():
                self._on_undelivered(message)
            case (
                TurnStarted()
                | TextDelta()
                | ThinkingDelta()
                | ToolInputDelta()
                | ReplyCompleted()
                | ModelChanged()
                | EffortChanged()
                | AgentSwitched()
                | SwitchAgentFailed()
                | ModelRetrying()
                | RequestPaused()
                | RequestResumed()
                | UsageChanged()
                | ToolStarted()
                | ToolEnded()
                | TodosUpdated()
                | Compacted()
                | CompactionFailed()
                | ReviewStarted()
                | SnapshotTaken()
                | SnapshotFailed()
                | ChangesUndone()
                | PromptDelivered()
                | PromptsReturned()
                | DismissApproval()
                | SubagentBackgrounded()
                | SubagentsPaused()
                | SubagentQueued()
                | PersistenceChanged()
            ):
                self.put_event(message)
            case ShowApproval():
                self.put_event(message)
                self.on_show_approval(message)
            case _:
                assert_never(message)

    def start_work(self, configured: SessionConfigured) -> None:
        """Send the prompt."""
        turn = self._queue.assign_prompt_turn(configured.next_turn)
        prompt = StartTurn(turn=turn, text=self._prompt, mentions=self._mentions, starts_turn=True)
        self.tell(PRIMARY, prompt)

    def on_review_ended(self, ended: ReviewEnded) -> None:
        """Pass on the end of a review that an earlier run left open."""
        self.put_event(ended)

    def on_show_approval(self, message: ShowApproval) -> None:
        """Do nothing: approval requests are sent only if a user can answer."""

    def _on_turn_ended(self, end: TurnEnded) -> None:
        """End the run after the prompt's turn, or after the last turn about a background task."""
        background = self._queue.background
        is_last = not is_subagent(self.sender) and end.turn >= self._queue.prompt_turn
        awaited_agents = background.running_names if is_last else ()
        ends_run = is_last and background.is_over
        self.put_event(end, ends_run=ends_run, awaited_agents=awaited_agents)

    def _on_undelivered(self, report: Undelivered) -> None:
        """End the run if the prompt will never be handled."""
        if isinstance(report.message, StartTurn | StartReview) and report.reason != "crashed":
            self._queue.put(RunEnded(1, "the agent cannot accept the prompt"))

    def put_event(
        self,
        message: HeadlessEvent,
        *,
        ends_run: bool = False,
        awaited_agents: tuple[str, ...] = (),
    ) -> None:
        """Queue an event for the main thread."""
        wake = (
            self._forward_all
            or ends_run
            or bool(awaited_agents)
            or isinstance(message, ModelRetrying | PersistenceChanged | TurnStarted)
        )
        if wake or affects_result(message, self.sender):
            event = QueuedEvent(self.sender, message, ends_run, awaited_agents)
            self._queue.put(event, wake=wake)
