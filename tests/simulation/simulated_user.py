"""A user at the real console: drives the screen's own state machine at random."""

from collections.abc import Callable
from functools import partial
from random import Random

from messages.approvals import (
    AnyApprovalRequest,
    ApprovalDecision,
    QuestionRequest,
    ShowApproval,
    SubmitDecision,
)
from messages.base import Message
from messages.permissions import ChangeMode, RevokeGrant
from messages.policy import GrantScope, Rule
from messages.turns import ReplyCompleted, SwitchAgent
from shell.console.screen_event_queue import ScreenEventQueue
from shell.view import queued_messages
from shell.view import screen_state as screen
from shell.view.event_reducer import apply_event
from tests.simulation.invariants.prompts import MessagesOnScreen
from tests.simulation.simulated_loop import SimulatedLoop

MAX_FRAME_DELAY_S = 0.03
"""Longest time from an event to the frame that shows it."""
MAX_EVALUATION_DELAY_S = 0.1
"""Longest time after a reply in which its calls may still be evaluated."""
MAX_DECISION_DELAY_S = 6.0
FINISHING_DELAY_S = 0.1
"""Time from a request to its decision when the run is about to end."""


class SimulatedUser:
    """Types prompts, interrupts, and decides requests: at once, late, twice or not at all."""

    def __init__(
        self,
        loop: SimulatedLoop,
        random: Random,
        on_request_shown: Callable[[AnyApprovalRequest], None],
        change_policy_chance: float = 0.0,
    ) -> None:
        """Create a user.

        `on_request_shown` is called for a request when it appears on screen and when the user
        decides it. `change_policy_chance` is the chance that the user also changes the mode, a
        grant or the agent at such a moment.
        """
        self._loop = loop
        self._random = random
        self._on_request_shown = on_request_shown
        self._change_policy_chance = change_policy_chance
        self._events = ScreenEventQueue()
        self._send: Callable[[Message], None] = lambda _message: None
        self._is_frame_scheduled = False
        self._run = 0
        self.sent_count = 0
        """Commands sent to the console; counted by the receiver."""
        self.is_finishing = False
        """Decides every request soon and starts nothing new."""
        self.state = screen.ScreenState()
        self._decided: dict[str, AnyApprovalRequest] = {}
        """Requests that the user decided in this run, by id."""
        self.asked_again_ids: list[str] = []
        """Requests that appeared on screen again after the user had decided exactly these."""
        self.messages = MessagesOnScreen()
        self.grants: list[tuple[GrantScope, Rule]] = []
        """All rules that the user allowed for the session or the project."""

    def start_run(
        self, events: ScreenEventQueue, send: Callable[[Message], None], prompts: int
    ) -> None:
        """Use a new run of the program; `send` sends a command to its console."""
        self._run += 1
        self._events, self._send = events, send
        self.state, self.is_finishing = screen.ScreenState(), False
        self._is_frame_scheduled = False
        self._decided = {}
        self.messages = MessagesOnScreen()
        events.set_wake_callback(self._schedule_frame)
        delay_s = 0.0
        for number in range(prompts):
            delay_s += self._random.random() * 8
            text = f"prompt {number} of run {self._run}"
            self._schedule(delay_s, partial(self._enter_prompt, text))
            for part in range(self._random.choice((0, 0, 1, 2))):
                steering_delay_s = delay_s + self._random.random() * 4
                steering_text = f"{text}, part {part}"
                self._schedule(steering_delay_s, partial(self._enter_prompt, steering_text))
                if self._random.random() < 0.3:
                    self._schedule(steering_delay_s + self._random.random(), self._take_back)
        for action in (self._interrupt, self._change_policy):
            for _ in range(self._random.choice((0, 0, 1, 2, 3))):
                self._schedule(self._random.random() * 20, action)

    def end_run(self) -> None:
        """Stop using this run of the program."""
        self._run += 1
        self._events.set_wake_callback(None)

    def finish(self) -> None:
        """Decide all pending requests and start nothing new."""
        self.is_finishing = True
        for request in self.state.approvals.parked:
            self._schedule_decision(request.id)

    @property
    def open_request_ids(self) -> tuple[str, ...]:
        """Ids of the requests on screen."""
        return tuple(request.id for request in self.state.approvals.parked)

    def _schedule(self, delay_s: float, action: Callable[[], None]) -> None:
        run = self._run

        def act_in_same_run() -> None:
            if run == self._run:
                action()

        self._loop.call_later(delay_s, act_in_same_run)

    def _schedule_frame(self) -> None:
        if not self._is_frame_scheduled:
            self._is_frame_scheduled = True
            self._schedule(self._random.random() * MAX_FRAME_DELAY_S, self._draw_frame)

    def _draw_frame(self) -> None:
        self._is_frame_scheduled = False
        for event in self._events.take_all():
            self._update(apply_event(self.state, event, self._loop.time()))
            if isinstance(event, ReplyCompleted) and self._draw_policy_change():
                self._schedule(self._random.random() * MAX_EVALUATION_DELAY_S, self._change_policy)
            if isinstance(event, ShowApproval) and self.state.approvals.find(event.request.id):
                self._on_request_shown(event.request)
                self._schedule_decision(event.request.id)
                if self._decided.get(event.request.id) == event.request:
                    self.asked_again_ids.append(event.request.id)

    def _update(self, update: screen.ScreenUpdate) -> None:
        self.state, effects = update
        for effect in effects:
            match effect:
                case screen.SendCommand():
                    self._send(effect.command)
                case screen.PrintPrompt():
                    self.messages.printed[effect.text] += 1
                case screen.RestoreDraft():
                    self.messages.restored.update(effect.text.split("\n"))
                case _:
                    pass

    def _enter_prompt(self, text: str) -> None:
        if self.is_finishing:
            return
        self.messages.typed.append(text)
        self._update(screen.submit_prompt(self.state, text, self._loop.time()))
        if self._random.random() < 0.2:
            self._interrupt()

    def _take_back(self) -> None:
        if not self.is_finishing:
            self._update(queued_messages.withdraw_last_queued(self.state))

    def _interrupt(self) -> None:
        if not self.is_finishing:
            self._update(screen.interrupt(self.state))

    def _draw_policy_change(self) -> bool:
        return self._random.random() < self._change_policy_chance

    def _change_policy(self) -> None:
        """Change the mode, revoke a grant or switch the agent."""
        if self.is_finishing:
            return
        change = self._random.choice(("mode", "grant", "grant", "agent"))
        if change == "mode":
            self._send(ChangeMode(mode=self._random.choice(("default", "auto-edit", "yolo"))))
        elif change == "agent":
            self._send(SwitchAgent(agent=self._random.choice(("plan", "build", ""))))
        elif self.grants:
            scope, rule = self._random.choice(self.grants)
            self._send(RevokeGrant(rule=rule, scope=scope))

    # Approval requests.

    def _schedule_decision(self, request_id: str) -> None:
        delay_s = (
            FINISHING_DELAY_S if self.is_finishing else self._random.random() * MAX_DECISION_DELAY_S
        )
        self._schedule(delay_s, lambda: self._decide(request_id))

    def _decide(self, request_id: str) -> None:
        request = self.state.approvals.find(request_id)
        if isinstance(request, QuestionRequest) and request.limit is not None:
            answers = (self._random.choice(request.questions[0].choices).label,)
            self._send(SubmitDecision(id=request_id, decision="once", answers=answers))
        else:
            self._decide_call(request_id)

    def _decide_call(self, request_id: str) -> None:
        request = self.state.approvals.find(request_id)
        if request is not None:
            self._on_request_shown(request)
        decision: ApprovalDecision = self._random.choice(
            ("once", "once", "session", "project", "no")
        )
        if self._draw_policy_change():
            self._change_policy()
        chance = 1.0 if self.is_finishing else self._random.random()
        if chance < 0.1:
            return  # leaves it undecided
        if request is None:
            if chance < 0.5:  # the key was pressed just before the request disappeared
                self._send(SubmitDecision(id=request_id, decision=decision))
            return
        if decision not in request.available_decisions and chance > 0.2:
            decision = "once"
        feedback = "not so" if decision == "no" and chance < 0.6 else ""
        use_broader = bool(request.broader_grants) and self._random.random() < 0.5
        self._update(
            screen.decide_approval(
                self.state, request_id, decision, feedback, use_broader_grants=use_broader
            )
        )
        self._decided[request_id] = request
        if decision == "session" or decision == "project":  # noqa: PLR1714  (so that mypy narrows it)
            rules = request.broader_grants if use_broader else request.grants
            self.grants.extend((decision, rule) for rule in rules)
        if self._draw_policy_change():
            self._change_policy()
        if chance < 0.2:
            self._send(SubmitDecision(id=request_id, decision="no"))
