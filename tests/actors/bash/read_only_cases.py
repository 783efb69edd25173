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
cat /etc/passwd
cat ../x
cat .env
cat sub/.env.local
grep x .env
head < .env
cat ~/x
cat $x
cat *
ls *.py
echo $HOME
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
sed 1d a
sed -n 1,2p -i a
sed -n '1,2p;w x' a
sed -n -e 1p -e 1e a
sed -n -e '1p;1e' a
sed -n -e
sed -n 1e a
sed -ne 1p a
sed -n /x/p a
date -s 1
date -f x
date -r x
date -d x
wc --files0-from=x
du --files0-from=x
du -X x .
diff --to-file=x a
git -C x status
git --no-pager log
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
git branch
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
LC_ALL=C sort a
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
test -f a
[ -f a ]
printf x
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
