"""The question about more than two classes: what each error costs, and the class balance."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

from rocch.arrays import IntArray, Label
from rocch.errors import Hint, InputError, describe_type, format_list, unknown_option
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
)
from rocch.numbers import parse_interval
from rocch.roc.conditions import OBSERVED, Bounds, Interval
from rocch.roc.question import QuestionField, as_value, describe_field, parse_value

FIELDS = (
    QuestionField(
        "costs",
        "costs",
        unit="",
        help="Costs of errors, truth first: 'ill>well=20'.",
        group="costs",
        example="ill>well=20,well>ill=1..3",
        phrase="{} costs {}",
    ),
    QuestionField(
        "default_cost",
        "range",
        unit="",
        help="Cost of all errors that are not stated.",
        group="costs",
        example="1",
        phrase="other errors cost {}",
    ),
    QuestionField(
        "priors",
        "priors",
        unit="%",
        help="Shares of the classes: 'ill=0.1,well=0.9', or 'observed'.",
        group="balance",
        example="ill=0.1,well=0.9",
        phrase="{} % {}",
    ),
)
COSTS, DEFAULT_COST, PRIORS = FIELDS

# A key and its value in a list such as a=1,b=2; names may hold commas and equals signs.
ENTRY = re.compile(r"\s*(?P<key>.+?)\s*=\s*(?P<value>[^=,;]+)(?:[,;]|$)")

# How costs and shares are typed.
FORMS = {"costs": "TRUTH>PREDICTION=COST,...", "priors": "CLASS=SHARE,..."}

# One cost and one share, for checks of single values.
COST = DEFAULT_COST._replace(name="costs", example="20 or 10..20")
SHARE = PRIORS._replace(kind="shares", example="0.1 or 10%")


@dataclass(frozen=True, kw_only=True)
class ClassQuestion:
    """What is known about costs and class balance when there are more than two classes.

    Classes are known by their labels, or by texts that read like them.

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

    costs: Mapping[Pair, Bounds] | None = None
    default_cost: Bounds | None = None
    priors: Mapping[Label, Bounds] | str | None = None

    def __post_init__(self) -> None:
        costs, default, priors = self.costs, self.default_cost, self.priors
        checked = {
            "costs": None if costs is None else _as_costs(costs),
            "default_cost": None if default is None else as_value(default, DEFAULT_COST),
            "priors": None if priors is None else _as_shares(priors),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @classmethod
    def fields(cls) -> tuple[QuestionField, ...]:
        """Return the fields, for surfaces that show or take them."""
        return FIELDS

    @classmethod
    def json_schema(cls) -> dict[str, Any]:
        """Return the JSON Schema of `to_dict`; costs are lists of truth, prediction and cost.

        Examples
        --------
        >>> from rocch.multiclass import ClassQuestion
        >>> sorted(ClassQuestion.json_schema()["properties"])
        ['costs', 'default_cost', 'priors']
        """
        # labels that are no texts, numbers or booleans have no JSON
        label = {"type": ["string", "number", "boolean"]}
        cost, share = COST.json_schema(), SHARE.json_schema()
        for schema in (cost, share):
            del schema["description"]
        entry: dict[str, Any] = {"type": "array", "prefixItems": [label, label, cost]}
        entry |= {"minItems": 3, "maxItems": 3}
        shares = {"type": "object", "additionalProperties": share}
        kinds = {
            "costs": {"type": "array", "items": entry, "description": COSTS.help},
            "default_cost": DEFAULT_COST.json_schema(),
            "priors": {"anyOf": [shares, {"const": OBSERVED}], "description": PRIORS.help},
        }
        return {"type": "object", "properties": kinds, "additionalProperties": False}

    @classmethod
    def from_costs(cls, costs: Costs | None, priors: Shares | None = None) -> Self:
        """Return the question that costs and shares state; beliefs count as their means."""
        entries, usual = _with_usual_cost(costs)
        shares: Any = priors.mean if isinstance(priors, DirichletBelief) else priors
        if hasattr(shares, "to_dict") and not isinstance(shares, Mapping):
            shares = shares.to_dict()  # a pandas Series maps its index to its values
        return cls(costs=entries, default_cost=usual, priors=shares)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read the result of `to_dict`; unknown names are refused."""
        if not isinstance(data, Mapping):
            raise InputError("question", "be an object with fields", describe_type(data))
        _check_names(map(str, data))
        given = {name: value for name, value in data.items() if value is not None}
        if "costs" in given:
            given["costs"] = _costs_of_entries(given["costs"])
        return cls(**given)

    @classmethod
    def from_strings(cls, texts: Mapping[str, str]) -> Self:
        """Read fields as people type them.

        Costs are typed ill>well=20,well>ill=1..3 (truth first), shares ill=10%,well=90% or
        observed.
        """
        _check_names(texts)
        read: dict[str, Callable[[str], Any]] = {
            "costs": parse_costs,
            "default_cost": lambda text: parse_value(text, DEFAULT_COST),
            "priors": _parse_priors,
        }
        return cls(**{name: read[name](text) for name, text in texts.items()})

    @property
    def given(self) -> dict[str, Any]:
        """The fields that are set, by name."""
        values = {each.name: getattr(self, each.name) for each in FIELDS}
        return {name: value for name, value in values.items() if value is not None}

    def __bool__(self) -> bool:
        """Whether anything is stated."""
        return bool(self.given)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields that are set as plain data for JSON."""
        plain = dict(self.given)
        if self.costs is not None:
            plain["costs"] = [
                [truth, prediction, _plain(cost)]
                for (truth, prediction), cost in self.costs.items()
            ]
        if self.default_cost is not None:
            plain["default_cost"] = _plain(self.default_cost)
        if isinstance(self.priors, Mapping):
            plain["priors"] = {str(name): _plain(share) for name, share in self.priors.items()}
        return plain

    def describe(self) -> str:
        """Return the question in words."""
        parts = []
        # all are checked: numbers or intervals
        costs: Any = self.costs or {}
        default: Any = self.default_cost
        priors: Any = self.priors
        for (truth, prediction), cost in costs.items():
            words = describe_field(COST._replace(phrase="{}"), cost)
            parts.append(COSTS.phrase.format(f"{truth} predicted as {prediction}", words))
        if default is not None:
            phrase = DEFAULT_COST.phrase if costs else "every error costs {}"
            parts.append(describe_field(DEFAULT_COST._replace(phrase=phrase), default))
        if isinstance(priors, Mapping):
            for name, share in priors.items():
                words = describe_field(SHARE._replace(phrase="{}"), share)
                parts.append(PRIORS.phrase.format(words, name))
        elif priors is not None:
            parts.append("the class balance of the evaluation rows")
        return ", ".join(parts)

    @cached_property
    def is_exact(self) -> bool:
        """Whether no cost and no share is an interval."""
        shares = self.priors.values() if isinstance(self.priors, Mapping) else ()
        values = (*(self.costs or {}).values(), *shares, self.default_cost)
        return not any(isinstance(value, Interval) for value in values)

    def cost_matrix(self, classes: ClassNames | None = None) -> CostMatrix:
        """Return the costs of all errors.

        Parameters
        ----------
        classes
            The classes in order; by default those that the costs name, sorted.
        """
        stated = self.costs or {}
        default = 1.0 if not stated and self.default_cost is None else self.default_cost
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
        default = 1.0 if self.costs is None and self.default_cost is None else self.default_cost
        priors = self.priors
        if not isinstance(priors, Mapping):
            named = Classes.of(classes)
            observed = self.shares(named, totals).shares.tolist()
            priors = dict(zip(named, observed, strict=True))
        return replace(self, default_cost=default, priors=priors)


def _with_usual_cost(costs: Costs | None) -> tuple[dict[Pair, Any] | None, Any]:
    """Return costs as exceptions from the one that most errors have; all, if none is frequent."""
    if costs is None:
        return None, None
    matrix = as_costs(costs)
    entries = {(row["truth"], row["prediction"]): (row["low"], row["high"]) for row in matrix.rows}
    right = {pair: cost for pair, cost in entries.items() if pair[0] == pair[1] and cost[1]}
    errors = {pair: cost for pair, cost in entries.items() if pair[0] != pair[1]}
    usual, times = Counter(errors.values()).most_common(1)[0]
    if times < len(matrix.classes):
        return {**right, **errors}, None
    return {**right, **{p: cost for p, cost in errors.items() if cost != usual}} or None, usual


def find_label(name: Label, classes: Classes) -> Label:
    """Return the class of that name: the label itself, or the one that reads like it."""
    if name in classes.names:
        return name
    alike = [label for label in classes if str(label) == str(name)]
    return alike[0] if len(alike) == 1 else name


def parse_costs(text: str) -> dict[Pair, Any]:
    """Read costs such as ill>well=20,well>ill=1..3."""
    costs = _parse_entries(text, COSTS)
    return {parse_pair(key, text): _parse_bounds(cost, COST) for key, cost in costs.items()}


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
        raise InputError(argument, "name truth>prediction", repr(text), _hint(COSTS))
    return names[0], names[1]


def _parse_priors(text: str) -> str | dict[str, Any]:
    if text.strip().lower() == OBSERVED:
        return OBSERVED
    shares = _parse_entries(text, PRIORS)
    return {name: _parse_bounds(share, SHARE) for name, share in shares.items()}


def _parse_entries(text: str, about: QuestionField) -> dict[str, str]:
    found = list(ENTRY.finditer(text))
    if not found or "".join(each.group() for each in found) != text:
        raise InputError(about.name, f"have the form {FORMS[about.name]}", repr(text), _hint(about))
    _check_once((each["key"] for each in found), about.name)
    return {each["key"]: each["value"] for each in found}


def _parse_bounds(text: str, about: QuestionField) -> Any:
    bounds = parse_interval(text, is_share=about.is_share)
    if bounds is None:
        raise InputError(about.name, "hold numbers or intervals", repr(text.strip()), _hint(about))
    return bounds


def _hint(about: QuestionField) -> Hint:
    text = f"For example: {about.example}."
    typed = f"For example: '{about.example}', in quotes, because shells read > otherwise."
    return Hint(text, cli=typed if about.kind == "costs" else text, http=text)


def _check_names(names: Iterable[str]) -> None:
    known = [each.name for each in FIELDS]
    for name in names:
        if name not in known:
            raise unknown_option(name[:80], known, "a question")


def _check_once(keys: Iterable[Any], argument: str) -> None:
    twice = find_duplicates(map(str, keys))
    if twice:
        raise InputError(argument, "state each value once", f"{format_list(twice)} twice")


def _costs_of_entries(entries: Any) -> dict[Pair, Any]:
    """Return costs from a list of [truth, prediction, cost]."""
    if not isinstance(entries, list | tuple) or not all(
        isinstance(entry, list | tuple) and len(entry) == 3 for entry in entries
    ):
        hint = 'For example: [["ill", "well", 20], ["well", "ill", 1]].'
        raise InputError("costs", "be a list of truth, prediction and cost", repr(entries), hint)
    _check_once([(truth, prediction) for truth, prediction, _ in entries], "costs")
    return {(truth, prediction): cost for truth, prediction, cost in entries}


def _as_costs(costs: Mapping[Pair, Bounds]) -> dict[Pair, Any]:
    for pair in as_mapping(costs, "costs", "(truth, prediction) to costs"):
        check_pair(pair, "costs")
    return {
        pair: as_value(cost, COST._replace(name=f"costs[{pair[0]!r}, {pair[1]!r}]"))
        for pair, cost in costs.items()
    }


def _as_shares(priors: Mapping[Label, Bounds] | str) -> str | dict[Label, Any]:
    if isinstance(priors, str) and priors == OBSERVED:
        return OBSERVED
    shares = as_mapping(priors, "priors", "every class to its share, or be 'observed'")
    return {
        name: as_value(share, SHARE._replace(name=f"priors[{name!r}]"))
        for name, share in shares.items()
    }


def _plain(value: Bounds) -> Any:
    return list(value) if isinstance(value, Interval) else value
