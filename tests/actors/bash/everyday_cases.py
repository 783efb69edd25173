"""Commands of an ordinary working day: those that only look, and those that rules usually allow."""

LOOKING = r"""
ls -la
ls -lt docs
ls lib/*.ts
ls *.md
ls -d */
cat setup.py
cat lib/app.ts | head -40
head -n 30 setup.py
tail -n 50 lib/app.ts
wc -l lib/*.ts
grep -rn TODO lib
grep -c import lib/*.ts
egrep 'get|set' setup.py
rg TODO lib
rg -t py import
find . -name '*.ts'
find lib -type f | wc -l
find . -name '*.ts' | xargs wc -l
find . -name '*.ts' -exec wc -l {} +
tree -L 1
tree docs
file setup.py
stat setup.py
du -sh lib
df -h
diff setup.py lib/app.ts
sort setup.py | uniq -c | sort -rn
cut -d: -f2 setup.py
tr a-z A-Z < setup.py
sed -n 5,25p setup.py
sed -n '/class/,/^$/p' setup.py
sed -n '/import/p' setup.py
awk '{print $NF}' setup.py
awk -F: '{print $1}' setup.py
awk '/def/ {print NR}' setup.py
awk 'NR > 3 && NR < 9' setup.py
tac setup.py
column -t setup.py
paste setup.py lib/app.ts
od -c setup.py | head -3
xxd setup.py | head -3
md5sum setup.py
sha256sum lib/app.ts
base64 setup.py
echo ready
echo $?
echo "$HOME"
echo $PATH
printf '%s\n' one two
pwd
whoami
id
nproc
hostname
uptime
uname -a
date
date +%F
env | grep LANG
printenv LANG
ps aux
which node
command -v cargo
type cd
node --version
python3 --version
npm --version
cargo --version
gcc --version
java -version
make --version
ls --help
sleep 2
test -f setup.py && echo found
[ -d lib ] && ls lib
if [ -f setup.py ]; then cat setup.py; fi
for f in lib/*.ts; do echo $f; done
for f in lib/*.ts; do wc -l $f; done
for n in 1 2 3; do echo $n; done
jq . package.json
jq -r '.scripts | keys[]' package.json
cat package.json | jq .version
python3 -m json.tool package.json
seq 3
bc <<< 2*3
git status
git status -sb
git diff
git diff --stat
git diff HEAD~2
git log --oneline -10
git log -3 --stat
git show HEAD --stat
git blame -L 1,5 setup.py
git branch
git branch -a
git branch --show-current
git remote -v
git tag
git stash list
git describe --tags
git config --get user.email
git config --list
git shortlog -sn
git reflog -3
git grep TODO
git ls-files
git ls-tree -r HEAD --name-only
git rev-parse HEAD
git merge-base HEAD main
git rev-list --count HEAD
git worktree list
git submodule status
git --no-pager log -2
git -C . status
git show-ref
git ls-remote
less setup.py
man git
npm ls
npm outdated
pip list
pip freeze
go env GOROOT
go list ./...
docker ps
kubectl get pods
"""
"""They are decided by the defaults, in a trusted repository."""

WORKING_RULES = (
    "git *",
    "npm test",
    "npm run *",
    "npm ci",
    "pytest *",
    "python3 *",
    "go test *",
    "cargo *",
    "make *",
    "sed *",
    "awk *",
    "grep *",
    "mkdir *",
    "cp *",
    "mv *",
    "ruff *",
    "node *",
    "pip install *",
    "curl https://api.example.com/*",
)
WORKING = r"""
git add .
git add -p
git commit -m 'fix: parse it'
git commit -am "wip; later"
git commit --amend --no-edit
git commit -F message.txt
git push
git push -u origin topic
git push --force-with-lease
git pull --rebase
git fetch --all --prune
git checkout -b topic
git switch main
git restore --staged .
git stash
git stash show -p
git stash pop
git rebase main
git rebase -i HEAD~3
git merge --no-ff topic
git reset --hard HEAD~1
git cherry-pick abc
git revert HEAD --no-edit
git tag -a v2 -m 'v2'
git clean -n
git remote add up https://example.com/r.git
git format-patch -1
git apply fix.patch
git -C lib status
git diff | cat
git log --format='%h %an' | sort | uniq -c
git status --porcelain | wc -l
git add . && git commit -m done && git push
npm test
npm test 2>&1 | tail -30
npm test || true
npm test; echo $?
npm ci && npm test
npm run build
npm run lint -- --fix
CI=true npm test
NODE_ENV=production npm run build
pytest -q
pytest -x --lf tests
pytest -k 'a and not b'
PYTHONPATH=. pytest -q
PYTHONPATH=lib python3 -m pytest
timeout 90 pytest -q
time pytest -q
python3 -m pytest -q --tb=short
python3 -m pytest --cov=lib --cov-report=term
python3 -m venv .venv
python3 lib/tool.py --output x
python3 -c 'import sys'
go test ./...
go test -race -run TestA ./...
go test -coverprofile=c.out ./...
cargo test
cargo test -- --nocapture
cargo clippy -- -D warnings
RUST_BACKTRACE=1 cargo test
make test
make -j8 all
make -C lib
make V=1 all
sed -n '/a/p' x
sed 's/a/b/g; s/c/d/' x
sed -e 's/a/b/' -e 2d x
sed 's#/usr#/opt#g' x
sed 's/\./,/g' x
sed '/^#/d' x
sed -E 's/(a+)/[\1]/' x
sed -i 's/a/b/' x
awk '$3 > 10' x
awk -v n=2 '{print n}' x
awk '{print $1 "|" $2}' x
awk '{printf "%d\n", $1 / 2}' x
awk '/a|b/' x
awk 'length > 100' x
awk '{c[$1]++} END {for (k in c) print k, c[k]}' x
grep -rn TODO lib | head
mkdir -p out/x && cp x out
mv x y
ruff check --fix .
node --test
node lib/run.js
pip install -r requirements.txt
pip install -e '.[dev]'
curl https://api.example.com/v2/items
curl -s https://api.example.com/v2/items
curl https://api.example.com/v2 -H 'Accept: text/plain'
curl https://api.example.com/v2 -s -o /dev/null -w '%{http_code}'
set -e; npm test
set -euo pipefail; npm test
until npm test; do :; done
while true; do npm test; sleep 1; done
for f in lib/*.py; do python3 -m py_compile $f; done
export A=1 && npm test
source .venv/bin/activate && pytest
npm test > log.txt
npm test | tee log.txt
(npm test)
npm test &
"""
"""They are decided by the defaults and by rules that allow `WORKING_RULES`."""
