"""Paired tests by going through everything that could have happened."""

from itertools import combinations, product
from math import comb


def mcnemar(b, c):
    """(p, mid p): of the 2^(b + c) ways in which one of two may have erred, the share as uneven as what was seen."""
    splits = [abs(2 * sum(way) - (b + c)) for way in product((0, 1), repeat=b + c)]
    at_least = sum(split >= abs(b - c) for split in splits)
    equal = sum(split == abs(b - c) for split in splits)
    return at_least / len(splits), (at_least - equal / 2) / len(splits)


def mcnemar_counted(b, c):
    """The same by whole numbers, for many examples."""
    n = b + c
    ways = [(abs(2 * k - n), comb(n, k)) for k in range(n + 1)]
    at_least = sum(many for split, many in ways if split >= abs(b - c))
    equal = sum(many for split, many in ways if split == abs(b - c))
    return at_least / 2**n, (2 * at_least - equal) / 2 ** (n + 1)


def holm(p):
    """By closed testing: a hypothesis is refused where Bonferroni refuses every set of hypotheses that has it."""
    sets = [each for size in range(1, len(p) + 1) for each in combinations(range(len(p)), size)]
    return [max(min(1.0, len(each) * min(p[j] for j in each)) for each in sets if i in each) for i in range(len(p))]
