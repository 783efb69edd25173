"""Approval of a command covers the files it executes, with the content they had then."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from actors.paths.resolve import WorkspacePaths
from actors.permissions.executed_files import (
    MAX_QUICK_CHECK_CHARS,
    find_executed_files,
    has_no_file_names,
)
from actors.tools.bash import BashArguments, plan, run
from actors.tools.tool import TargetChangedError
from messages.tool_calls import CallPlan
from tests.actors.tools.tool_caller import ToolCaller

pytestmark = pytest.mark.quick


@pytest.fixture
def root(caller: ToolCaller) -> Path:
    root = caller.context.workspace.root
    (root / "sub").mkdir()
    for name in ("x.sh", "y.py", "sub/x.sh"):
        (root / name).write_text("echo one\n")
    (root / "tool").write_text("#!/bin/sh\necho one\n")
    (root / "data.txt").write_text("one\n")
    (root / "z.sh").symlink_to("x.sh")
    return root


def find_names(caller: ToolCaller, command: str) -> list[str]:
    root = caller.context.workspace.root
    files = find_executed_files(command, WorkspacePaths(root=str(root), cwd=str(root)))
    return [os.path.relpath(file.path, root) for file in files if file.digest]


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("bash x.sh", ["x.sh"]),
        ("bash -x ./x.sh now", ["x.sh"]),
        ("./x.sh", ["x.sh"]),
        ("bash z.sh", ["x.sh"]),
        (". ./x.sh && python3 y.py", ["x.sh", "y.py"]),
        ("cd sub && bash x.sh", ["sub/x.sh"]),
        ("cd sub; bash x.sh", ["x.sh", "sub/x.sh"]),
        ("timeout 5 ./x.sh", ["x.sh"]),
        ("env A=1 bash x.sh", ["x.sh"]),
        ("bash -c './x.sh'", ["x.sh"]),
        ("bash < x.sh", ["x.sh"]),
        ("cat x.sh | sh", ["x.sh"]),
        ("cat < x.sh | tee log | sh -s now", ["x.sh"]),
        ('eval "$(cat x.sh)"', ["x.sh"]),
        ("bash x*.sh", ["x.sh"]),
        ("bash ./?.sh", ["x.sh"]),
        ("python3 sub/../y.p[xy]", ["y.py"]),
        ("S=x.sh; bash $S", ["x.sh"]),
        ("D=sub; bash $D/x.sh", ["sub/x.sh"]),
        ("bash ${S:-x.sh}", ["x.sh"]),
        ("bash {x,z}.sh", ["x.sh"]),
        ("bash -c 'for f in x*.sh; do sh $f; done'", ["x.sh"]),
        ("for f in sub/*.sh; do . $f; done", ["sub/x.sh"]),
        ("cat x.sh | grep one", []),
        ("bash x.sh; cat data.txt", ["x.sh"]),
        ("frobnicate tool data.txt", ["tool"]),
        ("cat data.txt", []),
        ("git add data.txt", []),
        ("echo 'bash x.sh'", []),
        ("bash sub", []),
    ],
)
def test_executed_files_that_the_command_names_are_found(
    caller: ToolCaller, root: Path, command: str, files: list[str]
) -> None:
    assert root.is_dir()
    assert find_names(caller, command) == files


@pytest.mark.parametrize(
    "command",
    ["echo hi", "git status --short", "git log -1 && date", "frobnicate absent", "cd absent; w"],
)
def test_a_quick_check_suffices_when_no_named_file_exists(
    caller: ToolCaller, root: Path, command: str
) -> None:
    paths = WorkspacePaths(root=str(root), cwd=str(root))
    assert has_no_file_names(command, caller.root)
    assert find_executed_files(command, paths) == ()
    (root / "absent").symlink_to("nowhere")
    assert has_no_file_names(command, caller.root) == ("absent" not in command)


@pytest.mark.parametrize(
    "command",
    [
        "bash absent.sh",
        "frobnicate tool",
        "cat data.txt",
        "cd sub && ls",
        "ls ./absent",
        "ls /absent/x",
        "bash -c 'python3 absent.py'",
        "echo " + "x" * MAX_QUICK_CHECK_CHARS,
    ],
)
def test_the_quick_check_leaves_possible_files_to_the_full_one(
    caller: ToolCaller, root: Path, command: str
) -> None:
    assert root.is_dir()
    assert not has_no_file_names(command, caller.root)


def plan_command(caller: ToolCaller, command: str) -> tuple[BashArguments, CallPlan]:
    arguments = BashArguments(command=command)
    return arguments, asyncio.run(plan(arguments, caller.context))


def rewrite(root: Path) -> None:
    (root / "x.sh").write_text("echo two\n")


def replace(root: Path) -> None:
    (root / "new").write_text("echo two\n")
    (root / "new").rename(root / "x.sh")


def retarget_symlink(root: Path) -> None:
    (root / "z.sh").unlink()
    (root / "z.sh").symlink_to("y.py")


def remove(root: Path) -> None:
    (root / "x.sh").unlink()


def create_missing_file(root: Path) -> None:
    (root / "absent.sh").write_text("echo two\n")


@pytest.mark.parametrize(
    ("command", "change"),
    [
        ("bash x.sh", rewrite),
        ("bash x.sh", replace),
        ("bash x.sh", remove),
        ("bash z.sh", rewrite),
        ("bash z.sh", retarget_symlink),
        ("bash absent.sh", create_missing_file),
        ("./absent.sh", create_missing_file),
        ("bash < x.sh", rewrite),
        ("cat x.sh | sh", rewrite),
        ("bash x*.sh", rewrite),
        ("S=x.sh; bash $S", rewrite),
        ("bash -c 'for f in x*.sh; do sh $f; done'", rewrite),
        ("cat absent.sh | sh", create_missing_file),
        ("bash abs*.sh", create_missing_file),
    ],
)
def test_a_file_changed_after_approval_is_not_executed(
    caller: ToolCaller, root: Path, command: str, change: Callable[[Path], None]
) -> None:
    arguments, approved = plan_command(caller, command)
    change(root)
    with pytest.raises(
        TargetChangedError, match=r"a file that it executes has changed: .*\.(sh|py)"
    ):
        asyncio.run(run(arguments, approved, caller.context))


def test_changes_to_data_files_do_not_prevent_execution(caller: ToolCaller, root: Path) -> None:
    arguments, approved = plan_command(caller, "bash x.sh && cat data.txt")
    (root / "data.txt").write_text("two\n")
    os.utime(root / "x.sh")
    assert asyncio.run(run(arguments, approved, caller.context)).text == "one\ntwo"


def test_only_regular_files_are_opened_and_digested(caller: ToolCaller, root: Path) -> None:
    os.mkfifo(root / "pipe")
    assert find_names(caller, "bash pipe") == []
    assert find_names(caller, "bash " + "x" * 5_000) == []
    assert find_names(caller, "bash " + "x.sh " * 100_000) == []
