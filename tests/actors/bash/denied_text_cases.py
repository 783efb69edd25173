"""Cases of deny rules that apply to commands in code, options, variables, input and loops."""

from tests.actors.bash.case_format import ALLOW_ALL, DENY_RM, make_rules, parse_cases

DENIED_IN_TEXTS = (
    *parse_cases(
        "analyze program",
        "denied-in-code",
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
        "analyze program",
        "denied-in-interactive-program",
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
        "analyze program",
        "denied-in-git",
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
        "analyze program",
        "denied-in-option",
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
        "analyze program",
        "denied-in-variable",
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
        "analyze program",
        "denied-on-stdin",
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
)


DENIED_IN_LOOPS = (
    *parse_cases(
        "analyze syntax",
        "denied-in-loop",
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
)


NOT_DENIED = (
    *parse_cases(
        "analyze program",
        "no-match-for-denial",
        "allow",
        (*ALLOW_ALL, *make_rules("deny", "npm publish *", "rm *")),
        r"""
npm -w a run publish
npm -w a test publish
for f in rm x; do cat $f; done
for f in a b; do timeout 5 grep -c "TODO (docker|rm)" $f; done
command -v {rm,cat}
for t in rm ls; do command -v "$t" >/dev/null 2>&1; done
""",
    ),
    *parse_cases(
        "analyze program",
        "uncertain-denial",
        "ask",
        DENY_RM,
        r"""
for c in rm ls; do touch $c; done
for i in 1 2; do nice echo "done $i (rm)"; done
""",
    ),
)
"""Texts that mention a denied command, but do not certainly run it."""
