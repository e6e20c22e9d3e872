"""Progress in terminals, notebooks and logs."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from rocch import InputError, progress
from rocch.progress import track


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the time, which a test sets."""
    now = [0.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    return now


def test_nothing_is_shown_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    with track("Working", 0, 3) as step:
        step(1, 3)
        step.advance()
    assert (step.done, step.total) == (2, 3)
    assert capsys.readouterr() == ("", "")


def test_a_log_gets_one_line_at_the_end(
    capsys: pytest.CaptureFixture[str], clock: list[float]
) -> None:
    with track("Working", 1) as step:
        for done in range(1, 1001):
            clock[0] += 0.1
            step(done, 1000)
    assert capsys.readouterr() == ("", "Working: 1,000 done in 1 min 40 s\n")


def test_a_terminal_rewrites_its_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, clock: list[float]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with track("Working", True, 4) as step:
        clock[0] = 3.0
        step(1, 4)
        clock[0] = 3.05
        step(2, 4)  # too soon after the one before
        clock[0] = 12.0
        step(4, 4)
    shown = capsys.readouterr().err
    assert shown.count("\n") == 1
    lines = [line.rstrip() for line in shown.rstrip("\n").split("\r")[1:]]
    assert lines == [
        f"Working {'░' * 24} 0 of 4",
        f"Working {'█' * 6}{'░' * 18} 1 of 4, 9.0 s left",
        f"Working {'█' * 24} 4 of 4",
        "Working: 4 done in 12.0 s",
    ]
    widths = [len(line) for line in shown.rstrip("\n").split("\r")[1:]]
    assert widths[3] >= len(lines[2])  # the rest of a longer line is written over


def test_a_notebook_replaces_its_output(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, clock: list[float]
) -> None:
    shown: list[str] = []
    handle = SimpleNamespace(update=lambda bundle, **_: shown.append(bundle["text/plain"]))

    def display(bundle: dict[str, str], **options: Any) -> SimpleNamespace:
        assert options == {"raw": True, "display_id": True}
        shown.append(bundle["text/plain"])
        return handle

    python, pages = ModuleType("IPython"), ModuleType("IPython.display")
    python.get_ipython = lambda: SimpleNamespace(kernel=1)  # type: ignore[attr-defined]
    pages.display = display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", python)
    monkeypatch.setitem(sys.modules, "IPython.display", pages)
    with track("Working", 1) as step:
        clock[0] = 7500.0
        step(5, 10)
    assert shown[1:] == [
        f"Working {'█' * 12}{'░' * 12} 5 of 10, 2 h 5 min left",
        "Working: 5 done in 2 h 5 min",
    ]
    assert capsys.readouterr() == ("", "")


def test_a_function_gets_what_is_done() -> None:
    seen: list[tuple[int, int]] = []
    with track("Working", lambda done, total: seen.append((done, total)), 2) as step:
        step.advance()
        step.advance(5)
    assert seen == [(1, 2), (2, 2)]


def test_work_that_fails_ends_its_line(
    capsys: pytest.CaptureFixture[str], clock: list[float]
) -> None:
    def fail() -> None:
        with track("Working", 1, 3) as step:
            clock[0] = 2.0
            step.advance()
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert capsys.readouterr().err == "Working: stopped after 1 of 3 in 2.0 s\n"


@pytest.mark.parametrize("wrong", [-1, "loud", 1.5, None])
def test_other_values_are_refused(wrong: Any) -> None:
    with pytest.raises(InputError, match="verbose must be 0, 1, or a function"), track("", wrong):
        pass
