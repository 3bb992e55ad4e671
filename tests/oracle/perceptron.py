"""The perceptron and descent by the book: example by example, all weights kept, nothing shared with the package."""

import numpy as np


def sign(s):
    """+1 at 0."""
    return 1.0 if s >= 0.0 else -1.0


def perceptron(X, y, passes):
    """Rosenblatt's rule on (x, 1) in the order of the rows: all the weights (T, d + 1) after every visit, the updates,
    and whether a pass was without any."""
    X1 = np.column_stack([X, np.ones(len(X))])
    w, visited, mistakes = np.zeros(X1.shape[1]), [], 0
    for _ in range(passes):
        before = mistakes
        for x, label in zip(X1, y, strict=True):
            if sign(x @ w) != label:
                w = w + label * x
                mistakes += 1
            visited.append(w)
        if mistakes == before:
            return np.array(visited), mistakes, True
    return np.array(visited), mistakes, False


def errors_met(X, y, c, passes, intercept=True):
    """The weight of the errors of all the weights met, those of nothing and those after every single update."""
    X1 = np.column_stack([X, np.ones(len(X)) if intercept else np.zeros(len(X))])
    w = np.zeros(X1.shape[1])
    weigh = lambda: c[np.where(X1 @ w >= 0.0, 1.0, -1.0) != y].sum()  # noqa: E731
    met = [weigh()]
    for _ in range(passes):
        for x, label, weight in zip(X1, y, c, strict=True):
            for _ in range(int(weight)):
                if sign(x @ w) != label:
                    w = w + label * x
                    met.append(weigh())
        if met[-1] == 0.0:
            break
    return met


def ratchet(X, y, passes):
    """The errors in Gallant's pocket: weights replace it whose run is longer and whose errors are fewer."""
    X1, w, run, longest = np.column_stack([X, np.ones(len(X))]), np.zeros(X.shape[1] + 1), 0, 0
    weigh = lambda: (np.where(X1 @ w >= 0.0, 1.0, -1.0) != y).sum()  # noqa: E731
    least = weigh()
    for _ in range(passes):
        for x, label in zip(X1, y, strict=True):
            if sign(x @ w) != label:
                w, run = w + label * x, 0
                continue
            run += 1
            if run > longest and weigh() < least:
                least, longest = weigh(), run
    return least


def errors(X, y, w):
    """How many are on the wrong side of w (d + 1,)."""
    return sum(sign(x @ w[:-1] + w[-1]) != label for x, label in zip(X, y, strict=True))


def widest_margin(X, y):
    """γ, over (u, β) of length 1: by the hard margin without intercept on (x, 1), as a quadratic program."""
    from scipy.optimize import minimize

    A = np.column_stack([X, np.ones(len(X))]) * y[:, None]
    start = np.linalg.lstsq(A, np.ones(len(A)), rcond=None)[0]
    rules = {"type": "ineq", "fun": lambda u: A @ u - 1.0, "jac": lambda u: A}
    found = minimize(lambda u: u @ u / 2, start, jac=lambda u: u, constraints=rules, method="SLSQP")
    return (A @ found.x).min() / np.linalg.norm(found.x)


def descent(X, y, c, loss, l1, l2, batches, rates):
    """Proximal steps on Σ c ℓ / N + λ₁‖w‖₁ + ½λ₂‖w‖², everything at every step: all the (w, b) after every step."""
    w, b, met = np.zeros(X.shape[1]), 0.0, []
    for batch, rate in zip(batches, rates, strict=True):
        g, g_b = np.zeros_like(w), 0.0
        for i in batch:
            slope = c[i] * loss.slope(y[i : i + 1], np.array([X[i] @ w + b]))[0] / len(batch)
            g, g_b = g + slope * X[i], g_b + slope
        w, b = w - rate * g, b - rate * g_b
        w = np.sign(w) * np.maximum(np.abs(w) - rate * l1, 0.0) / (1.0 + rate * l2)
        met.append((w, b))
    return met
