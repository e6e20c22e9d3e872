from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rocch.kernels.assignment import least_cost
from rocch.report.many_classes import words
from rocch.report.many_classes.answer import answer
from rocch.report.many_classes.question import CostQuestion
from rocch.report.many_classes.summary import Members
from tests.support.many_reports import drawn

CLASSES = ("cat's", 'd"g', "eel")
OWN = (0.0, 3.0, 0.25, 1.0, 0.0, 1e-05, 2.0, 0.5, 0.0)
FLAT = (0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0)
MEMBERS = Members(
    (0, 0, 1, -3),
    (0, -1, -1, -1),
    ((1,) * 9,) * 4,
    (OWN, FLAT, None, None),
    ("k 5", "", "", ""),
    ("least_expected_cost", "most_likely_class", "own_predictions", "always"),
)
MODELS = ("my\nmodel", "rules")
ASKED = CostQuestion(
    classes=CLASSES, costs=((0, 3, 0.25), (1, 0, 1e-05), (2, 0.5, 0)), shares=(0.5, 0.25, 0.25)
)
OTHER = CostQuestion(
    classes=CLASSES, costs=((0, 1, 1), (1, 0, 1), (1, 1, 0)), shares=(0.5, 0.25, 0.25)
)


def test_what_to_use_is_an_instruction() -> None:
    assert words.use(MEMBERS, 0, MODELS, ASKED) == "Use my\nmodel (k 5), predicting by your costs"
    assert words.use(MEMBERS, 0, MODELS, OTHER).endswith("predicting by the costs of this rule")
    assert words.use(MEMBERS, 1, MODELS, OTHER) == "Use my\nmodel's most likely class"
    assert words.use(MEMBERS, 2, MODELS, OTHER) == "Use rules's own predictions"
    assert words.use(MEMBERS, 3, MODELS, OTHER) == "Always predict eel"


def test_every_member_has_a_label_and_a_rule() -> None:
    labels = [words.label(MEMBERS, place, MODELS, ASKED) for place in range(4)]
    assert labels == [
        "my\nmodel, your costs",
        "my\nmodel, most likely class",
        "rules",
        "always eel",
    ]
    kinds = tuple(words.rule_of(MEMBERS, place, MODELS, CLASSES).kind for place in range(4))
    assert kinds == MEMBERS.kind


def test_names_cannot_hide_what_follows_them() -> None:
    assert words.misses((0.5, 0.0), ("a\u202e", "b")) == "misses 50 of 100 a\\u202e"


@pytest.mark.parametrize(
    ("equals", "note"),
    [
        (0, "± 1.00"),
        (1, "± 1.00; 1 other costs as little"),
        (1234, "± 1.00; 1,234 others cost as little"),
    ],
)
def test_a_cost_has_its_error_and_its_equals(equals: int, note: str) -> None:
    found = answer(MEMBERS, MODELS, ASKED)
    assert words.cost_note(replace(found, standard_error=0.01, equals=equals)) == note


def test_misses_are_told_of_few_classes_and_of_the_worst_of_many() -> None:
    assert words.misses((0.5, 0.0, 0.031), ("a", "b", "c")) == "misses 50 of 100 a and 3.1 of 100 c"
    assert words.misses((0.0, 0.0), ("a", "b")) == "misses none"
    many = words.misses((0.1, 0.4, 0.0, 0.3, 0.3), tuple("abcde"))
    assert many == "misses at worst 40 of 100 b, 30 of 100 d and 30 of 100 e"
    assert words.misses((0.1, 0.0, 0.0, 0.0, 0.0), tuple("abcde")) == "misses at worst 10 of 100 a"


def test_costs_are_read_as_parts_of_the_largest() -> None:
    assert words.relative((0.0, 0.5, 2.0, 0.0)) == ("0", "25", "100", "0")
    assert words.relative((0.0, 0.0)) == ("0", "0")


class Fitted:
    """A fitted model, as the Python of a report asks it."""

    def __init__(self, posteriors: object) -> None:
        self.posteriors = posteriors

    def predict_proba(self, X: object) -> object:  # noqa: ARG002 - one answer for all
        return self.posteriors

    def predict(self, X: object) -> list[str]:  # noqa: ARG002 - likewise
        return ["eel"] * 40


@pytest.mark.parametrize("place", range(4))
def test_the_python_of_a_rule_answers_as_the_member_does(place: int) -> None:
    _, posteriors = drawn(3, 40)
    scope = {"model": Fitted(posteriors), "X": [0] * 40}
    exec(words.rule_of(MEMBERS, place, MODELS, CLASSES).to_python(), scope)  # noqa: S102 - our own text
    costs = MEMBERS.costs[place]
    expected = ["eel"] * 40
    if costs is not None:
        places = least_cost(posteriors, np.array(costs).reshape(3, 3))
        expected = [CLASSES[each] for each in places]
    assert list(scope["predictions"]) == expected  # type: ignore[call-overload]


@pytest.mark.parametrize("place", range(4))
def test_the_sql_of_a_rule_answers_as_the_member_does(place: int) -> None:
    duckdb = pytest.importorskip("duckdb")
    _, posteriors = drawn(3, 40)
    columns = ", ".join('"' + name.replace('"', '""') + '" DOUBLE' for name in CLASSES)
    with duckdb.connect() as base:
        base.execute(f"CREATE TABLE scored (row_id INTEGER, {columns}, rules VARCHAR)")
        rows = [(row, *own, "eel") for row, own in enumerate(posteriors.tolist())]
        base.executemany("INSERT INTO scored VALUES (?, ?, ?, ?, ?)", rows)
        query = words.rule_of(MEMBERS, place, MODELS, CLASSES).to_sql()
        found = base.execute(f"SELECT prediction FROM ({query}) ORDER BY row_id").fetchall()  # noqa: S608
    costs = MEMBERS.costs[place]
    expected = ["eel"] * 40
    if costs is not None:
        places = least_cost(posteriors, np.array(costs).reshape(3, 3))
        expected = [CLASSES[each] for each in places]
    assert [label for (label,) in found] == expected
