"""Text from data cannot steer the terminal: names are printed to the letter."""

from __future__ import annotations

import csv
import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.naive_bayes import GaussianNB

import rocch
from rocch.cli.main import cli
from tests.support.nasty import CONTROLS, NASTY, check, write, write_probabilities, write_scores

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Refusal

SEPARATED = "one\u2028two\u2029three.json"


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    return write_scores(tmp_path)


@pytest.fixture
def probabilities(tmp_path: Path) -> Path:
    return write_probabilities(tmp_path)


def printed(*arguments: object, style: bool = False) -> str:
    """Return what a command prints, as into a pipe, or as on a terminal with styles."""
    result = CliRunner().invoke(
        cli,
        list(map(str, arguments)),
        catch_exceptions=False,
        color=True,
        env={"COLUMNS": "1000", "FORCE_COLOR": "1" if style else None},
    )
    assert result.exit_code == 0, result.output
    return result.output


WIDE = ("--label", "y", "--scores", f"{NASTY},second {NASTY},third")
TWO = ("--label", "y", "--scores", f"{NASTY},second {NASTY}")
COSTS = ("--prevalence", "0.1..0.3", "--false-positive", "1", "--false-negative", "2..9")
BELIEF = ("--prevalence", "0.2", "--cost-ratio", "2..9", "--likely", "4")


@pytest.mark.parametrize("style", [False, True])
@pytest.mark.parametrize(
    "words",
    [
        ("hull", *WIDE),
        ("hull", *WIDE, "--by", "group"),
        ("best", *WIDE, *COSTS),
        ("best", *WIDE, *BELIEF, "--false-positive", "1"),
        ("best", *WIDE, "--max-fpr", "0.07", "--randomize"),
        ("compare", *WIDE, *BELIEF, "--resamples", "100"),
        ("compare", *TWO, *BELIEF, "--resamples", "100"),
        ("report", *WIDE, *COSTS, "--resamples", "100"),
        ("report", *WIDE, *COSTS, "--resamples", "0", "--format", "md"),
    ],
)
def test_names_of_classifiers(scores: Path, words: tuple[str, ...], style: bool) -> None:
    text = printed(words[0], scores, *words[1:], style=style)
    check(re.sub(r"\\([\\\[\]_])", r"\1", text) if "md" in words else text)


@pytest.mark.parametrize(
    "words",
    [
        ("report", "--label", "truth"),
        ("report", "--label", "truth", "--format", "md"),
        ("surface", "--label", "truth", "--model", "GaussianNB", "--generations", "5"),
    ],
)
def test_names_of_classes(probabilities: Path, words: tuple[str, ...]) -> None:
    text = printed(words[0], probabilities, *words[1:])
    check(re.sub(r"\\([\\\[\]_])", r"\1", text) if "md" in words else text)


def test_predictions_keep_the_data_but_not_what_is_said_of_them(
    probabilities: Path, tmp_path: Path
) -> None:
    out = tmp_path / f"{NASTY}.csv"
    classes = ("--classes", f"{NASTY},second {NASTY},third", "--default-cost", "1")
    check(printed("assign", probabilities, "--label", "truth", *classes, "-o", out))
    with out.open(newline="", encoding="utf-8") as stream:
        predictions = {row["prediction"] for row in csv.DictReader(stream)}
    assert NASTY in predictions


def test_names_in_a_library(scores: Path, tmp_path: Path) -> None:
    library = tmp_path / NASTY
    check(printed("library", "init", library))
    check(printed("library", "add", library, scores, *WIDE, "--note", NASTY, "--by", NASTY))
    for words in (("list",), ("hull",), ("log",), ("best", "--max-fpr", "0.1")):
        check(printed("library", words[0], library, *words[1:]))
    check(printed("library", "show", library, NASTY))
    check(printed("library", "export", library, "--scores", "-o", tmp_path / f"{NASTY}.rocch"))
    check(printed("library", "prune", library, NASTY))


def test_files_that_were_written(scores: Path, tmp_path: Path) -> None:
    file = tmp_path / f"{NASTY}.json"
    check(printed("report", scores, *WIDE, "--resamples", "0", "-o", file))
    kept = json.loads(file.read_text(encoding="utf-8"))
    assert kept["binary"]["classifiers"][0]["name"] == NASTY


def test_separators_of_lines(scores: Path, tmp_path: Path) -> None:
    text = printed("report", scores, *WIDE, "--resamples", "0", "-o", tmp_path / SEPARATED)
    assert text.endswith("one\\u2028two\\u2029three.json\n")


@pytest.mark.parametrize("words", [("hull",), ("report", "--resamples", "0")])
def test_json_means_the_raw_names(scores: Path, words: tuple[str, ...]) -> None:
    text = printed(words[0], scores, *WIDE, *words[1:], "--json")
    assert CONTROLS.findall(text.replace("\n", "")) == []
    found = json.loads(text)
    named = found.get("binary", found)["classifiers"]
    assert NASTY in [each["name"] if isinstance(each, dict) else each for each in named]


@pytest.mark.parametrize("place", ["file", "label", "output", "option", "command"])
def test_refusals(scores: Path, refusal: Refusal, place: str) -> None:
    words: dict[str, tuple[object, ...]] = {
        "file": ("hull", f"absent {NASTY}", *WIDE),
        "label": ("hull", scores, "--label", NASTY + "?"),
        "output": ("report", scores, *WIDE, "-o", f"{NASTY}.doc"),
        "option": ("hull", scores, *WIDE, f"--{NASTY}"),
        "command": (NASTY,),
    }
    said = refusal(*words[place])
    assert CONTROLS.findall(said) == []
    assert "[bold]x[blink]" in said


LINES = "two\nSPOOF: lines"


def parquet(file: Path) -> Path:
    table = pd.read_csv(file)
    table.to_parquet(file.with_suffix(".parquet"))
    return file.with_suffix(".parquet")


def check_lines(text: str) -> None:
    """See that a text of several lines is printed, and begins no line of its own."""
    assert "SPOOF" in text
    assert not re.search(r"^[^\w]*SPOOF", text, re.MULTILINE)


def test_files_and_folders_of_several_lines(scores: Path, tmp_path: Path) -> None:
    library, file = tmp_path / LINES, tmp_path / f"{LINES}.json"
    check_lines(printed("library", "init", library))
    printed("library", "add", library, scores, *WIDE)
    check_lines(printed("library", "export", library, "--scores", "-o", f"{file}.rocch"))
    check_lines(printed("library", "copy", library, f"{library} copy"))
    check_lines(printed("report", scores, *WIDE, "--resamples", "0", "-o", file))
    check_lines(printed("hull", scores, *WIDE, "--plot", f"{file}.svg"))


def test_what_is_said_in_a_library_stays_in_its_line(tmp_path: Path) -> None:
    said: dict[str, Any] = {"by": LINES, "note": LINES, "tags": [LINES], "parameters": {LINES: 1}}
    with rocch.library.ClassifierLibrary.create(tmp_path / "lib") as library:
        library.add_scores([0, 1, 0, 1], {"a": [1, 2, 3, 4]}, **said)
        library.prune("a", by=LINES)
    for words in (("list", "--all"), ("log",)):
        check_lines(printed("library", words[0], tmp_path / "lib", *words[1:]))
    check_lines(printed("library", "show", tmp_path / "lib", "a"))


def test_a_library_takes_names_in_one_line_alone(
    scores: Path, tmp_path: Path, refusal: Refusal
) -> None:
    with rocch.library.ClassifierLibrary.create(tmp_path / "lib") as library:
        with pytest.raises(rocch.InputError, match="name must be in one line; got 'two"):
            library.add_scores([0, 1], {LINES: [1, 2]})
        assert len(library) == 0
    words = ("library", "add", tmp_path / "lib", scores, *WIDE, "--name", f"third={LINES}")
    assert refusal(*words).startswith("--name must be in one line; got 'two\\nSPOOF: lines'.")


@pytest.mark.parametrize(
    "words",
    [
        ("hull", "--label", "y", "--positive", "yes"),
        ("hull", "--label", "y", "--positive", "yes", "--engine", "duckdb"),
        ("best", "--label", "y", "--positive", "yes", "--max-fpr", "0.1"),
        ("report", "--label", "y", "--positive", "yes"),
        ("report", "--label", "y", "--positive", "yes", "--engine", "duckdb"),
        ("report", "--label", "y", "--positive", "yes", "--format", "md"),
        ("surface", "--label", "y", "--model", "GaussianNB"),
    ],
)
def test_classes_of_several_lines_are_refused(
    tmp_path: Path, refusal: Refusal, words: tuple[str, ...]
) -> None:
    file = write(tmp_path / "rows.csv", {"y": ["yes", LINES] * 4, "a": range(8)})
    if "duckdb" in words:
        file = parquet(file)
    said = "--label must name each class in one line; got 'two\\nSPOOF: lines'."
    assert refusal(words[0], file, *words[1:]).startswith(said)


@pytest.mark.parametrize("engine", [(), ("--engine", "duckdb")])
def test_groups_of_several_lines_are_refused(
    tmp_path: Path, refusal: Refusal, engine: tuple[str, ...]
) -> None:
    rows = {"y": [0, 1] * 4, "a": range(8), "group": ["one"] * 4 + [LINES] * 4}
    file = write(tmp_path / "rows.csv", rows)
    file = parquet(file) if engine else file
    said = "--by must name each group in one line; got 'two\\nSPOOF: lines'."
    assert refusal("hull", file, "--label", "y", "--by", "group", *engine).startswith(said)


def test_classes_of_several_lines_in_probabilities_and_costs(
    tmp_path: Path, refusal: Refusal
) -> None:
    rows = {"yes": [0.3, 0.6], LINES: [0.7, 0.4]}
    costs = write(
        tmp_path / "costs.csv",
        {"truth": ["yes", LINES], "prediction": [LINES, "yes"], "cost": [1, 1]},
    )
    file = write(tmp_path / "rows.csv", rows)
    said = "the costs must name each class in one line; got 'two\\nSPOOF: lines'."
    assert refusal("assign", file, "--costs-file", costs).startswith(said)
    truth = write(tmp_path / "truth.csv", {**rows, "truth": ["yes", LINES]})
    assert "in one line" in refusal("assign", truth, "--costs-file", costs, "--label", "truth")
    assert "in one line" in refusal("report", truth, "--label", "truth", "--default-cost", "1")


def test_a_saved_model_of_several_lines_is_refused(tmp_path: Path, refusal: Refusal) -> None:
    rng = np.random.default_rng(3)
    y = np.arange(60) % 2
    rows = rng.normal(size=(60, 2)) + y[:, None]
    for name, labels in ((LINES, ["no", "yes"]), ("nb", ["no", LINES])):
        model = rocch.RocchClassifier([(name, GaussianNB())], pos_label=labels[1])
        file = tmp_path / "model.rocch"
        rocch.save(model.fit(rows, np.array(labels)[y]), file)
        assert "in one line; got 'two\\nSPOOF: lines'" in refusal("report", file)


@pytest.mark.parametrize(
    "command", [("hull",), ("best", "--max-fpr", "0.1"), ("report", "--format", "text")]
)
def test_names_of_several_lines_are_refused(
    tmp_path: Path, refusal: Refusal, command: tuple[str, ...]
) -> None:
    """A name could write lines of its own among those of results."""
    name = "gbm\nall is well: use always"
    wide = write(tmp_path / "wide.csv", {"y": [0, 1, 0, 1], name: [1, 2, 3, 4]})
    said = "FILE must name each classifier in one line; got 'gbm\\nall is well: use always'."
    assert refusal(*command, wide, "--label", "y").startswith(said)
    row = ["1", "2", "1", "2"]
    long = write(
        tmp_path / "long.csv",
        {"y": [0, 1, 0, 1], "row": row, "who": ["a", "a", name, name], "score": [1, 2, 3, 4]},
    )
    options = ("--label", "y", "--row", "row", "--classifier", "who", "--score", "score")
    assert refusal(*command, long, *options).startswith(said)
