"""Mail corpora, unpacked and split: an mbox for each part and class, and a folder with one file a message.

folder/{train,test}/{spam,ham}.mbox      folder/{train,test}/{spam,ham}/NAME
"""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

PARTS = ("train", "test")
LABELS = ("spam", "ham")
FROM_LINE = re.compile(rb"^(>*From )", re.MULTILINE)
UNKNOWN_SENDER = b"From nobody@localhost Thu Jan  1 00:00:00 1970"


@dataclass(frozen=True)
class Mail:
    """Where a corpus lies, and how large it is."""

    folder: Path
    counts: dict[str, dict[str, int]]
    bytes: dict[str, int]

    def path(self, part: str, label: str, shape: str) -> Path:
        """The mbox or the folder of one part and class."""
        return self.folder / part / (f"{label}.mbox" if shape == "mbox" else label)


def unpack(archive: Path, folder: Path) -> Mail:
    """Unpack `archive` and lay its messages out in `folder`."""
    raw = folder / "raw"
    with tarfile.open(archive) as packed:
        packed.extractall(raw, filter="data")
    root = next(raw.iterdir())
    messages = _in_order_of_arrival(root) if (root / "index").exists() else _halves(root)
    counts = {part: dict.fromkeys(LABELS, 0) for part in PARTS}
    sizes = dict.fromkeys(PARTS, 0)
    for part in PARTS:
        for label in LABELS:
            (folder / part / label).mkdir(parents=True)
    for part, label, path in messages:
        message = path.read_bytes()
        place = folder / part
        name = path.name if path.parent.name == "data" else f"{path.parent.name}-{path.name}"
        (place / label / name).write_bytes(message)
        with (place / f"{label}.mbox").open("ab") as box:
            _append(box, message)
        counts[part][label] += 1
        sizes[part] += len(message)
    return Mail(folder, counts, sizes)


def _halves(root: Path) -> Iterator[tuple[str, str, Path]]:
    """SpamAssassin's corpus: in each folder, the files in sorted order, even to train and odd to test."""
    for box in sorted(root.iterdir()):
        label = "spam" if box.name.startswith("spam") else "ham"
        for number, path in enumerate(sorted(box.iterdir())):
            yield PARTS[number % 2], label, path


def _in_order_of_arrival(root: Path) -> Iterator[tuple[str, str, Path]]:
    """TREC 2007: the first half of the index to train, the second to test."""
    lines = (root / "index").read_text().splitlines()
    for number, line in enumerate(lines):
        label, name = line.split()
        yield PARTS[2 * number >= len(lines)], label, root / name


def _append(box: BinaryIO, message: bytes) -> None:
    """One message in mboxrd form: a From line, lines that look like one quoted, an empty line at the end."""
    first, _, rest = message.partition(b"\n")
    if not first.startswith(b"From "):
        first, rest = UNKNOWN_SENDER, message
    end = b"\n" if rest.endswith(b"\n") else b"\n\n"
    box.write(first + b"\n" + FROM_LINE.sub(rb">\1", rest) + end)
