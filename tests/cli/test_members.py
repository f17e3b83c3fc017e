"""train --members: several seeds as one model, however it was trained, and everything that takes models."""

import json
import os
import shutil
import signal
import struct
import subprocess
import time
import unittest

from support import BITBAYES, TIMEOUT, CliTest

SHARED = os.environ["BITBAYES_SHARED_DATA"]
MPIRUN = ["mpirun", "--oversubscribe", "-n"]
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
RUN = ("train", "train.csv", "--test", "test.csv", "--tree", 7, "--epochs", 3, "--seed", 5)


def members_of(data):
    """The model files inside a file of several members."""
    length = struct.unpack("<Q", data[:8])[0]
    header, body = json.loads(data[8 : 8 + length]), data[8 + length :]
    metadata = header.pop("__metadata__")
    assert metadata["format_version"] == "4" and int(metadata["members"]) == len(header)
    return [body[slice(*header[f"member{m}"]["data_offsets"])] for m in range(len(header))]


class Members(CliTest):
    def setUp(self):
        super().setUp()
        self.table("train.csv", rows=300)
        self.table("test.csv", rows=90, seed=2)

    def train(self, name, *more, members=3, run=RUN):
        return self.json(*run, "--members", members, "-o", name, "-q", *more)

    def ensemble(self, name="m.bb"):
        self.train(name, "--evidence", 1)
        return name


class Training(Members):
    def test_each_member_is_the_model_of_its_seed(self):
        result = self.train("m.bb")
        members = members_of(self.read("m.bb"))
        for m, member in enumerate(members):
            # The first member chooses the evidence; the others are given its choice.
            evidence = () if m == 0 else ("--evidence", result["evidence"])
            alone = self.json(*RUN[:-1], 5 + m, *evidence, "-o", f"{m}.bb", "-q")
            self.assertEqual(member, self.read(f"{m}.bb"))
            run = result["member_runs"][m]
            self.assertEqual(run["seed"], 5 + m)
            for key in ("error_map", "error_mean", "nll", "error_progressive"):
                self.assertEqual(run[key], alone[key])
            self.assertEqual([epoch["nll"] for epoch in run["history"]], [epoch["nll"] for epoch in alone["history"]])
            self.assertEqual(run["seconds_auto"] > 0, m == 0)
        self.assertEqual(result["members"], 3)
        self.assertEqual(result["history"], [])
        self.assertEqual(result["weights"], 3 * alone["weights"])

    def test_the_hold_out_is_the_same_for_all(self):
        run = ("train", "train.csv", "--hold-out", 0.2, "--tree", 7, "--epochs", 2, "--evidence", 1)
        result = self.train("m.bb", run=run, members=2)
        self.assertEqual(result["n"], 240)
        fingerprints = {json.dumps([epoch["samples_seen"] for epoch in run["history"]]) for run in result["member_runs"]}
        self.assertEqual(len(fingerprints), 1)
        first = self.json(*run, "-o", "0.bb", "-q")
        self.assertEqual(members_of(self.read("m.bb"))[0], self.read("0.bb"))
        self.assertEqual(first["error_mean"], result["member_runs"][0]["error_mean"])

    def test_dense_networks(self):
        run = ("train", "train.csv", "--dense", 16, "--epochs", 2)
        result = self.train("m.bb", run=run, members=2)
        self.succeed(*run, "--seed", 2, "--evidence", result["evidence"], "-o", "1.bb", "-q")
        self.assertEqual(members_of(self.read("m.bb"))[1], self.read("1.bb"))
        self.assertIsNone(result["error_mean"])

    def test_one_member_is_a_model_as_ever(self):
        self.assertEqual(self.train("1.bb", members=1)["members"], 1)
        self.succeed(*RUN, "-o", "plain.bb", "-q")
        self.assertEqual(self.read("1.bb"), self.read("plain.bb"))

    def test_metrics_name_the_member(self):
        result = self.train("m.bb", "--metrics", "m.jsonl", members=2)
        lines = [json.loads(line) for line in self.read("m.jsonl").splitlines()]
        self.assertEqual([(line["member"], line["epoch"]) for line in lines], [(m, e) for m in (0, 1) for e in (1, 2, 3)])
        self.assertEqual(lines[-1]["nll"], result["member_runs"][1]["history"][-1]["nll"])

    def test_talk_and_table(self):
        done = self.succeed(*RUN, "--members", 2, "-o", "m.bb", "--progress", "none")
        self.assertIn("member 2 of 2, seed 6", done.stderr)
        self.assertRegex(done.stdout, r"members +2\n")
        self.assertRegex(done.stdout, r"2 +6 +\d+\.\d+ % +\d+\.\d+ % +\d+\.\d+\n")

    def test_what_makes_no_sense(self):
        self.fail_with(2, "--members", *RUN, "--members", 0)
        self.fail_with(2, "--members", "train", "train.csv", "--cv", 3, "--members", 2)
        self.fail_with(2, "--members: BackProp", "train", "train.csv", "--algorithm", "backprop", "--members", 2)
        self.write("c.1", "not mine")
        self.fail_with(6, "c.1", *RUN, "--members", 2, "--checkpoint", "c")
        self.assertFalse(os.path.exists(self.path("c.0")))
        self.fail_with(6, "no member has a checkpoint", *RUN, "--members", 2, "--resume", "nothing")


class Use(Members):
    def test_answers_are_averaged(self):
        result = self.json(*RUN, "--members", 3, "--evidence", 1, "-o", "m.bb", "-q")
        evaluation = self.json("eval", "m.bb", "test.csv")
        for key in ("error_map", "error_mean", "nll", "brier", "ece", "validity", "members"):
            self.assertEqual(evaluation[key], result[key])
        for m, member in enumerate(members_of(self.read("m.bb"))):
            self.write(f"{m}.bb", member)
        each = [self.json("predict", f"{m}.bb", "test.csv", "--proba")["predictions"] for m in range(3)]
        for r, row in enumerate(self.json("predict", "m.bb", "test.csv", "--proba")["predictions"]):
            probabilities = [[answers[r]["probabilities"][name] for answers in each] for name in ("0", "1", "2")]
            for name, values in zip(("0", "1", "2"), probabilities):
                self.assertAlmostEqual(row["probabilities"][name], sum(values) / 3, places=12)
            self.assertAlmostEqual(row["probability"], max(sum(values) / 3 for values in probabilities), places=12)

    def test_packed_networks_and_c_give_the_same_answers(self):
        self.ensemble()
        packed = self.json("pack", "m.bb", "-o", "net.bbn", "--data", "test.csv")
        self.assertEqual(packed["members"], 3)
        evaluation = self.json("eval", "m.bb", "test.csv")
        self.assertEqual(packed["error_map"], evaluation["error_map"])
        self.assertEqual(self.json("eval", "net.bbn", "test.csv")["error_map"], evaluation["error_map"])
        of_model = self.json("predict", "m.bb", "test.csv", "--mode", "map")["predictions"]
        of_packed = self.json("predict", "net.bbn", "test.csv")["predictions"]
        for a, b in zip(of_model, of_packed):
            self.assertEqual([a["label"], a["margin"], a["validity"]], [b["label"], b["margin"], b["validity"]])
        verified = self.json("export", "c", "net.bbn", "-o", "out", "--verify", "test.csv")["verified"]
        self.assertEqual([(one["rows"], one["differences"]) for one in verified], [(90, 0)])
        one = members_of(self.read("m.bb"))[0]
        self.write("0.bb", one)
        alone = self.json("pack", "0.bb", "-o", "0.bbn", "--data", "test.csv")
        self.assertEqual(packed["error_one_network"], alone["error_map"])
        self.assertEqual(self.json("pack", "m.bb", "-o", "more.bbn", "--ensemble", 2)["members"], 9)

    def test_info(self):
        self.ensemble()
        info = self.json("info", "m.bb", "--columns")
        self.write("0.bb", members_of(self.read("m.bb"))[0])
        one = self.json("info", "0.bb")
        self.assertEqual((info["members"], info["format_version"], one["members"], one["format_version"]), (3, "4", 1, "5"))
        self.assertEqual(info["weights"], 3 * one["weights"])
        self.assertEqual(info["bits"]["clipped"], 3 * one["bits"]["clipped"])
        self.assertAlmostEqual(sum(column["importance"] for column in info["columns"]), 1)

    def test_update_and_polish(self):
        self.ensemble()
        result = self.json("update", "m.bb", "test.csv", "-o", "u.bb")
        self.assertEqual((result["members"], result["samples_seen"]), (3, 990))
        for m, member in enumerate(members_of(self.read("m.bb"))):
            self.write("one.bb", member)
            self.succeed("update", "one.bb", "test.csv", "-o", "more.bb", "--force", "-q")
            self.assertEqual(members_of(self.read("u.bb"))[m], self.read("more.bb"))
        self.succeed("pack", "u.bb", "-o", "u.bbn", "--polish", "train.csv", "-q")
        self.table("four.csv", rows=40, classes=4)
        grown = self.json("update", "m.bb", "four.csv", "--new-classes", "-o", "four.bb")
        self.assertEqual((grown["members"], grown["classes"]), (3, 4))

    def test_report(self):
        self.ensemble()
        self.succeed("eval", "m.bb", "test.csv", "--report", "page", "-q")
        report = json.loads(self.read("page/report.json"))
        self.assertEqual(report["nll"], self.json("eval", "m.bb", "test.csv")["nll"])

    def test_damage(self):
        data = self.read(self.ensemble())
        for name, bad in {"cut": data[:-1], "flip": data[:-50] + bytes([data[-50] ^ 1]) + data[-49:]}.items():
            self.write(name, bad)
            for command in (("info", name), ("eval", name, "test.csv"), ("pack", name, "-o", "net.bbn")):
                self.fail_with(4, name, *command)
        self.fail_with(4, "several members", *RUN, "--resume", "m.bb")


class Resume(Members):
    def kill(self, name, *arguments):
        process = self.start(*arguments)
        end = time.monotonic() + TIMEOUT
        while not os.path.exists(self.path(name)):
            self.assertIsNone(process.poll(), "ended before it could be stopped")
            self.assertLess(time.monotonic(), end)
            time.sleep(0.001)
        return process

    def test_killed_and_resumed_gives_equal_bytes(self):
        run = (*RUN[:-4], "--epochs", 30, "--members", 3)
        self.succeed(*run, "-o", "whole.bb", "-q")
        for name in ("c.0", "c.1"):
            with self.subTest(name):
                process = self.kill(name, *run, "--checkpoint", "c", "--every", 100, "-q")
                process.send_signal(signal.SIGKILL)
                process.communicate(timeout=TIMEOUT)
                self.assertFalse(os.path.exists(self.path("c.2")))
                self.succeed(*run, "--resume", "c", "--checkpoint", "c", "-o", "m.bb", "--force", "-q")
                self.assertEqual(self.read("m.bb"), self.read("whole.bb"))
                self.succeed(*run, "--resume", "c", "-o", "again.bb", "--force", "-q")
                self.assertEqual(self.read("again.bb"), self.read("whole.bb"))
                for m in range(3):
                    os.remove(self.path(f"c.{m}"))

    def test_finished_members_do_not_learn_again(self):
        self.succeed(*RUN, "--members", 2, "--checkpoint", "c", "-o", "2.bb", "-q")
        before = [self.json(*RUN, "--members", 2, "--resume", "c")["member_runs"] for _ in range(2)]
        for m in range(2):
            self.assertEqual(before[0][m]["history"], before[1][m]["history"])  # also the seconds
        self.train("3.bb", "--resume", "c")
        self.assertEqual(members_of(self.read("3.bb"))[:2], members_of(self.read("2.bb")))

    def test_interrupted_says_how_to_go_on(self):
        run = (*RUN[:-4], "--epochs", 200, "--members", 3)
        process = self.kill("c.1", *run, "--checkpoint", "c", "--every", 50, "-q")
        process.send_signal(signal.SIGINT)
        _, talk = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 130)
        self.assertRegex(talk.decode(), r"^bitbayes: error: interrupted in member [23] of 3; hint: go on with --resume c\n$")


@unittest.skipUnless(shutil.which("mpirun") and os.path.exists(os.path.join(os.path.dirname(BITBAYES), "libbitbayes_mpi.so")),
                     "no mpirun, or built without MPI")
class Ranks(Members):
    def run_ranks(self, ranks, *arguments):
        done = subprocess.run([*MPIRUN, str(ranks), BITBAYES, *map(str, arguments)], cwd=self.folder, timeout=TIMEOUT,
                              capture_output=True, text=True, env={**os.environ, **AS_ROOT})
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_any_number_of_ranks_gives_equal_bytes(self):
        alone = self.train("alone.bb")
        for ranks in (1, 2, 3, 5):
            result = self.run_ranks(ranks, *RUN, "--members", 3, "-o", f"{ranks}.bb", "--threads", 1, "-q", "--json")
            self.assertEqual(self.read(f"{ranks}.bb"), self.read("alone.bb"), ranks)
            for key in ("error_map", "error_mean", "nll", "evidence", "error_progressive"):
                self.assertEqual(result[key], alone[key])
            self.assertEqual([run["nll"] for run in result["member_runs"]], [run["nll"] for run in alone["member_runs"]])

    def test_checkpoints_of_some_ranks_resume_on_others(self):
        self.train("alone.bb")
        self.run_ranks(3, *RUN[:4], *RUN[4:6], "--epochs", 2, "--seed", 5, "--members", 2, "--checkpoint", "c",
                       "--threads", 1, "-q", "--json")
        self.run_ranks(2, *RUN, "--members", 3, "--resume", "c", "-o", "m.bb", "--threads", 1, "-q", "--json")
        self.assertEqual(self.read("m.bb"), self.read("alone.bb"))


@unittest.skipUnless(os.path.isdir(os.path.join(SHARED, "optdigits")), "the shared data is not here")
class Real(CliTest):
    def test_five_members_are_better_than_one(self):
        data = os.path.join(SHARED, "optdigits", "optdigits.tra.csv.gz")
        test = os.path.join(SHARED, "optdigits", "optdigits.tes.csv.gz")
        result = self.json("train", data, "--test", test, "--tree", 21, "--epochs", 2, "--evidence", 1,
                           "--members", 5, "--polish", 1, "-q")
        for key in ("error_map", "error_mean", "nll"):
            self.assertLess(result[key], min(run[key] for run in result["member_runs"]), key)


if __name__ == "__main__":
    unittest.main()
