"""Models and labels on their way into a library: what cannot be judged is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rocch.errors import RocchError, bad_input, shown
from rocch.hybrid.scores import curve_of
from rocch.inputs import as_array, distinct_labels

if TYPE_CHECKING:
    from rocch.roc.curve import RocCurve


def check_direction(pos_label: Any, classes: list[Any]) -> None:
    """Refuse to guess which of a model's classes is the positive one."""
    from rocch.hybrid.training import EVIDENT  # which loads scikit-learn, as the model did

    if pos_label is None and set(classes) not in EVIDENT:
        raise bad_input(
            "pos_label",
            "be given unless the model's classes are boolean, 0/1 or -1/1",
            f"classes {shown(classes)}",
            "Name the class whose detection counts as a hit.",
        )


def check_labels(y: Any, classes: list[Any]) -> None:
    """Refuse labels that a model was not fitted on."""
    strangers = [label for label in distinct_labels(as_array(y, "y"), "y") if label not in classes]
    if strangers:
        raise bad_input(
            "y",
            "hold labels that the model was fitted on",
            shown(strangers),
            f"Its classes are: {shown(classes)}.",
        )


def judged_model(model: Any, features: Any, y: Any, pos_label: Any, name: str) -> RocCurve:
    """Judge a model on validation rows; what it says about rows it cannot score is passed on."""
    try:
        return curve_of(model, features, y, pos_label=pos_label, name=name)
    except RocchError:
        raise
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        said = " ".join(str(error).split())
        raise bad_input(
            "X",
            f"be rows that {name!r} can score",
            f"{type(error).__name__}: {said}".rstrip("."),
            "Pass the features that it was fitted on.",
        ) from error


def two_labels(y_true: Any, pos_label: Any) -> tuple[Any, Any] | None:
    """Return the two labels, the positive one last; None where there are more than two."""
    present = distinct_labels(as_array(y_true, "y_true"), "y_true")
    if len(present) != 2:
        return None
    positive = max(present) if pos_label is None else pos_label
    (negative,) = [label for label in present if label != positive]
    return negative, positive
