"""The user's changes of the policy that the permission engine has not answered."""

from dataclasses import dataclass, field

from messages.permissions import (
    ChangeMode,
    ChangeModeFailed,
    GrantRevoked,
    ModeChanged,
    ReplaceRules,
    ReplaceRulesFailed,
    RevokeGrant,
    RulesReplaced,
)

PolicyRequest = ReplaceRules | ChangeMode | RevokeGrant
PolicyResult = RulesReplaced | ReplaceRulesFailed | ModeChanged | ChangeModeFailed
_REQUEST_BY_RESULT: dict[type[PolicyResult], type[PolicyRequest]] = {
    RulesReplaced: ReplaceRules,
    ReplaceRulesFailed: ReplaceRules,
    ModeChanged: ChangeMode,
    ChangeModeFailed: ChangeMode,
}


@dataclass
class OpenChanges:
    """Changes without an answer, and revocations that are not on disk; sent again if needed."""

    requests: list[PolicyRequest] = field(default_factory=list[PolicyRequest])

    def on_result(self, result: PolicyResult) -> None:
        """Remove the first change of that kind, since answers come in order."""
        kind = _REQUEST_BY_RESULT[type(result)]
        done = next((change for change in self.requests if isinstance(change, kind)), None)
        self.requests = [change for change in self.requests if change is not done]

    def on_grant_revoked(self, result: GrantRevoked) -> None:
        """Remove the revocation, which is now on disk, however often it was requested."""
        done = RevokeGrant(rule=result.rule, scope=result.scope)
        self.requests = [change for change in self.requests if change != done]
