"""What is said when labels, probabilities and classes do not fit: the exact words."""

import math

import pytest

from deciban.errors import DataError, UsageError
from deciban.evaluation.evaluation import evaluate

BINARY = ["ham", "spam"]
HALF = [[0.5, 0.5]]


@pytest.mark.parametrize(
    ("error", "message", "arguments", "options"),
    [
        (
            DataError,
            "Expected at least two classes, each once; came ['a', 'a'].",
            (["a"], HALF, ["a", "a"]),
            {},
        ),
        (
            DataError,
            "Expected probabilities (N, 2), a column a class and N at least 1; came (1, 3).",
            (["ham"], [[0.2, 0.3, 0.5]], BINARY),
            {},
        ),
        (
            DataError,
            "Expected rows of probabilities that sum to 1; row 1, from 0, is [0.5, 0.2]. "
            "Give what predict_proba returns.",
            (["ham", "ham"], [[0.5, 0.5], [0.5, 0.2]], BINARY),
            {},
        ),
        (
            DataError,
            "Expected rows of probabilities that sum to 1; row 0, from 0, is [nan, 0.5]. "
            "Give what predict_proba returns.",
            (["ham"], [[math.nan, 0.5]], BINARY),
            {},
        ),
        (
            DataError,
            "Expected a label for each of the 1 rows of probabilities; came 2.",
            (["ham", "spam"], HALF, BINARY),
            {},
        ),
        (
            DataError,
            "Expected labels among [0, 1]; none of the 1 is, they are ['1']. "
            "Check that both are of one type and one spelling.",
            (["1"], HALF, [0, 1]),
            {},
        ),
        (
            UsageError,
            "Expected `positive` to be one of ['ham', 'spam']; came 'Spam'.",
            (["ham"], HALF, BINARY),
            {"positive": "Spam"},
        ),
        (
            UsageError,
            "Expected a threshold from 0 to 1, a probability; came 2.",
            (["ham"], HALF, BINARY),
            {"threshold": 2},
        ),
        (
            UsageError,
            "Expected `positive` for two classes only; there are 3. Leave it out.",
            (["a"], [[0.2, 0.3, 0.5]], ["a", "b", "c"]),
            {"positive": "a"},
        ),
        (
            DataError,
            "Expected scores of shape (1,) or (1, 2); came (2,).",
            (["ham"], HALF, BINARY),
            {"scores": [1.0, 2.0]},
        ),
        (
            DataError,
            "Expected scores that can be ordered; that of row 0, from 0, is NaN.",
            (["ham"], HALF, BINARY),
            {"scores": [[math.inf, math.inf]]},
        ),
    ],
)
def test_wrong_calls_say_what_came(error, message, arguments, options):
    with pytest.raises(error) as caught:
        evaluate(*arguments, **options)
    assert str(caught.value) == message
