"""A verdict as mail software reads it: a score that is 5.0 at the threshold, and the names of tests.

score = 5 + (d − t) / (10 / ln 10), rounded to a tenth and kept within ±99.9, for d decibans of evidence for spam and
the threshold t: each point is one nat. A message is spam where the score that is shown is 5.0 or more.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..conventions import DECIBANS_PER_NAT
from ..judging import UNSURE_BELOW
from ..verdict import Verdict

REQUIRED = 5.0
"""The score from which on a message is spam."""
GTUBE = b"XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X"
"""The line by which people test whether a spam filter is there at all."""
_CERTAIN = 1000.0  # the score of a message with that line
_MOST = 99.9
# The buckets of probability that existing rules know: each test is named after where its bucket begins.
_BUCKETS = (0.99, 0.95, 0.80, 0.60, 0.40, 0.20, 0.05, 0.01, 0.0)


@dataclass(frozen=True, slots=True)
class Rating:
    """A verdict on a message, towards spam: `score` in tenths, and whether it `is_spam`."""

    verdict: Verdict
    score: float
    tests: tuple[str, ...]

    @property
    def is_spam(self) -> bool:
        """Whether the score that is shown is as high as required."""
        return self.score >= REQUIRED


def rate_verdict(verdict: Verdict, spam: str, threshold: float = UNSURE_BELOW) -> Rating:
    """Return the rating of a verdict of two classes, of which `spam` is one.

    >>> known = Verdict("ham", "spam", {"ham": 0.99, "spam": 0.01}, 20.0, False, None)
    >>> rating = rate_verdict(known, "spam")
    >>> rating.score, rating.is_spam, rating.tests
    (-1.9, False, ('BAYES_01', 'DECIBAN_HAM'))
    """
    towards = verdict.towards(spam)
    score = REQUIRED + (towards.decibans - threshold) / DECIBANS_PER_NAT
    rounded = min(max(round(score, 1), -_MOST), _MOST) + 0.0
    kind = "SPAM" if rounded >= REQUIRED else "UNSURE" if verdict.unsure or verdict.label == spam else "HAM"
    p = towards.probability[spam]
    bucket = next(start for start in _BUCKETS if p >= start)
    return Rating(towards, rounded, (f"BAYES_{round(100 * bucket):02d}", f"DECIBAN_{kind}"))


def rate_test_message(rating: Rating) -> Rating:
    """Return the rating of a message that has the line by which filters are tested."""
    return Rating(rating.verdict, _CERTAIN, (*rating.tests, "GTUBE"))
