"""`rocch best`: which classifier and threshold to use, from a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from click.testing import CliRunner

import rocch
from rocch.cli.main import cli
from rocch.numbers import significant
from tests.cli.conftest import write_csv

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Answer, Refusal

    Judged = dict[str, list[float]]

VAGUE = "--negatives-per-positive 5 --false-positive 10..20 --false-negative 200..250"
KEYS = {
    "positives",
    "negatives",
    "weighted",
    "different_rows",
    "classifiers",
    "auc",
    "slope_bounds",
    "question",
    "choice",
    "new_rows",
    "savings",
    "sensitivity",
    "analysis",
    "out_of_sample",
}
DERIVED = {"predicted_positive_rate", "predicted_positive_range", "expected_cases"}


@pytest.fixture
def hull(judged: Judged) -> rocch.RocHull:
    return rocch.RocHull.from_scores(judged["y"], {"nb": judged["nb"], "gbm": judged["gbm"]})


def shown(file: Path, options: str) -> str:
    arguments = ["best", str(file), "--label", "y", *options.split()]
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    return result.stdout


def cost(**given: Any) -> rocch.Conditions:
    return rocch.Conditions(
        **{"prevalence": 0.1, "false_positive": 1, "false_negative": 5, **given}
    )


ASKED: dict[str, tuple[str, Any]] = {
    "costs": ("--prevalence 0.1 --false-positive 1 --false-negative 5", cost()),
    "costs of all four": (
        "--prevalence 0.1 --false-positive 2 --false-negative 9 --true-positive 1 "
        "--true-negative 0.5",
        cost(false_positive=2, false_negative=9, true_positive=1, true_negative=0.5),
    ),
    "observed": (
        "--prevalence observed --false-positive 1 --false-negative 5",
        cost(prevalence="observed"),
    ),
    "ratio": (
        "--negatives-per-positive 5 --false-positive 1 --false-negative 5",
        rocch.Conditions.from_ratio(negatives_per_positive=5, false_positive=1, false_negative=5),
    ),
    "FPR": ("--max-fpr 0.1", rocch.NeymanPearson(0.1)),
    "TPR": ("--min-tpr 0.9", rocch.MinimumTpr(0.9)),
    "capacity": (
        "--capacity 100 --positives 50 --negatives 950",
        rocch.Capacity(100, positives=50, negatives=950),
    ),
    "capacity for everyone": (
        "--capacity 1000 --positives 50 --negatives 950",
        rocch.Capacity(1000, positives=50, negatives=950),
    ),
    "share": (
        "--max-share 0.2 --prevalence 0.1",
        rocch.PredictedPositiveLimit(0.2, prevalence=0.1),
    ),
    "metric": ("--maximize f1 --prevalence 0.1", rocch.Maximize("f1", prevalence=0.1)),
    "metric, observed": ("--maximize accuracy", rocch.Maximize("accuracy")),
    "metric inside": ("--maximize geometric_mean", rocch.Maximize("geometric_mean")),
    "costs under limits": (
        "--prevalence 0.1 --false-positive 1 --false-negative 50 --max-fpr 0.3 --min-tpr 0.2",
        rocch.Constrained(cost(false_negative=50), rocch.NeymanPearson(0.3), rocch.MinimumTpr(0.2)),
    ),
    "metric under a limit": (
        "--maximize precision --prevalence 0.1 --min-tpr 0.5",
        rocch.Constrained(rocch.Maximize("precision", prevalence=0.1), rocch.MinimumTpr(0.5)),
    ),
    "two limits": (
        "--max-fpr 0.4 --min-tpr 0.3",
        rocch.Constrained(rocch.NeymanPearson(0.4), rocch.MinimumTpr(0.3)),
    ),
    "regret": (
        "--prevalence 0.1..0.2 --false-positive 1..2 --false-negative 5",
        rocch.MinimaxRegret(cost(prevalence=(0.1, 0.2), false_positive=(1, 2))),
    ),
}
asked = pytest.mark.parametrize(("options", "criterion"), ASKED.values(), ids=ASKED.keys())


@asked
@pytest.mark.parametrize("randomize", [False, True], ids=["plain", "randomized"])
def test_json_equals_the_python_api(
    answer: Answer,
    jsonable: Callable[[Any], Any],
    scores_csv: Path,
    hull: rocch.RocHull,
    options: str,
    criterion: Any,
    randomize: bool,
) -> None:
    coin = ("--randomize",) if randomize else ()
    found = answer("best", scores_csv, "--label", "y", *options.split(), *coin)
    wanted = hull.best(criterion, randomize=randomize)
    assert set(found) == KEYS
    assert (found["positives"], found["negatives"]) == (40, 80)
    choice = found["choice"]
    assert choice.pop("rule") == wanted.rule()
    assert choice == jsonable(wanted) | {name: jsonable(getattr(wanted, name)) for name in DERIVED}


@asked
def test_csv_and_parquet_give_the_same(
    answer: Answer, scores_csv: Path, scores_parquet: Path, options: str, criterion: Any
) -> None:
    assert criterion is not None
    csv, parquet = (
        answer("best", file, "--label", "y", *options.split())
        for file in (scores_csv, scores_parquet)
    )
    assert csv == parquet


@asked
def test_the_table_says_the_rule_and_its_rates(
    scores_csv: Path, hull: rocch.RocHull, options: str, criterion: Any
) -> None:
    wanted = hull.best(criterion)
    lines = [" ".join(line.split()) for line in shown(scores_csv, options).splitlines()]
    rule = wanted.rule()
    assert f"{rule[0].upper()}{rule[1:]}." in lines
    assert f"true positive rate {wanted.tpr:.4f}" in lines
    assert f"false positive rate {wanted.fpr:.4f}" in lines
    is_shown = wanted.objective not in ("highest TPR", "lowest FPR")  # each rate stands once
    assert (f"{wanted.objective} {wanted.value:.6g}" in lines) == is_shown
    assert f"randomizing would gain {wanted.randomizing_gains:.4g}" in lines


def test_intervals_give_the_slopes_of_the_paper(scores_csv: Path) -> None:
    out = shown(scores_csv, VAGUE)
    assert "slopes from 0.2 to 0.5 (a miss is 10 to 25 times as bad)." in out


def test_intervals_in_json(
    answer: Answer, jsonable: Callable[[Any], Any], scores_csv: Path, hull: rocch.RocHull
) -> None:
    conditions = rocch.Conditions.from_ratio(
        negatives_per_positive=5, false_positive=(10, 20), false_negative=(200, 250)
    )
    found = answer("best", scores_csv, "--label", "y", *VAGUE.split())
    wanted, parts = hull.sensitivity(conditions), found["sensitivity"]
    assert parts["slope_range"] == pytest.approx([0.2, 0.5])
    assert parts["cost_ratios"] == [10, 25]
    for name in ("choices", "switches", "never_range", "always_range", "shortfalls"):
        assert parts[name] == jsonable(getattr(wanted, name)), name
    for name in ("insensitive", "same_classifier"):
        assert parts[name] == getattr(wanted, name), name
    assert found["choice"]["value"] == wanted.minimax.value


def test_exact_conditions_have_no_sensitivity(answer: Answer, scores_csv: Path) -> None:
    options = ["--prevalence", "0.1", "--false-positive", "1", "--false-negative", "5"]
    assert answer("best", scores_csv, "--label", "y", *options)["sensitivity"] is None


def test_every_choice_of_a_range_is_in_the_table(scores_csv: Path, hull: rocch.RocHull) -> None:
    options = "--prevalence 0.1..0.5 --false-positive 1 --false-negative 1..9"
    conditions = cost(prevalence=(0.1, 0.5), false_negative=(1, 9))
    rows = [line.split() for line in shown(scores_csv, options).splitlines()]
    choices = hull.sensitivity(conditions).choices
    assert len(choices) > 2
    for choice in choices:
        rates = [f"{choice.point.fpr:.4f}", f"{choice.point.tpr:.4f}", f"{choice.worst_regret:.4g}"]
        assert any(row[-3:] == rates for row in rows)


@pytest.mark.parametrize(
    ("options", "assumed"),
    [
        ("--false-positive 1 --false-negative 5", "--prevalence observed"),
        ("--cost-ratio 5..10", "--prevalence observed --false-positive 1"),
        ("--max-share 0.2", "--prevalence observed"),
        ("--capacity 20 --population 100", "--prevalence observed"),
        ("--maximize f1", "--prevalence observed"),
    ],
)
def test_the_class_balance_is_that_of_the_rows_unless_stated(
    answer: Answer, scores_csv: Path, options: str, assumed: str
) -> None:
    asked = ("best", scores_csv, "--label", "y", *options.split())
    found, stated = answer(*asked), answer(*asked, *assumed.split())
    assert found.pop("question")["prevalence"] == stated.pop("question")["prevalence"] == 1 / 3
    assert found == stated


def test_costs_say_what_to_expect_on_new_rows(
    answer: Answer, scores_csv: Path, hull: rocch.RocHull
) -> None:
    options = "--prevalence 0.1 --false-positive 1 --false-negative 5"
    found = answer("best", scores_csv, "--label", "y", *options.split())
    wanted = hull.best(cost()).on_new_rows
    assert wanted.expected is not None
    assert wanted.interval is not None
    low, high = wanted.interval
    assert found["new_rows"]["expected"] == wanted.expected
    assert found["new_rows"]["interval"] == [low, high]
    assert found["new_rows"]["note"] == ""
    out = " ".join(shown(scores_csv, options).split())
    assert (
        "This is the best choice on the evaluation rows; on new rows expect "
        f"{significant(wanted.expected, 3)} per case (95%: "
        f"{significant(low, 3)} to {significant(high, 3)})."
    ) in out


def test_limits_say_which_rates_to_expect_on_new_rows(
    answer: Answer, scores_csv: Path, hull: rocch.RocHull
) -> None:
    options = "--capacity 6 --population 20"
    found = answer("best", scores_csv, "--label", "y", *options.split())["new_rows"]
    best = hull.best(rocch.Question(capacity=6, population=20))
    rates = best.on_new_rows.rates
    assert rates is not None
    assert (found["expected"], found["note"]) == (None, "no costs were stated")
    assert found["rates"]["tpr"] == rates.tpr
    assert found["rates"]["tpr_interval"] == list(rates.tpr_interval)
    for name in ("precision", "found", "missed", "false_alarms"):
        assert found["rates"][name] == getattr(rates, name)
    out = " ".join(shown(scores_csv, options).split())
    words = str(rates)
    assert f"This is the best choice on the evaluation rows. O{words[1:]}." in out
    positives = 20 * (best.prevalence or 0)
    assert f"found of {significant(positives, 3)} positives {positives * best.tpr:.1f}" in out
    assert f"missed {positives * (1 - best.tpr):.1f}" in out


def test_a_position_of_the_knob_is_no_best_choice(answer: Answer, scores_csv: Path) -> None:
    found = answer("best", scores_csv, "--label", "y", "--knob", "30%")
    note = "a position of the knob states no costs"
    assert (found["new_rows"]["expected"], found["new_rows"]["note"]) == (None, note)
    out = " ".join(shown(scores_csv, "--knob 0.3").split())
    assert (
        "the position on the evaluation rows. What to expect on new rows is not estimated: "
        f"{note}." in out
    )


def test_to_never_alarm_costs_the_same_on_new_rows(blunt_csv: Path) -> None:
    out = shown(blunt_csv, "--prevalence 0.01 --false-positive 1000 --false-negative 1")
    assert "Never alarm." in out
    assert "On new rows it costs the same, 0.01 per case." in " ".join(out.split())


def test_the_answer_repeats_the_question(answer: Answer, scores_csv: Path) -> None:
    options = "--prevalence 5-10% --false-positive 1 --false-negative 1/4..3"
    found = answer("best", scores_csv, "--label", "y", *options.split())
    assert found["question"] == {
        "prevalence": [0.05, 0.1],
        "false_positive": 1,
        "false_negative": [0.25, 3],
    }
    words = "5 to 10% positive, a false alarm costs 1, a miss costs 0.25 to 3"
    assert f"Question: {words}." in shown(scores_csv, options)


@pytest.fixture
def blunt_csv(tmp_path: Path) -> Path:
    """Write scores that rank a negative first and a positive last, so that extremes matter."""
    file = tmp_path / "blunt.csv"
    rows = "0,9 1,8 1,7 0,6 1,5 0,4 0,3 1,2"
    file.write_text("\n".join(["y,a", *rows.split(), ""]), encoding="utf-8")
    return file


def test_doing_nothing_is_said_to_be_best_where_it_is(blunt_csv: Path) -> None:
    out = shown(blunt_csv, "--prevalence 0.0001..0.01 --false-positive 10 --false-negative 1")
    assert "To never alarm is best" in out
    assert "beats doing nothing if its FPR" in out
    assert "Never alarm." in out


def test_always_alarming_is_said_to_be_best_where_it_is(blunt_csv: Path) -> None:
    out = shown(blunt_csv, "--prevalence 0.99..0.9999 --false-positive 1 --false-negative 100")
    assert "To always alarm is best" in out
    assert "beats always alarming" in out


@pytest.mark.parametrize(
    "options",
    [
        "--max-fpr 0.1 --prevalence 0.1",
        "--max-fpr 0.1 --positives 5",
        "--max-fpr 0.1 --negatives 5",
        "--max-fpr 0.1 --true-positive 1",
        "--min-tpr 0.1 --negatives-per-positive 5",
    ],
)
def test_options_without_effect_are_refused(
    refusal: Refusal, scores_csv: Path, options: str
) -> None:
    assert "to have an effect" in refusal("best", scores_csv, "--label", "y", *options.split())


def test_with_limits_only_what_they_allow_is_shown(scores_csv: Path) -> None:
    options = "--prevalence 0.1..0.2 --false-positive 1 --false-negative 2..20"
    assert "What can be best" in shown(scores_csv, options)
    assert "What can be best" not in shown(scores_csv, options + " --max-fpr 0.1")


def test_expected_cases_are_shown_for_a_capacity(answer: Answer, scores_csv: Path) -> None:
    options = "--capacity 100 --positives 50 --negatives 950"
    found = answer("best", scores_csv, "--label", "y", *options.split())
    assert 0 < found["choice"]["expected_cases"] <= 100
    assert f"{found['choice']['expected_cases']:.1f}" in shown(scores_csv, options)


def test_a_coin_is_told_in_words(scores_csv: Path) -> None:
    assert "With probability" in shown(scores_csv, "--max-fpr 0.123 --randomize")
    assert "With probability" not in shown(scores_csv, "--max-fpr 0.123")


def test_what_is_exactly_as_good_is_said(tmp_path: Path) -> None:
    file = tmp_path / "s.csv"
    file.write_text("y,a\n0,1\n1,2\n0,3\n1,4\n", encoding="utf-8")
    assert "Exactly as good: " in shown(
        file, "--prevalence 0.5 --false-positive 1 --false-negative 1"
    )


def test_a_metric_uses_the_class_balance_however_it_is_written(
    answer: Answer, scores_csv: Path, hull: rocch.RocHull
) -> None:
    options = ["--maximize", "f1", "--negatives-per-positive", "50"]
    found = answer("best", scores_csv, "--label", "y", *options)
    assert found["choice"]["value"] == hull.best(rocch.Maximize("f1", prevalence=1 / 51)).value


def test_the_help_lists_the_metrics_that_are_taken(scores_csv: Path) -> None:
    text = " ".join(CliRunner().invoke(cli, ["best", "--help"]).stdout.split())
    listed = text.split("A metric: ")[1].split(".")[0].split(", ")
    assert "f_score" in listed
    options = ["best", str(scores_csv), "--label", "y", "--maximize"]
    refusal = CliRunner().invoke(cli, [*options, "npv"]).stderr
    assert refusal.split("The names are: ")[1].strip() == ", ".join(listed) + "."
    for name in listed:
        assert CliRunner().invoke(cli, [*options, name]).exit_code == 0


def test_youdens_index_is_called_by_its_name(scores_csv: Path) -> None:
    out = shown(scores_csv, "--maximize youden")
    assert "the highest Youden's J." in out
    assert "highest Youden's J  " in out
    assert "informedness" not in out


@pytest.mark.parametrize("name", ["[red]x", "[/]", ":smile:"])
def test_markup_in_a_column_name_stays_text(tmp_path: Path, name: str) -> None:
    file = tmp_path / "s.csv"
    rows = "0,1\n1,2\n0,2.5\n1,3\n0,0\n"
    file.write_text(f"y,{name}\n{rows}", encoding="utf-8")
    assert f"Alarm when {name} >= " in shown(file, "--max-fpr 0.4")
    out = shown(file, VAGUE)
    assert f"classifiers: {name}; hull AUC" in out
    assert f"Alarm when {name} >= " in out


def test_the_file_is_only_read(answer: Answer, scores_csv: Path, scores_parquet: Path) -> None:
    for file in (scores_csv, scores_parquet):
        before = (file.read_bytes(), file.stat().st_mtime_ns)
        answer("best", file, "--label", "y", *VAGUE.split())
        shown(file, "--max-fpr 0.1")
        assert (file.read_bytes(), file.stat().st_mtime_ns) == before


REFUSED = {
    "nothing known": ("", ("--false-positive", "--max-fpr", "--maximize")),
    "high to low": (
        "--prevalence 0.1 --false-positive 20..10 --false-negative 1",
        ("low to high", "20", "10"),
    ),
    "prevalence high to low": (
        "--prevalence 0.2..0.1 --false-positive 2 --false-negative 1",
        ("low to high",),
    ),
    "prevalence 5": (
        "--prevalence 5 --false-positive 1 --false-negative 1",
        ("prevalence", "0 to 1", "5"),
    ),
    "prevalence a word": ("--prevalence half --false-positive 1 --false-negative 1", ("'half'",)),
    "prevalence NaN": ("--prevalence nan --false-positive 1 --false-negative 1", ("nan",)),
    "FN cost missing": (
        "--prevalence 0.1 --false-positive 1",
        ("--false-negative", "must be given with"),
    ),
    "FP cost missing": (
        "--prevalence 0.1 --false-negative 1",
        ("--false-positive", "must be given with"),
    ),
    "class balance twice": (
        "--prevalence 0.1 --negatives-per-positive 9 --false-positive 1 --false-negative 1",
        ("--prevalence", "--negatives-per-positive", "got both"),
    ),
    "negative cost": (
        "--prevalence 0.1 --false-positive -1 --false-negative 1",
        ("--false-positive", "not negative", "-1"),
    ),
    "both free": ("--prevalence 0.1 --false-positive 0 --false-negative 0", ("both",)),
    "text cost": (
        "--prevalence 0.1 --false-positive ten --false-negative 1",
        ("--false-positive", "'ten'", "10..20"),
    ),
    "three ends": (
        "--prevalence 0.1 --false-positive 1..2..3 --false-negative 1",
        ("--false-positive", "'1..2..3'"),
    ),
    "NaN cost": ("--prevalence 0.1 --false-positive nan --false-negative 1", ("nan",)),
    "infinite cost": (
        "--prevalence 0.1 --false-positive inf --false-negative 1",
        ("--false-positive", "finite", "inf"),
    ),
    "money from a ratio": (
        "--cost-ratio 3..200 --currency EUR",
        ("--currency", "a cost in money", "--false-positive or --false-negative"),
    ),
    "capacity of shares": (
        "--capacity 20 --positives 0.06 --negatives 0.94",
        ("--capacity", "--positives", "not as shares"),
    ),
    "capacity for more than the population": (
        "--capacity 250 --population 200 --prevalence 6%",
        ("--capacity", "250 of 200"),
    ),
    "capacity alone": ("--capacity 5", ("--capacity", "--positives", "--negatives")),
    "capacity of half": ("--capacity 5 --positives 9", ("--capacity", "--negatives")),
    "negative capacity": (
        "--capacity -5 --positives 9 --negatives 9",
        ("--capacity", "not negative", "-5"),
    ),
    "FPR above 1": ("--max-fpr 5", ("must", "0 to 1", "5")),
    "FPR NaN": ("--max-fpr nan", ("must", "nan")),
    "FPR text": ("--max-fpr low", ("--max-fpr", "'low'")),
    "TPR below 0": ("--min-tpr -0.1", ("must", "0 to 1", "-0.1")),
    "unknown metric": ("--maximize auc", ("'auc'", "precision, lift, f1")),
    "metric and costs": (
        "--maximize f1 --prevalence 0.1 --false-positive 1 --false-negative 1",
        ("got both",),
    ),
    "metric at a range": ("--maximize f1 --prevalence 0.1..0.2", ("must", "0.1", "0.2")),
    "metric without positives": ("--maximize lift --prevalence 0", ("prevalence",)),
    "missing column": ("--max-fpr 0.1 --scores svm", ("--scores", "'svm'", "'y', 'nb', 'gbm'")),
}


@pytest.mark.parametrize(("options", "says"), REFUSED.values(), ids=REFUSED.keys())
def test_bad_input_gets_one_line(
    refusal: Refusal, scores_csv: Path, options: str, says: tuple[str, ...]
) -> None:
    line = refusal("best", scores_csv, "--label", "y", *options.split())
    for words in says:
        assert words in line


def test_a_limit_that_nobody_meets_has_a_status_of_its_own(
    refusal: Refusal, scores_csv: Path
) -> None:
    limits = ("--max-fpr", "0", "--min-tpr", "0.99")
    line = refusal("best", scores_csv, "--label", "y", *limits, status=3)
    for words in ("FPR <= 0", "TPR >= 0.99", "Relax"):
        assert words in line


NAMED = {
    "high to low": (
        "--prevalence 0.1 --false-positive 20..10 --false-negative 1",
        "--false-positive",
    ),
    "negative cost": (
        "--prevalence 0.1 --false-positive 1 --false-negative -1",
        "--false-negative",
    ),
    "prevalence 5": ("--prevalence 5 --false-positive 1 --false-negative 1", "--prevalence"),
    "prevalence a word": (
        "--prevalence half --false-positive 1 --false-negative 1",
        "--prevalence",
    ),
    "FPR above 1": ("--max-fpr 5", "--max-fpr"),
    "negative capacity": ("--capacity -5 --positives 9 --negatives 9", "--capacity"),
    "unknown metric": ("--maximize auc", "--maximize"),
}


@pytest.mark.parametrize(("options", "option"), NAMED.values(), ids=NAMED.keys())
def test_the_line_names_the_option_as_it_is_typed(
    refusal: Refusal, scores_csv: Path, options: str, option: str
) -> None:
    assert option in refusal("best", scores_csv, "--label", "y", *options.split())


def test_a_capacity_out_of_a_population(answer: Answer, refusal: Refusal, scores_csv: Path) -> None:
    asked = ("best", scores_csv, "--label", "y", "--capacity", "100")
    whole = answer(*asked, "--population", "1000", "--prevalence", "0.05")
    parts = answer(*asked, "--positives", "50", "--negatives", "950")
    del whole["question"], parts["question"]
    assert whole == parts
    assert "--population" in refusal(*asked)
    both = ("--population", "9", "--prevalence", "0.5", "--positives", "4")
    assert "got both" in refusal(*asked, *both)


COSTLY = "--prevalence 0.1 --false-positive 1 --false-negative 5"


def test_costs_say_what_the_choice_saves(
    answer: Answer, scores_csv: Path, hull: rocch.RocHull
) -> None:
    found = answer("best", scores_csv, "--label", "y", *COSTLY.split())["savings"]
    wanted = hull.best(cost()).savings()
    assert found == wanted.to_dict()
    out = " ".join(shown(scores_csv, COSTLY).split())
    assert f"It {wanted}." in out
    assert "What it saves per 1,000 cases on new rows" in out
    assert "What it saves" not in shown(scores_csv, "--max-fpr 0.1")


def test_savings_are_stated_in_money_and_months(
    answer: Answer, scores_csv: Path, hull: rocch.RocHull
) -> None:
    options = f"{COSTLY} --currency EUR --cases-per-month 2,000"
    found = answer("best", scores_csv, "--label", "y", *options.split())["savings"]
    assert found == hull.best(cost()).savings().per(2000, "month", currency="EUR").to_dict()
    assert "What it saves per month in EUR on new rows" in shown(scores_csv, options)


@pytest.mark.parametrize(
    ("typed", "rule"),
    [
        ("0.4", None),
        (">= .4", None),
        ("nb:0.4", ("nb", 0.4)),
        ("nb >= 0.4", ("nb", 0.4)),
        ("nb>=0.4", ("nb", 0.4)),
        ("Alarm when nb >= 0.4", ("nb", 0.4)),
        ("gbm:-1e1", ("gbm", -10.0)),
    ],
)
def test_todays_rule_is_a_threshold(
    answer: Answer, scores_csv: Path, hull: rocch.RocHull, typed: str, rule: Any
) -> None:
    options = (*COSTLY.split(), "--baseline", typed)
    found = answer("best", scores_csv, "--label", "y", *options)["savings"]
    choice = hull.best(cost())
    assert found == choice.savings((choice.classifier, 0.4) if rule is None else rule).to_dict()
    assert found["baselines"][0]["baseline"].startswith("today's rule, ")


@pytest.mark.parametrize("typed", ["gbm > 0.5", "gbm 0.5", "gbm >= half", "logreg"])
def test_an_unclear_rule_is_refused_with_an_example(
    refusal: Refusal, scores_csv: Path, typed: str
) -> None:
    said = refusal("best", scores_csv, "--label", "y", *COSTLY.split(), "--baseline", typed)
    model = "gbm" if "gbm" in typed else "nb"
    assert f"got {typed!r}. For example: --baseline '{model} >= 0.5'." in said
    assert "The columns are: 'nb', 'gbm'." in said


def test_a_rule_of_an_unknown_model_is_refused_with_the_known_ones(
    refusal: Refusal, scores_csv: Path
) -> None:
    rule = ("--baseline", "logreg >= 0.5")
    said = refusal("best", scores_csv, "--label", "y", *COSTLY.split(), *rule)
    assert "'logreg'" in said
    assert "'nb', 'gbm'" in said


def test_todays_rule_is_a_column_of_labels(
    answer: Answer, refusal: Refusal, tmp_path: Path, judged: Judged
) -> None:
    file = tmp_path / "today.csv"
    today = ["yes" if score >= 0.4 else "no" for score in judged["nb"]]
    rows = zip(judged["y"], judged["nb"], today, strict=True)
    lines = [f"{'yes' if y else 'no'},{nb},{now}" for y, nb, now in rows]
    file.write_text("\n".join(["y,nb,today", *lines, ""]), encoding="utf-8")
    options = f"{COSTLY} --baseline today"
    found = answer("best", file, "--label", "y", *options.split())["savings"]
    hull = rocch.RocHull.from_scores(judged["y"], {"nb": judged["nb"]})
    wanted = hull.best(cost()).savings([each == "yes" for each in today])
    assert found == wanted.to_dict()
    refused = refusal("best", file, "--label", "y", *COSTLY.split(), "--baseline", "other")
    assert "other" in refused
    file.write_text(file.read_text("utf-8").replace(",yes", ",perhaps"), encoding="utf-8")
    refused = refusal("best", file, "--label", "y", *options.split())
    assert "--baseline must be a threshold, a model, 'MODEL >= THRESHOLD', or a col" in refused
    assert "got 'perhaps' in the column 'today'" in refused


@pytest.mark.parametrize("chosen", ["", "--scores nb,gbm"])
def test_todays_rule_is_a_model(
    answer: Answer, tmp_path: Path, judged: Judged, chosen: str
) -> None:
    scores = {name: 1 / (1 + np.exp(-np.array(judged[name]))) for name in ("nb", "gbm")}
    file = write_csv(tmp_path / "wide.csv", y=np.array(judged["y"], dtype=int), **scores)
    options = f"--label y {COSTLY} {chosen}".split()
    found = answer("best", file, *options, "--baseline", "nb")["savings"]
    hull = rocch.RocHull.from_scores(judged["y"], scores)
    assert found == hull.best(cost()).savings("nb").to_dict()
    assert found["baselines"][0]["baseline"] == "nb at threshold 0.5"


def test_todays_rule_is_a_model_of_a_long_file(
    answer: Answer, refusal: Refusal, tmp_path: Path, judged: Judged
) -> None:
    rows = len(judged["y"])
    file = write_csv(
        tmp_path / "long.csv",
        case=np.tile(np.arange(rows), 2),
        y=np.tile(np.array(judged["y"], dtype=int), 2),
        model=np.repeat(["nb", "gbm"], rows),
        score=1 / (1 + np.exp(-np.array([*judged["nb"], *judged["gbm"]]))),
    )
    options = f"--label y --classifier model --row case --score score {COSTLY}".split()
    found = answer("best", file, *options, "--baseline", "nb")["savings"]["baselines"][0]
    assert found["baseline"] == "nb at threshold 0.5"
    assert "'nb', 'gbm'" in refusal("best", file, *options, "--baseline", "lr")


def test_ranges_say_what_the_choice_saves_within_them(
    answer: Answer, scores_csv: Path, hull: rocch.RocHull
) -> None:
    options = "--prevalence 0.1..0.3 --false-positive 1..2 --false-negative 5 --baseline nb:0.4"
    options += " --currency EUR --cases-per-month 2000"
    found = answer("best", scores_csv, "--label", "y", *options.split())
    vague = rocch.Conditions(prevalence=(0.1, 0.3), false_positive=(1, 2), false_negative=5)
    best = hull.best(rocch.MinimaxRegret(vague))
    wanted = best.savings(("nb", 0.4)).per(2000, "month", currency="EUR")
    assert found["savings"] == wanted.to_dict()
    assert found["savings"]["baselines"][0]["saves_range"] == list(wanted.rows[0].saves_range or ())
    assert found["new_rows"]["expected_range"] == list(best.on_new_rows.expected_range or ())
    out = " ".join(shown(scores_csv, options).split())
    assert f"It {wanted}." in out
    assert "What it saves per month in EUR on new rows" in out
    least, most = (f"{end:.3g}" for end in best.on_new_rows.expected_range or ())
    assert f"on new rows expect {least} to {most} per case (95%: " in out


def test_ranges_for_which_never_alarming_is_best_have_known_costs(tmp_path: Path) -> None:
    file = tmp_path / "useless.csv"
    file.write_text("y,m\n" + "0,2\n1,1\n0,3\n1,3\n0,0\n" * 5, encoding="utf-8")
    out = shown(file, "--prevalence 0.1..0.2 --false-positive 90 --false-negative 1")
    assert "On new rows it costs the same, 0.1 to 0.2 per case." in " ".join(out.split())


def test_todays_rule_needs_a_cost(refusal: Refusal, scores_csv: Path) -> None:
    options = ("--max-fpr", "0.1", "--baseline", "0.5")
    said = refusal("best", scores_csv, "--label", "y", *options)
    assert "--baseline must be given where the choice has an expected cost on new rows" in said
