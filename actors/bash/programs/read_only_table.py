"""The table of read-only commands: their options, and matchers for those that need code."""

import re

from actors.bash.effects.read_only import (
    ReadOnlyCommand,
    ReadOnlyOptions,
    match_read_only_options,
    split_name_set,
)
from actors.bash.programs.find import match_read_only_find
from actors.bash.syntax.parsed_command import Words

_NAME_FILTER = re.compile(r"--(?:include|exclude|exclude-dir)=[\w./*?{},-]+")
"""Whatever it expands to is such an option again."""
_SED_PRINT = r"(?:\d+(?:,(?:\d+|\$))?p|\$p)"
_SED_LINES = re.compile(rf"{_SED_PRINT}(?>(?:; ?{_SED_PRINT})*)")
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

READ_ONLY_OPTIONS: dict[str, ReadOnlyOptions] = {
    "pwd": ReadOnlyOptions("LP", max_operands=0),
    "true": _NO_OPTIONS,
    "false": _NO_OPTIONS,
    "basename": ReadOnlyOptions(
        "az", "s", split_name_set("multiple zero"), split_name_set("suffix"), text_operand_count=-1
    ),
    "dirname": ReadOnlyOptions("z", "", split_name_set("zero"), text_operand_count=-1),
    "realpath": ReadOnlyOptions(
        "emLPqsz",
        "",
        split_name_set(
            "canonicalize-existing canonicalize-missing logical physical quiet strip zero"
        ),
        split_name_set("relative-to relative-base"),
        file_options=split_name_set("relative-to relative-base"),
    ),
    "readlink": ReadOnlyOptions(
        "femnqsvz",
        "",
        split_name_set("canonicalize canonicalize-existing canonicalize-missing no-newline"),
    ),
    "stat": ReadOnlyOptions(
        "Lft", "c", split_name_set("dereference file-system terse"), split_name_set("format printf")
    ),
    "uname": ReadOnlyOptions("asnrvmpio", "", split_name_set("all"), max_operands=0),
    "which": ReadOnlyOptions("as", "", split_name_set("all"), text_operand_count=-1),
    "cat": ReadOnlyOptions(
        "AbeEnstTuv",
        "",
        split_name_set(
            "show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting"
        ),
    ),
    "head": ReadOnlyOptions(
        "qvz",
        "nc",
        split_name_set("quiet silent verbose zero-terminated"),
        split_name_set("lines bytes"),
        has_numeric_option=True,
    ),
    "tail": ReadOnlyOptions(
        "qvz",
        "nc",
        split_name_set("quiet silent verbose zero-terminated"),
        split_name_set("lines bytes"),
        has_numeric_option=True,
    ),
    "wc": ReadOnlyOptions("cmlLw", "", split_name_set("bytes chars lines max-line-length words")),
    "nl": ReadOnlyOptions(
        "p",
        "bdfhilnsvw",
        split_name_set("no-renumber"),
        split_name_set("body-numbering number-width"),
    ),
    "cut": ReadOnlyOptions(
        "snz",
        "bcdf",
        split_name_set("only-delimited complement zero-terminated"),
        split_name_set("bytes characters delimiter fields output-delimiter"),
    ),
    "tr": ReadOnlyOptions(
        "cCdst",
        "",
        split_name_set("complement delete squeeze-repeats truncate-set1"),
        text_operand_count=-1,
    ),
    "cmp": ReadOnlyOptions(
        "bls", "in", split_name_set("print-bytes verbose quiet silent"), split_name_set("bytes")
    ),
    "diff": ReadOnlyOptions(
        "qsucyabBdeEiNnprtTwZ",
        "UCIW",
        split_name_set(
            "brief report-identical-files unified context side-by-side text ignore-space-change "
            "ignore-blank-lines ignore-case ignore-all-space recursive new-file minimal color "
            "suppress-common-lines show-c-function strip-trailing-cr no-dereference"
        ),
        split_name_set("unified context width color ignore-matching-lines exclude label"),
        # It compares the contents of folders, or a file with the file of that name in a folder.
        default_depth="follow_links",
    ),
    "du": ReadOnlyOptions(
        "abchklmsSxDH0",
        "dt",
        split_name_set("all apparent-size bytes total human-readable summarize one-file-system si"),
        split_name_set("max-depth threshold exclude block-size time-style"),
    ),
    "ls": ReadOnlyOptions(
        "aAbBcCdDfFgGhHiklmnNopqQrRsStuUvxXZ1",
        "ITw",
        split_name_set(
            "all almost-all author escape directory classify file-type full-time "
            "group-directories-first no-group human-readable si inode numeric-uid-gid "
            "literal reverse recursive size zero"
        ),
        split_name_set(
            "block-size color format hide ignore indicator-style quoting-style sort time "
            "time-style tabsize width"
        ),
    ),
    "sort": ReadOnlyOptions(
        "bdfgiMhnRrVcCmsuz",
        "kSt",
        split_name_set(
            "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort "
            "ignore-nonprinting month-sort human-numeric-sort numeric-sort random-sort reverse "
            "version-sort check merge stable unique zero-terminated debug"
        ),
        split_name_set("key field-separator buffer-size batch-size parallel sort"),
    ),
    "uniq": ReadOnlyOptions(
        "cdDiuz",
        "fsw",
        split_name_set("count repeated ignore-case unique zero-terminated"),
        split_name_set("skip-fields skip-chars check-chars"),
        max_operands=1,
    ),
    "grep": _GREP_OPTIONS,
    "rg": _RIPGREP_OPTIONS,
}


def match_read_only_command(name: str, arguments: Words) -> ReadOnlyCommand | None:
    """Return what a command reads; None if it is not known to only read."""
    matcher, options = _MATCHERS.get(name), READ_ONLY_OPTIONS.get(name)
    if matcher is None and options is None:
        return None
    if not all(word.is_literal or _NAME_FILTER.fullmatch(word.text) for word in arguments):
        return None
    if matcher is not None:
        return matcher(arguments)
    return match_read_only_options(options, arguments) if options else None


def _match_tail(arguments: Words) -> ReadOnlyCommand | None:
    command = match_read_only_options(READ_ONLY_OPTIONS["tail"], arguments)
    # `+5f` is an obsolete option, and follows the file forever.
    is_obsolete = command is not None and any(word.text.startswith("+") for word in command.paths)
    return None if is_obsolete else command


def _match_sed(arguments: Words) -> ReadOnlyCommand | None:
    texts = [word.text for word in arguments[:3]]
    options = ["-n", "-e"] if texts[1:2] == ["-e"] else ["-n"]
    at = len(options)
    if texts[:at] != options or not _SED_LINES.fullmatch("".join(texts[at : at + 1])):
        return None
    files = arguments[at + 1 :]
    return None if any(word.text.startswith("-") for word in files) else ReadOnlyCommand(files)


def _match_date(arguments: Words) -> ReadOnlyCommand | None:
    is_plain = all(word.text.startswith("+") or word.text in {"-u", "--utc"} for word in arguments)
    return ReadOnlyCommand(()) if is_plain else None


def _match_echo(_arguments: Words) -> ReadOnlyCommand | None:
    return ReadOnlyCommand(())


def _match_cd(arguments: Words) -> ReadOnlyCommand | None:
    is_one_operand = len(arguments) == 1 and not arguments[0].text.startswith("-")
    return ReadOnlyCommand(arguments) if is_one_operand and arguments[0].text else None


_MATCHERS = {
    "find": match_read_only_find,
    "sed": _match_sed,
    "tail": _match_tail,
    "date": _match_date,
    "echo": _match_echo,
    "cd": _match_cd,
}
