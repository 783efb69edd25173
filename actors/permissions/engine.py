"""The permission engine: the only one who says allow, ask or deny."""

import logging
from collections import deque
from collections.abc import Callable
from typing import assert_never

from actors.permissions.rules import Judgement, Policy, judge
from actors.runtime.actor import Actor
from messages.address import Address
from messages.permissions import (
    Config,
    GrantNotStored,
    GrantStored,
    PermissionQuery,
    PermissionRequest,
    PermissionVerdict,
    RegisterAgent,
    StoreGrant,
)
from messages.transcript import Append, Appended, AppendFailed

log = logging.getLogger("greenroom.permissions")

Judge = Callable[[tuple[PermissionRequest, ...], Policy], Judgement]
EngineInbox = RegisterAgent | PermissionQuery | StoreGrant | Appended | AppendFailed


class PermissionEngine(Actor[EngineInbox]):
    """Judges calls by rules, grants and mode; keeps what a person granted."""

    def __init__(self, journal: Address, policy: Policy, judge: Judge = judge) -> None:
        """Start from a policy, such as the one a resumed session recorded."""
        self._journal = journal
        self._policy = policy
        self._judge = judge
        self._agents: set[Address] = set()
        self._appends = 0
        self._storing: deque[tuple[StoreGrant, Address]] = deque()
        """Grants on their way to the disk, one at a time: each record is whole."""

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
            judgement = self._judged(query)
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

    def _judged(self, query: PermissionQuery) -> Judgement:
        """Judge; a fault of ours is a question for a person, never an allow nor our end."""
        try:
            return self._judge(query.requests, self._policy)
        except Exception as error:
            log.exception("judging %s failed", query.id)
            return Judgement("ask", f"it could not be judged: {type(error).__name__}: {error}")

    def _store(self, grant: StoreGrant) -> None:
        self._storing.append((grant, self.sender))
        if len(self._storing) == 1:
            self._write_next()

    def _write_next(self) -> None:
        """Write first: a grant holds only once it is on disk."""
        if self._storing:
            grant, _ = self._storing[0]
            policy = self._policy.granting(grant.rules)
            record = Config(grants=policy.grants)
            self._appends += 1
            self.tell(self._journal, Append(id=self._appends, records=(record,)))

    def _stored(self, written: Appended) -> None:
        if self._is_awaited(written.id):
            grant, asker = self._storing.popleft()
            self._policy = self._policy.granting(grant.rules)
            self.tell(asker, GrantStored(id=grant.id, generation=self._policy.generation))
            self._write_next()

    def _not_stored(self, failed: AppendFailed) -> None:
        if self._is_awaited(failed.id):
            grant, asker = self._storing.popleft()
            self.tell(asker, GrantNotStored(id=grant.id, detail=failed.detail))
            self._write_next()

    def _is_awaited(self, append: int) -> bool:
        return bool(self._storing) and append == self._appends
