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

from actors.paths.resolve import WorkspacePaths
from actors.permissions.decide_call import decide_call
from messages.policy import Action, PermissionProfile, PermissionRequest, Policy, Rule, RuleSource
from shell.process.deferred_imports import enable_gc
from tests.actors.permissions.decision_helpers import DEFAULT_RULES
from tests.benchmark.benchmark_row import BenchmarkRow
from tests.benchmark.whole_program import PYTHON_BASELINE, process_ms, program_command

REPETITIONS, TRIES, MAX_NOISE_RATIO = 200, 3, 1.2
SCRIPT_CHARS, SCRIPT_LIMIT_MS, SHORT_LIMIT_MS = 2_000, 5.0, 0.3
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
PROTECTED_PATHS = (
    "/home/user/.config/greenroom",
    "/home/user/.local/state/greenroom",
    ".git/hooks",
    "hooks",
)
POLICY = Policy(
    defaults=DEFAULT_RULES, sources=(SOURCE,), protected_paths=PROTECTED_PATHS, trusted=True
)
CHAIN = (PermissionProfile(agent="build"),)
ROOT = str(Path(__file__).parents[2])
WORKSPACE_PATHS = WorkspacePaths(root=ROOT, cwd=ROOT, home=str(Path.home()))


def repeat_to_length(piece: str, begin: str = "") -> str:
    """Repeat a piece up to the length that the limit speaks of."""
    return (begin + piece * SCRIPT_CHARS)[:SCRIPT_CHARS]


def repeat_numbered(piece: str, begin: str = "") -> str:
    """Repeat a piece, with another number each time."""
    return repeat_to_length(
        "".join(piece.format(at) for at in range(SCRIPT_CHARS // len(piece))), begin
    )


SCRIPT = """if [ -f src/a{0}.py ]; then echo "has {0}"; git diff -- src/a{0}.py | head -n 20; fi
cd /tmp && npm run build --if-present > build{0}.log 2>&1 || exit 1
for f in *.py; do python -m pyflakes "$f"; done; rm -rf build/{0} && mkdir -p build/{0}
"""
TRUNCATED_SCRIPT = repeat_numbered(SCRIPT)
SCRIPTS = {"a script": TRUNCATED_SCRIPT[: TRUNCATED_SCRIPT.rindex("\n")].ljust(SCRIPT_CHARS)}
SHAPES = {
    **SCRIPTS,
    "a script that breaks off": TRUNCATED_SCRIPT,
    "1,000 one-letter commands": repeat_to_length("a;"),
    "420 different commands": repeat_numbered("a{0};"),
    "one long word": repeat_to_length("x"),
    "substitutions, 150 deep": "echo $(" * 150 + "a" + ")" * 150,
    "300 substitutions": repeat_to_length("echo $(a $(b $(c))) "),
    "330 different redirections": repeat_numbered(">f{0} ", "cat "),
    "200 different paths": repeat_numbered("d{0}/f{0} ", "cat "),
    "400 wrappers": repeat_to_length("sudo "),
    "ssh in ssh": repeat_to_length("ssh h "),
    "200 paths in a wrapper": repeat_numbered("d{0}/f{0} ", "sudo rm "),
    "280 folders entered": repeat_numbered("cd d{0};"),
    "a here-document": repeat_to_length("some text here\n", "cat <<E\n")[:-3] + "\nE\n",
    "what does not parse": repeat_to_length("a;( "),
    "330 assignments": repeat_numbered("A{0}=b "),
    "330 globs": repeat_numbered("a{0}* ", "ls "),
    "330 options": repeat_numbered("-o{0} ", "grep "),
    "150 subshells": "(" * 150 + "a" + ")" * 150,
    "660 subshells side by side": repeat_to_length("(a);"),
    "a pipeline of 650": repeat_to_length("a |") + "a",
    "90 different pipelines": repeat_numbered("a{0} | sort -u | head -n {0}\n"),
    "one path of 990 folders": repeat_to_length("a/", "cat "),
    "one path of 660 steps up": repeat_to_length("../", "cat "),
    "a text beyond ASCII": repeat_to_length("gr\u00fc\u00dfe ", "echo "),
    "280 quoted words": repeat_numbered("'a {0}' ", "echo "),
    "250 pieces of braces": repeat_numbered("{{a,b{0}}} ", "cp "),
    "280 inputs and outputs": repeat_numbered("<i{0} >o{0} ", "cat "),
    "130 functions": repeat_numbered("f{0}() {{ a; }}\n"),
    "60 here-documents": "".join(f"cat <<E{at}\nx $(a{at}) y\nE{at}\n" for at in range(82)),
    "160 loops": repeat_numbered("for i in {0}; do a; done;"),
    "programs in programs": repeat_to_length("bash -c 'rm a; b'; "),
    "guesses": repeat_to_length("nohup a b c d e f g; "),
    "different guesses": repeat_numbered("nohup a{0} b{0} c{0}; "),
    "a hundred different copies": repeat_numbered("cp -r a{0} b{0} c;"),
    "git again and again": repeat_numbered("git -C d{0} diff --stat;"),
    "one glob again and again": repeat_to_length("*/* ", "rm "),
    "globs in every folder": repeat_numbered("*/{0}* ", "rm "),
    "searches of a folder": repeat_numbered("rg x{0};"),
    "parentheses never opened": repeat_to_length("grep -r ) "),
    "what lies behind globs": repeat_numbered("*/{0}/a ", "cat "),
}
SHORT_COMMANDS = {
    "one that reads": "git diff --stat HEAD -- src/app.py | cat",
    "one that acts": "cd src && rm -rf build > /dev/null; ls a",
}


def measure_decisions_ms(command: str) -> list[float]:
    """Decide many times; what each took, sorted. Garbage is collected as seldom as in the program.

    Left out are those beside which a loop that is always the same took longer than it usually does:
    then the machine was disturbed, whatever was decided.
    """
    enable_gc()
    requests = (PermissionRequest(permission="bash", target=command),)
    decision = partial(decide_call, requests, WORKSPACE_PATHS, POLICY, CHAIN)
    loops, taken = [measure_ms(run_reference_loop)], list[float]()
    for _ in range(REPETITIONS):
        taken.append(measure_ms(decision))
        loops.append(measure_ms(run_reference_loop))
    most_ms = MAX_NOISE_RATIO * statistics.median(loops)
    beside = zip(taken, loops, loops[1:], strict=False)
    return sorted(took for took, before, after in beside if max(before, after) <= most_ms)


def measure_ms(work: Callable[[], object]) -> float:
    """Time one piece of work."""
    began_s = time.thread_time()
    work()
    return (time.thread_time() - began_s) * 1e3


def run_reference_loop() -> int:
    """Do about a millisecond's work, of the kind that decisions are made of."""
    found: dict[str, tuple[int, bool]] = {}
    for at in range(5_000):
        text = f"part {at % 100}"
        found[text] = (at, text.startswith("p"))
    return len(found)


def median_ms(command: str) -> float:
    """The half of the decisions take no longer."""
    return statistics.median(measure_decisions_ms(command))


def p99_ms(command: str) -> float:
    """99 of 100 decisions take no longer."""
    taken = measure_decisions_ms(command)
    return taken[len(taken) * 99 // 100]


def slowest_ms(commands: Mapping[str, str], statistic: Callable[[str], float]) -> float:
    """Of several commands the slowest, each in its quietest try; each is named beside the table.

    Of many commands that are timed for one row some would else meet the noise, which lasts: so
    each is tried again only after all the others.
    """
    each = dict.fromkeys(commands, math.inf)
    for _ in range(TRIES):
        for name, command in commands.items():
            each[name] = min(each[name], statistic(command))
    for name, took in sorted(each.items(), key=lambda pair: -pair[1]):
        sys.stderr.write(f"  {took:6.2f} ms  {name}\n")
    return max(each.values())


def check_ms() -> float:
    """Explain one verdict, as a program of its own."""
    return process_ms(
        *program_command(), "permissions", "check", "--tool", "bash", "--target", "ls | cat"
    )


def make_row(
    name: str,
    what: str,
    commands: Mapping[str, str],
    statistic: Callable[[str], float],
    limit_ms: float,
) -> BenchmarkRow:
    """Hold decisions against a limit."""
    return BenchmarkRow(
        name,
        what,
        f"{limit_ms:g} ms, as stated",
        1,
        lambda: slowest_ms(commands, statistic),
        lambda: limit_ms,
        "ms",
        rounds=2 if commands is SHAPES else 3,
        is_single_threaded=True,
        is_fixed_limit=True,
    )


SHORT = "a verdict on 40 characters"
SCRIPTED = f"a verdict on a script of {SCRIPT_CHARS:,} characters"
SHAPED = f"a verdict on the slowest of {len(SHAPES)} shapes of {SCRIPT_CHARS:,}"
MEDIAN, P99 = "half of all", "99 of 100"
ROWS = (
    make_row("decision", f"{SHORT}, {MEDIAN}", SHORT_COMMANDS, median_ms, SHORT_LIMIT_MS),
    make_row("decision-most", f"{SHORT}, {P99}", SHORT_COMMANDS, p99_ms, SHORT_LIMIT_MS),
    make_row("script", f"{SCRIPTED}, {MEDIAN}", SCRIPTS, median_ms, SCRIPT_LIMIT_MS),
    make_row("script-most", f"{SCRIPTED}, {P99}", SCRIPTS, p99_ms, SCRIPT_LIMIT_MS),
    make_row("shapes-most", f"{SHAPED}, {P99}", SHAPES, p99_ms, SCRIPT_LIMIT_MS),
    BenchmarkRow(
        "check",
        "`greenroom permissions check`",
        PYTHON_BASELINE,
        15,
        check_ms,
        lambda: process_ms(sys.executable, "-c", "pass"),
        "ms",
        rounds=9,
    ),
)
