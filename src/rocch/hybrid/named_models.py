"""What classifiers made of named models share: their parameters, tags and metadata routing."""

from __future__ import annotations

from typing import Any, Self

from sklearn import get_config
from sklearn.base import ClassifierMixin, is_classifier
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import _BaseComposition

from rocch.errors import bad_input, kind_of, shown
from rocch.hybrid.features import accept_what_models_accept
from rocch.hybrid.scores import named
from rocch.hybrid.training import routed_by_hand
from rocch.inputs import as_array, distinct_labels, repeated


def present(estimators: Any) -> list[tuple[str, Any]]:
    """Return the named models, less those replaced by the word "drop"."""
    pairs = named(estimators)
    return [(name, model) for name, model in pairs if not isinstance(model, str) or model != "drop"]


class NamedModels(ClassifierMixin, _BaseComposition):
    """A classifier with `estimators`, pairs of name and model, and `cv`."""

    estimators: Any
    cv: Any

    def named_models(self) -> list[tuple[str, Any]]:
        """Return the named models, less those that were dropped by `set_params(name="drop")`."""
        models = present(self.estimators)
        named(models)  # refuses that all were dropped
        self._check_names([name for name, _ in models])
        for name, model in models:
            if not (hasattr(model, "fit") and _answers(model)) or isinstance(model, type):
                raise bad_input(
                    "estimators",
                    "be classifiers with fit and predict",
                    f"{name!r}: {kind_of(model)}",
                    "For example: [('nb', GaussianNB())]; wrap a function in RuleClassifier.",
                )
        return models

    def _check_names(self, names: list[str]) -> None:
        """Refuse names that could not be told apart from others or from parameters."""
        twice = repeated(names)
        if twice:
            raise bad_input("estimators", "have distinct names", shown(twice), "Rename one.")
        taken = {*super().get_params(deep=False), "splitter"}
        wrong = [name for name in names if "__" in name or name in taken]
        if wrong:
            raise bad_input(
                "estimators",
                "have names without '__' that are no parameters' names",
                shown(wrong),
                "Rename it: parameters of models are written name__parameter.",
            )

    def routed(
        self, models: list[tuple[str, Any]], sample_weight: Any, groups: Any, params: Any
    ) -> Any:
        """Return what each model's `fit` and the splitter get."""
        if groups is not None:  # splitters would take missing ones for a group
            distinct_labels(as_array(groups, "groups"), "groups")
        if not get_config()["enable_metadata_routing"]:
            return routed_by_hand(models, sample_weight, groups, params)
        given = {"sample_weight": sample_weight, "groups": groups, **params}
        return process_routing(
            self, "fit", **{name: value for name, value in given.items() if value is not None}
        )

    def get_metadata_routing(self) -> MetadataRouter:
        """Say which metadata goes where: to the models' `fit`, and to the splitter."""
        router = MetadataRouter(owner=self).add_self_request(self)
        fits = MethodMapping().add(caller="fit", callee="fit")
        router.add(**dict(self.named_models()), method_mapping=fits)
        return router.add(
            splitter=self.cv, method_mapping=MethodMapping().add(caller="fit", callee="split")
        )

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, with those of the models if deep."""
        return dict(self._get_params("estimators", deep=deep))

    def set_params(self, **params: Any) -> Self:
        """Set parameters, also of models (`gbm__max_depth=3`) and models themselves."""
        self._set_params("estimators", **params)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        accept_what_models_accept(tags, [model for _, model in present(self.estimators)])
        return tags


def _answers(model: Any) -> bool:
    """Say whether a model predicts, or will: stacks hide `predict` until they are fitted."""
    plain = hasattr(model, "predict") or hasattr(model, "search_model")
    return plain or (hasattr(model, "__sklearn_tags__") and is_classifier(model))
