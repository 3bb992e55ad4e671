"""Support vectors as the tensors of a file, and back; only what a file needs who is to be judged by it is loaded."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.data.refusal import check
from deciban.data.rows import is_sparse
from deciban.kernels import Kernel

Arrays = dict[str, NDArray[Any]]

_LARGEST = 1 << 31


def vectors_to(vectors: Any) -> Arrays:
    """Return support vectors as tensors, by the form that they have."""
    if is_sparse(vectors):
        parts = {"data": vectors.data, "indices": vectors.indices, "indptr": vectors.indptr}
        return {f"vectors.{key}": little(value) for key, value in parts.items()}
    if vectors.dtype == object:
        texts = [text.encode("utf-8", "surrogatepass") for text in vectors]
        sizes = np.array([len(text) for text in texts], dtype="<i8")
        return {"vectors.texts": np.frombuffer(b"".join(texts), "u1"), "vectors.sizes": sizes}
    return {"vectors.columns" if vectors.ndim == 1 else "vectors": little(vectors)}


def little(values: NDArray[Any]) -> NDArray[Any]:
    """Return the same numbers as every machine reads them."""
    return values.astype("<f4" if values.dtype == np.float32 else "<f8" if values.dtype.kind == "f" else "<i8")


def vectors_from(kernel: Kernel, arrays: Arrays, m: int, d: int) -> Any:
    """Return m support vectors of d features that tensors hold; ValueError for what they cannot be."""
    if "vectors.texts" in arrays:
        from .items import indexable

        return indexable(kernel.accept(_texts(arrays, m)))
    if "vectors.columns" in arrays:
        columns = indices_of(arrays, "vectors.columns", m)
        check(m == 0 or int(columns.max()) < d, "columns beyond the Gram matrix")
        return columns
    if "vectors.data" in arrays:
        from scipy import sparse

        data, indices, ends = (arrays[f"vectors.{name}"] for name in ("data", "indices", "indptr"))
        ends, indices = indices_of(arrays, "vectors.indptr", m + 1), indices_of(arrays, "vectors.indices", len(data))
        right = ends[0] == 0 and ends[-1] == len(data) and (np.diff(ends) >= 0).all() and (indices < d).all()
        check(bool(right) and data.dtype.kind == "f", "a sparse table that is none")
        check(bool(np.isfinite(data).all()), "support vectors that are not finite")
        return sparse.csr_array((np.array(data), indices, ends), shape=(m, d))
    vectors = arrays["vectors"]
    check(vectors.shape == (m, d) and vectors.dtype.kind == "f", "support vectors of another shape")
    return kernel.accept(np.array(vectors), d)


def _texts(arrays: Arrays, m: int) -> list[str]:
    sizes, letters = indices_of(arrays, "vectors.sizes", m), arrays["vectors.texts"]
    check(letters.dtype == np.uint8 and int(sizes.sum()) == len(letters), "texts of another length")
    whole, ends = letters.tobytes(), np.cumsum(sizes)
    return [whole[end - size : end].decode("utf-8", "surrogatepass") for size, end in zip(sizes, ends, strict=True)]


def indices_of(arrays: Arrays, name: str, count: int) -> NDArray[np.intp]:
    """Return places (count,) from 0; ValueError for what are none."""
    values = arrays[name]
    right = values.dtype == np.int64 and values.shape == (count,) and bool(((values >= 0) & (values < _LARGEST)).all())
    check(right, f"{name} that are no places")
    return values.astype(np.intp)
