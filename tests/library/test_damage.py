"""Damaged files: each is noticed and named, or harmless; never another answer without a word."""

from __future__ import annotations

import random
import shutil
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import rocch
from rocch import InputError, NeymanPearson, RocCurve, StorageError
from rocch.library import ClassifierLibrary
from tests.support import adders
from tests.support.places import file_of, files_of, objects_of, on_both

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.places import Places

NUMBERS = range(1, 13)
LIMIT = NeymanPearson(max_fpr=0.2)
TIMES = 60


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a library with curves, models and an export, that nobody has open."""
    library = ClassifierLibrary.create(tmp_path_factory.mktemp("whole") / "library")
    for number in NUMBERS:
        adders.add(library, number)
    library.export(scores=True)
    assert any(one.has_model for one in library.classifiers)
    library.close()
    return library.path


@pytest.fixture
def in_folder(whole: Path, tmp_path: Path) -> ClassifierLibrary:
    return ClassifierLibrary(shutil.copytree(whole, tmp_path / "library"))


@pytest.fixture
def library(whole: Path, places: Places) -> ClassifierLibrary:
    """Return a library as in a folder, or a copy of it on a server."""
    if places.server is None:
        return ClassifierLibrary(shutil.copytree(whole, places.folder / "library"))
    return places.copy(ClassifierLibrary(whole), "library")


def damaged(content: bytes, chance: random.Random) -> bytes:
    """Flip a bit, write over a few bytes with zeros or noise, or cut the rest off."""
    place = chance.randrange(100 if chance.random() < 0.1 else len(content))
    before, after = content[:place], content[place + 1 :]
    hit = content[place]
    return chance.choice(
        [
            before + bytes([hit ^ 1 << chance.randrange(8)]) + after,
            (before + bytes(64) + after[63:])[: len(content)],
            (before + chance.randbytes(16) + after[15:])[: len(content)],
            before,
        ]
    )


def answers(library: ClassifierLibrary) -> dict[str, Any]:
    """Return what a library says, or that it refuses: no other error may come."""
    questions: dict[str, Callable[[], Any]] = {
        "hull": lambda: library.hull,
        "classifiers": lambda: library.classifiers,
        "best": lambda: library.best(LIMIT),
        "exports": lambda: [(one.version, one.sha256) for one in library.exports()],
        "standing": lambda: library.state,
    }
    said = {}
    for name, question in questions.items():
        try:
            said[name] = question()
        except StorageError:
            said[name] = StorageError
    return said


def test_damage_to_the_record_is_noticed(whole: Path, tmp_path: Path) -> None:
    chance = random.Random(5)  # noqa: S311 - a test's dice
    content = (whole / "library.sqlite").read_bytes()
    expected = answers(ClassifierLibrary(whole))
    refused = 0
    for time in range(TIMES):
        library = ClassifierLibrary(shutil.copytree(whole, tmp_path / str(time)))
        (library.path / "library.sqlite").write_bytes(damaged(content, chance))
        for name, said in answers(library).items():
            assert said is StorageError or said == expected[name], name
            refused += said is StorageError
        for history in (library.log, library.all_classifiers, library.verify, library.compact):
            try:
                history()
            except StorageError:
                refused += 1
        assert survived(library)
        library.close()
    assert refused > TIMES


def survived(library: ClassifierLibrary) -> bool:
    """Say whether every file is still there, whatever the record has lost sight of."""
    return len(files_of(library)) >= 3


def test_a_changed_count_is_noticed_where_sqlite_sees_nothing(library: ClassifierLibrary) -> None:
    library.add(adders.curve(100))
    with library._store.record.transaction(write=True) as db:
        db.execute("UPDATE points SET false_positives = false_positives + 1 WHERE place = 0")
    with pytest.raises(StorageError, match="does not hold what was last written"):
        _ = library.hull
    with pytest.raises(StorageError, match="does not hold what was last written"):
        library.add(adders.curve(101))
    checked = library.verify()
    assert not checked.sound
    assert "does not hold what was last written" in str(checked)


def test_a_library_that_lost_its_state_is_damaged_not_unfinished(
    library: ClassifierLibrary,
) -> None:
    with library._store.record.transaction(write=True) as db:
        db.execute("DELETE FROM library")
    for checked in (library.verify(), ClassifierLibrary(library.place).verify()):
        assert "does not hold what was last written" in str(checked)
    with pytest.raises(StorageError, match="does not hold what was last written"):
        len(library)


def test_a_damaged_record_does_not_cost_files(library: ClassifierLibrary) -> None:
    files = files_of(library)
    with library._store.record.transaction(write=True) as db:
        db.execute("UPDATE classifiers SET curve = NULL, model = NULL")
    assert not library.verify().sound
    with pytest.raises(StorageError):
        library.compact()
    assert files_of(library) == files


def test_a_history_that_cannot_be_read(library: ClassifierLibrary) -> None:
    with library._store.record.transaction(write=True) as db:
        db.execute("UPDATE events SET detail = '{'")
    with pytest.raises(StorageError, match="damaged"):
        library.log()
    assert library.hull == adders.batch(NUMBERS)


DEEP = "[" * 200_000
NO_GOAL = '{"type": "Constrained", "fields": {"goal": 1, "limits": {"items": []}}}'
PLAIN = ("[]", "null", "1", "", DEEP, '{"type": "Conditions", "fields": {}}', NO_GOAL)
NO_EVENT = (
    '{"joined": 1}',
    '{"left": [1]}',
    '{"saves": []}',
    '{"saves": {"a": "b"}}',
    '{"version": 1}',
    '{"version": 1, "classifiers": "a"}',
)
FORGED: dict[tuple[str, str], tuple[str, ...]] = {
    ("library", "bounds"): (*PLAIN, '{"items": [1, 2]}'),
    ("library", "labels"): (*PLAIN, '{"items": [1]}', '{"items": [1, {"array": []}]}'),
    ("classifiers", "tags"): ("{}", "null", "1", "[1]", DEEP),
    ("classifiers", "parameters"): ("[]", "null", "1", DEEP),
    ("classifiers", "name"): ("a\nb",),
    ("exports", "classifiers"): ("{}", "null", "1", "[1]", DEEP),
    ("events", "detail"): ("[]", "null", "1", "{", DEEP, *NO_EVENT),
}


@on_both(
    "table, column, content",
    [(*place, content) for place, contents in FORGED.items() for content in contents],
    [(*place, contents[0]) for place, contents in FORGED.items()],
)
def test_a_forged_record_is_noticed(
    library: ClassifierLibrary, table: str, column: str, content: str
) -> None:
    with library._store.writing() as db:  # which seals it
        key = {"library": "one", "exports": "version"}.get(table, "id")
        which = "(SELECT min(id) FROM classifiers WHERE state = 'kept')"
        row = which if table == "classifiers" else "1"
        db.execute(f"UPDATE {table} SET {column} = ? WHERE {key} = {row}", (content,))  # noqa: S608
    asked: dict[str, Callable[[], Any]] = {
        "library": lambda: library.hull,
        "classifiers": lambda: library.classifiers,
        "exports": library.exports,
        "events": library.log,
    }
    with pytest.raises(StorageError, match=r"it is damaged\. Restore the last backup"):
        asked[table]()
    assert f"is damaged: {table} cannot be read" in str(library.verify())


def test_a_damaged_log_gives_a_state_that_was(tmp_path: Path) -> None:
    library = ClassifierLibrary.create(tmp_path / "library")
    states: list[Any] = [None]
    for number in NUMBERS:
        adders.add(library, number)
        states.append(library.hull)
    content = (library.path / "library.sqlite-wal").read_bytes()
    chance = random.Random(6)  # noqa: S311 - a test's dice
    older = 0
    for time in range(TIMES):
        copy = ClassifierLibrary(shutil.copytree(library.path, tmp_path / str(time)))
        (copy.path / "library.sqlite-wal").write_bytes(damaged(content, chance))
        try:
            offered = copy.state.offered
            hull = copy.hull if offered else None
        except StorageError:
            continue
        assert hull == states[offered]
        older += offered < len(NUMBERS)
        copy.close()
    assert older


@on_both(
    "which, how",
    list(product(["curve", "model", "export"], ["flip", "cut", "empty", "remove"])),
    [("curve", "remove"), ("model", "flip"), ("export", "cut")],
)
def test_a_damaged_file_is_named_and_the_rest_works(
    library: ClassifierLibrary, places: Places, which: str, how: str
) -> None:
    name, owner = one_file(library, which)
    place = file_of(library, name)
    content = place.read_bytes()
    middle = len(content) // 2
    changed = {
        "flip": content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :],
        "cut": content[:middle],
        "empty": b"",
    }
    if how == "remove":
        place.unlink()
    else:
        place.write_bytes(changed[how])
    checked = library.verify()
    assert len(checked.problems) == 1
    assert owner in checked.problems[0]
    assert ("missing" if how == "remove" else "damaged") in checked.problems[0]
    with pytest.raises(StorageError, match=r"is missing|is damaged"):
        places.copy(library)
    assert not (places.folder / "copy").exists()
    assert not list(places.folder.glob("copy files/*/*"))
    check_the_rest(library, which)


def one_file(library: ClassifierLibrary, which: str) -> tuple[str, str]:
    if which == "export":
        with library._store.reading() as db:
            return db.execute("SELECT file FROM exports").fetchone()[0], "export 1"
    with library._store.reading() as db:
        query = f"SELECT {which}, name FROM classifiers WHERE {which} IS NOT NULL"  # noqa: S608 - our own
        digest, name = db.execute(query).fetchone()
    return digest, f"the {which} of {name!r}"


def check_the_rest(library: ClassifierLibrary, which: str) -> None:
    assert library.hull == adders.batch(NUMBERS)
    assert library.best(rocch.ErrorRate(0.5)).expected_cost is not None
    if which == "curve":
        with pytest.raises(StorageError, match=r"is missing|is damaged"):
            library.best(LIMIT)
    library.add(adders.judged(13))
    assert library.hull == adders.batch([*NUMBERS, 13])
    if which == "export":
        assert library.current_export is not None
        with pytest.raises((InputError, OSError)):
            rocch.load(library.current_export.path, digest=library.current_export.sha256)
        library.export(scores=True)
        library.compact()
        assert library.verify().sound


def test_the_same_content_heals_a_damaged_file(in_folder: ClassifierLibrary) -> None:
    digest, owner = one_file(in_folder, "curve")
    file_of(in_folder, digest).write_bytes(b"")
    name = owner.split("'")[1]
    same = adders.judged(int(name[1:]))
    in_folder.add(RocCurve("twin", same.totals, *adders.counts(same), same.settings))
    assert in_folder.verify().sound


OPERATIONS: dict[str, Callable[[ClassifierLibrary], object]] = {
    "hull": lambda library: library.hull,
    "best": lambda library: library.best(LIMIT),
    "add": lambda library: library.add(adders.judged(13)),
    "prune": lambda library: library.prune(*library),
    "export": lambda library: library.export(scores=True),
    "exports": lambda library: library.exports(),
    "compact": lambda library: library.compact(),
    "copy": lambda library: library.copy(Path(objects_of(library).place).parents[1] / "copy"),
}


NAMES = ["xx{}", "{}", "../../{}", "", "A" * 64, "0" * 65, "0" * 64 + "\n"]
COLUMNS = ["classifiers.curve", "classifiers.model", "exports.file"]


@on_both("column, name", list(product(COLUMNS, NAMES)), list(zip(COLUMNS, NAMES, strict=False)))
def test_a_record_that_names_other_files_is_refused(
    library: ClassifierLibrary, column: str, name: str, tmp_path: Path
) -> None:
    table, _, column = column.partition(".")
    victim = tmp_path / "victim"
    victim.write_text("mine")
    with library._store.writing() as db:  # which seals it again, as a forger would
        db.execute(f"UPDATE {table} SET {column} = ?", (name.format(victim),))  # noqa: S608 - our own
    for operation in OPERATIONS.values():
        with pytest.raises(StorageError, match=r"(library\.sqlite|schema=).* names the file "):
            operation(library)
    checked = library.verify()
    assert "names the file" in str(checked)
    assert not checked.cleaned
    assert victim.read_text() == "mine"
    assert survived(library)


@pytest.mark.parametrize("deep", [False, True])
def test_a_linked_folder_of_files_is_refused(
    in_folder: ClassifierLibrary, deep: bool, tmp_path: Path
) -> None:
    digest, _ = one_file(in_folder, "export")
    folder = in_folder.path / "objects" / digest[:2] if deep else in_folder.path / "objects"
    elsewhere = folder.rename(tmp_path / "elsewhere")
    foreign = [elsewhere / "notes.txt", elsewhere / ("f" * 62)]
    for place in foreign:
        place.write_text("mine")
    folder.symlink_to(elsewhere)
    for operation in ("exports", "compact", "copy"):
        with pytest.raises(StorageError, match="is a link"):
            OPERATIONS[operation](in_folder)
    with pytest.raises(StorageError, match="is a link"):
        in_folder.verify()
    assert all(place.read_text() == "mine" for place in foreign)
    folder.unlink()
    elsewhere.rename(folder)
    assert in_folder.verify().sound


def test_only_files_of_the_library_are_swept(library: ClassifierLibrary) -> None:
    objects = Path(objects_of(library).place)
    foreign = ["notes.txt", "00/notes.txt", "00/.hidden", "photos/" + "0" * 62, "0" * 64]
    left = ["00/" + "0" * 62, "00/.incoming-0123456789ab"]
    for name in (*foreign, *left):
        (objects / name).parent.mkdir(exist_ok=True)
        (objects / name).write_text("mine")
    assert sorted(library.verify().cleaned) == sorted(left)
    (objects / left[0]).write_text("left again")
    library.compact()
    assert not any((objects / name).exists() for name in left)
    assert all((objects / name).read_text() == "mine" for name in foreign)
