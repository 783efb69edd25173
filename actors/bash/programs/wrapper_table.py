"""Records of programs that run another command: as another user, later, on another system."""

import re

from actors.bash.effects.effect_rules import (
    ask_always,
    ask_on_words,
    ask_unless_listed,
    ask_unless_subcommand,
    first_match,
    runs_command,
    runs_script,
    search_all_operands,
)
from actors.bash.effects.option_parsing import WrapperOptions, split_names
from actors.bash.effects.possible_commands import (
    search_arguments,
    search_assigned_values,
    search_code,
)
from actors.bash.effects.written_paths import WrittenPaths, write_last
from actors.bash.programs.program import Program, read_all_below
from actors.bash.programs.shells import (
    analyze_env,
    analyze_flock,
    analyze_script,
    analyze_ssh,
    analyze_su,
)

_CRONTAB_PREFIX = re.compile(r"^[ \t]*+(?:@\w++[ \t]++|(?:[\w*/,-]++[ \t]++){5})", re.MULTILINE)
_AS_USER = "runs a command as another user"
_RUNS = "runs another command"
_REMOTE = "connects to another system and can run commands here through its options"

_RUNS_BY_WORD = search_all_operands(
    ask_on_words(
        "may run another command",
        split_names(
            "exec execute run shell ssh start env do with with-lock lock watch launch "
            "kubectl activate devenv sh"
        ),
    )
)
_LOADS_CODE = ask_always("may load code or run another program")
_MULTIPLEXER = search_code(search_all_operands(ask_always(_RUNS)))
_TRANSFER = search_code(search_arguments(ask_always(_REMOTE)))
_REMOTE_SHELL = search_all_operands(ask_always("runs commands on another system"))
_COMPOSE = search_all_operands(
    ask_unless_subcommand(
        "may run commands in a container",
        split_names("ps images version logs top port config events ls stats"),
    )
)
_REMOTE_CONTAINER = search_arguments(
    search_all_operands(
        ask_on_words(
            "may run commands on another system",
            split_names("run exec shell enter ssh ssh-into console environment spawn"),
        )
    )
)
_CONTAINER = search_all_operands(
    ask_unless_subcommand(
        "may run commands in a container",
        split_names("ps images version info logs inspect stats top port history search"),
    )
)

PROGRAMS: tuple[Program, ...] = (
    Program(
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
        stdin="commands",
    ),
    Program("doas", runs_command(_AS_USER, WrapperOptions("aCu")), stdin="commands"),
    Program("su runuser", analyze_su, stdin="commands"),
    Program("pkexec", runs_command(_AS_USER, WrapperOptions(long_with_value=("user",)))),
    Program("env", search_assigned_values(analyze_env)),
    Program(
        "xargs",
        runs_command(
            "runs a command with arguments from its input",
            WrapperOptions(
                "adEILnPs",
                split_names("arg-file delimiter max-args max-procs max-chars process-slot-var"),
            ),
        ),
        stdin="arguments",
    ),
    Program(
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
        stdin="commands",
    ),
    Program(
        "timeout",
        runs_command(
            _RUNS, WrapperOptions("ks", split_names("kill-after signal"), operand_count=1)
        ),
    ),
    Program("nice", runs_command(_RUNS, WrapperOptions("n", ("adjustment",)))),
    Program("ionice", runs_command(_RUNS, WrapperOptions("cnpPu", split_names("class classdata")))),
    Program("chrt", runs_command(_RUNS, WrapperOptions("TPD", operand_count=1))),
    Program("taskset", runs_command(_RUNS, WrapperOptions(operand_count=1))),
    Program("setarch", search_all_operands(ask_always(_RUNS))),
    Program(
        "nohup setsid linux64 linux32 unbuffer catchsegv fakeroot rlwrap proot chronic eatmydata "
        "dbus-run-session systemd-inhibit firejail numactl prlimit setpriv entr cpulimit "
        "caffeinate torsocks torify tsocks proxychains dotenv dotenvx cross-env concurrently "
        "nodemon watchexec hyperfine sem faketime cgexec schroot run0 gosu su-exec setuidgid "
        "softlimit chpst envdir daemonize tini dumb-init multitime rr ifne mispipe lckdo setlock "
        "retry reflex onchange arch x86_64 uname26 doppler aws-vault sops op trickle heaptrack "
        "memusage cgclassify aa-exec please choom logsave ccache distcc sccache icecc with-contenv "
        "detach nsjail tsp systemd-nspawn launchctl dbus-launch cross-env-shell npm-run-all "
        "chokidar fab",
        search_all_operands(ask_always(_RUNS)),
    ),
    Program(
        "srun salloc sbatch mpirun mpiexec qsub bsub condor_run torchrun chruby-exec env-cmd "
        "envchain envconsul s6-setuidgid s6-envdir execlineb abduco kitty alacritty xterm "
        "gnome-terminal konsole foot rofi xdotool i3-msg swaymsg systemd-cat lxc-attach "
        "systemd-socket-activate rootlesskit fakechroot pseudo schedtool gdbserver dtruss "
        "sandbox-exec bpftrace when-changed forever daemon flatpak-spawn rush apply lima ch-run et "
        "dbclient waypipe",
        search_all_operands(ask_always(_RUNS)),
    ),
    Program(
        "singularity apptainer udocker enroot limactl colima buildah k3s microk8s tsh devbox "
        "devenv flox volta fnm nvm n rustup rvm opam stack cabal pixi micromamba spack meson "
        "railway teller berglas consul etcdctl nomad aws-okta saml2aws zellij wezterm homectl "
        "pbuilder jj borg accelerate pm2",
        _RUNS_BY_WORD,
    ),
    Program("minikube snap brew", _RUNS_BY_WORD, has_subcommands=True),
    Program(
        "stdbuf", runs_command(_RUNS, WrapperOptions("ioe", split_names("input output error")))
    ),
    Program("watch", runs_script("runs a command repeatedly", WrapperOptions("n", ("interval",)))),
    Program("script", analyze_script, stdin="commands"),
    Program("unshare", runs_command(_RUNS, WrapperOptions("RwSG")), stdin="commands"),
    Program("nsenter", runs_command(_RUNS, WrapperOptions("tSGW", ("target",))), stdin="commands"),
    Program(
        "chroot",
        runs_command(
            "runs a command in another root directory",
            WrapperOptions(long_with_value=split_names("userspec groups"), operand_count=1),
        ),
        stdin="commands",
    ),
    Program(
        "systemd-run", runs_command(_RUNS, WrapperOptions("pEMHu", split_names("unit property")))
    ),
    Program("flock", analyze_flock),
    Program("strace ltrace", runs_command(_RUNS, WrapperOptions("aeEIopPsSuUX"))),
    Program("gdb lldb expect", search_code(search_all_operands(ask_always(_RUNS))), stdin="code"),
    Program("valgrind perf dtach bwrap", search_all_operands(ask_always(_RUNS))),
    Program("at batch", search_all_operands(ask_always(_RUNS)), stdin="commands"),
    Program(
        "crontab",
        search_all_operands(ask_always(_RUNS)),
        stdin="commands",
        stdin_line_prefix=_CRONTAB_PREFIX,
    ),
    Program(
        "xvfb-run i386 runcon run-parts ssh-agent capsh sudoedit ip",
        search_all_operands(ask_always(_RUNS)),
    ),
    Program("sg newgrp", search_all_operands(ask_always(_RUNS)), stdin="commands"),
    Program("ssh-keygen", _LOADS_CODE, writes=WrittenPaths(output_options=("-f",))),
    Program("gpg-agent", _LOADS_CODE),
    Program("start-stop-daemon machinectl lxc", search_all_operands(ask_always(_RUNS))),
    Program("vagrant ansible", search_all_operands(ask_always(_RUNS)), has_subcommands=True),
    Program("tmux screen", _MULTIPLEXER, stdin="commands"),
    Program("byobu", _MULTIPLEXER),
    Program("busybox toybox", runs_command("can run any of its built-in commands")),
    Program("ssh autossh rsh", search_arguments(analyze_ssh), stdin="commands"),
    Program(
        "scp",
        _TRANSFER,
        find_read_depth=read_all_below,
        writes=WrittenPaths(write_last, into_folders=True),
    ),
    Program("sftp telnet socat ftp lftp", _TRANSFER, stdin="code"),
    Program(
        "rsync",
        _TRANSFER,
        find_read_depth=read_all_below,
        writes=WrittenPaths(write_last, below_folders=True, into_folders=True),
    ),
    Program("nc ncat netcat", _TRANSFER),
    Program("mosh sshpass pssh parallel-ssh pdsh clush salt adb wsl", _REMOTE_SHELL),
    Program("plink", _REMOTE_SHELL, stdin="commands"),
    Program("docker-compose", _COMPOSE, has_subcommands=True),
    Program("podman-compose", _COMPOSE),
    Program("crictl incus multipass toolbox distrobox guix", _REMOTE_CONTAINER),
    Program("flatpak fly flyctl gcloud heroku", _REMOTE_CONTAINER, has_subcommands=True),
    Program("docker podman", _CONTAINER, stdin="commands", has_subcommands=True, mounts_paths=True),
    Program("nerdctl", _CONTAINER, has_subcommands=True, mounts_paths=True),
    Program(
        "kubectl oc",
        search_all_operands(
            first_match(
                ask_unless_subcommand(
                    "may run commands in a cluster",
                    split_names("get describe logs version explain"),
                ),
                ask_unless_listed(
                    r"-(?:[nolcAwfp].*|-(?:namespace|selector|output|tail|since|container|field-selector|"
                    r"sort-by|show-labels|no-headers|all-namespaces|watch|follow|previous|timestamps|"
                    r"all-containers|ignore-not-found|show-kind|recursive|client|help)(?:=.*)?)",
                    r"(?!.*file=).*",
                ),
            )
        ),
        has_listed_options=True,
        stdin="commands",
        has_subcommands=True,
    ),
)
