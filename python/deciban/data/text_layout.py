"""What the file of a text model must hold, checked once, where a file is read: the rest of the package trusts it.

    header    model, classes, dropped, certificate, text (`TextSettings`); bayes (`Bayes`), linear (`Linear`),
              kernel (`Machine`) or network (`Layers`)
    score.*   K features, C classes: hashes (K,), weights (K·C,), prior (C,), bias (C,), absent (K·C,) or none,
              total (C,) by which counts became shares, widening (C,) or none, and the names: words (bytes), where
              each ends (K,); those and the hashes may be left to state.*; of a linear model only weights and prior; of
              a machine of m texts scale (K,), dual (m, C), intercept (C,), and these texts as CSR: vectors.data,
              .indices, .indptr;
            of a network scale (K,) and of each layer, from 1, weights.k (units below, units) and biases.k (units,)
    state.*   V words: hashes (V,), counts (V, C), items (C,), words (bytes), ends (V,)
    state.readable.*  W words of hash buckets: hashes (W,), counts (W,), words (bytes), ends (W,), and readable_dropped
              in the header; or none of these
    ledger.*  M items: digests (M, 16), classes (M,); or no ledger at all

The content of the tensors (hashes that ascend, names in UTF-8) is checked by whoever builds something of them.
This is on the path of one message from the command line: it loads no NumPy.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ..errors import DataError

if TYPE_CHECKING:
    from ..store import Tensor

NAIVE_BAYES = "naive-bayes"
LINEAR = ("nbsvm", "logistic", "svm", "perceptron", "least-squares")
"""Models whose score is affine in the words, learnt by minimising."""
KERNEL = "kernel-svm"
NETWORK = "mlp"
MINIMISED = (*LINEAR, KERNEL, NETWORK)
"""Models that are learnt by minimising over all items at once, and cannot learn on."""
MODELS = (NAIVE_BAYES, *MINIMISED)
WEIGHTINGS = ("unit-idf", "idf", "none")
"""What a word counts to a linear model: see `text.linear.Linear`."""

Shape = tuple[int, ...]
Wanted = dict[str, tuple[tuple[str, ...], tuple[Shape, ...]]]
"""Of each tensor the types and the shapes that it may have."""


def check(header: Mapping[str, Any], tensors: Mapping[str, Tensor], name: str) -> None:
    """Raise DataError unless header and tensors are those of a text model; `name` is what the error calls the file."""
    fault = _header_fault(header) or _tensor_fault(header, tensors)
    if fault:
        raise DataError(f"{name}: expected {fault}. The file is not one that this program wrote; train again.")


def _whole(least: int, most: int | None = None) -> Callable[[Any], bool]:
    return lambda value: type(value) is int and least <= value and (most is None or value <= most)


def _words(value: Any) -> bool:
    return type(value) is list and len(value) == 2 and all(map(_whole(1, 5), value)) and value[0] <= value[1]


def _number(value: Any) -> bool:
    most = sys.float_info.max  # a whole number may be larger
    return type(value) in (int, float) and -most <= value <= most


def _sizes(value: Any) -> bool:
    return type(value) is list and len(value) <= 8 and all(map(_whole(1), value))


def _labels(value: Any) -> bool:
    known = type(value) is list and all(type(label) in (str, int, float, bool) for label in value)
    return known and 0 < len(set(value)) == len(value) <= 1 << 16


def _or_none(allowed: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or allowed(value)


_FIELDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "model": (lambda value: value in MODELS, "a model that this version knows"),
    "classes": (_labels, "distinct labels"),
    "dropped": (_whole(0), "a whole number from 0"),
    "certificate": (lambda value: type(value) is dict, "an object"),
    "text.kind": (lambda value: value in ("text", "mail"), "'text' or 'mail'"),
    "text.words": (_words, "two whole numbers from 1 to 5 in order"),
    "text.max_features": (_or_none(_whole(1)), "null or a whole number from 1"),
    "text.hashed_bits": (_or_none(_whole(1, 30)), "null or a whole number from 1 to 30"),
    "text.binary": (lambda value: type(value) is bool, "true or false"),
    "text.max_words": (_whole(1, 2**32), "a whole number from 1 to 2^32"),
    "text.key": (_whole(0, 2**64 - 1), "a whole number from 0 below 2^64"),
    "bayes.likelihood": (lambda value: type(value) is str, "a name"),
    "bayes.alpha": (lambda value: _number(value) and value >= 0, "a number from 0"),
    "bayes.estimate": (lambda value: value in ("bayes", "predictive", "map", "ml"), "'bayes', 'map' or 'ml'"),
    "bayes.class_prior": (
        lambda value: type(value) is str or _number(value) or (type(value) is list and all(map(_number, value))),
        "a name or numbers",
    ),
    "linear.C": (_or_none(lambda value: _number(value) and value > 0), "null or a number above 0"),
    "linear.alpha": (_or_none(lambda value: _number(value) and value > 0), "null or a number above 0"),
    "kernel.C": (lambda value: _number(value) and value > 0, "a number above 0"),
    "kernel.gamma": (lambda value: _number(value) and value > 0, "a number above 0"),
    "network.hidden": (_sizes, "at most 8 whole numbers from 1"),
    "network.dropout": (lambda value: _number(value) and 0 <= value < 1, "a number from 0 below 1"),
    "network.epochs": (_whole(1, 10_000), "a whole number from 1 to 10000"),
    "network.weighting": (lambda value: value in WEIGHTINGS, "'unit-idf', 'idf' or 'none'"),
    "linear.weighting": (lambda value: value in WEIGHTINGS, "'unit-idf', 'idf' or 'none'"),
}


_SECTIONS = {**dict.fromkeys(LINEAR, "linear"), KERNEL: "kernel", NETWORK: "network"}


def _header_fault(header: Mapping[str, Any]) -> str:
    model = header.get("model")
    own = _SECTIONS.get(model, "bayes") if type(model) is str else "bayes"
    for section in ("text", own):
        known = {field.partition(".")[2] for field in _FIELDS if field.startswith(f"{section}.")}
        values = header.get(section)
        if type(values) is not dict or set(values) != known:
            return f"{section!r} in its header with the fields {', '.join(sorted(known))}"
    if ("bayes" in header) != (own == "bayes"):
        return f"no 'bayes' in its header beside the model {model!r}"
    if not _or_none(_whole(0))(header.get("readable_dropped")):
        return "'readable_dropped' in its header to be a whole number from 0"
    for field, (allowed, wanted) in _FIELDS.items():
        section, _, key = field.rpartition(".")
        if section not in ("", "text", own):
            continue
        values = header[section] if section else header
        if key not in values or not allowed(values[key]):
            return f"{field!r} in its header to be {wanted}"
    return ""


def _tensor_fault(header: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> str:
    classes = len(header["classes"])
    named = header["text"]["hashed_bits"] is None
    model = header["model"]
    minimised = model != NAIVE_BAYES
    score = {part: f"score.{part}" if f"score.{part}" in tensors else f"state.{part}" for part in _NAMES}
    sizes = {name: _size(tensors, name) for name in (score["hashes"], "state.hashes")}
    features, words = sizes[score["hashes"]], sizes["state.hashes"]
    numbers = features * classes
    wanted: Wanted = {
        score["hashes"]: (("U64",), ((features,),)),
        "score.weights": (("F64",), ((numbers,),)),
        "score.prior": (("F64",), ((classes,),)),
        "score.bias": (("F64",), ((classes,),)),
        "score.total": (("F64",), ((classes,),)),
        "score.absent": (("F64",), ((numbers,), (0,))),
        score["words"]: (("U8",), ((_size(tensors, score["words"]),),)),
        score["ends"]: (("U64",), ((features if named else 0,),)),
        "state.hashes": (("U64",), ((words,),)),
        "state.counts": (("U32", "F64"), ((words, classes),)),
        "state.items": (("F64",), ((classes,),)),
        "state.words": (("U8",), ((_size(tensors, "state.words"),),)),
        "state.ends": (("U64",), ((words if named else 0,),)),
    }
    if minimised:
        weighed = () if model in LINEAR else ("score.weights", "score.prior")
        for name in ("score.bias", "score.total", "score.absent", *weighed):
            del wanted[name]
    elif "score.widening" in tensors:  # which earlier versions did not write
        wanted["score.widening"] = (("F64",), ((classes,),))
    if model == KERNEL:
        wanted |= _of_machine(tensors, features, classes)
    if model == NETWORK:
        wanted |= _of_layers((features, *header["network"]["hidden"], classes))
    readable = header.get("readable_dropped") is not None
    if readable or "state.readable.hashes" in tensors:
        if named or not readable:
            return "words of hash buckets only beside buckets, with 'readable_dropped' in its header"
        wanted |= _of_bucket_words(tensors)
    if "ledger.digests" in tensors or "ledger.classes" in tensors:
        items = _size(tensors, "ledger.classes")
        wanted |= {"ledger.digests": (("U8",), ((items, 16),)), "ledger.classes": (("U16",), ((items,),))}
    if minimised and (others := sorted(tensors.keys() - wanted.keys() | (set(score.values()) & _OWN_NAMES))):
        return f"no tensor {others[0]!r} of this model"
    for name, (dtypes, shapes) in wanted.items():
        tensor = tensors.get(name)
        if tensor is None or tensor.dtype not in dtypes or tensor.shape not in shapes:
            form = " or ".join(f"{dtype}{list(shape)}" for dtype in dtypes for shape in shapes)
            came = "there is none" if tensor is None else f"it is {tensor.dtype}{list(tensor.shape)}"
            return f"the tensor {name!r} to be {form}; {came}"
    states = ("state", "state.readable") if readable else ("state",)
    for part in (score, *({"words": f"{each}.words", "ends": f"{each}.ends"} for each in states)):
        ends = tensors[part["ends"]].data
        if int.from_bytes(ends[-8:], "little") != len(tensors[part["words"]].data):
            return f"the names in {part['words']!r} to end where {part['ends']!r} says"
    return ""


def _of_bucket_words(tensors: Mapping[str, Tensor]) -> Wanted:
    """The words of hash buckets."""
    words, names = _size(tensors, "state.readable.hashes"), _size(tensors, "state.readable.words")
    return {
        "state.readable.hashes": (("U64",), ((words,),)),
        "state.readable.counts": (("U32", "F64"), ((words,),)),
        "state.readable.words": (("U8",), ((names,),)),
        "state.readable.ends": (("U64",), ((words,),)),
    }


def _of_machine(tensors: Mapping[str, Tensor], features: int, classes: int) -> Wanted:
    """What a machine of so many texts as there are consists of."""
    m, stored = _size(tensors, "score.dual"), _size(tensors, "score.vectors.data")
    return {
        "score.scale": (("F64",), ((features,),)),
        "score.dual": (("F64",), ((m, classes),)),
        "score.intercept": (("F64",), ((classes,),)),
        "score.vectors.data": (("F64",), ((stored,),)),
        "score.vectors.indices": (("I64",), ((stored,),)),
        "score.vectors.indptr": (("I64",), ((m + 1,),)),
    }


def _of_layers(sizes: Shape) -> Wanted:
    """What a network of these sizes consists of."""
    found: Wanted = {"score.scale": (("F64",), ((sizes[0],),))}
    for k, (below, units) in enumerate(pairwise(sizes), 1):
        found |= {
            f"score.weights.{k}": (("F32",), ((below, units),)),
            f"score.biases.{k}": (("F32",), ((units,),)),
        }
    return found


_NAMES = ("hashes", "words", "ends")
_OWN_NAMES = {f"score.{part}" for part in _NAMES}


def _size(tensors: Mapping[str, Tensor], name: str) -> int:
    """How many rows a tensor has; 0 where there is none."""
    tensor = tensors.get(name)
    return tensor.shape[0] if tensor is not None and tensor.shape else 0
