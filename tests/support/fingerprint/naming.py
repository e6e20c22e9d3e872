"""Public names by what they were called before anything moved."""

from __future__ import annotations

import importlib
import tomllib
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

NAMES = Path(__file__).with_name("names.toml")
ROOT = "rocch"

TOUCHED: set[str] = set()
"""The old names that were asked for, and those of the classes of results that were met."""


@cache
def moves() -> dict[str, str]:
    """Return where names went: the old dotted name, and the new one."""
    table: dict[str, str] = tomllib.loads(NAMES.read_text()).get("public", {})
    return table


@cache
def fields() -> dict[str, list[str]]:
    """Return what fields of results are called now, by their earlier names."""
    table: dict[str, list[str]] = tomllib.loads(NAMES.read_text()).get("fields", {})
    return table


@cache
def old_names() -> tuple[str, ...]:
    """Return all public names, as they were at the top of the package before."""
    old = [name.removeprefix(f"{ROOT}.") for name in moves()]
    arrived = set(moves().values())
    package = importlib.import_module(ROOT)
    stayed = [
        name
        for name in package.__all__
        if f"{ROOT}.{name}" not in arrived and not isinstance(getattr(package, name), ModuleType)
    ]
    return tuple(sorted({*old, *stayed}))


@cache
def resolved(name: str) -> Any:
    """Return what an old name means now, wherever it is."""
    dotted = moves().get(f"{ROOT}.{name}", f"{ROOT}.{name}").split(".")
    for end in range(
        len(dotted) - 1, 0, -1
    ):  # the name itself is no module, though one may be alike
        try:
            found: Any = importlib.import_module(".".join(dotted[:end]))
        except ModuleNotFoundError:
            continue
        for part in dotted[end:]:
            found = getattr(found, part)
        return found
    raise ModuleNotFoundError(".".join(dotted))


def public(name: str) -> Any:
    """Return what an old name means now, and remember that it was asked for."""
    TOUCHED.add(name)
    return resolved(name)


@cache
def public_classes() -> dict[type, str]:
    """Return all public classes, with their old names."""
    found = {name: resolved(name) for name in old_names()}
    return {kind: name for name, kind in found.items() if isinstance(kind, type)}


def old_name(kind: type) -> str:
    """Return the old public name of a class, or of the nearest of its bases that has one."""
    names = public_classes()
    return next((names[base] for base in kind.__mro__ if base in names), kind.__name__)


class PublicNames:
    """The package as it was: `rocch.RocHull` is `public("RocHull")`."""

    def __getattr__(self, name: str) -> Any:
        return public(name)


rocch = PublicNames()
