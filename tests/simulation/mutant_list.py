"""Faults in the real code that the simulation must find, to prove that it can."""

from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import wraps
from inspect import isfunction
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
from messages.approvals import DismissApproval
from messages.base import Message
from messages.steering import PromptsReturned
from messages.supervision import PeerRestarted
from shell.console.console import Console
from shell.view import event_reducer
from tests.actors.agents.turn import turn_mutants
from tests.simulation import mutant_implementations
from tests.simulation.simulated_command_runner import SimulatedCommandRunner
from tests.simulation.simulated_file_system import SimulatedFileSystem

MessageMutation = Callable[[Address, Message, Address], tuple[Message, ...]]
"""Returns the messages to deliver instead, given receiver, message and sender."""

mutant_errors: list[Exception] = []
"""Errors in the mutants' own code: it no longer fits the code that it replaces."""


def pass_through(_to: Address, message: Message, _sender: Address) -> tuple[Message, ...]:
    """Change nothing."""
    return (message,)


@dataclass(frozen=True)
class Mutant:
    """One fault: messages that are changed on the way, and code that is replaced."""

    mutate_message: MessageMutation = pass_through
    patches: tuple[tuple[Any, str, Any], ...] = ()
    """Owner, name and replacement."""

    @contextmanager
    def applied(self) -> Generator[None]:
        """Replace the code for the duration of the context."""
        mutant_errors.clear()
        mutant_implementations.SHOWN_REQUESTS.clear()
        with ExitStack() as stack:
            for owner, name, replacement in self.patches:
                value = record_errors(replacement) if isfunction(replacement) else replacement
                stack.enter_context(patch.object(owner, name, value))
            yield


def record_errors(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that records the errors of outdated code, which an actor would contain."""

    @wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:  # noqa: ANN401  (any signature)
        try:
            return function(*arguments, **options)
        except (AttributeError, TypeError) as error:
            mutant_errors.append(error)
            raise

    return call


NO_MUTANT = Mutant()


def drop_messages(message_type: type[Message]) -> Mutant:
    """Drop every message of a type."""
    return Mutant(
        lambda _to, message, _sender: () if isinstance(message, message_type) else (message,)
    )


def replace_function(owner: Any, name: str, replacement: Any) -> Mutant:  # noqa: ANN401  (any signature)
    """Replace a function."""
    return Mutant(patches=((owner, name, replacement),))


def replace_turn(replacement: Any) -> Mutant:  # noqa: ANN401  (as above)
    """Replace the turn's state machine by a mutant of its own tests."""
    return replace_function(agent, "advance", replacement)


NO_DRAINS = Mutant(
    patches=tuple(
        (actor_class, "drains_before_stop", False)
        for actor_class in (ApprovalBroker, Console, Journal)
    )
)

MUTANTS: dict[str, Mutant] = {
    # The eight mutants that the runtime was designed with.
    "results lost on cancel": replace_function(
        call_lifecycle, "cancel_calls", mutant_implementations.lose_results_of_cancelled_calls
    ),
    "requests not withdrawn on cancel": replace_turn(turn_mutants.skip_withdraw),
    "requests not withdrawn after a crash": replace_function(
        agent.Agent, "on_start", mutant_implementations.skip_withdrawal_after_crash
    ),
    "peers not notified of a restart": drop_messages(PeerRestarted),
    "stop overtakes the mail of a restarting service": replace_function(
        Cell, "_on_stop_cell", mutant_implementations.stop_before_mailbox_is_read
    ),
    "services stop without draining": NO_DRAINS,
    "cancel before its prompt forgotten": replace_turn(turn_mutants.forget_early_cancels),
    "end of a service ignored": replace_function(
        RootSupervisor, "on_receive", mutant_implementations.ignore_ended_services
    ),
    # Every tool call has one result.
    "two results for one call": replace_function(
        call_completion, "record_result", mutant_implementations.write_results_twice
    ),
    "results missing from the history": replace_function(
        ConversationHistory, "_close_open_calls", mutant_implementations.do_nothing
    ),
    # Every approval request ends once.
    "request both decided and unavailable": Mutant(
        mutant_implementations.send_decision_and_unavailable
    ),
    "no treated as once": Mutant(mutant_implementations.treat_no_as_once),
    "decision delivered before it is synced": replace_function(
        ApprovalBroker, "_record_decision", mutant_implementations.deliver_before_sync
    ),
    # The user is not asked about an ended request.
    "ended request left on screen": drop_messages(DismissApproval),
    "ended request shown again": Mutant(mutant_implementations.show_after_dismiss),
    # Every started actor ends once.
    "end reported twice": replace_function(
        Cell, "_on_child_ended", mutant_implementations.report_end_twice
    ),
    "end not reported": replace_function(Cell, "_on_child_ended", mutant_implementations.drop_end),
    # No effect after a cancel, without a decision, or before its record.
    "cancelled command keeps running": replace_function(
        SimulatedCommandRunner, "_kill", mutant_implementations.leave_command_running
    ),
    "ask treated as allow": Mutant(mutant_implementations.allow_instead_of_ask),
    "approval kept after the target changed": replace_function(
        call_lifecycle, "_evaluate", mutant_implementations.keep_approval_after_target_change
    ),
    "change runs before its start is synced": replace_function(
        call_lifecycle, "_start", mutant_implementations.run_before_start_is_synced
    ),
    "started calls rerun after resume": replace_function(
        wiring, "restore", mutant_implementations.rerun_started_calls
    ),
    # The user's decisions are stored as made, and permission decisions follow them.
    "revocation applied only after sync": replace_function(
        engine, "is_tightening", mutant_implementations.always_false
    ),
    "grant applied before sync": Mutant(
        patches=(
            (pending_changes, "add_tightening_update", mutant_implementations.apply_before_sync),
            (pending_changes, "is_tightening", mutant_implementations.always_true),
            (engine, "is_tightening", mutant_implementations.always_true),
        )
    ),
    "older update undoes a tightening one": replace_function(
        pending_changes.PendingChanges, "with_tightening", mutant_implementations.keep_policy
    ),
    "revoked grant left on disk": replace_function(
        policy_changes, "without_grant", mutant_implementations.revoke_nothing
    ),
    "revocation removes all grants": replace_function(
        policy_changes, "without_grant", mutant_implementations.revoke_all
    ),
    "grant broader than shown": Mutant(mutant_implementations.grant_wider_rule),
    "session grant stored for the project": Mutant(mutant_implementations.grant_for_project),
    "failed update applied": replace_function(
        engine.PermissionEngine, "_on_update_failed", mutant_implementations.apply_after_failed_sync
    ),
    "yolo restored on resume": replace_function(
        wiring, "resolve_mode", mutant_implementations.keep_mode_on_resume
    ),
    "yolo restored after an engine crash": replace_function(
        engine, "recover_policy", mutant_implementations.keep_mode_after_crash
    ),
    "plan agent has the rights of build": Mutant(
        mutant_implementations.register_every_agent_as_build
    ),
    "parked requests not evaluated again": replace_function(
        ApprovalBroker, "_reevaluate_all", mutant_implementations.do_nothing
    ),
    "decision lost with the broker or the console": replace_function(
        event_reducer, "show_approval", mutant_implementations.show_decided_request
    ),
    "outdated decision used": replace_function(
        engine.PermissionEngine,
        "_on_evaluation_finished",
        mutant_implementations.forward_outdated_decision,
    ),
    # Mailboxes, jobs, budgets, deadlines.
    "mailbox no longer read": replace_function(
        LoopCell, "_run_batch", mutant_implementations.stop_reading_mailbox
    ),
    "no outcome for a cancelled job": replace_function(
        Jobs, "_on_task_done", mutant_implementations.drop_cancelled_outcomes
    ),
    "unlimited restarts": replace_function(
        RestartBudget, "spend", mutant_implementations.always_true
    ),
    "deadlines never fire": replace_function(
        ResettableTimer, "set", mutant_implementations.do_nothing
    ),
    # Each message of the user reaches one turn or goes back to the user.
    "delivered prompt left in the queue": replace_turn(turn_mutants.deliver_prompts_twice),
    "returned prompt left in the queue": replace_turn(turn_mutants.keep_withdrawn_prompts),
    "return of a prompt lost": drop_messages(PromptsReturned),
    # The session file.
    "append acknowledged before it is written": replace_function(
        Journal, "_queue_append", mutant_implementations.acknowledge_before_write
    ),
    "files not synced": replace_function(
        SimulatedFileSystem, "sync", mutant_implementations.do_nothing
    ),
    "folders not synced": replace_function(
        SimulatedFileSystem, "sync_folder", mutant_implementations.do_nothing
    ),
    "partial write left in the file": replace_function(
        SessionLog, "_remove_partial_group", mutant_implementations.do_nothing
    ),
}
