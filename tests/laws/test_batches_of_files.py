"""Files are read in batches of about the size that was asked for, whatever theirs, each once and in their order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban._core import Files
from tiers import examples

SIZE = 1 << 16


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("files")


@examples(20)
@given(
    runs=st.lists(
        st.tuples(st.sampled_from([0, 7, 900, 20_000, SIZE - 1, SIZE, 3 * SIZE]), st.integers(1, 40)), max_size=6
    )
)
def test_a_third_of_a_batch_has_room_in_its_size(folder, runs):
    """As many come together as came before, and again as many: nothing tells how long the next ones are."""
    lengths = [length for length, count in runs for _ in range(count)]
    paths = []
    for i, length in enumerate(lengths):
        paths.append(folder / str(i))
        paths[-1].write_bytes(b"x" * length)
    order, batches = [], []
    for numbers, items in Files([str(path) for path in paths], [False] * len(paths), 1 << 30, None, SIZE):
        order += numbers
        batches.append(items.sizes())
    assert order == list(range(len(lengths)))
    assert [size for sizes in batches for size in sizes] == lengths
    for sizes in batches:
        assert len(sizes) <= 2 or sum(sizes[: len(sizes) // 3]) < SIZE


def test_many_large_files_come_by_twos(folder):
    path = folder / "large"
    path.write_bytes(b"x" * SIZE)
    batches = [len(numbers) for numbers, _ in Files([str(path)] * 40, [False] * 40, 1 << 30, None, SIZE)]
    assert max(batches) == 2
