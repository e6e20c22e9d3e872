"""`rocch compare`: losses under a belief, from a file."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import rocch
from rocch.cli import compare
from rocch.cli.main import cli

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Answer, Refusal

    Judged = dict[str, list[float]]

EXPERT = "--prevalence 0.3 --cost-ratio 0.5..10 --likely 4"
TWO_KEYS = {
    "names",
    "belief",
    "axis",
    "prevalence",
    "reading",
    "lc_index",
    "mass_a",
    "mass_b",
    "ties",
    "error",
    "stretches",
    "shapes",
}


def shown(file: Path, options: str) -> str:
    arguments = ["compare", str(file), "--label", "y", *options.split()]
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    return result.stdout


@pytest.fixture
def curves(judged: Judged) -> tuple[rocch.RocCurve, rocch.RocCurve]:
    nb, gbm = (
        rocch.RocCurve.from_scores(judged["y"], judged[name], name=name) for name in ("nb", "gbm")
    )
    return nb, gbm


@pytest.fixture
def three_csv(tmp_path: Path, judged: Judged) -> Path:
    """Write a third classifier beside the two."""
    file = tmp_path / "three.csv"
    third = np.round(np.random.default_rng(1).normal(size=120) + judged["y"], 2).tolist()
    table = zip(*judged.values(), third, strict=True)
    lines = [f"{y:g},{nb!r},{gbm!r},{lda!r}" for y, nb, gbm, lda in table]
    file.write_text("\n".join(["y,nb,gbm,lda", *lines]) + "\n", encoding="utf-8")
    return file


@pytest.fixture
def probabilities_csv(tmp_path: Path, judged: Judged) -> Path:
    """Write the scores as probabilities."""
    file = tmp_path / "p.csv"
    lines = [
        f"{y:g},{1 / (1 + math.exp(1 - nb))!r},{1 / (1 + math.exp(1 - gbm))!r}"
        for y, nb, gbm in zip(*judged.values(), strict=True)
    ]
    file.write_text("\n".join(["y,nb,gbm", *lines]) + "\n", encoding="utf-8")
    return file


ASKED: dict[str, tuple[str, rocch.Belief, Any]] = {
    "triangle": (EXPERT, rocch.Belief.cost_ratio(0.5, 10, likely=4), 0.3),
    "even": ("--prevalence 0.3 --cost-ratio 2..3", rocch.Belief.cost_ratio(2, 3), 0.3),
    "one number": ("--prevalence 0.3 --cost-ratio 2", rocch.Belief.cost_ratio(2), 0.3),
    "open": (
        "--prevalence observed --cost-ratio 0..1",
        rocch.Belief.cost_ratio(0, 1),
        "observed",
    ),
    "uncertain": (
        "--prevalence 0.2..0.4 --cost-ratio 1/3..2 --likely 1",
        rocch.Belief.cost_ratio(1 / 3, 2, likely=1),
        (0.2, 0.4),
    ),
}
asked = pytest.mark.parametrize(
    ("options", "belief", "prevalence"), ASKED.values(), ids=ASKED.keys()
)


@asked
def test_json_equals_the_python_api(
    answer: Answer,
    jsonable: Callable[[Any], Any],
    scores_csv: Path,
    curves: tuple[rocch.RocCurve, rocch.RocCurve],
    options: str,
    belief: rocch.Belief,
    prevalence: Any,
) -> None:
    whole = answer("compare", scores_csv, "--label", "y", *options.split())
    wanted = rocch.stats.compare_losses(*curves, belief=belief, prevalence=prevalence)
    found, shapes = whole["comparison"], wanted.shapes()
    assert set(found) == TWO_KEYS
    assert (whole["positives"], whole["negatives"]) == (40, 80)
    for name in ("lc_index", "mass_a", "mass_b", "ties", "error", "axis", "prevalence", "reading"):
        assert found[name] == getattr(wanted, name), name
    assert found["names"] == ["nb", "gbm"]
    assert found["stretches"] == jsonable(wanted.stretches)
    assert found["shapes"] == {
        **jsonable(shapes),
        "robust": shapes.robust,
        "certain": shapes.certain,
    }
    with_unit = belief.with_unit(false_positive=1).with_prevalence(prevalence)
    assert found["belief"] == str(with_unit)
    assert whole["aucs"] == {curve.name: curve.auc for curve in curves}


@asked
def test_the_table_says_the_sentence_and_the_shapes(
    scores_csv: Path,
    curves: tuple[rocch.RocCurve, rocch.RocCurve],
    options: str,
    belief: rocch.Belief,
    prevalence: Any,
) -> None:
    wanted = rocch.stats.compare_losses(*curves, belief=belief, prevalence=prevalence)
    lines = [" ".join(line.split()) for line in shown(scores_csv, options).splitlines()]
    assert str(wanted) in lines
    assert str(wanted.shapes()) in lines
    for name, index in wanted.shapes().by_shape.items():
        assert f"{name} {index:.3f}" in lines
    for stretch in wanted.stretches:
        row = [line for line in lines if line.startswith(f"{stretch.low:.4f} {stretch.high:.4f} ")]
        assert bool(row) == (stretch.mass > 1e-9)


def test_csv_and_parquet_give_the_same(
    answer: Answer, scores_csv: Path, scores_parquet: Path
) -> None:
    csv, parquet = (
        answer("compare", file, "--label", "y", *EXPERT.split())
        for file in (scores_csv, scores_parquet)
    )
    assert csv == parquet


def test_the_order_of_columns_is_that_of_the_index(answer: Answer, scores_csv: Path) -> None:
    there, back = (
        answer("compare", scores_csv, "--label", "y", "--scores", names, *EXPERT.split())
        for names in ("nb,gbm", "gbm,nb")
    )
    assert there["comparison"]["lc_index"] == -back["comparison"]["lc_index"] != 0


def test_the_implied_reading(answer: Answer, probabilities_csv: Path, judged: Judged) -> None:
    options = [*EXPERT.split(), "--reading", "implied"]
    found = answer("compare", probabilities_csv, "--label", "y", *options)["comparison"]
    nb, gbm = (
        rocch.RocCurve.from_scores(
            judged["y"], 1 / (1 + np.exp(1 - np.array(judged[name]))), name=name
        )
        for name in ("nb", "gbm")
    )
    wanted = rocch.stats.compare_losses(
        nb,
        gbm,
        belief=rocch.Belief.cost_ratio(0.5, 10, likely=4),
        prevalence=0.3,
        reading="implied",
    )
    assert found["reading"] == "implied"
    assert found["lc_index"] == pytest.approx(wanted.lc_index)


def test_more_columns_are_ranked(
    answer: Answer, jsonable: Callable[[Any], Any], three_csv: Path, judged: Judged
) -> None:
    found = answer("compare", three_csv, "--label", "y", *EXPERT.split())["comparison"]
    assert judged.keys() == {"y", "nb", "gbm"}
    columns = np.genfromtxt(three_csv, delimiter=",", names=True)
    hull = rocch.RocHull.from_scores(
        columns["y"], {name: columns[name] for name in ("nb", "gbm", "lda")}
    )
    belief = rocch.Belief.cost_ratio(0.5, 10, likely=4)
    wanted = rocch.stats.rank_under_belief(hull, belief=belief, prevalence=0.3)
    assert found["stretches"] == jsonable(wanted.stretches)
    rows = [{**jsonable(row), "mass": row.mass} for row in wanted.classifiers]
    assert found["classifiers"] == rows
    assert {(a, b): index for (a, b), index in found["pairwise"]} == wanted.pairwise()


def test_the_tables_of_many(three_csv: Path) -> None:
    lines = [" ".join(line.split()) for line in shown(three_csv, EXPERT).splitlines()]
    assert "classifier alone shared" in lines
    assert "LC index: positive where the row's classifier is better" in lines
    assert sum(line.startswith("lda ") for line in lines) >= 2


def test_an_uncertain_prevalence_is_shown_on_the_probability_cost(three_csv: Path) -> None:
    out = shown(three_csv, "--prevalence 0.1..0.5 --cost-ratio 1..5")
    assert "Where, on the probability-cost" in out
    assert "the prevalence is 0.1 to 0.5" in out


def test_many_stretches_are_cut_short(
    monkeypatch: pytest.MonkeyPatch, three_csv: Path, answer: Answer
) -> None:
    monkeypatch.setattr(compare, "MOST_STRETCHES", 1)
    assert "more stretches; --json has all." in shown(three_csv, EXPERT)
    found = answer("compare", three_csv, "--label", "y", *EXPERT.split())
    assert len(found["comparison"]["stretches"]) > 1


@pytest.mark.parametrize("name", ["scores_csv", "three_csv"])
def test_the_picture_is_written(
    request: pytest.FixtureRequest, tmp_path: Path, answer: Answer, name: str
) -> None:
    file, picture = request.getfixturevalue(name), tmp_path / "picture.png"
    out = shown(file, f"{EXPERT} --plot {picture}")
    assert out.rstrip().endswith(f"Written: {picture}")
    assert picture.read_bytes()[:4] == b"\x89PNG"
    picture.unlink()
    answer("compare", file, "--label", "y", *EXPERT.split(), "--plot", picture)
    assert picture.exists()


@pytest.mark.parametrize("name", ["[red]x", "[/]"])
def test_markup_in_a_column_name_stays_text(tmp_path: Path, name: str) -> None:
    file = tmp_path / "s.csv"
    file.write_text(f"y,{name},b,c\n0,1,2,1\n1,2,1,3\n0,2.5,3,2\n1,3,3,1\n0,0,1,0\n", "utf-8")
    assert name in shown(file, f"{EXPERT} --scores {name},b")
    assert name in shown(file, EXPERT)


REFUSED = {
    "nothing believed": ("--prevalence 0.3", ("--cost-ratio", "--likely")),
    "prevalence 5": ("--prevalence 5 --cost-ratio 1..2", ("--prevalence", "from 0 to 1")),
    "prevalence 0": ("--prevalence 0 --cost-ratio 1..2", ("--prevalence",)),
    "prevalence a word": ("--prevalence half --cost-ratio 1..2", ("'half'",)),
    "likely outside": ("--prevalence 0.3 --cost-ratio 1..2 --likely 9", ("--likely", "1 to 2")),
    "likely text": ("--prevalence 0.3 --cost-ratio 1..2 --likely so", ("--likely", "'so'")),
    "high to low": ("--prevalence 0.3 --cost-ratio 10..5", ("--cost-ratio", "low to high")),
    "negative": ("--prevalence 0.3 --cost-ratio -1..5", ("--cost-ratio", "-1")),
    "infinite": (
        "--prevalence 0.3 --cost-ratio inf",
        ("--cost-ratio", "inf"),
    ),
    "NaN": ("--prevalence 0.3 --cost-ratio nan", ("--cost-ratio", "nan")),
    "text": ("--prevalence 0.3 --cost-ratio expensive", ("--cost-ratio", "'expensive'")),
    "one column": (f"{EXPERT} --scores nb", ("--scores", "at least two")),
    "missing column": (f"{EXPERT} --scores nb,svm", ("--scores", "'svm'")),
    "unknown reading": (f"{EXPERT} --reading best", ("--reading", "'best'")),
    "no probabilities": (f"{EXPERT} --reading implied", ("--reading implied", "column 'nb'")),
    "picture without a kind": (f"{EXPERT} --plot picture", ("picture",)),
}


@pytest.mark.parametrize(("options", "says"), REFUSED.values(), ids=REFUSED.keys())
def test_bad_input_gets_one_line(
    refusal: Refusal, scores_csv: Path, options: str, says: tuple[str, ...]
) -> None:
    line = refusal("compare", scores_csv, "--label", "y", *options.split())
    for words in says:
        assert words in line


def test_the_implied_reading_takes_two_columns_and_one_prevalence(
    refusal: Refusal, three_csv: Path, probabilities_csv: Path
) -> None:
    line = refusal("compare", three_csv, "--label", "y", *EXPERT.split(), "--reading", "implied")
    assert "compares two columns" in line
    vague = "--prevalence 0.1..0.3 --cost-ratio 1..2 --reading implied"
    line = refusal("compare", probabilities_csv, "--label", "y", *vague.split())
    assert line.startswith("--prevalence must be one number")


def test_resamples_say_how_sure_the_rows_are(answer: Answer, scores_csv: Path) -> None:
    options = ["--prevalence", "0.3", "--cost-ratio", "2..8", "--likely", "4"]
    found = answer("compare", scores_csv, "--label", "y", *options, "--resamples", "100")
    data = pd.read_csv(scores_csv)
    (wanted,) = rocch.stats.lc_intervals(
        data.pop("y"),
        data[["nb", "gbm"]],
        belief=rocch.Belief.cost_ratio(2, 8, likely=4),
        prevalence=0.3,
        replicates=100,
    )
    (pair,) = found["resampled"]
    assert (pair["first"], pair["second"]) == ("nb", "gbm")
    assert (pair["lc_index"], pair["favored"]) == (wanted.lc_index, wanted.favored)
    assert pair["interval"] == list(wanted.interval)
    assert "How sure the 120 rows are" in shown(scores_csv, " ".join(options))
    none = answer("compare", scores_csv, "--label", "y", *options, "--resamples", "0")
    assert none["resampled"] == []


def test_too_few_resamples_are_refused(refusal: Refusal, scores_csv: Path) -> None:
    options = ["--prevalence", "0.3", "--cost-ratio", "2..8", "--resamples", "5"]
    assert "at least 100" in refusal("compare", scores_csv, "--label", "y", *options)
