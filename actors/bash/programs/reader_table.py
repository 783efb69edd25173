"""Records of programs that read files and print: most of their forms are read-only."""

import re

from actors.bash.effects.effect_rules import (
    ask_on_options,
    ask_on_second_operand,
    search_all_operands,
)
from actors.bash.effects.indirect_effects import NO_EFFECTS, IndirectEffects
from actors.bash.effects.option_parsing import OptionSpec, split_names
from actors.bash.effects.possible_commands import search_arguments
from actors.bash.effects.read_only import (
    ReadOnlyCommand,
    ReadOnlyOptions,
    match_read_only_options,
    match_shown_text,
    split_name_set,
)
from actors.bash.effects.written_paths import WrittenPaths, write_second
from actors.bash.programs.program import Program
from actors.bash.syntax.parsed_command import Words

_CLOCK_OPTIONS = OptionSpec("s", ("set",), "dfrI")
_GREP_OPTIONS = ReadOnlyOptions(
    short="EFGPivwxclLqsohHnabTzrRUIZ",
    short_with_value="efmABCdD",
    long=split_name_set(
        "extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case "
        "invert-match word-regexp line-regexp count files-with-matches files-without-match quiet "
        "silent no-messages only-matching with-filename no-filename line-number byte-offset text "
        "null-data null recursive dereference-recursive color colour initial-tab line-buffered "
        "version"
    ),
    long_with_value=split_name_set(
        "regexp file max-count after-context before-context context include exclude exclude-dir "
        "color colour label binary-files directories devices"
    ),
    has_numeric_option=True,
    text_operand_count=1,
    file_options=split_name_set("f file exclude-from"),
    pattern_options=split_name_set("e f regexp file"),
    recursive_options=split_name_set("r recursive d directories"),
    follow_options=split_name_set("R dereference-recursive"),
    name_filter_options=split_name_set("include"),
    filter_blocking_options=split_name_set("exclude exclude-from"),
)
_RIPGREP_OPTIONS = ReadOnlyOptions(
    short="FsiSvwxcloqnNHIUPabuLp.0h",
    short_with_value="efgtTmABCjdrM",
    long=split_name_set(
        "fixed-strings case-sensitive ignore-case smart-case invert-match word-regexp line-regexp "
        "count count-matches files-with-matches files-without-match only-matching quiet "
        "line-number no-line-number with-filename no-filename multiline pcre2 byte-offset text "
        "unrestricted follow hidden no-ignore no-ignore-vcs no-config no-heading heading column "
        "vimgrep json files null trim stats passthru crlf one-file-system type-list pretty "
        "multiline-dotall no-messages sort-files debug trace version"
    ),
    long_with_value=split_name_set(
        "regexp file glob iglob type type-not max-count after-context before-context context "
        "max-depth color colors sort sortr replace max-columns max-filesize encoding engine threads"
    ),
    text_operand_count=1,
    file_options=split_name_set("f file"),
    pattern_options=split_name_set("e f regexp file files type-list"),
    recursive_options=split_name_set("u unrestricted hidden . no-ignore no-ignore-vcs iglob"),
    name_filter_options=split_name_set("g glob"),
    type_filter_options=split_name_set("t type"),
    expands_braces=True,
    filter_blocking_options=split_name_set("iglob"),
    follow_options=split_name_set("L follow"),
    default_depth="visible",
)
_NO_OPTIONS = ReadOnlyOptions()
_HEAD_AND_TAIL_OPTIONS = ReadOnlyOptions(
    "qvz",
    "nc",
    split_name_set("quiet silent verbose zero-terminated"),
    split_name_set("lines bytes"),
    has_numeric_option=True,
)
_FD_OPTIONS = OptionSpec("xX", split_names("exec exec-batch"), "edtEcSj")
_JQ_OPTIONS = ReadOnlyOptions(
    "rjnRscCMSae",
    "",
    split_name_set(
        "raw-output join-output null-input raw-input slurp compact-output color-output "
        "monochrome-output sort-keys ascii-output exit-status tab"
    ),
    split_name_set("indent"),
    text_operand_count=1,
)
_XXD_OPTIONS_WITH_VALUE = {"-c", "-g", "-l", "-o", "-s"}
_UNSAFE_JQ = re.compile(r"env|import|include|modulemeta|input_filename", re.IGNORECASE)
"""Reads the environment or other files."""


def _analyze_date(words: Words, _stdin: str) -> IndirectEffects:
    """Ask if `date` sets the clock: with `-s`, or with an operand that is not a format."""
    found = _CLOCK_OPTIONS.find_first(words[1:])
    is_value = False
    for word in words[1:]:
        if not is_value and word.text[:1] not in {"+", "-"}:
            found = found or word.text
        is_value = word.text in {"-d", "-f", "-r", "--date", "--file", "--reference"}
    return IndirectEffects(f"`{found}` may set the system clock") if found else NO_EFFECTS


def _analyze_xxd(words: Words, _stdin: str) -> IndirectEffects:
    """Ask if a word follows the file, even one like an option: `xxd` writes to it."""
    at = 1
    while at < len(words) and words[at].text.startswith("-"):
        at += 2 if words[at].text in _XXD_OPTIONS_WITH_VALUE else 1
    is_safe = at >= len(words) - 1 and all(word.is_never_option for word in words[1:])
    return NO_EFFECTS if is_safe else IndirectEffects("it writes its second file")


def _match_tail(arguments: Words) -> ReadOnlyCommand | None:
    command = match_read_only_options(_HEAD_AND_TAIL_OPTIONS, arguments)
    # `+5f` is an obsolete option, and follows the file forever.
    is_obsolete = command is not None and any(word.text.startswith("+") for word in command.paths)
    return None if is_obsolete else command


def _match_jq(arguments: Words) -> ReadOnlyCommand | None:
    if any(_UNSAFE_JQ.search(word.text) for word in arguments):
        return None
    return match_read_only_options(_JQ_OPTIONS, arguments)


def _match_date(arguments: Words) -> ReadOnlyCommand | None:
    is_plain = all(word.text.startswith("+") or word.text in {"-u", "--utc"} for word in arguments)
    return ReadOnlyCommand(()) if is_plain else None


def _match_cd(arguments: Words) -> ReadOnlyCommand | None:
    is_one_operand = len(arguments) == 1 and not arguments[0].text.startswith("-")
    return ReadOnlyCommand(arguments) if is_one_operand and arguments[0].text else None


PROGRAMS: tuple[Program, ...] = (
    Program("pwd", read_options=ReadOnlyOptions("LP", max_operands=0)),
    Program("true false", takes_text=True, read_options=_NO_OPTIONS),
    Program(
        "basename",
        takes_text=True,
        read_options=ReadOnlyOptions(
            "az",
            "s",
            split_name_set("multiple zero"),
            split_name_set("suffix"),
            text_operand_count=-1,
        ),
    ),
    Program(
        "dirname",
        takes_text=True,
        read_options=ReadOnlyOptions("z", "", split_name_set("zero"), text_operand_count=-1),
    ),
    Program(
        "realpath",
        read_options=ReadOnlyOptions(
            "emLPqsz",
            "",
            split_name_set(
                "canonicalize-existing canonicalize-missing logical physical quiet strip zero"
            ),
            split_name_set("relative-to relative-base"),
            file_options=split_name_set("relative-to relative-base"),
        ),
    ),
    Program(
        "readlink",
        read_options=ReadOnlyOptions(
            "femnqsvz",
            "",
            split_name_set("canonicalize canonicalize-existing canonicalize-missing no-newline"),
        ),
    ),
    Program(
        "stat",
        read_options=ReadOnlyOptions(
            "Lft",
            "c",
            split_name_set("dereference file-system terse"),
            split_name_set("format printf"),
        ),
    ),
    Program(
        "uname",
        read_options=ReadOnlyOptions("asnrvmpio", "", split_name_set("all"), max_operands=0),
    ),
    Program(
        "which",
        read_options=ReadOnlyOptions("as", "", split_name_set("all"), text_operand_count=-1),
    ),
    Program(
        "cat",
        has_harmless_options=True,
        read_options=ReadOnlyOptions(
            "AbeEnstTuv",
            "",
            split_name_set(
                "show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting"
            ),
        ),
    ),
    Program("head", has_harmless_options=True, read_options=_HEAD_AND_TAIL_OPTIONS),
    Program("tail", read_options=_HEAD_AND_TAIL_OPTIONS, match_read_only=_match_tail),
    Program(
        "wc",
        read_options=ReadOnlyOptions(
            "cmlLw", "", split_name_set("bytes chars lines max-line-length words")
        ),
    ),
    Program(
        "nl",
        read_options=ReadOnlyOptions(
            "p",
            "bdfhilnsvw",
            split_name_set("no-renumber"),
            split_name_set("body-numbering number-width"),
        ),
    ),
    Program(
        "cut",
        read_options=ReadOnlyOptions(
            "snz",
            "bcdf",
            split_name_set("only-delimited complement zero-terminated"),
            split_name_set("bytes characters delimiter fields output-delimiter"),
        ),
    ),
    Program(
        "tr",
        read_options=ReadOnlyOptions(
            "cCdst",
            "",
            split_name_set("complement delete squeeze-repeats truncate-set1"),
            text_operand_count=-1,
        ),
    ),
    Program(
        "cmp",
        read_options=ReadOnlyOptions(
            "bls", "in", split_name_set("print-bytes verbose quiet silent"), split_name_set("bytes")
        ),
    ),
    Program(
        "diff",
        ask_on_options("may write a file", OptionSpec("", ("output",))),
        read_options=ReadOnlyOptions(
            "qsucyabBdeEiNnprtTwZ",
            "UCIW",
            split_name_set(
                "brief report-identical-files unified context side-by-side text "
                "ignore-space-change ignore-blank-lines ignore-case ignore-all-space recursive "
                "new-file minimal color suppress-common-lines show-c-function strip-trailing-cr "
                "no-dereference"
            ),
            split_name_set("unified context width color ignore-matching-lines exclude label"),
            # It compares the contents of folders, or a file with the file of that name in a folder.
            default_depth="follow_links",
        ),
    ),
    Program(
        "du",
        read_options=ReadOnlyOptions(
            "abchklmsSxDH0",
            "dt",
            split_name_set(
                "all apparent-size bytes total human-readable summarize one-file-system si"
            ),
            split_name_set("max-depth threshold exclude block-size time-style"),
        ),
    ),
    Program(
        "ls",
        has_harmless_options=True,
        read_options=ReadOnlyOptions(
            "aAbBcCdDfFgGhHiklmnNopqQrRsStuUvxXZ1",
            "ITw",
            split_name_set(
                "all almost-all author escape directory classify file-type full-time "
                "group-directories-first no-group human-readable si inode numeric-uid-gid "
                "literal reverse recursive size zero color"
            ),
            split_name_set(
                "block-size color format hide ignore indicator-style quoting-style sort time "
                "time-style tabsize width"
            ),
        ),
    ),
    Program(
        "sort",
        search_arguments(
            ask_on_options(
                "may write a file or run another program",
                OptionSpec(
                    "oT", split_names("output temporary-directory compress-program"), "kStT"
                ),
            )
        ),
        read_options=ReadOnlyOptions(
            "bdfgiMhnRrVcCmsuz",
            "kSt",
            split_name_set(
                "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort "
                "ignore-nonprinting month-sort human-numeric-sort numeric-sort random-sort reverse "
                "version-sort check merge stable unique zero-terminated debug"
            ),
            split_name_set("key field-separator buffer-size batch-size parallel sort"),
        ),
        writes=WrittenPaths(output_options=("-o", "--output")),
    ),
    Program(
        "uniq",
        ask_on_second_operand("writes its second file"),
        read_options=ReadOnlyOptions(
            "cdDiuz",
            "fsw",
            split_name_set("count repeated ignore-case unique zero-terminated"),
            split_name_set("skip-fields skip-chars check-chars"),
            max_operands=1,
        ),
        writes=WrittenPaths(write_second),
    ),
    Program("grep egrep fgrep", read_options=_GREP_OPTIONS),
    Program(
        "rg",
        search_arguments(
            ask_on_options(
                "may run another program",
                OptionSpec("z", split_names("pre search-zip hostname-bin"), "ABCEMTdefgjmrt"),
            )
        ),
        read_options=_RIPGREP_OPTIONS,
    ),
    Program("tac", read_options=ReadOnlyOptions("br", "s")),
    Program("rev", read_options=_NO_OPTIONS),
    Program(
        "od",
        read_options=ReadOnlyOptions(
            "abcdfhiloxsv",
            "AjNSt",
            split_name_set("output-duplicates traditional"),
            short_with_attached_value="w",
        ),
    ),
    Program("hexdump hd", read_options=ReadOnlyOptions("bcCdoxv", "ens")),
    Program(
        "xxd",
        _analyze_xxd,
        read_options=ReadOnlyOptions("abdeEiuCp", "clgos", max_operands=1),
    ),
    Program("strings", read_options=ReadOnlyOptions("afow", "nte", split_name_set("all"))),
    Program(
        "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum",
        read_options=ReadOnlyOptions("btzrs", "la", split_name_set("binary text tag zero")),
    ),
    Program(
        "base64 base32",
        read_options=ReadOnlyOptions(
            "di", "w", split_name_set("decode ignore-garbage"), split_name_set("wrap")
        ),
    ),
    Program(
        "column",
        read_options=ReadOnlyOptions(
            "tendxJ",
            "scoNRTHW",
            split_name_set("table"),
            split_name_set("separator columns"),
        ),
    ),
    Program(
        "paste",
        read_options=ReadOnlyOptions(
            "sz", "d", split_name_set("serial zero-terminated"), split_name_set("delimiters")
        ),
    ),
    Program(
        "comm",
        read_options=ReadOnlyOptions(
            "123z",
            "",
            split_name_set("check-order nocheck-order zero-terminated total"),
            split_name_set("output-delimiter"),
        ),
    ),
    Program("join", read_options=ReadOnlyOptions("iz", "aevjot12")),
    Program(
        "fold",
        read_options=ReadOnlyOptions(
            "bsc", "w", split_name_set("bytes spaces"), split_name_set("width")
        ),
    ),
    Program("fmt", read_options=ReadOnlyOptions("cstu", "wpg", has_numeric_option=True)),
    Program("expand unexpand", read_options=ReadOnlyOptions("ia", "t", split_name_set("initial"))),
    Program(
        "shuf",
        read_options=ReadOnlyOptions(
            "ezr",
            "in",
            split_name_set("echo zero-terminated repeat"),
            split_name_set("input-range head-count"),
        ),
    ),
    Program(
        "seq",
        takes_text=True,
        read_options=ReadOnlyOptions(
            "w",
            "fs",
            split_name_set("equal-width"),
            split_name_set("format separator"),
            text_operand_count=-1,
        ),
    ),
    Program(
        "expr sleep whoami groups tty :",
        takes_text=True,
        read_options=ReadOnlyOptions(text_operand_count=-1),
    ),
    Program("id", takes_text=True, read_options=ReadOnlyOptions("Ggnruz", text_operand_count=-1)),
    Program(
        "nproc",
        read_options=ReadOnlyOptions(
            long=split_name_set("all"), long_with_value=split_name_set("ignore"), max_operands=0
        ),
    ),
    Program("hostname", read_options=ReadOnlyOptions("sfidI", max_operands=0)),
    Program(
        "uptime", read_options=ReadOnlyOptions("ps", "", split_name_set("pretty"), max_operands=0)
    ),
    Program(
        "free",
        read_options=ReadOnlyOptions(
            "bkmghtwl", "", split_name_set("human mega giga total"), max_operands=0
        ),
    ),
    Program(
        "df",
        read_options=ReadOnlyOptions(
            "ahHiklmPT",
            "tx",
            split_name_set("all human-readable inodes local portability print-type total"),
            split_name_set("type exclude-type"),
            text_operand_count=-1,
        ),
    ),
    Program(
        "tree",
        read_options=ReadOnlyOptions(
            "adfiCDFghnpqrsStuvANx",
            "LPI",
            split_name_set("dirsfirst noreport gitignore prune du inodes si charset"),
            values_follow=True,
        ),
    ),
    Program(
        "file",
        read_options=ReadOnlyOptions(
            "bhikLNp", "F", split_name_set("brief mime mime-type mime-encoding dereference")
        ),
    ),
    Program(
        "fd fdfind",
        search_all_operands(ask_on_options("may run another program", _FD_OPTIONS)),
        read_options=ReadOnlyOptions(
            "HIsigalpu0",
            "etdEj",
            split_name_set("hidden no-ignore ignore-case case-sensitive glob absolute-path"),
            split_name_set("extension type max-depth exclude"),
            text_operand_count=1,
        ),
    ),
    Program("type", takes_text=True, read_options=ReadOnlyOptions("afpPt", text_operand_count=-1)),
    Program("jq", read_options=_JQ_OPTIONS, match_read_only=_match_jq),
    Program("date", _analyze_date, match_read_only=_match_date),
    Program("echo", takes_text=True, match_read_only=match_shown_text),
    Program("cd", read_options=_NO_OPTIONS, match_read_only=_match_cd),
)
