"""Saving multi-class hybrids: exact, and refusing whatever is not as it was saved."""

from __future__ import annotations

import io
import json
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import rocch
from rocch import InputError
from rocch.hybrid.model_files import pack

if TYPE_CHECKING:
    from pathlib import Path

DATA = rocch.multiclass.three_class_data(150, seed=2)
CLASSES = np.unique(DATA.y).tolist()
PAIRS = [(k, j) for k in CLASSES for j in CLASSES if k != j]


def models() -> list[tuple[str, Any]]:
    return [
        ("lr", LogisticRegression()),
        ("tree", DecisionTreeClassifier(max_depth=3, random_state=0)),
        ("near", rocch.hybrid.KnnFamily(most_neighbors=30)),
        ("net", rocch.hybrid.MlpFamily(hidden=3)),
    ]


@pytest.fixture(scope="module")
def fitted() -> rocch.RocSurfaceClassifier:
    aim = rocch.CostMatrix(dict.fromkeys(PAIRS, 2.0))
    alphas = {PAIRS[0]: 3.0}
    return rocch.RocSurfaceClassifier(
        models(), generations=60, draws=30, costs=aim, alphas=alphas
    ).fit(DATA.X, DATA.y)


def test_a_loaded_model_is_the_same(fitted: rocch.RocSurfaceClassifier, tmp_path: Path) -> None:
    digest = rocch.save(fitted, tmp_path / "m.rocch")
    again = rocch.load(tmp_path / "m.rocch", digest=digest)
    assert isinstance(again, rocch.RocSurfaceClassifier)
    assert again.surface_.counts.tolist() == fitted.surface_.counts.tolist()
    assert again.surface_.models == fitted.surface_.models
    assert again.costs == fitted.costs
    assert again.alphas == fitted.alphas
    X = rocch.multiclass.three_class_data(420, seed=3).X
    assert (again.predict(X) == fitted.predict(X)).all()
    rng = np.random.default_rng(0)
    for _ in range(40):
        costs = rocch.CostMatrix(dict(zip(PAIRS, rng.exponential(size=6).tolist(), strict=True)))
        one, two = fitted.at(costs), again.at(costs)
        assert one.point.expected_cost == two.point.expected_cost
        assert one.point.member.model == two.point.member.model
        assert (one.predict(X) == two.predict(X)).all()


@pytest.mark.parametrize(
    ("costs", "priors", "limits"),
    [
        (rocch.CostMatrix(dict.fromkeys(PAIRS, 1.5)), "observed", None),
        (rocch.CostMatrix(dict.fromkeys(PAIRS, 1)), dict.fromkeys(CLASSES, 1 / 3), {PAIRS[1]: 0.5}),
        (
            rocch.multiclass.DirichletBelief(dict.fromkeys(PAIRS, 2.0)),
            "observed",
            {CLASSES[0]: 0.9},
        ),
    ],
)
def test_a_loaded_view_aims_alike(
    fitted: rocch.RocSurfaceClassifier, tmp_path: Path, costs: Any, priors: Any, limits: Any
) -> None:
    view = fitted.at(costs, priors, limits=limits)
    rocch.save(view, tmp_path / "v.rocch")
    again = rocch.load(tmp_path / "v.rocch")
    assert isinstance(again, rocch.hybrid.AimedSurface)
    assert again.point.expected_cost == view.point.expected_cost
    assert (again.predict(DATA.X) == view.predict(DATA.X)).all()


def test_text_labels_and_feature_names(tmp_path: Path) -> None:
    import pandas as pd

    X = pd.DataFrame(DATA.X, columns=["u", "v"])
    y = np.array(["cat", "dog", "eel"])[np.unique(DATA.y, return_inverse=True)[1]]
    model = rocch.RocSurfaceClassifier([("nb", GaussianNB())], generations=5).fit(X, y)
    rocch.save(model, tmp_path / "m.rocch")
    again = rocch.load(tmp_path / "m.rocch")
    assert (again.predict(X) == model.predict(X)).all()
    assert again.feature_names_in_.tolist() == ["u", "v"]
    assert again.classes_.tolist() == ["cat", "dog", "eel"]


def parts(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {n: archive.read(n) for n in archive.namelist() if n != "digests.json"}


@pytest.mark.parametrize(
    "damage",
    ["counts", "floats", "classes", "objectives", "truths", "models", "weights", "intercepts"],
)
def test_data_that_make_no_model_are_refused(
    fitted: rocch.RocSurfaceClassifier, tmp_path: Path, damage: str
) -> None:
    rocch.save(fitted, tmp_path / "m.rocch")
    files = parts(tmp_path / "m.rocch")
    manifest = json.loads(files["manifest.json"])
    array = manifest["truths" if damage == "truths" else "counts"]["file"]
    if damage == "counts":
        file = io.BytesIO()
        np.save(file, np.zeros((3, 2)))
        files[array] = file.getvalue()
    elif damage in ("floats", "classes"):
        counts = np.load(io.BytesIO(files[array]))
        file = io.BytesIO()
        np.save(file, counts.astype(float) if damage == "floats" else counts[:, :2, :2])
        files[array] = file.getvalue()
    elif damage == "objectives":
        manifest["objectives"] = "everything"
    elif damage == "truths":
        del files[array]
    elif damage == "weights":
        manifest["stack"]["weights"] = {"unknown": 1.0}
    elif damage == "intercepts":
        manifest["stack"]["intercepts"][1] = 1e999
    else:
        manifest["models"] = {}
    files["manifest.json"] = json.dumps(manifest).encode()
    (tmp_path / "bad.rocch").write_bytes(pack(files))
    reason = {
        "floats": "the counts must be confusion",
        "classes": "the counts must be confusion",
        "weights": "there is no model for 'unknown'",
    }.get(damage, "")
    with pytest.raises(InputError, match=rf"data that make no model \({reason}"):
        rocch.load(tmp_path / "bad.rocch")


def test_an_unfitted_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not fitted"):
        rocch.save(rocch.RocSurfaceClassifier(models()), tmp_path / "m.rocch")


def test_a_belief_as_costs_and_a_series_as_priors_are_saved(tmp_path: Path) -> None:
    import pandas as pd

    belief = rocch.multiclass.DirichletBelief(dict.fromkeys(PAIRS, 2.0))
    shares = pd.Series({1: 0.5, 2: 0.25, 3: 0.25})
    model = rocch.RocSurfaceClassifier(
        [("nb", GaussianNB())], generations=3, costs=belief, priors=shares
    ).fit(DATA.X, DATA.y)
    rocch.save(model, tmp_path / "m.rocch")
    again = rocch.load(tmp_path / "m.rocch")
    assert again.costs == belief
    assert again.priors == shares.to_dict()
    assert (again.predict(DATA.X) == model.predict(DATA.X)).all()


def test_settings_that_are_no_plain_data_go_beside_the_models(tmp_path: Path) -> None:
    from sklearn.model_selection import StratifiedKFold

    model = rocch.RocSurfaceClassifier(
        [("nb", GaussianNB())], generations=3, cv=StratifiedKFold(3)
    ).fit(DATA.X, DATA.y)
    rocch.save(model, tmp_path / "m.rocch")
    assert rocch.load(tmp_path / "m.rocch").cv.n_splits == 3
