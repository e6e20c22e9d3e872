"""Feedback: what came of decisions, told by those who live with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from anyio import fail_after, to_thread
from fastapi import APIRouter, Depends
from starlette.requests import Request  # noqa: TC002 - FastAPI reads the annotation
from starlette.responses import Response  # noqa: TC002

from rocch.service.answers import answer
from rocch.service.bodies import ServiceError, read
from rocch.service.conflict import ConflictError
from rocch.service.documents import FeedbackAnswer
from rocch.service.feedback import Feedback
from rocch.service.operations import OF_A_BODY, operation
from rocch.service.schemas import FeedbackBody
from rocch.service.security import require

if TYPE_CHECKING:
    from rocch.service.events import Answer
    from rocch.service.service import Service

ANSWER = {
    "event_id": "monday",
    "duplicate": False,
    "reaction": {
        "words": "stayed at 0.475: evidence 1.8 for left, 0.2 for right, 40 needed",
        "feedback": "load",
        "made_at": 0.475,
        "counted": True,
        "moved": 0.0,
        "position": 0.475,
        "step": 0.1,
        "for_left": 1.8,
        "for_right": 0.2,
        "why": "evidence 1.8 for left, 0.2 for right, 40 needed",
    },
    "stored_at": "2026-03-02T17:00:01.234Z",
}
FIELDS = ("event_id", "kind", "scores", "features", "outcomes", "propensities", "alarms")
Sender = Annotated[str, Depends(require("caller", "operator"))]

router = APIRouter()


@router.post(
    "/v1/feedback",
    **operation(
        "Tell what came of decisions",
        FeedbackAnswer,
        ANSWER,
        body=FeedbackBody,
        refusals=(*OF_A_BODY, 409),
    ),
)
async def post_feedback(request: Request, _role: Sender) -> Response:
    """Hear feedback. It is answered once it is on the disk; the same event again changes nothing."""
    service: Service = request.app.state.service
    body = await read(request, FeedbackBody)
    _check_rows(body, service.settings.max_rows)
    try:
        with fail_after(service.settings.decide_seconds):
            told = await to_thread.run_sync(_hear, service, body, abandon_on_cancel=True)
    except ConflictError as error:
        raise ServiceError(409, "conflict", str(error), error.argument) from None
    except TimeoutError:
        raise ServiceError(
            503,
            "timeout",
            f"feedback must be weighed within {service.settings.decide_seconds:g} s; it was not. "
            "Send the same event again: it counts once, whether it was stored or not.",
        ) from None
    return answer(told.to_dict())


def _hear(service: Service, body: Any) -> Answer:
    return service.tuning.hear(service.served, service.aiming.record, feedback_of(body))


def feedback_of(body: Any) -> Feedback:
    """Return what a body of any kind says."""
    said = {name: getattr(body, name) for name in FIELDS if hasattr(body, name)}
    complete = bool(getattr(body, "complete", None))
    capacity, times = getattr(body, "capacity", None), getattr(body, "times", 1)
    return Feedback(**said, complete=complete, capacity=capacity, times=times)


def _check_rows(body: Any, most: int) -> None:
    rows = getattr(body, "rows", 0)
    if rows > most:
        raise ServiceError(
            413,
            "too_many_rows",
            f"feedback must have at most {most} rows; got {rows}. Send it as several events.",
            "scores" if body.features is None else "features",
        )
