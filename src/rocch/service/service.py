"""The service: everything that hangs together, on one object, and nothing global."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from rocch.service.audit import Audit
from rocch.service.claim import Claim
from rocch.service.errors import ServiceError
from rocch.service.in_force import Aiming, InForce, usual_aim
from rocch.service.metrics import Metrics
from rocch.service.monitor import Monitor
from rocch.service.records import Records
from rocch.service.served import Served, now
from rocch.service.tuning import Tuning

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rocch.service.settings import Settings
    from rocch.service.tokens import Tokens

Result = TypeVar("Result")

RECORD = "service.sqlite"
"""The service's own record, inside the library's folder."""
WORKERS = 4
"""Threads in which models run; one that hangs keeps its thread."""


class Pending(NamedTuple):
    """A newer export that cannot be taken over, and why."""

    version: int | None
    problem: str


class Service:
    """What answers requests.

    Parameters
    ----------
    served
        The export that decides. It is replaced as a whole when a new one comes; a request takes
        it once and keeps it.
    record
        The file of the service's own record; its folder is served by this one alone.
    tokens
        Who may ask for what.
    settings
        Limits, seed and places.

    Attributes
    ----------
    records, monitor, tuning, aiming
        What it remembers, what it notices, what feedback makes of it, and what it aims at.
    pending
        A newer export that cannot be taken over.
    audit
        Where decisions are recorded, if anywhere.
    changing
        Held while the export or the operator's aim changes, because each must suit the other.
    """

    def __init__(self, served: Served, record: Path, tokens: Tokens, settings: Settings) -> None:
        self.settings, self.tokens, self.served = settings, tokens, served
        self.started_at = now()
        self._claim = Claim(record.parent)
        try:
            self.audit = None if settings.audit is None else Audit(settings.audit)
            self.records = Records(record)
        except BaseException:
            self._claim.close()
            raise
        self.monitor = Monitor()
        self.tuning = Tuning(self.records, now=now)
        self.usual = usual_aim(settings.question, self.started_at)
        self.aiming = Aiming(self.records, self.tuning, self.usual)
        self.metrics = Metrics()
        self.changing = Lock()
        self.not_taken: Pending | None = None
        self.library_problem: str | None = None
        self._workers = ThreadPoolExecutor(WORKERS, thread_name_prefix="rocch")

    def aim_in_force(self, served: Served) -> InForce:
        """Return what decides where a request has no question of its own."""
        return self.aiming.in_force(served)

    def reset_conditions(self) -> None:
        """Aim as the command line, or the export, states until an operator aims again."""
        self.records.put_aim(self.usual)

    @property
    def pending(self) -> dict[str, Any] | None:
        """The export that cannot be taken over, as documents say it."""
        return None if self.not_taken is None else self.not_taken._asdict()

    @property
    def audit_problem(self) -> str | None:
        """What is wrong with the audit record."""
        return None if self.audit is None else self.audit.problem

    def reopen_audit(self) -> None:
        """Open the audit record anew, if there is one, after it was moved away."""
        if self.audit is not None:
            self.audit.reopen()

    @property
    def problems(self) -> list[str]:
        """What keeps the service from doing as it should, though it still decides."""
        pending = self.not_taken and f"export {self.not_taken.version}: {self.not_taken.problem}"
        found = (pending, self.library_problem, self.audit_problem, self.records.problem)
        return [problem for problem in found if problem]

    def take_over(self, served: Served) -> None:
        """Let another export decide from now on, if it can; otherwise raise and change nothing."""
        old = self.served.hybrid
        if (served.hybrid.positive, served.hybrid.negative) != (old.positive, old.negative):
            raise ServiceError(
                409,
                "conflict",
                f"its labels must be {old.negative!r} and {old.positive!r}, which callers know; "
                f"got {served.hybrid.negative!r} and {served.hybrid.positive!r}. "
                "Start the service anew to change them.",
            )
        with self.changing:
            aim = self.aim_in_force(served)
            served.aimed(aim.aim, randomize=aim.randomize)
            self.monitor.swapped(self.served, served)
            self.served, self.not_taken = served, None

    async def in_thread(self, work: Callable[[], Result], seconds: float | None = None) -> Result:
        """Do work beside the answering of requests.

        What may hang, because it runs models, is waited for so many seconds and no longer. It gets
        one of a few threads of its own, so that it cannot keep other work from being done.
        """
        if seconds is None:
            return await asyncio.to_thread(work)
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(seconds):
                return await loop.run_in_executor(self._workers, work)
        except TimeoutError:
            raise ServiceError(
                503,
                "timeout",
                f"the models must answer within {seconds:g} s; they did not. "
                "Send fewer rows at a time, or try again.",
            ) from None

    def close(self) -> None:
        """Let go of files and threads."""
        self._workers.shutdown(wait=False, cancel_futures=True)
        self.records.close()
        if self.audit is not None:
            self.audit.close()
        self._claim.close()
