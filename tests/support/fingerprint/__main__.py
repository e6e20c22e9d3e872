"""The command: write a fingerprint, or compare two."""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import estimates, hybrids, many_classes, reports, tables, two_classes
from .comparing import differences, leaves
from .naming import TOUCHED, old_names
from .reducing import reduce

if TYPE_CHECKING:
    from collections.abc import Callable

    from .data import Results

AREAS: dict[str, Callable[[], Results]] = {
    "curves": two_classes.curve_results,
    "hulls": two_classes.hull_results,
    "criteria": two_classes.criteria,
    "beliefs": two_classes.belief_results,
    "losses": two_classes.losses,
    "pictures of curves": two_classes.pictures_of_curves,
    "resampling": estimates.resampling,
    "honest": estimates.honest,
    "aucs": estimates.aucs,
    "curve tests": estimates.curve_tests,
    "prevalence": estimates.prevalence,
    "matrices": many_classes.matrices,
    "volumes": many_classes.volumes,
    "searches": many_classes.searches,
    "surfaces": many_classes.surfaces,
    "multiclass aucs": many_classes.multiclass_aucs,
    "frames": tables.frames,
    "dask": tables.dask,
    "files": tables.files,
    "merged": tables.merged,
    "decisions": tables.decisions,
    "hybrids": hybrids.hybrids,
    "fits": hybrids.fits,
    "saved": hybrids.saved,
    "combining": hybrids.combining,
    "tuning": hybrids.tuning,
    "surface hybrids": hybrids.surface_hybrids,
    "library": hybrids.library,
    "summaries": reports.summaries,
    "displays": reports.displays,
    "errors": reports.errors,
}
"""What is computed, in this order."""

MOST = 100
"""How many differences are listed."""


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def write(file: Path, only: list[str], *, spark: bool) -> int:
    """Compute all areas, write what they gave, and say what was never touched."""
    areas = AREAS | ({"spark": tables.spark} if spark else {})
    found: dict[str, Any] = {}
    for name in only or areas:
        began = time.perf_counter()
        found[name] = reduce(areas[name]())
        took = time.perf_counter() - began
        say(f"{took:6.1f} s  {leaves(found[name]):8,} leaves  {name}")
    file.write_text(json.dumps(found, sort_keys=True, indent=0))
    say(f"{leaves(found):,} leaves in {file}")
    if not only:
        missed = sorted(set(old_names()) - TOUCHED)
        say(f"of {len(old_names())} public names never touched: {', '.join(missed) or 'none'}")
    return 0


def compare(before: Path, after: Path) -> int:
    """List what differs; 1 if anything does."""
    found = list(differences(*(json.loads(file.read_text()) for file in (before, after))))
    for line in found[:MOST]:
        say(line)
    if len(found) > MOST:
        say(f"and {len(found) - MOST} more")
    say(f"{len(found)} differences")
    return 1 if found else 0


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="fingerprint", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    writing = commands.add_parser("write", help="compute all results and write them")
    writing.add_argument("file", type=Path)
    writing.add_argument("--only", action="append", default=[], help="an area; may be repeated")
    writing.add_argument("--spark", action="store_true", help="tables of Spark too (needs Java)")
    comparing = commands.add_parser("compare", help="list what differs between two files")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    given = parser.parse_args()
    if given.command == "compare":
        return compare(given.before, given.after)
    warnings.simplefilter("ignore")
    return write(given.file, given.only, spark=given.spark)


if __name__ == "__main__":
    sys.exit(main())
