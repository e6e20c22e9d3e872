"""Texts with slots."""

from __future__ import annotations

import pytest

from rocch.templates import Slot, Template


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
