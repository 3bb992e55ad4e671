"""What every model is that is kept in a file and judges: an encoder and a scorer, with the proof that it was learnt."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, Self

from numpy.typing import NDArray

from .. import store
from ..certificates.bound import Bound
from ..certificates.certificate import Certificate, fields_of
from ..certificates.guarantees import add_choice
from ..data.labels import storable
from ..errors import DataError
from ..scores import Score
from ..scores.tensors import tensors_of


class Settings(Protocol):
    """Which model, with its parameters."""

    @property
    def model(self) -> str:
        """Its name, as the command knows it."""

    def to_json(self) -> dict[str, Any]:
        """Return the parameters as a file's header keeps them."""


class Encoder(Protocol):
    """From items to features: messages, texts or rows of columns, as they were read when the model was learnt."""

    def header(self) -> dict[str, Any]:
        """Return what a file's header keeps of it."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what a file's tensors keep of it."""


@dataclass(frozen=True, kw_only=True)
class Artifact(ABC):
    """A model as it is kept, loaded, judged by and explained, whatever it learnt from and however.

        score(item) = scorer(encoder(item)),      in nats

    settings     which model, and its parameters
    encoder      items to features
    scorer       features to a score for each of `classes`
    certificate  what was minimised, and how close to the minimum the fit came
    calibrator   what scores were multiplied by to be log-odds, where learning on keeps it

    A file keeps all of them, and nothing else but the ledger of a filter: docs/file-format.md.
    """

    settings: Any
    classes: tuple[Any, ...]
    encoder: Any

    @property
    def name(self) -> str:
        """The model's name, as the command knows it."""
        model: str = self.settings.model
        return model

    @property
    @abstractmethod
    def section(self) -> str:
        """Where the header of a file keeps the parameters."""

    if TYPE_CHECKING:  # a field of some, of others derived

        @property
        def scorer(self) -> Score:
            """From features to scores."""

    @property
    def calibrator(self) -> float | None:
        """What scores were multiplied by to be log-odds, where learning on keeps it."""
        return None

    @abstractmethod
    def certificate(self, seconds: float = 0.0) -> Certificate:
        """Return what was minimised, and how close to the minimum the fit came."""

    @abstractmethod
    def with_choice(self, choice: Bound | None) -> Self:
        """Return the same model with what the choice among several told of its errors."""

    def header(self) -> dict[str, Any]:
        """Return what a file's header keeps; ValueError for labels that JSON does not know."""
        return {
            "model": self.name,
            "classes": storable(self.classes),
            self.section: self.settings.to_json(),
            "certificate": self.keep_proof(),
            **self.encoder.header(),
        }

    def keep_proof(self) -> dict[str, Any]:
        """Return the certificate as a file keeps it."""
        return self.certificate().to_json()

    @abstractmethod
    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what a file's tensors keep."""

    def save(
        self,
        path: str | os.PathLike[str],
        header: Mapping[str, Any] | None = None,
        arrays: Mapping[str, NDArray[Any]] | None = None,
    ) -> None:
        """Write a .deciban file, in one step, with what else it is to hold."""
        store.write(path, {**self.header(), **(header or {})}, {**self.arrays(), **(arrays or {})})


@dataclass(frozen=True, eq=False, kw_only=True)
class Minimised(Artifact):
    """An artifact that was learnt from all examples at once.

    `proof` is the certificate as the file keeps it. It cannot learn on or forget: that would be another minimum, of
    examples that are no longer there.
    """

    scorer: Score
    proof: Mapping[str, Any]

    def certificate(self, seconds: float = 0.0) -> Certificate:
        return restore_certificate(self.proof, self.classes, seconds)

    def with_choice(self, choice: Bound | None) -> Self:
        return replace(self, proof=as_kept(add_choice(self.certificate(), choice), self.classes))

    def keep_proof(self) -> dict[str, Any]:
        return dict(self.proof)  # what an older version wrote stays as it is

    def arrays(self) -> dict[str, NDArray[Any]]:
        own = {f"score.{name}": values for name, values in tensors_of(self.scorer).items()}
        return {**own, **self.encoder.arrays()}


def restore_certificate(kept: Mapping[str, Any], classes: tuple[Any, ...], seconds: float) -> Certificate:
    """Return the certificate that a file keeps, with counts by label; DataError for one that is damaged."""
    by_label = dict(zip(map(str, classes), classes, strict=True))
    try:
        proof = fields_of(kept)
        counts = {by_label[label]: n for label, n in proof.pop("class_counts").items()}
        return Certificate(**proof, class_counts=counts, seconds=seconds)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise DataError(f"The model's certificate is damaged: {error}. Train again.") from error


def as_kept(certificate: Certificate, classes: tuple[Any, ...], by_place: bool = False) -> dict[str, Any]:
    """Return the certificate as a file keeps it, with counts by the text of their labels; of a model that knew classes
    `by_place`, by those."""
    counts = {str(classes[c] if by_place else c): n for c, n in certificate.class_counts.items()}
    return replace(certificate, class_counts=counts).to_json()
