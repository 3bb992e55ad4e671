"""One pass that keeps no rows finds the columns of a table that reading all of it finds."""

import json

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from deciban.errors import DataError
from deciban.tables import cells, sparse, survey
from deciban.tables.cells import read_cells
from deciban.tables.typed import learnt_from
from errors.refusals import refused

RANDOM = np.random.default_rng(0)
N = 200
GAPS = RANDOM.random(N) < 0.1
COLUMNS = {
    "whole": [str(k) for k in RANDOM.integers(-500, 500, N)],
    "number": [f"{x:.3f}" for x in RANDOM.normal(size=N)],
    "fraction-late": [*map(str, range(7, N + 6)), "0.5"],
    "gaps": np.where(GAPS, "", [f"{x:.2f}" for x in RANDOM.normal(size=N)]).tolist(),
    "gone": np.where(GAPS, "n/a", [str(k) for k in RANDOM.integers(0, 900, N)]).tolist(),
    "numbering": [*map(str, range(3, N + 3))],
    "nearly-numbering": [*map(str, range(3, N + 2)), "999"],
    "numbering-with-gaps": np.where(GAPS, "", [*map(str, range(N))]).tolist(),
    "one": ["5"] * N,
    "empty": [""] * N,
    "one-and-gaps": np.where(GAPS, "", "5").tolist(),
    "truth": np.where(RANDOM.random(N) < 0.5, "True", "false").tolist(),
    "truth-and-gone": np.where(GAPS, "?", "true").tolist(),
    "category": RANDOM.choice(["red", "green", "blue"], N).tolist(),
    "codes": [f"{k:04d}" for k in RANDOM.integers(0, 300, N)],
    "names": [f"row {k}" for k in range(N)],
    "half-names": [f"row {k // 2}" for k in range(N)],
    "text-late": [*map(str, RANDOM.integers(0, 90, N - 3)), "many", "few", "3"],
    "label": RANDOM.choice(["yes", "no"], N).tolist(),
}


@pytest.fixture(params=[(7, 30), (64, 1 << 14)], autouse=True)
def batches(request, monkeypatch):
    monkeypatch.setattr(cells, "_ROWS", request.param[0])
    monkeypatch.setattr(sparse, "_ROWS", request.param[0])
    monkeypatch.setattr(survey, "_MANY", request.param[1])


def written(path, columns):
    """A table as a file of the kind that its name says."""
    names, rows = list(columns), list(zip(*columns.values(), strict=True))
    if path.suffix == ".csv":
        path.write_text("\n".join(",".join(row) for row in [names, *rows]) + "\n")
    else:
        kept = [{own: cell for own, cell in zip(names, row, strict=True) if cell != ""} for row in rows]
        path.write_text("".join(json.dumps(row) + "\n" for row in kept))
    return path


def surveyed(path, *options):
    return survey.TableSurvey("label", *options).of(lambda: read_cells(str(path)))


@pytest.mark.parametrize("end", ["csv", "jsonl"])
@pytest.mark.parametrize(
    "options",
    [(), (["category", "one"], {"whole": "category", "numbering": "number", "codes": "number"})],
    ids=["plain", "told"],
)
def test_a_survey_finds_the_columns_of_the_table(end, options, tmp_path):
    columns = COLUMNS
    if end == "jsonl":
        typed = {"whole", "fraction-late", "numbering", "nearly-numbering", "one-and-gaps"}
        columns = {own: [json.loads(c) if own in typed and c else c for c in cells] for own, cells in COLUMNS.items()}
    path = written(tmp_path / f"rows.{end}", columns)
    found, whole = surveyed(path, *options), learnt_from(read_cells(str(path)), "label", *options)
    assert found.columns == whole.columns
    assert found.ignored == whole.ignored
    assert found.labels == {label: whole.labels.count(label) for label in found.labels}
    assert found.n == N == sum(found.labels.values())


def test_a_survey_finds_the_features_of_svmlight(tmp_path, monkeypatch):
    rows = RANDOM.normal(size=(N, 12)) * (RANDOM.random((N, 12)) < 0.2)
    rows[:, 3], rows[:, 4], rows[:, 5], rows[:, 6] = 2.5, np.arange(N), np.arange(N) + 1, np.nan
    rows[:, 7] = np.where(GAPS, np.nan, 4.0)
    rows[9, 5] += 1.0
    text = [" ".join(f"{3 * j + 2}:{x}" for j, x in enumerate(row) if x) for row in rows]
    (tmp_path / "rows.svm").write_text("".join(f"{i % 2} {line}\n" for i, line in enumerate(text)))
    read = [*read_cells(str(tmp_path / "rows.svm"))]
    cell_by_cell = learnt_from(read, "label")
    monkeypatch.setattr("deciban.tables.typed.is_small", lambda rows, columns: False)
    found = survey.SparseSurvey()
    for each in read:
        found.add(each)
    for options in ((), (["5"], {"11": "number", "14": "number"})):
        whole, told = learnt_from(read, "label", *options), found.survey(*options)
        assert [*told.columns.names] == [*whole.columns.names]
        assert told.columns == whole.columns
        assert told.ignored == whole.ignored
        if not options:
            assert told.ignored == cell_by_cell.ignored
            assert {*told.columns.names} == {*cell_by_cell.columns.names}
            assert_array_equal(whole.matrix.toarray()[:, :3], cell_by_cell.matrix[:, :3])
    assert told.labels == {"0": N // 2, "1": N // 2}


@pytest.mark.parametrize("label", ["label", "other"])
def test_what_is_wrong_is_said_as_of_the_whole_table(label, tmp_path):
    columns = {"x": COLUMNS["whole"], "mixed": COLUMNS["category"], "label": [*COLUMNS["label"][:-1], " "]}
    path = written(tmp_path / "rows.csv", columns)
    with pytest.raises(DataError) as whole:
        learnt_from(read_cells(str(path)), label)
    with refused(str(whole.value), DataError):
        survey.TableSurvey(label).of(lambda: read_cells(str(path)))
