"""`/permissions reload`: reads the rules from the configuration files again."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from actors.permissions.initial_policy import build_initial_policy
from actors.tools.tool_list import TOOL_LIST
from messages.permissions import ReplaceRules
from shell.config.workspace_discovery import find_git_folders
from shell.startup.errors import StartError

if TYPE_CHECKING:
    from actors.wiring.session_setup import SessionOptions
    from shell.config.effective_config import EffectiveConfig


@dataclass(frozen=True, slots=True)
class ReloadedRules:
    """The result of reading the configuration files again."""

    replace_rules: ReplaceRules | None
    """None: a file is invalid."""
    notices: tuple[str, ...] = ()
    """What is invalid or ignored, each with file, line and key."""


def reload_rules(
    load_config: "Callable[[], EffectiveConfig]", options: "SessionOptions"
) -> ReloadedRules:
    """Read the files and locate git's folders again; trust and mode stay."""
    try:
        config = load_config()
    except StartError as error:
        return ReloadedRules(None, tuple(map(str, error.args)))
    policy = build_initial_policy(
        options.workspace,
        config.rules,
        TOOL_LIST,
        trusted=options.trusted,
        extra_protected=(*options.protected_paths, *find_git_folders(options.workspace.root)),
    )
    rules = ReplaceRules(
        sources=policy.sources, trusted=policy.trusted, protected_paths=policy.protected_paths
    )
    return ReloadedRules(rules, config.notices)
