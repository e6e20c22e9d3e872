"""`rocch serve`: a service that decides."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rocch.cli.options import QuestionCommand, json_option, question_options, trust_option
from rocch.cli.output import echo, show
from rocch.errors import escape_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocch.roc.question import Question
    from rocch.service.policy import Service

LEVELS = ("critical", "error", "warning", "info", "debug")
# Bounds of the limits: MiB of a body, and seconds; clocks of event loops end some day.
BODY = click.FloatRange(0.001, 100_000)
SECONDS = click.FloatRange(0, 86_400, min_open=True)


@dataclass(frozen=True, slots=True)
class Listening:
    """Where a service listens, the file of its tokens if there is one, and what it serves."""

    url: str
    tokens_file: Path | None
    library_version: int

    def parts(self) -> Iterator[str]:
        """Return the sentence to print."""
        kept = self.tokens_file
        where = "the environment" if kept is None else escape_line(str(kept))
        yield (
            f"Serving export {self.library_version} at {self.url} (tokens: {where}). "
            "Ctrl-C ends it."
        )


@click.command("serve", cls=QuestionCommand)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="The port; 0 picks a free one.",
)
@click.option(
    "--tokens",
    "tokens_file",
    type=click.Path(path_type=Path),
    help="A JSON file with the tokens of viewer, caller and operator.",
)
@click.option(
    "--audit",
    type=click.Path(path_type=Path),
    help="Record each decision as a line of JSON in this file.",
)
@click.option(
    "--max-rows",
    type=click.IntRange(1),
    default=100_000,
    show_default=True,
    help="Most rows of one request.",
)
@click.option(
    "--max-body-mb",
    type=BODY,
    default=8.0,
    show_default=True,
    help="Most megabytes (MiB) of one request.",
)
@click.option(
    "--timeout",
    "decide_seconds",
    type=SECONDS,
    default=30.0,
    show_default=True,
    help="Most seconds for models to score a request.",
)
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="The seed of the coins."
)
@click.option(
    "--allowed-host",
    multiple=True,
    metavar="NAME",
    help="Another name that requests may call this service by; as often as needed.",
)
@click.option(
    "--reset-conditions",
    is_flag=True,
    help="Forget the operator's aim; aim as the command line, or the export, says.",
)
@click.option(
    "--log-level",
    type=click.Choice(LEVELS),
    default="warning",
    show_default=True,
    help="What to log on standard error; never tokens, bodies or queries.",
)
@trust_option
@question_options()
@json_option
def serve(
    folder: Path,
    host: str,
    port: int,
    tokens_file: Path | None,
    as_json: bool,
    question: Question,
    reset_conditions: bool,
    log_level: str,
    max_body_mb: float,
    allowed_host: tuple[str, ...],
    trust: tuple[str, ...],
    **limits: Any,
) -> None:
    """Serve decisions by the current export of the library in DIR, over HTTP.

    Scores or features come in, decisions go out, each with the rule that made it. New exports are
    taken over while it runs. Costs, class balance and limits are those to aim at until an operator
    says otherwise; a request may bring its own. There are three tokens, for viewer, caller and
    operator: from --tokens, or from ROCCH_VIEWER_TOKEN, ROCCH_CALLER_TOKEN and
    ROCCH_OPERATOR_TOKEN, or made at the first start, in DIR/tokens.json.

    \b
    Example:
      rocch serve fraud --port 8000
      rocch serve fraud --prevalence 0.1 --false-positive 1 --false-negative 5..10 \\
          --audit decisions.jsonl
    """
    from rocch.inputs import as_number
    from rocch.library.library import ClassifierLibrary
    from rocch.service.run import (
        MIB,
        Settings,
        address_of,
        hosts_for,
        listen,
        open_service,
        run,
        start_log,
    )

    if question.randomize and not question:
        raise click.UsageError("--randomize goes with costs or limits to aim at; there are none.")
    settings = Settings(
        max_body=int(as_number(max_body_mb, "max_body_mb") * MIB),
        allowed_hosts=hosts_for(host, allowed_host),
        question=question or None,
        trusted=trust,
        **limits,
    )
    start_log(log_level)
    library = ClassifierLibrary(folder)
    service, kept = open_service(
        library, folder, settings, tokens_file=tokens_file, reset=reset_conditions
    )
    try:
        bound = listen(host, port)
        listening = Listening(address_of(bound), kept, service.served.version)
        for text in find_warnings(host, listening, question, service):
            echo(f"rocch: {text}", err=True)
        run(service, library, bound, lambda: announce(listening, as_json), log_level=log_level)
    finally:
        service.close()


def announce(listening: Listening, as_json: bool) -> None:
    """Print where the service listens, at once."""
    show(listening, as_json=as_json)
    sys.stdout.flush()


def find_warnings(
    host: str, listening: Listening, stated: Question, service: Service
) -> Iterator[str]:
    """Yield what may surprise whoever starts a service like this."""
    from rocch.service.run import is_loopback
    from rocch.service.security import open_to_others

    if not is_loopback(host):
        yield (
            f"{listening.url} can be reached by others, and HTTP is not encrypted: tokens and "
            "scores travel in the open. Put a proxy with TLS before it."
        )
    kept = listening.tokens_file
    if kept is not None and open_to_others(kept):
        named = escape_line(str(kept))
        yield f"others may read {named}. Try: chmod 600 {named}"
    active = service.policy
    if stated and active.source == "operator" and active.question != stated:
        yield (
            f"the operator's aim is in force ({active.words}), not the command line's "
            f"({stated.describe()}). Start with --reset-conditions to change that."
        )
    if stated.randomize:
        yield (
            "with --randomize a rule may toss a coin; callers must send row_keys then, and are "
            "refused (422) without."
        )
