"""The table of commands that run or write through their arguments; each row says why.

To add one, add a row: `runs` for a wrapper, `scripts` for what takes a text to run, `when` for
options that do harm, `among` for words that do, `always` where nothing of it can be seen.
Long because it is one table.
"""

import re

from actors.permissions.commands.find import find_hidden
from actors.permissions.commands.git import git_hidden
from actors.permissions.commands.guards import (
    Guard,
    always,
    among,
    clustered,
    runs,
    scripts,
    second_operand,
    seen_through,
    unless,
    when,
)
from actors.permissions.commands.hidden import NOTHING, Hidden, Words
from actors.permissions.commands.options import Leading, Options
from actors.permissions.commands.programs import (
    awk_hidden,
    date_hidden,
    interpreter,
    printf_hidden,
    sed_hidden,
)
from actors.permissions.commands.shells import (
    env_hidden,
    flock_hidden,
    script_hidden,
    shell_hidden,
    source_hidden,
    su_hidden,
)
from actors.permissions.commands.texts import in_code, in_expansions, in_texts

_ROOT = "it runs a command as somebody else"
_RUNS = "it runs a command"
_CODE = "it runs what its arguments say"
_SHELL = "it changes the shell itself"
_VARIABLE = "it sets a variable"
_REMOTE = "it runs commands elsewhere, and here by its options"
_INSIDE = "commands can be run from inside it"
_BY_NAME = "it runs a program by name, fetched if need be"
_PROGRAM = "it runs another program"
_WRITES = "it writes a file"


def _long(names: str) -> tuple[str, ...]:
    return tuple(names.split())


_ROWS: tuple[tuple[str, Guard], ...] = (
    # shells, and what the shell itself offers
    ("bash sh dash zsh ksh mksh ash fish csh tcsh rbash pwsh", shell_hidden),
    ("eval", scripts(_CODE)),
    ("source .", source_hidden),
    ("exec", runs("it replaces the shell", Leading("a"))),
    ("command", runs("it runs a command past functions")),
    ("builtin", runs("it runs a builtin past functions")),
    ("time", runs(_RUNS, Leading("fo", _long("format output")))),
    ("coproc", seen_through(always("it runs a command beside this one"))),
    ("trap", scripts("it runs commands later", only=1)),
    ("export typeset declare local readonly unset", in_expansions(always(_VARIABLE))),
    ("read getopts let set shift", in_expansions(always(_VARIABLE))),
    ("mapfile readarray", in_texts(always(_VARIABLE))),
    ("alias", seen_through(always(_SHELL))),
    ("unalias shopt enable hash compopt ulimit umask fc history", always(_SHELL)),
    ("bind complete compgen", in_texts(always(_SHELL))),
    ("pushd popd dirs", always("it moves where paths count from")),
    ("fg bg kill disown wait jobs suspend", in_expansions(always("it acts on jobs"))),
    ("printf", in_expansions(printf_hidden)),
    ("test [", in_expansions(when("its value may be reckoned with", Options("vR")))),
    # wrappers
    (
        "sudo",
        runs(
            _ROOT,
            Leading(
                "CDghpRrTtUu",
                _long(
                    "user group host chdir prompt role type chroot close-from "
                    "command-timeout other-user"
                ),
                assignments=True,
            ),
        ),
    ),
    ("doas", runs(_ROOT, Leading("aCu"))),
    ("su runuser", su_hidden),
    ("pkexec", runs(_ROOT, Leading(long=("user",)))),
    ("env", env_hidden),
    (
        "xargs",
        runs(
            "it runs a command on what it reads",
            Leading(
                "adEILnPs",
                _long(
                    "arg-file delimiter max-args max-procs max-chars max-lines replace "
                    "process-slot-var"
                ),
            ),
        ),
    ),
    (
        "parallel",
        in_texts(
            scripts(
                "it runs a command on each argument",
                Leading(
                    "janNLPSI",
                    _long("jobs max-procs arg-file delay timeout retries joblog results colsep"),
                ),
            )
        ),
    ),
    ("timeout", runs(_RUNS, Leading("ks", _long("kill-after signal"), operands=1))),
    ("nice", runs(_RUNS, Leading("n", ("adjustment",)))),
    ("ionice", runs(_RUNS, Leading("cnpPu", _long("class classdata")))),
    ("chrt", runs(_RUNS, Leading("TPD", operands=1))),
    ("taskset", runs(_RUNS, Leading(operands=1))),
    ("setarch", seen_through(always(_RUNS))),
    (
        (
            "nohup setsid linux64 linux32 unbuffer catchsegv fakeroot rlwrap proot chronic "
            "eatmydata dbus-run-session systemd-inhibit firejail numactl prlimit setpriv entr "
            "cpulimit caffeinate torsocks torify tsocks proxychains dotenv dotenvx cross-env "
            "concurrently nodemon watchexec hyperfine sem faketime cgexec schroot run0 gosu "
            "su-exec setuidgid softlimit chpst envdir daemonize tini dumb-init multitime rr ifne "
            "mispipe lckdo setlock retry reflex onchange arch x86_64 uname26 doppler "
            "aws-vault sops op trickle heaptrack memusage cgclassify aa-exec please"
        ),
        seen_through(always(_RUNS)),
    ),
    ("stdbuf", runs(_RUNS, Leading("ioe", _long("input output error")))),
    ("watch", scripts("it runs a command again and again", Leading("n", ("interval",)))),
    ("script", script_hidden),
    ("unshare", runs(_RUNS, Leading("RwSG"))),
    ("nsenter", runs(_RUNS, Leading("tSGW", ("target",)))),
    ("chroot", runs("it runs a command elsewhere", Leading(operands=1))),
    ("systemd-run", runs(_RUNS, Leading("pEMHu", _long("unit property")))),
    ("flock", flock_hidden),
    ("strace ltrace", runs(_RUNS, Leading("aeEIopPsSuUX"))),
    ("gdb lldb valgrind perf expect dtach at batch crontab bwrap", seen_through(always(_RUNS))),
    (
        "xvfb-run i386 runcon run-parts sg newgrp ssh-agent capsh sudoedit ip",
        seen_through(always(_RUNS)),
    ),
    ("ssh-keygen gpg-agent", always("it loads code, or runs another program")),
    ("start-stop-daemon machinectl tmux screen lxc vagrant ansible", seen_through(always(_RUNS))),
    ("busybox toybox", runs("it is many commands in one")),
    # other machines and containers
    ("ssh", in_texts(scripts(_REMOTE, Leading("BbcDEeFIiJLlmOopQRSWw", operands=1)))),
    ("scp sftp rsync mosh telnet nc ncat netcat socat ftp lftp", in_texts(always(_REMOTE))),
    (
        "docker podman nerdctl",
        seen_through(
            unless(
                "it may run commands in a container",
                _long("ps images version info logs inspect stats top port history search"),
            )
        ),
    ),
    (
        "kubectl",
        seen_through(
            unless("it may run commands in a cluster", _long("get describe logs version explain"))
        ),
    ),
    # interpreters
    (
        "python pypy ipython",
        in_code(
            interpreter(
                "ci",
                _long(
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
                long=_long(
                    "eval print require import loader experimental-loader interactive run env-file "
                    "openssl-config snapshot-blob redirect-warnings"
                ),
                valued="C",
            )
        ),
    ),
    ("deno", in_code(among(_CODE, _long("eval repl run task x")))),
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
    # builders and runners
    (
        "make gmake ninja just",
        in_texts(
            when(
                "it changes what the build runs",
                Options(
                    "CfIEBWo", _long("eval file makefile directory include-dir old-file"), "jl"
                ),
                assignments=True,
            )
        ),
    ),
    ("npx pnpx bunx uvx pipx", in_texts(runs(_BY_NAME, Leading("pc", _long("package call"))))),
    (
        "npm pnpm yarn",
        seen_through(
            among(
                _BY_NAME,
                _long("exec x dlx config set explore edit"),
                Options(
                    "cC",
                    _long(
                        "call script-shell node-options prefix userconfig globalconfig shell "
                        "editor cwd dir"
                    ),
                ),
            )
        ),
    ),
    (
        "uv poetry pdm pipenv hatch rye bundle mise asdf direnv nix conda mamba",
        seen_through(among(_BY_NAME, _long("run exec shell tool develop"))),
    ),
    ("nix-shell", seen_through(always(_RUNS))),
    ("pip pip3", among("it changes its configuration", ("config",), Options("", ("python",)))),
    ("cargo", among(_PROGRAM, (), Options("Z", _long("config manifest-path")))),
    (
        "go",
        among(
            _PROGRAM,
            _long("run generate tool env"),
            beginnings=("-exec", "--exec", "-toolexec", "--toolexec", "-vettool"),
        ),
    ),
    (
        "gcc g++ cc clang ld",
        among(
            _PROGRAM,
            (),
            Options("B", _long("wrapper specs plugin")),
            ("-wrapper", "-fplugin", "-plugin", "-specs", "@"),
        ),
    ),
    # files
    ("find", find_hidden),
    ("fd fdfind", seen_through(when(_PROGRAM, Options("xX", _long("exec exec-batch"), "edtEcSj")))),
    (
        "rg",
        in_texts(
            when(
                _PROGRAM,
                Options("z", _long("pre search-zip hostname-bin"), "ABCEMTdefgjmrt", ("pretty",)),
            )
        ),
    ),
    ("ag ack", in_texts(when(_PROGRAM, Options("", ("pager",))))),
    (
        "sort",
        in_texts(
            when(
                "it writes a file or runs another program",
                Options("oT", _long("output temporary-directory compress-program"), "kStT"),
            )
        ),
    ),
    ("shuf", when(_WRITES, Options("o", ("output",), "ein"))),
    ("uniq", second_operand("its second file is written")),
    (
        "tar",
        clustered(
            in_texts(
                when(
                    _PROGRAM,
                    Options(
                        "IF",
                        _long(
                            "to-command checkpoint-action use-compress-program info-script "
                            "new-volume-script rsh-command rmt-command"
                        ),
                    ),
                )
            )
        ),
    ),
    ("bsdtar", in_texts(when(_PROGRAM, Options("", ("use-compress-program",))))),
    ("cpio", in_texts(when(_PROGRAM, Options("FHO", _long("rsh-command file"))))),
    ("zip", in_texts(when(_PROGRAM, Options("T", _long("unzip-command test"))))),
    ("split", in_texts(when(_PROGRAM, Options("", ("filter",))))),
    ("tee csplit wget patch", always("it writes files")),
    ("dd", among(_WRITES, (), beginnings=("of=",))),
    ("date", date_hidden),
    ("hwclock", always("it sets the clock")),
    (
        "curl",
        when(
            "it writes files, or sends them",
            Options(
                "oOTKDcJFd",
                _long(
                    "output remote-name upload-file config dump-header cookie-jar data form "
                    "output-dir trace trace-ascii hsts alt-svc etag-save stderr libcurl "
                    "data-binary data-raw data-ascii data-urlencode json form-string url-query"
                ),
                "AbCEHmPQrtuUwxXyYz",
            ),
        ),
    ),
    ("file", when(_WRITES, Options("C", ("compile",), "Fefm"))),
    ("tree iconv base64", when(_WRITES, Options("o", ("output",)))),
    ("xxd", second_operand("its second file is written")),
    ("diff", when(_WRITES, Options("", ("output",)))),
    ("install", when(_PROGRAM, Options("", ("strip-program",)))),
    ("ctags", when("it writes a file, or runs a program", Options("oef", ("output",)))),
    ("gpg openssl", always("it writes files, or loads code")),
    ("jq", when("it loads code", Options("L", ("from-file",)))),
    ("yq", when("it writes in place", Options("i", ("inplace",)))),
    ("xdg-open open", always(_CODE)),
    ("git", git_hidden),
    ("hg", when(_PROGRAM, Options("", _long("config cwd repository")))),
    (
        "svn",
        when(
            _PROGRAM,
            Options("", _long("config-option diff-cmd diff3-cmd editor-cmd config-dir")),
        ),
    ),
    (
        "gh",
        among(
            "it may run commands, or change its configuration",
            _long("alias extension api config secret codespace"),
        ),
    ),
)

GUARDS = {name: guard for names, guard in _ROWS for name in names.split()}
_LOADER = runs(
    "the loader runs what it is given",
    Leading(long=_long("library-path preload audit inhibit-rpath argv0")),
)
_PART_OF_GIT = always("it is a part of git")
_FAMILIES = ("git-", "ld-linux", "ld.so", "ld-musl")
_VERSION = re.compile(r"-?\d[\d.]*$|\.exe$")
_LONGEST_NAME = 64


def hidden_in(words: Words, stdin: str = "") -> Hidden:
    """Say what a command runs or writes through its arguments."""
    if not words:
        return NOTHING
    guard = guard_of(words[0].text)
    return guard(words, stdin) if guard else NOTHING


def guard_of(name: str) -> Guard | None:
    """Find the row of a command by its bare name, whatever its version."""
    bare = name.rpartition("/")[2]
    guard = GUARDS.get(bare)
    if guard or bare.isalpha():
        return guard
    if bare.startswith(_FAMILIES):
        return _PART_OF_GIT if bare.startswith("git-") else _LOADER
    return None if len(bare) > _LONGEST_NAME else GUARDS.get(_VERSION.sub("", bare))
