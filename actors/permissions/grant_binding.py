"""Binds grants of commands to the content of the files that the commands execute."""

from dataclasses import dataclass, field, replace

from actors.paths.resolve import WorkspacePaths
from actors.permissions.access import Access
from actors.permissions.call_analysis import AnalyzedRequest
from actors.permissions.decision import AccessDecision
from actors.permissions.grants import get_exact_pattern, names_program
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
        """Return the access with the digests of its files if a grant depends on them."""
        policy = self.policy
        if access.permission != _BASH or not (policy.grants or policy.project_grants):
            return access
        text = get_exact_pattern(access)
        grants = [
            rule for rule in (*policy.grants, *policy.project_grants) if rule.permission == _BASH
        ]
        if any(rule.pattern == text for rule in grants):
            access = access._replace(executed_digest=self._compute_digest(text))
        if any(names_program(rule, access) for rule in grants):
            access = access._replace(named_digest=self._compute_path_digest(access.named_prefix))
        return access

    def bind(self, decision: AccessDecision) -> AccessDecision:
        """Return the decision with its grants bound to what the files contain now."""
        if not decision.grants:
            return decision
        broader = tuple(map(self._bind_rule, decision.broader_grants))
        is_unbound = any(
            "/" in rule.pattern and rule.pattern.endswith(" *") and not rule.executed_digest
            for rule in broader
        )
        return decision._replace(
            grants=tuple(map(self._bind_rule, decision.grants)),
            broader_grants=() if is_unbound else broader,
        )

    def _bind_rule(self, rule: Rule) -> Rule:
        if rule.permission != _BASH:
            return rule
        if "*" in rule.pattern:
            digest = self._compute_path_digest(rule.pattern.removesuffix(" *"))
        else:
            digest = self._compute_digest(rule.pattern)
        return replace(rule, executed_digest=digest)

    def _compute_path_digest(self, prefix: str) -> str:
        """Return the digest of the programs that a command prefix names by their paths."""
        paths = [text for text in prefix.split(" ") if "/" in text]
        if not paths:
            return ""
        # Few decisions need it.
        from actors.permissions.executed_files import (  # noqa: PLC0415
            compute_executed_digest,
            find_executed_files,
        )

        return compute_executed_digest(
            file for path in paths for file in find_executed_files(path, self.workspace_paths)
        )

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
