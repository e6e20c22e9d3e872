"""Feedback moves the tuner as a tuner would move by itself, and is kept with what it did."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

import rocch
from rocch import InputError, Question, StorageError
from rocch.service.errors import ConflictError
from rocch.service.feedback import Feedback, Tuner, find_broken_limit, start_tuner
from rocch.service.served import Served
from rocch.service.store import Policy, Store
from tests.support.exported import COSTS, again, scored_rows, served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SERVED = served()
FOLLOW = Policy(question=Question(**COSTS), tuning="follow", id=1, at="2026-03-02T09:00:00.000Z")
ADVISE = replace(FOLLOW, tuning="advise")
OFF = replace(FOLLOW, tuning="off")


def noon() -> str:
    return "2026-03-02T12:00:00.000Z"


@pytest.fixture
def records(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path / "service.sqlite")
    yield opened
    opened.close()


@pytest.fixture
def tuning(records: Store) -> Tuner:
    return Tuner(records, now=noon)


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


def hear_loads(tuning: Tuner, aim: Policy, alarms: float, times: int) -> list[Any]:
    """Send the same load several times, as events of their own."""
    first = tuning._store.count_events()
    return [
        tuning.record_feedback(SERVED, aim, load(str(number), alarms)).reaction
        for number in range(first, first + times)
    ]


def test_off_stores_and_does_not_weigh(tuning: Tuner, records: Store) -> None:
    told = tuning.record_feedback(SERVED, OFF, load("mon", 500))
    assert asdict(told) == {
        "event_id": "mon",
        "duplicate": False,
        "reaction": None,
        "stored_at": noon(),
    }
    assert records.tuner is None
    assert records.count_events() == 1
    assert tuning.status(SERVED, OFF) is None
    assert tuning.tuned_knob(SERVED, OFF) is None


def test_it_does_as_a_tuner_by_itself(tuning: Tuner, records: Store) -> None:
    alone = rocch.hybrid.KnobTuner(
        SERVED,
        rocch.Conditions(**COSTS),
        start=rocch.roc.Knob.of(SERVED.rule_for(FOLLOW.question).point),
    )
    for number, size in enumerate((300, 800, 5000, 1000)):
        event = outcomes(f"o{number}", number, size)
        told = tuning.record_feedback(SERVED, FOLLOW, event)
        wanted = alone.outcomes(
            SERVED.batch(scores=event.scores), np.array(event.outcomes) == 1, complete=True
        )
        assert told.reaction == {"words": str(wanted), **asdict(wanted)}
        load_told = tuning.record_feedback(SERVED, FOLLOW, load(f"l{number}", 150)).reaction
        assert load_told is not None
        assert load_told["position"] == alone.load(alarms=150, capacity=100).position
    kept = records.tuner
    assert kept is not None
    assert kept.state == {**alone.to_dict(), "history": []}
    assert len(alone.history) == records.count_events() == 8


def test_follow_leads_from_the_first_move_on(tuning: Tuner, records: Store) -> None:
    assert tuning.tuned_knob(SERVED, FOLLOW) is None
    (first,) = hear_loads(tuning, FOLLOW, 105, 1)
    assert first["moved"] == 0
    assert tuning.tuned_knob(SERVED, FOLLOW) is None
    moved = hear_loads(tuning, FOLLOW, 200, 2)
    assert moved[0]["moved"] < 0
    knob = tuning.tuned_knob(SERVED, FOLLOW)
    assert knob == rocch.roc.Knob(moved[-1]["position"])
    assert tuning.tuned_knob(SERVED, FOLLOW) is knob  # every decision asks
    here = tuning.status(SERVED, FOLLOW)
    assert here is not None
    assert here.setting == here.position
    assert here.to_dict()["setting"] == here.position == knob.position
    assert [move["to"] for move in here.moves] == [m["position"] for m in moved[::-1] if m["moved"]]
    # another aim, or another export, is not led by it
    assert tuning.tuned_knob(SERVED, replace(FOLLOW, id=2)) is None
    assert tuning.tuned_knob(served(version=2, seed=5), FOLLOW) is None
    assert Tuner(records, now=noon).tuned_knob(SERVED, FOLLOW) == knob  # nor does it forget


def test_advice_moves_one_step_and_waits_for_the_operator(tuning: Tuner) -> None:
    told = hear_loads(tuning, ADVISE, 300, 6)
    moves = [reaction["moved"] for reaction in told]
    assert moves[0] < 0
    assert moves[1:] == [0] * 5  # all are about the setting in force, which nobody has changed
    assert tuning.tuned_knob(SERVED, ADVISE) is None
    here = tuning.status(SERVED, ADVISE)
    assert here is not None
    assert here.position < here.start
    assert here.to_dict()["setting"] == here.start


def test_complaints_turn_the_knob_either_way(tuning: Tuner) -> None:
    start = start_tuner(SERVED, FOLLOW).start
    many = Feedback(event_id="a", kind="too_many_alarms", times=30)
    reaction = tuning.record_feedback(SERVED, FOLLOW, many).reaction
    assert reaction is not None
    assert reaction["position"] < start
    few = Feedback(event_id="b", kind="queue_not_filled", times=60)
    reaction = tuning.record_feedback(SERVED, FOLLOW, few).reaction
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
    tuning: Tuner, limits: dict[str, Any], complaint: Any, words: str
) -> None:
    aim = Policy(question=Question(**limits), tuning="follow", id=3)
    told = tuning.record_feedback(SERVED, aim, Feedback(event_id="a", kind=complaint, times=60))
    assert told.reaction is not None
    assert told.reaction["moved"] != 0
    assert tuning.tuned_knob(SERVED, aim) is None
    here = tuning.status(SERVED, aim)
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


def test_a_new_aim_starts_anew_and_says_so(tuning: Tuner, records: Store) -> None:
    hear_loads(tuning, FOLLOW, 200, 2)
    stood = records.tuner
    assert stood is not None
    other = Policy(
        question=Question(**COSTS | {"false_negative": 9.0}),
        tuning="follow",
        id=2,
        at="2026-03-03T08:00:00.000Z",
    )
    here = tuning.status(SERVED, other)
    assert here is not None
    assert here.position == here.start == start_tuner(SERVED, other).start
    assert here.moves[0] == {
        "at": "2026-03-03T08:00:00.000Z",
        "from": stood.position,
        "to": here.start,
        "why": "started anew for a new aim",
    }
    assert len(records.moves()) == len(here.moves) - 1  # looking changes nothing
    tuning.record_feedback(SERVED, other, load("new", 100))
    assert records.moves()[0]["why"] == "started anew for a new aim"
    tuning.record_feedback(SERVED, other, load("newer", 100))
    assert len(records.moves()) == len(here.moves)


def test_a_new_export_starts_anew_and_says_so(tuning: Tuner, records: Store) -> None:
    hear_loads(tuning, FOLLOW, 200, 1)
    newer = served(version=2, seed=5)
    here = tuning.status(newer, FOLLOW)
    assert here is not None
    assert here.moves[0]["why"] == "started anew for export 2"
    tuning.record_feedback(newer, FOLLOW, load("x", 100))
    kept = records.tuner
    assert kept is not None
    assert kept.start == start_tuner(newer, FOLLOW).start


def test_a_new_export_with_the_same_hull_changes_nothing(tuning: Tuner, records: Store) -> None:
    hear_loads(tuning, FOLLOW, 200, 2)
    stood = records.tuner
    newer = replace(SERVED, version=2, sha256="ab" * 32)
    led = tuning.tuned_knob(newer, FOLLOW)
    assert led is not None
    assert led == tuning.tuned_knob(SERVED, FOLLOW)
    here = tuning.status(newer, FOLLOW)
    assert here is not None
    assert list(here.moves) == list(records.moves())
    assert stood is not None
    assert here.position == here.setting == stood.position
    assert here.start == stood.start
    tuning.record_feedback(newer, FOLLOW, load("x", 100))
    now = records.tuner
    assert now is not None
    assert now.about == stood.about
    assert not any("anew" in move["why"] for move in records.moves())


def test_an_export_that_aims_elsewhere_by_itself_starts_anew(tuning: Tuner) -> None:
    quiet = Policy(tuning="follow", id=1, at=FOLLOW.at)  # it operates as the export says
    hear_loads(tuning, quiet, 200, 2)
    model = SERVED.model.__class__(**SERVED.model.get_params(deep=False))
    model.criterion = rocch.Conditions(**{**COSTS, "false_negative": 30.0})
    newer = replace(SERVED, version=2, model=model.fit(*as_fitted()))
    assert newer.hull_print == SERVED.hull_print
    here = tuning.status(newer, quiet)
    assert here is not None
    assert here.moves[0]["why"] == "started anew for export 2"
    assert here.start == start_tuner(newer, quiet).start != start_tuner(SERVED, quiet).start


def test_a_mere_new_aim_is_called_one_after_an_export_with_the_same_hull(tuning: Tuner) -> None:
    hear_loads(tuning, FOLLOW, 200, 2)
    other = replace(FOLLOW, question=Question(**COSTS | {"false_negative": 9.0}), id=2)
    for export, why in (
        (again(SERVED, 2), "started anew for a new aim"),
        (served(version=2, seed=5), "started anew for export 2 and a new aim"),
    ):
        here = tuning.status(export, other)
        assert here is not None
        assert here.moves[0]["why"] == why


def test_a_record_of_another_release_starts_anew(tuning: Tuner, records: Store) -> None:
    hear_loads(tuning, FOLLOW, 200, 1)
    with records._record.writing() as connection:
        connection.execute("UPDATE tuner SET state = json_set(state, '$.version', 99)")
    later = Tuner(records, now=noon)
    told = later.record_feedback(SERVED, FOLLOW, load("x", 100))
    assert told.reaction is not None
    assert records.moves()[0]["why"] == "started anew because its record cannot be read any more"


def test_what_the_rule_in_force_did_is_counted(tuning: Tuner, records: Store) -> None:
    event = outcomes("a", 3, 400)
    tuning.record_feedback(SERVED, OFF, event)
    rule = SERVED.rule_for(OFF.question)
    assert event.scores is not None
    alarms = rule.rule.decide(event.scores) == 1
    positive = np.array(event.outcomes) == 1
    point = rule.point
    found = records.observed_rates(library_version=1, aim_id=1, fpr=point.fpr, tpr=point.tpr)
    assert found is not None
    assert found["tpr"] * found["positives"] == pytest.approx(np.count_nonzero(alarms & positive))
    assert found["fpr"] * found["negatives"] == pytest.approx(np.count_nonzero(alarms & ~positive))
    assert found["positives"] == np.count_nonzero(positive)
    assert found["negatives"] == np.count_nonzero(~positive)


def test_while_the_tuner_leads_its_own_rule_is_judged(tuning: Tuner, records: Store) -> None:
    hear_loads(tuning, FOLLOW, 200, 2)
    knob = tuning.tuned_knob(SERVED, FOLLOW)
    assert knob is not None
    tuning.record_feedback(SERVED, FOLLOW, outcomes("a", 3, 200))
    point = knob.on(SERVED.hull)
    found = records.observed_rates(library_version=1, aim_id=1, fpr=point.fpr, tpr=point.tpr)
    assert found is not None
    assert found["rows"] == 200


def test_a_coin_is_counted_by_its_chance(tuning: Tuner, records: Store) -> None:
    mixed = Policy(question=Question(max_fpr=0.1, randomize=True), id=4)
    point = SERVED.rule_for(mixed.question).point
    assert point.randomized
    event = outcomes("a", 3, 400)
    tuning.record_feedback(SERVED, mixed, event)
    found = records.observed_rates(library_version=1, aim_id=4, fpr=point.fpr, tpr=point.tpr)
    assert found is not None
    chances = SERVED.at(point).decision_probability(SERVED.batch(scores=event.scores))
    hits = chances[np.array(event.outcomes) == 1].sum()
    assert found["tpr"] * found["positives"] == pytest.approx(hits)


def test_reviewed_rows_are_weighed_and_not_counted(tuning: Tuner, records: Store) -> None:
    event = outcomes("a", 3, 400, complete=False, propensities=[0.5] * 400)
    told = tuning.record_feedback(SERVED, FOLLOW, event)
    assert told.reaction is not None
    assert told.reaction["counted"]
    point = SERVED.rule_for(FOLLOW.question).point
    assert records.observed_rates(library_version=1, aim_id=1, fpr=point.fpr, tpr=point.tpr) is None


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
    tuning: Tuner, records: Store, aim: Policy, change: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        tuning.record_feedback(SERVED, aim, replace(outcomes("a", 3, 50), **change))
    assert records.count_events() == 0
    assert records.tuner is None


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
    tuning: Tuner, records: Store, stated: dict[str, Any], mode: Any
) -> None:
    aim = Policy(question=Question(**stated), tuning=mode, id=5)
    event = outcomes("a", 3, 50)
    told = tuning.record_feedback(SERVED, aim, event)
    assert told.reaction is not None
    assert not told.reaction["counted"]
    assert told.reaction["moved"] == 0
    assert "kept, not weighed" in told.reaction["words"]
    point = SERVED.rule_for(aim.question).point
    found = records.observed_rates(library_version=1, aim_id=5, fpr=point.fpr, tpr=point.tpr)
    assert found is not None
    assert found["rows"] == 50
    assert tuning.record_feedback(SERVED, aim, event) == replace(told, duplicate=True)
    complaint = Feedback(event_id="b", kind="queue_not_filled", times=60)
    reaction = tuning.record_feedback(SERVED, aim, complaint).reaction
    assert reaction is not None
    assert reaction["counted"]
    assert reaction["moved"] > 0


@pytest.mark.parametrize("both", [True, False])
def test_refusals_speak_of_requests_and_not_of_python(tuning: Tuner, both: bool) -> None:
    shares = [1.0] * 50 if both else None
    with pytest.raises(InputError, match='"complete": true') as refused:
        tuning.record_feedback(
            SERVED, FOLLOW, outcomes("a", 3, 50, complete=both, propensities=shares)
        )
    assert "=True" not in str(refused.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alarms": None}, "alarms must be a finite number"),
        ({"alarms": -1}, "alarms must be a finite number, not negative"),
        ({"capacity": 0}, "capacity must be a finite number above 0"),
        ({"kind": "too_many_alarms", "times": 0}, "times must be a finite number above 0"),
    ],
)
def test_numbers_that_make_no_sense(
    tuning: Tuner, records: Store, change: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        tuning.record_feedback(SERVED, FOLLOW, replace(load("a", 100), **change))
    assert records.count_events() == 0


def test_a_repeated_event_is_answered_even_if_it_could_not_be_used_any_more(
    tuning: Tuner, records: Store
) -> None:
    event = outcomes("a", 3, 50)
    first = tuning.record_feedback(SERVED, FOLLOW, event)
    told = tuning.record_feedback(SERVED, NO_COSTS, event)
    assert told == replace(first, duplicate=True)
    with pytest.raises(ConflictError, match="event_id"):
        tuning.record_feedback(SERVED, FOLLOW, outcomes("a", 4, 50))
    assert records.count_events() == 1


def test_what_cannot_be_stored_moves_nothing(tuning: Tuner, records: Store) -> None:
    hear_loads(tuning, FOLLOW, 200, 1)
    stood = tuning.tuned_knob(SERVED, FOLLOW)
    with records._record.reading() as connection:
        connection.execute("PRAGMA query_only = ON")
    with pytest.raises(StorageError):
        hear_loads(tuning, FOLLOW, 500, 1)
    with records._record.reading() as connection:
        connection.execute("PRAGMA query_only = OFF")
    assert tuning.tuned_knob(SERVED, FOLLOW) == stood
    assert records.count_events() == 1
    (again_told,) = hear_loads(tuning, FOLLOW, 500, 1)
    assert again_told["moved"] < 0


def test_nothing_of_the_rows_is_kept(tuning: Tuner, tmp_path: Path) -> None:
    scores, y = scored_rows(1, 50, 0.3)
    scores["nb"][0] = 123456.789
    tuning.record_feedback(
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
    export = Served(
        rocch.RocchClassifier([("nb", GaussianNB())]).fit(X, y.astype(int)), 1, "0" * 64
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

    def test_models_score_the_rows(self, tuning: Tuner) -> None:
        told = tuning.record_feedback(self.export, FOLLOW, self.event())
        assert told.reaction is not None
        assert told.reaction["feedback"] == "outcomes"

    def test_what_they_cannot_score_is_refused(
        self, tuning: Tuner, records: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        nothing = {"0": [None] * 300, "1": [1.0] * 300}
        with pytest.raises(InputError, match="features"):
            tuning.record_feedback(self.export, OFF, self.event(features=nothing))

        def fail(*_: Any) -> None:
            raise ValueError("Input X contains NaN.")

        monkeypatch.setattr(GaussianNB, "predict_proba", fail)
        with pytest.raises(InputError, match="be such as the models were fitted on"):
            tuning.record_feedback(self.export, OFF, self.event())

        def refuse(*_: Any) -> None:
            raise InputError("in plain words")

        monkeypatch.setattr(GaussianNB, "predict_proba", refuse)
        with pytest.raises(InputError, match=r"^in plain words$"):
            tuning.record_feedback(self.export, OFF, self.event())
        assert records.count_events() == 0
