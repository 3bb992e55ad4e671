"""scikit-learn's own test modules, run against the estimators here: what fails is listed, each with a reason.

A failure that is not on the list fails here, and so does one on the list that passes by now. The adapters stand for
scikit-learn's names in `adapters`; `python -m adapters.renew` in this folder writes the list anew.
"""

import pytest
import sklearn
from adapters.catalogue import SUITES
from adapters.suites import expected, failures, run

LIST = expected()
KEPT = {"reasons", "scikit-learn"}

of_its_version = pytest.mark.skipif(
    sklearn.__version__ != LIST["scikit-learn"],
    reason=f"the list is of scikit-learn {LIST['scikit-learn']}; this is {sklearn.__version__}",
)


def listed(suite):
    return {test: reason for reason, tests in LIST[suite].items() if reason != "elsewhere" for test in tests}


@of_its_version
@pytest.mark.parametrize("suite", SUITES)
def test_what_fails_is_on_the_list_and_what_is_on_the_list_fails(suite):
    outcomes = run(suite, LIST[suite]["elsewhere"])
    failed, known = failures(outcomes), set(listed(suite))
    told = {test: line for test, (outcome, line, _) in outcomes.items() if outcome == "failed"}
    new = {test: told.get(test, test) for test in sorted(failed - known)}
    assert new == {}, f"{suite} fails in these; mend them, or list them with a reason"
    assert sorted(known - failed) == [], f"{suite} passes these by now; take them off the list"
    assert sum(outcome == "passed" for outcome, *_ in outcomes.values()) > 0


def test_every_failure_on_the_list_has_one_reason_that_is_written_out():
    assert set(LIST) == KEPT | set(SUITES)
    reasons = LIST["reasons"]
    for suite in SUITES:
        assert set(LIST[suite]) - {"elsewhere"} <= set(reasons), suite
        tests = [test for reason, tests in LIST[suite].items() if reason != "elsewhere" for test in tests]
        assert len(tests) == len(set(tests)), suite
    assert {reason for suite in SUITES for reason in LIST[suite]} - {"elsewhere"} == set(reasons)
