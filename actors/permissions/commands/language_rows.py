"""Interpreters, editors and clients: programs among their arguments, commands from inside."""

from actors.permissions.commands.guards import Guard, always, among
from actors.permissions.commands.options import listed
from actors.permissions.commands.programs import awk_hidden, interpreter, sed_hidden
from actors.permissions.commands.texts import in_code, in_texts

_CODE = "it runs what its arguments say"
_INSIDE = "commands can be run from inside it"

ROWS: tuple[tuple[str, Guard], ...] = (
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
        "node nodejs bun tsx ts-node",
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
    ("deno", in_code(among(_CODE, listed("eval repl run task x")))),
    ("php", in_code(interpreter("rRBEFd", valued="cfzSt"))),
    ("lua luajit", in_code(interpreter("eil"))),
    (
        (
            "tclsh wish guile racket scheme julia ghci irb erl iex elixir swipl osascript groovy "
            "jshell scala clojure clj Rscript R octave bc dc m4 sqlite3 psql mysql redis-cli"
        ),
        in_code(always(_CODE)),
    ),
    ("awk gawk mawk nawk original-awk", in_code(awk_hidden)),
    ("sed gsed", in_code(sed_hidden)),
    (
        (
            "ed ex vi vim nvim view vimdiff rvim nano emacs pico less more most man info pager "
            "lynx w3m links elinks top htop mutt mail"
        ),
        in_texts(always(_INSIDE)),
    ),
)
