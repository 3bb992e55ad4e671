"""What the README, the pages of docs/ and the docstrings name within a sentence is there under that name."""

from __future__ import annotations

import ast
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import numpy as np
import polars as pl
import pytest

import deciban
from deciban.cli.group import VERBS, Verbs

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
# Pages that are no studies: the calls within their sentences are run.
GUIDES = [
    p for p in PAGES if not (p.parent / "studies" / p.name).exists() and p.stem.partition(".")[0] != "file-format"
]  # whose fields are no names
SOURCES = sorted((ROOT / "python" / "deciban").rglob("*.py"))
PACKAGES = (
    "losses",
    "penalties",
    "kernels",
    "solvers",
    "evaluation",
    "report",
    "theory",
    "calibration",
    "distributions",
)


def prose(path: Path) -> str:
    """The text of a page without its blocks, of a module its docstrings without their examples."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, DOCUMENTED)]
    lines = "\n".join(ast.get_docstring(node) or "" for node in nodes).split("\n")
    return "\n".join(line for line in lines if not line.lstrip().startswith((">>>", "...")))


DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)


def spans(path: Path) -> list[str]:
    """The code that stands within sentences, as it would be typed."""
    return re.findall(r"`([^`\n]+)`", prose(path))


def expression(span: str) -> ast.expr | None:
    """A span that is Python, or nothing."""
    try:
        body = ast.parse(span.replace("…", "...").strip()).body
    except SyntaxError:
        return None
    value = getattr(body[0], "value", None) if len(body) == 1 else None
    return value if isinstance(value, ast.expr) else None


def calls(path: Path) -> list[tuple[str, ast.Call]]:
    found = [(span, expression(span)) for span in spans(path)]
    return [(span, value) for span, value in found if isinstance(value, ast.Call)]


def public(name: str) -> list[Any]:
    """What is called so in `deciban` and in its packages."""
    homes = (deciban, *(getattr(deciban, package) for package in PACKAGES))
    return [getattr(home, name) for home in homes if name in dir(home)]


def takes(called: list[Any], call: ast.Call) -> bool:
    """Whether one of these has the parameters by which it is called, or nothing of ours is."""
    known = [inspect.signature(each).parameters for each in called if callable(each)]
    return not known or any({keyword.arg for keyword in call.keywords} <= set(each) for each in known)


def test_the_parameters_of_what_is_called_exist() -> None:
    name = lambda call: getattr(call.func, "attr", getattr(call.func, "id", ""))  # noqa: E731
    named = [(path.name, span, call) for path in [*PAGES, *SOURCES] for span, call in calls(path)]
    wrong = [(page, span) for page, span, call in named if not takes(public(name(call)), call)]
    assert len(named) > 100
    assert wrong == []


def test_dotted_names_are_found_without_an_import_of_their_own() -> None:
    dotted = {
        name for path in [*PAGES, *SOURCES] for span in spans(path) for name in re.findall(r"^deciban(?:\.\w+)+", span)
    }
    assert len(dotted) > 30
    code = "import json, sys, deciban; [eval(name) for name in json.load(sys.stdin)]"
    for name in sorted(dotted):  # one at a time: an import that one of them causes must not help another
        if name.startswith("deciban.") and name.count(".") == 1:
            assert name.removeprefix("deciban.") in dir(deciban), name
    run = subprocess.run([sys.executable, "-c", code], input=json.dumps(sorted(dotted)), capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    for name in sorted(name for name in dotted if name.count(".") > 1):
        run = subprocess.run([sys.executable, "-c", f"import deciban; {name}"], capture_output=True, text=True)
        assert run.returncode == 0, run.stderr


def known(tmp_path: Path) -> dict[str, Any]:
    """What the sentences of the guides take as given: their blocks, and data for the models that they name."""
    names: dict[str, Any] = {}
    for page in GUIDES:
        for code in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL):
            exec(code, names)
    names["clf"].save(tmp_path / "text.deciban")
    rows = np.random.default_rng(0).normal(size=(60, 2))
    labels = np.where(rows.sum(axis=1) + np.random.default_rng(1).normal(size=60) > 0.0, "yes", "no")
    model = deciban.LogisticRegression().fit(rows, labels)
    names |= {"X": rows, "y": labels, "items": rows[:3], "model": model, "deciban": deciban}
    names |= {"X_new": rows[::-1] + 0.1, "y_new": labels[::-1]}
    names |= {"theory": deciban.theory, "why": model.explain(rows[:1])[0], "explain": model.explain}
    names |= {"machine": deciban.SVM(calibration=None).fit(rows, labels), "models": {"a": model, "b": model}}
    names |= {
        "classes": ("no", "yes"),
        "places": (labels == "yes").astype(int),
        "log_p": model.predict_log_proba(rows),
        "torch": Elsewhere(),
    }
    for package in PACKAGES:
        home = getattr(deciban, package)
        names = {name: getattr(home, name) for name in dir(home) if not name.startswith("_")} | names
    return names | {name: getattr(deciban, name) for name in deciban.__all__ if name not in names}


class Elsewhere:
    """A library with arrays on a device, where there is none."""

    def asarray(self, X: Any, device: str) -> Any:
        assert device == "cuda"
        return np.asarray(X)


def test_the_calls_within_the_guides_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names, ran = known(tmp_path), 0
    for span in [span for page in GUIDES for span in spans(page)]:
        code = span.replace("Cs=…", "Cs=[0.1, 1.0]")
        code = f"model.report(X, y){code}" if code.startswith(".save") else code
        code = f"model.certificate_{code}" if code.startswith(".lines") else code
        if isinstance(expression(code), ast.Call):
            try:
                exec(code, names)
            except Exception as error:
                raise AssertionError(f"`{span}`: {type(error).__name__}: {error}") from error
            ran += 1
    assert ran >= 18


def names_in_onnx() -> set[str]:
    """What ONNX files call their inputs, outputs and metadata, and what types they have."""
    X = pl.DataFrame({"age": [30.0, 40.0, 50.0, 60.0], "job": ["clerk", "judge", "clerk", "judge"]})
    models = [
        deciban.NaiveBayes("auto").fit(X, ["no", "yes", "no", "yes"]),
        deciban.LinearRegression().fit([[0.0], [1.0]], [0, 1]),
    ]
    made = [deciban.to_onnx(model) for model in models]
    values = {each.name for one in made for each in (*one.graph.input, *one.graph.output)}
    types = set(inspect.signature(deciban.to_onnx).parameters) | {"float32", "float64"}
    return values | types | {each.key for one in made for each in one.metadata_props}


def test_the_names_within_the_guides_are_known() -> None:
    verbs, options = set(VERBS), {"--help"}
    context = click.Context(Verbs("deciban"))
    commands = [Verbs().get_command(context, verb) for verb in VERBS]
    while commands:
        command = commands.pop()
        options |= {each for known in command.params for each in (*known.opts, *known.secondary_opts)}
        commands += list(getattr(command, "commands", {}).values())
    estimators = [getattr(deciban, name) for name in deciban.__all__ if isinstance(getattr(deciban, name), type)]
    parts = {name for each in estimators for name in [*dir(each), *inspect.signature(each).parameters]}
    models = {"auto", "naive-bayes", "nbsvm", "logistic", "svm", "perceptron", "least-squares", "kernel-svm", "mlp"}
    known = (
        verbs
        | options
        | parts
        | models
        | names_in_onnx()
        | {"discriminant", "certificate_", "TMPDIR", "DECIBAN_MEMORY", "DECIBAN_IMAP_PASSWORD"}
    )
    for span in [span for page in GUIDES for span in spans(page)]:
        if re.fullmatch(r"\w[\w-]*|--?[\w-]+", span):
            assert span in known or public(span), span
        assert set(re.findall(r"(?<!\w)--[a-z0-9-]+", span)) <= options, span
