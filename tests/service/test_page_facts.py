"""What the page shows is worded and counted here, not in the page."""

from __future__ import annotations

from typing import Any

import pytest

from rocch import Question
from rocch.service.form import LABELS, changes, form_html, stated
from rocch.service.page_facts import page_of
from rocch.service.page_files import page_files
from rocch.service.wording import counts_of, percent, rates, span, whole
from tests.support.service_stand_in import VIEWER, StandIn, troubled


def spaced(text: str) -> str:
    """Return a text whose numbers and units are apart."""
    return text.replace("\u00a0", " ")


def shown(service: StandIn, role: str = "operator") -> Any:
    return page_of(service.status(role), service.question)


def words(page: Any, name: str) -> str:
    return spaced("".join(str(part) for part in page["texts"][name]))


@pytest.mark.parametrize(
    ("share", "written"),
    [
        (0.99999999, "99.999999 %"),
        (0.9996, "99.96 %"),
        (1, "100 %"),
        (0.123456, "12 %"),
        (0.00004, "0.004 %"),
        (0, "0 %"),
    ],
)
def test_shares_have_sensible_digits(share: float, written: str) -> None:
    assert spaced(percent(share)) == written
    assert " " not in percent(share)  # number and unit stay on one line


def test_intervals_whose_ends_read_alike_are_one_number() -> None:
    assert spaced(span((0.1, 0.2), percent)) == "10 to 20 %"
    assert spaced(span((0.1, 0.1001), percent)) == "10 %"
    assert span((1234.4, 1234.4), whole) == "1,234"
    assert spaced(rates({"fpr": None, "tpr": 0.5})) == "TPR 50 %"


def test_counts_are_those_of_1000_cases_at_either_end() -> None:
    counts = counts_of({"fpr": 0.1, "tpr": 0.8}, (0.2, 0.4))
    for name, ends in counts.items():
        assert ends == sorted(ends), name
    for place in (0, 1):
        assert counts["hits"][place] + counts["misses"][place] == pytest.approx(
            1000 * counts["prevalence"][place]
        )
    assert counts["alarms"] == pytest.approx([240, 380])
    assert counts["false_alarms"] == pytest.approx([60, 80])


SOURCES = [
    ("operator", "Put in force by Ada since "),
    ("default", "Nobody has aimed it yet; this is the default: "),
    ("command line", "From the command line that started the service since "),
    ("tuner", "The tuner moved it here by feedback. It began at the aim put in force by Ada since"),
]


@pytest.mark.parametrize(("source", "lead"), SOURCES)
def test_where_the_aim_came_from(source: str, lead: str) -> None:
    service = StandIn()
    service.aim["source"] = source
    assert words(shown(service), "source").startswith(lead)


def test_a_calm_service() -> None:
    service = StandIn()
    page = shown(service, "viewer")
    assert (page["title"], page["warnings"]) == ("rocch service", [])
    assert words(page, "about") == (
        "library version 7 (after the February review) · rocch 0.1.0 · signed in as viewer"
    )
    assert words(page, "knob-hint") == "Only an operator can turn it."
    assert words(page, "feedback-words") == "None has come yet."
    assert words(page, "tuner-words").startswith("Off")
    assert words(page, "prevalence-words").endswith("Assumed: 10 to 20 %. The two agree.")
    assert dict(page["lists"]["conditions"]) == {
        "Share of positives": ["0.1..0.2"],
        "False alarm costs": ["1"],
        "Miss costs": ["5..10"],
        "Tuning by feedback": ["off"],
        "From": ["an operator"],
        "By": ["Ada"],
        "Since": [{"time": service.aim["at"]}],
        "Note": ["winter"],
    }
    assert page["events"] == {"feedback": [], "tuner": []}
    lanes = page["prevalence"]["lanes"]
    assert [lane["name"] for lane in lanes] == ["assumed", "estimated"]
    assert [spaced(tick) for tick in page["prevalence"]["ticks"]] == ["0 %", "12.5 %", "25 %"]
    assert lanes[0]["marks"][0]["left"] == pytest.approx(40)
    assert lanes[0]["marks"][0]["width"] == pytest.approx(40)


def test_a_service_with_troubles() -> None:
    service = StandIn()
    troubled(service)
    page = shown(service)
    assert page["title"] == "(2) rocch service"
    assert page["warnings"][0][0] == {"strong": "Warning: "}
    assert words(page, "prevalence-words") == (
        "Estimated: 27 % (25.2 to 29.1 %) from the last 5,000 rows, by the scores of gbm. "
        "Assumed: 10 to 20 %. The two do not agree."
    )
    assert words(page, "feedback-words").startswith(
        "41 events kept. Observed over 3,000 rows: FPR 21 %, TPR 87 %; expected: "
    )
    assert words(page, "tuner-words") == "It moves the knob: at 0.52 of the knob, in steps of 0.02."
    assert [event["what"] for event in page["events"]["feedback"]][:3] == [
        "outcomes, 500 rows.",
        "load.",
        "too many alarms.",
    ]
    assert page["events"]["tuner"][0]["what"] == "0.5 → 0.52."
    assert ["Waiting", ["version 8: its file is damaged"]] in page["lists"]["library"]


def test_without_decisions_or_an_estimate_there_are_words() -> None:
    service = StandIn()
    service.more["decisions"].update(total=1, per_minute=[0] * 60, alarms_per_minute=[0] * 60)
    service.more["prevalence"].update(assumed=None, estimated=None, interval=None, rows=12)
    page = shown(service)
    assert words(page, "minutes-words") == (
        "No decisions in the last hour; 1 decision since the start."
    )
    assert words(page, "prevalence-words") == (
        "The aim assumes no prevalence. No estimate yet: it takes more decided rows (12 so far)."
    )
    assert "at the evaluation rows' prevalence, 21 %" in words(page, "facts-note")
    assert page["prevalence"] is None
    assert page["minutes"]["most"] == "1"
    service.more["prevalence"].update(problem="no model scores rows")
    assert words(shown(service), "prevalence-words").endswith(" No model scores rows.")


def test_the_last_hour_is_counted_minute_by_minute() -> None:
    service = StandIn()
    rows, alarms = [0] * 57 + [1, 40, 220], [0] * 57 + [1, 10, 11]
    service.more["decisions"].update(per_minute=rows, alarms_per_minute=alarms)
    page = shown(service)
    assert words(page, "minutes-words").startswith("The last hour: 261 decisions, 22 alarms (8.4 %")
    minutes = page["minutes"]
    assert minutes["most"] == "250"
    assert minutes["rows"][-1] == pytest.approx(88)
    assert minutes["titles"][-3:] == [
        "2 minutes ago: 1 decision, 1 alarm",
        "1 minute ago: 40 decisions, 10 alarms",
        "this minute: 220 decisions, 11 alarms",
    ]


def test_the_form_has_every_field_of_a_question() -> None:
    assert sorted(LABELS) == sorted(about.name for about in Question.fields())
    html = "".join(form_html().values())
    for about in Question.fields():
        assert (f'id="aim-{about.name}"' in html) == (about.name != "randomize")
    page = page_files()["index.html"].content.decode()
    assert 'id="randomize"' in page
    assert "<!--" not in page
    assert VIEWER not in page


def test_what_changes_between_questions_is_written_as_it_is_typed() -> None:
    one = Question(prevalence=(0.1, 0.2), cost_ratio=(5, float("inf")))
    other = Question(knob=0.123456789, randomize=True)
    assert stated(one) == [
        ["Share of positives", "0.1..0.2"],
        ["A miss is this many times as bad", "5..inf"],
    ]
    assert changes(one, other) == [
        ["Share of positives", "0.1..0.2", "not stated"],
        ["A miss is this many times as bad", "5..inf", "not stated"],
        ["Knob", "not stated", "0.1235"],
        ["A coin may choose", "not stated", "yes"],
    ]
    assert changes(one, one) == []
    assert stated(Question(prevalence="observed", maximize="f1")) == [
        ["Share of positives", "observed"],
        ["Maximize", "f1"],
    ]
