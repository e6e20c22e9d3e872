"""The settings of a service, which never change while it runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocch.hybrid.coin import as_seed
from rocch.inputs import as_number, as_whole

if TYPE_CHECKING:
    from pathlib import Path

    from rocch.roc.question import Question

MIB = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Limits, seed and places of a service.

    Attributes
    ----------
    max_rows, max_body
        The most rows of one request, and the most bytes of its body.
    read_seconds, decide_seconds
        How long a body may take to arrive, and models to score.
    max_requests
        How many requests may be under way at once, once their bodies are there; more are turned
        away with 503.
    watch_seconds
        How often the library is asked for a new export.
    seed
        The seed of the coins.
    allowed_hosts
        Values of the Host header that are answered; none means all.
    question
        What to aim at until an operator aims; None means as the export says.
    audit
        Where each decision is recorded; None means nowhere.
    trusted
        Types of one's own in the models of exports, as for `rocch.load`.

    Examples
    --------
    >>> from rocch.service import Settings
    >>> Settings(max_rows=10).max_rows
    10
    """

    max_rows: int = 100_000
    max_body: int = 8 * MIB
    read_seconds: float = 10.0
    decide_seconds: float = 30.0
    max_requests: int = 64
    watch_seconds: float = 1.0
    seed: int = 0
    allowed_hosts: tuple[str, ...] = ()
    question: Question | None = None
    audit: Path | None = None
    trusted: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("max_rows", "max_body", "max_requests"):
            as_whole(getattr(self, name), name, least=1, hint="It is a limit.")
        for name in ("read_seconds", "decide_seconds", "watch_seconds"):
            as_number(getattr(self, name), name, least=0, hint="It is a number of seconds.")
        as_seed(self.seed)
