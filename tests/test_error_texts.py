"""The texts of errors in the source: placeholders that exist, advice for each surface."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import rocch
from rocch.errors import PLACEHOLDER, RocchError

SOURCE = Path(rocch.__file__).parent
TREES = {
    path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text())
    for path in sorted(SOURCE.rglob("*.py"))
}

# Calls, and arguments that are set, as only Python writes them.
PYTHON_SYNTAX = re.compile(r"[A-Za-z_]\(|\b\w+=(True|False|None|['\"(\[]|\w+\()|\brocch\.[a-z]")


def error_classes(of: type[RocchError] = RocchError) -> set[str]:
    return {of.__name__}.union(*map(error_classes, of.__subclasses__()))


ERRORS = error_classes()


def name_of(node: ast.AST) -> str:
    return getattr(node, "id", getattr(node, "attr", ""))


def texts(node: ast.AST | None) -> Iterator[str]:
    """Yield the literal texts of an expression, f-strings without what is filled in."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(
            str(part.value) if isinstance(part, ast.Constant) else "\0" for part in node.values
        )
    elif isinstance(node, ast.BinOp):
        yield from (*texts(node.left), *texts(node.right))
    elif isinstance(node, ast.IfExp):
        yield from (*texts(node.body), *texts(node.orelse))


def raised() -> Iterator[tuple[str, ast.Call]]:
    """Yield the calls that make errors, with their places."""
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and name_of(node.func) in ERRORS:
                yield f"{path}:{node.lineno}", node


def hints() -> Iterator[tuple[str, ast.AST]]:
    """Yield the advice in errors, in `hint=` arguments and in variables named so."""
    for place, call in raised():
        if len(call.args) > 3:
            yield place, call.args[3]
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.keyword) and node.arg == "hint":
                yield f"{path}:{node.lineno}", node.value
            if isinstance(node, ast.Assign) and "hint" in map(name_of, node.targets):
                yield f"{path}:{node.lineno}", node.value


def parts_of(hint: ast.AST) -> Iterator[ast.AST]:
    """Yield the texts of a hint, those of a `Hint` for single surfaces too."""
    if isinstance(hint, ast.Call) and name_of(hint.func) == "Hint":
        yield from hint.args
        yield from (keyword.value for keyword in hint.keywords)
    else:
        yield hint


def declared() -> set[str]:
    """Return the names of all parameters and fields."""
    names = set()
    for tree in TREES.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.arg):
                names.add(node.arg)
            elif isinstance(node, ast.AnnAssign):
                names.add(name_of(node.target))
    return names


def test_there_are_texts_to_look_at() -> None:
    assert len(list(raised())) > 400
    assert len(list(hints())) > 300
    assert {"prevalence", "randomize", "pos_label"} <= declared()


def test_placeholders_name_arguments_or_values() -> None:
    known, seen = declared(), 0
    for place, call in raised():
        values = {keyword.arg for keyword in call.keywords}
        advice = call.args[3:4] or [k.value for k in call.keywords if k.arg == "hint"]
        templates = [*call.args[1:2], *(part for each in advice for part in parts_of(each))]
        for template in templates:
            for text in texts(template):
                for name, is_setting in PLACEHOLDER.findall(text):
                    seen += 1
                    assert name in values | known, (place, name)
                    assert not is_setting or name in values, (place, name)
    assert seen > 50
    checked = {id(node) for _, call in raised() for node in ast.walk(call)}
    for place, hint in hints():
        for part in parts_of(hint):
            for text in () if id(hint) in checked else texts(part):
                assert {name for name, _ in PLACEHOLDER.findall(text)} <= known, (place, text)


def test_advice_for_every_surface_has_no_python_in_it() -> None:
    own_words = ("cli/", "service/")  # which speak to their own users alone
    for place, hint in hints():
        if not place.startswith(own_words):
            for text in texts(hint):
                assert not PYTHON_SYNTAX.search(text), (place, text)


def test_requirements_of_other_surfaces_have_no_options() -> None:
    for place, call in raised():
        if not place.startswith(("cli/", "service/")):
            for text in texts(call.args[1] if len(call.args) > 1 else None):
                assert "--" not in text, (place, text)


def test_nothing_raises_the_base_class() -> None:
    assert not [place for place, call in raised() if name_of(call.func) == "RocchError"]


def test_no_table_of_sentences_is_left() -> None:
    names = {
        name_of(target)
        for tree in TREES.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
    }
    assert names.isdisjoint({"IN_PYTHON", "SAID"})
    assert "OPTIONS" not in ast.unparse(TREES["cli/main.py"])


def reads_text_of(node: ast.AST, error: str) -> bool:
    """Whether an expression is the text of an error, or its `args`."""
    if isinstance(node, ast.Call) and name_of(node.func) == "str" and node.args:
        return name_of(node.args[0]) == error
    if isinstance(node, ast.Subscript):
        node = node.value
    return (
        isinstance(node, ast.Attribute)
        and node.attr in ("args", "problem", "requirement")
        and name_of(node.value) == error
    )


def looks_at_text(handler: ast.ExceptHandler) -> bool:
    """Whether a handler takes the text of its error apart or compares it."""
    error = handler.name or ""
    for node in ast.walk(handler):
        if isinstance(node, ast.Compare):
            sides = (node.left, *node.comparators)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            sides = (node.func.value,)
        elif isinstance(node, ast.Subscript):
            sides = (node.value,)
        else:
            continue
        if any(reads_text_of(side, error) for side in sides):
            return True
    return False


def test_no_code_looks_at_the_text_of_an_error() -> None:
    handlers = 0
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ExceptHandler) and node.name and node.type is not None:
                caught = {name_of(part) for part in ast.walk(node.type)}
                if caught & ERRORS:
                    handlers += 1
                    assert not looks_at_text(node), f"{path}:{node.lineno}"
    assert handlers > 10


def test_the_search_notices_code_that_looks_at_texts() -> None:
    for line in (
        "if 'no' in str(error): pass",
        "x = str(error).split(':')",
        "x = error.args[0]",
        "if error.requirement == 'be given': pass",
        "x = error.problem.replace('a', 'b')",
    ):
        tree = ast.parse(f"try:\n    f()\nexcept InputError as error:\n    {line}\n")
        handler = tree.body[0].handlers[0]  # type: ignore[attr-defined]
        assert looks_at_text(handler), line
    plain = ast.parse("try:\n    f()\nexcept InputError as error:\n    raise error.inside('a')\n")
    assert not looks_at_text(plain.body[0].handlers[0])  # type: ignore[attr-defined]
