"""A model as it is served: an immutable snapshot that a request takes once and keeps."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic_core import to_json

from rocch.errors import InputError, first_line
from rocch.hybrid.aimed import AimedClassifier, GroupedClassifier, alarm_probability
from rocch.hybrid.classifier import RocchClassifier
from rocch.hybrid.climb import hull_print
from rocch.hybrid.components import ScoredBatch
from rocch.hybrid.hybrid import COUNTED, EXPECTED
from rocch.hybrid.multiclass import RocSurfaceClassifier
from rocch.hybrid.referral import ReferringClassifier
from rocch.roc.criteria import ErrorRate
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
    from rocch.hybrid.expression import Batch
    from rocch.hybrid.hybrid import Hybrid, Mix
    from rocch.hybrid.referral_rule import ReferralRule
    from rocch.hybrid.rule import Rule
    from rocch.hybrid.save import Saved
    from rocch.roc.curve import RocCurve
    from rocch.roc.guarantee import Guarantee
    from rocch.roc.hull import RocHull
    from rocch.roc.new_rows import NewRowsCost
    from rocch.roc.referral import Referral
    from rocch.roc.savings import Baseline
    from rocch.service.sources import Version

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
# Rules of one model that are kept in memory.
RULES_KEPT = 256
# What can be done with models that are not served: they decide rows where these are.
RUN_RULE = "Run its rule where your rows are: {rule}.to_sql(), or .to_python()."


class AimedRule:
    """A hybrid aimed by a question, with the documents that describe it made once.

    Attributes
    ----------
    question
        The question; an empty one stands for the model's own aim.
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
        """The question, or the model's own aim."""
        if isinstance(self.view, ReferringClassifier):
            return self.question or self.view.conditions
        return self.view.criterion

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

    def savings_against(self, baseline: Baseline) -> dict[str, Any]:
        """Return what the rule saves on new rows, first of all against this baseline."""
        requirement = "be given where the choice has an expected cost on new rows"
        if isinstance(self.view, ReferringClassifier):
            raise InputError("baseline", requirement, "one that refers cases to a person")
        found = self.view.savings(baseline)
        if not found.rows:
            raise InputError("baseline", requirement, f"one without it: {found.note}")
        document: dict[str, Any] = plain(found.to_dict())
        return document

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
            "cost_range": point.cost_range,
            "rates_are": self.view.rates_are,
            "aimed_for": "new rows" if self.view.for_new_rows else "evaluation rows",
            "new_rows": _new_rows(self.view.on_new_rows, self.view.rates_are),
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
class ServedModel:
    """A hybrid that decides, and which version it is.

    Attributes
    ----------
    own
        The view of a hybrid that decides where nobody states another aim. Other questions are
        answered exactly if it is exact.
    version, sha256, saved_at, note
        As its source recorded them; the service numbers a version 0.
    seed
        The seed of the coins.
    loaded_at
        When it was loaded: ISO text, UTC.
    """

    own: AimedClassifier | ReferringClassifier
    version: int
    sha256: str
    saved_at: str = ""
    note: str = ""
    seed: int = 0
    loaded_at: str = field(default_factory=lambda: now())

    @classmethod
    def load(
        cls, version: Version, *, seed: int | None = None, trusted: Iterable[str] = ()
    ) -> ServedModel:
        """Load a version; by default, coins have the model's own seed."""
        own = own_view(version.load(trusted))
        if seed is None:
            seed = getattr(own, "seed", 0)
        return cls(own, version.number, version.sha256, version.at, version.note, seed)

    @property
    def hybrid(self) -> Hybrid:
        """The fitted parts that decide."""
        return self.own.hybrid

    @property
    def key_column(self) -> str | None:
        """The column of row keys, if the model names one."""
        return getattr(self.own, "row_key", None) or self.hybrid.key_column

    @property
    def hull(self) -> RocHull:
        """The hull of the hybrid."""
        return self.hybrid.hull

    hull_ = hull  # as a `KnobTuner` needs it

    @property
    def decides_without_costs(self) -> bool:
        """Whether it was saved without costs, limits or any other aim."""
        return isinstance(self.own, AimedClassifier) and self.own.criterion == ErrorRate()

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
        """Which version this is, for every response."""
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
        """A fingerprint of the hull; several versions may have the same."""
        return hull_print(self.hull)

    @cached_property
    def hull_document(self) -> dict[str, Any]:
        """The hull for programs."""
        hull = self.hull
        vertices = vertices_of(hull)
        others = sorted(set(hull.winners) - set(self.classifiers))  # a stack, or combinations
        document: dict[str, Any] = plain(
            {
                "model": self.identity,
                "vertices": vertices,
                "pictures": hull_pictures(vertices, [*self.classifiers, *others]),
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
        """Return the rule for a question, or the model's own if that is empty.

        `randomize` overrides the question's, or the model's. The rules used last are kept.
        """
        if randomize is None:
            allows_coin = not question and getattr(self.own, "randomize", False)
            randomize = question.randomize or allows_coin
        if randomize != question.randomize:
            question = replace(question, randomize=randomize)
        return self._rules(question)

    @cached_property
    def _rules(self) -> _lru_cache_wrapper[AimedRule]:
        return lru_cache(RULES_KEPT)(self._make_rule)

    def _make_rule(self, question: Question) -> AimedRule:
        own, exact = self.own, self.own.exact
        if question.refers:
            return AimedRule(question, ReferringClassifier(self.hybrid, question, exact=exact))
        if not question and isinstance(own, ReferringClassifier):
            return AimedRule(question, own)
        target = question or own.criterion
        coin = question.randomize
        options: Any = {"exact": exact, "seed": self.seed, "row_key": self.key_column}
        view = AimedClassifier(self.hybrid, target, randomize=coin, **options)
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
                "not be sent here, for this model decides on precomputed scores",
                "features",
                "Send scores of {known} instead.",
                known=", ".join(self.classifiers),
            )
        columns = feature_rows(self.hybrid, features)
        with _feature_errors():
            rows = self.own.features(columns)
        return _Scored(self.hybrid.components, rows)


def own_view(model: Saved) -> AimedClassifier | ReferringClassifier:
    """Return the view by which a saved model decides, if it can be served.

    Raises
    ------
    InputError
        If it decides between many classes, or by group.
    """
    if isinstance(model, RocchClassifier):
        return model.default_
    if isinstance(model, AimedClassifier | ReferringClassifier):
        return model
    kind = type(model).__name__
    if isinstance(model, GroupedClassifier):
        raise InputError(
            f"it holds a {kind}, which needs the group of each row; a service decides all rows of "
            "a request alike.",
            hint="Save the model that it is a view of, and let each request ask the question of "
            f"its group. Or: {RUN_RULE}",
            rule="view.rule",
        )
    found, rule = len(model.classes_), "view.rule"
    if isinstance(model, RocSurfaceClassifier):
        rule = "model.at(costs).rule"
    raise InputError(
        f"it holds a {kind} for {found} classes; only decisions between two are served.",
        hint=RUN_RULE,
        rule=rule,
    )


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
        cost_range=(referral.expected_cost, referral.expected_cost),
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


def _new_rows(cost: NewRowsCost, rates_are: str) -> dict[str, Any]:
    """Return what to expect of a rule on new rows."""
    is_seen = rates_are in (EXPECTED, COUNTED)  # the cost of other rates is not that on these rows
    low, high = cost.interval or (None, None)
    rates = cost.rates
    return {
        "on_evaluation_rows": cost.apparent if is_seen else None,
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
        reason = first_line(error)[:300]
        raise InputError(
            "features",
            "be such as the models were fitted on",
            f"{type(error).__name__}: {reason}",
            "Send numbers where they had numbers, and null only where values were missing, too.",
        ) from None


def now() -> str:
    """Return the time as ISO text in UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
