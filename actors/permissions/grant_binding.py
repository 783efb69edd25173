"""Binds grants of commands to the content of the files that the commands execute."""

from dataclasses import dataclass, field, replace

from actors.paths.resolve import WorkspacePaths
from actors.permissions.access import Access
from actors.permissions.call_analysis import AnalyzedRequest
from actors.permissions.decision import AccessDecision
from actors.permissions.grants import get_exact_pattern
from messages.policy import Policy, Rule

_BASH = "bash"


@dataclass(slots=True)
class GrantBinding:
    """The files that one call executes. They are read only where a grant depends on them."""

    requests: tuple[AnalyzedRequest, ...]
    workspace_paths: WorkspacePaths
    policy: Policy
    _digests: dict[str, str] = field(default_factory=dict[str, str])
    """By the text of a whole command or of a part."""

    def add_digest(self, access: Access) -> Access:
        """Return the access with the digest of its files if a grant has its text."""
        policy = self.policy
        if access.permission != _BASH or not (policy.grants or policy.project_grants):
            return access
        text = get_exact_pattern(access)
        grants = (*policy.grants, *policy.project_grants)
        if not any(rule.permission == _BASH and rule.pattern == text for rule in grants):
            return access
        return access._replace(executed_digest=self._compute_digest(text))

    def bind(self, decision: AccessDecision) -> AccessDecision:
        """Return the decision with its grants bound to what the files contain now."""
        if not decision.grants:
            return decision
        return decision._replace(
            grants=tuple(map(self._bind_rule, decision.grants)),
            broader_grants=tuple(map(self._bind_rule, decision.broader_grants)),
        )

    def _bind_rule(self, rule: Rule) -> Rule:
        if rule.permission != _BASH or "*" in rule.pattern:
            return rule
        return replace(rule, executed_digest=self._compute_digest(rule.pattern))

    def _compute_digest(self, text: str) -> str:
        digest = self._digests.get(text)
        if digest is None:
            # Few decisions need it.
            from actors.permissions.executed_files import (  # noqa: PLC0415
                compute_executed_digest,
                find_executed_files,
            )

            files = (
                file
                for request, command, *_ in self.requests
                if request.permission == _BASH
                for file in find_executed_files(
                    request.target,
                    self.workspace_paths,
                    "" if text == request.target else text,
                    command,
                )
            )
            digest = self._digests[text] = compute_executed_digest(files)
        return digest
