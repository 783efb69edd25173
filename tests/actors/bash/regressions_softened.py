"""What a deny was softened by: commands inside wrappers that nobody had looked into."""

from tests.actors.bash.command_cases import ALLOW_ALL, DENY_RM, make_rules, parse_cases

WEAKENED_DENIALS = (
    *parse_cases(
        "deny-named",
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
    *parse_cases(
        "deny-code",
        "deny",
        DENY_RM,
        r"""
python3 -c "import subprocess; subprocess.run(['rm','x'])"
python3 -c 'import subprocess; subprocess.run(["git","push"])'
python3 -c "import subprocess; subprocess.run(args=('/bin/rm', 'x'))"
python3 -c "import subprocess; subprocess.run(['sudo','rm','x'])"
python3 -c "import os; os.execl('/bin/rm','rm','x')"
python3 -c "import os; os.spawnlp(0,'rm','rm','x')"
python3 -c "import os; os.system('rm')"
python3 -c "import os; print('it\'s'); os.system('rm x')"
perl -e 'system "rm","x"'
perl -e 'open F, "-|", "rm", "x"'
perl -e 'qx(rm x)'
perl -e 'system(qw{rm x})'
ruby -e 'exec "rm", "x"'
ruby -e '%x(rm x)'
node -e "require('child_process').spawnSync('rm', ['-rf','x'])"
deno eval 'new Deno.Command("rm",{args:["x"]}).output()'
elixir -e 'System.cmd("rm",["x"])'
gawk '{system("rm " $1)}' f
awk -v c='rm x' 'BEGIN{system(c)}'
sed 's/.*/rm x/e' f
sed 's|a|rm x|ge;p' f
sed -E '1erm x' f
""",
    ),
    *parse_cases(
        "deny-inside",
        "deny",
        DENY_RM,
        r"""
vim -c '!rm x'
vim +'!rm x' f
vi -c ':!rm x'
less '+!rm x' f
emacs --batch --eval '(shell-command "rm x")'
emacs --batch --eval '(call-process "rm" nil nil nil "x")'
sqlite3 f '.shell rm x'
psql -c '\! rm x'
mysql -e 'system rm x'
gdb -ex 'shell rm x'
lldb -o 'platform shell rm x'
lftp -c '!rm x'
expect -c 'spawn rm x'
socat EXEC:'rm x' -
ghci -e ':!rm x'
""",
    ),
    *parse_cases(
        "deny-git",
        "deny",
        DENY_RM,
        r"""
git -C a rebase -x 'rm x'
git -C a bisect run rm x
git -c a.b=c submodule foreach 'rm x'
git -C a fetch --upload-pack='rm x'
git config alias.x '!rm x'
git config --global core.pager 'rm x'
git config alias.p push
git clone 'ext::sh -c rm% x' a
gh alias set x '!rm x'
hg --config alias.x='!rm x' x
""",
    ),
    *parse_cases(
        "deny-options",
        "deny",
        DENY_RM,
        r"""
ssh -o 'ProxyCommand rm x' h
ssh -o 'LocalCommand rm x' -o PermitLocalCommand=yes h
ssh h -p 22 rm x
env -S'-i rm x'
env -iS'rm x'
xargs --replace rm {}
flock -c 'rm x' l
chroot --userspec a / rm x
jobs -x rm x
bash -c '"$@"' a rm x
bash -c '$0 x' rm
ltrace -S rm x
sudo --new-option a rm x
mosh h rm x
mise x -- rm x
fish --command='rm x'
wget --use-askpass='rm x' u
some-tool --run 'rm x'
some-tool --post-exec='rm x'
go test -exec 'rm x'
go vet -vettool=rm
gcc -wrapper rm,x a.c
cargo --config 'build.rustc-wrapper="rm"' build
""",
    ),
    *parse_cases(
        "deny-value",
        "deny",
        DENY_RM,
        r"""
PROMPT_COMMAND='rm x' bash
PROMPT_COMMAND='rm x'
export PROMPT_COMMAND='rm x'
env PROMPT_COMMAND='rm x' bash
GIT_SSH_COMMAND='rm x' git fetch
EDITOR=rm git commit
LESSOPEN='|rm x' less f
PS1='$(rm x)' bash
BASH_ENV='$(rm x)' bash f
X='rm x'; $X
X=rm; $X x
cmd=(rm -rf x); "${cmd[@]}"
CMD="rm -rf x" && bash -c "$CMD"
alias ls=rm
alias r='rm'; r x
hash -p /bin/rm ls
bind -x '"a":rm x'
""",
    ),
    *parse_cases(
        "deny-input",
        "deny",
        DENY_RM,
        r"""
python3 - <<E⏎import os⏎os.system("rm x")⏎E
python3.11 <<'E'⏎import subprocess⏎subprocess.run(['rm', '-rf', 'x'])⏎E
echo "import os; os.system('rm x')" | python3
python3 <<< "import os; os.system('rm x')"
sudo python3 <<< "import os; os.system('rm x')"
perl <<E⏎system('rm x');⏎E
node <<E⏎require('child_process').execSync('rm x')⏎E
tclsh <<< 'exec rm x'
ssh h <<E⏎rm x⏎E
ssh h <<< 'rm x'
echo rm x | ssh h
at now <<< 'rm x'
echo 'rm x' | batch
echo '* * * * * rm x' | crontab -
crontab <<< '@daily rm x'
newgrp a <<< 'rm x'
make -f - <<E⏎a:⏎	@rm x⏎E
sed -f - f <<E⏎1e rm x⏎E
ed <<E⏎!rm x⏎E
echo '!rm x' | ed
ftp <<< '!rm x'
eval "$(echo rm x)"
""",
    ),
    *parse_cases(
        "deny-shell",
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
        "path-deny",
        "deny",
        (*ALLOW_ALL, *make_rules("deny", "secret/*", permission="read")),
        r"""
pushd secret && cat a
pushd secret; cat < a
""",
    ),
    *parse_cases(
        "deny-options",
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
        "deny-between",
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
    *parse_cases(
        "deny-loop",
        "deny",
        DENY_RM,
        r"""
for c in rm ls; do $c x; done
for c in ls rm; do "$c" x; done
for c in rm ls; do ${c} x; done
for c in 'rm x' ls; do eval $c; done
for c in 'rm x' ls; do eval "$c"; done
for c in rm; do sudo $c x; done
for c in rm; do for d in a b; do $c $d; done; done
for c in rm; do ${c} $c; done
for c in rm; do :; done; $c x
$c x; for c in rm; do :; done; $c x
bash -c 'for a in ls; do $a x; done'; bash -c 'for a in rm; do $a x; done'
for c in 'rm x' ls; do bash -c "$c"; done
for c in rm ls; do ${c} -- $c; done
for a in r l; do for b in s m; do $a$b x; done; done
for c in a b c d e f g h i j k l m n o p q r s t u v w x y z A B C D E F G rm; do $c x; done
""",
    ),
    *parse_cases(
        "deny-read",
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
    *parse_cases(
        "benign-beside-denies",
        "allow",
        (*ALLOW_ALL, *make_rules("deny", "npm publish *", "rm *")),
        r"""
npm -w a run publish
npm -w a test publish
for c in rm ls; do touch $c; done
for f in rm x; do cat $f; done
""",
    ),
    *parse_cases(
        "asked-beside-denies",
        "ask",
        DENY_RM,
        r"""
for i in 1 2; do timeout 60 git commit -m "step $i; rm later"; done
for f in a b; do timeout 5 grep -c "TODO (docker|rm)" $f; done
for i in 1 2; do nice echo "done $i (rm)"; done
for t in rm ls; do command -v "$t" >/dev/null 2>&1; done
""",
    ),
    *parse_cases(
        "benign",
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
