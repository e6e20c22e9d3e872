"""`rocch best`: which classifier and threshold to use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rocch.cli.belief import RATIOS, class_balance
from rocch.cli.options import INTERVAL, balance_options, data_options, plot_option

if TYPE_CHECKING:
    from pathlib import Path

    from rocch.cli.scores_asked import ScoresAsked
    from rocch.roc.belief import Belief
    from rocch.roc.conditions import Conditions
    from rocch.roc.criteria import Criterion
    from rocch.roc.hull import RocHull


@click.command("best")
@data_options
@balance_options
@click.option("--fp-cost", **INTERVAL, help="Cost of a false alarm: 10 or 10..20.")
@click.option("--fn-cost", **INTERVAL, help="Cost of a miss.")
@click.option(
    "--miss-costs",
    **INTERVAL,
    help="A belief: a miss is so many times as bad as a false alarm; one cost is the unit.",
)
@click.option(
    "--false-alarm-costs", **INTERVAL, help="... or a false alarm so many times as bad as a miss,"
)
@click.option("--likely", type=float, help="... and most likely so many times.")
@click.option("--tp-cost", **INTERVAL, help="Cost of a hit.  [default: 0]")
@click.option("--tn-cost", **INTERVAL, help="Cost of rightly not alarming.  [default: 0]")
@click.option("--max-fpr", type=float, help="Limit on the false positive rate.")
@click.option("--min-tpr", type=float, help="Least true positive rate.")
@click.option("--capacity", type=float, help="Most cases that can be handled ...")
@click.option("--positives", type=float, help="... out of so many positives")
@click.option("--negatives", type=float, help="... and so many negatives,")
@click.option("--population", type=float, help="... or out of so many (with --prevalence).")
@click.option("--max-share", type=float, help="Most alarms, as a share of all (with --prevalence).")
@click.option("--maximise", help="A metric: tpr, precision, lift, f1, accuracy, informedness, ...")
@click.option("--randomise", is_flag=True, help="Allow mixing two classifiers by a coin.")
@click.option(
    "--honest", is_flag=True, help="Judge the choice on rows that did not make it (costs only)."
)
@plot_option
def command(
    data: ScoresAsked,
    as_json: bool,
    randomise: bool,
    honest: bool,
    plot: Path | None,
    **known: Any,
) -> None:
    """Say which classifier and threshold of FILE to use, given what you know.

    State costs and class balance as numbers or intervals, or limits, or both. With intervals the
    answer says which choices can be best, where it switches, and which choice is the safest. With
    a belief (--miss-costs) it is the choice with the least expected regret, and says how likely
    each is to be best and what knowing the conditions is worth.

    \b
    Example:
      rocch best scores.csv --label y --negatives-per-positive 5 \\
          --fp-cost 10..20 --fn-cost 200..250
      rocch best scores.csv --label y --prevalence observed \\
          --miss-costs 5..10 --likely 9 --fp-cost 20
      rocch best scores.csv --label y --prevalence 0.1 --fp-cost 1 --fn-cost 9 --honest
      rocch best scores.csv --label y --max-fpr 0.05
      rocch best scores.csv --label y --capacity 100 --positives 50 --negatives 950
    """
    from rocch.cli import render, render_belief, resamples
    from rocch.cli.belief import belief_from
    from rocch.cli.scores_file import hull_from_file
    from rocch.compare.decisions.weighed import weigh_choices

    _check_used(known)
    belief = belief_from(known, class_balance(known))
    conditions = _conditions(known) if belief is None else None
    criterion = _criterion(known, conditions, belief)
    if plot:
        render.check_picture(plot)
    hull = hull_from_file(data)
    sensitivity = None
    if conditions is not None and not conditions.exact and not criterion.limits:
        sensitivity = hull.sensitivity(conditions)
    answer = hull.best(criterion, randomise=randomise)
    weighed = weigh_choices(hull, belief) if belief is not None and not criterion.limits else None
    expected = _honest(hull, belief or conditions, criterion) if honest else None
    if plot:
        given = [stated for stated in (conditions, belief) if stated is not None]
        render.save_plot(hull, plot, conditions=given, points=[answer])
    if as_json:
        document = render.best_json(hull, answer, sensitivity)
        weighed_too = render_belief.weighed_json(weighed)
        render.print_json({**document, **weighed_too, **resamples.honest_json(expected)})
    else:
        render.print_best(hull, answer, sensitivity)
        render_belief.print_weighed(weighed)
        resamples.print_honest(expected)
        render.print_written(plot)


def _honest(hull: RocHull, stated: Any, criterion: Criterion) -> Any:
    from rocch.cli import resamples
    from rocch.roc.conditions import Conditions

    vague = isinstance(stated, Conditions) and not stated.exact
    if stated is None or vague or criterion.limits:
        raise click.UsageError(
            "--honest judges costs: give exact ones (--fp-cost, --fn-cost) or a belief "
            "(--miss-costs), and no limits."
        )
    return resamples.honest(hull, stated)


USES_BALANCE = {*RATIOS, "fp_cost", "fn_cost", "maximise", "max_share", "population"}


def _check_used(known: dict[str, Any]) -> None:
    """Refuse options that would have no effect, rather than ignore them."""
    given = {name for name, value in known.items() if value is not None}
    needs = {
        "positives": {"capacity"},
        "negatives": {"capacity"},
        "population": {"capacity"},
        "likely": {"miss_costs", "false_alarm_costs"},
        "tp_cost": {"fp_cost", "fn_cost"},
        "tn_cost": {"fp_cost", "fn_cost"},
        "prevalence": USES_BALANCE,
        "negatives_per_positive": USES_BALANCE,
    }
    for name, users in needs.items():
        if name in given and not given & users:
            options = ", ".join("--" + user.replace("_", "-") for user in sorted(users))
            raise click.UsageError(
                f"--{name.replace('_', '-')} has no effect here; it goes with {options}."
            )


def _conditions(known: dict[str, Any]) -> Conditions | None:
    """Return what was said about costs, if anything was."""
    from rocch.roc.conditions import Conditions

    if known["fp_cost"] is None and known["fn_cost"] is None:
        return None
    for option in ("fp_cost", "fn_cost"):
        if known[option] is None:
            raise click.UsageError(f"--{option.replace('_', '-')} is missing: name both costs.")
    return Conditions(
        prevalence=class_balance(known),
        false_positive=known["fp_cost"],
        false_negative=known["fn_cost"],
        true_positive=known["tp_cost"] or 0,
        true_negative=known["tn_cost"] or 0,
    )


def _criterion(
    known: dict[str, Any], conditions: Conditions | None, belief: Belief | None
) -> Criterion:
    """Return what "best" means: cost or a metric or a limit's own aim, under all limits given."""
    from rocch.roc import criteria
    from rocch.roc.regret import LeastExpectedRegret, MinimaxRegret

    limits = _limits(known)
    goal: Any = None
    if conditions is not None:
        goal = conditions if conditions.exact else MinimaxRegret(conditions)
    if belief is not None:
        goal = LeastExpectedRegret(belief)
    if known["maximise"] is not None:
        if goal is not None:
            raise click.UsageError("give costs or --maximise, not both.")
        goal = criteria.Maximise(known["maximise"], prevalence=_one_prevalence(known, "observed"))
    if goal is None:
        if not limits:
            raise click.UsageError(
                "say what you know: costs (--fp-cost, --fn-cost, with --prevalence or "
                "--negatives-per-positive), a belief (--miss-costs), a limit (--max-fpr, "
                "--min-tpr, --capacity, --max-share) or a metric (--maximise)."
            )
        goal, limits = limits[0], limits[1:]
    return criteria.Constrained(goal, *limits) if limits else criteria.as_criterion(goal)


def _limits(known: dict[str, Any]) -> list[Any]:
    from rocch.roc import criteria

    limits: list[Any] = []
    if known["max_fpr"] is not None:
        limits.append(criteria.NeymanPearson(known["max_fpr"]))
    if known["capacity"] is not None:
        limits.append(criteria.Capacity(known["capacity"], **_population(known)))
    if known["max_share"] is not None:
        prevalence = _one_prevalence(known, None)
        if not isinstance(prevalence, float):
            raise click.UsageError(
                "--max-share needs the class balance as a number: --prevalence or "
                "--negatives-per-positive."
            )
        limits.append(criteria.AlarmShare(known["max_share"], prevalence=prevalence))
    if known["min_tpr"] is not None:
        limits.append(criteria.MinimumTpr(known["min_tpr"]))
    return limits


def _population(known: dict[str, Any]) -> dict[str, float]:
    """Return the cases that a capacity is for, however they were stated."""
    if known["population"] is None:
        if known["positives"] is None or known["negatives"] is None:
            raise click.UsageError(
                "--capacity needs --positives and --negatives, or --population and --prevalence."
            )
        return {"positives": known["positives"], "negatives": known["negatives"]}
    prevalence = _one_prevalence(known, None)
    if known["positives"] is not None or known["negatives"] is not None:
        raise click.UsageError("give --population or --positives and --negatives, not both.")
    if not isinstance(prevalence, float):
        raise click.UsageError(
            "--population needs the class balance as a number: --prevalence or "
            "--negatives-per-positive."
        )
    positives = prevalence * known["population"]
    return {"positives": positives, "negatives": known["population"] - positives}


def _one_prevalence(known: dict[str, Any], otherwise: str | None) -> Any:
    """Return the class balance as a number where a range is of no use."""
    prevalence = class_balance(known)
    if prevalence is None or isinstance(prevalence, str):
        return prevalence or otherwise
    low, high = prevalence
    if low != high:
        raise click.UsageError(
            "the class balance must be a single number for --maximise, --max-share and "
            f"--population; got a prevalence of {low:.4g} to {high:.4g}. Name one."
        )
    return low
