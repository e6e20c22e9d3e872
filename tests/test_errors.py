"""Every class of errors, as Python, the command line and HTTP word it."""

from __future__ import annotations

import importlib
import pkgutil
import re
import shutil
import sys
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from sklearn.frozen import FrozenEstimator

import rocch
from rocch.errors import (
    AssumptionError,
    CallError,
    GuaranteeError,
    InfeasibleError,
    InputError,
    LengthError,
    MissingExtraError,
    RocchError,
    StorageError,
    UndefinedError,
    UntrustedError,
)
from rocch.library.objects import LostFileError
from rocch.service.errors import ConflictError, NotTriedError
from rocch.service.policy import Watcher
from rocch.service.sources import ModelFile
from tests.support.columns import ColumnScores
from tests.support.serving import Asking, asking, error_of, judged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.conftest import Refusal

OWN_TYPE = "tests.support.columns.ColumnScores"
Y = [0, 1, 0, 1, 1, 0]
SCORES = {"nb": [0.1, 0.8, 0.3, 0.4, 0.9, 0.6]}


def hull() -> rocch.RocHull:
    scores, y = judged()
    return rocch.RocHull.from_scores(y, scores)


def mixable() -> dict[str, Any]:
    """Return limits that only a mix of two vertices meets."""
    left, right = hull().vertices[1:3]
    fpr, tpr = (left.fpr + right.fpr) / 2, (left.tpr + right.tpr) / 2
    return {"max_fpr": fpr + 1e-9, "min_tpr": tpr - 1e-9}


def own_model() -> rocch.RocchClassifier:
    scores, y = judged()
    mine = FrozenEstimator(ColumnScores(0).fit(scores, y))
    return rocch.RocchClassifier([("mine", mine)]).fit(scores, y)


def saved(folder: Path) -> Path:
    path = folder / "model.rocch"
    rocch.save(own_model(), path, trusted=[OWN_TYPE])
    return path


def emptied_library(folder: Path) -> Path:
    path = folder / "lib"
    rocch.library.ClassifierLibrary.create(path).close()
    (path / "library.sqlite").write_bytes(b"")
    return path


def gutted_library(folder: Path) -> Path:
    path, (scores, y) = folder / "lib", judged()
    with rocch.library.ClassifierLibrary.create(path) as library:
        library.add_scores(y, scores)
    shutil.rmtree(path / "objects")
    return path


def rejected_estimate() -> Any:
    rng = np.random.default_rng(4)
    y = np.arange(400) % 2
    curve = rocch.RocCurve.from_scores(y, rng.normal(size=400) + y, name="gbm")
    return rocch.stats.estimate_prevalence(curve, 5 * rng.normal(size=400))


@dataclass
class Surface:
    """What a situation may use: files, the command line and a service."""

    folder: Path
    refusal: Refusal
    patch: pytest.MonkeyPatch

    def table(self) -> Path:
        scores, y = judged()
        path = self.folder / "scores.csv"
        pd.DataFrame({"y": y, **scores}).to_csv(path, index=False)
        return path

    def best(self, *options: object, status: int = 2) -> str:
        return self.refusal("best", self.table(), "--label", "y", *options, status=status)

    def send(self, status: int, send: Callable[[Asking], Any]) -> dict[str, Any]:
        with asking() as ask:
            error: dict[str, Any] = error_of(send(ask), status)
            return error

    def query(self, **question: object) -> dict[str, Any]:
        words = "&".join(f"{name}={value}" for name, value in question.items())
        return self.send(422, lambda ask: ask.get(f"/v1/best?{words}"))


def options_of(limits: dict[str, Any]) -> list[str]:
    return [f"--{name.replace('_', '-')}={limit}" for name, limit in limits.items()]


def pending(surface: Surface) -> dict[str, Any]:
    """Return what the service says of an export with types that nobody trusts."""
    path = saved(surface.folder)
    with asking() as ask:
        ask.wait(Watcher(ask.service, ModelFile(path)).look())
        problem = ask.get("/v1/status").json()["model"]["pending"]["problem"]
    return {"code": "", "message": problem, "argument": None}


def tell_load(ask: Asking, alarms: int = 3) -> Any:
    load = {"kind": "load", "event_id": "monday", "alarms": alarms, "capacity": 2}
    return ask.post("/v1/feedback", load)


def unwritable(ask: Asking) -> Any:
    with ask.service.store._record.reading() as connection:
        connection.execute("PRAGMA query_only = ON")
    return tell_load(ask)


def unwritable_again(ask: Asking) -> Any:
    assert unwritable(ask).status_code == 503
    return tell_load(ask)


def told_otherwise(ask: Asking) -> Any:
    assert tell_load(ask).status_code == 200
    return tell_load(ask, alarms=4)


def without_matplotlib(surface: Surface) -> None:
    surface.patch.setitem(sys.modules, "matplotlib", None)


def draw(surface: Surface) -> None:
    without_matplotlib(surface)
    rocch.plots.RocHullDisplay.from_hull(hull())


def draw_by_command(surface: Surface) -> str:
    without_matplotlib(surface)
    return surface.best("--max-fpr", 0.1, "--plot", surface.folder / "hull.png")


@dataclass(frozen=True)
class Never:
    """Why an error cannot reach a surface."""

    why: str


@dataclass(frozen=True)
class Case:
    """One situation on each surface, and a piece of each message."""

    python: tuple[Callable[[Surface], object], str] | Never
    cli: tuple[Callable[[Surface], str], str] | Never
    http: tuple[Callable[[Surface], dict[str, Any]], str] | Never


SURFACES = tuple(each.name for each in fields(Case))
CASES: dict[type[RocchError], Case] = {
    InputError: Case(
        (
            lambda _: rocch.Question(max_fpr=0.1, population=100).criterion,
            "population must be given with capacity",
        ),
        (
            lambda s: s.best("--max-fpr", 0.1, "--population", 100),
            "--population must be given with --capacity",
        ),
        (
            lambda s: s.query(max_fpr=0.1, population=100),
            "population must be given with capacity",
        ),
    ),
    LengthError: Case(
        (
            lambda _: rocch.RocHull.from_scores(Y, {"nb": [0.5]}),
            "scores['nb'] must have one value for each of the 6 rows; got 1.",
        ),
        Never("the columns of a table have one length"),
        (
            lambda s: s.send(
                422,
                lambda ask: ask.post(
                    "/v1/feedback",
                    {
                        "kind": "outcomes",
                        "event_id": "a",
                        "scores": {"gbm": [1, 2], "nb": [1, 2], "rules": [1, 0]},
                        "outcomes": [1],
                        "complete": True,
                    },
                ),
            ),
            "outcomes must have one value for each of the 2 rows; got 1.",
        ),
    ),
    CallError: Case(
        (lambda _: rocch.Conditions(costs=3), "got the unknown 'costs'"),  # type: ignore[call-arg]
        Never("commands call functions with their own arguments"),
        Never("routes call functions with their own arguments"),
    ),
    UntrustedError: Case(
        (lambda s: rocch.load(saved(s.folder)), f"name them: trusted=['{OWN_TYPE}']."),
        (lambda s: s.refusal("report", saved(s.folder)), f"name them: --trust {OWN_TYPE}"),
        (pending, f"start the service with trust in {OWN_TYPE}."),
    ),
    StorageError: Case(
        (
            lambda s: rocch.library.ClassifierLibrary(emptied_library(s.folder)).hull,
            "is empty: its content was lost",
        ),
        (
            lambda s: s.refusal("library", "hull", emptied_library(s.folder)),
            "is empty: its content was lost",
        ),
        (lambda s: s.send(503, unwritable), "the service cannot read or write its record"),
    ),
    LostFileError: Case(
        (
            lambda s: rocch.library.ClassifierLibrary(gutted_library(s.folder)).export(),
            "is missing. Restore it from a backup.",
        ),
        (
            lambda s: s.refusal("library", "export", gutted_library(s.folder)),
            "is missing. Restore it from a backup.",
        ),
        Never("requests read no files of a library"),
    ),
    UndefinedError: Case(
        (
            lambda _: hull().best(rocch.Question(maximize="precision", prevalence=0)),
            "the precision is undefined at prevalence 0",
        ),
        (
            lambda s: s.best("--maximize", "precision", "--prevalence", 0),
            "the precision is undefined at prevalence 0",
        ),
        (
            lambda s: s.query(maximize="precision", prevalence=0),
            "the precision is undefined at prevalence 0",
        ),
    ),
    InfeasibleError: Case(
        (
            lambda _: hull().best(rocch.Question(**mixable())),
            "Pass randomize=True, or relax a limit.",
        ),
        (
            lambda s: s.best(*options_of(mixable()), status=3),
            "Add --randomize, or relax a limit.",
        ),
        (lambda s: s.query(**mixable()), 'Send "randomize": true, or relax a limit.'),
    ),
    GuaranteeError: Case(
        (
            lambda _: hull().best(rocch.Maximize(lambda fpr, tpr: fpr - tpr)),
            "metric must rise with TPR and fall with FPR",
        ),
        Never("a question's metrics and limits are those that the hull answers"),
        Never("a question's metrics and limits are those that the hull answers"),
    ),
    AssumptionError: Case(
        (
            lambda _: rejected_estimate().feed(
                rocch.Conditions(prevalence=0.5, false_positive=1, false_negative=1)
            ),
            "conditions.with_prevalence(estimate.interval)",
        ),
        Never("no command estimates a prevalence"),
        Never("the service reports an estimate with its verdict, and feeds none"),
    ),
    MissingExtraError: Case(
        (draw, "needs the 'plot' extra"),
        (draw_by_command, "needs the 'plot' extra"),
        Never("a service does not start without its extra"),
    ),
    ConflictError: Case(
        Never("only requests compete for the aim in force, and have ids"),
        Never("only requests compete for the aim in force, and have ids"),
        (lambda s: s.send(409, told_otherwise), "event_id must name one event only; got 'monday'"),
    ),
    NotTriedError: Case(
        Never("only a service has a record that it spares"),
        Never("only a service has a record that it spares"),
        (lambda s: s.send(503, unwritable_again), "the service cannot read or write its record"),
    ),
}

# How other surfaces write arguments and advice.
PYTHON_ONLY = {
    "a call": re.compile(r"[A-Za-z_]\("),
    "a keyword": re.compile(r"\b\w+=[\w('\[]"),
    "a tuple": re.compile(r"\(\d[\d.]*, \d"),
}
OPTION = re.compile(r"(?<!\w)--[a-z]")
UNDERSCORES = re.compile(r"\b[a-z]+_[a-z_]+\b")
JSON_FIELD = re.compile(r'"\w+": ')


@pytest.fixture
def surface(tmp_path: Path, refusal: Refusal, monkeypatch: pytest.MonkeyPatch) -> Surface:
    return Surface(tmp_path, refusal, monkeypatch)


def classes(of: type[RocchError] = RocchError) -> Iterator[type[RocchError]]:
    for kind in of.__subclasses__():
        if kind.__module__.startswith("rocch."):
            yield kind
        yield from classes(kind)


def possible(name: str) -> list[Any]:
    pairs = [(kind, getattr(case, name)) for kind, case in CASES.items()]
    return [pytest.param(k, *c, id=k.__name__) for k, c in pairs if not isinstance(c, Never)]


def test_every_class_has_a_case_on_every_surface_or_a_reason() -> None:
    for module in pkgutil.walk_packages(rocch.__path__, "rocch."):
        if module.name not in ("rocch.__main__", "rocch.kernels._numba", "rocch.kernels._triton"):
            importlib.import_module(module.name)
    assert set(CASES) == set(classes())
    for kind, case in CASES.items():
        cells = [getattr(case, name) for name in SURFACES]
        assert not all(isinstance(cell, Never) for cell in cells), kind
        assert all(cell.why for cell in cells if isinstance(cell, Never)), kind


@pytest.mark.parametrize(("kind", "situation", "piece"), possible("python"))
def test_python(
    kind: type[RocchError], situation: Callable[[Surface], object], piece: str, surface: Surface
) -> None:
    with pytest.raises(RocchError) as raised:
        situation(surface)
    message = str(raised.value)
    assert type(raised.value) is kind
    assert piece in message
    assert not OPTION.search(message)
    assert not JSON_FIELD.search(message)
    assert raised.value.args == (message,)


@pytest.mark.parametrize(("kind", "situation", "piece"), possible("cli"))
def test_the_command_line(
    kind: type[RocchError], situation: Callable[[Surface], str], piece: str, surface: Surface
) -> None:
    message = situation(surface)
    assert piece in message
    own = message.replace(OWN_TYPE, "").replace(str(surface.folder), "")
    for what, pattern in PYTHON_ONLY.items():
        assert not pattern.search(own), (kind, what)
    assert not UNDERSCORES.search(own)
    assert not JSON_FIELD.search(own)


@pytest.mark.parametrize(("kind", "situation", "piece"), possible("http"))
def test_http(
    kind: type[RocchError],
    situation: Callable[[Surface], dict[str, Any]],
    piece: str,
    surface: Surface,
) -> None:
    error = situation(surface)
    message = error["message"]
    assert piece in message
    assert not OPTION.search(message)
    for what, pattern in PYTHON_ONLY.items():
        assert not pattern.search(message), (kind, what)
    if error["argument"] is not None:
        assert message.startswith(f"{error['argument']} must {error['requirement']}; got ")
        assert f"got {error['got']}." in message
    if "hint" in error:
        assert message.endswith(error["hint"])
