"""A text model of layers of units: a multilayer perceptron over the directions in which texts point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..certificates.certificate import Certificate
from ..data.text_layout import NETWORK, WEIGHTINGS
from ..errors import DataError
from ..networks.activations import ReLU
from ..networks.history import Epoch
from ..networks.network import Kept, Network
from ..networks.outputs import CrossEntropy, Softmax
from ..scores import NetworkScore
from ..store import Stored
from .corpus import Corpus
from .minimised import MinimisedText, Words, read, seed_of, told
from .rowwise import ServedRows, finite
from .served import ServedText
from .settings import TextSettings
from .weighting import STEEPER, directions, rarity, scaled, weigh

if TYPE_CHECKING:
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
# Larger weights might take the signals of a layer beyond a float32.
_LARGEST = 1e12


@dataclass(frozen=True)
class Layers:
    """Which network.

        score(x) = s of the last layer,     s = h W + b,    h = max(0, s of the layer below)

    over the words x of a text, weighed as `text.linear.Linear` says: by "unit-idf" two texts of the same words have the
    same score, whatever their lengths. `hidden` are the units of the hidden layers, from below, `dropout` the share of
    them that a text goes without while it is learnt; at most `epochs`, less where the loss of a tenth held out has not
    fallen for five.
    """

    hidden: int | tuple[int, ...] = (64,)
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
        return ("hidden", "dropout", "epochs", "weighting")

    @property
    def sizes(self) -> tuple[int, ...]:
        """The units of each hidden layer; a number is one layer."""
        from ..mlp.settings import hidden_sizes

        return hidden_sizes(self.hidden)

    def check(self) -> None:
        """ValueError for parameters that make no sense."""
        if len(self.sizes) > _LAYERS:
            raise ValueError(f"hidden: at most {_LAYERS} layers are expected, got {self.hidden!r}")
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
    ) -> NetworkText:
        """The model of these examples, the same in whichever order they are read; `watch` is told of each epoch."""
        self.check()
        above = (*self.sizes, len(corpus.classes))
        within = _within_memory(settings, above)
        book, dropped, named, X, y, weight = Words.of(within, corpus, n_jobs)
        _check_size(len(book), above[0])
        scale, X = self._weighed(X, np.ones(len(y)) if weight is None else weight)
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
        found = model.watched_by(watch).fit(X.astype(np.float32), y, weight)
        return NetworkText(
            declared=self,
            settings=within if len(book) == within.max_features else settings,
            classes=corpus.classes,
            book=book,
            scale=scale,
            score=NetworkScore(ByRow.of(found.coefs_, found.intercepts_)),
            proof=told(_of_all(found.certificate_, y, weight, held), corpus.classes),
            dropped=dropped,
            words=named,
            history_=tuple(found.history_),
        )

    def _weighed(self, X: sparse.csr_array, weight: Floats) -> tuple[Floats, sparse.csr_array]:
        """What each word counts, and the rows."""
        if self.weighting == "unit-idf":
            scale = rarity(X, weight) ** STEEPER
            return scale, directions(X, scale)
        found = weigh(self.weighting, X, weight)
        return found.scale, found.rows

    def to_json(self) -> dict[str, Any]:
        """As the file's header keeps it."""
        return {**asdict(self), "hidden": list(self.sizes), "dropout": float(self.dropout)}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Layers:
        """What a file's header holds."""
        return cls(**{**values, "hidden": tuple(values["hidden"])})


def _within_memory(settings: TextSettings, above: tuple[int, ...]) -> TextSettings:
    """The settings with so few words that there are not too many weights; buckets are as many as they are."""
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
    """Of all texts, also those held out, with the names that parameters have here."""
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
        """Of ReLU and a softmax."""
        first, *above = ([np.asarray(each) for each in arrays] for arrays in zip(weights, biases, strict=True))
        layers = [first, *([W.astype(np.float64), b.astype(np.float64)] for W, b in above)]
        return cls([W for W, _ in layers], [b for _, b in layers], ReLU(), Softmax(), CrossEntropy())

    def signals(self, x: Any, masks: Sequence[Any] = ()) -> tuple[list[Kept], Any]:
        """What is kept of each hidden layer, and s (n, K) of the last."""
        kept: list[Kept] = []
        s = x @ self.weights[0]
        s += self.biases[0]
        for W, b in zip(self.weights[1:], self.biases[1:], strict=True):
            kept.append(Kept(s, self.activation.forward(s)))
            s = np.tile(b, (len(s), 1))
            for unit, row in enumerate(W):
                s += kept[-1].h[:, unit, None] * row
        return kept, s


@dataclass(frozen=True, kw_only=True)
class NetworkText(MinimisedText):
    """The scores of a network, in nats, whose differences are log-odds.

    `scale` (K,) is what each word counts; `history_` are the epochs of its learning, which a file does not keep.
    """

    declared: Layers
    scale: Floats
    score: NetworkScore
    history_: tuple[Epoch, ...] = ()

    def compile(self, n_jobs: int | None = None) -> ServedNetworkText:
        """The model as it judges."""
        known = ServedNetworkText.of_model(self, n_jobs)
        one = self.declared.weighting == "unit-idf"
        return ServedNetworkText(**known, scale=self.scale, score=self.score, of_length_one=one)

    # The file.

    def header(self) -> dict[str, Any]:
        """What the file's header keeps of the model; ValueError for labels that JSON does not know."""
        return self._header("network")

    def arrays(self, served: ServedText) -> dict[str, NDArray[Any]]:
        """What the file keeps: the weights of each layer, and the words with their counts."""
        net = self.score.network
        layers = {f"score.weights.{k}": W.astype("<f4") for k, W in enumerate(net.weights, 1)}
        layers |= {f"score.biases.{k}": b.astype("<f4") for k, b in enumerate(net.biases, 1)}
        return {"score.scale": self.scale.astype("<f8"), **layers, **self._words()}

    @classmethod
    def from_stored(cls, stored: Stored) -> Self:
        """The model in a file that `store.read` has checked."""
        scale, score = _network_of(stored)
        return cls(scale=scale, score=score, **read(stored, Layers.from_json(stored.header["network"])))


@dataclass(frozen=True, eq=False)
class ServedNetworkText(ServedRows):
    """A network of texts, compiled: what a word says are its gradients, integrated on the way from an empty text, see
    `NetworkScore.terms`."""

    score: NetworkScore = field(kw_only=True)

    @classmethod
    def of_stored(cls, stored: Stored, n_jobs: int | None = None) -> Self:
        """The model in a file that `store.read` has checked."""
        scale, score = _network_of(stored)
        one = stored.header["network"]["weighting"] == "unit-idf"
        return cls(**cls.of_file(stored, n_jobs), scale=scale, score=score, of_length_one=one)

    def by_word(self) -> Floats:
        """(K, C) what a text of this word alone has more than an empty one, in nats."""
        one: Any = sparse.eye_array(len(self.scale), format="csr")
        found: Floats = self.score(one if self.of_length_one else scaled(one, self.scale)) - self.score.prior
        return found


def _network_of(stored: Stored) -> tuple[Floats, NetworkScore]:
    """What each word counts, and the score; DataError for what does not fit together."""
    arrays = {name.removeprefix("score."): tensor.array() for name, tensor in stored.tensors.items()}
    depth = len(stored.header["network"]["hidden"]) + 1
    try:
        scale = finite(arrays["scale"])
        weights, biases = (
            [finite(arrays[f"{part}.{k}"], _LARGEST) for k in range(1, depth + 1)] for part in ("weights", "biases")
        )
        if not (scale > 0.0).all():
            raise ValueError("words that weigh nothing")
    except ValueError as error:
        raise DataError(f"{stored.name}: its model is damaged: {error}. Train again.") from error
    return scale, NetworkScore(ByRow.of(weights, biases))
