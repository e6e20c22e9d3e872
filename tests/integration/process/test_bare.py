"""The package without its extras: Python works, and the command says what to install."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocch.__main__ import PACKAGES

if TYPE_CHECKING:
    from tests.conftest import Run

# Python takes a module that is None for one that is not installed.
HIDE = f"import runpy, sys\nsys.modules.update(dict.fromkeys({PACKAGES!r}))\n"
FIT = """
import rocch
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

X, y = make_classification(200, random_state=0)
model = rocch.RocchClassifier([("nb", GaussianNB()), ("lr", LogisticRegression())], cv=3).fit(X, y)
costs = rocch.Conditions(prevalence=0.1, false_positive=1, false_negative=9)
print(len(model.at(costs).predict(X)), rocch.RocHull.from_scores(y, {"a": X[:, 0]}).best(costs))
"""


@pytest.mark.parametrize("arguments", [(), ("--help",), ("hull", "scores.csv", "--label", "y")])
def test_the_command_ends_with_one_line(run_python: Run, arguments: tuple[str, ...]) -> None:
    run = "runpy.run_module('rocch', run_name='__main__', alter_sys=True)"
    ended = run_python("-c", HIDE + run, *arguments)
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert ended.stderr.count("\n") == 1
    assert ended.stderr.startswith("rocch: ")
    assert "pip install 'rocch[cli]'" in ended.stderr


def test_hulls_and_classifiers_need_no_extra(run_python: Run) -> None:
    ended = run_python("-c", HIDE + FIT)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("200 ")
