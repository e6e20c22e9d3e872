"""The rule that a report prints: the text of `rocch.hybrid.Rule`, run in Python and databases."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

import rocch
from tests.support.columns import ColumnScores, scored_columns
from tests.support.rules import run_python, run_sql

if TYPE_CHECKING:
    from pathlib import Path

Y = np.random.default_rng(12).random(80) < 0.4
SCORES = np.random.default_rng(13).normal(size=80) + Y
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


def deployed(what: Any, folder: Path, **said: Any) -> Texts:
    """Return how to deploy, as a written report says it."""
    path = folder / "report.md"
    rocch.write_report(what, path, **{"resamples": 0, **said})
    section = path.read_text(encoding="utf-8").partition("## How to deploy\n")[2]
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
    hull = rocch.RocHull.from_scores(Y, {name: SCORES})
    known = costing(false_negative=2)
    texts = deployed(hull, tmp_path, conditions=known, labels=(negative, positive))
    rows = pd.DataFrame({name: SCORES})
    point = hull.best(known).point
    assert isinstance(point.threshold, float)
    alarms = np.greater_equal(SCORES, point.threshold)
    wanted = [positive if alarm else negative for alarm in alarms]
    for found in (run_python(texts.python, rows), run_sql(texts.sql, rows)):
        assert [as_text(value) for value in found] == wanted
    # and these are the decisions that were counted
    assert (alarms & Y).sum() == pytest.approx(point.tpr * Y.sum())
    assert (alarms & ~Y).sum() == pytest.approx(point.fpr * (~Y).sum())


def test_thresholds_are_the_rules_to_the_last_digit(tmp_path: Path) -> None:
    """Between a shortened threshold and the exact one, new rows would be decided otherwise."""
    hull = rocch.RocHull.from_scores(Y, {"m": SCORES})
    known = costing(false_negative=2)
    rule = rocch.hybrid.Rule.from_point(hull.best(known), positive=1, negative=0)
    texts = deployed(hull, tmp_path, conditions=known)
    assert texts.words == rule.words
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
    labels = np.where(Y, "1", "0")
    model = rocch.RocchClassifier([("nb", GaussianNB())], cv=3, pos_label="1", **more)
    return X, model.fit(X, labels)


def test_the_rule_is_the_one_of_the_hybrid(tmp_path: Path) -> None:
    _, model = hybrid()
    aimed = model.at(costing(false_negative=4), exact=True)
    texts = deployed(aimed, tmp_path)
    assert (texts.words, texts.sql) == (aimed.rule.words, aimed.rule.to_sql())
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
    assert texts.words == aimed.rule.words
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
    assert (texts.words, texts.sql) == (aimed.rule.words, aimed.rule.to_sql())
    rows = pd.DataFrame({"a": one, "b": other})
    wanted = aimed.rule.decide(rows).tolist()
    assert run_python(texts.python, rows) == wanted
    assert run_sql(texts.sql, rows) == wanted


@pytest.mark.parametrize(("kind", "false_negative", "every"), [("never", 0, 0), ("always", 1, 1)])
def test_the_ends_need_no_classifier(
    kind: str, false_negative: float, every: int, tmp_path: Path
) -> None:
    # what is no better than chance has no vertex of its own
    hull = rocch.RocHull.from_scores(Y, {"m": -SCORES})
    texts = deployed(hull, tmp_path, conditions=costing(false_negative, prevalence=0.9))
    rows = pd.DataFrame({"m": SCORES})
    assert texts.words == f"predict 1 {kind}"
    assert run_python(texts.python, rows) == [every] * 80
    assert run_sql(texts.sql, rows) == [every] * 80


@pytest.mark.parametrize(("negative", "positive"), LABELS)
def test_labels_only_are_compared_with_the_positive_label(
    negative: str, positive: str, tmp_path: Path
) -> None:
    alarms = Y ^ (NOISE > 1.3)
    hull = rocch.RocHull.of(rocch.RocCurve.from_labels(Y, alarms, name="rules"))
    texts = deployed(hull, tmp_path, conditions=costing(), labels=(negative, positive))
    values: Any = np.where(alarms, positive, negative)
    if negative in ("0", "-1"):
        values = values.astype(float)
    if negative == "False":
        values = alarms
    rows = pd.DataFrame({"rules": values})
    wanted = [positive if alarm else negative for alarm in alarms]
    for found in (run_python(texts.python, rows), run_sql(texts.sql, rows)):
        assert [as_text(value) for value in found] == wanted
    assert texts.words == f"predict {positive} when rules alarms"


def test_each_setting_has_a_column_of_labels(tmp_path: Path) -> None:
    strict, lax = Y & (NOISE < 0.5), Y | (NOISE > 0.2)
    settings = rocch.RocCurve.from_labels(Y, {"strict": strict, "lax": lax}, name="rules")
    texts = deployed(rocch.RocHull.of(settings), tmp_path, max_fpr=0.2, randomize=True)
    assert "predict 1 when rules at setting strict alarms, otherwise" in texts.words
    columns = {"rules at setting strict": strict, "rules at setting lax": lax}
    rows = pd.DataFrame({"row_id": np.arange(80), **columns}).astype(int)
    found = run_python(texts.python, rows)
    assert run_sql(texts.sql, rows) == found
    assert strict.sum() < sum(found) < lax.sum()
