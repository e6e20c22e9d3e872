"""The routes of what the service decides: decide, best, hull, health, metrics, and the page."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends
from prometheus_client import generate_latest
from starlette.requests import Request
from starlette.responses import Response

from rocch.roc.question import Question
from rocch.service import examples
from rocch.service.answers import answer
from rocch.service.bodies import read
from rocch.service.documents import Best, Decided, Health, Hull
from rocch.service.errors import ServiceError
from rocch.service.operations import OF_A_BODY, operation
from rocch.service.policy import Decision, check_rows, decide
from rocch.service.queries import read_query
from rocch.service.schemas import DecideBody
from rocch.service.security import require
from rocch.service.status import best_document

if TYPE_CHECKING:
    from rocch.roc.question_fields import QuestionField
    from rocch.service.policy import Service

ROWS_AT_ONCE = 20_000
"""So many rows of scores are decided in a few milliseconds; more would make others wait."""

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

router = APIRouter()


@router.post(
    "/v1/decide",
    **operation(
        "Decide rows by their scores or features",
        Decided,
        examples.DECIDED,
        body=DecideBody,
        refusals=OF_A_BODY,
    ),
)
async def post_decide(
    request: Request, role: Annotated[str, Depends(require("caller", "operator"))]
) -> Response:
    """Decide rows; every answer says which rule decided, and which export it came from."""
    service: Service = request.app.state.service
    body: DecideBody = await read(request, DecideBody)
    check_rows(body, service.settings.max_rows)
    begun = time.perf_counter()
    decision = await _decided(service, body)
    document = decision.to_dict()
    if service.audit is not None:
        service.audit.write(decision.audit_record(document, role))
    _take_note(service, decision, begun)
    return answer(document)


async def _decided(service: Service, body: DecideBody) -> Decision:
    served = service.served  # once, so that one export makes all of the answer
    fields = body.fields
    question = Question.from_dict(fields) if fields else Question()
    policy = service.active_policy(served).for_request(served, question, fields.get("randomize"))
    if body.features is None and body.rows <= ROWS_AT_ONCE:
        return decide(served, body, policy)
    return await service.in_thread(
        lambda: decide(served, body, policy), service.settings.decide_seconds
    )


def _take_note(service: Service, decision: Decision, begun: float) -> None:
    rows, alarms = decision.n_rows, decision.n_alarms
    service.monitor.add(rows, alarms, decision.scores(), version=decision.served.version)
    service.metrics.rows.inc(rows)
    service.metrics.alarms.inc(alarms)
    service.metrics.seconds.observe(time.perf_counter() - begun)


def _parameter(about: QuestionField) -> dict[str, Any]:
    kind = {"type": "boolean"} if about.kind == "flag" else {"type": "string"}
    return {
        "name": about.name,
        "in": "query",
        "required": False,
        "schema": kind,
        "description": about.help,
        "example": about.example == "true" or about.example,
    }


@router.get(
    "/v1/best",
    **operation(
        "Show where the hybrid operates best",
        Best,
        examples.BEST,
        parameters=tuple(map(_parameter, Question.fields())),
    ),
)
async def get_best(
    request: Request, _role: Annotated[str, Depends(require("viewer", "caller", "operator"))]
) -> Response:
    """Return the best operating point for a question, typed field by field.

    Without fields it is the point in force. The answer also holds what would change if the
    question were put in force.
    """
    service: Service = request.app.state.service
    texts = read_query(request, [about.name for about in Question.fields()])
    question = Question.from_strings(texts)
    coin = question.randomize if "randomize" in texts else None
    return answer(await service.in_thread(lambda: best_document(service, question, coin)))


@router.get(
    "/v1/hull",
    **operation("Show the hull", Hull, examples.HULL, refusals=(400, 401, 403, 503)),
)
async def get_hull(
    request: Request, _role: Annotated[str, Depends(require("viewer", "operator"))]
) -> Response:
    """Return the hull that decisions come from."""
    return answer(request.app.state.service.served.hull_document)


@router.get(
    "/v1/health",
    **operation("Say whether all is well", Health, examples.HEALTH, refusals=(400, 503)),
)
async def get_health(request: Request) -> Response:
    """Return whether the service decides as it should; it needs no token."""
    service: Service = request.app.state.service
    problems = service.problems
    status = "degraded" if problems else "ok"
    version = service.served.version
    # without a token only that something is wrong is told, not what
    told = [problem.partition(":")[0] for problem in problems]
    return answer({"status": status, "library_version": version, "problems": told})


@router.get(
    "/metrics",
    **operation(
        "Numbers for Prometheus",
        None,
        examples.METRICS,
        kind="text/plain",
        refusals=(400, 401, 403, 503),
        response_class=Response,
    ),
)
async def get_metrics(
    request: Request, _role: Annotated[str, Depends(require("viewer", "operator"))]
) -> Response:
    """Return counters and gauges as text."""
    service: Service = request.app.state.service
    content = await service.in_thread(lambda: generate_latest(service.metrics.registry))
    return Response(content, headers={"Content-Type": CONTENT_TYPE})


@router.get("/", include_in_schema=False)
async def get_page(request: Request) -> Response:
    """Return the page."""
    return _page_file(request, "index.html")


@router.get("/page/{name}", include_in_schema=False)
async def get_page_file(request: Request, name: str) -> Response:
    """Return a file of the page."""
    return _page_file(request, name)


def _page_file(request: Request, name: str) -> Response:
    file = request.app.state.page.get(name)
    if file is None:
        raise ServiceError(404, "not_found", "there is no such page. Look at /.")
    return Response(file.content, media_type=file.kind)
