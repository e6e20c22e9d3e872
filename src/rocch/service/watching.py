"""Hot swap: a new export of the library takes over without a request being dropped."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, Protocol

from rocch.errors import RocchError
from rocch.service.errors import REQUEST, ServiceError
from rocch.service.served import Served
from rocch.service.service import Pending

if TYPE_CHECKING:
    from rocch.service.service import Service
    from rocch.service.settings import Settings

LOG = logging.getLogger("rocch.service")
LOOKS_BETWEEN_TRIALS = 30
"""An export that could not be taken over is tried again after so many looks."""


class Exporting(Protocol):
    """A library, as far as a service looks at it."""

    @property
    def current_export(self) -> Any:
        """The export that should decide, if there is one."""


class Watcher:
    """Looks at a library again and again, and takes over what it exports."""

    def __init__(self, service: Service, library: Exporting) -> None:
        self.service, self.library = service, library
        self._failed: tuple[Any, ...] | None = None
        self._looks = 0

    async def run(self) -> None:
        """Look until canceled."""
        while True:
            await asyncio.sleep(self.service.settings.watch_seconds)
            await self.look()

    async def look(self) -> None:
        """Look once; whatever is wrong, what decides goes on deciding."""
        service = self.service
        try:
            export = await service.in_thread(lambda: self.library.current_export)
            service.library_problem = None
        except Exception as error:
            service.library_problem = f"the library cannot be read: {_said(error)}"
            return
        if export is None or export.version == service.served.version:
            service.not_taken = self._failed = None
            return
        trial = (export.version, export.sha256, service.aiming.record.id)
        self._looks += 1
        if trial != self._failed or self._looks % LOOKS_BETWEEN_TRIALS == 0:
            self._failed = None if await self._taken(export) else trial

    async def _taken(self, export: Any) -> bool:
        service = self.service
        try:
            served = await service.in_thread(lambda: _prepared(export, service.settings))
            await service.in_thread(lambda: service.take_over(served))
        except Exception as error:
            problem = _said(error)
            service.not_taken = Pending(export.version, problem)
            LOG.warning("export %s is not taken over: %s", export.version, problem)
            return False
        service.metrics.swaps.inc()
        LOG.info("export %s decides from now on", export.version)
        return True


def _prepared(export: Any, settings: Settings) -> Served:
    """Load an export, and make what every request would otherwise wait for."""
    served = Served.load(export, seed=settings.seed, trusted=settings.trusted)
    _ = served.hull_document, served.takes_features
    return served


def _said(error: Exception) -> str:
    """Return what is wrong; only errors of the package are worth more than their kind."""
    if isinstance(error, RocchError):
        return error.to_text(REQUEST)
    if isinstance(error, ServiceError | OSError):
        return str(error)
    return f"{type(error).__name__}: {error}"[:300]
