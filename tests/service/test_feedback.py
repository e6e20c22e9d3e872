"""Feedback moves the tuner as a tuner would move by itself, and is kept with what it did."""

from __future__ import annotations

import json
import threading
from contextlib import closing
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

import rocch
from rocch import InputError, Question, StorageError
from rocch.hybrid import AimedClassifier
from rocch.service import app
from rocch.service.errors import REQUEST, ConflictError
from rocch.service.feedback import (
    Feedback,
    find_broken_limit,
    find_tuner,
    record_feedback,
    start_tuner,
    tuned_knob,
    tuner_status,
)
from rocch.service.responses import FeedbackDocument
from rocch.service.served import ServedModel
from rocch.service.store import Policy, Store
from tests.support.exported import COSTS, again, scored_rows, served
from tests.support.serving import Asking, asking, end_pause, error_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rocch.database.places import Place


SERVED = served()
FOLLOW = Policy(question=Question(**COSTS), tuning="follow", id=1, at="2026-03-02T09:00:00.000Z")
ADVISE = replace(FOLLOW, tuning="advise")
OFF = replace(FOLLOW, tuning="off")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return tmp_path / "service.sqlite"


@pytest.fixture
def store(place: Place) -> Iterator[Store]:
    opened = Store(place)
    yield opened
    opened.close()


def load(event_id: str, alarms: float) -> Feedback:
    return Feedback(event_id=event_id, kind="load", alarms=alarms, capacity=100)


def outcomes(event_id: str, seed: int, size: int = 500, **more: Any) -> Feedback:
    scores, y = scored_rows(seed, size, 0.3)
    how = {"complete": True, **more}
    return Feedback(event_id=event_id, kind="outcomes", scores=scores, outcomes=y, **how)


def as_fitted() -> tuple[Any, Any]:
    """Return the rows that the export was judged on."""
    scores, y = scored_rows(0, 2000, 0.3)
    return pd.DataFrame(scores), y


def send_loads(store: Store, aim: Policy, alarms: float, times: int) -> list[Any]:
    """Send the same load several times, as events of their own."""
    first = store.count_events()
    return [
        record_feedback(store, SERVED, aim, load(str(number), alarms)).reaction
        for number in range(first, first + times)
    ]


def test_off_stores_and_does_not_weigh(store: Store) -> None:
    receipt = record_feedback(store, SERVED, OFF, load("mon", 500))
    assert asdict(receipt) == {
        "event_id": "mon",
        "duplicate": False,
        "reaction": None,
        "stored_at": store.recent_feedback()[0]["at"],
    }
    assert store.tuner is None
    assert store.count_events() == 1
    assert tuner_status(store, SERVED, OFF) is None
    assert tuned_knob(SERVED, OFF, store.tuner) is None


def test_it_does_as_a_tuner_by_itself(store: Store) -> None:
    alone = rocch.hybrid.KnobTuner(
        SERVED,
        rocch.Conditions(**COSTS),
        start=rocch.roc.Knob.of(SERVED.rule_for(FOLLOW.question).point),
    )
    for number, size in enumerate((300, 800, 5000, 1000)):
        event = outcomes(f"o{number}", number, size)
        receipt = record_feedback(store, SERVED, FOLLOW, event)
        wanted = alone.outcomes(
            SERVED.batch(scores=event.scores), np.array(event.outcomes) == 1, complete=True
        )
        assert receipt.reaction == {"words": str(wanted), **asdict(wanted)}
        load_told = record_feedback(store, SERVED, FOLLOW, load(f"l{number}", 150)).reaction
        assert load_told is not None
        assert load_told["position"] == alone.load(alarms=150, capacity=100).position
    kept = store.tuner
    assert kept is not None
    assert kept.state == {**alone.to_dict(), "history": []}
    assert len(alone.history) == store.count_events() == 8


def test_follow_leads_from_the_first_move_on(store: Store) -> None:
    assert tuned_knob(SERVED, FOLLOW, store.tuner) is None
    (first,) = send_loads(store, FOLLOW, 105, 1)
    assert first["moved"] == 0
    assert tuned_knob(SERVED, FOLLOW, store.tuner) is None
    moved = send_loads(store, FOLLOW, 200, 2)
    assert moved[0]["moved"] < 0
    knob = tuned_knob(SERVED, FOLLOW, store.tuner)
    assert knob == rocch.roc.Knob(moved[-1]["position"])
    here = tuner_status(store, SERVED, FOLLOW)
    assert here is not None
    assert here.setting == here.position
    assert here.to_dict()["setting"] == here.position == knob.position
    assert [move["to"] for move in here.moves] == [m["position"] for m in moved[::-1] if m["moved"]]
    # another aim, or another export, is not led by it
    assert tuned_knob(SERVED, replace(FOLLOW, id=2), store.tuner) is None
    assert tuned_knob(served(version=2, seed=5), FOLLOW, store.tuner) is None
    again = Store(store.place)
    assert tuned_knob(SERVED, FOLLOW, again.tuner) == knob  # it survives a restart
    again.close()


def test_advice_moves_one_step_and_waits_for_the_operator(store: Store) -> None:
    receipt = send_loads(store, ADVISE, 300, 6)
    moves = [reaction["moved"] for reaction in receipt]
    assert moves[0] < 0
    assert moves[1:] == [0] * 5  # all are about the setting in force, which nobody has changed
    assert tuned_knob(SERVED, ADVISE, store.tuner) is None
    here = tuner_status(store, SERVED, ADVISE)
    assert here is not None
    assert here.position < here.start
    assert here.to_dict()["setting"] == here.start


def test_complaints_turn_the_knob_either_way(store: Store) -> None:
    start = start_tuner(SERVED, FOLLOW).start
    many = Feedback(event_id="a", kind="too_many_alarms", times=30)
    reaction = record_feedback(store, SERVED, FOLLOW, many).reaction
    assert reaction is not None
    assert reaction["position"] < start
    few = Feedback(event_id="b", kind="queue_not_filled", times=60)
    reaction = record_feedback(store, SERVED, FOLLOW, few).reaction
    assert reaction is not None
    assert reaction["moved"] > 0


@pytest.mark.parametrize(
    ("limits", "complaint", "words"),
    [
        ({"max_fpr": 0.1}, "queue_not_filled", "an FPR of"),
        ({"min_tpr": 0.8}, "too_many_alarms", "a TPR of"),
    ],
)
def test_a_limit_of_the_operator_is_not_broken(
    store: Store, limits: dict[str, Any], complaint: Any, words: str
) -> None:
    aim = Policy(question=Question(**limits), tuning="follow", id=3)
    receipt = record_feedback(store, SERVED, aim, Feedback(event_id="a", kind=complaint, times=60))
    assert receipt.reaction is not None
    assert receipt.reaction["moved"] != 0
    assert tuned_knob(SERVED, aim, store.tuner) is None
    here = tuner_status(store, SERVED, aim)
    assert here is not None
    assert here.broken_limit is not None
    assert here.broken_limit.startswith(words)
    assert here.setting != here.position


def test_without_limits_no_setting_is_beyond_one() -> None:
    begun = start_tuner(SERVED, FOLLOW)
    for end in (0.0, 1.0):  # never an alarm, and always one
        here = {**begun.state["state"], "position": end}
        turned = replace(begun, state={**begun.state, "state": here})
        assert turned.position == end != begun.start
        assert find_broken_limit(SERVED.hull, FOLLOW, turned) is None


def test_a_new_aim_starts_anew_and_says_so(store: Store) -> None:
    send_loads(store, FOLLOW, 200, 2)
    earlier = store.tuner
    assert earlier is not None
    other = Policy(
        question=Question(**COSTS | {"false_negative": 9.0}),
        tuning="follow",
        id=2,
        at="2026-03-03T08:00:00.000Z",
    )
    here = tuner_status(store, SERVED, other)
    assert here is not None
    assert here.position == here.start == start_tuner(SERVED, other).start
    assert here.moves[0] == {
        "at": "2026-03-03T08:00:00.000Z",
        "from": earlier.position,
        "to": here.start,
        "why": "started anew for a new aim",
    }
    assert len(store.moves()) == len(here.moves) - 1  # looking changes nothing
    record_feedback(store, SERVED, other, load("new", 100))
    assert store.moves()[0]["why"] == "started anew for a new aim"
    record_feedback(store, SERVED, other, load("newer", 100))
    assert len(store.moves()) == len(here.moves)


def test_a_new_export_starts_anew_and_says_so(store: Store) -> None:
    send_loads(store, FOLLOW, 200, 1)
    newer = served(version=2, seed=5)
    here = tuner_status(store, newer, FOLLOW)
    assert here is not None
    assert here.moves[0]["why"] == "started anew for version 2"
    record_feedback(store, newer, FOLLOW, load("x", 100))
    kept = store.tuner
    assert kept is not None
    assert kept.start == start_tuner(newer, FOLLOW).start


def test_a_process_that_lags_behind_disturbs_no_tuner(place: Place, tmp_path: Path) -> None:
    one, other = (Store(place) for _ in range(2))
    newer, later = served(version=2, seed=5), replace(FOLLOW, id=2)
    record_feedback(other, SERVED, FOLLOW, load("old 0", 200))
    for number in range(3):
        for event_id, export, aim in (("new", newer, FOLLOW), ("aim", newer, later)):
            record_feedback(one, export, aim, load(f"{event_id} {number}", 200))
        record_feedback(other, SERVED, FOLLOW, load(f"old {number + 1}", 200))
    alone = {}
    for event_id, export, aim, events in (
        ("new", newer, FOLLOW, 3),
        ("aim", newer, later, 3),
        ("old", SERVED, FOLLOW, 4),
    ):
        with closing(Store(tmp_path / f"alone-{event_id}.sqlite")) as own:
            for number in range(events):
                record_feedback(own, export, aim, load(f"{event_id} {number}", 200))
            assert own.tuner is not None
            alone[own.tuner.about] = own.tuner.state
    for store in (one, other):
        store.refresh()
        assert {about: tuner.state for about, tuner in store.tuners.items()} == alone
    whys = [move["why"] for move in one.moves(100) if "anew" in move["why"]]
    assert whys == ["started anew for a new aim", "started anew for version 2"]
    one.close()
    other.close()


def test_an_earlier_version_takes_its_tuner_up_again(store: Store) -> None:
    send_loads(store, FOLLOW, 200, 2)
    earlier = store.tuner
    assert earlier is not None
    newer = served(version=2, seed=5)
    record_feedback(store, newer, FOLLOW, load("x", 100))
    here = tuner_status(store, SERVED, FOLLOW)
    assert here is not None
    assert here.position == earlier.position
    knob = tuned_knob(SERVED, FOLLOW, find_tuner(store, SERVED, FOLLOW))
    assert knob == rocch.roc.Knob(earlier.position)
    (reaction,) = send_loads(store, FOLLOW, 200, 1)
    assert reaction["position"] - reaction["moved"] == pytest.approx(earlier.position)


def test_a_new_export_with_the_same_hull_changes_nothing(store: Store) -> None:
    send_loads(store, FOLLOW, 200, 2)
    earlier = store.tuner
    newer = replace(SERVED, version=2, sha256="ab" * 32)
    led = tuned_knob(newer, FOLLOW, store.tuner)
    assert led is not None
    assert led == tuned_knob(SERVED, FOLLOW, store.tuner)
    here = tuner_status(store, newer, FOLLOW)
    assert here is not None
    assert list(here.moves) == list(store.moves())
    assert earlier is not None
    assert here.position == here.setting == earlier.position
    assert here.start == earlier.start
    record_feedback(store, newer, FOLLOW, load("x", 100))
    now = store.tuner
    assert now is not None
    assert now.about == earlier.about
    assert not any("anew" in move["why"] for move in store.moves())


def test_an_export_that_aims_elsewhere_by_itself_starts_anew(store: Store) -> None:
    quiet = Policy(tuning="follow", id=1, at=FOLLOW.at)  # it operates as the model was saved
    send_loads(store, quiet, 200, 2)
    costs = rocch.Conditions(**{**COSTS, "false_negative": 30.0})
    newer = replace(SERVED, version=2, own=AimedClassifier(SERVED.hybrid, costs))
    assert newer.hull_print == SERVED.hull_print
    here = tuner_status(store, newer, quiet)
    assert here is not None
    assert here.moves[0]["why"] == "started anew for version 2"
    assert here.start == start_tuner(newer, quiet).start != start_tuner(SERVED, quiet).start


def test_a_mere_new_aim_is_called_one_after_an_export_with_the_same_hull(store: Store) -> None:
    send_loads(store, FOLLOW, 200, 2)
    other = replace(FOLLOW, question=Question(**COSTS | {"false_negative": 9.0}), id=2)
    for export, why in (
        (again(SERVED, 2), "started anew for a new aim"),
        (served(version=2, seed=5), "started anew for version 2 and a new aim"),
    ):
        here = tuner_status(store, export, other)
        assert here is not None
        assert here.moves[0]["why"] == why


def test_a_record_of_another_release_starts_anew(store: Store) -> None:
    send_loads(store, FOLLOW, 200, 1)
    with store._record.writing() as connection:
        (state,) = connection.execute("SELECT state FROM tuners").fetchone()
        state = json.dumps({**json.loads(state), "version": 99})
        connection.execute("UPDATE tuners SET state = ?", (state,))
    receipt = record_feedback(store, SERVED, FOLLOW, load("x", 100))
    assert receipt.reaction is not None
    assert store.moves()[0]["why"] == "started anew because its record cannot be read any more"


def test_what_the_rule_in_force_did_is_counted(store: Store) -> None:
    event = outcomes("a", 3, 400)
    record_feedback(store, SERVED, OFF, event)
    rule = SERVED.rule_for(OFF.question)
    assert event.scores is not None
    alarms = rule.rule.decide(event.scores) == 1
    positive = np.array(event.outcomes) == 1
    point = rule.point
    found = store.observed_rates(library_version=1, aim_id=1, fpr=point.fpr, tpr=point.tpr)
    assert found is not None
    assert found["tpr"] * found["positives"] == pytest.approx(np.count_nonzero(alarms & positive))
    assert found["fpr"] * found["negatives"] == pytest.approx(np.count_nonzero(alarms & ~positive))
    assert found["positives"] == np.count_nonzero(positive)
    assert found["negatives"] == np.count_nonzero(~positive)


def test_while_the_tuner_leads_its_own_rule_is_counted(store: Store) -> None:
    send_loads(store, FOLLOW, 200, 2)
    knob = tuned_knob(SERVED, FOLLOW, store.tuner)
    assert knob is not None
    record_feedback(store, SERVED, FOLLOW, outcomes("a", 3, 200))
    point = knob.on(SERVED.hull)
    found = store.observed_rates(library_version=1, aim_id=1, fpr=point.fpr, tpr=point.tpr)
    assert found is not None
    assert found["rows"] == 200


def test_a_coin_is_counted_by_its_chance(store: Store) -> None:
    mixed = Policy(question=Question(max_fpr=0.1, randomize=True), id=4)
    point = SERVED.rule_for(mixed.question).point
    assert point.randomized
    event = outcomes("a", 3, 400)
    record_feedback(store, SERVED, mixed, event)
    found = store.observed_rates(library_version=1, aim_id=4, fpr=point.fpr, tpr=point.tpr)
    assert found is not None
    chances = SERVED.at(point).decision_probability(SERVED.batch(scores=event.scores))
    hits = chances[np.array(event.outcomes) == 1].sum()
    assert found["tpr"] * found["positives"] == pytest.approx(hits)


def test_reviewed_rows_are_weighed_and_not_counted(store: Store) -> None:
    event = outcomes("a", 3, 400, complete=False, propensities=[0.5] * 400)
    receipt = record_feedback(store, SERVED, FOLLOW, event)
    assert receipt.reaction is not None
    assert receipt.reaction["counted"]
    point = SERVED.rule_for(FOLLOW.question).point
    assert store.observed_rates(library_version=1, aim_id=1, fpr=point.fpr, tpr=point.tpr) is None


NO_COSTS = Policy(question=Question(max_fpr=0.1), tuning="advise", id=5)


@pytest.mark.parametrize(
    ("aim", "change", "message"),
    [
        (OFF, {"complete": False}, "say how these rows came to be labeled"),
        (FOLLOW, {"complete": False}, "Labels that exist only because a row alarmed"),
        (OFF, {"propensities": [1.0] * 50}, "got both"),
        (OFF, {"complete": False, "propensities": [0.0] * 50}, "probabilities from 1e-09"),
        (OFF, {"complete": False, "propensities": [1.0] * 49}, "each of the 50 rows"),
        (OFF, {"outcomes": [0, 1]}, "outcomes must have one value for each of the 50 rows"),
        (OFF, {"outcomes": [7] * 50}, "outcomes must hold labels that the hybrid was fitted on"),
        (OFF, {"outcomes": [None] * 50}, "outcomes must have no missing labels"),
        (OFF, {"outcomes": [{}] * 50}, "outcomes must hold plain labels"),
        (OFF, {"outcomes": []}, "outcomes must have at least one row"),
        (OFF, {"scores": {"other": [1.0] * 50}}, "other"),
        (OFF, {"scores": {"nb": [1.0] * 50, "gbm": [1.0]}}, "gbm"),
        (OFF, {"scores": None}, "scores"),
        (OFF, {"scores": None, "features": {"0": [1.0]}}, "features"),
    ],
)
def test_what_cannot_be_used_is_refused_and_not_stored(
    store: Store, aim: Policy, change: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        record_feedback(store, SERVED, aim, replace(outcomes("a", 3, 50), **change))
    assert store.count_events() == 0
    assert store.tuner is None


@pytest.mark.parametrize(
    "stated",
    [
        {"max_fpr": 0.1},
        {"knob": 0.4},
        {"capacity": 50.0, "positives": 100.0, "negatives": 200.0},
        {"maximize": "f1", "prevalence": 0.2},
        {"cost_ratio": [5.0, 10.0], "prevalence": 0.2, "false_positive": 1.0},
        {**COSTS, "false_negative": [2.0, 5.0]},
    ],
)
@pytest.mark.parametrize("mode", ["advise", "follow"])
def test_without_exact_costs_outcomes_are_kept_and_not_weighed(
    store: Store, stated: dict[str, Any], mode: Any
) -> None:
    aim = Policy(question=Question(**stated), tuning=mode, id=5)
    event = outcomes("a", 3, 50)
    receipt = record_feedback(store, SERVED, aim, event)
    assert receipt.reaction is not None
    assert not receipt.reaction["counted"]
    assert receipt.reaction["moved"] == 0
    assert "kept, not weighed" in receipt.reaction["words"]
    point = SERVED.rule_for(aim.question).point
    found = store.observed_rates(library_version=1, aim_id=5, fpr=point.fpr, tpr=point.tpr)
    assert found is not None
    assert found["rows"] == 50
    assert record_feedback(store, SERVED, aim, event) == replace(receipt, duplicate=True)
    complaint = Feedback(event_id="b", kind="queue_not_filled", times=60)
    reaction = record_feedback(store, SERVED, aim, complaint).reaction
    assert reaction is not None
    assert reaction["counted"]
    assert reaction["moved"] > 0


@pytest.mark.parametrize("both", [True, False])
def test_refusals_speak_of_requests_and_not_of_python(store: Store, both: bool) -> None:
    shares = [1.0] * 50 if both else None
    with pytest.raises(InputError, match="how these rows came to be labeled") as refused:
        record_feedback(
            store, SERVED, FOLLOW, outcomes("a", 3, 50, complete=both, propensities=shares)
        )
    message = refused.value.to_text(REQUEST)
    assert '"complete": true' in message
    assert "=True" not in message


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alarms": None}, "alarms must be a finite number"),
        ({"alarms": -1}, "alarms must be a finite number, not negative"),
        ({"capacity": 0}, "capacity must be a finite number above 0"),
        ({"kind": "too_many_alarms", "times": 0}, "times must be a finite number above 0"),
    ],
)
def test_numbers_that_make_no_sense(store: Store, change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        record_feedback(store, SERVED, FOLLOW, replace(load("a", 100), **change))
    assert store.count_events() == 0


def test_a_repeated_event_is_answered_even_if_it_could_not_be_used_any_more(store: Store) -> None:
    event = outcomes("a", 3, 50)
    first = record_feedback(store, SERVED, FOLLOW, event)
    receipt = record_feedback(store, SERVED, NO_COSTS, event)
    assert receipt == replace(first, duplicate=True)
    with pytest.raises(ConflictError, match="event_id"):
        record_feedback(store, SERVED, FOLLOW, outcomes("a", 4, 50))
    assert store.count_events() == 1


def test_what_cannot_be_stored_moves_nothing(store: Store) -> None:
    send_loads(store, FOLLOW, 200, 1)
    earlier = tuned_knob(SERVED, FOLLOW, store.tuner)
    with store._record.reading() as connection:
        connection.execute("PRAGMA query_only = ON")
    with pytest.raises(StorageError):
        send_loads(store, FOLLOW, 500, 1)
    with store._record.reading() as connection:
        connection.execute("PRAGMA query_only = OFF")
    assert tuned_knob(SERVED, FOLLOW, store.tuner) == earlier
    assert store.count_events() == 1
    end_pause(store)
    (again_told,) = send_loads(store, FOLLOW, 500, 1)
    assert again_told["moved"] < 0


def test_nothing_of_the_rows_is_kept(store: Store, tmp_path: Path) -> None:
    scores, y = scored_rows(1, 50, 0.3)
    scores["nb"][0] = 123456.789
    record_feedback(
        store,
        SERVED,
        OFF,
        Feedback(event_id="a", kind="outcomes", scores=scores, outcomes=y, complete=True),
    )
    kept = b"".join(file.read_bytes() for file in tmp_path.glob("service.sqlite*"))
    assert b"outcomes" in kept
    assert b"123456.789" not in kept
    assert np.float64(123456.789).tobytes() not in kept
    assert np.float64(123456.789).byteswap().tobytes() not in kept


class TestFeatures:
    rng = np.random.default_rng(3)
    y = rng.random(300) < 0.4
    X = rng.normal(size=(300, 2)) + y[:, None]
    export = ServedModel(
        rocch.RocchClassifier([("nb", GaussianNB())]).fit(X, y.astype(int)).default_, 1, "0" * 64
    )

    def event(self, **change: Any) -> Feedback:
        columns = {"0": self.X[:, 0].tolist(), "1": self.X[:, 1].tolist()}
        return replace(
            Feedback(
                event_id="a",
                kind="outcomes",
                features=columns,
                outcomes=self.y.astype(int).tolist(),
                complete=True,
            ),
            **change,
        )

    def test_models_score_the_rows(self, store: Store) -> None:
        receipt = record_feedback(store, self.export, FOLLOW, self.event())
        assert receipt.reaction is not None
        assert receipt.reaction["feedback"] == "outcomes"

    def test_what_they_cannot_score_is_refused(
        self, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        nothing = {"0": [None] * 300, "1": [1.0] * 300}
        with pytest.raises(InputError, match="features"):
            record_feedback(store, self.export, OFF, self.event(features=nothing))

        def fail(*_: Any) -> None:
            raise ValueError("Input X contains NaN.")

        monkeypatch.setattr(GaussianNB, "predict_proba", fail)
        with pytest.raises(InputError, match="be such as the models were fitted on"):
            record_feedback(store, self.export, OFF, self.event())

        def refuse(*_: Any) -> None:
            raise InputError("in plain words")

        monkeypatch.setattr(GaussianNB, "predict_proba", refuse)
        with pytest.raises(InputError, match=r"^in plain words$"):
            record_feedback(store, self.export, OFF, self.event())
        assert store.count_events() == 0


PATH = "/v1/feedback"
LOAD = {"event_id": "monday", "kind": "load", "alarms": 300, "capacity": 100}


def send(client: Asking, body: Any, role: str = "caller") -> Any:
    answer = client.post(PATH, body, role)
    assert answer.status_code == 200, answer.text
    FeedbackDocument.model_validate(answer.json())
    return answer.json()


def outcomes_body(**change: Any) -> dict[str, Any]:
    scores, y = scored_rows(3, 50, 0.3)
    body = {"event_id": "o", "kind": "outcomes", "scores": scores, "outcomes": y, "complete": True}
    return {**body, **change}


def test_the_same_event_again_is_answered_alike() -> None:
    with asking(SERVED) as client:
        client.put("/v1/conditions", {"question": COSTS, "tuning": "follow"})
        first = send(client, LOAD)
        assert first["reaction"]["moved"] < 0
        assert first["reaction"]["words"].startswith("turned to fewer alarms, by")
        assert send(client, LOAD, "operator") == {**first, "duplicate": True}
        error = error_of(client.post(PATH, {**LOAD, "alarms": 301}), 409)
        assert (error["code"], error["argument"]) == ("conflict", "event_id")
        assert client.service.store.count_events() == 1


def test_every_kind_is_recorded() -> None:
    with asking(SERVED) as client:
        client.put("/v1/conditions", {"question": COSTS, "tuning": "advise"})
        kinds: list[dict[str, Any]] = [
            LOAD,
            {"event_id": "a", "kind": "too_many_alarms"},
            {"event_id": "b", "kind": "queue_not_filled", "times": 3},
            outcomes_body(),
            outcomes_body(event_id="p", complete=None, propensities=[0.5] * 50),
        ]
        for body in kinds:
            assert send(client, body)["reaction"]["feedback"] == body["kind"]
        assert client.service.store.count_events() == len(kinds)


def test_while_tuning_is_off_it_is_stored_only() -> None:
    with asking(SERVED) as client:
        assert send(client, LOAD)["reaction"] is None
        assert send(client, outcomes_body())["reaction"] is None


def test_viewers_give_no_feedback() -> None:
    with asking(SERVED) as client:
        assert error_of(client.post(PATH, LOAD, "viewer"), 403)["code"] == "forbidden"
        assert error_of(client.post(PATH, LOAD, None), 401)["code"] == "not_authorized"


@pytest.mark.parametrize(
    ("body", "argument", "message"),
    [
        ({}, None, ""),
        ({"event_id": "a", "kind": "gossip"}, None, "gossip"),
        ({**LOAD, "event_id": ""}, None, "event_id"),
        ({**LOAD, "event_id": "x" * 201}, None, "event_id"),
        ({**LOAD, "event_id": 7}, None, "event_id"),
        ({**LOAD, "alarms": -1}, None, "alarms"),
        ({**LOAD, "alarms": "300"}, None, "alarms"),
        ({"event_id": "a", "kind": "too_many_alarms", "times": 0}, None, "times"),
        (outcomes_body(complete=None), "complete, propensities", "Labels that exist only because"),
        (outcomes_body(complete=False), "complete, propensities", "neither"),
        (outcomes_body(propensities=[1.0] * 50), "complete, propensities", "both"),
        (outcomes_body(outcomes=[0, 1]), "outcomes", "each of the 50 rows"),
        (outcomes_body(outcomes=["yes"] * 50), "outcomes", "labels that the hybrid was fitted on"),
        (outcomes_body(outcomes=[[1]] * 50), "outcomes", "one-dimensional"),
        (outcomes_body(outcomes=[10**400] * 50), "outcomes", "labels"),
        (outcomes_body(scores={"gbm": ["x"] * 50, "nb": [1] * 50}), "scores.gbm", "numbers"),
        (outcomes_body(scores={"other": [1] * 50}), None, "other"),
        (outcomes_body(scores=None), None, "scores, features"),
        (
            outcomes_body(scores=None, features={"a": [1] * 50}),
            "features",
            "decides on precomputed scores",
        ),
        (outcomes_body(propensities=["x"] * 50, complete=None), "propensities", "numbers"),
        (
            outcomes_body(propensities=[5e-324] * 50, complete=None),
            "propensities",
            "from 1e-09 to 1",
        ),
        (
            outcomes_body(propensities=[1e-300] * 50, complete=None),
            "propensities",
            "from 1e-09 to 1",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_and_not_stored(
    body: Any, argument: str | None, message: str
) -> None:
    with asking(SERVED) as client:
        error = error_of(client.post(PATH, body), 422)
        assert error["code"] == "bad_input"
        assert argument is None or error["argument"] == argument
        assert message in error["message"]
        assert len(error["message"]) < 1100
        assert client.service.store.count_events() == 0


def test_too_many_rows() -> None:
    with asking(SERVED, max_rows=49) as client:
        error = error_of(client.post(PATH, outcomes_body()), 413)
        assert (error["code"], error["argument"]) == ("too_many_rows", "scores")


def test_what_cannot_be_stored_is_not_acknowledged(caplog: pytest.LogCaptureFixture) -> None:
    with asking(SERVED) as client:
        with client.service.store._record.reading() as connection:
            connection.execute("PRAGMA query_only = ON")
        error = error_of(client.post(PATH, LOAD), 503)
        assert error["code"] == "unavailable"
        assert "the log says why" in error["message"]
        assert "sqlite" not in error["message"]  # nor any other place on the server's disk
        assert str(client.service.store.place) in caplog.text
        error_of(client.post(PATH, {**LOAD, "alarms": -1}), 422)  # which does not mend it
        health = client.get("/v1/health").json()
        assert health["status"] == "degraded"
        assert health["problems"] == ["the service's record cannot be written"]
        (warned,) = client.get("/v1/status").json()["warnings"]
        assert warned["code"] == "record_failing"
        with client.service.store._record.reading() as connection:
            connection.execute("PRAGMA query_only = OFF")
        end_pause(client.service.store)
        assert send(client, LOAD)["duplicate"] is False
        assert client.get("/v1/health").json()["status"] == "ok"


def test_weighing_takes_no_longer_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    answered = threading.Event()
    monkeypatch.setattr(app, "record_feedback", lambda *_: answered.wait(60))
    with asking(SERVED, decide_seconds=0.01) as client:
        answer = client.post(PATH, outcomes_body())
        assert error_of(answer, 503)["code"] == "timeout"
        assert answer.headers["retry-after"] == "1"
        answered.set()
