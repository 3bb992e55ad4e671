"""Check the docstrings of everything public: python tests/docstrings.py (part of `make lint`).

The format is numpydoc's, validated by numpydoc, with four rules besides: the summary of a function begins with a verb,
what raises has a section Raises, what is fitted has a section Attributes, and defaults are those of the signature.
"""

from __future__ import annotations

import ast
import inspect
import pydoc
import re
import sys
import textwrap
from collections.abc import Iterator
from enum import Enum
from importlib import import_module
from typing import Any

from numpydoc.docscrape import NumpyDocString
from numpydoc.validate import validate

import deciban
from deciban.lazy import cached_property

PACKAGES = (
    *("calibration", "distributed", "distributions", "errors", "evaluation", "export"),
    *("kernel_machines", "kernel_solvers", "kernels", "losses", "penalties", "report", "scores", "solvers", "theory"),
)
# What these functions and the fits of models return.
RESULTS = (
    *("calibration.beta.Bend", "calibration.platt.Line", "certificates.bound.Bound", "certificates.intervals.Rate"),
    *("certificates.certificate.Certificate", "distributions.priors.Optimum", "evaluation.comparison.Comparison"),
    *("evaluation.comparison.Pair", "evaluation.importance.FeatureImportance", "evaluation.importance.Importance"),
    *("evaluation.stability.Stability", "evaluation.stability.StableTerm", "evaluation.suspects.Suspect"),
    *("evaluation.suspects.Suspects", "features.deviation.Deviation", "kernel_machines.prices.Path"),
    *("models.path.Path", "models.zones.Zones", "networks.history.Epoch", "solvers.quadratic_programme.QPSolution"),
    "verdict.Explanation",
)
# A See Also is seldom of use, an extended summary not always; of methods the class has the example. GL01 wants the
# summary on a line of its own, YD01 a section for what is said once under Returns.
OPTIONAL = {"GL01", "ES01", "SA01", "YD01"}
NO_VERBS = re.compile(
    r"(The|A|An|What|How|Why|Whether|Which|Who|Whose|Where|When|That|Those|These|This|It|Its|Their|As|Of|In|By|One|All|"
    r"Each|Every|No|If|So|True|False|None|Mean|Number|Probability|Label|Labels|Weights|Evidence)\b|\W"
)


def find_public() -> dict[str, Any]:
    """Return the public classes and functions by their names, and the public members that their classes define."""
    found: dict[str, Any] = {}
    homes = [("deciban", deciban), *((f"deciban.{name}", import_module(f"deciban.{name}")) for name in PACKAGES)]
    for home, module in homes:
        own = [name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
        for name in getattr(module, "__all__", [name for name in own if not name.startswith("_")]):
            value = getattr(module, name)
            if (inspect.isclass(value) or inspect.isfunction(value)) and value not in found.values():
                found[f"{home}.{name}"] = value
    for name in RESULTS:
        module, _, kind = f"deciban.{name}".rpartition(".")
        found.setdefault(f"deciban.{name}", getattr(import_module(module), kind))
    seen: set[Any] = set()
    for value in list(found.values()):
        for name, member in find_members(value) if inspect.isclass(value) else ():
            if member not in seen:
                found[name] = member
            seen.add(member)
    return found


def find_members(kind: type) -> Iterator[tuple[str, Any]]:
    """Yield the public methods and properties that a class and its bases in Deciban define, with their names.

    One without a docstring has that of the method that it implements.
    """
    for base in kind.__mro__:
        for name, member in vars(base).items() if base.__module__.startswith("deciban") else ():
            member = member.__func__ if isinstance(member, staticmethod | classmethod) else member
            own = inspect.isfunction(member) or isinstance(member, property | cached_property)
            if own and not name.startswith("_") and (member.__doc__ or not pydoc.getdoc(getattr(kind, name))):
                yield f"{base.__module__}.{base.__qualname__}.{name}", member


def check(path: str, value: Any) -> list[str]:
    """Return what is wrong with the docstring of a public name, as sentences that begin with a code."""
    if not value.__doc__:
        return ["GL08: The object does not have a docstring"]
    function = inspect.isfunction(value)
    method = function and "." in value.__qualname__
    protocol = getattr(value, "_is_protocol", False)
    ignored = OPTIONAL | ({"EX01"} if method or isinstance(value, property | cached_property) else set())
    ignored |= {"PR01"} if protocol or (inspect.isclass(value) and issubclass(value, Enum)) else set()
    wrong = [f"{code}: {text}" for code, text in validate(path)["errors"] if code not in ignored]
    sections = set(re.findall(r"^(\w+)\n-{3,}$", inspect.getdoc(value) or "", flags=re.MULTILINE))
    if function and NO_VERBS.match(value.__doc__):
        wrong.append("IM01: The summary of a function must begin with a verb in the imperative")
    wrong += [] if protocol else compare_defaults(value)
    if "Raises" not in sections and not protocol and raises(value):
        wrong.append("RS01: No Raises section found")
    if "Attributes" not in sections and inspect.isclass(value) and inspect.isfunction(getattr(value, "fit", None)):
        wrong.append("AT01: No Attributes section found, which names what a fit leaves")
    return wrong


def compare_defaults(value: Any) -> list[str]:
    """Return for which parameters the docstring states another default than the signature has.

    Where that is None, the docstring may state what it stands for. Defaults that are no literals are not compared.
    """
    wrong: list[str] = []
    entries = NumpyDocString(inspect.getdoc(value) or "")["Parameters"]
    known = inspect.signature(value).parameters if entries else {}
    for entry in entries:
        default = known[entry.name].default if entry.name in known else None
        stated = re.search(r"default=(.+)$", entry.type)
        if default is inspect.Parameter.empty:
            differs = stated is not None or "optional" in entry.type
        else:
            stands = stated is not None and is_literal(stated[1], default)
            differs = default is not None and not stands and not repr(default).startswith("<")
        if differs:
            wrong.append(
                f"DF01: Parameter {entry.name!r} has the default {default!r}, and the docstring {entry.type!r}"
            )
    return wrong


def is_literal(text: str, value: Any) -> bool:
    """Return whether a text stands for this value, or for none that can be compared."""
    try:
        return bool(ast.literal_eval(text) == value)
    except (SyntaxError, ValueError):
        return True


def raises(value: Any) -> bool:
    """Return whether a function, or the constructor of a class, raises errors itself."""
    makers = [vars(value).get(name) for name in ("__init__", "__post_init__")] if inspect.isclass(value) else [value]
    for maker in filter(inspect.isfunction, map(inspect.unwrap, filter(None, makers))):
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(maker)))
        except OSError:  # a dataclass has written it
            continue
        if any(isinstance(node, ast.Raise) and not is_of_a_stub(node) for node in ast.walk(tree)):
            return True
    return False


def is_of_a_stub(node: ast.Raise) -> bool:
    """Return whether it raises NotImplementedError."""
    return node.exc is not None and "NotImplemented" in ast.unparse(node.exc)


def main() -> int:
    """Print what is wrong, and return 1 if something is."""
    public = find_public()
    lines = [f"{path}: {line}" for path, value in public.items() for line in check(path, value)]
    print("\n".join([*sorted(lines), f"docstrings: {len(public)} public names, {len(lines)} errors"]))
    return bool(lines)


if __name__ == "__main__":
    sys.exit(main())
