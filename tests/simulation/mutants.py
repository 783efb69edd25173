"""Faults that break a promise on purpose: what the simulation must catch to be worth its time."""

from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from actors.agents import agent
from actors.agents.turn import call_completion, call_lifecycle
from actors.agents.turn.conversation_history import ConversationHistory
from actors.approvals.broker import ApprovalBroker
from actors.permissions import engine, pending_changes, policy_changes
from actors.runtime.cell import Cell
from actors.runtime.event_loop import ResettableTimer
from actors.runtime.jobs import Jobs
from actors.runtime.loop_cell import LoopCell
from actors.runtime.supervision import RestartBudget
from actors.sessions.journal import Journal
from actors.sessions.session_log import SessionLog
from actors.supervisor.supervisor import RootSupervisor
from actors.wiring import wiring
from messages.address import Address
from messages.approvals import (
    DismissApproval,
)
from messages.base import Message
from messages.supervision import PeerRestarted
from shell.console.console import Console
from tests.actors.agents.turn import turn_mutants as of_turns
from tests.simulation import mutant_code
from tests.simulation.simulated_command_runner import SimulatedCommandRunner
from tests.simulation.simulated_file_system import SimulatedFileSystem

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
        mutant_code.SHOWN_REQUESTS.clear()
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
        call_lifecycle, "cancel_calls", mutant_code.lose_results_of_cancelled_calls
    ),
    "nothing is withdrawn on a cancel": replace_turn(of_turns.skip_withdraw),
    "nobody withdraws for an agent that crashed": replace_function(
        agent.Agent, "on_start", mutant_code.skip_withdrawal_after_crash
    ),
    "nothing is repeated after a restart": drop_messages(PeerRestarted),
    "a stop overtakes a restarting service's mail": replace_function(
        Cell, "_on_stop_cell", mutant_code.stop_before_mailbox_is_read
    ),
    "services do not drain": SKIPPED_DRAINS,
    "a cancel that overtakes its prompt is forgotten": replace_turn(of_turns.forget_early_cancels),
    "the end of a service is ignored": replace_function(
        RootSupervisor, "on_receive", mutant_code.ignore_ended_services
    ),
    # Every tool_use has one result.
    "a call has two results": replace_function(
        call_completion, "record_result", mutant_code.write_results_twice
    ),
    "results are missing from the history": replace_function(
        ConversationHistory, "_close_open_calls", mutant_code.do_nothing
    ),
    # Every approval has one end.
    "a request is answered and refused": Mutant(mutant_code.send_decision_and_unavailable),
    "a no counts as a yes": Mutant(mutant_code.treat_no_as_once),
    "an answer is delivered before it is on disk": replace_function(
        ApprovalBroker, "_take", mutant_code.deliver_before_sync
    ),
    # Nobody is asked about an ended request.
    "a question is left on the screen": drop_messages(DismissApproval),
    "a question comes back to the screen": Mutant(mutant_code.show_after_dismiss),
    # Every started actor has one end.
    "an end is heard twice": replace_function(
        Cell, "_on_child_ended", mutant_code.report_end_twice
    ),
    "an end is not heard": replace_function(Cell, "_on_child_ended", mutant_code.drop_end),
    # No effect after its cancel, none without a verdict, none before its record.
    "a cancelled command goes on": replace_function(
        SimulatedCommandRunner, "_end", mutant_code.leave_command_running
    ),
    "an ask counts as an allow": Mutant(mutant_code.allow_instead_of_ask),
    "a yes outlives a drift": replace_function(
        call_lifecycle, "_evaluate", mutant_code.keep_approval_after_target_change
    ),
    "a change runs before its start is on disk": replace_function(
        call_lifecycle, "_start", mutant_code.run_before_start_is_synced
    ),
    "what began runs again after a resume": replace_function(
        wiring, "restore", mutant_code.rerun_started_calls
    ),
    # What a person decides is kept as decided, and verdicts go by it.
    "a revocation waits for the disk": replace_function(
        engine, "is_tightening", mutant_code.always_false
    ),
    "a grant holds before it is on disk": Mutant(
        patches=(
            (pending_changes, "add_tightening_update", mutant_code.apply_before_sync),
            (pending_changes, "is_tightening", mutant_code.always_true),
            (engine, "is_tightening", mutant_code.always_true),
        )
    ),
    "an older change undoes what tightened": replace_function(
        pending_changes.PendingChanges, "with_tightening", mutant_code.keep_policy
    ),
    "a revoked grant stays on disk": replace_function(
        policy_changes, "without_grant", mutant_code.revoke_nothing
    ),
    "a revocation takes all grants": replace_function(
        policy_changes, "without_grant", mutant_code.revoke_all
    ),
    "a grant is wider than what was shown": Mutant(mutant_code.grant_wider_rule),
    "a grant for a session is kept for the project": Mutant(mutant_code.grant_for_project),
    "a change that the disk refused holds": replace_function(
        engine.PermissionEngine, "_on_update_failed", mutant_code.apply_after_failed_sync
    ),
    "yolo comes back with a session": replace_function(
        wiring, "resolve_mode", mutant_code.keep_mode_on_resume
    ),
    "yolo comes back with a crashed engine": replace_function(
        engine, "recover_policy", mutant_code.keep_mode_after_crash
    ),
    "plan works by the rights of build": Mutant(mutant_code.register_every_agent_as_build),
    "what waits is not judged anew": replace_function(
        ApprovalBroker, "_judge_anew", mutant_code.do_nothing
    ),
    "a verdict of before a change counts": replace_function(
        engine.PermissionEngine, "_on_evaluation_finished", mutant_code.forward_outdated_decision
    ),
    # Mailboxes, budgets, deadlines.
    "an actor falls asleep over its mail": replace_function(
        LoopCell, "_run_batch", mutant_code.stop_reading_mailbox
    ),
    "a work that was cancelled has no outcome": replace_function(
        Jobs, "_on_task_done", mutant_code.drop_cancelled_outcomes
    ),
    "restarts have no limit": replace_function(RestartBudget, "spend", mutant_code.always_true),
    "deadlines do not ring": replace_function(ResettableTimer, "set", mutant_code.do_nothing),
    # The log.
    "the journal acknowledges before it writes": replace_function(
        Journal, "_queue_append", mutant_code.acknowledge_before_write
    ),
    "the disk does not sync": replace_function(SimulatedFileSystem, "sync", mutant_code.do_nothing),
    "the names of files do not last": replace_function(
        SimulatedFileSystem, "sync_folder", mutant_code.do_nothing
    ),
    "an unfinished write stays in the file": replace_function(
        SessionLog, "_remove_partial_group", mutant_code.do_nothing
    ),
}
