"""All command cases: each has a command, the rules that decide it, and the expected decision."""

from tests.actors.bash.denied_command_cases import (
    DENIED_COMMANDS,
    DENIED_IN_WRAPPERS,
    DENIED_SUBCOMMANDS,
)
from tests.actors.bash.denied_text_cases import DENIED_IN_LOOPS, DENIED_IN_TEXTS, NOT_DENIED
from tests.actors.bash.git_cases import GIT_COMMANDS
from tests.actors.bash.option_cases import OPTIONS
from tests.actors.bash.path_cases import (
    COMMAND_PATHS,
    DENIED_READS,
    DENIED_WRITES,
    OPENED_FILES,
)
from tests.actors.bash.syntax_cases import (
    CHAINED_COMMANDS,
    COMPUTED_NAMES,
    LINE_CONTINUATIONS,
    REDIRECTIONS,
    SUBSTITUTIONS,
    UNPARSABLE_TEXTS,
)
from tests.actors.bash.wrapper_cases import ALLOWED_COMMANDS, ENVIRONMENT, WRAPPERS

CASES = (
    *CHAINED_COMMANDS,
    *SUBSTITUTIONS,
    *REDIRECTIONS,
    *COMPUTED_NAMES,
    *LINE_CONTINUATIONS,
    *UNPARSABLE_TEXTS,
    *WRAPPERS,
    *GIT_COMMANDS,
    *OPTIONS,
    *ENVIRONMENT,
    *ALLOWED_COMMANDS,
    *DENIED_COMMANDS,
    *DENIED_IN_WRAPPERS,
    *DENIED_SUBCOMMANDS,
    *DENIED_IN_TEXTS,
    *DENIED_IN_LOOPS,
    *NOT_DENIED,
    *COMMAND_PATHS,
    *DENIED_READS,
    *DENIED_WRITES,
    *OPENED_FILES,
)
"""Decided only by their rules, as in `permissions check --rules`."""
