"""From a file to a text model, which loads only what this model needs."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

from ..data.text_layout import KERNEL, NAIVE_BAYES, NETWORK, ONLINE
from ..store import Stored

if TYPE_CHECKING:
    from .minimised import MinimisedText
    from .model import TextModel
    from .online import OnlineText

AnyText: TypeAlias = "TextModel | MinimisedText | OnlineText"
"""A text model that has learnt."""

_CLASSES = {
    NAIVE_BAYES: ("model", "TextModel"),
    ONLINE: ("online", "OnlineText"),
    KERNEL: ("kernel", "Machine"),
    NETWORK: ("network", "Layers"),
}


def from_stored(stored: Stored) -> AnyText:
    """Return the model in a file that `store.read` has checked."""
    module, name = _CLASSES.get(stored.header["model"], ("linear", "Linear"))
    found: AnyText = getattr(import_module(f".{module}", __package__), name).from_stored(stored)
    return found
