"""A library on PostgreSQL whose server restarts, and whose connections are cut, while others add.

    python -m pytest -m '' -n 0 -s tests/soak/test_library_connections.py

It takes a few minutes, and prints what happened.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from rocch.database.postgres import DatabaseUrl
from tests.support import adders
from tests.support.cuttable_proxy import CuttableProxy
from tests.support.places import SERVER, STORE

if TYPE_CHECKING:
    from rocch.library import ClassifierLibrary
    from tests.support.places import Places

RESTARTS, CUTS, SHARE = 20, 200, 400


def check(library: ClassifierLibrary, numbers: range) -> int:
    """Check that everything is there; return how many loose files were cleaned."""
    assert library.hull == adders.batch(numbers)
    checked = library.verify()
    assert checked.sound, checked
    return len(checked.cleaned)


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("places", [SERVER], indirect=True)
def test_twenty_restarts(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    server, library, numbers = places.server, places.create(), range(4 * SHARE)
    assert server is not None
    chance = random.Random(20)  # noqa: S311 - a test's dice
    context = adders.context(monkeypatch)
    shares = [(library.place, numbers[i::4]) for i in range(4)]
    adding = adders.started(context, adders.add_and_repeat, *shares)
    busy = 0
    for number in range(RESTARTS):
        adding[number % 4].join(chance.uniform(0, 1))
        busy += any(process.is_alive() for process in adding)
        if number % 3 == 2:
            server.kill()
            server.start()
        else:
            server.restart("fast" if number % 3 else "immediate")
    assert adders.ended_well(adding)
    loose = check(library, numbers)
    assert busy == RESTARTS  # otherwise SHARE is too small for this machine
    print(f"\n{RESTARTS} restarts, {len(numbers)} additions, {loose} loose files cleaned")  # noqa: T201


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("places", [SERVER, STORE], indirect=True)
def test_two_hundred_cuts(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    library, numbers = places.create(), range(4 * SHARE)
    assert places.server is not None
    assert isinstance(library.place, DatabaseUrl)
    chance = random.Random(21)  # noqa: S311 - a test's dice
    cuts = 0
    with CuttableProxy(library.place.address) as proxy:
        place = DatabaseUrl.parse(proxy.through(library.place.text))
        shares = [(place, numbers[i::4]) for i in range(4)]
        adding = adders.started(adders.context(monkeypatch), adders.add_and_repeat, *shares)
        for number in range(CUTS):
            adding[number % 4].join(chance.uniform(0, 0.1))
            by_proxy = chance.random() < 0.5
            cuts += proxy.cut() if by_proxy else places.server.cut_connections("rocch library")
        assert adders.ended_well(adding)
    loose = check(library, numbers)
    assert cuts > CUTS
    print(f"\n{cuts} connections cut, {len(numbers)} additions, {loose} loose files cleaned")  # noqa: T201
