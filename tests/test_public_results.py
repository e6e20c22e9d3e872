"""Every public result is a table, a notebook view and one line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import is_dataclass
from functools import cache
from inspect import isclass
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import rocch
from rocch.frames import FrameLibrary
from rocch.results import ByName, Record, Records, Result, Tabular
from tests.support.public import public_names

WITHOUT_ROWS = {
    "rocch.Belief": "what the user believes; it is stated",
    "rocch.Conditions": "what the user knows; it is stated",
    "rocch.Question": "what the user asks; it is stated",
    "rocch.multiclass.ClassQuestion": "what the user asks; it is stated",
    "rocch.hybrid.And": "a part of a rule",
    "rocch.hybrid.AtLeast": "a part of a rule",
    "rocch.hybrid.Or": "a part of a rule",
    "rocch.hybrid.Predicts": "a part of a rule",
    "rocch.hybrid.StackAtLeast": "a part of a rule",
    "rocch.hybrid.Term": "a part of a rule",
    "rocch.hybrid.Rule": "a rule is a sentence",
    "rocch.hybrid.MulticlassRule": "a rule is a sentence",
    "rocch.hybrid.ReferralRule": "a rule is a sentence",
    "rocch.hybrid.RuleTemplates": "texts with slots, for programs",
    "rocch.hybrid.MulticlassRuleTemplates": "texts with slots, for programs",
    "rocch.hybrid.RateDifference": "a plain tuple; FairnessCheck has the table of them",
    "rocch.multiclass.Classes": "names in an order",
    "rocch.multiclass.RowCosts": "costs of the user's own rows",
    "rocch.multiclass.ThreeClassData": "an example's features and labels",
    "rocch.report.Summary": "a whole report, with sections of its own",
    "rocch.roc.Interval": "a plain tuple of two numbers",
    "rocch.roc.IsoPerformanceLine": "a plain tuple of two numbers",
    "rocch.roc.Knob": "one number",
    "rocch.roc.LinearLimit": "what the user demands; it is stated",
    "rocch.roc.PartialAuc": "what the user asks; it is stated",
    "rocch.roc.RowConditions": "costs of the user's own rows",
    "rocch.scale.Scan": "a table that is not read yet; its methods return tables",
    "rocch.service.Settings": "settings of a service",
    "rocch.stats.Replicate": "one draw of a bootstrap, which has the table of them",
}


def is_result(found: object) -> bool:
    is_record = is_dataclass(found) or hasattr(found, "_fields")
    return isclass(found) and is_record and not issubclass(found, rocch.roc.criteria.Criterion)


def test_every_public_result_has_a_table_or_a_reason() -> None:
    results = {
        name: found
        for name, found in public_names().items()
        if is_result(found) and not name.startswith("rocch.plots.")
    }
    without = {name for name, found in results.items() if not issubclass(found, Tabular)}
    assert without == set(WITHOUT_ROWS)


RNG = np.random.default_rng(11)
ROWS = 240
Y = RNG.random(ROWS) < 0.35
X = RNG.normal(size=(ROWS, 3)) + 0.9 * Y[:, None]
NASTY = "<script>b&"
SCORES = {"a": X[:, 0], NASTY: X[:, 1] + X[:, 2]}
KNOWN = rocch.Conditions(prevalence=0.35, false_positive=1, false_negative=3)
VAGUE = rocch.Conditions(prevalence=0.35, false_positive=1, false_negative=(1, 8))
BELIEF = rocch.Belief.cost_ratio(2, 8, likely=4).with_prevalence(0.3)
GROUPS = np.where(np.arange(ROWS) % 3 == 0, "x", "y")


def of_two_classes() -> Iterator[object]:
    hull = rocch.RocHull.from_scores(Y, SCORES)
    curve = rocch.RocCurve.from_scores(Y, SCORES["a"], name="a")
    best = hull.best(KNOWN)
    found = hull.sensitivity(VAGUE)
    yield from (hull, curve, best, best.point, best.on_new_rows)
    yield from (best.savings(), *best.savings().rows)
    yield from (hull.totals, hull.best(KNOWN).performance(prevalence=0.2))
    yield from (hull.slope_ranges(), found, found.choices[0])
    weak = rocch.RocHull.from_scores([0, 1] * 20, {"noise": range(40, 0, -1)})
    yield weak.sensitivity(VAGUE).shortfalls
    yield hull.best(rocch.PredictedPositiveLimit(0.2, prevalence=0.35), randomize=True)
    limited = hull.best(rocch.NeymanPearson(0.2, confidence=0.9))
    yield from (limited.guarantee, limited.on_new_rows.rates)
    yield hull.consider(rocch.RocCurve.from_scores(Y, X.sum(axis=1), name="c"))
    yield hull.refer(KNOWN, cost=0.1)
    yield rocch.RocCurve.from_labels(Y, {"mild": X[:, 0] > 0, "hard": X[:, 0] > 1})
    yield from (curve.table([0.5, 1.5]), curve.table(confidence=0.9))
    roc = rocch.roc
    yield from (roc.CostCurve.of(hull), roc.CostCurve.of(hull).lines[0], roc.DetCurve.of(curve))
    yield from (roc.GainCurve.of(curve), roc.PrecisionRecallCurve.of(hull))
    yield roc.DecisionCurve.best(hull, thresholds=[0.1, 0.5])
    for by in ("fpr", "threshold"):
        yield roc.average_curves([curve, curve], by=by)


def of_statistics() -> Iterator[object]:
    stats = rocch.stats
    hull = rocch.RocHull.from_scores(Y, SCORES)
    curves = [rocch.RocCurve.from_scores(Y, column, name=n) for n, column in SCORES.items()]
    drawn = stats.bootstrap(Y, SCORES, replicates=60)
    compared = stats.compare_aucs(Y, SCORES)
    yield from (drawn, stats.bootstrap(Y, SCORES, replicates=5), drawn.replicate(0))
    yield from (drawn.band("a", kind="pointwise", confidence=0.9), drawn.boxes("a", [0.0, 1.0]))
    yield from (compared, compared.differences[0], compared.overall, *compared.aucs.values())
    yield from stats.compare_curves(Y, SCORES, at=KNOWN)
    yield stats.compare_curves(Y, SCORES, at="whole curve", replicates=20)
    yield from (stats.point_intervals(curves[0], 0.5), stats.predictive_values(curves[0], 0.5))
    yield stats.variation(Y, {f"run {i}": X[:, 0] + RNG.normal(size=ROWS) for i in range(3)})
    chosen = stats.out_of_sample_choice(Y, SCORES, KNOWN, replicates=100)
    yield from (chosen, chosen.rivals[0])
    analysis = stats.decision_analysis(hull, BELIEF.with_unit(false_positive=1))
    yield from (analysis, analysis.choices, analysis.classifiers)
    ranked = stats.rank_under_belief(hull, belief=BELIEF)
    yield from (ranked, ranked.classifiers, ranked.stretches)
    losses = stats.compare_losses(*curves, belief=BELIEF)
    yield from (losses, losses.shapes())
    yield stats.lc_intervals(Y, SCORES, belief=BELIEF, replicates=60)
    yield stats.auc_sample_size(0.7)
    yield stats.partial_auc_interval(Y, SCORES["a"], fpr=(0, 0.2), replicates=60)
    yield stats.estimate_prevalence(curves[0], X[:50, 0])


def of_several_classes() -> Iterator[object]:
    data, species = load_iris(return_X_y=True)
    names = np.array(["<b>", "c", "d"])[species]
    model = rocch.RocSurfaceClassifier(
        [("nb", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=2, random_state=0))],
        generations=20,
        draws=5,
    ).fit(data, names)
    costs = rocch.CostMatrix({("<b>", "c"): (1, 5)}, classes=["<b>", "c", "d"], default=1)
    surface, exact = model.surface_, costs.middle()
    best, multi = surface.best(exact), rocch.multiclass
    yield from (surface, best, best.member, best.confusion, costs, exact, model.stack_)
    yield from (surface.optimal_within(costs), surface.least_regret(costs))
    yield from surface.optimal_within(costs).witnesses.values()
    yield surface.dominated_share(samples=100)
    proba = model.default_.predict_proba(data)
    aucs = multi.multiclass_auc(names, proba)
    yield from (aucs, aucs.pairs, aucs.pairwise, aucs.hand_till)
    yield multi.DirichletBelief({"<b>": 1, "c": 2})
    yield multi.DirichletBelief({("<b>", "c"): 1, ("c", "<b>"): 2})
    yield from (multi.three_class_data(30), multi.RowCosts({(0, 1): [1.0, 2.0], (1, 0): 1.0}))


def of_hybrids() -> Iterator[object]:
    models = [("nb", GaussianNB()), (NASTY, KNeighborsClassifier(15))]
    model = rocch.RocchClassifier(models, cv=3).fit(X, Y)
    yield from (model.stack_, model.check(X, Y), model.fold_rates_, model.forgetting_costs())
    yield from (model.at(KNOWN).rule, model.select(X, 20))
    hybrid = rocch.hybrid
    yield hybrid.stack_scores(Y, SCORES)
    both = [Y | (RNG.random(ROWS) < 0.3) for _ in range(2)]
    symptoms = {name: RNG.normal(size=ROWS) + 3 * own for name, own in zip("ab", both, strict=True)}
    combined = hybrid.find_combinations(Y, symptoms, rounds=1)
    yield from (combined, combined.found, *(each.gain or each for each in combined.found))
    tree = DecisionTreeClassifier(random_state=0)
    settings = hybrid.find_settings(tree, {"max_depth": [1, 2, 3]}, X, Y)
    yield from (settings, settings.tried, *(each.gain or each for each in settings.tried))
    fair = hybrid.fair_rates(Y, SCORES, GROUPS, KNOWN, rates="fpr", tolerance=0.1)
    yield from (fair, fair.chosen, fair.differences(), fair.cost_curve([0.05, 0.2]), fair.rule())
    tuner = hybrid.KnobTuner(model, start=0.5)
    tuner.too_many_alarms()
    yield from (tuner, tuner.history)


def of_tables(folder: Any) -> Iterator[object]:
    frame = pl.DataFrame({"y": Y, **SCORES, "g": GROUPS})
    scan = rocch.scale.scan(frame, label="y", scores=list(SCORES))
    yield from (scan.auc(), scan.auc(by="g"), scan.auc(by=["g"]), scan.hull(by="g"))
    yield from (scan.curve(), scan.curve()["a"], scan.counts({"a": [0.5]}))
    summary = scan.summary(by="g")
    yield from (summary, scan.summary(), summary.work)
    with rocch.library.ClassifierLibrary.create(folder / "library") as library:
        added = library.add_scores(Y, {"a": SCORES["a"]})
        library.export()
        yield from (added, added.classifiers[0], added.classifiers[0].places[0])
        yield from (library, library.classifiers, library.log(), library.exports())
        yield from (library.verify(), library.compact())


@cache
def all_results(folder: Any) -> tuple[object, ...]:
    parts = (of_two_classes(), of_statistics(), of_several_classes(), of_hybrids())
    return tuple(found for part in (*parts, of_tables(folder)) for found in part)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> tuple[object, ...]:
    return all_results(tmp_path_factory.mktemp("results"))


def test_the_examples_cover_the_public_results(results: tuple[object, ...]) -> None:
    inner = [row for found in results if isinstance(found, Records) for row in found]
    inner += [row for found in results if isinstance(found, ByName) for row in found.values()]
    seen = {type(found) for found in (*results, *inner)}
    tabular = {f for f in public_names().values() if isclass(f) and issubclass(f, Tabular)}
    seen |= {parent for kind in seen for parent in kind.__mro__}
    assert tabular - seen == {rocch.hybrid.Exploration}


def test_every_representation_is_one_short_line(results: tuple[object, ...]) -> None:
    for found in results:
        assert "\n" not in repr(found)
        assert len(repr(found)) <= 160, repr(found)
        assert "array(" not in repr(found)


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_every_table_is_a_frame_of_every_library(
    results: tuple[object, ...], backend: FrameLibrary
) -> None:
    for found in results:
        if isinstance(found, Tabular):
            frame = found.to_frame(backend)
            lengths = {len(list(column)) for column in found._columns().values()}
            assert len(lengths) <= 1, found
            assert frame.shape[0] == (lengths.pop() if lengths else 0)


def test_records_have_one_row(results: tuple[object, ...]) -> None:
    for found in results:
        if isinstance(found, Record):
            assert len(found.to_frame()) == 1


def test_scans_return_the_library_of_their_frame() -> None:
    columns = {"y": Y, "a": SCORES["a"]}
    for frame in (pl.DataFrame(columns), pd.DataFrame(columns)):
        found = rocch.scale.scan(frame, label="y").auc().to_frame()
        assert type(found) is type(frame)
        assert list(found["classifier"]) == ["a"]


def test_notebooks_show_escaped_and_well_formed_html(results: tuple[object, ...]) -> None:
    for found in results:
        if isinstance(found, Result):
            html = found._repr_html_()
            assert "<script" not in html
            _, _, body = html.partition("</style>")
            page = ElementTree.fromstring(body)  # noqa: S314 - our own text
            assert page.get("class", "").startswith("rocch-result")


def test_pictures_hold_only_finite_numbers(results: tuple[object, ...]) -> None:
    drawn = [f._picture() for f in results if isinstance(f, Tabular)]
    shown = [picture for picture in drawn if picture]
    assert len(shown) > 20
    for picture in shown:
        assert not re.search(r"[\" ,](nan|inf|-inf)[\" ,]", picture)


def test_views_show_their_rule_in_notebooks() -> None:
    model = rocch.RocchClassifier([("nb", GaussianNB())], cv=3).fit(X, Y)
    view = model.at(KNOWN)
    shown = view._repr_mimebundle_()
    assert "predict" in shown["text/html"]
    assert "sk-estimator" not in shown["text/html"]
    assert shown["text/plain"] == repr(view)
    assert "sk-" in model._repr_mimebundle_()["text/html"]


def test_a_hull_tells_the_cost_ratios_of_its_vertices() -> None:
    hull = rocch.RocHull.from_scores(Y, SCORES)
    table = hull.to_frame("polars").to_dicts()
    for row in table:
        middle = (row["cost_ratio_low"] + min(row["cost_ratio_high"], 1e6)) / 2
        if row["cost_ratio_low"] < row["cost_ratio_high"]:
            exact = rocch.Conditions(prevalence="observed", false_positive=1, false_negative=middle)
            best = hull.best(exact)
            assert (best.fpr, best.tpr) == (row["fpr"], row["tpr"])
    for one, other in pairwise(table):
        assert one["cost_ratio_high"] == other["cost_ratio_low"]
