#!/usr/bin/env python3
"""Clocks of the loops of a kernel for Hopper, estimated from its machine code: no card is needed, only nvdisasm of a CUDA toolkit (11.8 or newer).

    nvcc -cubin -std=c++17 -gencode arch=compute_90,code=sm_90 -O3 -fmad=false --expt-relaxed-constexpr -I src -I include \\
        -I build/release/include src/cuda/tree_kernels.cu -o tree.cubin
    bench/card_loops.py tree.cubin learn_trees 3MfbELj2E PlaceE1     # parts of the kernel's mangled name

A loop of COUNT instructions is run by so many warps of one scheduler. A warp issues an instruction when the one before allows it (the wait that the
compiler wrote into the code) and when the loads it needs have come; the scheduler issues one per clock, one per two clocks for whole numbers.
What the model leaves out: bandwidth of L2, caches of instructions, what other schedulers do in shared memory. So it compares forms of a
loop; it predicts no seconds.
"""
import argparse
import re
import shutil
import struct
import subprocess
import tempfile

WHOLE_NUMBERS = {"IADD3", "LOP3", "ISETP", "LEA", "MOV", "SEL", "FSEL", "FMNMX", "FSETP", "SHF", "PRMT", "IMNMX"}
MEMORY = {"LDS", "STS", "LDG", "STG", "LD", "ST", "LDGSTS"}
SHARED_LATENCY, OTHER_LATENCY, SHARED_CLOCKS_OF_FOUR = 30, 25, 8
LEAST_FMA = 40  # loops over weights have more


def kernel(path, patterns):
    data = open(path, "rb").read()
    offset, = struct.unpack_from("<Q", data, 40)
    _, count, names = struct.unpack_from("<HHH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, offset + 64 * k) for k in range(count)]
    for section in sections:
        start = sections[names][4] + section[0]
        name = data[start:data.index(b"\0", start)].decode()
        if name.startswith(".text.") and all(re.search(p, name) for p in patterns):
            return data[section[4]:section[4] + section[5]]
    raise SystemExit("no kernel has such a name")


def instructions(code):
    with tempfile.NamedTemporaryFile() as raw:
        raw.write(code)
        raw.flush()
        text = subprocess.run(["nvdisasm", "-b", "SM90", raw.name], check=True, capture_output=True, text=True).stdout
    for address, body in re.findall(r"^\s+/\*([0-9a-f]{4,6})\*/\s+(.*?);", text, re.M):
        control = struct.unpack_from("<Q", code, int(address, 16) + 8)[0] >> 41
        words = re.sub(r"^@!?U?P\w+\s+", "", body.strip()).split()
        yield {
            "address": int(address, 16), "text": body, "name": words[0].split(".")[0], "four": ".128" in words[0],
            "wait": max(1, control & 15), "done": control >> 5 & 7, "read": control >> 8 & 7, "needs": control >> 11 & 63,
            "idle": "[RZ]" in body,
        }


def inner_loops(code):
    place = {one["address"]: k for k, one in enumerate(code)}
    loops = []
    for k, one in enumerate(code):
        target = re.search(r"\bBRA\S*\s.*?0x([0-9a-f]+)", one["text"])
        if target and place.get(int(target.group(1), 16), k + 1) <= k:
            loops.append((place[int(target.group(1), 16)], k))
    for first, last in loops:
        if not any(first <= a and b <= last and (a, b) != (first, last) for a, b in loops):
            yield code[first:last + 1]


def clocks(loop, warps, latency, rounds=30):
    """Of one round of all warps."""
    total = len(loop) * rounds
    at, ready = [0] * warps, [37 * w for w in range(warps)]
    pending = [[0] * 8 for _ in range(warps)]
    whole_free = shared_free = now = last = 0
    while min(at) < total:
        for w in sorted(range(warps), key=lambda w: w != last):
            if at[w] == total or ready[w] > now:
                continue
            one = loop[at[w] % len(loop)]
            if any(one["needs"] >> k & 1 and pending[w][k] > now for k in range(6)):
                continue
            if one["name"] in WHOLE_NUMBERS:
                if whole_free > now:
                    continue
                whole_free = now + 2
            comes = now + OTHER_LATENCY
            if one["name"] in MEMORY and not one["idle"]:
                start = max(now, shared_free)
                shared_free = start + (SHARED_CLOCKS_OF_FOUR if one["four"] else SHARED_CLOCKS_OF_FOUR // 4)
                comes = start + (latency if one["name"] in ("LD", "LDG") else SHARED_LATENCY)
                pending[w][one["read"]] = start + 12
            pending[w][one["done"]] = comes
            at[w] += 1
            ready[w] = now + one["wait"]
            last = w
            break
        now += 1
    return now / rounds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cubin")
    parser.add_argument("name", nargs="+", help="regular expressions that the kernel's name matches")
    parser.add_argument("--latency", type=int, default=600, help="of the card's memory, in clocks (600: L2 under load)")
    parser.add_argument("--warps", type=int, nargs="+", default=[1, 3, 6], help="of one scheduler")
    arguments = parser.parse_args()
    if shutil.which("nvdisasm") is None:
        raise SystemExit("nvdisasm is not on the PATH; it comes with a CUDA toolkit")
    print("address  count  FMA  " + "  ".join(f"{warps} warps" for warps in arguments.warps))
    for loop in inner_loops(list(instructions(kernel(arguments.cubin, arguments.name)))):
        fma = sum(one["name"] == "FFMA" for one in loop)
        # What branches takes other paths than straight ahead.
        if fma < LEAST_FMA or any(one["name"] in ("CALL", "BSSY") for one in loop):
            continue
        figures = "  ".join(f"{clocks(loop, warps, arguments.latency):7.0f}" for warps in arguments.warps)
        print(f"{loop[0]['address']:7x}  {len(loop):5}  {fma:3}  {figures}")


if __name__ == "__main__":
    main()
