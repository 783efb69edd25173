"""The second pass of a decision stays in one module and calls others for complete results."""

import sys
from dataclasses import replace
from pathlib import Path
from types import FrameType

import pytest

from actors.paths.resolve import PathResolver, WorkspacePaths
from actors.permissions.access_resolution import resolve_accesses
from actors.permissions.call_analysis import analyze_call
from actors.permissions.rule_index import get_rule_index
from tests.actors.permissions.decision_helpers import (
    BUILD_PROFILE,
    DEFAULT_POLICY,
    permission_request,
)

pytestmark = pytest.mark.quick

MAX_CALLS = 6
"""Calls from one of our modules to another, while the paths of a plain command are resolved."""
PACKAGE = str(Path(sys.modules["actors.permissions"].__path__[0]).parent)


def count_calls_between_modules(command: str, root: str) -> int:
    analyzed = analyze_call((permission_request("bash", command),))
    resolver = PathResolver(WorkspacePaths(root=root, cwd=root))
    rule_index = get_rule_index(replace(DEFAULT_POLICY, trusted=True), (BUILD_PROFILE,))
    called: list[str] = []

    def record(frame: FrameType, event: str, _argument: object) -> None:
        caller = frame.f_back
        name = frame.f_code.co_filename
        if event != "call" or caller is None or not name.startswith(PACKAGE):
            return
        if caller.f_code.co_filename not in (name, __file__):
            called.append(f"{Path(name).name}:{frame.f_code.co_name}")

    sys.setprofile(record)
    try:
        resolve_accesses(analyzed, resolver, rule_index)
    finally:
        sys.setprofile(None)
    return len(called)


@pytest.mark.parametrize(
    "command", ["cat a.txt", "git status", "a && b && c", "cat a b > c", "sudo rm -rf x"]
)
def test_resolving_a_command_calls_few_other_modules(command: str, tmp_path: Path) -> None:
    assert count_calls_between_modules(command, str(tmp_path)) <= MAX_CALLS
