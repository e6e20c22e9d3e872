"""Arrays of other libraries, with scikit-learn's dispatch on and off."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys

import pytest

STRICT = """
import array_api_strict as xp, numpy as np, rocch, sklearn
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB

rng = np.random.default_rng(0)
X, y = rng.normal(size=(80, 2)), np.arange(80) % 2
X[:, 0] += y
models = [("lda", LinearDiscriminantAnalysis()), ("nb", GaussianNB())]
wanted = rocch.RocchClassifier(models).fit(X, y).predict(X).tolist()
for device in ("CPU_DEVICE", "device1"):
    rows, labels = (xp.asarray(each, device=xp.Device(device)) for each in (X, y))
    assert rocch.auc(labels, rows[:, 0]) == rocch.auc(y, X[:, 0])
    for dispatch in (False, True):
        with sklearn.config_context(array_api_dispatch=dispatch):
            for truth in (labels, y):
                found = rocch.RocchClassifier(models).fit(rows, truth)
                assert found.predict(rows).tolist() == wanted
                rocch.RocSurfaceClassifier(models, generations=2).fit(rows, truth).predict(rows)
"""


@pytest.mark.skipif(
    importlib.util.find_spec("array_api_strict") is None, reason="needs array-api-strict"
)
def test_hybrids_are_fitted_whether_or_not_scikit_learn_dispatches() -> None:
    """In a process of its own, because SciPy reads the variable when it is imported."""
    done = subprocess.run(  # noqa: S603 - this very interpreter, on the text above
        [sys.executable, "-W", "error", "-c", STRICT],
        env={**os.environ, "SCIPY_ARRAY_API": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
