"""The summary of classifiers for two classes, from a hull or a fitted hybrid."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rocch.errors import Hint, InputError, describe_type, escape_controls
from rocch.hybrid.aimed import AimedClassifier
from rocch.hybrid.expression import (
    STACK,
    AtLeast,
    Constant,
    Expression,
    Predicts,
    Stack,
    StackAtLeast,
)
from rocch.hybrid.referral_rule import ReferralRule
from rocch.hybrid.rule import Rule
from rocch.hybrid.rule_templates import RuleTemplates, shown_texts
from rocch.inputs import as_array, check_length
from rocch.numbers import rough_threshold
from rocch.report.aim import Decider, tabulate_aims
from rocch.report.answer import MOST_SCORES, answer, tabulate_new_rows
from rocch.report.curves import (
    describe_classifiers,
    describe_missing_rows,
    joint_front,
    settings,
)
from rocch.report.evidence import (
    Rows,
    assess_certainty,
    compare_by_losses,
    count_resamples,
    estimate_aucs,
    find_warnings,
)
from rocch.report.guaranteed import tabulate_guarantees
from rocch.report.savings import find_baselines
from rocch.report.sections import about_binary, binary_sections, headline
from rocch.report.summary import (
    Answer,
    BinaryData,
    Classifier,
    Data,
    Deployment,
    NewRowsTable,
    Nodes,
    Part,
    ReferralTable,
    Referred,
    Settings,
    Summary,
    Winner,
    finite_or_text,
)
from rocch.report.words import (
    CLASS_NAMES,
    PAGE_TEXTS,
    TEXTS,
    as_plain_text,
    describe_stack,
    referral_sentence,
)
from rocch.roc.conditions import Conditions
from rocch.roc.criteria import Criterion
from rocch.roc.hull import RocHull
from rocch.roc.knob import Knob
from rocch.roc.member import DeferredCurve
from rocch.roc.new_rows import NewRowsCost
from rocch.roc.operating_point import OperatingPoint
from rocch.roc.question import Question
from rocch.roc.question_table import REFERRAL
from rocch.roc.referral import Referral, error_costs
from rocch.roc.savings import Savings
from rocch.rows import ScoredRows

TITLE = "Which classifier, at which threshold?"

# A label that is a number; 007 is none, in Python not even a syntax.
NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")

# Labels that name nothing; texts call the classes positives and negatives then.
NAMELESS = {"true", "false", "yes", "no", "t", "f", "y", "n"}

# The column of row keys where none is named.
ROW_KEY = "row_id"

# Nodes of Gauss-Legendre sums over a range of prevalence.
NODES = 16

# Costs of a referred case to show, as parts of the highest one that can pay.
COST_PARTS = (0.1, 0.25, 0.5, 0.75, 0.9)

# Of more scores (rows times classifiers), only a referral that the question states is shown.
MOST_REFERRED = 3 * 10**6

BALANCE = {"prevalence", "negatives_per_positive", "randomize"}
ASSUMED_COSTS = "No costs are stated, so a false alarm and a miss are taken to cost 1 each."


def summarize_binary(
    what: Any,
    question: Any = None,
    *,
    title: str = TITLE,
    label: str = "",
    labels: Any = None,
    folds: Any = None,
    names: Any = None,
    baseline: Any = None,
    resamples: int | None = None,
    aucs: Mapping[str, Any] | None = None,
) -> Summary:
    """Summarize a hull or a hybrid; see `rocch.report.summarize`."""
    title = as_plain_text(title, "title")
    source = Source.of(what, folds=folds, label=label, labels=labels, names=names)
    resolved, remarks = choose_question(what, question, source)
    referring = _stated_referral(question, resolved)
    data = _binary_data(source, resolved, referring, baseline, resamples, aucs)
    stated = referring or resolved
    summary = Summary(
        title=title,
        about=about_binary(data),
        question=stated.to_dict(),
        assumed=stated.describe(),
        sentence=headline(data),
        warnings=_warnings(source, data.classifiers),
        remarks=(
            *([data.texts["stack"]] if data.texts["stack"] else []),
            *remarks,
            *describe_missing_rows(source.hull, aucs),
        ),
        binary=data,
    )
    return replace(summary, sections=binary_sections(summary, data))


def _binary_data(
    source: Source,
    question: Question,
    referring: Question | None,
    baseline: Any,
    resamples: int | None,
    aucs: Mapping[str, Any] | None,
) -> BinaryData:
    hull, rows, decider = source.hull, source.rows, source.decider
    drawn = count_resamples(rows, resamples)
    estimates, differences = estimate_aucs(rows)
    classifiers = describe_classifiers(hull, decider.members, estimates, aucs)
    vertices, front = settings(decider.names, hull.vertices), joint_front(hull)
    # the first of equals
    best = max(classifiers[: len(hull.members)], key=lambda each: each.auc or 0.0)
    aim, (table, why_not) = tabulate_aims(decider.scorer), _new_rows(decider, question)
    found, _ = decider.choose(question)
    model = None if found.is_trivial or found.randomized else found.classifier
    baselines, savings = (
        find_baselines(decider, baseline, model),
        _savings(decider, found, baseline),
    )
    answered = answer(
        hull,
        question,
        decider=decider,
        new_rows=table,
        why_not=why_not,
        names=source.names,
        baselines=baselines,
        estimated=savings,
        expected=_expected(decider, question, found),
    )
    guarantees, not_sure = tabulate_guarantees(decider, question)
    return BinaryData(
        data=_data(source),
        classifiers=classifiers,
        hull=vertices,
        hull_auc=hull.auc,
        winners=tuple(
            Winner(row.classifier, row.low, finite_or_text(row.high)) for row in hull.slope_ranges()
        ),
        dominator=hull.dominator(),
        front=front,
        answer=answered,
        deployment=Deployment(**shown_texts(source.rule(answered), source.called)),
        aim=aim,
        losses=compare_by_losses(hull, question, rows, drawn),
        certainty=assess_certainty(rows, hull, question, drawn, differences, best.name),
        new_rows=table,
        new_rows_note=TEXTS[why_not] if why_not else "",
        guarantee=guarantees,
        guarantee_note=not_sure,
        baselines=baselines,
        savings_note=savings.note if savings.rows else "",
        guaranteed="" if found.guarantee is None else str(found.guarantee),
        referral=tabulate_referrals(source, question, referring),
        rule=source.templates(vertices, front.points).to_dict(),
        texts=_texts(source),
        fields=tuple(each._asdict() for each in Question.fields()),
        nodes=_nodes(),
    )


def _texts(source: Source) -> dict[str, str]:
    """Return the page's texts, with the names of classes and what a stack is."""
    stack = "" if source.stack is None else describe_stack(source.stack.models)
    names = dict(zip(CLASS_NAMES, source.names, strict=True))
    return {**TEXTS, **PAGE_TEXTS, **names, "stack": stack}


def _warnings(source: Source, classifiers: tuple[Classifier, ...]) -> tuple[str, ...]:
    """Return what to know before trusting the numbers; a stack has a scale of its own by design."""
    members = source.hull.members
    pairs = [
        (each, member)
        for each, member in zip(classifiers, members, strict=False)
        if source.stack is None or each.name != STACK
    ]
    return find_warnings(source.hull, pairs, source.folds, source.rows)


def _new_rows(decider: Decider, question: Question) -> tuple[NewRowsTable | None, str]:
    """Return expected costs on new rows, or why there are none; an aim knows its own."""
    if decider.scorer is None:
        return tabulate_new_rows(decider.hull, question)
    return None, "no_rows" if decider.rows is None else ""


def _expected(decider: Decider, question: Question, found: OperatingPoint) -> NewRowsCost | None:
    """Return what to expect on new rows within limits, or of a metric."""
    is_about_rates = question.limited or question.maximize is not None
    return None if _is_large(decider.rows) or not is_about_rates else found.on_new_rows


def _is_large(rows: ScoredRows | None) -> bool:
    return rows is not None and len(rows) * len(rows.scores) > MOST_SCORES


def _savings(decider: Decider, found: OperatingPoint, today: Any) -> Savings:
    """Return what the recommendation costs and saves on new rows, unless that takes too long."""
    return Savings(()) if _is_large(decider.rows) else found.savings(today)


def _stated_referral(given: Any, resolved: Question) -> Question | None:
    """Return the report's question with its fields on referred cases, if it has some."""
    question = as_question(given)
    if question is None or not question.refers:
        return None
    more = {name: question.given[name] for name in REFERRAL if name in question.given}
    return replace(resolved, confidence=question.confidence, **more)


def _data(source: Source) -> Data:
    totals = source.hull.totals
    return Data(
        rows=totals.total,
        positives=totals.amount(totals.positives),
        negatives=totals.amount(totals.negatives),
        prevalence=None if totals.pooled else totals.prevalence,
        weighted=totals.weighted,
        label=source.label,
        positive=source.positive,
        negative=source.negative,
    )


def _nodes() -> Nodes:
    x, weight = np.polynomial.legendre.leggauss(NODES)
    return Nodes(tuple(((x + 1) / 2).tolist()), tuple((weight / 2).tolist()))


# ---- the question -------------------------------------------------------------------------------


def choose_question(what: Any, given: Any, source: Source) -> tuple[Question, tuple[str, ...]]:
    """Return the question of a report with an observed prevalence as a number, and remarks.

    Without one, it is what an aimed model aims at, or else that both errors cost 1.
    """
    remarks: list[str] = []
    question = as_question(given)
    if question is None and isinstance(what, AimedClassifier):
        question = Question.from_criterion(what.criterion, randomize=what.randomize)
        if question is None:
            remarks.append(
                f"The model is aimed by {type(what.criterion).__name__}, which no question can "
                "state."
            )
    question = (question or Question()).without_referral()
    if not set(question.given) - BALANCE:
        question = replace(question, false_positive=1, false_negative=1)
        remarks.append(ASSUMED_COSTS)
    resolved = question.resolve(source.hull.totals)
    _ = resolved.criterion  # refuses what makes no sense together
    return resolved, tuple(remarks)


def as_question(given: Any) -> Question | None:
    """Return a question, or what conditions, a criterion or plain data ask."""
    if given is None or isinstance(given, Question):
        return given
    if isinstance(given, Mapping):
        return Question.from_dict(given)
    if isinstance(given, Conditions | Criterion | Knob):
        found = Question.from_criterion(given)
        if found is not None:
            return found
    raise InputError(
        "question",
        "be a Question, Conditions, or a criterion that a question can state",
        describe_type(given),
        Hint("For example: Question(prevalence=0.1, cost_ratio=(5, 10))."),
    )


# ---- what reports are made of -------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A hull with what else is known.

    Attributes
    ----------
    rows
        Whether each row is positive, and each classifier's scores (or alarms); None where they
        are not available.
    folds
        The fold of each row, where scores of several folds were pooled.
    label, positive, negative
        The name of the column of labels, and both labels, as texts.
    labels
        What a rule predicts: the negative label and the positive one, of their own type.
    names
        What texts call the negative cases and the positive ones.
    called, called_negative
        What the words of a rule call the classes.
    seed, row_key
        What the coins of rules are made of.
    expressions
        When to alarm, for names on the hull that are combinations of models.
    stack
        What the stack on the hull is made of, if there is one.
    decider
        The hull, or the fitted hybrid, which decides.
    """

    decider: Decider
    rows: Rows | None
    folds: Any = None
    label: str = ""
    positive: str = "1"
    negative: str = "0"
    labels: tuple[Any, Any] = (0, 1)
    names: tuple[str, str] = CLASS_NAMES
    called: str = "positive"
    called_negative: str = "negative"
    seed: int = 0
    row_key: str = ROW_KEY
    expressions: Mapping[str, Expression] = field(default_factory=dict)
    stack: Stack | None = None

    @classmethod
    def of(
        cls,
        what: Any,
        *,
        folds: Any = None,
        label: str = "",
        labels: Any = None,
        names: Any = None,
    ) -> Source:
        """Return what a report can be made of: a hull, or a hybrid fitted or loaded."""
        hybrid = getattr(what, "hybrid", None) or getattr(what, "hybrid_", None)
        hull = what if hybrid is None else getattr(hybrid, "hull", None)
        if not isinstance(hull, RocHull):
            unfitted = hasattr(what, "fit") and hybrid is None
            raise InputError(
                "what",
                "be a RocHull, a RocSurface or a fitted hybrid",
                "a model that is not fitted" if unfitted else describe_type(what),
                "Call fit first." if unfitted else Hint("See RocHull.from_scores(y_true, scores)."),
            )
        hull.check_whole("a report", "Use the unrestricted hull (fit without `within`).")
        if hybrid is not None:
            hybrid.check_direction()  # a page of costs needs to know which class they are about
        rows = _rows_of(hull)
        evaluated = getattr(what, "out_of_fold_", None)
        if evaluated is not None and evaluated.weights is None and evaluated.is_first.all():
            rows = evaluated.positive, {m.name: evaluated.scores[m.name] for m in hull.members}
            folds = evaluated.folds if folds is None else folds
        if folds is not None and rows is not None:
            folds = as_array(folds, "folds")
            check_length(folds.size, len(rows[0]), "folds")
        own = None if hybrid is None else (hybrid.negative, hybrid.positive)
        scorer = getattr(hybrid, "scorer", None)
        negative, positive = _two_labels(labels or own or ("0", "1"))
        key = getattr(what, "row_key", None) or getattr(hybrid, "key_column", None)
        return cls(
            Decider(hull, hybrid, exact=bool(getattr(what, "exact", False))),
            rows,
            folds,
            as_plain_text(label, "label"),
            positive,
            negative,
            labels=own if own and labels is None else _typed(negative, positive),
            **_class_names(names, negative, positive),
            seed=getattr(what, "seed", 0),
            row_key=key or ROW_KEY,
            expressions=getattr(hybrid, "expressions", {}),
            stack=None if scorer is None or scorer.name != STACK else scorer.stack,
        )

    @property
    def hull(self) -> RocHull:
        """The classifiers."""
        return self.decider.hull

    def rule(self, answer: Answer) -> Rule:
        """Return the rule that an answer recommends."""
        mix = tuple((part.probability, self._expression(part)) for part in answer.parts)
        negative, positive = self.labels
        return Rule(mix, positive, negative, answer.fpr, answer.tpr, self.seed, self.row_key)

    def templates(self, *points: Settings) -> RuleTemplates:
        """Return the texts of every rule that the settings can need."""
        members = self.decider.members
        used = {
            (place, "" if members[place].scoring else setting)
            for columns in points
            for place, setting in zip(columns.classifier, columns.threshold, strict=True)
            if place >= 0
        }
        if self.decider.scorer is not None:
            used.add((self.decider.names.index(self.decider.scorer.name), ""))
        scorers: list[AtLeast | StackAtLeast] = []
        others: dict[tuple[str, str], Expression] = {}
        for place, setting in sorted(used):
            name = members[place].name
            if members[place].scoring:
                scorers.append(self._reaches(name, 0.0))
            else:
                others[name, setting] = self._alarms(name, setting)
        negative, positive = self.labels
        labels = positive, negative
        coin = self.seed, self.row_key
        return RuleTemplates(tuple(scorers), others, *labels, *coin, called=self.called)

    def _expression(self, part: Part) -> Expression:
        if part.kind in ("never", "always"):
            return Constant(part.kind == "always")
        if part.kind == "scores":
            return self._reaches(part.classifier, float(part.exact), part.threshold)
        return self._alarms(part.classifier, part.threshold)

    def _reaches(
        self, classifier: str, threshold: float, written: str = ""
    ) -> AtLeast | StackAtLeast:
        if classifier == STACK and self.stack is not None:
            return StackAtLeast(self.stack, threshold, written)
        return AtLeast(classifier, threshold, written)

    def _alarms(self, classifier: str, setting: str) -> Expression:
        """Return when a classifier that outputs labels alarms; each setting has its own labels."""
        where = f" at setting {setting}" if setting else ""
        return self.expressions.get(classifier) or Predicts(classifier + where)


def _rows_of(hull: RocHull) -> Rows | None:
    """Return labels and scores that a hull was built from, if it was built so."""
    sources = [member.source for member in hull.members]
    deferred = [source for source in sources if isinstance(source, DeferredCurve)]
    positive = [source.rows.positive for source in deferred]
    if len(deferred) < len(sources) or any(each is not positive[0] for each in positive):
        return None
    return positive[0], {source.name: source.rows.scores[source.name] for source in deferred}


def _class_names(names: Any, *labels: str) -> dict[str, Any]:
    """Return what texts call the classes: given names, or labels that are names."""
    if names is not None:
        negative, positive = _two_labels(names, "names")
        return {
            "names": (negative, positive),
            "called": positive,
            "called_negative": negative,
        }
    if all(NUMBER.fullmatch(label) or label.lower() in NAMELESS for label in labels):
        return {}
    return {
        "names": tuple(f"{label} cases" for label in labels),
        "called": labels[1],
        "called_negative": labels[0],
    }


def _two_labels(labels: Any, argument: str = "labels") -> list[str]:
    """Return the negative and the positive label as texts, which must differ."""
    texts = list(map(str, labels)) if isinstance(labels, tuple | list) else []
    if len(set(texts)) != 2 or len(texts) != 2:
        raise InputError(
            argument,
            "be two texts that differ, that of the negative class first",
            repr(labels),
            'For example: ("good", "bad").',
        )
    return texts


def _typed(negative: str, positive: str) -> tuple[Any, Any]:
    """Return texts as the labels that they stand for; both must be of one kind."""
    texts = negative, positive
    if {text.lower() for text in texts} == {"true", "false"}:
        return negative.lower() == "true", positive.lower() == "true"
    if not all(NUMBER.fullmatch(text) for text in texts):
        return texts
    numbers = tuple(float(text) if "." in text else int(text) for text in texts)
    return texts if numbers[0] == numbers[1] else (numbers[0], numbers[1])


def tabulate_referrals(
    source: Source, question: Question, referring: Question | None
) -> ReferralTable | None:
    """Return what referring cases would do, for several costs of one or as the question states.

    Parameters
    ----------
    source
        What decides, and what rules predict.
    question
        The report's question, which decides every case.
    referring
        The same with its fields on referred cases, if it has some.
    """
    hull = source.hull
    if referring is not None:
        return _stated_referrals(source, referring)
    known = question.conditions
    rows = hull.totals.total * len(hull.members)
    if known is None or not known.exact or question.limited or rows > MOST_REFERRED:
        return None
    alarm, miss = error_costs(known.resolved(hull.totals).case)
    if not alarm or not miss:
        return None
    most = alarm * miss / (alarm + miss)
    costs = [float(f"{part * most:.2g}") for part in COST_PARTS]  # as people would state them
    try:
        found_all = [hull.refer(known, cost=cost) for cost in costs]
    except InputError:  # classifiers that cannot be deployed by two thresholds
        return None
    return ReferralTable(tuple(map(_as_row, found_all)), "", "", "")


def _stated_referrals(source: Source, question: Question) -> ReferralTable:
    found, rule = source.decider.refer(question, *map(str, reversed(source.labels)))
    named = replace(rule, positive=source.called, negative=source.called_negative)
    sentence = referral_sentence(found, _shown_words(named, rough=True), question)
    return ReferralTable((_as_row(found),), sentence, _shown_words(named), rule.to_sql())


def _shown_words(rule: ReferralRule, *, rough: bool = False) -> str:
    """Return a rule in words that name a stack without its weights, perhaps in few digits."""
    parts = []
    for part in (rule.upper, rule.lower):
        short = part.by_name if isinstance(part, StackAtLeast) else part
        if rough and isinstance(short, AtLeast):
            written = rough_threshold(short.written or repr(short.threshold))
            short = replace(short, written=written)
        parts.append(short)
    return escape_controls(replace(rule, upper=parts[0], lower=parts[1]).words)


def _as_row(found: Referral) -> Referred:
    return Referred(
        found.cost, found.referred, found.wrong_among_decided, found.expected_cost, found.saves
    )
