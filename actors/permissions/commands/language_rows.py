"""Interpreters, editors and clients: programs among, when their arguments, commands from inside."""

from actors.permissions.commands.guards import EffectRule, always, among, either, seen_through, when
from actors.permissions.commands.options import OptionSpec, listed
from actors.permissions.commands.programs import awk_hidden, interpreter, sed_hidden
from actors.permissions.commands.texts import in_code, in_sed, in_texts

_CODE = "it runs what its arguments say"
_INSIDE = "commands can be run from inside it"

ROWS: tuple[tuple[str, EffectRule], ...] = (
    (
        "python pypy ipython",
        in_code(
            interpreter(
                "ci",
                listed(
                    "timeit code pdb bdb cProfile profile trace runpy asyncio webbrowser IPython"
                ),
                valued="WX",
            )
        ),
    ),
    ("perl", in_code(interpreter("eEMmIin"))),
    ("ruby", in_code(interpreter("erIin", long=("eval",), valued="CE"))),
    (
        "bun",
        either(
            in_code(interpreter("epri", long=listed("eval print preload import"), valued="C")),
            seen_through(among("it runs a program by name", ("x", "exec"))),
        ),
    ),
    (
        "node nodejs tsx ts-node",
        in_code(
            interpreter(
                "epri",
                long=listed(
                    "eval print require import loader experimental-loader interactive run env-file "
                    "openssl-config snapshot-blob redirect-warnings"
                ),
                valued="C",
            )
        ),
    ),
    ("gnuplot sbcl kotlin ghc mongosh mongo swift", in_code(interpreter("e", long=("eval",)))),
    (
        "rails wp drush lein mix rake",
        in_code(among(_CODE, listed("runner r eval eval-file php:eval ev run exec -e sh"))),
    ),
    ("gpg-connect-agent", in_code(always(_CODE))),
    ("emacsclient", in_code(when(_CODE, OptionSpec("e", ("eval",))))),
    (
        "rpm rpmbuild",
        in_code(in_texts(when(_CODE, OptionSpec("ED", listed("eval define pipe load macros"))))),
    ),
    ("deno", in_code(among(_CODE, listed("eval repl run task x")))),
    ("php", in_code(interpreter("rRBEFd", valued="cfzSt"))),
    ("lua luajit", in_code(interpreter("eil"))),
    (
        (
            "clisp tclsh wish guile racket scheme julia ghci irb erl iex elixir swipl osascript "
            "groovy jshell scala clojure clj Rscript R octave bc dc m4 sqlite3 psql mysql redis-cli"
        ),
        in_code(always(_CODE)),
    ),
    ("awk gawk mawk nawk original-awk", in_code(in_texts(awk_hidden))),
    ("sed gsed", in_code(in_sed(sed_hidden))),
    (
        (
            "ed ex vi vim nvim view vimdiff rvim nano emacs pico less more most man info pager "
            "lynx w3m vifm ranger lf links elinks top htop mutt mail"
        ),
        in_code(in_texts(always(_INSIDE))),
    ),
)
