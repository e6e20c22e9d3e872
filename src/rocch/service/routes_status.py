"""The status: what the page shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from rocch import __version__
from rocch.service.answers import answer
from rocch.service.documents import StatusDocument
from rocch.service.examples import AIM, COUNTS, DRAWING, LIBRARY, POINT
from rocch.service.operations import operation
from rocch.service.security import require
from rocch.service.served import now
from rocch.service.status import Status

if TYPE_CHECKING:
    from rocch.service.policy import Service

EXAMPLE: dict[str, Any] = {
    "role": "operator",
    "rocch": __version__,
    "now": "2026-03-02T09:00:00.000Z",
    "started_at": "2026-03-01T06:00:00.000Z",
    "library": {
        **LIBRARY,
        "exported_at": "2026-02-27T16:20:00.000Z",
        "loaded_at": "2026-03-01T06:00:00.100Z",
        "note": "spring models",
        "classifiers": ["gbm", "nb"],
        "judged": {"negatives": 4200, "positives": 800},
        "takes_features": False,
        "pending": None,
    },
    "aim": AIM,
    "in_force": {
        "source": "operator",
        "point": POINT,
        "counts": COUNTS,
        "drawing": DRAWING,
        "rule": "predict 1 when nb >= 0.6",
        "sql": 'CASE WHEN "nb" >= 0.6 THEN 1 WHEN NOT ("nb" >= 0.6) THEN 0 END',
    },
    "decisions": {
        "total": 5200,
        "alarms": 1040,
        "requests": 52,
        "per_minute": [0] * 58 + [2400, 2800],
        "alarms_per_minute": [0] * 58 + [480, 560],
    },
    "prevalence": {
        "assumed": [0.1, 0.1],
        "estimated": 0.16,
        "interval": [0.14, 0.18],
        "rows": 5000,
        "model": "nb",
        "problem": None,
    },
    "feedback": {
        "events": 1,
        "recent": [
            {
                "at": "2026-03-01T17:00:01.234Z",
                "event_id": "sunday",
                "kind": "load",
                "rows": 0,
                "words": "stored, not weighed",
                "moved": 0.0,
            }
        ],
        "observed": None,
    },
    "tuner": None,
    "warnings": [
        {
            "code": "prevalence_left",
            "message": "The estimated prevalence left your assumption: 0.16 (0.14 to 0.18) by the "
            "scores of nb on the last 5000 rows, and you assumed 0.1.",
        }
    ],
    "page": {
        "title": "(1) rocch service",
        "parts": {
            "sentence": ["Predict 1 when nb >= 0.6."],
            "facts": [["dt", {}, "Hits (TPR)"], ["dd", {}, "80 %", {"small": "of the positives"}]],
        },
    },
}
Reader = Annotated[str, Depends(require("viewer", "operator"))]

router: APIRouter = APIRouter()


@router.get("/v1/status", **operation("Everything that the page shows", StatusDocument, EXAMPLE))
async def get_status(request: Request, role: Reader) -> Response:
    """Return what the service does, what it noticed, and what calls for attention."""
    service: Service = request.app.state.service
    return answer(await service.in_thread(lambda: Status(service).document(role, now())))
