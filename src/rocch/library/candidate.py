"""A classifier on its way into a library: what it is, and what is said about it."""

from __future__ import annotations

import getpass
import hashlib
import io
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import bad_input, is_one_line, kind_of
from rocch.inputs import as_name
from rocch.roc.curve import RocCurve
from rocch.roc.hull import Member

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocch.roc.curve import Judged

LARGEST = 2**63 - 1
"""The largest whole number that the record holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What is said about classifiers that are added: for people, and for finding them again."""

    by: str = ""
    tags: tuple[str, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)
    note: str = ""

    @classmethod
    def of(cls, by: Any, tags: Any, parameters: Any, note: Any) -> About:
        """Check what was said; whoever is not named is the present user."""
        by = by or present_user()
        for name, text in (("by", by), ("note", note)):
            if not isinstance(text, str) or not _is_writable(text):
                raise bad_input(name, "be a text", kind_of(text), "Write it in quotes.")
        if not _are_texts(tags):
            raise bad_input(
                "tags", "be a list of texts", repr(tags), "For example: ['gbm', '2026']."
            )
        try:
            json.dumps(dict(parameters), allow_nan=False)
        except (TypeError, ValueError) as error:
            raise bad_input(
                "parameters",
                "be a mapping that JSON can hold",
                str(error),
                "For example: {'max_depth': 3}.",
            ) from None
        return cls(
            by=by,
            tags=tuple(dict.fromkeys(tags)),
            parameters=dict(parameters),
            note=note,
        )


def _are_texts(values: Any) -> bool:
    if isinstance(values, str) or not isinstance(values, Iterable):
        return False
    return all(isinstance(value, str) and _is_writable(value) for value in values)


def _is_writable(text: str) -> bool:
    """Say whether a text can be written in UTF-8; halves of characters cannot."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A classifier's own hull, its curve if it scores, and its model if it was given."""

    member: Member
    curve: RocCurve
    model: bytes | None = None

    @classmethod
    def of(cls, curve: Any, model: bytes | None = None) -> Candidate:
        """Take a curve, or a classifier that outputs labels only."""
        if not isinstance(curve, RocCurve):
            raise bad_input(
                "curve", "be a RocCurve", kind_of(curve), "Use add_scores for scores and labels."
            )
        if not _is_writable(curve.name):
            raise bad_input("name", "be a text that can be written", repr(curve.name), "Rename it.")
        if not is_one_line(curve.name):  # it could write lines among those of results
            raise bad_input("name", "be in one line", repr(curve.name), "Rename it.")
        if max(curve.judged.negatives, curve.judged.positives) > LARGEST:
            raise bad_input(
                "curve", f"count at most {LARGEST}", "larger totals", "Use smaller units."
            )
        return cls(Member.from_curve(curve), curve, model)

    @property
    def name(self) -> str:
        """The classifier's name."""
        return as_name(self.member.name)

    @property
    def judged(self) -> Judged:
        """The rows it was judged on."""
        return self.curve.judged

    @property
    def print(self) -> str:
        """A print of how it judges the rows, to know it again when it is added once more.

        The model's file is no part of it: one model is written differently each time.
        """
        digest = hashlib.blake2b(digest_size=16)
        for part in (self.curve_bytes(), repr(self.curve.settings).encode()):
            digest.update(len(part).to_bytes(8, "big") + part)
        return digest.hexdigest()

    def curve_bytes(self) -> bytes:
        """Return the full curve as NumPy writes arrays, one after the other."""
        file = io.BytesIO()
        for column in (
            self.curve.false_positives,
            self.curve.true_positives,
            self.curve.thresholds,
        ):
            if column is not None:
                np.save(file, np.asarray(column), allow_pickle=False)
        return file.getvalue()


def curve_from(content: bytes, name: str, judged: Judged) -> RocCurve:
    """Return what `curve_bytes` wrote for a scoring classifier."""
    file = io.BytesIO(content)
    fp, tp, thresholds = (np.load(file, allow_pickle=False) for _ in range(3))
    return RocCurve(name, judged, fp, tp, thresholds, None)


def present_user() -> str:
    """Return the name of whoever runs this; "unknown" where the system has none."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "unknown"


def as_candidates(curves: Any) -> list[Candidate]:
    """Return one curve, or several, as candidates."""
    listed: Iterable[Any] = [curves] if isinstance(curves, RocCurve) else curves
    try:
        candidates = [Candidate.of(curve) for curve in listed]
    except TypeError:
        raise bad_input(
            "curves", "be a RocCurve or several", kind_of(curves), "Use add_scores for scores."
        ) from None
    if not candidates:
        raise bad_input("curves", "be at least one", "none", "Pass a RocCurve.")
    return candidates
