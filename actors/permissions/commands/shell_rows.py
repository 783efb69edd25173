"""Shells, and what the shell itself offers that runs a text or changes the shell."""

from actors.permissions.commands.guards import EffectRule, always, runs, scripts, seen_through, when
from actors.permissions.commands.options import Leading, OptionSpec, listed
from actors.permissions.commands.programs import printf_hidden
from actors.permissions.commands.shells import shell_hidden, source_hidden
from actors.permissions.commands.texts import in_code, in_expansions, in_texts, in_values

_RUNS = "it runs a command"
_CODE = "it runs what its arguments say"
_SHELL = "it changes the shell itself"
_VARIABLE = "it sets a variable"

ROWS: tuple[tuple[str, EffectRule], ...] = (
    ("bash sh dash zsh ksh mksh ash fish csh tcsh rbash yash nu xonsh elvish", shell_hidden),
    ("pwsh powershell cmd", in_texts(seen_through(always(_CODE)))),
    ("eval", scripts(_CODE)),
    ("source .", source_hidden),
    ("exec", runs("it replaces the shell", Leading("a"))),
    ("command", runs("it runs a command past functions")),
    ("builtin", runs("it runs a builtin past functions")),
    ("time", runs(_RUNS, Leading("fo", listed("format output")))),
    ("coproc", seen_through(always("it runs a command beside this one"))),
    ("trap", scripts("it runs commands later", only=1)),
    ("export typeset declare local readonly unset", in_values(in_expansions(always(_VARIABLE)))),
    ("read getopts let shift", in_expansions(always(_VARIABLE))),
    ("set", in_expansions(seen_through(always(_VARIABLE)))),
    ("mapfile readarray", in_texts(always(_VARIABLE))),
    ("alias", in_values(seen_through(always(_SHELL)))),
    ("hash enable", seen_through(always(_SHELL))),
    ("unalias shopt compopt ulimit umask fc history", always(_SHELL)),
    ("bind complete compgen", in_code(in_texts(always(_SHELL)))),
    ("pushd popd dirs", always("it moves where paths count from")),
    ("fg bg kill disown wait suspend", in_expansions(always("it acts on jobs"))),
    ("jobs", in_expansions(seen_through(always("it acts on jobs, and runs a command by -x")))),
    ("printf", in_expansions(printf_hidden)),
    ("test [", in_expansions(when("its value may be reckoned with", OptionSpec("vR")))),
)
