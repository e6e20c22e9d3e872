"""How one of several classes is predicted: in words, as Python and as SQL."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from rocch.arrays import AnyArray, Columns, Label
from rocch.errors import Hint, InputError, escape_controls, escape_line, format_list
from rocch.hybrid.coin import DialectName, SqlWriter
from rocch.hybrid.rule import rename_columns
from rocch.inputs import as_array, as_columns, check_known
from rocch.kernels.assignment import least_cost
from rocch.labels import as_label_array
from rocch.multiclass.classes import Classes, as_probabilities
from rocch.numbers import format_number
from rocch.results import (
    Result,
)
from rocch.templates import Slot, Template

VERSION = 1

RuleKind = Literal[
    "always",
    "own_predictions",
    "most_likely_class",
    "least_expected_cost",
    "least_weighted_sum",
]
KINDS: tuple[RuleKind, ...] = get_args(RuleKind)

WRITER = SqlWriter()
# How each kind of text writes a class, and a model.
WRITERS: dict[str, tuple[Callable[[Any], str], Callable[[Any], str]]] = {
    "words": (str, str),
    "python": (repr, escape_line),
    "sql": (WRITER.label, WRITER.column),
}


def sql_double(value: float) -> str:
    """Write a number so that databases calculate in double precision with it, as Python does.

    Examples
    --------
    >>> from rocch.hybrid.multiclass_rule import sql_double
    >>> sql_double(20.0), sql_double(2.5e-7)
    ('20e0', '2.5e-7')
    """
    text = format_number(value)
    return text if "e" in text else f"{text}e0"


# How each kind of text writes a cost.
NUMBERS = {"words": format_number, "python": format_number, "sql": sql_double}


def errors_cost_alike(costs: tuple[float, ...]) -> bool:
    """Return whether all errors cost the same, so that the most likely class is the cheapest.

    Examples
    --------
    >>> from rocch.hybrid.multiclass_rule import errors_cost_alike
    >>> errors_cost_alike((0, 1, 1, 0)), errors_cost_alike((0, 2, 1, 0))
    (True, False)
    """
    size = round(len(costs) ** 0.5)
    correct = {cost for place, cost in enumerate(costs) if not place % (size + 1)}
    errors = {cost for place, cost in enumerate(costs) if place % (size + 1)}
    return correct == {0.0} and len(errors) == 1


def rule_kind(costs: tuple[float, ...] | None, *, adjusted: bool = False) -> RuleKind:
    """Return how a model predicts by costs, by weights that are none, or by itself."""
    if costs is None:
        return "own_predictions"
    if errors_cost_alike(costs):
        return "most_likely_class"
    return "least_weighted_sum" if adjusted else "least_expected_cost"


@dataclass(frozen=True, slots=True, repr=False)
class MulticlassRule(Result):
    """How to predict one of several classes.

    Attributes
    ----------
    classes
        The classes, in the order of a model's probabilities.
    model
        The model's name.
    costs
        The costs by which it predicts, row by row: true classes in rows, predictions in columns.
        None for the model's own predictions.
    always
        The class to predict for every row, without a model.
    adjusted
        Whether `costs` are weights that were found on the evaluation rows, as those of members of a
        surface are, and not the costs of errors.

    Examples
    --------
    >>> from rocch.hybrid import MulticlassRule
    >>> rule = MulticlassRule(("ill", "well"), "nb", costs=(0, 20, 1, 0))
    >>> print(rule.to_python())
    import numpy as np
    <BLANKLINE>
    classes = np.array(['ill', 'well'])
    costs = np.array([  # true classes in rows, predictions in columns
        [0, 20],
        [1, 0],
    ])
    probabilities = model.predict_proba(X)  # nb, in this order
    expected_costs = sum(probabilities[:, [k]] * row for k, row in enumerate(costs))
    predictions = classes[expected_costs.argmin(axis=1)]
    >>> rule.decide([[0.01, 0.99], [0.1, 0.9]]).tolist()
    ['well', 'ill']
    """

    KEY: ClassVar[str] = "rocch_multiclass_rule"

    classes: tuple[Label, ...]
    model: str = ""
    costs: tuple[float, ...] | None = None
    always: Label | None = None
    adjusted: bool = False

    def __post_init__(self) -> None:
        cells = len(self.classes) ** 2
        if self.costs is not None and len(self.costs) != cells:
            requirement = f"have {cells} cells for {len(self.classes)} classes"
            raise InputError("costs", requirement, f"{len(self.costs)}")
        if self.always is not None:
            check_known([self.always], self.classes, "always", "classes")

    def __str__(self) -> str:
        return self.words

    @property
    def kind(self) -> RuleKind:
        """What the rule predicts."""
        if self.always is not None:
            return "always"
        return rule_kind(self.costs, adjusted=self.adjusted)

    @property
    def words(self) -> str:
        """The rule in plain words."""
        return self._write("words")

    @property
    def models(self) -> tuple[str, ...]:
        """The models needed."""
        return () if self.always is not None else (self.model,)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, with exact numbers; each cost says of which error it is."""
        pairs = [(truth, prediction) for truth in self.classes for prediction in self.classes]
        costs = None
        if self.costs is not None:
            costs = [
                {"truth": truth, "prediction": prediction, "cost": cost}
                for (truth, prediction), cost in zip(pairs, self.costs, strict=True)
            ]
        return {
            self.KEY: VERSION,
            "words": self.words,
            "classes": list(self.classes),
            "model": self.model,
            "costs": costs,
            "adjusted": self.adjusted,
            "always": self.always,
        }

    def to_json(self) -> str:
        """Return JSON."""
        return json.dumps(self.to_dict(), allow_nan=False)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> MulticlassRule:
        """Read the result of `to_dict`."""
        version = data.get(cls.KEY) if isinstance(data, Mapping) else None
        try:
            if version != VERSION:
                raise KeyError(cls.KEY)
            classes, costs = tuple(data["classes"]), None
            if data["costs"] is not None:
                known = {
                    (each["truth"], each["prediction"]): each["cost"] for each in data["costs"]
                }
                costs = tuple(
                    known[truth, prediction] for truth in classes for prediction in classes
                )
            return cls(classes, data["model"], costs, data["always"], data["adjusted"])
        except (KeyError, TypeError) as error:
            hint = Hint("Write it with to_dict or to_json.")
            requirement = f"be a rule for several classes of version {VERSION}"
            raise InputError("rule", requirement, f"one without {error}", hint) from error

    def decide(self, scores: Columns) -> AnyArray:
        """Predict the classes of rows from the model's probabilities, one column for each class.

        Data frames and mappings may have other columns, too. A model's own predictions are a column
        of its name.
        """
        labels = as_label_array(list(self.classes))
        if self.kind == "own_predictions":
            columns = as_columns(scores)
            check_known([self.model], columns, "scores", "columns")
            return as_array(columns[self.model], f"scores[{self.model!r}]")
        classes = Classes.of(self.classes)
        if isinstance(scores, Mapping) or hasattr(scores, "columns"):
            columns, names = as_columns(scores), [str(name) for name in classes]
            absent = [name for name in names if name not in columns]
            if absent:
                got = f"none for {format_list(absent)}"
                raise InputError("scores", "have a column of probabilities for each class", got)
            scores = {name: columns[name] for name in names}
        probabilities = as_probabilities(scores, classes, argument="scores")
        if self.always is not None:
            places = np.full(len(probabilities), self.classes.index(self.always))
            return np.asarray(labels[places])
        costs = np.reshape(np.array(self.costs, dtype=float), (len(classes), len(classes)))
        return np.asarray(labels[least_cost(probabilities, costs)])

    def to_python(self) -> str:
        """Return the rule as Python code, for a fitted `model` and the rows `X`."""
        return self._write("python")

    def to_sql(
        self,
        *,
        columns: Mapping[str, str] | None = None,
        dialect: DialectName = "standard",
    ) -> str:
        """Return the rule as an SQL `CASE` over the columns of the classes' probabilities.

        It predicts as `decide` does, ties included, and rows with a missing probability get NULL.
        For a model's own predictions it is the column of the model's name.

        Parameters
        ----------
        columns
            Columns by class (or model); by default of the same names.
        dialect
            Standard SQL has no NaN: replace it by NULL. SQLite needs `"sqlite"`, because it calls
            the function LEAST otherwise.

        Examples
        --------
        >>> from rocch.hybrid import MulticlassRule
        >>> rule = MulticlassRule(("ill", "well"), "nb", costs=(0, 20, 1, 0))
        >>> print(rule.to_sql(columns={"ill": "p_ill", "well": "p_well"}))
        CASE LEAST(
            0e0 * "p_ill" + 1e0 * "p_well",
            20e0 * "p_ill" + 0e0 * "p_well"
          )
          WHEN 0e0 * "p_ill" + 1e0 * "p_well" THEN 'ill'
          WHEN 20e0 * "p_ill" + 0e0 * "p_well" THEN 'well'
        END
        """
        return self._write("sql", SqlWriter.of(dialect, self.column_names(columns)))

    def column_names(self, columns: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the column of each class's probabilities, or of the model's own predictions."""
        own = self.models if self.kind == "own_predictions" else tuple(map(str, self.classes))
        return rename_columns(own, columns, "classes of the rule")

    def _write(self, text: str, writer: SqlWriter | None = None) -> str:
        write_class, write_model = WRITERS[text]
        model = self.model
        if writer is not None:
            write_class, write_model = writer.label, writer.column
            model = writer.names.get(model, model)
        size = len(self.classes)
        values = {
            _cell(*divmod(place, size)).name: NUMBERS[text](cost)
            for place, cost in enumerate(self.costs or ())
        }
        values |= {"class": write_class(self.always), "model": write_model(model)}
        return _template(self.kind, text, self.classes, writer).fill(values)


@dataclass(frozen=True, slots=True)
class MulticlassRuleTemplates:
    """The texts of `MulticlassRule` for every class, model and cost matrix, with slots.

    Attributes
    ----------
    classes
        The classes, in the order of the models' probabilities.
    models
        The models' names.

    Examples
    --------
    >>> from rocch.hybrid import MulticlassRuleTemplates
    >>> texts = MulticlassRuleTemplates(("ill", "well"), ("nb",)).to_dict()
    >>> texts["rules"]["always"]["python"], texts["classes"][0]["python"]
    (['predictions = [', 'class', '] * len(X)'], "'ill'")
    """

    classes: tuple[Label, ...]
    models: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data.

        Each template is a list of literal texts and names of slots by turns; costs have the slots
        `cost_0_1` and so on, by the places of the true class and the predicted one.
        """
        return {
            "rules": {
                kind: {text: _template(kind, text, self.classes).to_list() for text in WRITERS}
                for kind in KINDS
            },
            "classes": [_written(name, 0) for name in self.classes],
            "models": [_written(name, 1) for name in self.models],
        }


def _written(name: Label, writer: int) -> dict[str, str]:
    """Return a class or a model as each kind of text writes it."""
    texts = {text: writers[writer](name) for text, writers in WRITERS.items()}
    return {**texts, "words": escape_controls(texts["words"])}


def _template(
    kind: RuleKind, text: str, classes: tuple[Label, ...], writer: SqlWriter | None = None
) -> Template:
    if text in FIXED[kind]:
        return Template.parse(FIXED[kind][text])
    if text == "python":
        return _python(kind, classes)
    found = _sql(classes, writer or SqlWriter.of("standard", _same_names(classes)))
    return Template.of(f"/* {ADJUSTED} */ ", found) if kind == "least_weighted_sum" else found


def _same_names(classes: tuple[Label, ...]) -> dict[str, str]:
    return {str(name): str(name) for name in classes}


ADJUSTED = "weights found on the evaluation rows, not your costs"

# The texts that are the same for all classes.
FIXED: dict[RuleKind, dict[str, str]] = {
    "always": {
        "words": "Predict {class} for every row.",
        "python": "predictions = [{class}] * len(X)",
        "sql": "{class}",
    },
    "own_predictions": {
        "words": "Use the predictions of {model} as they are.",
        "python": "predictions = model.predict(X)  # {model}",
        "sql": "{model}",
    },
    "most_likely_class": {
        "words": "Predict the class to which {model} gives the largest probability."
    },
    "least_expected_cost": {
        "words": "Take the probabilities that {model} gives to all classes. The expected cost of "
        "predicting a class is the sum, over all true classes, of the probability times the cost. "
        "Predict the class of the least expected cost."
    },
    "least_weighted_sum": {
        "words": "Take the probabilities that {model} gives to all classes. Every prediction has a "
        "sum, over all true classes, of the probability times a weight. Predict the class of the "
        "least sum. The weights were found on the evaluation rows; they are not your costs."
    },
}


def _python(kind: RuleKind, classes: tuple[Label, ...]) -> Template:
    start = f"import numpy as np\n\nclasses = np.array([{', '.join(map(repr, classes))}])\n"
    probabilities = Template.parse(
        "probabilities = model.predict_proba(X)  # {model}, in this order\n"
    )
    if kind == "most_likely_class":
        last = "predictions = classes[probabilities.argmax(axis=1)]"
        return Template.of(start, probabilities, last)
    places = range(len(classes))
    rows = [
        Template.of("    [", *_join([_cell(row, column) for column in places], ", "), "],\n")
        for row in places
    ]
    numbers, sums, note = "costs", "expected_costs", ""
    if kind == "least_weighted_sum":
        numbers, sums, note = "weights", "sums", f"# {ADJUSTED}\n"
    return Template.of(
        f"{start}{note}{numbers} = np.array([  # true classes in rows, predictions in columns\n",
        *rows,
        "])\n",
        probabilities,
        f"{sums} = sum(probabilities[:, [k]] * row for k, row in enumerate({numbers}))\n"
        f"predictions = classes[{sums}.argmin(axis=1)]",
    )


def _sql(classes: tuple[Label, ...], writer: SqlWriter) -> Template:
    """Write the class whose expected cost is the least; of equals the first.

    Every sum has every column, in the order of `least_cost`, so that a missing probability leaves
    no least one, and sums are rounded as there.
    """
    columns = [writer.labels(str(name)) for name in classes]
    sums = [Template.of(*_expected_cost(place, columns)) for place in range(len(classes))]
    nan = f"\n  WHEN {writer.number(math.nan)} THEN NULL" if writer.nan_is_greatest else ""
    cases = [
        Template.of("\n  WHEN ", cost, f" THEN {writer.label(name)}")
        for cost, name in zip(sums, classes, strict=True)
    ]
    least = _join(sums, ",\n    ")
    return Template.of(f"CASE {writer.least}(\n    ", *least, f"\n  ){nan}", *cases, "\nEND")


def _expected_cost(prediction: int, columns: Sequence[str]) -> list[str | Slot | Template]:
    terms = [
        Template.of(_cell(truth, prediction), f" * {column}")
        for truth, column in enumerate(columns)
    ]
    return _join(terms, " + ")


def _cell(truth: int, prediction: int) -> Slot:
    return Slot(f"cost_{truth}_{prediction}")


def _join(parts: list[Slot] | list[Template], between: str) -> list[str | Slot | Template]:
    return [each for part in parts for each in (between, part)][1:]
