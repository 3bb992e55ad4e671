"""Vowpal Wabbit on a prepared file, read and parsed by its own driver; no Python loop over examples.

Given `-d`, a workspace runs the driver over the file when it is made. Its predict time includes reading the model.
"""

from __future__ import annotations

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


folder, settings = timed.arguments()
many = "--oaa" in settings["arguments"]
with tempfile.TemporaryDirectory() as scratch:
    model, predicted = Path(scratch, "model.vw"), Path(scratch, "predicted.txt")
    fit = f"{settings['arguments']} -d {folder / 'train.vw'} -f {model}"
    predict = f"-t -i {model} -d {folder / 'test.vw'} -p {predicted}"

    def judge(_: None) -> list[str]:
        run(predict)
        return labels(predicted)

    timed.measure(lambda: run(fit), judge, labels(folder / "test.vw"), {"vowpalwabbit": vowpalwabbit.__version__})
