"""Containers of arrays: NumPy's, the array API standard as written, and the libraries of GPUs where they are."""

from importlib.util import find_spec

import numpy as np
import pytest

from deciban.data.devices import on_host


def _of_numpy():
    return np.array


def _of_the_standard(device):
    def there():
        import array_api_strict as xp

        xp.set_array_api_strict_flags(boolean_indexing=False, data_dependent_shapes=False, enabled_extensions=[])
        return lambda values: xp.asarray(np.array(values), device=xp.Device(device))

    return there


def _of_cupy():
    import cupy

    return cupy.asarray


def _of_torch():
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    return lambda values: torch.asarray(np.array(values), device=device)


def _where(name):
    return pytest.mark.skipif(find_spec(name) is None, reason=f"{name} is not installed")


ELSEWHERE = [
    pytest.param(_of_the_standard("device1"), id="standard"),
    pytest.param(_of_cupy, id="cupy", marks=_where("cupy")),
    pytest.param(_of_torch, id="torch", marks=_where("torch")),
]
EVERY = [pytest.param(_of_numpy, id="numpy"), *ELSEWHERE]
SINGLE = [pytest.param(_of_the_standard(name), id=name) for name in ("no_float64", "no_x64")]


def prepared(container):
    """What puts NumPy's values into the container; the standard asks for all that it asks for."""
    make = container()
    yield make
    if find_spec("array_api_strict") is not None:
        import array_api_strict as xp

        xp.reset_array_api_strict_flags()


def same_place(one, other):
    """Whether two arrays are of one library and on one device."""
    return type(one) is type(other) and getattr(one, "device", None) == getattr(other, "device", None)


def host(values):
    return on_host(values, None)
