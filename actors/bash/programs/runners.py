"""Programs that run another one by its name: `uv run pytest`, `npx tsc`."""

from actors.bash.programs.table import find_program
from actors.bash.syntax.parsed_command import CommandPart, join_words


def count_runner_words(texts: list[str]) -> int:
    """Count the words before the name of the program that a runner runs; 0: it is no runner.

    An option there can change what runs, so such a form does not count.
    """
    runner = find_program(texts[0])
    for subcommand in runner.runner_subcommands:
        count = 2 if subcommand else 1
        if texts[1:count] == ([subcommand] if subcommand else []) and len(texts) > count:
            return 0 if texts[count].startswith("-") else count
    return 0


def find_named_prefix(part: CommandPart, inner: CommandPart) -> str:
    """Return the words that name the program that a runner runs, if only they make it ask.

    `inner` is the part that it runs.
    """
    if not inner.words or _has_files(inner) or (inner.ask_reason and not inner.named_prefix):
        return ""
    name = inner.named_prefix or inner.words[0].text
    count = len(part.words) - len(inner.words) + name.count(" ") + 1
    words = part.words[:count]
    is_plain = all(word.is_literal and word.is_unquoted and word.text for word in words)
    return join_words(words) if is_plain else ""


def _has_files(part: CommandPart) -> bool:
    """Whether a part does what is checked only for a part that no runner runs."""
    return bool(part.read_only or part.opened_files or part.written_paths or part.finds_repository)
