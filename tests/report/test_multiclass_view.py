"""What the page on more than two classes shows before a script runs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from rocch.numbers import money
from rocch.report.multiclass import WeighedMembers
from rocch.report.multiclass_view import multiclass_view
from rocch.report.render import to_html
from rocch.report.sections import yours_of
from rocch.report.words import class_facts, class_label
from tests.support.many_reports import (
    ALL,
    fourteen_classes,
    given_counts,
    six_classes,
    stacked,
    strange,
    wine,
)

if TYPE_CHECKING:
    from rocch.report import Summary
    from rocch.report.summary import MulticlassData


def data_of(summary: Summary) -> MulticlassData:
    assert summary.multiclass is not None
    return summary.multiclass


def facts_of(data: MulticlassData, **changes: Any) -> dict[str, str]:
    models, classes = ([each.name for each in some] for some in (data.models, data.classes))
    changed = replace(data.answer, **changes)
    return class_facts(changed, data.members, models, classes, yours_of(data))


@pytest.mark.parametrize("make", ALL)
def test_the_headline_and_the_rest_are_the_sentence(make: Any) -> None:
    head, rest = multiclass_view(data_of(make()))["headline"]
    assert head + rest == make().sentence
    kind = "aimed at new cases" if make is stacked else "the cheapest choice on the evaluation rows"
    assert rest.startswith(f", {kind}. ")


@pytest.mark.parametrize("make", ALL)
def test_predictions_expected_among_1000_rows_are_tinted_where_they_are_wrong(make: Any) -> None:
    data = data_of(make())
    rows = multiclass_view(data)["per_1000"]
    assert [row["name"] for row in rows] == [each.name for each in data.classes]
    for k, row in enumerate(rows):
        for j, cell in enumerate(row["cells"]):
            kind = "wrong" if data.answer.per_1000[k][j] else "none"
            assert cell["kind"] == ("hit" if k == j else kind)
            assert 6 <= cell["heat"] <= 54  # text stays readable in both themes


def test_a_cost_has_its_standard_error_and_its_equals() -> None:
    notes = {
        0: "± 10",
        1: "± 10; 1 other costs as little",
        1234: "± 10; 1,234 others cost as little",
    }
    for equals, note in notes.items():
        facts = facts_of(data_of(wine()), standard_error=0.01, equals=equals)
        assert facts["cost-note"] == note


def test_facts_are_left_out_where_they_are_unknown() -> None:
    data = data_of(wine())
    assert data.answer.new_rows is not None
    facts = facts_of(data)
    low, high = (money(1000 * end) for end in (data.answer.new_rows.low, data.answer.new_rows.high))
    assert facts["new-rows-note"] == f"95%: {low} to {high}"
    assert facts["plain-note"] == "best of them: nb"
    assert {"plain", "new-rows"}.isdisjoint(facts_of(data_of(given_counts())))
    assert multiclass_view(data)["new_rows_remark"] == ""
    remark = multiclass_view(data_of(given_counts()))["new_rows_remark"]
    assert remark == (
        "The expected cost on new rows takes the probabilities of the rows themselves."
    )


def test_labels_name_the_rule_of_every_kind_of_member() -> None:
    data, other = data_of(wine()), data_of(given_counts())
    costs = tuple(cost for row in data.costs for cost in row)
    kinds = {
        (kind, own == costs): place
        for place, (kind, own) in enumerate(zip(data.members.rule, data.members.costs, strict=True))
    }
    names = ("class_0", "class_1", "class_2")

    def label(place: int) -> str:
        return class_label(data.members, place, ("nb", "nb"), names, (costs,))

    assert label(kinds["always", False]) == "always class_2"
    assert label(kinds["most_likely_class", False]) == "nb, most likely class"
    assert label(kinds["least_expected_cost", True]) == "nb, your costs"
    assert label(kinds["least_expected_cost", False]) == "nb, adjusted costs"
    assert class_label(other.members, 0, ("rules", "rules"), names, (costs,)) == "rules"


def test_names_cannot_turn_what_follows_them() -> None:
    members = data_of(wine()).members
    last = len(members.model) - 1
    assert class_label(members, last, (), ("a", "b", "c\u202e"), ()) == "always c\\u202e"


def test_costs_of_a_rule_are_parts_of_100_of_the_largest() -> None:
    data = data_of(wine())
    view = multiclass_view(data)
    assert view["rule_kind"] == "least_expected_cost"
    texts = [cell["text"] for row in view["own_costs"] for cell in row["cells"]]
    assert texts.count("100") == 1
    single = WeighedMembers(data.members, "ab", "xyz", data.costs, data.shares).describe(
        data.answer.always
    )
    always = multiclass_view(replace(data, answer=single))
    assert always["rule_kind"] == "always"
    assert {cell["text"] for row in always["own_costs"] for cell in row["cells"]} == {"0"}


def test_each_model_has_its_most_likely_classes_counted() -> None:
    judged = multiclass_view(data_of(wine()))["judged"]
    assert [each["name"] for each in judged] == ["nb", "stump"]
    counts = [cell["text"] for row in judged[0]["rows"] for cell in row["cells"]]
    confusion = data_of(wine()).models[0].confusion
    assert confusion is not None
    assert counts == [str(count) for row in confusion for count in row]
    assert judged[0]["calibration"].startswith("The probabilities are off by 0.0")
    assert multiclass_view(data_of(given_counts()))["judged"] == []


def test_the_surface_is_described_where_there_is_one() -> None:
    assert multiclass_view(data_of(wine()))["dominated"].endswith("every kind of error: its G.")
    assert multiclass_view(data_of(six_classes()))["dominated"].endswith("the miss rates: its G.")
    assert multiclass_view(data_of(fourteen_classes()))["dominated"] == ""
    data = data_of(wine())
    assert data.surface is not None
    kept = replace(data, surface=replace(data.surface, members=12_345))
    assert "34 members of the surface (kept of 12,345)" in multiclass_view(kept)["appendix"]
    assert (
        "0 members of the surface, rules"
        in multiclass_view(data_of(fourteen_classes()))["appendix"]
    )


def test_classes_are_grouped_where_curves_have_no_room() -> None:
    assert multiclass_view(data_of(fourteen_classes()))["groups"] == ["0 to 11", "12 to 13"]


def test_a_page_has_its_rule_and_its_tables_without_a_script() -> None:
    page = to_html(strange())
    assert "Predict the class to which &lt;img src=x" in page
    assert 'id="fact-cost">293<' in page
