"""A study as it is run: the results that it keeps, and its progress."""

from __future__ import annotations

import ast
import hashlib
import inspect
import os
import platform
import sys
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np
from joblib import Parallel, delayed
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from threadpoolctl import threadpool_limits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from studies.workbench.tables import Source

    Result = dict[str, np.ndarray[Any, Any]]

LIBRARIES = ("rocch", "numpy", "scipy", "scikit-learn")
WRITTEN_ABOUT = "3b1005aee12b7c6108013b23f1aa8a4d8740c28af6a38cc2d48e38a5d6adfe04"
"""The fingerprint of the data that the pages' remarks are about."""

STUDIES = Path(__file__).parents[1]
ROOT = STUDIES.parent


@dataclass(frozen=True)
class Study:
    """One run of a study.

    Attributes
    ----------
    name
        The name of the study's module.
    source
        Where data come from.
    work
        The folder in which results are kept, so that a run that was stopped goes on.
    page
        The page to write; pictures stand beside it.
    quick
        Whether to run in seconds, on data that scikit-learn ships.
    jobs
        How many processes share the work.
    """

    name: str
    source: Source
    work: Path
    page: Path
    quick: bool
    jobs: int

    @property
    def kind(self) -> str:
        """What the run works on; each kind keeps its own results."""
        return "quick" if self.quick else "fetched" if self.source.fetch else "files"

    @property
    def kept(self) -> Path:
        """The folder of this kind's results."""
        return self.work / self.name / self.kind

    @property
    def as_written(self) -> bool:
        """Whether the run is the one that the page's remarks were written about."""
        return self.kind == "files" and self.source.fingerprint == WRITTEN_ABOUT

    def results(
        self,
        what: str,
        compute: Callable[..., Mapping[str, Any]],
        units: Mapping[str, tuple[Any, ...]],
    ) -> dict[str, Result]:
        """Return what `compute` gives for each unit's arguments, kept from earlier runs if it was.

        A result is kept under the arguments, the data, the libraries' versions and the text of the
        modules that compute it, so it is computed again where any of them has changed (the package
        itself counts by its version only). Arguments must say what they are as text.
        """
        made_of = "\0".join((self.source.fingerprint, versions(), _code_of(compute)))
        files = {unit: self._file(made_of, what, unit, args) for unit, args in units.items()}
        found = {unit: kept for unit, file in files.items() if (kept := _load(file)) is not None}
        missing = [unit for unit in units if unit not in found]
        with _Progress(self.name, what, len(units), len(found)) as step:
            tasks = (delayed(_keep)(unit, files[unit], compute, units[unit]) for unit in missing)
            done = Parallel(self.jobs, return_as="generator_unordered")(tasks) if missing else ()
            for unit, result in done:
                found[unit] = result
                step(unit)
        return {unit: found[unit] for unit in units}

    def _file(self, made_of: str, what: str, unit: str, args: tuple[Any, ...]) -> Path:
        told = f"{made_of}\0{(what, unit, args)!r}"
        digest = hashlib.sha256(told.encode()).hexdigest()[:12]
        safe = "".join(c if c.isalnum() else "-" for c in f"{what} {unit}")
        return self.kept / f"{safe}-{digest}.npz"


def versions() -> str:
    """Name what numbers depend on besides the data and the code."""
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return f"Python {platform.python_version()}, {libraries}"


def _code_of(compute: Callable[..., Any]) -> str:
    """Return the text of the module that a function stands in, and of all it imports from here."""
    texts: dict[Path, str] = {}
    waiting = [Path(inspect.getsourcefile(inspect.unwrap(compute)) or "")]
    while waiting:
        file = waiting.pop()
        if file not in texts:
            texts[file] = file.read_text(encoding="utf-8")
            waiting += _imported(texts[file])
    return "\0".join(texts[file] for file in sorted(texts))


def _imported(text: str) -> list[Path]:
    """Return the files of the studies that a module imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    files = (STUDIES.parent.joinpath(*name.split(".")).with_suffix(".py") for name in names)
    return [file for file in files if file.is_file()]


def _load(file: Path) -> Result | None:
    try:
        with file.open("rb") as opened, np.load(opened, allow_pickle=False) as kept:
            return dict(kept)
    except (OSError, BadZipFile, ValueError, EOFError):  # none, or one that a stop left unfinished
        return None


def _keep(
    unit: str, file: Path, compute: Callable[..., Mapping[str, Any]], args: tuple[Any, ...]
) -> tuple[str, Result]:
    with threadpool_limits(
        1
    ):  # processes share the work; threads besides would only get in the way
        result = {name: np.asarray(value) for name, value in compute(*args).items()}
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_name(f"{file.stem}.{os.getpid()}.unfinished.npz")
    np.savez_compressed(unfinished, **result)  # type: ignore[arg-type]
    unfinished.replace(file)
    return unit, result


class _Progress:
    """A bar on a terminal; elsewhere a line for each unit. Both on standard error."""

    def __init__(self, study: str, what: str, total: int, kept: int) -> None:
        self._console = Console(stderr=True)
        self._what, self._total, self._done = f"{study}: {what}", total, kept
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        self._bars = Progress(*columns, TimeElapsedColumn(), console=self._console)
        self._task = self._bars.add_task(self._what, total=total, completed=kept)

    def __enter__(self) -> Callable[[str], None]:
        if self._console.is_terminal:
            self._bars.start()
        elif self._done:
            self._say(f"{self._done} of {self._total} kept from an earlier run")
        return self._step

    def __exit__(self, *_: object) -> None:
        if self._console.is_terminal:
            self._bars.stop()

    def _step(self, unit: str) -> None:
        self._done += 1
        if self._console.is_terminal:
            self._bars.update(self._task, completed=self._done)
        else:
            self._say(f"{self._done} of {self._total}, {unit}")

    def _say(self, words: str) -> None:
        print(f"{self._what}: {words}", file=sys.stderr, flush=True)
