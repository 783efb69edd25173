"""Records of build tools, package runners and file tools, which depend on their options."""

import re

from actors.bash.effects.effect_rules import (
    accept_bundled_options,
    ask_always,
    ask_on_options,
    ask_on_words,
    ask_unless_listed,
    ask_unless_subcommand,
    first_match,
    runs_command,
    search_all_operands,
    skip_script_arguments,
)
from actors.bash.effects.option_parsing import OptionSpec, WrapperOptions, split_names
from actors.bash.effects.possible_commands import search_arguments, search_assigned_values
from actors.bash.effects.written_paths import (
    WrittenPaths,
    names_backups,
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
        ask_unless_listed(
            r"-(?:[jl]\d*|[bdehiknpqrRsStvw]+|-(?:jobs|load-average|max-load)(?:=[\d.]+)?|-(?:silent|quiet|"
            r"dry-run|just-print|recon|question|keep-going|no-keep-going|ignore-errors|stop|trace|"
            r"always-make|debug|print-directory|no-print-directory|no-builtin-rules|touch|version|"
            r"help|warn-undefined-variables)|-output-sync(?:=\w+)?)",
            r"(?:V|VERBOSE|DEBUG)=\w*|[^=]*",
        )
    )
)
_PACKAGE_WORDS = ask_on_words(
    _BY_NAME, split_names("exec x dlx config set explore edit node create init")
)
_PACKAGE_OPTIONS = (
    r"-(?:[sgDEPOBSyqdrw]+|-(?:silent|quiet|verbose|save(?:-\w+)?|no-(?:save|audit|fund|progress|color)|"
    r"if-present|workspaces?(?:=\S+)?|production|(?:omit|include|loglevel)=\w+|global|version|help|"
    r"json|long|all|parseable|depth=\d+|dry-run|ignore-scripts|legacy-peer-deps|prefer-offline|"
    r"offline|frozen-lockfile|immutable|recursive|parallel|filter(?:=\S+)?|color|force|yes|prod|dev|"
    r"watch(?:All)?(?:=\w+)?|ci|coverage|package-lock-only))"
)
_NPM_SUBCOMMANDS = split_names(
    "test t tst install i in add ci run run-script start stop restart ls list ll la outdated view "
    "info show audit fund why explain ping whoami version pack publish uninstall remove rm un r "
    "update up upgrade prune dedupe ddp rebuild link ln root bin search find help doctor owner "
    "dist-tag deprecate login logout cache --version -v --help -h"
)
_RUNS_BY_NAME = search_all_operands(
    ask_on_words(_BY_NAME, split_names("run exec shell tool develop x"))
)
_EXECUTES_BY_NAME = search_all_operands(ask_on_words(_BY_NAME, ("exec", "devenv")))
_MAVEN = search_arguments(ask_on_words(_PROGRAM, ("exec:exec", "exec:java")))
_COMPILER = search_arguments(
    ask_unless_listed(
        r"-(?:[cgESsvw]|g\d|gdwarf-\d|O\w*|W(?![alp],)[\w=+-]*|std=[\w+]+|ansi|pthread|pedantic(?:-errors)?|"
        r"pipe|static|shared|rdynamic|f(?!plugin|pass)[\w-]+|fsanitize=[\w,]+|m[\w=.,+-]+|[oIlLDUx].*|isystem|M[DMGP]*|"
        r"MF|MT|MQ|-version|-help|dump(?:version|machine)|v|r|e|T)",
        r"[^@].*",
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
    Program(
        "make",
        _MAKE,
        has_listed_options=True,
        stdin="commands",
        stdin_line_prefix=_MAKE_PREFIX,
    ),
    Program("gmake ninja just", _MAKE, has_listed_options=True, stdin="commands"),
    Program(
        "npx pnpx bunx uvx",
        search_arguments(runs_command(_BY_NAME, WrapperOptions("pc", split_names("package call")))),
        runner_subcommands=("",),
    ),
    Program(
        "npm",
        skip_script_arguments(
            search_all_operands(
                first_match(
                    first_match(
                        _PACKAGE_WORDS,
                        ask_unless_subcommand(_BY_NAME, _NPM_SUBCOMMANDS, WrapperOptions("w")),
                    ),
                    ask_unless_listed(_PACKAGE_OPTIONS),
                )
            )
        ),
        has_listed_options=True,
        has_subcommands=True,
    ),
    Program(
        "pnpm yarn",
        skip_script_arguments(
            search_all_operands(first_match(_PACKAGE_WORDS, ask_unless_listed(_PACKAGE_OPTIONS)))
        ),
        runner_subcommands=("exec",),
        has_listed_options=True,
        has_subcommands=True,
    ),
    Program("pipx hatch rye mise asdf direnv nix", _RUNS_BY_NAME),
    Program(
        "uv poetry pdm pipenv",
        _RUNS_BY_NAME,
        runner_subcommands=("run",),
        has_subcommands=True,
    ),
    Program("bundle", _RUNS_BY_NAME, runner_subcommands=("exec",), has_subcommands=True),
    Program("conda mamba", _RUNS_BY_NAME, has_subcommands=True),
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
    Program(
        "cmake",
        search_all_operands(
            ask_unless_listed(
                r"-(?:[BSG].*|D(?:CMAKE_BUILD_TYPE|(?!CMAKE_)\w+)(?::\w+)?=[\w.+]*|j\d*|-(?:build|install|preset|"
                r"target|parallel|config|verbose|fresh|clean-first|version|help)(?:=[\w.-]+)?)"
            )
        ),
        has_listed_options=True,
    ),
    Program(
        "rustc",
        search_arguments(
            ask_unless_listed(
                r"-(?:O|g|V|v|[LloA].*|C(?:opt-level|debuginfo)=\w+|-(?:edition|crate-type|crate-name|cap-lints|"
                r"test|version|verbose|help|explain|print)(?:=[\w.-]+)?)"
            )
        ),
        has_listed_options=True,
        writes=WrittenPaths(output_options=("-o",), allows_clusters=False),
    ),
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
            first_match(
                ask_on_words(_PROGRAM, split_names("run generate tool env")),
                ask_unless_listed(
                    r"--?(?:race|v|x|n|a|i|p|u|m|l|w|d|h|e|o|mod|run|count|cover|covermode|coverpkg|"
                    r"coverprofile|short|timeout|bench|benchmem|benchtime|json|failfast|parallel|"
                    r"cpu|shuffle|skip|list|fuzz|fuzztime|tags|trimpath|fix|help|work|versions|update|"
                    r"deps|test|find|compiled)(?:=.*)?"
                ),
            )
        ),
        has_listed_options=True,
        has_subcommands=True,
        writes=WrittenPaths(output_options=("-o", "-coverprofile"), allows_clusters=False),
    ),
    Program(
        "gcc cc g++ clang clang++ ld",
        _COMPILER,
        has_listed_options=True,
        writes=WrittenPaths(output_options=("-o",), allows_clusters=False),
    ),
    Program("ag ack", search_arguments(ask_on_options(_PROGRAM, OptionSpec("", ("pager",))))),
    Program(
        "tar",
        accept_bundled_options(
            search_arguments(
                ask_unless_listed(
                    r"-(?:[ctxuvzjJpkmhOaSWnr]*(?:[fC].*)?|-(?:extract|get|create|list|append|update|verbose|gzip|"
                    r"gunzip|bzip2|xz|zstd|auto-compress|(?:file|directory)(?:=.*)?|"
                    r"exclude(?:=.*)?|exclude-vcs|strip-components(?:=\d+)?|keep-old-files|to-stdout|"
                    r"preserve-permissions|no-same-owner|no-same-permissions|wildcards|totals|sort=\w+|"
                    r"numeric-owner|version|help))",
                    r"[^:]*",
                )
            )
        ),
        find_read_depth=read_all_below,
        has_listed_options=True,
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
    Program("iconv", _OUTPUT_OPTION, writes=WrittenPaths(output_options=("-o", "--output"))),
    Program(
        "install",
        ask_on_options(_PROGRAM, OptionSpec("", ("strip-program",))),
        writes=WrittenPaths(
            write_last,
            output_options=("-t", "--target-directory"),
            into_folders=True,
            writes_unnamed=names_backups,
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
    Program(
        "helm glab terraform tofu pulumi aws az systemctl dnf yum apk gsutil zypper dotnet gradle "
        "vercel netlify wrangler firebase gem kind",
        has_subcommands=True,
    ),
)
