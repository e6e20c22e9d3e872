"""The aim in force, its history, and how an operator changes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from rocch.errors import InputError
from rocch.roc.question import Question
from rocch.service.aim_record import AimRecord
from rocch.service.aim_table import LAST
from rocch.service.answers import answer
from rocch.service.bodies import read
from rocch.service.documents import AimedDocument, ConditionsDocument
from rocch.service.examples import AIMED, CONDITIONS
from rocch.service.operations import OF_A_BODY, operation
from rocch.service.queries import read_query, read_whole
from rocch.service.records import ANY
from rocch.service.schemas import AimBody
from rocch.service.security import require
from rocch.service.served import now
from rocch.service.steering import own_rule, started
from rocch.service.wording import rates

if TYPE_CHECKING:
    from rocch.service.records import Replaces
    from rocch.service.served import AimedRule
    from rocch.service.service import Service

LIMIT, MOST = 100, 1000
"""So many aims are shown unless another number is asked for, and the most that can be."""

LIMITED = {
    "name": "limit",
    "in": "query",
    "description": "How many aims to show.",
    "schema": {"type": "integer", "minimum": 1, "maximum": MOST, "default": LIMIT},
}
BEFORE = {
    "name": "before",
    "in": "query",
    "description": "Show only aims with smaller ids: the oldest one seen leads to the page before.",
    "schema": {"type": "integer", "minimum": 1, "maximum": LAST},
}
Operator = Annotated[str, Depends(require("operator"))]

router = APIRouter()


@router.get(
    "/v1/conditions",
    **operation(
        "The aim in force, and those before it",
        ConditionsDocument,
        CONDITIONS,
        parameters=(LIMITED, BEFORE),
    ),
)
async def get_conditions(request: Request, _role: Operator) -> Response:
    """Return what the service aims at, and what it aimed at before, the newest first."""
    service: Service = request.app.state.service
    texts = read_query(request, ("limit", "before"))
    limit = read_whole(texts.get("limit", str(LIMIT)), "limit", MOST)
    before = read_whole(texts.get("before", str(LAST)), "before", LAST)
    return answer(await service.in_thread(lambda: _history(service, limit, before)))


@router.put(
    "/v1/conditions",
    **operation(
        "Aim anew",
        AimedDocument,
        AIMED,
        body=AimBody,
        refusals=(*OF_A_BODY, 409),
    ),
)
async def put_conditions(request: Request, _role: Operator) -> Response:
    """Aim anew, for all decisions from now on; it is recorded, and outlives the service."""
    service: Service = request.app.state.service
    body: AimBody = await read(request, AimBody)
    aim, rule = await service.in_thread(lambda: put_aim(service, body))
    point = rule.point_document
    message = f"Put in force: {aim.words}. {rates(point)}."
    return answer({"current": aim.to_dict(), "point": point, "message": message})


def _history(service: Service, limit: int, before: int) -> dict[str, Any]:
    return {
        "current": service.aiming.record.to_dict(),
        "history": [aim.to_dict() for aim in service.records.history(limit, before=before)],
        "total": service.records.aims(),
    }


def put_aim(service: Service, body: AimBody) -> tuple[AimRecord, AimedRule]:
    """Try an aim on the export that decides now; only what it can meet is recorded."""
    question = Question.from_dict(body.fields)
    if not question:
        raise InputError(
            "question",
            "state what to aim at",
            question.describe() or "nothing",
            "For example: {example}.",
            example='{"prevalence": 0.1, "false_positive": 1, "false_negative": 25}',
        )
    aim = AimRecord(question=question, tuning=body.tuning, note=body.note, by=body.by, at=now())
    replaces: Replaces = body.replaces if "replaces" in body.model_fields_set else ANY
    with service.changing:  # so that no other export takes over between the trial and the record
        served = service.served
        rule = own_rule(served, aim)
        if aim.tuning != "off":
            started(served, aim)  # refuses what a tuner could not start from
        return service.records.put_aim(aim, replaces=replaces), rule
