"""What a policy has become since the start, and how a restarted engine finds it again."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import takewhile

from messages.journal import Record, SessionOpened
from messages.permissions import ReplaceRules, SessionSettings
from messages.policy import Policy

VERSIONS_PER_INCARNATION = 1 << 20
"""An incarnation of the engine has so many for itself."""


def with_replaced_rules(policy: Policy, rules: ReplaceRules) -> Policy:
    """Go by rules that were read anew; mode and grants stay."""
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
    """Lay what is on disk over the policy of the start, in a generation that was never used."""
    config = _last_config(reversed(records))
    ours = _last_config(_since_start(records))
    loaded = ours.replaced_rules if ours else None
    policy = with_replaced_rules(policy, loaded) if loaded else policy
    generation = policy.policy_version + (incarnation - 1) * VERSIONS_PER_INCARNATION
    policy = replace(policy, policy_version=generation)
    if config:
        policy = replace(policy, grants=config.grants)
    if ours:
        policy = replace(policy, mode=ours.mode)
    return policy, loaded


def _last_config(backwards: Iterable[Record]) -> SessionSettings | None:
    return next((each for each in backwards if isinstance(each, SessionSettings)), None)


def _since_start(records: tuple[Record, ...]) -> Iterable[Record]:
    """Go back, record by record, to where this run began.

    Grants hold from run to run. A mode does not, nor do rules that were read anew: an earlier
    run's `yolo` ended with it, and its rules may be out of date.
    """
    return takewhile(lambda record: not isinstance(record, SessionOpened), reversed(records))
