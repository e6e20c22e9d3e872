"""What can be chosen: search, rules and single classes, and which of them a page keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import rocch
from rocch.multiclass import Classes
from rocch.multiclass.rules import implied_rules
from rocch.report import members
from rocch.report.members import (
    Choices,
    choose_kept,
    random_winners,
    search_surface,
    surface_of,
)
from tests.support.many_reports import drawn

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray
    from rocch.multiclass import RocSurface

NAMES = Classes(("a", "b", "c"))


def parts(generations: int = 3) -> tuple[IntArray, dict[str, FloatArray], RocSurface, RocSurface]:
    labels, posteriors = drawn(3)
    truths = np.array(labels)
    models = {"m": posteriors}
    surface = search_surface(models, truths, NAMES, generations=generations)
    assert surface is not None
    costs = rocch.CostMatrix({("a", "b"): 9}, classes=NAMES, default=1)
    return truths, models, surface, implied_rules(models, truths, NAMES, costs, "observed")


def made() -> Choices:
    truths, _, surface, rules = parts()
    return Choices.of(surface, rules, NAMES, np.bincount(truths))


def test_rules_come_first_and_single_classes_last() -> None:
    choices = made()
    assert choices.rules == 2
    assert choices.members.model[-3:] == (-1, -2, -3)
    every = surface_of(choices.members, NAMES)
    for place, column in ((-3, 0), (-2, 1), (-1, 2)):
        assert (every.counts[place][:, column] == every.totals).all()
        assert every.counts[place].sum() == every.totals.sum()
    costs = choices.members.costs
    assert (costs[0], costs[-1]) == ((0, 9, 1, 1, 0, 1, 1, 1, 0), None)
    kinds = choices.members.rule
    assert kinds[:2] == ("least_expected_cost", "most_likely_class")
    assert kinds[-3:] == ("always",) * 3


def test_what_is_the_same_is_there_once_and_keeps_its_place_on_the_surface() -> None:
    truths, _, surface, rules = parts()
    choices = Choices.of(surface, rules, NAMES, np.bincount(truths))
    found = choices.members
    assert len(set(zip(found.model, found.counts, strict=True))) == len(choices)
    assert sorted(place for place in found.place if place >= 0) == list(range(len(surface)))
    assert choices.shown == len(surface)
    for place, counts in zip(found.place, found.counts, strict=True):
        if place >= 0:
            assert surface.counts[place].ravel().tolist() == list(counts)


def test_a_surface_alone_will_do() -> None:
    _, _, surface, _ = parts()
    choices = Choices.of(surface, None, NAMES, surface.totals)
    assert (choices.rules, len(choices)) == (0, len(surface) + 3)
    assert surface_of(choices.members, NAMES).totals.tolist() == surface.totals.tolist()


def test_few_parameters_are_told_and_many_are_not() -> None:
    data = rocch.multiclass.three_class_data(60, seed=1)
    for model, told in (
        (rocch.multiclass.KnnModel(data.X, data.y), True),
        (rocch.multiclass.MlpModel(data.X, data.y), False),
    ):
        surface = rocch.multiclass.SurfaceSearch(model, data.y, draws=5, start=5).run(3)
        settings = Choices.of(surface, None, surface.classes, surface.totals).members.settings
        assert settings[0].startswith("k ") if told else settings[0] == ""


def test_all_are_kept_where_there_are_few() -> None:
    assert choose_kept(made(), []) == list(range(len(made())))


def test_what_matters_is_kept_where_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    truths, _, surface, rules = parts(10)
    choices = Choices.of(surface, rules, NAMES, np.bincount(truths))
    most = len(choices) // 2
    monkeypatch.setattr(members, "MOST_MEMBERS", most)
    needed = int(np.argmax(surface_of(choices.members, NAMES).errors[:-3]))
    kept = choose_kept(choices, [needed])
    assert len(kept) <= most
    assert {needed, 0, 1, len(choices) - 1} <= set(kept)
    assert kept == sorted(set(kept))
    winners = random_winners(surface_of(choices.members, NAMES))
    room = most - 6
    assert set(winners[: room // 2]) <= set(kept)


def test_with_little_room_only_what_is_needed_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(members, "MOST_CELLS", 18)
    choices = made()
    assert choose_kept(choices, [4]) == [0, 1, 4, *range(len(choices) - 3, len(choices))]


def test_winners_are_cheapest_for_some_costs() -> None:
    every = surface_of(made().members, NAMES)
    rates = every.all_rates.reshape(len(every), -1)
    winners = random_winners(every)
    assert winners
    for place in winners[:5]:
        assert not (rates < rates[place]).all(axis=1).any()


# ---- the search


def search(classes: int, **options: int) -> object:
    labels, posteriors = drawn(classes, 60)
    names = Classes(tuple(map(str, range(classes))))
    return search_surface({"m": posteriors}, np.array(labels), names, **options)


@pytest.mark.parametrize(("classes", "objectives"), [(2, "rates"), (4, "rates"), (5, "misses")])
def test_few_classes_trade_off_every_error(classes: int, objectives: str) -> None:
    found = search(classes, generations=0)
    assert found is not None
    assert found.objectives == objectives  # type: ignore[attr-defined]


def test_beyond_twelve_classes_nothing_is_searched() -> None:
    assert search(13) is None
    assert search(12, generations=0) is not None


def test_the_same_seed_finds_the_same_surface() -> None:
    assert search(3, generations=2, seed=5) == search(3, generations=2, seed=5)
    assert search(3, generations=2, seed=5) != search(3, generations=2, seed=6)


def test_much_data_is_searched_with_fewer_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(members, "MOST_WORK", 60 * 9 * 2 * 40)
    found = search(3)
    assert found is not None
    assert len(found) <= 40 * 4  # type: ignore[arg-type]
