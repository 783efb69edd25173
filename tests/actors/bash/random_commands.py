"""Generates random commands from pieces with a meaning to bash, nested in contexts."""

from random import Random

NAMES = ("a", "b", "c", "rm", "ls", "cat", "git", "find", "echo", "true", "grep", "x1")
"""All of them are stubs in tests that run the commands."""

TOKENS = (
    "a", "b", "rm", "ls", "'q r'", '"d q"', "\\s", "$v", "${v}", "$(a)", "`b`", '"$(rm x)"', "x=1",
    "-l", "--", "#", "#c", "{", "}", "!", "(", ")", "<", ">", "<<<", "2>", "&", "|", ";", ";;",
    "&&", "||", "\n", "\n", "\\\n", " ", "\t", "*", "?", "[", "]", "~", "$", '"', "'", "`", "$(",
    "${", "$((", "))", "then", "do", "done", "if", "fi", "else", "for", "in", "while", "case",
    "esac", "E", "<<E", "<<'E'", "\nE\n", "=", "+=", "a=1", "v[0]=1", "{a,b}", "a{b", "$'x'",
    "$'\\x61'", '$"a"', "time", "coproc", "function", "select", "[[", "]]", "((", "-eq", "==", "1",
    "2", "f", "2>&1", ">/dev/null", ">&2", "<f", "&>f", "|&", ">(", "<(", "a()", "eval", "{ a; }",
    "(b)", "$1", "$@", '"$@"', "!(", "@(", ";&", "until", "elif", "test", "command", "trap", "-f",
    "a#b", "\\#", "$#", "${#v}", "${v:-a}", "${v:-$(b)}", "${v:-`rm`}", "$[1]", "$[a[$(b)]]",
    "$((1+1))", "$((a[$(rm)]))", "\\\n a", "a\\\nb", "$\\\n", '"$\\\n(rm x)"',
)  # fmt: skip

TEMPLATES = (
    "{} {}", "{}; {}", "{} && {}", "{} || {}", "{} | {}", "{} |& {}", "{} & {}", "{}\n{}", "( {} )",
    "{{ {}; }}", "if {}; then {}; fi", "if {}; then {}; elif {}; then {}; else {}; fi",
    "for i in {}; do {}; done", "while {}; do break; done", "until {}; do {}; done",
    "case {} in a) {};; *) {};; esac", "echo $({})", "echo `{}`", 'echo "{} $({})"',
    "cat <<E\n{}\nE\n{}", "cat <<'E'\n{}\nE\n{}", "cat <<-E\n\t{}\n\tE\n{}", "{} <<E {}\n{}\nE\n{}",
    "{} > f {}", "{} 2>&1 {}", "[ {} ]", "[[ {} ]]", "! {}", "f() {{ {}; }}; f", "{} \\\n {}",
    "{} # {}\n{}", "a {} <<< {}", "{}<{}", "{}>{}", "echo ${{v:-{}}}", "echo $(( {} ))",
    'echo "{}"', "echo '{}'", "v={} {}", "time {}", "echo $({}; {})", "{} >/dev/null {}",
)  # fmt: skip
_MAX_DEPTH = 3


def make_random_command(random: Random, depth: int = 0) -> str:
    """Generate one command."""
    if depth < _MAX_DEPTH and random.random() < 0.5:
        context = random.choice(TEMPLATES)
        return context.format(
            *(make_random_command(random, depth + 1) for _ in range(context.count("{}")))
        )
    pieces = [random.choice(NAMES)] if random.random() < 0.6 else []
    pieces += [random.choice(TOKENS) for _ in range(random.randint(1, 6))]
    return random.choice((" ", " ", " ", "")).join(pieces)


def mutate_command(random: Random, command: str) -> str:
    """Change a command in a few places: drop, replace, insert or copy characters."""
    text = list(command)
    for _ in range(random.randint(1, 4)):
        at = random.randint(0, len(text))
        match random.randint(0, 3):
            case 0:
                del text[at : at + random.randint(1, 3)]
            case 1:
                text[at:at] = random.choice(TOKENS)
            case 2:
                text[at:at] = chr(random.choice((0, 13, 39, 34, 92, 160, 8203, 55296, 128512)))
            case _:
                text[at:at] = text[random.randint(0, len(text)) :][:5]
    return "".join(text)
