"""No abbreviation of a dangerous option is exempt, by the options of the installed git."""

import subprocess

import pytest

from tests.actors.bash.case_format import make_rules
from tests.actors.permissions.decision_helpers import decide_action, rules_only_policy

pytestmark = pytest.mark.quick

DANGEROUS_OPTIONS = {
    "config",
    "edit-description",
    "exec",
    "ext-diff",
    "filters",
    "gpg-sign",
    "index-output",
    "local-user",
    "no-index",
    "open-files-in-pager",
    "output",
    "output-directory",
    "receive-pack",
    "separate-git-dir",
    "show-signature",
    "signed",
    "template",
    "textconv",
    "trailer",
    "unsafe-paths",
    "upload-pack",
}
"""They run a program, or write or read a file that no path argument shows."""
EDIT_SUBCOMMANDS = {"add", "commit", "merge", "replace", "tag"}
"""Their option `--edit` starts an editor."""
SUBCOMMANDS = (
    "add",
    "am",
    "apply",
    "archive",
    "blame",
    "branch",
    "cat-file",
    "checkout",
    "cherry-pick",
    "clone",
    "commit",
    "diff",
    "fetch",
    "format-patch",
    "grep",
    "init",
    "log",
    "ls-remote",
    "merge",
    "pull",
    "push",
    "read-tree",
    "rebase",
    "replace",
    "revert",
    "show",
    "stash",
    "tag",
    "worktree",
)
ALLOW_ALL = rules_only_policy(*make_rules("allow", "*"))


def list_long_options(subcommand: str) -> set[str]:
    """List the long options of a subcommand of the installed git, without the dashes."""
    output = subprocess.run(
        ["git", subcommand, "--git-completion-helper"], capture_output=True, text=True, check=False
    ).stdout
    return {word.lstrip("-").rstrip("=") for word in output.split() if word.startswith("--")}


@pytest.mark.parametrize("subcommand", SUBCOMMANDS)
def test_each_prefix_of_a_dangerous_git_option_asks(subcommand: str) -> None:
    options = list_long_options(subcommand)
    edit = {"edit"} if subcommand in EDIT_SUBCOMMANDS else set[str]()
    prefixes = {
        name[:length]
        for name in options & (DANGEROUS_OPTIONS | edit)
        for length in range(1, len(name) + 1)
        if name[:length] == name or name[:length] not in options
    }
    commands = [f"git {subcommand} --{prefix}=x" for prefix in sorted(prefixes)]

    assert [text for text in commands if decide_action("bash", text, ALLOW_ALL) != "ask"] == []


def test_the_installed_git_lists_its_dangerous_options() -> None:
    assert list_long_options("push") >= {"exec", "receive-pack"}
    assert "upload-pack" in list_long_options("ls-remote")
