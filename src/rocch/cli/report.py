"""`rocch report`: one page to look at, and to steer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from rocch.cli.class_costs import cost_options, costs_from, shares
from rocch.cli.library.options import digest_option, trust_option
from rocch.cli.options import (
    COLUMN,
    INTERVAL,
    balance_options,
    output_option,
    scores_or_model_options,
)

if TYPE_CHECKING:
    from rocch.cli.scores_asked import ScoresAsked
    from rocch.report.many_classes.summary import ManyClassesSummary
    from rocch.report.summary import Summary

FORMATS = ("html", "md", "json", "text")


@click.command("report")
@scores_or_model_options
@balance_options
@click.option("--false-positive", **INTERVAL, help="Cost of a false alarm: 10 or 10..20.")
@click.option("--false-negative", **INTERVAL, help="Cost of a miss.")
@click.option(
    "--cost-ratio", **INTERVAL, help="A belief: a miss is so many times as bad as a false alarm"
)
@click.option("--likely", type=float, help="... and most likely so many times.")
@click.option("--max-fpr", type=float, help="Limit on the false positive rate.")
@click.option("--capacity", type=float, help="Most cases that can be handled ...")
@click.option("--population", type=float, help="... out of so many.")
@click.option("--randomize", is_flag=True, help="Allow mixing two classifiers by a coin.")
@cost_options
@click.option(
    "--priors",
    type=shares,
    metavar="A=SHARE,...",
    help="Of posteriors, the class balance: 'cat=0.2,dog=0.8'.",
)
@click.option("--fold", **COLUMN, help="The fold of each row, where scores of folds were pooled.")
@click.option(
    "--resamples",
    type=click.IntRange(min=0),
    help="Resamples for bands and the like; 0 for none.  [default: what takes a few seconds]",
)
@trust_option
@digest_option
@click.option("--title", help="The report's title.")
@click.option(
    "--format",
    "kind",
    type=click.Choice(FORMATS),
    help="What to write.  [default: by the name of --output; without one, text]",
)
@output_option("Write the report to this file (.html, .md or .json).")
def command(
    data: ScoresAsked, as_json: bool, kind: str | None, output: Path | None, **said: Any
) -> None:
    """Write a report on the classifiers of FILE: one HTML file to look at, and to steer.

    The page needs no network and no server. Who knows the costs turns its knobs: prevalence, costs
    (numbers or ranges), a belief, limits; recommendation, charts and the rule to deploy follow.
    FILE holds labels and scores as for rocch hull, or is a hybrid saved by rocch.save. With more
    than two classes, or with costs by name (--cost), it holds posteriors, a column for each class.

    \b
    Example:
      rocch report scores.csv --label y -o report.html
      rocch report scores.csv --label y --prevalence 0.05..0.1 \\
          --false-positive 1 --false-negative 20..40 -o report.html
      rocch report 'scores/*.parquet' --label y -o report.html
      rocch report scores.csv --label y --capacity 100 --population 10000 --format md
      rocch report posteriors.csv --label outcome --cost 'ill>well=20' --default-cost 1 -o many.html
    """
    from rocch.cli import render, render_report
    from rocch.cli.csv_output import check_not_read
    from rocch.cli.progress import working
    from rocch.files import check_place, writing
    from rocch.report.write import rendered

    wanted = _kind(kind, output, as_json=as_json)
    if output is not None:
        check_not_read(output, (*data.table.files, said["costs_file"]))
        check_place(output, "--output")
    summary = _summary(data, said)
    if wanted == "text":
        render_report.print_report(summary)
        return
    with working("Writing the report"):
        text = rendered(summary, wanted)
        with writing(output or Path("-")) as temporary:
            temporary.write_text(text, encoding="utf-8", newline="\n")
    if output is not None and not as_json:
        render_report.print_sentence(summary)
        render.print_written(output)


def _kind(kind: str | None, output: Path | None, *, as_json: bool) -> Any:
    """Return the format asked for, however it was."""
    from rocch.report.write import SUFFIXES

    if as_json and kind not in (None, "json"):
        raise click.UsageError(f"--json and --format {kind} contradict each other.")
    told = "json" if as_json else kind
    if told is not None:
        usual = None if output is None else SUFFIXES.get(output.suffix.lower())
        if usual not in (None, told):
            raise click.UsageError(f"'{output}' is named as {usual}, but {told} is asked for.")
        return told
    if output is None:
        return "text"
    if output.suffix.lower() not in SUFFIXES:
        raise click.UsageError(
            f"--output must end in .html, .md or .json, or --format be given; got '{output}'."
        )
    return SUFFIXES[output.suffix.lower()]


TWO_CLASSES = (
    "false_positive",
    "false_negative",
    "likely",
    "max_fpr",
    "capacity",
    "population",
    "cost_ratio",
)
BALANCE = ("prevalence", "negatives_per_positive", "randomize", "resamples", "fold")
MANY_CLASSES = ("costs_file", "stated", "default_cost", "priors")


def _summary(data: ScoresAsked, said: dict[str, Any]) -> Summary | ManyClassesSummary:
    from rocch.cli.engine import need_rows, reads_frame
    from rocch.cli.progress import working
    from rocch.cli.report_source import is_saved, posteriors_of, read_rows
    from rocch.report.many_classes.summarize import summarize_probabilities
    from rocch.report.summarize import summarize
    from rocch.roc.hull import RocHull

    title = {} if said["title"] is None else {"title": said["title"]}
    if not data.reading.spark and is_saved(data.table.path):
        _refuse_of_data(data, said)
        return _of_model(data.table.path, said, title)
    _refuse(said, ("trust", "digest"), "go with a saved model")
    if not data.label:
        raise click.UsageError("--label is missing: name the column with the true classes.")
    named_costs = any(said[name] not in (None, ()) for name in MANY_CLASSES)
    if data.positive is not None or data.is_long:
        _refuse(said, MANY_CLASSES, "go with posteriors of all classes")
    if reads_frame(data):
        _refuse(said, MANY_CLASSES, "go with posteriors, whose rows are read into memory")
        need = {"--fold": said["fold"], "--resamples": said["resamples"]}
        for option in (option for option, value in need.items() if value):
            need_rows(data, option)
        return _of_frame(data, said, title)
    rows = read_rows(data, said["fold"], posteriors=named_costs)
    if not rows.many:
        with working("Summing up"):
            labels: Any = rows.positive  # there are two classes
            hull = RocHull.from_scores(labels, rows.scores, sample_weight=rows.weights)
            known = {"folds": rows.folds, "labels": rows.labels, "label": data.label}
            return summarize(hull, **title, **known, **_two_classes(said))
    _refuse(said, (*TWO_CLASSES, *BALANCE), "go with scores of two classes; see --positive")
    with working("Searching the surface"):
        posteriors, classes = posteriors_of(rows)
        costs = costs_from(said["costs_file"], said["stated"], said["default_cost"], classes)
        known = {"costs": costs, "label": data.label, **_priors(said)}
        title = title or {"title": f"Which answers, for {len(classes)} classes?"}
        return summarize_probabilities(
            rows.truths, {"the model": posteriors}, classes=classes, **known, **title
        )


def _of_frame(
    data: ScoresAsked, said: dict[str, Any], title: dict[str, str]
) -> Summary | ManyClassesSummary:
    """Summarize a table whose rows stay where they are: its hull, and brackets of the AUCs."""
    from rocch.cli.frame_hull import judged_frame
    from rocch.report.summarize import summarize

    judged = judged_frame(data)
    known = {"aucs": judged.aucs, "labels": judged.labels, "label": data.label}
    return summarize(judged.hull, **title, **known, **_two_classes(said))


def _of_model(
    path: Path, said: dict[str, Any], title: dict[str, str]
) -> Summary | ManyClassesSummary:
    """Summarize a hybrid that was saved."""
    from rocch.cli.reading.wanted import check_lines
    from rocch.hybrid.multiclass import AimedSurface, RocSurfaceClassifier
    from rocch.hybrid.save import load
    from rocch.report.summarize import summarize
    from rocch.report.summary import Summary

    model: Any = load(path, digest=said["digest"], trusted=said["trust"])
    if isinstance(model, RocSurfaceClassifier | AimedSurface):
        _refuse(said, (*TWO_CLASSES, *BALANCE), "go with two classes")
        summary: Any = summarize(model, **_said_of_classes(model, said), **title)
    else:
        _refuse(said, MANY_CLASSES, "go with more than two classes")
        summary = summarize(model, **_two_classes(said), **title)
    named = summary.classifiers if isinstance(summary, Summary) else summary.models
    check_lines(one.name for one in named)
    check_lines((str(label) for label in model.classes_.tolist()), "class")
    return cast("Summary | ManyClassesSummary", summary)


def _refuse_of_data(data: ScoresAsked, said: dict[str, Any]) -> None:
    """Refuse what says how to read a table, which a saved model is not."""
    given = {
        "--label": data.label,
        "--positive": data.positive,
        "--scores": data.scores,
        "--classifier": data.classifier,
        "--row": data.row,
        "--score": data.score,
        "--fold": said["fold"],
        "--delimiter": data.table.delimiter,
        "--input-format": data.table.input_format,
        "--weight": data.reading.weight,
        "--drop-nulls": data.reading.drop_nulls,
        "--engine": data.reading.engine,
        "--memory-limit": data.reading.memory_limit,
    }
    for option, value in given.items():
        if value:
            raise click.UsageError(f"{option} has no effect here; FILE is a saved model.")


def _said_of_classes(model: Any, said: dict[str, Any]) -> dict[str, Any]:
    """Return costs and shares of a saved model's classes, which are typed as texts."""
    from rocch.multiclass.costs import CostMatrix

    classes = {str(label): label for label in model.classes_.tolist()}
    found = costs_from(said["costs_file"], said["stated"], said["default_cost"], classes)
    costs = found and CostMatrix(
        {
            tuple(classes.get(row[end], row[end]) for end in ("truth", "prediction")): (
                row["low"],
                row["high"],
            )
            for row in found.rows
        },
        classes=list(classes.values()),
    )
    shares = said["priors"]
    if isinstance(shares, dict):
        shares = {classes.get(name, name): share for name, share in shares.items()}
    return {"costs": costs, **({} if shares is None else {"priors": shares})}


def _two_classes(said: dict[str, Any]) -> dict[str, Any]:
    """Return what was said about two classes, in Python's words."""
    names = ("max_fpr", "capacity", "population", "randomize", "resamples")
    conditions = _conditions(said)
    return {
        "conditions": conditions,
        "prevalence": _balance(said) if conditions is None else None,
        "belief": _belief(said),
        **{name: said[name] for name in names},
    }


def _conditions(said: dict[str, Any]) -> Any:
    """Return what was said about costs, with the class balance, if anything was."""
    from rocch.roc.conditions import Conditions

    costs = {"false_positive": said["false_positive"], "false_negative": said["false_negative"]}
    believed = said["cost_ratio"] is not None
    given = [name for name, cost in costs.items() if cost is not None]
    if not given:
        return None
    if given and len(given) < 2 and not (believed and given == ["false_positive"]):
        missing = "--false-negative" if given == ["false_positive"] else "--false-positive"
        raise click.UsageError(
            "beside --cost-ratio state --false-positive alone: it is the unit."
            if believed
            else f"{missing} is missing: name both costs."
        )
    if believed and len(given) > 1:
        raise click.UsageError("beside --cost-ratio state --false-positive alone: it is the unit.")
    known = {name: (1, 1) if cost is None else cost for name, cost in costs.items()}
    return Conditions(prevalence=_balance(said) or "observed", **known)


def _balance(said: dict[str, Any]) -> Any:
    """Return the class balance, if it was stated."""
    from rocch.roc.asked import Asked, simplify_interval

    balance = {name: said[name] for name in ("prevalence", "negatives_per_positive")}
    return simplify_interval(Asked(**balance).balance)


def _belief(said: dict[str, Any]) -> tuple[float, float, float] | None:
    if said["cost_ratio"] is None:
        if said["likely"] is not None:
            raise click.UsageError("--likely has no effect here; it goes with --cost-ratio.")
        return None
    low, high = said["cost_ratio"]
    if said["likely"] is None:
        raise click.UsageError(
            "--cost-ratio needs --likely in a report: the page shows a triangle."
        )
    return low, said["likely"], high


def _priors(said: dict[str, Any]) -> dict[str, Any]:
    return {} if said["priors"] is None else {"priors": said["priors"]}


def _refuse(said: dict[str, Any], names: tuple[str, ...], why: str) -> None:
    """Refuse options that would have no effect, rather than ignore them."""
    options = {"costs_file": "costs", "stated": "cost"}
    for name in names:
        if said[name] not in (None, (), False):
            option = options.get(name, name).replace("_", "-")
            raise click.UsageError(f"--{option} has no effect here; such options {why}.")
