"""Restore the policy of a restarted engine from the session's records."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import takewhile

from messages.journal import Record, SessionOpened
from messages.permissions import ReplaceRules, SessionSettings
from messages.policy import Policy

VERSIONS_PER_INCARNATION = 1 << 20
"""Each incarnation of the engine has its own range of policy versions, so none is used twice."""


def with_replaced_rules(policy: Policy, rules: ReplaceRules) -> Policy:
    """Return the policy with other rules; mode and grants stay."""
    return replace(
        policy,
        sources=rules.sources,
        trusted=rules.trusted,
        protected_paths=rules.protected_paths,
        policy_version=policy.policy_version + 1,
    )


def recover_policy(
    policy: Policy, records: tuple[Record, ...], incarnation: int
) -> tuple[Policy, ReplaceRules | None]:
    """Apply the recorded settings to the initial policy, with a policy version never used before.

    Also return the rules that replaced the initial ones in this run, if any.
    """
    last_settings = _find_first_settings(reversed(records))
    settings_of_run = _find_first_settings(_list_records_of_run(records))
    rules = settings_of_run.replaced_rules if settings_of_run else None
    policy = with_replaced_rules(policy, rules) if rules else policy
    version = policy.policy_version + (incarnation - 1) * VERSIONS_PER_INCARNATION
    policy = replace(policy, policy_version=version)
    if last_settings:
        policy = replace(policy, grants=last_settings.grants)
    if settings_of_run:
        policy = replace(policy, mode=settings_of_run.mode)
    return policy, rules


def _find_first_settings(records: Iterable[Record]) -> SessionSettings | None:
    return next((record for record in records if isinstance(record, SessionSettings)), None)


def _list_records_of_run(records: tuple[Record, ...]) -> Iterable[Record]:
    """Return the records of the current run, the last one first.

    Grants persist from run to run. Mode and replaced rules do not: an earlier run's `yolo` ended
    with it, and its rules may be out of date.
    """
    return takewhile(lambda record: not isinstance(record, SessionOpened), reversed(records))
