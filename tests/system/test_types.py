"""What a type checker says of the public classes."""

import subprocess
import sys

NAMES = ("NaiveBayes", "GaussianDiscriminant", "LinearRegression", "TextClassifier")
SUMS = """
def of_{name}(one: {name}, other: {name}) -> None:
    assert_type(one + other, {name})
    assert_type(sum([one, other], start=one), {name})
    if whole := sum([one, other]):
        assert_type(whole, {name})
"""


def test_a_sum_of_models_is_a_model(tmp_path):
    script = tmp_path / "sums.py"
    head = f"from typing import assert_type\nfrom deciban import {', '.join(NAMES)}\n"
    script.write_text(head + "".join(SUMS.format(name=name) for name in NAMES))
    said = subprocess.run([sys.executable, "-m", "mypy", "--strict", script], capture_output=True, text=True)
    assert said.returncode == 0, said.stdout
