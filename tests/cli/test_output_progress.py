"""Progress on standard error, where somebody looks at it, and a quiet end."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner

from rocch.cli import output
from rocch.cli.main import cli
from rocch.cli.output import is_shown, passing, working

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result


def ran(*typed: object) -> Result:
    result = CliRunner().invoke(cli, [*map(str, typed)], catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    return result


def look_like_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Patch standard error; to be called in the test itself, as capturing puts its own there."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")


def test_progress_is_shown_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_shown()
    look_like_a_terminal(monkeypatch)
    assert is_shown()


@pytest.mark.parametrize("as_json", [True, False])
def test_json_keeps_it_silent(monkeypatch: pytest.MonkeyPatch, as_json: bool) -> None:
    look_like_a_terminal(monkeypatch)
    with click.Context(cli) as context:
        context.params["as_json"] = as_json
        assert is_shown() is not as_json


def test_elsewhere_nothing_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with working("Reading") as step:
        step(1, 2)
    assert capsys.readouterr() == ("", "")


def test_what_is_done_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    look_like_a_terminal(monkeypatch)
    with working("Reading [red]x.csv") as step:
        step(0, 0)
        step(1, 2)
    out, err = capsys.readouterr()
    assert out == ""
    assert "Reading [red]x.csv" in err
    assert "50%" in err


LONG_WORK = {
    "reading": ("hull", (), "Reading"),
    "the hull": ("hull", (), "Building the hull"),
    "resamples": ("compare", ("--prevalence", "0.3", "--cost-ratio", "2..8"), "Drawing the rows"),
    "out of sample": (
        "best",
        ("--false-positive", "1", "--false-negative", "3", "--out-of-sample"),
        "Comparing the choice",
    ),
}


@pytest.mark.parametrize(("name", "options", "told"), LONG_WORK.values(), ids=LONG_WORK.keys())
def test_long_work_tells_how_far_it_is(
    scores_csv: Path, name: str, options: tuple[str, ...], told: str
) -> None:
    silent = ran(name, scores_csv, "--label", "y", *options)
    assert silent.stderr == ""
    shown = ran(name, scores_csv, "--label", "y", *options, "--progress")
    assert shown.stdout == silent.stdout
    assert told in shown.stderr
    assert "100%" in shown.stderr  # of the reading, if of nothing else
    assert ran(name, scores_csv, "--label", "y", *options, "--no-progress").stderr == ""


def test_training_tells_how_far_it_is(tmp_path: Path) -> None:
    shown = ran("demo", "--output", tmp_path, "--progress")
    assert "Training five classifiers" in shown.stderr
    assert "100%" in shown.stderr


def test_passes_are_counted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    look_like_a_terminal(monkeypatch)
    with passing("Reading [b]big") as passes:
        passes.within(0.5)
        passes.finished(SimpleNamespace(passes=2, rows=10**8))
    assert "Reading [b]big: 2 passes over 100,000,000 rows done" in capsys.readouterr().err


def test_passes_are_silent_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    with passing("Reading") as passes:
        passes.within(0.5)
        passes.finished(SimpleNamespace(passes=2, rows=10))
    assert capsys.readouterr() == ("", "")


def test_a_stream_is_silenced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (tmp_path / "errors").open("wb", buffering=0) as stream:
        monkeypatch.setattr(output, "ERROR_STREAM", stream.fileno())
        stream.write(b"shown")
        output._silence()
        stream.write(b"not shown")
    assert (tmp_path / "errors").read_bytes() == b"shown"
