"""Text models that are learnt by minimising, whatever was minimised: words, and a score of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from .._core import Wordbook
from ..artifact.artifact import Minimised, as_kept
from ..certificates.bound import ANEW, LEAVE_ONE_OUT, Bound
from ..certificates.certificate import Certificate
from ..certificates.guarantees import WORDS, add_choice, withdraw
from ..data.text_layout import SECTIONS
from ..errors import DataError
from ..scores import AffineScore, Score
from ..store import Stored
from .bucket_words import BucketWords
from .corpus import Corpus
from .encoder import WordEncoder, pack
from .served import ServedText
from .settings import TextSettings

if TYPE_CHECKING:
    from scipy import sparse


class Learner(Protocol):
    """Which model, with its parameters."""

    @property
    def model(self) -> str:
        """Its name, as the command knows it."""

    @property
    def takes(self) -> tuple[str, ...]:
        """The parameters that one may give."""

    def check(self) -> None:
        """Raise ValueError for parameters that make no sense."""

    def to_json(self) -> dict[str, Any]:
        """Return the parameters as a file's header keeps them."""

    def score_from(self, arrays: dict[str, NDArray[Any]], words: int, classes: int) -> Score:
        """Return the score that the tensors of a file hold, all of them; ValueError for what cannot be one."""


class Words(NamedTuple):
    """Examples as rows of their words, in an order that is the same however they came: `book` counts the words by
    class, of which so many rare ones were `dropped`, with `uncounted` occurrences; `named` are those of hash buckets,
    where they are kept; X is CSR (N, K), y (N,), weight (N,) or None for 1 each."""

    book: Wordbook
    dropped: int
    uncounted: float
    named: BucketWords | None
    X: sparse.csr_array
    y: NDArray[np.intp]
    weight: NDArray[np.float64] | None

    @classmethod
    def of(cls, settings: TextSettings, corpus: Corpus, n_jobs: int | None) -> Words:
        """Count the words and look them up: two passes over the tokens."""
        found = corpus.once("rows", settings, lambda: cls._count(settings, corpus, n_jobs))
        return found._replace(X=found.X.copy()) if corpus.tried else found  # which weighing changes

    @classmethod
    def _count(cls, settings: TextSettings, corpus: Corpus, n_jobs: int | None) -> Words:
        known = only_features(WordEncoder.of(settings, corpus.count(settings, corpus.named)))
        order = corpus.order()
        rows = corpus.rows(known.dictionary(n_jobs))[order]
        weight = None if corpus.weight is None else corpus.weight[order]
        return cls(known.book, known.dropped, known.uncounted, known.words, rows, corpus.y[order], weight)

    def encoder(
        self, settings: TextSettings, scale: NDArray[np.float64] | None = None, of_length_one: bool = False
    ) -> WordEncoder:
        """Return what makes rows of other items, whose words count `scale` (K,) times."""
        return WordEncoder(
            settings=settings,
            book=self.book,
            dropped=self.dropped,
            uncounted=self.uncounted,
            words=self.named,
            scale=scale,
            of_length_one=of_length_one,
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class MinimisedText(Minimised):
    """score(item) = scorer(words of the item, scaled), in nats: affine in the words, or a machine or network of them.

    The counts of the words are those of naive Bayes: what `inspect` tells comes from there. `history_` are the epochs
    of a network, which a file does not keep.
    """

    settings: Learner
    encoder: WordEncoder
    history_: tuple[Any, ...] = ()

    @property
    def section(self) -> str:
        return SECTIONS[self.name]

    def compile(self, n_jobs: int | None = None) -> ServedText:
        """Return the model as it judges."""
        if not isinstance(self.scorer, AffineScore):
            from .rowwise import ServedRows

            return ServedRows.of(self.encoder, self.scorer, self.classes, n_jobs)
        hashes, _, _, words, ends = self.encoder.book.parts()
        prior = pack(self.scorer.prior)
        return ServedText(
            self.encoder.settings,
            self.classes,
            hashes=pack(hashes),
            weights=pack(self.scorer.W),
            prior=prior,
            bias=prior,
            words=words,
            ends=pack(ends),
            n_jobs=n_jobs,
            claims=self.encoder.claims,
        )

    def with_choice(self, choice: Bound | None) -> MinimisedText:
        return replace(self, proof=read_off_words(add_choice(self.certificate(), choice), self.classes, by_place=False))

    def arrays(self) -> dict[str, NDArray[Any]]:
        # Weights lie one after the other, for who judges without NumPy.
        found = super().arrays()
        return found | {name: found[name].ravel() for name in ("score.weights",) if name in found}


def read_off_words(certificate: Certificate, classes: tuple[Any, ...], by_place: bool = True) -> dict[str, Any]:
    """Return the certificate of a model of words that were read off the examples, as a file keeps it."""
    fixed = withdraw(withdraw(certificate, WORDS), ANEW, (LEAVE_ONE_OUT,))
    return as_kept(fixed, classes, by_place)


def restore_minimised(stored: Stored, learner: Learner, of_length_one: bool = False) -> MinimisedText:
    """Return the model in a file that `store.read` has checked; DataError for what does not fit together."""
    classes = tuple(stored.header["classes"])
    names = [name for name in stored.tensors if name.startswith("score.") and name != "score.scale"]
    arrays = {name.removeprefix("score."): stored.tensors[name].array() for name in names}
    try:
        learner.check()
        encoder = WordEncoder.from_stored(stored, of_length_one)
        scorer = learner.score_from(arrays, len(encoder.book), len(classes))
    except (ValueError, KeyError, IndexError) as error:
        raise DataError(f"{stored.name}: its model is damaged: {str(error).rstrip('.')}. Train again.") from error
    return MinimisedText(
        settings=learner, classes=classes, encoder=encoder, scorer=scorer, proof=stored.header["certificate"]
    )


def seed_of(settings: TextSettings) -> int:
    """Return the seed of what is random."""
    return settings.key % 2**32


def only_features(encoder: WordEncoder) -> WordEncoder:
    """Return the encoder of those words that are features, the most frequent ones or all buckets; DataError where there
    are none."""
    k, seen, book = encoder.settings.max_features, len(encoder.book), encoder.book
    if not seen:
        raise DataError("No words were found in the items: nothing to learn from.")
    if k is None or k >= seen or encoder.settings.hashed_bits:
        return encoder
    rows = book.most_frequent(k)
    return replace(encoder, book=Wordbook(*book.rows(rows), np.array(book.items), *book.packed_names(rows)))
