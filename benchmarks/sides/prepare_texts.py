"""A Parquet file of labelled texts to what the sides read: train.pickle and test.pickle (texts, labels), and for
Vowpal Wabbit train.vw and test.vw (lower-cased words; training in a shuffled order, which its online learner needs).

    python prepare_texts.py DATA.parquet FOLDER

Nothing here is timed. Bytes that are not UTF-8 become U+FFFD, for all sides alike.
"""

from __future__ import annotations

import json
import pickle
import random
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from time import perf_counter

import polars as pl

Row = tuple[str, str]
WORD = re.compile(r"\w+")


def rows(frame: pl.DataFrame, split: str) -> list[Row]:
    """Texts and labels of one part."""
    part = frame.filter(pl.col("split") == split)
    texts = (t if isinstance(t, str) else t.decode("utf-8", "replace") for t in part["text"])
    return list(zip(texts, map(str, part["label"]), strict=True))


def write_vw(path: Path, examples: Iterable[Row], classes: list[str]) -> None:
    """VW's text format: classes are 1 … C, or −1 and 1 where there are two."""
    with path.open("w", encoding="utf-8") as file:
        for text, label in examples:
            number = classes.index(label)
            label = str(number + 1) if len(classes) > 2 else ("-1", "1")[number]
            file.write(f"{label} | {' '.join(WORD.findall(text.lower()))}\n")


frame, folder = pl.read_parquet(sys.argv[1]), Path(sys.argv[2])
parts = {split: rows(frame, split) for split in ("train", "test")}
classes = sorted({label for _, label in parts["train"]})
took: dict[str, float] = {}
for split, part in parts.items():
    with (folder / f"{split}.pickle").open("wb") as file:
        pickle.dump(([text for text, _ in part], [label for _, label in part]), file, protocol=5)
    started = perf_counter()
    shuffled = random.Random(0).sample(part, len(part)) if split == "train" else part
    write_vw(folder / f"{split}.vw", shuffled, classes)
    took[split] = perf_counter() - started
sizes = {split: sum(len(text.encode()) for text, _ in part) for split, part in parts.items()}
items = {split: len(part) for split, part in parts.items()}
note = (
    f"vowpal-wabbit reads words that Python found, lower-cased and wrote beforehand, in {took['train']:.1f} s "
    f"(train) and {took['test']:.1f} s (test); that is in none of its times"
)
print(json.dumps({"bytes": sizes, "items": items, "notes": [note]}))
