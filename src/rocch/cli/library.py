"""`rocch library`: the classifiers that may still be optimal, kept in a folder."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile, ZipFile

import click

from rocch.cli.binary import show_best, show_hull
from rocch.cli.main import LazyGroup
from rocch.cli.options import (
    COLUMNS,
    DECIDING,
    LibraryPlace,
    QuestionCommand,
    about_options,
    bounds_options,
    by_option,
    check_question,
    data_options,
    digest_option,
    folder_argument,
    json_option,
    note_option,
    objects_option,
    output_option,
    plot_option,
    question_options,
    trust_option,
)
from rocch.cli.output import (
    Printed,
    check_picture,
    format_slope,
    format_threshold,
    make_table,
    show,
)
from rocch.errors import InputError, escape_line
from rocch.report.parts import RATIOS, Section, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocch.cli.scores import ScoresSource
    from rocch.database.places import Place
    from rocch.library import AddedClassifier, AdditionResult, ClassifierLibrary, Export
    from rocch.roc.conditions import Conditions, Interval
    from rocch.roc.question import Question

# Where each command is, and what it is for.
COMMANDS = {
    "add": ("rocch.cli.library:add", "Add classifiers: by their scores, or a saved model."),
    "best": ("rocch.cli.library:best", "Say which classifier and threshold to use."),
    "compact": ("rocch.cli.library:compact", "Give back disk space."),
    "copy": ("rocch.cli.library:copy", "Copy a library, while others may be adding to it."),
    "export": ("rocch.cli.library:export", "Write a deployable hybrid."),
    "hull": ("rocch.cli.library:hull", "Show the hull: who wins where."),
    "init": ("rocch.cli.library:init", "Make a new library."),
    "list": (
        "rocch.cli.library_contents:list_classifiers",
        "List the classifiers, and where each is best.",
    ),
    "log": (
        "rocch.cli.library_contents:log",
        "Show the history: what grew the hull, and what it drove out.",
    ),
    "prune": ("rocch.cli.library:prune", "Keep fewer classifiers."),
    "show": ("rocch.cli.library_contents:show_classifier", "Show one classifier."),
    "verify": (
        "rocch.cli.library:verify",
        "Check everything, and remove what interrupted additions left.",
    ),
}
# The status to end with where a library is damaged.
UNSOUND = 1


@click.group("library", cls=LazyGroup, targets=COMMANDS, invoke_without_command=True)
@click.pass_context
def library(ctx: click.Context) -> None:
    """Keep the classifiers that may still be optimal, for months and many processes.

    A library is a folder on a local disk, or a schema of a PostgreSQL database that machines
    share; DIR then is a URL, such as postgresql://db.example/risk?schema=churn. Each addition
    either extends the hull, and may drive older classifiers out, or is nowhere the best on these
    rows and is discarded.

    \b
    Example:
      rocch library init churn
      rocch library add churn scores.csv --label y
      rocch library best churn --prevalence 0.1 --false-positive 1 --false-negative 9
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def open_library(folder: Place) -> ClassifierLibrary:
    """Open the library in a folder."""
    from rocch.library import ClassifierLibrary

    return ClassifierLibrary(folder)


def format_slopes(ranges: Iterable[tuple[float, float]]) -> str:
    """Write ranges of slopes."""
    return ", ".join(f"{format_slope(low)}..{format_slope(high)}" for low, high in ranges)


def format_ratio_ranges(ranges: Iterable[Interval | None]) -> str:
    """Write how many times as bad a miss is; nothing where that is not known."""
    from rocch.roc.conditions import format_ratios

    return ", ".join(format_ratios(each) for each in ranges if each is not None)


def describe_ratios(has_bounds: bool) -> str:
    """Say which class balance the ratios of costs go with."""
    what = "the bounds" if has_bounds else "the class balance of the evaluation rows"
    return f"How many times as bad as a false alarm a miss is goes with {what}."


# ---- init ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NewLibrary:
    """A new library, its bounds on conditions, and the slopes and ratios of costs they allow."""

    library: str
    bounds: str | None = None
    slope_bounds: Interval | None = None
    cost_ratios: Interval | None = None

    def parts(self) -> Iterator[Printed]:
        """Return where it is, and its bounds."""
        yield f"Made: {escape_line(str(self.library))}"
        if self.slope_bounds is not None:
            low, high = map(format_slope, self.slope_bounds)
            yield (
                f"Bounds: {self.bounds}, which allow slopes from {low} to {high} "
                f"(a miss is {format_ratio_ranges([self.cost_ratios])} times as bad)."
            )


@click.command("init", cls=QuestionCommand)
@folder_argument
@bounds_options
@objects_option
@json_option
def init(folder: Place, within: Conditions | None, objects: str | None, as_json: bool) -> None:
    """Make a new library in DIR, a folder that is empty or not there yet.

    DIR may be the URL of a PostgreSQL database; --objects then says where its files are.

    With bounds on conditions it keeps fewer classifiers: those that are best only outside the
    bounds are not kept. Bounds can be narrowed later (rocch library prune), never widened.

    \b
    Example:
      rocch library init fraud
      rocch library init fraud --prevalence 0.05..0.2 --false-positive 1 --false-negative 5..50
    """
    from rocch.library import ClassifierLibrary

    ClassifierLibrary.create(folder, within=within, objects=objects).close()
    made = NewLibrary(str(folder))
    if within is not None:
        made = NewLibrary(str(folder), str(within), within.slope_range, within.cost_ratio_range)
    show(made, as_json=as_json)


# ---- add ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Addition:
    """What an addition did.

    Attributes
    ----------
    pos_label
        The positive class.
    extends
        Whether the hull grew.
    classifiers
        What became of each classifier.
    driven_out
        Older classifiers that hold no vertex any more.
    vertices, auc
        Size and area of the hull; no area where the library has bounds.
    """

    pos_label: Any
    extends: bool
    classifiers: tuple[AddedClassifier, ...]
    driven_out: tuple[str, ...]
    vertices: int
    auc: float | None

    @classmethod
    def of(cls, result: AdditionResult, pos_label: Any) -> Addition:
        """Describe an addition."""
        hull = result.hull
        area = hull.auc if hull.slope_bounds is None else None
        found = result.extends, result.classifiers, result.driven_out
        return cls(pos_label, *found, len(hull), area)

    def parts(self) -> Iterator[Printed]:
        """Return what became of each, where the hull grew, and who was driven out."""
        yield from map(str, self.classifiers)
        for one in self.classifiers:
            if one.places:
                yield Section(f"Where the hull grew: {one.name}", (_places(one),))
        if any(place.cost_ratios for one in self.classifiers for place in one.places):
            yield describe_ratios(self.auc is None)
        if self.driven_out:
            yield f"Driven out: {', '.join(self.driven_out)}."
        yield f"Positive class: {self.pos_label!r}."


def _places(one: AddedClassifier) -> Table:
    """Return where a classifier made the hull grow, as a table."""
    columns = (">for slopes", RATIOS, ">threshold", ">FPR", ">TPR", ">saves up to", ">at slope")
    rows = (
        (
            format_slopes([(place.low, place.high)]),
            format_ratio_ranges([place.cost_ratios]),
            format_threshold(place.vertex),
            f"{place.vertex.fpr:.4f}",
            f"{place.vertex.tpr:.4f}",
            f"{place.saves:.3%}",
            format_slope(place.at),
        )
        for place in one.places
    )
    return make_table(*columns, rows=rows)


@click.command("add")
@folder_argument
@data_options
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="NAME",
    help="The model's name; for scores OLD=NEW, to rename. May be repeated.  [default: as in FILE]",
)
@click.option(
    "--model",
    type=click.Path(path_type=Path, readable=False),
    help="A fitted classifier in a skops file; FILE holds rows that it was not fitted on.",
)
@click.option(
    "--features",
    **COLUMNS,
    help="The model's features in FILE.  [default: those it knows, or every other column]",
)
@trust_option
@digest_option
@click.option(
    "--allow-different-rows",
    is_flag=True,
    help="Accept classifiers evaluated on other rows than the library's.",
)
@about_options
def add(
    folder: Place,
    data: ScoresSource,
    as_json: bool,
    about: dict[str, Any],
    allow_different_rows: bool,
    **given: Any,
) -> None:
    """Add the classifiers of FILE to the library in DIR: by their scores, or a saved model.

    The result says for each whether it extends the hull (where, and how much cost it saves), ties
    with what is there, or is nowhere the best on these rows and is discarded; and whom it drove
    out. When the command ends, the addition is on the disk.

    \b
    Example:
      rocch library add churn scores.csv --label y
      rocch library add churn scores.csv --label y --scores lda --name lda=lda-2 \\
          --tag linear --parameter shrinkage=0.1 --note 'with new features'
      rocch library add churn long.csv --label y --classifier model --row id --score score
      rocch library add churn rows.csv --label y --model nb.skops --features age,income
    """
    about = {**about, "allow_different_rows": allow_different_rows}
    with open_library(folder) as found:
        add_all = _add_scores if given["model"] is None else _add_model
        added = add_all(found, data, about, **given)
    show(added, as_json=as_json)


def _add_scores(
    found: ClassifierLibrary,
    data: ScoresSource,
    about: dict[str, Any],
    *,
    names: tuple[str, ...],
    **others: Any,
) -> Addition:
    from rocch.cli.output import working
    from rocch.cli.rows import read_score_rows

    for option in ("features", "trust", "digest"):
        if others[option]:
            raise click.UsageError(f"--{option} has no effect here; it goes with --model.")
    rows = read_score_rows(data, names)
    with working("Adding to the library"):
        added = found.add_scores(
            rows.labels, rows.scores, pos_label=rows.positive, row_ids=rows.row_ids, **about
        )
    return Addition.of(added, rows.positive)


def _add_model(
    found: ClassifierLibrary,
    data: ScoresSource,
    about: dict[str, Any],
    *,
    names: tuple[str, ...],
    model: Path,
    features: str | None,
    trust: tuple[str, ...],
    digest: str | None,
) -> Addition:
    from rocch.cli.output import working
    from rocch.cli.rows import read_model_rows

    if data.scores or data.is_long:
        raise click.UsageError("--scores and --classifier do not go with --model.")
    if len(names) > 1:
        raise click.UsageError("--model is one classifier: give --name once.")
    name = names[0] if names else model.stem
    fitted = load_model(model, name, trust=trust, digest=digest)
    rows = read_model_rows(data, fitted, features)
    about = {**about, "pos_label": rows.positive, "row_ids": rows.row_ids, "trusted": trust}
    with working("Adding to the library"):
        added = found.add_model(name, fitted, rows.features, rows.labels, **about)
    return Addition.of(added, rows.positive)


def load_model(path: Path, name: str, *, trust: Iterable[str], digest: str | None) -> Any:
    """Read a fitted model from a skops file, after its types were found on the allow-list."""
    from rocch.cli.data import is_saved
    from rocch.hybrid.model_files import read_models

    if is_saved(path):
        raise InputError(
            "--model",
            "be a single classifier in a skops file",
            f"{str(path)!r}, a hybrid of several",
            "Add its classifiers one by one, or the hybrid's scores as a column.",
        )
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(
            "--model", "be a file that can be read", f"{str(path)!r} ({error.strerror})", "Name it."
        ) from None
    if not _is_skops(content):
        raise InputError(
            "--model",
            "be a whole file that skops wrote",
            repr(str(path)),
            "Save the fitted classifier with skops.io.dump; pickles are not read.",
        )
    if digest is not None and hashlib.sha256(content).hexdigest() != digest.lower():
        raise InputError(
            "--digest",
            f"be the SHA-256 of {path}",
            "another",
            "The file was altered, or the digest is that of another.",
        )
    return read_models({name: content}, trust, known=digest is not None)[name]


def _is_skops(content: bytes) -> bool:
    try:
        with ZipFile(BytesIO(content)) as archive:
            return "schema.json" in archive.namelist()
    except BadZipFile:
        return False


# ---- best and hull ------------------------------------------------------------------------------


@click.command("best", cls=QuestionCommand)
@folder_argument
@question_options(DECIDING)
@plot_option
@json_option
def best(folder: Place, question: Question, plot: Path | None, as_json: bool) -> None:
    """Say which classifier and threshold of the library in DIR to use, given what you know.

    Options and result are those of rocch best. A library with a stack answers as rocch serve does:
    by the stack, for new rows.

    \b
    Example:
      rocch library best churn --prevalence 0.1 --false-positive 1 --false-negative 9
      rocch library best churn --negatives-per-positive 5 \\
          --false-positive 10..20 --false-negative 200..250
      rocch library best churn --max-fpr 0.05 --randomize --json
    """
    from rocch.library.contents import complete_members

    check_question(question)
    check_picture(plot)
    with open_library(folder) as found:  # open, because limits read the curves
        choice, hull = found.best(question), complete_members(found.hull)
        show_best(hull, question, choice=choice, plot=plot, as_json=as_json)


@click.command("hull")
@folder_argument
@plot_option
@json_option
def hull(folder: Place, plot: Path | None, as_json: bool) -> None:
    """Show the ROC convex hull of the library in DIR: who wins where.

    \b
    Example:
      rocch library hull churn
      rocch library hull churn --plot hull.png
    """
    check_picture(plot)
    with open_library(folder) as found:  # open, because a picture reads the curves
        show_hull(found.hull, plot=plot, as_json=as_json)


# ---- prune --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pruning:
    """The classifiers that were removed, and how many are kept."""

    left: tuple[str, ...]
    kept: int

    def parts(self) -> Iterator[Printed]:
        """Return who left."""
        yield f"Left: {', '.join(self.left) or 'nobody'}; {self.kept} kept."


@click.command("prune", cls=QuestionCommand)
@folder_argument
@click.argument("names", nargs=-1, metavar="[NAME]...")
@bounds_options
@click.option("--ties", is_flag=True, help="Keep the fewest classifiers that hold every vertex.")
@by_option
@json_option
def prune(
    folder: Place,
    names: tuple[str, ...],
    within: Conditions | None,
    ties: bool,
    by: str | None,
    as_json: bool,
) -> None:
    """Keep fewer classifiers in the library in DIR.

    NAMEs are removed, on the hull or not; what they once drove out does not come back. Bounds on
    conditions hold from now on: classifiers that are best only outside them leave.

    \b
    Example:
      rocch library prune churn lda
      rocch library prune churn --prevalence 0.05..0.2 --false-positive 1 --false-negative 5..50
      rocch library prune churn --ties
    """
    if not (names or within is not None or ties):
        raise click.UsageError(
            "say what to remove: NAMEs, bounds (--prevalence, --false-positive, "
            "--false-negative) or --ties."
        )
    with open_library(folder) as found:
        left = found.prune(*names, within=within, ties=ties, by=by)
        pruning = Pruning(left, len(found))
    show(pruning, as_json=as_json)


# ---- export -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WrittenExport:
    """An export that the library keeps, and where a copy was written."""

    export: Export
    output: Path | None

    def parts(self) -> Iterator[Printed]:
        """Return version, digest and place."""
        yield f"Export {self.export.version} of {', '.join(self.export.classifiers)}"
        yield f"SHA-256: {self.export.sha256}"
        yield f"Kept as: {escape_line(str(self.export.path))}"


@click.command("export")
@folder_argument
@output_option("Where to write a copy, for rocch.load; the library keeps the file in any case.")
@click.option(
    "--scores",
    is_flag=True,
    help="Decide on precomputed scores.  [default: if no classifier came with its model]",
)
@note_option
@by_option
@trust_option
@json_option
def export(
    folder: Place,
    output: Path | None,
    trust: tuple[str, ...],
    as_json: bool,
    **given: Any,
) -> None:
    """Write a hybrid of the fewest classifiers of the library in DIR that hold every vertex.

    It becomes the library's current export. rocch.load reads it; check it by its digest.

    \b
    Example:
      rocch library export churn -o churn.rocch --note 'after the spring campaign'
    """
    from rocch.files import check_place, is_stream

    if output is not None:
        check_place(output, "--output")
        if is_stream(output):
            raise click.UsageError("--output must be a file; a hybrid is not written to a stream.")
    with open_library(folder) as found:
        written = found.export(output, trusted=trust, **given)
    show(WrittenExport(written, output), as_json=as_json, written=[output])


# ---- upkeep and history -------------------------------------------------------------------------


@click.command("verify")
@folder_argument
@objects_option
@json_option
@click.pass_context
def verify(ctx: click.Context, folder: Place, objects: str | None, as_json: bool) -> None:
    """Check the library in DIR, and remove what interrupted additions left behind.

    The record, every file against its digest, and the hull against the curves are checked. The
    status is 1 if something is damaged. A library on a server that was restored from a dump changes
    nothing until --objects names its own files: the original may still use those in the record.

    \b
    Example:
      rocch library verify churn
    """
    with open_library(folder) as found:
        checked = found.verify(objects=objects)
    show(checked, as_json=as_json)
    if not checked.sound:
        ctx.exit(UNSOUND)


@click.command("compact")
@folder_argument
@json_option
def compact(folder: Place, as_json: bool) -> None:
    """Give back space of the library in DIR: old exports, loose files, free pages.

    The newest export stays. The classifiers, the hull and the history are not touched.

    \b
    Example:
      rocch library compact churn
    """
    with open_library(folder) as found:
        compacted = found.compact()
    show(compacted, as_json=as_json)


@dataclass(frozen=True, slots=True)
class Copy:
    """A library and its copy."""

    library: str
    target: str

    def __str__(self) -> str:
        return f"Written: {escape_line(self.target)}"


@click.command("copy")
@folder_argument
@click.argument("target", type=LibraryPlace())
@objects_option
@json_option
def copy(folder: Place, target: Place, objects: str | None, as_json: bool) -> None:
    """Copy the library in DIR to the new folder TARGET, while others may be adding to it.

    The copy is the library as it was at one moment, and is itself a library; the record of a
    service beside it is copied, too. Either may be the URL of a PostgreSQL database. If it fails,
    or is killed, there is no copy: repeat it.

    \b
    Example:
      rocch library copy churn churn-copy
    """
    from rocch.service.tables import copy_record

    with open_library(folder) as found:
        found.copy(target, objects=objects, beside=partial(copy_record, folder)).close()
    show(Copy(str(folder), str(target)), as_json=as_json)
