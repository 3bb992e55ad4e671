"""Messages learnt one command at a time: how long each takes, and how much memory, however many are known.

    python benchmarks/learn_singly.py [N] [--record]      # 100,000 messages: ten minutes

Messages are those of TREC 2007, again and again in their order; in the k-th round a quarter of their longer words is
spelt with a number of its own, so that the dictionary goes on growing. The function of the command learns them in one
process: one by one up to 1,000, for a thousand from 20,000 on, and for the last thousand, by five hundred between. At
1,000, 20,000 and N known messages the command itself learns and judges others, and so does bogofilter.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from statistics import median
from subprocess import check_output
from time import perf_counter, process_time
from zlib import crc32

from measure import process
from real_mail import trec
from run import begin_record, keep_record

AT = (1_000, 20_000)
STRETCH = 1_000
BATCH = 500
RUNS = 15
SEED = 100
LABELS = ("spam", "ham")
BOGOFILTER = {"spam": "-s", "ham": "-n"}
WORD = re.compile(rb"[A-Za-z]{6,}|[0-9]{5,}")

# A process of its own, as a child is said to have needed the memory of its parent; what is printed is wall seconds and
# megabytes.
LAUNCH = """
import os, sys, time
began = time.perf_counter()
silent = [(os.POSIX_SPAWN_OPEN, 1, "/dev/null", 1, 0)]
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=silent)
_, status, usage = os.wait4(child, 0)
assert os.waitstatus_to_exitcode(status) in (0, 1, 2)
print(time.perf_counter() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1e3)
"""


def varied(message: bytes, turn: int) -> bytes:
    """Return the message of a round: a quarter of its longer words, and numbers, are others in each."""
    own = str(turn).encode()
    return (
        WORD.sub(lambda found: found[0] + own if crc32(found[0]) % 4 == 0 else found[0], message) if turn else message
    )


class Samples:
    """What single commands take at some number of known messages."""

    def __init__(self, folder: Path, messages: list[tuple[bytes, str]]) -> None:
        self.folder, self.messages, self.next = folder, messages, 0
        # Compiled once, as an installed package is.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = str(folder / "compiled")
        self.deciban = str(Path(sys.executable).parent / "deciban")

    def take(self, known: int) -> dict[str, object]:
        """Run the commands, one after the other; return minimum and median of what they took."""
        sides: dict[str, Callable[[str, str], list[str]]] = {
            "python": lambda path, label: [sys.executable, "-c", "pass"],
            "classify": lambda path, label: [self.deciban, "classify", "f.deciban", path, "--json"],
            "explain": lambda path, label: [self.deciban, "explain", "f.deciban", path, "--json"],
            "learn": lambda path, label: [self.deciban, "learn", "f.deciban", path, "--as", label, "-q"],
            "bogofilter classify": lambda path, label: ["bogofilter", "-d", "bogo", "-I", path],
            "bogofilter learn": lambda path, label: ["bogofilter", "-d", "bogo", BOGOFILTER[label], "-I", path],
        }
        found: defaultdict[str, list[float]] = defaultdict(list)
        for _ in range(RUNS):
            message, label = self.messages[self.next]
            path = self.folder / "sample.eml"
            path.write_bytes(varied(message, 9_000 + self.next))
            self.next += 1
            for side, command in sides.items():
                wall, cpu, top = map(
                    float, check_output([sys.executable, "-c", LAUNCH, *command(str(path), label)]).split()
                )
                found[f"{side}, wall ms"].append(1e3 * wall)
                found[f"{side}, cpu ms"].append(1e3 * cpu)
                found[f"{side}, peak MB"].append(top)
        return {"known": known, **{what: {"min": min(of), "median": median(of)} for what, of in found.items()}}


def run(n: int, folder: Path) -> dict[str, object]:
    """Learn n messages; return what each thousand took, and the samples."""
    from deciban.cli import status

    mail = trec()
    messages = [(m, "spam" if spam else "ham") for m, spam in zip(mail.messages, mail.spam.tolist(), strict=True)]
    os.chdir(folder)
    os.mkdir("bogo")
    for label in LABELS:
        os.mkdir(label)
    for i, (message, label) in enumerate(messages[:SEED]):
        Path(label, f"{i}.eml").write_bytes(message)
    assert status(["train", "spam=spam", "ham=ham", "-q", "-o", "f.deciban"]) == 0
    for label in LABELS:
        process(["bogofilter", "-d", "bogo", BOGOFILTER[label], "-B", label])
    samples = Samples(folder, messages[-3 * RUNS :][::-1])
    taken, sampled = list[dict[str, float]](), list[dict[str, object]]()
    for first in range(0, n, STRETCH):
        known = first + STRETCH
        if first in (0, AT[-1], n - STRETCH):
            times = [learn([message]) for message in turned(messages, range(max(first, SEED), known))]
            wall, cpu = zip(*times, strict=True)
            told = {
                "mean_wall_ms": 1e3 * sum(wall) / len(wall),
                "median_wall_ms": 1e3 * median(wall),
                "mean_cpu_ms": 1e3 * sum(cpu) / len(cpu),
                "median_cpu_ms": 1e3 * median(cpu),
                "peak_mb": peak(),
            }
            taken.append({"from": first, "to": known, **told})
            print(json.dumps(taken[-1]), file=sys.stderr, flush=True)
        else:
            for start in range(first, known, BATCH):
                learn(turned(messages, range(start, start + BATCH)))
        if known in (*AT, n):
            print(json.dumps(sample := samples.take(known)), file=sys.stderr, flush=True)
            sampled.append(sample)
    return {"n": n, "stretches": taken, "samples": sampled, "peak_mb": peak(), "file_mb": sizes(folder)}


def turned(messages: list[tuple[bytes, str]], numbers: range) -> list[tuple[bytes, str]]:
    """Return messages by number, in the spelling of their round."""
    rounds = ((divmod(i, len(messages))) for i in numbers)
    return [(varied(messages[at][0], turn), messages[at][1]) for turn, at in rounds]


def learn(messages: list[tuple[bytes, str]]) -> tuple[float, float]:
    """Learn messages as the command does, those of one label at once; return the seconds that it took, of the
    clock and of the processor."""
    from deciban.cli import status

    for label in LABELS:
        shutil.rmtree(f"new-{label}", ignore_errors=True)
        os.mkdir(f"new-{label}")
    for i, (message, label) in enumerate(messages):
        Path(f"new-{label}", f"{i}.eml").write_bytes(message)
    began, spent = perf_counter(), process_time()
    for label in sorted({label for _, label in messages}):
        assert status(["learn", "f.deciban", f"new-{label}", "--as", label, "-q"]) == 0
    return perf_counter() - began, process_time() - spent


def peak() -> float:
    """The peak of memory of this process, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def sizes(folder: Path) -> dict[str, float]:
    """Return the sizes of the filter and its journal, in MB."""
    return {each.name: each.stat().st_size / 1e6 for each in folder.glob("f.deciban*")}


def main() -> None:
    """Measure, print, and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n", nargs="?", type=int, default=100_000)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="work in this new folder, and leave it")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if given.keep is not None:
            given.keep.mkdir()
        found = run(given.n, (given.keep or Path(folder)).resolve())
    print(json.dumps(found, indent=1))
    if given.record:
        keep_record(begin_record(**found), "learn-singly")


if __name__ == "__main__":
    main()
