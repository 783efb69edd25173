"""One whole decision about a command: read, expanded, its paths followed, judged.

Processor time of this thread, so that others' load does not count; the limit that it is held
against is a stated one, for an idle machine of two cores.
"""

import statistics
import sys
import time
from pathlib import Path

from actors.permissions.deciding import decide_call
from actors.permissions.defaults import BUILT_IN
from actors.permissions.places import Ground
from messages.rules import Action, PermissionRequest, Policy, Profile, Rule, Source
from shell.loading import collect_garbage
from tests.benchmark.programs import PYTHON, program, whole_ms
from tests.benchmark.rows import Row

REPETITIONS = 200
LONG, LONG_MS, SHORT_MS = 2_000, 5.0, 0.3
RULES: tuple[tuple[str, str, Action], ...] = (
    ("bash", "*", "ask"),
    ("bash", "git *", "allow"),
    ("bash", "rm -rf *", "deny"),
    ("read", "*.pem", "deny"),
    ("write", "src/*", "allow"),
)
SOURCE = Source(
    name="user rules",
    rules=tuple(Rule(permission=name, pattern=text, action=action) for name, text, action in RULES),
)
OURS = ("/home/user/.config/greenroom", "/home/user/.local/state/greenroom", ".git/hooks", "hooks")
POLICY = Policy(defaults=BUILT_IN, sources=(SOURCE,), protected=OURS, trusted=True)
CHAIN = (Profile(agent="build"),)
ROOT = str(Path(__file__).parents[2])
GROUND = Ground(root=ROOT, cwd=ROOT, home=str(Path.home()))


def filled(piece: str, begin: str = "") -> str:
    """Repeat a piece up to the length that the limit speaks of."""
    return (begin + piece * LONG)[:LONG]


def numbered(piece: str, begin: str = "") -> str:
    """Repeat a piece, with another number each time."""
    return filled("".join(piece.format(at) for at in range(LONG // len(piece))), begin)


SCRIPT = """if [ -f src/a{0}.py ]; then echo "has {0}"; git diff -- src/a{0}.py | head -n 20; fi
cd /tmp && npm run build --if-present > build{0}.log 2>&1 || exit 1
for f in *.py; do python -m pyflakes "$f"; done; rm -rf build/{0} && mkdir -p build/{0}
"""
SHAPES = {
    "a script": numbered(SCRIPT),
    "1,000 one-letter commands": filled("a;"),
    "420 different commands": numbered("a{0};"),
    "one long word": filled("x"),
    "substitutions, 150 deep": "echo $(" * 150 + "a" + ")" * 150,
    "300 substitutions": filled("echo $(a $(b $(c))) "),
    "330 different redirections": numbered(">f{0} ", "cat "),
    "200 different paths": numbered("d{0}/f{0} ", "cat "),
    "400 wrappers": filled("sudo "),
    "ssh in ssh": filled("ssh h "),
    "200 paths in a wrapper": numbered("d{0}/f{0} ", "sudo rm "),
    "280 folders entered": numbered("cd d{0};"),
    "a here-document": filled("some text here\n", "cat <<E\n")[:-3] + "\nE\n",
    "what does not parse": filled("a;( "),
    "330 assignments": numbered("A{0}=b "),
    "330 globs": numbered("a{0}* ", "ls "),
    "330 options": numbered("-o{0} ", "grep "),
    "150 subshells": "(" * 150 + "a" + ")" * 150,
    "660 subshells side by side": filled("(a);"),
    "a pipeline of 650": filled("a |") + "a",
    "90 different pipelines": numbered("a{0} | sort -u | head -n {0}\n"),
    "one path of 990 folders": filled("a/", "cat "),
    "one path of 660 steps up": filled("../", "cat "),
    "a text beyond ASCII": filled("gr\u00fc\u00dfe ", "echo "),
    "280 quoted words": numbered("'a {0}' ", "echo "),
    "250 pieces of braces": numbered("{{a,b{0}}} ", "cp "),
    "280 inputs and outputs": numbered("<i{0} >o{0} ", "cat "),
    "130 functions": numbered("f{0}() {{ a; }}\n"),
    "60 here-documents": "".join(f"cat <<E{at}\nx $(a{at}) y\nE{at}\n" for at in range(82)),
    "160 loops": numbered("for i in {0}; do a; done;"),
    "programs in programs": filled("bash -c 'rm a; b'; "),
    "guesses": filled("nohup a b c d e f g; "),
    "different guesses": numbered("nohup a{0} b{0} c{0}; "),
    "a hundred different copies": numbered("cp -r a{0} b{0} c;"),
    "git again and again": numbered("git -C d{0} diff --stat;"),
}
SHORT = "git diff --stat HEAD -- src/app.py | cat"
SHORT_ACTING = "cd src && rm -rf build > /dev/null; ls a"


def times_ms(command: str) -> list[float]:
    """Decide many times; what each took, sorted.

    Garbage is looked for as seldom as in the program.
    """
    collect_garbage()
    requests = (PermissionRequest(permission="bash", target=command),)
    taken: list[float] = []
    for _ in range(REPETITIONS):
        began_s = time.thread_time()
        decide_call(requests, GROUND, POLICY, CHAIN)
        taken.append((time.thread_time() - began_s) * 1e3)
    return sorted(taken)


def half_ms(command: str) -> float:
    """The half of the decisions take no longer."""
    return statistics.median(times_ms(command))


def most_ms(command: str) -> float:
    """99 of 100 decisions take no longer."""
    taken = times_ms(command)
    return taken[len(taken) * 99 // 100]


def slowest_ms(commands: dict[str, str]) -> float:
    """Of several shapes the slowest, 99 of 100; each is named beside the table."""
    each = {name: most_ms(command) for name, command in commands.items()}
    for name, took_ms in sorted(each.items(), key=lambda pair: -pair[1]):
        sys.stderr.write(f"  {took_ms:6.2f} ms  {name}\n")
    return max(each.values())


def check_ms() -> float:
    """Explain one verdict, as a program of its own."""
    return whole_ms(*program(), "permissions", "check", "--tool", "bash", "--target", "ls | cat")


ROWS = (
    Row(
        "decision",
        "a verdict on 40 characters, half of all",
        f"{SHORT_MS:g} ms, as stated",
        1,
        lambda: half_ms(SHORT_ACTING),
        lambda: SHORT_MS,
        "ms",
    ),
    Row(
        "decision-most",
        "a verdict on 40 characters, 99 of 100",
        f"{SHORT_MS:g} ms, as stated",
        1,
        lambda: max(most_ms(SHORT), most_ms(SHORT_ACTING)),
        lambda: SHORT_MS,
        "ms",
    ),
    Row(
        "script",
        f"a verdict on a script of {LONG:,} characters, half of all",
        f"{LONG_MS:g} ms, as stated",
        1,
        lambda: half_ms(SHAPES["a script"]),
        lambda: LONG_MS,
        "ms",
    ),
    Row(
        "script-most",
        f"a verdict on the slowest of {len(SHAPES)} shapes, 99 of 100",
        f"{LONG_MS:g} ms, as stated",
        1,
        lambda: slowest_ms(SHAPES),
        lambda: LONG_MS,
        "ms",
        rounds=3,
    ),
    Row(
        "check",
        "`greenroom permissions check`",
        PYTHON,
        15,
        check_ms,
        lambda: whole_ms(sys.executable, "-c", "pass"),
        "ms",
        rounds=9,
    ),
)
