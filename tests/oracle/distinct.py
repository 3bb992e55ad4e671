"""Examples that differ and the order of their values, by the definition: whole numbers of Python, row by row."""

import struct

ALL = 2**64 - 1


def mix(h):
    """The finaliser of SplitMix64."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        h = ((h ^ (h >> shift)) * factor) & ALL
    return h ^ (h >> 31)


def bits(x):
    """The bits of a double."""
    return struct.unpack("<Q", struct.pack("<d", x + 0.0))[0]


def refined(X, first, own):
    """Digests of the rows `first` with those of their columns."""
    columns = [sum(mix((mix(bits(X[i][j])) + own[i]) & ALL) for i in first if X[i][j]) & ALL for j in range(len(X[0]))]
    return {i: sum(mix((mix(bits(x)) + columns[j]) & ALL) for j, x in enumerate(X[i]) if x) & ALL for i in first}


def distinct(X, y, ranked, offset):
    """Which of the examples that differ each row of X (N, d) is, and the first that is each of these, in order."""
    groups = {}
    for i, row in enumerate(X):
        groups.setdefault((tuple(row), y[i], offset[i]), []).append(i)
    first = [members[0] for members in groups.values()]
    own = {i: (sum(mix(bits(x)) for x in X[i] if x) + mix(bits(ranked[i]))) & ALL for i in first}
    rank = own if len(set(own.values())) == len(own) else refined(X, first, own)
    kept = sorted(first, key=lambda i: (rank[i], y[i], i))
    place = {i: at for at, i in enumerate(kept)}
    of = {i: place[members[0]] for members in groups.values() for i in members}
    return [of[i] for i in range(len(X))], kept
