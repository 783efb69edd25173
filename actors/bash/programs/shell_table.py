"""Records of shells, and of builtins that run a text or change the shell."""

from actors.bash.effects.effect_rules import (
    ask_always,
    ask_on_options,
    runs_command,
    runs_script,
    search_all_operands,
)
from actors.bash.effects.option_parsing import OptionSpec, WrapperOptions, split_names
from actors.bash.effects.possible_commands import (
    search_arguments,
    search_assigned_values,
    search_code,
    search_expansions,
)
from actors.bash.programs.code_arguments import analyze_printf
from actors.bash.programs.program import Program
from actors.bash.programs.shells import SHELLS, SOURCE

_RUNS = "runs another command"
_CODE = "runs its arguments as code"
_SHELL = "changes how the shell works"
_VARIABLE = "changes shell variables"
_COMPLETION = search_code(search_arguments(ask_always(_SHELL)))
_CONTROLS_JOBS = search_expansions(ask_always("controls jobs or processes"))

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
    Program("command", runs_command(_RUNS)),
    Program("builtin", runs_command("runs a shell builtin")),
    Program("time", runs_command(_RUNS, WrapperOptions("fo", split_names("format output")))),
    Program("coproc", search_all_operands(ask_always("runs a command in the background"))),
    Program("trap", runs_script("runs commands later", max_operands=1)),
    Program(
        "export typeset declare local readonly unset",
        search_assigned_values(search_expansions(ask_always(_VARIABLE))),
    ),
    Program("read getopts let shift", search_expansions(ask_always(_VARIABLE))),
    Program("set", search_expansions(search_all_operands(ask_always(_VARIABLE)))),
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
    Program("printf", search_expansions(analyze_printf), takes_text=True),
    Program(
        "test [",
        search_expansions(ask_on_options("may evaluate its operand as code", OptionSpec("vR"))),
        takes_text=True,
    ),
)
