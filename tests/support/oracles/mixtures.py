"""Prevalence by definition: plain EM on lists, and adjusted counts on fractions.

Sources: Saerens, Latinne and Decaestecker (2002) for EM; Forman (2008) for the median sweep.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from statistics import median

Counts = Sequence[float]


def deviance(negatives: Counts, positives: Counts, batch: Counts, share: float) -> float:
    """Return twice the log-likelihood that the best mixture with this share loses.

    EM for the two class laws with the share held fixed: each batch row counts as positive with the
    chance that the present laws give it. Slow, and only for samples of similar size.
    """
    bins = range(len(batch))
    f0 = [(a + 1) / (sum(negatives) + len(batch)) for a in negatives]
    f1 = [(b + 1) / (sum(positives) + len(batch)) for b in positives]
    for _ in range(20_000):
        mixed = [share * f1[k] + (1 - share) * f0[k] for k in bins]
        hits = [batch[k] * share * f1[k] / mixed[k] if mixed[k] else 0.0 for k in bins]
        n1 = [positives[k] + hits[k] for k in bins]
        n0 = [negatives[k] + batch[k] - hits[k] for k in bins]
        before, f1, f0 = f1, [n / sum(n1) for n in n1], [n / sum(n0) for n in n0]
        if max(abs(old - new) for old, new in zip(before, f1, strict=True)) < 1e-15:
            break
    mixed = [share * f1[k] + (1 - share) * f0[k] for k in bins]
    samples = ((negatives, f0), (positives, f1), (batch, mixed))
    return 2 * sum(_lost(counts, law) for counts, law in samples)


def em_prevalence(probabilities: Sequence[float], trained_at: float, steps: int) -> float:
    """Return the prevalence after so many steps of Saerens's EM, which begins at `trained_at`."""
    share = trained_at
    for _ in range(steps):
        total = 0.0
        for q in probabilities:
            positive = q * share / trained_at
            total += positive / (positive + (1 - q) * (1 - share) / (1 - trained_at))
        share = total / len(probabilities)
    return share


def median_sweep(
    labels: Sequence[bool], scores: Sequence[float], batch: Sequence[float]
) -> Fraction:
    """Return the median of adjusted counts where TPR and FPR are over 1/4 apart, clipped."""
    hits = [score for label, score in zip(labels, scores, strict=True) if label]
    others = [score for label, score in zip(labels, scores, strict=True) if not label]
    found: list[tuple[Fraction, Fraction]] = []
    for threshold in sorted(set(scores)):
        tpr, fpr = (_share_at_least(rows, threshold) for rows in (hits, others))
        if threshold == min(scores):
            continue  # always: TPR = FPR = 1
        if tpr != fpr:
            adjusted = (_share_at_least(batch, threshold) - fpr) / (tpr - fpr)
            found.append((abs(tpr - fpr), adjusted))
    widest = max(apart for apart, _ in found)
    least = Fraction(1, 4) if widest > Fraction(1, 4) else None
    used = [share for apart, share in found if (apart > least if least else apart == widest)]
    return min(max(median(used), Fraction(0)), Fraction(1))


def _share_at_least(rows: Sequence[float], threshold: float) -> Fraction:
    return Fraction(sum(row >= threshold for row in rows), len(rows))


def _lost(counts: Counts, law: Sequence[float]) -> float:
    total = sum(counts)
    pairs = zip(counts, law, strict=True)
    return sum(count * math.log(count / total / share) for count, share in pairs if count)
