"""Words found in a file one by one are those that are there, wherever their hashes lie."""

from array import array
from bisect import bisect_left

from hypothesis import given
from hypothesis import strategies as st

from deciban.files.regions import Region
from deciban.text.single_words import _place
from tiers import examples

EDGES = [1, 2, 3, (1 << 63) - 1, 1 << 63, (1 << 64) - 1]
# Even, as hashes are; in a heap, as none should be; and in no order at all, as a damaged file has them.
SPREAD = {
    "even": lambda n, seed: sorted({(i * 0x9E3779B97F4A7C15 + seed) % (1 << 64) for i in range(n)}),
    "heap": lambda n, seed: sorted({*EDGES, *(seed % (1 << 60) + i * i for i in range(n))}),
    "none": lambda n, seed: [((i * i + seed) * 0x9E3779B97F4A7C15) % (1 << 64) for i in range(n)],
}


@given(n=st.integers(0, 6000), seed=st.integers(0, (1 << 64) - 1), spread=st.sampled_from(sorted(SPREAD)))
@examples(60)
def test_words_are_where_their_hashes_are(n, seed, spread, tmp_path_factory):
    hashes = SPREAD[spread](n, seed)
    path = tmp_path_factory.mktemp("hashes") / "file"
    path.write_bytes(b"before" + array("Q", hashes).tobytes() + b"behind")
    with path.open("rb") as file:
        region = Region(file.fileno(), 6, 8 * len(hashes))
        for wanted in [*hashes[:: max(1, n // 7)], *EDGES, *(hash_ ^ 1 for hash_ in hashes[:5])]:
            place = _place(region, wanted)
            if spread == "none":
                assert place is None or hashes[place] == wanted
                continue
            at = bisect_left(hashes, wanted)
            assert place == (at if at < len(hashes) and hashes[at] == wanted else None)
