"""The quick tier has every pair, the deep one everything."""

from itertools import combinations, product

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
    monkeypatch.setenv("DECIBAN_TIER", "deep")
    assert pairwise(*CATALOGUES) == list(product(*CATALOGUES))
    assert examples(7).max_examples == 7 * TIMES
