"""What a refusal says, word for word, and that it leaves the model as it was."""

import pickle
from contextlib import contextmanager

import pytest


def state(model):
    """All that a model knows, without what is derived from it when first asked for."""
    return pickle.dumps({name: value for name, value in vars(model).items() if name != "_compiled"})


@contextmanager
def refused(text, kind=ValueError, model=None):
    """The block raises `kind` with exactly this text; a `model` is then what it was before."""
    before = None if model is None else state(model)
    with pytest.raises(kind) as caught:
        yield
    assert str(caught.value) == text
    assert model is None or state(model) == before
