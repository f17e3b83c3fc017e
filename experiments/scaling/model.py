#!/usr/bin/env python3
"""The cost model of docs/scaling.md: beside the measurements of results.json, and for machines that nobody measured.

    experiments/scaling/model.py
"""

import json
import math
import os

HERE = os.path.dirname(os.path.abspath(__file__))
BLOCK = 256  # rows between two exchanges of outputs
FLOAT = 4


class Machine:
    """Seconds of a gather of so many bytes in all: latency per step of a tree of ranks, then bytes per second."""

    def __init__(self, latency, bandwidth):
        self.latency, self.bandwidth = latency, bandwidth

    def gather(self, ranks, size):
        return 0 if ranks == 1 else self.latency * math.log2(ranks) + size / self.bandwidth


def trees(machine, ranks, rows, classes, weights_per_tree, per_weight):
    """Each rank learns its trees; after a block all outputs are gathered, and two flags."""
    work = rows * math.ceil(classes / ranks) * weights_per_tree * per_weight
    blocks = math.ceil(rows / BLOCK)
    return work + blocks * (machine.gather(ranks, BLOCK * classes * FLOAT) + 2 * machine.gather(ranks, 4))


def dense_bytes(inputs, widths, outputs, batch):
    """Bytes of a batch: activities of all layers, messages to all but the first, weights of all but the first; those of the
    first once per block."""
    layers = [*widths, outputs]
    below = [inputs, *[width + 1 for width in widths]]
    weights = [n * k for n, k in zip(layers, below)]
    blocks = min(1, batch / BLOCK)
    return FLOAT * (batch * (sum(layers) + sum(widths[1:])) + sum(weights[1:]) + blocks * weights[0]), sum(weights)


def dense(machine, ranks, rows, inputs, widths, outputs, batch, per_weight):
    size, weights = dense_bytes(inputs, widths, outputs, batch)
    batches = math.ceil(rows / batch)
    calls = 3 * (len(widths) + 1)
    return rows * weights * per_weight / ranks + batches * (machine.gather(ranks, size) + calls * machine.gather(ranks, 0))


def main():
    with open(os.path.join(HERE, "results.json")) as file:
        results = json.load(file)
    two = next(each for each in results["collectives"] if each["ranks"] == 2)
    here = Machine(two["gather_4_KiB"]["median"] * 1e-6, (4 << 20) / (two["gather_4_MiB"]["median"] * 1e-6))
    print(f"here: {here.latency * 1e6:.1f} us, {here.bandwidth / 1e9:.1f} GB/s")

    per_tree = 785 * 301 + 301
    tree_weight = results["tree"]["1"] / (4000 * 10 * per_tree)
    sizes = {"dense": ([1024, 1024], 500), "dense_batch_30": ([1024], 30)}
    dense_weight = {name: results[name]["1"] / (6000 * dense_bytes(785, widths, 10, batch)[1])
                    for name, (widths, batch) in sizes.items()}
    print(f"one core: {tree_weight * 1e9:.3f} ns per weight and row of trees, "
          + ", ".join(f"{1e9 * each:.3f} ({name})" for name, each in dense_weight.items()))
    print("\n| two ranks | model | measured |\n| --- | --- | --- |")
    model = trees(here, 2, 4000, 10, per_tree, tree_weight)
    print(f"| 785x(301x10)x10 | {model:.2f} s | {results['tree']['2']:.2f} s |")
    for name, (widths, batch) in sizes.items():
        model = dense(here, 2, 6000, 785, widths, 10, batch, dense_weight[name])
        print(f"| 785-{'-'.join(map(str, widths))}-10, batch {batch} | {model:.2f} s | {results[name]['2']:.2f} s |")

    cluster = Machine(2e-6, 10e9)
    print("\n| ranks | 10,000 classes of 1000x101: per row | GiB per rank | 785-4096-4096-10, batch 500: per row | speed-up |")
    print("| --- | --- | --- | --- | --- |")
    classes, weights = 10000, 1000 * 101 + 101
    wide = [4096, 4096]
    one = dense(cluster, 1, 60000, 785, wide, 10, 500, dense_weight["dense"]) / 60000
    for ranks in (1, 10, 100, 1000):
        row = trees(cluster, ranks, 60000, classes, weights, tree_weight) / 60000
        memory = 12 * math.ceil(classes / ranks) * weights / 2**30
        other = dense(cluster, ranks, 60000, 785, wide, 10, 500, dense_weight["dense"]) / 60000
        print(f"| {ranks} | {1e3 * row:.3g} ms | {memory:.2g} | {1e6 * other:.3g} us | {one / other:.0f} |")


if __name__ == "__main__":
    main()
