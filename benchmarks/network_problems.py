"""The problems of multilayer perceptrons: the same layers, batches, epochs and optimizer."""

from __future__ import annotations

from itertools import pairwise

from problems import Faster, Floor, NoWorse, Problem

UNITS, BATCH = 128, 128
PRODUCT_SINGLE = 140e9
"""A product of single-precision matrices of a batch with AVX-512, operations a second a core; of NumPy's BLAS, too."""


def network(name: str, title: str, data: str, how: str, epochs: int, sizes: tuple[int, ...], n: int) -> Problem:
    """A matrix in memory to a network of ReLU by Adam, then the test set's labels.

    The floor is forward and back: 6 operations a weight and example, of the first layer 4, whose features need no
    gradient.
    """
    shared = {
        "hidden_layer_sizes": list(sizes[1:-1]),
        "batch_size": BATCH,
        "max_iter": epochs,
        "n_iter_no_change": epochs,
        "random_state": 0,
    }
    flop = n * (6 * sum(below * units for below, units in pairwise(sizes)) - 2 * sizes[0] * sizes[1])
    return Problem(
        name=f"network-{name}",
        title=f"{title}: {UNITS} hidden units, {epochs} epochs of batches of {BATCH}, Adam",
        kind="matrix",
        data=data,
        sides={
            "deciban": {"estimator": "deciban.MLPClassifier", "parameters": shared},
            "scikit-learn": {
                "estimator": "sklearn.neural_network.MLPClassifier",
                "parameters": {**shared, "alpha": 0.0},
            },
        },
        goals=(
            Faster("fit_s", "scikit-learn", 3.0),
            Faster("predict_s", "scikit-learn", 1.0),
            NoWorse("accuracy", "scikit-learn", "higher"),
        ),
        floors=(Floor("fit_s", "train", PRODUCT_SINGLE, f"the products of {epochs} epochs", flop=epochs * flop),),
        options={"matrix": how},
        runs=3,
    )


NETWORK = (
    network(
        "mnist",
        "MNIST, 60,000 × 784 in float32",
        "mnist.npz",
        "pixels-single",
        10,
        (784, UNITS, 10),
        60_000,
    ),
    network("letter", "letters, 16,000 × 16, 26 classes", "letter.csv", "letter", 20, (16, UNITS, 26), 16_000),
)
