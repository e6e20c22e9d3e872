"""Sample size and power: of one AUC, of a difference of two, and of a rate."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, cast, get_args

import numpy as np

from rocch.arrays import FloatArray, IntArray
from rocch.errors import InputError, describe_type, format_list
from rocch.inputs import as_choice, as_level, as_number, as_whole
from rocch.results import Record
from rocch.stats.auc_tests import AucComparison

# "delong" takes DeLong's variance of the estimated AUCs for normal scores. In simulations it had
# the stated power for the intervals and tests of this package: 0.78 to 0.86 for a stated 0.8. With
# "obuchowski" numbers are those of pROC, whose power was 0.45 to 0.94 there: Obuchowski, Lieber and
# Wians ("ROC curves in clinical chemistry", Clinical Chemistry 50, 2004, formulas 2 and 3) and
# Obuchowski and McClish ("Sample size determination for diagnostic accuracy studies involving
# binormal ROC curve indices", Statistics in Medicine 16, 1997, formula 2).
Formula = Literal["delong", "obuchowski"]

# Two expected AUCs, or a pilot study of two models.
AucPair: TypeAlias = tuple[float, float] | AucComparison


@dataclass(frozen=True, slots=True, repr=False)
class PowerAnalysis(Record):
    """The power of a test, and the rows that it takes.

    Attributes
    ----------
    measure
        "AUC", "AUC difference" or "rate".
    value, null
        The expected value, and the one to exclude.
    power
        The chance that the test excludes `null`, on this side of it.
    rows, positives, negatives
        The rows of each sample, all and by class. For a rate they are the rows of its class alone,
        and the other two are None.
    samples
        2 where two models are tested on rows of their own.
    significance, sides
        Those of the test.
    """

    measure: str
    value: float
    null: float
    power: float
    rows: int
    positives: int | None
    negatives: int | None
    samples: int
    significance: float
    sides: int

    def __str__(self) -> str:
        size = f"{self.rows} rows of the class"
        if self.positives is not None:
            size = f"{self.positives} positives and {self.negatives} negatives"
        if self.samples > 1:
            size += " for each model"
        side = "one" if self.sides == 1 else "two"
        return (
            f"{self.measure} {self.value:.4g} against {self.null:.4g}: {size} have power "
            f"{self.power:.3f} ({side}-sided test at {self.significance:g})"
        )


def auc_sample_size(
    auc: float,
    *,
    null: float = 0.5,
    power: float = 0.8,
    significance: float = 0.05,
    sides: Literal[1, 2] = 2,
    prevalence: float = 0.5,
    formula: Formula = "delong",
) -> PowerAnalysis:
    """Return the rows that it takes to show that an AUC differs from another value.

    The test is whether `auc_interval` excludes `null`.

    Parameters
    ----------
    auc, null
        The AUC that you expect, and the one to exclude.
    power
        The chance to exclude it.
    significance, sides
        Those of the test.
    prevalence
        The share of positives among the rows of the study.
    formula
        "delong", or "obuchowski" for the numbers of pROC's `power.roc.test`.

    Examples
    --------
    >>> import rocch
    >>> print(rocch.stats.auc_sample_size(0.8, power=0.9))
    AUC 0.8 against 0.5: 16 positives and 16 negatives have power 0.904 (two-sided test at 0.05)
    >>> rocch.stats.auc_sample_size(0.8, null=0.7, prevalence=0.2).rows
    298
    """
    study = _auc_study(auc, null, formula)
    return _sample_size(study, _as_goal(power), _odds(prevalence), _as_test(significance, sides))


def auc_power(
    auc: float,
    positives: int,
    negatives: int,
    *,
    null: float = 0.5,
    significance: float = 0.05,
    sides: Literal[1, 2] = 2,
    formula: Formula = "delong",
) -> PowerAnalysis:
    """Return the chance to show that an AUC differs from another value.

    Parameters
    ----------
    positives, negatives
        The rows of the study.
    auc, null, significance, sides, formula
        As for `auc_sample_size`.

    Examples
    --------
    >>> import rocch
    >>> round(rocch.stats.auc_power(0.73, 41, 72).power, 3)
    0.993
    """
    study = _auc_study(auc, null, formula)
    return _power(study, positives, negatives, _as_test(significance, sides))


def auc_difference_sample_size(
    aucs: AucPair,
    *,
    correlation: float | tuple[float, float] | None = None,
    power: float = 0.8,
    significance: float = 0.05,
    sides: Literal[1, 2] = 2,
    prevalence: float | None = None,
    formula: Formula = "delong",
) -> PowerAnalysis:
    """Return the rows that it takes to show that two AUCs differ (DeLong's test).

    Parameters
    ----------
    aucs
        The two AUCs that you expect, or the `AucComparison` of a pilot study of two models.
    correlation
        Of the two models' scores among rows of one class: one number, or those among negatives and
        among positives. None: each model has rows of its own. A pilot study has its own.
    prevalence
        The share of positives among the rows of the study; by default 0.5, or that of the pilot
        study. For another one than the pilot's, sizes are at least those needed.
    formula
        "delong", or "obuchowski", which takes the variance under the null hypothesis from the first
        model alone: with a pilot study these are the numbers of pROC's `power.roc.test`.
    power, significance, sides
        As for `auc_sample_size`.

    Examples
    --------
    >>> import rocch
    >>> print(rocch.stats.auc_difference_sample_size((0.7, 0.8), correlation=0.5))
    AUC difference -0.1 against 0: 98 positives and 98 negatives have power 0.800 (two-sided ...
    >>> print(rocch.stats.auc_difference_sample_size((0.7, 0.8)))
    AUC difference -0.1 against 0: 179 positives and 179 negatives for each model have power ...
    """
    study = _difference_study(aucs, correlation, formula)
    odds = study.odds if prevalence is None else _odds(prevalence)
    return _sample_size(study, _as_goal(power), odds, _as_test(significance, sides))


def auc_difference_power(
    aucs: AucPair,
    positives: int | None = None,
    negatives: int | None = None,
    *,
    correlation: float | tuple[float, float] | None = None,
    significance: float = 0.05,
    sides: Literal[1, 2] = 2,
    formula: Formula = "delong",
) -> PowerAnalysis:
    """Return the chance to show that two AUCs differ (DeLong's test).

    Parameters
    ----------
    positives, negatives
        The rows of the study, of each model where they have their own; by default those of the
        pilot study. In another class balance than the pilot's, the power is at least the one found.
    aucs, correlation, significance, sides, formula
        As for `auc_difference_sample_size`.

    Examples
    --------
    >>> import rocch
    >>> round(rocch.stats.auc_difference_power((0.7, 0.8), 98, 98, correlation=0.5).power, 2)
    0.8
    """
    study = _difference_study(aucs, correlation, formula)
    if study.pilot is not None:
        positives = study.pilot[0] if positives is None else positives
        negatives = study.pilot[1] if negatives is None else negatives
    return _power(study, positives, negatives, _as_test(significance, sides))


class _Study(NamedTuple):
    """What is tested, and the variances under the null hypothesis and in truth by class sizes."""

    measure: str
    value: float
    null: float
    variances: Callable[[float, float], tuple[float, float]]
    samples: int = 1
    odds: float = 1.0  # negatives per positive, where nothing is stated
    pilot: tuple[int, int] | None = None  # positives and negatives


class _Test(NamedTuple):
    """The test whose power is found."""

    significance: float
    sides: int

    @property
    def tail(self) -> float:
        """The chance of a false rejection on one side."""
        return self.significance / self.sides

    @property
    def reach(self) -> float:
        """How many standard errors the test takes."""
        from scipy.special import ndtri

        return -float(ndtri(self.tail))


def _as_test(significance: float, sides: int) -> _Test:
    level = as_level(significance, "significance", hint="Write 5% as 0.05, for example.")
    return _Test(level, as_whole(sides, "sides", least=1, most=2))


def _as_goal(power: float) -> float:
    return as_level(power, "power", hint="Write 80% as 0.8, for example.")


def _as_values(value: float, null: float, argument: str) -> tuple[float, float]:
    """Return two different values between 0 and 1."""
    expected = as_number(value, argument, above=0, below=1)
    other = as_number(null, "null", above=0, below=1)
    if expected == other:
        raise InputError("null", f"differ from {{{argument}}}", f"{other:g} for both")
    return expected, other


def _sample_size(study: _Study, goal: float, odds: float, test: _Test) -> PowerAnalysis:
    from scipy.special import ndtri

    at_null, in_truth = study.variances(1, odds)
    errors = max(test.reach * math.sqrt(at_null) + float(ndtri(goal)) * math.sqrt(in_truth), 0.0)
    positives = (errors / (study.value - study.null)) ** 2
    m, n = (max(2, math.ceil(size)) for size in (positives, odds * positives))
    return _power(study, m, n, test)


def _power(
    study: _Study, positives: int | None, negatives: int | None, test: _Test
) -> PowerAnalysis:
    from scipy.special import ndtr

    m = as_whole(positives, "positives", least=2)
    n = as_whole(negatives, "negatives", least=2)
    at_null, in_truth = study.variances(m, n)
    beyond = abs(study.value - study.null) - test.reach * math.sqrt(at_null)
    power = float(ndtr(beyond / math.sqrt(in_truth)))
    values = study.measure, study.value, study.null
    return PowerAnalysis(*values, power, m + n, m, n, study.samples, *test)


def _odds(prevalence: float) -> float:
    """Return the negatives for each positive."""
    share = as_level(prevalence, "prevalence", hint="Write 10% as 0.1, for example.")
    return (1 - share) / share


def _as_formula(formula: object) -> Formula:
    return cast(Formula, as_choice(formula, get_args(Formula), "formula"))


def _auc_study(auc: float, null: float, formula: Formula) -> _Study:
    value, other = _as_values(auc, null, "auc")
    find = _obuchowski if _as_formula(formula) == "obuchowski" else _placement_variance

    def variances(positives: float, negatives: float) -> tuple[float, float]:
        return find(other, positives, negatives), find(value, positives, negatives)

    return _Study("AUC", value, other, variances)


def _difference_study(
    aucs: AucPair, correlation: float | tuple[float, float] | None, formula: Formula
) -> _Study:
    reference = _as_formula(formula) == "obuchowski"
    if isinstance(aucs, AucComparison):
        return _pilot_study(aucs, correlation, reference)
    first, second = _as_aucs(aucs)
    _check_difference(first - second)
    within = (0.0, 0.0) if correlation is None else _as_correlations(correlation)

    def variances(positives: float, negatives: float) -> tuple[float, float]:
        own = [_placement_variance(auc, positives, negatives) for auc in (first, second)]
        shared = _placement_covariance(first, second, within[1]) / positives
        shared += _placement_covariance(first, second, within[0]) / negatives
        return _difference_variances(own, shared, reference)

    samples = 2 if correlation is None else 1
    return _Study("AUC difference", first - second, 0.0, variances, samples)


def _pilot_study(pilot: AucComparison, correlation: object, reference: bool) -> _Study:
    """Return the study that a pilot study predicts: variances shrink as its rows multiply."""
    if correlation is not None:
        raise InputError("correlation", "be left out with a pilot study", repr(correlation))
    if len(pilot.aucs) != 2 or not pilot.paired:
        names = format_list(pilot.aucs)
        got = names if pilot.paired else f"rows of their own for {names}"
        hint = "Compare two of them alone."
        raise InputError("aucs", "be a pilot study of two models on the same rows", got, hint)
    one, other = pilot.aucs.values()
    _check_difference(one.value - other.value)
    if one.positives is None:
        raise InputError("aucs", "be a pilot study of two classes", "more classes")
    m, n = one.positives, one.rows - one.positives
    own, shared = pilot.covariance.diagonal().tolist(), float(pilot.covariance[0, 1])
    at_null, in_truth = _difference_variances(own, shared, reference)

    def variances(positives: float, negatives: float) -> tuple[float, float]:
        share = max(m / positives, n / negatives)
        return share * at_null, share * in_truth

    difference = one.value - other.value
    return _Study("AUC difference", difference, 0.0, variances, 1, n / m, (m, n))


def _difference_variances(own: list[float], shared: float, reference: bool) -> tuple[float, float]:
    """Return the variance of a difference under the null hypothesis, and in truth."""
    in_truth = own[0] + own[1] - 2 * shared
    return (2 * (own[0] - shared) if reference else in_truth), in_truth


def _as_aucs(pair: object) -> tuple[float, float]:
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        requirement = "be two AUCs, or the AucComparison of a pilot study"
        raise InputError("aucs", requirement, describe_type(pair))
    first, second = (
        as_number(auc, f"aucs[{place}]", above=0, below=1) for place, auc in enumerate(pair)
    )
    return first, second


def _check_difference(difference: float) -> None:
    if not difference:
        raise InputError("aucs", "differ", "equal AUCs")


def _as_correlations(correlation: float | tuple[float, float]) -> tuple[float, float]:
    """Return the correlations among negatives and among positives."""
    both = correlation if isinstance(correlation, tuple | list) else (correlation, correlation)
    if len(both) != 2:
        raise InputError("correlation", "be one number or two", f"{len(both)}")
    negatives, positives = (as_number(r, "correlation", above=-1, below=1) for r in both)
    return negatives, positives


def _obuchowski(auc: float, positives: float, negatives: float) -> float:
    """Return the variance of an AUC; constants are rounded as in the paper, and in pROC."""
    from scipy.special import ndtri

    a2 = (1.414 * float(ndtri(auc))) ** 2
    parts = (5 * a2 + 8) / positives + (a2 + 8) / negatives
    return 0.0099 * math.exp(-a2 / 2) * parts


def _placement_variance(auc: float, positives: float, negatives: float) -> float:
    """Return DeLong's variance of an AUC for normal scores of equal spread."""
    return _placement_covariance(auc, auc, 1.0) * (1 / positives + 1 / negatives)


NODES, WEIGHTS = np.polynomial.legendre.leggauss(32)


def _placement_covariance(first: float, second: float, correlation: float) -> float:
    """Return the covariance of two models' placements of a row, for normal scores.

    Let a row of one class exceed two independent rows of the other, one by each model. The chance
    of both is a bivariate normal distribution function with half the correlation; less both AUCs,
    it is an integral over that correlation (Sheppard 1899).
    """
    from scipy.special import ndtri

    a, b = float(ndtri(first)), float(ndtri(second))
    half = correlation / 4
    rho = half + half * NODES  # from 0 to correlation / 2
    rest = 1 - rho**2
    density = np.exp(-(a * a - 2 * a * b * rho + b * b) / (2 * rest)) / np.sqrt(rest)
    return float(half * (WEIGHTS @ density) / (2 * math.pi))


# Rates are tested by Clopper and Pearson's interval, so the power is a sum of binomial chances. It
# falls with some further rows, since counts are whole; sizes are those from which on it holds.

# Sizes that are tried at once.
BLOCK = 1000


def rate_sample_size(
    rate: float,
    null: float,
    *,
    power: float = 0.8,
    significance: float = 0.05,
    sides: Literal[1, 2] = 2,
) -> PowerAnalysis:
    """Return the rows that it takes to show that a rate differs from a limit.

    Parameters
    ----------
    rate, null
        The sensitivity, specificity or other rate that you expect, and the limit to exclude by
        `rate_interval`.
    power
        Samples of the returned size or larger have at least this power; some smaller ones may, too.
    significance, sides
        As for `auc_sample_size`; `sides=1` shows that the rate is above the limit, or below it.

    Examples
    --------
    Positives that show a sensitivity above 0.8, if it is 0.9:

    >>> import rocch
    >>> print(rocch.stats.rate_sample_size(0.9, 0.8))
    rate 0.9 against 0.8: 113 rows of the class have power 0.843 (two-sided test at 0.05)
    """
    goal, test = _as_goal(power), _as_test(significance, sides)
    p, limit = _as_values(rate, null, "rate")
    tail = test.tail
    enough, size = 1, 1
    while _least_power(p, limit, enough, tail) < goal:
        size, enough = enough, 2 * enough
    while enough - size > 1:
        middle = (size + enough) // 2
        if _least_power(p, limit, middle, tail) < goal:
            size = middle
        else:
            enough = middle
    # From `enough` on the power holds. Go back to the last size that falls short.
    while enough > 1:
        sizes = np.arange(max(1, enough - BLOCK), enough)
        (short,) = np.nonzero(_rate_powers(p, limit, sizes, tail) < goal)
        enough = int(sizes[short[-1]]) + 1 if short.size else int(sizes[0])
        if short.size:
            break
    return _rate_power(p, limit, enough, test)


def rate_power(
    rate: float,
    null: float,
    rows: int,
    *,
    significance: float = 0.05,
    sides: Literal[1, 2] = 2,
) -> PowerAnalysis:
    """Return the chance to show that a rate differs from a limit.

    Parameters
    ----------
    rows
        The rows of the class: positives for a sensitivity, negatives for a specificity.
    rate, null, significance, sides
        As for `rate_sample_size`.

    Examples
    --------
    >>> import rocch
    >>> round(rocch.stats.rate_power(0.9, 0.8, 100).power, 3)
    0.703
    """
    values = _as_values(rate, null, "rate")
    return _rate_power(*values, as_whole(rows, "rows", least=1), _as_test(significance, sides))


def _rate_power(rate: float, null: float, rows: int, test: _Test) -> PowerAnalysis:
    power = float(_rate_powers(rate, null, np.array([rows]), test.tail)[0])
    return PowerAnalysis("rate", rate, null, power, rows, None, None, 1, *test)


def _upwards(rate: float, null: float) -> tuple[float, float]:
    """Return two rates, or their complements, such that the first is larger."""
    return (rate, null) if rate > null else (1 - rate, 1 - null)


def _rate_powers(rate: float, null: float, rows: IntArray, tail: float) -> FloatArray:
    """Return the chance that Clopper and Pearson's bound passes `null`, for each number of rows."""
    from scipy.stats import binom

    p, limit = _upwards(rate, null)
    most = binom.isf(tail, rows, limit)  # counts above it have at most this chance
    return np.asarray(binom.sf(most, rows, p), dtype=np.float64)


def _least_power(rate: float, null: float, rows: int, tail: float) -> float:
    """Return a bound of the power that grows with the rows: `most` is one larger at the most."""
    from scipy.special import bdtrik, betainc

    p, limit = _upwards(rate, null)
    most = float(bdtrik(1 - tail, rows, limit)) + 1
    return float(betainc(most + 1, rows - most, p)) if most < rows else 0.0
