"""Effect rules of interpreters, editors and clients, which can run code or commands."""

from actors.bash.effects.command_options import OptionSpec, split_names
from actors.bash.effects.embedded_commands import search_arguments, search_code, search_sed_scripts
from actors.bash.effects.table_rules import (
    EffectRule,
    ask_always,
    ask_on_options,
    ask_on_words,
    first_match,
    search_all_operands,
)
from actors.bash.programs.script_languages import analyze_awk, analyze_sed, make_interpreter_rule

_CODE = "runs code from its arguments or its input"
_MAY_RUN_CODE = "may run code"
_INTERACTIVE = "is an interactive program that can run commands"

ROWS: tuple[tuple[str, EffectRule], ...] = (
    (
        "python pypy ipython",
        search_code(
            make_interpreter_rule(
                "ci",
                split_names(
                    "timeit code pdb bdb cProfile profile trace runpy asyncio webbrowser IPython"
                ),
                short_with_value="WX",
            )
        ),
    ),
    ("perl", search_code(make_interpreter_rule("eEMmIin"))),
    ("ruby", search_code(make_interpreter_rule("erIin", long=("eval",), short_with_value="CE"))),
    (
        "bun",
        first_match(
            search_code(
                make_interpreter_rule(
                    "epri", long=split_names("eval print preload import"), short_with_value="C"
                )
            ),
            search_all_operands(ask_on_words("runs a program by name", ("x", "exec"))),
        ),
    ),
    (
        "node nodejs tsx ts-node",
        search_code(
            make_interpreter_rule(
                "epri",
                long=split_names(
                    "eval print require import loader experimental-loader interactive run env-file "
                    "openssl-config snapshot-blob redirect-warnings"
                ),
                short_with_value="C",
            )
        ),
    ),
    (
        "gnuplot sbcl kotlin ghc mongosh mongo swift",
        search_code(make_interpreter_rule("e", long=("eval",))),
    ),
    (
        "rails wp drush lein mix rake",
        search_code(
            ask_on_words(
                _MAY_RUN_CODE, split_names("runner r eval eval-file php:eval ev run exec -e sh")
            )
        ),
    ),
    ("gpg-connect-agent", search_code(ask_always(_CODE))),
    ("emacsclient", search_code(ask_on_options(_MAY_RUN_CODE, OptionSpec("e", ("eval",))))),
    (
        "rpm rpmbuild",
        search_code(
            search_arguments(
                ask_on_options(
                    _MAY_RUN_CODE, OptionSpec("ED", split_names("eval define pipe load macros"))
                )
            )
        ),
    ),
    ("deno", search_code(ask_on_words(_MAY_RUN_CODE, split_names("eval repl run task x")))),
    ("php", search_code(make_interpreter_rule("rRBEFd", short_with_value="cfzSt"))),
    ("lua luajit", search_code(make_interpreter_rule("eil"))),
    (
        (
            "clisp tclsh wish guile racket scheme julia ghci irb erl iex elixir swipl osascript "
            "groovy jshell scala clojure clj Rscript R octave bc dc m4 sqlite3 psql mysql redis-cli"
        ),
        search_code(ask_always(_CODE)),
    ),
    ("awk gawk mawk nawk original-awk", search_code(search_arguments(analyze_awk))),
    ("sed gsed", search_code(search_sed_scripts(analyze_sed))),
    (
        (
            "ed ex vi vim nvim view vimdiff rvim nano emacs pico less more most man info pager "
            "lynx w3m vifm ranger lf links elinks top htop mutt mail"
        ),
        search_code(search_arguments(ask_always(_INTERACTIVE))),
    ),
)
