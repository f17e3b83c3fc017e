"""Outputs that exist or cannot be written, and damaged model files."""

import os
import resource
import unittest

from support import CliTest


class Files(CliTest):
    def test_existing_outputs_need_force(self):
        self.model()
        old = self.read("model.bb")
        for arguments in (("train", "train.csv", "-o", "model.bb"),
                          ("train", "train.csv", "--checkpoint", "model.bb"),
                          ("train", "train.csv", "--metrics", "model.bb"),
                          ("update", "model.bb", "train.csv", "-o", "model.bb"),
                          ("predict", "model.bb", "train.csv", "-o", "model.bb")):
            with self.subTest(arguments):
                self.fail_with(6, "model.bb: exists already; hint: --force", *arguments)
        self.assertEqual(self.read("model.bb"), old)
        self.succeed("update", "model.bb", "train.csv", "-o", "model.bb", "--force")
        self.assertNotEqual(self.read("model.bb"), old)

    def test_outputs_are_checked_before_the_data(self):
        self.write("m.bb", "")
        self.fail_with(6, "m.bb", "train", "absent.csv", "-o", "m.bb")
        self.fail_with(6, "nowhere/m.bb", "train", "absent.csv", "-o", "nowhere/m.bb")
        self.fail_with(6, "folder", "train", "absent.csv", "-o", self.folder)

    def test_disk_full_leaves_the_old_file(self):
        self.model()
        old, files = self.read("model.bb"), sorted(os.listdir(self.folder))
        limit = len(old) // 2
        small = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))}
        arguments = ("train", "train.csv", "--tree", 11, "--epochs", 1, "--force")
        self.fail_with(6, "model.bb: ", *arguments, "-o", "model.bb", **small)
        self.fail_with(6, "model.bb: ", *arguments, "--checkpoint", "model.bb", **small)
        self.fail_with(6, "model.bb: ", "update", "model.bb", "train.csv", "-o", "model.bb", "--force", **small)
        self.assertEqual(self.read("model.bb"), old)
        self.assertEqual(sorted(os.listdir(self.folder)), files)

    def test_damaged_models(self):
        self.model()
        good = self.read("model.bb")
        flipped = bytearray(good)
        flipped[len(good) // 2] ^= 1
        damaged = {"cut": good[:-1], "empty": b"", "flipped": bytes(flipped), "longer": good + b"\0",
                   "header": (1 << 60).to_bytes(8, "little") + good[8:], "text": b"1,2,3\n" * 10}
        for name, content in damaged.items():
            self.write(name, content)
            for command in (("info", name), ("eval", name, "train.csv"), ("predict", name, "train.csv"),
                            ("update", name, "train.csv", "-o", "new.bb"),
                            ("train", "train.csv", "--resume", name)):
                with self.subTest(command):
                    self.fail_with(4, name, *command)
        self.fail_with(6, "absent.bb", "info", "absent.bb")


if __name__ == "__main__":
    unittest.main()
