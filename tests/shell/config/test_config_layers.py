"""Which layer counts for what."""

from pathlib import Path

import pytest

from messages.policy import PermissionMode, Rule
from shell.cli.arguments import LaunchOptions, StartError
from shell.config.config_file import ConfigFile
from shell.config.config_layers import (
    DEFAULT_CONFIG,
    config_from_environment,
    config_from_flags,
    filter_trusted_project,
    filter_untrusted_project,
    merge_layers,
)
from shell.config.schema import BudgetConfig, FileConfig

pytestmark = pytest.mark.quick


def test_each_key_comes_from_the_strongest_layer_that_says_it() -> None:
    flags = config_from_flags(LaunchOptions(command="work", model="flag", max_turns=5))
    variables = config_from_environment({"GREENROOM_MODEL": "variable"})
    project = FileConfig(model="project", max_depth=1, budget=BudgetConfig(turns=7, tokens=8))
    user = FileConfig(
        max_depth=9, max_concurrent_agents=2, budget=BudgetConfig(seconds=60, tokens=1)
    )

    counts = merge_layers(flags, variables, project, user, DEFAULT_CONFIG)

    assert counts == FileConfig(
        model="flag",
        agent="build",
        permission_mode="default",
        max_depth=1,
        max_concurrent_agents=2,
        background_placement="local",
        budget=BudgetConfig(turns=5, tokens=8, seconds=60),
    )
    assert merge_layers(variables, project).model == "variable"


def test_an_empty_variable_says_nothing() -> None:
    assert config_from_environment({"GREENROOM_MODEL": ""}) == FileConfig()


@pytest.mark.parametrize("name", ["a\nb", " ", "x" * 300])
def test_a_model_that_can_be_none_is_refused_wherever_it_is_named(name: str) -> None:
    with pytest.raises(StartError, match="--model: must be"):
        config_from_flags(LaunchOptions(command="work", model=name))
    with pytest.raises(StartError, match="GREENROOM_MODEL: must be"):
        config_from_environment({"GREENROOM_MODEL": name})


@pytest.mark.parametrize("mode", ["auto-edit", "yolo"])
def test_a_mode_above_default_is_never_taken_from_a_project(mode: PermissionMode) -> None:
    text = f'model = "m"\npermission_mode = "{mode}"\n'
    config = FileConfig(model="m", permission_mode=mode)

    counts, told = filter_trusted_project(ConfigFile(Path("/p/config.toml"), config, text))

    assert counts == FileConfig(model="m")
    assert told == (f"/p/config.toml:2: permission_mode: {mode} is never taken from a project",)


def test_a_project_that_is_not_trusted_may_only_lower_limits() -> None:
    below = merge_layers(FileConfig(max_depth=2, budget=BudgetConfig(tokens=100)), DEFAULT_CONFIG)
    project = FileConfig(
        model="expensive",
        agent="evil",
        permission_mode="yolo",
        max_depth=1,
        max_concurrent_agents=50,
        background_placement="process",
        budget=BudgetConfig(turns=3, tokens=200),
        rules=(Rule(permission="bash", pattern="*", action="allow"),),
    )

    assert filter_untrusted_project(project, below) == FileConfig(
        max_depth=1, budget=BudgetConfig(turns=3)
    )
