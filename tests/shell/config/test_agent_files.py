"""Agent definition files, written for Greenroom and for other programs."""

from pathlib import Path

import pytest

from actors.agents.definition.definition import BUILT_IN_DEFINITIONS, build_profile
from actors.paths.workspace import Workspace
from actors.permissions.rule_matching import has_tool
from messages.policy import Rule
from shell.config.agent_discovery import DiscoveredAgents, discover_agents
from shell.config.agent_file_parser import (
    DefinitionError,
    FileOrigin,
    ParsedDefinition,
    parse_definition,
)
from shell.config.agent_list_format import agents_to_dict, format_agents

pytestmark = pytest.mark.quick

USER_ORIGIN = FileOrigin("/u/agents/a.md")
PROJECT_ORIGIN = FileOrigin("/w/.greenroom/agents/a.md", is_project=True)
FOREIGN_ORIGIN = FileOrigin("/w/.claude/agents/a.md", is_project=True, is_foreign=True)


def parse(head: str, origin: FileOrigin = USER_ORIGIN, body: str = "Do it.") -> ParsedDefinition:
    return parse_definition(f"---\n{head}\n---\n\n{body}\n", "stem", origin)


def has_tools(parsed: ParsedDefinition, *names: str) -> list[bool]:
    return [has_tool(build_profile(parsed.definition), name) for name in names]


def test_every_key_of_a_definition_is_parsed() -> None:
    parsed = parse(
        "name: finder\n"
        "description: Finds\n"
        "mode: subagent\n"
        "tools: [read, 'g*']\n"
        "disallowed_tools: grep\n"
        "read_only: true\n"
        "permission:\n  bash:\n    'git *': allow\n    '*': deny\n  write: deny\n"
        "approval_mode: plan\n"
        "model: sonnet\n"
        "effort: low\n"
        "placement: process\n"
        "max_turns: 7\n"
        "time_limit_s: 2.5\n"
        "subagents: explore, general\n"
        "delegates: [bash]\n"
        "interactive: true\n"
    )
    definition = parsed.definition

    assert (definition.name, definition.description, definition.system_prompt) == (
        "finder",
        "Finds",
        "Do it.",
    )
    assert has_tools(parsed, "read", "glob", "grep", "write") == [True, True, False, False]
    assert definition.rules == (
        Rule(permission="bash", pattern="git *", action="allow"),
        Rule(permission="bash", pattern="*", action="deny"),
        Rule(permission="write", pattern="*", action="deny"),
    )
    assert (definition.mode, definition.permission_mode, definition.read_only) == (
        "subagent",
        "plan",
        True,
    )
    assert (definition.max_turns, definition.time_limit_s) == (7, 2.5)
    assert definition.subagents == ("explore", "general")
    assert definition.delegates == ("bash",)
    assert definition.interactive
    assert definition.model != "sonnet", "an alias is resolved"
    assert definition.effort == "low"
    assert definition.placement == "process"
    assert parsed.ignored_keys == ()


def test_a_file_without_keys_has_defaults() -> None:
    parsed = parse("")
    assert parsed.definition.name == "stem"
    assert has_tools(parsed, "bash", "anything") == [True, True]


def test_tool_names_of_other_programs_are_understood() -> None:
    claude = parse("tools: Read, Grep, Bash(git *), TodoWrite, WebFetch, Task", FOREIGN_ORIGIN)
    assert has_tools(claude, "read", "grep", "bash", "todo_write", "task") == [True] * 5
    assert has_tools(claude, "write", "webfetch", "glob") == [False] * 3
    qwen = parse(
        "tools:\n  - read_file\n  - run_shell_command\n  - search_file_content", FOREIGN_ORIGIN
    )
    assert has_tools(qwen, "read", "bash", "grep", "write") == [True, True, True, False]
    chosen = parse("tools:\n  write: false\n  read: true", FOREIGN_ORIGIN)
    assert has_tools(chosen, "read", "write", "bash") == [True, False, False]


@pytest.mark.parametrize("tools", ["WebFetch, mcp", "[]", "''", "['']", "{}"])
def test_a_list_of_unknown_tools_means_no_tools(tools: str) -> None:
    parsed = parse(f"tools: {tools}", FOREIGN_ORIGIN)
    assert has_tools(parsed, "read", "bash", "write", "task") == [False] * 4


@pytest.mark.parametrize(
    ("key", "value", "mode"),
    [
        ("approvalMode", "auto-edit", "auto-edit"),
        ("approval_mode", "bubble", "default"),
        ("permissionMode", "acceptEdits", "auto-edit"),
        ("permissionMode", "plan", "plan"),
        ("permissionMode", "dontAsk", "default"),
        ("permissionMode", "bypassPermissions", "yolo"),
    ],
)
def test_modes_of_other_programs_are_understood(key: str, value: str, mode: str) -> None:
    assert parse(f"{key}: {value}", FOREIGN_ORIGIN).definition.permission_mode == mode


def test_approval_mode_overrides_permission_mode() -> None:
    parsed = parse("permissionMode: bypassPermissions\napproval_mode: plan", FOREIGN_ORIGIN)
    assert parsed.definition.permission_mode == "plan"


def test_invalid_values_in_a_foreign_file_are_ignored_and_listed() -> None:
    parsed = parse("color: red\nhooks: {a: 1}\nmaxTurns: many\npermissionMode: odd", FOREIGN_ORIGIN)
    assert [key.split(" ")[0] for key in parsed.ignored_keys] == [
        "approval_mode",
        "max_turns",
        "color",
        "hooks",
    ]


def test_an_invalid_restriction_in_a_foreign_file_becomes_the_strictest() -> None:
    text = "approvalMode: strictest\nread_only: maybe\ntools: 7\ndisallowedTools: 8"
    parsed = parse(text, FOREIGN_ORIGIN)
    assert parsed.definition.permission_mode == "plan"
    assert parsed.definition.read_only
    assert parsed.definition.tools == ()
    assert parsed.definition.disallowed_tools == ("*",)
    assert parsed.ignored_keys[-2] == (
        "approval_mode (must be default, plan, auto-edit or bubble; the strictest value applies)"
    )


def test_a_colon_in_a_description_is_accepted() -> None:
    parsed = parse("name: a\ndescription: Use this: it finds", FOREIGN_ORIGIN)
    assert parsed.definition.description == "Use this: it finds"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("no fence", "a.md:1: the file does not start with a line ---"),
        ("---\nname: a\n", "a.md:1: the frontmatter does not end with a line ---"),
        ("---\nname: a\nmax_turns: 0\n---\n", "a.md:3: max_turns must be a whole number"),
        ("---\nmode: chief\n---\n", "a.md:2: mode must be one of primary, subagent, all"),
        (
            "---\npermission: {bash: maybe}\n---\n",
            "a.md:2: permission for bash must be one of allow",
        ),
        ("---\nname: '!'\n---\n", "a.md:2: the name has no letters"),
        ("---\nname: a\n  b: : [\n---\n", "a.md:3:"),
    ],
)
def test_an_invalid_file_is_an_error_with_its_line(text: str, problem: str) -> None:
    with pytest.raises(DefinitionError, match=r"a\.md") as raised:
        parse_definition(text, "stem", USER_ORIGIN)
    assert problem in str(raised.value)


def test_a_project_cannot_delegate_tools() -> None:
    parsed = parse("delegates: [bash]", PROJECT_ORIGIN)
    assert parsed.definition.delegates == ()
    assert parsed.definition.from_project
    assert parsed.ignored_keys == ("delegates (ignored in a project)",)


def test_the_list_shows_a_normalized_name(tmp_path: Path) -> None:
    agents = write_and_discover(
        tmp_path, {".greenroom/agents/x.md": "---\nname: Code Reviewer!\n---\nGo"}
    )
    assert "code-reviewer" in format_agents(agents)
    assert "name in the file: 'Code Reviewer!'" in format_agents(agents)


def write_and_discover(
    root: Path, files: dict[str, str], *, trusted: bool = True
) -> DiscoveredAgents:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return discover_agents(root / "user", Workspace(root, root), trusted=trusted)


def test_the_projects_own_definition_wins_and_broken_files_are_skipped(
    tmp_path: Path,
) -> None:
    agents = write_and_discover(
        tmp_path,
        {
            "user/a.md": "---\nname: a\n---\nuser's",
            ".qwen/agents/a.md": "---\nname: a\n---\nqwen's",
            ".claude/agents/a.md": "---\nname: a\n---\nclaude's",
            ".greenroom/agents/a.md": "---\nname: a\n---\nours",
            ".greenroom/agents/b.md": "no frontmatter",
            ".greenroom/agents/build.md": "---\n---\nmine",
        },
    )
    assert [
        definition.system_prompt for definition in agents.definitions if definition.name == "a"
    ] == ["ours"]
    assert len(agents.problems) == 2
    objects = agents_to_dict(agents)
    assert len(str(objects["hidden"]).split(",")) == 3
    assert agents.definitions[: len(BUILT_IN_DEFINITIONS)] == BUILT_IN_DEFINITIONS


def test_an_untrusted_projects_definitions_are_ignored(tmp_path: Path) -> None:
    agents = write_and_discover(
        tmp_path, {".claude/agents/a.md": "---\nname: a\n---\nx"}, trusted=False
    )
    assert agents == DiscoveredAgents()


def test_a_link_to_a_file_outside_the_workspace_is_ignored(tmp_path: Path) -> None:
    root = tmp_path / "work"
    (root / ".greenroom/agents").mkdir(parents=True)
    (tmp_path / "outside.md").write_text("---\nname: a\n---\nx")
    (root / ".greenroom/agents/a.md").symlink_to(tmp_path / "outside.md")
    agents = discover_agents(tmp_path / "user", Workspace(root, root), trusted=True)
    assert len(agents.problems) == 1
    assert "outside the workspace" in agents.problems[0]
