"""Searches put down in a file and taken up again."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import rocch
from rocch.multiclass import search as checkpoint

if TYPE_CHECKING:
    from pathlib import Path

    from rocch.multiclass import RocSurface

DATA = rocch.multiclass.three_class_data(90, seed=1)


def knn() -> rocch.multiclass.KnnModel:
    return rocch.multiclass.KnnModel(DATA.X, DATA.y)


def search(**options: Any) -> rocch.multiclass.SurfaceSearch:
    return rocch.multiclass.SurfaceSearch(knn(), DATA.y, **({"draws": 20, "start": 10} | options))


def same(one: RocSurface, other: RocSurface) -> bool:
    return all(
        np.array_equal(getattr(one, field.name), getattr(other, field.name))
        if isinstance(getattr(one, field.name), np.ndarray)
        else getattr(one, field.name) == getattr(other, field.name)
        for field in fields(one)
    )


def test_a_resumed_search_goes_on_as_if_nothing_had_happened(tmp_path: Path) -> None:
    path = tmp_path / "search"
    whole = search(alphas={(1, 2): 3.0}, seed=5)
    wanted = whole.run(60, tolerance=1e-9, patience=25)
    first = search(alphas={(1, 2): 3.0}, seed=5)
    first.run(30, tolerance=1e-9, patience=25)
    first.save(path)
    assert [file.name for file in tmp_path.iterdir()] == ["search"]
    resumed = rocch.multiclass.SurfaceSearch.resume(path, knn(), DATA.y)
    assert resumed.generation == 30
    assert same(resumed.surface, first.surface)
    assert same(resumed.run(30, tolerance=1e-9, patience=25), wanted)
    assert resumed._share == whole._share
    assert resumed._looked_at == whole._looked_at == 50
    assert same(first.run(30, tolerance=1e-9, patience=25), wanted)  # saving alters nothing


def test_a_search_not_yet_run_can_be_saved(tmp_path: Path) -> None:
    path = tmp_path / "search.npz"
    search(objectives="misses").save(path)
    resumed = rocch.multiclass.SurfaceSearch.resume(path, knn(), DATA.y)
    assert same(resumed.run(5), search(objectives="misses").run(5))


def test_the_order_of_classes_is_kept(tmp_path: Path) -> None:
    probabilities = knn().probabilities(np.array([9, 5.0]))[:, ::-1]
    model = rocch.multiclass.KnownProbabilities({"knn": probabilities}, [3, 2, 1])
    begun = rocch.multiclass.SurfaceSearch(model, DATA.y)
    begun.run(5)
    begun.save(tmp_path / "s")
    resumed = rocch.multiclass.SurfaceSearch.resume(tmp_path / "s", model, DATA.y)
    assert same(resumed.run(5), begun.run(5))


def test_other_rows_or_models_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "search.npz"
    begun = search()
    begun.run(3)
    begun.save(path)
    mlp = rocch.multiclass.MlpModel(DATA.X, DATA.y)
    other = rocch.multiclass.KnnModel(DATA.X[::-1], DATA.y)
    cases: list[tuple[Any, Any, str]] = [
        (knn(), np.roll(DATA.y, 1), "y_true must be the labels of the saved search"),
        (mlp, DATA.y, "model must have the parameters of the saved search ('k', 'beta')"),
        (other, DATA.y, "model must predict as the one of the saved search did"),
    ]
    for model, labels, message in cases:
        with pytest.raises(rocch.InputError, match=re.escape(message)):
            rocch.multiclass.SurfaceSearch.resume(path, model, labels)
    named = rocch.multiclass.KnnModel(DATA.X, list(map(str, DATA.y)))
    with pytest.raises(rocch.InputError, match="classes must be the model's"):
        rocch.multiclass.SurfaceSearch.resume(path, named, DATA.y.astype(str))


def test_foreign_and_damaged_files_are_refused(tmp_path: Path) -> None:
    begun = search()
    begun.run(3)
    good = tmp_path / "good.npz"
    begun.save(good)
    data = good.read_bytes()
    bad = tmp_path / "bad.npz"
    for content in (b"", b"once upon a time", data[: len(data) // 2], data[:-1]):
        bad.write_bytes(content)
        with pytest.raises(rocch.InputError, match=r"as SurfaceSearch\.save wrote it"):
            rocch.multiclass.SurfaceSearch.resume(bad, knn(), DATA.y)


def test_whatever_byte_is_altered_the_contents_are_not(tmp_path: Path) -> None:
    good, bad = tmp_path / "good", tmp_path / "bad"
    checkpoint.write(good, {"draws": 3}, {"counts": np.arange(3)})
    facts, arrays = checkpoint.read(good)
    data = bytearray(good.read_bytes())
    refused = 0
    for place in range(len(data)):
        data[place] ^= 1
        bad.write_bytes(data)
        data[place] ^= 1
        try:
            read = checkpoint.read(bad)
        except rocch.InputError:
            refused += 1
        else:  # a date, say, or padding
            assert read[0] == facts
            assert read[1].keys() == arrays.keys()
            assert np.array_equal(read[1]["counts"], arrays["counts"])
    assert refused > 0.5 * len(data)


@pytest.mark.parametrize(
    "facts",
    [
        {"facts": np.array('{"format": "another"}')},
        {"facts": np.array("[1]")},
        {"facts": np.array('{"format": "rocch surface search", "version": 1}')},
        {"facts": np.array([{"run": "code"}], dtype=object)},
        {"other": np.arange(3)},
    ],
)
def test_npz_files_of_other_kinds_are_refused(tmp_path: Path, facts: dict[str, Any]) -> None:
    np.savez(tmp_path / "other.npz", **facts)
    with pytest.raises(rocch.InputError, match=r"as SurfaceSearch\.save wrote it"):
        rocch.multiclass.SurfaceSearch.resume(tmp_path / "other.npz", knn(), DATA.y)


def test_a_newer_version_is_named(tmp_path: Path) -> None:
    newer = np.array('{"format": "rocch surface search", "version": 2}')
    np.savez(tmp_path / "newer.npz", facts=newer)
    with pytest.raises(rocch.InputError, match="name a file of version 1; got version 2"):
        rocch.multiclass.SurfaceSearch.resume(tmp_path / "newer.npz", knn(), DATA.y)


def test_a_missing_file_is_simply_missing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        rocch.multiclass.SurfaceSearch.resume(tmp_path / "none.npz", knn(), DATA.y)


def test_class_names_that_are_no_text_or_number_cannot_be_saved(tmp_path: Path) -> None:
    days = np.array(["2024-01-01", "2024-01-02"], dtype="datetime64[D]")
    model = rocch.multiclass.FunctionModel(
        lambda _: np.full((2, 2), 0.5), low={"w": 0}, high={"w": 1}
    )
    begun = rocch.multiclass.SurfaceSearch(model, days)
    with pytest.raises(rocch.InputError, match="classes must be texts or numbers to be saved"):
        begun.save(tmp_path / "s")
    assert not list(tmp_path.iterdir())
