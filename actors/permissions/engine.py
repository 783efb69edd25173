"""The permission engine: the only one who says allow, ask or deny."""

import logging
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Literal, assert_never

from actors.permissions.court import JUDGING_S, Court
from actors.permissions.deciding import Decision, decide_call
from actors.permissions.judging import granting
from actors.permissions.places import Ground
from actors.permissions.remembering import loading, remembered
from actors.permissions.rules import first_problem
from actors.runtime.actor import Actor, Failure
from actors.sessions.recorder import Recorder
from messages.address import APPROVALS, ROOT, Address
from messages.permissions import (
    CallJudged,
    Config,
    GrantNotStored,
    GrantStored,
    ListPolicy,
    LoadRules,
    PermissionQuery,
    PermissionVerdict,
    PolicyChanged,
    PolicyListed,
    RegisterAgent,
    RulesLoaded,
    RulesNotLoaded,
    StoreGrant,
)
from messages.rules import PermissionRequest, Policy, Profile
from messages.supervision import PeerRestarted, Undelivered
from messages.transcript import Appended, AppendFailed, Recalled, RecallFailed, Record

log = logging.getLogger("greenroom.permissions")

Chain = tuple[Profile, ...]
Decide = Callable[[tuple[PermissionRequest, ...], Ground, Policy, Chain], Decision]
EngineInbox = (
    RegisterAgent
    | PermissionQuery
    | CallJudged
    | StoreGrant
    | LoadRules
    | ListPolicy
    | Appended
    | AppendFailed
    | PeerRestarted
    | Undelivered
    | Recalled
    | RecallFailed
)


class PermissionEngine(Actor[EngineInbox]):
    """Judges calls by rules, grants and mode; keeps what a person granted."""

    def __init__(
        self,
        journal: Address,
        policy: Policy,
        ground: Ground,
        decide: Decide = decide_call,
        judging_s: float = JUDGING_S,
    ) -> None:
        """Start from a policy, such as the one a resumed session recorded."""
        self._recorder = Recorder(self, journal)
        self._policy = policy
        self._ground = ground
        self._decide = decide
        self._court = Court(judging_s)
        self._loaded: LoadRules | None = None
        """What the rules of the start gave way to."""
        self._profiles: dict[Address, Profile] = {}
        self._tickets = 0
        self._judging: dict[int, tuple[PermissionQuery, Address]] = {}
        """Queries at work, and who asked."""
        self._unknown: list[tuple[PermissionQuery, Address]] = []
        """After a restart: queries for agents that their parents have to name again first."""
        self._append = 0
        self._storing: deque[tuple[StoreGrant | LoadRules, Address]] = deque()
        """Changes on their way to the disk, one at a time: each record is whole."""

    def on_start(self) -> None:
        """After a crash, find on disk first what has changed since the start."""
        self._recorder.open()

    def on_receive(self, message: EngineInbox) -> None:  # noqa: C901  (one case a message)
        """Take one message."""
        match message:
            case RegisterAgent():
                self._register(message)
            case PermissionQuery():
                self._judge(message, self.sender)
            case CallJudged():
                self._judged(message)
            case StoreGrant():
                self._store(message, self.sender)
            case LoadRules():
                self._load(message)
            case ListPolicy():
                self.tell(self.sender, PolicyListed(policy=self._policy))
            case Appended():
                self._stored(message)
            case AppendFailed():
                self._not_stored(message)
            case PeerRestarted():
                self._recorder.peer_restarted(message.peer)
            case Undelivered():
                self._returned(message)
            case Recalled() | RecallFailed():
                self._remember(self._recorder.recalled(message))
            case _:
                assert_never(message)

    def _remember(self, records: tuple[Record, ...] | None) -> None:
        """Take up what has changed, in a generation that no verdict was given in."""
        if records is not None:
            self._policy, self._loaded = remembered(self._policy, records, self.incarnation)

    def _register(self, registered: RegisterAgent) -> None:
        self._profiles[registered.agent] = registered.profile
        unknown, self._unknown = self._unknown, []
        for query, asker in unknown:
            self._judge(query, asker)

    # Verdicts.

    def _judge(self, query: PermissionQuery, asker: Address) -> None:
        chain = chain_of(query.agent, self._profiles)
        if chain is None and self.incarnation > 1:
            self._unknown.append((query, asker))
            return
        if chain is None:
            reason = f"{query.agent} is not a known agent"
            self.tell(asker, _verdict(query, self._policy, "deny", reason))
            return
        self._tickets += 1
        self._judging[self._tickets] = (query, asker)
        case = partial(self._decide, query.requests, self._ground, self._policy, chain)
        job = partial(_judged_in_time, self._tickets, query, self._policy, case, self._court)
        self.work(job, partial(_unjudged, self._tickets, query, self._policy))

    def _judged(self, judged: CallJudged) -> None:
        """Pass a verdict on, unless what it went by has changed meanwhile: then judge again."""
        query, asker = self._judging.pop(judged.ticket)
        if judged.verdict.generation == self._policy.generation:
            self.tell(asker, judged.verdict)
        else:
            self._judge(query, asker)

    # Changes.

    def _load(self, rules: LoadRules) -> None:
        wrong = first_problem(rules.sources)
        if wrong:
            self.tell(self.sender, RulesNotLoaded(detail=wrong))
        else:
            self._store(rules, self.sender)

    def _store(self, change: StoreGrant | LoadRules, asker: Address) -> None:
        self._storing.append((change, asker))
        if len(self._storing) == 1:
            self._write_next()

    def _write_next(self) -> None:
        """Write first: a change holds only once it is on disk."""
        if self._storing:
            policy, loaded = self._with(self._storing[0][0])
            self._append = self._recorder.write(Config(grants=policy.grants, loaded=loaded))

    def _with(self, change: StoreGrant | LoadRules) -> tuple[Policy, LoadRules | None]:
        if isinstance(change, LoadRules):
            return loading(self._policy, change), change
        return granting(self._policy, change.rules), self._loaded

    def _stored(self, written: Appended) -> None:
        self._recorder.answered(written)
        if not self._is_awaited(written.id):
            return
        change, asker = self._storing.popleft()
        self._policy, self._loaded = self._with(change)
        generation = self._policy.generation
        if isinstance(change, LoadRules):
            self.tell(asker, RulesLoaded(generation=generation))
            self.tell(APPROVALS, PolicyChanged(generation=generation))
        else:
            self.tell(asker, GrantStored(id=change.id, generation=generation))
        self._write_next()

    def _not_stored(self, failed: AppendFailed) -> None:
        self._recorder.answered(failed)
        if self._is_awaited(failed.id):
            change, asker = self._storing.popleft()
            if isinstance(change, LoadRules):
                self.tell(asker, RulesNotLoaded(detail=failed.detail))
            else:
                self.tell(asker, GrantNotStored(id=change.id, detail=failed.detail))
            self._write_next()

    def _is_awaited(self, append: int) -> bool:
        return bool(self._storing) and append == self._append

    def _returned(self, returned: Undelivered) -> None:
        failed = self._recorder.returned(returned)
        if failed is not None:
            self._not_stored(failed)


def chain_of(agent: Address, profiles: dict[Address, Profile]) -> Chain | None:
    """List the profiles an agent stands under, its own first; None: one of them is not known."""
    found: list[Profile] = []
    while agent != ROOT:
        profile = profiles.get(agent)
        if profile is None:
            return None
        found.append(profile)
        agent = agent.parent
    return tuple(found) or None


async def _judged_in_time(
    ticket: int,
    query: PermissionQuery,
    policy: Policy,
    case: Callable[[], Decision],
    court: Court,
) -> CallJudged:
    """Judge; a fault of ours is an ask, never an allow."""
    try:
        decision = await court.judged(case)
    except TimeoutError:
        return _asking(ticket, query, policy, f"judging it took longer than {court.judging_s:g} s")
    except Exception as error:
        log.exception("judging %s failed", query.id)
        why = f"it could not be judged: {type(error).__name__}: {error}"
        return _asking(ticket, query, policy, why)
    judgement = decision.judgement
    verdict = PermissionVerdict(
        id=query.id,
        action=judgement.action,
        reason=judgement.reason,
        generation=policy.generation,
        rule=judgement.rule,
        source=judgement.source,
        grants=judgement.grants,
        parts=decision.parts,
        reads=decision.reads,
    )
    return CallJudged(ticket=ticket, verdict=verdict)


def _unjudged(ticket: int, query: PermissionQuery, policy: Policy, failure: Failure) -> CallJudged:
    return _asking(ticket, query, policy, f"it could not be judged: {failure.detail}")


def _asking(ticket: int, query: PermissionQuery, policy: Policy, why: str) -> CallJudged:
    return CallJudged(ticket=ticket, verdict=_verdict(query, policy, "ask", why))


def _verdict(
    query: PermissionQuery, policy: Policy, action: Literal["ask", "deny"], reason: str
) -> PermissionVerdict:
    generation = policy.generation
    return PermissionVerdict(id=query.id, action=action, reason=reason, generation=generation)
