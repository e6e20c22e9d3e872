"""From posteriors, a surface or a fitted hybrid to the summary of a report for many classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch import __version__
from rocch.errors import InputError, describe_type
from rocch.hybrid.multiclass_rule import MulticlassRuleTemplates
from rocch.inputs import as_whole
from rocch.multiclass.classes import Classes, ProbabilityRows
from rocch.multiclass.costs import CostMatrix
from rocch.multiclass.rules import implied_rules
from rocch.multiclass.search import MOST_CLASSES as SEARCHABLE
from rocch.multiclass.surface import as_surface
from rocch.report.many_classes.answer import Weighed, answer
from rocch.report.many_classes.choices import Choices
from rocch.report.many_classes.doubts import doubts, remarks
from rocch.report.many_classes.models import class_hulls, judged_model, points_each
from rocch.report.many_classes.question import CostQuestion
from rocch.report.many_classes.reduced import kept
from rocch.report.many_classes.searched import searched_surface
from rocch.report.many_classes.shorter import with_short_costs
from rocch.report.many_classes.suggestions import suggestions
from rocch.report.many_classes.summary import (
    FORMAT,
    ClassHull,
    ClassRows,
    ManyClassesSummary,
    Model,
    Recommended,
    Share,
    Surface,
)
from rocch.report.many_classes.texts import TEXTS
from rocch.report.question import Range
from rocch.roc.conditions import OBSERVED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocch.arrays import FloatArray, IntArray
    from rocch.multiclass.surface import RocSurface

MOST_CLASSES = 50
"""A page with more could not be read."""
SAMPLES = 20_000
"""Points at which G is estimated: its standard error is at most 0.0035 ..."""
MOST_COMPARED = 200_000_000
"""... unless there are so many members that comparing with fewer points must do."""


def summarize_probabilities(
    y_true: Any,
    y_proba: Any,
    *,
    classes: Any = None,
    costs: Any = None,
    priors: Any = OBSERVED,
    title: str = "",
    label: str = "",
    generations: int | None = None,
    seed: int = 0,
) -> ManyClassesSummary:
    """Summarize models that are known by their posteriors of labeled rows.

    The joint ROC surface of the models is searched for a few seconds: every kind of error up to 4
    classes, the miss rates up to 12, none beyond.

    Parameters
    ----------
    y_true
        The true class of each row.
    y_proba
        Maps names of models to posteriors; or one model's posteriors alone.
    classes
        The classes in the order of columns. Default: the labels that occur, sorted.
    costs
        A `CostMatrix`, or a belief, whose mean counts. Default: every error costs 1.
    priors
        The shares of the classes where the classifier will work; default: those of the rows.
    title, label
        What the report is called, and what the column of true classes is.
    generations, seed
        How long to search, and the seed of the search.

    Raises
    ------
    InputError
        If labels, posteriors, costs or shares cannot be used, if there are more than 50 classes,
        or if two of them are written alike.

    Examples
    --------
    >>> from rocch.report import summarize_probabilities
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_val_predict
    >>> from sklearn.naive_bayes import GaussianNB
    >>> iris = load_iris()
    >>> y = iris.target_names[iris.target]
    >>> P = cross_val_predict(GaussianNB(), iris.data, y, method="predict_proba")
    >>> found = summarize_probabilities(y, {"nb": P}, generations=20)
    >>> print(found.answer.sentence)
    Use nb, predicting by the costs of this rule: gets 4 of 100 rows wrong, misses 4 of 100 versicolor and 8 of 100 virginica; costs 4.00 per 100 rows (most likely classes alone: 4.67).
    """  # noqa: E501 - the output of an example is one line
    judged = ProbabilityRows.of(y_true, y_proba, classes=classes)
    posteriors = judged.probabilities
    names = _as_texts(judged.classes)
    question = CostQuestion.of(costs, priors, judged.classes, judged.totals)
    if generations is not None:
        as_whole(generations, "generations", least=0, hint="150 take a few seconds.")
    surface = searched_surface(posteriors, judged.truths, names, generations=generations, seed=seed)
    rows = _Rows(names, judged.totals, judged.truths, posteriors)
    return _summary(rows, surface, question, title, label)


def summarize_surface(
    surface: RocSurface,
    *,
    costs: Any = None,
    priors: Any = OBSERVED,
    title: str = "",
    label: str = "",
) -> ManyClassesSummary:
    """Summarize a surface, of which the confusion counts of every member are known.

    Parameters
    ----------
    surface
        The surface.
    costs, priors, title, label
        As for `summarize_probabilities`.
    """
    given = as_surface(surface)
    question = CostQuestion.of(costs, priors, given.classes, given.totals)
    names = _as_texts(given.classes)
    rows = _Rows(names, given.totals, None, {})
    return _summary(rows, given, question, title, label)


def summarize_hybrid(
    model: Any, *, costs: Any = None, priors: Any = None, title: str = "", label: str = ""
) -> ManyClassesSummary:
    """Summarize a fitted `RocSurfaceClassifier`, or a view of one that is aimed already.

    Parameters
    ----------
    model
        The classifier or view.
    costs, priors
        Where the page starts; by default at what the model aims at. Of bounds, at their middle.
    title, label
        As for `summarize_probabilities`.
    """
    from rocch.hybrid.multiclass import AimedSurface, RocSurfaceClassifier

    if isinstance(model, RocSurfaceClassifier):
        if not hasattr(model, "hybrid_"):
            raise InputError("model", "be fitted", "one that is not", "Call fit first.")
        model = model.default_
    if not isinstance(model, AimedSurface):
        raise InputError(
            "model",
            "be a fitted RocSurfaceClassifier, or a view of one",
            describe_type(model),
            "Other classifiers are known by their posteriors: summarize_probabilities.",
        )
    hybrid = model.hybrid
    surface = hybrid.surface
    aim = model.costs if costs is None else costs
    if costs is None and isinstance(aim, CostMatrix):
        aim = aim.middle()
    shares = model.priors if priors is None else priors
    question = CostQuestion.of(aim, shares, surface.classes, surface.totals)
    rows = _Rows(_as_texts(surface.classes), surface.totals, hybrid.truths, hybrid.probabilities)
    return _summary(rows, surface, question, title, label)


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """The judged rows, as far as they are at hand."""

    classes: Classes
    totals: IntArray
    truths: IntArray | None
    posteriors: Mapping[str, FloatArray]


def _summary(
    rows: _Rows, surface: RocSurface | None, question: CostQuestion, title: str, label: str
) -> ManyClassesSummary:
    everything = Choices.of(surface, _rules(rows, question), rows.classes, rows.totals)
    named = suggestions(everything, question)
    keep = kept(everything, named.values())
    choices = everything.at(keep)
    if rows.truths is not None:
        choices = with_short_costs(choices, rows.posteriors, rows.truths)
    weighed = Weighed.of(choices.columns(), choices.models, question)
    return ManyClassesSummary(
        format=FORMAT,
        rocch=__version__,
        title=title or _title(choices.models, len(rows.classes)),
        label=label,
        rows=int(rows.totals.sum()),
        classes=_classes(rows),
        models=_models(rows, choices.models),
        hulls=_hulls(rows),
        members=weighed.members,
        surface=None if surface is None else _surface(surface, choices),
        recommended=tuple(
            Recommended(name, keep.index(place), weighed.told(keep.index(place)).sentence)
            for name, place in named.items()
        ),
        question=question,
        answer=answer(weighed.members, choices.models, question),
        rule=MulticlassRuleTemplates(tuple(rows.classes), choices.models).to_dict(),
        texts={name: text.pieces for name, text in TEXTS.items()},
        warnings=doubts(rows.classes, rows.totals, rows.posteriors, rows.truths, choices),
        remarks=remarks(choices, surface, judged=bool(rows.posteriors)),
    )


def _rules(rows: _Rows, question: CostQuestion) -> RocSurface | None:
    """Return the models' most likely classes, and what they answer by the costs asked about."""
    if rows.truths is None or not rows.posteriors:
        return None
    observed = question.shares == tuple((rows.totals / rows.totals.sum()).tolist())
    priors = OBSERVED if observed else question.priors
    return implied_rules(rows.posteriors, rows.truths, rows.classes, question.cost_matrix, priors)


def _models(rows: _Rows, names: tuple[str, ...]) -> tuple[Model, ...]:
    most = points_each(len(names), len(rows.classes))
    truths = rows.truths
    return tuple(
        judged_model(name, rows.posteriors[name], truths, most=most)
        if truths is not None and name in rows.posteriors
        else Model(name, None, (), None, None)
        for name in names
    )


def _hulls(rows: _Rows) -> tuple[ClassHull, ...]:
    if rows.truths is None or not rows.posteriors:
        return ()
    return class_hulls(rows.posteriors, rows.truths, len(rows.classes))


def _classes(rows: _Rows) -> tuple[ClassRows, ...]:
    total = int(rows.totals.sum())
    return tuple(
        ClassRows(name, number, number / total)
        for name, number in zip(rows.classes, rows.totals.tolist(), strict=True)
    )


def _surface(surface: RocSurface, choices: Choices) -> Surface:
    shown_ = int((choices.place >= 0).sum())
    share = None
    if len(surface.classes) <= SEARCHABLE[surface.objectives]:
        samples = int(np.clip(MOST_COMPARED // len(surface), 2_000, SAMPLES))
        found = surface.dominated_share(samples=samples)
        share = Share(found.value, found.standard_error, Range(found.low, found.high))
    return Surface(surface.objectives, len(surface), shown_, share)


def _title(models: tuple[str, ...], classes: int) -> str:
    named = " and ".join(models) if len(models) <= 2 else f"{len(models)} models"
    return f"{named} for {classes} classes"


def _as_texts(classes: Classes) -> Classes:
    """Return the classes as they are written, which tells them apart."""
    if len(classes) > MOST_CLASSES:
        raise InputError(
            "classes",
            f"be at most {MOST_CLASSES} for a report",
            len(classes),
            "Report on the classes that matter, and join the others.",
        )
    return Classes(tuple(map(str, classes)))
