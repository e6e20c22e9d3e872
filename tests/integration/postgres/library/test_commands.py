"""`rocch library` with the URL of a database as DIR."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from rocch.cli.main import cli
from rocch.database.postgres import DatabaseUrl
from rocch.errors import RocchError
from rocch.library import ClassifierLibrary
from rocch.service import open_service
from tests.support.places import files_of, objects_of

if TYPE_CHECKING:
    from tests.support.places import Places

pytestmark = pytest.mark.parametrize("places", ["postgres"], indirect=True)
COSTS = ("--prevalence", "0.1", "--false-positive", "1", "--false-negative", "5")


def run(*typed: object, status: int = 0) -> str:
    done = CliRunner().invoke(cli, ["library", *map(str, typed)])
    assert done.exit_code == status, done.output
    return done.output


def answer(*typed: object) -> Any:
    return json.loads(run(*typed, "--json"))


def test_every_command(places: Places, scores_csv: Path, tmp_path: Path) -> None:
    place, options = places.new()
    assert isinstance(place, DatabaseUrl)
    url, objects = place.text, options["objects"]
    assert run("init", url, "--objects", objects) == f"Made: {place}\n"
    added = answer("add", url, scores_csv, "--label", "y", "--by", "ada")
    assert [one["outcome"] for one in added["classifiers"]] == ["extends", "extends"]
    run("init", tmp_path / "folder")
    run("add", tmp_path / "folder", scores_csv, "--label", "y", "--by", "ada")
    for command in (("list",), ("show", "nb"), ("best", *COSTS), ("hull",)):
        typed = [(command[0], where, *command[1:]) for where in (url, tmp_path / "folder")]
        own, other = (run(*each) for each in typed)
        assert without_times(own) == without_times(other), command
    exported = answer("export", url, "-o", tmp_path / "hybrid.rocch")
    assert exported["export"]["version"] == 1
    assert (tmp_path / "hybrid.rocch").is_file()
    history = run("log", url)
    assert history.index("added") < history.index("exported")
    assert run("verify", url) == "all is well\n"
    assert "0 old export(s) dropped" in run("compact", url)
    target, more = places.new("copy")
    assert isinstance(target, DatabaseUrl)
    copied = answer("copy", url, target.text, "--objects", more["objects"])
    assert copied == {"library": str(place), "target": str(target)}
    assert run("copy", target.text, tmp_path / "back") == f"Written: {tmp_path / 'back'}\n"
    with ClassifierLibrary(tmp_path / "back") as back, ClassifierLibrary(place) as library:
        assert back.hull == library.hull
        assert back.verify().sound
    run("prune", url, "nb")
    assert [one["name"] for one in answer("list", url)["classifiers"]] == ["gbm"]


def without_times(text: str) -> list[str]:
    return [line for line in text.splitlines() if "20" not in line]


def test_damage_ends_with_status_1(places: Places) -> None:
    library = places.create()
    assert isinstance(library.place, DatabaseUrl)
    with library._store.record.transaction(write=True) as db:
        db.execute("UPDATE library SET offered = 7")
    assert "does not hold what was last written" in run("verify", library.place.text, status=1)


def serve(library: ClassifierLibrary, state: Path) -> str:
    """Return how a service of the library is refused."""
    with pytest.raises(RocchError) as refused:
        open_service(library, state=state, environment={})
    return str(refused.value)


def test_an_unmounted_folder_is_to_be_mounted(
    places: Places, tmp_path: Path, scores_csv: Path
) -> None:
    library = places.create()
    assert isinstance(library.place, DatabaseUrl)
    url, folder = library.place.text, Path(objects_of(library).place)
    run("add", url, scores_csv, "--label", "y")
    run("export", url)
    folder.rename(tmp_path / "away")
    for mounted in (False, True):
        if mounted:
            folder.mkdir()  # over which the folder is mounted otherwise
        for command, status in (("verify", 1), ("export", 2), ("compact", 2)):
            said = run(command, url, status=status)
            assert "Mount the folder" in said
            assert "is missing" not in said
        assert "Mount the folder that all machines share" in serve(library, tmp_path)
    folder.rmdir()
    (tmp_path / "away").rename(folder)
    (folder / files_of(library)[0]).write_bytes(b"x")
    assert "Restore it from a backup" in run("verify", url, status=1)


@pytest.mark.parametrize("command", ["list", "verify", "log", "compact", "hull"])
def test_where_there_is_no_library(places: Places, command: str) -> None:
    place, _ = places.new()
    assert isinstance(place, DatabaseUrl)
    said = run(command, place.text, status=2)
    assert f"got '{place}', where there is none. Make one with rocch library init." in said
