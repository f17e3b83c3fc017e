"""From a fit to C for a device: clip, export, compile with gcc, run, and compare every answer."""
import pathlib
import subprocess
import tempfile

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from bitbayes import BitBayesClassifier

MAIN = """
#include <stdio.h>
#include "digits.h"

int main(void) {
    digits_column row[DIGITS_COLUMNS];
    while (fread(row, sizeof row, 1, stdin) == 1) printf("%d\\n", digits_predict(row));
    return 0;
}
"""


def main():
    X, y = load_digits(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(
        X.astype(np.uint8), y, test_size=0.25, random_state=0, stratify=y)
    clipped = BitBayesClassifier(hidden_layers=(256,), random_state=1).fit(X_train, y_train).clip()

    with tempfile.TemporaryDirectory() as folder:
        clipped.export_c(folder, name="digits", overwrite=True)
        source = pathlib.Path(folder, "main.c")
        source.write_text(MAIN)
        program = source.with_suffix("")
        subprocess.run(["gcc", "-std=c99", "-Os", f"-I{folder}", source, f"{folder}/digits.c", "-o", program],
                       check=True)
        answers = subprocess.run([program], input=X_test.tobytes(), stdout=subprocess.PIPE, check=True).stdout.split()

    device = clipped.classes_[np.array(answers, dtype=int)]
    print(f"{len(device)} rows, {np.mean(device == y_test):.2%} right on the device")
    print(f"{np.count_nonzero(device != clipped.predict(X_test))} differences between the C and the library")


if __name__ == "__main__":
    main()
