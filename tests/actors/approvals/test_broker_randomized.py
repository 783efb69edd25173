"""Requests, answers, withdrawals and faults in every order: each request ends exactly once."""

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
SEEDS_PER_BLOCK = 200


@pytest.mark.parametrize("block", range(4))
def test_each_request_ends_exactly_once_for_random_events(block: int) -> None:
    run_seeds(range(block * SEEDS_PER_BLOCK, (block + 1) * SEEDS_PER_BLOCK))


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
    goodbye = isinstance(message, ApproverAvailabilityChanged) and not message.can_decide
    return () if goodbye else (message,)


MUTANT_FILTERS: dict[str, tuple[MessageFilter, MessageFilter]] = {
    "leaves it on the screen": (drop(DismissApproval), pass_through),
    "loses the answer": (drop(ApprovalDecided), pass_through),
    "loses the refusal": (drop(ApprovalUnavailable), pass_through),
    "loses the grant": (drop(StoreGrant), pass_through),
    "answers twice": (duplicate(ApprovalDecided), pass_through),
    "refuses twice": (duplicate(ApprovalUnavailable), pass_through),
    "shows twice": (duplicate(ShowApproval), pass_through),
    "does not write": (drop(Append), pass_through),
    "does not withdraw a subtree": (pass_through, drop(WithdrawApprovals)),
    "does not hear that somebody came": (pass_through, drop(ApproverAvailabilityChanged)),
    "does not hear that all have gone": (pass_through, hide_user_leaving),
    "does not hear of a grant": (pass_through, drop(GrantStored)),
    "does not hear of a full disk": (pass_through, drop(AppendFailed)),
    "takes a full disk for a record": (pass_through, hide_append_failures),
    "takes every answer for a yes": (pass_through, always_allow),
}


@pytest.mark.parametrize("fault", MUTANT_FILTERS)
def test_the_random_broker_model_detects_each_mutant(fault: str) -> None:
    with pytest.raises(AssertionError):
        run_seeds(range(SEEDS_PER_BLOCK), *MUTANT_FILTERS[fault])


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
