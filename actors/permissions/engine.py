"""The permission engine: the only one who says allow, ask or deny."""

from typing import assert_never

from actors.permissions.rules import Judgement, Policy, judge
from actors.runtime.actor import Actor
from messages.address import Address
from messages.permissions import (
    Config,
    GrantNotStored,
    GrantStored,
    PermissionQuery,
    PermissionVerdict,
    RegisterAgent,
    StoreGrant,
)
from messages.transcript import Append, Appended, AppendFailed

EngineInbox = RegisterAgent | PermissionQuery | StoreGrant | Appended | AppendFailed


class PermissionEngine(Actor[EngineInbox]):
    """Judges calls by rules, grants and mode; keeps what a person granted."""

    def __init__(self, journal: Address, policy: Policy) -> None:
        """Start from a policy, such as the one a resumed session recorded."""
        self._journal = journal
        self._policy = policy
        self._agents: set[Address] = set()
        self._appends = 0
        self._storing: dict[int, tuple[StoreGrant, Address]] = {}

    def on_receive(self, message: EngineInbox) -> None:
        """Take one message."""
        match message:
            case RegisterAgent():
                self._agents.add(message.agent)
            case PermissionQuery():
                self._answer(message)
            case StoreGrant():
                self._store(message)
            case Appended():
                self._stored(message)
            case AppendFailed():
                self._not_stored(message)
            case _:
                assert_never(message)

    def _answer(self, query: PermissionQuery) -> None:
        if query.agent in self._agents:
            judgement = judge(query.requests, self._policy)
        else:
            judgement = Judgement("deny", f"{query.agent} is not a known agent")
        verdict = PermissionVerdict(
            id=query.id,
            action=judgement.action,
            reason=judgement.reason,
            generation=self._policy.generation,
            grants=judgement.grants,
        )
        self.tell(self.sender, verdict)

    def _store(self, grant: StoreGrant) -> None:
        """Write first: a grant holds only once it is on disk."""
        self._appends += 1
        self._storing[self._appends] = (grant, self.sender)
        policy = self._policy.granting(grant.rules)
        record = Config(mode=policy.mode, grants=policy.grants)
        self.tell(self._journal, Append(id=self._appends, records=(record,)))

    def _stored(self, written: Appended) -> None:
        grant, asker = self._storing.pop(written.id)
        self._policy = self._policy.granting(grant.rules)
        self.tell(asker, GrantStored(id=grant.id, generation=self._policy.generation))

    def _not_stored(self, failed: AppendFailed) -> None:
        grant, asker = self._storing.pop(failed.id)
        self.tell(asker, GrantNotStored(id=grant.id, detail=failed.detail))
