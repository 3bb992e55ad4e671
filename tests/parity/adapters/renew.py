"""Write the list of expected failures anew: `python -m adapters.renew [MODULE ...]` in tests/parity.

Reasons that are known stay. A failure that is new gets the kind "?", which the tests refuse: write a true one.
"""

from __future__ import annotations

import sys
from collections import defaultdict

import sklearn

from .catalogue import MODULES
from .expectation import LIST, UNEXPLAINED, Expectation, Group, read_expectation, write_expectation
from .outcomes import Outcome, find_failures, find_unrelated, function_of, run_modules


def renew(expectation: Expectation, module: str, outcomes: dict[str, Outcome]) -> None:
    """Replace what the list has about a module."""
    known = {test: group for group in expectation.groups if _explains(group, module) for test in group.tests}
    known |= {function_of(test): group for test, group in known.items()}
    tests = defaultdict(list)
    for test in sorted(find_failures(outcomes)):
        group = known.get(test, known.get(function_of(test)))
        errors = [each.error for name, each in outcomes.items() if test in (name, f"{function_of(name)}[*]")]
        tests[(group.kind, group.reason) if group else (UNEXPLAINED, errors[0])].append(test)
    expectation.groups = [group for group in expectation.groups if group.module != module]
    expectation.groups += [Group(module, kind, reason, each) for (kind, reason), each in tests.items()]
    expectation.unrelated[module] = sorted(find_unrelated(outcomes))


def _explains(group: Group, module: str) -> bool:
    return group.module == module and group.kind != UNEXPLAINED


def main(names: list[str]) -> None:
    """Renew the modules whose paths contain one of the names."""
    expectation = read_expectation() if LIST.exists() else Expectation()
    expectation.version = sklearn.__version__
    for module in MODULES:
        if not names or any(name in module for name in names):
            outcomes = run_modules([module])[module]
            renew(expectation, module, outcomes)
            write_expectation(expectation)
            print(f"{module}: {sum(each.seconds for each in outcomes.values() if each.adapters):.0f} s of CPU")


if __name__ == "__main__":
    main(sys.argv[1:])
