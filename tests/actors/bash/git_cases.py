"""Cases of git commands that run other programs, write files, or do neither."""

from tests.actors.bash.case_format import ALLOW_ALL, DENY_RM, parse_cases

GIT_COMMANDS = (
    *parse_cases(
        "analyze program",
        "git",
        "ask",
        ALLOW_ALL,
        r"""
git -c core.pager=sh log
git -c alias.x='!sh' x
git -ccore.fsmonitor=sh status
git -C $x status
git -C .. status
git -C /tmp status
git -C a -C b status
git -C x -c a.b=c status
git -C -x status
git bisect run sh
git bisect visualize
git --git-dir=x status
git --git-dir x status
git --work-tree=x status
git --exec-path=x status
git --config-env=core.pager=X log
git -p log
git --paginate log
git --namespace=x log
git --bare status
git x
git $x
git "$x"
git 'lo g'
git log $x
git log "$x"
git config alias.x '!sh'
git config core.hooksPath x
git config --global user.email x
git config --edit
git diff --ext-diff
git diff --ext
git log --textconv
git diff --output=x
git diff --out x
git log --outpu=x
git grep -O x
git grep -Ovim x
git grep -iO x
git grep --open-files-in-pager=sh x
git grep --open x
git fetch --upload-pack=sh x
git fetch --upload sh x
git clone -u sh x
git clone --upload-pack sh x
git clone --config core.x=y z
git clone -c core.x=y z
git clone --template=x y
git clone ext::sh
git fetch ext::sh
git pull ext::sh
git remote add x ext::sh
git push --receive-pack=sh x
git push --exec=sh x
git ls-remote --upload-pack=sh x
git rebase -x sh
git rebase --exec sh
git rebase -i x
git bisect run sh
git submodule foreach sh
git submodule update
git filter-branch x
git difftool -x sh
git mergetool
git hook run x
git help -w x
git instaweb
git daemon
git send-email x
git archive -o x y
git archive --output=x y
git archive --remote=x --exec=sh y
git diff --no-index a b
git log --show-signature
git init --template=x
git credential fill
git maintenance start
git svn x
git p4 x
git shell
git upload-pack x
git -- log
""",
    ),
    *parse_cases(
        "analyze program",
        "git",
        "deny",
        DENY_RM,
        r"""
git push origin main
git -C x push origin
git -c a=b push origin
git --no-pager push origin
git --git-dir=x push origin
git --git-dir x --work-tree y push origin
/usr/bin/git push origin
/usr/bin/git -C x push origin
git -C "a b" push
git push
sudo git -C x push
""",
    ),
    *parse_cases(
        "analyze program",
        "git",
        "allow",
        ALLOW_ALL,
        r"""
git status
git commit -m 'a; rm x'
git commit -m "$(cat <<'E'⏎hi "there" $(x)⏎E⏎)"
git add src/a.py
git checkout -b x
git log --oneline -5
git diff HEAD~1
git --no-pager log
git push origin main
git config --get user.name
git stash
git merge main
git rebase main
""",
    ),
    *parse_cases(
        "analyze program",
        "git",
        "ask",
        ALLOW_ALL,
        r"""
git merge -s x y
git merge --strategy=x y
git pull -sx
git rebase --strategy x
git format-patch -o ../x HEAD
git format-patch --output-director=../x
git bundle create f HEAD
git checkout-index --prefix=../ -a
git commit --gpg-sign=x
git tag -s x
git branch --edit-description
git add --patch
git checkout -p
git notes edit
python3 -mtimeit x
python3 -Im timeit x
%1
""",
    ),
    *parse_cases(
        "analyze program",
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
)
