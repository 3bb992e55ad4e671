"""Mailboxes, Maildirs and folders of texts by label: their items in batches, as the command reads them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from ..errors import UsageError
from ..mail.reading import read_files
from ..mail.sources import files


def items_of(paths: Mapping[Any, Any], estimator: Any) -> Iterator[tuple[list[bytes], list[Any]]]:
    """Yield batches of items with their labels; `paths` says where those of each label are, and the estimator whether
    they are mail."""
    from ..text.classifier import TextClassifier
    from ..text.parameters import recipe_of

    if not isinstance(estimator, TextClassifier):
        raise UsageError(
            f"X is files by label, and the estimator is {type(estimator).__name__}. Expected a TextClassifier, which "
            "reads them. Pass TextClassifier('naive-bayes', kind='mail')."
        )
    settings = recipe_of(estimator, "naive-bayes").settings
    for label, given in paths.items():
        some = [given] if isinstance(given, str | os.PathLike) else given
        for _, items in read_files(files([os.fspath(path) for path in some]), settings, None, None):
            yield items[:], [label] * len(items)
