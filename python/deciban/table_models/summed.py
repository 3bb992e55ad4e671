"""Linear models of a table whose state is a sum over its rows: they learn on, and forget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from importlib import import_module
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from deciban.calibration.scaling import Scaling
from deciban.certificates.certificate import fields_of
from deciban.certificates.guarantees import SCALED, add_choice, read_choice, withdraw
from deciban.distributions.scatter import ClassScatter, PooledScatter
from deciban.errors import DataError
from deciban.tables.cells import Cells
from deciban.tables.matching import read_as
from deciban.tables.widening import NEVER_LEARNT, NO_NEW, refuse_strange

from .coded import OF_EACH, CodedTable, scorer_of
from .table_model import refusals_of

# A file keeps sums of so many numbers at most: 16 MB of them.
_MOST = 1 << 21


@dataclass(frozen=True, eq=False, kw_only=True)
class SummedTable(CodedTable):
    """A linear model of a table with `sums`, the statistic that it was derived from.

    Features stay coded as they were when the model was trained: numbers by the means and deviations of the rows of
    then, categories by the labels of then. The `temperature` of its scores, or their `scaling`, stays, too.
    """

    SUMS = True

    sums: Any = None
    temperature: float | None = None
    scaling: Scaling | None = None

    @property
    def calibrator(self) -> float | None:
        return self.temperature

    @staticmethod
    def _state_of(found: Any) -> dict[str, Any]:
        sums = found.counts_
        kept = sums is not None and sum(array.size for array in sums.arrays()) <= _MOST
        held = {"temperature": getattr(found, "temperature_", None), "scaling": getattr(found, "scaling_", None)}
        return {"sums": sums if kept else None, **held}

    def plus(self, cells: Cells, labels: Sequence[Any]) -> Self:
        return self._update("partial_fit", cells, labels)

    def minus(self, cells: Cells, labels: Sequence[Any]) -> Self:
        self._require_sums()
        self._require_rest(labels, cells.name)
        return self._update("forget", cells, labels)

    def _update(self, verb: str, cells: Cells, labels: Sequence[Any]) -> Self:
        self._require_sums()
        matrix = read_as(self.columns, cells)
        refuse_strange(self.columns, cells, NEVER_LEARNT if verb == "forget" else NO_NEW)
        found = self._estimator()
        with refusals_of(cells):
            getattr(found, verb)(self.coding(matrix), np.array(labels))
        found.temperature_ = self.temperature
        proof = replace(
            add_choice(found.certificate_, read_choice(self.proof)), calibration=fields_of(self.proof)["calibration"]
        )
        items = np.array(found.class_count_ if hasattr(found, "class_count_") else found.counts_.n)
        return replace(
            self,
            encoder=replace(self.encoder, items=items),
            scorer=scorer_of(found),
            proof=withdraw(proof, SCALED, OF_EACH).to_json(),
            fitted=found,
            **self._state_of(found),
        )

    def _require_sums(self) -> None:
        if self.sums is None:
            wide = f"over {self.coding.width:,} features they take too much room"
            raise DataError(
                "expected a model whose file holds the sums that it was derived from, to learn on and forget; this one "
                f"has none: {wide if self.coding.width**2 > _MOST // 4 else 'an earlier version wrote it'}. Train anew "
                "with all rows."
            )

    def _estimator(self) -> Any:
        """Return the estimator as it was when these sums were all that it had learnt."""
        from .recipes import ESTIMATORS

        of = ESTIMATORS[self.name]
        found = getattr(import_module(f"deciban.{of.module}"), of.name)(**{**self.settings.parameters, **of.given})
        found.classes_ = np.array(self.classes)
        found.n_features_in_ = self.coding.width
        found.counts_, found._declared, found.columns_ = self.sums, found.classes_[:0], None
        found.temperature_, found.scaling_, found._compiled, found._choice = None, self.scaling, None, None
        found._kind, found._seconds = np.dtype(np.float64), 0.0
        return found

    # The file.

    def arrays(self) -> dict[str, NDArray[Any]]:
        found = super().arrays()
        if self.sums is not None:
            found |= {f"sums.{name}": np.asarray(array, "<f8") for name, array in _by_name(self.sums).items()}
            if self.temperature is not None:
                found["sums.temperature"] = np.array([self.temperature], "<f8")
            if self.scaling is not None:
                found["sums.scaling"] = np.array([self.scaling.slope, *self.scaling.offset], "<f8")
        return found

    @staticmethod
    def _state_from(arrays: dict[str, NDArray[Any]], width: int, C: int) -> dict[str, Any]:
        own = {name: arrays.pop(name) for name in [*arrays] if name not in ("weights", "prior")}
        if not own:
            return {}
        if not all(array.dtype == np.float64 and np.isfinite(array).all() for array in own.values()):
            raise ValueError("sums that are no finite numbers")
        temperature = own.pop("temperature", None)
        if temperature is not None and (temperature.shape != (1,) or not temperature[0] > 0.0):
            raise ValueError("a temperature that is no number above 0")
        scaling = own.pop("scaling", None)
        if scaling is not None and (scaling.shape != (1 + C,) or not scaling[0] > 0.0):
            raise ValueError("a scaling that is no number above 0 and an offset a class")
        told = None if temperature is None else float(temperature[0])
        line = None if scaling is None else Scaling(float(scaling[0]), tuple(scaling[1:].tolist()))
        return {"temperature": told, "scaling": line, "sums": _sums(own, width, C)}


def _by_name(sums: Any) -> dict[str, NDArray[Any]]:
    """Return the arrays of a statistic, those of its parts by number."""
    found = {field.name: getattr(sums, field.name) for field in fields(sums) if field.name != "parts"}
    return {**found, **{f"parts.{k}": part for k, part in enumerate(sums.parts)}}


def _sums(arrays: Mapping[str, NDArray[Any]], width: int, C: int) -> Any:
    """Return the statistic of these arrays; ValueError unless their shapes are those of `width` features and C
    classes."""
    parts = [arrays[f"parts.{k}"] for k in range(sum(name.startswith("parts.") for name in arrays))]
    kind = PooledScatter if len(parts) == 1 else ClassScatter
    own = [field.name for field in fields(kind) if field.name != "parts"]
    if {*own, *(f"parts.{k}" for k in range(len(parts)))} != set(arrays) or len(parts) not in (1, 3):
        raise ValueError(f"sums with the arrays {', '.join(sorted(arrays))}")
    shapes = {"parts.0": (width, width), "parts.1": (C, width), "parts.2": (C,), "s": (C, width)}
    for name, array in arrays.items():
        shape = shapes.get(name, (C,))
        if array.shape[-len(shape) :] != shape:
            raise ValueError(f"sums {name} of the shape {array.shape}")
    return kind(**{name: np.array(arrays[name]) for name in own}, parts=tuple(map(np.array, parts)))
