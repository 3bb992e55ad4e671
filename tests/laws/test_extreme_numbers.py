"""Numbers beyond 32, 53 and 64 bits, where strangers may put them: taken for what they are, or refused by name."""

import json
import struct
from pathlib import Path
from typing import Any

import pytest
from extremes import EXTREMES
from goldens.golden_kinds import KINDS, says
from hypothesis import given
from hypothesis import strategies as st

from deciban import _core, store
from deciban.cli import status
from deciban.errors import DataError
from deciban.text.settings import TextSettings
from tiers import deep, examples

FILES = Path(__file__).parents[1] / "goldens" / "files"
extremes = st.sampled_from(EXTREMES)


def _svm(path: Path, rows: list[str]) -> Path:
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.mark.parametrize("index", [n for n in EXTREMES if n > 0])
def test_a_feature_of_svmlight_is_no_other_feature(index: int, tmp_path: Path, capsys: Any) -> None:
    """Rows whose only feature is that one, beside rows with the same number in 32 bits."""
    twin = index % 2**32 or 5
    twin = twin if twin != index else 3
    lines = [f"{name} {j}:1" for _ in range(6) for name, j in (("a", index), ("b", twin))]
    table = _svm(tmp_path / "x.svm", lines)
    model = tmp_path / "m.deciban"
    code = status(["train", str(table), "--label", "label", "-o", str(model), "--json", "--model", "logistic"])
    told = capsys.readouterr()
    if index >= 10**10:
        assert (code, told.out, model.exists()) == (65, "", False)
        assert "x.svm, line 1: expected index:value" in told.err
        return
    assert code == 0, told.err
    assert status(["classify", str(model), str(table), "--jsonl"]) == 0
    labels = [json.loads(line)["label"] for line in capsys.readouterr().out.splitlines()]
    assert labels == ["a", "b"] * 6


def test_labels_of_svmlight_that_a_double_does_not_tell_apart_are_two(tmp_path: Path, capsys: Any) -> None:
    rows = [f"{label} {j}:1" for _ in range(6) for label, j in ((f"+{2**53}", 1), (2**53 + 1, 2))]
    table = _svm(tmp_path / "x.svm", rows)
    assert status(["train", str(table), "--label", "label", "-o", str(tmp_path / "m"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["classes"] == {str(2**53): 6, str(2**53 + 1): 6}


@pytest.mark.parametrize("place", [2**31, 2**32 + 1, 2**63, 2**64 + 1, -1])
def test_a_place_of_a_libsvm_model_is_no_other(place: int, tmp_path: Path) -> None:
    from deciban.kernel_machines.libsvm import load_libsvm

    head = "svm_type c_svc\nkernel_type {}\nnr_class 2\ntotal_sv 2\nrho 0\nlabel 1 -1\nnr_sv 1 1\nSV\n"
    for kernel, rows in (("linear", f"1 {place}:1\n-1 1:1\n"), ("precomputed", f"1 0:{place}\n-1 0:1\n")):
        if kernel == "precomputed" and place == 2**31:
            continue  # the last column that there may be
        path = tmp_path / "svm.model"
        path.write_text(head.format(kernel) + rows)
        with pytest.raises(DataError, match=r"svm\.model"):
            load_libsvm(path)


def _signed(content: bytes) -> bytes:
    """The same with the digest that belongs to it."""
    place = content.find(store._MARK) + len(store._MARK)
    return content[:place] + store._digest(content).encode() + content[place + 64 :]


def _shapes(shape: list[int], number: int) -> list[list[int]]:
    return [[number], [number, 0], [0, number], *([*shape[:i], number, *shape[i + 1 :]] for i in range(len(shape)))]


@pytest.mark.parametrize("number", [2**40, 2**63, *deep(2**31, 2**32 + 1, 2**53 + 1, 2**61, 2**63 - 1, 2**64, -1)])
@pytest.mark.parametrize("name", KINDS)
def test_a_tensor_of_another_shape_is_refused_before_anything_is_allocated(
    name: str, number: int, tmp_path: Path
) -> None:
    content = (FILES / f"{name.replace(' ', '-')}.deciban").read_bytes()
    size = struct.unpack("<Q", content[:8])[0]
    layout = json.loads(content[8 : 8 + size])
    tensors = sorted(layout.keys() - {"__metadata__"})
    path = tmp_path / "m.deciban"
    for tensor in tensors[:: max(1, len(tensors) // 6)]:
        for shape in _shapes(layout[tensor]["shape"], number):
            changed = {**layout, tensor: {**layout[tensor], "shape": shape}}
            header = json.dumps(changed, separators=(",", ":")).encode()
            path.write_bytes(_signed(struct.pack("<Q", len(header)) + header + content[8 + size :]))
            with pytest.raises(DataError, match=r"m\.deciban"):
                says(name, path, tmp_path)


def test_generations_beyond_32_bits_are_refused(tmp_path: Path, capsys: Any) -> None:
    stored = store.read(FILES / "mail-beyond-its-words.deciban")
    arrays = {key: tensor.array() for key, tensor in stored.tensors.items()}
    path, mail = tmp_path / "m.deciban", tmp_path / "a.eml"
    mail.write_text("Subject: hello\n\n" + " ".join(f"word{k}" for k in range(5000)) + "\n")
    for generation in (2**32, 2**53, 2**64):
        store.write(path, {**stored.header, "generation": generation}, arrays)
        with pytest.raises(DataError, match="'generation' in its header to be a whole number from 0 to 2"):
            store.read(path)
    store.write(path, {**stored.header, "generation": 2**32 - 2}, arrays)
    before = path.read_bytes()
    assert status(["learn", str(path), "--as", "spam", str(mail)]) == 65
    assert "give way 4,294,967,294 times at most" in capsys.readouterr().err
    assert path.read_bytes() == before


MAIL = (
    "Content-Length: {n}\n\nhello",
    "Date: Mon, {n} Jan {n} {n}:{n}:{n} {n}\nX-Priority: {n}\nLines: {n}\n\nhello",
    "Content-Type: multipart/mixed; boundary*{n}=a; boundary*{n}*=b; boundary=c\n\n--c\n\nhello\n--c--\n",
    "Content-Type: text/plain; charset=iso-8859-{n}\n\nhello",
    "Content-Type: message/partial; id=a; number={n}; total={n}\n\nhello",
    "Content-Type: text/html\n\nhello<p style='font-size:{n}px;color:rgb({n},{n},{n});opacity:{n}'>&#{n}; &#x{n};</p>",
    "Content-Type: text/html\n\nhello<table width={n}><td colspan={n}><font size={n} color=#{n}>x</font></td></table>",
    "Subject: =?utf-{n}?Q?hello?= =?utf-8?B?{n}?= =?utf-8?{n}?hello?=\n\nhello",
    "Content-Type: message/external-body; size={n}; expiration={n}\n\nhello",
    "Received: from a ([{n}.{n}.{n}.{n}]) by b; {n}\nFrom: <a@{n}>\n\nhttp://{n}:{n}/ hello",
)


@pytest.mark.parametrize("form", MAIL)
@examples(30)
@given(n=st.one_of(extremes, st.integers(0, 10**40)), binary=st.booleans())
def test_numbers_in_mail_are_text_like_any_other(form: str, n: int, binary: bool) -> None:
    reader = TextSettings("mail").reader()
    item = form.replace("{n}", str(n)).encode()
    text, spans = reader.view(item)
    size = len(text.encode())
    assert all(0 <= start < end <= size for _, start, end in spans)
    assert size < 20 * len(item) + 1000
    assert any("hello" in token for token in reader.tokens(item))
    counter = _core.Counter(reader, 2, binary=binary, once=True)
    counter.add([item, item], [0, 1])
    _, digests, classes, *_, conflicts = counter.finish()
    assert (digests, classes.tolist(), conflicts) == (reader.digest(item), [0], 1)
