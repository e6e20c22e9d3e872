"""Carry out the moves that `moves.toml` lists, and let every import, text and string follow.

    python tools/move.py merge PACKAGE    # make the targets of one package, in commits
    python tools/move.py follow PATH...   # rewrite imports, strings and texts in files
    python tools/move.py face PATH...     # names that left the top level, by their namespaces

`merge` makes a commit for each rename of a largest source, one for each target to which the other
sources are added verbatim, and one in which imports follow everywhere. Needs libcst and ruff.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import graphlib
import io
import itertools
import re
import subprocess
import sys
import textwrap
import tokenize
import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import libcst as cst

ROOT = Path(__file__).resolve().parents[1]
MAP = tomllib.loads((ROOT / "tools" / "moves.toml").read_text(encoding="utf-8"))
TARGETS: dict[str, list[str]] = {
    target: [f"rocch.{source}" for source in entry["from"]]
    for target, entry in MAP["modules"].items()
}
MOVED = {source: target for target, sources in TARGETS.items() for source in sources}
RENAMES: dict[str, str] = MAP.get("renames", {})
PUBLIC: dict[str, str] = MAP.get("public", {})
FOLLOWERS = ("src", "tests", "benchmarks", "studies", "docs", "examples", "tools")
FINGERPRINT = ROOT / "tests" / "support" / "fingerprint"  # it names things as they were
TEXTS = ("README.md", "CONTRIBUTING.md", "mkdocs.yml", "pyproject.toml")


def path_of(module: str) -> Path:
    """Return the file of a module."""
    return ROOT / "src" / Path(*module.split(".")).with_suffix(".py")


def git(*arguments: str) -> str:
    """Run git in the repository and return what it prints."""
    done = subprocess.run(
        ["git", *arguments],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout


def ruff(*arguments: str) -> None:
    """Run ruff over the repository."""
    command = [sys.executable, "-m", "ruff", *arguments]
    subprocess.run(command, cwd=ROOT, check=False, capture_output=True)


# --- Imports, strings and texts follow ---------------------------------------------------------


class Follower(cst.CSTTransformer):
    """Rewrite imports of moved modules, and the strings that name them."""

    def __init__(self, moved: dict[str, str]) -> None:
        self.moved = moved

    def leave_ImportFrom(  # noqa: N802 - libcst's name
        self, original_node: cst.ImportFrom, updated_node: cst.ImportFrom
    ) -> cst.ImportFrom | cst.FlattenSentinel[cst.ImportFrom]:
        """Follow a module, or the modules that are imported from a package."""
        if updated_node.module is None or updated_node.relative:
            return updated_node
        module = dotted(updated_node.module)
        if isinstance(updated_node.names, cst.ImportStar):
            return updated_node
        if module in self.moved:
            names = [renamed(module, alias) for alias in updated_node.names]
            return updated_node.with_changes(module=name_of(self.moved[module]), names=names)
        stay: list[cst.ImportAlias] = []
        go: list[cst.ImportAlias] = []
        for alias in updated_node.names:
            (go if f"{module}.{dotted(alias.name)}" in self.moved else stay).append(alias)
        if not go:
            return updated_node
        parts = []
        for alias in go:
            old = dotted(alias.name)
            package, _, new = self.moved[f"{module}.{old}"].rpartition(".")
            bound = alias.asname or (
                None if new == old else cst.AsName(name=cst.Name(old), **SPACED)
            )
            parts.append(single(package, cst.ImportAlias(name=cst.Name(new), asname=bound)))
        if stay:
            stay[-1] = stay[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
            parts.insert(0, updated_node.with_changes(names=stay))
        return parts[0] if len(parts) == 1 else cst.FlattenSentinel(parts)

    def leave_Import(  # noqa: N802
        self, original_node: cst.Import, updated_node: cst.Import
    ) -> cst.Import:
        """Follow `import rocch.x.y`."""
        names = [
            alias.with_changes(name=name_of(self.moved.get(dotted(alias.name), dotted(alias.name))))
            for alias in updated_node.names
        ]
        return updated_node.with_changes(names=names)

    def leave_Attribute(  # noqa: N802
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.BaseExpression:
        """Follow `rocch.x.y` where it is written out."""
        try:
            module = dotted(updated_node)
        except TypeError:
            return updated_node
        return name_of(self.moved[module]) if module in self.moved else updated_node

    def leave_SimpleString(  # noqa: N802
        self, original_node: cst.SimpleString, updated_node: cst.SimpleString
    ) -> cst.SimpleString:
        """Follow modules that strings name: targets of patches, docstrings, lists of types."""
        return updated_node.with_changes(value=in_text(updated_node.value, self.moved))


SPACED = {
    "whitespace_before_as": cst.SimpleWhitespace(" "),
    "whitespace_after_as": cst.SimpleWhitespace(" "),
}


def single(module: str, alias: cst.ImportAlias) -> cst.ImportFrom:
    """Return `from module import alias`."""
    return cst.ImportFrom(module=name_of(module), names=[alias])


def renamed(module: str, alias: cst.ImportAlias) -> cst.ImportAlias:
    """Follow a name that was changed because another of its new module is called the same."""
    old = dotted(alias.name)
    new = RENAMES.get(f"{module}.{old}")
    if new is None:
        return alias
    bound = alias.asname or cst.AsName(name=cst.Name(old), **SPACED)
    return alias.with_changes(name=cst.Name(new), asname=bound)


def dotted(node: cst.BaseExpression) -> str:
    """Return a dotted name as text."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Attribute):
        return f"{dotted(node.value)}.{node.attr.value}"
    raise TypeError(type(node).__name__)


def name_of(text: str) -> cst.Attribute | cst.Name:
    """Return a dotted name as a node."""
    head, _, last = text.rpartition(".")
    return cst.Attribute(name_of(head), cst.Name(last)) if head else cst.Name(last)


DOTTED = re.compile(r"(?<![\w./])rocch(?:\.\w+)+")


def in_text(text: str, moved: dict[str, str]) -> str:
    """Follow every module that a text names; what comes after the module stays, or is renamed."""

    def follow(match: re.Match[str]) -> str:
        whole = match[0]
        parts = whole.split(".")
        for size in range(len(parts), 1, -1):
            module = ".".join(parts[:size])
            if module in moved:
                rest = [RENAMES.get(f"{module}.{part}", part) for part in parts[size : size + 1]]
                return ".".join([moved[module], *rest, *parts[size + 1 :]])
        return whole

    return DOTTED.sub(follow, text)


def followed(text: str, moved: dict[str, str]) -> str:
    """Return Python source with everything followed."""
    if "rocch" not in text:
        return text
    return one_a_line(cst.parse_module(text).visit(Follower(moved)).code)


def one_a_line(text: str) -> str:
    """Give every import a line of its own."""
    lines, start = [], ""
    for line in text.split("\n"):
        indent = line[: len(line) - len(line.lstrip())]
        if line.lstrip().startswith(("from ", "import ")):
            start = indent
        lines.append(re.sub(r"; (?=from rocch\b)", f"\n{start}", line))
    return "\n".join(lines)


STUB = re.compile(r"^from \.(\S+) import", re.MULTILINE)


def follow_stub(path: Path, moved: dict[str, str]) -> str:
    """Follow the relative imports of a package's stub."""
    package = ".".join(path.relative_to(ROOT / "src").parent.parts)

    def follow(match: re.Match[str]) -> str:
        new = moved.get(f"{package}.{match[1]}")
        return match[0] if new is None else f"from .{new.removeprefix(f'{package}.')} import"

    return STUB.sub(follow, path.read_text(encoding="utf-8"))


def follow_everywhere(paths: list[Path], moved: dict[str, str]) -> None:
    """Rewrite files in place."""
    for path in paths:
        before = path.read_text(encoding="utf-8")
        if path.suffix == ".py":
            after = followed(before, moved)
        elif path.suffix == ".pyi":
            after = follow_stub(path, moved)
        else:
            after = in_text(before, moved)
        if after != before:
            path.write_text(after, encoding="utf-8")


def followers() -> list[Path]:
    """Return every file that may name a module."""
    found = [ROOT / text for text in TEXTS]
    for folder in FOLLOWERS:
        for suffix in ("*.py", "*.pyi", "*.md"):
            found += sorted((ROOT / folder).rglob(suffix))
    return [p for p in found if p.exists() and not p.is_relative_to(FINGERPRINT)]


# --- Several modules become one ------------------------------------------------------------------


@dataclass
class Source:
    """A module taken apart: what it says about itself, what it imports, and all the rest."""

    name: str
    doc: str = ""
    imports: list[str] = field(default_factory=list)
    type_imports: list[str] = field(default_factory=list)
    type_names: list[str] = field(default_factory=list)
    body: str = ""
    bound: dict[str, str] = field(default_factory=dict)
    needs: set[str] = field(default_factory=set)


def take_apart(name: str, target: str, moved: dict[str, str]) -> Source:
    """Read a module, follow its imports, and take it apart."""
    original = path_of(name).read_text(encoding="utf-8")
    source = Source(name, needs=run_time_imports(original))
    text = rename_names(name, followed(original, moved))
    text, prefixes = without_own_imports(text, target)
    text = without_prefixes(text, prefixes, name)
    lines = text.splitlines(keepends=True)
    gone: set[int] = set()
    for at, node in enumerate(ast.parse(text).body):
        span = range(node.lineno - 1, node.end_lineno or node.lineno)
        code = "".join(lines[i] for i in span)
        if at == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            source.doc = str(ast.literal_eval(node.value))
        elif isinstance(node, ast.Import | ast.ImportFrom):
            if not (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
                source.imports.append(code)
            remember_imports(node, source)
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            for each in node.body:
                first, last = each.lineno - 1, each.end_lineno or each.lineno
                code = "".join(lines[first:last])
                if isinstance(each, ast.Import | ast.ImportFrom):
                    source.type_imports.append(code)
                    remember_imports(each, source)
                else:
                    source.type_names.append(code)
                    for name in bindings(each):
                        source.bound[name] = code
            gone.update(span)
            continue
        else:
            remember_bindings(node, source)
            continue
        gone.update(span)
    source.body = "".join(line for i, line in enumerate(lines) if i not in gone).strip("\n") + "\n"
    return source


def run_time_imports(text: str) -> set[str]:
    """Return the modules that a module needs to be executed."""
    found = set()
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rocch"):
            found.add(str(node.module))
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return found


def remember_imports(node: ast.Import | ast.ImportFrom, source: Source) -> None:
    """Note which names an import binds, and to what."""
    for alias in node.names:
        origin = f"{node.module}.{alias.name}" if isinstance(node, ast.ImportFrom) else alias.name
        source.bound[alias.asname or alias.name.split(".")[0]] = origin


def remember_bindings(node: ast.stmt, source: Source) -> None:
    """Note which names a statement defines."""
    for name in bindings(node):
        source.bound[name] = f"{source.name}.{name}"


def bindings(node: ast.stmt) -> list[str]:
    """Return the names that a statement defines."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    return [
        each.id
        for each in ast.walk(node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    ]


def rename_names(name: str, text: str) -> str:
    """Rename the module's own names that would meet others in the target."""
    own = {
        old.rpartition(".")[2]: new
        for old, new in RENAMES.items()
        if old.rpartition(".")[0] == name
    }
    text = replace_names(text, own) if own else text
    for old, new in own.items():  # a name that was imported keeps its name where it stands
        text = re.sub(
            rf"^((?:    )?from rocch\S+ import [^\n]*?)\b{new}\b",
            rf"\1{old} as {new}",
            text,
            flags=re.M,
        )
    return text


def replace_names(text: str, own: dict[str, str]) -> str:
    """Replace names that are not attributes, and that texts quote in backticks."""
    lines = text.splitlines(keepends=True)
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    for before, token in reversed(list(itertools.pairwise(tokens))):
        if token.type == tokenize.NAME and token.string in own and before.string != ".":
            row, column = token.start[0] - 1, token.start[1]
            line = lines[row]
            lines[row] = line[:column] + own[token.string] + line[column + len(token.string) :]
    whole = "".join(lines)
    for old, new in own.items():
        whole = whole.replace(f"`{old}`", f"`{new}`")
    return whole


def without_own_imports(text: str, target: str) -> tuple[str, list[str]]:
    """Remove imports from the target itself; return the names under which it was imported whole."""
    tree = ast.parse(text)
    top = {id(node) for node in tree.body}
    lines = text.splitlines(keepends=True)
    prefixes: list[str] = []
    package, _, last = target.rpartition(".")
    for node in sorted(
        (n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)), key=lambda n: -n.lineno
    ):
        span = slice(node.lineno - 1, node.end_lineno)
        if node.module == target:
            odd = [alias for alias in node.names if alias.asname not in (None, alias.name)]
            if odd:
                raise SystemExit(f"{target}: imports itself as {[a.asname for a in odd]}")
            lines[span] = []
        elif node.module == package and id(node) in top:
            mine = [alias for alias in node.names if alias.name == last]
            if mine:
                prefixes += [alias.asname or alias.name for alias in mine]
                others = [alias for alias in node.names if alias.name != last]
                lines[span] = (
                    [f"{ast.unparse(ast.ImportFrom(node.module, others, 0))}\n"] if others else []
                )
    whole = "".join(lines)
    return re.sub(
        r"^if TYPE_CHECKING:\n(?=\S|\n*\Z|\n+\S)", "", whole, flags=re.MULTILINE
    ), prefixes


def without_prefixes(text: str, prefixes: list[str], name: str) -> str:
    """Write `x` instead of `module.x` where the module is now this one."""
    for prefix in prefixes:
        stored = {
            n.id if isinstance(n, ast.Name) else n.arg
            for n in ast.walk(ast.parse(text))
            if (isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)) or isinstance(n, ast.arg)
        }
        used = set(re.findall(rf"(?<![\w.]){prefix}\.(\w+)", text))
        if used & stored:
            print(f"CHECK {name}: {prefix}.{sorted(used & stored)} are local names too")
        text = re.sub(rf"(?<![\w.`]){prefix}\.(?=\w)", "", text)
    return text


def in_order(sources: list[str]) -> list[str]:
    """Return sources so that what a module needs to be executed comes before it."""
    needs = {s: run_time_imports(path_of(s).read_text(encoding="utf-8")) for s in sources}
    graph = {s: [o for o in sources if o in needs[s] and o != s] for s in sources}
    ready = graphlib.TopologicalSorter(graph)
    ready.prepare()
    ordered: list[str] = []
    waiting: list[str] = []
    while ready.is_active():
        waiting += ready.get_ready()
        waiting.sort(key=sources.index)
        ordered.append(waiting.pop(0))
        ready.done(ordered[-1])
    return ordered


def check_names(target: str, parts: list[Source]) -> list[str]:
    """Return the names that mean different things in the sources of one target."""
    trouble = []
    owners: dict[str, dict[str, list[str]]] = {}
    for part in parts:
        for name, origin in part.bound.items():
            owners.setdefault(name, {}).setdefault(origin, []).append(part.name)
    for name, origins in owners.items():
        if len(origins) > 1 and name != "annotations":
            trouble.append(f"{target}: {name} is {dict(origins)}")
        if hasattr(builtins, name) and len(parts) > 1:
            users = [
                p.name for p in parts if name not in p.bound and re.search(rf"\b{name}\(", p.body)
            ]
            if users:
                trouble.append(f"{target}: {name} hides a builtin in {users}")
    return trouble


def assembled(target: str, moved: dict[str, str]) -> tuple[str, list[str]]:
    """Return the text of a target, and what prevents it."""
    sources = in_order(TARGETS[target])
    parts = [take_apart(source, target, moved) for source in sources]
    head = MAP["modules"][target]["doc"]
    imports = unique(line for part in parts for line in part.imports)
    types = type_only(imports, unique(line for part in parts for line in part.type_imports))
    body = "\n\n".join(titled(part, len(parts) > 1) for part in parts)
    if len(parts) == 1:
        only = parts[0].doc.strip("\n")
        head = only if "\n" in only else head
    text = (
        f'"""{head}{closing(head)}"""\n\nfrom __future__ import annotations\n\n{"".join(imports)}\n'
    )
    aliases = unique(line for part in parts for line in part.type_names)
    if types or aliases:
        text += "if TYPE_CHECKING:\n" + "".join([*types, "\n", *aliases]) + "\n"
    return f"{text}\n{body}", check_names(target, parts)


def closing(head: str) -> str:
    """Return what stands between a docstring and its closing quotes."""
    return "\n" if "\n" in head else ""


def unique(lines: object) -> list[str]:
    """Return each statement once, in order."""
    return list(dict.fromkeys(lines))  # type: ignore[call-overload]


def type_only(imports: list[str], types: list[str]) -> list[str]:
    """Return the imports for types alone, without names that are imported at run time as well."""
    have = {pair for line in imports for pair in pairs(line)}
    kept = []
    for line in types:
        names = [pair for pair in pairs(line) if pair not in have]
        if len(names) == len(pairs(line)):
            kept.append(line)
        elif names:
            shown = ", ".join(n if n == b else f"{n} as {b}" for _, n, b in names)
            kept.append(f"    from {names[0][0]} import {shown}\n")
    return kept


def pairs(line: str) -> list[tuple[str, str, str]]:
    """Return module, name and bound name of each part of an import statement."""
    (node,) = ast.parse(line.strip()).body
    if isinstance(node, ast.ImportFrom):
        return [(node.module or "", a.name, a.asname or a.name) for a in node.names]
    assert isinstance(node, ast.Import)
    return [("", a.name, a.asname or a.name) for a in node.names]


def titled(part: Source, several: bool) -> str:
    """Return a source's body under its docstring, which becomes a comment."""
    if not several:
        return part.body
    title, _, rest = part.doc.strip("\n").partition("\n")
    title = title.rstrip(".")
    if len(title) <= 90:
        lines = [f"# --- {title} {'-' * max(3, 93 - len(title))}"]
    else:
        lines = [f"# {'-' * 98}", *(f"# {line}" for line in textwrap.wrap(f"{title}.", 98))]
    if rest.strip():
        lines += ["#", *(f"# {line}".rstrip() for line in narrowed(rest.strip("\n")))]
    return "\n".join(lines) + "\n\n" + part.body


def narrowed(text: str) -> list[str]:
    """Return the lines of a text; paragraphs that are too wide for a comment are filled anew."""
    lines: list[str] = []
    for paragraph in text.split("\n\n"):
        each = paragraph.splitlines()
        if max(map(len, each)) > 98:
            hanging = " " * (len(each[-1]) - len(each[-1].lstrip()))
            each = textwrap.wrap(" ".join(each), 98, subsequent_indent=hanging)
        lines += [*each, ""]
    return lines[:-1]


def merge(package: str) -> None:
    """Make all targets of a package, in commits."""
    targets = [t for t in TARGETS if t.split(".")[1] == package]
    moved = {s: t for s, t in MOVED.items() if t in targets and s != t}
    texts, trouble = {}, []
    for target in targets:
        texts[target], found = assembled(target, moved)
        trouble += found
    if trouble:
        raise SystemExit("\n".join(trouble))
    elsewhere = [
        p for p in followers() if p not in {path_of(s) for t in targets for s in TARGETS[t]}
    ]
    for target in targets:
        move_sources(target)
    for target, text in texts.items():
        path_of(target).write_text(text, encoding="utf-8")
    follow_everywhere([p for p in elsewhere if p.exists()], moved)
    remove_empty_packages()
    tidy()
    git("add", "-A")
    git("commit", "-q", "-m", f"Let imports follow the moves in {package}: one topic per file")


def move_sources(target: str) -> None:
    """Rename the largest source, then add the others verbatim: a commit each."""
    ordered = in_order(TARGETS[target])
    contents = {s: path_of(s).read_text(encoding="utf-8") for s in ordered}
    largest = max(ordered, key=lambda s: len(contents[s]))
    short = target.removeprefix("rocch.").replace(".", "/") + ".py"
    path_of(target).parent.mkdir(parents=True, exist_ok=True)
    others = [s for s in ordered if s != largest]
    names = ", ".join(s.removeprefix("rocch.") for s in others)
    staying = path_of(target).exists() and target in ordered
    if largest != target:
        if staying:
            aside = path_of(target).with_name(f"_moved_{path_of(target).name}")
            git("mv", str(path_of(target)), str(aside))
        git("mv", str(path_of(largest)), str(path_of(target)))
        git("commit", "-q", "-m", f"Rename {largest.removeprefix('rocch.')} to {short}")
        if staying:
            git("rm", "-q", str(aside))
    if others:
        for source in others:
            if path_of(source) != path_of(target):
                git("rm", "-q", str(path_of(source)))
        path_of(target).write_text("\n\n".join(contents[s] for s in ordered), encoding="utf-8")
        git("add", "-A", "src")
        git("commit", "-q", "-m", f"Add {names} to {short}, verbatim: they are read together")


def remove_empty_packages() -> None:
    """Remove packages that hold nothing but their own docstring."""
    for init in sorted((ROOT / "src" / "rocch").rglob("__init__.py"), reverse=True):
        if not [p for p in init.parent.iterdir() if p.name not in ("__init__.py", "__pycache__")]:
            git("rm", "-q", str(init))


def tidy() -> None:
    """Sort imports, drop those that nobody uses, and format."""
    ruff("check", "-q", "--select", "I,F401,F811,TC005,D202", "--fix", ".")
    ruff("format", "-q", ".")


# --- The public face -----------------------------------------------------------------------------


def face(paths: list[Path]) -> None:
    """Write names that left the top level, or inner modules, by their public namespaces."""
    tops = {old.removeprefix("rocch."): new for old, new in PUBLIC.items()}
    written = re.compile(  # not what a string begins with: formats of files keep their names
        rf"(?<![\w./\"'])rocch\.({'|'.join(sorted(tops, key=len, reverse=True))})\b(?!\.py)"
    )
    for path in paths:
        before = path.read_text(encoding="utf-8")
        after = before
        if path.suffix == ".py" and not path.is_relative_to(ROOT / "src"):
            after = one_a_line(cst.parse_module(after).visit(Facing(tops)).code)
        elif path.suffix == ".md":
            after = re.sub(
                r"^from rocch import (?!\()([^\n]+)$",
                lambda m: facing_line(m[1], tops),
                after,
                flags=re.MULTILINE,
            )
        after = written.sub(lambda m: tops[m[1]], after)
        if after != before:
            path.write_text(after, encoding="utf-8")


def facing_line(names: str, tops: dict[str, str]) -> str:
    """Return `from rocch import ...` of a text by namespaces."""
    by: dict[str, list[str]] = {}
    for name in (n.strip() for n in names.split(",")):
        new = tops.get(name, f"rocch.{name}")
        by.setdefault(new.rpartition(".")[0], []).append(name)
    return "\n".join(f"from {module} import {', '.join(each)}" for module, each in by.items())


class Facing(cst.CSTTransformer):
    """Import public names from where they are public."""

    def __init__(self, tops: dict[str, str]) -> None:
        self.tops = tops

    def leave_ImportFrom(  # noqa: N802
        self, original_node: cst.ImportFrom, updated_node: cst.ImportFrom
    ) -> cst.ImportFrom | cst.FlattenSentinel[cst.ImportFrom]:
        """Split an import by the namespaces of its names."""
        if updated_node.module is None or isinstance(updated_node.names, cst.ImportStar):
            return updated_node
        module = dotted(updated_node.module)
        if module.split(".")[0] != "rocch":
            return updated_node
        by: dict[str, list[cst.ImportAlias]] = {}
        for alias in updated_node.names:
            name = dotted(alias.name)
            new = self.tops.get(name) if module == "rocch" else homes().get(f"{module}.{name}")
            home = module if new is None else new.rpartition(".")[0]
            by.setdefault(home, []).append(alias)
        if list(by) == [module]:
            return updated_node
        parts = []
        for home, aliases in by.items():
            aliases[-1] = aliases[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
            parts.append(updated_node.with_changes(module=name_of(home), names=aliases))
        return parts[0] if len(parts) == 1 else cst.FlattenSentinel(parts)


@cache
def homes() -> dict[str, str]:
    """Return for each module and name that a stub lists what it is publicly called."""
    found = {}
    for stub in (ROOT / "src" / "rocch").rglob("__init__.pyi"):
        package = ".".join(stub.relative_to(ROOT / "src").parent.parts)
        for node in ast.parse(stub.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    found[f"{package}.{node.module}.{alias.name}"] = f"{package}.{alias.name}"
    return found


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("merge").add_argument("package")
    commands.add_parser("check").add_argument("package")
    commands.add_parser("follow").add_argument("paths", nargs="*", type=Path)
    commands.add_parser("face").add_argument("paths", nargs="*", type=Path)
    asked = parser.parse_args()
    if asked.command == "merge":
        merge(asked.package)
    elif asked.command == "check":
        targets = [t for t in TARGETS if t.split(".")[1] == asked.package]
        moved = {s: t for s, t in MOVED.items() if t in targets and s != t}
        print(*(line for t in targets for line in assembled(t, moved)[1]), sep="\n")
    elif asked.command == "follow":
        gone = {s: t for s, t in MOVED.items() if s != t and not path_of(s).exists()}
        follow_everywhere([p.resolve() for p in asked.paths] or followers(), gone)
        tidy()
    else:
        face([p.resolve() for p in asked.paths] or followers())
        tidy()


if __name__ == "__main__":
    main()
