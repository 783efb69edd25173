"""The broker's neighbours, random but legal: agents, people, journal and engine in one account."""

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
DENY_REASON = "a rule says no"
ACTIONS: tuple[Action, ...] = ("allow", "ask", "deny")


def pass_through(message: Message) -> tuple[Message, ...]:
    return (message,)


class BrokerModel:
    """A host that keeps account; `says` and `hears` may plant a fault in mouth and ears."""

    address = APPROVALS
    incarnation = 1

    def __init__(
        self,
        seed: int,
        outgoing_filter: MessageFilter = pass_through,
        incoming_filter: MessageFilter = pass_through,
    ) -> None:
        """Begin with a new broker that knows of no console yet."""
        self.random = Random(seed)  # noqa: S311  (it has to be the same each time)
        self.sender = PRIMARY
        self._says, self._hears = outgoing_filter, incoming_filter
        self._broker: Actor[ApprovalBrokerInbox] = ApprovalBroker(JOURNAL, PERMISSIONS, CONSOLE)
        Actor.bind(self._broker, self)
        self._asked: dict[str, ExecApprovalRequest] = {}
        self._ends: Counter[str] = Counter()
        self._disk: list[Record] = []
        self._screen: list[str] = []
        self._presented: set[str] = set()
        self._chosen: dict[str, ApprovalDecision] = {}
        self._granted: set[str] = set()
        self._unsynced: deque[Append] = deque()
        self._engine: deque[Message] = deque()
        self._told: list[tuple[Address, ApprovalBrokerInbox]] = []
        self._people = False
        self._trouble = True

    def run(self, steps: int) -> None:
        """Do random things, then bring everything to its end."""
        for _ in range(steps):
            self.random.choice(self._choices())()
        self._trouble = False
        for _ in range(1_000):
            choices = self._choices()
            if not choices:
                break
            self.random.choice(choices)()
        self._at_rest()

    def _choices(self) -> list[Callable[[], None]]:
        choices: list[Callable[[], None]] = []
        choices += [self._sync] if self._unsynced else []
        choices += [self._engine_answers] if self._engine else []
        choices += [self._answer] if self._screen else []
        if self._trouble:
            choices += [self._ask, self._ask, self._withdraw, self._come_or_go, self._repeat]
        return choices

    def _at_rest(self) -> None:
        assert self._screen == [], "something is left on the screen"
        ended = {approval: self._ends[approval] for approval in self._asked}
        assert ended == dict.fromkeys(self._asked, 1), "not each ended exactly once"

    def _tell(self, sender: Address, message: ApprovalBrokerInbox) -> None:
        self._told.append((sender, message))
        for heard in self._hears(message):
            self.sender = sender
            self._broker.on_receive(heard)  # type: ignore[arg-type]  # a fault keeps the type

    # What the others do.

    def _ask(self) -> None:
        request = make_request(f"r{len(self._asked) + 1}", self.random.choice(AGENTS))
        self._asked[request.id] = request
        self._tell(PRIMARY, request)

    def _withdraw(self) -> None:
        if not self._asked:
            return
        one = self.random.choice(list(self._asked.values()))
        under = self.random.choice(AGENTS[1:])
        alone = self.random.random() < 0.5
        for each in self._asked.values():
            meant = each.id == one.id if alone else each.agent.is_under(under)
            if meant and not self._ends[each.id]:
                self._ends[each.id] += 1
        if alone:
            self._tell(PRIMARY, ApprovalWithdrawn(id=one.id))
        else:
            self._tell(PRIMARY, WithdrawApprovals(under=under))

    def _come_or_go(self) -> None:
        self._people = self.random.random() < 0.8
        self._tell(CONSOLE, ApproverAvailabilityChanged(can_answer=self._people, reason="gone"))

    def _answer(self) -> None:
        approval = self.random.choice(self._screen)
        answer = self.random.choice(DECISIONS)
        self._chosen.setdefault(approval, answer)
        self._tell(CONSOLE, SubmitDecision(id=approval, decision=answer))

    def _repeat(self) -> None:
        """Say again what has been said; a withdrawal and a coming or going would be news."""
        news = WithdrawApprovals | ApprovalWithdrawn | ApproverAvailabilityChanged | SubmitDecision
        old = [each for each in self._told if not isinstance(each[1], news)]
        if old:
            self._tell(*self.random.choice(old))

    def _sync(self) -> None:
        append = self._unsynced.popleft()
        if self._trouble and self.random.random() < 0.1:
            self._tell(JOURNAL, AppendFailed(id=append.id, detail="disk full"))
        else:
            self._disk += append.records
            self._tell(JOURNAL, Appended(id=append.id))

    def _engine_answers(self) -> None:
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
            verdict = PermissionDecision(
                id=message.id,
                action=action,
                reason=reason,
                policy_version=2,
                grants=make_request(message.id).grants,
            )
            self._tell(PERMISSIONS, verdict)

    # What the broker says.

    def send(self, to: Address, message: Message, sender: Address) -> None:  # noqa: ARG002
        """Check what the broker says, and pass it on."""
        for said in self._says(message):
            match said:
                case Append():
                    self._unsynced.append(said)
                case StoreGrant() | EvaluatePermission():
                    self._engine.append(said)
                case ShowApproval():
                    self._present(said)
                case DismissApproval():
                    assert said.id in self._screen, "retracted what was not shown"
                    self._screen.remove(said.id)
                case ApprovalDecided():
                    self._answered(said, to)
                case ApprovalUnavailable():
                    forced = "disk full" in said.reason or DENY_REASON in said.reason
                    assert forced or not self._people, "refused though somebody is there"
                    self._end(said.id, to)
                case StoreGrantFailed():
                    assert to == CONSOLE, "told to nobody who reads it"
                case _:
                    note = f"{to} is told {type(said).__name__}"
                    raise AssertionError(note)

    def _present(self, said: ShowApproval) -> None:
        assert said.request in self._disk, "shown before it was on disk"
        assert self._people, "shown to nobody"
        assert said.request.id not in self._presented, "shown twice"
        assert not self._ends[said.request.id], "shown after its end"
        self._presented.add(said.request.id)
        self._screen.append(said.request.id)

    def _answered(self, said: ApprovalDecided, to: Address) -> None:
        assert said in self._disk, "delivered before it was on disk"
        if said.decided_by == "person":
            assert said.decision == self._chosen.get(said.id), "not what the person said"
            assert said.decision != "session" or said.id in self._granted, "before its grant"
        self._end(said.id, to)

    def _end(self, approval: str, to: Address) -> None:
        assert to == PRIMARY, "not the way it came"
        assert not self._ends[approval], "ended twice"
        self._ends[approval] += 1

    # The rest of a host, which a broker has no use for.

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
