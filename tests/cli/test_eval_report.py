"""bitbayes eval --report: the page, its figures, its JSON, and unknown rows."""

import json
import os
import random
import re
import sys
import unittest
import xml.etree.ElementTree as xml

from support import CliTest

KEYS = ["rows", "error_map", "error_mean", "nll", "brier", "ece", "validity", "aurc", "auroc_errors",
        "reliability", "risk_coverage", "confusion", "ood"]


def noise(rows, features):
    """Rows far from every class, without labels."""
    draw = random.Random(5)
    return "".join(",".join(f"{draw.choice((-8, 8)) + draw.random():.3f}" for _ in range(features)) + "\n"
                   for _ in range(rows))


class ReportTest(CliTest):
    def prepare(self, classes=3, *options):
        self.table("train.csv", classes=classes)
        self.table("test.csv", classes=classes, seed=2)
        self.write("noise.csv", noise(200, 5))
        self.succeed("train", "train.csv", "-o", "model.bb", "--tree", 11, "--epochs", 2, "-q", *options)

    def report(self, *arguments):
        result = self.json("eval", "model.bb", "test.csv", "--report", "out", *arguments)
        self.assertEqual(result["report"], "out")
        report = json.loads(self.read("out/report.json"))
        self.assertEqual(list(report), KEYS)
        for key in ("error_map", "error_mean", "nll", "brier", "ece", "validity"):
            self.assertEqual(report[key], result[key])
        self.assertEqual(report["rows"], result["n"])
        return report

    def check_files(self, figures):
        expected = {"index.html", "index.md", "report.json"}
        expected |= {f"{figure}.{ending}" for figure in figures for ending in ("svg", "csv")}
        self.assertEqual(set(os.listdir(self.path("out"))), expected)
        for figure in figures:
            xml.fromstring(self.read(f"out/{figure}.svg"))
        page = self.read("out/index.html").decode()
        self.assertEqual(re.findall(r'<figure id="([^"]+)"', page), figures)
        self.assertIsNone(re.search(r"\bnan\b", page))
        self.browse(figures)
        return page

    def browse(self, figures):
        sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "report"))
        import browser  # pylint: disable=import-outside-toplevel
        if browser.find() is None:
            print("no chromium here: the page was not opened in a browser", file=sys.stderr)
            return
        with browser.Browser() as opened:
            for width, scheme in ((1200, "light"), (390, "dark")):
                self.assertEqual(list(browser.faults(opened, self.path("out/index.html"), figures, width, scheme)), [])


class Report(ReportTest):
    def test_known_and_unknown_rows(self):
        self.prepare()
        report = self.report("--ood", "noise.csv")
        answers = self.json("predict", "model.bb", "test.csv")["predictions"]
        truth = [line.split(",")[-1] for line in self.read("test.csv").decode().split()]
        rows = [(answer["probability"], answer["label"] == label) for answer, label in zip(answers, truth)]
        right = [p for p, correct in rows if correct]
        wrong = [p for p, correct in rows if not correct]
        self.assertTrue(right and wrong)
        self.assertAlmostEqual(report["auroc_errors"], self.share_above(right, wrong))
        self.check_bins(report["reliability"], rows)
        self.check_curve(report, rows)
        confusion = {(entry["truth"], entry["answer"]): entry["rows"] for entry in report["confusion"]}
        self.assertEqual(sum(confusion.values()), 300)
        self.assertEqual(sum(n for pair, n in confusion.items() if pair[0] == pair[1]), len(right))

        unknown = self.json("predict", "model.bb", "noise.csv")["predictions"]
        self.assertEqual(list(report["ood"]), ["name", "rows", "auroc_validity", "auroc_confidence"])
        self.assertEqual([report["ood"]["name"], report["ood"]["rows"]], ["noise.csv", 200])
        for key, field in (("auroc_validity", "validity"), ("auroc_confidence", "probability")):
            known = [answer[field] for answer in answers]
            self.assertAlmostEqual(report["ood"][key], self.share_above(known, [a[field] for a in unknown]))
        self.assertGreater(report["ood"]["auroc_validity"], 0.6)
        self.check_files(["reliability", "risk-coverage", "unknown"])

    @staticmethod
    def share_above(high, low):
        return sum((a > b) + (a == b) / 2 for a in high for b in low) / (len(high) * len(low))

    def check_bins(self, bins, rows):
        self.assertEqual(len(bins), 15)
        self.assertEqual(sum(b["rows"] for b in bins), 300)
        for b in bins:
            inside = [row for row in rows if b["low"] <= row[0] < b["high"] or row[0] == b["high"] == 1]
            self.assertEqual(b["rows"], len(inside))
            if inside:
                self.assertAlmostEqual(b["confidence"], sum(p for p, _ in inside) / len(inside))
                self.assertAlmostEqual(b["accuracy"], sum(correct for _, correct in inside) / len(inside))
            else:
                self.assertEqual([b["confidence"], b["accuracy"]], [None, None])

    def check_curve(self, report, rows):
        curve = report["risk_coverage"]
        self.assertEqual(len(curve), 100)
        self.assertEqual(curve[-1]["coverage"], 1)
        self.assertAlmostEqual(curve[-1]["risk"], report["error_mean"])
        order = sorted(rows, reverse=True)  # no ties here
        self.assertAlmostEqual(curve[32]["risk"], sum(not correct for _, correct in order[:99]) / 99)
        risks = [sum(not correct for _, correct in order[:k]) / k for k in range(1, 301)]
        self.assertAlmostEqual(report["aurc"], sum(risks) / 300)

    def test_unknown_rows_with_labels_of_their_own(self):
        self.prepare()
        self.table("other.csv", names="x{}", seed=3)
        self.assertEqual(self.report("--ood", "other.csv")["ood"]["rows"], 300)

    def test_without_unknown_rows_and_without_errors(self):
        self.prepare(classes=2)
        lines = self.read("test.csv").decode().splitlines(keepends=True)
        labels = [answer["label"] for answer in self.json("predict", "model.bb", "test.csv")["predictions"]]
        self.write("test.csv", "".join(f"{line[:line.rindex(',')]},{label}\n" for line, label in zip(lines, labels)))
        report = self.report()
        self.assertIsNone(report["ood"])
        self.assertIsNone(report["auroc_errors"])
        self.assertEqual(report["aurc"], 0)
        self.assertIn("there is only one kind", self.check_files(["reliability", "risk-coverage"]))

    def test_two_classes_have_no_validity(self):
        self.prepare(classes=2)
        ood = self.report("--ood", "noise.csv")["ood"]
        self.assertIsNone(ood["auroc_validity"])
        self.assertTrue(0 <= ood["auroc_confidence"] <= 1)
        self.assertIn("validity is always 1", ood["note"])
        self.assertIn(ood["note"], self.check_files(["reliability", "risk-coverage", "unknown"]))

    def test_backprop_has_no_probabilities(self):
        self.prepare(3, "--algorithm", "backprop")
        report = self.report("--ood", "noise.csv")
        for key in ("nll", "aurc", "auroc_errors", "reliability", "risk_coverage"):
            self.assertIsNone(report[key])
        self.assertIsNone(report["ood"]["auroc_confidence"])
        self.assertTrue(0 <= report["ood"]["auroc_validity"] <= 1)
        self.assertIn("BackProp has no probabilities", self.check_files(["unknown"]))

    def test_many_classes_list_the_most_frequent_confusions(self):
        self.prepare(classes=35)
        report = self.report()
        page = self.check_files(["reliability", "risk-coverage"])
        most = max(entry["rows"] for entry in report["confusion"] if entry["truth"] != entry["answer"])
        first = re.search(r"<th[^>]*>rows</th></tr></thead>\s*<tbody>\s*<tr>(.*?)</tr>", page)[1]
        self.assertEqual(re.findall(r">(\d+)</td>", first)[-1], str(most))


class Refusals(ReportTest):
    def test_a_folder_that_is_not_empty(self):
        self.prepare()
        arguments = ("eval", "model.bb", "test.csv", "--report")
        self.write("file", "x")
        self.fail_with(6, "file: not a folder", *arguments, "file")
        self.fail_with(6, "not a folder", *arguments, "file", "--force")
        os.mkdir(self.path("out"))
        self.report()  # an empty one
        self.write("out/mine.txt", "mine")
        self.fail_with(6, "out: not empty; hint: .*--force", *arguments, "out")
        self.fail_with(6, "out: not empty", "eval", "no.bb", "no.csv", "--report", "out")  # before any work
        self.report("--force")
        self.assertEqual(self.read("out/mine.txt"), b"mine")

    def test_wrong_inputs(self):
        self.prepare()
        self.succeed("pack", "model.bb", "-o", "model.bbn", "-q")
        self.fail_with(2, "no probabilities; hint: --report needs the model", "eval", "model.bbn", "test.csv",
                       "--report", "out")
        self.fail_with(2, "--ood.*--report", "eval", "model.bb", "test.csv", "--ood", "noise.csv")
        self.write("narrow.csv", noise(10, 3))
        self.fail_with(3, "narrow.csv", "eval", "model.bb", "test.csv", "--report", "out", "--ood", "narrow.csv")
        self.fail_with(6, "none.csv", "eval", "model.bb", "test.csv", "--report", "out", "--ood", "none.csv")
        self.assertFalse(os.path.exists(self.path("out")))

    def test_an_input_is_not_replaced(self):
        self.prepare()
        os.mkdir(self.path("out"))
        os.rename(self.path("noise.csv"), self.path("out/unknown.csv"))
        self.fail_with(2, "would replace an input", "eval", "model.bb", "test.csv", "--report", "out", "--force",
                       "--ood", "out/unknown.csv")
        self.assertEqual(os.listdir(self.path("out")), ["unknown.csv"])

    def test_class_names_that_are_no_text(self):
        self.prepare(3)
        text = self.read("train.csv").replace(b",1\n", b",<b>\xff`\n")
        self.write("test.csv", text)
        self.succeed("train", "test.csv", "-o", "model.bb", "--tree", 3, "--epochs", 1, "-q", "--force")
        self.succeed("eval", "model.bb", "test.csv", "--report", "out")
        json.loads(self.read("out/report.json"))
        self.assertNotIn(b"<b>", self.read("out/index.html"))


if __name__ == "__main__":
    unittest.main()
