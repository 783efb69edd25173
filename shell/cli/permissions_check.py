"""`greenroom permissions check`: explain a verdict without running anything.

It shares every decision with the engine and loads nothing that the engine needs to be an actor.
"""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from actors.paths.resolve import WorkspacePaths
from actors.paths.workspace import Workspace
from actors.permissions.access import Access
from actors.permissions.decide_call import CallDecision, decide_call
from actors.permissions.decision import AccessDecision
from actors.permissions.initial_policy import build_initial_policy, resolve_workspace_paths
from actors.permissions.rules import (
    PATH_PERMISSIONS,
    PERMISSIONS,
    find_rule_problem,
    is_mcp_tool_name,
)
from actors.sessions.state_paths import config_folder, list_own_files
from messages.policy import PermissionProfile, PermissionRequest, Policy, Rule, RuleSource
from shell.cli.arguments import CheckOptions, StartError
from shell.config.config_discovery import ConfigLocations, build_rule_sources, read_config_files
from shell.config.trust_store import read_trust_store
from shell.config.workspace_discovery import find_git_folders, find_workspace
from shell.process.state_folder import find_state_folder
from shell.process.stdout import write_stdout
from shell.process.streams import complain
from shell.text.sanitize import sanitize_line

_RULE_KEYS = {"permission", "pattern", "action"}
_CASE_KEYS = {"id", "tool", "target", "rules"}
_MOST_BYTES = 16 * 1024 * 1024
"""Of one case, and of a file of rules."""


@dataclass(frozen=True, slots=True)
class CheckContext:
    """What verdicts are given by."""

    policy: Policy
    workspace_paths: WorkspacePaths
    profile: PermissionProfile

    def decide(self, tool: str, target: str) -> CallDecision:
        """Judge one call."""
        path = os.path.join(self.workspace_paths.cwd, _home(target))  # noqa: PTH118  (text, not a file)
        target = path if tool in PATH_PERMISSIONS and target else target
        request = PermissionRequest(permission=tool, target=target)
        return decide_call((request,), self.workspace_paths, self.policy, (self.profile,))


def run_permissions_check(
    options: CheckOptions, environment: Mapping[str, str], start_folder: Path
) -> int:
    """Do what `greenroom permissions …` asks for; the exit status.

    Raises:
        StartError: an option, a rule or a case is wrong.
        OutputError: standard output cannot be written.
    """
    workspace = _workspace(options.workspace_root, start_folder)
    policy = _policy(options, environment, workspace)
    profile = _profile(options, environment, workspace, trusted=policy.trusted)
    checking = CheckContext(policy, resolve_workspace_paths(workspace), profile)
    if options.batch_file is not None:
        for case in _cases(Path(options.batch_file), checking):
            write_stdout(f"{json.dumps(case)}\n".encode())
        return 0
    _require_tool(options.tool, "--tool")
    decision = checking.decide(options.tool, options.target)
    told = _as_json(decision, policy) if options.as_json else _as_text(decision)
    write_stdout(f"{told}\n".encode("utf-8", "surrogatepass"))
    return 0


# What it goes by.


def _workspace(given: str | None, start: Path) -> Workspace:
    if given is None:
        return find_workspace(start)
    try:
        folder = Path(os.path.realpath(start / given, strict=True))
    except (OSError, ValueError) as error:
        message = f"--workspace {given}: {getattr(error, 'strerror', None) or error}"
        raise StartError(message) from error
    if not folder.is_dir():
        message = f"--workspace {given}: no folder"
        raise StartError(message)
    return Workspace(root=folder, cwd=folder)


def _policy(options: CheckOptions, environment: Mapping[str, str], workspace: Workspace) -> Policy:
    if options.rules_file is not None:
        return _alone(tuple(_rules(_json_of(Path(options.rules_file)), options.rules_file)))
    trusts = read_trust_store(find_state_folder(environment) / "trust.json").folders
    ours = list_own_files(environment)
    trusted = bool(trusts.get(str(workspace.root)))
    files = read_config_files(
        ConfigLocations(config_folder(environment) / "config.toml", workspace, trusted, ours)
    )
    for notice in files.notices:
        complain(notice)
    return build_initial_policy(
        workspace,
        options.mode,
        build_rule_sources(files, trusted=trusted),
        trusted=trusted,
        extra_protected=(*ours, *find_git_folders(workspace.root)),
    )


def _profile(
    options: CheckOptions, environment: Mapping[str, str], workspace: Workspace, *, trusted: bool
) -> PermissionProfile:
    """Say what an agent's definition adds; nothing where none was named, or rules stand alone."""
    plain = PermissionProfile(agent=options.agent or "build")
    if options.agent is None or options.rules_file is not None:
        return plain
    from actors.agents.definition.definition import build_profile, find_definition  # noqa: PLC0415 - few checks need it
    from shell.config.agent_discovery import discover_agents  # noqa: PLC0415 - as above

    found = discover_agents(config_folder(environment) / "agents", workspace, trusted=trusted)
    for problem_of_file in found.problems:
        complain(problem_of_file)
    definition = find_definition(options.agent, found.definitions)
    return build_profile(definition) if definition else plain


def _alone(rules: tuple[Rule, ...]) -> Policy:
    """Judge by these rules alone: no defaults, nothing protected, nothing granted."""
    return Policy(sources=(RuleSource(name="rules", rules=rules),), protected_paths=None)


def _rules(value: object, place: str) -> Iterator[Rule]:
    if not isinstance(value, list):
        message = f"{place}: must be a list of rules"
        raise StartError(message)
    for at, entry in enumerate(cast("list[object]", value), start=1):
        yield _rule(entry, f"{place}: rule {at}")


def _rule(entry: object, place: str) -> Rule:
    fields = cast("dict[str, Any]", entry) if isinstance(entry, dict) else {}
    texts = all(isinstance(text, str) for text in fields.values())
    if not texts or not fields.keys() >= _RULE_KEYS or fields.keys() - _RULE_KEYS - {"agent"}:
        message = f"{place}: has permission, pattern and action, each a text, perhaps agent"
        raise StartError(message)
    rule = Rule(**fields)
    what = find_rule_problem(rule)
    if what:
        message = f"{place}: {what}"
        raise StartError(message)
    return rule


def _require_tool(tool: str, place: str) -> None:
    if tool not in PERMISSIONS and not is_mcp_tool_name(tool):
        message = f"{place}: there is no tool {tool!r}; known: {', '.join(sorted(PERMISSIONS))}"
        raise StartError(message)


def _home(target: str) -> str:
    return os.path.expanduser(target) if target.startswith("~") else target  # noqa: PTH111  (never raises)


# Many at once.


def _cases(path: Path, checking: CheckContext) -> Iterator[dict[str, str]]:
    for number, line in enumerate(_lines(path), start=1):
        place = f"{path}:{number}"
        text = _decoded(line, place)
        if text.strip():
            yield _case(_parsed(text, place), place, checking)


def _lines(path: Path) -> Iterator[bytes]:
    """Read line by line, so that a file may be long, or a pipe that somebody still fills."""
    try:
        with path.open("rb") as file:
            while line := file.readline(_MOST_BYTES + 1):
                yield line
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error


def _case(value: object, place: str, checking: CheckContext) -> dict[str, str]:
    fields = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    tool, target = fields.get("tool"), fields.get("target")
    known = fields.keys() <= _CASE_KEYS and "id" in fields
    if not (known and isinstance(tool, str) and isinstance(target, str)):
        message = f"{place}: has id, tool and target, perhaps rules"
        raise StartError(message)
    _require_tool(tool, place)
    if "rules" in fields:
        policy = _alone(tuple(_rules(fields["rules"], place)))
        checking = CheckContext(
            policy, checking.workspace_paths, PermissionProfile(agent=checking.profile.agent)
        )
    judgement = checking.decide(tool, target).decision
    return {"id": fields["id"], "decision": judgement.action, "reason": judgement.reason}


def _json_of(path: Path) -> object:
    return _parsed(_text_of(path), str(path))


def _parsed(text: str, place: str) -> object:
    try:
        return json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        message = f"{place}: not valid JSON: {error}"
        raise StartError(message) from error


def _no_number(name: str) -> None:
    message = f"{name} is no number in JSON"
    raise ValueError(message)


def _text_of(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return _decoded(file.read(_MOST_BYTES + 1), str(path))
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error


def _decoded(data: bytes, place: str) -> str:
    if len(data) > _MOST_BYTES:
        message = f"{place}: longer than {_MOST_BYTES // 1024**2} MiB"
        raise StartError(message)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        message = f"{place}: not valid UTF-8"
        raise StartError(message) from error


def _unreadable(path: Path, error: OSError | ValueError) -> StartError:
    return StartError(f"{path}: {getattr(error, 'strerror', None) or error}")


# What is told.


def _as_json(decision: CallDecision, policy: Policy) -> str:
    judgement = decision.decision
    told = {
        "decision": judgement.action,
        "reason": judgement.reason,
        "rule": _without_nothing(judgement.rule),
        "source": judgement.source,
        "policy_version": policy.policy_version,
        "grants": [_without_nothing(rule) for rule in judgement.grants],
        "parts": [
            {**asdict(matter.request), "decision": each.action, "reason": each.reason}
            for matter, each in _telling(decision)
        ],
    }
    return json.dumps(told)


def _without_nothing(rule: Rule | None) -> dict[str, str] | None:
    if rule is None:
        return None
    return {key: value for key, value in asdict(rule).items() if value is not None}


def _as_text(decision: CallDecision) -> str:
    judgement = decision.decision
    lines = [f"{judgement.action}: {sanitize_line(judgement.reason)}"]
    for matter, each in _telling(decision):
        request = sanitize_line(f"{matter.request.permission} {matter.request.target}")
        lines.append(f"  {each.action:<5} {request} · {sanitize_line(each.reason)}")
    return "\n".join(lines)


def _telling(decision: CallDecision) -> Iterator[tuple[Access, AccessDecision]]:
    """Pass over what only could have tightened."""
    for matter, each in decision.access_decisions:
        if matter.rule_scope == "full" or each.action != "allow":
            yield matter, each
