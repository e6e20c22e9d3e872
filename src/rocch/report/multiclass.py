"""The summary of models for more than two classes: probabilities, a surface or a hybrid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from rocch import __version__
from rocch.arrays import BoolArray, FloatArray, IntArray, Label
from rocch.errors import Hint, InputError, describe_type, escape_controls
from rocch.hybrid.aimed_surface import AimedSurface
from rocch.hybrid.expression import STACK
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
from rocch.report.class_aim import aimed_members, tabulate_aim, your_costs
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
    surface_of,
)
from rocch.report.sections import about_multiclass, about_surface, multiclass_sections
from rocch.report.summary import (
    FORMAT,
    Best,
    ClassAim,
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
    CLOSE,
    as_plain_text,
    class_sentence,
    member_kind,
)
from rocch.roc.conditions import OBSERVED, Interval
from rocch.roc.new_rows import NewRowsCost

# A page with more classes could not be read.
MOST_CLASSES = 50

# Points at which G is estimated: its standard error is at most 0.0035, unless there are so many
# members that fewer points must do.
SAMPLES, LEAST_SAMPLES, MOST_COMPARED = 20_000, 2_000, 200_000_000

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
    evaluated = EvaluationRows(
        names, rows.totals, rows.truths, rows.probabilities, rows.classes.names
    )
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
        names = surface.classes.names
        rows = EvaluationRows(_as_texts(surface.classes), surface.totals, None, {}, names)
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
    rows = EvaluationRows(
        _as_texts(surface.classes),
        surface.totals,
        hybrid.truths,
        hybrid.probabilities,
        surface.classes.names,
        _aim_again(what, known),
    )
    return _summarize(rows, surface, known, title, label)


def _aim_again(view: AimedSurface, known: CostsAndShares) -> AimedSurface:
    """Return a view aimed in its own way at what is known."""
    costs, priors = known.named(view.hybrid.surface.classes, within=view.least_regret)
    return AimedSurface(
        view.hybrid,
        costs,
        priors=priors,
        limits=view.limits,
        exact=view.exact,
        parsimonious=view.parsimonious,
        least_regret=view.least_regret,
    )


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
    """The evaluation rows, as far as they are available, and the view of a fitted model.

    Classes are named by texts; `labels` are of their own type, as rules predict them.
    """

    classes: Classes
    totals: IntArray
    truths: IntArray | None
    probabilities: Mapping[str, FloatArray]
    labels: tuple[Label, ...]
    view: AimedSurface | None = None

    @property
    def aims(self) -> bool:
        """Whether a fitted model decides, and aims for new rows."""
        return self.view is not None and self.view.for_new_rows

    @property
    def best(self) -> Best:
        """What the recommendation is best at, as a key of the texts."""
        view = self.view
        if view is None or not (view.for_new_rows or view.least_regret or view.limits):
            simple = view is not None and view.parsimonious and view.point.member.place is None
            return "best_simple" if simple else "best"
        return "best_new" if self.aims else "best_regret" if view.least_regret else "best_within"


def _find_stack(rows: EvaluationRows, choices: Choices) -> int | None:
    """Return the place of a fitted model's stack among the models, if it has one."""
    has_stack = rows.view is not None and rows.view.hybrid.stack is not None
    return choices.models.index(STACK) if has_stack and STACK in choices.models else None


def _summarize(
    rows: EvaluationRows,
    surface: RocSurface | None,
    known: CostsAndShares,
    title: str,
    label: str,
    *,
    remarks: tuple[str, ...] = (),
) -> Summary:
    everything, own = _choices(rows, surface, known)
    named = _suggestions(everything, known, own)
    keep = choose_kept(everything, named.values())
    choices = everything.at(keep)
    chosen = None if own is None else keep.index(own)
    stack = _find_stack(rows, choices)
    weighed = WeighedMembers(
        choices.members,
        choices.models,
        rows.classes.names,
        known.costs,
        known.shares,
        stack=stack,
        labels=rows.labels,
    )
    answered = weighed.answer(chosen, rows.best)
    found, saves = _new_rows(rows, surface, known, answered, weighed)
    answered = weighed.describe(
        answered.member, answered.equals, found, best=answered.best, saves_interval=saves
    )
    data = MulticlassData(
        label=label,
        rows=int(rows.totals.sum()),
        classes=_classes(rows),
        models=describe_models(choices.models, rows.probabilities, rows.truths),
        hulls=describe_hulls(rows.probabilities, rows.truths),
        members=weighed.members,
        surface=None if surface is None else _surface(surface, choices),
        recommended=tuple(
            Recommended(name, place, weighed.suggest(place).sentence)
            for name, place in zip(named, map(keep.index, named.values()), strict=True)
        ),
        costs=tuple(map(tuple, known.costs.tolist())),
        shares=tuple(known.shares.tolist()),
        answer=answered,
        deployment=_deployment(weighed.rule(answered.member)),
        stack=stack,
        aim=_aim(rows, answered.member),
        rule=MulticlassRuleTemplates(rows.labels, choices.models).to_dict(),
        texts=CLASS_TEXTS,
    )
    summary = Summary(
        format=FORMAT,
        rocch=__version__,
        title=title or _title(data),
        about=about_multiclass(data),
        question=known.question.to_dict(),
        assumed=known.question.describe(),
        sentence=answered.sentence,
        warnings=find_class_warnings(
            rows.classes, rows.totals, rows.probabilities, rows.truths, surface
        ),
        remarks=(
            *remarks,
            *_remarks(choices, surface, known, rows),
            *filter(None, [about_surface(data)]),
        ),
        sections=(),
        binary=None,
        multiclass=data,
    )
    return replace(summary, sections=multiclass_sections(summary, data))


def _title(data: MulticlassData) -> str:
    models = [each.name for place, each in enumerate(data.models) if place != data.stack]
    named = " and ".join(models) if len(models) <= 2 else f"{len(models)} models"
    return f"{named} for {len(data.classes)} classes"


def _choices(
    rows: EvaluationRows, surface: RocSurface | None, known: CostsAndShares
) -> tuple[Choices, int | None]:
    """Return everything to choose from, and the place of what a fitted model does."""
    found = Choices.of(surface, _rules(rows, known), rows.classes, rows.totals)
    if rows.view is None:
        return found, None
    return found.with_member(rows.view.point.member, alone=rows.aims)


def _rules(rows: EvaluationRows, known: CostsAndShares) -> RocSurface | None:
    """Return the models' most likely classes, and what they predict by the question's costs."""
    if rows.truths is None or not rows.probabilities:
        return None
    tables = dict(rows.probabilities)
    if rows.aims:  # what the stack does at these costs stands alone
        tables.pop(STACK, None)
    costs, priors = known.named(rows.classes)
    return implied_rules(tables, rows.truths, rows.classes, costs, priors) if tables else None


def _suggestions(choices: Choices, known: CostsAndShares, own: int | None) -> dict[str, int]:
    """Return the places of members that suggest themselves, by what they are best at."""
    every = surface_of(choices.members, choices.classes)
    first = {} if own is None else {CLASS_TEXTS["suggest_own"]: own}
    found = {
        CLASS_TEXTS["suggest_cheapest"]: every.best(*known.named(every.classes)).member,
        "fewest errors": every.fewest_errors().member,
        "all classes alike": every.knee().member,
        "farthest from random": every.farthest_from_random().member,
    }
    if not known.exact:
        found["least worst regret"] = every.least_regret(
            *known.named(every.classes, within=True)
        ).member
    return first | {name: int(member.place or 0) for name, member in found.items()}


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
        *,
        stack: int | None = None,
        labels: tuple[Label, ...] | None = None,
    ) -> None:
        self.members, self.models, self.classes = members, models, tuple(classes)
        self.costs, self.shares = np.asarray(costs, dtype=float), np.asarray(shares, dtype=float)
        self.stack, self.labels = stack, labels or self.classes
        every = surface_of(members, Classes(self.classes))
        self.totals, self.rates, self.errors = every.totals, every.all_rates, every.errors
        self.expected = np.einsum("nkj,kj->n", self.rates, self.shares[:, None] * self.costs)
        self.yours = your_costs(self.costs, self.shares, self.totals)

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

    def answer(self, own: int | None = None, best: Best = "best") -> CostAnswer:
        """Return what a fitted model's own member does, or the cheapest of all members."""
        if own is not None:
            return self.describe(own, best=best)
        return self.describe(*self._cheapest_of_all, best="best")

    def suggest(self, place: int) -> CostAnswer:
        """Return what a member does that suggests itself."""
        return self.describe(place, best="best" if place == self._cheapest_of_all[0] else "")

    @property
    def _cheapest_of_all(self) -> tuple[int, int]:
        return self.cheapest(np.ones(len(self.expected), dtype=bool))

    def describe(
        self,
        chosen: int,
        equals: int = 0,
        new_rows: NewRowsCost | None = None,
        *,
        best: Best = "",
        saves_interval: Interval | None = None,
    ) -> CostAnswer:
        """Return what a member does at these costs and shares, and is expected to cost."""
        kinds, models = np.array(self.members.rule), np.array(self.members.model)
        single = True if self.stack is None else models != self.stack
        plain, _ = self.cheapest((kinds == "most_likely_class") & single)
        least, _ = self._cheapest_of_all
        always, _ = self.cheapest(kinds == "always")
        rates = self.rates[chosen]
        missed = 1 - np.diagonal(rates)
        found = CostAnswer(
            member=chosen,
            equals=equals,
            best=best,
            cheapest=least,
            cheapest_cost=float(self.expected[least]),
            cost=float(self.expected[chosen]),
            standard_error=self._standard_error(chosen),
            error_rate=float(self.shares @ missed),
            miss_rates=tuple(missed.tolist()),
            per_1000=tuple(map(tuple, (1000 * self.shares[:, None] * rates).tolist())),
            plain=None if plain < 0 else plain,
            plain_cost=None if plain < 0 else float(self.expected[plain]),
            saves_interval=saves_interval,
            always=always,
            always_cost=float(self.expected[always]),
            new_rows=None if new_rows is None else NewRows.of(new_rows),
            new_rows_note=CLASS_TEXTS["other_costs"] if new_rows is None else new_rows.note,
            rule=escape_controls(self.rule(chosen).words),
            sentence="",
        )
        text = class_sentence(found, self.members, self.models, self.classes, self.yours)
        return replace(found, sentence=text)

    def rule(self, place: int) -> MulticlassRule:
        """Return how a member predicts."""
        model = self.members.model[place]
        if model < 0:
            return MulticlassRule(self.labels, always=self.labels[-1 - model])
        return MulticlassRule(
            self.labels,
            self.models[model],
            self.members.costs[place],
            adjusted=member_kind(self.members, place, self.yours) == "least_weighted_sum",
        )

    def _standard_error(self, chosen: int) -> float:
        """Return the standard error of a cost; rows are drawn class by class."""
        costs, rates = self.costs, self.rates[chosen]
        spread = (rates * costs**2).sum(axis=1) - (rates * costs).sum(axis=1) ** 2
        variances = self.shares**2 * spread / self.totals
        return float(np.sqrt(max(variances.sum(), 0.0)))


def weigh(data: MulticlassData, costs: ArrayLike, shares: ArrayLike) -> WeighedMembers:
    """Return a summary's members at other costs and shares."""
    models, classes = ([each.name for each in some] for some in (data.models, data.classes))
    members = aimed_members(data, np.asarray(costs, float), np.asarray(shares, float))
    return WeighedMembers(members, models, classes, costs, shares, stack=data.stack)


def answer_costs(data: MulticlassData, costs: ArrayLike, shares: ArrayLike) -> CostAnswer:
    """Return what to do at other costs and shares, as a summary's page does."""
    own = None if data.aim is None else data.aim.member
    return weigh(data, costs, shares).answer(own, "best_new")


def _deployment(rule: MulticlassRule) -> Deployment:
    return Deployment(escape_controls(rule.words), rule.to_python(), rule.to_sql())


def _new_rows(
    rows: EvaluationRows,
    surface: RocSurface | None,
    known: CostsAndShares,
    answer: CostAnswer,
    weighed: WeighedMembers,
) -> tuple[NewRowsCost, Interval | None]:
    """Return what the recommendation is expected to cost on new rows, and bounds of what it saves.

    Where that is unknown, the first result says why.
    """
    if weighed.members.rule[answer.member] == "always":  # its rates are known
        return NewRowsCost(answer.cost, answer.cost, Interval(answer.cost, answer.cost)), None
    if rows.truths is None or not rows.probabilities:
        return NewRowsCost(answer.cost, note=CLASS_TEXTS["no_rows"]), None
    view = rows.view
    if view is None:
        hybrid = _as_hybrid(rows, surface, known)
        costs, priors = known.named(hybrid.surface.classes)
        view = AimedSurface(hybrid, costs, priors=priors, exact=True)
    choices = 1 if rows.aims else min(CONSIDERED, len(view.hybrid.surface))
    if rows.truths.size * choices > MOST_REPEATED:
        return NewRowsCost(answer.cost, note=CLASS_TEXTS["many_rows"]), None
    found = view.savings().rows
    return view.on_new_rows, found[0].saves_interval if found else None


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


def _aim(rows: EvaluationRows, member: int) -> ClassAim | None:
    """Return what a page needs to aim a fitted model for new rows, where it does so."""
    if not rows.aims or rows.truths is None:
        return None
    return tabulate_aim(member, rows.probabilities[STACK], rows.truths)


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
    choices: Choices, surface: RocSurface | None, known: CostsAndShares, rows: EvaluationRows
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
    if rows.best not in {"best", "best_new"}:
        found.append(
            "The report starts at what the model is aimed at. Once the controls of its page are "
            "turned, it recommends the cheapest choice on the evaluation rows instead."
        )
    if len(choices) > MANY and rows.best == "best":
        found.append(
            f"The recommendation is the cheapest of {len(choices):,} on the evaluation rows. The "
            "best of many looks better there than it will be on new rows: take differences of one "
            "or two standard errors as none, and prefer the simpler rule then."
        )
    if not rows.probabilities:
        found.append(
            "Probabilities are not available, so there are no curves and no AUCs; the counts of "
            "every member are."
        )
    return tuple(found)
