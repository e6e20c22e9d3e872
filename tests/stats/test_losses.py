"""Losses compared under a belief: the LC index, its laws, and what is refused."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocch
from rocch.stats.cost_axis import percent
from tests.support.oracles import losses as oracle
from tests.support.strategies import judged_table

if TYPE_CHECKING:
    from collections.abc import Callable

lib: Any = rocch  # so that mypy lets the tests pass what users should not

EXPERT = rocch.Belief.cost_ratio(0.5, 10, likely=4)
BELIEFS = {
    "triangle": EXPERT,
    "even": rocch.Belief.cost_ratio(0.2, 3),
    "open": rocch.Belief.cost_ratio(1, math.inf, likely=5),
    "point": rocch.Belief.cost_ratio(1),
    "false alarms": rocch.Belief.inverse_cost_ratio(2, 8, likely=3),
    "beta": rocch.Belief.cost_share_beta(2, 3),
    "log-normal": rocch.Belief.cost_ratio_about(3, factor=2),
    "sample": rocch.Belief.cost_ratio_like([0.5, 1, 1, 2, 9]),
    "pooled": rocch.Belief.pooled(EXPERT, rocch.Belief.cost_ratio(1), weights=[3, 1]),
}
any_belief = st.sampled_from(list(BELIEFS.values()))
Table = tuple[list[bool], dict[str, list[float]]]


def two(table: Table) -> tuple[rocch.RocCurve, rocch.RocCurve]:
    labels, scores = table
    names = list(scores)
    first, second = (
        rocch.RocCurve.from_scores(labels, scores[name], name=called)
        for name, called in ((names[0], "a"), (names[-1], "b"))
    )
    return first, second


def compare(
    a: Any, b: Any, belief: rocch.Belief = EXPERT, **given: Any
) -> rocch.stats.LossComparison:
    return rocch.stats.compare_losses(a, b, belief=belief, **{"prevalence": 0.3, **given})


def fractions(curve: rocch.RocCurve) -> list[tuple[Fraction, Fraction]]:
    counts = zip(curve.false_positives.tolist(), curve.true_positives.tolist(), strict=True)
    n, p = curve.totals.negatives, curve.totals.positives
    return [(Fraction(fp, n), Fraction(tp, p)) for fp, tp in counts]


@given(judged_table(largest=12), st.sampled_from([0.5, 0.3, 0.01]))
@settings(max_examples=60)
def test_partition_and_index_are_those_of_the_definition(table: Table, prevalence: float) -> None:
    """Every line against every line, in fractions; the triangle's mass in closed form."""
    a, b = two(table)
    p = Fraction(prevalence)
    rates = fractions(a), fractions(b)
    first, second = (oracle.envelope(points, p) for points in rates)
    wanted = oracle.partition(first, second, oracle.turning_shares([*rates[0], *rates[1]], p))
    found = compare(a, b, prevalence=prevalence)
    sign = {("a",): 1, ("b",): -1, ("a", "b"): 0}
    assert [(s.low, s.high, sign[s.classifiers]) for s in found.stretches] == [
        (float(low), float(high), whose) for low, high, whose in wanted
    ]
    low, top, high = (Fraction(t) / (1 + Fraction(t)) for t in (0.5, 4, 10))
    index = oracle.lc_index(wanted, lambda c: oracle.triangle_mass(low, top, high, c))
    assert found.lc_index == pytest.approx(float(index), abs=1e-12)


@given(judged_table(), any_belief)
def test_swapping_the_two_changes_the_sign_alone(table: Table, belief: rocch.Belief) -> None:
    a, b = two(table)
    there, back = compare(a, b, belief), compare(b, a, belief)
    assert there.lc_index == -back.lc_index
    assert (there.mass_a, there.mass_b, there.ties) == (back.mass_b, back.mass_a, back.ties)
    assert there.stretches == back.stretches


@given(judged_table(), any_belief)
def test_masses_sum_to_one_and_the_index_is_their_difference(
    table: Table, belief: rocch.Belief
) -> None:
    found = compare(*two(table), belief)
    assert found.mass_a + found.mass_b + found.ties == pytest.approx(1, abs=1e-12)
    assert min(found.mass_a, found.mass_b, found.ties) >= 0
    assert -1 <= found.lc_index <= 1
    assert found.error == 0
    at_edges = 1 - sum(stretch.mass for stretch in found.stretches)
    assert -1e-12 <= at_edges <= found.ties + 1e-12


@given(judged_table())
def test_stretches_cover_the_axis_and_neighbors_differ(table: Table) -> None:
    stretches = compare(*two(table)).stretches
    assert (stretches[0].low, stretches[-1].high) == (0, 1)
    for one, other in pairwise(stretches):
        assert one.low < one.high == other.low
        assert one.classifiers != other.classifiers


@given(judged_table(), any_belief)
def test_whoever_is_compared_with_itself_ties(table: Table, belief: rocch.Belief) -> None:
    a, _ = two(table)
    found = compare(a, a, belief, names=("a", "itself"))
    assert found.lc_index == 0
    assert found.ties == pytest.approx(1)
    assert [stretch.classifiers for stretch in found.stretches] == [("a", "itself")]


@given(judged_table(), any_belief)
def test_a_perfect_classifier_never_loses(table: Table, belief: rocch.Belief) -> None:
    labels, _ = table
    other, _ = two(table)
    perfect = rocch.RocCurve.from_scores(labels, labels, name="perfect")
    found = compare(perfect, other, belief)
    assert found.mass_b == 0
    if other.auc < 1:
        assert found.lc_index == pytest.approx(1)
    assert all("perfect" in stretch.classifiers for stretch in found.stretches)


def test_a_dominating_classifier_has_index_one_exactly() -> None:
    y = [0, 0, 0, 1, 1, 1]
    good = rocch.RocCurve.from_scores(y, [1, 2, 3, 4, 5, 6], name="good")
    poor = rocch.RocCurve.from_scores(y, [1, 2, 5, 4, 3, 6], name="poor")
    for belief in BELIEFS.values():
        assert compare(good, poor, belief).lc_index == 1
        assert compare(poor, good, belief).lc_index == -1


@given(judged_table(), any_belief)
def test_the_index_is_that_of_a_fine_grid(table: Table, belief: rocch.Belief) -> None:
    """Weigh signs of plain float losses in the middle of cells; cells with a turn are slack."""
    a, b = two(table)
    found = compare(a, b, belief)
    grid = np.linspace(0, 1, 1001)
    masses = found.cost_axis.masses(belief.with_prevalence(0.3), grid)

    def signs(c: Any) -> Any:
        loss = [
            np.min([0.7 * x * (1 - c) + 0.3 * (1 - y) * c for x, y in zip(s.fpr, s.tpr)], axis=0)  # noqa: B905
            for s in (a, b)
        ]
        return np.sign(np.round(loss[1] - loss[0], 13))

    index = masses.between @ signs((grid[1:] + grid[:-1]) / 2) + masses.at @ signs(grid)
    turns = np.searchsorted(grid, [s.low for s in found.stretches][1:], side="right") - 1
    slack = 2 * masses.between[np.minimum(turns, 999)].sum() + 2 * masses.at.sum() * 1e-9
    assert abs(found.lc_index - index) <= slack + 1e-9


@given(judged_table(models=3), st.floats(0.05, 20))
def test_one_more_classifier_in_a_set_never_loses_more(table: Table, times: float) -> None:
    labels, scores = table
    curves = [rocch.RocCurve.from_scores(labels, s, name=name) for name, s in scores.items()]
    small, large = rocch.RocHull.of(curves[0]), rocch.RocHull.of(*curves)
    found = compare(large, small, names=("large", "small"))
    assert found.mass_b == 0
    loss = found.losses_at(false_positive=1, false_negative=times)
    assert loss["large"] <= loss["small"]


def test_losses_are_adams_and_hands_equation_1() -> None:
    y = [0, 0, 0, 0, 1, 1, 1, 1]
    rules = rocch.RocCurve.from_labels(y, [1, 0, 0, 0, 1, 1, 0, 0], name="rules")
    perfect = rocch.RocCurve.from_scores(y, y, name="perfect")
    found = compare(rules, perfect, prevalence=0.2)
    loss = found.losses_at(false_positive=3, false_negative=8)
    assert loss == {"rules": pytest.approx(0.8 * 0.25 * 3 + 0.2 * 0.5 * 8), "perfect": 0}


def test_sets_and_single_classifiers_can_meet() -> None:
    y = [0, 1, 0, 1, 0, 1]
    curves = [
        rocch.RocCurve.from_scores(y, scores, name=name)
        for name, scores in {"m": [1, 2, 3, 4, 5, 6], "n": [1, 6, 2, 3, 5, 4]}.items()
    ]
    found = compare(rocch.RocHull.of(*curves), curves[0])
    assert found.names == ("m + n", "m")
    assert found.lc_index >= 0


def test_large_sets_have_short_names() -> None:
    y = [0, 1, 0, 1]
    scores = {f"m{i}": [1, 2, 3, 4 + i] for i in range(4)}
    many = rocch.RocHull.from_scores(y, scores)
    found = compare(many, rocch.RocCurve.from_scores(y, [1, 2, 3, 4], name="one"))
    assert found.names == ("set a", "one")


def test_an_uncertain_prevalence_puts_the_comparison_on_the_probability_cost() -> None:
    y, a, b = rows(0)
    belief = EXPERT.with_prevalence((0.1, 0.4))
    found = rocch.stats.compare_losses(a, b, belief=belief)
    assert (found.axis, found.prevalence) == ("probability-cost", None)
    assert 0 < found.error < 1e-6
    rng = np.random.default_rng(1)
    drawn = rng.uniform(0.1, 0.4, 4000)
    shares = np.concatenate([rng.triangular(1 / 3, 0.8, 10 / 11, 4000)])
    sample = rocch.Belief.sample(prevalence=drawn, false_positive=1 - shares, false_negative=shares)
    simulated = rocch.stats.compare_losses(a, b, belief=sample)
    assert simulated.axis == "probability-cost"
    assert simulated.lc_index == pytest.approx(found.lc_index, abs=0.05)
    assert y.mean() == pytest.approx(0.3, abs=0.1)


def test_a_narrow_interval_of_prevalence_is_nearly_one_number() -> None:
    _, a, b = rows(1)
    exact = compare(a, b)
    near = compare(a, b, prevalence=(0.3 - 1e-7, 0.3 + 1e-7))
    assert near.lc_index == pytest.approx(exact.lc_index, abs=1e-4)
    assert exact.axis == "cost share"


def test_a_sample_at_one_prevalence_lies_on_the_share_of_costs() -> None:
    _, a, b = rows(2)
    costs = np.array([1.0, 4.0, 9.0])
    sample = rocch.Belief.sample(prevalence=0.3, false_positive=1.0, false_negative=costs)
    listed = rocch.Belief.cost_ratio_like(costs)
    found = rocch.stats.compare_losses(a, b, belief=sample)
    assert found.axis == "cost share"
    assert found.lc_index == pytest.approx(compare(a, b, listed).lc_index)


def test_the_observed_prevalence_is_that_of_the_rows() -> None:
    y, a, b = rows(3)
    observed = compare(a, b, prevalence="observed")
    assert observed.prevalence == y.mean()
    assert observed.lc_index == compare(a, b, prevalence=float(y.mean())).lc_index


def test_belief_at_a_point_where_losses_cross_is_a_tie() -> None:
    """Equal costs at prevalence 1/2: FPR 0.5, TPR 1 and FPR 0, TPR 0.5 both lose 1/4."""
    y = [0, 0, 1, 1]
    a = rocch.RocCurve.from_labels(y, [1, 0, 1, 1], name="a")
    b = rocch.RocCurve.from_labels(y, [0, 0, 1, 0], name="b")
    certain = rocch.Belief.cost_ratio(1)
    found = compare(a, b, certain, prevalence=0.5)
    assert (found.mass_a, found.mass_b, found.ties) == (0, 0, 1)
    assert compare(a, b, rocch.Belief.cost_ratio(1.01), prevalence=0.5).lc_index == 1
    assert compare(a, b, rocch.Belief.cost_ratio(0.99), prevalence=0.5).lc_index == -1


def test_belief_at_a_point_where_losses_only_touch_is_a_tie_too() -> None:
    sets = {"a": [(2, 6)], "b": [(1, 5), (3, 7)]}
    a, b = (
        rocch.RocCurve.from_counts(
            [x for x, _ in points], [y for _, y in points], negatives=10, positives=10, name=name
        )
        for name, points in sets.items()
    )
    found = compare(a, b, rocch.Belief.cost_ratio(1), prevalence=0.5)
    assert (found.ties, found.lc_index) == (1, 0)
    assert [s.classifiers for s in found.stretches if s.low < 0.5 < s.high] == [("b",)]


def test_classifiers_judged_on_different_rows_are_compared_when_asked() -> None:
    a = rocch.RocCurve.from_labels([0, 0, 0, 1, 1], [1, 0, 0, 1, 1], name="a")
    b = rocch.RocCurve.from_labels([0, 0, 0, 0, 1, 1, 1], [0, 1, 1, 0, 1, 1, 1], name="b")
    found = compare(a, b, allow_different_rows=True)
    assert found.mass_a > 0.9
    assert found.mass_b == 0
    with pytest.raises(rocch.InputError, match="allow_different_rows=True"):
        compare(a, b)
    with pytest.raises(rocch.InputError, match="'observed', which has no meaning"):
        compare(a, b, allow_different_rows=True, prevalence="observed")


@pytest.mark.parametrize("weights", [[5, 1, 1, 1], [2.0**58 + 2**12, 2.0**58, 2.0**58, 2.0**58]])
def test_weighted_rows_are_compared_by_weight(weights: list[float]) -> None:
    """The first errs on the lighter negative; a difference in the 16th digit is enough."""
    a, b = (
        rocch.RocCurve.from_scores([0, 0, 1, 1], scores, sample_weight=weights, name=name)
        for scores, name in (([1, 3, 2, 4], "a"), ([3, 1, 2, 4], "b"))
    )
    found = compare(a, b)
    assert found.mass_a > 0.4
    assert found.mass_b == 0


def test_under_another_belief_only_the_masses_change() -> None:
    _, a, b = rows(4)
    found = compare(a, b)
    other = rocch.Belief.cost_ratio(2, 3)
    assert found.under(other).lc_index == compare(a, b, other).lc_index
    spots = [(s.low, s.high, s.classifiers) for s in found.under(other).stretches]
    assert spots == [(s.low, s.high, s.classifiers) for s in found.stretches]
    own = other.with_prevalence(0.6)
    assert found.under(own).prevalence == 0.6
    observed = compare(a, b, prevalence="observed")
    assert observed.under(other).prevalence == observed.prevalence
    itself = rocch.stats.compare_losses(a, b, belief=EXPERT.with_prevalence(0.3))
    assert itself.under(other).prevalence == 0.3


def rows(seed: int, size: int = 300) -> tuple[Any, rocch.RocCurve, rocch.RocCurve]:
    """Draw two classifiers that cross: one is good at the top, one at the bottom."""
    rng = np.random.default_rng(seed)
    y = rng.random(size) < 0.3
    first = rng.normal(size=size) + 1.5 * y * (rng.random(size) < 0.7)
    second = rng.normal(size=size) * (1 - 0.6 * y) + 0.9 * y
    a, b = (
        rocch.RocCurve.from_scores(y, scores, name=name)
        for scores, name in ((first, "a"), (second, "b"))
    )
    return y, a, b


def probabilities(seed: int, size: int = 200) -> tuple[Any, rocch.RocCurve, rocch.RocCurve]:
    rng = np.random.default_rng(seed)
    y = rng.random(size) < 0.4
    first = 1 / (1 + np.exp(-(rng.normal(size=size) + 2 * y - 1)))
    second = 1 / (1 + np.exp(-(rng.normal(size=size) + 1.6 * y - 1)))
    a, b = (
        rocch.RocCurve.from_scores(y, np.round(scores, 2), name=name)
        for scores, name in ((first, "a"), (second, "b"))
    )
    return y, a, b


@pytest.mark.parametrize("seed", range(5))
def test_the_implied_reading_is_the_loss_at_the_implied_threshold(seed: int) -> None:
    """Simulate: draw costs from the belief, use each curve at c_fp / (c_fp + c_fn)."""
    _, a, b = probabilities(seed)
    found = compare(a, b, reading="implied")
    rng = np.random.default_rng(seed)
    shares = rng.triangular(1 / 3, 0.8, 10 / 11, 2000)
    signs = []
    for c in shares.tolist():
        cost = [
            0.7 * point.fpr * (1 - c) + 0.3 * (1 - point.tpr) * c
            for point in (a.at(1 - c), b.at(1 - c))
        ]
        assert found.losses_at(false_positive=1 - c, false_negative=c) == {
            "a": pytest.approx(cost[0]),
            "b": pytest.approx(cost[1]),
        }
        signs.append(np.sign(round(cost[1] - cost[0], 12)))
    assert found.lc_index == pytest.approx(float(np.mean(signs)), abs=0.06)


@given(judged_table())
def test_the_implied_reading_depends_on_the_scale_of_scores_the_envelope_does_not(
    table: Table,
) -> None:
    labels, scores = table
    ranks = {name: np.argsort(np.argsort(s)) / len(s) for name, s in scores.items()}
    a, b = two((labels, {name: s.tolist() for name, s in ranks.items()}))
    squared = rocch.RocCurve.from_scores(labels, np.asarray(ranks[list(scores)[-1]]) ** 2, name="b")
    assert compare(a, b).lc_index == compare(a, squared).lc_index
    for one, other in ((a, b), (b, a)):
        found = compare(one, other, reading="implied")
        assert found.mass_a + found.mass_b + found.ties == pytest.approx(1)


def test_bad_calibration_loses_under_the_implied_reading_only() -> None:
    """The same ranking, once as probabilities and once squeezed towards 1."""
    rng = np.random.default_rng(0)
    p = rng.random(2000)
    y = rng.random(2000) < p
    calibrated = rocch.RocCurve.from_scores(y, p, name="calibrated")
    squeezed = rocch.RocCurve.from_scores(y, p**0.2, name="squeezed")
    belief = rocch.Belief.cost_ratio(0.5, 2)
    envelope = compare(calibrated, squeezed, belief, prevalence="observed")
    implied = compare(calibrated, squeezed, belief, prevalence="observed", reading="implied")
    assert envelope.ties == 1
    assert implied.lc_index == 1
    assert (envelope.reading, implied.reading) == ("envelope", "implied")


def test_at_a_score_the_implied_threshold_alarms() -> None:
    """A miss 9 times as bad implies the threshold 0.1; a score just there must alarm."""
    y = [1, 0]
    at = rocch.RocCurve.from_scores(y, [0.1, 0.0], name="at")
    above = rocch.RocCurve.from_scores(y, [0.2, 0.0], name="above")
    below = rocch.RocCurve.from_scores(y, [0.05, 0.0], name="below")
    certain = rocch.Belief.cost_ratio(9)
    assert certain.cost_share.low == 1 - 0.1
    assert compare(at, above, certain, reading="implied").ties == 1
    assert compare(at, below, certain, reading="implied").lc_index == 1


SAID = {
    "all": (1.0, 0.0, 0.0, "a is better for all that you believe. LC index 1.00."),
    "none": (0.0, 0.0, 1.0, "a and b lose the same for all that you believe. LC index 0.00."),
    "both": (0.05, 0.89, 0.06, "b is better for 89% of what you believe, a for 5%; "),
    "no ties": (0.6, 0.4, 0.0, "a is better for 60% of what you believe, b for 40%. LC"),
    "no other": (0.6, 0.0, 0.4, "a is better for 60% of what you believe; no difference for 40%"),
    "nearly": (0.999, 0.001, 0.0, "a is better for over 99% of what you believe, b for under 1%"),
}


@pytest.mark.parametrize(("a", "b", "ties", "says"), SAID.values(), ids=SAID.keys())
def test_what_is_said_to_a_manager(
    monkeypatch: pytest.MonkeyPatch, a: float, b: float, ties: float, says: str
) -> None:
    _, first, second = rows(0)
    found = compare(first, second)
    masses = {1: a, -1: b, 0: ties}
    monkeypatch.setattr(
        rocch.stats.LossComparison, "_mass_where", lambda _, sign: masses[sign], raising=True
    )
    assert says in str(found)


def test_percentages_are_never_all_or_nothing_when_they_are_neither() -> None:
    assert [percent(m) for m in (0.0, 1e-4, 0.004, 0.5, 0.9951, 1 - 1e-4, 1.0)] == [
        "0%",
        "under 1%",
        "under 1%",
        "50%",
        "over 99%",
        "over 99%",
        "100%",
    ]


def test_its_representation_names_both() -> None:
    _, a, b = rows(0)
    assert repr(compare(a, b)).startswith("<LossComparison of 'a' and 'b': LC index ")


CURVE = rocch.RocCurve.from_scores([0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8], name="a")
OTHER = rocch.RocCurve.from_scores([0, 1, 0, 1], [0.2, 0.3, 0.4, 0.9], name="b")
WIDE = rocch.RocCurve.from_scores([0, 1, 0, 1], [-1, 2, 3, 4], name="wide")
RULES = rocch.RocCurve.from_labels([0, 1, 0, 1], [0, 1, 1, 1], name="rules")
HULL = rocch.RocHull.of(OTHER)
SMALL = HULL.within(rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=(1, 2)))
DRAWS = rocch.Belief.sample(prevalence=0.3, false_positive=1, false_negative=[1, 2])


def call(*sides: Any, **given: Any) -> Callable[[], Any]:
    known = {"belief": EXPERT, "prevalence": 0.3} | given
    return lambda: lib.stats.compare_losses(*sides, **known)


REFUSED: dict[str, tuple[Callable[[], Any], tuple[str, ...]]] = {
    "a bare interval": (call(CURVE, OTHER, belief=(5, 10)), ("belief", "(5, 10)", "cost_ratio")),
    "a number": (call(CURVE, OTHER, belief=9), ("belief", "9, a ratio without a name")),
    "no belief": (call(CURVE, OTHER, belief=None), ("belief must be a Belief",)),
    "conditions": (
        call(
            CURVE,
            OTHER,
            belief=rocch.Conditions(prevalence=0.1, false_positive=1, false_negative=2),
        ),
        ("belief must be a Belief", "Conditions"),
    ),
    "no prevalence": (call(CURVE, OTHER, prevalence=None), ("prevalence must be named",)),
    "prevalence twice": (
        call(CURVE, OTHER, belief=EXPERT.with_prevalence(0.2)),
        ("prevalence must be named once", "0.2"),
    ),
    "prevalence beside a sample": (
        call(CURVE, OTHER, belief=DRAWS),
        ("prevalence must be named once", "a sample of 2 conditions"),
    ),
    "prevalence beyond 1": (call(CURVE, OTHER, prevalence=5), ("prevalence", "between 0 and 1")),
    "prevalence 0": (call(CURVE, OTHER, prevalence=0), ("prevalence",)),
    "prevalence NaN": (call(CURVE, OTHER, prevalence=math.nan), ("nan",)),
    "prevalence of three": (call(CURVE, OTHER, prevalence=(0.1, 0.2, 0.3)), ("prevalence",)),
    "prevalence a word": (call(CURVE, OTHER, prevalence="half"), ("'half'",)),
    "a restricted hull": (call(CURVE, SMALL), ("b must be a whole hull", "within")),
    "a restricted hull first": (call(SMALL, CURVE), ("a must be a whole hull",)),
    "scores": (call(CURVE, [1, 2, 3]), ("b must be a RocCurve or a RocHull", "list")),
    "nothing": (call(None, CURVE), ("a must be", "NoneType")),
    "same names": (call(CURVE, CURVE), ("names must differ", "'a' twice")),
    "one name": (call(CURVE, OTHER, names=("x",)), ("names must be two texts",)),
    "a text for names": (call(CURVE, OTHER, names="xy"), ("names must be two texts", "'xy'")),
    "numbers for names": (call(CURVE, OTHER, names=(1, 2)), ("names must be two texts",)),
    "blank names": (call(CURVE, OTHER, names=(" ", "x")), ("names must be two texts",)),
    "equal names": (call(CURVE, OTHER, names=("x", "x")), ("names must differ", "'x' twice")),
    "unknown reading": (
        call(CURVE, OTHER, reading="best"),
        ("reading must be one of 'envelope', 'implied'", "'best'"),
    ),
    "other rows": (
        call(CURVE, rocch.RocCurve.from_scores([1, 0, 0, 1], [1, 2, 3, 4], name="b")),
        ("counted on the same rows", "allow_different_rows=True"),
    ),
    "implied, a hull": (call(CURVE, HULL, reading="implied"), ("b must be", "a hull")),
    "implied, labels": (call(RULES, CURVE, reading="implied"), ("a must be", "labels only")),
    "implied, no probabilities": (
        call(CURVE, WIDE, reading="implied"),
        ("b must be a RocCurve of probabilities", "'wide' with scores from -1 to 4", "envelope"),
    ),
    "implied, uncertain prevalence": (
        call(CURVE, OTHER, reading="implied", prevalence=(0.1, 0.2)),
        ("prevalence must be one number", "uncertain"),
    ),
}


@pytest.mark.parametrize(("refused", "says"), REFUSED.values(), ids=REFUSED.keys())
def test_bad_input_is_refused_clearly(refused: Callable[[], Any], says: tuple[str, ...]) -> None:
    with pytest.raises(rocch.InputError) as caught:
        refused()
    for words in says:
        assert words in str(caught.value)


def test_losses_need_costs_and_one_prevalence() -> None:
    found = compare(CURVE, OTHER)
    with pytest.raises(rocch.InputError, match="false_positive must be a finite number"):
        found.losses_at(false_positive=-1, false_negative=2)
    with pytest.raises(rocch.InputError, match="not both be 0"):
        found.losses_at(false_positive=0, false_negative=0)
    vague = compare(CURVE, OTHER, prevalence=(0.1, 0.2))
    with pytest.raises(rocch.InputError, match="prevalence must be one number"):
        vague.losses_at(false_positive=1, false_negative=2)


def test_under_takes_beliefs_only_and_needs_a_prevalence_from_somewhere() -> None:
    found = compare(CURVE, OTHER)
    with pytest.raises(rocch.InputError, match="belief must be a Belief"):
        lib.stats.LossComparison.under(found, (5, 10))
    vague = rocch.stats.compare_losses(CURVE, OTHER, belief=EXPERT.with_prevalence((0.1, 0.2)))
    with pytest.raises(rocch.InputError, match="prevalence must be named"):
        vague.under(EXPERT)


def test_its_arrays_are_read_only() -> None:
    found = compare(CURVE, OTHER)
    with pytest.raises(ValueError, match="read-only"):
        found.signs.edges[0] = 1
