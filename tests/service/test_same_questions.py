"""Over HTTP every question has the answer that it has in Python and on the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pandas as pd
import pytest
from sklearn.frozen import FrozenEstimator

import rocch
from rocch.hybrid import ScoreColumn
from tests.support.hybrids import as_export
from tests.support.questions import QUESTIONS, REFERRALS, UNCERTIFIED, best, hull, refer, rows
from tests.support.questions import ask as as_question
from tests.support.serving import Asking, asking, error_of, served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def fitted() -> rocch.RocchClassifier:
    y, scores = rows()
    models = [(name, FrozenEstimator(ScoreColumn(name, (0, 1)))) for name in scores]
    model = rocch.RocchClassifier(models, pos_label=1, stack=False)
    model.fit(pd.DataFrame(scores), y.astype(int))
    assert model.hull_.auc == hull().auc
    return model


@pytest.fixture(scope="module")
def ask() -> Iterator[Asking]:
    with asking(served(as_export(fitted()))) as running:
        yield running


ALL = {**QUESTIONS, **UNCERTIFIED}


@pytest.mark.parametrize("texts", ALL.values(), ids=ALL.keys())
def test_a_service_answers_as_in_python(ask: Asking, texts: dict[str, str]) -> None:
    wanted = best(texts)
    typed = ask.get(f"/v1/best?{urlencode(texts)}").json()
    put = ask.put("/v1/conditions", {"question": as_question(texts).to_dict()}).json()
    for found in (typed, put):
        assert (found["point"]["fpr"], found["point"]["tpr"]) == (wanted.fpr, wanted.tpr)
        mix = [(each["probability"], each["classifier"]) for each in found["point"]["mix"]]
        assert mix == [(share, point.classifier) for share, point in wanted.mix]
        guarantee = found["point"]["guarantee"]
        assert (guarantee is None) == (wanted.guarantee is None)
        assert guarantee is None or guarantee["bounds"] == list(wanted.guarantee.bounds)


@pytest.mark.parametrize("texts", REFERRALS.values(), ids=REFERRALS.keys())
def test_a_service_refers_as_in_python(ask: Asking, texts: dict[str, str]) -> None:
    wanted, question = refer(texts), as_question(texts).to_dict()
    found = ask.get(f"/v1/best?{urlencode(texts)}").json()["point"]
    shares = found["referral"]
    for name in ("referred", "referred_negatives", "referred_positives", "saves"):
        assert shares[name] == getattr(wanted, name), name
    assert found["expected_cost"] == wanted.expected_cost
    _, scores = rows()
    sent = {name: column.tolist() for name, column in scores.items()}
    decided = ask.decide(scores=sent, question=question)
    rule = rocch.hybrid.ReferralRule.from_referral(wanted, positive=1, negative=0)
    assert decided["decisions"] == rule.decide(scores).tolist()
    assert decided["referred"] == decided["decisions"].count("refer")
    assert decided["alarms"] == decided["decisions"].count(1)
    assert decided["rule"]["words"] == rule.words


REFERRING = {"false_positive": 1, "false_negative": 2, "refer_cost": 0.2}


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (REFERRING, "tuning must be off where cases are referred to a person"),
        (
            {"max_fpr": 0.2, "confidence": 0.95},
            "tuning must be off where limits must hold on new rows",
        ),
    ],
)
def test_feedback_tunes_one_threshold_that_nothing_is_guaranteed_of(
    ask: Asking, question: dict[str, float], words: str
) -> None:
    refused = ask.put("/v1/conditions", {"question": question, "tuning": "advise"})
    assert words in error_of(refused, 422)["message"]
    assert ask.put("/v1/conditions", {"question": question}).status_code == 200


def test_a_policy_that_refers_is_counted_shown_and_recorded(tmp_path: Path) -> None:
    y, scores = rows()
    sent = {name: column.tolist() for name, column in scores.items()}
    audit = tmp_path / "audit.jsonl"
    with asking(served(as_export(fitted())), audit=audit) as client:
        put = client.put("/v1/conditions", {"question": REFERRING}).json()
        decided = client.decide(scores=sent)
        status = client.get("/v1/status?page=true").json()
        metrics = client.get("/metrics").text
        outcomes = {"scores": sent, "outcomes": y.astype(int).tolist(), "complete": True}
        event = {"event_id": "a", "kind": "outcomes", **outcomes}
        assert client.post("/v1/feedback", event).json()["reaction"] is None
        assert client.get("/v1/status").json()["feedback"]["observed"] is None
    count = decided["decisions"].count("refer")
    assert count > 0
    assert put["current"]["words"].endswith("a referred case costs 0.2")
    assert status["decisions"]["referred"] == decided["referred"] == count
    assert f"rocch_referred_total {float(count)}" in metrics
    assert status["in_force"]["sql"].count("THEN 'refer'") == 1
    facts = json.dumps(status["page"]["parts"]["facts"])
    assert "Referred to a person" in facts
    (line,) = audit.read_text().splitlines()
    record = json.loads(line)
    assert record["decisions"] == decided["decisions"]
    assert record["aim_words"] == put["current"]["words"]
    rule = rocch.hybrid.ReferralRule.from_dict(record["rule"]["document"])
    assert rule.decide(scores).tolist() == decided["decisions"]
