"""Many processes at once, on one library: the batch hull of everything added is the oracle."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rocch import Conditions, InputError, NeymanPearson, RocCurve, RocHull
from rocch.library import ClassifierLibrary
from tests.support import adders
from tests.support.adders import ended_well, started
from tests.support.places import SERVER, STORE, files_of

if TYPE_CHECKING:
    from tests.support.places import Places


@pytest.fixture
def library(places: Places) -> ClassifierLibrary:
    return places.create()


def curves(count: int, start: int = 0) -> list[int]:
    return [n for n in range(start, start + 2 * count) if not adders.is_model(n)][:count]


@pytest.mark.parametrize("places", ["folder", SERVER, STORE], indirect=True)
def test_eight_processes_make_the_batch_hull(
    library: ClassifierLibrary, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = curves(1600 if places.store is None else 160)
    shares = [(library.place, numbers[i::8]) for i in range(8)]
    assert ended_well(started(adders.context(monkeypatch), adders.add_curves, *shares))
    oracle = adders.batch(numbers)
    assert library.hull == oracle
    assert {one.name for one in library.classifiers} == oracle.winners
    assert library.state.offered == len(numbers)
    assert library.verify().sound
    assert library.verify().cleaned == ()
    joined = [name for entry in library.log() for name in entry.joined]
    left = [name for entry in library.log() for name in entry.left]
    assert sorted(set(joined) - set(left)) == sorted(oracle.winners)
    assert len(set(joined)) == len(joined)


def test_the_same_under_other_names_and_under_the_same(
    library: ClassifierLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = curves(25)
    shares = [(library.place, numbers, name + "{}") for name in ("a", "a", "b", "b", "c", "c")]
    assert ended_well(started(adders.context(monkeypatch), adders.add_curves, *shares))
    named = [
        RocCurve(
            f"{name}{n}", one.totals, one.false_positives, one.true_positives, one.lowest_scores
        )
        for n, one in ((n, adders.curve(n)) for n in numbers)
        for name in "abc"
    ]
    assert library.hull == RocHull.of(*named)
    assert library.verify() == library.verify()
    assert library.verify().sound
    once = 3 if isinstance(library.place, Path) else 1  # in a folder, the same content is one file
    assert len(files_of(library)) * once == len(library)


def test_others_export_copy_compact_and_ask_meanwhile(
    library: ClassifierLibrary, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = curves(240)
    shares = [(library.place, numbers[i::4]) for i in range(4)]
    adding = started(adders.context(monkeypatch), adders.add_curves, *shares)
    turn = 0
    while any(process.is_alive() for process in adding):
        turn += 1
        with suppress(InputError):  # as long as nothing was added
            library.export(note=f"turn {turn}")
            library.best(NeymanPearson(max_fpr=0.2))
        copy = places.copy(library, f"copy-{turn}")
        checked = copy.verify()
        assert checked.sound
        assert checked.cleaned == ()
        copy.close()
        library.compact()
        assert library.verify().sound
    assert ended_well(adding)
    assert turn  # at least once, however fast the others were
    assert library.hull == adders.batch(numbers)
    library.export()
    assert len(library.exports()) <= 2


def test_narrower_bounds_while_others_add(
    library: ClassifierLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    bounds = Conditions(prevalence=0.5, false_positive=(0.5, 1), false_negative=1)
    numbers = curves(120)
    adding = started(
        adders.context(monkeypatch),
        adders.add_curves,
        *((library.place, numbers[i::4]) for i in range(4)),
    )
    library.prune(within=bounds)
    assert ended_well(adding)
    assert library.hull == adders.batch(numbers).within(bounds)
    assert library.verify().sound


def test_a_copy_of_a_live_library_is_one_of_its_states(
    library: ClassifierLibrary, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = list(range(60))  # with models, one after the other: its states are known
    context = adders.context(monkeypatch)
    heard, said = context.Pipe(duplex=False)
    adding = started(context, adders.add_and_say, (library.place, numbers, said, None))
    said.close()
    states = [adders.batch(numbers[:count]) for count in range(1, 61)]
    for known, last in enumerate(adders.acknowledged(heard)):
        assert last == numbers[known]
        if known % 6 == 0:
            copy = places.copy(library, f"copy-{known}")
            there = copy.state.offered
            assert there > known  # what was acknowledged before it began is in it
            assert copy.hull == states[there - 1]
            assert copy.verify().sound
            copy.close()
    assert ended_well(adding)
    assert library.hull == states[-1]


def test_a_forked_child_uses_its_parents_library(places: Places) -> None:
    # in a process of its own: the one that runs the tests may have threads, and must not fork
    import subprocess
    import sys

    place, options = places.new()
    script = f"""
import os, threading
from tests.support import adders
from rocch.library import ClassifierLibrary
library = ClassifierLibrary.create({getattr(place, "text", str(place))!r}, **{options!r})
numbers = [n for n in range(90) if not adders.is_model(n)]
def add(some):
    for n in some:
        library.add(adders.curve(n))
busy = threading.Thread(target=add, args=(numbers[0::3],))
busy.start()  # it is in the midst of something when the others are forked
children = []
for share in (numbers[1::3], numbers[2::3]):
    child = os.fork()
    if not child:
        add(share)
        os._exit(0)
    children.append(child)
assert [os.waitpid(child, 0)[1] for child in children] == [0, 0]
busy.join()
assert library.hull == adders.batch(numbers)
assert library.verify().sound
print("well")
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(  # noqa: S603 - our own text
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout == "well\n", done.stderr
