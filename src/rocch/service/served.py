"""One export as it is served: an immutable snapshot that a request takes once and keeps."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from hashlib import sha256
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic_core import to_json

from rocch.errors import InputError, describe_type
from rocch.hybrid.aimed import AimedClassifier
from rocch.hybrid.classifier import RocchClassifier
from rocch.hybrid.climb import hull_print
from rocch.hybrid.hybrid import ScoredBatch
from rocch.roc.knob import Knob
from rocch.roc.question import Question
from rocch.service.answers import plain
from rocch.service.columns import feature_rows, score_batch
from rocch.service.page_facts import vertex_facts
from rocch.service.pictures import hull_pictures

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rocch.arrays import FloatArray, IntArray
    from rocch.hybrid.hybrid import Hybrid, Mix
    from rocch.hybrid.rule import Batch, Rule
    from rocch.roc.hull import RocHull
    from rocch.roc.new_rows import NewRowsCost
    from rocch.roc.operating_point import OperatingPoint

UNSCORABLE = (ValueError, TypeError, ArithmeticError, LookupError)
"""What models raise on features that they cannot score."""

REMEMBERED = 256
"""Aims of one export that are kept at hand."""


class AimedRule:
    """A hybrid aimed at one operating point, with all that answers say about it made once."""

    def __init__(self, view: AimedClassifier) -> None:
        self.view = view
        self.point: OperatingPoint = view.point
        self.rule: Rule = view.rule
        self.mix: Mix = view.hybrid.mix(view.point)
        self.document: dict[str, Any] = plain(self.rule.to_dict())
        self.words: str = self.rule.words

    @cached_property
    def question_words(self) -> str:
        """The question that it answers, in words."""
        question = self.view.criterion
        return question.describe() if isinstance(question, Question) else ""

    @property
    def needs_coin(self) -> bool:
        """Whether two rules are mixed."""
        return len(self.mix) > 1

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the rule's document as an audit record writes it."""
        return sha256(to_json(self.document)).hexdigest()

    @cached_property
    def point_document(self) -> dict[str, Any]:
        """The operating point for programs; its cost on new rows may take seconds to estimate."""
        point = self.point
        mix = [
            {
                "probability": share,
                "classifier": place.classifier,
                "threshold": place.deployed_threshold,
                "fpr": place.fpr,
                "tpr": place.tpr,
            }
            for share, place in point.mix
        ]
        document = {
            "fpr": point.fpr,
            "tpr": point.tpr,
            "knob": Knob.of(point).position,
            "expected_cost": point.expected_cost,
            "aimed_for": "new rows" if self.view.for_new_rows else "evaluation rows",
            "new_rows": _new_rows(self.view.on_new_rows),
            "words": str(point),
            "mix": mix,
            "randomizing_gains": point.randomizing_gains,
        }
        checked: dict[str, Any] = plain(document)
        return checked


@dataclass(frozen=True, eq=False)
class Served:
    """A fitted hybrid that decides, and which export it is.

    Attributes
    ----------
    model
        The export, loaded.
    version, sha256, exported_at, note
        As the library recorded them.
    seed
        The seed of the coins.
    loaded_at
        When it was loaded: ISO text, UTC.
    """

    model: RocchClassifier
    version: int
    sha256: str
    exported_at: str = ""
    note: str = ""
    seed: int = 0
    loaded_at: str = field(default_factory=lambda: now())
    _aims: dict[Any, AimedRule] = field(default_factory=dict, repr=False)
    _lock: Lock = field(default_factory=Lock, repr=False)

    @classmethod
    def load(cls, export: Any, *, seed: int = 0, trusted: Iterable[str] = ()) -> Served:
        """Load an export of a library; its digest and the types in its models are checked."""
        from rocch.hybrid.save import load

        model = load(export.path, digest=export.sha256, trusted=trusted)
        if not isinstance(model, RocchClassifier):
            raise InputError(
                "export", "be a RocchClassifier", describe_type(model), "Export from a library."
            )
        return cls(model, export.version, export.sha256, export.at, export.note, seed)

    @property
    def hybrid(self) -> Hybrid:
        """What deciding takes."""
        return self.model.hybrid_

    @property
    def hull(self) -> RocHull:
        """The hull that is aimed on."""
        return self.hybrid.hull

    @cached_property
    def takes_features(self) -> bool:
        """Whether there are models that score features; otherwise scores must be sent."""
        return not self.hybrid.of_columns

    @property
    def columns(self) -> int:
        """How many columns its requests may need: scores of all classifiers, or all features."""
        return max(len(self.hybrid.components), self.hybrid.n_features_in or 0)

    @property
    def classifiers(self) -> list[str]:
        """The names of its classifiers, in the order in which pages color them."""
        return sorted(self.hybrid.components)

    @property
    def identity(self) -> dict[str, Any]:
        """Which export this is, as every answer says."""
        return {"version": self.version, "sha256": self.sha256}

    @cached_property
    def hull_print(self) -> dict[str, Any]:
        """What tells its hull from others: exports may be equal in this."""
        return hull_print(self.hull)

    @cached_property
    def hull_document(self) -> dict[str, Any]:
        """The hull for programs."""
        hull = self.hull
        vertices = vertices_of(hull)
        document: dict[str, Any] = plain(
            {
                "library": self.identity,
                "vertices": vertices,
                "pictures": hull_pictures(vertices, self.classifiers),
                "slope_ranges": [
                    {"classifier": row.classifier, "low": row.low, "high": row.high}
                    for row in hull.slope_ranges()
                ],
                "auc": hull.auc if hull.slope_bounds is None else None,
                "slope_bounds": hull.slope_bounds,
                "judged": judged_rows(hull),
            }
        )
        return document

    def aimed(self, aim: Any, *, randomize: bool | None = None) -> AimedRule:
        """Aim at a question or a criterion; the last `REMEMBERED` rules are kept.

        `randomize` decides about coins instead of the question.
        """
        coin = bool(randomize)
        if isinstance(aim, Question):
            coin = aim.randomize if randomize is None else coin
            aim = aim if aim.randomize == coin else replace(aim, randomize=coin)
        key = (aim, coin)
        known = self._aims.get(key)
        if known is None:
            view = AimedClassifier(self.hybrid, aim, randomize=coin, seed=self.seed)
            known = AimedRule(view)
            self._remember(key, known)
        return known

    def _remember(self, key: Any, aimed: AimedRule) -> None:
        with self._lock:
            while len(self._aims) >= REMEMBERED:  # the oldest goes; one in use comes back at once
                self._aims.pop(next(iter(self._aims)))
            self._aims[key] = aimed

    def batch(
        self,
        *,
        scores: Mapping[str, list[Any]] | None = None,
        features: Mapping[str, list[Any]] | None = None,
    ) -> Batch:
        """Return checked columns as rows to be decided."""
        if scores is not None:
            return score_batch(self.hybrid, scores)
        if features is None:
            raise InputError("scores", "be given", "neither scores nor features", "Send one.")
        if not self.takes_features:
            raise InputError(
                "features",
                "not be sent here, for this export holds no models",
                "features",
                "Send scores of {known} instead.",
                known=", ".join(self.classifiers),
            )
        view = self.model.default_
        try:
            rows = view.features(feature_rows(self.hybrid, features))
        except InputError:
            raise
        except UNSCORABLE as error:
            raise unusable_features(error) from None
        return _Scored(self.hybrid.components, rows)

    def alarm_probability(self, point: OperatingPoint, batch: Batch) -> FloatArray:
        """Return for each row how likely it is to alarm at a point: 0 or 1 unless by a coin."""
        parts = [share * part.alarms(batch) for share, part in self.hybrid.mix(point)]
        return np.asarray(sum(parts), dtype=float)


def _new_rows(cost: NewRowsCost) -> dict[str, Any]:
    """Return what a rule is expected to cost per case on new rows."""
    low, high = cost.interval or (None, None)
    return {
        "expected": cost.expected,
        "low": low,
        "high": high,
        "confidence": cost.confidence,
        "note": cost.note,
    }


def vertices_of(hull: RocHull) -> list[dict[str, Any]]:
    """Return the vertices of a hull, also in words."""
    named = ("classifier", "threshold", "deployed_threshold", "classifiers")
    counted = ("false_positives", "true_positives")
    vertices = []
    for vertex in hull.vertices:
        about: dict[str, Any] = {"fpr": vertex.fpr, "tpr": vertex.tpr}
        about |= {"knob": Knob.of(vertex).position}
        about |= {name: getattr(vertex, name) for name in (*named, *counted)}
        about |= {"rule": vertex.rule()}
        vertices.append(about | vertex_facts(about, **judged_rows(hull)))
    return vertices


def judged_rows(hull: RocHull) -> dict[str, float]:
    """Return how many rows of each class, or what weight of them, a hull was judged on."""
    judged = hull.totals
    totals = {"negatives": judged.negatives, "positives": judged.positives}
    return {name: judged.amount(total) for name, total in totals.items()}


class _Scored(ScoredBatch):
    """Rows that models score; a score that is no number is no decision either."""

    def scores(self, model: str, rows: IntArray | None = None) -> FloatArray:
        """Return a model's scores on some rows, or on all."""
        try:
            with np.errstate(all="ignore"):  # what comes of it is looked at below
                found = super().scores(model, rows)
        except InputError:
            raise
        except UNSCORABLE as error:
            raise unusable_features(error) from None
        if found.dtype != bool and np.isnan(found).any():
            raise InputError(
                "features",
                "be such that {expected} can score them",
                f"a score that is no number at position {int(np.argmax(np.isnan(found)))}",
                "Leave that row out.",
                expected=repr(model),
            )
        return found


def unusable_features(error: Exception) -> InputError:
    """Return the error for features that models cannot score."""
    said = " ".join(str(error).split())[:300]
    return InputError(
        "features",
        "be such as the models were fitted on",
        f"{type(error).__name__}: {said}".rstrip("."),
        "Send one column for each feature, under its name.",
    )


def now() -> str:
    """Return the time as ISO text in UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
