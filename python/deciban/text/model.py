"""Naive Bayes of texts: the counts of all words by class. Learning is +, unlearning −, the score is derived."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._core import Dictionary
from ..artifact.artifact import Artifact
from ..calibration.scaling import Scaling, more_cautious
from ..certificates.bound import LEAVE_ONE_OUT, Bound
from ..certificates.certificate import Certificate
from ..certificates.guarantees import add_choice, certify_words, defer, read_choice
from ..claims import UNBOUNDED
from ..data.refusal import first, refuse_infinite
from ..data.text_layout import NAIVE_BAYES
from ..distributions import Counts, StatisticError, by_name
from ..distributions.counts import ROUNDING
from ..distributions.priors import class_prior, pseudo_counts
from ..errors import DataError
from ..lazy import cached_property
from ..models.certified import certify
from ..scores import AffineScore
from ..store import Stored
from .belief import Belief
from .bucket_words import bucket_names
from .corpus import Corpus
from .counting import Occurrences
from .encoder import WordEncoder, dictionary_of, pack
from .left_out import FEW, MOST, LeftOut, Sample, choose_pseudo_count
from .model_defaults import ALPHA, ALPHAS, FEWEST
from .served import TENSORS, ServedText
from .settings import Kind, TextSettings
from .widening import widening

# The distributions that words are taken to come from.
_OF_WORDS = ("bernoulli", "multinomial")


@dataclass(frozen=True)
class Bayes:
    """Which naive Bayes: see `NaiveBayes` for the words. Where alpha is `chosen`, calibration sets it."""

    likelihood: str = "multinomial"
    alpha: float = 1.0
    estimate: str = "bayes"
    class_prior: str | float | tuple[float, ...] = "empirical"
    chosen: bool = False

    def family(self) -> Any:
        """Return the distribution, with its prior: one of those that words can be drawn from."""
        if self.likelihood not in _OF_WORDS:
            known = ", ".join(map(repr, _OF_WORDS))
            raise ValueError(f"likelihood must be one of {known}, got {self.likelihood!r}")
        if self.estimate == "predictive" and self.likelihood == "multinomial":
            raise ValueError(
                "estimate='predictive' is not affine in the words, as the score of a TextClassifier is. Expected "
                "'bayes', 'map' or 'ml'. Use make_pipeline(TextVectorizer(), NaiveBayes(estimate='predictive'))."
            )
        return by_name(self.likelihood).symmetric(self.alpha)

    def total(self, seen: Counts) -> NDArray[np.float64]:
        """Return (C,) by which counts, with what the estimate adds to each, are divided to become φ."""
        added = float(pseudo_counts(self.alpha, self.estimate))
        return seen.n + 2.0 * added if self.likelihood == "bernoulli" else (seen.s + added).sum(axis=1)

    def check(self, items: NDArray[np.float64]) -> None:
        """Raise ValueError for what no model of classes with these items (C,) can be."""
        self.family()
        if not items.any():
            raise ValueError("items of one class at least are expected")
        class_prior(self.prior(), items)

    def prior(self) -> Any:
        """Return the class prior as `class_prior` takes it."""
        return np.array(self.class_prior) if isinstance(self.class_prior, tuple) else self.class_prior

    def vectors(self, settings: TextSettings) -> TextSettings:
        """Return the settings for vectors that the likelihood understands: present or absent for Bernoulli."""
        return replace(settings, binary=settings.binary or self.likelihood == "bernoulli")

    @property
    def model(self) -> str:
        """The model's name, as the command knows it."""
        return NAIVE_BAYES

    def to_json(self) -> dict[str, Any]:
        """Return the parameters as a file's header keeps them."""
        prior: Any = self.class_prior
        if not isinstance(prior, str):
            prior = [float(each) for each in prior] if isinstance(prior, tuple) else float(prior)
        return {
            "likelihood": self.likelihood,
            "alpha": float(self.alpha),
            "estimate": self.estimate,
            "class_prior": prior,
            **({"chosen": True} if self.chosen else {}),
        }

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Bayes:
        """Return what a file's header holds."""
        prior = values["class_prior"]
        return cls(**{**values, "class_prior": tuple(prior) if type(prior) is list else prior})


class Defaults(NamedTuple):
    """How items of one kind are read and learnt unless one says otherwise."""

    settings: TextSettings
    bayes: Bayes


DEFAULTS: dict[Kind, Defaults] = {
    "text": Defaults(
        TextSettings("text", (1, 2), max_features=None, binary=True), Bayes(alpha=ALPHA["text"], chosen=True)
    ),
    "mail": Defaults(TextSettings("mail", (1, 1), max_features=None, binary=True), Bayes(alpha=ALPHA["mail"])),
}
"""What did best on held-out items. Text: a fifth each of 20 Newsgroups, IMDB, MR, SMS and Korean reviews, their mean
accuracy 0.881, against 0.876 with alpha = 1, and 0.847 for counts of the 10,000 most frequent single words. Mail: half
the SpamAssassin corpus judged by the other half, (1 − ROCA)% 0.026, against 0.10 with alpha = 1 and 0.12 with 10,000
words: a word seen once is worth a lot where the other class has never shown it."""


@dataclass(frozen=True, kw_only=True)
class TextModel(Artifact):
    """Naive Bayes over the words of a text: its state is the counts of its encoder, all else is derived from them.

    If there were more than `max_words` distinct words, only known words are learnt from then on; a filter, which
    knows its items one by one, has rare words give way (`text.generations`). `choice` is what its choice among
    several told of its errors, when it was trained, and `scaling` what made its scores log-odds then: both stay when it
    learns on and forgets. Without scaling scores are those of the counts.
    """

    settings: Bayes
    encoder: WordEncoder
    choice: Bound | None = None
    scaling: Scaling | None = None

    @classmethod
    def of(cls, settings: TextSettings, bayes: Bayes, classes: Sequence[Any], seen: Occurrences) -> TextModel:
        """Return the model of the words that were counted by class."""
        return cls(settings=bayes, classes=tuple(classes), encoder=WordEncoder.of(settings, seen))

    @property
    def section(self) -> str:
        return "bayes"

    def calibrate(self, sample: Sample) -> TextModel:
        """Return the model with the scaling, and the pseudo-count if it is to be chosen, that suit these of its items,
        left out one by one."""
        items, counts = sample.items(len(self.classes))
        return self._scale(lambda dictionary: dictionary.rows(items), counts, np.arange(len(items)))

    def calibrate_by(self, corpus: Corpus) -> TextModel:
        """Return the same, of those of lowest digest in the corpus that was learnt."""
        assert corpus.keys is not None
        which = np.unique(corpus.keys, return_inverse=True)[1].reshape(-1)
        chosen = np.flatnonzero(which < MOST)
        first = chosen[np.unique(which[chosen], return_index=True)[1]]
        counts = np.zeros((len(first), len(self.classes)))
        np.add.at(counts, (which[chosen], corpus.y[chosen]), 1.0 if corpus.weight is None else corpus.weight[chosen])
        order = np.argsort(first)  # tokens are read in the order in which they came
        places = corpus.places[first[order]]
        return self._scale(lambda dictionary: dictionary.rows_of(corpus.X, places), counts[order], order)

    def _scale(
        self, rows_in: Callable[[Dictionary], Any], counts: NDArray[np.float64], rank: NDArray[np.intp]
    ) -> TextModel:
        """Return the model that suits examples, learnt `counts` (M, C) times, of this `rank` (M,) by digest."""
        words, hashes, seen = self.encoder.features()
        if not len(hashes):
            return self  # there is no evidence to be scaled
        bayes, absent = self.settings, self.settings.likelihood == "bernoulli"
        ends, features, values = rows_in(dictionary_of(self.encoder.settings, pack(hashes), None))
        added = float(pseudo_counts(bayes.alpha, bayes.estimate))
        left = LeftOut(ends, features, values, counts, seen, absent)
        if bayes.chosen and bayes.estimate == "bayes" and len(counts) >= FEWEST:
            added = choose_pseudo_count(left.only(rank < FEW), bayes.prior(), ALPHAS, added)
            bayes = replace(bayes, alpha=added)
        found = replace(self, settings=bayes, scaling=left.calibrate(bayes.prior(), added).scaling)
        vars(found)["_compiled"] = found._compile(words, hashes, seen)  # which judging and saving ask for next
        return found

    def plus(self, more: TextModel | Occurrences) -> TextModel:
        """Return the model that has also learnt `more`, which counts the same classes."""
        self._refuse_generations()
        return replace(self, encoder=self.encoder.plus(more.encoder if isinstance(more, TextModel) else more))

    def merge(self, other: TextModel, bounded: bool = True) -> TextModel:
        """Return the model that has learnt what both have, whichever is first; with more words than it may hold where
        it is not `bounded`."""
        for each in (self, other):
            each._refuse_generations()
        return replace(
            self,
            settings=replace(self.settings, alpha=max(self.settings.alpha, other.settings.alpha)),
            encoder=self.encoder.merge(other.encoder, bounded),
            choice=None,
            scaling=more_cautious(self.scaling, other.scaling),
        )

    def within_bound(self) -> TextModel:
        """Return the model with no more words than it may hold, the more frequent ones."""
        return replace(self, encoder=self.encoder.within_bound())

    def minus(self, less: TextModel | Occurrences) -> TextModel:
        """Return the model that never learnt `less`; DataError if the counts prove that it had not learnt it."""
        self._refuse_generations()
        return self.changed(lambda: self.encoder.minus(less.encoder if isinstance(less, TextModel) else less))

    def _refuse_generations(self) -> None:
        """Raise DataError where only a ledger tells in which items the words count."""
        if self.encoder.generations is not None:
            raise DataError(
                "cannot learn or forget with the counts alone: more words were met than this filter holds, and only "
                "its ledger tells in which items each counts. Use `deciban learn` and `deciban forget`."
            )

    def changed(self, change: Callable[[], WordEncoder]) -> TextModel:
        """Return the model of the counts that are left; DataError if they prove that what was forgotten had never been
        learnt."""
        try:
            left = replace(self, encoder=change())
        except ValueError as error:
            raise DataError(f"cannot forget what was never learnt: {error}.") from error
        left._refuse_impossible()
        return left

    def _refuse_impossible(self) -> None:
        """Raise DataError for counts that no items can have: words of a class without items, or in more items than it
        has."""
        book = self.encoder.book
        _, counts, items, _, _ = book.parts()
        most = items if self.encoder.settings.binary else np.where(items > 0.0, np.inf, 0.0)
        wrong = counts > most * (1.0 + ROUNDING)
        if wrong.any():
            word, c = first(wrong)
            raise DataError(
                f"cannot forget what was never learnt: {self.classes[c]!r} would have {items[c]:g} items, and "
                f"{book.names([word])[0]!r} counted {counts[word, c]:g} times. "
                "Forget only what was learnt, with the same label and weight."
            )

    def with_classes(self, classes: Sequence[Any]) -> TextModel:
        """Return the same counts as part of more classes, given in their new order."""
        places = {c: k for k, c in enumerate(classes)}
        place = [places[c] for c in self.classes]
        scaling = self.scaling and self.scaling.of_classes(place, len(classes))
        encoder = self.encoder.with_classes(place, len(classes))
        return replace(self, classes=tuple(classes), encoder=encoder, scaling=scaling)

    def without_empty(self) -> TextModel:
        """Return the same model without classes of which nothing is left; two at least stay."""
        items = np.array(self.encoder.book.items)
        kept = np.flatnonzero(items > 0)
        if len(kept) == len(items) or len(kept) < 2:
            return self
        scaling = self.scaling and self.scaling.only(kept.tolist())
        classes = tuple(self.classes[c] for c in kept)
        return replace(self, classes=classes, encoder=self.encoder.only_classes(kept), scaling=scaling)

    @property
    def scorer(self) -> AffineScore:
        """The affine form of log p(x | c) + log p(c), scaled."""
        return self._derive(*self.encoder.features())

    def _derive(self, rows: NDArray[np.int64], hashes: NDArray[np.uint64], seen: Counts) -> AffineScore:
        """Return φ from the counts, the affine form of log p(x | c), the class prior."""
        if not len(rows):
            raise DataError("No words were found in the items: nothing to learn from.")
        family = self.settings.family()
        try:
            W, absent = family.affine(family.parameters(seen, self.settings.estimate))
            refuse_infinite(W)
        except StatisticError as error:
            names, bits = self.encoder.book.names(rows.tolist()), self.encoder.settings.hashed_bits
            raise error.named(
                lambda j: f"bucket {hashes[j] >> (64 - bits)}" if bits else f"word {names[j]!r}",
                lambda c: f"class {self.classes[c]!r}",
            ) from error
        pi = class_prior(self.settings.prior(), seen.n)
        with np.errstate(divide="ignore"):
            raw = AffineScore(W, np.log(pi), absent)
        return raw if self.scaling is None else raw.scaled(self.scaling.slope, self.scaling.offset)

    @cached_property
    def _compiled(self) -> ServedText:
        return self._compile(*self.encoder.features())

    def _compile(self, rows: NDArray[np.int64], hashes: NDArray[np.uint64], seen: Counts) -> ServedText:
        score, bayes, read = self._derive(rows, hashes, seen), self.settings, self.encoder.settings
        words, ends = self.encoder.book.packed_names(rows[:0] if read.hashed_bits else rows)
        prior, wide = pack(score.prior), tuple(widening(seen, read.binary).tolist())
        slope = 1.0 if self.scaling is None else self.scaling.slope
        return ServedText(
            read,
            self.classes,
            hashes=pack(hashes),
            weights=pack(score.W),
            prior=prior,
            bias=pack(score.bias),
            belief=Belief.of(bayes.to_json(), pack(bayes.total(seen)), pack(seen.n), prior, wide, slope),
            absent=b"" if score.absent is None else pack(score.absent),
            words=words,
            ends=pack(ends),
            buckets=None if score.absent is None else bucket_names(read, self.encoder.words),
            claims=UNBOUNDED if self.scaling is None else self.encoder.claims,
        )

    def compile(self, n_jobs: int | None = None) -> ServedText:
        """Return the model as it judges."""
        return self._compiled if n_jobs is None else replace(self._compiled, n_jobs=n_jobs)

    def certificate(self, seconds: float = 0.0) -> Certificate:
        """Return what was minimised and how exactly: see `NaiveBayes`."""
        *_, seen = self.encoder.features()
        bayes, seed = self.settings, self.encoder.settings.key
        d = int(seen.s.shape[1])
        proof = certify(bayes.family(), seen, bayes.estimate, bayes.prior(), self.classes, d, seconds, seed)
        return add_choice(certify_words(proof, defer(LEAVE_ONE_OUT)), self.choice)

    def with_choice(self, choice: Bound | None) -> TextModel:
        return replace(self, choice=choice)

    # The file.

    def header(self) -> dict[str, Any]:
        found = super().header()
        return found if self.scaling is None else {**found, "calibration": self.scaling.to_json()}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what a file's tensors keep: the statistics, and the score derived from them."""
        served, own = self.compile(), self.encoder.arrays()
        kinds = dict(zip(TENSORS, ("<u8", "<f8", "<f8", "<f8", "<f8", "u1", "<u8"), strict=True))
        assert served.belief is not None
        shared = ("hashes", "words", "ends") if len(served.hashes) == own["state.hashes"].nbytes else ()
        score = {f"score.{n}": np.frombuffer(getattr(served, n), kind) for n, kind in kinds.items() if n not in shared}
        return {
            **score,
            "score.total": np.array(served.belief.total, "<f8"),
            "score.widening": np.array(served.belief.widening, "<f8"),
            **own,
        }

    @classmethod
    def from_stored(cls, stored: Stored) -> TextModel:
        """Return the model in a file that `store.read` has checked."""
        header = stored.header
        bayes = Bayes.from_json(header["bayes"])
        try:
            encoder = WordEncoder.from_stored(stored)
            bayes.check(np.array(encoder.book.items))
        except ValueError as error:
            raise DataError(f"{stored.name}: its model is damaged: {error}. Train again.") from error
        choice = read_choice(header["certificate"])
        told = header.get("calibration")
        scaling = None if told is None else Scaling.from_json(told)
        classes = tuple(header["classes"])
        model = cls(settings=bayes, classes=classes, encoder=encoder, choice=choice, scaling=scaling)
        model._require_score(stored)
        return model

    def _require_score(self, stored: Stored) -> None:
        """Raise DataError where the score that a file has is not that of its counts, up to rounding."""
        for name, own in self.arrays().items():
            told = stored.tensors.get(name)
            if not name.startswith("score.") or told is None:  # which older files wrote elsewhere, or not at all
                continue
            values = told.array()
            near = own.shape == values.shape and (
                np.allclose(values, own, rtol=1e-6, atol=1e-9) if own.dtype.kind == "f" else np.array_equal(values, own)
            )
            if not near:
                raise DataError(
                    f"{stored.name}: its model is damaged: {name!r} is not what its counts say. Train again."
                )
