"""The question about more than two classes: texts, JSON, costs and shares."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import numpy as np
import pytest

import rocch
from rocch.multiclass import Classes, ClassQuestion, DirichletBelief

CLASSES = ["a", "b", "c"]
TOTALS = np.array([10, 20, 70])
STATED = ClassQuestion(
    costs={("a", "b"): 3, ("b", "a"): (1, 2)},
    default_cost=1,
    priors={"a": 0.2, "b": (0.1, 0.3), "c": (0.5, 0.7)},
)


def test_nothing_stated_costs_one_at_the_observed_shares() -> None:
    nothing = ClassQuestion()
    assert not nothing
    assert nothing.is_exact
    assert nothing.to_dict() == {}
    assert nothing.describe() == ""
    assert nothing.cost_matrix(CLASSES) == rocch.CostMatrix.zero_one(CLASSES)
    assert nothing.shares(CLASSES, TOTALS).shares.tolist() == [0.1, 0.2, 0.7]
    assert nothing.resolve(CLASSES, TOTALS) == ClassQuestion(
        default_cost=1, priors={"a": 0.1, "b": 0.2, "c": 0.7}
    )


def test_stated_values_are_kept_when_the_rest_is_resolved() -> None:
    assert STATED.resolve(CLASSES, TOTALS) == STATED
    partial = ClassQuestion(costs={("a", "b"): 3}, priors="observed")
    resolved = partial.resolve(CLASSES, TOTALS)
    assert (resolved.costs, resolved.default_cost) == (partial.costs, None)
    assert resolved.priors == {"a": 0.1, "b": 0.2, "c": 0.7}


def test_costs_and_shares_for_known_classes() -> None:
    expected = rocch.CostMatrix({("a", "b"): 3, ("b", "a"): (1, 2)}, classes=CLASSES, default=1)
    assert STATED.cost_matrix(CLASSES) == expected
    assert tuple(STATED.cost_matrix(["c", "b", "a"]).classes) == ("c", "b", "a")
    assert STATED.shares(CLASSES, None).low == pytest.approx([0.2, 0.1, 0.5])
    assert not STATED.is_exact


def test_costs_alone_name_the_classes() -> None:
    question = ClassQuestion(costs={("a", "b"): 3, ("b", "a"): 1})
    assert question.is_exact
    assert question.cost_matrix() == rocch.CostMatrix({("a", "b"): 3, ("b", "a"): 1})
    with pytest.raises(rocch.InputError, match="default_cost must be given with costs"):
        ClassQuestion(default_cost=1).cost_matrix()


def test_missing_costs_are_refused() -> None:
    with pytest.raises(rocch.InputError, match="no cost for"):
        ClassQuestion(costs={("a", "b"): 3}).cost_matrix(CLASSES)


def test_a_matrix_and_a_belief_are_costs() -> None:
    matrix = rocch.CostMatrix({("a", "b"): 3, ("b", "a"): (1, 2), ("a", "a"): 0.5})
    question = ClassQuestion.from_costs(matrix)
    assert question.cost_matrix() == matrix
    assert question.costs is not None
    assert ("b", "b") not in question.costs
    belief = DirichletBelief.about({("a", "b"): 3, ("b", "a"): 1}, strength=10)
    assert ClassQuestion.from_costs(belief).cost_matrix() == belief.mean_costs()
    shares = DirichletBelief.about({"a": 3, "b": 1}, strength=10)
    assert ClassQuestion.from_costs(None, shares).priors == {"a": 0.75, "b": 0.25}


def test_shares_in_a_series() -> None:
    pandas = pytest.importorskip("pandas")
    series = pandas.Series({"a": 0.25, "b": 0.75})
    assert ClassQuestion.from_costs(None, series).priors == {"a": 0.25, "b": 0.75}


def test_texts_name_classes_that_are_no_texts() -> None:
    question = ClassQuestion.from_strings(
        {"costs": "1>2=5", "default_cost": "1", "priors": "1=0.5,2=0.5"}
    )
    assert question.cost_matrix([1, 2])[1, 2] == 5
    assert question.shares(Classes.of([2, 1]), None).shares.tolist() == [0.5, 0.5]
    with pytest.raises(rocch.InputError, match="'3'"):
        ClassQuestion.from_strings({"costs": "1>3=5"}).cost_matrix([1, 2])


@pytest.mark.parametrize(
    ("text", "costs"),
    [
        ("cat>dog=3", {("cat", "dog"): 3.0}),
        ("cat>dog=3;dog>cat=1-2", {("cat", "dog"): 3.0, ("dog", "cat"): (1.0, 2.0)}),
        (" big cat > dog = 10..20", {("big cat", "dog"): (10.0, 20.0)}),
        ("a=b>c=1/4", {("a=b", "c"): 0.25}),
        ("a, b>c=1", {("a, b", "c"): 1.0}),
        ("cat>cat=0.5", {("cat", "cat"): 0.5}),
    ],
)
def test_costs_name_the_truth_first(text: str, costs: object) -> None:
    assert ClassQuestion.from_strings({"costs": text}).costs == costs


@pytest.mark.parametrize(
    ("text", "shares"),
    [
        ("observed", "observed"),
        (" Observed ", "observed"),
        ("a=0.2,b=0.8", {"a": 0.2, "b": 0.8}),
        ("a=20%, b=80%", {"a": 0.2, "b": 0.8}),
        ("a = 0.1..0.3 , b=0.7..0.9", {"a": (0.1, 0.3), "b": (0.7, 0.9)}),
        ("x, y=0.2,z=0.8", {"x, y": 0.2, "z": 0.8}),
    ],
)
def test_shares_as_typed(text: str, shares: object) -> None:
    assert ClassQuestion.from_strings({"priors": text}).priors == shares


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ({"costs": "cat>dog"}, "have the form"),
        ({"costs": ""}, "have the form"),
        ({"costs": "cat=3"}, "name truth>prediction"),
        ({"costs": "cat>=3"}, "name truth>prediction"),
        ({"costs": ">dog=3"}, "name truth>prediction"),
        ({"costs": "cat>dog=x"}, "predicting dog when cat is true must be a number or an interval"),
        ({"costs": "a>b>c=1"}, "one '>'"),
        ({"costs": "a>b=1,a>b=2"}, "once; got 'a>b' twice"),
        ({"costs": "a>b=-1"}, "the cost of predicting b when a is true must be"),
        ({"costs": "a>b=2..1"}, "run from low to high"),
        ({"costs": "a>b=1..inf"}, "got inf"),
        ({"default_cost": "x"}, "default_cost must be a number"),
        ({"priors": ""}, "have the form"),
        ({"priors": "0.5"}, "have the form"),
        ({"priors": "a=0.5,b"}, "have the form"),
        ({"priors": "a=0.5,a=0.5"}, "'a' twice"),
        ({"priors": "a=x,b=1"}, "'x'"),
        ({"priors": "a=5,b=95"}, r"priors\['a'\] must be .* 5% is 0.05"),
        ({"prior": "a=1"}, "priors"),
    ],
)
def test_texts_that_make_no_sense(texts: dict[str, str], message: str) -> None:
    with pytest.raises(rocch.InputError, match=message):
        ClassQuestion.from_strings(texts)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"costs": {"a": 1}}, "list of truth, prediction and cost"),
        ({"costs": [["a", "b"]]}, "list of truth, prediction and cost"),
        ({"costs": [["a", "b", 1], ["a", "b", 2]]}, "twice"),
        ({"costs": [["a", "b", "x"]]}, "must be a number or an interval"),
        ({"priors": ["a"]}, "map every class"),
        ({"prior": {}}, "priors"),
        ([], "object with fields"),
    ],
)
def test_json_that_makes_no_sense(data: Any, message: str) -> None:
    with pytest.raises(rocch.InputError, match=message):
        ClassQuestion.from_dict(data)


def test_shares_must_sum_to_one_over_all_classes() -> None:
    with pytest.raises(rocch.InputError, match="sum to 1"):
        ClassQuestion(priors={"a": 0.2, "b": 0.3, "c": 0.4}).shares(CLASSES, TOTALS)
    with pytest.raises(rocch.InputError, match="'c'"):
        ClassQuestion(priors={"a": 0.2, "b": 0.8}).shares(CLASSES, TOTALS)


@pytest.mark.parametrize(
    "question",
    [
        STATED,
        ClassQuestion(costs={("a>b", "c"): 2, (1, 2): (3, 4)}),
        ClassQuestion(default_cost=(1, 2), priors="observed"),
    ],
)
def test_json_keeps_the_question(question: ClassQuestion) -> None:
    written = json.loads(json.dumps(question.to_dict()))
    assert ClassQuestion.from_dict(written) == question


def test_null_in_json_is_not_stated() -> None:
    assert ClassQuestion.from_dict({"costs": None, "priors": None}) == ClassQuestion()


def test_the_schema_accepts_what_is_written_and_refuses_the_rest() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    valid = jsonschema.Draft202012Validator(ClassQuestion.json_schema()).is_valid
    assert valid(json.loads(json.dumps(STATED.to_dict())))
    assert valid({"priors": "observed"})
    for data in (
        {"costs": [["a", "b"]]},
        {"costs": [["a", "b", -1]]},
        {"priors": {"a": 2}},
        {"priors": "seen"},
        {"other": 1},
    ):
        assert not valid(data)


def test_the_question_in_words() -> None:
    assert STATED.describe() == (
        "a predicted as b costs 3, b predicted as a costs 1 to 2, other errors cost 1, "
        "20% a, 10 to 30% b, 50 to 70% c"
    )
    observed = ClassQuestion(default_cost=2, priors="observed")
    assert observed.describe() == ("every error costs 2, the class balance of the evaluation rows")


def test_fields_describe_every_attribute() -> None:
    names = [each.name for each in ClassQuestion.fields()]
    assert names == [each.name for each in dataclasses.fields(ClassQuestion)]
    for each in ClassQuestion.fields():
        assert ClassQuestion.from_strings({each.name: each.example})


def test_a_usual_cost_is_stated_once() -> None:
    names = ["a", "b", "c"]
    alike = ClassQuestion.from_costs(rocch.CostMatrix.zero_one(names))
    assert (alike.costs, alike.default_cost) == (None, 1)
    matrix = rocch.CostMatrix({("a", "b"): 9, ("b", "a"): (2, 3)}, classes=names, default=(4, 5))
    found = ClassQuestion.from_costs(matrix)
    assert found.costs == {("a", "b"): 9, ("b", "a"): (2, 3)}
    assert found.default_cost == (4.0, 5.0)
    assert found.cost_matrix(names) == matrix
