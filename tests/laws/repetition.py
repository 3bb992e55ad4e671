"""The estimators whose weights are not repetition to the seven digits that scikit-learn's checks ask for, and why."""

NOT_REPETITION = {
    "MLPClassifier": "single precision rounds sums in another order; with dtype='float64' weights are repetitions",
    "MLPRegressor": "single precision rounds sums in another order; with dtype='float64' weights are repetitions",
}
