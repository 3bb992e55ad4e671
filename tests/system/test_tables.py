"""Texts and labels out of CSV, TSV, JSON lines and Parquet, as people write them."""

import csv
import io
import json
import os
import subprocess
import sys
import textwrap
import threading
from collections import Counter

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.tables.rows import read

ROWS = [
    ("good, really", "pos"),
    ('said "no"', "neg"),
    ("two\nlines", "pos"),
    ("영화 좋아요", "neg"),
    ("", "pos"),
]


def all_of(path, text="text", label="label", **options):
    batches = list(read(str(path), text=text, label=label, **options))
    texts = [t for b in batches for t in b.texts]
    if label is None:
        assert all(b.labels is None for b in batches)
        return texts
    return list(zip(texts, [x for b in batches for x in b.labels], strict=True))


def as_csv(rows, header=("text", "label"), **options):
    out = io.StringIO(newline="")
    csv.writer(out, **options).writerows([header, *rows])
    return out.getvalue()


def as_jsonl(rows):
    return "".join(json.dumps({"text": t, "label": x}) + "\n" for t, x in rows)


def test_each_kind_gives_the_same_rows(tmp_path):
    (tmp_path / "a.csv").write_text(as_csv(ROWS))
    (tmp_path / "a.tsv").write_text(as_csv([r for r in ROWS if "\n" not in r[0]], delimiter="\t"))
    (tmp_path / "a.jsonl").write_text(as_jsonl(ROWS))
    pl.DataFrame(ROWS, schema=["text", "label"], orient="row").write_parquet(tmp_path / "a.parquet")
    for name in ("a.csv", "a.jsonl", "a.parquet"):
        assert all_of(tmp_path / name) == ROWS, name
    assert all_of(tmp_path / "a.tsv") == [r for r in ROWS if "\n" not in r[0]]
    assert all_of(tmp_path / "a.csv", label=None) == [t for t, _ in ROWS]


printable = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    return tmp_path_factory.mktemp("tables")


@given(rows=st.lists(st.tuples(printable, st.sampled_from("abc")), min_size=1), size=st.integers(1, 300))
def test_what_was_written_is_read_whatever_the_batches(scratch, rows, size):
    (scratch / "r.csv").write_text(as_csv(rows), newline="")
    (scratch / "r.jsonl").write_text(as_jsonl(rows))
    pl.DataFrame(rows, schema=["text", "label"], orient="row").write_parquet(scratch / "r.parquet")
    for name in ("r.csv", "r.jsonl", "r.parquet"):
        batches = list(read(str(scratch / name), text="text", label="label", batch_bytes=size))
        assert [(t, x) for b in batches for t, x in zip(b.texts, b.labels, strict=True)] == rows
        assert [b.first_row for b in batches] == [
            1 + sum(len(b.texts) for b in batches[:i]) for i in range(len(batches))
        ]


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl"])
def test_a_byte_order_mark_decides_the_encoding(tmp_path, codec, kind):
    rows = [("영화, 좋아요", "pos"), ("naïve", "neg")]
    written = as_jsonl(rows) if kind == "jsonl" else as_csv(rows, delimiter="\t" if kind == "tsv" else ",")
    path = tmp_path / f"a.{kind}"
    path.write_bytes(written.encode(codec))
    assert all_of(path) == rows
    assert all_of(path, encoding=codec) == rows


@pytest.mark.parametrize("codec", ["cp949", "euc-kr", "utf-16-le", "utf-16-be"])
def test_an_encoding_given_is_used(tmp_path, codec):
    path = tmp_path / "a.csv"
    path.write_bytes(as_csv(ROWS).encode(codec))
    assert all_of(path, encoding=codec) == ROWS
    if codec.startswith("utf-16"):
        assert all_of(path, encoding="utf-16") == ROWS


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_any_line_end_and_blank_lines(tmp_path, end):
    path = tmp_path / "a.csv"
    path.write_bytes(f"text,label{end}{end}a,x{end}{end}b,y{end}{end}".encode())
    assert all_of(path) == [("a", "x"), ("b", "y")]


def test_tsv_of_corpora_has_bare_quotes_and_that_of_excel_has_quoted_fields(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text(
        'id\ttext\tlabel\n1\t"a half quote\t0\n2\tmid "quoted" word\t1\n3\t"with ""inner"" quotes"\t0\n'
        '4\t"a\ttab"\t1\n5\t"one\ttwo"x\n6\t"\t0\n'
    )
    assert all_of(path) == [
        ('"a half quote', "0"),
        ('mid "quoted" word', "1"),
        ('with "inner" quotes', "0"),
        ("a\ttab", "1"),
        ('"one', 'two"x'),
        ('"', "0"),
    ]


def test_columns_are_taken_by_name_wherever_they_stand(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("id,label,extra,text\n1,pos,,hello\n")
    assert all_of(path) == [("hello", "pos")]
    assert all_of(path, text="extra", label="id") == [("", "1")]


def test_labels_come_as_strings(tmp_path):
    values = [1, 0, True, 2.0, 0.5, "x", -3, 10**20]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"text": None, "label": v}) + "\n" for v in values))
    expected = ["1", "0", "True", "2", "0.5", "x", "-3", "1" + "0" * 20]
    assert all_of(path) == [("", each) for each in expected]
    for column, strings in (
        ([1, 0], ["1", "0"]),
        ([1.0, 0.5], ["1", "0.5"]),
        ([True, False], ["True", "False"]),
        (pl.Series(["a", "b"], dtype=pl.Categorical), ["a", "b"]),
        ([b"a", b"\xe9"], ["a", "é"]),
    ):
        pl.DataFrame({"text": ["t", None], "label": column}).write_parquet(tmp_path / "a.parquet")
        assert all_of(tmp_path / "a.parquet") == [("t", strings[0]), ("", strings[1])]


def test_parquet_bytes_are_utf_8_or_else_latin_1(tmp_path):
    path = tmp_path / "a.parquet"
    pl.DataFrame({"text": ["é".encode(), b"caf\xe9", None], "label": ["a"] * 3}).write_parquet(path)
    assert [t for t, _ in all_of(path)] == ["é", "café", ""]


def test_half_a_surrogate_pair_in_json_becomes_writable(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "x\\ud800y \\ud83d\\ude00", "label": "\\udc00"}\n')
    assert all_of(path) == [("x\ufffdy 😀", "\ufffd")]


def test_json_lines_may_be_blank_and_have_more_keys(tmp_path):
    path = tmp_path / "a.ndjson"
    path.write_text('\n{"label": "a", "text": "t", "more": {"x": [1]}}\r\n  \n{"text": 7, "label": "b"}')
    assert all_of(path) == [("t", "a"), ("7", "b")]


def test_a_kind_given_overrides_the_name(tmp_path):
    path = tmp_path / "table.data"
    path.write_text(as_csv(ROWS))
    assert all_of(path, kind="csv") == ROWS


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl"])
@pytest.mark.parametrize("told", [True, False])
def test_standard_input(monkeypatch, kind, told):
    rows = [("a plain text", "x"), ("another", "y")]
    written = as_jsonl(rows) if kind == "jsonl" else as_csv(rows, delimiter="\t" if kind == "tsv" else ",")
    stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(written.encode())))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert all_of("-", kind=kind if told else None) == rows


def test_a_named_pipe_is_a_file_too(tmp_path):
    path = tmp_path / "pipe.csv"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=[as_csv(ROWS)])
    writer.start()
    assert all_of(path) == ROWS
    writer.join()


def test_a_field_may_be_longer_than_pythons_own_limit(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(as_csv([("x" * 1_000_000, "a")]))
    [(text, _)] = all_of(path)
    assert len(text) == 1_000_000


@pytest.mark.deep
def test_memory_stays_bounded_whatever_the_size(tmp_path):
    """300 MB of CSV and of Parquet, in 8 MiB batches, within 100 and 250 MiB."""
    row = "word " * 2000 + ",a\n"
    with open(tmp_path / "big.csv", "w") as file:
        file.write("text,label\n")
        for _ in range(30):
            file.write(row * 1000)
    part = pl.DataFrame({"text": [f"{i} " + "word " * 2000 for i in range(30_000)], "label": ["a"] * 30_000})
    part.write_parquet(tmp_path / "big.parquet", row_group_size=2000, compression="uncompressed")
    del part
    code = textwrap.dedent(
        r"""
        import re, resource, sys
        import polars
        from deciban.tables.rows import read

        def peak():
            try:  # Linux hands ru_maxrss down from the process that started this one
                return int(re.search(r"VmHWM:\s*(\d+)", open("/proc/self/status").read())[1]) / 1024
            except FileNotFoundError:
                return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20

        before, rows = peak(), 0
        for batch in read(sys.argv[1], text="text", label="label", batch_bytes=8 << 20):
            rows += len(batch.texts)
        print(rows, peak() - before)
        """
    )
    for name, limit in (("big.csv", 100), ("big.parquet", 250)):
        command = [sys.executable, "-c", code, str(tmp_path / name)]
        rows, grown = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        assert int(rows) == 30_000
        assert float(grown) < limit, name


# --- real tables -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "rows", "classes"),
    [("sms", 5574, 2), ("mr", 10_662, 2), ("20news", 18_846, 20), ("korean-reviews", 200_000, 2)],
)
def test_real_parquet(data, name, rows, classes):
    counted = Counter()
    for batch in read(str(data(f"{name}.parquet")), text="text", label="label"):
        assert all(type(text) is str for text in batch.texts)
        counted.update(batch.labels)
    assert sum(counted.values()) == rows
    assert len(counted) == classes
    assert name != "sms" or counted["spam"] == 747


def test_real_csv_and_its_json_lines_and_parquet_agree(data, tmp_path):
    frame = pl.read_csv(data("adult.csv"), infer_schema=False)
    frame.write_ndjson(tmp_path / "adult.jsonl")
    frame.write_parquet(tmp_path / "adult.parquet")
    given_ = {"text": "occupation", "label": "income"}
    whole = all_of(data("adult.csv"), **given_)
    assert len(whole) == 32_561 + 16_281
    assert {label for _, label in whole} == {"<=50K", ">50K"}
    assert all_of(tmp_path / "adult.jsonl", **given_) == whole
    assert all_of(tmp_path / "adult.parquet", **given_) == whole
