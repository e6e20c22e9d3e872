"""Models from files that somebody else may have written."""

from __future__ import annotations

import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from rocch import InputError
from rocch.hybrid.model_files import model_bytes, read_model

X, Y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
TREE = "sklearn.tree._tree.Tree"


def test_plain_models_are_read_from_any_file() -> None:
    data = model_bytes("nb", GaussianNB().fit(X, Y), ())
    again = read_model("nb", data, (), known=False)
    assert again.predict(X).tolist() == Y


def test_raw_memory_needs_a_known_file_or_trust() -> None:
    data = model_bytes("tree", DecisionTreeClassifier().fit(X, Y), ())
    with pytest.raises(InputError, match=rf"'tree' holds raw memory .* trusted=\['{TREE}'\]"):
        read_model("tree", data, (), known=False)
    for trusted, known in (((), True), ((TREE,), False)):
        assert read_model("tree", data, trusted, known=known).predict(X).tolist() == Y


def test_damaged_files_are_refused() -> None:
    with pytest.raises(InputError, match="'x' cannot be read"):
        read_model("x", b"no zip", (), known=True)
