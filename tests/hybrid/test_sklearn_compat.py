"""What is private in scikit-learn is imported in one module alone."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import rocch
from rocch.hybrid import _sklearn_compat

SOURCE = Path(rocch.__file__).parent


def private_imports(file: Path) -> list[str]:
    return [
        f"{node.module}.{alias.name}"
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sklearn")
        for alias in node.names
        if "._" in f"{node.module}.{alias.name}"
    ]


def test_no_other_module_imports_what_is_private() -> None:
    found = {file.name: private_imports(file) for file in SOURCE.rglob("*.py")}
    assert {name: private for name, private in found.items() if private} == {}


@pytest.mark.parametrize("name", _sklearn_compat.HOMES)
def test_the_installed_scikit_learn_has_every_name(name: str) -> None:
    assert getattr(_sklearn_compat, name).__name__ == name


def test_other_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="has no attribute '_nothing'"):
        _ = _sklearn_compat._nothing
