"""Effect rules of commands that run another command: as another user, later, on another system."""

from actors.bash.effects.command_options import WrapperOptions, split_names
from actors.bash.effects.embedded_commands import (
    search_arguments,
    search_assigned_values,
    search_code,
)
from actors.bash.effects.table_rules import (
    EffectRule,
    ask_always,
    ask_on_words,
    ask_unless_subcommand,
    runs_command,
    runs_script,
    search_all_operands,
)
from actors.bash.programs.shells import (
    analyze_env,
    analyze_flock,
    analyze_script,
    analyze_ssh,
    analyze_su,
)

_AS_USER = "runs a command as another user"
_RUNS = "runs another command"
_REMOTE = "connects to another system and can run commands here through its options"

ROWS: tuple[tuple[str, EffectRule], ...] = (
    (
        "sudo",
        runs_command(
            _AS_USER,
            WrapperOptions(
                "CDghpRrTtUu",
                split_names(
                    "user group host chdir prompt role type chroot close-from "
                    "command-timeout other-user"
                ),
                allows_assignments=True,
            ),
        ),
    ),
    ("doas", runs_command(_AS_USER, WrapperOptions("aCu"))),
    ("su runuser", analyze_su),
    ("pkexec", runs_command(_AS_USER, WrapperOptions(long_with_value=("user",)))),
    ("env", search_assigned_values(analyze_env)),
    (
        "xargs",
        runs_command(
            "runs a command with arguments from its input",
            WrapperOptions(
                "adEILnPs",
                split_names("arg-file delimiter max-args max-procs max-chars process-slot-var"),
            ),
        ),
    ),
    (
        "parallel",
        search_arguments(
            runs_script(
                "runs a command for each argument",
                WrapperOptions(
                    "janNLPSI",
                    split_names(
                        "jobs max-procs arg-file delay timeout retries joblog results colsep"
                    ),
                ),
            )
        ),
    ),
    (
        "timeout",
        runs_command(
            _RUNS, WrapperOptions("ks", split_names("kill-after signal"), operand_count=1)
        ),
    ),
    ("nice", runs_command(_RUNS, WrapperOptions("n", ("adjustment",)))),
    ("ionice", runs_command(_RUNS, WrapperOptions("cnpPu", split_names("class classdata")))),
    ("chrt", runs_command(_RUNS, WrapperOptions("TPD", operand_count=1))),
    ("taskset", runs_command(_RUNS, WrapperOptions(operand_count=1))),
    ("setarch", search_all_operands(ask_always(_RUNS))),
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
        search_all_operands(ask_always(_RUNS)),
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
        search_all_operands(ask_always(_RUNS)),
    ),
    (
        (
            "singularity apptainer udocker enroot limactl colima buildah minikube k3s microk8s tsh "
            "devbox devenv flox volta fnm nvm n rustup rvm opam stack cabal pixi micromamba spack "
            "meson railway teller berglas consul etcdctl nomad aws-okta saml2aws zellij wezterm "
            "homectl pbuilder jj borg snap brew accelerate pm2"
        ),
        search_all_operands(
            ask_on_words(
                "may run another command",
                split_names(
                    "exec execute run shell ssh start env do with with-lock lock watch launch "
                    "kubectl activate devenv sh"
                ),
            )
        ),
    ),
    ("stdbuf", runs_command(_RUNS, WrapperOptions("ioe", split_names("input output error")))),
    ("watch", runs_script("runs a command repeatedly", WrapperOptions("n", ("interval",)))),
    ("script", analyze_script),
    ("unshare", runs_command(_RUNS, WrapperOptions("RwSG"))),
    ("nsenter", runs_command(_RUNS, WrapperOptions("tSGW", ("target",)))),
    (
        "chroot",
        runs_command(
            "runs a command in another root directory",
            WrapperOptions(long_with_value=split_names("userspec groups"), operand_count=1),
        ),
    ),
    ("systemd-run", runs_command(_RUNS, WrapperOptions("pEMHu", split_names("unit property")))),
    ("flock", analyze_flock),
    ("strace ltrace", runs_command(_RUNS, WrapperOptions("aeEIopPsSuUX"))),
    ("gdb lldb expect", search_code(search_all_operands(ask_always(_RUNS)))),
    ("valgrind perf dtach at batch crontab bwrap", search_all_operands(ask_always(_RUNS))),
    (
        "xvfb-run i386 runcon run-parts sg newgrp ssh-agent capsh sudoedit ip",
        search_all_operands(ask_always(_RUNS)),
    ),
    ("ssh-keygen gpg-agent", ask_always("may load code or run another program")),
    ("start-stop-daemon machinectl lxc vagrant ansible", search_all_operands(ask_always(_RUNS))),
    ("tmux screen byobu", search_code(search_all_operands(ask_always(_RUNS)))),
    ("busybox toybox", runs_command("can run any of its built-in commands")),
    ("ssh autossh rsh", search_arguments(analyze_ssh)),
    (
        "scp sftp rsync telnet nc ncat netcat socat ftp lftp",
        search_code(search_arguments(ask_always(_REMOTE))),
    ),
    (
        "mosh sshpass plink pssh parallel-ssh pdsh clush salt adb wsl",
        search_all_operands(ask_always("runs commands on another system")),
    ),
    (
        "docker-compose podman-compose",
        search_all_operands(
            ask_unless_subcommand(
                "may run commands in a container",
                split_names("ps images version logs top port config events ls stats"),
            )
        ),
    ),
    (
        "crictl incus multipass toolbox distrobox flatpak guix fly flyctl gcloud heroku",
        search_arguments(
            search_all_operands(
                ask_on_words(
                    "may run commands on another system",
                    split_names("run exec shell enter ssh ssh-into console environment spawn"),
                )
            )
        ),
    ),
    (
        "docker podman nerdctl",
        search_all_operands(
            ask_unless_subcommand(
                "may run commands in a container",
                split_names("ps images version info logs inspect stats top port history search"),
            )
        ),
    ),
    (
        "kubectl oc",
        search_all_operands(
            ask_unless_subcommand(
                "may run commands in a cluster", split_names("get describe logs version explain")
            )
        ),
    ),
)
