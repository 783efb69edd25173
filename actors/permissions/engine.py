"""The permission engine: the only one who says allow, ask or deny."""

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import assert_never

from actors.permissions.rules import Judgement, Policy, judge
from actors.runtime.actor import Actor
from actors.sessions.recorder import Recorder
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
from messages.supervision import PeerRestarted, Undelivered
from messages.transcript import Appended, AppendFailed, Recalled, RecallFailed, Record

log = logging.getLogger("greenroom.permissions")

Judge = Callable[[tuple[PermissionRequest, ...], Policy], Judgement]
EngineInbox = (
    RegisterAgent
    | PermissionQuery
    | StoreGrant
    | Appended
    | AppendFailed
    | PeerRestarted
    | Undelivered
    | Recalled
    | RecallFailed
)


class PermissionEngine(Actor[EngineInbox]):
    """Judges calls by rules, grants and mode; keeps what a person granted."""

    def __init__(self, journal: Address, policy: Policy, judge: Judge = judge) -> None:
        """Start from a policy, such as the one a resumed session recorded."""
        self._recorder = Recorder(self, journal)
        self._policy = policy
        self._judge = judge
        self._agents: set[Address] = set()
        self._append = 0
        self._unknown: list[tuple[PermissionQuery, Address]] = []
        """After a restart: queries for agents that their parents have to name again first."""
        self._storing: deque[tuple[StoreGrant, Address]] = deque()
        """Grants on their way to the disk, one at a time: each record is whole."""

    def on_start(self) -> None:
        """After a crash, find the grants on disk first."""
        self._recorder.open()

    def on_receive(self, message: EngineInbox) -> None:
        """Take one message."""
        match message:
            case RegisterAgent():
                self._register(message.agent)
            case PermissionQuery():
                self._answer(message, self.sender)
            case StoreGrant():
                self._store(message)
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
        """Take up the grants, in a generation that no verdict was given in."""
        configs = [record for record in records or () if isinstance(record, Config)]
        grants = configs[-1].grants if configs else self._policy.grants
        generation = self._policy.generation + len(configs) + self.incarnation
        self._policy = replace(self._policy, grants=grants, generation=generation)

    def _register(self, agent: Address) -> None:
        self._agents.add(agent)
        unknown, self._unknown = self._unknown, []
        for query, asker in unknown:
            self._answer(query, asker)

    def _answer(self, query: PermissionQuery, asker: Address) -> None:
        if self.incarnation > 1 and query.agent not in self._agents:
            self._unknown.append((query, asker))
            return
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
        self.tell(asker, verdict)

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
            self._append = self._recorder.write(record)

    def _stored(self, written: Appended) -> None:
        self._recorder.answered(written.id)
        if self._is_awaited(written.id):
            grant, asker = self._storing.popleft()
            self._policy = self._policy.granting(grant.rules)
            self.tell(asker, GrantStored(id=grant.id, generation=self._policy.generation))
            self._write_next()

    def _not_stored(self, failed: AppendFailed) -> None:
        self._recorder.answered(failed.id)
        if self._is_awaited(failed.id):
            grant, asker = self._storing.popleft()
            self.tell(asker, GrantNotStored(id=grant.id, detail=failed.detail))
            self._write_next()

    def _is_awaited(self, append: int) -> bool:
        return bool(self._storing) and append == self._append

    def _returned(self, returned: Undelivered) -> None:
        failed = self._recorder.returned(returned)
        if failed is not None:
            self._not_stored(failed)
