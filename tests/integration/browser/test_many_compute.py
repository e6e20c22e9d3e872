"""What the page on several classes computes, against Python on random members."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from rocch.hybrid.multiclass_rule import MulticlassRule
from rocch.report.multiclass import WeighedMembers
from rocch.report.render import page_file
from rocch.report.summary import Members

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from rocch.arrays import IntArray
    from rocch.hybrid.multiclass_rule import RuleKind

    Open = Callable[..., Page]

COMPUTE = """(cases) => cases.map(({ classes, members, question }) =>
  RocchManyCompute.answer(RocchManyCompute.prepare({ classes, members }), question))"""


def drawn_members(rng: np.random.Generator, totals: IntArray, number: int) -> Members:
    """Draw members: some plain, some by costs, some without, and the single predictions."""
    size = len(totals)
    names = tuple(f"class {place}" for place in range(size))
    plain = tuple(float(k != j) for k in range(size) for j in range(size))
    counts, costs = [], []
    for _ in range(number):
        rates = rng.dirichlet(np.full(size, 0.5), size)
        table = [rng.multinomial(total, row) for total, row in zip(totals, rates, strict=True)]
        counts.append(tuple(np.concatenate(table).tolist()))
        kind = rng.integers(3)
        costs.append([None, plain, tuple(rng.random(size * size).tolist())][kind])
    always: RuleKind = "always"
    kinds = [*(MulticlassRule(names, costs=own).kind for own in costs), *[always] * size]
    for place in range(size):
        single = np.zeros((size, size), dtype=int)
        single[:, place] = totals
        counts.append(tuple(single.ravel().tolist()))
    models = (*rng.integers(0, 3, number).tolist(), *(-1 - np.arange(size)).tolist())
    whole = len(counts)
    return Members(
        models,
        (-1,) * whole,
        tuple(counts),
        (*costs, *(None,) * size),
        tuple(kinds),
        ("",) * whole,
    )


def drawn_question(rng: np.random.Generator, size: int) -> dict[str, Any]:
    """Draw costs, some of them small whole numbers, which make ties, and shares that may be 0."""
    costs = rng.random((size, size))
    if rng.random() < 0.5:
        costs = np.floor(3 * costs)
    costs[0, 1] += 1
    np.fill_diagonal(costs, 0)
    shares = np.full(size, 1 / size) if rng.random() < 0.3 else rng.dirichlet(np.full(size, 0.4))
    return {"costs": costs.tolist(), "shares": shares.tolist()}


def test_the_page_computes_what_python_computes(open_page: Open) -> None:
    rng = np.random.default_rng(0)
    page = open_page(f"<!DOCTYPE html><script>{page_file('many_compute.js')}</script>")
    cases: list[dict[str, Any]] = []
    expected = []
    for _ in range(150):
        totals = rng.integers(1, 60, rng.integers(2, 6))
        members = drawn_members(rng, totals, int(rng.integers(1, 12)))
        question = drawn_question(rng, len(totals))
        names = [f"class {place}" for place in range(len(totals))]
        classes = [{"rows": rows} for rows in totals.tolist()]
        cases.append({"classes": classes, "members": asdict(members), "question": question})
        expected.append(asdict(WeighedMembers(members, "abc", names, **question).answer()))
    found = page.evaluate(COMPUTE, json.loads(json.dumps(cases)))
    for own, python in zip(found, expected, strict=True):
        for name in ("rule", "sentence", "best", "saves_interval", "new_rows", "new_rows_note"):
            del python[name]
        assert own.keys() == python.keys()
        for name in ("member", "equals", "cheapest", "plain", "always"):
            assert own[name] == python[name]
        for name in ("cost", "standard_error", "error_rate", "plain_cost", "always_cost"):
            assert (own[name] or 0) == pytest.approx(python[name] or 0, rel=1e-9, abs=1e-12)
        assert np.allclose(own["miss_rates"], python["miss_rates"], rtol=0, atol=1e-12)
        assert np.allclose(own["per_1000"], python["per_1000"], rtol=0, atol=1e-9)
    assert {each["plain"] is None for each in expected} == {True, False}
    assert max(each["equals"] for each in expected) > 0


def test_shares_make_room_and_keep_their_proportions(open_page: Open) -> None:
    page = open_page(f"<!DOCTYPE html><script>{page_file('many_compute.js')}</script>")
    rebalance = "([shares, place, share]) => RocchManyCompute.rebalance(shares, place, share)"
    assert page.evaluate(rebalance, [[0.2, 0.3, 0.5], 2, 0.75]) == pytest.approx([0.1, 0.15, 0.75])
    assert page.evaluate(rebalance, [[0.2, 0.3, 0.5], 0, 1]) == [1, 0, 0]
    assert page.evaluate(rebalance, [[1, 0, 0], 0, 0.4]) == pytest.approx([0.4, 0.3, 0.3])
