"""The study of Adams and Hand's four examples: what it computes, and the page of a quick run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.model_selection import train_test_split

import rocch
from studies import adams_hand as study_script
from studies.lc import figures, splits, tables
from studies.lc.examples import EXAMPLES, Example, quick_examples
from studies.lc.splits import (
    HeldOut,
    Linear,
    Nearest,
    Network,
    Quadratic,
    Setup,
    as_numbers,
    compare_splits,
    comparison,
    each_held_out,
    held_out,
)
from studies.workbench.page import signed
from studies.workbench.tables import Source

if TYPE_CHECKING:
    from click.testing import Result

    from rocch.arrays import BoolArray, FloatArray

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
needs_data = pytest.mark.skipif(not SHARED.is_dir(), reason="needs the real data")

TUMOURS = Setup(
    "sklearn/breast_cancer",
    170,
    Quadratic(),
    Linear(),
    (4, 10, 7),
    features=("mean texture", "mean smoothness", "mean symmetry"),
)


@pytest.fixture
def source(tmp_path: Path) -> Source:
    return Source(tmp_path)


def run(folder: Path, *options: str) -> Result:
    given = ["--jobs", "1", "--work", str(folder / "kept"), "--page", str(folder / "page.md")]
    return CliRunner().invoke(study_script.main, [*given, *options])


def test_a_quick_run_writes_the_page_and_a_second_one_computes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = run(tmp_path, "--quick")
    assert done.exit_code == 0, done.output
    text = (tmp_path / "page.md").read_text()
    for example in EXAMPLES:
        assert f"| {example.title} | envelope |" in text
        assert f"| {example.title} | implied |" in text
    pictures = {file.name for file in tmp_path.glob("*.png")}
    assert len(pictures) == 2
    assert all(f"({name})" in text for name in pictures)
    assert "quick run" in text
    assert f"resampled {study_script.QUICK_REPLICATES} times" in text
    kept = {file: file.stat().st_mtime_ns for file in (tmp_path / "kept").rglob("*.npz")}
    monkeypatch.setattr(study_script, "write_page", lambda *_, **__: None)  # drawing takes longest
    again = run(tmp_path, "--quick")
    assert again.exit_code == 0
    assert {file: file.stat().st_mtime_ns for file in (tmp_path / "kept").rglob("*.npz")} == kept
    assert all("kept from an earlier run" in line for line in again.stderr.splitlines() if line)


def test_a_folder_without_the_data_is_refused_before_any_work(tmp_path: Path) -> None:
    done = run(tmp_path, "--data", str(tmp_path))
    assert done.exit_code == 2
    assert "pima.csv, heart_hungarian_261.csv" in done.output
    assert not list(tmp_path.rglob("*.npz"))


def grid_index(split: HeldOut, setup: Setup, *, implied: bool) -> float:
    """Weigh the signs of the two losses at many costs."""
    low, high, apex = (times / (1 + times) for times in setup.times)
    edges = np.linspace(low, high, 4001)
    shares = (edges[:-1] + edges[1:]) / 2
    triangle = np.where(
        shares < apex, (shares - low) / (apex - low), (high - shares) / (high - apex)
    )
    a, b = (losses(split.y, p, shares, implied=implied) for p in split.probabilities.values())
    signs = np.where(np.isclose(a, b, rtol=0, atol=1e-12), 0, np.sign(b - a))
    return float(signs @ triangle / triangle.sum())


def losses(y: BoolArray, p: FloatArray, shares: FloatArray, *, implied: bool) -> FloatArray:
    """Return the loss at each cost: of the implied threshold, or the least of all thresholds."""
    if implied:
        return np.array([loss(y, p >= 1 - share, share) for share in shares])
    each = [loss(y, p >= threshold, shares) for threshold in (*np.unique(p), 2)]
    return np.asarray(np.min(each, axis=0))


def loss(y: BoolArray, alarm: BoolArray, share: Any) -> Any:
    return np.mean(alarm & ~y) * (1 - share) + np.mean(~alarm & y) * share


@pytest.mark.parametrize("reading", ["envelope", "implied"])
@pytest.mark.parametrize("seed", range(3))
def test_an_index_is_the_weighed_sign_of_losses(source: Source, seed: int, reading: Any) -> None:
    split = held_out(source, TUMOURS, seed)
    found = comparison(split, TUMOURS, reading).lc_index
    slowly = grid_index(split, TUMOURS, implied=reading == "implied")
    assert found == pytest.approx(slowly, abs=0.005)


def test_splits_are_the_papers_sizes_at_random(source: Source) -> None:
    y = source.load("sklearn/breast_cancer").positive
    split = held_out(source, TUMOURS, 3)
    _, held = train_test_split(y, test_size=170, random_state=3)
    assert split.y.tolist() == held.tolist()
    assert list(split.scores) == ["QDA", "LDA"]


def test_each_split_has_an_entry_of_its_own(source: Source) -> None:
    found = compare_splits(source, TUMOURS, range(2, 5), 80)
    assert {array.shape for array in found.values()} == {(3,)}
    for place, split in enumerate(each_held_out(source, TUMOURS, range(2, 5))):
        a, b = split.curves()
        assert (found["auc_a"][place], found["auc_b"][place]) == (a.auc, b.auc)
        for reading in ("envelope", "implied"):
            one = comparison(split, TUMOURS, reading)
            assert found[f"lc_{reading}"][place] == one.lc_index
        (drawn,) = rocch.stats.lc_intervals(
            split.y, split.scores, belief=TUMOURS.belief, prevalence="observed", replicates=80
        )
        told = found["low"][place], found["high"][place], found["favored"][place]
        assert told == (*drawn.interval, drawn.favored)
    assert "low" not in compare_splits(source, TUMOURS, range(1), 0)


def test_intervals_are_of_log_odds_where_probabilities_are_rounded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    y = np.arange(40) % 2 == 0
    rng = np.random.default_rng(0)
    scores = {"QDA": 40 + rng.normal(size=40) + y, "LDA": rng.normal(size=40) + y}
    rounded = {name: 1 / (1 + np.exp(-column)) for name, column in scores.items()}
    assert set(rounded["QDA"].tolist()) == {1.0}
    split = HeldOut(y, scores, rounded)
    monkeypatch.setattr(splits, "each_held_out", lambda *_: [split])
    found = compare_splits(Source(Path("none")), TUMOURS, range(1), 80)
    (drawn,) = rocch.stats.lc_intervals(
        y, scores, belief=TUMOURS.belief, prevalence="observed", replicates=80
    )
    assert (found["low"][0], found["favored"][0]) == (drawn.interval.low, drawn.favored)


def test_scores_rank_as_probabilities_do_where_these_are_not_rounded(source: Source) -> None:
    split = held_out(source, replace(TUMOURS, a=Network(), b=Quadratic()), 0)
    assert split.scores["network"].tolist() == split.probabilities["network"].tolist()
    odds, probability = split.scores["QDA"], split.probabilities["QDA"]
    assert probability == pytest.approx(1 / (1 + np.exp(-odds)))
    assert odds.max() > 1


def test_log_odds_tell_apart_what_is_certain_after_rounding(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3 == 0
    frame = pd.DataFrame({"x": rng.normal(size=60) + 40 * y, "target": y.astype(int)})
    write(tmp_path, "pima", frame)
    split = held_out(Source(tmp_path), Setup("pima", 30, Quadratic(), Linear(), (4, 10, 7)), 0)
    certain = split.probabilities["QDA"] == 1
    assert certain.sum() > 2
    assert np.unique(split.scores["QDA"][certain]).size == certain.sum()
    a, _ = split.curves("implied")
    assert a.tpr.size < split.curves()[0].tpr.size


def test_a_stated_prevalence_takes_the_place_of_the_test_sets(source: Source) -> None:
    split = held_out(source, TUMOURS, 0)
    stated = replace(TUMOURS, prevalence=0.13)
    assert comparison(split, stated, "envelope").prevalence == 0.13
    assert comparison(split, TUMOURS, "envelope").prevalence == split.y.mean()


def write(folder: Path, name: str, frame: pd.DataFrame) -> None:
    frame.to_csv(folder / f"{name}.csv", index=False)


def test_words_become_indicators(tmp_path: Path, source: Source) -> None:
    jobs = ["none", "some", "none", "best"]
    write(tmp_path, "german_credit", pd.DataFrame({"age": [1, 2, 3, 4], "job": jobs, "y": "aabb"}))
    table = source.load("german_credit")
    setup = Setup("german_credit", 1, Nearest(), Linear(), (5, 10, 9))
    rows = as_numbers(table, setup)
    assert rows.tolist() == [[1, 1, 0], [2, 0, 1], [3, 1, 0], [4, 0, 0]]


def test_only_zeros_that_cannot_be_measured_are_missing(tmp_path: Path, source: Source) -> None:
    frame = pd.DataFrame({"pregnancies": [0, 1], "glucose": [0, 99], "target": [0, 1]})
    write(tmp_path, "pima", frame)
    setup = Setup("pima", 1, Network(), Quadratic(), (4, 10, 7))
    as_they_are = as_numbers(source.load("pima"), setup)
    missing = as_numbers(source.load("pima"), replace(setup, zeros_missing=True))
    assert as_they_are.tolist() == [[0, 0], [1, 99]]
    assert np.isnan(missing).tolist() == [[False, True], [False, False]]


@pytest.mark.parametrize(
    ("published", "digits", "slowly"),
    [(-1.0, 1, 25.0), (0.0, 1, 62.5), (1.0, 1, 87.5), (-2.0, 1, 0.0), (0.04, 2, 62.5)],
)
def test_a_percentile_counts_half_of_what_is_equal(
    published: float, digits: int, slowly: float
) -> None:
    values = np.array([-1.0, -0.96, 0.04, 0.99])
    assert figures.percentile(values, published, digits) == slowly


def found(auc_a: list[float], auc_b: list[float], index: list[float]) -> dict[str, Any]:
    given = {"auc_a": auc_a, "auc_b": auc_b, "lc_envelope": index, "lc_implied": index[::-1]}
    return {name: np.array(values) for name, values in given.items()}


OURS = found([0.8, 0.8, 0.7, 0.6], [0.7, 0.9, 0.7, 0.8], [-1.0, 0.3, 0.9, -0.2])


def test_opposed_are_those_of_different_signs() -> None:
    assert figures.opposed(OURS, "envelope") == 0.5
    assert figures.readings_opposed(OURS) == 0.0
    assert figures.readings_opposed(found([0.8] * 4, [0.7] * 4, [1.0, 0.0, 0.5, -1.0])) == 0.5
    assert figures.favored(np.array([0.5, 0.0, -1.0, 1.0])) == 0.625


def test_as_published_needs_both_signs() -> None:
    pima = EXAMPLES[0]
    assert figures.as_published(pima, OURS, "envelope") == 0.25


def test_the_nearest_split_is_nearest_in_aucs() -> None:
    ours = found([0.9, 0.78, 0.85], [0.9, 0.77, 0.85], [1.0, 1.0, 1.0])
    assert figures.nearest_split(EXAMPLES[0], ours) == 1


PAPER = {  # which AUC is larger, and which one the index favors, in the paper's words
    "pima": ("network", "QDA"),
    "heart": ("LDA", "QDA"),
    "marketing": ("QDA", "QDA"),
    "banking": ("LDA", "LDA"),
}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.key)
def test_published_signs_name_the_papers_winners(example: Example) -> None:
    winners = example.winner(example.auc_a - example.auc_b), example.winner(example.lc)
    assert winners == PAPER[example.key]


def test_the_papers_intervals_on_the_share_of_the_miss() -> None:
    pima, heart, _, banking = (example.setup.belief.cost_share for example in EXAMPLES)
    assert tuple(pima) == pytest.approx((0.80, 0.909), abs=0.001)
    assert tuple(heart) == pytest.approx((0.667, 0.952), abs=0.001)
    assert tuple(banking) == pytest.approx((0.833, 0.909), abs=0.001)


def test_a_quick_run_keeps_classifiers_and_beliefs() -> None:
    for quick, full in zip(quick_examples(), EXAMPLES, strict=True):
        assert quick.setup.table == "sklearn/breast_cancer"
        assert (quick.names, quick.setup.times) == (full.names, full.setup.times)


def test_numbers_are_written_without_a_sign_of_zero() -> None:
    assert [tables.number(value) for value in (-0.001, 0.0, -0.5)] == [
        "0.00",
        "0.00",
        signed("-0.50"),
    ]
    assert [tables.percent(share) for share in (0, 0.005, 0.25)] == ["0%", "under 1%", "25%"]
    assert [tables.percent(share) for share in (0.995, 1)] == ["over 99%", "100%"]


SIZES = {  # rows that design, positives in all
    "pima": (538, 268),
    "heart": (183, 98),
    "marketing": (861, 492),
    "banking": (667, 300),
}


@needs_data
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.key)
def test_real_data_are_split_as_in_the_paper(example: Example) -> None:
    table = Source(SHARED).load(example.setup.table)
    design = len(table.target) - example.setup.test
    assert (design, int(table.positive.sum())) == SIZES[example.key]


@needs_data
def test_genuine_payments_hardly_vary_in_one_direction_and_are_fitted_all_the_same() -> None:
    marketing = EXAMPLES[2].setup
    quadratic = replace(marketing, a=Linear())
    a, b = held_out(Source(SHARED), quadratic, 0).curves()
    assert (a.name, b.name) == ("LDA", "QDA")
    assert b.auc > 0.95
