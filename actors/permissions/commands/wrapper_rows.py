"""Commands that run another command: as somebody else, later, elsewhere, on what they read."""

from actors.permissions.commands.guards import (
    EffectRule,
    always,
    among,
    runs,
    scripts,
    seen_through,
    unless,
)
from actors.permissions.commands.options import Leading, listed
from actors.permissions.commands.shells import (
    env_hidden,
    flock_hidden,
    script_hidden,
    ssh_hidden,
    su_hidden,
)
from actors.permissions.commands.texts import in_code, in_texts, in_values

_ROOT = "it runs a command as somebody else"
_RUNS = "it runs a command"
_REMOTE = "it runs commands elsewhere, and here by its options"

ROWS: tuple[tuple[str, EffectRule], ...] = (
    (
        "sudo",
        runs(
            _ROOT,
            Leading(
                "CDghpRrTtUu",
                listed(
                    "user group host chdir prompt role type chroot close-from "
                    "command-timeout other-user"
                ),
                assignments=True,
            ),
        ),
    ),
    ("doas", runs(_ROOT, Leading("aCu"))),
    ("su runuser", su_hidden),
    ("pkexec", runs(_ROOT, Leading(long=("user",)))),
    ("env", in_values(env_hidden)),
    (
        "xargs",
        runs(
            "it runs a command on what it reads",
            Leading(
                "adEILnPs",
                listed("arg-file delimiter max-args max-procs max-chars process-slot-var"),
            ),
        ),
    ),
    (
        "parallel",
        in_texts(
            scripts(
                "it runs a command on each argument",
                Leading(
                    "janNLPSI",
                    listed("jobs max-procs arg-file delay timeout retries joblog results colsep"),
                ),
            )
        ),
    ),
    ("timeout", runs(_RUNS, Leading("ks", listed("kill-after signal"), operands=1))),
    ("nice", runs(_RUNS, Leading("n", ("adjustment",)))),
    ("ionice", runs(_RUNS, Leading("cnpPu", listed("class classdata")))),
    ("chrt", runs(_RUNS, Leading("TPD", operands=1))),
    ("taskset", runs(_RUNS, Leading(operands=1))),
    ("setarch", seen_through(always(_RUNS))),
    (
        (
            "nohup setsid linux64 linux32 unbuffer catchsegv fakeroot rlwrap proot chronic "
            "eatmydata dbus-run-session systemd-inhibit firejail numactl prlimit setpriv entr "
            "cpulimit caffeinate torsocks torify tsocks proxychains dotenv dotenvx cross-env "
            "concurrently nodemon watchexec hyperfine sem faketime cgexec schroot run0 gosu "
            "su-exec setuidgid softlimit chpst envdir daemonize tini dumb-init multitime rr ifne "
            "mispipe lckdo setlock retry reflex onchange arch x86_64 uname26 doppler "
            "aws-vault sops op trickle heaptrack memusage cgclassify aa-exec please "
            "choom logsave ccache distcc sccache icecc with-contenv detach nsjail tsp "
            "systemd-nspawn launchctl dbus-launch cross-env-shell npm-run-all chokidar fab"
        ),
        seen_through(always(_RUNS)),
    ),
    (
        (
            "srun salloc sbatch mpirun mpiexec qsub bsub condor_run torchrun chruby-exec env-cmd "
            "envchain envconsul s6-setuidgid s6-envdir execlineb abduco kitty alacritty xterm "
            "gnome-terminal konsole foot rofi xdotool i3-msg swaymsg systemd-cat lxc-attach "
            "systemd-socket-activate rootlesskit fakechroot pseudo schedtool gdbserver dtruss "
            "sandbox-exec bpftrace when-changed forever daemon flatpak-spawn rush apply lima "
            "ch-run et dbclient waypipe"
        ),
        seen_through(always(_RUNS)),
    ),
    (
        (
            "singularity apptainer udocker enroot limactl colima buildah minikube k3s microk8s tsh "
            "devbox devenv flox volta fnm nvm n rustup rvm opam stack cabal pixi micromamba spack "
            "meson railway teller berglas consul etcdctl nomad aws-okta saml2aws zellij wezterm "
            "homectl pbuilder jj borg snap brew accelerate pm2"
        ),
        seen_through(
            among(
                "it may run a command",
                listed(
                    "exec execute run shell ssh start env do with with-lock lock watch launch "
                    "kubectl activate devenv sh"
                ),
            )
        ),
    ),
    ("stdbuf", runs(_RUNS, Leading("ioe", listed("input output error")))),
    ("watch", scripts("it runs a command again and again", Leading("n", ("interval",)))),
    ("script", script_hidden),
    ("unshare", runs(_RUNS, Leading("RwSG"))),
    ("nsenter", runs(_RUNS, Leading("tSGW", ("target",)))),
    (
        "chroot",
        runs("it runs a command elsewhere", Leading(long=listed("userspec groups"), operands=1)),
    ),
    ("systemd-run", runs(_RUNS, Leading("pEMHu", listed("unit property")))),
    ("flock", flock_hidden),
    ("strace ltrace", runs(_RUNS, Leading("aeEIopPsSuUX"))),
    ("gdb lldb expect", in_code(seen_through(always(_RUNS)))),
    ("valgrind perf dtach at batch crontab bwrap", seen_through(always(_RUNS))),
    (
        "xvfb-run i386 runcon run-parts sg newgrp ssh-agent capsh sudoedit ip",
        seen_through(always(_RUNS)),
    ),
    ("ssh-keygen gpg-agent", always("it loads code, or runs another program")),
    ("start-stop-daemon machinectl lxc vagrant ansible", seen_through(always(_RUNS))),
    ("tmux screen byobu", in_code(seen_through(always(_RUNS)))),
    ("busybox toybox", runs("it is many commands in one")),
    ("ssh autossh rsh", in_texts(ssh_hidden)),
    (
        "scp sftp rsync telnet nc ncat netcat socat ftp lftp",
        in_code(in_texts(always(_REMOTE))),
    ),
    (
        "mosh sshpass plink pssh parallel-ssh pdsh clush salt adb wsl",
        seen_through(always("it runs commands elsewhere")),
    ),
    (
        "docker-compose podman-compose",
        seen_through(
            unless(
                "it may run commands in a container",
                listed("ps images version logs top port config events ls stats"),
            )
        ),
    ),
    (
        "crictl incus multipass toolbox distrobox flatpak guix fly flyctl gcloud heroku",
        in_texts(
            seen_through(
                among(
                    "it may run commands elsewhere",
                    listed("run exec shell enter ssh ssh-into console environment spawn"),
                )
            )
        ),
    ),
    (
        "docker podman nerdctl",
        seen_through(
            unless(
                "it may run commands in a container",
                listed("ps images version info logs inspect stats top port history search"),
            )
        ),
    ),
    (
        "kubectl oc",
        seen_through(
            unless("it may run commands in a cluster", listed("get describe logs version explain"))
        ),
    ),
)
