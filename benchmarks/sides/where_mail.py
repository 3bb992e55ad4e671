"""Where Deciban's time goes in training and judging a corpus, step by step, in seconds, as JSON.

    python where_mail.py TRAIN-SPAM TRAIN-HAM TEST-SPAM TEST-HAM

The steps are those of `deciban train` and `deciban classify`; reading is timed alone, then again as part of the rest.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import TypeVar

Result = TypeVar("Result")
steps: list[tuple[str, float]] = []


def timed(step: str, work: Callable[[], Result]) -> Result:
    """Do a step and note how long it took."""
    started = perf_counter()
    result = work()
    steps.append((step, perf_counter() - started))
    return result


def imports() -> None:
    """What the two commands load before they begin."""
    import deciban.cli.classify
    import deciban.cli.group
    import deciban.cli.train  # noqa: F401


timed("imports of both commands", imports)

from deciban import store  # noqa: E402
from deciban.json_text import json_line  # noqa: E402
from deciban.mail.filter import train_files  # noqa: E402
from deciban.mail.reading import read_files  # noqa: E402
from deciban.mail.sources import files, find  # noqa: E402
from deciban.text.model import DEFAULTS  # noqa: E402
from deciban.text.served import ServedText  # noqa: E402

spam, ham, *test = sys.argv[1:]
sources = timed("train: find the files", lambda: find([f"spam={spam}", f"ham={ham}"]))
timed(
    "train: read them, nothing else",
    lambda: sum(len(items) for _, items in read_files(sources, DEFAULTS["mail"].settings)),
)
trained, _ = timed("train: read, tokenise, hash, count, note digests", lambda: train_files(sources))
timed("train: weights", trained.model.compile)
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder, "filter.deciban")
    timed("train: weights again, and write the filter", lambda: trained.save(path))
    served = timed("classify: read and check the filter", lambda: ServedText.from_stored(store.read(path)))
timed("classify: build the look-up", lambda: served.dictionary)
sources = timed("classify: find the files", lambda: files(test))
batches = timed("classify: read them", lambda: [items for _, items in read_files(sources, served.settings)])
verdicts = timed("classify: judge", lambda: [verdict for items in batches for verdict in served.judge(items)])
timed("classify: write JSON", lambda: "".join(json_line(verdict.to_json()) for verdict in verdicts))
print(json.dumps(steps))
