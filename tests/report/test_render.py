"""The page as a text: well formed, everything of the user's escaped, nothing from the network."""

from __future__ import annotations

import gzip
import json
import re
import sys
from base64 import b64decode
from dataclasses import asdict, replace
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import pytest

import rocch
from rocch.numbers import chance
from rocch.plots.style import COLORS
from rocch.report import html
from rocch.report.html import SCRIPTS, as_json, page_file, render, signed
from rocch.report.question import Range
from rocch.report.summary import Honest, Rival
from tests.support.reports import STRANGE_NAMES, counts_only, fraud, strange

if TYPE_CHECKING:
    from rocch.report import Summary

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


@pytest.fixture(params=[fraud, strange, counts_only], ids=["fraud", "strange", "counts"])
def summary(request: pytest.FixtureRequest) -> Summary:
    made: Summary = request.param()
    return made


def test_a_page_is_well_formed(summary: Summary) -> None:
    page = render(summary)
    read = Reader(page)
    assert page.startswith("<!DOCTYPE html>")
    assert read.open == []
    assert len(read.ids) == len(set(read.ids))


def test_same_summary_same_bytes(summary: Summary) -> None:
    first = render(summary)
    html.packed_plotly.cache_clear()
    assert render(summary) == first


def test_the_embedded_json_is_the_summary() -> None:
    embedded = json.loads(Reader(render(fraud())).scripts["summary"])
    assert embedded["answer"]["sentence"] == fraud().answer.sentence
    assert embedded["question"]["false_negative"] == [3, 9]
    assert tuple(embedded["hull"]["threshold"]) == fraud().hull.threshold


def test_plotly_is_packed_whole() -> None:
    from plotly.offline import get_plotlyjs

    packed = Reader(render(fraud())).scripts["plotly"]
    assert gzip.decompress(b64decode(packed)).decode() == get_plotlyjs()


def test_every_script_is_ours_and_comes_before_plotly() -> None:
    read = Reader(render(strange()))
    scripts = [attributes for tag, attributes in read.elements if tag == "script"]
    kinds = [attributes.get("type", "run") for attributes in scripts]
    running = ["run"] * (1 + len(SCRIPTS))
    assert kinds == ["application/json", *running, "application/octet-stream"]
    assert scripts[-1]["id"] == "plotly"


def test_strange_names_stay_text() -> None:
    page = render(strange())
    read = Reader(page)
    texts = "".join(read.texts)
    assert STRANGE_NAMES[1] in texts  # the title
    names = [each["name"] for each in json.loads(read.scripts["summary"])["classifiers"]]
    assert set(names) == set(STRANGE_NAMES)
    for name in STRANGE_NAMES[:2]:
        assert name not in page
    assert "49" not in texts
    assert not any(tag == "b" for tag, _ in read.elements)
    assert not any(attributes.get("href", "#")[0] != "#" for _, attributes in read.elements)


def test_a_name_that_utf_8_cannot_write_does_not_stop_the_report() -> None:
    page = render(replace(fraud(), title="half \ud83e a fox"))
    assert "half ? a fox" in page


def test_nothing_is_loaded_from_the_network(summary: Summary) -> None:
    read = Reader(render(summary))
    for tag, attributes in read.elements:
        assert tag not in ("link", "iframe", "img", "object", "embed", "base")
        assert not LOADS & set(attributes)
    styled = page_file("page.css")
    assert "url(" not in styled
    assert "@import" not in styled
    for name in ("shell.js", *SCRIPTS):
        addresses = set(re.findall(r"https?://[^\"'`\s]+", page_file(name)))
        assert addresses <= {"http://www.w3.org/2000/svg"}  # a namespace's name
        assert not re.search(
            r"\b(fetch|XMLHttpRequest|WebSocket|sendBeacon|eval)\b", page_file(name)
        )
        assert "innerHTML" not in page_file(name)


def test_a_policy_forbids_what_is_not_needed() -> None:
    elements = Reader(render(fraud())).elements
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


def test_every_control_has_a_label() -> None:
    elements = Reader(render(fraud())).elements
    named = {attributes.get("for") for tag, attributes in elements if tag == "label"}
    for tag, attributes in elements:
        within = attributes.get("type") in ("checkbox", "radio")  # these lie in their labels
        if tag in ("input", "select") and not within:
            assert attributes["id"] in named


def test_the_sentence_is_painted_before_any_script() -> None:
    page = render(fraud())
    texts = "".join(Reader(page).texts)
    assert fraud().answer.sentence in texts
    assert page.index('id="sketch-answer"') < page.index("<script")


def test_what_was_assumed_stands_below_the_sentence() -> None:
    known: dict[str, Any] = {"headline": ("Use it", ""), "auc_intervals": False, "sketch": ""}
    said = {**asdict(fraud()), "assumed": "Taken for granted: <nothing>."}
    page = html.fill("two_classes.html.j2", said, (), **known)
    assert 'id="assumed">Taken for granted: &lt;nothing&gt;.</p>' in page
    del said["assumed"]
    assert 'id="assumed"></p>' in html.fill("two_classes.html.j2", said, (), **known)


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
    assert section in Reader(render(fraud())).ids


def test_what_is_known_is_shown() -> None:
    certainty, losses = fraud().certainty, fraud().losses
    assert certainty is not None
    assert losses is not None
    rivals = (Rival("bayes", 0.125), Rival("nobody", 0.0))
    honest = Honest(0.1, 0.2, Range(0.1, 0.3), 0.8, rivals, "Expect a cost of 20.")
    read = Reader(render(replace(fraud(), certainty=replace(certainty, honest=honest))))
    texts = "".join(read.texts)
    assert {"bands-chart", "aucs-chart", "band"} <= set(read.ids)
    assert honest.sentence in texts
    assert "13 %" in texts
    assert "nobody" not in texts
    assert signed(certainty.differences[0].difference) in texts
    assert signed(losses.pairs[0].lc_index) in texts


def test_what_is_unknown_is_left_out_with_a_reason() -> None:
    bare = replace(fraud(), certainty=None, losses=None)
    read = Reader(render(bare))
    texts = "".join(read.texts)
    assert not {"bands-chart", "aucs-chart", "band"} & set(read.ids)
    assert "Left out: that takes the rows themselves" in texts
    assert "No pairs were compared" in texts


def test_warnings_are_shown_or_their_absence() -> None:
    assert "Beware." in "".join(Reader(render(replace(fraud(), warnings=("Beware.",)))).texts)
    assert "Nothing looks wrong" in "".join(Reader(render(replace(fraud(), warnings=()))).texts)


def test_json_has_nothing_that_html_reads() -> None:
    text = as_json({"name": "</script><!-- & \u2028"})
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == {"name": "</script><!-- & \u2028"}


def test_json_refuses_what_is_no_number() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        as_json({"cost": float("nan")})


def test_colors_are_those_of_the_other_pictures() -> None:
    listed = re.findall(r'"(#[0-9A-F]{6})"', page_file("looks.js"))
    assert tuple(listed) == COLORS
    variables = dict(
        re.findall(r"--(c\d): (#[0-9a-f]{6})", page_file("page.css").split("@media")[0])
    )
    assert [variables[f"c{i}"].upper() for i in range(8)] == list(COLORS)


def test_differences_have_a_sign() -> None:
    assert [signed(x) for x in (0.25, 0.0, -0.0312)] == ["+0.250", "+0.000", "\N{MINUS SIGN}0.031"]


def test_small_p_values_are_only_said_to_be_small() -> None:
    assert [chance(p) for p in (0.00099, 0.001, 0.25)] == ["< 0.001", "0.001", "0.250"]


@pytest.mark.parametrize("package", ["jinja2", "plotly.offline"])
def test_without_the_extra_an_error_says_how_to_get_it(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    html._environment.cache_clear()
    html.packed_plotly.cache_clear()
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(rocch.MissingExtraError, match=r"Writing a report.*rocch\[report\]"):
        render(fraud())
