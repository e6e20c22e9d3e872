"""A decision rule for each group: in words, as JSON, Python and SQL."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import AnyArray, Columns, IntArray, Label
from rocch.errors import Hint, InputError, format_count
from rocch.hybrid.coin import DialectName, SqlWriter
from rocch.hybrid.expression import Expression
from rocch.hybrid.rule import Rule, rename_columns
from rocch.inputs import as_array, as_columns, as_mapping, as_text, check_known, check_length
from rocch.labels import (
    as_label_array,
    check_unambiguous,
    distinct_labels,
    is_missing,
    labels_by_type,
)
from rocch.results import Table, Tabular

VERSION = 1

NUMPY = "import numpy as np\n\n"


def places_of_groups(
    groups: ArrayLike, known: Sequence[Label], unknown: Label | None, argument: str = "groups"
) -> IntArray:
    """Return the place of each row's group.

    Unknown and missing groups are refused, or become `unknown`.
    """
    given = as_array(groups, argument)
    places = {name: place for place, name in enumerate(known)}
    names = given.tolist()
    if unknown is None:
        hint = f"Name the group whose rule decides them where it is made: unknown={known[0]!r}."
        present = distinct_labels(given, argument, hint)
        check_known(present, places, argument, "groups with a rule")
    else:
        present = labels_by_type([name for name in names if not is_missing(name)], argument)
        check_unambiguous(present, argument)
    other = places.get(unknown, -1)
    return np.array([places.get(name, other) for name in names])


@dataclass(frozen=True, slots=True, repr=False)
class GroupedRule(Tabular):
    """When to predict the positive class, for each group.

    Attributes
    ----------
    rules
        The rule of each group.
    group
        The column of groups.
    unknown
        The group whose rule decides rows of unknown or missing groups; if None, these are refused.
    """

    KEY: ClassVar[str] = "rocch_grouped_rule"

    rules: Mapping[Any, Rule]
    group: str = "group"
    unknown: Label | None = None

    def __post_init__(self) -> None:
        as_text(self.group, "group")
        hint = Hint("For example: {'DE': rule, 'FR': other_rule}.")
        as_mapping(self.rules, "rules", "groups to rules", hint=hint)
        labels = {(rule.positive, rule.negative) for rule in self.rules.values()}
        if len(labels) > 1:
            got = " and ".join(f"{yes!r}, {no!r}" for yes, no in sorted(labels, key=repr))
            raise InputError("rules", "predict the same two labels", got)
        if self.unknown is not None:
            check_known([self.unknown], self.rules, "unknown", "groups with a rule")

    def __repr__(self) -> str:
        return f"<GroupedRule of {format_count(len(self.rules), 'group')}>"

    def __str__(self) -> str:
        return self.words

    def _title(self) -> str:
        return f"one rule for each {self.group}"

    def _columns(self) -> Table:
        return {self.group: list(self.rules), "rule": list(map(str, self.rules.values()))}

    @property
    def words(self) -> str:
        """The rules in plain words, one line for each group."""
        lines = [f"for {self.group} = {name!r}: {rule}" for name, rule in self.rules.items()]
        if self.unknown is not None:
            lines.append(f"for any other or no {self.group}: as for {self.unknown!r}")
        return "\n".join(lines)

    @property
    def has_coin(self) -> bool:
        """Whether any rule needs a coin."""
        return any(rule.has_coin for rule in self.rules.values())

    @property
    def positive(self) -> Label:
        """The label of the positive class."""
        return self._first.positive

    @property
    def negative(self) -> Label:
        """The label of the negative class."""
        return self._first.negative

    @property
    def row_key(self) -> str | None:
        """The coin's column of row keys."""
        return next((rule.row_key for rule in self.rules.values() if rule.has_coin), None)

    @property
    def _first(self) -> Rule:
        return next(iter(self.rules.values()))

    @property
    def parts(self) -> tuple[Expression, ...]:
        """The conditions of all rules."""
        return tuple(part for rule in self.rules.values() for part in rule.parts)

    @property
    def models(self) -> tuple[str, ...]:
        """The models needed."""
        return tuple(dict.fromkeys(name for rule in self.rules.values() for name in rule.models))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, with exact numbers."""
        return {
            self.KEY: VERSION,
            "words": self.words,
            "group": self.group,
            "unknown": self.unknown,
            "rules": [{"group": name, "rule": r.to_dict()} for name, r in self.rules.items()],
        }

    def to_json(self) -> str:
        """Return JSON."""
        return json.dumps(self.to_dict(), allow_nan=False)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> GroupedRule:
        """Read the result of `to_dict`."""
        try:
            if data[cls.KEY] != VERSION:
                raise KeyError(cls.KEY)
            rules = {each["group"]: Rule.for_two_classes(each["rule"]) for each in data["rules"]}
            return cls(rules, data["group"], data["unknown"])
        except (KeyError, TypeError) as error:
            hint = Hint("Write it with to_dict or to_json.")
            requirement = f"be a grouped rule of version {VERSION}"
            raise InputError("rule", requirement, f"one without {error}", hint) from error

    def to_sql(
        self,
        *,
        columns: Mapping[str, str] | None = None,
        row_key: str | None = None,
        dialect: DialectName = "standard",
    ) -> str:
        """Return the rules as an SQL `CASE` over the column of groups.

        Parameters are those of `Rule.to_sql`. Without `unknown`, rows get NULL if their group is
        NULL, or if it has no rule.
        """
        names = self.column_names(columns)
        writer = SqlWriter.of(dialect, {})
        column = writer.column(self.group)
        texts = {}
        for name, rule in self.rules.items():
            own = {model: names[model] for model in rule.models}
            texts[name] = rule.to_sql(columns=own, row_key=row_key, dialect=dialect)
        cases = [f"WHEN {column} = {writer.label(n)} THEN {text}" for n, text in texts.items()]
        if self.unknown is not None:
            cases.append(f"ELSE {texts[self.unknown]}")
        return f"CASE {' '.join(cases)} END"

    def to_python(self, *, row_key: str | None = None) -> str:
        """Return the rules as Python code on a data frame `rows`, with the column of groups.

        Rows of groups without a rule get None.
        """
        texts = [f"import hashlib\n\n{NUMPY}" if self.has_coin else NUMPY, "by_group = {}\n"]
        for name, rule in self.rules.items():
            text = rule.to_python(row_key=row_key).removeprefix("import hashlib\n\n")
            texts.append(f"{text.removeprefix(NUMPY)}\nby_group[{name!r}] = predictions\n")
        default = "None" if self.unknown is None else f"by_group[{self.unknown!r}]"
        own = f"[np.asarray(rows[{self.group!r}] == name) for name in by_group]"
        last = f"predictions = np.select({own}, [*by_group.values()], {default})"
        return "".join([*texts, last])

    def column_names(self, columns: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the column of each model, by default of the same name."""
        return rename_columns(self.models, columns, "models of the rule")

    def decide(
        self,
        scores: Columns,
        groups: ArrayLike | None = None,
        *,
        row_key: ArrayLike | Sequence[Label] | None = None,
    ) -> AnyArray:
        """Decide rows from scores, as a mapping from models or a data frame.

        `groups` are the groups of the rows, by default the column of groups; `row_key` is as for
        `Rule.decide`.
        """
        table = as_columns(scores)
        if groups is None:
            check_known([self.group], table, "groups", "columns")
            groups = table[self.group]
        names = list(self.rules)
        which = places_of_groups(groups, names, self.unknown)
        arrays = {m: as_array(table[m], f"scores[{m!r}]") for m in self.models if m in table}
        for model, array in arrays.items():
            check_length(array.size, which.size, f"scores[{model!r}]")
        if row_key is None:
            row_key = table.get(self.row_key or "")
        keys = None if row_key is None else as_array(row_key, "row_key")
        decisions = np.empty(which.size, dtype=object)
        for place, rule in enumerate(self.rules.values()):
            own = np.flatnonzero(which == place)
            if not own.size:
                continue
            if not rule.models:  # a constant still needs to know how many rows there are
                columns: dict[str, Any] = {"": np.zeros(own.size)}
            else:
                columns = {m: arrays[m][own] for m in rule.models if m in arrays}
            decisions[own] = rule.decide(columns, row_key=None if keys is None else keys[own])
        labels = as_label_array([self.negative, self.positive])
        return np.asarray(decisions, dtype=labels.dtype)
