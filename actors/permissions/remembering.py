"""What a policy has become since the start, and how a restarted engine finds it again."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import takewhile

from messages.permissions import Config, LoadRules
from messages.rules import Policy
from messages.transcript import Record, RunStarted

GENERATIONS = 1 << 20
"""An incarnation of the engine has so many for itself."""


def loading(policy: Policy, rules: LoadRules) -> Policy:
    """Go by rules that were read anew; mode and grants stay."""
    return replace(
        policy,
        sources=rules.sources,
        trusted=rules.trusted,
        protected=rules.protected,
        generation=policy.generation + 1,
    )


def remembered(
    policy: Policy, records: tuple[Record, ...], incarnation: int
) -> tuple[Policy, LoadRules | None]:
    """Lay what is on disk over the policy of the start, in a generation that was never used."""
    configs = [record for record in records if isinstance(record, Config)]
    loaded = _last_loaded(records)
    policy = loading(policy, loaded) if loaded else policy
    generation = policy.generation + (incarnation - 1) * GENERATIONS
    policy = replace(policy, generation=generation)
    if configs:
        policy = replace(policy, mode=configs[-1].mode, grants=configs[-1].grants)
    return policy, loaded


def _last_loaded(records: tuple[Record, ...]) -> LoadRules | None:
    """Find the rules that were read anew in this run: earlier ones may be out of date."""
    for record in _since_start(records):
        if isinstance(record, Config):
            return record.loaded
    return None


def _since_start(records: tuple[Record, ...]) -> Iterable[Record]:
    """Go back, record by record, to where this run began."""
    return takewhile(lambda record: not isinstance(record, RunStarted), reversed(records))
