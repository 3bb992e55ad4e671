"""Writes the tables of docs/mail.md, from the newest records of the benchmarks.

python benchmarks/mail_replay.py --record; python benchmarks/disguise.py --record
python benchmarks/ablation.py --record; python docs/mail_tables.py
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import ablation_table

HERE = Path(__file__).parent
PAGE, RECORDS = HERE / "mail.md", HERE.parent / "benchmarks" / "records"
STREAMS = {
    "trec": "TREC 2007, the first 10,000",
    "spamassassin": "SpamAssassin, 6,046 by date",
    "folders": "SpamAssassin, first folders → second",
}
CORPORA = {"trec": "TREC 2007", "spamassassin": "SpamAssassin", "folders": "its folders"}


def newest(name: str) -> dict[str, Any]:
    """The newest record of a benchmark: by date, and of one day the last."""

    def age(path: Path) -> tuple[str, int]:
        number = re.fullmatch(rf"\d{{4}}-\d\d-\d\d-{name}-?(\d*)", path.stem)
        assert number is not None, path
        return path.stem[:10], int(number[1] or 1)

    found: dict[str, Any] = json.loads(max(RECORDS.glob(f"*-{name}*.json"), key=age).read_text(encoding="utf-8"))
    return found


def rows_of(cells: list[list[str]]) -> str:
    """A table: the first row is its head."""
    lines = [f"| {' | '.join(row)} |" for row in cells]
    return "\n".join([lines[0], f"|{'---|' * len(cells[0])}", *lines[1:]])


def streams() -> str:
    """(1 − ROCA)%, spam missed and log loss, by stream and filter."""
    problems = newest("mail-replay")["problems"]
    cells = [["", *STREAMS.values()]]
    for side in problems["trec"]:
        found = [problems[name][side] for name in STREAMS]
        told = [
            f"{each['one_minus_roca_percent']:.3f}, {each['missed_at_0.1_percent']:.1f} %, {each['log_loss']:.3f}"
            for each in found
        ]
        cells.append(["`online`" if side == "deciban" else side, *told])
    return rows_of(cells)


def forms() -> str:
    """The share of spam that is caught, ours and bogofilter's, by disguise and corpus."""
    corpora = newest("disguise")["corpora"]
    cells = [["Caught, `online` and bogofilter", *CORPORA.values()]]
    for form in corpora["trec"]:
        found = [corpora[name][form] for name in CORPORA]
        cells.append([form, *(f"{100 * each['deciban']:.1f} %, {100 * each['bogofilter']:.1f} %" for each in found)])
    return rows_of(cells)


def written(page: str) -> str:
    """The page with its tables as the records have them."""
    steps = rows_of(ablation_table.cells(newest("ablation")))
    for head, table in ((r"\| {1,2}\| TREC", streams()), (r"\| Caught, ", forms()), (r"\| Left out", steps)):
        page, n = re.subn(rf"(?m)^{head}.*(\n\|.*)*", lambda _, table=table: table, page)  # type: ignore[misc]
        assert n == 1, head
    return page


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
