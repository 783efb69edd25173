"""A person at the real console: the screen's own state machine, moved by a seeded hand."""

from collections.abc import Callable
from functools import partial
from random import Random

from messages.approvals import AnyApprovalRequest, ApprovalDecision, ShowApproval, SubmitDecision
from messages.base import Message
from messages.permissions import ChangeMode, RevokeGrant
from messages.policy import GrantScope, Rule
from messages.turns import ReplyCompleted, SwitchAgent
from shell.console.screen_events import ScreenEventQueue
from shell.console.ui_commands import SendPrompt
from shell.view import screen_state as screen
from shell.view.event_reducer import apply_event
from tests.simulation.simulated_loop import SimulatedLoop

MAX_FRAME_DELAY_S = 0.03
"""The screen takes what came at most so much later."""
MAX_EVALUATION_DELAY_S = 0.1
"""So long after a reply its calls may still be judged."""
MAX_ANSWER_DELAY_S = 6.0
"""Longest before an answer."""


class SimulatedUser:
    """Types prompts, interrupts, and answers: at once, late, twice, or not until pressed."""

    def __init__(
        self,
        loop: SimulatedLoop,
        random: Random,
        on_request_shown: Callable[[AnyApprovalRequest], None],
        change_mind_chance: float = 0.0,
    ) -> None:
        """`asked` hears of each question when it comes to the screen, and when it is decided.

        `fickle`: so often something else is decided with it.
        """
        self._loop = loop
        self._random = random
        self._asked = on_request_shown
        self._fickle = change_mind_chance
        self._inbox = ScreenEventQueue()
        self._tell: Callable[[Message], None] = lambda _message: None
        self._framed = False
        self._run = 0
        self._wanted = 0
        self.sent_count = 0
        """Counts what was told to the console."""
        self.is_finishing = False
        """Answers everything soon, and wants nothing more."""
        self.state = screen.ScreenState()
        self.granted: list[tuple[GrantScope, Rule]] = []
        """What was ever answered with "don't ask again"."""

    def start_run(
        self, inbox: ScreenEventQueue, send: Callable[[Message], None], prompts: int
    ) -> None:
        """Begin with a new run of the program; `tell` reaches its console."""
        self._run += 1
        self._inbox, self._tell = inbox, send
        self.state, self.is_finishing, self._framed = screen.ScreenState(), False, False
        inbox.set_wake_callback(self._wake)
        when_s = 0.0
        for number in range(prompts):
            when_s += self._random.random() * 8
            self._later(when_s, partial(self._enter, f"prompt {number}"))
        for act in (self._interrupt, self._decide_otherwise):
            for _ in range(self._random.choice((0, 0, 1, 2, 3))):
                self._later(self._random.random() * 20, act)

    def end_run(self) -> None:
        """Get up: nobody looks at this run's screen any more."""
        self._run += 1
        self._inbox.set_wake_callback(None)

    def finish(self) -> None:
        """Come to an end: answer what is open, and ask for nothing more."""
        self.is_finishing = True
        for request in self.state.approvals.parked:
            self._decide_later(request.id)

    @property
    def open_request_ids(self) -> tuple[str, ...]:
        """The ids that are on the screen."""
        return tuple(request.id for request in self.state.approvals.parked)

    def _later(self, delay_s: float, act: Callable[[], None]) -> None:
        run = self._run

        def then() -> None:
            if run == self._run:
                act()

        self._loop.call_later(delay_s, then)

    def _wake(self) -> None:
        if not self._framed:
            self._framed = True
            self._later(self._random.random() * MAX_FRAME_DELAY_S, self._frame)

    def _frame(self) -> None:
        self._framed = False
        for event in self._inbox.take_all():
            self._step(apply_event(self.state, event, self._loop.time()))
            if isinstance(event, ReplyCompleted) and self._random.random() < self._fickle:
                self._later(self._random.random() * MAX_EVALUATION_DELAY_S, self._decide_otherwise)
            if isinstance(event, ShowApproval):
                self._asked(event.request)
                self._decide_later(event.request.id)

    def _step(self, step: screen.ScreenUpdate) -> None:
        self.state, effects = step
        for effect in effects:
            if isinstance(effect, screen.SendCommand):
                self._tell(effect.command)

    def _enter(self, text: str) -> None:
        if self.is_finishing:
            return
        if self._random.random() < 0.2:  # past the screen's queue, as a prompt of the command line
            self._tell(SendPrompt(text=text))
        else:
            self._step(screen.submit_prompt(self.state, text, self._loop.time()))
        if self._random.random() < 0.2:  # thinks better of it at once
            self._interrupt()

    def _interrupt(self) -> None:
        if not self.is_finishing:
            self._step(screen.interrupt(self.state))

    def _decide_otherwise(self) -> None:
        """Change what questions are decided by: a mode, a grant, or who has the session."""
        if self.is_finishing:
            return
        way = self._random.choice(("mode", "grant", "grant", "agent"))
        if way == "mode":
            self._tell(ChangeMode(mode=self._random.choice(("default", "auto-edit", "yolo"))))
        elif way == "agent":
            self._tell(SwitchAgent(agent=self._random.choice(("plan", "build", ""))))
        elif self.granted:
            scope, rule = self._random.choice(self.granted)
            self._tell(RevokeGrant(rule=rule, scope=scope))

    # Questions.

    def _decide_later(self, request_id: str) -> None:
        delay_s = 0.1 if self.is_finishing else self._random.random() * MAX_ANSWER_DELAY_S
        self._later(delay_s, lambda: self._decide(request_id))

    def _decide(self, request_id: str) -> None:
        request = self.state.approvals.find(request_id)
        if request is not None:
            self._asked(request)
        answer: ApprovalDecision = self._random.choice(("once", "once", "session", "project", "no"))
        if self._random.random() < self._fickle:
            self._decide_otherwise()
        chance = 1.0 if self.is_finishing else self._random.random()
        if chance < 0.1:
            return  # not now
        if request is None:
            if chance < 0.5:  # the key was under way when the request went away
                self._tell(SubmitDecision(id=request_id, decision=answer))
            return
        if answer not in request.available_decisions and chance > 0.2:
            answer = "once"
        why = "not so" if answer == "no" and chance < 0.6 else ""
        wider = bool(request.broader_grants) and self._random.random() < 0.5
        self._step(
            screen.decide_approval(self.state, request_id, answer, why, use_broader_grants=wider)
        )
        if answer == "session" or answer == "project":  # noqa: PLR1714  (so that mypy narrows it)
            rules = request.broader_grants if wider else request.grants
            self.granted.extend((answer, rule) for rule in rules)
        if self._random.random() < self._fickle:
            self._decide_otherwise()
        if chance < 0.2:
            self._tell(SubmitDecision(id=request_id, decision="no"))
