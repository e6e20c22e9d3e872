"""Where a question leads, and what would change if it were put in force."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rocch.service.deciding import aim_at
from rocch.service.drawing import draw_aim
from rocch.service.page_facts import preview_of
from rocch.service.status import assumed_prevalence, rule_facts
from rocch.service.steering import own_rule

if TYPE_CHECKING:
    from rocch.roc.question import Question
    from rocch.service.service import Service


def best_document(service: Service, question: Question, coin: bool | None) -> dict[str, Any]:
    """Return the best point for a question; for an empty one, that in force.

    It may estimate costs on new rows, so it is made in a thread of its own.
    """
    served, aim = service.served, service.aiming.record
    in_force = service.aiming.in_force(served, aim)
    aimed = aim_at(served, question, coin, in_force)
    rule = served.aimed(in_force.aim, randomize=in_force.randomize)
    usual = assumed_prevalence(served, aim.question, own_rule(served, aim))
    asked = question or aim.question
    assumed = assumed_prevalence(served, asked, aimed.rule) if question else usual
    then = rule_facts(served, aimed.rule, assumed or usual)
    return {
        "question": question.to_dict() if question else None,
        "words": aimed.words,
        "point": then["point"],
        "counts": then["counts"],
        "drawing": draw_aim(served.hull, asked or in_force.aim),
        "preview": preview_of(rule_facts(served, rule, usual), then, (aim.question, asked)),
        "rule": aimed.rule.document,
        "library": served.identity,
        "aim": aimed.origin,
    }
