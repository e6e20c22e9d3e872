"""How well pairs of classes are told apart, and how these comparisons vary together."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any, Literal, NamedTuple, Self, get_args

import numpy as np

from rocch.arrays import FloatArray, IntArray
from rocch.errors import InputError, UndefinedError, format_list
from rocch.inputs import as_choice, as_columns, as_name
from rocch.kernels.exact import exact_products
from rocch.kernels.placements import ClassPlacements, class_placements
from rocch.multiclass.classes import Classes, as_posteriors
from rocch.multiclass.costs import as_priors
from rocch.roc.conditions import OBSERVED
from rocch.rows import as_groups

# --- Rows whose true classes are known, on which models' posteriors are judged --------------------


@dataclass(frozen=True, slots=True, eq=False)
class JudgedClasses:
    """The classes, and each row's true class as its place among them; every class occurs."""

    classes: Classes
    truths: IntArray
    groups: IntArray | None = None
    """The number of each row's group (a patient, a document), where rows come in groups."""

    @classmethod
    def of(cls, y_true: Any, classes: Any = None, groups: Any = None) -> Self:
        """Check labels; without `classes` these are the labels that occur, sorted."""
        known = Classes.of_labels(y_true) if classes is None else Classes.of(classes)
        truths = known.truths(y_true)
        return cls(known, truths, None if groups is None else as_groups(groups, truths.size))

    def __len__(self) -> int:
        return self.truths.size

    @property
    def totals(self) -> IntArray:
        """How many rows each class has."""
        return np.bincount(self.truths, minlength=len(self.classes))

    @property
    def units(self) -> int:
        """How many rows, or groups of rows, are independent of each other."""
        return len(self) if self.groups is None else int(self.groups.max()) + 1

    def posteriors(self, y_proba: Any, argument: str = "y_proba") -> FloatArray:
        """Check one model's posteriors on these rows."""
        return as_posteriors(y_proba, self.classes, rows=len(self), argument=argument)

    def models(self, posteriors: Any) -> dict[str, FloatArray]:
        """Check several models' posteriors by name, or one model's alone, without a name.

        A mapping whose keys are the classes holds one model's columns.
        """
        by_class = {str(name) for name in self.classes}
        if not isinstance(posteriors, Mapping) or set(map(str, posteriors)) == by_class:
            return {"classifier": self.posteriors(posteriors)}
        return {
            as_name(name): self.posteriors(given, f"y_proba[{name!r}]")
            for name, given in as_columns(posteriors, argument="y_proba").items()
        }

    def rows_by_class(self) -> list[IntArray]:
        """Return each class's rows, in their order."""
        return [np.flatnonzero(self.truths == code) for code in range(len(self.classes))]


# --------------------------------------------------------------------------------------------------
# Every AUC of many classes is a mean of the comparisons A(i|j); this is how each one weighs them.
#
# A(i|j) is the chance that a row of class i gets a larger posterior for i than a row of class j,
# ties half. Weights are exact fractions that sum to 1, in a matrix with i in rows and j in columns.

Measure = Literal["hand_till", "total", "macro"]

Weights = np.ndarray[Any, Any]
"""A matrix of fractions (dtype object)."""


def measure_weights(measure: Measure, shares: Sequence[Fraction]) -> Weights:
    """Return the weights of a mean over all classes; `shares` are those of the classes.

    Hand and Till's M gives all pairs of classes the same weight. Provost and Domingos' total weighs
    the classes' own AUCs by their shares, the macro mean gives each the same weight.
    """
    classes = len(shares)
    if measure == "hand_till":
        even = np.full((classes, classes), Fraction(1, classes * (classes - 1)))
        return _without_diagonal(even)
    rows = [class_weights(code, shares) for code in range(classes)]
    own = shares if measure == "total" else [Fraction(1, classes)] * classes
    return np.asarray(sum(weights * share for weights, share in zip(rows, own, strict=True)))


def class_weights(code: int, shares: Sequence[Fraction]) -> Weights:
    """Return the weights of one class against all others together (its class-reference AUC).

    The others are mixed by their shares, so what one of them contributes depends on the balance of
    the classes. Weights that follow the shares of rows give the usual one-vs-rest AUC.
    """
    weights = np.full((len(shares), len(shares)), Fraction(0))
    rest = sum(shares) - shares[code]
    weights[code] = [share / rest for share in shares]
    return _without_diagonal(weights)


def pair_weights(first: int, second: int, classes: int) -> Weights:
    """Return the weights of A(i, j), the mean of A(i|j) and A(j|i)."""
    weights = np.full((classes, classes), Fraction(0))
    weights[first, second] = weights[second, first] = Fraction(1, 2)
    return weights


def effective_units(weights: Weights, units: IntArray, most: int) -> tuple[int, int]:
    """Return as how many negatives and positives the independent units of all classes count.

    Units are rows, or groups of rows, n_k of class k and `most` in all. A mean of A(i|j) has the
    variance sum over k of u_k^2 s_k / n_k, where u_k is the weight of all comparisons of class k,
    as the class that should win (its row) and as the one that should lose (its column), and s_k the
    variance of a unit's mean placement. Two classes have s_1 / n_1 + s_0 / n_0. So the sum of
    u_k^2 / n_k is split by the two roles into two parts, and their inverses stand for n_1 and n_0.
    For one class against the rest, and for a single pair, they are the very numbers of rows; for M
    of classes of equal size, half of all rows each.
    """
    sizes = [int(size) for size in units]
    compared = np.unique(np.nonzero(weights))
    if compared.size == 2:  # both directions compare the same rows
        return sizes[compared[0]], sizes[compared[1]]
    wins, losses = weights.sum(axis=1), weights.sum(axis=0)
    parts = (
        sum(role * (win + loss) / size for role, win, loss, size in zip(*sides, strict=True))
        for sides in ((losses, wins, losses, sizes), (wins, wins, losses, sizes))
    )
    negatives, positives = (min(math.floor(1 / part), most) for part in parts)
    return negatives, positives


def as_shares(priors: Any, classes: Classes, totals: IntArray) -> tuple[Fraction, ...]:
    """Return each class's share, as priors are stated everywhere; they sum to exactly 1."""
    stated = as_priors(priors, classes, totals).fractions
    for name, share in zip(classes, stated, strict=True):
        if not 0 < share < 1:
            raise InputError(
                f"the prior of {name!r}",
                "be between 0 and 1, both excluded",
                f"{float(share):g}",
                "For a class that does not occur, leave its rows and its column out.",
            )
    return tuple(share / sum(stated) for share in stated)


def _without_diagonal(weights: Weights) -> Weights:
    np.fill_diagonal(weights, Fraction(0))
    return weights


def as_measure(measure: Any) -> Measure:
    """Return which mean of all classes is meant."""
    word: Any = as_choice(measure, get_args(Measure), "measure")
    checked: Measure = word
    return checked


# --- How well each pair of classes is told apart: Hand and Till's matrix, as exact counts ---------


@dataclass(frozen=True, slots=True, eq=False)
class PairwiseAucs:
    """The comparisons A(i|j) of all classes i and j, from which every multi-class AUC is a mean.

    A(i|j) is the chance that a row of class i gets a larger posterior *for i* than a row of class
    j, ties half. A(j|i) asks the same of the posterior for j and may differ.

    Attributes
    ----------
    classes
        The classes, in the order of rows and columns.
    totals
        How many rows each class has, read-only.
    twice_wins
        Twice the pairs of rows (one of i, one of j) that are ranked rightly by the posterior for i,
        ties once: whole numbers, read-only; 0 on the diagonal.
    """

    classes: Classes
    totals: IntArray
    twice_wins: IntArray

    def __post_init__(self) -> None:
        self.totals.flags.writeable = self.twice_wins.flags.writeable = False

    @property
    def matrix(self) -> FloatArray:
        """A(i|j), with i in rows and j in columns; 0.5 on the diagonal, for a toss of a coin."""
        sizes = self.totals.astype(np.float64)
        wins = self.twice_wins / (2 * np.outer(sizes, sizes))
        np.fill_diagonal(wins, 0.5)
        return np.asarray(wins)

    @property
    def separation(self) -> FloatArray:
        """A(i, j) = (A(i|j) + A(j|i)) / 2: how well two classes are told apart; symmetric."""
        matrix = self.matrix
        return (matrix + matrix.T) / 2

    def mean(self, weights: Weights) -> Fraction:
        """Return the mean of all A(i|j) by a matrix of weights, exactly."""
        sizes, total = self.totals.tolist(), Fraction(0)
        for i, j in zip(*np.nonzero(weights), strict=True):
            total += weights[i, j] * Fraction(int(self.twice_wins[i, j]), 2 * sizes[i] * sizes[j])
        return total

    def auc(self, measure: Measure = "hand_till", *, priors: Any = OBSERVED) -> float:
        """Return a multi-class AUC without an interval; see `rocch.multiclass.multiclass_auc`."""
        shares = as_shares(priors, self.classes, self.totals)
        return float(self.mean(measure_weights(as_measure(measure), shares)))


def pairwise_aucs(y_true: Any, y_proba: Any, *, classes: Any = None) -> PairwiseAucs:
    """Compare every pair of classes; this also works where a class has a single row.

    Parameters
    ----------
    y_true, y_proba, classes
        As for `rocch.multiclass.multiclass_auc`.

    Returns
    -------
    PairwiseAucs

    Raises
    ------
    InputError
        If labels or posteriors cannot be used.

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
    judged = JudgedClasses.of(y_true, classes)
    placements = class_placements(judged.posteriors(y_proba), judged.truths)
    return wins_of(judged, placements.outranks)


def wins_of(judged: JudgedClasses, outranks: IntArray) -> PairwiseAucs:
    """Add up what the rows of each class outrank."""
    wins = np.stack([outranks[rows].sum(axis=0) for rows in judged.rows_by_class()])
    return PairwiseAucs(judged.classes, judged.totals, wins)


# --- How AUCs of many classes vary, and those of several models on the same rows vary together ----
#
# Every such AUC is a mean of comparisons A(i|j) with fixed weights w_ij. Seen from one row r of
# class k, all comparisons that r takes part in add up to its *component*
#
#     c_r = sum over j of  w_kj x (share of class j that r outranks, by the posterior for k)
#                        + w_jk x (share of class j that outranks r, by the posterior for j),
#
# which is what the AUC would be (up to a constant) if r stood for its whole class. Given the
# numbers of rows n_k, the classes are independent samples, so to first order (Hoeffding's
# projection) the AUC varies as a sum of independent means of components, and
#
#     variance = sum over classes k of  (sample variance of c_r over the rows of k) / n_k.
#
# For two classes this is DeLong's variance. It is the same as leaving out one row after the other,
# class by class (the jackknife), exactly. Covariances of models on the same rows follow from
# products of their components in place of squares.
#
# Where rows come in groups, a group takes the place of a row: the deviations of its rows'
# components are added up class by class, and classes that share groups vary together, which adds
# their covariances (Obuchowski's variance for two classes).


class Factors(NamedTuple):
    """By what a class's twice placements are multiplied to make its rows' components."""

    code: int
    """The class."""
    used: IntArray
    """Which placements count: outranking each class, then being outranked by each."""
    numerators: IntArray
    scale: int
    """What the numerators are to be divided by."""


@dataclass(frozen=True, slots=True, eq=False)
class PlacementMoments:
    """What any weighting of the comparisons needs to know about the rows of several models.

    `products` has, for each class (and each two classes, where rows come in groups), the sums over
    independent units of products of all placements: those by which a unit's rows outrank each
    class, then those by which each class outranks them, model after model, then the number of rows.
    Whole numbers of any size, so that two models that rank alike differ by exactly 0.
    """

    models: tuple[PairwiseAucs, ...]
    products: Mapping[tuple[int, int], IntArray]
    units: IntArray
    """How many independent units each class has: rows, or groups that hold it."""
    all_units: int
    """How many there are of all classes together."""
    grouped: bool

    @classmethod
    def of(cls, judged: JudgedClasses, models: Sequence[FloatArray]) -> PlacementMoments:
        """Place all rows by each model's posteriors."""
        placed = [class_placements(posteriors, judged.truths) for posteriors in models]
        sides = [_by_unit(placed, rows, judged) for rows in judged.rows_by_class()]
        units = np.array([np.count_nonzero(side[-1]) for side in sides])
        together = [(code, code) for code in range(len(sides))]
        if judged.groups is not None:
            together += combinations(range(len(sides)), 2)
        return cls(
            tuple(wins_of(judged, placements.outranks) for placements in placed),
            {(k, m): exact_products(sides[k], sides[m]) for k, m in together},
            units,
            judged.units,
            judged.groups is not None,
        )

    def covariance(self, weights: Weights, one: int = 0, other: int = 0) -> Fraction:
        """Return the covariance of two models' AUCs, both by the same weights."""
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

    def lone(self, weights: Weights) -> list[Any]:
        """Return the classes that these weights compare and that have one unit, so no variance."""
        compared = np.unique(np.nonzero(weights)).tolist()
        return [self.models[0].classes.names[code] for code in compared if self.units[code] < 2]

    def _check_units(self, weights: Weights) -> None:
        lone = format_list(self.lone(weights))
        if not lone:
            return
        if self.grouped:
            kind, needed = "all rows in one group", "two groups that hold each, and there is one"
        else:
            kind, needed = "a single row", "two rows of each, and there is one"
        raise UndefinedError(
            f"the variance of a multi-class AUC is undefined with {kind} of a class; it takes at "
            f"least {needed} of {lone}. Judge more rows, or use multiclass_auc for AUCs without "
            "intervals."
        )

    def _part(self, first: Factors, second: Factors, models: tuple[int, int]) -> Fraction:
        """Return the sum over units of products of two classes' deviations, as a covariance.

        A unit's deviation is n x (its components) - (its rows) x (the components of all n rows of
        its class): what it has more than its share. Multiplied out, whole sums are all it takes.
        """
        products = self.products[first.code, second.code]
        a, b = (
            side.used + 2 * len(self.units) * model
            for side, model in zip((first, second), models, strict=True)
        )
        (n, s), (m, t) = self._whole(first, models[0]), self._whole(second, models[1])
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

    def _whole(self, factors: Factors, model: int) -> tuple[int, int]:
        """Return a class's rows and the sum of their components (times their scale)."""
        wins, code = self.models[model], factors.code
        sums = np.concatenate((wins.twice_wins[code], wins.twice_wins[:, code])).tolist()
        placed = (sums[place] for place in factors.used)
        pairs = zip(factors.numerators, placed, strict=True)
        return int(wins.totals[code]), sum(numerator * count for numerator, count in pairs)


def _by_unit(placed: Sequence[ClassPlacements], rows: IntArray, judged: JudgedClasses) -> IntArray:
    """Return the placements of a class's rows and a 1 for each: as they are, or added by group."""
    columns = [side[rows].T for placements in placed for side in placements]
    features = np.vstack((*columns, np.ones(rows.size, dtype=np.int64)))
    if judged.groups is None:
        return features
    sums = np.zeros((judged.units, len(features)), dtype=np.int64)
    np.add.at(sums, judged.groups[rows], features.T)
    return sums.T


def _factors(weights: Weights, totals: list[int], code: int) -> Factors:
    roles = np.concatenate((weights[code], weights[:, code]))
    used = np.flatnonzero(roles)
    fractions = [roles[place] / (2 * totals[place % len(totals)]) for place in used]
    scale = math.lcm(*(fraction.denominator for fraction in fractions))
    numerators = np.array([int(fraction * scale) for fraction in fractions], dtype=object)
    return Factors(code, used, numerators, scale)
