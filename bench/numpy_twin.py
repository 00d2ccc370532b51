"""QLSD* on the toy of the QLSD paper (b = 20, d = 50, s = 2^8) as one would write it well in NumPy: no bytes are made.

Usage: numpy_twin.py CHAINS SECONDS. Prints chain-iterations a second of CPU time.
"""
import sys
import time

import numpy as np


def main() -> None:
    chains, seconds = int(sys.argv[1]), float(sys.argv[2])
    b, d, s, step = 20, 50, 256.0, 4.9e-5
    rng = np.random.Generator(np.random.SFC64(1994))
    sizes = rng.integers(10, 201, size=b).astype(float)
    means = rng.normal(0, 5, size=(b, d)) + rng.normal(size=(b, d)) / np.sqrt(sizes)[:, None]
    mode = (sizes[:, None] * means).sum(0) / sizes.sum()
    theta = np.zeros((chains, 1, d))
    column = sizes[:, None]
    spread = np.sqrt(2 * step)

    def advance(iterations: int) -> None:
        nonlocal theta
        for _ in range(iterations):
            g = column * (theta - mode)
            norm = np.sqrt(np.einsum("rbd,rbd->rb", g, g))[:, :, None]
            level = np.abs(g)
            level *= s / norm
            low = np.floor(level)
            level -= low
            low += rng.random(g.shape) < level
            low *= norm / s
            sent = np.copysign(low, g)
            theta = theta - step * sent.sum(1, keepdims=True) + spread * rng.standard_normal(theta.shape)

    advance(50)
    start, done = time.process_time(), 0
    while time.process_time() - start < seconds:
        advance(50)
        done += 50
    print(f"{done * chains / (time.process_time() - start):.0f}")


main()
