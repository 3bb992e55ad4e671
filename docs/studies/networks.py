"""Values of docs/studies/networks.md beside the numbers of benchmarks/studies/networks.json: the code, as it is."""

from __future__ import annotations

import ast
import inspect
import textwrap
from pathlib import Path
from typing import Any

import deciban
from deciban.networks import layers
from deciban.networks.network import Network


def derive(numbers: dict[str, Any]) -> dict[str, Any]:
    """Return the code of each step, how numbers are shown, and what the claims are about."""
    deep = numbers["deep"]["activations"]
    return {
        "steps": steps(),
        "number": number,
        "factor": factor,
        "norm": norm,
        "working": "\n".join(working(numbers["hand"])),
        "apart": max(max(three) - min(three) for _, *three in numbers["hand"]["weights"]),
        "error_of": {name: each["error"] for name, each in deep.items()},
        "lowest_share": {name: each["norms"][0] / each["norms"][-1] for name, each in deep.items()},
    }


def steps() -> dict[str, str]:
    """Return the code of each step of the derivation."""
    both = ("forward", "backward")
    return {
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


def code(*parts: Any) -> str:
    """Return the source of these functions, or of (class, names of its methods), without docstrings."""
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


def working(hand: dict[str, Any]) -> list[str]:
    """Return the sums of the network by hand, a line each."""
    lines = [f"x = ({', '.join(f'{v:g}' for v in hand['x'])})      y = ({', '.join(f'{v:g}' for v in hand['y'])})", ""]
    lines += signals("¹", "θ(s)", hand["below"], hand["b1"], [f"{v:g}" for v in hand["x"]], hand["s1"], hand["h1"])
    lines += signals("²", "softmax", hand["above"], hand["b2"], list(map(number, hand["h1"])), hand["s2"], hand["h2"])
    lines += ["", f"𝓔 = −ln h²_2 = {number(hand['error'])}", ""]
    for k, (delta, h, y) in enumerate(zip(hand["d2"], hand["h2"], hand["y"], strict=True), 1):
        lines.append(f"δ²_{k} = h²_{k} − y_{k} = {number(h)} − {y:g} = {number(delta)}")
    for j, (delta, h) in enumerate(zip(hand["d1"], hand["h1"], strict=True)):
        pairs = zip(hand["d2"], hand["above"], strict=True)
        sums = " + ".join(f"{factor(d)} · {factor(row[j])}" for d, row in pairs)
        lines.append(f"δ¹_{j + 1} = ({sums}) · {number(h)} · (1 − {number(h)}) = {number(delta)}")
    return lines


def signals(
    layer: str, bend: str, weights: Any, biases: Any, inputs: list[str], sums: list[float], out: list[float]
) -> list[str]:
    """Return the units of a layer."""
    lines = []
    for j, (row, b, s, h) in enumerate(zip(weights, biases, sums, out, strict=True), 1):
        terms = " + ".join(f"{factor(w)} · {value}" for w, value in zip(row, inputs, strict=True))
        lines.append(f"s{layer}_{j} = {terms} + {factor(b)} = {number(s)}      h{layer}_{j} = {bend} = {number(h)}")
    return lines


def number(value: float, digits: int = 4) -> str:
    """Return a number with a minus that is one, and no −0."""
    told = f"{value:.{digits}f}"
    told = told.lstrip("-") if not told.strip("-0.") else told
    return told.replace("-", "−")


def factor(value: float) -> str:
    """Return a factor of a product, in brackets where it is negative."""
    told = f"{value:.4g}".replace("-", "−")
    return f"({told})" if value < 0.0 else told


def norm(value: float) -> str:
    """Return the length of a gradient, however short."""
    return f"{value:.1g}" if value < 0.1 else f"{value:.2f}"
