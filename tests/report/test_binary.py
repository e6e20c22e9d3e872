"""The summary of two classes: what it can be made of, its question, and its rule."""

from __future__ import annotations

import json
import math
import re
from dataclasses import asdict
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

import rocch
from rocch import Question
from rocch.report import summarize
from rocch.report.answer import answer
from rocch.report.binary import ASSUMED_COSTS, Source, as_question
from rocch.report.curves import PIXELS
from rocch.report.summary import FORMAT
from tests.support.asking import hull_of, rows_of
from tests.support.columns import ColumnLabels, ColumnScores, scored_columns
from tests.support.reports import binary
from tests.support.rules import run_python, run_sql
from tests.support.surfaces import three_class_surface

RNG = np.random.default_rng(4)
Y = RNG.random(120) < 0.4
X = np.column_stack([RNG.normal(size=120) + Y, RNG.normal(size=120) + 2 * Y])
KNOWN = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=4)
QUESTION = Question(prevalence=0.3, false_positive=1, false_negative=4)


@cache
def fitted(**given: Any) -> Any:
    models = [("one", ColumnScores(0)), ("two", ColumnScores(1)), ("rules", ColumnLabels(1))]
    labels = np.where(Y, "bad", "good")
    return rocch.RocchClassifier(models, cv=3, pos_label="bad", **given).fit(X, labels)


def test_a_hull_from_scores_has_its_rows() -> None:
    hull = rocch.RocHull.from_scores(Y, {"one": X[:, 0], "two": X[:, 1]})
    found = Source.of(hull, label="y")
    assert found.hull is hull
    assert found.rows is not None
    assert (found.rows[0] == Y).all()
    assert list(found.rows[1]) == ["one", "two"]
    assert (found.label, found.positive, found.negative) == ("y", "1", "0")
    assert found.folds is None


@pytest.mark.parametrize("kind", ["curves", "weighted", "two tables", "labels"])
def test_other_hulls_have_none(kind: str) -> None:
    curve = rocch.RocCurve.from_scores(Y, X[:, 0], name="one")
    plain = rocch.RocHull.from_scores(Y, {"two": X[:, 1]})
    hull = {
        "curves": lambda: rocch.RocHull.of(curve),
        "weighted": lambda: rocch.RocHull.from_scores(
            Y, {"one": X[:, 0]}, sample_weight=RNG.random(120)
        ),
        "two tables": lambda: rocch.RocHull.of(
            plain, rocch.RocHull.from_scores(Y.copy(), {"one": X[:, 0]})
        ),
        "labels": lambda: rocch.RocHull.of(
            plain, rocch.RocCurve.from_labels(Y, X[:, 0] > 0, name="rules")
        ),
    }[kind]()
    assert Source.of(hull).rows is None


def test_a_fitted_hybrid_has_its_labels_rows_and_folds() -> None:
    model = fitted()
    found = Source.of(model)
    assert found.hull is model.hull_
    assert (found.positive, found.negative) == ("bad", "good")
    assert found.rows is not None
    assert sorted(found.rows[1]) == ["one", "rules", "two"]
    assert (found.rows[0] == Y).all()
    assert sorted(set(found.folds.tolist())) == [0, 1, 2]


def test_folds_and_labels_that_are_named_win() -> None:
    folds = np.arange(120) % 2
    found = Source.of(fitted(), folds=folds, labels=("no", "yes"))
    assert found.folds is folds
    assert (found.positive, found.negative) == ("yes", "no")


def test_a_weighted_hybrid_has_no_rows() -> None:
    from sklearn.naive_bayes import GaussianNB

    models = [("nb", GaussianNB())]
    model = rocch.RocchClassifier(models, cv=3).fit(X, Y, sample_weight=RNG.random(120))
    assert Source.of(model).rows is None
    assert binary(summarize(model)).data.weighted


def test_a_view_is_reported_by_its_hybrid() -> None:
    found = Source.of(fitted().at(KNOWN))
    assert found.hull == fitted().hull_
    assert found.positive == "bad"


def test_a_loaded_hybrid_is_reported_too(tmp_path: Path) -> None:
    from sklearn.naive_bayes import GaussianNB

    model = rocch.RocchClassifier([("nb", GaussianNB())], cv=3).fit(X, Y)
    rocch.save(model, tmp_path / "model.rocch")
    loaded: Any = rocch.load(tmp_path / "model.rocch")
    found = Source.of(loaded)
    assert found.hull == model.hull_
    made = [summarize(each, KNOWN) for each in (model, loaded)]
    uses = [made.sentence.split(". It ")[0] for made in made]
    assert uses[0] == uses[1]
    assert binary(made[0]).hull == binary(made[1]).hull
    assert binary(made[1]).aim == binary(made[0]).aim
    exact = [binary(summarize(each.at(KNOWN, exact=True))) for each in (model, loaded)]
    assert exact[0].new_rows is not None
    assert exact[1].new_rows is None


@pytest.mark.parametrize(
    ("what", "says"),
    [
        (None, "what must be a RocHull, a RocSurface or a fitted hybrid; got an object of type No"),
        ("scores.csv", "got an object of type str"),
        ([[1, 2]], "got an object of type list"),
        (rocch.RocCurve.from_scores([0, 1], [1, 2]), "got an object of type RocCurve"),
        (rocch.RocHull, "got an object of type type"),
        (rocch.RocchClassifier([("one", ColumnScores(0))]), "a model that is not fitted. Call fit"),
        (ColumnScores(0), "a model that is not fitted"),
    ],
)
def test_nonsense_is_refused(what: Any, says: str) -> None:
    with pytest.raises(rocch.InputError, match=says):
        Source.of(what)


def test_a_restricted_hull_is_refused() -> None:
    vague = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=(4, 5))
    small = rocch.RocHull.from_scores(Y, {"one": X[:, 0]}).within(vague)
    with pytest.raises(rocch.InputError, match="a report must come from a whole hull"):
        Source.of(small)


@pytest.mark.parametrize("labels", [("a",), ("a", "b", "c"), "ab", 5, ("a", "a"), (1, "1")])
def test_labels_must_be_two_that_differ(labels: Any) -> None:
    hull = rocch.RocHull.from_scores(Y, {"one": X[:, 0]})
    with pytest.raises(rocch.InputError, match="labels must be two texts that differ"):
        Source.of(hull, labels=labels)


def test_the_label_must_be_a_text() -> None:
    hull = rocch.RocHull.from_scores(Y, {"one": X[:, 0]})
    with pytest.raises(rocch.InputError, match="label must be a text; got an object of type int"):
        Source.of(hull, label=5)  # type: ignore[arg-type]


# ---- the summary as a whole


def data_of(hull: rocch.RocHull, question: Any = KNOWN, **options: Any) -> Any:
    return binary(summarize(hull, question, **{"resamples": 0, **options}))


@pytest.mark.parametrize("seed", range(10))
def test_the_hull_is_told_in_full(seed: int) -> None:
    hull = hull_of(seed, size=60)
    made = data_of(hull)
    assert made.hull.false_positives == tuple(v.false_positives for v in hull.vertices)
    assert made.hull.true_positives == tuple(v.true_positives for v in hull.vertices)
    inner = [
        (made.classifiers[place].name, threshold)
        for place, threshold in zip(made.hull.classifier, made.hull.threshold, strict=True)
        if place >= 0
    ]
    assert inner == [(v.classifier, v.written_threshold) for v in hull.vertices[1:-1]]
    assert made.hull_auc == hull.auc
    assert made.dominator == hull.dominator()
    rows = [(w.classifier, w.low, math.inf if w.high == "inf" else w.high) for w in made.winners]
    assert rows == [(row.classifier, row.low, row.high) for row in hull.slope_ranges()]
    assert [each.name for each in made.classifiers if each.on_hull] == [
        member.name for member in hull.members if member.name in hull.winners
    ]
    options = {"new_rows": made.new_rows, "why_not": "no_rows", "baselines": made.baselines}
    savings = hull.best(QUESTION).savings()
    assert made.answer == answer(hull, QUESTION, **options, estimated=savings)


def test_a_hull_finer_than_the_eye_is_not_reduced() -> None:
    steps = 3000
    rises = np.arange(steps, 0, -1)
    tp = np.cumsum(rises)
    counts = rocch.RocCurve.from_counts(
        np.arange(1, steps + 1) - 1, tp - 1, negatives=steps, positives=int(tp[-1]), name="smooth"
    )
    hull = rocch.RocHull.of(counts)
    made = data_of(hull)
    assert len(hull) > 2 * PIXELS
    assert len(made.hull.threshold) == len(hull)
    (only,) = made.classifiers
    assert only.curve is not None
    assert len(only.curve.true_positives) < len(hull)


def test_the_data_are_counted() -> None:
    y, scores, rng = rows_of(3, 50)
    data = data_of(rocch.RocHull.from_scores(y, scores), label="y", labels=("no", "yes")).data
    assert (data.rows, data.positives, data.negatives) == (50, y.sum(), (~y).sum())
    assert data.prevalence == pytest.approx(y.mean())
    assert (data.weighted, data.label, data.negative, data.positive) == (False, "y", "no", "yes")
    weights = rng.random(50)
    data = data_of(rocch.RocHull.from_scores(y, scores, sample_weight=weights)).data
    assert data.weighted
    assert data.rows == pytest.approx(weights.sum())
    assert data.positives == pytest.approx(weights[y].sum())


def test_rows_that_differ_have_no_prevalence_and_need_one() -> None:
    hull = hull_of(4)
    assert data_of(hull).data.prevalence is None
    with pytest.raises(rocch.InputError, match="prevalence must be named"):
        summarize(hull)


def test_rows_make_certainty_and_folds_warnings() -> None:
    y, scores, _ = rows_of(1, 300)
    folds = np.arange(300) % 3
    shifted = {"m": next(iter(scores.values())) + 4 * folds}
    made = summarize(rocch.RocHull.from_scores(y, shifted), resamples=100, folds=folds)
    certainty = binary(made).certainty
    assert certainty is not None
    assert certainty.resamples == 100
    assert certainty.rivals
    assert binary(made).classifiers[0].auc_interval is not None
    assert any("not comparable between its 3 folds" in said for said in made.warnings)


def test_the_best_by_auc_has_the_band_without_resamples() -> None:
    rng = np.random.default_rng(0)
    y = rng.random(100) < 0.5
    hull = rocch.RocHull.from_scores(
        y, {"a": rng.normal(size=100), "b": rng.normal(size=100) + 3 * y}
    )
    made = data_of(hull)
    assert made.certainty is not None
    assert [band.model for band in made.certainty.bands] == ["b"]


@pytest.mark.parametrize("seed", range(3))
def test_the_same_rows_make_the_same_summary_and_plain_json(seed: int) -> None:
    y, scores, _ = rows_of(seed, 40)
    made = [
        summarize(rocch.RocHull.from_scores(y, scores), Question(cost_ratio=(1, 5)), resamples=40)
        for _ in range(2)
    ]
    assert made[0] == made[1]
    assert json.loads(json.dumps(asdict(made[0]), allow_nan=False))["format"] == FORMAT


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"title": 5}, "title must be a text"),
        ({"label": 5}, "label must be a text"),
        ({"labels": ("a",)}, "labels must be two texts"),
        ({"resamples": -1}, "resamples must be a whole number"),
        ({"folds": [1]}, "folds must have one value for each"),
        ({"question": "expensive"}, "question must be a Question, Conditions, or a criterion"),
        ({"question": rocch.Belief.cost_ratio(1, 2)}, "question must be a Question"),
        ({"question": rocch.Maximize(lambda f, t: t - f)}, "that a question can state"),
        ({"question": {"max_fpr": 2}}, "max_fpr must be"),
        (
            {"question": {"false_alarms": 2}},
            "question must have known fields only; got 'false_alarms'",
        ),
        ({"question": {"capacity": 2}}, "capacity must be given with"),
        ({"question": Question(max_fpr=0.1, prevalence=0.2)}, "prevalence must be given with"),
    ],
)
def test_what_cannot_be_meant_is_refused_by_name(options: Any, message: str) -> None:
    y, scores, _ = rows_of(0, 30)
    with pytest.raises(rocch.InputError, match=message):
        summarize(rocch.RocHull.from_scores(y, scores), **options)


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(
        rocch.InputError, match=r"options must be .*; got 'titel'. Did you mean 'title'"
    ):
        summarize(hull_of(0), titel="Mine")
    with pytest.raises(rocch.InputError, match=r"options must be those of .*; got 'resamples'"):
        summarize(three_class_surface(), resamples=5)


def test_a_surface_is_summarized_as_one_of_many_classes() -> None:
    made = summarize(three_class_surface(), title="Three")
    assert made.binary is None
    assert made.multiclass is not None
    assert (made.title, len(made.multiclass.classes)) == ("Three", 3)


# ---- the question

HULL = rocch.RocHull.from_scores([0, 0, 0, 1], {"m": [1, 2, 3, 4]})


def asked(question: Any = None, what: Any = HULL) -> tuple[dict[str, Any], tuple[str, ...]]:
    made = summarize(what, question, resamples=0)
    return made.question, made.remarks


def test_without_a_question_both_errors_cost_1_at_the_observed_prevalence() -> None:
    even = {"prevalence": 0.25, "false_positive": 1, "false_negative": 1}
    assert asked() == (even, (ASSUMED_COSTS,))
    assert asked(Question(prevalence=0.1)) == (even | {"prevalence": 0.1}, (ASSUMED_COSTS,))
    assert asked({}) == (even, (ASSUMED_COSTS,))


@pytest.mark.parametrize(
    ("question", "fields"),
    [
        (
            rocch.Conditions(prevalence=(0.1, 0.2), false_positive=3, false_negative=(4, 5)),
            {"prevalence": [0.1, 0.2], "false_positive": 3, "false_negative": [4, 5]},
        ),
        (
            rocch.Conditions(
                prevalence="observed", false_positive=3, false_negative=4, true_positive=1
            ),
            {"prevalence": 0.25, "false_positive": 3, "false_negative": 4, "true_positive": 1},
        ),
        (
            rocch.Conditions(prevalence=0.1, false_positive=1, false_negative=0),
            {"prevalence": 0.1, "false_positive": 1, "false_negative": 0},
        ),
        (rocch.NeymanPearson(0.1), {"max_fpr": 0.1}),
        (rocch.MinimumTpr(0.5), {"min_tpr": 0.5}),
        (rocch.Maximize("f1"), {"prevalence": 0.25, "maximize": "f1"}),
        (rocch.roc.Knob(0.3), {"knob": 0.3}),
        ({"cost_ratio": [2, "inf"], "false_negative": 5}, None),
        (Question(capacity=1, population=4), {"prevalence": 0.25, "capacity": 1, "population": 4}),
    ],
)
def test_a_question_is_taken_as_it_is(question: Any, fields: dict[str, Any] | None) -> None:
    wanted = {"prevalence": 0.25, **question} if fields is None else fields
    assert asked(question) == (wanted, ())


def test_a_question_in_words_is_what_is_assumed() -> None:
    question = Question(prevalence=(0.1, 0.2), cost_ratio=(5, 10))
    made = summarize(HULL, question, resamples=0)
    assert made.assumed == question.describe()
    assert as_question(None) is None


def test_a_view_asks_what_it_is_aimed_at() -> None:
    aimed = fitted().at(rocch.MinimumTpr(0.8), randomize=True)
    assert asked(what=aimed)[0] == {"min_tpr": 0.8, "randomize": True}
    question, remarks = asked(what=fitted().at(rocch.Maximize(lambda f, t: t - f)))
    assert question["false_negative"] == 1
    assert remarks == (
        "The model is aimed by Maximize, which no question can state.",
        ASSUMED_COSTS,
    )


# ---- how to deploy

LABELED = np.random.default_rng(12).random(80) < 0.4
SCORES = np.random.default_rng(13).normal(size=80) + LABELED
NOISE = np.random.default_rng(14).normal(size=80)
NAMES = ("plain", 'quo"te', "it's", "back\\slash", "ünïcode \N{FOX FACE}", "new\nline", "a|b; --")
LABELS = (("0", "1"), ("good", "bad"), ("False", "True"), ("it's", 'a"b'), ("-1", "1.5"))
ODD_LABELS = (
    *LABELS,
    ("00", "007"),
    ("0", "bad"),
    ("no", "True"),
    ("1", "1.0"),
    ("\\", "x\ny"),
    ("no", "já \N{FOX FACE}"),
)


class Texts(NamedTuple):
    words: str
    python: str
    sql: str


def deployed(what: Any, folder: Path, question: Any = None, **options: Any) -> Texts:
    """Return how to deploy, as a written report says it."""
    path = folder / "report.md"
    rocch.write_report(what, path, question, **{"resamples": 0, **options})
    section = path.read_text(encoding="utf-8").partition("## How to use it\n")[2]
    found = re.match(r"\n(.*?)\n\n```python\n(.*?)\n```\n\n```sql\n(.*?)\n```", section, re.DOTALL)
    assert found
    words, *code = found.groups()
    return Texts(re.sub(r"\\(.)", r"\1", words), *code)  # Markdown escapes signs


def costing(false_negative: Any = 1, false_positive: Any = 1, prevalence: Any = 0.3) -> Any:
    return rocch.Conditions(
        prevalence=prevalence, false_positive=false_positive, false_negative=false_negative
    )


def as_text(value: Any) -> str:
    return f"{float(value):g}" if isinstance(value, float | Decimal) else str(value)


@pytest.mark.parametrize(
    ("name", "negative", "positive"),
    [*((name, "good", "bad") for name in NAMES), *(("m", *labels) for labels in ODD_LABELS)],
)
def test_python_and_sql_decide_as_the_threshold_does(
    name: str, negative: str, positive: str, tmp_path: Path
) -> None:
    hull = rocch.RocHull.from_scores(LABELED, {name: SCORES})
    known = costing(false_negative=2)
    texts = deployed(hull, tmp_path, known, labels=(negative, positive))
    rows = pd.DataFrame({name: SCORES})
    point = hull.best(known).point
    assert isinstance(point.lowest_score, float)
    alarms = np.greater_equal(SCORES, point.lowest_score)
    wanted = [positive if alarm else negative for alarm in alarms]
    for found in (run_python(texts.python, rows), run_sql(texts.sql, rows)):
        assert [as_text(value) for value in found] == wanted
    # and these are the decisions that were counted
    assert (alarms & LABELED).sum() == pytest.approx(point.tpr * LABELED.sum())
    assert (alarms & ~LABELED).sum() == pytest.approx(point.fpr * (~LABELED).sum())


def named(words: str) -> str:
    """Return the words of a rule with a name for a label that is none."""
    return re.sub(r"\bpredict (1|True)\b", "predict positive", words)


def test_thresholds_are_the_rules_to_the_last_digit(tmp_path: Path) -> None:
    """Between a shortened threshold and the exact one, new rows would be decided otherwise."""
    hull = rocch.RocHull.from_scores(LABELED, {"m": SCORES})
    known = costing(false_negative=2)
    rule = rocch.hybrid.Rule.from_point(hull.best(known), positive=1, negative=0)
    texts = deployed(hull, tmp_path, known)
    assert texts.words == named(rule.words)
    assert texts.sql == rule.to_sql()
    exact = hull.best(known).threshold
    assert isinstance(exact, float)
    rows = pd.DataFrame({"m": [np.nextafter(exact, -np.inf), exact, np.nextafter(exact, np.inf)]})
    assert rule.decide(rows).tolist() == [0, 1, 1]
    assert run_python(texts.python, rows) == [0, 1, 1]
    assert run_sql(texts.sql, rows) == [0, 1, 1]


def hybrid(**more: Any) -> tuple[Any, Any]:
    from sklearn.naive_bayes import GaussianNB

    X = np.column_stack([SCORES, NOISE])
    labels = np.where(LABELED, "1", "0")
    model = rocch.RocchClassifier([("nb", GaussianNB())], cv=3, pos_label="1", **more)
    return X, model.fit(X, labels)


def test_the_rule_is_the_one_of_the_hybrid(tmp_path: Path) -> None:
    _, model = hybrid()
    aimed = model.at(costing(false_negative=4), exact=True)
    texts = deployed(aimed, tmp_path)
    assert (texts.words, texts.sql) == (named(aimed.rule.words), aimed.rule.to_sql())
    rows = pd.DataFrame({"nb": np.linspace(0, 1, 1001)})
    wanted = aimed.rule.decide(rows).tolist()
    assert set(wanted) == {"0", "1"}  # texts that look like numbers, as the hybrid predicts them
    assert run_python(texts.python, rows) == wanted
    assert run_sql(texts.sql, rows) == wanted


def test_the_coin_is_the_one_of_the_hybrid(tmp_path: Path) -> None:
    _, model = hybrid()
    aimed = model.at(rocch.NeymanPearson(0.13), randomize=True, seed=7, row_key="case")
    assert len(aimed.rule.mix) == 2
    texts = deployed(aimed, tmp_path)
    assert texts.words == named(aimed.rule.words)
    assert texts.sql.partition("\n")[2] == aimed.rule.to_sql(dialect="postgresql")
    rows = pd.DataFrame({"case": np.arange(1001), "nb": np.linspace(0, 1, 1001)})
    wanted = aimed.rule.decide(rows, row_key=rows["case"]).tolist()
    assert run_python(texts.python, rows) == wanted
    assert run_sql(texts.sql, rows) == wanted


def test_combined_models_decide_as_the_rule_does(tmp_path: Path) -> None:
    from sklearn.frozen import FrozenEstimator

    rng = np.random.default_rng(3)
    y = rng.random(2000) < 0.5
    # each sees one of two reasons for which a row can be positive
    reason = rng.random(2000) < 0.5
    one, other = (rng.normal(size=2000) + 4 * (y & side) for side in (reason, ~reason))
    X = scored_columns(one, other, y)
    frozen = [(n, FrozenEstimator(ColumnScores(i).fit(X, y))) for i, n in enumerate(("a", "b"))]
    model = rocch.RocchClassifier(frozen, combine=True).fit(X, y)
    aimed = next(
        view
        for limit in np.linspace(0.02, 0.3, 15)
        if len((view := model.at(rocch.NeymanPearson(float(limit)))).rule.models) == 2
    )
    texts = deployed(aimed, tmp_path)
    assert (texts.words, texts.sql) == (named(aimed.rule.words), aimed.rule.to_sql())
    rows = pd.DataFrame({"a": one, "b": other})
    wanted = aimed.rule.decide(rows).tolist()
    assert run_python(texts.python, rows) == wanted
    assert run_sql(texts.sql, rows) == wanted


def test_a_stack_is_written_with_its_weights_in_code_and_by_name_in_words(tmp_path: Path) -> None:
    from sklearn.compose import make_column_transformer
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline

    rng = np.random.default_rng(6)
    y = rng.random(300) < 0.4
    X = rng.normal(size=(300, 2)) + 1.2 * y[:, None]  # each model sees one of two columns
    models = [
        (name, make_pipeline(make_column_transformer(("passthrough", [i])), GaussianNB()))
        for i, name in enumerate(("one", "two"))
    ]
    model = rocch.RocchClassifier(models, cv=3, pos_label=True).fit(X, y)
    aimed = model.at(costing(false_negative=2), exact=True)
    assert aimed.point.classifier == "stack"
    texts = deployed(aimed, tmp_path)
    assert texts.sql == aimed.rule.to_sql()
    assert texts.words.startswith("predict positive when stack >= ")
    assert "where stack =" in aimed.rule.words
    assert "where stack =" not in texts.words
    conditions = binary(summarize(aimed)).rule["conditions"]
    (own,) = (each for each in conditions if each["classifier"] == "stack")
    assert own["words"] == ["predict positive when stack >= ", "threshold", ""]
    assert '"one"' in own["sql"][0]


@pytest.mark.parametrize(("kind", "false_negative", "every"), [("never", 0, 0), ("always", 1, 1)])
def test_the_ends_need_no_classifier(
    kind: str, false_negative: float, every: int, tmp_path: Path
) -> None:
    # what is no better than chance has no vertex of its own
    hull = rocch.RocHull.from_scores(LABELED, {"m": -SCORES})
    texts = deployed(hull, tmp_path, costing(false_negative, prevalence=0.9))
    rows = pd.DataFrame({"m": SCORES})
    assert texts.words == f"{kind} predict positive"
    assert run_python(texts.python, rows) == [every] * 80
    assert run_sql(texts.sql, rows) == [every] * 80


@pytest.mark.parametrize(("negative", "positive"), LABELS)
def test_labels_only_are_compared_with_the_positive_label(
    negative: str, positive: str, tmp_path: Path
) -> None:
    alarms = LABELED ^ (NOISE > 1.3)
    hull = rocch.RocHull.of(rocch.RocCurve.from_labels(LABELED, alarms, name="rules"))
    texts = deployed(hull, tmp_path, costing(), labels=(negative, positive))
    values: Any = np.where(alarms, positive, negative)
    if negative in ("0", "-1"):
        values = values.astype(float)
    if negative == "False":
        values = alarms
    rows = pd.DataFrame({"rules": values})
    wanted = [positive if alarm else negative for alarm in alarms]
    for found in (run_python(texts.python, rows), run_sql(texts.sql, rows)):
        assert [as_text(value) for value in found] == wanted
    name = "positive" if positive in ("1", "True", "1.5") else positive
    assert texts.words == f"predict {name} when rules alarms"


def test_each_setting_has_a_column_of_labels(tmp_path: Path) -> None:
    strict, lax = LABELED & (NOISE < 0.5), LABELED | (NOISE > 0.2)
    settings = rocch.RocCurve.from_labels(LABELED, {"strict": strict, "lax": lax}, name="rules")
    texts = deployed(rocch.RocHull.of(settings), tmp_path, Question(max_fpr=0.2, randomize=True))
    assert "predict positive when rules at setting strict alarms, otherwise" in texts.words
    columns = {"rules at setting strict": strict, "rules at setting lax": lax}
    rows = pd.DataFrame({"row_id": np.arange(80), **columns}).astype(int)
    found = run_python(texts.python, rows)
    assert run_sql(texts.sql, rows) == found
    assert strict.sum() < sum(found) < lax.sum()


def test_a_capacity_says_what_to_expect_on_new_rows_in_its_population() -> None:
    hull = rocch.RocHull.from_scores(Y, {"one": X[:, 0], "two": X[:, 1]})
    question = Question(capacity=60, population=800)
    found = summarize(hull, question, resamples=0)
    rates = hull.best(question).on_new_rows.rates
    assert rates is not None
    assert found.binary is not None
    assert found.binary.answer.new_rows_note == str(rates)
    (told,) = (part for part in found.sections if part.title == "New rows")
    assert "of 800 cases" in str(told.parts[0])
