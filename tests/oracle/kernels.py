"""Kernels of two examples, as the book writes them, in plain Python."""

import math


def linear(x, z):
    return math.fsum(a * b for a, b in zip(x, z, strict=True))


def distance(x, z):
    return math.dist(x, z)


def polynomial(x, z, scale, shift, degree):
    return (scale * linear(x, z) + shift) ** degree


def rbf(x, z, gamma):
    return math.exp(-gamma * distance(x, z) ** 2)


def gaussian(x, z, sigma):
    return math.exp(-(distance(x, z) ** 2) / (2.0 * sigma**2))


def tanh(x, z, scale, shift):
    return math.tanh(scale * linear(x, z) + shift)


def multiquadric(x, z, shift):
    return math.sqrt(distance(x, z) ** 2 + shift**2)


def wave(x, z, theta):
    r = distance(x, z)
    return 1.0 if r == 0.0 else theta / r * math.sin(r / theta)


def spectrum(s, t, length):
    """Σ over the strings u of s and t of how often each has them."""
    of_s = [s[i : i + length] for i in range(len(s) - length + 1)]
    of_t = [t[i : i + length] for i in range(len(t) - length + 1)]
    return sum(of_s.count(u) * of_t.count(u) for u in set(of_s))


def laplacian(x, z, gamma):
    return math.exp(-gamma * math.fsum(abs(a - b) for a, b in zip(x, z, strict=True)))


def cosine(x, z):
    sizes = math.hypot(*x) * math.hypot(*z)
    return linear(x, z) / sizes if sizes else 0.0


def additive_chi2(x, z):
    return -math.fsum((a - b) ** 2 / (a + b) for a, b in zip(x, z, strict=True) if a + b)


def chi2(x, z, gamma):
    return math.exp(gamma * additive_chi2(x, z))
