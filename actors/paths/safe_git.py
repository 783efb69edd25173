"""Runs git to read a repository, without running any program that the repository names."""

import os
import subprocess
import tempfile
from dataclasses import dataclass
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
_OWN_REPOSITORY_SETTINGS = (
    ("core.fsync", "none"),  # a snapshot that a power failure damages is only lost
    ("core.autocrlf", "false"),
    ("core.looseCompression", "1"),
    ("core.ignoreCase", "false"),
    ("core.bare", "false"),
    ("gc.auto", "0"),
)
_FILTER_SETTINGS = r"^filter\..*\.(clean|smudge|process|required)$"


@dataclass(frozen=True, slots=True)
class _RunOptions:
    """How one git command runs."""

    timeout_s: float
    stdin: bytes = b""
    variables: tuple[tuple[str, str], ...] = ()
    """Added to its environment."""
    accepted: tuple[int, ...] = (0,)
    """Exit statuses that are no error."""


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
        return _run(root, _SETTINGS, words, _RunOptions(timeout_s))
    # A filter is a program that git runs on each file it compares.
    list_filters = ("config", "--null", "--name-only", "--get-regexp", _FILTER_SETTINGS)
    options = _RunOptions(timeout_s, accepted=(0, 1))
    names = _run(root, _SETTINGS, list_filters, options).split(b"\0")
    filters = [
        (os.fsdecode(name), "false" if name.endswith(b".required") else "")
        for name in dict.fromkeys(names)
        if name
    ]
    return _run(root, (*_SETTINGS, *filters), words, _RunOptions(timeout_s))


def run_git_in_own_repository(
    repository: Path,
    root: Path,
    *words: str,
    stdin: bytes = b"",
    timeout_s: float = TIMEOUT_S,
    variables: tuple[tuple[str, str], ...] = (),
) -> bytes:
    """Return what a git command prints, in a bare repository of our own, with `root` as its files.

    It reads no other configuration: neither that of the user nor that of a repository at `root`.

    Raises:
        GitError: as in `run_git`.
    """
    variables = (*_list_own_variables(repository), *variables)
    settings = (*_SETTINGS, *_OWN_REPOSITORY_SETTINGS)
    return _run(root, settings, words, _RunOptions(timeout_s, stdin, variables))


def start_git_in_own_repository(
    repository: Path, root: Path, *words: str
) -> subprocess.Popen[bytes]:
    """Start a git command that is written to and read from, as `run_git_in_own_repository`.

    Raises:
        GitError: git could not be run.
    """
    settings = (*_SETTINGS, *_OWN_REPOSITORY_SETTINGS)
    environment = _build_environment(root, settings) | dict(_list_own_variables(repository))
    try:
        return subprocess.Popen(
            [_find_git(root), *words],
            cwd=root,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError as error:
        message = f"git could not be run: {error}"
        raise GitError(message) from error


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
    options: _RunOptions,
) -> bytes:
    git = _find_git(root)
    with tempfile.TemporaryFile() as output:
        try:
            result = subprocess.run(
                [git, *words],
                cwd=root,
                env=_build_environment(root, settings) | dict(options.variables),
                input=options.stdin,
                stdout=output,
                stderr=subprocess.PIPE,
                timeout=options.timeout_s,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            message = f"git {words[0]} took longer than {TIMEOUT_S:g} s"
            raise GitError(message) from error
        except (OSError, ValueError) as error:
            message = f"git could not be run: {error}"
            raise GitError(message) from error
        if result.returncode not in options.accepted:
            text = result.stderr.decode("utf-8", "replace").strip()
            raise GitError(text.partition("\n")[0] or f"git exited with {result.returncode}")
        output.seek(0)
        return output.read(MAX_OUTPUT_BYTES)


def _find_git(root: Path) -> str:
    git = find_program("git", os.environ.get("PATH", os.defpath), (root,))
    if git is None:
        message = "git could not be run: it is not installed"
        raise GitError(message)
    return git


def _list_own_variables(repository: Path) -> tuple[tuple[str, str], ...]:
    return (
        ("GIT_DIR", str(repository)),
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_CONFIG_GLOBAL", os.devnull),
    )


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
