"""Feedback: what came of decisions, told by those who live with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from rocch.service.answers import answer
from rocch.service.bodies import read
from rocch.service.documents import FeedbackAnswer
from rocch.service.examples import FEEDBACK
from rocch.service.feedback import Feedback
from rocch.service.operations import OF_A_BODY, operation
from rocch.service.policy import check_rows
from rocch.service.schemas import FeedbackBody
from rocch.service.security import require

if TYPE_CHECKING:
    from rocch.service.policy import Service
    from rocch.service.store import FeedbackReceipt

FIELDS = ("event_id", "kind", "scores", "features", "outcomes", "propensities", "alarms")
Sender = Annotated[str, Depends(require("caller", "operator"))]

router = APIRouter()


@router.post(
    "/v1/feedback",
    **operation(
        "Tell what came of decisions",
        FeedbackAnswer,
        FEEDBACK,
        body=FeedbackBody,
        refusals=(*OF_A_BODY, 409),
    ),
)
async def post_feedback(request: Request, _role: Sender) -> Response:
    """Hear feedback; it is on the disk before it is answered, and counts once if sent again."""
    service: Service = request.app.state.service
    body = await read(request, FeedbackBody)
    if body.kind == "outcomes":
        check_rows(body, service.settings.max_rows)
    found = await service.in_thread(lambda: _record(service, body), service.settings.decide_seconds)
    return answer(found)


def _record(service: Service, body: Any) -> FeedbackReceipt:
    return service.tuner.record_feedback(service.served, service.policy, feedback_of(body))


def feedback_of(body: Any) -> Feedback:
    """Return what a body of any kind says."""
    said = {name: getattr(body, name) for name in FIELDS if hasattr(body, name)}
    complete = bool(getattr(body, "complete", None))
    capacity, times = getattr(body, "capacity", None), getattr(body, "times", 1)
    return Feedback(**said, complete=complete, capacity=capacity, times=times)
