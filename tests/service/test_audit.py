"""Decisions are audited: a line each in a file, and from there a row each in the record."""

from __future__ import annotations

import json
import os
import stat
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from pydantic_core import to_json

import rocch
from rocch import StorageError
from rocch.service.audit import AuditLog
from rocch.service.errors import ServiceError
from tests.support.serving import AS, asking, judged

COLUMNS = judged(9, 20)[0].to_dict("list")


def test_each_decision_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    with asking(audit=file) as ask:
        coin: dict[str, Any] = {"question": {"max_fpr": 0.15, "randomize": True}}
        coin["row_keys"] = list(range(20))
        response = [ask.decide(scores=COLUMNS), ask.decide(scores=COLUMNS, role="operator", **coin)]
        ask.refused("/v1/decide", {"scores": {}})
    plain, tossed = (json.loads(line) for line in file.read_text().splitlines())
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600
    for record, answer in zip((plain, tossed), response, strict=True):
        for name in ("decisions", "decision_id", "decided_at", "rows", "alarms", "model", "aim"):
            assert record[name] == answer[name]
        assert record["rule"]["words"] == answer["rule"]["words"]
        assert record["rule"]["document"] == answer["rule"]
        document = to_json(record["rule"]["document"])
        assert document in file.read_bytes()
        assert record["rule"]["sha256"] == sha256(document).hexdigest()
    assert (plain["role"], tossed["role"]) == ("caller", "operator")
    assert plain["coin"] is None
    assert tossed["coin"] == {"seed": 0, "row_keys": list(map(str, range(20)))}
    assert plain["aim_words"] == "as the model was saved"
    words = "a false positive rate of at most 15%, counted on the evaluation rows"
    assert tossed["aim_words"] == f"{words}, a coin may choose"
    text = file.read_text()
    assert not any(header["Authorization"].split()[1] in text for header in AS.values())


def test_without_a_record_nothing_is_decided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "audit.jsonl"
    with asking(audit=file) as ask:

        def full(_file: int, line: bytes) -> int:
            return os.writev(_file, [line[:10]])

        with monkeypatch.context() as broken:
            broken.setattr("rocch.service.audit.os.write", full)
            error = ask.refused("/v1/decide", {"scores": COLUMNS}, 503)
            assert error["code"] == "audit_failed"
        health = ask.get("/v1/health").json()
        assert health["status"] == "degraded"
        assert health["problems"] == ["the audit record cannot be written"]
        assert ask.get("/v1/status").json()["decisions"]["total"] == 0
        response = ask.decide(scores=COLUMNS)
        assert ask.get("/v1/health").json()["status"] == "ok"
    torn, whole = file.read_text().splitlines()
    assert len(torn) == 10
    assert json.loads(whole)["decision_id"] == response["decision_id"]


def test_a_file_that_was_moved_away(tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    audit = AuditLog(file)
    audit.write({"a": 1})
    file.rename(tmp_path / "old.jsonl")
    audit.write({"a": 2})
    audit.reopen()
    audit.write({"a": 3})
    audit.close()
    assert (tmp_path / "old.jsonl").read_text() == '{"a":1}\n{"a":2}\n'
    assert file.read_text() == '{"a":3}\n'


def test_a_file_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot be opened"):
        AuditLog(tmp_path)
    audit = AuditLog(tmp_path / "audit.jsonl")
    audit.path = tmp_path
    audit.reopen()
    audit.write({"a": 1})  # to the old file, which is still there
    assert audit.problem is not None
    assert audit.problem.startswith("the audit record cannot be opened anew: ")
    assert str(tmp_path) not in audit.problem
    audit.close()
    assert (tmp_path / "audit.jsonl").read_text() == '{"a":1}\n'
    with pytest.raises(ServiceError, match="Bad file descriptor"):
        audit.write({})


def test_a_failed_reopening_is_shown_until_it_succeeds(tmp_path: Path) -> None:
    with asking(audit=tmp_path / "audit.jsonl") as ask:
        audit = ask.service.audit
        assert audit is not None
        audit.path = tmp_path
        audit.reopen()
        ask.decide(scores=COLUMNS)
        health = ask.get("/v1/health").json()
        assert health["problems"] == ["the audit record cannot be opened anew"]
        (warned,) = ask.get("/v1/status").json()["warnings"]
        assert warned["message"].startswith("The audit record cannot be opened anew: ")
        audit.path = tmp_path / "audit.jsonl"
        audit.reopen()
        assert ask.get("/v1/health").json()["status"] == "ok"


def test_a_line_and_the_scores_make_the_decisions_again(tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    with asking(audit=file, seed=5) as ask:
        keys = [f"row {number}" for number in range(20)]
        coin: Any = {"question": {"max_fpr": 0.15, "randomize": True}, "row_keys": keys}
        ask.decide(scores=COLUMNS, **coin)
    line = json.loads(file.read_text())
    rule: Any = rocch.hybrid.Rule.from_dict(line["rule"]["document"])
    again = rule.decide(COLUMNS, row_key=line["coin"]["row_keys"])
    assert again.tolist() == line["decisions"]


def test_the_words_say_who_turned_what(tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    with asking(audit=file) as ask:
        costs = {"prevalence": 0.3, "false_positive": 1, "false_negative": 3}
        ask.put("/v1/conditions", {"question": costs, "tuning": "follow"})
        ask.decide(scores=COLUMNS, question={"randomize": True}, row_keys=list(range(20)))
        ask.post("/v1/feedback", {"event_id": "a", "kind": "too_many_alarms", "times": 60})
        ask.decide(scores=COLUMNS)
    own, turned = (json.loads(line)["aim_words"] for line in file.read_text().splitlines())
    words = "30% positive, a false alarm costs 1, a miss costs 3"
    assert own == f"{words}; by the request, a coin may choose"
    assert turned.startswith(f"{words}; feedback turned the knob to ")
