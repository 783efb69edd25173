"""Which layer counts for what."""

from pathlib import Path

import pytest

from messages.rules import PermissionMode, Rule
from shell.arguments import Options, StartError
from shell.config.file import Read
from shell.config.schema import Budget, FileConfig
from shell.config.settings import (
    BUILT_IN,
    layered,
    of_environment,
    of_flags,
    of_trusted,
    of_untrusted,
)

pytestmark = pytest.mark.quick


def test_each_key_comes_from_the_strongest_layer_that_says_it() -> None:
    flags = of_flags(Options(command="work", model="flag", max_turns=5))
    variables = of_environment({"GREENROOM_MODEL": "variable"})
    project = FileConfig(model="project", max_depth=1, budget=Budget(turns=7, tokens=8))
    user = FileConfig(max_depth=9, max_concurrent_agents=2, budget=Budget(seconds=60, tokens=1))

    counts = layered(flags, variables, project, user, BUILT_IN)

    assert counts == FileConfig(
        model="flag",
        agent="build",
        permission_mode="default",
        max_depth=1,
        max_concurrent_agents=2,
        background_placement="local",
        budget=Budget(turns=5, tokens=8, seconds=60),
    )
    assert layered(variables, project).model == "variable"


def test_an_empty_variable_says_nothing() -> None:
    assert of_environment({"GREENROOM_MODEL": ""}) == FileConfig()


@pytest.mark.parametrize("name", ["a\nb", " ", "x" * 300])
def test_a_model_that_can_be_none_is_refused_wherever_it_is_named(name: str) -> None:
    with pytest.raises(StartError, match="--model: must be"):
        of_flags(Options(command="work", model=name))
    with pytest.raises(StartError, match="GREENROOM_MODEL: must be"):
        of_environment({"GREENROOM_MODEL": name})


@pytest.mark.parametrize("mode", ["auto-edit", "yolo"])
def test_a_mode_above_default_is_never_taken_from_a_project(mode: PermissionMode) -> None:
    text = f'model = "m"\npermission_mode = "{mode}"\n'
    config = FileConfig(model="m", permission_mode=mode)

    counts, told = of_trusted(Read(Path("/p/config.toml"), config, text))

    assert counts == FileConfig(model="m")
    assert told == (f"/p/config.toml:2: permission_mode: {mode} is never taken from a project",)


def test_a_project_that_is_not_trusted_may_only_lower_limits() -> None:
    below = layered(FileConfig(max_depth=2, budget=Budget(tokens=100)), BUILT_IN)
    project = FileConfig(
        model="expensive",
        agent="evil",
        permission_mode="yolo",
        max_depth=1,
        max_concurrent_agents=50,
        background_placement="process",
        budget=Budget(turns=3, tokens=200),
        rules=(Rule(permission="bash", pattern="*", action="allow"),),
    )

    assert of_untrusted(project, below) == FileConfig(max_depth=1, budget=Budget(turns=3))
