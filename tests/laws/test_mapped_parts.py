"""Parts in files are what was written, whatever their types, and nothing of a stranger's is unpickled."""

import json

import numpy as np
import pytest
from scipy import sparse

from deciban.distributed.mapped import Encoded, Mapped, write
from deciban.distributed.on_executors import run_group
from deciban.distributed.parts import Part

ROWS = {
    "none": np.zeros((0, 3)),
    "by columns": np.asfortranarray(np.arange(12.0).reshape(4, 3)),
    "single": np.ones((2, 1), np.float32),
    "sparse": sparse.csr_array(np.eye(3)),
    "sparse, none": sparse.csr_array((0, 5)),
}
LABELS = {
    "texts": np.array(["가", "bb"]),
    "bytes": np.array([b"x"]),
    "numbers": np.array([1.5, np.inf]),
    "dates": np.array(["2020-01-01"], "M8[D]"),
    "objects": np.array([1, "x"], object),
}


@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS)
@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_part_is_what_was_written(rows, labels, weighted, tmp_path):
    n = rows.shape[0]
    encoded = Encoded(
        rows, np.arange(n, dtype=np.uint8) % len(labels), labels, np.arange(1.0, n + 1) if weighted else None
    )
    for note in ("before", "마지막"):
        write(encoded, tmp_path / "part", note)
    found, told = Mapped(str(tmp_path / "part")).with_note()
    assert told == "마지막"
    assert [path.name for path in tmp_path.iterdir()] == ["part"]
    assert (found.X.shape, found.X.dtype) == (rows.shape, rows.dtype)
    assert (rows != found.X).sum() == 0
    assert (found.labels.tolist(), found.labels.dtype) == (labels.tolist(), labels.dtype)
    assert found.y.tolist() == encoded.y.tolist()
    assert (found.weight is None) == (encoded.weight is None)
    if weighted:
        assert found.weight.tolist() == encoded.weight.tolist()


@pytest.mark.parametrize("name", ["X", "y", "labels"])
@pytest.mark.parametrize("trusted", [False, True])
def test_no_bytes_are_taken_for_objects(name, trusted, tmp_path):
    write(Encoded(np.eye(2), np.zeros(2, np.uint8), LABELS["texts"], None), tmp_path / "part")
    layout = json.loads((tmp_path / "part" / "layout").read_text())
    layout[name] = ["|O", [1], 0]
    (tmp_path / "part" / "layout").write_text(json.dumps(layout))
    with pytest.raises(ValueError, match="holds an array of objects"):
        Mapped(str(tmp_path / "part"), trusted)()


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_nothing_is_unpickled_that_another_may_have_written(labels, tmp_path):
    write(Encoded(np.eye(2), np.zeros(2, np.uint8), labels, None), tmp_path / "part")
    careful = Mapped(str(tmp_path / "part"), trusted=False)
    if labels.dtype.hasobject:
        with pytest.raises(ValueError, match="holds labels that are no texts"):
            careful()
    else:
        assert careful().labels.tolist() == labels.tolist()


def test_a_part_that_is_gone_is_not_missed_before_it_is_needed(tmp_path):
    part = Mapped(str(tmp_path / "part"))
    part.read_ahead()
    with pytest.raises(FileNotFoundError, match="layout"):
        part()
    write(Encoded(np.eye(2), np.zeros(2, np.uint8), LABELS["texts"], None), tmp_path / "part")
    part.read_ahead()
    assert part().X.tolist() == np.eye(2).tolist()


def test_each_part_of_a_group_but_the_first_is_read_ahead(monkeypatch):
    order: list[str] = []
    monkeypatch.setattr(Mapped, "read_ahead", lambda self: order.append(f"ahead {self.path}"))
    parts = [Part(i, "", Mapped(str(i)) if i != 1 else print) for i in range(4)]

    def task(part, *_):
        order.append(f"task {part.index}")

    run_group(task, parts, max, None)
    assert order == ["task 0", "ahead 2", "task 1", "ahead 3", "task 2", "task 3"]
