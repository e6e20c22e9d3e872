"""Adams and Hand's four examples (section 5), what they published, and variants of each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from studies.lc.splits import Linear, Nearest, Network, Quadratic, Setup

if TYPE_CHECKING:
    from collections.abc import Callable

SPLITS, VARIANT_SPLITS = 200, 100
"""Random splits of each example, and of a variant."""


@dataclass(frozen=True)
class Variant:
    """One choice made otherwise.

    Attributes
    ----------
    label
        What is other.
    setup
        All that is compared.
    splits
        How many splits.
    """

    label: str
    setup: Setup
    splits: int = VARIANT_SPLITS


@dataclass(frozen=True)
class Example:
    """One of the paper's examples.

    Attributes
    ----------
    key, section, title
        A short name, the section and data in the paper, and what we call ours.
    data
        Our data, in words.
    stand_in
        Whether our data are others than the paper's.
    setup
        What we compare.
    auc_a, auc_b, lc
        Published.
    digits
        Decimals of the published index.
    variants
        Choices that the paper leaves open, made otherwise.
    """

    key: str
    section: str
    title: str
    data: str
    stand_in: bool
    setup: Setup
    auc_a: float
    auc_b: float
    lc: float
    digits: int
    variants: tuple[Variant, ...]

    @property
    def names(self) -> tuple[str, str]:
        """Of A and of B."""
        return self.setup.a.name, self.setup.b.name

    def winner(self, lead: float) -> str:
        """Name the one that a lead of A favors; nobody at 0."""
        return "neither" if lead == 0 else self.names[0 if lead > 0 else 1]


PIMA = Setup("pima", 230, Network(), Quadratic(), (4, 10, 7))
HEART = Setup("heart_hungarian_261", 78, Quadratic(), Linear(), (2, 20, 16))
MARKETING = Setup(
    "creditcard_sample",
    861,
    Network(13, 10.0),
    Quadratic(),
    (1 / 0.15, 1 / 0.065, 1 / 0.095),
)
BANKING = Setup("german_credit", 333, Nearest(), Linear(), (5, 10, 9))

EXAMPLES = (
    Example(
        "pima",
        "5.1, Pima",
        "Pima",
        "the same 768 women",
        False,
        PIMA,
        auc_a=0.7793,
        auc_b=0.7781,
        lc=-1.0,
        digits=1,
        variants=(Variant("zeros as missing values", replace(PIMA, zeros_missing=True)),),
    ),
    Example(
        "heart",
        "5.2, heart",
        "Heart",
        "the same 261 subjects",
        False,
        HEART,
        auc_a=0.8143,
        auc_b=0.8311,
        lc=0.89,
        digits=2,
        variants=(Variant("QDA: regularized by 0.5", replace(HEART, a=Quadratic(0.5))),),
    ),
    Example(
        "marketing",
        "5.3, marketing",
        "Frauds",
        "1722 credit card payments",
        True,
        MARKETING,
        auc_a=0.7102,
        auc_b=0.7244,
        lc=-0.4,
        digits=1,
        variants=(Variant("the paper's prevalence, 0.13", replace(MARKETING, prevalence=0.13)),),
    ),
    Example(
        "banking",
        "5.4, banking",
        "German credit",
        "1000 applicants",
        True,
        BANKING,
        auc_a=0.6745,
        auc_b=0.7116,
        lc=-0.64,
        digits=2,
        variants=(),
    ),
)

WEAK = ("mean texture", "mean smoothness", "mean symmetry")
QUICK_SPLITS = 4


def quick_examples() -> tuple[Example, ...]:
    """Return the same comparisons on three weak features that scikit-learn ships."""
    return tuple(_quick(example) for example in EXAMPLES)


def _quick(example: Example) -> Example:
    def on_tumours(setup: Setup) -> Setup:
        return replace(setup, table="sklearn/breast_cancer", test=170, features=WEAK)

    return _changed(replace(example, data="tumours, in a quick run"), on_tumours)


def _changed(example: Example, change: Callable[[Setup], Setup]) -> Example:
    variants = tuple(
        replace(variant, setup=change(variant.setup), splits=QUICK_SPLITS)
        for variant in example.variants
    )
    return replace(example, setup=change(example.setup), variants=variants)
