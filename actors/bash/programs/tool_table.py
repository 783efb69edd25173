"""Effect rules of build tools, package runners and file tools, which depend on their options."""

from actors.bash.effects.command_options import OptionSpec, WrapperOptions, split_names
from actors.bash.effects.embedded_commands import search_arguments, search_assigned_values
from actors.bash.effects.table_rules import (
    EffectRule,
    accept_bundled_options,
    ask_always,
    ask_on_options,
    ask_on_second_operand,
    ask_on_words,
    runs_command,
    search_all_operands,
    skip_script_arguments,
)
from actors.bash.programs.find import analyze_find
from actors.bash.programs.git import analyze_git
from actors.bash.programs.script_languages import analyze_date

_RUNS = "runs another command"
_BY_NAME = "may download and run a program"
_PROGRAM = "may run another program"
_WRITES = "may write a file"

ROWS: tuple[tuple[str, EffectRule], ...] = (
    (
        "make gmake ninja just",
        search_assigned_values(
            search_arguments(
                ask_on_options(
                    "may change what the build runs",
                    OptionSpec(
                        "CfIEBWo",
                        split_names("eval file makefile directory include-dir old-file"),
                        "jl",
                    ),
                    on_assignments=True,
                )
            )
        ),
    ),
    (
        "npx pnpx bunx uvx",
        search_arguments(runs_command(_BY_NAME, WrapperOptions("pc", split_names("package call")))),
    ),
    (
        "npm pnpm yarn",
        skip_script_arguments(
            search_all_operands(
                ask_on_words(
                    _BY_NAME,
                    split_names("exec x dlx config set explore edit"),
                    OptionSpec(
                        "cC",
                        split_names(
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
        search_all_operands(ask_on_words(_BY_NAME, split_names("run exec shell tool develop x"))),
    ),
    (
        "rbenv pyenv nodenv jenv goenv phpenv composer tox chamber",
        search_all_operands(ask_on_words(_BY_NAME, ("exec", "devenv"))),
    ),
    ("foreman infisical", search_all_operands(ask_on_words(_BY_NAME, ("run", "start")))),
    ("mvn mvnw", search_arguments(ask_on_words(_PROGRAM, ("exec:exec", "exec:java")))),
    (
        "bazel bazelisk",
        search_arguments(ask_on_words(_PROGRAM, (), OptionSpec("", ("run_under",)))),
    ),
    ("tcpdump", search_arguments(ask_on_options(_PROGRAM, OptionSpec("z", (), "BcCFiIMrsTVwWyG")))),
    ("cmake", search_all_operands(ask_on_words(_PROGRAM, ("-E", "-P")))),
    (
        "apt apt-get",
        search_arguments(
            ask_on_options(
                "may run programs", OptionSpec("oc", split_names("option config-file"), "t")
            )
        ),
    ),
    (
        "fzf",
        search_arguments(
            ask_on_options(_PROGRAM, OptionSpec("", split_names("preview bind with-shell")))
        ),
    ),
    ("nix-shell", search_all_operands(ask_always(_RUNS))),
    (
        "pip pip3",
        ask_on_words("may change the configuration", ("config",), OptionSpec("", ("python",))),
    ),
    (
        "cargo",
        search_arguments(
            ask_on_words(_PROGRAM, ("watch",), OptionSpec("Z", split_names("config manifest-path")))
        ),
    ),
    (
        "go",
        search_arguments(
            ask_on_words(
                _PROGRAM,
                split_names("run generate tool env"),
                prefixes=("-exec", "--exec", "-toolexec", "--toolexec", "-vettool"),
            )
        ),
    ),
    (
        "gcc g++ cc clang ld",
        search_arguments(
            ask_on_words(
                _PROGRAM,
                (),
                OptionSpec("B", split_names("wrapper specs plugin")),
                ("-wrapper", "-fplugin", "-plugin", "-specs", "@"),
            )
        ),
    ),
    ("find", analyze_find),
    (
        "fd fdfind",
        search_all_operands(
            ask_on_options(_PROGRAM, OptionSpec("xX", split_names("exec exec-batch"), "edtEcSj"))
        ),
    ),
    (
        "rg",
        search_arguments(
            ask_on_options(
                _PROGRAM,
                OptionSpec(
                    "z", split_names("pre search-zip hostname-bin"), "ABCEMTdefgjmrt", ("pretty",)
                ),
            )
        ),
    ),
    ("ag ack", search_arguments(ask_on_options(_PROGRAM, OptionSpec("", ("pager",))))),
    (
        "sort",
        search_arguments(
            ask_on_options(
                "may write a file or run another program",
                OptionSpec(
                    "oT", split_names("output temporary-directory compress-program"), "kStT"
                ),
            )
        ),
    ),
    ("shuf", ask_on_options(_WRITES, OptionSpec("o", ("output",), "ein"))),
    ("uniq", ask_on_second_operand("writes its second file")),
    (
        "tar",
        accept_bundled_options(
            search_arguments(
                ask_on_options(
                    _PROGRAM,
                    OptionSpec(
                        "IF",
                        split_names(
                            "to-command checkpoint-action use-compress-program info-script "
                            "new-volume-script rsh-command rmt-command"
                        ),
                    ),
                )
            )
        ),
    ),
    (
        "bsdtar",
        search_arguments(ask_on_options(_PROGRAM, OptionSpec("", ("use-compress-program",)))),
    ),
    (
        "cpio",
        search_arguments(
            ask_on_options(_PROGRAM, OptionSpec("FHO", split_names("rsh-command file")))
        ),
    ),
    (
        "zip",
        search_arguments(
            ask_on_options(_PROGRAM, OptionSpec("T", split_names("unzip-command test")))
        ),
    ),
    ("split", search_arguments(ask_on_options(_PROGRAM, OptionSpec("", ("filter",))))),
    ("tee csplit patch", ask_always("writes files")),
    ("wget", search_arguments(ask_always("writes files"))),
    ("dd", ask_on_words(_WRITES, (), prefixes=("of=",))),
    ("date", analyze_date),
    ("hwclock", ask_always("can set the system clock")),
    (
        "curl",
        ask_on_options(
            "may write or send files",
            OptionSpec(
                "oOTKDcJFd",
                split_names(
                    "output remote-name upload-file config dump-header cookie-jar data form "
                    "output-dir trace trace-ascii hsts alt-svc etag-save stderr libcurl "
                    "data-binary data-raw data-ascii data-urlencode json form-string url-query"
                ),
                "AbCEHmPQrtuUwxXyYz",
            ),
        ),
    ),
    ("file", ask_on_options(_WRITES, OptionSpec("C", ("compile",), "Fefm"))),
    ("tree iconv base64", ask_on_options(_WRITES, OptionSpec("o", ("output",)))),
    ("xxd", ask_on_second_operand("writes its second file")),
    ("diff", ask_on_options(_WRITES, OptionSpec("", ("output",)))),
    ("install", ask_on_options(_PROGRAM, OptionSpec("", ("strip-program",)))),
    (
        "ctags",
        ask_on_options("may write a file or run a program", OptionSpec("oef", ("output",))),
    ),
    ("gpg openssl", ask_always("may write files or load code")),
    ("jq", ask_on_options("may load code", OptionSpec("L", ("from-file",)))),
    ("yq", ask_on_options("may edit files in place", OptionSpec("i", ("inplace",)))),
    ("xdg-open open", search_all_operands(ask_always("opens a file or URL in another program"))),
    ("git", analyze_git),
    (
        "hg",
        search_all_operands(
            ask_on_options(_PROGRAM, OptionSpec("", split_names("config cwd repository")))
        ),
    ),
    (
        "svn",
        search_arguments(
            ask_on_options(
                _PROGRAM,
                OptionSpec(
                    "", split_names("config-option diff-cmd diff3-cmd editor-cmd config-dir")
                ),
            )
        ),
    ),
    (
        "gh",
        search_all_operands(
            ask_on_words(
                "may run commands or change the configuration",
                split_names("alias extension api config secret codespace"),
            )
        ),
    ),
)
