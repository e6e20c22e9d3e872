"""Saved models and libraries as sources of versions, and what is neither."""

import os
import pickle
import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import rocch
from rocch.library import ClassifierLibrary
from rocch.library.maintenance import make_in_folder
from rocch.service import open_service
from rocch.service.sources import LibraryExports, ModelFile, open_source
from tests.support.real_service import add_another, make_library

X, Y = make_classification(200, 3, n_informative=3, n_redundant=0, random_state=3)
MODEL = rocch.RocchClassifier([("nb", GaussianNB())]).fit(X, Y)


def test_a_file_has_a_new_version_when_it_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "model.rocch"
    digest = rocch.save(MODEL, path)
    content = path.read_bytes()
    source = open_source(path)
    assert isinstance(source, ModelFile)
    assert source.state == tmp_path / "model.rocch.service"
    first = source.newest()
    assert (first.sha256, first.number, first.path) == (digest, 0, path)
    assert first.at.endswith("Z")
    assert source.newest() is first  # it was not read again
    second = rocch.save(MODEL.at(rocch.NeymanPearson(0.1)), path)
    assert source.newest().sha256 == second != digest
    path.write_bytes(content)
    assert source.newest().sha256 == digest
    path.unlink()
    with pytest.raises(rocch.InputError, match="No such file"):
        source.newest()


def test_a_link_may_lead_elsewhere_later(tmp_path: Path) -> None:
    link = tmp_path / "model.rocch"
    digests = [
        rocch.save(MODEL, tmp_path / "0.rocch"),
        rocch.save(MODEL.at(rocch.NeymanPearson(0.1)), tmp_path / "1.rocch"),
    ]
    link.symlink_to("0.rocch")
    source = ModelFile(link)
    assert source.newest().sha256 == digests[0]
    (tmp_path / "next").symlink_to("1.rocch")
    os.replace(tmp_path / "next", link)
    assert source.newest().sha256 == digests[1]


def test_a_file_that_changes_while_it_is_read_is_not_loaded(tmp_path: Path) -> None:
    path = tmp_path / "model.rocch"
    rocch.save(MODEL, path)
    version = ModelFile(path).newest()
    rocch.save(MODEL.at(rocch.NeymanPearson(0.1)), path)
    with pytest.raises(rocch.InputError, match="changed while it was read"):
        version.load()


def test_a_library_numbers_its_exports(tmp_path: Path) -> None:
    with make_library(tmp_path / "models") as library:
        source = open_source(library)
        assert isinstance(source, LibraryExports)
        assert source.state == tmp_path / "models"
        first = source.newest()
        assert first is not None
        assert (first.number, first.note, first.name) == (1, "first", "version 1")
        add_another(library)
        second = source.newest()
        assert second is not None
        assert (second.number, second.note) == (2, "second")
        assert isinstance(open_source(tmp_path / "models"), LibraryExports)
        assert open_source(source) is source


def test_another_export_of_the_same_number_is_another_version(tmp_path: Path) -> None:
    with make_library(tmp_path / "models") as library:
        library.copy(tmp_path / "backup").close()
        add_another(library)
    with closing(open_source(tmp_path / "models")) as source:
        lost = source.newest()
        assert lost is not None
        shutil.rmtree(tmp_path / "models")
        with ClassifierLibrary(tmp_path / "backup") as backup:
            backup.copy(tmp_path / "models").export(note="again")
        source.close()
        found = source.newest()
        assert found is not None
        assert (found.number, found.note) == (lost.number, "again")
        assert found.sha256 != lost.sha256


def test_a_library_that_was_never_finished_is_not_served(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    store = make_in_folder(tmp_path / "models")
    with store.record.reading():
        pass
    store.close()
    with pytest.raises(rocch.StorageError, match="was never finished"):
        open_service(tmp_path / "models", environment={})


def test_a_record_that_is_away_does_not_call_for_another_export(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_library(tmp_path / "models").close()

    def fail(*_: object) -> None:
        raise rocch.StorageError("The database cannot be reached.")

    monkeypatch.setattr(ClassifierLibrary, "read_export", fail)
    assert refusal_of(tmp_path / "models") == (
        "version 1 cannot be served: The database cannot be reached."
    )


def refusal_of(given: Any) -> str:
    with pytest.raises(rocch.InputError) as refused:
        open_service(given, environment={})
    return str(refused.value)


def test_what_people_take_for_a_saved_model(tmp_path: Path) -> None:
    missing = tmp_path / "none.rocch"
    text = refusal_of(missing)
    assert "which does not exist" in text
    assert f"rocch.save(model, {str(missing)!r})" in text
    pickled = tmp_path / "model.pkl"
    pickled.write_bytes(pickle.dumps(GaussianNB()))
    assert "a pickle, which could run any code" in refusal_of(pickled)
    table = tmp_path / "scores{0}.csv"
    table.write_text("y,nb\n0,0.1\n")
    assert f"rocch library add DIR {table}" in refusal_of(table)
    notes = tmp_path / "notes"
    notes.write_text("hello")
    assert "a file of another kind" in refusal_of(notes)
    assert "rocch.save(model, 'model.rocch')" in refusal_of(MODEL)
    assert "an object of type NoneType" in refusal_of(None)


def test_folders_without_a_library(tmp_path: Path) -> None:
    folder = tmp_path / "models"
    folder.mkdir()
    assert "rocch library init DIR" in refusal_of(folder)
    rocch.save(MODEL, folder / "model.rocch")
    assert refusal_of(folder).endswith(f"Name the file: {folder / 'model.rocch'}")
    open_service(folder / "model.rocch", environment={}).close()
    state = folder / "model.rocch.service"
    assert state.is_dir()
    assert refusal_of(state).endswith(f"Name the model: {folder / 'model.rocch'}")


def test_a_damaged_file_leaves_no_folder_behind(tmp_path: Path) -> None:
    path = tmp_path / "model.rocch"
    rocch.save(MODEL, path)
    path.write_bytes(path.read_bytes()[:-100])
    text = refusal_of(path)
    assert text.startswith(f"{path} cannot be served: ")
    assert text.endswith(f"rocch.save(model, {str(path)!r}).")
    assert [each.name for each in tmp_path.iterdir()] == ["model.rocch"]


def test_models_of_other_kinds(tmp_path: Path) -> None:
    path = tmp_path / "model.rocch"
    features, species = load_iris(return_X_y=True)
    surface = rocch.RocSurfaceClassifier([("lr", LogisticRegression(max_iter=500))])
    rocch.save(surface.fit(features, species), path)
    assert refusal_of(path) == (
        f"{path} cannot be served: it holds a RocSurfaceClassifier for 3 classes; only decisions "
        "between two are served. Run its rule where your rows are: model.at(costs).rule.to_sql(), "
        "or .to_python()."
    )
    rocch.save(MODEL.at_each({"DE": rocch.NeymanPearson(0.1)}), path)
    text = refusal_of(path)
    assert "a GroupedClassifier, which needs the group of each row" in text
    assert "the question of its group" in text
