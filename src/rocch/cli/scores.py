"""Labels and scores out of tables: a column for each classifier, or a row for each score."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

import click
import numpy as np

from rocch.cli.data import open_table
from rocch.cli.output import echo, passing, working
from rocch.cli.table import (
    Coded,
    Columns,
    Table,
    check_distinct,
    check_lines,
    need_column,
    text_of,
)
from rocch.errors import InputError, format_count, format_list
from rocch.labels import find_positive, is_same_label
from rocch.roc.hull import RocHull
from rocch.rows import ScoredRows
from rocch.scale.files import need_pyarrow, quote

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray, IntArray
    from rocch.cli.data import TableSource
    from rocch.cli.output import Passes

Engine = Literal["memory", "duckdb"]

# The number of scores (rows times classifiers) that take about 1.2 GB in memory, which is what
# DuckDB and the counts that it returns take for any number of rows; of more the rows are not kept.
LARGE = 30_000_000
# A column with more different values holds no classes.
MOST_LABELS = 1_000
# The number of cells that scores of a report's classifiers are cut into; of one, they leave its AUC
# uncertain by some millionths.
CELLS = 2**20
# From this many rows on, whole numbers that are all different are taken for ids, and others are
# named.
FEW_ROWS = 20
# How names of ids look: id, patient_id, row index, patientId.
ID_NAME = re.compile(r"(?i:(.*[\W_])?(id|idx|index|key|nr|row|rownum|uid))|.*[a-z]I[dD]|Unnamed: 0")
WHOLE = r"\s*[+-]?[0-9]+(\.0*)?\s*"
RULE = "be a threshold, a model, 'MODEL >= THRESHOLD', or a column of predicted labels"
LEAVE_OUT = "Fix the file, or leave the column out with --scores."
WIDE = (
    "reads wide tables, with a column for each classifier. Turn the long one into a wide one first "
    "(PIVOT)."
)


@dataclass(frozen=True, slots=True)
class ScoresSource:
    """Labels and scores in files, as they are named on the command line.

    In a wide file each classifier has a column; in a long file each score has a row, and
    `classifier`, `row` and `score` name the columns that say whose it is, of what, and how high.

    Attributes
    ----------
    row
        The column that identifies a case, or several with commas between them.
    weight
        The column with the weights of rows.
    drop_nulls
        Whether rows with missing values are left out.
    engine
        Where the rows are: in memory, or in DuckDB; None for what suits their number.
    spark
        Whether Spark reads it.
    can_drop
        Whether the command can leave such rows out.
    named
        The tables or paths as they were typed, for Spark.
    rows_for
        The option that needs the rows in memory.
    """

    table: TableSource
    label: str
    positive: str | None = None
    scores: str | None = None
    classifier: str | None = None
    row: str | None = None
    score: str | None = None
    weight: str | None = None
    drop_nulls: bool = False
    engine: Engine | None = None
    spark: bool = False
    named: tuple[str, ...] = ()
    can_drop: bool = False
    rows_for: str = ""

    def __post_init__(self) -> None:
        if self.spark and self.engine is not None:
            raise click.UsageError(f"--spark and --engine {self.engine} contradict each other.")
        limited = self.table.memory_limit is not None
        if limited and (self.spark or self.engine == "memory"):
            raise click.UsageError("--memory-limit has no effect here; it goes with DuckDB.")
        if self.classifier and (self.weight or self.drop_nulls):
            raise click.UsageError("--weight and --drop-nulls go with a wide file.")
        stated = {"--classifier": self.classifier, "--row": self.row, "--score": self.score}
        absent = [option for option, column in stated.items() if column is None]
        if absent and absent != list(stated) and (self.classifier or self.score):
            raise click.UsageError(
                f"{absent[0]} is missing: a long file needs --classifier, --row and --score. "
                "Columns of a wide file are named with --scores."
            )
        if self.is_long and (self.spark or self.engine == "duckdb"):
            raise click.UsageError(f"{'--spark' if self.spark else '--engine duckdb'} {WIDE}")

    @property
    def is_long(self) -> bool:
        """Whether each score has a row of its own."""
        return self.classifier is not None

    @property
    def named_scores(self) -> list[str] | None:
        """The columns or classifiers that were named, if any were."""
        return None if self.scores is None else [name.strip() for name in self.scores.split(",")]

    def key(self, names: Sequence[str]) -> list[str]:
        """Return the columns that identify a case; a name may hold commas itself."""
        if self.row is None:
            return []
        parts = [self.row] if self.row in names else [part.strip() for part in self.row.split(",")]
        for part in parts:
            need_column(names, part, "--row")
        check_distinct("--row", parts)
        return parts


def need_rows(data: ScoresSource, option: str, *, weighted: bool = False) -> ScoresSource:
    """Return the source for an option that needs the rows in memory.

    Whether they fit is known only when they are read; a table that is too large is refused then.
    """
    if data.weight is not None and not weighted:
        raise click.UsageError(f"{option} needs rows without weights. Leave out --weight.")
    data = replace(data, rows_for=option)
    if data.spark or data.engine == "duckdb":
        raise keeps_no_rows(data)
    return data


def keeps_no_rows(data: ScoresSource) -> click.UsageError:
    """Return the error for an option that needs rows that an engine holds."""
    keeps = "DuckDB keeps none. Say --engine memory if they fit, or draw some at random first."
    if data.spark:
        keeps = "Spark keeps them. Draw some at random, and write them to a file."
    return click.UsageError(f"{data.rows_for} needs the rows in memory, and {keeps}")


# Hulls


def hull_from_file(data: ScoresSource) -> RocHull:
    """Build the hull of the classifiers in files, or in a table of Spark."""
    return read_hull(data).hull


@dataclass(frozen=True, slots=True, eq=False)
class HullOfFile:
    """A hull, and what else its file says.

    Attributes
    ----------
    labels
        The negative and the positive label, as they are written.
    decisions
        Which rows a column of labels predicts positive, if it was named.
    """

    hull: RocHull
    labels: tuple[str, str]
    decisions: BoolArray | None = None


def read_hull(data: ScoresSource, column: str | None = None) -> HullOfFile:
    """Build the hull, and read which rows a column of labels predicts positive.

    There are no such rows where the column holds scores: then it names a model.
    """
    if column is not None:
        data = need_rows(data, "--baseline with a column", weighted=True)
    with _open_scores(data, {} if column is None else {column: "--baseline"}) as found:
        if isinstance(found, ScoreFrame):
            return HullOfFile(found.scan().hull(), found.labels)
    with working("Building the hull"):
        hull = RocHull.from_scores(found.positive, found.scores, sample_weight=found.weights)
    return HullOfFile(hull, found.both_labels, found.decisions(column))


def hulls_from_file(data: ScoresSource, by: str) -> dict[str, RocHull]:
    """Build a hull for each group of rows, in the order of their names."""
    with _open_scores(data, {by: "--by"}) as found:
        if isinstance(found, ScoreFrame):
            hulls = {text_of(group): hull for group, hull in found.scan().hull(by=found.by).items()}
            check_lines(hulls, "group", "--by")
            return dict(sorted(hulls.items()))
    with working("Building the hulls"):
        return _group_hulls(found, by)


def _group_hulls(rows: TableRows, by: str) -> dict[str, RocHull]:
    groups, positive = rows.coded[by], rows.positive
    hulls = {}
    for name in sorted(groups.names):
        own = groups.codes == groups.names.index(name)
        scores = {classifier: column[own] for classifier, column in rows.scores.items()}
        weights = None if rows.weights is None else rows.weights[own]
        try:
            hulls[name] = RocHull.from_scores(positive[own], scores, sample_weight=weights)
        except InputError as error:
            raise error.inside(f"group {name!r} of --by {by}") from None
    return hulls


# Rows in memory


def read_scored_rows(data: ScoresSource, groups: str | None) -> ScoredRows:
    """Read labels, scores and groups of rows in memory."""
    if groups is not None and data.is_long:
        raise click.UsageError("--groups goes with a wide file.")
    with _open_scores(data, {} if groups is None else {groups: "--groups"}) as found:
        return ScoredRows.of(
            found.positive,
            found.scores,
            sample_weight=found.weights,
            groups=None if groups is None else found.coded[groups].codes,
        )


@dataclass(frozen=True, slots=True, eq=False)
class TableRows:
    """Rows in memory.

    Attributes
    ----------
    labels
        The true classes.
    scores
        Each classifier's scores.
    weights
        The weights of rows, if there are any.
    coded
        Other columns of names.
    ids
        What identifies the rows, if it is known.
    positive_label
        The label that was named as the positive one.
    """

    labels: Coded
    scores: dict[str, FloatArray]
    weights: FloatArray | None = None
    coded: dict[str, Coded] = field(default_factory=dict)
    ids: Sequence[str] | None = None
    positive_label: str | None = None

    @property
    def positive(self) -> BoolArray:
        """Which rows are positive."""
        return find_positive_rows(self.labels, self.positive_label)

    def decisions(self, column: str | None) -> BoolArray | None:
        """Return which rows a column of predicted labels calls positive, if it was read."""
        if column not in self.coded:
            return None
        labels = self.labels.names
        positive = find_positive_labels(labels, self.positive_label)
        found = []
        for name in self.coded[column].names:
            same = [
                p for each, p in zip(labels, positive, strict=True) if is_same_label(each, name)
            ]
            if not same:
                raise InputError(
                    "--baseline",
                    RULE,
                    f"{name!r} in the column {column!r}",
                    "The labels are: {known}.",
                    known=format_list(sorted(labels)),
                )
            found.append(same[0])
        return np.array(found)[self.coded[column].codes]

    @property
    def both_labels(self) -> tuple[str, str]:
        """The negative and the positive label as they are written."""
        names = self.labels.names
        return both_labels(names, find_positive_labels(names, self.positive_label))

    def probabilities(self) -> tuple[FloatArray, list[str]]:
        """Return the columns of probabilities, one for each class that occurs."""
        classes = sorted(self.labels.names)
        missing = [name for name in classes if name not in self.scores]
        if missing:
            raise InputError(
                "--label",
                "hold two classes (or --positive name one), or each class have a column of "
                "probabilities, which costs by class need",
                f"no numeric column named {format_list(missing)}",
                "The numeric columns are: {known}.",
                known=format_list(self.scores),
            )
        return np.column_stack([self.scores[name] for name in classes]), classes


@contextmanager
def _open_scores(
    data: ScoresSource, coded: Mapping[str, str] | None = None, *, probabilities: bool = False
) -> Iterator[TableRows | Any]:
    """Yield rows that fit into memory, else a frame.

    Parameters
    ----------
    coded
        Further columns of names, with the options that name them.
    probabilities
        Whether the columns may be probabilities of classes; then other columns do no harm.
    """
    if data.spark:
        from rocch.cli.spark_table import open_spark

        with open_spark(data, coded or {}) as frame:
            yield frame
        return
    with open_table(data.table) as table:
        need_column(table.names, data.label, "--label")
        if data.is_long:
            yield read_long(table, data)
            return
        columns, wanted = _select_wide(table, data, coded or {}, probabilities=probabilities)
        is_large = data.engine is None and table.rows * len(wanted) > LARGE
        if data.engine != "duckdb" and not is_large:
            yield _read_wide(columns, data, wanted)
            return
        if data.rows_for:
            raise keeps_no_rows(data)
        with passing(f"Reading {data.table.short_name}") as passes:
            table.report = passes.within
            yield _duckdb_frame(columns, data, wanted, passes)


def _select_wide(
    table: Table, data: ScoresSource, coded: Mapping[str, str], *, probabilities: bool
) -> tuple[Columns, list[str]]:
    """Return the columns of a wide table, and those of them that hold scores."""
    names = {data.label: "--label", **coded}
    for name, option in names.items():
        if option == "--baseline" and name not in table.names:
            raise _unclear_rule(name, data.named_scores or table.names, data.label)
        need_column(table.names, name, option)
    names = {name: names[name] for name in names if not _is_model(table, data, name, names[name])}
    if data.weight is not None:
        need_column(table.names, data.weight, "--weight")
    apart = [*names, *([data.weight] if data.weight else [])]
    wanted = find_score_columns(table, data, apart, probabilities=probabilities)
    numbers = list(dict.fromkeys([*wanted, *apart[len(names) :]]))
    columns = table.select(
        numbers, names, gaps=data.drop_nulls, can_drop=data.can_drop, hint=LEAVE_OUT
    )
    columns.release()
    if data.weight is not None:
        columns.check_weights(data.weight)
    return columns, wanted


def _is_model(table: Table, data: ScoresSource, name: str, option: str) -> bool:
    """Whether a column named as today's rule holds scores rather than predicted labels."""
    if option != "--baseline" or name in (data.named_scores or ()):
        return option == "--baseline"
    if name not in table.numeric():
        return False
    query = "SELECT DISTINCT {} FROM t LIMIT {}"
    labels, values = (
        {text_of(text) for (text,) in table.fetch(query.format(table.text(each), MOST_LABELS))}
        for each in (data.label, name)
    )
    return not all(any(is_same_label(each, value) for each in labels) for value in values - {""})


def _unclear_rule(text: str, names: Sequence[str], label: str) -> InputError:
    """Return the error for a rule of today that is neither a threshold nor a column."""
    known = [name for name in names if name != label]
    model = next((name for name in known if name in text), known[0] if known else "MODEL")
    return InputError(
        "--baseline",
        RULE,
        repr(text),
        "For example: --baseline '{model} >= 0.5'. The columns are: {known}.",
        model=model,
        known=format_list(known),
    )


def _read_wide(columns: Columns, data: ScoresSource, wanted: Sequence[str]) -> TableRows:
    numbers = columns.numbers()
    coded = {name: columns.coded(name) for name in columns.options}
    if data.drop_nulls:
        whole = [~np.isnan(column) for column in numbers.values()]
        whole += [column.codes >= 0 for column in coded.values()]
        kept = np.logical_and.reduce(whole)
        if not kept.any():
            needs, hint = "have a row without missing values", "Leave columns out with --scores."
            raise InputError("FILE", needs, "none", hint)
        if not kept.all():
            dropped = f"{np.count_nonzero(~kept):,} of {kept.size:,} rows"
            echo(f"rocch: {dropped} dropped for missing values.", err=True)
        numbers = {name: column[kept] for name, column in numbers.items()}
        coded = {name: column.only(kept) for name, column in coded.items()}
    weights = numbers[data.weight] if data.weight else None
    scores = {name: numbers[name] for name in wanted}
    if data.scores is None:
        _name_whole_numbers(scores)
    return TableRows(coded[data.label], scores, weights, coded, positive_label=data.positive)


def _name_whole_numbers(scores: Mapping[str, FloatArray]) -> None:
    """Say which columns were taken for scores though they may be an age, a count or a fold."""
    whole = [name for name, column in scores.items() if (np.round(column) == column).all()]
    if len(whole) == len(scores):
        return
    counts = [name for name in whole if len(np.unique(scores[name])) > 2]
    if counts and scores[counts[0]].size >= FEW_ROWS:
        echo(
            f"rocch: {format_list(counts)} (whole numbers) also taken for scores. If that is "
            "wrong, name the columns of scores with --scores.",
            err=True,
        )


def read_long(table: Table, data: ScoresSource) -> TableRows:
    """Read a long table; every classifier must have scored the same rows, once each."""
    classifier, score = str(data.classifier), str(data.score)
    need_column(table.names, classifier, "--classifier")
    key = data.key(table.names)
    need_column(table.names, score, "--score")
    named = [data.label, classifier, *key, score]
    check_distinct("--label, --classifier, --row, --score", named)
    names = {data.label: "--label", classifier: "--classifier", **dict.fromkeys(key, "--row")}
    columns = table.select([score], names, hint="Fix the file.")
    columns.release()
    who, labels = columns.coded(classifier), columns.coded(data.label)
    rows = join_key([columns.coded(name) for name in key])
    scores = columns.numbers()[score]
    if data.named_scores is not None:
        lines = np.isin(who.codes, _places_of(who, data.named_scores))
        who, rows, labels = (column.only(lines) for column in (who, rows, labels))
        scores = scores[lines]
    check_lines(who.names)
    of_rows = Coded(labels.names, _label_of_rows(who, rows, labels))
    wide = _pivot(who, rows, scores)
    chosen = {name: wide[name] for name in data.named_scores or who.names}
    return TableRows(of_rows, chosen, ids=rows.names, positive_label=data.positive)


def join_key(columns: Sequence[Coded]) -> Coded:
    """Return the columns of a key as one, with commas between its parts."""
    if len(columns) == 1:
        return columns[0]
    parts = [
        [name.replace("\\", "\\\\").replace(",", "\\,") for name in column.names]
        for column in columns
    ]
    codes = zip(*(column.codes.tolist() for column in columns), strict=True)
    return Coded.of(
        ",".join(names[code] for names, code in zip(parts, row, strict=True)) for row in codes
    )


def _places_of(who: Coded, wanted: list[str]) -> list[int]:
    check_distinct("--scores", wanted)
    for name in wanted:
        if name not in who.names:
            raise InputError(
                "--scores",
                "name classifiers of the file",
                repr(name),
                "The classifiers are: {known}.",
                known=format_list(who.names),
            )
    return [who.names.index(name) for name in wanted]


def _pivot(who: Coded, rows: Coded, scores: FloatArray) -> dict[str, FloatArray]:
    """Return each classifier's scores, in the order in which rows came first."""
    wide = {}
    for code, name in enumerate(who.names):
        lines = who.codes == code
        times = np.bincount(rows.codes[lines], minlength=len(rows.names))
        if (times != 1).any():
            row = int(np.argmax(times != 1))
            raise InputError(
                "FILE",
                "have one score of every classifier for every row",
                f"{'several' if times[row] else 'none'} of {name!r} for row {rows.names[row]!r}",
                "Leave such rows out, for every classifier alike.",
            )
        wide[name] = np.empty(len(rows.names))
        wide[name][rows.codes[lines]] = scores[lines]
    return wide


def _label_of_rows(who: Coded, rows: Coded, labels: Coded) -> IntArray:
    """Return the label of each row, on which all its lines must agree."""
    found = np.empty(len(rows.names), dtype=np.int64)
    found[rows.codes] = labels.codes
    other = found[rows.codes] != labels.codes
    if other.any():
        line = int(np.argmax(other))
        row = rows.codes[line]
        raise InputError(
            "--label",
            "be the same wherever a row occurs",
            f"{labels.names[labels.codes[line]]!r} of {who.names[who.codes[line]]!r} and "
            f"{labels.names[found[row]]!r} elsewhere for row {rows.names[row]!r}",
            "Fix the file.",
        )
    return found


# Columns with scores


def find_score_columns(
    table: Any, data: ScoresSource, apart: Sequence[str] = (), *, probabilities: bool = False
) -> list[str]:
    """Return the columns with scores: those that were named, or every other numeric one."""
    key = data.key(table.names)
    names = data.named_scores
    if names is None:
        numeric = [name for name in table.numeric() if name not in (data.label, *apart)]
        others = [name for name in numeric if name not in key]
        if isinstance(table, Table):
            table.check_present(others)
            _check_not_long(table, data, numeric, apart)
        if not others:
            raise InputError(
                "--scores",
                "name score columns, or leave at least one numeric column besides the label",
                "none",
                "The columns are: {known}.",
                known=", ".join(map(repr, table.names)),
            )
        check_lines(others)
        if not (probabilities and _has_probabilities(table, data.label, others)):
            _check_no_ids(table, others, key)
        return others
    check_lines(names)
    for name in names:
        need_column(table.names, name, "--scores")
    if data.label in names:
        raise InputError("--scores", "not name the label", repr(data.label), "Leave it out.")
    check_distinct("--scores", names)
    return names


def _has_probabilities(table: Any, label: str, columns: Sequence[str]) -> bool:
    """Whether each label that occurs is the name of a column."""
    if not isinstance(table, Table) or table.count_distinct([label])[label] > len(columns) + 1:
        return False
    found = table.fetch(f"SELECT DISTINCT {table.text(label)} FROM t")
    return {text_of(text) for (text,) in found} - {""} <= set(columns)


def _check_no_ids(table: Any, columns: Sequence[str], key: Sequence[str]) -> None:
    """Refuse to take a column for a classifier that looks like an id."""
    ids = [name for name in columns if ID_NAME.fullmatch(name)]
    if not ids and isinstance(table, Table):
        ids = _find_ids(table, columns)
    if ids:
        raise InputError(
            "--scores",
            "name the classifiers where another column could be taken for one",
            f"the numeric column {ids[0]!r}, which looks like an id",
            "Leave it out with --row {key}, or name the classifiers with --scores.",
            key=",".join([*key, ids[0]]),
        )


def _find_ids(table: Table, columns: Sequence[str]) -> list[str]:
    """Return the columns of whole numbers that are all different."""
    found = list(columns) if table.rows >= FEW_ROWS else []
    for rows in (f"(FROM t LIMIT {2 * FEW_ROWS})", "t"):  # a few rows tell most columns apart
        if not found:
            break
        texts = [f"CAST({table.column(name)} AS VARCHAR)" for name in found]
        counts = ", ".join(
            f"count(DISTINCT {text}) FILTER (WHERE regexp_full_match({text}, {quote(WHOLE)}))"
            for text in texts
        )
        total, *different = table.fetch(f"SELECT count(*), {counts} FROM {rows}")[0]
        found = [name for name, count in zip(found, different, strict=True) if count == total]
    return found


def _check_not_long(
    table: Table, data: ScoresSource, numeric: Sequence[str], apart: Sequence[str]
) -> None:
    """Refuse a long table that is read as a wide one.

    In a long table each case has one row for every classifier: there is a column of k names, and
    one in which every value occurs k times, with the same label.
    """
    unfit = {data.label, *apart, *table.uneven}
    others = [name for name in table.names if name not in unfit]
    keys = data.key(table.names) or others
    if len(set(numeric) - set(data.key(table.names))) > 2:
        return
    counts = table.count_distinct([*others, *keys])
    for classifier in others:
        k = counts[classifier]
        if classifier in numeric or not 2 <= k <= table.rows // 2:
            continue
        for key in keys:
            scores = [name for name in numeric if name != key]
            if key == classifier or len(scores) != 1 or counts[key] * k != table.rows:
                continue
            pairs = [(classifier, key), (key, data.label)]
            if table.count_pairs(pairs) == [table.rows, counts[key]]:
                raise InputError(
                    "FILE",
                    "have one row for each case, and a column for each classifier",
                    f"a long table: every {key!r} has a row for each of {k} values of "
                    f"{classifier!r}",
                    "Say --classifier {classifier} --row {key} --score {score}; if it is wide "
                    "after all, name the score columns with --scores.",
                    classifier=classifier,
                    key=key,
                    score=scores[0],
                )


# Labels


def find_positive_rows(labels: Coded, positive: str | None) -> BoolArray:
    """Return which rows are positive."""
    which = find_positive_labels(labels.names, positive)
    if len(set(which)) < 2:
        kind, rows = "positive" if which[0] else "negative", labels.codes.size
        raise one_class(f"{format_count(rows, 'row')}, all {kind}")
    return np.array(which)[labels.codes]


def find_positive_labels(names: Sequence[str], positive: str | None) -> list[bool]:
    """Return which labels are positive: as named, or where they imply it."""
    if positive is None:
        own = find_positive(sorted(names), "label")
        return [name in own for name in names]
    which = [is_same_label(name, positive) for name in names]
    if not any(which):
        raise InputError(
            "--positive",
            "be one label that occurs in the column of --label",
            repr(positive),
            "The labels are: {known}.",
            known=format_list(sorted(names)),
        )
    return which


def one_class(got: str) -> InputError:
    """Return the error for labels of one class."""
    hint = "A ROC curve needs at least one row of each class."
    return InputError("--label", "hold both classes", got, hint)


def both_labels(names: Sequence[str], which: Sequence[bool]) -> tuple[str, str]:
    """Return the negative and the positive label as they are written."""
    own = [name for name, is_hit in zip(names, which, strict=True) if is_hit]
    others = [name for name in names if name not in own]
    return others[0] if len(others) == 1 else f"not {own[0]}", own[0]


# Frames: the rows stay in DuckDB or Spark


@dataclass(frozen=True, slots=True, eq=False)
class ScoreFrame:
    """A table that an engine holds, what to ask `rocch.scale` of it, and its labels.

    Attributes
    ----------
    labels
        The negative and the positive label, as they are written.
    by
        The column of groups.
    """

    frame: Any
    words: dict[str, Any]
    labels: tuple[str, str]
    passes: Passes
    by: str | None = None

    def scan(self, **options: Any) -> Any:
        """Name the columns for passes over the table."""
        from rocch.scale.frame import scan

        return scan(self.frame, **self.words, progress=self.passes.finished, **options)

    def summarize(self) -> FrameResults:
        """Build the hull, and bracket the AUCs with the cells that it is found in."""
        rough = self.scan(buckets=CELLS).summary()
        found = rough.refine(self.frame, progress=self.passes.finished)
        aucs = {name: found.auc(name) for name in found.classifiers}
        return FrameResults(found.hull(), aucs, self.labels)


class FrameResults(NamedTuple):
    """What a report can be made of where the rows are not kept."""

    hull: RocHull
    aucs: dict[str, Any]
    labels: tuple[str, str]


def _duckdb_frame(
    columns: Columns, data: ScoresSource, wanted: Sequence[str], passes: Passes
) -> ScoreFrame:
    need_pyarrow()
    labels = columns.distinct(data.label, MOST_LABELS + 1)
    if len(labels) > MOST_LABELS:
        raise too_many_labels(data.label)
    check_lines(labels, "class", "--label")
    which = find_positive_labels(labels, data.positive)
    if len(set(which)) < 2:
        raise one_class(f"rows that are all {'positive' if any(which) else 'negative'}")
    own = [quote(name) for name, is_hit in zip(labels, which, strict=True) if is_hit]
    connection = columns.table.connection
    connection.execute("SET preserve_insertion_order=false")  # saves memory
    relation = connection.sql(f"SELECT t0 IN ({', '.join(own)}) AS y, * EXCLUDE (t0) FROM used")
    places = {name: f"n{place}" for place, name in enumerate(columns.number_names)}
    words = {
        "label": "y",
        "scores": {name: places[name] for name in wanted},
        "weight": places.get(data.weight or ""),
        "drop_nulls": data.drop_nulls,
    }
    return ScoreFrame(relation, words, both_labels(labels, which), passes, "t1")


def too_many_labels(label: str) -> InputError:
    """Return the error for a column of numbers where labels should be."""
    return InputError(
        "--label",
        "name a column of classes",
        f"{label!r} with more than {MOST_LABELS:,} different values",
        "Is it the right column?",
    )


# Reports


def read_report(
    data: ScoresSource, fold: str | None, baseline: str | None = None
) -> TableRows | FrameResults:
    """Read what a report is made of; a baseline is a column of labels, or a model."""
    coded = {} if fold is None else {fold: "--fold"}
    if baseline is not None:
        data = need_rows(data, "--baseline with a column", weighted=True)
        coded[baseline] = "--baseline"
    with _open_scores(data, coded, probabilities=True) as found:
        if isinstance(found, ScoreFrame):
            return found.summarize()
    return cast("TableRows", found)
