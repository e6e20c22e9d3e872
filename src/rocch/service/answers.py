"""Answers as JSON: written once, in UTF-8, with infinite numbers as the text "inf"."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from pydantic_core import to_json
from starlette.responses import Response

if TYPE_CHECKING:
    from collections.abc import Mapping

JSON = "application/json"


def answer(document: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a document, which must hold plain data and no infinite numbers, as an answer."""
    return Response(to_json(document), status, headers, media_type=JSON)


def plain(value: Any) -> Any:
    """Return a value as JSON knows it; infinite numbers become text.

    Examples
    --------
    >>> from rocch.service.answers import plain
    >>> plain({"low": 0.5, "high": float("inf"), "names": ("nb",)})
    {'low': 0.5, 'high': 'inf', 'names': ['nb']}
    """
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value


def json_text(value: Any) -> str:
    """Return a value as its sender wrote it, for messages: null, true, "text".

    Examples
    --------
    >>> from rocch.service.answers import json_text
    >>> json_text([None, True, "déjà", float("inf")])
    '[null, true, "déjà", "inf"]'
    """
    return json.dumps(plain(value), ensure_ascii=False, default=repr)
