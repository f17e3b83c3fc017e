"""What the tests of `bitbayes sweep` share."""

import csv
import io
import os

from support import CliTest


class SweepTest(CliTest):
    def config(self, text, rows=150, name="sweep.toml"):
        if not os.path.exists(self.path("data.csv")):
            self.table("data.csv", rows=rows)
        return self.write(name, text)

    def rows(self, folder):
        return list(csv.DictReader(io.StringIO(self.read(f"{folder}/results.csv").decode())))

    def times(self, folder):
        runs = self.path(f"{folder}/runs")
        return {name: os.stat(os.path.join(runs, name)).st_mtime_ns for name in os.listdir(runs)
                if name.endswith(".json")}

    def finished(self, folder):
        try:
            return len(self.times(folder))
        except FileNotFoundError:
            return 0

    def check_tidy(self, folder):
        """Nothing but results is left."""
        names = os.listdir(self.path(f"{folder}/runs")) + os.listdir(self.path(folder))
        self.assertEqual([name for name in names if name.endswith((".lock", ".tmp"))], [])


if __name__ == "__main__":
    raise SystemExit("run one of the test_*.py files")
