"""`greenroom permissions check`: explains a permission decision without running anything.

It makes the same decisions as the engine, but does not load what only actors need.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from actors.paths.resolve import WorkspacePaths
from actors.paths.workspace import Workspace
from actors.permissions.decide_call import CallDecision
from actors.permissions.initial_policy import build_initial_policy, resolve_workspace_paths
from actors.permissions.rule_matching import (
    PATH_CATEGORIES,
    find_rule_problem,
    get_categories,
    is_mcp_tool_name,
)
from actors.permissions.sandbox_decision import DecisionInputs, decide_with_sandbox
from actors.sandbox.bubblewrap import find_bubblewrap
from actors.sessions.state_paths import config_folder, list_own_files, project_folder
from actors.tools.tool_list import TOOL_LIST
from messages.policy import PermissionProfile, PermissionRequest, Policy, Rule, RuleSource
from shell.cli.json_input import parse_line, read_json, read_lines
from shell.config.config_files import ConfigLocations, build_rule_sources, read_config_files
from shell.config.project_trust import TrustCheck, TrustStatus, check_trust
from shell.config.schema import SandboxConfig
from shell.config.workspace_discovery import find_git_folders, find_workspace
from shell.process.state_folder import find_state_folder
from shell.process.stdout import write_stdout
from shell.process.streams import print_error
from shell.startup.errors import StartError
from shell.startup.options import CheckOptions
from shell.text.sanitize import sanitize_line

if TYPE_CHECKING:
    from actors.agents.definition.definition import Definition


def _has_no_sandbox() -> bool:
    return False


FindAgents: TypeAlias = "Callable[[], tuple[Definition, ...]]"
DEFAULT_AGENT = "build"
_CATEGORIES = get_categories(TOOL_LIST)
_RULE_KEYS = {"permission", "pattern", "action"}
_BATCH_KEYS = {"id", "tool", "target", "rules"}


@dataclass(frozen=True, slots=True)
class CheckContext:
    """What decisions depend on: policy, workspace and agents."""

    policy: Policy
    workspace_paths: WorkspacePaths
    profile_chain: tuple[PermissionProfile, ...]
    """The agent's profile, then its ancestors'."""
    has_sandbox: Callable[[], bool]
    """Whether commands run in a sandbox."""

    def decide(self, tool: str, target: str) -> CallDecision:
        """Decide one tool call."""
        path = os.path.join(self.workspace_paths.cwd, _expand_home(target))  # noqa: PTH118  (text, not a file)
        target = path if _CATEGORIES.get(tool) in PATH_CATEGORIES and target else target
        request = PermissionRequest(permission=tool, target=target)
        inputs = DecisionInputs(
            (request,), "read-only", self.workspace_paths, self.policy, self.profile_chain
        )
        return decide_with_sandbox(inputs, self.has_sandbox)


def run_permissions_check(
    options: CheckOptions, environment: Mapping[str, str], start_folder: Path
) -> int:
    """Run `greenroom permissions check` and return the exit status.

    Raises:
        StartError: an option, a rule or an input file is invalid.
        OutputError: standard output cannot be written.
    """
    workspace = _find_workspace(options.workspace_root, start_folder)
    profile = PermissionProfile(agent=options.agent or DEFAULT_AGENT)
    chain: tuple[PermissionProfile, ...] = (profile,)
    has_sandbox = _has_no_sandbox
    if options.rules_file is None:
        trust = _check_trust(environment, workspace)
        find_agents = cache(partial(_discover_agents, environment, workspace, trust))
        policy, primary_agent, sandbox = _build_policy(environment, workspace, trust, find_agents)
        has_sandbox = cache(partial(_has_sandbox, environment, workspace, sandbox))
        policy = replace(policy, mode=options.mode)
        if options.agent or options.ancestor:
            chain = _build_profile_chain(options, find_agents(), primary_agent)
    else:
        policy = _read_rules_only_policy(options.rules_file, workspace)
    context = CheckContext(policy, resolve_workspace_paths(workspace), chain, has_sandbox)
    if options.batch_file is not None:
        for result in _run_batch(Path(options.batch_file), context):
            write_stdout(f"{json.dumps(result)}\n".encode())
        return 0
    _require_tool(options.tool, "--tool")
    decision = context.decide(options.tool, options.target)
    text = _format_json(decision, policy) if options.as_json else _format_text(decision)
    write_stdout(f"{text}\n".encode("utf-8", "surrogatepass"))
    return 0


# Policy and agent.


def _find_workspace(root: str | None, start_folder: Path) -> Workspace:
    if root is None:
        return find_workspace(start_folder)
    try:
        folder = Path(os.path.realpath(start_folder / root, strict=True))
    except (OSError, ValueError) as error:
        message = f"--workspace {root}: {getattr(error, 'strerror', None) or error}"
        raise StartError(message) from error
    if not folder.is_dir():
        message = f"--workspace {root}: not a folder"
        raise StartError(message)
    return Workspace(root=folder, cwd=folder)


def _check_trust(environment: Mapping[str, str], workspace: Workspace) -> TrustStatus:
    store = find_state_folder(environment) / "trust.json"
    trust = check_trust(workspace, TrustCheck(store, list_own_files(environment)))
    for notice in trust.notices:
        print_error(notice)
    return trust


def _discover_agents(
    environment: Mapping[str, str], workspace: Workspace, trust: TrustStatus
) -> "tuple[Definition, ...]":
    from shell.config.agent_discovery import discover_agents  # noqa: PLC0415  (few checks need it)

    found = discover_agents(config_folder(environment) / "agents", workspace, trusted=trust.trusted)
    for problem in found.problems:
        print_error(problem)
    return found.definitions


def _build_policy(
    environment: Mapping[str, str],
    workspace: Workspace,
    trust: TrustStatus,
    find_agents: FindAgents,
) -> tuple[Policy, str, SandboxConfig]:
    """Return the policy, the primary agent and the sandbox that a session would start with."""
    own_files = list_own_files(environment)
    files = read_config_files(
        ConfigLocations(
            config_folder(environment) / "config.toml",
            workspace,
            trust.approved,
            own_files,
            lambda: [definition.name for definition in find_agents()],
        )
    )
    for notice in files.notices:
        print_error(notice)
    policy = build_initial_policy(
        workspace,
        build_rule_sources(files),
        TOOL_LIST,
        trusted=trust.trusted,
        extra_protected=(*own_files, *find_git_folders(workspace.root)),
    )
    layers = (files.project if files.trusted else None, files.user)
    names = (file.config.agent for file in layers if file is not None)
    sandbox = files.user.config.sandbox if files.user is not None else SandboxConfig()
    return policy, next(filter(None, names), DEFAULT_AGENT), sandbox


def _has_sandbox(
    environment: Mapping[str, str], workspace: Workspace, config: SandboxConfig
) -> bool:
    search_path = environment.get("PATH", os.defpath)
    projects = (workspace.root, *workspace.added_folders)
    mode = environment.get("GREENROOM_SANDBOX") or config.mode
    if mode == "off" or find_bubblewrap(search_path, projects) is None:
        return False
    from shell.cli.session_sandbox import make_sandbox  # noqa: PLC0415  (few machines need it)

    folder = project_folder(find_state_folder(environment), workspace.root)
    return make_sandbox(workspace, folder, (), config, environment).status.enforcement == "full"


def _build_profile_chain(
    options: CheckOptions, definitions: "tuple[Definition, ...]", primary_agent: str
) -> tuple[PermissionProfile, ...]:
    """Return the profiles of the agent and its ancestors.

    Below an agent that can only be a subagent comes the primary agent, as in a session.
    """
    from actors.agents.definition.definition import build_profile  # noqa: PLC0415  (few checks need it)

    agents = {definition.name: definition for definition in definitions}
    for option, name in (("--agent", options.agent), ("--under", options.ancestor)):
        if name and name not in agents:
            message = f"{option}: there is no agent {name}; choose one of {', '.join(agents)}"
            raise StartError(message)
    names = [options.agent or DEFAULT_AGENT]
    if options.ancestor:
        names.append(options.ancestor)
    if names[-1] in agents and agents[names[-1]].mode == "subagent":
        names.append(primary_agent)
    return tuple(
        build_profile(agents[name]) if name in agents else PermissionProfile(agent=name)
        for name in names
    )


def _read_rules_only_policy(file: str, workspace: Workspace) -> Policy:
    from shell.config.rule_linter import make_rule_linter  # noqa: PLC0415  (few checks need it)

    rules = tuple(_parse_rules(read_json(Path(file)), file))
    for index, warning in make_rule_linter(workspace).find_warnings(rules).items():
        print_error(f"{file}: rule {index + 1}: {warning}")
    return _build_rules_only_policy(rules, resolve_workspace_paths(workspace))


def _build_rules_only_policy(rules: tuple[Rule, ...], workspace_paths: WorkspacePaths) -> Policy:
    """Return a policy with these rules alone: no defaults, protected paths or grants."""
    return Policy(
        sources=(RuleSource(name="rules", rules=rules),),
        tools=TOOL_LIST,
        workspace_root=workspace_paths.root,
        home=workspace_paths.home,
        protected_paths=None,
    )


def _parse_rules(value: object, location: str) -> Iterator[Rule]:
    if not isinstance(value, list):
        message = f"{location}: expected a list of rules"
        raise StartError(message)
    for number, entry in enumerate(cast("list[object]", value), start=1):
        yield _parse_rule(entry, f"{location}: rule {number}")


def _parse_rule(entry: object, location: str) -> Rule:
    fields = cast("dict[str, Any]", entry) if isinstance(entry, dict) else {}
    has_only_texts = all(isinstance(value, str) for value in fields.values())
    extra_keys = fields.keys() - _RULE_KEYS - {"agent"}
    if not has_only_texts or not fields.keys() >= _RULE_KEYS or extra_keys:
        message = f"{location}: expected strings permission, pattern, action, and optionally agent"
        raise StartError(message)
    rule = Rule(**fields)
    problem = find_rule_problem(rule, TOOL_LIST)
    if problem:
        message = f"{location}: {problem}"
        raise StartError(message)
    return rule


def _require_tool(tool: str, location: str) -> None:
    if tool not in _CATEGORIES and not is_mcp_tool_name(tool):
        message = f"{location}: unknown tool {tool!r}; known: {', '.join(sorted(_CATEGORIES))}"
        raise StartError(message)


def _expand_home(target: str) -> str:
    return os.path.expanduser(target) if target.startswith("~") else target  # noqa: PTH111  (never raises)


# Batches.


def _run_batch(path: Path, context: CheckContext) -> Iterator[dict[str, object]]:
    """Yield one result for each line; a line that cannot be evaluated yields an error."""
    for number, line in enumerate(read_lines(path), start=1):
        if line.strip():
            yield _evaluate_line(line, f"{path}:{number}", context)


def _evaluate_line(line: bytes, location: str, context: CheckContext) -> dict[str, object]:
    line_id: object = None
    try:
        value = parse_line(line, location)
        fields = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
        line_id = fields.get("id")
        decision = _evaluate_fields(fields, location, context).decision
    except StartError as error:
        return {"id": line_id, "error": str(error)}
    return {"id": line_id, "decision": decision.action, "reason": decision.reason}


def _evaluate_fields(
    fields: Mapping[str, Any], location: str, context: CheckContext
) -> CallDecision:
    problem = _find_field_problem(fields)
    if problem:
        message = f"{location}: {problem}"
        raise StartError(message)
    tool, target = fields["tool"], fields["target"]
    _require_tool(tool, location)
    if "rules" in fields:
        rules = tuple(_parse_rules(fields["rules"], location))
        policy = _build_rules_only_policy(rules, context.workspace_paths)
        profile = PermissionProfile(agent=context.profile_chain[0].agent)
        context = CheckContext(policy, context.workspace_paths, (profile,), _has_no_sandbox)
    return context.decide(tool, target)


def _find_field_problem(fields: Mapping[str, Any]) -> str:
    """Return what is wrong with the keys of a batch line, or an empty string."""
    expected = "expected id, tool, target, and optionally rules"
    unknown = next((key for key in fields if key not in _BATCH_KEYS), None)
    if unknown is not None:
        return f"unknown key {unknown!r}; {expected}"
    missing = next((key for key in ("id", "tool", "target") if key not in fields), None)
    if missing is not None:
        return f"{expected}; {missing} is missing"
    not_text = next((key for key in ("tool", "target") if not isinstance(fields[key], str)), None)
    return "" if not_text is None else f"{not_text} must be a string"


# Output.


def _format_json(call_decision: CallDecision, policy: Policy) -> str:
    decision = call_decision.decision
    result = {
        "decision": decision.action,
        "reason": decision.reason,
        "rule": None if decision.rule is None else _to_json_object(decision.rule),
        "source": decision.source,
        "policy_version": policy.policy_version,
        "grants": [_to_json_object(rule) for rule in decision.grants],
        "parts": [
            {**asdict(access.request), "decision": part.action, "reason": part.reason}
            for access, part in call_decision.notable_decisions
        ],
    }
    return json.dumps(result)


def _to_json_object(rule: Rule) -> dict[str, str]:
    keys = ("permission", "pattern", "action", "agent")
    return {key: value for key in keys if (value := getattr(rule, key)) is not None}


def _format_text(call_decision: CallDecision) -> str:
    decision = call_decision.decision
    lines = [f"{decision.action}: {sanitize_line(decision.reason)}"]
    for access, part in call_decision.notable_decisions:
        request = sanitize_line(f"{access.request.permission} {access.request.target}")
        lines.append(f"  {part.action:<5} {request} · {sanitize_line(part.reason)}")
    return "\n".join(dict.fromkeys(lines))  # a file may be read for two reasons
