"""Runs build/bin/pollen and measures rates and memory, for bench/scale and bench/soak; also prints tables.

Rates are those of the sampling loop, without start-up, checkpoints and summaries.
"""
import csv
import dataclasses
import datetime
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

here = os.path.dirname(os.path.abspath(__file__))
pollen = os.path.join(here, "..", "build", "bin", "pollen")
env = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1",
           OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
mpirun = shutil.which("mpirun")
ranks_run = mpirun is not None and os.path.exists(os.path.join(here, "..", "build", "lib", "libpollen_mpi.so"))


@dataclasses.dataclass
class Plan:
    """What to run: a configuration, keys that differ from it, and on how many threads or ranks."""
    text: str
    keys: tuple[str, ...] = ()
    threads: int = 1
    ranks: int = 1
    steps: int = 1  # local steps, which are the iterations per round
    options: tuple[str, ...] = ()

    def with_keys(self, *keys: str) -> "Plan":
        return dataclasses.replace(self, keys=(*self.keys, *keys))


@dataclasses.dataclass
class Run:
    rounds: int
    seconds: float      # wall time of the loop
    cpu: float          # processor time of the loop
    rate: float         # rounds per second of wall time, over the second half of the rounds
    gradients: float    # gradients per round
    whole: float        # seconds from start to end
    peak: float         # the most MB of memory, including pages of mapped files
    anonymous: float    # the most MB that are not pages of files
    summary: dict


def memory(pid: int) -> dict[str, int]:
    """Returns kB by the names of /proc (VmRSS, VmHWM, RssAnon, ...), or nothing if the process has ended."""
    try:
        with open(f"/proc/{pid}/status") as file:
            fields = (line.split() for line in file)
            return {words[0][:-1]: int(words[1]) for words in fields if words[0].startswith(("Vm", "Rss"))}
    except (OSError, ProcessLookupError):
        return {}


def command(plan: Plan, config: str, out: str, rounds: int) -> list[str]:
    every = max(1, rounds // 10)
    keys = [f"run.iterations={rounds * plan.steps}", f"run.burn_in={rounds * plan.steps - 1}",
            f"output.metrics_every={every}", *plan.keys]
    words = [pollen, "run", config, "--out", out, "--quiet", "--threads", str(plan.threads), *plan.options]
    for key in keys:
        words += ["--set", key]
    if plan.ranks > 1:
        words = [mpirun, "--oversubscribe", "--bind-to", "none", "-n", str(plan.ranks), *words]
    return words


def watch(process: subprocess.Popen) -> tuple[float, float]:
    peak = anonymous = 0
    while process.poll() is None:
        now = memory(process.pid)
        peak, anonymous = max(peak, now.get("VmHWM", 0)), max(anonymous, now.get("RssAnon", 0))
        try:
            process.wait(0.05)
        except subprocess.TimeoutExpired:
            pass
    return peak / 1024, anonymous / 1024


def run(plan: Plan, rounds: int) -> Run:
    with tempfile.TemporaryDirectory() as folder:
        config, out = os.path.join(folder, "bench.toml"), os.path.join(folder, "out")
        with open(config, "w") as file:
            file.write(plan.text)
        begin = time.perf_counter()
        with open(os.path.join(folder, "said"), "w+") as said:
            process = subprocess.Popen(command(plan, config, out, rounds), env=env, stdout=said, stderr=said)
            peak, anonymous = watch(process)
            if process.returncode != 0:
                said.seek(0)
                sys.exit(f"{' '.join(process.args)}\n{said.read()}")
        whole = time.perf_counter() - begin
        with open(os.path.join(out, "summary.json")) as file:
            summary = json.load(file)
        with open(os.path.join(out, "metrics.csv")) as file:
            rows = [(int(row["round"]), float(row["seconds"])) for row in csv.DictReader(file)]
    work, half, last = summary["work"], rows[(len(rows) - 1) // 2], rows[-1]
    rate = (last[0] - half[0]) / (last[1] - half[1])
    return Run(rounds, work["seconds"], work["cpu_seconds"], rate, work["gradients"] / rounds, whole, peak, anonymous, summary)


def rounds_for(plan: Plan, seconds: float) -> int:
    """Returns a number of rounds for which the loop takes about `seconds`."""
    rounds = 20
    while True:
        spent = max(run(plan, rounds).seconds, 1e-4)
        wanted = max(20, int(rounds * seconds / spent))
        if spent > seconds / 8:
            return wanted
        rounds = min(wanted, 30 * rounds)  # the first rounds are slow, so the first estimates are low


def turns(plans: dict, seconds: float, count: int, least: int = 20) -> dict:
    """Runs all plans one after the other, `count` times over, so that ratios between them are fair."""
    rounds = {name: max(least, rounds_for(plan, seconds)) for name, plan in plans.items()}
    runs = {name: [] for name in plans}
    for _ in range(count):
        for name, plan in plans.items():
            runs[name].append(run(plan, rounds[name]))
    return runs


def median(runs: list, of) -> float:
    return statistics.median(of(one) for one in runs)


def short(value: float) -> str:
    """Writes three significant digits, with commas."""
    if value >= 100:
        digits = len(str(int(value))) - 3
        return f"{round(value / 10 ** digits) * 10 ** digits:,}"
    return f"{value:.3g}" if value < 10 else f"{value:.1f}"


def table(head: list[str], rows: list[list[str]]) -> None:
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print(flush=True)


def machine() -> str:
    with open("/proc/cpuinfo") as file:
        model = next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    version = subprocess.run([pollen, "--version"], check=True, capture_output=True, text=True).stdout.splitlines()[0]
    return f"{model}, {os.cpu_count()} cores; {version}; {datetime.date.today()}"


def load() -> str:
    return f"{os.getloadavg()[0]:.1f}"
