"""What a choice saves on new rows: both sides are compared on the same rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import rocch
from rocch.kernels.bounds import clopper_pearson
from rocch.roc.conditions import Case, Interval
from rocch.roc.rate_intervals import saving_interval
from rocch.roc.savings import Saving, Savings
from rocch.rows import ScoredRows

KNOWN = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=4)


def sample(seed: int = 0, rows: int = 400) -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(seed)
    y = rng.random(rows) < 0.3
    values = rng.normal(size=(2, rows)) + 1.5 * y
    return y, {"p": 1 / (1 + np.exp(2.5 - 1.5 * values[0])), "raw": 3 * values[1]}


@pytest.fixture(scope="module")
def rows() -> tuple[Any, dict[str, Any]]:
    return sample()


@pytest.fixture(scope="module")
def best(rows: tuple[Any, dict[str, Any]]) -> rocch.roc.OperatingPoint:
    return rocch.RocHull.from_scores(rows[0], {"p": rows[1]["p"]}).best(KNOWN)


def find(found: Savings, baseline: str) -> Saving:
    (row,) = [row for row in found.rows if row.baseline == baseline]
    return row


def cost_of(y: Any, alarms: Any) -> float:
    return float(KNOWN.expected_cost(alarms[~y].mean(), alarms[y].mean()))


def test_the_baselines_of_a_hull(best: rocch.roc.OperatingPoint, rows: Any) -> None:
    found = best.savings()
    names = [row.baseline for row in found.rows]
    assert names == ["p at threshold 0.5", "always alarming", "never alarming"]
    costs = {row.baseline: row.cost for row in found.rows}
    assert costs["p at threshold 0.5"] == pytest.approx(cost_of(rows[0], rows[1]["p"] >= 0.5))
    assert costs["never alarming"] == pytest.approx(0.3 * 4)
    assert costs["always alarming"] == pytest.approx(0.7)
    new = best.on_new_rows
    assert new.expected is not None
    assert new.interval is not None
    assert (found.expected, found.interval) == (new.expected, new.interval)
    for row in found.rows:
        assert row.saves == pytest.approx(row.cost - new.expected)
        assert row.saves_interval.low <= row.saves <= row.saves_interval.high
        assert row.interval.low <= row.cost <= row.interval.high
    never = find(found, "never alarming")
    assert never.interval.exact
    assert never.saves_interval == pytest.approx((1.2 - new.interval.high, 1.2 - new.interval.low))


def test_savings_are_printed_beside_the_choice(best: rocch.roc.OperatingPoint) -> None:
    rule, cost, saving = str(best).splitlines()
    assert rule.startswith("alarm when p >= ")
    assert cost == str(best.on_new_rows)
    assert saving == str(best.savings())
    first = best.savings().rows[0]
    low, high = first.saves_interval
    amounts = f"saves {first.saves:.3g} per case against p at threshold 0.5"
    assert saving == f"{amounts} (95%: {low:.3g} to {high:.3g})"


def test_many_rows_are_not_estimated_by_printing(monkeypatch: pytest.MonkeyPatch) -> None:
    y = np.arange(110_000) % 3 == 0
    hull = rocch.RocHull.from_scores(y, {"p": np.arange(110_000) % 7 / 7})

    def fail(*_: Any) -> None:
        raise AssertionError("too many rows")

    monkeypatch.setattr("rocch.roc.hull.hull_comparison", fail)
    assert "\n" not in str(hull.best(KNOWN))


def test_pairs_narrow_the_interval(best: rocch.roc.OperatingPoint) -> None:
    row = find(best.savings(), "p at threshold 0.5")
    together = row.saves_interval.high - row.saves_interval.low
    interval = best.on_new_rows.interval
    assert interval is not None
    apart = np.hypot(row.interval.high - row.interval.low, interval.high - interval.low)
    assert together < 0.95 * apart


def test_the_interval_joins_the_rates_of_rows_that_differ() -> None:
    """Compare with the formula, rate by rate."""
    rng = np.random.default_rng(3)
    positive = np.arange(60) < 20
    ours, theirs = rng.random(60) < 0.5, rng.random(60) < 0.4
    case = Case(0.2, 3.0, 7.0)
    found = saving_interval(
        ScoredRows(positive, {}), ours.astype(float), theirs.astype(float), case, 0.9
    )
    saves = below = above = 0.0
    for members, price in ((~positive, 0.8 * 3), (positive, -0.2 * 7)):
        for alone, factor in ((theirs & ~ours, price), (ours & ~theirs, -price)):
            count, size = int(alone[members].sum()), int(members.sum())
            low, high = (float(end) for end in clopper_pearson(np.array(count), size, 0.9))
            down, up = count / size - low, high - count / size
            saves += factor * count / size
            below += (factor * (down if factor > 0 else up)) ** 2
            above += (factor * (up if factor > 0 else down)) ** 2
    costs = [case.cost(each[~positive].mean(), each[positive].mean()) for each in (theirs, ours)]
    assert saves == pytest.approx(costs[0] - costs[1])
    assert found == pytest.approx((saves - below**0.5, saves + above**0.5))


def test_groups_and_weights_widen_the_interval() -> None:
    y, scores = sample(5, 200)
    thrice = np.repeat(np.arange(200), 3)
    plain = rocch.RocHull.from_rows(ScoredRows.of(y[thrice], {"p": scores["p"][thrice]}))
    grouped = rocch.RocHull.from_rows(
        ScoredRows.of(y[thrice], {"p": scores["p"][thrice]}, groups=thrice)
    )
    rng = np.random.default_rng(0)
    weights = rng.choice([0.1, 5.0], 200)
    weighted = rocch.RocHull.from_scores(y, {"p": scores["p"]}, sample_weight=weights)
    once = rocch.RocHull.from_scores(y, {"p": scores["p"]})
    widths = {}
    for name, hull in (("3", plain), ("g", grouped), ("w", weighted), ("1", once)):
        low, high = find(hull.best(KNOWN).savings(0.3), "today's rule, p >= 0.3").saves_interval
        widths[name] = high - low
    assert widths["g"] > 1.4 * widths["3"]
    assert widths["w"] > widths["1"]


def test_todays_rule_comes_first(rows: Any) -> None:
    y, scores = rows
    best = rocch.RocHull.from_scores(y, scores).best(KNOWN)
    other = "raw" if best.classifier == "p" else "p"
    alarms = scores["raw"] >= 1.25
    for baseline, name in (
        (("raw", 1.25), "today's rule, raw >= 1.25"),
        (alarms, "today's rule"),
        (alarms.astype(int).tolist(), "today's rule"),
    ):
        found = best.savings(baseline)
        assert found.rows[0].baseline == name
        assert found.rows[0].cost == pytest.approx(cost_of(y, alarms))
        assert str(found).endswith(")")
        assert f"against {name} (" in str(found) or f"than {name} (" in str(found)
    same = best.savings(0.25).rows[0]
    assert same.baseline == f"today's rule, {best.classifier} >= 0.25"
    named = best.savings("p").rows[0]
    assert named.baseline == "p at threshold 0.5"
    assert named.cost == pytest.approx(cost_of(y, scores["p"] >= 0.5))
    assert best.savings((other, 0)).rows[0].baseline == f"today's rule, {other} >= 0"


class Always:
    """A classifier that predicts 1."""

    def predict(self, features: Any) -> Any:
        return np.ones(len(features), dtype=int)


def test_a_classifier_predicts_the_rows(best: rocch.roc.OperatingPoint, rows: Any) -> None:
    found = best.savings(Always(), X=rows[0])
    assert found.rows[0].baseline == "today's rule"
    assert found.rows[0].cost == pytest.approx(0.7)
    with pytest.raises(rocch.InputError, match="X must be given beside a classifier as baseline"):
        best.savings(Always())


@pytest.mark.parametrize(
    ("baseline", "message"),
    [
        ("gbm", "baseline .*'gbm'"),
        ("raw", "baseline must come with its threshold; got 'raw', whose scores are no prob"),
        (("raw", "low"), "baseline"),
        ([1, 0, 1], "baseline must have .* evaluation rows"),
        (np.zeros((400, 2)), "baseline"),
        (float("nan"), "baseline must be"),
    ],
)
def test_other_baselines_are_refused(rows: Any, baseline: Any, message: str) -> None:
    with pytest.raises(rocch.InputError, match=message):
        rocch.RocHull.from_scores(*rows).best(KNOWN).savings(baseline)


@pytest.mark.parametrize(
    ("labels", "pos_label"),
    [(("ok", "fraud"), "fraud"), ((1, 0), 0), ((1, 2), 2), ((True, False), False)],
)
def test_labels_are_read_as_those_of_the_rows(rows: Any, labels: Any, pos_label: Any) -> None:
    y, scores = rows
    named = [labels[int(each)] for each in y]
    hull = rocch.RocHull.from_scores(named, scores, pos_label=pos_label)
    predicted = scores["p"] >= 0.3
    expected = cost_of(y, predicted)
    best = hull.best(KNOWN)
    given = [labels[int(each)] for each in predicted]
    assert best.savings(given).rows[0].cost == pytest.approx(expected)
    if bool not in map(type, labels):  # flags that are no labels say which rows alarm
        assert best.savings(predicted).rows[0].cost == pytest.approx(expected)
    never = best.savings([labels[0]] * y.size).rows[0]
    assert never.cost == pytest.approx(1.2)
    with pytest.raises(rocch.InputError) as raised:
        best.savings(["bad", *given[1:]])
    assert str(raised.value) == (
        "baseline must hold labels of the evaluation rows; got 'bad'. "
        f"The labels are: {labels[0]!r}, {labels[1]!r}. "
        "Or pass True where the rule alarms, else False."
    )


def test_labels_of_rows_that_have_none_must_say_what_is_positive(rows: Any) -> None:
    y, scores = rows
    best = rocch.RocHull.from_scores(y, scores).best(KNOWN)
    assert best.savings(y.astype(int)).rows[0].cost == 0
    with pytest.raises(rocch.InputError) as raised:
        best.savings(np.where(y, "fraud", "ok"))
    assert str(raised.value) == (
        "baseline must hold labels that show which class is positive, as those of the evaluation "
        "rows do: flags, 0/1, -1/1, true/false or yes/no; got 'fraud', 'ok'. Pass True where the "
        "rule alarms, else False."
    )


def test_scores_of_an_unknown_scale_have_no_default_threshold(rows: Any) -> None:
    y, scores = rows
    found = rocch.RocHull.from_scores(y, {"raw": scores["raw"]}).best(KNOWN).savings()
    assert [row.baseline for row in found.rows] == ["always alarming", "never alarming"]
    assert "the scores of 'raw' are no probabilities" in found.note
    assert str(found).endswith(")")


@pytest.mark.parametrize("shift", [0.0, 0.6])
def test_a_marker_on_one_side_of_a_half_has_no_default_threshold(rows: Any, shift: float) -> None:
    y, scores = rows
    marker = 0.4 * scores["p"] + shift
    found = rocch.RocHull.from_scores(y, {"marker": marker}).best(KNOWN).savings()
    assert [row.baseline for row in found.rows] == ["always alarming", "never alarming"]
    assert "all scores of 'marker' are on one side of 0.5" in found.note


def test_a_trivial_choice_is_compared_with_the_cheapest_default(rows: Any) -> None:
    y, scores = rows
    rare = rocch.Conditions(prevalence=1e-6, false_positive=50, false_negative=1)
    columns = {"p": np.minimum(scores["p"], 0.55), "worse": 0.4 + 0 * scores["p"]}
    columns["worse"][:200] = 0.8
    best = rocch.RocHull.from_scores(y, columns).best(rare)
    assert best.is_trivial
    found = best.savings()
    assert [row.baseline for row in found.rows] == ["p at threshold 0.5", "always alarming"]
    first = found.rows[0]
    own = best.expected_cost or 0
    assert first.saves == pytest.approx(first.cost - own)
    assert first.saves_interval == pytest.approx([end - own for end in first.interval])
    with pytest.raises(rocch.InputError, match="name the model of the threshold"):
        best.savings(0.4)
    alone = rocch.RocHull.from_scores(y, {"raw": np.minimum(scores["raw"], 1)}).best(rare)
    assert alone.is_trivial
    found = alone.savings(0.4)
    names = [row.baseline for row in found.rows]
    assert names == ["today's rule, raw >= 0.4", "always alarming"]


def test_the_default_threshold_of_a_lucky_model_is_estimated_by_repeating_the_choice() -> None:
    """Of many equal models the chosen one also seems too good at 0.5."""
    gaps = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        y = np.arange(80) < 30
        scores = {f"m{i}": 1 / (1 + np.exp(-rng.normal(size=80) - 1.2 * y)) for i in range(8)}
        even = rocch.Conditions(prevalence=0.5, false_positive=1, false_negative=1)
        best = rocch.RocHull.from_scores(y, scores).best(even)
        alarms = scores[best.classifier] >= 0.5
        seen = even.expected_cost(float(alarms[~y].mean()), float(alarms[y].mean()))
        gaps.append(find(best.savings(), f"{best.classifier} at threshold 0.5").cost - seen)
    assert np.mean(gaps) > 0.01


def test_amounts_are_per_cases_in_a_unit_of_money(best: rocch.roc.OperatingPoint) -> None:
    found = best.savings()
    month = found.per(20_000, "month", currency="EUR")
    for row, own in zip(month.rows, found.rows, strict=True):
        assert row.saves == pytest.approx(20_000 * own.saves)
        assert row.cost == pytest.approx(20_000 * own.cost)
        assert row.interval == pytest.approx([20_000 * end for end in own.interval])
    assert " EUR per month against p at threshold 0.5 (95%: " in str(month)
    again = month.per(1000)
    assert again.unit == "1,000 cases"
    assert again.rows[0].saves == pytest.approx(1000 * found.rows[0].saves)
    assert again.expected == pytest.approx(1000 * (found.expected or 0))
    assert found.per(1).unit == "case"
    with pytest.raises(rocch.InputError, match="cases must be"):
        found.per(-1)


def test_a_question_states_money_and_volume(rows: Any) -> None:
    hull = rocch.RocHull.from_scores(rows[0], {"p": rows[1]["p"]})
    stated: dict[str, Any] = {"prevalence": 0.3, "false_positive": 1, "false_negative": 4}
    plain = hull.best(rocch.Question(**stated)).savings()
    assert plain == hull.best(KNOWN).savings()
    question = rocch.Question(**stated, currency=" EUR ", cases_per_month=5000)
    assert question.describe().endswith("a miss costs 4, costs in EUR, 5,000 cases a month")
    assert hull.best(question).savings() == plain.per(5000, "month", currency="EUR")
    money = hull.best(rocch.Question(**stated, currency="EUR")).savings()
    assert money == plain.per(1, currency="EUR")
    month = hull.best(rocch.Question(**stated, cases_per_month=30)).savings()
    assert month == plain.per(30, "month")
    assert str(month).startswith("saves ")
    assert not rocch.Question(currency="EUR", cases_per_month=1)
    for bad in ("", "  ", 7, "a\nb", "e" * 13):
        with pytest.raises(rocch.InputError, match="currency must"):
            rocch.Question(**stated, currency=bad)  # type: ignore[arg-type]
    ratio = rocch.Question(cost_ratio=(3, 200), likely=20, currency="EUR", cases_per_month=6000)
    with pytest.raises(rocch.InputError, match=r"with a cost in money; .* State false_positive or"):
        hull.best(ratio)
    assert hull.best(replace(ratio, false_positive=50)).savings().currency == "EUR"
    with pytest.raises(rocch.InputError, match="currency must be given with one of"):
        hull.best(rocch.Question(max_fpr=0.1, currency="EUR"))


def test_what_costs_more_says_so(best: rocch.roc.OperatingPoint, rows: Any) -> None:
    found = best.savings(rows[0])
    first = found.rows[0]
    assert first.cost == 0
    assert first.saves == -(found.expected or 0)
    assert str(found).startswith("costs ")
    assert " more per case than today's rule (95%: " in str(found)


def test_choices_without_a_cost_say_why(rows: Any) -> None:
    hull = rocch.RocHull.from_scores(*rows)
    for criterion in (rocch.NeymanPearson(0.1), rocch.Maximize("f1"), rocch.roc.Knob(0.4)):
        found = hull.best(criterion).savings()
        assert found.rows == ()
        assert found.note == hull.best(criterion).on_new_rows.note
        assert str(found) == f"no saving is known: {found.note}"
        assert "saves" not in str(hull.best(criterion))
    curve = rocch.RocCurve.from_scores(rows[0], rows[1]["p"], name="p")
    lost = rocch.RocHull.of(curve).best(KNOWN)
    assert "were not kept" in lost.savings().note
    with pytest.raises(rocch.InputError, match="baseline must be compared on the evaluation rows"):
        lost.savings(0.5)
    assert "\n" not in str(lost)


def test_savings_are_plain_data(best: rocch.roc.OperatingPoint) -> None:
    found = best.savings().per(1000)
    data = found.to_dict()
    assert data["per"] == "1,000 cases"
    assert [each["saves"] for each in data["baselines"]] == [row.saves for row in found.rows]
    assert data["baselines"][0]["text"] == str(found)
    assert data["interval"] == list(found.interval or ())


def test_savings_are_a_table(best: rocch.roc.OperatingPoint) -> None:
    found = best.savings()
    frame = found.to_frame()
    amounts = ["cost", "cost_low", "cost_high", "saves", "saves_low", "saves_high"]
    assert list(frame.columns) == ["baseline", *amounts]
    assert frame["saves"].tolist() == [row.saves for row in found.rows]
    assert "<svg" in found._repr_html_()
    assert repr(found) == f"<Savings: {found}>"
    assert Savings(())._repr_html_().count("<svg") == 0


def test_pictures_of_savings_are_in_money(best: rocch.roc.OperatingPoint) -> None:
    html = best.savings().per(1_000_000, "month", currency="EUR")._repr_html_()
    assert "saved per month (EUR)" in html
    assert ",000</text>" in html
    assert "e+0" not in html


def test_models_that_only_label_have_no_threshold(rows: Any) -> None:
    y, scores = rows
    labels = scores["raw"] >= 4
    hull = rocch.RocHull.from_rows(ScoredRows.of(y, {"p": scores["p"], "says": labels}))
    found = hull.best(KNOWN).savings("says").rows[0]
    assert found.baseline == "says"
    assert found.cost == pytest.approx(cost_of(y, labels))
    alone = rocch.RocHull.from_rows(ScoredRows.of(y, {"says": labels})).best(KNOWN).savings()
    assert [row.baseline for row in alone.rows] == ["always alarming", "never alarming"]
    assert alone.note == ""


def test_one_positive_is_too_few() -> None:
    hull = rocch.RocHull.from_scores([0, 0, 0, 1], {"p": [0.1, 0.6, 0.4, 0.8]})
    found = hull.best(KNOWN).savings()
    assert found.rows == ()
    assert "at least two rows with each class" in found.note


def test_a_rule_that_decides_all_rows_alike_saves_nothing_and_is_said_to(
    best: rocch.roc.OperatingPoint, rows: Any
) -> None:
    """Only the choice is corrected for luck, so the same decisions seemed cheaper."""
    p = rows[1]["p"]
    between = (best.point.lowest_score + p[p < best.threshold].max()) / 2
    lowest: Any = best.point.lowest_score
    almost = np.nextafter(lowest, 0)
    assert between != almost
    for today in (almost, float(between), p >= best.threshold):
        found = best.savings(today)
        assert (found.rows[0].saves, found.rows[0].saves_interval) == (0, (0, 0))
        assert (found.rows[0].cost, found.rows[0].interval) == (found.expected, found.interval)
        assert found.rows[0].alike == 400
        assert str(found).startswith(f"decides as {found.rows[0].baseline}, on all 400 evaluation")
    flipped = (p >= best.threshold) ^ (np.arange(400) == 7)
    assert best.savings(flipped).rows[0].alike == 0


def test_ranges_say_it_too(rows: Any) -> None:
    hull = rocch.RocHull.from_scores(rows[0], {"p": rows[1]["p"]})
    known = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=(2, 8))
    best = hull.best(rocch.MinimaxRegret(known))
    found = best.savings(rows[1]["p"] >= best.threshold)
    saved: Any = found.rows[0].saves_range
    assert saved == (0, 0)
    assert str(found).startswith("decides as today's rule, on all 400 evaluation rows")


def test_a_default_that_decides_as_the_rule_of_today_is_listed_once(
    best: rocch.roc.OperatingPoint, rows: Any
) -> None:
    for today in (0.5, "p >= 0.5", rows[1]["p"] >= 0.5):
        names = [row.baseline for row in best.savings(today).rows]
        assert names[0].startswith("today's rule")
        assert names[1:] == ["always alarming", "never alarming"]


def test_a_saving_that_may_be_none_is_not_certain() -> None:
    def sentence(saves: float, low: float, high: float) -> str:
        row = Saving("m", 9.0, Interval(8, 10), saves, Interval(low, high))
        return str(Savings((row,), 5.0, Interval(4, 6)))

    assert sentence(2, -1, 5) == "saves 2 per case against m (95%: -1 to 5, so not certain)"
    assert sentence(-2, -5, 1).endswith("(95%: -1 to 5, so not certain)")
    assert sentence(2, 1, 5).endswith("(95%: 1 to 5)")
    assert sentence(-2, -5, -1).endswith("(95%: 1 to 5)")


def test_a_limit_without_a_confidence_says_where_it_holds(rows: Any) -> None:
    hull = rocch.RocHull.from_scores(*rows)
    words = "limits hold on the evaluation rows; with confidence=0.95, on new ones"
    assert str(hull.best(rocch.NeymanPearson(0.2))).splitlines()[1] == words
    both = rocch.Constrained(rocch.ExpectedCost(KNOWN), rocch.MinimumTpr(0.5))
    assert words in str(hull.best(both))
    for other in (rocch.NeymanPearson(0.2, confidence=0.9), KNOWN, rocch.ErrorRate()):
        assert "limits hold" not in str(hull.best(other))
