"""Everson and Fieldsend's experiments, in small."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import rocch
from studies.everson_fieldsend import WHOLE, main
from studies.roc_surfaces import numbers, real, synthetic, tables
from studies.roc_surfaces import page as pages
from studies.roc_surfaces.kept import (
    arrays_of,
    cost_of,
    drawn_costs,
    figures_of,
    promised_and_kept,
    ruled,
    surface_of,
)
from studies.roc_surfaces.real import errors_by_order
from studies.workbench.tables import Source, Table

if TYPE_CHECKING:
    from click.testing import Result

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
PICTURES = ("regions", "over-fitting", "promises")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("everson")


def quick_run(folder: Path) -> Result:
    options = ["--quick", "--jobs", "1", "--work", str(folder / "kept")]
    return CliRunner().invoke(main, [*options, "--page", str(folder / "page.md")])


@pytest.fixture(scope="module")
def page(folder: Path) -> str:
    done = quick_run(folder)
    assert done.exit_code == 0, done.output
    return (folder / "page.md").read_text()


def rows_of(page: str, beginning: str) -> list[list[str]]:
    lines = [line for line in page.splitlines() if line.startswith(f"| {beginning}")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_the_quick_run_draws_every_picture(page: str, folder: Path) -> None:
    for name in PICTURES:
        assert (folder / f"page-{name}.png").stat().st_size > 5000
        assert f"(page-{name}.png)" in page


def test_the_page_has_the_papers_numbers_beside_ours(page: str) -> None:
    [members] = rows_of(page, "members after 120 generations")
    assert members[1] == "k-nn about 7,500; MLP about 4,800"
    assert all(300 < int(number.replace(",", "")) < 5000 for number in members[2:])
    [fewest] = rows_of(page, "fewest errors among 300")
    assert fewest[1] == "k-nn 32"
    assert all(10 <= int(number) <= 40 for number in fewest[2:])
    assert len(rows_of(page, "iris | ")) == 3  # a row for each kind of model


def test_quick_runs_make_no_claims_about_the_real_data(page: str) -> None:
    for claim in ("In short", "Agrees", "Differs", "reversed"):
        assert claim not in page


def test_a_second_run_computes_nothing_anew(
    page: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: Any, **__: Any) -> None:
        raise AssertionError

    monkeypatch.setattr(rocch.multiclass.SurfaceSearch, "run", never)
    monkeypatch.setattr(rocch.RocSurfaceClassifier, "fit", never)
    given: list[str] = []
    monkeypatch.setattr(pages, "write_page", lambda *_, **values: given.extend(values.values()))
    assert quick_run(folder).exit_code == 0
    tables_given = [value for value in given if str(value).startswith("| ")]
    assert len(tables_given) == 2
    assert all(one in page for one in tables_given)


def test_missing_data_are_told_before_any_work(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["--data", str(tmp_path), "--work", str(tmp_path / "kept")])
    assert done.exit_code == 2
    assert "satimage.csv" in done.output
    assert not list(tmp_path.rglob("*.npz"))


@pytest.fixture(scope="module")
def near() -> rocch.multiclass.RocSurface:
    data = rocch.multiclass.three_class_data(90, seed=3)
    return rocch.multiclass.SurfaceSearch(
        rocch.multiclass.KnnModel(data.X, data.y), data.y, draws=20
    ).run(30)


def test_a_kept_surface_is_the_same_surface(near: rocch.multiclass.RocSurface) -> None:
    kept = {name: np.asarray(value) for name, value in arrays_of(near, "knn").items()}
    assert surface_of(kept, "knn") == near


def test_figures_of_a_surface_against_counting(near: rocch.multiclass.RocSurface) -> None:
    told_of = figures_of(near)
    wrong = [int(m.sum() - np.trace(m)) for m in near.counts]
    assert told_of["members"] == len(wrong)
    assert told_of["fewest"] == min(wrong)
    beyond = [sum((m.sum(axis=1) - np.diag(m)) / 30) > 2 + 1e-9 for m in near.counts]
    assert told_of["beyond"] == sum(beyond)
    assert told_of["G"] == near.dominated_share().value


def test_costs_are_1_on_average_and_evenly_spread() -> None:
    classes = rocch.multiclass.Classes(("a", "b", "c"))
    drawn = drawn_costs(classes, 400, seed=1)
    values = np.array([[m[pair] for pair in classes.pairs] for m in drawn], dtype=float)
    assert np.allclose(values.mean(axis=1), 1)
    assert np.allclose(values.mean(axis=0), 1, atol=0.15)
    assert drawn_costs(classes, 400, seed=1) == drawn != drawn_costs(classes, 400, seed=2)


def test_a_cost_is_the_mean_over_rows() -> None:
    costs = rocch.CostMatrix({("a", "b"): 3, ("b", "a"): 1}, classes=["a", "b"])
    y, answers = np.array(list("aabb")), np.array(list("abab"))
    assert cost_of(y, answers, costs) == (0 + 3 + 1 + 0) / 4


def test_promises_are_of_the_chosen_members_and_kept_on_other_rows(
    near: rocch.multiclass.RocSurface,
) -> None:
    costs = drawn_costs(near.classes, 3, seed=2)
    y = np.array([1, 2, 3, 3])
    asked: list[int] = []

    def always_three(place: int) -> Any:
        asked.append(place)
        return np.array([3, 3, 3, 3])

    points = [near.best(one) for one in costs] * 2
    found = promised_and_kept(points, always_three, y, costs * 2)
    cheapest = [min(float((m * one.values).sum()) / 90 for m in near.counts) for one in costs]
    assert found["promised"][:3] == pytest.approx(cheapest)
    by_hand = [(float(one[1, 3]) + float(one[2, 3])) / 4 for one in costs]  # type: ignore[arg-type]
    assert found["kept"].tolist() == pytest.approx(by_hand * 2)
    assert len(asked) == len({point.member.place for point in points})


def test_rules_answer_by_the_costs_or_with_the_most_likely_class() -> None:
    costs = [rocch.CostMatrix({("a", "b"): 1.9, ("b", "a"): 0.1}, classes=["a", "b"])]
    found = ruled(np.array([[0.3, 0.7], [0.01, 0.99]]), np.array(["b", "b"]), costs)
    assert found["most likely"].tolist() == [0.0]
    assert found["by costs"].tolist() == [0.05]  # the first row gets the expensive class


def table_of(rows: int, name: str = "made") -> Table:
    rng = np.random.default_rng(0)
    target = np.repeat(["a", "b", "c"], [rows // 2, rows // 3, rows - rows // 2 - rows // 3])
    features = pd.DataFrame(rng.normal(size=(rows, 2)) + (target == "b")[:, None])
    features["row"] = np.arange(rows)
    order = rng.permutation(rows)
    return Table(name, features.iloc[order].assign(row=np.arange(rows)), target[order])


def test_halves_share_no_row_and_keep_the_balance() -> None:
    left, right = real.halves(table_of(100), 1)
    first, second = (set(half.X[:, 2].tolist()) for half in (left, right))
    assert first | second == set(range(100))
    assert not first & second
    assert abs(int((left.y == "a").sum()) - int((right.y == "a").sum())) <= 1
    assert set(real.halves(table_of(100), 2)[0].X[:, 2].tolist()) != first


def test_official_parts_are_kept_apart_and_thinned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(real.OFFICIAL, "made", 60)
    monkeypatch.setattr(real, "MOST_ROWS", 30)
    left, right = real.halves(table_of(100), 0)
    assert len(left.y) == len(right.y) == 30
    assert left.X[:, 2].max() < 60 <= right.X[:, 2].min()
    assert (np.diff(left.X[:, 2]) > 0).all()


def test_many_classes_trade_off_misses() -> None:
    assert [real.objectives_for(q) for q in (3, 4, 5, 10)] == ["rates", "rates", "misses", "misses"]


def test_a_promise_on_one_half_is_checked_on_the_other(tmp_path: Path) -> None:
    source = Source(tmp_path)
    found = real.kept_promises(source, "sklearn/iris", "k-nn", 0, 20, 4)
    assert found["kept"].shape == found["promised"].shape == (4,)
    judged, held = real.halves(source.load("sklearn/iris"), 0)
    hybrid = rocch.RocSurfaceClassifier(real.makers("k-nn"), generations=20, random_state=0)
    view = hybrid.fit(judged.X, judged.y).at(drawn_costs(hybrid.surface_.classes, 4, seed=0)[1])
    assert found["promised"][1] == view.point.expected_cost
    by_rows = [
        0.0 if truth == answer else float(view.costs[truth, answer])
        for truth, answer in zip(held.y, view.predict(held.X), strict=True)
    ]
    assert found["kept"][1] == pytest.approx(np.mean(by_rows))


def test_members_are_counted_again_on_new_rows() -> None:
    data = rocch.multiclass.three_class_data(90, seed=1)
    model = rocch.multiclass.KnnModel(data.X, data.y)
    surface = rocch.multiclass.SurfaceSearch(model, data.y, draws=20, start=10).run(5)
    again = synthetic._recounted(surface, model, 3)
    places = np.random.default_rng(0).choice(len(surface), 3, replace=False)
    new = rocch.multiclass.three_class_data(synthetic.NEW_ROWS, seed=synthetic.NEW_SEED)
    for row, place in enumerate(places.tolist()):
        answers = surface.predict(place, model, new.X)
        wrong = [
            np.count_nonzero((new.y == k) & (answers == j))
            for k in (1, 2, 3)
            for j in (1, 2, 3)
            if j != k
        ]
        assert again[row].tolist() == wrong


def test_a_rule_without_a_place_is_no_member() -> None:
    rule: Any = SimpleNamespace(member=SimpleNamespace(place=None))
    with pytest.raises(ValueError, match="no place on a surface"):
        promised_and_kept([rule], lambda _: np.array([1]), np.array([1]), [])


def test_folds_in_an_order_that_matters_err_more(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    place = np.repeat(np.arange(10), 20)  # ten stretches of ground, each with colors of its own
    target = rng.choice(["a", "b"], 200)
    color = 10.0 * rng.permutation(10)[place] * np.where(place % 2, 1, -1) + (target == "a")
    table = Table("made", pd.DataFrame({"color": color}), target)
    monkeypatch.setitem(real.OFFICIAL, "made", 150)
    monkeypatch.setattr(Source, "load", lambda *_: table)
    found = errors_by_order(Source(Path()), "made", 0)
    assert found["in order"] > found["shuffled"] + 0.1


def member(counts: list[list[int]]) -> rocch.multiclass.Confusion:
    return rocch.multiclass.Confusion(rocch.multiclass.Classes((1, 2, 3)), np.array(counts))


def test_the_papers_panels_are_found_one_wish_after_another() -> None:
    surface = rocch.multiclass.RocSurface.of(
        {
            "plain": member([[9, 1, 0], [1, 9, 0], [0, 0, 10]]),
            "none missed": member([[4, 4, 2], [0, 10, 0], [0, 6, 4]]),
            "none missed, apart": member([[2, 8, 0], [0, 10, 0], [0, 9, 1]]),
            "clean": member([[9, 0, 1], [2, 4, 4], [1, 0, 9]]),
        }
    )
    assert numbers.fewest(surface).member.model == "plain"
    assert numbers.never_missed(surface).member.model == "none missed, apart"
    assert numbers.never_alarmed(surface).member.model == "clean"
    assert numbers.edges(surface) == (True, True, True, True)


def test_edges_may_fail() -> None:
    surface = rocch.multiclass.RocSurface.of({"one": member([[8, 2, 0], [3, 6, 1], [1, 1, 8]])})
    assert numbers.edges(surface) == (False, False, False, False)


def test_numbers_as_text() -> None:
    assert numbers.whole_range([3, 1, 2]) == "1 to 3"
    assert numbers.whole_range([7500]) == "7,500"
    assert numbers.share_range([0.12345, 0.12349]) == "0.123"
    assert numbers.percent_more(0.15, 0.10) == "50"
    assert numbers.how_many([True, False]) == "1 of 2"


def test_the_least_cost_kept_is_bold_but_never_the_promise() -> None:
    one = dict(zip(tables.PROMISES, (0.01, 0.05, 0.04, 0.09), strict=True))
    text = tables.promises([tables.Cell("wine", "classifiers", [one])])
    assert "| wine | classifiers | 0.010 | 0.050 | **0.040** | 0.090 |" in text


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs the real data")
@pytest.mark.parametrize("name", sorted(WHOLE.data))
def test_real_halves_hold_every_class_and_no_more_rows_than_said(name: str) -> None:
    table = Source(SHARED).load(name)
    for half in real.halves(table, 0):
        assert len(half.y) <= real.MOST_ROWS
        assert set(half.y) == set(table.target)
        assert np.isfinite(half.X).all()
