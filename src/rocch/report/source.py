"""What reports are made of: a hull, the rows behind it where they are at hand, and their labels."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rocch.errors import Hint, InputError, describe_type
from rocch.hybrid.aimed import AimedClassifier
from rocch.hybrid.rule import STACK
from rocch.roc.conditions import Conditions
from rocch.roc.criteria import NeymanPearson
from rocch.roc.hull import DeferredCurve, RocHull

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocch.hybrid.rule import Expression, Stack

NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")
"""A label that is a number; 007 is none, in Python not even a syntax."""

ROW_KEY = "row_id"
"""The column of row keys where none is named."""


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A hull with what else is known.

    Attributes
    ----------
    hull
        The classifiers.
    rows
        Whether each row is positive, and each classifier's scores (or alarms); None where they
        are not at hand.
    folds
        The fold of each row, where scores of several folds were pooled.
    label, positive, negative
        The name of the column of labels, and both labels, as texts.
    labels
        What a rule answers with: the negative label and the positive one, of their own type.
    seed, row_key
        What the coins of rules are made of.
    expressions
        When to alarm, for names on the hull that are combinations of models.
    stack
        What the stack on the hull is made of, if there is one.
    """

    hull: RocHull
    rows: tuple[Any, Mapping[str, Any]] | None
    folds: Any = None
    label: str = ""
    positive: str = "1"
    negative: str = "0"
    labels: tuple[Any, Any] = (0, 1)
    seed: int = 0
    row_key: str = ROW_KEY
    expressions: Mapping[str, Expression] = field(default_factory=dict)
    stack: Stack | None = None


def source_of(what: Any, *, folds: Any = None, label: str = "", labels: Any = None) -> Source:
    """Return what a report on two classes can be made of: a hull, or a hybrid fitted or loaded."""
    hybrid = getattr(what, "hybrid", None) or getattr(what, "hybrid_", None)
    hull = what if hybrid is None else getattr(hybrid, "hull", None)
    if not isinstance(hull, RocHull):
        unfitted = hasattr(what, "fit") and hybrid is None
        raise InputError(
            "what",
            "be a RocHull, a RocSurface or a fitted hybrid",
            "a model that is not fitted" if unfitted else describe_type(what),
            "Call fit first." if unfitted else Hint("See RocHull.from_scores(y_true, scores)."),
        )
    if hull.slope_bounds is not None:
        raise InputError(
            "a report needs the whole hull; this one was restricted to bounds on conditions. "
            "Use the unrestricted hull (fit without `within`)."
        )
    if hybrid is not None:
        hybrid.check_direction()  # a page of costs needs to know which class they are about
    rows = _rows_of(hull)
    judged = getattr(what, "out_of_fold_", None)
    if judged is not None and judged.weights is None and judged.is_first.all():
        rows = judged.positive, {m.name: judged.scores[m.name] for m in hull.members}
        folds = judged.folds if folds is None else folds
    own = None if hybrid is None else (hybrid.negative, hybrid.positive)
    scorer = getattr(hybrid, "scorer", None)
    negative, positive = _two_labels(labels or own or ("0", "1"))
    return Source(
        hull,
        rows,
        folds,
        as_text(label, "label"),
        positive,
        negative,
        labels=own if own and labels is None else _typed(negative, positive),
        seed=getattr(what, "seed", 0),
        row_key=getattr(what, "row_key", None) or getattr(hybrid, "key_column", None) or ROW_KEY,
        expressions=getattr(hybrid, "expressions", {}),
        stack=None if scorer is None or scorer.name != STACK else scorer.stack,
    )


def as_text(value: Any, argument: str) -> str:
    """Return a text, which must be one."""
    if not isinstance(value, str):
        raise InputError(argument, "be a text", describe_type(value), "Write it in quotes.")
    return value


def _two_labels(labels: Any) -> list[str]:
    """Return the negative and the positive label as texts, which must tell them apart."""
    texts = list(map(str, labels)) if isinstance(labels, tuple | list) else []
    if len(set(texts)) != 2 or len(texts) != 2:
        raise InputError(
            "labels",
            "be two labels that differ, the negative one first",
            repr(labels),
            'For example: ("good", "bad").',
        )
    return texts


def _typed(negative: str, positive: str) -> tuple[Any, Any]:
    """Return texts as the labels that they stand for; both must be of one kind."""
    texts = negative, positive
    if {text.lower() for text in texts} == {"true", "false"}:
        return negative.lower() == "true", positive.lower() == "true"
    if not all(NUMBER.fullmatch(text) for text in texts):
        return texts
    numbers = tuple(float(text) if "." in text else int(text) for text in texts)
    return texts if numbers[0] == numbers[1] else (numbers[0], numbers[1])


def aim_of(what: Any) -> tuple[Conditions | None, dict[str, Any], tuple[str, ...]]:
    """Return what an aimed view of a hybrid aims at, as far as a report's controls can say it.

    Where they cannot, the last part warns of it.
    """
    aim = getattr(what, "criterion", None)
    stated = aim if isinstance(aim, Conditions) else getattr(aim, "conditions", None)
    if isinstance(stated, Conditions):
        return stated, {"randomize": what.randomize}, ()
    if isinstance(aim, NeymanPearson):
        return None, {"max_fpr": aim.max_fpr, "randomize": what.randomize}, ()
    if not isinstance(what, AimedClassifier):
        return None, {}, ()
    warning = (
        f"The model is aimed by {type(aim).__name__}, which the controls cannot state; the report "
        "starts where errors count alike."
    )
    return None, {}, (warning,)


def _rows_of(hull: RocHull) -> tuple[Any, Mapping[str, Any]] | None:
    """Return labels and scores that a hull was built from, if it was built so."""
    sources = [member.source for member in hull.members]
    deferred = [source for source in sources if isinstance(source, DeferredCurve)]
    positive = [source.rows.positive for source in deferred]
    if len(deferred) < len(sources) or any(each is not positive[0] for each in positive):
        return None
    return positive[0], {source.name: source.rows.scores[source.name] for source in deferred}
