"""The quick tier has every pair, the deep one everything."""

import os
import shutil
import subprocess
import sys
from itertools import combinations, product
from pathlib import Path

from tiers import TIMES, examples, pairwise

CATALOGUES = ("abcde", (1, 2, 3), (False, True), (None, 0))


def test_of_a_product_the_quick_tier_has_every_pair(monkeypatch):
    monkeypatch.setenv("DECIBAN_TIER", "quick")
    cases = pairwise(*CATALOGUES)
    assert len(cases) <= 17 < 60 == len(list(product(*CATALOGUES)))
    for i, j in combinations(range(4), 2):
        assert {(case[i], case[j]) for case in cases} == set(product(CATALOGUES[i], CATALOGUES[j]))
    assert pairwise("ab", "cd") == list(product("ab", "cd"))
    assert examples(7).max_examples == 7


def test_the_deep_tier_has_the_product_and_more_examples(monkeypatch):
    for tier in ("deep", "beyond", "new"):
        monkeypatch.setenv("DECIBAN_TIER", tier)
        assert pairwise(*CATALOGUES) == list(product(*CATALOGUES))
        assert examples(7).max_examples == 7 * TIMES[tier]
    assert TIMES["quick"] + TIMES["beyond"] == TIMES["deep"] < TIMES["new"]


def run_tests(folder, text, *options):
    """Return the lines that pytest prints of tests with this text, which are tests of these tiers."""
    tests = Path(__file__).parents[1]
    shutil.copy(tests / "conftest.py", folder)
    (folder / "test_of_these_tiers.py").write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
    env = {**os.environ, "PYTHONPATH": str(tests)}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=True).stdout.splitlines()


TESTS = """
import pytest
from hypothesis import given, strategies
from tiers import deep, measured_examples

def test_of_both(): ...
@pytest.mark.parametrize("n", [1, *deep(2)])
def test_of_parameters(n): ...
@given(strategies.integers())
def test_of_examples(n): ...
@measured_examples(3)
@given(strategies.integers())
def test_of_the_same_examples(n): ...
@pytest.mark.deep
def test_of_the_deep_tier(): ...
"""


def test_what_the_deep_tier_has_more_and_the_quick_one_are_all_tests(tmp_path):
    def chosen(*options):
        lines = run_tests(tmp_path, TESTS, "--collect-only", *options)
        return {line.partition("::")[2] for line in lines if "::" in line}

    quick, beyond, deep = chosen(), chosen("--deep", "--beyond-quick"), chosen("--deep")
    assert quick == {"test_of_both", "test_of_parameters[1]", "test_of_examples", "test_of_the_same_examples"}
    assert beyond == {"test_of_parameters[2]", "test_of_examples", "test_of_the_deep_tier"}
    assert deep == quick | beyond


LAW = """
from hypothesis import given, strategies
from tiers import examples

class TestLaw:
    @examples(5)
    @given(strategies.lists(strategies.integers(), min_size=20))
    def test_all(self, numbers): print("drawn", numbers)
"""


def test_beyond_the_quick_tier_laws_draw_other_examples(tmp_path):
    def drawn(*options):
        lines = run_tests(tmp_path, LAW, "-s", *options)
        return [line.partition("drawn ")[2] for line in lines if "drawn " in line]

    quick, beyond = drawn(), drawn("--deep", "--beyond-quick")
    assert len(quick) == len(beyond) == 5
    assert (quick, beyond) == (drawn(), drawn("--deep", "--beyond-quick"))
    assert len({*quick} & {*beyond}) <= 1  # the simplest one
