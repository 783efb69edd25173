"""Definitions of agents as people write them: for Greenroom, and for other programs."""

from pathlib import Path

import pytest

from actors.agents.definitions import BUILT_IN, profile_of
from actors.permissions.rules import has_tool
from actors.tools.workspace import Workspace
from messages.rules import Rule
from shell.agents_command import as_objects, as_text
from shell.config.agent_file import DefinitionError, Origin, ReadDefinition, definition_of
from shell.config.agent_files import FoundAgents, find_agents

pytestmark = pytest.mark.quick

OWN = Origin("/u/agents/a.md")
PROJECT = Origin("/w/.greenroom/agents/a.md", of_project=True)
FOREIGN = Origin("/w/.claude/agents/a.md", of_project=True, foreign=True)


def read(head: str, origin: Origin = OWN, body: str = "Do it.") -> ReadDefinition:
    return definition_of(f"---\n{head}\n---\n\n{body}\n", "stem", origin)


def has(found: ReadDefinition, *names: str) -> list[bool]:
    return [has_tool(profile_of(found.definition), name) for name in names]


def test_every_key_counts() -> None:
    found = read(
        "name: finder\n"
        "description: Finds\n"
        "mode: subagent\n"
        "tools: [read, 'g*']\n"
        "disallowed_tools: grep\n"
        "read_only: true\n"
        "permission:\n  bash:\n    'git *': allow\n    '*': deny\n  write: deny\n"
        "approval_mode: plan\n"
        "model: sonnet\n"
        "max_turns: 7\n"
        "time_limit_s: 2.5\n"
        "subagents: explore, general\n"
        "delegates: [bash]\n"
        "interactive: true\n"
    )
    definition = found.definition

    assert (definition.name, definition.description, definition.prompt) == (
        "finder",
        "Finds",
        "Do it.",
    )
    assert has(found, "read", "glob", "grep", "write") == [True, True, False, False]
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
    assert found.ignored == ()


def test_a_file_without_keys_is_named_after_itself_and_has_every_tool() -> None:
    found = read("")
    assert found.definition.name == "stem"
    assert has(found, "bash", "anything") == [True, True]


def test_tools_of_other_programs_are_known_by_their_names() -> None:
    claude = read("tools: Read, Grep, Bash(git *), TodoWrite, WebFetch, Task", FOREIGN)
    assert has(claude, "read", "grep", "bash", "todo_write", "task") == [True] * 5
    assert has(claude, "write", "webfetch", "glob") == [False] * 3
    qwen = read("tools:\n  - read_file\n  - run_shell_command\n  - search_file_content", FOREIGN)
    assert has(qwen, "read", "bash", "grep", "write") == [True, True, True, False]
    chosen = read("tools:\n  write: false\n  read: true", FOREIGN)
    assert has(chosen, "read", "write", "bash") == [True, False, False]


@pytest.mark.parametrize("tools", ["WebFetch, mcp", "[]", "''", "['']", "{}"])
def test_a_list_of_nothing_that_is_known_is_no_tools_and_never_all(tools: str) -> None:
    found = read(f"tools: {tools}", FOREIGN)
    assert has(found, "read", "bash", "write", "task") == [False] * 4


@pytest.mark.parametrize(
    ("key", "said", "mode"),
    [
        ("approvalMode", "auto-edit", "auto-edit"),
        ("approval_mode", "bubble", "default"),
        ("permissionMode", "acceptEdits", "auto-edit"),
        ("permissionMode", "plan", "plan"),
        ("permissionMode", "dontAsk", "default"),
        ("permissionMode", "bypassPermissions", "yolo"),
    ],
)
def test_modes_of_other_programs_are_understood(key: str, said: str, mode: str) -> None:
    assert read(f"{key}: {said}", FOREIGN).definition.permission_mode == mode


def test_approval_mode_counts_more_than_permission_mode() -> None:
    found = read("permissionMode: bypassPermissions\napproval_mode: plan", FOREIGN)
    assert found.definition.permission_mode == "plan"


def test_unknown_keys_and_wrong_values_of_a_foreign_file_are_left_out_and_told() -> None:
    found = read("color: red\nhooks: {a: 1}\nmaxTurns: many\npermissionMode: odd", FOREIGN)
    assert [each.split(" ")[0] for each in found.ignored] == [
        "approval_mode",
        "max_turns",
        "color",
        "hooks",
    ]


def test_a_colon_in_a_description_is_no_fault() -> None:
    found = read("name: a\ndescription: Use this: it finds", FOREIGN)
    assert found.definition.description == "Use this: it finds"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("no fence", "a.md:1: it does not begin with a line ---"),
        ("---\nname: a\n", "a.md:1: no second line ---"),
        ("---\nname: a\nmax_turns: 0\n---\n", "a.md:3: max_turns must be a whole number"),
        ("---\nmode: chief\n---\n", "a.md:2: mode must be primary, subagent, all"),
        ("---\npermission: {bash: maybe}\n---\n", "a.md:2: permission of bash must be allow"),
        ("---\nname: '!'\n---\n", "a.md:2: its name has no letters"),
        ("---\nname: a\n  b: : [\n---\n", "a.md:3:"),
    ],
)
def test_a_broken_file_of_ours_is_told_with_its_line(text: str, told: str) -> None:
    with pytest.raises(DefinitionError, match=r"a\.md") as raised:
        definition_of(text, "stem", OWN)
    assert told in str(raised.value)


def test_a_project_hands_on_no_tools_and_never_allows() -> None:
    found = read("delegates: [bash]", PROJECT)
    assert found.definition.delegates == ()
    assert found.definition.of_project
    assert found.ignored == ("delegates (never taken from a project)",)


def test_a_name_is_folded_and_that_is_shown(tmp_path: Path) -> None:
    found = agents(tmp_path, {".greenroom/agents/x.md": "---\nname: Code Reviewer!\n---\nGo"})
    assert "code-reviewer" in as_text(found)
    assert "its file names it 'Code Reviewer!'" in as_text(found)


def agents(root: Path, files: dict[str, str], *, trusted: bool = True) -> FoundAgents:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return find_agents(root / "user", Workspace(root, root), trusted=trusted)


def test_of_two_files_with_one_name_the_projects_own_counts_and_a_broken_one_is_skipped(
    tmp_path: Path,
) -> None:
    found = agents(
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
    assert [each.prompt for each in found.definitions if each.name == "a"] == ["ours"]
    assert len(found.problems) == 2
    objects = as_objects(found)
    assert len(str(objects["hidden"]).split(",")) == 3
    assert found.definitions[: len(BUILT_IN)] == BUILT_IN


def test_before_trust_a_projects_definitions_are_only_data(tmp_path: Path) -> None:
    found = agents(tmp_path, {".claude/agents/a.md": "---\nname: a\n---\nx"}, trusted=False)
    assert found == FoundAgents()


def test_a_link_that_leads_out_of_the_workspace_does_not_count(tmp_path: Path) -> None:
    root = tmp_path / "work"
    (root / ".greenroom/agents").mkdir(parents=True)
    (tmp_path / "outside.md").write_text("---\nname: a\n---\nx")
    (root / ".greenroom/agents/a.md").symlink_to(tmp_path / "outside.md")
    found = find_agents(tmp_path / "user", Workspace(root, root), trusted=True)
    assert len(found.problems) == 1
    assert "leads out" in found.problems[0]
