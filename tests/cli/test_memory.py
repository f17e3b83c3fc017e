"""Forgetting: train --memory, update --memory."""

import unittest

from support import CliTest, table

UPDATE_MEMORY = 10000  # of `update`, if neither the model nor the flag says another


class Memory(CliTest):
    def memory_of(self, name):
        return self.json("info", name)["memory"]

    def test_update_keeps_what_it_was_told(self):
        self.model()
        self.assertIsNone(self.memory_of("model.bb"))
        self.assertRegex(self.succeed("info", "model.bb").stdout, r"memory +inf\n")
        for flags, memory in (((), UPDATE_MEMORY), (("--memory", 500), 500), ((), 500), (("--memory", "inf"), None),
                              ((), UPDATE_MEMORY)):
            result = self.json("update", "model.bb", "train.csv", "-o", "model.bb", "--force", *flags)
            self.assertEqual(result["memory"], memory)
            self.assertEqual(self.memory_of("model.bb"), memory)
        self.assertRegex(self.succeed("info", "model.bb").stdout, r"memory +10000 rows\n")

    def test_pieces_streams_and_threads_give_equal_bytes(self):
        self.model()
        self.table("new.csv", rows=700, seed=3)
        update = ("update", "model.bb", "new.csv", "--memory", 400, "-q", "--force")
        self.succeed(*update, "-o", "whole.bb")
        self.succeed("update", "model.bb", "new.csv", "--memory", "inf", "-q", "-o", "endless.bb")
        self.assertNotEqual(self.read("whole.bb"), self.read("endless.bb"))
        for threads in (1, 2, 5):
            self.succeed(*update, "--threads", threads, "-o", "threads.bb")
            self.assertEqual(self.read("threads.bb"), self.read("whole.bb"))
        self.succeed("update", "model.bb", "-", "--memory", 400, "-q", "-o", "stream.bb",
                     input=self.read("new.csv").decode())
        self.assertEqual(self.read("stream.bb"), self.read("whole.bb"))
        for cut in (167, 168, 169, 424):  # 600 samples were seen before: the step is at 768
            self.succeed("update", "model.bb", f"new.csv#0:{cut}", "--memory", 400, "-o", "part.bb", "--force", "-q")
            self.succeed("update", "part.bb", f"new.csv#{cut}:700", "-o", "part.bb", "--force", "-q")
            self.assertEqual(self.read("part.bb"), self.read("whole.bb"))

    def test_training_forgets_and_resumes(self):
        self.table("train.csv", rows=700)
        for network in (("--tree", 11), ("--dense", 32, "--batch", 30)):
            train = ("train", "train.csv", *network, "--evidence", 1, "-q", "--force")
            self.succeed(*train, "--epochs", 2, "--memory", 300, "-o", "whole.bb")
            self.succeed(*train, "--epochs", 2, "--memory", "inf", "-o", "endless.bb")
            self.assertEqual([self.memory_of("whole.bb"), self.memory_of("endless.bb")], [300, None])
            self.succeed(*train, "--epochs", 1, "--memory", 300, "--checkpoint", "c.bb")
            self.succeed(*train, "--epochs", 2, "--memory", 300, "--resume", "c.bb", "-o", "resumed.bb")
            self.assertEqual(self.read("resumed.bb"), self.read("whole.bb"))
            self.fail_with(2, "--memory", *train, "--epochs", 2, "--memory", 301, "--resume", "c.bb")

    def test_a_short_memory_follows_labels_that_swap(self):
        self.table("train.csv", rows=900, classes=2)
        lines = [line.rsplit(",", 1) for line in table(1500, 2, 5, 9).splitlines()]
        self.write("swapped.csv", "".join(f"{x},{1 - int(y)}\n" for x, y in lines))
        self.succeed("train", "train.csv", "--tree", 11, "--epochs", 20, "--evidence", 1, "-q", "-o", "model.bb")
        error = {}
        for memory in (300, "inf"):
            result = self.json("update", "model.bb", "swapped.csv", "--memory", memory, "-o", f"{memory}.bb")
            error[memory] = result["error_progressive"]
        self.assertLess(error[300], 0.9 * error["inf"])

    def test_wrong_values(self):
        self.model()
        update = ("update", "model.bb", "train.csv", "-o", "new.bb")
        for value in ("0", "-1", "1.5", "never", ""):
            self.fail_with(2, "--memory", *update, f"--memory={value}")
        self.succeed("train", "train.csv", "--algorithm", "backprop", "--tree", 5, "--epochs", 1, "-q", "-o", "b.bb")
        self.fail_with(2, "memory", "update", "b.bb", "train.csv", "-o", "new.bb", "--memory", 100)
        self.assertIsNone(self.json("update", "b.bb", "train.csv", "-o", "new.bb")["memory"])


if __name__ == "__main__":
    unittest.main()
