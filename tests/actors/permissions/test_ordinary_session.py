"""An ordinary session of 60 commands asks fewer than five times."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from actors.paths.resolve import WorkspacePaths
from messages.policy import Rule
from tests.actors.permissions.decision_helpers import DEFAULT_POLICY, decide_requests

MAX_ASKS = 4
SESSION = """
git status
git log --oneline -5
git branch --show-current
ls
ls -la src tests
tree -L 2
cat README.md
cat package.json | head -20
jq .scripts package.json
wc -l src/*.py
find . -name '*.py' | head -20
find src -type f | wc -l
grep -rn price src
grep -rn 'def ' src --include=*.py
rg -n price src
cat src/*.py
sed -n 1,40p src/price.py
head -20 tests/test_price.py
test -f pyproject.toml && cat pyproject.toml
[ -d src ] && ls src
python3 --version
node --version
which python3
.venv/bin/pytest -q
.venv/bin/pytest -q tests/test_price.py
.venv/bin/pytest -q tests/test_price.py -k 'ten or eleven'
cat src/price.py | grep -n discount
awk '{print $1}' README.md
diff src/price.py tests/test_price.py
git diff
git diff --stat
.venv/bin/pytest -x tests/test_price.py
timeout 60 .venv/bin/pytest -q
.venv/bin/pytest -q 2>&1 | tail -20
cd src && ls
for f in src/*.py; do wc -l $f; done
npx tsc --noEmit
npx tsc -p .
cut -d, -f1 README.md | sort | uniq -c
tail -5 src/price.py; echo
stat src/price.py
file src/price.py
date
pwd
git add src/price.py
git add tests
git status --short
git diff --cached
git diff --cached --stat
git commit -m 'Start the discount at ten pieces'
git log -1 --stat
git show HEAD --stat
npx tsc --noEmit --strict
.venv/bin/pytest -q --tb=short
git add -u
git commit -m 'Check the discount with types'
git log --oneline | head -3
git blame src/price.py
du -sh src
git status -sb
"""


@pytest.fixture
def paths(tmp_path: Path) -> WorkspacePaths:
    root = tmp_path.resolve() / "basket"
    for name in (
        *("src/price.py", "tests/test_price.py", "README.md", "package.json", "pyproject.toml"),
        ".venv/bin/pytest",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("text\n")
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    return WorkspacePaths(root=str(root), cwd=str(root), home="/nowhere/home")


def test_an_ordinary_session_asks_fewer_than_five_times(paths: WorkspacePaths) -> None:
    commands = SESSION.strip().splitlines()
    policy = replace(DEFAULT_POLICY, trusted=True)
    asked: list[str] = []
    for command in commands:
        decision = decide_requests(("bash", command), policy=policy, workspace_paths=paths).decision
        assert decision.action != "deny", command
        if decision.action == "ask":
            asked.append(command)
            chosen: tuple[Rule, ...] = decision.broader_grants or decision.grants
            policy = replace(policy, grants=(*policy.grants, *chosen))
    assert len(commands) == 60
    assert len(asked) <= MAX_ASKS, asked
