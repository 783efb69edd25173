"""The harmless commands and their options, but for those that no row can describe."""

from actors.permissions.commands.harmless import ReadOnlyOptions, words_of

_GREP = ReadOnlyOptions(
    short="EFGPivwxclLqsohHnabTzrRUIZ",
    valued="efmABCdD",
    long=words_of(
        "extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case "
        "invert-match word-regexp line-regexp count files-with-matches files-without-match quiet "
        "silent no-messages only-matching with-filename no-filename line-number byte-offset text "
        "null-data null recursive dereference-recursive color colour initial-tab line-buffered "
        "version"
    ),
    long_valued=words_of(
        "regexp file max-count after-context before-context context include exclude exclude-dir "
        "color colour label binary-files directories devices"
    ),
    digits=True,
    texts=1,
    files=words_of("f file exclude-from"),
    patterns=words_of("e f regexp file"),
    deep=words_of("r recursive d directories"),
    linked=words_of("R dereference-recursive"),
    only=words_of("include"),
    not_only=words_of("exclude exclude-from"),
)
_RG = ReadOnlyOptions(
    short="FsiSvwxcloqnNHIUPabuLp.0h",
    valued="efgtTmABCjdrM",
    long=words_of(
        "fixed-strings case-sensitive ignore-case smart-case invert-match word-regexp line-regexp "
        "count count-matches files-with-matches files-without-match only-matching quiet "
        "line-number no-line-number with-filename no-filename multiline pcre2 byte-offset text "
        "unrestricted follow hidden no-ignore no-ignore-vcs no-config no-heading heading column "
        "vimgrep json files null trim stats passthru crlf one-file-system type-list pretty "
        "multiline-dotall no-messages sort-files debug trace version"
    ),
    long_valued=words_of(
        "regexp file glob iglob type type-not max-count after-context before-context context "
        "max-depth color colors sort sortr replace max-columns max-filesize encoding engine threads"
    ),
    texts=1,
    files=words_of("f file"),
    patterns=words_of("e f regexp file files type-list"),
    deep=words_of("u unrestricted hidden . no-ignore no-ignore-vcs iglob"),
    only=words_of("g glob"),
    types=words_of("t type"),
    braces=True,
    not_only=words_of("iglob"),
    linked=words_of("L follow"),
    depth="shown",
)
_NOTHING = ReadOnlyOptions()

HARMLESS: dict[str, ReadOnlyOptions] = {
    "pwd": ReadOnlyOptions("LP", most=0),
    "true": _NOTHING,
    "false": _NOTHING,
    "basename": ReadOnlyOptions("az", "s", words_of("multiple zero"), words_of("suffix"), texts=-1),
    "dirname": ReadOnlyOptions("z", "", words_of("zero"), texts=-1),
    "realpath": ReadOnlyOptions(
        "emLPqsz",
        "",
        words_of("canonicalize-existing canonicalize-missing logical physical quiet strip zero"),
        words_of("relative-to relative-base"),
        files=words_of("relative-to relative-base"),
    ),
    "readlink": ReadOnlyOptions(
        "femnqsvz",
        "",
        words_of("canonicalize canonicalize-existing canonicalize-missing no-newline"),
    ),
    "stat": ReadOnlyOptions(
        "Lft", "c", words_of("dereference file-system terse"), words_of("format printf")
    ),
    "uname": ReadOnlyOptions("asnrvmpio", "", words_of("all"), most=0),
    "which": ReadOnlyOptions("as", "", words_of("all"), texts=-1),
    "cat": ReadOnlyOptions(
        "AbeEnstTuv",
        "",
        words_of(
            "show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting"
        ),
    ),
    "head": ReadOnlyOptions(
        "qvz",
        "nc",
        words_of("quiet silent verbose zero-terminated"),
        words_of("lines bytes"),
        digits=True,
    ),
    "tail": ReadOnlyOptions(
        "qvz",
        "nc",
        words_of("quiet silent verbose zero-terminated"),
        words_of("lines bytes"),
        digits=True,
    ),
    "wc": ReadOnlyOptions("cmlLw", "", words_of("bytes chars lines max-line-length words")),
    "nl": ReadOnlyOptions(
        "p", "bdfhilnsvw", words_of("no-renumber"), words_of("body-numbering number-width")
    ),
    "cut": ReadOnlyOptions(
        "snz",
        "bcdf",
        words_of("only-delimited complement zero-terminated"),
        words_of("bytes characters delimiter fields output-delimiter"),
    ),
    "tr": ReadOnlyOptions(
        "cCdst", "", words_of("complement delete squeeze-repeats truncate-set1"), texts=-1
    ),
    "cmp": ReadOnlyOptions(
        "bls", "in", words_of("print-bytes verbose quiet silent"), words_of("bytes")
    ),
    "diff": ReadOnlyOptions(
        "qsucyabBdeEiNnprtTwZ",
        "UCIW",
        words_of(
            "brief report-identical-files unified context side-by-side text ignore-space-change "
            "ignore-blank-lines ignore-case ignore-all-space recursive new-file minimal color "
            "suppress-common-lines show-c-function strip-trailing-cr no-dereference"
        ),
        words_of("unified context width color ignore-matching-lines exclude label"),
        # Of folders it compares what is in them, of a file and a folder the file of that name.
        depth="linked",
    ),
    "du": ReadOnlyOptions(
        "abchklmsSxDH0",
        "dt",
        words_of("all apparent-size bytes total human-readable summarize one-file-system si"),
        words_of("max-depth threshold exclude block-size time-style"),
    ),
    "ls": ReadOnlyOptions(
        "aAbBcCdDfFgGhHiklmnNopqQrRsStuUvxXZ1",
        "ITw",
        words_of(
            "all almost-all author escape directory classify file-type full-time "
            "group-directories-first no-group human-readable si inode numeric-uid-gid "
            "literal reverse recursive size zero"
        ),
        words_of(
            "block-size color format hide ignore indicator-style quoting-style sort time "
            "time-style tabsize width"
        ),
    ),
    "sort": ReadOnlyOptions(
        "bdfgiMhnRrVcCmsuz",
        "kSt",
        words_of(
            "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort "
            "ignore-nonprinting month-sort human-numeric-sort numeric-sort random-sort reverse "
            "version-sort check merge stable unique zero-terminated debug"
        ),
        words_of("key field-separator buffer-size batch-size parallel sort"),
    ),
    "uniq": ReadOnlyOptions(
        "cdDiuz",
        "fsw",
        words_of("count repeated ignore-case unique zero-terminated"),
        words_of("skip-fields skip-chars check-chars"),
        most=1,
    ),
    "grep": _GREP,
    "rg": _RG,
}
