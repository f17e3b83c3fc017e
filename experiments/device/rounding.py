"""One pass over a table by the library and by a device: one byte per weight rounded by chance, one byte rounded to the
nearest, two bytes. Prints the error on the test rows (in %), one line per seed: the figures of docs/device-learning.md.

Usage: rounding.py BITBAYES DATA optdigits|semeion [SEEDS]; DATA is the folder that holds the data sets' folders. The last two
columns are the exported C with a few lines changed; two bytes are rounded to the nearest, and read the tables by their upper byte.
"""

import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

# The file to learn and its rows: those of the model's training, then those that are learned. The file of the test, and its rows.
TABLES = {"optdigits": ("optdigits/optdigits.tra.csv.gz", 100, 3823, "optdigits/optdigits.tes.csv.gz", 0, 1797),
          "semeion": ("semeion/semeion.csv.gz", 400, 1200, "semeion/semeion.csv.gz", 1200, 1593)}

MAIN = """
#include <stdio.h>
#include "net.h"
int main(int argc, char **argv) {
    int16_t row[1 + NET_COLUMNS];
    net_column x[NET_COLUMNS];
    long rows = 0, wrong = 0;
    int file, c;
    for (file = 1; file < argc; file++) {
        FILE *in = fopen(argv[file], "rb");
        while (fread(row, sizeof row, 1, in) == 1) {
            for (c = 0; c < NET_COLUMNS; c++) x[c] = (net_column)row[1 + c];
            if (file == 1) net_learn(x, row[0]);
            if (file == 2) { rows++; wrong += net_predict(x) != row[0]; }
        }
        fclose(in);
    }
    printf("%.2f", 100.0 * (double)wrong / (double)rows);
    return 0;
}
"""

NEAREST = {"(int32_t)(random >> 16)": "(int32_t)(32768 + 0 * random)"}
TWO_BYTES = {
    "int8_t h1[": "int16_t h1[", "int8_t h2[": "int16_t h2[", "int8_t *h ": "int16_t *h ",
    "net_mean(int8_t h)": "net_mean(int16_t h)", "net_means[h + 128]": "net_means[((h + 128) >> 8) + 128]",
    "net_variances[h[j] + 128]": "net_variances[((h[j] + 128) >> 8) + 128]",
    "int8_t net_moved(int8_t h,": "int16_t net_moved(int16_t h,",
    "((change + (int32_t)(random >> 16)) >> 16)": "((change + 128 + (int32_t)(0 * random)) >> 8)",
    "(sum > 127) ? 127": "(sum > 32512) ? 32512", "(int8_t)((sum < -127) ? -127": "(int16_t)((sum < -32512) ? -32512",
    "(int8_t)NET_READ_8(&net_start_1[i])": "(int16_t)(256 * (int8_t)NET_READ_8(&net_start_1[i]))",
    "(int8_t)NET_READ_8(&net_start_2[i])": "(int16_t)(256 * (int8_t)NET_READ_8(&net_start_2[i]))",
    "#define NET_STATE_BYTES ": "#define NET_STATE_BYTES 9",
}


def write_rows(path, table, first, last):
    """Labels, then columns, as 16 bits."""
    with open(path, "wb") as file, gzip.open(table, "rt") as lines:
        for line in lines.read().split()[first:last]:
            *columns, label = map(int, line.split(","))
            for number in (label, *columns):
                file.write(number.to_bytes(2, "little", signed=True))


def changed(text, words):
    for old, new in words.items():
        text = text.replace(old, new)
    return text


def main(program, data, table, seeds=5):
    train, start, end, test, first, last = TABLES[table]
    train, test = f"{data}/{train}", f"{data}/{test}"
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)

        def run(*words):
            return subprocess.run([program, *map(str, words)], cwd=work, check=True, text=True, stdout=subprocess.PIPE).stdout

        def error(model):
            return f"{100 * json.loads(run('eval', model, f'{test}#{first}:{last}', '--json', '-q'))['error_mean']:.2f}"

        def error_of_c(words):
            for file in ("net.h", "net.c"):
                (work / file).write_text(changed((work / "out" / file).read_text(), words))
            (work / "main.c").write_text(MAIN)
            subprocess.run(["cc", "-O2", "main.c", "net.c", "-o", "main"], cwd=work, check=True)
            return subprocess.run(["./main", "train", "test"], cwd=work, check=True, text=True,
                                  stdout=subprocess.PIPE).stdout

        write_rows(work / "train", train, start, end)
        write_rows(work / "test", test, first, last)
        print("seed  start  library  one byte  its C  nearest  two bytes")
        for seed in range(1, int(seeds) + 1):
            run("train", f"{train}#0:{start}", "--tree", 21, "--preprocess", "center", "--epochs", 1, "--polish", 0, "--seed", seed,
                "-o", "start.bb", "-q", "--force")
            run("update", "start.bb", f"{train}#{start}:{end}", "--memory", "inf", "-o", "library.bb", "-q", "--force")
            run("update", "start.bb", f"{train}#{start}:{end}", "--like-device", "-o", "device.bb", "-q", "--force")
            run("export", "c", "start.bb", "--learn", "-o", "out", "--name", "net", "-q", "--force")
            print(seed, error("start.bb"), error("library.bb"), error("device.bb"), error_of_c({}), error_of_c(NEAREST),
                  error_of_c(TWO_BYTES), sep="  ", flush=True)


if __name__ == "__main__":
    main(str(pathlib.Path(sys.argv[1]).resolve()), str(pathlib.Path(sys.argv[2]).resolve()), *sys.argv[3:])
