"""The OpenAPI description: what FastAPI knows, and the bodies that this service reads itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic import TypeAdapter

import rocch
from rocch.service.operations import COMPONENT
from rocch.service.schemas import BODIES, ROWS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapi import APIRouter, FastAPI

DESCRIPTION = """Decides rows by the ROC convex hull of many classifiers, as conditions demand.

Every decision says which rule made it and which export of the library it came from. Intervals are
written `[low, high]` in bodies and `LOW..HIGH` in queries; infinite numbers are the text "inf".
A viewer reads, a caller decides and gives feedback, an operator may do everything."""


def document(app: FastAPI, routers: Sequence[APIRouter]) -> dict[str, Any]:
    """Return the description of a service, with its own limits."""
    told = get_openapi(
        title="rocch", version=rocch.__version__, description=DESCRIPTION, routes=app.routes
    )
    schemas: dict[str, Any] = told["components"]["schemas"]
    for name, model in BODIES.items():
        schema = TypeAdapter(model).json_schema(ref_template=COMPONENT)
        schemas.update(schema.pop("$defs", {}))
        schemas[name] = schema
    limited: dict[str, Any] = _with_rows(told, app.state.service.settings.max_rows)
    for router in routers:
        _keep_nulls(limited, router)
    return limited


def _keep_nulls(told: dict[str, Any], router: APIRouter) -> None:
    """Write the examples of answers anew, because FastAPI leaves out what is null in them."""
    for route in router.routes:
        if not isinstance(route, APIRoute) or not route.include_in_schema:
            continue
        for method in route.methods or ():
            answers = told["paths"][route.path][method.lower()]["responses"]
            for status, answer in route.responses.items():
                for kind, content in answer["content"].items():
                    answers[str(status)]["content"][kind]["example"] = content["example"]


def _with_rows(value: Any, most: int) -> Any:
    """Return the description with the service's own limit on rows."""
    if isinstance(value, dict):
        own = {"maxItems": most} if value.get("maxItems") == ROWS["maxItems"] else {}
        return {name: _with_rows(item, most) for name, item in value.items()} | own
    return [_with_rows(item, most) for item in value] if isinstance(value, list) else value
