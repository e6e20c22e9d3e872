"""The OpenAPI description: what FastAPI knows, and the bodies that this service reads itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi.openapi.utils import get_openapi
from pydantic import TypeAdapter

import rocch
from rocch.service.operations import COMPONENT
from rocch.service.schemas import ROWS

if TYPE_CHECKING:
    from fastapi import FastAPI

DESCRIPTION = """Decides rows by the ROC convex hull of many classifiers, as conditions demand.

Every decision says which rule made it and which export of the library it came from. Intervals are
written `[low, high]` in bodies and `LOW..HIGH` in queries; infinite numbers are the text "inf".
A viewer reads, a caller decides and gives feedback, an operator may do everything."""


def document(app: FastAPI) -> dict[str, Any]:
    """Return the description of a service, with its own limits."""
    told = get_openapi(
        title="rocch", version=rocch.__version__, description=DESCRIPTION, routes=app.routes
    )
    schemas: dict[str, Any] = told["components"]["schemas"]
    for path in told["paths"].values():
        for operation in path.values():
            _describe_body(operation, schemas)
    limited: dict[str, Any] = _with_rows(told, app.state.service.settings.max_rows)
    return limited


def _describe_body(operation: dict[str, Any], schemas: dict[str, Any]) -> None:
    """Write the model of a body as a schema, and add the parts that it refers to."""
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if not content or "x-model" not in content["schema"]:
        return
    model = content["schema"]["x-model"]
    schema = TypeAdapter(model).json_schema(ref_template=COMPONENT)
    schemas.update(schema.pop("$defs", {}))
    examples = schema.get("examples", [])
    if isinstance(model, type):
        schemas[model.__name__] = schema
        schema = {"$ref": COMPONENT.format(model=model.__name__)}
    else:
        examples = [each for ref in schema["oneOf"] for each in _examples(ref["$ref"], schemas)]
    named = {str(place): {"value": value} for place, value in enumerate(examples, 1)}
    operation["requestBody"]["content"]["application/json"] = {"schema": schema, "examples": named}


def _examples(reference: str, schemas: dict[str, Any]) -> list[Any]:
    examples: list[Any] = schemas[reference.rpartition("/")[2]].get("examples", [])
    return examples


def _with_rows(value: Any, most: int) -> Any:
    """Return the description with the service's own limit on rows."""
    if isinstance(value, dict):
        own = {"maxItems": most} if value.get("maxItems") == ROWS["maxItems"] else {}
        return {name: _with_rows(item, most) for name, item in value.items()} | own
    return [_with_rows(item, most) for item in value] if isinstance(value, list) else value
