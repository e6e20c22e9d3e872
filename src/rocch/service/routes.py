"""The routes of what the service decides: decide, best, hull, health, metrics, and the page."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from rocch.roc.question import Question
from rocch.service import examples
from rocch.service.answers import answer
from rocch.service.bodies import read
from rocch.service.deciding import Decision, aim_at, aim_by_fields, check_rows, decide
from rocch.service.documents import Best, Decided, Health, Hull
from rocch.service.drawing import draw_aim
from rocch.service.errors import ServiceError
from rocch.service.metrics import CONTENT_TYPE
from rocch.service.operations import OF_A_BODY, operation
from rocch.service.page_facts import preview_of
from rocch.service.queries import read_query
from rocch.service.schemas import DecideBody
from rocch.service.security import require
from rocch.service.status import Status, assumed_prevalence, rule_facts
from rocch.service.steering import own_rule

if TYPE_CHECKING:
    from rocch.roc.question_fields import QuestionField
    from rocch.service.service import Service

ROWS_AT_ONCE = 20_000
"""So many rows of scores are decided in a few milliseconds; more would make others wait."""

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
    document = decision.document()
    if service.audit is not None:
        service.audit.write(_audit_record(decision, document, role))
    _take_note(service, decision, begun)
    return answer(document)


async def _decided(service: Service, body: DecideBody) -> Decision:
    served = service.served  # once, so that one export makes all of the answer
    in_force = service.aim_in_force(served)
    aimed = aim_by_fields(served, body.fields, in_force)
    if body.features is None and body.rows <= ROWS_AT_ONCE:
        return decide(served, body, aimed)
    return await service.in_thread(
        lambda: decide(served, body, aimed), service.settings.decide_seconds
    )


def _take_note(service: Service, decision: Decision, begun: float) -> None:
    rows, alarms = decision.rows, decision.alarmed
    service.monitor.decided(rows, alarms, decision.scores(), version=decision.served.version)
    service.metrics.rows.inc(rows)
    service.metrics.alarms.inc(alarms)
    service.metrics.seconds.observe(time.perf_counter() - begun)


def _audit_record(decision: Decision, document: dict[str, Any], role: str) -> dict[str, Any]:
    rule = decision.aimed.rule
    same = ("decided_at", "decision_id", "rows", "alarms", "decisions", "coin", "library", "aim")
    record = {name: document[name] for name in same}
    whole = {"words": rule.words, "sha256": rule.digest, "document": rule.document}
    return record | {"aim_words": decision.aimed.words, "role": role, "rule": whole}


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
    return answer(await service.in_thread(lambda: _best_document(service, question, coin)))


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
    content = await service.in_thread(lambda: _metrics(service))
    return Response(content, headers={"Content-Type": CONTENT_TYPE})


def _metrics(service: Service) -> bytes:
    status = Status(service)
    return service.metrics.show(
        estimated_prevalence=status.prevalence.estimated,
        library_version=service.served.version,
        library_pending=float(service.not_taken is not None),
        aim_id=status.aim.id or 0,
        feedback_events=service.records.events(),
        warnings=len(status.warnings()),
    )


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


def _best_document(service: Service, question: Question, coin: bool | None) -> dict[str, Any]:
    """Return the best point for a question; for an empty one, that in force.

    It may estimate costs on new rows, so it is made in a thread of its own.
    """
    served, aim = service.served, service.aiming.record
    in_force = service.aiming.in_force(served, aim)
    aimed = aim_at(served, question, coin, in_force)
    rule = served.aimed(in_force.aim, randomize=in_force.randomize)
    usual = assumed_prevalence(served, aim.question, own_rule(served, aim))
    asked = question or aim.question
    assumed = assumed_prevalence(served, asked, aimed.rule) if question else usual
    then = rule_facts(served, aimed.rule, assumed or usual)
    return {
        "question": question.to_dict() if question else None,
        "words": aimed.words,
        "point": then["point"],
        "counts": then["counts"],
        "drawing": draw_aim(served.hull, asked or in_force.aim),
        "preview": preview_of(rule_facts(served, rule, usual), then, (aim.question, asked)),
        "rule": aimed.rule.document,
        "library": served.identity,
        "aim": aimed.origin,
    }
