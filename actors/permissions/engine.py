"""The permission engine: the only actor that decides allow, ask or deny."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias, assert_never

from actors.paths.resolve import WorkspacePaths
from actors.permissions.decide_call import CallDecision, decide_call
from actors.permissions.evaluation_job import (
    EvaluationFinished,
    decide_without_rules,
    on_evaluation_failure,
    run_evaluation,
)
from actors.permissions.evaluation_pool import EVALUATION_TIMEOUT_S, EvaluationPool
from actors.permissions.pending_changes import PendingChanges
from actors.permissions.policy_changes import (
    PolicyUpdate,
    apply_update,
    build_failure_reply,
    build_session_settings,
    build_success_reply,
    find_update_problem,
    is_project_update,
    is_tightening,
)
from actors.permissions.policy_recovery import recover_policy
from actors.permissions.project_grants import (
    ProjectGrantsLoaded,
    ProjectGrantStore,
    ProjectGrantsUpdateFailed,
    on_project_load_failure,
    on_project_update_failure,
)
from actors.permissions.sandbox_decision import DecideCall, DecisionInputs, decide_with_sandbox
from actors.runtime.actor import Actor
from actors.sessions.journal_client import JournalClient
from messages.address import APPROVALS, PRIMARY, ROOT, Address, is_agent
from messages.journal import Appended, AppendFailed, ReadRecordsFailed, Record, RecordsRead
from messages.permissions import (
    ChangeMode,
    DecisionExplained,
    EvaluatePermission,
    ExplainLastDecision,
    GetPolicy,
    PolicyChanged,
    PolicySnapshot,
    RegisterAgent,
    ReplaceRules,
    RevokeGrant,
    StoreGrant,
)
from messages.policy import PermissionProfile, Policy
from messages.supervision import PeerRestarted, Undelivered

log = logging.getLogger("greenroom.permissions")

ProfileChain: TypeAlias = tuple[PermissionProfile, ...]
"""An agent's own profile, then its ancestors'."""


@dataclass(frozen=True, slots=True)
class EvaluationSettings:
    """How calls are evaluated; tests replace these."""

    decide: DecideCall = decide_call
    timeout_s: float = EVALUATION_TIMEOUT_S
    """A call whose evaluation takes longer asks."""
    has_sandbox: Callable[[], bool] = lambda: False
    """Whether commands run in a sandbox with full enforcement; the first call may take 2 s."""


DEFAULT_EVALUATION_SETTINGS = EvaluationSettings()
EngineInbox: TypeAlias = (
    RegisterAgent
    | EvaluatePermission
    | EvaluationFinished
    | StoreGrant
    | RevokeGrant
    | ChangeMode
    | ReplaceRules
    | GetPolicy
    | ExplainLastDecision
    | ProjectGrantsLoaded
    | ProjectGrantsUpdateFailed
    | Appended
    | AppendFailed
    | PeerRestarted
    | Undelivered
    | RecordsRead
    | ReadRecordsFailed
)
_FROM_AGENTS = RegisterAgent | EvaluatePermission | GetPolicy | ExplainLastDecision | Undelivered
"""All that the engine accepts from agents: nothing that changes the policy."""


class PermissionEngine(Actor[EngineInbox]):
    """Decides calls by rules, grants and mode, and stores grants."""

    def __init__(
        self,
        journal: Address,
        policy: Policy,
        workspace_paths: WorkspacePaths,
        grant_store: ProjectGrantStore,
        evaluation_settings: EvaluationSettings = DEFAULT_EVALUATION_SETTINGS,
    ) -> None:
        """Start with a policy, for example the one that a resumed session recorded."""
        self._journal_client = JournalClient(self, journal)
        self._policy = policy
        self._workspace_paths = workspace_paths
        self._grant_store = grant_store
        self._decide = evaluation_settings.decide
        self._has_sandbox = evaluation_settings.has_sandbox
        self._evaluation_pool = EvaluationPool(evaluation_settings.timeout_s)
        self._replaced_rules: ReplaceRules | None = None
        """The rules that replaced the initial ones, if any."""
        self._profiles: dict[Address, PermissionProfile] = {}
        self._last_evaluation_id = 0
        self._running_evaluations: dict[int, tuple[EvaluatePermission, Address]] = {}
        """Requests that are being evaluated, and their requesters."""
        self._unregistered: list[tuple[EvaluatePermission, Address]] = []
        """After a restart: requests for agents that their parents have not registered again yet."""
        self._last_decision = DecisionExplained()
        self._append_id = 0
        self._pending = PendingChanges()
        self._is_loading_project_grants = False

    def on_start(self) -> None:
        """After a crash, first read from disk what has changed since the start."""
        if self._journal_client.open():
            self._policy = replace(self._policy, project_grants=())  # some may be revoked
            self._load_project_grants()

    def on_receive(self, message: EngineInbox) -> None:  # noqa: C901, PLR0912  (one case a message)
        """Handle one message."""
        if is_agent(self.sender) and not isinstance(message, _FROM_AGENTS):
            log.error("%s sent %s, which is not an agent's", self.sender, message.type)
            return
        match message:
            case RegisterAgent():
                self._register_agent(message)
            case EvaluatePermission():
                self._evaluate(message, self.sender)
            case EvaluationFinished():
                self._on_evaluation_finished(message)
            case StoreGrant() | RevokeGrant() | ChangeMode() | ReplaceRules():
                self._start_update(message)
            case ProjectGrantsLoaded():
                self._on_project_grants_loaded(message)
            case ProjectGrantsUpdateFailed():
                self._on_update_failed(message.detail)
            case ExplainLastDecision():
                self.tell(self.sender, self._last_decision)
            case GetPolicy():
                self.tell(self.sender, PolicySnapshot(policy=self._policy))
            case Appended():
                self._on_appended(message)
            case AppendFailed():
                self._on_append_failed(message)
            case PeerRestarted():
                self._journal_client.on_peer_restarted(message.peer)
            case Undelivered():
                self._on_undelivered(message)
            case RecordsRead() | ReadRecordsFailed():
                self._recover(self._journal_client.on_records_read(message))
            case _:
                assert_never(message)

    def _recover(self, records: tuple[Record, ...] | None) -> None:
        """Apply recorded changes, with a policy version that no decision has used."""
        if records is not None:
            self._policy, self._replaced_rules = recover_policy(
                self._policy, records, self.incarnation
            )

    def _register_agent(self, message: RegisterAgent) -> None:
        """Use a profile, which is for the parent to set; the primary also switches its own."""
        if is_agent(self.sender) and self.sender not in (message.agent.parent, PRIMARY):
            log.error("%s tried to register %s", self.sender, message.agent)
            return
        previous = self._profiles.get(message.agent)
        self._profiles[message.agent] = message.profile
        if previous not in (None, message.profile):  # running evaluations use the old one
            self._use_policy(replace(self._policy, policy_version=self._policy.policy_version + 1))
        unregistered, self._unregistered = self._unregistered, []
        for request, requester in unregistered:
            self._evaluate(request, requester)

    # Evaluations.

    def _evaluate(self, request: EvaluatePermission, requester: Address) -> None:
        chain = find_profile_chain(request.agent, self._profiles)
        if chain is None and self.incarnation > 1:
            self._unregistered.append((request, requester))
            return
        if chain is None:
            reason = f"the agent {request.agent} is unknown"
            self.tell(requester, decide_without_rules(request, self._policy, "deny", reason))
            return
        self._last_evaluation_id += 1
        evaluation_id = self._last_evaluation_id
        self._running_evaluations[evaluation_id] = (request, requester)
        evaluate = partial(self._decide_with_sandbox, request, self._policy, chain)
        self.start_job(
            partial(
                run_evaluation,
                evaluation_id,
                request,
                self._policy,
                evaluate,
                self._evaluation_pool,
            ),
            partial(on_evaluation_failure, evaluation_id, request, self._policy),
        )

    def _decide_with_sandbox(
        self, request: EvaluatePermission, policy: Policy, chain: ProfileChain
    ) -> CallDecision:
        """Decide a call. Runs on a thread, so it uses only what no handler changes."""
        inputs = DecisionInputs(
            request.requests, request.workspace_access, self._workspace_paths, policy, chain
        )
        return decide_with_sandbox(inputs, self._has_sandbox, self._decide)

    def _on_evaluation_finished(self, finished: EvaluationFinished) -> None:
        """Forward a decision, or evaluate again if the policy has changed in the meantime."""
        request, requester = self._running_evaluations.pop(finished.evaluation_id)
        if finished.decision.policy_version != self._policy.policy_version:
            self._evaluate(request, requester)
            return
        if requester != APPROVALS:  # the broker only evaluates parked calls again
            self._last_decision = DecisionExplained(
                agent=request.agent,
                decision=finished.decision,
                evaluated_requests=finished.evaluated_requests,
            )
        self.tell(requester, finished.decision)

    # Policy updates.

    def _start_update(self, update: PolicyUpdate) -> None:
        """Queue an update; tightening applies immediately, loosening once it is on disk."""
        problem = find_update_problem(update, self._policy.tools)
        if problem:
            self.tell(self.sender, build_failure_reply(update, problem, self._policy))
            return
        is_first = self._pending.add(update, self.sender)
        if is_tightening(update, self._policy):
            self._use_policy(self._policy)  # it adds what is pending
        if is_first:
            self._write_next()

    def _write_next(self) -> None:
        """Write the complete settings that result from the next update."""
        update = self._pending.first
        if update is None:
            return
        if is_project_update(update):
            store = self._grant_store

            async def write() -> ProjectGrantsLoaded | ProjectGrantsUpdateFailed:
                return await asyncio.to_thread(store.apply_update, update)

            self.start_job(write, on_project_update_failure)
        else:
            rules = update if isinstance(update, ReplaceRules) else self._replaced_rules
            settings = build_session_settings(apply_update(self._policy, update), rules)
            self._append_id = self._journal_client.write(settings)

    def _on_appended(self, appended: Appended) -> None:
        self._journal_client.on_append_answered(appended)
        update = self._pending.first
        if update is not None and self._is_first_answer(appended.id):
            self._on_update_stored(apply_update(self._policy, update))

    def _is_first_answer(self, append_id: int) -> bool:
        """Return whether an answer ends the current append.

        A restarted journal may answer an append twice. The second answer does not mean that a later
        update is stored.
        """
        is_first = append_id == self._append_id
        if is_first:
            self._append_id = 0
        return is_first

    def _on_update_stored(self, policy: Policy) -> None:
        """Use the policy that is on disk now."""
        update, requester = self._pending.complete_first()
        if isinstance(update, ReplaceRules):
            self._replaced_rules = update
            self._load_project_grants()  # a reload also shows what other processes have granted
        self.tell(requester, build_success_reply(update, policy.policy_version))
        self._use_policy(policy)
        self._write_next()

    def _load_project_grants(self) -> None:
        self._is_loading_project_grants = True
        self.start_job(partial(asyncio.to_thread, self._grant_store.load), on_project_load_failure)

    def _on_project_grants_loaded(self, loaded: ProjectGrantsLoaded) -> None:
        """Use the stored project grants, which other processes may have changed too.

        What was read before one of our own updates may be outdated and is ignored.
        """
        policy = replace(
            self._policy,
            project_grants=loaded.rules,
            policy_version=self._policy.policy_version + 1,
        )
        if loaded.after_update:
            self._is_loading_project_grants = False
            self._on_update_stored(policy)
        elif self._is_loading_project_grants and loaded.rules != self._policy.project_grants:
            self._use_policy(policy)

    def _use_policy(self, policy: Policy) -> None:
        """Use a policy, restricted by pending updates, and have parked calls evaluated again."""
        self._policy = policy = self._pending.with_tightening(policy)
        self.tell(APPROVALS, PolicyChanged(policy_version=policy.policy_version))

    def _on_append_failed(self, failed: AppendFailed) -> None:
        self._journal_client.on_append_answered(failed)
        if self._is_first_answer(failed.id):
            self._on_update_failed(failed.detail)

    def _on_update_failed(self, detail: str) -> None:
        if self._pending.first is not None:
            update, requester = self._pending.fail_first()
            self.tell(requester, build_failure_reply(update, detail, self._policy))
            self._write_next()

    def _on_undelivered(self, undelivered: Undelivered) -> None:
        failed = self._journal_client.on_undelivered(undelivered)
        if failed is not None:
            self._on_append_failed(failed)


def find_profile_chain(
    agent: Address, profiles: dict[Address, PermissionProfile]
) -> ProfileChain | None:
    """Return the profiles of an agent and its ancestors, or None if one is not registered."""
    chain: list[PermissionProfile] = []
    while agent != ROOT:
        profile = profiles.get(agent)
        if profile is None:
            return None
        chain.append(profile)
        agent = agent.parent
    return tuple(chain) or None
