"""The console actor: passes events to the screen and the user's commands to the actors."""

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
from shell.console.user_shell_command import (
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
UNDELIVERED_DETAIL = "it could not be delivered ({reason}); the session continues"

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
"""Commands of the user, from the screen."""
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
"""Events and answers from the other actors."""
ConsoleInbox = UiCommand | ActorReport


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
        self._next_turn = 1
        self._running_turn: int | None = None
        self._prompts: dict[int, StartTurn] = {}
        """Prompts by turn, until it ends: one that started may be lost before it is on disk."""
        self._cancels: dict[int, CancelTurn] = {}
        """Cancels by turn, until it ends."""
        self._last_ended_turn = 0
        self._open_changes: list[PolicyRequest] = []
        """Changes that the engine has not answered, and revocations that are not on disk."""
        self._open_switch: SwitchAgent | None = None
        """A switch that the agent has not answered."""
        self._viewed: Address | None = None
        """The subagent whose stream is on screen."""

    def on_start(self) -> None:
        """Report that the user can answer approval requests."""
        if self.incarnation > 1:  # the broker sends open requests again
            self._screen_events.put(ApprovalsReset())
        self.watch(APPROVALS)
        self.watch(PERMISSIONS)
        self.tell(APPROVALS, ApproverAvailabilityChanged(can_answer=True))

    def on_receive(self, message: ConsoleInbox) -> None:
        """Handle one message."""
        if isinstance(message, UiCommand):
            self._on_ui_command(message)
        elif isinstance(message, UpwardEvent | Delta) and is_subagent(self.sender):
            self._screen_events.put(to_screen_event(self.sender, message))
        elif isinstance(message, SessionConfigured) and is_subagent(self.sender):
            self._screen_events.put(
                SubagentEvent(self.sender, message)
            )  # the first message of its stream
        else:
            self._on_report(message)

    def _on_ui_command(self, command: UiCommand) -> None:  # noqa: C901, PLR0912  (one case per message)
        """Send the user's command to the actor that carries it out."""
        match command:
            case SendPrompt():
                self._send_prompt(command)
            case InterruptTurn():
                self._interrupt()
            case SubmitDecision():
                self.tell(APPROVALS, command)
            case RunUserCommand():
                job = partial(run_user_command, command.command, self._user_command_runner)
                on_failure = partial(build_failed_command, command.command)
                self._user_command = self.start_job(job, on_failure)
            case StopUserCommand():
                if self._user_command is not None:
                    self.cancel_job(self._user_command)
            case SetModel():
                self.tell(PRIMARY, command)
            case StopSubagent():
                self.tell(command.agent, CancelTask())
            case PromptSubagent():
                self.tell(command.agent, AssignTask(prompt=command.text))
            case ViewSubagent():
                self._view(command.agent)
            case SwitchAgent():
                self._open_switch = command
                self.tell(PRIMARY, command)
            case GetPolicy() | ExplainLastDecision():
                self.tell(PERMISSIONS, command)
            case ReplaceRules() | ChangeMode() | RevokeGrant():
                self._open_changes.append(command)
                self.tell(PERMISSIONS, command)
            case _:
                assert_never(command)

    def _on_report(self, report: ActorReport) -> None:  # noqa: C901  (one case per message)
        """Pass the report to the screen and update what may have to be sent again."""
        match report:
            case UserCommandEnded():
                self._user_command = None
                self._unsent_commands.append(report)
                self._screen_events.put(report)
            case PromptRejected():
                self._screen_events.put_notice(
                    f"{report.agent} accepts no more prompts: it ends after its task."
                )
            case AgentSwitched() | SwitchAgentFailed():
                self._open_switch = None
                self._screen_events.put(report)
            case RulesReplaced() | ReplaceRulesFailed() | ModeChanged() | ChangeModeFailed():
                self._on_policy_result(report)
            case GrantRevoked():
                self._on_grant_revoked(report)
            case SessionConfigured():
                self._on_session_configured(report)
            case TurnStarted() | ReplyCompleted() | ToolStarted():
                self._running_turn = report.turn
                self._screen_events.put(report)
            case TurnCompleted() | TurnInterrupted() | TurnFailed():
                self._on_turn_ended(report)
            case PeerRestarted():
                self._on_peer_restarted(report.peer)
            case Undelivered():
                self._on_undelivered(report)
            case _:
                self._screen_events.put(report)

    def _view(self, agent: Address | None) -> None:
        """Subscribe to one agent's stream and unsubscribe from the previous one."""
        if self._viewed is not None:
            self.tell(self._viewed, UnsubscribeFromAgent())
        self._viewed = agent
        if agent is not None:
            self.watch(agent)
            self.tell(agent, SubscribeToAgent())

    def _send_prompt(self, message: SendPrompt) -> None:
        turn, self._next_turn = self._next_turn, self._next_turn + 1
        if self._running_turn is None:
            self._running_turn = turn  # else the prompt waits, and Esc interrupts the running turn
        commands, self._unsent_commands = self._unsent_commands, []
        text = with_user_commands(message.text, commands)
        prompt = self._prompts[turn] = StartTurn(turn=turn, text=text)
        self.tell(PRIMARY, prompt)

    def _on_policy_result(self, result: PolicyResult) -> None:
        """Remove the first change of that kind, since answers come in order."""
        kind = REQUEST_BY_RESULT[type(result)]
        done = next((each for each in self._open_changes if isinstance(each, kind)), None)
        self._open_changes = [each for each in self._open_changes if each is not done]
        self._screen_events.put(result)

    def _on_grant_revoked(self, result: GrantRevoked) -> None:
        """Remove the revocation, which is now on disk, however often it was requested."""
        done = RevokeGrant(rule=result.rule, scope=result.scope)
        self._open_changes = [each for each in self._open_changes if each != done]
        self._screen_events.put(result)

    def _interrupt(self) -> None:
        if self._running_turn is not None:
            cancel = self._cancels[self._running_turn] = CancelTurn(turn=self._running_turn)
            self.tell(PRIMARY, cancel)

    def _on_session_configured(self, message: SessionConfigured) -> None:
        """Adopt the agent's state; send an agent that crashed everything it has not answered."""
        self._next_turn = max(self._next_turn, message.next_turn)
        self._running_turn = message.running_turn or next(iter(self._prompts), None)
        # A turn that ended, but not on disk, may run again, or its number may be used again.
        first_turn = message.running_turn or message.next_turn
        self._last_ended_turn = min(self._last_ended_turn, first_turn - 1)
        self._screen_events.put(message)
        for request in (*self._cancels.values(), *self._prompts.values()):
            self.tell(PRIMARY, request)
        if self._open_switch is not None:
            self.tell(PRIMARY, self._open_switch)

    def _on_turn_ended(self, message: TurnCompleted | TurnInterrupted | TurnFailed) -> None:
        if message.turn <= self._last_ended_turn:
            return  # a restarted agent sends it again, in case it was lost
        self._last_ended_turn = message.turn
        self._prompts.pop(message.turn, None)
        self._cancels.pop(message.turn, None)
        if message.turn == self._running_turn:
            self._running_turn = None
        self._screen_events.put(message)

    def _on_peer_restarted(self, peer: Address) -> None:
        """Send a restarted actor what it may not know."""
        if peer == APPROVALS:
            self._screen_events.put(ApprovalsReset())
            self.tell(APPROVALS, ApproverAvailabilityChanged(can_answer=True))
        elif peer == self._viewed:
            self.tell(peer, SubscribeToAgent())
        elif peer == PERMISSIONS:
            for change in self._open_changes:
                self.tell(PERMISSIONS, change)

    def _on_undelivered(self, report: Undelivered) -> None:
        """Report what will never be handled; a crashed receiver gets it again after its restart."""
        if report.reason == "crashed":
            return
        detail = UNDELIVERED_DETAIL.format(reason=report.reason)
        if isinstance(report.message, StartTurn):
            turn = report.message.turn
            self._on_turn_ended(TurnFailed(turn=turn, reason="protocol_error", detail=detail))
        elif isinstance(report.message, AssignTask):
            self._screen_events.put_notice(f"{report.to} has ended and accepts no more prompts.")
        else:
            is_change = isinstance(report.message, PolicyRequest | SwitchAgent)
            subject = "Your change" if is_change else "Your decision"
            self._screen_events.put_notice(f"{subject}: {detail}.")
