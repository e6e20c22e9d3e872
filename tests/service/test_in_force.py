"""The operator's policy comes first, then the command line's, then the export's own."""

from __future__ import annotations

from rocch import Question
from rocch.service.feedback import Feedback
from rocch.service.store import Policy
from tests.support.exported import COSTS, served
from tests.support.serving import asking

SERVED = served()
STATED = Question(**COSTS, max_fpr=0.2, randomize=True)


def test_without_a_question_the_export_decides() -> None:
    for question in (None, Question()):
        with asking(SERVED, question=question) as ask:
            service = ask.service
            assert service.policy.to_dict() == {
                "id": None,
                "at": service.started_at,
                "by": "",
                "note": "",
                "source": "default",
                "question": {},
                "tuning": "off",
                "words": "as the export says",
            }
            found = service.active_policy(SERVED)
            assert found.origin == {"source": "default", "id": None}
            assert found.rule.target is SERVED.model.default_.criterion
            assert not found.rule.question.randomize


def test_the_command_line_comes_before_and_the_operator_before_that() -> None:
    with asking(SERVED, question=STATED) as ask:
        service = ask.service
        found = service.active_policy(SERVED)
        assert found.origin == {"source": "command line", "id": None}
        assert found.rule.question == STATED
        assert service.policy.words == STATED.describe()
        service.put_policy(Policy(question=Question(max_fpr=0.1)))
        found = service.active_policy(SERVED)
        assert found.origin == {"source": "operator", "id": 1}
        assert found.rule.question == Question(max_fpr=0.1)
        service.reset_policy()
        assert service.active_policy(SERVED).rule.question == STATED


def test_the_tuner_leads_where_it_may() -> None:
    with asking(SERVED) as ask:
        service = ask.service
        policy, _ = service.put_policy(Policy(question=Question(**COSTS), tuning="follow"))
        assert service.active_policy(SERVED).source == "operator"
        load = Feedback(event_id="a", kind="load", alarms=300, capacity=100)
        service.tuner.record_feedback(SERVED, policy, load)
        found = service.active_policy(SERVED)
        assert found.origin == {"source": "tuner", "id": policy.id}
        knob = service.tuner.tuned_knob(SERVED, policy)
        assert knob is not None
        assert found.rule.question == Question(knob=knob.position)
        service.put_policy(Policy(question=Question(**COSTS)))
        assert service.active_policy(SERVED).source == "operator"
