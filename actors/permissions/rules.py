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
    Rule(permission="glob", pattern="*", action="allow"),
    Rule(permission="grep", pattern="*", action="allow"),
    Rule(permission="help", pattern="*", action="allow"),
    Rule(permission="todo_write", pattern="*", action="allow"),
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
    defaults: tuple[Rule, ...] = BUILT_IN
    grants: tuple[Rule, ...] = ()
    protected: tuple[str, ...] = ()
    """Files and folders of ours, as targets, that are protected beside those known by name."""
    generation: int = 1

    def granting(self, rules: tuple[Rule, ...]) -> "Policy":
        """Add what a person granted; it can only ever allow."""
        allowing = (rule for rule in dict.fromkeys(rules) if rule.action == "allow")
        new = tuple(rule for rule in allowing if rule not in self.grants)
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
    strictest = max(judged, key=lambda each: STRICTNESS[each.action])
    asking = [each for each in judged if each.action == "ask"]
    if strictest.action != "ask" or not all(each.grants for each in asking):
        return replace(strictest, grants=())
    grants = tuple(dict.fromkeys(rule for each in asking for rule in each.grants))
    return replace(strictest, grants=grants)


def matches(rule: Rule, request: PermissionRequest) -> bool:
    """Whether a rule speaks of a request, over the whole string.

    An allow is case-sensitive and needs an absolute pattern outside the workspace. The others
    compare without case, since some file systems do, and reach everywhere.
    """
    if rule.permission != request.permission:
        return False
    pattern, target = rule.pattern, request.target
    if rule.action != "allow":
        return _pattern(pattern.casefold()).fullmatch(target.casefold()) is not None
    if not is_inside(target) and not pattern.startswith("/"):
        return False
    return _pattern(pattern).fullmatch(target) is not None


def is_inside(target: str) -> bool:
    """Whether a target is a path inside the workspace; one that climbs or says nothing is not."""
    return bool(target) and not target.startswith("/") and ".." not in target.split("/")


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(".*".join(re.escape(part) for part in pattern.split("*")), re.DOTALL)


def _judge_one(request: PermissionRequest, policy: Policy) -> Judgement:
    changes_file = request.permission in CHANGING_FILES
    if changes_file and is_protected(request.target, policy.protected):
        return Judgement("ask", f"{request.target} is protected: only an answer to this very call")
    decided = _by_rules(request, policy.defaults)
    if decided.action != "ask":
        return decided
    return _lift(request, policy) or replace(decided, grants=_grantable(request))


def _by_rules(request: PermissionRequest, defaults: tuple[Rule, ...]) -> Judgement:
    if request.permission == "bash":
        return Judgement("ask", "every command asks")
    for rule in reversed(defaults):
        if matches(rule, request):
            return Judgement(rule.action, f"{_shown(rule)} (built-in default)")
    if is_inside(request.target):
        return Judgement(
            "ask", f"{request.permission} asks unless it is allowed (built-in default)"
        )
    return Judgement("ask", f"{request.target} is outside the workspace")


def _lift(request: PermissionRequest, policy: Policy) -> Judgement | None:
    if policy.mode == "yolo":
        return Judgement("allow", "mode yolo")
    changes_file = request.permission in CHANGING_FILES
    if policy.mode == "auto-edit" and changes_file and is_inside(request.target):
        return Judgement("allow", "mode auto-edit")
    for rule in _grantable(request):
        if rule in policy.grants:
            return Judgement("allow", f"{_shown(rule)} (granted in this session)")
    return None


def _grantable(request: PermissionRequest) -> tuple[Rule, ...]:
    """Make the rule for exactly this target.

    None where its text would match more than itself, and for commands before they are parsed.
    """
    if request.permission == "bash" or "*" in request.target or not request.target:
        return ()
    return (Rule(permission=request.permission, pattern=request.target, action="allow"),)


def _shown(rule: Rule) -> str:
    return f"{rule.action} {rule.permission} {rule.pattern}"
