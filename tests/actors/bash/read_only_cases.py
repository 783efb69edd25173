"""Cases of read-only commands, and of commands that only look like them."""

from tests.actors.bash.case_format import parse_cases

READ_ONLY = (
    *parse_cases(
        "analyze program",
        "read-only",
        "allow",
        (),
        r"""
pwd
true
false
echo hello
echo "hello world" 'a b'
echo a && echo b
basename a/b.py .py
dirname a/b
realpath src
readlink -f a
stat a
stat -c %s a
uname -a
which python
cat a
cat -n a b
cat a | head -20
head -n 5 a
head -5 a
tail -n 5 a
tail -20 a
wc -l a
wc a b
nl a
cut -d: -f1 a
cut -d , -f 2 a
tr a-z A-Z < a
cat a | tr -d x
cmp a b
diff a b
diff -u a b
diff -r src tests
du -sh .
du -h src
ls
ls -la
ls -la src tests
ls -1 src | wc -l
cd src
cd src && ls
cd src && grep -n x a
sort a
sort -u a
sort -k2,2n -t: a
sort -rn a | head
uniq a
uniq -c a
sort a | uniq -c | sort -rn
grep x a
grep -n "a b" src/a.py
grep -rn TODO src
grep -E 'a|b' a
grep -c x a b
grep --include='*.py' -rn x src
grep -rn --include=*.py x src
grep -rn --exclude-dir=.* x src
grep -q x a && echo yes || echo no
rg x
rg -n x src
rg -i "a b" --type py
rg -l x -g '*.py'
find . -name '*.py'
find src -type f -name "*.py"
find . -maxdepth 2 -type d
find . -name a -not -path './b/*' -print
find . -type f | wc -l
sed -n 1,20p a
sed -n '5p' a
sed -n -e 1,5p a
sed -n '1,5p;10,15p' a
date +%F
date
ls -la 2>/dev/null
ls > /dev/null 2>&1
cat <<'E'⏎hello $(rm x)⏎E
(cd src && ls)
if ls a; then echo yes; fi
for f in a b c; do echo hi; done
git status
git status --short
git status -sb
git log --oneline -10
git log -n 5
git log -p -- src
git diff
git diff --stat
git diff HEAD~1 -- src/a.py
git diff --cached
git diff -- '*.py'
git log -p -- 'src/*.py'
git show HEAD
git show --stat HEAD~2
git rev-parse HEAD
git rev-parse --show-toplevel
git ls-files
git ls-files src | head
git blame src/a.py
git blame -L 1,10 src/a.py
git status && git diff
ls -la # all of it
wc -l src/a.py && \⏎ head -3 src/a.py
""",
    ),
)
"""Allowed by the built-in defaults, in a trusted folder."""


READ_ONLY_EDGE_CASES = (
    *parse_cases(
        "analyze program",
        "read-only",
        "allow",
        (),
        r"""
cat *
ls *.py
ls src/*.py
ls -d */
wc -l src/*.py
head -3 src/[ab].py
grep -n x src/*.py
echo src/*.py
echo $HOME
echo "in $PWD: $?"
printf x
printf '%s\n' a b
sed 1d a
sed -ne 1p a
sed -n /x/p a
sed -n '/def/,/return/p' a
sed -e 's/a/b/' -e 's/c/d/' a
sed 's#/a#/b#g; s/\./,/g' a
sed -E 's/([a-z]+)/\1/' a
sed '/^[[:space:]]*$/d' a
awk '{print $1}' a
awk -F, 'NR > 1 && $2 >= 5 {print $2}' a
awk '/a|b/ {n++} END {print n / NR}' a
git --no-pager log -3
git -C src status
git -C . log -1
git branch
git branch -vv
git branch --show-current
git remote -v
git tag -l
git stash list
git describe --tags
git config --get user.name
git config user.email
git shortlog -sn
git reflog -5
git ls-tree -r HEAD --name-only
git cat-file -p HEAD
git merge-base HEAD main
git rev-list --count HEAD
git worktree list
git check-ignore a
git show-ref
git for-each-ref
git symbolic-ref HEAD
git var GIT_AUTHOR_IDENT
git whatchanged -3
git name-rev HEAD
git count-objects -v
git --version
python3 --version
go version
docker --version
ls --help
LC_ALL=C sort a
CI=true echo x
timeout 60 ls
time ls
time -p ls
set -e
set -euo pipefail; ls
test -f a
test -f a && echo yes
[ -f a ]
[ -d src -a -n x ]
if [ -d src ]; then ls src; fi
for f in src/*.py; do echo $f; done
for f in src/*.py; do wc -l "$f"; done
for i in 1 2 3; do echo "$i of 3"; done
for a in x y; do for b in z w; do echo $a-${b}; done; done
until [ -f a ]; do sleep 1; done
while true; do :; done
command -v python3
type ls
tree -L 2 src
file a
tac a
rev a
column -t a
paste a b
comm a b
join a b
fold -w 80 a
fmt a
od -c a | head
xxd a
xxd -l 8 a
hexdump -C a
strings a
md5sum a
base64 a
egrep 'a|b' a
seq 1 5
expr 1 + 1
df -h
id
nproc
whoami
jq . a
jq -r .name a
fd -e py
tail -n +5 a
tail -c +5 a
tail --lines=+5 a
git diff HEAD@{1}
git show HEAD^{tree}
git show HEAD^{commit}
git show stash@{0}
git log @{u}..
git log @{-1}
git rev-parse --abbrev-ref @{u}
git status -uno
git status --porcelain=v1 -uall
git ls-files -o --exclude-standard
git ls-files -mo --exclude-standard
git ls-files '*.py'
git diff -W --color-words --compact-summary
git diff --relative --binary -a
git show -m HEAD
git show :src/main.py
git show :0:src/main.py
git blame -e src/main.py
git blame -l -f src/main.py
git rev-parse --symbolic-full-name HEAD
git rev-parse --is-bare-repository
git log --cherry-pick --right-only a...b
git log -l 100
rg -g '*.{py,md}' x
rg --debug x
rg --version
grep --version
find . -newermt '2024-01-01' -type f
find . -newermt 2024-01-01
cd src && cat ../a
cd src && grep -n x ../a
cd src/deep && ls ../..
cd src && ls .. | head
(cd src && ls ../tests)
cd src && git diff ../a
(cd src && ls ../tests) && ls
cd /nowhere/project/src && ls ..
cd src && pwd && cd ../tests && pwd
cd src && cd .. && ls
cd src && cat "../a"
cd src 2>/dev/null && cat ../a
cd src && if ls ..; then cat ../a; fi
ls && cd src && cat ../a && cat b; ls
ls | wc -l; cd src && ls ..
cd src && \⏎  cat ../a
cd src && cat ../a || echo no
{ cd src && ls ..; } | head
""",
    ),
)
"""Allowed in the same way, though they look like commands below."""


NOT_READ_ONLY = (
    *parse_cases(
        "analyze program",
        "not-read-only",
        "ask",
        (),
        r"""
time cd src
timeout 5 cd src && ls
timeout 5 time cd src && ls
gtest -f a
gsort a
tree -Lo 1 a
tree -Po '*' a
tree -aIo x a
od -w .env
od -cw .env
column -d .env
column -td .env
ls --color ../outside
ls --color /etc
cat $'\x2eenv'
cat $'\x2a'
CI=1 time cd src && ls
cat .e*/../../x
cat ../*
cat /etc/*
cat ~/*
ls */../../x
grep $x src/*.py
grep -r x src/*
sort *.py
find *.py -name x
tail *
cd *
echo $OPENAI_API_KEY
echo "${HOME:=x}"
echo $HOMEX
echo ${PATH#x}
echo *
echo ../*.py
echo /etc/*
printf -v HOME x
for HOME in $SECRET; do echo $HOME; done
for SECRET in a; do :; done; echo $SECRET
echo $SECRET; for SECRET in a; do :; done
for f in $(cat .env); do echo $f; done
for f in $SECRET; do echo $f; done
for f in -o b; do sort a $f; done
for f in *; do sort $f; done
for f in /etc/passwd; do cat $f; done
for f in ../*; do cat $f; done
sed -n '1e ls' a
sed 's|a|b|e' a
sed 's/a/b/;w x' a
sed 's/[/]/x/w f/' a
sed -e 1p -e 'w x' a
sed -n p /etc/passwd
sed p ../a
sed -i s/a/b/ a
sed -s -i s/a/b/ a
awk '{print > "x"}' a
awk '{print $0 "a" > FILENAME ".b"}' a
awk '{print /"/ > "x" /"/}' a
awk 1 /etc/passwd
awk 1 ../a
awk 'BEGIN {while (("ls" | getline l) > 0) print l}' a
awk '{print ENVIRON["X"]}' a
awk 'BEGIN {ARGV[1] = ".env"; ARGC = 2} 1' a
git branch x
git branch -d x
git branch -m a b
git branch --edit-description
git tag x
git tag -d x
git tag -a x
git remote add a b
git remote show origin
git stash drop
git stash show -p
git reflog expire --all
git reflog delete HEAD
git worktree add x
git worktree prune
git config user.name x
git config --unset user.name
git config -l
git config http.extraheader
git symbolic-ref HEAD refs/heads/x
git show-ref --exclude-existing
git cat-file --batch
git rev-list --disk-usage --use-bitmap-index --filter-provided-objects x
git for-each-ref --format=%(signature)
git for-each-ref --shell
git describe --broken
git var -l
git ls-remote
git grep --open-files-in-pager x
git grep -f /etc/passwd
git grep -O x
git check-ignore --stdin ../x
git log --help
git help log
pytest --version
yarn --version
cargo --version
mvn --version
rustup --version
./x --version
python3 --version x
python3 -c --version
source --help
CI=true
PATH=x ls
PYTHONPATH=/tmp pytest
PYTHONPATH=../x ls
LD_PRELOAD=x ls
CI=$(x) ls
LANG=$X ls
timeout 60 touch x
timeout -k 5 60 rm x
timeout 60 $x
timeout $x ls
timeout 60
time touch x
time -f %e ls
time -o x ls
set -k
set -a
set -- x
set -o history
set $x
test -v 'a[$(x)]'
test -f /etc/passwd
[ -f ../x ]
[ "$(touch x)" ]
command ls
command -p ls
tree -o x
tree -R -H . -o x
file -C -m x
file -f list
xxd -r a b
xxd a -delete
xxd -l 8 a b
base64 -o x a
md5sum -c a
md5sum --check a
column /etc/passwd
hexdump -f /etc/passwd a
jq env a
jq -n '$ENV'
jq -f x a
jq --rawfile a /etc/passwd . b
jq 'import "a" as a; .' b
jq . /etc/passwd
shuf -o x a
sort --files0-from=a
seq -f %s 1 5; touch x
fd -x rm
fd . -X rm
fd . /etc
sleep $x
: ${x:=y}
hostname evil
ps aux
cat /etc/passwd
cat ../x
cat .env
cat sub/.env.local
grep x .env
head < .env
cat ~/x
cat $x
echo $(ls)
cd
cd -
cd ..
cd $x
cd /
cd .. && ls
tail -f a
tail -F a
tail --follow a
tail -fn 5 a
tail --pid=1 a
sort -o b a
sort -T x a
sort --compress-program=sh a
sort --files0-from=x
sort -uo b a
uniq a b
grep -f .env a
grep --file=.env a
grep -f.env a
grep --exclude-from=.env x a
rg --pre sh x
rg -z x
rg --hostname-bin=sh x
rg --ignore-file=x y
find . -exec ls {} +
find . -delete
find . -fprint x
find . -files0-from x
find / -name x
sed -n 1,2p -i a
sed -n '1,2p;w x' a
sed -n -e 1p -e 1e a
sed -n -e '1p;1e' a
sed -n -e
sed -n 1e a
date -s 1
date -f x
date -r x
date -d x
wc --files0-from=x
du --files0-from=x
du -X x .
diff --to-file=x a
git -C .. status
git -C /tmp status
git -C $x status
git -C x push
git diff --output=x
git diff --ext-diff
git log --textconv
git diff -O x
git diff -Ox
git diff --no-index a b
git log --show-signature
git log --format=%G?
git status --porcelain=v2 --x
git commit -m x
git fetch
git show HEAD:.env
git show HEAD -- :/.env
git diff -- .env
git diff -- '*env'
git diff -- '.e*'
git diff -- '*.env'
git log -p -- '*'
git blame .env
git blame -S /etc/x y
git log --pretty=format:%GK
git ls-files --with-tree=x
git rev-parse --parseopt
git stash
touch a
rm a
mkdir a
cp a b
tee a
python x.py
make
npm test
env
printenv
ps
set
history
hostname x
ls --x
ls --hel
ls --co
pwd x
uname x
which -x y
tr --x a b
stat --x a
echo hi > a
cat < /etc/passwd
xargs cat
/bin/ls
./x
true > a
base64 .env
ls /
ls ~
head -c 5 /dev/sda
readlink /proc/self/environ
realpath --relative-to=/etc a
""",
    ),
    *parse_cases(
        "analyze program",
        "not-read-only",
        "ask",
        (),
        r"""
tail +5f a
tail +5 a
tail -q +5f a
tail -5f a
find -L . -name x
find . -L
find . -follow -name x
du -L src
du -sL src
ls -L
ls -laL .
ls --dereference
rg -g '*.{py,env}' x .env
git diff -- '.e*'
git diff -- '*env'
git log -p HEAD -- "*.env"
git show HEAD -- 's[e]crets/*'
git show :.env
git show :0:.env
git show ':/fix'
git log -- ':!x'
git show HEAD@{1}:.env
git show {HEAD,x}
git show HEAD@{a..b}
git cat-file --filters HEAD:a
git ls-files -x
git status -ux
cd src; cat ../a
cd src && ls; cat ../a
cd src && ls & cat ../a
cd src || cat ../a
cd src && ls || cat ../a
ls || cd src && cat ../a
ls | cd src && cat ../a
ls | cd src && cat "../a"
ls || cd src && cat "../a"
(cd src); cat ../a
(cd src) && cat ../a
(cd src) && cat "../a"
! cd src && cat ../a
cd src | cat ../a
cd src & cat ../a
cd src && cd .. | cat ../../a
cd src && (cd deep; cat ../../a)
cd src && cat ../../a
cd src && cd .. && cat ../a
cd .. && cat ../a
if cd src && ls; then ls; fi; cat ../a
if cd src; then cat ../a; fi
for f in a b; do cd src && cat ../a; done
while cd src && ls ..; do ls; done
f() { cd src && cat ../a; }; f
cd src &&⏎ls⏎cat ../a
pushd src && cat ../a
cat <<E && cd src &&⏎$(cat ../a)⏎E⏎ls
cat <<E && cd src && ls⏎$(cat ../a)⏎E
cd src && cat $(cd .. && ls ..)
time cd src && cat ../../a
cd -P src && cat ../a
cd src x && cat ../a
cd $X && cat a
""",
    ),
    *parse_cases(
        "analyze program",
        "not-read-only",
        "ask",
        (),
        r"""
git show 'HEAD^{/x:y}:.env'
git show 'HEAD@{12:00}:.env'
git diff 'HEAD^{/:}:.env'
cat < n*
""",
    ),
)
