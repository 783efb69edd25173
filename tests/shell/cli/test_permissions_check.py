"""`greenroom permissions check`: a verdict explained, nothing run, nothing heavy loaded."""

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from shell.cli.arguments import CheckOptions, StartError, parse_command_line
from shell.cli.permissions_check import run_permissions_check
from tests.actors.bash.command_case import CommandCase
from tests.actors.bash.command_cases import CASES
from tests.actors.bash.read_only_cases import READ_ONLY

SLOW_IMPORTS = (
    "pykka",
    "asyncio",
    "anthropic",
    "pydantic",
    "messages.serialization",
    "messages.permissions",
)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "work"
    (folder / "src").mkdir(parents=True)
    return folder


def parse_options(*words: str) -> CheckOptions:
    options = parse_command_line(["permissions", *words])
    assert isinstance(options, CheckOptions)
    return options


def check_output(
    workspace: Path, capfd: pytest.CaptureFixture[str], *words: str, home: Path | None = None
) -> str:
    environment = {"GREENROOM_HOME": str(home or workspace.parent / "home")}
    assert run_permissions_check(parse_options("check", *words), environment, workspace) == 0
    return capfd.readouterr().out


def check_error(workspace: Path, *words: str) -> str:
    environment = {"GREENROOM_HOME": str(workspace.parent / "home")}
    with pytest.raises(StartError) as caught:
        run_permissions_check(parse_options(*words), environment, workspace)
    return str(caught.value)


def call_arguments(tool: str, target: str) -> tuple[str, ...]:
    return ("--tool", tool, "--target", target)


def rules_arguments(workspace: Path, *each: dict[str, str]) -> tuple[str, ...]:
    path = workspace.parent / "rules.json"
    path.write_text(json.dumps(each))
    return ("--rules", str(path))


def test_it_tells_the_verdict_and_every_part(
    workspace: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert check_output(
        workspace, capfd, *call_arguments("bash", "ls src && rm x")
    ).splitlines() == [
        "ask: bash asks unless it is allowed (built-in default)",
        "  allow bash ls src · harmless command (built-in default)",
        "  ask   bash rm x · bash asks unless it is allowed (built-in default)",
    ]


def test_as_json_it_names_rule_source_and_grants(
    workspace: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    home = workspace.parent / "home"
    home.mkdir()
    config = home / "config.toml"
    config.write_text(
        '[[rules]]\npermission = "bash"\npattern = "make *"\naction = "ask"\n',
    )

    told = json.loads(
        check_output(workspace, capfd, *call_arguments("bash", "make"), "--json", home=home)
    )

    assert told == {
        "decision": "ask",
        "reason": f"ask bash make * (user rules, {config})",
        "rule": {"permission": "bash", "pattern": "make *", "action": "ask"},
        "source": f"user rules, {config}",
        "generation": 1,
        "grants": [{"permission": "bash", "pattern": "make", "action": "allow"}],
        "parts": [
            {
                "permission": "bash",
                "target": "make",
                "decision": "ask",
                "reason": f"ask bash make * (user rules, {config})",
            }
        ],
    }


def test_modes_agents_and_other_workspaces_can_be_tried(
    workspace: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    write = call_arguments("write", "a.py")

    assert check_output(workspace, capfd, *write).startswith("ask")
    assert check_output(workspace, capfd, *write, "--mode", "auto-edit").startswith("allow")
    assert check_output(workspace, capfd, *write, "--mode", "plan").startswith("deny")
    assert check_output(workspace, capfd, *write, "--agent", "somebody").startswith("ask")
    read = call_arguments("read", str(workspace / "src" / "a"))
    assert check_output(workspace, capfd, *read, "--workspace", "src").startswith("allow")
    assert check_output(workspace / "src", capfd, *read, "--workspace", ".").startswith("allow")
    above = call_arguments("read", str(workspace / "a"))
    assert check_output(workspace, capfd, *above, "--workspace", "src").startswith("ask")


def test_an_agent_that_is_named_is_held_to_its_definition(
    workspace: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    home = workspace.parent / "home"
    (home / "agents").mkdir(parents=True)
    (home / "agents" / "looker.md").write_text("---\ntools: read\npermission:\n  read: ask\n---\nx")
    (home / "config.toml").write_text(
        '[[rules]]\npermission = "bash"\npattern = "*"\naction = "allow"\n'
    )

    def verdict(agent: str, tool: str, target: str) -> str:
        words = (*call_arguments(tool, target), "--agent", agent)
        return check_output(workspace, capfd, *words, home=home).partition(":")[0]

    assert verdict("explore", "bash", "rm a") == "deny"
    assert verdict("explore", "bash", "ls src") == "allow"
    assert verdict("explore", "write", "a") == "deny"
    assert verdict("plan", "write", "a") == "deny"
    assert verdict("plan", "write", ".greenroom/plans/a.md") == "allow"
    assert verdict("plan", "bash", "ls src") == "allow"
    assert verdict("looker", "bash", "ls") == "deny"
    assert verdict("looker", "read", "src/a") == "ask"
    assert verdict("build", "bash", "rm a") == "allow"


def test_rules_alone_are_one_source_without_defaults_and_with_floors(
    workspace: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    alone = rules_arguments(
        workspace,
        {"permission": "bash", "pattern": "*", "action": "allow"},
        {"permission": "write", "pattern": ".git/*", "action": "allow"},
        {"permission": "bash", "pattern": "rm *", "action": "deny"},
    )

    def verdict(tool: str, target: str) -> str:
        return check_output(workspace, capfd, *call_arguments(tool, target), *alone).partition(":")[
            0
        ]

    assert verdict("bash", "make all") == "allow"
    assert verdict("bash", "make all; rm x") == "deny"
    assert verdict("bash", "sudo make") == "ask"
    assert verdict("write", ".git/hooks/pre-commit") == "allow"
    assert verdict("read", "a.py") == "ask"


def test_a_batch_is_judged_line_by_line(workspace: Path, capfd: pytest.CaptureFixture[str]) -> None:
    allow = [{"permission": "bash", "pattern": "git *", "action": "allow"}]
    cases: list[dict[str, object]] = [
        {"id": "1", "tool": "bash", "target": "git push", "rules": allow},
        {"id": "2", "tool": "bash", "target": "git push", "rules": []},
        {"id": "3", "tool": "read", "target": "src/a.py"},
    ]
    batch = workspace.parent / "cases.jsonl"
    batch.write_text("".join(f"{json.dumps(case)}\n" for case in cases))

    told = check_output(workspace, capfd, "--batch", str(batch)).splitlines()

    assert [json.loads(line) for line in told] == [
        {"id": "1", "decision": "allow", "reason": "allow bash git * (rules)"},
        {
            "id": "2",
            "decision": "ask",
            "reason": "bash asks unless it is allowed (no rule speaks of it)",
        },
        {"id": "3", "decision": "allow", "reason": "allow read * (built-in default)"},
    ]


def to_batch_line(number: int, case: CommandCase) -> str:
    rules = [{**asdict(each)} for each in case.rules]
    for each in rules:
        del each["agent"]
    told = {"id": str(number), "tool": "bash", "target": case.command}
    return json.dumps({**told, "rules": rules} if rules else told)


def test_the_public_tables_come_out_the_same_in_one_process(
    workspace: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    quiet = [case for case in READ_ONLY if not case.command.lstrip("(").startswith("git ")]
    assert len(quiet) >= 60
    cases = [*(case for case in CASES if "\0" not in case.command), *quiet]
    batch = workspace.parent / "tables.jsonl"
    batch.write_text("".join(f"{to_batch_line(*each)}\n" for each in enumerate(cases)))

    told = [
        json.loads(each)
        for each in check_output(workspace, capfd, "--batch", str(batch)).splitlines()
    ]

    assert [each["id"] for each in told] == [str(number) for number in range(len(cases))]
    surprises = [
        f"{case.command[:200]!r}: {came['verdict']}, not {case.expected}"
        for case, came in zip(cases, told, strict=True)
        if came["decision"] != case.expected
    ]
    assert surprises == []


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("list",), "argument check: invalid choice: 'list'"),
        (("check",), "permissions check takes --tool and --target, or --batch"),
        (
            ("check", *call_arguments("bash", "ls"), "--batch", "x"),
            "check takes --tool and --target, or",
        ),
        (("check", *call_arguments("reed", "a")), "there is no tool 'reed'; known: bash, edit"),
        (("check", *call_arguments("read", "a"), "--mode", "mad"), "invalid choice: 'mad'"),
        (
            ("check", *call_arguments("read", "a"), "--workspace", "gone"),
            "--workspace gone: No such file",
        ),
        (("check", *call_arguments("read", "a"), "--rules", "gone"), "gone: No such file"),
        (("check", "--batch", "gone"), "gone: No such file"),
    ],
)
def test_what_is_wrong_is_told(workspace: Path, words: tuple[str, ...], says: str) -> None:
    assert says in check_error(workspace, *words)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "rules.json: not valid JSON"),
        ("{}", "rules.json: must be a list of rules"),
        ('[{"permission": "read"}]', "rules.json: rule 1: has permission, pattern and action"),
        (
            '[{"permission": "reed", "pattern": "*", "action": "ask"}]',
            "rules.json: rule 1: there is no permission 'reed'",
        ),
    ],
)
def test_a_wrong_rules_file_says_where(workspace: Path, text: str, says: str) -> None:
    (workspace.parent / "rules.json").write_text(text)
    file = str(workspace.parent / "rules.json")

    assert says in check_error(workspace, "check", *call_arguments("read", "a"), "--rules", file)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b'{"id": 1, "tool": "bash"}', ":1: has id, tool and target, perhaps rules"),
        (b'\n{"id": 1, "tool": "reed", "target": "a"}', ":2: there is no tool 'reed'"),
        (b'{"id": NaN, "tool": "bash", "target": "ls"}', ":1: not valid JSON: NaN is no number"),
        (b'{"id": 1, "tool": "bash", "target": "\xff"}', ":1: not valid UTF-8"),
        (b"[" * 100_000, ":1: not valid JSON"),
        (b"\0" * 17_000_000, ":1: longer than 16 MiB"),
    ],
)
def test_a_wrong_batch_says_where(workspace: Path, data: bytes, says: str) -> None:
    batch = workspace.parent / "batch.jsonl"
    batch.write_bytes(data)

    assert check_error(workspace, "check", "--batch", str(batch)).startswith(f"{batch}{says}")


@pytest.mark.parametrize("option", ["--batch", "--rules"])
def test_what_never_ends_is_not_read_for_ever(workspace: Path, option: str) -> None:
    words = () if option == "--batch" else call_arguments("read", "a")
    assert "longer than 16 MiB" in check_error(workspace, "check", *words, option, "/dev/zero")


def test_a_batch_is_answered_while_it_is_still_written(
    workspace: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    batch = workspace.parent / "batch.jsonl"
    batch.write_text('{"id": "first", "tool": "bash", "target": "ls"}\nno JSON\n')

    assert check_error(workspace, "check", "--batch", str(batch)).startswith(
        f"{batch}:2: not valid JSON"
    )
    assert json.loads(capfd.readouterr().out)["id"] == "first"


def test_a_wrong_rule_of_the_user_names_file_and_line(workspace: Path) -> None:
    home = workspace.parent / "home"
    home.mkdir()
    (home / "config.toml").write_text(
        'model = "m"\n\n[[rules]]\npermission = "reed"\npattern = "*"\naction = "ask"\n'
    )

    said = check_error(workspace, "check", *call_arguments("read", "a"))
    assert said.startswith(f"{home / 'config.toml'}:4: rules[1]")
    assert "there is no permission 'reed'" in said


def test_nothing_is_loaded_that_an_actor_needs(workspace: Path) -> None:
    program = (
        "import sys; from shell.main import run; status = run(sys.argv[1:]); "
        f"print([name for name in {SLOW_IMPORTS!r} if name in sys.modules], file=sys.stderr)"
    )
    ran = subprocess.run(
        [
            sys.executable,
            "-c",
            program,
            "permissions",
            "check",
            *call_arguments("bash", "cat a | head"),
        ],
        cwd=workspace,
        env={"GREENROOM_HOME": str(workspace / "home"), "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
        timeout=20,
    )
    assert ran.stdout.startswith("allow: ")
    assert ran.stderr == "[]\n"
