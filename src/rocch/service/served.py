"""One export as it is served: an immutable snapshot that a request takes once and keeps."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic_core import to_json

from rocch.errors import InputError, describe_type
from rocch.hybrid.aimed import AimedClassifier, alarm_probability
from rocch.hybrid.classifier import RocchClassifier
from rocch.hybrid.climb import hull_print
from rocch.hybrid.hybrid import ScoredBatch
from rocch.hybrid.referral import ReferringClassifier
from rocch.roc.knob import Knob
from rocch.roc.operating_point import OperatingPoint
from rocch.roc.question import Question
from rocch.service.columns import feature_rows, score_batch
from rocch.service.errors import plain
from rocch.service.page import vertex_facts
from rocch.service.pictures import hull_pictures

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from functools import _lru_cache_wrapper

    from rocch.arrays import FloatArray, IntArray
    from rocch.hybrid.hybrid import Hybrid, Mix
    from rocch.hybrid.referral_rule import ReferralRule
    from rocch.hybrid.rule import Batch, Rule
    from rocch.roc.curve import RocCurve
    from rocch.roc.guarantee import Guarantee
    from rocch.roc.hull import RocHull
    from rocch.roc.new_rows import NewRowsCost
    from rocch.roc.referral import Referral


# Errors of models on features that they cannot score.
UNSCORABLE = (ValueError, TypeError, ArithmeticError, LookupError)
# Attributes of a vertex that are shown as they are.
VERTEX_FIELDS = (
    *("fpr", "tpr", "false_positives", "true_positives"),
    *("classifier", "classifiers", "threshold", "lowest_score"),
)
# Attributes of a referral that are shown as they are.
REFERRAL_FIELDS = (
    *("referred", "referred_negatives", "referred_positives"),
    *("wrong_among_decided", "saves"),
)
# Rules of one export that are kept in memory.
RULES_KEPT = 256


class AimedRule:
    """A hybrid aimed by a question, with the documents that describe it made once.

    Attributes
    ----------
    question
        The question; an empty one stands for the export's own criterion.
    point, rule, mix
        The operating point, the rule in words, JSON and SQL, and the parts that a coin mixes.
    referral
        Which cases are referred to a person, if any may be; the point has the rates of the cases
        that are decided positive then.
    """

    def __init__(self, question: Question, view: AimedClassifier | ReferringClassifier) -> None:
        self.question, self.view = question, view
        self.referral: Referral | None = None
        self.rule: Rule | ReferralRule = view.rule
        if isinstance(view, ReferringClassifier):
            self.referral = view.referral
            self.point: OperatingPoint = _as_point(view.referral)
            self.mix: Mix = ()
        else:
            self.point = view.point
            self.mix = view.hybrid.mix(view.point)

    @property
    def target(self) -> Any:
        """The question, or the export's own criterion."""
        return self.question if isinstance(self.view, ReferringClassifier) else self.view.criterion

    @cached_property
    def document(self) -> dict[str, Any]:
        """The rule as plain data."""
        document: dict[str, Any] = plain(self.rule.to_dict())
        return document

    @property
    def words(self) -> str:
        """The rule in words."""
        return str(self.document["words"])

    @cached_property
    def question_words(self) -> str:
        """The question in words."""
        return self.question.describe()

    @property
    def needs_coin(self) -> bool:
        """Whether a coin mixes two rules."""
        return len(self.mix) > 1

    def decision_probability(self, batch: Batch) -> FloatArray:
        """Return the probability of an alarm for each row: 0 or 1 unless a coin decides."""
        return alarm_probability(batch, self.mix)

    @property
    def guarantee(self) -> Guarantee | None:
        """What holds on new rows, where the question has a confidence."""
        return getattr(self.referral or self.point, "guarantee", None)

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
                "threshold": place.threshold,
                "fpr": place.fpr,
                "tpr": place.tpr,
            }
            for share, place in (point.mix if self.referral is None else ())
        ]
        document = {
            "fpr": point.fpr,
            "tpr": point.tpr,
            "knob": Knob.of(point).position,
            "expected_cost": point.expected_cost,
            "aimed_for": "new rows" if self.view.for_new_rows else "evaluation rows",
            "new_rows": _new_rows(self.view.on_new_rows),
            "savings": None if self.referral is not None else self.view.savings().to_dict(),
            "words": point.describe() if self.referral is None else str(self.referral),
            "mix": mix,
            "randomizing_gains": point.randomizing_gains,
            "guarantee": None if self.guarantee is None else self.guarantee.to_dict(),
            "referral": None if self.referral is None else _referral(self.referral),
        }
        checked: dict[str, Any] = plain(document)
        return checked


@dataclass(frozen=True, eq=False)
class ServedExport:
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

    @classmethod
    def load(cls, export: Any, *, seed: int = 0, trusted: Iterable[str] = ()) -> ServedExport:
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
        """The fitted parts that decide."""
        return self.model.hybrid_

    @property
    def hull(self) -> RocHull:
        """The hull of the hybrid."""
        return self.hybrid.hull

    hull_ = hull  # as a `KnobTuner` needs it

    @cached_property
    def takes_features(self) -> bool:
        """Whether there are models that score features; otherwise scores must be sent."""
        return not self.hybrid.of_columns

    @property
    def columns(self) -> int:
        """The most columns that a request needs: scores of all classifiers, or all features."""
        return max(len(self.hybrid.components), self.hybrid.n_features_in or 0)

    @property
    def classifiers(self) -> list[str]:
        """The names of its classifiers, in the order in which pages color them."""
        return sorted(self.hybrid.components)

    @property
    def identity(self) -> dict[str, Any]:
        """Which export this is, for every response."""
        return {"version": self.version, "sha256": self.sha256}

    @cached_property
    def reference_curves(self) -> dict[str, RocCurve]:
        """The curves of the models that score rows, by name, as far as the hull keeps them."""
        known = self.hybrid.components
        members = [each for each in self.hull.members if each.scoring and each.name in known]
        curves = {member.name: member.curve() for member in members}
        return {name: curve for name, curve in curves.items() if curve is not None}

    @cached_property
    def hull_print(self) -> dict[str, Any]:
        """A fingerprint of the hull; several exports may have the same."""
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
                "judged": evaluation_rows(hull),
            }
        )
        return document

    def rule_for(self, question: Question, *, randomize: bool | None = None) -> AimedRule:
        """Return the rule for a question, or for the export's own criterion if that is empty.

        `randomize` overrides the question's. The rules used last are kept.
        """
        if randomize is not None and randomize != question.randomize:
            question = replace(question, randomize=randomize)
        return self._rules(question)

    @cached_property
    def _rules(self) -> _lru_cache_wrapper[AimedRule]:
        return lru_cache(RULES_KEPT)(self._make_rule)

    def _make_rule(self, question: Question) -> AimedRule:
        if question.refers:
            return AimedRule(question, ReferringClassifier(self.hybrid, question))
        target = question or self.model.default_.criterion
        view = AimedClassifier(self.hybrid, target, randomize=question.randomize, seed=self.seed)
        return AimedRule(question, view)

    def at(self, point: OperatingPoint) -> AimedRule:
        """Return the rule at a point of the hull, as a `KnobTuner` needs it."""
        return AimedRule(Question(), AimedClassifier(self.hybrid, point, seed=self.seed))

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
        columns = feature_rows(self.hybrid, features)
        with _feature_errors():
            rows = self.model.default_.features(columns)
        return _Scored(self.hybrid.components, rows)


def _as_point(referral: Referral) -> OperatingPoint:
    """Return the rates at which a referral decides cases positive, as a point."""
    hits = 1 - referral.fnr - referral.referred_positives
    mix = ((1.0, referral.upper),)
    return OperatingPoint(
        referral.fpr,
        hits,
        mix,
        "least expected cost",
        referral.expected_cost,
        referral.expected_cost,
        0.0,
        prevalence=referral.prevalence,
        note=referral.note,
    )


def _referral(found: Referral) -> dict[str, Any]:
    """Return which cases a rule refers."""
    sides = (("upper", found.upper), ("lower", found.lower))
    return {
        name: {"classifier": point.classifier, "threshold": point.threshold}
        for name, point in sides
    } | {name: getattr(found, name) for name in REFERRAL_FIELDS}


# What is served of the rates on new rows.
RATE_FIELDS = (
    *("tpr", "tpr_interval", "fpr", "fpr_interval", "prevalence", "precision"),
    *("population", "found", "missed", "false_alarms"),
)


def _new_rows(cost: NewRowsCost) -> dict[str, Any]:
    """Return what to expect of a rule on new rows."""
    low, high = cost.interval or (None, None)
    rates = cost.rates
    return {
        "expected": cost.expected,
        "low": low,
        "high": high,
        "expected_range": None if cost.expected_range is None else list(cost.expected_range),
        "confidence": cost.confidence,
        "note": cost.note,
        "rates": None
        if rates is None
        else {name: getattr(rates, name) for name in RATE_FIELDS} | {"text": str(rates)},
    }


def vertices_of(hull: RocHull) -> list[dict[str, Any]]:
    """Return the vertices of a hull, also in words."""
    rows, vertices = evaluation_rows(hull), []
    for vertex in hull.vertices:
        document = {name: getattr(vertex, name) for name in VERTEX_FIELDS}
        document |= {"knob": Knob.of(vertex).position, "rule": vertex.rule()}
        vertices.append(document | vertex_facts(document, **rows))
    return vertices


def evaluation_rows(hull: RocHull) -> dict[str, float]:
    """Return the number, or the weight, of a hull's evaluation rows by class."""
    totals = hull.totals
    counts = {"negatives": totals.negatives, "positives": totals.positives}
    return {name: totals.amount(count) for name, count in counts.items()}


class _Scored(ScoredBatch):
    """Rows that models score; a score that is not a number is refused."""

    def scores(self, model: str, rows: IntArray | None = None) -> FloatArray:
        """Return a model's scores on some rows, or on all."""
        with _feature_errors(), np.errstate(all="ignore"):
            found = super().scores(model, rows)
        if found.dtype != bool and np.isnan(found).any():
            raise InputError(
                "features",
                "be such that {expected} can score them",
                f"a score that is no number at position {int(np.argmax(np.isnan(found)))}",
                "Leave that row out.",
                expected=repr(model),
            )
        return found


@contextmanager
def _feature_errors() -> Iterator[None]:
    """Turn the errors of models into those of the features that they cannot score."""
    try:
        yield
    except InputError:
        raise
    except UNSCORABLE as error:
        reason = " ".join(str(error).split())[:300]
        raise InputError(
            "features",
            "be such as the models were fitted on",
            f"{type(error).__name__}: {reason}".rstrip("."),
            "Send one column for each feature, under its name.",
        ) from None


def now() -> str:
    """Return the time as ISO text in UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
