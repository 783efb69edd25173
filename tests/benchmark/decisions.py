"""One whole decision about a command: read, expanded, its paths followed, judged.

Processor time of this thread, so that what others do on the machine counts as little as it can.
"""

import math
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from actors.permissions.deciding import decide_call
from actors.permissions.defaults import BUILT_IN
from actors.permissions.places import WorkspacePaths
from messages.rules import Action, PermissionProfile, PermissionRequest, Policy, Rule, RuleSource
from shell.loading import collect_garbage
from tests.benchmark.programs import PYTHON, program, whole_ms
from tests.benchmark.rows import Row

REPETITIONS, TRIES, QUIET = 200, 3, 1.2
LONG, LONG_MS, SHORT_MS = 2_000, 5.0, 0.3
RULES: tuple[tuple[str, str, Action], ...] = (
    ("bash", "*", "ask"),
    ("bash", "git *", "allow"),
    ("bash", "rm -rf *", "deny"),
    ("read", "*.pem", "deny"),
    ("write", "src/*", "allow"),
)
SOURCE = RuleSource(
    name="user rules",
    rules=tuple(Rule(permission=name, pattern=text, action=action) for name, text, action in RULES),
)
OURS = ("/home/user/.config/greenroom", "/home/user/.local/state/greenroom", ".git/hooks", "hooks")
POLICY = Policy(defaults=BUILT_IN, sources=(SOURCE,), protected=OURS, trusted=True)
CHAIN = (PermissionProfile(agent="build"),)
ROOT = str(Path(__file__).parents[2])
GROUND = WorkspacePaths(root=ROOT, cwd=ROOT, home=str(Path.home()))


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
BROKEN_OFF = numbered(SCRIPT)
SCRIPTS = {"a script": BROKEN_OFF[: BROKEN_OFF.rindex("\n")].ljust(LONG)}
SHAPES = {
    **SCRIPTS,
    "a script that breaks off": BROKEN_OFF,
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
    "one glob again and again": filled("*/* ", "rm "),
    "globs in every folder": numbered("*/{0}* ", "rm "),
    "searches of a folder": numbered("rg x{0};"),
    "parentheses never opened": filled("grep -r ) "),
    "what lies behind globs": numbered("*/{0}/a ", "cat "),
}
SHORTS = {
    "one that reads": "git diff --stat HEAD -- src/app.py | cat",
    "one that acts": "cd src && rm -rf build > /dev/null; ls a",
}


def times_ms(command: str) -> list[float]:
    """Decide many times; what each took, sorted. Garbage is collected as seldom as in the program.

    Left out are those beside which a loop that is always the same took longer than it usually does:
    then the machine was disturbed, whatever was decided.
    """
    collect_garbage()
    requests = (PermissionRequest(permission="bash", target=command),)
    decision = partial(decide_call, requests, GROUND, POLICY, CHAIN)
    loops, taken = [took_ms(loop)], list[float]()
    for _ in range(REPETITIONS):
        taken.append(took_ms(decision))
        loops.append(took_ms(loop))
    most_ms = QUIET * statistics.median(loops)
    beside = zip(taken, loops, loops[1:], strict=False)
    return sorted(took for took, before, after in beside if max(before, after) <= most_ms)


def took_ms(work: Callable[[], object]) -> float:
    """Time one piece of work."""
    began_s = time.thread_time()
    work()
    return (time.thread_time() - began_s) * 1e3


def loop() -> int:
    """Do about a millisecond's work, of the kind that decisions are made of."""
    found: dict[str, tuple[int, bool]] = {}
    for at in range(5_000):
        text = f"part {at % 100}"
        found[text] = (at, text.startswith("p"))
    return len(found)


def half_ms(command: str) -> float:
    """The half of the decisions take no longer."""
    return statistics.median(times_ms(command))


def most_ms(command: str) -> float:
    """99 of 100 decisions take no longer."""
    taken = times_ms(command)
    return taken[len(taken) * 99 // 100]


def slowest_ms(commands: Mapping[str, str], share: Callable[[str], float]) -> float:
    """Of several commands the slowest, each in its quietest try; each is named beside the table.

    Of many commands that are timed for one row some would else meet the noise, which lasts: so
    each is tried again only after all the others.
    """
    each = dict.fromkeys(commands, math.inf)
    for _ in range(TRIES):
        for name, command in commands.items():
            each[name] = min(each[name], share(command))
    for name, took in sorted(each.items(), key=lambda pair: -pair[1]):
        sys.stderr.write(f"  {took:6.2f} ms  {name}\n")
    return max(each.values())


def check_ms() -> float:
    """Explain one verdict, as a program of its own."""
    return whole_ms(*program(), "permissions", "check", "--tool", "bash", "--target", "ls | cat")


def row(
    name: str,
    what: str,
    commands: Mapping[str, str],
    share: Callable[[str], float],
    limit_ms: float,
) -> Row:
    """Hold decisions against a limit."""
    return Row(
        name,
        what,
        f"{limit_ms:g} ms, as stated",
        1,
        lambda: slowest_ms(commands, share),
        lambda: limit_ms,
        "ms",
        rounds=2 if commands is SHAPES else 3,
        one_thread=True,
        stated=True,
    )


SHORT = "a verdict on 40 characters"
SCRIPTED = f"a verdict on a script of {LONG:,} characters"
SHAPED = f"a verdict on the slowest of {len(SHAPES)} shapes of {LONG:,}"
HALF, MOST = "half of all", "99 of 100"
ROWS = (
    row("decision", f"{SHORT}, {HALF}", SHORTS, half_ms, SHORT_MS),
    row("decision-most", f"{SHORT}, {MOST}", SHORTS, most_ms, SHORT_MS),
    row("script", f"{SCRIPTED}, {HALF}", SCRIPTS, half_ms, LONG_MS),
    row("script-most", f"{SCRIPTED}, {MOST}", SCRIPTS, most_ms, LONG_MS),
    row("shapes-most", f"{SHAPED}, {MOST}", SHAPES, most_ms, LONG_MS),
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
