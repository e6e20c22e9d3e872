"""What an aimed hybrid saves on new rows."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

import rocch

KNOWN = rocch.Conditions(prevalence="observed", false_positive=1, false_negative=10)


@pytest.fixture(scope="module")
def data() -> Any:
    return make_classification(900, 8, n_informative=4, weights=[0.8], flip_y=0.1, random_state=3)


@pytest.fixture(scope="module")
def model(data: Any) -> rocch.RocchClassifier:
    parts = [("nb", GaussianNB()), ("svc", LinearSVC()), ("lr", LogisticRegression())]
    return rocch.RocchClassifier(parts, cv=3).fit(*data)


def cost(y: Any, alarms: Any) -> float:
    return rocch.expected_cost(y, alarms.astype(int), KNOWN)


def test_a_stack_is_compared_with_models_and_trivial_rules(
    data: Any, model: rocch.RocchClassifier
) -> None:
    view = model.at(KNOWN)
    found = view.savings()
    names = [row.baseline for row in found.rows]
    assert names[0] == "the stack at probability 0.5"
    assert names[1].endswith(" alone, at its best threshold")
    assert set(names[2:]) == {"never alarming", "always alarming"}
    assert found.expected == view.on_new_rows.expected
    y, scores = data[1], model.out_of_fold_.scores
    assert found.rows[0].cost == pytest.approx(cost(y, scores["stack"] >= 0))
    single = names[1].removesuffix(" alone, at its best threshold")
    hull = rocch.RocHull.from_scores(y, {n: s for n, s in scores.items() if n != "stack"})
    best = hull.best(KNOWN)
    assert best.classifier == single
    assert found.rows[1].cost == best.on_new_rows.expected
    for row in found.rows:
        assert row.saves == pytest.approx(row.cost - (found.expected or 0))
        assert row.saves_interval.low <= row.saves <= row.saves_interval.high


def test_the_choice_and_the_saving_are_printed(model: rocch.RocchClassifier) -> None:
    for view in (model.at(KNOWN), model.at(KNOWN, exact=True)):
        rule, cost, saving = str(view).splitlines()
        assert rule.startswith(f"{view.rule} (FPR ")
        assert cost == str(view.on_new_rows)
        assert saving == str(view.savings())
        assert repr(view).startswith("<AimedClassifier: predict 1 when")
    limited = str(model.at(rocch.NeymanPearson(0.1)))
    assert "\nlimits hold on the evaluation rows; with confidence=0.95, on new ones\n" in limited
    assert "saves" not in limited


def test_ranges_are_chosen_by_the_hull_and_compared_with_its_models(
    data: Any, model: rocch.RocchClassifier
) -> None:
    vague = rocch.Question(false_positive=(1, 2), false_negative=(5, 30), currency="EUR")
    view = model.at(vague)
    today = data[0][:, 0] > 0
    found = view.savings(today.astype(int))
    row = found.rows[0]
    assert row.baseline == "today's rule"
    assert row.saves_range is not None
    assert row.saves_interval.low <= row.saves_range.low < row.saves_range.high
    assert found.expected_range == view.on_new_rows.expected_range
    rates = [float(today[data[1] == label].mean()) for label in (0, 1)]
    p = float(data[1].mean())
    costs = [(1 - p) * a * rates[0] + p * m * (1 - rates[1]) for a in (1, 2) for m in (5, 30)]
    assert row.cost_range == pytest.approx((min(costs), max(costs)))
    saving = str(view).splitlines()[2]
    assert saving == str(view.savings())
    assert " EUR per case " in saving
    assert ", depending on costs (95%: " in saving
    names = [row.baseline for row in view.savings().rows]
    assert names == [f"{view.rule.models[0]} at threshold 0.5", "always alarming", "never alarming"]


def test_a_stack_chosen_for_ranges_is_compared_with_the_safest_single_model(
    data: Any, model: rocch.RocchClassifier
) -> None:
    vague = rocch.MinimaxRegret(
        rocch.Conditions(prevalence="observed", false_positive=(1, 4), false_negative=(1, 4))
    )
    view = model.at(vague)
    assert view.point.classifier == "stack"
    found = view.savings().rows
    assert found[0].baseline == "the stack at probability 0.5"
    scores = {n: s for n, s in model.out_of_fold_.scores.items() if n != "stack"}
    best = rocch.RocHull.from_scores(data[1], scores).best(vague)
    assert found[1].baseline == f"{best.classifier} alone, at its best threshold"
    assert found[1].cost_range == best.on_new_rows.expected_range


def test_decision_functions_decide_at_0(data: Any) -> None:
    X, y = data
    model = rocch.RocchClassifier([("svc", LinearSVC())], cv=3).fit(X, y)
    for exact in (False, True):
        first = model.at(KNOWN, exact=exact).savings().rows[0]
        assert first.baseline == "svc at threshold 0"
        assert first.cost == pytest.approx(cost(y, model.out_of_fold_.scores["svc"] >= 0))


def test_todays_rule(data: Any, model: rocch.RocchClassifier) -> None:
    X, y = data
    scores = model.out_of_fold_.scores
    old = LogisticRegression(C=0.01).fit(X, y)
    view = model.at(KNOWN)
    for baseline, features, name, alarms in (
        ("svc", None, "svc at threshold 0", scores["svc"] >= 0),
        (("nb", 0.2), None, "today's rule, nb >= 0.2", scores["nb"] >= 0.2),
        (old, X, "today's rule", old.predict(X) == 1),
        (old.predict(X), None, "today's rule", old.predict(X) == 1),
    ):
        found = view.savings(baseline, X=features).rows[0]
        assert found.baseline == name
        assert found.cost == pytest.approx(cost(y, alarms))
    with pytest.raises(rocch.InputError, match="baseline must name the model of the threshold"):
        view.savings(0.3)
    with pytest.raises(rocch.InputError, match="baseline must hold labels of the evaluation rows"):
        view.savings(np.full(y.size, 2))
    alone = rocch.RocchClassifier([("nb", GaussianNB())], cv=3).fit(X, y)
    assert alone.at(KNOWN).savings(0.3).rows[0].baseline == "today's rule, nb >= 0.3"


def test_labels_are_those_of_the_rows_passed_to_fit(data: Any) -> None:
    """A hold-out evaluates a part of the rows, repeated splits some of them twice."""
    from sklearn.model_selection import ShuffleSplit

    X, y = data
    names = np.array(["well", "ill"])[y]
    for cv in (0.25, ShuffleSplit(3, test_size=0.5, random_state=0)):
        model = rocch.RocchClassifier(
            [("nb", GaussianNB())], cv=cv, pos_label="ill", random_state=0
        )
        view = model.fit(X, names).at(KNOWN)
        assert view.savings(names).rows[0].cost == 0
        assert view.savings(y == 1).rows[0].cost == 0
        assert model.hull_.best(KNOWN).savings(names).rows[0].cost == 0
        swapped = view.savings(np.array(["ill", "well"])[y]).rows[0]
        assert swapped.saves > 0
        with pytest.raises(rocch.InputError, match="baseline must have"):
            view.savings(names[:100])


def test_a_trivial_aim_costs_what_it_costs(data: Any) -> None:
    model = rocch.RocchClassifier([("lr", LogisticRegression())], cv=3).fit(*data)
    rare = rocch.Conditions(prevalence=1e-7, false_positive=1000, false_negative=0.001)
    view = model.at(rare)
    assert view.point.is_trivial
    found = view.savings()
    assert found.rows[0].baseline == "lr at threshold 0.5"
    assert found.rows[-1].baseline == "always alarming"
    assert found.rows[-1].saves_interval.exact
    assert found.sentences[-1].endswith("against always alarming")


def test_a_question_states_the_unit(model: rocch.RocchClassifier) -> None:
    stated: dict[str, Any] = {"false_positive": 1, "false_negative": 10}
    question = rocch.Question(**stated, currency="EUR", cases_per_month=2000)
    for exact in (False, True):
        month = model.at(question, exact=exact).savings()
        plain = model.at(KNOWN, exact=exact).savings()
        assert month == plain.per(2000, "month", currency="EUR")
        assert " EUR per month against " in str(month)


def test_copies_and_saved_models_know_what_they_can(
    model: rocch.RocchClassifier, tmp_path: Path
) -> None:
    view = model.at(KNOWN)
    again = pickle.loads(pickle.dumps(view))  # noqa: S301 - our own bytes
    assert again.savings() == view.savings()
    rocch.save(model, tmp_path / "model.rocch")
    loaded: Any = rocch.load(tmp_path / "model.rocch")
    found = loaded.at(KNOWN).savings()
    own = {row.baseline: row for row in view.savings().rows}
    for row in found.rows:
        same = own.pop(row.baseline)
        assert row.saves == pytest.approx(same.saves)
        assert row.saves_interval == pytest.approx(same.saves_interval)
        assert row.interval == pytest.approx(same.interval)
    assert [name.endswith("at its best threshold") for name in own] == [True]
    assert "need the evaluation rows, which were not kept" in found.note
    for baseline in ("nb", ("nb", 0.2)):  # by its curve, without knowing which rows differ
        row, same = (each.at(KNOWN).savings(baseline).rows[0] for each in (loaded, model))
        assert (row.baseline, row.saves) == (same.baseline, pytest.approx(same.saves))
        assert row.saves_interval.low <= same.saves_interval.low
        assert row.saves_interval.high >= same.saves_interval.high
    with pytest.raises(rocch.InputError, match="compared on the evaluation rows"):
        loaded.at(KNOWN).savings([True, False])
    exact = loaded.at(KNOWN, exact=True)
    assert exact.on_new_rows.expected is None
    assert exact.savings("nb").on == "evaluation rows"
    with pytest.raises(rocch.InputError, match="compared on the evaluation rows"):
        exact.savings([True, False])


def test_a_stack_that_costs_more_than_one_model_says_so() -> None:
    X, y = make_classification(3000, n_informative=6, weights=[0.9], flip_y=0.05, random_state=1)
    known = rocch.Conditions(prevalence="observed", false_positive=5, false_negative=100)
    parts = [("nb", GaussianNB()), ("lr", LogisticRegression())]
    found = rocch.RocchClassifier(parts).fit(X, y).at(known).savings()
    single = found.rows[1]
    assert single.baseline == "nb alone, at its best threshold"
    assert single.saves_interval.high < 0
    assert str(found).endswith("; model.at(..., exact=True) may choose it")
    assert found.note == "nb alone is cheaper; model.at(..., exact=True) may choose it"
