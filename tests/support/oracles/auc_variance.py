"""Variances and covariances of AUCs by definition: pair by pair, row by row, in fractions.

Sources: DeLong, DeLong & Clarke-Pearson (1988), Obuchowski (1997), and Arvesen's jackknife (1969),
which gives DeLong's variance without knowing of placements.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

from .curves import auc

Rows = Sequence[float]


def outranks(positive: float, negative: float) -> Fraction:
    """Return 1 if the positive scores higher, 1/2 for a tie, 0 otherwise."""
    return Fraction(1 + (positive > negative) - (positive < negative), 2)


def split(labels: Sequence[bool], scores: Rows) -> tuple[list[float], list[float]]:
    """Return the scores of negatives and of positives, in the order of rows."""
    rows = list(zip(labels, scores, strict=True))
    return [s for label, s in rows if not label], [s for label, s in rows if label]


def placements(labels: Sequence[bool], scores: Rows) -> tuple[list[Fraction], list[Fraction]]:
    """Return the share of the other class that each negative loses to, each positive wins over."""
    negatives, positives = split(labels, scores)
    lost = [sum(outranks(p, n) for p in positives) / Fraction(len(positives)) for n in negatives]
    won = [sum(outranks(p, n) for n in negatives) / Fraction(len(negatives)) for p in positives]
    return lost, won


def delong(labels: Sequence[bool], one: Rows, other: Rows) -> Fraction:
    """Return DeLong's covariance of two AUCs: sample covariances of placements, over the rows."""
    total = Fraction(0)
    for a, b in zip(placements(labels, one), placements(labels, other), strict=True):
        mean_a, mean_b = Fraction(sum(a)) / len(a), Fraction(sum(b)) / len(b)
        total += _dot([x - mean_a for x in a], [y - mean_b for y in b]) / (len(a) * (len(a) - 1))
    return total


def jackknife(labels: Sequence[bool], scores: Rows) -> Fraction:
    """Return Arvesen's variance: leave out one row after the other, class by class."""
    whole = auc(labels, scores)
    total = Fraction(0)
    for kind in (False, True):
        rows = [i for i, label in enumerate(labels) if label is kind]
        pseudo = []
        for row in rows:
            rest = [i for i in range(len(labels)) if i != row]
            without = auc([labels[i] for i in rest], [scores[i] for i in rest])
            pseudo.append(len(rows) * whole - (len(rows) - 1) * without)
        mean = Fraction(sum(pseudo)) / len(pseudo)
        deviations = [p - mean for p in pseudo]
        total += _dot(deviations, deviations) / (len(rows) - 1) / len(rows)
    return total


def hanley_mcneil(labels: Sequence[bool], scores: Rows) -> Fraction:
    """Return DeLong's variance from the shares Q1 and Q2 of triples that are ranked rightly.

    Q1: two different positives both outrank a negative; Q2: a positive outranks two different
    negatives. For scores without ties.
    """
    negatives, positives = split(labels, scores)
    n, m = len(negatives), len(positives)
    both = sum(p > x and q > x for p, q in combinations(positives, 2) for x in negatives)
    over = sum(p > x and p > y for x, y in combinations(negatives, 2) for p in positives)
    q1, q2 = Fraction(both, m * (m - 1) // 2 * n), Fraction(over, n * (n - 1) // 2 * m)
    a = auc(labels, scores)
    return ((a + (n - 1) * q2) / n - a**2) / (m - 1) + ((a + (m - 1) * q1) / m - a**2) / (n - 1)


def obuchowski(
    labels: Sequence[bool], one: Rows, other: Rows, groups: Sequence[object]
) -> Fraction:
    """Return Obuchowski's covariance of two AUCs on rows that come in groups."""
    names = list(dict.fromkeys(groups))
    n, m = labels.count(False), labels.count(True)
    with_negatives = len({g for g, label in zip(groups, labels, strict=True) if not label})
    with_positives = len({g for g, label in zip(groups, labels, strict=True) if label})
    count = len(names)
    lost_a, won_a = _group_deviations(labels, one, groups, names)
    lost_b, won_b = _group_deviations(labels, other, groups, names)
    s10 = Fraction(with_positives, (with_positives - 1) * m) * _dot(won_a, won_b)
    s01 = Fraction(with_negatives, (with_negatives - 1) * n) * _dot(lost_a, lost_b)
    s11 = Fraction(count, count - 1) * (_dot(won_a, lost_b) + _dot(lost_a, won_b))
    return s10 / m + s01 / n + s11 / (m * n)


def _dot(one: list[Fraction], other: list[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(one, other, strict=True)), start=Fraction(0))


def _group_deviations(
    labels: Sequence[bool], scores: Rows, groups: Sequence[object], names: Sequence[object]
) -> tuple[list[Fraction], list[Fraction]]:
    """Return, per group, the sum of its placements minus its number of rows times the AUC."""
    area = auc(labels, scores)
    sides = []
    for kind, placed in zip((False, True), placements(labels, scores), strict=True):
        own = [group for group, label in zip(groups, labels, strict=True) if label is kind]
        sides.append(
            [
                sum((v - area for v, g in zip(placed, own, strict=True) if g == name), Fraction(0))
                for name in names
            ]
        )
    return sides[0], sides[1]


def weighted(
    labels: Sequence[bool], one: Rows, other: Rows, weights: Sequence[Fraction]
) -> Fraction:
    """Return the sandwich covariance of two weighted AUCs, of each row's share in them."""
    total = Fraction(0)
    for kind in (False, True):
        rows = [i for i, label in enumerate(labels) if label is kind and weights[i]]
        against = [i for i, label in enumerate(labels) if label is not kind]
        moves = [_moves(labels, scores, weights, rows, against) for scores in (one, other)]
        total += _dot(*moves) * Fraction(len(rows), len(rows) - 1)
    return total


def weighted_auc(labels: Sequence[bool], scores: Rows, weights: Sequence[Fraction]) -> Fraction:
    """Return the weight of pairs ranked rightly over that of all pairs; ties count half."""
    won = pairs = Fraction(0)
    for p, is_positive in enumerate(labels):
        for n, other in enumerate(labels):
            if is_positive and not other:
                pairs += weights[p] * weights[n]
                won += weights[p] * weights[n] * outranks(scores[p], scores[n])
    return won / pairs


def _moves(
    labels: Sequence[bool],
    scores: Rows,
    weights: Sequence[Fraction],
    rows: Sequence[int],
    against: Sequence[int],
) -> list[Fraction]:
    """Return each row's weight times (its placement less the AUC), over the weight of its class."""
    area = weighted_auc(labels, scores, weights)
    other, own = sum(weights[j] for j in against), sum(weights[i] for i in rows)
    moves = []
    for i in rows:
        placement = Fraction(0)
        for j in against:
            p, n = (i, j) if labels[i] else (j, i)
            placement += weights[j] * outranks(scores[p], scores[n]) / other
        moves.append(weights[i] * (placement - area) / own)
    return moves
