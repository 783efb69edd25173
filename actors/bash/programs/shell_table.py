"""Records of shells, and of builtins that run a text or change the shell."""

import re

from actors.bash.effects.effect_rules import (
    ask_always,
    ask_on_options,
    runs_command,
    runs_script,
    search_all_operands,
)
from actors.bash.effects.indirect_effects import NO_EFFECTS, IndirectEffects
from actors.bash.effects.option_parsing import OptionSpec, WrapperOptions, split_names
from actors.bash.effects.possible_commands import (
    search_arguments,
    search_assigned_values,
    search_code,
    search_expansions,
)
from actors.bash.effects.read_only import ReadOnlyCommand, match_shown_text
from actors.bash.programs.code_arguments import analyze_printf
from actors.bash.programs.program import Program
from actors.bash.programs.shells import SHELLS, SOURCE
from actors.bash.syntax.parsed_command import Word, Words, join_words

_RUNS = "runs another command"
_CODE = "runs its arguments as code"
_SHELL = "changes how the shell works"
_VARIABLE = "changes shell variables"
_COMPLETION = search_code(search_arguments(ask_always(_SHELL)))
_CONTROLS_JOBS = search_expansions(ask_always("controls jobs or processes"))
_LOOKUP_OPTIONS = {"-v", "-V"}
_SET_OPTION = re.compile(r"[-+][eux]*o (?:pipefail|errexit|nounset|xtrace)|[-+][eux]+")
_FILE_TEST = re.compile(r"-(?:[abcdefghkLprSsuwxNOG]|nt|ot|ef)")
_RUN_COMMAND = runs_command(_RUNS)
_SET_VARIABLES = search_expansions(search_all_operands(ask_always(_VARIABLE)))


def _match_lookup(arguments: Words) -> ReadOnlyCommand | None:
    """Match `command -v NAME`."""
    return ReadOnlyCommand(()) if arguments and arguments[0].text in _LOOKUP_OPTIONS else None


def _analyze_command(words: Words, stdin: str) -> IndirectEffects:
    return NO_EFFECTS if _match_lookup(words[1:]) else _RUN_COMMAND(words, stdin)


def _match_set(arguments: Words) -> ReadOnlyCommand | None:
    """Match options that only make the shell stop earlier or print more: `set -euo pipefail`."""
    rest = re.sub(_SET_OPTION, "", join_words(arguments)).strip()
    return ReadOnlyCommand(()) if arguments and not rest else None


def _analyze_set(words: Words, stdin: str) -> IndirectEffects:
    is_literal = all(word.is_literal for word in words)
    is_safe = is_literal and _match_set(words[1:])
    return NO_EFFECTS if is_safe else _SET_VARIABLES(words, stdin)


def _match_test(arguments: Words) -> ReadOnlyCommand | None:
    """Match a test of literal words; those next to a file operator are paths."""
    if not all(word.is_literal for word in arguments):
        return None
    found: list[Word] = []
    for previous, word, following in zip(
        (Word(""), *arguments), arguments, (*arguments[1:], Word("")), strict=False
    ):
        if _FILE_TEST.fullmatch(previous.text) or _FILE_TEST.fullmatch(following.text):
            found.append(word)
    return ReadOnlyCommand(tuple([word for word in found if word.text not in {"!", "-a", "]"}]))


PROGRAMS: tuple[Program, ...] = (
    SHELLS,
    Program(
        "pwsh powershell cmd",
        search_arguments(search_all_operands(ask_always(_CODE))),
        stdin="commands",
    ),
    Program("eval", runs_script(_CODE), stdin="script"),
    SOURCE,
    Program("exec", runs_command("replaces the shell with another command", WrapperOptions("a"))),
    Program("command", _analyze_command, match_read_only=_match_lookup),
    Program("builtin", runs_command("runs a shell builtin")),
    Program("time", runs_command(_RUNS, WrapperOptions("fo", split_names("format output")))),
    Program("coproc", search_all_operands(ask_always("runs a command in the background"))),
    Program("trap", runs_script("runs commands later", max_operands=1)),
    Program(
        "export typeset declare local readonly unset",
        search_assigned_values(search_expansions(ask_always(_VARIABLE))),
    ),
    Program("read getopts let shift", search_expansions(ask_always(_VARIABLE))),
    Program("set", _analyze_set, match_read_only=_match_set),
    Program("mapfile readarray", search_arguments(ask_always(_VARIABLE))),
    Program("alias", search_assigned_values(search_all_operands(ask_always(_SHELL)))),
    Program("hash enable", search_all_operands(ask_always(_SHELL))),
    Program("unalias shopt compopt ulimit umask fc history", ask_always(_SHELL)),
    Program("bind", _COMPLETION, stdin="code"),
    Program("complete compgen", _COMPLETION),
    Program("pushd popd dirs", ask_always("changes the working directory")),
    Program("fg bg disown wait suspend", _CONTROLS_JOBS),
    Program("kill", _CONTROLS_JOBS, takes_text=True),
    Program(
        "jobs",
        search_expansions(
            search_all_operands(ask_always("controls jobs and can run a command with `-x`"))
        ),
    ),
    Program(
        "printf",
        search_expansions(analyze_printf),
        takes_text=True,
        match_read_only=match_shown_text,
    ),
    Program(
        "test [",
        search_expansions(ask_on_options("may evaluate its operand as code", OptionSpec("vR"))),
        takes_text=True,
        match_read_only=_match_test,
    ),
)
