"""What a report says about cases that are referred to a person."""

from __future__ import annotations

from rocch.errors import InputError
from rocch.hybrid.referral_rule import ReferralRule
from rocch.report.summary import ReferralTable, Referred
from rocch.roc.hull import RocHull
from rocch.roc.question import Question
from rocch.roc.referral import Referral, error_costs

# Costs of a referred case to show, as parts of the highest one that can pay.
PARTS = (0.1, 0.25, 0.5, 0.75, 0.9)

# Of more scores (rows times classifiers), only a referral that the question states is shown.
MOST_SCORES = 3 * 10**6


def tabulate_referrals(
    hull: RocHull, question: Question, asked: Question | None, labels: tuple[object, object]
) -> ReferralTable | None:
    """Return what referring cases would do, for several costs of one or as the question states.

    Parameters
    ----------
    hull
        The classifiers.
    question
        The report's question, which decides every case.
    asked
        The question with its fields on referred cases, if it has some.
    labels
        The negative label and the positive one.
    """
    if asked is not None:
        found = hull.refer(asked)
        negative, positive = map(str, labels)
        rule = ReferralRule.from_referral(found, positive=positive, negative=negative)
        return ReferralTable((_row(found),), str(found), rule.words, rule.to_sql())
    known = question.conditions
    rows = hull.totals.total * len(hull.members)
    if known is None or not known.exact or question.limited or rows > MOST_SCORES:
        return None
    alarm, miss = error_costs(known.resolved(hull.totals).case)
    if not alarm or not miss:
        return None
    most = alarm * miss / (alarm + miss)
    costs = [float(f"{part * most:.2g}") for part in PARTS]  # as people would state them
    try:
        found_all = [hull.refer(known, cost=cost) for cost in costs]
    except InputError:  # classifiers that cannot be deployed by two thresholds
        return None
    return ReferralTable(tuple(map(_row, found_all)), "", "", "")


def _row(found: Referral) -> Referred:
    return Referred(
        found.cost, found.referred, found.wrong_among_decided, found.expected_cost, found.saves
    )
