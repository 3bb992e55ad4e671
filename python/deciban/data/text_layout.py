"""Checks of the file of a text model, made once, where a file is read: the rest of the package trusts it.

    header    model, classes, dropped, uncounted (or 0), generation (or none), certificate, text (`TextSettings`),
              calibration (`Scaling`, of naive Bayes, or none), origin (`TextColumns`, or none);
              bayes (`Bayes`), linear (`Linear`), kernel (`Machine`), network (`Layers`) or online (`Fusion`)
    score.*   K features, C classes: hashes (K,), weights (K·C,), prior (C,), bias (C,), absent (K·C,) or none,
              total (C,) by which counts became shares, widening (C,) or none, and the names: words (bytes), where
              each ends (K,); those and the hashes may be left to state.*; of a linear model only weights and prior; of
              a machine of m texts scale (K,), dual (m, C), intercept (C,), and these texts as CSR: vectors.data,
              .indices, .indptr;
            of a network scale (K,) and of each layer, from 1, weights.k (units below, units) and biases.k (units,)
              of experts weights (K·m), prior (E·m) and doubts (K,), m = 1 of two classes, else C
    examples.*  of experts N examples: ends (N,) in words (nonzeros,), classes (N,); and passages (nonzeros,), times
              (N,), weights (N,) or none
    state.*   V words: hashes (V,), counts (V, C), items (C,), words (bytes), ends (V,)
    state.readable.*  W words of hash buckets: hashes (W,), counts (W,), words (bytes), ends (W,), and readable_dropped
              in the header; or none of these
    and where the header has a generation, state.born (V,), state.opened, and of R words that gave way to others
    retired.*: hashes (R,), counts (R, C), words (bytes), ends, born and until (R,)
    ledger.*  M items: digests (M, 16), classes (M,), generations (M,) or none; or no ledger at all

The content of the tensors (hashes that ascend, names in UTF-8) is checked by whoever builds something of them.
This is on the path of one message from the command line: it loads no NumPy.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ..errors import DataError

if TYPE_CHECKING:
    from ..store import Tensor

NAIVE_BAYES = "naive-bayes"
LINEAR = ("nbsvm", "logistic", "svm", "perceptron", "least-squares")
"""Models whose score is affine in the words, learnt by minimising."""
BY_PASSES = ("nbsvm", "logistic", "svm")
"""Those of them that passes over rows in files learn, too."""
KERNEL = "kernel-svm"
NETWORK = "mlp"
MINIMISED = (*LINEAR, KERNEL, NETWORK)
"""Models that are learnt by minimising over all items at once, and cannot learn on."""
ONLINE = "online"
"""The model that keeps its examples, and is learnt one after the other."""
MODELS = (NAIVE_BAYES, *MINIMISED, ONLINE)
LAST_GENERATION = 2**32 - 1
"""The tensors hold generations in 32 bits."""
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


def _words(value: object) -> bool:
    return type(value) is list and len(value) == 2 and all(map(_whole(1, 5), value)) and value[0] <= value[1]


def _number(value: Any) -> bool:
    most = sys.float_info.max  # a whole number may be larger
    return type(value) in (int, float) and -most <= value <= most


def _sizes(value: object) -> bool:
    return type(value) is list and len(value) <= 8 and all(map(_whole(1), value))


def _labels(value: Any) -> bool:
    known = type(value) is list and all(type(label) in (str, int, float, bool) for label in value)
    return known and 0 < len(set(value)) == len(value) <= 1 << 16


def _numbers(value: Any, size: int) -> bool:
    return type(value) is list and len(value) == size and all(map(_number, value))


def _is_fusion(value: Any) -> bool:
    fields = {"experts", "bend", "slope", "intercept", "spread", "doubt", "typical"}
    if type(value) is not dict or set(value) != fields or not _whole(1, 2)(value["experts"]):
        return False
    n, spread, intercept = value["experts"], value["spread"], value["intercept"]
    pairs = type(spread) is list and len(spread) == n and all(_numbers(pair, 2) for pair in spread)
    known = type(intercept) is list and 0 < len(intercept) <= 1 << 16 and all(map(_number, intercept))
    lists = pairs and known and _numbers(value["doubt"], 3) and _numbers(value["typical"], n)
    return lists and _number(value["bend"]) and _number(value["slope"])


def is_scaling(value: Any, classes: Any) -> bool:
    """Return whether a header's value is a slope above 0 and an offset for each class."""
    known = type(value) is dict and set(value) == {"slope", "offset"} and type(classes) is list
    return known and _number(value["slope"]) and value["slope"] > 0 and _numbers(value["offset"], len(classes))


def _is_origin(value: Any) -> bool:
    return type(value) is dict and set(value) == {"text", "label"} and all(type(each) is str for each in value.values())


def _or_none(allowed: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or allowed(value)


_FIELDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "model": (lambda value: value in MODELS, "a model that this version knows"),
    "classes": (_labels, "distinct labels"),
    "dropped": (_whole(0, 2**53), "a whole number from 0 to 2^53"),
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
    "bayes.chosen": (lambda value: type(value) is bool, "true or false"),
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
    "online.fusion": (lambda value: _is_fusion(value), "how experts are heard"),
    "linear.weighting": (lambda value: value in WEIGHTINGS, "'unit-idf', 'idf' or 'none'"),
}


_OPTIONAL = {"chosen"}
"""Fields that older files have not, and which are false there."""


SECTIONS = {**dict.fromkeys(LINEAR, "linear"), KERNEL: "kernel", NETWORK: "network", ONLINE: ONLINE}
"""Where the header keeps the parameters of each model but naive Bayes."""


def _header_fault(header: Mapping[str, Any]) -> str:
    model = header.get("model")
    own = SECTIONS.get(model, "bayes") if type(model) is str else "bayes"
    for section in ("text", own):
        known = {field.partition(".")[2] for field in _FIELDS if field.startswith(f"{section}.")}
        values = header.get(section)
        if type(values) is not dict or not known - _OPTIONAL <= set(values) <= known:
            return f"{section!r} in its header with the fields {', '.join(sorted(known))}"
    for section in ("bayes", *SECTIONS.values()):
        if section != own and section in header:
            return f"no {section!r} in its header beside the model {model!r}"
    for field, most, said in (("readable_dropped", 2**53, "2^53"), ("generation", LAST_GENERATION, "2^32 − 1")):
        if not _or_none(_whole(0, most))(header.get(field)):
            return f"{field!r} in its header to be a whole number from 0 to {said}"
    for field in ("uncounted", "readable_uncounted"):
        if not (_number(header.get(field, 0)) and header.get(field, 0) >= 0):
            return f"{field!r} in its header to be a number from 0"
    if "origin" in header and not _is_origin(header["origin"]):
        return "'origin' in its header to name a column of texts and one of labels"
    if "calibration" in header and not (own == "bayes" and is_scaling(header["calibration"], header.get("classes"))):
        return "'calibration' in its header, of naive Bayes, to be a slope above 0 and an offset for each class"
    if own == ONLINE and (fault := _fusion_fault(header)):
        return fault
    for field, (allowed, wanted) in _FIELDS.items():
        section, _, key = field.rpartition(".")
        if section not in ("", "text", own):
            continue
        values = header[section] if section else header
        if key in _OPTIONAL and key not in values:
            continue
        if key not in values or not allowed(values[key]):
            return f"{field!r} in its header to be {wanted}"
    return ""


def _fusion_fault(header: Mapping[str, Any]) -> str:
    fusion, text, classes = header[ONLINE]["fusion"], header["text"], header.get("classes")
    if not _is_fusion(fusion) or type(classes) is not list:
        return ""  # which is told with the other fields
    experts, columns = 2 if text["kind"] == "mail" else 1, 1 if len(classes) == 2 else len(classes)
    if (fusion["experts"], len(fusion["intercept"])) == (experts, columns) and text["hashed_bits"] is None:
        return ""
    return f"{experts} experts of {columns} columns, that know words by name"


def _tensor_fault(header: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> str:
    named, classes = header["text"]["hashed_bits"] is None, len(header["classes"])
    score = {part: f"score.{part}" if f"score.{part}" in tensors else f"state.{part}" for part in _NAMES}
    features, words = _size(tensors, score["hashes"]), _size(tensors, "state.hashes")
    wanted: Wanted = {
        score["hashes"]: (("U64",), ((features,),)),
        score["words"]: (("U8",), ((_size(tensors, score["words"]),),)),
        score["ends"]: (("U64",), ((features if named else 0,),)),
        "state.hashes": (("U64",), ((words,),)),
        "state.counts": (("U32", "F64"), ((words, classes),)),
        "state.items": (("F64",), ((classes,),)),
        "state.words": (("U8",), ((_size(tensors, "state.words"),),)),
        "state.ends": (("U64",), ((words if named else 0,),)),
        **_of_score(header, tensors, features),
    }
    readable = header.get("readable_dropped") is not None
    if readable or "state.readable.hashes" in tensors:
        if named or not readable:
            return "words of hash buckets only beside buckets, with 'readable_dropped' in its header"
        wanted |= _of_bucket_words(tensors)
    if "ledger.digests" in tensors or "ledger.classes" in tensors:
        items = _size(tensors, "ledger.classes")
        wanted |= {"ledger.digests": (("U8",), ((items, 16),)), "ledger.classes": (("U16",), ((items,),))}
        if "ledger.generations" in tensors:
            wanted["ledger.generations"] = (("U32",), ((items,),))
    if header.get("generation") is not None:
        wanted |= _of_generations(tensors, words, classes)
    own = set(score.values()) & _OWN_NAMES if header["model"] != NAIVE_BAYES else set()
    if others := sorted(tensors.keys() - wanted.keys() | own):
        return f"no tensor {others[0]!r} of this model"
    states = ("state", "state.readable") if readable else ("state",)
    names = (score, *({"words": f"{each}.words", "ends": f"{each}.ends"} for each in states))
    return _form_fault(wanted, tensors) or _name_fault(names, tensors)


def _of_score(header: Mapping[str, Any], tensors: Mapping[str, Tensor], features: int) -> Wanted:
    """Return the tensors of the score of a model."""
    model, classes = header["model"], len(header["classes"])
    if model == KERNEL:
        return _of_machine(tensors, features, classes)
    if model == NETWORK:
        return _of_layers((features, *header["network"]["hidden"], classes))
    if model == ONLINE:
        return _of_experts(header, tensors, features, classes)
    numbers, each = (("F64",), ((features * classes,),)), (("F64",), ((classes,),))
    affine: Wanted = {"score.weights": numbers, "score.prior": each}
    if model in LINEAR:
        return affine
    if "score.widening" in tensors:  # which earlier versions did not write
        affine["score.widening"] = each
    absent = (("F64",), ((features * classes,), (0,)))
    return {**affine, "score.bias": each, "score.total": each, "score.absent": absent}


def _form_fault(wanted: Wanted, tensors: Mapping[str, Tensor]) -> str:
    for name, (dtypes, shapes) in wanted.items():
        tensor = tensors.get(name)
        if tensor is None or tensor.dtype not in dtypes or tensor.shape not in shapes:
            form = " or ".join(f"{dtype}{list(shape)}" for dtype in dtypes for shape in shapes)
            came = "there is none" if tensor is None else f"it is {tensor.dtype}{list(tensor.shape)}"
            return f"the tensor {name!r} to be {form}; {came}"
    return ""


def _name_fault(parts: Iterable[Mapping[str, str]], tensors: Mapping[str, Tensor]) -> str:
    for part in parts:
        ends = tensors[part["ends"]].data
        if int.from_bytes(ends[-8:], "little") != len(tensors[part["words"]].data):
            return f"the names in {part['words']!r} to end where {part['ends']!r} says"
    return ""


def _of_bucket_words(tensors: Mapping[str, Tensor]) -> Wanted:
    """Return the words of hash buckets."""
    words, names = _size(tensors, "state.readable.hashes"), _size(tensors, "state.readable.words")
    return {
        "state.readable.hashes": (("U64",), ((words,),)),
        "state.readable.counts": (("U32", "F64"), ((words,),)),
        "state.readable.words": (("U8",), ((names,),)),
        "state.readable.ends": (("U64",), ((words,),)),
    }


def _of_generations(tensors: Mapping[str, Tensor], words: int, classes: int) -> Wanted:
    """Return what tells in which items words count, and the words that gave way."""
    gone, names = _size(tensors, "retired.hashes"), _size(tensors, "retired.words")
    each = (("U32",), ((gone,),))
    return {
        "state.born": (("U32",), ((words,),)),
        "state.opened": (("U32",), ((_size(tensors, "state.opened"),),)),
        "retired.hashes": (("U64",), ((gone,),)),
        "retired.counts": (("U32", "F64"), ((gone, classes),)),
        "retired.words": (("U8",), ((names,),)),
        "retired.ends": (("U64",), ((gone,),)),
        "retired.born": each,
        "retired.until": each,
    }


def _of_machine(tensors: Mapping[str, Tensor], features: int, classes: int) -> Wanted:
    """Return the tensors of a machine of as many texts as there are."""
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
    """Return the tensors of a network of these sizes."""
    found: Wanted = {"score.scale": (("F64",), ((sizes[0],),))}
    for k, (below, units) in enumerate(pairwise(sizes), 1):
        found |= {
            f"score.weights.{k}": (("F32",), ((below, units),)),
            f"score.biases.{k}": (("F32",), ((units,),)),
        }
    return found


def _of_experts(header: Mapping[str, Any], tensors: Mapping[str, Tensor], words: int, classes: int) -> Wanted:
    """Return the tensors of experts, and those of the examples that they learnt."""
    columns, examples = 1 if classes == 2 else classes, _size(tensors, "examples.ends")
    each = (("U32",), ((examples,),))
    nonzeros = _size(tensors, "examples.words")
    told: Wanted = {"examples.times": (("I64",), ((examples,),)), "examples.weights": (("F64",), ((examples,),))}
    told |= {"examples.passages": (("U16",), ((nonzeros,),))}
    return {
        "score.weights": (("F64",), ((words * columns,),)),
        "score.prior": (("F64",), ((header[ONLINE]["fusion"]["experts"] * columns,),)),
        "score.doubts": (("F64",), ((words,),)),
        "score.squares": (("F32",), (((words + header[ONLINE]["fusion"]["experts"]) * columns,),)),
        "examples.digests": (("U8",), ((examples, 16),)),
        "examples.ends": (("U64",), ((examples,),)),
        "examples.words": (("U32",), ((nonzeros,),)),
        "examples.classes": each,
        **{name: form for name, form in told.items() if name in tensors},
    }


_NAMES = ("hashes", "words", "ends")
_OWN_NAMES = {f"score.{part}" for part in _NAMES}


def _size(tensors: Mapping[str, Tensor], name: str) -> int:
    """Return the number of rows of a tensor; 0 where there is none."""
    tensor = tensors.get(name)
    return tensor.shape[0] if tensor is not None and tensor.shape else 0
