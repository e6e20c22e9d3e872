"""`rocch library add` by scores: what became of each, names, labels, row ids, notes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import rocch
from rocch.library import ClassifierLibrary

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Answer, Refusal

    from .conftest import Shown

    Judged = dict[str, list[float]]

from .conftest import write_csv

Y = [0, 0, 0, 1, 1, 1]
NB = [1, 2, 6, 5, 4, 7]
PERFECT = [1, 2, 3, 4, 5, 6]
COIN = [1, 2, 1, 2, 1, 2]


def outcomes(document: Any) -> dict[str, str]:
    return {one["name"]: one["outcome"] for one in document["classifiers"]}


def test_json_is_what_python_answers(
    library: Path, tmp_path: Path, scores_csv: Path, judged: Judged, answer: Answer, jsonable: Any
) -> None:
    document = answer("library", "add", library, scores_csv, "--label", "y")
    other = ClassifierLibrary.create(tmp_path / "other")
    added = other.add_scores(judged["y"], {"nb": judged["nb"], "gbm": judged["gbm"]})
    for one, expected in zip(document["classifiers"], added.classifiers, strict=True):
        assert (one["name"], one["outcome"]) == (expected.name, expected.outcome)
        assert (one["kept"], one["saves"]) == (expected.kept, expected.saves)
        for place, saving in zip(one["places"], expected.places, strict=True):
            assert place == jsonable(saving)
    assert document["extends"] is True
    assert document["driven_out"] == []
    assert document["vertices"] == len(added.hull)
    assert document["auc"] == added.hull.auc
    with ClassifierLibrary(library) as kept:
        assert kept.hull == other.hull


def test_each_outcome_is_shown_with_status_0(library: Path, tmp_path: Path, shown: Shown) -> None:
    def added(**scores: list[int]) -> str:
        return shown("add", library, write_csv(tmp_path / "s.csv", y=Y, **scores), "--label", "y")

    first = added(nb=NB)
    assert "at 2 place(s), for slopes 0 to inf (a miss is 0 to inf times as bad); saves" in first
    assert "goes with the class balance of the evaluation rows." in first
    assert "Where the hull grew" in first
    assert "33.333%" in first
    assert "Driven out" not in first
    assert added(nb=NB).startswith("nb is present already; ")
    assert added(nb=NB).endswith("\nPositive class: 1.\n")
    assert added(twin=NB).startswith("twin ties")
    assert added(coin=COIN).startswith("coin is nowhere the best on these rows; discarded\n")
    assert "Driven out: nb, twin." in added(perfect=PERFECT)


def test_several_at_once_are_evaluated_together(
    library: Path, tmp_path: Path, answer: Answer
) -> None:
    file = write_csv(tmp_path / "s.csv", y=Y, nb=NB, perfect=PERFECT, coin=COIN)
    document = answer("library", "add", library, file, "--label", "y")
    assert outcomes(document) == {"nb": "discarded", "perfect": "extends", "coin": "discarded"}


def test_scores_are_renamed(library: Path, scores_csv: Path, answer: Answer) -> None:
    document = answer(
        *("library", "add", library, scores_csv, "--label", "y"),
        *("--name", "nb=bayes=2", "--name", "gbm=nb"),
    )
    assert outcomes(document) == {"bayes=2": "extends", "nb": "extends"}


def test_a_name_with_an_equals_sign_is_renamed(
    library: Path, tmp_path: Path, answer: Answer
) -> None:
    file = write_csv(tmp_path / "s.csv", **{"y": Y, "k": COIN, "k=3": PERFECT})
    document = answer("library", "add", library, file, "--label", "y", "--name", "k=3=knn")
    assert outcomes(document) == {"k": "discarded", "knn": "extends"}


def test_a_long_file_and_a_wide_one_are_the_same_rows(
    library: Path, scores_csv: Path, tmp_path: Path, judged: Judged, answer: Answer
) -> None:
    answer("library", "add", library, scores_csv, "--label", "y")
    ids = [f"r{row}" for row in range(120)]
    file = write_csv(
        tmp_path / "long.csv",
        model=["nb"] * 120 + ["gbm"] * 120,
        id=ids * 2,
        y=judged["y"] * 2,
        score=judged["nb"] + judged["gbm"],
    )
    long = ("--classifier", "model", "--row", "id", "--score", "score")
    document = answer("library", "add", library, file, "--label", "y", *long)
    assert outcomes(document) == {"nb": "present", "gbm": "present"}
    document = answer("library", "add", library, file, "--label", "y", *long, "--scores", "gbm")
    assert outcomes(document) == {"gbm": "present"}


def test_row_ids_are_part_of_the_fingerprint(
    library: Path, tmp_path: Path, answer: Answer, refusal: Refusal
) -> None:
    def add(ids: str) -> tuple[object, ...]:
        file = write_csv(tmp_path / f"{ids}.csv", id=list(ids), y=Y, **{ids: NB})
        return ("library", "add", library, file, "--label", "y", "--row", "id")

    assert outcomes(answer(*add("abcdef"))) == {"abcdef": "extends"}
    text = refusal(*add("bacdef"))
    assert "row ids that differ" in text
    assert text.endswith("or accept different rows with --allow-different-rows.")


def test_other_rows_need_a_word(
    filled: Path, tmp_path: Path, answer: Answer, refusal: Refusal, shown: Shown
) -> None:
    file = write_csv(tmp_path / "other.csv", y=Y, perfect=PERFECT)
    text = refusal("library", "add", filled, file, "--label", "y")
    assert "got 3 positives of 6" in text
    assert "other class" not in text
    document = answer("library", "add", filled, file, "--label", "y", "--allow-different-rows")
    assert outcomes(document) == {"perfect": "extends"}
    assert document["driven_out"] == ["gbm", "nb"]
    worse = write_csv(tmp_path / "worse.csv", y=Y[::-1], other=PERFECT[::-1])
    document = answer("library", "add", filled, worse, "--label", "y", "--allow-different-rows")
    assert outcomes(document) == {"other": "ties"}
    assert "and others on different rows" in shown("list", filled)
    assert answer("library", "list", filled)["different_rows"] is True


def test_the_other_class_is_suspected_where_totals_are_mirrored(
    filled: Path, tmp_path: Path, judged: Judged, refusal: Refusal
) -> None:
    file = write_csv(tmp_path / "m.csv", y=1 - np.array(judged["y"], dtype=int), nb2=judged["nb"])
    text = refusal("library", "add", filled, file, "--label", "y")
    assert "got 80 positives of 120, where the library has 40 of 120 (perhaps the other" in text


def test_the_positive_class_is_shown(
    library: Path, tmp_path: Path, answer: Answer, shown: Shown
) -> None:
    words = ["ill" if label else "well" for label in Y]
    file = write_csv(tmp_path / "s.csv", y=words, nb=NB)
    options = ("--label", "y", "--positive", "ill")
    assert answer("library", "add", library, file, *options)["pos_label"] == "ill"
    assert shown("add", library, file, *options).endswith("Positive class: 'ill'.\n")
    assert answer("library", "list", library)["pos_label"] == "ill"
    assert "6 rows, 3 positive ('ill')" in shown("list", library)
    assert answer("library", "show", library, "nb")["pos_label"] == "ill"
    assert re.search("positive class +'ill'", shown("show", library, "nb"))


def test_notes_tags_and_parameters_are_kept(
    library: Path, scores_csv: Path, answer: Answer
) -> None:
    answer(
        *("library", "add", library, scores_csv, "--label", "y", "--by", "ada", "--note", "first"),
        *("--tag", "spring", "--tag", "gbm", "--parameter", "depth=3", "--parameter", "on=true"),
        *("--parameter", "solver=a=b", "--parameter", "grid=[1, 2]", "--parameter", "x=NaN"),
    )
    with ClassifierLibrary(library) as kept:
        one = kept["nb"]
    assert (one.added_by, one.note, one.tags) == ("ada", "first", ("spring", "gbm"))
    assert one.parameters == {
        "depth": 3,
        "on": True,
        "solver": "a=b",
        "grid": [1, 2],
        "x": "NaN",
    }


LABELS: dict[str, tuple[list[Any], tuple[str, ...], Any]] = {
    "numbers": ([0, 1], (), [0, 1]),
    "signs": ([-1, 1], (), [-1, 1]),
    "turned": ([1, 0], ("--positive", "0"), [1, 0]),
    "floats": (["0.0", "1.0"], ("--positive", "1"), [0, 1]),
    "truth": (["False", "true"], (), [False, True]),
    "words": (["no", "yes"], (), ["no", "yes"]),
    "texts": (["Good", "Poor"], ("--positive", "Poor"), ["Good", "Poor"]),
}


@pytest.mark.parametrize("case", LABELS)
def test_labels_are_kept_as_written(
    case: str, library: Path, tmp_path: Path, answer: Answer
) -> None:
    written, options, kept = LABELS[case]
    file = write_csv(tmp_path / "s.csv", y=[written[y] for y in Y], nb=NB)
    document = answer("library", "add", library, file, "--label", "y", *options)
    assert document["auc"] == pytest.approx(rocch.RocHull.from_scores(Y, {"nb": NB}).auc)
    found = answer("library", "list", library)["labels"]
    assert found == kept
    assert [type(each) for each in found] == [type(each) for each in kept] or case == "floats"


def test_more_than_two_labels_need_the_positive_one(
    library: Path, tmp_path: Path, answer: Answer, refusal: Refusal
) -> None:
    file = write_csv(tmp_path / "s.csv", y=["a", "b", "a", "1", "1.0", "1"], nb=NB)
    add = ("library", "add", library, file, "--label", "y")
    assert "--positive must be given" in refusal(*add)
    document = answer(*add, "--positive", "1")
    assert document["auc"] == pytest.approx(rocch.RocHull.from_scores(Y, {"nb": NB}).auc)
    assert answer("library", "list", library)["labels"] is None


def test_labels_must_be_the_librarys(
    filled: Path, judged: Judged, tmp_path: Path, refusal: Refusal
) -> None:
    words = np.where(np.array(judged["y"]) == 1, "Poor", "Good")
    file = write_csv(tmp_path / "s.csv", y=words, new=judged["nb"])
    text = refusal("library", "add", filled, file, "--label", "y", "--positive", "Poor")
    assert text.startswith("--label must have the library's labels, 0 and 1 (positive)")


def test_bounds_keep_fewer(tmp_path: Path, scores_csv: Path, answer: Answer) -> None:
    bounds = ("--prevalence", "0.01", "--false-positive", "1", "--false-negative", "1..2")
    folder = tmp_path / "bounded"
    answer("library", "init", folder, *bounds)
    document = answer("library", "add", folder, scores_csv, "--label", "y")
    assert sorted(outcomes(document).values()) == ["discarded", "extends"]


BAD: dict[str, tuple[tuple[str, ...], str]] = {
    "no label": ((), "--label"),
    "a column that is not there": (("--label", "z"), "--label must name a column"),
    "a name that is not there": (
        ("--label", "y", "--name", "svm=x"),
        "--name must be OLD=NEW, with a classifier of the file; got 'svm=x'. The classifiers are: "
        "'nb', 'gbm'.",
    ),
    "no new name": (("--label", "y", "--name", "nb="), "--name must be OLD=NEW"),
    "only an old name": (("--label", "y", "--name", "nb"), "--name must be OLD=NEW"),
    "renamed twice": (
        ("--label", "y", "--name", "nb=a", "--name", "nb=b"),
        "--name renames 'nb' twice. Keep one.",
    ),
    "two of one name": (("--label", "y", "--name", "nb=gbm"), "--name must make distinct names"),
    "no parameter": (("--label", "y", "--parameter", "3"), "--parameter must be KEY=VALUE"),
    "no key": (("--label", "y", "--parameter", "=3"), "--parameter must be KEY=VALUE"),
    "a parameter twice": (
        ("--label", "y", "--parameter", "a=1", "--parameter", "a=2"),
        "--parameter names 'a' twice. Keep one.",
    ),
    "features of no model": (
        ("--label", "y", "--features", "a"),
        "--features has no effect here; it goes with --model.",
    ),
    "trust in no model": (("--label", "y", "--trust", "a.B"), "--trust has no effect"),
    "a digest of no model": (("--label", "y", "--digest", "00"), "--digest has no effect"),
    "half a long file": (("--label", "y", "--classifier", "nb"), "--row is missing"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_gets_one_line_and_changes_nothing(
    case: str, library: Path, scores_csv: Path, refusal: Refusal
) -> None:
    options, words = BAD[case]
    assert words in refusal("library", "add", library, scores_csv, *options)
    with ClassifierLibrary(library) as kept:
        assert kept.state.offered == 0


def test_another_classifier_under_a_name_in_use_is_refused(
    filled: Path, judged: Judged, tmp_path: Path, refusal: Refusal
) -> None:
    file = write_csv(tmp_path / "s.csv", y=judged["y"], nb=judged["gbm"])
    text = refusal("library", "add", filled, file, "--label", "y")
    assert text.startswith("the names must be new, unless the classifier is identical; got 'nb'")


def test_a_missing_library_is_refused(tmp_path: Path, scores_csv: Path, refusal: Refusal) -> None:
    text = refusal("library", "add", tmp_path / "none", scores_csv, "--label", "y")
    assert text.startswith("DIR must be the folder of a library, or the URL of one; got ")
    assert text.endswith("Make one with rocch library init.")


def test_markup_in_names_is_text(library: Path, tmp_path: Path, shown: Shown) -> None:
    file = write_csv(tmp_path / "s.csv", **{"y": Y, "[bold]nb": NB})
    add = ("add", library, file, "--label", "y", "--tag", "[red]", "--note", "[i]", "--by", "[b]")
    assert "[bold]nb extends" in shown(*add)
    listed = shown("list", library)
    assert "[bold]nb" in listed
    assert "[red]" in listed
    assert "[i]" in shown("show", library, "[bold]nb")
    assert "[b]" in shown("log", library)
