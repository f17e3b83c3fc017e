#!/usr/bin/env bash
# Installs the Debian packages named on the command line or listed in the given files, if they are missing.
# Usage: scripts/install.sh apt.txt [PACKAGE|FILE ...]
set -euo pipefail

wanted=()
for item in "$@"; do
    if [ -f "$item" ]; then mapfile -t -O "${#wanted[@]}" wanted < "$item"; else wanted+=("$item"); fi
done
missing=()
for package in "${wanted[@]}"; do
    # npm is often there from another source than Debian's package.
    if [ "$package" = npm ] && command -v npm > /dev/null; then continue; fi
    dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null | grep -qx installed || missing+=("$package")
done
[ "${#missing[@]}" -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo > /dev/null || { echo "missing: ${missing[*]}; run as root, or install them" >&2; exit 1; }
    as_root=(sudo)
fi
echo "installing: ${missing[*]}" >&2
"${as_root[@]}" apt-get update -qq
DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" > /dev/null
