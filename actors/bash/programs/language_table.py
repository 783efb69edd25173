"""Records of interpreters, editors and clients, which can run code or commands."""

from actors.bash.effects.effect_rules import (
    ask_always,
    ask_on_options,
    ask_on_words,
    first_match,
    search_all_operands,
)
from actors.bash.effects.option_parsing import OptionSpec, split_names
from actors.bash.effects.possible_commands import search_arguments, search_code
from actors.bash.effects.written_paths import WrittenPaths, write_all, write_in_place
from actors.bash.programs.code_arguments import make_interpreter_rule
from actors.bash.programs.program import Program

_CODE = "runs code from its arguments or its input"
_MAY_RUN_CODE = "may run code"
_INTERACTIVE = "is an interactive program that can run commands"
_PYTHON = search_code(
    make_interpreter_rule(
        "ci",
        split_names(
            "timeit code pdb bdb cProfile profile trace runpy asyncio webbrowser IPython coverage "
            "pipx uv poetry pyperf fire"
        ),
        short_with_value="WX",
    )
)
_NODE = search_code(
    make_interpreter_rule(
        "epri",
        long=split_names(
            "eval print require import loader experimental-loader interactive run env-file "
            "openssl-config snapshot-blob redirect-warnings"
        ),
        short_with_value="C",
    )
)
_LUA = search_code(make_interpreter_rule("eil"))
_EDITOR_OR_PAGER = search_code(search_arguments(ask_always(_INTERACTIVE)))

PROGRAMS: tuple[Program, ...] = (
    Program("python", _PYTHON, stdin="code", code_names_files=True),
    Program("pypy ipython", _PYTHON, stdin="code"),
    Program(
        "perl",
        search_code(make_interpreter_rule("eEMmIin")),
        stdin="code",
        code_names_files=True,
        writes=WrittenPaths(write_in_place),
    ),
    Program(
        "ruby",
        search_code(make_interpreter_rule("erIin", long=("eval",), short_with_value="CE")),
        stdin="code",
        code_names_files=True,
        writes=WrittenPaths(write_in_place),
    ),
    Program(
        "bun",
        first_match(
            search_code(
                make_interpreter_rule(
                    "epri", long=split_names("eval print preload import"), short_with_value="C"
                )
            ),
            search_all_operands(ask_on_words("runs a program by name", ("x", "exec"))),
        ),
        stdin="code",
        code_names_files=True,
        has_subcommands=True,
    ),
    Program("node", _NODE, stdin="code", code_names_files=True),
    Program("nodejs tsx ts-node", _NODE, stdin="code"),
    Program(
        "gnuplot sbcl kotlin ghc mongosh mongo swift",
        search_code(make_interpreter_rule("e", long=("eval",))),
        stdin="code",
    ),
    Program(
        "rails wp drush lein mix rake",
        search_code(
            ask_on_words(
                _MAY_RUN_CODE, split_names("runner r eval eval-file php:eval ev run exec -e sh")
            )
        ),
        stdin="code",
    ),
    Program("gpg-connect-agent", search_code(ask_always(_CODE)), stdin="code"),
    Program(
        "emacsclient",
        search_code(ask_on_options(_MAY_RUN_CODE, OptionSpec("e", ("eval",)))),
        stdin="code",
    ),
    Program(
        "rpm rpmbuild",
        search_code(
            search_arguments(
                ask_on_options(
                    _MAY_RUN_CODE, OptionSpec("ED", split_names("eval define pipe load macros"))
                )
            )
        ),
        stdin="code",
    ),
    Program(
        "deno",
        search_code(ask_on_words(_MAY_RUN_CODE, split_names("eval repl run task x"))),
        stdin="code",
        code_names_files=True,
    ),
    Program(
        "php",
        search_code(make_interpreter_rule("rRBEFd", short_with_value="cfzSt")),
        stdin="code",
        code_names_files=True,
    ),
    Program("lua", _LUA, stdin="code", code_names_files=True),
    Program("luajit", _LUA, stdin="code"),
    Program(
        "clisp wish guile racket scheme julia ghci irb erl iex elixir swipl osascript groovy "
        "jshell scala clojure clj Rscript R octave bc dc m4 sqlite3 psql mysql redis-cli",
        search_code(ask_always(_CODE)),
        stdin="code",
    ),
    Program("tclsh", search_code(ask_always(_CODE)), stdin="code", code_names_files=True),
    Program(
        "ed ex vi vim nvim",
        _EDITOR_OR_PAGER,
        stdin="code",
        code_names_files=True,
        writes=WrittenPaths(write_all),
    ),
    Program(
        "view vimdiff rvim emacs pico less more most man info pager lynx w3m vifm ranger lf links "
        "elinks top htop mutt mail",
        _EDITOR_OR_PAGER,
        stdin="code",
    ),
    Program("nano", _EDITOR_OR_PAGER, stdin="code", writes=WrittenPaths(write_all)),
)
