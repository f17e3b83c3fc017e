"""bitbayes predict, eval and update, on files and on streams."""

import csv
import io
import json
import os
import re
import select
import signal
import unittest

from support import TIMEOUT, CliTest

HEADER = ["label", "probability", "validity", "margin"]


class Predict(CliTest):
    def setUp(self):
        super().setUp()
        self.model()
        self.table("new.csv", rows=30, seed=5)

    def rows(self, *arguments, **options):
        text = self.succeed("predict", "model.bb", *arguments, **options).stdout
        lines = list(csv.reader(io.StringIO(text)))
        self.assertEqual(lines[0], HEADER)
        return lines[1:]

    def test_labels_are_not_needed(self):
        self.table("bare.csv", rows=30, seed=5, labels=False)
        answers = self.rows("bare.csv")
        self.assertEqual(answers, self.rows("new.csv"))
        self.assertGreater(sum(row[0] == str(k % 3) for k, row in enumerate(answers)), 24)
        for label, probability, validity, margin in answers:
            self.assertIn(label, "012")
            self.assertTrue(0.3 < float(probability) <= 1 and 0 <= float(validity) <= 1)
            self.assertGreaterEqual(float(margin), 0)

    def test_map_has_no_probability(self):
        for label, probability, validity, margin in self.rows("new.csv", "--mode", "map"):
            self.assertIn(label, "012")
            self.assertEqual(probability, "")
            self.assertIn(validity, "01")
            int(margin)

    def test_header_missing_values_and_label_column(self):
        self.table("named.csv", rows=30, seed=5, header=True, missing=0.2)
        self.assertEqual(len(self.rows("named.csv", "--label", "kind")), 30)
        self.assertEqual(len(self.rows("named.csv#0:7")), 7)
        result = self.json("eval", "model.bb", "named.csv", "--label", "kind")
        self.assertEqual(result["n"], 30)

    def test_json_and_jsonl(self):
        result = self.json("predict", "model.bb", "new.csv")
        self.assertEqual([result["n"], result["mode"], len(result["predictions"])], [30, "mean", 30])
        done = self.succeed("predict", "model.bb", "new.csv", "-o", "answers.jsonl")
        self.assertEqual(done.stdout, "")
        lines = [json.loads(line) for line in self.read("answers.jsonl").splitlines()]
        self.assertEqual(lines, result["predictions"])
        result = self.json("predict", "model.bb", "new.csv", "--mode", "map")
        self.assertIsNone(result["predictions"][0]["probability"])
        result = self.json("predict", "model.bb", "new.csv", "-o", "answers.csv")
        self.assertEqual([result["n"], result["output"]], [30, "answers.csv"])
        self.assertEqual(self.read("answers.csv").decode().splitlines()[0], ",".join(HEADER))

    def test_labels_that_need_quotes(self):
        self.table("odd.csv", names='"a ""b"", {}"')
        self.succeed("train", "odd.csv", "--tree", 5, "--epochs", 1, "-o", "odd.bb", "-q")
        text = self.succeed("predict", "odd.bb", "odd.csv").stdout
        labels = {row[0] for row in list(csv.reader(io.StringIO(text)))[1:]}
        self.assertTrue(labels <= {f'a "b", {k}' for k in range(3)}, labels)

    def test_stream_answers_at_once(self):
        expected = [",".join(row) for row in self.rows("new.csv")]
        process = self.start("predict", "model.bb", "-")
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        answers = []
        for number, line in enumerate(self.read("new.csv").splitlines(keepends=True)[:5]):
            process.stdin.write(line)
            while len(answers) < number + 2:
                ready, _, _ = select.select([process.stdout], [], [], TIMEOUT)
                self.assertTrue(ready, "no answer to a row that was sent")
                answers += os.read(process.stdout.fileno(), 65536).decode().splitlines()
        process.stdin.close()
        self.assertEqual(process.wait(TIMEOUT), 0)
        self.assertEqual(answers[1:], expected[:5])

    def test_stream_of_bad_rows(self):
        self.fail_with_rows("1,2\n")
        self.fail_with_rows("1,2,3,4,5,0\n1,2,3,4,x,0\n", lines_before=2)

    def fail_with_rows(self, text, lines_before=0):
        done = self.run_cli("predict", "model.bb", "-", input=text)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), lines_before)
        self.assertRegex(done.stderr, r"^bitbayes: error: [^\n]+\n$")

    def test_update_of_file_and_stream_are_the_same(self):
        result = self.json("update", "model.bb", "new.csv", "-o", "a.bb")
        self.assertEqual([result["n"], result["samples_seen"], result["model"]], [30, 630, "a.bb"])
        self.assertLess(result["error_progressive"], 0.3)
        self.assertNotIn("error, MAP", self.succeed("update", "model.bb", "new.csv", "-o", "c.bb").stdout)
        streamed = self.json("update", "model.bb", "-", "-o", "b.bb", input=self.read("new.csv").decode())
        self.assertEqual(streamed["error_progressive"], result["error_progressive"])
        self.assertEqual(self.read("a.bb"), self.read("b.bb"))

    def test_update_keeps_what_a_broken_stream_taught(self):
        good = self.read("new.csv").decode()
        self.succeed("update", "model.bb", "new.csv", "-o", "a.bb")
        done = self.run_cli("update", "model.bb", "-", "-o", "b.bb", "-q", input=good + "1,2,x,4,5,0\n")
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, r"^bitbayes: error: <stdin>:31: .*hint: .*; the 30 rows before are learned and in b.bb\n$")
        self.assertEqual(self.read("a.bb"), self.read("b.bb"))

    def test_update_keeps_what_an_interrupted_stream_taught(self):
        self.succeed("update", "model.bb", "new.csv", "-o", "a.bb")
        process = self.start("update", "model.bb", "-", "-o", "b.bb", "--progress", "rows")
        process.stdin.write(self.read("new.csv") + b"1,2,3")
        talk = b""
        while not re.search(rb"^ +30 ", talk, re.MULTILINE):
            ready, _, _ = select.select([process.stderr], [], [], 1)
            if not ready:
                break
            talk += os.read(process.stderr.fileno(), 65536)
        process.send_signal(signal.SIGINT)
        _, talk = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 130, talk)
        self.assertIn(b"error: interrupted; hint: the 30 rows before are learned and in b.bb", talk)
        self.assertEqual(self.read("a.bb"), self.read("b.bb"))

    def test_wrong_data_for_the_model(self):
        self.table("wide.csv", features=9)
        self.table("more.csv", classes=4)
        self.table("bare.csv", labels=False)
        self.fail_with(3, "wide.csv", "predict", "model.bb", "wide.csv")
        for command in (("eval", "model.bb"), ("update", "model.bb")):
            output = ("-o", "new.bb") if command[0] == "update" else ()
            self.fail_with(3, "wide.csv", *command, "wide.csv", *output)
            self.fail_with(3, "more.csv.*3", *command, "more.csv", *output)
            self.fail_with(3, "bare.csv.*label", *command, "bare.csv", *output)
        self.assertFalse(os.path.exists(self.path("new.bb")))


if __name__ == "__main__":
    unittest.main()
