"""How to deploy an answer: the texts of its rule, and of every rule that a page can choose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocch.errors import escape_controls
from rocch.hybrid.coin import SqlWriter
from rocch.hybrid.rule import STACK, AtLeast, Constant, Predicts, Rule, StackAtLeast
from rocch.hybrid.rule_templates import COIN_DIALECT, RuleTemplates, shown_texts
from rocch.report.summary import Condition, Deployment, LabelTexts

if TYPE_CHECKING:
    from rocch.hybrid.rule import Expression
    from rocch.report.source import Source
    from rocch.report.summary import Answer, Part, Settings


def deployment(source: Source, answer: Answer, settings: tuple[Settings, ...]) -> Deployment:
    """Write the rule of an answer, and what the rules of all these settings are made of."""
    negative, positive = source.labels
    templates = rule_templates(source, settings).to_dict()
    texts = ("words", "python", "sql", "coin_sql")
    return Deployment(
        **shown_texts(rule_of(source, answer)),
        positive=_label(positive),
        negative=_label(negative),
        coin_python=templates["python"]["coin"][0].removesuffix("\nalarm = np.where(coin < "),
        coin_sql=SqlWriter.of(COIN_DIALECT, {}).coin(source.row_key, source.seed),
        conditions=tuple(
            Condition(each["classifier"], each["setting"], *(each[text][0] for text in texts))
            for each in templates["conditions"]
        ),
    )


def rule_of(source: Source, answer: Answer) -> Rule:
    """Return the rule that an answer recommends."""
    mix = tuple((part.probability, _expression(source, part)) for part in answer.parts)
    negative, positive = source.labels
    return Rule(mix, positive, negative, answer.fpr, answer.tpr, source.seed, source.row_key)


def rule_templates(source: Source, settings: tuple[Settings, ...]) -> RuleTemplates:
    """Return the texts of all rules with these settings."""
    members = source.hull.members
    chosen = {
        (place, "" if members[place].scoring else setting)
        for points in settings
        for place, setting in zip(points.classifier, points.threshold, strict=True)
        if place >= 0
    }
    scorers = [members[place].name for place, _ in sorted(chosen) if members[place].scoring]
    labels = [
        (members[place].name, setting)
        for place, setting in sorted(chosen)
        if not members[place].scoring
    ]
    negative, positive = source.labels
    return RuleTemplates(
        tuple(_reaches(source, name, 0.0) for name in scorers),
        {each: _alarms(source, *each) for each in labels},
        positive,
        negative,
        source.seed,
        source.row_key,
    )


def _expression(source: Source, part: Part) -> Expression:
    if part.kind in ("never", "always"):
        return Constant(part.kind == "always")
    if part.kind == "scores":
        return _reaches(source, part.classifier, float(part.exact), part.threshold)
    return _alarms(source, part.classifier, part.threshold)


def _reaches(
    source: Source, classifier: str, threshold: float, written: str = ""
) -> AtLeast | StackAtLeast:
    if classifier == STACK and source.stack is not None:
        return StackAtLeast(source.stack, threshold, written)
    return AtLeast(classifier, threshold, written)


def _alarms(source: Source, classifier: str, setting: str) -> Expression:
    """Return when a classifier that outputs labels alarms; each setting has its own labels."""
    where = f" at setting {setting}" if setting else ""
    return source.expressions.get(classifier) or Predicts(classifier + where)


def _label(label: object) -> LabelTexts:
    return LabelTexts(escape_controls(str(label)), repr(label), SqlWriter().label(label))
