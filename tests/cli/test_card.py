"""The cuda backend of the command line, on an emulated card (tests/cuda/emulated_part.cpp): a copy of the program finds it beside
itself. What it learns is slow, and the same."""

import os
import shutil
import struct
import tempfile
import unittest

import support
from support import CliTest

PROGRAM = support.BITBAYES
ON_CARD = ("--backend", "cuda")
TREE = ("train", "train.csv", "--tree", 5, "--evidence", 1, "--epochs", 2, "--polish", 1, "-q")


def setUpModule():
    folder = tempfile.mkdtemp(prefix="bitbayes_card_")
    unittest.addModuleCleanup(shutil.rmtree, folder)
    support.BITBAYES = os.path.join(folder, "bitbayes")
    shutil.copy(PROGRAM, support.BITBAYES)
    shutil.copy(os.environ["BITBAYES_EMULATED_PART"], os.path.join(folder, "libbitbayes_cuda.so"))
    if os.path.exists(support.MPI_PART):
        shutil.copy(support.MPI_PART, folder)


class Card(CliTest):
    timeout = 240

    def setUp(self):
        super().setUp()
        self.table("train.csv", rows=120)

    def environment(self, **changes):
        return {**os.environ, **changes}

    def same_model(self, *arguments):
        self.succeed(*arguments, "-o", "cpu.bb", "--force")
        done = self.succeed(*arguments, *ON_CARD, "-o", "card.bb", "--force")
        self.assertEqual(self.read("cpu.bb"), self.read("card.bb"))
        return done

    def test_backends_lists_it(self):
        entry = [e for e in self.json("backends")["backends"] if e["name"] == "cuda"][0]
        self.assertTrue(entry["available"], entry)
        self.assertIn("emulated", entry["reason"])

    def test_trees_have_the_bytes_of_the_cpu(self):
        self.same_model(*TREE)
        self.same_model(*TREE, "--algorithm", "backprop", "--learning-rate", 0.01)
        self.same_model(*TREE, "--memory", 100, "--label-noise", "auto")
        self.same_model("train", "train.csv", "--single", "--evidence", 1, "--epochs", 1, "-q")

    def test_dense_networks_have_the_bytes_of_the_cpu(self):
        self.same_model("train", "train.csv", "--dense", "6,4", "--evidence", 1, "--epochs", 1, "-q")
        self.same_model("train", "train.csv", "--dense", "8", "--tree", "3", "--evidence", 1, "--epochs", 1, "-q")

    def test_sparse_rows_have_the_bytes_of_the_cpu(self):
        rows = [(r % 3, sorted({(r * k) % 37 + 1 for k in range(1, 2 + r % 9)} | {r % 3 + 40})) for r in range(90)]
        self.write("rows.libsvm", "".join(
            f"{label} {' '.join(f'{j}:{1 + j % 4 / 2}' for j in columns)}\n" for label, columns in rows))
        quick = ("train", "rows.libsvm", "--evidence", 1, "--epochs", 2, "-q")
        self.same_model(*quick, "--tree", 5, "--polish", 1)
        self.same_model(*quick, "--tree", 3, "--memory", 50)
        self.same_model(*quick, "--dense", 6, "--batch", 4)

    def test_ranks_share_the_trees(self):
        self.succeed(*TREE, "-o", "alone.bb")
        for ranks in (2, 4):
            done = self.mpirun(ranks, *TREE, *ON_CARD, "-o", f"{ranks}.bb")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.read("alone.bb"), self.read(f"{ranks}.bb"))
        done = self.mpirun(2, "train", "train.csv", "--dense", 4, "--evidence", 1, *ON_CARD, "-q", "-o", "dense.bb")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("in one process", done.stderr)

    def test_defaults_choose_the_same(self):
        self.same_model("train", "train.csv", "--tree", 3, "--epochs", 1, "-q")

    def test_it_says_where_it_runs(self):
        done = self.succeed("train", "train.csv", "--tree", 5, "--epochs", 1, "--evidence", 1, *ON_CARD, "-v", "-o", "m.bb")
        self.assertRegex(done.stderr, r"emulated: \d+ blocks of \d+ threads per tree, posterior on chip")
        dense = ("train", "train.csv", "--dense", "40", "--batch", 20, "--epochs", 1, "--evidence", 1, "--polish", 0)
        done = self.succeed(*dense, *ON_CARD, "-v", "-o", "dense.bb")
        self.assertRegex(done.stderr, r"emulated: layer 1 \d+ blocks of \d+ threads, \d+ rows x \d+ neurons each; layer 2 ")
        result = self.json("train", "train.csv", "--tree", 5, "--epochs", 1, "--evidence", 1, *ON_CARD)
        self.assertEqual(result["backend"], "cuda")

    def test_runs_move_between_backends(self):
        self.succeed(*TREE, "-o", "whole.bb")
        for first, then in (((), ON_CARD), (ON_CARD, ())):
            part = [a if a != 2 else 1 for a in TREE]
            self.succeed(*part, *first, "--checkpoint", "run.ck", "-o", "part.bb", "--force")
            self.succeed(*TREE, *then, "--resume", "run.ck", "-o", "moved.bb", "--force")
            self.assertEqual(self.read("whole.bb"), self.read("moved.bb"))

    def test_it_evaluates_like_the_cpu(self):
        self.succeed(*TREE, "-o", "m.bb")
        cpu = self.json("eval", "m.bb", "train.csv")
        for key in ("error_mean", "error_map"):
            self.assertEqual(self.json("train", *TREE[1:], *ON_CARD, "--test", "train.csv")[key], cpu[key])

    def groups(self, *arguments, **changes):
        """How many lessons ran together in each launch."""
        log = self.path("groups")
        if os.path.exists(log):
            os.remove(log)
        self.succeed(*arguments, env=self.environment(EMULATED_CARD_GROUPS=log, **changes))
        return [int(line) for line in self.read("groups").split()]

    def test_a_lost_card_loses_nothing_of_the_last_checkpoint(self):
        self.succeed(*TREE, "-o", "whole.bb")
        lost = self.environment(EMULATED_CARD_LESSONS="9")
        done = self.run_cli(*TREE, *ON_CARD, "--checkpoint", "run.ck", "--every", 20, "-o", "m.bb", env=lost)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertRegex(done.stderr, r"^bitbayes: error: backend cuda: working on the card: [^\n]+\n$")
        self.assertFalse(os.path.exists(self.path("m.bb")))
        self.succeed(*TREE, "--resume", "run.ck", "-o", "resumed.bb")
        self.assertEqual(self.read("whole.bb"), self.read("resumed.bb"))

    def test_a_full_card_is_one_line(self):
        full = self.environment(EMULATED_CARD_MEMORY="1000")
        self.fail_with(5, "memory is full", *TREE[:-1], *ON_CARD, env=full)
        self.fail_with(5, "first is number 0", *TREE[:-1], "--backend", "cuda:3")

    def test_a_sweep_learns_several_at_once(self):
        config = 'data = "train.csv"\n[options]\ntree = "5"\nevidence = 1\nepochs = 1\n{}[grid]\nseed = [1, 2, 3]\n'
        self.write("cpu.toml", config.format(""))
        self.write("card.toml", config.format('backend = "cuda"\n'))
        cpu = self.json("sweep", "cpu.toml", "-o", "cpu", "-q")
        sweep = ("sweep", "card.toml", "--threads", 3, "-q")
        self.assertGreater(max(self.groups(*sweep, "-o", "card")), 1)
        card = self.json(*sweep, "-o", "card")
        self.assertEqual([run["results"] for run in cpu["runs"]], [run["results"] for run in card["runs"]])
        self.assertEqual(max(self.groups(*sweep, "-o", "alone", EMULATED_CARD_MEMORY=str(100 << 20))), 1)
        alone = self.json(*sweep, "-o", "alone")
        self.assertEqual([run["results"] for run in cpu["runs"]], [run["results"] for run in alone["runs"]])

    def test_a_sweep_ends_with_its_card_and_goes_on_later(self):
        self.write("card.toml", 'data = "train.csv"\n[options]\ntree = "5"\nevidence = 1\nepochs = 1\npolish = 0\n'
                                'backend = "cuda"\n[grid]\nseed = [1, 2, 3, 4]\n')
        sweep = ("sweep", "card.toml", "-o", "sweep", "--threads", 1)
        whole = self.json(*sweep[:3], "whole", *sweep[4:], "-q")
        self.fail_with(5, "unspecified launch failure", *sweep, env=self.environment(EMULATED_CARD_LESSONS="10"))
        resumed = self.json(*sweep, "-q")
        self.assertEqual([run["results"] for run in whole["runs"]], [run["results"] for run in resumed["runs"]])

    def test_members_learn_side_by_side(self):
        run = (*TREE, "--members", 3)
        self.same_model(*run)
        self.assertGreater(max(self.groups(*run, *ON_CARD, "-o", "beside.bb")), 1)
        # One that the card has memory for at a time.
        self.assertEqual(max(self.groups(*run, *ON_CARD, "-o", "alone.bb", EMULATED_CARD_MEMORY=str(100 << 20))), 1)
        self.assertEqual(self.read("cpu.bb"), self.read("beside.bb"))
        self.assertEqual(self.read("cpu.bb"), self.read("alone.bb"))
        lost = self.environment(EMULATED_CARD_LESSONS="25")
        done = self.run_cli(*run, *ON_CARD, "--checkpoint", "run.ck", "--every", 20, "-o", "lost.bb", env=lost)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertRegex(done.stderr, r"^bitbayes: error: backend cuda: working on the card: [^\n]+\n$")
        self.succeed(*run, *ON_CARD, "--resume", "run.ck", "-o", "resumed.bb")
        self.assertEqual(self.read("cpu.bb"), self.read("resumed.bb"))

    def test_members_of_several_ranks_use_several_cards(self):
        self.succeed(*TREE, "--members", 2, "-o", "alone.bb")
        opened = self.path("opened")
        done = self.mpirun(2, *TREE, "--members", 2, *ON_CARD, "-o", "ranks.bb", env={"EMULATED_CARD_LOG": opened})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.read("alone.bb"), self.read("ranks.bb"))
        self.assertEqual(set(self.read("opened").split()), {b"0", b"1"})

    def test_reproduce_trains_side_by_side(self):
        os.makedirs(self.path("data/mnist"))
        for split, count in (("train", 40), ("t10k", 20)):
            pixels = bytes((i * 37 + i // 784 * 11) % 256 for i in range(784 * count))
            self.write(f"data/mnist/{split}-images-idx3-ubyte", struct.pack(">IIII", 0x803, count, 28, 28) + pixels)
            self.write(f"data/mnist/{split}-labels-idx1-ubyte",
                       struct.pack(">II", 0x801, count) + bytes(k % 10 for k in range(count)))
        found = {}
        for name, backend in (("cpu", ()), ("card", ON_CARD)):
            result = self.json("reproduce", "single-layer", "--quick", "--epochs", 2, *backend, "-o", name, "-q",
                               env=self.environment(BITBAYES_DATA=self.path("data")))
            found[name] = [(run["name"], [epoch["error_map"] for epoch in run["history"]])
                           for run in result["single_layer"]["runs"]]
        self.assertEqual(found["cpu"], found["card"])
        self.assertGreater(len(found["card"]), 4)

    def test_bench_measures_it(self):
        quick = ("bench", "train", *ON_CARD, "--slices", 1, "--slice-ms", 1, "-q")
        result = self.json(*quick, "--tree", 1)
        self.assertEqual(result["card"], "emulated")
        self.assertEqual([(r["network"], r["learners"]) for r in result["rows"]],
                         [("785x(1x10)x10", 1), ("785x(1x10)x10", 8)])
        first = result["rows"][0]
        self.assertEqual(first["weights"], 785 * 10 + 10)
        self.assertEqual(first["weights_updated"], 718 * 10 + 10)
        epoch = 6e4 * first["weights_updated"] / result["weight_updates_per_second"]
        self.assertAlmostEqual(first["epoch_seconds"] / epoch, 1, delta=1e-6)
        self.assertAlmostEqual(result["waiting_share"], 7 / 28)
        self.assertEqual(first["clocks_per_row"],
                         {"all": 28, "copy": 1, "tell": 2, "gather": 3, "add": 4, "send": 5, "learn": 6,
                          "refresh": 7})
        self.assertIsNone(result["rows"][1]["clocks_per_row"])
        self.assertIn("clocks of a row: 28, copy 1, tell 2", self.succeed(*quick, "--tree", 1).stdout)
        self.assertGreater(result["speedup_vs_cpu"], 0)
        dense = (*quick, "--dense", 8, "--batch", 10)
        self.assertEqual(self.json(*dense)["rows"][0]["network"], "785-8-10")
        self.assertIsNone(self.json(*dense)["waiting_share"])
        self.assertRegex(self.succeed(*dense).stdout, r"785-8-10 +1 ")

    def test_bench_refuses_what_makes_no_sense(self):
        self.fail_with(2, "is not a GPU", "bench", "train", "--backend", "simd")
        self.fail_with(2, "--tree is for --backend cuda", "bench", "train", "--tree", 5)
        self.fail_with(2, "keep one", "bench", "train", *ON_CARD, "--tree", 5, "--dense", 5)
        self.fail_with(2, "is for bench train", "bench", "infer", *ON_CARD)


if __name__ == "__main__":
    unittest.main()
