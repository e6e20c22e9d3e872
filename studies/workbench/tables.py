"""The literature's data sets, from a folder, from OpenML, or as scikit-learn ships them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn import datasets

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rocch.arrays import BoolArray

    AnyArray = np.ndarray[Any, Any]


class DataError(Exception):
    """Data that a study needs and does not have, with what to do about it."""


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of features, and their classes as text."""

    name: str
    features: pd.DataFrame
    target: AnyArray

    @property
    def minority(self) -> str:
        """The rarest class, which Provost and Fawcett's classifiers are for."""
        return str(pd.Series(self.target).value_counts().sort_index().idxmin())

    @property
    def positive(self) -> BoolArray:
        """Which rows belong to the rarest class."""
        return np.asarray(self.target == self.minority)

    @property
    def nominal(self) -> list[str]:
        """The names of the features that are no numbers."""
        return list(self.features.select_dtypes(exclude="number").columns)


def _same(frame: pd.DataFrame) -> pd.DataFrame:
    return frame


def _first_21(frame: pd.DataFrame) -> pd.DataFrame:
    """Waveform with the 19 features of mere noise left out."""
    return frame.iloc[:, [*range(21), -1]]


def _complete_hungarian(frame: pd.DataFrame) -> pd.DataFrame:
    """Adams and Hand's 261 subjects: three features are mostly missing, then whole rows only."""
    return frame.drop(columns=["slope", "ca", "thal"]).dropna().reset_index(drop=True)


def _few_negatives(frame: pd.DataFrame) -> pd.DataFrame:
    """All frauds, and five halves as many of the others."""
    fraud = frame.iloc[:, -1].astype(str) == "1"
    others = frame[~fraud].sample(int(2.5 * fraud.sum()), random_state=0)
    return pd.concat([frame[fraud], others]).reset_index(drop=True)


@dataclass(frozen=True)
class Entry:
    """Where a data set is: its number and name at OpenML, and what makes it like the file."""

    openml: int
    called: str
    adapt: Callable[[pd.DataFrame], pd.DataFrame] = field(default=_same)


ENTRIES = {
    "adult": Entry(1590, "adult"),
    "ann_thyroid": Entry(40497, "thyroid-ann"),
    "breast_cancer_wisconsin": Entry(15, "breast-w"),
    "creditcard_sample": Entry(1597, "creditcard", _few_negatives),
    "crx": Entry(29, "credit-approval"),
    "dna_statlog": Entry(40670, "dna"),
    "german_credit": Entry(31, "credit-g"),
    "heart_cleveland": Entry(49, "heart-c"),
    "heart_hungarian_261": Entry(51, "heart-h", _complete_hungarian),
    "iris": Entry(61, "iris"),
    "pima": Entry(37, "diabetes"),
    "satimage": Entry(182, "satimage"),
    "sick": Entry(38, "sick"),
    "vehicle": Entry(54, "vehicle"),
    "waveform21": Entry(60, "waveform-5000", _first_21),
    "wine": Entry(187, "wine"),
    "yeast": Entry(181, "yeast"),
}

SHIPPED = {
    "breast_cancer": datasets.load_breast_cancer,
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
}
"""What scikit-learn ships, for quick runs."""


@dataclass(frozen=True)
class Source:
    """Where tables come from: a folder of CSV files, or OpenML."""

    folder: Path
    fetch: bool = False

    def load(self, name: str) -> Table:
        """Return a table by name; those that scikit-learn ships need neither folder nor network."""
        if name.startswith("sklearn/"):
            return _shipped(name)
        frame = _fetched(ENTRIES[name]) if self.fetch else self._read(name)
        return _table(name, frame)

    def check(self, names: list[str]) -> None:
        """Refuse a folder that lacks some of the files, before any work is done."""
        needed = [name for name in names if not name.startswith("sklearn/")]
        if self.fetch or not needed:
            return
        missing = [name for name in needed if not self._path(name).is_file()]
        if missing:
            raise DataError(
                f"--data must name a folder with {', '.join(f'{name}.csv' for name in missing)}; "
                f"got {str(self.folder)!r}. Load them from OpenML with --fetch, or try --quick."
            )

    @property
    def fingerprint(self) -> str:
        """What the files hold, so that results are not kept beyond the data they are of."""
        if self.fetch:
            return "OpenML"
        files = [file for name in sorted(ENTRIES) if (file := self._path(name)).is_file()]
        return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.csv"

    def _read(self, name: str) -> pd.DataFrame:
        try:
            frame = pd.read_csv(self._path(name))
        except (OSError, ValueError) as error:  # also what pandas' parser and decoder raise
            raise DataError(f"{name}.csv could not be read: {str(error).strip()}") from None
        if frame.shape[1] < 2 or frame.empty:
            raise DataError(
                f"{name}.csv must have rows of features and, as its last column, their class; "
                f"got {frame.shape[0]} rows and {frame.shape[1]} columns."
            )
        return frame


def _fetched(entry: Entry) -> pd.DataFrame:
    try:
        bunch = datasets.fetch_openml(data_id=entry.openml, as_frame=True, parser="auto")
    except OSError as error:  # also URLError and HTTPError
        raise DataError(
            f"OpenML's data set {entry.openml} could not be loaded: {error}. "
            "Without a network, name a folder with --data, or try --quick."
        ) from None
    if (called := bunch.details["name"].lower()) != entry.called:
        raise DataError(
            f"OpenML's data set {entry.openml} must be {entry.called!r}; it is {called!r}. "
            "Name a folder with --data instead."
        )
    features = bunch.data.drop(columns=bunch.target.name, errors="ignore")
    return entry.adapt(features.assign(target=bunch.target.to_numpy()))


def _shipped(name: str) -> Table:
    bunch = SHIPPED[name.removeprefix("sklearn/")](as_frame=True)
    return Table(name, bunch.data, np.asarray(bunch.target_names)[bunch.target].astype(str))


def _table(name: str, frame: pd.DataFrame) -> Table:
    features = frame.iloc[:, :-1]
    text = features.select_dtypes(exclude="number").columns
    features = features.astype(dict.fromkeys(text, object))
    return Table(name, features, frame.iloc[:, -1].astype(str).str.strip().to_numpy(dtype=str))
