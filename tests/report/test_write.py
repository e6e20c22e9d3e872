"""Writing a report: whole or not at all, always the same bytes, refused in one line."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

import pytest

import rocch
from rocch import write_report
from rocch.report import render as rendering
from rocch.report import write
from rocch.report.render import render
from rocch.report.write import format_of
from tests.support.asking import hull_of
from tests.support.many_reports import wine

if TYPE_CHECKING:
    from pathlib import Path

HULL = hull_of(0)


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("a.html", "<!doctype html>"),
        ("a.HTM", "<!doctype html>"),
        ("a.md", "# Which"),
        ("a.markdown", "# Which"),
        ("a.json", '{\n "format": "rocch-summary-2"'),
    ],
)
def test_the_suffix_says_the_format(tmp_path: Path, name: str, start: str) -> None:
    write_report(HULL, tmp_path / name, resamples=0)
    text = (tmp_path / name).read_text(encoding="utf-8")
    assert text.lower().startswith(start.lower())
    assert os.listdir(tmp_path) == [name]


def test_a_format_that_is_named_wins(tmp_path: Path) -> None:
    write_report(HULL, str(tmp_path / "report.txt"), format="json", resamples=0)
    assert json.loads((tmp_path / "report.txt").read_text())["title"].startswith("Which")


@pytest.mark.parametrize("name", ["report", "report.pdf", "report.html.bak", ".html"])
def test_an_unknown_suffix_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(rocch.InputError, match=r"path must end in \.html, \.md or \.json"):
        write_report(HULL, tmp_path / name)
    assert os.listdir(tmp_path) == []


def test_what_is_no_path_is_refused() -> None:
    with pytest.raises(rocch.InputError, match="path must be a path; got an object of type int"):
        write_report(HULL, 5)  # type: ignore[arg-type]


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(rocch.InputError, match="format must be one of 'html', 'md', 'json'"):
        write_report(HULL, tmp_path / "a.html", format="pdf")  # type: ignore[arg-type]
    assert format_of(tmp_path, "md") == "md"


def test_a_summary_that_is_made_is_written_as_it_is(tmp_path: Path) -> None:
    made: Any = rocch.report.summarize(HULL, resamples=0, title="Mine")
    write_report(made, tmp_path / "a.json")
    assert (tmp_path / "a.json").read_text(encoding="utf-8") == render(made, "json")
    with pytest.raises(
        rocch.InputError, match="options must be left out for a summary that is made"
    ):
        write_report(made, tmp_path / "a.json", title="Other")
    with pytest.raises(rocch.InputError, match=r"options must be left out .* got 'question'"):
        write_report(made, tmp_path / "a.json", rocch.Question(max_fpr=0.1))


@pytest.mark.parametrize("old", [None, "what was there"])
@pytest.mark.parametrize("error", [RuntimeError("broken"), KeyboardInterrupt()])
def test_a_failure_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, old: str | None
) -> None:
    target = tmp_path / "a.md"
    if old is not None:
        target.write_text(old)

    def fail(*_: Any) -> str:
        raise error

    monkeypatch.setattr(write, "render", fail)
    with pytest.raises(type(error)):
        write_report(HULL, target, resamples=0)
    assert os.listdir(tmp_path) == ([] if old is None else ["a.md"])
    assert old is None or target.read_text() == old


def test_a_failure_while_writing_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "a.md"
    target.write_text("old")
    monkeypatch.setattr(
        type(target), "write_text", lambda *_, **__: (_ for _ in ()).throw(OSError(28, "No space"))
    )
    with pytest.raises(rocch.StorageError, match=r"a\.md' cannot be written: No space"):
        write_report(HULL, target, resamples=0)
    assert os.listdir(tmp_path) == ["a.md"]
    assert target.read_bytes() == b"old"


def test_a_place_that_cannot_be_written_is_refused_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write, "summarize", lambda *_, **__: pytest.fail("worked"))
    with pytest.raises(rocch.InputError, match="path must be in an existing folder"):
        write_report(HULL, tmp_path / "nowhere" / "a.html")
    (tmp_path / "folder.html").mkdir()
    with pytest.raises(rocch.InputError, match="path must be a file; got the folder"):
        write_report(HULL, tmp_path / "folder.html")


def test_what_no_report_can_be_made_of_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(rocch.InputError, match="what must be a RocHull"):
        write_report([1, 2, 3], tmp_path / "a.html")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("package", ["plotly.offline", "jinja2"])
def test_html_needs_its_extra_and_the_others_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    for cached in (rendering.packed_plotly, rendering._environment):
        cached.cache_clear()
    with pytest.raises(rocch.MissingExtraError, match=r"pip install 'rocch\[report\]'"):
        write_report(HULL, tmp_path / "a.html", resamples=0)
    assert os.listdir(tmp_path) == []
    write_report(HULL, tmp_path / "a.md", resamples=0)
    write_report(HULL, tmp_path / "a.json", resamples=0)


@pytest.mark.parametrize(
    ("kind", "written"), [("html", "m?"), ("md", r"m\\ud800"), ("json", r'"m\ud800"')]
)
def test_a_lone_surrogate_spoils_no_file(tmp_path: Path, kind: str, written: str) -> None:
    odd = rocch.RocHull.from_scores([0, 1, 0, 1], {"m\ud800": [1, 2, 3, 4]})
    write_report(odd, tmp_path / f"a.{kind}", resamples=0)
    assert written in (tmp_path / f"a.{kind}").read_text(encoding="utf-8")


def test_reports_on_many_classes_are_written_in_every_format(tmp_path: Path) -> None:
    for suffix, start in ((".html", "<!DOCTYPE html>"), (".md", "# Wine"), (".json", "{")):
        file = tmp_path / f"report{suffix}"
        write_report(wine(), file)
        assert file.read_text(encoding="utf-8").startswith(start)
