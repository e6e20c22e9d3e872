"""The aim in force, its history, and how an operator changes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from rocch.errors import InputError
from rocch.roc.question import Question
from rocch.service.answers import answer
from rocch.service.bodies import read
from rocch.service.documents import AimedDocument, ConditionsDocument
from rocch.service.examples import AIMED, CONDITIONS
from rocch.service.operations import OF_A_BODY, operation
from rocch.service.page import write_rates
from rocch.service.queries import read_query, read_whole
from rocch.service.schemas import AimBody
from rocch.service.security import require
from rocch.service.served import now
from rocch.service.store import ANY, LAST, Policy

if TYPE_CHECKING:
    from rocch.service.policy import Service
    from rocch.service.served import AimedRule
    from rocch.service.store import Replaces

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
    policy, rule = await service.in_thread(lambda: put_policy(service, body))
    point = rule.point_document
    message = f"Put in force: {policy.words}. {write_rates(point)}."
    return answer({"current": policy.to_dict(), "point": point, "message": message})


def _history(service: Service, limit: int, before: int) -> dict[str, Any]:
    return {
        "current": service.policy.to_dict(),
        "history": [policy.to_dict() for policy in service.store.history(limit, before=before)],
        "total": service.store.count_policies(),
    }


def put_policy(service: Service, body: AimBody) -> tuple[Policy, AimedRule]:
    """Put the policy of a body in force."""
    question = Question.from_dict(body.fields)
    if not question:
        raise InputError(
            "question",
            "state what to aim at",
            question.describe() or "nothing",
            "For example: {example}.",
            example='{"prevalence": 0.1, "false_positive": 1, "false_negative": 25}',
        )
    policy = Policy(question=question, tuning=body.tuning, note=body.note, by=body.by, at=now())
    replaces: Replaces = body.replaces if "replaces" in body.model_fields_set else ANY
    return service.put_policy(policy, replaces)
