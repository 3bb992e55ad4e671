"""Vowpal Wabbit, its own driver over a file; no Python loop over examples.

Given `-d`, a workspace runs the driver over the file when it is made. Its predict time includes reading the model.
With `raw`, fit begins with the texts, as it does for the other sides: they are lower-cased, the two characters that its
format reserves and line ends become spaces, and the file is written, in the least work that Python knows. Without, it
begins with a file of words that was prepared before, untimed.
"""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import timed
import vowpalwabbit


def run(arguments: str) -> None:
    """One run of the driver."""
    vowpalwabbit.Workspace(f"--quiet {arguments}").finish()


def labels(path: Path) -> list[str]:
    """Labels out of VW's numbers: its own class numbers, or the sign of the score."""
    numbers = [float(line.split(" ", 1)[0]) for line in path.read_text().splitlines()]
    return [f"{number:.0f}" for number in numbers] if many else ["1" if number > 0 else "-1" for number in numbers]


def write(path: Path) -> None:
    """Raw texts to VW's format, in the order of the prepared file's shuffle."""
    lines = [f"{label} | {text.lower().translate(RESERVED)}" for text, label in zip(texts, numbers, strict=True)]
    path.write_text("\n".join(random.Random(0).sample(lines, len(lines))), encoding="utf-8")


RESERVED = str.maketrans(":|\n\r", "    ")
folder, settings = timed.arguments()
many = "--oaa" in settings["arguments"]
if settings.get("raw"):
    texts, classes = timed.texts(folder, "train")
    known = sorted(set(classes))
    numbers = [str(known.index(c) + 1) if many else ("-1", "1")[known.index(c)] for c in classes]
with tempfile.TemporaryDirectory() as scratch:
    model, predicted = Path(scratch, "model.vw"), Path(scratch, "predicted.txt")
    train = Path(scratch, "raw.vw") if settings.get("raw") else folder / "train.vw"
    fit = f"{settings['arguments']} -d {train} -f {model}"
    predict = f"-t -i {model} -d {folder / 'test.vw'} -p {predicted}"

    def judge(_: None) -> list[str]:
        run(predict)
        return labels(predicted)

    def learn() -> None:
        if settings.get("raw"):
            write(train)
        run(fit)

    timed.measure(learn, judge, labels(folder / "test.vw"), {"vowpalwabbit": vowpalwabbit.__version__})
