"""`/permissions reload`: the rules as the files hold them now, or why the old ones stay."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from actors.permissions.initial_policy import build_initial_policy
from actors.tools.tool_list import DECLARED_TOOLS
from messages.permissions import ReplaceRules
from shell.cli.arguments import StartError
from shell.config.workspace_discovery import find_git_folders

if TYPE_CHECKING:
    from actors.wiring.session_setup import SessionOptions
    from shell.config.effective_config import EffectiveConfig


@dataclass(frozen=True, slots=True)
class ReloadedRules:
    """What the configuration files came to."""

    replace_rules: ReplaceRules | None
    """None: a file is broken."""
    notices: tuple[str, ...] = ()
    """What is wrong, each with file, line and key; or what does not count."""


def reload_rules(
    load_config: "Callable[[], EffectiveConfig]", options: "SessionOptions"
) -> ReloadedRules:
    """Read the files anew, and look again where links and hooks lead; trust and mode stay."""
    try:
        configuration = load_config()
    except StartError as error:
        return ReloadedRules(None, tuple(map(str, error.args)))
    policy = build_initial_policy(
        options.workspace,
        configuration.rules,
        DECLARED_TOOLS,
        trusted=options.trusted,
        extra_protected=(*options.protected_paths, *find_git_folders(options.workspace.root)),
    )
    rules = ReplaceRules(
        sources=policy.sources, trusted=policy.trusted, protected_paths=policy.protected_paths
    )
    return ReloadedRules(rules, configuration.notices)
