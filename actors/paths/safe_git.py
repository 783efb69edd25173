"""Runs git to read a repository, without running any program that the repository names."""

import os
import subprocess
import tempfile
from pathlib import Path

from actors.paths.program_search import find_program

TIMEOUT_S = 30.0
MAX_OUTPUT_BYTES = 20 * 1024 * 1024
"""Longer output is cut there."""
DIFF_OPTIONS = (
    "--no-color", "--no-ext-diff", "--no-textconv", "--submodule=short",
    "--ignore-submodules=dirty", "--src-prefix=a/", "--dst-prefix=b/",
)  # fmt: skip
"""For every diff. A submodule has settings of its own, so git must not look into it."""
_SETTINGS = (
    ("core.fsmonitor", "false"),
    ("core.hooksPath", os.devnull),
    ("core.quotePath", "false"),
    ("safe.bareRepository", "explicit"),
    ("protocol.allow", "never"),  # a partial clone fetches missing objects
    ("log.showSignature", "false"),
)
_FILTER_SETTINGS = r"^filter\..*\.(clean|smudge|process|required)$"


class GitError(Exception):
    """Git could not be run, or reported an error; the text is one line, for the user."""


def run_git(
    root: Path, *words: str, timeout_s: float = TIMEOUT_S, compares_files: bool = True
) -> bytes:
    """Return what a git command that only reads prints, in the repository at `root` itself.

    It blocks, for up to twice `timeout_s`. With `compares_files`, git may look into files of the
    working tree, so filters are turned off first.

    Raises:
        GitError: it failed or took too long, or git is not installed.
    """
    if not os.path.lexists(root / ".git"):  # git would look in the folders above
        message = "not a git repository"
        raise GitError(message)
    if not compares_files:
        return _run(root, _SETTINGS, words, (0,), timeout_s)
    # A filter is a program that git runs on each file it compares.
    list_filters = ("config", "--null", "--name-only", "--get-regexp", _FILTER_SETTINGS)
    names = _run(root, _SETTINGS, list_filters, (0, 1), timeout_s).split(b"\0")
    filters = [
        (os.fsdecode(name), "false" if name.endswith(b".required") else "")
        for name in dict.fromkeys(names)
        if name
    ]
    return _run(root, (*_SETTINGS, *filters), words, (0,), timeout_s)


def has_repository(root: Path) -> bool:
    """Return whether git finds its repository in this folder."""
    try:
        return run_git(root, "rev-parse", "--is-inside-work-tree").strip() == b"true"
    except GitError:
        return False


def find_commit(root: Path, name: str) -> str:
    """Return the hash of the commit that the user's text names; empty: there is none."""
    words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    try:
        return run_git(root, *words).decode("ascii").strip()
    except GitError:
        return ""


def _run(
    root: Path,
    settings: tuple[tuple[str, str], ...],
    words: tuple[str, ...],
    accepted: tuple[int, ...],
    timeout_s: float,
) -> bytes:
    git = find_program("git", os.environ.get("PATH", os.defpath), (root,))
    if git is None:
        message = "git could not be run: it is not installed"
        raise GitError(message)
    with tempfile.TemporaryFile() as output:
        try:
            result = subprocess.run(
                [git, *words],
                cwd=root,
                env=_build_environment(root, settings),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.PIPE,
                timeout=timeout_s,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            message = f"git {words[0]} took longer than {TIMEOUT_S:g} s"
            raise GitError(message) from error
        except (OSError, ValueError) as error:
            message = f"git could not be run: {error}"
            raise GitError(message) from error
        if result.returncode not in accepted:
            text = result.stderr.decode("utf-8", "replace").strip()
            raise GitError(text.partition("\n")[0] or f"git exited with {result.returncode}")
        output.seek(0)
        return output.read(MAX_OUTPUT_BYTES)


def _build_environment(root: Path, settings: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """Return the environment of git, whose own variables could direct it elsewhere."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {
        "LC_ALL": "C",
        "GIT_WORK_TREE": str(root),  # the repository's own setting could name another folder
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_CONFIG_COUNT": str(len(settings)),
    }
    for index, (name, value) in enumerate(settings):
        environment |= {f"GIT_CONFIG_KEY_{index}": name, f"GIT_CONFIG_VALUE_{index}": value}
    return environment
