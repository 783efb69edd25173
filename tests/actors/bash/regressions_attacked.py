"""What a tester from outside got past the gate, or found it too strict about."""

from tests.actors.bash.command_cases import ALLOW_ALL, ALLOW_ECHO, DENY_RM, make_rules, parse_cases

_COMMANDS = make_rules("allow", "*")
_SECRETS = (*ALLOW_ALL, *make_rules("deny", "secrets/*", permission="read"))

ATTACKS = (
    *parse_cases(
        "continued",
        "ask",
        ALLOW_ECHO,
        r"""
echo "$\⏎(touch x)"
echo "$\⏎\⏎(touch x)"
echo "\\$\⏎(touch x)"
echo 'a'"$\⏎(touch x)"
echo "$\⏎{x:=1}"
echo "$\⏎((x=1))"
echo "$\⏎[x=1]"
echo "$HO\⏎ME"
npm exec x
npm --prefix run exec x
npm run --script-shell=x y
npm run x --script-shell=x
npm run x exec
echo $\⏎'x'
ls "$\⏎(touch x)"
cat x "$\⏎(touch x)" | grep x
cat <"$\⏎(touch x)"
cat <<< "$\⏎(touch x)"
cat "$\⏎(<.env)"
cat <\⏎(touch x)
for x in "$\⏎(touch x)"; do ls; done
if ls "$\⏎(touch x)"; then ls; fi
case "$\⏎(touch x)" in a) ls;; esac
case a in "$\⏎(touch x)") ls;; esac
echo $(echo "$\⏎(touch x)")
git log --grep="$\⏎(touch x)"
echo a\⏎b
e\⏎cho a
""",
    ),
    *parse_cases(
        "continued",
        "deny",
        DENY_RM,
        r"""
echo "$\⏎(rm a)"
echo "$\⏎\⏎(rm a)"
echo "\\\⏎$\⏎(rm a)"
ls "$\⏎(rm a)"
cat <<< "$\⏎(rm a)"
cat <<E⏎$\⏎(rm a)⏎E
bash -c 'echo "$\⏎(rm a)"'
echo "a`\⏎r\⏎m a`"
r\⏎m a
git pu\⏎sh
""",
    ),
    *parse_cases(
        "continued",
        "allow",
        ALLOW_ALL,
        r"""
ls -l \⏎  a \⏎  b
ls \⏎a
npm run x
npm run exec
npm run edit
npm run build -- --config x
ls a\⏎ b
echo "a \⏎  b"
echo '$\⏎(rm x)'
echo "a\\⏎(b)"
cat <<'E'⏎$\⏎(rm x)⏎E
""",
    ),
    *parse_cases(
        "opens",
        "ask",
        _COMMANDS,
        r"""
cat /etc/passwd
cat "$HOME/.ssh/id_rsa"
cat ~/x
cat ../x
cat $F
cat -- $F
cat --unheard-of /etc/passwd
cat secrets/$(echo key.pem)
cat "secrets/$X"
cat /etc/*
cat a{1..2}
head -n 5 /etc/passwd
tail -f /var/log/x
grep x /etc/passwd
grep -e x /etc/passwd
grep -f /etc/x y
grep x $(ls)
diff a /etc/passwd
wc -l a /etc/passwd
sort --unheard-of /etc/passwd
ls /
ls --unheard-of $X
find / -name x
find -L /etc ./a -name x
find "$X" -name x
sed -n 5p /etc/passwd
sed -n -e 5p /etc/passwd
cd /etc && ls
cd /etc && cat passwd
cd "$X" && ls
cat < /etc/passwd
for f in /etc/passwd; do cat $f; done
for f in "a /etc/passwd"; do cat $f; done
for f in *; do cat $f; done
for f in a; do cat x; done; cat $f
for f in $(ls); do cat "$f"; done
for f in a; do for f in /etc/passwd; do cat "$f"; done; done
for f in a; do for f in /etc/passwd; do echo x; done; cat "$f"; done
for f; do cat "$f"; done
find -D tree /etc -name x
find -O3 /etc -name x
git log -- /etc/x
""",
    ),
    *parse_cases(
        "opens",
        "allow",
        _COMMANDS,
        r"""
cat a
cat *.md
cat a{1,2}
cat "$PWD/a"
cat --unheard-of a
cat - < a
diff a /dev/null
grep "$X" a
grep -rn "$X" src
grep '/api' a
head -n $N a
sed -n -e 5p a
find . -path '/x' -prune
for f in a b; do cat $f; done
for f in *.md; do wc -l "$f"; done
for d in a b; do for f in x y; do cmp "$d" ${f}; done; done
python x.py /etc/passwd
tar tf /etc/x.tar
echo /etc /x $Y
basename /etc/x $Y
git log --oneline -- src
""",
    ),
    *parse_cases(
        "opens",
        "deny",
        _SECRETS,
        r"""
for f in secrets/key; do cat $f; done
cd secrets && cat key
cd a && cat ../secrets/key
cd a && ls || cat secrets/key
cd a && ls; cat secrets/key
time cd secrets && cat key
cd a && git show HEAD:secrets/key
cd a && git cat-file -p HEAD:secrets/key
time -p cd secrets; cat key
command cd secrets && cat key
pushd +1 && cat secrets/key
cd $X && cat secrets/key
cd a && cd $X && cat ../secrets/key
for f in a secrets/key; do cat "${f}"; done
cat secrets/key
cat "secrets/$X"
cat secrets/$(echo key.pem)
""",
    ),
)

ATTACKS_NOT_READ_ONLY = parse_cases(
    "not-harmless",
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
)

FALSE_POSITIVES = parse_cases(
    "benign",
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
)
