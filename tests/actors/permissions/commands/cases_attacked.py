"""What a tester from outside got past the gate, or found it too strict about."""

from tests.actors.permissions.commands.cases import ANY, ECHO, NO_RM, cases_of

ATTACKED = (
    *cases_of(
        "continued",
        "ask",
        ECHO,
        r"""
echo "$\⏎(touch x)"
echo "$\⏎\⏎(touch x)"
echo "\\$\⏎(touch x)"
echo 'a'"$\⏎(touch x)"
echo "$\⏎{x:=1}"
echo "$\⏎((x=1))"
echo "$\⏎[x=1]"
echo "$HO\⏎ME"
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
    *cases_of(
        "continued",
        "deny",
        NO_RM,
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
    *cases_of(
        "continued",
        "allow",
        ANY,
        r"""
ls -l \⏎  a \⏎  b
ls \⏎a
ls a\⏎ b
echo "a \⏎  b"
echo '$\⏎(rm x)'
echo "a\\⏎(b)"
cat <<'E'⏎$\⏎(rm x)⏎E
""",
    ),
)

LOOKED_HARMLESS = cases_of(
    "not-harmless",
    "ask",
    (),
    r"""
tail +5f a
tail +5 a
tail -q +5f a
tail -5f a
""",
)

WAS_TOO_STRICT = cases_of(
    "benign",
    "allow",
    (),
    r"""
tail -n +5 a
tail -c +5 a
tail --lines=+5 a
""",
)
