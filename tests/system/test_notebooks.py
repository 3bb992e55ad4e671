"""The notebooks of docs/notebooks run from top to bottom, show what they say, and keep no output."""

import ast
import json
import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
NOTEBOOKS = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.ipynb"))}
# What the last line of each cell shows: HTML with these words, or the text.
SHOWN = {
    "certificates": [["primal", "gap"], "e-", ["against", "decibans"], ["primal", "gap"]],
    "tables": [None, ["NaiveBayes"], ["ROC", "Recall", "Confusion matrix"], ["job = ", "visits"]],
    "texts": [["TextClassifier"], ["free", "lunch"], ["exact", "objective"], ", True)"],
}
each_notebook = pytest.mark.parametrize("name", NOTEBOOKS)


def code_of(name):
    return ["".join(cell["source"]) for cell in NOTEBOOKS[name]["cells"] if cell["cell_type"] == "code"]


def run_cell(code, names):
    """Run a cell, and return what its last line shows: HTML, text, or None."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    value = None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    html = getattr(value, "_repr_html_", lambda: None)()
    return None if value is None else html or repr(value)


def test_every_notebook_is_here():
    assert set(NOTEBOOKS) == set(SHOWN)


@each_notebook
def test_it_is_plain_and_without_outputs(name):
    made = NOTEBOOKS[name]
    assert (made["nbformat"], made["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in made["cells"]]
    assert len(set(ids)) == len(ids)
    for cell in made["cells"]:
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None)
    assert "".join(made["cells"][0]["source"]).startswith("# ")


@pytest.mark.deep
@each_notebook
def test_it_runs_and_shows_what_it_is_about(name, monkeypatch):
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    names = {}
    shown = [run_cell(code, names) for code in code_of(name)]
    assert len(shown) == len(SHOWN[name])
    for told, wanted in zip(shown, SHOWN[name], strict=True):
        if isinstance(wanted, list):
            assert told.lstrip().startswith("<style>"), told
            bare = re.sub("<style>.*?</style>", "", told, flags=re.DOTALL)
            assert [word for word in wanted if word.lower() not in bare.lower()] == []
        else:
            assert told is None if wanted is None else wanted in told, told
