"""The command as a shell starts it: what it loads, its streams and its status."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from rocch.cli.main import COMMANDS

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Run


HEAVY = (
    *("sklearn", "scipy", "matplotlib", "numba", "pandas", "polars", "pyarrow"),
    *("narwhals", "duckdb"),
)


def test_no_command_at_all_shows_the_help(run_rocch: Run) -> None:
    ended = run_rocch()
    assert ended.returncode == 0
    assert (ended.stdout + ended.stderr).startswith("Usage: ")
    assert "hull" in ended.stdout + ended.stderr
    assert "Traceback" not in ended.stderr


def loaded(text: str) -> set[str]:
    return set(text.splitlines()[-1].split(","))


def test_importing_rocch_loads_nothing_heavy(run_python: Run) -> None:
    ended = run_python("-c", "import rocch, sys; print(','.join(sys.modules))")
    assert ended.returncode == 0, ended.stderr
    assert "rocch" in loaded(ended.stdout)
    assert loaded(ended.stdout) & {*HEAVY, "click", "rich"} == set()


def test_a_hull_loads_numpy_alone(run_python: Run) -> None:
    code = (
        "import rocch, sys\n"
        "rocch.RocHull.from_scores([0, 1], {'a': [1, 2]}).best(rocch.NeymanPearson(0.5))\n"
        "print(','.join(sys.modules))"
    )
    ended = run_python("-c", code)
    assert ended.returncode == 0, ended.stderr
    assert "numpy" in loaded(ended.stdout)
    assert loaded(ended.stdout) & {*HEAVY, "click", "rich"} == set()


@pytest.mark.parametrize("arguments", ["--help", *(f"{name} --help" for name in sorted(COMMANDS))])
def test_help_loads_nothing_heavy(run_python: Run, arguments: str) -> None:
    code = (
        "import sys\n"
        f"sys.argv = ['rocch', *{arguments.split()!r}]\n"
        "from rocch.cli.main import main\n"
        "try:\n"
        "    main()\n"
        "except SystemExit as leaving:\n"
        "    assert not leaving.code\n"
        "print()\n"
        "print(','.join(sys.modules))"
    )
    ended = run_python("-c", code)
    assert ended.returncode == 0, ended.stderr
    assert "Usage:" in ended.stdout
    assert loaded(ended.stdout) & {*HEAVY, "numpy", "rich"} == set()


INTERRUPTED = """
import signal, sys
from rocch.cli import {module}
{module}.{function} = lambda *_, **__: signal.raise_signal(signal.SIGINT)
sys.argv = ["rocch", *{arguments!r}]
from rocch.cli.main import main
main()
"""


@pytest.mark.parametrize(
    ("module", "function", "arguments"),
    [
        ("scores", "find_score_columns", "hull scores.csv --label y --plot hull.png"),
        ("output.csv", "writer", "assign p.csv --classes a,b --default-cost 1 -o out.csv"),
        ("output", "warnings.filterwarnings", "hull scores.csv --label y --plot hull.png"),
        ("demo", "save_plot", "demo -o here"),
    ],
)
def test_an_interruption_leaves_nothing_half_written(
    run_python: Run, scores_csv: Path, tmp_path: Path, module: str, function: str, arguments: str
) -> None:
    (tmp_path / "p.csv").write_text("a,b\n0.5,0.5\n", encoding="utf-8")
    assert scores_csv.parent == tmp_path
    first = module.split(".")[0]
    code = INTERRUPTED.format(module=first, function="", arguments=arguments.split())
    code = code.replace(f"{first}. =", f"{module}.{function} =")
    ended = run_python("-c", code)
    assert ended.returncode == 130, ended.stderr
    assert ended.stderr.strip() == "rocch: interrupted"
    files = sorted(file.name for file in tmp_path.rglob("*") if file.is_file())
    assert files == ["p.csv", "scores.csv"]


@pytest.mark.parametrize(
    "words",
    [
        "hull scores.csv --label y --json",
        "hull scores.csv --label y",
        "hull --help",
        "--help",
        "--version",
        "",
    ],
)
@pytest.mark.usefixtures("scores_csv")
def test_output_that_nobody_reads_ends_silently(run_python: Run, words: str) -> None:
    arguments = words.split()
    code = (
        "import os, subprocess, sys\n"
        "read, write = os.pipe()\n"
        "os.close(read)\n"
        f"typed = [sys.executable, '-m', 'rocch.cli.main', *{arguments!r}]\n"
        "ended = subprocess.run(typed, stdout=write, stderr=subprocess.PIPE, text=True)\n"
        "print(ended.returncode, ended.stderr.count('rocch:'), 'Traceback' in ended.stderr)\n"
    )
    assert run_python("-c", code).stdout.split() == ["141", "0", "False"]


@pytest.mark.parametrize("dash", ["-", "/dev/stdout"])
def test_a_table_may_go_to_standard_output(run_rocch: Run, tmp_path: Path, dash: str) -> None:
    (tmp_path / "p.csv").write_text("a,b\n0.5,0.5\n", encoding="utf-8")
    options = ("--classes", "a,b", "--default-cost", "1", "-o", dash)
    ended = run_rocch("assign", "p.csv", *options)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout == "a,b,prediction,expected_cost\n0.5,0.5,a,0.5\n"
    ended = run_rocch("assign", "p.csv", *options, "--json")
    assert ended.returncode == 2
    assert "both use standard output" in ended.stderr


def test_members_on_standard_output_stand_alone(run_rocch: Run, tmp_path: Path) -> None:
    lines = [f"{x / 3},{'ab'[x % 2]}" for x in range(20)]
    (tmp_path / "d.csv").write_text("\n".join(["x,k", *lines, ""]), encoding="utf-8")
    options = ("--label", "k", "--model", "knn", "--generations", "3", "--output", "-")
    ended = run_rocch("surface", "d.csv", *options)
    assert ended.returncode == 0
    assert ended.stdout.startswith("member,model,errors")
    assert "Members to choose" in ended.stderr


def test_usage_shows_the_command_as_it_is_called(run_rocch: Run) -> None:
    assert run_rocch("hull", "--help").stdout.startswith("Usage: rocch hull [OPTIONS] FILE")


def test_the_shell_is_answered(run_python: Run, scores_csv: Path) -> None:
    code = (
        "import os, sys\n"
        f"words = 'rocch hull {scores_csv} --label '\n"
        "os.environ.update(_ROCCH_COMPLETE='bash_complete', COMP_WORDS=words, COMP_CWORD='4')\n"
        "from rocch.cli.main import main; main()"
    )
    ended = run_python("-c", code)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.split() == ["plain,y", "plain,nb", "plain,gbm"]


def test_the_package_runs_as_a_module() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "rocch", "--version"], capture_output=True, text=True, check=True
    )
    assert run.stdout.startswith("rocch, version ")


def in_shell(line: str, folder: Path, buffered: bool = True) -> subprocess.CompletedProcess[str]:
    """Run a line with the command `rocch` in a shell, which can close and redirect streams."""
    typed = line.replace("rocch ", f"'{sys.executable}' -m rocch.cli.main ")
    own = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return subprocess.run(  # noqa: S602 - lines written in the tests
        typed,
        shell=True,
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
        env=own if buffered else {**own, "PYTHONUNBUFFERED": "1"},
    )


needs_full_device = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")


@needs_full_device
@pytest.mark.parametrize("buffered", [True, False])
@pytest.mark.parametrize(
    "line",
    [
        "rocch hull scores.csv --label y",
        "rocch best scores.csv --label y --max-fpr 0.1 --json",
        "rocch completion bash",
        "rocch hull --help",
        "rocch --version",
    ],
)
def test_a_full_disk_gets_one_line(scores_csv: Path, line: str, buffered: bool) -> None:
    ended = in_shell(f"{line} > /dev/full", scores_csv.parent, buffered)
    assert ended.stderr == "rocch: standard output cannot be written: No space left on device.\n"
    assert ended.returncode == 2


@needs_full_device
def test_a_table_on_a_full_disk_gets_one_line(scores_csv: Path) -> None:
    line = "rocch report scores.csv --label y --resamples 0 --format md > /dev/full"
    ended = in_shell(line, scores_csv.parent)
    assert ended.stderr == "rocch: '-' cannot be written: No space left on device.\n"
    assert ended.returncode == 2


@needs_full_device
def test_the_status_survives_errors_that_cannot_be_told(scores_csv: Path) -> None:
    for stream in ("2> /dev/full", "2>&-"):
        assert (
            in_shell(f"rocch hull scores.csv --label no {stream}", scores_csv.parent).returncode
            == 2
        )


def test_a_closed_input_gets_one_line(scores_csv: Path) -> None:
    ended = in_shell("rocch hull - --label y <&-", scores_csv.parent)
    assert ended.stderr == (
        "rocch: FILE must be an existing file, or - for standard input; got - while standard input "
        "is closed. Pipe a table into the command, or name a file.\n"
    )
    assert ended.returncode == 2
    # who reads none needs none
    assert in_shell("rocch hull scores.csv --label y <&-", scores_csv.parent).returncode == 0


@pytest.mark.parametrize("options", ["", "--json"])
def test_a_closed_output_gets_one_line(scores_csv: Path, options: str) -> None:
    ended = in_shell(f"rocch hull scores.csv --label y {options} >&-", scores_csv.parent)
    assert ended.stderr == "rocch: standard output cannot be written: Bad file descriptor.\n"
    assert ended.returncode == 2
    both = in_shell(f"rocch hull scores.csv --label y {options} >&- 2>&-", scores_csv.parent)
    assert both.returncode == 2
