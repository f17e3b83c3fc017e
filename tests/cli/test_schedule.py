"""train: what changes from epoch to epoch, evidence (--evidence A:B) and moved images (--augment)."""

import os
import random
import struct
import unittest

from support import CliTest

EVIDENCE = ("train", "train.csv", "--hold-out", 0.2, "--tree", 11, "--evidence", "1:10", "--epochs", 3)
MOVED = ("train", "images.idx,labels.idx", "--epochs", 3, "--augment", "shift:1")


class Schedule(CliTest):
    def images(self):
        """Three shapes on a dark ground with noise, 8 x 6 pixels."""
        draw = random.Random(1)
        lit = [{8, 9, 14, 15}, {26, 27, 32, 33}, {8, 14, 20, 26}]
        labels = bytes(r % 3 for r in range(300))
        pixels = bytes(draw.randrange(60) + 150 * (p in lit[label]) for label in labels for p in range(48))
        self.write("images.idx", struct.pack(">4B3I", 0, 0, 8, 3, 300, 8, 6) + pixels)
        self.write("labels.idx", struct.pack(">4BI", 0, 0, 8, 1, 300) + labels)

    def test_evidence_of_two_numbers(self):
        self.table("train.csv")
        rising = self.json(*EVIDENCE, "-o", "a.bb")
        self.assertEqual(rising["evidence"], "1:10")
        self.assertEqual(self.json("info", "a.bb")["evidence"], 1)
        constant = (*EVIDENCE[:-3], 2, "--epochs", 3)
        self.assertEqual(self.json(*constant, "-o", "b.bb")["evidence"], 2)
        self.json(*EVIDENCE[:-3], "2:2", "--epochs", 3, "-o", "c.bb")
        self.assertEqual(self.read("b.bb"), self.read("c.bb"))
        self.assertNotEqual(self.read("a.bb"), self.read("c.bb"))

    def test_evidence_that_is_none(self):
        self.table("train.csv")
        for text, shown in (("0:3", "'0'"), ("3:0", "'0'"), ("1:", "''"), (":1", "''"), ("1:2:3", "'2:3'"),
                            ("1:inf", "'inf'")):
            self.fail_with(2, f"--evidence: {shown} is not a number above 0", "train", "train.csv",
                           "--evidence", text)

    def test_evidence_cannot_be_spread_over_more_epochs(self):
        self.table("train.csv")
        self.succeed(*EVIDENCE, "--checkpoint", "c.bb", "--every", 333, "-o", "a.bb")
        self.fail_with(2, "--evidence 1:10 was spread over 3 epochs: .*; hint: resume with as many --epochs",
                       *EVIDENCE[:-1], 4, "--resume", "c.bb")
        self.succeed(*EVIDENCE, "--resume", "c.bb", "-o", "b.bb")
        self.assertEqual(self.read("a.bb"), self.read("b.bb"))

    def test_moved_images(self):
        self.images()
        for network in (("--tree", 11), ("--dense", 24)):
            run = (*MOVED, *network, "--force")
            self.succeed(*run, "--checkpoint", "c.bb", "--every", 400, "-o", "a.bb")
            self.succeed(*run, "--threads", 1, "-o", "b.bb")
            self.assertEqual(self.read("a.bb"), self.read("b.bb"))
            self.succeed(*run, "--resume", "c.bb", "-o", "b.bb")
            self.assertEqual(self.read("a.bb"), self.read("b.bb"))
            self.succeed(*MOVED[:-2], *network, "--force", "-o", "b.bb")
            self.assertNotEqual(self.read("a.bb"), self.read("b.bb"))
        held_out = self.json(*MOVED, "--hold-out", 0.2)
        self.assertLess(held_out["error_mean"], 0.25)
        self.json(*MOVED, "--cv", 2)
        self.json(MOVED[0], MOVED[1] + "#0:200", *MOVED[2:])

    def test_only_images_are_moved(self):
        self.table("train.csv")
        moves = ("--augment", "shift:1")
        self.fail_with(2, "--augment moves images, and train.csv holds none; hint: IDX", "train", "train.csv", *moves)
        self.write("rows.libsvm", "0 1:1 2:1\n1 2:1\n" * 20)
        self.fail_with(2, "--augment moves images", "train", "rows.libsvm", *moves)
        self.fail_with(2, "--augment moves images", "train", "teacher:3", *moves)
        self.images()
        self.fail_with(2, "--augment shift:6: the images of images.idx have 8 x 6 pixels", *MOVED[:-1], "shift:6")
        for text in ("shift:0", "shift:", "shift:x", "turn:1"):
            self.fail_with(2, f"--augment: '{text}' is not shift:N, N from 1 to 1000", *MOVED[:-1], text)
        self.assertFalse(os.path.exists(self.path("train.bb")))


if __name__ == "__main__":
    unittest.main()
