"""Writes docs/networks.md, back-propagation derived beside its code and run, and draws its pictures.

python docs/networks.py
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from pathlib import Path
from typing import Any

import networks_cases as cases
from networks_prose import BY_HAND, DERIVATION, RUNS
from networks_runs import everything, number

import deciban
from deciban.networks import layers
from deciban.networks.network import Network
from deciban.report import svg

# --- the code ----------------------------------------------------------------------------------------------


def code(*parts: Any) -> str:
    """What the source says of these functions, or of (class, names of its methods), without docstrings."""
    found = []
    for part in parts:
        owner, names = part if isinstance(part, tuple) else (None, ())
        if owner is None:
            found.append(_lines(part))
            continue
        methods = "\n\n".join(_lines(getattr(owner, name)) for name in names)
        found.append(f"class {owner.__name__}:\n" + textwrap.indent(methods, "    "))
    first = parts[0][0] if isinstance(parts[0], tuple) else parts[0]
    home = Path(inspect.getsourcefile(first) or "").relative_to(Path(deciban.__file__).parent)
    return "\n\n\n".join([f"# python/deciban/{home.as_posix()}", *found])


def _lines(function: Any) -> str:
    source = textwrap.dedent(inspect.getsource(function))
    (defined,) = ast.parse(source).body
    assert isinstance(defined, ast.FunctionDef)
    lines = source.rstrip().splitlines()
    if ast.get_docstring(defined) is not None:
        said = defined.body[0]
        del lines[said.lineno - 1 : said.end_lineno]
    return "\n".join(lines)


def derivation() -> str:
    """The steps, each with its code."""
    both = ("forward", "backward")
    parts = {
        "forward": code(Network.signals, Network.forward),
        "activations": code(*((unit, both) for unit in layers.CATALOGUE)),
        "errors": code(
            (layers.LogisticOutput, ("cross_entropy",)),
            (layers.Softmax, ("forward", "cross_entropy")),
            (layers.Squared, ("value",)),
        ),
        "deltas": code(
            (layers.Linear, ("backward",)),
            (layers.LogisticOutput, ("backward",)),
            (layers.Softmax, ("backward",)),
            (layers.Squared, ("delta",)),
            (layers.CrossEntropy, ("delta",)),
        ),
        "down": code(Network._down),
        "backward": code(Network.backward),
        "gradients": code(Network.gradients),
    }
    return DERIVATION.format(**parts)


# --- by hand -----------------------------------------------------------------------------------------------


def by_hand() -> str:
    """One network with numbers."""
    hand = cases.by_hand()
    lines = [f"x = ({', '.join(f'{v:g}' for v in hand.x)})      y = ({', '.join(f'{v:g}' for v in hand.y)})", ""]
    layers = (
        ("¹", "θ(s)", hand.below, hand.b1, [f"{v:g}" for v in hand.x], hand.s1, hand.h1),
        ("²", "softmax", hand.above, hand.b2, [number(v) for v in hand.h1], hand.s2, hand.h2),
    )
    for layer, bend, weights, biases, inputs, signals, out in layers:
        for j, (row, b, s, h) in enumerate(zip(weights, biases, signals, out, strict=True), 1):
            terms = " + ".join(f"{_bracket(w)} · {value}" for w, value in zip(row, inputs, strict=True))
            lines.append(
                f"s{layer}_{j} = {terms} + {_bracket(b)} = {number(s)}      h{layer}_{j} = {bend} = {number(h)}"
            )
    lines += ["", f"𝓔 = −ln h²_2 = {number(hand.error)}", ""]
    for k, (delta, h, y) in enumerate(zip(hand.d2, hand.h2, hand.y, strict=True), 1):
        lines.append(f"δ²_{k} = h²_{k} − y_{k} = {number(h)} − {y:g} = {number(delta)}")
    for j, (delta, h) in enumerate(zip(hand.d1, hand.h1, strict=True)):
        sums = " + ".join(f"{_bracket(d)} · {_bracket(row[j])}" for d, row in zip(hand.d2, hand.above, strict=True))
        lines.append(f"δ¹_{j + 1} = ({sums}) · {number(h)} · (1 − {number(h)}) = {number(delta)}")
    rows = [
        f"| {name} | {number(own, 6)} | {number(found, 6)} | {number(moved, 6)} |"
        for name, own, found, moved in cases.compared(hand)
    ]
    return BY_HAND.format(
        working=textwrap.indent("\n".join(lines), "    ", lambda line: bool(line.strip())),
        compared="\n".join(rows),
        agree=f"{cases.AGREE:g}".replace("e-0", "e-"),
        catalogue=cases.catalogue(),
    )


def _bracket(value: float) -> str:
    told = f"{value:.4g}".replace("-", "−")
    return f"({told})" if value < 0.0 else told


# --- the page ----------------------------------------------------------------------------------------------


def page() -> tuple[str, dict[str, Any]]:
    """The page, and its figures by the name of their file."""
    known, pictures = everything()
    return "\n".join([derivation(), by_hand(), RUNS.format(**known)]), pictures


if __name__ == "__main__":
    folder = Path(__file__).parent
    text, figures = page()
    (folder / "networks.md").write_text(text, encoding="utf-8")
    for name, figure in figures.items():
        (folder / name).write_text(svg(figure), encoding="utf-8")
