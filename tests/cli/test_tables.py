"""Tables as people have them: columns by name, words, ids, dates, notes; streams that lose nothing."""

import csv
import io
import os
import random
import select
import signal
import time
import unittest

from support import TIMEOUT, CliTest

COLORS = ["red", "green", "blue", "dark blue"]


def people(rows, seed=1):
    """Rows of two classes: two numbers, a word and a truth value carry the class, with some cells missing."""
    draw = random.Random(seed)
    result = []
    for number in range(rows):
        good = number % 2 == 0
        row = {
            "age": f"{draw.gauss(50 if good else 40, 6):.1f}",
            "income": str(int(draw.gauss(60 if good else 45, 9) * 1000)),
            "color": draw.choice(COLORS[:3] if good else COLORS[1:]),
            "member": draw.choice(["true", "true", "false"] if good else ["true", "false", "false"]),
            "risk": "good" if good else "bad",
        }
        for name in ("age", "color", "member"):
            if draw.random() < 0.05:
                row[name] = draw.choice(["", "?", "NA", "nan", "NULL", "None"])
        result.append(row)
    return result


def to_csv(rows, columns):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([row[name] for name in columns] for row in rows)
    return out.getvalue()


CLEAN = ["age", "income", "color", "member", "risk"]


def messy(rows):
    """The same rows with an unnamed index, ids, dates that differ in every row, and another order."""
    for number, row in enumerate(rows):
        row[""] = str(number)
        row["name"] = f"person {number}"
        row["seen"] = f"2024-{number // 28 % 12 + 1:02}-{number % 28 + 1:02} {number // 336:02}:00"
    return ["", "seen", "member", "income", "name", "age", "risk", "color"]


class Columns(CliTest):
    options = ("--tree", 11, "--epochs", 3)

    def setUp(self):
        super().setUp()
        self.rows = people(400)
        self.write("clean.csv", to_csv(self.rows, CLEAN))

    def answers(self, *arguments, **options):
        return list(csv.DictReader(io.StringIO(self.succeed("predict", *arguments, **options).stdout)))

    def test_a_messy_table_is_as_good_as_the_clean_one(self):
        trained = self.json("train", "clean.csv", *self.options, "--hold-out", 0.25, "-o", "clean.bb")
        self.assertEqual([trained["features"], trained["inputs"]], [4, 8 + 8 + 4 + 2 + 1])
        self.assertLess(trained["error_mean"], 0.3)
        self.write("new.csv", to_csv(people(60, seed=2), CLEAN))
        new = people(60, seed=2)
        self.write("messy_new.csv", to_csv(new, messy(new)))
        expected = self.answers("clean.bb", "new.csv", "--proba")
        got = self.answers("clean.bb", "messy_new.csv", "--proba", "--id", "name")
        self.assertEqual([row.pop("name") for row in got], [f"person {k}" for k in range(60)])
        self.assertEqual(got, expected)
        for row in got:
            self.assertAlmostEqual(float(row["p_bad"]) + float(row["p_good"]), 1, places=12)
        # A model of the messy table, its columns in the clean order, has the clean model's weights.
        order = ["", "seen", "name"] + CLEAN
        self.write("messy.csv", to_csv(self.rows if "name" in self.rows[0] else self.messed(), order))
        done = self.succeed("train", "messy.csv", *self.options, "--hold-out", 0.25, "-o", "messy.bb")
        self.assertIn('column 0 counts the rows and has no name, like the index of pandas: left out', done.stderr)
        self.assertIn('column "seen" has a different date in every row, like an id: left out', done.stderr)
        self.assertIn('column "name" has a different word in every row, like an id: left out', done.stderr)
        self.assertEqual(self.answers("messy.bb", "messy_new.csv", "--proba"), expected)
        self.assertEqual(self.answers("messy.bb", "new.csv", "--proba"), expected)

    def messed(self):
        messy(self.rows)
        return self.rows

    def test_columns_are_found_by_name(self):
        self.succeed("train", "clean.csv", *self.options, "-o", "m.bb", "-q")
        expected = self.json("eval", "m.bb", "clean.csv")
        self.write("turned.csv", to_csv(self.rows, CLEAN[::-1]))
        turned = self.json("eval", "m.bb", "turned.csv")
        self.assertEqual([turned["error_mean"], turned["nll"], turned["confusion"]],
                         [expected["error_mean"], expected["nll"], expected["confusion"]])
        self.write("dropped.csv", to_csv(self.rows, ["age", "color", "member", "risk"]))
        for command in (["eval"], ["predict"], ["update", "-o", "u.bb"]):
            name, *options = command
            self.fail_with(3, 'no column named "income"', name, "m.bb", "dropped.csv", *options)
        renamed = to_csv(self.rows, CLEAN).replace("income", "Income", 1)
        self.write("renamed.csv", renamed)
        self.fail_with(3, 'no column named "income".*is it "Income"', "eval", "m.bb", "renamed.csv")
        self.fail_with(2, 'no column named "nonsuch"', "predict", "m.bb", "clean.csv", "--label", "nonsuch")
        self.write("bare.csv", to_csv(self.rows, CLEAN[:-1]))
        self.fail_with(3, "no labels", "eval", "m.bb", "bare.csv")
        self.assertEqual(len(self.answers("m.bb", "bare.csv")), 400)
        self.write("more.csv", to_csv([{**row, "x": "1"} for row in self.rows], ["x"] + CLEAN))
        done = self.succeed("eval", "m.bb", "more.csv")
        self.assertIn('1 column unknown to the model, ignored: "x"', done.stderr)

    def test_a_model_remembers_label_and_ignored_columns(self):
        columns = ["age", "risk", "income", "color", "member"]
        self.write("risk.csv", to_csv(self.rows, columns))
        self.succeed("train", "risk.csv", *self.options, "--label", "risk", "--ignore", "color", "-o", "m.bb", "-q")
        result = self.json("eval", "m.bb", "risk.csv")
        self.assertEqual([result["features"], result["n"]], [3, 400])
        self.succeed("update", "m.bb", "risk.csv", "-o", "u.bb")
        headless = self.write("headless.csv", "".join(to_csv(self.rows, columns).splitlines(True)[1:]))
        again = self.json("eval", "m.bb", headless)
        self.assertEqual(again["confusion"], result["confusion"])
        # Without a header, by position, in the model too.
        self.succeed("train", headless, *self.options, "--header", "no", "--label", 1, "--ignore", 3,
                     "-o", "p.bb", "-q")
        self.assertEqual(self.json("eval", "p.bb", headless)["n"], 400)

    def test_weights_and_groups_are_columns(self):
        for number, row in enumerate(self.rows):
            row.update(w="1", v="3" if row["risk"] == "bad" else "0.5", user=f"user {number // 10}")
        self.write("jobs.csv", to_csv(self.rows, ["user", "w", "v"] + CLEAN))
        train = ("train", "jobs.csv", *self.options, "--force", "-q", "-o")
        self.succeed(*train, "plain.bb", "--ignore", "w,v,user")
        self.succeed(*train, "ones.bb", "--row-weight", "w", "--ignore", "v,user")
        self.assertEqual(self.read("plain.bb"), self.read("ones.bb"))
        self.succeed(*train, "weighted.bb", "--row-weight", "v", "--ignore", "w", "--id", "user")
        recall = [self.json("eval", model, "jobs.csv")["per_class"][0]["recall"] for model in ("plain.bb", "weighted.bb")]
        self.assertGreater(recall[1], recall[0])
        result = self.json("train", "jobs.csv", *self.options, "--group", "user", "--hold-out", 0.2, "--ignore", "w,v")
        self.assertEqual([result["n"] % 10, result["features"]], [0, 4])
        self.fail_with(3, 'jobs.csv:2: "true" in column "member" is no weight',
                       "train", "jobs.csv", "--row-weight", "member", "-o", "x.bb")

    def test_numbers_are_printed_in_full(self):
        self.succeed("train", "clean.csv", *self.options, "-o", "m.bb", "-q")
        result = self.json("predict", "m.bb", "clean.csv")["predictions"]
        for row, answer in zip(self.answers("m.bb", "clean.csv"), result):
            self.assertEqual([float(row["probability"]), float(row["margin"])],
                             [answer["probability"], answer["margin"]])

    def test_packed_networks_and_exports_know_columns_and_words(self):
        self.succeed("train", "clean.csv", *self.options, "-o", "m.bb", "-q")
        self.succeed("pack", "m.bb", "-o", "m.bbn", "-q")
        self.write("turned.csv", to_csv(self.rows, CLEAN[::-1]))
        wanted = [row["label"] for row in self.answers("m.bb", "clean.csv", "--mode", "map")]
        self.assertEqual([row["label"] for row in self.answers("m.bbn", "turned.csv")], wanted)
        self.write("dropped.csv", to_csv(self.rows, ["age", "color", "member", "risk"]))
        self.fail_with(3, 'no column named "income"', "predict", "m.bbn", "dropped.csv")
        result = self.json("export", "c", "m.bbn", "-o", "c", "--verify", "turned.csv")
        self.assertEqual([(v["rows"], v["differences"]) for v in result["verified"]], [(400, 0)])
        readme = self.read("c/README.md").decode()
        self.assertIn('| 2 | `"color"` | 0 = `"blue"`, 1 = `"dark blue"`, 2 = `"green"`, 3 = `"red"` |', readme)
        self.assertIn('| 0 | `"age"` | numbers |', readme)
        self.assertIn('#define BITBAYES_NET_COLUMN_NAMES {"age", ', self.read("c/bitbayes_net.h").decode())

    def test_only_thermometers_encode_words(self):
        self.fail_with(2, "--preprocess thermometer:8, or leave them out with --ignore",
                       "train", "clean.csv", "--preprocess", "center", "-o", "m.bb")

    def test_notes_name_flags(self):
        self.write("numbers.csv", "0,1,label\n" + "5,6,a\n7,8,b\n" * 20)
        self.assertIn("--header yes makes it a header", self.succeed("train", "numbers.csv", "-o", "a.bb").stderr)
        self.write("x.libsvm", "1,2,a\n3,4,b\n")
        done = self.succeed("train", "x.libsvm", "-o", "b.bb")
        self.assertIn("x.libsvm: read as CSV", done.stderr)


class Streams(CliTest):
    def setUp(self):
        super().setUp()
        self.model()
        self.table("new.csv", rows=700, seed=5)
        self.lines = self.read("new.csv").decode().splitlines(keepends=True)

    def learned(self, rows):
        """The bytes of a model that has learned so many rows."""
        self.succeed("update", "model.bb", f"new.csv#0:{rows}", "-o", "expected.bb", "--force", "-q")
        return self.read("expected.bb")

    def check_bad_row(self, bad, line, pattern):
        for at in (1, 100, 599):
            text = "".join(self.lines[:at]) + bad + "\n" + "".join(self.lines[at:])
            done = self.run_cli("update", "model.bb", "-", "-o", "b.bb", "-q", "--force", input=text)
            self.assertEqual(done.returncode, 3)
            self.assertRegex(done.stderr, rf"<stdin>:{at + 1}\b.*{pattern}.*the {at} rows before are learned")
            self.assertEqual(self.read("b.bb"), self.learned(at))

    def test_rows_before_a_bad_one_are_learned_and_no_others(self):
        self.check_bad_row("1,2,3,4,5,zebra", 1, 'class "zebra" is unknown')
        self.check_bad_row("1,2,3,4,x,0", 1, '"x" in column 4')
        self.check_bad_row("1,2,3,4,0", 1, "5 cells")

    def test_huge_values(self):
        self.succeed("train", "train.csv", "--preprocess", "center", "-o", "model.bb", "--tree", 11,
                     "--epochs", 1, "-q", "--force")
        self.check_bad_row("1,2,1e30,4,5,0", 1, "beyond 1e15")

    def test_regular_saves(self):
        process = self.start("update", "model.bb", "-", "-o", "b.bb", "--every", 100)
        process.stdin.write("".join(self.lines[:250]).encode())
        talk = b""
        while b"200 rows learned and saved" not in talk:
            ready, _, _ = select.select([process.stderr], [], [], TIMEOUT)
            self.assertTrue(ready, talk)
            talk += os.read(process.stderr.fileno(), 65536)
        process.kill()
        process.communicate()
        self.assertEqual(self.read("b.bb"), self.learned(200))
        process = self.start("update", "model.bb", "-", "-o", "c.bb", "--every-seconds", 0.01)
        for line in self.lines[:3]:
            process.stdin.write(line.encode())
            time.sleep(0.05)
        _, talk = process.communicate(timeout=TIMEOUT)
        self.assertIn(b"rows learned and saved", talk)
        self.fail_with(2, "streams", "update", "model.bb", "new.csv", "-o", "d.bb", "--every", 5)

    def test_new_classes(self):
        self.table("more.csv", rows=400, classes=4, seed=7)
        hint = "hint: it was trained on 0, 1, 2; --new-classes learns other classes too"
        self.fail_with(3, f'class "3" is unknown to the model; {hint}\n', "update", "model.bb", "more.csv", "-o", "u.bb")
        text = self.read("more.csv").decode()
        stopped = self.fail_with(3, f"; {hint}; the 3 rows before are learned and in u.bb\n", "update", "model.bb", "-",
                                 "-o", "u.bb", input=text)
        self.assertEqual(stopped.stderr.count("hint: "), 1)
        os.remove(self.path("u.bb"))
        result = self.json("update", "model.bb", "more.csv", "-o", "u.bb", "--new-classes")
        self.assertEqual(result["class_names"], ["0", "1", "2", "3"])
        done = self.succeed("update", "model.bb", "-", "-o", "s.bb", "--new-classes", input=text)
        self.assertEqual(done.stderr.count('"3" is a new class'), 1)
        self.assertEqual(done.stderr.count("answers for all classes are unreliable"), 1)
        self.assertEqual(self.read("u.bb"), self.read("s.bb"))
        self.assertLess(self.json("eval", "u.bb", "more.csv")["error_mean"], 0.2)

    def test_notes_say_what_an_update_changes(self):
        notes = ("what the model learned fades over 10000 rows", "learning drops what polishing found")
        def said(*arguments):
            talk = self.succeed("update", *arguments, "--force").stderr
            return tuple(talk.count(note) for note in notes)
        self.assertEqual(said("model.bb", "new.csv", "-o", "a.bb"), (1, 1))
        self.assertEqual(said("a.bb", "new.csv", "-o", "b.bb"), (0, 0))
        self.assertEqual(said("model.bb", "new.csv", "-o", "b.bb", "--memory", 500), (0, 1))
        self.assertEqual(self.succeed("update", "model.bb", "new.csv", "-o", "b.bb", "-q", "--force").stderr, "")

    def test_predict_answers_what_came_before_an_interrupt(self):
        for sent in (signal.SIGINT, signal.SIGTERM):
            process = self.start("predict", "model.bb", "-", "-o", f"{sent}.csv")
            process.stdin.write("".join(self.lines[:50]).encode() + self.lines[50][:-3].encode())
            time.sleep(0.5)
            process.send_signal(sent)
            _, talk = process.communicate(timeout=TIMEOUT)
            self.assertEqual(process.returncode, 130, talk)
            self.assertEqual(len(self.read(f"{sent}.csv").splitlines()), 51)

    def test_first_lines_are_treated_alike(self):
        for first in ("O.1,10,-5,3,2,0\n", "a,b,c,d,e,f\n", "0.1,10,-5,3,2,0\n"):
            text = first + "".join(self.lines[:3])
            self.write("first.csv", text)
            from_file = self.run_cli("predict", "model.bb", "first.csv")
            streamed = self.run_cli("predict", "model.bb", "-", input=text)
            self.assertEqual([streamed.returncode, streamed.stdout, streamed.stderr.replace("<stdin>", "first.csv")],
                             [from_file.returncode, from_file.stdout, from_file.stderr])


if __name__ == "__main__":
    unittest.main()
