"""`rocch refer`: which cases to decide, and which to leave to a person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from rocch.cli.binary import HullRows, hull_fields, new_rows_sentence
from rocch.cli.options import (
    DECIDING,
    REFERRING,
    QuestionCommand,
    question_options,
    scores_options,
)
from rocch.cli.output import Printed, make_table, show, working
from rocch.numbers import significant
from rocch.report.parts import Code, Section, Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocch.cli.scores import ScoresSource
    from rocch.roc.hull import RocHull
    from rocch.roc.new_rows import NewRowsCost
    from rocch.roc.question import Question
    from rocch.roc.referral import Referral


@dataclass(frozen=True, slots=True)
class ReferralResult(HullRows):
    """When to decide a case and when to refer it, and what that costs.

    Attributes
    ----------
    question
        The question, with the observed class balance as a number.
    referral
        The two settings, the shares of cases that they refer, and what they save.
    sql
        The rule as SQL; its decisions are both labels as texts, and refer.
    new_rows
        What a case is expected to cost on new rows, or why that is not known.
    plain_new_rows
        The same if every case is decided.
    """

    question: Question
    referral: Referral
    sql: str
    new_rows: NewRowsCost
    plain_new_rows: NewRowsCost

    def parts(self) -> Iterator[Printed]:
        """Return the rule, what it refers, what it saves, and the rule as SQL."""
        found = self.referral
        yield f"Question: {self.question.describe()}."
        yield self.headline(found.prevalence)
        rule = found.rule()
        yield Section(f"{rule[0].upper()}{rule[1:]}.", (_facts(found, self._unit),))
        if found.note:
            yield f"{found.note[0].upper()}{found.note[1:]}."
        if found.guarantee is not None:
            yield str(found.guarantee)
        yield self._new_rows_sentence()
        yield Section("As SQL", (Code("sql", self.sql),))

    @property
    def _unit(self) -> str:
        """What is counted per case: its cost, or errors if no costs were stated."""
        return "cost" if self.question.conditions is not None else "errors"

    def _new_rows_sentence(self) -> str:
        """Say what to expect on new rows, beside what to expect there without referring."""
        unit = "per case" if self._unit == "cost" else "errors per case"
        best = "This is the best choice on the evaluation rows"
        words = [new_rows_sentence(self.new_rows, best, unit)]
        plain = self.plain_new_rows.expected
        if self.new_rows.expected is not None and plain is not None and self.referral.refers:
            words.append(f"If every case is decided, expect {significant(plain, 3)} there.")
        if self.referral.cost is None and self.referral.refers:
            words.append("A referred case counts as 0.")
        return " ".join(words)


def _facts(found: Referral, unit: str) -> Table:
    wrong = found.wrong_among_decided
    facts = {
        "referred, share of all cases": f"{found.referred:.4f}",
        "referred, share of positives": f"{found.referred_positives:.4f}",
        "referred, share of negatives": f"{found.referred_negatives:.4f}",
        "wrong among those decided": "nothing is decided" if wrong is None else f"{wrong:.4f}",
        "positives decided negative": f"{found.fnr:.4f}",
        "negatives decided positive": f"{found.fpr:.4f}",
        f"{unit} per case": f"{found.expected_cost:.6g}",
        f"{unit} per case if all are decided": f"{found.plain.expected_cost:.6g}",
        "referring saves, per case": f"{found.saves:.6g}",
    }
    return make_table("", ">", rows=facts.items())


@click.command("refer", cls=QuestionCommand)
@scores_options
@question_options(REFERRING, refused=set(DECIDING) - set(REFERRING))
def refer(data: ScoresSource, as_json: bool, question: Question) -> None:
    """Say which cases of FILE's kind to decide, and which to refer to a person.

    Two thresholds of one classifier, or one threshold of each of two: cases are positive where both
    alarm, negative where neither does, and referred otherwise. State the costs and what a referred
    case costs (--refer-cost), the largest share that can be referred (--max-referred), or the
    largest share of errors among the others (--max-wrong). Without costs, each error counts 1.
    Shares and costs are those on the rows of FILE; the result also says what to expect on new rows.

    \b
    Example:
      rocch refer scores.csv --label y --prevalence 0.1 \\
          --false-positive 1 --false-negative 9 --refer-cost 0.3
      rocch refer scores.csv --label y --false-positive 1 --false-negative 9 --max-referred 10%
      rocch refer scores.csv --label y --max-wrong 5%
    """
    from rocch.cli.scores import read_hull
    from rocch.roc.referral import read_question

    read_question(question)  # refuses what makes no sense, before a long file is read
    read = read_hull(data)
    show(find_referral(read.hull, question, read.labels), as_json=as_json)


def find_referral(hull: RocHull, question: Question, labels: tuple[str, str]) -> ReferralResult:
    """Return which cases of a hull's kind to refer; labels are the negative and the positive."""
    from rocch.hybrid.referral_rule import ReferralRule

    found = hull.refer(question)
    negative, positive = labels
    rule = ReferralRule.from_referral(found, positive=positive, negative=negative)
    with working("Estimating the cost on new rows"):
        new_rows = found.on_new_rows
    return ReferralResult(
        **hull_fields(hull),
        question=question.resolve(hull.totals),
        referral=found,
        sql=rule.to_sql(),
        new_rows=new_rows,
        plain_new_rows=found.plain.on_new_rows,
    )
