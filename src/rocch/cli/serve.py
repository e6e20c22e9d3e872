"""`rocch serve`: a service that decides."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rocch.cli.library.options import trust_option
from rocch.cli.options import json_option
from rocch.cli.question import QuestionCommand, check_question, question_options
from rocch.cli.terminal import echo
from rocch.errors import escape_line

if TYPE_CHECKING:
    from rocch.roc.question import Question
    from rocch.service.run import Settings
    from rocch.service.store import Policy

LONGEST_TIMEOUT = 86_400.0
"""A day, in seconds; clocks of event loops do not go on for ever."""
LEVELS = ("critical", "error", "warning", "info", "debug")


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
    type=click.FloatRange(0, min_open=True),
    default=8.0,
    show_default=True,
    help="Most megabytes (MiB) of one request.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
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
def command(
    folder: Path,
    host: str,
    port: int,
    tokens_file: Path | None,
    as_json: bool,
    question: Question,
    reset_conditions: bool,
    log_level: str,
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
    service_installed()
    from rocch.library.library import ClassifierLibrary
    from rocch.service.run import address_of, is_loopback, listen, open_service, run, start_log

    start_log(log_level)
    library = ClassifierLibrary(folder)
    settings = settings_from(host, question, limits)
    service, kept = open_service(
        library, folder, settings, tokens_file=tokens_file, reset=reset_conditions
    )
    try:
        bound = listen(host, port)
        url = address_of(bound)
        if not is_loopback(host):
            warn_of_plain_http(url)
        warn_of_open_file(kept)
        warn_of_stored_aim(settings.question, service.policy)
        warn_of_coins(question)
        run(
            service,
            library,
            bound,
            lambda: tell(as_json, url, kept, service.served.version),
            log_level=log_level,
        )
    finally:
        service.close()


def service_installed() -> None:
    """Refuse to start without the packages that a service needs."""
    from rocch.errors import missing_extra

    try:
        import fastapi  # noqa: F401 - whether they are there is the question
        import prometheus_client  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise missing_extra("service", "Serving") from None


def settings_from(host: str, question: Question, limits: dict[str, Any]) -> Settings:
    """Return the service's settings."""
    from rocch.service.run import MIB, Settings, hosts_for

    if question:
        check_question(question)
    elif question.randomize:
        raise click.UsageError("--randomize goes with costs or limits to aim at; there are none.")
    check_limits(limits["max_body_mb"] * MIB, limits["timeout"])
    return Settings(
        max_rows=limits["max_rows"],
        max_body=int(limits["max_body_mb"] * MIB),
        decide_seconds=limits["timeout"],
        seed=limits["seed"],
        allowed_hosts=hosts_for(host, limits["allowed_host"]),
        question=question or None,
        audit=limits["audit"],
        trusted=limits["trust"],
    )


def check_limits(max_body: float, timeout: float) -> None:
    """Refuse numbers that click lets pass and that no limit can be made of."""
    from rocch.errors import InputError

    if not 1 <= max_body < math.inf:  # nan is neither
        got = "less than one byte" if max_body < 1 else "no finite number"
        raise InputError("--max-body-mb", "be a finite number of MiB", got, "For example: 8.")
    if not timeout <= LONGEST_TIMEOUT:
        requirement = f"be a number of seconds, at most {LONGEST_TIMEOUT:g}"
        raise InputError("--timeout", requirement, f"{timeout:g}", "For example: 30.")


def tell(as_json: bool, url: str, kept: Path | None, version: int) -> None:
    """Say that the service listens, and where."""
    from rocch.cli.render import print_json

    if as_json:
        file = None if kept is None else str(kept)
        print_json({"url": url, "tokens_file": file, "library_version": version})
    else:
        where = "the environment" if kept is None else escape_line(str(kept))
        echo(f"Serving export {version} at {url} (tokens: {where}). Ctrl-C ends it.")
    sys.stdout.flush()


def warn_of_plain_http(url: str) -> None:
    """Say that tokens would travel in the open."""
    echo(
        f"rocch: {url} can be reached by others, and HTTP is not encrypted: tokens and scores "
        "travel in the open. Put a proxy with TLS before it.",
        err=True,
    )


def warn_of_open_file(kept: Path | None) -> None:
    """Say that others could read the tokens."""
    from rocch.service.security import open_to_others

    if kept is not None and open_to_others(kept):
        named = escape_line(str(kept))
        echo(f"rocch: others may read {named}. Try: chmod 600 {named}", err=True)


def warn_of_stored_aim(stated: Question | None, active: Policy) -> None:
    """Warn that an operator's aim counts, and not the one that the command line states."""
    if stated is None or active.source != "operator" or active.question == stated:
        return
    echo(
        f"rocch: the operator's aim is in force ({active.words}), not the command line's "
        f"({stated.describe()}). Start with --reset-conditions to change that.",
        err=True,
    )


def warn_of_coins(question: Question) -> None:
    """Say what callers must send where a coin may decide."""
    if question.randomize:
        echo(
            "rocch: with --randomize a rule may toss a coin; callers must send row_keys then, and "
            "are refused (422) without.",
            err=True,
        )
