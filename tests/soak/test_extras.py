"""The wheel with each extra, in a clean environment of its own, and what it weighs.

It needs the network, some minutes and 5 GB: `python -m pytest -n 0 -s tests/soak/test_extras.py`.
The table that it prints stands in docs/install.md.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
FOR_DEVELOPERS = {"dev", "docs"}
EXTRAS = ["", *(name for name in PROJECT["optional-dependencies"] if name not in FOR_DEVELOPERS)]

START = """
import warnings
import numpy as np, rocch
warnings.simplefilter("error", rocch.RocchWarning)
rng = np.random.default_rng(0)
y = rng.random(500) < 0.3
s = {"a": rng.normal(size=500) + y, "b": rng.normal(size=500) + 2 * y}
hull = rocch.RocHull.from_scores(y, s)
known = rocch.Conditions(prevalence=0.1, false_positive=1, false_negative=9)
from sklearn.linear_model import LogisticRegression
X = np.column_stack(list(s.values()))
model = rocch.RocchClassifier([("lr", LogisticRegression())], cv=3).fit(X, y)
assert model.at(known).predict(X).any()
"""
# What a user does first with each extra.
FIRST_USES = {
    "": "print(hull.best(known))",
    "cli": """
import pathlib, subprocess, sys
lines = [f"{int(t)},{v}" for t, v in zip(y, s["b"])]
pathlib.Path("s.csv").write_text("y,b\\n" + "\\n".join(lines))
subprocess.run([sys.executable, "-m", "rocch", "hull", "s.csv", "--label", "y"], check=True)
""",
    "plot": """
import matplotlib; matplotlib.use("Agg")
rocch.plots.RocHullDisplay.from_hull(hull).figure_.savefig("hull.png")
""",
    "fast": """
import numba
assert rocch.RocHull.from_scores(y, s).vertices == hull.vertices
""",
    "scale": """
import pyarrow as pa, pyarrow.parquet as pq
pq.write_table(pa.table({"y": y.astype(int), "b": s["b"]}), "s.parquet")
assert len(rocch.scale.scan("s.parquet", label="y", scores=["b"]).hull()) > 2
""",
    "spark": """
import os, sys
os.environ["PYSPARK_PYTHON"] = sys.executable
from pyspark.sql import SparkSession
local = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
session = SparkSession.builder.master("local[1]").config(map=local).getOrCreate()
rows = session.createDataFrame([(int(t), float(v)) for t, v in zip(y, s["b"])], ["y", "b"])
assert len(rocch.scale.scan(rows, label="y", scores=["b"]).hull()) > 2
session.stop()
""",
    "save": """
rocch.save(model, "model.rocch")
assert (rocch.load("model.rocch").at(known).predict(X) == model.at(known).predict(X)).all()
""",
    "report": 'rocch.write_report(hull, "report.html", known)',
    "volumes": """
from rocch.multiclass import cube_volume
assert cube_volume([[2, 4]], [10, 10]) < 0.5
""",
    "service": """
from rocch.service import Settings, create_app, open_service
library = rocch.library.ClassifierLibrary.create("fraud")
library.add_scores(y, s)
library.export()
service = open_service(library, Settings(seed=7))
assert create_app(service).routes
""",
    "fleet": """
import fsspec, psycopg
assert psycopg.pq.__impl__ == "binary"  # needs no libpq of the system's
files, path = fsspec.url_to_fs("memory://fraud/export")
files.pipe_file(path, b"1", mode="create")
assert files.cat_file(path) == b"1"
""",
}
FIRST_USES["all"] = "".join(use + "\n" for name, use in FIRST_USES.items() if name != "spark")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(folder), str(ROOT)]
    subprocess.run(build, check=True)  # noqa: S603 - pip, on this repository
    (found,) = folder.glob("rocch-*.whl")
    return found


def megabytes(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("extra", EXTRAS)
def test_the_wheel_works_with_an_extra(extra: str, wheel: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "v")], check=True)  # noqa: S603
    python = str(tmp_path / "v" / "bin" / "python")
    (packages,) = (tmp_path / "v").glob("lib/python*/site-packages")
    before = megabytes(packages)
    wanted = f"{wheel}[{extra}]" if extra else str(wheel)
    install = [python, "-m", "pip", "install", "-q", "--no-compile", wanted]
    subprocess.run(install, check=True)  # noqa: S603
    size = megabytes(packages) - before
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    used = subprocess.run(  # noqa: S603
        [python, "-B", "-c", START + FIRST_USES[extra]],
        cwd=tmp_path,
        env=clean,
        capture_output=True,
        text=True,
        check=False,
    )
    assert used.returncode == 0, used.stderr
    print(f"\n| `rocch[{extra}]` | {size:.0f} MB |" if extra else f"\n| `rocch` | {size:.0f} MB |")  # noqa: T201
