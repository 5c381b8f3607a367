"""`lwc completion`: scripts that let a shell ask `lwc __complete` what may come next."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from lwc.cli.options import Context, Verbatim, command

SCRIPTS = {
    "bash": """\
_lwc_completion() {
    local line
    COMPREPLY=()
    while IFS=$'\\t' read -r line _; do
        COMPREPLY+=("$line")
    done < <("$1" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _lwc_completion lwc
""",
    "zsh": """\
#compdef lwc
_lwc() {
    local line
    local -a offered
    while IFS= read -r line; do
        offered+=("${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}")
    done < <("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)
    if (( ${#offered} )); then
        _describe -t lwc lwc offered
    else
        _files
    fi
}
if [ "${funcstack[1]}" = _lwc ]; then
    _lwc "$@"
else
    compdef _lwc lwc
fi
""",
    "fish": """\
function __lwc_complete
    set -l typed (commandline -opc) (commandline -ct)
    set -l offered ($typed[1] __complete $typed[2..-1] 2>/dev/null)
    if test (count $offered) -gt 0
        string join \\n -- $offered
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c lwc -f -a '(__lwc_complete)'
""",
}


@command(has_wiki=False)
def completion(
    ctx: Context,
    shell: Annotated[Literal["bash", "zsh", "fish"], typer.Argument(help="The shell you use.")],
) -> Verbatim:
    """Print a script that completes commands and options in a shell.

    bash: put `eval "$(lwc completion bash)"` in ~/.bashrc. zsh: `eval "$(lwc completion zsh)"` in
    ~/.zshrc, after compinit. fish: `lwc completion fish > ~/.config/fish/completions/lwc.fish`.
    """
    return Verbatim(SCRIPTS[shell])
