"""`greenroom completion`: scripts that complete commands, options and session ids in a shell."""

import argparse
from typing import Literal

Shell = Literal["bash", "zsh", "fish"]
COMMANDS = (
    "demo", "review", "agents", "sessions", "sandbox", "permissions", "completion", "help",
)  # fmt: skip
_LIST_SESSIONS = "greenroom sessions list 2>/dev/null | cut -d ' ' -f 1"
_BASH = """\
_greenroom() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} words
    case $previous in
{cases}
        *) words="{options}"; [[ $COMP_CWORD -eq 1 ]] && words="{commands} $words" ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _greenroom greenroom
"""
_ZSH_START = "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n"


def build_completion_script(shell: Shell, parser: argparse.ArgumentParser) -> str:
    """Return the script for a shell; `parser` has the options of the main command."""
    actions = [action for action in parser._actions if action.option_strings]  # noqa: SLF001  (no public list)
    if shell == "fish":
        return _build_fish_script(actions)
    script = _BASH.format(
        cases="\n".join(
            f'        {"|".join(action.option_strings)}) words="{values}" ;;'
            for action in actions
            if (values := _list_values(action))
        ),
        options=" ".join(name for action in actions for name in action.option_strings),
        commands=" ".join(COMMANDS),
    )
    return _ZSH_START + script if shell == "zsh" else script


def _list_values(action: argparse.Action) -> str:
    """Return the values of an option, as words or as a command that prints them."""
    if action.choices:
        return " ".join(map(str, action.choices))
    return f"$({_LIST_SESSIONS})" if action.metavar == "SESSION" else ""


def _build_fish_script(actions: list[argparse.Action]) -> str:
    commands = " ".join(COMMANDS)
    lines = [f"complete -c greenroom -n __fish_use_subcommand -a '{commands}'"]
    for action in actions:
        names = " ".join(
            f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}"
            for name in action.option_strings
        )
        values = f"({_LIST_SESSIONS})" if action.metavar == "SESSION" else _list_values(action)
        takes_value = f" -x -a '{values}'" if values else "" if action.nargs == 0 else " -r"
        lines.append(f"complete -c greenroom {names}{takes_value}")
    return "\n".join(lines) + "\n"
