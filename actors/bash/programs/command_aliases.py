"""Lists other spellings of a command, which ask and deny rules match as well."""

from collections.abc import Iterator
from itertools import islice, pairwise

from actors.bash.programs.git import list_git_aliases
from actors.bash.syntax.parsed_command import Word, Words, join_words

_WITH_SUBCOMMANDS = frozenset(
    """
    npm pnpm yarn bun cargo docker docker-compose podman nerdctl kubectl oc helm gh glab go pip pip3
    uv poetry pdm pipenv terraform tofu pulumi aws gcloud az systemctl brew apt apt-get dnf yum
    apk gsutil zypper snap flatpak composer dotnet hg svn mvn gradle heroku flyctl fly vercel
    netlify wrangler firebase gem bundle conda mamba vagrant minikube kind ansible
    """.split()  # noqa: SIM905  (a list would be a page)
)
"""Programs that accept options before their subcommand."""
_MAX_SKIPPED_WORDS = 64
"""Words that are skipped to find the subcommand."""


def list_aliases(words: Words, text: str) -> tuple[str, ...]:
    """List a command by its bare name, and without the options before its subcommand."""
    bare = Word(words[0].text.rpartition("/")[2])
    name = bare.text
    aliases = [join_words((bare, *words[1:]))]
    if name.startswith("git-"):
        aliases.append(join_words((Word("git"), Word(name[4:]), *words[1:])))
    if name == "git":
        aliases.extend(list_git_aliases((bare, *words[1:])))
    elif has_leading_options(name, words):
        tails = islice(_list_subcommand_tails(words), _MAX_SKIPPED_WORDS)
        aliases.extend(join_words((bare, *tail)) for tail in tails)
        aliases.extend(join_words((bare, *rest)) for rest in _drop_options(words))
    return tuple(alias for alias in dict.fromkeys(aliases) if alias != text)


def has_too_many_options(words: Words) -> bool:
    """Whether a command may have more options before its subcommand than are skipped."""
    return len(words) > _MAX_SKIPPED_WORDS and has_leading_options(
        words[0].text.rpartition("/")[2], words
    )


def has_leading_options(name: str, words: Words) -> bool:
    """Whether a program with subcommands has options that may come before the subcommand."""
    return name in _WITH_SUBCOMMANDS and any(map(_is_option, words[1:]))


def _is_option(word: Word) -> bool:
    return word.text[:1] in {"-", "+"}


def _list_subcommand_tails(words: Words) -> Iterator[Words]:
    """List the words from each possible subcommand on: after options, or after their values."""
    at = 1
    while at < len(words):
        if not _is_option(words[at]):
            yield words[at:]
            if not _may_take_value(words[at - 1]):
                return
        at += 1


def _drop_options(words: Words) -> Iterator[Words]:
    """Drop all options (`gh pr -R x merge`), first without and then with their possible values."""
    yield tuple([word for word in words[1:] if not _is_option(word)])
    yield tuple(
        [
            word
            for previous, word in pairwise(words)
            if not (_is_option(word) or _may_take_value(previous))
        ]
    )


def _may_take_value(word: Word) -> bool:
    return word.text[:1] == "-" and "=" not in word.text
