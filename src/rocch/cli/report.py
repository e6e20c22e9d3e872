"""`rocch report`: one page to look at, and to steer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rocch.cli.options import (
    BALANCE,
    COLUMN,
    QuestionCommand,
    add_costs_of_file,
    check_question,
    class_question_options,
    digest_option,
    output_option,
    question_options,
    scores_or_model_options,
    trust_option,
)
from rocch.cli.output import check_not_read, print_parts, print_written, working, write_parts
from rocch.report.parts import Section

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocch.cli.scores import ScoresSource
    from rocch.multiclass.question import ClassQuestion
    from rocch.report.summary import Summary
    from rocch.roc.question import Question

FORMATS = ("html", "md", "json", "text")


@click.command("report", cls=QuestionCommand)
@scores_or_model_options
@question_options()
@class_question_options
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
    "--class-names",
    metavar="NEGATIVE,POSITIVE",
    help="What texts call both classes.  [default: the labels, unless they are numbers]",
)
@click.option(
    "--baseline",
    metavar="RULE",
    help="Today's rule, for what the choice saves: a threshold, a model, 'MODEL >= THRESHOLD' (or "
    "MODEL:THRESHOLD), or a column of predicted labels.",
)
@click.option(
    "--format",
    "kind",
    type=click.Choice(FORMATS),
    help="What to write.  [default: by the name of --output; without one, text]",
)
@output_option("Write the report to this file (.html, .md, .json or .txt).")
def report(
    data: ScoresSource,
    question: Question,
    class_question: ClassQuestion,
    costs_file: Path | None,
    as_json: bool,
    kind: str | None,
    output: Path | None,
    **settings: Any,
) -> None:
    """Write a report on the classifiers of FILE: one HTML file to look at, and to steer.

    The page needs no network and no server. Who knows the costs turns its knobs: prevalence, costs
    (numbers or ranges), a belief, limits; recommendation, charts and the rule to deploy follow.
    The page starts at the question that you state here, as for rocch best. FILE holds labels and
    scores as for rocch hull, or is a hybrid saved by rocch.save. With more than two classes, or
    with costs by name (--costs), it holds probabilities, a column for each class.

    \b
    Example:
      rocch report scores.csv --label y -o report.html
      rocch report scores.csv --label y --prevalence 0.05..0.1 \\
          --false-positive 1 --false-negative 20..40 -o report.html
      rocch report 'scores/*.parquet' --label y -o report.html
      rocch report scores.csv --label y --capacity 100 --population 10000 --format md
      rocch report probabilities.csv --label outcome \\
          --costs 'ill>well=20' --default-cost 1 -o many.html
    """
    from rocch.files import check_place, writing
    from rocch.report.render import render as render_text
    from rocch.roc.referral import read_question

    wanted = _kind(kind, output, as_json=as_json)
    if output is not None:
        check_not_read(output, (*data.table.files, costs_file))
        check_place(output, "--output")
    deciding = question.without_referral()
    if set(deciding.given) - {*BALANCE, "randomize"}:  # otherwise both errors cost 1
        check_question(deciding)
    if question.refers:
        # refuses what makes no sense; units of amounts are for texts
        read_question(replace(question, currency=None, cases_per_month=None))
    classes = add_costs_of_file(class_question, costs_file)
    summary = _summary(data, question, classes, settings)
    assumed = f"Assumed: {summary.assumed}.\n{summary.about}"
    parts = [Section(summary.sentence, (assumed,)), *summary.sections]
    if wanted == "text" and output is None:
        print_parts(parts)
        return
    with working("Writing the report"):
        text = write_parts(parts) if wanted == "text" else render_text(summary, wanted)
        with writing(output or Path("-")) as temporary:
            temporary.write_text(text, encoding="utf-8", newline="\n")
    if output is not None and not as_json:
        print_parts([Section(summary.sentence, ())])
        print_written(output)


def _kind(kind: str | None, output: Path | None, *, as_json: bool) -> Any:
    """Return the format to write."""
    from rocch.report.write import SUFFIXES

    kinds = {**SUFFIXES, ".txt": "text"}
    if as_json and kind not in (None, "json"):
        raise click.UsageError(f"--json and --format {kind} contradict each other.")
    wanted = "json" if as_json else kind
    if wanted is not None:
        usual = None if output is None else kinds.get(output.suffix.lower())
        if usual not in (None, wanted):
            raise click.UsageError(f"'{output}' is named as {usual}, but {wanted} is requested.")
        return wanted
    if output is None:
        return "text"
    if output.suffix.lower() not in kinds:
        raise click.UsageError(
            f"--output must end in .html, .md, .json or .txt, or --format be given; got '{output}'."
        )
    return kinds[output.suffix.lower()]


def _summary(
    data: ScoresSource, question: Question, classes: ClassQuestion, settings: dict[str, Any]
) -> Summary:
    """Summarize what is in the file; refuse options that would have no effect."""
    from rocch.cli.data import is_saved
    from rocch.cli.scores import FrameResults, need_rows, read_report
    from rocch.errors import InputError
    from rocch.report import summarize, summarize_probabilities
    from rocch.roc.hull import RocHull
    from rocch.roc.savings import parse_baseline

    title = {} if settings["title"] is None else {"title": settings["title"]}
    stated = question if question.given else None
    binary: dict[str, Any] = {"question": stated, "resamples": settings["resamples"], **title}
    if settings["class_names"] is not None:
        binary["names"] = settings["class_names"].split(",")
    if settings["baseline"] is not None:
        binary["baseline"] = parse_baseline(settings["baseline"])
    if not data.spark and is_saved(data.table.path):
        _refuse_data(data, settings)
        return _summarize_model(data.table.path, binary, classes, settings, title)
    for name in ("trust", "digest"):
        if settings[name]:
            raise _no_effect(name, "goes with a saved model")
    if not data.label:
        raise click.UsageError("--label is missing: name the column with the true classes.")
    if data.positive is not None or data.is_long:
        _refuse(classes.given, "goes with probabilities of all classes")
    if data.spark or data.engine == "duckdb":
        _refuse(classes.given, "goes with probabilities, whose rows are read into memory")
    for name in ("fold", "resamples"):
        if settings[name]:
            data = need_rows(data, f"--{name}", weighted=True)
    fold, today = settings["fold"], binary.get("baseline")
    column = today if isinstance(today, str) else None
    rows = read_report(data, fold, column)
    if isinstance(rows, FrameResults):
        about = {"aucs": rows.aucs, "labels": rows.labels, "label": data.label}
        return summarize(rows.hull, **binary, **about)
    # without a positive class, more than two classes mean probabilities
    if not classes and (data.is_long or data.positive is not None or len(rows.labels.names) <= 2):
        with working("Summing up"):
            hull = RocHull.from_scores(rows.positive, rows.scores, sample_weight=rows.weights)
            folds = None if fold is None else rows.coded[fold].codes
            if (decisions := rows.decisions(column)) is not None:
                binary["baseline"] = decisions
            return summarize(hull, **binary, folds=folds, labels=rows.both_labels, label=data.label)
    if rows.weights is not None:
        raise InputError("--weight", "go with two classes", "more", "Leave it out.")
    _refuse_binary(stated, settings, "goes with scores of two classes; see --positive")
    with working("Searching the surface"):
        probabilities, names = rows.probabilities()
        title = title or {"title": f"Which predictions, for {len(names)} classes?"}
        return summarize_probabilities(
            rows.labels.texts(),
            {"the model": probabilities},
            classes or None,
            classes=names,
            label=data.label,
            **title,
        )


def _summarize_model(
    path: Path,
    binary: dict[str, Any],
    classes: ClassQuestion,
    settings: dict[str, Any],
    title: dict[str, str],
) -> Summary:
    """Summarize a hybrid that was saved."""
    from rocch.cli.table import check_lines
    from rocch.hybrid.aimed_surface import AimedSurface
    from rocch.hybrid.multiclass import RocSurfaceClassifier
    from rocch.hybrid.save import load
    from rocch.report import summarize

    model: Any = load(path, digest=settings["digest"], trusted=settings["trust"])
    if isinstance(model, RocSurfaceClassifier | AimedSurface):
        _refuse_binary(binary["question"], settings, "goes with two classes")
        summary = summarize(model, classes or None, **title)
    else:
        _refuse(classes.given, "goes with more than two classes")
        summary = summarize(model, **binary)
    check_lines(_model_names(summary))
    check_lines((str(label) for label in model.classes_.tolist()), "class")
    return summary


def _model_names(summary: Summary) -> list[str]:
    if summary.binary is not None:
        return [each.name for each in summary.binary.classifiers]
    return [] if summary.multiclass is None else [each.name for each in summary.multiclass.models]


def _refuse_data(data: ScoresSource, settings: dict[str, Any]) -> None:
    """Refuse what says how to read a table, which a saved model is not."""
    given = {
        "label": data.label,
        "positive": data.positive,
        "scores": data.scores,
        "classifier": data.classifier,
        "row": data.row,
        "score": data.score,
        "fold": settings["fold"],
        "delimiter": data.table.delimiter,
        "input_format": data.table.input_format,
        "encoding": data.table.encoding,
        "weight": data.weight,
        "drop_nulls": data.drop_nulls,
        "engine": data.engine,
        "memory_limit": data.table.memory_limit,
    }
    for name, value in given.items():
        if value:
            raise _no_effect(name, "goes with a table, and FILE is a saved model")


def _refuse_binary(question: Question | None, settings: dict[str, Any], why: str) -> None:
    """Refuse what has no effect for more than two classes."""
    _refuse(() if question is None else question.given, why)
    names = ("resamples", "fold", "class_names", "baseline")
    _refuse((name for name in names if settings[name] is not None), why)


def _refuse(names: Iterable[str], why: str) -> None:
    """Refuse options that would have no effect, rather than ignore them."""
    for name in names:
        raise _no_effect(name, why)


def _no_effect(name: str, why: str) -> click.UsageError:
    return click.UsageError(f"--{name.replace('_', '-')} has no effect here; it {why}.")
