"""A saved model decides over HTTP as it does in Python, and is replaced while it is served."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import rocch
from rocch import Conditions, NeymanPearson, Question
from rocch.numbers import money
from rocch.service import Settings, create_app, open_service
from rocch.service.policy import Watcher
from tests.support.serving import TOKENS, Asking, OwnLoop, aim_of, served

DATA, Y = make_classification(600, 5, n_informative=4, n_redundant=0, flip_y=0.2, random_state=3)
X = pd.DataFrame(DATA.round(4), columns=["age", "income", "visits", "debt", "rate"])
NEW = X.iloc[:200]
ESTIMATORS = [
    ("nb", GaussianNB()),
    ("lr", LogisticRegression()),
    ("forest", RandomForestClassifier(20, max_depth=4, random_state=0)),
]
COSTS: dict[str, Any] = {"prevalence": 0.2, "false_positive": 1, "false_negative": 4}
KNOWN = Conditions(**COSTS)
QUESTIONS: list[dict[str, Any]] = [
    COSTS,
    {"prevalence": [0.1, 0.3], "false_positive": 1, "false_negative": [2, 8]},
    {"false_positive": 1, "cost_ratio": [2, 10], "likely": 5},
    {"max_fpr": 0.1},
    {"max_fpr": 0.25, "confidence": 0.9},
    {"knob": 0.4},
    {"maximize": "f1", "prevalence": 0.3},
]
MODEL = rocch.RocchClassifier(ESTIMATORS).fit(X, Y)
EXACT = rocch.RocchClassifier(ESTIMATORS, exact=True).fit(X, Y)


@contextmanager
def serving(path: Path, **settings: Any) -> Iterator[Asking]:
    service = open_service(path, Settings(**settings), environment={})
    service.tokens = TOKENS
    with OwnLoop() as loop:
        try:
            yield Asking(service, create_app(service), loop)
        finally:
            service.close()


def columns(frame: pd.DataFrame) -> dict[str, Any]:
    listed: dict[str, Any] = frame.to_dict("list")
    return listed


@pytest.fixture
def path(tmp_path: Path) -> Path:
    rocch.save(MODEL, tmp_path / "model.rocch")
    return tmp_path / "model.rocch"


@pytest.mark.parametrize("model", [MODEL, EXACT], ids=["for new rows", "exact"])
def test_it_decides_as_in_python(model: rocch.RocchClassifier, tmp_path: Path) -> None:
    assert model.stack_ is not None
    rocch.save(model, tmp_path / "model.rocch")
    with serving(tmp_path / "model.rocch") as ask:
        response = ask.decide(features=columns(NEW))
        assert response["decisions"] == model.predict(NEW).tolist()
        assert response["model"]["version"] == 1
        differ = 0
        for fields in QUESTIONS:
            today = model.at(Question.from_dict(fields), exact=model.exact)
            response = ask.decide(features=columns(NEW), question=fields)
            assert response["decisions"] == today.predict(NEW).tolist(), fields
            assert response["rule"]["words"] == str(today.rule)
            scores = columns(model.scores(NEW))
            assert ask.decide(scores=scores, question=fields)["decisions"] == response["decisions"]
            other = model.at(Question.from_dict(fields), exact=not model.exact)
            differ += str(other.rule) != str(today.rule)
        assert differ >= 2  # so whether it is exact does matter here


def test_an_exact_model_also_refers_exactly(tmp_path: Path) -> None:
    rocch.save(EXACT, tmp_path / "model.rocch")
    loaded: Any = rocch.load(tmp_path / "model.rocch")
    fields = {**COSTS, "refer_cost": 0.3}
    with serving(tmp_path / "model.rocch") as ask:
        response = ask.decide(features=columns(NEW), question=fields)
    today = loaded.refer(KNOWN, cost=0.3, exact=True)
    assert response["decisions"] == today.predict(NEW).tolist()
    assert str(today.rule) != str(loaded.refer(KNOWN, cost=0.3).rule)


@pytest.mark.parametrize(
    "view",
    [
        MODEL.at(KNOWN),
        MODEL.at(KNOWN, exact=True),
        MODEL.at(NeymanPearson(0.1)),
        MODEL.at(MODEL.hull_.vertices[2]),
        MODEL.refer(KNOWN, cost=0.3),
        MODEL.refer(KNOWN, cost=0.3, exact=True),
        rocch.RocchClassifier(ESTIMATORS, criterion=KNOWN).fit(X, Y),
    ],
    ids=["costs", "exact", "limit", "point", "referral", "exact referral", "criterion"],
)
def test_a_saved_view_is_the_aim_at_the_start(view: Any, tmp_path: Path) -> None:
    rocch.save(view, tmp_path / "model.rocch")
    with serving(tmp_path / "model.rocch") as ask:
        response = ask.decide(features=columns(NEW))
        assert response["decisions"] == view.predict(NEW).tolist()
        assert response["aim"] == aim_of("default", None)
        exact = view.exact
        again = ask.decide(features=columns(NEW), question={"knob": 0.4})
        assert again["decisions"] == MODEL.at(Question(knob=0.4), exact=exact).predict(NEW).tolist()
        costs = ask.decide(features=columns(NEW), question=COSTS)
        assert costs["decisions"] == MODEL.at(KNOWN, exact=exact).predict(NEW).tolist()
        for route in ("/v1/status", "/v1/best", "/v1/hull", "/metrics"):
            answer = ask.get(route)
            assert answer.status_code == 200, answer.text
        put = ask.put("/v1/conditions", {"question": COSTS, "tuning": "advise"})
        assert put.status_code == 200, put.text
        event = {"kind": "outcomes", "event_id": "a", "complete": True}
        rows = {"features": columns(NEW), "outcomes": Y[:200].tolist()}
        answer = ask.post("/v1/feedback", event | rows)
        assert answer.status_code == 200, answer.text


def test_a_view_that_randomizes_tosses_its_own_coins(tmp_path: Path) -> None:
    keyed = X.assign(id=[f"row {place}" for place in range(len(X))])
    model = rocch.RocchClassifier(ESTIMATORS, row_key="id").fit(keyed, Y)
    view = model.at(NeymanPearson(0.12), randomize=True, seed=11)
    rocch.save(view, tmp_path / "model.rocch")
    new = keyed.iloc[:200]
    with serving(tmp_path / "model.rocch") as ask:
        response = ask.decide(features=columns(new))
        assert response["decisions"] == view.predict(new).tolist()
        assert response["coin"]["seed"] == 11
        features = columns(NEW)
        assert ask.decide(features=features, row_keys=new["id"].tolist())["coin"] is not None
        error = ask.refused("/v1/decide", {"features": features})
        assert error["argument"] == "row_keys"
        plain = ask.decide(features=features, question={"randomize": False})
        today = model.at(NeymanPearson(0.12))
        assert plain["decisions"] == today.predict(new).tolist()
        assert plain["coin"] is None
    with serving(tmp_path / "model.rocch", seed=3) as ask:
        other = model.at(NeymanPearson(0.12), randomize=True, seed=3)
        decided = ask.decide(features=columns(new))["decisions"]
        assert decided == other.predict(new).tolist() != response["decisions"]


def look(ask: Asking) -> None:
    source = ask.service.source
    assert source is not None
    ask.wait(Watcher(ask.service, source).look())


def test_a_replaced_file_takes_over_and_an_unfit_one_does_not(path: Path) -> None:
    content = path.read_bytes()
    with serving(path) as ask:
        look(ask)
        first = ask.decide(features=columns(NEW))
        assert first["model"]["version"] == 1
        digest = rocch.save(EXACT, path)
        look(ask)
        second = ask.decide(features=columns(NEW), question=COSTS)
        assert second["model"] == {"version": 2, "sha256": digest}
        assert second["decisions"] == EXACT.at(KNOWN, exact=True).predict(NEW).tolist()
        for damage in (b"no model", content[:-50]):
            path.write_bytes(damage)
            look(ask)
            health = ask.get("/v1/health", None).json()
            assert health == {
                "status": "degraded",
                "model_version": 2,
                "problems": ["the new file"],
            }
            warning = ask.get("/v1/status").json()["warnings"][0]
            assert warning["code"] == "version_pending"
            assert warning["message"].startswith("The new file is not in service")
        path.unlink()
        look(ask)
        assert ask.get("/v1/health").json()["problems"] == [
            "the new file",
            "the file cannot be read",
        ]
        assert ask.decide(features=columns(NEW))["model"]["version"] == 2
        path.write_bytes(content)  # the first one again
        look(ask)
        assert ask.get("/v1/health").json()["status"] == "ok"
        again = ask.decide(features=columns(NEW))
        assert again["model"] == first["model"]
        assert again["decisions"] == first["decisions"]
        ask.service.take_over(served())
    with serving(path) as ask:
        assert ask.service.served.version == 1


def test_other_labels_do_not_take_over(path: Path) -> None:
    names = np.array(["good", "poor"])[Y]
    other = rocch.RocchClassifier([("nb", GaussianNB())], pos_label="poor").fit(X, names)
    with serving(path) as ask:
        rocch.save(other, path)
        look(ask)
        pending = ask.get("/v1/status").json()["model"]["pending"]
        assert "its labels must be 0 and 1" in pending["problem"]


def test_what_it_keeps_is_where_it_is_told(path: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    service = open_service(path, state=elsewhere, environment={})
    assert service.tokens_file == elsewhere / "tokens.json"
    service.close()
    assert not (tmp_path / "model.rocch.service").exists()
    with pytest.raises(rocch.InputError, match="be a folder that can be written"):
        open_service(path, state=tmp_path / "none" / "deeper", environment={})
    with pytest.raises(rocch.InputError, match="be a folder that can be written"):
        open_service(path, state=path, environment={})


def test_the_status_names_the_features(path: Path) -> None:
    with serving(path) as ask:
        model = ask.get("/v1/status").json()["model"]
        assert model["features"] == list(X)
        assert model["classifiers"] == sorted(MODEL.kept_)
        assert model["saved_at"].endswith("Z")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"age": None}, "features must have a column for each feature; got none for 'age'"),
        ({"size": [1.0] * 200}, "features.size must be a known name"),
        ({"age": ["old"] * 200}, "must be such as the models were fitted on"),
        ({"debt": [None] * 200}, "ValueError: Input X contains NaN. Send numbers where"),
        ({"debt": 1.0}, "features.debt must be a list with one value for each row; got 1.0. Two"),
        ({"debt": [1.0]}, "must have one value for each"),
        ({"age": [True] * 199 + [[]]}, "numbers, texts, flags or null"),
    ],
)
def test_features_that_do_not_fit(path: Path, change: dict[str, Any], words: str) -> None:
    sent = {name: each for name, each in {**columns(NEW), **change}.items() if each is not None}
    with serving(path) as ask:
        error = ask.refused("/v1/decide", {"features": sent})
        assert words in error["message"]
        assert ask.decide(features=columns(NEW))["rows"] == 200


QUERY = "/v1/best?prevalence=0.2&false_positive=1&false_negative=4"


@pytest.mark.parametrize(
    ("typed", "baseline"),
    [
        ("nb:0.3", ("nb", 0.3)),
        ("lr", "lr"),
        ("stack", "stack"),
        ("stack:0.4", ("stack", 0.4)),
    ],
)
def test_savings_against_todays_rule(typed: str, baseline: Any, path: Path) -> None:
    wanted = MODEL.at(KNOWN).savings(baseline).rows[0]  # which knows the rows
    with serving(path) as ask:
        answer = ask.get(f"{QUERY}&baseline={typed}")
        assert answer.status_code == 200, answer.text
        found = answer.json()["point"]["savings"]["baselines"][0]
        assert found["baseline"] == wanted.baseline
        assert found["cost"] == pytest.approx(wanted.cost, rel=1e-12)
        assert found["saves"] == pytest.approx(wanted.saves, rel=1e-9)
        low, high = found["saves_interval"]
        least, most = wanted.saves_interval
        assert low <= least + 1e-12
        assert high >= most - 1e-12
        usual = ask.get(QUERY).json()["point"]["savings"]["baselines"]
        assert usual[0]["baseline"] != found["baseline"] or typed == "stack"


@pytest.mark.parametrize(
    ("query", "words"),
    [
        (f"{QUERY}&baseline=rules:0.5", "baseline must name one of the models; got 'rules'"),
        (f"{QUERY}&baseline=0.5", "For example: baseline="),
        ("/v1/best?max_fpr=0.1&baseline=nb:0.5", "the choice has an expected cost on new rows"),
        (f"{QUERY}&refer_cost=0.3&baseline=nb:0.5", "one that refers cases to a person"),
        (f"{QUERY}&baseline=nb:nan", "baseline must name one of the models; got 'nb:nan'"),
    ],
)
def test_rules_that_it_cannot_be_compared_with(query: str, words: str, path: Path) -> None:
    with serving(path) as ask:
        answer = ask.get(query)
        assert answer.status_code == 422, answer.text
        error = answer.json()["error"]
        assert (error["argument"], words in error["message"]) == ("baseline", True), error


def counted(model: rocch.RocchClassifier, name: str, threshold: float) -> tuple[float, float]:
    """Return FPR and TPR by counting out-of-fold scores."""
    scores = model.out_of_fold_.scores[name]
    alarms = np.asarray(scores, dtype=float) >= threshold
    return float(alarms[Y == 0].mean()), float(alarms[Y == 1].mean())


RANGE: dict[str, Any] = {"prevalence": 0.2, "false_positive": 1, "false_negative": [3, 5]}
AMOUNTS = {"currency": "EUR", "cases_per_month": 500}


@pytest.mark.parametrize(
    ("model", "fields"),
    [(EXACT, COSTS), (EXACT, RANGE), (MODEL, RANGE)],
    ids=["exact", "exact, range", "range"],
)
def test_without_rows_savings_are_counted_on_the_evaluation_rows(
    model: rocch.RocchClassifier, fields: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "model.rocch"
    rocch.save(model, path)
    with serving(path) as ask:
        assert ask.put("/v1/conditions", {"question": {**fields, **AMOUNTS}}).status_code == 200
        found = ask.get("/v1/best?baseline=nb:0.3").json()["point"]
        page = ask.get("/v1/status").json()["in_force"]["point"]["savings"]
    savings = found["savings"]
    assert (savings["on"], savings["per"], savings["currency"]) == (
        "evaluation rows",
        "month",
        "EUR",
    )
    assert "were not kept" in savings["note"]
    rows = {row["baseline"]: row for row in savings["baselines"]}
    assert [row["baseline"] for row in page["baselines"]] == list(rows)[1:]
    rates = {
        "today's rule, nb >= 0.3": counted(model, "nb", 0.3),
        "never alarming": (0.0, 0.0),
        "always alarming": (1.0, 1.0),
    }
    misses = np.atleast_1d(fields["false_negative"])
    for name, (fpr, tpr) in rates.items():
        costs = 500 * (0.8 * fpr + 0.2 * (1 - tpr) * misses)
        own = 500 * (0.8 * found["fpr"] + 0.2 * (1 - found["tpr"]) * misses)
        ends = sorted(costs - own)
        row = rows[name]
        assert row["saves"] == pytest.approx(np.mean(ends), rel=1e-9)
        assert row["saves_interval"] == pytest.approx([ends[0], ends[-1]], rel=1e-9)
        assert row["text"].partition(" on the evaluation rows")[1]
    loaded: Any = rocch.load(path)
    asked = Question.from_dict({**fields, **AMOUNTS})
    again = loaded.at(asked, exact=model.exact).savings(("nb", 0.3)).to_dict()["baselines"]
    assert [row["saves"] for row in again] == [row["saves"] for row in savings["baselines"]]


def test_figures_say_what_they_are(path: Path) -> None:
    with serving(path) as ask:
        found = ask.put("/v1/conditions", {"question": COSTS}).json()["point"]
        status = ask.get("/v1/status?page=true").json()
        assert "page" not in ask.get("/v1/status").json()
    assert found["rates_are"] == "expected on new rows"
    assert found["expected_cost"] == pytest.approx(found["new_rows"]["expected"], rel=1e-12)
    assert "on new rows" in str(MODEL.at(KNOWN)).splitlines()[0]
    # the deployed stack, by the scores of models that did not see the rows
    rule, held_out = MODEL.at(KNOWN).rule, dict(MODEL.out_of_fold_.scores)
    alarms = rule.decide({name: held_out[name] for name in rule.models}) == 1
    fpr, tpr = alarms[Y == 0].mean(), alarms[Y == 1].mean()
    cost = 0.8 * fpr + 0.2 * (1 - tpr) * 4
    assert found["new_rows"]["on_evaluation_rows"] == pytest.approx(cost, rel=1e-9)
    assert cost != pytest.approx(found["expected_cost"], rel=1e-6)
    parts = status["page"]["parts"]
    facts = {term[2]: values for _, _, term, (_, _, *values) in parts["facts"]}
    assert facts["Cost"] == [money(cost), {"small": "per case, on the evaluation rows"}]
    assert "rates are those expected on new rows" in parts["facts-note"][0]


def test_rates_of_other_choices_say_what_they_are() -> None:
    assert EXACT.at(NeymanPearson(0.1)).rates_are.endswith("on the evaluation rows")
    names = MODEL.hull_.winners - {"stack"}
    vertices = {vertex.classifier: vertex for vertex in MODEL.hull_.vertices}
    plain = next(vertices[name] for name in names if name in vertices)
    assert MODEL.at(plain).rates_are == "on the evaluation rows"
    assert MODEL.at(vertices["stack"]).rates_are == "cross-fitted on the evaluation rows"
    limit = NeymanPearson(0.25, confidence=0.9)
    assert MODEL.at(limit).rates_are == "cross-fitted on the evaluation rows"
    checked = rocch.RocchClassifier(ESTIMATORS, check_size=0.3).fit(X, Y)
    assert checked.at(limit).rates_are == "on the rows held out by check_size"
    assert checked.at(KNOWN).rates_are == "expected on new rows"
    assert MODEL.refer(KNOWN, cost=0.3).rates_are == "expected on new rows"


def test_rows_as_records_are_told_to_be_columns(path: Path) -> None:
    with serving(path) as ask:
        error = ask.refused("/v1/decide", {"features": NEW.head(2).to_dict("records")})
    assert error["message"] == (
        "features must be an object of columns; got a list of 2. Two rows are sent as "
        '{"age": [31, 64], "income": [1200, 3400]}, for example.'
    )


def test_the_stack_has_a_color_of_its_own(path: Path) -> None:
    with serving(path) as ask:
        legend = ask.get("/v1/hull").json()["pictures"]["legend"]
    assert "stack" in MODEL.hull_.winners
    assert any("stack" in str(entry) for entry in legend)


def test_probabilities_are_named_and_checked(path: Path) -> None:
    rule = MODEL.at(KNOWN).rule
    scores = {name: [0.2, 0.8] for name in rule.models}
    first = rule.models[0]
    with serving(path) as ask:
        assert set(ask.decide(scores=scores)["rule"]["scores"].values()) == {
            "predict_proba, column 1"
        }
        for wrong in (-3.0, 1.7):
            sent = {**scores, first: [0.2, wrong]}
            error = ask.refused("/v1/decide", {"scores": sent})
            assert error["argument"] == f"scores.{first}"
            assert f"got {wrong:g} at position 1" in error["message"]
            with pytest.raises(rocch.InputError, match="be probabilities, from 0 to 1"):
                rule.decide(sent)
    assert rule.decide({**scores, first: [0.0, 1.0]}).tolist()


def test_typed_texts_in_a_body(path: Path) -> None:
    typed = {"prevalence": "20%", "false_positive": 1, "false_negative": "3..5"}
    with serving(path) as ask:
        found = ask.put("/v1/conditions", {"question": typed}).json()["current"]["question"]
        assert found == RANGE
        wrong = {"question": {**typed, "prevalence": "20 percent"}}
        error = ask.put("/v1/conditions", wrong).json()["error"]
        assert "For example: 0.05..0.1." in error["message"], error


def test_the_preview_says_what_is_saved_against_todays_rule(path: Path) -> None:
    with serving(path) as ask:
        found = ask.get(f"{QUERY}&baseline=nb:0.3").json()
        ask.put("/v1/conditions", {"question": COSTS})
        vague = ask.get(f"{QUERY.rpartition('=')[0]}=3..5").json()
    basis = (
        f"Rates now are those expected on new rows, and then those {vague['point']['rates_are']}."
    )
    assert vague["preview"]["sentence"][-1] == f" {basis}"
    text = found["point"]["savings"]["baselines"][0]["text"]
    assert text[1:] in "".join(map(str, found["preview"]["sentence"]))
    assert "today's rule, nb >= 0.3" in text
