"""`rocch compare`: who loses less, for how much of what you believe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import click

from rocch.cli.options import plot_option, scores_options
from rocch.cli.question import BELIEF, QuestionCommand, question_options

if TYPE_CHECKING:
    from pathlib import Path

    from rocch.cli.scores import ScoresSource
    from rocch.roc.belief import Belief
    from rocch.roc.curve import RocCurve
    from rocch.roc.hull import Member, RocHull
    from rocch.roc.question import Question
    from rocch.stats.losses import LossComparison


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
def command(
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
    from rocch.cli import render_compare
    from rocch.cli.render import check_picture
    from rocch.cli.scores import hull_from_file, need_rows

    belief = question.belief
    if belief is None:
        raise click.UsageError(
            "state what you believe about costs, for example --cost-ratio 5..10, and if you can "
            "the most likely value, --likely 9."
        )
    if plot:
        check_picture(plot)
    if resamples:
        data = need_rows(data, "--resamples")
    if reading != "envelope":
        data = need_rows(data, f"--reading {reading}", weighted=True)
    hull = hull_from_file(data)
    if len(hull.members) < 2:
        raise click.UsageError("--scores must name at least two columns to compare.")
    compare: Any = _two if len(hull.members) == 2 else _many
    answer = compare(hull, belief, reading)
    spread = _spread(hull, belief, reading, resamples)
    render_compare.show(hull, answer, spread, as_json=as_json, plot=plot)


def _spread(hull: RocHull, belief: Belief, reading: str, resamples: int | None) -> Any:
    from rocch.cli.resamples import has_rows, resamples_for, spreads

    if reading != "envelope" or (resamples is None and not has_rows(hull)):
        return []
    return spreads(hull, belief, resamples_for(hull, resamples))


def _two(hull: RocHull, belief: Belief, reading: str) -> LossComparison:
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
    low, high = curve.thresholds[-1], curve.thresholds[0]
    if low < 0 or high > 1:
        raise click.UsageError(
            f"--reading implied needs probabilities; column {curve.name!r} has scores from {low:g} "
            f"to {high:g}."
        )
    return cast("RocCurve", curve)


def _many(hull: RocHull, belief: Belief, reading: str) -> Any:
    from rocch.stats.decisions import rank_under_belief

    if reading != "envelope":
        raise click.UsageError(
            f"--reading {reading} compares two columns; name them with --scores."
        )
    return rank_under_belief(hull, belief=belief)
