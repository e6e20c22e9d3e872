"""The search as a whole: its members are what they claim, and runs can be cut anywhere."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import rocch
from rocch.kernels import assignment
from rocch.kernels.assignment import least_cost
from rocch.kernels.engine import SAVES_A_SECOND
from rocch.multiclass import search as searching
from rocch.multiclass.confusion import objectives_of
from rocch.multiclass.volumes import DominatedSamples

if TYPE_CHECKING:
    from rocch.multiclass import RocSurface

DATA = rocch.multiclass.three_class_data(90, seed=1)


def knn() -> rocch.multiclass.KnnModel:
    return rocch.multiclass.KnnModel(DATA.X, DATA.y)


def search(**options: Any) -> rocch.multiclass.SurfaceSearch:
    return rocch.multiclass.SurfaceSearch(knn(), DATA.y, **({"draws": 20, "start": 10} | options))


def same(one: RocSurface, other: RocSurface) -> bool:
    return all(
        np.array_equal(getattr(one, field.name), getattr(other, field.name))
        if isinstance(getattr(one, field.name), np.ndarray)
        else getattr(one, field.name) == getattr(other, field.name)
        for field in fields(one)
    )


@pytest.mark.parametrize("objectives", ["rates", "misses"])
def test_members_err_as_they_say_and_none_dominates_another(objectives: Any) -> None:
    model = knn()
    surface = rocch.multiclass.SurfaceSearch(model, DATA.y, objectives=objectives, draws=20).run(30)
    assert surface.totals.tolist() == [30, 30, 30]
    assert surface.objectives == objectives
    for parameters, costs, counts in zip(
        surface.parameters, np.asarray(surface.costs), surface.counts, strict=True
    ):
        wanted = np.zeros((3, 3), dtype=int)
        np.add.at(wanted, (DATA.y - 1, least_cost(model.probabilities(parameters), costs)), 1)
        assert np.array_equal(counts, wanted)
    made_small = objectives_of(surface.counts, objectives)
    below = (made_small[:, np.newaxis] <= made_small).all(axis=2)
    assert np.array_equal(below, np.eye(len(made_small), dtype=bool))


@pytest.mark.parametrize("objectives", ["rates", "misses"])
def test_the_surface_is_the_front_of_everything_counted(
    objectives: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[Any] = []
    count_draws = assignment.count_draws

    def watched(*arguments: Any) -> Any:
        counted.append(count_draws(*arguments))
        return counted[-1]

    monkeypatch.setattr(assignment, "count_draws", watched)
    surface = search(objectives=objectives).run(30)
    assert [len(counts) for counts in counted] == [1] * 10 + [20] * 30
    tried = np.unique(objectives_of(np.concatenate(counted), objectives), axis=0)
    below = (tried[:, np.newaxis] <= tried).all(axis=2)
    front = tried[below.sum(axis=0) == 1]
    assert np.array_equal(np.unique(objectives_of(surface.counts, objectives), axis=0), front)


def test_posteriors_are_worked_out_once_for_each_parameter_vector() -> None:
    asked: list[Any] = []

    class Watched(rocch.multiclass.KnnModel):
        def probabilities(self, parameters: Any) -> Any:
            asked.append(parameters)
            return super().probabilities(parameters)

    rocch.multiclass.SurfaceSearch(Watched(DATA.X, DATA.y), DATA.y, start=5).run(20)
    assert len(asked) == 25


def test_runs_can_be_cut_anywhere() -> None:
    whole = search().run(60)
    parts = search()
    for generations in (0, 20, 1, 39):
        surface = parts.run(generations)
    assert parts.generation == 60
    assert same(surface, whole)
    assert same(parts.surface, whole)


def test_runs_with_a_stop_rule_can_be_cut_too() -> None:
    options: dict[str, Any] = {"tolerance": 0.02, "patience": 20}
    whole, parts = search(), search()
    whole.run(500, **options)
    assert whole.stopped == "stagnation"
    for _ in range(100):
        parts.run(7, **options)
        if parts.stopped == "stagnation":
            break
        assert parts.stopped == "generations"
    assert parts.generation == whole.generation < 500
    assert same(parts.surface, whole.surface)


def test_stagnation_is_little_growth_over_the_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[float] = [0.0]
    add = DominatedSamples.add

    def watched(self: DominatedSamples, counts: Any) -> float:
        seen.append(add(self, counts))
        return seen[-1]

    monkeypatch.setattr(DominatedSamples, "add", watched)
    running = search()
    running.run(1000, tolerance=0.01, patience=25)
    growths = np.diff(seen)
    assert len(growths) == 1 + running.generation // 25
    assert running.generation % 25 == 0
    assert (growths[:-1] >= 0.01).all()
    assert growths[-1] < 0.01


def rest_of(running: rocch.multiclass.SurfaceSearch) -> str | None:
    running.run(5)
    return running.stopped


def test_too_many_members_end_the_run() -> None:
    running = search()
    surface = running.run(500, most_members=60)
    assert running.stopped == "members"
    assert running.generation < 500
    assert len(running) == len(surface.models) > 60
    assert rest_of(running) == "generations"


def test_a_seed_gives_the_same_surface_and_another_another() -> None:
    assert same(search(seed=3).run(10), search(seed=3).run(10))
    assert not same(search(seed=3).run(10), search(seed=4).run(10))


def test_both_engines_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = search().run(20)
    monkeypatch.setitem(SAVES_A_SECOND, "assignment", 0)
    assert same(search().run(20), plain)


def test_alphas_focus_on_the_costs_that_are_believed() -> None:
    pairs = dict.fromkeys(DATA.classes.pairs, 0.5) | {(2, 1): 100.0, (2, 3): 100.0}
    focused = np.asarray(search(alphas=pairs).run(20).costs)
    equal = np.isclose(focused[:, ~np.eye(3, dtype=bool)], 1 / 6).all(axis=1)
    assert 0 < equal.sum() < len(focused)  # the plain answers are tried all the same
    assert focused[~equal][:, 1, [0, 2]].sum(axis=1).min() > 0.9


@pytest.mark.parametrize(("given", "met"), [(10, [1] * 10), (3, [50] * 3)])
def test_random_starts_meet_one_cost_matrix_each_and_fitted_ones_all_draws(
    given: int, met: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[int] = []
    draw = searching.draw_costs

    def watched(alphas: Any, number: int, rng: np.random.Generator) -> Any:
        drawn.append(number)
        return draw(alphas, number, rng)

    monkeypatch.setattr(searching, "draw_costs", watched)
    model = rocch.multiclass.FunctionModel(
        lambda _: np.full((3, 3), 1 / 3), low={"w": 0}, high={"w": 9}, start=[{"w": 1}] * given
    )
    rocch.multiclass.SurfaceSearch(model, ["a", "b", "c"], draws=50, start=10).run(0)
    assert drawn == met


def test_a_search_that_has_not_run_has_no_surface() -> None:
    with pytest.raises(rocch.InputError, match="search must have been run"):
        _ = search().surface


def test_progress_is_told_after_each_generation(capfd: pytest.CaptureFixture[str]) -> None:
    told: list[tuple[int, int]] = []
    surface = search().run(3, verbose=lambda done, total: told.append((done, total)))
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert same(search().run(3), surface)
    assert capfd.readouterr() == ("", "")


def test_two_classes_search_the_usual_curve() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 50)
    score = 1 / (1 + np.exp(-rng.normal(size=100) - 2 * y))
    model = rocch.multiclass.KnownProbabilities({"lr": np.column_stack((1 - score, score))}, [0, 1])
    surface = rocch.multiclass.SurfaceSearch(model, y, draws=2000).run(20)
    curve = rocch.RocCurve.from_scores(y, score)
    points = set(zip(curve.false_positives.tolist(), curve.true_positives.tolist(), strict=True))
    found = {(int(c[0, 1]), int(c[1, 1])) for c in surface.counts}
    assert found <= points
    corners = {
        (x, t)
        for x, t in points
        if not any(u >= t and v <= x and (v, u) != (x, t) for v, u in points)
    }
    assert found == corners


def test_several_classifiers_share_the_surface() -> None:
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB

    train, judge = (
        rocch.multiclass.three_class_data(90, seed=2),
        rocch.multiclass.three_class_data(300, seed=3),
    )
    fitted = {
        "lr": LogisticRegression().fit(train.X, train.y),
        "nb": GaussianNB().fit(train.X, train.y),
    }
    models = rocch.multiclass.FittedModels(fitted, judge.X)
    surface = rocch.multiclass.SurfaceSearch(models, judge.y).run(40)
    assert set(surface.models) == {"lr", "nb"}
    assert surface.parameter_names == ("classifier",)
    place = surface.parameters[:, 0].astype(int)
    assert [("lr", "nb")[p] for p in place] == list(surface.models)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"objectives": "hits"}, "objectives must be one of 'rates', 'misses'; got 'hits'."),
        ({"draws": 0}, "draws must be a whole number, at least 1; got 0."),
        ({"start": 0}, "start must be a whole number, at least 1; got 0."),
        ({"seed": None}, "seed must be a whole number, at least 0; got None."),
        ({"alphas": -1}, "alphas must be a number from 0.02"),
        ({"classes": [3, 2, 1]}, "classes must be the model's, in its order (1, 2, 3); got 3, 2"),
    ],
)
def test_bad_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(rocch.InputError, match=re.escape(message)):
        search(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"generations": -1}, "generations must be a whole number, at least 0; got -1."),
        (
            {"tolerance": 0},
            "tolerance must be a number between 0 and 1, both excluded; got 0. 0.001 is usual.",
        ),
        ({"patience": 0}, "patience must be a whole number, at least 1; got 0."),
        ({"most_members": 0}, "most_members must be a whole number, at least 1; got 0."),
        ({"verbose": "bar"}, "verbose must be 0, 1, or a function of two numbers"),
    ],
)
def test_bad_runs(options: dict[str, Any], message: str) -> None:
    with pytest.raises(rocch.InputError, match=re.escape(message)):
        search().run(**({"generations": 1} | options))


def test_bad_labels_and_models() -> None:
    with pytest.raises(rocch.InputError, match="y_true must hold at least one row of every class"):
        rocch.multiclass.SurfaceSearch(knn(), DATA.y[:60])
    with pytest.raises(rocch.InputError, match="y_true must name one of the classes; got 4"):
        rocch.multiclass.SurfaceSearch(knn(), DATA.y + 1)
    with pytest.raises(rocch.InputError, match="model must be a model with start"):
        rocch.multiclass.SurfaceSearch(lambda w: w, DATA.y)  # type: ignore[arg-type]
    with pytest.raises(rocch.InputError, match="model must be a model with start"):
        rocch.multiclass.SurfaceSearch(rocch.multiclass.KnnModel, DATA.y)  # type: ignore[arg-type]
    fewer = rocch.multiclass.SurfaceSearch(knn(), DATA.y[::2])
    with pytest.raises(
        rocch.InputError,
        match="probabilities must have one value for each of the 45 rows",
    ):
        fewer.run(1)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (np.full((4, 2), 0.7), "the model's probabilities must sum to 1 in every row"),
        (np.full((4, 2), np.nan), "the model's probabilities must be probabilities"),
        (np.full((4, 3), 1 / 3), "the model's probabilities must have rows of 2 columns"),
    ],
)
def test_functions_that_return_no_posteriors_are_found_out(answer: Any, message: str) -> None:
    model = rocch.multiclass.FunctionModel(lambda _: answer, low={"w": 0}, high={"w": 1})
    with pytest.raises(rocch.InputError, match=re.escape(message)):
        rocch.multiclass.SurfaceSearch(model, ["a", "a", "b", "b"]).run(1)


def test_a_model_that_starts_with_nonsense_is_refused() -> None:
    class Nonsense(rocch.multiclass.KnnModel):
        def start(self, number: int, rng: Any) -> Any:  # noqa: ARG002 - the protocol's
            return np.ones(number)

    with pytest.raises(rocch.InputError, match=r"model.start must have rows of 2 columns"):
        rocch.multiclass.SurfaceSearch(Nonsense(DATA.X, DATA.y), DATA.y).run(1)


def test_26_classes_are_refused_with_alternatives() -> None:
    y = np.repeat(np.arange(26), 2)
    model = rocch.multiclass.KnownProbabilities({"lr": np.full((52, 26), 1 / 26)}, range(26))
    with pytest.raises(rocch.InputError, match="26 classes, which make 650 objectives"):
        rocch.multiclass.SurfaceSearch(model, y)


class Failing(rocch.multiclass.KnnModel):
    """Nearest neighbors that fail at one call, as a process that is interrupted does."""

    fails_at = -1
    calls = 0

    def probabilities(self, parameters: Any) -> Any:
        self.calls += 1
        if self.calls == self.fails_at:
            raise KeyboardInterrupt
        return super().probabilities(parameters)


@pytest.mark.parametrize("fails_at", [1, 5, 100, 101, 130])
def test_an_interrupted_search_goes_on_as_if_nothing_had_happened(fails_at: int) -> None:
    data = rocch.multiclass.three_class_data(60, seed=3)
    model = Failing(data.X, data.y)
    model.fails_at = fails_at
    search = rocch.multiclass.SurfaceSearch(model, data.y, draws=10, seed=2)
    with pytest.raises(KeyboardInterrupt):
        search.run(50)
    left = 50 - search.generation
    whole = rocch.multiclass.SurfaceSearch(
        rocch.multiclass.KnnModel(data.X, data.y), data.y, draws=10, seed=2
    ).run(50)
    assert search.run(left) == whole


def test_equal_costs_are_always_tried() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(200) % 10
    probabilities = rng.dirichlet(np.ones(10), 200) + 0.3 * np.eye(10)[y]
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    model = rocch.multiclass.KnownProbabilities({"m": probabilities}, range(10))
    surface = rocch.multiclass.SurfaceSearch(model, y, objectives="misses", draws=5).run(3)
    assert surface.errors.min() <= (probabilities.argmax(axis=1) != y).sum()


def test_a_functions_frame_is_read_by_its_names() -> None:
    import pandas as pd

    frame = pd.DataFrame(np.eye(3), columns=["a", "b", "c"])[["c", "a", "b"]]
    model = rocch.multiclass.FunctionModel(lambda _: frame, low={"p": 0}, high={"p": 1})
    found = rocch.multiclass.SurfaceSearch(model, ["a", "b", "c"]).run(1)
    assert found.fewest_errors().confusion.errors == 0


def test_other_columns_than_fitted_are_refused() -> None:
    import pandas as pd

    data = rocch.multiclass.three_class_data(60, seed=3)
    frame = pd.DataFrame(data.X, columns=["u", "v"])
    for model, vector in (
        (rocch.multiclass.KnnModel(frame, data.y), np.array([5.0, 5.0])),
        (rocch.multiclass.MlpModel(frame, data.y, hidden=1), np.zeros(9)),
    ):
        assert model.probabilities_of(vector, frame).shape == (60, 3)
        with pytest.raises(rocch.InputError, match="have the columns 'u', 'v', in this order"):
            model.probabilities_of(vector, frame[["v", "u"]])
