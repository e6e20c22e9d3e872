"""The variance oracles against a small example worked out by hand, and against each other."""

from fractions import Fraction

from tests.support.oracles.auc_variance import (
    delong,
    hanley_mcneil,
    jackknife,
    obuchowski,
    placements,
)

LABELS = [False, False, True, True]
SCORES = [1.0, 3.0, 2.0, 4.0]


def test_placements_by_hand() -> None:
    half = Fraction(1, 2)
    assert placements(LABELS, SCORES) == ([1, half], [half, 1])
    assert placements(LABELS, [1, 2, 2, 3]) == ([1, Fraction(3, 4)], [Fraction(3, 4), 1])


def test_variance_by_hand() -> None:
    """Each class has sample variance 1/8 of (1/2, 1), over 2 rows."""
    expected = Fraction(1, 8)
    assert delong(LABELS, SCORES, SCORES) == expected
    assert jackknife(LABELS, SCORES) == expected
    assert hanley_mcneil(LABELS, SCORES) == expected


def test_groups_of_one_are_rows() -> None:
    assert obuchowski(LABELS, SCORES, SCORES, "abcd") == Fraction(1, 8)


def test_groups_by_hand() -> None:
    """AUC 3/4. Group a: lost 1 - 3/4, won 1/2 - 3/4; group b the same with opposite signs."""
    quarter = Fraction(1, 4)
    s10 = s01 = 2 * quarter**2 * Fraction(2, 1 * 2)
    s11 = 2 * -2 * 2 * quarter**2
    expected = s10 / 2 + s01 / 2 + Fraction(s11, 4)
    assert obuchowski(LABELS, SCORES, SCORES, "abab") == expected == 0
