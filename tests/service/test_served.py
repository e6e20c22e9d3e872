"""Exports of models: features go in, and what models cannot score is refused."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import rocch
from rocch import Question
from rocch.service.served import RULES_KEPT, ServedModel
from rocch.service.sources import Version
from tests.support.serving import Asking, asking, of_columns, served

X, Y = make_classification(400, 4, random_state=3)
MODEL = rocch.RocchClassifier([("nb", GaussianNB()), ("lr", LogisticRegression())]).fit(X, Y)
FEATURES = {str(place): X[:30, place].tolist() for place in range(4)}


@pytest.fixture(scope="module")
def ask() -> Iterator[Asking]:
    with asking(served(MODEL)) as running:
        yield running


def test_features_are_scored_by_the_models(ask: Asking) -> None:
    response = ask.decide(features=FEATURES, question={"max_fpr": 0.1})
    assert response["decisions"] == MODEL.at(rocch.NeymanPearson(0.1)).predict(X[:30]).tolist()
    coin: dict[str, Any] = {
        "question": {"max_fpr": 0.1, "randomize": True},
        "row_keys": list(range(30)),
    }
    response = ask.decide(features=FEATURES, **coin)
    today = MODEL.at(rocch.NeymanPearson(0.1), randomize=True)
    assert response["decisions"] == today.predict(X[:30], row_key=list(range(30))).tolist()


def test_scores_do_as_well(ask: Asking) -> None:
    rule = MODEL.at(rocch.NeymanPearson(0.1)).rule
    scores = {name: MODEL.hybrid_.components[name].scores(X[:30]).tolist() for name in rule.models}
    response = ask.decide(scores=scores, question={"max_fpr": 0.1})
    assert (
        response["decisions"]
        == ask.decide(features=FEATURES, question={"max_fpr": 0.1})["decisions"]
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"0": None}, "none for '0'"),
        ({"4": [1.0] * 30}, "known name"),
        ({"0": [1.0] * 29}, "one value for each"),
        ({"0": ["a"] * 30}, "such as the models were fitted on"),
        ({"0": [None] * 30}, "such as the models were fitted on"),
        ({"0": [{}] * 30}, "numbers, texts"),
    ],
)
def test_features_that_cannot_be_scored(ask: Asking, change: dict[str, Any], words: str) -> None:
    features = {name: c for name, c in {**FEATURES, **change}.items() if c is not None}
    error = ask.refused("/v1/decide", {"features": features})
    assert error["code"] == "bad_input"
    assert error["argument"].startswith("features")
    assert words in error["message"]


def test_a_score_that_is_no_number_is_no_decision(ask: Asking) -> None:
    huge = {name: [1e308, -1e308] for name in FEATURES}
    error = ask.refused("/v1/decide", {"features": huge, "question": {"knob": 0.5}})
    assert error["argument"] == "features"


def test_named_features_of_several_kinds() -> None:
    frame = pd.DataFrame({"age": X[:, 0], "sex": np.where(X[:, 1] > 0, "f", "m")})
    encode = make_column_transformer((OneHotEncoder(), ["sex"]), remainder="passthrough")
    pipeline = make_pipeline(encode, LogisticRegression())
    model = rocch.RocchClassifier([("lr", pipeline)]).fit(frame, Y)
    with asking(served(model)) as ask:
        response = ask.decide(features={"sex": frame["sex"].tolist(), "age": frame["age"].tolist()})
        assert response["decisions"] == model.predict(frame).tolist()
        error = ask.refused("/v1/decide", {"features": {"age": [1.0], "sex": ["x"]}})
        assert "unknown categories" in error["message"]


def test_models_that_take_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    from threading import Event

    done = Event()
    monkeypatch.setattr(GaussianNB, "predict_proba", lambda *_: done.wait(5))
    monkeypatch.setattr(LogisticRegression, "predict_proba", lambda *_: done.wait(5))
    with asking(served(MODEL), decide_seconds=0.02) as ask:
        body = {"features": FEATURES, "question": {"max_fpr": 0.1}}
        error = ask.refused("/v1/decide", body, 503)
        assert error["code"] == "timeout"
        done.set()


def test_an_export_of_columns_takes_none() -> None:
    export = served(of_columns())
    assert not export.takes_features
    assert served(MODEL).takes_features
    with pytest.raises(rocch.InputError, match="Send scores of gbm, nb, rules"):
        export.batch(features={"a": [1]})
    with pytest.raises(rocch.InputError, match="neither"):
        export.batch()


def test_alarms_are_as_likely_as_the_hybrid_says() -> None:
    export = served(MODEL)
    today = MODEL.at(rocch.NeymanPearson(0.1), randomize=True)
    batch = export.batch(features=FEATURES)
    expected = today.decision_probability(X[:30])
    assert export.at(today.point).decision_probability(batch).tolist() == expected.tolist()


def test_aims_are_kept_but_not_all() -> None:
    export = served(MODEL)
    one = export.rule_for(Question(knob=0.5))
    assert export.rule_for(Question.from_dict({"knob": 0.5})) is one
    assert export.rule_for(Question(knob=0.5, randomize=True), randomize=False) is one
    coin = export.rule_for(Question(knob=0.5), randomize=True)
    assert coin is export.rule_for(Question(knob=0.5, randomize=True))
    assert coin is not one
    belief = Question(prevalence=0.1, cost_ratio=(5, 10))
    assert export.rule_for(belief) is export.rule_for(Question(**belief.given))
    for place in range(RULES_KEPT + 10):
        export.rule_for(Question(knob=place / 1000))
    assert export._rules.cache_info().currsize == RULES_KEPT
    again = export.rule_for(Question(knob=0.5))
    assert again is not one
    assert again.digest == one.digest
    assert again.digest != export.rule_for(Question(knob=0)).digest


def saved(model: Any, path: Path, version: int = 3) -> Any:
    digest = rocch.save(model, path)
    about = (path, digest, "2026-03-02T09:00:00Z", "x", version)
    return Version(*about, read=path.read_bytes)


def test_an_export_is_loaded_if_it_is_what_was_saved(tmp_path: Path) -> None:
    export = saved(MODEL, tmp_path / "model.rocch")
    loaded = ServedModel.load(export, seed=4)
    assert (loaded.version, loaded.sha256, loaded.seed) == (3, export.sha256, 4)
    assert loaded.hull == MODEL.hull_
    with pytest.raises(rocch.InputError):
        ServedModel.load(replace(export, sha256="0" * 64))


def test_the_hull_for_programs(ask: Asking) -> None:
    response = ask.get("/v1/hull", "viewer").json()
    hull = MODEL.hull_
    assert [vertex["fpr"] for vertex in response["vertices"]] == hull.fpr.tolist()
    assert [vertex["rule"] for vertex in response["vertices"]] == [v.rule() for v in hull]
    assert response["slope_ranges"][0]["low"] == 0
    assert response["slope_ranges"][-1]["high"] == "inf"
    assert response["judged"] == {"negatives": int((Y == 0).sum()), "positives": int(Y.sum())}
