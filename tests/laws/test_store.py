"""Whatever the bytes of a file are: it is the model that was written, or a DataError in plain words. Nothing else."""

import io
import json
import pickle
import struct
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save as safetensors

from deciban import TextClassifier, load, store
from deciban.errors import DataError, NoInputError
from deciban.files.locks import lock
from laws.stored import altered, over_models, parts, refusal, refused_or_served, use, whole
from tiers import examples


@over_models
def test_what_was_written_is_read(name):
    header, arrays = parts(name)
    stored = store.parse(whole(name))
    assert {key: stored.header[key] for key in header} == header
    assert stored.header["schema"] == store.SCHEMA
    assert stored.tensors.keys() == arrays.keys()
    for key, array in arrays.items():
        np.testing.assert_array_equal(stored.tensors[key].array(), array)
    use(stored)


@over_models
def test_a_file_cut_off_anywhere_is_refused(name):
    content = whole(name)
    for end in [*range(0, len(content), 97), len(content) - 1]:
        assert refusal(content[:end]).startswith("some.deciban: expected a")
    refusal(content + b"\0")


@over_models
def test_a_file_with_one_byte_changed_is_refused(name):
    content, rng = whole(name), np.random.default_rng(97)
    size = int.from_bytes(content[:8], "little")
    places = [*rng.integers(0, len(content), 100), *rng.integers(0, 8 + size, 100), *range(12)]
    for place in places:
        for byte in {int(rng.integers(256)), content[place] ^ 1, ord(" ")} - {content[place]}:
            refusal(content[:place] + bytes([byte]) + content[place + 1 :])


CHANGE = st.tuples(st.floats(0, 1), st.integers(0, 30), st.binary(max_size=12))


@over_models
@examples(15)
@given(changes=st.lists(CHANGE, min_size=1, max_size=4))
def test_a_file_with_stretches_replaced_is_refused(name, changes):
    content = whole(name)
    for where, length, put in changes:
        place = int(where * len(content))
        content = content[:place] + put + content[place + length :]
    if content != whole(name):
        refusal(content)


@given(content=st.binary(max_size=200))
def test_any_bytes_are_refused(content):
    refusal(content)
    refusal(struct.pack("<Q", len(content)) + b"{" + content)


def zipped():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("model.json", "{}")
    return file.getvalue()


def jsonish(text):
    return struct.pack("<Q", len(text)) + text.encode()


def test_a_file_is_what_the_safetensors_library_writes():
    """Tensors of all types, of none, and of names outside ASCII, in its order and with its padding."""
    types = ["u1", "i1", "u2", "i2", "f2", "u4", "i4", "f4", "f8", "i8", "u8", ">u4", ">f8"]
    arrays = {f"a.{dtype}": np.arange(3 * i, dtype=dtype).reshape(3, i) for i, dtype in enumerate(types)}
    arrays |= {"é": np.zeros(3), "turned": np.arange(6.0).reshape(2, 3).T}
    content = store.to_bytes({"model": "x", "classes": ["ä", "b\x01"]}, arrays)
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])["__metadata__"]
    assert content == safetensors({name: np.ascontiguousarray(each) for name, each in arrays.items()}, metadata=header)


def metadata(value):
    return safetensors({"x": np.zeros(2)}, metadata={"deciban": value})


FOREIGN = {
    "empty": b"",
    "PDF": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog >>\nendobj\n",
    "pickle": pickle.dumps({"model": [1, 2, 3]}),
    "zip": zipped(),
    "random": np.random.default_rng(1).bytes(5000),
    "huge header length": struct.pack("<Q", 2**64 - 1) + b'{"__metadata__":{}}',
    "header longer than the file": struct.pack("<Q", 1000) + b'{"__metadata__":{}}',
    "safetensors without a header of ours": safetensors({"x": np.zeros(3)}, metadata={"format": "pt"}),
    "safetensors without any header": safetensors({"x": np.zeros(3)}),
    "deep nesting": jsonish("{" + '"a":[' * 100_000),
    "deep nesting that ends": jsonish('{"a":' + "[" * 50_000 + "]" * 50_000 + "}"),
    "deep nesting inside": metadata("[" * 100_000),
    "a number of many digits": metadata('{"schema":' + "9" * 10_000 + "}"),
    "not JSON": metadata("{schema}"),
    "a list": metadata("[1]"),
    "a text": metadata('"schema"'),
    "null": metadata("null"),
    "schema of another type": metadata('{"schema":"1"}'),
    "schema true": metadata('{"schema":true}'),
    "schema 0": metadata('{"schema":0}'),
    "only a schema": metadata('{"schema":1}'),
    "a digest that is no text": metadata('{"schema":1,"digest":7}'),
    "metadata of another type": jsonish('{"__metadata__":[]}'),
    "a JSON list": jsonish("[1, 2]"),
    "bytes that are not UTF-8": struct.pack("<Q", 4) + b'{"\xff}',
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_foreign_files_are_refused(kind, tmp_path):
    path = tmp_path / "some.deciban"
    path.write_bytes(FOREIGN[kind])
    with pytest.raises(DataError) as caught:
        load(path)
    assert str(caught.value) == refusal(FOREIGN[kind]).replace("some.deciban", str(path))


def test_a_newer_file_is_told_apart():
    header, arrays = parts("whole")
    content = store.to_bytes(header, arrays).replace(rb"\"schema\":1", rb"\"schema\":2")
    assert refusal(content) == (
        "some.deciban: written by a newer version (schema 2; this one reads up to 1). "
        "Upgrade: pip install --upgrade deciban."
    )


# What somebody may have put in on purpose, with a digest that fits.
ANY_JSON = [None, True, -1, 0, 7, 1.5, 1e300, 10**30, 10**400, "", "x", [], [1], ["a", "a"], [[1]], {}, {"a": 1}]


def fields(header, path=()):
    """Every place in a header."""
    for key, value in header.items():
        yield (*path, key)
        if isinstance(value, dict):
            yield from fields(value, (*path, key))


def put(header, path, value):
    """A copy of the header with another value at `path`, or none."""
    copy = json.loads(json.dumps(header))
    inner = copy
    for key in path[:-1]:
        inner = inner[key]
    if value is KeyError:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return copy


@over_models
def test_a_header_of_another_form_is_refused_or_served(name):
    header, arrays = parts(name)
    for path in fields(header):
        without = store.to_bytes(put(header, path, KeyError), arrays)
        if (path[:1] == ("certificate",) and path[1:]) or path == ("bayes", "chosen"):
            refused_or_served(
                without
            )  # a certificate is only told again, never asked; older files do not say the other
        else:
            refusal(without)
        for value in ANY_JSON:
            refused_or_served(store.to_bytes(put(header, path, value), arrays))
    for section in {"text", "bayes", "linear", "kernel", "network"} & header.keys():
        refusal(store.to_bytes(put(header, (section, "more"), 1), arrays))


@over_models
def test_tensors_of_another_form_are_refused_or_served(name):
    header, arrays = parts(name)
    kinds = [np.int16, np.uint8]

    def values(array):
        whole = array.dtype.kind in "ui"
        return [np.iinfo(array.dtype).max, 0xFF] if whole else [np.nan, -np.inf]

    for key, other, content in altered(header, arrays, values, kinds):
        refused_or_served(content)
        wrong = other.shape != arrays[key].shape or other.dtype != arrays[key].dtype
        if wrong and not (key == "state.counts" and other.dtype == np.float64) and key != "score.absent":
            refusal(content)
    for key in arrays.keys() - {"ledger.digests"}:
        without = store.to_bytes(header, {k: v for k, v in arrays.items() if k != key})
        if key == "score.widening":
            refused_or_served(without)  # earlier versions did not write it
        else:
            refusal(without)


def test_a_file_is_of_one_kind_of_model():
    header, arrays = parts("linear")
    counted, counts = parts("whole")
    said = refusal(store.to_bytes({**header, "bayes": counted["bayes"]}, arrays))
    assert "no 'bayes' in its header beside the model 'logistic'" in said
    for name in ("score.bias", "score.absent", "score.hashes", "score.more"):
        said = refusal(store.to_bytes(header, {**arrays, name: np.zeros(2)}))
        assert f"expected no tensor {name!r} of this model" in said
    said = refusal(store.to_bytes({**counted, "model": "svm"}, counts))
    assert "'linear' in its header with the fields C, alpha, weighting" in said
    refusal(store.to_bytes({**header, "linear": {**header["linear"], "C": None}}, arrays))


@pytest.mark.parametrize("name", ["bernoulli", "linear"])
def test_reading_a_model_to_judge_loads_no_numpy(name, tmp_path):
    path = tmp_path / "some.deciban"
    path.write_bytes(whole(name))
    script = (
        "import sys; from deciban import store; from deciban.text.served import ServedText; "
        f"ServedText.from_stored(store.read({str(path)!r})).explain('free lunch'); "
        "assert not {'numpy', 'scipy', 'sklearn'} & set(sys.modules), 'loaded'"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_labels_may_hold_bytes_that_are_not_utf_8_and_what_looks_like_a_digest(tmp_path):
    labels = [
        "\udcff",
        '"deciban":"{\\"digest\\":\\"' + "0" * 64,
        '\\"digest\\":\\"' + "0" * 64,
        '"digest":"' + "0" * 64,
    ]
    known = TextClassifier().fit(["a", "b", "c", "d"], labels)
    known.save(tmp_path / "f")
    assert load(tmp_path / "f").predict(["a", "b", "c", "d"]).tolist() == labels


def test_a_name_that_is_no_name():
    with pytest.raises(NoInputError, match="there is none of that name"):
        store.read("a\0b")
    with pytest.raises(NoInputError, match="there is none of that name"), lock("a\0b"):
        pass


def test_a_digest_elsewhere_in_the_header_is_not_the_digest_of_the_file():
    header, arrays = parts("whole")
    content = store.to_bytes({**header, "certificate": {**header["certificate"], "digest": "0" * 64}}, arrays)
    stored = store.parse(content)
    assert stored.header["certificate"]["digest"] == "0" * 64
    assert store.to_bytes(stored.header, arrays) == content
    refusal(content.replace(b"0" * 64, b"1" * 64))
