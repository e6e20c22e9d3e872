"""What a library keeps, says and forgets; the batch hull of everything added is the oracle."""

from __future__ import annotations

import itertools
import re
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocch
from rocch import Conditions, InputError, RocCurve, RocHull, StorageError
from rocch.library import ClassifierLibrary
from rocch.roc import Interval
from tests.support.places import files_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.places import Places

Y = np.array([0, 0, 0, 1, 1, 1])
NB = [1, 2, 6, 5, 4, 7]
GBM = [3, 4, 5, 2, 6, 7]
PERFECT = [1, 2, 3, 4, 5, 6]


def curves(seed: int, count: int, rows: int = 40, digits: int = 1) -> list[RocCurve]:
    rng = np.random.default_rng(seed)
    y = rng.random(rows) < 0.4
    y[:2] = [True, False]
    return [
        RocCurve.from_scores(
            y, np.round(rng.normal(size=rows) + rng.random() * 2 * y, digits), name=f"model-{i:03}"
        )
        for i in range(count)
    ]


@pytest.fixture
def library(places: Places) -> ClassifierLibrary:
    return places.create()


@pytest.fixture
def in_folder(tmp_path: Path) -> ClassifierLibrary:
    return ClassifierLibrary.create(tmp_path / "library")


def test_an_addition_extends_ties_or_is_discarded(library: ClassifierLibrary) -> None:
    first = library.add_scores(Y, {"nb": NB})
    assert [(one.name, one.outcome) for one in first.classifiers] == [("nb", "extends")]
    assert first.driven_out == ()
    tie = library.add_scores(Y, {"twin": NB})
    assert [(one.name, one.outcome) for one in tie.classifiers] == [("twin", "ties")]
    worse = library.add_scores(Y, {"coin": [1, 2, 1, 2, 1, 2]})
    assert [(one.name, one.outcome, one.kept) for one in worse.classifiers] == [
        ("coin", "discarded", False)
    ]
    best = library.add_scores(Y, {"perfect": PERFECT})
    assert best.extends
    assert best.driven_out == ("nb", "twin")
    assert len(library) == 1
    assert library.state.offered == 4
    assert library.state.discarded == 1


def test_it_says_what_is_saved_and_for_which_slopes(library: ClassifierLibrary) -> None:
    library.add_scores(Y, {"nb": NB})
    (judgment,) = library.add_scores(Y, {"perfect": PERFECT}).classifiers
    (place,) = judgment.places
    assert (place.vertex.fpr, place.vertex.tpr) == (0, 1)
    assert (place.low, place.high) == (0, float("inf"))
    # nb's vertices: (0, 1/3), (1/3, 1); both cost as much at slope 2: (2/3 + 0) / 3
    assert place.at == 2
    assert place.saves == pytest.approx(2 / 9)
    assert "saves up to 22.2%" in str(judgment)
    assert str(place) == (
        "FPR 0, TPR 1: best for slopes 0 to inf (a miss is 0 to inf times as bad), "
        "saves up to 22.2% at 2"
    )


def test_slopes_come_with_ratios_of_costs(places: Places) -> None:
    free = places.create("free")
    first, last = free.add_scores(Y, {"nb": NB}).classifiers[0].places
    # as many positives as negatives: at slope m a miss is 1 / m times as bad
    assert first.cost_ratios == Interval(0, 1 / first.low)
    assert last.cost_ratios == Interval(1 / last.high, float("inf"))
    assert free["nb"].cost_ratios == (Interval(0, float("inf")),)
    within = Conditions(prevalence=0.5, false_positive=1, false_negative=(0.25, 4))
    bounded = places.create("bounded", within=within)
    (added,) = bounded.add_scores(Y, {"nb": NB}).classifiers
    assert [place.cost_ratios for place in added.places] == [
        Interval(0.25, 0.5),
        Interval(0.5, 4),
    ]
    assert "slopes 0.25 to 4 (a miss is 0.25 to 4 times as bad)" in str(added)
    assert bounded["nb"].cost_ratios == (Interval(0.25, 4),)
    free.add_scores([0, 1, 1], {"other": [2, 1, 3]}, allow_different_rows=True)
    assert free["other"].cost_ratios == (None,)


def test_a_shared_vertex_has_the_threshold_of_each(library: ClassifierLibrary) -> None:
    scores = {"nb": NB, "shifted": [score + 10 for score in NB]}
    for one in library.add_scores(Y, scores).classifiers:
        vertices = library[one.name].vertices
        assert [place.vertex for place in one.places] == list(vertices)
        assert {vertex.classifier for vertex in vertices} == {one.name}
        thresholds = [float(vertex.lowest_score or 0) for vertex in vertices]
        assert set(thresholds) <= set(scores[one.name])


@given(seed=st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_what_is_saved_is_what_a_search_finds(seed: int) -> None:
    from rocch.library.adding import savings

    before, after = (RocHull.of(*curves(seed, n)) for n in (2, 4))
    grid = np.concatenate(
        (np.geomspace(1e-3, 1e3, 2001), before.slopes[np.isfinite(before.slopes)])
    )
    grid = np.unique(np.concatenate((grid, after.slopes[np.isfinite(after.slopes)])))

    def cost(hull: RocHull) -> Any:
        return np.min((np.outer(grid, hull.fpr) + 1 - hull.tpr) / (1 + grid)[:, None], axis=1)

    gain = cost(before) - cost(after)
    found = savings(before, after)
    assert max((s.saves for s in found), default=0.0) == pytest.approx(
        max(gain.max(), 0), abs=1e-12
    )
    for saving in found:
        inside = (grid >= saving.low) & (grid <= saving.high)
        assert gain[inside].max(initial=0) == pytest.approx(saving.saves, abs=1e-12)
    outside = np.all([(grid < s.low) | (grid > s.high) for s in found], axis=0)
    assert np.allclose(gain[outside if found else slice(None)], 0, atol=1e-12)


def test_the_saving_under_conditions_is_in_their_unit(library: ClassifierLibrary) -> None:
    library.add_scores(Y, {"nb": NB})
    added = library.add_scores(Y, {"perfect": PERFECT})
    known = Conditions(prevalence=0.5, false_positive=2, false_negative=1)
    assert added.saving(known) == pytest.approx(1 / 3)


@given(seed=st.integers(0, 10_000), order=st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_any_order_gives_the_batch_hull(
    tmp_path_factory: pytest.TempPathFactory, seed: int, order: Any
) -> None:
    parts = curves(seed, 6, rows=14, digits=0)  # few rows: many ties
    library = ClassifierLibrary.create(tmp_path_factory.mktemp("library") / "any")
    shuffled = list(parts)
    order.shuffle(shuffled)
    for some in (
        itertools.batched(shuffled, 2) if hasattr(itertools, "batched") else _pairs(shuffled)
    ):
        library.add(some)
    assert library.hull == RocHull.of(*parts)
    assert library.verify().sound
    assert {one.name for one in library.classifiers} == RocHull.of(*parts).winners
    library.close()


def _pairs(parts: list[RocCurve]) -> list[list[RocCurve]]:
    return [parts[i : i + 2] for i in range(0, len(parts), 2)]


@given(seed=st.integers(0, 10_000), order=st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_within_bounds_any_order_keeps_what_can_be_best_there(
    tmp_path_factory: pytest.TempPathFactory, seed: int, order: Any
) -> None:
    parts = curves(seed, 5, rows=20, digits=0)
    bounds = Conditions(prevalence=0.5, false_positive=(0.7, 1.5), false_negative=1)
    library = ClassifierLibrary.create(tmp_path_factory.mktemp("library") / "some", within=bounds)
    shuffled = list(parts)
    order.shuffle(shuffled)
    for part in shuffled:
        library.add(part)
    batch = RocHull.of(*parts).within(bounds)
    assert library.hull == batch
    assert {one.name for one in library.classifiers} == batch.winners
    assert library.verify().sound
    library.close()


def test_bounds_keep_fewer(places: Places) -> None:
    parts = curves(5, 12, rows=200)
    bounds = Conditions(prevalence=0.5, false_positive=(0.9, 1.1), false_negative=1)
    everything = places.create("all")
    some = places.create("some", within=bounds)
    for library in (everything, some):
        library.add(parts)
    assert len(some) < len(everything)
    assert everything.prune(within=bounds) != ()
    assert everything.hull == some.hull
    assert everything.prune(within=bounds) == ()


def test_different_rows_need_a_word(library: ClassifierLibrary) -> None:
    library.add_scores(Y, {"nb": NB}, row_ids=list("abcdef"))
    other = RocCurve.from_scores([0, 0, 1, 1], [1, 3, 2, 4], name="other")
    with pytest.raises(InputError, match="3 of 6"):
        library.add(other)
    with pytest.raises(InputError, match=r"labels .* differ"):
        library.add_scores(Y[::-1], {"gbm": GBM})
    with pytest.raises(InputError, match="row ids that differ"):
        library.add_scores(Y, {"gbm": GBM}, row_ids=list("abcdeg"))
    with pytest.raises(InputError, match="known by counts alone"):
        library.add(RocCurve.from_counts([1], [2], negatives=3, positives=3, name="paper"))
    with pytest.raises(InputError, match="rows without ids, while the library knows its rows"):
        library.add_scores(Y, {"gbm": GBM})
    assert library.add_scores(Y, {"gbm": GBM}, row_ids=list("abcdef")).extends
    added = library.add(other, allow_different_rows=True)
    batch = RocHull.of(
        RocCurve.from_scores(Y, NB, name="nb"),
        RocCurve.from_scores(Y, GBM, name="gbm"),
        other,
        allow_different_rows=True,
    )
    assert held_by(added.hull) == held_by(library.hull) == held_by(batch)
    assert library.verify().sound


def test_different_rows_in_any_order_make_one_hull(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    parts = []
    for i, rows in enumerate((20, 30, 42, 20)):
        y = np.arange(rows) % 3 == 0
        parts.append(RocCurve.from_scores(y, rng.normal(size=rows) + y, name=f"m{i}"))
    batch = RocHull.of(*parts, allow_different_rows=True)
    for i, order in enumerate(itertools.permutations(parts)):
        library = ClassifierLibrary.create(tmp_path / str(i))
        for part in order:
            library.add(part, allow_different_rows=True)
        assert held_by(library.hull) == held_by(batch)
        hybrid: Any = rocch.load(library.export().path)
        assert hybrid.hull_.fpr.tolist() == batch.fpr.tolist()
        library.close()


def held_by(hull: RocHull) -> list[Any]:
    """Return who holds which rates how; the totals are those common to the classifiers kept."""
    return [(v.fpr, v.tpr, v.classifiers, v.lowest_scores) for v in hull.vertices]


def test_totals_are_those_of_the_classifiers_that_are_kept(library: ClassifierLibrary) -> None:
    rng = np.random.default_rng(1)

    def add(name: str, rows: int, skill: float) -> rocch.library.AdditionResult:
        y = np.arange(rows) % 3 == 0
        scores = rng.normal(size=rows) + skill * y
        return library.add_scores(y, {name: scores}, allow_different_rows=True)

    assert add("good", 1009, 3.0).extends
    for rows in (1013, 1019, 1021, 1031, 1033, 1039):
        assert not add(f"noise-{rows}", rows, 0.0).extends
    assert library.hull.totals.negatives + library.hull.totals.positives == 1009
    assert library.best(rocch.ErrorRate()).tpr > 0.5  # the prevalence is still the observed one


def test_common_totals_of_any_size_are_exported(library: ClassifierLibrary) -> None:
    arc = [(0.05, 0.4), (0.15, 0.65), (0.3, 0.82), (0.5, 0.93), (0.7, 0.985)]
    parts = [
        RocCurve.from_counts(
            [int(fpr * rows)], [int(tpr * rows)], negatives=rows, positives=rows, name=f"m{rows}"
        )
        for rows, (fpr, tpr) in zip((100_003, 100_019, 100_043, 100_049, 99_991), arc, strict=True)
    ]
    for part in parts:
        assert library.add(part, allow_different_rows=True).extends
    hybrid: Any = rocch.load(library.export().path)
    batch = RocHull.of(*parts, allow_different_rows=True)
    assert batch.totals.positives > 2**63
    assert hybrid.hull_.vertices == batch.vertices


def test_totals_that_a_record_cannot_hold_are_refused(library: ClassifierLibrary) -> None:
    for totals in ((2**63, 5), (5, 2**63)):
        negatives, positives = totals
        curve = rocch.RocCurve.from_counts([1], [2], negatives=negatives, positives=positives)
        with pytest.raises(rocch.InputError, match=f"curve must count at most {2**63 - 1}"):
            library.add(curve)
    assert library.add(rocch.RocCurve.from_counts([1], [2], negatives=2**63 - 1, positives=5))


def test_a_name_is_used_once(library: ClassifierLibrary) -> None:
    library.add_scores(Y, {"nb": NB}, note="first")
    again = library.add_scores(Y, {"nb": NB}, note="second")
    assert [one.outcome for one in again.classifiers] == ["present"]
    assert library["nb"].note == "first"
    assert library.state.offered == 1
    with pytest.raises(InputError, match="names must be new"):
        library.add_scores(Y, {"nb": PERFECT})
    with pytest.raises(InputError, match="curves must have distinct names"):
        library.add([RocCurve.from_scores(Y, NB, name="x")] * 2)
    library.add_scores(Y, {"perfect": PERFECT})
    with pytest.raises(InputError, match="of the library are: 'nb', 'perfect'"):
        _ = library["unknown"]
    assert library["nb"].state == "driven out"


def test_what_was_said_is_remembered(library: ClassifierLibrary) -> None:
    library.add_scores(
        Y,
        {"nb": NB},
        by="ada",
        tags=["bayes", "bayes", "2026"],
        parameters={"smoothing": 1e-9},
        note="first try",
        row_ids=range(6),
    )
    one = library["nb"]
    assert (one.added_by, one.tags, one.note) == ("ada", ("bayes", "2026"), "first try")
    assert one.parameters == {"smoothing": 1e-9}
    assert one.scoring
    assert not one.has_model
    assert len(one.fingerprint.split("-")) == 2
    assert one.slopes == (0.0, float("inf"))
    assert [v.classifiers for v in one.vertices] == [("nb",)] * 2
    assert one.left_at is None


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"tags": "bayes"}, "tags must be a list"),
        ({"tags": [3]}, "tags must be a list"),
        ({"parameters": {"x": float("nan")}}, "parameters must be a mapping"),
        ({"parameters": {"x": object()}}, "parameters must be a mapping"),
        ({"note": 3}, "note must be a text"),
        ({"by": 3}, "by must be a text"),
        ({"by": "\ud800"}, "by must be a text"),
        ({"tags": None}, "tags must be a list"),
        ({"allow_different_rows": "yes"}, "allow_different_rows must be True or False"),
        ({"row_ids": [1, 2]}, "row_ids"),
        ({"row_ids": [1, 2, 3, 4, 5, None]}, "row_ids must be there for every row"),
    ],
)
def test_what_cannot_be_said(library: ClassifierLibrary, said: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        library.add_scores(Y, {"nb": NB}, **said)
    assert len(library) == 0
    assert library.log() == []


def test_the_history(library: ClassifierLibrary) -> None:
    library.add_scores(Y, {"nb": NB}, by="ada")
    library.add_scores(Y, {"coin": [1, 2, 1, 2, 1, 2]}, by="bob")
    library.add_scores(Y, {"perfect": PERFECT}, by="bob")
    first, second = library.log()
    assert (first.kind, first.by, first.joined, first.left) == ("added", "ada", ("nb",), ())
    assert (second.by, second.joined, second.left) == ("bob", ("perfect",), ("nb",))
    assert second.detail["saves"] == {"perfect": pytest.approx(2 / 9)}
    assert first.at < second.at
    assert str(second).endswith("bob added (joined: perfect; driven out: nb)")


def test_labels_only_and_several_settings(library: ClassifierLibrary) -> None:
    rules = RocCurve.from_labels(
        Y,
        {"strict": [0, 0, 0, 1, 0, 0], "lax": [0, 0, 1, 1, 1, 1], "bad": [1, 1, 0, 0, 0, 1]},
        name="rules",
    )
    point = RocCurve.from_labels(Y, [0, 0, 0, 0, 1, 1], name="point")
    library.add(rules)
    library.add(point)
    assert library.hull == RocHull.of(rules, point)
    assert not library["point"].scoring
    own, batch = (h.best(rocch.NeymanPearson(0.1)) for h in (library, RocHull.of(rules, point)))
    assert (own.fpr, own.tpr, own.rule()) == (batch.fpr, batch.tpr, batch.rule())
    assert "could be searched for rules" in own.note  # one of its settings was dropped
    assert "rules, point" not in own.note


def test_limits_without_a_coin_look_at_the_whole_curves(library: ClassifierLibrary) -> None:
    parts = curves(3, 4, rows=300, digits=3)
    library.add(parts)
    kept = [part for part in parts if part.name in library.hull.winners]
    for limit in (0.02, 0.05, 0.11, 0.3):
        own = library.best(rocch.NeymanPearson(limit))
        batch = RocHull.of(*kept).best(rocch.NeymanPearson(limit))
        assert (own.fpr, own.tpr) == (batch.fpr, batch.tpr)
        assert own.rule() == batch.rule()


def test_weighted_rows(library: ClassifierLibrary) -> None:
    weights = [1, 2, 0.5, 1, 3, 1]
    library.add_scores(Y, {"nb": NB}, sample_weight=weights)
    library.add_scores(Y, {"gbm": GBM}, sample_weight=weights)
    parts = [
        RocCurve.from_scores(Y, scores, sample_weight=weights, name=name)
        for name, scores in (("nb", NB), ("gbm", GBM))
    ]
    assert library.hull == RocHull.of(*parts)
    library.add(parts, row_ids=list("abcdef"))
    assert len(library["nb"].fingerprint.split("-")) == 1  # it is as it was added first
    with pytest.raises(InputError, match="library's rows"):
        library.add_scores(Y, {"plain": GBM})


def test_disk_use_follows_the_hull(tmp_path: Path) -> None:
    library = ClassifierLibrary.create(tmp_path / "library")
    parts = curves(8, 300, rows=60)
    order = sorted(parts, key=lambda part: -part.auc)
    library.add(order[:50])
    library.compact()
    size, count = _size(library.path), len(library)
    for part in order[50:]:
        library.add(part)
    library.compact()
    assert len(library) <= count + 5
    assert _size(library.path) <= size + 5 * 4096  # whatever joined, in whole pages
    assert library.state.offered == 300


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def test_files_of_those_driven_out_are_gone(library: ClassifierLibrary) -> None:
    library.add_scores(Y, {"nb": NB})
    assert len(files_of(library)) == 1
    library.add_scores(Y, {"perfect": PERFECT})
    assert len(files_of(library)) == 1
    assert library.verify().cleaned == ()


def test_pruning_by_name_and_of_ties(library: ClassifierLibrary) -> None:
    library.add_scores(Y, {"b": NB, "a": NB})
    assert library.prune(ties=True) == ("b",)
    library.add_scores(Y, {"perfect": PERFECT})
    with pytest.raises(InputError, match="names must name one of the classifiers that are kept"):
        library.prune("a")
    assert library.prune("perfect", by="ada") == ("perfect",)
    assert len(library) == 0
    assert library.log()[-1].left == ("perfect",)
    assert library["perfect"].state == "pruned"
    assert len(library.hull) == 2


def test_an_empty_library_says_so(library: ClassifierLibrary) -> None:
    assert library.classifiers == []
    assert library.current_export is None
    assert library.prune() == ()
    for ask in (lambda: library.hull, lambda: library.best(rocch.ErrorRate()), library.export):
        with pytest.raises(InputError, match="the library must hold at least one classifier"):
            ask()


def test_where_there_is_no_library(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="path must be the folder of a library"):
        ClassifierLibrary(tmp_path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="empty folder"):
        ClassifierLibrary.create(tmp_path)
    with pytest.raises(InputError, match="empty folder"):
        ClassifierLibrary.create(tmp_path / "file")
    with pytest.raises(InputError, match="prevalence as a number"):
        ClassifierLibrary.create(
            tmp_path / "new",
            within=Conditions(prevalence="observed", false_positive=1, false_negative=1),
        )
    assert not (tmp_path / "new").exists()


def test_bounds_cannot_be_widened(places: Places) -> None:
    narrow = Conditions(prevalence=0.5, false_positive=(1, 2), false_negative=1)
    wide = Conditions(prevalence=0.5, false_positive=(1, 3), false_negative=1)
    library = places.create("library", within=narrow)
    with pytest.raises(InputError, match="cannot be widened"):
        library.prune(within=wide)


def test_labels_must_agree(library: ClassifierLibrary) -> None:
    library.add_scores(["no"] * 3 + ["yes"] * 3, {"nb": NB}, pos_label="yes")
    with pytest.raises(InputError, match="y must have the library's labels"):
        library.add_scores(Y, {"gbm": GBM})


def test_another_library_and_a_closed_one(library: ClassifierLibrary) -> None:
    library.add_scores(Y, {"nb": NB})
    with ClassifierLibrary(library.place) as other:
        assert other.hull == library.hull
        other.add_scores(Y, {"perfect": PERFECT})
    assert library.hull.dominator() == "perfect"
    library.close()
    assert library.hull.dominator() == "perfect"
    assert str(library.place) in repr(library)


def test_a_newer_record_is_refused_and_a_foreign_one(in_folder: ClassifierLibrary) -> None:
    import sqlite3

    in_folder.close()
    for pragma, words in (
        ("user_version = 99", "Upgrade rocch"),
        ("application_id = 7", "another program"),
    ):
        db = sqlite3.connect(in_folder.path / "library.sqlite")
        db.execute(f"PRAGMA {pragma}")
        db.commit()
        db.close()
        with pytest.raises(StorageError, match=words):
            _ = ClassifierLibrary(in_folder.path).hull


def test_compacting_counts_what_stays_on_the_disk(in_folder: ClassifierLibrary) -> None:
    in_folder.add_scores(Y, {"nb": NB})
    in_folder.close()
    done = in_folder.compact()
    in_folder.close()
    assert done.after <= done.before
    assert done.after == _size(in_folder.path)


def test_a_classifier_says_between_which_slopes_it_is_best(library: ClassifierLibrary) -> None:
    library.add_scores(Y, {"nb": NB, "gbm": GBM})
    for one in library.classifiers:
        rows = [row for row in library.hull.slope_ranges() if row.classifier == one.name]
        assert one.slopes == (rows[0].low, rows[-1].high)
        assert all(0 < vertex.fpr + vertex.tpr < 2 for vertex in one.vertices)


def test_slopes_end_at_the_bounds(places: Places) -> None:
    within = Conditions(prevalence=0.5, false_positive=1, false_negative=(1, 2))
    library = places.create("bounded", within=within)
    library.add_scores(Y, {"perfect": PERFECT})
    assert library["perfect"].slopes == (0.5, 1)


@given(seed=st.integers(0, 10_000))
@settings(max_examples=15, deadline=None)
def test_a_classifier_alone_is_what_its_curve_says(seed: int) -> None:
    from rocch.library.contents import complete_members

    parts = curves(seed, 4)
    with TemporaryDirectory() as folder:
        library = ClassifierLibrary.create(f"{folder}/library")
        library.add(parts)
        hull = library.hull
        again = complete_members(hull)
        library.close()
    assert again == hull
    batch = {member.name: member for member in RocHull.of(*parts).members}
    for member in again.members:
        expected = batch[member.name]
        assert member.false_positives.tolist() == expected.false_positives.tolist()
        assert member.true_positives.tolist() == expected.true_positives.tolist()


def test_bounds_that_do_not_even_touch_are_refused(places: Places) -> None:
    def costs(miss: float) -> Conditions:
        return Conditions(prevalence=0.5, false_positive=1, false_negative=miss)

    library = places.create("bounded", within=costs(2))
    library.prune(within=costs(2))
    with pytest.raises(InputError, match=r"0\.5 to 0\.5; got slopes 0\.2 to 0\.2\..*widened"):
        library.prune(within=costs(5))


def test_a_relative_path_stays_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in ("here", "there"):
        (tmp_path / place).mkdir()
        monkeypatch.chdir(tmp_path / place)
        library = ClassifierLibrary.create("library")
        library.add_scores(Y, {"nb": NB})
    monkeypatch.chdir(tmp_path / "here")
    library.add_scores(Y, {"perfect": PERFECT})
    for place, names in (("here", ["nb"]), ("there", ["perfect"])):
        found = ClassifierLibrary(tmp_path / place / "library")
        assert list(found) == names
        assert found.verify().cleaned == ()
        assert found.verify().sound


@pytest.mark.parametrize("path", [None, 5, b"x", "a\0b"])
def test_what_is_no_path(path: Any, library: ClassifierLibrary) -> None:
    library.add_scores(Y, {"nb": NB})
    uses: tuple[Any, ...] = (
        ClassifierLibrary,
        ClassifierLibrary.create,
        library.copy,
        *([] if path is None else [library.export]),
    )
    for use in uses:
        with pytest.raises(InputError, match="path must be the path of a folder"):
            use(path)


def test_an_emptied_record_is_not_made_anew(in_folder: ClassifierLibrary) -> None:
    in_folder.add_scores(Y, {"nb": NB})
    in_folder.export()
    in_folder.close()
    for end in ("", "-wal", "-shm"):
        (in_folder.path / f"library.sqlite{end}").unlink(missing_ok=True)
    (in_folder.path / "library.sqlite").touch()
    files = sorted((in_folder.path / "objects").rglob("*/*"))
    found = ClassifierLibrary(in_folder.path)
    for ask in (found.compact, found.log, found.verify, lambda: found.classifiers, found.export):
        with pytest.raises(StorageError, match="its content was lost"):
            ask()
    assert sorted((in_folder.path / "objects").rglob("*/*")) == files


def test_a_copy_of_a_damaged_record_does_not_count(
    library: ClassifierLibrary, places: Places
) -> None:
    library.add_scores(Y, {"nb": NB})
    with library._store.record.transaction(write=True) as db:
        db.execute("UPDATE points SET true_positives = true_positives + 1")
    with pytest.raises(StorageError, match=r"(library.sqlite|schema=\w+): the record is damaged"):
        places.copy(library)
    left = {path.name for path in places.folder.rglob("*") if path.is_file()}
    assert left == {path.name for path in places.folder.glob("library*/**/*") if path.is_file()}


def test_a_copy_goes_elsewhere(in_folder: ClassifierLibrary) -> None:
    in_folder.add_scores(Y, {"nb": NB})
    for place in (in_folder.path / "copy", in_folder.path / "objects" / "copy"):
        with pytest.raises(InputError, match="target must be outside the library"):
            in_folder.copy(place)


def test_a_history_with_gaps_is_a_problem(library: ClassifierLibrary) -> None:
    library.add_scores(Y, {"nb": NB})
    library.add_scores(Y, {"perfect": PERFECT})
    assert library.verify().sound
    with library._store.record.transaction(write=True) as db:
        db.execute("DELETE FROM events WHERE id = 1")
    assert "the history is damaged: 1 entries" in str(library.verify())
    with library._store.record.transaction(write=True) as db:
        db.execute("DROP TABLE events")
    assert re.search('no such table: events|"events" does not exist', str(library.verify()))
    assert len(library.verify().problems) == 2
    assert library.hull.dominator() == "perfect"


def test_names_can_be_gone_through(library: ClassifierLibrary) -> None:
    library.add_scores(Y, {"nb": NB, "gbm": GBM})
    assert list(library) == ["gbm", "nb"]
    assert "nb" in library
    assert "other" not in library
    assert 0 not in library


def test_it_goes_to_other_processes(library: ClassifierLibrary) -> None:
    import pickle

    library.add_scores(Y, {"nb": NB})
    again = pickle.loads(pickle.dumps(library))  # noqa: S301 - our own
    assert again.hull == library.hull


def test_a_first_addition_that_is_discarded_binds_nothing(library: ClassifierLibrary) -> None:
    worse = library.add_scores([0, 1], {"bad": [2, 1]}, row_ids=["x", "y"])
    assert [one.outcome for one in worse.classifiers] == ["discarded"]
    assert library.state.evaluation_rows is None
    assert library.state.discarded == 1
    assert library.add_scores(Y, {"nb": NB}).extends


def test_notes_are_in_the_history(library: ClassifierLibrary) -> None:
    library.add_scores(Y, {"nb": NB}, note="first try")
    library.export(note="for the autumn")
    assert [entry.detail["note"] for entry in library.log()] == ["first try", "for the autumn"]


def test_nothing_is_left_of_a_library_that_could_not_be_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rocch.library.contents import LibraryState

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "empty").mkdir()
    with monkeypatch.context() as patch:
        patch.setattr(LibraryState, "write", full)
        for name in ("new", "empty"):
            with pytest.raises(StorageError, match="No space left"):
                ClassifierLibrary.create(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["empty"]
    assert len(ClassifierLibrary.create(tmp_path / "new")) == 0
    assert len(ClassifierLibrary.create(tmp_path / "empty")) == 0


def test_names_are_short_enough_for_every_database(tmp_path: Path) -> None:
    library = ClassifierLibrary.create(tmp_path / "library")
    with pytest.raises(InputError, match="name must have at most 500 characters; got 501"):
        library.add_scores([0, 1], {"x" * 501: [1, 2]})
    library.add_scores([0, 1], {"x" * 500: [1, 2]})
