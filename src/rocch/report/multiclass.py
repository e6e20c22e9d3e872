"""The summary of models for more than two classes: probabilities, a surface or a hybrid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from rocch import __version__
from rocch.arrays import BoolArray, FloatArray, IntArray
from rocch.errors import Hint, InputError, describe_type, escape_controls
from rocch.hybrid.aimed_surface import AimedSurface
from rocch.hybrid.multiclass import RocSurfaceClassifier
from rocch.hybrid.multiclass_rule import MulticlassRule, MulticlassRuleTemplates
from rocch.hybrid.surface_hybrid import CONSIDERED, SurfaceHybrid
from rocch.inputs import as_whole
from rocch.multiclass.classes import Classes, ProbabilityRows
from rocch.multiclass.costs import CostMatrix, DirichletBelief, Priors
from rocch.multiclass.question import ClassQuestion
from rocch.multiclass.rules import implied_rules
from rocch.multiclass.search import MOST_CLASSES as SEARCHABLE
from rocch.multiclass.surface import RocSurface, as_surface
from rocch.report.class_evidence import (
    describe_hulls,
    describe_models,
    find_class_warnings,
)
from rocch.report.members import (
    MOST_MISSES,
    Choices,
    choose_kept,
    search_surface,
    shorten_costs,
    surface_of,
)
from rocch.report.sections import about_multiclass, about_surface, multiclass_sections
from rocch.report.summary import (
    FORMAT,
    Aim,
    ClassRows,
    CostAnswer,
    Deployment,
    Members,
    MulticlassData,
    NewRows,
    Recommended,
    Share,
    Summary,
    Surface,
)
from rocch.report.words import (
    CLASS_TEXTS,
    as_plain_text,
    class_aim_sentence,
    class_sentence,
)
from rocch.roc.conditions import OBSERVED, Interval
from rocch.roc.new_rows import NewRowsCost

# A page with more classes could not be read.
MOST_CLASSES = 50

# Points at which G is estimated: its standard error is at most 0.0035, unless there are so many
# members that fewer points must do.
SAMPLES, LEAST_SAMPLES, MOST_COMPARED = 20_000, 2_000, 200_000_000

# Typed costs and shares are rounded already: expected costs that agree to 12 digits count as equal,
# here and in the page.
CLOSE = 1e-12

# The best of more than this many looks better than it is on the rows that chose it.
MANY = 100

# The most rows times members of which a choice is repeated for its expected cost on new rows.
MOST_REPEATED = 30_000_000

ASSUMED_COSTS = "No costs are known, so every error is taken to cost 1."


def summarize_probabilities(
    y_true: Any,
    y_proba: Any,
    question: Any = None,
    *,
    classes: Any = None,
    priors: Any = None,
    title: str = "",
    label: str = "",
    generations: int | None = None,
    seed: int = 0,
) -> Summary:
    """Summarize models that are known by their probabilities of labeled rows.

    The joint ROC surface of the models is searched for a few seconds: every kind of error up to 4
    classes, the miss rates up to 12, none beyond.

    Parameters
    ----------
    y_true
        The true class of each row.
    y_proba
        Maps names of models to probabilities; or one model's probabilities alone.
    question
        A `rocch.multiclass.ClassQuestion`, its fields as a dictionary, a `CostMatrix`, or a belief,
        whose mean counts. Default: every error costs 1.
    classes
        The classes in the order of columns. Default: the labels that occur, sorted.
    priors
        Beside a `CostMatrix`, the shares of the classes where the classifier will work; default:
        those of the rows.
    title, label
        The title of the report, and the name of the column of true classes.
    generations, seed
        How long to search, and the seed of the search.

    Raises
    ------
    InputError
        If labels, probabilities, costs or shares cannot be used, if there are more than 50 classes,
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
    >>> print(found.sentence)
    Use nb with adjusted costs, the cheapest choice on the evaluation rows. It is wrong for ...
    """
    title, label = as_plain_text(title, "title"), as_plain_text(label, "label")
    rows = ProbabilityRows.of(y_true, y_proba, classes=classes)
    names = _as_texts(rows.classes)
    if generations is not None:
        as_whole(generations, "generations", least=0, hint="150 take a few seconds.")
    question = as_class_question(question, priors)
    known = CostsAndShares.of(question, rows.classes, rows.totals)
    remarks = _assumed(question)
    surface = search_surface(
        rows.probabilities, rows.truths, names, generations=generations, seed=seed
    )
    evaluated = EvaluationRows(names, rows.totals, rows.truths, rows.probabilities)
    return _summarize(evaluated, surface, known, title, label, remarks=remarks)


def summarize_multiclass(
    what: Any, question: Any = None, *, priors: Any = None, title: str = "", label: str = ""
) -> Summary:
    """Summarize a surface or a fitted hybrid; see `rocch.report.summarize`."""
    title, label = as_plain_text(title, "title"), as_plain_text(label, "label")
    question = as_class_question(question, priors)
    if isinstance(what, RocSurface):
        surface = as_surface(what)
        known = CostsAndShares.of(question, surface.classes, surface.totals)
        rows = EvaluationRows(_as_texts(surface.classes), surface.totals, None, {})
        return _summarize(rows, surface, known, title, label, remarks=_assumed(question))
    if isinstance(what, RocSurfaceClassifier):
        if not hasattr(what, "hybrid_"):
            raise InputError("what", "be fitted", "a model that is not", Hint("Call fit first."))
        what = what.default_
    hybrid = what.hybrid
    surface = hybrid.surface
    own = ClassQuestion.from_costs(what.costs, what.priors)
    question = question or own
    if _assumed(question):  # the costs that it is aimed at
        question = replace(question, costs=own.costs, default_cost=own.default_cost)
    known = CostsAndShares.of(question, surface.classes, surface.totals)
    classes = _as_texts(surface.classes)
    rows = EvaluationRows(classes, surface.totals, hybrid.truths, hybrid.probabilities, hybrid)
    return _summarize(rows, surface, known, title, label, aims=not what.exact)


def _as_texts(classes: Classes) -> Classes:
    """Return the classes as they are written, which must differ."""
    if len(classes) > MOST_CLASSES:
        raise InputError(
            "classes",
            f"be at most {MOST_CLASSES} for a report",
            len(classes),
            "Report on the classes that matter, and join the others.",
        )
    return Classes(tuple(map(str, classes)))


# ---- the question -------------------------------------------------------------------------------


def as_class_question(given: Any, priors: Any = None) -> ClassQuestion | None:
    """Return a question about many classes, or what costs and shares ask; None for nothing."""
    if given is None and priors is None:
        return None
    if given is None or isinstance(given, CostMatrix | DirichletBelief):
        return ClassQuestion.from_costs(given, priors)
    question = ClassQuestion.from_dict(given) if isinstance(given, Mapping) else given
    if not isinstance(question, ClassQuestion):
        raise InputError(
            "question",
            "be a ClassQuestion or a CostMatrix for more than two classes",
            describe_type(given),
            Hint("For example: ClassQuestion(costs={('ill', 'well'): 20}, default_cost=1)."),
        )
    if priors is not None:
        raise InputError("priors", "be given in the question", "another one beside it")
    return question


def _assumed(question: ClassQuestion | None) -> tuple[str, ...]:
    known = question is not None and not {"costs", "default_cost"}.isdisjoint(question.given)
    return () if known else (ASSUMED_COSTS,)


@dataclass(frozen=True, slots=True, eq=False)
class CostsAndShares:
    """What a question states, for the classes of a report.

    Attributes
    ----------
    question
        The question, with observed shares and assumed costs as numbers.
    matrix, priors
        The costs and shares of all classes, perhaps with intervals.
    costs, shares
        The same as numbers; of intervals, the middle.
    """

    question: ClassQuestion
    matrix: CostMatrix
    priors: Priors
    costs: FloatArray
    shares: FloatArray

    @classmethod
    def of(cls, given: ClassQuestion | None, classes: Classes, totals: IntArray) -> Self:
        """Resolve a question for classes and their numbers of rows."""
        question = given or ClassQuestion()
        matrix, priors = question.cost_matrix(classes), question.shares(classes, totals)
        room = priors.high - priors.low
        part = 0.0 if priors.exact else (1 - priors.low.sum()) / room.sum()
        return cls(
            question.resolve(classes, totals),
            matrix,
            priors,
            matrix.middle().values,
            priors.low + part * room,
        )

    @property
    def exact(self) -> bool:
        """Whether nothing is an interval."""
        return self.matrix.exact and self.priors.exact

    def named(self, classes: Classes, *, within: bool = False) -> tuple[CostMatrix, Any]:
        """Return costs and shares of classes that may be named by texts, or their intervals."""
        low, high = (self.matrix.low, self.matrix.high) if within else (self.costs, self.costs)
        costs = CostMatrix.of_bounds(classes, low, high)
        if self.priors.totals is not None:
            return costs, OBSERVED
        ends = (self.priors.low, self.priors.high) if within else (self.shares, self.shares)
        bounds = zip(*(end.tolist() for end in ends), strict=True)
        return costs, dict(zip(classes, bounds, strict=True))


class EvaluationRows(NamedTuple):
    """The evaluation rows, as far as they are available, and the hybrid if there is one."""

    classes: Classes
    totals: IntArray
    truths: IntArray | None
    probabilities: Mapping[str, FloatArray]
    hybrid: SurfaceHybrid | None = None


def _summarize(
    rows: EvaluationRows,
    surface: RocSurface | None,
    known: CostsAndShares,
    title: str,
    label: str,
    *,
    remarks: tuple[str, ...] = (),
    aims: bool = False,
) -> Summary:
    everything = Choices.of(surface, _rules(rows, known), rows.classes, rows.totals)
    named = _suggestions(everything, known)
    keep = choose_kept(everything, named.values())
    choices = everything.at(keep)
    if rows.truths is not None:
        choices = shorten_costs(choices, rows.probabilities, rows.truths)
    weighed = WeighedMembers(
        choices.members, choices.models, rows.classes.names, known.costs, known.shares
    )
    answered = weighed.answer()
    found = _new_rows(rows, surface, known, answered, weighed)
    answered = weighed.describe(answered.member, answered.equals, found)
    data = MulticlassData(
        label=label,
        rows=int(rows.totals.sum()),
        classes=_classes(rows),
        models=describe_models(choices.models, rows.probabilities, rows.truths),
        hulls=describe_hulls(rows.probabilities, rows.truths),
        members=weighed.members,
        surface=None if surface is None else _surface(surface, choices),
        recommended=tuple(
            Recommended(name, keep.index(place), weighed.describe(keep.index(place)).sentence)
            for name, place in named.items()
        ),
        costs=tuple(map(tuple, known.costs.tolist())),
        shares=tuple(known.shares.tolist()),
        answer=answered,
        deployment=_deployment(weighed.rule(answered.member)),
        aim=_aim(rows, known) if aims else None,
        rule=MulticlassRuleTemplates(rows.classes.names, choices.models).to_dict(),
        texts=CLASS_TEXTS,
    )
    summary = Summary(
        format=FORMAT,
        rocch=__version__,
        title=title or _title(choices.models, len(rows.classes)),
        about=about_multiclass(data),
        question=known.question.to_dict(),
        assumed=known.question.describe(),
        sentence=answered.sentence,
        warnings=find_class_warnings(
            rows.classes, rows.totals, rows.probabilities, rows.truths, surface
        ),
        remarks=(
            *remarks,
            *filter(None, [about_surface(data)]),
            *_remarks(choices, surface, known, has_rows=bool(rows.probabilities)),
        ),
        sections=(),
        binary=None,
        multiclass=data,
    )
    return replace(summary, sections=multiclass_sections(summary, data))


def _title(models: tuple[str, ...], classes: int) -> str:
    named = " and ".join(models) if len(models) <= 2 else f"{len(models)} models"
    return f"{named} for {classes} classes"


def _rules(rows: EvaluationRows, known: CostsAndShares) -> RocSurface | None:
    """Return the models' most likely classes, and what they predict by the question's costs."""
    if rows.truths is None or not rows.probabilities:
        return None
    costs, priors = known.named(rows.classes)
    return implied_rules(rows.probabilities, rows.truths, rows.classes, costs, priors)


def _suggestions(choices: Choices, known: CostsAndShares) -> dict[str, int]:
    """Return the places of members that suggest themselves, by what they are best at."""
    every = surface_of(choices.members, choices.classes)
    found = {
        "cheapest at these costs": every.best(*known.named(every.classes)).member,
        "fewest errors": every.fewest_errors().member,
        "all classes alike": every.knee().member,
        "farthest from random": every.farthest_from_random().member,
    }
    if not known.exact:
        found["least worst regret"] = every.least_regret(
            *known.named(every.classes, within=True)
        ).member
    return {name: int(member.place or 0) for name, member in found.items()}


# ---- the answer ---------------------------------------------------------------------------------


class WeighedMembers:
    """Members weighed by costs and shares.

    Attributes
    ----------
    rates
        The members' confusion matrices as rates.
    expected, errors
        The expected cost of each per row, and its number of errors on the evaluation rows.
    """

    def __init__(
        self,
        members: Members,
        models: Sequence[str],
        classes: Sequence[str],
        costs: ArrayLike,
        shares: ArrayLike,
    ) -> None:
        self.members, self.models, self.classes = members, models, tuple(classes)
        self.costs, self.shares = np.asarray(costs, dtype=float), np.asarray(shares, dtype=float)
        every = surface_of(members, Classes(self.classes))
        self.totals, self.rates, self.errors = every.totals, every.all_rates, every.errors
        self.expected = np.einsum("nkj,kj->n", self.rates, self.shares[:, None] * self.costs)

    def cheapest(self, allowed: BoolArray) -> tuple[int, int]:
        """Return the best of those allowed, and how many others are as cheap; -1 if none are.

        Of equals the one with the fewest errors is taken, then the first.
        """
        places = np.flatnonzero(allowed)
        if not places.size:
            return -1, 0
        expected = self.expected[places]
        found = places[expected <= expected.min() * (1 + CLOSE)]
        return int(found[np.argmin(self.errors[found])]), int(found.size) - 1

    def answer(self) -> CostAnswer:
        """Return what the cheapest of all members does."""
        return self.describe(*self.cheapest(np.ones(len(self.expected), dtype=bool)))

    def describe(
        self, chosen: int, equals: int = 0, new_rows: NewRowsCost | None = None
    ) -> CostAnswer:
        """Return what a member does at these costs and shares, and is expected to cost."""
        kinds = np.array(self.members.rule)
        plain, _ = self.cheapest(kinds == "most_likely_class")
        always, _ = self.cheapest(kinds == "always")
        rates = self.rates[chosen]
        missed = 1 - np.diagonal(rates)
        found = CostAnswer(
            member=chosen,
            equals=equals,
            cost=float(self.expected[chosen]),
            standard_error=self._standard_error(chosen),
            error_rate=float(self.shares @ missed),
            miss_rates=tuple(missed.tolist()),
            per_1000=tuple(map(tuple, (1000 * self.shares[:, None] * rates).tolist())),
            plain=None if plain < 0 else plain,
            plain_cost=None if plain < 0 else float(self.expected[plain]),
            always=always,
            always_cost=float(self.expected[always]),
            new_rows=None if new_rows is None else NewRows.of(new_rows),
            new_rows_note=CLASS_TEXTS["other_costs"] if new_rows is None else new_rows.note,
            rule=escape_controls(self.rule(chosen).words),
            sentence="",
        )
        costs = tuple(self.costs.ravel().tolist())
        text = class_sentence(found, self.members, self.models, self.classes, costs)
        return replace(found, sentence=text)

    def rule(self, place: int) -> MulticlassRule:
        """Return how a member predicts."""
        model = self.members.model[place]
        if model < 0:
            return MulticlassRule(self.classes, always=self.classes[-1 - model])
        return MulticlassRule(self.classes, self.models[model], self.members.costs[place])

    def _standard_error(self, chosen: int) -> float:
        """Return the standard error of a cost; rows are drawn class by class."""
        costs, rates = self.costs, self.rates[chosen]
        spread = (rates * costs**2).sum(axis=1) - (rates * costs).sum(axis=1) ** 2
        variances = self.shares**2 * spread / self.totals
        return float(np.sqrt(max(variances.sum(), 0.0)))


def answer_costs(data: MulticlassData, costs: ArrayLike, shares: ArrayLike) -> CostAnswer:
    """Return the cheapest of a summary's members at other costs and shares, as its page does."""
    models, classes = ([each.name for each in some] for some in (data.models, data.classes))
    return WeighedMembers(data.members, models, classes, costs, shares).answer()


def _deployment(rule: MulticlassRule) -> Deployment:
    return Deployment(escape_controls(rule.words), rule.to_python(), rule.to_sql())


def _new_rows(
    rows: EvaluationRows,
    surface: RocSurface | None,
    known: CostsAndShares,
    answer: CostAnswer,
    weighed: WeighedMembers,
) -> NewRowsCost:
    """Return what the recommendation is expected to cost on new rows, or why that is unknown."""
    if weighed.members.rule[answer.member] == "always":  # its rates are known
        return NewRowsCost(answer.cost, answer.cost, Interval(answer.cost, answer.cost))
    if rows.truths is None or not rows.probabilities:
        return NewRowsCost(answer.cost, note=CLASS_TEXTS["no_rows"])
    hybrid = rows.hybrid or _as_hybrid(rows, surface, known)
    if rows.truths.size * min(CONSIDERED, len(hybrid.surface)) > MOST_REPEATED:
        return NewRowsCost(answer.cost, note=CLASS_TEXTS["many_rows"])
    costs, priors = known.named(hybrid.surface.classes)
    return AimedSurface(hybrid, costs, priors=priors, exact=True).on_new_rows


def _as_hybrid(
    rows: EvaluationRows, surface: RocSurface | None, known: CostsAndShares
) -> SurfaceHybrid:
    """Return models that are known by their probabilities as a hybrid that makes choices."""
    truths: Any = rows.truths
    return SurfaceHybrid(
        surface if surface is not None else as_surface(_rules(rows, known)),
        truths,
        rows.probabilities,
        None,
        np.arange(truths.size),
        {},
        np.array(rows.classes.names),
    )


def _aim(rows: EvaluationRows, known: CostsAndShares) -> Aim | None:
    """Return what a fitted model does for new rows, where it can aim for them."""
    hybrid = rows.hybrid
    if hybrid is None or hybrid.stack is None:
        return None
    costs, priors = known.named(hybrid.surface.classes)
    view = AimedSurface(hybrid, costs, priors=priors)
    member, expected = view.point.member, NewRows.of(view.on_new_rows)
    weights = None if member.costs is None else tuple(member.costs.values.ravel().tolist())
    rule = _deployment(MulticlassRule(rows.classes.names, member.model, weights))
    return Aim(class_aim_sentence(member.model, expected), rule, expected)


def _classes(rows: EvaluationRows) -> tuple[ClassRows, ...]:
    total = int(rows.totals.sum())
    return tuple(
        ClassRows(name, number, number / total)
        for name, number in zip(rows.classes, rows.totals.tolist(), strict=True)
    )


def _surface(surface: RocSurface, choices: Choices) -> Surface:
    share = None
    if len(surface.classes) <= SEARCHABLE[surface.objectives]:
        samples = int(np.clip(MOST_COMPARED // len(surface), LEAST_SAMPLES, SAMPLES))
        found = surface.dominated_share(samples=samples)
        share = Share(found.value, found.standard_error, Interval(found.low, found.high))
    return Surface(surface.objectives, len(surface), choices.shown, share)


def _remarks(
    choices: Choices, surface: RocSurface | None, known: CostsAndShares, *, has_rows: bool
) -> tuple[str, ...]:
    """Return what was assumed or left out, and how far the choice is to be trusted."""
    found = []
    if not known.exact:
        found.append(
            "Some costs or shares are intervals. The report starts at their middle; the member of "
            "the least worst regret within them is among the choices that suggest themselves."
        )
    if surface is None:
        found.append(
            f"No surface was searched: with {len(choices.classes)} classes next to nothing is "
            f"better than anything else in every miss rate (the limit is {MOST_MISSES} classes). "
            "The choice is among the models' rules and single classes."
        )
    elif choices.shown < len(surface):
        found.append(
            f"{choices.shown:,} of the surface's {len(surface):,} members are kept: "
            "those that are recommended, those that are cheapest for some costs, and others spread "
            "evenly from the fewest errors to the most."
        )
    if len(choices) > MANY:
        found.append(
            f"The recommendation is the cheapest of {len(choices):,} on the evaluation rows. The "
            "best of many looks better there than it will be on new rows: take differences of one "
            "or two standard errors as none, and prefer the simpler rule then."
        )
    if not has_rows:
        found.append(
            "Probabilities are not available, so there are no curves and no AUCs; the counts of "
            "every member are."
        )
    return tuple(found)
