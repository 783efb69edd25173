"""The harmless commands and their options, but for those that no row can describe."""

from actors.permissions.commands.harmless import ReadOnlyOptions, split_name_set

_GREP = ReadOnlyOptions(
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
_RG = ReadOnlyOptions(
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
    default_depth="shown",
)
_NOTHING = ReadOnlyOptions()

READ_ONLY_OPTIONS: dict[str, ReadOnlyOptions] = {
    "pwd": ReadOnlyOptions("LP", max_operands=0),
    "true": _NOTHING,
    "false": _NOTHING,
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
        # Of folders it compares what is in them, of a file and a folder the file of that name.
        default_depth="linked",
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
    "grep": _GREP,
    "rg": _RG,
}
