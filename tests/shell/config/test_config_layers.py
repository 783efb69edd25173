"""Which layer of configuration overrides which."""

from pathlib import Path

import pytest

from messages.policy import PermissionMode, Rule
from shell.config.config_file import ConfigFile
from shell.config.config_layers import (
    DEFAULT_CONFIG,
    config_from_environment,
    config_from_flags,
    filter_trusted_project,
    filter_untrusted_project,
    merge_layers,
)
from shell.config.schema import BudgetConfig, FileConfig, PricesConfig, WeightsConfig
from shell.startup.errors import StartError
from shell.startup.options import LaunchOptions

pytestmark = pytest.mark.quick


def test_each_key_comes_from_the_highest_layer_that_sets_it() -> None:
    flags = config_from_flags(LaunchOptions(model="flag", max_turns=5))
    variables = config_from_environment({"GREENROOM_MODEL": "variable"})
    project = FileConfig(model="project", max_depth=1, budget=BudgetConfig(turns=7, tokens=8))
    user = FileConfig(
        max_depth=9, max_concurrent_agents=2, budget=BudgetConfig(seconds=60, tokens=1)
    )

    merged = merge_layers(flags, variables, project, user, DEFAULT_CONFIG)

    assert merged == FileConfig(
        model="flag",
        agent="build",
        permission_mode="default",
        max_depth=1,
        max_concurrent_agents=2,
        budget=BudgetConfig(turns=5, tokens=8, seconds=60),
    )
    assert merge_layers(variables, project).model == "variable"


def test_an_empty_variable_is_ignored() -> None:
    assert config_from_environment({"GREENROOM_MODEL": ""}) == FileConfig()


@pytest.mark.parametrize("name", ["a\nb", " ", "x" * 300])
def test_an_invalid_model_name_is_an_error_everywhere(name: str) -> None:
    with pytest.raises(StartError, match="--model: must be"):
        config_from_flags(LaunchOptions(model=name))
    with pytest.raises(StartError, match="GREENROOM_MODEL: must be"):
        config_from_environment({"GREENROOM_MODEL": name})


@pytest.mark.parametrize("mode", ["auto-edit", "yolo"])
def test_a_project_cannot_loosen_the_mode(mode: PermissionMode) -> None:
    text = f'model = "m"\npermission_mode = "{mode}"\n'
    config = FileConfig(model="m", permission_mode=mode)

    config_in_use, notices = filter_trusted_project(
        ConfigFile(Path("/p/config.toml"), config, text)
    )

    assert config_in_use == FileConfig(model="m")
    notice = f"/p/config.toml:2: permission_mode: {mode} is ignored; a project cannot set it"
    assert notices == (notice,)


def test_a_project_cannot_set_weights_or_prices() -> None:
    text = "[weights]\ncache_read = 0.1\n[prices.m]\n"
    config = FileConfig(
        weights=WeightsConfig(cache_read=0.1), prices={"m": PricesConfig(1, 2, 3, 4)}
    )

    config_in_use, notices = filter_trusted_project(
        ConfigFile(Path("/p/config.toml"), config, text)
    )

    assert config_in_use == FileConfig()
    assert notices == (
        "/p/config.toml:3: prices.m is ignored; a project cannot set it",
        "/p/config.toml:1: weights is ignored; a project cannot set it",
    )
    assert filter_untrusted_project(config, DEFAULT_CONFIG) == FileConfig()


def test_an_untrusted_project_can_only_lower_limits() -> None:
    lower_layers = merge_layers(
        FileConfig(max_depth=2, budget=BudgetConfig(tokens=100)), DEFAULT_CONFIG
    )
    project = FileConfig(
        model="expensive",
        agent="evil",
        permission_mode="yolo",
        max_depth=1,
        max_concurrent_agents=50,
        budget=BudgetConfig(turns=3, tokens=200),
        rules=(Rule(permission="bash", pattern="*", action="allow"),),
    )

    assert filter_untrusted_project(project, lower_layers) == FileConfig(
        max_depth=1, budget=BudgetConfig(turns=3)
    )
