"""Files whose digest is right and whose content is not: refused by name, or all that they say is finite."""

import json
import math
import random
import unicodedata
import warnings
from collections.abc import Iterator
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from goldens.golden_kinds import ASKED_MAIL, KINDS, says

import deciban
from deciban import store
from deciban.artifact import registry
from deciban.cli import status
from deciban.errors import DataError, escape
from deciban.json_text import json_line
from tiers import deep

FILES = Path(__file__).parents[1] / "goldens" / "files"
VALUES = [None, True, -1, 0, 3, 2**63, 1e308, -1e308, 1e-320, "x", "", [], [1.0], {}, {"x": 1}]
NUMBERS = [np.nan, np.inf, -np.inf, 1e308, -1e308, -1.0, 0.0, 1e18]
EACH = 12  # mutations of a file


def _leaves(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths to everything in a header."""
    if path:
        yield path
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, each in items:
        yield from _leaves(each, (*path, key))


def _at(node: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        node = node[key]
    return node


def _mutate_header(header: dict[str, Any], dice: random.Random) -> str:
    paths = [path for path in _leaves(header) if path[0] not in ("digest", "schema")]
    path = dice.choice(paths)
    parent, key = _at(header, path[:-1]), path[-1]
    how = dice.choice(["value", "value", "value", "delete", "add", "swap"])
    if how == "delete":
        del parent[key]
    elif how == "add":
        (parent if isinstance(parent, dict) else header)["unheard_of"] = dice.choice(VALUES)
    elif how == "swap":
        parent[key] = json.loads(json.dumps(_at(header, dice.choice(paths))))
    else:
        parent[key] = dice.choice(VALUES)
    return f"{how} {path} -> {parent.get(key) if isinstance(parent, dict) else parent!r:.60}"


def _mutate_tensor(arrays: dict[str, Any], dice: random.Random) -> str:
    if not arrays:
        return "nothing"
    name = dice.choice(sorted(arrays))
    array = arrays[name] = arrays[name].copy()
    how = dice.choice(["number", "number", "number", "many", "type", "shape", "drop", "add", "swap"])
    if how in ("number", "many") and array.size:
        value = dice.choice(NUMBERS)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = np.array(value).astype(array.dtype)
        flat = array.reshape(-1)
        flat[dice.randrange(len(flat)) if how == "number" else slice(None)] = value
        return f"{how} {name} {value}"
    if how == "type":
        arrays[name] = array.astype("<f4" if array.dtype != np.float32 else "<i8")
    elif how == "shape":
        arrays[name] = array.reshape(-1)[: max(0, array.size - 1)]
    elif how == "drop":
        del arrays[name]
    elif how == "swap":
        other = dice.choice(sorted(arrays))
        arrays[name] = arrays[other]
    else:
        arrays["state.unheard"] = array
    return f"{how} {name}"


def _mutated(name: str, path: Path, seed: int) -> str:
    """Write a file of this kind with one thing wrong, and its digest right; return what is wrong."""
    dice = random.Random(f"{name} {seed}")
    stored = store.read(FILES / f"{name.replace(' ', '-')}.deciban", tables=True)
    header = json.loads(json.dumps(stored.header))
    arrays = {key: tensor.array() for key, tensor in stored.tensors.items()}
    what = (_mutate_header if dice.random() < 0.5 else lambda *a: _mutate_tensor(arrays, a[1]))(header, dice)
    store.write(path, header, arrays)
    return what


def _refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")


def _assert_finite(values: Any, known: Any, what: str) -> None:
    """Finite, but where the file that is right says something infinite, too."""
    if isinstance(values, dict):
        for key, each in values.items():
            _assert_finite(each, known.get(key) if isinstance(known, dict) else None, f"{what}.{key}")
    elif isinstance(values, list):
        for k, each in enumerate(values):
            _assert_finite(each, known[k] if isinstance(known, list) and k < len(known) else None, f"{what}[{k}]")
    elif isinstance(values, float) and not math.isfinite(values):
        assert isinstance(known, float), (what, values)
        assert not math.isfinite(known), (what, values)
        assert not math.isnan(values), (what, values)


def _check(name: str, path: Path, scratch: Path, capsys: Any, what: str) -> None:
    known = says(name, FILES / f"{name.replace(' ', '-')}.deciban", scratch)
    found, refused = known, str(path)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = says(name, path, scratch)
        except DataError as error:
            refused = str(error)
    assert str(path) in refused or "asked.csv" in refused, what  # a column of another name is not in the table
    _assert_finite(found, known, what)
    if name.startswith(("text ", "mail ", "table ")):
        capsys.readouterr()
        code = status(["inspect", str(path), "--json"])
        told = capsys.readouterr()
        assert code in (0, 65), (what, told.err)
        assert code or json.loads(told.out, parse_constant=_refuse), what
        assert not code or str(path) in told.err, (what, told.err)


@pytest.mark.parametrize("seed", [0, *deep(*range(1, EACH))])
@pytest.mark.parametrize("name", KINDS)
def test_a_signed_file_with_one_thing_wrong_is_refused_or_says_what_is_finite(
    name: str, seed: int, tmp_path: Path, capsys: Any
) -> None:
    path = tmp_path / "m.deciban"
    what = _mutated(name, path, seed)
    _check(name, path, tmp_path, capsys, what)


@pytest.mark.parametrize("name", KINDS)
def test_a_tensor_that_no_model_of_this_kind_has_is_refused(name: str, tmp_path: Path) -> None:
    stored = store.read(FILES / f"{name.replace(' ', '-')}.deciban", tables=True)
    for more in ("state.999", "score.unheard", "unheard"):
        path = tmp_path / "m.deciban"
        arrays = {key: tensor.array() for key, tensor in stored.tensors.items()}
        store.write(path, stored.header, {**arrays, more: np.zeros(3)})
        with pytest.raises(DataError, match=r"m\.deciban"):
            deciban.load(path)


def _is_declared(header: Any, path: tuple[Any, ...]) -> bool:
    """Return whether the fields of this part of an estimator are declared."""
    return is_dataclass(registry.part(_at(header, (*path[:-1], 0))))


@pytest.mark.parametrize("name", KINDS)
def test_a_field_that_no_header_has_is_refused_by_its_name(name: str, tmp_path: Path) -> None:
    stored = store.read(FILES / f"{name.replace(' ', '-')}.deciban", tables=True)
    arrays = {key: tensor.array() for key, tensor in stored.tensors.items()}
    for path in [(), *_leaves(stored.header)]:
        node = _at(stored.header, path)
        if not isinstance(node, dict) or path[-1:] in [("class_counts",), ("ignored",)]:  # by label, and by column
            continue
        if path[:1] == ("estimator",) and not (path[-2:] == ("part", 1) and _is_declared(stored.header, path)):
            continue
        header = json.loads(json.dumps(stored.header))
        _at(header, path)["unheard_of"] = 1
        store.write(tmp_path / "m.deciban", header, arrays)
        with pytest.raises(DataError, match=r"m\.deciban") as refused:
            deciban.load(tmp_path / "m.deciban")
        assert "unheard_of" in str(refused.value) or path[-1] in str(refused.value), path


@pytest.mark.parametrize("tensor", ["score.weights", "score.prior", "score.bias", "score.total", "state.counts"])
def test_a_score_that_its_counts_do_not_give_is_refused_by_whoever_needs_the_counts(
    tensor: str, tmp_path: Path, capsys: Any
) -> None:
    stored = store.read(FILES / "mail-naive-bayes.deciban")
    arrays = {key: each.array().copy() for key, each in stored.tensors.items()}
    arrays[tensor].reshape(-1)[0] += 1
    path = tmp_path / "m.deciban"
    store.write(path, stored.header, arrays)
    with pytest.raises(DataError, match="is not what its counts say"):
        deciban.load(path)
    message = tmp_path / "a.eml"
    message.write_bytes(b"From: a@example.org\nSubject: hello\n\nhello there\n")
    before = path.read_bytes()
    for verb in (["inspect", path], ["learn", path, "--as", "spam", message], ["forget", path, message]):
        capsys.readouterr()
        assert status([str(word) for word in verb]) == 65
        assert str(path) in capsys.readouterr().err
    assert path.read_bytes() == before


@pytest.mark.parametrize("kind", ["mail-naive-bayes", "mail-logistic"])
@pytest.mark.parametrize("value", [1e308, -1e308, np.inf])
def test_weights_that_no_sum_takes_are_refused_where_they_are_met(
    kind: str, value: float, tmp_path: Path, capsys: Any
) -> None:
    stored = store.read(FILES / f"{kind}.deciban")
    arrays = {key: each.array().copy() for key, each in stored.tensors.items()}
    arrays["score.weights"][:] = value
    path = tmp_path / "m.deciban"
    store.write(path, stored.header, arrays)
    for verb in ("classify", "explain", "evaluate"):
        capsys.readouterr()
        asked = [f"spam={ASKED_MAIL[0]}", f"ham={ASKED_MAIL[-1]}"] if verb == "evaluate" else [str(ASKED_MAIL[0])]
        code, told = status([verb, str(path), *asked]), capsys.readouterr()
        assert (code, told.out) == (65, "")
        assert str(path) in told.err


def test_json_and_names_show_nothing_that_is_not_seen() -> None:
    """Unicode's format characters, default ignorable ones and tags are escaped; nothing is lost."""
    unseen = [chr(c) for c in range(0x110000) if unicodedata.category(chr(c)) in ("Cc", "Cf", "Cs", "Zl", "Zp")]
    unseen += [chr(c) for c in (0x34F, 0x115F, 0x1160, 0x3164, 0xFFA0, 0xFE0F, 0xE0100, 0xE01EF, 0x180B)]
    for text in unseen:
        line = json_line({"label": f"a{text}b"})
        assert text not in line
        assert json.loads(line) == {"label": f"a{text}b"}
        assert text == chr(0xFE0F) or text not in escape(f"a{text}b")
    kept = "무료 회의, café, 日本語, 👍"
    assert (escape(kept), json_line(kept)) == (kept, f'"{kept}"')
