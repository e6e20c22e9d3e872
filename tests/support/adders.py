"""What other processes do to a library, in a module that they can import.

They are forked from a server that has everything loaded, so that many are cheap.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from contextlib import closing
from functools import cache, partial
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Any

import numpy as np
import skops.io  # noqa: F401 - loaded here, once for all children
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import rocch.database.record
import rocch.files
import rocch.library.library
from rocch import InputError, RocCurve, RocHull, StorageError
from rocch.hybrid.components import curve_of
from rocch.library import ClassifierLibrary
from rocch.service.store import Policy, Store
from rocch.service.tables import copy_record, record_place

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable, Iterator

    import pytest

    from rocch.database.places import Place

LIBRARY_CODE = (
    str(Path(rocch.library.library.__file__).parent),
    str(Path(rocch.database.record.__file__).parent),
    rocch.files.__file__,
)


def context(patch: pytest.MonkeyPatch) -> Any:
    """Return what starts processes: forked from a server that has loaded this module."""
    patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    server = multiprocessing.get_context("forkserver")
    server.set_forkserver_preload([__name__, "psycopg", "s3fs"])
    return server


def process(context: Any, target: Callable[..., None], *arguments: Any) -> Any:
    """Return a process of this function, in the present environment, which names object stores.

    The server that they are forked from may have been started in another.
    """
    environment = {name: value for name, value in os.environ.items() if name.startswith("AWS_")}
    return context.Process(target=_in_environment, args=(environment, target, *arguments))


def _in_environment(
    environment: dict[str, str], target: Callable[..., None], *arguments: Any
) -> None:
    os.environ.update(environment)
    target(*arguments)


def started(context: Any, target: Callable[..., None], *everyones: tuple[Any, ...]) -> list[Any]:
    """Start a process for each one's arguments."""
    processes = [process(context, target, *one) for one in everyones]
    for one in processes:
        one.start()
    return processes


def ended_well(processes: Iterable[Any]) -> bool:
    """Wait for processes, and return whether all of them succeeded."""
    codes = []
    for one in processes:
        one.join()
        codes.append(one.exitcode)
    return not any(codes)


@cache
def rows() -> tuple[Any, Any]:
    """Return features and labels of the rows that everyone is judged on."""
    rng = np.random.default_rng(0)
    y = np.arange(300) % 3 == 0
    return rng.normal(size=(300, 6)) + 0.75 * y[:, None], y.astype(int)


def curve(number: int) -> RocCurve:
    """Return a classifier of its own, good somewhere: its number is all that it is made from."""
    rng = np.random.default_rng(number)
    y = rows()[1]
    spread = 0.4 * rng.normal()  # apart in the classes, so that curves cross
    noise = np.exp([spread, -spread])[y] * rng.normal(size=y.size)
    skill = rng.normal(1.2, 0.1)
    return RocCurve.from_scores(y, np.round(y * skill + noise, 1), name=f"c{number}")


def model(number: int) -> Any:
    """Return a fitted model, and its name."""
    rng = np.random.default_rng(number)
    X, y = rows()
    kind = GaussianNB() if number % 2 else DecisionTreeClassifier(max_depth=3, random_state=0)
    # of the rows it is judged on it may see some: this is about files, not about honesty
    seen = rng.random(y.size) < rng.uniform(0.2, 0.8)
    return kind.fit(X[seen], y[seen])


def is_model(number: int) -> bool:
    """Say whether this number is a model, and not a curve alone."""
    return number % 3 == 0


def add(library: ClassifierLibrary, number: int) -> None:
    """Add the classifier with this number."""
    if is_model(number):
        library.add_model(f"m{number}", model(number), *rows())
    else:
        library.add(judged(number))


def batch(numbers: Iterable[int]) -> RocHull:
    """Return the hull of all at once: the oracle."""
    return RocHull.of(*(judged(number) for number in numbers))


@cache
def judged(number: int) -> RocCurve:
    """Return the curve of a classifier, as the library judges it."""
    if is_model(number):
        return curve_of(model(number), *rows(), pos_label=None, name=f"m{number}")
    return curve(number)


def add_curves(path: Place, numbers: Iterable[int], names: str = "c{}") -> None:
    """Add curves one after the other, in a process of its own."""
    library = ClassifierLibrary(path)
    for number in numbers:
        one = curve(number)
        library.add(RocCurve(names.format(number), one.totals, *counts(one), one.settings))


def counts(one: RocCurve) -> tuple[Any, Any, Any]:
    """Return the columns of a curve."""
    return one.false_positives, one.true_positives, one.lowest_scores


def add_and_say(path: Place, numbers: Iterable[int], said: Any, killed_at: int | None) -> None:
    """Add, and say each number once it is acknowledged; be killed at a line of the library's."""
    library = ClassifierLibrary(path)
    if killed_at is not None:
        kill_at_line(killed_at)
    for number in numbers:
        add(library, number)
        os.write(said.fileno(), number.to_bytes(4, "big"))


def add_and_repeat(path: Place, numbers: Iterable[int]) -> None:
    """Add, and repeat what failed because a database or its network did, until it is there."""
    library: ClassifierLibrary | None = None
    for number in numbers:
        while True:
            try:
                library = library or ClassifierLibrary(path)
                add(library, number)
                break
            except StorageError:
                sleep(0.02)


def acknowledged(heard: Any) -> Iterator[int]:
    """Read what a process that is no more had said."""
    while said := os.read(heard.fileno(), 4):
        yield int.from_bytes(said, "big")


def kill_at_line(moment: int) -> None:
    """Let this process be killed as soon as so many lines of the library's code have run."""
    left = iter(range(moment))

    def line(_frame: Any, event: str, _: Any) -> Any:
        if event == "line" and next(left, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)
        return line

    def call(frame: Any, event: str, argument: Any) -> Any:
        inside = frame.f_code.co_filename.startswith(LIBRARY_CODE)
        return line(frame, event, argument) if inside else None

    sys.settrace(call)


def copy_and_be_killed(path: Place, target: Place, moment: int, options: dict[str, Any]) -> None:
    """Copy a library and the record of its service, and be killed on the way or just after."""
    kill_at_line(moment)
    copy(path, target, options)
    os.kill(os.getpid(), signal.SIGKILL)


def copy(path: Place, target: Place, options: dict[str, Any]) -> None:
    """Copy a library and the record of its service, as `rocch library copy` does."""
    with ClassifierLibrary(path) as library:
        library.copy(target, beside=partial(copy_record, path), **options).close()


def make_with_record(path: Path) -> ClassifierLibrary:
    """Make a library with two classifiers, and the record of a service with three aims."""
    library = ClassifierLibrary.create(path)
    library.add([curve(1), curve(2)])
    with closing(Store(record_place(path))) as store:
        for _ in range(3):
            store.put_policy(Policy())
    return library


def first_answer_of_copy(target: Place) -> str:
    """Return "whole" for a copy of that library with the record, else how it is refused."""
    try:
        with ClassifierLibrary(target) as copied:
            assert copied.hull == batch([1, 2])
            assert copied.verify().sound
        with closing(Store(record_place(target))) as store:
            return "whole" if store.count_policies() == 3 else "without its record"
    except (InputError, StorageError) as error:
        known = ("where there is no", "was never finished")
        return next((words for words in known if words in str(error)), str(error))


def make_and_be_killed(path: Place, moment: int, options: dict[str, Any]) -> None:
    """Make a library, and be killed on the way or just after."""
    kill_at_line(moment)
    ClassifierLibrary.create(path, **options)
    os.kill(os.getpid(), signal.SIGKILL)


class Trial:
    """A library whose adders are killed, one after the other, and what must be in it."""

    def __init__(self, path: Place, patch: pytest.MonkeyPatch, first: int = 0) -> None:
        self.path, self._first = path, first
        self.added: list[int] = []
        self.kills = self.loose = self.unsaid = 0
        self._context = context(patch)

    def kill(self, chance: random.Random, kills: int) -> None:
        """Kill processes by the clock and by line in turn, each followed by a full check."""
        for kill in range(kills):
            killed = self.killed_by_line if kill % 2 else self.killed_by_the_clock
            killed(chance)
            self.check()

    def killed_by_line(self, chance: random.Random) -> None:
        """Let a process add until it gets to a line, within its first three additions or so."""
        self._killed(chance.randrange(2500), None)

    def killed_by_the_clock(self, chance: random.Random) -> None:
        """Let a process add for a moment, and kill it then."""
        self._killed(None, chance.uniform(0, 0.15))

    def _killed(self, line: int | None, moment: float | None) -> None:
        heard, said = self._context.Pipe(duplex=False)
        numbers = range(self._next, self._next + 1000)
        child = process(self._context, add_and_say, self.path, numbers, said, line)
        child.start()
        said.close()
        if moment is not None:
            first = os.read(heard.fileno(), 4)  # it has begun in earnest
            self.added.append(int.from_bytes(first, "big"))
            child.join(moment)
            child.kill()
        child.join()
        assert child.exitcode == -signal.SIGKILL
        self.added += acknowledged(heard)
        heard.close()
        self.kills += 1

    @property
    def _next(self) -> int:
        return self.added[-1] + 1 if self.added else self._first

    def check(self) -> None:
        """Check everything: nothing acknowledged is lost, and the next addition works."""
        library = ClassifierLibrary(self.path)
        one_more = library.state.offered - len(self.added)
        assert one_more in (0, 1)  # the one that was under way is in it wholly or not at all
        if one_more:
            self.added.append(self._next)
            self.unsaid += 1
        if self.added:
            self._check_hull(library)
        checked = library.verify()
        assert checked.sound, checked
        self.loose += len(checked.cleaned)
        assert library.verify().cleaned == ()
        self.added.append(self._next)
        add(library, self.added[-1])
        self._check_hull(library)
        library.close()

    def _check_hull(self, library: ClassifierLibrary) -> None:
        oracle = batch(self.added)
        assert library.hull == oracle
        assert {one.name for one in library.classifiers} == oracle.winners
        with_models = {one.name for one in library.classifiers if one.has_model}
        assert with_models == {name for name in oracle.winners if name.startswith("m")}


def migrate(path: Place, steps: tuple[str, ...], together: Any) -> None:
    """Open a record that is older than this release, at the same moment as others."""
    from rocch.database.record import Tables
    from rocch.library import store as schema

    schema.TABLES = Tables("library", schema.APPLICATION, (schema.FIRST, *steps))
    together.wait()
    assert len(ClassifierLibrary(path)) == 1
