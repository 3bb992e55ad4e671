"""Texts to labels, with the evidence: the estimator behind the command."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from deciban.data.declared_types import ClassifierMixin, Estimator, Whole

from .. import store
from ..attached import FindsLabelErrors, Reports
from ..certificates.bounding import StatesBounds
from ..certificates.certificate import Certificate
from ..data.convergence import warned_once
from ..data.labels import plain, union, weights_of
from ..data.text_layout import NAIVE_BAYES
from .choice import FEWEST, SIMPLEST_FIRST, Tried, choose, told
from .corpus import Corpus
from .counting import listed, occurrences
from .merging import Merges
from .model import Bayes, TextModel
from .parameters import parameters_of, recipe_of
from .predicting import Predicts
from .recipes import AnyText, Recipe, from_stored
from .routing import TEXTS_ARE_X
from .served import ServedText


class TextClassifier(Predicts, Merges, Reports, FindsLabelErrors, StatesBounds, ClassifierMixin, Estimator):
    """Labelled texts to a classifier that explains and, where it counts, learns on and unlearns.

        score(text)_c = b_c + Σ_words x_j W_jc

    Naive Bayes over the words of the text (`likelihood="multinomial"`), or over which words of the dictionary are there
    and which are not ("bernoulli"): W are log shares, b log class priors. Every word ever seen is counted, so that the
    dictionary, too, is derived: learning in any order and any pieces gives the same model, and what is forgotten was
    never learnt, to the last bit; `a + b` and `sum(classifiers)` are the model of all their texts. The
    others are learnt by minimising over the same words as columns, and cannot learn on. All are linear but
    "kernel-svm", a machine of the texts that hold its boundary, and "mlp", layers of units.

    Parameters
    ----------
    model : "naive-bayes"; "nbsvm", "logistic", "svm", "perceptron", "least-squares", see `deciban.models`;
        "kernel-svm"; "mlp"; or "auto": naive Bayes for less than 200 texts, else the simplest of the first four whose
        error on a fifth is within one standard error of the best (`text.choice`).
    time_limit : seconds in which "auto" may try them; with None the choice is always the same.
    C : what errors weigh against the penalty (nbsvm, logistic, svm, kernel-svm).
    alpha : pseudo-count of a word (naive-bayes, nbsvm), or what the penalty weighs (least-squares).
    weighting : of linear models and mlp: "idf", a rare word counts more; "unit-idf", so, and every text is as long as
        another while the model learns; or "none".
    hidden, dropout, epochs : of mlp: units of the hidden layers from below, the share of them that a text goes without
        while it is learnt, and passes at most.
    likelihood : of naive Bayes: "multinomial", how often words are in a text, or "bernoulli", which are.
    estimate : of naive Bayes: "bayes", the mean of the posterior, "map" or "ml".
    class_prior : of naive Bayes: "empirical", "uniform", one share or share for share.
    words : (m, n), the shortest and the longest run of words that counts as one.
    max_features : how many words, the most frequent ones.
    hashed_bits : b, words are counted in 2^b buckets by their hash instead of by name.
    readable : whether hash buckets are named after the words that were met in them: these are counted beside the
        buckets and kept in the file, the 2^20 most frequent ones at most (some 40 MB; `text.bucket_words`), which takes
        as long as to count a dictionary. With False no word of the texts is kept, and buckets have numbers only.
    binary : whether a word counts once a text.
    kind : "text", or "mail", whose header and parts are read as such.
    random_state : the seed of the hash and of orders; None is 0.
    n_jobs : threads, as joblib counts them: -1 all cores, -2 all but one; None is all that joblib and the environment
        leave. The bytes do not depend on it.

    None is the default of the model for this kind of items, that which did best on held-out ones
    (`text.recipes.DEFAULTS`).

    Attributes: `classes_` (C,) sorted, `model_` what was learnt, `served_` the compiled score, `certificate_`, `tried_`
    what "auto" tried. A text is a str, or bytes in any charset. `sample_weight` means repetition.

    >>> texts = ["cheap pills now", "cheap loan now", "lunch at noon?", "see you at lunch"]
    >>> clf = TextClassifier().fit(texts, ["spam", "spam", "ham", "ham"])
    >>> clf.predict(["pills for lunch now"]).tolist()
    ['spam']
    >>> why = clf.explain(["cheap lunch"])[0]
    >>> [(term.term, round(term.decibans, 1)) for term in why.terms]
    [('cheap', 9.4), ('lunch', -8.3)]
    """

    __metadata_request__fit = TEXTS_ARE_X
    __metadata_request__partial_fit = TEXTS_ARE_X
    __metadata_request__predict = TEXTS_ARE_X
    __metadata_request__predict_log_proba = TEXTS_ARE_X
    __metadata_request__predict_proba = TEXTS_ARE_X

    def __init__(
        self,
        model: str = "auto",
        *,
        C: float | None = None,
        alpha: float | None = None,
        weighting: str | None = None,
        hidden: Sequence[int] | None = None,
        dropout: float | None = None,
        epochs: int | None = None,
        likelihood: str = "multinomial",
        estimate: str = "bayes",
        class_prior: str | float | Sequence[float] = "empirical",
        words: tuple[Whole, Whole] | None = None,
        max_features: Whole | None = None,
        hashed_bits: Whole | None = None,
        readable: bool = True,
        binary: bool | None = None,
        kind: str = "text",
        time_limit: float | None = 60.0,
        random_state: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.model = model
        self.C = C
        self.alpha = alpha
        self.weighting = weighting
        self.hidden = hidden
        self.dropout = dropout
        self.epochs = epochs
        self.likelihood = likelihood
        self.estimate = estimate
        self.class_prior = class_prior
        self.words = words
        self.max_features = max_features
        self.hashed_bits = hashed_bits
        self.readable = readable
        self.binary = binary
        self.kind = kind
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags

    # Learning is +, unlearning −, where a model is its counts.

    @warned_once()
    def fit(self, texts: Iterable[str | bytes], y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn N texts with their labels y (N,) from nothing."""
        started = perf_counter()
        texts, labels, members, weights = _checked(texts, y, sample_weight)
        recipe = recipe_of(self, NAIVE_BAYES if self.model == "auto" else self.model)
        tried: list[Tried] = []
        model: AnyText
        if recipe.model == NAIVE_BAYES and (self.model != "auto" or len(texts) < FEWEST):
            model = self._counted(recipe, texts, labels, members, weights)
        else:
            corpus = Corpus.of_texts(texts, recipe.settings.reader(), labels, members, weights)
            corpus = corpus.without_empty()
            if len(corpus.classes) < 2:
                raise ValueError(_one_class(corpus.classes))
            if self.model == "auto":
                recipe, tried = choose(corpus, self._contenders(recipe), self.time_limit)
            model = recipe.learn(corpus).with_choice(told(recipe.model, tried))
        if len(model.classes) < 2:
            raise ValueError(_one_class(model.classes))
        self._become(model, perf_counter() - started)
        self.tried_ = tried
        return self

    def partial_fit(self, texts: Iterable[str | bytes], y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn more texts; new labels bring new classes, new words enter the dictionary. Naive Bayes only."""
        started = perf_counter()
        known = self._counts("partial_fit") if hasattr(self, "model_") else None
        recipe = recipe_of(self, NAIVE_BAYES if self.model == "auto" else self.model)
        if recipe.model != NAIVE_BAYES:
            raise ValueError(_cannot("partial_fit", recipe.model))
        more = self._counted(recipe, *_checked(texts, y, sample_weight))
        if known is not None:
            classes = union([*known.classes], [*more.classes])
            both = known.with_classes(classes).plus(more.with_classes(classes))
            more = replace(both, dropped=both.dropped + more.dropped)
        self._become(more, perf_counter() - started)
        return self

    def forget(self, texts: Iterable[str | bytes], y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Take back what was learnt of these texts under these labels; a class with nothing left goes too.

        Naive Bayes only. DataError for what the counts prove never learnt: a class or a word that would be counted less
        than 0 times, or a word in more items than are left. Other texts that were never learnt are not noticed: counts
        do not tell which texts they come from (the command's ledger does).
        """
        check_is_fitted(self, "model_")
        known = self._counts("forget")
        less = self._counted(recipe_of(self, NAIVE_BAYES), *_checked(texts, y, sample_weight))
        unknown = [label for label in less.classes if label not in known.classes]
        if unknown:
            raise ValueError(f"labels that were learnt are expected, {list(known.classes)}; got {unknown}")
        self._become(known.minus(less.with_classes(known.classes)).without_empty(), 0.0)
        return self

    def _counted(
        self,
        recipe: Recipe,
        texts: list[str | bytes],
        labels: list[Any],
        members: list[int],
        weights: list[float] | None,
    ) -> TextModel:
        assert isinstance(recipe.learner, Bayes)
        seen = occurrences(recipe.settings, texts, members, len(labels), weights)
        return TextModel(recipe.settings, recipe.learner, tuple(labels), seen.book, seen.dropped, words=seen.words)

    def _contenders(self, first: Recipe) -> list[Recipe]:
        others = [recipe_of(self, model) for model in SIMPLEST_FIRST[1:]]
        key = first.settings.key  # of a generator, each would have another
        return [first, *(replace(each, settings=replace(each.settings, key=key)) for each in others)]

    def _counts(self, verb: str) -> TextModel:
        """What was learnt, if it can learn on."""
        if not isinstance(self.model_, TextModel):
            raise ValueError(_cannot(verb, self.model_.name))
        return self.model_

    def _become(self, model: AnyText, seconds: float, served: ServedText | None = None) -> None:
        served = served or model.compile()
        self.model_, self.served_, self._seconds = model, served, seconds
        self.classes_ = np.array(model.classes)

    @property
    def certificate_(self) -> Certificate:
        """What the fit minimised and how close it came: exactly, by counting."""
        check_is_fitted(self, "model_")
        return self.model_.certificate(self._seconds).advising(self.get_params(deep=False))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a .deciban file, in one step."""
        check_is_fitted(self, "model_")
        store.write(path, self.model_.header(), self.model_.arrays(self.served_))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> TextClassifier:
        """The classifier in a .deciban file."""
        return cls.from_stored(store.read(path))

    @classmethod
    def from_stored(cls, stored: store.Stored) -> TextClassifier:
        """The classifier in a file that `store.read` has checked."""
        model, served = from_stored(stored), ServedText.from_stored(stored)
        self = cls(**parameters_of(model))
        self._become(model, 0.0, served)
        return self


def _checked(
    texts: Iterable[str | bytes], y: ArrayLike, sample_weight: ArrayLike | None
) -> tuple[list[str | bytes], list[Any], list[int], list[float] | None]:
    """The texts, the sorted labels, the place of each text's label among them, the weights."""
    texts, given = listed(texts), plain(column_or_1d(y))
    if len(texts) != len(given):
        raise ValueError(f"one label per text is expected; there are {len(texts)} texts and {len(given)} labels")
    if not texts:
        raise ValueError("at least one text is expected")
    check_classification_targets(given)
    labels, members = np.unique(given, return_inverse=True)
    weights = None if sample_weight is None else weights_of(sample_weight, len(texts))
    return texts, labels.tolist(), members.tolist(), weights


def _one_class(classes: Sequence[Any]) -> str:
    return f"at least two classes are expected; all labels are {classes[0]!r}"


def _cannot(verb: str, model: str) -> str:
    return (
        f"{verb} needs a model that counts, and {model!r} is learnt by minimising over all texts at once: call fit "
        "with all of them, or choose model='naive-bayes'"
    )
