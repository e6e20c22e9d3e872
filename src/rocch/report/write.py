"""Summaries of whatever a report can be made of, and reports in files."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

from rocch.errors import InputError, describe_type, format_list, unknown_option
from rocch.files import check_place, writing
from rocch.hybrid.aimed_surface import AimedSurface
from rocch.hybrid.multiclass import RocSurfaceClassifier
from rocch.inputs import as_choice
from rocch.multiclass.surface import RocSurface
from rocch.report.binary import summarize_binary
from rocch.report.multiclass import summarize_multiclass
from rocch.report.render import Format, render
from rocch.report.summary import Summary

SUFFIXES: dict[str, Format] = {
    ".html": "html",
    ".htm": "html",
    ".md": "md",
    ".markdown": "md",
    ".json": "json",
}

# The options for two classes, and for more.
BINARY = ("title", "label", "labels", "names", "baseline", "folds", "resamples", "aucs")
MULTICLASS = ("title", "label", "priors")


def summarize(what: Any, question: Any = None, **options: Any) -> Summary:
    """Summarize what a report can be made of: everything that `write_report` renders.

    Parameters
    ----------
    what
        For two classes a `RocHull`, or a fitted (or loaded) `RocchClassifier` or a view of one;
        for more a `RocSurface`, or a fitted `RocSurfaceClassifier` or a view of one.
    question
        For two classes a `Question`, its fields as a dictionary, `Conditions` or a criterion; for
        more a `rocch.multiclass.ClassQuestion` or a `CostMatrix`. By default what an aimed model
        aims at, or else that every error costs 1 at the observed class balance.
    options
        For both: `title`, and `label`, the name of the column of labels.

        For two classes: `labels`, the negative and the positive one, as a rule predicts them;
        `names`, what texts call these classes, by default the labels unless they are numbers;
        `baseline`, today's rule, as `OperatingPoint.savings` takes it; `folds`, the fold of each row where scores of several folds were pooled; `resamples`, how
        many to draw (by default what takes a few seconds, 0 for none); `aucs`, what `Scan.auc`
        returned, for a hull whose rows are not available.

        For more: `priors`, the class balance beside a `CostMatrix`.

    Returns
    -------
    Summary
        Frozen dataclasses; `dataclasses.asdict` makes JSON of them, after `summary_schema`.

    Examples
    --------
    >>> import rocch
    >>> hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"nb": [0.1, 0.4, 0.35, 0.8]})
    >>> rocch.report.summarize(hull, rocch.Question(max_fpr=0.1)).sentence
    'Use nb at 0.6, the best choice within the limits on the evaluation rows. It catches 50 of 100 positives and raises 0 false alarms per 100 negatives.'
    """  # noqa: E501 - the output of an example is one line
    many = isinstance(what, RocSurface | RocSurfaceClassifier | AimedSurface)
    known, kind = (MULTICLASS, "many classes") if many else (BINARY, "two classes")
    unknown = [name for name in options if name not in known]
    if unknown:
        raise unknown_option(unknown[0], known, "options", f"be those of a report of {kind}")
    return (summarize_multiclass if many else summarize_binary)(what, question, **options)


def write_report(
    what: Any,
    path: str | Path,
    question: Any = None,
    *,
    format: Format | None = None,  # noqa: A002 - the word on the command line
    **options: Any,
) -> None:
    """Write a report that a person can read, and steer, in one file that needs no network.

    Parameters
    ----------
    what
        A `RocHull`, a fitted or loaded `RocchClassifier`; for more than two classes a `RocSurface`
        or a fitted or loaded `RocSurfaceClassifier`. Or what `summarize` returned.
    path
        Where to write. An existing file is replaced once the new one is complete.
    question
        What is known about costs and class balance, limited or sought; see `summarize`.
    format
        "html" (interactive), "md" or "json"; by default what the path's suffix says.
    options
        The options of `summarize`.

    Raises
    ------
    InputError
        If no report can be made of `what`, or the path cannot be written.
    StorageError
        If the disk is full, or fails. A file that is there stays as it was.
    MissingExtraError
        For HTML without the `report` extra (plotly and jinja2).

    Examples
    --------
    >>> import os, rocch, tempfile
    >>> hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"nb": [0.1, 0.4, 0.35, 0.8]})
    >>> vague = rocch.Question(prevalence=0.1, cost_ratio=(5, 10))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rocch.write_report(hull, os.path.join(folder, "report.html"), vague)
    ...     os.listdir(folder)
    ['report.html']
    """
    if not isinstance(path, str | Path):
        raise InputError(
            "path", "be a path", describe_type(path), "Write 'report.html', for example."
        )
    target = Path(path)
    kind = format_of(target, format)
    check_place(target, "path")
    if isinstance(what, Summary):
        given = {**({} if question is None else {"question": question}), **options}
        if given:
            raise InputError(
                "options",
                "be left out for a summary that is made already",
                format_list(given),
            )
    summary = what if isinstance(what, Summary) else summarize(what, question, **options)
    text = render(summary, kind)
    with writing(target) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def format_of(path: Path, named: str | None) -> Format:
    """Return the format that is named, or that the suffix stands for."""
    if named is not None:
        found: Any = as_choice(named, get_args(Format), "format")
        kind: Format = found
        return kind
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(
            "path",
            "end in .html, .md or .json, unless a format is named",
            repr(str(path)),
            "Write report.html, for example.",
        )
    return SUFFIXES[path.suffix.lower()]
