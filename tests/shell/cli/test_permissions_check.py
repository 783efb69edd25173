"""`greenroom permissions check` explains a decision, runs nothing and starts quickly."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from shell.cli.arguments import parse_command_line
from shell.cli.permissions_check import run_permissions_check
from shell.startup.errors import StartError
from shell.startup.options import CheckOptions
from tests.actors.bash.case_format import CommandCase
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
    environment = {
        "GREENROOM_HOME": str(home or workspace.parent / "home"),
        "GREENROOM_SANDBOX": "off",
    }
    assert run_permissions_check(parse_options("check", *words), environment, workspace) == 0
    return capfd.readouterr().out


def check_error(workspace: Path, *words: str) -> str:
    environment = {"GREENROOM_HOME": str(workspace.parent / "home")}
    with pytest.raises(StartError) as caught:
        run_permissions_check(parse_options(*words), environment, workspace)
    return str(caught.value)


def run_batch(
    workspace: Path, capfd: pytest.CaptureFixture[str], batch: Path
) -> list[dict[str, object]]:
    output = check_output(workspace, capfd, "--batch", str(batch))
    return [json.loads(line) for line in output.splitlines()]


def call_arguments(tool: str, target: str) -> tuple[str, ...]:
    return ("--tool", tool, "--target", target)


def rules_arguments(workspace: Path, *rules: dict[str, str]) -> tuple[str, ...]:
    path = workspace.parent / "rules.json"
    path.write_text(json.dumps(rules))
    return ("--rules", str(path))


def test_the_text_shows_the_decision_and_every_part(
    workspace: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert check_output(
        workspace, capfd, *call_arguments("bash", "ls src && rm x")
    ).splitlines() == [
        "ask: it is not allowed by any rule",
        "  allow bash ls src · the command is read-only (built-in default)",
        "  ask   bash rm x · it is not allowed by any rule",
    ]


def test_the_json_names_rule_source_and_grants(
    workspace: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    home = workspace.parent / "home"
    home.mkdir()
    config = home / "config.toml"
    config.write_text(
        '[[rules]]\npermission = "bash"\npattern = "make *"\naction = "ask"\n',
    )

    result = json.loads(
        check_output(workspace, capfd, *call_arguments("bash", "make"), "--json", home=home)
    )

    reason = f'the rule "ask bash make *" applies (user rules, {config})'
    assert result == {
        "decision": "ask",
        "reason": reason,
        "rule": {"permission": "bash", "pattern": "make *", "action": "ask"},
        "source": f"user rules, {config}",
        "policy_version": 1,
        "grants": [{"permission": "bash", "pattern": "make", "action": "allow"}],
        "parts": [
            {
                "permission": "bash",
                "target": "make",
                "decision": "ask",
                "reason": reason,
            }
        ],
    }


def test_rules_that_match_nothing_are_reported_on_standard_error(
    workspace: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    home = workspace.parent / "home"
    (home / "agents").mkdir(parents=True)
    (home / "agents" / "reader.md").write_text("---\npermission:\n  read: {src: deny}\n---\nx")
    config = home / "config.toml"
    config.write_text('[[rules]]\npermission = "bash"\npattern = "rm  *"\naction = "deny"\n')
    rules = workspace.parent / "rules.json"
    rules.write_text('[{"permission": "read", "pattern": "a?", "action": "deny"}]')
    environment = {"GREENROOM_HOME": str(home), "GREENROOM_SANDBOX": "off"}
    call = ("check", *call_arguments("read", "a"))

    run_permissions_check(parse_options(*call, "--agent", "reader"), environment, workspace)
    run_permissions_check(parse_options(*call, "--rules", str(rules)), environment, workspace)

    bash_warning, read_warning, rules_warning = capfd.readouterr().err.splitlines()
    assert bash_warning.startswith(
        f"greenroom: {config}:1: rules[1]: deny bash rm  *: commands are"
    )
    assert bash_warning.endswith("; write rm *")
    assert read_warning.startswith(f"greenroom: {home}/agents/reader.md: deny read src: ")
    assert rules_warning == f"greenroom: {rules}: rule 1: deny read a?: only * is special; write a*"


def test_each_part_of_a_decision_is_printed_once(
    workspace: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    home = workspace.parent / "home"
    home.mkdir()
    (home / "config.toml").write_text(
        '[[rules]]\npermission = "read"\npattern = "~/.ssh/*"\naction = "deny"\n'
    )
    output = check_output(workspace, capfd, *call_arguments("bash", "cat ~/.ssh/id_rsa"))
    lines = output.splitlines()
    assert sum("deny  read " in line for line in lines) == 1


def test_mode_agent_and_workspace_options_change_the_decision(
    workspace: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    write = call_arguments("write", "a.py")

    assert check_output(workspace, capfd, *write).startswith("ask")
    assert check_output(workspace, capfd, *write, "--mode", "auto-edit").startswith("allow")
    assert check_output(workspace, capfd, *write, "--mode", "plan").startswith("deny")
    read = call_arguments("read", str(workspace / "src" / "a"))
    assert check_output(workspace, capfd, *read, "--workspace", "src").startswith("allow")
    assert check_output(workspace / "src", capfd, *read, "--workspace", ".").startswith("allow")
    outside = call_arguments("read", str(workspace / "a"))
    assert check_output(workspace, capfd, *outside, "--workspace", "src").startswith("ask")


def test_a_subagent_is_checked_below_its_ancestors(
    workspace: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    home = workspace.parent / "home"
    (home / "agents").mkdir(parents=True)
    (home / "agents" / "toucher.md").write_text(
        "---\nmode: subagent\npermission:\n  bash: {'touch *': allow}\n---\nx"
    )
    (home / "agents" / "strict.md").write_text("---\npermission:\n  bash: ask\n---\nx")
    (home / "agents" / "reader.md").write_text("---\nread_only: true\nmode: subagent\n---\nx")
    (home / "config.toml").write_text(
        '[[rules]]\npermission = "bash"\npattern = "chmod *"\naction = "deny"\nagent = "build"\n'
    )

    def decide(target: str, *words: str) -> str:
        output = check_output(workspace, capfd, *call_arguments("bash", target), *words, home=home)
        return output.split(":")[0]

    assert decide("touch x", "--agent", "toucher") == "allow"
    assert decide("touch x", "--agent", "toucher", "--under", "general") == "allow"
    assert decide("touch x", "--agent", "toucher", "--under", "strict") == "ask"
    assert decide("touch x", "--agent", "toucher", "--under", "reader") == "deny"
    assert decide("touch x", "--agent", "toucher", "--under", "plan") == "ask"
    assert decide("chmod +x a", "--agent", "toucher") == "deny"
    assert decide("touch x") == "ask"
    (home / "config.toml").write_text('agent = "strict"\n')
    assert decide("touch x", "--agent", "toucher") == "ask"
    words = ("check", *call_arguments("bash", "x"), "--agent", "toucher", "--under", "missing")
    assert "--under: there is no agent missing" in check_error(workspace, *words)
    words = ("check", *call_arguments("bash", "x"), "--agent", "missing")
    expected = "--agent: there is no agent missing; choose one of build, plan, "
    assert expected in check_error(workspace, *words)


def test_a_named_agent_is_limited_by_its_definition(
    workspace: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    home = workspace.parent / "home"
    (home / "agents").mkdir(parents=True)
    (home / "agents" / "reader.md").write_text("---\ntools: read\npermission:\n  read: ask\n---\nx")
    (home / "config.toml").write_text(
        '[[rules]]\npermission = "bash"\npattern = "*"\naction = "allow"\n'
    )

    def decide(agent: str, tool: str, target: str) -> str:
        words = (*call_arguments(tool, target), "--agent", agent)
        return check_output(workspace, capfd, *words, home=home).partition(":")[0]

    assert decide("explore", "bash", "rm a") == "deny"
    assert decide("explore", "bash", "ls src") == "allow"
    assert decide("explore", "write", "a") == "deny"
    assert decide("plan", "write", "a") == "deny"
    assert decide("plan", "write", ".greenroom/plans/a.md") == "allow"
    assert decide("plan", "bash", "ls src") == "allow"
    assert decide("reader", "bash", "ls") == "deny"
    assert decide("reader", "read", "src/a") == "ask"
    assert decide("build", "bash", "rm a") == "allow"


def test_a_rules_file_replaces_defaults_but_not_minimum_asks(
    workspace: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    only_rules = rules_arguments(
        workspace,
        {"permission": "bash", "pattern": "*", "action": "allow"},
        {"permission": "write", "pattern": ".git/*", "action": "allow"},
        {"permission": "bash", "pattern": "rm *", "action": "deny"},
    )

    def decide(tool: str, target: str) -> str:
        return check_output(workspace, capfd, *call_arguments(tool, target), *only_rules).partition(
            ":"
        )[0]

    assert decide("bash", "make all") == "allow"
    assert decide("bash", "make all; rm x") == "deny"
    assert decide("bash", "sudo make") == "ask"
    assert decide("write", ".git/hooks/pre-commit") == "allow"
    assert decide("read", "a.py") == "ask"


def test_each_line_of_a_batch_gets_one_decision(
    workspace: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    allow = [{"permission": "bash", "pattern": "git *", "action": "allow"}]
    cases: list[dict[str, object]] = [
        {"id": "1", "tool": "bash", "target": "git push", "rules": allow},
        {"id": "2", "tool": "bash", "target": "git push", "rules": []},
        {"id": "3", "tool": "read", "target": "src/a.py"},
    ]
    batch = workspace.parent / "cases.jsonl"
    batch.write_text("".join(f"{json.dumps(case)}\n" for case in cases))

    assert run_batch(workspace, capfd, batch) == [
        {
            "id": "1",
            "decision": "allow",
            "reason": 'the rule "allow bash git *" applies (rules)',
        },
        {"id": "2", "decision": "ask", "reason": "it is not allowed by any rule"},
        {
            "id": "3",
            "decision": "allow",
            "reason": 'the rule "allow read *" applies (built-in default)',
        },
    ]


def to_batch_line(number: int, case: CommandCase) -> str:
    rules = [
        {"permission": rule.permission, "pattern": rule.pattern, "action": rule.action}
        for rule in case.rules
    ]
    line = {"id": str(number), "tool": "bash", "target": case.command}
    return json.dumps({**line, "rules": rules} if rules else line)


def test_a_batch_decides_every_case_of_the_command_tables(
    workspace: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    read_only = [case for case in READ_ONLY if not case.command.lstrip("(").startswith("git ")]
    assert len(read_only) >= 60
    cases = [*(case for case in CASES if "\0" not in case.command), *read_only]
    batch = workspace.parent / "tables.jsonl"
    batch.write_text(
        "".join(f"{to_batch_line(*numbered_case)}\n" for numbered_case in enumerate(cases))
    )

    results = run_batch(workspace, capfd, batch)

    assert [result["id"] for result in results] == [str(number) for number in range(len(cases))]
    differences = [
        f"{case.command[:200]!r}: {result['decision']}, not {case.expected}"
        for case, result in zip(cases, results, strict=True)
        if result["decision"] != case.expected
    ]
    assert differences == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("list",), "argument check: invalid choice: 'list'"),
        (("check",), "permissions check takes either --tool and --target, or --batch"),
        (
            ("check", *call_arguments("bash", "ls"), "--batch", "x"),
            "check takes either --tool and --target, or",
        ),
        (("check", *call_arguments("reed", "a")), "unknown tool 'reed'; known: bash, edit"),
        (("check", *call_arguments("read", "a"), "--mode", "mad"), "invalid choice: 'mad'"),
        (
            ("check", *call_arguments("read", "a"), "--workspace", "gone"),
            "--workspace gone: No such file",
        ),
        (("check", *call_arguments("read", "a"), "--rules", "gone"), "gone: No such file"),
        (("check", "--batch", "gone"), "gone: No such file"),
    ],
)
def test_invalid_options_are_reported(
    workspace: Path, words: tuple[str, ...], message: str
) -> None:
    assert message in check_error(workspace, *words)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "rules.json: not valid JSON"),
        ("{}", "rules.json: expected a list of rules"),
        (
            '[{"permission": "read"}]',
            "rules.json: rule 1: expected strings permission, pattern, action",
        ),
        (
            '[{"permission": "reed", "pattern": "*", "action": "ask"}]',
            "rules.json: rule 1: unknown permission 'reed'",
        ),
    ],
)
def test_an_error_in_a_rules_file_names_the_location(
    workspace: Path, text: str, message: str
) -> None:
    (workspace.parent / "rules.json").write_text(text)
    file = str(workspace.parent / "rules.json")

    assert message in check_error(workspace, "check", *call_arguments("read", "a"), "--rules", file)


@pytest.mark.parametrize(
    ("line", "line_id", "message"),
    [
        (
            b'{"id": 1, "tool": "bash"}',
            1,
            ":1: expected id, tool, target, and optionally rules; target is missing",
        ),
        (b'{"id": 1, "tool": "bash", "target": 7}', 1, ":1: target must be a string"),
        (
            b'{"id": 1, "tool": "bash", "target": "a", "rule": []}',
            1,
            ":1: unknown key 'rule'; expected id",
        ),
        (b'{"id": 1', None, ":1: not valid JSON: Expecting ',' delimiter at column 9"),
        (b'{"id": 1, "tool": "reed", "target": "a"}', 1, ":1: unknown tool 'reed'"),
        (b'{"id": "x", "tool": "bash", "target": "a", "rules": 1}', "x", ":1: expected a list"),
        (
            b'{"tool": "bash", "target": "ls"}',
            None,
            ":1: expected id, tool, target, and optionally rules; id is missing",
        ),
        (b'{"id": NaN, "tool": "bash"}', None, ":1: not valid JSON: NaN is not a JSON number"),
        (b'{"id": 1, "tool": "bash", "target": "\xff"}', None, ":1: not valid UTF-8"),
        (b"[]", None, ":1: expected id, tool, target"),
        (b"[" * 100_000, None, ":1: not valid JSON"),
    ],
)
def test_a_batch_line_with_an_error_does_not_affect_others(
    workspace: Path,
    capfd: pytest.CaptureFixture[str],
    line: bytes,
    line_id: object,
    message: str,
) -> None:
    batch = workspace.parent / "batch.jsonl"
    batch.write_bytes(line + b'\n\n{"id": "last", "tool": "bash", "target": "ls"}\n')

    failed, evaluated = run_batch(workspace, capfd, batch)

    assert failed.keys() == {"id", "error"}
    assert failed["id"] == line_id
    assert str(failed["error"]).startswith(f"{batch}{message}")
    assert (evaluated["id"], evaluated["decision"]) == ("last", "allow")


@pytest.mark.parametrize("option", ["--batch", "--rules"])
def test_a_file_that_never_ends_is_rejected(workspace: Path, option: str) -> None:
    words = () if option == "--batch" else call_arguments("read", "a")
    limit = "1024 MiB" if option == "--batch" else "16 MiB"
    assert f"longer than {limit}" in check_error(workspace, "check", *words, option, "/dev/zero")


def test_a_batch_continues_after_a_line_that_is_too_long(
    workspace: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    batch = workspace.parent / "batch.jsonl"
    call = b'{"id": "x", "tool": "bash", "target": "ls"}\n'
    batch.write_bytes(call + b"\0" * 40_000_000 + b"\n" + call)

    first, failed, last = run_batch(workspace, capfd, batch)
    assert failed == {"id": None, "error": f"{batch}:2: longer than 16 MiB"}
    assert first == last
    assert first["decision"] == "allow"


def test_a_batch_prints_results_before_it_is_read_completely(
    workspace: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    batch = workspace.parent / "batch.jsonl"
    os.mkfifo(batch)
    script = (
        """exec > "$0"; echo '{"id": "first", "tool": "bash", "target": "ls"}'; cat /dev/zero"""
    )
    with subprocess.Popen(["bash", "-c", script, str(batch)]):  # ends when its reader does
        message = check_error(workspace, "check", "--batch", str(batch))
    assert message == f"{batch}:2: longer than 1024 MiB"
    first, failed = map(json.loads, capfd.readouterr().out.splitlines())
    assert first["id"] == "first"
    assert failed["error"] == f"{batch}:2: longer than 16 MiB"


def test_an_invalid_user_rule_names_file_and_line(workspace: Path) -> None:
    home = workspace.parent / "home"
    home.mkdir()
    (home / "config.toml").write_text(
        'model = "m"\n\n[[rules]]\npermission = "reed"\npattern = "*"\naction = "ask"\n'
    )

    message = check_error(workspace, "check", *call_arguments("read", "a"))
    assert message.startswith(f"{home / 'config.toml'}:4: rules[1]")
    assert "unknown permission 'reed'" in message


def test_the_command_loads_no_module_that_actors_need(workspace: Path) -> None:
    program = (
        "import sys; from shell.main import run; status = run(sys.argv[1:]); "
        f"print([name for name in {SLOW_IMPORTS!r} if name in sys.modules], file=sys.stderr)"
    )
    process = subprocess.run(
        [
            sys.executable,
            "-c",
            program,
            "permissions",
            "check",
            *call_arguments("bash", "cat a | head"),
        ],
        cwd=workspace,
        env={
            "GREENROOM_HOME": str(workspace / "home"),
            "GREENROOM_SANDBOX": "off",
            "PYTHONPATH": ":".join(sys.path),
        },
        capture_output=True,
        text=True,
        check=True,
        timeout=20,
    )
    assert process.stdout.startswith("allow: ")
    assert process.stderr == "[]\n"
