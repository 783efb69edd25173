"""Records of build tools, package runners and file tools, which depend on their options."""

import re

from actors.bash.effects.effect_rules import (
    accept_bundled_options,
    ask_always,
    ask_on_options,
    ask_on_second_operand,
    ask_on_words,
    runs_command,
    search_all_operands,
    skip_script_arguments,
)
from actors.bash.effects.option_parsing import OptionSpec, WrapperOptions, split_names
from actors.bash.effects.possible_commands import search_arguments, search_assigned_values
from actors.bash.effects.written_paths import (
    WrittenPaths,
    write_all,
    write_first,
    write_in_place,
    write_last,
    write_second,
    writes_unnamed_if,
)
from actors.bash.programs.program import Program, read_all_below
from actors.bash.syntax.parsed_command import Word, Words

_MAKE_PREFIX = re.compile(r"^[ \t]*+[@+-]++", re.MULTILINE)
_RUNS = "runs another command"
_BY_NAME = "may download and run a program"
_PROGRAM = "may run another program"
_WRITES = "may write a file"
_MAKE = search_assigned_values(
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
)
_RUNS_BY_NAME = search_all_operands(
    ask_on_words(_BY_NAME, split_names("run exec shell tool develop x"))
)
_EXECUTES_BY_NAME = search_all_operands(ask_on_words(_BY_NAME, ("exec", "devenv")))
_MAVEN = search_arguments(ask_on_words(_PROGRAM, ("exec:exec", "exec:java")))
_COMPILER = search_arguments(
    ask_on_words(
        _PROGRAM,
        (),
        OptionSpec("B", split_names("wrapper specs plugin")),
        ("-wrapper", "-fplugin", "-plugin", "-specs", "@"),
    )
)
_OUTPUT_OPTION = ask_on_options(_WRITES, OptionSpec("o", ("output",)))
_EXTRACTS_TAR = writes_unnamed_if(r"-?[A-Za-z]*x[A-Za-z]*|--ext\w*|--get?")
_CRYPTOGRAPHY = ask_always("may write files or load code")


def _write_assigned(arguments: Words, _operands: list[Word]) -> list[Word]:
    """List what `dd` writes: `of=FILE`."""
    return [
        word.with_text(word.text.removeprefix("of="))
        for word in arguments
        if word.text.startswith("of=")
    ]


def _write_bundled(_arguments: Words, operands: list[Word]) -> list[Word]:
    """List what `tar cf FILE` writes, where the options have no dash."""
    first = operands[0].text if operands else ""
    return operands[1:2] if first.isalpha() and "f" in first else []


PROGRAMS: tuple[Program, ...] = (
    Program("make", _MAKE, stdin="commands", stdin_line_prefix=_MAKE_PREFIX),
    Program("gmake ninja just", _MAKE, stdin="commands"),
    Program(
        "npx pnpx bunx uvx",
        search_arguments(runs_command(_BY_NAME, WrapperOptions("pc", split_names("package call")))),
    ),
    Program(
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
        has_subcommands=True,
    ),
    Program("pipx hatch rye mise asdf direnv nix", _RUNS_BY_NAME),
    Program("uv poetry pdm pipenv bundle conda mamba", _RUNS_BY_NAME, has_subcommands=True),
    Program("rbenv pyenv nodenv jenv goenv phpenv tox chamber", _EXECUTES_BY_NAME),
    Program("composer", _EXECUTES_BY_NAME, has_subcommands=True),
    Program("foreman infisical", search_all_operands(ask_on_words(_BY_NAME, ("run", "start")))),
    Program("mvn", _MAVEN, has_subcommands=True),
    Program("mvnw", _MAVEN),
    Program(
        "bazel bazelisk",
        search_arguments(ask_on_words(_PROGRAM, (), OptionSpec("", ("run_under",)))),
    ),
    Program(
        "tcpdump",
        search_arguments(ask_on_options(_PROGRAM, OptionSpec("z", (), "BcCFiIMrsTVwWyG"))),
    ),
    Program("cmake", search_all_operands(ask_on_words(_PROGRAM, ("-E", "-P")))),
    Program(
        "apt apt-get",
        search_arguments(
            ask_on_options(
                "may run programs", OptionSpec("oc", split_names("option config-file"), "t")
            )
        ),
        has_subcommands=True,
    ),
    Program(
        "fzf",
        search_arguments(
            ask_on_options(_PROGRAM, OptionSpec("", split_names("preview bind with-shell")))
        ),
    ),
    Program("nix-shell", search_all_operands(ask_always(_RUNS))),
    Program(
        "pip pip3",
        ask_on_words("may change the configuration", ("config",), OptionSpec("", ("python",))),
        has_subcommands=True,
    ),
    Program(
        "cargo",
        search_arguments(
            ask_on_words(_PROGRAM, ("watch",), OptionSpec("Z", split_names("config manifest-path")))
        ),
        has_subcommands=True,
    ),
    Program(
        "go",
        search_arguments(
            ask_on_words(
                _PROGRAM,
                split_names("run generate tool env"),
                prefixes=("-exec", "--exec", "-toolexec", "--toolexec", "-vettool"),
            )
        ),
        has_subcommands=True,
    ),
    Program(
        "gcc cc", _COMPILER, writes=WrittenPaths(output_options=("-o",), allows_clusters=False)
    ),
    Program("g++ clang ld", _COMPILER),
    Program(
        "fd fdfind",
        search_all_operands(
            ask_on_options(_PROGRAM, OptionSpec("xX", split_names("exec exec-batch"), "edtEcSj"))
        ),
    ),
    Program("ag ack", search_arguments(ask_on_options(_PROGRAM, OptionSpec("", ("pager",))))),
    Program("shuf", ask_on_options(_WRITES, OptionSpec("o", ("output",), "ein"))),
    Program(
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
        find_read_depth=read_all_below,
        writes=WrittenPaths(
            _write_bundled,
            output_options=("-f", "--file", "-C", "--directory"),
            below_folders=True,
            writes_unnamed=_EXTRACTS_TAR,
        ),
    ),
    Program(
        "bsdtar",
        search_arguments(ask_on_options(_PROGRAM, OptionSpec("", ("use-compress-program",)))),
        find_read_depth=read_all_below,
        writes=WrittenPaths(writes_unnamed=_EXTRACTS_TAR),
    ),
    Program(
        "cpio",
        search_arguments(
            ask_on_options(_PROGRAM, OptionSpec("FHO", split_names("rsh-command file")))
        ),
        writes=WrittenPaths(writes_unnamed=writes_unnamed_if(r"-[A-Za-z]*[ip].*|--(?:ex|pa).*")),
    ),
    Program(
        "zip",
        search_arguments(
            ask_on_options(_PROGRAM, OptionSpec("T", split_names("unzip-command test")))
        ),
        find_read_depth=read_all_below,
        writes=WrittenPaths(write_first),
    ),
    Program(
        "split",
        search_arguments(ask_on_options(_PROGRAM, OptionSpec("", ("filter",)))),
        writes=WrittenPaths(write_second),
    ),
    Program("tee patch", ask_always("writes files"), writes=WrittenPaths(write_all)),
    Program(
        "csplit", ask_always("writes files"), writes=WrittenPaths(output_options=("-f", "--prefix"))
    ),
    Program(
        "wget",
        search_arguments(ask_always("writes files")),
        writes=WrittenPaths(
            output_options=("-O", "--output-document", "-P", "--directory-prefix"),
            below_folders=True,
        ),
    ),
    Program(
        "dd", ask_on_words(_WRITES, (), prefixes=("of=",)), writes=WrittenPaths(_write_assigned)
    ),
    Program("hwclock", ask_always("can set the system clock")),
    Program(
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
        path_marker="@",
        writes=WrittenPaths(output_options=("-o", "--output")),
    ),
    Program("file", ask_on_options(_WRITES, OptionSpec("C", ("compile",), "Fefm"))),
    Program("tree base64", _OUTPUT_OPTION),
    Program("iconv", _OUTPUT_OPTION, writes=WrittenPaths(output_options=("-o", "--output"))),
    Program("xxd", ask_on_second_operand("writes its second file")),
    Program(
        "install",
        ask_on_options(_PROGRAM, OptionSpec("", ("strip-program",))),
        writes=WrittenPaths(
            write_last, output_options=("-t", "--target-directory"), into_folders=True
        ),
    ),
    Program(
        "ctags", ask_on_options("may write a file or run a program", OptionSpec("oef", ("output",)))
    ),
    Program("gpg", _CRYPTOGRAPHY),
    Program(
        "openssl",
        _CRYPTOGRAPHY,
        writes=WrittenPaths(output_options=("-out",), allows_clusters=False),
    ),
    Program("jq", ask_on_options("may load code", OptionSpec("L", ("from-file",)))),
    Program(
        "yq",
        ask_on_options("may edit files in place", OptionSpec("i", ("inplace",))),
        writes=WrittenPaths(write_in_place),
    ),
    Program(
        "xdg-open open", search_all_operands(ask_always("opens a file or URL in another program"))
    ),
    Program(
        "hg",
        search_all_operands(
            ask_on_options(_PROGRAM, OptionSpec("", split_names("config cwd repository")))
        ),
        has_subcommands=True,
    ),
    Program(
        "svn",
        search_arguments(
            ask_on_options(
                _PROGRAM,
                OptionSpec(
                    "", split_names("config-option diff-cmd diff3-cmd editor-cmd config-dir")
                ),
            )
        ),
        has_subcommands=True,
    ),
    Program(
        "gh",
        search_all_operands(
            ask_on_words(
                "may run commands or change the configuration",
                split_names("alias extension api config secret codespace"),
            )
        ),
        has_subcommands=True,
    ),
    Program("http https xh", path_marker="@"),
    Program("sleep", takes_text=True),
    Program(
        "helm glab terraform tofu pulumi aws az systemctl dnf yum apk gsutil zypper dotnet gradle "
        "vercel netlify wrangler firebase gem kind",
        has_subcommands=True,
    ),
)
