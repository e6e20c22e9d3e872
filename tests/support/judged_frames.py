"""Rows that are hard on whoever cuts scores into cells: drawn at random, and laid out by hand."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import strategies as st

import rocch
from tests.support.engines import ENGINES, assert_identical, in_memory, parts, table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TINY, HUGE = math.ulp(0.0), 1.7976931348623157e308
BESIDE = [math.nextafter(0.1, 0), 0.1, math.nextafter(0.1, 1)]

KINDS: dict[str, st.SearchStrategy[float]] = {
    "ties": st.integers(-2, 2).map(float),
    "one": st.just(0.25),
    "infinite": st.sampled_from([math.inf, -math.inf, 0.0, 1.0, HUGE, -HUGE]),
    "one ulp": st.integers(0, 6).map(lambda steps: 1.0 + steps * math.ulp(1.0)),
    "one ulp below": st.sampled_from([*BESIDE, *(-score for score in BESIDE)]),
    "wide": st.builds(
        lambda sign, digit, power: sign * digit * 10.0**power,
        st.sampled_from([-1, 1]),
        st.sampled_from([1.0, 1.5, 9.75]),
        st.integers(-300, 300),
    ),
    "subnormal": st.integers(-40, 40).map(lambda steps: steps * TINY),
    "zeros": st.sampled_from([0.0, -0.0, TINY, -TINY, 2.2250738585072014e-308]),
    "share": st.floats(0, 1, width=64),
    "any": st.floats(allow_nan=False, width=64),
}
"""Scores as doubles, by what is hard about them."""

WEIGHTS: dict[str, st.SearchStrategy[float]] = {
    "whole": st.integers(1, 9).map(float),
    "tenths": st.integers(1, 30).map(lambda tenths: tenths / 10),
    # beside 1 these lie half-way between two units, or near it, for tables of a few dozen rows
    "wide": st.builds(
        lambda odd, power: odd * 2.0**power, st.sampled_from([1, 3, 5, 7]), st.integers(-60, 3)
    ),
    # so large that the unit is more than 1
    "huge": st.sampled_from([2.0**58, 3 * 2.0**57, 1.0, 4.0, 12.0, 20.0, 2.0**40, 0.0]),
}
WEIGHT_TYPES: dict[str, tuple[type, ...]] = {
    "whole": (np.float64, np.float32, np.int64, np.int8),
    "tenths": (np.float64, np.float32),
    "wide": (np.float64, np.float32),
    "huge": (np.float64, np.int64),
}


@dataclass(frozen=True)
class Case:
    """One question to an engine: a table, how it is cut, and what is asked of it."""

    rows: pa.Table
    scores: tuple[str, ...]
    cuts: tuple[int, ...] = ()
    asked: dict[str, Any] = field(default_factory=dict)
    """Arguments beside the label's and the scores' names."""

    @property
    def arguments(self) -> dict[str, Any]:
        """What `scan` is asked."""
        return {"label": "y", "scores": list(self.scores), **self.asked}

    def expected(self, rows: pa.Table | None = None) -> rocch.RocHull:
        """Return the hull as it is in memory, of all rows or of some."""
        known = {k: v for k, v in self.asked.items() if k in ("pos_label", "weight")}
        return in_memory(
            self.rows if rows is None else rows, label="y", scores=self.scores, **known
        )


def hard_scores(kind: str, size: int, generator: np.random.Generator) -> Any:
    """Return many scores of one kind at once; drawn one by one tables would stay tiny."""
    steps = generator.integers(0, 10, size)
    sign = np.where(generator.random(size) < 0.5, -1.0, 1.0)
    hard: dict[str, Any] = {
        "ties": steps // 4,
        "one": np.full(size, 0.25),
        "infinite": np.array([np.inf, -np.inf, 0, 1, HUGE, -HUGE, 2, 3, 4, 5])[steps],
        "one ulp": 1 + generator.integers(0, 99, size) * np.spacing(1.0),
        "one ulp below": sign * (0.1 - steps * np.spacing(0.1)),
        "wide": sign * 10.0 ** generator.integers(-300, 300, size),
        "subnormal": generator.integers(-99, 99, size) * TINY,
        "zeros": np.array([0.0, -0.0, TINY, -TINY])[steps % 4],
        "share": generator.random(size),
        "any": sign * generator.integers(0, 0x7FF0000000000001, size).view(np.float64),
    }
    return hard[kind].astype(float)


def powers_and_beside() -> Any:
    """Return every power of two and what lies beside it, of both signs, zeros and infinities."""
    powers = np.ldexp(1.0, np.arange(-1074, 1024))
    beside = [np.nextafter(powers, 0), powers, np.nextafter(powers, np.inf), powers * 1.7]
    sizes = np.concatenate([*beside, [0.0, HUGE, 2.2250738585072014e-308, np.inf]])
    return np.concatenate((sizes, -sizes))


def _labels(draw: st.DrawFn, size: int, generator: np.random.Generator) -> Any:
    hits = generator.random(size) < draw(st.sampled_from([0.5, 0.1, 0.9]))
    place = draw(st.integers(0, size - 2))
    hits[place : place + 2] = True, False
    return hits


def _scores(draw: st.DrawFn, size: int, hits: Any, generator: np.random.Generator) -> Any:
    kind = draw(st.sampled_from(["double", "double", "double", "float32", "integer", "decimal"]))
    if kind == "integer":
        most = draw(st.sampled_from([3, 100, 2**53 - 1]))
        return generator.integers(-most, most, size, endpoint=False) + hits
    if kind == "decimal":
        units = generator.integers(-(10**6), 10**6, size).tolist()
        return pa.array([Decimal(unit).scaleb(-3) for unit in units], pa.decimal128(12, 3))
    hard = draw(st.sampled_from(sorted(KINDS)))
    if draw(st.booleans()):  # a few scores that can be shrunk, or many that cannot
        pool = np.array(draw(st.lists(KINDS[hard], min_size=1, max_size=8)))
        drawn = pool[generator.integers(0, len(pool), size)]
    else:
        drawn = hard_scores(hard, size, generator)
    if draw(st.booleans()):  # ranked rightly, more or less, so that the hull is a long one
        drawn = np.sort(drawn)[np.argsort(np.argsort(hits + generator.normal(size=size)))]
    if kind == "float32":
        with np.errstate(over="ignore"):
            return drawn.astype(np.float32)
    return drawn


LABELS: dict[str, tuple[Callable[[bool], Any], Any]] = {
    "boolean": (bool, None),
    "0 and 1": (int, None),
    "-1 and 1": (lambda hit: 1 if hit else -1, None),
    "doubles": (float, None),
    "texts": (lambda hit: "bad" if hit else "good", "bad"),
    "numbers": (lambda hit: 7 if hit else 3, 7),
    "negated": (lambda hit: not hit, False),
}
"""How labels may be written, and which one is positive."""


@st.composite
def cases(draw: st.DrawFn, largest: int = 40, buckets: tuple[int, ...] = (8, 16, 2**20)) -> Case:
    """Draw a table of one to three classifiers, perhaps weighted, and how it is cut.

    The numbers of buckets are those for each classifier; eight are the fewest possible.
    """
    size = draw(st.one_of(st.integers(2, 6), st.integers(largest // 2, largest)))
    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    hits = _labels(draw, size, generator)
    write, pos_label = LABELS[draw(st.sampled_from(sorted(LABELS)))]
    names = ("nb", "gbm", "rules")[: draw(st.integers(1, 3))]
    columns: dict[str, Any] = {"y": [write(hit) for hit in hits.tolist()]}
    columns |= {name: _scores(draw, size, hits, generator) for name in names}
    asked: dict[str, Any] = {"buckets": len(names) * draw(st.sampled_from(buckets))}
    if pos_label is not None:
        asked["pos_label"] = pos_label
    weighing = draw(st.sampled_from([None, None, None, *sorted(WEIGHTS)]))
    if weighing is not None:
        pool = np.array(draw(st.lists(WEIGHTS[weighing], min_size=1, max_size=8)))
        kind = draw(st.sampled_from(WEIGHT_TYPES[weighing]))
        columns["w"] = pool[generator.integers(0, len(pool), size)].astype(kind)
        asked["weight"] = "w"
    cuts = draw(st.lists(st.integers(0, size), max_size=4))
    return Case(table(columns), names, tuple(cuts), asked)


def noisy_labels(scores: Any, seed: int) -> Any:
    """Return labels that high scores have more often, both classes at every scale."""
    generator = np.random.default_rng(seed)
    ranks = np.argsort(np.argsort(scores, kind="stable"), kind="stable") / len(scores)
    return generator.random(len(scores)) < 0.1 + 0.8 * ranks


def nested_clusters() -> Any:
    """Return clusters within clusters, each a thousandth as wide as the one around it."""
    steps = np.arange(1, 201) / 256
    return np.concatenate([0.5 + steps * 2.0 ** (-10.0 * level) for level in range(1, 5)])


def clusters_around_zero() -> Any:
    """Return a cluster at every power of two that doubles have, on both sides of zero."""
    powers = np.concatenate([np.arange(-1074, 1023, 3), [1023]])
    positive = np.concatenate([np.ldexp(digit, powers) for digit in (1.0, 1.25, 1.5, 1.75)])
    return np.concatenate([positive, -positive, [0.0]])


def cantor(depth: int = 12) -> Any:
    """Return the left ends of the Cantor set's intervals, as doubles."""
    ends = np.zeros(1)
    for level in range(1, depth + 1):
        ends = np.concatenate([ends, ends + 2 * 3.0**-level])
    return ends


def thin_cantor() -> Any:
    """Return a set like Cantor's with ever deeper gaps: the digits of a few powers of two."""
    ends = np.zeros(1)
    for power in (1, 2, 4, 8, 12, 17, 23, 30, 38, 45, 51):
        ends = np.concatenate([ends, ends + 2.0**-power])
    return ends


def _all_but_one() -> Any:
    scores = np.full(3000, 0.125)
    scores[1234] = math.nextafter(0.125, 1)
    return scores


def _sorted_shift() -> Any:
    """Return rows in order whose first thousands lie far from all the others."""
    return np.concatenate([np.linspace(0, 1e-9, 2000), np.linspace(1, 2, 2000)])


DISTRIBUTIONS: dict[str, Callable[[], Any]] = {
    "normal": lambda: np.random.default_rng(1).normal(size=4000),
    "uniform float32": lambda: np.random.default_rng(2).random(4000, dtype=np.float32),
    "log-normal": lambda: np.exp(6 * np.random.default_rng(3).normal(size=4000)),
    "1e-300 to 1e300": lambda: 10.0 ** np.random.default_rng(4).uniform(-300, 300, 4000),
    "both signs": lambda: (
        10.0 ** np.random.default_rng(5).uniform(-300, 300, 4000) * np.resize([1, -1, -1], 4000)
    ),
    "nested clusters": nested_clusters,
    "clusters around zero": clusters_around_zero,
    "all but one equal": _all_but_one,
    "sorted": lambda: np.sort(np.random.default_rng(6).normal(size=4000)),
    "sorted downwards": lambda: -np.sort(np.random.default_rng(7).normal(size=4000)),
    "a head that misleads": _sorted_shift,
    "powers of two": lambda: np.ldexp(1.0, np.arange(-1074, 1024)),
    "Cantor": cantor,
    "thin Cantor": thin_cantor,
    "neighboring doubles": lambda: 1.0 + np.arange(4000) * math.ulp(1.0),
    "subnormals": lambda: np.arange(-2000, 2000) * TINY,
    "a few ties": lambda: np.random.default_rng(8).integers(0, 7, 4000) / 7,
    "infinite ends": lambda: np.concatenate(
        [np.random.default_rng(9).normal(size=2000), np.repeat([np.inf, -np.inf], 200)]
    ),
    "one outlier": lambda: np.concatenate([np.random.default_rng(10).random(3999), [1e308]]),
}
"""Score distributions of up to some thousand rows, by what is hard about them."""


def laid_out(name: str, *, seed: int = 20) -> pa.Table:
    """Return one of the distributions as a table with noisy labels, in its own order."""
    scores = DISTRIBUTIONS[name]()
    return table({"y": noisy_labels(scores, seed), "s": scores})


def check(engine: str, case: Case, folder: Path) -> None:
    """Demand the hull that the rows have in memory."""
    frame = ENGINES[engine](parts(case.rows, case.cuts), folder)
    try:
        expected = case.expected()
    except rocch.InputError:  # one class has no weight beside the other's
        with pytest.raises(rocch.InputError, match="weight"):
            rocch.scale.scan(frame, **case.arguments).hull()
        return
    assert_identical(rocch.scale.scan(frame, **case.arguments).hull(), expected)
