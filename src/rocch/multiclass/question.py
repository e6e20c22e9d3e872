"""The question about more than two classes: what each error costs, and the class balance."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

from rocch.arrays import IntArray, Label
from rocch.errors import Hint, InputError, format_list
from rocch.inputs import as_mapping, find_duplicates
from rocch.multiclass.classes import Classes, ClassNames, Pair, check_pair
from rocch.multiclass.costs import (
    CostMatrix,
    Costs,
    DirichletBelief,
    Priors,
    Shares,
    as_costs,
    as_priors,
    cost_name,
)
from rocch.roc.conditions import OBSERVED, Bounds, Interval
from rocch.roc.question_fields import BaseQuestion, QuestionField
from rocch.roc.question_table import CLASS_QUESTION_FIELDS, FieldData

# A key and its value in a list such as a=1,b=2; names may hold commas and equals signs.
ENTRY = re.compile(r"\s*(?P<key>.+?)\s*=\s*(?P<value>[^=,;]+)(?:[,;]|$)")

# How costs and shares are typed.
FORMS = {"costs": "TRUTH>PREDICTION=COST,...", "priors": "CLASS=SHARE,..."}


class CostsField(QuestionField):
    """Costs by (truth, prediction); in JSON a list of truth, prediction and cost."""

    __slots__ = ()

    def json_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the field."""
        # labels that are no texts, numbers or booleans have no JSON
        label = {"type": ["string", "number", "boolean"]}
        entry: dict[str, Any] = {"type": "array", "prefixItems": [label, label, COST.json_schema()]}
        entry |= {"minItems": 3, "maxItems": 3}
        return {"type": "array", "items": entry, "description": self.help}

    def check(self, value: Any) -> dict[Pair, Any]:
        """Return the costs, checked."""
        costs = as_mapping(value, self.name, "(truth, prediction) to costs")
        for pair in costs:
            check_pair(pair, self.name)
        return {pair: _of_pair(pair).check(cost) for pair, cost in costs.items()}

    def parse(self, text: str) -> dict[Pair, Any]:
        """Read costs such as ill>well=20,well>ill=1..3."""
        entries = _parse_entries(text, self)
        costs = {parse_pair(key, text): cost for key, cost in entries.items()}
        return {pair: _of_pair(pair).parse(cost) for pair, cost in costs.items()}

    def describe(self, value: Any) -> str:
        """Return the costs in words."""
        return ", ".join(
            f"{truth} predicted as {prediction} {self.phrase.format(COST.describe(cost))}"
            for (truth, prediction), cost in value.items()
        )

    def to_plain(self, value: Any) -> list[Any]:
        """Return the costs as plain data for JSON."""
        return [[*pair, COST.to_plain(cost)] for pair, cost in value.items()]

    def from_plain(self, data: Any) -> dict[Pair, Any]:
        """Read the result of `to_plain`, unchecked."""
        if not isinstance(data, list | tuple) or not all(
            isinstance(entry, list | tuple) and len(entry) == 3 for entry in data
        ):
            hint = 'For example: [["ill", "well", 20], ["well", "ill", 1]].'
            raise InputError(self.name, "be a list of truth, prediction and cost", repr(data), hint)
        _check_once([(truth, prediction) for truth, prediction, _ in data], self.name)
        return {(truth, prediction): cost for truth, prediction, cost in data}


class PriorsField(QuestionField):
    """Shares by class, or "observed"."""

    __slots__ = ()

    def json_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the field."""
        shares = {"type": "object", "additionalProperties": SHARE.json_schema()}
        return {"anyOf": [shares, {"const": OBSERVED}], "description": self.help}

    def check(self, value: Any) -> str | dict[Label, Any]:
        """Return the shares, checked."""
        if isinstance(value, str) and value == OBSERVED:
            return OBSERVED
        shares = as_mapping(value, self.name, "every class to its share, or be 'observed'")
        return {name: _of_class(name).check(share) for name, share in shares.items()}

    def parse(self, text: str) -> str | dict[str, Any]:
        """Read shares such as ill=10%,well=90%, or observed."""
        if text.strip().lower() == OBSERVED:
            return OBSERVED
        shares = _parse_entries(text, self)
        return {name: _of_class(name).parse(share) for name, share in shares.items()}

    def describe(self, value: Any) -> str:
        """Return the shares in words."""
        if value == OBSERVED:
            return "the class balance of the evaluation rows"
        shares = {name: self.phrase.format(SHARE.describe(share)) for name, share in value.items()}
        return ", ".join(f"{share} {name}" for name, share in shares.items())

    def to_plain(self, value: Any) -> Any:
        """Return the shares as plain data for JSON."""
        if value == OBSERVED:
            return value
        return {str(name): SHARE.to_plain(share) for name, share in value.items()}


# One cost and one share.
COST = QuestionField("costs", "range", "", "", "costs", "20 or 10..20", "{}")
SHARE = QuestionField("priors", "shares", "%", "", "balance", "0.1 or 10%", "{}")


def _of_pair(pair: Pair) -> QuestionField:
    return COST._replace(name=cost_name(pair))


def _of_class(name: Label) -> QuestionField:
    return SHARE._replace(name=f"priors[{name!r}]")


@dataclass(frozen=True, kw_only=True, repr=False)
class ClassQuestion(BaseQuestion):
    """What is known about costs and class balance when there are more than two classes.

    Classes are known by their labels, or by texts that read like them. As texts, costs are typed
    ill>well=20,well>ill=1..3 (truth first), shares ill=10%,well=90% or observed; in JSON, costs are
    lists of truth, prediction and cost.

    Attributes
    ----------
    costs
        `{(truth, prediction): cost}` with numbers or intervals. Right predictions cost 0 by
        default.
    default_cost
        The cost of errors that are not stated. Without any costs, every error costs 1.
    priors
        `{class: share}`, with numbers or intervals, or "observed", the default: the class balance
        of the evaluation rows.

    Examples
    --------
    >>> from rocch.multiclass import ClassQuestion
    >>> question = ClassQuestion.from_strings({"costs": "ill>well=20", "default_cost": "1..3"})
    >>> question.costs
    {('ill', 'well'): 20.0}
    >>> question.cost_matrix(["ill", "well"])["well", "ill"]
    Interval(low=1.0, high=3.0)
    >>> print(question.describe())
    ill predicted as well costs 20, other errors cost 1 to 3
    """

    table: ClassVar[tuple[FieldData, ...]] = CLASS_QUESTION_FIELDS
    kinds: ClassVar[dict[str, type[QuestionField]]] = {"costs": CostsField, "priors": PriorsField}

    costs: Mapping[Pair, Bounds] | None = None
    default_cost: Bounds | None = None
    priors: Mapping[Label, Bounds] | str | None = None

    @classmethod
    def from_costs(cls, costs: Costs | None, priors: Shares | None = None) -> Self:
        """Return the question that costs and shares state; beliefs count as their means."""
        matrix = None if costs is None else as_costs(costs)
        stated, usual = (None, None) if matrix is None else matrix.with_usual(len(matrix.classes))
        shares: Any = priors.mean if isinstance(priors, DirichletBelief) else priors
        if hasattr(shares, "to_dict") and not isinstance(shares, Mapping):
            shares = shares.to_dict()  # a pandas Series maps its index to its values
        return cls(costs=stated or None, default_cost=usual, priors=shares)

    def describe(self) -> str:
        """Return the question in words."""
        words = super().describe()
        if self.costs or self.default_cost is None:
            return words
        return words.replace("other errors cost", "every error costs", 1)

    @cached_property
    def is_exact(self) -> bool:
        """Whether no cost and no share is an interval."""
        shares = self.priors.values() if isinstance(self.priors, Mapping) else ()
        values = (*(self.costs or {}).values(), *shares, self.default_cost)
        return not any(isinstance(value, Interval) for value in values)

    @property
    def _default(self) -> Bounds | None:
        return self.default_cost if self.costs or self.default_cost is not None else 1.0

    def cost_matrix(self, classes: ClassNames | None = None) -> CostMatrix:
        """Return the costs of all errors.

        Parameters
        ----------
        classes
            The classes in order; by default those that the costs name, sorted.
        """
        stated, default = self.costs or {}, self._default
        if classes is None:
            if not stated:
                requirement = "be given with costs, or the names of the classes"
                raise InputError("default_cost", requirement, "neither")
            return CostMatrix(stated, default=default)
        named = Classes.of(classes)
        entries = {
            (find_label(truth, named), find_label(prediction, named)): cost
            for (truth, prediction), cost in stated.items()
        }
        return CostMatrix(entries, classes=named, default=default)

    def shares(self, classes: ClassNames, totals: IntArray | None) -> Priors:
        """Return the classes' shares, given how many evaluation rows each has."""
        named = Classes.of(classes)
        given: Any = OBSERVED if self.priors is None else self.priors
        if isinstance(given, Mapping):
            given = {find_label(name, named): share for name, share in given.items()}
        return as_priors(given, named, totals)

    def resolve(self, classes: ClassNames, totals: IntArray) -> Self:
        """Return the question with assumed costs and observed shares as numbers."""
        priors = self.priors
        if not isinstance(priors, Mapping):
            named = Classes.of(classes)
            observed = self.shares(named, totals).shares.tolist()
            priors = dict(zip(named, observed, strict=True))
        return replace(self, default_cost=self._default, priors=priors)


def find_label(name: Label, classes: Classes) -> Label:
    """Return the class of that name: the label itself, or the one that reads like it."""
    if name in classes.names:
        return name
    alike = [label for label in classes if str(label) == str(name)]
    return alike[0] if len(alike) == 1 else name


def parse_pair(key: str, text: str, argument: str = "costs") -> Pair:
    """Read truth>prediction."""
    names = [part.strip() for part in key.split(">")]
    if len(names) > 2:
        raise InputError(
            argument,
            "have one '>' between truth and prediction",
            repr(text),
            "Names with '>' can only be given in a file, in JSON or in Python.",
        )
    if len(names) < 2 or not all(names):
        raise InputError(
            argument, "name truth>prediction", repr(text), _hint(ClassQuestion.fields()[0])
        )
    return names[0], names[1]


def _parse_entries(text: str, about: QuestionField) -> dict[str, str]:
    found = list(ENTRY.finditer(text))
    if not found or "".join(each.group() for each in found) != text:
        raise InputError(about.name, f"have the form {FORMS[about.name]}", repr(text), _hint(about))
    _check_once((each["key"] for each in found), about.name)
    return {each["key"]: each["value"] for each in found}


def _hint(about: QuestionField) -> Hint:
    text = f"For example: {about.example}."
    typed = f"For example: '{about.example}', in quotes, because shells read > otherwise."
    return Hint(text, cli=typed if about.kind == "costs" else text, http=text)


def _check_once(keys: Iterable[Any], argument: str) -> None:
    twice = find_duplicates(map(str, keys))
    if twice:
        raise InputError(argument, "state each value once", f"{format_list(twice)} twice")
