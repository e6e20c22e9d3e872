from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.frozen import FrozenEstimator

from rocch import Conditions, InputError, NeymanPearson, RocchClassifier, RocHull, load, save
from rocch.hybrid import LabelColumn, ScoreColumn
from tests.support.hybrids import hull_hybrid

RNG = np.random.default_rng(3)
Y = RNG.random(300) < 0.4
SCORES = pd.DataFrame(
    {
        "nb": Y + RNG.normal(size=300),
        "gbm": Y + 0.8 * RNG.normal(size=300),
        "rule": Y ^ (RNG.random(300) < 0.2),
    }
)
SCORES["rule"] = SCORES["rule"].astype(int)


def hybrid() -> RocchClassifier:
    models = [
        ("nb", FrozenEstimator(ScoreColumn("nb"))),
        ("gbm", FrozenEstimator(ScoreColumn("gbm"))),
        ("rule", FrozenEstimator(LabelColumn("rule"))),
    ]
    return hull_hybrid(models).fit(SCORES, Y.astype(int))


def test_a_hybrid_of_columns_has_the_hull_of_the_scores() -> None:
    hull = hybrid().hull_
    batch = RocHull.from_scores(Y, {"nb": SCORES["nb"], "gbm": SCORES["gbm"]})
    assert hull.auc >= batch.auc
    assert {"gbm", "rule"} & hull.winners


def test_it_is_saved_and_decides_the_same(tmp_path: Path) -> None:
    model = hybrid()
    save(model, tmp_path / "columns.rocch")
    again: Any = load(tmp_path / "columns.rocch")
    for aim in (Conditions(prevalence=0.1, false_positive=1, false_negative=9), NeymanPearson(0.1)):
        assert (again.at(aim).predict(SCORES) == model.at(aim).predict(SCORES)).all()
        assert (model.at(aim).rule.decide(SCORES) == model.at(aim).predict(SCORES)).all()


def test_columns_come_from_any_frame() -> None:
    column = ScoreColumn("nb")
    frame = pl.DataFrame({"nb": [0.5, 1.5]})
    assert column.decision_function(frame).tolist() == [0.5, 1.5]
    assert LabelColumn("nb", ("no", "yes")).predict(pd.DataFrame({"nb": ["yes"]})).tolist() == [
        "yes"
    ]
    assert column.fit(frame) is column
    with pytest.raises(InputError, match="X must name a column"):
        ScoreColumn("other").decision_function(frame)
    with pytest.raises(InputError, match="nb"):
        column.decision_function(pd.DataFrame({"nb": [np.nan]}))
    with pytest.raises(NotImplementedError, match="no threshold"):
        column.predict(frame)


def test_columns_are_found_by_name_in_any_order() -> None:
    view = hybrid().at(NeymanPearson(0.1))
    shuffled = SCORES[["rule", "gbm", "nb"]].assign(customer=range(300))
    assert (view.predict(shuffled) == view.predict(SCORES)).all()
    assert (view.predict(pl.DataFrame(shuffled)) == view.predict(SCORES)).all()
    with pytest.raises(InputError, match=r"X must name a column of the data; got '\w+'"):
        view.predict(SCORES[["customer"] if "customer" in SCORES else ["rule"]])
