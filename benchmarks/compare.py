"""Every data set through `deciban.compare`: the families side by side, and which of their differences are real.

    python benchmarks/compare.py [SET…] [--record] [--continue RECORD] [--list] [--rows N] [--time-limit S]

No rivals: what is recorded is what docs/compare.md tells.
"""

from __future__ import annotations

import argparse
import json
import sys
from datetime import date
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any

import environment
from compared_sets import SEED, SETS, Set
from run import new_record, told

FOLDS, LIMIT_S = 5, 600.0


def main() -> int:
    """0; sets whose data are missing are told, and skipped."""
    asked = arguments()
    if asked.list:
        width = max(len(each.name) for each in SETS)
        print("\n".join(f"{each.name:{width}}  {each.title}, {each.most:,} rows at most" for each in SETS))
        return 0
    kept, record = begun(asked)
    for each in SETS:
        if each.name in record["sets"] or (asked.sets and each.name not in asked.sets):
            continue
        try:
            record["sets"][each.name] = run(each, asked.rows, asked.time_limit)
            record["unfinished"].pop(each.name, None)
        except environment.MissingError as reason:
            record["unfinished"][each.name] = str(reason)
            print(f"\nSKIPPED  {each.name}: {reason}", flush=True)
        if kept and record["sets"]:
            kept.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if kept and record["sets"]:
        print(f"\nrecorded in {kept}")
    return 0


def begun(asked: argparse.Namespace) -> tuple[Path | None, dict[str, Any]]:
    """Where the numbers are kept, if they are, and what there is of them: nothing, or a record to go on with."""
    if asked.unfinished is not None:
        return asked.unfinished, json.loads(asked.unfinished.read_text(encoding="utf-8"))
    record = {
        "date": date.today().isoformat(),
        "revision": environment.revision(),
        "machine": environment.machine(),
        "versions": {name: version(name) for name in ("numpy", "scikit-learn")},
        "settings": {"folds": FOLDS, "seed": SEED, "time_limit_s": asked.time_limit},
        "sets": {},
        "unfinished": {},
    }
    return new_record(record, ["compare", *asked.sets]) if asked.record else None, record


def arguments() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description="Every data set through deciban.compare.")
    parser.add_argument("sets", nargs="*", metavar="SET", help="names (see --list); all by default")
    parser.add_argument("--record", action="store_true", help="keep the numbers in benchmarks/records/")
    parser.add_argument(
        "--continue", dest="unfinished", type=Path, metavar="RECORD", help="the sets that this record has not, into it"
    )
    parser.add_argument("--list", action="store_true", help="name the sets and stop")
    parser.add_argument("--rows", type=int, help="at most so many rows of each, fewer than the sets say")
    parser.add_argument("--time-limit", type=float, default=LIMIT_S, help=f"seconds a set ({LIMIT_S:g})")
    asked = parser.parse_args()
    names = [each.name for each in SETS]
    unknown = sorted(set(asked.sets) - set(names))
    if unknown:
        parser.error(f"no set is named {', '.join(unknown)}; there are {', '.join(names)}")
    if asked.rows is not None and asked.rows < 100:
        parser.error(f"--rows takes a whole number from 100, got {asked.rows}")
    if asked.unfinished is not None and not asked.unfinished.is_file():
        parser.error(f"--continue takes a record that is there, got {asked.unfinished}")
    if not asked.time_limit > 0:
        parser.error(f"--time-limit takes seconds above 0, got {asked.time_limit:g}")
    return asked


def run(each: Set, rows: int | None, limit: float) -> dict[str, Any]:
    """Compare, print; gives the record's entry."""
    from deciban import compare

    told(f"{each.name}: reading")
    most = each.most if rows is None else min(rows, each.most)
    X, y, of = each.rows(most)
    begun = perf_counter()
    found = compare(
        each.families(),
        X,
        y,
        folds=FOLDS,
        seed=SEED,
        time_limit=limit,
        callback=lambda fit: told(f"{each.name}: {fit.model}, {fit.n:,} examples, {fit.done} of {fit.total} fits"),
    )
    seconds = perf_counter() - begun
    told("")
    if found.ended == "interrupt":
        raise KeyboardInterrupt
    print(f"\n{each.title}: {len(y):,} of {of:,} rows, {seconds:.0f} s\n{found}", flush=True)
    return {"title": each.title, "of": of, "seconds": seconds, "comparison": found.to_json()}


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("interrupted; what is recorded are the sets before")
