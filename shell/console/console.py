"""The shell's actor: reports go to the screen, what the person wants into the tree.

Long because it is one table of messages.
"""

from functools import partial
from typing import assert_never

from actors.runtime.actor import Actor, JobId
from messages.address import APPROVALS, PERMISSIONS, PRIMARY, Address, is_subagent
from messages.approvals import (
    ApproverAvailabilityChanged,
    DismissApproval,
    ShowApproval,
    SubmitDecision,
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
from messages.subagents import (
    AssignTask,
    CancelTask,
    PromptRejected,
    SubscribeToAgent,
    UnsubscribeFromAgent,
)
from messages.supervision import PeerRestarted, Undelivered
from messages.turns import (
    AgentEvent,
    AgentSwitched,
    CancelTurn,
    Delta,
    ReplyCompleted,
    SessionConfigured,
    SetModel,
    StartTurn,
    SwitchAgent,
    SwitchAgentFailed,
    ToolStarted,
    TurnCompleted,
    TurnFailed,
    TurnInterrupted,
    TurnStarted,
    UpwardEvent,
)
from shell.console.screen_events import (
    ApprovalsReset,
    ScreenEventQueue,
    SubagentEvent,
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
from shell.console.user_command import (
    UserCommandRunner,
    build_failed_command,
    run_user_command,
    with_user_commands,
)

PolicyRequest = ReplaceRules | ChangeMode | RevokeGrant
RevokeResult = GrantRevoked | RevokeGrantFailed
PolicyResult = RulesReplaced | ReplaceRulesFailed | ModeChanged | ChangeModeFailed
REQUEST_BY_RESULT: dict[type[PolicyResult], type[PolicyRequest]] = {
    RulesReplaced: ReplaceRules,
    ReplaceRulesFailed: ReplaceRules,
    ModeChanged: ChangeMode,
    ChangeModeFailed: ChangeMode,
}
UNDELIVERED_DETAIL = "it could not be taken ({reason}); the rest of the session goes on"

UiCommand = (
    SendPrompt
    | InterruptTurn
    | SubmitDecision
    | RunUserCommand
    | StopUserCommand
    | SetModel
    | StopSubagent
    | PromptSubagent
    | ViewSubagent
    | SwitchAgent
    | GetPolicy
    | ExplainLastDecision
    | PolicyRequest
)
"""What the person wants, from the screen."""
ActorReport = (
    AgentEvent
    | ShowApproval
    | DismissApproval
    | UserCommandEnded
    | PromptRejected
    | PeerRestarted
    | Undelivered
    | PolicySnapshot
    | DecisionExplained
    | StoreGrantFailed
    | PolicyResult
    | RevokeResult
)
"""What the other actors tell."""
ConsoleInbox = UiCommand | ActorReport


class Console(Actor[ConsoleInbox]):
    """Stands between the actors and the screen, which runs on a thread of its own."""

    drains_before_stop = True

    def __init__(
        self, screen_events: ScreenEventQueue, user_command_runner: UserCommandRunner
    ) -> None:
        """Reports are put into `inbox`, the screen takes them when it draws.

        On the `workbench` the person's own commands run.
        """
        self._inbox = screen_events
        self._workbench = user_command_runner
        self._own: JobId | None = None
        self._own_said: list[UserCommandEnded] = []
        self._next_turn = 1
        self._running: int | None = None
        self._waiting: dict[int, StartTurn] = {}
        """Prompts whose turn has not ended: one that began may be lost before it is on disk."""
        self._cancelled: dict[int, CancelTurn] = {}
        """Cancels of turns that have not ended."""
        self._last_end = 0
        self._changes: list[PolicyRequest] = []
        """What is not known to hold yet; with revocations that are not off the disk."""
        self._switching: SwitchAgent | None = None
        """A switch that is not known to have been made, or not."""
        self._watched: Address | None = None
        """Whose stream the person looks at."""

    def on_start(self) -> None:
        """From now on a person can be asked."""
        if self.incarnation > 1:  # whoever asks something now is told, and asks again
            self._inbox.put(ApprovalsReset())
        self.watch(APPROVALS)
        self.watch(PERMISSIONS)
        self.tell(APPROVALS, ApproverAvailabilityChanged(can_answer=True))

    def on_receive(self, message: ConsoleInbox) -> None:
        """Take one message."""
        if isinstance(message, UiCommand):
            self._do(message)
        elif isinstance(message, UpwardEvent | Delta) and is_subagent(self.sender):
            self._inbox.put(to_screen_event(self.sender, message))
        elif isinstance(message, SessionConfigured) and is_subagent(self.sender):
            self._inbox.put(SubagentEvent(self.sender, message))  # what streams begins with this
        else:
            self._hear(message)

    def _do(self, wish: UiCommand) -> None:  # noqa: C901, PLR0912  (one case a message)
        """Pass on what the person wants to whoever can do it."""
        match wish:
            case SendPrompt():
                self._send(wish)
            case InterruptTurn():
                self._interrupt()
            case SubmitDecision():
                self.tell(APPROVALS, wish)
            case RunUserCommand():
                job = partial(run_user_command, wish.command, self._workbench)
                self._own = self.start_job(job, partial(build_failed_command, wish.command))
            case StopUserCommand():
                if self._own is not None:
                    self.cancel_job(self._own)
            case SetModel():
                self.tell(PRIMARY, wish)
            case StopSubagent():
                self.tell(wish.agent, CancelTask())
            case PromptSubagent():
                self.tell(wish.agent, AssignTask(prompt=wish.text))
            case ViewSubagent():
                self._watch(wish.agent)
            case SwitchAgent():
                self._switching = wish
                self.tell(PRIMARY, wish)
            case GetPolicy() | ExplainLastDecision():
                self.tell(PERMISSIONS, wish)
            case ReplaceRules() | ChangeMode() | RevokeGrant():
                self._changes.append(wish)
                self.tell(PERMISSIONS, wish)
            case _:
                assert_never(wish)

    def _hear(self, report: ActorReport) -> None:  # noqa: C901  (one case a message)
        """Put on the screen what happened, and keep what a neighbour may have to be told again."""
        match report:
            case UserCommandEnded():
                self._own = None
                self._own_said.append(report)
                self._inbox.put(report)
            case PromptRejected():
                self._inbox.put_notice(f"{report.agent} ends with its task and takes no more.")
            case AgentSwitched() | SwitchAgentFailed():
                self._switching = None
                self._inbox.put(report)
            case RulesReplaced() | ReplaceRulesFailed() | ModeChanged() | ChangeModeFailed():
                self._changed(report)
            case GrantRevoked():
                self._revoked(report)
            case SessionConfigured():
                self._configured(report)
            case TurnStarted() | ReplyCompleted() | ToolStarted():
                self._running = report.turn
                self._inbox.put(report)
            case TurnCompleted() | TurnInterrupted() | TurnFailed():
                self._ended(report)
            case PeerRestarted():
                self._peer_restarted(report.peer)
            case Undelivered():
                self._returned(report)
            case _:
                self._inbox.put(report)

    def _watch(self, agent: Address | None) -> None:
        """Hear what one agent streams, and no other any more."""
        if self._watched is not None:
            self.tell(self._watched, UnsubscribeFromAgent())
        self._watched = agent
        if agent is not None:
            self.watch(agent)
            self.tell(agent, SubscribeToAgent())

    def _send(self, message: SendPrompt) -> None:
        turn, self._next_turn = self._next_turn, self._next_turn + 1
        if self._running is None:
            self._running = turn  # else it waits for the running one, which Esc is meant for
        said, self._own_said = self._own_said, []
        text = with_user_commands(message.text, said)
        prompt = self._waiting[turn] = StartTurn(turn=turn, text=text)
        self.tell(PRIMARY, prompt)

    def _changed(self, answer: PolicyResult) -> None:
        """Strike off the change that this is the answer to; they come in their order."""
        kind = REQUEST_BY_RESULT[type(answer)]
        made = next((each for each in self._changes if isinstance(each, kind)), None)
        self._changes = [each for each in self._changes if each is not made]
        self._inbox.put(answer)

    def _revoked(self, answer: GrantRevoked) -> None:
        """Strike a revocation off now that it is off the disk, however often it was tried."""
        taken = RevokeGrant(rule=answer.rule, scope=answer.scope)
        self._changes = [each for each in self._changes if each != taken]
        self._inbox.put(answer)

    def _interrupt(self) -> None:
        if self._running is not None:
            cancel = self._cancelled[self._running] = CancelTurn(turn=self._running)
            self.tell(PRIMARY, cancel)

    def _configured(self, message: SessionConfigured) -> None:
        """Take the agent's word for where it stands; one that crashed is told again what waits."""
        self._next_turn = max(self._next_turn, message.next_turn)
        self._running = message.running_turn or next(iter(self._waiting), None)
        # One that had ended, but not on disk, may run again, or its number be given anew.
        first = message.running_turn or message.next_turn
        self._last_end = min(self._last_end, first - 1)
        self._inbox.put(message)
        for told in (*self._cancelled.values(), *self._waiting.values()):
            self.tell(PRIMARY, told)
        if self._switching is not None:
            self.tell(PRIMARY, self._switching)

    def _ended(self, message: TurnCompleted | TurnInterrupted | TurnFailed) -> None:
        if message.turn <= self._last_end:
            return  # a restarted agent says it again, in case it was lost
        self._last_end = message.turn
        self._waiting.pop(message.turn, None)
        self._cancelled.pop(message.turn, None)
        if message.turn == self._running:
            self._running = None
        self._inbox.put(message)

    def _peer_restarted(self, peer: Address) -> None:
        """Say again what a restarted neighbour may not know."""
        if peer == APPROVALS:
            self._inbox.put(ApprovalsReset())
            self.tell(APPROVALS, ApproverAvailabilityChanged(can_answer=True))
        elif peer == self._watched:
            self.tell(peer, SubscribeToAgent())
        elif peer == PERMISSIONS:
            for change in self._changes:
                self.tell(PERMISSIONS, change)

    def _returned(self, back: Undelivered) -> None:
        """Say what will never be handled; what only crashed its receiver is told again."""
        if back.reason == "crashed":
            return
        detail = UNDELIVERED_DETAIL.format(reason=back.reason)
        if isinstance(back.message, StartTurn):
            self._ended(TurnFailed(turn=back.message.turn, reason="protocol", detail=detail))
        elif isinstance(back.message, AssignTask):
            self._inbox.put_notice(f"{back.to} has ended and takes nothing more.")
        else:
            is_change = isinstance(back.message, PolicyRequest | SwitchAgent)
            what = "Your change" if is_change else "Your answer"
            self._inbox.put_notice(f"{what}: {detail}.")
