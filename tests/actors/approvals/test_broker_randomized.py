"""Requests, decisions, withdrawals and faults in every order: each request ends exactly once."""

import pytest

from messages.approvals import (
    ApprovalDecided,
    ApprovalUnavailable,
    ApproverAvailabilityChanged,
    DismissApproval,
    ShowApproval,
    SubmitDecision,
    WithdrawApprovals,
)
from messages.base import Message
from messages.journal import Append, Appended, AppendFailed
from messages.permissions import GrantStored, StoreGrant
from tests.actors.approvals.broker_model import BrokerModel, MessageFilter, pass_through

pytestmark = pytest.mark.quick

STEPS = 60
SEEDS_PER_SHARD = 200


@pytest.mark.parametrize("shard", range(4))
def test_each_request_ends_exactly_once_for_random_events(shard: int) -> None:
    run_seeds(range(shard * SEEDS_PER_SHARD, (shard + 1) * SEEDS_PER_SHARD))


def drop(kind: type[Message]) -> MessageFilter:
    return lambda message: () if isinstance(message, kind) else (message,)


def duplicate(kind: type[Message]) -> MessageFilter:
    return lambda message: (message, message) if isinstance(message, kind) else (message,)


def always_allow(message: Message) -> tuple[Message, ...]:
    if isinstance(message, SubmitDecision):
        message = SubmitDecision(id=message.id, decision="once")
    return (message,)


def hide_append_failures(message: Message) -> tuple[Message, ...]:
    return (Appended(id=message.id),) if isinstance(message, AppendFailed) else (message,)


def hide_user_leaving(message: Message) -> tuple[Message, ...]:
    has_left = isinstance(message, ApproverAvailabilityChanged) and not message.can_decide
    return () if has_left else (message,)


MUTANT_FILTERS: dict[str, tuple[MessageFilter, MessageFilter]] = {
    "leaves the request on the screen": (drop(DismissApproval), pass_through),
    "loses the decision": (drop(ApprovalDecided), pass_through),
    "loses an unavailable approval": (drop(ApprovalUnavailable), pass_through),
    "loses the grant": (drop(StoreGrant), pass_through),
    "delivers the decision twice": (duplicate(ApprovalDecided), pass_through),
    "reports an unavailable approval twice": (duplicate(ApprovalUnavailable), pass_through),
    "shows the request twice": (duplicate(ShowApproval), pass_through),
    "does not write records": (drop(Append), pass_through),
    "does not withdraw a subtree": (pass_through, drop(WithdrawApprovals)),
    "is not notified of any approver availability": (
        pass_through,
        drop(ApproverAvailabilityChanged),
    ),
    "is not notified that no approver is left": (pass_through, hide_user_leaving),
    "is not notified of a stored grant": (pass_through, drop(GrantStored)),
    "is not notified of a failed append": (pass_through, drop(AppendFailed)),
    "treats a failed append as written": (pass_through, hide_append_failures),
    "treats every decision as an approval": (pass_through, always_allow),
}


@pytest.mark.parametrize("mutant", MUTANT_FILTERS)
def test_the_random_broker_model_detects_each_mutant(mutant: str) -> None:
    with pytest.raises(AssertionError):
        run_seeds(range(SEEDS_PER_SHARD), *MUTANT_FILTERS[mutant])


def run_seeds(
    seeds: range,
    outgoing_filter: MessageFilter = pass_through,
    incoming_filter: MessageFilter = pass_through,
) -> None:
    for seed in seeds:
        try:
            BrokerModel(seed, outgoing_filter, incoming_filter).run(STEPS)
        except AssertionError as error:
            error.add_note(f"seed {seed}")
            raise
