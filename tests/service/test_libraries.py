"""Libraries of every kind are served: bounded, weighted, judged on different rows, of models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import rocch
from rocch import Conditions, RocCurve
from rocch.library import ClassifierLibrary
from rocch.service.served import ServedModel
from rocch.service.sources import LibraryExports
from tests.support.serving import asking

if TYPE_CHECKING:
    from pathlib import Path

RNG = np.random.default_rng(5)
Y = (RNG.random(300) < 0.3).astype(int)
SCORES = {
    "gbm": (RNG.normal(size=300) * (1 - 0.6 * Y) + 0.9 * Y).round(3),
    "nb": (RNG.normal(size=300) + 1.6 * Y * (RNG.random(300) < 0.75)).round(3),
}


def bounded(folder: Path) -> ClassifierLibrary:
    within = Conditions(prevalence=0.3, false_positive=(1, 2), false_negative=(1, 2))
    library = ClassifierLibrary.create(folder, within=within)
    library.add_scores(Y, SCORES)
    return library


def weighted(folder: Path) -> ClassifierLibrary:
    library = ClassifierLibrary.create(folder)
    library.add_scores(Y, SCORES, sample_weight=RNG.integers(1, 4, size=300) / 2)
    return library


def of_different_rows(folder: Path) -> ClassifierLibrary:
    library = ClassifierLibrary.create(folder)
    library.add_scores(Y, {"gbm": SCORES["gbm"]})
    library.add_scores(Y[:200], {"nb": SCORES["nb"][:200]}, allow_different_rows=True)
    return library


def of_labels(folder: Path) -> ClassifierLibrary:
    library = ClassifierLibrary.create(folder)
    library.add_scores(Y, SCORES)
    wrong = RNG.random(300) < 0.02
    library.add(RocCurve.from_labels(Y, Y ^ wrong, name="rules"))
    return library


@pytest.mark.parametrize("make", [bounded, weighted, of_different_rows, of_labels])
def test_it_is_served(tmp_path: Path, make: Any) -> None:
    library = make(tmp_path / "library")
    export = library.export()
    newest = LibraryExports(library).newest()
    assert newest is not None
    model: Any = rocch.load(export.path)
    columns = {name: column.tolist() for name, column in SCORES.items()}
    columns["rules"] = Y.tolist()
    aim = {"prevalence": 0.3, "false_positive": 1.5, "false_negative": 1}
    with asking(ServedModel.load(newest)) as service:
        answer = service.decide(scores=columns, question=aim)
        rule = model.at(Conditions(**aim)).rule
        assert answer["rule"]["words"] == rule.words
        assert answer["decisions"] == rule.decide(columns).tolist()
        hull = service.get("/v1/hull").json()
        assert len(hull["vertices"]) == len(library.hull)
        assert (hull["auc"] is None) == (make is bounded)
        judged = library.hull.totals
        assert sum(hull["judged"].values()) == pytest.approx(judged.total)
        status = service.get("/v1/status")
        assert status.status_code == 200, status.text
        assert service.get("/v1/best").status_code == 200
        assert service.get("/metrics").status_code == 200
        assert service.put("/v1/conditions", {"question": aim}).status_code == 200
        observed = service.put("/v1/conditions", {"question": {**aim, "prevalence": "observed"}})
        expected = 422 if make is of_different_rows else 200
        assert observed.status_code == expected, observed.text
        outside = {"question": {**aim, "false_positive": 50}}
        refused = service.put("/v1/conditions", outside).status_code
        assert refused == (422 if make is bounded else 200)


@pytest.mark.parametrize(
    ("scale", "meaning"), [(1.0, "scores as recorded"), (0.0, "probabilities as recorded")]
)
def test_columns_are_named_by_what_the_stack_takes(
    tmp_path: Path, scale: float, meaning: str
) -> None:
    columns = {
        name: column if scale else (1 / (1 + np.exp(-column))).round(6)
        for name, column in SCORES.items()
    }
    library = ClassifierLibrary.create(tmp_path / "library")
    library.add_scores(Y, columns, stack=True)
    library.export()
    newest = LibraryExports(library).newest()
    assert newest is not None
    aim = {"prevalence": 0.3, "false_positive": 1.5, "false_negative": 1}
    body = {"scores": {name: [0.3, 1.7] for name in columns}, "question": aim}
    with asking(ServedModel.load(newest)) as service:
        answer = service.post("/v1/decide", body)
        if scale:
            assert set(answer.json()["rule"]["scores"].values()) == {meaning}
        else:
            assert "be probabilities, from 0 to 1; got 1.7" in answer.json()["error"]["message"]
            inside = {**body, "scores": {name: [0.3, 1] for name in columns}}
            found = service.post("/v1/decide", inside).json()["rule"]["scores"]
            assert set(found.values()) == {meaning}


def test_beyond_bounds_it_says_what_can_be_asked(tmp_path: Path) -> None:
    bounded(tmp_path / "library").export()
    newest = LibraryExports(ClassifierLibrary(tmp_path / "library")).newest()
    assert newest is not None
    hint = (
        "Ask for costs and prevalence within them; limits and all else need a model or library "
        "without bounds."
    )
    columns = {name: column.tolist() for name, column in SCORES.items()}
    beyond = {"prevalence": 0.3, "false_positive": 1, "false_negative": 50}
    with asking(ServedModel.load(newest)) as service:
        # costs and balance count together
        service.decide(scores=columns, question=beyond | {"prevalence": 0.3 / 50})
        for question in ({"max_fpr": 0.1}, beyond):
            body = {"scores": columns, "question": question}
            assert service.refused("/v1/decide", body)["hint"] == hint
