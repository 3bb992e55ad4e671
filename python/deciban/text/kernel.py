"""Kernel machines of texts: a support vector machine whose kernel is of the directions in which texts point."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.text_layout import KERNEL
from ..scores import KernelScore
from ..scores.tensors import kernel_from
from ..store import Stored
from .corpus import Corpus
from .minimised import MinimisedText, Words, read_off_words, restore_minimised, seed_of
from .settings import TextSettings
from .weighting import directions, rarity

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
        """Raise ValueError for parameters that make no sense."""
        from ..solvers.limits import check_positive

        for name, value in asdict(self).items():
            if not np.isfinite(check_positive(name, value)):
                raise ValueError(f"{name} must be finite for texts, got {value!r}")

    def learn(
        self, settings: TextSettings, corpus: Corpus, *, time_limit: float | None = None, n_jobs: int | None = None
    ) -> MinimisedText:
        """Learn these examples; the model is the same in whichever order they are read."""
        self.check()
        words = Words.of(settings, corpus, n_jobs)
        scale = rarity(words.X, np.ones(len(words.y)) if words.weight is None else words.weight)
        from ..kernel_machines.svm import SVM  # and scikit-learn, for which only those wait who learn
        from ..kernels import RBF

        machine = SVM(
            RBF(self.gamma),
            self.C,
            multi_class="ovr",
            memory_mb=_MEMORY,
            time_limit=time_limit,
            random_state=seed_of(settings),
            n_jobs=n_jobs,
        ).fit(directions(words.X, scale), words.y, words.weight)
        score = machine.scorer_
        assert isinstance(score, KernelScore)
        return MinimisedText(
            settings=self,
            classes=corpus.classes,
            encoder=words.encoder(settings, scale, of_length_one=True),
            scorer=score,
            proof=read_off_words(machine.certificate_, corpus.classes),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the parameters as a file's header keeps them."""
        return {name: float(value) for name, value in asdict(self).items()}

    @classmethod
    def from_stored(cls, stored: Stored) -> MinimisedText:
        """Return the model in a file that `store.read` has checked."""
        return restore_minimised(stored, cls(**stored.header["kernel"]), of_length_one=True)

    def score_from(self, arrays: dict[str, NDArray[Any]], words: int, classes: int) -> KernelScore:
        """Return the score that the tensors of a file hold; ValueError for what cannot be one."""
        from ..kernels import RBF

        found = kernel_from(RBF(float(self.gamma)), arrays, words, classes)
        if (np.abs(found.vectors.data) > 1.0 + 1e-6).any():
            raise ValueError("texts that are longer than 1")
        found.vectors.sum_duplicates()
        return found
