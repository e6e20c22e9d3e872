"""`rocch auc` and `rocch power` say what `rocch.stats` says."""

from __future__ import annotations

import csv
import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest
from click.testing import CliRunner

import rocch
from rocch.cli.main import cli
from tests.cli.conftest import write_csv

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Answer, Refusal


Judged: TypeAlias = dict[str, list[float]]


def shown(*typed: object) -> str:
    result = CliRunner().invoke(cli, list(map(str, typed)), catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def models(judged: Judged) -> dict[str, Any]:
    return {name: judged[name] for name in ("nb", "gbm")}


@pytest.mark.parametrize(
    ("typed", "options"),
    [
        ("", {}),
        (
            "--method delong --confidence 90% --adjust none",
            {"method": "delong", "confidence": 0.9, "adjust": "none"},
        ),
    ],
)
def test_aucs_and_their_differences(
    answer: Answer,
    jsonable: Callable[[Any], Any],
    scores_csv: Path,
    judged: Judged,
    typed: str,
    options: Any,
) -> None:
    found = answer("auc", scores_csv, "--label", "y", *typed.split())
    wanted = rocch.stats.compare_aucs(judged["y"], models(judged), **options)
    assert found["aucs"] == {name: jsonable(each) for name, each in wanted.aucs.items()}
    assert found["differences"] == jsonable(list(wanted.differences))
    assert found["overall"] == jsonable(wanted.overall)
    assert found["rows"] == len(judged["y"])


def test_people_read_intervals_z_and_p(scores_csv: Path, judged: Judged) -> None:
    text = shown("auc", scores_csv, "--label", "y")
    found = rocch.stats.compare_aucs(judged["y"], models(judged))
    (pair,) = found.differences
    line = next(line for line in text.splitlines() if "nb - gbm" in line)
    numbers = (f"{pair.difference:+.4f}", f"{pair.interval.low:+.4f}", f"{pair.z:.3f}")
    assert all(each in line for each in (*numbers, f"{pair.p_value:.4g}"))
    for name, estimate in found.aucs.items():
        line = next(line for line in text.splitlines() if line.split()[:1] == [name])
        assert f"{estimate.value:.4f}" in line
        assert f"{estimate.interval.low:.4f}" in line
    assert "Newcombe's intervals with DeLong's variance; DeLong's test." in text


def test_one_column_has_no_differences(answer: Answer, scores_csv: Path, judged: Judged) -> None:
    found = answer("auc", scores_csv, "--label", "y", "--scores", "nb")
    (estimate,) = found["aucs"].values()
    wanted = rocch.stats.auc_interval(judged["y"], judged["nb"])
    assert estimate["interval"] == list(wanted.interval)
    assert (found["differences"], found["overall"]) == ([], None)
    assert "Differences" not in shown("auc", scores_csv, "--label", "y", "--scores", "nb")


def test_groups_and_weights(answer: Answer, tmp_path: Path, judged: Judged) -> None:
    size = len(judged["y"])
    groups, weights = [f"g{i // 3}" for i in range(size)], [1 + i % 2 for i in range(size)]
    columns = {"y": judged["y"], **models(judged), "who": groups, "w": weights}
    file = write_csv(tmp_path / "rows.csv", **columns)
    both = ("--scores", "nb,gbm")
    grouped = answer("auc", file, "--label", "y", *both, "--groups", "who")
    wanted = rocch.stats.compare_aucs(judged["y"], models(judged), groups=groups)
    assert grouped["groups"] == len(set(groups))
    assert grouped["aucs"]["nb"]["interval"] == list(wanted.aucs["nb"].interval)
    weighted = answer("auc", file, "--label", "y", *both, "--weight", "w")
    wanted = rocch.stats.compare_aucs(judged["y"], models(judged), sample_weight=weights)
    assert weighted["aucs"]["nb"]["interval"] == list(wanted.aucs["nb"].interval)
    assert weighted["weighted"] is True


def test_partial_aucs(answer: Answer, scores_csv: Path, judged: Judged) -> None:
    options = ("--fpr", "0..20%", "--standardized")
    found = answer("auc", scores_csv, "--label", "y", *options)
    wanted = rocch.stats.partial_auc_interval(
        judged["y"], judged["nb"], fpr=(0, 0.2), standardized=True
    )
    assert found["measure"] == "standardized partial AUC over FPR 0 to 0.2"
    assert found["aucs"]["nb"]["interval"] == list(wanted.interval)
    at = rocch.roc.PartialAuc(fpr=(0, 0.2), standardized=True)
    (test,) = rocch.stats.compare_curves(judged["y"], models(judged), at=at)
    assert found["differences"][0]["p_value"] == test.p_value
    text = shown("auc", scores_csv, "--label", "y", "--tpr", "0.8..1", "--method", "percentile")
    assert "Partial AUC over TPR 0.8 to 1" in text
    assert "Percentiles of 2000 bootstrap samples; Student's test" in text


def test_csv_has_a_line_for_each_auc_and_each_difference(
    scores_csv: Path, tmp_path: Path, judged: Judged
) -> None:
    file = tmp_path / "aucs.csv"
    assert f"Written: {file}" in shown("auc", scores_csv, "--label", "y", "-o", file)
    with file.open(newline="") as stream:
        lines = list(csv.DictReader(stream))
    found = rocch.stats.compare_aucs(judged["y"], models(judged))
    assert [(line["first"], line["second"]) for line in lines] == [
        ("nb", ""),
        ("gbm", ""),
        ("nb", "gbm"),
    ]
    assert float(lines[0]["low"]) == found.aucs["nb"].interval.low
    assert lines[0]["z"] == ""
    assert float(lines[2]["z"]) == found.differences[0].z
    printed = shown("auc", scores_csv, "--label", "y", "-o", "-")
    assert printed == file.read_text("utf-8")


def test_reversed_scores_are_noticed_once(tmp_path: Path) -> None:
    file = write_csv(tmp_path / "rows.csv", y=[0, 1] * 60, bad=[*range(120, 0, -1)])
    reverse = write_csv(
        tmp_path / "reverse.csv", y=[0] * 60 + [1] * 60, bad=[x / 7 for x in range(120, 0, -1)]
    )
    shown("auc", file, "--label", "y", "--scores", "bad")  # a warning would be an error
    with pytest.warns(rocch.PositiveClassWarning) as caught:
        shown("auc", reverse, "--label", "y", "--fpr", "0..0.1")
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("--standardized", "--standardized goes with --fpr or --tpr"),
        ("--fpr 0.1", "'0.1' is not a range such as 0..0.1"),
        ("--fpr 0..0.1 --tpr 0.9..1", "must be one range"),
        ("--fpr 0..0.1 --method delong", "--method must be one of 'wilson', 'percentile'"),
        ("--method wilson", "--method must be one of 'newcombe', 'delong'; got 'wilson'"),
        ("--confidence 95", "--confidence must be a number between 0 and 1"),
        ("--confidence high", "'high' is not a number such as 0.8"),
        ("--groups who", "--groups must name a column"),
        ("--engine duckdb", "rocch auc needs the rows in memory"),
        ("--fpr 0..0.1 --weight gbm", "--weight goes with the whole AUC"),
    ],
)
def test_what_makes_no_sense_is_refused(
    refusal: Refusal, scores_csv: Path, typed: str, message: str
) -> None:
    assert message in refusal("auc", scores_csv, "--label", "y", *typed.split())


POWER: list[tuple[str, Any]] = [
    ("--auc 0.8", lambda s: s.auc_sample_size(0.8)),
    (
        "--auc 80% --null 0.7 --power 0.9 --prevalence 20% --sides 1 --significance 0.01",
        lambda s: s.auc_sample_size(
            0.8, null=0.7, power=0.9, prevalence=0.2, sides=1, significance=0.01
        ),
    ),
    ("--auc 0.73 --positives 41 --negatives 72", lambda s: s.auc_power(0.73, 41, 72)),
    (
        "--auc 0.73 --positives 41 --negatives 72 --formula obuchowski",
        lambda s: s.auc_power(0.73, 41, 72, formula="obuchowski"),
    ),
    ("--aucs 0.7,0.8", lambda s: s.auc_difference_sample_size((0.7, 0.8))),
    (
        "--aucs 0.7,0.8 --correlation 0.4,0.6 --power 0.9",
        lambda s: s.auc_difference_sample_size((0.7, 0.8), correlation=(0.4, 0.6), power=0.9),
    ),
    (
        "--aucs 0.7,0.8 --correlation 0.5 --positives 98 --negatives 98",
        lambda s: s.auc_difference_power((0.7, 0.8), 98, 98, correlation=0.5),
    ),
    ("--rate 0.9 --null 80%", lambda s: s.rate_sample_size(0.9, 0.8)),
    ("--rate 0.9 --null 0.8 --rows 100", lambda s: s.rate_power(0.9, 0.8, 100)),
]


@pytest.mark.parametrize(("typed", "wanted"), POWER)
def test_sizes_and_powers_are_those_of_python(
    answer: Answer, jsonable: Callable[[Any], Any], typed: str, wanted: Any
) -> None:
    expected = wanted(rocch.stats)
    assert answer("power", *typed.split()) == jsonable(expected)
    assert shown("power", *typed.split()) == f"{expected}\n"


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("", "state one of --auc, --aucs and --rate"),
        ("--auc 0.8 --rate 0.9", "state one of --auc, --aucs and --rate"),
        ("--auc 0.5", "--null must differ from --auc; got 0.5 for both"),
        ("--auc 1", "--auc must be a number between 0 and 1"),
        ("--auc 0.8 --rows 10", "--rows does not go with --auc"),
        ("--aucs 0.8", "--aucs must be 2 numbers; got '0.8'"),
        ("--aucs 0.8,0.8", "--aucs must differ"),
        ("--aucs 0.7,0.8 --null 0.5", "--null does not go with --aucs"),
        ("--aucs 0.7,0.8 --correlation 1,2,3", "--correlation must be 1 number or 2 numbers"),
        ("--rate 0.9", "--null is missing"),
        ("--rate 0.9 --null 0.8 --prevalence 0.1", "--prevalence does not go with --rate"),
        ("--auc 0.8 --positives 10", "--negatives is missing beside --positives"),
        ("--auc 0.8 --positives 10 --negatives 9 --power 0.9", "contradict each other"),
        ("--auc 0.8 --positives 10 --negatives 9 --prevalence 0.1", "--prevalence does not go"),
        ("--auc 0.8 --power 1", "--power must be a number between 0 and 1"),
    ],
)
def test_power_refuses_what_makes_no_sense(refusal: Refusal, typed: str, message: str) -> None:
    assert message in refusal("power", *shlex.split(typed))
