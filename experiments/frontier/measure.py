"""What a classifier in C costs on a Cortex-M3 (qemu, instructions) and an ATmega2560 (simavr, cycles).

A classifier is a folder with NAME.h and NAME.c that define NAME_COLUMNS, the type NAME_column and
int NAME_predict(const NAME_column x[NAME_COLUMNS]). Everybody is compiled by the same command line.
"""
import pathlib
import re
import subprocess
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
LEVEL = "-O2"
# No C library is linked, so that loops must not become calls of memset.
FLAGS = ["-std=gnu99", LEVEL, "-ffreestanding", "-fno-tree-loop-distribute-patterns", "-ffunction-sections", "-fdata-sections"]


class CortexM3:
    prefix = "arm-none-eabi-"
    machine = ["-mcpu=cortex-m3", "-mthumb"]
    parts = [HERE / "cortex_m3.c"]
    link = ["-nostdlib", "-T", HERE / "cortex_m3.ld", "-lgcc"]
    run = ["qemu-system-arm", "-M", "mps2-an385", "-display", "none", "-monitor", "none", "-serial", "none",
           "-chardev", "stdio,id=out", "-semihosting-config", "enable=on,target=native,chardev=out",
           "-icount", "shift=6", "-kernel"]


class Atmega2560:
    prefix = "avr-"
    machine = ["-mmcu=atmega2560"]
    parts = [HERE / "atmega2560.c"]
    link = []
    run = ["simavr", "-m", "atmega2560", "-f", "16000000"]


def call(*command, cwd=None, env=None):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, text=True, errors="replace", cwd=cwd, env=env)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + (done.stderr if "simavr" in str(command[0]) else "")


def sizes(device, work, name):
    """Bytes of FLASH, and of RAM without the stack, of all that NAME_predict needs, helpers of the compiler included."""
    call(f"{device.prefix}gcc", *device.machine, "-r", "-nostdlib", f"-Wl,--gc-sections,-u,{name}_predict", f"{name}.o", "-lgcc",
         "-o", "alone.o", cwd=work)
    sections = re.findall(r"^(\.\S+) +(\d+)", call(f"{device.prefix}size", "-A", "alone.o", cwd=work), re.M)
    total = {kind: sum(int(size) for section, size in sections if re.match(rf"\.{kind}\b", section))
             for kind in ("text", "rodata", "progmem", "data", "bss")}
    return (total["text"] + total["rodata"] + total["progmem"] + total["data"], total["data"] + total["bss"])


def numbers_of(said):
    """The first line, and the pairs of the others; simavr adds colours and a dot to each."""
    plain = re.sub(r"\x1b\[\d+m|\.?\r?$", "", said, flags=re.M)
    numbers = [line.split() for line in re.findall(r"^-?\d+(?: \d+)?$", plain, re.M)]
    return int(numbers[0][0]) if numbers else 0, np.array(numbers[1:], dtype=int)


def measure(folder, rows, device=CortexM3, name="net"):
    """Answers of the rows (integers as the device receives them) and what they cost."""
    with tempfile.TemporaryDirectory(prefix="frontier_") as work:
        header = pathlib.Path(folder).resolve() / f"{name}.h"
        bits, sign = re.search(rf"typedef (u?)int(8|16|32)_t {name}_column", header.read_text()).groups()[::-1]
        kind = np.dtype(f"<{'u' if sign else 'i'}{int(bits) // 8}")
        limits = np.iinfo(kind)
        if rows.min() < limits.min or rows.max() > limits.max:
            raise ValueError(f"{folder}: rows do not fit {kind}")
        (pathlib.Path(work) / "rows.bin").write_bytes(rows.astype(kind).tobytes())
        gcc = [f"{device.prefix}gcc", *FLAGS, *device.machine]
        call(*gcc, "-Wall", "-Wextra", "-Werror", "-c", header.with_suffix(".c"), "-o", f"{name}.o", cwd=work)
        flash, ram = sizes(device, work, name)
        call(*gcc, "-Wl,--gc-sections", f"-DROWS={len(rows)}", f"-DCOLUMNS={rows.shape[1]}", f"-DCOLUMN={name}_column",
             f"-DPREDICT={name}_predict", "-include", header, HERE / "measure.c", *device.parts, f"{name}.o", *device.link,
             "-o", "program.elf", cwd=work)
        said = call(*device.run, "program.elf", cwd=work)
    stack, pairs = numbers_of(said)
    if len(pairs) != len(rows):
        raise RuntimeError(f"{folder}: {len(pairs)} answers for {len(rows)} rows\n{said[:500]}")
    cost = {"flash": flash, "ram": ram + stack, "mean": float(pairs[:, 1].mean()), "max": int(pairs[:, 1].max())}
    return pairs[:, 0], cost


def versions():
    programs = {"arm-none-eabi-gcc": "--version", "qemu-system-arm": "--version", "avr-gcc": "--version"}
    return {program: call(program, flag).splitlines()[0] for program, flag in programs.items()}


LOOPS = {  # n rounds, and what each costs
    CortexM3: ("1: subs %0, #1\\n bne 1b", "r", 2),
    Atmega2560: ("1: sbiw %0, 1\\n brne 1b", "w", 4),
}
LOOP = {
    "h": "#include <stdint.h>\ntypedef uint16_t net_column;\nint net_predict(const net_column *x);\n",
    "c": """#include "net.h"
int net_predict(const net_column *x) {
    unsigned n = x[0];
    __asm__ volatile("ASSEMBLY" : "+REGISTER"(n) : : "cc");
    return (int)n;
}
""",
}


def check(device):
    """That the clock counts loops of known length exactly."""
    assembly, register, cost = LOOPS[device]
    rounds = np.array([[1], [2], [3], [10], [100], [1001], [30000], [60000]])
    with tempfile.TemporaryDirectory(prefix="frontier_") as folder:
        for end, text in LOOP.items():
            pathlib.Path(folder, f"net.{end}").write_text(text.replace("ASSEMBLY", assembly).replace("REGISTER", register))
        found = [measure(folder, rounds[k:k + 1], device)[1]["max"] for k in range(len(rounds))]
        mean = measure(folder, rounds, device)[1]["mean"]
    expected = found[0] + cost * (rounds[:, 0] - 1)
    if found != expected.tolist() or mean != expected.mean():
        raise RuntimeError(f"the clock of {device.__name__} is not exact: {found}, not {expected}")
