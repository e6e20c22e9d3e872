"""`rocch completion`: completion for the shell."""

from __future__ import annotations

import click

from rocch.cli.options import json_option

VARIABLE = "_ROCCH_COMPLETE"


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@json_option
def command(shell: str, as_json: bool) -> None:
    """Print the script that lets SHELL complete commands, options and columns.

    Let the shell read it when it starts: the first example goes into ~/.bashrc, the file of the
    second is sourced in ~/.zshrc.

    \b
    Example:
      eval "$(rocch completion bash)"
      rocch completion zsh > ~/.rocch-completion.zsh
      rocch completion fish > ~/.config/fish/completions/rocch.fish
    """
    from click.shell_completion import get_completion_class

    from rocch.cli.main import cli

    kind = get_completion_class(shell)
    if kind is None:  # pragma: no cover - click knows all three
        raise click.UsageError(f"there is no completion for {shell}.")
    script = kind(cli, {}, "rocch", VARIABLE).source()
    if as_json:
        from rocch.cli.render import print_json

        print_json({"shell": shell, "script": script})
    else:
        click.echo(script, nl=False)
