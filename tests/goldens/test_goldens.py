"""Files of every kind that were written once still load, and say what they said."""

import json
from pathlib import Path

import pytest
from golden_kinds import KINDS, says

FILES = Path(__file__).parent / "files"
ANSWERS = json.loads((FILES.parent / "answers.json").read_text(encoding="utf-8"))


IN_SINGLE_PRECISION = [name for name in KINDS if "mlp" in name]  # whose sums processors round differently


def assert_same(found, wanted, rel=1e-7, where=""):
    """Equal, numbers up to rounding."""
    if isinstance(wanted, dict):
        assert set(found) >= set(wanted), where  # more keys may follow
        for key, value in wanted.items():
            assert_same(found[key], value, rel, f"{where}.{key}")
    elif isinstance(wanted, list):
        assert len(found) == len(wanted), where
        for i, pair in enumerate(zip(found, wanted, strict=True)):
            assert_same(*pair, rel, f"{where}[{i}]")
    elif isinstance(wanted, float):
        assert found == pytest.approx(wanted, rel=rel, abs=rel / 100, nan_ok=True), where
    else:
        assert found == wanted, where


def test_every_kind_has_its_file_and_its_answers():
    assert {path.stem for path in FILES.iterdir()} == {name.replace(" ", "-") for name in KINDS}
    assert set(ANSWERS) == set(KINDS)


@pytest.mark.parametrize("name", ANSWERS)
def test_a_file_says_what_it_said(name, tmp_path):
    rel = 1e-5 if name in IN_SINGLE_PRECISION else 1e-7
    assert_same(says(name, FILES / f"{name.replace(' ', '-')}.deciban", tmp_path), ANSWERS[name], rel)
