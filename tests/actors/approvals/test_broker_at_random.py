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
from messages.permissions import GrantStored, StoreGrant
from messages.transcript import Append, Appended, AppendFailed
from tests.actors.approvals.neighbours import Fault, Neighbours, faithful

pytestmark = pytest.mark.quick

STEPS = 60
SEEDS = 200


@pytest.mark.parametrize("block", range(4))
def test_each_request_ends_exactly_once_in_any_order_of_events(block: int) -> None:
    play_all(range(block * SEEDS, (block + 1) * SEEDS))


def without(kind: type[Message]) -> Fault:
    return lambda message: () if isinstance(message, kind) else (message,)


def twice(kind: type[Message]) -> Fault:
    return lambda message: (message, message) if isinstance(message, kind) else (message,)


def always_yes(message: Message) -> tuple[Message, ...]:
    if isinstance(message, SubmitDecision):
        message = SubmitDecision(id=message.id, decision="once")
    return (message,)


def never_hears_of_full_disks(message: Message) -> tuple[Message, ...]:
    return (Appended(id=message.id),) if isinstance(message, AppendFailed) else (message,)


def never_hears_goodbye(message: Message) -> tuple[Message, ...]:
    goodbye = isinstance(message, ApproverAvailabilityChanged) and not message.can_answer
    return () if goodbye else (message,)


FAULTS: dict[str, tuple[Fault, Fault]] = {
    "leaves it on the screen": (without(DismissApproval), faithful),
    "loses the answer": (without(ApprovalDecided), faithful),
    "loses the refusal": (without(ApprovalUnavailable), faithful),
    "loses the grant": (without(StoreGrant), faithful),
    "answers twice": (twice(ApprovalDecided), faithful),
    "refuses twice": (twice(ApprovalUnavailable), faithful),
    "shows twice": (twice(ShowApproval), faithful),
    "does not write": (without(Append), faithful),
    "does not withdraw a subtree": (faithful, without(WithdrawApprovals)),
    "does not hear that somebody came": (faithful, without(ApproverAvailabilityChanged)),
    "does not hear that all have gone": (faithful, never_hears_goodbye),
    "does not hear of a grant": (faithful, without(GrantStored)),
    "does not hear of a full disk": (faithful, without(AppendFailed)),
    "takes a full disk for a record": (faithful, never_hears_of_full_disks),
    "takes every answer for a yes": (faithful, always_yes),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_random_neighbours_find_a_planted_fault(fault: str) -> None:
    with pytest.raises(AssertionError):
        play_all(range(SEEDS), *FAULTS[fault])


def play_all(seeds: range, says: Fault = faithful, hears: Fault = faithful) -> None:
    for seed in seeds:
        try:
            Neighbours(seed, says, hears).play(STEPS)
        except AssertionError as error:
            error.add_note(f"seed {seed}")
            raise
