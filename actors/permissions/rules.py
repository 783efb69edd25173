"""May this run? Pure functions from rules, grants and mode to one verdict."""

import re
from dataclasses import dataclass, replace
from functools import cache

from actors.permissions.protected import is_protected
from messages.permissions import Action, PermissionMode, PermissionRequest, Rule

STRICTNESS: dict[Action, int] = {"allow": 0, "ask": 1, "deny": 2}

CHANGING_FILES = ("write", "edit")

BUILT_IN = (
    Rule(permission="read", pattern="*", action="allow"),
    Rule(permission="ls", pattern="*", action="allow"),
    *(
        Rule(permission="read", pattern=pattern, action="ask")
        for pattern in (".env", "*/.env", ".env.*", "*/.env.*")
    ),
    *(
        Rule(permission="read", pattern=pattern, action="allow")
        for pattern in (".env.example", "*/.env.example")
    ),
)
"""The defaults: reading inside the workspace is allowed, secrets and everything else ask."""


@dataclass(frozen=True, slots=True)
class Policy:
    """All that a verdict depends on."""

    mode: PermissionMode = "default"
    grants: tuple[Rule, ...] = ()
    generation: int = 1

    def granting(self, rules: tuple[Rule, ...]) -> "Policy":
        """Add what a person granted."""
        new = tuple(rule for rule in rules if rule not in self.grants)
        return replace(self, grants=self.grants + new, generation=self.generation + 1)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What was decided, by what, and what a person could grant to lift it."""

    action: Action
    reason: str
    grants: tuple[Rule, ...] = ()


def judge(requests: tuple[PermissionRequest, ...], policy: Policy) -> Judgement:
    """Judge one call: the strictest of its requests decides; a call without any asks."""
    judged = [_judge_one(request, policy) for request in requests]
    if not judged:
        return Judgement("ask", "it does not say what it touches")
    asking = [each for each in judged if each.action == "ask"]
    grants = tuple(rule for each in asking for rule in each.grants)
    strictest = max(judged, key=lambda each: STRICTNESS[each.action])
    whole = all(each.grants for each in asking)
    return Judgement(strictest.action, strictest.reason, grants if whole else ())


def matches(rule: Rule, request: PermissionRequest) -> bool:
    """Whether a rule speaks of a request: case-sensitive, over the whole string."""
    if rule.permission != request.permission:
        return False
    if rule.action == "allow" and request.target.startswith("/") and not rule.pattern.startswith("/"):
        return False  # outside the workspace only an absolute pattern allows
    return _pattern(rule.pattern).fullmatch(request.target) is not None


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(".*".join(re.escape(part) for part in pattern.split("*")), re.DOTALL)


def _judge_one(request: PermissionRequest, policy: Policy) -> Judgement:
    if request.permission in CHANGING_FILES and is_protected(request.target):
        return Judgement("ask", f"{request.target} is protected: only an answer to this very call")
    decided = _by_rules(request)
    if decided.action != "ask":
        return decided
    return _lift(request, policy) or replace(decided, grants=_grantable(request))


def _by_rules(request: PermissionRequest) -> Judgement:
    if request.permission == "bash":
        return Judgement("ask", "every command asks")
    for rule in reversed(BUILT_IN):
        if matches(rule, request):
            return Judgement(rule.action, f"{_shown(rule)} (built-in default)")
    where = "outside the workspace" if request.target.startswith("/") else "built-in default"
    return Judgement("ask", f"no rule for {request.permission} {request.target} ({where})")


def _lift(request: PermissionRequest, policy: Policy) -> Judgement | None:
    if policy.mode == "yolo":
        return Judgement("allow", "mode yolo")
    if request.permission == "bash":
        return None  # no grant lifts a command before commands are parsed
    inside = not request.target.startswith("/")
    if policy.mode == "auto-edit" and inside and request.permission in CHANGING_FILES:
        return Judgement("allow", "mode auto-edit")
    for rule in policy.grants:
        if matches(rule, request):
            return Judgement("allow", f"{_shown(rule)} (granted in this session)")
    return None


def _grantable(request: PermissionRequest) -> tuple[Rule, ...]:
    """Make the rule for exactly this target; none where its text would match more than itself."""
    if request.permission == "bash" or "*" in request.target:
        return ()
    return (Rule(permission=request.permission, pattern=request.target, action="allow"),)


def _shown(rule: Rule) -> str:
    return f"{rule.action} {rule.permission} {rule.pattern}"
