"""The bootstrap against rows that are really repeated, and against closed forms."""

from __future__ import annotations

import math
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings

import rocch
from rocch import RocCurve, RocHull
from rocch.kernels import _numba as compiled_resampling
from rocch.kernels import resampling
from rocch.kernels.engine import SAVES_A_SECOND
from tests.support.strategies import judged_table

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray, IntArray

lib: Any = rocch  # so that mypy lets the tests pass what users should not
FPRS = np.array([0, 0.1, 1 / 3, 0.5, 0.9, 1])


def three_models(rows: int, seed: int = 0) -> tuple[BoolArray, dict[str, Any]]:
    """Return labels, two crossing scores (one with ties) and a model that only labels."""
    rng = np.random.default_rng(seed)
    y = rng.random(rows) < 0.4
    return y, {
        "fine": rng.normal(size=rows) + y,
        "tied": np.round(rng.normal(size=rows) * 2 + 2 * y),
        "rules": (rng.random(rows) < 0.2) | (y & (rng.random(rows) < 0.5)),
    }


def crossing(rows: int = 300) -> tuple[BoolArray, dict[str, FloatArray]]:
    rng = np.random.default_rng(5)
    y = rng.random(rows) < 0.5
    return y, {"a": rng.normal(size=rows) + 1.2 * y, "b": rng.normal(size=rows) * (1 + y) + y}


def rebuilt(
    y: BoolArray, scores: dict[str, Any], times: IntArray
) -> tuple[dict[str, RocCurve], RocHull]:
    """Repeat the rows and judge the models the ordinary way."""
    rows = np.repeat(y, times)
    curves = {
        name: (RocCurve.from_labels if column.dtype == bool else RocCurve.from_scores)(
            rows, np.repeat(column, times), name=name
        )
        for name, column in scores.items()
    }
    return curves, RocHull.of(*curves.values())


def check_replicates(drawn: rocch.stats.Bootstrap, y: BoolArray, scores: dict[str, Any]) -> None:
    """Check everything that is kept of every replicate."""
    for r in range(len(drawn)):
        curves, joint = rebuilt(y, scores, drawn.replicate(r).multiplicities)
        for model, curve in curves.items():
            own = RocHull.of(curve)
            assert drawn.auc(model)[r] == curve.auc
            assert drawn.tpr(model)[r].tolist() == [curve.tpr_at(x) for x in FPRS.tolist()]
            assert drawn.hull_auc(model)[r] == own.auc
            assert drawn.hull_tpr(model)[r].tolist() == [own.tpr_at(x) for x in FPRS.tolist()]
            kept = drawn.hull(model)[r]
            assert np.array_equal(kept, (own.false_positives, own.true_positives))
        assert drawn.hull_auc()[r] == joint.auc
        assert np.array_equal(drawn.hull()[r], (joint.false_positives, joint.true_positives))
        held = {name for vertex in joint.vertices[1:-1] for name in vertex.classifiers}
        assert {m for m, on in zip(drawn.models, drawn.holders[r], strict=True) if on} == held


@pytest.mark.parametrize("engine", [resampling, compiled_resampling])
@pytest.mark.parametrize("clustered", [False, True])
def test_replicates_equal_repeated_rows_exactly(
    engine: Any, clustered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    least = 0 if engine is compiled_resampling else 10**18
    monkeypatch.setitem(SAVES_A_SECOND, "resampling", least)
    y, scores = three_models(90)
    groups = np.arange(90) // 4 if clustered else None
    drawn = rocch.stats.bootstrap(
        y, scores, groups=groups, replicates=20, fprs=FPRS, random_state=3
    )
    assert drawn.replicate(0)._resampler.engine is engine
    check_replicates(drawn, y, scores)


@settings(max_examples=30)
@given(judged_table(largest=20))
def test_replicates_of_any_scores_equal_repeated_rows(
    judged: tuple[list[bool], dict[str, list[float]]],
) -> None:
    labels, table = judged
    y = np.array([*labels, True, False])
    scores = {name: np.array([*column, 0.0, 1.0]) for name, column in table.items()}
    check_replicates(rocch.stats.bootstrap(y, scores, replicates=3, fprs=FPRS), y, scores)


def test_stratified_replicates_keep_the_totals_and_clusters_stay_whole() -> None:
    y, scores = three_models(60)
    rows = rocch.stats.bootstrap(y, scores, replicates=10)
    assert (rows.totals == [np.sum(~y), np.sum(y)]).all()
    groups = np.repeat(np.arange(12), 5)
    whole = rocch.stats.bootstrap(y, scores, replicates=10, groups=groups)
    assert len({tuple(totals) for totals in whole.totals.tolist()}) > 1
    for r in range(10):
        times = whole.replicate(r).multiplicities.reshape(12, 5)
        assert (times == times[:, :1]).all()
        assert times[:, 0].sum() == 12


def test_a_replicate_without_a_class_is_drawn_again() -> None:
    y = np.array([False] * 8 + [True] * 2)
    drawn = rocch.stats.bootstrap(y, {"a": np.arange(10.0)}, groups=np.arange(10), replicates=200)
    assert drawn.totals.min() >= 1
    assert (drawn.totals.sum(axis=1) == 10).all()


def test_threads_chunks_and_the_number_of_replicates_change_nothing() -> None:
    y, scores = three_models(80)
    one = rocch.stats.bootstrap(y, scores, replicates=120, workers=1)
    four = rocch.stats.bootstrap(y, scores, replicates=120, workers=4)
    few = rocch.stats.bootstrap(y, scores, replicates=30, workers=3)
    assert np.array_equal(one.aucs, four.aucs)
    assert np.array_equal(one.tprs, four.tprs)
    assert np.array_equal(one.joint.true_positives, four.joint.true_positives)
    assert np.array_equal(one.aucs[:30], few.aucs)
    other = rocch.stats.bootstrap(y, scores, replicates=120, random_state=1)
    assert not np.array_equal(one.aucs, other.aucs)


def test_models_are_drawn_together_in_whatever_company() -> None:
    y, scores = three_models(80)
    together = rocch.stats.bootstrap(y, scores, replicates=40)
    alone = rocch.stats.bootstrap(y, {"tied": scores["tied"]}, replicates=40)
    assert np.array_equal(together.auc("tied"), alone.auc("tied"))


def test_the_standard_error_of_a_fixed_threshold_is_the_binomial_one() -> None:
    y, scores = crossing(400)
    drawn = rocch.stats.bootstrap(y, {"a": scores["a"]}, replicates=2000)
    point = drawn.curve("a").at(1.0)
    rates = drawn.rates_at({"a": 1.0})["a"]
    sides = ((rates.fpr, point.fpr, np.sum(~y)), (rates.tpr, point.tpr, np.sum(y)))
    for found, rate, rows in sides:
        error = math.sqrt(rate * (1 - rate) / rows)
        assert found.mean() == pytest.approx(rate, abs=5 * error / math.sqrt(2000))
        assert found.std() == pytest.approx(error, rel=0.06)


def test_the_variance_of_auc_is_near_delongs() -> None:
    y, scores = crossing(400)
    drawn = rocch.stats.bootstrap(y, {"a": scores["a"]}, replicates=2000)
    positives, negatives = scores["a"][y], scores["a"][~y]
    wins = positives[:, None] > negatives[None, :]
    delong = wins.mean(axis=1).var(ddof=1) / y.sum() + wins.mean(axis=0).var(ddof=1) / (~y).sum()
    assert drawn.auc("a").var(ddof=1) == pytest.approx(delong, rel=0.08)


def test_rates_at_equal_those_of_repeated_rows() -> None:
    y, scores = three_models(70)
    drawn = rocch.stats.bootstrap(y, scores, replicates=15, groups=np.arange(70) // 2)
    found = drawn.rates_at({"fine": [0.5, 9.0], "tied": 1, "rules": None})
    assert found["fine"].fpr.shape == (15, 2)
    assert found["tied"].tpr.shape == (15,)
    for r in range(15):
        curves, _ = rebuilt(y, scores, drawn.replicate(r).multiplicities)
        point = curves["fine"].at(0.5)
        assert (found["fine"].fpr[r, 0], found["fine"].tpr[r, 0]) == (point.fpr, point.tpr)
        assert found["fine"].tpr[r, 1] == 0
        assert found["tied"].fpr[r] == curves["tied"].at(1).fpr
        assert found["rules"].tpr[r] == curves["rules"].tpr[1]


def test_counts_of_a_replicate_stand_at_the_samples_thresholds() -> None:
    y, scores = three_models(50)
    drawn = rocch.stats.bootstrap(y, scores, replicates=3)
    replicate = drawn.replicate(2)
    fp, tp = replicate.counts("tied")
    times = replicate.multiplicities
    for i, threshold in enumerate(np.unique(scores["tied"])[::-1]):
        alarm = scores["tied"] >= threshold
        assert (fp[i + 1], tp[i + 1]) == (times[alarm & ~y].sum(), times[alarm & y].sum())
    assert (fp[0], tp[0]) == (0, 0)


def test_map_sees_the_same_draws() -> None:
    y, scores = three_models(50)
    drawn = rocch.stats.bootstrap(y, scores, replicates=10, fprs=FPRS)
    assert drawn.map(lambda replicate: replicate.auc("fine")) == drawn.auc("fine").tolist()
    assert drawn.map(lambda replicate: replicate.number) == list(range(10))
    heights = drawn.map(lambda replicate: replicate.tpr_at("tied", FPRS))
    assert np.array_equal(heights, drawn.tpr("tied"))
    out_of_bag = drawn.map(lambda replicate: int((replicate.multiplicities == 0).sum()))
    assert 0 < min(out_of_bag) < 50
    hulls = drawn.map(lambda replicate: replicate.hull())
    assert all(np.array_equal(hull, drawn.hull()[r]) for r, hull in enumerate(hulls))


def test_least_costs_and_wins_are_those_of_the_rebuilt_hulls() -> None:
    y, scores = crossing(120)
    drawn = rocch.stats.bootstrap(y, scores, replicates=25)
    conditions = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=2)
    won = {"a": 0.0, "b": 0.0}
    for r in range(25):
        curves, joint = rebuilt(y, scores, drawn.replicate(r).multiplicities)
        costs = {m: RocHull.of(c).best(conditions).expected_cost for m, c in curves.items()}
        cheapest = min(cost for cost in costs.values() if cost is not None)
        for model, cost in costs.items():
            assert drawn.least_cost(conditions, model)[r] == pytest.approx(cost, rel=1e-12)
        assert drawn.least_cost(conditions)[r] == pytest.approx(
            joint.best(conditions).expected_cost, rel=1e-12
        )
        best = [m for m, cost in costs.items() if cost == cheapest]
        for model in best:
            won[model] += 1 / len(best) / 25
    assert drawn.wins(conditions) == pytest.approx(won)


def test_the_joint_hull_is_never_dearer_and_holds_what_it_should() -> None:
    y, scores = three_models(60)
    drawn = rocch.stats.bootstrap(y, scores, replicates=50)
    costs = rocch.Conditions(prevalence="observed", false_positive=1, false_negative=3)
    for model in drawn.models:
        assert (drawn.least_cost(costs) <= drawn.least_cost(costs, model) + 1e-12).all()
        assert (drawn.hull_auc() >= drawn.hull_auc(model)).all()
        assert (drawn.hull_auc(model) >= drawn.auc(model)).all()
    assert drawn.on_hull()["fine"] == drawn.holders[:, 0].mean()


def test_equal_models_share_their_wins() -> None:
    y, scores = crossing()
    twins = {"a": scores["a"], "again": 2 * scores["a"], "noise": scores["b"] * 0}
    drawn = rocch.stats.bootstrap(y, twins, replicates=20)
    even = rocch.Conditions(prevalence=0.5, false_positive=1, false_negative=1)
    assert drawn.wins(even) == {"a": 0.5, "again": 0.5, "noise": 0.0}
    assert drawn.on_hull() == {"a": 1.0, "again": 1.0, "noise": 0.0}
    idle = {"flat": scores["a"] * 0, "poor": -100.0 * y, "still": scores["a"] * 0}
    shares = rocch.stats.bootstrap(y, idle, replicates=20).wins(even)  # all can do nothing
    assert shares == pytest.approx({"flat": 1 / 3, "poor": 1 / 3, "still": 1 / 3})


def test_what_was_found_cannot_be_altered() -> None:
    y, scores = three_models(30)
    drawn = rocch.stats.bootstrap(y, scores, replicates=3)
    for array in (drawn.aucs, drawn.tprs, drawn.fprs, drawn.totals, drawn.joint.false_positives):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_a_bootstrap_says_what_it_is() -> None:
    y, scores = three_models(30)
    drawn = rocch.stats.bootstrap(y, scores, replicates=3, groups=np.arange(30) // 2)
    assert repr(drawn) == "<Bootstrap: 3 replicates of 15 groups, fine, tied, rules>"


def test_a_bootstrap_survives_pickling() -> None:
    y, scores = three_models(30)
    drawn = rocch.stats.bootstrap(y, scores, replicates=3)
    again = pickle.loads(pickle.dumps(drawn))  # noqa: S301 - what we pickled ourselves
    assert again.replicate(2).auc("fine") == drawn.auc("fine")[2]


Y, S = [0, 0, 1, 1], {"a": [1.0, 3, 2, 4]}


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: lib.stats.bootstrap([0, 0, 0], {"a": [1, 2, 3]}), "y_true must hold both classes"),
        (
            lambda: lib.stats.bootstrap([0, 0, 1], {"a": [1, 2, 3]}),
            "at least two rows with a positive",
        ),
        (
            lambda: lib.stats.bootstrap(Y, S, replicates=1),
            "replicates must be a whole number, at least 2",
        ),
        (lambda: lib.stats.bootstrap(Y, S, replicates=2.5), "replicates must be a whole number"),
        (
            lambda: lib.stats.bootstrap(Y, S, random_state=-1),
            "random_state must be a whole number, at least 0",
        ),
        (
            lambda: lib.stats.bootstrap(Y, S, random_state=True),
            "random_state must be a whole number",
        ),
        (
            lambda: lib.stats.bootstrap(Y, S, workers=0),
            "workers must be a whole number, at least 1",
        ),
        (lambda: lib.stats.bootstrap(Y, S, fprs=[0, 1.5]), "fprs must be a number from 0 to 1"),
        (lambda: lib.stats.bootstrap(Y, S, fprs=[0.5, 0.5]), "fprs must rise"),
        (lambda: lib.stats.bootstrap(Y, S, fprs=[]), "fprs must have at least one row"),
        (lambda: lib.stats.bootstrap(Y, S, fprs=[math.nan]), "fprs must be a number from 0 to 1"),
        (
            lambda: lib.stats.bootstrap(Y, S, groups=[1, 1, 2, 2]),
            "at least two groups with a negative",
        ),
        (
            lambda: lib.stats.bootstrap(Y, S, groups=[1, 1, 1, 1]),
            "groups must name at least two groups",
        ),
        (lambda: lib.stats.bootstrap(Y, S, groups=[1, 2]), "groups must have one value for each"),
        (lambda: lib.stats.bootstrap(Y, {}), "scores must name at least one classifier"),
        (lambda: lib.stats.bootstrap(Y, {"a": [1, 2, 3, math.nan]}), "no missing values"),
    ],
)
def test_bad_input_is_refused(call: Any, says: str) -> None:
    with pytest.raises(rocch.InputError, match=says):
        call()


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda d: d.auc("b"), "model must name one of the models; got 'b'. The models are: 'a'"),
        (lambda d: d.curve(None), "model must name one of the models; got None"),
        (lambda d: d.hull("b"), "model must name one of the models"),
        (lambda d: d.replicate(0).auc("b"), "model must name one of the models"),
        (lambda d: d.rates_at({"b": 1}), "model must name one of the models"),
        (lambda d: d.rates_at({"a": "x"}), "thresholds must be a number or a list of numbers"),
        (lambda d: d.rates_at({"a": None}), "thresholds must be a number"),
        (lambda d: d.rates_at({"a": [[1]]}), "thresholds must be a number"),
        (lambda d: d.rates_at({"a": math.nan}), "thresholds must be a number"),
        (
            lambda d: d.replicate(2),
            "number must be a whole number from 0 to 1; got 2. Replicates count from 0.",
        ),
        (lambda d: d.replicate(-1), "number must be a whole number from 0 to 1; got -1"),
        (lambda d: d.wins(0.5), "conditions must be exact Conditions or a Belief"),
        (
            lambda d: d.least_cost(
                rocch.Conditions(prevalence=0.5, false_positive=(1, 2), false_negative=3)
            ),
            "conditions must be exact",
        ),
    ],
)
def test_bad_questions_are_refused(ask: Any, says: str) -> None:
    with pytest.raises(rocch.InputError, match=says):
        ask(rocch.stats.bootstrap(Y, S, replicates=2))


def test_labels_have_no_threshold() -> None:
    drawn = rocch.stats.bootstrap(Y, {"rules": np.array([True, False, True, True])}, replicates=2)
    with pytest.raises(rocch.UndefinedError, match="outputs labels only"):
        drawn.rates_at({"rules": 0.5})


@pytest.mark.parametrize("workers", [1, 2])
def test_progress_is_told(workers: int) -> None:
    reported: list[tuple[int, int]] = []
    y, scores = crossing(50)
    rocch.stats.bootstrap(
        y,
        scores,
        replicates=120,
        workers=workers,
        verbose=lambda done, total: reported.append((done, total)),
    )
    assert reported == [(50, 120), (100, 120), (120, 120)]


def test_progress_is_told_by_what_draws() -> None:
    y, scores = crossing(50)
    expert = rocch.Belief.cost_ratio(2, 8).with_unit(false_positive=1)
    for work in (
        lambda tell: rocch.stats.out_of_sample_choice(
            y, scores, expert.with_prevalence(0.3), replicates=100, verbose=tell
        ),
        lambda tell: rocch.stats.lc_intervals(
            y, scores, belief=expert, prevalence=0.3, replicates=100, verbose=tell
        ),
    ):
        reported: list[int] = []
        work(lambda done, _, reported=reported: reported.append(done))
        assert reported == [50, 100]


def test_progress_is_a_function() -> None:
    y, scores = crossing(50)
    with pytest.raises(rocch.InputError, match="verbose must be 0, 1, or a function"):
        rocch.stats.bootstrap(y, scores, verbose="loud")  # type: ignore[arg-type]
