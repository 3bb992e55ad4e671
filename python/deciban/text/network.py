"""Networks of texts: a multilayer perceptron over the directions in which texts point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from ..certificates.certificate import Certificate
from ..data.text_layout import NETWORK, WEIGHTINGS
from ..errors import DataError
from ..networks.layers import CrossEntropy, ReLU, Softmax
from ..networks.network import Kept, Network
from ..scores import NetworkScore
from ..scores.tensors import network_from
from ..store import Stored
from .corpus import Corpus
from .minimised import MinimisedText, Words, read_off_words, restore_minimised, seed_of
from .settings import TextSettings
from .weighting import directions, rarity, weigh

if TYPE_CHECKING:
    from scipy import sparse

    from ..networks.training import Watch

Floats = NDArray[np.float64]
# Weights of the words' layer: 128 MiB of float32. Adam's two means, a gradient, the best so far and its successor are
# as large, so that learning takes less than 2 GB. Those above it are few.
MOST_WEIGHTS, _MOST_ABOVE = 1 << 25, 1 << 22
# Layers and epochs at most: a file that asks for more is none.
_LAYERS, _EPOCHS = 8, 10_000
# How it goes down; chosen on parts held out, see `text.recipes`.
_RATE, _BATCH, _PATIENCE = 0.002, 64, 3
# Few texts make so many steps an epoch, of one text or more each.
_STEPS = 20
# A tenth is held out for early stopping where a class has so many texts that one of them is a tenth.
_SHARE, _FEWEST = 0.1, 6
_PARTS = {"activation": "relu", "output": "softmax", "error": "cross_entropy"}


@dataclass(frozen=True)
class Layers:
    """Which network.

        score(x) = s of the last layer,     s = h W + b,    h = max(0, s of the layer below)

    over the words x of a text, weighed as `text.linear.Linear` says: by "unit-idf" two texts of the same words have the
    same score, whatever their lengths. `hidden_layer_sizes` are the units of the hidden layers, from
    below, `dropout` the share of them that a text goes without while it is learnt; at most `epochs`, less where the
    loss of a tenth held out has not fallen for five.
    """

    hidden_layer_sizes: int | tuple[int, ...] = (64,)
    dropout: float = 0.7
    epochs: int = 50
    weighting: str = "unit-idf"

    @property
    def model(self) -> str:
        """The model's name, as the command knows it."""
        return NETWORK

    @property
    def takes(self) -> tuple[str, ...]:
        """The parameters that one may give."""
        return ("hidden_layer_sizes", "dropout", "epochs", "weighting")

    @property
    def sizes(self) -> tuple[int, ...]:
        """The units of each hidden layer; a number is one layer."""
        from ..mlp.settings import hidden_sizes

        return hidden_sizes(self.hidden_layer_sizes)

    def check(self) -> None:
        """Raise ValueError for parameters that make no sense."""
        if len(self.sizes) > _LAYERS:
            raise ValueError(
                f"hidden_layer_sizes: at most {_LAYERS} layers are expected, got {self.hidden_layer_sizes!r}"
            )
        number = isinstance(self.dropout, int | float) and not isinstance(self.dropout, bool)
        if not number or not 0.0 <= self.dropout < 1.0:
            raise ValueError(f"dropout must be from 0 to below 1, got {self.dropout!r}")
        if type(self.epochs) is not int or not 1 <= self.epochs <= _EPOCHS:
            raise ValueError(f"epochs must be a whole number from 1 to {_EPOCHS:,}, got {self.epochs!r}")
        if self.weighting not in WEIGHTINGS:
            raise ValueError(f"weighting must be 'unit-idf', 'idf' or 'none', got {self.weighting!r}")

    def learn(
        self,
        settings: TextSettings,
        corpus: Corpus,
        *,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        watch: Watch | None = None,
    ) -> MinimisedText:
        """Learn these examples; the model is the same in whichever order they are read. `watch` is told of each
        epoch."""
        self.check()
        above = (*self.sizes, len(corpus.classes))
        within = _within_memory(settings, above)
        words = Words.of(within, corpus, n_jobs)
        y, weight, K = words.y, words.weight, len(words.book)
        _check_size(K, above[0])
        scale, X = self._weigh_terms(words.X, np.ones(len(y)) if weight is None else weight)
        from ..mlp.classifier import MLPClassifier  # and scikit-learn, for which only those wait who learn

        held = int(np.bincount(y).max()) >= _FEWEST
        model = MLPClassifier(
            self.sizes,
            dropout=self.dropout,
            learning_rate=_RATE,
            batch_size=min(_BATCH, 1 + len(y) // _STEPS),
            max_iter=self.epochs,
            n_iter_no_change=_PATIENCE if held else self.epochs,
            early_stopping=held,
            validation_fraction=_SHARE,
            time_limit=time_limit,
            random_state=seed_of(settings),
        )
        found = model.watch_with(watch).fit(X.astype(np.float32), y, weight)
        return MinimisedText(
            settings=self,
            classes=corpus.classes,
            encoder=words.encoder(within if within.max_features == K else settings, scale, self.of_length_one),
            scorer=NetworkScore(ByRow.of(found.coefs_, found.intercepts_)),
            proof=read_off_words(_of_all(found.certificate_, y, weight, held), corpus.classes),
            history_=tuple(found.history_),
        )

    @property
    def of_length_one(self) -> bool:
        """Whether rows are divided by their lengths."""
        return self.weighting == "unit-idf"

    def _weigh_terms(self, X: sparse.csr_array, weight: Floats) -> tuple[Floats, sparse.csr_array]:
        """Return what each word counts, and the rows."""
        if self.weighting == "unit-idf":
            scale = rarity(X, weight)
            return scale, directions(X, scale)
        found, rows = weigh(self.weighting, X, weight)
        return np.ones(X.shape[1]) if found.scale is None else found.scale, rows

    def to_json(self) -> dict[str, Any]:
        """As the file's header keeps it."""
        return {
            "hidden": list(self.sizes),
            "dropout": float(self.dropout),
            "epochs": self.epochs,
            "weighting": self.weighting,
        }

    def score_from(self, arrays: dict[str, NDArray[Any]], words: int, classes: int) -> NetworkScore:
        """Return the score that the tensors of a file hold; ValueError for what cannot be one."""
        found = network_from(_PARTS, arrays, words, classes)
        return NetworkScore(ByRow.of(found.weights, found.biases))

    @classmethod
    def from_stored(cls, stored: Stored) -> MinimisedText:
        """Return the model in a file that `store.read` has checked."""
        values = stored.header["network"]
        layers = cls(tuple(values["hidden"]), values["dropout"], values["epochs"], values["weighting"])
        return restore_minimised(stored, layers, layers.of_length_one)


def _within_memory(settings: TextSettings, above: tuple[int, ...]) -> TextSettings:
    """Return the settings with so few words that there are not too many weights; buckets are as many as they are."""
    most, others = MOST_WEIGHTS // above[0], sum(below * units for below, units in pairwise(above))
    if most < 1 or others > _MOST_ABOVE:
        raise DataError(
            f"Expected at most {_MOST_ABOVE:,} weights above the first layer, for the sake of memory; hidden units "
            f"{list(above[:-1])} for {above[-1]} classes have {others:,}. Take fewer units."
        )
    if settings.hashed_bits or (settings.max_features or most + 1) <= most:
        return settings
    return replace(settings, max_features=most)


def _check_size(words: int, units: int) -> None:
    if words * units > MOST_WEIGHTS:
        raise DataError(
            f"Expected at most {MOST_WEIGHTS:,} weights, for the sake of memory; {words:,} buckets for {units:,} units "
            "are more. Take fewer hashed bits or fewer units."
        )


def _of_all(certificate: Certificate, y: NDArray[np.intp], weight: Floats | None, held: bool) -> Certificate:
    """Tell of all texts, also those held out, with the names that parameters have here."""
    counts = np.bincount(y, weight).astype(float)
    objective = certificate.objective + (", a tenth held out" if held else "")
    advice = certificate.advice.replace("max_iter", "epochs")
    told = dict(enumerate(counts.tolist()))
    return replace(certificate, objective=objective, advice=advice, n=float(counts.sum()), class_counts=told)


@dataclass
class ByRow(Network):
    """A network whose answer to a CSR row is the same, to the last bit, whatever rows are asked for together.

    The words' layer is float32, those above it float64, summed unit by unit.
    """

    @classmethod
    def of(cls, weights: Sequence[Any], biases: Sequence[Any]) -> Self:
        """Make a network of ReLU and a softmax."""
        first, *above = ([np.asarray(each) for each in arrays] for arrays in zip(weights, biases, strict=True))
        layers = [first, *([W.astype(np.float64), b.astype(np.float64)] for W, b in above)]
        return cls([W for W, _ in layers], [b for _, b in layers], ReLU(), Softmax(), CrossEntropy())

    def signals(self, x: Any, masks: Sequence[Any] = ()) -> tuple[list[Kept], Any]:
        """Return what is kept of each hidden layer, and s (n, K) of the last."""
        kept: list[Kept] = []
        s = x @ self.weights[0]
        s += self.biases[0]
        for W, b in zip(self.weights[1:], self.biases[1:], strict=True):
            kept.append(Kept(s, self.activation.forward(s)))
            s = np.tile(b, (len(s), 1))
            for unit, row in enumerate(W):
                s += kept[-1].h[:, unit, None] * row
        return kept, s
