"""What a fitted hybrid can be asked: to aim, to decide, to choose, to be checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.utils import Bunch
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from rocch.errors import InputError
from rocch.hybrid.aimed import AimedClassifier
from rocch.hybrid.batch import ScoredBatch
from rocch.hybrid.coin import as_seed
from rocch.hybrid.each import GroupedClassifier, RowAimedClassifier
from rocch.hybrid.features import column_of, model_features
from rocch.hybrid.named_models import present
from rocch.hybrid.selection import Selection, select
from rocch.hybrid.vertex_rates import FoldRate, VertexCheck, check_vertices, fold_rates
from rocch.inputs import as_positive, check_length
from rocch.roc.conditions import RowConditions
from rocch.stats.guarantees import HonestChoice, judged_honestly
from rocch.stats.prevalence import Method, PrevalenceEstimate, estimate_prevalence
from rocch.stats.sample import Sample, as_stated

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

    from rocch.arrays import FloatArray
    from rocch.hybrid.hybrid import Hybrid
    from rocch.hybrid.out_of_fold import OutOfFold
    from rocch.roc.belief import Belief
    from rocch.roc.conditions import Conditions

    AnyArray = np.ndarray[Any, Any]


def _answers(method: str) -> Any:
    """Return a check that predictions of a kind can be had, for scikit-learn's `available_if`."""

    def check(model: FittedHybrid) -> bool:
        if hasattr(model, "hybrid_"):
            return hasattr(model.default_, method)
        models = [part for _, part in present(model.estimators)]
        others = method == "predict_proba" or not any(hasattr(m, "predict_proba") for m in models)
        return others and all(hasattr(m, method) for m in models)

    return available_if(check)


class FittedHybrid:
    """The half of `RocchClassifier` that comes after fitting, or after loading."""

    estimators: Any
    randomise: bool
    row_key: str | None
    seed: int
    _aim: Any
    """What `predict` aims at."""
    out_of_fold_: OutOfFold

    def restore(
        self,
        hybrid: Hybrid,
        *,
        discarded: dict[str, str],
        fold_rates: list[FoldRate] | None = None,
        check: list[VertexCheck] | None = None,
    ) -> None:
        """Take over a fitted hybrid, as after fitting or loading."""
        self.hybrid_ = hybrid
        self.hull_ = hybrid.hull
        self.classes_ = hybrid.classes
        self.kept_, self.discarded_ = tuple(hybrid.components), discarded
        self.named_estimators_ = Bunch(**{n: c.estimator for n, c in hybrid.components.items()})
        self.estimators_ = list(self.named_estimators_.values())
        self._fold_rates = fold_rates
        self.__dict__.pop("check_", None)  # of an earlier fit
        if check is not None:
            self.check_ = check
        if hybrid.n_features_in is not None:
            self.n_features_in_ = hybrid.n_features_in
        if hybrid.feature_names_in is not None:
            self.feature_names_in_ = hybrid.feature_names_in
        self.default_ = self._usual(self._aim)

    def _usual(self, aim: Any) -> AimedClassifier:
        """Aim as the constructor says, with its coin and its column of keys."""
        return self.at(aim, randomise=self.randomise, row_key=self.row_key, seed=self.seed)

    def _features(self, given: Any, *others: str | None) -> Any:
        return model_features(self, self.hybrid_, given, others)

    def at(
        self,
        criterion: Any,
        *,
        randomise: bool = False,
        row_key: str | None = None,
        seed: int = 0,
    ) -> AimedClassifier:
        """Aim at a criterion: an immutable view that is itself a scikit-learn classifier.

        Nothing is refitted, so this takes microseconds.

        Parameters
        ----------
        criterion
            `Conditions` (least expected cost), any criterion, a `Knob`, or an operating point of
            this hull.
        randomise
            Allow a coin to choose between two vertices, which reaches any point on the hull
            (Theorem 7). Without it, limits are met by the best point of any kept model's curve.
        row_key
            The column of a data frame that holds the row keys, of which the coins are made; the
            models do not see it unless they were fitted with it. By default the constructor's, or
            else coins are made of the rows' content.
        seed
            The seed of the coins.
        """
        check_is_fitted(self, "hybrid_")
        return AimedClassifier(
            self.hybrid_, criterion, randomise=randomise, row_key=row_key, seed=seed
        )

    def at_rows(self, conditions: RowConditions) -> RowAimedClassifier:
        """Aim at each of some rows by its own conditions, as `RowConditions` explains."""
        check_is_fitted(self, "hybrid_")
        return RowAimedClassifier(self.hybrid_, conditions)

    def at_each(
        self,
        criteria: Mapping[Any, Any],
        *,
        group: str | None = None,
        randomise: bool = False,
        row_key: str | None = None,
        seed: int = 0,
    ) -> GroupedClassifier:
        """Aim at a criterion for each group of rows: a country, a branch.

        Parameters
        ----------
        criteria
            Maps each group to its criterion.
        group
            The column of a data frame that holds the groups; the models do not see it unless they
            were fitted with it. Without it, pass `groups` to `predict`.
        randomise, row_key, seed
            As for `at`.
        """
        check_is_fitted(self, "hybrid_")
        return GroupedClassifier(
            self.hybrid_, criteria, group=group, randomise=randomise, row_key=row_key, seed=seed
        )

    def predict(self, X: Any, conditions: Any = None) -> AnyArray:
        """Decide rows by the default aim, or by other conditions for this call.

        Parameters
        ----------
        X
            The rows.
        conditions
            `Conditions`, any criterion, or `RowConditions` with one set for each row.
        """
        check_is_fitted(self, "hybrid_")
        view: AimedClassifier | RowAimedClassifier = self.default_
        if isinstance(conditions, RowConditions):
            view = self.at_rows(conditions)
        elif conditions is not None:
            view = self._usual(conditions)
        keys = view.keys(X)
        return view.decide(self._features(X), keys)

    @_answers("predict_proba")
    def predict_proba(self, X: Any) -> FloatArray:
        """Return the class probabilities of the model behind the default aim."""
        check_is_fitted(self, "hybrid_")
        return self.default_.probabilities(self._features(X))

    @_answers("decision_function")
    def decision_function(self, X: Any) -> FloatArray:
        """Return by how much rows exceed the threshold of the default aim, for `classes_[1]`."""
        check_is_fitted(self, "hybrid_")
        return self.default_.margins(self._features(X))

    def select(
        self,
        X: Any,
        k: int,
        *,
        prevalence: float | None = None,
        row_key: Any = None,
        seed: int = 0,
    ) -> Selection:
        """Choose the best K rows of a batch: exactly K, and the same ones every time.

        Parameters
        ----------
        X
            The batch.
        k
            How many rows to choose.
        prevalence
            The share of positives in the batch; by default that of the judged rows.
        row_key
            A key for each row, or the name of a data frame's column that holds it, from which the
            draw is made where two vertices differ; by default the constructor's `row_key`, or the
            rows' content.
        seed
            The seed of the draw.
        """
        check_is_fitted(self, "hybrid_")
        self.hybrid_.check_direction()
        column = self.row_key if row_key is None else row_key if isinstance(row_key, str) else None
        if column is not None:
            row_key = column_of(X, column, "row_key")
        batch = ScoredBatch(self.hybrid_.components, self._features(X, column))
        return select(
            self.hybrid_, batch, k, prevalence=prevalence, row_key=row_key, seed=as_seed(seed)
        )

    def estimate_prevalence(
        self, X: Any, *, model: str | None = None, method: Method = "likelihood"
    ) -> PrevalenceEstimate:
        """Estimate the share of positives in an unlabelled batch, if only that share has moved.

        The deployed model's scores are compared with its out-of-fold scores, so where the check
        of refitted models fails this fails too. `estimate.feed(conditions)` aims with it.

        Parameters
        ----------
        X
            The batch.
        model
            Whose scores to use; by default the kept scoring model with the largest AUC.
        method
            As for `rocch.estimate_prevalence`.
        """
        check_is_fitted(self, "hybrid_")
        self.hybrid_.check_direction()
        curve = self.hybrid_.reference_curve(model)
        judged = getattr(self, "out_of_fold_", None)
        if judged is not None and not judged.first.all():  # repeats are no further evidence
            curve = judged.once().curve(curve.name)
        elif judged is None and self.hybrid_.repeated:
            raise InputError(
                "the prevalence cannot be estimated with a loaded model that was judged on "
                "repeated splits, because single rows are not saved. Use "
                "rocch.estimate_prevalence with a curve of rows that occur once."
            )
        scores = self.hybrid_.components[curve.name].scores(self._features(X))
        return estimate_prevalence(curve, scores, method=method)

    def honest_choice(
        self,
        conditions: Conditions | Belief,
        *,
        prevalence: Any = None,
        replicates: int = 2000,
        confidence: float = 0.95,
        seed: int = 0,
    ) -> HonestChoice:
        """Say what to expect of the best choice at given conditions on rows that did not make it.

        As `rocch.honest_choice`, on the out-of-fold scores of all models that were fitted, those
        discarded too: the choice was among them all. Rows of one group stay together. This is about
        the choice among models and thresholds; what refitting changes, only `check` can see.

        Parameters
        ----------
        conditions
            Exact conditions, or a belief with a unit of cost.
        prevalence
            With a belief that has none.
        replicates, confidence, seed
            As for `rocch.honest_choice`.
        """
        check_is_fitted(self, "hybrid_")
        self.hybrid_.check_direction(conditions)
        judged = getattr(self, "out_of_fold_", None)
        if judged is None or judged.weights is not None:
            raise InputError(
                "an honest choice needs the single rows that the hull was judged on, without "
                "weights; a loaded model does not have them. Use rocch.honest_choice on rows of "
                "your own."
            )
        once = judged.once()
        sample = Sample.of(once.positive, once.scores, groups=once.groups)
        stated = as_stated(conditions, prevalence, "conditions")
        return judged_honestly(
            sample, stated, replicates=replicates, confidence=confidence, seed=seed
        )

    def check(self, X: Any, y: Any) -> list[VertexCheck]:
        """Check the deployed models on rows that nothing was fitted or judged on.

        Returns one row for each vertex: the rates that the hull promises and those reached.
        """
        check_is_fitted(self, "hybrid_")
        batch = ScoredBatch(self.hybrid_.components, self._features(X))
        positive = self.hybrid_.positives(y, "y")
        check_length(positive.size, len(batch), "y")
        return check_vertices(self.hybrid_, batch, as_positive(positive, argument="y"))

    @property
    def fold_rates_(self) -> list[FoldRate]:
        """The rates of every vertex on every fold; a list that data frames take as it is."""
        check_is_fitted(self, "hybrid_")
        if self._fold_rates is None:
            self._fold_rates = fold_rates(self.hybrid_, self.out_of_fold_)
        return self._fold_rates
