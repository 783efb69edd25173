"""The permission engine: the only one who says allow, ask or deny."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import assert_never

from actors.paths.resolve import WorkspacePaths
from actors.permissions.decide_call import CallDecision, decide_call
from actors.permissions.evaluation_job import decide_without_rules, run_evaluation, unjudged
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
    ProjectGrantStore,
    apply_project_update,
    load_project_grants,
    on_project_load_failure,
    on_project_update_failure,
)
from actors.runtime.actor import Actor
from actors.sessions.journal_client import JournalClient
from messages.address import APPROVALS, ROOT, Address
from messages.journal import Appended, AppendFailed, ReadRecordsFailed, Record, RecordsRead
from messages.permissions import (
    ChangeMode,
    DecisionExplained,
    EvaluatePermission,
    EvaluationFinished,
    ExplainLastDecision,
    GetPolicy,
    PolicyChanged,
    PolicySnapshot,
    ProjectGrantsLoaded,
    ProjectGrantsUpdateFailed,
    RegisterAgent,
    ReplaceRules,
    RevokeGrant,
    StoreGrant,
)
from messages.policy import PermissionProfile, PermissionRequest, Policy
from messages.supervision import PeerRestarted, Undelivered

ProfileChain = tuple[PermissionProfile, ...]


@dataclass(frozen=True, slots=True)
class EvaluationSettings:
    """How a call is judged."""

    decide: Callable[
        [tuple[PermissionRequest, ...], WorkspacePaths, Policy, ProfileChain], CallDecision
    ] = decide_call
    timeout_s: float = EVALUATION_TIMEOUT_S
    """A call that takes longer to judge is a question for a person."""


DEFAULT_EVALUATION_SETTINGS = EvaluationSettings()
EngineInbox = (
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


class PermissionEngine(Actor[EngineInbox]):
    """Judges calls by rules, grants and mode; keeps what a person granted."""

    def __init__(
        self,
        journal: Address,
        policy: Policy,
        workspace_paths: WorkspacePaths,
        grant_store: ProjectGrantStore,
        evaluation_settings: EvaluationSettings = DEFAULT_EVALUATION_SETTINGS,
    ) -> None:
        """Start from a policy, such as the one a resumed session recorded.

        `store` keeps what is granted for the project.
        """
        self._recorder = JournalClient(self, journal)
        self._policy = policy
        self._ground = workspace_paths
        self._store = grant_store
        self._decide = evaluation_settings.decide
        self._court = EvaluationPool(evaluation_settings.timeout_s)
        self._loaded: ReplaceRules | None = None
        """What the rules of the start gave way to."""
        self._profiles: dict[Address, PermissionProfile] = {}
        self._tickets = 0
        self._running_evaluations: dict[int, tuple[EvaluatePermission, Address]] = {}
        """Queries at work, and who asked."""
        self._unknown: list[tuple[EvaluatePermission, Address]] = []
        """After a restart: queries for agents that their parents have to name again first."""
        self._last = DecisionExplained()
        self._append = 0
        self._pending = PendingChanges()
        self._finding = False
        """What the project's store holds is not known yet, or is looked at again."""

    def on_start(self) -> None:
        """After a crash, find on disk first what has changed since the start."""
        if self._recorder.open():
            self._policy = replace(self._policy, project_grants=())
            self._find_project_grants()

    def on_receive(self, message: EngineInbox) -> None:  # noqa: C901, PLR0912  (one case a message)
        """Take one message."""
        match message:
            case RegisterAgent():
                self._register(message)
            case EvaluatePermission():
                self._judge(message, self.sender)
            case EvaluationFinished():
                self._on_evaluation_finished(message)
            case StoreGrant() | RevokeGrant() | ChangeMode() | ReplaceRules():
                self._change(message)
            case ProjectGrantsLoaded():
                self._read(message)
            case ProjectGrantsUpdateFailed():
                self._on_update_failed(message.detail)
            case ExplainLastDecision():
                self.tell(self.sender, self._last)
            case GetPolicy():
                self.tell(self.sender, PolicySnapshot(policy=self._policy))
            case Appended():
                self._stored(message)
            case AppendFailed():
                self._not_stored(message)
            case PeerRestarted():
                self._recorder.on_peer_restarted(message.peer)
            case Undelivered():
                self._returned(message)
            case RecordsRead() | ReadRecordsFailed():
                self._remember(self._recorder.on_records_read(message))
            case _:
                assert_never(message)

    def _remember(self, records: tuple[Record, ...] | None) -> None:
        """Take up what has changed, in a generation that no verdict was given in."""
        if records is not None:
            self._policy, self._loaded = recover_policy(self._policy, records, self.incarnation)

    def _register(self, registered: RegisterAgent) -> None:
        before = self._profiles.get(registered.agent)
        self._profiles[registered.agent] = registered.profile
        if before not in (None, registered.profile):
            self._go_by(replace(self._policy, policy_version=self._policy.policy_version + 1))
        unknown, self._unknown = self._unknown, []
        for query, asker in unknown:
            self._judge(query, asker)

    # Verdicts.

    def _judge(self, query: EvaluatePermission, asker: Address) -> None:
        chain = find_profile_chain(query.agent, self._profiles)
        if chain is None and self.incarnation > 1:
            self._unknown.append((query, asker))
            return
        if chain is None:
            reason = f"{query.agent} is not a known agent"
            self.tell(asker, decide_without_rules(query, self._policy, "deny", reason))
            return
        self._tickets += 1
        self._running_evaluations[self._tickets] = (query, asker)
        case = partial(self._decide, query.requests, self._ground, self._policy, chain)
        job = partial(run_evaluation, self._tickets, query, self._policy, case, self._court)
        self.start_job(job, partial(unjudged, self._tickets, query, self._policy))

    def _on_evaluation_finished(self, judged: EvaluationFinished) -> None:
        """Pass a verdict on, unless what it went by has changed meanwhile: then judge again."""
        query, asker = self._running_evaluations.pop(judged.evaluation_id)
        if judged.decision.policy_version == self._policy.policy_version:
            if asker != APPROVALS:  # which asks about a call again
                self._last = DecisionExplained(
                    agent=query.agent,
                    decision=judged.decision,
                    evaluated_requests=judged.evaluated_requests,
                )
            self.tell(asker, judged.decision)
        else:
            self._judge(query, asker)

    # Changes.

    def _change(self, change: PolicyUpdate) -> None:
        """What tightens holds at once, what loosens once it is on disk; one after the other."""
        wrong = find_update_problem(change)
        if wrong:
            self.tell(self.sender, build_failure_reply(change, wrong, self._policy))
            return
        is_first = self._pending.add(change, self.sender)
        if is_tightening(change, self._policy):
            self._go_by(self._policy)
        if is_first:
            self._write_next()

    def _write_next(self) -> None:
        """Write the whole of what the change makes of what is kept."""
        change = self._pending.first
        if change is None:
            return
        if is_project_update(change):
            self.start_job(
                partial(apply_project_update, self._store, change), on_project_update_failure
            )
        else:
            loaded = change if isinstance(change, ReplaceRules) else self._loaded
            kept = build_session_settings(apply_update(self._policy, change), loaded)
            self._append = self._recorder.write(kept)

    def _stored(self, written: Appended) -> None:
        self._recorder.on_append_answered(written)
        change = self._pending.first
        if change is not None and written.id == self._append:
            self._on_update_stored(apply_update(self._policy, change))

    def _on_update_stored(self, policy: Policy) -> None:
        """Go by what is on disk now."""
        change, asker = self._pending.complete_first()
        if isinstance(change, ReplaceRules):
            self._loaded = change
            self._find_project_grants()
        self.tell(asker, build_success_reply(change, policy.policy_version))
        self._go_by(policy)
        self._write_next()

    def _find_project_grants(self) -> None:
        self._finding = True
        self.start_job(partial(load_project_grants, self._store), on_project_load_failure)

    def _read(self, read: ProjectGrantsLoaded) -> None:
        """Take what the project's store holds; others may have changed it, too.

        What was found before a change of ours may be older than it, and counts no more.
        """
        policy = replace(
            self._policy, project_grants=read.rules, policy_version=self._policy.policy_version + 1
        )
        if read.after_update:
            self._finding = False
            self._on_update_stored(policy)
        elif self._finding and read.rules != self._policy.project_grants:
            self._go_by(policy)

    def _go_by(self, policy: Policy) -> None:
        """Judge by this from now on, also what waits for a person; what tightened stays tight."""
        self._policy = policy = self._pending.with_tightening(policy)
        self.tell(APPROVALS, PolicyChanged(policy_version=policy.policy_version))

    def _not_stored(self, append: AppendFailed) -> None:
        self._recorder.on_append_answered(append)
        if append.id == self._append:
            self._on_update_failed(append.detail)

    def _on_update_failed(self, detail: str) -> None:
        if self._pending.first is not None:
            change, asker = self._pending.fail_first()
            self.tell(asker, build_failure_reply(change, detail, self._policy))
            self._write_next()

    def _returned(self, returned: Undelivered) -> None:
        lost = self._recorder.on_undelivered(returned)
        if lost is not None:
            self._not_stored(lost)


def find_profile_chain(
    agent: Address, profiles: dict[Address, PermissionProfile]
) -> ProfileChain | None:
    """List the profiles an agent stands under, its own first; None: one of them is not known."""
    found: list[PermissionProfile] = []
    while agent != ROOT:
        profile = profiles.get(agent)
        if profile is None:
            return None
        found.append(profile)
        agent = agent.parent
    return tuple(found) or None
