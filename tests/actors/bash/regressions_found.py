"""What a second pair of fresh eyes found, after all tables of `cases` held."""

from tests.actors.bash.command_cases import ALLOW_ALL, DENY_RM, make_rules, parse_cases

_READS = (*ALLOW_ALL, *make_rules("deny", ".env", "secret/*", permission="read"))

REVIEW_FINDINGS = (
    *parse_cases(
        "deny",
        "deny",
        DENY_RM,
        r"""
! ! rm x
time ! rm x
a=($(rm x))
a=([$(rm x)]=1)
declare -a a=($(rm x))
cat <<-E⏎	$(rm x)⏎	E
ls "${x#$(rm x)}"
ls ${x^^$(rm x)}
""",
    ),
    *parse_cases(
        "deny-wrapped",
        "deny",
        DENY_RM,
        r"""
bash /dev/stdin <<< 'rm x'
echo -e 'rm x' | bash
echo -n rm x | bash
printf '%s\n' 'rm x' | bash
printf '%s %s' rm x | bash
printf 'ls\nrm x\n' | bash
. <(echo rm x)
source /dev/stdin <<< 'rm x'
. /dev/stdin <<E⏎rm x⏎E
env --split='rm x'
su -c'rm x'
su -lc 'rm x'
script -c'rm x'
setarch -R rm x
setarch x86_64 -R rm x
parallel --jobs 4 rm ::: x
parallel ::: 'rm x'
ssh u@h -- rm x
ssh -oProxyCommand='rm x' h
ssh -o ProxyCommand='rm x' h
scp -S 'rm x' a b
rsync -e 'rm x' a b
rsync --rsh='rm x' a b
python -c 'import os; os.system("rm x")'
perl -e 'system("rm x")'
perl -e '`rm x`'
ruby -e 'system "rm x"'
node -e 'require("child_process").execSync("rm x")'
php -r 'system("rm x");'
awk 'BEGIN{system("rm x")}'
awk '{print | "rm x"}'
sed '1e rm x' f
tar --to-command='rm x' -xf a
tar xf a --to-command 'rm x'
tar xf a --to-command=rm
tar -I 'rm x' -xf a
tar cf a b --checkpoint=1 --checkpoint-action=exec='rm x'
split --filter='rm x' f
rg --pre rm x
rg --pre=rm x
make SHELL='rm x'
npx -c 'rm x'
git -c alias.p=push p
git -calias.p=push p
git -c alias.P='push -f' p
git grep -O'rm x' a
git fetch --upload-pack='rm x' a
git fetch --upload-pack 'rm x' a
git clone -u 'rm x' a
git clone ext::'rm x'
mapfile -C 'rm x' -c 1 y
complete -C 'rm x' y
[ -v 'a[$(rm x)]' ]
let 'a[$(rm x)]=1'
unset 'a[$(rm x)]'
read 'a[$(rm x)]'
printf -v 'a[$(rm x)]' x
export 'a[`rm x`]=1'
wait -n -p 'a[$(rm x)]'
""",
    ),
    *parse_cases(
        "path-deny",
        "deny",
        _READS,
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
        "redirect",
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
    *parse_cases(
        "wrapper",
        "ask",
        ALLOW_ALL,
        r"""
python -W ignore -c x
python -X importtime -c x
python -X dev -m timeit x
python --check-hash-based-pycs always -c x
python -i x.py
node --title a -e b
node --conditions a -pe b
node -C a -e b
node --env-file=x y
node --run x
php -c x -r y
ruby -C x -e y
npm -C x test
npm test -C y
pnpm --dir y test
pip config set x y
""",
    ),
    *parse_cases(
        "env",
        "ask",
        ALLOW_ALL,
        r"""
printf 'abc%n' PATH
printf -- '%%%5ln' PATH
""",
    ),
    *parse_cases(
        "git",
        "ask",
        ALLOW_ALL,
        r"""
git lfs install
git verify-commit x
git verify-tag x
git tag -v x
git tag --verif x
git log --format=%GG
git log --pretty='format:%h %G?'
git pull --rebase=interactive
git rebase --edit-todo
git push --signed
git am -i x
""",
    ),
    *parse_cases(
        "benign",
        "allow",
        ALLOW_ALL,
        r"""
python -Wignore x.py -c y
python -X importtime x.py
python -m pytest -q -W error
python -u x.py -c y
node x.js -e
git push origin main --force
git tag -a v1 -m x
git log --format='%h %s'
git commit -m 'see %G and ext::x'
npm test
printf '100%%n %s\n' a
ls *.py
cat src/*.txt
""",
    ),
)

REVIEW_NOT_READ_ONLY = parse_cases(
    "not-harmless",
    "ask",
    (),
    r"""
git show 'HEAD^{/x:y}:.env'
git show 'HEAD@{12:00}:.env'
git diff 'HEAD^{/:}:.env'
cat < n*
""",
)
