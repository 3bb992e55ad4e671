"""Two tiers of tests: `pytest` runs the quick one in minutes, `pytest --deep` all tests, with many more examples.

The quick tier leaves out tests and parameters that are marked `deep`, and tests that read the real data sets.
Of a product of three catalogues or more it keeps cases that cover every pair of entries; of one that is marked
`each_once`, every entry. Examples are the same each time, so that a failure comes from what was changed;
`--new-examples` draws others, and more of them, to find what no example has shown yet. After the quick tier,
`--deep --beyond-quick` runs what the deep one has more: its other tests, and as many other examples of the laws.
"""

import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from heapq import heapify, heapreplace
from itertools import combinations, product
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import is_hypothesis_test, seed, settings

TIMES = {"quick": 1, "deep": 2, "beyond": 1, "new": 10}
"""How many examples each tier draws for one of the quick tier: beyond that, others; and new ones, others each time."""

_EXAMPLES = 5
for _tier, _times in TIMES.items():
    _new = _tier == "new"
    settings.register_profile(
        _tier, deadline=None, derandomize=not _new, max_examples=_times * _EXAMPLES, print_blob=_new
    )


def select_tier(deep: bool, new_examples: bool = False, beyond_quick: bool = False) -> None:
    """Make the examples those of a tier; processes that the tests start know it, too."""
    tier = "new" if new_examples else "quick" if not deep else "beyond" if beyond_quick else "deep"
    os.environ["DECIBAN_TIER"] = tier
    settings.load_profile(tier)


def is_deep() -> bool:
    """Whether all tests run."""
    return os.environ.get("DECIBAN_TIER", "quick") != "quick"


def examples(quick: int, **more: Any) -> settings:
    """Return the settings of a law that is tried with so many examples in the quick tier."""
    return settings(max_examples=TIMES[os.environ.get("DECIBAN_TIER", "quick")] * quick, **more)


def measured_examples(n: int, **more: Any) -> Callable[[Any], Any]:
    """Return what makes a test a law of which each tier tries the same n examples.

    Its tolerance was measured on them, and others may miss it.
    """
    same = settings(max_examples=n, derandomize=True, database=None, **more)
    return lambda law: pytest.mark.measured(same(law))


def deep(*values: Any) -> list[Any]:
    """Return parameters that only the deep tier has."""
    return [pytest.param(value, marks=pytest.mark.deep) for value in values]


def deep_pairs(*values: Any) -> list[Any]:
    """Return parameters that only the deep tier has, which even there meets every pair of entries, not their product:
    what starts processes is slow, and the product is tried without."""
    return [pytest.param(value, marks=[pytest.mark.deep, pytest.mark.pairs]) for value in values]


def pairwise(*catalogues: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return the product of catalogues; in the quick tier, cases that cover every pair of entries."""
    cases = list(product(*catalogues))
    places = product(*([(axis, k) for k in range(len(each))] for axis, each in enumerate(catalogues)))
    return cases if is_deep() else [cases[k] for k in _cover_pairs(list(places))]


def split_off_deep(items: list[pytest.Item]) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """Return the tests of the quick tier and the others, each in their order."""
    tests = defaultdict(list)
    for item in items:
        if not (item.get_closest_marker("deep") or _reads_real_data(item)):
            tests[item.nodeid.split("[")[0]].append(item)
    quick = {cases[k] for cases in tests.values() for k in _choose(cases)}
    return [item for item in items if item in quick], [item for item in items if item not in quick]


def split_off_product(items: list[pytest.Item]) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """Return the tests without what of their `pairs` covers no further pair of entries, and the others."""
    tests = defaultdict(list)
    for item in items:
        if item.get_closest_marker("pairs"):
            tests[item.nodeid.split("[")[0]].append(item)
    kept = {cases[k] for cases in tests.values() for k in _cover_pairs([tuple(_entries(case)) for case in cases])}
    left = {item for cases in tests.values() for item in cases} - kept
    return [item for item in items if item not in left], [item for item in items if item in left]


def split_off_repeated(items: list[pytest.Item]) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """Return the tests of the deep tier that the quick one has not, or with other examples, and the others."""
    repeated = {item for item in split_off_deep(items)[0] if not _has_other_examples(item)}
    return [item for item in items if item not in repeated], [item for item in items if item in repeated]


def draw_others(items: list[pytest.Item]) -> None:
    """Let laws draw other examples than those of the quick tier."""
    for item in filter(_has_other_examples, items):
        function = getattr(item, "obj", None)
        seed(1)(getattr(function, "__func__", function))


def _has_other_examples(item: pytest.Item) -> bool:
    """Whether a test is a law that the deep tier tries with other examples than the quick one."""
    return is_hypothesis_test(getattr(item, "obj", None)) and not item.get_closest_marker("measured")


def _choose(cases: list[pytest.Item]) -> list[int]:
    """Return the places of the cases of one test that the quick tier has."""
    entries = [tuple(_entries(case)) for case in cases]
    return _cover(entries, 1) if cases[0].get_closest_marker("each_once") else _cover_pairs(entries)


def _reads_real_data(item: pytest.Item) -> bool:
    """Whether a test asks for the fixture `data`, not for a parameter of that name."""
    return "data" in item.fixturenames and "data" not in getattr(item, "callspec", SimpleNamespace(params=())).params


def _entries(item: pytest.Item) -> Iterator[Any]:
    """Yield one entry of each catalogue: the arguments of a `parametrize`, or the parameter of a fixture."""
    left = {name: id(value) for name, value in item.callspec.params.items()} if hasattr(item, "callspec") else {}
    for mark in item.iter_markers("parametrize"):
        names = mark.args[0].split(",") if isinstance(mark.args[0], str) else mark.args[0]
        yield tuple((name.strip(), left.pop(name.strip())) for name in names if name.strip() in left)
    yield from left.items()


def _cover_pairs(cases: list[tuple[Any, ...]]) -> list[int]:
    """Return the places of few cases, in order, that cover every pair of entries."""
    return _cover(cases, 2) if len(cases[0]) > 2 else list(range(len(cases)))


def _cover(cases: list[tuple[Any, ...]], n: int) -> list[int]:
    """Return the places of few cases, in order, that cover every n entries: those first that cover the most."""
    covered = [set(combinations(entries, n)) for entries in cases]
    left, chosen = set().union(*covered), []
    most = [(-len(each), k) for k, each in enumerate(covered)]
    heapify(most)
    while left:
        known, k = most[0]
        if (now := -len(covered[k] & left)) == known:  # no other covers more: what is left only becomes less
            chosen.append(k)
            left -= covered[k]
        else:
            heapreplace(most, (now, k))
    return sorted(chosen)
