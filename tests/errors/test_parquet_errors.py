"""What is said of a Parquet file that is none, or damaged: the exact words."""

import polars as pl

from deciban.errors import DataError
from deciban.tables.rows import read
from errors.reading import here, said  # noqa: F401 (here is a fixture)


def test_a_file_that_is_no_parquet_or_not_all_of_it():
    assert said(DataError, "a.parquet", "text,label\n") == (
        "a.parquet: expected Parquet, which begins with the bytes PAR1; it begins with b'text'. "
        "If it is CSV or JSON lines, rename it to end in .csv or .jsonl."
    )
    pl.DataFrame({"text": ["a"] * 1000, "label": ["b"] * 1000}).write_parquet("b.parquet")
    with open("b.parquet", "rb") as file:
        whole = file.read()
    assert said(DataError, "a.parquet", whole[: len(whole) // 2]) == (
        "a.parquet: expected Parquet, which ends with the bytes PAR1; it is cut short. Write or fetch it again."
    )


def test_damage_inside_a_parquet_file_never_escapes_as_something_else(capfd):
    words = [f"word {i * i}" for i in range(2000)]
    pl.DataFrame({"text": words, "label": ["b"] * 2000}).write_parquet("b.parquet")
    with open("b.parquet", "rb") as file:
        whole = file.read()
    messages = []
    for at in range(4, len(whole) - 4, max(1, len(whole) // 200)):
        damaged = bytearray(whole)
        damaged[at] ^= 0xFF
        with open("a.parquet", "wb") as file:
            file.write(damaged)
        try:
            list(read("a.parquet", text="text", label="label"))
        except DataError as error:
            messages.append(str(error))
    assert len(messages) > 20
    assert all(message.startswith("a.parquet") for message in messages)
    capfd.readouterr()  # what the Parquet reader says of its own panics


def test_a_panic_of_the_parquet_reader(monkeypatch):
    def panics(*_args, **_options):
        raise pl.exceptions.PanicException("index out of bounds\nnote: a second line")

    pl.DataFrame({"text": ["a"], "label": ["b"]}).write_parquet("a.parquet")
    monkeypatch.setattr(pl, "scan_parquet", panics)
    assert said(DataError, "a.parquet") == (
        "a.parquet: expected a whole Parquet file; it is damaged (index out of bounds). Write or fetch it again."
    )
