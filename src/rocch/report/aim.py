"""What decides: a hull, or a fitted model that aims for new rows; and a table of the latter's aims.

A model is aimed by a threshold on calibrated scores, which follows from costs and class balance.
So a page that knows the scorer's curve answers every question about exact costs as the model does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from rocch.arrays import FloatArray, IntArray
from rocch.hybrid.expression import STACK
from rocch.hybrid.hybrid import Hybrid
from rocch.hybrid.referral import ReferringClassifier
from rocch.hybrid.referral_rule import ReferralRule
from rocch.hybrid.stacking import AimScorer
from rocch.kernels.bounds import clopper_pearson
from rocch.report.summary import AimTable
from rocch.roc.hull import RocHull
from rocch.roc.member import Member
from rocch.roc.new_rows import join_rows
from rocch.roc.operating_point import ClassTotals, OperatingPoint
from rocch.roc.question import Question
from rocch.roc.referral import Referral
from rocch.rows import ScoredRows

# The confidence of expected costs on new rows.
CONFIDENCE = 0.95

# A page knows this many settings of the scorer. Of more, it has those spread evenly, closer at both
# ends; thresholds stay exact.
MOST_SETTINGS = 4000


@dataclass(frozen=True, slots=True, eq=False)
class Decider:
    """A hull, and the fitted model that decides by it if there is one.

    An `exact` one takes points of the hull, as `RocchClassifier.at` does.
    """

    hull: RocHull
    hybrid: Hybrid | None = None
    exact: bool = False

    def choose(self, question: Question) -> tuple[OperatingPoint, bool]:
        """Return what to do, and whether that is aimed for new rows by costs."""
        if self.hybrid is None:
            return self.hull.best(question), False
        point, aimed = self.hybrid.aim(question, randomize=False, exact=self.exact)
        return point, aimed and point.guarantee is None

    def refer(
        self, question: Question, positive: str, negative: str
    ) -> tuple[Referral, ReferralRule]:
        """Return which cases a person is to decide, and the rule."""
        question = replace(question, currency=None, cases_per_month=None)  # these are for texts
        if self.hybrid is None:
            found = self.hull.refer(question)
            return found, ReferralRule.from_referral(found, positive=positive, negative=negative)
        view = ReferringClassifier(self.hybrid, question, exact=self.exact)
        return view.referral, view.rule

    @property
    def scorer(self) -> AimScorer | None:
        """What aims for new rows."""
        return None if self.hybrid is None or self.exact else self.hybrid.scorer

    @property
    def members(self) -> tuple[Member, ...]:
        """The classifiers of the hull, and the scorer even where it is none of them."""
        scorer, members = self.scorer, self.hull.members
        if scorer is None or scorer.name in {member.name for member in members}:
            return members
        return *members, *RocHull.of(scorer.curve).members

    @property
    def names(self) -> list[str]:
        """The names of all classifiers."""
        return [member.name for member in self.members]

    @property
    def rows(self) -> ScoredRows | None:
        """The evaluation rows, if they are the same for all classifiers, and were kept."""
        if self.hybrid is not None:
            return self.hybrid.rows
        if self.hull.totals.pooled:
            return None
        return join_rows([member.rows for member in self.hull.members])

    @property
    def certifying_hull(self) -> RocHull:
        """The hull on whose rows limits are certified for new ones."""
        return self.hull if self.hybrid is None else self.hybrid.certifying_hull(exact=self.exact)

    def totals_of(self, found: OperatingPoint, *, aimed: bool) -> ClassTotals:
        """Return the rows on which the rates of a choice were counted."""
        if aimed and self.scorer is not None and not isinstance(found.threshold, str | None):
            return self.scorer.curve.totals
        return self.hull.totals if found.guarantee is None else self.certifying_hull.totals


def tabulate_aims(scorer: AimScorer | None) -> AimTable | None:
    """Return what a page needs to aim a model for new rows, if there is a scorer."""
    if scorer is None:
        return None
    curve = scorer.curve
    places = _places(len(curve))
    totals = curve.totals
    counts = curve.false_positives[places], curve.true_positives[places]
    false_positives, true_positives = (tuple(map(totals.amount, each.tolist())) for each in counts)
    fpr, tpr = totals.rates(*counts)
    fpr_low, fpr_high = _bounds(fpr, scorer.trials[0])
    tpr_low, tpr_high = _bounds(tpr, scorer.trials[1])
    is_stack = scorer.name == STACK
    (first, *_) = scorer.stack.terms
    low, high = first.range
    return AimTable(
        classifier=scorer.name,
        kind="log_odds" if is_stack else "probability" if first.kind == "probability" else "score",
        offset=math.log(totals.positives / totals.negatives),
        intercept=0.0 if is_stack else scorer.stack.intercept,
        weight=1.0 if is_stack else first.weight,
        low=low,
        high=high,
        negatives=totals.amount(totals.negatives),
        positives=totals.amount(totals.positives),
        log_odds=tuple(np.asarray(curve.lowest_scores)[places[1:] - 1].tolist()),
        false_positives=false_positives,
        true_positives=true_positives,
        fpr_low=fpr_low,
        fpr_high=fpr_high,
        tpr_low=tpr_low,
        tpr_high=tpr_high,
        complete=places.size == len(curve),
    )


def _places(size: int) -> IntArray:
    """Return which of the settings to keep, with both ends."""
    if size <= MOST_SETTINGS:
        return np.arange(size)
    shares = np.sin(np.linspace(0, np.pi / 2, MOST_SETTINGS)) ** 2
    return np.unique((shares * (size - 1)).round().astype(np.intp))


def _bounds(rates: FloatArray, trials: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    low, high = clopper_pearson(rates * trials, trials, CONFIDENCE)
    return tuple(low.tolist()), tuple(high.tolist())
