"""Write the list of expected failures anew: `python -m adapters.renew` in tests/parity, with modules or all of them.

Reasons that are known are kept. A new failure gets the reason "?", which the tests refuse: write a true one.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from typing import Any

import sklearn

from .catalogue import SUITES
from .suites import LIST, expected, failures, name_of, run


def renewed(suite: str, known: dict[str, Any]) -> dict[str, list[str]]:
    """Reason → tests of one module."""
    elsewhere = known.get("elsewhere", [])
    outcomes = run(suite, elsewhere)
    used = {name_of(test) for test, (_, _, adapters) in outcomes.items() if adapters}
    ours = {test: told for test, told in outcomes.items() if name_of(test) in used}
    reasons = {name_of(test): reason for reason, tests in known.items() for test in tests}
    reasons |= {test: reason for reason, tests in known.items() for test in tests}
    found = defaultdict(list)
    for test in sorted(failures(ours)):
        reason = reasons.get(test, reasons.get(name_of(test), "?"))
        found[reason].append(test)
        if reason == "?":
            case = next(told for name, told in ours.items() if told[0] == "failed" and name_of(name) == name_of(test))
            print(f"{suite}\t{test}\t{case[1]}", flush=True)
    found["elsewhere"] = sorted({*elsewhere, *(name_of(test) for test in outcomes if name_of(test) not in used)})
    return dict(sorted(found.items()))


def write(known: dict[str, Any]) -> None:
    lines = [f"scikit-learn = {json.dumps(sklearn.__version__)}", "", "[reasons]"]
    lines += [f"{name} = {json.dumps(words, ensure_ascii=False)}" for name, words in known["reasons"].items()]
    for suite in SUITES:
        lines += ["", f'["{suite}"]']
        for reason, tests in known.get(suite, {}).items():
            rows = "".join(f"    {json.dumps(test, ensure_ascii=False)},\n" for test in tests)
            lines.append(f"{json.dumps(reason)} = [\n{rows}]" if reason == "?" else f"{reason} = [\n{rows}]")
    LIST.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    known = expected() if LIST.exists() else {"reasons": {}}
    for suite in sys.argv[1:] or SUITES:
        known[suite] = renewed(suite, known.get(suite, {}))
        write(known)
