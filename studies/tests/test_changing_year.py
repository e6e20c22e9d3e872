"""The study of a year of changing conditions: its world, its policies, its page."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.metrics import log_loss

import rocch
from studies.changing_year import QUICK, QUICK_TASKS, TASKS, main
from studies.drifting import hindsight, numbers, operate, policies
from studies.drifting.numbers import WORDS, Mean
from studies.drifting.operate import POLICIES, Pool
from studies.drifting.training import (
    House,
    Rows,
    Task,
    _known,
    column_hybrid,
    models,
    rows_of,
    split,
)
from studies.drifting.world import Plan, Week, draw, halves, subgroup, weather
from studies.workbench.tables import Source

if TYPE_CHECKING:
    from click.testing import Result

    from rocch.arrays import BoolArray

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
PLAN = Plan(weeks=24, rows=60, broken_from=12)
NAMES = ("plain", "sharp", "noisy")


def scored(rng: np.random.Generator, positive: BoolArray) -> pd.DataFrame:
    """Probabilities of three models that tell the classes apart more or less well."""
    apart = dict(zip(NAMES, (1.5, 2.0, 1.0), strict=True))
    raw = {name: rng.normal(size=positive.size) + d * (positive - 0.5) for name, d in apart.items()}
    return pd.DataFrame({name: 1 / (1 + np.exp(-apart[name] * x)) for name, x in raw.items()})


@pytest.fixture(scope="module")
def house() -> House:
    rng = np.random.default_rng(1)
    positive = np.arange(600) < 180
    scores = scored(rng, positive)
    hybrid = column_hybrid(scores, positive)
    return House(
        hybrid=hybrid,
        single=column_hybrid(scores[["sharp"]], positive),
        best="sharp",
        calibrated="plain",
        judged=scores,
        positive=positive,
    )


@pytest.fixture(scope="module")
def pool() -> Pool:
    rng = np.random.default_rng(2)
    positive = np.arange(1000) < 300
    scores = scored(rng, positive)
    inside = scores["noisy"].to_numpy() > 0.6
    return Pool(scores, positive, inside, halves(rng, positive))


@pytest.fixture(scope="module")
def weeks(pool: Pool) -> list[Week]:
    year = weather(np.random.default_rng(3), PLAN.weeks, 0.3)
    return operate.live(pool, year, PLAN, 1.0, seed=4)


# the world


def test_weather_keeps_its_bounds_and_costs_change_by_the_month() -> None:
    for seed in range(20):
        year = weather(np.random.default_rng(seed), 52, 0.05)
        assert ((year.prevalence >= 0.01) & (year.prevalence <= 0.6)).all()
        assert ((year.miss_cost >= 1) & (year.miss_cost <= 40)).all()
        assert set(np.bincount(year.month)) == {4, 5}
        assert np.unique(year.miss_cost).size == 12
        steps = np.flatnonzero(np.diff(year.miss_cost))
        assert (np.diff(year.month)[steps] == 1).all()


def test_a_week_has_the_drawn_share_and_leaves_out_what_weighs_nothing() -> None:
    positive = np.arange(100) < 40
    weights = np.where(np.arange(100) % 2, 1.0, 0.0)
    rows = draw(np.random.default_rng(0), positive, 0.25, 20_000, weights)
    assert (rows % 2 == 1).all()
    assert abs(positive[rows].mean() - 0.25) < 0.015
    assert set(rows) == set(range(1, 100, 2))


def test_heavier_rows_come_so_many_times_as_often() -> None:
    positive = np.arange(10) < 1
    weights = np.where(np.arange(10) < 5, 4.0, 1.0)
    rows = draw(np.random.default_rng(0), positive, 0.1, 100_000, weights)
    counts = np.bincount(rows)
    assert counts[1:5].mean() / counts[5:].mean() == pytest.approx(4, rel=0.03)


def test_neighboring_months_share_no_row(pool: Pool, weeks: list[Week]) -> None:
    seen = {
        m: {tuple(row) for w in weeks if w.month == m for row in w.scores.to_numpy()}
        for m in range(12)
    }
    assert all(not seen[m] & seen[m + 1] for m in range(11))
    assert abs(pool.positive[pool.half == 0].mean() - pool.positive.mean()) < 0.01


def test_a_broken_year_differs_only_from_its_break_on(pool: Pool, weeks: list[Week]) -> None:
    year = weather(np.random.default_rng(3), PLAN.weeks, 0.3)
    broken = operate.live(pool, year, PLAN, 4.0, seed=4)
    same = [a.scores.equals(b.scores) for a, b in zip(weeks, broken, strict=True)]
    assert same == [number < PLAN.broken_from for number in range(PLAN.weeks)]
    later = slice(PLAN.broken_from, None)
    high = [
        np.mean([(w.scores["noisy"][~w.positive] > 0.6).mean() for w in some[later]])
        for some in (weeks, broken)
    ]
    assert high[1] > 1.5 * high[0]


def test_a_week_costs_its_false_alarms_and_its_dear_misses() -> None:
    positive = np.array([True, True, False, False, False])
    frame = pd.DataFrame({"a": np.zeros(5)})
    week = Week(0, 0.4, 7.0, frame, positive)
    assert week.cost(np.array([True, False, True, True, False])) == (2 + 7) / 5


def test_the_subgroup_looks_like_positives_by_the_most_telling_number() -> None:
    rng = np.random.default_rng(0)
    positive = np.arange(400) < 100
    frame = pd.DataFrame(
        {
            "weak": rng.normal(size=400) + 0.3 * positive,
            "telling": rng.normal(size=400) - 2 * positive,
            "name": np.where(positive, "a", "b"),
        }
    )
    group = subgroup(frame, positive)
    assert (group.feature, group.high) == ("telling", False)
    assert (group.rows & ~positive).sum() == 75
    assert frame["telling"][group.rows].max() <= frame["telling"][~group.rows].min()


# training


def test_rows_that_are_equal_in_everything_count_once(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [1, 1, 1, 2], "target": ["a", "a", "b", "a"]})
    frame.to_csv(tmp_path / "pima.csv", index=False)
    rows = rows_of(Source(tmp_path), Task("pima", "Pima"))
    assert rows.features["x"].tolist() == [1, 1, 2]
    assert rows.positive.tolist() == [False, True, False]


def test_training_rows_are_not_drawn_from() -> None:
    frame = pd.DataFrame({"row": np.arange(90)})
    rows = Rows(frame, np.arange(90) < 30)
    training, places = split(rows, Plan(training=40, pool=25), np.random.default_rng(0))
    assert training.positive.size == 40
    assert training.positive.sum() in (13, 14)
    assert places.size == 25
    assert not set(training.features["row"]) & set(places)


def test_a_hybrid_of_columns_decides_as_the_fitted_hybrid() -> None:
    rows = rows_of(Source(Path("none")), QUICK_TASKS[0])
    training = rows.part(np.arange(0, rows.positive.size, 2))
    new = rows.features.iloc[1::2]
    candidates = [pair for pair in models(training.features, 5) if pair[0] != "neighbors"]
    fitted = rocch.RocchClassifier(candidates, stack=False).fit(
        training.features, training.positive
    )
    judged = pd.DataFrame({name: fitted.out_of_fold_.scores[name] for name in fitted.kept_})
    columns = column_hybrid(judged, fitted.out_of_fold_.positive)
    assert columns.hull_ == fitted.hull_
    scores = pd.DataFrame(
        {name: fitted.named_estimators_[name].predict_proba(new)[:, 1] for name in fitted.kept_}
    )
    for cost in (1, 5, 40):
        aim = rocch.Conditions(prevalence=0.2, false_positive=1, false_negative=cost)
        alike = columns.at(aim, exact=True).predict(scores) == fitted.at(aim, exact=True).predict(
            new
        )
        assert alike.all()


def test_the_best_model_is_the_one_with_the_largest_auc() -> None:
    rng = np.random.default_rng(5)
    positive = rng.random(400) < 0.4
    scores = {name: column.to_numpy() for name, column in scored(rng, positive).items()}
    judged = SimpleNamespace(scores=scores, positive=positive)
    fitted: Any = SimpleNamespace(out_of_fold_=judged)
    known = _known(fitted)
    areas = {name: rocch.auc(positive, column) for name, column in scores.items()}
    assert areas["noisy"] < areas["plain"] < areas["sharp"]
    assert known.best == "sharp"
    assert known.single.kept_ == ("sharp",)
    losses = {name: log_loss(positive, column) for name, column in scores.items()}
    assert known.calibrated == min(losses, key=lambda name: losses[name])


def test_the_best_rule_for_the_pool_knows_of_the_break(pool: Pool, weeks: list[Week]) -> None:
    hulls = operate._pool_hulls(pool, weeks, PLAN, 4.0)
    plain, shifted = (
        hindsight.hull_of(pool.scores, pool.positive, pool.weights(often)) for often in (1.0, 4.0)
    )
    assert plain != shifted
    assert hulls == [plain] * PLAN.broken_from + [shifted] * (PLAN.weeks - PLAN.broken_from)


# policies


def everything(house: House, pool: Pool, weeks: list[Week]) -> dict[str, Any]:
    known = policies.estimate(house.hybrid, [week.scores for week in weeks])
    return operate.decide(house, pool, weeks, known, PLAN, 1.0)


SEEING = ("fixed",)
"""What looks at labels in hindsight; the best rule for the pool looks at the pool's alone."""


def test_nobody_sees_labels_or_rows_before_their_time(
    house: House, pool: Pool, weeks: list[Week]
) -> None:
    weeks, now = weeks[:8], 5
    other = [
        week._replace(positive=~week.positive) if number >= now else week
        for number, week in enumerate(weeks)
    ]
    other[now + 1 :] = [w._replace(scores=1 - w.scores) for w in other[now + 1 :]]
    before, after = (everything(house, pool, some) for some in (weeks, other))
    for policy in POLICIES:
        same = [
            (a == b).all()
            for a, b in zip(before[policy][: now + 1], after[policy][: now + 1], strict=True)
        ]
        assert all(same) != (policy in SEEING), policy


def test_the_best_fixed_rule_is_the_cheapest_of_all(weeks: list[Week]) -> None:
    positive = np.concatenate([week.positive for week in weeks])
    miss = np.concatenate([np.full(week.positive.size, week.miss_cost) for week in weeks])
    scores = pd.concat([week.scores for week in weeks])
    costs = [miss[positive].sum()]
    for name in NAMES:
        for threshold in np.unique(scores[name])[::7]:
            alarms = scores[name].to_numpy() >= threshold
            costs.append((alarms & ~positive).sum() + miss[~alarms & positive].sum())
    answers = hindsight.best_fixed(weeks)
    found = sum(w.cost(a) * w.positive.size for w, a in zip(weeks, answers, strict=True))
    assert found <= min(costs) + 1e-9
    assert found >= 0.95 * min(costs)


def test_trusted_probabilities_alarm_where_that_is_cheaper(house: House) -> None:
    frame = pd.DataFrame({"plain": [0.05, 0.2, 0.5, 0.9]})
    week = Week(0, 0.1, 6.0, frame, np.zeros(4, dtype=bool))
    (alarms,) = policies.by_probability(house, [week])
    odds = frame["plain"] / (1 - frame["plain"]) * (0.1 / 0.9) / (0.3 / 0.7)
    moved = odds / (1 + odds)
    assert alarms.tolist() == (moved * 6 > (1 - moved) * 1).tolist() == [False, False, True, True]


def estimate(prevalence: float, p_value: float) -> rocch.stats.PrevalenceEstimate:
    return rocch.stats.PrevalenceEstimate(
        prevalence=prevalence,
        interval=rocch.roc.Interval(prevalence - 0.05, prevalence + 0.05),
        p_value=p_value,
        method="likelihood",
        confidence=0.95,
        significance=0.05,
        classifier="sharp",
        rows=60,
        bins=5,
    )


def test_a_refused_estimate_leaves_the_last_accepted_one() -> None:
    each = [estimate(0.6, 0.001), estimate(0.2, 0.5), estimate(0.7, 0.01), estimate(0.3, 0.4)]
    told = policies.Estimates(each)
    assert [pair.low for pair in told.accepted(0.1)] == [0.1, 0.2, 0.2, 0.3]
    intervals = np.array([tuple(pair) for pair in told.intervals(0.1)])
    assert intervals == pytest.approx(
        np.array([(0.1, 0.1), (0.15, 0.25), (0.15, 0.25), (0.25, 0.35)])
    )


def test_last_months_share_is_that_of_its_labels(house: House, weeks: list[Week]) -> None:
    shares = policies.last_months_shares(house, weeks)
    assert shares[0] == shares[1] == house.prevalence
    labels = np.concatenate([weeks[2].positive, weeks[3].positive])
    assert shares[4] == shares[5] == (labels.sum() + 0.5) / (labels.size + 1)


def test_a_month_without_positives_tunes_nothing(house: House, weeks: list[Week]) -> None:
    empty = [
        week._replace(positive=np.zeros(week.positive.size, dtype=bool), miss_cost=30.0)
        for week in weeks[:4]
    ]
    same = [week._replace(scores=weeks[0].scores) for week in empty]
    answers = policies.tuned_monthly(house, same)
    assert all((answer == answers[0]).all() for answer in answers)
    assert answers[0].any()


def test_tuning_follows_the_new_costs(house: House, weeks: list[Week]) -> None:
    cheap, dear = (
        sum(
            a.sum() for a in policies.tuned_monthly(house, [w._replace(miss_cost=c) for w in weeks])
        )
        for c in (1.0, 40.0)
    )
    assert dear > 1.5 * cheap


def test_true_conditions_beat_the_usual_ones_where_they_differ(house: House, pool: Pool) -> None:
    year = weather(np.random.default_rng(3), 24, 0.02)
    rare = operate.live(pool, year, Plan(weeks=24, rows=2000), 1.0, seed=1)
    told = [week.prevalence for week in rare], [house.prevalence] * 24
    knob, usual = (policies.re_aimed(house.hybrid, rare, shares) for shares in told)
    costs = [
        np.mean([w.cost(a) for w, a in zip(rare, some, strict=True)]) for some in (knob, usual)
    ]
    assert costs[0] < 0.9 * costs[1]


# numbers


def years_of(costs: list[list[float]]) -> list[dict[str, Any]]:
    """Repetitions in which every policy costs as given in the knob's and another's place."""
    found = []
    for knob, other in costs:
        table = np.full((len(POLICIES), 4), 1.0)
        table[POLICIES.index("knob")], table[POLICIES.index("single")] = knob, other
        found.append({"kept cost": table, "broken cost": 2 * table})
    return found


def test_differences_are_paired_and_relative_to_the_knob() -> None:
    years = years_of([[1.0, 1.5], [3.0, 3.5], [2.0, 2.8]])
    found = numbers.more(years, "kept", "single")
    assert found.mean == pytest.approx(100 * 0.6 / 2)
    assert found.error == pytest.approx(50 * np.std([0.5, 0.5, 0.8], ddof=1) / np.sqrt(3))
    assert numbers.rise(years, "single", 2).mean == pytest.approx(100)


def test_estimates_are_judged_against_the_truth() -> None:
    year = {
        "prevalence": np.array([0.1, 0.2, 0.3, 0.4]),
        "kept low": np.array([0.0, 0.25, 0.1, 0.3]),
        "kept high": np.array([0.2, 0.4, 0.35, 0.5]),
        "kept fits": np.array([True, True, True, False]),
    }
    both = [year, {**year, "kept fits": np.array([False, True, False, False])}]
    # the second week's interval misses the truth
    assert numbers.covered(both, "kept", slice(None)) == pytest.approx(75)
    assert numbers.refused(both, "kept", slice(None)).mean == pytest.approx(50)
    assert numbers.refused(both, "kept", slice(2)).mean == 25


def test_a_mean_is_written_with_its_standard_error() -> None:
    assert Mean.of(np.array([1.0, 2.0, 3.0])).written(1, signed=True) == "+2.0 ± 0.6"


def test_every_policy_has_a_name_and_a_place() -> None:
    assert sorted(WORDS) == sorted(POLICIES)
    assert len(set(WORDS.values())) == len(WORDS)


# the whole study


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    folder = tmp_path_factory.mktemp("year")
    return folder, run(folder)


def run(folder: Path) -> Result:
    page = folder / "docs" / "changing-year.md"
    options = ["--quick", "--jobs", "1", "--work", str(folder / "kept"), "--page", str(page)]
    return CliRunner().invoke(main, options, catch_exceptions=False)


def test_a_quick_run_writes_page_and_pictures(quick: tuple[Path, Result]) -> None:
    folder, result = quick
    assert result.exit_code == 0
    text = (folder / "docs" / "changing-year.md").read_text()
    for words in (*WORDS.values(), "Breast cancer", "scikit-learn", "2 repetitions"):
        assert words in text
    assert "In short" not in text
    for name in ("weather", "cumulative"):
        assert f"changing-year-{name}.png" in text
        assert (folder / "docs" / f"changing-year-{name}.png").stat().st_size > 5000


def test_a_second_run_computes_nothing_anew(quick: tuple[Path, Result]) -> None:
    folder, _ = quick
    again = run(folder)
    assert "2 of 2 kept from an earlier run" in again.stderr
    assert "breast_cancer 1" not in again.stderr


def test_missing_data_are_named_before_any_work(tmp_path: Path) -> None:
    options = ["--data", str(tmp_path), "--work", str(tmp_path)]
    result = CliRunner().invoke(main, options)
    assert result.exit_code == 2
    assert "adult.csv" in result.output
    assert not list(tmp_path.rglob("*.npz"))


def test_the_plan_of_a_quick_run_is_small() -> None:
    assert QUICK.weeks * QUICK.rows < 1000


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs the real data")
@pytest.mark.parametrize("task", [task for task in TASKS if task.name != "adult"], ids=str)
def test_real_data_have_rows_enough_and_a_subgroup(task: Task) -> None:
    rows = rows_of(Source(SHARED), task)
    group = subgroup(rows.features, rows.positive)
    share = (group.rows & ~rows.positive).sum() / (~rows.positive).sum()
    assert 0.25 <= share < 0.4  # more than a quarter where many rows are tied
    assert min(rows.positive.sum(), (~rows.positive).sum()) > 200
