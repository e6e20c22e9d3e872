"""Predictive values by Bayes' rule."""

from fractions import Fraction
from typing import TypeVar

Number = TypeVar("Number", float, Fraction)


def predictive_value(right_rate: Number, wrong_rate: Number, share: Number) -> Number:
    """Return how many predictions of a class are right, given the class's share.

    `right_rate` of that class and `wrong_rate` of the other are predicted to be of that class.
    """
    right, wrong = share * right_rate, (1 - share) * wrong_rate
    return right / (right + wrong)
