"""Hybrids aimed by beliefs: views, rules, groups, files, and labels without a direction."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import rocch
from rocch.hybrid.model_files import from_plain, to_plain
from tests.support.hybrids import hull_hybrid

if TYPE_CHECKING:
    from pathlib import Path

B = rocch.Belief
EXPERT = B.cost_ratio(1, 30, likely=4).with_unit(false_positive=2)
BELIEF = EXPERT.with_prevalence(0.25)
AIMS = {
    "least expected regret": rocch.LeastExpectedRegret(BELIEF),
    "observed": rocch.LeastExpectedRegret(EXPERT.with_prevalence("observed")),
    "minimax": rocch.MinimaxRegret(BELIEF),
    "limited": rocch.Constrained(rocch.LeastExpectedRegret(BELIEF), rocch.NeymanPearson(0.12)),
    "limited minimax": rocch.Constrained(rocch.MinimaxRegret(BELIEF), rocch.MinimumTpr(0.93)),
}
every_aim = pytest.mark.parametrize("aim", AIMS.values(), ids=AIMS.keys())
MODELS = [("nb", GaussianNB()), ("lr", LogisticRegression())]


@pytest.fixture(scope="module")
def data() -> tuple[Any, Any]:
    X, y = make_classification(300, 5, flip_y=0.15, weights=[0.7], random_state=4)
    return X, y


@pytest.fixture(scope="module")
def model(data: tuple[Any, Any]) -> Any:
    return hull_hybrid(MODELS, cv=3, pos_label=1).fit(*data)


@every_aim
@pytest.mark.parametrize("randomize", [False, True])
def test_views_are_where_the_hull_says(
    model: Any, data: tuple[Any, Any], aim: Any, randomize: bool
) -> None:
    view = model.at(aim, exact=True, randomize=randomize)
    assert view.point == model.hull_.best(aim, randomize=randomize)
    answers = view.predict(data[0])
    assert set(answers.tolist()) <= {0, 1}
    assert json.loads(view.rule.to_json())
    assert clone(view) is view
    if not view.point.randomized:
        same = model.at(view.point)
        np.testing.assert_array_equal(answers, same.predict(data[0]))
        assert str(same.rule) == str(view.rule)


@every_aim
def test_views_come_back_from_files(
    model: Any, data: tuple[Any, Any], aim: Any, tmp_path: Path
) -> None:
    for randomize in (False, True):
        view = model.at(aim, exact=True, randomize=randomize)
        rocch.save(view, tmp_path / "view.rocch")
        again = rocch.load(tmp_path / "view.rocch")
        assert isinstance(again, rocch.hybrid.AimedClassifier)
        assert again.point == view.point
        assert again.rule == view.rule
        np.testing.assert_array_equal(again.predict(data[0]), view.predict(data[0]))


def test_models_that_aim_by_a_belief_come_back_too(data: tuple[Any, Any], tmp_path: Path) -> None:
    aim = rocch.LeastExpectedRegret(EXPERT.with_prevalence("observed"))
    model = hull_hybrid(MODELS, cv=3, criterion=aim).fit(*data)
    assert model.default_.point == model.hull_.best(aim)
    rocch.save(model, tmp_path / "model.rocch")
    again = rocch.load(tmp_path / "model.rocch")
    assert isinstance(again, rocch.RocchClassifier)
    assert again.default_.point == model.default_.point
    assert isinstance(again.criterion, rocch.LeastExpectedRegret)
    assert str(again.criterion.belief) == str(aim.belief)
    fresh = clone(again).fit(*data)
    assert fresh.default_.point == model.default_.point


def test_groups_with_beliefs(model: Any, data: tuple[Any, Any], tmp_path: Path) -> None:
    frame = pd.DataFrame(data[0], columns=list("abcde"))
    named = hull_hybrid(MODELS, cv=3, pos_label=1).fit(frame, data[1])
    frame["branch"] = np.where(np.arange(300) % 2, "north", "south")
    aims = {"north": AIMS["least expected regret"], "south": AIMS["minimax"]}
    view = named.at_each(aims, group="branch")
    rocch.save(view, tmp_path / "groups.rocch")
    again = rocch.load(tmp_path / "groups.rocch")
    np.testing.assert_array_equal(again.predict(frame), view.predict(frame))
    assert model.hull_.best(aims["north"]) != model.hull_.best(aims["south"])


@pytest.mark.filterwarnings("ignore::rocch.PositiveClassWarning")
@every_aim
def test_which_class_is_positive_matters_to_a_belief(data: tuple[Any, Any], aim: Any) -> None:
    X, y = data
    words = np.where(y == 1, "ill", "well")
    guessed = hull_hybrid([("nb", GaussianNB())], cv=2).fit(X, words)
    with pytest.raises(rocch.InputError, match="pos_label must be named"):
        guessed.at(aim)
    with pytest.raises(rocch.InputError, match="pos_label must be named"):
        guessed.predict(X, aim)
    told = hull_hybrid([("nb", GaussianNB())], cv=2, pos_label="ill").fit(X, words)
    assert told.at(aim).rule.positive == "ill"


def test_a_criterion_may_be_given_for_one_call(model: Any, data: tuple[Any, Any]) -> None:
    aim = AIMS["least expected regret"]
    np.testing.assert_array_equal(
        model.predict(data[0], aim), model.at(aim, exact=True).predict(data[0])
    )


def test_within_bounds(data: tuple[Any, Any]) -> None:
    bounds = rocch.Conditions(prevalence=0.25, false_positive=2, false_negative=(2, 60))
    small = hull_hybrid(MODELS, cv=3, pos_label=1, within=bounds).fit(*data)
    whole = hull_hybrid(MODELS, cv=3, pos_label=1).fit(*data)
    aim = AIMS["least expected regret"]
    assert small.at(aim, exact=True).point.value == pytest.approx(
        whole.at(aim, exact=True).point.value
    )
    safest = small.at(AIMS["minimax"]).point
    assert safest.value >= whole.at(AIMS["minimax"]).point.value
    assert "Only hulls' vertices could be searched" in safest.note
    beyond = rocch.LeastExpectedRegret(
        B.cost_ratio(1, 90).with_unit(false_positive=2).with_prevalence(0.25)
    )
    with pytest.raises(rocch.InputError, match="restricted to slopes"):
        small.at(beyond)


def test_a_belief_alone_is_no_aim(model: Any) -> None:
    with pytest.raises(rocch.InputError, match=r"Use LeastExpectedRegret\(belief\)"):
        model.at(BELIEF)


def test_a_tuner_starts_from_a_belief_s_choice(model: Any) -> None:
    chosen = model.hull_.best(AIMS["least expected regret"])
    tuner = rocch.hybrid.KnobTuner(model, start=rocch.roc.Knob.of(chosen))
    assert tuner.operating_point.tpr == pytest.approx(chosen.tpr)
    with pytest.raises(rocch.InputError, match="conditions must be Conditions"):
        rocch.hybrid.KnobTuner(model, BELIEF)  # type: ignore[arg-type]


WRITTEN = {
    "triangle": BELIEF,
    "on times": B.cost_ratio(5, 10, likely=9, on="times").with_unit(false_negative=3),
    "about": B.cost_ratio_about(9, factor=2)
    .with_unit(false_positive=1)
    .with_prevalence((0.1, 0.3)),
    "beta": B.cost_share_beta(2, 3).with_prevalence(B.prevalence_beta(2, 5)),
    "gamma": B.cost_ratio_like(stats.gamma(3, scale=2)),
    "sample of costs": B.cost_ratio_like([1, 5, math.inf], weights=[1, 2, 1]),
    "sample": B.sample(prevalence=[0.1, 0.2], false_positive=[1, 2], false_negative=3),
    "pool": B.pooled(B.cost_ratio(5, 10), B.cost_ratio(2)),
    "prevalence": B.prevalence(0.1, 0.2).with_costs(false_positive=1, false_negative=9),
    "open": B.cost_ratio(1, math.inf, likely=4),
}


@pytest.mark.parametrize("belief", WRITTEN.values(), ids=WRITTEN.keys())
def test_beliefs_as_plain_data(belief: rocch.Belief) -> None:
    text = json.dumps(to_plain(rocch.LeastExpectedRegret(belief)), allow_nan=False)
    again = from_plain(json.loads(text)).belief
    assert str(again) == str(belief)
    assert again.unit == belief.unit
    assert again.elicited == belief.elicited
    known = [b if b.has_prevalence else b.with_prevalence(0.3) for b in (belief, again)]
    at = np.linspace(0, 1, 11)
    np.testing.assert_array_equal(known[0].cumulative_mass(at), known[1].cumulative_mass(at))
    if known[0].has_unit:
        assert known[0].expected_case == known[1].expected_case


class Home(stats.rv_continuous):  # type: ignore[misc] # SciPy is untyped
    """A distribution that SciPy does not have."""

    def _cdf(self, x: Any) -> Any:
        return x


def test_distributions_of_one_s_own_cannot_be_saved() -> None:
    said = B.cost_ratio_like(Home(a=0, b=1, name="home")())
    with pytest.raises(rocch.InputError, match="settings that can be saved as plain data"):
        to_plain(said)


@pytest.mark.parametrize(
    "data",
    [
        {"scipy": "poisson", "given": [{"items": [3]}, {"items": []}]},
        {"scipy": "kstest", "given": [{"items": [3]}, {"items": []}]},
        {"scipy": "nothing", "given": [{"items": []}, {"items": []}]},
        {"scipy": "gamma", "given": [{"items": ["os.system"]}, {"items": []}]},
    ],
)
def test_nothing_else_of_scipy_s_is_called(data: Any) -> None:
    with pytest.raises(rocch.InputError, match="name a continuous distribution"):
        from_plain(data)
