#!/usr/bin/env bash
# On a bare Debian 12: installs what is missing, builds, fetches MNIST, trains a network on it for less than a minute, and shows
# what it answers to ten test images and to four pictures that are no digits, and how sure it is.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install.sh apt.txt
cmake --preset release > /dev/null
cmake --build --preset release --target bitbayes_cli
bitbayes=build/release/bitbayes
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
run() { printf '\n$ bitbayes %s\n' "$*"; "$bitbayes" "$@"; }

# A chessboard, a cross, the letter A and noise, as an IDX file of 28 x 28 pixels.
no_digits() {
    python3 - "$1" << 'END'
import random, struct, sys
noise = random.Random(1)
pictures = [lambda y, x: (x // 4 + y // 4) % 2,
            lambda y, x: abs(x - 13.5) < 2 or abs(y - 13.5) < 2,
            lambda y, x: 4 <= y < 24 and (abs(abs(x - 13.5) - (y - 3) * 0.45) < 1.2 or y in (15, 16) and abs(x - 13.5) < 6),
            lambda y, x: noise.random()]
pixels = bytes(int(255 * picture(y, x)) for picture in pictures for y in range(28) for x in range(28))
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack(">4B3I", 0, 0, 8, 3, len(pictures), 28, 28) + pixels)
END
}

if run fetch mnist; then
    # 785-512-512-10: two hidden layers that all digits share, 669,706 binary weights.
    run train mnist --dense 512,512 --epochs 8 -o "$work/mnist.bb"
    run info "$work/mnist.bb"
    printf '\nTen digits: 7, 2, 1, 0, 4, 1, 4, 9, 5, 9. Validity is the probability that exactly one output says yes.'
    run predict "$work/mnist.bb" 'mnist:test#0:10'
    no_digits "$work/no-digits.idx"
    printf '\nNo digits: a chessboard, a cross, the letter A, noise. Some class always wins; validity says how sure the network is that it is a digit at all.'
    run predict "$work/mnist.bb" "$work/no-digits.idx"
else
    echo "MNIST cannot be had here; the teacher-student task of the paper instead."
    run train teacher:5 -o "$work/teacher.bb"
    run info "$work/teacher.bb"
    run predict "$work/teacher.bb" 'teacher:5:1:test#0:10'
fi
