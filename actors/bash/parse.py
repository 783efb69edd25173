"""Analyzes shell commands from their text alone: the only module to import from outside.

The grammar and the tables of commands take 15 ms to import, so they are loaded on first use.
"""

from importlib import import_module

from actors.bash.effects.written_paths import UNNAMED_FILES
from actors.bash.syntax.parsed_command import (
    AndChain,
    CommandPart,
    ParsedCommand,
    ReadDepth,
    RedirectedFile,
    TrackedReads,
    Word,
    Words,
)

__all__ = [
    "UNNAMED_FILES",
    "AndChain",
    "CommandPart",
    "ParsedCommand",
    "ReadDepth",
    "RedirectedFile",
    "TrackedReads",
    "Word",
    "Words",
    "count_runner_words",
    "has_effect_rule",
    "load_parser",
    "may_run_input",
    "parse_command",
    "takes_only_operands",
]


def load_parser() -> None:
    """Import what `parse_command` needs, ahead of the first command."""
    import_module("actors.bash.command_parser")


def parse_command(text: str) -> ParsedCommand:
    """Determine what a command would do.

    Never raises and looks at no file; the time it takes is bounded by the length of the text.
    """
    from actors.bash.command_parser import CommandParser  # noqa: PLC0415  (see above)

    return CommandParser(text).parse()


def count_runner_words(texts: list[str]) -> int:
    """Count the words before the program that a runner such as `uv run` runs; 0: it is none."""
    from actors.bash.programs.runners import (  # noqa: PLC0415  (see above)
        count_runner_words as count_words,
    )

    return count_words(texts)


def has_effect_rule(name: str) -> bool:
    """Whether a command, named with or without a path, may run or write through its arguments."""
    from actors.bash.programs.effect_lookup import find_effect_rule  # noqa: PLC0415  (see above)

    return find_effect_rule(name) is not None


def takes_only_operands(name: str) -> bool:
    """Whether this is a known program without subcommands, so that no word of it is one."""
    from actors.bash.programs.effect_lookup import (  # noqa: PLC0415  (see above)
        takes_only_operands as is_without_subcommands,
    )

    return is_without_subcommands(name)


def may_run_input(command: ParsedCommand) -> bool:
    """Whether a part may run its standard input, or what another part prints, as code."""
    from actors.bash.programs.stdin_commands import (  # noqa: PLC0415  (see above)
        find_stdin_readers,
    )

    readers = find_stdin_readers(command.parts)
    return any(reader.program.stdin != "arguments" for reader in readers)
