"""`rocch surface`: what trades off with what when there are many classes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rocch.cli.assign import align_costs, confusion_section
from rocch.cli.binary import new_rows_sentence, savings_parts
from rocch.cli.models import (
    NamedModel,
    as_families,
    model_name,
    out_of_fold_probabilities,
    search_models,
)
from rocch.cli.options import (
    COLUMNS,
    QuestionCommand,
    add_costs_of_file,
    class_question_options,
    label_option,
    output_option,
    plot_option,
    read_limit,
    table_options,
)
from rocch.cli.output import (
    Printed,
    check_files,
    check_picture,
    make_table,
    print_json,
    print_parts,
    print_written,
    save_figure,
    working,
    write_csv,
)
from rocch.errors import InputError
from rocch.files import is_standard_output
from rocch.report.parts import Section

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from matplotlib.figure import Figure

    from rocch.arrays import FloatArray
    from rocch.cli.data import TableSource
    from rocch.cli.rows import LabeledRows
    from rocch.hybrid.families import Family
    from rocch.hybrid.surface_hybrid import SurfaceHybrid
    from rocch.multiclass.costs import CostMatrix
    from rocch.multiclass.question import ClassQuestion
    from rocch.multiclass.search import SurfaceSearch
    from rocch.multiclass.surface import (
        LeastRegret,
        RocSurface,
        SurfaceMember,
        SurfacePoint,
    )
    from rocch.multiclass.volumes import DominatedShare
    from rocch.multiclass.within import Witness
    from rocch.roc.new_rows import NewRowsCost
    from rocch.roc.savings import Savings

# Of more parameters, such as the weights of a network, only the number is printed; JSON has all.
MOST_PARAMETERS = 3
# The most members that are optimal somewhere to print; JSON has all.
MOST_MEMBERS = 10
# Why a search stopped, after the number of generations.
STOPPED = {
    "generations": "",
    "stagnation": ", when G had stopped growing",
    "members": ", because there were too many members",
}


@dataclass(frozen=True, slots=True)
class SurfaceQuestion:
    """What is known: costs, class balance and limits."""

    costs: CostMatrix | None
    priors: Any
    limits: dict[str, float]


@dataclass(frozen=True, slots=True)
class OptimalMember:
    """A member that is optimal somewhere within the intervals, and where."""

    member: SurfaceMember
    witness: Witness


@dataclass(frozen=True, slots=True, eq=False)
class SurfaceResult:
    """A surface and its members for a question.

    Attributes
    ----------
    rows, classes, features
        The number of rows, of each class, and the names of the features.
    generations, stopped
        How many generations the longest of the searches ran, and why they stopped; for several
        reasons, the one that is no plain end.
    members, members_by_model
        How many members there are, and how many each model holds.
    beyond_random
        How many members are worse than random allocation.
    chosen
        The members chosen, by what they were chosen for.
    new_rows, savings
        What the choice of least cost is expected to cost on new rows, and to save.
    optimal_somewhere, least_regret
        With costs or shares as intervals: who can be optimal, and who loses least.
    """

    rows: int
    classes: dict[str, int]
    features: tuple[str, ...]
    objectives: str
    generations: int
    stopped: str
    members: int
    members_by_model: dict[str, int]
    beyond_random: int
    dominated_share: DominatedShare
    question: SurfaceQuestion
    chosen: dict[str, SurfacePoint]
    new_rows: NewRowsCost | None
    savings: Savings | None
    optimal_somewhere: tuple[OptimalMember, ...] | None
    least_regret: LeastRegret | None

    def parts(self) -> Iterator[Printed]:
        """Return the surface, its members to choose, and the best of them."""
        classes = ", ".join(f"{name} ({total})" for name, total in self.classes.items())
        yield (
            f"{_count(self.rows, 'row')}, {_count(len(self.features), 'feature')}, "
            f"{len(self.classes)} classes: {classes}"
        )
        rates = "all error rates" if self.objectives == "rates" else "miss rates"
        yield (
            f"Surface of {_count(self.members, 'member')} by {rates}, after "
            f"{_count(self.generations, 'generation')}{STOPPED[self.stopped]}; "
            f"{self.beyond_random} of them worse than random allocation."
        )
        yield f"Dominated share G of the better-than-random region: {self.dominated_share}."
        if any(name.startswith("mlp") for name in self.members_by_model):
            yield "mlp is evaluated on the rows that it was fitted to, which flatters it."
        if len(self.members_by_model) > 1:
            yield self._models()
        yield from self._points()
        yield from self._best()
        yield from self._within()
        yield "All rates are of the rows that also chose the members; on new rows expect worse."

    def _models(self) -> Section:
        ordered = sorted(self.members_by_model.items(), key=lambda item: -item[1])
        rows = ((name, f"{number:,}", f"{number / self.members:.1%}") for name, number in ordered)
        return Section(
            "Who holds the surface", (make_table("model", ">members", ">share", rows=rows),)
        )

    def _points(self) -> Iterator[Printed]:
        """Return the chosen members, and their miss rates with a line for each class."""
        limits = ", ".join(f"{what} {rate:g}" for what, rate in self.question.limits.items())
        names = [name.replace("_", " ") for name in self.chosen]
        points = self.chosen.values()
        columns = {
            "": names,
            "model": [point.member.model for point in points],
            "parameters": [_settings(point.member) for point in points],
            ">wrong": [str(point.confusion.errors) for point in points],
        }
        if self.question.costs is not None and self.optimal_somewhere is None:
            known = self.question.costs, self.question.priors
            costs = [point.confusion.expected_cost(*known) for point in points]
            columns[">cost per row"] = align_costs(costs)
        columns = {name: cells for name, cells in columns.items() if any(cells)}
        table = make_table(*columns, rows=zip(*columns.values(), strict=True))
        within = f" within the limits {limits}" if limits else ""
        yield Section(f"Members to choose{within}", (table,))
        rows = (
            (name, *(f"{point.confusion.miss_rates[name]:.4f}" for point in points))
            for name in self.classes
        )
        rates = make_table("class", *(f">{name}" for name in names), rows=rows)
        yield Section("Their miss rates", (rates,))

    def _best(self) -> Iterator[Printed]:
        point = self.chosen.get("least_cost")
        if self.least_regret is not None:
            confusion = self.least_regret.member.confusion
            yield confusion_section("Safest within the intervals", confusion)
        elif point is None:
            yield confusion_section("Fewest errors", self.chosen["fewest_errors"].confusion)
        else:
            yield confusion_section("Least cost", point.confusion)
            if point.member.place is None:
                yield "It is the rule that the costs themselves imply, not a member of the surface."
            if not point.guaranteed:
                yield (
                    "Members were kept by their miss rates alone, but these costs distinguish "
                    "errors of a class: --objectives rates may find cheaper ones."
                )
        if self.new_rows is not None:
            yield new_rows_sentence(self.new_rows, "This is the cheapest choice on these rows")
        if self.savings is not None:
            yield from savings_parts(self.savings)

    def _within(self) -> Iterator[Printed]:
        """Return who is optimal somewhere within the intervals, and who is the safest."""
        costs, optimal, regret = self.question.costs, self.optimal_somewhere, self.least_regret
        if costs is None or optimal is None or regret is None:
            return
        members = [each.member for each in optimal]
        ranges = [m.confusion.expected_cost_range(costs, self.question.priors) for m in members]
        priced = sorted(zip(members, ranges, strict=True), key=lambda pair: pair[1].high)
        first = priced[:MOST_MEMBERS]
        written = align_costs([end for _, both in first for end in both])
        rows = (
            (str(member.place), _describe(member), str(member.confusion.errors), low, high)
            for (member, _), low, high in zip(first, written[::2], written[1::2], strict=True)
        )
        header = (">member", "model and parameters", ">wrong", ">cost from", ">to")
        title = "Optimal somewhere within the intervals, by their highest cost per row"
        yield Section(title, (make_table(*header, rows=rows),))
        if len(members) > MOST_MEMBERS:
            yield f"... and {len(members) - MOST_MEMBERS} more (all with --json)."
        safe = regret.member
        yield (
            f"Safest is member {safe.place}, {_describe(safe)}: at worst it costs "
            f"{regret.regret:.4g} per row more than the best member would."
        )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _settings(member: SurfaceMember) -> str:
    parameters = member.parameters
    if len(parameters) > MOST_PARAMETERS:
        return f"{len(parameters)} weights"
    return ", ".join(f"{name} {value:.4g}" for name, value in parameters.items())


def _describe(member: SurfaceMember) -> str:
    settings = _settings(member)
    return member.model + (f" ({settings})" if settings else "")


@click.command("surface", cls=QuestionCommand)
@label_option(required=True)
@click.option(
    "--features",
    **COLUMNS,
    help="Columns with features, which must be numbers.  [default: every other column]",
)
@click.option(
    "--model",
    "models",
    type=model_name,
    multiple=True,
    required=True,
    metavar="NAME",
    help="knn, mlp or a scikit-learn classifier, perhaps with settings: 'mlp(hidden=8)', "
    "'RandomForestClassifier(n_estimators=200)'. Several share one surface.",
)
@click.option(
    "--generations",
    type=click.IntRange(min=0),
    default=2000,
    show_default=True,
    help="How many parameter vectors (or classifiers) meet new costs.",
)
@click.option(
    "--draws",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="Cost matrices that each one meets.",
)
@click.option(
    "--objectives",
    type=click.Choice(["rates", "misses"]),
    default="rates",
    show_default=True,
    help="Trade off every kind of error, or the miss rates of the classes.",
)
@class_question_options
@click.option(
    "--limit",
    "limits",
    multiple=True,
    metavar="TRUTH>PREDICTION=RATE",
    help="Largest rate of an error, 'cat>dog=0.05', or of a class's misses, 'cat=0.1'.",
)
@click.option(
    "--tolerance",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Stop when G grows by less than this ...",
)
@click.option(
    "--patience",
    type=click.IntRange(min=1),
    default=500,
    show_default=True,
    help="... over this number of generations.",
)
@click.option(
    "--folds",
    type=click.IntRange(min=2),
    default=5,
    show_default=True,
    help="Folds in which scikit-learn's classifiers are evaluated.",
)
@click.option(
    "--scale/--no-scale",
    default=True,
    show_default=True,
    help="Standardize features first (mlp always does).",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**32 - 1),
    default=0,
    show_default=True,
    help="Seed of folds and search.",
)
@output_option("Write all members to this CSV file.")
@plot_option
@table_options
def surface(
    table: TableSource,
    label: str,
    features: str | None,
    models: tuple[NamedModel, ...],
    output: Path | None,
    plot: Path | None,
    as_json: bool,
    folds: int,
    scale: bool,
    class_question: ClassQuestion,
    costs_file: Path | None,
    limits: tuple[str, ...],
    **known: Any,
) -> None:
    """Search the ROC surface of FILE: classifiers of which none is better in every error.

    FILE (or - for standard input) has a column of classes and columns of numbers. Every member of
    the surface is a model with parameters and costs to predict by. Costs (numbers or intervals) say
    which member to use; limits say which may be used. The picture shows the surface in space, for
    more than 3 classes as parallel rates.

    \b
    Example:
      rocch surface iris.csv --label species --model knn
      rocch surface iris.csv --label species --model LogisticRegression --model GaussianNB \\
          --costs 'virginica>setosa=10' --default-cost 1 --limit 'versicolor=0.1'
      rocch surface vehicle.csv --label kind --model 'mlp(hidden=8)' --objectives misses \\
          --output members.csv
    """
    from rocch.cli.rows import labeled_rows

    check_files(output, (table.path, costs_file), as_json=as_json)
    if plot and output and plot.resolve() == output.resolve():
        raise click.UsageError("--output and --plot name the same file.")
    check_picture(plot)  # before a long search rather than after it
    data = labeled_rows(table, label=label, features=features)
    stated = add_costs_of_file(class_question, costs_file)
    rates = _read_limits(limits, data)
    question = _question(stated, rates, data)
    found, result = _study(
        data,
        models,
        question,
        rates or None,
        folds=folds,
        scale=scale,
        search={name: known[name] for name in ("objectives", "draws", "seed")},
        run={name: known[name] for name in ("generations", "tolerance", "patience")},
    )
    if output:
        write_csv(output, *_members_table(found))
    if plot:
        save_figure(plot, lambda: _draw(found, result.chosen))
    if as_json:
        print_json(result)
        return
    # the file of members may be standard output itself, and then has it for itself
    print_parts(result.parts(), err=output is not None and is_standard_output(output))
    print_written(output, plot)


def _read_limits(limits: tuple[str, ...], data: LabeledRows) -> dict[Any, float]:
    """Read limits on rates by class, or by truth and prediction."""
    from rocch.inputs import as_rate

    rates = dict(map(read_limit, limits))
    for what, rate in rates.items():  # before a long search rather than after it
        as_rate(rate, "limits")
        for name in (what,) if isinstance(what, str) else what:
            data.classes.place(name, "limits")
    if len(rates) < len(limits):
        raise click.UsageError("--limit names the same rate twice. Keep one.")
    return rates


def _question(
    stated: ClassQuestion, limits: dict[Any, float], data: LabeledRows
) -> SurfaceQuestion:
    """Return what is known about costs, shares and limits; refuse what would have no effect."""
    knows_costs = stated.costs is not None or stated.default_cost is not None
    if stated.priors is not None and not knows_costs:
        raise click.UsageError("--priors has no effect here; it goes with --costs.")
    costs = stated.cost_matrix(data.classes) if knows_costs else None
    named = {_name_rate(what): rate for what, rate in limits.items()}
    return SurfaceQuestion(costs, stated.priors or "observed", named)


def _name_rate(what: Any) -> str:
    return what if isinstance(what, str) else ">".join(what)


# ---- the search ----------------------------------------------------------------------------------


def _study(
    data: LabeledRows,
    models: Sequence[NamedModel],
    question: SurfaceQuestion,
    limits: dict[Any, float] | None,
    *,
    folds: int,
    scale: bool,
    search: dict[str, Any],
    run: dict[str, Any],
) -> tuple[RocSurface, SurfaceResult]:
    """Evaluate the models, search their joint surface, and choose from it."""
    from rocch.hybrid.aimed_surface import AimedSurface
    from rocch.inputs import find_duplicates
    from rocch.multiclass.costs import as_priors
    from rocch.multiclass.search import SurfaceSearch, as_searchable

    as_searchable(search["objectives"], len(data.totals))  # refuses too many classes first
    twice = find_duplicates(model.typed for model in models)
    if twice:
        raise InputError("--model", "name each model once", f"{twice[0]} twice", "Leave one out.")
    probabilities = out_of_fold_probabilities(data, models, folds, scale, search["seed"])
    parts = search_models(data, models, probabilities, scale)
    searches = {
        name: SurfaceSearch(part, data.labels, classes=data.classes, **search)
        for name, part in parts.items()
    }
    surface = _run_all(searches, run)
    chosen = {
        "fewest_errors": surface.fewest_errors(limits=limits),
        "knee": surface.knee(limits=limits),
        "farthest_from_random": surface.farthest_from_random(limits=limits),
    }
    optimal = regret = new_rows = savings = None
    if question.costs is not None:
        bounds = question.costs, question.priors
        shares = as_priors(question.priors, data.classes, data.totals)
        if question.costs.exact and shares.exact:
            # a search alone gives its members the model's plain name
            names = {name: surface.models[0] for name in parts if len(parts) == 1}
            families = as_families(models, parts, names)
            hybrid = _as_hybrid(surface, data, probabilities, families)
            with working("Choosing again without each tenth of the rows"):
                view = AimedSurface(hybrid, bounds[0], priors=bounds[1], limits=limits, exact=True)
                new_rows, savings = view.on_new_rows, view.savings()
            chosen["least_cost"] = view.point
        else:
            within = surface.optimal_within(*bounds, limits=limits)
            witnesses = sorted(within.witnesses.items())
            optimal = tuple(OptimalMember(surface.member(at), each) for at, each in witnesses)
            regret = surface.least_regret(*bounds, limits=limits)
    generations, stopped = _end_of(searches.values())
    return surface, SurfaceResult(
        len(data.labels),
        dict(zip(data.classes, data.totals.tolist(), strict=True)),
        tuple(data.feature_names),
        surface.objectives,
        generations,
        stopped,
        len(surface),
        _members_by_model(surface, models),
        int(surface.beyond_random.sum()),
        surface.dominated_share(),
        question,
        chosen,
        new_rows,
        savings,
        optimal,
        regret,
    )


def _run_all(searches: Mapping[str, SurfaceSearch], run: dict[str, Any]) -> RocSurface:
    """Run a search for each model, and join the surfaces that they find."""
    from rocch.multiclass.surface import RocSurface

    found = {}
    for name, each in searches.items():
        with working(f"Searching with {name}") as step:
            found[name] = each.run(**run, verbose=step)
    return RocSurface.joined(found) if len(found) > 1 else next(iter(found.values()))


def _end_of(searches: Iterable[SurfaceSearch]) -> tuple[int, str]:
    """Return how many generations the longest search ran, and why the searches stopped."""
    ended = [(search.generation, str(search.stopped)) for search in searches]
    reasons = sorted({reason for _, reason in ended})
    early = next((reason for reason in reasons if reason != "generations"), "generations")
    return max(generation for generation, _ in ended), early


def _members_by_model(surface: RocSurface, models: Sequence[NamedModel]) -> dict[str, int]:
    """Return how many members each model holds; those requested that hold none have 0."""
    alone = len(models) == 1  # then members carry the model's plain name
    typed = surface.models[:1] if alone else [model.typed for model in models]
    return {name: surface.models.count(name) for name in typed}


def _as_hybrid(
    surface: RocSurface,
    data: LabeledRows,
    probabilities: dict[str, FloatArray],
    families: dict[str, Family],
) -> SurfaceHybrid:
    """Return a hybrid that chooses among members and the rules that costs imply."""
    import numpy as np

    from rocch.hybrid.surface_hybrid import SurfaceHybrid

    truths = data.classes.truths(data.labels)
    rows, labels = np.arange(truths.size), np.array(data.classes.names)
    return SurfaceHybrid(surface, truths, probabilities, None, rows, families, labels)


# ---- files ---------------------------------------------------------------------------------------


def _members_table(surface: RocSurface) -> tuple[list[str], Iterator[list[Any]]]:
    """Return the header and one row for each member: what it is, does, and predicts by."""
    import numpy as np

    wrong = ~np.eye(len(surface.classes), dtype=bool)
    pairs = [_name_rate(pair) for pair in surface.classes.pairs]
    settings = [surface.parameters_of(place) for place in range(len(surface))]
    names = list(dict.fromkeys(name for parameters in settings for name in parameters))
    header = ["member", "model", "errors", "distance_from_random"]
    header += [f"{kind} {pair}" for kind in ("count", "cost") for pair in pairs]
    header += [f"parameter {name}" for name in names]
    columns = zip(
        surface.models,
        surface.errors.tolist(),
        surface.distances.tolist(),
        surface.counts[:, wrong].tolist(),
        np.asarray(surface.costs)[:, wrong].tolist(),
        settings,
        strict=True,
    )
    rows = (
        [place, *first, *counts, *costs, *(own.get(name, "") for name in names)]
        for place, (*first, counts, costs, own) in enumerate(columns)
    )
    return header, rows


def _draw(surface: RocSurface, chosen: dict[str, SurfacePoint]) -> Figure:
    """Draw the surface: in space up to three classes, else as parallel rates."""
    from rocch.plots import MissFrontDisplay, ParallelRatesDisplay, SurfaceDisplay

    classes = len(surface.classes)
    if classes > 3:
        marks = {
            name.replace("_", " "): point
            for name, point in chosen.items()
            if name in ("fewest_errors", "least_cost") and point.member.place is not None
        }
        return ParallelRatesDisplay.from_surface(surface, marks=marks).figure_
    if surface.objectives == "misses" or classes == 2 or not surface.errors.all():
        return MissFrontDisplay.from_surface(surface).figure_
    return SurfaceDisplay.from_surface(surface).figure_
