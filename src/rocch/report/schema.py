"""The published schema of the summary, made from its types.

Run `python -m rocch.report.schema` to print it; `docs/summary.schema.json` is its output.
"""

from __future__ import annotations

import json
import sys
import types
from dataclasses import fields, is_dataclass
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from rocch.report.many_classes.summary import ManyClassesSummary
from rocch.report.summary import Summary

PLAIN = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}


def summary_schema() -> dict[str, Any]:
    """Return the JSON schema that every summary keeps.

    Examples
    --------
    >>> import rocch
    >>> rocch.report.summary_schema()["title"]
    'Summary of a rocch report'
    """
    definitions: dict[str, Any] = {}
    either = [_schema(kind, definitions) for kind in (Summary, ManyClassesSummary)]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Summary of a rocch report",
        "oneOf": either,
        "$defs": dict(sorted(definitions.items())),
    }


def _schema(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a type; classes become definitions."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind in PLAIN:
        return {"type": PLAIN[kind]}
    if origin is Literal:
        return {"enum": list(inner)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [_schema(part, definitions) for part in inner]}
    if origin is tuple:
        return _array(inner, definitions)
    if origin is dict:
        return {"type": "object", "additionalProperties": _schema(inner[1], definitions)}
    if kind is Any:
        return {}
    if is_dataclass(kind):
        return _object(kind, definitions)
    if hasattr(kind, "_fields"):  # a named tuple is written as a list
        return _array(tuple(get_type_hints(kind).values()), definitions)
    raise TypeError(f"a summary cannot hold {kind}")


def _array(parts: tuple[Any, ...], definitions: dict[str, Any]) -> dict[str, Any]:
    if len(parts) == 2 and parts[1] is Ellipsis:
        return {"type": "array", "items": _schema(parts[0], definitions)}
    items = [_schema(part, definitions) for part in parts]
    size = {"minItems": len(items), "maxItems": len(items)}
    return {"type": "array", "prefixItems": items, **size}


def _object(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    name = kind.__name__
    if ".many_classes." in kind.__module__ and not name.startswith("Many"):
        name = f"Many{name}"
    if name not in definitions:
        definitions[name] = {}  # a place for itself, should it be part of itself
        hints = get_type_hints(kind)
        names = [field.name for field in fields(kind)]
        definitions[name] = {
            "description": str(kind.__doc__).split("\n", maxsplit=1)[0],
            "type": "object",
            "properties": {each: _schema(hints[each], definitions) for each in names},
            "required": names,
            "additionalProperties": False,
        }
    return {"$ref": f"#/$defs/{name}"}


def main() -> None:
    """Print the schema."""
    sys.stdout.write(json.dumps(summary_schema(), indent=1) + "\n")


if __name__ == "__main__":
    main()
