"""Numbers about those that 7 to 128 bits hold, with and without a sign."""

POWERS = (7, 8, 15, 16, 30, 31, 32, 33, 40, 52, 53, 62, 63, 64, 65, 128)
EXTREMES = sorted({sign * (2**bits + near) for bits in POWERS for near in (-1, 0, 1) for sign in (1, -1)})
