"""Texts to labels, with the evidence: the estimator behind the command."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, replace
from time import perf_counter
from typing import Any, Self

from numpy.typing import ArrayLike

from deciban.data.declared_types import Estimator, Whole, parameters
from deciban.data.mixins import ClassifierMixin
from deciban.data.validation import check_is_fitted

from ..attached import FindsLabelErrors, Reports, StatesBounds
from ..certificates.certificate import Certificate
from ..data.text_layout import NAIVE_BAYES
from ..data.transaction import all_or_nothing
from .choice import CandidateResult, bound_of_choice, choose
from .corpus import Corpus, widest_reader
from .learning_on import LearnsOn, check_examples, one_class
from .left_out import Sample
from .merging import Merges
from .model import TextModel
from .model_defaults import FEWEST, QUICKEST_FIRST
from .parameters import recipe_of
from .predicting import Predicts
from .recipes import Recipe
from .restoring import AnyText
from .routing import TEXTS_ARE_X


@parameters
class TextClassifier(Predicts, LearnsOn, Merges, Reports, FindsLabelErrors, StatesBounds, ClassifierMixin, Estimator):
    """Classify texts by their words, with evidence for each prediction.

        score(text)_c = b_c + Σ_words x_j W_jc

    Naive Bayes over the words of the text (`likelihood="multinomial"`), or over which words of the dictionary are there
    and which are not ("bernoulli"): W are log shares, b log class priors, both scaled so that scores are log-odds.
    Every word ever seen is counted, so that the dictionary, too, is derived: learning in any order and any pieces gives
    the same model, `forget` is exact, to the last bit, and `a + b` and `sum(classifiers)` are the model of all their
    texts. "online" learns in pieces and forgets, too: it takes a step for each text, and is solved anew of all when it
    has grown by a twentieth or is looked at. The other models minimise an objective over the same words as columns, and
    cannot learn in pieces. All are linear but "kernel-svm", a machine with support vectors, and "mlp", a neural
    network. A text is a str, or bytes in any charset. `sample_weight` means repetition. None for a parameter is the
    default of the model for this kind of items, the best on held-out ones.

    Parameters
    ----------
    model : str, default="auto"
        One of "naive-bayes", "online", "nbsvm", "logistic", "svm", "perceptron", "least-squares", "kernel-svm", "mlp"
        and "auto":
        naive Bayes for less than 200 texts, else the one of naive Bayes, svm, logistic and, of at most six classes,
        nbsvm whose log loss on a held-out fifth is least; of those within one standard error of the least the first of
        svm, logistic, naive Bayes and nbsvm.
    C : float, optional
        Inverse regularisation strength of nbsvm, logistic, svm and kernel-svm.
    alpha : float, optional
        Pseudo-count of a word (naive-bayes, nbsvm), or strength of the penalty (least-squares). By default that of
        naive Bayes is the one of 0.01, 0.03, 0.1, 0.3, 1 and 3 under which the texts of the calibration are least
        surprising, left out one by one; 0.3 of less than 200 texts and without calibration.
    weighting : {"idf", "unit-idf", "none"}, optional
        Weights of words for linear models and mlp: by inverse document frequency; the same, with texts scaled to norm 1
        during training; or none.
    hidden_layer_sizes : sequence of int, optional
        Number of units of each hidden layer of mlp, from below.
    dropout : float, optional
        Share of hidden units of mlp that are left out for a text during training.
    epochs : int, optional
        Largest number of epochs of mlp.
    likelihood : {"multinomial", "bernoulli"}, default="multinomial"
        Likelihood of naive Bayes: how often words are in a text, or which are.
    estimate : {"bayes", "map", "ml"}, default="bayes"
        Estimate of naive Bayes: the mean of the posterior, its mode, or maximum likelihood.
    class_prior : {"empirical", "smoothed", "uniform"}, float or sequence of float, default="empirical"
        Prior of the classes of naive Bayes: N_c / N, (1 + N_c) / (C + N), uniform; a pseudo-count α,
        (α + N_c) / (αC + N); or probabilities or pseudo-counts in the order of `classes_`.
    calibration : {"affine"} or None, default="affine"
        Of naive Bayes, whether `fit` makes scores log-odds: A · score_c + b_c, with A > 0 and b that suit the scores of
        the texts left out one by one, at most 2,000 of them. Later updates leave A and b as they are; of a sum they are
        those of the part with the least A. With None, scores are those of the counts, log p(text, c), as they are of a
        model that `partial_fit` began. Other models calibrate themselves.
    words : tuple of (int, int), optional
        Shortest and longest word n-grams.
    max_features : int, optional
        Size of the dictionary, of the most frequent words.
    hashed_bits : int, optional
        Number of bits b: words are counted in 2^b hash buckets instead of by name.
    readable : bool, default=True
        Whether hash buckets are named after their words: these are counted beside the buckets and kept in the file, at
        most the 2^20 most frequent ones (some 40 MB), which takes as long as to count a dictionary. With False no word
        of the texts is kept, and buckets have numbers only.
    binary : bool, optional
        Whether a word counts once a text.
    kind : {"text", "mail"}, default="text"
        Kind of items; of mail, headers and parts are read as such.
    time_limit : float or None, default=60.0
        Seconds for the trials of "auto"; with None the choice is reproducible.
    random_state : int or None, default=None
        Seed of the hash and of orders; None is 0.
    n_jobs : int, optional
        Number of threads, as joblib counts them: -1 all cores, -2 all but one. By default all that joblib and the
        environment leave. The result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    model_ : object
        The fitted model.
    served_ : ServedText
        The compiled score.
    tried_ : list
        What "auto" tried.
    certificate_ : Certificate
        What was fitted, how exactly, and from what.

    Examples
    --------
    >>> texts = ["cheap pills now", "cheap loan now", "lunch at noon?", "see you at lunch"]
    >>> clf = TextClassifier().fit(texts, ["spam", "spam", "ham", "ham"])
    >>> clf.predict(["pills for lunch now"]).tolist()
    ['spam']
    >>> why = clf.explain(["cheap lunch"])[0]
    >>> [(term.term, round(term.decibans, 1)) for term in why.terms]
    [('cheap', 4.0), ('lunch', -3.6)]
    """

    model: str = "auto"
    _: KW_ONLY
    C: float | None = None
    alpha: float | None = None
    weighting: str | None = None
    hidden_layer_sizes: Sequence[int] | None = None
    dropout: float | None = None
    epochs: int | None = None
    likelihood: str = "multinomial"
    estimate: str = "bayes"
    class_prior: str | float | Sequence[float] = "empirical"
    calibration: str | None = "affine"
    words: tuple[Whole, Whole] | None = None
    max_features: Whole | None = None
    hashed_bits: Whole | None = None
    readable: bool = True
    binary: bool | None = None
    kind: str = "text"
    time_limit: float | None = 60.0
    random_state: int | None = None
    n_jobs: int | None = None

    __metadata_request__fit = TEXTS_ARE_X
    __metadata_request__partial_fit = TEXTS_ARE_X
    __metadata_request__predict = TEXTS_ARE_X
    __metadata_request__predict_log_proba = TEXTS_ARE_X
    __metadata_request__predict_proba = TEXTS_ARE_X

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags

    def fit(self, texts: Iterable[str | bytes], y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model to labelled texts.

        Parameters
        ----------
        texts : iterable of str or bytes
            Texts.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights ≥ 0; a weight of 2 means twice, 0 as if the example were not there.

        Returns
        -------
        TextClassifier
            The fitted estimator itself.

        Raises
        ------
        ValueError
            If there is one class only, and the model needs two.
        """
        with all_or_nothing(self):
            started = perf_counter()
            texts, labels, members, weights = check_examples(texts, y, sample_weight)
            recipe = recipe_of(self, NAIVE_BAYES if self.model == "auto" else self.model)
            tried: list[CandidateResult] = []
            model: AnyText
            if recipe.model == NAIVE_BAYES and (self.model != "auto" or len(texts) < FEWEST):
                model = self._count_all(recipe, texts, labels, members, weights)
                if self.calibration is not None:
                    model = model.calibrate(Sample.of(recipe.settings.reader(), texts, members, weights))
            else:
                contenders = self._contenders(recipe) if self.model == "auto" else [recipe]
                reader = widest_reader(each.settings for each in contenders)
                corpus = Corpus.of_texts(texts, reader, labels, members, weights).without_empty()
                if len(corpus.classes) < 2:
                    raise ValueError(one_class(corpus.classes))
                if self.model == "auto":
                    recipe, tried, _ = choose(corpus.to_try(), contenders, self.time_limit)
                model = recipe.learn(corpus).with_choice(bound_of_choice(recipe.model, tried))
                if self.calibration is None and isinstance(model, TextModel):
                    model = replace(model, scaling=None)
            if len(model.classes) < 2:
                raise ValueError(one_class(model.classes))
            self._become(model, perf_counter() - started)
            self.tried_ = tried
        return self

    def _contenders(self, first: Recipe) -> list[Recipe]:
        others = [recipe_of(self, model) for model in QUICKEST_FIRST[1:]]
        key = first.settings.key  # of a generator, each would have another
        return [first, *(replace(each, settings=replace(each.settings, key=key)) for each in others)]

    @property
    def certificate_(self) -> Certificate:
        """What the fit minimised and how close it came: exactly, by counting."""
        check_is_fitted(self, "served_")
        return self.model_.certificate(self._seconds).advising(self.get_params(deep=False))
