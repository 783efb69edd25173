"""What the arguments of a command run or write: why a person is asked, and what is visible."""

from typing import NamedTuple

from actors.bash.syntax.parsed_command import Word

Words = tuple[Word, ...]


class IndirectEffects(NamedTuple):
    """What a command does beyond its name."""

    ask_reason: str = ""
    """Why a person is asked; empty where the arguments run and write nothing."""
    commands: tuple[Words, ...] = ()
    """Commands that are plainly there, as words."""
    possible_commands: tuple[Words, ...] = ()
    """Commands that may be there: which argument is the command is not certain."""
    scripts: tuple[str, ...] = ()
    """Commands that are plainly there, as texts for a shell."""
    possible_scripts: tuple[str, ...] = ()
    """Texts that may be commands."""


NO_EFFECTS = IndirectEffects()
