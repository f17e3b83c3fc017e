#!/usr/bin/env python3
"""Strong and weak scaling over MPI ranks of one thread, memory per rank, and what a cost model says of both.

    experiments/scaling/run.py --bitbayes build/release/bitbayes --mnist FOLDER --news FOLDER

writes results.json beside this file and prints the tables of docs/scaling.md. Runs of different ranks take turns, so that a
machine that slows down does so for all; figures are medians of three.
"""

import argparse
import gzip
import json
import os
import random
import statistics
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
RANKS = (1, 2, 4)
TIMES = 3
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def mpirun(ranks, command):
    cores = len(os.sched_getaffinity(0))
    how = ["--bind-to", "core"] if ranks <= cores else ["--oversubscribe"]
    return ["mpirun", *how, "-n", str(ranks), *command]


def train(bitbayes, ranks, arguments):
    command = [bitbayes, "train", *arguments, "--threads", "1", "--json", "-q"]
    done = subprocess.run(mpirun(ranks, command), env=ENVIRONMENT, stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(done.stdout)


def in_turns(bitbayes, arguments_of):
    """Median seconds of training for each number of ranks."""
    seconds = {ranks: [] for ranks in RANKS}
    for _ in range(TIMES):
        for ranks in RANKS:
            seconds[ranks].append(train(bitbayes, ranks, arguments_of(ranks))["seconds"])
    return {str(ranks): statistics.median(times) for ranks, times in seconds.items()}


def noise(path, classes, rows=4000, features=500):
    """A table of random classes: nothing can be learned, so that every tree has the same work, whatever their number."""
    draw = random.Random(1)
    with gzip.open(path, "wt", compresslevel=1) as file:
        for _ in range(rows):
            cells = [str(draw.getrandbits(5)) for _ in range(features)]
            file.write(",".join(cells) + f",{draw.randrange(classes)}\n")
    return path


def collectives(folder):
    program = os.path.join(folder, "collectives")
    subprocess.run(["mpicc", "-O2", os.path.join(HERE, "collectives.c"), "-o", program], check=True)
    return [json.loads(subprocess.run(mpirun(ranks, [program]), env=ENVIRONMENT, stdout=subprocess.PIPE, check=True,
                                      text=True).stdout) for ranks in RANKS[1:]]


def peak_memory(bitbayes, ranks, arguments, folder):
    """MiB of each rank, as the kernel counted it."""
    wrapper = os.path.join(folder, "wrapper.sh")
    with open(wrapper, "w") as file:
        file.write('#!/bin/sh\nexec /usr/bin/time -f %M -o "$MEMORY.${OMPI_COMM_WORLD_RANK:-0}" "$@"\n')
    os.chmod(wrapper, 0o755)
    base = os.path.join(folder, "memory")
    command = [wrapper, bitbayes, "train", *arguments, "--threads", "1", "-q", "--json", "-o", os.path.join(folder, "m.bb"),
               "--force"]
    subprocess.run(mpirun(ranks, command) if ranks > 1 else command, env={**ENVIRONMENT, "MEMORY": base},
                   stdout=subprocess.DEVNULL, check=True)
    found = []
    for rank in range(ranks):
        with open(f"{base}.{rank}") as file:
            found.append(round(int(file.read().split()[-1]) / 1024))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bitbayes", default="build/release/bitbayes")
    parser.add_argument("--mnist", required=True, help="folder of the four IDX files")
    parser.add_argument("--news", help="folder of 20news-bydate.train.libsvm.gz")
    parser.add_argument("--only", help="one of collectives, tree, dense, weak, memory")
    options = parser.parse_args()
    bitbayes = os.path.abspath(options.bitbayes)
    path = os.path.join(HERE, "results.json")
    results = {}
    if os.path.exists(path):
        with open(path) as file:
            results = json.load(file)

    def wanted(name):
        return options.only in (None, name)

    with tempfile.TemporaryDirectory() as folder:
        if wanted("collectives"):
            results["collectives"] = collectives(folder)
        tree = ["--tree", "301", "--evidence", "1", "--epochs", "1", "--polish", "0"]
        if wanted("tree"):
            results["tree"] = in_turns(bitbayes, lambda ranks: [options.mnist + ":train#0:4000", *tree])
        if wanted("dense"):
            results["dense"] = in_turns(bitbayes, lambda ranks: [
                options.mnist + ":train#0:6000", "--dense", "1024,1024", "--batch", "500", "--evidence", "1", "--epochs",
                "1", "--polish", "0"])
            results["dense_batch_30"] = in_turns(bitbayes, lambda ranks: [
                options.mnist + ":train#0:6000", "--dense", "1024", "--evidence", "1", "--epochs", "1", "--polish", "0"])
        if wanted("weak"):
            tables = {ranks: noise(os.path.join(folder, f"{ranks}.csv.gz"), 5 * ranks) for ranks in RANKS}
            results["weak"] = in_turns(bitbayes, lambda ranks: [
                tables[ranks], "--preprocess", "center", "--tree", "101", "--evidence", "1", "--epochs", "1", "--polish", "0"])
        if wanted("memory") and options.news:
            news = [os.path.join(options.news, "20news-bydate.train.libsvm.gz"), "--tree", "101", "--epochs", "1",
                    "--evidence", "1", "--polish", "0"]
            results["memory_MiB"] = {str(ranks): peak_memory(bitbayes, ranks, news, folder) for ranks in (1, 4)}
            results["memory_each_MiB"] = {"4": peak_memory(bitbayes, 4, [*news, "--read", "each"], folder)}
    with open(path, "w") as file:
        json.dump(results, file, indent=1)
        file.write("\n")
    for name in ("tree", "dense", "dense_batch_30"):
        if name in results:
            one = results[name]["1"]
            print(name, {ranks: f"{seconds:.2f} s, {one / seconds:.2f}x" for ranks, seconds in results[name].items()})
    if "weak" in results:
        one = results["weak"]["1"]
        print("weak", {ranks: f"{seconds:.2f} s, {one / seconds:.2f}" for ranks, seconds in results["weak"].items()})
    print({name: results[name] for name in ("memory_MiB", "memory_each_MiB", "collectives") if name in results})


if __name__ == "__main__":
    main()
