"""The tuner moves on evidence, not on noise, and says what it did."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import rocch
from rocch.roc.knob import positions
from tests.support.scored import Scored, normal_model, normal_rows

if TYPE_CHECKING:
    from collections.abc import Callable

MODEL = normal_model()
COSTS = rocch.Conditions(prevalence=0.2, false_positive=1, false_negative=5)


def tuner(**options: Any) -> rocch.hybrid.KnobTuner:
    return rocch.hybrid.KnobTuner(MODEL, COSTS, **options)


def best_position(prevalence: float) -> float:
    return rocch.roc.Knob.of(MODEL.hull_.best(COSTS.with_prevalence(prevalence))).position


# -- it does nothing on noise ----------------------------------------------------------------


def share_that_moves(run: Callable[[int], bool], runs: int) -> float:
    return sum(run(seed) for seed in range(runs)) / runs


def at_most(alpha: float, runs: int) -> float:
    """Return alpha and three standard errors of a share."""
    return alpha + 3 * math.sqrt(alpha * (1 - alpha) / runs)


def test_complaints_both_ways_move_nothing() -> None:
    def run(seed: int) -> bool:
        rng = np.random.default_rng([1, seed])
        tuned = tuner(alpha=0.1)
        ways = (tuned.too_many_alarms, tuned.queue_not_filled)
        return any(ways[coin]().moved for coin in rng.integers(2, size=50))

    assert share_that_moves(run, 150) <= at_most(0.1, 150)


@pytest.mark.parametrize("capacity", [4, 100])
def test_loads_that_fit_the_capacity_move_nothing(capacity: int) -> None:
    def run(seed: int) -> bool:
        rng = np.random.default_rng([2, capacity, seed])
        tuned = tuner(alpha=0.1)
        loads = rng.poisson(capacity, size=50)
        return any(tuned.load(alarms=int(n), capacity=capacity, tolerance=0).moved for n in loads)

    assert share_that_moves(run, 150) <= at_most(0.1, 150)


@pytest.mark.parametrize("miss", [1, 5, 40])
@pytest.mark.parametrize("share", [None, 0.2])
def test_outcomes_under_which_all_settings_cost_the_same_move_nothing(
    miss: int, share: float | None
) -> None:
    costs = rocch.Conditions(prevalence=0.5, false_positive=1, false_negative=miss)

    def run(seed: int) -> bool:
        rng = np.random.default_rng([3, miss, seed])
        tuned = rocch.hybrid.KnobTuner(MODEL, costs, start=0.5, alpha=0.1, window=200)
        for _ in range(12):
            rows, _ = normal_rows(rng, 200, 0.3)
            y = rng.random(200) < 1 / (1 + miss)  # whatever the scores say
            if share is None:
                reaction = tuned.outcomes(rows, y, complete=True)
            else:
                chosen = tuned.explore(rows, share=share, row_key=rng.integers(2**40, size=200))
                own = chosen.reviewed_propensities
                reaction = tuned.outcomes(rows[chosen.review], y[chosen.review], propensities=own)
            if reaction.moved:
                return True
        return False

    assert share_that_moves(run, 100) <= at_most(0.1, 100)


def test_costs_that_do_not_depend_on_the_setting_move_nothing() -> None:
    def run(seed: int) -> bool:
        rng = np.random.default_rng([4, seed])
        tuned = tuner(alpha=0.1, probe=True, seed=seed)
        noise = rng.standard_t(2, size=100).cumsum()  # heavy tails, and drifting
        return any(tuned.observed_cost(float(cost)).moved for cost in noise)

    assert share_that_moves(run, 150) <= at_most(0.1, 150)


# -- it moves on evidence --------------------------------------------------------------------


@pytest.mark.parametrize("prevalence", [0.02, 0.2, 0.6])
@pytest.mark.parametrize("randomize", [False, True])
def test_outcomes_lead_to_the_best_setting(prevalence: float, randomize: bool) -> None:
    rng = np.random.default_rng(5)
    tuned = tuner(randomize=randomize)
    for _ in range(60):
        tuned.outcomes(*normal_rows(rng, 1000, prevalence), complete=True)
    now = COSTS.with_prevalence(prevalence)
    point, best = tuned.operating_point, MODEL.hull_.best(now)
    cost = now.expected_cost(point.fpr, point.tpr)
    assert best.expected_cost is not None
    assert cost <= best.expected_cost * 1.03
    start = MODEL.hull_.best(COSTS)
    if prevalence != 0.2:
        assert cost < now.expected_cost(start.fpr, start.tpr) * 0.95


def test_reviewed_rows_lead_there_too_and_alarms_alone_are_refused() -> None:
    rng = np.random.default_rng(6)
    tuned = tuner()
    for period in range(80):
        rows, y = normal_rows(rng, 1000, 0.5)
        chosen = tuned.explore(rows, share=0.1, row_key=range(1000 * period, 1000 * (period + 1)))
        seen, propensities = chosen.review, chosen.reviewed_propensities
        tuned.outcomes(rows[seen], y[seen], propensities=propensities)
    assert abs(tuned.knob.position - best_position(0.5)) < 0.1
    alarms = tuned.aimed.predict(rows)
    with pytest.raises(rocch.InputError, match="do not tell what was missed"):
        tuned.outcomes(rows[alarms], y[alarms])


def test_costs_alone_lead_to_the_best_setting_by_trying() -> None:
    tuned = rocch.hybrid.KnobTuner(MODEL, start=0.2, probe=True, step=0.1, least_step=0.05)
    rng = np.random.default_rng(7)
    now = COSTS.with_prevalence(0.5)
    tried = set()
    for _ in range(400):
        point = tuned.operating_point
        tried.add(tuned.setting)
        cost = now.expected_cost(point.fpr, point.tpr) * 1000 + rng.normal(0, 20)
        tuned.observed_cost(cost, cases=1000)
    assert abs(tuned.knob.position - best_position(0.5)) <= 0.1
    assert len(tried) > 4


def test_a_steady_overload_turns_left_until_the_load_fits() -> None:
    rng = np.random.default_rng(8)
    tuned = tuner(start=0.8)
    for _ in range(60):
        rows, _ = normal_rows(rng, 500, 0.2)
        alarms = int(tuned.aimed.predict(rows).sum())
        tuned.load(alarms=alarms, capacity=60)
    rows, _ = normal_rows(rng, 20_000, 0.2)
    assert 0.8 * 60 <= tuned.aimed.predict(rows).sum() / 40 <= 1.2 * 60
    assert {r.direction for r in tuned.history if r.moved} >= {"fewer alarms"}


def test_complaints_turn_the_knob_by_growing_steps() -> None:
    tuned = tuner(start=0.2, step=0.05)
    moves = [r.moved for r in (tuned.queue_not_filled() for _ in range(30)) if r.moved]
    assert len(moves) == 3
    assert moves[0] == pytest.approx(0.05, abs=0.02)
    assert moves[1] == pytest.approx(0.05, abs=0.02)
    assert moves[2] == pytest.approx(0.1, abs=0.03)
    back = [r for r in (tuned.too_many_alarms() for _ in range(10)) if r.moved]
    assert back[0].direction == "fewer alarms"
    assert back[0].step == pytest.approx(0.1)
    assert tuner().too_many_alarms(times=12).direction == "fewer alarms"


def test_a_change_after_a_long_calm_is_found_soon() -> None:
    rng = np.random.default_rng(9)
    tuned = tuner()
    for _ in range(200):
        tuned.outcomes(*normal_rows(rng, 500, 0.2), complete=True)
    calm = tuned.knob.position
    moved = [
        tuned.outcomes(*normal_rows(rng, 500, 0.6), complete=True).direction for _ in range(15)
    ]
    assert "more alarms" in moved
    assert tuned.knob.position > calm


# -- late feedback ---------------------------------------------------------------------------


def test_late_complaints_about_a_setting_further_right_do_not_turn_left_again() -> None:
    tuned = tuner(start=0.6)
    old = tuned.setting
    tuned.too_many_alarms(times=12)
    assert tuned.knob < old
    late = [tuned.too_many_alarms(setting=old) for _ in range(40)]
    assert not any(reaction.moved for reaction in late)
    assert late[0].made_at == old.position
    assert late[0].for_fewer_alarms == 1


def test_late_complaints_about_a_setting_further_left_do_not_turn_right_again() -> None:
    tuned = tuner(start=0.4)
    old = tuned.setting
    tuned.queue_not_filled(times=12)
    assert tuned.knob > old
    late = [tuned.queue_not_filled(setting=old) for _ in range(40)]
    assert not any(reaction.moved for reaction in late)
    assert late[0].for_more_alarms == 1


def test_late_complaints_that_hold_here_all_the_more_count() -> None:
    tuned = tuner(start=0.6)
    left = rocch.roc.Knob(0.3)
    assert tuned.too_many_alarms(times=12, setting=left).direction == "fewer alarms"
    right = rocch.roc.Knob(0.9)
    assert tuned.queue_not_filled(times=12, setting=right).direction == "more alarms"
    assert tuned.load(alarms=300, capacity=100, setting=rocch.roc.Knob(1)).moved == 0
    assert (
        tuned.load(alarms=300, capacity=100, setting=rocch.roc.Knob(0)).direction == "fewer alarms"
    )


def test_late_costs_of_other_settings_are_not_counted() -> None:
    tuned = tuner(probe=True)
    before = tuned.setting
    reaction = tuned.observed_cost(1e9, setting=rocch.roc.Knob(1))
    assert not reaction.counted
    assert reaction.moved == 0
    assert "not one of the two" in reaction.why
    assert tuned.setting == before
    assert tuned.observed_cost(5).why == "the other side is still to be tried"
    other = tuned.setting
    assert other != before
    tuned.observed_cost(6, setting=before)  # late, but of this trial
    assert tuned.setting == other


def test_outcomes_of_any_age_are_judged_at_the_present_settings() -> None:
    rng = np.random.default_rng(10)
    rows, y = normal_rows(rng, 400, 0.2)
    here, there = tuner(start=0.3), tuner(start=0.3)
    there.turn(0.3)
    there.turn(-0.3)
    one, other = (tuned.outcomes(rows, y, complete=True) for tuned in (here, there))
    assert (one.for_fewer_alarms, one.for_more_alarms) == (
        other.for_fewer_alarms,
        other.for_more_alarms,
    )
    assert one.for_fewer_alarms != 1


# -- where it starts, and what it tells ------------------------------------------------------


def test_it_starts_where_conditions_say() -> None:
    assert tuner().knob.position == best_position(0.2)
    vague = rocch.Conditions(prevalence=(0.1, 0.4), false_positive=1, false_negative=5)
    safest = MODEL.hull_.best(rocch.MinimaxRegret(vague))
    started = rocch.hybrid.KnobTuner(MODEL, vague).knob.position
    assert abs(started - (safest.fpr + safest.tpr) / 2) < 0.05
    observed = rocch.Conditions(prevalence="observed", false_positive=1, false_negative=5)
    assert (
        rocch.hybrid.KnobTuner(MODEL, observed).operating_point.point
        == MODEL.hull_.best(observed).point
    )


def test_without_a_coin_it_stands_at_a_vertex() -> None:
    assert tuner(start=0.4321).knob.position in positions(MODEL.hull_)
    assert tuner(start=rocch.roc.Knob(0.4321), randomize=True).knob == rocch.roc.Knob(0.4321)
    mixed = tuner(start=0.4321, randomize=True)
    assert mixed.operating_point.randomized


def test_reactions_are_kept_and_readable() -> None:
    tuned = tuner(start=0.5)
    said = [tuned.too_many_alarms(), tuned.turn(0.2, why="audit"), tuned.too_many_alarms(times=20)]
    assert tuned.history == said
    assert str(said[0]).startswith(f"stayed at {said[0].position:.4g}: evidence ")
    assert "turned to more alarms, by 0.2" in str(said[1])
    assert str(said[1]).endswith(": audit")
    assert said[2].direction == "fewer alarms"
    assert str(said[2]).startswith("turned to fewer alarms, by ")
    assert repr(tuned).endswith("3 piece(s) of feedback>")
    assert len(tuned.history.to_frame()) == 3


def test_rows_on_which_nothing_differs_say_nothing() -> None:
    tuned = tuner(start=0.5)
    reaction = tuned.outcomes([[99.0, 99.0]], [1], complete=True)
    assert reaction.why == "nothing in it tells the neighboring settings apart"
    assert reaction.made_at is None


def test_at_an_end_only_the_other_side_is_judged() -> None:
    rng = np.random.default_rng(11)
    reaction = tuner(start=0.0).outcomes(*normal_rows(rng, 500, 0.5), complete=True)
    assert reaction.for_fewer_alarms == 1
    assert reaction.direction == "more alarms"


def test_after_long_at_an_end_the_other_way_is_open() -> None:
    tuned = tuner(start=0.0)
    for _ in range(30):
        tuned.load(alarms=500, capacity=100)
    assert tuned.load(alarms=20, capacity=100).direction == "more alarms"


def test_a_period_with_one_class_and_named_labels_is_heard() -> None:
    rows, y = normal_rows(np.random.default_rng(12), 100, 0.3)
    assert tuner().outcomes(rows, np.zeros(100), complete=True).counted
    named = np.where(y, "ill", "well")
    plain = tuner().outcomes(rows, y, complete=True)
    assert tuner().outcomes(rows, named, complete=True, pos_label="ill") == plain


def test_on_a_restricted_hull_it_stays_within() -> None:
    vague = rocch.Conditions(prevalence=0.2, false_positive=1, false_negative=(3, 8))
    small = MODEL.hull_.within(vague)
    tuned = rocch.hybrid.KnobTuner(Scored(small, MODEL.columns), vague)
    for _ in range(100):
        tuned.too_many_alarms()
    ends = [r for r in tuned.history if "end with the fewest alarms" in r.why]
    assert len(ends) > 1
    low = small.best_between(*vague.slope_range)[0]
    assert tuned.knob.position == positions(small)[low]
    with pytest.raises(rocch.InputError, match="restricted to bounds"):
        rocch.hybrid.KnobTuner(Scored(small, MODEL.columns), vague, start=0.0)


# -- what it refuses -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 0}, "alpha must be a number between 0 and 1, both excluded; got 0"),
        ({"alpha": 1}, "alpha must be a number between 0 and 1"),
        ({"alpha": "small"}, "alpha must be a number between 0 and 1"),
        ({"window": 0}, "window must be a whole number, at least 1; got 0"),
        ({"window": 2.5}, "window must be a whole number"),
        ({"seed": -1}, "seed must be a whole number, at least 0"),
        ({"seed": None}, "seed must be a whole number"),
        ({"randomize": "yes"}, "randomize must be True or False; got 'yes'"),
        ({"probe": 1}, "probe must be True or False"),
        ({"step": 0.5}, "step must be a number from 0.02 to 0.2; .* between least_step and most"),
        ({"least_step": "a"}, "least_step must be a number above 0 and at most 0.2"),
        ({"start": 2}, "position must be a number from 0 to 1"),
        ({"start": "left"}, "position must be a number from 0 to 1"),
    ],
)
def test_unusable_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(rocch.InputError, match=message):
        tuner(**options)


def test_unusable_models_conditions_and_starts_are_refused() -> None:
    lib: Any = rocch
    with pytest.raises(rocch.InputError, match="start must be given where there are no conditions"):
        lib.hybrid.KnobTuner(MODEL)
    with pytest.raises(rocch.InputError, match=r"model must be a fitted hybrid.*type str"):
        lib.hybrid.KnobTuner("model", start=0.5)
    with pytest.raises(rocch.InputError, match="model must be a fitted hybrid"):
        lib.hybrid.KnobTuner(MODEL.hull_, start=0.5)
    with pytest.raises(rocch.InputError, match="conditions must be Conditions"):
        lib.hybrid.KnobTuner(MODEL, 0.5)


X2, Y2 = [[0.0, 0.0], [1.0, 1.0]], [0, 1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: t.too_many_alarms(times=0), "times must be a finite number above 0"),
        (lambda t: t.queue_not_filled(times=-3), "times must be a finite number above 0"),
        (lambda t: t.too_many_alarms(setting=0.5), "setting must be a Knob; .* type float"),
        (lambda t: t.load(alarms=-1, capacity=10), "alarms must be a finite number"),
        (lambda t: t.load(alarms=1, capacity=0), "capacity must be a finite number above 0"),
        (lambda t: t.load(alarms=1, capacity=1, tolerance=2), "tolerance must be a number from 0"),
        (lambda t: t.outcomes(X2, Y2), "labeled, by one of the two; got neither"),
        (lambda t: t.outcomes(X2, Y2, complete=True, propensities=[1, 1]), "got both"),
        (
            lambda t: t.outcomes(X2, [1], complete=True),
            "X must have one value for the one row; got 2",
        ),
        (
            lambda t: t.outcomes(X2, Y2, propensities=[1]),
            "propensities must have one value",
        ),
        (
            lambda t: t.outcomes(X2, Y2, propensities=[1, 0]),
            "propensities must be probabilities",
        ),
        (
            lambda t: t.outcomes(X2, [1, None], complete=True),
            "y_true must have no missing labels",
        ),
        (lambda t: t.outcomes(X2, ["a", "b"], complete=True), "pos_label must be given"),
        (
            lambda t: t.outcomes(X2, Y2, complete=True, pos_label=[1]),
            "pos_label must be one label",
        ),
        (lambda t: t.outcomes([], [], complete=True), "y_true must have at least one row"),
        (lambda t: t.observed_cost(5), "probe must be True before costs alone"),
        (lambda t: t.turn("left"), "by must be a finite number"),
        (lambda t: t.explore(X2, share=0, row_key=[1, 2]), "share must be a number above 0"),
        (lambda t: t.explore(X2, share=0.5, row_key=[1]), "row_key must have one value"),
    ],
)
def test_unusable_feedback_is_refused_and_leaves_no_trace(call: Any, message: str) -> None:
    tuned = tuner()
    before = tuned.to_dict()
    with pytest.raises(rocch.InputError, match=message):
        call(tuned)
    assert tuned.to_dict() == before


@pytest.mark.parametrize(
    ("total", "cases", "message"),
    [
        (float("nan"), 1, "total must be a finite number"),
        ("5", 1, "total must be a finite number"),
        (5, 0, "cases must be a finite number above 0"),
        (5, -1, "cases must be a finite number above 0"),
    ],
)
def test_unusable_costs_are_refused(total: Any, cases: Any, message: str) -> None:
    with pytest.raises(rocch.InputError, match=message):
        tuner(probe=True).observed_cost(total, cases=cases)


def test_outcomes_without_exact_costs_are_refused() -> None:
    with pytest.raises(rocch.InputError, match=r"conditions must have exact costs .* got none"):
        rocch.hybrid.KnobTuner(MODEL, start=0.5).outcomes(X2, Y2, complete=True)
    vague = rocch.Conditions(prevalence=0.2, false_positive=1, false_negative=(5, 9))
    with pytest.raises(rocch.InputError, match="conditions must have exact costs"):
        rocch.hybrid.KnobTuner(MODEL, vague).outcomes(X2, Y2, complete=True)


def test_a_model_that_returns_no_probabilities_is_refused() -> None:
    class Wrong:
        hull_ = MODEL.hull_

        def at(self, point: Any) -> Any:  # noqa: ARG002 - a model's signature
            return self

        def decision_probability(self, rows: Any) -> Any:
            return np.full(len(rows), 2.0)

    with pytest.raises(rocch.InputError, match="decision_probability must be probabilities"):
        rocch.hybrid.KnobTuner(Wrong(), COSTS).outcomes(X2, Y2, complete=True)


def test_the_real_hybrid_is_tuned() -> None:
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB

    rng = np.random.default_rng(0)

    def cases(size: int, prevalence: float) -> tuple[Any, Any]:
        y = rng.random(size) < prevalence
        return rng.normal(1.5 * y[:, np.newaxis], 1, (size, 2)), y

    models = [("lr", LogisticRegression()), ("nb", GaussianNB())]
    model = rocch.RocchClassifier(models, cv=3).fit(*cases(1500, 0.2))
    costs = rocch.Conditions(prevalence=0.05, false_positive=1, false_negative=5)
    tuner = rocch.hybrid.KnobTuner(model, costs)
    start = tuner.setting
    assert tuner.operating_point.point == model.at(costs, exact=True).point.point
    for _ in range(10):
        X, y = cases(800, 0.3)
        tuner.outcomes(X, y, complete=True)
    assert tuner.setting > start
    new, truth = cases(4000, 0.3)

    def cost(view: Any) -> float:
        alarms = view.predict(new)
        return float((alarms & ~truth).sum() + 5 * (~alarms & truth).sum())

    assert cost(tuner.aimed) < cost(model.at(costs))
    assert cost(model.at(tuner.knob)) == cost(tuner.aimed)
