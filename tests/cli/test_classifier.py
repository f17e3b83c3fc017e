"""What people ask of a classifier: a first run, figures per class, weights, folds, columns, suggestions."""

import os
import random
import signal
import time
import unittest

from support import TIMEOUT, CliTest


class FirstRun(CliTest):
    def test_data_alone_tests_on_a_fifth_and_keeps_the_model(self):
        os.mkdir(self.path("in"))
        self.table("in/flowers.csv", header=True)
        done = self.succeed("train", "in/flowers.csv", "--epochs", 2, "--tree", 7, "--progress", "none")
        self.assertEqual(self.json("info", "flowers.bb")["samples_seen"], 2 * 240)
        self.assertRegex(done.stdout, r"error, mean +\d")
        self.assertRegex(done.stdout, r"\ntruth +0 +1 +2 ")
        self.assertEqual(len(done.stderr.splitlines()), 7, done.stderr)
        for pattern in ("240 rows, 5 features, 3 classes", "60 more rows are held out", "preprocess thermometer:8: ",
                        "7 hidden neurons per class.*2 epochs", r"evidence \S+, of .*NLL", "bitbayes predict flowers.bb NEW.csv"):
            self.assertRegex(done.stderr, pattern)
        self.fail_with(6, "flowers.bb.*--force", "train", "in/flowers.csv")
        self.fail_with(6, "flowers.bb.*--force", "train", "flowers.csv")  # before the data is looked for
        self.assertEqual(self.succeed("train", "in/flowers.csv", "--epochs", 1, "--tree", 3, "--force", "-q").stderr, "")

    def test_names_of_models(self):
        text = self.table("train.csv") and self.read("train.csv")
        quick = ("--epochs", 1, "--tree", 3, "-q")
        self.write("a.b.csv", text)
        self.write("plain", text)
        self.succeed("train", "a.b.csv#0:200", *quick)
        self.succeed("train", "./plain", *quick, "--format", "csv")
        self.succeed("train", "-", *quick, input=text.decode())
        self.succeed("train", "teacher:3", *quick)
        self.assertLessEqual({"a.b.bb", "plain.bb", "stdin.bb", "teacher-3.bb"}, set(os.listdir(self.folder)))
        self.assertEqual(self.json("info", "teacher-3.bb")["samples_seen"] % 1000, 0)  # its own test split

    def test_any_of_the_flags_leaves_things_as_they_were(self):
        self.table("train.csv")
        for flags in (["--json"], ["--hold-out", 0.5], ["--cv", 2], ["--metrics", "m.jsonl"],
                      ["--checkpoint", "c.bb"], ["--test", "train.csv"]):
            self.succeed("train", "train.csv", "--epochs", 1, "--tree", 3, "-q", *flags)
        self.assertNotIn("train.bb", os.listdir(self.folder))

    def test_suggestions(self):
        for word, meant in {"--epoch": "--epochs", "--sede": "--seed", "--holdout": "--hold-out",
                            "--class-wieght=balanced": "--class-weight"}.items():
            self.fail_with(2, rf"did you mean {meant}\? see bitbayes train", "train", "a.csv", word, "5")
        self.fail_with(2, r"'--banana' is not an option; hint: see bitbayes train", "train", "a.csv", "--banana")
        self.fail_with(2, r"did you mean predict\?", "predcit", "a.bb")


class PerClass(CliTest):
    def test_figures_of_models_and_packed_networks(self):
        self.model()
        result = self.json("eval", "model.bb", "train.csv")
        self.assertEqual([list(entry) for entry in result["per_class"]],
                         [["class", "n", "precision", "recall", "f1", "auc"]] * 3)
        confusion = result["confusion"]
        for k, entry in enumerate(result["per_class"]):
            self.assertEqual([entry["class"], entry["n"]], [str(k), 100])
            self.assertAlmostEqual(entry["recall"], confusion[k][k] / 100)
            self.assertAlmostEqual(entry["precision"], confusion[k][k] / sum(row[k] for row in confusion))
            self.assertGreater(entry["auc"], 0.95)
        self.assertAlmostEqual(result["macro"]["f1"], sum(entry["f1"] for entry in result["per_class"]) / 3)
        self.assertRegex(self.succeed("eval", "model.bb", "train.csv").stdout, r"\nclass +rows +precision")

        self.succeed("pack", "model.bb", "-o", "model.bbn", "-q")
        packed = self.json("eval", "model.bbn", "train.csv")
        self.assertAlmostEqual(packed["per_class"][1]["recall"], packed["confusion"][1][1] / 100)
        self.assertIsNone(packed["macro"]["auc"])

    def test_a_class_without_rows_is_null(self):
        self.model()
        lines = self.read("train.csv").decode().splitlines(keepends=True)
        self.write("two.csv", "".join(line for line in lines if not line.endswith(",1\n")))
        entry = self.json("eval", "model.bb", "two.csv")["per_class"][1]
        self.assertEqual(list(entry.values()), ["1", 0, None, None, None, None])


class Weights(CliTest):
    def imbalanced(self, name, seed):
        draw = random.Random(seed)
        lines = [",".join([f"{draw.gauss(1.5 * (r % 50 == 0), 1):.3f}" for _ in range(2)] + ["rare" if r % 50 == 0 else "common"])
                 for r in range(2000)]
        return self.write(name, "\n".join(lines) + "\n")

    def recall(self, *options):
        self.succeed("train", "train.csv", "--tree", 15, "--epochs", 5, "-o", "m.bb", "--force", "-q", *options)
        return self.json("eval", "m.bb", "test.csv")["per_class"][1]["recall"]

    def test_class_weights_raise_the_recall_of_a_rare_class(self):
        self.imbalanced("train.csv", 1)
        self.imbalanced("test.csv", 2)
        plain = self.recall()
        self.assertGreater(self.recall("--class-weight", "balanced"), plain + 0.2)
        lines = self.read("m.bb")
        self.write("w.csv", "class,weight\nrare,25\n\"common\",0.5102040816\n")
        self.assertGreater(self.recall("--class-weight", "w.csv"), plain + 0.2)
        self.write("w.json", '{"rare": 25}')
        self.assertGreater(self.recall("--class-weight", "w.json"), plain + 0.2)
        self.assertNotEqual(lines, self.read("m.bb"))

    def test_bad_class_weights(self):
        self.table("train.csv")
        train = ("train", "train.csv", "-o", "m.bb", "--class-weight")
        self.fail_with(6, "absent.csv.*--class-weight", *train, "absent.csv")
        for text, pattern in {"0,1\nx\n": r"w:2: ", "7,1\n": 'class "7"', "0,-1\n": "weight of -1", "{": "JSON object",
                              '{"0": "a"}': "not a number", "0,1e10\n": "0 to 1e9"}.items():
            with self.subTest(text):
                self.write("w", text)
                self.fail_with(3, pattern, *train, "w")

    def test_columns_that_only_csv_has(self):
        self.write("a.libsvm", "1 1:1\n2 2:1\n" * 20)
        self.fail_with(2, "--group.*CSV", "train", "a.libsvm", "--group", "x")
        self.fail_with(2, "--row-weight.*CSV", "train", "a.libsvm", "--row-weight", "x")


class CrossValidation(CliTest):
    def test_figures(self):
        self.table("train.csv")
        options = ("train", "train.csv", "--epochs", 1, "--tree", 5, "--cv", 4)
        cv = self.json(*options)["cv"]
        self.assertEqual([cv["folds"], cv["untested"]], [4, 0])
        for key in ("error_map", "error_mean", "nll", "brier", "ece", "validity"):
            values = cv[key]["values"]
            self.assertEqual(len(values), 4)
            mean = sum(values) / 4
            self.assertAlmostEqual(cv[key]["mean"], mean)
            self.assertAlmostEqual(cv[key]["std"], (sum((v - mean) ** 2 for v in values) / 3) ** 0.5)
        self.assertEqual(os.listdir(self.folder), ["train.csv"])
        table = self.succeed(*options, "-q").stdout.splitlines()
        self.assertEqual([line.split()[0] for line in table], "fold 1 2 3 4 mean std".split())
        self.assertEqual(self.json(*options, "--threads", 1)["cv"], cv)
        self.assertNotEqual(self.json(*options, "--seed", 2)["cv"], cv)

        kept = self.json(*options, "-o", "m.bb")
        self.assertEqual([kept["cv"], kept["model"], kept["n"], kept["samples_seen"]], [cv, "m.bb", 300, 300])
        self.succeed("train", "train.csv", "--epochs", 1, "--tree", 5, "-o", "plain.bb", "-q")
        self.assertEqual(self.read("m.bb"), self.read("plain.bb"))

    def test_contradictions(self):
        self.table("train.csv")
        for other in (["--test", "train.csv"], ["--hold-out", "0.2"], ["--checkpoint", "c"], ["--resume", "c"],
                      ["--metrics", "m"]):
            self.fail_with(2, f"--cv.*{other[0]}|{other[0]}.*--cv", "train", "train.csv", "--cv", 3, *other)
        self.fail_with(2, "test split", "train", "teacher:3", "--cv", 3)
        self.fail_with(2, "--cv: '1'", "train", "train.csv", "--cv", 1)
        self.fail_with(2, "301 folds", "train", "train.csv", "--cv", 301)

    def test_interrupt(self):
        self.table("train.csv", rows=3000, features=20)
        process = self.start("train", "train.csv", "--cv", 5, "--epochs", 1000, "--progress", "bar")
        end = time.monotonic() + TIMEOUT
        talk = b""
        while b"epoch 1/" not in talk and time.monotonic() < end:
            talk += process.stderr.read(1)
        process.send_signal(signal.SIGINT)
        out, talk = process.communicate(timeout=TIMEOUT)
        self.assertEqual([process.returncode, out], [130, b""])
        self.assertIn(b"interrupted in fold 1 of 5", talk)


class Columns(CliTest):
    def test_columns_that_carry_the_label_come_first(self):
        draw = random.Random(1)
        lines = ["a,b,c,d,e,kind"]
        for _ in range(1000):
            row = [draw.gauss(0, 1) for _ in range(4)] + [7]
            lines.append(",".join(f"{x:.3f}" for x in row) + f",{int(2 * row[2] + row[1] > 0)}")
        self.write("train.csv", "\n".join(lines) + "\n")
        self.succeed("train", "train.csv", "--epochs", 3, "--tree", 21, "-o", "m.bb", "-q")
        columns = self.json("info", "m.bb", "--columns")["columns"]
        self.assertEqual([list(column) for column in columns], [["name", "index", "kind", "inputs", "importance"]] * 5)
        self.assertEqual([column["name"] for column in columns[:2]], ["c", "b"])
        self.assertEqual([columns[0]["index"], columns[0]["inputs"], columns[0]["kind"]], [2, 8, "numbers"])
        self.assertGreater(columns[1]["importance"], 5 * columns[2]["importance"])
        self.assertEqual([columns[-1][key] for key in ("name", "kind", "inputs", "importance")], ["e", "constant", 0, 0])
        self.assertAlmostEqual(sum(column["importance"] for column in columns), 1)
        self.assertNotIn("columns", self.json("info", "m.bb"))
        table = self.succeed("info", "m.bb", "--columns").stdout
        self.assertRegex(table, r"\n +importance +kind +inputs +column\n +\d+\.\d\d % +numbers +8  c\n")
        self.succeed("pack", "m.bb", "-o", "m.bbn", "-q")
        self.fail_with(2, "--columns", "info", "m.bbn", "--columns")

    def test_columns_without_names(self):
        self.write("t.csv", "".join(f"{r % 2},{r % 2}.{r},{r % 7}\n" for r in range(40)))
        self.write("t.svm", "".join(f"{r % 2} 1:{r % 2}.{r} 2:{r % 7 + 1}\n" for r in range(40)))
        command = ("train", "-o", "m.bb", "--force", "--tree", 3, "--evidence", 1, "-q")
        for arguments, heading, columns in ((("t.csv", "--label", "first"), "column (from 0)", "12"),
                                            (("t.svm",), "column (from 0; LIBSVM counts from 1)", "01")):
            self.succeed(*command, *arguments)
            rows = self.succeed("info", "m.bb", "--columns").stdout.splitlines()
            self.assertTrue(rows[-3].endswith("  " + heading), rows)
            self.assertEqual({row.split()[-1] for row in rows[-2:]}, set(columns))


if __name__ == "__main__":
    unittest.main()
