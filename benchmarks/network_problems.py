"""The problems of multilayer perceptrons: the same layers, batches, epochs and optimizer, in float32."""

from __future__ import annotations

from problems import Faster, Floor, NoWorse, Problem

EPOCHS, UNITS, BATCH = 10, 128, 128
PRODUCT_SINGLE = 119e9
"""A product of single-precision matrices by NumPy's BLAS as shipped, operations a second a core: 238 GFLOP/s on two."""
# Forward and back of 784-128-10, back without the gradient of the pixels.
FLOP = 60_000 * (4 * 784 * UNITS + 6 * UNITS * 10)

NETWORK = (
    Problem(
        name="network-mnist",
        title=f"MNIST, 60,000 × 784 in float32: {UNITS} hidden units, {EPOCHS} epochs of batches of {BATCH}, Adam",
        kind="matrix",
        data="mnist.npz",
        sides={
            "deciban": {
                "estimator": "deciban.MLPClassifier",
                "parameters": {
                    "hidden_layer_sizes": [UNITS],
                    "batch_size": BATCH,
                    "max_iter": EPOCHS,
                    "n_iter_no_change": EPOCHS,
                    "random_state": 0,
                },
            },
            "scikit-learn": {
                "estimator": "sklearn.neural_network.MLPClassifier",
                "parameters": {
                    "hidden_layer_sizes": [UNITS],
                    "batch_size": BATCH,
                    "max_iter": EPOCHS,
                    "n_iter_no_change": EPOCHS,
                    "alpha": 0.0,
                    "random_state": 0,
                },
            },
        },
        goals=(
            Faster("fit_s", "scikit-learn", 2.0),
            Faster("predict_s", "scikit-learn", 1.0),
            NoWorse("accuracy", "scikit-learn", "higher"),
        ),
        floors=(Floor("fit_s", "train", PRODUCT_SINGLE, f"the products of {EPOCHS} epochs", flop=EPOCHS * FLOP),),
        options={"matrix": "pixels-single"},
        runs=3,
    ),
)
