"""A graph of ONNX's standard operators, put together value by value."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

Value = str
"""The name of a value of a graph."""

OPSET, IR = 18, 8
"""Operators, and the layout of the file, as onnxruntime reads them from version 1.14 on."""

# Beyond that much a graph carries its numbers badly: a file of protocol buffers holds 2 GiB.
_MOST_BYTES = (1 << 31) - (1 << 20)


class Graph:
    """Nodes and constants. `graph("Add", x, 1.0)` adds a node and returns its value; numbers become constants.

    Floating point constants are float64 unless an array of another type is given.
    """

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.size = 0
        self._known: dict[tuple[Any, ...], Value] = {}

    def __call__(self, operator: str, *inputs: Any, **attributes: Any) -> Value:
        return self.named(f"v{len(self.nodes)}", operator, *inputs, **attributes)

    def named(self, name: str, operator: str, *inputs: Any, **attributes: Any) -> Value:
        """Add a node whose value has this name."""
        names = [each if isinstance(each, str) else self.constant(each) for each in inputs]
        self.nodes.append(helper.make_node(operator, names, [name], **attributes))
        return name

    def constant(self, values: Any) -> Value:
        """Return the value of an array, a number, or a list of texts; equal ones are one."""
        array = np.asarray(values)
        if array.dtype.kind in "OU":
            texts: Any = [str(each).encode() for each in array.ravel().tolist()]
            key: tuple[Any, ...] = (array.shape, *texts)
        else:
            array = np.ascontiguousarray(array, array.dtype if array.dtype.kind in "fb" else np.int64)
            key = (array.shape, array.dtype.str, array.tobytes())
        if key not in self._known:
            name = f"c{len(self.constants)}"
            if array.dtype.kind in "OU":
                tensor = helper.make_tensor(name, TensorProto.STRING, array.shape, texts)
            else:
                tensor = numpy_helper.from_array(array.reshape(np.shape(values)), name)
                self.size += array.nbytes
            self.constants.append(tensor)
            self._known[key] = name
        return self._known[key]

    @property
    def is_too_large(self) -> bool:
        """Whether no file of ONNX holds the constants."""
        return self.size > _MOST_BYTES

    # What has a name of its own.

    def cast(self, x: Value, to: Any) -> Value:
        """Return the value as numbers of this type."""
        return self("Cast", x, to=helper.np_dtype_to_tensor_dtype(np.dtype(to)))

    def truth(self, condition: Value) -> Value:
        """Return 1.0 where the condition is true, and 0.0 elsewhere."""
        return self.cast(condition, np.float64)

    def sum(self, x: Value, axis: int, keep: bool = False) -> Value:
        """Return the sum along an axis."""
        return self("ReduceSum", x, [axis], keepdims=int(keep))

    def largest(self, scores: Value) -> Value:
        """Return (N,) the place of the largest of scores (N, C), of equal ones the first."""
        return self("ArgMax", scores, axis=1, keepdims=0)

    def column(self, x: Value, k: int) -> Value:
        """Return (N, 1) a column of x (N, d)."""
        return self("Gather", x, [k], axis=1)

    def beside(self, *columns: Value) -> Value:
        """Return columns side by side."""
        return self("Concat", *columns, axis=1) if len(columns) > 1 else columns[0]

    def affine(self, x: Value, W: NDArray[Any], b: NDArray[Any]) -> Value:
        """Return x·W + b."""
        product = self("MatMul", x, W)
        return self("Add", product, b) if np.any(b) else product
