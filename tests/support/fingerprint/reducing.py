"""Results as JSON: their numbers, names and rules, without types, modules and wording."""

from __future__ import annotations

import dataclasses
import enum
import hashlib
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from fractions import Fraction
from functools import cached_property
from pathlib import PurePath
from typing import Any

import numpy as np

from .naming import TOUCHED, old_name, public_classes, resolved

WORDING = frozenset(
    [
        "assumed",
        "belief",
        "description",
        "discarded_",
        "made",
        "meaning",
        "measured",
        "note",
        "objective",
        "promise",
        "reason",
        "remark",
        "remarks",
        "rocch",
        "rule",
        "cost_text",
        "prevalence_text",
        "sentence",
        "title",
        "verdict",
        "warnings",
        "where",
        "why",
        "within",
        "words",
    ]
)
"""Fields whose texts say something to people; they may be worded otherwise. Other values stay."""

PASSING = frozenset(["added_at", "at", "created_at", "left_at", "path", "sha256"])
"""Fields whose texts are of this run only: times, files, and digests of files with times."""

MEASURED = frozenset(["seconds_per_row", "seconds_per_row_"])
"""Fields that no two runs share."""

COSTLY = frozenset({("RocSurface", "members"), ("CostCurve", "members")})
"""Properties that are too large to be written for every result that holds one, or endless."""

DEEPEST = 12


def reduce(value: Any, depth: int = 0) -> Any:
    """Return a result as what JSON can hold; floats as they are, since JSON keeps them exactly."""
    if value is None or isinstance(value, bool | str):
        return value
    if depth > DEEPEST:
        raise RecursionError(f"a result holds itself, or is deeper than {DEEPEST}: {value!r:.200}")
    if isinstance(value, np.generic):
        return reduce(value.item(), depth) if value.dtype.kind != "V" else str(value)
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, int | float):
        return value
    return _composed(value, depth + 1)


def _composed(value: Any, depth: int) -> Any:
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    if isinstance(value, bytes):
        return hashlib.sha256(value).hexdigest()
    if isinstance(value, PurePath):
        return value.name
    if isinstance(value, np.ndarray):
        return _array(value, depth)
    if hasattr(value, "_asdict"):
        return {**_record(value._asdict(), depth), **_properties(value, depth)}
    if isinstance(value, Mapping):
        return _record(value, depth)
    if isinstance(value, range):
        return [value.start, value.stop, value.step]
    if isinstance(value, tuple | list | Iterator):
        return [reduce(each, depth) for each in value]
    if isinstance(value, AbstractSet):
        return sorted((reduce(each, depth) for each in value), key=repr)
    if isinstance(value, type) or callable(value):
        return "callable"
    return _object(value, depth)


def _array(value: np.ndarray[Any, Any], depth: int) -> Any:
    flat = value.ravel().tolist()
    if value.dtype.kind == "b":
        return {"bits": "".join("01"[each] for each in flat), "shape": list(value.shape)}
    if value.dtype.kind == "O":
        flat = [reduce(each, depth) for each in flat]
    return {"kind": value.dtype.kind, "shape": list(value.shape), "values": flat}


def _record(given: Mapping[Any, Any], depth: int) -> dict[str, Any]:
    """Reduce names and values, without private ones and wording."""
    return {
        _key(name): reduce(_unworded(name, each), depth)
        for name, each in given.items()
        if not (isinstance(name, str) and _is_left_out(name, each))
    }


def _unworded(name: Any, value: Any) -> Any:
    """Return what is left of texts by name: the names."""
    return (
        sorted(value) if name in WORDING and isinstance(value, dict) and _is_texts(value) else value
    )


def _is_texts(value: dict[Any, Any]) -> bool:
    return all(isinstance(each, str) for each in value.values())


def _key(name: Any) -> str:
    return name if isinstance(name, str) else repr(reduce(name))


def _is_left_out(name: str, value: Any) -> bool:
    if name.startswith("_") or name in MEASURED:
        return True
    parts = value if isinstance(value, tuple | list) else [value]
    is_text = all(isinstance(each, str | PurePath) for each in parts)
    return is_text and (name in WORDING or name in PASSING)


def _object(value: Any, depth: int) -> dict[str, Any]:
    """Reduce the public attributes of an object; for public classes also their properties."""
    kind = type(value)
    if not kind.__module__.startswith("rocch"):
        return _foreign(value, depth)
    if dataclasses.is_dataclass(value):
        attributes = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    elif hasattr(kind, "get_params"):
        attributes = _fitted(value)
    else:
        attributes = vars(value)
    written = {"to_dict()": value.to_dict()} if hasattr(value, "to_dict") else {}
    return {
        **_record({**attributes, **written}, depth),
        **_properties(value, depth),
    }


def _fitted(estimator: Any) -> dict[str, Any]:
    """Return what an estimator learned; the models that it learned from are others' results."""
    return {
        name: each
        for name, each in vars(estimator).items()
        if name.endswith("_") and "estimators" not in name
    }


def _foreign(value: Any, depth: int) -> dict[str, Any]:
    """Return the numbers that another library's object learned."""
    kinds = (bool, int, float, str, np.generic, np.ndarray)
    learned = {
        name: each
        for name, each in getattr(value, "__dict__", {}).items()
        if name.endswith("_") and isinstance(each, kinds)
    }
    return _record(learned, depth)


def _properties(value: Any, depth: int) -> dict[str, Any]:
    kinds = public_classes()
    found: dict[str, Any] = {}
    for base in reversed(type(value).__mro__):
        if base in kinds:
            TOUCHED.add(kinds[base])
    if type(value) not in kinds:
        return found
    name_of_class = kinds[type(value)]
    for name in dir(type(value)):
        member = getattr(type(value), name, None)
        is_property = isinstance(member, property | cached_property)
        if name.startswith("_") or not is_property or (name_of_class, name) in COSTLY:
            continue
        try:
            each = outcome(getattr, value, name)
        except AttributeError:  # as scikit-learn says that there is nothing to be said
            continue
        if each is not value and not _is_left_out(name, each):
            found[name] = reduce(each, depth)
    return found


def if_there(value: Any, method: str, *given: Any) -> Any:
    """Ask a method that not every model has."""
    return outcome(getattr(value, method), *given) if hasattr(value, method) else None


def outcome(ask: Callable[..., Any], *given: Any, **named: Any) -> Any:
    """Return an answer, or which of our errors came instead."""
    try:
        return ask(*given, **named)
    except resolved("RocchError") as error:
        name = old_name(type(error))
        TOUCHED.add(name)
        return {"raises": name}
