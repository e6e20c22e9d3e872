"""Results on the terminal, as JSON and as CSV; pictures in files; progress on standard error.

A command builds a result, a dataclass, and shows it. Its fields are the JSON; its method `parts`
says it for people, in sentences, tables and sections.
"""

from __future__ import annotations

import atexit
import csv
import json
import math
import os
import signal
import sys
import warnings
from collections.abc import Iterable, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import click

from rocch.errors import (
    InputError,
    UndefinedError,
    escape_controls,
    escape_json,
    escape_line,
    format_list,
    missing_extra,
)
from rocch.files import check_place, is_standard_output, is_stream, writing
from rocch.report.parts import Code, Part, Section, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from matplotlib.figure import Figure
    from rich.console import Console
    from rich.table import Table as RichTable

    from rocch.roc.operating_point import RocPoint

    Step = Callable[[int, int], None]

# What a command prints, one after the other.
Printed: TypeAlias = Part | Section

# A table that is not printed on a terminal is as wide as it needs to be.
UNLIMITED = 1_000_000
# On a narrow terminal, longer cells are broken rather than let a table run over its edge.
LONGEST_WORD = 24
# Blanks around the cells of a column.
PADDING = 3

# Files of other kinds, which CSV is not written to.
NO_CSV = (".parquet", ".pq", ".arrow", ".feather", ".ipc", ".json", ".jsonl", ".ndjson")

# Where the choice of --progress is kept.
PROGRESS = "rocch.progress"
ERROR_STREAM = 2
# The status of a process that ended by SIGTERM.
TERMINATED = 128 + signal.SIGTERM

# What JSON has of the library's results, where it is not just the fields ("*"): attributes, or the
# one attribute that stands for the whole.
ATTRIBUTES: dict[str, tuple[str, ...] | str] = {
    "AddedClassifier": ("*", "kept", "saves"),
    "Belief": "__str__",
    "Classes": "names",
    "ClassQuestion": "to_dict",
    "Confusion": ("errors", "miss_rates", "rows"),
    "CostMatrix": "rows",
    "DecisionAnalysis": (
        "belief",
        "choices",
        "classifiers",
        "safest",
        "at_mean",
        "at_likely",
        "gain_over_mean",
        "value_of_knowing",
        "value_of_knowing_costs",
        "value_of_knowing_prevalence",
    ),
    "Listening": ("url", "tokens_file", "model_version", "workers"),
    "LossComparison": (
        "names",
        "belief",
        "axis",
        "prevalence",
        "reading",
        "lc_index",
        "mass_a",
        "mass_b",
        "ties",
        "error",
        "stretches",
        "shapes",
    ),
    "NewRowsCost": (
        "apparent",
        "expected",
        "interval",
        "expected_range",
        "confidence",
        "resamples",
        "note",
        "rates",
    ),
    "NewRowsRates": ("*", "precision", "found", "missed", "false_alarms"),
    "OperatingPoint": (
        "rule",
        "*",
        "predicted_positive_rate",
        "predicted_positive_range",
        "expected_cases",
    ),
    "OutOfSampleChoice": ("*", "optimism"),
    "Predictions": ("classes", "costs", "mean_expected_cost", "evaluation", "rows"),
    "Question": "to_dict",
    "Referral": (
        "rule",
        "*",
        "refers",
        "referred",
        "decided",
        "wrong_among_decided",
        "saves",
    ),
    "Savings": "to_dict",
    "RankedClassifier": ("*", "mass"),
    "Sensitivity": (
        "conditions",
        "slope_range",
        "cost_ratios",
        "choices",
        "switches",
        "insensitive",
        "same_classifier",
        "never_range",
        "always_range",
        "shortfalls",
    ),
    "ShapeCheck": ("*", "robust", "certain"),
    "Superiority": (
        "belief",
        "axis",
        "prevalence",
        "error",
        "classifiers",
        "stretches",
        "pairwise",
    ),
    "Verification": ("sound", "*"),
}


class Result(Protocol):
    """What a command found out: a dataclass that can say it for people."""

    def parts(self) -> Iterable[Printed]:
        """Return the sentences, tables and sections to print."""


def show(result: Result | object, *, as_json: bool, written: Iterable[Path | None] = ()) -> None:
    """Print a result, for people or for programs; people also read which files were written.

    People read its parts, or its text if it has none.
    """
    if as_json:
        print_json(result)
    else:
        parts = getattr(result, "parts", None)
        print_parts([str(result)] if parts is None else parts())
        print_written(*written)


# ---- JSON ---------------------------------------------------------------------------------------


def print_json(result: object) -> None:
    """Print a result as JSON."""
    click.echo(to_json(result))


def to_json(result: object) -> str:
    """Return a result as JSON; infinite numbers are the text "inf", which JSON itself lacks."""
    text = json.dumps(plain(result), indent=2, ensure_ascii=False, allow_nan=False)
    return escape_json(text)


def plain(value: Any) -> Any:
    """Return a value as JSON knows it.

    Dataclasses become objects, named tuples and arrays lists, and a mapping whose keys are no texts
    a list of pairs.
    """
    names = ATTRIBUTES.get(type(value).__name__, ("*",) if is_dataclass(value) else ())
    if isinstance(names, str):
        return plain(_attribute(value, names))
    if names:
        return {name: plain(_attribute(value, name)) for name in _expand(names, value)}
    if isinstance(value, Mapping):
        if all(isinstance(key, str) for key in value):
            return {key: plain(item) for key, item in value.items()}
        return [[plain(key), plain(item)] for key, item in value.items()]
    if hasattr(value, "tolist"):  # an array or a number of NumPy's
        return plain(value.tolist())
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [plain(item) for item in value]
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value if value is None or isinstance(value, str | int | float) else str(value)


def _expand(names: Iterable[str], value: Any) -> Iterable[str]:
    for name in names:
        if name == "*":
            yield from (field.name for field in fields(value) if not field.name.startswith("_"))
        else:
            yield name


def _attribute(value: Any, name: str) -> Any:
    """Return an attribute, or what a method returns; what is undefined is null."""
    try:
        found = getattr(value, name)
        return found() if callable(found) else found
    except UndefinedError:
        return None


# ---- the terminal -------------------------------------------------------------------------------


def echo(text: str, *, err: bool = False) -> None:
    """Print a line, on standard output or standard error; names in it cannot steer the terminal."""
    click.echo(escape_controls(text), err=err)


def print_parts(parts: Iterable[Printed], *, err: bool = False) -> None:
    """Print sentences, tables and sections; names in them cannot steer the terminal."""
    from rich.console import Console

    console = Console(stderr=err, highlight=False, markup=False, emoji=False, soft_wrap=True)
    if not console.is_terminal:
        console.width = UNLIMITED
    with console.capture() as captured:
        _print_all(console, parts)
    click.echo(captured.get(), nl=False, err=err, color=True)


def write_parts(parts: Iterable[Printed]) -> str:
    """Return sentences, tables and sections as plain text, as a file has it."""
    from io import StringIO

    from rich.console import Console

    text = StringIO()
    options: Any = {"highlight": False, "markup": False, "emoji": False, "soft_wrap": True}
    _print_all(Console(file=text, color_system=None, width=UNLIMITED, **options), parts)
    return text.getvalue()


def _print_all(console: Console, parts: Iterable[Printed]) -> None:
    for place, part in enumerate(parts):
        if place and isinstance(part, Section):
            console.print()
        _print(console, part)


def _print(console: Console, part: Printed) -> None:
    if isinstance(part, Section):
        console.print(escape_controls(part.title), style="bold")
        for inner in part.parts:
            _print(console, inner)
    elif isinstance(part, Table):
        console.print(_table(part, console.width))
    else:
        console.print(escape_controls(part.content if isinstance(part, Code) else part))


def _table(part: Table, width: int) -> RichTable:
    """Set a table; where it is too wide its headings are broken, but never its numbers."""
    from rich import box
    from rich.cells import cell_len
    from rich.table import Table as RichTable

    names = [escape_controls(name.removeprefix(">")) for name in part.header]
    rows = [[escape_controls(cell) for cell in row] for row in part.rows]
    table = RichTable(box=box.SIMPLE_HEAD, show_header=any(names))
    words = [(*name.split(), *(row[place] for row in rows)) for place, name in enumerate(names)]
    needed = [max(map(cell_len, ("", *column))) for column in words]
    headings = map(cell_len, names)
    is_wide = sum(map(max, needed, headings)) + PADDING * len(names) > width
    for name, marked, least in zip(names, part.header, needed, strict=True):
        table.add_column(
            name,
            justify="right" if marked.startswith(">") else "left",
            overflow="fold",
            min_width=min(LONGEST_WORD, least),
            max_width=least if is_wide else None,
        )
    for row in rows:
        table.add_row(*row)
    return table


def make_table(*header: str, rows: Iterable[Sequence[str]]) -> Table:
    """Make a table; a column whose name starts with > is set flush right."""
    return Table(header, tuple(map(tuple, rows)))


def print_written(*paths: Path | None) -> None:
    """Say which files were written."""
    for path in paths:
        if path is not None and not is_stream(path):
            echo(f"Written: {escape_line(str(path))}")


# ---- words for tables ---------------------------------------------------------------------------


def name_point(point: RocPoint) -> str:
    """Name the classifiers; at an end, where no classifier is needed, what is done there."""
    from rocch.roc.operating_point import end_name

    end = end_name(point.fpr, point.tpr)
    return f"({end} alarm)" if end else ", ".join(dict.fromkeys(point.classifiers))


def format_threshold(point: RocPoint) -> str:
    """Write the threshold to deploy, where there is one."""
    from rocch.roc.operating_point import end_name

    if point.threshold is None:
        return "" if end_name(point.fpr, point.tpr) else "labels"
    return point.written_threshold


def format_slope(slope: float) -> str:
    """Write a slope."""
    return "inf" if math.isinf(slope) else f"{slope:.4g}"


def format_amount(amount: float) -> str:
    """Write a number of rows, or their weight."""
    return f"{amount:.0f}" if amount == int(amount) else f"{amount:.6g}"


# ---- CSV ----------------------------------------------------------------------------------------


def check_files(file: Path | None, read: Sequence[Path | None], *, as_json: bool) -> None:
    """Refuse files that cannot be meant, before long work.

    Two files cannot both come through standard input, and CSV is not written over a file that is
    read, or to what is no CSV.
    """
    if [str(path) for path in read].count("-") > 1:
        raise click.UsageError("only one file can come through standard input (-).")
    if file is None:
        return
    if is_standard_output(file):
        if as_json:
            raise click.UsageError("--json and --output - both use standard output. Leave one out.")
        return
    check_not_read(file, read)
    if file.suffix.lower() in NO_CSV or file.is_dir():
        got = repr(str(file))
        raise InputError("--output", "be a CSV file", got, "Write out.csv, for example.")
    check_place(file, "--output")


def check_not_read(file: Path, read: Sequence[Path | None]) -> None:
    """Refuse to write over a file that is read."""
    if any(other is not None and file.resolve() == other.resolve() for other in read):
        got = repr(str(file))
        raise InputError("--output", "not be a file that is read", got, "Name another file.")


def write_csv(file: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a table, whole or not at all; on a terminal, names in it cannot steer it."""
    if is_standard_output(file) and sys.stdout.isatty():
        header, rows = _visible(header), map(_visible, rows)
    with writing(file) as temporary, temporary.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def _visible(row: Sequence[Any]) -> list[Any]:
    return [escape_line(value) if isinstance(value, str) else value for value in row]


# ---- pictures -----------------------------------------------------------------------------------


def check_picture(path: Path | None) -> None:
    """Refuse a place where no picture can be written, or a kind of file that is none."""
    if path is None:
        return
    if path.is_dir() or not path.suffix:
        raise InputError(
            "--plot", "be a file such as hull.png", repr(str(path)), "Name its kind too."
        )
    check_place(path, "--plot")
    try:
        import matplotlib as mpl

        mpl.use("Agg")
        from matplotlib.figure import Figure
    except ImportError:
        raise missing_extra("plot", "Drawing") from None
    kinds = Figure().canvas.get_supported_filetypes()
    if path.suffix[1:].lower() not in kinds:
        raise InputError(
            "--plot",
            "be one of {expected}",
            repr(path.suffix),
            "Use .png, say.",
            expected=format_list(kinds, 30),
        )


def save_figure(path: Path, draw: Callable[[], Figure]) -> None:
    """Draw a figure to a file, whole or not at all."""
    check_picture(path)
    figure = draw()
    with writing(path) as temporary, warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(temporary, dpi=150)


# ---- progress on standard error, and a quiet end -------------------------------------------------


def remember(context: click.Context, _: click.Parameter, wanted: bool | None) -> None:
    """Keep the choice where `working` finds it, so that no command has to pass it on."""
    context.meta[PROGRESS] = wanted


def is_shown() -> bool:
    """Whether to show progress: as chosen, or else on a terminal and without JSON."""
    context = click.get_current_context(silent=True)
    wanted: bool | None = None if context is None else context.meta.get(PROGRESS)
    if wanted is not None:
        return wanted
    as_json = context is not None and bool(context.params.get("as_json"))
    return sys.stderr.isatty() and not as_json


@contextmanager
def working(what: str) -> Iterator[Step]:
    """Show what is being done; the function that it yields takes how far the work has got.

    As long as the end is not known there is a spinner. It goes away when the work is done.
    """
    with _bar(what) as update:
        yield lambda done, total: update(completed=done, total=total or None)


class Passes:
    """Passes over a table: which it is, and how far it has got."""

    def __init__(self, what: str, update: Callable[..., None]) -> None:
        self._what, self._update = what, update

    def within(self, share: float) -> None:
        """Show which share of the present pass is done."""
        self._update(completed=share, total=1.0)

    def finished(self, work: Any) -> None:
        """Show that a pass is done, by what the work has come to."""
        passes = "1 pass" if work.passes == 1 else f"{work.passes} passes"
        text = f"{self._what}: {passes} over {work.rows:,} rows done"
        self._update(completed=0, total=None, description=text)


@contextmanager
def passing(what: str) -> Iterator[Passes]:
    """Show passes over a table, of which it is not known how many there will be."""
    with _bar(what) as update:
        yield Passes(what, update)


@contextmanager
def _bar(what: str) -> Iterator[Callable[..., None]]:
    """Yield what changes a bar that is shown for as long as the work takes."""
    if not is_shown():
        yield lambda **_: None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn

    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    with Progress(*columns, console=console, transient=console.is_terminal) as bars:
        task = bars.add_task(escape(escape_line(what)), total=None)

        def update(**changed: Any) -> None:
            if "description" in changed:
                changed["description"] = escape(escape_line(changed["description"]))
            bars.update(task, **changed)

        yield update


@cache
def end_quietly() -> None:
    """Silence standard error once everything is done; to be called before DuckDB is loaded.

    The interpreter does not take apart all objects when it ends, and newer bindings of DuckDB
    print each as leaked, which means nothing to users. What is registered first is run last, so
    that all others can still print.
    """
    atexit.register(_silence)


@contextmanager
def ended_in_order() -> Iterator[None]:
    """Let a process that gets SIGTERM (as schedulers send) first remove its temporary files."""
    is_ended = False

    def end(*_: object) -> None:
        nonlocal is_ended
        is_ended = True
        sys.exit(TERMINATED)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    except KeyboardInterrupt:  # DuckDB reports every signal alike
        if is_ended:
            sys.exit(TERMINATED)
        raise
    finally:
        signal.signal(signal.SIGTERM, before)


def _silence() -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, ERROR_STREAM)
    os.close(nowhere)
