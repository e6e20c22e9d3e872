"""One summary as a page and as Markdown: well formed, everything of users escaped, no network."""

from __future__ import annotations

import gzip
import json
import re
import sys
from base64 import b64decode
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import rocch
from rocch import Question
from rocch.numbers import chance
from rocch.plots.style import COLORS
from rocch.report import Summary, summarize_probabilities
from rocch.report import render as rendering
from rocch.report.parts import Code, Section, Table
from rocch.report.render import (
    BINARY_SCRIPTS,
    MULTICLASS_SCRIPTS,
    STYLES,
    embedded_json,
    page_file,
    plain,
    render,
    to_html,
    to_markdown,
)
from rocch.report.sections import about_surface
from rocch.report.summary import Standing
from tests.support import many_reports
from tests.support.asking import hull_of
from tests.support.many_reports import (
    STRANGE_CLASSES,
    drawn,
    fourteen_classes,
    given_counts,
    six_classes,
    stacked,
    wine,
)
from tests.support.reports import STRANGE_NAMES, binary, counts_only, fraud, multiclass, strange

VOID = {"meta", "input", "col", "br", "img", "link", "hr"}
LOADS = {"src", "srcset", "poster", "action", "formaction", "data", "background", "ping"}


class Reader(HTMLParser):
    """Reads a page: its elements, its texts, and whether every element is closed in turn."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.scripts: dict[str, str] = {}
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            self.scripts[self.elements[-1][1].get("id", str(len(self.scripts)))] = data
        elif self.open and self.open[-1] != "style":
            self.texts.append(data)

    @property
    def ids(self) -> list[str]:
        return [attributes["id"] for _, attributes in self.elements if "id" in attributes]


@pytest.fixture(
    params=[fraud, strange, counts_only, *many_reports.ALL],
    ids=lambda make: f"{make.__module__[-12:]} {make.__name__}",
)
def summary(request: pytest.FixtureRequest) -> Summary:
    made: Summary = request.param()
    return made


def test_a_page_is_well_formed(summary: Summary) -> None:
    page = to_html(summary)
    read = Reader(page)
    assert page.startswith("<!DOCTYPE html>")
    assert read.open == []
    assert len(read.ids) == len(set(read.ids))


def test_same_summary_same_bytes(summary: Summary) -> None:
    assert to_html(summary) == to_html(summary)


def test_plotly_is_packed_to_the_same_bytes() -> None:
    first = rendering.packed_plotly()
    rendering.packed_plotly.cache_clear()
    assert rendering.packed_plotly() == first


def test_the_embedded_json_is_the_summary() -> None:
    embedded = json.loads(Reader(to_html(fraud())).scripts["summary"])
    assert embedded["sentence"] == fraud().sentence
    assert embedded["question"]["false_negative"] == [3, 9]
    assert tuple(embedded["binary"]["hull"]["threshold"]) == binary(fraud()).hull.threshold


def test_plotly_is_packed_whole() -> None:
    from plotly.offline import get_plotlyjs

    packed = Reader(to_html(fraud())).scripts["plotly"]
    assert gzip.decompress(b64decode(packed)).decode() == get_plotlyjs()


def test_every_script_is_ours_and_comes_before_plotly() -> None:
    read = Reader(to_html(strange()))
    scripts = [attributes for tag, attributes in read.elements if tag == "script"]
    kinds = [attributes.get("type", "run") for attributes in scripts]
    running = ["run"] * len(BINARY_SCRIPTS)
    assert kinds == [*["application/json"] * 2, *running, "application/octet-stream"]
    assert [each["id"] for each in scripts[:2]] == ["summary", "figures"]
    assert scripts[-1]["id"] == "plotly"


def test_strange_names_stay_text() -> None:
    page = to_html(strange())
    read = Reader(page)
    texts = "".join(read.texts)
    assert STRANGE_NAMES[1] in texts  # the title
    names = [each["name"] for each in json.loads(read.scripts["summary"])["binary"]["classifiers"]]
    assert set(names) == set(STRANGE_NAMES)
    for name in STRANGE_NAMES[:2]:
        assert name not in page
    assert "{{ 7*7 }}" in texts
    assert not any(tag == "b" for tag, _ in read.elements)
    assert not any(attributes.get("href", "#")[0] != "#" for _, attributes in read.elements)


def test_a_name_that_utf_8_cannot_write_does_not_stop_the_report() -> None:
    page = render(replace(fraud(), title="half \ud83e a fox"), "html")
    assert "half ? a fox" in page


def test_nothing_is_loaded_from_the_network(summary: Summary) -> None:
    read = Reader(to_html(summary))
    for tag, attributes in read.elements:
        assert tag not in ("link", "iframe", "img", "object", "embed", "base")
        assert not LOADS & set(attributes)
    for name in STYLES:
        assert "url(" not in page_file(name)
        assert "@import" not in page_file(name)
    for name in {*BINARY_SCRIPTS, *MULTICLASS_SCRIPTS}:
        addresses = set(re.findall(r"https?://[^\"'`\s]+", page_file(name)))
        assert addresses <= {"http://www.w3.org/2000/svg"}  # a namespace's name
        assert not re.search(
            r"\b(fetch|XMLHttpRequest|WebSocket|sendBeacon|eval)\b", page_file(name)
        )
        assert "innerHTML" not in page_file(name)


def test_a_policy_forbids_what_is_not_needed() -> None:
    elements = Reader(to_html(fraud())).elements
    (policy,) = [a["content"] for _, a in elements if "http-equiv" in a]
    for rule in (
        "default-src 'none'",
        "connect-src 'none'",
        "form-action 'none'",
        "base-uri 'none'",
    ):
        assert rule in policy
    assert "unsafe-eval" not in policy
    sources = policy.partition("script-src ")[2].partition(";")[0].split()
    assert all(re.fullmatch(r"'sha256-[A-Za-z0-9+/]{43}='", source) for source in sources)


def test_every_control_has_a_label(summary: Summary) -> None:
    elements = Reader(to_html(summary)).elements
    named = {attributes.get("for") for tag, attributes in elements if tag == "label"}
    for tag, attributes in elements:
        within = attributes.get("type") in ("checkbox", "radio")  # these lie in their labels
        if tag in ("input", "select") and not within and "aria-label" not in attributes:
            assert attributes["id"] in named


def test_the_sentence_is_painted_before_any_script(summary: Summary) -> None:
    page = to_html(summary)
    texts = "".join(Reader(page).texts)
    assert summary.sentence in texts
    assert page.index('id="sentence"') < page.index("<script")


def test_a_drawing_is_painted_before_any_script() -> None:
    page = to_html(fraud())
    assert page.index('id="sketch-answer"') < page.index("<script")
    assert '<polyline class="hull"' in to_html(wine())


def test_what_was_assumed_stands_below_the_sentence() -> None:
    page = to_html(replace(fraud(), assumed="<nothing>"))
    assert 'id="assumed">Assumed: &lt;nothing&gt;.</p>' in page


@pytest.mark.parametrize(
    "section",
    [
        "recommendation",
        "roc",
        "winners",
        "sensitivity",
        "costs",
        "losses",
        "certainty",
        "shape",
        "deploy",
        "appendix",
    ],
)
def test_sections_are_there(section: str) -> None:
    assert section in Reader(to_html(fraud())).ids


def changed(**fields: Any) -> Summary:
    """Return a summary whose data have other fields."""
    return replace(fraud(), binary=replace(binary(fraud()), **fields))


def test_what_is_known_is_shown() -> None:
    certainty, losses = binary(fraud()).certainty, binary(fraud()).losses
    assert certainty is not None
    assert losses is not None
    rivals = (Standing("bayes", 0.125), Standing("nobody", 0.0))
    read = Reader(to_html(changed(certainty=replace(certainty, rivals=rivals))))
    texts = "".join(read.texts)
    assert {"bands-chart", "aucs-chart", "band"} <= set(read.ids)
    assert "13%" in texts
    assert "nobody" not in texts
    write = rendering._environment().filters["signed"]
    assert write(certainty.differences[0].difference) in texts
    assert write(losses.pairs[0].lc_index) in texts


def test_what_is_unknown_is_left_out_with_a_reason() -> None:
    read = Reader(to_html(changed(certainty=None, losses=None)))
    texts = "".join(read.texts)
    assert not {"bands-chart", "aucs-chart", "band"} & set(read.ids)
    assert "Not available: the report was made from counts" in texts
    assert "no pairs were compared" in texts


def test_a_page_of_a_fitted_model_says_what_is_cheapest_on_its_rows() -> None:
    page, markdown = to_html(stacked()), to_markdown(stacked())
    for text in (page, markdown):
        assert "On the evaluation rows alone, the cheapest choice would be" in text
        assert "aimed at new cases" in text


def test_warnings_and_remarks_are_shown() -> None:
    made = replace(fraud(), warnings=("Beware.",), remarks=("Take care.",))
    texts = "".join(Reader(to_html(made)).texts)
    assert "Beware." in texts
    assert "Take care." in texts
    assert "Nothing looks wrong" in "".join(Reader(to_html(replace(made, warnings=()))).texts)


def test_json_has_nothing_that_html_reads() -> None:
    text = embedded_json({"name": "</script><!-- & \u2028"})
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == {"name": "</script><!-- & \u2028"}


def test_json_refuses_what_is_no_number() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        embedded_json({"cost": float("nan")})


def test_colors_are_those_of_the_other_pictures() -> None:
    variables = dict(
        re.findall(r"--(c\d): (#[0-9a-f]{6})", page_file("theme.css").split("@media")[0])
    )
    assert [variables[f"c{i}"].upper() for i in range(8)] == list(COLORS)


def test_differences_have_a_sign() -> None:
    write = rendering._environment().filters["signed"]
    assert [write(x) for x in (0.25, 0.0, -0.0312)] == ["+0.250", "+0.000", "\N{MINUS SIGN}0.031"]


def test_small_p_values_are_only_said_to_be_small() -> None:
    assert [chance(p) for p in (0.00099, 0.001, 0.25)] == ["< 0.001", "0.001", "0.250"]


@pytest.mark.parametrize("package", ["jinja2", "plotly.offline"])
def test_without_the_extra_an_error_says_how_to_get_it(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rendering._environment.cache_clear()
    rendering.packed_plotly.cache_clear()
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(rocch.MissingExtraError, match=r"Writing a report.*rocch\[report\]"):
        to_html(fraud())


def ids(make: Callable[[], Summary]) -> set[str]:
    return set(Reader(to_html(make())).ids)


def test_sections_on_many_classes_are_there_where_there_is_something_to_say() -> None:
    everything = {"trade-offs", "surface", "suggestions", "curves", "aucs", "deploy", "appendix"}
    assert everything <= ids(wine)
    assert {"surface", "curves"} & ids(given_counts) == {"surface"}
    assert {"surface", "group"} & ids(fourteen_classes) == {"group"}
    assert "cost-0-1" in ids(six_classes)
    assert "cost-0-1" not in ids(fourteen_classes)


def test_counts_are_painted_before_any_script() -> None:
    page = to_html(wine())
    assert re.search(r'<td class="none"[^>]*>0</td>', page)


def test_names_of_classes_stay_text() -> None:
    page = to_html(many_reports.strange())
    read = Reader(page)
    assert "<script>alert(1)" not in page
    assert not any(tag == "img" for tag, _ in read.elements)
    text = "".join(read.texts)
    assert all(name in text for name in STRANGE_CLASSES)
    classes = json.loads(read.scripts["summary"])["multiclass"]["classes"]
    assert [each["name"] for each in classes] == list(STRANGE_CLASSES)


def test_a_page_is_small() -> None:
    assert len(to_html(wine()).encode()) < 6_000_000


# ---- Markdown

ODD = (
    "<script>alert(1)</script>",
    "a|b",
    "`code` ```fence```",
    "two\nlines\r\n# heading",
    "*bold* _thin_ ~~gone~~",
    "[link](https://example.org)",
    "![image](x.png)",
    "&lt;b&gt; &copy;",
    "back\\slash\\",
    "\N{FOX FACE} fox",
)
PUNCTUATION = re.compile(r"\\([!-/:-@\[-`{-~])")
MARKS = re.compile(r"(?<!\\)(?:\\\\)*[`*_{}\[\]<>#|~&]")


def odd(question: Any = None, **options: Any) -> str:
    rng = np.random.default_rng(1)
    y = rng.random(200) < 0.4
    scores = {name: rng.normal(size=200) + (1 + i % 3) * y for i, name in enumerate(ODD)}
    hull = rocch.RocHull.from_scores(y, scores)
    made = rocch.report.summarize(hull, question, **{"resamples": 0, "title": ODD[0], **options})
    return to_markdown(made)


def outside_code(text: str) -> list[str]:
    """Return the lines that Markdown reads as text, without fenced code."""
    lines, fence = [], ""
    for line in text.split("\n"):
        opened = re.match(r"`{3,}", line)
        if fence:
            fence = "" if line == fence else fence
        elif opened:
            fence = opened[0]
        else:
            lines.append(line)
    assert fence == ""
    return lines


@pytest.mark.parametrize("name", ODD)
def test_no_mark_is_left_and_nothing_is_lost(name: str) -> None:
    safe = plain(name)
    assert not MARKS.search(safe)
    assert "\n" not in safe
    assert PUNCTUATION.sub(r"\1", safe) == " ".join(name.split())


def test_strange_names_make_no_markup() -> None:
    vague = Question(prevalence=0.3, false_positive=1, false_negative=(1, 9), randomize=True)
    for text in (odd(), odd(vague), odd(Question(cost_ratio=(1, 9), likely=2))):
        for line in outside_code(text):
            bare = line.strip("*") if line.startswith("*") else line.lstrip("#")
            bare = re.sub(r"(?<!\\)((?:\\\\)*) \| |^\| | \|$", r"\1 ", bare)  # a table's own lines
            bare = re.sub(r"(?<!\\)((?:\\\\)*) \| ", r"\1 ", bare)
            assert not MARKS.search(bare), line


def cells(row: str) -> int:
    return len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) - 1


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"question": Question(cost_ratio=(1, 9))},
        {"question": Question(max_fpr=0.1)},
        {"resamples": 100},
    ],
)
def test_tables_have_as_many_cells_in_every_row(given: Any) -> None:
    lines, tables = outside_code(odd(**given)), 0
    for i, line in enumerate(lines):
        if set(line) <= set("|-: ") and line.startswith("|"):
            tables += 1
            assert lines[i - 2] == ""
            columns = cells(lines[i - 1])
            assert columns == cells(line) > 1
            below = lines[i + 1 :]
            rows = below[: below.index("")]
            assert rows
            assert {cells(row) for row in rows} == {columns}
    assert tables >= 3


def test_the_parts_come_in_order() -> None:
    text = odd()
    heads = [line for line in outside_code(text) if line.startswith("#")]
    assert heads[0] == r"# \<script\>alert(1)\</script\>"
    assert heads[1:] == [
        "## Warnings and remarks",
        "## What it saves",
        "## Referring cases to a person",
        "## Which classifier, for any costs",
        "## Classifiers",
        "## Which costs less",
        "## Uncertainty",
        "## How to use it",
        "## All vertices of the hull",
    ]
    assert text.endswith("*\n")
    assert "\n\n\n" not in text


def composed(*parts: Any) -> str:
    made = replace(fraud(), title="T", sentence="S.", assumed="A", about="B.")
    return to_markdown(replace(made, rocch="1", sections=(Section("X", parts),)))


def test_columns_of_numbers_are_flush_right() -> None:
    table = Table((">much", "what"), (("1", "a|b"), ("22", "c")))
    assert composed(table, "- a *thing*") == (
        "# T\n\n**S.**\n\nAssumed: A. B.\n\n## X\n\n| much | what |\n| ---: | --- |\n"
        "| 1 | a\\|b |\n| 22 | c |\n\n- a \\*thing\\*\n\n*Made with rocch 1.*\n"
    )


def test_code_is_fenced_by_more_backticks_than_it_holds() -> None:
    assert "\n`````sql\na ```` b\n`````\n" in composed(Code("sql", "a ```` b"))


@pytest.mark.parametrize("seed", range(5))
def test_hulls_of_every_kind_can_be_written(seed: int) -> None:
    known = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=(2, 4))
    made = rocch.report.summarize(hull_of(seed), known, resamples=0)
    assert plain(made.sentence) in to_markdown(made)


def test_markdown_says_what_the_summary_says() -> None:
    found = to_markdown(wine())
    assert found.startswith("# Wine\n\n**Use nb")
    for text in ("## What is known", "| class\\_0 | 0 | 10 | 1 |", "all pairs of classes (M)"):
        assert text in found
    assert "## Model stump" in found
    assert "## How to use it" in found


def test_parts_that_are_not_known_are_left_out() -> None:
    assert "## Model" not in to_markdown(given_counts())
    assert not any("surface: " in remark for remark in fourteen_classes().remarks)
    assert any(", G " in remark for remark in wine().remarks)
    assert "surface" not in wine().about


def test_one_member_is_not_several() -> None:
    made = multiclass(wine())
    assert made.surface is not None
    for members, words in ((1, "1 member by "), (2, "2 members by ")):
        surface = replace(made.surface, members=members)
        assert words in about_surface(replace(made, surface=surface))


@pytest.mark.parametrize("make", many_reports.ALL)
def test_tables_on_classes_have_as_many_cells_as_names(make: Callable[[], Summary]) -> None:
    width = 0
    for line in to_markdown(make()).replace("\\|", "/").splitlines():
        if not line.startswith("|"):
            width = 0
            continue
        width = width or line.count("|")
        assert line.count("|") == width, line


def test_names_of_classes_stay_text_in_markdown() -> None:
    found = to_markdown(many_reports.strange()).split("## How to use it")[0]
    assert "<script>" not in found
    assert "\\</script\\>\\<script\\>alert(1)" in found


def test_areas_without_intervals_are_told_alone() -> None:
    labels, posteriors = drawn(3, 40)
    single = [2, *(0 if label == 2 else label for label in labels[1:])]
    found = to_markdown(summarize_probabilities(single, posteriors, generations=0))
    assert re.search(r"\| macro \| 0\.\d{4} \|  \|", found)
