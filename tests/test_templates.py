"""Texts with slots, and numbers that fill them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocch.templates import Slot, Template, format_number


def test_texts_slots_and_templates_are_joined() -> None:
    inner = Template.of(Slot("a"), " or ", Slot("b"))
    whole = Template.of("(", inner, ")", " ", Slot("a"))
    assert whole.to_list() == ["(", "a", " or ", "b", ") ", "a", ""]
    assert whole.fill({"a": "{b}", "b": "y", "c": "unused"}) == "({b} or y) {b}"
    assert Template.of().to_list() == [""]


def test_every_slot_needs_a_value() -> None:
    with pytest.raises(KeyError, match="threshold"):
        Template.of(Slot("threshold")).fill({})


def test_control_characters_are_escaped_in_texts_only() -> None:
    text = Template.of("a\x1b", Slot("s\x1b"), "\u202e")
    assert text.escaped().to_list() == ["a\\x1b", "s\x1b", "\\u202e"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (20, "20"),
        (-1.5, "-1.5"),
        (1e-6, "0.000001"),
        (9.99e-7, "9.99e-7"),
        (1e-7, "1e-7"),
        (1e20, "100000000000000000000"),
        (1.5e21, "1.5e+21"),
        (5e-324, "5e-324"),
        (1 / 3, "0.3333333333333333"),
    ],
)
def test_numbers_are_written_as_in_javascript(value: float, text: str) -> None:
    assert format_number(value) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_the_same_doubles(value: float) -> None:
    assert float(format_number(value)) == value
