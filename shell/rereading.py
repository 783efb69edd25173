"""`/permissions reload`: the rules as the files hold them now, or why the old ones stay."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from actors.permissions.beginning import first_policy
from messages.permissions import ReplaceRules
from shell.arguments import StartError
from shell.config.workspace import git_folders

if TYPE_CHECKING:
    from actors.session import SessionOptions
    from shell.config.configuration import Configuration


@dataclass(frozen=True, slots=True)
class Reread:
    """What the configuration files came to."""

    rules: ReplaceRules | None
    """None: a file is broken."""
    told: tuple[str, ...] = ()
    """What is wrong, each with file, line and key; or what does not count."""


def reread(read: "Callable[[], Configuration]", options: "SessionOptions") -> Reread:
    """Read the files anew, and look again where links and hooks lead; trust and mode stay."""
    try:
        configuration = read()
    except StartError as error:
        return Reread(None, tuple(map(str, error.args)))
    policy = first_policy(
        options.workspace,
        options.mode,
        configuration.rules,
        trusted=options.trusted,
        ours=(*options.protected, *git_folders(options.workspace.root)),
    )
    rules = ReplaceRules(sources=policy.sources, trusted=policy.trusted, protected=policy.protected)
    return Reread(rules, configuration.notices)
