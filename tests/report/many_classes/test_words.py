from __future__ import annotations

from rocch.hybrid import MulticlassRule
from rocch.report.many_classes import words
from rocch.report.many_classes.question import CostQuestion
from rocch.report.many_classes.summary import Members

CLASSES = ("cat's", 'd"g', "eel")
OWN = (0.0, 3.0, 0.25, 1.0, 0.0, 1e-05, 2.0, 0.5, 0.0)
FLAT = (0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0)
MEMBERS = Members(
    (0, 0, 1, -3), (0, -1, -1, -1), ((1,) * 9,) * 4, (OWN, FLAT, None, None), ("k 5", "", "", "")
)
MODELS = ("my\nmodel", "rules")
ASKED = CostQuestion(
    classes=CLASSES, costs=((0, 3, 0.25), (1, 0, 1e-05), (2, 0.5, 0)), shares=(0.5, 0.25, 0.25)
)
OTHER = CostQuestion(
    classes=CLASSES, costs=((0, 1, 1), (1, 0, 1), (1, 1, 0)), shares=(0.5, 0.25, 0.25)
)


def test_what_to_use_is_an_order() -> None:
    assert words.use(MEMBERS, 0, MODELS, ASKED) == "Use my\nmodel (k 5), answering by your costs"
    assert words.use(MEMBERS, 0, MODELS, OTHER).endswith("answering by the costs of this rule")
    assert words.use(MEMBERS, 1, MODELS, OTHER) == "Use my\nmodel's most likely class"
    assert words.use(MEMBERS, 2, MODELS, OTHER) == "Use rules's own answers"
    assert words.use(MEMBERS, 3, MODELS, OTHER) == "Always answer eel"


def test_misses_are_told_of_few_classes_and_of_the_worst_of_many() -> None:
    assert words.misses((0.5, 0.0, 0.031), ("a", "b", "c")) == "misses 50 of 100 a and 3.1 of 100 c"
    assert words.misses((0.0, 0.0), ("a", "b")) == "misses none"
    many = words.misses((0.1, 0.4, 0.0, 0.3, 0.3), tuple("abcde"))
    assert many == "misses at worst 40 of 100 b, 30 of 100 d and 30 of 100 e"
    assert words.misses((0.1, 0.0, 0.0, 0.0, 0.0), tuple("abcde")) == "misses at worst 10 of 100 a"


def test_costs_are_read_as_parts_of_the_largest() -> None:
    assert words.relative((0.0, 0.5, 2.0, 0.0)) == ("0", "25", "100", "0")
    assert words.relative((0.0, 0.0)) == ("0", "0")


def test_members_predict_by_the_rules_of_their_costs() -> None:
    rules = [words.rule_of(MEMBERS, place, MODELS, CLASSES) for place in range(4)]
    assert rules == [
        MulticlassRule(CLASSES, "my\nmodel", OWN),
        MulticlassRule(CLASSES, "my\nmodel", FLAT),
        MulticlassRule(CLASSES, "rules"),
        MulticlassRule(CLASSES, always="eel"),
    ]
