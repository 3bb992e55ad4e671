"""A text model that compares texts: a support vector machine whose kernel is of the directions in which texts point."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..data.text_layout import KERNEL
from ..errors import DataError
from ..kernels import RBF
from ..kernels.tensors import vectors_from, vectors_to
from ..scores import KernelScore
from ..solvers.limits import check_positive
from ..store import Stored
from .corpus import Corpus
from .minimised import MinimisedText, Words, read, seed_of, told
from .rowwise import ServedRows, finite
from .served import ServedText
from .settings import TextSettings
from .weighting import STEEPER, directions, rarity

Floats = NDArray[np.float64]


# MiB for kernels: as a whole, which is several times quicker than row by row, those of up to 7,000 texts.
_MEMORY = 800.0


@dataclass(frozen=True)
class Machine:
    """Which kernel machine.

        K(x, z) = exp(−gamma ‖u_x − u_z‖²),      u = x·idf^(3/2) / ‖x·idf^(3/2)‖

    of the words x of a text: two texts are as much alike as the angle between them is small, whatever their lengths.
    C is the price of an error. Many classes: each against the rest.
    """

    C: float = 3.0
    gamma: float = 0.3

    @property
    def model(self) -> str:
        """The model's name, as the command knows it."""
        return KERNEL

    @property
    def takes(self) -> tuple[str, ...]:
        """The parameters that one may give."""
        return ("C",)

    def check(self) -> None:
        """ValueError for parameters that make no sense."""
        for name, value in asdict(self).items():
            if not np.isfinite(check_positive(name, value)):
                raise ValueError(f"{name} must be finite for texts, got {value!r}")

    def learn(
        self, settings: TextSettings, corpus: Corpus, *, time_limit: float | None = None, n_jobs: int | None = None
    ) -> KernelText:
        """The model of these examples, the same in whichever order they are read."""
        self.check()
        book, dropped, named, X, y, weight = Words.of(settings, corpus, n_jobs)
        scale = rarity(X, np.ones(len(y)) if weight is None else weight) ** STEEPER
        rows = directions(X, scale)
        from ..kernel_machines.svm import SVM  # and scikit-learn, for which only those wait who learn

        machine = SVM(
            RBF(self.gamma),
            self.C,
            multi_class="ovr",
            memory_mb=_MEMORY,
            time_limit=time_limit,
            random_state=seed_of(settings),
            n_jobs=n_jobs,
        ).fit(rows, y, weight)
        score = machine.scorer_
        assert isinstance(score, KernelScore)
        return KernelText(
            declared=self,
            settings=settings,
            classes=corpus.classes,
            book=book,
            scale=scale,
            score=score,
            proof=told(machine.certificate_, corpus.classes),
            dropped=dropped,
            words=named,
        )

    def to_json(self) -> dict[str, Any]:
        """As the file's header keeps it."""
        return {name: float(value) for name, value in asdict(self).items()}


@dataclass(frozen=True, kw_only=True)
class KernelText(MinimisedText):
    """score(item) = intercept + Σ_i A_i K(item, text i), in nats, over the texts that hold the boundary in place.

    `scale` (K,) is what each word counts before lengths are divided by.
    """

    declared: Machine
    scale: Floats
    score: KernelScore

    def compile(self, n_jobs: int | None = None) -> ServedKernelText:
        """The model as it judges."""
        known = ServedKernelText.of_model(self, n_jobs)
        return ServedKernelText(**known, scale=self.scale, score=self.score)

    # The file.

    def header(self) -> dict[str, Any]:
        """What the file's header keeps of the model; ValueError for labels that JSON does not know."""
        return self._header("kernel")

    def arrays(self, served: ServedText) -> dict[str, NDArray[Any]]:
        """What the file keeps: the machine, and the words with their counts."""
        return {
            "score.scale": self.scale.astype("<f8"),
            "score.dual": self.score.A.astype("<f8"),
            "score.intercept": self.score.intercept.astype("<f8"),
            **{f"score.{name}": values for name, values in vectors_to(self.score.vectors).items()},
            **self._words(),
        }

    @classmethod
    def from_stored(cls, stored: Stored) -> Self:
        """The model in a file that `store.read` has checked."""
        declared = Machine(**stored.header["kernel"])
        scale, score = _machine_of(stored)
        return cls(scale=scale, score=score, **read(stored, declared))


@dataclass(frozen=True, eq=False)
class ServedKernelText(ServedRows):
    """A machine of texts, compiled: what a word says is the mean of what it adds to an empty text and of what the item
    loses without it, see `KernelScore.terms`."""

    score: KernelScore = field(kw_only=True)

    @classmethod
    def of_stored(cls, stored: Stored, n_jobs: int | None = None) -> Self:
        """The model in a file that `store.read` has checked."""
        scale, score = _machine_of(stored)
        return cls(**cls.of_file(stored, n_jobs), scale=scale, score=score)

    def scores(self, items: Iterable[str | bytes]) -> Floats:
        """(N, C) log joint probabilities, in nats."""
        return self.score(self.rows(items), self.n_jobs)

    def by_word(self) -> Floats:
        """(K, C) what each word adds to a text of nothing else, as heavy as it is on average, in nats."""
        return self.score.alone()


def _machine_of(stored: Stored) -> tuple[Floats, KernelScore]:
    """What each word counts, and the score; DataError for what does not fit together."""
    arrays = {name.removeprefix("score."): tensor.array() for name, tensor in stored.tensors.items()}
    try:
        scale, dual, intercept = (finite(arrays[name]) for name in ("scale", "dual", "intercept"))
        gamma = float(stored.header["kernel"]["gamma"])
        vectors = vectors_from(RBF(gamma), arrays, len(dual), len(scale))
        if (scale <= 0.0).any() or (np.abs(vectors.data) > 1.0 + 1e-6).any():
            raise ValueError("words that weigh nothing, or texts that are longer than 1")
        vectors.sum_duplicates()
    except (ValueError, KeyError, IndexError) as error:
        raise DataError(f"{stored.name}: its model is damaged: {str(error).rstrip('.')}. Train again.") from error
    return scale, KernelScore(RBF(gamma), vectors, dual, intercept)
