"""Change the source at random, one place at a time, and see whether the tests notice.

Usage, from the root of the repository::

    python benchmarks/mutants.py map                          # which tests run which function; once
    python benchmarks/mutants.py map tests/roc docs/guide/index.md  # the same of new tests only
    python benchmarks/mutants.py run --count 100 --seed 1     # a table of the mutants that survive
    python benchmarks/mutants.py run --only 'roc/hull.py:368' # the mutants of one line

`map` runs the tests once, traced. `run` draws places evenly over the code, with a few from each
package, changes each in a copy of the source, and runs the tests that reach the function, quickest
first. A survivor is either equivalent (nothing observable differs) or a test that is missing.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import Queue
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "rocch"
MAP = ROOT / "build" / "mutants.json"
# Browsers and Spark take minutes for each mutant; other tests reach the same code.
UNMAPPED = ("tests/docs", "tests/integration/documentation")
MAPPED = "not browser and not spark"
EVERY_TEST = ("-m", "")
"""Those too that pytest by itself leaves out."""
LEAST_OF_PACKAGE = 4
FIRST_SECONDS, ALL_SECONDS = 40, 240

COMPARISONS = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.In: (" in ", " not in "),
    ast.NotIn: (" not in ", " in "),
    ast.Is: (" is ", " is not "),
    ast.IsNot: (" is not ", " is "),
}
OPERATIONS = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "/"),
    ast.Mod: ("%", "*"),
    ast.Pow: ("**", "*"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
}
NAMES = {
    "min": "max",
    "max": "min",
    "minimum": "maximum",
    "maximum": "minimum",
    "any": "all",
    "all": "any",
    "floor": "ceil",
    "ceil": "floor",
    "argmin": "argmax",
    "argmax": "argmin",
}
STRINGS = {"left": "right", "right": "left"}


@dataclass(frozen=True)
class Mutant:
    """One change: bytes from start to end of a module's text become others."""

    module: str
    line: int
    function: str
    start: int
    end: int
    before: str
    after: str

    @property
    def package(self) -> str:
        """The package it stands in."""
        return self.module.split("/")[0] if "/" in self.module else ""

    def __str__(self) -> str:
        return f"{self.module}:{self.line} {self.function}: {self.before!r} -> {self.after!r}"


class Finder(ast.NodeVisitor):
    """Collects the possible changes of one module."""

    def __init__(self, module: str, text: bytes) -> None:
        self.module, self.text = module, text
        self.starts = [0, *(i + 1 for i, byte in enumerate(text) if byte == 10)]
        self.names: list[str] = []
        self.found: list[Mutant] = []

    def offset(self, line: int, column: int) -> int:
        """Return where a place of the syntax tree stands in the text."""
        return self.starts[line - 1] + column

    def add(self, line: int, start: int, end: int, after: str) -> None:
        """Note a change."""
        before = self.text[start:end].decode()
        name = ".".join(self.names)
        self.found.append(Mutant(self.module, line, name, start, end, before, after))

    def between(self, left: ast.expr, right: ast.expr, change: tuple[str, str]) -> None:
        """Change the operator between two operands, where it can be found without doubt."""
        start = self.offset(left.end_lineno or 0, left.end_col_offset or 0)
        end = self.offset(right.lineno, right.col_offset)
        gap = self.text[start:end].decode()
        before, after = change
        if gap.count(before) == 1 and "#" not in gap:
            at = start + len(gap[: gap.index(before)].encode())
            self.add(left.end_lineno or 0, at, at + len(before.encode()), after)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Leave out decorators and annotations, which are not behavior."""
        self.names.append(node.name)
        defaults = [each for each in (*node.args.defaults, *node.args.kw_defaults) if each]
        for part in (*defaults, *node.body):
            self.visit(part)
        self.names.pop()

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815 - the names that ast looks for

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Go through a class's body."""
        self.names.append(node.name)
        for part in node.body:
            self.visit(part)
        self.names.pop()

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Leave out annotations."""
        if node.value is not None:
            self.visit(node.value)

    def visit_Raise(self, node: ast.Raise) -> None:
        """Leave out what an error says."""

    def visit_Expr(self, node: ast.Expr) -> None:
        """Leave out docstrings."""
        if not isinstance(node.value, ast.Constant):
            self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        """Negate conditions; imports for type checkers are none."""
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return
        self.negate(node.test)
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        """Negate conditions inside expressions."""
        self.negate(node.test)
        self.generic_visit(node)

    def negate(self, test: ast.expr) -> None:
        """Put `not` before a condition that is not a plain comparison, which has its own change."""
        if isinstance(test, ast.Compare | ast.UnaryOp):
            return
        start = self.offset(test.lineno, test.col_offset)
        end = self.offset(test.end_lineno or 0, test.end_col_offset or 0)
        self.add(test.lineno, start, end, f"(not ({self.text[start:end].decode()}))")

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        """Remove `not`, `-` and `~`."""
        start = self.offset(node.lineno, node.col_offset)
        size = 3 if isinstance(node.op, ast.Not) else 1
        self.add(node.lineno, start, start + size, " ")
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        """Change comparisons."""
        for left, kind, right in zip(
            (node.left, *node.comparators), node.ops, node.comparators, strict=False
        ):
            self.between(left, right, COMPARISONS[type(kind)])
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        """Change arithmetic."""
        text = isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
        if type(node.op) in OPERATIONS and not text:
            self.between(node.left, node.right, OPERATIONS[type(node.op)])
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        """Change `and` to `or`."""
        change = (" and ", " or ") if isinstance(node.op, ast.And) else (" or ", " and ")
        for left, right in zip(node.values, node.values[1:], strict=False):
            self.between(left, right, change)
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        """Change numbers, flags and sides."""
        value, after = node.value, None
        if isinstance(value, bool):
            after = str(not value)
        elif isinstance(value, int):
            after = str(value + 1)
        elif isinstance(value, float):
            after = repr(value * 2 + 1)
        elif isinstance(value, str) and value in STRINGS:
            after = repr(STRINGS[value])
        if after is not None:
            start = self.offset(node.lineno, node.col_offset)
            end = self.offset(node.end_lineno or 0, node.end_col_offset or 0)
            self.add(node.lineno, start, end, after)

    def visit_keyword(self, node: ast.keyword) -> None:
        """Leave out `strict`, which says what always holds."""
        if node.arg != "strict":
            self.generic_visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Leave out texts for people: their places inside are not reliable before Python 3.12."""

    def visit_Call(self, node: ast.Call) -> None:
        """Change calls of functions that have an opposite."""
        called = node.func
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        if name in NAMES:
            end = self.offset(called.end_lineno or 0, called.end_col_offset or 0)
            self.add(called.end_lineno or 0, end - len(name), end, NAMES[name])
        self.generic_visit(node)


def find_mutants() -> list[Mutant]:
    """Return every possible change of the source."""
    found: list[Mutant] = []
    for path in sorted(SOURCE.rglob("*.py")):
        if path.name == "__init__.py":
            continue
        text = path.read_bytes()
        finder = Finder(path.relative_to(SOURCE).as_posix(), text)
        finder.visit(ast.parse(text))
        found += finder.found
    return found


def draw(mutants: list[Mutant], count: int, seed: int) -> list[Mutant]:
    """Return a random choice of changes with a few from each package."""
    shuffled = random.Random(seed).sample(mutants, len(mutants))  # noqa: S311 - not a secret
    taken: dict[str, int] = defaultdict(int)
    first = []
    for mutant in shuffled:
        taken[mutant.package] += 1
        if mutant.package and taken[mutant.package] <= LEAST_OF_PACKAGE:
            first.append(mutant)
    kept = set(first)
    rest = (mutant for mutant in shuffled if mutant not in kept)
    return [*first, *rest][:count]


class Durations:
    """A pytest plugin that notes how long each test took."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Add up a test's phases."""
        self.seconds[report.nodeid] += report.duration


def functions_of(path: Path) -> Iterator[tuple[str, range]]:
    """Go through the functions of a module, with their lines."""

    def walk(node: ast.AST, names: tuple[str, ...]) -> Iterator[tuple[str, range]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                inner = (*names, child.name)
                if not isinstance(child, ast.ClassDef):
                    first = child.body[0].lineno
                    yield ".".join(inner), range(first, (child.end_lineno or first) + 1)
                yield from walk(child, inner)
            else:
                yield from walk(child, names)

    yield from walk(ast.parse(path.read_text()), ())


def as_test(node: str) -> str:
    """Return the test to run: pages are stories, and run as a whole."""
    return node.split("::")[0] if ".md::" in node else node


def map_tests(paths: list[str]) -> None:
    """Run the tests once, and keep which of them run which function."""
    import pytest
    from coverage import CoverageData

    # tests have modules of the same names as the benchmarks beside this one
    sys.path[:] = [folder for folder in sys.path if folder != str(Path(__file__).parent)]
    MAP.parent.mkdir(exist_ok=True)
    data, settings = MAP.with_suffix(".coverage"), MAP.with_suffix(".rc")
    settings.write_text(f"[run]\nsource = rocch\ndata_file = {data}\nparallel = false\n")
    durations = Durations()
    pytest.main(
        [
            *("-q", "--no-header", "--cov", f"--cov-config={settings}", "--cov-context=test"),
            *("--cov-report=", "-p", "no:cacheprovider", "--timeout=900"),
            *("-m", MAPPED),
            *(f"--ignore={folder}" for folder in UNMAPPED),
            *(paths or ("tests", "docs")),
        ],
        plugins=[durations],
    )
    known = (
        json.loads(MAP.read_text()) if paths and MAP.exists() else {"seconds": {}, "reached": {}}
    )
    seconds: dict[str, float] = defaultdict(float)
    for node, duration in durations.seconds.items():
        seconds[as_test(node)] += duration
    reached: dict[str, dict[str, list[str]]] = known["reached"]
    traced = CoverageData(str(data))
    traced.read()
    for path in sorted(SOURCE.rglob("*.py")):
        contexts = traced.contexts_by_lineno(str(path))
        module = path.relative_to(SOURCE).as_posix()
        before = reached.setdefault(module, {})
        for name, lines in functions_of(path):
            nodes = {
                context.rsplit("|", 1)[0] for line in lines for context in contexts.get(line, ())
            }
            tests = {as_test(node) for node in nodes if node}
            before[name] = sorted({*before.get(name, ()), *(tests & seconds.keys())})
    MAP.write_text(json.dumps({"seconds": known["seconds"] | seconds, "reached": reached}))
    print(f"{len(seconds)} tests; kept in {MAP.relative_to(ROOT)}")


class Bench:
    """A copy of the source in which mutants are tried, one after the other."""

    def __init__(self, folder: Path, known: dict[str, Any]) -> None:
        self.folder, self.known = folder, known
        shutil.copytree(SOURCE.parent, folder / "src")

    def try_mutant(self, mutant: Mutant) -> str:
        """Say what became of a mutant: killed, survived or not reached."""
        path = self.folder / "src" / "rocch" / mutant.module
        text = path.read_bytes()
        path.write_bytes(text[: mutant.start] + mutant.after.encode() + text[mutant.end :])
        for old in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
            old.unlink()
        try:
            tests = self.tests_of(mutant)
            for chosen in self.in_stages(tests):
                if self.notices(chosen):
                    return "killed"
            return "survived" if tests else "not reached"
        finally:
            path.write_bytes(text)
            for old in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
                old.unlink()

    def tests_of(self, mutant: Mutant) -> list[str]:
        """Return the tests that reach a mutant's function, those of its package first."""
        reached = self.known["reached"].get(mutant.module, {})
        tests = reached.get(mutant.function, [])
        if not tests:  # module level, or compiled code that no tracer sees
            tests = sorted({test for many in reached.values() for test in many})
        own = f"tests/{mutant.package}/"
        seconds = self.known["seconds"]
        return sorted(tests, key=lambda test: (not test.startswith(own), seconds[test]))

    def in_stages(self, tests: list[str]) -> Iterator[list[str]]:
        """Split tests into a first quick stage and the others, within bounds."""
        spent = 0.0
        first: list[str] = []
        rest: list[str] = []
        for test in tests:
            spent += self.known["seconds"][test]
            if spent <= FIRST_SECONDS or not first:
                first.append(test)
            elif spent <= ALL_SECONDS:
                rest.append(test)
        yield from (stage for stage in (first, rest) if stage)

    def notices(self, tests: list[str]) -> bool:
        """Say whether a test fails, or never ends."""
        listed = self.folder / "tests.txt"
        listed.write_text("\n".join(tests))
        environment = os.environ | {"PYTHONPATH": str(self.folder / "src")}
        command = [
            *(sys.executable, "-m", "pytest", "-n", "0", "-x", "-q", "--no-header", "--tb=no"),
            *(*EVERY_TEST, "-p", "no:cacheprovider", "--timeout=120", f"@{listed}"),
        ]
        try:
            done = subprocess.run(  # noqa: S603 - this Python, and tests of this repository
                command,
                cwd=ROOT,
                env=environment,
                capture_output=True,
                timeout=3 * ALL_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return True
        return done.returncode != 0


def read_map() -> dict[str, Any]:
    """Return which tests run which function, without tests that are no longer there."""
    known: dict[str, Any] = json.loads(MAP.read_text())
    listed = subprocess.run(  # noqa: S603 - this Python, and tests of this repository
        [sys.executable, "-m", "pytest", "-n", "0", *EVERY_TEST, "--collect-only", "-q", "tests"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    there = set(listed.stdout.splitlines())
    there |= {test for test in known["seconds"] if test.endswith(".md") and (ROOT / test).exists()}
    for functions in known["reached"].values():
        for name, tests in functions.items():
            functions[name] = [test for test in tests if test in there]
    return known


def run(mutants: list[Mutant], workers: int) -> None:
    """Try mutants, and print what became of each."""
    known = read_map()
    outcomes: dict[str, int] = defaultdict(int)
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        benches: Queue[Bench] = Queue()
        for index in range(workers):
            benches.put(Bench(Path(folder, str(index)), known))

        def attempt(mutant: Mutant) -> None:
            bench = benches.get()
            try:
                outcome = bench.try_mutant(mutant)
            finally:
                benches.put(bench)
            outcomes[outcome] += 1
            print(f"{outcome:12}{mutant}", flush=True)

        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(attempt, mutants))
    print(", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items())))


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    tracing = commands.add_parser("map", help="run the tests once, traced")
    tracing.add_argument("paths", nargs="*", help="only these tests, added to what is known")
    trial = commands.add_parser("run", help="try mutants")
    trial.add_argument("--count", type=int, default=100)
    trial.add_argument("--seed", type=int, default=0)
    trial.add_argument("--only", help="a module, or module:line, instead of a random choice")
    trial.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    if options.command == "map":
        map_tests(options.paths)
        return
    mutants = find_mutants()
    if options.only:
        places = [m for m in mutants if f"{m.module}:{m.line}:".startswith(f"{options.only}:")]
        run(places, options.workers)
    else:
        run(draw(mutants, options.count, options.seed), options.workers)


if __name__ == "__main__":
    main()
