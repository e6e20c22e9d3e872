"""The texts of every rule that a page can choose, with slots for thresholds and coins."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from rocch.arrays import Label
from rocch.errors import escape_controls
from rocch.hybrid.coin import ABOVE_ALL, DIGITS, DialectName, SqlWriter
from rocch.hybrid.expression import (
    STACK,
    AtLeast,
    Constant,
    Expression,
    StackAtLeast,
    predict_when,
    python_number,
)
from rocch.hybrid.rule import Rule, python_coin, python_template, sql_template, words_template
from rocch.templates import Slot, Template

# Standard SQL has no hashes, so a rule with a coin is written for one database.
COIN_DIALECT: DialectName = "postgresql"
COIN_COMMENT = "-- PostgreSQL; the coin is made of the column of row keys\n"


def shown_texts(rule: Rule, positive: Label | None = None) -> dict[str, str]:
    """Return the words, Python and SQL of a rule, as reports show them.

    Words name a stack without its weights, which the code has, and escape control characters. They
    may call the positive class by a name that is not its label.
    """
    sql = rule.to_sql() if not rule.has_coin else COIN_COMMENT + rule.to_sql(dialect=COIN_DIALECT)
    mix = tuple((share, _by_name(part)) for share, part in rule.mix)
    short = replace(rule, mix=mix, positive=rule.positive if positive is None else positive)
    return {"words": escape_controls(short.words), "python": rule.to_python(), "sql": sql}


@dataclass(frozen=True, slots=True)
class RuleTemplates:
    """The texts of `Rule` for every setting and coin, with slots.

    A page that changes thresholds and coins only fills slots.

    Attributes
    ----------
    scorers
        Conditions on scores, of which the page chooses the threshold.
    settings
        Other conditions by classifier and setting.
    positive, negative
        The labels to predict.
    called
        What words call the positive class; by default its label.
    seed, row_key
        The coin's seed and column of row keys.

    Examples
    --------
    >>> from rocch.hybrid import AtLeast, RuleTemplates
    >>> texts = RuleTemplates((AtLeast("nb", 0.5),), positive="bad", negative="good").to_dict()
    >>> texts["words"]["single"]
    ['', 'condition', '']
    >>> texts["conditions"][0]["words"]
    ['predict bad when nb >= ', 'threshold', '']
    """

    scorers: tuple[AtLeast | StackAtLeast, ...]
    settings: Mapping[tuple[str, str], Expression] = field(default_factory=dict, hash=False)
    positive: Label = 1
    negative: Label = 0
    seed: int = 0
    row_key: str = "row_id"
    called: Label | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data.

        Each template is a list of literal texts and names of slots by turns.
        """
        names = (part.model if isinstance(part, AtLeast) else STACK for part in self.scorers)
        scorers = {(name, ""): self._open(p) for name, p in zip(names, self.scorers, strict=True)}
        settings = {name: self._condition(part) for name, part in self.settings.items()}
        return {
            "words": self._words(),
            "python": self._python(),
            "sql": self._sql(),
            "conditions": [
                {"classifier": classifier, "setting": setting, **texts}
                for (classifier, setting), texts in (scorers | settings).items()
            ],
            "never": self._condition(Constant(False)),
            "always": self._condition(Constant(True)),
            "limit": {"digits": DIGITS, "above_all": ABOVE_ALL},
        }

    def _words(self) -> dict[str, Any]:
        single, coin = words_template(parts=1), words_template(parts=2)
        return _rule_texts(single.escaped(), coin.escaped(), repr)

    def _python(self) -> dict[str, Any]:
        coin = python_coin(self.row_key, self.seed)
        labels = self.positive, self.negative
        return _rule_texts(
            python_template(*labels, None), python_template(*labels, coin), python_number
        )

    def _sql(self) -> dict[str, Any]:
        writer = SqlWriter.of(COIN_DIALECT, {})
        labels = writer.label(self.positive), writer.label(self.negative)
        coin = sql_template(*labels, writer.coin(self.row_key, self.seed))
        return _rule_texts(
            sql_template(*labels, None), Template.of(COIN_COMMENT, coin), writer.number
        )

    def _condition(self, part: Expression) -> dict[str, list[str]]:
        return {kind: Template.of(text).to_list() for kind, text in self._texts(part).items()}

    def _open(self, part: AtLeast | StackAtLeast) -> dict[str, list[str]]:
        """Return a condition with a slot for the threshold, which stands last."""
        texts = self._texts(replace(part, threshold=0.0, written=""))
        return {
            kind: Template.of(text.removesuffix("0.0"), Slot("threshold")).to_list()
            for kind, text in texts.items()
        }

    def _texts(self, part: Expression) -> dict[str, str]:
        standard, coin = (
            SqlWriter.of(dialect, {name: name for name in part.models})
            for dialect in ("standard", COIN_DIALECT)
        )
        positive = standard.label(self.positive)
        called = self.positive if self.called is None else self.called
        return {
            "words": escape_controls(predict_when(_by_name(part), called)),
            "python": part.python(self.positive),
            "sql": part.sql(standard, positive),
            "coin_sql": part.sql(coin, positive),
        }


def _rule_texts(single: Template, coin: Template, number: Callable[[float], str]) -> dict[str, Any]:
    infinite = {str(value): number(value) for value in (math.inf, -math.inf)}
    return {"single": single.to_list(), "coin": coin.to_list(), "infinite": infinite}


def _by_name(part: Expression) -> Expression:
    return part.by_name if isinstance(part, StackAtLeast) else part
