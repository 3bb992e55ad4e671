"""Which estimators can be fitted in parts, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from .minimising import Minimised
from .minimising import plan_of as minimised
from .ratios import plan_of as minimised_ratios
from .sums import GenerativeSum, InformationSum, Sum, TextSum

if TYPE_CHECKING:
    from .linear_texts import LinearOfTexts


def plan_of(estimator: Any) -> Sum | Minimised | LinearOfTexts:
    """Return how an estimator is fitted in parts; UsageError where it is not."""
    from ..features.mutual_information import MutualInformation
    from ..models.additive import Additive
    from ..models.generative import Generative
    from ..models.least_squares_classifier import LeastSquaresClassifier
    from ..models.linear_svm import LinearSVM
    from ..models.logistic import LogisticRegression
    from ..models.nbsvm import NBSVM
    from ..text.classifier import TextClassifier

    if isinstance(estimator, Generative):
        return GenerativeSum(estimator)
    if isinstance(estimator, Additive):
        if reason := estimator._no_sum():
            raise _refused(estimator, f"so: {reason}", "Choose loss='squared' and penalty None or 'l2'")
        return Sum(estimator)
    if isinstance(estimator, LeastSquaresClassifier):
        return Sum(estimator)
    if isinstance(estimator, MutualInformation):
        return InformationSum(estimator)
    if isinstance(estimator, TextClassifier):
        return _of_texts(estimator)
    if isinstance(estimator, LinearSVM | LogisticRegression):
        return minimised(estimator)
    if isinstance(estimator, NBSVM):
        return minimised_ratios(estimator)
    raise _refused(estimator, "", _instead(estimator))


def _of_texts(estimator: Any) -> Sum | LinearOfTexts:
    from ..data.text_layout import BY_PASSES, NAIVE_BAYES
    from ..text.parameters import recipe_of
    from .linear_texts import LinearOfTexts

    model = NAIVE_BAYES if estimator.model == "auto" else estimator.model
    recipe = recipe_of(estimator, model)
    if model == NAIVE_BAYES:
        return TextSum(estimator, recipe)
    if model in BY_PASSES:
        return LinearOfTexts(estimator, recipe)
    *names, last = map(repr, (NAIVE_BAYES, *BY_PASSES))
    raise _refused(
        estimator,
        f"with model={model!r}, which is learnt from all texts at once",
        f"Choose model={', '.join(names)} or {last}",
    )


def _instead(estimator: Any) -> str:
    name = type(estimator).__name__
    if name.startswith("MLP"):
        return "Steps of a network follow one another: fit it to a sample, in memory"
    if name in ("SVM", "SVMRegressor", "OneClassSVM"):
        return "Fit Nystroem or RandomFourier to a sample, and a linear model to what it makes of the partitions"
    return "Fit it in memory, to a sample if need be"


def _refused(estimator: Any, why: str, instead: str) -> UsageError:
    return UsageError(
        f"{type(estimator).__name__} cannot be fitted in partitions{f' {why}' if why else ''}. Expected an estimator "
        f"whose state is a sum over rows, or a smooth linear model. {instead}."
    )
