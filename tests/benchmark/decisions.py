"""One whole decision about a command: read, expanded, its paths followed, judged.

Processor time of this thread. The limits are stated ones for an idle machine: each is a loop that
takes so long while nothing disturbs it, run by turns with the decisions, as often as they.
"""

import statistics
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
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
SHORTS = {
    "one that reads": "git diff --stat HEAD -- src/app.py | cat",
    "one that acts": "cd src && rm -rf build > /dev/null; ls a",
}


@dataclass(slots=True)
class Times:
    """What each decision took in ms, and the loop beside it; sorted."""

    decisions: list[float]
    loops: list[float]

    def most(self) -> tuple[float, float]:
        """99 of 100 take no longer."""
        at = len(self.decisions) * 99 // 100
        return self.decisions[at], self.loops[at]

    def half(self) -> tuple[float, float]:
        """The half of them take no longer."""
        return statistics.median(self.decisions), statistics.median(self.loops)


def took_ms(work: Callable[[], object]) -> float:
    """Time one piece of work."""
    began_s = time.thread_time()
    work()
    return (time.thread_time() - began_s) * 1e3


def loop(steps: int) -> int:
    """Do the same work each time, of the kind that decisions are made of."""
    found: dict[str, tuple[int, bool]] = {}
    for at in range(steps):
        text = f"part {at}"
        found[text] = (at, text.startswith("p"))
    return len(found)


@cache
def steps_in(limit_ms: float) -> int:
    """Count the steps of the loop that take so long while nothing disturbs them."""
    steps = 1_000
    for _ in range(3):
        quickest_ms = min(took_ms(partial(loop, steps)) for _ in range(50))
        steps = round(steps * limit_ms / quickest_ms)
    return steps


def times(command: str, limit_ms: float) -> Times:
    """Decide many times, the loop in between.

    Garbage is looked for as seldom as in the program.
    """
    collect_garbage()
    requests = (PermissionRequest(permission="bash", target=command),)
    decision = partial(decide_call, requests, GROUND, POLICY, CHAIN)
    beside = partial(loop, steps_in(limit_ms))
    pairs = [(took_ms(decision), took_ms(beside)) for _ in range(REPETITIONS)]
    return Times(sorted(ours for ours, _ in pairs), sorted(limit for _, limit in pairs))


class Slowest:
    """Both sides of a row: of some commands the one that is slowest beside the loop."""

    def __init__(
        self,
        commands: Mapping[str, str],
        limit_ms: float,
        share: Callable[[Times], tuple[float, float]],
    ) -> None:
        self._commands = commands
        self._limit_ms = limit_ms
        self._share = share
        self._loop_ms = limit_ms

    def ours(self) -> float:
        """Measure; with several commands each is named beside the table."""
        each = {
            name: self._share(times(command, self._limit_ms))
            for name, command in self._commands.items()
        }
        by_ratio = sorted(each.items(), key=lambda pair: -pair[1][0] / pair[1][1])
        for name, (took, limit) in by_ratio if len(each) > 1 else ():
            sys.stderr.write(f"  {took / limit:5.2f}  {took:6.2f} ms  {name}\n")
        took, self._loop_ms = by_ratio[0][1]
        return took

    def bare(self) -> float:
        """Say what the loop took beside it."""
        return self._loop_ms


def check_ms() -> float:
    """Explain one verdict, as a program of its own."""
    return whole_ms(*program(), "permissions", "check", "--tool", "bash", "--target", "ls | cat")


def row(
    name: str, what: str, commands: Mapping[str, str], limit_ms: float, rounds: int = 7
) -> list[Row]:
    """Hold the half of all decisions, and 99 of 100, against a limit."""
    told = f"a loop of {limit_ms:g} ms beside it"
    rows: list[Row] = []
    for ending, of_all, share in (
        ("", "half of all", Times.half),
        ("-most", "99 of 100", Times.most),
    ):
        side = Slowest(commands, limit_ms, share)
        what_of = f"{what}, {of_all}"
        rows.append(
            Row(
                name + ending, what_of, told, 1, side.ours, side.bare, "ms", rounds, one_thread=True
            )
        )
    return rows


SCRIPT_WHAT = f"a verdict on a script of {LONG:,} characters"
SHAPES_WHAT = f"a verdict on the slowest of {len(SHAPES)} shapes of {LONG:,}"
ROWS = (
    *row("decision", "a verdict on 40 characters", SHORTS, SHORT_MS),
    *row("script", SCRIPT_WHAT, {"a script": SHAPES["a script"]}, LONG_MS, 3),
    *row("shapes", SHAPES_WHAT, SHAPES, LONG_MS, 3),
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
