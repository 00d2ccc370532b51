"""FALD on Gaussian clients (b = 100, d = 20, full precision matrices, K = 10), written well in NumPy.

Usage: fald_twin.py CHAINS TAU SECONDS. Prints chain-iterations per second of CPU time.
"""
import sys
import time

import numpy as np


def main() -> None:
    chains, tau, seconds = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
    b, d, steps, step = 100, 20, 10, 1e-3
    rng = np.random.Generator(np.random.SFC64(1994))
    root = rng.normal(size=(b, d, d)) / np.sqrt(d)
    precision = root @ root.transpose(0, 2, 1) + np.eye(d)
    offset = precision @ rng.normal(size=(b, d, 1))
    x = np.zeros((b, d, chains))
    common, own = np.sqrt(2 * step * tau / b), np.sqrt(2 * step * (1 - tau))

    def advance(rounds: int) -> None:
        nonlocal x
        for _ in range(rounds):
            for _ in range(steps):
                drift = precision @ x
                drift -= offset
                drift *= -step
                x = x + drift
                if tau > 0:
                    x += common * rng.standard_normal((d, chains))
                if tau < 1:
                    x += own * rng.standard_normal(x.shape)
            x = np.broadcast_to(x.mean(0), x.shape)

    advance(2)
    start, done = time.process_time(), 0
    while time.process_time() - start < seconds:
        advance(2)
        done += 2 * steps
    print(f"{done * chains / (time.process_time() - start):.0f}")


main()
