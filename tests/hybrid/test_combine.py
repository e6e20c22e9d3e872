from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocch
from rocch.hybrid import And, AtLeast, Or, Predicts
from rocch.hybrid.combine import short_name, unique_names
from rocch.hybrid.expression import Constant, expression_from
from tests.support.strategies import judged_table

lib: Any = rocch


def symptoms(size: int = 3000, seed: int = 0, noise: float = 0.5) -> tuple[Any, dict[str, Any]]:
    """Two tests whose false alarms never coincide: only together they are good."""
    rng = np.random.default_rng(seed)
    y = rng.random(size) < 0.3
    which = rng.integers(0, 4, size)  # a negative row deceives one of the two, or neither
    scores = {
        "fever": rng.normal(size=size) * noise + np.where(y | (which == 0), 2.0, 0.0),
        "cough": rng.normal(size=size) * noise + np.where(y | (which == 1), 2.0, 0.0),
    }
    return y, scores


def kinds(size: int = 3000, seed: int = 0) -> tuple[Any, dict[str, Any]]:
    """Two kinds of fraud, each seen by one model only."""
    rng = np.random.default_rng(seed)
    y = rng.random(size) < 0.3
    kind = rng.random(size) < 0.5
    scores = {
        "cards": rng.normal(size=size) * 0.5 + np.where(y & kind, 3.0, 0.0),
        "calls": rng.normal(size=size) * 0.5 + np.where(y & ~kind, 3.0, 0.0),
    }
    return y, scores


def operators(expression: Any) -> set[type]:
    if not isinstance(expression, And | Or):
        return set()
    inside = operators(expression.first) | operators(expression.second)
    return {type(expression), *inside}


def test_and_wins_where_false_alarms_do_not_coincide() -> None:
    y, scores = symptoms(noise=0.3)
    result = rocch.hybrid.find_combinations(y, scores, rounds=1)
    best = max(result.confirmed, key=lambda c: c.tpr - c.fpr)
    assert operators(best.expression) == {And}
    assert best.tpr > 0.9
    # If errors were independent, both would alarm on about 1/4 x 1/4 of the negatives.
    assert best.fpr < 0.02
    assert result.singles is not None
    assert result.hull.auc > result.singles.auc + 0.05


def test_or_wins_where_each_model_sees_one_kind() -> None:
    y, scores = kinds()
    result = rocch.hybrid.find_combinations(y, scores, rounds=1)
    best = max(result.confirmed, key=lambda c: c.tpr - c.fpr)
    assert operators(best.expression) == {Or}
    # If hits were independent, a quarter of the frauds would be missed by both.
    assert best.tpr > 0.95
    assert best.fpr < 0.05


def test_models_that_err_together_gain_nothing_whatever_independence_would_promise() -> None:
    rng = np.random.default_rng(1)
    y = rng.random(3000) < 0.3
    alarm = np.where(y, rng.random(3000) < 0.8, rng.random(3000) < 0.2)
    result = rocch.hybrid.find_combinations(y, {"one": alarm, "other": alarm.copy()})
    assert result.found == ()  # independence would promise FPR 0.04 at TPR 0.64 by "and"
    assert result.hull == result.singles


def test_three_labeling_models_do_better_than_two() -> None:
    rng = np.random.default_rng(2)
    y = rng.random(6000) < 0.5
    scores = {name: y ^ (rng.random(6000) < 0.2) for name in "abc"}
    result = rocch.hybrid.find_combinations(y, scores, rounds=4)
    accuracy = max((1 - c.fpr + c.tpr) / 2 for c in result.confirmed)
    # "a or (b and c)" is right in 0.848 of the cases, one or two models together in 0.8; a
    # majority (0.896) is no chain of single models, so it is left to votes.
    assert 0.83 < accuracy < 0.87


def test_pure_noise_is_hardly_ever_confirmed() -> None:
    found = confirmed = 0
    for seed in range(25):
        rng = np.random.default_rng(seed)
        y = rng.random(400) < 0.3
        scores = {f"m{i}": rng.normal(size=400) + (i == 0) * y for i in range(3)}
        result = rocch.hybrid.find_combinations(y, scores)
        found += len(result.found)
        confirmed += len(result.confirmed)
    assert found > 250
    assert confirmed / found < 0.02


def test_every_answer_is_told_with_its_reason() -> None:
    y, scores = symptoms(800)
    result = rocch.hybrid.find_combinations(y, scores)
    assert set(result.confirmed) | set(result.rejected) == set(result.found)
    assert result.rejected
    reasons = {c.reason.split(" ")[1] for c in result.rejected}
    assert reasons <= {"gains", "confirmed"}
    for c in result.confirmed:
        assert c.gain is not None
        assert c.gain.exceeds(1)
        assert str(c).startswith(c.words)
        assert "; confirmed: it gains" in str(c)
    assert "not confirmed" in str(result.rejected[0])
    names = [c.name for c in result.found]
    assert len(set(names)) == len(names)


def test_rates_counts_and_costs_are_those_of_the_confirming_rows() -> None:
    y, scores = symptoms(1000)
    find = np.arange(1000) < 600
    result = rocch.hybrid.find_combinations(y, scores, find=find, costs={"fever": 1, "cough": 5})
    rest = {name: column[~find] for name, column in scores.items()}
    for c in result.found:
        alarms = _alarms(c.expression, rest)
        fp, tp = int((alarms & ~y[~find]).sum()), int((alarms & y[~find]).sum())
        assert (c.false_positives, c.true_positives) == (fp, tp)
        assert c.fpr == fp / int((~y[~find]).sum())
        cost = rocch.hybrid.running_cost(
            c.expression, y[~find], rest, costs={"fever": 1, "cough": 5}
        )
        assert c.running_cost == pytest.approx(cost)
    names = {c.words for c in result.confirmed}
    assert result.hull.winners >= names
    assert result.hull.totals.positives == y[~find].sum()


def _alarms(expression: Any, scores: dict[str, Any]) -> Any:
    """Evaluate eagerly, without the package."""
    match expression:
        case AtLeast(model, threshold):
            return scores[model] >= threshold
        case Predicts(model):
            return scores[model]
        case And(first, second):
            return _alarms(first, scores) & _alarms(second, scores)
        case Or(first, second):
            return _alarms(first, scores) | _alarms(second, scores)
    raise AssertionError(expression)


@settings(max_examples=50)
@given(judged_table(models=3, largest=30), st.integers(1, 3))
def test_the_hull_is_never_below_that_of_the_single_models(
    table: tuple[list[bool], dict[str, list[float]]], rounds: int
) -> None:
    labels, scores = table
    labels = [*labels, True, False, True, False] * 2  # two of each class on both sides
    scores = {name: [*column, 1.0, 0.0, 0.0, 1.0] * 2 for name, column in scores.items()}
    scores["more"] = [float(i % 3) for i in range(len(labels))]
    find = [i < len(labels) // 2 for i in range(len(labels))]
    result = rocch.hybrid.find_combinations(labels, scores, find=find, rounds=rounds)
    assert result.singles is not None
    assert result.hull.auc >= result.singles.auc
    joint = rocch.RocHull.of(
        *(
            rocch.RocCurve.from_scores(labels[len(find) // 2 :], column[len(find) // 2 :], name=n)
            for n, column in scores.items()
        )
    )
    assert result.singles == joint


def test_a_mask_keeps_the_finding_rows_out_of_the_confirmation() -> None:
    y, scores = symptoms(1000)
    find = np.arange(1000) < 500
    result = rocch.hybrid.find_combinations(y, scores, find=find)
    # New confirming rows change the verdicts, never what was found.
    other = {name: np.where(find, column, -column) for name, column in scores.items()}
    again = rocch.hybrid.find_combinations(y, other, find=find)
    assert {c.words for c in again.found} == {c.words for c in result.found}
    assert result.confirmed
    assert not again.confirmed


def test_a_share_is_drawn_from_each_class_by_the_seed() -> None:
    y, scores = symptoms(1000)
    first, again, other = (
        rocch.hybrid.find_combinations(y, scores, find=0.25, random_state=seed)
        for seed in (1, 1, 2)
    )
    assert first.hull.totals.positives == y.sum() - round(0.25 * y.sum())
    assert [str(c) for c in first.found] == [str(c) for c in again.found]
    assert first.hull.totals.rows != other.hull.totals.rows


def test_order_of_models_changes_nothing() -> None:
    y, scores = symptoms(1000)
    one = rocch.hybrid.find_combinations(y, scores)
    two = rocch.hybrid.find_combinations(y, dict(reversed(scores.items())))
    assert [str(c) for c in one.found] == [str(c) for c in two.found]
    assert one.hull == two.hull


def test_data_frames_and_other_labels_are_understood() -> None:
    y, scores = symptoms(600)
    plain = rocch.hybrid.find_combinations(y, scores)
    named = np.where(y, "ill", "well")
    framed = rocch.hybrid.find_combinations(pd.Series(named), pd.DataFrame(scores), pos_label="ill")
    assert [str(c) for c in framed.found] == [str(c) for c in plain.found]


def test_only_gains_at_slopes_that_matter_count() -> None:
    y, scores = symptoms()
    everywhere = rocch.hybrid.find_combinations(y, scores, rounds=1)
    steep = rocch.hybrid.find_combinations(y, scores, rounds=1, slopes=(200, 300))
    assert everywhere.confirmed
    assert len(steep.confirmed) < len(everywhere.confirmed)
    for c in steep.confirmed:
        assert c.gain is not None
        assert 200 <= c.gain.slope <= 300


def test_a_stricter_limit_confirms_fewer() -> None:
    y, scores = symptoms(400)
    passed = [
        {c.words for c in rocch.hybrid.find_combinations(y, scores, standard_errors=k).confirmed}
        for k in (0, 1, 100)
    ]
    assert passed[0]
    assert not passed[2]


def test_weighted_rows_are_repeated_rows() -> None:
    y, scores = symptoms(400)
    weights = np.where(np.arange(400) % 3 == 0, 2, 1)
    find = np.arange(400) < 200
    weighted = rocch.hybrid.find_combinations(y, scores, find=find, sample_weight=weights)
    again = rocch.hybrid.find_combinations(
        np.repeat(y, weights),
        {name: np.repeat(column, weights) for name, column in scores.items()},
        find=np.repeat(find, weights),
    )
    assert [c.words for c in weighted.found] == [c.words for c in again.found]
    for one, other in zip(weighted.found, again.found, strict=True):
        assert (one.false_positives, one.tpr) == (other.false_positives, other.tpr)
        assert one.running_cost == pytest.approx(other.running_cost)
        if one.gain is not None and other.gain is not None and one.gain.slope == other.gain.slope:
            assert one.gain.gain == pytest.approx(other.gain.gain)


def test_fractional_weights_are_counted_in_their_unit() -> None:
    y, scores = symptoms(400)
    result = rocch.hybrid.find_combinations(y, scores, sample_weight=np.full(400, 0.1))
    plain = rocch.hybrid.find_combinations(y, scores)
    assert [c.fpr for c in result.found] == [c.fpr for c in plain.found]
    assert result.found[0].true_positives == pytest.approx(0.1 * plain.found[0].true_positives)


def test_the_chain_within_a_budget_beats_what_else_can_be_afforded() -> None:
    rng = np.random.default_rng(3)
    y = rng.random(4000) < 0.1
    scores = {
        "cheap": rng.normal(size=4000) + 1.5 * y,
        "dear": rng.normal(size=4000) + 3.5 * y,
    }
    costs = {"cheap": 1, "dear": 100}
    result = rocch.hybrid.find_combinations(
        y, scores, costs=costs, budget=40, thresholds=50, rounds=1
    )
    assert result.singles is not None
    assert {m.name for m in result.singles.members} == {"cheap"}
    assert result.confirmed
    assert result.hull.auc > result.singles.auc + 0.05
    for c in result.confirmed:
        assert c.running_cost <= 40
        assert c.expression.models == ("cheap", "dear")
    assert "dear" not in result.hull.winners


def test_a_chain_that_costs_more_on_the_confirming_rows_is_not_confirmed() -> None:
    rng = np.random.default_rng(4)
    y = rng.random(2000) < 0.2
    scores = {"cheap": rng.normal(size=2000) + y, "dear": rng.normal(size=2000) + 3 * y}
    find = np.arange(2000) < 1000
    scores["cheap"][~find] += 1  # many more rows pass the first stage later
    result = rocch.hybrid.find_combinations(
        y, scores, find=find, costs={"cheap": 1, "dear": 100}, budget=30, rounds=1
    )
    dear = [c for c in result.rejected if "above 30" in c.reason]
    assert dear
    assert all(c.running_cost > 30 for c in dear)


def test_where_only_chains_can_be_afforded_they_are_the_hull() -> None:
    y, scores = kinds()
    costs = {"cards": 10, "calls": 10}
    with pytest.raises(rocch.InfeasibleError, match="nothing can be run for 5 per row"):
        rocch.hybrid.find_combinations(y, scores, costs=costs, budget=5)
    free = {"cards": 10, "calls": 0}
    result = rocch.hybrid.find_combinations(y, scores, costs=free, budget=9, thresholds=20)
    assert result.confirmed


def test_prevalence_changes_the_running_cost_and_may_change_the_order() -> None:
    y, scores = symptoms()
    rare = rocch.hybrid.find_combinations(y, scores, prevalence=0.001, rounds=1)
    even = rocch.hybrid.find_combinations(y, scores, prevalence=0.5, rounds=1)
    ands = [[c for c in r.found if operators(c.expression) == {And}] for r in (rare, even)]
    assert np.mean([c.running_cost for c in ands[0]]) < np.mean([c.running_cost for c in ands[1]])


def test_expressions_survive_json() -> None:
    y, scores = symptoms(400)
    for c in rocch.hybrid.find_combinations(y, scores).found:
        again = expression_from(json.loads(json.dumps(c.expression.to_dict())))
        assert (_alarms(again, scores) == _alarms(c.expression, scores)).all()


def test_inputs_are_left_alone() -> None:
    y, scores = symptoms(400)
    for array in (y, *scores.values()):
        array.flags.writeable = False
    before = {name: column.copy() for name, column in scores.items()}
    rocch.hybrid.find_combinations(y, scores)
    assert all((scores[name] == before[name]).all() for name in scores)


def test_names_say_which_models_are_combined_how() -> None:
    a, b, c = AtLeast("a", 1.0), AtLeast("b", 1.0), Predicts("c")
    rule = Or(And(a, b), c)
    assert short_name(rule) == "(a and b) or c"
    assert short_name(And(And(a, b), c)) == "a and b and c"
    assert short_name(Constant(True)) == "always"
    assert unique_names([rule, rule, rule, And(a, b)], ["a and b"]) == [
        "(a and b) or c",
        "(a and b) or c 2",
        "(a and b) or c 3",
        "a and b 2",
    ]


MASK = [True, False] * 10


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"find": 0}, "find must be a number between 0 and 1, .* or a Boolean mask of the rows"),
        ({"find": 1.0}, "find must be a number between 0 and 1"),
        ({"find": True}, "find must be an array"),
        ({"find": [0, 1] * 10}, "find must be a Boolean mask .* got values of type int64"),
        ({"find": MASK[:-1]}, "find must have one value for each of the 20 rows"),
        ({"find": [True] * 20}, "0 positive and 0 negative rows to confirm with"),
        ({"find": [False] * 20}, "0 positive and 0 negative rows to find with"),
        ({"find": 0.01}, "find must leave at least 2 rows of each class"),
        ({"random_state": -1}, "random_state must be a whole number"),
        ({"random_state": None}, "random_state must be a whole number"),
        ({"rounds": 0}, "rounds must be a whole number from 1 to 4"),
        ({"rounds": 5}, "rounds must be a whole number"),
        ({"rounds": True}, "rounds must be a whole number"),
        ({"thresholds": 0}, "thresholds must be a whole number, at least 1; got 0"),
        ({"thresholds": "all"}, "thresholds must be a whole number"),
        ({"budget": -1}, "budget must be a finite number, not negative"),
        ({"budget": math.nan}, "budget must be a finite number"),
        ({"costs": {"a": 1}}, "costs must have exactly the models 'a', 'b'; got 'a'"),
        ({"prevalence": 1.5}, "prevalence must be a number from 0 to 1"),
        ({"slopes": (2, 1)}, "slopes must be a pair"),
        ({"standard_errors": "1"}, "standard_errors must be a finite number"),
        ({"sample_weight": [1] * 3}, "sample_weight must have one value for each"),
        ({"sample_weight": [0] * 10 + [1] * 10}, "find must leave at least 2 rows"),
        ({"pos_label": "ill"}, "pos_label must be one label that occurs in y_true"),
    ],
)
def test_bad_arguments_are_refused(given: dict[str, Any], says: str) -> None:
    y = [0, 1, 1, 0] * 5
    scores = {"a": list(range(20)), "b": [i * 7 % 20 for i in range(20)]}
    given = {"find": np.arange(20) < 10, **given} if "sample_weight" in given else given
    with pytest.raises(rocch.InputError, match=says):
        lib.hybrid.find_combinations(y, scores, **given)


def test_one_model_alone_cannot_be_combined() -> None:
    with pytest.raises(rocch.InputError, match="scores must name at least two models; got one"):
        rocch.hybrid.find_combinations([0, 1] * 8, {"a": list(range(16))})


def test_a_model_called_never_is_refused() -> None:
    y, scores = symptoms(400)
    with pytest.raises(rocch.InputError, match="not be 'never' or 'always'"):
        rocch.hybrid.find_combinations(y, {"never": scores["fever"], "cough": scores["cough"]})


def test_single_models_are_judged_at_their_best_thresholds_on_the_confirming_rows() -> None:
    y, scores = symptoms(1000)
    find = np.arange(1000) < 500
    noise = np.random.default_rng(9).normal(size=1000)
    late = {**scores, "late": np.where(find, noise, 1000.0 + y)}  # perfect there, at new thresholds
    assert rocch.hybrid.find_combinations(y, scores, find=find).confirmed
    assert not rocch.hybrid.find_combinations(y, late, find=find).confirmed
