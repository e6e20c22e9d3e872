"""Connections that are lost at any moment, servers that restart, and writers that go on without."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from rocch import NeymanPearson, StorageError
from rocch.database.postgres import DatabaseUrl
from rocch.library import ClassifierLibrary
from rocch.library.contents import curve_bytes
from tests.support import adders
from tests.support.cuttable_proxy import CuttableProxy
from tests.support.places import SERVER, STORE, Places, files_of, objects_of
from tests.support.postgres import PostgresServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

on_server = pytest.mark.parametrize("places", [SERVER], indirect=True)
on_stores_too = pytest.mark.parametrize("places", [SERVER, STORE], indirect=True)
NAME = "rocch library"
"""What the connections of libraries are called."""


def check(library: ClassifierLibrary, numbers: Iterable[int]) -> None:
    """Check that everything is in a library, with its files."""
    assert library.hull == adders.batch(numbers)
    checked = library.verify()
    assert checked.sound, checked
    assert library.best(NeymanPearson(max_fpr=0.2)).tpr > 0  # which reads the curves


def server_of(places: Places) -> PostgresServer:
    assert places.server is not None
    return places.server


@on_server
def test_connections_that_are_cut_at_any_moment(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = places.create()
    assert isinstance(library.place, DatabaseUrl)
    chance = random.Random(3)  # noqa: S311 - a test's dice
    numbers = list(range(60))
    with CuttableProxy(library.place.address) as proxy:
        place = DatabaseUrl.parse(proxy.through(library.place.text))
        context, shares = adders.context(monkeypatch), [(place, numbers[i::4]) for i in range(4)]
        adding = adders.started(context, adders.add_and_repeat, *shares)
        cuts = 0
        while cuts < 15 and any(one.is_alive() for one in adding):  # they may be slow to connect
            adding[chance.randrange(4)].join(chance.uniform(0, 0.15))
            by_proxy = chance.random() < 0.5
            cuts += proxy.cut() if by_proxy else server_of(places).cut_connections(NAME)
        assert adders.ended_well(adding)
    assert cuts
    check(library, numbers)


@on_server
def test_a_server_that_restarts(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    library, server, numbers = places.create(), server_of(places), list(range(100))
    shares = [(library.place, numbers[i::4]) for i in range(4)]
    adding = adders.started(adders.context(monkeypatch), adders.add_and_repeat, *shares)
    server.restart("immediate")
    server.kill()
    server.start()
    assert adders.ended_well(adding)
    check(library, numbers)


@on_server
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_commit_whose_answer_is_lost(places: Places, when: Any) -> None:
    direct = places.create()
    assert isinstance(direct.place, DatabaseUrl)
    direct.add(adders.judged(1))
    with CuttableProxy(direct.place.address) as proxy:
        library = ClassifierLibrary(DatabaseUrl.parse(proxy.through(direct.place.text)))
        assert len(library.hull) > 2  # it is connected
        proxy.cut_at(b"COMMIT\0", when)
        with pytest.raises(StorageError, match="Nobody knows whether the last change was stored"):
            library.add(adders.judged(2))
        assert proxy.cuts == 1
        (again,) = library.add(adders.judged(2)).classifiers
        assert again.outcome == ("present" if when == "after" else "extends")
        library.close()
    check(direct, [1, 2])


@on_server
def test_a_connection_that_is_lost_after_everything_was_read(places: Places) -> None:
    library = places.create()
    library.add(adders.judged(1))
    with library._store.reading() as db:
        assert db.execute("SELECT count(*) FROM classifiers").fetchone() == (1,)
        server_of(places).cut_connections(NAME)
    check(library, [1])


class Zombie:
    """A writer that loses its lock, and goes on as if it had not."""

    def __init__(self, places: Places, library: ClassifierLibrary) -> None:
        self._server, self.other = server_of(places), library
        self.library = ClassifierLibrary(library.place)
        self.went_on = False

    def loses_its_lock(
        self, patch: pytest.MonkeyPatch, step: str, meanwhile: Callable[[], object], *, after: bool
    ) -> None:
        """Let others do something before or after a step of its files."""
        objects = objects_of(self.library)
        original = getattr(objects, step)

        def held(*arguments: Any) -> Any:
            patch.setattr(objects, step, original)
            arguments = tuple(list(one) if step == "remove" else one for one in arguments)
            done = original(*arguments) if after else None
            assert self._server.cut_connections(NAME)
            meanwhile()
            self.went_on = True
            return done if after else original(*arguments)

        patch.setattr(objects, step, held)


@pytest.fixture
def zombie(places: Places) -> Zombie:
    library = places.create()
    for number in (1, 2):
        library.add(adders.judged(number))
    return Zombie(places, library)


def again(zombie: Zombie) -> None:
    """Add a classifier again, with the same content."""
    (added,) = zombie.other.add(adders.judged(2)).classifiers
    assert added.outcome == "extends"


@on_stores_too
def test_a_zombie_that_removes_what_it_dropped(
    zombie: Zombie, monkeypatch: pytest.MonkeyPatch
) -> None:
    zombie.loses_its_lock(monkeypatch, "remove", lambda: again(zombie), after=False)
    assert zombie.library.prune("c2") == ("c2",)
    assert zombie.went_on
    check(zombie.other, [1, 2])


@on_stores_too
@pytest.mark.parametrize("sweep", ["verify", "compact"])
def test_a_zombie_that_sweeps(zombie: Zombie, monkeypatch: pytest.MonkeyPatch, sweep: str) -> None:
    zombie.other.prune("c2")
    # the content is there already, as if an addition had been interrupted
    objects_of(zombie.other).put(curve_bytes(adders.judged(2)))
    zombie.loses_its_lock(monkeypatch, "remove", lambda: again(zombie), after=False)
    with pytest.raises(StorageError):  # it may not end as if it had been alone
        getattr(zombie.library, sweep)()
    assert zombie.went_on
    check(zombie.other, [1, 2])
    assert len(files_of(zombie.other)) == 2


@on_stores_too
@pytest.mark.parametrize("sweep", ["verify", "compact"])
def test_a_sweep_before_which_another_adds(
    zombie: Zombie, monkeypatch: pytest.MonkeyPatch, sweep: str
) -> None:
    zombie.other.prune("c2")
    zombie.loses_its_lock(monkeypatch, "files", lambda: again(zombie), after=True)
    getattr(zombie.library, sweep)()
    assert zombie.went_on
    check(zombie.other, [1, 2])


@on_stores_too
def test_a_zombie_that_adds(zombie: Zombie, monkeypatch: pytest.MonkeyPatch) -> None:
    zombie.other.prune("c2")
    swept: list[str] = []
    zombie.loses_its_lock(
        monkeypatch, "put", lambda: swept.extend(zombie.other.verify().cleaned), after=True
    )
    with pytest.raises(StorageError, match="the database cannot be reached"):
        zombie.library.add(adders.judged(2))
    assert len(swept) == 1  # the file that it had written
    assert zombie.library.add(adders.judged(2)).extends
    check(zombie.other, [1, 2])
