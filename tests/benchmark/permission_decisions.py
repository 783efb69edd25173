"""Time of a whole permission decision on a command: parsing, path resolution and rules.

Measured as this thread's CPU time, so that other load on the machine matters little.
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

REPETITIONS, ATTEMPTS, MAX_NOISE_RATIO = 200, 3, 1.2
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
    """Return a piece repeated up to the length of a script."""
    return (begin + piece * SCRIPT_CHARS)[:SCRIPT_CHARS]


def repeat_numbered(piece: str, begin: str = "") -> str:
    """Return a piece repeated with a different number each time."""
    return repeat_to_length(
        "".join(piece.format(number) for number in range(SCRIPT_CHARS // len(piece))), begin
    )


SCRIPT = """if [ -f src/a{0}.py ]; then echo "has {0}"; git diff -- src/a{0}.py | head -n 20; fi
cd /tmp && npm run build --if-present > build{0}.log 2>&1 || exit 1
for f in *.py; do python -m pyflakes "$f"; done; rm -rf build/{0} && mkdir -p build/{0}
"""
TRUNCATED_SCRIPT = repeat_numbered(SCRIPT)
SCRIPTS = {"a script": TRUNCATED_SCRIPT[: TRUNCATED_SCRIPT.rindex("\n")].ljust(SCRIPT_CHARS)}
SHAPES = {
    **SCRIPTS,
    "a truncated script": TRUNCATED_SCRIPT,
    "1,000 one-letter commands": repeat_to_length("a;"),
    "420 different commands": repeat_numbered("a{0};"),
    "one long word": repeat_to_length("x"),
    "substitutions, 150 deep": "echo $(" * 150 + "a" + ")" * 150,
    "300 substitutions": repeat_to_length("echo $(a $(b $(c))) "),
    "330 different redirections": repeat_numbered(">f{0} ", "cat "),
    "200 different paths": repeat_numbered("d{0}/f{0} ", "cat "),
    "400 wrappers": repeat_to_length("sudo "),
    "nested ssh": repeat_to_length("ssh h "),
    "200 paths in a wrapper": repeat_numbered("d{0}/f{0} ", "sudo rm "),
    "280 changes of directory": repeat_numbered("cd d{0};"),
    "a here-document": repeat_to_length("some text here\n", "cat <<E\n")[:-3] + "\nE\n",
    "invalid syntax": repeat_to_length("a;( "),
    "330 assignments": repeat_numbered("A{0}=b "),
    "330 globs": repeat_numbered("a{0}* ", "ls "),
    "330 options": repeat_numbered("-o{0} ", "grep "),
    "150 subshells": "(" * 150 + "a" + ")" * 150,
    "660 subshells in sequence": repeat_to_length("(a);"),
    "a pipeline of 650 commands": repeat_to_length("a |") + "a",
    "90 different pipelines": repeat_numbered("a{0} | sort -u | head -n {0}\n"),
    "one path with 990 folders": repeat_to_length("a/", "cat "),
    "one path with 660 parent steps": repeat_to_length("../", "cat "),
    "non-ASCII text": repeat_to_length("gr\u00fc\u00dfe ", "echo "),
    "280 quoted words": repeat_numbered("'a {0}' ", "echo "),
    "250 brace expansions": repeat_numbered("{{a,b{0}}} ", "cp "),
    "280 input and output redirections": repeat_numbered("<i{0} >o{0} ", "cat "),
    "130 functions": repeat_numbered("f{0}() {{ a; }}\n"),
    "60 here-documents": "".join(f"cat <<E{at}\nx $(a{at}) y\nE{at}\n" for at in range(82)),
    "160 loops": repeat_numbered("for i in {0}; do a; done;"),
    "scripts in `bash -c`": repeat_to_length("bash -c 'rm a; b'; "),
    "a possible command, repeated": repeat_to_length("nohup a b c d e f g; "),
    "different possible commands": repeat_numbered("nohup a{0} b{0} c{0}; "),
    "100 different copies": repeat_numbered("cp -r a{0} b{0} c;"),
    "git, repeated": repeat_numbered("git -C d{0} diff --stat;"),
    "one glob, repeated": repeat_to_length("*/* ", "rm "),
    "different globs in every folder": repeat_numbered("*/{0}* ", "rm "),
    "different searches of one folder": repeat_numbered("rg x{0};"),
    "unmatched closing parentheses": repeat_to_length("grep -r ) "),
    "paths below globs": repeat_numbered("*/{0}/a ", "cat "),
}
SHORT_COMMANDS = {
    "a reading command": "git diff --stat HEAD -- src/app.py | cat",
    "a changing command": "cd src && rm -rf build > /dev/null; ls a",
}


def measure_decisions_ms(command: str) -> list[float]:
    """Decide many times; return the milliseconds of each decision, sorted.

    Garbage collection is set as in the program. A reference loop runs before and after each
    decision. A decision is left out if that loop took longer than usual, as the machine was busy.
    """
    enable_gc()
    requests = (PermissionRequest(permission="bash", target=command),)
    decision = partial(decide_call, requests, WORKSPACE_PATHS, POLICY, CHAIN)
    loops_ms, decisions_ms = [measure_ms(run_reference_loop)], list[float]()
    for _ in range(REPETITIONS):
        decisions_ms.append(measure_ms(decision))
        loops_ms.append(measure_ms(run_reference_loop))
    max_loop_ms = MAX_NOISE_RATIO * statistics.median(loops_ms)
    samples = zip(decisions_ms, loops_ms, loops_ms[1:], strict=False)
    return sorted(
        decision_ms for decision_ms, before, after in samples if max(before, after) <= max_loop_ms
    )


def measure_ms(function: Callable[[], object]) -> float:
    """Return the CPU milliseconds of one call."""
    started_s = time.thread_time()
    function()
    return (time.thread_time() - started_s) * 1e3


def run_reference_loop() -> int:
    """Do about a millisecond of work of the same kind as a decision."""
    results: dict[str, tuple[int, bool]] = {}
    for number in range(5_000):
        text = f"part {number % 100}"
        results[text] = (number, text.startswith("p"))
    return len(results)


def median_ms(command: str) -> float:
    """Return the median time of a decision."""
    return statistics.median(measure_decisions_ms(command))


def p99_ms(command: str) -> float:
    """Return the 99th percentile of the time of a decision."""
    decisions_ms = measure_decisions_ms(command)
    return decisions_ms[len(decisions_ms) * 99 // 100]


def slowest_ms(commands: Mapping[str, str], statistic: Callable[[str], float]) -> float:
    """Return the time of the slowest command, each in its best attempt; print all of them.

    Noise lasts for a while, so a command's next attempt comes only after all other commands.
    """
    best_ms = dict.fromkeys(commands, math.inf)
    for _ in range(ATTEMPTS):
        for name, command in commands.items():
            best_ms[name] = min(best_ms[name], statistic(command))
    for name, time_ms in sorted(best_ms.items(), key=lambda pair: -pair[1]):
        sys.stderr.write(f"  {time_ms:6.2f} ms  {name}\n")
    return max(best_ms.values())


def check_ms() -> float:
    """Return the milliseconds of `greenroom permissions check`."""
    return process_ms(
        *program_command(), "permissions", "check", "--tool", "bash", "--target", "ls | cat"
    )


def make_row(
    name: str,
    description: str,
    commands: Mapping[str, str],
    statistic: Callable[[str], float],
    limit_ms: float,
) -> BenchmarkRow:
    """Return a row that compares decisions with a fixed limit."""
    return BenchmarkRow(
        name,
        description,
        f"{limit_ms:g} ms, fixed",
        1,
        lambda: slowest_ms(commands, statistic),
        lambda: limit_ms,
        "ms",
        rounds=2 if commands is SHAPES else 3,
        is_single_threaded=True,
        is_fixed_limit=True,
    )


SHORT = "decision on a command of 40 characters"
SCRIPTED = f"decision on a script of {SCRIPT_CHARS:,} characters"
SHAPED = f"decision on the slowest of {len(SHAPES)} commands of {SCRIPT_CHARS:,} characters"
MEDIAN, P99 = "median", "99th percentile"
ROWS = (
    make_row("decision", f"{SHORT}, {MEDIAN}", SHORT_COMMANDS, median_ms, SHORT_LIMIT_MS),
    make_row("decision-p99", f"{SHORT}, {P99}", SHORT_COMMANDS, p99_ms, SHORT_LIMIT_MS),
    make_row("script", f"{SCRIPTED}, {MEDIAN}", SCRIPTS, median_ms, SCRIPT_LIMIT_MS),
    make_row("script-p99", f"{SCRIPTED}, {P99}", SCRIPTS, p99_ms, SCRIPT_LIMIT_MS),
    make_row("shapes-p99", f"{SHAPED}, {P99}", SHAPES, p99_ms, SCRIPT_LIMIT_MS),
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
