"""Outputs that exist or cannot be written, and damaged model files."""

import os
import resource
import time
import unittest

from support import CliTest


class Files(CliTest):
    def test_existing_outputs_need_force(self):
        self.model()
        old = self.read("model.bb")
        for arguments in (("train", "train.csv", "-o", "model.bb"),
                          ("train", "train.csv", "--checkpoint", "model.bb"),
                          ("train", "train.csv", "--metrics", "model.bb"),
                          ("update", "model.bb", "train.csv", "-o", "model.bb")):
            with self.subTest(arguments):
                self.fail_with(6, "model.bb: exists already; hint: --force", *arguments)
        self.assertEqual(self.read("model.bb"), old)
        self.succeed("update", "model.bb", "train.csv", "-o", "model.bb", "--force")
        self.assertNotEqual(self.read("model.bb"), old)

    def test_an_output_is_not_an_input(self):
        self.model()
        self.succeed("pack", "model.bb", "-o", "net.bbn", "-q")
        self.succeed("train", "train.csv", "--tree", 3, "--epochs", 1, "--checkpoint", "c.bb", "-q")
        os.symlink("train.csv", self.path("link.csv"))
        os.link(self.path("train.csv"), self.path("hard.csv"))
        os.mkdir(self.path("idx"))
        for part in ("images", "labels"):
            self.write(f"idx/train-{part}-idx-ubyte", "")
        before = {name: self.read(name) for name in ("train.csv", "model.bb", "net.bbn", "c.bb")}
        train = ("train", "train.csv", "--tree", 3, "--epochs", 1)
        for arguments in ((*train, "-o", "train.csv"), (*train, "-o", "./train.csv"),
                          (*train, "--metrics", "link.csv"), (*train, "--checkpoint", "hard.csv"),
                          (*train, "-o", self.path("idx/../train.csv")),
                          ("train", "link.csv#0:100", "-o", "train.csv"),
                          ("train", "absent.csv", "-o", "./absent.csv"),
                          ("train", "idx", "-o", "idx/train-labels-idx-ubyte"),
                          ("train", "a.idx,b.idx", "-o", "b.idx"),
                          (*train, "--test", "hard.csv", "-o", "hard.csv"),
                          (*train, "--resume", "c.bb", "-o", "c.bb"),
                          (*train, "--resume", "c.bb", "--metrics", "./c.bb"),
                          ("update", "model.bb", "train.csv", "-o", "hard.csv"),
                          ("predict", "model.bb", "train.csv", "-o", "link.csv"),
                          ("predict", "model.bb", "train.csv", "-o", "./model.bb"),
                          ("predict", "net.bbn", "train.csv", "-o", "net.bbn"),
                          ("pack", "model.bb", "-o", "./model.bb"),
                          ("pack", "model.bb", "--data", "train.csv", "-o", "train.csv")):
            with self.subTest(arguments):
                self.fail_with(2, "would replace an input", *arguments, "--force")
                self.fail_with(2, "would replace an input", *arguments)
        with open(self.path("train.csv")) as rows:
            self.fail_with(2, "would replace an input", "predict", "model.bb", "-", "-o", "train.csv",
                           "--force", stdin=rows)
        os.mkdir(self.path("out"))
        os.link(self.path("net.bbn"), self.path("out/README.md"))
        self.fail_with(2, "would replace an input", "export", "c", "net.bbn", "-o", "out", "--force")
        self.assertEqual({name: self.read(name) for name in before}, before)
        self.succeed(*train, "--resume", "c.bb", "--checkpoint", "./c.bb", "-q")

    def test_outputs_differ_from_each_other(self):
        self.table("train.csv")
        os.symlink("x.bb", self.path("link.bb"))
        for other in ("./x.bb", self.path("x.bb"), "link.bb"):
            self.fail_with(2, "two different outputs", "train", "train.csv", "-o", "x.bb", "--checkpoint", other)
        self.assertEqual(sorted(os.listdir(self.folder)), ["link.bb", "train.csv"])

    def test_a_file_that_appears_meanwhile_stays(self):
        self.model()
        for output in ("-o", "--checkpoint", "--metrics"):
            self.fifo("rows.csv")
            run = self.start("train", "rows.csv", "--tree", 3, "--epochs", 2, output, "m", "-q")
            with open(self.path("rows.csv"), "wb") as rows:  # waits until the run reads
                self.write("m", "theirs")
                rows.write(self.read("train.csv"))
            _, talk = run.communicate(timeout=self.timeout)
            self.assertEqual(run.returncode, 6, talk)
            self.assertRegex(talk.decode(), r"^bitbayes: error: m: exists already: it stays.*--force.*\n$")
            self.assertEqual(self.read("m"), b"theirs")
            os.remove(self.path("m"))
        for command in (("predict", "model.bb", "-"), ("update", "model.bb", "-")):
            run = self.start(*command, "-o", "m", "-q")
            time.sleep(0.3)
            self.write("m", "theirs")
            _, talk = run.communicate(self.read("train.csv"), timeout=self.timeout)
            self.assertEqual(run.returncode, 6, talk)
            self.assertEqual(self.read("m"), b"theirs")
            os.remove(self.path("m"))

    def fifo(self, name):
        if os.path.exists(self.path(name)):
            os.remove(self.path(name))
        os.mkfifo(self.path(name))

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
