"""The studies' data: from files, from what scikit-learn ships, and as OpenML gives them."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets
from sklearn.utils import Bunch

from studies.workbench.tables import ENTRIES, DataError, Source

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
ROWS = {  # rows, features, rows of the rarest class
    "adult": (48842, 14, 11687),
    "ann_thyroid": (7200, 21, 166),
    "breast_cancer_wisconsin": (699, 9, 241),
    "creditcard_sample": (1722, 30, 492),
    "crx": (690, 15, 307),
    "dna_statlog": (3186, 180, 765),
    "german_credit": (1000, 20, 300),
    "heart_cleveland": (303, 13, 139),
    "heart_hungarian_261": (261, 10, 98),
    "iris": (150, 4, 50),
    "pima": (768, 8, 268),
    "satimage": (6435, 36, 626),
    "sick": (3772, 29, 231),
    "vehicle": (846, 18, 199),
    "waveform21": (5000, 21, 1653),
    "wine": (178, 13, 48),
    "yeast": (1484, 8, 5),
}


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs the real data")
@pytest.mark.parametrize("name", sorted(ENTRIES))
def test_real_data_have_the_papers_sizes(name: str) -> None:
    table = Source(SHARED).load(name)
    assert (*table.features.shape, int(table.positive.sum())) == ROWS[name]


def write(folder: Path, name: str) -> None:
    frame = pd.DataFrame(
        {"age": [1.5, None, 3.0], "job": ["a", None, "b"], "target": ["no", "yes ", "no"]}
    )
    frame.to_csv(folder / f"{name}.csv", index=False)


def test_a_file_gives_features_and_the_last_column_as_classes(tmp_path: Path) -> None:
    write(tmp_path, "pima")
    table = Source(tmp_path).load("pima")
    assert table.minority == "yes"
    assert table.positive.tolist() == [False, True, False]
    assert table.nominal == ["job"]
    assert np.isnan(table.features["age"][1])


def test_numbers_as_classes_are_text(tmp_path: Path) -> None:
    pd.DataFrame({"x": [1, 2, 3], "target": [0, 1, 0]}).to_csv(tmp_path / "iris.csv", index=False)
    assert Source(tmp_path).load("iris").target.tolist() == ["0", "1", "0"]


@pytest.mark.parametrize(
    "content", [b"", b"a,b\n1,2,3\n1\n1,2,3,4\n", b"\xff\xfe\x00x", b"x,target\n", b"target\n1\n"]
)
def test_files_that_are_no_tables_are_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "pima.csv").write_bytes(content)
    with pytest.raises(DataError, match=r"^pima\.csv (could not be read|must have rows)"):
        Source(tmp_path).load("pima")


def test_missing_files_are_named_before_any_work(tmp_path: Path) -> None:
    write(tmp_path, "pima")
    with pytest.raises(DataError, match=r"with crx\.csv, wine\.csv; got .*--fetch.*--quick"):
        Source(tmp_path).check(["pima", "crx", "sklearn/iris", "wine"])
    Source(tmp_path, fetch=True).check(["crx"])


def test_what_scikit_learn_ships_needs_no_folder(tmp_path: Path) -> None:
    source = Source(tmp_path / "none")
    source.check(["sklearn/breast_cancer"])
    table = source.load("sklearn/breast_cancer")
    assert (table.minority, int(table.positive.sum())) == ("malignant", 212)


def openml(monkeypatch: pytest.MonkeyPatch, name: str, frame: pd.DataFrame) -> list[int]:
    """Answer as OpenML does, through scikit-learn, and note what was asked for."""
    asked: list[int] = []

    def fetch(*, data_id: int, **_: Any) -> Bunch:
        asked.append(data_id)
        target = frame.iloc[:, -1].astype("category")
        return Bunch(data=frame.iloc[:, :-1], target=target, details={"name": name})

    monkeypatch.setattr(datasets, "fetch_openml", fetch)
    return asked


def test_openml_gives_the_same_kind_of_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = pd.Series(["a", None, "b"], dtype="category")
    frame = pd.DataFrame({"age": [1.0, 2.0, 3.0], "job": job, "class": ["neg", "pos", "neg"]})
    asked = openml(monkeypatch, "diabetes", frame)
    table = Source(tmp_path, fetch=True).load("pima")
    assert asked == [37]
    assert (table.minority, table.nominal) == ("pos", ["job"])


def test_waveform_from_openml_loses_its_noise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = pd.DataFrame(np.zeros((4, 41)), columns=[*(f"x{i}" for i in range(40)), "class"])
    openml(monkeypatch, "waveform-5000", frame)
    assert Source(tmp_path, fetch=True).load("waveform21").features.shape == (4, 21)


def test_the_hungarian_subjects_from_openml_are_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = ["age", "chol", "slope", "ca", "thal", "num"]
    frame = pd.DataFrame([[40, 200, None, None, None, "a"], [50, None, 1, 1, 1, "b"]])
    openml(monkeypatch, "heart-h", frame.set_axis(columns, axis=1))
    table = Source(tmp_path, fetch=True).load("heart_hungarian_261")
    assert table.features.columns.tolist() == ["age", "chol"]
    assert table.target.tolist() == ["a"]


def test_frauds_from_openml_all_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame({"amount": np.arange(1000.0), "Class": (["1"] * 20 + ["0"] * 980)})
    openml(monkeypatch, "creditcard", frame)
    table = Source(tmp_path, fetch=True).load("creditcard_sample")
    assert (len(table.target), int(table.positive.sum())) == (70, 20)


def test_another_data_set_of_that_number_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    openml(monkeypatch, "kr-vs-kp", pd.DataFrame({"x": [1.0], "class": ["a"]}))
    with pytest.raises(DataError, match="must be 'diabetes'; it is 'kr-vs-kp'"):
        Source(tmp_path, fetch=True).load("pima")


def test_no_network_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fetch(**_: Any) -> Bunch:
        raise URLError("no route to host")

    monkeypatch.setattr(datasets, "fetch_openml", fetch)
    with pytest.raises(DataError, match=r"37 could not be loaded: .*--data.*--quick"):
        Source(tmp_path, fetch=True).load("pima")
