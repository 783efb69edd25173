"""Cases of shell syntax: what separates, nests, redirects or hides commands."""

from tests.actors.bash.case_format import ALLOW_ALL, ALLOW_ECHO, DENY_RM, CommandCase, parse_cases

CHAINED_COMMANDS = (
    *parse_cases(
        "analyze syntax",
        "chaining",
        "ask",
        ALLOW_ECHO,
        r"""
echo hi && rm x
echo hi; rm x
echo hi || rm x
echo hi | sh
echo hi |& tee x
echo hi & rm x
echo hi⏎rm x
echo hi &⏎⏎rm x
(echo hi; rm x)
{ echo hi; rm x; }
if echo hi; then rm x; fi
for f in a b; do rm $f; done
while echo hi; do rm x; done
until echo hi; do rm x; done
case x in x) rm x;; esac
! rm x
git status;rm x
ls -la&&rm -rf .
cat a|xargs rm
echo "a" ; "rm" x
cat x # comment⏎rm x
echo hi \⏎ && rm x
coproc rm x
echo hi; time rm x
select x in a; do rm x; done
f() { rm x; }; f
function f { rm x; }; echo hi
""",
    ),
    *parse_cases(
        "analyze syntax",
        "chaining",
        "allow",
        ALLOW_ECHO,
        r"""
echo hi && ls -la
echo 'a && rm x'
echo "a; rm x"
echo a\;b
cat a | grep x
(echo hi; ls)
if ls; then echo yes; else echo no; fi
for f in a b; do echo $f; done
echo hi # && rm x
ls &
! grep -q x y
echo hi⏎ls
{ ls; echo hi; } | cat
""",
    ),
)


SUBSTITUTIONS = (
    *parse_cases(
        "analyze syntax",
        "substitution",
        "ask",
        ALLOW_ECHO,
        r"""
echo $(rm x)
echo `rm x`
echo "$(rm x)"
echo "`rm x`"
echo ${x:-$(rm x)}
echo "${x:-`rm x`}"
echo ${x:=$(rm x)}
echo ${x/a/$(rm x)}
echo $(( $(rm x) ))
echo $((a[$(rm x)]))
echo $[ $(rm x) ]
echo $[ x='a[$(rm x)]', x ]
echo ${a[$(rm x)]}
echo ${x@P}
echo ${!x}
cat <<< "$(rm x)"
cat <<E⏎$(rm x)⏎E
cat <<E⏎`rm x`⏎E
cat <<E⏎${x:-$(rm x)}⏎E
cat < $(rm x)
cat < "$(rm x)"
echo > "$(rm x)"
cat <(rm x)
echo >(rm x)
[[ -n $(rm x) ]] && ls
[[ x -eq a[$(rm x)] ]] && ls
(( a[$(rm x)] ))
for f in $(rm x); do ls; done
case $(rm x) in a) ls;; esac
echo "a $(echo "b $(rm x)")"
echo "$(cat <<'E'⏎hi⏎E⏎rm x)"
ls "$(echo `rm x`)"
echo $(ls; rm x)
echo \$(rm x)
echo "\\$(rm x)"
""",
    ),
    *parse_cases(
        "analyze syntax",
        "substitution",
        "allow",
        ALLOW_ECHO,
        r"""
echo $(ls)
echo "$(cat x)"
echo '$(rm x)'
echo "\$(rm x)"
cat <<'E'⏎$(rm x)⏎E
cat <<E⏎$(ls)⏎E
echo $((1 + 2))
echo ${x:-y} ${#x} ${x%.py}
echo "$HOME" $1
""",
    ),
)


REDIRECTIONS = (
    *parse_cases(
        "analyze syntax",
        "redirection",
        "ask",
        ALLOW_ALL,
        r"""
echo hi > x
echo hi >> x
echo hi >| x
echo hi &> x
echo hi &>> x
echo hi >& x
echo hi 2> x
echo hi <> x
> x
echo hi > "$PWD/x"
echo hi > $x
echo hi {fd}> x
{ echo hi; } > x
(echo hi) > x
while true; do break; done > x
echo hi > ~/x
echo hi > /dev/tcp/1.2.3.4/80
cat < /dev/tcp/1.2.3.4/80
echo hi > /dev//null
cat <<E > x⏎hi⏎E
echo > x hi
exec > x
[ a > b ]
echo hi 1>&2 > x
ls 2>&1 >x
""",
    ),
    *parse_cases(
        "analyze syntax",
        "redirection",
        "allow",
        ALLOW_ALL,
        r"""
echo hi > /dev/null
echo hi 2>&1
echo hi >&2
ls 2>/dev/null
ls > /dev/null 2>&1
ls &>/dev/null
cat <<< hi
cat <<E⏎hi⏎E
ls 2>&-
echo 'a > b'
echo "a > b"
echo a\>b
""",
    ),
)


COMPUTED_NAMES = (
    *parse_cases(
        "analyze syntax",
        "computed-name",
        "ask",
        ALLOW_ALL,
        r"""
$x
$x y
${x} y
"$x" y
$(echo ls)
`echo ls`
"$(echo ls)" x
l$x
l${x}s
l''s
l\s
'ls'
"ls"
$'ls'
$'\x6cs' x
$'\154s'
{ls,-l}
{rm,x}
/bin/r?
/bin/r[m] x
r* x
~/x
~root/x
ls$IFS-l
cat$IFS/etc/passwd
cat${IFS}x
$0 x
$_ x
$@
"$@"
$* x
x=rm; $x y
a=r;b=m;$a$b x
$(printf rm) x
$'rm' x
"r"m x
r"m" x
\rm x
r\⏎m x
$SHELL -c ls
${SHELL} -c ls
""",
    ),
)


LINE_CONTINUATIONS = (
    *parse_cases(
        "analyze syntax",
        "line-continuation",
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
        "analyze syntax",
        "line-continuation",
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
        "analyze syntax",
        "line-continuation",
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
)


UNPARSABLE_TEXTS = (
    *parse_cases(
        "analyze syntax",
        "unparsable",
        "ask",
        ALLOW_ALL,
        r"""
ls "
ls '
ls `
ls $(
ls ${
ls $((
ls (
ls )
ls ;;
if ls
if ls; then
for
while
case x in
ls &&
| ls
&& ls
ls <
ls >
ls <<
ls <<E
{ ls
ls; }
}
ls | | ls
done
fi
esac
then ls
do ls
[[ -f x
[[ -f x ]] y
((
ls \
f(
ls ()
$"ls"
echo $"x"
ls <<E⏎x
a=(
ls @(a|b)
echo !(x)
((ls) | cat)
echo $((ls) | cat)
time
coproc ls
cat <<A <<B⏎a⏎A⏎b⏎B
{ ls; } x
(ls) x
""",
    ),
    *(
        CommandCase(f"ls{char}x", "analyze syntax", "unparsable", "ask", ALLOW_ALL)
        for char in "\r\v\f\x00\x01\x1b\x7f\x85\xa0\u200b\u2028\u202e\u3000\ufeff\u00ad\u2003"
    ),
    CommandCase(
        "echo caf\N{CYRILLIC SMALL LETTER IE}\N{RIGHT-TO-LEFT OVERRIDE}",
        "analyze syntax",
        "unparsable",
        "ask",
        ALLOW_ALL,
    ),
    CommandCase(
        "l\N{CYRILLIC SMALL LETTER DZE} x", "analyze syntax", "unparsable", "ask", ALLOW_ALL
    ),
    CommandCase("(" * 5_000, "analyze syntax", "unparsable", "ask", ALLOW_ALL),
    CommandCase(
        "echo " + "$(" * 300 + "ls" + ")" * 300, "analyze syntax", "unparsable", "ask", ALLOW_ALL
    ),
    CommandCase("echo " + "x" * 200_000, "analyze syntax", "unparsable", "ask", ALLOW_ALL),
    CommandCase("", "analyze syntax", "unparsable", "ask", ALLOW_ALL),
    CommandCase("# only a comment", "analyze syntax", "unparsable", "ask", ALLOW_ALL),
)
