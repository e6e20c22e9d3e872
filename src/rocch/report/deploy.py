"""How to deploy an answer: the text of its `rocch.hybrid.Rule`, and the same in Python.

The page writes other rules as its knobs are turned. It only joins texts that are made here, so
that quoting, labels and coins exist once; `page/words.js` joins them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rocch.hybrid.coin import DIGITS, SqlWriter
from rocch.hybrid.rule import STACK, And, AtLeast, Constant, Or, Predicts, Rule, StackAtLeast
from rocch.report.summary import Condition, Deployment, LabelTexts
from rocch.report.words import named

if TYPE_CHECKING:
    from rocch.hybrid.coin import DialectName
    from rocch.hybrid.rule import Expression, Term
    from rocch.report.source import Source
    from rocch.report.summary import Answer, Part, Settings

COIN_DIALECT: DialectName = "postgresql"
COIN_COMMENT = "-- PostgreSQL; the coin is made of the column of row keys\n"
MISSING = "# rows whose score is missing need an answer of their own"


def deployment(source: Source, answer: Answer, settings: tuple[Settings, ...]) -> Deployment:
    """Write the rule of an answer, and what the rules of all these settings are made of."""
    rule = rule_of(source, answer)
    negative, positive = source.labels
    return Deployment(
        words=named(rule_of(replace(source, stack=None), answer).words),
        python=_python(rule),
        sql=_sql(rule),
        positive=_label(positive),
        negative=_label(negative),
        coin_python=_python_coin(rule),
        coin_sql=_writer(rule, COIN_DIALECT).coin(rule.row_key, rule.seed),
        conditions=_conditions(source, settings),
    )


def rule_of(source: Source, answer: Answer) -> Rule:
    """Return the rule that an answer recommends."""
    mix = tuple((part.probability, _expression(source, part)) for part in answer.parts)
    negative, positive = source.labels
    return Rule(mix, positive, negative, answer.fpr, answer.tpr, source.seed, source.row_key)


def _expression(source: Source, part: Part) -> Expression:
    if part.kind in ("never", "always"):
        return Constant(part.kind == "always")
    if part.kind == "scores":
        return _reaches(source, part.classifier, float(part.exact), part.threshold)
    return _alarms(source, part.classifier, part.threshold)


def _reaches(source: Source, classifier: str, threshold: float, written: str = "") -> Expression:
    if classifier == STACK and source.stack is not None:
        return StackAtLeast(source.stack, threshold, written)
    return AtLeast(classifier, threshold, written)


def _alarms(source: Source, classifier: str, setting: str) -> Expression:
    """Return when a classifier that outputs labels alarms; each setting has its own labels."""
    where = f" at setting {setting}" if setting else ""
    return source.expressions.get(classifier) or Predicts(classifier + where)


def _conditions(source: Source, settings: tuple[Settings, ...]) -> tuple[Condition, ...]:
    """Write when each classifier alarms at each of its settings; scores lack the threshold."""
    members = source.hull.members
    known = {
        (place, "" if members[place].scoring else setting)
        for points in settings
        for place, setting in zip(points.classifier, points.threshold, strict=True)
        if place >= 0
    }
    return tuple(_condition(source, *each) for each in sorted(known))


def _condition(source: Source, place: int, setting: str) -> Condition:
    member = source.hull.members[place]
    negative, positive = source.labels
    if member.scoring:
        found = _reaches(source, member.name, 0.0)
        named_by: Expression = AtLeast(member.name, 0.0)
    else:
        found = named_by = _alarms(source, member.name, setting)
    rule = Rule(((1.0, found),), positive, negative, 0.0, 0.0)
    words = Rule(((1.0, named_by),), positive, negative, 0.0, 0.0).words
    texts: tuple[str, ...] = (
        named(words).removeprefix(named(f"predict {positive} ")),
        _python_condition(found, positive),
        _sql_condition(rule, "standard"),
        _sql_condition(rule, COIN_DIALECT),
    )
    if member.scoring:
        texts = tuple(text.removesuffix("0.0") for text in texts)
    return Condition(member.name, setting, *texts)


def _label(label: object) -> LabelTexts:
    return LabelTexts(named(str(label)), repr(label), SqlWriter.of("standard", {}).label(label))


def _writer(rule: Rule, dialect: DialectName) -> SqlWriter:
    return SqlWriter.of(dialect, rule.column_names())


def _sql_condition(rule: Rule, dialect: DialectName) -> str:
    ((_, part),) = rule.mix
    writer = _writer(rule, dialect)
    return part.sql(writer, writer.label(rule.positive))


def _sql(rule: Rule) -> str:
    """Write the rule for every database, or where it has a coin for one; the standard has none."""
    if len(rule.mix) == 1:
        return rule.to_sql()
    return COIN_COMMENT + rule.to_sql(dialect=COIN_DIALECT)


def _python(rule: Rule) -> str:
    """Write the rule on a data frame `rows` with a column for each classifier."""
    conditions = [_python_condition(part, rule.positive) for _, part in rule.mix]
    if len(conditions) == 1:
        lines = ["import numpy as np", "", MISSING, f"alarm = {conditions[0]}"]
    else:
        chosen = f"np.where(coin < {float(rule.mix[1][0])!r}, {conditions[1]}, {conditions[0]})"
        lines = [_python_coin(rule), f"alarm = {chosen}"]
    return "\n".join([*lines, f"answers = np.where(alarm, {rule.positive!r}, {rule.negative!r})"])


def _python_coin(rule: Rule) -> str:
    """Write how the coins are tossed: as `rocch.hybrid.Rule` does, from each row's key."""
    digits = f'hashlib.sha256(f"{rule.seed}:{{key}}".encode()).hexdigest()[:{DIGITS}]'
    return "\n".join(
        [
            "import hashlib",
            "",
            "import numpy as np",
            "",
            MISSING,
            "# the coin of a row follows from its key, a text or a whole number",
            f"tosses = [int({digits}, 16) for key in rows[{rule.row_key!r}]]",
            f"coin = np.array(tosses) / 16**{DIGITS}",
        ]
    )


def _python_condition(part: Expression, positive: object) -> str:
    if isinstance(part, Constant):
        return f"np.{'ones' if part.alarm else 'zeros'}(len(rows), dtype=bool)"
    if isinstance(part, And | Or):
        first, second = (_python_condition(each, positive) for each in (part.first, part.second))
        return f"(({first}) {'&' if isinstance(part, And) else '|'} ({second}))"
    exact = repr(part.threshold) if isinstance(part, AtLeast | StackAtLeast) else ""
    exact = f"float({exact!r})" if "inf" in exact else exact
    if isinstance(part, StackAtLeast):
        terms = (_python_term(term, positive) for term in part.stack.terms)
        return f"({' + '.join((repr(part.stack.intercept), *terms))}) >= {exact}"
    column = f"rows[{part.model!r}]"
    return f"{column} == {positive!r}" if isinstance(part, Predicts) else f"{column} >= {exact}"


def _python_term(term: Term, positive: object) -> str:
    column = f"rows[{term.model!r}]"
    if term.kind == "label":
        return f"{term.weight!r} * ({column} == {positive!r})"
    value = f"np.clip({column}, {term.low!r}, {term.high!r})"
    if term.kind == "probability":
        value = f"np.log({value} / (1 - {value}))"
    return f"{term.weight!r} * {value}"
