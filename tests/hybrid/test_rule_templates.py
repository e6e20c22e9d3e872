"""A page that fills templates writes what the rule itself writes."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocch.errors import escape_controls
from rocch.hybrid import And, AtLeast, Predicts, Rule, RuleTemplates, Stack, StackAtLeast, Term
from rocch.hybrid.expression import STACK, Constant, Expression
from rocch.hybrid.rule_templates import COIN_COMMENT, shown_texts
from tests.support.nasty import CONTROLS, NASTY
from tests.support.rules import fill_rule

SIGNS = "ab{}'\"\\`$;:%\n\t\r\x00\x1b\u202e\u2028é"
NAMES = st.text(SIGNS, min_size=1, max_size=6).filter(str.strip) | st.sampled_from(
    ["threshold", "condition", "{threshold}", "0.0", " >= 0.0", "when", NASTY]
)
LABELS = st.sampled_from([(0, 1), (False, True), (-1, 1.5)]) | st.tuples(NAMES, NAMES).filter(
    lambda pair: pair[0] != pair[1]
)
# the last one is so small that the coin never takes the first part
SHARES = st.integers(1, 63).map(lambda part: part / 64) | st.just(2.0**-53)
THRESHOLDS = st.floats(allow_nan=False) | st.sampled_from([math.inf, -math.inf, 0.0, 1e-7])


@st.composite
def choices(draw: st.DrawFn) -> tuple[list[tuple[dict[str, Any], Expression]], dict[str, Any]]:
    """Draw a scorer, a stack, labels, a combination and the ends, as a page and as expressions."""
    scorer, labels, combined, one, other = draw(
        st.lists(NAMES, min_size=5, max_size=5, unique=True)
    )
    setting = draw(st.just("") | NAMES)
    terms = (
        Term(one, "probability", 0.25, 0.0001, 0.9999),
        Term(other, "score", 2.0, -1.0, 1.0),
        Term(labels, "label", 1.5, 0.0, 1.0),
    )
    threshold = draw(THRESHOLDS)
    written = f"{threshold:.3g}"
    stack = StackAtLeast(Stack(-0.5, terms), threshold, written)
    alarms = Predicts(f"{labels} at setting {setting}" if setting else labels)
    both = And(AtLeast(one, 0.25, "0.3"), Predicts(other))
    scores = {"kind": "scores", "setting": "", "written": written, "exact": repr(threshold)}
    whole = {"kind": "labels", "written": "", "exact": ""}
    found: list[tuple[dict[str, Any], Expression]] = [
        ({**scores, "classifier": scorer}, AtLeast(scorer, threshold, written)),
        ({**scores, "classifier": STACK}, stack),
        ({**whole, "classifier": labels, "setting": setting}, alarms),
        ({**whole, "classifier": combined, "setting": ""}, both),
        ({**whole, "kind": "never"}, Constant(False)),
        ({**whole, "kind": "always"}, Constant(True)),
    ]
    made_of = {
        "scorers": (AtLeast(scorer, 0.5, "0.5"), replace(stack, threshold=3.0)),
        "settings": {(labels, setting): alarms, (combined, ""): both},
    }
    return found, made_of


@given(choices(), LABELS, NAMES, st.integers(0, 99), st.data())
def test_filled_templates_are_the_texts_of_the_rule(
    drawn: Any, labels: tuple[Any, Any], row_key: str, seed: int, data: st.DataObject
) -> None:
    found, made_of = drawn
    negative, positive = labels
    templates = RuleTemplates(
        **made_of, positive=positive, negative=negative, seed=seed, row_key=row_key
    ).to_dict()
    assert json.loads(json.dumps(templates)) == templates
    chosen = data.draw(st.lists(st.sampled_from(found), min_size=1, max_size=2))
    first = data.draw(SHARES)
    shares = [1.0] if len(chosen) == 1 else [first, 1 - first]
    mix = tuple((share, part) for share, (_, part) in zip(shares, chosen, strict=True))
    rule = Rule(mix, positive, negative, 0.1, 0.9, seed, row_key)
    parts = [
        {**part, "probability": share} for share, (part, _) in zip(shares, chosen, strict=True)
    ]
    texts = shown_texts(rule)
    assert {kind: fill_rule(templates, kind, parts) for kind in texts} == texts


def test_shown_texts_are_the_texts_of_the_rule() -> None:
    stack = Stack(-0.5, (Term("nb", "score", 0.25, -1.0, 1.0),))
    mix = (0.25, AtLeast(f"{NASTY}\n", 0.5)), (0.75, StackAtLeast(stack, 1.0))
    rule = Rule(mix, "bad", "good", 0.1, 0.9, row_key="id")
    texts = shown_texts(rule)
    assert texts["words"] == escape_controls(rule.words).replace(f", where stack = {stack}", "")
    assert not CONTROLS.findall(texts["words"])
    assert texts["python"] == rule.to_python()
    assert texts["sql"] == COIN_COMMENT + rule.to_sql(dialect="postgresql")
    alone = replace(rule, mix=((1.0, mix[1][1]),))
    assert shown_texts(alone)["sql"] == alone.to_sql()


@pytest.mark.parametrize("name", ["0.0", " >= 0.0", "x0.0"])
def test_a_name_that_ends_like_a_threshold_stays_whole(name: str) -> None:
    (texts,) = RuleTemplates((AtLeast(name, 0.0),)).to_dict()["conditions"]
    assert texts["words"] == [f"predict 1 when {name} >= ", "threshold", ""]
    assert texts["python"] == [f"rows[{name!r}] >= ", "threshold", ""]
