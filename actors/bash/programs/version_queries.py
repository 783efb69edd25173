"""Commands that only print the version or the help of a well-known program."""

from actors.bash.programs.program import Program
from actors.bash.syntax.parsed_command import Words

_OPTIONS = {"--version", "--help"}
_WORD_COUNT = 2
"""A program and one word: with more words, the program may do other work."""
_OTHER_SPELLINGS = {
    ("go", "version"), ("git", "version"), ("java", "-version"), ("javac", "-version"),
    ("python", "-V"), ("python3", "-V"), ("node", "-v"), ("npm", "-v"), ("ruby", "-v"),
    ("php", "-v"),
}  # fmt: skip
_PROGRAMS = {
    "python", "python3", "pip", "pip3", "uv", "node", "npm", "npx", "deno", "bun", "git", "go",
    "gcc", "g++", "cc", "clang", "clang++", "ld", "make", "cmake", "ninja", "docker", "podman",
    "kubectl", "helm", "terraform", "java", "javac", "ruby", "gem", "perl", "php", "lua", "bash",
    "zsh", "tar", "curl", "wget", "rg", "fd", "ssh", "sqlite3", "psql", "gh", "ruff", "mypy",
    "black", "sed", "awk", "gawk", "find", "xargs",
}  # fmt: skip
"""These print it without running code of the working directory. Others run some, such as `pytest`,
`yarn`, `mvn` with its `.mvn/jvm.config`, and `cargo` and `rustc` with a `rust-toolchain.toml` that
names a folder."""


def is_version_query(program: Program, words: Words) -> bool:
    """Whether a command only prints a version or a help text."""
    texts = tuple([word.text for word in words])
    if len(texts) != _WORD_COUNT or not all(word.is_literal for word in words):
        return False
    if texts in _OTHER_SPELLINGS:
        return True
    is_known = texts[0] in _PROGRAMS or program.read_options is not None
    return is_known and texts[1] in _OPTIONS
