"""Warnings: all of ours have one root, and so can be silenced or made errors together."""

from __future__ import annotations

import inspect
import warnings
from pathlib import Path

import pytest

import rocch
from rocch import errors

OURS = [
    kind
    for _, kind in inspect.getmembers(errors, inspect.isclass)
    if issubclass(kind, Warning) and kind.__module__ == errors.__name__
]
SOURCE = Path(rocch.__file__).parent


@pytest.mark.parametrize("kind", OURS)
def test_every_warning_of_ours_has_one_root(kind: type[Warning]) -> None:
    assert issubclass(kind, rocch.RocchWarning)
    assert issubclass(kind, UserWarning)  # which whoever knows only Python's own may filter by
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rocch.RocchWarning)
        warnings.warn("silenced", kind, stacklevel=1)


@pytest.mark.parametrize("kind", OURS)
def test_tests_take_our_warnings_for_errors(kind: type[Warning]) -> None:
    with pytest.raises(kind, match="noticed"):
        warnings.warn("noticed", kind, stacklevel=1)


def test_warnings_of_others_break_no_test(recwarn: pytest.WarningsRecorder) -> None:
    said = {"__name__": "another.package", "warnings": warnings}
    exec("warnings.warn('soon', DeprecationWarning)", said)  # noqa: S102 - our own words
    assert [str(one.message) for one in recwarn] == ["soon"]


def test_what_python_says_of_our_own_code_is_an_error() -> None:
    said = {"__name__": "rocch.somewhere", "warnings": warnings}
    with pytest.raises(DeprecationWarning, match="soon"):
        exec("warnings.warn('soon', DeprecationWarning)", said)  # noqa: S102 - our own words


def test_no_warning_is_given_without_a_kind_of_ours() -> None:
    names = {kind.__name__ for kind in OURS}
    for file in sorted(SOURCE.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        for said in text.split("warnings.warn(")[1:]:
            assert any(name in said.partition("stacklevel=")[0] for name in names), file
