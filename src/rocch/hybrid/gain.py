"""What a rule costs to run when its parts are asked in turn, and the cheapest order to ask in.

Chaining (Fawcett): a cheap model settles most rows, and a dear one sees only those left open. A
model is paid for once per row, however often the rule mentions it, because its score can be kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import reduce
from itertools import permutations, product
from math import factorial, prod
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import bad_input, kind_of, shown
from rocch.hybrid.combining.sample import DecidedSample
from rocch.hybrid.expression import Joined
from rocch.inputs import as_number, as_rate, as_written

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocch.arrays import BoolArray, FloatArray, IntArray
    from rocch.hybrid.expression import Expression

MOST_ORDERS = 5040
"""So many orders are tried, one by one: those of seven parts in one chain."""


class Meter:
    """Rows whose scores are known, and a record of which model was asked for which of them."""

    def __init__(self, sample: DecidedSample) -> None:
        self._sample = sample
        self.asked: dict[str, BoolArray] = {}

    def __len__(self) -> int:
        return len(self._sample)

    def scores(self, model: str, rows: IntArray | None = None) -> Any:
        """Return a model's scores on some rows, or on all, and note that it was asked."""
        asked = self.asked.setdefault(model, np.zeros(len(self), dtype=bool))
        asked[slice(None) if rows is None else rows] = True
        return self._sample.scores(model, rows)

    alarms = scores


def running_cost(
    expression: Expression,
    y_true: Any,
    scores: Any,
    *,
    costs: Mapping[str, float] | None = None,
    prevalence: float | None = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    """Return what a rule costs per row when each part is asked only where the answer is open.

    Parameters
    ----------
    expression
        The rule; its parts are asked from left to right.
    y_true, scores, pos_label, sample_weight
        Labelled rows with every model's scores, as for `find_combinations`. How many rows are left
        open is counted on them, in each class.
    costs
        What one row costs each model to score, in any unit. By default each costs 1, so that the
        answer is the number of models asked per row.
    prevalence
        The share of positives where the rule will run; by default that of the rows.

    Examples
    --------
    >>> import rocch
    >>> from rocch.hybrid.expression import AtLeast, Both
    >>> chain = Both(AtLeast("cheap", 2), AtLeast("dear", 5))
    >>> y, scores = [0, 0, 0, 1], {"cheap": [1, 1, 2, 3], "dear": [1, 2, 4, 6]}
    >>> rocch.running_cost(chain, y, scores, costs={"cheap": 1, "dear": 100})  # half the rows go on
    51.0
    >>> rocch.running_cost(chain, y, scores, prevalence=0.5)  # models asked per row
    1.6666666666666667
    """
    sample = DecidedSample.of(y_true, scores, pos_label=pos_label, sample_weight=sample_weight)
    check_known(expression, sample)
    return cost_per_row(expression, sample, as_costs(costs, sample.models), prevalence)


def cheapest_order(
    expression: Expression,
    y_true: Any,
    scores: Any,
    *,
    costs: Mapping[str, float] | None = None,
    prevalence: float | None = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> Expression:
    """Return the same rule with its parts in the order that is cheapest to run.

    Every order of the parts of each chain of *and* or of *or* is tried on the rows; the decisions
    stay the same. Arguments are those of `running_cost`.

    Examples
    --------
    >>> import rocch
    >>> from rocch.hybrid.expression import AtLeast, Both
    >>> rule = Both(AtLeast("dear", 5), AtLeast("cheap", 2))
    >>> y, scores = [0, 0, 0, 1], {"cheap": [1, 1, 2, 3], "dear": [1, 2, 4, 6]}
    >>> rocch.cheapest_order(rule, y, scores, costs={"cheap": 1, "dear": 100}).words()
    '(cheap >= 2 and dear >= 5)'
    """
    sample = DecidedSample.of(y_true, scores, pos_label=pos_label, sample_weight=sample_weight)
    check_known(expression, sample)
    return in_cheapest_order(expression, sample, as_costs(costs, sample.models), prevalence)


def in_cheapest_order(
    expression: Expression,
    sample: DecidedSample,
    costs: Mapping[str, float],
    prevalence: float | None,
) -> Expression:
    """Return the cheapest order on a sample; of equally cheap ones the first in words."""
    if _number_of_orders(expression) > MOST_ORDERS:
        raise bad_input(
            "expression",
            f"have at most {MOST_ORDERS} orders of its parts",
            _number_of_orders(expression),
            "Put the cheap parts first by hand.",
        )

    def key(order: Expression) -> tuple[float, str]:
        return cost_per_row(order, sample, costs, prevalence), order.words()

    return min(_orders(expression), key=key)


def spent(expression: Expression, sample: DecidedSample, costs: Mapping[str, float]) -> FloatArray:
    """Return what each row costs to decide."""
    meter = Meter(sample)
    expression.alarms(meter)
    total = np.zeros(len(sample))
    for model, asked in meter.asked.items():
        total += costs[model] * asked
    return total


def cost_per_row(
    expression: Expression,
    sample: DecidedSample,
    costs: Mapping[str, float],
    prevalence: float | None,
) -> float:
    """Return the mean cost over rows, the classes mixed as the prevalence says.

    Costs are the decimals that they are written as, rows are counted in whole numbers, and the mean
    is rounded once: so equal costs are equal, and one that meets a budget exactly does not pass it.
    """
    meter = Meter(sample)
    expression.alarms(meter)
    totals = sample.totals
    if prevalence is None:
        each = [Fraction(1, sum(totals))] * 2
    else:
        positives = as_written(as_rate(prevalence, "prevalence"))
        each = [
            share / total for share, total in zip((1 - positives, positives), totals, strict=True)
        ]
    total = Fraction(0)
    for model, asked in meter.asked.items():
        negative, positive = sample.count(asked)
        total += as_written(costs[model]) * (negative * each[0] + positive * each[1])
    return float(total)


def row_shares(sample: DecidedSample, prevalence: float | None) -> FloatArray:
    """Return the share of each row in a mean at this prevalence; by default the observed one."""
    shares = np.ones(len(sample)) if sample.weights is None else sample.weights.copy()
    shares /= shares.sum()
    if prevalence is not None:
        positives = as_rate(prevalence, "prevalence")
        for rows, share in ((sample.positive, positives), (~sample.positive, 1 - positives)):
            shares[rows] *= share / shares[rows].sum()
    return shares


def as_costs(costs: Mapping[str, float] | None, models: Iterable[str]) -> dict[str, float]:
    """Return the running cost of every model; by default 1 each."""
    if costs is None:
        return dict.fromkeys(models, 1.0)
    if not isinstance(costs, Mapping):
        raise bad_input(
            "costs",
            "map models to costs per row",
            kind_of(costs),
            "For example {'nb': 1}.",
        )
    known = list(models)
    missing = [model for model in known if model not in costs]
    unknown = [model for model in costs if model not in known]
    if missing or unknown:
        came = f"none for {shown(missing)}" if missing else f"one for {shown(unknown)}"
        raise bad_input(
            "costs", "name every model, and no other", came, f"The models are: {shown(known)}."
        )
    return {
        model: as_number(costs[model], f"costs[{model!r}]", least=0, do="Use one unit for all.")
        for model in known
    }


def check_known(expression: Expression, sample: DecidedSample) -> None:
    """Refuse a rule that asks a model whose scores did not come."""
    missing = [model for model in expression.models if model not in sample.models]
    if missing:
        raise bad_input(
            "scores",
            "hold every model of the rule",
            f"none for {shown(missing)}",
            f"The models are: {shown(sample.models)}.",
        )


def parts(expression: Expression) -> list[Expression]:
    """Return the parts of a chain of one operator, from left to right."""
    if not isinstance(expression, Joined):
        return [expression]
    found = []
    for side in (expression.first, expression.second):
        found += parts(side) if type(side) is type(expression) else [side]
    return found


def _orders(expression: Expression) -> Iterator[Expression]:
    if not isinstance(expression, Joined):
        yield expression
        return
    for order in permutations(parts(expression)):
        for chosen in product(*(list(_orders(part)) for part in order)):
            yield reduce(type(expression), chosen)


def _number_of_orders(expression: Expression) -> int:
    inside = parts(expression)
    if len(inside) == 1:
        return 1
    return factorial(len(inside)) * prod(map(_number_of_orders, inside))
