"""Faults that break a promise on purpose: what the simulation must catch to be worth its time."""

from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from actors import factories
from actors.agents import agent, calls, settling
from actors.agents.history import History
from actors.approvals.broker import ApprovalBroker
from actors.permissions import changing, engine, pending
from actors.root import RootSupervisor
from actors.runtime.cell import LoopCell
from actors.runtime.event_loop import Alarm
from actors.runtime.life import Life
from actors.runtime.supervision import RestartBudget
from actors.runtime.works import Works
from actors.sessions.journal import Journal
from actors.sessions.log import SessionLog
from messages.address import Address
from messages.approvals import (
    DismissApproval,
)
from messages.base import Message
from messages.supervision import PeerRestarted
from shell.console import Console
from tests.actors.agents import faults as of_turns
from tests.simulation import misdeeds
from tests.simulation.commands import SimulatedProcesses
from tests.simulation.disk import SimulatedFiles

Says = Callable[[Address, Message, Address], tuple[Message, ...]]
"""What really goes out of a message, by receiver, message and sender."""


def faithful(_to: Address, message: Message, _sender: Address) -> tuple[Message, ...]:
    """Change nothing."""
    return (message,)


@dataclass(frozen=True)
class Plant:
    """One fault: words that are changed on their way, and code that is replaced while it plays."""

    says: Says = faithful
    patches: tuple[tuple[Any, str, Any], ...] = ()

    @contextmanager
    def planted(self) -> Generator[None]:
        """Replace the code."""
        misdeeds.SHOWN.clear()
        with ExitStack() as stack:
            for owner, name, fault in self.patches:
                stack.enter_context(patch.object(owner, name, fault))
            yield


NO_FAULT = Plant()


def without(kind: type[Message]) -> Plant:
    """Lose every message of a kind."""
    return Plant(lambda _to, each, _sender: () if isinstance(each, kind) else (each,))


def instead(owner: Any, name: str, fault: Any) -> Plant:  # noqa: ANN401  (code of any shape)
    """Replace a function."""
    return Plant(patches=((owner, name, fault),))


def of_turn(fault: Any) -> Plant:  # noqa: ANN401  (as above)
    """Take a fault of the turn's own tests."""
    return instead(agent, "advance", fault)


NOBODY_DRAINS = Plant(
    patches=tuple((each, "drains", False) for each in (ApprovalBroker, Console, Journal))
)

PLANTS: dict[str, Plant] = {
    # The eight that the spike of the runtime measured.
    "a result is lost on cancel": instead(
        calls, "cancel", misdeeds.forgets_results_of_cancelled_calls
    ),
    "nothing is withdrawn on a cancel": of_turn(of_turns.does_not_withdraw),
    "nobody withdraws for an agent that crashed": instead(
        agent.Agent, "on_start", misdeeds.leaves_its_questions_behind
    ),
    "nothing is repeated after a restart": without(PeerRestarted),
    "a stop overtakes a restarting service's mail": instead(
        Life, "_ordered_to_stop", misdeeds.stops_at_once
    ),
    "services do not drain": NOBODY_DRAINS,
    "a cancel that overtakes its prompt is forgotten": of_turn(of_turns.forgets_early_cancels),
    "the end of a service is ignored": instead(
        RootSupervisor, "on_receive", misdeeds.ignores_the_ends_of_services
    ),
    # Every tool_use has one result.
    "a call has two results": instead(settling, "close", misdeeds.writes_results_twice),
    "results are missing from the history": instead(History, "_answer_open", misdeeds.nothing),
    # Every approval has one end.
    "a request is answered and refused": Plant(misdeeds.answers_and_refuses),
    "a no counts as a yes": Plant(misdeeds.takes_a_no_for_a_yes),
    "an answer is delivered before it is on disk": instead(
        ApprovalBroker, "_take", misdeeds.delivers_before_the_disk
    ),
    # Nobody is asked about an ended request.
    "a question is left on the screen": without(DismissApproval),
    "a question comes back to the screen": Plant(misdeeds.shows_what_it_retracts),
    # Every started actor has one end.
    "an end is heard twice": instead(Life, "_child_gone", misdeeds.hears_an_end_again),
    "an end is not heard": instead(Life, "_child_gone", misdeeds.does_not_hear_of_ends),
    # No effect after its cancel, none without a verdict, none before its record.
    "a cancelled command goes on": instead(
        SimulatedProcesses, "_end", misdeeds.leaves_a_command_at_work
    ),
    "an ask counts as an allow": Plant(misdeeds.allows_what_asks),
    "a yes outlives a drift": instead(calls, "_judge", misdeeds.keeps_a_yes_after_a_drift),
    "a change runs before its start is on disk": instead(
        calls, "_start", misdeeds.starts_before_the_disk
    ),
    "what began runs again after a resume": instead(factories, "past_of", misdeeds.runs_again),
    # What a person decides is kept as decided, and verdicts go by it.
    "a revocation waits for the disk": instead(engine, "tightens", misdeeds.never),
    "a grant holds before it is on disk": Plant(
        patches=(
            (pending, "still_tight", misdeeds.holds_at_once),
            (pending, "tightens", misdeeds.always),
            (engine, "tightens", misdeeds.always),
        )
    ),
    "an older change undoes what tightened": instead(
        pending.Pending, "tightened", misdeeds.as_it_is
    ),
    "a revoked grant stays on disk": instead(changing, "revoking", misdeeds.revokes_nothing),
    "a revocation takes all grants": instead(changing, "revoking", misdeeds.revokes_all),
    "a grant is wider than what was shown": Plant(misdeeds.grants_more),
    "a grant for a session is kept for the project": Plant(misdeeds.grants_for_longer),
    "a change that the disk refused holds": instead(
        engine.PermissionEngine, "_not_made", misdeeds.makes_what_the_disk_refused
    ),
    "yolo comes back with a session": instead(factories, "mode_of", misdeeds.keeps_any_mode),
    "yolo comes back with a crashed engine": instead(
        engine, "remembered", misdeeds.remembers_any_mode
    ),
    "plan works by the rights of build": Plant(misdeeds.registers_anyone_as_build),
    "what waits is not judged anew": instead(ApprovalBroker, "_judge_anew", misdeeds.nothing),
    "a verdict of before a change counts": instead(
        engine.PermissionEngine, "_judged", misdeeds.passes_on_what_is_out_of_date
    ),
    # Mailboxes, budgets, deadlines.
    "an actor falls asleep over its mail": instead(
        LoopCell, "_turn", misdeeds.falls_asleep_over_its_mail
    ),
    "a work that was cancelled has no outcome": instead(
        Works, "_done", misdeeds.drops_cancelled_outcomes
    ),
    "restarts have no limit": instead(RestartBudget, "spend", misdeeds.always),
    "deadlines do not ring": instead(Alarm, "set", misdeeds.nothing),
    # The log.
    "the journal acknowledges before it writes": instead(
        Journal, "_take", misdeeds.acknowledges_at_once
    ),
    "the disk does not sync": instead(SimulatedFiles, "sync", misdeeds.nothing),
    "the names of files do not last": instead(SimulatedFiles, "sync_folder", misdeeds.nothing),
    "an unfinished write stays in the file": instead(SessionLog, "_cut_back", misdeeds.nothing),
}
