"""What the page on calibration says in words is what its tables say in numbers."""

import re
from pathlib import Path

import pytest

from deciban.calibration import CATALOGUE

PAGE = (Path(__file__).parents[2] / "docs" / "calibration.md").read_text(encoding="utf-8")
WORDS = " ".join(PAGE.split())


@pytest.fixture(scope="module")
def cases():
    """Rows by data set and model: method → (error, log loss, ECE), and the one that "auto" took."""
    found = {}
    for chapter in re.split(r"^## ", PAGE, flags=re.MULTILINE):
        for line in chapter.splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if line.startswith("|") and len(cells) == 5 and re.fullmatch(r"[\d.]+", cells[2]):
                methods = found.setdefault((chapter.split(":")[0], cells[0]), {})
                name = cells[1].removesuffix(" \\*")
                methods[name] = tuple(float(cell.replace(",", "")) for cell in cells[2:])
                if name != cells[1]:
                    methods["auto"] = name
    return found


def test_every_case_has_all_methods_and_one_that_was_taken(cases):
    assert len(cases) == 12
    for methods in cases.values():
        assert set(CATALOGUE) < set(methods)
        assert methods["auto"] in CATALOGUE


def test_the_words_count_what_the_tables_show(cases):
    def wins(ours, theirs):
        return sum(methods[ours][1] < methods[f"scikit-learn, {theirs}"][1] for methods in cases.values())

    near = [each[each["auto"]][1] <= 1.01 * min(each[name][1] for name in CATALOGUE) for each in cases.values()]
    assert f"in {sum(near)} of 12 cases" in WORDS
    assert f"lower log loss in {wins('isotonic', 'isotonic')} of 12 cases" in WORDS
    assert f"Platt's line has it in {wins('platt', 'sigmoid')}" in WORDS
    assert f"a temperature in {wins('temperature', 'temperature')}." in WORDS


def test_naive_bayes_gains_most_and_a_temperature_moves_no_verdict(cases):
    for (_, model), methods in cases.items():
        assert methods["temperature"][0] == methods["none"][0]
        if model == "naive Bayes":
            assert methods[methods["auto"]][1] < 0.8 * methods["none"][1]


def test_who_follows_costs_less(cases):
    lines = re.findall(r"^\| (\w+) \| ([^|]+) \| ([\d.,]+) \|$", PAGE, flags=re.MULTILINE)
    lost = {(method, how): float(nats) for method, how, nats in lines}
    for method in CATALOGUE:
        assert lost[method, "half-life 1,000"] < lost[method, "all alike"] < lost[method, "none"]
