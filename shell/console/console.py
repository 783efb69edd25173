"""The console actor: passes events to the screen and the user's commands to the actors."""

from dataclasses import dataclass
from functools import partial
from typing import assert_never

from actors.prompt_context.mentions import find_mentions
from actors.runtime.actor import Actor, JobId
from messages.address import APPROVALS, PERMISSIONS, PRIMARY, Address, is_subagent
from messages.approvals import (
    ApproverAvailabilityChanged,
    DismissApproval,
    ShowApproval,
    SubmitDecision,
)
from messages.compaction import (
    Compacted,
    CompactionFailed,
    ContextUsage,
    GetContextUsage,
    StartCompaction,
)
from messages.permissions import (
    ChangeMode,
    ChangeModeFailed,
    DecisionExplained,
    ExplainLastDecision,
    GetPolicy,
    GrantRevoked,
    ModeChanged,
    PolicySnapshot,
    ReplaceRules,
    ReplaceRulesFailed,
    RevokeGrant,
    RevokeGrantFailed,
    RulesReplaced,
    StoreGrantFailed,
)
from messages.reviews import ReviewEnded, ReviewStarted, StartReview
from messages.snapshots import ChangesUndone, RecordUndo, SnapshotFailed, SnapshotTaken
from messages.steering import PromptDelivered, PromptsReturned, ReturnedPrompt, WithdrawPrompts
from messages.subagents import (
    AssignTask,
    CancelSubagent,
    ContinueSubagent,
    MoveToBackground,
    NotificationDelivered,
    PromptRejected,
    SubagentBackgrounded,
    SubagentEnded,
    SubagentQueued,
    SubagentsPaused,
    SubagentStarted,
    SubscribeToAgent,
    UnsubscribeFromAgent,
)
from messages.supervision import PeerRestarted, Undelivered
from messages.turns import (
    AgentEvent,
    AgentSwitched,
    CancelTurn,
    CommandOutput,
    Delta,
    EffortChanged,
    ModelChanged,
    ModelRetrying,
    PersistenceChanged,
    ReplyCompleted,
    ReplyProgress,
    RequestPaused,
    RequestResumed,
    SessionConfigured,
    SetEffort,
    SetModel,
    StartTurn,
    SwitchAgent,
    SwitchAgentFailed,
    TodosUpdated,
    ToolEnded,
    ToolStarted,
    TurnCompleted,
    TurnFailed,
    TurnInterrupted,
    TurnNumberTaken,
    TurnStarted,
    UsageChanged,
)
from shell.console.open_changes import OpenChanges, PolicyRequest, PolicyResult
from shell.console.screen_event_queue import (
    ApprovalsReset,
    DecisionLost,
    ScreenEventQueue,
    to_screen_event,
)
from shell.console.ui_commands import (
    InterruptTurn,
    PromptSubagent,
    RunUserCommand,
    SendPrompt,
    StopSubagent,
    StopUserCommand,
    UserCommandEnded,
    ViewSubagent,
)
from shell.console.user_shell_command import (
    UserCommandRunner,
    build_failed_command,
    run_user_command,
    with_user_commands,
)

RevokeResult = GrantRevoked | RevokeGrantFailed
UNDELIVERED_DETAIL = "it could not be delivered ({reason}); the session continues"

PrimaryCommand = (
    SendPrompt
    | WithdrawPrompts
    | InterruptTurn
    | MoveToBackground
    | SetModel
    | SetEffort
    | SwitchAgent
    | StartReview
    | RecordUndo
    | TurnNumberTaken
    | StartCompaction
    | GetContextUsage
    | ContextUsage
)
"""The user's commands for the primary agent, and its answers."""
SubagentMessage = StopSubagent | ContinueSubagent | PromptSubagent | ViewSubagent | PromptRejected
"""The user's commands for a subagent, and its answer."""
UserCommandMessage = RunUserCommand | StopUserCommand | UserCommandEnded
"""Commands that the user runs with `!`, and their ends."""
ApprovalMessage = SubmitDecision | ShowApproval | DismissApproval | StoreGrantFailed
"""Requests that the broker shows, and the user's decisions on them."""
PolicyMessage = (
    GetPolicy
    | ExplainLastDecision
    | PolicyRequest
    | PolicySnapshot
    | DecisionExplained
    | PolicyResult
    | RevokeResult
)
"""The user's questions and changes to the permission engine, and its answers."""
PeerMessage = PeerRestarted | Undelivered
"""Reports of the runtime about other actors."""
ConsoleInbox = (
    AgentEvent
    | PrimaryCommand
    | SubagentMessage
    | UserCommandMessage
    | ApprovalMessage
    | PolicyMessage
    | PeerMessage
)


@dataclass(frozen=True, slots=True)
class _SentPrompt:
    """A prompt as the user typed it, and the user commands that it includes."""

    text: str
    commands: list[UserCommandEnded]


class Console(Actor[ConsoleInbox]):
    """Connects the actors to the screen, which runs on its own thread."""

    drains_before_stop = True

    def __init__(
        self, screen_events: ScreenEventQueue, user_command_runner: UserCommandRunner
    ) -> None:
        """Events are put into `screen_events`, which the screen reads."""
        self._screen_events = screen_events
        self._user_command_runner = user_command_runner
        self._user_command: JobId | None = None
        self._unsent_commands: list[UserCommandEnded] = []
        """User commands that the next prompt will include."""
        self._running_turn: int | None = None
        self._own_turn = 0
        """The running turn if it has no prompt; one may have been sent with its number."""
        self._last_number = 0
        """Number of the last prompt that was sent or has an outcome."""
        self._prompts: dict[int, StartTurn] = {}
        """Prompts by turn, until it ends: one that started may be lost before it is on disk."""
        self._delivered: dict[int, StartTurn] = {}
        """Prompts that the running turn received, until it ends, for the same reason."""
        self._sent: dict[int, _SentPrompt] = {}
        """What the user's prompts consist of, by turn, until they start or are delivered."""
        self._cancels: dict[int, CancelTurn] = {}
        """Cancels by turn, until it ends."""
        self._last_ended_turn = 0
        self._open_changes = OpenChanges()
        self._open_switch: SwitchAgent | None = None
        """A switch that the agent has not answered."""
        self._open_reviews: dict[str, StartReview] = {}
        """Reviews that the agent has not started, by id."""
        self._viewed: Address | None = None
        """The subagent whose stream is on screen."""

    def on_start(self) -> None:
        """Report that the user can answer approval requests."""
        if self.incarnation > 1:  # the broker sends open requests again
            self._screen_events.put(ApprovalsReset())
        self.watch(APPROVALS)
        self.watch(PERMISSIONS)
        self.tell(APPROVALS, ApproverAvailabilityChanged(can_decide=True))

    def on_receive(self, message: ConsoleInbox) -> None:
        """Dispatch one message to its conversation; events come first, since most messages are."""
        if isinstance(message, AgentEvent):
            self._on_agent_event(message)
        elif isinstance(message, PrimaryCommand):
            self._on_primary_command(message)
        elif isinstance(message, SubagentMessage):
            self._on_subagent_message(message)
        elif isinstance(message, UserCommandMessage):
            self._on_user_command_message(message)
        elif isinstance(message, ApprovalMessage):
            self._on_approval_message(message)
        elif isinstance(message, PolicyMessage):
            self._on_policy_message(message)
        else:
            self._on_peer_message(message)

    def _on_agent_event(self, event: AgentEvent) -> None:
        """Pass an event to the screen; the primary agent's also change what is sent again."""
        if is_subagent(self.sender) or isinstance(event, Delta | CommandOutput):
            self._screen_events.put(to_screen_event(self.sender, event))
            return
        match event:
            case SessionConfigured():
                self._on_session_configured(event)
            case TurnStarted() | ReplyCompleted() | ToolStarted():
                self._on_turn_continued(event)
            case PromptDelivered():
                self._on_prompt_delivered(event)
            case PromptsReturned():
                self._on_prompts_returned(event)
            case TurnCompleted() | TurnInterrupted() | TurnFailed():
                self._on_turn_ended(event)
            case AgentSwitched() | SwitchAgentFailed():
                self._open_switch = None
                self._screen_events.put(event)
            case ReviewStarted():
                self._open_reviews.pop(event.id, None)
                self._screen_events.put(event)
            case (
                ReplyProgress()
                | ModelChanged()
                | EffortChanged()
                | ModelRetrying()
                | RequestPaused()
                | RequestResumed()
                | UsageChanged()
                | ToolEnded()
                | TodosUpdated()
                | Compacted()
                | CompactionFailed()
                | SubagentStarted()
                | SubagentQueued()
                | SubagentBackgrounded()
                | SubagentsPaused()
                | SubagentEnded()
                | NotificationDelivered()
                | ReviewEnded()
                | SnapshotTaken()
                | SnapshotFailed()
                | ChangesUndone()
                | PersistenceChanged()
            ):
                self._screen_events.put(event)
            case _:
                assert_never(event)

    def _on_primary_command(self, command: PrimaryCommand) -> None:
        match command:
            case SendPrompt():
                self._send_prompt(command)
            case InterruptTurn():
                self._interrupt()
            case SetModel() | SetEffort() | WithdrawPrompts() | MoveToBackground():
                self.tell(PRIMARY, command)
            case StartCompaction() | GetContextUsage() | RecordUndo():
                self.tell(PRIMARY, command)
            case StartReview():
                self._open_reviews[command.id] = command
                self.tell(PRIMARY, command)
            case SwitchAgent():
                self._open_switch = command
                self.tell(PRIMARY, command)
            case ContextUsage():
                self._screen_events.put(command)
            case TurnNumberTaken():
                self._on_turn_number_taken(command)
            case _:
                assert_never(command)

    def _on_subagent_message(self, message: SubagentMessage) -> None:
        match message:
            case StopSubagent():
                agent, wakes_parent = message.agent, message.wakes_parent
                self.tell(agent.parent, CancelSubagent(child=agent, wakes_parent=wakes_parent))
            case ContinueSubagent():
                self.tell(message.child.parent, message)
            case PromptSubagent():
                self.tell(message.agent, AssignTask(prompt=message.text))
            case ViewSubagent():
                self._view(message.agent)
            case PromptRejected():
                self._screen_events.put_notice(
                    f"{message.agent} accepts no more prompts: it ends after its task."
                )
            case _:
                assert_never(message)

    def _on_user_command_message(self, message: UserCommandMessage) -> None:
        match message:
            case RunUserCommand():
                job = partial(run_user_command, message.command, self._user_command_runner)
                on_failure = partial(build_failed_command, message.command)
                self._user_command = self.start_job(job, on_failure)
            case StopUserCommand():
                if self._user_command is not None:
                    self.cancel_job(self._user_command)
            case UserCommandEnded():
                self._user_command = None
                self._unsent_commands.append(message)
                self._screen_events.put(message)
            case _:
                assert_never(message)

    def _on_approval_message(self, message: ApprovalMessage) -> None:
        match message:
            case SubmitDecision():
                self.tell(APPROVALS, message)
            case ShowApproval() | DismissApproval() | StoreGrantFailed():
                self._screen_events.put(message)
            case _:
                assert_never(message)

    def _on_policy_message(self, message: PolicyMessage) -> None:
        match message:
            case GetPolicy() | ExplainLastDecision():
                self.tell(PERMISSIONS, message)
            case ReplaceRules() | ChangeMode() | RevokeGrant():
                self._open_changes.requests.append(message)
                self.tell(PERMISSIONS, message)
            case RulesReplaced() | ReplaceRulesFailed() | ModeChanged() | ChangeModeFailed():
                self._open_changes.on_result(message)
                self._screen_events.put(message)
            case GrantRevoked():
                self._open_changes.on_grant_revoked(message)
                self._screen_events.put(message)
            case RevokeGrantFailed() | PolicySnapshot() | DecisionExplained():
                self._screen_events.put(message)
            case _:
                assert_never(message)

    def _on_peer_message(self, message: PeerMessage) -> None:
        match message:
            case PeerRestarted():
                self._on_peer_restarted(message.peer)
            case Undelivered():
                self._on_undelivered(message)
            case _:
                assert_never(message)

    def _view(self, agent: Address | None) -> None:
        """Subscribe to one agent's stream and unsubscribe from the previous one."""
        if self._viewed is not None:
            self.tell(self._viewed, UnsubscribeFromAgent())
        self._viewed = agent
        if agent is not None:
            self.watch(agent)
            self.tell(agent, SubscribeToAgent())

    def _send_prompt(self, message: SendPrompt) -> None:
        turn = message.turn
        if turn not in self._prompts:
            if turn <= self._last_number:
                return  # sent again, and answered meanwhile
            self._last_number = turn
            commands, self._unsent_commands = self._unsent_commands, []
            self._sent[turn] = _SentPrompt(message.text, commands)
            text = with_user_commands(message.text, commands)
            mentions = find_mentions(message.text)  # not in the output of the commands
            self._prompts[turn] = StartTurn(turn=turn, text=text, mentions=mentions)
        if self._running_turn is None:
            self._running_turn = turn  # else the prompt waits, and Esc interrupts the running turn
        self.tell(PRIMARY, self._prompts[turn])

    def _on_prompt_delivered(self, event: PromptDelivered) -> None:
        self._last_number = max(self._last_number, event.number)
        self._sent.pop(event.number, None)
        if event.number in self._prompts:
            self._delivered[event.number] = self._prompts.pop(event.number)
        self._screen_events.put(event)

    def _on_prompts_returned(self, event: PromptsReturned) -> None:
        """Forget the prompts; the next one includes the user commands that were theirs."""
        commands: list[UserCommandEnded] = []
        for prompt in event.prompts:
            self._last_number = max(self._last_number, prompt.number)
            self._prompts.pop(prompt.number, None)
            sent = self._sent.pop(prompt.number, None)
            commands += sent.commands if sent else []
        self._unsent_commands = [*commands, *self._unsent_commands]
        self._screen_events.put(event)

    def _on_turn_continued(self, event: TurnStarted | ReplyCompleted | ToolStarted) -> None:
        self._running_turn = event.turn
        if isinstance(event, TurnStarted):
            self._own_turn = 0 if event.has_prompt else event.turn
        if event.turn != self._own_turn:
            self._sent.pop(event.turn, None)
        self._screen_events.put(event)

    def _on_turn_number_taken(self, event: TurnNumberTaken) -> None:
        """Forget the prompt, which the screen sends again under its next number."""
        turn = event.prompt.turn
        self._prompts.pop(turn, None)
        if turn == self._running_turn and turn <= self._last_ended_turn:
            self._running_turn = next(iter(self._prompts), None)
        if (sent := self._sent.pop(turn, None)) is not None:
            self._unsent_commands = [*sent.commands, *self._unsent_commands]
            prompt = event.prompt.model_copy(update={"text": sent.text})
            event = event.model_copy(update={"prompt": prompt})
        self._screen_events.put(event)

    def _interrupt(self) -> None:
        if self._running_turn is not None:
            cancel = self._cancels[self._running_turn] = CancelTurn(turn=self._running_turn)
            self.tell(PRIMARY, cancel)

    def _on_session_configured(self, message: SessionConfigured) -> None:
        """Adopt the agent's state; send an agent that crashed everything it has not answered."""
        self._running_turn = message.running_turn or next(iter(self._prompts), None)
        # A turn that ended, but not on disk, may run again, or its number may be used again.
        first_turn = message.running_turn or message.next_turn
        self._last_ended_turn = min(self._last_ended_turn, first_turn - 1)
        self._screen_events.put(message)
        prompts = (*self._delivered.values(), *self._prompts.values())
        for request in (*self._cancels.values(), *prompts):
            self.tell(PRIMARY, request)
        for review in self._open_reviews.values():
            self.tell(PRIMARY, review)
        if self._open_switch is not None:
            self.tell(PRIMARY, self._open_switch)

    def _on_turn_ended(self, message: TurnCompleted | TurnInterrupted | TurnFailed) -> None:
        if message.turn <= self._last_ended_turn:
            return  # a restarted agent sends it again, in case it was lost
        self._last_ended_turn = message.turn
        if message.turn != self._own_turn:
            self._prompts.pop(message.turn, None)
            self._sent.pop(message.turn, None)
        self._cancels.pop(message.turn, None)
        self._delivered.clear()
        if message.turn == self._running_turn:
            self._running_turn = next(iter(self._prompts), None)
        self._screen_events.put(message)

    def _on_peer_restarted(self, peer: Address) -> None:
        """Send a restarted actor what it may not know."""
        if peer == APPROVALS:
            self._screen_events.put(ApprovalsReset())
            self.tell(APPROVALS, ApproverAvailabilityChanged(can_decide=True))
        elif peer == self._viewed:
            self.tell(peer, SubscribeToAgent())
        elif peer == PERMISSIONS:
            for change in self._open_changes.requests:
                self.tell(PERMISSIONS, change)

    def _on_undelivered(self, report: Undelivered) -> None:
        """Report what will never be handled; a crashed receiver gets it again after its restart."""
        if report.reason == "crashed":
            return
        detail = UNDELIVERED_DETAIL.format(reason=report.reason)
        if isinstance(report.message, StartTurn):
            turn = report.message.turn
            if turn != self._running_turn:  # it only waited, so the user gets it back
                self._on_prompts_returned(PromptsReturned(prompts=(ReturnedPrompt(number=turn),)))
                return
            self._on_turn_ended(TurnFailed(turn=turn, reason="protocol_error", detail=detail))
        elif isinstance(report.message, StartReview):
            self._open_reviews.pop(report.message.id, None)
            self._screen_events.put_notice(f"The review did not start: {detail}.")
        elif isinstance(report.message, AssignTask):
            self._screen_events.put_notice(f"{report.to} has ended and accepts no more prompts.")
        else:
            if isinstance(report.message, SubmitDecision):
                self._screen_events.put(DecisionLost(report.message.id))
            is_change = isinstance(report.message, PolicyRequest | SwitchAgent)
            subject = "Your change" if is_change else "Your decision"
            self._screen_events.put_notice(f"{subject}: {detail}.")
