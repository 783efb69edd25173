"""A random but valid environment for the broker: agents, user, journal and engine in one model."""

from collections import Counter, deque
from collections.abc import Awaitable, Callable
from random import Random

from actors.approvals.broker import ApprovalBroker, ApprovalBrokerInbox
from actors.runtime.actor import Actor, JobFailure
from actors.runtime.supervision import Restart
from messages.address import APPROVALS, CONSOLE, JOURNAL, PERMISSIONS, PRIMARY, Address
from messages.approvals import (
    ApprovalDecided,
    ApprovalDecision,
    ApprovalUnavailable,
    ApprovalWithdrawn,
    ApproverAvailabilityChanged,
    DismissApproval,
    ExecApprovalRequest,
    ShowApproval,
    SubmitDecision,
    WithdrawApprovals,
)
from messages.base import Message
from messages.child_lifecycle import FailureCause
from messages.journal import Append, Appended, AppendFailed, Record
from messages.permissions import (
    EvaluatePermission,
    GrantStored,
    PermissionDecision,
    PolicyChanged,
    StoreGrant,
    StoreGrantFailed,
)
from messages.policy import Action
from tests.actors.approvals.sample_requests import make_request

MessageFilter = Callable[[Message], tuple[Message, ...]]

AGENTS = (PRIMARY, Address("/primary/a-1"), Address("/primary/a-1/b-1"), Address("/primary/a-10"))
DECISIONS: tuple[ApprovalDecision, ...] = ("once", "session", "no")
DENY_REASON = "denied by a rule"
ACTIONS: tuple[Action, ...] = ("allow", "ask", "deny")


def pass_through(message: Message) -> tuple[Message, ...]:
    return (message,)


class BrokerModel:
    """The broker's actor context, which checks every message; the filters can inject faults."""

    address = receiver = APPROVALS
    incarnation = 1

    def __init__(
        self,
        seed: int,
        outgoing_filter: MessageFilter = pass_through,
        incoming_filter: MessageFilter = pass_through,
    ) -> None:
        """Create a broker that does not know about a console yet."""
        self.random = Random(seed)  # noqa: S311  (must be reproducible)
        self.sender = PRIMARY
        self._filter_outgoing, self._filter_incoming = outgoing_filter, incoming_filter
        self._broker: Actor[ApprovalBrokerInbox] = ApprovalBroker(JOURNAL, PERMISSIONS, CONSOLE)
        Actor.bind(self._broker, self)
        self._requests: dict[str, ExecApprovalRequest] = {}
        self._ends: Counter[str] = Counter()
        self._disk: list[Record] = []
        self._screen: list[str] = []
        self._shown: set[str] = set()
        self._decisions: dict[str, ApprovalDecision] = {}
        self._granted: set[str] = set()
        self._unsynced: deque[Append] = deque()
        self._engine: deque[Message] = deque()
        self._sent: list[tuple[Address, ApprovalBrokerInbox]] = []
        self._can_decide = False
        self._has_disturbances = True

    def run(self, step_count: int) -> None:
        """Take random steps, then let everything finish."""
        for _ in range(step_count):
            self.random.choice(self._list_steps())()
        self._has_disturbances = False
        for _ in range(1_000):
            steps = self._list_steps()
            if not steps:
                break
            self.random.choice(steps)()
        self._check_idle()

    def _list_steps(self) -> list[Callable[[], None]]:
        steps: list[Callable[[], None]] = []
        steps += [self._sync] if self._unsynced else []
        steps += [self._answer_from_engine] if self._engine else []
        steps += [self._submit_decision] if self._screen else []
        if self._has_disturbances:
            steps += [
                self._send_request,
                self._send_request,
                self._withdraw,
                self._change_availability,
                self._repeat,
            ]
        return steps

    def _check_idle(self) -> None:
        assert self._screen == [], "a request is left on the screen"
        ended = {request_id: self._ends[request_id] for request_id in self._requests}
        assert ended == dict.fromkeys(self._requests, 1), "a request did not end exactly once"

    def _tell(self, sender: Address, message: ApprovalBrokerInbox) -> None:
        self._sent.append((sender, message))
        for filtered in self._filter_incoming(message):
            self.sender = sender
            self._broker.on_receive(filtered)  # type: ignore[arg-type]  # filters keep the type

    # Steps of the environment

    def _send_request(self) -> None:
        request = make_request(f"r{len(self._requests) + 1}", self.random.choice(AGENTS))
        self._requests[request.id] = request
        self._tell(PRIMARY, request)

    def _withdraw(self) -> None:
        if not self._requests:
            return
        single = self.random.choice(list(self._requests.values()))
        under = self.random.choice(AGENTS[1:])
        withdraws_one = self.random.random() < 0.5
        for request in self._requests.values():
            affected = request.id == single.id if withdraws_one else request.agent.is_under(under)
            if affected and not self._ends[request.id]:
                self._ends[request.id] += 1
        if withdraws_one:
            self._tell(PRIMARY, ApprovalWithdrawn(id=single.id))
        else:
            self._tell(PRIMARY, WithdrawApprovals(under=under))

    def _change_availability(self) -> None:
        self._can_decide = self.random.random() < 0.8
        self._tell(CONSOLE, ApproverAvailabilityChanged(can_decide=self._can_decide, reason="gone"))

    def _submit_decision(self) -> None:
        request_id = self.random.choice(self._screen)
        decision = self.random.choice(DECISIONS)
        self._decisions.setdefault(request_id, decision)
        self._tell(CONSOLE, SubmitDecision(id=request_id, decision=decision))

    def _repeat(self) -> None:
        """Send a duplicate of a message whose repetition must have no effect."""
        effective = (
            WithdrawApprovals | ApprovalWithdrawn | ApproverAvailabilityChanged | SubmitDecision
        )
        repeatable = [sent for sent in self._sent if not isinstance(sent[1], effective)]
        if repeatable:
            self._tell(*self.random.choice(repeatable))

    def _sync(self) -> None:
        append = self._unsynced.popleft()
        if self._has_disturbances and self.random.random() < 0.1:
            self._tell(JOURNAL, AppendFailed(id=append.id, detail="disk full"))
        else:
            self._disk += append.records
            self._tell(JOURNAL, Appended(id=append.id))

    def _answer_from_engine(self) -> None:
        message = self._engine.popleft()
        if isinstance(message, StoreGrant):
            self._granted.add(message.id)
            if self.random.random() < 0.5:
                self._tell(PERMISSIONS, GrantStored(id=message.id, policy_version=2))
                self._tell(PERMISSIONS, PolicyChanged(policy_version=2))
            else:
                self._tell(PERMISSIONS, StoreGrantFailed(id=message.id, detail="disk full"))
        elif isinstance(message, EvaluatePermission):
            action = self.random.choice(ACTIONS)
            reason = DENY_REASON if action == "deny" else ""
            decision = PermissionDecision(
                id=message.id,
                action=action,
                reason=reason,
                policy_version=2,
                grants=make_request(message.id).grants,
            )
            self._tell(PERMISSIONS, decision)

    # Messages from the broker

    def send(self, to: Address, message: Message, sender: Address) -> None:  # noqa: ARG002
        """Check a message from the broker and process it."""
        for sent in self._filter_outgoing(message):
            match sent:
                case Append():
                    self._unsynced.append(sent)
                case StoreGrant() | EvaluatePermission():
                    self._engine.append(sent)
                case ShowApproval():
                    self._on_shown(sent)
                case DismissApproval():
                    assert sent.id in self._screen, "dismissed a request that was not shown"
                    self._screen.remove(sent.id)
                case ApprovalDecided():
                    self._on_decided(sent, to)
                case ApprovalUnavailable():
                    is_forced = "disk full" in sent.reason or DENY_REASON in sent.reason
                    assert is_forced or not self._can_decide, (
                        "unavailable although a user can decide"
                    )
                    self._end(sent.id, to)
                case StoreGrantFailed():
                    assert to == CONSOLE, "not sent to the console"
                case _:
                    note = f"unexpected {type(sent).__name__} to {to}"
                    raise AssertionError(note)

    def _on_shown(self, sent: ShowApproval) -> None:
        assert sent.request in self._disk, "shown before it was on disk"
        assert self._can_decide, "shown although no user can decide"
        assert sent.request.id not in self._shown, "shown twice"
        assert not self._ends[sent.request.id], "shown after its end"
        self._shown.add(sent.request.id)
        self._screen.append(sent.request.id)

    def _on_decided(self, sent: ApprovalDecided, to: Address) -> None:
        assert sent in self._disk, "delivered before it was on disk"
        if sent.decided_by == "user":
            assert sent.decision == self._decisions.get(sent.id), "not the user's decision"
            assert sent.decision != "session" or sent.id in self._granted, "before its grant"
        self._end(sent.id, to)

    def _end(self, request_id: str, to: Address) -> None:
        assert to == PRIMARY, "did not return the way it came"
        assert not self._ends[request_id], "ended twice"
        self._ends[request_id] += 1

    # The rest of the actor context, which the broker does not use

    def start_child(
        self, make: Callable[[], Actor[Message]], name: str, restart: Restart
    ) -> Address:
        raise NotImplementedError

    def stop_child(self, child: Address, timeout_s: float) -> None:
        raise NotImplementedError

    def start_job(
        self, job: Callable[[], Awaitable[Message]], on_failure: Callable[[JobFailure], Message]
    ) -> int:
        raise NotImplementedError

    def schedule(self, delay_s: float, message: Message) -> None:
        raise NotImplementedError

    def cancel_job(self, job_id: int) -> None:
        raise NotImplementedError

    def message_sink(self) -> Callable[[Message], None]:
        raise NotImplementedError

    def watch(self, peer: Address) -> None:
        raise NotImplementedError

    def stash(self, except_types: frozenset[type[Message]]) -> None:
        raise NotImplementedError

    def unstash(self) -> None:
        raise NotImplementedError

    def finish(self, result: str) -> None:
        raise NotImplementedError

    def finish_failed(self, cause: FailureCause, detail: str) -> None:
        raise NotImplementedError
