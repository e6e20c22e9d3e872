"""How to deploy an answer: its rule in plain words, as Python and as SQL.

`page/words.js` writes the same for every turn of a knob; both must agree to the letter.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Literal

from rocch.hybrid.coin import hex_limit
from rocch.report.numbers import fixed, significant
from rocch.report.words import named, setting

if TYPE_CHECKING:
    from rocch.report.summary import Answer, Data, Part

NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")
"""A label that is a number; 007 is none, in Python not even a syntax."""

TRUTH = {"true": "TRUE", "false": "FALSE"}
COIN_DIGITS = 6
"""A coin's probability is written with so many decimals, which no sample could tell from more."""

COIN = (
    "substr(encode(sha256(convert_to('0:' || CAST(\"row_id\" AS VARCHAR), 'UTF8')), 'hex'), 1, 13)"
)
"""The coin of a row, as `rocch.Rule` makes it with the seed 0."""


def plain(answer: Answer, data: Data) -> str:
    """Say when to answer with the positive label."""
    texts = [f"answer {data.positive} {_when(part)}" for part in answer.parts]
    if len(texts) == 1:
        return f"{texts[0][0].upper()}{texts[0][1:]}, otherwise {data.negative}."
    share = significant(answer.parts[0].probability, COIN_DIGITS)
    return f"With probability {share} {texts[0]}, otherwise {texts[1]}; else {data.negative}."


def _when(part: Part) -> str:
    if part.kind in ("never", "always"):
        return "for no row" if part.kind == "never" else "for every row"
    if part.kind == "scores":
        return f"when the score of {named(part.classifier)} is at least {part.threshold}"
    return f"when {setting(part).removeprefix('use ')} does"


def python(answer: Answer, data: Data) -> str:
    """Write the rule as Python on a data frame `rows` with a column for each classifier."""
    conditions = [_python_condition(part, data) for part in answer.parts]
    lines = ["import numpy as np", "", "# rows whose score is missing need an answer of their own"]
    if len(conditions) == 1:
        lines.append(f"alarm = {conditions[0]}")
    else:
        share = fixed(answer.parts[1].probability, COIN_DIGITS)
        lines += [
            "# a coin for each row; rocch.Rule makes one of the row's key, which stays the same",
            "coin = np.random.default_rng(0).random(len(rows))",
            f"alarm = np.where(coin < {share}, {conditions[1]}, {conditions[0]})",
        ]
    yes, no = _python_label(data.positive, data), _python_label(data.negative, data)
    return "\n".join([*lines, f"answers = np.where(alarm, {yes}, {no})"])


def _python_condition(part: Part, data: Data) -> str:
    if part.kind in ("never", "always"):
        return f"np.{'zeros' if part.kind == 'never' else 'ones'}(len(rows), dtype=bool)"
    column = f"rows[{json.dumps(part.classifier, ensure_ascii=False)}]"
    if part.kind == "labels":
        return f"{column} == {_python_label(data.positive, data)}"
    endless = f'float("{part.threshold}")'
    return f"{column} >= {endless if 'inf' in part.threshold else part.threshold}"


def _python_label(label: str, data: Data) -> str:
    kind = _label_kind(data)
    if kind == "truth":
        return label.lower().capitalize()
    return label if kind == "number" else json.dumps(label, ensure_ascii=False)


def _label_kind(data: Data) -> Literal["truth", "number", "text"]:
    """Say what both labels are; answers must be of one kind."""
    labels = data.positive, data.negative
    if all(label.lower() in TRUTH for label in labels):
        return "truth"
    return "number" if all(NUMBER.fullmatch(label) for label in labels) else "text"


def sql(answer: Answer, data: Data) -> str:
    """Write the rule as an SQL `CASE`; one with a coin for PostgreSQL, as the standard has none."""
    coin = len(answer.parts) > 1
    cases = [_sql_case(part, data, coin=coin) for part in answer.parts]
    if not coin:
        return cases[0]
    limit = hex_limit(float(fixed(answer.parts[1].probability, COIN_DIGITS)))
    return (
        "-- PostgreSQL; the coin is made of the column row_id\n"
        f"CASE WHEN {COIN} < '{limit}' THEN {cases[1]} "
        f"WHEN {COIN} >= '{limit}' THEN {cases[0]} END"
    )


def _sql_case(part: Part, data: Data, *, coin: bool) -> str:
    yes, no = _sql_label(data.positive, data), _sql_label(data.negative, data)
    condition = _sql_condition(part, yes, coin=coin)
    return f"CASE WHEN {condition} THEN {yes} WHEN NOT ({condition}) THEN {no} END"


def _sql_condition(part: Part, positive: str, *, coin: bool) -> str:
    if part.kind in ("never", "always"):
        return "1 = 0" if part.kind == "never" else "1 = 1"
    name = part.classifier.replace('"', '""')
    column = f'"{name}"'
    if part.kind == "labels":
        return f"{column} = {positive}"
    if coin:  # to PostgreSQL a NaN is greater than all numbers
        column = f"NULLIF({column}, CAST('NaN' AS DOUBLE PRECISION))"
    endless = {"inf": "Infinity", "-inf": "-Infinity"}.get(part.threshold)
    limit = f"CAST('{endless}' AS DOUBLE PRECISION)" if endless else part.threshold
    return f"{column} >= {limit}"


def _sql_label(label: str, data: Data) -> str:
    kind = _label_kind(data)
    if kind == "truth":
        return TRUTH[label.lower()]
    text = label.replace("'", "''")
    return label if kind == "number" else f"'{text}'"
