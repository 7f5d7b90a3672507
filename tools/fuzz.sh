#!/usr/bin/env bash
# Checks random programs against an oracle in exact arithmetic (docs/Testing.md).
#
#   tools/fuzz.sh N SEED [options of comm-oracle]
#
# Reads the build folder from COMM_BUILD_DIR, default build. A program that fails
# is reduced and printed, and the exit code is 1.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ $# -lt 2 ]; then
  echo "usage: tools/fuzz.sh N SEED [options of comm-oracle]" >&2
  exit 2
fi
build=${COMM_BUILD_DIR:-build}
cmake --build "$build" --target comm-oracle >&2
exec "$build/bin/comm-oracle" --count="$1" --seed="$2" "${@:3}"
