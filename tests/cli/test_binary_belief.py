"""`rocch best` with an expert's belief."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

import rocch
from rocch.cli.main import cli

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Answer, Refusal

    Judged = dict[str, list[float]]

SAID = "--cost-ratio 1..20 --likely 3 --false-positive 20"
COSTS = rocch.Belief.cost_ratio(1, 20, likely=3).with_unit(false_positive=20)
OTHER = rocch.Belief.cost_ratio(0.5, 4).with_unit(false_negative=7)
ASKED: dict[str, tuple[str, rocch.Belief]] = {
    "a number": (f"--prevalence 0.2 {SAID}", COSTS.with_prevalence(0.2)),
    "observed": (f"--prevalence observed {SAID}", COSTS.with_prevalence("observed")),
    "an interval": (f"--prevalence 0.1..0.4 {SAID}", COSTS.with_prevalence((0.1, 0.4))),
    "a ratio": (f"--negatives-per-positive 4 {SAID}", COSTS.with_prevalence(0.2)),
    "a miss as unit": (
        "--prevalence 0.2 --cost-ratio 0.5..4 --false-negative 7",
        OTHER.with_prevalence(0.2),
    ),
    "no doubt": (
        "--prevalence 0.2 --cost-ratio 5 --false-positive 2",
        rocch.Belief.cost_ratio(5).with_unit(false_positive=2).with_prevalence(0.2),
    ),
}
asked = pytest.mark.parametrize(("options", "belief"), ASKED.values(), ids=ASKED.keys())


@pytest.fixture
def hull(judged: Judged) -> rocch.RocHull:
    return rocch.RocHull.from_scores(judged["y"], {"nb": judged["nb"], "gbm": judged["gbm"]})


def shown(file: Path, options: str) -> str:
    arguments = ["best", str(file), "--label", "y", *options.split()]
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    return result.stdout


@asked
def test_json_equals_the_python_api(
    answer: Answer,
    jsonable: Callable[[Any], Any],
    scores_csv: Path,
    hull: rocch.RocHull,
    options: str,
    belief: rocch.Belief,
) -> None:
    found = answer("best", scores_csv, "--label", "y", *options.split())
    best, weighed = (
        hull.best(rocch.LeastExpectedRegret(belief)),
        rocch.stats.decision_analysis(hull, belief),
    )
    choice, parts = found["choice"], found["analysis"]
    assert (choice["rule"], choice["objective"]) == (best.rule(), "least expected regret")
    assert (choice["value"], choice["expected_cost"]) == (best.value, best.expected_cost)
    assert parts["belief"] == str(weighed.belief)
    for name in (
        "gain_over_mean",
        "value_of_knowing",
        "value_of_knowing_costs",
        "value_of_knowing_prevalence",
    ):
        assert parts[name] == getattr(weighed, name)
    assert parts["classifiers"] == jsonable(weighed.classifiers)
    for name in ("choices", "safest", "at_mean", "at_likely"):
        assert parts[name] == jsonable(getattr(weighed, name)), name


@asked
def test_the_tables_say_the_same(
    scores_csv: Path, hull: rocch.RocHull, options: str, belief: rocch.Belief
) -> None:
    weighed = rocch.stats.decision_analysis(hull, belief)
    lines = [" ".join(line.split()) for line in shown(scores_csv, options).splitlines()]
    rule = weighed.least_expected_regret.rule()
    assert f"{rule[0].upper()}{rule[1:]}." in lines
    likely = [choice for choice in weighed.choices if choice.probability >= 0.005]
    rows: list[Any] = [*weighed.classifiers, *likely]
    for row in rows:
        numbers = (row.expected_cost, row.expected_regret, row.worst_regret)
        end = " ".join(f"{number:.4g}" for number in numbers if number is not None)
        start = f"{row.probability:.1%}"
        assert any(line.startswith(start) and line.endswith(end) for line in lines), row
    assert str(weighed) in lines
    assert any(f"{weighed.value_of_knowing_prevalence:.4g}." in line for line in lines)


def test_small_chances_are_counted(scores_csv: Path, hull: rocch.RocHull) -> None:
    belief = COSTS.with_prevalence((0.1, 0.4))
    hidden = [
        c for c in rocch.stats.decision_analysis(hull, belief).choices if c.probability < 0.005
    ]
    out = shown(scores_csv, f"--prevalence 0.1..0.4 {SAID}")
    assert hidden
    assert f"{len(hidden)} more with a chance below 0.5% each." in out


def test_an_open_end_has_no_safest_choice(answer: Answer, scores_csv: Path) -> None:
    options = "--prevalence 0.2 --cost-ratio 1..inf --likely 3 --false-positive 1"
    found = answer("best", scores_csv, "--label", "y", *options.split())
    assert found["analysis"]["safest"] is None
    assert all(choice["worst_regret"] is None for choice in found["analysis"]["choices"])
    assert "safest" not in shown(scores_csv, options)


def test_under_limits_only_the_answer_is_shown(
    answer: Answer, scores_csv: Path, hull: rocch.RocHull
) -> None:
    options = f"--prevalence 0.2 {SAID} --max-fpr 0.1"
    goal = rocch.LeastExpectedRegret(COSTS.with_prevalence(0.2))
    for coin in (False, True):
        extra = ["--randomize"] if coin else []
        found = answer("best", scores_csv, "--label", "y", *options.split(), *extra)
        wanted = hull.best(rocch.Constrained(goal, rocch.NeymanPearson(0.1)), randomize=coin)
        assert (found["choice"]["rule"], found["choice"]["value"]) == (wanted.rule(), wanted.value)
        assert found["analysis"] is None
    assert "What can be best" not in shown(scores_csv, options)


def test_markup_in_a_name_stays_text(tmp_path: Path) -> None:
    file = tmp_path / "s.csv"
    file.write_text("y,[red]x\n0,1\n1,2\n0,2.5\n1,3\n0,0\n", encoding="utf-8")
    out = shown(file, f"--prevalence 0.2 {SAID}")
    assert "[red]x" in out.split("re-aimed")[1]


REFUSED = {
    "two units": (
        "--prevalence 0.1 --cost-ratio 5..10 --false-positive 1 --false-negative 2",
        (
            "--cost-ratio must be given with one cost",
            "Leave --false-positive or --false-negative out",
        ),
    ),
    "a vague unit": (
        "--prevalence 0.1 --cost-ratio 5..10 --false-positive 1..2",
        ("one number", "1..2"),
    ),
    "a free unit": (
        "--prevalence 0.1 --cost-ratio 5..10 --false-positive 0",
        ("--false-positive", "above 0"),
    ),
    "likely outside": (
        "--prevalence 0.1 --cost-ratio 5..10 --likely 20 --false-positive 1",
        ("--likely must be a number from 5 to 10", "20"),
    ),
    "likely alone": ("--likely 3 --max-fpr 0.1", ("--likely", "--cost-ratio")),
    "likely without doubt": (
        "--prevalence 0.1 --cost-ratio 5 --likely 7 --false-positive 1",
        ("--likely must be a number from 5 to 5",),
    ),
    "high to low": ("--prevalence 0.1 --cost-ratio 10..5 --false-positive 1", ("low to high",)),
    "negative": ("--prevalence 0.1 --cost-ratio -1..5 --false-positive 1", ("--cost-ratio", "-1")),
    "infinite": (
        "--prevalence 0.1 --cost-ratio inf --false-positive 1",
        ("--cost-ratio", "inf"),
    ),
    "open and even": ("--prevalence 0.1 --cost-ratio 1..inf --false-positive 1", ("infinite",)),
    "prevalence 0": (
        "--prevalence 0 --cost-ratio 1..3 --false-positive 1",
        ("--prevalence", "between 0 and 1"),
    ),
    "a hit's cost": (
        "--prevalence 0.1 --cost-ratio 1..3 --false-positive 1 --true-positive 1",
        ("--true-positive must be left out beside --cost-ratio",),
    ),
    "a metric": (
        "--prevalence 0.1 --cost-ratio 1..3 --false-positive 1 --maximize f1",
        ("--maximize must be left out beside --cost-ratio",),
    ),
    "open without python": (
        "--prevalence 0.1 --cost-ratio 1..inf --false-positive 1",
        ("give --false-negative as its unit",),
    ),
    "out of sample under a limit": (
        "--prevalence 0.1 --cost-ratio 1..3 --false-positive 1 --max-fpr 0.1 --out-of-sample",
        ("--out-of-sample compares costs",),
    ),
    "out of sample with intervals": (
        "--prevalence 0.1 --false-positive 1..2 --false-negative 5 --out-of-sample",
        ("--out-of-sample compares costs",),
    ),
    "text": ("--prevalence 0.1 --cost-ratio many --false-positive 1", ("--cost-ratio", "'many'")),
}


@pytest.mark.parametrize(("options", "words"), REFUSED.values(), ids=REFUSED.keys())
def test_bad_input_gives_one_clear_line(
    refusal: Refusal, scores_csv: Path, options: str, words: tuple[str, ...]
) -> None:
    line = refusal("best", scores_csv, "--label", "y", *options.split())
    for word in words:
        assert word in line


@pytest.mark.parametrize(
    "options",
    [f"--prevalence 0.2 {SAID}", "--prevalence 0.2 --false-positive 1 --false-negative 6"],
    ids=["belief", "exact"],
)
def test_the_choice_out_of_sample(answer: Answer, scores_csv: Path, options: str) -> None:
    found = answer("best", scores_csv, "--label", "y", *options.split(), "--out-of-sample")
    found = found["out_of_sample"]
    assert found["out_of_sample_cost"] == pytest.approx(found["apparent_cost"] + found["optimism"])
    assert found["interval"][0] < found["out_of_sample_cost"] < found["interval"][1]
    assert sum(found["wins"].values()) == pytest.approx(1)
    out = shown(scores_csv, f"{options} --out-of-sample")
    assert "On other rows:" in out
    assert "of resamples" in out


def test_a_false_alarm_may_be_the_worse_error(answer: Answer, scores_csv: Path) -> None:
    options = "--prevalence 0.2 --cost-ratio 1/4..1/2 --likely 1/3 --false-negative 1"
    found = answer("best", scores_csv, "--label", "y", *options.split())
    belief = rocch.Belief.cost_ratio(1 / 4, 1 / 2, likely=1 / 3).with_unit(false_negative=1)
    assert found["analysis"]["belief"] == str(belief.with_prevalence(0.2))


def test_a_false_alarm_is_the_unit_unless_stated(answer: Answer, scores_csv: Path) -> None:
    options = ("best", scores_csv, "--label", "y", "--cost-ratio", "5-10")
    found, stated = answer(*options), answer(*options, "--false-positive", "1")
    del found["question"], stated["question"]
    assert found == stated
    assert "a false alarm costs 1" in found["analysis"]["belief"]


def test_the_choice_can_be_drawn(answer: Answer, scores_csv: Path, tmp_path: Path) -> None:
    for options in (f"--prevalence 0.2 {SAID}", "--max-fpr 0.1"):
        picture = tmp_path / "choice.png"
        answer("best", scores_csv, "--label", "y", *options.split(), "--plot", str(picture))
        assert picture.stat().st_size > 10_000
        picture.unlink()
