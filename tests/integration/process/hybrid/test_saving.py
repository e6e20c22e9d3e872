"""A hybrid that another process loads decides alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import rocch

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Run


KNOWN = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=4)


@pytest.fixture(scope="module")
def data() -> tuple[Any, Any]:
    X, y = make_classification(240, 5, flip_y=0.1, random_state=2)
    return X, y


@pytest.fixture
def saved(data: tuple[Any, Any], tmp_path: Path) -> tuple[Any, Path, str]:
    models = [("nb", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=3, random_state=0))]
    model = rocch.RocchClassifier(models, cv=3, criterion=KNOWN).fit(*data)
    path = tmp_path / "model.rocch"
    return model, path, rocch.save(model, path)


def test_another_process_decides_alike(
    saved: tuple[Any, Path, str], data: Any, run_python: Run
) -> None:
    model, path, digest = saved
    np.save(path.with_suffix(".npy"), data[0])
    code = (
        "import rocch, numpy as np;"
        f"m = rocch.load({str(path)!r}, digest={digest!r});"
        f"X = np.load({str(path.with_suffix('.npy'))!r});"
        "view = m.at(rocch.NeymanPearson(0.05), randomize=True, seed=9);"
        "print(''.join(map(str, view.predict(X))))"
    )
    done = run_python("-c", code)
    assert done.returncode == 0, done.stderr
    view = model.at(rocch.NeymanPearson(0.05), randomize=True, seed=9)
    assert done.stdout.strip() == "".join(map(str, view.predict(data[0])))
