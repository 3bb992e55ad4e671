"""The contents of the model of texts in a file."""

from __future__ import annotations

import os

from .. import store
from ..mail.ledger import Ledger
from ..text.restoring import from_stored
from .inventory import Inventory, class_bits, strongest, telling


def inventory_of(stored: store.Stored, path: str, top: int) -> Inventory:
    """Return what the filter in the file at `path` tells, with `top` words a list."""
    model, header = from_stored(stored), stored.header
    encoder = model.encoder
    _, counts, items, *_ = encoder.book.parts()
    rows, _, seen = encoder.features()
    return Inventory(
        kind=encoder.settings.kind,
        model=header["model"],
        classes={str(label): float(count) for label, count in zip(model.classes, items, strict=True)},
        words=len(encoder.book),
        dictionary=len(rows),
        occurrences=float(counts.sum()),
        dropped=encoder.dropped,
        uncounted=encoder.uncounted,
        retired=encoder.retired,
        ledger=len(Ledger.from_stored(stored)),
        settings=encoder.settings.to_json(),
        origin=header.get("origin"),
        bayes=header.get("bayes"),
        linear=header.get("linear"),
        kernel=header.get("kernel"),
        network=header.get("network"),
        bucket_words=None if encoder.words is None else encoder.words.to_json(),
        certificate=header["certificate"],
        bytes=os.path.getsize(path),
        digest=header["digest"],
        class_bits=class_bits(model),
        information=telling(model, rows, seen, top) if top else [],
        evidence=strongest(model, rows, seen, top) if top else {},
    )
