"""AUCs of many classes by definition: pair by pair, row by row, in fractions.

Sources: Hand & Till (2001), Provost & Domingos (2001, as in Fawcett's slides), and Arvesen's
jackknife (1969), which gives the variance without knowing of components.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from .auc_variance import outranks
from .curves import auc

Matrix = Sequence[Sequence[float]]
Weights = Mapping[tuple[int, int], Fraction]


def comparison(labels: Sequence[int], posteriors: Matrix, i: int, j: int) -> Fraction:
    """Return A(i|j): the share of pairs (one of i, one of j) that the posterior of i ranks."""
    own = [row[i] for label, row in zip(labels, posteriors, strict=True) if label == i]
    others = [row[i] for label, row in zip(labels, posteriors, strict=True) if label == j]
    won = sum(outranks(a, b) for a in own for b in others)
    return Fraction(won) / (len(own) * len(others))


def hand_till(labels: Sequence[int], posteriors: Matrix) -> Fraction:
    """Return M: 2 / (Q (Q - 1)) times the sum of A(i, j) over pairs i < j."""
    classes = sorted(set(labels))
    total = Fraction(0)
    for i in classes:
        for j in classes:
            if i < j:
                both = (comparison(labels, posteriors, *pair) for pair in ((i, j), (j, i)))
                total += Fraction(sum(both)) / 2
    return 2 * total / (len(classes) * (len(classes) - 1))


def class_reference(labels: Sequence[int], posteriors: Matrix, i: int) -> Fraction:
    """Return the AUC of one class against all others together."""
    return auc([label == i for label in labels], [row[i] for row in posteriors])


def total(labels: Sequence[int], posteriors: Matrix) -> Fraction:
    """Return the classes' own AUCs, weighted by their shares of the rows."""
    parts = (
        class_reference(labels, posteriors, i) * Fraction(labels.count(i), len(labels))
        for i in sorted(set(labels))
    )
    return sum(parts, start=Fraction(0))


def weighted(labels: Sequence[int], posteriors: Matrix, weights: Weights) -> Fraction:
    """Return a mean of comparisons by given weights."""
    parts = (w * comparison(labels, posteriors, i, j) for (i, j), w in weights.items())
    return sum(parts, start=Fraction(0))


def jackknife(labels: Sequence[int], one: Matrix, other: Matrix, weights: Weights) -> Fraction:
    """Return Arvesen's covariance of two models: leave out one row after the other, by class."""
    covariance = Fraction(0)
    for kind in sorted(set(labels)):
        rows = [row for row, label in enumerate(labels) if label == kind]
        pseudo = [_pseudo_values(labels, model, weights, rows) for model in (one, other)]
        means = [sum(values, start=Fraction(0)) / len(rows) for values in pseudo]
        products = (
            (a - means[0]) * (b - means[1]) for a, b in zip(pseudo[0], pseudo[1], strict=True)
        )
        covariance += sum(products, start=Fraction(0)) / (len(rows) - 1) / len(rows)
    return covariance


def grouped(
    labels: Sequence[int],
    models: tuple[Matrix, Matrix],
    weights: Weights,
    groups: Sequence[object],
) -> Fraction:
    """Return the covariance with rows in groups: Obuchowski's (1997), carried over to classes."""
    classes, names = sorted(set(labels)), sorted(set(groups), key=repr)
    one, other = (_group_deviations(labels, model, weights, groups) for model in models)
    total = Fraction(0)
    for k in classes:
        for m in classes:
            products = (one[k, group] * other[m, group] for group in names)
            held = {g for g, label in zip(groups, labels, strict=True) if label == k}
            count = len(held) if k == m else len(names)
            total += sum(products, start=Fraction(0)) * Fraction(count, count - 1)
    return total


def _group_deviations(
    labels: Sequence[int], posteriors: Matrix, weights: Weights, groups: Sequence[object]
) -> dict[tuple[int, object], Fraction]:
    """Return what each group adds to the deviation of each class's mean."""
    found = {(kind, group): Fraction(0) for kind in set(labels) for group in set(groups)}
    for kind in set(labels):
        rows = [row for row, label in enumerate(labels) if label == kind]
        pseudo = _pseudo_values(labels, posteriors, weights, rows)
        mean = sum(pseudo, start=Fraction(0)) / len(rows)
        for row, value in zip(rows, pseudo, strict=True):
            found[kind, groups[row]] += (value - mean) / len(rows)
    return found


def _pseudo_values(
    labels: Sequence[int], posteriors: Matrix, weights: Weights, rows: Sequence[int]
) -> list[Fraction]:
    whole, size = weighted(labels, posteriors, weights), len(rows)
    found = []
    for row in rows:
        rest = [place for place in range(len(labels)) if place != row]
        without = weighted([labels[p] for p in rest], [posteriors[p] for p in rest], weights)
        found.append(size * whole - (size - 1) * without)
    return found
