from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import rocch
from rocch.report import summarize_probabilities, summary_schema
from rocch.report.many_classes.answer import answer
from rocch.report.many_classes.summarize import summarize_hybrid, summarize_surface
from tests.support.many_reports import (
    ALL,
    drawn,
    fourteen_classes,
    given_counts,
    named,
    six_classes,
    wine,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocch.report import ManyClassesSummary


@pytest.mark.parametrize("make", ALL)
def test_every_summary_keeps_the_schema(make: Callable[[], ManyClassesSummary]) -> None:
    found = json.loads(json.dumps(asdict(make()), allow_nan=False))
    schemas = pytest.importorskip("jsonschema")
    schemas.validate(found, summary_schema())


@pytest.mark.parametrize("make", ALL)
def test_columns_are_equally_long_and_counts_are_of_the_rows(
    make: Callable[[], ManyClassesSummary],
) -> None:
    found = make()
    members = found.members
    size = len(found.classes)
    assert len({len(getattr(members, name)) for name in type(members).__slots__}) == 1
    for counts in members.counts:
        sums = np.array(counts).reshape(size, size).sum(axis=1).tolist()
        assert sums == [each.rows for each in found.classes]
    assert all(each.member < len(members.model) for each in found.recommended)


def test_the_recommendation_is_the_library_s_own() -> None:
    found = wine()
    assert found.recommended[0].member == found.answer.member
    models = tuple(model.name for model in found.models)
    assert answer(found.members, models, found.question) == found.answer
    assert found.recommended[0].sentence == found.answer.sentence
    errors = [178 - sum(counts[::4]) for counts in found.members.counts]
    by_name = {each.name: each.member for each in found.recommended}
    assert errors[by_name["fewest errors"]] == min(errors)


def test_the_surface_says_what_it_is() -> None:
    surface = wine().surface
    assert surface is not None
    assert (surface.objectives, surface.members) == ("rates", surface.shown)
    assert surface.dominated is not None
    assert (
        surface.dominated.interval.low < surface.dominated.value < surface.dominated.interval.high
    )
    six = six_classes().surface
    assert six is not None
    assert six.objectives == "misses"


def test_without_a_surface_there_are_rules_and_single_answers() -> None:
    found = fourteen_classes()
    assert found.surface is None
    assert len(found.members.model) == 1 + 14
    assert found.answer.sentence.startswith("Use classifier's most likely class")
    assert "No surface was searched: with 14 classes" in found.remarks[0]
    assert [each.name for each in found.classes][-1] == "13"


def test_given_counts_have_no_curves() -> None:
    found = given_counts()
    assert found.hulls == ()
    assert all(model.aucs is None and not model.curves for model in found.models)
    assert "Posteriors are not at hand" in found.remarks[-1]
    assert found.answer.plain is None


def test_a_surface_of_very_many_classes_has_no_share() -> None:
    labels, posteriors = drawn(14, 60)
    answers = rocch.multiclass.Confusion.from_labels(labels, posteriors.argmax(axis=1).tolist())
    found = summarize_surface(rocch.multiclass.RocSurface.of({"m": answers})).surface
    assert found is not None
    assert found.dominated is None


def test_a_large_surface_is_reduced_and_says_so() -> None:
    labels, posteriors = drawn(4, 400)
    found = summarize_probabilities(labels, posteriors, generations=40)
    assert found.surface is not None
    assert found.surface.shown < found.surface.members
    assert len(found.members.model) <= 3000
    assert f"{found.surface.shown:,} of the surface's {found.surface.members:,}" in found.remarks[0]
    assert "the cheapest of" in found.remarks[1]


def test_other_shares_correct_the_rule_for_them() -> None:
    labels, posteriors = drawn(3)
    rare = summarize_probabilities(
        labels, posteriors, priors={0: 0.98, 1: 0.01, 2: 0.01}, generations=0
    )
    assert rare.question.shares == (0.98, 0.01, 0.01)
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
    found = summarize_hybrid(fitted)
    assert list(found.question.costs[0]) == [0, 5, 1]
    assert {model.name: model.aucs is None for model in found.models} == {"nb": False, "knn": True}
    assert found.answer.cost == pytest.approx(fitted.default_.point.expected_cost)


def test_an_aimed_view_starts_at_its_aim_and_bounds_at_their_middle(fitted: Any) -> None:
    vague = rocch.CostMatrix(
        {("ash", "cedar"): (2, 6)}, classes=["ash", "birch", "cedar"], default=1
    )
    safe = summarize_hybrid(fitted.at_least_regret(vague))
    assert list(safe.question.costs[0]) == [0, 1, 4]
    alike = rocch.CostMatrix.zero_one(["ash", "birch", "cedar"])
    assert list(summarize_hybrid(fitted, costs=alike).question.costs[0]) == [0, 1, 1]
    shares = {"ash": 0.5, "birch": 0.25, "cedar": 0.25}
    assert summarize_hybrid(fitted, priors=shares).question.shares == (0.5, 0.25, 0.25)


def test_a_searched_surface_of_models_tells_their_parameters() -> None:
    data = rocch.multiclass.three_class_data(90, seed=1)
    surface = rocch.multiclass.SurfaceSearch(
        rocch.multiclass.KnnModel(data.X, data.y), data.y, draws=10
    ).run(5)
    found = summarize_surface(surface, title="knn alone")
    assert found.title == "knn alone"
    assert found.members.settings[0].startswith("k ")


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
    refuse("be a RocSurface", lambda: summarize_surface(posteriors))  # type: ignore[arg-type]
    refuse("summarize_probabilities", lambda: summarize_hybrid(GaussianNB()))
    refuse(
        "be fitted", lambda: summarize_hybrid(rocch.RocSurfaceClassifier([("nb", GaussianNB())]))
    )


def test_more_classes_than_a_page_can_show_are_refused() -> None:
    labels, posteriors = drawn(51, 120)
    refuse("at most 50", lambda: summarize_probabilities(labels, posteriors))
