"""Builders, runners and tools for files, which run or write by their options."""

from actors.permissions.commands.find import find_hidden
from actors.permissions.commands.git import git_hidden
from actors.permissions.commands.guards import (
    EffectRule,
    always,
    among,
    clustered,
    of_scripts,
    runs,
    second_operand,
    seen_through,
    when,
)
from actors.permissions.commands.options import Leading, OptionSpec, listed
from actors.permissions.commands.programs import date_hidden
from actors.permissions.commands.texts import in_texts, in_values

_RUNS = "it runs a command"
_CODE = "it runs what its arguments say"
_BY_NAME = "it runs a program by name, fetched if need be"
_PROGRAM = "it runs another program"
_WRITES = "it writes a file"

ROWS: tuple[tuple[str, EffectRule], ...] = (
    (
        "make gmake ninja just",
        in_values(
            in_texts(
                when(
                    "it changes what the build runs",
                    OptionSpec(
                        "CfIEBWo", listed("eval file makefile directory include-dir old-file"), "jl"
                    ),
                    assignments=True,
                )
            )
        ),
    ),
    ("npx pnpx bunx uvx", in_texts(runs(_BY_NAME, Leading("pc", listed("package call"))))),
    (
        "npm pnpm yarn",
        of_scripts(
            seen_through(
                among(
                    _BY_NAME,
                    listed("exec x dlx config set explore edit"),
                    OptionSpec(
                        "cC",
                        listed(
                            "call script-shell node-options prefix userconfig globalconfig shell "
                            "editor cwd dir"
                        ),
                    ),
                )
            )
        ),
    ),
    (
        "pipx uv poetry pdm pipenv hatch rye bundle mise asdf direnv nix conda mamba",
        seen_through(among(_BY_NAME, listed("run exec shell tool develop x"))),
    ),
    (
        "rbenv pyenv nodenv jenv goenv phpenv composer tox chamber",
        seen_through(among(_BY_NAME, ("exec", "devenv"))),
    ),
    ("foreman infisical", seen_through(among(_BY_NAME, ("run", "start")))),
    ("mvn mvnw", in_texts(among(_PROGRAM, ("exec:exec", "exec:java")))),
    ("bazel bazelisk", in_texts(among(_PROGRAM, (), OptionSpec("", ("run_under",))))),
    ("tcpdump", in_texts(when(_PROGRAM, OptionSpec("z", (), "BcCFiIMrsTVwWyG")))),
    ("cmake", seen_through(among(_PROGRAM, ("-E", "-P")))),
    (
        "apt apt-get",
        in_texts(when("it may run programs", OptionSpec("oc", listed("option config-file"), "t"))),
    ),
    ("fzf", in_texts(when(_PROGRAM, OptionSpec("", listed("preview bind with-shell"))))),
    ("nix-shell", seen_through(always(_RUNS))),
    ("pip pip3", among("it changes its configuration", ("config",), OptionSpec("", ("python",)))),
    (
        "cargo",
        in_texts(among(_PROGRAM, ("watch",), OptionSpec("Z", listed("config manifest-path")))),
    ),
    (
        "go",
        in_texts(
            among(
                _PROGRAM,
                listed("run generate tool env"),
                beginnings=("-exec", "--exec", "-toolexec", "--toolexec", "-vettool"),
            )
        ),
    ),
    (
        "gcc g++ cc clang ld",
        in_texts(
            among(
                _PROGRAM,
                (),
                OptionSpec("B", listed("wrapper specs plugin")),
                ("-wrapper", "-fplugin", "-plugin", "-specs", "@"),
            )
        ),
    ),
    ("find", find_hidden),
    (
        "fd fdfind",
        seen_through(when(_PROGRAM, OptionSpec("xX", listed("exec exec-batch"), "edtEcSj"))),
    ),
    (
        "rg",
        in_texts(
            when(
                _PROGRAM,
                OptionSpec(
                    "z", listed("pre search-zip hostname-bin"), "ABCEMTdefgjmrt", ("pretty",)
                ),
            )
        ),
    ),
    ("ag ack", in_texts(when(_PROGRAM, OptionSpec("", ("pager",))))),
    (
        "sort",
        in_texts(
            when(
                "it writes a file or runs another program",
                OptionSpec("oT", listed("output temporary-directory compress-program"), "kStT"),
            )
        ),
    ),
    ("shuf", when(_WRITES, OptionSpec("o", ("output",), "ein"))),
    ("uniq", second_operand("its second file is written")),
    (
        "tar",
        clustered(
            in_texts(
                when(
                    _PROGRAM,
                    OptionSpec(
                        "IF",
                        listed(
                            "to-command checkpoint-action use-compress-program info-script "
                            "new-volume-script rsh-command rmt-command"
                        ),
                    ),
                )
            )
        ),
    ),
    ("bsdtar", in_texts(when(_PROGRAM, OptionSpec("", ("use-compress-program",))))),
    ("cpio", in_texts(when(_PROGRAM, OptionSpec("FHO", listed("rsh-command file"))))),
    ("zip", in_texts(when(_PROGRAM, OptionSpec("T", listed("unzip-command test"))))),
    ("split", in_texts(when(_PROGRAM, OptionSpec("", ("filter",))))),
    ("tee csplit patch", always("it writes files")),
    ("wget", in_texts(always("it writes files"))),
    ("dd", among(_WRITES, (), beginnings=("of=",))),
    ("date", date_hidden),
    ("hwclock", always("it sets the clock")),
    (
        "curl",
        when(
            "it writes files, or sends them",
            OptionSpec(
                "oOTKDcJFd",
                listed(
                    "output remote-name upload-file config dump-header cookie-jar data form "
                    "output-dir trace trace-ascii hsts alt-svc etag-save stderr libcurl "
                    "data-binary data-raw data-ascii data-urlencode json form-string url-query"
                ),
                "AbCEHmPQrtuUwxXyYz",
            ),
        ),
    ),
    ("file", when(_WRITES, OptionSpec("C", ("compile",), "Fefm"))),
    ("tree iconv base64", when(_WRITES, OptionSpec("o", ("output",)))),
    ("xxd", second_operand("its second file is written")),
    ("diff", when(_WRITES, OptionSpec("", ("output",)))),
    ("install", when(_PROGRAM, OptionSpec("", ("strip-program",)))),
    ("ctags", when("it writes a file, or runs a program", OptionSpec("oef", ("output",)))),
    ("gpg openssl", always("it writes files, or loads code")),
    ("jq", when("it loads code", OptionSpec("L", ("from-file",)))),
    ("yq", when("it writes in place", OptionSpec("i", ("inplace",)))),
    ("xdg-open open", seen_through(always(_CODE))),
    ("git", git_hidden),
    ("hg", seen_through(when(_PROGRAM, OptionSpec("", listed("config cwd repository"))))),
    (
        "svn",
        in_texts(
            when(
                _PROGRAM,
                OptionSpec("", listed("config-option diff-cmd diff3-cmd editor-cmd config-dir")),
            )
        ),
    ),
    (
        "gh",
        seen_through(
            among(
                "it may run commands, or change its configuration",
                listed("alias extension api config secret codespace"),
            )
        ),
    ),
)
