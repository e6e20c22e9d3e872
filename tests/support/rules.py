"""Rules as users run them, and as pages fill their templates."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import duckdb

if TYPE_CHECKING:
    import pandas as pd


def run_python(text: str, rows: pd.DataFrame) -> list[Any]:
    known: dict[str, Any] = {"rows": rows}
    exec(text, known)  # noqa: S102 - the text is what users run
    found: list[Any] = known["predictions"].tolist()
    return found


def run_sql(text: str, rows: pd.DataFrame) -> list[Any]:
    """Run a text in DuckDB, with the two functions of PostgreSQL that it lacks."""
    with duckdb.connect() as database:
        database.execute("CREATE MACRO convert_to(text, encoding) AS text")
        database.execute("CREATE MACRO encode(digest, format) AS digest")
        database.register("scored", rows)
        found = database.execute(f"SELECT {text} FROM scored").fetchall()  # noqa: S608
    return [value for (value,) in found]


def fill(pieces: list[str], values: dict[str, str]) -> str:
    """Fill a template as a page does."""
    return "".join(values[piece] if i % 2 else piece for i, piece in enumerate(pieces))


def fill_rule(templates: dict[str, Any], kind: str, parts: list[dict[str, Any]]) -> str:
    """Write a rule from `RuleTemplates.to_dict()` as a page does, without knowing any text."""
    coin, whole, conditions = len(parts) > 1, templates[kind], []
    for part in parts:
        own = templates.get(part["kind"]) or next(
            each
            for each in templates["conditions"]
            if (each["classifier"], each["setting"]) == (part["classifier"], part["setting"])
        )
        threshold = part["written"] if kind == "words" else part["exact"]
        pieces = own["coin_sql" if coin and kind == "sql" else kind]
        conditions.append(fill(pieces, {"threshold": whole["infinite"].get(threshold, threshold)}))
    if not coin:
        return fill(whole["single"], {"condition": conditions[0]})
    digits = templates["limit"]["digits"]
    below = math.ceil(parts[1]["probability"] * 16**digits)
    hexadecimal = f"{below:x}".rjust(digits, "0")
    return fill(
        whole["coin"],
        {
            "first": conditions[0],
            "second": conditions[1],
            # of these sizes, `repr` and JavaScript write numbers alike
            "first_probability": repr(parts[0]["probability"]),
            "second_probability": repr(parts[1]["probability"]),
            "limit": hexadecimal if below < 16**digits else templates["limit"]["above_all"],
        },
    )
