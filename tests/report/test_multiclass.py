"""The summary of many classes: its answer by exact arithmetic, its question and its sentences."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import asdict, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.naive_bayes import GaussianNB

import rocch
from rocch.hybrid import MulticlassRule
from rocch.multiclass import ClassQuestion
from rocch.numbers import money
from rocch.report import Summary, class_aim, summarize, summarize_probabilities, summary_schema
from rocch.report import multiclass as builder
from rocch.report.multiclass import ASSUMED_COSTS, WeighedMembers, answer_costs, as_class_question
from rocch.report.summary import CostAnswer, Members, NewRows
from rocch.report.words import CLASS_TEXTS, class_sentence, class_use, relative
from tests.support.many_reports import (
    ALL,
    drawn,
    fourteen_classes,
    given_counts,
    named,
    six_classes,
    stacked_model,
    wine,
)
from tests.support.reports import multiclass

NAMES = ("a", "b", "c")
TOTALS = (4, 8, 12)


def members(*tables: tuple[int, ...], costs: Any = None) -> Members:
    """Return members with these counts, and the three single answers behind them."""
    single = [
        tuple(TOTALS[k] if j == c else 0 for k in range(3) for j in range(3)) for c in range(3)
    ]
    known = (*tables, *single)
    none = (None,) * 3
    return Members(
        (*range(len(tables)), -1, -2, -3),
        (-1,) * len(known),
        known,
        (*(costs or (None,) * len(tables)), *none),
        (*(rule_kind(each) for each in costs or (None,) * len(tables)), *("always",) * 3),
        ("",) * len(known),
    )


def rule_kind(costs: Any) -> Any:
    if costs is None:
        return "own_predictions"
    return "most_likely_class" if len(set(costs)) == 2 else "least_expected_cost"


def weighed(
    choices: Members, models: Any, costs: Any, shares: Any = (0.25, 0.25, 0.5)
) -> WeighedMembers:
    return WeighedMembers(choices, models, NAMES, costs, shares)


def answer(
    choices: Members, models: Any, costs: Any, shares: Any = (0.25, 0.25, 0.5)
) -> CostAnswer:
    return weighed(choices, models, costs, shares).answer()


ONES = ((0, 1, 1), (1, 0, 1), (1, 1, 0))
GOOD, SKEWED = (3, 1, 0, 0, 6, 2, 0, 0, 12), (4, 0, 0, 2, 6, 0, 1, 2, 9)

tables = st.lists(
    st.tuples(*(st.tuples(*[st.integers(0, 3)] * 2) for _ in TOTALS)), min_size=1, max_size=8
)
numbers = st.integers(1, 50)


def counts_of(wrong: tuple[tuple[int, int], ...]) -> tuple[int, ...]:
    """Return a confusion matrix with these errors, as far as there are rows."""
    cells: list[int] = []
    for k, (first, second) in enumerate(wrong):
        first = min(first, TOTALS[k])
        second = min(second, TOTALS[k] - first)
        row = [first, second]
        row.insert(k, TOTALS[k] - first - second)
        cells += row
    return tuple(cells)


def exact_cost(counts: tuple[int, ...], costs: Any, shares: Any) -> Fraction:
    return sum(
        (
            Fraction(shares[k]) * Fraction(costs[k][j]) * counts[3 * k + j] / TOTALS[k]
            for k in range(3)
            for j in range(3)
        ),
        Fraction(0),
    )


@given(tables, st.lists(numbers, min_size=6, max_size=6), st.tuples(numbers, numbers, numbers))
def test_no_member_is_cheaper_by_exact_arithmetic(
    wrong: list[tuple[tuple[int, int], ...]], costs: list[int], weights: tuple[int, int, int]
) -> None:
    shares = np.array(weights) / sum(weights)
    table = ((0, *costs[:2]), (costs[2], 0, costs[3]), (*costs[4:], 0))
    choices = members(*map(counts_of, wrong))
    found = answer(choices, tuple("abcdefgh"), table, shares)
    exact = [exact_cost(each, table, shares.tolist()) for each in choices.counts]
    assert found.cost == pytest.approx(float(min(exact)), rel=1e-12, abs=1e-15)
    near = [
        place for place, cost in enumerate(exact) if cost <= min(exact) * (1 + Fraction(1, 10**9))
    ]
    errors = [24 - sum(choices.counts[place][::4]) for place in near]
    assert found.member == near[errors.index(min(errors))]
    assert found.equals == len(near) - 1
    assert sum(map(sum, found.per_1000)) == pytest.approx(1000)
    assert found.error_rate == pytest.approx(shares @ np.array(found.miss_rates))


def test_costs_move_the_choice() -> None:
    choices = members(GOOD, SKEWED)
    assert answer(choices, ("one", "two"), ONES).member == 0
    expensive = ((0, 50, 50), (1, 0, 1), (1, 1, 0))
    assert answer(choices, ("one", "two"), expensive).member == 1


def test_shares_move_the_choice() -> None:
    choices = members(GOOD, SKEWED)
    rare = (0.98, 0.01, 0.01)
    assert answer(choices, ("one", "two"), ONES, rare).member == 1
    assert answer(choices, ("one", "two"), ONES, (0.0, 0.0, 1.0)).member == 0


@pytest.mark.parametrize("place", range(3))
def test_a_single_class_is_taken_where_it_is_cheapest(place: int) -> None:
    poor = members((1, 3, 0, 2, 4, 2, 3, 3, 6))
    shares = tuple(0.98 if k == place else 0.01 for k in range(3))
    found = answer(poor, ("poor",), ONES, shares)
    assert found.member == found.always == 1 + place
    name = NAMES[place]
    assert found.sentence.startswith(
        f"Always predict {name}, the cheapest choice on the evaluation rows. It is wrong for 2 of"
    )
    assert found.rule == f"Predict {name} for every row."


def test_of_equals_the_fewest_errors_count_and_then_the_first() -> None:
    tie = members(SKEWED, GOOD, GOOD)
    free = ((0, 0, 0), (0, 0, 0), (9, 9, 0))
    found = answer(tie, ("x", "y", "z"), free)
    assert (found.member, found.equals) == (1, 2)  # and always predicting c


def test_rounded_shares_do_not_break_a_tie() -> None:
    one_of_a, one_of_c = (3, 1, 0, 0, 8, 0, 0, 0, 12), (4, 0, 0, 0, 8, 0, 1, 0, 11)
    observed = tuple(total / 24 for total in TOTALS)
    assert answer(members(one_of_a, one_of_c), ("x", "y"), ONES, observed).equals == 1


def test_the_plain_rule_is_compared() -> None:
    flat = tuple(float(cost) for row in ONES for cost in row)
    own = (0.0, 5.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0)
    choices = members(SKEWED, GOOD, costs=(own, flat))
    expensive = ((0, 50, 50), (1, 0, 1), (1, 1, 0))
    found = answer(choices, ("x", "y"), expensive)
    assert (found.member, found.plain) == (0, 1)
    assert found.plain_cost == pytest.approx(0.25 * 50 / 4 + 0.25 * 2 / 8)
    # it costs 0.1875 itself: 0.25 x 2 / 8 + 0.5 x 3 / 12
    assert found.sentence.endswith(
        "It costs 187 per 1,000 cases. It saves 3,000 per 1,000 cases against the most likely "
        "class of y."
    )
    assert answer(members(GOOD), ("x",), ONES).plain is None
    first = answer(members(GOOD, SKEWED, costs=(flat, own)), ("x", "y"), expensive)
    assert first.plain == 0
    assert first.plain_cost == pytest.approx(found.plain_cost)


def test_the_standard_error_is_that_of_a_mean_of_rows() -> None:
    costs = ((0, 3, 1), (2, 0, 1), (1, 1, 0))
    shares = (0.2, 0.3, 0.5)
    found = weighed(members(SKEWED), ("x",), costs, shares).describe(0)
    variance = 0.0
    for k in range(3):
        rows = [costs[k][j] for j in range(3) for _ in range(SKEWED[3 * k + j])]
        variance += shares[k] ** 2 * float(np.var(rows)) / TOTALS[k]
    assert found.standard_error == pytest.approx(math.sqrt(variance))


def test_a_perfect_member_costs_nothing_and_misses_none() -> None:
    found = answer(members((4, 0, 0, 0, 8, 0, 0, 0, 12)), ("x",), ONES)
    assert (found.cost, found.standard_error) == (0, 0)
    assert "wrong for 0 of 100 cases and misses none. It costs 0 per 1,000 cases." in found.sentence


# ---- the summary as a whole


@pytest.mark.parametrize("make", ALL)
def test_every_summary_keeps_the_schema(make: Callable[[], Summary]) -> None:
    found = json.loads(json.dumps(asdict(make()), allow_nan=False))
    schemas = pytest.importorskip("jsonschema")
    schemas.validate(found, summary_schema())


@pytest.mark.parametrize("make", ALL)
def test_columns_are_equally_long_and_counts_are_of_the_rows(
    make: Callable[[], Summary],
) -> None:
    found = multiclass(make())
    columns = found.members
    size = len(found.classes)
    assert len({len(getattr(columns, name)) for name in type(columns).__slots__}) == 1
    for counts in columns.counts:
        sums = np.array(counts).reshape(size, size).sum(axis=1).tolist()
        assert sums == [each.rows for each in found.classes]
    assert all(each.member < len(columns.model) for each in found.recommended)


def test_the_recommendation_is_the_cheapest_of_the_members() -> None:
    found = multiclass(wine())
    assert found.recommended[0].member == found.answer.member
    again = answer_costs(found, found.costs, found.shares)
    assert (again.member, again.cost) == (found.answer.member, found.answer.cost)
    assert found.recommended[0].sentence == again.sentence
    assert again.new_rows is None
    assert again.new_rows_note == CLASS_TEXTS["other_costs"]
    head, _ = again.sentence.split(". It costs ")
    assert found.answer.sentence.startswith(f"{head}. On new cases it costs about ")
    assert wine().sentence == found.answer.sentence
    errors = [178 - sum(counts[::4]) for counts in found.members.counts]
    by_name = {each.name: each.member for each in found.recommended}
    assert errors[by_name["fewest errors"]] == min(errors)


def test_the_surface_says_what_it_is() -> None:
    surface = multiclass(wine()).surface
    assert surface is not None
    assert (surface.objectives, surface.members) == ("rates", surface.shown)
    assert surface.dominated is not None
    assert (
        surface.dominated.interval.low < surface.dominated.value < surface.dominated.interval.high
    )
    six = multiclass(six_classes()).surface
    assert six is not None
    assert six.objectives == "misses"


def test_without_a_surface_there_are_rules_and_single_answers() -> None:
    made, found = fourteen_classes(), multiclass(fourteen_classes())
    assert found.surface is None
    assert len(found.members.model) == 1 + 14
    assert found.answer.sentence.startswith("Use the most likely class by classifier, the cheapest")
    assert made.remarks[0] == ASSUMED_COSTS
    assert "No surface was searched: with 14 classes" in made.remarks[1]
    assert [each.name for each in found.classes][-1] == "13"


def test_given_counts_have_no_curves() -> None:
    made, found = given_counts(), multiclass(given_counts())
    assert found.hulls == ()
    assert all(model.aucs is None and not model.curves for model in found.models)
    assert any("Probabilities are not available" in each for each in made.remarks)
    assert found.answer.plain is None
    assert found.answer.new_rows is None
    assert found.answer.new_rows_note == CLASS_TEXTS["no_rows"]


def test_a_surface_of_very_many_classes_has_no_share() -> None:
    found = multiclass(summarize(fourteen_surface())).surface
    assert found is not None
    assert found.dominated is None


def test_a_large_surface_is_reduced_and_says_so() -> None:
    labels, posteriors = drawn(4, 400)
    made = summarize_probabilities(labels, posteriors, generations=40)
    found = multiclass(made)
    assert found.surface is not None
    assert found.surface.shown < found.surface.members
    assert len(found.members.model) <= 3000
    assert f"{found.surface.shown:,} of the surface's {found.surface.members:,}" in made.remarks[1]
    assert "the cheapest of" in made.remarks[2]


def test_other_shares_correct_the_rule_for_them() -> None:
    labels, posteriors = drawn(3)
    shares = {0: 0.98, 1: 0.01, 2: 0.01}
    rare = multiclass(summarize_probabilities(labels, posteriors, priors=shares, generations=0))
    assert rare.shares == (0.98, 0.01, 0.01)
    corrected = [costs for costs in rare.members.costs[:3] if costs is not None]
    assert len({costs[1] for costs in corrected}) > 1  # not equal ones alone


@pytest.fixture(scope="module")
def fitted() -> Any:
    data = rocch.multiclass.three_class_data(240, seed=1)
    names = np.array(["ash", "birch", "cedar"])[data.y - 1]
    costs = rocch.CostMatrix({("ash", "birch"): 5}, classes=["ash", "birch", "cedar"], default=1)
    models = [("nb", GaussianNB()), ("knn", rocch.hybrid.KnnFamily())]
    return rocch.RocSurfaceClassifier(
        models, generations=5, draws=20, costs=costs, stack=False
    ).fit(data.X, names)


def test_a_fitted_hybrid_starts_at_its_own_aim(fitted: Any) -> None:
    found = multiclass(summarize(fitted))
    assert list(found.costs[0]) == [0, 5, 1]
    assert {model.name: model.aucs is None for model in found.models} == {"nb": False, "knn": True}
    assert found.answer.cost == pytest.approx(fitted.default_.point.expected_cost)


def test_an_aimed_view_starts_at_its_aim_and_bounds_at_their_middle(fitted: Any) -> None:
    vague = rocch.CostMatrix(
        {("ash", "cedar"): (2, 6)}, classes=["ash", "birch", "cedar"], default=1
    )
    safe = summarize(fitted.at_least_regret(vague))
    assert list(multiclass(safe).costs[0]) == [0, 1, 4]
    assert "Some costs or shares are intervals." in safe.remarks[0]
    assert multiclass(safe).recommended[-1].name == "least worst regret"
    alike = rocch.CostMatrix.zero_one(["ash", "birch", "cedar"])
    assert list(multiclass(summarize(fitted, alike)).costs[0]) == [0, 1, 1]
    shares = {"ash": 0.5, "birch": 0.25, "cedar": 0.25}
    made = multiclass(summarize(fitted, priors=shares))
    assert made.shares == (0.5, 0.25, 0.25)
    assert list(made.costs[0]) == [0, 5, 1]


def test_intervals_are_answered_at_their_middle_and_by_the_least_regret() -> None:
    labels, table = drawn(3, 90)
    question = ClassQuestion(
        costs={(0, 1): (2, 20)}, default_cost=1, priors={0: (0.2, 0.6), 1: (0.1, 0.4), 2: 0.4}
    )
    found = multiclass(summarize_probabilities(labels, table, question, generations=5))
    assert list(found.costs[0]) == [0, 11, 1]
    assert sum(found.shares) == pytest.approx(1)
    assert found.shares[2] == pytest.approx(0.4)
    assert all(0.1 <= share <= 0.6 for share in found.shares)
    place = found.recommended[-1].member
    counts = np.array(found.members.counts).reshape(-1, 3, 3)
    rates = counts / counts[0].sum(axis=1)[:, None]
    regrets = []
    for cost in np.linspace(2, 20, 19):
        costs = np.array([[0, cost, 1], [1, 0, 1], [1, 1, 0]])
        for first in np.linspace(0.2, 0.5, 16):
            shares = np.array([first, 0.6 - first, 0.4])
            expected = np.einsum("nkj,kj->n", rates, shares[:, None] * costs)
            regrets.append(expected - expected.min())
    worst = np.max(regrets, axis=0)
    assert worst[place] <= worst.min() + 1e-9


def test_the_question_is_kept_with_assumed_costs_and_observed_shares_as_numbers() -> None:
    labels, table = drawn(3, 60)
    made = summarize_probabilities(labels, table, generations=0)
    observed = {str(k): labels.count(k) / 60 for k in range(3)}
    assert made.question == {"default_cost": 1, "priors": observed}
    assert made.remarks[0] == ASSUMED_COSTS
    question = {"costs": [[0, 2, 9]], "default_cost": 2}
    made = summarize_probabilities(labels, table, question, generations=0)
    assert made.question == {**question, "priors": observed}
    assert ASSUMED_COSTS not in made.remarks
    assert made.assumed.startswith("0 predicted as 2 costs 9, other errors cost 2, ")
    assert ClassQuestion.from_dict(made.question).to_dict() == made.question


def test_what_is_no_question_about_classes_is_refused() -> None:
    with pytest.raises(rocch.InputError, match="question must be a ClassQuestion or a CostMatrix"):
        as_class_question(rocch.Question(max_fpr=0.1))
    with pytest.raises(rocch.InputError, match="priors must be given in the question"):
        as_class_question(ClassQuestion(default_cost=1), {"a": 1})
    belief = rocch.multiclass.DirichletBelief.about({("a", "b"): 1, ("b", "a"): 3}, strength=9)
    found = as_class_question(belief)
    assert found is not None
    assert found.cost_matrix(["a", "b"])["b", "a"] == pytest.approx(0.75)


# ---- new rows


COSTS = rocch.CostMatrix({(1, 2): 7}, classes=[1, 2, 3], default=1)


def test_a_report_recommends_what_the_fitted_model_does() -> None:
    model = stacked_model()
    shares = {1: 0.6, 2: 0.3, 3: 0.1}
    for view in (
        model.at(COSTS),
        model.at(COSTS, shares),
        model.at(COSTS, exact=True),
        model.at(COSTS, exact=True, parsimonious=True),
        model.at(COSTS, limits={2: 0.3}),
    ):
        found = multiclass(summarize(view))
        assert found.deployment.sql == view.rule.to_sql()
        assert found.deployment.python == view.rule.to_python()
        assert found.deployment.words == view.rule.words
        counts = found.members.counts[found.answer.member]
        assert counts == tuple(np.ravel(view.point.confusion.counts).tolist())
        assert found.answer.cost == pytest.approx(view.point.expected_cost)
    made = summarize(model, COSTS, priors=shares)
    assert multiclass(made).deployment.sql == model.at(COSTS, shares).rule.to_sql()
    assert made.sentence.startswith("Use stack with your costs, aimed at new cases. ")


def test_a_fitted_model_has_its_own_expectation_and_savings() -> None:
    for view in (stacked_model().at(COSTS), stacked_model().at(COSTS, exact=True)):
        found, saved = multiclass(summarize(view)).answer, view.savings().rows[0]
        assert found.new_rows is not None
        assert found.new_rows.expected == view.on_new_rows.expected
        assert (found.new_rows.low, found.new_rows.high) == view.on_new_rows.interval
        assert found.saves_interval == saved.saves_interval
        assert found.plain_cost == pytest.approx(saved.cost)
        assert f"saves {money(1000 * saved.saves)} per 1,000 cases" in found.sentence
        assert saved.baseline.endswith(f" {found.sentence.split(' (95%')[-2].split()[-1]}")


def test_one_line_names_the_cheapest_on_the_evaluation_rows() -> None:
    made, exact = summarize(stacked_model().at(COSTS)), stacked_model().at(COSTS, exact=True)
    found = multiclass(made).answer
    assert found.cheapest_cost == pytest.approx(exact.point.expected_cost)
    (section,) = [each for each in made.sections if each.title == "On the evaluation rows"]
    (line,) = section.parts
    assert isinstance(line, str)
    assert line.startswith("On the evaluation rows alone, the cheapest choice would be ")
    titles = [each.title for each in summarize(exact).sections]
    assert "On the evaluation rows" not in titles


@pytest.mark.parametrize("make", ALL)
def test_only_the_cheapest_choice_is_called_so(make: Callable[[], Summary]) -> None:
    found = multiclass(make())
    least = found.answer.cheapest_cost
    for each in found.recommended:
        counts = np.reshape(found.members.counts[each.member], (len(found.classes), -1))
        rates = counts / counts.sum(axis=1, keepdims=True)
        cost = float((np.array(found.shares)[:, None] * rates * np.array(found.costs)).sum())
        if "cheapest choice" in each.sentence:
            assert cost == pytest.approx(least)


@pytest.mark.parametrize("most", [60_000, 90])
def test_a_page_aims_the_model_at_other_costs(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(class_aim, "MOST_CELLS", most)
    model = stacked_model()
    found, shares = multiclass(summarize(model)), {1: 0.6, 2: 0.3, 3: 0.1}
    other = rocch.CostMatrix({(2, 1): 4, (3, 2): 2}, classes=[1, 2, 3], default=1)
    for view, own in ((model.at(other), found.shares), (model.at(other, shares), (0.6, 0.3, 0.1))):
        again = answer_costs(found, other.values, own)
        assert again.member == found.answer.member
        assert again.rule == view.rule.words
        assert again.sentence.startswith("Use stack with your costs, aimed at new cases. ")
        if most == 60_000:
            assert again.cost == pytest.approx(view.point.expected_cost)
        else:  # ten rows of each class stand for all
            assert again.cost == pytest.approx(view.point.expected_cost, abs=0.3)
        assert sum(map(sum, again.per_1000)) == pytest.approx(1000)
    same = answer_costs(found, found.costs, found.shares)
    assert same.cost == found.answer.cost


def test_labels_keep_their_type_in_rules() -> None:
    found = multiclass(summarize(stacked_model()))
    assert "THEN 2" in found.deployment.sql
    assert "np.array([1, 2, 3])" in found.deployment.python
    assert found.rule["classes"][1]["sql"] == "2"


def test_the_stack_is_none_of_the_models_that_a_report_counts() -> None:
    made = summarize(stacked_model())
    assert made.title == "nb and stump for 3 classes"
    assert "; 2 models and their stack." in made.about


def test_probabilities_alone_have_an_expectation_too() -> None:
    for classes in (3, 14):  # with a surface, and with rules alone
        labels, table = drawn(classes, 200, seed=7)
        found = multiclass(summarize_probabilities(labels, table, generations=2)).answer
        assert found.new_rows is not None
        assert found.cost <= found.new_rows.expected + 1e-12
        assert found.new_rows.low < found.new_rows.expected < found.new_rows.high


def test_a_hybrid_without_a_stack_has_no_aim(fitted: Any) -> None:
    assert multiclass(summarize(fitted)).aim is None


def test_too_many_rows_have_no_expectation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builder, "MOST_REPEATED", 100)
    found = multiclass(summarize(stacked_model().at(COSTS, exact=True))).answer
    assert found.new_rows is None
    assert found.new_rows_note == CLASS_TEXTS["many_rows"]


def test_a_single_class_costs_what_it_costs() -> None:
    poor = rocch.multiclass.Confusion.from_labels([0, 0, 1, 1, 2, 2], [1, 2, 0, 2, 0, 1])
    surface = rocch.multiclass.RocSurface.of({"poor": poor})
    found = multiclass(summarize(surface, priors={0: 0.98, 1: 0.01, 2: 0.01})).answer
    assert found.cost == pytest.approx(0.02)
    assert found.new_rows == NewRows(found.cost, found.cost, found.cost)
    assert found.sentence.endswith("On new cases it costs 20 per 1,000 cases.")


def test_a_searched_surface_of_models_tells_their_parameters() -> None:
    data = rocch.multiclass.three_class_data(90, seed=1)
    surface = rocch.multiclass.SurfaceSearch(
        rocch.multiclass.KnnModel(data.X, data.y), data.y, draws=10
    ).run(5)
    found = summarize(surface, title="knn alone")
    assert found.title == "knn alone"
    assert multiclass(found).members.settings[0].startswith("k ")


def test_the_same_input_makes_the_same_summary() -> None:
    labels, posteriors = drawn(3, 90)
    first, second = (summarize_probabilities(labels, posteriors, generations=3) for _ in range(2))
    assert first == second


def test_titles_name_few_models_and_count_many() -> None:
    labels, posteriors = drawn(3, 60)
    models = dict.fromkeys("abc", posteriors)
    assert (
        summarize_probabilities(labels, posteriors, generations=0).title
        == "classifier for 3 classes"
    )
    assert summarize_probabilities(labels, models, generations=0).title == "3 models for 3 classes"


def fourteen_surface() -> rocch.multiclass.RocSurface:
    labels, table = drawn(14, 60)
    counts = rocch.multiclass.Confusion.from_labels(labels, table.argmax(axis=1).tolist())
    return rocch.multiclass.RocSurface.of({"m": counts})


def refuse(says: str, make: Callable[[], object]) -> None:
    with pytest.raises(rocch.InputError, match=says):
        make()


def test_what_cannot_be_reported_is_refused() -> None:
    labels, posteriors = drawn(3, 60)
    refuse("rows of 3 columns", lambda: summarize_probabilities(labels, posteriors[:, :2]))
    refuse("sum to 1 in every row", lambda: summarize_probabilities(labels, 2 * posteriors))
    refuse("no such|rows", lambda: summarize_probabilities(labels[:-1], posteriors))
    refuse("two or more distinct classes", lambda: summarize_probabilities([1] * 60, posteriors))
    alike = np.array(named(labels, [1, "1", "x"]), dtype=object)
    refuse(
        "equal only as text",
        lambda: summarize_probabilities(alike, posteriors, classes=[1, "1", "x"]),
    )
    refuse("generations must", lambda: summarize_probabilities(labels, posteriors, generations=-1))
    refuse("seed must", lambda: summarize_probabilities(labels, posteriors, seed=-1))
    refuse("be a RocHull, a RocSurface", lambda: summarize(posteriors))
    refuse("not fitted", lambda: summarize(GaussianNB()))
    refuse("be fitted", lambda: summarize(rocch.RocSurfaceClassifier([("nb", GaussianNB())])))
    refuse("title must be a text", lambda: summarize(fourteen_surface(), title=5))


def test_more_classes_than_a_page_can_show_are_refused() -> None:
    labels, posteriors = drawn(51, 120)
    refuse("at most 50", lambda: summarize_probabilities(labels, posteriors))


# ---- sentences

CLASSES = ("cat's", 'd"g', "eel")
OWN = (0.0, 3.0, 0.25, 1.0, 0.0, 1e-05, 2.0, 0.5, 0.0)
FLAT = (0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0)
MEMBERS = Members(
    (0, 0, 1, -3),
    (0, -1, -1, -1),
    ((1,) * 9,) * 4,
    (OWN, FLAT, None, None),
    ("least_expected_cost", "most_likely_class", "own_predictions", "always"),
    ("k 5", "", "", ""),
)
MODELS = ("my\u202emodel", "rules")


def test_what_to_use_is_an_instruction() -> None:
    use = [class_use(MEMBERS, place, MODELS, CLASSES, (FLAT,)) for place in range(4)]
    assert use == [
        "Use my\\u202emodel (k 5) with adjusted costs",
        "Use the most likely class by my\\u202emodel",
        "Use the predictions of rules",
        "Always predict eel",
    ]
    own = class_use(MEMBERS, 0, MODELS, CLASSES, (OWN,))
    assert own == "Use my\\u202emodel (k 5) with your costs"


@pytest.mark.parametrize(
    ("rates", "text"),
    [
        ((0.5, 0.0, 0.031), "misses 50 of 100 a and 3.1 of 100 c"),
        ((0.5, 0.2, 0.1), "misses 50 of 100 a, 20 of 100 b and 10 of 100 c"),
        ((0.0, 0.0), "misses none"),
        ((0.1, 0.4, 0.0, 0.3, 0.3), "misses at worst 40 of 100 b, 30 of 100 d and 30 of 100 e"),
        ((0.1, 0.0, 0.0, 0.0, 0.0), "misses at worst 10 of 100 a"),
    ],
)
def test_misses_are_listed_of_few_classes_and_of_the_worst_of_many(rates: Any, text: str) -> None:
    known = CostAnswer(
        0,
        0,
        "best",
        0,
        0.25,
        0.25,
        0.1,
        0.3,
        rates,
        (),
        None,
        None,
        None,
        0,
        0.25,
        None,
        "",
        "",
        "",
    )
    found = replace(known, new_rows=NewRows(0.3, 0.2, 0.4))
    names = "abcde"[: len(rates)]
    columns = Members((-1,), (-1,), ((1,),), (None,), ("always",), ("",))
    assert class_sentence(found, columns, (), names, ()) == (
        "Always predict a, the cheapest choice on the evaluation rows. It is wrong for 30 of 100 "
        f"cases and {text}. On new cases it costs about 300 per 1,000 cases (95%: 200 to 400)."
    )


def test_costs_are_read_as_parts_of_the_largest() -> None:
    assert relative((0.0, 0.5, 2.0, 0.0)) == ("0", "25", "100", "0")
    assert relative((0.0, 0.0)) == ("0", "0")


def test_members_predict_by_the_rules_of_their_costs() -> None:
    found = WeighedMembers(MEMBERS, MODELS, CLASSES, np.reshape(FLAT, (3, 3)), (0.5, 0.25, 0.25))
    assert [found.rule(place) for place in range(4)] == [
        MulticlassRule(CLASSES, MODELS[0], OWN, adjusted=True),
        MulticlassRule(CLASSES, MODELS[0], FLAT),
        MulticlassRule(CLASSES, "rules"),
        MulticlassRule(CLASSES, always="eel"),
    ]
