"""The public face: a few names on top, the others in namespaces, each written once."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import rocch
from tests.support.public import NAMESPACES, public_names

SOURCE = Path(rocch.__file__).parent


def test_every_public_name_loads_and_is_what_it_is_called() -> None:
    for name, found in public_names().items():
        assert found.__name__ == name.rpartition(".")[2]


def test_every_public_name_is_written_once() -> None:
    written = Counter(
        (stub.parent / node.module.replace(".", "/"), alias.name)
        for stub in SOURCE.rglob("__init__.pyi")
        for node in ast.parse(stub.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    )
    assert set(written.values()) == {1}
    assert len(written) == len(public_names())


def test_names_are_listed() -> None:
    for namespace in (rocch, *(getattr(rocch, name) for name in NAMESPACES)):
        assert namespace.__all__ == sorted(namespace.__all__)
        assert set(namespace.__all__) <= set(dir(namespace))


def test_few_names_stand_on_top() -> None:
    assert len([name for name in public_names() if name.count(".") == 1]) < 38


def test_a_function_is_not_hidden_by_the_module_of_its_name() -> None:
    from rocch.report import summarize

    assert rocch.report.summarize is summarize
