"""Texts learnt online: logistic regressions over the words of an item, one example after the other.

A model is a function of the set of its examples: they are learnt in the order of their digests, a few times over, the
last time as they came, so that any order of learning and forgetting ends in the same model, to the last bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._core import Wordbook
from ..artifact.artifact import Artifact, as_kept, restore_certificate
from ..certificates.bound import HELD_OUT, LEAVE_ONE_OUT, Bound, Probabilities
from ..certificates.certificate import Certificate
from ..certificates.guarantees import add_choice, defer
from ..data.digest import digest
from ..data.text_layout import ONLINE
from ..errors import DataError
from ..store import Stored
from .encoder import WordEncoder, dictionary_of, pack
from .examples import Examples, Floats, Places, count_words, gather, places_of
from .experts import Fusion, ServedExperts
from .settings import TextSettings
from .teaching import PASSES, Taught, Teacher, calibrate, hears_passages, unheard
from .word_sets import Lesson

if TYPE_CHECKING:
    from .corpus import Corpus
    from .minimised import Words


@dataclass(frozen=True)
class Online:
    """Logistic regression of the words of an item, learnt online.

        z = b + Σ_{j ∈ x} W_j / √|x|,      W_j −= g_j / √(Σ g_j² + 0.001),     g_j = ∂ log loss / ∂ W_j

    over the set x of the words of an item (Duchi, Hazan & Singer, Journal of Machine Learning Research 12, 2011), three
    times over the examples in the order of their digests, and once as they came: what came last weighs most. Of mail
    two models, of headers and of content, are heard together: see `Fusion`. The scores of each example before it is
    learnt for the first time calibrate the model: no example is set aside, and none is judged by a model that knows it.
    """

    @property
    def model(self) -> str:
        """The model's name, as the command knows it."""
        return ONLINE

    @property
    def takes(self) -> tuple[str, ...]:
        """The parameters that one may give."""
        return ()

    def check(self) -> None:
        """There is nothing to check."""

    def learn(
        self, settings: TextSettings, corpus: Corpus, *, time_limit: float | None = None, n_jobs: int | None = None
    ) -> OnlineText:
        """Learn these examples; the model is the same in whichever order they are read."""
        from .minimised import Words  # here, because who learns one message on does not need it

        words = Words.of(settings, corpus, n_jobs)
        examples = examples_of(words, settings, corpus, n_jobs)
        return OnlineText.of(corpus.classes, words.encoder(settings), examples, n_jobs)

    def to_json(self) -> dict[str, Any]:
        """Return the parameters as a file's header keeps them."""
        return {}


def examples_of(words: Words, settings: TextSettings, corpus: Corpus, n_jobs: int | None = None) -> Examples:
    """Return the examples of a corpus as sets of words, which were looked up."""
    X, y = words.X, words.y.astype(np.int64)
    order = corpus.order()
    times = np.zeros(len(y), np.int64) if corpus.times is None else corpus.times[order]
    keys, weight = corpus.keys[order], words.weight
    weight = None if weight is None or (weight == 1.0).all() else weight
    passages = None
    if hears_passages(settings.kind):
        lengths = np.diff(X.indptr).astype(np.int64)
        came = np.argsort(order)
        starts = np.cumsum(lengths[came]) - lengths[came]
        found = corpus.passages(dictionary_of(settings, pack(words.book.parts()[0]), n_jobs))
        passages = found[places_of(starts[order], lengths)]
    return Examples(X.indptr[1:].astype(np.int64), X.indices.astype(np.int32), y, times, keys, weight, passages)


@dataclass(frozen=True, eq=False, kw_only=True)
class OnlineText(Artifact):
    """Experts that learnt examples online, and the examples: all else is derived from them."""

    settings: Online
    encoder: WordEncoder
    examples: Examples
    weights: Floats
    bias: Floats
    squares: NDArray[np.float32]
    fusion: Fusion
    proof: Mapping[str, Any]

    @classmethod
    def of(
        cls, classes: Sequence[Any], encoder: WordEncoder, examples: Examples, n_jobs: int | None = None
    ) -> OnlineText:
        """Learn these examples, whose words are those of the encoder."""
        first = unheard(classes, encoder.settings.kind)
        teacher = Teacher.of(encoder, examples, len(classes), first, n_jobs)
        taught, spread = teacher.teach()
        fusion, loss = calibrate(first, taught.first, examples.y, examples.weight, len(classes))
        fusion = replace(fusion, spread=spread, typical=teacher.typical())
        return cls(
            settings=Online(),
            classes=tuple(classes),
            encoder=encoder,
            examples=examples,
            weights=taught.weights,
            bias=taught.bias,
            squares=taught.squares,
            fusion=fusion,
            proof=as_kept(_certificate(taught, examples, encoder, tuple(classes), loss), tuple(classes)),
        )

    def revised(
        self, rows: Places, y: Places, more: Sequence[Lesson], classes: Sequence[Any] | None = None
    ) -> OnlineText:
        """Return the model of these examples of this one, of classes y, and some more.

        It is the one that would have been learnt of them from the beginning.
        """
        classes = self.classes if classes is None else classes
        C = len(classes)
        hashes, _, _, names, name_ends = self.encoder.book.parts()
        old = Wordbook(hashes, np.ones((len(hashes), C)), np.ones(C), names, name_ends)
        book, added = gather(more, C, self.examples.passages is not None)
        wide = old.plus(book)
        own, others = (np.searchsorted(wide.hashes, each.hashes).astype(np.int32) for each in (old, book))
        kept = self.examples.take(rows, y)
        both = kept._replace(words=own[kept.words]).plus(added._replace(words=others[added.words]))
        book, examples = count_words(wide, both.in_order(), C)
        return OnlineText.of(classes, replace(self.encoder, book=book), examples)

    def without(self, lessons: Sequence[Lesson]) -> OnlineText:
        """Return the model that never learnt some of its lessons, nor a class of which nothing is left, while there are
        two others; DataError for lessons that it has not learnt."""
        examples, less = self.examples, gather(lessons, len(self.classes), placed=False)[1]
        often = np.ones(len(examples.y)) if examples.weight is None else examples.weight
        gone: set[int] = set()
        for i, (key, label) in enumerate(zip(less.keys, less.y, strict=True)):
            first, last = (int(np.searchsorted(examples.keys, key, side)) for side in ("left", "right"))
            weight = 1.0 if less.weight is None else less.weight[i]
            same = (row for row in range(first, last) if examples.y[row] == label and often[row] == weight)
            row = next((row for row in same if row not in gone), None)
            if row is None:
                raise DataError(
                    f"text {i} of those to forget was never learnt as {self.classes[label]!r}. Nothing was forgotten."
                )
            gone.add(row)
        rows = np.array([row for row in range(len(examples.y)) if row not in gone], np.int64)
        left = np.unique(examples.y[rows])
        left = left if len(left) > 1 else np.arange(len(self.classes))
        return self.revised(rows, np.searchsorted(left, examples.y[rows]), (), [self.classes[c] for c in left.tolist()])

    @property
    def section(self) -> str:
        return ONLINE

    def compile(self, n_jobs: int | None = None) -> ServedExperts:
        """Return the model as it judges."""
        hashes, _, _, words, ends = self.encoder.book.parts()
        return ServedExperts(
            self.encoder.settings,
            self.classes,
            hashes=pack(hashes),
            weights=pack(self.weights),
            prior=pack(self.bias),
            bias=b"",
            words=words,
            ends=pack(ends),
            n_jobs=n_jobs,
            claims=self.encoder.claims,
            doubts=pack(self.doubts),
            squares=np.ascontiguousarray(self.squares, "<f4").tobytes(),
            fusion=self.fusion,
            empty=tuple(np.flatnonzero(np.array(self.encoder.book.items) == 0.0).tolist()),
        )

    @property
    def doubts(self) -> Floats:
        """(K,) how new each word is: 1/(1 + n) of a word that n examples have."""
        doubts: Floats = 1.0 / (1.0 + self.encoder.book.parts()[1].sum(axis=1))
        return doubts

    def certificate(self, seconds: float = 0.0) -> Certificate:
        return restore_certificate(self.proof, self.classes, seconds)

    def with_choice(self, choice: Bound | None) -> OnlineText:
        return replace(self, proof=as_kept(add_choice(self.certificate(), choice), self.classes))

    def keep_proof(self) -> dict[str, Any]:
        return dict(self.proof)

    # The file.

    def header(self) -> dict[str, Any]:
        return {**super().header(), ONLINE: {"fusion": self.fusion.to_json()}}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what a file's tensors keep: the examples, their words, and what was learnt of them."""
        own: dict[str, NDArray[Any]] = {
            "score.weights": self.weights.ravel(),
            "score.prior": self.bias.ravel(),
            "score.doubts": self.doubts,
            "score.squares": self.squares.ravel(),
        }
        return {**own, **self.examples.arrays(), **self.encoder.arrays()}

    @classmethod
    def from_stored(cls, stored: Stored) -> OnlineText:
        """Return the model in a file that `store.read` has checked; DataError for parts that do not fit together."""
        header, tensors = stored.header, stored.tensors
        try:
            encoder = WordEncoder.from_stored(stored)
            examples = Examples.from_stored(stored, len(encoder.book), len(header["classes"]))
        except (ValueError, KeyError) as error:
            raise DataError(f"{stored.name}: its model is damaged: {str(error).rstrip('.')}. Train again.") from error
        fusion = Fusion.from_json(header[ONLINE]["fusion"])
        m = len(fusion.intercept)
        return cls(
            settings=Online(),
            classes=tuple(header["classes"]),
            encoder=encoder,
            examples=examples,
            weights=np.array(tensors["score.weights"].array()).reshape(-1, m),
            bias=np.array(tensors["score.prior"].array()).reshape(-1, m),
            squares=np.array(tensors["score.squares"].array()).reshape(-1, m),
            fusion=fusion,
            proof=header["certificate"],
        )


def _certificate(
    taught: Taught, examples: Examples, encoder: WordEncoder, classes: tuple[Any, ...], loss: float
) -> Certificate:
    weight = np.ones(len(examples.y)) if examples.weight is None else examples.weight
    counts = np.bincount(examples.y, weight, minlength=len(classes)).astype(float).tolist()
    return Certificate(
        objective="log loss of each example before it is learnt, a mean",
        primal=loss,
        dual=None,
        kkt_violation=None,
        iterations=PASSES * len(examples.y),
        status="streamed",
        advice="Four passes over the examples: nothing to do.",
        seconds=0.0,
        n=float(weight.sum()),
        d=len(encoder.book),
        class_counts=dict(zip(classes, counts, strict=True)),
        seed=encoder.settings.key,
        digest=digest(taught.weights, taught.bias),
        bounds=(defer(LEAVE_ONE_OUT), defer(HELD_OUT)),
        calibration=Probabilities("a line, by the scores of examples before they were learnt", loss),
    )
