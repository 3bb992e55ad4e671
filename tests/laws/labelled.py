"""Small labelled data sets for the laws."""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays


class Data(NamedTuple):
    """X (N, d) of whole numbers, y (N,) of class indices 0 … C−1, weight (N,) of whole numbers ≥ 1."""

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    C: int

    def part(self, rows):
        """Some rows of it, still of C classes."""
        return Data(self.X[rows], self.y[rows], self.weight[rows], self.C)


@st.composite
def labelled_data(draw, largest=4):
    """2 … 12 rows of 1 … 5 features from 0 … `largest`; every one of 1 … 3 classes has a row."""
    C = draw(st.integers(1, 3))
    N = draw(st.integers(max(2, C), 12))
    d = draw(st.integers(1, 5))
    X = draw(arrays(np.int64, (N, d), elements=st.integers(0, largest)))
    rest = draw(arrays(np.int64, N - C, elements=st.integers(0, C - 1)))
    weight = draw(arrays(np.float64, N, elements=st.integers(1, 3).map(float)))
    return Data(X, np.concatenate([np.arange(C), rest]), weight, C)
