"""The application: routes, layers and errors around one service."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from rocch.errors import RocchError, missing_extra

try:
    from fastapi import FastAPI
except ImportError:
    raise missing_extra("service", "Serving") from None
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from rocch.service import openapi, routes, routes_conditions, routes_feedback, routes_status
from rocch.service.errors import ServiceError, refusal
from rocch.service.monitor import Counting
from rocch.service.page_files import page_files
from rocch.service.policy import Watcher
from rocch.service.security import Guard, headers_for

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request

    from rocch.service.policy import Service

ROUTERS = (
    routes.router,
    routes_conditions.router,
    routes_feedback.router,
    routes_status.router,
)
CODES = {404: "not_found", 405: "not_allowed"}
MESSAGES = {
    404: "there is nothing at this path. Look at /openapi.json for what there is.",
    405: "the method must be one that this path knows; got another. See the Allow header.",
}


def create_app(service: Service, library: Any = None) -> FastAPI:
    """Return the ASGI application of a service.

    Parameters
    ----------
    service
        What answers; it hangs on `app.state.service`.
    library
        Where new exports come from; without one there are none.
    """
    app = FastAPI(
        title="rocch", docs_url=None, redoc_url=None, lifespan=_watching(service, library)
    )
    app.state.service = service
    app.state.page = page_files()
    for router in ROUTERS:
        app.include_router(router)
    _handle_errors(app)
    settings = service.settings
    app.add_middleware(Counting, metrics=service.metrics)
    app.add_middleware(
        Guard,
        allowed_hosts=settings.allowed_hosts,
        max_requests=settings.max_requests,
        max_body=settings.max_body,
    )
    told: list[dict[str, Any]] = []

    def described() -> dict[str, Any]:
        if not told:
            told.append(openapi.document(app, ROUTERS))
        return told[0]

    app.openapi = described  # type: ignore[method-assign]
    return app


def _watching(service: Service, library: Any) -> Any:
    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        task = None
        if library is not None:
            task = asyncio.create_task(Watcher(service, library).run())
        try:
            yield
        finally:
            if task is not None:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task

    return lifespan


def _handle_errors(app: FastAPI) -> None:
    """Turn every error into an answer of the same form."""

    @app.exception_handler(ServiceError)
    async def refused(_request: Request, error: ServiceError) -> Response:
        return error.answer()

    @app.exception_handler(RocchError)
    async def refused_input(_request: Request, error: RocchError) -> Response:
        return refusal(error).answer()

    @app.exception_handler(HTTPException)
    async def not_there(_request: Request, error: HTTPException) -> Response:
        message = MESSAGES.get(error.status_code, str(error.detail))
        code = CODES.get(error.status_code, "bad_input")
        return ServiceError(error.status_code, code, message, headers=error.headers).answer()

    @app.exception_handler(ClientDisconnect)
    async def gone(_request: Request, _error: ClientDisconnect) -> Response:
        return Response(status_code=400)  # nobody reads it

    @app.exception_handler(Exception)
    async def unexpected(request: Request, _error: Exception) -> Response:
        # this one comes from outside the layers that add headers; what went wrong is in the log
        failed = ServiceError(
            500,
            "unexpected",
            "the service failed; it was not your request's fault, or should have said so. "
            "Try again, and tell its operator.",
            headers=headers_for(request.url.path),
        )
        return failed.answer()
