"""Run the benchmarks: Deciban and its rivals in turn on the same data, ratios, goals.

    python benchmarks/run.py [PROBLEM…] [--runs N] [--record] [--list]

Deciban is the one installed beside this Python. The rivals from PyPI are installed, pinned, into benchmarks/.venv.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

import environment
import goals
import kinds.linear
import kinds.mail
import kinds.matrix
import kinds.message
import kinds.text
import table
from kernel_problems import KERNEL
from linear_problems import LINEAR
from measure import FailedError, in_turn
from network_problems import NETWORK
from problems import PROBLEMS, Problem
from rows_problems import ROWS

CONTESTS = {
    "text": kinds.text.contest,
    "rows": kinds.text.contest,
    "mail": kinds.mail.contest,
    "message": kinds.message.contest,
    "matrix": kinds.matrix.contest,
    "linear": kinds.linear.contest,
}

EVERY = (*PROBLEMS, *ROWS, *LINEAR, *KERNEL, *NETWORK)


def main() -> int:
    """0 unless a side failed; goals that are not reached, and problems skipped for want of something, are told."""
    asked = arguments()
    if asked.list:
        width = max(len(problem.name) for problem in EVERY)
        print("\n".join(f"{problem.name:{width}}  {problem.title}" for problem in EVERY))
        return 0
    named = set(asked.problems)
    chosen = [problem for problem in EVERY if not named or {problem.name, problem.kind} & named]
    record: dict[str, Any] = {
        "date": date.today().isoformat(),
        "revision": environment.revision(),
        "machine": environment.machine(),
        "problems": {},
        "unfinished": {},
    }
    judged: dict[str, list[goals.Outcome]] = {}
    failed = False
    kept = new_record(record, asked.problems) if asked.record else None
    for problem in chosen:
        try:
            entry, judged[problem.name] = run(problem, asked.runs or problem.runs or 5)
            record["problems"][problem.name] = entry
        except (environment.MissingError, FailedError) as reason:
            failed |= isinstance(reason, FailedError)
            what = "FAILED " if isinstance(reason, FailedError) else "SKIPPED"
            record["unfinished"][problem.name] = f"{what}  {problem.name}: {reason}"
            print(f"\n{record['unfinished'][problem.name]}", flush=True)
        if kept and record["problems"]:
            kept.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n")
    print(table.summary(judged, record["unfinished"]))
    if kept and record["problems"]:
        print(f"\nrecorded in {kept}")
    return int(failed)


def arguments() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description="Deciban beside its rivals, on the same data, in turn.")
    names = [*CONTESTS, *(problem.name for problem in EVERY)]
    parser.add_argument("problems", nargs="*", metavar="PROBLEM", help="names or kinds (see --list); all by default")
    parser.add_argument("--runs", type=int, help="runs of each side (5 where the problem does not say)")
    parser.add_argument("--record", action="store_true", help="keep the numbers in benchmarks/records/")
    parser.add_argument("--list", action="store_true", help="name the problems and stop")
    asked = parser.parse_args()
    unknown = sorted(set(asked.problems) - set(names))
    if unknown:
        parser.error(f"no problem or kind is named {', '.join(unknown)}; there are {', '.join(names)}")
    if asked.runs is not None and asked.runs < 1:
        parser.error(f"--runs takes a whole number from 1, got {asked.runs}")
    return asked


def run(problem: Problem, runs: int) -> tuple[dict[str, Any], list[goals.Outcome]]:
    """Prepare, run in turn, print; gives the record's entry and what became of the goals."""
    with tempfile.TemporaryDirectory(prefix="deciban-benchmark-") as scratch:
        told(f"{problem.name}: preparing")
        contest = CONTESTS[problem.kind](problem, Path(scratch))
        results = in_turn(contest.sides, runs, lambda said: told(f"{problem.name}: {said}"))
        told(f"{problem.name}: where our time goes")
        where = contest.where()
        told("")
    ratios, judged = goals.ratios(results), goals.outcomes(problem, results)
    floors = goals.above_floors(problem, contest, results, environment.cores())
    print(table.problem(problem, contest, results, ratios, floors, where, judged), flush=True)
    entry = {
        "title": problem.title,
        "settings": problem.sides,
        "options": problem.options,
        "versions": contest.versions,
        "bytes": contest.bytes,
        "items": contest.items,
        "notes": contest.notes,
        "runs": results,
        "ratios": ratios,
        "floors": [asdict(floor) for floor in floors],
        "where_s": dict(where),
        "goals": [asdict(outcome) for outcome in judged],
    }
    return entry, judged


def told(text: str) -> None:
    """Progress, on a terminal only."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()


def begin_record(**more: Any) -> dict[str, Any]:
    """What every record begins with: when it was, of which state of the project, and on what machine."""
    return {
        "date": date.today().isoformat(),
        "revision": environment.revision(),
        "machine": environment.machine(),
        **more,
    }


def keep_record(record: dict[str, Any], name: str) -> None:
    """Write a record to a new file in records/, and say which."""
    path = new_record(record, [name])
    path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"recorded in {path}")


def new_record(record: dict[str, Any], names: list[str]) -> Path:
    """The path of a new file in records/, written after every problem; what is there is never overwritten."""
    what = "-".join(names) or "all"
    stem = f"{record['date']}-{re.sub('[^a-z0-9-]', '', what)[:60]}"
    folder = environment.HERE / "records"
    folder.mkdir(exist_ok=True)
    number = 1
    while (path := folder / (f"{stem}.json" if number == 1 else f"{stem}-{number}.json")).exists():
        number += 1
    return path


if __name__ == "__main__":
    sys.exit(main())
