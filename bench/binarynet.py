"""A BinaryNet in PyTorch, what `bitbayes bench train --dense` compares with: weights sign(w) with w clipped to [-1, 1],
batch norm and sign activations with straight-through gradients, Adam, float32.

    /usr/bin/python3 bench/binarynet.py --layers 784,1024,1024,10                           # seconds per epoch
    /usr/bin/python3 bench/binarynet.py --layers 784,1024,1024,10 --until 0.03 --data DIR   # seconds to that test error

DIR holds the four IDX files of MNIST, plain or gzipped. The last line of output is JSON; its key "missing" says why there
is no figure."""

import argparse
import gzip
import json
import os
import statistics
import sys
import time

# PyTorch and OpenBLAS have threads of their own: on few cores those that spin while they wait hold up the others.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

EPOCH_ROWS = 60000
RATE = 1e-3


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--layers", default="784,1024,1024,10", help="inputs, hidden layers, classes")
    parser.add_argument("--batch", type=int, default=100)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--slices", type=int, default=5, help="slices of time, each of whole batches")
    parser.add_argument("--slice-seconds", type=float, default=0.5)
    parser.add_argument("--until", type=float, help="train until this test error")
    parser.add_argument("--data", help="folder of MNIST's four files, for --until")
    parser.add_argument("--limit", type=float, default=600, help="give up after so many seconds of training")
    options = parser.parse_args()
    options.layers = [int(width) for width in options.layers.split(",")]
    return options


def answer_with(**figures):
    print(json.dumps(figures))
    sys.exit()


try:
    import torch
    import torch.nn.functional as F
except ImportError as error:
    answer_with(missing=str(error))


class Sign(torch.autograd.Function):
    """Gradients pass where |x| <= 1, in one kernel."""

    @staticmethod
    def forward(context, x):
        context.save_for_backward(x)
        return x.sign()

    @staticmethod
    def backward(context, gradient):
        x, = context.saved_tensors
        return torch.ops.aten.hardtanh_backward(gradient, x, -1.0, 1.0)


class BinaryNet:
    def __init__(self, layers):
        shapes = list(zip(layers[1:], layers))
        self.real = [torch.empty(shape).uniform_(-1, 1).div_(shape[1] ** 0.5) for shape in shapes]  # as torch.nn.Linear
        # The weights of the products: leaves of the graph, so that their gradients are those of `real` without a copy.
        self.binary = [torch.empty(shape, requires_grad=True) for shape in shapes]
        self.norms = torch.nn.ModuleList(torch.nn.BatchNorm1d(width) for width in layers[1:])
        self.adam = torch.optim.Adam([*self.real, *self.norms.parameters()], lr=RATE)
        self.binarize()

    @torch.no_grad()
    def binarize(self):
        for real, binary in zip(self.real, self.binary):
            torch.sign(real.clamp_(-1, 1), out=binary)

    def scores(self, x):
        for binary, norm in zip(self.binary[:-1], self.norms):
            x = Sign.apply(norm(F.linear(x, binary)))
        return self.norms[-1](F.linear(x, self.binary[-1]))

    def learn(self, x, labels):
        F.cross_entropy(self.scores(x), labels).backward()
        for real, binary in zip(self.real, self.binary):
            real.grad, binary.grad = binary.grad, None
        self.adam.step()
        self.adam.zero_grad(set_to_none=True)
        self.binarize()

    @torch.inference_mode()
    def error(self, x, labels):
        self.norms.eval()
        wrong = sum((self.scores(rows).argmax(1) != truth).sum().item()
                    for rows, truth in zip(x.split(1000), labels.split(1000)))
        self.norms.train()
        return wrong / len(labels)


def idx(folder, name):
    path = os.path.join(folder, name)
    with open(path, "rb") if os.path.exists(path) else gzip.open(path + ".gz") as file:
        data = bytearray(file.read())
    shape = [int.from_bytes(data[4 + 4 * d:8 + 4 * d], "big") for d in range(data[3])]
    return torch.frombuffer(data, dtype=torch.uint8, offset=4 + 4 * len(shape)).view(shape[0], -1)


def mnist(folder, split):
    """Pixels from -1 to 1, labels."""
    images, labels = idx(folder, f"{split}-images-idx3-ubyte"), idx(folder, f"{split}-labels-idx1-ubyte")
    return images / 127.5 - 1, labels.flatten().long()


def measure_speed(options):
    """Seconds per epoch: the median slice and the best one."""
    x = torch.randn(10 * options.batch, options.layers[0]).split(options.batch)
    labels = torch.randint(options.layers[-1], (10 * options.batch,)).split(options.batch)
    net, batches = BinaryNet(options.layers), EPOCH_ROWS / options.batch

    def learn(k):
        net.learn(x[k % len(x)], labels[k % len(x)])

    learn(0)
    learn(1)
    seconds = []
    for _ in range(options.slices):
        done, start, elapsed = 0, time.perf_counter(), 0
        while elapsed < options.slice_seconds or done == 0:
            learn(done)
            done, elapsed = done + 1, time.perf_counter() - start
        seconds.append(elapsed / done)
    return dict(epoch_seconds=batches * statistics.median(seconds), best_epoch_seconds=batches * min(seconds))


def measure_until(options):
    """Seconds of training until the test error, evaluated after each epoch, is low enough; null if it never is."""
    x, labels = mnist(options.data, "train")
    test = mnist(options.data, "t10k")
    net, seconds, history = BinaryNet(options.layers), 0.0, []
    while seconds < options.limit:
        start = time.perf_counter()
        for rows in torch.randperm(len(labels)).split(options.batch):
            if len(rows) > 1:
                net.learn(x[rows], labels[rows])
        seconds += time.perf_counter() - start
        history.append([seconds, net.error(*test)])
        if history[-1][1] <= options.until:
            return dict(seconds=seconds, history=history)
    return dict(seconds=None, history=history)


def main():
    options = arguments()
    if options.batch == 1:
        answer_with(missing="batch norm needs more than one row")
    torch.manual_seed(1)
    torch.set_num_threads(options.threads)
    figures = measure_speed(options) if options.until is None else measure_until(options)
    with open("/proc/self/maps") as maps:
        if not torch.backends.mkl.is_available() and "openblas" not in maps.read():
            answer_with(missing="PyTorch has no fast matrix product here (libopenblas0-pthread)")
    answer_with(**figures, threads=torch.get_num_threads(), version=torch.__version__)


main()
