"""A process whose writing is cut short: by a full disk, or by a signal at any line of the writer.

Run as a program, with a folder and `full` or the name of a signal. It prints what it saw.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB

import rocch
import rocch.files

if TYPE_CHECKING:
    from collections.abc import Callable

LEAST = 100
"""How large a file can become on the disk that is full, in bytes."""
WRITER = rocch.files.__file__


def hybrid() -> Any:
    """Return a fitted hybrid."""
    X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0], [1]], 30, axis=0)
    y = np.repeat([0, 1], 30)
    nb = FrozenEstimator(GaussianNB().fit(X, y))
    return rocch.RocchClassifier([("nb", nb)]).fit(X, y)


def writers(folder: Path) -> dict[str, Callable[[Path], Any]]:
    """Return whatever in the package writes a file, by name."""
    from rocch.cli.main import cli

    y = np.arange(40) % 2
    scores = {"a": np.arange(40.0), "b": np.arange(40.0)[::-1] * (y + 1)}
    model, hull = hybrid(), rocch.RocHull.from_scores(y, scores)
    library = rocch.library.ClassifierLibrary.create(folder / "library")
    library.add(rocch.RocCurve.from_scores(y, scores["a"], name="a"))
    summary = rocch.scale.scan(pl.DataFrame({"y": y, **scores}), label="y", scores="a").summary()
    data = rocch.multiclass.three_class_data(60, seed=1)
    search = rocch.multiclass.SurfaceSearch(
        rocch.multiclass.KnnModel(data.X, data.y), data.y, draws=9, start=4
    )
    table = folder / "scores.csv"
    pl.DataFrame({"y": y, **scores}).write_csv(table)
    asked = ["report", str(table), "--label", "y", "--scores", ",".join(scores), "--resamples", "0"]
    asked += ["--format", "md", "-o"]
    return {
        "save": lambda path: rocch.save(model, path),
        "summary": summary.save,
        "search": search.save,
        "report": lambda path: rocch.write_report(hull, path, format="md", resamples=0),
        "export": lambda path: library.export(path, scores=True),
        "command": lambda path: cli([*asked, str(path)], standalone_mode=False),
    }


def on_a_full_disk(folder: Path) -> None:
    """Write twice, the second time where nothing fits; print what is said of it."""
    import resource

    for name, write in writers(folder).items():
        place = folder / f"{name}.written"
        place.parent.mkdir(exist_ok=True)
        write(place)
        before = place.read_bytes()
        usual = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (LEAST, usual[1]))
        try:
            write(place)
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
        else:
            said = "it went on"
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
        kept = "kept" if place.read_bytes() == before else "destroyed"
        sys.stdout.write(f"{name}, {kept}, {said}\n")


def ended_at_every_line(folder: Path, number: signal.Signals) -> None:
    """Save over a file again and again, ended at each line of the writer; print what is left."""
    model, place = hybrid(), folder / "model.rocch"
    rocch.save(model, place)
    moment = ended = 0
    while ended in (0, -number):
        child = os.fork()
        if not child:
            end_at_line(moment, number)
            rocch.save(model, place)
            os._exit(1)
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        whole = rocch.load(place).hull_ == model.hull_
        left = sorted(file.name for file in folder.iterdir())
        sys.stdout.write(f"{ended} {whole} {' '.join(left)}\n")
        for file in folder.glob(".*"):
            file.unlink()
        moment += 1


def end_at_line(moment: int, number: signal.Signals) -> None:
    """Let this process get a signal as soon as so many lines of the writer have run."""
    left = iter(range(moment))

    def line(_frame: Any, event: str, _: Any) -> Any:
        if event == "line" and next(left, None) is None:
            sys.settrace(None)
            signal.raise_signal(number)
        return line

    def call(frame: Any, event: str, argument: Any) -> Any:
        return line(frame, event, argument) if frame.f_code.co_filename == WRITER else None

    sys.settrace(call)


if __name__ == "__main__":
    if sys.argv[2] == "full":
        on_a_full_disk(Path(sys.argv[1]))
    else:
        ended_at_every_line(Path(sys.argv[1]), signal.Signals[sys.argv[2]])
