"""`rocch best`: which classifier and threshold to use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rocch.cli.options import plot_option, scores_options
from rocch.cli.question import question_options

if TYPE_CHECKING:
    from pathlib import Path

    from rocch.cli.scores_asked import ScoresAsked
    from rocch.roc.asked import Asked
    from rocch.roc.criteria import Criterion
    from rocch.roc.hull import RocHull


@click.command("best")
@scores_options
@question_options
@click.option(
    "--honest", is_flag=True, help="Judge the choice on rows that did not make it (costs only)."
)
@plot_option
def command(
    data: ScoresAsked,
    as_json: bool,
    randomize: bool,
    honest: bool,
    plot: Path | None,
    asked: Asked,
) -> None:
    """Say which classifier and threshold of FILE to use, given what you know.

    State costs and class balance as numbers or intervals, or limits, or both. With intervals the
    answer says which choices can be best, where it switches, and which choice is the safest. With
    a belief (--cost-ratio) it is the choice with the least expected regret, and says how likely
    each is to be best and what knowing the conditions is worth.

    \b
    Example:
      rocch best scores.csv --label y --negatives-per-positive 5 \\
          --false-positive 10..20 --false-negative 200..250
      rocch best scores.csv --label y --prevalence observed \\
          --cost-ratio 5..10 --likely 9 --false-positive 20
      rocch best scores.csv --label y --prevalence 0.1 --honest \\
          --false-positive 1 --false-negative 9
      rocch best scores.csv --label y --max-fpr 0.05
      rocch best 'scores/*.parquet' --label y --prevalence 0.1 --false-positive 1 --false-negative 9
      rocch best scores.csv --label y --capacity 100 --positives 50 --negatives 950
    """
    from rocch.cli import render
    from rocch.cli.engine import need_rows
    from rocch.cli.scores_file import hull_from_file

    _ = asked.criterion  # words that make no sense are told before a long file is read
    if plot:
        render.check_picture(plot)
    if honest:
        need_rows(data, "--honest")
    answer(hull_from_file(data), asked, randomize, honest=honest, plot=plot, as_json=as_json)


def answer(
    hull: RocHull,
    asked: Asked,
    randomize: bool,
    *,
    honest: bool = False,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Answer what was asked of a hull, in words or as JSON."""
    from rocch.cli import render, render_belief, resamples
    from rocch.stats.decisions import decision_analysis

    criterion, conditions, belief = asked.criterion, asked.conditions, asked.belief
    sensitivity = None
    if conditions is not None and not conditions.exact and not criterion.limits:
        sensitivity = hull.sensitivity(conditions)
    best = hull.best(criterion, randomize=randomize)
    weighed = (
        decision_analysis(hull, belief) if belief is not None and not criterion.limits else None
    )
    expected = _honest(hull, belief or conditions, criterion) if honest else None
    if plot:
        given = [stated for stated in (conditions, belief) if stated is not None]
        render.save_plot(hull, plot, conditions=given, points=[best])
    if as_json:
        document = render.best_json(hull, best, sensitivity)
        weighed_too = render_belief.weighed_json(weighed)
        render.print_json({**document, **weighed_too, **resamples.honest_json(expected)})
    else:
        render.print_best(hull, best, sensitivity)
        render_belief.print_weighed(weighed)
        resamples.print_honest(expected)
        render.print_written(plot)


def _honest(hull: RocHull, stated: Any, criterion: Criterion) -> Any:
    from rocch.cli import resamples
    from rocch.roc.conditions import Conditions

    vague = isinstance(stated, Conditions) and not stated.exact
    if stated is None or vague or criterion.limits:
        raise click.UsageError(
            "--honest judges costs: give exact ones (--false-positive, --false-negative) or a "
            "belief (--cost-ratio), and no limits."
        )
    return resamples.honest(hull, stated)
