"""scikit-learn's own test modules, run against the estimators here: what fails is listed, each with its reason.

A failure that is not on the list fails here, and so does a test on the list that passes by now. The adapters in
`adapters` substitute scikit-learn's estimators; `python -m adapters.renew` in this folder writes the list anew.
"""

import pytest
import sklearn
from adapters.catalogue import MODULES
from adapters.expectation import KINDS, read_expectation
from adapters.outcomes import find_failures, run_modules

EXPECTED = read_expectation()

needs_its_version = pytest.mark.skipif(
    sklearn.__version__ != EXPECTED.version,
    reason=f"the list is of scikit-learn {EXPECTED.version}; scikit-learn {sklearn.__version__} is installed",
)


@pytest.mark.deep
@needs_its_version
@pytest.mark.parametrize("module", MODULES)
def test_module_fails_only_where_expected(module):
    outcomes = run_modules([module], EXPECTED.unrelated)[module]
    failed, listed = find_failures(outcomes), set(EXPECTED.failures(module))
    unlisted = {
        name: each.error
        for name, each in outcomes.items()
        if each.outcome == "failed" and each.adapters and not {name, f"{name.split('[')[0]}[*]"} & listed
    }
    assert unlisted == {}, f"{module} fails in these; mend the estimators, or list the tests with a reason"
    assert sorted(listed - failed) == [], f"{module}: these cases pass by now; renew the list"
    assert any(each.outcome == "passed" and each.adapters for each in outcomes.values())


def test_every_expected_failure_has_one_reason():
    listed = [(group.module, test) for group in EXPECTED.groups for test in group.tests]
    assert len(listed) == len(set(listed))
    for group in EXPECTED.groups:
        assert group.module in MODULES
        assert group.kind in KINDS
        assert len(group.reason) > 20, group


def test_every_module_is_listed():
    assert set(EXPECTED.unrelated) == set(MODULES)
