"""`rocch serve`: a service that decides."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rocch.cli.options import (
    LibraryPlace,
    QuestionCommand,
    json_option,
    question_options,
    trust_option,
)
from rocch.cli.output import echo, print_json, show
from rocch.errors import escape_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rocch.database.places import Place
    from rocch.roc.question import Question
    from rocch.service.policy import Service

ROLES = ("viewer", "caller", "operator")
LEVELS = ("critical", "error", "warning", "info", "debug")
# Bounds of the limits: MiB of a body, and seconds; clocks of event loops end some day.
BODY = click.FloatRange(0.001, 100_000)
SECONDS = click.FloatRange(0, 86_400, min_open=True)
# Characters of an example that people may want to copy.
LONGEST_BODY = 1200


@dataclass(frozen=True, slots=True)
class Listening:
    """Where a service listens, the file of its tokens if there is one, and what it serves."""

    url: str
    tokens_file: Path | None
    model_version: int
    path: str
    # How many processes answer.
    workers: int = 1
    # What to type next.
    commands: tuple[str, ...] = ()

    def parts(self) -> Iterator[str]:
        """Return the lines to print."""
        name = escape_line(self.path)
        workers = f", with {self.workers} workers" if self.workers > 1 else ""
        what = f"{name}, version {self.model_version}{workers}"
        yield f"Serving {what}, at {self.url} (Ctrl-C ends it)."
        if self.commands:
            yield "Try it in another terminal:"
            yield "\n".join(f"  {escape_line(command)}" for command in self.commands)
        kept = self.tokens_file
        where = "from the environment" if kept is None else f"in {escape_line(str(kept))}"
        yield f"The page at {self.url} asks for the operator's token. Tokens are {where}."


@click.command("serve", cls=QuestionCommand)
@click.argument("path", metavar="PATH", type=LibraryPlace())
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="The port; 0 picks a free one.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 256),
    default=1,
    show_default=True,
    help="How many processes answer, each with its own copy of the model.",
)
@click.option(
    "--tokens",
    "tokens_file",
    type=click.Path(path_type=Path),
    help="A JSON file with the tokens of viewer, caller and operator.",
)
@click.option(
    "--show-token",
    type=click.Choice(ROLES),
    help="Print the token of this role, and end.",
)
@click.option(
    "--state",
    type=LibraryPlace(),
    help="The folder of the service's record and tokens, or the URL of a PostgreSQL database that "
    "services share.  [default: PATH.service for a file, PATH for a library]",
)
@click.option(
    "--audit",
    type=click.Path(path_type=Path),
    help="Record each decision as a line of JSON in this file.",
)
@click.option(
    "--audit-to-record",
    is_flag=True,
    help="Ship these lines to the service's record too, in the background.",
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
    "--seed", type=click.IntRange(0), help="The seed of the coins.  [default: the model's own]"
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
    help="Forget the operator's aim, for all replicas, and aim as the command line, or the model, "
    "says. Use it once, never in a unit file.",
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
    path: Place,
    host: str,
    port: int,
    tokens_file: Path | None,
    show_token: str | None,
    state: Place | None,
    as_json: bool,
    question: Question,
    reset_conditions: bool,
    log_level: str,
    max_body_mb: float,
    allowed_host: tuple[str, ...],
    trust: tuple[str, ...],
    **limits: Any,
) -> None:
    """Serve decisions over HTTP, by the saved model or the library at PATH.

    PATH is a file that rocch.save wrote, or the folder or URL of a library, whose current export
    is served. Features or scores come in, decisions go out, each with the rule that made it. New
    versions are taken over while it runs. Costs, class balance and limits are those to aim at
    until an operator says otherwise; a request may bring its own. There are three tokens, for
    viewer, caller and operator: from --tokens, or from ROCCH_VIEWER_TOKEN, ROCCH_CALLER_TOKEN and
    ROCCH_OPERATOR_TOKEN, or made at the first start; --show-token prints them.

    \b
    Example:
      rocch serve model.rocch
      rocch serve model.rocch --prevalence 0.1 --false-positive 1 --false-negative 5..10 \\
          --audit decisions.jsonl
      rocch serve model.rocch --workers 4
      rocch serve model.rocch --show-token caller
    """
    from rocch.inputs import as_number
    from rocch.service.run import (
        MIB,
        Settings,
        address_of,
        bind,
        hosts_for,
        open_service,
        read_token,
        run,
        start_log,
    )
    from rocch.service.workers import Start, supervise

    if question.randomize and not question:
        raise click.UsageError("--randomize goes with costs or limits to aim at; there are none.")
    if show_token is not None:
        token = read_token(path, show_token, state=state, tokens_file=tokens_file)
        if as_json:
            print_json({"token": token})
        else:
            click.echo(token)
        return
    settings = Settings(
        max_body=int(as_number(max_body_mb, "max_body_mb") * MIB),
        allowed_hosts=hosts_for(host, allowed_host),
        question=question or None,
        trusted=trust,
        **limits,
    )
    start_log(log_level)
    service = open_service(
        path, settings, state=state, tokens_file=tokens_file, reset=reset_conditions
    )
    try:
        bound = bind(host, port)
        url = address_of(bound)
        commands = suggest_commands(service, path, url, {"state": state, "tokens": tokens_file})
        kept = service.tokens_file
        listening = Listening(
            url, kept, service.served.version, str(path), settings.workers, tuple(commands)
        )
        for text in find_warnings(host, listening, question, service):
            echo(f"rocch: {text}", err=True)
        if settings.workers == 1:
            run(service, bound, lambda: announce(listening, as_json), log_level=log_level)
            return
        record, lock = service.store.place, service.hand_over()
    finally:
        service.close()
    del service  # and its model, of which each worker has a copy of its own
    with lock:
        start = Start(path, settings, record, state, tokens_file, log_level)
        supervise(start, bound, lambda: announce(listening, as_json))


def suggest_commands(
    service: Service, path: Place, url: str, places: Mapping[str, Place | None]
) -> Iterator[str]:
    """Yield commands that ask for a decision on one row, with zeros to be replaced."""
    token = "$ROCCH_CALLER_TOKEN"  # noqa: S105 - the name of a variable
    if service.tokens_file is not None:
        options = [word for name, at in places.items() if at for word in (f"--{name}", str(at))]
        words = ["rocch", "serve", str(path), *options, "--show-token", "caller"]
        yield f"TOKEN=$({shlex.join(words)})"
        token = "$TOKEN"  # noqa: S105
    body = example_body(service)
    if body is None:
        yield f"curl {url}/v1/best --oauth2-bearer {token}"
    else:
        sent = shlex.quote(json.dumps(body, ensure_ascii=False))
        yield f"curl {url}/v1/decide --oauth2-bearer {token} --json {sent}"


def example_body(service: Service) -> dict[str, Any] | None:
    """Return one row that the service decides, if zeros are one and it is short."""
    from rocch.errors import RocchError
    from rocch.service.columns import feature_names
    from rocch.service.policy import decide
    from rocch.service.schemas import DecideBody

    served = service.served
    active, components = service.active_policy(served), served.hybrid.components
    body: dict[str, Any]
    if served.takes_features:
        body = {"features": {name: [0] for name in feature_names(served.hybrid)}}
    else:
        negative = [served.hybrid.negative]
        models = active.rule.rule.models or list(components)[:1]
        body = {"scores": {name: [0] if components[name].scoring else negative for name in models}}
    if active.rule.needs_coin:
        body["row_keys"] = ["row 1"]
    if len(json.dumps(body)) > LONGEST_BODY:
        return None
    try:
        decide(served, DecideBody(**body), active)
    except RocchError:  # for example because features are texts
        return None
    return body


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
    if active.source == "default" and service.served.decides_without_costs:
        yield (
            "nobody has stated costs, so the model decides as it was saved, for the fewest errors. "
            "State them as options, or let an operator aim on the page."
        )
    if stated.randomize:
        yield (
            "with --randomize a rule may toss a coin; callers must send row_keys then, and are "
            "refused (422) without."
        )
