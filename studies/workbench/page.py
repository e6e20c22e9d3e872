"""The page that a study writes: a Markdown template, filled with tables, numbers and pictures."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
import matplotlib as mpl
from PIL import Image

from studies.workbench.study import versions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from matplotlib.figure import Figure

    from studies.workbench.study import Study

TEMPLATES = Path(__file__).parents[1] / "pages"


def write_page(
    study: Study, pictures: dict[str, Callable[[], Figure]] | None = None, **values: Any
) -> None:
    """Fill the template of the study's name; each picture's value is its Markdown path.

    A number or table that a template asks for and is not given is an error, and so is a picture.
    """
    mpl.use("Agg")
    study.page.parent.mkdir(parents=True, exist_ok=True)
    for name, draw in (pictures or {}).items():
        values[name] = _save(draw(), study.page, name)
    loader = jinja2.FileSystemLoader(TEMPLATES)
    pages = jinja2.Environment(  # noqa: S701 - Markdown, and nothing in it comes from elsewhere
        loader=loader, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made = {"quick": study.quick, "as_written": study.as_written, "versions": versions()}
    text = pages.get_template(f"{study.name}.md").render(**made, **values)
    study.page.write_text(text.rstrip() + "\n", encoding="utf-8")


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table; columns whose header ends in a colon stand right."""
    sides = ["---:" if name.endswith(":") else "---" for name in header]
    lines = [[name.removesuffix(":") for name in header], sides, *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def signed(text: str) -> str:
    """Return a number's text with a true minus sign."""
    return text.replace("-", "\N{MINUS SIGN}")


def _save(figure: Figure, page: Path, name: str) -> str:
    """Write a picture beside the page, with 128 colors, which are enough and take a third."""
    from matplotlib import pyplot

    drawn = BytesIO()
    figure.savefig(drawn, dpi=100)
    pyplot.close(figure)
    file = page.with_name(f"{page.stem}-{name.replace('_', '-')}.png")
    Image.open(drawn).convert("RGB").quantize(128).save(file, optimize=True)
    return file.name
