"""What the page shows is worded and counted here, not in the page."""

from __future__ import annotations

from typing import Any

import pytest

from rocch import Question
from rocch.numbers import money
from rocch.service.app import page_files
from rocch.service.page import (
    LABELS,
    expected_counts,
    form_html,
    label_fields,
    list_changes,
    make_page,
    write_rates,
)
from rocch.service.pictures import hull_pictures, percent, span, whole
from tests.support.service_stand_in import VIEWER, StandIn, troubled


def spaced(text: str) -> str:
    """Return a text whose numbers and units are apart."""
    return text.replace("\u00a0", " ")


def shown(service: StandIn, role: str = "operator") -> Any:
    return make_page(service.status(role), service.question)


def terms(page: Any, name: str) -> dict[str, Any]:
    """Return a list of descriptions by its terms."""
    return {term[2]: parts for _, _, term, (_, _, *parts) in page["parts"][name]}


def words(page: Any, name: str) -> str:
    return spaced("".join(str(part) for part in page["parts"][name]))


@pytest.mark.parametrize(
    ("share", "written"),
    [
        (0.99999999, "99.999999%"),
        (0.9996, "99.96%"),
        (1, "100%"),
        (0.123456, "12%"),
        (0.00004, "0.004%"),
        (0, "0%"),
    ],
)
def test_shares_have_sensible_digits(share: float, written: str) -> None:
    assert spaced(percent(share)) == written
    assert " " not in percent(share)  # number and unit stay on one line


def test_intervals_whose_ends_read_alike_are_one_number() -> None:
    assert spaced(span((0.1, 0.2), percent)) == "10 to 20%"
    assert spaced(span((0.1, 0.1001), percent)) == "10%"
    assert span((1234.4, 1234.4), whole) == "1,234"
    assert spaced(write_rates({"fpr": None, "tpr": 0.5})) == "TPR 50%"


def test_counts_are_those_of_1000_cases_at_either_end() -> None:
    counts = expected_counts({"fpr": 0.1, "tpr": 0.8}, (0.2, 0.4))
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
    assert (page["title"], page["parts"]["warnings"]) == ("rocch service", [])
    assert words(page, "about") == (
        "model version 7 (after the February review) · rocch 0.1.0 · signed in as viewer"
    )
    assert words(page, "knob-hint") == "Only an operator can turn it."
    assert words(page, "feedback-words") == "None has come yet."
    assert words(page, "tuner-words").startswith("Off")
    assert words(page, "prevalence-words").endswith("Assumed: 10 to 20%. The two agree.")
    assert terms(page, "conditions") == {
        "Share of positives": ["0.1..0.2"],
        "False alarm costs": ["1"],
        "Miss costs": ["5..10"],
        "Tuning by feedback": ["off"],
        "From": ["an operator"],
        "By": ["Ada"],
        "Since": [{"time": service.aim["at"]}],
        "Note": ["winter"],
    }
    assert page["parts"]["feedback"] == page["parts"]["tuner"] == []
    *lanes, (_, _, *ticks) = page["parts"]["prevalence"]
    assert [lane[2][2] for lane in lanes] == ["assumed", "estimated"]
    assert [spaced(tick[2]) for tick in ticks] == ["0%", "12.5%", "25%"]
    assumed = lanes[0][3][2][1]
    assert (assumed["x"], assumed["width"]) == ("40.000%", "40.000%")


def test_a_service_with_troubles() -> None:
    service = StandIn()
    troubled(service)
    page = shown(service)
    assert page["title"] == "(2) rocch service"
    assert page["parts"]["warnings"][0][2] == {"strong": "Warning: "}
    assert words(page, "prevalence-words") == (
        "Estimated: 27% (25.2 to 29.1%) from the last 5,000 rows, by the scores of gbm. "
        "Assumed: 10 to 20%. The two do not agree."
    )
    assert words(page, "feedback-words").startswith(
        "41 events kept. Observed over 3,000 rows: FPR 21%, TPR 87%; expected: "
    )
    assert words(page, "tuner-words") == "It moves the knob: at 0.52 of the knob, in steps of 0.02."
    happened = [(event[1], event[3][2]["strong"]) for event in page["parts"]["feedback"]]
    assert happened[:3] == [
        ({"class": "moved"}, "outcomes, 500 rows."),
        ({}, "load."),
        ({}, "too many alarms."),
    ]
    assert page["parts"]["tuner"][0][3][2] == {"strong": "0.5 → 0.52."}
    assert terms(page, "model")["Waiting"] == ["version 8: its file is damaged"]


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
    assert "at the evaluation rows' prevalence, 21%" in words(page, "facts-note")
    assert page["parts"]["prevalence"] == []
    assert page["parts"]["minutes"][0][2] == ["span", {}, "1"]
    service.more["prevalence"].update(problem="no model scores rows")
    assert words(shown(service), "prevalence-words").endswith(" No model scores rows.")


def test_the_facts_say_what_the_rule_saves() -> None:
    service = StandIn()
    costs: Any = {"prevalence": 0.2, "false_positive": 1, "false_negative": 5}
    stated = Question(**costs, currency="EUR", cases_per_month=3000)
    service.aim["question"] = stated.to_dict()
    saves, about = terms(shown(service), "facts")["Saves on new rows"]
    first = service.point_of(service.question).savings().rows[0]
    assert saves == f"{money(first.saves)} EUR"
    assert first.baseline in str(about)
    assert "per month, against" in str(about)
    vague = Question(prevalence=0.2, false_positive=(1, 2), false_negative=5, currency="EUR")
    service.aim["question"] = vague.to_dict()
    facts, point = terms(shown(service), "facts"), service.point_of(service.question)
    least, most = map(money, point.savings().rows[0].saves_range or ())
    assert facts["Saves on new rows"][0] == f"{least} to {most} EUR"
    assert " to " in facts["Cost on new rows"][0]
    service.aim["question"] = {"max_fpr": 0.1}
    assert "Saves on new rows" not in terms(shown(service), "facts")


def test_the_last_hour_is_counted_minute_by_minute() -> None:
    service = StandIn()
    rows, alarms = [0] * 57 + [1, 40, 220], [0] * 57 + [1, 10, 11]
    service.more["decisions"].update(per_minute=rows, alarms_per_minute=alarms)
    page = shown(service)
    assert words(page, "minutes-words").startswith("The last hour: 261 decisions, 22 alarms (8.4%")
    scale, (_, _, *bars) = page["parts"]["minutes"]
    assert scale[2] == ["span", {}, "250"]
    assert len(bars) == 120
    assert bars[-2][1]["height"] == pytest.approx(88)
    assert [bar[2][2] for bar in bars[-5::2]] == [
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
    assert label_fields(one) == {
        "Share of positives": "0.1..0.2",
        "A miss is this many times as bad": "5..inf",
    }
    assert list_changes(one, other) == [
        ["Share of positives", "0.1..0.2", "not stated"],
        ["A miss is this many times as bad", "5..inf", "not stated"],
        ["Knob", "not stated", "0.1235"],
        ["A coin may choose", "not stated", "yes"],
    ]
    assert list_changes(one, one) == []
    assert label_fields(Question(prevalence="observed", maximize="f1")) == {
        "Share of positives": "observed",
        "Maximize": "f1",
    }


def test_the_hull_is_drawn_with_its_names_and_looks() -> None:
    names = [f"a classifier with a long name {place}" for place in range(9)]
    vertices = [
        {"fpr": fpr, "tpr": tpr, "knob": (fpr + tpr) / 2, "classifier": name, "words": name}
        for fpr, tpr, name in (
            (0.0, 0.0, "never"),
            (0.1, 0.5, names[0]),
            (0.2, 0.7, names[8]),
            (0.21, 0.71, names[1]),  # no room for its name
            (1.0, 1.0, names[0]),
        )
    ]
    pictures = hull_pictures(vertices, names)
    points = pictures["hull-points"]
    dots = [attributes for tag, attributes, *_ in points if tag == "circle"]
    assert [dot["class"] for dot in dots] == [
        "vertex trivial",
        "vertex k0",
        "vertex k0 h1",
        "vertex k1",
        "vertex k0",
    ]
    texts = [node[2] for node in points if node[0] == "text"]
    assert texts == ["a classif…ng name 0", "a classif…ng name 8"]
    assert [spaced(node[4]) for node in pictures["legend"]] == [" 2 marks", " 1 mark", " 1 mark"]
    assert pictures["knob-marks"][1][1]["x"] == "30.000%"
