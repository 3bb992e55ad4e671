"""Matrices that the sides read, X and the class indices y of "train" and "test", as NumPy files in FOLDER.

    python matrix_prepare.py HOW DATA FOLDER

HOW is "counts" (texts to their words' counts, CSR), "codes" (the 1,000 words most frequent in training, dense, counts
above 3 as 3), "pixels" (images, each number ÷ 255; "pixels-single" in float32) or "normal" (simulated; DATA is not
read). For two classes: "tfidf" (scikit-learn's), "tfidf-pairs" (with pairs of words), "tfidf-halves" (half of the
classes against the others), "tfidf-mail" (messages of an archive), "parity" (pixels; even against odd) and "svmlight".
"letter" is a table of numbers. HOW-N is HOW with N rows to learn from and 5,000 to judge at most. Nothing is timed.
"""

from __future__ import annotations

import json
import lzma
import sys
import tarfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse
from sklearn.datasets import load_svmlight_file
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer

Part = tuple[Any, NDArray[np.int64]]
SPLITS = ("train", "test")
WORDS, MOST = 1000, 3
ROWS, FEATURES = {"train": 200_000, "test": 50_000}, 54


def texts(data: str, **how: Any) -> list[Part]:
    """Counts of words; the dictionary is that of the training part."""
    frame = pl.read_parquet(data)
    vectorizer, parts = CountVectorizer(decode_error="replace", **how), []
    for split in SPLITS:
        part = frame.filter(pl.col("split") == split)
        count = vectorizer.fit_transform if split == "train" else vectorizer.transform
        parts.append((count(part["text"].to_list()), np.array(part["label"].to_list())))
    classes = np.unique(parts[0][1])
    return [(X, np.searchsorted(classes, y)) for X, y in parts]


def codes(data: str) -> list[Part]:
    """Few words, dense, and few values of each."""
    return [(np.minimum(X.toarray(), MOST), y) for X, y in texts(data, max_features=WORDS)]


def pixels(data: str) -> list[Part]:
    """Grey values from 0 to 1."""
    images = np.load(data)
    return [(images[f"x_{split}"].reshape(-1, 784) / 255.0, images[f"y_{split}"].astype(np.int64)) for split in SPLITS]


def single(data: str) -> list[Part]:
    """The same in single precision."""
    return [(X.astype(np.float32), y) for X, y in pixels(data)]


def tfidf(data: str, **how: Any) -> list[Part]:
    """Counts as scikit-learn weighs them, rows of length 1; the first half of the classes against the others."""
    parts = texts(data, **how)
    weigh = TfidfTransformer().fit(parts[0][0])
    half = (parts[0][1].max() + 1) // 2
    return [(weigh.transform(X), (y >= half).astype(np.int64)) for X, y in parts]


def mail(data: str) -> list[Part]:
    """Raw messages of an archive, as bytes of Latin 1, weighed as scikit-learn does: in each folder of it the files in
    sorted order, even ones to learn from, odd ones to judge."""
    boxes: dict[str, list[tuple[str, bytes]]] = {}
    with tarfile.open(data) as packed:
        for entry in packed:
            if entry.isfile():
                boxes.setdefault(Path(entry.name).parent.name, []).append(
                    (entry.name, packed.extractfile(entry).read())
                )
    vectorizer, parts = TfidfVectorizer(), []
    for split in range(2):
        chosen = [(box, text) for box in sorted(boxes) for _, text in sorted(boxes[box])[split::2]]
        turn = vectorizer.transform if split else vectorizer.fit_transform
        X = turn([text.decode("latin-1") for _, text in chosen])
        parts.append((X, np.array([int(box.startswith("spam")) for box, _ in chosen])))
    return parts


def parity(data: str) -> list[Part]:
    """Pixels; is the digit even."""
    return [(X, 1 - y % 2) for X, y in pixels(data)]


def svmlight(data: str) -> list[Part]:
    """A file of two classes, and the one beside it with .t in its name; where there is none, it stands for it."""
    beside = Path(data.replace(".svm", ".t.svm"))
    with lzma.open(data) as file:
        X, y = load_svmlight_file(file)
    part = X.tocsr(), (y > 0).astype(np.int64)
    if not beside.exists():
        return [part, part]
    with lzma.open(beside) as file:
        X, y = load_svmlight_file(file, n_features=X.shape[1])
    return [part, (X.tocsr(), (y > 0).astype(np.int64))]


def letter(data: str) -> list[Part]:
    """Sixteen whole numbers a row."""
    frame, parts = pl.read_csv(data), []
    for split in SPLITS:
        part = frame.filter(pl.col("split") == split)
        X = part.select(pl.selectors.starts_with("f")).to_numpy().astype(np.float64)
        parts.append((np.ascontiguousarray(X), np.array([ord(name) for name in part["letter"]])))
    return parts


def normal(_: str) -> list[Part]:
    """Two classes of equal size, each normal about its own mean with its own full covariance."""
    rng = np.random.default_rng(0)
    means = rng.normal(scale=0.2, size=(2, FEATURES))
    mixings = np.eye(FEATURES) + rng.normal(scale=0.05, size=(2, FEATURES, FEATURES))
    parts = []
    for split in SPLITS:
        y = rng.integers(2, size=ROWS[split])
        X = rng.normal(size=(len(y), FEATURES))
        for c in range(2):
            X[y == c] = X[y == c] @ mixings[c] + means[c]
        parts.append((X, y))
    return parts


def write(folder: Path, split: str, X: Any, y: NDArray[np.int64]) -> int:
    """The files of one part; gives the bytes of X."""
    np.save(folder / f"{split}-y.npy", y)
    arrays = {"data": X.data, "indices": X.indices, "indptr": X.indptr} if sparse.issparse(X) else {"dense": X}
    for name, array in arrays.items():
        np.save(folder / f"{split}-{name}.npy", array)
    (folder / f"{split}-shape.json").write_text(json.dumps(X.shape))
    return sum(array.nbytes for array in arrays.values())


how, data, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
MATRICES = {
    "counts": texts,
    "codes": codes,
    "pixels": pixels,
    "pixels-single": single,
    "normal": normal,
    "tfidf": tfidf,
    "tfidf-halves": tfidf,
    "tfidf-pairs": partial(tfidf, ngram_range=(1, 2)),
    "tfidf-mail": mail,
    "parity": parity,
    "svmlight": svmlight,
    "letter": letter,
}
how, _, most = how.rpartition("-") if how.rpartition("-")[2].isdigit() else (how, "", "")
parts = MATRICES[how](data)
if most:  # every so many-th row, as some files are in the order of the classes
    wanted = {"train": int(most), "test": 5000}
    strides = [max(1, len(y) // wanted[split]) for split, (_, y) in zip(SPLITS, parts, strict=True)]
    parts = [(X[::step][:n], y[::step][:n]) for (X, y), step, n in zip(parts, strides, wanted.values(), strict=True)]
sizes = {split: write(folder, split, *part) for split, part in zip(SPLITS, parts, strict=True)}
items = {split: len(y) for split, (_, y) in zip(SPLITS, parts, strict=True)}
print(json.dumps({"bytes": sizes, "items": items}))
