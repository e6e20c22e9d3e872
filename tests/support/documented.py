"""Commands as they are written in help and documentation, and the files that they speak of."""

from __future__ import annotations

import gzip
import os
import re
import shlex
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import parquet

from rocch import RocchClassifier, save
from rocch.cli.main import cli
from rocch.library import ClassifierLibrary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path
    from socket import socket

QUICK = {"surface": ("--generations", "10", "--draws", "5"), "serve": ("--port", "0")}
"""What makes a long command short; the last of an option counts."""


def write_example_files(folder: Path) -> None:
    """Write small files under the names, and with the columns, that examples use."""
    rng = np.random.default_rng(6)
    y = np.arange(90) % 3 == 0
    probability = 1 / (1 + np.exp(-rng.normal(size=(2, 90)) - 2 * y + 1))
    lda, qda = np.round(probability, 4).tolist()
    _write(folder / "scores.csv", "y,lda,qda", zip(y.astype(int), lda, qda, strict=True))
    with gzip.open(folder / "scores.csv.gz", "wb") as stream:
        stream.write((folder / "scores.csv").read_bytes())
    commas = (f"{a};{b};{c}".replace(".", ",") for a, b, c in zip(y + 0, lda, qda, strict=True))
    (folder / "european.csv").write_text("\n".join(["y;lda;qda", *commas, ""]), encoding="utf-8")
    outcomes = ["Poor" if each else "Good" for each in y]
    columns = {"outcome": outcomes, "wfns": lda, "s100b": qda}
    parquet.write_table(pa.table(columns), folder / "scores.parquet")
    (folder / "scores").mkdir()
    for place, day in enumerate(("monday", "tuesday")):
        part = slice(45 * place, 45 * place + 45)
        days = {"y": y[part], "lda": lda[part], "qda": qda[part], "country": list("AABBC") * 9}
        parquet.write_table(pa.table(days), folder / "scores" / f"{day}.parquet")
    both = [(name, scores) for name, scores in (("lda", lda), ("qda", qda))]
    _write(
        folder / "long.csv",
        "model,id,y,score",
        ((n, row, int(y[row]), score) for n, scores in both for row, score in enumerate(scores)),
    )
    ill = zip(range(90), lda, 1 - np.array(lda), ["ill" if each else "well" for each in y])  # noqa: B905
    _write(folder / "probabilities.csv", "id,ill,well,outcome", ill)
    _write(folder / "costs.csv", "truth,prediction,cost", [("ill", "well", 20), ("well", "ill", 1)])
    _write(folder / "animals.csv", "cat,dog,eel", rng.dirichlet([1, 1, 1], 30).tolist())
    for name, label, kinds in (
        ("iris.csv", "species", ("setosa", "versicolor", "virginica")),
        ("vehicle.csv", "kind", ("bus", "opel", "saab", "van")),
    ):
        code = np.arange(60) % len(kinds)
        x = rng.normal(size=(60, 2)) + code[:, None]
        rows = ((*point, kinds[place]) for point, place in zip(x.tolist(), code, strict=True))
        _write(folder / name, f"length,width,{label}", rows)
    _write_model(folder, y)
    library = ClassifierLibrary.create(folder / "churn")
    library.add_scores(y.astype(int), {"lda": lda}, tags=["linear"])
    library.export()
    library.close()


def _write_model(folder: Path, y: np.ndarray[Any, Any]) -> None:
    """Write a fitted model, and rows to judge it on."""
    from sklearn.naive_bayes import GaussianNB
    from skops.io import dump

    rng = np.random.default_rng(7)
    x = np.round(rng.normal(size=(2, 90, 2)) + y[:, None], 3)
    dump(GaussianNB().fit(x[0], y.astype(int)), folder / "nb.skops")
    hybrid = RocchClassifier([("nb", GaussianNB())]).fit(x[0], y.astype(int))
    save(hybrid, folder / "model.rocch")
    rows = ((int(label), *point) for label, point in zip(y, x[1].tolist(), strict=True))
    _write(folder / "rows.csv", "y,age,income", rows)


def _write(path: Path, header: str, rows: Iterable[Sequence[object]]) -> None:
    lines = [header, *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def examples_of(text: str) -> list[str]:
    """Return the commands of a help text, which stand under the word Example."""
    _, _, examples = text.partition("Example:")
    return _commands(line for line in examples.splitlines() if line.strip() not in ("", "\b"))


def shell_lines(markdown: str) -> list[str]:
    """Return the commands in the sh blocks of a document that begin with, or hold, rocch."""
    blocks = re.findall(r"^```sh\n(.*?)^```", markdown, re.MULTILINE | re.DOTALL)
    found = [line for block in blocks for line in _commands(block.splitlines())]
    return [line for line in found if re.search(r"(^|[ (])rocch ", line) and "pip" not in line]


def _commands(lines: Iterable[str]) -> list[str]:
    whole = re.sub(r"\\\n\s*", "", "\n".join(line.strip() for line in lines))
    return whole.splitlines()


def needs_shell(line: str) -> bool:
    """Say whether a line is more than one command of ours."""
    words = list(shlex.shlex(line, posix=True, punctuation_chars=True))
    joined = "$" in line or any(set(word) <= set("|<>();&") for word in words)
    return joined or words[0] != "rocch"


def run_documented(line: str, folder: Path) -> str:
    """Run a command as written, in this process unless it needs a shell; it must end well.

    Returns what it printed, in lines of any length.
    """
    if needs_shell(line):
        return _run_in_shell(line, folder)
    typed = shlex.split(line, comments=True)[1:]
    if typed[0] == "serve" and typed[1] != "model.rocch":
        _make_library(folder / typed[1])
    if typed[:2] == ["library", "init"]:  # the folder must be new
        shutil.rmtree(folder / typed[2], ignore_errors=True)
    typed += QUICK.get(typed[0], ())
    with (
        patch("rocch.service.run.run", _serve_nobody),
        patch("rocch.service.workers.supervise", _serve_nobody),
    ):
        result = CliRunner(env={"COLUMNS": "200"}).invoke(cli, typed, catch_exceptions=False)
    assert result.exit_code == 0, f"{line}: {result.output}"
    return result.stdout


def _make_library(folder: Path) -> None:
    if folder.exists():
        return
    with ClassifierLibrary.create(folder) as library:
        library.add_scores([0, 0, 1, 0, 1, 1], {"nb": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]})
        library.export()


def _serve_nobody(
    _served: object, bound: socket, listening: Callable[[], None], **_: object
) -> None:
    """Listen, say so, and end; a service that goes on would never let a test end."""
    listening()
    bound.close()


def _run_in_shell(line: str, folder: Path) -> str:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("needs bash")
    (folder / ".config" / "fish" / "completions").mkdir(parents=True, exist_ok=True)
    function = f'set -o pipefail; rocch() {{ "{sys.executable}" -m rocch.cli.main "$@"; }}\n'
    ended = subprocess.run(  # noqa: S603 - lines of our own documentation
        [bash, "-c", function + line],
        cwd=folder,
        env={**os.environ, "HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, ""), f"{line}: {ended.stderr}"
    return ended.stdout
