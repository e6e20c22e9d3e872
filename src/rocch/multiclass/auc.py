"""Multi-class AUCs with intervals and tests, and class-reference curves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import AnyArray, Columns, FloatArray, IntArray, Label
from rocch.errors import Hint, InputError, UndefinedError, format_list
from rocch.inputs import as_choice, as_level
from rocch.kernels.exact import exact_products
from rocch.kernels.placements import ClassPlacements, class_placements
from rocch.multiclass.classes import Classes, ClassNames, ProbabilityRows
from rocch.multiclass.confusion import as_numerators
from rocch.multiclass.costs import Shares, as_priors
from rocch.results import Record, Records, Table, Tabular, collect
from rocch.roc.conditions import OBSERVED, Interval
from rocch.roc.curve import RocCurve
from rocch.roc.hull import RocHull
from rocch.stats.arguments import check_several
from rocch.stats.auc import AucEstimate, AucMoments, AucValue, auc_limits
from rocch.stats.auc_tests import AucComparison, compare_estimates
from rocch.stats.pair_tests import Adjustment, as_adjustment
from rocch.svg import Mark, draw_intervals

# Every multi-class AUC is a mean of the comparisons A(i|j). Its weights are exact fractions (dtype
# object) that sum to 1, in a matrix with i in rows and j in columns.

Measure = Literal["hand_till", "total", "macro"]


def measure_weights(measure: str, shares: Sequence[Fraction]) -> AnyArray:
    """Return the weights of a mean over all classes with the given shares."""
    as_choice(measure, get_args(Measure), "measure")
    classes = len(shares)
    if measure == "hand_till":
        even = np.full((classes, classes), Fraction(1, classes * (classes - 1)))
        np.fill_diagonal(even, Fraction(0))
        return even
    rows = [class_weights(code, shares) for code in range(classes)]
    own = shares if measure == "total" else [Fraction(1, classes)] * classes
    return np.asarray(sum(weights * share for weights, share in zip(rows, own, strict=True)))


def class_weights(code: int, shares: Sequence[Fraction]) -> AnyArray:
    """Return the weights of one class against all others, mixed by their shares."""
    weights = np.full((len(shares), len(shares)), Fraction(0))
    rest = sum(shares) - shares[code]
    weights[code] = [share / rest for share in shares]
    weights[code, code] = Fraction(0)
    return weights


def pair_weights(first: int, second: int, classes: int) -> AnyArray:
    """Return the weights of A(i, j), the mean of A(i|j) and A(j|i)."""
    weights = np.full((classes, classes), Fraction(0))
    weights[first, second] = weights[second, first] = Fraction(1, 2)
    return weights


def effective_units(weights: AnyArray, units: IntArray, most: int) -> tuple[int, int]:
    """Return the effective numbers of negative and positive units."""
    # Units are rows or groups, n_k of class k. A mean of A(i|j) has the variance sum over k of
    # u_k^2 s_k / n_k, where u_k is the weight of all comparisons of class k, as winner (row) and as
    # loser (column), and s_k the variance of a unit's mean placement. Two classes have
    # s_1 / n_1 + s_0 / n_0. So the sum of u_k^2 / n_k is split by the two roles, and the inverses
    # of the parts stand for n_1 and n_0.
    sizes = units.astype(object)
    compared = np.unique(np.nonzero(weights))
    if compared.size == 2:  # both directions compare the same rows
        return sizes[compared[0]], sizes[compared[1]]
    wins, losses = weights.sum(axis=1), weights.sum(axis=0)
    each = (wins + losses) / sizes
    negatives, positives = (
        min(math.floor(1 / (role * each).sum()), most) for role in (losses, wins)
    )
    return negatives, positives


def as_shares(priors: Shares, classes: Classes, totals: IntArray) -> tuple[Fraction, ...]:
    """Return the classes' shares as fractions that sum to 1."""
    fractions = as_priors(priors, classes, totals).fractions
    for name, share in zip(classes, fractions, strict=True):
        hint = "For a class that does not occur, leave its rows and its column out."
        as_level(float(share), f"priors[{name!r}]", hint=hint)
    return tuple(share / sum(fractions) for share in fractions)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PairwiseAucs(Tabular):
    """The comparisons A(i|j) of all classes.

    A(i|j) is the chance that a row of class i gets a larger probability *for i* than a row of class
    j, ties half.

    Attributes
    ----------
    classes
        The classes, in the order of rows and columns.
    totals
        The number of rows of each class.
    twice_wins
        Twice the number of pairs of rows ranked correctly, ties once.
    """

    classes: Classes
    totals: IntArray
    twice_wins: IntArray

    def __post_init__(self) -> None:
        self.totals.flags.writeable = self.twice_wins.flags.writeable = False

    @classmethod
    def of(cls, rows: ProbabilityRows, outranks: IntArray) -> PairwiseAucs:
        """Add up the rows that each class outranks."""
        wins = np.stack([outranks[own].sum(axis=0) for own in rows.rows_by_class()])
        return cls(rows.classes, rows.totals, wins)

    def __repr__(self) -> str:
        return f"<PairwiseAucs of {len(self.classes)} classes, {self.totals.sum():,} rows>"

    def _columns(self) -> Table:
        """Return a row for each pair of classes."""
        places, names = np.triu_indices(len(self.classes), 1), self.classes.names
        return {
            "first": [names[i] for i in places[0]],
            "second": [names[j] for j in places[1]],
            "auc": self.separation[places],
            "by_first": self.matrix[places],
            "by_second": self.matrix.T[places],
        }

    @property
    def matrix(self) -> FloatArray:
        """A(i|j), with i in rows and j in columns; 0.5 on the diagonal."""
        sizes = self.totals.astype(np.float64)
        wins = self.twice_wins / (2 * np.outer(sizes, sizes))
        np.fill_diagonal(wins, 0.5)
        return np.asarray(wins)

    @property
    def separation(self) -> FloatArray:
        """The symmetric A(i, j) = (A(i|j) + A(j|i)) / 2."""
        matrix = self.matrix
        return (matrix + matrix.T) / 2

    def mean(self, weights: AnyArray) -> Fraction:
        """Return the exact mean of all A(i|j) by a matrix of weights."""
        sizes, total = self.totals.tolist(), Fraction(0)
        for i, j in zip(*np.nonzero(weights), strict=True):
            total += weights[i, j] * Fraction(int(self.twice_wins[i, j]), 2 * sizes[i] * sizes[j])
        return total

    def auc(self, measure: Measure = "hand_till", *, priors: Shares = OBSERVED) -> float:
        """Return a multi-class AUC without an interval."""
        shares = as_shares(priors, self.classes, self.totals)
        return float(self.mean(measure_weights(measure, shares)))


def pairwise_aucs(
    y_true: ArrayLike, y_proba: Columns, *, classes: ClassNames | None = None
) -> PairwiseAucs:
    """Compare every pair of classes, which may have single rows.

    Parameters
    ----------
    y_true, y_proba, classes
        As for `rocch.multiclass.multiclass_auc`.

    Examples
    --------
    >>> import rocch
    >>> y = ["cat", "cat", "dog", "eel"]
    >>> P = [[0.7, 0.2, 0.1], [0.4, 0.5, 0.1], [0.4, 0.6, 0.0], [0.2, 0.2, 0.6]]
    >>> found = rocch.multiclass.pairwise_aucs(y, P)
    >>> found.matrix
    array([[0.5 , 0.75, 1.  ],
           [1.  , 0.5 , 1.  ],
           [1.  , 1.  , 0.5 ]])
    >>> round(found.auc("hand_till"), 4)
    0.9583
    """
    rows = ProbabilityRows.of(y_true, y_proba, classes=classes, single=True)
    (table,) = rows.probabilities.values()
    return PairwiseAucs.of(rows, class_placements(table, rows.truths).outranks)


# Variances and covariances. An AUC is a mean of comparisons A(i|j) with fixed weights w_ij. All
# comparisons of one row r of class k add up to its *component*
#
#     c_r = sum over j of  w_kj x (share of class j that r outranks, by the probability for k)
#                        + w_jk x (share of class j that outranks r, by the probability for j),
#
# which is the AUC (up to a constant) if r stood for its whole class. The classes are independent
# samples, so to first order (Hoeffding's projection)
#
#     variance = sum over classes k of  (sample variance of c_r over the rows of k) / n_k.
#
# For two classes this is DeLong's variance, and exactly the jackknife's, class by class.
# Covariances of models on the same rows have products of components in place of squares.
#
# A group takes the place of a row: the deviations of its rows' components are added up class by
# class, and classes that share groups add their covariances (Obuchowski's variance for two
# classes).


class _Factors(NamedTuple):
    """Factors that turn a class's twice placements into its rows' components."""

    code: int
    used: IntArray  # the placements that count
    numerators: IntArray  # to be divided by `scale`
    scale: int


@dataclass(frozen=True, slots=True, eq=False)
class PlacementMoments:
    """Products of placements, from which covariances of any weighting follow."""

    models: tuple[PairwiseAucs, ...]
    # For each class (and each two, if rows are grouped), the sums over units of products of all
    # placements: outranking each class, being outranked by each, model after model, then the number
    # of rows. They are exact, so that two models that rank alike differ by exactly 0.
    products: Mapping[tuple[int, int], IntArray]
    units: IntArray
    all_units: int
    grouped: bool

    @classmethod
    def of(cls, rows: ProbabilityRows) -> PlacementMoments:
        """Place all rows by each model's probabilities."""
        placed = [class_placements(table, rows.truths) for table in rows.probabilities.values()]
        sides = [_add_by_unit(placed, own, rows) for own in rows.rows_by_class()]
        together = [(code, code) for code in range(len(sides))]
        if rows.groups is not None:
            together += combinations(range(len(sides)), 2)
        return cls(
            tuple(PairwiseAucs.of(rows, placements.outranks) for placements in placed),
            {(k, m): exact_products(sides[k], sides[m]) for k, m in together},
            np.array([np.count_nonzero(side[-1]) for side in sides]),
            rows.units,
            rows.groups is not None,
        )

    def covariance(self, weights: AnyArray, one: int = 0, other: int = 0) -> Fraction:
        """Return the covariance of two models' AUCs with the same weights."""
        self._check_units(weights)
        totals = self.models[0].totals.tolist()
        factors = [_factors(weights, totals, code) for code in range(len(totals))]
        total = Fraction(0)
        for k, m in self.products:
            if factors[k].used.size and factors[m].used.size:
                total += self._part(factors[k], factors[m], (one, other))
                if k != m:
                    total += self._part(factors[k], factors[m], (other, one))
        return total

    def estimate(
        self, weights: AnyArray, confidence: float, *, model: int = 0, positives: int | None = None
    ) -> AucEstimate:
        """Return one model's AUC with an interval."""
        value = float(self.models[model].mean(weights))
        variance = float(self.covariance(weights, model, model))
        units = effective_units(weights, self.units, self.all_units)
        limits = auc_limits(value, variance, units, confidence=confidence)
        error = math.sqrt(variance)
        return AucEstimate(value, error, limits, confidence, *self._sizes(positives))

    def value_or_estimate(
        self, weights: AnyArray, confidence: float, *, positives: int | None = None
    ) -> AucValue:
        """Return the first model's AUC, with an interval if it is defined."""
        if not self._lone_classes(weights):
            return self.estimate(weights, confidence, positives=positives)
        value = float(self.models[0].mean(weights))
        return AucValue(value, None, None, confidence, *self._sizes(positives))

    def _sizes(self, positives: int | None) -> tuple[int, int | None, int | None]:
        """Return the numbers of rows, positives and groups."""
        rows = int(self.models[0].totals.sum())
        return rows, positives, self.all_units if self.grouped else None

    def _lone_classes(self, weights: AnyArray) -> list[Label]:
        """Return the classes compared that have a single unit, so no variance."""
        compared = np.unique(np.nonzero(weights)).tolist()
        return [self.models[0].classes.names[code] for code in compared if self.units[code] < 2]

    def _check_units(self, weights: AnyArray) -> None:
        lone = format_list(self._lone_classes(weights))
        if not lone:
            return
        if self.grouped:
            kind, needed = "all rows in one group", "two groups that hold each, and there is one"
        else:
            kind, needed = "a single row", "two rows of each, and there is one"
        raise UndefinedError(
            f"the variance of a multi-class AUC is undefined with {kind} of a class; it takes "
            f"at least {needed} of {lone}.",
            hint=Hint("Evaluate on more rows, or use multiclass_auc for AUCs without intervals."),
        )

    def _part(self, first: _Factors, second: _Factors, models: tuple[int, int]) -> Fraction:
        """Return the covariance of two classes' parts."""
        # A unit's deviation is n x (its components) - (its rows) x (the components of all n rows of
        # its class), here multiplied out.
        products = self.products[first.code, second.code]
        a, b = (
            side.used + 2 * len(self.units) * model
            for side, model in zip((first, second), models, strict=True)
        )
        (n, s), (m, t) = self._total(first, models[0]), self._total(second, models[1])
        deviations = (
            n * m * (first.numerators @ products[np.ix_(a, b)] @ second.numerators)
            - n * t * (first.numerators @ products[a, -1])
            - m * s * (products[-1, b] @ second.numerators)
            + s * t * products[-1, -1]
        )
        same = first.code == second.code
        units = int(self.units[first.code]) if same else self.all_units
        scale = (n * m) ** 2 * first.scale * second.scale
        return Fraction(deviations * units, scale * (units - 1))

    def _total(self, factors: _Factors, model: int) -> tuple[int, int]:
        wins, code = self.models[model], factors.code
        sums = np.concatenate((wins.twice_wins[code], wins.twice_wins[:, code])).astype(object)
        return int(wins.totals[code]), factors.numerators @ sums[factors.used]


def _add_by_unit(
    placed: Sequence[ClassPlacements], own: IntArray, rows: ProbabilityRows
) -> IntArray:
    """Return the placements of a class's rows and a 1 for each, added up by group."""
    columns = [side[own].T for placements in placed for side in placements]
    features = np.vstack((*columns, np.ones(own.size, dtype=np.int64)))
    if rows.groups is None:
        return features
    sums = np.zeros((rows.units, len(features)), dtype=np.int64)
    np.add.at(sums, rows.groups[own], features.T)
    return sums.T


def _factors(weights: AnyArray, totals: list[int], code: int) -> _Factors:
    roles = np.concatenate((weights[code], weights[:, code]))
    used = np.flatnonzero(roles)
    rows = 2 * np.array([*totals, *totals], dtype=object)
    return _Factors(code, used, *as_numerators(roles[used] / rows[used]))


@dataclass(frozen=True, slots=True, repr=False)
class ClassPair(Record):
    """The separation of two classes.

    Attributes
    ----------
    first, second
        The classes.
    auc, standard_error, interval
        A(i, j), the mean of the following two.
    by_first, by_second
        A(i|j) and A(j|i).
    """

    first: Label
    second: Label
    auc: float
    standard_error: float | None
    interval: Interval | None
    by_first: float
    by_second: float

    def __str__(self) -> str:
        limits = "no interval"
        if self.interval is not None:
            limits = f"{self.interval.low:.4f} to {self.interval.high:.4f}"
        return f"{self.first} and {self.second}: AUC {self.auc:.4f} ({limits})"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MulticlassAuc(Tabular):
    """The AUCs of one model over several classes.

    AUCs of a class with a single row or group have no interval.

    Attributes
    ----------
    hand_till
        Hand and Till's M: the mean of A(i, j) over all pairs.
    total
        Provost and Domingos' AUC: one-vs-rest AUCs weighted by the classes' shares.
    macro
        The plain mean of one-vs-rest AUCs.
    by_class
        The one-vs-rest AUCs.
    pairs
        All pairs of classes, the worst separated first.
    pairwise
        The exact counts.
    shares
        The classes' shares.
    confidence
        The confidence of each interval.
    """

    hand_till: AucValue
    total: AucValue
    macro: AucValue
    by_class: Mapping[Label, AucValue]
    pairs: Records[ClassPair]
    pairwise: PairwiseAucs
    shares: Mapping[Label, float]
    confidence: float

    def pair(self, first: Label, second: Label) -> ClassPair:
        """Return the separation of two classes."""
        for name, argument in ((first, "first"), (second, "second")):
            self.pairwise.classes.place(name, argument)
        if first == second:
            raise InputError("second", "be another class than {first}", repr(second))
        return next(pair for pair in self.pairs if {pair.first, pair.second} == {first, second})

    def __str__(self) -> str:
        lines = [
            f"Hand and Till's M: {self.hand_till}",
            f"total, weighted by shares: {self.total}",
            f"macro, all classes alike: {self.macro}",
            *(f"{name} against the rest: {found}" for name, found in self.by_class.items()),
            self._title(),
        ]
        return "\n".join(lines)

    def _title(self) -> str:
        return f"worst separated: {self.pairs[0]}"

    def _columns(self) -> Table:
        """Return the three means and each class against the rest; see `pairs` for pairs."""
        means = {"hand_till": self.hand_till, "total": self.total, "macro": self.macro}
        rest = {f"{name} against the rest": found for name, found in self.by_class.items()}
        columns = collect((means | rest).values())
        shown = ("value", "standard_error", "low", "high")
        return {"measure": [*means, *rest], **{n: columns[n] for n in shown if n in columns}}

    def _picture(self) -> str:
        columns = {name: list(values) for name, values in self._columns().items()}
        ends = [columns.get(name, [None] * len(columns["value"])) for name in ("low", "high")]
        rows = zip(columns["measure"], *ends, columns["value"], strict=True)
        return draw_intervals([Mark(*row) for row in rows], "AUC")


def multiclass_auc(
    y_true: ArrayLike,
    y_proba: Columns,
    *,
    classes: ClassNames | None = None,
    priors: Shares = OBSERVED,
    groups: ArrayLike | None = None,
    confidence: float = 0.95,
) -> MulticlassAuc:
    """Return a model's AUCs over several classes, with intervals.

    Parameters
    ----------
    y_true
        The true class of each row; every class must occur.
    y_proba
        An array with columns in the order of `classes` (`predict_proba(X)`), or a frame with
        columns named after them.
    classes
        The classes in order; by default the labels, sorted.
    priors
        The classes' shares in use; by default those of the rows. M does not depend on it.
    groups
        Each row's group (a patient, a document), where rows of a group are alike.
    confidence
        The confidence of each interval.

    Notes
    -----
    Variances generalize DeLong's and are exact fractions.

    Examples
    --------
    >>> import rocch
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_val_predict
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> P = cross_val_predict(GaussianNB(), X, y, method="predict_proba")
    >>> found = rocch.multiclass.multiclass_auc(y, P)
    >>> print(found.hand_till)
    AUC 0.9940 (95% interval 0.9725 to 0.9987)
    >>> print(found.pairs[0])
    1 and 2: AUC 0.9820 (0.9434 to 0.9942)
    """
    level = as_level(confidence)
    rows = ProbabilityRows.of(y_true, y_proba, classes=classes, groups=groups, single=True)
    shares = as_shares(priors, rows.classes, rows.totals)
    moments = PlacementMoments.of(rows)
    hand_till, total, macro = (
        moments.value_or_estimate(measure_weights(measure, shares), level)
        for measure in get_args(Measure)
    )
    own = {
        name: moments.value_or_estimate(class_weights(code, shares), level, positives=int(size))
        for code, (name, size) in enumerate(zip(rows.classes, rows.totals, strict=True))
    }
    return MulticlassAuc(
        hand_till,
        total,
        macro,
        own,
        _pairs(moments, level),
        moments.models[0],
        dict(zip(rows.classes, map(float, shares), strict=True)),
        level,
    )


def _pairs(moments: PlacementMoments, confidence: float) -> Records[ClassPair]:
    (wins,) = moments.models
    names, matrix, pairs = wins.classes.names, wins.matrix, []
    for i, j in combinations(range(len(names)), 2):
        auc = moments.value_or_estimate(pair_weights(i, j, len(names)), confidence)
        directions = float(matrix[i, j]), float(matrix[j, i])
        estimate = auc.value, auc.standard_error, auc.interval
        pairs.append(ClassPair(names[i], names[j], *estimate, *directions))
    return Records(sorted(pairs, key=lambda pair: pair.auc))


def compare_multiclass_aucs(
    y_true: ArrayLike,
    y_proba: Columns,
    *,
    measure: Measure = "hand_till",
    classes: ClassNames | None = None,
    priors: Shares = OBSERVED,
    groups: ArrayLike | None = None,
    confidence: float = 0.95,
    adjust: Adjustment = "holm",
) -> AucComparison:
    """Compare the multi-class AUCs of models on the same rows.

    For two classes this is DeLong's test.

    Parameters
    ----------
    y_true, classes, priors, groups, confidence
        As for `rocch.multiclass.multiclass_auc`.
    y_proba
        The probabilities by model.
    measure
        "hand_till" (M), "total" (weighted by the classes' shares) or "macro".
    adjust
        The adjustment of p-values: "holm", "bonferroni", "benjamini-hochberg" or "none".

    Examples
    --------
    >>> import rocch
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.model_selection import cross_val_predict
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> models = {"nb": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2, random_state=0)}
    >>> P = {m: cross_val_predict(f, X, y, method="predict_proba") for m, f in models.items()}
    >>> print(rocch.multiclass.compare_multiclass_aucs(y, P).differences[0])
    nb - tree: +0.0985 (+0.0635 to +0.1442), z = 5.16, p = 2.43e-07
    """
    level, method = as_level(confidence), as_adjustment(adjust)
    rows = ProbabilityRows.of(y_true, y_proba, classes=classes, groups=groups)
    names = tuple(rows.probabilities)
    check_several(names, "y_proba", "For one model use rocch.multiclass.multiclass_auc.")
    weights = measure_weights(measure, as_shares(priors, rows.classes, rows.totals))
    moments = PlacementMoments.of(rows)
    places = range(len(names))
    estimates = {name: moments.estimate(weights, level, model=i) for i, name in enumerate(names)}
    joint = AucMoments(
        names,
        tuple(wins.mean(weights) for wins in moments.models),
        tuple(tuple(moments.covariance(weights, i, j) for j in places) for i in places),
        effective_units(weights, moments.units, moments.all_units),
    )
    return compare_estimates(joint, estimates, adjust=method, paired=True)


def class_reference_curves(
    y_true: ArrayLike, y_proba: Columns, *, classes: ClassNames | None = None
) -> dict[Label, RocCurve]:
    """Return the one-vs-rest ROC curve of each class.

    The other classes are mixed as in these rows.

    Parameters
    ----------
    y_true, y_proba, classes
        As for `rocch.multiclass.multiclass_auc`.

    Examples
    --------
    >>> import rocch
    >>> y = ["cat", "cat", "dog", "eel"]
    >>> P = [[0.7, 0.2, 0.1], [0.4, 0.5, 0.1], [0.4, 0.6, 0.0], [0.2, 0.2, 0.6]]
    >>> {name: curve.auc for name, curve in rocch.multiclass.class_reference_curves(y, P).items()}
    {'cat': 0.875, 'dog': 1.0, 'eel': 1.0}
    """
    rows = ProbabilityRows.of(y_true, y_proba, classes=classes, single=True)
    (table,) = rows.probabilities.values()
    return {
        name: RocCurve.from_scores(rows.truths == code, table[:, code], name=str(name))
        for code, name in enumerate(rows.classes)
    }


def class_reference_hulls(
    y_true: ArrayLike, y_proba: Columns, *, classes: ClassNames | None = None
) -> dict[Label, RocHull]:
    """Return the one-vs-rest hull of all models, for each class.

    Parameters
    ----------
    y_true, classes
        As for `rocch.multiclass.multiclass_auc`.
    y_proba
        The probabilities by model, or those of one model.

    Examples
    --------
    >>> import rocch
    >>> y = ["cat", "cat", "dog", "eel"]
    >>> nb = [[0.7, 0.2, 0.1], [0.4, 0.5, 0.1], [0.4, 0.6, 0.0], [0.2, 0.2, 0.6]]
    >>> knn = [[0.8, 0.2, 0.0], [0.6, 0.4, 0.0], [0.4, 0.4, 0.2], [0.4, 0.2, 0.4]]
    >>> for name, hull in rocch.multiclass.class_reference_hulls(y, {"nb": nb, "knn": knn}).items():
    ...     print(name, hull.dominator())
    cat knn
    dog nb
    eel knn
    """
    rows = ProbabilityRows.of(y_true, y_proba, classes=classes)
    return {
        name: RocHull.from_scores(
            rows.truths == code,
            {model: np.ascontiguousarray(t[:, code]) for model, t in rows.probabilities.items()},
        )
        for code, name in enumerate(rows.classes)
    }
