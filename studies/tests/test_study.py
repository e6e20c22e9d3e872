"""A study as it is run: what it keeps, how it goes on, and what it says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from click.testing import CliRunner

from studies.workbench import study as running
from studies.workbench.command import study_command
from studies.workbench.study import Study
from studies.workbench.tables import Source

if TYPE_CHECKING:
    from collections.abc import Callable

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
CALLS: list[int] = []


def square(number: int) -> dict[str, Any]:
    CALLS.append(number)
    if number < 0:
        raise ValueError("negative")
    return {"square": number**2, "range": np.arange(number)}


@pytest.fixture
def study(tmp_path: Path) -> Study:
    CALLS.clear()
    return Study("tried", Source(tmp_path), tmp_path / "kept", tmp_path / "page.md", True, 1)


def test_results_come_in_the_order_of_the_units(study: Study) -> None:
    found = study.results("squares", square, {"three": (3,), "two": (2,)})
    assert list(found) == ["three", "two"]
    assert found["three"]["square"] == 9
    assert found["three"]["range"].tolist() == [0, 1, 2]


def test_what_is_kept_is_not_computed_again(study: Study) -> None:
    first = study.results("squares", square, {"a": (3,), "b": (2,)})
    again = study.results("squares", square, {"a": (3,), "b": (2,), "c": (4,)})
    assert CALLS == [3, 2, 4]
    assert again["a"]["square"] == first["a"]["square"]


def test_a_run_that_was_stopped_goes_on(study: Study) -> None:
    with pytest.raises(ValueError, match="negative"):
        study.results("squares", square, {"a": (3,), "b": (-1,)})
    study.results("squares", square, {"a": (3,), "c": (5,)})
    assert CALLS == [3, -1, 5]


def test_other_arguments_are_computed_anew(study: Study) -> None:
    study.results("squares", square, {"a": (3,)})
    assert study.results("squares", square, {"a": (4,)})["a"]["square"] == 16


TRIED = {
    "first.py": "from studies.parts.second import third\nimport numpy\n\ndef compute():\n    ...\n",
    "parts/second.py": "from studies.parts import third\n",
    "parts/third.py": "EXPONENT = 2\n",
    "parts/apart.py": "WIDTH = 9\n",
}


@pytest.mark.parametrize(
    ("changed", "anew"),
    [
        ("first.py", True),
        ("parts/second.py", True),
        ("parts/third.py", True),
        ("parts/apart.py", False),
    ],
)
def test_changed_code_is_computed_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, study: Study, changed: str, anew: bool
) -> None:
    monkeypatch.setattr(running, "STUDIES", tmp_path / "studies")
    for name, text in TRIED.items():
        (tmp_path / "studies" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "studies" / name).write_text(text)
    monkeypatch.setattr("inspect.getsourcefile", lambda _: str(tmp_path / "studies" / "first.py"))
    study.results("squares", square, {"a": (3,)})
    with (tmp_path / "studies" / changed).open("a") as file:
        file.write("# changed\n")
    study.results("squares", square, {"a": (3,)})
    assert ([3, 3] if anew else [3]) == CALLS


def test_other_data_and_other_versions_are_computed_anew(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    study.results("squares", square, {"a": (3,)})
    (study.source.folder / "iris.csv").write_text("x,target\n1,a\n")
    study.results("squares", square, {"a": (3,)})
    (study.source.folder / "iris.csv").write_text("x,target\n2,a\n")
    study.results("squares", square, {"a": (3,)})
    monkeypatch.setattr(running, "version", lambda _: "99")
    study.results("squares", square, {"a": (3,)})
    study.results("squares", square, {"a": (3,)})
    assert CALLS == [3, 3, 3, 3]


def test_a_spoilt_file_is_computed_anew(study: Study) -> None:
    study.results("squares", square, {"a": (3,)})
    [file] = study.kept.iterdir()
    file.write_bytes(file.read_bytes()[:40])
    assert study.results("squares", square, {"a": (3,)})["a"]["square"] == 9
    assert CALLS == [3, 3]


def test_progress_is_a_line_for_each_unit(study: Study, capsys: pytest.CaptureFixture[str]) -> None:
    study.results("squares", square, {"a": (3,)})
    study.results("squares", square, {"a": (3,), "b": (2,)})
    assert capsys.readouterr().err.splitlines() == [
        "tried: squares: 1 of 1, a",
        "tried: squares: 1 of 2 kept from an earlier run",
        "tried: squares: 2 of 2, b",
    ]


def command(run: Callable[[Study], None]) -> Any:
    return study_command("tried", "tried.md")(run)


def test_a_quick_run_writes_no_page_into_the_docs(tmp_path: Path) -> None:
    seen: list[Study] = []
    done = CliRunner().invoke(command(seen.append), ["--quick", "--work", str(tmp_path)])
    assert done.exit_code == 0
    assert seen[0].page == tmp_path / "tried" / "quick" / "tried.md"
    assert not seen[0].as_written
    assert f"Written: {seen[0].page}" in done.output


def test_fresh_forgets_what_was_kept(tmp_path: Path) -> None:
    CALLS.clear()

    def run(study: Study) -> None:
        study.results("squares", square, {"a": (3,)})

    for options in ([], [], ["--fresh"]):
        CliRunner().invoke(
            command(run), ["--quick", "--jobs", "1", "--work", str(tmp_path), *options]
        )
    assert CALLS == [3, 3]


def test_fresh_forgets_runs_of_its_kind_only(tmp_path: Path) -> None:
    kept = tmp_path / "tried" / "files" / "result.npz"
    kept.parent.mkdir(parents=True)
    kept.write_text("dear")
    CliRunner().invoke(command(lambda _: None), ["--quick", "--fresh", "--work", str(tmp_path)])
    assert kept.exists()


def test_other_data_write_no_page_into_the_docs(tmp_path: Path) -> None:
    seen: list[Study] = []
    options = ["--data", str(tmp_path), "--work", str(tmp_path)]
    assert CliRunner().invoke(command(seen.append), options).exit_code == 0
    assert seen[0].page == tmp_path / "tried" / "files" / "tried.md"


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs the real data")
def test_the_data_of_the_pages_write_into_the_docs(tmp_path: Path) -> None:
    study = Study("tried", Source(SHARED), tmp_path, tmp_path / "page.md", False, 1)
    assert study.as_written


def test_quick_and_fetch_exclude_each_other() -> None:
    done = CliRunner().invoke(command(lambda _: None), ["--quick", "--fetch"])
    assert done.exit_code == 2
    assert "exclude each other" in done.output


@pytest.mark.parametrize("option", ["--page", "--work"])
def test_what_cannot_be_written_is_said_before_any_work(tmp_path: Path, option: str) -> None:
    (tmp_path / "file").write_text("in the way")
    there = {"--page": "file/page.md", "--work": "file/kept"}[option]
    options = ["--quick", "--work", str(tmp_path / "kept"), option, str(tmp_path / there)]
    done = CliRunner().invoke(command(fail), options)
    assert done.exit_code == 2
    assert f"{option} must be where files can be written" in done.output


def fail(_: Study) -> None:
    raise AssertionError


def test_a_stop_says_that_work_is_kept(tmp_path: Path) -> None:
    def stop(_: Study) -> None:
        raise KeyboardInterrupt

    done = CliRunner().invoke(command(stop), ["--quick", "--work", str(tmp_path)])
    assert done.exit_code == 1
    assert "What is done is kept" in done.output


def test_missing_data_are_a_usage_error(tmp_path: Path) -> None:
    def run(study: Study) -> None:
        study.source.check(["pima"])
        raise AssertionError

    done = CliRunner().invoke(command(run), ["--data", str(tmp_path), "--work", str(tmp_path)])
    assert done.exit_code == 2
    assert "pima.csv" in done.output
