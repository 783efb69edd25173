"""What a command is called as well, for rules that ask or deny."""

from collections.abc import Iterator
from itertools import islice, pairwise

from actors.bash.effects.indirect_effects import Words
from actors.bash.programs.git import list_git_aliases
from actors.bash.syntax.parsed_command import Word

_WITH_SUBCOMMANDS = frozenset(
    """
    npm pnpm yarn bun cargo docker docker-compose podman nerdctl kubectl oc helm gh glab go pip pip3
    uv poetry pdm pipenv terraform tofu pulumi aws gcloud az systemctl brew apt apt-get dnf yum
    apk gsutil zypper snap flatpak composer dotnet hg svn mvn gradle heroku flyctl fly vercel
    netlify wrangler firebase gem bundle conda mamba vagrant minikube kind ansible
    """.split()  # noqa: SIM905  (a list would be a page)
)
"""Options may stand before the word that says what they do."""
MAX_SKIPPED_WORDS = 64
"""Words before the subcommand that are passed over."""


def list_aliases(words: Words, text: str) -> tuple[str, ...]:
    """Say a command by its bare name, and without the options before its subcommands."""
    bare = Word(words[0].text.rpartition("/")[2])
    name = bare.text
    found = [_joined((bare, *words[1:]))]
    if name.startswith("git-"):
        found.append(_joined((Word("git"), Word(name[4:]), *words[1:])))
    if name == "git":
        found.extend(list_git_aliases((bare, *words[1:])))
    elif has_leading_options(name, words):
        found.extend(
            _joined((bare, *rest)) for rest in islice(_behind_options(words), MAX_SKIPPED_WORDS)
        )
        found.extend(_joined((bare, *rest)) for rest in _without_options(words))
    return tuple(each for each in dict.fromkeys(found) if each != text)


def has_too_many_options(words: Words) -> bool:
    """Whether it may have more options before its subcommand than are passed over."""
    return len(words) > MAX_SKIPPED_WORDS and has_leading_options(
        words[0].text.rpartition("/")[2], words
    )


def has_leading_options(name: str, words: Words) -> bool:
    """Whether there are options of a program whose subcommand they may stand before."""
    return name in _WITH_SUBCOMMANDS and any(map(_is_option, words[1:]))


def _is_option(word: Word) -> bool:
    return word.text[:1] in {"-", "+"}


def _behind_options(words: Words) -> Iterator[Words]:
    """Find where the subcommand may be: behind the options, or behind the value of the last."""
    at = 1
    while at < len(words):
        if not _is_option(words[at]):
            yield words[at:]
            if not _takes_a_value(words[at - 1]):
                return
        at += 1


def _without_options(words: Words) -> Iterator[Words]:
    """Leave out all options (`gh pr -R x merge`), and with each the value that it may have."""
    yield tuple([word for word in words[1:] if not _is_option(word)])
    pairs = pairwise(words)
    yield tuple([w for before, w in pairs if not (_is_option(w) or _takes_a_value(before))])


def _takes_a_value(word: Word) -> bool:
    return word.text[:1] == "-" and "=" not in word.text


def _joined(words: Words) -> str:
    return " ".join([word.text for word in words])
