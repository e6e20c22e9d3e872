"""`rocch best`: which classifier and threshold to use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rocch.cli.options import plot_option, scores_options
from rocch.cli.question import QuestionCommand, check_question, question_options

if TYPE_CHECKING:
    from pathlib import Path

    from rocch.cli.scores import ScoresSource
    from rocch.roc.hull import RocHull
    from rocch.roc.question import Question
    from rocch.stats.guarantees import OutOfSampleChoice


@click.command("best", cls=QuestionCommand)
@scores_options
@question_options()
@click.option(
    "--out-of-sample",
    is_flag=True,
    help="Compare the choice with its rivals on rows that did not make it (costs only).",
)
@plot_option
def command(
    data: ScoresSource,
    as_json: bool,
    out_of_sample: bool,
    plot: Path | None,
    question: Question,
) -> None:
    """Say which classifier and threshold of FILE to use, given what you know.

    State costs and class balance as numbers or intervals (10..40, 5..10%), a belief about the
    ratio of costs, limits, or another aim. The class balance is that of FILE unless you state it.
    The answer is the best choice on the rows of FILE; for costs it also says what to expect on new
    rows. With intervals it says which choices can be best, where they switch, and which choice is
    the safest. With a belief (--cost-ratio) it is the choice with the least expected regret, and
    says how likely each is to be best and what knowing the conditions is worth.

    \b
    Example:
      rocch best scores.csv --label y --negatives-per-positive 5 \\
          --false-positive 10..20 --false-negative 200..250
      rocch best scores.csv --label y --cost-ratio 5..10
      rocch best scores.csv --label y --prevalence 5% \\
          --cost-ratio 5..10 --likely 9 --false-positive 20
      rocch best scores.csv --label y --prevalence 0.1 --out-of-sample \\
          --false-positive 1 --false-negative 9
      rocch best scores.csv --label y --max-fpr 0.05
      rocch best 'scores/*.parquet' --label y --prevalence 0.1 --false-positive 1 --false-negative 9
      rocch best scores.csv --label y --capacity 100 --population 1000
    """
    from rocch.cli import render
    from rocch.cli.scores import hull_from_file, need_rows

    check_question(question)
    if plot:
        render.check_picture(plot)
    if out_of_sample:
        data = need_rows(data, "--out-of-sample")
    hull = hull_from_file(data)
    answer(hull, question, out_of_sample=out_of_sample, plot=plot, as_json=as_json)


def answer(
    hull: RocHull,
    question: Question,
    *,
    out_of_sample: bool = False,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Answer a question about a hull, in words or as JSON."""
    from rich.markup import escape

    from rocch.cli import render, render_belief, resamples
    from rocch.stats.decisions import decision_analysis

    resolved = question.resolve(hull.totals)
    conditions, belief = question.conditions, question.belief
    limits = getattr(resolved.criterion, "limits", ())  # a knob has none
    best = hull.best(question)
    sensitivity = weighed = checked = None
    if not limits:
        if conditions is not None and not conditions.exact:
            sensitivity = hull.sensitivity(conditions)
        if belief is not None and hull.slope_bounds is None:  # it looks beyond bounds
            weighed = decision_analysis(hull, belief)
    if out_of_sample:
        checked = _check_out_of_sample(hull, question, has_limits=bool(limits))
    if plot:
        given = [stated for stated in (conditions, belief) if stated is not None]
        render.save_plot(hull, plot, conditions=given, points=[best])
    if as_json:
        stated = {"question": resolved.to_dict()}
        document = {**stated, **render.best_json(hull, best, sensitivity)}
        weighed_too = render_belief.weighed_json(weighed)
        render.print_json({**document, **weighed_too, **resamples.choice_json(checked)})
    else:
        render.console().print(escape(f"Question: {resolved.describe()}."))
        render.print_best(hull, best, sensitivity, is_knob=question.knob is not None)
        render_belief.print_weighed(weighed)
        resamples.print_choice(checked)
        render.print_written(plot)


def _check_out_of_sample(
    hull: RocHull, question: Question, *, has_limits: bool
) -> OutOfSampleChoice:
    from rocch.cli import resamples

    stated = question.belief or question.conditions
    if stated is None or has_limits or (question.belief is None and not question.is_exact):
        raise click.UsageError(
            "--out-of-sample compares costs: give exact ones (--false-positive, --false-negative) "
            "or a belief (--cost-ratio), and no limits."
        )
    return resamples.choose_out_of_sample(hull, stated)
