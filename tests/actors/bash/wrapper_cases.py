"""Cases of commands that run or write through their arguments or the environment."""

from tests.actors.bash.case_format import ALLOW_ALL, make_rules, parse_cases

_DENY_RM_AND_PUSH = (*ALLOW_ALL, *make_rules("deny", "rm *", "git push*"))

WRAPPERS = (
    *parse_cases(
        "analyze program",
        "wrapper",
        "ask",
        ALLOW_ALL,
        r"""
bash -c 'ls'
sh -c ls
sh script.sh
zsh -lc ls
eval ls
source x
. x
exec ls
command ls
builtin echo
env ls
env A=1 ls
env -S 'ls -l'
sudo ls
doas ls
su -c ls
xargs ls
ls | xargs -0 -n1 cat
parallel echo ::: a
nice -n 5 ls
nohup ls
setsid ls
stdbuf -oL ls
watch ls
script -c ls
unshare ls
nsenter -t 1 ls
chroot / ls
ssh host ls
docker run x ls
docker exec x ls
docker compose run x
busybox ls
toybox ls
/lib64/ld-linux-x86-64.so.2 /bin/ls
find . -exec ls {} ;
find . -exec ls {} \;
find . -execdir ls {} +
find . -ok ls {} \;
find . -okdir ls {} \;
find . -delete
find . -fls x
find . -fprint x
find . -fprintf x %p
find . -fprint0 x
find $x
find . "$x"
sed -i s/a/b/ x
sed --in-place s/a/b/ x
sed --in s/a/b/ x
sed -n 1e x
sed 1e x
sed 's/a/b/e' x
sed 's/a/b/w y' x
sed -n 'w y' x
sed 'W y' x
sed -e 1p -e 1e x
sed -f x y
sed --expression=1e x
sed s,a,b,e x
sed "s/a/b/$x" y
sed 's/.*/touch pwned #t/;s/[#/]/g;s/e#/b/' x
sed -n 's/[h/]/g;s/w out/p' x
sed 's/a/b/;s/c/d/w y' x
awk 'BEGIN{system("ls")}'
awk '{print | "sh"}'
awk '{print > "x"}'
awk '{print >> "x"}'
awk 'BEGIN{"ls" | getline}'
awk -f x
awk "$x"
perl -e 1
perl -ne print x
perl -i -pe 1 x
python -c 1
python3 -c 1
python3.11 -c 1
python -
python
python3 -m timeit 1
python -Wignore -c 1
ruby -e 1
node -e 1
node --eval=1
node --ev 1
php -r 1
lua -e 1
tclsh x
osascript -e 1
tar xf x --to-command=sh
tar xf x --to-comm sh
tar cf x . --checkpoint=1 --checkpoint-action=exec=sh
tar -I sh -xf x
tar --use-compress-program=sh -xf x
tar --use=sh -xf x
tar xf x $opts
zip -T x y
zip x y --unzip-command=sh
rsync -e sh a b
tee x
dd of=x
rg --pre sh x
rg --pre=sh x
rg -z x
rg -iz x
rg --hostname-bin=sh x
sort -o x y
sort -ro x y
sort -ox y
sort --output=x y
sort --outp x y
sort --o=x y
sort --compress-program=sh x
sort --compress-prog sh x
sort -T x y
uniq a b
uniq -c a b
date -s 1
date -us 1
date --set=1
date --se 1
less x
more x
man x
vi x
vim -c ':!ls'
ed x
make -f x
make --eval=x
make CC=x
make SHELL=x
npx x
npm exec x
uvx x
uv run x
go run x
fd -x ls
fd -X ls
split --filter=sh x
git-upload-pack x
xdg-open x
gdb x
strace ls
tmux new x
crontab x
at now
trap 'ls' EXIT
kill 1
printf -v x y
flock x ls
entr ls
bundle exec x
go generate
gcc -wrapper sh x
gcc -fplugin=x y
go test -exec sh
go build -toolexec=sh
date 010100002030
date -u 0101
uniq - y
tar xfI x sh
tar xIf sh x
curl --data-binary @x y
deno eval 1
xxd x y
xvfb-run ls
ssh-agent ls
find . *
ls | sh
bash <<< ls
curl -o x y
curl -K x
wget x
iconv -o x y
""",
    ),
    *parse_cases(
        "analyze program",
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
)


ENVIRONMENT = (
    *parse_cases(
        "analyze program",
        "environment",
        "ask",
        ALLOW_ALL,
        r"""
A=1 ls
PATH=. ls
LD_PRELOAD=x ls
A=1
A=1 B=2
A+=1
a[0]=1
a=(1 2)
export A=1
export PATH=.:$PATH
typeset -x A=1
declare -x A=1
declare A
local A=1
readonly A=1
unset A
shopt -s extglob
alias ls=rm
unalias ls
enable -f x y
hash -p x ls
bind x
complete -C x y
read x
mapfile x
readarray x
let x=1
getopts x y
for PATH in .; do ls; done
for LD_PRELOAD in x; do ls; done
for IFS in x; do ls; done
for http_proxy in x; do ls; done
for ((i=0;i<1;i++)); do ls; done
printf -v PATH .
: ${PATH:=x}
echo ${x:=y}
((PATH=1))
[[ PATH=1 -eq 1 ]]
ulimit -c 0
umask 0
pushd x
{fd}>/dev/null ls
IFS=/ ls
GIT_SSH_COMMAND=sh git fetch
PAGER=sh git log
BASH_ENV=x bash
""",
    ),
    *parse_cases(
        "analyze program",
        "environment",
        "ask",
        ALLOW_ALL,
        r"""
printf 'abc%n' PATH
printf -- '%%%5ln' PATH
""",
    ),
)


ALLOWED_COMMANDS = (
    *parse_cases(
        "analyze program",
        "allowed",
        "allow",
        _DENY_RM_AND_PUSH,
        r"""
git merge -s ours x
git commit -m "rm x"
git commit -am 'git push'
git log -p --stat
echo 'rm x' | cat
docker ps
uv sync
npm test
python3 -m pytest -q
grep -rn --include=*.py "rm x" src
tar czf a.tgz src
""",
    ),
    *parse_cases(
        "analyze program",
        "allowed",
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
    *parse_cases(
        "analyze program",
        "allowed",
        "allow",
        ALLOW_ALL,
        r"""
docker-compose ps
brew install a
bun run build
stack build
mvn test
bazel build a
rails server
cmake -S . -B build
composer install
cargo build
apt list
rbenv versions
fzf -m
hg log
cp a{,.bak}
echo 'rm x' | python3 f.py
some-tool --title 'rm x' --body 'curl x'
cat <<E | grep a⏎rm x⏎E
""",
    ),
)
"""Commands that look like wrappers but need no question where all commands are allowed."""
