"""The answer to a question about many classes. `page/many_compute.js` computes the same."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np

from rocch.errors import escape_controls
from rocch.report.many_classes.summary import CostAnswer
from rocch.report.many_classes.words import rule_of, sentence

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray, IntArray
    from rocch.report.many_classes.question import CostQuestion
    from rocch.report.many_classes.summary import Members

CLOSE = 1e-12
"""Costs and shares are typed, so they are rounded already: expected costs that agree to 12 digits
count as equal, here and in the page."""


def answer(members: Members, models: tuple[str, ...], question: CostQuestion) -> CostAnswer:
    """Return the cheapest of the members that a summary keeps.

    Of equals the one with the fewest errors on the judged rows is taken, then the first.

    Parameters
    ----------
    members
        What can be chosen.
    models
        The names of the models.
    question
        Costs and shares.

    Examples
    --------
    >>> from rocch.report.many_classes.answer import answer
    >>> from rocch.report.many_classes.question import CostQuestion
    >>> from rocch.report.many_classes.summary import Members
    >>> members = Members(
    ...     (0, 1, -1, -2),
    ...     (-1,) * 4,
    ...     ((8, 2, 1, 9), (9, 1, 4, 6), (10, 0, 10, 0), (0, 10, 0, 10)),
    ...     (None,) * 4,
    ...     ("",) * 4,
    ...     ("own_predictions", "own_predictions", "always", "always"),
    ... )
    >>> known = {"classes": ("ill", "well"), "shares": (0.5, 0.5)}
    >>> print(answer(members, ("nb", "knn"), CostQuestion(costs=((0, 4), (1, 0)), **known)).sentence)
    Use knn's own predictions: gets 25 of 100 rows wrong, misses 10 of 100 ill and 40 of 100 well; costs 40.00 per 100 rows.
    """  # noqa: E501 - the output of an example is one line
    weighed = Weighed.of(members, models, question)
    chosen, equals = weighed.cheapest(np.ones(len(members.model), dtype=bool))
    return weighed.told(chosen, equals)


@dataclass(frozen=True, slots=True, eq=False)
class Weighed:
    """Members weighed by costs and shares."""

    members: Members
    models: tuple[str, ...]
    question: CostQuestion
    rates: FloatArray
    expected: FloatArray
    """The expected cost of each per row."""
    totals: IntArray
    errors: IntArray
    """How many judged rows each answers wrongly."""

    @classmethod
    def of(cls, members: Members, models: tuple[str, ...], question: CostQuestion) -> Self:
        """Weigh all members."""
        size = len(question.classes)
        counts = np.array(members.counts, dtype=np.int64).reshape(-1, size, size)
        totals = counts[0].sum(axis=1)
        rates = counts / totals[:, None]
        weights = np.array(question.shares)[:, None] * np.array(question.costs)
        errors = counts.sum(axis=(1, 2)) - np.trace(counts, axis1=1, axis2=2)
        expected = np.einsum("nkj,kj->n", rates, weights)
        return cls(members, models, question, rates, expected, totals, errors)

    def cheapest(self, allowed: BoolArray) -> tuple[int, int]:
        """Return the best of those allowed, and how many others are as cheap; -1 if none are."""
        places = np.flatnonzero(allowed)
        if not places.size:
            return -1, 0
        expected = self.expected[places]
        found = places[expected <= expected.min() * (1 + CLOSE)]
        return int(found[np.argmin(self.errors[found])]), int(found.size) - 1

    def told(self, chosen: int, equals: int = 0) -> CostAnswer:
        """Say what a member does at these costs and shares."""
        plain, _ = self.cheapest(np.array(self.members.kind) == "most_likely_class")
        always, _ = self.cheapest(np.array(self.members.model) < 0)
        shares, rates = np.array(self.question.shares), self.rates[chosen]
        missed = 1 - np.diagonal(rates)
        rule = rule_of(self.members, chosen, self.models, self.question.classes)
        found = CostAnswer(
            member=chosen,
            equals=equals,
            cost=float(self.expected[chosen]),
            standard_error=self._standard_error(chosen),
            error_rate=float(shares @ missed),
            miss_rates=tuple(missed.tolist()),
            per_1000=tuple(map(tuple, (1000 * shares[:, None] * rates).tolist())),
            plain=None if plain < 0 else plain,
            plain_cost=None if plain < 0 else float(self.expected[plain]),
            always=always,
            always_cost=float(self.expected[always]),
            rule=escape_controls(rule.words),
            sentence="",
        )
        return replace(found, sentence=sentence(found, self.members, self.models, self.question))

    def _standard_error(self, chosen: int) -> float:
        """Return the standard error of a cost: rows of a class are drawn apart from the others'."""
        costs, rates = np.array(self.question.costs), self.rates[chosen]
        spread = (rates * costs**2).sum(axis=1) - (rates * costs).sum(axis=1) ** 2
        variances = np.array(self.question.shares) ** 2 * spread / self.totals
        return float(np.sqrt(max(variances.sum(), 0.0)))
