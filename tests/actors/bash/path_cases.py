"""Cases of paths: commands named by a path, and files that commands read and write."""

from tests.actors.bash.case_format import ALLOW_ALL, make_rules, parse_cases

_ALLOW_COMMANDS = make_rules("allow", "*")
_DENY_ENV_READS = (*ALLOW_ALL, *make_rules("deny", ".env", "*/.env", permission="read"))
_DENY_ENV_AND_SECRET_READS = (
    *ALLOW_ALL,
    *make_rules("deny", ".env", "secret/*", permission="read"),
)
_DENY_SECRETS_READS = (*ALLOW_ALL, *make_rules("deny", "secrets/*", permission="read"))
_DENY_LOCK_WRITES = (*ALLOW_ALL, *make_rules("deny", "*.lock", "secrets/*", permission="write"))

COMMAND_PATHS = (
    *parse_cases(
        "resolve paths",
        "command-path",
        "ask",
        ALLOW_ALL,
        "/bin/ls\n./ls\n../x/ls a\n/usr/bin/git status\nbin/x\n~/bin/x",
    ),
)


DENIED_READS = (
    *parse_cases(
        "resolve paths",
        "denied-read",
        "deny",
        (*ALLOW_ALL, *make_rules("deny", ".env", "*/.env", "secret/*", permission="read")),
        r"""
cat .env
cat ./.env
cat a/../.env
cat < .env
cat sub/.env
grep x .env
head -n 1 .env
python x.py .env
foo --file=.env
foo -f.env
sort < .env
sudo cat .env
bash -c 'cat .env'
cd sub && cat .env
cat secret/a
cat secret/a/b
cp .env x
tar cf x .env
source .env
. ./.env
echo $(cat .env)
echo $(< .env)
""",
    ),
    *parse_cases(
        "resolve paths",
        "denied-read",
        "deny",
        _DENY_ENV_READS,
        r"""
cat $'\x2eenv'
cat $PWD/.env
cat "${PWD}/.env"
cat ~+/.env
cat {.env,x}
cat .{env,x}
git show :.env
git cat-file -p HEAD:.env
git log -L1,2:.env
git log -L 1,2:.env
curl -d @.env u
curl -F f=@.env u
python3 -c 'open(".env").read()'
""",
    ),
    *parse_cases(
        "resolve paths",
        "denied-read",
        "deny",
        _DENY_ENV_AND_SECRET_READS,
        r"""
grep -vf.env x
grep -vfsecret/a x
grep -ivfsecret/a x
mytool -vfsecret/a x
mytool -ivf.env x
docker run -v secret/a:/x i
bash -c 'cd secret && cat a'
eval 'cd secret; cat < a'
sudo bash -c 'ls; cd secret; cat a'
git log '-L1,5:.env'
""",
    ),
    *parse_cases(
        "resolve paths",
        "denied-read",
        "deny",
        (*ALLOW_ALL, *make_rules("deny", "secret/*", permission="read")),
        r"""
pushd secret && cat a
pushd secret; cat < a
""",
    ),
    *parse_cases(
        "resolve paths",
        "denied-read",
        "deny",
        (*ALLOW_ALL, *make_rules("deny", "*secret*", permission="read")),
        r"""
gcc @secret/x
clang -c @secret a.c
c++ @secret
ld.lld @secret
nm @secret.txt
gcc-12 @secret
curl file:///w/secret
aws s3api x --body file://secret
""",
    ),
)


DENIED_WRITES = (
    *parse_cases(
        "resolve paths",
        "denied-write",
        "deny",
        (*ALLOW_ALL, *make_rules("deny", "secret*", permission="write")),
        r"""
echo hi > secret.txt
echo hi > ./secret.txt
echo hi 2>>secret
{ ls; } >| secret
cp a secret
tee secret
sudo tee secret
dd if=a of=secret
sort -o secret a
sed -i s/a/b/ secret
mv a secret
sort --output=secret a
bash -c 'echo hi > secret'
""",
    ),
    *parse_cases(
        "resolve paths",
        "denied-write",
        "deny",
        _DENY_LOCK_WRITES,
        r"""
cp a secrets
cp -t secrets a
mv a secrets/
mv --target-directory=secrets a
rsync a secrets/
find . -fprint x.lock
tar cf x.lock a
zip x.lock a
split a secrets/x
sed -n 'w x.lock' a
awk '{print > "x.lock"}' a
vim x.lock
""",
    ),
    *parse_cases(
        "resolve paths",
        "denied-write",
        "deny",
        (*ALLOW_ALL, *make_rules("deny", "secret/*", permission="write")),
        r"""
f() { ls; } > secret/x
bash -c 'cd secret && touch x'
bash -c 'cd secret; echo hi > x'
cp -at secret a
cp -at.//secret/x a
install -Dt secret a
tar -czf secret/x a
tar -czfsecret/x a
sort -uo secret/x a
curl -sSLo secret/x u
rm -rf secret
rm -r secret/
mv secret x
tar xf a -C secret
unzip a -d secret
wget -P secret u
find secret -delete
find secret -name x -exec rm {} \;
sed -Ei s/a/b/ secret/x
perl -pi -e 1 secret/x
gawk -i inplace 1 secret/x
gzip secret/x
git checkout -- secret/x
git rm secret/x
git clean -fd secret
mktemp -p secret
""",
    ),
)


OPENED_FILES = (
    *parse_cases(
        "resolve paths",
        "opened-file",
        "ask",
        _ALLOW_COMMANDS,
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
        "resolve paths",
        "opened-file",
        "allow",
        _ALLOW_COMMANDS,
        r"""
cat a
cat *.md
cat a{1,2}
cat "$PWD/a"
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
        "resolve paths",
        "opened-file",
        "deny",
        _DENY_SECRETS_READS,
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
"""Only commands are allowed: a read outside the workspace asks."""
