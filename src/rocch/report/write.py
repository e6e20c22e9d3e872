"""Writing a report to a file: HTML, Markdown or JSON, whole or not at all."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from rocch.errors import InputError, describe_type, escape_json, format_list
from rocch.files import check_place, writing
from rocch.inputs import as_choice
from rocch.report.many_classes.summary import ManyClassesSummary
from rocch.report.summarize import summarize

if TYPE_CHECKING:
    from rocch.report.summary import Summary

Format = Literal["html", "md", "json"]
SUFFIXES: dict[str, Format] = {
    ".html": "html",
    ".htm": "html",
    ".md": "md",
    ".markdown": "md",
    ".json": "json",
}


def write_report(what: Any, path: str | Path, *, format: Format | None = None, **said: Any) -> None:  # noqa: A002 - the word on the command line
    """Write a report that a person can read, and steer, in one file that needs no network.

    Parameters
    ----------
    what
        A `RocHull`, a fitted or loaded `RocchClassifier`; for many classes a `RocSurface` or a
        fitted or loaded `RocSurfaceClassifier`. Or what `summarize` returned.
    path
        Where to write. An existing file is replaced once the new one is complete.
    format
        "html" (interactive), "md" or "json"; by default what the path's suffix says.
    said
        What is known about costs and class balance, limits, a title: the options of `summarize`.

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
    >>> vague = rocch.Conditions(prevalence=0.1, false_positive=1, false_negative=(5, 10))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rocch.write_report(hull, os.path.join(folder, "report.html"), conditions=vague)
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
    made = hasattr(what, "format") and hasattr(what, "rocch")
    if made and said:
        raise InputError(
            "said",
            "be empty for a summary that is made already",
            format_list(said),
            "Leave it out.",
        )
    text = rendered(what if made else summarize(what, **said), kind)
    with writing(target) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def rendered(summary: Summary | ManyClassesSummary, kind: Format) -> str:
    """Return a summary as a text in one of the formats."""
    text = _rendered(summary, kind)
    return text.encode("utf-8", "replace").decode()  # a lone surrogate has no UTF-8


def _rendered(summary: Summary | ManyClassesSummary, kind: Format) -> str:
    if kind == "json":
        text = json.dumps(asdict(summary), ensure_ascii=False, allow_nan=False, indent=1)
        return escape_json(text) + "\n"
    if isinstance(summary, ManyClassesSummary):
        return _many_classes(summary, kind)
    if kind == "md":
        from rocch.report.markdown import markdown

        return markdown(summary)
    from rocch.report.html import render

    return render(summary)


def _many_classes(summary: ManyClassesSummary, kind: Format) -> str:
    if kind == "md":
        from rocch.report.many_classes.markdown import markdown

        return markdown(summary)
    from rocch.report.many_classes.html import render_many_classes

    return render_many_classes(summary)


def format_of(path: Path, named: str | None) -> Format:
    """Return the format that was named, or that the suffix stands for."""
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
