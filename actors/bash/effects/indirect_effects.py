"""What a command runs or writes through its arguments, and why that needs approval."""

from typing import NamedTuple

from actors.bash.syntax.parsed_command import Words


class IndirectEffects(NamedTuple):
    """What a command does beyond what its name says."""

    ask_reason: str = ""
    """Why the user is asked; empty if the arguments neither run nor write anything.

    A clause with its subject, for use after "because": "it runs a command as another user".
    """
    commands: tuple[Words, ...] = ()
    """Commands that certainly run, as words."""
    possible_commands: tuple[Words, ...] = ()
    """Commands that may run; only deny rules match them."""
    scripts: tuple[str, ...] = ()
    """Commands that certainly run, as text for a shell."""
    possible_scripts: tuple[str, ...] = ()
    """Commands that may run, as text for a shell; only deny rules match them."""
    script_arguments: Words = ()
    """What the scripts get as `$0`, `$1` and so on."""


NO_EFFECTS = IndirectEffects()
