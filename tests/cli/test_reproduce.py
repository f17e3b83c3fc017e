"""bitbayes reproduce: every part on small data, what it writes, interrupts, and resuming."""

import csv
import io
import json
import os
import pathlib
import random
import re
import signal
import struct
import sys
import time
import unittest
import xml.etree.ElementTree as xml

from support import CliTest

FIGURES = ["certainty", "cost", "dense", "increments", "learning-rate", "mnist", "mnist-preprocessing",
           "single-layer", "teacher-student-test", "teacher-student-training"]
VERDICTS = {"holds", "holds better", "does not hold", "not judged"}


def idx_images(images):
    return struct.pack(">IIII", 0x803, len(images), 28, 28) + b"".join(images)


def idx_labels(labels):
    return struct.pack(">II", 0x801, len(labels)) + bytes(labels)


def digits(count, seed, flips):
    """Ten patterns of bright blocks, with noise: images and labels in the shape of MNIST."""
    patterns = random.Random(7)
    bright = [{patterns.randrange(49) for _ in range(12)} for _ in range(10)]
    noise = random.Random(seed)
    images, labels = [], [k % 10 for k in range(count)]
    for label in labels:
        blocks = [255 * ((b in bright[label]) != (noise.random() < flips)) for b in range(49)]
        images.append(bytes(blocks[row // 4 * 7 + column // 4]
                            for row in range(28) for column in range(28)))
    return images, labels


class ReproduceTest(CliTest):
    timeout = 240
    flips = 0.1  # share of the blocks that noise changes

    def environment(self):
        """A folder of data sets with a small set in MNIST's place."""
        folder = self.path("data/mnist")
        if not os.path.exists(folder):
            os.makedirs(folder)
            for split, count in (("train", 120), ("t10k", 60)):
                images, labels = digits(count, len(split), self.flips)
                self.write(f"data/mnist/{split}-images-idx3-ubyte", idx_images(images))
                self.write(f"data/mnist/{split}-labels-idx1-ubyte", idx_labels(labels))
        return {**os.environ, "BITBAYES_DATA": self.path("data")}

    def reproduce(self, *arguments):
        return self.json("reproduce", *arguments, "-q", env=self.environment())


class Everything(ReproduceTest):
    def test_all_parts_and_all_files(self):
        results = self.reproduce("all", "--quick", "--trials", 2, "--epochs", 4, "-o", "out")
        stored = json.loads(self.read("out/results.json"))
        self.assertEqual(results, stored)
        self.check_teacher_student(results)
        self.check_mnist(results["mnist"])
        self.assertIn("Trees can be given more evidence, too", self.read("out/report.md").decode())
        self.check_verdicts(results)
        self.check_files()

    def test_no_dot_is_cut_off(self):
        run = ("teacher-student", "--quick", "--trials", 1, "--seed", 1, "-o", "out")
        errors = [max(found["best"] for found in run["results"]["test"].values())
                  for run in self.reproduce(*run)["teacher_student"]]
        self.assertGreater(max(errors), 0.5)  # where the axis ends otherwise
        panel = self.read("out/teacher-student-test.svg").split(b'class="bb-panel"')[1]  # behind the legend
        self.assertEqual(panel.count(b'class="bb-dot"'), 4 * len(errors))

    def check_teacher_student(self, results):
        runs = results["teacher_student"]
        self.assertEqual([run["settings"]["M"] for run in runs], [3, 5, 7, 9, 21, 31, 51, 101])
        for run in runs:
            test, training = run["results"]["test"], run["results"]["training"]
            for key in ("mfb", "pmfb", "backprop", "clipped"):
                errors = [trial[key] for trial in run["results"]["trials"]]
                self.assertEqual(len(errors), 2)
                self.assertEqual(test[key]["best"], min(errors))
                self.assertAlmostEqual(test[key]["median"], sum(errors) / 2)
                self.assertEqual(test[key]["solved"], errors.count(0))
                self.assertEqual(len(training[key]["best"]), len(training["samples"]))
            self.assertLess(training["mfb"]["best"][-1], training["mfb"]["best"][0])
        for run in runs[:2]:  # M = 3 and 5
            self.assertEqual(run["results"]["test"]["mfb"]["best"], 0)
            self.assertEqual(run["results"]["training"]["mfb"]["best"][-1], 0)

    def check_mnist(self, mnist):
        runs = {run["name"]: run for run in mnist["runs"]}
        self.assertEqual(set(runs), {
            "mnist-backprop-center-seed1", "mnist-backprop-standardize-seed1",
            "mnist-backprop-global-seed1", "mnist-backprop-none-seed1", "mnist-mfb-center-seed1",
            "mnist-mfb-standardize-seed1", "mnist-mfb-global-seed1", "mnist-mfb-none-seed1",
            "mnist-mfb-center-evidence10-seed1"})
        self.assertEqual(len(runs["mnist-mfb-center-seed1"]["history"]), 4)
        self.assertEqual(len(runs["mnist-mfb-global-seed1"]["history"]), 1)
        self.assertEqual(runs["mnist-mfb-center-seed1"]["weights"], 2365860)
        self.assertTrue(0 <= mnist["readout"]["results"]["highest_input"] <= 1)

    def check_verdicts(self, results):
        verdicts = {v["claim"]: v for v in results["verdicts"]}
        self.assertEqual(len(verdicts), len(results["verdicts"]))
        self.assertTrue({v["verdict"] for v in verdicts.values()} <= VERDICTS)
        self.assertEqual(verdicts["Test error of MFB-BackProp"]["verdict"], "not judged")
        for claim in ("MFB-BackProp finds a network without error for M = 3 and 5",
                      "The amplitude of the input does not matter",
                      "A certain network does not move on data that it gets right, margin >= 3",
                      "MAP and mean output approach each other as certainty grows"):
            self.assertEqual(verdicts[claim]["verdict"], "holds", claim)
        printed = verdicts["The asymptotic form of G pushes a sure network towards the label"]
        self.assertEqual(printed["verdict"], "does not hold")

    def check_files(self):
        names = set(os.listdir(self.path("out")))
        for figure in FIGURES:
            self.assertIn(f"{figure}.svg", names)
            xml.fromstring(self.read(f"out/{figure}.svg"))
            rows = list(csv.DictReader(io.StringIO(self.read(f"out/{figure}.csv").decode())))
            self.assertTrue(rows and all(float(row["y"]) >= 0 for row in rows))
        page = self.read("out/report.html").decode()
        self.assertIsNone(re.search(r"\b1 (epochs|seeds|claims|do|are|hold)\b", page))
        self.assertEqual(sorted(re.findall(r'<figure id="([^"]+)"', page)), FIGURES)
        self.assertNotIn("nan", re.sub(r"[a-z]*nan[a-z]+|[a-z]+nan", "", page.lower()))
        self.assertIn("bitbayes reproduce all --quick --trials 2 --epochs 4", page)
        self.assertIn("![", self.read("out/report.md").decode())
        self.browse(self.path("out/report.html"))

    def browse(self, page):
        sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "report"))
        import browser  # pylint: disable=import-outside-toplevel
        if browser.find() is None:
            print("no chromium here: the page was not opened in a browser", file=sys.stderr)
            return
        with browser.Browser() as opened:
            for width, scheme in ((1200, "light"), (390, "dark")):
                self.assertEqual(list(browser.faults(opened, page, FIGURES, width, scheme)), [])


class Dense(ReproduceTest):
    flips = 0.35  # networks of different sizes have different errors
    WEIGHTS = {"785x(11x10)x10": 86460, "785x(31x10)x10": 243660, "785x(101x10)x10": 793860,
               "785x(301x10)x10": 2365860, "785-128-10": 101770, "785-256-10": 203530, "785-512-10": 407050,
               "785-1024-10": 814090, "785-128-128-10": 118282, "785-256-256-10": 269322,
               "785-512-512-10": 669706, "785-1024-1024-10": 1863690, "785-512-(21x10)-10": 509860}

    def test_trees_against_dense_networks(self):
        results = self.reproduce("dense", "--epochs", 2, "-o", "out")
        runs = {run["architecture"]: run for run in results["dense"]["runs"]}
        self.assertEqual({name: run["weights"] for name, run in runs.items()}, self.WEIGHTS)
        self.assertEqual({(bool(run["dense"]), run["evidence"]) for run in runs.values()},
                         {(False, 1), (True, 0.5), (True, 1), (True, 2)})
        self.check_verdicts(results["verdicts"], runs)
        self.check_page(runs)

    def check_verdicts(self, verdicts, runs):
        """Judged by the errors of these runs, whatever they are."""
        verdict = {v["claim"]: v for v in verdicts}
        self.assertEqual(len(verdict), 5)
        dense = {name: run for name, run in runs.items() if run["dense"]}
        for key, error in (("error_map", "clipped error"), ("error_mean", "error of the Bayes average")):
            last = {name: run["history"][-1][key] for name, run in runs.items()}
            goal = last["785x(301x10)x10"]
            enough = [n for n in dense if last[n] <= goal and self.WEIGHTS[n] < 2365860]
            smaller = verdict[f"A smaller dense network has the {error} of the paper's tree"]
            self.assertEqual(smaller["verdict"], "holds" if enough else "does not hold")
            self.assertEqual("No dense network here has it" in smaller["why"], not any(
                last[n] <= goal for n in dense))
            self.assertEqual(smaller["here"].startswith("none, "), not any(last[n] <= goal for n in dense))
            self.assertNotRegex(smaller["why"], r"\b0\.\d times")
            if enough:
                name = min(enough, key=self.WEIGHTS.get)
                self.assertIn(f"{name} of {self.WEIGHTS[name] / 8000:.1f} kB: {100 * last[name]:.2f} %",
                              smaller["here"])
            best = {tree: min(last[n] for n in dense if self.WEIGHTS[n] <= self.WEIGHTS[tree])
                    for tree in ("785x(31x10)x10", "785x(101x10)x10", "785x(301x10)x10")}
            lower = verdict[f"At the size of every tree a dense network has a lower {error}"]
            holds = all(error < last[tree] for tree, error in best.items())
            self.assertEqual(lower["verdict"], "holds" if holds else "does not hold")
            for tree, error in best.items():
                self.assertIn(f"tree {100 * last[tree]:.2f} %, dense {100 * error:.2f} %", lower["here"])
        holds = all(runs[f"785-{n}-{n}-10"]["history"][-1][key] < runs[f"785-{n}-10"]["history"][-1][key]
                    for n in (128, 256, 512, 1024) for key in ("error_map", "error_mean"))
        deeper = verdict["A second dense layer of the same width lowers both errors"]
        self.assertEqual(deeper["verdict"], "holds" if holds else "does not hold")

    def check_page(self, runs):
        rows = list(csv.DictReader(io.StringIO(self.read("out/dense.csv").decode())))
        expected = {(f"{'dense' if run['dense'] else 'tree'}, {name}", run["weights"] / 8,
                     run["history"][-1][key])
                    for run in runs.values() for name, key in (("clipped", "error_map"), ("mean", "error_mean"))}
        self.assertEqual({(row["series"], float(row["x"]), float(row["y"])) for row in rows}, expected)
        page = self.read("out/report.md").decode()
        for run in runs.values():
            last = run["history"][-1]
            self.assertIn(f"| {run['architecture']} | {run['weights'] / 8:.0f} | {100 * last['error_map']:.2f} % | "
                          f"{100 * last['error_mean']:.2f} % | {run['nll']:.3f} | {run['seconds']:.1f} |", page)
            self.assertIn(f"`{run['command']}`", page)
        self.assertIn("Beyond the paper, about dense networks: ", page)
        self.assertNotIn("hold better", page)

    def test_the_command_of_a_run_repeats_it(self):
        environment = self.environment()
        results = self.reproduce("dense", "--quick", "--epochs", 2, "-o", "out")
        run = next(run for run in results["dense"]["runs"] if run["tree"] and run["dense"])
        command = run["command"].replace("#0:15000", "").split()  # the small set has fewer rows
        by_hand = self.json(*command[1:], "-q", env=environment)
        for key in ("error_map", "error_mean", "nll"):
            self.assertEqual(by_hand[key], run[key] if key == "nll" else run["history"][-1][key])

    def test_runs_go_on_in_the_folder_of_another_experiment(self):
        run = ("dense", "--quick", "--epochs")
        self.reproduce("single-layer", "--quick", "--epochs", 1, "-o", "out")
        self.reproduce(*run, 1, "-o", "out")
        longer = self.reproduce(*run, 3, "-o", "out")["dense"]["runs"]
        again = self.reproduce(*run, 3, "-o", "out")["dense"]["runs"]
        straight = self.reproduce(*run, 3, "-o", "straight")["dense"]["runs"]
        self.assertEqual(longer, again)
        for a, b in zip(longer, straight):
            self.assertEqual(a["nll"], b["nll"])
            self.assertEqual([h["error_map"] for h in a["history"]], [h["error_map"] for h in b["history"]])


class GoingOn(ReproduceTest):
    ARGUMENTS = ("single-layer", "--quick", "--epochs", 3, "--threads", 1)

    def test_interrupted_run_goes_on_and_ends_the_same(self):
        self.reproduce(*self.ARGUMENTS, "-o", "whole")
        self.environment()
        running = self.start_reproduction("parts")
        while not os.path.exists(self.path("parts/checkpoints/single-layer-mfb-center-seed1.bb")):
            time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        _, talk = running.communicate(timeout=60)
        self.assertEqual(running.returncode, 130)
        self.assertIn(b"error: interrupted; hint: the same command goes on from here\n", talk)
        self.assertFalse(os.path.exists(self.path("parts/report.html")))
        self.reproduce(*self.ARGUMENTS, "-o", "parts")
        self.assertEqual(self.without_times("whole"), self.without_times("parts"))

    def test_interrupt_between_two_runs_says_the_same(self):
        environment = self.environment()  # as long as the images wait in a pipe, no run is under way
        os.remove(self.path("data/mnist/train-images-idx3-ubyte"))
        os.mkfifo(self.path("data/mnist/train-images-idx3-ubyte"))
        os.environ["BITBAYES_DATA"] = environment["BITBAYES_DATA"]
        self.addCleanup(os.environ.pop, "BITBAYES_DATA")
        running = self.start("reproduce", *self.ARGUMENTS, "-o", "out")
        with open(self.path("data/mnist/train-images-idx3-ubyte"), "wb"):  # returns when it is read
            running.send_signal(signal.SIGINT)
            _, talk = running.communicate(timeout=60)
        self.assertEqual(running.returncode, 130)
        self.assertIn(b"error: interrupted; hint: the same command goes on from here\n", talk)

    def start_reproduction(self, folder):
        os.environ["BITBAYES_DATA"] = self.path("data")
        self.addCleanup(os.environ.pop, "BITBAYES_DATA")
        return self.start("reproduce", *self.ARGUMENTS, "-o", folder)

    def without_times(self, folder):
        def strip(value):
            if isinstance(value, dict):
                return {k: strip(v) for k, v in value.items() if k != "seconds"}
            return [strip(v) for v in value] if isinstance(value, list) else value
        return strip(json.loads(self.read(f"{folder}/results.json")))

    def test_stored_runs_are_used_again(self):
        first = self.reproduce(*self.ARGUMENTS, "-o", "out")
        before = self.read("out/checkpoints/single-layer-mfb-center-seed1.bb")
        self.assertEqual(first["single_layer"], self.reproduce(*self.ARGUMENTS, "-o", "out")["single_layer"])
        self.assertEqual(before, self.read("out/checkpoints/single-layer-mfb-center-seed1.bb"))

    def test_more_epochs_go_on(self):
        self.reproduce("single-layer", "--quick", "--epochs", 2, "-o", "out")
        longer = self.reproduce("single-layer", "--quick", "--epochs", 4, "-o", "out")
        straight = self.reproduce("single-layer", "--quick", "--epochs", 4, "-o", "straight")
        for a, b in zip(longer["single_layer"]["runs"], straight["single_layer"]["runs"]):
            self.assertEqual([h["error_map"] for h in a["history"]],
                             [h["error_map"] for h in b["history"]])


class Refusals(ReproduceTest):
    def test_what_cannot_be(self):
        environment = self.environment()
        run = ("reproduce", "single-layer", "--quick", "--epochs", 2, "-o")
        self.succeed(*run, "out", "-q", env=environment)
        self.fail_with(2, "--epochs is 1 here but 2", "reproduce", "single-layer", "--quick",
                       "--epochs", 1, "-o", "out", env=environment)
        self.succeed(*run[:-2], 1, "-o", "out", "--force", "-q", env=environment)
        os.mkdir(self.path("other"))
        self.write("other/notes.txt", "mine")
        self.fail_with(6, "other exists and holds no reproduction", *run, "other", env=environment)
        self.assertEqual(self.read("other/notes.txt"), b"mine")
        self.fail_with(6, "file", *run, self.write("file", ""), env=environment)
        self.fail_with(2, "WHAT", "reproduce", "everything", "-o", "x")
        self.fail_with(2, "--output", "reproduce", "all")
        self.fail_with(2, "--trials", "reproduce", "all", "-o", "x", "--trials", 0)

    def test_stored_runs_of_another_kind(self):
        run = ("reproduce", "teacher-student", "--quick", "-o", "out")
        os.makedirs(self.path("out/runs"))
        settings = {"M": 3, "trials": 7, "seed": 1, "samples": 50000, "test_samples": 10000}
        self.write("out/runs/teacher-student-3.json", json.dumps({"settings": settings, "results": {}}))
        self.fail_with(2, "trials is 5 here but 7 there; hint: .*--force", *run)
        self.write("out/runs/teacher-student-3.json", "{")
        self.fail_with(3, "teacher-student-3.json: not a stored run", *run)

    def mutants(self, text):
        """What a bad disk, an editor or a merge makes of a stored run."""
        draw = random.Random(1)
        for _ in range(60):
            at = draw.randrange(len(text) - 1)
            while text[at:at + 1].isspace():
                at += 1
            yield text[:at] + bytes([text[at] ^ 1 << draw.randrange(8)]) + text[at + 1:]
            yield text[:at] + text[at + 1:]
            yield text[:at] + bytes([draw.randrange(33, 256)]) + text[at:]
            yield text[:at]
        run = json.loads(text)
        for wrong in (None, True, -1, 1e308, 2 ** 64, "text", [], {}, [[1]]):
            for key in run:
                yield json.dumps({**run, key: wrong}).encode()
            for key in run["results"]:
                yield json.dumps({**run, "results": {**run["results"], key: wrong}}).encode()
        yield text.replace(b"0.", b"NaN", 1)
        yield text.replace(b'"results": {', b'"results": {"a": ' + b"[" * 100000 + b"]" * 100000 + b",", 1)
        yield from (b"", b"[]", b"null", b"[" * 1000000, b'{"settings":' * 100000, b"\xff\xfe", b"\0" * 100)

    def test_stored_runs_that_are_damaged(self):
        run = ("reproduce", "teacher-student", "--quick", "--trials", 1, "--threads", 1, "-o", "out")
        running = self.start(*run)
        stored = "out/runs/teacher-student-3.json"
        while not os.path.exists(self.path(stored)):
            time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=60)
        text = self.read(stored)
        for mutant in self.mutants(text):
            self.write(stored, mutant)
            self.fail_with(3, r"out/runs/teacher-student-3.json: (not a stored run|damaged: )", *run)

    def test_damaged_runs(self):
        environment = self.environment()
        run = ("reproduce", "single-layer", "--quick", "--epochs", 2, "-o", "out")
        self.succeed(*run, "-q", env=environment)
        self.write("out/checkpoints/single-layer-mfb-center-seed1.bb", b"nonsense")
        self.fail_with(4, "single-layer-mfb-center-seed1.bb", *run, env=environment)

    def test_without_mnist_nothing_starts(self):
        environment = {**os.environ, "BITBAYES_DATA": self.path("nothing")}
        self.fail_with(6, "hint: bitbayes fetch mnist", "reproduce", "all", "--quick", "-o", "out",
                       env=environment)
        self.assertFalse(os.path.exists(self.path("out")))


class Committed(unittest.TestCase):
    """The full run in experiments/ and the document made from it belong together."""

    ROOT = pathlib.Path(__file__).resolve().parents[2]

    def setUp(self):
        self.results = json.loads((self.ROOT / "experiments/results.json").read_text())
        self.document = (self.ROOT / "docs/reproduction.md").read_text()

    def test_document_says_what_the_results_say(self):
        self.assertFalse(self.results["quick"])
        self.assertIn(self.results["command"], self.document)
        text = re.sub(r"\\(.)", r"\1", self.document)
        for verdict in self.results["verdicts"]:
            for key in ("claim", "here", "verdict"):
                self.assertIn(verdict[key], text)

    def test_pictures_are_there(self):
        pictures = re.findall(r"\]\(reproduction/([a-z-]+)\.svg\)", self.document)
        self.assertEqual(sorted(pictures), [f for f in FIGURES if f != "dense" or "dense" in self.results])
        for name in pictures:
            xml.parse(self.ROOT / f"docs/reproduction/{name}.svg")


class Ranks(ReproduceTest):
    def results(self, text):
        """Without what depends on speed and on how many worked."""
        found = json.loads(text)
        found.pop("machine")
        for run in found["single_layer"]["runs"]:
            run.pop("seconds")
            for epoch in run["history"]:
                epoch.pop("seconds")
        return found

    def test_ranks_share_the_runs(self):
        arguments = ("reproduce", "single-layer", "--quick", "--epochs", 2, "--threads", 1)
        alone = self.succeed(*arguments, "-o", "alone", "-q", "--json", env=self.environment())
        done = self.mpirun(2, *arguments, "-o", "out", "--json", env=self.environment())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.results(done.stdout), self.results(alone.stdout))
        self.assertEqual(json.loads(done.stdout)["machine"]["ranks"], 2)
        first = done.stderr.count(": epoch 2 of 2")  # runs of rank 0, which alone talks
        self.assertTrue(0 < first < len(json.loads(done.stdout)["single_layer"]["runs"]), done.stderr)
        self.assertEqual([name for name in os.listdir(self.path("out/runs")) if name.endswith(".lock")], [])


if __name__ == "__main__":
    unittest.main()
