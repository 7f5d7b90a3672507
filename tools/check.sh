#!/usr/bin/env bash
# Installs what is missing, builds everything and runs every test.
#
#   tools/check.sh                the tests; the runtime's under sanitizers too
#   tools/check.sh --sanitizers   all tests under address+undefined, then the
#                                 runtime, the runner and comm-run under thread
set -euo pipefail
cd "$(dirname "$0")/.."
case "${1-}" in
  "" | --sanitizers) ;;
  *) echo "usage: tools/check.sh [--sanitizers]" >&2; exit 2 ;;
esac
tools/install-deps.sh
[ $# -gt 0 ] || exec cmake --workflow --preset check
cmake --workflow --preset check-address
exec cmake --workflow --preset check-thread
