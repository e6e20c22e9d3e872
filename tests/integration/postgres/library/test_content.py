"""The same content on both databases: hulls, history, fingerprints and copies."""

from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rocch import Conditions, InputError, RocCurve, RocHull, StorageError
from rocch.library import ClassifierLibrary, adding, contents
from rocch.library import library as module
from rocch.library.adding import LONGEST
from rocch.library.store import content_fingerprint
from rocch.service import open_service
from tests.support import adders
from tests.support.places import Places, objects_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.postgres import PostgresServer

NAMES = [
    "a",
    "B",
    "Z",
    "_",
    "ä",
    "ß",
    "é",
    "e\u0301",
    "\U0001f600",
    "\uffff",
    "a b",
    "a%s?",
    "10",
    "9",
]
"""In another order by every collation."""
SCORES = st.sampled_from([-np.inf, -1.5, -0.0, 0.0, 5e-324, 0.1, 1 / 3, 1e308, np.inf])
NUMBERS = itertools.count()


def told(library: ClassifierLibrary) -> list[Any]:
    """Return everything that a library says of its content, but for times."""
    return [
        library.hull if len(library) else None,
        library.state.offered,
        library.state.evaluation_rows,
        library.state.bounds,
        list(library),
        [(one.name, one.state, one.note, one.slopes) for one in library.all_classifiers()],
        [(one.kind, one.by, one.joined, one.left, one.detail) for one in library.log()],
    ]


@st.composite
def additions(draw: st.DrawFn) -> list[RocCurve]:
    y = np.array([0, 1, *draw(st.lists(st.integers(0, 1), min_size=4, max_size=10))])
    weights = draw(st.sampled_from([None, 0.1, 1 / 3, 2.5e-7]))
    weight = None if weights is None else weights * (1 + np.arange(y.size) % 3)
    curves = []
    for name in draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=5, unique=True)):
        if draw(st.booleans()):
            scores = draw(st.lists(SCORES, min_size=y.size, max_size=y.size))
            curves.append(RocCurve.from_scores(y, scores, sample_weight=weight, name=name))
        else:
            chosen = {
                setting: draw(st.lists(st.integers(0, 1), min_size=y.size, max_size=y.size))
                for setting in draw(st.lists(st.sampled_from(NAMES), min_size=1, unique=True))
            }
            curves.append(RocCurve.from_labels(y, chosen, sample_weight=weight, name=name))
    return curves


@given(curves=additions())
@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_both_databases_hold_the_same(
    curves: list[RocCurve], postgres: PostgresServer, tmp_path: Path
) -> None:
    here, there = Places(tmp_path), Places(tmp_path, postgres)
    number = next(NUMBERS)
    libraries = [place.create(f"{number} {i}") for i, place in enumerate((here, there))]
    for library in libraries:
        for curve in curves:
            library.add(curve, by="ada", note=curve.name)
    copies = [
        place.copy(library, f"{number} {i} {j}")
        for i, library in enumerate(libraries)
        for j, place in enumerate((here, there))
    ]
    expected = told(libraries[0])
    if expected[0] is not None:
        assert expected[0] == RocHull.of(*curves)
    for library in (*libraries, *copies):
        assert told(library) == expected
        checked = library.verify()
        assert checked.sound
        assert checked.cleaned == ()
        library.close()


def test_the_same_content_has_the_same_fingerprint(
    postgres: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in (adding, contents, module):
        monkeypatch.setattr(place, "utc_now", lambda: "2026-01-01T00:00:00.000000Z")
    within = Conditions(prevalence=(0.1, 0.7), false_positive=1, false_negative=(0.1, 50))
    y = [0, 0, 0, 1, 1, 1]
    prints = []
    for places in (Places(tmp_path), Places(tmp_path, postgres)):
        library = places.create(within=within)
        objects_of(library).unique = False  # names of files are part of the content
        scores = {"ä": [-np.inf, -0.0, 2, 0.0, 3, np.inf], "B": [-0.0, 0.1, -1, 1e308, 0, 0.3]}
        library.add_scores(y, scores, sample_weight=[0.1] * 6, row_ids=range(6), by="ada")
        library.add(
            RocCurve.from_counts([2**60], [2**63 - 6], negatives=2**63 - 1, positives=2**63 - 1),
            allow_different_rows=True,
            by="ada",
            parameters={"text": "\0 % ? ä", "number": 1e-300},
        )
        other = places.create("other")
        objects_of(other).unique = False
        thresholds = [1.0, -0.0, -1.0]  # SQLite stores 0.0
        about: Any = {"negatives": 4, "positives": 8, "lowest_scores": thresholds}
        other.add(RocCurve.from_counts([0, 1, 4], [3, 7, 8], **about), by="ada")
        with library._store.reading() as db, other._store.reading() as more:
            prints.append((content_fingerprint(db), content_fingerprint(more)))
            found = db.execute("SELECT max(true_positives) FROM points").fetchone()
            assert found == (2**63 - 6,)
        assert library.verify().sound
    assert prints[0] == prints[1]


def test_names_come_in_the_order_of_their_characters(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    library = Places(tmp_path, postgres).create()
    one = adders.curve(1)
    library.add(
        [RocCurve(name, one.totals, *adders.counts(one), one.settings) for name in NAMES], by="ada"
    )
    assert list(library) == sorted(NAMES)


def test_the_longest_name_has_room_in_the_index(postgres: PostgresServer, tmp_path: Path) -> None:
    library, one = Places(tmp_path, postgres).create(), adders.curve(1)
    letters = random.Random(1).choices("😀😁😂🤣😃😄😅😆", k=LONGEST)  # noqa: S311
    library.add(RocCurve("".join(letters), one.totals, *adders.counts(one), one.settings))
    assert library.verify().sound


def test_numbers_are_exact_whatever_the_servers_settings_are(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    url = f"{postgres.new_schema(create=False)}&options=-c%20extra_float_digits%3D0"
    library = ClassifierLibrary.create(url, objects=tmp_path / "files")
    library.add_scores([0, 1, 0, 1], {"x": [0.3, 0.1 + 0.2, 2 / 3, 2 / 3 + 2e-16]})
    with library._store.reading() as db:
        stored = db.execute("SELECT threshold FROM points").fetchall()
    assert {(0.1 + 0.2,), (2 / 3 + 2e-16,)} <= set(stored)
    assert ClassifierLibrary(url).verify().sound


def test_a_damaged_library_is_not_copied(postgres: PostgresServer, tmp_path: Path) -> None:
    places = Places(tmp_path, postgres)
    library = places.create()
    for number in (1, 2):
        adders.add(library, number)
    with library._store.record.transaction(write=True) as db:
        db.execute("DELETE FROM events WHERE id = 1")
    place, options = places.new("copy")
    with pytest.raises(StorageError, match="the history is damaged"):
        library.copy(place, **options)
    with pytest.raises(StorageError, match="was never finished"):
        ClassifierLibrary(place).verify()
    assert not list((tmp_path / "copy files").glob("*/*"))


@pytest.mark.stores
@pytest.mark.parametrize("places", ["s3"], indirect=True)
def test_everything_goes_through_an_object_store(places: Places, tmp_path: Path) -> None:
    library = places.create()
    for number in range(6):
        adders.add(library, number)
    export = library.export(scores=True)
    assert str(export.path).startswith("s3://")
    assert len(library.read_export(export)) > 100
    back = places.copy(library).copy(tmp_path / "back")
    assert told(back) == told(library)
    assert back.hull == adders.batch(range(6))
    assert library.verify().sound
    assert back.verify().sound
    assert library.compact().exports_dropped == 0


@pytest.mark.stores
@pytest.mark.parametrize("places", ["s3"], indirect=True)
def test_a_bucket_is_not_made(places: Places) -> None:
    place, options = places.new()
    with pytest.raises(OSError, match="s3://no-such-bucket/x cannot be used") as caught:
        ClassifierLibrary.create(place, objects="s3://no-such-bucket/x")
    assert type(caught.value).__name__ == "StorageError"
    with pytest.raises(StorageError, match=r"was never finished: what makes it .* Repeat it\."):
        ClassifierLibrary(place).add(adders.curve(1))
    assert ClassifierLibrary.create(place, **options).verify().sound


@pytest.mark.stores
@pytest.mark.parametrize("places", ["s3"], indirect=True)
def test_a_store_that_is_away_does_not_call_for_another_export(
    places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import s3fs

    library = places.create()
    library.add(adders.curve(1))
    library.export(scores=True)
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    s3fs.S3FileSystem.clear_instance_cache()
    with pytest.raises(
        InputError, match=r"version 1 cannot be served: s3://.* Could not"
    ) as refused:
        open_service(ClassifierLibrary(library.place), state=tmp_path, environment={})
    hint = "Check that the store can be reached, and its rights."
    assert str(refused.value).endswith(hint)
