"""Effect rules of shells, and of builtins that run a text or change the shell."""

from actors.bash.effects.command_options import OptionSpec, WrapperOptions, split_names
from actors.bash.effects.embedded_commands import (
    search_arguments,
    search_assigned_values,
    search_code,
    search_expansions,
)
from actors.bash.effects.table_rules import (
    EffectRule,
    ask_always,
    ask_on_options,
    runs_command,
    runs_script,
    search_all_operands,
)
from actors.bash.programs.script_languages import analyze_printf
from actors.bash.programs.shells import analyze_shell, analyze_source

_RUNS = "runs another command"
_CODE = "runs its arguments as code"
_SHELL = "changes how the shell works"
_VARIABLE = "changes shell variables"

ROWS: tuple[tuple[str, EffectRule], ...] = (
    ("bash sh dash zsh ksh mksh ash fish csh tcsh rbash yash nu xonsh elvish", analyze_shell),
    ("pwsh powershell cmd", search_arguments(search_all_operands(ask_always(_CODE)))),
    ("eval", runs_script(_CODE)),
    ("source .", analyze_source),
    ("exec", runs_command("replaces the shell with another command", WrapperOptions("a"))),
    ("command", runs_command(_RUNS)),
    ("builtin", runs_command("runs a shell builtin")),
    ("time", runs_command(_RUNS, WrapperOptions("fo", split_names("format output")))),
    ("coproc", search_all_operands(ask_always("runs a command in the background"))),
    ("trap", runs_script("runs commands later", max_operands=1)),
    (
        "export typeset declare local readonly unset",
        search_assigned_values(search_expansions(ask_always(_VARIABLE))),
    ),
    ("read getopts let shift", search_expansions(ask_always(_VARIABLE))),
    ("set", search_expansions(search_all_operands(ask_always(_VARIABLE)))),
    ("mapfile readarray", search_arguments(ask_always(_VARIABLE))),
    ("alias", search_assigned_values(search_all_operands(ask_always(_SHELL)))),
    ("hash enable", search_all_operands(ask_always(_SHELL))),
    ("unalias shopt compopt ulimit umask fc history", ask_always(_SHELL)),
    ("bind complete compgen", search_code(search_arguments(ask_always(_SHELL)))),
    ("pushd popd dirs", ask_always("changes the working directory")),
    ("fg bg kill disown wait suspend", search_expansions(ask_always("controls running jobs"))),
    (
        "jobs",
        search_expansions(
            search_all_operands(ask_always("controls jobs and can run a command with `-x`"))
        ),
    ),
    ("printf", search_expansions(analyze_printf)),
    (
        "test [",
        search_expansions(ask_on_options("may evaluate its operand as code", OptionSpec("vR"))),
    ),
)
