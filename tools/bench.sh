#!/usr/bin/env bash
# Measures what the project promises, as ratios taken side by side in one run.
#
#   tools/bench.sh [--quick] [--results=FILE.md] [SECTION...]
#
# Prints a table, writes build/bench/results.json, and with --results the page
# for docs/results/. Open MPI, which the collectives are compared with, is
# installed here alone: the product does not use it.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/install-deps.sh
missing=()
for package in libopenmpi-dev openmpi-bin; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  sudo=
  [ "$(id -u)" -eq 0 ] || sudo=sudo
  $sudo apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "${missing[@]}"
fi
cmake --preset default >/dev/null
cmake --build build --target comm-opt comm-run comm-oracle bench
COMM_BUILD_DIR=$PWD/build exec python3 tools/bench/report.py "$@"
