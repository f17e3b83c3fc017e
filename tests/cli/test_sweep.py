"""bitbayes sweep: configs and their errors, results, restarts."""

import json
import os
import re
import shutil
import unittest

from sweep_support import SweepTest

EXAMPLE = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "sweep", "sweep.toml")

SMALL = """
data = "data.csv"
[options]
epochs = 2
evidence = 1
[grid]
tree = [3, 5]
seed = [1, 2]
"""


class Configs(SweepTest):
    def refuse(self, pattern, text, code=2):
        self.config(text)
        self.fail_with(code, pattern, "sweep", "sweep.toml", "-o", "out")
        self.assertFalse(os.path.exists(self.path("out")))

    def test_errors_name_file_and_line(self):
        data = 'data = "data.csv"\n'
        self.refuse(r"sweep\.toml:2: \"grd\" is not known here; hint: did you mean grid\?", data + "[grd]\n")
        self.refuse(r"sweep\.toml:3: \"evidense\" .*did you mean evidence\?", data + "[grid]\nevidense = [1]\n")
        self.refuse(r"sweep\.toml:3: evidence: '-1' is not a number above 0", data + "[grid]\nevidence = [-1]\n")
        self.refuse(r"sweep\.toml:3: epochs: 'x' is not a whole number", data + "[options]\nepochs = 'x'\n")
        self.refuse(r"sweep\.toml:3: tree is a list of values", data + "[grid]\ntree = 5\n")
        self.refuse(r"sweep\.toml:3: threads is an option of", data + "[options]\nthreads = 2\n")
        self.refuse(r"sweep\.toml:3: .*hint: bias = false", data + "[options]\nno-bias = true\n")
        self.refuse(r"sweep\.toml:3: backend does not change results", data + "[grid]\nbackend = ['scalar']\n")
        self.refuse(r"sweep\.toml:2: \"errors\" .*error_map", data + "best = 'errors'\n")
        self.refuse(r"sweep\.toml:1: .*hint: is it TOML\?", "data = data.csv\n")
        self.refuse(r"sweep\.toml:3: evidence is drawn from low", data + "draws = 1\ndraw.evidence = {low = 2, high = 1}\n")
        self.refuse(r"sweep\.toml:3: preprocess is a text", data + "draws = 1\ndraw.preprocess = {low = 1, high = 2}\n")
        self.refuse(r"sweep\.toml:3: header: \"maybe\" is not one of", data + "[reading]\nheader = 'maybe'\n")

    def test_errors_of_the_whole(self):
        data = 'data = "data.csv"\n'
        self.refuse("sweep.toml: data is missing", "folds = 3\n")
        self.refuse("exclude each other", data + "folds = 3\nhold_out = 0.5\n")
        self.refuse("not what to draw", data + "draws = 3\n")
        self.refuse("needs the number of draws", data + "[draw]\nseed = [1]\n")
        self.refuse("seed stands in .grid. and in .draw.", data + "draws = 1\n[draw]\nseed = [1]\n[grid]\nseed = [2]\n")
        self.refuse("more than 100000 runs", data + "[grid]\nseed = [%s]\nepochs = [%s]\n" % (
            ",".join(map(str, range(400))), ",".join(map(str, range(1, 402)))))
        self.refuse("no run can be done: batch above 1 needs dense layers", data + "[options]\ntree=3\nbatch = 9\n")
        self.refuse("leaves no test row", data + "hold_out = 0.001\n")
        self.refuse("missing.csv", 'data = "missing.csv"\n', 6)
        self.refuse("no column named .nobody.", data + "[reading]\ngroup = 'nobody'\n")

    def test_missing_file_and_hostile_ones(self):
        self.fail_with(6, "none.toml", "sweep", "none.toml", "-o", "out")
        for content in (b"\x00" * 100, b"[" * 100000, b"\xff\xfe", b"a." * 5000 + b"b = 1", b"x" * 2000000):
            self.write("bad.toml", content)
            self.fail_with(2, "bad.toml", "sweep", "bad.toml", "-o", "out")

    def test_grid_list_and_draws(self):
        self.config("""
data = "data.csv"
draws = 3
[options]
epochs = 1
polish = 0
[grid]
tree = [3, "single", [3, 3]]
[draw]
evidence = { low = 0.1, high = 10, log = true }
seed = { low = 1, high = 1000 }
[[runs]]
dense = [8, 8]
batch = 5
[[runs]]
tree = "3,3"
evidence = 1
seed = 7
""")
        self.succeed("sweep", "sweep.toml", "-o", "out", "-q")
        rows = self.rows("out")
        self.assertEqual([row["tree"] for row in rows], ["3", "single", "3,3"] * 3 + ["auto", "3,3"])
        self.assertEqual(rows[9]["dense"], "8,8")
        self.assertEqual([row["status"] for row in rows], ["done"] * 11)
        draws = [(row["evidence"], row["seed"]) for row in rows[:9:3]]
        self.assertEqual(len(set(draws)), 3)
        for evidence, seed in draws:
            self.assertTrue(0.1 <= float(evidence) <= 10 and 1 <= int(seed) <= 1000)

    def test_draws_do_not_depend_on_how_many_there_are(self):
        text = 'data="data.csv"\ndraws={}\n[options]\nepochs=1\ntree=3\n[draw]\nevidence={{low=0.1,high=10}}\n'
        self.config(text.format(2))
        self.succeed("sweep", "sweep.toml", "-o", "out", "-q")
        before = self.times("out")
        self.config(text.format(4) + "seed = [1, 1]\n")
        self.succeed("sweep", "sweep.toml", "-o", "out", "-q")
        self.assertEqual({name: self.times("out")[name] for name in before}, before)
        self.assertEqual(len(self.times("out")), 4)


class Results(SweepTest):
    def test_figures_and_best_are_those_of_train(self):
        self.config(SMALL)
        results = self.json("sweep", "sweep.toml", "-o", "out", "-q")
        self.assertEqual(json.loads(self.read("out/results.json")), results)
        self.assertEqual([run["options"] for run in results["runs"]], [
            {"tree": tree, "seed": seed} for tree in ("3", "5") for seed in ("1", "2")])
        for run in results["runs"]:
            command = run["command"].split()
            self.assertEqual(command[:2], ["bitbayes", "train"])
            trained = self.json(*command[1:], "-o", "again.bb", "--force", "-q")
            for figure in ("error_map", "error_mean", "nll", "brier", "ece", "validity", "weights"):
                self.assertEqual(trained[figure], run["results"][figure], figure)
            if run["name"] == results["best"]["name"]:
                self.assertEqual(self.read("again.bb"), self.read("out/best.bb"))
        best = min(results["runs"], key=lambda run: run["results"]["error_mean"])
        self.assertEqual(results["best"]["run"], best["run"])
        self.check_tidy("out")

    def test_folds(self):
        self.config(SMALL + "\n[reading]\nlabel = 5\n")
        text = "folds = 3\nbest = 'nll'\n" + self.read("sweep.toml").decode()
        self.config(text)
        results = self.json("sweep", "sweep.toml", "-o", "out", "-q")
        for run in results["runs"]:
            found = self.json(*run["command"].split()[1:], "-q")["cv"]
            self.assertEqual(found["nll"]["mean"], run["results"]["nll"])
            self.assertEqual(found["nll"]["std"], run["results"]["std"]["nll"])
        self.assertEqual(float(self.rows("out")[0]["nll_std"]), results["runs"][0]["results"]["std"]["nll"])
        options = results["best"]["options"]
        self.succeed("train", "data.csv", "--tree", options["tree"], "--seed", options["seed"], "--epochs", 2,
                     "--evidence", 1, "-o", "again.bb", "-q")
        self.assertEqual(self.read("again.bb"), self.read("out/best.bb"))

    def test_test_data(self):
        self.table("test.csv", rows=60, seed=2)
        self.config('test = "test.csv"\n' + SMALL)
        run = self.json("sweep", "sweep.toml", "-o", "out", "-q")["runs"][3]
        trained = self.json(*run["command"].split()[1:], "-q")
        self.assertEqual(trained["nll"], run["results"]["nll"])

    def test_report_and_table(self):
        self.config(SMALL)
        done = self.succeed("sweep", "sweep.toml", "-o", "out")
        self.assertRegex(done.stdout, r"(?m)^\*? +\d  +\d +\d +\d+\.\d\d %")
        self.assertEqual(done.stderr.count("error "), 4)
        self.assertIn("4 of 4: ", done.stderr)
        page = self.read("out/report.html").decode()
        for text in ("The best run", "What each option does", "<svg", ">tree<", ">seed<", "bitbayes train data.csv"):
            self.assertIn(text, page)
        self.assertTrue(os.path.exists(self.path("out/options.svg")))
        ticks = re.findall(r">([0-9.]+)</text>", page)
        self.assertIn("2", ticks)
        self.assertEqual([tick for tick in ticks if "." in tick], [])

    def test_failed_runs(self):
        self.config('data="data.csv"\n[options]\nepochs=1\nbatch=5\n[grid]\ndense=[8, ""]\n'
                    'tree=[3]\n[[runs]]\ndense=8\ndropout=0.5\n')
        done = self.run_cli("sweep", "sweep.toml", "-o", "out", "-q")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "error: 1 of 3 runs failed; hint: .*--retry")
        self.assertIn("run 2 failed: batch above 1 needs dense layers", done.stdout)
        rows = self.rows("out")
        self.assertEqual([row["status"] for row in rows], ["done", "failed", "done"])
        self.assertIn("needs dense layers", rows[1]["message"])
        page = self.read("out/report.html").decode()
        self.assertIn('<span class="badge bad">failed</span>', page)
        self.assertRegex(page, "<td>batch above 1 needs dense layers")
        before, table = self.times("out"), self.read("out/results.csv")
        self.assertEqual(self.run_cli("sweep", "sweep.toml", "-o", "out", "-q").returncode, 1)
        self.assertEqual(self.times("out"), before)
        self.assertEqual(self.run_cli("sweep", "sweep.toml", "-o", "out", "-q", "--retry").returncode, 1)
        self.assertEqual(sum(self.times("out")[name] != before[name] for name in before), 1)
        self.assertEqual(self.read("out/results.csv"), table)

    def test_example(self):
        self.table("data.csv", rows=150, header=True)
        shutil.copy(EXAMPLE, self.path("sweep.toml"))
        results = self.json("sweep", "sweep.toml", "-o", "out", "-q")
        self.assertEqual((len(results["runs"]), results["failed"], results["figure"]), (18, 0, "nll"))


class Restarts(SweepTest):
    def test_only_what_is_missing(self):
        self.config(SMALL)
        self.succeed("sweep", "sweep.toml", "-o", "out", "-q")
        before, table, model = self.times("out"), self.read("out/results.csv"), os.stat(self.path("out/best.bb"))
        self.succeed("sweep", "sweep.toml", "-o", "out", "-q")
        self.assertEqual(self.times("out"), before)
        self.assertEqual(os.stat(self.path("out/best.bb")).st_mtime_ns, model.st_mtime_ns)
        self.config(SMALL.replace("[3, 5]", "[3, 4, 5]"))
        self.succeed("sweep", "sweep.toml", "-o", "out", "-q")
        self.assertEqual({name: self.times("out")[name] for name in before}, before)
        self.assertEqual(len(self.rows("out")), 6)
        self.config(SMALL)
        self.succeed("sweep", "sweep.toml", "-o", "out", "-q")
        self.assertEqual(self.read("out/results.csv"), table)

    def test_best_follows_the_figure(self):
        self.config(SMALL)
        self.succeed("sweep", "sweep.toml", "-o", "out", "-q")
        for figure in ("nll", "error_map"):
            self.config(f"best = '{figure}'\n" + SMALL)
            best = self.json("sweep", "sweep.toml", "-o", "out", "-q")["best"]
            self.succeed(*best["command"].split()[1:], "-o", "again.bb", "--force", "-q")
            self.assertEqual(self.read("again.bb"), self.read("out/best.bb"))

    def test_folders(self):
        self.config(SMALL)
        os.mkdir(self.path("other"))
        self.write("other/file", "")
        self.fail_with(6, "other exists and holds no sweep", "sweep", "sweep.toml", "-o", "other")
        self.succeed("sweep", "sweep.toml", "-o", "out", "-q")
        self.config("folds = 2\n" + SMALL)
        self.fail_with(2, "out holds a sweep with other test rows", "sweep", "sweep.toml", "-o", "out")
        self.config(SMALL)
        self.table("data.csv", rows=90)
        self.fail_with(2, "out holds a sweep with other data", "sweep", "sweep.toml", "-o", "out")
        self.succeed("sweep", "sweep.toml", "-o", "out", "-q", "--force")
        self.assertEqual(len(self.times("out")), 4)

    def test_damaged_run(self):
        self.config(SMALL)
        self.succeed("sweep", "sweep.toml", "-o", "out", "-q")
        name = sorted(self.times("out"))[0]
        self.write(f"out/runs/{name}", self.read(f"out/runs/{name}").replace(b'"nll": 0', b'"nll": 1'))
        self.fail_with(3, f"{name}: damaged", "sweep", "sweep.toml", "-o", "out")
        os.remove(self.path(f"out/runs/{name}"))
        self.succeed("sweep", "sweep.toml", "-o", "out", "-q")

if __name__ == "__main__":
    unittest.main()
