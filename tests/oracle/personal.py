"""What a user has learnt, from the definition: all lessons in force, one after the other, in plain Python."""

import math
import struct

VARIANCE, CONFIRMED_BY, SLIGHT = 16.0, 2.0, 1 / 64


def single(value):
    """A number in single precision."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


def learn(lessons):
    """Means and counts by word after lessons, each (words, label, log-odds of class 1 by the levels above)."""
    means, counts = {}, {}
    for words, label, odds in lessons:
        unit = 1.0 / math.sqrt(len(words)) if words else 0.0
        z = odds + math.fsum(unit * means[word] for word in words if word in means)
        p = 1.0 / (1.0 + math.exp(-z)) if z >= 0.0 else math.exp(z) / (1.0 + math.exp(z))
        if abs(label - p) < SLIGHT:
            continue
        for word in words:
            n = counts.get(word, 0)
            step = VARIANCE / (1.0 + n / CONFIRMED_BY) * unit * (label - p)
            means[word] = single(means.get(word, 0.0) + step)
            counts[word] = min(n + 1, 65_535)
    return means, counts
