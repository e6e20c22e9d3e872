"""A fitted hybrid says what to expect of its choices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, RepeatedStratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import rocch
from tests.support.hybrids import hull_hybrid

KNOWN = rocch.Conditions(prevalence="observed", false_positive=1, false_negative=4)
MODELS = [
    ("lr", LogisticRegression()),
    ("nb", GaussianNB()),
    ("tree", DecisionTreeClassifier(max_depth=1, random_state=0)),
]


@pytest.fixture(scope="module")
def rows() -> tuple[Any, Any]:
    X, y = make_classification(300, 8, weights=[0.7], flip_y=0.2, random_state=0)
    return X, y


def test_it_is_the_choice_among_all_models_on_out_of_fold_rows(rows: tuple[Any, Any]) -> None:
    model = hull_hybrid(MODELS).fit(*rows)
    honest = model.out_of_sample_choice(KNOWN, replicates=100)
    assert honest.choice == model.hull_.best(KNOWN)
    assert set(honest.wins) == {"lr", "nb", "tree"}
    judged = model.out_of_fold_
    assert (
        honest.wins
        == rocch.stats.out_of_sample_choice(
            judged.positive, judged.scores, KNOWN, replicates=100
        ).wins
    )
    assert honest.out_of_sample_cost > honest.apparent_cost


def test_repeated_splits_are_no_further_evidence(rows: tuple[Any, Any]) -> None:
    splits = RepeatedStratifiedKFold(n_splits=3, n_repeats=3, random_state=0)
    repeated = hull_hybrid(MODELS, cv=splits).fit(*rows)
    honest = repeated.out_of_sample_choice(KNOWN, replicates=100)
    once = hull_hybrid(MODELS, cv=3).fit(*rows).out_of_sample_choice(KNOWN, replicates=100)
    width, other = (found.interval.high - found.interval.low for found in (honest, once))
    assert width == pytest.approx(other, rel=0.25)


def test_groups_stay_together(rows: tuple[Any, Any]) -> None:
    X, y = (np.repeat(part, 3, axis=0) for part in rows)
    groups = np.repeat(np.arange(300), 3)
    model = hull_hybrid(MODELS[:2], cv=GroupKFold(4)).fit(X, y, groups=groups)
    told = model.out_of_sample_choice(KNOWN, replicates=100)
    judged = model.out_of_fold_
    alone = rocch.stats.out_of_sample_choice(judged.positive, judged.scores, KNOWN, replicates=100)
    assert told.interval.high - told.interval.low > 1.4 * (alone.interval.high - alone.interval.low)


@pytest.mark.filterwarnings("ignore::rocch.PositiveClassWarning")
def test_loaded_weighted_and_guessed_models_refuse(rows: tuple[Any, Any], tmp_path: Any) -> None:
    model = hull_hybrid(MODELS[:2]).fit(*rows)
    rocch.save(model, tmp_path / "model.rocch")
    loaded = rocch.load(tmp_path / "model.rocch")
    with pytest.raises(rocch.InputError, match="have the rows that its hull"):
        loaded.out_of_sample_choice(KNOWN)
    weighted = hull_hybrid(MODELS[:2]).fit(*rows, sample_weight=np.ones(300) + rows[1])
    with pytest.raises(rocch.InputError, match="without weights"):
        weighted.out_of_sample_choice(KNOWN)
    words = np.where(rows[1], "bad", "good")
    guessed = hull_hybrid(MODELS[:2]).fit(rows[0], words)
    with pytest.raises(rocch.InputError, match="pos_label"):
        guessed.out_of_sample_choice(KNOWN)
