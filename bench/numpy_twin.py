"""QLSD* on the toy problem of the QLSD paper (b = 20, d = 50, s = 2^8), written well in NumPy. It encodes no bytes.

Usage: numpy_twin.py CHAINS SECONDS. Prints chain-iterations per second of CPU time. bench/scale passes one line of
JSON on standard input instead, with chains, seconds, and any of: sizes (rows of each client), dimension, step; clock
("wall"); draws (a folder for draws-1.csv, ... as `pollen summary` reads them), with iterations, burn_in and thin.
"""
import json
import sys
import time

import numpy as np


class Twin:
    def __init__(self, chains: int, sizes: np.ndarray, dimension: int, step: float) -> None:
        self.rng = rng = np.random.Generator(np.random.SFC64(1994))
        self.column = sizes[:, None]
        means = rng.normal(0, 5, size=(len(sizes), dimension)) + rng.normal(size=(len(sizes), dimension)) / np.sqrt(self.column)
        self.mode = (self.column * means).sum(0) / sizes.sum()
        self.step, self.spread = step, np.sqrt(2 * step)
        self.theta = np.zeros((chains, 1, dimension))

    def advance(self, iterations: int) -> None:
        levels, rng, theta = 256.0, self.rng, self.theta
        for _ in range(iterations):
            g = self.column * (theta - self.mode)
            norm = np.sqrt(np.einsum("rbd,rbd->rb", g, g))[:, :, None]
            level = np.abs(g)
            level *= levels / norm
            low = np.floor(level)
            level -= low
            low += rng.random(g.shape) < level
            low *= norm / levels
            sent = np.copysign(low, g)
            theta = theta - self.step * sent.sum(1, keepdims=True) + self.spread * rng.standard_normal(theta.shape)
        self.theta = theta


def rate(twin: Twin, chains: int, seconds: float, clock) -> float:
    twin.advance(50)
    start, done = clock(), 0
    while clock() - start < seconds:
        twin.advance(50)
        done += 50
    return done * chains / (clock() - start)


def write_draws(twin: Twin, folder: str, iterations: int, burn_in: int, thin: int) -> None:
    twin.advance(burn_in)
    draws = []
    for _ in range((iterations - burn_in) // thin):
        twin.advance(thin)
        draws.append(twin.theta[:, 0, :])
    head = ",".join(["lp__"] + [f"theta.{j + 1}" for j in range(twin.theta.shape[2])])
    for c, chain in enumerate(np.stack(draws, axis=1)):
        rows = np.hstack([np.zeros((len(chain), 1)), chain])
        np.savetxt(f"{folder}/draws-{c + 1}.csv", rows, delimiter=",", header=head, comments="")


def main() -> None:
    if len(sys.argv) == 3:
        asked = {"chains": int(sys.argv[1]), "seconds": float(sys.argv[2])}
    else:
        asked = json.load(sys.stdin)
    sizes = asked.get("sizes") or np.random.Generator(np.random.SFC64(1994)).integers(10, 201, size=20)
    twin = Twin(asked["chains"], np.asarray(sizes, dtype=float), asked.get("dimension", 50), asked.get("step", 4.9e-5))
    if "draws" in asked:
        write_draws(twin, asked["draws"], asked["iterations"], asked["burn_in"], asked["thin"])
    else:
        clock = time.perf_counter if asked.get("clock") == "wall" else time.process_time
        print(f"{rate(twin, asked['chains'], asked['seconds'], clock):.0f}")


main()
