"""The fields of questions: how each is checked, typed, written and put into words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Self

from rocch.errors import InputError, describe_type, unknown_option
from rocch.inputs import as_flag, as_level, as_number, is_number
from rocch.numbers import parse_interval, per_100, significant
from rocch.roc.conditions import OBSERVED, Interval
from rocch.roc.criteria import METRICS, as_metric
from rocch.roc.question_table import AMOUNTS, FieldData, known_names, metric_text

# Beyond it, sums of costs could overflow.
MOST = 1e100

# The longest unit of money.
LONGEST_TEXT = 12


class QuestionField(FieldData):
    """A field of a question: how it is checked, typed, written and put into words."""

    __slots__ = ()

    @property
    def is_interval(self) -> bool:
        """Whether the field may be an interval."""
        return self.kind in ("shares", "range", "ratio")

    @property
    def is_share(self) -> bool:
        """Whether the field lies between 0 and 1, and may be written in percent."""
        return self.kind in ("share", "shares")

    def json_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the field."""
        number: dict[str, Any] = {"type": "number", "minimum": 0}
        if self.is_share:
            number["maximum"] = 1
        if self.name == "confidence":
            number = {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}
        about = {"description": self.help} if self.help else {}
        if self.kind == "metric":
            return {"enum": known_names(METRICS), **about}
        if self.kind == "flag":
            return {"type": "boolean", **about}
        if self.kind == "text":
            return {"type": "string", "minLength": 1, "maxLength": LONGEST_TEXT, **about}
        if not self.is_interval:
            return {**number, **about}
        pair = {"type": "array", "prefixItems": [number, number], "minItems": 2, "maxItems": 2}
        kinds: list[dict[str, Any]] = [number, pair]
        if self.kind == "ratio":
            kinds.append({**pair, "prefixItems": [number, {"const": "inf"}]})
        if self.name == "prevalence":
            kinds.append({"const": OBSERVED})
        return {"anyOf": kinds, **about}

    def check(self, value: Any) -> Any:
        """Return the value of the field, checked; equal bounds become one number."""
        if self.kind == "flag":
            return as_flag(value, self.name)
        if self.kind == "text":
            if not isinstance(value, str) or not value.strip() or not value.isprintable():
                raise InputError(
                    self.name, "be a word", repr(value), f"For example {self.example}."
                )
            if len(value.strip()) > LONGEST_TEXT:
                limit = f"have at most {LONGEST_TEXT} characters"
                raise InputError(self.name, limit, f"{len(value)} characters")
            return value.strip()
        if self.kind == "metric":
            return as_metric(value, self.name)
        if self.name == "prevalence" and isinstance(value, str) and value == OBSERVED:
            return OBSERVED
        if isinstance(value, str):
            value = self.parse(value)
        if self.name == "confidence":
            return as_level(value)
        ends = value if self.is_interval and isinstance(value, tuple | list) else (value, value)
        if self.kind == "ratio" and len(ends) == 2 and ends[1] == "inf":
            ends = (ends[0], math.inf)
        if len(ends) != 2 or not all(map(is_number, ends)):
            raise self._not_a_value(repr(value))
        low, high = map(_as_float, ends)
        hint = self._percent_hint(low, high)
        for end in {low, high}:
            if end == math.inf and self.kind == "ratio" and low < high:
                continue
            most = 1 if self.is_share else MOST if MOST < end < math.inf else None
            number: Any = int(end) if abs(end) < MOST and end == int(end) else end  # 5, not 5.0
            as_number(number, self.name, least=0, most=most, hint=hint)
        if low > high:
            raise InputError(self.name, "run from low to high", (low, high), "Swap the two.")
        return simple(Interval(low, high))

    def _percent_hint(self, low: float, high: float) -> str:
        if not self.is_share:
            return ""
        if not 1 < high <= 100:
            return "It is a share, from 0 to 1."
        percent = f"{low:g}%" if low == high else f"{low:g} to {high:g}%"
        share = f"{low / 100:g}" if low == high else f"{low / 100:g} to {high / 100:g}"
        return f"It is a share, so {percent} is {share}."

    def parse(self, text: str) -> Any:
        """Read the field as people type it."""
        given = text.strip()
        if self.kind == "text":
            return given
        if self.kind == "flag":
            answers = dict.fromkeys(("true", "yes", "1"), True)
            answers |= dict.fromkeys(("false", "no", "0"), False)
            if given.lower() not in answers:
                raise InputError(self.name, "be true or false", repr(text))
            return answers[given.lower()]
        if self.kind == "metric":
            return given.lower().replace("-", "_").replace(" ", "_")
        if self.name == "prevalence" and given.lower() == OBSERVED:
            return OBSERVED
        found = parse_interval(given, is_share=self.is_share)
        if found is None or (isinstance(found, tuple) and not self.is_interval):
            raise self._not_a_value(repr(text), given)
        high = found[1] if isinstance(found, tuple) else found
        if self.is_share and "%" in given and high > 1:
            raise InputError(self.name, "be at most 100%", repr(text))
        return found

    def _not_a_value(self, got: str, typed: str | None = None) -> InputError:
        kinds = ["a number"]
        if self.is_interval:
            kinds.append("an interval")
        if self.name == "prevalence":
            kinds.append("'observed'")
        hint = f"For example: {self.example}." if typed is not None else ""
        values = {}
        if typed is None and self.is_interval:
            hint = "For example: {one}, or {several}."
            one, several = (0.1, (0.1, 0.2)) if self.is_share else (10, (10, 20))
            values = {"one": one, "several": several}
        *first, last = kinds
        kind = f"{', '.join(first)} or {last}" if first else last
        return InputError(self.name, f"be {kind}", got, hint, **values)

    def describe(self, value: Any) -> str:
        """Return the field with its value in words."""
        if value == OBSERVED and self.name == "prevalence":
            return "as many positives as in the evaluation rows"
        if isinstance(value, str):
            return self.phrase.format(metric_text(value) if self.kind == "metric" else value)
        if self.kind == "flag":
            return self.phrase
        low, high = ends_of(value)
        if math.isinf(high):
            return self.phrase.format(f"at least {significant(low, 6)}")
        texts = [per_100(end, 3) if self.is_share else significant(end, 6) for end in (low, high)]
        return self.phrase.format(texts[0] if texts[0] == texts[1] else " to ".join(texts))

    def to_plain(self, value: Any) -> Any:
        """Return the value as plain data for JSON."""
        if isinstance(value, Interval):
            return ["inf" if math.isinf(end) else end for end in value]
        return value

    def from_plain(self, data: Any) -> Any:
        """Read the result of `to_plain`, unchecked."""
        return data


@dataclass(frozen=True, kw_only=True)
class BaseQuestion:
    """What all questions can do with their fields."""

    table: ClassVar[tuple[FieldData, ...]] = ()
    # classes of fields by their kind, where these need one of their own
    kinds: ClassVar[dict[str, type[QuestionField]]] = {}

    def __post_init__(self) -> None:
        for each in self.given_fields:
            object.__setattr__(self, each.name, each.check(getattr(self, each.name)))

    @classmethod
    @cache
    def fields(cls) -> tuple[QuestionField, ...]:
        """Return the fields, for surfaces that show or take them."""
        return tuple(cls.kinds.get(each.kind, QuestionField)(*each) for each in cls.table)

    @classmethod
    def json_schema(cls) -> dict[str, Any]:
        """Return the JSON Schema of `to_dict`.

        Examples
        --------
        >>> import rocch
        >>> rocch.Question.json_schema()["properties"]["max_fpr"]["maximum"]
        1
        >>> sorted(rocch.multiclass.ClassQuestion.json_schema()["properties"])
        ['costs', 'default_cost', 'priors']
        """
        return {
            "type": "object",
            "properties": {each.name: each.json_schema() for each in cls.fields()},
            "additionalProperties": False,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read the result of `to_dict`; unknown names are refused."""
        if not isinstance(data, Mapping):
            raise InputError("question", "be an object with fields", describe_type(data))
        known = cls._known(data)
        given = {name: value for name, value in data.items() if value is not None}
        return cls(**{name: known[name].from_plain(value) for name, value in given.items()})

    @classmethod
    def from_strings(cls, texts: Mapping[str, str]) -> Self:
        """Read fields as people type them, as described above."""
        known = cls._known(texts)
        for name, text in texts.items():
            if not isinstance(text, str):
                raise InputError(name, "be a text", describe_type(text))
        return cls(**{name: known[name].parse(text) for name, text in texts.items()})

    @classmethod
    def _known(cls, names: Iterable[Any]) -> dict[str, QuestionField]:
        """Return the fields by name; refuse other names."""
        known = {each.name: each for each in cls.fields()}
        for name in names:
            if name not in known:
                raise unknown_option(str(name)[:80], known, "question", "have known fields only")
        return known

    @property
    def given(self) -> dict[str, Any]:
        """The fields that are set, by name."""
        return {each.name: getattr(self, each.name) for each in self.given_fields}

    @property
    def given_fields(self) -> tuple[QuestionField, ...]:
        """The fields that are set."""
        values = ((each, getattr(self, each.name)) for each in self.fields())
        return tuple(each for each, value in values if value is not None and value is not False)

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={_show(value)}" for name, value in self.given.items())
        return f"{type(self).__name__}({given})"

    def __bool__(self) -> bool:
        """Whether anything is stated but a coin and how amounts are written."""
        return bool(set(self.given) - {"randomize", *AMOUNTS})

    def to_dict(self) -> dict[str, Any]:
        """Return the fields that are set as plain data for JSON."""
        return {e.name: e.to_plain(getattr(self, e.name)) for e in self.given_fields}

    def describe(self) -> str:
        """Return the question in words."""
        return ", ".join(self._phrases())

    def _phrases(self) -> Iterator[str]:
        return (each.describe(getattr(self, each.name)) for each in self.given_fields)


def _show(value: Any) -> str:
    return repr(tuple(value) if isinstance(value, Interval) else value)


def _as_float(number: Any) -> float:
    try:
        return float(number)
    except OverflowError:  # an integer beyond all floats
        return math.inf


def ends_of(value: Any) -> Interval:
    """Return a number or an interval as an interval."""
    return value if isinstance(value, Interval) else Interval(value, value)


def simple(interval: Interval) -> float | Interval:
    """Return an interval of equal ends as one number."""
    return interval.low if interval.exact else interval
