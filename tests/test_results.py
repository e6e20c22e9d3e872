"""Results as tables, in notebooks and in one line."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd
import polars as pl

from rocch.arrays import FloatArray
from rocch.results import Record, Records, Table, Tabular, collect, field_values
from rocch.roc import Interval


@dataclass(frozen=True, repr=False)
class Fits(Tabular):
    names: tuple[str, ...]
    errors: FloatArray
    title: str = "Some <fits> cost $5."

    def __str__(self) -> str:
        return self.title

    def _columns(self) -> Table:
        return {"name": self.names, "error": self.errors}


@dataclass(frozen=True, slots=True, repr=False)
class Fit(Record):
    name: str
    error: float
    interval: Interval | None = None
    band: Interval | None = None
    weights: tuple[float, ...] = (1.0, 2.0)


MANY = Fits(tuple(f"m{i}" for i in range(20)), np.linspace(0, 1, 20))
INSIDE, OUTSIDE = Fit("in", 0.25, Interval(0.1, 0.4)), Fit("out", 0.5, band=Interval(0.0, 1.0))


def visible(html: str) -> str:
    """Return the text of a page."""
    return re.sub(r"<[^>]+>", " ", re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL))


def test_the_columns_become_a_frame() -> None:
    assert isinstance(MANY.to_frame(), pd.DataFrame)
    assert MANY.to_frame("polars").columns == ["name", "error"]
    assert len(MANY.to_frame("polars")) == 20


def test_a_representation_is_one_line_with_what_the_result_says() -> None:
    assert repr(MANY) == "<Fits: Some <fits> cost $5.>"
    long = repr(Fits(("a",), np.zeros(1), "first line " * 30 + "\nsecond"))
    assert len(long) <= 160
    assert "\n" not in long
    assert long.endswith("…>")


def test_a_record_without_words_shows_its_numbers() -> None:
    assert repr(INSIDE) == "Fit(name='in', error=0.25, low=0.1, high=0.4, band=None)"


def test_notebooks_show_escaped_text_and_some_rows() -> None:
    html = MANY._repr_html_()
    assert "Some &lt;fits&gt; cost $5." in html
    assert "mathjax_ignore" in html  # $ is money here
    text = visible(html)
    assert "… 10 more rows" in text
    assert "m4 " in text
    assert "m5 " not in text
    assert "m15 " in text
    assert "0.05263" in text  # the second of 20


def test_notebooks_show_all_of_a_few_rows() -> None:
    html = Fits(("<b>", "x" * 99), np.array([1.0, np.nan]))._repr_html_()
    assert "more row" not in html
    assert "&lt;b&gt;" in html
    assert "x" * 79 + "…" in html


def test_one_row_is_written_downwards() -> None:
    html = INSIDE._repr_html_()
    assert html.count("<tr>") == 4  # without the empty band
    assert "<th>error</th>" in html


def test_notebooks_do_not_repeat_the_values_of_the_table() -> None:
    assert INSIDE._repr_html_().count("0.25") == 1
    assert "<p>Fit</p>" in INSIDE._repr_html_()


def test_notebooks_leave_out_columns_without_values() -> None:
    assert "band" not in INSIDE._repr_html_()
    assert list(INSIDE.to_frame("polars").columns) == ["name", "error", "low", "high", "band"]


def test_an_interval_becomes_two_columns() -> None:
    assert field_values(INSIDE) == {
        "name": "in",
        "error": 0.25,
        "low": 0.1,
        "high": 0.4,
        "band": None,
    }


def test_records_share_their_columns() -> None:
    assert collect([INSIDE, OUTSIDE]) == {
        "name": ["in", "out"],
        "error": [0.25, 0.5],
        "low": [0.1, None],
        "high": [0.4, None],
        "band_low": [None, 0.0],
        "band_high": [None, 1.0],
    }


@dataclass(frozen=True, slots=True, repr=False)
class Priced(Record):
    cost: float
    interval: Interval

    def _row(self) -> dict[str, float]:
        return {"cost": self.cost, "cost_low": self.interval.low, "cost_high": self.interval.high}


def test_intervals_are_named_by_their_value() -> None:
    @dataclass(frozen=True)
    class Rate(Record):
        ppv: float
        ppv_interval: Interval | None

    known, unknown = Rate(0.5, Interval(0.4, 0.6)), Rate(0.2, None)
    assert field_values(known) == {"ppv": 0.5, "ppv_low": 0.4, "ppv_high": 0.6}
    assert collect([known, unknown])["ppv_low"] == [0.4, None]
    assert "ppv_interval" not in collect([known, unknown])


def test_a_value_stays_beside_its_interval() -> None:
    found = collect([Priced(1.0, Interval(0.5, 2.0)), Priced(3.0, Interval(2.0, 4.0))])
    assert found == {"cost": [1.0, 3.0], "cost_low": [0.5, 2.0], "cost_high": [2.0, 4.0]}


def test_a_value_may_stand_beside_its_interval() -> None:
    @dataclass(frozen=True, repr=False)
    class Rate(Record):
        rate: float
        rate_low: float

    assert collect([Rate(0.5, 0.25)]) == {"rate": [0.5], "rate_low": [0.25]}


def test_several_records_are_a_tuple_with_a_table() -> None:
    both = Records([INSIDE, OUTSIDE])
    assert tuple(both) == (INSIDE, OUTSIDE)
    assert repr(both) == "<2 Fits>"
    assert str(both) == f"{INSIDE}\n{OUTSIDE}"
    assert isinstance(both.to_frame("polars"), pl.DataFrame)
    assert "out" in visible(both._repr_html_())
    assert Records([]).to_frame("polars").shape == (0, 0)
