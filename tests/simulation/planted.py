"""Faults that break a promise on purpose: what the simulation must catch to be worth its time."""

from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from actors import factories
from actors.agents import agent, calls, settling
from actors.agents.history import ConversationHistory
from actors.approvals.broker import ApprovalBroker
from actors.permissions import changing, engine, pending
from actors.root import RootSupervisor
from actors.runtime.cell import LoopCell
from actors.runtime.event_loop import ResettableTimer
from actors.runtime.life import MailboxProcessor
from actors.runtime.supervision import RestartBudget
from actors.runtime.works import Jobs
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
from tests.simulation.commands import SimulatedCommandRunner
from tests.simulation.disk import SimulatedFileSystem

MessageMutation = Callable[[Address, Message, Address], tuple[Message, ...]]
"""What really goes out of a message, by receiver, message and sender."""


def pass_through(_to: Address, message: Message, _sender: Address) -> tuple[Message, ...]:
    """Change nothing."""
    return (message,)


@dataclass(frozen=True)
class Mutant:
    """One fault: words that are changed on their way, and code that is replaced while it plays."""

    mutate_message: MessageMutation = pass_through
    patches: tuple[tuple[Any, str, Any], ...] = ()

    @contextmanager
    def applied(self) -> Generator[None]:
        """Replace the code."""
        misdeeds.SHOWN_REQUESTS.clear()
        with ExitStack() as stack:
            for owner, name, fault in self.patches:
                stack.enter_context(patch.object(owner, name, fault))
            yield


NO_MUTANT = Mutant()


def drop_messages(kind: type[Message]) -> Mutant:
    """Lose every message of a kind."""
    return Mutant(lambda _to, each, _sender: () if isinstance(each, kind) else (each,))


def replace_function(owner: Any, name: str, fault: Any) -> Mutant:  # noqa: ANN401  (code of any shape)
    """Replace a function."""
    return Mutant(patches=((owner, name, fault),))


def replace_turn(fault: Any) -> Mutant:  # noqa: ANN401  (as above)
    """Take a fault of the turn's own tests."""
    return replace_function(agent, "advance", fault)


SKIPPED_DRAINS = Mutant(
    patches=tuple(
        (each, "drains_before_stop", False) for each in (ApprovalBroker, Console, Journal)
    )
)

MUTANTS: dict[str, Mutant] = {
    # The eight that the spike of the runtime measured.
    "a result is lost on cancel": replace_function(
        calls, "cancel_calls", misdeeds.lose_results_of_cancelled_calls
    ),
    "nothing is withdrawn on a cancel": replace_turn(of_turns.skip_withdraw),
    "nobody withdraws for an agent that crashed": replace_function(
        agent.Agent, "on_start", misdeeds.skip_withdrawal_after_crash
    ),
    "nothing is repeated after a restart": drop_messages(PeerRestarted),
    "a stop overtakes a restarting service's mail": replace_function(
        MailboxProcessor, "_ordered_to_stop", misdeeds.stop_before_mailbox_is_read
    ),
    "services do not drain": SKIPPED_DRAINS,
    "a cancel that overtakes its prompt is forgotten": replace_turn(of_turns.forget_early_cancels),
    "the end of a service is ignored": replace_function(
        RootSupervisor, "on_receive", misdeeds.ignore_ended_services
    ),
    # Every tool_use has one result.
    "a call has two results": replace_function(
        settling, "record_result", misdeeds.write_results_twice
    ),
    "results are missing from the history": replace_function(
        ConversationHistory, "_answer_open", misdeeds.do_nothing
    ),
    # Every approval has one end.
    "a request is answered and refused": Mutant(misdeeds.send_decision_and_unavailable),
    "a no counts as a yes": Mutant(misdeeds.treat_no_as_once),
    "an answer is delivered before it is on disk": replace_function(
        ApprovalBroker, "_take", misdeeds.deliver_before_sync
    ),
    # Nobody is asked about an ended request.
    "a question is left on the screen": drop_messages(DismissApproval),
    "a question comes back to the screen": Mutant(misdeeds.show_after_dismiss),
    # Every started actor has one end.
    "an end is heard twice": replace_function(
        MailboxProcessor, "_child_gone", misdeeds.report_end_twice
    ),
    "an end is not heard": replace_function(MailboxProcessor, "_child_gone", misdeeds.drop_end),
    # No effect after its cancel, none without a verdict, none before its record.
    "a cancelled command goes on": replace_function(
        SimulatedCommandRunner, "_end", misdeeds.leave_command_running
    ),
    "an ask counts as an allow": Mutant(misdeeds.allow_instead_of_ask),
    "a yes outlives a drift": replace_function(
        calls, "_judge", misdeeds.keep_approval_after_target_change
    ),
    "a change runs before its start is on disk": replace_function(
        calls, "_start", misdeeds.run_before_start_is_synced
    ),
    "what began runs again after a resume": replace_function(
        factories, "restore", misdeeds.rerun_started_calls
    ),
    # What a person decides is kept as decided, and verdicts go by it.
    "a revocation waits for the disk": replace_function(
        engine, "is_tightening", misdeeds.always_false
    ),
    "a grant holds before it is on disk": Mutant(
        patches=(
            (pending, "add_tightening_update", misdeeds.apply_before_sync),
            (pending, "is_tightening", misdeeds.always_true),
            (engine, "is_tightening", misdeeds.always_true),
        )
    ),
    "an older change undoes what tightened": replace_function(
        pending.PendingChanges, "with_tightening", misdeeds.keep_policy
    ),
    "a revoked grant stays on disk": replace_function(
        changing, "without_grant", misdeeds.revoke_nothing
    ),
    "a revocation takes all grants": replace_function(
        changing, "without_grant", misdeeds.revoke_all
    ),
    "a grant is wider than what was shown": Mutant(misdeeds.grant_wider_rule),
    "a grant for a session is kept for the project": Mutant(misdeeds.grant_for_project),
    "a change that the disk refused holds": replace_function(
        engine.PermissionEngine, "_on_update_failed", misdeeds.apply_after_failed_sync
    ),
    "yolo comes back with a session": replace_function(
        factories, "resolve_mode", misdeeds.keep_mode_on_resume
    ),
    "yolo comes back with a crashed engine": replace_function(
        engine, "recover_policy", misdeeds.keep_mode_after_crash
    ),
    "plan works by the rights of build": Mutant(misdeeds.register_every_agent_as_build),
    "what waits is not judged anew": replace_function(
        ApprovalBroker, "_judge_anew", misdeeds.do_nothing
    ),
    "a verdict of before a change counts": replace_function(
        engine.PermissionEngine, "_on_evaluation_finished", misdeeds.forward_outdated_decision
    ),
    # Mailboxes, budgets, deadlines.
    "an actor falls asleep over its mail": replace_function(
        LoopCell, "_turn", misdeeds.stop_reading_mailbox
    ),
    "a work that was cancelled has no outcome": replace_function(
        Jobs, "_done", misdeeds.drop_cancelled_outcomes
    ),
    "restarts have no limit": replace_function(RestartBudget, "spend", misdeeds.always_true),
    "deadlines do not ring": replace_function(ResettableTimer, "set", misdeeds.do_nothing),
    # The log.
    "the journal acknowledges before it writes": replace_function(
        Journal, "_take", misdeeds.acknowledge_before_write
    ),
    "the disk does not sync": replace_function(SimulatedFileSystem, "sync", misdeeds.do_nothing),
    "the names of files do not last": replace_function(
        SimulatedFileSystem, "sync_folder", misdeeds.do_nothing
    ),
    "an unfinished write stays in the file": replace_function(
        SessionLog, "_cut_back", misdeeds.do_nothing
    ),
}
