"""A surface searched for a file's rows, and what is known about costs."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.cli.model_names import NamedModel, classifier, family
from rocch.cli.progress import working
from rocch.errors import InputError
from rocch.hybrid.multiclass import SurfaceHybrid
from rocch.inputs import find_duplicates
from rocch.multiclass.costs import as_priors
from rocch.multiclass.models import KnownProbabilities
from rocch.multiclass.search import SurfaceSearch, as_searchable
from rocch.multiclass.surface import RocSurface

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocch.arrays import FloatArray
    from rocch.cli.rows import LabeledRows
    from rocch.multiclass.costs import CostMatrix
    from rocch.multiclass.models import SearchModel
    from rocch.multiclass.surface import LeastRegret, OptimalWithin, SurfacePoint
    from rocch.multiclass.volumes import DominatedShare


@dataclass(frozen=True, slots=True)
class SurfaceQuestion:
    """What is known: costs, class balance and limits."""

    costs: CostMatrix | None
    priors: Any
    limits: dict[Any, float] | None


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A surface and its answers.

    Attributes
    ----------
    points
        The members chosen, by what they were chosen for.
    optimal, regret
        With costs or shares as intervals: who is optimal somewhere, and who loses least.
    warned
        What scikit-learn warned of while classifiers were fitted.
    """

    data: LabeledRows
    models: tuple[NamedModel, ...]
    searches: Mapping[str, SurfaceSearch]
    surface: RocSurface
    share: DominatedShare
    question: SurfaceQuestion
    points: dict[str, SurfacePoint]
    optimal: OptimalWithin | None
    regret: LeastRegret | None
    warned: list[str]

    @property
    def generations(self) -> int:
        """How many generations the longest of the searches ran."""
        return max(search.generation for search in self.searches.values())

    @property
    def stopped(self) -> str:
        """Why the searches stopped; for several reasons, the one that is no plain end."""
        reasons = sorted({str(search.stopped) for search in self.searches.values()})
        return next((reason for reason in reasons if reason != "generations"), "generations")

    @property
    def by_model(self) -> dict[str, int]:
        """How many members each model holds; those asked for that hold none have 0."""
        alone = len(self.models) == 1  # then members carry the model's plain name
        typed = self.surface.models[:1] if alone else [model.typed for model in self.models]
        return {name: self.surface.models.count(name) for name in typed}


def study(
    data: LabeledRows,
    models: Sequence[NamedModel],
    question: SurfaceQuestion,
    *,
    folds: int,
    scale: bool,
    search: dict[str, Any],
    run: dict[str, Any],
) -> Found:
    """Judge the models, search their joint surface, and ask it."""
    as_searchable(search["objectives"], len(data.totals))  # refuses too many classes first
    _check_distinct(models)
    posteriors, warned = _judged(data, models, folds, scale, search["seed"])
    searches = {
        name: SurfaceSearch(part, data.labels, classes=data.classes, **search)
        for name, part in _parts(data, models, posteriors, scale).items()
    }
    found = {}
    for name, each in searches.items():
        with working(f"Searching with {name}") as step:
            found[name] = each.run(**run, progress=step)
    surface = RocSurface.joined(found) if len(found) > 1 else next(iter(found.values()))
    truths = data.classes.truths(data.labels)
    rows = np.arange(truths.size)
    labels = np.array(data.classes.names)
    hybrid = SurfaceHybrid(surface, truths, posteriors, None, rows, {}, labels)
    vague = is_vague(question, data)
    bounds: Any = (question.costs, question.priors)
    return Found(
        data,
        tuple(models),
        searches,
        surface,
        surface.dominated_share(),
        question,
        _points(hybrid, question, vague=vague),
        surface.optimal_within(*bounds, limits=question.limits) if vague else None,
        surface.least_regret(*bounds, limits=question.limits) if vague else None,
        warned,
    )


def is_vague(question: SurfaceQuestion, data: LabeledRows) -> bool:
    """Say whether costs, or the shares that weigh them, are known between bounds only."""
    if question.costs is None:
        return False
    return not (
        question.costs.exact and as_priors(question.priors, data.classes, data.totals).exact
    )


def _points(
    hybrid: SurfaceHybrid, question: SurfaceQuestion, *, vague: bool
) -> dict[str, SurfacePoint]:
    surface, limits = hybrid.surface, question.limits
    points = {
        "fewest errors": surface.fewest_errors(limits=limits),
        "knee": surface.knee(limits=limits),
        "farthest from random": surface.farthest_from_random(limits=limits),
    }
    if question.costs is not None and not vague:
        points["least cost"] = hybrid.best(
            question.costs, question.priors, limits, parsimonious=False
        )
    return points


def _check_distinct(models: Sequence[NamedModel]) -> None:
    twice = find_duplicates(model.typed for model in models)
    if twice:
        raise InputError("--model", "name each model once", f"{twice[0]} twice", "Leave one out.")


def _parts(
    data: LabeledRows,
    models: Sequence[NamedModel],
    posteriors: dict[str, FloatArray],
    scale: bool,
) -> dict[str, SearchModel]:
    """Return what is searched: the classifiers together, and each family."""
    parts: dict[str, SearchModel] = {}
    if posteriors:
        parts["classifiers"] = KnownProbabilities(posteriors, data.classes)
    for model in models:
        if model.is_family:
            parts[model.typed] = family(model, data, scale=scale)
    return parts


def _judged(
    data: LabeledRows, models: Sequence[NamedModel], folds: int, scale: bool, seed: int
) -> tuple[dict[str, FloatArray], list[str]]:
    """Return out-of-fold posteriors of scikit-learn's classifiers, and what they warned of."""
    named = {model.typed: classifier(model, seed=seed) for model in models if not model.is_family}
    if named:
        _check_folds(folds, data)
    found = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for name, estimator in named.items():
            with working(f"Judging {name} in {folds} folds"):
                found[name] = _out_of_fold(name, estimator, data, folds, scale, seed)
    texts = dict.fromkeys(" ".join(str(each.message).split()) for each in caught)
    return found, list(texts)


def _out_of_fold(
    name: str, estimator: Any, data: LabeledRows, folds: int, scale: bool, seed: int
) -> FloatArray:
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = make_pipeline(StandardScaler(), estimator) if scale else estimator
    splits = StratifiedKFold(folds, shuffle=True, random_state=seed)
    try:
        answers: FloatArray = cross_val_predict(
            model, data.features, data.labels, cv=splits, method="predict_proba"
        )
    except ValueError as error:
        reason = " ".join(str(error).split())
        raise InputError(f"--model {name} cannot be fitted to these rows: {reason}") from None
    return answers


def _check_folds(folds: int, data: LabeledRows) -> None:
    least = int(data.totals.argmin())
    if data.totals[least] < folds:
        raise InputError(
            "--folds",
            "be at most the rows of the smallest class",
            f"{folds} folds, and {data.totals[least]} rows of {data.classes.names[least]!r}",
            "Use fewer folds, or leave that class out.",
        )
