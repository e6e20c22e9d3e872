"""Views that aim each row on its own: by the row's conditions, or by its group."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import bad_input, kind_of, shown
from rocch.hybrid.aimed import AimedClassifier, View, coins, keys_of
from rocch.hybrid.batch import ScoredBatch
from rocch.hybrid.features import column_of
from rocch.inputs import as_array, check_length, check_texts
from rocch.roc.conditions import RowConditions

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray, IntArray
    from rocch.hybrid.hybrid import Hybrid, Mix
    from rocch.hybrid.rule import Rule
    from rocch.roc.operating_point import OperatingPoint

    AnyArray = np.ndarray[Any, Any]


class RowAimedClassifier(View):
    """A hybrid aimed at each of some rows by the row's own conditions; made by `at_rows`.

    Attributes
    ----------
    vertex
        For each row, the number of the hull's vertex that decides it.
    """

    def __init__(self, hybrid: Hybrid, conditions: RowConditions) -> None:
        if not isinstance(conditions, RowConditions):
            raise bad_input(
                "conditions", "be RowConditions", kind_of(conditions), "For one aim use at(...)."
            )
        hybrid.check_direction()
        vertex = hybrid.hull.best_each(conditions.slopes(hybrid.hull.judged))
        vertex.flags.writeable = False
        self.freeze(hybrid=hybrid, conditions=conditions, vertex=vertex)

    if TYPE_CHECKING:
        conditions: RowConditions
        vertex: IntArray

    def predict(self, X: Any) -> AnyArray:
        """Decide the rows that the conditions belong to, in their order."""
        return self.decide(self.features(X), None)

    def keys(self, given: Any) -> None:
        """Return no keys: no coin is tossed."""

    def decide(self, features: Any, row_key: None) -> AnyArray:  # noqa: ARG002 - no coin is tossed
        """Decide rows whose features are checked."""
        batch = ScoredBatch(self.hybrid.components, features)
        check_length(len(batch), self.vertex.size, "X")
        mixes = [((1.0, self.hybrid.expression(v)),) for v in self.hybrid.hull.vertices]

        def alarms(mix: Mix, rows: IntArray) -> BoolArray:
            return mix[0][1].alarms(batch, rows)

        return self.hybrid.labels(each(batch, mixes, self.vertex, alarms).astype(bool))


class GroupedClassifier(View):
    """A hybrid with an operating point for each group of rows; made by `at_each`.

    Attributes
    ----------
    points, rules
        The operating point and the rule of each group.
    """

    def __init__(
        self,
        hybrid: Hybrid,
        criteria: Mapping[Any, Any],
        *,
        group: str | None = None,
        randomise: bool = False,
        row_key: str | None = None,
        seed: int = 0,
    ) -> None:
        if not isinstance(criteria, Mapping) or not criteria:
            raise bad_input(
                "criteria",
                "map groups to criteria",
                kind_of(criteria) if criteria else "nothing",
                "For example: {'DE': known, 'FR': NeymanPearson(0.05)}.",
            )
        check_texts(criteria, "criteria")
        views = {
            name: AimedClassifier(hybrid, given, randomise=randomise, row_key=row_key, seed=seed)
            for name, given in criteria.items()
        }
        self.freeze(
            hybrid=hybrid,
            _criteria=dict(criteria),
            group=group,
            randomise=randomise,
            row_key=row_key or hybrid.key_column,
            seed=seed,
            _views=views,
        )

    if TYPE_CHECKING:
        _criteria: dict[Any, Any]
        group: str | None
        randomise: bool
        row_key: str | None
        seed: int
        _views: dict[Any, AimedClassifier]

    @property
    def criteria(self) -> dict[Any, Any]:
        """What each group is aimed at."""
        return dict(self._criteria)

    @property
    def points(self) -> dict[Any, OperatingPoint]:
        """The operating point of each group."""
        return {name: view.point for name, view in self._views.items()}

    @property
    def rules(self) -> dict[Any, Rule]:
        """The rule of each group."""
        return {name: view.rule for name, view in self._views.items()}

    def predict(self, X: Any, groups: Any = None, row_key: Any = None) -> AnyArray:
        """Decide rows, each by its group's rule.

        Parameters
        ----------
        X
            The rows.
        groups
            The group of each row; by default the column named when aiming.
        row_key
            As for `AimedClassifier.predict`.
        """
        which = self._places(X, groups)
        needed = any(len(mix) > 1 for mix in self._mixes)
        row_key = keys_of(self, X, row_key, needed=needed)
        features = self.features(X, self.row_key, self.group)
        batch = ScoredBatch(self.hybrid.components, features)
        check_length(which.size, len(batch), "groups")
        toss = coins(features, row_key, self.seed)

        def alarms(mix: Mix, rows: IntArray) -> BoolArray:
            return self.hybrid.alarms(batch, mix, toss, rows)

        return self.hybrid.labels(each(batch, self._mixes, which, alarms).astype(bool))

    def decision_probability(self, X: Any, groups: Any = None) -> FloatArray:
        """Return for each row the probability of answering with the positive class."""
        which = self._places(X, groups)
        features = self.features(X, self.row_key, self.group)
        batch = ScoredBatch(self.hybrid.components, features)
        check_length(which.size, len(batch), "groups")

        def chance(mix: Mix, rows: IntArray) -> FloatArray:
            return np.asarray(sum(p * part.alarms(batch, rows) for p, part in mix), dtype=float)

        return each(batch, self._mixes, which, chance)

    @property
    def _mixes(self) -> list[Mix]:
        return [self.hybrid.mix(view.point) for view in self._views.values()]

    def _places(self, given: Any, groups: Any) -> IntArray:
        """Return for each row its group's place among the criteria."""
        if groups is None:
            if self.group is None:
                raise bad_input(
                    "groups",
                    "be given",
                    "none",
                    "Pass the group of each row, or name a column: at_each(..., group=...).",
                )
            groups = column_of(given, self.group, "group")
        names = as_array(groups, "groups").tolist()
        places = {name: place for place, name in enumerate(self._views)}
        strangers = [name for name in dict.fromkeys(names) if name not in places]
        if strangers:
            raise bad_input(
                "groups", "have a criterion each", shown(strangers), f"Known: {shown(places)}."
            )
        return np.array([places[name] for name in names])


def each(
    batch: ScoredBatch,
    mixes: Sequence[Mix],
    which: IntArray,
    answer: Callable[[Mix, IntArray], Any],
) -> FloatArray:
    """Answer each row by its own mix; `which` says which. Each model runs once at most."""
    used = np.unique(which)
    first = {i: {part.models[0] for _, part in mixes[i] if part.models} for i in used}
    for model in set().union(*first.values()):
        asked = [i for i in used if model in first[i]]
        batch.scores(model, np.flatnonzero(np.isin(which, asked)))
    answers = np.zeros(len(batch))
    for i in used:
        rows = np.flatnonzero(which == i)
        answers[rows] = answer(mixes[i], rows)
    return answers
