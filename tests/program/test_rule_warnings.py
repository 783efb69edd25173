"""A deny rule either applies or is reported, at start and by `permissions check` alike."""

from pathlib import Path

import pytest

from shell.cli.permissions_check import run_permissions_check
from shell.startup.options import CheckOptions
from tests.program.program_harness import Program
from tests.scripted_server import respond_text

PATH_PATTERNS = (
    *("secrets", "secrets/", "/secrets/*", "secrets/?", "[s]ecrets/a", "{secrets,x}/*"),
    *("secrets\\*", "C:\\secrets\\*", "^secrets/.*$", "secrets/.*", "!secrets/*", " secrets/*"),
    *("secrets/* ", "secrets/*\n", "secrets//a", "secrets/./a", "src/../secrets/*"),
    *("../repository/secrets/*", "link/*", "'secrets/*'", '"secrets/*"', "read(secrets/*)"),
    *("file:secrets/*", "file://secrets/*", "Secrets/*", "SECRETS/a", "./secrets/*", "secrets/**"),
    *("$PWD/secrets/*", "${HOME}/secrets/*", "~/../*/secrets/*", "~other/secrets/*"),
    *("**/secrets/*", "*/secrets/a", "secrets/a|x", "secrets/a ", "secrets/[a-z]", "*//secrets//a"),
)
COMMAND_PATTERNS = (
    *("rm:*", "rm *", "^rm .*", "rm .*", "/bin/rm *", " rm *", "rm  *", "rm * ", "'rm' *"),
    *('"rm" *', 'rm "x"', "rm 'x'", "curl * | sh; rm x", "* && rm *", "* > *", "rm * &", "rm x;"),
    *("FOO=* rm *", "rm\t*", "bash(rm *)", "Bash(rm:*)", "(rm *)", "! rm *", "rm \\x", "rm x # y"),
    *("rm [x]", "rm ?", "rm {x,y}", "\\brm\\b.*", "rm x$", "* || rm *", "$(rm *)", "`rm *`"),
)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path.resolve() / "user"))
    folder = tmp_path.resolve() / "repository"
    (folder / "secrets").mkdir(parents=True)
    (folder / "src").mkdir()
    (folder / "secrets" / "a").touch()
    (folder / "link").symlink_to("secrets")
    return folder


def quote(text: str) -> str:
    """Return a TOML string."""
    return f"'''{text}'''" if "\n" not in text else '"' + text.replace("\n", "\\n") + '"'


def is_denied_or_reported(
    repository: Path, capfd: pytest.CaptureFixture[str], tool: str, target: str, pattern: str
) -> bool:
    """Whether a deny rule with this pattern either applies or is reported, but not both."""
    config = repository.parent / "home" / "config.toml"
    config.parent.mkdir()
    config.write_text(
        f"[[rules]]\npermission = '{tool}'\npattern = {quote(pattern)}\naction = 'deny'\n"
    )
    options = CheckOptions(tool=tool, target=target)
    run_permissions_check(options, {"GREENROOM_HOME": str(config.parent)}, repository)
    output, errors = capfd.readouterr()
    warnings = errors.splitlines()
    for warning in warnings:
        assert warning.startswith(f"greenroom: {config}:1: rules[1]: deny {tool} ")
    return len(warnings) == (0 if output.startswith("deny: ") else 1)


@pytest.mark.parametrize("pattern", PATH_PATTERNS)
def test_a_deny_on_a_path_applies_or_is_reported(
    repository: Path, capfd: pytest.CaptureFixture[str], pattern: str
) -> None:
    assert is_denied_or_reported(repository, capfd, "read", "secrets/a", pattern)


@pytest.mark.parametrize("pattern", COMMAND_PATTERNS)
def test_a_deny_on_a_command_applies_or_is_reported(
    repository: Path, capfd: pytest.CaptureFixture[str], pattern: str
) -> None:
    assert is_denied_or_reported(repository, capfd, "bash", "rm x", pattern)


def test_warnings_about_rules_are_printed_at_the_start(program: Program) -> None:
    config = program.state_folder / "config.toml"
    config.parent.mkdir(exist_ok=True)
    config.write_text("[[rules]]\npermission = 'bash'\npattern = 'rm  *'\naction = 'deny'\n")
    with program.serve(respond_text("Yes.")):
        done = program.run("-p", "Hello.")
    assert done.exit_status == 0
    assert done.stderr.startswith(f"greenroom: {config}:1: rules[1]: deny bash rm  *: commands")
