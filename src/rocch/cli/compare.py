"""`rocch compare`: who loses less, for how much of what you believe."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from rocch.cli.binary import HullRows, find_aucs, has_rows, hull_fields, resamples_for, rows_of
from rocch.cli.options import BELIEF, QuestionCommand, plot_option, question_options, scores_options
from rocch.cli.output import (
    Printed,
    check_picture,
    format_amount,
    make_table,
    save_figure,
    show,
    working,
)
from rocch.report.parts import Section

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.figure import Figure

    from rocch.cli.scores import ScoresSource
    from rocch.roc.belief import Belief
    from rocch.roc.curve import RocCurve
    from rocch.roc.hull import RocHull
    from rocch.roc.member import Member
    from rocch.roc.question import Question
    from rocch.stats.cost_axis import Stretch
    from rocch.stats.decisions import Superiority
    from rocch.stats.losses import LcInterval, LossComparison

# The most stretches of the cost axis that are printed; JSON has all.
MOST_STRETCHES = 20


@dataclass(frozen=True, slots=True)
class CompareResult(HullRows):
    """Who loses less, for how much of what is believed.

    Attributes
    ----------
    comparison
        Of two classifiers their LC index, of more who is best where.
    aucs
        The areas under the classifiers' curves, where the rows are available.
    resampled
        The LC index of every pair on resamples of the rows.
    """

    comparison: LossComparison | Superiority
    aucs: dict[str, float]
    resampled: list[LcInterval]
    rows_available: bool

    def parts(self) -> Iterator[Printed]:
        """Return the sentence, and what it rests on."""
        from rocch.stats.losses import LossComparison

        found = self.comparison
        yield self.headline(self.prevalence)
        yield f"Belief: {found.belief}."
        if isinstance(found, LossComparison):
            yield from self._pair_parts(found)
        else:
            yield from self._ranking_parts(found)
        if self.resampled:
            yield self._resampled_part()
        if not self.rows_available:
            yield "The rows were not kept, or have weights: no resamples say how sure this is."

    def _pair_parts(self, found: LossComparison) -> Iterator[Printed]:
        by_auc = ", ".join(f"{name} {value:.4f}" for name, value in self.aucs.items())
        aucs = (f"AUC, which does not know your costs: {by_auc}",) if by_auc else ()
        yield Section(str(found), aucs)
        yield from _stretch_parts(found, found.stretches)
        shapes = found.shapes()
        rows = [(name, f"{index:.3f}") for name, index in shapes.by_shape.items()]
        for name, span in (
            ("any unimodal belief", shapes.unimodal),
            ("any belief", shapes.any_belief),
        ):
            if span is not None:
                rows.append((name, f"{span.low:.3f} to {span.high:.3f}"))
        table = make_table("shape", ">LC index", rows=rows)
        yield Section("If the belief had another shape", (table, str(shapes)))

    def _ranking_parts(self, found: Superiority) -> Iterator[Printed]:
        rows = ((r.classifier, f"{r.alone:.1%}", f"{r.shared:.1%}") for r in found.classifiers)
        table = make_table("classifier", ">alone", ">shared", rows=rows)
        yield Section(str(found), ())
        yield Section("Who is best, for how much of the belief", (table,))
        yield from _stretch_parts(found, found.stretches)
        index = found.pairwise()
        names = [r.classifier for r in found.classifiers if r.classifier in self.classifiers]
        pairs = (
            (name, *(f"{index[name, other]:.3f}" if name != other else "" for other in names))
            for name in names
        )
        table = make_table("", *(f">{name}" for name in names), rows=pairs)
        yield Section("LC index: positive where the row's classifier is better", (table,))

    def _resampled_part(self) -> Section:
        rows = (
            (
                pair.first,
                pair.second,
                f"{pair.lc_index:.3f}",
                f"{pair.interval.low:.3f}",
                f"{pair.interval.high:.3f}",
                f"{pair.favored:.0%}",
            )
            for pair in self.resampled
        )
        header = ("first", "second", ">LC index", ">95% from", ">to", ">first favored")
        total = format_amount(self.positives + self.negatives)
        title = f"How sure the {total} rows are: the LC index on resamples"
        return Section(title, (make_table(*header, rows=rows),))


def _stretch_parts(
    found: LossComparison | Superiority, stretches: tuple[Stretch, ...]
) -> Iterator[Printed]:
    """Return the stretches of the cost axis that are believed in."""
    from rocch.stats.cost_axis import ROUNDING
    from rocch.stats.losses import LossComparison

    shown = [stretch for stretch in stretches if stretch.mass > ROUNDING]
    known = found.prevalence is not None
    rows = []
    for stretch in shown[:MOST_STRETCHES]:
        ends = [f"{stretch.low:.4f}", f"{stretch.high:.4f}"]
        if known:
            ends += [_times(stretch.low), _times(stretch.high)]
        tied = len(stretch.classifiers) == 2 and isinstance(found, LossComparison)
        names = "no difference" if tied else ", ".join(stretch.classifiers)
        rows.append((*ends, names, f"{stretch.mass:.1%}"))
    times = (">times as bad from", ">to") if known else ()
    table = make_table(">from", ">to", *times, "best", ">belief", rows=rows)
    axis = "miss's share of both costs" if known else "probability-cost"
    yield Section(f"Where, on the {axis}", (table,))
    if len(shown) > MOST_STRETCHES:
        yield f"... and {len(shown) - MOST_STRETCHES} more stretches; --json has all."


def _times(share: float) -> str:
    return "inf" if share == 1 else f"{share / (1 - share):.3g}"


@click.command("compare", cls=QuestionCommand)
@scores_options
@question_options(BELIEF)
@click.option(
    "--reading",
    type=click.Choice(["envelope", "implied"]),
    default="envelope",
    show_default=True,
    help="Loss at the best threshold, or at the one that costs imply on probabilities.",
)
@click.option(
    "--resamples",
    type=int,
    help="Resamples of the rows that say how sure the LC index is; 0 for none.  [default: 500, "
    "fewer for large files]",
)
@plot_option
def compare(
    data: ScoresSource,
    as_json: bool,
    plot: Path | None,
    reading: str,
    resamples: int | None,
    question: Question,
) -> None:
    """Compare the losses of the classifiers in FILE under what you believe about costs.

    Of two score columns it says which loses less for how much of what you believe (Adams and
    Hand's LC index), whether that depends on the shape of the belief, and how sure the rows are;
    of more, which is best where. The class balance is that of FILE unless you state it.

    \b
    Example:
      rocch compare scores.csv --label y --scores lda,qda --cost-ratio 5..10 --likely 9
      rocch compare scores.csv --label y --prevalence 0.35 --cost-ratio 1/10..1
    """
    from rocch.cli.scores import hull_from_file, need_rows

    belief = question.belief
    if belief is None:
        raise click.UsageError(
            "state what you believe about costs, for example --cost-ratio 5..10, and if you can "
            "the most likely value, --likely 9. Without costs, rocch auc compares AUCs."
        )
    check_picture(plot)
    if resamples:
        data = need_rows(data, "--resamples")
    if reading != "envelope":
        data = need_rows(data, f"--reading {reading}", weighted=True)
    hull = hull_from_file(data)
    if len(hull.members) < 2:
        raise click.UsageError("--scores must name at least two columns to compare.")
    comparison = (_compare_two if len(hull.members) == 2 else _rank)(hull, belief, reading)
    if plot:
        save_figure(plot, lambda: _draw(comparison))
    resampled = _resample(hull, belief, reading, resamples)
    result = CompareResult(
        **hull_fields(hull),
        comparison=comparison,
        aucs=find_aucs(hull),
        resampled=resampled,
        rows_available=has_rows(hull),
    )
    show(result, as_json=as_json, written=[plot])


def _compare_two(hull: RocHull, belief: Belief, reading: str) -> LossComparison:
    from rocch.roc.hull import RocHull
    from rocch.stats.losses import compare_losses

    first, second = hull.members
    names = first.name, second.name
    if reading == "envelope":
        a, b = (RocHull(hull.totals, (member,)) for member in hull.members)
        return compare_losses(a, b, belief=belief, names=names)
    curves = [_probabilities(member) for member in hull.members]
    return compare_losses(*curves, belief=belief, reading="implied")


def _probabilities(member: Member) -> RocCurve:
    curve: Any = member.curve()  # its rows are in memory, so that there is one, with thresholds
    low, high = curve.lowest_scores[-1], curve.lowest_scores[0]
    if low < 0 or high > 1:
        raise click.UsageError(
            f"--reading implied needs probabilities; column {curve.name!r} has scores from {low:g} "
            f"to {high:g}."
        )
    return cast("RocCurve", curve)


def _rank(hull: RocHull, belief: Belief, reading: str) -> Superiority:
    from rocch.stats.decisions import rank_under_belief

    if reading != "envelope":
        raise click.UsageError(
            f"--reading {reading} compares two columns; name them with --scores."
        )
    return rank_under_belief(hull, belief=belief)


def _resample(
    hull: RocHull, belief: Belief, reading: str, resamples: int | None
) -> list[LcInterval]:
    """Return the LC index of every pair with its spread over resamples of the rows."""
    from rocch.stats.losses import lc_intervals

    if reading != "envelope" or (resamples is None and not has_rows(hull)):
        return []
    number = resamples_for(hull, resamples)
    if not number:
        return []
    options: Any = {"belief": belief, "replicates": number}
    with working("Drawing the rows again") as step:
        return list(lc_intervals(*rows_of(hull), **options, verbose=step))


def _draw(found: LossComparison | Superiority) -> Figure:
    from rocch.plots.costs import SuperiorityDisplay
    from rocch.stats.losses import LossComparison

    if isinstance(found, LossComparison):
        return SuperiorityDisplay.from_comparison(found).figure_
    return SuperiorityDisplay.from_superiority(found).figure_
