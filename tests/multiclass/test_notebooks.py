"""What notebooks show of surfaces, their members, confusion matrices and costs."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import rocch
from rocch.multiclass import Confusion, RocSurface
from rocch.svg import Line
from tests.support.oracles.multiclass import nondominated

CLASSES = ("ant", "bee", "cow")


class Cells(HTMLParser):
    """The rows of the tables of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: Any) -> None:  # noqa: ARG002
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data.strip()


def rows_of(result: Any) -> list[list[str]]:
    return Cells(
        re.sub(r"<svg.*?</svg>|<style>.*?</style>", "", result._repr_html_(), flags=re.S)
    ).rows


@pytest.fixture(scope="module")
def surface() -> RocSurface:
    rng = np.random.default_rng(5)
    truths = np.repeat(np.arange(3), [20, 30, 50])
    found = {}
    for number in range(60):
        wrong = rng.random(100) < rng.random(3)[truths]
        predictions = np.where(wrong, (truths + rng.integers(1, 3, 100)) % 3, truths)
        labels = np.array(CLASSES)
        found[f"m{number}"] = Confusion.from_labels(labels[truths], labels[predictions])
    return RocSurface.of(found)


def test_confusion_matrices_show_what_is_missed() -> None:
    found = Confusion.from_labels(list("aaab"), list("aabb"), classes=list("abc"))
    assert rows_of(found) == [
        ["truth", "a", "b", "c", "missed"],
        ["a", "2", "1", "0", "0.333"],
        ["b", "0", "1", "0", "0"],
        ["c", "0", "0", "0", ""],
    ]
    assert "1 of 4 rows wrong; truths in rows" in found._repr_html_()


def test_costs_are_a_square() -> None:
    costs = rocch.CostMatrix({("a", "b"): (2, 30), ("b", "a"): 5})
    assert rows_of(costs) == [["truth", "a", "b"], ["a", "0", "2 to 30"], ["b", "5", "0"]]


def test_points_show_their_confusion_matrix(surface: RocSurface) -> None:
    point = surface.knee()
    for shown in (point, point.member):
        assert rows_of(shown) == rows_of(point.confusion)
        assert str(shown) in shown._repr_html_()
        assert len(shown.to_frame()) == 1


def test_large_surfaces_show_whom_to_choose(surface: RocSurface) -> None:
    assert len(surface) > 12
    head, *rows = rows_of(surface)
    assert head[:2] == ["choice", "place"]
    assert [row[0] for row in rows] == [
        "fewest errors",
        "smallest maximum miss rate",
        "farthest from random",
    ]
    assert [int(row[1]) for row in rows[:2]] == [
        surface.fewest_errors().member.place,
        surface.knee().member.place,
    ]
    assert len(surface.to_frame()) == len(surface)


def test_the_picture_trades_each_class_for_the_others(
    surface: RocSurface, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Line] = []

    def keep(lines: list[Line], *_: str) -> str:
        drawn.extend(lines)
        return "<svg/>"

    monkeypatch.setattr("rocch.multiclass.surface.draw_lines", keep)
    assert surface._picture()
    assert [line.name for line in drawn] == list(CLASSES)
    fewest = surface.fewest_errors().confusion
    for k, line in enumerate(drawn):
        both = zip(surface.misses[:, k].tolist(), surface.errors.tolist(), strict=True)
        points: list[tuple[int, ...]] = [(misses, errors - misses) for misses, errors in both]
        total, others = int(surface.totals[k]), int(surface.totals.sum() - surface.totals[k])
        corners = {(x / total, y / others) for x, y in nondominated(points)}
        assert corners <= set(zip(line.x, line.y, strict=True))
        missed = total - int(fewest.counts[k, k])
        assert line.mark == (missed / total, (fewest.errors - missed) / others)
        x, y = np.array(line.x), np.array(line.y)
        assert (np.diff(x) >= 0).all()
        assert (np.diff(y) <= 0).all()


def test_an_aimed_surface_shows_which_errors_cost() -> None:
    rng = np.random.default_rng(2)
    y = np.array(CLASSES)[np.arange(90) % 3]
    X = rng.normal(size=(90, 2)) + 1.2 * (np.arange(90) % 3)[:, np.newaxis]
    model = rocch.RocSurfaceClassifier([("nb", GaussianNB())], generations=5, draws=5).fit(X, y)
    costs = rocch.CostMatrix({("ant", "bee"): 7}, classes=CLASSES, default=1)
    view = model.at(costs)
    html = view._repr_html_()
    assert rows_of(view) == rows_of(view.point.confusion)
    assert "cost per 1,000 cases, by error" in html
    assert "share of the others missed" not in html  # the stack is not on the surface
    vague = rocch.CostMatrix({("ant", "bee"): (1, 7)}, classes=CLASSES, default=1)
    safe = model.at_least_regret(vague)._repr_html_()
    assert "cost per 1,000 cases" not in safe
    found = [model.at(costs, limits={name: 0.9}, exact=True) for name in CLASSES]
    for view in found:
        on_surface = view.point.member.place is not None
        assert ("share of the others missed" in view._repr_html_()) == on_surface


def test_a_search_says_how_far_it_is() -> None:
    data = rocch.multiclass.three_class_data(30, seed=1)
    search = rocch.multiclass.SurfaceSearch(rocch.multiclass.KnnModel(data.X, data.y), data.y)
    search.run(3)
    assert repr(search) == f"<SurfaceSearch of {len(search)} members after 3 generations>"
