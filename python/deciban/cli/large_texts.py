"""deciban train of texts that are larger than memory: rows of their words are kept in files beside the linear model
meanwhile."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np

from .. import __version__
from ..distributed.kept_folder import KeptFolder
from ..distributed.linear_texts import learn_in_parts
from ..distributed.on_executors import OnExecutor
from ..distributed.parts import Block, Part
from ..errors import DataError, escape
from ..mail.filter import Filter
from ..mail.ledger import Ledger
from ..report.progress import format_size
from ..text.corpus import MEMORY, Corpus
from ..text.encoder import WordEncoder
from ..text.linear import Linear
from ..text.minimised import only_features
from ..text.recipes import Recipe
from ..threads import effective_threads
from .labelled_items import Wanted
from .large_tables import folder_for, is_beside
from .memory import memory_of
from .output import Remarks

# A part has about so many values, or so many for each word, as passes over a part make vectors of all words.
_VALUES, _VALUES_OF_WORD = 1 << 21, 2
# So many numbers a word and score are there at once, as measured.
_NUMBERS = 40


@dataclass(frozen=True)
class LargeTexts:
    """How texts are learnt that are larger than `memory`: how they are read, and the engine that keeps their rows."""

    recipe: Recipe
    wanted: Wanted
    engine: OnExecutor
    memory: int

    @classmethod
    @contextmanager
    def open(
        cls, paths: Sequence[str], recipe: Recipe, output: str, given: Mapping[str, Any], remarks: Remarks
    ) -> Iterator[LargeTexts]:
        """Hold a folder beside the model for as long as the block takes, and remove it, but for the weights so far
        where the block is interrupted: the next run begins with them."""
        jobs, memory, folder = given["jobs"], memory_of(given["memory"]), folder_for(output)
        wanted = Wanted([recipe], jobs, remarks.quiet, named=False, memory=min(MEMORY, memory // 4))
        kept = KeptFolder(folder, _about(paths, recipe, given))
        point = kept.folder / "point.npy"
        with kept.open():
            if point.exists():
                remarks(f"Going on from the weights in {escape(folder)}.")
            remarks(
                f"{escape(paths[0])} is larger than memory: rows of its words are learnt from files in "
                f"{escape(folder)}."
            )
            try:
                with (
                    ThreadPoolExecutor(effective_threads(jobs)) as threads,
                    closing(OnExecutor(threads, folder, point)) as engine,
                ):
                    yield cls(recipe, wanted, engine, memory)
            except BaseException as error:
                if not isinstance(error, KeyboardInterrupt) or not point.exists() or not is_beside(folder, output):
                    kept.remove()
                    raise
                error.add_note(
                    f"the weights so far are kept in {escape(folder)}, and the same command goes on from them"
                )
                raise
            kept.remove()

    def learn(self, corpus: Corpus) -> Filter:
        """Return the filter of distinct items."""
        settings, learner = self.recipe.settings, self.recipe.learner
        assert isinstance(learner, Linear)
        encoder = only_features(WordEncoder.of(settings, corpus.count(settings)))
        _require_room(learner.model, encoder, len(corpus.classes), self.memory)
        dictionary = encoder.dictionary(1)

        def read_slice(places: range) -> Block:
            some = corpus.only(np.array(places))
            return Block(some.rows(dictionary), some.y)

        parts = [Part(i, "", read_slice, (places,)) for i, places in enumerate(_slices(corpus, encoder))]
        model = learn_in_parts(learner, self.engine, encoder, corpus.classes, parts, self.wanted.jobs)
        return Filter(model, Ledger.of_distinct(corpus.keys, corpus.y))


def _about(paths: Sequence[str], recipe: Recipe, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the weights depend on."""
    source = sha256()
    for path in paths:
        with suppress(OSError):
            told = os.stat(path)
            source.update(f"{os.path.realpath(path)!r} {told.st_size} {told.st_mtime_ns}\n".encode())
    return {
        "version": __version__,
        "source": source.hexdigest(),
        "columns": [given.get("text"), given.get("label")],
        "model": recipe.model,
        "settings": recipe.settings.to_json(),
        "parameters": recipe.learner.to_json(),
    }


def _slices(corpus: Corpus, encoder: WordEncoder) -> list[range]:
    """Return neighbouring items, in groups of about as many words as a part is to have."""
    n, words = len(corpus), len(encoder.book)
    values = max(_VALUES, _VALUES_OF_WORD * words) * n / float(encoder.book.parts()[1].sum())
    step = max(1, int(values))
    return [range(first, min(first + step, n)) for first in range(0, n, step)]


def _require_room(model: str, encoder: WordEncoder, classes: int, memory: int) -> None:
    """Raise DataError where the weights that a search moves are larger than the memory that it may take."""
    words, scores, bits = len(encoder.book), classes if classes > 2 else 1, encoder.settings.hashed_bits
    size = 8 * _NUMBERS * scores
    most = max(1, memory // size)
    if words > most:
        instead = f"--max-features {most:,}" if bits is None else f"--hashed {max(1, most.bit_length() - 1)}"
        raise DataError(
            f"{model} weighs {words:,} {'words' if bits is None else 'hash buckets'} for each of {scores:,} scores, "
            f"which takes about {format_size(size * words)} of memory; --memory is {format_size(memory)}. Expected at "
            f"most {most:,}. Choose {instead} or less, or a larger --memory."
        )
